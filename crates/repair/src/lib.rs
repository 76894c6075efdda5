//! The cheapest fences and orderings under which a program is right, and which of its own it can do without.
//!
//! A program has [`Site`]s: its atomic accesses, in C or in a litmus test. What could be there is a
//! [`Candidate`]: a fence beside an access, or a stronger ordering of it. [`Search`] finds the cheapest of
//! those under which the program is right, and why nothing costs less. To begin with the program as it is
//! makes it a repair (`fix`); to begin with the weakest one, a relaxation (`relax`).

mod candidate;
mod cost;
mod hitting;
mod job;
mod judge;
mod language;
mod litmus;
mod min_cut;
mod premise;
mod program;
mod request;
mod rewrite;
mod scratch;
mod search;
mod shapes;
mod sites;
mod strength;
mod text;

pub use candidate::{
    Access, Candidate, Change, Chosen, Dialect, Effect, Site, TextPlace, With, candidates, changes,
};
pub use cost::{BadCosts, Costs};
pub use job::{Item, Job, JobVerdict, Proposal, Verified, repair_litmus, repair_program};
pub use judge::Judge;
pub use language::Language;
pub use litmus::{LitmusSubject, LitmusWrong};
pub use min_cut::{MinCut, MinCutEnd, min_cut, with_barriers};
pub use premise::doubt;
pub use program::{Program, Start};
pub use request::{Request, Where};
pub use rewrite::{Edit, Edits, apply, assembly_edits, c_edits, diff, mnemonic, one_fence, orders};
pub use search::{Answer, Effort, End, Repair, Search, Subject, Wanted};
pub use strength::{is_within, join};
pub use text::{Call, Calls, Spot, calls_in};
