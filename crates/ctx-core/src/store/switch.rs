//! A setting that is on or off.

use std::str::FromStr;

/// Whether something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// It is.
    On,
    /// It is not.
    #[default]
    Off,
}

impl Switch {
    /// Both, as they are written.
    pub const NAMES: [&str; 2] = ["on", "off"];
}

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            other => Err(format!("invalid value '{other}': use on or off")),
        }
    }
}
