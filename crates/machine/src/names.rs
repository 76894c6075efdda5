//! Names: what a program calls its own things. Reports speak in these words; the exploration does not care.

use crate::{ErrorKind, SourcePlace, Stateful};
use selvedge_graph::{Loc, Value};
use std::collections::BTreeMap;

/// What an execution shows of the objects that a program makes as it goes, which have no name in the source:
/// a name, and what they are used as.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// By the number of the object.
    pub objects: BTreeMap<u32, Used>,
    /// Numbers for which it comes about, where nobody knows them: by numbers of the machine's own.
    pub examples: BTreeMap<u32, u128>,
}

/// How an object is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// A name that no other object of the execution has: `node#1`.
    pub name: String,
    /// Its type, or that of its elements, by a number of the machine's own.
    pub of_type: Option<u32>,
    /// The size of its elements; the whole if it is no array, 0 if it has no such parts.
    pub element: u64,
}

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

    /// What an execution uses its objects as: `made` are those that it makes, in order, and `accesses` what
    /// is read and written where, each with the state that it is done in.
    fn usage(&self, _made: &[u32], _accesses: &[(Loc, Value, &Self::State)]) -> Usage {
        Usage::default()
    }

    /// Whether a choice that a state stands at is decided by a number from outside.
    fn decides_by_input(&self, _state: &Self::State) -> bool {
        false
    }

    /// Numbers for which threads come to these states ([`Usage::examples`]).
    fn examples(&self, _standings: &mut dyn Iterator<Item = &Self::State>) -> BTreeMap<u32, u128> {
        BTreeMap::new()
    }

    /// A location as an access names it, which is done in a state.
    fn location_in(&self, _usage: &Usage, loc: Loc, _state: Option<&Self::State>) -> String {
        self.location_name(loc)
    }

    /// A value as an access names it.
    fn value_in(&self, _usage: &Usage, loc: Loc, value: Value, _state: Option<&Self::State>) -> String {
        self.value_name(loc, value)
    }

    /// An object as a whole.
    fn object_in(&self, _usage: &Usage, _object: u32) -> Option<String> {
        None
    }

    /// A message of the machine's own, with the names of an execution.
    fn message_in(&self, _usage: &Usage, message: String) -> String {
        message
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
