//! What is worked out of a function before it runs.

use super::failing::{Waiting, waiting_failures};
use super::lead_in::lead_ins;
use super::native::Native;
use super::zne::LOCKS;
use super::{ModuleError, Options};
use crate::ir::{Function, Instr, Net, Operand, Reg, registers};
use crate::runtime::for_each_operand;

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
    pub lead_ins: Vec<Option<u32>>,
    /// By instruction, whether and how the thread waits after this compare-and-exchange failed; empty if there is
    /// none.
    pub waiting_failures: Vec<Option<Waiting>>,
}

impl FunctionInfo {
    pub fn new(function: &Function, runtime: bool, options: &Options) -> Result<FunctionInfo, ModuleError> {
        check(function)?;
        let native = if function.code.is_empty() { Native::named(&function.name) } else { None };
        let bounds = function.loops.iter().map(|l| bound(function, l.place.line, options)).collect();
        let mut waits = Vec::new();
        for instr in &function.code {
            if let Instr::SpinBlock { number } | Instr::Rmw { net: Net::Tentative(number), .. } = instr {
                waits.resize(function.code.len(), false);
                waits[function.loops[*number as usize].header as usize] = true;
            }
        }
        let lead_ins = lead_ins(function);
        Ok(FunctionInfo {
            runtime,
            locks: runtime && LOCKS.contains(&function.name.as_str()),
            native,
            bounds,
            within: nesting(function),
            waits,
            waiting_failures: waiting_failures(function, &lead_ins),
            lead_ins,
        })
    }
}

fn bound(function: &Function, line: u32, options: &Options) -> u32 {
    let fits = |b: &&crate::LoopBound| {
        b.function.as_ref().is_none_or(|f| *f == function.name) && b.line.is_none_or(|l| l == line)
    };
    options.unroll_some.iter().find(fits).map_or(options.unroll, |b| b.bound)
}

/// For each loop, which others are within it: those whose header leads to its back edge without passing
/// its own header.
fn nesting(function: &Function) -> Vec<Vec<u32>> {
    if function.loops.is_empty() {
        return Vec::new();
    }
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); function.code.len() + 1];
    for (at, instr) in function.code.iter().enumerate() {
        successors(instr, at as u32, &mut |next| before[next as usize].push(at as u32));
    }
    let of_loop = |number: usize| {
        let header = function.loops[number].header;
        let mut inside = vec![false; function.code.len() + 1];
        let is_edge = |i: &Instr| matches!(i, Instr::LoopBack { number: n } if *n as usize == number);
        let mut todo: Vec<u32> =
            (0..).zip(&function.code).filter(|(_, i)| is_edge(i)).map(|(at, _)| at).collect();
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut inside[at as usize], true) && at != header {
                todo.extend(&before[at as usize]);
            }
        }
        let others = (0..).zip(&function.loops).filter(|(n, _)| *n as usize != number);
        others.filter(|(_, l)| l.header != header && inside[l.header as usize]).map(|(n, _)| n).collect()
    };
    (0..function.loops.len()).map(of_loop).collect()
}

pub fn successors(instr: &Instr, at: u32, f: &mut impl FnMut(u32)) {
    match instr {
        Instr::Jump { to } => f(*to),
        Instr::Branch { then, els, .. } => [*then, *els].into_iter().for_each(f),
        Instr::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, to)| f(*to));
            f(*default);
        }
        Instr::Return { .. } | Instr::Unreachable | Instr::Unsupported { .. } | Instr::SpinBlock { .. } => {}
        _ => f(at + 1),
    }
}

/// Registers, targets and loops that an instruction names must be there.
fn check(function: &Function) -> Result<(), ModuleError> {
    let wrong = |what: String| Err(ModuleError::Malformed(function.name.clone(), what));
    let len = function.code.len() as u32;
    let has = |reg: Reg| reg < function.regs;
    if !function.params.iter().all(|r| has(*r)) {
        return wrong(String::from("a parameter is in a register that it does not have"));
    }
    if function.varargs && !function.code.is_empty() && !has(function.params.len() as Reg + 1) {
        return wrong(String::from("there are no registers for further arguments"));
    }
    if function.loops.iter().any(|l| l.header >= len) {
        return wrong(String::from("a loop begins after its end"));
    }
    for (at, instr) in function.code.iter().enumerate() {
        let mut fine = true;
        successors(instr, at as u32, &mut |next| fine &= next <= len);
        for_each_operand(&mut instr.clone(), &mut |operand| {
            fine &= !matches!(operand, Operand::Reg(r) if !has(*r));
        });
        fine &= written(instr).is_none_or(|(first, count)| has(first.saturating_add(count - 1)));
        if let Instr::LoopBack { number }
        | Instr::SpinBlock { number }
        | Instr::Rmw { net: Net::Tentative(number), .. } = instr
        {
            fine &= (*number as usize) < function.loops.len();
        }
        if let Instr::LoopHead { number, live, rewritten } = instr {
            fine &= function.loops.get(*number as usize).is_some_and(|l| l.header as usize == at);
            fine &= live.iter().all(|r| has(*r)) && rewritten.iter().all(|c| has(c.base));
        }
        if let Instr::Load { bytes, .. } | Instr::Store { bytes, .. } = instr {
            fine &= matches!(bytes, 1 | 2 | 4 | 8 | 16);
        }
        if let Instr::Rmw { bytes, .. } | Instr::Cmpxchg { bytes, .. } = instr {
            fine &= matches!(bytes, 1 | 2 | 4 | 8 | 16);
        }
        if let Instr::Bin { bits, .. } | Instr::Cmp { bits, .. } | Instr::Overflowing { bits, .. } = instr {
            fine &= (1..=128).contains(bits);
        }
        if !fine {
            return wrong(format!("instruction {at}: {instr:?}"));
        }
    }
    Ok(())
}

/// How many registers each operand of an instruction takes.
pub(super) fn words_read(instr: &Instr) -> u32 {
    match instr {
        Instr::Bin { bits, .. }
        | Instr::Cmp { bits, .. }
        | Instr::Overflowing { bits, .. }
        | Instr::Bits { bits, .. }
        | Instr::Funnel { bits, .. }
        | Instr::Cast { from: bits, .. }
            if *bits > 64 =>
        {
            2
        }
        _ => 1,
    }
}

/// The registers that an instruction writes: the first one and how many.
pub fn written(instr: &Instr) -> Option<(Reg, u32)> {
    let words = |bits: u8| if bits > 64 { 2 } else { 1 };
    match instr {
        Instr::Move { dst, .. }
        | Instr::Cmp { dst, .. }
        | Instr::Float { dst, .. }
        | Instr::FloatCmp { dst, .. }
        | Instr::Select { dst, .. }
        | Instr::Offset { dst, .. }
        | Instr::Alloca { dst, .. } => Some((*dst, 1)),
        Instr::Load { dst, bytes, .. } | Instr::Rmw { dst, bytes, .. } => Some((*dst, registers(*bytes))),
        Instr::Bin { dst, bits, .. } | Instr::Bits { dst, bits, .. } | Instr::Funnel { dst, bits, .. } => {
            Some((*dst, words(*bits)))
        }
        Instr::Cast { dst, to, .. } => Some((*dst, words(*to))),
        Instr::Overflowing { dst, bits, .. } => Some((*dst, words(*bits) + 1)),
        Instr::Cmpxchg { dst, bytes, .. } => Some((*dst, registers(*bytes) + 1)),
        Instr::Call { dst: Some(dst), results, .. } => Some((*dst, (*results).max(1))),
        _ => None,
    }
}
