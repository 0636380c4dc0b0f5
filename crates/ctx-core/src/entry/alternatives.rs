//! Many patterns that are matched together, such as everything that the braces of one text stand for.
//!
//! Patterns share what they begin with, as in a tree of components. Names without wildcards and the
//! ends of names are looked up rather than tried one after the other, so that a path costs about the
//! same with a thousand patterns as with one.

use std::collections::HashMap;

use super::component::{Component, General};
use super::positions::Components;

/// Patterns as a tree: each way from its root to a step that [ends](Step::ends) is one of them.
#[derive(Debug)]
pub struct Alternatives {
    steps: Vec<Step>,
}

/// What may follow when the components so far have matched.
#[derive(Debug, Default)]
struct Step {
    /// Whether a pattern ends here.
    ends: bool,
    /// Whether this step is a `**`, which stays where it is for any name.
    stays: bool,
    recursive: Option<usize>,
    any: Option<usize>,
    literals: HashMap<Box<[u8]>, usize>,
    suffixes: Ends<usize>,
    generals: Ends<Vec<(General, usize)>>,
}

/// Values by what a name ends in.
#[derive(Debug, Default)]
struct Ends<V> {
    /// The lengths of all the ends, in bytes.
    lengths: Vec<usize>,
    values: HashMap<Box<[u8]>, V>,
}

impl Default for Alternatives {
    fn default() -> Self {
        Self { steps: vec![Step::default()] }
    }
}

impl Alternatives {
    const ROOT: usize = 0;

    /// Adds a pattern. One without components matches nothing.
    pub fn add(&mut self, components: &Components) {
        let last = components.iter().fold(Self::ROOT, |step, component| self.follow(step, component));
        self.steps[last].ends |= last != Self::ROOT;
    }

    /// The step behind `component`, which is made if there is none.
    fn follow(&mut self, step: usize, component: &Component) -> usize {
        let new = self.steps.len();
        let from = &mut self.steps[step];
        let next = match component {
            Component::Recursive | Component::Everything => *from.recursive.get_or_insert(new),
            Component::Any => *from.any.get_or_insert(new),
            Component::Literal(name) => *from.literals.entry(name.clone()).or_insert(new),
            Component::Suffix(end) => *from.suffixes.entry(end, || new),
            Component::General(general) => {
                let all = from.generals.entry(general.end(), Vec::new);
                match all.iter().find(|(known, _)| known == general) {
                    Some((_, next)) => *next,
                    None => {
                        all.push((general.clone(), new));
                        new
                    }
                }
            }
        };
        if next == new {
            self.steps.push(Step { stays: component.is_recursive(), ..Step::default() });
        }
        next
    }

    /// Whether any of the patterns excludes a path: matches it or a directory on the way to it.
    /// The same as [`Components::takes_out`] for each.
    #[must_use]
    pub fn take_out(&self, path: &[u8]) -> bool {
        let mut steps = Vec::new();
        self.reach(Self::ROOT, &mut steps);
        let mut next = Vec::new();
        path.split(|byte| *byte == b'/').any(|name| {
            let ended = steps.iter().any(|step| self.enter(*step, name, &mut next));
            next.sort_unstable();
            next.dedup();
            std::mem::swap(&mut steps, &mut next);
            next.clear();
            ended
        })
    }

    /// Adds the step, and the `**` after it, which may stand for no directory at all.
    fn reach(&self, step: usize, into: &mut Vec<usize>) {
        into.push(step);
        if let Some(recursive) = self.steps[step].recursive {
            self.reach(recursive, into);
        }
    }

    /// Adds the steps that `name` leads to, and says whether a pattern ends there.
    fn enter(&self, from: usize, name: &[u8], into: &mut Vec<usize>) -> bool {
        let step = &self.steps[from];
        let mut ends = false;
        let mut reach = |to: usize| {
            ends |= self.steps[to].ends;
            self.reach(to, into);
        };
        if step.stays {
            reach(from);
        }
        if let Some(any) = step.any {
            reach(any);
        }
        tried(usize::from(!step.literals.is_empty()));
        if let Some(literal) = step.literals.get(name) {
            reach(*literal);
        }
        step.suffixes.of(name).for_each(|to| reach(*to));
        for (general, to) in step.generals.of(name).flatten() {
            tried(1);
            if general.matches(name) {
                reach(*to);
            }
        }
        ends
    }
}

