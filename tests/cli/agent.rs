//! An agent with a shell finds an answer in sources that it doesn't know, without reading much.

use crate::readme::sources_of;
use crate::shells::{command, program};
use crate::support::{Sandbox, root};

/// The most tokens that the agent may read: the skill, a question, a search and a range together.
const MOST: u64 = 4_000;

#[test]
fn an_agent_finds_an_answer_within_a_few_thousand_tokens() {
    let Some(shell) = program("bash") else { return };
    let sandbox = Sandbox::new();
    sources_of("clap_builder", &sandbox);
    let script = root().join("tests/tools/agent");
    let question = "which suggestions does a misspelled argument get?";
    let mut agent = command(&sandbox, &shell, &[script.to_str().unwrap(), question, "did_you_mean"]);
    let ended = agent.current_dir(sandbox.path("clap_builder")).output().unwrap();
    let (answer, said) = (String::from_utf8(ended.stdout).unwrap(), String::from_utf8(ended.stderr).unwrap());
    assert!(ended.status.success(), "{said}");
    assert!(answer.contains("did_you_mean"), "{answer}");
    let tokens: u64 = said
        .trim()
        .strip_prefix("read ")
        .and_then(|rest| rest.strip_suffix(" tokens"))
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap();
    assert!((1_000..=MOST).contains(&tokens), "{said}");
}
