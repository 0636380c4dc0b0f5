//! Declarations and sections of files by name: `PATH#NAME`.

use serde_json::{Value, json};

use crate::support::{Sandbox, block_of};

const CODE: &str = "use std::fmt;

pub struct Header {
    name: String,
}

impl Header {
    /// Parses one.
    pub fn parse(text: &str) -> Self {
        Self { name: text.to_owned() }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

pub fn parse_header(text: &str) -> Header {
    Header::parse(text)
}
";

const PARSE: &str = "    /// Parses one.
    pub fn parse(text: &str) -> Self {
        Self { name: text.to_owned() }
    }
";

const PARSE_HEADER: &str = "pub fn parse_header(text: &str) -> Header {
    Header::parse(text)
}
";

const GUIDE: &str = "# The guide

Hello.

## How to `install` it

Unpack it.

### On a Mac

Click it.

## Use

Run it.
";

const INSTALL: &str = "## How to `install` it

Unpack it.

### On a Mac

Click it.
";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("src/lib.rs", CODE),
        ("docs/guide.md", GUIDE),
        ("a.py", "class Class:\n    def method(self):\n        pass\n\ndef method():\n    return 1\n"),
    ])
}

#[test]
fn names_are_accepted_as_people_qualify_them() {
    let sandbox = sandbox();
    for (path, label, text) in [
        ("src/lib.rs#parse_header", "src/lib.rs:20-22", PARSE_HEADER),
        ("./src/lib.rs#parse_header()", "src/lib.rs:20-22", PARSE_HEADER),
        ("src/lib.rs#Header::parse", "src/lib.rs:8-11", PARSE),
        ("src/lib.rs#Header.parse", "src/lib.rs:8-11", PARSE),
        ("src/lib.rs#Header/parse", "src/lib.rs:8-11", PARSE),
        ("src/lib.rs#Header#parse", "src/lib.rs:8-11", PARSE),
        ("src/lib.rs#lib::Header::parse", "src/lib.rs:8-11", PARSE),
        ("src/lib.rs#header.PARSE", "src/lib.rs:8-11", PARSE),
        ("docs/guide.md#how-to-install-it", "docs/guide.md:5-11", INSTALL),
        ("docs/guide.md#How to install it", "docs/guide.md:5-11", INSTALL),
        ("docs/guide.md#on-a-mac", "docs/guide.md:9-11", "### On a Mac\n\nClick it.\n"),
        ("docs/guide.md#the-guide/use", "docs/guide.md:13-15", "## Use\n\nRun it.\n"),
        ("a.py#Class.method", "a.py:2-3", "    def method(self):\n        pass\n"),
    ] {
        sandbox.ctx(["render", "--only", path]).stdout(block_of(&[(label, text)])).check();
    }
}

#[test]
fn everything_of_one_name_is_printed_in_the_order_of_the_file() {
    let sandbox = sandbox();
    let lines = |first: usize, last: usize| {
        CODE.split_inclusive('\n').skip(first - 1).take(last + 1 - first).collect::<String>()
    };
    sandbox
        .ctx(["render", "--only", "src/lib.rs#Header"])
        .stdout(block_of(&[
            ("src/lib.rs:3-5", &lines(3, 5)),
            ("src/lib.rs:7-12", &lines(7, 12)),
            ("src/lib.rs:14-18", &lines(14, 18)),
        ]))
        .check();
    sandbox
        .ctx(["render", "--only", "a.py#method", "a.py:1", "src/lib.rs#fmt"])
        .stdout(block_of(&[
            ("a.py:1-3", "class Class:\n    def method(self):\n        pass\n"),
            ("a.py:5-6", "def method():\n    return 1\n"),
            ("src/lib.rs:15-17", &lines(15, 17)),
        ]))
        .check();
}

