//! Files whose names say that they hold secrets.
//!
//! Names are compared byte by byte without regard to ASCII case, because some file systems disregard
//! it, and without allocation, because every file of a walk is asked about.

use std::path::Path;

/// A name, and the rule it stands for in messages.
struct Rule {
    /// Components from the last one backwards; the last one first.
    components: &'static [&'static str],
    text: &'static str,
}

const fn rule(components: &'static [&'static str], text: &'static str) -> Rule {
    Rule { components, text }
}

/// Files: the components are the last ones of the path.
const FILES: &[Rule] = &[
    rule(&[".env"], ".env"),
    rule(&[".netrc"], ".netrc"),
    rule(&["_netrc"], "_netrc"),
    rule(&[".npmrc"], ".npmrc"),
    rule(&[".pypirc"], ".pypirc"),
    rule(&[".pgpass"], ".pgpass"),
    rule(&["pgpass.conf"], "pgpass.conf"),
    rule(&[".my.cnf"], ".my.cnf"),
    rule(&[".mylogin.cnf"], ".mylogin.cnf"),
    rule(&[".git-credentials"], ".git-credentials"),
    rule(&[".htpasswd"], ".htpasswd"),
    rule(&[".dockercfg"], ".dockercfg"),
    rule(&[".vault-token"], ".vault-token"),
    rule(&[".s3cfg"], ".s3cfg"),
    rule(&[".boto"], ".boto"),
    rule(&["id_rsa"], "id_rsa"),
    rule(&["id_dsa"], "id_dsa"),
    rule(&["id_ecdsa"], "id_ecdsa"),
    rule(&["id_ecdsa_sk"], "id_ecdsa_sk"),
    rule(&["id_ed25519"], "id_ed25519"),
    rule(&["id_ed25519_sk"], "id_ed25519_sk"),
    rule(&["credentials", ".aws"], ".aws/credentials"),
    rule(&["config", ".aws"], ".aws/config"),
    rule(&["config.json", ".docker"], ".docker/config.json"),
    rule(&["config", ".kube"], ".kube/config"),
    rule(&["credentials", ".cargo"], ".cargo/credentials"),
    rule(&["credentials.toml", ".cargo"], ".cargo/credentials.toml"),
    rule(&["credentials", ".gem"], ".gem/credentials"),
    rule(&["credentials", "git", ".config"], ".config/git/credentials"),
    rule(&["hosts.yml", "gh", ".config"], ".config/gh/hosts.yml"),
    rule(&["rclone.conf", "rclone", ".config"], ".config/rclone/rclone.conf"),
    rule(&["credentials.tfrc.json"], "credentials.tfrc.json"),
    rule(&["application_default_credentials.json"], "application_default_credentials.json"),
];

/// Directories: every file below them, however deep.
const DIRECTORIES: &[Rule] = &[
    rule(&[".ssh"], ".ssh/**"),
    rule(&[".gnupg"], ".gnupg/**"),
    rule(&["sso", ".aws"], ".aws/sso/**"),
    rule(&["gcloud", ".config"], ".config/gcloud/**"),
];

/// What a file's name ends with. A Terraform state holds the passwords of what it manages in the clear.
const ENDINGS: &[Rule] = &[
    rule(&[".pem"], "*.pem"),
    rule(&[".key"], "*.key"),
    rule(&[".p12"], "*.p12"),
    rule(&[".pfx"], "*.pfx"),
    rule(&[".jks"], "*.jks"),
    rule(&[".keystore"], "*.keystore"),
    rule(&[".ppk"], "*.ppk"),
    rule(&[".kdbx"], "*.kdbx"),
    rule(&[".tfstate"], "*.tfstate"),
    rule(&[".tfstate.backup"], "*.tfstate.backup"),
];

/// What ends a variant of `.env` that shows which variables there are, but not their values.
const HARMLESS_ENV: &[&str] =
    &[".example", ".sample", ".template", ".dist", ".defaults", ".tmpl", ".tpl", ".schema"];

/// The rule that says a file of this name holds secrets, as it may stand in a message.
#[must_use]
pub fn holds_secrets(path: &Path) -> Option<&'static str> {
    let path = path.as_os_str().as_encoded_bytes();
    let name = components(path).next()?;
    by_ending(name)
        .or_else(|| by_env(name))
        .or_else(|| find(FILES, |components| ends_with(path, components)))
        .or_else(|| by_directory(path))
}

fn find(rules: &'static [Rule], matches: impl Fn(&[&str]) -> bool) -> Option<&'static str> {
    rules.iter().find(|rule| matches(rule.components)).map(|rule| rule.text)
}

fn by_ending(name: &[u8]) -> Option<&'static str> {
    find(ENDINGS, |ending| ending.iter().any(|ending| has_ending(name, ending)))
}

