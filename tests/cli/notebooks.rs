//! Jupyter notebooks: the text of their cells, or the JSON with --raw.

use crate::support::Sandbox;

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn sandbox() -> Sandbox {
    let plot = "iVBORw0KGgo".repeat(1_000);
    let picture = format!("data:image/png;base64,{plot}");
    let notebook = serde_json::json!({
        "nbformat": 4, "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Sales\n", "By month"]},
            {"cell_type": "markdown", "metadata": {}, "source": [format!("![plot]({picture})\n"), "After"]},
            {"cell_type": "markdown", "metadata": {}, "source": "![attached](attachment:image.png)",
                "attachments": {"image.png": {"image/png": plot}}},
            {"cell_type": "code", "execution_count": 12, "metadata": {}, "source": ["plot(data)"], "outputs": [
                {"output_type": "stream", "text": [format!("token {TOKEN}\n"), format!("<img src='{picture}'>\n")]},
                {"output_type": "display_data", "data": {"image/png": plot, "text/plain": ["<Figure>"]}},
            ]},
        ],
    });
    Sandbox::with(&[("sales.ipynb", notebook.to_string().as_str()), ("broken.ipynb", "{\n")])
}

#[test]
fn notebook_is_rendered_as_its_cells_without_images_or_secrets() {
    sandbox()
        .ctx(["render", "--only", "sales.ipynb"])
        .stdout(
            "--- CONTEXT FILES BEGIN ---\n[sales.ipynb]\n# Sales\nBy month\n\n\
             ![plot](data:image/png;base64,[… 9 kB omitted …])\nAfter\n\n\
             ![attached](data:image/png;base64,[… 9 kB omitted …])\n\n```python In [12]\nplot(data)\n```\n\n\
             ```text\ntoken [REDACTED:github-token]\n<img src='data:image/png;base64,[… 9 kB omitted …]'>\n<Figure>\n\
             data:image/png;base64,[… 9 kB omitted …]\n```\n--- CONTEXT FILES END ---\n",
        )
        .stderr(
            "warning: 1 secret redacted in 1 file: 'sales.ipynb' (1 github-token)\n\
             note: 33 kB of embedded data omitted in 1 file: 'sales.ipynb' (33 kB); --allow data keeps it\n",
        )
        .check();
}

#[test]
fn raw_notebook_is_rendered_as_its_json() {
    sandbox()
        .ctx(["render", "-q", "--only", "--raw", "sales.ipynb"])
        .stdout_has("\"image/png\":\"iVBORw0KGgo")
        .stdout_lacks(TOKEN)
        .check();
}

#[test]
fn account_and_explain_identify_a_notebook() {
    let sandbox = sandbox();
    let record = |options: &[&str]| {
        let json = sandbox
            .ctx([&["show", "-q", "--json", "--only", "*.ipynb"], options].concat())
            .stdout_any()
            .check();
        let account: serde_json::Value = serde_json::from_str(&json).unwrap();
        account["files"].as_array().unwrap().clone()
    };
    let files = record(&[]);
    assert_eq!((&files[0]["path"], files[0].get("encoding")), (&"broken.ipynb".into(), None));
    assert_eq!(files[1]["encoding"], "Jupyter notebook");
    assert!(files[1]["whole_tokens"].as_u64() < Some(130));
    assert_eq!(record(&["--raw"])[1].get("encoding"), None);
    sandbox.ctx(["add", "-q", "sales.ipynb"]).check();
    sandbox.ctx(["explain", "sales.ipynb"]).stdout_has("  read as Jupyter notebook\n").check();
}

#[test]
fn lines_and_outlines_are_those_of_the_rendered_cells() {
    let sandbox = sandbox();
    let block = sandbox.ctx(["render", "--only", "sales.ipynb:9-11"]).stdout_any().check();
    assert!(block.contains("[sales.ipynb:9-11]\n```python In [12]\nplot(data)\n```\n"), "{block}");
    sandbox.ctx(["render", "-q", "--only", "--as", "outline", "sales.ipynb"]).stdout_has("# Sales\n").check();
}

#[test]
fn counts_of_cells_and_of_raw_json_are_cached_separately() {
    let sandbox = sandbox();
    for number in 0..40 {
        sandbox.write(&format!("more/{number}.ipynb"), sandbox.read("sales.ipynb"));
    }
    let render = ["render", "-q", "--only", "more/*.ipynb", "-b", "5k"];
    let before = sandbox.ctx(render).stdout_any().check();
    sandbox.ctx([&render[..], &["--raw", "-b", "1m"]].concat()).stdout_any().check();
    assert_eq!(sandbox.ctx(render).stdout_any().check(), before);
    assert_eq!(before.matches("plot(data)").count(), 40);
}
