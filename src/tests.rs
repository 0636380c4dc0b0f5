//! The definition of the command line, and the files generated from it.

mod generated;

use super::{SUMMARY, definition};

#[test]
fn the_summary_names_every_command_in_24_lines() {
    assert!(SUMMARY.lines().count() <= 24, "{SUMMARY}");
    for command in definition().get_subcommands() {
        let name = command.get_name();
        let is_named =
            |line: &str| line.chars().take(24).collect::<String>().split([' ', ',']).any(|word| word == name);
        assert!(SUMMARY.lines().any(is_named), "{name}");
    }
}
