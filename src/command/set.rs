use std::slice;

use clap::{ArgGroup, Args};
use clap_complete::ArgValueCandidates;

use crate::app::{App, Changed, named};
use crate::attributes::{self, AttributeOptions, unreadable};
use crate::complete;
use crate::error::Error;
use crate::hints::did_you_mean;
use crate::options::GlobalScope;
use ctx_core::entry::{Attribute, Attributes, DeclarationName, Entry, Lines, Scope, ScopedEntry};
use ctx_core::guard::names::holds_secrets;
use ctx_core::select::{self, EntryReport, Problem};
use ctx_core::store::{List, MoveTo, StoreError, first_places};
use ctx_core::words::{nearest, quoted, some_of};

/// Change the attributes and the order of entries
///
/// The output follows the order of your entries. If you move several entries together, they take the order in
/// which you name them.
#[derive(Debug, Args)]
#[command(
    override_usage = "ctx set [OPTIONS] <PATH>...",
    group(ArgGroup::new("change").required(true).multiple(true)
        .args(AttributeOptions::ids())
        .args(["untag", "off", "on", "lines", "name", "unset", "first", "last", "before", "after"])),
    group(ArgGroup::new("place").args(["first", "last", "before", "after"])),
    after_help = "Examples:
  ctx set --first README.md                    render it before everything else in its list
  ctx set 'src/**/*.rs' --tag code --pin       tag its files, and never trim them
  ctx set docs/api.md --after docs/guide.md    move it after another entry
  ctx set 'cmd:cargo test' --ttl 10m           run it at most every ten minutes
  ctx set --off 'vendor/**'                    keep it, and leave it out for now"
)]
pub struct Set {
    #[command(flatten)]
    scope: GlobalScope,

    #[command(flatten)]
    attributes: AttributeOptions,

    /// Remove a tag (repeat for several)
    #[arg(long, value_name = "TAG", add = ArgValueCandidates::new(complete::tags))]
    untag: Vec<String>,

    /// Keep the entries, but don't use them
    #[arg(long, conflicts_with = "on")]
    off: bool,

    /// Use the entries again
    #[arg(long)]
    on: bool,

    /// Use only these lines of a file: 10, 10-40, 10-
    #[arg(long, value_name = "LINES")]
    lines: Option<Lines>,

    /// Use only the declaration or section of this name in a file: parse_header, Class.method, install
    #[arg(long, value_name = "NAME", conflicts_with = "lines")]
    name: Option<DeclarationName>,

    /// Remove an attribute (repeat for several), before the other options apply
    #[arg(long, value_name = "ATTRIBUTE", value_parser = attributes::attribute())]
    unset: Vec<Attribute>,

    /// Move the entries to the front of their list
    #[arg(long)]
    first: bool,

    /// Move the entries to the end of their list
    #[arg(long)]
    last: bool,

    /// Move the entries before this one
    #[arg(long, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    before: Option<String>,

    /// Move the entries after this one
    #[arg(long, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    after: Option<String>,

    /// The entries as stored
    #[arg(required = true, value_name = "PATH", add = ArgValueCandidates::new(complete::entries))]
    paths: Vec<String>,
}

impl Set {
    /// Changes and moves either all of the entries or none.
    pub fn run(self, app: &App) -> Result<(), Error> {
        self.check()?;
        let Changed { target, value: changed } = app.change(self.scope.global, |store, target| {
            let provenance = store.before()?.provenance(target)?;
            let scope = provenance.scope;
            let list = store.list_mut(target)?;
            let before = list.paths.clone();
            let places = |paths: &[String]| {
                let spellings = paths.iter().map(|path| app.spellings(path, scope));
                let named = list.places(&spellings.collect::<Vec<_>>());
                let missing = paths.iter().zip(&named).filter(|(_, places)| places.is_empty());
                let missing: Vec<&str> = missing.map(|(path, _)| path.as_str()).collect();
                not_found(app, &missing, list, scope).map(|()| named)
            };
            let named = places(&self.paths)?;
            let anchor = |path: &String| places(slice::from_ref(path)).map(|named| named[0][0]);
            let place = self.place(anchor)?;
            for &at in named.iter().flatten() {
                let entry = &mut list.paths[at];
                self.change(entry);
                attributes::check(entry)?;
                if let Some(forbidden) = ScopedEntry::from_list(provenance, entry.clone()).forbidden() {
                    return Err(Error::usage(format!("Invalid path '{}': {forbidden}", entry.path)));
                }
            }
            self.check_lines(list)?;
            let set =
                named.iter().flatten().map(|&at| ScopedEntry::from_list(provenance, list.paths[at].clone()));
            self.check_range(app, set.collect())?;
            let is_new = |places: &Vec<usize>| places.iter().any(|&at| list.paths[at] != before[at]);
            let changed: Vec<bool> = named.iter().map(is_new).collect();
            let is_moved = place.map_or(Ok(false), |place| list.move_to(&named.concat(), place))?;
            Ok(changed.into_iter().map(|is_changed| is_changed || is_moved).collect::<Vec<bool>>())
        })?;
        for (path, is_changed) in self.paths.iter().zip(changed) {
            if is_changed {
                app.ui.confirm(format!("Changed '{path}' in {}", named(&target)))
            } else {
                app.ui.note(format!("'{path}' is unchanged in {}", named(&target)))
            }
        }
        Ok(())
    }

