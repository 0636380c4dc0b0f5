//! The stored lists that a command uses, and the parts that work only if they are trusted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Scripts, TrustItem, Trusted};
use crate::command::Command;
use crate::entry::Bound;
use crate::entry::{Attribute, Author, Kind, Provenance, Scope, ScopedEntry};
use crate::models::Registry;
use crate::report::{Hint, Notice, NoticeKind};
use crate::setting;
use crate::store::{Defaults, List, ListTarget, ProfileName, READER, Setting, StoreError, View};
use crate::words::{all_of, counted, quoted, some_of};
use crate::world::World;

/// The global list and a profile, both as they were at the same moment.
#[derive(Debug, Clone)]
pub struct StoredLists {
    /// The name of the profile.
    pub profile: ProfileName,
    /// The entries of both.
    pub entries: Vec<ScopedEntry>,
    /// The settings of the global list.
    pub global: ListSettings,
    /// The settings of the profile.
    pub own: ListSettings,
}

/// The settings of a list.
#[derive(Debug, Clone)]
pub struct ListSettings {
    /// Its settings.
    pub defaults: Defaults,
    /// Its scope and its author.
    pub provenance: Provenance,
    /// The list's readers, whoever wrote it.
    readers: BTreeMap<String, String>,
    /// The keys that this version does not know.
    unknown: Vec<String>,
    /// Invalid settings of a project, each with its error. They are left out.
    invalid: Vec<String>,
}

impl ListSettings {
    fn of(view: &View<'_>, target: &ListTarget, list: List) -> Result<Self, StoreError> {
        let unknown = list.unknown().map(|(key, _)| key.to_owned()).collect();
        let provenance = view.provenance(target)?;
        let (defaults, readers) = (list.defaults, list.readers);
        let mut settings = Self { provenance, unknown, invalid: Vec::new(), defaults, readers };
        settings.leave_out_invalid(None);
        Ok(settings)
    }

    /// Leaves out a project's settings that no option would accept, rather than failing, since the user did
    /// not make them.
    fn leave_out_invalid(&mut self, registry: Option<&Registry>) {
        let error = |(setting, value)| Some((setting, setting::check(setting, value, registry).err()?));
        let of_bound = |bound| self.bounded(bound).filter_map(error).collect::<Vec<_>>();
        for (setting, error) in of_bound(Bound::OnceTrusted).into_iter().chain(of_bound(Bound::Always)) {
            self.invalid.push(format!("{} ({error})", quoted(setting.name())));
            self.defaults.set(setting, None);
        }
    }

    /// The readers by extension; none if the list is not the user's own global one.
    #[must_use]
    pub fn readers(&self) -> &BTreeMap<String, String> {
        const NONE: &BTreeMap<String, String> = &BTreeMap::new();
        let is_users = self.provenance == Provenance { scope: Scope::Global, author: Author::User };
        if is_users { &self.readers } else { NONE }
    }

    /// Whether a project's files may have written the list.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.provenance.author == Author::Project
    }

    /// A project's settings with this bound; none if the list is the user's own.
    fn bounded(&self, bound: Bound) -> impl Iterator<Item = (Setting, &str)> {
        let all = Setting::ALL.into_iter().filter(|_| self.is_bounded());
        let set = all.filter_map(|setting| Some((setting, self.defaults.get(setting)?)));
        set.filter(move |(setting, value)| setting.bound(value) == bound)
    }

    /// Removes untrusted and forbidden settings. `list` is the list's name in messages.
    fn keep_trusted(&mut self, list: &str, project: &Path, trusted: &Trusted, untrusted: &mut Untrusted) {
        let never: Vec<Setting> = self.bounded(Bound::Never).map(|(setting, _)| setting).collect();
        let needing = self.bounded(Bound::OnceTrusted);
        let gone =
            needing.filter(|(setting, value)| !trusted.contains(&item(*setting, value, list, project)));
        let gone: Vec<Setting> = gone.map(|(setting, _)| setting).collect();
        let instructions = gone.iter().filter(|setting| **setting == Setting::Instruction).count();
        untrusted.instructions += instructions;
        untrusted.settings += gone.len() - instructions;
        never.into_iter().chain(gone).for_each(|setting| self.defaults.set(setting, None));
    }

    /// The keys in this list that no project may set.
    fn never_allowed(&self) -> impl Iterator<Item = String> {
        let known = self.bounded(Bound::Never).map(|(setting, _)| quoted(setting.name()));
        let unknown = self.unknown.iter().filter(|_| self.is_bounded()).map(quoted);
        let readers = self.readers.keys().filter(|_| self.is_bounded());
        known.chain(unknown).chain(readers.map(|extension| quoted(format!("{READER}{extension}"))))
    }
}

/// The item to trust for a project's setting.
fn item(setting: Setting, value: &str, list: &str, project: &Path) -> TrustItem {
    if setting == Setting::Instruction {
        TrustItem::instruction(value, list, project)
    } else {
        TrustItem::setting(&format!("{}={value}", setting.name()), list, project)
    }
}