#[test]
fn name_follows_its_declaration_wherever_that_moves() {
    let sandbox = sandbox();
    sandbox
        .ctx(["add", "src/lib.rs#parse_header"])
        .stderr("Added 'src/lib.rs#parse_header' to profile 'default': 1 file, 19 tokens\n")
        .check();
    assert_eq!(sandbox.stored_entries(), json!([{"path": "src/lib.rs", "name": "parse_header"}]));
    sandbox.ctx(["render"]).stdout(block_of(&[("src/lib.rs:20-22", PARSE_HEADER)])).check();
    sandbox.write("src/lib.rs", format!("//! Headers.\n\n{CODE}"));
    sandbox.ctx(["render"]).stdout(block_of(&[("src/lib.rs:22-24", PARSE_HEADER)])).check();
    sandbox.write("src/lib.rs", CODE.replace("parse_header", "parse_headers"));
    let reason = "it has no 'parse_header'; near: 'parse_headers', 'Header', 'parse'";
    sandbox
        .ctx(["render", "-p", "hi"])
        .stdout("hi\n")
        .stderr_has(&format!("'src/lib.rs#parse_header' ({reason})"))
        .check();
    sandbox.ctx(["render", "--strict", "-p", "hi"]).code(3).stderr_any().check();
    sandbox.ctx(["check"]).code(3).stdout_has(reason).stderr_any().check();
    sandbox.ctx(["show"]).stdout_has(&format!("    src/lib.rs#parse_header ({reason}")).stderr_any().check();
    sandbox.ctx(["explain", "src/lib.rs#parse_header"]).stdout_has(reason).stderr_any().check();
}

#[test]
fn names_that_name_nothing_are_an_error_with_the_near_ones() {
    let sandbox = sandbox();
    sandbox.write("notes.txt", "x\n");
    for (path, reason) in [
        ("src/lib.rs#parse_heder", "it has no 'parse_heder'; near: 'parse_header', 'parse'"),
        ("src/lib.rs#Display::parse", "it has no 'Display::parse'; near: 'parse', 'parse_header'"),
        ("docs/guide.md#instal", "it has no 'instal'; near: 'how-to-install-it'"),
        ("docs/guide.md#zzz", "it has no 'zzz'"),
        ("notes.txt#x", "in files of this kind, ctx finds nothing by name"),
    ] {
        sandbox
            .ctx(["render", "--only", path])
            .code(1)
            .stderr_has(&format!("error: '{path}': {reason}\n"))
            .check();
        sandbox.ctx(["ask", "why?", path]).code(1).stderr_has(&format!("'{path}': {reason}\n")).check();
        sandbox
            .ctx(["add", path])
            .code(1)
            .stderr(format!("error: Invalid path '{path}': {reason}\n"))
            .check();
    }
}

#[test]
fn names_that_name_nothing_keep_no_other_file_back() {
    let sandbox = sandbox();
    sandbox.write("notes.txt", "x\n");
    for (path, hint) in [
        ("src/lib.rs#parse_heder", "near: 'parse_header', 'parse'\n"),
        ("notes.txt#x", "ctx finds nothing by name\nhint: notes.txt:1-40 names lines of it\n"),
    ] {
        sandbox
            .ctx(["render", "--only", path, "docs/guide.md:1-1"])
            .code(1)
            .stdout_has("[docs/guide.md:1")
            .stderr_has(hint)
            .check();
        sandbox
            .ctx(["render", "--only", path, "docs/guide.md:1-1", "-p", "why?"])
            .code(1)
            .stderr_has(hint)
            .check();
    }
    sandbox.ctx(["render", "--only", "notes.txt#x", "src/lib.rs#zzz"]).code(1).stderr_any().check();
}

#[test]
fn name_in_a_missing_file_is_kept_in_the_hint() {
    let sandbox = sandbox();
    sandbox
        .ctx(["render", "--only", "src/lbi.rs#parse_header"])
        .code(1)
        .stderr(
            "error: no such file: 'src/lbi.rs#parse_header'\nhint: did you mean 'src/lib.rs#parse_header'?\n",
        )
        .check();
}

#[test]
fn only_a_file_can_come_before_a_name() {
    let sandbox = sandbox();
    let file = "a '#' and a name can only follow a file";
    for (path, reason) in [
        ("src#parse", format!("{file}, and this is a directory")),
        ("src/*.rs#parse", format!("{file}; write [#] if files have it in their names")),
    ] {
        for command in ["render", "add", "search"] {
            let words =
                [&[command][..], if command == "search" { &["parse"] } else { &[] }, &[path]].concat();
            sandbox.ctx(words).code(2).stderr_has(&format!("Invalid path '{path}': {reason}\n")).check();
        }
    }
    sandbox.ctx(["add", "up:AGENTS.md#rule"]).code(2).stderr_has("does not apply to 'up:AGENTS.md'").check();
    sandbox.ctx(["render", "up:AGENTS.md#rule"]).code(2).stderr_has(file).check();
}

