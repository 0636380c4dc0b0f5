//! The one bar: a share, drawn.

use owo_colors::Style;

use super::palette::{BAD, FILLING, GOOD};
use super::ui::Ui;

/// The colour of how much of a budget is used.
pub fn of_budget(percent: u64) -> Style {
    match percent {
        0..50 => GOOD,
        50..90 => FILLING,
        _ => BAD,
    }
}

/// `[######------------]` of so many characters between the brackets; what is over 100 percent fills it.
pub fn drawn(percent: u64, length: u64, style: Style, ui: &Ui) -> String {
    format!("[{}]", ui.paint(strokes(percent, length), style))
}

fn strokes(percent: u64, length: u64) -> String {
    let full = percent.min(100) * length / 100;
    (0..length).map(|place| if place < full { '#' } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::strokes;

    #[test]
    fn bar_fills_up_and_no_further() {
        assert_eq!(strokes(0, 18), "------------------");
        assert_eq!(strokes(34, 18), "######------------");
        assert_eq!(strokes(100, 18), "##################");
        assert_eq!(strokes(250, 4), "####");
    }
}
