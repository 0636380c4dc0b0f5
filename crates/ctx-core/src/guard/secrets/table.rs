//! The rules: one row a kind, with where its shape is described, secrets that must be found and texts
//! that must stay.
//!
//! In an example `{alnum 36}` stands for so many random characters, and what is between `«` and `»` is the
//! secret; without them it is all of it.

mod clouds;
mod forges;
mod models;
mod services;
mod shapes;

use super::kind::Kind;
use super::rules::{Body, Rule, Secret, Shape, Site};

/// A kind of secret.
pub(super) struct Row {
    pub(super) kind: Kind,
    /// How to find it.
    pub(super) finders: &'static [Finder],
    /// Where its shape is described.
    #[cfg(test)]
    pub(super) source: &'static str,
    #[cfg(test)]
    pub(super) examples: &'static [&'static str],
    #[cfg(test)]
    pub(super) harmless: &'static [&'static str],
}

/// Anchors, and the shape that decides about what stands there.
pub(super) struct Finder {
    anchors: &'static [&'static str],
    shape: Shape,
}

macro_rules! row {
    ($kind:ident, source: $source:literal, rules: [$($finder:expr),+], examples: [$($example:literal),+],
        harmless: [$($harmless:literal),+ $(,)?] $(,)?) => {
        Row {
            kind: Kind::$kind,
            finders: &[$($finder),+],
            #[cfg(test)]
            source: $source,
            #[cfg(test)]
            examples: &[$($example),+],
            #[cfg(test)]
            harmless: &[$($harmless),+],
        }
    };
}
use row;

const fn tokens(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Token(body) }
}

const fn lone(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Lone(body) }
}

const fn encoded(anchors: &'static [&'static str]) -> Finder {
    Finder { anchors, shape: Shape::Encoded }
}

const fn values(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Value(body) }
}

const fn assigned(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Assigned(body) }
}

const fn custom(anchors: &'static [&'static str], check: fn(&Site<'_>) -> Option<Secret>) -> Finder {
    Finder { anchors, shape: Shape::Custom(check) }
}

/// The table.
pub(super) const TABLE: [&[Row]; 5] =
    [clouds::ROWS, forges::ROWS, models::ROWS, services::ROWS, shapes::ROWS];

/// Every row.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.into_iter().flatten()
}

/// A rule for each anchor of each row.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    TABLE.into_iter().flatten().flat_map(|row| {
        row.finders.iter().flat_map(|finder| {
            finder.anchors.iter().map(|&anchor| Rule { anchor, kind: row.kind, shape: finder.shape })
        })
    })
}
