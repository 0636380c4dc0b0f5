//! This crate is empty: see the manifest.
