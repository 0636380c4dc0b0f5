//! A row of the table, and helpers to write it.

use crate::guard::secrets::rules::{Body, Secret, SecretKind, Shape, Site};

/// A kind of secret.
pub(in super::super) struct Row {
    pub(in super::super) kind: SecretKind,
    /// How to find its secrets.
    pub(super) finders: &'static [Finder],
    /// The source that describes its shape.
    #[cfg(test)]
    pub(in super::super) source: &'static str,
    #[cfg(test)]
    pub(in super::super) examples: &'static [&'static str],
    #[cfg(test)]
    pub(in super::super) harmless: &'static [&'static str],
}

/// Anchors, and the shape that decides what follows.
pub(super) struct Finder {
    pub(super) anchors: &'static [&'static str],
    pub(super) shape: Shape,
}

macro_rules! row {
    ($kind:literal, source: $source:literal, rules: [$($finder:expr),+], examples: [$($example:literal),+],
        harmless: [$($harmless:literal),+ $(,)?] $(,)?) => {
        Row {
            kind: $crate::guard::secrets::SecretKind($kind),
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
pub(super) use row;

pub(super) const fn tokens(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Token(body) }
}

pub(super) const fn lone(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Lone(body) }
}

pub(super) const fn encoded(anchors: &'static [&'static str]) -> Finder {
    Finder { anchors, shape: Shape::Encoded }
}

pub(super) const fn values(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Value(body) }
}

pub(super) const fn assigned(anchors: &'static [&'static str], body: Body) -> Finder {
    Finder { anchors, shape: Shape::Assigned(body) }
}

pub(super) const fn custom(
    anchors: &'static [&'static str],
    check: fn(&Site<'_>) -> Option<Secret>,
) -> Finder {
    Finder { anchors, shape: Shape::Custom(check) }
}
