//! Names: what a program calls its own things. Reports speak in these words; the exploration does not care.

use crate::{ErrorKind, SourcePlace, Stateful};
use selvedge_graph::{Loc, Value};

/// The program's own words, for reports.
pub trait Names: Stateful {
    /// Where in the source a state stands.
    fn place(&self, _state: &Self::State) -> Option<SourcePlace> {
        None
    }

    /// The calls that led to a state, the innermost first: functions, and where each stands.
    fn stack(&self, _state: &Self::State) -> Vec<(String, Option<SourcePlace>)> {
        Vec::new()
    }

    /// What the program takes a value of a location for, as far as that is known: `i32`, `pointer`.
    fn value_type(&self, _loc: Loc, _value: Value) -> Option<String> {
        None
    }

    /// A location in the program's own words.
    fn location_name(&self, loc: Loc) -> String {
        format!("location {}", loc.0)
    }

    /// A value that a location holds, in the program's own words.
    fn value_name(&self, _loc: Loc, value: Value) -> String {
        value.to_string()
    }

    /// What a thread is called.
    fn thread_name(&self, _state: &Self::State) -> String {
        String::new()
    }

    /// Whether the access that a state stands at is volatile.
    fn is_volatile(&self, _state: &Self::State) -> bool {
        false
    }

    /// What a race, or a read of memory that was never written, is called at this state: wrong use of what
    /// the library does there.
    fn misuse(&self, _state: &Self::State) -> Option<ErrorKind> {
        None
    }
}
