//! The colours, by meaning: from the sixteen that every terminal's theme defines, without the bright ones, so that
//! they are readable on dark and light backgrounds.

use owo_colors::Style;

/// All right, or in use.
pub const GOOD: Style = Style::new().green();

/// Worth a look; yellow is unreadable on white.
pub const CAUTION: Style = Style::new().magenta();

/// Filling up.
pub const FILLING: Style = Style::new().yellow();

/// Wrong, or not in the block.
pub const BAD: Style = Style::new().red();

/// A tag, a share: things to tell apart.
pub const MARK: Style = Style::new().cyan();

/// A heading, a name.
pub const STRONG: Style = Style::new().bold();

/// Text that a reader may skip.
pub const FAINT: Style = Style::new().dimmed();

/// The terminal's default.
pub const PLAIN: Style = Style::new();
