//! Programs that make text of files that are not text.

use ctx_core::world::World;

use crate::environment::has_program;
use crate::hints::shell_word;

/// A program, the extensions of the files that it reads, and its words before and after the file's name.
struct TextMaker {
    program: &'static str,
    extensions: &'static [&'static str],
    before: &'static str,
    after: &'static str,
}

const ALL: [TextMaker; 4] = [
    TextMaker { program: "pdftotext", extensions: &["pdf"], before: "", after: " -" },
    TextMaker {
        program: "pandoc",
        extensions: &["docx", "epub", "odt", "pptx"],
        before: "--sandbox -t plain ",
        after: "",
    },
    TextMaker { program: "antiword", extensions: &["doc"], before: "", after: "" },
    TextMaker {
        program: "exiftool",
        extensions: &["gif", "heic", "jpeg", "jpg", "mp3", "mp4", "png", "webp"],
        before: "",
        after: "",
    },
];

/// The command lines that pass on the text of a file that is not text, with a program that is installed here, and that
/// have ctx read all such files. `asks`: whether it is for a question.
pub fn hints(path: &str, asks: bool, world: &World) -> Option<[String; 2]> {
    let extension = path.rsplit_once('.')?.1.to_lowercase();
    let is_it = |maker: &&TextMaker| maker.extensions.contains(&&*extension);
    let TextMaker { program, before, after, .. } = ALL.iter().find(is_it)?;
    let file = shell_word(path);
    let command = if asks { "ask QUESTION" } else { "render" };
    has_program(program, &world.cwd).then(|| {
        [
            format!("{program} {before}{file}{after} | ctx {command} - --stdin-name {file}"),
            format!(
                "for all such files: ctx profile -g --set 'reader.{extension}={program} {before}{{}}{after}'"
            ),
        ]
    })
}
