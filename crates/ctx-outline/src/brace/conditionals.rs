//! What is open at each `#if`, whose branches may each open the same brace.

/// Conditions that are nested deeper are not followed.
const MAX_CONDITIONS: usize = 64;

/// What was open at each `#if`: frames outside bodies, or braces in one.
#[derive(Default)]
pub(super) struct Conditionals {
    open: Vec<usize>,
}

/// What a directive says about the lines after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    If,
    /// `#else`, `#elif` and the like.
    Else,
    EndIf,
    /// `#define` of a macro with parameters.
    DefineFunction,
    Other,
}

impl Conditionals {
    /// Follows a directive while `open` brackets are open, and returns how many are open after it.
    /// `None` when an `#else` belongs to a condition that is not known here.
    pub(super) fn follow(&mut self, directive: Directive, open: usize) -> Option<usize> {
        match directive {
            Directive::If if self.open.len() < MAX_CONDITIONS => self.open.push(open),
            Directive::Else => return self.open.last().copied(),
            Directive::EndIf => {
                self.open.pop();
            }
            Directive::If | Directive::DefineFunction | Directive::Other => {}
        }
        Some(open)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
