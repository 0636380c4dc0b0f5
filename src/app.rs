//! What every command needs: the world, the store, the profile in use, and the output.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::environment::{Environment, launcher};
use super::error::{Error, MissingName};
use super::hints;
use super::hints::shell_word;
use super::options::GlobalOptions;
use super::place::{Place, named_here};
use super::ui::Ui;
use ctx_core::dependency::DependencyName;
use ctx_core::entry::rooted::{Rooted, from_here};
use ctx_core::entry::{Entry, Scope, ScopedEntry};
use ctx_core::fs::{Notation, real, with_tilde};
use ctx_core::git::accepting;
use ctx_core::select::{entry_of, path_of};
use ctx_core::source::git;
use ctx_core::source::kind::is_of_a_kind;
use ctx_core::source::readers::Readers;
use ctx_core::store::{
    Choice, ChosenFor, List, ListTarget, ProfileName, Store, StoreError, StoreErrorKind, Transaction, View,
    is_same_path,
};
use ctx_core::tree::GitRefusal;
use ctx_core::trust::Scripts;
use ctx_core::words::{nearest, quoted};
use ctx_core::world::World;

/// One invocation of `ctx`.
#[derive(Debug)]
pub struct App {
    /// The environment of this process.
    pub environment: Environment,
    /// Standard output and standard error.
    pub ui: Ui,
    /// The store.
    pub store: Store,
    /// The name given with `--profile`.
    pub profile_option: Option<String>,
    /// The name in `$CTX_PROFILE`, whether or not the profile exists, unless `--profile` was given.
    pub profile_variable: Option<String>,
    /// See [`World::at_root`].
    at_root: World,
    /// Warnings about the project's files.
    pub project_warnings: Vec<String>,
    /// See [`Place::refused`].
    refused: Option<(PathBuf, GitRefusal)>,
    scripts: OnceLock<Scripts>,
    readers: OnceLock<Arc<Readers>>,
    git_deadline: OnceLock<Instant>,
}

/// Marks the user's own items next to those of a project.
pub const USERS: &str = " (user)";

/// The result of a change, and the changed list.
#[derive(Debug)]
pub struct Changed<T> {
    /// The list.
    pub target: ListTarget,
    /// The result.
    pub value: T,
}

impl App {
    /// Combines the options and the environment.
    ///
    /// # Errors
    /// If there is no place for a store.
    pub fn new(options: GlobalOptions, mut environment: Environment, ui: Ui) -> Result<Self, Error> {
        let Place { store, warnings, refused } =
            Place::find(options.store, options.no_project, &mut environment)?;
        let variable = environment.ctx_profile.as_ref().filter(|_| options.profile.is_none());
        let profile_variable = variable.map(|name| name.to_string_lossy().into_owned());
        let at_root = environment.world.at_root();
        Ok(Self {
            environment,
            ui,
            store,
            profile_option: options.profile,
            profile_variable,
            at_root,
            project_warnings: warnings,
            refused,
            scripts: OnceLock::new(),
            readers: OnceLock::new(),
            git_deadline: OnceLock::new(),
        })
    }

    /// The world in which a list's entries are resolved: at the work root, unless they are for one block
    /// only.
    pub fn base(&self, scope: Scope) -> &World {
        if scope.is_for_one_block() { self.world() } else { &self.at_root }
    }

    /// The work root, with `~` for the home directory.
    pub fn root(&self) -> String {
        self.written(&self.world().root)
    }

    fn written(&self, path: &Path) -> String {
        with_tilde(&path.to_string_lossy(), self.world().home.as_deref())
    }

    /// A note that the stored entries are not relative to the repository that contains the current directory;
    /// `None` if that repository is used, or no stored entry is relative.
    pub fn refused_repository(&self, entries: &[ScopedEntry]) -> Option<String> {
        let built_in = List::built_in_global();
        let is_relative = |scoped: &ScopedEntry| {
            let entry = &scoped.entry;
            let is_of_user = !scoped.scope.is_for_one_block() && built_in.position(&entry.path).is_none();
            is_of_user && (entry.kind().is_text() || entry.is_relative())
        };
        if entries.iter().any(is_relative) { self.refused("stored paths are relative to") } else { None }
    }

