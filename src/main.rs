//! The `ctx` program: everything is in the library, so that tests can reach the definition of the
//! command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ctx::cli::main()
}
