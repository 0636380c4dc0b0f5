//! The names that suggest secrets: one rule per line, written as in messages.
//!
//! Sources: the manuals of the programs that write these files, `GitHub`'s list of `gitignore` templates
//! (<https://github.com/github/gitignore>) and the file rules of `gitleaks` and `detect-secrets`.

/// Files: the last components of the path.
pub(super) const FILES: &[&str] = &[
    // Logins for network programs and databases.
    ".netrc",
    "_netrc",
    ".authinfo",
    ".pgpass",
    "pgpass.conf",
    ".my.cnf",
    ".mylogin.cnf",
    ".htpasswd",
    ".htdigest",
    ".git-credentials",
    ".config/git/credentials",
    ".passwd-s3fs",
    ".s3cfg",
    ".boto",
    ".smbcredentials",
    ".msmtprc",
    ".fetchmailrc",
    ".esmtprc",
    "sasl_passwd",
    "chap-secrets",
    "pap-secrets",
    "ipsec.secrets",
    "wpa_supplicant.conf",
    ".snowsql/config",
    ".config/snowflake/connections.toml",
    ".snowflake/connections.toml",
    ".erlang.cookie",
    // Logins for file transfer clients: FileZilla, Sublime SFTP, editors' SFTP plugins, rclone.
    "sitemanager.xml",
    "recentservers.xml",
    ".ftpconfig",
    "sftp-config.json",
    ".vscode/sftp.json",
    "rclone.conf",
    ".idea/webServers.xml",
    ".idea/dataSources.local.xml",
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
    ".sentryclirc",
    ".circleci/cli.yml",
    // Passwords of signing keys: Android and Flutter.
    "keystore.properties",
    "key.properties",
    "signing.properties",
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
    "k3s.yaml",
    "kubernetes/admin.conf",
    // Clouds and infrastructure.
    ".aws/credentials",
    ".aws/config",
    ".azure/accessTokens.json",
    ".azure/msal_token_cache.json",
    ".azure/service_principal_entries.json",
    ".oci/config",
    ".config/doctl/config.yaml",
    ".fly/config.yml",
    ".config/scw/config.yaml",
    ".config/hcloud/cli.toml",
    ".config/linode-cli",
    ".config/netlify/config.json",
    "com.vercel.cli/auth.json",
    ".config/.wrangler/config/default.toml",
    ".wrangler/config/default.toml",
    ".supabase/access-token",
    ".railway/config.json",
    ".ngrok2/ngrok.yml",
    "ngrok/ngrok.yml",
    ".modal.toml",
    ".databrickscfg",
    "credentials",
    "credentials.json",
    "credentials.yml",
    "credentials.yaml",
    "credentials.csv",
    "rootkey.csv",
    "application_default_credentials.json",
    "serviceAccountKey.json",
    "credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".vault_pass",
    ".vault_pass.txt",
    ".kaggle/kaggle.json",
    "local.settings.json",
    // Files for an application's secrets, by name: Rails, ASP.NET, Streamlit, Goose, Dynaconf, act.
    "secret.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    ".secrets",
    ".secrets.toml",
    ".secrets.yaml",
    ".secrets.json",
    // Keys of sops and age.
    "sops/age/keys.txt",
    // Keyrings and browser passwords.
    "secring.gpg",
    "logins.json",
    "key3.db",
    "key4.db",
    // Forges.
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/glab-cli/config.yml",
    ".config/tea/config.yml",
    // Model CLIs and model downloaders.
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".qwen/oauth_creds.json",
    "opencode/auth.json",
    ".config/github-copilot/apps.json",
    ".config/github-copilot/hosts.json",
    "io.datasette.llm/keys.json",
    ".aider.conf.yml",
    "huggingface/token",
    "huggingface/stored_tokens",
    // Command histories.
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".ash_history",
    "fish_history",
    ".mysql_history",
    ".psql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".python_history",
    ".node_repl_history",
];

/// Files whose copies cannot be recognised by name: `shadow.5` is a manual page, `shadow-` a copy made by
/// `passwd`.
pub(super) const EXACT: &[&str] = &["shadow", "shadow-", "gshadow", "gshadow-"];

/// Names with any text in place of the `*`.
pub(super) const AROUND: &[&str] = &[
    // Files written by Google's consoles and its GitHub action.
    "client_secret*.json",
    "client-secret*.json",
    "service-account*.json",
    "service_account*.json",
    "gha-creds-*.json",
    // Firebase's console: `shop-firebase-adminsdk-a1b2c-0123456789.json`.
    "*-firebase-adminsdk-*.json",
    // Files written by AWS's console.
    "*_accessKeys.csv",
    "*_credentials.csv",
    // The keys of an SSH server.
    "ssh_host_*_key",
];

/// Directories: every file below them, at any depth.
pub(super) const DIRECTORIES: &[&str] = &[
    ".ssh/**",
    ".gnupg/**",
    ".aws/sso/**",
    ".aws/cli/cache/**",
    ".config/gcloud/**",
    ".password-store/**",
    ".local/share/keyrings/**",
];

/// Name endings. A Terraform state file contains the passwords of all resources that it manages, in plain
/// text.
pub(super) const ENDINGS: &[&str] = &[
    // Keys and key stores: OpenSSL, Apple, PKCS 12, Java, Kerberos, age, PuTTY, Windows.
    "*.pem",
    "*.key",
    "*.p8",
    "*.pk8",
    "*.pvk",
    "*.p12",
    "*.pfx",
    "*.pkcs12",
    "*.jks",
    "*.jceks",
    "*.bks",
    "*.bcfks",
    "*.keystore",
    "*.keytab",
    "*.agekey",
    "*.ppk",
    "*.snk",
    "*.keychain",
    "*.keychain-db",
    // Password managers: KeePass, Password Safe.
    "*.kdb",
    "*.kdbx",
    "*.psafe3",
    // Networks, with keys: OpenVPN, NetworkManager.
    "*.ovpn",
    "*.nmconnection",
    // Clusters and clouds.
    "*.kubeconfig",
    "*.publishsettings",
    "*.tfstate",
    "*.tfvars",
    "*.tfvars.json",
];

/// SSH's own names for keys, and the usual one for a key that deploys; a number, `_work` or `-github` may follow,
/// and `.pub` is public.
pub(super) const SSH_KEYS: &[&str] =
    &["id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk", "deploy_key"];

/// Suffixes that editors, people and installers add to the name of a copy.
pub(super) const COPIES: &[&str] = &[
    "~",
    ".bak",
    ".backup",
    ".bkp",
    ".old",
    ".orig",
    ".prev",
    ".new",
    ".save",
    ".saved",
    ".swp",
    ".swo",
    ".tmp",
    ".temp",
    ".copy",
    ".rej",
    ".rpmsave",
    ".rpmnew",
    ".dpkg-old",
    ".dpkg-dist",
    ".dpkg-new",
    "-old",
    "-bak",
    "_old",
    "_bak",
];

/// The word in the name of a `.env` file that lists variables but not their values.
pub(super) const HARMLESS_ENV: &[&str] =
    &["example", "sample", "template", "dist", "defaults", "tmpl", "tpl", "schema"];
