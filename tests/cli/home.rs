//! The home directory as `~`.

use crate::support::Sandbox;

#[test]
fn a_tilde_in_the_place_of_the_store_is_the_home_directory() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    sandbox.ctx(["--store=~/one", "add", "a.md"]).stderr_any().check();
    sandbox.ctx(["add", "a.md"]).env("CTX_HOME", "~/two").stderr_any().check();
    for store in ["one", "two"] {
        assert!(sandbox.home().join(store).join("profiles/default.json").exists());
    }
    assert!(!sandbox.path("~").exists());
}