    /// Refuses to add and remove the same tag, or to give and take away the same attribute. The values of a list may
    /// be replaced.
    fn check(&self) -> Result<(), Error> {
        if let Some(tag) = self.attributes.tags.iter().find(|tag| self.untag.contains(tag)) {
            return Err(Error::usage(format!("the tag '{tag}' is both added and removed")));
        }
        let mut given = Attributes::default();
        self.attributes.give(&mut given);
        let is_both = |attribute: &&Attribute| {
            !matches!(attribute, Attribute::Tags | Attribute::Allow) && given.value(**attribute).is_some()
        };
        match self.unset.iter().find(is_both) {
            Some(attribute) => {
                Err(Error::usage(format!("the attribute '{attribute}' is both set and unset")))
            }
            None => Ok(()),
        }
    }

    /// Checks that the lines or the name exist, as `ctx add` does; a file that doesn't exist yet may have any.
    fn check_range(&self, app: &App, entries: Vec<ScopedEntry>) -> Result<(), Error> {
        if self.lines.is_none() && self.name.is_none() {
            return Ok(());
        }
        let options = select::Options::new(holds_secrets);
        let reports = select::select(&entries, app.world(), &options)?.entries;
        let fault = |(scoped, report): (&ScopedEntry, &EntryReport)| {
            let reason = match report.fate.problem() {
                Some(problem @ (Problem::Lines(_) | Problem::LinesOfDirectory | Problem::LinesOfPattern)) => {
                    Some(problem.to_string())
                }
                Some(Problem::Invalid(error)) => Some(error.to_string()),
                Some(_) => None,
                None => unreadable(app.base(scoped.scope), &scoped.entry, report.kind),
            };
            let path = scoped.entry.name().into_owned();
            reason.map(|reason| Error::impossible(format!("Invalid path '{path}': {reason}")))
        };
        Error::all(entries.iter().zip(&reports).filter_map(fault).collect())
    }

    /// Fails if a change of lines or names would make two entries the same.
    fn check_lines(&self, list: &List) -> Result<(), Error> {
        let is_part = |attribute: &Attribute| matches!(attribute, Attribute::Lines | Attribute::Name);
        let changes_lines = self.lines.is_some() || self.name.is_some() || self.unset.iter().any(is_part);
        let places = first_places(&list.paths);
        match places.iter().enumerate().find(|(place, first)| changes_lines && place != *first) {
            Some((place, _)) => {
                Err(StoreError::Duplicate { path: list.paths[place].name().into_owned() }.into())
            }
            None => Ok(()),
        }
    }

    fn change(&self, entry: &mut Entry) {
        let attributes = &mut entry.attributes;
        self.unset.iter().for_each(|removed| attributes.unset(*removed));
        self.attributes.give(attributes);
        attributes.tags.retain(|tag| !self.untag.contains(tag));
        if self.lines.is_some() || self.name.is_some() {
            attributes.lines = self.lines;
            attributes.name.clone_from(&self.name);
        }
        attributes.off = (attributes.off || self.off) && !self.on;
    }

    fn place(&self, anchor: impl Fn(&String) -> Result<usize, Error>) -> Result<Option<MoveTo>, Error> {
        Ok(match (&self.before, &self.after) {
            (Some(path), _) => Some(MoveTo::Before(anchor(path)?)),
            (_, Some(path)) => Some(MoveTo::After(anchor(path)?)),
            _ if self.first => Some(MoveTo::First),
            _ if self.last => Some(MoveTo::Last),
            _ => None,
        })
    }
}

/// Fails if entries are missing, and names what the list has instead: ranges of lines of these files, the paths from
/// the root, or similar names.
fn not_found(app: &App, missing: &[&str], list: &List, scope: Scope) -> Result<(), Error> {
    if missing.is_empty() {
        return Ok(());
    }
    let meant = |path: &&str| -> Vec<String> {
        let from_root = app.meant_from_root(path, list).map(|meant| vec![meant]);
        from_root.unwrap_or_else(|| {
            list.paths.iter().filter_map(|entry| app.range_of(path, entry, scope)).collect()
        })
    };
    let known: Vec<_> = list.paths.iter().map(Entry::name).collect();
    let error = |path: &&str| {
        let names = meant(path);
        let hint = match nearest(path, known.iter().map(AsRef::as_ref)) {
            _ if !names.is_empty() => {
                format!("did you mean {}?", some_of(&names.iter().map(quoted).collect::<Vec<_>>()))
            }
            Some(near) => did_you_mean(near),
            None => "ctx show".to_owned(),
        };
        Error::from(StoreError::NotInList { path: (*path).to_owned() }).with_hint(hint)
    };
    Error::all(missing.iter().map(error).collect())
}
