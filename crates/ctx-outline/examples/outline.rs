//! Prints the outline of each named file or, with `--declarations`, its declarations.
//!
//!     cargo run --example outline -- [--declarations] FILE…

use ctx_outline::{Language, outline};
use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut show_declarations = false;
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        if path == "--declarations" {
            show_declarations = true;
            continue;
        }
        let Some(language) = Language::of_path(&path) else {
            writeln!(out, "{path}: no scanner for this language")?;
            continue;
        };
        let text = std::fs::read_to_string(&path)?;
        let outline = outline(&text, language);
        if show_declarations {
            for found in outline.declarations() {
                writeln!(
                    out,
                    "{path}:{}-{}: {:?} {}",
                    found.lines.first, found.lines.last, found.kind, found.name
                )?;
            }
        } else {
            out.write_all(outline.render().as_bytes())?;
        }
    }
    Ok(())
}
