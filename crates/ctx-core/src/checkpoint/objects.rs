//! Git as a mere object store: a bare repository of our own that no configuration affects, and a git that never
//! sees a path of the tree.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::entry::{Manifest, Mode, ObjectId, TreeEntry, TreePath};
use super::{Checkpoint, CheckpointError};
use crate::process::{Dialogue, End, Finished, Invocation, Launcher, OwnProgram, Variables};
use crate::store::{Lock, lines};

/// How long git may take for one step.
const TIMEOUT: Duration = Duration::from_secs(3_600);

/// How long to wait for a git whose command was killed, and the pause between two looks.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);

/// The most bytes that git may print in one run if its whole output is kept in memory.
const MOST_OUTPUT: usize = 1 << 30;

/// The beginning of the names of crash reports from `git fast-import`.
const CRASH: &str = "fast_import_crash_";

const CONFIGURATION: &str = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tsharedRepository = 0600\n[extensions]\n\tobjectformat = sha256\n";

/// Settings that override the configuration.
const SETTINGS: [(&str, &str); 13] = [
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.fsync", "all"),
    // These names are ordinary paths of the tree; only our own rule for `.git` applies.
    ("core.protectNTFS", "false"),
    ("core.protectHFS", "false"),
    ("core.quotePath", "true"),
    ("core.autocrlf", "false"),
    ("fastimport.unpackLimit", "0"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
];

/// The object store of one tree, for one command at a time.
#[derive(Debug)]
pub(super) struct Objects<'a> {
    directory: PathBuf,
    launcher: &'a Launcher,
    git: OwnProgram,
    /// Held while the store is used; `None` for a temporary store.
    _lock: Option<Lock>,
}

impl<'a> Objects<'a> {
    /// Opens an object store, and creates it if it does not exist.
    pub fn at(
        directory: PathBuf,
        launcher: &'a Launcher,
        git: OwnProgram,
        lock: Option<Lock>,
    ) -> Result<Self, CheckpointError> {
        let objects = Self { directory, launcher, git, _lock: lock };
        if !objects.directory.join("HEAD").exists() {
            for name in ["objects/pack", "objects/info", "refs/checkpoints"] {
                lines::create_private_directory(&objects.directory.join(name))?;
            }
            lines::replace(&objects.directory.join("config"), CONFIGURATION.as_bytes())?;
            lines::replace(&objects.directory.join("HEAD"), b"ref: refs/heads/none\n")?;
        }
        Ok(objects)
    }

    /// Creates a temporary store, which can read this one's objects, to compare with this one.
    pub fn beside(&self, directory: &Path) -> Result<Self, CheckpointError> {
        let objects = Self::at(directory.to_owned(), self.launcher, self.git.clone(), None)?;
        let mut from = self.directory.join("objects").into_os_string().into_encoded_bytes();
        from.push(b'\n');
        lines::replace(&directory.join("objects/info/alternates"), &from)?;
        Ok(objects)
    }

