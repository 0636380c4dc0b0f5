use std::fmt;
use std::io::Write;
use std::path::Path;

use clap::{ArgGroup, Args};
use clap_complete::{ArgValueCandidates, ArgValueCompleter};
use serde::Serialize;
use serde_json::json;

use crate::app::{App, Changed, USERS, named};
use crate::complete;
use crate::error::{Error, parted};
use crate::input;
use crate::options::JsonOption;
use crate::palette::{FAINT, GOOD, PLAIN};
use crate::table::{Cell, Column, Table};
use crate::trust::{Ground, NO_TRUST};
use crate::visible::visible;
use ctx_core::setting;
use ctx_core::store::{
    Choice, ChosenFor, Defaults, List, ListTarget, ProfileName, Setting, StoreError, View,
};
use ctx_core::store::{LONGEST_INSTRUCTION, READER};
use ctx_core::trust::{StoredLists, TrustItem};
use ctx_core::words::{all_of, some_of};

/// List, create, delete and rename profiles, and change their settings
///
/// Without an option, lists profiles as git lists branches: `default` first, then by name, with `*` before the
/// active one. Settings (`--set`) apply to `render`, `run`, `show`, `check` and `explain`, and to `ask` except
/// for budget and trim. The command line and the environment override them. Keys: description, instruction,
/// model, budget, ask_budget, trim, format, history, history_budget, checkpoint (on or off, for `run`), program,
/// git_history (on or off), words_from (auto, none or a program, for `ask`). With -g they apply to all profiles that don't set them, except description,
/// history, history_budget and checkpoint. Only with -g: reader.EXT, the program that makes text of files that are
/// not text, by the extension of their names; {} stands for the file's path. The instruction tells the model how to answer: TEXT, @FILE (ctx
/// stores its text), or - for standard input; write @@ for a TEXT that starts with @. If you set an instruction
/// both for all profiles and for this one, ctx prints both.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("defaults").multiple(true).args(["set", "unset"])),
    after_help = "Examples:
  ctx profile                                       list profiles
  ctx profile --create api                          create one; 'ctx switch api' makes it active
  ctx profile --rename api backend
  ctx profile --set budget=60k --set format=xml     change settings of the active profile
  ctx --profile api profile --unset budget          change another profile
  ctx profile -g --set trim=relevant                set a default for all profiles
  ctx profile -g --set 'reader.pdf=pdftotext {} -'   read PDF files with pdftotext
  ctx profile --set instruction=@review.md          read the instruction from a file"
)]
pub struct Profile {
    /// Create a profile
    #[arg(short, long, value_name = "NAME", conflicts_with = "json")]
    create: Vec<String>,

    /// Delete a profile and its list; never touches your files
    #[arg(short, long, value_name = "NAME", conflicts_with = "json", add = ArgValueCandidates::new(complete::deletable))]
    delete: Vec<String>,

    /// Delete a profile that other repositories use; 'default' is chosen there
    #[arg(short, long, requires = "delete")]
    force: bool,

    /// Rename a profile
    #[arg(short = 'm', long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "json", add = ArgValueCandidates::new(complete::profiles))]
    rename: Vec<String>,

    /// Print only the name of the active profile, for a shell prompt
    #[arg(long, conflicts_with_all = ["create", "delete", "rename", "set", "unset"])]
    current: bool,

    /// Set one of the profile's settings
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["create", "delete", "rename", "json"], add = ArgValueCompleter::new(complete::settings))]
    set: Vec<String>,

    /// Remove one of the profile's settings
    #[arg(long, value_name = "KEY", conflicts_with_all = ["create", "delete", "rename", "json"], add = ArgValueCandidates::new(complete::setting_keys))]
    unset: Vec<String>,

    /// Change the settings for all profiles or, without --set and --unset, list them; a profile's own settings
    /// override them
    #[arg(short = 'g', long, conflicts_with_all = ["create", "delete", "rename", "current", "json"])]
    global: bool,

    #[command(flatten)]
    json: JsonOption,
}

