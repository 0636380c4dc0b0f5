//! The committed tables are byte for byte what the generator makes from the vocabularies.

#[path = "../examples/make_token_tables/tables.rs"]
mod tables;

use std::path::Path;

#[test]
fn committed_tables_match_the_generator() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables");
    for table in tables::all() {
        let committed = std::fs::read(directory.join(table.name)).expect("the table is committed");
        assert!(committed == table.bytes, "{} differs: run the generator", table.name);
    }
}
