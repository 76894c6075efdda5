//! Compiled memory models.
//!
//! A [`Model`] comes from a `.kat` text and answers, about an execution graph: which writes may this
//! read read, where in coherence may this write go, is the graph with this event still consistent, is
//! it erroneous. It never sees a program.
//!
//! The way from text to tables: terms over graph edges (`term`), position automata (`glushkov`),
//! clocks for the causal relations that a model declares as views (`view`), searches of the product of
//! graph and automaton for the rest (`cycle`, `search`, `component`), and the conditions under which a model
//! may drive the exploration at all (`compile`). Models that follow dependencies are evaluated on matrices
//! instead (`relational`); [`Compiled`] is either.

mod classes;
mod compile;
mod compiled;
mod component;
mod cycle;
mod direct;
mod epoch;
mod glushkov;
mod guard;
mod in_order;
mod interleaving;
mod letter;
mod model;
mod parts;
mod persistency;
mod properties;
mod recursion;
pub mod relational;
mod search;
mod steps;
mod strands;
mod table;
mod term;
mod view;

pub use classes::Classes;
pub use compiled::{Compiled, follows_dependencies};
pub use in_order::Buffering;
pub use model::{Model, ModelError, Past, Scratch};
pub use persistency::{Memo as PersistMemo, Order as PersistOrder, Past as PersistPast, Persistency};
pub use properties::{Properties, Standing};
pub use selvedge_kat::{Property, Theory};
