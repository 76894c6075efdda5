//! What is worked out of a function before it runs.

use super::Options;
use super::native::Native;
use super::zne::LOCKS;
use crate::annotated::annotated;
use selvedge_ir::analysis::failures::{Waiting, waiting_failures};
use selvedge_ir::analysis::nesting::nesting;
use selvedge_ir::analysis::retry::loads_before_loops;
use selvedge_ir::{Function, Instr, Module, Net};

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// It is part of the library: messages are about its caller.
    pub runtime: bool,
    /// It takes a lock or gives it back.
    pub locks: bool,
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
    /// By instruction, whether and how the thread waits after this compare-and-exchange failed; empty if
    /// there is none.
    pub waiting_failures: Vec<Option<Waiting>>,
}

impl FunctionInfo {
    /// Of a function that is well-formed.
    pub fn new(module: &Module, function: &Function, runtime: bool, options: &Options) -> FunctionInfo {
        let native = if function.code.is_empty() { Native::named(&function.name) } else { None };
        let annotated = annotated(module, function);
        let bounds = function.loops.iter().zip(annotated);
        let bounds = bounds.map(|(l, said)| bound(function, l.place.line, options, said)).collect();
        let mut waits = Vec::new();
        for instr in &function.code {
            if let Instr::SpinBlock { number } | Instr::Rmw { net: Net::Tentative(number), .. } = instr {
                waits.resize(function.code.len(), false);
                waits[function.loops[*number as usize].header as usize] = true;
            }
        }
        let loads_before = loads_before_loops(function);
        FunctionInfo {
            runtime,
            locks: runtime && LOCKS.contains(&function.name.as_str()),
            native,
            bounds,
            within: nesting(function),
            waits,
            waiting_failures: waiting_failures(function, &loads_before),
            loads_before,
        }
    }
}

/// The command line comes before what the program says itself.
fn bound(function: &Function, line: u32, options: &Options, said: Option<u32>) -> u32 {
    let fits = |b: &&crate::LoopBound| {
        b.function.as_ref().is_none_or(|f| *f == function.name) && b.line.is_none_or(|l| l == line)
    };
    options.unroll_some.iter().find(fits).map_or(said.unwrap_or(options.unroll), |b| b.bound)
}
