//! What can be told of a program by looking at its bytecode.
//!
//! Of blocks, for the passes: [`effects`] of calls, [`escape`] of objects, where control may [`follow`],
//! loops that are [`counted`], registers that are [`faint`] or [`limited`]. Of
//! whole functions and modules, for the machine that runs them: [`nesting`] of loops, loads before loops
//! ([`retry`]), loads after which they go round in any case ([`polls`]), loops that look at several things
//! ([`looks`]), [`failures`] that make a thread wait, [`mod@thread_local`] variables that nobody else sees,
//! what may still be written ([`stores`]), and which threads do the same ([`anonymity`]), given what
//! [`external`] functions do.

pub mod anonymity;
pub mod attempts;
pub mod choices;
pub mod counted;
pub mod effects;
pub mod escape;
pub mod external;
pub mod failures;
pub mod faint;
pub mod follow;
pub mod helping;
pub mod limited;
pub mod looks;
pub mod nesting;
pub mod pauses;
pub mod polls;
pub mod retry;
pub mod stores;
pub mod thread_local;
