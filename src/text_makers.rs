//! Programs that make text of files that are not text.

use ctx_core::plan::Plan;
use ctx_core::words::all_of;
use ctx_core::world::World;

use crate::environment::has_program;
use crate::hints::shell_word;

/// A program, what it reads, the extensions of such files, and its words before and after the file's name.
struct TextMaker {
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table in the documentation"))]
    reads: &'static str,
    program: &'static str,
    extensions: &'static [&'static str],
    before: &'static str,
    after: &'static str,
}

impl TextMaker {
    fn of(extension: &str) -> Option<&'static Self> {
        ALL.iter().find(|maker| maker.extensions.contains(&extension))
    }

    /// The setting that has ctx read files with this extension.
    fn setting(&self, extension: &str) -> String {
        let Self { program, before, after, .. } = self;
        format!("reader.{extension}={program} {before}{{}}{after}")
    }
}

/// All of them, as in the documentation.
static ALL: [TextMaker; 7] = [
    TextMaker { reads: "PDF", program: "pdftotext", extensions: &["pdf"], before: "", after: " -" },
    TextMaker {
        reads: "Word, EPUB, OpenDocument, RTF",
        program: "pandoc",
        // Only from version 3.8.3 on, it reads pptx and xlsx, too.
        extensions: &["docx", "epub", "odt", "rtf"],
        before: "--sandbox -t plain ",
        after: "",
    },
    TextMaker { reads: "old Word files", program: "antiword", extensions: &["doc"], before: "", after: "" },
    TextMaker { reads: "Excel", program: "xlsx2csv", extensions: &["xlsx"], before: "--all ", after: "" },
    TextMaker { reads: "PostScript", program: "ps2ascii", extensions: &["ps", "eps"], before: "", after: "" },
    TextMaker {
        reads: "scanned pages",
        program: "tesseract",
        extensions: &["tif", "tiff"],
        before: "",
        after: " -",
    },
    TextMaker {
        reads: "the metadata of pictures and recordings",
        program: "exiftool",
        extensions: &["jpg", "jpeg", "gif", "heic", "mp3", "mp4", "png", "webp"],
        before: "",
        after: "",
    },
];

/// The extensions of documents that people read as text, and of tables.
const DOCUMENTS: [&str; 10] = ["pdf", "docx", "pptx", "xlsx", "odt", "epub", "doc", "rtf", "ps", "parquet"];

/// The extensions of data for which no usual program is known, so that people set one of their own.
const DATA: [&str; 18] = [
    "arrow", "avro", "db", "feather", "h5", "hdf5", "npy", "npz", "orc", "parquet", "pickle", "pkl", "rda",
    "rdata", "rds", "sqlite", "sqlite3", "xls",
];

/// Fewer than one document in this many files is not worth a note in every question.
const FEW: usize = 50;

/// A note about documents that a question met and that nothing reads, if there are many.
pub fn note_of_unread(plan: &Plan) -> Option<String> {
    let unread = unread(plan);
    let count: usize = unread.iter().map(|(_, count)| count).sum();
    (count > 0 && count * FEW >= plan.file_counts().selected).then_some(())?;
    let kinds: Vec<String> =
        unread.iter().map(|(extension, count)| format!("{count} .{extension}")).collect();
    let kinds = all_of(kinds.iter().map(String::as_str));
    let files = if count == 1 { "file" } else { "files" };
    Some(match setting_of(&unread) {
        Some(setting) => format!("not read: {kinds} {files}; {setting}"),
        None => format!("not read: {kinds} {files}, for which no reader is set"),
    })
}

/// How to have ctx read the documents that a plan met and that nothing reads.
pub fn setting(plan: &Plan) -> Option<String> {
    setting_of(&unread(plan))
}

/// The kinds of documents that nothing reads, the most frequent one first.
fn unread(plan: &Plan) -> Vec<(String, usize)> {
    let mut unread: Vec<(String, usize)> = plan.binary_files().into_iter().collect();
    unread.retain(|(extension, _)| DOCUMENTS.contains(&&**extension));
    unread.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    unread
}

/// The setting for the most frequent kind that a usual program reads.
fn setting_of(unread: &[(String, usize)]) -> Option<String> {
    unread.iter().find_map(|(extension, _)| to_read(extension))
}

/// How to have ctx read files with this extension.
fn to_read(extension: &str) -> Option<String> {
    let own = || format!("reader.{extension}=PROGRAM {{}}");
    let own = DATA.contains(&extension).then(own);
    let setting = TextMaker::of(extension).map(|maker| maker.setting(extension)).or(own)?;
    Some(format!("to read .{extension}: ctx profile -g --set '{setting}'"))
}

/// How to have ctx read a file that is not text, and others like it.
pub fn to_read_file(path: &str) -> Option<String> {
    to_read(&path.rsplit_once('.')?.1.to_lowercase())
}

/// The command lines that pass on the text of a file that is not text, with a program that is installed here, and that
/// have ctx read all such files. `asks`: whether it is for a question.
pub fn hints(path: &str, asks: bool, world: &World) -> Vec<String> {
    let with_program = with_program(path, asks, world);
    let is_data = || Some(path.rsplit_once('.')?.1.to_lowercase()).filter(|end| DATA.contains(&&**end));
    with_program.unwrap_or_else(|| is_data().and_then(|extension| to_read(&extension)).into_iter().collect())
}

fn with_program(path: &str, asks: bool, world: &World) -> Option<Vec<String>> {
    let extension = path.rsplit_once('.')?.1.to_lowercase();
    let maker @ TextMaker { program, before, after, .. } = TextMaker::of(&extension)?;
    // Programs would take it for an option.
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let file = shell_word(&path);
    let command = if asks { "ask QUESTION" } else { "render" };
    has_program(program, &world.cwd).then(|| {
        vec![
            format!("{program} {before}{file}{after} | ctx {command} - --stdin-name {file}"),
            format!("for all such files: ctx profile -g --set '{}'", maker.setting(&extension)),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_lists_the_programs() {
        let row =
            |maker: &TextMaker| format!("| {} | `{}` |\n", maker.reads, maker.setting(maker.extensions[0]));
        let table =
            format!("| file | reader |\n| --- | --- |\n{}\n", ALL.iter().map(row).collect::<String>());
        let page = include_str!("../docs/papers.md");
        assert!(page.contains(&table), "docs/papers.md should contain:\n{table}");
    }
}
