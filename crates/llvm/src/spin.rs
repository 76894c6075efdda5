//! Loops that wait: an iteration that goes round without any effect need not be explored again.
//!
//! The simplest part of chapter 7.2 of the thesis: a loop waits if an iteration that reaches the back edge
//! wrote nothing to memory and left every register that the next iteration may read as it was. The next
//! iteration then starts in the same state, and can only go another way if it reads other values. Reads and
//! fences of the iterations that failed can be left out: without them, what follows is allowed all the more.
//!
//! Only loops are taken for which this is certain. A compare-and-exchange is fine if the loop is left
//! whenever it succeeds, also if it is in a function that the loop calls (`while (!try_lock());`). Every
//! path through the loop counts, so a nested loop is fine if its own registers are set anew.

use selvedge_machine::{Reduction, Reductions};
use selvedge_vm::ir::{FuncId, Instr, Operand, Reg, registers};

use crate::cfg::{Block, Graph};
use crate::follow::{Known, Way, follow};
use crate::loops::Loop;
use crate::registers::{live_in, written};

/// Functions outside of the program that do nothing but let time pass.
const PAUSES: [&str; 8] = [
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "thrd_sleep",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
];

/// What is known of a function that a loop may call.
pub(crate) struct Callee<'a> {
    pub(crate) name: &'a str,
    /// `None` if it is only declared.
    pub(crate) body: Option<&'a Graph>,
}

/// What a call does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    /// It may write, but then it returns this value.
    WritesIfReturns(u64),
    Any,
}

/// What calls to each function do. Functions with loops or recursion may do anything.
pub(crate) struct Effects(Vec<Effect>);

