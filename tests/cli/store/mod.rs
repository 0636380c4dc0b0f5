//! The store as the library has it.

mod damage;
#[cfg(unix)]
mod disk;
mod profiles;

use ctx_core::store::ProfileName;

fn name(text: &str) -> ProfileName {
    text.parse().unwrap()
}
