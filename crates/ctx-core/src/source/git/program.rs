//! The `git` program, run in such a way that it starts no configured program and fetches nothing.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::copy::WorkTreeCopy;
use super::error::{GitError, MOST_OUTPUT, TIMEOUT};
use super::index::IndexEntry;
use super::patch::{FileDiff, changes};
use super::query::{RevisionRange, excludes};
use crate::fs::real;
use crate::git::configuration::Configuration;
use crate::git::{Dirs, check_self_contained, own_repository};
use crate::process::{End, Finished, Invocation, Launcher, OwnProgram, Variables};
use crate::world::World;

/// The most bytes that git may write to list its index.
const MOST_LISTED: usize = 512 << 20;

/// How much private memory git may use, in bytes. Mapped packs and indexes do not count.
const MOST_MEMORY: u64 = 2 << 30;

/// The git variables that the user's environment may set; all others are removed.
const KEPT_VARIABLES: [&str; 3] = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/// The most settings in the environment that are examined.
const MOST_SETTINGS: usize = 1_000;

/// Settings that override every configuration file. Programs and transports are set in case an option on the
/// command line does not cover one.
const SETTINGS: [(&str, &str); 33] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.editor", ":"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.askPass", "false"),
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("safe.bareRepository", "explicit"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("log.showSignature", "false"),
    ("log.follow", "false"),
    ("log.showRoot", "true"),
    ("submodule.recurse", "false"),
    ("core.quotePath", "false"),
    // Only the tree decides which driver compares a file.
    ("core.attributesFile", "/dev/null"),
    ("attr.tree", ""),
    // Git would read these even for changes that they cannot affect, and might never finish.
    ("core.excludesFile", "/dev/null"),
    ("log.mailmap", "false"),
    ("core.abbrev", "12"),
    // Larger files are treated as binary, since comparing them would take unlimited memory.
    ("core.bigFileThreshold", "10m"),
    // This would write the index.
    ("diff.autoRefreshIndex", "false"),
    // A copy of the index is written as a whole.
    ("core.splitIndex", "false"),
    ("core.untrackedCache", "false"),
    ("diff.suppressBlankEmpty", "false"),
    ("diff.renameLimit", "1000"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("color.ui", "false"),
    ("advice.detachedHead", "false"),
];

pub(super) const PATCH: [&str; 19] = [
    "--patch",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--diff-merges=first-parent",
    "--no-color",
    "--no-color-moved",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=histogram",
    "--indent-heuristic",
    "--find-renames",
    "--no-relative",
    "--ws-error-highlight=none",
    // Order by name, regardless of diff.orderFile.
    "-O/dev/null",
    "--no-show-signature",
];

const MESSAGE: [&str; 9] = [
    "--no-patch",
    "--format=tformat:commit %H%nAuthor: %an%nDate:   %aI%n%n%w(0,4,4)%B",
    "--no-decorate",
    "--no-notes",
    "--no-mailmap",
    "--no-show-signature",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
];

/// How much of a log of messages is read, in bytes. Git is not asked to shorten messages: before version
/// 2.39.1, padding and truncating in its formats was not safe for messages of several gigabytes.
pub(super) const MOST_LOG: usize = 32 << 20;

/// The arguments for a log of messages and the files that each commit changed.
const CHANGED_FILES: [&str; 17] = [
    "-z",
    "--format=tformat:%x00%m%ct%x00%B%x00",
    "--name-only",
    "--left-right",
    "--no-merges",
    "--no-renames",
    "--no-relative",
    "--no-decorate",
    "--no-notes",
    "--no-mailmap",
    "--no-show-signature",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
    "--root",
    "-O/dev/null",
];

/// Git in one repository.
#[derive(Debug, Clone)]
pub struct Git<'a> {
    pub(super) launcher: &'a Launcher,
    program: OwnProgram,
    pub(super) repository: Dirs,
    pub(super) variables: Variables,
    settings: usize,
    /// The directory it runs in, which the paths of a query are relative to.
    pub(super) directory: PathBuf,
    pub(super) deadline: Instant,
    /// Whether executable bits count.
    pub(super) modes_count: bool,
    /// All defined filter drivers, by their names in git, which need not be UTF-8.
    pub(super) filters: BTreeSet<Vec<u8>>,
}

