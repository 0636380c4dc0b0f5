//! Which files git tracks.

/// Paths from the root of the tree, in their order.
#[derive(Debug, Clone, Default)]
pub struct Tracked(Vec<Vec<u8>>);

impl Tracked {
    /// Adds the files of one more repository.
    pub fn add(&mut self, mut paths: Vec<Vec<u8>>) {
        self.0.append(&mut paths);
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// Whether git tracks a file.
    pub fn contains(&self, path: &[u8]) -> bool {
        self.0.binary_search_by(|known| known.as_slice().cmp(path)).is_ok()
    }

    /// Those that are not among these paths, which are in their order.
    pub fn without<'a>(
        &'a self,
        mut others: impl Iterator<Item = &'a [u8]>,
    ) -> impl Iterator<Item = &'a [u8]> {
        let mut other = others.next();
        self.0.iter().map(Vec::as_slice).filter(move |path| {
            while other.is_some_and(|other| other < *path) {
                other = others.next();
            }
            other != Some(*path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_all_repositories_are_known_and_told_from_others() {
        let paths = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let mut tracked = Tracked::default();
        tracked.add(paths(&["a", "c", "n/x"]));
        tracked.add(paths(&["n/b", "b"]));
        assert!(tracked.contains(b"b") && tracked.contains(b"n/x") && !tracked.contains(b"n"));
        let others = ["a", "aa", "b", "n/x", "z"].map(str::as_bytes);
        assert_eq!(tracked.without(others.into_iter()).collect::<Vec<_>>(), [&b"c"[..], b"n/b"]);
        assert_eq!(tracked.without(std::iter::empty()).count(), 5);
    }
}
