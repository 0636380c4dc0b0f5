//! Strings of alternating runs of two characters, and their written form.

use std::fmt;

/// A run of the first character, a run of the second, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs([Run; 2]);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    length: usize,
    /// One character, or a few that belong together.
    unit: String,
}

impl Runs {
    /// Repeats the first unit `lengths[0]` times, then the second `lengths[1]` times.
    #[allow(dead_code, reason = "the benchmark only reads them")]
    pub fn new(lengths: [usize; 2], units: [&str; 2]) -> Self {
        let run = |index: usize| Run { length: lengths[index], unit: units[index].to_owned() };
        Self([run(0), run(1)])
    }

    /// Reads the form that [`fmt::Display`] writes: each length and the code points, `31 3d 33 d+a`.
    pub fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [length, unit, other_length, other_unit] = words.as_slice() else { return None };
        let character = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        let run = |length: &str, unit: &str| {
            let unit: Option<String> = unit.split('+').map(character).collect();
            Some(Run { length: length.parse().ok()?, unit: unit? })
        };
        Some(Self([run(length, unit)?, run(other_length, other_unit)?]))
    }

    /// The two runs, repeated until they have at least `bytes` bytes.
    pub fn text(&self, bytes: usize) -> String {
        let once: String = self.0.iter().map(|run| run.unit.repeat(run.length)).collect();
        once.repeat(bytes.div_ceil(once.len().max(1)))
    }

    /// Whether the two have a character in common.
    #[allow(dead_code, reason = "the benchmark only reads them")]
    pub fn is_akin(&self, other: &Self) -> bool {
        self.0.iter().any(|one| other.0.iter().any(|other| one.unit == other.unit))
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code_points =
            |unit: &str| unit.chars().map(|c| format!("{:x}", u32::from(c))).collect::<Vec<_>>().join("+");
        let [one, other] = &self.0;
        let [code, other_code] = [code_points(&one.unit), code_points(&other.unit)];
        write!(f, "{} {code} {} {other_code}", one.length, other.length)
    }
}
