//! The colours, by meaning: of the sixteen that every terminal's theme sets, and none of the bright ones, so that they
//! can be read on dark and on light ground.

use owo_colors::Style;

/// As it should be, or in use.
pub const GOOD: Style = Style::new().green();

/// Worth a look; yellow cannot be read on white.
pub const CAUTION: Style = Style::new().magenta();

/// Filling up.
pub const FILLING: Style = Style::new().yellow();

/// Wrong, or not in the block.
pub const BAD: Style = Style::new().red();

/// A tag, a share: what tells things apart.
pub const MARK: Style = Style::new().cyan();

/// A heading, a name.
pub const STRONG: Style = Style::new().bold();

/// What a reader may skip.
pub const FAINT: Style = Style::new().dimmed();

/// As the terminal has it.
pub const PLAIN: Style = Style::new();