    /// Removes the remains of a killed git; only for the holder of the lock.
    pub fn sweep(&self) {
        let remove_if = |directory: &Path, is_left: fn(&str) -> bool| {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                if entry.file_name().to_str().is_some_and(is_left) {
                    // A file that cannot be removed does no harm.
                    let _ = fs::remove_file(entry.path());
                }
            }
        };
        remove_if(&self.directory, |name| name.starts_with(CRASH) || name.ends_with(".lock"));
        remove_if(&self.directory.join("refs/checkpoints"), |name| name.ends_with(".lock"));
        // A `.keep` file protects a pack that a running git is about to use, but no git is running here.
        let is_left = |name: &str| name.starts_with("tmp_") || name.ends_with(".keep");
        remove_if(&self.directory.join("objects/pack"), is_left);
        for directory in fs::read_dir(self.directory.join("objects")).into_iter().flatten().flatten() {
            remove_if(&directory.path(), |name| name.starts_with("tmp_"));
        }
    }

    /// Waits until no other git is about to use a pack, and removes what it left if that takes too long.
    pub fn wait_for_kept_packs(&self) {
        let directory = self.directory.join("objects/pack");
        let is_kept = |entry: fs::DirEntry| entry.path().extension().is_some_and(|kind| kind == "keep");
        let are_kept = || fs::read_dir(&directory).into_iter().flatten().flatten().any(is_kept);
        let last = Instant::now() + LONGEST_WAIT;
        while are_kept() && Instant::now() < last {
            thread::sleep(PAUSE);
        }
        self.sweep();
    }

    /// The size of the contents in bytes.
    pub fn used(&self) -> u64 {
        let directories = fs::read_dir(self.directory.join("objects")).into_iter().flatten().flatten();
        let files =
            directories.flat_map(|directory| fs::read_dir(directory.path()).into_iter().flatten().flatten());
        files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
    }

    /// The existing packs.
    pub fn packs(&self) -> BTreeSet<OsString> {
        let entries = fs::read_dir(self.directory.join("objects/pack")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).collect()
    }

    /// Removes all packs except these; nothing uses the ones added since.
    pub fn remove_packs_but(&self, packs: &BTreeSet<OsString>) {
        for name in self.packs().difference(packs) {
            let _ = fs::remove_file(self.directory.join("objects/pack").join(name));
        }
    }

    /// Runs an import.
    pub fn import(&self, stream: &mut dyn Dialogue) -> Result<Finished, CheckpointError> {
        let arguments = ["fast-import", "--quiet", "--force", "--date-format=raw"];
        let mut finished = self.launcher.converse(&self.invocation(&arguments), stream)?;
        if let Some(reason) = self.crash() {
            finished.last_error_line = Some(reason);
        }
        Ok(finished)
    }

    /// Why git crashed, according to the report that it left, which is then removed.
    fn crash(&self) -> Option<String> {
        let reports = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let is_report =
            |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(CRASH.as_bytes());
        let path = reports.into_iter().find(is_report)?.path();
        let report = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        report.lines().find(|line| line.starts_with("fatal: ")).map(str::to_owned)
    }

    /// All paths of a tree.
    ///
    /// # Errors
    /// If an object is missing or a path is not valid in a tree.
    pub fn manifest(&self, tree: ObjectId) -> Result<Manifest, CheckpointError> {
        let listed =
            self.run("list a checkpoint", &["ls-tree", "-r", "-z", "--full-tree", &tree.to_string()])?;
        let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines
            .map(|line| parse_line(line).ok_or_else(|| failed("list a checkpoint", "a path is damaged")))
            .collect()
    }

    /// Whether the store has these contents.
    pub fn has(&self, id: ObjectId) -> bool {
        self.run("look for contents", &["cat-file", "-e", &id.to_string()]).is_ok()
    }

    /// Reads contents in the order of the requests, and compares each with its name.
    ///
    /// # Errors
    /// If one is missing or does not match its name, or if `each` returns an error.
    pub fn read(
        &self,
        ids: &[ObjectId],
        each: impl FnMut(ObjectId, &[u8]) -> Result<(), CheckpointError>,
    ) -> Result<(), CheckpointError> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut reading = ObjectReading { ids, asked: 0, answered: 0, buffer: Vec::new(), each, error: None };
        let finished =
            self.launcher.converse(&self.invocation(&["cat-file", "--batch", "--buffer"]), &mut reading)?;
        match (reading.error, finished.end) {
            (Some(error), _) => Err(error),
            (None, End::Exited(0)) if reading.answered == ids.len() => Ok(()),
            (None, _) => Err(failure("read a checkpoint", &finished)),
        }
    }

    /// The differences between two trees, as git prints them.
    pub fn diff(
        &self,
        from: ObjectId,
        to: ObjectId,
        stat: bool,
        paths: &[TreePath],
    ) -> Result<Vec<u8>, CheckpointError> {
        let (from, to) = (from.to_string(), to.to_string());
        let form = if stat { "--stat" } else { "--patch" };
        let options = [
            "diff-tree",
            "-r",
            form,
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--find-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "-O/dev/null",
            &from,
            &to,
            "--",
        ];
        let mut invocation = self.invocation(&options);
        invocation.arguments.extend(paths.iter().map(|path| path.to_path().into_os_string()));
        self.finish("compare", &invocation, &[])
    }

    /// Frees the space that none of these checkpoints uses.
    pub fn prune(&self, kept: &[&Checkpoint]) -> Result<(), CheckpointError> {
        // The list decides, whatever happened to the references.
        let reference = |checkpoint: &&Checkpoint| {
            format!("update refs/checkpoints/{} {}\n", checkpoint.number, checkpoint.tree)
        };
        let input: String = kept.iter().map(reference).collect();
        self.finish("free space", &self.invocation(&["update-ref", "--stdin"]), input.as_bytes())?;
        let kept: BTreeSet<String> = kept.iter().map(|checkpoint| checkpoint.number.to_string()).collect();
        for entry in fs::read_dir(self.directory.join("refs/checkpoints")).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_none_or(|name| !kept.contains(name)) {
                let path = entry.path();
                fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))?;
            }
        }
        self.run("free space", &["repack", "-a", "-d", "-q", "--no-write-bitmap-index"])?;
        self.run("free space", &["prune", "--expire=now"])?;
        self.remove_unlisted();
        Ok(())
    }

    /// Removes packs that git doesn't use because it was killed before it listed their contents. Everything that
    /// is needed is in another pack.
    fn remove_unlisted(&self) {
        for entry in fs::read_dir(self.directory.join("objects/pack")).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|kind| kind == "pack") && !path.with_extension("idx").exists() {
                // A pack that can't be removed does no harm.
                let _ = fs::remove_file(path);
            }
        }
    }

    fn run(&self, doing: &'static str, arguments: &[&str]) -> Result<Vec<u8>, CheckpointError> {
        self.finish(doing, &self.invocation(arguments), &[])
    }

    fn finish(
        &self,
        doing: &'static str,
        invocation: &Invocation,
        input: &[u8],
    ) -> Result<Vec<u8>, CheckpointError> {
        let finished = self.launcher.run(invocation, input, MOST_OUTPUT)?;
        match finished.end {
            End::Exited(0) if finished.output.omitted == 0 => Ok(finished.output.head),
            End::Exited(_) | End::Signalled(_) | End::TimedOut => Err(failure(doing, &finished)),
        }
    }

    fn invocation(&self, arguments: &[&str]) -> Invocation {
        let mut variables = variables(self.launcher.variables(), &self.directory);
        self.git.confine(&mut variables);
        Invocation {
            program: self.git.name(),
            arguments: arguments.iter().map(OsString::from).collect(),
            directory: self.directory.clone(),
            variables,
            timeout: Some(TIMEOUT),
            memory: None,
        }
    }
}

