//! The grammar, the tags query and the function bodies of each language.

use ctx_outline::Language;
use tree_sitter::{Node, Query};

/// What the oracle knows about a language.
pub struct Grammar {
    pub language: tree_sitter::Language,
    pub tags: Query,
    /// The kinds of nodes whose bodies are function bodies.
    functions: &'static [&'static str],
    /// The kinds of nodes that are function bodies wherever they are found.
    bodies: &'static [&'static str],
}

const FIELD_BODIES: &[&str] =
    &["block", "compound_statement", "function_body", "statement_block", "body_statement", "code_block"];

impl Grammar {
    /// The grammar of a language; `None` if tree-sitter finds no declarations in it. `typed_markup` is for
    /// `.tsx`.
    pub fn of(language: Language, typed_markup: bool) -> Option<Self> {
        let (grammar, tags): (tree_sitter::Language, String) = match language {
            Language::C => (tree_sitter_c::LANGUAGE.into(), tree_sitter_c::TAGS_QUERY.into()),
            Language::Cpp => (tree_sitter_cpp::LANGUAGE.into(), tree_sitter_cpp::TAGS_QUERY.into()),
            Language::CSharp => {
                (tree_sitter_c_sharp::LANGUAGE.into(), tree_sitter_c_sharp::TAGS_QUERY.into())
            }
            Language::Css => (tree_sitter_css::LANGUAGE.into(), include_str!("../queries/css.scm").into()),
            Language::Go => (tree_sitter_go::LANGUAGE.into(), tree_sitter_go::TAGS_QUERY.into()),
            Language::Java => (tree_sitter_java::LANGUAGE.into(), tree_sitter_java::TAGS_QUERY.into()),
            Language::JavaScript => {
                (tree_sitter_javascript::LANGUAGE.into(), tree_sitter_javascript::TAGS_QUERY.into())
            }
            Language::Kotlin => {
                (tree_sitter_kotlin_ng::LANGUAGE.into(), include_str!("../queries/kotlin.scm").into())
            }
            Language::Lua => (tree_sitter_lua::LANGUAGE.into(), tree_sitter_lua::TAGS_QUERY.into()),
            Language::Php => (tree_sitter_php::LANGUAGE_PHP.into(), tree_sitter_php::TAGS_QUERY.into()),
            Language::Python => (tree_sitter_python::LANGUAGE.into(), tree_sitter_python::TAGS_QUERY.into()),
            Language::Ruby => (tree_sitter_ruby::LANGUAGE.into(), tree_sitter_ruby::TAGS_QUERY.into()),
            Language::Rust => (tree_sitter_rust::LANGUAGE.into(), tree_sitter_rust::TAGS_QUERY.into()),
            Language::Scala => {
                (tree_sitter_scala::LANGUAGE.into(), include_str!("../queries/scala.scm").into())
            }
            Language::Shell => {
                (tree_sitter_bash::LANGUAGE.into(), include_str!("../queries/shell.scm").into())
            }
            Language::Swift => (tree_sitter_swift::LANGUAGE.into(), tree_sitter_swift::TAGS_QUERY.into()),
            Language::TypeScript => {
                let grammar = if typed_markup {
                    tree_sitter_typescript::LANGUAGE_TSX
                } else {
                    tree_sitter_typescript::LANGUAGE_TYPESCRIPT
                };
                // The query of TypeScript adds to that of JavaScript, whose classes have other names.
                let javascript = tree_sitter_javascript::TAGS_QUERY
                    .replace("name: (_) @name", "name: (type_identifier) @name");
                (grammar.into(), format!("{javascript}\n{}", tree_sitter_typescript::TAGS_QUERY))
            }
            _ => return None,
        };
        let tags = Query::new(&grammar, &tags)
            .unwrap_or_else(|error| panic!("the tags query of {language:?}: {error}"));
        Some(Self { language: grammar, tags, functions: functions(language), bodies: bodies(language) })
    }

    /// Whether `node` is inside the body of a function.
    pub fn in_function_body(&self, node: Node<'_>) -> bool {
        let mut inner = node;
        while let Some(outer) = inner.parent() {
            if self.bodies.contains(&outer.kind()) {
                return true;
            }
            let is_body = outer.child_by_field_name("body").is_some_and(|body| body.id() == inner.id())
                || FIELD_BODIES.contains(&inner.kind());
            if is_body && self.functions.contains(&outer.kind()) {
                return true;
            }
            inner = outer;
        }
        false
    }
}

fn functions(language: Language) -> &'static [&'static str] {
    match language {
        Language::C | Language::Cpp => &["function_definition", "lambda_expression"],
        Language::CSharp => &[
            "method_declaration",
            "constructor_declaration",
            "destructor_declaration",
            "operator_declaration",
            "conversion_operator_declaration",
            "accessor_declaration",
            "local_function_statement",
            "lambda_expression",
            "anonymous_method_expression",
        ],
        Language::Go => &["function_declaration", "method_declaration", "func_literal"],
        Language::Java => &[
            "method_declaration",
            "constructor_declaration",
            "compact_constructor_declaration",
            "lambda_expression",
        ],
        Language::JavaScript | Language::TypeScript => &[
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "arrow_function",
            "method_definition",
            "class_static_block",
        ],
        Language::Kotlin => &["secondary_constructor", "anonymous_initializer"],
        Language::Lua => &["function_declaration", "function_definition"],
        Language::Php => &[
            "function_definition",
            "method_declaration",
            "anonymous_function",
            "arrow_function",
            "property_hook",
        ],
        Language::Python => &["function_definition", "lambda"],
        Language::Ruby => &["method", "singleton_method"],
        Language::Rust => &["function_item", "closure_expression"],
        Language::Scala => &["function_definition", "lambda_expression"],
        Language::Shell => &["function_definition"],
        Language::Swift => &["function_declaration", "init_declaration", "deinit_declaration"],
        _ => &[],
    }
}

fn bodies(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java => &["block", "static_initializer", "constructor_body"],
        Language::Kotlin => &["function_body", "lambda_literal"],
        Language::Scala => &["block", "indented_block", "case_block"],
        Language::Swift => &["function_body", "lambda_literal", "computed_property"],
        Language::CSharp => &["block"],
        _ => &[],
    }
}