/// How many items of each kind are not used because they are not trusted here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Untrusted {
    /// Commands.
    pub commands: usize,
    /// Entries that would be pinned.
    pub pins: usize,
    /// Settings of the profile, and attributes of entries.
    pub settings: usize,
    /// Instructions.
    pub instructions: usize,
}

impl StoredLists {
    /// Reads the global list and a given profile.
    ///
    /// # Errors
    /// Same as [`View::profile`].
    pub fn of(view: &View<'_>, profile: ProfileName) -> Result<Self, StoreError> {
        let target = ListTarget::Profile(profile.clone());
        let own = ListSettings::of(view, &target, view.profile(&profile)?)?;
        let global = ListSettings::of(view, &ListTarget::Global, view.global()?)?;
        Ok(Self { entries: view.entries(&profile)?, profile, global, own })
    }

    /// The settings of a list.
    fn settings_of(&self, target: &ListTarget) -> &ListSettings {
        match target {
            ListTarget::Global => &self.global,
            ListTarget::Profile(_) => &self.own,
        }
    }

    /// Whether anything needs trust.
    #[must_use]
    pub fn need_trust(&self) -> bool {
        let is_command = |scoped: &ScopedEntry| matches!(Command::of(&scoped.entry), Ok(Some(_)));
        let needs = |scoped: &ScopedEntry| bounded(scoped).next().is_some() || is_command(scoped);
        let mut settings =
            [&self.global, &self.own].into_iter().flat_map(|list| list.bounded(Bound::OnceTrusted));
        self.entries.iter().any(needs) || settings.next().is_some()
    }

    /// The items that need trust, each once.
    #[must_use]
    pub fn items(&self, world: &World, scripts: &Scripts) -> Vec<TrustItem> {
        let project = project_of(world, scripts);
        let mut items: Vec<TrustItem> = Vec::new();
        let mut known = BTreeSet::new();
        let of_entries = self
            .entries
            .iter()
            .flat_map(|scoped| items_of(scoped, &self.described(scoped.scope), world, scripts));
        let of_settings = [&self.global, &self.own].into_iter().flat_map(|list| {
            let name = self.described(list.provenance.scope);
            let needing = list.bounded(Bound::OnceTrusted);
            needing.map(|(setting, value)| item(setting, value, &name, &project)).collect::<Vec<_>>()
        });
        for item in of_entries.chain(of_settings) {
            if known.insert(item.fingerprint) {
                items.push(item);
            }
        }
        items
    }

    /// Whether a list may not have a setting with this value.
    #[must_use]
    pub fn forbids(&self, target: &ListTarget, setting: Setting, value: &str) -> bool {
        let is_never = setting.bound(value) == Bound::Never;
        self.settings_of(target).is_bounded() && is_never
    }

    /// The item to trust for a list's setting; `None` if it needs no trust, or is never allowed.
    #[must_use]
    pub fn item_of_setting(
        &self,
        target: &ListTarget,
        (setting, value): (Setting, &str),
        project: &Path,
    ) -> Option<TrustItem> {
        let list = self.settings_of(target);
        let needs_trust = setting.bound(value) == Bound::OnceTrusted;
        let name = self.described(list.provenance.scope);
        (list.is_bounded() && needs_trust).then(|| item(setting, value, &name, project))
    }

    /// Removes untrusted and forbidden parts, and returns how many were untrusted. `project` is the result of
    /// [`project_of`].
    pub fn keep_trusted(&mut self, trusted: &Trusted, project: &Path) -> Untrusted {
        let mut untrusted = Untrusted::default();
        let list = self.described(self.own.provenance.scope);
        for scoped in &mut self.entries {
            let needing = bounded(scoped);
            let gone = needing.filter(|one| !trusted.contains(&item_of(*one, scoped, &list, project)));
            for attribute in gone.collect::<Vec<Attribute>>() {
                let is_pin = attribute == Attribute::Pin;
                *(if is_pin { &mut untrusted.pins } else { &mut untrusted.settings }) += 1;
                scoped.entry.attributes.unset(attribute);
            }
        }
        let names = [Scope::Global, self.own.provenance.scope].map(|scope| self.described(scope));
        for (list, name) in [&mut self.global, &mut self.own].into_iter().zip(names) {
            list.keep_trusted(&name, project, trusted, &mut untrusted);
        }
        untrusted
    }

    /// Whether a project names a model, which has to be looked up in a registry.
    #[must_use]
    pub fn name_a_model(&self) -> bool {
        let names = |list: &ListSettings| list.is_bounded() && list.defaults.get(Setting::Model).is_some();
        [&self.global, &self.own].into_iter().any(names)
    }

    /// Removes a project's model if it is not in the registry.
    pub fn leave_out_unknown_model(&mut self, registry: &Registry) {
        self.own.leave_out_invalid(Some(registry));
        self.global.leave_out_invalid(Some(registry));
    }