/// The deadline for git in a command that starts using it now.
#[must_use]
pub fn deadline() -> Instant {
    Instant::now() + TIMEOUT
}

impl<'a> Git<'a> {
    /// Opens the repository whose work tree has this top, and reads its configuration. No configured program
    /// is run, and nothing is started after the deadline.
    ///
    /// # Errors
    /// If there is no repository, it is not safe to read or git does not work with it, or git is not installed.
    pub fn open(
        root: &Path,
        world: &World,
        launcher: &'a Launcher,
        deadline: Instant,
    ) -> Result<Self, GitError> {
        let repository = own_repository(root, world)?;
        check_self_contained(&repository)?;
        // Git would wait for a pipe that a configuration file includes.
        Configuration::read(world, Some(&repository)).map_err(GitError::Unsafe)?;
        let program = OwnProgram::find("git", launcher, world)?;
        let mut variables = variables(launcher.variables(), &repository);
        program.confine(&mut variables);
        let mut git = Self {
            variables,
            settings: 0,
            launcher,
            program,
            repository,
            directory: root.to_owned(),
            deadline,
            modes_count: true,
            filters: BTreeSet::new(),
        };
        git.take_over_settings();
        for (name, value) in SETTINGS {
            git.set(name, value);
        }
        git.check_accepted()?;
        git.empty_drivers()?;
        Ok(git)
    }

    /// This git, with another deadline.
    pub(super) fn until(self, deadline: Instant) -> Self {
        Self { deadline, ..self }
    }

