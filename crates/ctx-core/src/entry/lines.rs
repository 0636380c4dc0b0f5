//! Lines of a file: `10-40`, and how people write them after its path.

use std::fmt;
use std::str::FromStr;

use super::Kind;
use super::value::number_of;
use crate::words::WrongText;

/// Lines of a file, counted from 1, including both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first line.
    pub first: u64,
    /// The last line; `None` for the last line of the file.
    pub last: Option<u64>,
}

/// A path followed by lines, such as `src/a.rs:10-40`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranged<'a> {
    /// The path.
    pub path: &'a str,
    /// The lines.
    pub lines: Lines,
}

fn reversed(first: u64, last: u64) -> WrongText {
    WrongText::new(format!("the last line, {last}, comes before the first, {first}"))
}

impl Lines {
    /// How many lines of the file come before them.
    #[must_use]
    pub fn before(self) -> u64 {
        self.first - 1
    }

    /// Checks that a file can have these lines.
    ///
    /// # Errors
    /// If a file cannot have them; the error explains why.
    pub fn check(self) -> Result<(), WrongText> {
        match self {
            Self { first: 0, .. } | Self { last: Some(0), .. } => {
                Err(WrongText::new("line numbers start at 1"))
            }
            Self { first, last: Some(last) } if last < first => Err(reversed(first, last)),
            Self { .. } => Ok(()),
        }
    }

    /// Whether there is no line between these and later ones, so that the two form one range.
    #[must_use]
    pub fn touches(self, later: Self) -> bool {
        self.last.is_none_or(|last| later.first <= last.saturating_add(1))
    }

    /// Whether this line is one of them.
    #[must_use]
    pub fn contains(self, line: u64) -> bool {
        self.overlaps(Self { first: line, last: Some(line) })
    }

    /// Whether they have a line in common.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        let reaches = |one: Self, other: Self| one.last.is_none_or(|last| other.first <= last);
        reaches(self, other) && reaches(other, self)
    }

    /// The union of these and later ones that they touch.
    #[must_use]
    pub fn united(self, later: Self) -> Self {
        let last = self.last.zip(later.last).map(|(one, other)| one.max(other));
        Self { first: self.first.min(later.first), last }
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) if last == self.first => write!(f, "{last}"),
            Some(last) => write!(f, "{}-{last}", self.first),
            None => write!(f, "{}-", self.first),
        }
    }
}

impl FromStr for Lines {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Self, WrongText> {
        let number = |text: &str| Some(text).filter(|text| !text.is_empty()).and_then(number_of);
        let lines = match text.split_once('-') {
            None => number(text).map(|line| Self { first: line, last: Some(line) }),
            Some((first, "")) => number(first).map(|first| Self { first, last: None }),
            Some((first, last)) => {
                number(first).zip(number(last)).map(|(first, last)| Self { first, last: Some(last) })
            }
        };
        lines.ok_or(WrongText::new("not lines like 10, 10-40 or 10-"))
    }
}

impl<'a> Ranged<'a> {
    /// Parses text that ends in lines: `PATH:10`, `PATH:10-40`, `PATH:10-`, `PATH#L10`, `PATH#L10-L40`,
    /// `PATH#L10-40`, and `PATH:10:5`, where 5 is a column. The caller checks whether a file really has such
    /// a name.
    #[must_use]
    pub fn of(text: &'a str) -> Option<Self> {
        let ranged =
            Self::by_fragment(text).or_else(|| Self::by_column(text)).or_else(|| Self::by_colon(text));
        ranged.filter(|ranged| !ranged.path.is_empty() && Kind::of(text) == Kind::Path)
    }

    /// Whether text ends in lines as links to code have them: `#L10-L40`.
    #[must_use]
    pub fn is_fragment(text: &str) -> bool {
        Ranged::by_fragment(text).is_some()
    }

    fn by_fragment(text: &'a str) -> Option<Self> {
        let (path, fragment) = text.rsplit_once("#L")?;
        let lines = match fragment.split_once('-') {
            Some((_, "")) => return None,
            Some((first, last)) => format!("{first}-{}", last.strip_prefix('L').unwrap_or(last)).parse(),
            None => fragment.parse(),
        };
        Some(Self { path, lines: lines.ok()? })
    }

    fn by_column(text: &'a str) -> Option<Self> {
        let (rest, column) = text.rsplit_once(':')?;
        let (path, line) = rest.rsplit_once(':')?;
        let line = number_of(line).filter(|_| !line.is_empty())?;
        (!column.is_empty() && number_of(column).is_some())
            .then_some(Self { path, lines: Lines { first: line, last: Some(line) } })
    }

    fn by_colon(text: &'a str) -> Option<Self> {
        let (path, lines) = text.rsplit_once(':')?;
        Some(Self { path, lines: lines.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ranges_are_parsed_in_every_form() {
        for (text, path, lines) in [
            ("a.rs:10", "a.rs", "10"),
            ("a.rs:10-40", "a.rs", "10-40"),
            ("a.rs:10-", "a.rs", "10-"),
            ("a.rs#L10", "a.rs", "10"),
            ("a.rs#L10-L40", "a.rs", "10-40"),
            ("a.rs#L10-40", "a.rs", "10-40"),
            ("a.rs:10:5", "a.rs", "10"),
            ("~/x y/a:b.rs:7-7", "~/x y/a:b.rs", "7"),
            ("a.rs:0", "a.rs", "0"),
            ("a.rs:40-10", "a.rs", "40-10"),
        ] {
            let Ranged { path: found, lines: told } = Ranged::of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found, told.to_string().as_str()), (path, lines), "{text}");
        }
        for text in [
            "a.rs",
            ":10",
            "#L3",
            "a.rs:",
            "a.rs:-4",
            "a.rs:x",
            "a.rs:1-x",
            "a.rs:+1",
            "a.rs#L",
            "a.rs#10",
            "a.rs#L1-",
            "a.rs:99999999999999999999",
            "git:diff:10",
            "cmd:make:10",
            "!a.rs:10",
            "-",
        ] {
            assert_eq!(Ranged::of(text), None, "{text}");
        }
    }

    #[test]
    fn lines_that_no_file_can_have_are_refused() {
        let check = |text: &str| text.parse::<Lines>().unwrap().check();
        assert_eq!(check("0"), Err(WrongText::new("line numbers start at 1")));
        assert_eq!(check("0-3"), Err(WrongText::new("line numbers start at 1")));
        assert_eq!(check("4-3"), Err(WrongText::new("the last line, 3, comes before the first, 4")));
        assert_eq!([check("1"), check("3-3"), check("7-")], [Ok(()), Ok(()), Ok(())]);
    }

    #[test]
    fn ranges_that_touch_are_united() {
        let lines = |text: &str| text.parse::<Lines>().unwrap();
        assert!(lines("1-4").touches(lines("5-6")) && !lines("1-4").touches(lines("6")));
        assert!(lines("3-").touches(lines("90")));
        assert_eq!(lines("1-4").united(lines("2-3")), lines("1-4"));
        assert_eq!(lines("1-4").united(lines("5-")), lines("1-"));
    }
}
