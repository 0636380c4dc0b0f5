use crate::documented::block;
use crate::llm::tool;
use crate::shells::{output, program};
use crate::support::Sandbox;

/// Checks the prompt of a shell, with a sound store and with damaged ones.
fn check(shell: &str, print: &str, args: &[&str], plain: &str) {
    let Some(program) = program(shell) else { return };
    let script = block("prompt.md", &format!("{shell}, in"), shell);
    let script = print.replace("SCRIPT", &script);
    let prompt = |sandbox: &Sandbox| {
        let mut args = args.to_vec();
        args.extend(["-c", &script]);
        output(sandbox, &program, &args)
    };
    let sandbox = Sandbox::new();
    sandbox.ctx(["switch", "-c", "api"]).stderr_any().check();
    let shown = prompt(&sandbox);
    assert!(shown.contains("[ctx:api]") && shown.contains("\x1b[3") && shown.ends_with(plain), "{shown:?}");
    sandbox.write_store("state.json", "{damaged");
    assert_eq!(prompt(&sandbox), plain);
    sandbox.write_store("state.json", r#"{"profile": "gone"}"#);
    assert!(prompt(&sandbox).ends_with(plain));
}

#[test]
fn bash_shows_the_profile() {
    check("bash", "PS1='$ '\nSCRIPT\nprintf %s \"${PS1@P}\"", &["--norc"], "$ ");
}

#[test]
fn bash_keeps_the_status_of_the_last_command() {
    let print = "PS1='[$?]$ '\nSCRIPT\n(exit 7)\nprintf %s \"${PS1@P}\"";
    check("bash", print, &["--norc"], "[7]$ ");
}

#[test]
fn zsh_shows_the_profile() {
    check("zsh", "PROMPT='$ '\nSCRIPT\nprint -Pn -- $PROMPT", &["-f"], "$ ");
}

#[test]
fn fish_shows_the_profile() {
    check("fish", "function fish_prompt; printf '> '; end\nSCRIPT\nfish_prompt", &["--no-config"], "> ");
}

#[test]
fn starship_example_is_valid_toml() {
    let Some(python) = tool("python") else { return };
    let sandbox = Sandbox::new();
    sandbox.write("starship.toml", block("prompt.md", "starship, in", "toml"));
    let script =
        "import tomllib; print(tomllib.load(open('starship.toml', 'rb'))['custom']['ctx']['format'])";
    assert_eq!(output(&sandbox, &python, &["-c", script]), "[\\[ctx:$output\\]]($style) \n");
}
