//! Concurrent structures, right and wrong. A structure has a parameter `BUG`; where it is true, one ordering is
//! weaker, or one step is left out. Tests that begin with `wrong` must fail.
//!
//! `// expect:` above a test is checked by Selvedge's own tests: verdict, kind of the error, executions.

mod barrier;
mod channel;
mod chase_lev;
mod hazard;
#[cfg(test)]
mod library;
mod mpmc;
mod ms_queue;
mod once;
mod rcu;
mod seqlock;
mod spsc;
