//! Loops that wait: an iteration that goes round without any effect need not be explored again.
//!
//! The simplest part of chapter 7.2 of the thesis: a loop waits if an iteration that reaches the back edge
//! wrote nothing to memory and left every register that the next iteration may read as it was. The next
//! iteration then starts in the same state, and can only go another way if it reads other values. Reads and
//! fences of the iterations that failed can be left out: without them, what follows is allowed all the more.
//!
//! Only loops are taken for which this is certain. A compare-and-exchange is fine if the loop is left
//! whenever it succeeds. Every path through the loop counts, so a nested loop is fine if its own
//! registers are set anew.

use std::collections::{BTreeMap, HashMap};

use selvedge_vm::ir::{BinOp, CastOp, CmpOp, FuncId, Instr, Operand, Reg};

use crate::cfg::{Graph, targets};
use crate::loops::Loop;
use crate::registers::{live_in, written};

/// Functions outside of the program that do nothing but let time pass.
const PAUSES: [&str; 8] =
    ["sched_yield", "pthread_yield", "thrd_yield", "thrd_sleep", "sleep", "usleep", "nanosleep", "clock_nanosleep"];

/// What is known of a function that a loop may call.
pub(crate) struct Callee<'a> {
    pub(crate) name: &'a str,
    /// `None` if it is only declared.
    pub(crate) body: Option<&'a Graph>,
}

/// Which functions have no effect but their result, and no loops.
pub(crate) struct Effects {
    free: Vec<bool>,
}

