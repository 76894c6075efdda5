//! Loops whose number of iterations does not depend on what is read run to their end, up to a modest number
//! of iterations; the bound of loops is for those that others decide about.

use selvedge_graph::Value;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::Instr;

/// Iterations of a loop that no read has a say in.
const BY_CONSTANTS: u32 = 4096;

/// A loop in compiled code.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Its instructions are from here up to `end`.
    pub start: usize,
    pub end: usize,
    /// The branch that compares its counter, on the left, with the bound.
    pub check: usize,
}

/// Gives loops that only constants decide about a higher bound. Each must have another way out than its
/// bound.
pub fn widen(code: &mut [Instr], loops: &[Loop], unroll: u32) {
    if loops.is_empty() || unroll >= BY_CONSTANTS {
        return;
    }
    let read = read_registers(code);
    let known = |cond: &Expr| {
        let mut known = true;
        cond.registers(&mut |r| known &= !read.contains(&r));
        known
    };
    let is_check = |at: usize| loops.iter().any(|l| l.check == at);
    for l in loops {
        let range = l.start..l.end.min(code.len());
        let mut conditions = range.filter(|&at| !is_check(at)).filter_map(|at| match &code[at] {
            Instr::Branch { cond, .. } if can_change(cond) => Some(cond),
            _ => None,
        });
        let Some(first) = conditions.next() else { continue };
        if !known(first) || !conditions.all(known) {
            continue;
        }
        if let Instr::Branch { cond: Expr::Bin(_, _, bound), .. } = &mut code[l.check] {
            **bound = Expr::Const(Value::from(BY_CONSTANTS));
        }
    }
}

/// Whether a condition may be otherwise in another iteration.
fn can_change(cond: &Expr) -> bool {
    let mut registers = false;
    cond.registers(&mut |_| registers = true);
    registers
}

/// The registers that what is read may flow into, whatever the order of instructions.
fn read_registers(code: &[Instr]) -> Vec<Reg> {
    let mut read: Vec<Reg> = Vec::new();
    loop {
        let before = read.len();
        for instr in code {
            match instr {
                Instr::Load { dst, .. } | Instr::LoadLinked { dst, .. } | Instr::Rmw { dst, .. } => {
                    add(&mut read, *dst);
                }
                Instr::StoreConditional { ok, .. } => add(&mut read, *ok),
                Instr::Cas { ok, old, .. } => {
                    add(&mut read, *ok);
                    add(&mut read, *old);
                }
                Instr::Assign { dst, expr } => {
                    let mut from_read = false;
                    expr.registers(&mut |r| from_read |= read.contains(&r));
                    if from_read {
                        add(&mut read, *dst);
                    }
                }
                _ => {}
            }
        }
        if read.len() == before {
            return read;
        }
    }
}

fn add(all: &mut Vec<Reg>, reg: Reg) {
    if !all.contains(&reg) {
        all.push(reg);
    }
}