    /// A note that the repository that contains the current directory is ignored. `instead` is the part of
    /// the message before the work root, such as `stored paths are relative to`.
    pub fn refused(&self, instead: &str) -> Option<String> {
        let (dot_git, why) = self.refused.as_ref()?;
        let accepting = match (why, dot_git.parent()) {
            (GitRefusal::OtherUser, Some(top)) => format!("; '{}' accepts it", accepting(top)),
            (GitRefusal::OtherUser | GitRefusal::Home | GitRefusal::Unusable, _) => String::new(),
        };
        let (dot_git, root) = (quoted(self.written(dot_git)), self.root());
        Some(format!("{dot_git} is ignored, since {why}: {instead} {root}{accepting}"))
    }

    /// The root of the project in use, with `~` for the home directory.
    pub fn project(&self) -> Option<String> {
        Some(self.written(self.world().project.as_deref()?))
    }

    /// Prints the warnings about the project's files, for commands without a plan to print them.
    pub fn warn_of_project(&self) {
        self.project_warnings.iter().for_each(|text| self.ui.warn(text));
    }

    /// The readers that this command runs, made the first time: their limits are for the whole command.
    pub fn readers_once(&self, make: impl FnOnce() -> Readers) -> Arc<Readers> {
        Arc::clone(self.readers.get_or_init(|| Arc::new(make())))
    }

    /// The files named by commands in the tree with this top, read at most once per invocation.
    pub fn scripts(&self, root: &Path) -> &Scripts {
        self.scripts.get_or_init(|| Scripts::of_tree(root, &launcher()))
    }

    /// The deadline for all of a block's git commands.
    pub fn git_deadline(&self) -> Instant {
        *self.git_deadline.get_or_init(git::deadline)
    }

    /// The directories and the clock.
    pub fn world(&self) -> &World {
        &self.environment.world
    }

    /// The form in which a list stores typed text: relative to the work root or, outside it, to the home
    /// directory or the root of the file system.
    ///
    /// # Errors
    /// A usage error, if it cannot be stored that way.
    pub fn kept_as(&self, typed: &str, scope: Scope) -> Result<Rooted, Error> {
        let invalid = |error| Error::usage(format!("Invalid path '{typed}': {error}"));
        let rooted = Rooted::of(typed, self.world()).map_err(invalid)?;
        // If a project may not name the path, the refusal shows it as typed.
        let is_refused = scope == Scope::Project && rooted.is_outside;
        if is_refused {
            return Ok(Rooted { text: typed.to_owned(), is_outside: true });
        }
        Ok(Rooted { text: self.stored_as(&rooted.text, scope), ..rooted })
    }

    /// The form in which a list stores an entry: `~/…` for an absolute path below the home directory or, in a
    /// project, a path relative to the project's root.
    pub fn stored_as(&self, path: &str, scope: Scope) -> String {
        let (mark, plain) = path.strip_prefix('!').map_or(("", path), |plain| ("!", plain));
        if scope == Scope::Project {
            let leads_there = plain.starts_with('~') || !Notation::HERE.root(plain).is_empty();
            let below = leads_there.then(|| Rooted::below(path, self.world())).flatten();
            return below.unwrap_or_else(|| path.to_owned());
        }
        format!("{mark}{}", with_tilde(plain, self.world().home.as_deref()))
    }

    /// What to type here for a stored path, quoted for a shell.
    pub fn word_for(&self, path: &str, scope: Scope) -> String {
        let is_kept = !scope.is_for_one_block();
        if is_kept { shell_word(&from_here(path, self.world())) } else { shell_word(path) }
    }

    /// The paths under which a list may contain a typed name, the likeliest first: the form in which it would
    /// be stored here, the name as typed (unless it names something else here), and its absolute path.
    pub fn spellings(&self, path: &str, scope: Scope) -> Vec<String> {
        let kept = self.kept_as(path, scope).ok().map(|kept| kept.text);
        let is_path = !path.starts_with('!') && !is_of_a_kind(path);
        let slashed = || if is_path { Notation::HERE.slashed(path).into_owned() } else { path.to_owned() };
        let typed = (!self.is_something_else_here(path)).then(slashed);
        let place = path_of(path, self.world()).ok().filter(|_| is_path);
        let whole = place.map(|place| self.stored_as(&Notation::HERE.shown(&place), scope));
        let labelled = DependencyName::spellings(path);
        kept.into_iter().chain(typed).chain(whole).chain(labelled).collect()
    }

