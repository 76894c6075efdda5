//! Questions about memory models, decided on automata (thesis ch. 3).
//!
//! What fails has been evaluated: each refutation is an execution that `selvedge-certify`, the oracle's
//! evaluator, has judged before it is shown. This is the only way from here to the oracle's code; its
//! enumerator is not linked.

mod acquired;
pub mod answer;
pub mod automata;
pub mod brute;
pub mod certify;
pub mod class;
mod compile;
pub mod context;
mod cover;
pub mod fact;
pub mod known;
pub mod lower;
pub mod nfa;
mod pairs;
pub mod premises;
pub mod properties;
pub mod question;
mod recursion;
pub mod reorder;
mod rotate;
mod saturate;
pub mod search;
pub mod show;
mod simulation;
pub mod term;
mod used;
mod within;
pub mod witness;

pub use compile::compile;
