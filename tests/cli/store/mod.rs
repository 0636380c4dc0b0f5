//! The store, tested through the library.

mod damage;
#[cfg(unix)]
mod disk;
mod profiles;

use ctx_core::store::ProfileName;

fn name(text: &str) -> ProfileName {
    text.parse().unwrap()
}
