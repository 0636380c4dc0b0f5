//! The language tag of a fenced code block.

use crate::entry::lines::Ranged;

/// The tag for a file with this name; empty if unknown. Tags come only from this table, never from the name, so
/// that a name cannot break the fence's line.
pub(super) fn language(label: &str) -> &'static str {
    let path = Ranged::of(label).map_or(label, |ranged| ranged.path);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name {
        "Makefile" | "makefile" | "GNUmakefile" => return "makefile",
        "Dockerfile" | "Containerfile" => return "dockerfile",
        "CMakeLists.txt" => return "cmake",
        _ => {}
    }
    let Some((_, extension)) = name.rsplit_once('.') else { return "" };
    match extension.to_ascii_lowercase().as_str() {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => "cpp",
        "cs" => "csharp",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "scala" | "sc" => "scala",
        "swift" => "swift",
        "m" | "mm" => "objectivec",
        "rb" => "ruby",
        "php" => "php",
        "pl" | "pm" => "perl",
        "lua" => "lua",
        "r" => "r",
        "jl" => "julia",
        "hs" => "haskell",
        "ml" | "mli" => "ocaml",
        "ex" | "exs" => "elixir",
        "erl" | "hrl" => "erlang",
        "clj" | "cljs" | "cljc" | "edn" => "clojure",
        "dart" => "dart",
        "zig" => "zig",
        "nix" => "nix",
        "sh" | "bash" | "zsh" => "bash",
        "fish" => "fish",
        "ps1" | "psm1" => "powershell",
        "bat" | "cmd" => "batch",
        "sql" => "sql",
        "html" | "htm" => "html",
        "xml" | "xsd" | "xsl" => "xml",
        "svg" => "svg",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "vue" => "vue",
        "svelte" => "svelte",
        "json" => "json",
        "jsonc" | "json5" => "json5",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "ini" | "cfg" | "conf" | "properties" => "ini",
        "md" | "markdown" => "markdown",
        "mdx" => "mdx",
        "rst" => "rst",
        "tex" => "latex",
        "proto" => "protobuf",
        "graphql" | "gql" => "graphql",
        "tf" | "hcl" => "hcl",
        "cmake" => "cmake",
        "mk" => "makefile",
        "dockerfile" => "dockerfile",
        "diff" | "patch" => "diff",
        "csv" => "csv",
        "asm" | "s" => "asm",
        "vim" => "vim",
        "txt" => "text",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn language_tag_is_chosen_by_the_file_name() {
        assert_eq!(language("src/main.rs"), "rust");
        assert_eq!(language("a/Makefile"), "makefile");
        assert_eq!(language("A.YML"), "yaml");
        assert_eq!(language("src/a.rs:10-40"), "rust");
        assert_eq!(language("LICENSE"), "");
        assert_eq!(language("x.```"), "");
        assert_eq!(language("dir.rs/file"), "");
    }
}
