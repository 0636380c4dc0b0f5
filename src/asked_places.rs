//! Files and lines that a question names and that are not here.

use std::fs;
use std::path::{Component, Path};

use ctx_core::plan::Plan;
use ctx_core::read::DEFAULT_MAX_BYTES;
use ctx_core::words::{counted, quoted};
use ctx_search::{Place, places};

use crate::hints::did_you_mean;
use crate::near::near_path;

/// The most notes about one question.
const MOST: usize = 3;

/// The most places that are looked at: each may take a file's time.
const MOST_PLACES: usize = 20;

/// Notes about the places in a question that are not here, though something like them is.
pub fn notes(question: &str, plan: &Plan) -> Vec<String> {
    let places = places(question);
    places.iter().take(MOST_PLACES).filter_map(|place| note(place, plan)).take(MOST).collect()
}

fn note(place: &Place, plan: &Plan) -> Option<String> {
    let mut named = plan.items().iter().filter(|item| ends_with(item.source.label.as_str(), &place.path));
    let Some(item) = named.next() else {
        let name = place.path.rsplit('/').next()?;
        let is_file = place.lines.is_some() || place.path.contains('/') && name.contains('.');
        // The question may be somebody else's, so it lists nothing outside the tree.
        let goes_down = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let is_reference = place.path.starts_with('@');
        if is_reference || !is_file || !Path::new(&place.path).components().all(goes_down) {
            return None;
        }
        let near =
            near_path(&place.path).filter(|near| fs::metadata(near).is_ok_and(|near| near.is_file()))?;
        return Some(format!("no file {}; {}", quoted(&place.path), did_you_mean(&near)));
    };
    let lines = place.lines.filter(|_| named.next().is_none())?;
    let file = item.source.place()?.path();
    let is_readable = |metadata: &fs::Metadata| metadata.is_file() && metadata.len() <= DEFAULT_MAX_BYTES;
    fs::metadata(&file).ok().filter(is_readable)?;
    let text = fs::read(&file).ok()?;
    let newlines = text.iter().filter(|byte| **byte == b'\n').count();
    let count = newlines + usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
    let path = quoted(item.source.label.as_str());
    (lines.first > count).then(|| format!("{path} has only {}, not {}", counted(count, "line"), lines.first))
}

/// Whether a file's path is one that somebody wrote, or ends with it.
fn ends_with(path: &str, written: &str) -> bool {
    path.strip_suffix(written).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
