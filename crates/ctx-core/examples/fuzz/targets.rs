//! The targets, and what must hold for every input.

use std::cell::RefCell;
use std::fs;
use std::time::SystemTime;

use ctx_core::entry::Allowed;
use ctx_core::entry::pattern::{self, Glob};
use ctx_core::guard::{clean, reveal, secrets};
use ctx_core::models::Tokenizer;
use ctx_core::store::{ListTarget, StoreErrorKind};
use ctx_core::{Budget, Context, Entry, Format, Store, StoreError, Trim, World};
use tempfile::TempDir;
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

use crate::blocks;

/// Code that reads untrusted input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Store,
    Pattern,
    Splitter,
    Sanitiser,
    Render,
}

impl Target {
    pub const ALL: [Self; 5] = [Self::Store, Self::Pattern, Self::Splitter, Self::Sanitiser, Self::Render];

    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Pattern => "pattern",
            Self::Splitter => "splitter",
            Self::Sanitiser => "sanitiser",
            Self::Render => "render",
        }
    }

    /// The directory of the inputs.
    pub fn corpus(self) -> &'static str {
        match self {
            Self::Store => "stores",
            Self::Pattern => "patterns",
            Self::Splitter | Self::Sanitiser | Self::Render => "texts",
        }
    }

    /// Checks what must hold for this input; the error describes the first violation.
    pub fn check(self, input: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(input);
        match self {
            Self::Store => store(input),
            Self::Pattern => patterns(&text),
            Self::Splitter => splitter(&text),
            Self::Sanitiser => sanitiser(&text),
            Self::Render => render(input),
        }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

thread_local! {
    /// One directory for all inputs: creating it takes longer than using it.
    static PLACE: RefCell<TempDir> = RefCell::new(TempDir::new().expect("a temporary directory"));
}

fn in_place<T>(work: impl FnOnce(&std::path::Path) -> T) -> T {
    PLACE.with_borrow(|place| work(place.path()))
}

/// A damaged store file is refused and left unchanged; any other one survives a change.
fn store(input: &[u8]) -> Result<(), String> {
    in_place(|place| {
        let root = place.join("store");
        fs::create_dir_all(root.join("profiles")).map_err(|error| error.to_string())?;
        let path = root.join("global.json");
        fs::write(&path, input).map_err(|error| error.to_string())?;
        let store = Store::at(root);
        let added = Entry::new("an entry that no input has");
        let change = |added: Entry| store.update(|t| t.list_mut(&ListTarget::Global)?.add(added.clone()));
        match store.global() {
            Err(error) => {
                ensure(error.kind() == StoreErrorKind::Damaged, || error.to_string())?;
                let refused = change(added).is_err_and(|error| error.kind() == StoreErrorKind::Damaged);
                ensure(refused, || "a damaged file is changed".to_owned())?;
                ensure(fs::read(&path).is_ok_and(|bytes| bytes == input), || "it was rewritten".to_owned())
            }
            Ok(mut list) => {
                match change(added.clone()) {
                    Err(StoreError::Unstorable { .. }) => return Ok(()),
                    changed => changed.map_err(|error| error.to_string())?,
                }
                list.paths.push(added);
                let again = store.global().map_err(|error| error.to_string())?;
                let [again, list] = [again, list].map(|list| serde_json::to_value(list).unwrap_or_default());
                ensure(again == list, || format!("{again} is not {list}"))
            }
        }
    })
}

fn patterns(text: &str) -> Result<(), String> {
    const PATHS: [&[u8]; 6] = [b"a", b"a/b", b".a/b.rs", b"a/b/c/d/e/f.md", b"\xff/x", b""];
    let _ = pattern::parse(text);
    for globs in [pattern::globs(text), pattern::exclusion(text)] {
        let Ok(globs) = globs else { continue };
        ensure(globs.len() <= 1024, || format!("{} expansions", globs.len()))?;
        for glob in &globs {
            let first: Vec<bool> = PATHS.iter().map(|path| glob.matches(path)).collect();
            let again: Vec<bool> = PATHS.iter().map(|path| glob.matches(path)).collect();
            ensure(first == again, || "a match is not repeatable".to_owned())?;
        }
    }
    let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let plain = !name.is_empty() && !text.contains(['\\', '\0']);
    ensure(!plain || Glob::literal(text).matches(name.as_bytes()), || "a literal is not itself".to_owned())
}

fn splitter(text: &str) -> Result<(), String> {
    let oracles = [(Tokenizer::O200K, o200k_base_singleton()), (Tokenizer::CL100K, cl100k_base_singleton())];
    for (tokenizer, oracle) in oracles {
        let expected = oracle.encode_ordinary(text).len() as u64;
        let counted = tokenizer.count(text);
        ensure(counted == expected, || format!("{counted} {tokenizer} tokens, not {expected}"))?;
        let measure = tokenizer.measure(text);
        let parts = measure.core.map(|core| {
            tokenizer.count(&text[..core.start]) + core.tokens + tokenizer.count(&text[core.end..])
        });
        ensure([measure.tokens, parts.unwrap_or(expected)] == [expected; 2], || {
            format!("{parts:?} {tokenizer} tokens in three parts, not {expected}")
        })?;
        for limit in [0, 1, expected / 2, expected.saturating_sub(1), expected] {
            let prefix = tokenizer.prefix_within(text, limit);
            let fits = text.get(..prefix).is_some_and(|prefix| tokenizer.count(prefix) <= limit);
            ensure(fits, || format!("the prefix of {prefix} bytes is over {limit} {tokenizer} tokens"))?;
            let at_most = tokenizer.at_most(text, limit);
            ensure(at_most == Some(expected).filter(|tokens| *tokens <= limit), || format!("{at_most:?}"))?;
        }
    }
    Ok(())
}

fn sanitiser(text: &str) -> Result<(), String> {
    let once = clean(text.to_owned(), Allowed::default());
    let twice = clean(once.as_str().to_owned(), Allowed::default());
    ensure(twice == once.as_str().to_owned().into(), || format!("{once:?} becomes {twice:?}"))?;
    ensure(reveal(&once).is_none(), || "hidden text is left".to_owned())?;
    ensure(secrets::redact(&once).is_none(), || "a secret is left".to_owned())
}

/// The first bytes of the input decide how it is printed and where it is split into files.
fn render(input: &[u8]) -> Result<(), String> {
    let decision = input.iter().take(4).fold(0_usize, |all, byte| all * 7 + usize::from(*byte));
    in_place(|place| {
        let directory = place.join("project");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        let size = 1 + input.len() / (1 + decision % 5);
        for (number, text) in input.chunks(size).enumerate() {
            let name = ["a", "b.rs", "c.md", "--- CONTEXT FILES END ---", "e`"].get(number).unwrap_or(&"z");
            fs::write(directory.join(name), text).map_err(|error| error.to_string())?;
        }
        let world = World {
            root: directory.clone(),
            cwd: directory,
            home: None,
            project: None,
            git: ctx_core::world::GitEnvironment::default(),
            now: SystemTime::UNIX_EPOCH,
            threads: 1,
        };
        [None, Some(decision as u64 % 500)].into_iter().try_for_each(|limit| block(decision, limit, &world))
    })
}

fn block(decision: usize, limit: Option<u64>, world: &World) -> Result<(), String> {
    let context = Context::new()
        .entry(Entry::new("*"))
        .budget(limit.map_or(Budget::Unlimited, Budget::Tokens))
        .trim(Trim::ALL[decision % Trim::ALL.len()])
        .format(Format::ALL[decision % Format::ALL.len()])
        .guard(decision.is_multiple_of(3))
        .line_numbers(decision.is_multiple_of(11));
    let plan = context.plan(world).map_err(|error| error.to_string())?;
    let Ok(printable) = plan.block() else {
        return ensure(limit.is_some(), || "nothing fits in no limit".to_owned());
    };
    let mut block = Vec::new();
    printable.write(&mut block).map_err(|error| error.to_string())?;
    let block = String::from_utf8(block).map_err(|error| error.to_string())?;
    let account = serde_json::to_value(plan.account()).map_err(|error| error.to_string())?;
    blocks::check(&block, &account, |block| o200k_base_singleton().encode_ordinary(block).len() as u64)
}
