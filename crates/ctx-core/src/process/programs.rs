//! Where programs are found.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The absolute directories of `PATH`. An empty or relative one could lead to programs in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    directories: Vec<PathBuf>,
}

impl Programs {
    /// The directories in the value of `PATH`.
    #[must_use]
    pub fn in_path(path: &OsStr) -> Self {
        Self { directories: env::split_paths(path).filter(|directory| directory.is_absolute()).collect() }
    }

    /// Those in the directories that `accepts`.
    #[must_use]
    pub fn only_in(&self, accepts: impl Fn(&Path) -> bool) -> Self {
        let directories = self.directories.iter().filter(|directory| accepts(directory));
        Self { directories: directories.cloned().collect() }
    }

    /// The value of `PATH` with only these directories; `None` if there are none.
    #[must_use]
    pub fn path(&self) -> Option<OsString> {
        if self.directories.is_empty() { None } else { env::join_paths(&self.directories).ok() }
    }

    /// The file for a program's name: the first one of that name in the directories; a name with a separator is a
    /// path relative to `directory`.
    #[must_use]
    pub fn find(&self, program: &OsStr, directory: &Path) -> Option<PathBuf> {
        self.find_accepted(program, directory, |_| true)
    }

    /// Like [`Programs::find`], but skips files that `accepts` refuses.
    pub fn find_accepted(
        &self,
        program: &OsStr,
        directory: &Path,
        accepts: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        let is_path = Path::new(program).components().count() > 1
            || program.as_encoded_bytes().iter().any(|byte| std::path::is_separator(char::from(*byte)));
        if program.is_empty() {
            return None;
        }
        if is_path {
            return runnable(directory.join(program)).filter(|path| accepts(path));
        }
        let found = self.directories.iter().filter_map(|directory| runnable(directory.join(program)));
        found.into_iter().find(|path| accepts(path))
    }
}

impl Programs {
    /// Whether a file of that name exists where [`Programs::find`] looks, even if it is not a program.
    #[must_use]
    pub fn is_there(&self, program: &OsStr, directory: &Path) -> bool {
        let is_path =
            program.as_encoded_bytes().iter().any(|byte| std::path::is_separator(char::from(*byte)));
        if program.is_empty() {
            false
        } else if is_path {
            directory.join(program).exists()
        } else {
            self.directories.iter().any(|directory| directory.join(program).is_file())
        }
    }
}

/// The extensions of runnable files, if they matter, in the order in which they are tried.
const ENDINGS: &[&str] = if cfg!(windows) { &["exe", "com", "bat", "cmd"] } else { &[] };

/// The path if it is a program, or else the path with an extension that makes it one.
fn runnable(path: PathBuf) -> Option<PathBuf> {
    let is_ending = |ending: &OsStr| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    if (ENDINGS.is_empty() || path.extension().is_some_and(is_ending)) && is_program(&path) {
        return Some(path);
    }
    ENDINGS.iter().find_map(|ending| {
        let mut name = path.clone().into_os_string();
        name.push(".");
        name.push(ending);
        Some(PathBuf::from(name)).filter(|path| is_program(path))
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(path: &Path, mode: u32) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn path_keeps_only_its_absolute_directories() {
        let programs = Programs::in_path(OsStr::new(":/bin:.:node_modules/.bin:/usr/bin:"));
        assert_eq!(programs.path().unwrap(), "/bin:/usr/bin");
        assert_eq!(Programs::in_path(OsStr::new(".:")).path(), None);
    }

    #[test]
    fn name_without_separator_is_searched_for_only_in_the_path() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path();
        program(&root.join("here/tool"), 0o755);
        program(&root.join("first/tool"), 0o644);
        program(&root.join("second/tool"), 0o755);
        fs::create_dir_all(root.join("second/directory")).unwrap();
        let programs = Programs::in_path(
            &env::join_paths([".", "first", "second"].map(|name| root.join(name))).unwrap(),
        );
        let here = root.join("here");
        assert_eq!(programs.find(OsStr::new("tool"), &here), Some(root.join("second/tool")));
        assert_eq!(programs.find(OsStr::new("./tool"), &here), Some(here.join("./tool")));
        for absent in ["", "directory", "other", "./other", "../first/tool"] {
            assert_eq!(programs.find(OsStr::new(absent), &here), None, "{absent}");
        }
    }
}
