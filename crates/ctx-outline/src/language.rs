/// A language that has a scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Language {
    /// C, and headers that end in `.h`.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// CSS, SCSS and Less.
    Css,
    /// Elixir.
    Elixir,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// JSON, with comments.
    Json,
    /// Kotlin, including build scripts.
    Kotlin,
    /// Lua.
    Lua,
    /// Markdown.
    Markdown,
    /// PHP.
    Php,
    /// Python, including stubs.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// Scala 2 and 3.
    Scala,
    /// Scripts of POSIX shells, Bash and Zsh.
    Shell,
    /// Svelte: its scripts and styles.
    Svelte,
    /// Swift.
    Swift,
    /// TOML.
    Toml,
    /// TypeScript, with JSX.
    TypeScript,
    /// Vue: its scripts and styles.
    Vue,
    /// YAML.
    Yaml,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 24] = [
        Self::C,
        Self::Cpp,
        Self::CSharp,
        Self::Css,
        Self::Elixir,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Json,
        Self::Kotlin,
        Self::Lua,
        Self::Markdown,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Scala,
        Self::Shell,
        Self::Svelte,
        Self::Swift,
        Self::Toml,
        Self::TypeScript,
        Self::Vue,
        Self::Yaml,
    ];

    /// The language's name, as its users write it: `C++`, `TypeScript`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cpp => "C++",
            Self::CSharp => "C#",
            Self::Css => "CSS",
            Self::Elixir => "Elixir",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Json => "JSON",
            Self::Kotlin => "Kotlin",
            Self::Lua => "Lua",
            Self::Markdown => "Markdown",
            Self::Php => "PHP",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
            Self::Scala => "Scala",
            Self::Shell => "Shell",
            Self::Svelte => "Svelte",
            Self::Swift => "Swift",
            Self::Toml => "TOML",
            Self::TypeScript => "TypeScript",
            Self::Vue => "Vue",
            Self::Yaml => "YAML",
        }
    }

    /// The language of a name in any case, or of a file name's extension: `rust`, `C++`, `tsx`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let named = Self::ALL.into_iter().find(|language| language.name().eq_ignore_ascii_case(name));
        named.or_else(|| Self::of_path(&format!("_.{name}")))
    }

    /// The language of a script, from the program named on its first line: `#!/bin/sh` is Shell.
    #[must_use]
    pub fn of_first_line(text: &str) -> Option<Self> {
        let mut words = text.lines().next()?.strip_prefix("#!")?.split_ascii_whitespace();
        let mut program = words.next()?;
        if program.ends_with("/env") {
            program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) {
            "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "zsh" => Some(Self::Shell),
            "python" | "pypy" => Some(Self::Python),
            "node" | "nodejs" => Some(Self::JavaScript),
            "lua" | "luajit" => Some(Self::Lua),
            "php" => Some(Self::Php),
            "ruby" => Some(Self::Ruby),
            "elixir" => Some(Self::Elixir),
            _ => None,
        }
    }

    /// The language of a file, from the end of its name: `src/a.rs` is Rust.
    ///
    /// `None` if there is no scanner for the name.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        match name {
            "Gemfile" | "Rakefile" | "Podfile" | "Vagrantfile" | "Fastfile" | "Brewfile" => {
                return Some(Self::Ruby);
            }
            "Cargo.lock" | "poetry.lock" | "uv.lock" | "Pipfile" => return Some(Self::Toml),
            _ => {}
        }
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        let mut lower = [0_u8; 8];
        let lower = lower.get_mut(..extension.len())?;
        lower.copy_from_slice(extension.as_bytes());
        lower.make_ascii_lowercase();
        Some(match &*lower {
            b"c" | b"h" => Self::C,
            b"cc" | b"cpp" | b"cxx" | b"c++" | b"hh" | b"hpp" | b"hxx" | b"h++" | b"inl" | b"ipp"
            | b"tpp" => Self::Cpp,
            b"cs" | b"csx" => Self::CSharp,
            b"css" | b"scss" | b"less" => Self::Css,
            b"ex" | b"exs" => Self::Elixir,
            b"go" => Self::Go,
            b"java" => Self::Java,
            b"js" | b"jsx" | b"mjs" | b"cjs" => Self::JavaScript,
            b"json" | b"jsonc" | b"json5" | b"geojson" => Self::Json,
            b"kt" | b"kts" => Self::Kotlin,
            b"lua" => Self::Lua,
            b"md" | b"markdown" | b"mdx" | b"mdc" => Self::Markdown,
            b"php" | b"phtml" => Self::Php,
            b"py" | b"pyi" | b"pyw" => Self::Python,
            b"rb" | b"rake" | b"gemspec" | b"ru" | b"podspec" => Self::Ruby,
            b"rs" => Self::Rust,
            b"scala" | b"sc" | b"sbt" => Self::Scala,
            b"sh" | b"bash" | b"zsh" | b"ksh" => Self::Shell,
            b"svelte" => Self::Svelte,
            b"swift" => Self::Swift,
            b"toml" => Self::Toml,
            b"ts" | b"tsx" | b"mts" | b"cts" => Self::TypeScript,
            b"vue" => Self::Vue,
            b"yml" | b"yaml" => Self::Yaml,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn from_name_accepts_names_in_any_case_and_extensions() {
        for language in Language::ALL {
            assert_eq!(Language::from_name(&language.name().to_lowercase()), Some(language));
        }
        assert_eq!(
            ["TSX", "c++", "h", "golang", ""].map(Language::from_name),
            [Some(Language::TypeScript), Some(Language::Cpp), Some(Language::C), None, None,]
        );
    }

    #[test]
    fn of_first_line_returns_the_language_of_the_interpreter() {
        let found = [
            "#!/bin/bash\n",
            "#! /bin/sh -e\nrun",
            "#!/usr/bin/env python3.11",
            "#!/usr/bin/env -S A=b lua5.4 -x",
            "#!/usr/bin/perl",
            "#!/usr/bin/env",
            "#!",
            " #!/bin/sh",
            "\n#!/bin/sh",
        ]
        .map(Language::of_first_line);
        let [bash, sh, python, lua] =
            [Language::Shell, Language::Shell, Language::Python, Language::Lua].map(Some);
        assert_eq!(found, [bash, sh, python, lua, None, None, None, None, None]);
    }

    #[test]
    fn of_path_recognises_extensions_and_file_names() {
        let found = ["src/a.rs", "A.PY", "x/b.d.ts", "Rakefile", "c.tar.gz", ".rs", "noext", "C:\\x\\y.kt"]
            .map(Language::of_path);
        assert_eq!(
            found,
            [
                Some(Language::Rust),
                Some(Language::Python),
                Some(Language::TypeScript),
                Some(Language::Ruby),
                None,
                None,
                None,
                Some(Language::Kotlin),
            ]
        );
    }
}
