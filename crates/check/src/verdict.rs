//! What an exploration comes to: one function, from all that is known of it.

use serde::{Serialize, Serializer};

/// The answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every execution was explored, there is a complete one, and none is wrong.
    Verified,
    /// An execution is wrong.
    Violated,
    /// Nothing is wrong up to the bounds of loops.
    Bounded,
    /// There is no answer; [`Outcome::undecided`](crate::Outcome::undecided) says why.
    Unknown,
}

/// All that a verdict depends on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Errors of the program.
    pub errors: usize,
    /// Something is not supported, or the exploration did not come to its end.
    pub unfinished: bool,
    /// Executions that were cut, or places that ran into a bound in whichever.
    pub cut: bool,
    /// Executions in which all threads came to their end.
    pub complete: u64,
}

impl Verdict {
    /// The one that follows from the facts.
    pub fn of(facts: Facts) -> Verdict {
        match facts {
            Facts { errors: 1.., .. } => Verdict::Violated,
            Facts { unfinished: true, .. } => Verdict::Unknown,
            Facts { cut: true, .. } => Verdict::Bounded,
            Facts { complete: 0, .. } => Verdict::Unknown,
            _ => Verdict::Verified,
        }
    }

    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Bounded => "bounded",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: Facts = Facts { errors: 0, unfinished: false, cut: false, complete: 7 };

    #[test]
    fn only_complete_explorations_without_cuts_verify() {
        assert_eq!(Verdict::of(FINE), Verdict::Verified);
        assert_eq!(Verdict::of(Facts { complete: 0, ..FINE }), Verdict::Unknown);
        assert_eq!(Verdict::of(Facts { cut: true, ..FINE }), Verdict::Bounded);
        assert_eq!(Verdict::of(Facts { cut: true, complete: 0, ..FINE }), Verdict::Bounded);
        assert_eq!(Verdict::of(Facts { unfinished: true, cut: true, ..FINE }), Verdict::Unknown);
    }

    #[test]
    fn an_error_is_an_error_whatever_else_there_is() {
        let all = Facts { errors: 1, unfinished: true, cut: true, complete: 0 };
        assert_eq!(Verdict::of(all), Verdict::Violated);
    }
}
