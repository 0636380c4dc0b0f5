use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::Error;
use crate::options::{JsonOption, parsed};
use crate::trust::{Ground, same_digest};
use ctx_core::trust::{Fingerprint, StoredLists, TrustItem, Trusted, digest};
use ctx_core::words::counted;

/// Allow stored commands to run in this repository
///
/// A stored command runs only where you trust it: in this repository and its linked worktrees or, outside a
/// repository, in this directory. It isn't trusted in a copy or a clone. You have to trust it again in
/// another directory, if the command or its attributes change, or if a file that it names changes: a word that is
/// the path of a file in the repository, or the program itself. What the command runs or reads on its own, such
/// as a Makefile, is trusted with it. `ctx add cmd:…` trusts what it adds.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx trust --dry-run           show what needs trust, and a digest of all of it
  ctx trust                     trust all of it
  ctx trust DIGEST              trust it only if it is still the same
  ctx trust --remove            stop trusting anything here
  ctx render --trust DIGEST     trust it for one render, for instance in CI")]
pub struct Trust {
    /// Trust only if the items that need trust still have this digest
    #[arg(value_name = "DIGEST", value_parser = parsed::<Fingerprint>)]
    digest: Option<Fingerprint>,

    /// Print the items that need trust without trusting them
    #[arg(long)]
    dry_run: bool,

    /// Stop trusting anything in this repository
    #[arg(long, conflicts_with_all = ["digest", "dry_run", "json"])]
    remove: bool,

    #[command(flatten)]
    json: JsonOption,
}

impl Trust {
    /// Trusts, prints, or stops trusting.
    pub fn run(self, app: &App) -> Result<(), Error> {
        let ground = Ground::around(app)?;
        if self.remove {
            let forgotten = match ground.file(app)? {
                Some(file) => file.forget(&ground.here)?,
                None => 0,
            };
            app.ui.confirm(match forgotten {
                0 => "Nothing was trusted here".to_owned(),
                count => format!("{} {} no longer trusted here", counted(count, "item"), verb(count)),
            });
            return Ok(());
        }
        let items = ground.items(app, &needed(app)?);
        let trusted = ground.trusted(app)?;
        if self.dry_run || self.json.json {
            return self.print(app, &ground, &items, &trusted);
        }
        if let Some(named) = self.digest {
            same_digest(named, &items)?;
        }
        if items.is_empty() {
            app.ui.confirm(nothing(app)?);
            return Ok(());
        }
        if items.iter().all(|item| trusted.contains(item)) {
            app.ui.confirm("Everything here is already trusted");
            return Ok(());
        }
        let file = ground.file(app)?.ok_or_else(|| {
            Error::impossible("the store is inside this repository, so it cannot grant trust")
                .with_hint("set $CTX_HOME to a directory outside")
        })?;
        // You can't trust what you haven't been able to read.
        self.print(app, &ground, &items, &trusted)?;
        let pending = items.into_iter().filter(|item| !trusted.contains(item));
        let (pending, refused): (Vec<_>, Vec<_>) = pending.partition(|item| item.refusal.is_none());
        file.grant(&ground.here, &pending)?;
        for item in &pending {
            app.ui.confirm(format!("Trusted {}", item.description));
        }
        let error = |item: &TrustItem| Error::impossible(format!("{} cannot be trusted", item.description));
        Error::all(refused.iter().map(error).collect())
    }

    fn print(
        &self,
        app: &App,
        ground: &Ground<'_>,
        items: &[TrustItem],
        trusted: &Trusted,
    ) -> Result<(), Error> {
        let digest = digest(items);
        if self.json.json {
            let place = ground.here.path().display().to_string();
            let listed = |item: &TrustItem| {
                let (sha256, is_trusted) = (item.fingerprint, trusted.contains(item));
                json!({"description": item.description, "sha256": sha256, "trusted": is_trusted})
            };
            let items: Vec<Value> = items.iter().map(listed).collect();
            let listing = json!({"version": 1, "place": place, "items": items, "digest": digest});
            return app.ui.whole_json(&listing);
        }
        if items.is_empty() {
            let nothing = nothing(app)?;
            return app.ui.data(|out| writeln!(out, "{nothing}"));
        }
        app.ui.data(|out| {
            for item in items {
                let wanting = if item.refusal.is_none() { "not trusted" } else { "cannot be trusted" };
                let state = if trusted.contains(item) { "trusted" } else { wanting };
                // No line of a description may look like the next item or its hash.
                let description = item.description.replace('\n', "\n    | ");
                writeln!(out, "{description}\n    {} ({state})", item.fingerprint)?;
            }
            writeln!(out, "digest: {digest}")
        })
    }
}

fn verb(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// That nothing needs trust, and where ctx looked.
fn nothing(app: &App) -> Result<String, Error> {
    let profile = app.store.read(|view| app.profile_in(view))?;
    Ok(format!("nothing in profile '{profile}' or on the global list needs trust here"))
}

/// The selected profile and the global list.
fn needed(app: &App) -> Result<StoredLists, Error> {
    app.store.read(|view| {
        let profile = app.profile_in(view)?;
        Ok(StoredLists::of(view, profile)?)
    })
}
