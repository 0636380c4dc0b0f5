//! The program that chooses names to search for, before the files are ranked.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::app::App;
use super::environment::launcher;
use super::error::{Error, Failure};
use super::interrupt;
use super::own_program::own_program;
use super::progress;
use super::request::Named;
use super::visible::visible;
use ctx_core::command::{DEPTH, Words};
use ctx_core::fs::expanded;
use ctx_core::guard::Findings;
use ctx_core::naming::{
    Chosen, KeptNames, MOST_BYTES, NamesRequest, PARAGRAPH, SecondRun, echoes, in_second_run, names_in,
};
use ctx_core::plan::Plan;
use ctx_core::process::{End, Invocation};
use ctx_core::setting::NamedBy;
use ctx_core::trust::Fingerprint;
use ctx_core::words::tokens;

/// A program that chooses names.
#[derive(Debug, Clone)]
pub struct Namer {
    /// The program's file, and its arguments.
    words: Vec<OsString>,
    /// Whether the command line asks for it, so that its failure is worth a warning.
    is_typed: bool,
}

/// What the command line and the settings say about who chooses names.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// What the command line says.
    pub typed: Option<&'a NamedBy>,
    /// What the settings say.
    pub set: Option<&'a NamedBy>,
    /// Whether the command line has words to search for.
    pub has_words: bool,
    /// The program that answers the question, if one does.
    pub answers: Option<&'a [OsString]>,
}

impl Namer {
    /// The program that is wished for, if any. A setting counts only where somebody waits for the answer of a program.
    ///
    /// # Errors
    /// If the command line names a program that isn't there, or none that can choose names.
    pub fn of(app: &App, wish: Wish<'_>) -> Result<Option<Self>, Error> {
        if let Some(typed) = wish.typed {
            return Self::typed(app, typed, wish.answers);
        }
        let Some(answers) = wish.answers else { return Ok(None) };
        if app.environment.ci || app.environment.is_nested || wish.has_words {
            return Ok(None);
        }
        Ok(match wish.set.unwrap_or(&NamedBy::Auto) {
            NamedBy::Nobody => None,
            NamedBy::Auto => Self::that_answers(app, answers),
            NamedBy::Program(words) => match own_program(app, words.program()) {
                Some(program) => Some(Self::with(program, words, false)),
                None => {
                    app.ui.note(format!(
                        "'{}' was not asked for names: it is in this directory tree",
                        visible(words.program())
                    ));
                    None
                }
            },
        })
    }

    fn typed(app: &App, typed: &NamedBy, answers: Option<&[OsString]>) -> Result<Option<Self>, Error> {
        if app.environment.is_nested {
            app.ui.warn(format!("no program is asked for names where ${DEPTH} is set"));
            return Ok(None);
        }
        match (typed, answers) {
            (NamedBy::Nobody, _) => Ok(None),
            (NamedBy::Auto, None) => Err(Error::usage("'--words-from auto' needs a program that answers")
                .with_hint("--words-from 'llm -m MODEL'")),
            (NamedBy::Auto, Some(answers)) => match in_second_run(&answers[0], &answers[1..]) {
                SecondRun::Unknown => Err(Error::usage(format!(
                    "'{}' is not known as a program that asks a model",
                    visible(&answers[0].to_string_lossy())
                ))
                .with_hint("--words-from 'llm -m MODEL'")),
                SecondRun::Harmless | SecondRun::Doubtful(_) | SecondRun::Lacks(_) => {
                    Ok(Self::that_answers(app, answers).map(|namer| Self { is_typed: true, ..namer }))
                }
            },
            (NamedBy::Program(words), _) => {
                let program = expanded(Path::new(words.program()), app.world().home.as_deref());
                let program = program.into_os_string();
                if launcher().programs().find(&program, &app.world().cwd).is_none() {
                    let text = format!("program '{}' not found", words.program());
                    return Err(Error::new(Failure::NotFound, text));
                }
                Ok(Some(Self::with(program, words, true)))
            }
        }
    }

    fn with(program: OsString, words: &Words, is_typed: bool) -> Self {
        let arguments = words.arguments().iter().map(OsString::from);
        Self { words: [program].into_iter().chain(arguments).collect(), is_typed }
    }

    /// The program that answers, if a second run does no harm. It is the very file that answers.
    fn that_answers(app: &App, words: &[OsString]) -> Option<Self> {
        let doubt = match in_second_run(&words[0], &words[1..]) {
            SecondRun::Unknown => return None,
            SecondRun::Harmless => {
                let program = launcher().programs().find(&words[0], &app.world().cwd)?;
                let words = [program.into_os_string()].into_iter().chain(words[1..].iter().cloned());
                return Some(Self { words: words.collect(), is_typed: false });
            }
            SecondRun::Doubtful(word) => format!("'{}' may do more", word.to_string_lossy()),
            SecondRun::Lacks(word) => format!("it has no '{word}'"),
        };
        let name = Path::new(&words[0]).file_name().unwrap_or(&words[0]).to_string_lossy().into_owned();
        app.ui.note(format!(
            "'{}' was not asked for names first, since {}; --words-from 'PROGRAM …' asks one",
            visible(&name),
            shown(&doubt)
        ));
        None
    }

