use std::io::Write;

use clap::Args;
use serde_json::json;

use crate::app::App;
use crate::error::Error;
use crate::options::JsonOption;
use crate::visible::visible;
use ctx_core::cache::{Cache, MessageCache};
use ctx_core::fs::with_tilde;
use ctx_core::naming::KeptNames;
use ctx_core::source::KeptOutputs;
use ctx_core::words::{all_of, counted};

/// Show or delete cached counts and command output
///
/// The cache contains token counts (counts and checksums of files, never their contents), hashes of words in
/// commit messages (for ranking files), names that programs chose for questions (30 days), and the output of commands
/// with a --ttl and of readers, as they print it, listed by the directory they ran in. To ignore all but the output of
/// commands for one command, use --no-cache. You can delete the cache at any time: the next
/// render is slower, and runs those commands again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx cache             show where it is, and how large
  ctx cache --clear     delete it")]
pub struct CacheCommand {
    /// Delete the cache
    #[arg(long, conflicts_with = "json")]
    clear: bool,

    #[command(flatten)]
    json: JsonOption,
}

impl CacheCommand {
    /// Shows or deletes the cache.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let directory = app.cache_directory().ok_or_else(|| {
            Error::impossible("no cache directory was found").with_hint("set $XDG_CACHE_HOME or $HOME")
        })?;
        let outputs = KeptOutputs::in_cache(&directory);
        let cache = Cache::at(directory.clone());
        if self.clear {
            cache.clear().map_err(|error| Error::io("delete", &cache.path(), &error))?;
            MessageCache::clear(&directory).map_err(|error| Error::io("delete", &directory, &error))?;
            let kept: usize = outputs.contents().iter().map(|kept| kept.outputs).sum();
            outputs.clear().map_err(|error| Error::io("delete", outputs.directory(), &error))?;
            let names = KeptNames::in_cache(&directory);
            let named = names.count();
            names.clear().map_err(|error| Error::io("delete", names.directory(), &error))?;
            let kept = (kept > 0).then(|| counted(kept, "command output"));
            let named = (named > 0).then(|| format!("the names for {}", counted(named, "question")));
            let cleared: Vec<String> =
                std::iter::once("the count cache".to_owned()).chain(kept).chain(named).collect();
            app.ui.confirm(format!("Cleared {}", all_of(&cleared)));
            return Ok(());
        }
        let (count, bytes) = (cache.count(), cache.bytes());
        let kept = outputs.contents();
        let path = cache.path().display().to_string();
        if self.json.json {
            app.ui.json(&json!({
                "version": 1,
                "path": path,
                "files": count,
                "bytes": bytes,
                "outputs": kept.iter().map(|kept| kept.outputs).sum::<usize>(),
                "output_bytes": kept.iter().map(|kept| kept.bytes).sum::<u64>(),
                "directories": kept,
            }))
        } else {
            app.ui.data(|out| {
                let files = counted(count, "file");
                writeln!(out, "{}: {files}, {}", visible(&path), counted_bytes(bytes))?;
                if kept.is_empty() {
                    return Ok(());
                }
                writeln!(out, "{}:", visible(&outputs.directory().display().to_string()))?;
                kept.iter().try_for_each(|kept| {
                    let directory = match with_tilde(&kept.directory, app.world().home.as_deref()) {
                        unknown if unknown.is_empty() => "of another version".to_owned(),
                        directory => visible(&directory),
                    };
                    let count = counted(kept.outputs, "command output");
                    writeln!(out, "    {directory}: {count}, {}", counted_bytes(kept.bytes))
                })
            })
        }
    }
}

fn counted_bytes(bytes: u64) -> String {
    counted(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")
}
