//! Why a check ended before it had explored anything.

use crate::error::InputError;
use crate::observer::Phase;
use selvedge_explore::GaveUp;

/// No exploration came about.
#[derive(Debug)]
pub enum Stopped {
    /// The input is wrong.
    Error(InputError),
    /// A limit was reached, or the end was asked for, in this phase.
    GaveUp(GaveUp, Phase),
}

impl From<InputError> for Stopped {
    fn from(error: InputError) -> Stopped {
        Stopped::Error(error)
    }
}
