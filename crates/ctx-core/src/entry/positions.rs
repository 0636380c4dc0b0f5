//! How much of a pattern a path has matched.
//!
//! Matching runs one component at a time over a set of positions, so it is linear in the pattern whatever its
//! wildcards, and at each directory a walk knows whether anything below can match.

use std::ops::Deref;

use super::component::Component;

/// The components of a pattern, no more than [`Positions`] can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components(Box<[Component]>);

/// Whether a leading dot must be matched by a component that begins with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dots {
    /// A leading dot must be matched by a dot; the rule for selecting.
    Literal,
    /// A leading dot is an ordinary character; the rule for excluding.
    Plain,
}

impl Components {
    /// The most components.
    pub const CAPACITY: usize = u128::BITS as usize;

    /// These components; `None` if there are more than [`Components::CAPACITY`].
    #[must_use]
    pub fn new(components: Vec<Component>) -> Option<Self> {
        (components.len() <= Self::CAPACITY).then(|| Self(components.into()))
    }

    /// One component.
    #[must_use]
    pub fn one(component: Component) -> Self {
        Self(Box::new([component]))
    }

    /// These components with others in front; `None` if that makes more than [`Components::CAPACITY`].
    #[must_use]
    pub fn after(&self, first: impl Iterator<Item = Component>) -> Option<Self> {
        Self::new(first.chain(self.iter().cloned()).collect())
    }

    /// Whether they match the whole path, which has `/` as the separator.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        self.match_all(path, Dots::Literal)
    }

    /// Like [`Components::matches`], but with this rule for leading dots.
    #[must_use]
    pub fn match_all(&self, path: &[u8], dots: Dots) -> bool {
        let mut positions = Positions::start(self);
        let (directories, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&path[..0], path),
        };
        if !directories.is_empty() {
            for directory in directories.split(|byte| *byte == b'/') {
                positions = positions.enter(self, directory, dots);
            }
        }
        positions.accepts(self, name, dots)
    }

    /// Whether they exclude a path: they match it or one of its parent directories.
    #[must_use]
    pub fn takes_out(&self, path: &[u8]) -> bool {
        let mut positions = Positions::start(self);
        path.split(|byte| *byte == b'/').any(|name| {
            let matched = positions.accepts(self, name, Dots::Plain);
            positions = positions.enter(self, name, Dots::Plain);
            matched
        })
    }
}

impl Deref for Components {
    type Target = [Component];

    fn deref(&self) -> &[Component] {
        &self.0
    }
}

/// How far the directories entered so far have led into a pattern: a set of component indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions(u128);

impl Positions {
    /// The positions before any directory. An empty alternative, as in `{a,}`, has no starting position.
    #[must_use]
    pub fn start(components: &Components) -> Self {
        Self(if components.is_empty() { 0 } else { close(components, 1) })
    }

    /// The positions after entering the directory `name`.
    #[must_use]
    pub fn enter(self, components: &Components, name: &[u8], dots: Dots) -> Self {
        let hidden = dots == Dots::Literal && name.first() == Some(&b'.');
        let mut next = 0;
        for index in self.indices() {
            let component = &components[index];
            if hidden && !component.is_dotted() {
                continue;
            }
            if component.is_recursive() {
                next |= 1 << index;
            } else if index + 1 < components.len() && component.matches(name) {
                next |= 1 << (index + 1);
            }
        }
        Self(close(components, next))
    }

    /// Whether the whole pattern matches `name` in the directory entered last.
    #[must_use]
    pub fn accepts(self, components: &Components, name: &[u8], dots: Dots) -> bool {
        let Some(last) = components.last() else { return false };
        let hidden = dots == Dots::Literal && name.first() == Some(&b'.');
        self.at_last(components) && (!hidden || last.is_dotted()) && last.matches(name)
    }

    /// Whether the last component is next to match.
    #[must_use]
    pub fn at_last(self, components: &Components) -> bool {
        self.0 >> (components.len().saturating_sub(1)) & 1 == 1
    }

    /// Whether nothing from here on can match.
    #[must_use]
    pub fn is_dead(self) -> bool {
        self.0 == 0
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(index)
        })
    }
}

/// A `**` may match no directory at all, except at the end, where it matches at least a file.
fn close(components: &Components, positions: u128) -> u128 {
    let mut closed = positions;
    for (index, component) in components.iter().enumerate() {
        if component.is_recursive() && closed >> index & 1 == 1 && index + 1 < components.len() {
            closed |= 1 << (index + 1);
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_at_most_128_components() {
        let all = Components::new(vec![Component::Any; 128]).unwrap();
        assert!(all.matches(("a/".repeat(127) + "a").as_bytes()));
        assert!(!all.matches(("a/".repeat(126) + "a").as_bytes()));
        assert!(all.takes_out(("a/".repeat(200) + "a").as_bytes()));
        assert_eq!(Components::new(vec![Component::Any; 129]), None);
        assert_eq!(all.after(std::iter::once(Component::Any)), None);
        assert_eq!(
            Components::one(Component::Any).after(std::iter::repeat_n(Component::Any, 127)),
            Some(all)
        );
    }
}
