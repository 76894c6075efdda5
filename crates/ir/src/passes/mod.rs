//! The passes: what is found in a program's text before it is run.
//!
//! [`run`] runs all of them on a module of any front end, in this order; each is described in its file.
//! Before them, [`conventions`] looks at what functions are called, and [`sections`] takes atomic sections
//! apart that need not be any.
//!
//! 0. [`fold`]: control that goes one way only goes there. No reduction: it leaves out what is never run.
//! 1. [`part_early`]: ways that meet only to part again do not meet. No reduction: it makes loops simpler.
//! 2. [`bisimilar`]: what is before a loop and at the end of its iterations becomes one, where it does the
//!    same. This changes which blocks a loop has, so it comes before anything looks at loops.
//! 3. [`loops`]: finds them and puts a [`LoopBack`](crate::Instr::LoopBack) on every back edge. No reduction:
//!    the machine bounds loops by it.
//! 4. [`carry`]: cells of objects that nobody knows go round loops in registers. This takes reads and writes
//!    out of loops, so it comes before what asks whether a loop has any.
//! 5. [`zne`]: marks additions that are taken back. It needs whole loops as they were written, so it comes
//!    before `rotation` copies their tests.
//! 6. [`spin`], with [`rotation`]: back edges of loops that only wait become
//!    [`SpinBlock`](crate::Instr::SpinBlock)s.
//! 7. [`pef`]: headers of loops that still have back edges, and may wait, get a
//!    [`LoopHead`](crate::Instr::LoopHead) that says what to look at when they run. It is the last one, since
//!    it asks which registers are live in what is left.
//!
//! Then the blocks are laid out again ([`Graph::flatten`]).
//!
//! *Invariant:* no access to memory that another thread may see is removed, merged, added or reordered; but
//! for [`sections`] and [`arrivals`], which have arguments of their own.

pub mod arrivals;
pub mod bisimilar;
pub mod carry;
pub mod conventions;
pub mod fold;
pub mod loops;
pub mod part_early;
pub mod pef;
pub mod rotation;
pub mod sections;
pub mod spin;
pub mod unset;
pub mod zne;

use selvedge_machine::{Reduction, Reductions};

use crate::analysis::effects::{Callee, Effects};
use crate::analysis::escape::Allocators;
use crate::analysis::faint::needed_in;
use crate::analysis::pauses::Pauses;
use crate::bytecode::{Function, Instr, Loop, Module};
use crate::cfg::Graph;
use crate::check;
use crate::liveness::live_in;
use loops::LoopBlocks;

/// What waits and what may be left out is found by following each register through each block. In functions
/// that are larger than this, loops are only bounded.
const MOST_LIVE: usize = 1 << 32;

/// Runs all passes on a module, as far as the reductions that they belong to are on.
///
/// Front ends give functions without loops. A function that has some already stays as it is: it has been
/// through the passes, or somebody has marked its loops by hand. So does one that is not well-formed, for
/// whoever runs the module to complain about.
pub fn run(module: &mut Module, reductions: Reductions) {
    conventions::adopt(module);
    if reductions.has(Reduction::Sections) {
        sections::simplify(module);
    }
    if reductions.has(Reduction::Arrivals) {
        arrivals::find(module);
    }
    let graph = |function: &Function| match function.code.iter().any(is_mark) || !function.loops.is_empty() {
        true => None,
        false => check::function(module, function).ok().and_then(|()| Graph::of(function)),
    };
    let mut bodies: Vec<Option<Graph>> = module.functions.iter().map(graph).collect();
    bodies.iter_mut().flatten().for_each(fold::run);
    bodies.iter_mut().flatten().for_each(part_early::run);
    if reductions.has(Reduction::Bisimilarity) {
        bodies.iter_mut().flatten().for_each(bisimilar::merge);
    }
    let mark_loops = |body: &mut Option<Graph>| body.as_mut().map(loops::mark).unwrap_or_default();
    let mut loops: Vec<Vec<LoopBlocks>> = bodies.iter_mut().map(mark_loops).collect();
    if loops.iter().any(|loops| !loops.is_empty()) {
        find_waiting(module, &mut bodies, &mut loops, reductions);
    }
    for ((body, loops), function) in bodies.into_iter().zip(loops).zip(&mut module.functions) {
        let Some(body) = body else { continue };
        let (flat, starts) = body.flatten();
        function.code = flat.code;
        function.places = flat.places;
        function.loops = loops.iter().map(|l| Loop { header: starts[l.header], place: l.place }).collect();
    }
}

/// The passes that look at loops.
fn find_waiting(
    module: &mut Module,
    bodies: &mut [Option<Graph>],
    loops: &mut [Vec<LoopBlocks>],
    reductions: Reductions,
) {
    let callees: Vec<Callee<'_>> = module.functions.iter().zip(&*bodies).map(Callee::of).collect();
    let names: Vec<&str> = module.functions.iter().map(|function| function.name.as_str()).collect();
    let (effects, allocators) = (Effects::new(&callees), Allocators::new(&callees, &names));
    let pauses = Pauses::new(&callees);
    for ((body, loops), function) in bodies.iter_mut().zip(loops).zip(&mut module.functions) {
        let Some(body) = body else { continue };
        if body.blocks.len().saturating_mul(function.regs as usize) >= MOST_LIVE {
            continue;
        }
        if reductions.has(Reduction::Carry) {
            function.regs = carry::carry(body, loops, &allocators, function.regs);
        }
        let regs = function.regs;
        let live_in = |graph: &Graph| match reductions.has(Reduction::Faint) {
            true => needed_in(graph, regs, &effects),
            false => live_in(graph, regs),
        };
        if reductions.has(Reduction::Zne) {
            zne::mark(body, loops, &effects, &pauses, live_in);
        }
        if reductions.has(Reduction::SpinAssume) {
            spin::mark(body, loops, &effects, live_in, reductions.has(Reduction::Rotation));
        }
        // Whether such loops wait is for the machine to decide (`Reduction::Pef`).
        pef::mark(body, loops, &allocators, live_in, reductions.has(Reduction::Escape));
    }
}

/// Whether an instruction is one that the passes put in.
fn is_mark(instr: &Instr) -> bool {
    matches!(instr, Instr::LoopHead { .. } | Instr::LoopBack { .. } | Instr::SpinBlock { .. })
}