    /// This git, run in another directory of the work tree.
    pub(super) fn at(&self, directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..self.clone() }
    }

    /// Creates a copy of the work tree for a query.
    pub(super) fn copy(&self) -> io::Result<WorkTreeCopy<'a>> {
        WorkTreeCopy::new(&self.repository.root, self.launcher.scratch()?, self.deadline, self.modes_count)
    }

    /// This git, with a copy as its work tree.
    pub(super) fn on(&self, copy: &WorkTreeCopy<'_>, directory: &Path) -> io::Result<Self> {
        let mut git = self.clone();
        git.variables.set("GIT_WORK_TREE", copy.top());
        git.directory = copy.directory(directory)?;
        Ok(git)
    }

    /// Copies the files that differ from the index, and makes git treat all other files in these paths as
    /// unchanged.
    pub(super) fn take_changed(
        &mut self,
        copy: &mut WorkTreeCopy<'_>,
        paths: &[String],
    ) -> Result<(), GitError> {
        let own = || self.repository.git_dir.join("index");
        let index = self.variables.get("GIT_INDEX_FILE").map_or_else(own, PathBuf::from);
        self.variables.set("GIT_INDEX_FILE", copy.index());
        let Some(written) = copy.take_index(&index)? else { return Ok(()) };
        // If paths only exclude, or name attributes, git's other commands interpret them differently, so list
        // everything.
        let is_plain = paths.iter().all(|path| !path.starts_with(':'));
        let listing = self.listing(if is_plain { paths } else { &[] })?;
        let mut unchanged = Vec::new();
        let mut entries = IndexEntry::all(&listing);
        // The sides of a conflict follow each other.
        entries.dedup_by_key(|entry| entry.path);
        for entry in entries {
            if copy.take(&entry, written)? {
                unchanged.extend([entry.path, b"\0"].concat());
            }
        }
        copy.make_links()?;
        if !unchanged.is_empty() {
            let mark = ["update-index", "--assume-unchanged", "-z", "--stdin"];
            self.at(&copy.top()).answered(mark, &unchanged)?;
        }
        Ok(())
    }

    /// The files that the repository tracks, relative to its top. Only reads the index.
    ///
    /// # Errors
    /// If the deadline has passed or git fails.
    pub fn tracked(&self) -> Result<Vec<Vec<u8>>, GitError> {
        let answer = self.successful(["ls-files", "--cached", "--full-name", "-z", "--", ":/"])?;
        Ok(names_in(&answer))
    }

    /// The commit that a revision names.
    pub(super) fn resolve(&self, revision: &str) -> Result<String, GitError> {
        let commit = format!("{revision}^{{commit}}");
        let answer =
            self.run(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], &[], MOST_OUTPUT)?;
        match answer.end {
            End::Exited(0) => Ok(text_of(&answer)),
            End::Exited(_) | End::Signalled(_) | End::TimedOut => {
                Err(GitError::UnknownRevision { revision: revision.to_owned() })
            }
        }
    }

    /// The work tree compared with the index, or the changes in a range.
    pub(super) fn diff(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        range: Option<&RevisionRange>,
        paths: &[String],
    ) -> Result<Vec<FileDiff>, GitError> {
        let range = range.map(|range| self.resolve_range(range)).transpose()?;
        self.patch(copy, ["diff"], range.as_deref(), paths)
    }

    /// The index compared with the last commit.
    pub(super) fn staged(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        paths: &[String],
    ) -> Result<Vec<FileDiff>, GitError> {
        self.patch(copy, ["diff", "--cached"], None, paths)
    }

    /// The work tree compared with the last commit, or with nothing before the first one.
    pub(super) fn since_head(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        paths: &[String],
    ) -> Result<Vec<FileDiff>, GitError> {
        let base = match self.resolve("HEAD") {
            Err(GitError::UnknownRevision { .. }) => {
                text_of(&self.successful(["hash-object", "-t", "tree", "--stdin"])?)
            }
            resolved => resolved?,
        };
        self.patch(copy, ["diff"], Some(&base), paths)
    }

    /// The names that would match the paths of a query if they were tracked.
    pub(super) fn matching(
        &self,
        copy: &WorkTreeCopy<'_>,
        names: Vec<Vec<u8>>,
        paths: &[String],
    ) -> Result<Vec<Vec<u8>>, GitError> {
        if paths.is_empty() || names.is_empty() {
            return Ok(names);
        }
        let empty = text_of(&self.successful(["hash-object", "-t", "blob", "--stdin"])?);
        let mode = format!("100644 {empty} 0\t");
        let list: Vec<u8> = names.iter().flat_map(|name| [mode.as_bytes(), name, b"\0"].concat()).collect();
        let mut git = self.clone();
        git.variables.set("GIT_INDEX_FILE", copy.list());
        git.at(&copy.top()).answered(["update-index", "-z", "--index-info"], &list)?;
        let options = ["ls-files", "--cached", "--full-name", "-z", "--"];
        let everything = paths.iter().all(|path| excludes(path)).then_some(":/");
        let paths = everything.into_iter().chain(paths.iter().map(String::as_str));
        Ok(names_in(&git.successful(options.into_iter().chain(paths))?))
    }

    /// A commit's changes since its first parent.
    pub(super) fn commit(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        commit: &str,
        paths: &[String],
    ) -> Result<Vec<FileDiff>, GitError> {
        self.patch(copy, ["show", "--format="], Some(commit), paths)
    }

    /// A commit's message.
    pub(super) fn message(&self, commit: &str) -> Result<Vec<u8>, GitError> {
        let arguments = ["log", "-1"].into_iter().chain(MESSAGE).chain([commit, "--"]);
        Ok(without_trailing_blanks(&self.successful(arguments)?.output.head))
    }

    /// Commit messages; empty if there are no commits yet.
    pub(super) fn log(
        &self,
        most: u32,
        range: Option<&RevisionRange>,
        paths: &[String],
    ) -> Result<Vec<u8>, GitError> {
        let commits = match range {
            Some(range) => self.resolve_range(range)?,
            None => match self.resolve("HEAD") {
                Err(GitError::UnknownRevision { .. }) => return Ok(Vec::new()),
                head => head?,
            },
        };
        let most = format!("-{most}");
        let arguments = ["log", &most].into_iter().chain(MESSAGE).chain([commits.as_str(), "--"]);
        let answer = self.successful(arguments.chain(paths.iter().map(String::as_str)))?;
        Ok(without_trailing_blanks(&answer.output.head))
    }

    /// The names of the filter drivers that files would go through if filters were run.
    pub(super) fn filters_of(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        names: &[&[u8]],
    ) -> Result<BTreeSet<String>, GitError> {
        if self.filters.is_empty() || names.is_empty() {
            return Ok(BTreeSet::new());
        }
        let input = names.iter().flat_map(|name| [name, b"\0".as_slice()]).collect::<Vec<_>>().concat();
        copy.take_attributes(names.iter().copied())?;
        let answer = self.at(&copy.top()).answered(["check-attr", "--stdin", "-z", "filter"], &input)?;
        let values = answer.output.head.split(|byte| *byte == 0).skip(2).step_by(3);
        let values = values.filter(|value| self.filters.contains(*value));
        Ok(values.map(|value| String::from_utf8_lossy(value).into_owned()).collect())
    }

    /// The messages of the latest commits other than merges, each with the files that the commit changed, as
    /// far as they fit in [`MOST_LOG`] bytes: a NUL, the side, the seconds since 1970, a NUL, the message, two
    /// NULs and, if there are names, a newline and the names, each followed by a NUL. The side is `<` for commits
    /// on only the left side of a range like `a...b`, else `>`. Only reads trees.
    pub(super) fn changed_files(&self, commits: &str, most: usize) -> Result<Vec<u8>, GitError> {
        let most = format!("-{most}");
        let arguments = ["log", &most].into_iter().chain(CHANGED_FILES).chain([commits, "--"]);
        let answer = self.launcher.run_until(&self.invocation(arguments)?, MOST_LOG)?;
        if answer.output.head.len() >= MOST_LOG {
            // Git stopped only because the rest of its output was not read.
            return Ok(answer.output.head);
        }
        match answer.end {
            End::TimedOut => Err(GitError::TimedOut),
            End::Exited(0) => Ok(answer.output.head),
            End::Exited(_) | End::Signalled(_) => Err(failed(answer)),
        }
    }

    fn resolve_range(&self, range: &RevisionRange) -> Result<String, GitError> {
        match range {
            RevisionRange::One(revision) => self.resolve(revision),
            RevisionRange::Two { from, to, since_parting } => {
                let dots = if *since_parting { "..." } else { ".." };
                Ok(self.resolve(from)? + dots + &self.resolve(to)?)
            }
        }
    }

    fn patch<const N: usize>(
        &self,
        copy: &mut WorkTreeCopy<'_>,
        command: [&str; N],
        commits: Option<&str>,
        paths: &[String],
    ) -> Result<Vec<FileDiff>, GitError> {
        loop {
            let arguments = command.into_iter().chain(PATCH).chain(commits).chain(["--"]);
            let answer = self.successful(arguments.chain(paths.iter().map(String::as_str)))?;
            let mut changes = changes(&answer.output.head);
            let names = changes.iter().flat_map(|change| [Some(&change.path), change.old_path.as_ref()]);
            if copy.take_attributes(names.flatten().map(Vec::as_slice))? {
                continue;
            }
            changes.iter_mut().for_each(|change| copy.correct(&change.path, &mut change.text));
            return Ok(changes);
        }
    }

    /// The index entries of the files in these paths, with their recorded metadata.
    pub(super) fn listing(&self, paths: &[String]) -> Result<Vec<u8>, GitError> {
        let everything = [":/".to_owned()];
        let paths = if paths.is_empty() { &everything } else { paths };
        let options = ["ls-files", "--cached", "--stage", "--debug", "--full-name", "-z", "--"];
        let arguments = options.into_iter().chain(paths.iter().map(String::as_str));
        Ok(accepted(self.run(arguments, &[], MOST_LISTED)?)?.output.head)
    }

    pub(super) fn successful<'b>(
        &self,
        arguments: impl IntoIterator<Item = &'b str>,
    ) -> Result<Finished, GitError> {
        self.answered(arguments, &[])
    }

    pub(super) fn answered<'b>(
        &self,
        arguments: impl IntoIterator<Item = &'b str>,
        input: &[u8],
    ) -> Result<Finished, GitError> {
        accepted(self.run(arguments, input, MOST_OUTPUT)?)
    }

    /// Runs git within the deadline; its output may have at most `most` bytes.
    fn run<'b>(
        &self,
        arguments: impl IntoIterator<Item = &'b str>,
        input: &[u8],
        most: usize,
    ) -> Result<Finished, GitError> {
        let answer = self.launcher.run(&self.invocation(arguments)?, input, most)?;
        match answer.end {
            End::TimedOut => Err(GitError::TimedOut),
            End::Exited(_) | End::Signalled(_) if answer.output.omitted > 0 => Err(GitError::TooLarge),
            End::Exited(_) | End::Signalled(_) => Ok(answer),
        }
    }

    /// Prepares a run of git within the deadline.
    fn invocation<'b>(&self, arguments: impl IntoIterator<Item = &'b str>) -> Result<Invocation, GitError> {
        let timeout = self.deadline.saturating_duration_since(Instant::now());
        if timeout.is_zero() {
            return Err(GitError::TimedOut);
        }
        let mut variables = self.variables.clone();
        variables.set("GIT_CONFIG_COUNT", self.settings.to_string());
        let options = ["--no-pager", "--no-optional-locks"].into_iter();
        Ok(Invocation {
            program: self.program.name(),
            arguments: options.chain(arguments).map(OsString::from).collect(),
            directory: self.directory.clone(),
            variables,
            timeout: Some(timeout),
            memory: Some(MOST_MEMORY),
        })
    }

    /// Takes over the settings in the user's environment. They come first, since the last setting with a name
    /// applies.
    fn take_over_settings(&mut self) {
        let user = self.launcher.variables();
        let count = user.get("GIT_CONFIG_COUNT").and_then(OsStr::to_str).and_then(|count| count.parse().ok());
        for index in 0..count.unwrap_or(0).min(MOST_SETTINGS) {
            let part = |part: &str| user.get(&format!("GIT_CONFIG_{part}_{index}"));
            if let (Some(key), Some(value)) = (part("KEY"), part("VALUE")) {
                self.set(key, value);
            }
        }
    }

    /// Adds a setting that overrides those of all files. As it is passed in variables, its name may contain
    /// `=`.
    pub(super) fn set(&mut self, key: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.set(format!("GIT_CONFIG_KEY_{}", self.settings), key);
        self.variables.set(format!("GIT_CONFIG_VALUE_{}", self.settings), value);
        self.settings += 1;
    }

    /// Checks that git works with the repository, since some of its commands would otherwise continue without
    /// one.
    fn check_accepted(&self) -> Result<(), GitError> {
        self.successful(["rev-parse", "--git-dir"]).map(|_| ())
    }
}

