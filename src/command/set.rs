use clap::{ArgGroup, Args};
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::complete;
use crate::error::{Error, Outcome};
use crate::options::GlobalScope;
use ctx_core::entry::{Entry, tag};
use ctx_core::store::Place;

/// Change the tags, the pin and the place of entries
///
/// Entries come into the block in the order in which they are stored. Several entries that are
/// moved together keep the order in which they are named.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("change").required(true).multiple(true)
        .args(["tags", "untag", "pin", "unpin", "first", "last", "before", "after"])),
    group(ArgGroup::new("place").args(["first", "last", "before", "after"])),
    after_help = "Examples:
  ctx set --first README.md                    render it before everything else in its list
  ctx set 'src/**/*.rs' --tag code --pin       tag it, and never trim it
  ctx set docs/api.md --after docs/guide.md    move it behind another entry"
)]
pub struct Set {
    #[command(flatten)]
    scope: GlobalScope,

    /// Give the entries a tag (repeat for several)
    #[arg(long = "tag", value_name = "TAG", value_parser = tag::parse, add = ArgValueCandidates::new(complete::tags))]
    tags: Vec<String>,

    /// Take a tag away (repeat for several)
    #[arg(long, value_name = "TAG", add = ArgValueCandidates::new(complete::tags))]
    untag: Vec<String>,

    /// Never trim what the entries match
    #[arg(long, conflicts_with = "unpin")]
    pin: bool,

    /// Let the entries be trimmed again
    #[arg(long)]
    unpin: bool,

    /// Move the entries to the front of their list
    #[arg(long)]
    first: bool,

    /// Move the entries to the end of their list
    #[arg(long)]
    last: bool,

    /// Move the entries before this one
    #[arg(long, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    before: Option<String>,

    /// Move the entries behind this one
    #[arg(long, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    after: Option<String>,

    /// Entries as stored
    #[arg(required = true, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    paths: Vec<String>,
}

impl Set {
    /// Changes and moves the entries; all of them or none.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        self.check()?;
        let Changed { target, value: changed } = app.change(self.scope.global, |store, target| {
            let list = store.list_mut(target)?;
            let before = list.paths.clone();
            for path in &self.paths {
                self.change(list.entry_mut(path)?);
            }
            if let Some(place) = self.place() {
                list.place(&self.paths, &place)?;
            }
            let is_moved = !paths(&before).eq(paths(&list.paths));
            let is_changed =
                |path: &String| is_moved || list.position(path).is_none_or(|at| list.paths[at] != before[at]);
            Ok(self.paths.iter().map(is_changed).collect::<Vec<bool>>())
        })?;
        for (path, is_changed) in self.paths.iter().zip(changed) {
            match is_changed {
                true => app.ui.confirm(format!("Changed '{path}' in {}", named(&target))),
                false => app.ui.note(format!("'{path}' is already like that in {}", named(&target))),
            }
        }
        Ok(Outcome::Done)
    }

    /// No option may be without effect.
    fn check(&self) -> Result<(), Error> {
        if let Some(tag) = self.tags.iter().find(|tag| self.untag.contains(tag)) {
            return Err(Error::usage(format!("the tag '{tag}' is both given and taken away")));
        }
        let exclusion = self.paths.iter().find(|path| path.starts_with('!'));
        match exclusion.filter(|_| self.pin || !self.tags.is_empty()) {
            Some(path) => {
                Err(Error::usage(format!("'{path}' is an exclusion, which has neither tags nor a pin")))
            }
            None => Ok(()),
        }
    }

    fn change(&self, entry: &mut Entry) {
        let attributes = &mut entry.attributes;
        for tag in &self.tags {
            if !attributes.tags.contains(tag) {
                attributes.tags.push(tag.clone());
            }
        }
        attributes.tags.retain(|tag| !self.untag.contains(tag));
        attributes.pin = (attributes.pin || self.pin) && !self.unpin;
    }

    fn place(&self) -> Option<Place> {
        match (&self.before, &self.after) {
            (Some(anchor), _) => Some(Place::Before(anchor.clone())),
            (_, Some(anchor)) => Some(Place::After(anchor.clone())),
            _ if self.first => Some(Place::First),
            _ if self.last => Some(Place::Last),
            _ => None,
        }
    }
}

fn paths(entries: &[Entry]) -> impl Iterator<Item = &str> {
    entries.iter().map(|entry| entry.path.as_str())
}