    /// Has the program choose names for the question of a first search. If it doesn't, that is reported, and the question
    /// goes on without them.
    ///
    /// # Errors
    /// If the request can't be made.
    pub fn choose(&self, app: &App, first: &Plan, runs: bool) -> Result<Option<Named>, Error> {
        let asked = NamesRequest::of(first, app.world())?;
        let kept = first.request().cache.as_deref().map(KeptNames::in_cache);
        let words = self.words.iter().map(|word| word.as_encoded_bytes());
        let key = Fingerprint::of([&asked.key.as_bytes()[..]].into_iter().chain(words));
        let now = app.world().now;
        if let Some(named) = kept.as_ref().and_then(|kept| kept.get(key, now)) {
            let chosen = Chosen::among(&named, first, app.world())?;
            if !chosen.is_empty() {
                self.note(app, &chosen, "cached");
                return Ok(Some(Named { program: self.name(), chosen, tokens: 0 }));
            }
        }
        let size = tokens(asked.tokens, false);
        if !runs {
            app.ui.note(format!(
                "chosen without the model's words; '{}' would be asked for them: {size}",
                self.name()
            ));
            return Ok(None);
        }
        let reply = match self.reply(app, &asked) {
            Ok(reply) => reply,
            Err(why) => return Ok(self.report(app, &why)),
        };
        if echoes(&reply, PARAGRAPH) {
            return Ok(self.report(app, &format!("it repeated the request ({size} sent)")));
        }
        let chosen = Chosen::among(&names_in(&reply), first, app.world())?;
        if chosen.is_empty() {
            return Ok(self.report(app, &format!("it named nothing that is here ({size} sent)")));
        }
        // Without a cache, the model is asked again the next time.
        let _ = kept.map(|kept| kept.put(key, &chosen, now));
        self.note(app, &chosen, &size);
        Ok(Some(Named { program: self.name(), chosen, tokens: asked.tokens }))
    }

    /// The beginning of what the program prints, or why it is of no use.
    fn reply(&self, app: &App, asked: &NamesRequest) -> Result<Vec<u8>, String> {
        let launcher = Arc::new(launcher());
        interrupt::stops(&launcher);
        let mut variables = launcher.variables().clone();
        variables.set(DEPTH, "1");
        let most = app.environment.naming_time;
        let invocation = Invocation {
            program: self.words[0].clone(),
            arguments: self.words[1..].to_vec(),
            directory: app.world().cwd.clone(),
            variables,
            timeout: Some(most),
            memory: None,
        };
        let line = format!("asking '{}' for names", self.name());
        // Of a longer reply, the half that is kept shows that it is longer.
        let run = || launcher.run(&invocation, &asked.text, 2 * (MOST_BYTES + 1));
        let finished = progress::waiting(&app.ui, &line, run);
        interrupt::gives_way();
        let finished = finished.map_err(|error| error.to_string())?;
        match finished.end {
            End::Exited(0) => Ok(finished.output.head),
            End::TimedOut => Err(format!("no reply within {most:?}")),
            end @ (End::Exited(_) | End::Signalled(_)) => {
                let line = finished.last_error_line.map_or_else(String::new, |line| format!(", {line}"));
                Err(format!("{end}{line}"))
            }
        }
    }

    /// Reports that the program chose no names.
    fn report(&self, app: &App, why: &str) -> Option<Named> {
        let text = format!("no names from '{}': {}", self.name(), shown(why));
        if self.is_typed {
            app.ui.warn(text)
        } else {
            app.ui.note(text)
        }
        None
    }

    /// Notes what is searched for as well.
    fn note(&self, app: &App, chosen: &Chosen, cost: &str) {
        /// About this many characters of names are listed.
        const MOST: usize = 100;
        let mut listed = String::new();
        for name in chosen.all() {
            if listed.chars().count() + name.chars().count() > MOST && !listed.is_empty() {
                listed.push_str(", …");
                break;
            }
            let comma = if listed.is_empty() { "" } else { ", " };
            listed = format!("{listed}{comma}{}", visible(name));
        }
        app.ui.note(format!("also searched for {listed} ('{}': {cost})", self.name()));
    }

    /// The program's name and its arguments, for people.
    fn name(&self) -> String {
        let words = self.words.iter().enumerate().map(|(place, word)| match Path::new(word).file_name() {
            Some(name) if place == 0 => name.to_string_lossy(),
            Some(_) | None => word.to_string_lossy(),
        });
        shown(&words.collect::<Vec<_>>().join(" "))
    }
}

/// A text that a program or a person wrote, for one line of a message.
fn shown(text: &str) -> String {
    /// The most characters to show.
    const MOST: usize = 80;
    let safe = Findings::default().clean(text.to_owned());
    let short: String = safe.chars().take(MOST).collect();
    visible(&if short.len() < safe.len() { format!("{short}…") } else { short })
}