impl Profile {
    /// Performs the requested operation; without one, lists the profiles.
    pub fn run(self, app: &App) -> Result<(), Error> {
        if self.create.len() + self.delete.len() + self.rename.len() / 2 > 1 {
            return Err(Error::usage("Only one of --delete, --create, or --rename can be specified"));
        }
        app.check_named()?;
        if let [name] = self.create.as_slice() {
            create(app, &name.parse()?)
        } else if let [name] = self.delete.as_slice() {
            delete(app, &name.parse()?, self.force)
        } else if let [old, new] = self.rename.as_slice() {
            rename(app, &old.parse()?, &new.parse()?)
        } else if self.current {
            print_current(app, self.json.json)
        } else if self.set.is_empty() && self.unset.is_empty() && self.global {
            list_for_all(app)
        } else if self.set.is_empty() && self.unset.is_empty() {
            list(app, self.json.json)
        } else {
            change_defaults(app, &self.set, &self.unset, self.global)
        }
    }
}

fn create(app: &App, name: &ProfileName) -> Result<(), Error> {
    app.update(&app.store, |store| store.create_profile(name).map(|_| ()))?;
    app.ui.confirm(format!("Created profile: {name}"));
    Ok(())
}

fn delete(app: &App, name: &ProfileName, force: bool) -> Result<(), Error> {
    let protected: Vec<ProfileName> = app.named_profile().into_iter().collect();
    let places = |elsewhere: &[ChosenFor]| {
        let outside = || "chosen outside of repositories".to_owned();
        let places = elsewhere.iter().map(|by| app.chosen_for(by).unwrap_or_else(outside));
        some_of(&places.map(|place| place.replacen("chosen ", "", 1)).collect::<Vec<_>>())
    };
    let elsewhere = app.update(&app.store, |store| {
        let elsewhere = store.delete_profile(name, &protected)?;
        if force || elsewhere.is_empty() {
            return Ok(elsewhere);
        }
        let text = format!("Profile '{name}' is chosen {}", places(&elsewhere));
        Err(Error::impossible(text).with_hint("--force chooses 'default' there"))
    })?;
    app.ui.confirm(format!("Deleted profile '{name}'"));
    if !elsewhere.is_empty() {
        app.ui.note(format!("'default' is chosen now {}", places(&elsewhere)));
    }
    if app.store.history_file(name).exists() {
        app.ui.note(format!("its history is kept: 'ctx history show --history={name}' prints it"));
    }
    Ok(())
}

fn rename(app: &App, old: &ProfileName, new: &ProfileName) -> Result<(), Error> {
    app.update(&app.store, |store| store.rename_profile(old, new))?;
    app.ui.confirm(format!("Renamed profile '{old}' to '{new}'"));
    Ok(())
}

/// Prints the profile in use. A name from `$CTX_PROFILE` that doesn't exist is printed with `?`, without an
/// error.
fn print_current(app: &App, json: bool) -> Result<(), Error> {
    let (name, exists) = app.store.read(|view| match (app.named_in(view)?, &app.profile_variable) {
        (Some(name), _) => Ok((name.to_string(), true)),
        (None, Some(variable)) => Ok((variable.clone(), false)),
        (None, None) => Ok::<_, Error>((view.active()?.to_string(), true)),
    })?;
    let mark = if exists { "" } else { "?" };
    if json {
        app.ui.json(&json!({"version": 1, "name": name, "exists": exists}))?
    } else {
        app.ui.data(|out| writeln!(out, "{}{mark}", visible(&name)))?
    }
    Ok(())
}

/// The profile in use. It may no longer exist; in that case, the list shows how to switch away from it.
fn active(app: &App, view: &View<'_>) -> Result<ProfileName, Error> {
    match app.named_in(view)? {
        Some(name) => Ok(name),
        None => Ok(view.choice()?.profile),
    }
}

