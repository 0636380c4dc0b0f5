//! Regenerates `src/tables`: `cargo run --release -p ctx-tokens --example make_token_tables`.

mod tables;

use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables");
    tables::all().iter().try_for_each(|table| std::fs::write(directory.join(table.name), &table.bytes))
}
