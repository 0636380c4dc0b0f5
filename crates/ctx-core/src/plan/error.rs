//! Why there is no plan.

use crate::budget::FitError;
use crate::select::SelectError;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Something about the selection as a whole.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Two documents would have the same label.
    #[error("the label '{0}' is also that of a file")]
    AmbiguousLabel(String),
    /// Files changed while they were being read, again and again.
    #[error("the files change while they are being read")]
    Unsettled,
    /// Nothing fits.
    #[error(transparent)]
    Fit(#[from] FitError),
}
