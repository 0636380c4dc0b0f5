#![doc = include_str!("../README.md")]

mod brace;
mod component;
mod css;
mod data;
mod elixir;
mod language;
mod lines;
mod lua;
mod markdown;
mod outline;
mod python;
mod ruby;
mod shell;

pub use language::Language;
pub use outline::{Declaration, Headed, Kind, Lines, Outline};

use lines::LineStarts;

/// The outline of `text`, which is source code in `language`.
///
/// Any text has an outline: code with syntax errors is read as far as its brackets, quotes and indentation
/// allow. If an outline would be longer than 90% of the text, the whole text is returned instead. Takes time
/// linear in the length of the text and constant stack space. The same text always has the same outline.
#[must_use]
pub fn outline(text: &str, language: Language) -> Outline<'_> {
    let lines = LineStarts::of(text);
    let findings = match language {
        Language::C
        | Language::Cpp
        | Language::CSharp
        | Language::Go
        | Language::Java
        | Language::JavaScript
        | Language::Kotlin
        | Language::Php
        | Language::Rust
        | Language::Scala
        | Language::Swift
        | Language::TypeScript => brace::BraceScanner::new(text, &lines, language).scan(),
        Language::Css => css::scan(text, &lines),
        Language::Elixir => elixir::scan(text, &lines),
        Language::Json => data::scan_json(text, &lines),
        Language::Lua => lua::scan(text, &lines),
        Language::Markdown => markdown::scan(text, &lines),
        Language::Python => python::scan(text, &lines),
        Language::Ruby => ruby::scan(text, &lines),
        Language::Shell => shell::scan(text, &lines),
        Language::Svelte | Language::Vue => component::scan(text, &lines, language),
        Language::Toml => data::scan_toml(text, &lines),
        Language::Yaml => data::scan_yaml(text, &lines),
    };
    Outline::new(text, lines, findings)
}
