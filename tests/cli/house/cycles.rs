//! No two files of a crate import each other, directly or through others.
//!
//! Follows every name and path in the code through `use` and re-exports to the file that defines the item. Doesn't
//! see items that a macro makes, methods, or traits imported only for their methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

use super::files_below;

/// A file of a crate, without its tests.
struct Source {
    name: String,
    body: String,
    /// The items that it defines at the left margin.
    items: BTreeSet<String>,
    /// The meanings of the names that it imports or re-exports.
    uses: BTreeMap<String, Vec<String>>,
}

/// The files of a crate by module path.
struct Crate(BTreeMap<Vec<String>, Source>);

/// The matches of the last group of a pattern.
fn matches<'t>(pattern: &str, text: &'t str) -> Vec<&'t str> {
    let last = |found: regex::Captures<'t>| found.iter().flatten().last().unwrap().as_str();
    Regex::new(pattern).unwrap().captures_iter(text).map(last).collect()
}

fn names(path: &str) -> Vec<String> {
    path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The paths in a `use` tree, with the names that they get.
fn leaves(tree: &str) -> Vec<(String, Vec<String>)> {
    let Some((before, inner)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = names(path);
        path.pop_if(|last| last == "self");
        let name =
            if name.is_empty() { path.last().cloned().unwrap_or_default() } else { name.trim().to_owned() };
        return vec![(name, path)];
    };
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for char in inner[..inner.rfind('}').unwrap()].chars() {
        depth += i32::from(char == '{') - i32::from(char == '}');
        if char == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(char);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(&format!("{before}{}", part.trim()))).collect()
}

impl Source {
    fn read(name: String, path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let text = Regex::new(r"(?m)^#\[cfg\([^\n]*test[^\n]*\n(pub )?mod \w+ \{")
            .unwrap()
            .split(&text)
            .next()
            .unwrap()
            .to_owned();
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let statement = r"(?m)^ *(?:pub(?:\([^)]*\))? )?use ([^;]+);";
        let uses = matches(statement, &code).into_iter().flat_map(leaves).collect();
        let item = r"(?m)^(?:pub(?:\([^)]*\))? )?(?:const |unsafe )*(?:fn|struct|enum|trait|type|static|const) (\w+)";
        let in_named = r"(?m)^    pub enum (\w+)";
        let items =
            [item, in_named].into_iter().flat_map(|item| matches(item, &code)).map(str::to_owned).collect();
        let body = Regex::new(statement).unwrap().replace_all(&code, "").into_owned();
        Self { name, body, items, uses }
    }
}

impl Crate {
    fn read(root: &Path) -> Self {
        let files = files_below(root).into_iter().filter_map(|path| {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let mut module: Vec<String> = name.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
            module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
            let is_test = module.iter().any(|part| part == "tests");
            (!is_test).then(|| (module, Source::read(name, &path)))
        });
        Self(files.collect())
    }

    /// The file that defines the item with this path in a module; `None` if the path is a module or belongs to
    /// another crate.
    fn home(&self, module: &[String], path: &[String]) -> Option<&str> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return self.home(&[], rest),
            "self" => return self.home(module, rest),
            "super" => return self.home(module.split_last()?.1, rest),
            _ => {}
        }
        let source = self.0.get(module)?;
        let child = [module, std::slice::from_ref(first)].concat();
        if !rest.is_empty() && self.0.contains_key(&child) {
            self.home(&child, rest)
        } else if source.items.contains(first) {
            Some(&source.name)
        } else {
            let meant = source.uses.get(first).filter(|meant| meant[0] != *first)?;
            self.home(module, &[meant, rest].concat())
        }
    }

    /// For each file, the others that it imports from.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let of = |(module, source): (&Vec<String>, &Source)| {
            let paths = matches(r"(\b[A-Za-z_]\w*(?:::\w+)*)", &source.body).into_iter().map(names);
            paths.filter_map(|path| self.home(module, &path)).filter(|other| *other != source.name).collect()
        };
        self.0.iter().map(|entry| (entry.1.name.as_str(), of(entry))).collect()
    }
}

/// What is left of these imports without those that are in no cycle.
fn cycles<'n>(mut imports: BTreeMap<&'n str, BTreeSet<&'n str>>) -> BTreeMap<&'n str, BTreeSet<&'n str>> {
    // A file that imports none of the others, or that none of the others import, isn't in a cycle.
    let is_free = |imports: &BTreeMap<&str, BTreeSet<&str>>, file: &str| {
        imports[file].is_empty() || !imports.values().any(|others| others.contains(file))
    };
    while let Some(free) = imports.keys().copied().find(|file| is_free(&imports, file)) {
        imports.remove(free);
        imports.values_mut().for_each(|others| others.retain(|other| *other != free));
    }
    imports
}

#[test]
fn files_of_a_crate_have_no_import_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "src",
        "crates/ctx-core/src",
        "crates/ctx-tokens/src",
        "crates/ctx-outline/src",
        "crates/ctx-search/src",
    ] {
        let sources = Crate::read(&root.join(name));
        let imports = sources.imports();
        assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 9, "{name}: {imports:?}");
        let cycles = cycles(imports);
        assert!(cycles.is_empty(), "{name}: {cycles:#?}");
    }
}

#[test]
fn modules_of_the_library_have_no_import_cycles() {
    let sources = Crate::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/ctx-core/src"));
    let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, others) in sources.imports() {
        let others = others.into_iter().map(module_of).filter(|other| *other != module_of(file));
        modules.entry(module_of(file)).or_default().extend(others);
    }
    // The crate's own file exports what the modules have.
    modules.remove("lib");
    modules.values_mut().for_each(|others| others.retain(|other| *other != "lib"));
    assert!(modules.len() > 30, "{modules:?}");
    let cycles = cycles(modules);
    assert!(cycles.is_empty(), "{cycles:#?}");
}

/// The module at the top of the library that a file belongs to.
fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}
