//! The definition of the command line, and the files generated from it.

mod generated;

use clap::CommandFactory;

use super::{Command, SUMMARY, Top, definition};

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

#[test]
fn help_of_a_command_does_not_depend_on_other_commands() {
    let mut all = definition();
    all.build();
    let mut alone = 0;
    for among in all.get_subcommands() {
        let Some(definition) = Command::definition(among.get_name()) else { continue };
        let mut top = Top::command().subcommand_required(true).subcommand(definition);
        top.build();
        let definition = top.find_subcommand(among.get_name()).unwrap();
        let [alone_help, among_help] =
            [definition, among].map(|command| command.clone().render_long_help().to_string());
        assert_eq!(alone_help, among_help);
        alone += 1;
    }
    assert_eq!(alone, 7);
}
