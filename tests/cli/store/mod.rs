//! The store as the library has it.

mod damage;
#[cfg(unix)]
mod disk;
mod profiles;
mod writers;