/// The environment for git: none of git's own variables, except for those that name the user's configuration,
/// and variables that pin the repository, so that git does not look for one and ignores a configured work
/// tree.
fn variables(user: &Variables, repository: &Dirs) -> Variables {
    let mut variables = user.clone();
    variables.retain(|name| {
        !name.as_encoded_bytes().starts_with(b"GIT_") || KEPT_VARIABLES.iter().any(|kept| name == *kept)
    });
    variables.remove("LANGUAGE");
    variables.remove("SSH_ASKPASS");
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // An empty list: no transport at all, regardless of protocol.*.allow.
        ("GIT_ALLOW_PROTOCOL", ""),
        ("GIT_PROTOCOL_FROM_USER", "0"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        // A list of other parents for commits, which would rewrite history.
        ("GIT_GRAFT_FILE", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        // The user's own configuration may make git log what it does.
        ("GIT_TRACE2", "0"),
        ("GIT_TRACE2_EVENT", "0"),
        ("GIT_TRACE2_PERF", "0"),
    ] {
        variables.set(name, value);
    }
    variables.set("GIT_DIR", &repository.git_dir);
    variables.set("GIT_WORK_TREE", &repository.root);
    // In a hook of `git commit -a`, the index is another file in the git directory.
    if let Some(index) = user.get("GIT_INDEX_FILE") {
        let index = repository.root.join(index);
        if real(&index).is_ok_and(|index| index.starts_with(&repository.git_dir)) {
            variables.set("GIT_INDEX_FILE", index);
        }
    }
    variables
}

fn accepted(answer: Finished) -> Result<Finished, GitError> {
    match answer.end {
        End::Exited(0) => Ok(answer),
        End::Exited(_) | End::Signalled(_) | End::TimedOut => Err(failed(answer)),
    }
}

fn failed(answer: Finished) -> GitError {
    GitError::Failed { message: answer.last_error_line.unwrap_or_else(|| "git failed".to_owned()) }
}

/// Messages without the indentation that git adds to empty lines.
fn without_trailing_blanks(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| if line == b"    \n" { b"\n" } else { line }).copied().collect()
}

/// The names in git's output, each followed by a NUL.
fn names_in(answer: &Finished) -> Vec<Vec<u8>> {
    let names = answer.output.head.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

fn text_of(answer: &Finished) -> String {
    String::from_utf8_lossy(&answer.output.head).trim_end().to_owned()
}
