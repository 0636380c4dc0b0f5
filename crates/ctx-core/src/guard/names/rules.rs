//! Which names suggest secrets: one line a rule, written as it is in messages.
//!
//! From the manuals of the programs that write these files, `GitHub`'s list of `gitignore` templates
//! (<https://github.com/github/gitignore>) and the file rules of `gitleaks` and `detect-secrets`.

/// Files: the last components of the path.
pub(super) const FILES: &[&str] = &[
    // Logins of network programs and databases.
    ".netrc",
    "_netrc",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".htpasswd",
    ".git-credentials",
    ".config/git/credentials",
    ".passwd-s3fs",
    ".s3cfg",
    ".boto",
    "etc/shadow",
    // Package registries and build tools.
    ".npmrc",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    // Containers and clusters.
    ".docker/config.json",
    ".dockercfg",
    ".dockerconfigjson",
    ".config/containers/auth.json",
    ".kube/config",
    "kubeconfig",
    "kubeconfig.yaml",
    "kubeconfig.yml",
    "kubeconfig.json",
    // Clouds and infrastructure.
    ".aws/credentials",
    ".aws/config",
    ".azure/accessTokens.json",
    ".azure/msal_token_cache.json",
    ".oci/config",
    ".config/doctl/config.yaml",
    ".fly/config.yml",
    "credentials.json",
    "client_secret.json",
    "client_secrets.json",
    "service-account.json",
    "service_account.json",
    "application_default_credentials.json",
    "credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".streamlit/secrets.toml",
    ".kaggle/kaggle.json",
    ".config/rclone/rclone.conf",
    // Forges.
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/glab-cli/config.yml",
    // Model CLIs.
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".qwen/oauth_creds.json",
    "opencode/auth.json",
    ".config/github-copilot/apps.json",
    ".config/github-copilot/hosts.json",
    "io.datasette.llm/keys.json",
    ".config/goose/secrets.yaml",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".mysql_history",
    ".psql_history",
];

/// Directories: every file below them, however deep.
pub(super) const DIRECTORIES: &[&str] = &[
    ".ssh/**",
    ".gnupg/**",
    ".aws/sso/**",
    ".aws/cli/cache/**",
    ".config/gcloud/**",
    ".password-store/**",
    ".local/share/keyrings/**",
];

/// What a name ends with. A Terraform state holds the passwords of what it manages in the clear.
pub(super) const ENDINGS: &[&str] = &[
    "*.pem",
    "*.key",
    "*.p8",
    "*.pk8",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.jceks",
    "*.keystore",
    "*.keytab",
    "*.agekey",
    "*.ppk",
    "*.kdbx",
    "*.kubeconfig",
    "*.tfstate",
    "*.tfvars",
    "*.tfvars.json",
];

/// SSH's own names for keys; `_work` or `-github` may follow, `.pub` is public.
pub(super) const SSH_KEYS: &[&str] =
    &["id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"];

/// What editors, people and installers append to the name of a copy.
pub(super) const COPIES: &[&str] =
    &["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp", ".copy"];

/// The word in the name of a `.env` that shows which variables there are, but not their values.
pub(super) const HARMLESS_ENV: &[&str] =
    &["example", "sample", "template", "dist", "defaults", "tmpl", "tpl", "schema"];
