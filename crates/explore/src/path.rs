//! Paths: the decisions that lead from the empty graph to another one, and units of work that are
//! named by them.
//!
//! The explorer is deterministic, so the alternatives that it took say which graph it is at. A path is
//! small, it can be written to a file, and whoever has one can go there and explore on. That is how
//! workers share work and how an exploration that was interrupted goes on; no graph or thread state
//! ever changes hands.

use crate::frame::Frame;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// What paths mean: it changes whenever the explorer takes other decisions, or takes them in another order,
/// so that nobody goes on from a path of another version.
pub const FORMAT: u32 = 1;

/// One decision. The order of steps is the order in which the explorer tries them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// The program chose this.
    Choice(u32),
    /// A read reads from the write at this place in coherence.
    Source(Reverse<u32>),
    /// A write goes to this place in coherence.
    Place(Reverse<u32>),
    /// A write revisits the read at this place of the insertion order.
    Revisit(Reverse<u32>),
    /// A write that revisits goes to this place in coherence.
    RevisitPlace(Reverse<u32>),
}

impl Step {
    /// The decision that a frame stands for; `None` if there was nothing to decide.
    pub(crate) fn of(frame: &Frame) -> Option<Step> {
        match *frame {
            Frame::Plain { .. } | Frame::Lost(_) => None,
            Frame::Choice { next, .. } => Some(Step::Choice(next - 1)),
            Frame::Read(frame) => Some(Step::Source(Reverse(frame.next))),
            Frame::Place(frame) => Some(Step::Place(Reverse(frame.next + 1))),
            Frame::Revisit { scan, .. } => Some(Step::Revisit(Reverse(scan))),
            Frame::Revisited(frame) => Some(Step::RevisitPlace(Reverse(frame.next + 1))),
        }
    }
}

/// The decisions that lead to a graph.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Path(pub(crate) Vec<Step>);

impl Path {
    pub(crate) fn of(frames: &[Frame]) -> Path {
        Path(frames.iter().filter_map(Step::of).collect())
    }
}

/// Some of what is to be explored: what follows the graph at the end of a path, and the later
/// alternatives of some decisions on the way.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Unit {
    pub(crate) path: Path,
    /// By step: whether its later alternatives belong to this unit.
    pub(crate) open: Vec<bool>,
    /// What follows the graph at the end belongs to someone else.
    pub(crate) skip: bool,
}

impl Unit {
    /// All there is to explore.
    pub fn root() -> Unit {
        Unit::default()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Unit { path: self.clone(), open: vec![false; self.0.len()], skip: false }.fmt(f)
    }
}

impl FromStr for Path {
    type Err = NoUnit;

    fn from_str(text: &str) -> Result<Path, NoUnit> {
        let unit: Unit = text.parse()?;
        if unit.skip || unit.open.contains(&true) { Err(NoUnit) } else { Ok(unit.path) }
    }
}

/// `s3p2+r7+v1` and the like: a letter and a number for each step, `+` for those with later
/// alternatives; `/` at the end if what follows is not part of it.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (step, open) in self.path.0.iter().zip(&self.open) {
            let (letter, number) = match *step {
                Step::Choice(n) => ('c', n),
                Step::Source(Reverse(n)) => ('s', n),
                Step::Place(Reverse(n)) => ('p', n),
                Step::Revisit(Reverse(n)) => ('r', n),
                Step::RevisitPlace(Reverse(n)) => ('v', n),
            };
            write!(f, "{letter}{number}{}", if *open { "+" } else { "" })?;
        }
        f.write_str(if self.skip { "/" } else { "" })
    }
}

/// A text that is no unit of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it names no unit of work")]
pub struct NoUnit;

impl FromStr for Unit {
    type Err = NoUnit;

    fn from_str(text: &str) -> Result<Unit, NoUnit> {
        let mut unit = Unit::default();
        let (text, skip) = match text.strip_suffix('/') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        unit.skip = skip;
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let after = &rest[letter.len_utf8()..];
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let number: u32 = after[..digits].parse().map_err(|_| NoUnit)?;
            // One more than any of them must still be a number.
            if number == u32::MAX {
                return Err(NoUnit);
            }
            unit.path.0.push(match letter {
                'c' => Step::Choice(number),
                's' => Step::Source(Reverse(number)),
                'p' => Step::Place(Reverse(number)),
                'r' => Step::Revisit(Reverse(number)),
                'v' => Step::RevisitPlace(Reverse(number)),
                _ => return Err(NoUnit),
            });
            rest = &after[digits..];
            let open = rest.starts_with('+');
            unit.open.push(open);
            rest = if open { &rest[1..] } else { rest };
        }
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_back_as_they_were_written() {
        for text in ["", "/", "s3p2+r7+v1", "c0+s0/"] {
            let unit: Unit = text.parse().expect("a unit");
            assert_eq!(unit.to_string(), text);
        }
        for text in ["s", "x3", "s3 p2", "s99999999999", "s4294967295", "+", "s3++", "é"] {
            assert_eq!(text.parse::<Unit>(), Err(NoUnit), "{text}");
        }
    }

    #[test]
    fn the_order_of_paths_is_the_order_of_exploration() {
        let path = |text: &str| text.parse::<Unit>().expect("a unit").path;
        // Later sources and places first, places before revisits, later reads first.
        for (first, second) in [("s3", "s2"), ("c0", "c1"), ("p1", "r9"), ("r9v1", "r8v2"), ("s3p1", "s2p5")]
        {
            assert!(path(first) < path(second), "{first} {second}");
        }
    }
}
