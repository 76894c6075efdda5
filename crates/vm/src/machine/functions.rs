//! What is worked out of a function before it runs.

use super::Options;
use super::lock_order::uses_locks;
use super::native::Native;
use super::zne::LOCKS;
use selvedge_ir::analysis::failures::{Waiting, waiting_failures};
use selvedge_ir::analysis::helping::ignored_outcomes;
use selvedge_ir::analysis::nesting::nesting;
use selvedge_ir::analysis::retry::{confirmed_loops, loads_before_loops};
use selvedge_ir::{Function, Instr, Net};
use selvedge_machine::Reduction;

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// It is part of the library: messages are about its caller.
    pub runtime: bool,
    /// It takes a lock or gives it back.
    pub locks: bool,
    /// It accesses the memory of locks as such.
    pub uses_locks: bool,
    /// What the machine does instead of running it.
    pub native: Option<Native>,
    /// By loop, how often its back edge may be taken.
    pub bounds: Vec<u32>,
    /// By loop, the loops within it: they start anew when it goes round.
    pub within: Vec<Vec<u32>>,
    /// By instruction, whether it is the header of a loop that may wait; empty if there is none.
    pub waits: Vec<bool>,
    /// By loop, the load before it that its state depends on.
    pub loads_before: Vec<Option<u32>>,
    /// By loop, whether failures may be weaker than that load; empty if none may.
    pub confirmed: Vec<bool>,
    /// By instruction, whether and how the thread waits after this compare-and-exchange failed; empty if
    /// there is none.
    pub waiting_failures: Vec<Option<Waiting>>,
    /// By instruction, whether it is a compare-and-exchange whose outcome does not matter; empty if there is
    /// none.
    pub ignored_outcomes: Vec<bool>,
}

impl FunctionInfo {
    /// Of a function that is well-formed.
    pub fn new(function: &Function, runtime: bool, options: &Options) -> FunctionInfo {
        let native = if function.code.is_empty() { Native::named(&function.name) } else { None };
        let bounds = function.loops.iter().map(|l| bound(function, l.place.line, options)).collect();
        let mut waits = Vec::new();
        for instr in &function.code {
            if let Instr::SpinBlock { number } | Instr::Rmw { net: Net::Tentative(number), .. } = instr {
                waits.resize(function.code.len(), false);
                waits[function.loops[*number as usize].header as usize] = true;
            }
        }
        let loads_before = loads_before_loops(function);
        let confirmed = match options.reductions.has(Reduction::Confirmation) {
            true => confirmed_loops(function, &loads_before),
            false => Vec::new(),
        };
        FunctionInfo {
            runtime,
            locks: runtime && LOCKS.contains(&function.name.as_str()),
            uses_locks: runtime && uses_locks(&function.name),
            native,
            bounds,
            within: nesting(function),
            waits,
            waiting_failures: waiting_failures(function, &loads_before, &confirmed),
            confirmed,
            loads_before,
            ignored_outcomes: if runtime { Vec::new() } else { ignored_outcomes(function) },
        }
    }
}

fn bound(function: &Function, line: u32, options: &Options) -> u32 {
    let fits = |b: &&crate::LoopBound| {
        b.function.as_ref().is_none_or(|f| *f == function.name) && b.line.is_none_or(|l| l == line)
    };
    options.unroll_some.iter().find(fits).map_or(options.unroll, |b| b.bound)
}
