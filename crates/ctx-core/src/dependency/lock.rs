//! Lock files that list packages in tables, as those of cargo, uv and poetry do.

/// One `[[package]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockedPackage {
    pub name: String,
    pub version: String,
    /// Where it is from; `None` for a package of the tree itself.
    pub source: Option<String>,
    /// The SHA-256 of its archive, as cargo writes it.
    pub checksum: Option<String>,
}

/// All packages, in order. Only these keys of each are read.
pub fn packages(text: &str) -> Vec<LockedPackage> {
    let mut packages: Vec<LockedPackage> = Vec::new();
    let mut is_package = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_package = line == "[[package]]";
            if is_package {
                packages.push(LockedPackage::default());
            }
        } else if let (true, Some(package), Some((key, value))) =
            (is_package, packages.last_mut(), line.split_once('='))
        {
            let value = value.trim().trim_matches('"').to_owned();
            match key.trim() {
                "name" => package.name = value,
                "version" => package.version = value,
                "source" => package.source = Some(value),
                "checksum" => package.checksum = Some(value),
                _ => {}
            }
        }
    }
    packages
}

/// The string that a value begins with.
pub fn unquoted(value: &str) -> Option<String> {
    let value = value.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    value[1..].split(quote).next().map(str::to_owned)
}