fn warn_if_gone<'a>(app: &App, mut names: impl Iterator<Item = &'a ProfileName>, active: &ProfileName) {
    if !names.any(|name| name == active) {
        app.ui.warn(format!(
            "the active profile '{active}' no longer exists; 'ctx switch default' switches away from it"
        ));
    }
}

#[derive(Serialize)]
struct ListedProfile {
    name: ProfileName,
    /// Whether it is one of your own profiles, listed next to those of a project.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    user: bool,
    entries: usize,
    #[serde(flatten)]
    defaults: Defaults,
}

fn list(app: &App, json: bool) -> Result<(), Error> {
    app.warn_of_project();
    if json {
        let (active, profiles) = app.store.read(|view| {
            let listed = |name: ProfileName| {
                let (list, user) = (view.profile(&name)?, view.is_beside_project(&name)?);
                let (entries, defaults) = (list.paths.len(), list.defaults);
                Ok::<_, Error>(ListedProfile { name, user, entries, defaults })
            };
            let profiles = view.profiles()?.into_iter().map(listed).collect::<Result<Vec<_>, _>>()?;
            Ok::<_, Error>((active(app, view)?, profiles))
        })?;
        warn_if_gone(app, profiles.iter().map(|listed| &listed.name), &active);
        let mut listing = json!({"version": 1});
        if let Some(root) = app.project() {
            listing["project"] = root.into();
        }
        listing["active"] = json!(active);
        listing["profiles"] = json!(profiles);
        return app.ui.json(&listing);
    }
    let (active, choice, names) = app.store.read(|view| {
        // A damaged profile must not hide the others.
        let description = |name: &ProfileName| {
            let list = view.profile(name).ok()?;
            Some(list.defaults.get(Setting::Description)?.to_owned())
        };
        let named = |name: ProfileName| {
            let (is_users, description) = (view.is_beside_project(&name)?, description(&name));
            Ok(Name { name, is_users, description })
        };
        let names = view.profiles()?.into_iter().map(named).collect::<Result<Vec<_>, StoreError>>()?;
        Ok::<_, Error>((active(app, view)?, app.choice_in(view)?, names))
    })?;
    warn_if_gone(app, names.iter().map(|named| &named.name), &active);
    let note = choice.as_ref().and_then(|choice| app.note_of_choice(choice));
    let refused = app.refused("the active profile is the one outside repositories, as in");
    note.into_iter().chain(refused).for_each(|text| app.ui.note(text));
    write_names(app, &active, choice.as_ref(), &names)
}

/// Prints the settings for all profiles, in the form of `--set`.
fn list_for_all(app: &App) -> Result<(), Error> {
    let List { defaults, readers, .. } = app.store.read(|view| Ok::<_, Error>(view.global()?))?;
    let said = |setting: Setting| Some(format!("{}={}", setting.name(), visible(defaults.get(setting)?)));
    let readers = readers.iter().map(|(extension, value)| format!("{READER}{extension}={}", visible(value)));
    let lines: Vec<String> = Setting::ALL.into_iter().filter_map(said).chain(readers).collect();
    if lines.is_empty() {
        app.ui.note("all profiles share no settings yet; 'ctx profile -g --set KEY=VALUE' adds one");
    }
    app.ui.data(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
}

/// The name of a profile in the list.
struct Name {
    name: ProfileName,
    /// Whether it is one of your own profiles, listed next to those of a project.
    is_users: bool,
    description: Option<String>,
}

/// Writes the names, followed by their descriptions, if any.
fn write_names(
    app: &App,
    active: &ProfileName,
    choice: Option<&Choice>,
    names: &[Name],
) -> Result<(), Error> {
    let mut table = Table::new([Column::words("name"), Column::text("description")]).without_heading();
    for named in names {
        let (star, style) = if named.name == *active { ("*", GOOD) } else { (" ", PLAIN) };
        let users = if named.is_users { USERS } else { "" };
        table.add([
            Cell::new(format!("{star} {}{users}", named.name), style),
            Cell::new(visible(named.description.as_deref().unwrap_or_default()), FAINT),
        ]);
    }
    app.ui.data(|out| {
        if let Some(project) = app.project() {
            app.ui.write_text(out, 0, &format!("project: {}", visible(&project)), PLAIN)?;
        }
        if let Some(chosen) = choice.and_then(|choice| app.chosen_for(&choice.by)) {
            let line = format!("current profile: {active} ({})", visible(&chosen));
            app.ui.write_text(out, 0, &line, PLAIN)?;
        }
        table.write(out, &app.ui)
    })
}

/// What `--set` and `--unset` name: a setting, or the reader of files with an extension.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Setting(Setting),
    Reader(String),
}