impl Effects {
    pub(crate) fn new(functions: &[Callee<'_>]) -> Effects {
        let mut known = vec![None; functions.len()];
        Effects((0..functions.len()).map(|f| effect_of(functions, f, &mut known)).collect())
    }

    fn of(&self, callee: Operand) -> Effect {
        match callee {
            Operand::Func(FuncId(function)) => self.0[function as usize],
            _ => Effect::Any,
        }
    }
}

fn effect_of(functions: &[Callee<'_>], number: usize, known: &mut Vec<Option<Effect>>) -> Effect {
    if let Some(answer) = known[number] {
        return answer;
    }
    // What recursion finds while this is worked out.
    known[number] = Some(Effect::Any);
    let answer = match functions[number].body {
        None if PAUSES.contains(&functions[number].name) => Effect::None,
        None => Effect::Any,
        Some(body) => effect_of_body(functions, body, known),
    };
    known[number] = Some(answer);
    answer
}

fn effect_of_body(functions: &[Callee<'_>], body: &Graph, known: &mut Vec<Option<Effect>>) -> Effect {
    let mut effect = Effect::None;
    for (block, Block { code, .. }) in body.blocks.iter().enumerate() {
        // What ends here never returns to the loop.
        if matches!(code.last(), Some(Instr::Unreachable)) {
            continue;
        }
        for (position, instr) in code.iter().enumerate() {
            let found = match instr {
                Instr::Call { callee: Operand::Func(FuncId(callee)), .. }
                    if effect_of(functions, *callee as usize, known) == Effect::None =>
                {
                    Effect::None
                }
                Instr::Cmpxchg { dst, bytes, .. } => {
                    returned_on_success(body, block, position, *dst + registers(*bytes))
                }
                Instr::LoopBack { .. } | Instr::SpinBlock { .. } => Effect::Any,
                other if only_reads(other) => Effect::None,
                _ => Effect::Any,
            };
            effect = match (effect, found) {
                (before, Effect::None) => before,
                (Effect::None, found) => found,
                (before, found) if before == found => before,
                _ => Effect::Any,
            };
        }
    }
    effect
}

/// What a function returns if a compare-and-exchange in it succeeds.
fn returned_on_success(body: &Graph, block: usize, position: usize, flag: Reg) -> Effect {
    let mut returned = Vec::new();
    follow(body, (block, position), Known::from([(flag, 1)]), |_| Way::On, &mut returned);
    match returned.split_first() {
        Some((Some(value), others)) if others.iter().all(|other| *other == Some(*value)) => {
            Effect::WritesIfReturns(*value)
        }
        _ => Effect::Any,
    }
}

/// Whether an instruction neither writes to memory nor calls anything.
pub(crate) fn only_reads(instr: &Instr) -> bool {
    use Instr::*;
    match instr {
        Store { .. } | Rmw { .. } | Cmpxchg { .. } | Alloca { .. } | Life { .. } | Call { .. } => false,
        Unsupported { .. } => false,
        Move { .. }
        | Bin { .. }
        | Cmp { .. }
        | Float { .. }
        | FloatCmp { .. }
        | Cast { .. }
        | Overflowing { .. }
        | Bits { .. }
        | Funnel { .. }
        | Select { .. }
        | Offset { .. }
        | Load { .. }
        | Fence { .. }
        | Jump { .. }
        | Branch { .. }
        | Switch { .. }
        | LoopHead { .. }
        | LoopBack { .. }
        | SpinBlock { .. }
        | Return { .. }
        | Unreachable => true,
    }
}

/// Lets the back edges of loops that wait be [`Instr::SpinBlock`]s.
pub(crate) fn mark(
    graph: &mut Graph,
    loops: &mut [Loop],
    regs: Reg,
    effects: &Effects,
    reductions: Reductions,
) {
    if !reductions.has(Reduction::SpinAssume) {
        return;
    }
    // Loops that are certain to write are most; the others need to know what is live.
    let candidates: Vec<usize> =
        (0..loops.len()).filter(|&number| may_wait(graph, &loops[number], effects)).collect();
    if candidates.is_empty() {
        return;
    }
    let live = live_in(graph, regs);
    for number in candidates {
        let found = &loops[number];
        // Whether an iteration that starts with `start` leaves what it may read as it was.
        let waits = |start: usize| {
            let carries = |instr| written(instr).any(|reg| live[start].contains(reg));
            !instructions(graph, found).any(|(_, _, instr)| carries(instr))
                && writing_leaves(graph, found, start, effects)
        };
        let may_rotate = reductions.has(Reduction::Rotation);
        let rotated = body_after_test(graph, found).filter(|&body| may_rotate && waits(body));
        if waits(found.header) {
            wait(graph, found, number as u32);
        } else if let Some(body) = rotated {
            rotate(graph, loops, number, body);
            wait(graph, &loops[number], number as u32);
        }
    }
}

fn instructions<'a>(graph: &'a Graph, found: &'a Loop) -> impl Iterator<Item = (usize, usize, &'a Instr)> {
    found.blocks.iter().flat_map(|&block| {
        graph.blocks[block].code.iter().enumerate().map(move |(position, instr)| (block, position, instr))
    })
}

/// Whether a loop reads, and writes by compare-and-exchange at most.
fn may_wait(graph: &Graph, found: &Loop, effects: &Effects) -> bool {
    // A loop that does not read waits for nothing: it never ends, and is reported as such.
    let reads =
        |instr: &Instr| matches!(instr, Instr::Load { .. } | Instr::Cmpxchg { .. } | Instr::Call { .. });
    instructions(graph, found).any(|(_, _, instr)| reads(instr))
        && instructions(graph, found).all(|(_, _, instr)| match instr {
            Instr::Cmpxchg { .. } => true,
            Instr::Call { callee, .. } => effects.of(*callee) != Effect::Any,
            other => only_reads(other),
        })
}

/// Whether everything that writes leads out of the loop before `start` comes again.
fn writing_leaves(graph: &Graph, found: &Loop, start: usize, effects: &Effects) -> bool {
    let way = |next: usize| match next {
        _ if next == start => Way::Forbidden,
        _ if found.blocks.contains(&next) => Way::On,
        _ => Way::Out,
    };
    instructions(graph, found).all(|(block, position, instr)| {
        let known = match instr {
            Instr::Cmpxchg { dst, bytes, .. } => Known::from([(*dst + registers(*bytes), 1)]),
            Instr::Call { dst, callee, .. } => match (effects.of(*callee), dst) {
                (Effect::WritesIfReturns(value), Some(dst)) => Known::from([(*dst, value)]),
                (Effect::None, _) => return true,
                _ => return false,
            },
            _ => return true,
        };
        follow(graph, (block, position), known, way, &mut Vec::new())
    })
}

/// The first block after the header, if the header only decides whether to go on: as in
/// `v = load(); while (!v) v = load();`, where an iteration is better seen as to start after the test.
fn body_after_test(graph: &Graph, found: &Loop) -> Option<usize> {
    let code = &graph.blocks[found.header].code;
    let (last, before) = code.split_last()?;
    let computes = before
        .iter()
        .all(|instr| only_reads(instr) && !matches!(instr, Instr::Load { .. } | Instr::Fence { .. }));
    let Instr::Branch { then, els, .. } = last else { return None };
    let body = match (found.blocks.contains(&(*then as usize)), found.blocks.contains(&(*els as usize))) {
        (true, false) => *then as usize,
        (false, true) => *els as usize,
        _ => return None,
    };
    let only_way = graph.predecessors()[body] == [found.header];
    (computes && only_way && body != found.header).then_some(body)
}

/// Lets a loop start with `body`: its back edges go to a copy of the test, and that to `body`.
fn rotate(graph: &mut Graph, loops: &mut [Loop], number: usize, body: usize) {
    let header = loops[number].header;
    let test = graph.blocks.len();
    let copy = graph.blocks[header].clone();
    graph.blocks.push(copy);
    for &latch in &loops[number].latches {
        graph.blocks[latch].remove(&Instr::LoopBack { number: number as u32 });
        graph.retarget(latch, header, test);
    }
    let back = graph.on_edge(test, body);
    graph.blocks[back].push_last(Instr::LoopBack { number: number as u32 });
    for other in loops.iter_mut().filter(|other| other.blocks.contains(&header)) {
        other.blocks.extend([test, back]);
    }
    // The first test is before the loop now, unless the loop is in another one.
    loops[number].blocks.remove(&header);
    loops[number].header = body;
    loops[number].latches = vec![back];
}

fn wait(graph: &mut Graph, found: &Loop, number: u32) {
    for &latch in &found.latches {
        for instr in &mut graph.blocks[latch].code {
            if *instr == (Instr::LoopBack { number }) {
                *instr = Instr::SpinBlock { number };
            }
        }
    }
}
