use std::io::Write;

use clap::Args;
use serde::Serialize;

use crate::app::App;
use crate::error::{Error, Outcome};
use crate::options::JsonOption;
use crate::request::cache_directory;
use crate::ui::visible;
use ctx_core::cache::Cache;
use ctx_core::source::command::KeptOutputs;
use ctx_core::words::counted;

/// Show or delete what is cached
///
/// Token counts: counts and checksums of files that were read before, never a word of them; --no-cache leaves
/// them out for one command. And the outputs of commands that have a --ttl. Both can be deleted at any time: a
/// render is slower once, and runs those commands again.
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
    outputs: usize,
    output_bytes: u64,
}

impl CacheCommand {
    /// Shows or deletes the cache.
    pub fn run(self, app: &App) -> Result<Outcome, Error> {
        app.check_named()?;
        let directory = cache_directory(app).ok_or_else(|| {
            Error::impossible("no cache directory was found").with_hint("set $XDG_CACHE_HOME or $HOME")
        })?;
        let outputs = KeptOutputs::in_cache(&directory);
        let cache = Cache::at(directory);
        if self.clear {
            cache.clear().map_err(|error| Error::io("delete", &cache.path(), &error))?;
            let kept = outputs.contents().outputs;
            outputs.clear().map_err(|error| Error::io("delete", outputs.directory(), &error))?;
            let kept = match kept {
                0 => String::new(),
                count => format!(" and {} of commands", counted(count, "output")),
            };
            app.ui.confirm(format!("Cleared the count cache{kept}"));
            return Ok(Outcome::Done);
        }
        let contents = cache.contents();
        let kept = outputs.contents();
        let path = cache.path().display().to_string();
        match self.json.json {
            true => app.ui.json(&Listing {
                version: 1,
                path,
                files: contents.records,
                bytes: contents.bytes,
                outputs: kept.outputs,
                output_bytes: kept.bytes,
            })?,
            false => app.ui.data(|out| {
                let files = counted(contents.records, "file");
                writeln!(out, "{}: {files}, {}", visible(&path), counted_bytes(contents.bytes))?;
                if kept.outputs == 0 {
                    return Ok(());
                }
                let directory = visible(&outputs.directory().display().to_string());
                let count = counted(kept.outputs, "output");
                writeln!(out, "{directory}: {count} of commands, {}", counted_bytes(kept.bytes))
            })?,
        }
        Ok(Outcome::Done)
    }
}

fn counted_bytes(bytes: u64) -> String {
    counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")
}