impl Key {
    fn of_list<'l>(&self, list: &'l List) -> Option<&'l str> {
        match self {
            Self::Setting(setting) => list.defaults.get(*setting),
            Self::Reader(extension) => list.readers.get(extension).map(String::as_str),
        }
    }

    fn set(&self, list: &mut List, value: Option<String>) {
        match (self, value) {
            (Self::Setting(setting), value) => list.defaults.set(*setting, value),
            (Self::Reader(extension), Some(value)) => drop(list.readers.insert(extension.clone(), value)),
            (Self::Reader(extension), None) => drop(list.readers.remove(extension)),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(setting) => f.write_str(setting.name()),
            Self::Reader(extension) => write!(f, "{READER}{extension}"),
        }
    }
}

fn change_defaults(app: &App, set: &[String], unset: &[String], global: bool) -> Result<(), Error> {
    let (set, mut faults) = parted(set.iter().map(|text| assignment(app, text, global)));
    let (unset, unknown) = parted(unset.iter().map(|key| parsed_key(key, global)));
    faults.extend(unknown);
    Error::all(faults)?;
    refuse_repeated(set.iter().map(|(key, _)| key).chain(&unset))?;
    // Everything that can fail comes before the change.
    let ground = Ground::around(app)?;
    let items = items_to_trust(app, &ground, global, &set)?;
    let Changed { target, value: (unset, absent) } = app.change(global, |store, target| {
        let list = store.list_mut(target)?;
        for (key, value) in &set {
            key.set(list, Some(value.clone()));
        }
        let (unset, absent): (Vec<&Key>, Vec<&Key>) =
            unset.iter().partition(|key| key.of_list(list).is_some());
        for key in &unset {
            key.set(list, None);
        }
        Ok((unset, absent))
    })?;
    let keys = |keys: &[&Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let trusts = ground.grant(app, &items);
    let set: Vec<&Key> = set.iter().map(|(key, _)| key).collect();
    if matches!(trusts, Ok(false)) {
        app.ui.warn(NO_TRUST);
    }
    if !set.is_empty() {
        app.ui.confirm(format!("Set {} for {}", keys(&set), named(&target)));
    }
    if !unset.is_empty() {
        app.ui.confirm(format!("Unset {} for {}", keys(&unset), named(&target)));
    }
    if !absent.is_empty() {
        app.ui.note(format!("not set for {}: {}", named(&target), keys(&absent)));
    }
    trusts.map(|_| ())
}

/// The typed settings of a project's list, which are trusted here. Fails if one of the settings isn't allowed in
/// the list.
fn items_to_trust(
    app: &App,
    ground: &Ground<'_>,
    global: bool,
    set: &[(Key, String)],
) -> Result<Vec<TrustItem>, Error> {
    let (target, lists) = app.store.read(|view| {
        let target = app.target_in(view, global)?;
        Ok::<_, Error>((target.clone(), lists(view, &target)?))
    })?;
    let is_forbidden = |(key, value): &&(Key, String)| match key {
        Key::Setting(setting) => lists.forbids(&target, *setting, value),
        Key::Reader(_) => lists.global.is_bounded(),
    };
    let error =
        |(key, value): &(Key, String)| Error::usage(format!("a project's files may not set {key}={value}"));
    Error::all(set.iter().filter(is_forbidden).map(error).collect())?;
    let project = ground.project(app);
    let item = |(key, value): &(Key, String)| match key {
        Key::Setting(setting) => lists.item_of_setting(&target, (*setting, value), &project),
        Key::Reader(_) => None,
    };
    Ok(set.iter().filter_map(item).collect())
}

fn lists(view: &View<'_>, target: &ListTarget) -> Result<StoredLists, StoreError> {
    let profile = match target {
        ListTarget::Global => ProfileName::default_profile(),
        ListTarget::Profile(name) => name.clone(),
    };
    StoredLists::of(view, profile)
}

/// Fails if two options concern the same setting, since one would be lost.
fn refuse_repeated<'k>(keys: impl Iterator<Item = &'k Key>) -> Result<(), Error> {
    let mut known: Vec<&Key> = Vec::new();
    for key in keys {
        if known.contains(&key) {
            return Err(Error::usage(format!("'{key}' is set or unset more than once")));
        }
        known.push(key);
    }
    Ok(())
}