/// The error for a git command that failed, with git's own message.
pub(super) fn failure(doing: &'static str, finished: &Finished) -> CheckpointError {
    failed(doing, finished.last_error_line.as_deref().unwrap_or("it ended without a message"))
}

fn failed(doing: &'static str, message: &str) -> CheckpointError {
    CheckpointError::Git { doing, message: message.to_owned(), changed: false }
}

/// The environment for git: none of git's own variables, and nothing from the user's configuration.
fn variables(user: &Variables, directory: &Path) -> Variables {
    let mut variables = user.clone();
    variables.retain(|name| !name.as_encoded_bytes().starts_with(b"GIT_"));
    variables.remove("LANGUAGE");
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", ""),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_LITERAL_PATHSPECS", "1"),
    ] {
        variables.set(name, value);
    }
    for name in ["GIT_DIR", "HOME", "XDG_CONFIG_HOME"] {
        variables.set(name, directory);
    }
    variables.set("GIT_CONFIG_COUNT", SETTINGS.len().to_string());
    for (index, (key, value)) in SETTINGS.into_iter().enumerate() {
        variables.set(format!("GIT_CONFIG_KEY_{index}"), key);
        variables.set(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    variables
}

/// Parses `100644 blob ID<TAB>PATH`.
fn parse_line(line: &[u8]) -> Option<(TreePath, TreeEntry)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut fields = line[..tab].split(|byte| *byte == b' ');
    let (mode, _, id) = (Mode::parse(fields.next()?)?, fields.next()?, ObjectId::parse(fields.next()?)?);
    Some((TreePath::new(&line[tab + 1..])?, TreeEntry { mode, id }))
}

/// A conversation with `git cat-file --batch`.
struct ObjectReading<'a, F> {
    ids: &'a [ObjectId],
    asked: usize,
    answered: usize,
    buffer: Vec<u8>,
    each: F,
    error: Option<CheckpointError>,
}

impl<F: FnMut(ObjectId, &[u8]) -> Result<(), CheckpointError>> ObjectReading<'_, F> {
    /// Takes complete answers from the buffer: `ID blob LENGTH`, a newline, the bytes, a newline.
    fn answer(&mut self) -> Result<(), CheckpointError> {
        let mut at = 0;
        while let Some(end) = self.buffer[at..].iter().position(|byte| *byte == b'\n') {
            let Some(&id) = self.ids.get(self.answered) else { return Err(damaged()) };
            let header = format!("{id} blob ");
            let line = &self.buffer[at..at + end];
            let length = line.strip_prefix(header.as_bytes()).and_then(|text| std::str::from_utf8(text).ok());
            let length: usize = length.and_then(|text| text.parse().ok()).ok_or_else(damaged)?;
            let start = at + end + 1;
            let Some(bytes) = self.buffer.get(start..start + length + 1) else { break };
            let bytes = &bytes[..length];
            if ObjectId::of_blob(bytes) != id {
                return Err(damaged());
            }
            (self.each)(id, bytes)?;
            self.answered += 1;
            at = start + length + 1;
        }
        self.buffer.drain(..at);
        Ok(())
    }
}

fn damaged() -> CheckpointError {
    failed("read a checkpoint", "an object is missing or damaged")
}

impl<F: FnMut(ObjectId, &[u8]) -> Result<(), CheckpointError>> Dialogue for ObjectReading<'_, F> {
    fn next_input(&mut self) -> Option<Vec<u8>> {
        if self.error.is_some() || self.asked == self.ids.len() {
            return None;
        }
        let end = self.ids.len().min(self.asked + 256);
        let input = self.ids[self.asked..end].iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        self.asked = end;
        Some(input)
    }

    fn take_output(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.buffer.extend_from_slice(bytes);
            self.error = self.answer().err();
        }
    }
}
