//! What is worked out of a function before it runs.

use super::Options;
use super::lock_order::uses_locks;
use super::native::Native;
use super::zne::LOCKS;
use crate::annotated::annotated;
use crate::runtime::is_section_mark;
use selvedge_ir::analysis::attempts::{Called, Counters, counters_of};
use selvedge_ir::analysis::choices::{idle_choices, only_chooses};
use selvedge_ir::analysis::counted::{counted_loops, leaving_loops};
use selvedge_ir::analysis::failures::{Waiting, waiting_failures};
use selvedge_ir::analysis::helping::ignored_outcomes;
use selvedge_ir::analysis::looks::{Looked, looking_loops};
use selvedge_ir::analysis::nesting::nesting;
use selvedge_ir::analysis::polls::polls;
use selvedge_ir::analysis::retry::{confirmed_loops, loads_before_loops};
use selvedge_ir::{FuncId, Function, Instr, Module, Net, Operand, library};
use selvedge_machine::Reduction;

#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// It is part of the library: messages are about its caller.
    pub runtime: bool,
    /// It is of a library whose code is run: messages are about its caller, too.
    pub folded: bool,
    /// It takes a lock or gives it back.
    pub locks: bool,
    /// It begins or ends an atomic section.
    pub section: bool,
    /// It accesses the memory of locks as such.
    pub uses_locks: bool,
    /// It gives locks back: its releasing stores are told apart from others.
    pub unlocks: bool,
    /// What the machine does instead of running it.
    pub native: Option<Native>,
    /// By loop, how often its back edge may be taken, as far as that is counted ([`Self::counting`]).
    pub bounds: Vec<u32>,
    /// By loop, which of its iterations count.
    pub counting: Vec<Counting>,
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
    /// By loop, registers that only bound how often it tries.
    pub counters: Vec<Counters>,
    /// By instruction, the loop that goes round after this load; empty if there is none.
    pub polls: Vec<Option<u32>>,
    /// By loop, whether its iterations only read, and more than once.
    pub looks: Vec<bool>,
    /// By loop, whether what is chosen in it makes no difference to whether it goes round.
    pub idle_choices: Vec<bool>,
    /// It calls a function that says which executions are of interest.
    pub assumes: bool,
}

/// Which iterations of a loop count for its bound.
///
/// A bound is for loops that may go round for ever, as they wait for what others write. Whether a loop goes
/// round once more can only depend on others if it reads something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// All: it has no end of its own, or it was given a bound by its name.
    All,
    /// Those that read something, or pick something.
    Reading,
    /// None: it counts its iterations itself.
    None,
}

/// How deep calls are followed.
const CALLS: u32 = 3;

impl FunctionInfo {
    /// Of a function that is well-formed.
    pub fn new(module: &Module, function: &Function, runtime: bool, options: &Options) -> FunctionInfo {
        let callee = |operand: Operand| match operand {
            Operand::Func(f) => module.functions.get(f.0 as usize).filter(|f| f.code.is_empty()),
            _ => None,
        };
        let assumes = |instr: &Instr| match instr {
            Instr::Call { callee: f, .. } => callee(*f).is_some_and(|f| library::assumes(&f.name)),
            _ => false,
        };
        let native = if function.code.is_empty() { Native::named(&function.name) } else { None };
        let annotated = function.loops.iter().zip(annotated(module, function));
        let bounds: Vec<(u32, bool)> =
            annotated.map(|(l, said)| bound(function, l.place.line, options, said)).collect();
        let by_itself = counted_loops(function);
        let counting = bounds.iter().zip(&by_itself).zip(leaving_loops(function));
        let counting = counting
            .map(|((&(_, named), &counted), leaves)| match (named, counted, leaves) {
                (true, _, _) | (_, false, false) => Counting::All,
                (_, true, _) => Counting::None,
                (_, false, true) => Counting::Reading,
            })
            .collect();
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
        let is_choice = |f: FuncId| {
            let native = callee(Operand::Func(f)).and_then(|f| Native::named(&f.name));
            matches!(native, Some(Native::Choose | Native::Nondet | Native::Input))
        };
        let is_pause = |f: FuncId| callee(Operand::Func(f)).is_some_and(|f| library::only_pauses(&f.name));
        let calls_choices = |f: FuncId| {
            let defined = |f: FuncId| module.functions.get(f.0 as usize);
            let is_harmless = |f: FuncId| is_choice(f) || is_pause(f);
            defined(f).is_some_and(|f| only_chooses(f, &defined, &is_harmless, CALLS))
        };
        FunctionInfo {
            runtime,
            folded: is_of_library(module, function),
            locks: runtime && LOCKS.contains(&function.name.as_str()),
            section: runtime && is_section_mark(&function.name),
            uses_locks: runtime && uses_locks(&function.name),
            unlocks: runtime && options.track_deps && function.name.ends_with("unlock"),
            native,
            bounds: bounds.into_iter().map(|(bound, _)| bound).collect(),
            counting,
            within: nesting(function),
            waits,
            waiting_failures: waiting_failures(function, &loads_before, &confirmed),
            confirmed,
            loads_before,
            counters: counters_of(function, &|f| match module.functions.get(f.0 as usize) {
                Some(f) if !f.code.is_empty() => Called::Defined(f),
                Some(f) if library::only_pauses(&f.name) => Called::Pause,
                _ => Called::Other,
            }),
            ignored_outcomes: if runtime { Vec::new() } else { ignored_outcomes(function) },
            looks: looking_loops(function, |f| match f {
                Operand::Func(id) => match module.functions.get(id.0 as usize) {
                    Some(f) if !f.code.is_empty() => Looked::Defined(f),
                    Some(f) if library::only_pauses(&f.name) => Looked::Pause,
                    _ => Looked::Other,
                },
                _ => Looked::Other,
            }),
            polls: polls(function, |f| callee(f).is_some_and(|f| library::only_pauses(&f.name))),
            idle_choices: idle_choices(function, |f| is_choice(f) || calls_choices(f), is_pause),
            assumes: function.code.iter().any(assumes),
        }
    }
}

impl FunctionInfo {
    /// Whether messages are about its caller.
    pub fn is_folded(&self) -> bool {
        self.runtime || self.folded
    }
}

/// Whether a function is of a language's own library: front ends show where its files are in brackets
/// (`<rust>/alloc/src/sync.rs`). What the compiler makes has no place.
fn is_of_library(module: &Module, function: &Function) -> bool {
    let file = module.files.get(function.place.file as usize);
    function.place.line == 0 && function.name != "main" || file.is_some_and(|file| file.starts_with('<'))
}

/// The bound of a loop, and whether it was named. The command line comes before what the program says itself.
fn bound(function: &Function, line: u32, options: &Options, said: Option<u32>) -> (u32, bool) {
    let fits = |b: &&crate::LoopBound| {
        b.function.as_ref().is_none_or(|f| *f == function.name) && b.line.is_none_or(|l| l == line)
    };
    let named = options.unroll_some.iter().find(fits).map(|b| b.bound).or(said);
    named.map_or((options.unroll, false), |bound| (bound, true))
}
