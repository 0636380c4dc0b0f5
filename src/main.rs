//! The `ctx` program.

fn main() {}