#[test]
#[cfg_attr(windows, ignore = "Windows takes its names for something else")]
fn file_whose_name_looks_like_a_name_in_another_wins() {
    let sandbox = sandbox();
    for path in ["a.py#method", "c#/x.py"] {
        sandbox.write(path, "def here():\n    pass\n");
    }
    sandbox
        .ctx(["render", "--only", "a.py#method", "c#/x.py#here"])
        .stdout(block_of(&[
            ("a.py#method", "def here():\n    pass\n"),
            ("c#/x.py:1-2", "def here():\n    pass\n"),
        ]))
        .check();
    sandbox.ctx(["add", "a.py#method", "c#/x.py", "c#/x.py#here"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!(["a.py#method", "c#/x.py", {"path": "c#/x.py", "name": "here"}])
    );
    sandbox.ctx(["rm", "a.py#method", "c#/x.py#here"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!(["c#/x.py"]));
}

#[test]
fn entries_with_names_are_set_explained_exported_and_removed() {
    let sandbox = sandbox();
    sandbox.ctx(["add", "src/lib.rs#parse_header", "src/lib.rs#Header::parse"]).stderr_any().check();
    sandbox
        .ctx(["add", "./src/lib.rs#parse_header"])
        .stderr_has("'src/lib.rs#parse_header' already exists in the context")
        .check();
    sandbox.ctx(["set", "--pin", "src/lib.rs#parse_header"]).stderr_any().check();
    let taken = sandbox.ctx(["set", "--name", "parse_header", "src/lib.rs#Header::parse"]);
    taken.code(1).stderr_has("already exists").check();
    let unknown = sandbox.ctx(["set", "--name", "prase", "src/lib.rs#Header::parse"]);
    unknown.code(1).stderr_has("it has no 'prase'; near: 'parse'").check();
    sandbox.ctx(["set", "--name", "fmt", "--last", "src/lib.rs#Header::parse"]).stderr_any().check();
    assert_eq!(
        sandbox.stored_entries(),
        json!([{"path": "src/lib.rs", "pin": true, "name": "parse_header"}, {"path": "src/lib.rs", "name": "fmt"}])
    );
    sandbox.ctx(["show"]).stdout_has("    src/lib.rs#parse_header (1 match, 19 tokens, pinned)\n").check();
    sandbox
        .ctx(["explain", "src/lib.rs#parse_header"])
        .stdout_has("src/lib.rs#parse_header is printed whole")
        .stdout_has("matched by 'src/lib.rs#parse_header' (profile, literal, pinned)")
        .check();
    let exported = sandbox.ctx(["export"]).stdout_has("\"name\": \"fmt\"").check();
    sandbox.write("list.json", exported);
    sandbox.ctx(["rm", "src/lib.rs"]).code(1).stderr_has("src/lib.rs#parse_header").check();
    sandbox.ctx(["set", "--lines", "1-2", "src/lib.rs#fmt"]).stderr_any().check();
    sandbox.ctx(["set", "--name", "fmt", "src/lib.rs:1-2"]).stderr_any().check();
    sandbox.ctx(["rm", "src/lib.rs#parse_header", "src/lib.rs#fmt"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([]));
    sandbox.ctx(["import", "list.json"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[src/lib.rs:20-22]\n").check();
}

#[test]
fn names_are_relative_to_the_directory_where_they_are_typed() {
    let sandbox = sandbox();
    sandbox.repository();
    sandbox.ctx_in(&sandbox.path("src"), ["add", "lib.rs#Header/parse"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([{"path": "src/lib.rs", "name": "Header/parse"}]));
    sandbox.ctx_in(&sandbox.path("src"), ["rm", "lib.rs#Header/parse"]).stderr_any().check();
    assert_eq!(sandbox.stored_entries(), json!([]));
}

#[test]
fn prompts_refer_to_declarations() {
    let sandbox = sandbox();
    for (prompt, label, text) in [
        ("Does @src/lib.rs#parse_header work?", "src/lib.rs:20-22", PARSE_HEADER),
        ("(see @src/lib.rs#Header::parse.)", "src/lib.rs:8-11", PARSE),
        ("what is @src/lib.rs#parse_header()'s use", "src/lib.rs:20-22", PARSE_HEADER),
        ("@{docs/guide.md#How to install it}", "docs/guide.md:5-11", INSTALL),
        ("@src/lib.rs#L20-L22", "src/lib.rs:20-22", PARSE_HEADER),
        ("@docs/guide.md#12 is fixed", "docs/guide.md", GUIDE),
    ] {
        let block = format!("{}\n{prompt}\n", block_of(&[(label, text)]));
        sandbox.ctx(["render", "-p", prompt]).stdout(block).stderr_any().check();
    }
    sandbox
        .ctx(["render", "-p", "@src/lib.rs#parse_heder"])
        .stdout("@src/lib.rs#parse_heder\n")
        .stderr_has("it has no 'parse_heder'; near: 'parse_header'")
        .check();
    sandbox.ctx(["render", "--strict", "-p", "@src/lib.rs#prase"]).code(3).stderr_any().check();
}

#[test]
fn memory_files_import_sections() {
    let sandbox = sandbox();
    sandbox.write("CLAUDE.md", "Read @test.md#rule and @test.md#other, not @test.md#gone.\n");
    sandbox.write("test.md", "# Rule\n\nSee @docs/guide.md#use\n\n# Middle\n\n@a.py\n\n# Other\n\nx\n");
    sandbox.ctx(["add", "--imports", "CLAUDE.md"]).stderr_any().check();
    sandbox
        .ctx(["render"])
        .stdout(block_of(&[
            ("CLAUDE.md", "Read @test.md#rule and @test.md#other, not @test.md#gone.\n"),
            ("test.md:1-3", "# Rule\n\nSee @docs/guide.md#use\n"),
            ("docs/guide.md:13-15", "## Use\n\nRun it.\n"),
            ("test.md:9-11", "# Other\n\nx\n"),
        ]))
        .stderr_has("'test.md#gone'")
        .stderr_has("it has no 'gone'")
        .check();
}

#[test]
fn search_names_what_it_finds_and_the_name_finds_it_again() {
    let sandbox = sandbox();
    let filler: String = (0..60).map(|number| format!("pub fn other_{number}() {{}}\n")).collect();
    sandbox.write("src/lib.rs", format!("{CODE}{filler}"));
    let found = sandbox.ctx(["search", "-n", "1", "parse_header"]).stdout_any().check();
    let (_, quoted) = found.lines().next().unwrap().split_once("'").unwrap();
    assert_eq!(quoted, "src/lib.rs#parse_header'", "{found}");
    let json = sandbox.ctx(["search", "--json", "-n", "1", "click the Mac"]).stdout_any().check();
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["passages"][0]["name"], "on-a-mac", "{found}");
    sandbox
        .ctx(["render", "--only", "src/lib.rs#parse_header", "src/lib.rs:3-5"])
        .stdout_has("[src/lib.rs:3-5]\npub struct Header")
        .stdout_has(&format!("[src/lib.rs:20-22]\n{PARSE_HEADER}"))
        .check();
}

#[test]
fn shells_complete_the_names_in_a_file() {
    let sandbox = sandbox();
    let complete =
        |word: &str| sandbox.ctx(["--", "ctx", "render", word]).env("COMPLETE", "zsh").stdout_any().check();
    assert_eq!(complete("src/lib.rs#pa"), "values\nsrc/lib.rs#parse\nsrc/lib.rs#parse_header\n");
    assert_eq!(complete("docs/guide.md#on"), "values\ndocs/guide.md#on-a-mac\n");
    assert_eq!(complete("src/lib.rs"), "files\n");
}

#[test]
fn secrets_and_numbers_of_named_lines_are_those_of_the_file() {
    let sandbox = sandbox();
    let numbered = "20: pub fn parse_header(text: &str) -> Header {\n21:     Header::parse(text)\n22: }\n";
    sandbox
        .ctx(["render", "--only", "-n", "src/lib.rs#parse_header"])
        .stdout(block_of(&[("src/lib.rs:20-22", numbered)]))
        .check();
    sandbox.write("cells.ipynb", r##"{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# One\n\nx"}, {"cell_type": "markdown", "source": "# Two\n\ny"}]}"##);
    sandbox.ctx(["render", "--only", "cells.ipynb#two"]).stdout_has("# Two\n\ny").stdout_lacks("One").check();
}

#[test]
fn function_that_an_elixir_macro_quotes_is_found_as_one_outside_is() {
    let text = "defmodule Endpoint do\n  @callback static_lookup(path :: String.t()) :: String.t()\n\n  \
                defp server() do\n    quote do\n      @doc false\n      def static_lookup(path) do\n        \
                lookup(path)\n      end\n\n      def other, do: 1\n    end\n  end\nend\n";
    let sandbox = Sandbox::with(&[("endpoint.ex", text)]);
    sandbox
        .ctx(["render", "--only", "endpoint.ex#static_lookup"])
        .stdout_has("  @callback static_lookup(path :: String.t()) :: String.t()\n")
        .stdout_has("      @doc false\n      def static_lookup(path) do\n        lookup(path)\n      end\n")
        .stdout_lacks("other")
        .check();
    sandbox.ctx(["render", "--only", "endpoint.ex#server.other"]).stdout_has("def other, do: 1\n").check();
}