/// Parses `KEY=VALUE`, where the value must be one that the option of that name would accept.
fn assignment(app: &App, text: &str, global: bool) -> Result<(Key, String), Error> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Error::usage(format!("'{text}' is not KEY=VALUE")).with_hint("for example budget=60k"));
    };
    let setting = match parsed_key(key, global)? {
        Key::Reader(extension) => {
            setting::reader(&extension, value).map_err(Error::usage)?;
            return Ok((Key::Reader(extension), value.to_owned()));
        }
        Key::Setting(setting) => setting,
    };
    let is_instruction = setting == Setting::Instruction;
    let value = if is_instruction { instruction(app, value)? } else { value.to_owned() };
    crate::request::check_setting(app, setting, &value)?;
    Ok((Key::Setting(setting), value))
}

/// Parses a key. The global list only has keys that can apply to all profiles.
fn parsed_key(key: &str, global: bool) -> Result<Key, Error> {
    if let Some(extension) = key.strip_prefix(READER) {
        let error = || {
            Error::usage(format!("'{key}' can be set only for all profiles"))
                .with_hint("with -g, 'ctx profile' sets and unsets it")
        };
        return global.then(|| Key::Reader(extension.to_lowercase())).ok_or_else(error);
    }
    let setting: Setting = key.parse()?;
    if global && !setting.is_for_all() {
        let others = Setting::ALL.into_iter().filter(|setting| setting.is_for_all());
        Err(Error::usage(format!("'{key}' can be set only for one profile, not for all"))
            .with_hint(format!("for all profiles: {}", all_of(others))))
    } else {
        Ok(Key::Setting(setting))
    }
}

/// Reads an instruction given as TEXT, @FILE or -.
fn instruction(app: &App, value: &str) -> Result<String, Error> {
    let read = |file: &str| {
        // More than the longest instruction, so that a longer one is reported as such.
        let text = input::text(app, Path::new(file), LONGEST_INSTRUCTION as u64 * 2)?;
        Ok::<_, Error>(text.trim_end_matches(['\n', '\r']).to_owned())
    };
    let text = match (value, value.strip_prefix('@')) {
        (input::STANDARD_STREAM, _) => read(input::STANDARD_STREAM)?,
        (_, Some(rest)) if rest.starts_with('@') => rest.to_owned(),
        (_, Some(file)) => read(file)?,
        (text, None) => text.to_owned(),
    };
    if text.trim().is_empty() {
        Err(Error::usage("the instruction is empty").with_hint("--unset instruction removes it"))
    } else {
        Ok(text)
    }
}
