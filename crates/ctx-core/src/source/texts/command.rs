//! The text of `cmd:` entries: the output of a trusted command, from a run or from the cache.

use std::path::Path;
use std::time::SystemTime;

use super::{Answer, Asking, Means, TextJob, nothing};
use crate::command::{Command, CommandError, CommandLimits, CommandReport, Excerpt, Ran, Words};
use crate::entry::{Scope, ScopedEntry};
use crate::process::StartError;
use crate::read::without_styles;
use crate::report::{Reason, ReasonCode};
use crate::source::kept_outputs::key_of_output;
use crate::source::{Provided, without_secrets};
use crate::trust::{Fingerprint, Scripts, TrustItem};
use crate::words::{counted, quoted};

impl Asking<'_> {
    /// Runs the command of the first equal entry that is allowed to run it.
    pub(super) fn command(&self, job: &TextJob<'_>, words: &Words) -> Answer {
        let Means { launcher, scripts, runs, kept, .. } = self.means;
        let mut why = Reason::from(ReasonCode::NotTrusted);
        let command_of = |scoped: &ScopedEntry| {
            let limits = CommandLimits::of(&scoped.entry.attributes);
            Command { words: words.clone(), limits }
        };
        let first = job.equal.iter().map(|id| &self.entries[id.0]).find(|scoped| {
            self.may_run(scoped, &command_of(scoped), scripts).map_err(|reason| why = reason).is_ok()
        });
        let Some(scoped) = first else { return refused(job, why) };
        let (command, directory) = (command_of(scoped), self.directory(scoped));
        let ttl = command.limits.ttl.zip(kept);
        let key =
            ttl.and_then(|_| Some(key_of_output(&command, directory, self.named(&command, directory)?)));
        let known = ttl.zip(key).and_then(|((ttl, kept), key)| kept.get(key, ttl, self.world.now));
        let cached = known.is_some();
        let ran = match known {
            Some(output) => Ok(Ran { output, failure: None }),
            // Programs that ran in the meantime may have changed the scripts.
            None if runs => match self.may_run(scoped, &command, &scripts.anew()) {
                Ok(()) => command.run(directory, launcher),
                Err(why) => return refused(job, why),
            },
            None => return Answer { not_run: true, ..nothing(job, ReasonCode::NotRun) },
        };
        if let (Ok(Ran { output, failure: None }), Some(((_, kept), key))) = (&ran, ttl.zip(key)) {
            // If the output cannot be cached, the command runs again the next time.
            let _ = kept.put(key, directory, output, SystemTime::now().max(self.world.now));
        }
        match ran {
            Ok(ran) => self.document(job, ran, cached),
            Err(error) => nothing(job, Reason::new(code_of(&error), error)),
        }
    }

    /// Why an entry's command may not run, unless it was typed or is trusted. If nothing is trusted, this reads no
    /// files.
    fn may_run(&self, scoped: &ScopedEntry, command: &Command, scripts: &Scripts) -> Result<(), Reason> {
        let trusted = self.means.trusted;
        if scoped.scope == Scope::Session {
            return Ok(());
        }
        if trusted.is_empty() {
            return Err(ReasonCode::NotTrusted.into());
        }
        let item = TrustItem::command(command, "", self.directory(scoped), scripts);
        match item.refusal {
            Some(refusal) => {
                Err(Reason::new(ReasonCode::CannotBeTrusted, format!("cannot be trusted, {refusal}")))
            }
            None if trusted.contains(&item) => Ok(()),
            None => Err(ReasonCode::NotTrusted.into()),
        }
    }

    /// The fingerprint of the current files that a command names.
    fn named(&self, command: &Command, directory: &Path) -> Option<Fingerprint> {
        let found = self.means.scripts.contents(&command.words, directory).ok()?;
        let bytes = found.iter().flat_map(|(path, contents)| {
            let contents = contents.as_ref().map_or(&[][..], |contents| contents.as_bytes());
            [path.as_os_str().as_encoded_bytes(), contents]
        });
        Some(Fingerprint::of(bytes))
    }

    fn document(&self, job: &TextJob<'_>, ran: Ran, cached: bool) -> Answer {
        let entry = &job.scoped.entry;
        let name = without_secrets(&entry.path);
        let label = ran.label(&name).into_bytes();
        let mut answer = Answer::default();
        if name != entry.path {
            answer.warnings.push(format!("secrets redacted in the words of {}", quoted(&name)));
        }
        if let Some(failure) = &ran.failure {
            let why = failure.last_error_line.as_ref().map_or_else(String::new, |line| format!(": {line}"));
            answer.warnings.push(format!("{} ended with {}{why}", quoted(&name), failure.exit));
        }
        let Excerpt { text, omitted } = ran.output;
        if omitted > 0 {
            let count = counted(usize::try_from(omitted).unwrap_or(usize::MAX), "byte");
            answer.warnings.push(format!("{count} of the output of {} left out", quoted(&name)));
        }
        let exit = ran.failure.map(|failure| failure.exit);
        let report = CommandReport { cached, exit, omitted };
        answer
            .provided
            .push(Provided { command: Some(report), ..job.text(label, without_styles(&text).into()) });
        answer
    }
}

fn refused(job: &TextJob<'_>, why: Reason) -> Answer {
    Answer { untrusted: why.code == ReasonCode::NotTrusted, ..nothing(job, why) }
}

fn code_of(error: &CommandError) -> ReasonCode {
    match error {
        CommandError::Start(StartError::NotFound { .. }) => ReasonCode::NotFound,
        CommandError::Start(_) | CommandError::Nested => ReasonCode::NotStarted,
        CommandError::TimedOut { .. } => ReasonCode::TimedOut,
        CommandError::Failed(_) => ReasonCode::Failed,
        CommandError::Silent { .. } => ReasonCode::NoOutput,
    }
}
