//! Programs that settings name.

use std::ffi::OsString;
use std::path::Path;

use super::app::App;
use super::environment::launcher;
use ctx_core::fs::expanded;
use ctx_core::tree::Tree;

/// The program that a setting names, unless others could have put it into the tree: if PATH finds one there, the first
/// program of this name outside the tree. `None` if there is none outside.
pub fn own_program(app: &App, program: &str) -> Option<OsString> {
    let (world, launcher) = (app.world(), launcher());
    let home = world.home.as_deref();
    let name = expanded(Path::new(program), home).into_os_string();
    let tree = Tree::around(world);
    let is_own = |path: &Path| !tree.may_have_filled(path, home);
    let first = launcher.programs().find(&name, &world.cwd);
    if first.is_none_or(|path| is_own(&path)) {
        return Some(name);
    }
    launcher.programs().find_accepted(&name, &world.cwd, is_own).map(Into::into)
}
