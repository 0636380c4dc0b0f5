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
        (".env~", ".env"),
        (".env.bak", ".env"),
        (".env-prod", ".env-*"),
        (".env_prod", ".env_*"),
        ("prod.env", "*.env"),
        ("config/Prod.Env.bak", "*.env"),
        (".envrc", ".envrc"),
        (".envrc.local", ".envrc"),
        ("certs/server.pem", "*.pem"),
        (".pem", "*.pem"),
        ("server.KEY", "*.key"),
        ("a.p12", "*.p12"),
        ("a.pfx", "*.pfx"),
        ("debug.keystore", "*.keystore"),
        ("a.jks", "*.jks"),
        ("putty.ppk", "*.ppk"),
        ("terraform.tfstate", "*.tfstate"),
        ("terraform.tfstate.backup", "*.tfstate"),
        ("prod.tfvars", "*.tfvars"),
        ("prod.auto.tfvars.json", "*.tfvars.json"),
        ("AuthKey_ABC.p8", "*.p8"),
        ("admin.kubeconfig", "*.kubeconfig"),
        ("kubeconfig", "kubeconfig"),
        ("deploy/kubeconfig.yaml", "kubeconfig.yaml"),
        ("x.pem~", "*.pem"),
        ("x.key.bak", "*.key"),
        ("x.key.old.bak~", "*.key"),
        ("credentials.json", "credentials.json"),
        ("a/client_secret.json", "client_secret.json"),
        ("keys/id_rsa", "id_rsa"),
        ("id_ed25519", "id_ed25519"),
        ("id_rsa.bak", "id_rsa"),
        ("id_ed25519_work", "id_ed25519"),
        ("id_ed25519_sk", "id_ed25519_sk"),
        ("id_rsa-github~", "id_rsa"),
        ("/home/me/.netrc", ".netrc"),
        (".npmrc", ".npmrc"),
        (".npmrc.bak", ".npmrc"),
        (".netrc~", ".netrc"),
        (".aws/credentials", ".aws/credentials"),
        ("/home/me/.AWS//./Config", ".aws/config"),
        (".aws/sso/cache/0af.json", ".aws/sso/**"),
        (".aws/credentials.bak", ".aws/credentials"),
        ("/home/me/.aws/cli/cache/0af.json", ".aws/cli/cache/**"),
        (".claude/.credentials.json", ".claude/.credentials.json"),
        ("/home/me/.codex/auth.json", ".codex/auth.json"),
        (".gemini/oauth_creds.json", ".gemini/oauth_creds.json"),
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
        ".env.example~",
        ".env-example",
        "example.env",
        "prod.sample.env",
        ".envrc.example",
        ".environment",
        "environment",
        "config.env.js",
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
        "credentials.json.md",
        "auth.json",
        "cli/cache/0af.json",
        "kubeconfig.go",
        "variables.tf",
        "terraform.tfvars.example",
        "id_ed25519_test.go",
        "id_rsa_work.pub",
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