    /// The name to type for an entry that covers part of the file `typed`, such as `src/a.rs:10-40`; `None`
    /// for any other entry.
    pub fn range_of(&self, typed: &str, entry: &Entry, scope: Scope) -> Option<String> {
        let is_same = || self.spellings(typed, scope).iter().any(|path| is_same_path(&entry.path, path));
        let part = Entry { path: typed.to_owned(), ..entry.clone() };
        (entry.attributes.is_partial() && is_same()).then(|| part.name().into_owned())
    }

    /// Whether a path relative to the work root also names something in the current directory.
    fn is_something_else_here(&self, path: &str) -> bool {
        let entry = entry_of(path.strip_prefix('!').unwrap_or(path), self.world());
        let at = |world: &World| real(path_of(&entry.path, world).ok()?).ok();
        let is_here = || at(self.world()).is_some_and(|here| Some(here) != at(&self.at_root));
        entry.is_relative() && is_here()
    }

    /// The path from here to an entry that was named relative to the work root, if that name means something
    /// else here.
    pub fn meant_from_root(&self, path: &str, list: &List) -> Option<String> {
        let is_meant = self.is_something_else_here(path) && list.position(path).is_some();
        is_meant.then(|| from_here(path, self.world()))
    }

    /// Adds a next step if a name is unknown: a similar name, or the existing names.
    pub fn with_near_name(&self, error: Error) -> Error {
        let Some(unknown) = &error.unknown else { return error };
        let texts = |names: Vec<ProfileName>| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (wanted, known, option) = match unknown {
            MissingName::Profile(name) => (name, texts(self.store.profiles().unwrap_or_default()), None),
            MissingName::History(name) => {
                (name, named_here(&self.store, &self.world().root), Some("--history="))
            }
            MissingName::List(name) => {
                (name, texts(self.store.todo_names().unwrap_or_default()), Some("--list "))
            }
        };
        let near = || nearest(wanted, known.iter().map(String::as_str)).map(hints::did_you_mean);
        // If no name was typed, the hint lists the existing ones.
        let option = option.filter(|_| wanted.as_str() == "default");
        let others = || option.and_then(|option| hints::there_are(&known, option));
        match near().or_else(others) {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// Says how to name a history if its name is a word of its own after `--history`.
    pub fn with_joined_history(&self, error: Error, word: Option<String>) -> Error {
        let known = || named_here(&self.store, &self.world().root);
        match word.filter(|word| known().contains(word)) {
            Some(name) => error.with_hint(format!("the name goes with an equals sign: --history={name}")),
            None => error,
        }
    }

    /// The profile name from the command line or the environment.
    fn profile_name(&self) -> Option<&str> {
        self.profile_option.as_deref().or(self.profile_variable.as_deref())
    }

    /// The profile in use: `--profile`, or `$CTX_PROFILE`, or the active one in this view of the store. Read
    /// everything else about it from the same view, since another command may rename the profile at any time.
    ///
    /// # Errors
    /// If the named profile does not exist or its name is invalid, or the store cannot be read.
    pub fn profile_in(&self, view: &View<'_>) -> Result<ProfileName, Error> {
        let Some(named) = self.profile_name() else { return Ok(view.active()?) };
        let checked = || {
            let name: ProfileName = named.parse()?;
            view.require_profile(&name)?;
            Ok(name)
        };
        checked().map_err(|error: StoreError| {
            let is_of_name = matches!(error.kind(), StoreErrorKind::Usage | StoreErrorKind::Refused);
            let origin = self.profile_variable.as_ref().filter(|_| is_of_name);
            let hint = origin.map(|_| "the name comes from $CTX_PROFILE");
            hint.into_iter().fold(error.into(), Error::and_hint)
        })
    }

    /// Which profile was chosen for this place, unless the command line or the environment names one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn choice_in(&self, view: &View<'_>) -> Result<Option<Choice>, StoreError> {
        self.profile_name().is_none().then(|| view.choice()).transpose()
    }

    /// The place for which a profile was chosen, in words; `None` if no profile was chosen, or only for
    /// everything outside repositories.
    pub fn chosen_for(&self, by: &ChosenFor) -> Option<String> {
        match by {
            ChosenFor::Nothing | ChosenFor::Outside => None,
            ChosenFor::Root(root) | ChosenFor::Before(root) => {
                Some(format!("chosen for {}", self.written(root)))
            }
            ChosenFor::Everywhere => Some("chosen for all repositories".to_owned()),
        }
    }

    /// A note that the profile was chosen for an earlier directory at the same path.
    pub fn note_of_choice(&self, choice: &Choice) -> Option<String> {
        let Choice { profile, by: ChosenFor::Before(root), .. } = choice else { return None };
        let root = self.written(root);
        Some(format!(
            "profile '{profile}' was chosen for an earlier directory at {root}; 'ctx switch {profile}' chooses it for \
             this one"
        ))
    }

    /// The profile named by `--profile` or `$CTX_PROFILE`, for commands that ignore a wrong `$CTX_PROFILE`.
    ///
    /// # Errors
    /// If the profile of `--profile` does not exist or its name is invalid, or the store cannot be read.
    pub fn named_in(&self, view: &View<'_>) -> Result<Option<ProfileName>, Error> {
        match self.profile_name() {
            None => Ok(None),
            Some(_) if self.profile_option.is_none() => Ok(self.profile_in(view).ok()),
            Some(_) => self.profile_in(view).map(Some),
        }
    }

    /// Checks the profile of `--profile` if the command itself does not use it.
    ///
    /// # Errors
    /// As [`App::named_in`].
    pub fn check_named(&self) -> Result<(), Error> {
        self.store.read(|view| self.named_in(view).map(|_| ()))
    }

    /// The profile named by `--profile` or `$CTX_PROFILE`, if the name is valid.
    pub fn named_profile(&self) -> Option<ProfileName> {
        self.profile_name()?.parse().ok()
    }

    /// Changes the list that a command works on. The profile is looked up under the lock, since another
    /// command may rename it before then. A first lookup, without the lock, makes sure that a wrong name
    /// leaves no trace.
    ///
    /// # Errors
    /// As for [`App::target_in`], and errors from `changing` or from changing the store.
    pub fn change<T>(
        &self,
        global: bool,
        mut changing: impl FnMut(&mut Transaction, &ListTarget) -> Result<T, Error>,
    ) -> Result<Changed<T>, Error> {
        self.store.read(|view| self.target_in(view, global).map(drop))?;
        self.update(&self.store, |store| {
            let target = self.target_in(&store.before()?, global)?;
            let value = changing(store, &target)?;
            Ok(Changed { target, value })
        })
    }

    /// Changes a store, and reports edits that the recovery of an interrupted change kept.
    ///
    /// # Errors
    /// Errors from `changing`, and from changing the store.
    pub fn update<T, E: From<StoreError>>(
        &self,
        store: &Store,
        mut changing: impl FnMut(&mut Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        self.warn_of_project();
        store.update(|store| {
            self.warn_of_kept_edits(store);
            changing(store)
        })
    }

    /// Warns about files that the recovery of an interrupted command left alone.
    pub fn warn_of_kept_edits(&self, store: &Transaction) {
        for path in store.kept_edits() {
            let path_shown = path.display();
            self.ui.warn(if path.parent().is_some_and(Path::exists) {
                format!(
                    "'{path_shown}' was edited after a command was interrupted: the edit is kept, and nothing from that command is removed"
                )
            } else {
                format!(
                    "a command that was interrupted could not finish '{path_shown}': its directory is gone; nothing from that command is removed"
                )
            });
        }
    }

    /// The list that a command works on, in this view of the store.
    ///
    /// # Errors
    /// Wrong usage if both `-g` and `--profile` are given; otherwise as for [`App::profile_in`].
    pub fn target_in(&self, view: &View<'_>, global: bool) -> Result<ListTarget, Error> {
        if global && self.profile_option.is_some() {
            return Err(Error::usage("--global cannot be used with --profile")
                .with_hint("the global list is part of every profile: use one or the other"));
        }
        if global { Ok(ListTarget::Global) } else { Ok(ListTarget::Profile(self.profile_in(view)?)) }
    }

    /// The directory of the count cache, if there is a place for it.
    pub fn cache_directory(&self) -> Option<PathBuf> {
        self.environment.cache_dir.as_ref().map(|directory| directory.join("ctx"))
    }

    /// The beginning of a command line for the same list, for hints: `ctx --profile api rm -g`.
    pub fn same_list(&self, command: &str, global: bool) -> String {
        let profile =
            self.profile_option.as_ref().map_or_else(String::new, |name| format!(" --profile {name}"));
        format!("ctx{profile} {command}{}", if global { " -g" } else { "" })
    }
}

/// How messages name a list: `profile 'api'` or `the global list`.
pub fn named(target: &ListTarget) -> String {
    match target {
        ListTarget::Global => "the global list".to_owned(),
        ListTarget::Profile(name) => format!("profile '{name}'"),
    }
}