    /// Notices about settings that no project may have, or that are invalid.
    #[must_use]
    pub fn refused(&self) -> Vec<Notice> {
        let keys: Vec<String> = self.global.never_allowed().chain(self.own.never_allowed()).collect();
        let never = format!("a project's files may not set {}; not used", some_of(&keys));
        let never = (!keys.is_empty()).then_some(never);
        let faults: Vec<String> =
            [&self.global, &self.own].into_iter().flat_map(|list| list.invalid.clone()).collect();
        let invalid = format!("invalid in the project's files and not used: {}", faults.join(", "));
        let invalid = (!faults.is_empty()).then_some(invalid);
        never.into_iter().chain(invalid).map(|text| Notice::warning(NoticeKind::Forbidden, text)).collect()
    }

    /// How messages name a list: `global`, `profile 'api'`.
    fn described(&self, scope: Scope) -> String {
        match scope {
            Scope::Global => "global".to_owned(),
            Scope::Project => format!("project profile '{}'", self.profile),
            Scope::Profile | Scope::Session | Scope::Prompt => format!("profile '{}'", self.profile),
        }
    }
}

/// The directory of the project in use, relative to the top of the tree as in a [`TrustItem`]; empty if there
/// is none.
#[must_use]
pub fn project_of(world: &World, scripts: &Scripts) -> PathBuf {
    world.project.as_ref().map(|project| scripts.from_root(project)).unwrap_or_default()
}

/// The parts of a stored entry that need trust; `list` is where it is stored: `global`, `profile 'api'`.
pub fn items_of(scoped: &ScopedEntry, list: &str, world: &World, scripts: &Scripts) -> Vec<TrustItem> {
    let at_root = world.at_root();
    let directory = &scoped.base(world, &at_root).cwd;
    let is_used = || !scoped.entry.attributes.off && scoped.forbidden().is_none();
    let command = Command::of(&scoped.entry).ok().flatten().filter(|_| is_used());
    let command = command.map(|command| TrustItem::command(&command, list, directory, scripts));
    let project = project_of(world, scripts);
    let attributes = bounded(scoped).map(|attribute| item_of(attribute, scoped, list, &project));
    command.into_iter().chain(attributes).collect()
}

/// The attributes of a project's entry that apply only once they are trusted, except for a command's.
fn bounded(scoped: &ScopedEntry) -> impl Iterator<Item = Attribute> {
    let attributes = &scoped.entry.attributes;
    let is_bounded = !attributes.off && scoped.author == Author::Project;
    // A dependency lies outside of the tree, wherever a lock file leads.
    let leads_outside = scoped.entry.kind() == Kind::Dependency;
    let needs_trust = move |attribute: &Attribute| {
        attribute.bound() == Bound::OnceTrusted && !attribute.is_of_commands()
            || leads_outside && *attribute == Attribute::Search
    };
    let given = attributes.given().filter(needs_trust);
    // Expanding the alternatives of thousands of patterns takes seconds, so check last whether a path is
    // forbidden.
    given.filter(move |_| is_bounded && scoped.forbidden().is_none())
}

/// The item to trust for an attribute that needs trust.
fn item_of(attribute: Attribute, scoped: &ScopedEntry, list: &str, project: &Path) -> TrustItem {
    let value = scoped.entry.attributes.value(attribute).unwrap_or_default();
    TrustItem::attribute(attribute, &value, &scoped.entry.path, list, project)
}

impl Untrusted {
    /// A one-line summary: `2 commands and an instruction are not trusted here`; `None` if nothing is
    /// untrusted. The user may have named `profile` for this command only.
    #[must_use]
    pub fn notice(self, profile: Option<String>) -> Option<Notice> {
        let Self { commands, pins, settings, instructions } = self;
        let instruction = match instructions {
            1 => "an instruction".to_owned(),
            _ => counted(instructions, "instruction"),
        };
        let counts = [
            (commands, counted(commands, "command")),
            (instructions, instruction),
            (pins, counted(pins, "pin")),
            (settings, counted(settings, "setting")),
        ];
        let named: Vec<String> =
            counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
        let items = commands + pins + settings + instructions;
        let verb = if items == 1 { "is" } else { "are" };
        let text = format!("{} {verb} not trusted here", all_of(&named));
        let hint = Hint::ShowUntrusted { items, profile };
        let notice = Notice::warning(NoticeKind::Untrusted, text).with_hint(hint);
        (items > 0).then_some(notice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_items_are_reported_on_one_line() {
        let text = |untrusted: Untrusted| untrusted.notice(None).map(|notice| notice.text);
        let rest = "not trusted here";
        assert_eq!(text(Untrusted::default()), None);
        let one = Untrusted { commands: 1, ..Untrusted::default() };
        assert_eq!(text(one), Some(format!("1 command is {rest}")));
        let two = Untrusted { commands: 2, instructions: 1, ..Untrusted::default() };
        assert_eq!(text(two), Some(format!("2 commands and an instruction are {rest}")));
        let all = Untrusted { commands: 1, pins: 1, settings: 2, instructions: 2 };
        assert_eq!(text(all), Some(format!("1 command, 2 instructions, 1 pin and 2 settings are {rest}")));
    }
}
