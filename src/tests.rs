//! The definition of the command line, and the files generated from it.

mod generated;

use clap::Command;

use super::{definition, help};

#[test]
fn first_page_names_ten_commands_in_24_lines_and_the_second_the_others() {
    assert!(help::FIRST.lines().count() <= 24, "{}", help::FIRST);
    let first = commands_on(help::FIRST);
    assert_eq!(first.len(), 10, "{first:?}");
    let more = help::more(&definition());
    let more = commands_on(&more);
    for command in definition().get_subcommands() {
        let name = command.get_name();
        assert_eq!(first.contains(&name), help::EVERY_DAY.contains(&name), "{name}");
        assert_ne!(first.contains(&name), more.contains(&name), "{name}");
    }
}

/// The commands in the first column of a page.
fn commands_on(page: &str) -> Vec<&str> {
    let indented = page.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let columns = indented.filter(|column| !column.starts_with("ctx "));
    columns
        .flat_map(|column| column.split([' ', ',']).take_while(|word| word.len() < 12))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Each command with the words that run it.
fn all_commands() -> Vec<(String, Command)> {
    let mut all = help::compact(definition());
    all.build();
    let mut commands = Vec::new();
    for command in all.get_subcommands().filter(|command| command.get_name() != "help") {
        let parts = command.get_subcommands().filter(|part| part.get_name() != "help" && !part.is_hide_set());
        commands.push((command.get_name().to_owned(), command.clone()));
        commands
            .extend(parts.map(|part| (format!("{} {}", command.get_name(), part.get_name()), part.clone())));
    }
    commands
}

#[test]
fn help_of_every_command_fits_100_lines() {
    for (name, mut command) in all_commands() {
        let help = command.render_help().to_string();
        assert!(help.lines().count() <= 100, "{name}: {help}");
    }
}

#[test]
fn option_of_an_example_is_in_the_help_of_its_command() {
    let commands = all_commands();
    let mut seen = 0;
    let examples: Vec<String> =
        commands.iter().filter_map(|(_, command)| Some(command.get_after_help()?.to_string())).collect();
    for line in examples.iter().flat_map(|examples| examples.lines()) {
        // What follows `--` or `|` is another program, and what follows two blanks explains the line.
        let Some((_, typed)) = line.trim_start().split_once("ctx ") else { continue };
        let typed = typed.split("  ").next().unwrap_or_default();
        let words: Vec<&str> = typed.split(' ').take_while(|word| !["--", "|", ">"].contains(word)).collect();
        let names = [words.iter().take(2).copied().collect::<Vec<_>>().join(" "), words[0].to_owned()];
        let found = names.iter().find_map(|name| commands.iter().find(|(known, _)| known == name));
        let Some((_, command)) = found else { continue };
        let help = command.clone().render_help().to_string();
        for option in words.iter().filter(|word| word.starts_with('-') && word.len() > 1) {
            let option = option.split('=').next().unwrap_or_default();
            let is_shown = help.split([' ', ',', '[', '\n']).any(|word| word == option);
            assert!(is_shown, "{line}: {option} is not in\n{help}");
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}
