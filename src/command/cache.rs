use std::io::Write;

use clap::Args;
use serde::Serialize;

use crate::app::App;
use crate::error::{Error, Outcome};
use crate::options::JsonOption;
use crate::request::cache_directory;
use crate::ui::visible;
use ctx_core::cache::Cache;
use ctx_core::words::counted;

/// Show or delete the cache of token counts
///
/// It holds counts and checksums of files that were read before, never a word of them, and can be deleted at
/// any time: a render is slower once, and the same. --no-cache leaves it out for one command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx cache             where it is, and how large
  ctx cache --clear     delete it")]
pub struct CacheCommand {
    /// Delete the cache
    #[arg(long, conflicts_with = "json")]
    clear: bool,

    #[command(flatten)]
    json: JsonOption,
}

#[derive(Serialize)]
struct Listing {
    version: u32,
    path: String,
    files: usize,
    bytes: u64,
}

impl CacheCommand {
    /// Shows or deletes the cache.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        app.check_named()?;
        let directory = cache_directory(app).ok_or_else(|| {
            Error::impossible("no cache directory was found").with_hint("set $XDG_CACHE_HOME or $HOME")
        })?;
        let cache = Cache::at(directory);
        if self.clear {
            cache.clear().map_err(|error| Error::io("delete", &cache.path(), &error))?;
            app.ui.confirm("Cleared the count cache");
            return Ok(Outcome::Done);
        }
        let contents = cache.contents();
        let path = cache.path().display().to_string();
        match self.json.json {
            true => {
                app.ui.json(&Listing { version: 1, path, files: contents.records, bytes: contents.bytes })?
            }
            false => app.ui.data(|out| {
                writeln!(
                    out,
                    "{}: {}, {}",
                    visible(&path),
                    counted(contents.records, "file"),
                    counted_bytes(contents.bytes)
                )
            })?,
        }
        Ok(Outcome::Done)
    }
}

fn counted_bytes(bytes: u64) -> String {
    counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")
}
