//! Questions about memory models, decided on automata (thesis ch. 3).

pub mod answer;
pub mod automata;
pub mod brute;
pub mod certify;
pub mod class;
pub mod context;
mod cover;
pub mod fact;
pub mod lower;
pub mod nfa;
mod pairs;
pub mod properties;
pub mod question;
mod recursion;
pub mod reorder;
mod saturate;
pub mod search;
pub mod show;
mod simulation;
pub mod term;
mod used;
pub mod witness;
