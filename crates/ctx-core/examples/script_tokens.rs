//! Counts the `o200k` tokens of each file named on standard input, by script, and prints one line of JSON per
//! file. Used by `tools/token-factors`.

#![allow(clippy::print_stdout, reason = "the lines are its answer")]

use std::collections::BTreeMap;
use std::io::{self, BufRead};

fn main() -> io::Result<()> {
    for path in io::stdin().lock().lines() {
        let text = std::fs::read_to_string(path?)?;
        let tokens: BTreeMap<&str, u64> = ctx_core::models::tokens_by_script(&text).into_iter().collect();
        println!("{}", serde_json::to_string(&tokens)?);
    }
    Ok(())
}