impl<V> Ends<V> {
    fn entry(&mut self, end: &[u8], new: impl FnOnce() -> V) -> &mut V {
        if !self.lengths.contains(&end.len()) {
            self.lengths.push(end.len());
        }
        self.values.entry(end.into()).or_insert_with(new)
    }

    fn of(&self, name: &[u8]) -> impl Iterator<Item = &V> {
        self.lengths.iter().filter_map(|length| {
            tried(1);
            self.values.get(&name[name.len().checked_sub(*length)?..])
        })
    }
}

#[cfg(not(test))]
fn tried(_components: usize) {}

#[cfg(test)]
fn tried(components: usize) {
    tests::TRIED.with(|all| all.set(all.get() + components));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::entry::pattern;

    thread_local! {
        /// How many components were looked up or tried on this thread.
        pub static TRIED: Cell<usize> = const { Cell::new(0) };
    }

    fn together(all: &[Components]) -> Alternatives {
        let mut alternatives = Alternatives::default();
        all.iter().for_each(|one| alternatives.add(one));
        alternatives
    }

    fn components(text: &str) -> Vec<Components> {
        let globs = pattern::exclusion(text).unwrap_or_default();
        globs.into_iter().map(|glob| glob.components).collect()
    }

    fn tried_for(text: &str, path: &str) -> usize {
        let alternatives = together(&components(text));
        TRIED.with(|all| all.set(0));
        assert!(!alternatives.take_out(path.as_bytes()), "{text} {path}");
        TRIED.with(Cell::get)
    }

    #[test]
    fn work_for_a_path_does_not_grow_with_the_alternatives() {
        let groups = "{a,b,c,d}".repeat(5);
        let path = "x/y/abcdz.rs";
        assert_eq!(components(&format!("**/*{groups}")).len(), 1024);
        assert_eq!(tried_for("**/*a", path), 3);
        assert_eq!(tried_for(&format!("**/*{groups}"), path), 3);
        assert_eq!(tried_for(&format!("**/{groups}"), path), 3);
        assert_eq!(tried_for(&format!("**/?{groups}"), path), 3);
        assert_eq!(tried_for("**/{a,b,c,d}/{a,b,c,d}/{a,b,c,d}/{a,b,c,d}/*.{a,b,c,d}", path), 3);
    }

    #[test]
    fn nothing_and_what_stands_for_nothing_take_out_nothing() {
        let nothing = Components::new(Vec::new()).unwrap();
        for alternatives in [together(&[]), together(&[nothing])] {
            assert!(!alternatives.take_out(b""));
            assert!(!alternatives.take_out(b"a/b"));
        }
    }

    fn pattern() -> impl Strategy<Value = String> {
        let pieces = ["a", "b", ".", "*", "?", "[ab]", "[!a]", "é", "{a,b}", "{,*.a}", "{a,b/*}"];
        let piece = prop::sample::select(pieces.to_vec());
        let component = prop_oneof![
            1 => Just("**".to_owned()),
            3 => prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat()),
        ];
        prop::collection::vec(component, 1..5).prop_map(|components| components.join("/"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn together_they_take_out_what_one_of_them_does(
            texts in prop::collection::vec(pattern(), 0..4),
            paths in prop::collection::vec("(/?[ab.é]{0,3}){1,5}", 1..8),
        ) {
            let all: Vec<Components> = texts.iter().flat_map(|text| components(text)).collect();
            let alternatives = together(&all);
            for path in &paths {
                let path = path.as_bytes();
                prop_assert_eq!(
                    alternatives.take_out(path),
                    all.iter().any(|one| one.takes_out(path)),
                    "{:?} {}", texts, path.escape_ascii()
                );
            }
        }
    }
}
