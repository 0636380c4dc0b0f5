//! The rules: one row per kind, with the source of its shape, secrets that must be found and text that must
//! stay.
//!
//! In an example, `{alnum 36}` stands for this many random characters, and the text between `«` and `»` is the
//! secret; without them, all of it is.

mod clouds;
mod forges;
mod models;
mod row;
mod services;
mod shapes;

use super::rules::SecretRule;
use row::{Row, assigned, custom, encoded, lone, row, tokens, values};

/// The table.
pub(super) const TABLE: [&[Row]; 5] =
    [clouds::ROWS, forges::ROWS, models::ROWS, services::ROWS, shapes::ROWS];

/// Every row.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.into_iter().flatten()
}

/// A rule for each anchor of each row.
pub(super) fn rules() -> impl Iterator<Item = SecretRule> {
    TABLE.into_iter().flatten().flat_map(|row| {
        row.finders.iter().flat_map(|finder| {
            finder.anchors.iter().map(|&anchor| SecretRule { anchor, kind: row.kind, shape: &finder.shape })
        })
    })
}