impl Effects {
    pub(crate) fn new(functions: &[Callee<'_>]) -> Effects {
        let mut known = vec![None; functions.len()];
        let free = (0..functions.len()).map(|f| is_free(functions, f, &mut known)).collect();
        Effects { free }
    }

    fn allows(&self, callee: Operand) -> bool {
        matches!(callee, Operand::Func(FuncId(f)) if self.free[f as usize])
    }
}

fn is_free(functions: &[Callee<'_>], number: usize, known: &mut Vec<Option<bool>>) -> bool {
    if let Some(answer) = known[number] {
        return answer;
    }
    // Recursion may go on forever, so it is not free.
    known[number] = Some(false);
    let answer = match functions[number].body {
        None => PAUSES.contains(&functions[number].name),
        Some(body) => body.blocks.iter().all(|block| {
            // What ends here never returns to the loop.
            matches!(block.code.last(), Some(Instr::Unreachable))
                || block.code.iter().all(|instr| match instr {
                    Instr::Call { callee: Operand::Func(FuncId(callee)), .. } => {
                        is_free(functions, *callee as usize, known)
                    }
                    Instr::LoopBack { .. } | Instr::SpinBlock { .. } => false,
                    other => only_reads(other),
                })
        }),
    };
    known[number] = Some(answer);
    answer
}

/// Whether an instruction neither writes to memory nor calls anything.
fn only_reads(instr: &Instr) -> bool {
    use Instr::*;
    match instr {
        Store { .. } | Rmw { .. } | Cmpxchg { .. } | Alloca { .. } | Call { .. } | Unsupported { .. } => false,
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
        | LoopBack { .. }
        | SpinBlock { .. }
        | Return { .. }
        | Unreachable => true,
    }
}

/// Lets the back edges of loops that wait be [`Instr::SpinBlock`]s.
pub(crate) fn mark(graph: &mut Graph, loops: &[Loop], regs: Reg, effects: &Effects) {
    let candidates: Vec<usize> =
        (0..loops.len()).filter(|&number| has_no_effect(graph, &loops[number], effects)).collect();
    if candidates.is_empty() {
        return;
    }
    let live = live_in(graph, regs);
    for number in candidates {
        let found = &loops[number];
        let carried = found.blocks.iter().any(|&block| {
            graph.blocks[block].code.iter().any(|instr| written(instr).any(|reg| live[found.header].contains(reg)))
        });
        if carried {
            continue;
        }
        for &latch in &found.latches {
            for instr in &mut graph.blocks[latch].code {
                if *instr == (Instr::LoopBack { number: number as u32 }) {
                    *instr = Instr::SpinBlock { number: number as u32 };
                }
            }
        }
    }
}

fn has_no_effect(graph: &Graph, found: &Loop, effects: &Effects) -> bool {
    let mut reads = false;
    let fine = found.blocks.iter().all(|&block| {
        graph.blocks[block].code.iter().enumerate().all(|(position, instr)| match instr {
            Instr::Cmpxchg { dst, .. } => {
                reads = true;
                leaves_on_success(graph, found, block, position, *dst + 1)
            }
            Instr::Call { callee, .. } => {
                reads |= matches!(callee, Operand::Func(_));
                effects.allows(*callee)
            }
            Instr::Load { .. } => {
                reads = true;
                true
            }
            other => only_reads(other),
        })
    });
    // A loop that does not read waits for nothing: it never ends, and is reported as such.
    fine && reads && !found.blocks.is_empty()
}

type Known = BTreeMap<Reg, u64>;

/// Whether no path from the instruction leads back to the header if `flag` is 1 after it.
fn leaves_on_success(graph: &Graph, found: &Loop, block: usize, position: usize, flag: Reg) -> bool {
    let mut entry: HashMap<usize, Known> = HashMap::new();
    let mut pending = vec![(block, position + 1, Known::from([(flag, 1)]))];
    while let Some((number, from, mut known)) = pending.pop() {
        let code = &graph.blocks[number].code;
        for instr in &code[from..] {
            let value = evaluate(instr, &known);
            for reg in written(instr) {
                known.remove(&reg);
            }
            if let Some(value) = value {
                known.insert(written(instr).start, value);
            }
        }
        let Some(last) = code.last() else { return false };
        for next in ways(last, &known) {
            if next == found.header {
                return false;
            }
            if !found.blocks.contains(&next) {
                continue;
            }
            // What holds on all ways into a block; it only shrinks, so this ends.
            let merged = match entry.get(&next) {
                None => known.clone(),
                Some(old) => {
                    old.iter().filter(|(reg, value)| known.get(reg) == Some(value)).map(|(r, v)| (*r, *v)).collect()
                }
            };
            if entry.get(&next) != Some(&merged) {
                entry.insert(next, merged.clone());
                pending.push((next, 0, merged));
            }
        }
    }
    true
}

fn known_value(operand: Operand, known: &Known) -> Option<u64> {
    match operand {
        Operand::Const(value) => Some(value),
        Operand::Reg(reg) => known.get(&reg).copied(),
        _ => None,
    }
}

/// Where a terminator may go.
fn ways(last: &Instr, known: &Known) -> Vec<usize> {
    let chosen = match last {
        Instr::Branch { cond, then, els } => {
            known_value(*cond, known).map(|value| if value & 1 != 0 { *then } else { *els })
        }
        Instr::Switch { value, cases, default } => known_value(*value, known)
            .map(|value| cases.iter().find(|case| case.0 == value).map_or(*default, |case| case.1)),
        _ => None,
    };
    chosen.map_or_else(|| targets(last), |to| vec![to]).into_iter().map(|to| to as usize).collect()
}

/// The result of an instruction, if what is known decides it.
fn evaluate(instr: &Instr, known: &Known) -> Option<u64> {
    let value = |operand: &Operand| known_value(*operand, known);
    let mask = |bits: u8| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let signed = |value: u64, bits: u8| ((value << (64 - bits.min(64))) as i64) >> (64 - bits.min(64));
    match instr {
        Instr::Move { src, .. } => value(src),
        Instr::Select { cond, a, b, .. } => value(if value(cond)? & 1 != 0 { a } else { b }),
        Instr::Cast { op, from, to, src, .. } => match op {
            CastOp::Zext => value(src),
            CastOp::Trunc => Some(value(src)? & mask(*to)),
            CastOp::Sext => Some(signed(value(src)?, *from) as u64 & mask(*to)),
            _ => None,
        },
        Instr::Bin { op, bits, a, b, .. } => {
            let (a, b) = (value(a)?, value(b)?);
            let result = match op {
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                _ => return None,
            };
            Some(result & mask(*bits))
        }
        Instr::Cmp { op, bits, a, b, .. } => {
            let (a, b) = (value(a)?, value(b)?);
            let (s, t) = (signed(a, *bits), signed(b, *bits));
            Some(u64::from(match op {
                CmpOp::Eq => a == b,
                CmpOp::Ne => a != b,
                CmpOp::Ult => a < b,
                CmpOp::Ule => a <= b,
                CmpOp::Ugt => a > b,
                CmpOp::Uge => a >= b,
                CmpOp::Slt => s < t,
                CmpOp::Sle => s <= t,
                CmpOp::Sgt => s > t,
                CmpOp::Sge => s >= t,
            }))
        }
        _ => None,
    }
}