fn by_env(name: &[u8]) -> Option<&'static str> {
    let is_variant = name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b".env."));
    (is_variant && !HARMLESS_ENV.iter().any(|ending| has_ending(name, ending))).then_some(".env.*")
}

fn by_directory(path: &[u8]) -> Option<&'static str> {
    // Every directory rule is about a name with a dot in front.
    memchr::memmem::find(path, b".").and_then(|_| {
        let mut rest = path;
        loop {
            if let Some(text) = find(DIRECTORIES, |components| ends_with(rest, components)) {
                return Some(text);
            }
            rest = &rest[..rest.iter().rposition(|&b| is_separator(b))?];
        }
    })
}

/// Whether the last components of `path` are these, the last one first.
fn ends_with(path: &[u8], names: &[&str]) -> bool {
    let mut components = components(path);
    names.iter().all(|name| components.next().is_some_and(|c| c.eq_ignore_ascii_case(name.as_bytes())))
}

/// The components of a path, the last one first, without empty ones and `.`.
fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.rsplit(|&b| is_separator(b)).map(trimmed).filter(|component| !matches!(*component, b"" | b"."))
}

/// Windows takes no notice of dots and spaces at the end of a name.
fn trimmed(component: &[u8]) -> &[u8] {
    let ignored = |b: &u8| cfg!(windows) && matches!(b, b'.' | b' ');
    let end = component.iter().rposition(|b| !ignored(b)).map_or(0, |last| last + 1);
    &component[..end]
}

fn is_separator(byte: u8) -> bool {
    byte == b'/' || cfg!(windows) && byte == b'\\'
}

fn has_ending(name: &[u8], ending: &str) -> bool {
    name.len()
        .checked_sub(ending.len())
        .is_some_and(|start| name[start..].eq_ignore_ascii_case(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_secrets() {
        for (path, rule) in [
            (".env", ".env"),
            ("app/.env", ".env"),
            (".ENV", ".env"),
            (".env.local", ".env.*"),
            (".env.production", ".env.*"),
            (".env.example.local", ".env.*"),
            ("certs/server.pem", "*.pem"),
            (".pem", "*.pem"),
            ("server.KEY", "*.key"),
            ("a.p12", "*.p12"),
            ("a.pfx", "*.pfx"),
            ("debug.keystore", "*.keystore"),
            ("a.jks", "*.jks"),
            ("putty.ppk", "*.ppk"),
            ("terraform.tfstate", "*.tfstate"),
            ("terraform.tfstate.backup", "*.tfstate.backup"),
            ("keys/id_rsa", "id_rsa"),
            ("id_ed25519", "id_ed25519"),
            ("/home/me/.netrc", ".netrc"),
            (".npmrc", ".npmrc"),
            (".aws/credentials", ".aws/credentials"),
            ("/home/me/.AWS//./Config", ".aws/config"),
            (".aws/sso/cache/0af.json", ".aws/sso/**"),
            (".ssh/config", ".ssh/**"),
            ("/home/me/.ssh/keys/work.pub", ".ssh/**"),
            (".ssh", ".ssh/**"),
            (".gnupg/private-keys-v1.d/0A.key", "*.key"),
            (".gnupg/trustdb.gpg", ".gnupg/**"),
            (".docker/config.json", ".docker/config.json"),
            (".kube/config", ".kube/config"),
            (".cargo/credentials.toml", ".cargo/credentials.toml"),
            (".config/gh/hosts.yml", ".config/gh/hosts.yml"),
            (".config/gcloud/legacy/x.db", ".config/gcloud/**"),
            (".git-credentials", ".git-credentials"),
        ] {
            assert_eq!(holds_secrets(Path::new(path)), Some(rule), "{path}");
        }
    }

    #[test]
    fn harmless_names() {
        for path in [
            "",
            "/",
            ".env.example",
            "app/.env.sample",
            ".env.template",
            ".env.dist",
            ".envrc",
            "env",
            "id_rsa.pub",
            "id_rsa_test.rs",
            "src/keys.rs",
            "monkey",
            "a.key.md",
            "pem",
            "aws/credentials",
            ".aws/README.md",
            "credentials",
            "config",
            ".cargo/config.toml",
            "docs/.sshx/y",
            "config.json",
            "gh/hosts.yml",
            "credentials.json",
            "./src/../lib.rs",
        ] {
            assert_eq!(holds_secrets(Path::new(path)), None, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_utf8() {
        use std::os::unix::ffi::OsStrExt;
        let path = |bytes: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(bytes));
        assert_eq!(holds_secrets(path(b"\xff/\xfe.pem")), Some("*.pem"));
        assert_eq!(holds_secrets(path(b"\xff/.env.\xfe")), Some(".env.*"));
        assert_eq!(holds_secrets(path(b"\xff\xfe")), None);
    }
}
