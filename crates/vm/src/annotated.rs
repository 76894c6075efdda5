//! Bounds of loops that a program states itself (`__VERIFIER_loop_bound(n)`).
//!
//! The call stands before a loop, or in it: it is about the loop that comes next if nothing but the
//! preparation of that loop is in between, and about the innermost one around it if not. Whatever it is taken
//! to be about, an execution that goes on beyond a bound is cut, and the verdict says so.

use selvedge_ir::analysis::nesting::bodies;
use selvedge_ir::library::{LOOP_BOUND, only_annotates};
use selvedge_ir::{Function, Instr, Module, Operand};

/// By loop of a function, what is said of it.
pub fn annotated(module: &Module, function: &Function) -> Vec<Option<u32>> {
    let mut bounds = vec![None; function.loops.len()];
    let named = |f: usize| &module.functions[f].name;
    let calls = (0..).zip(&function.code).filter_map(|(at, instr): (u32, &Instr)| match instr {
        Instr::Call { callee: Operand::Func(f), args, .. } if named(f.0 as usize) == LOOP_BOUND => {
            match args.first() {
                Some(Operand::Const(n)) => Some((at, u32::try_from(*n).unwrap_or(u32::MAX))),
                _ => None,
            }
        }
        _ => None,
    });
    let calls: Vec<(u32, u32)> = calls.collect();
    if calls.is_empty() || bounds.is_empty() {
        return bounds;
    }
    let bodies = bodies(function);
    let size = |body: &Vec<bool>| body.iter().filter(|inside| **inside).count();
    for (at, bound) in calls {
        let around = (0..bodies.len()).filter(|l| bodies[*l][at as usize]).min_by_key(|l| size(&bodies[*l]));
        if let Some(about) = next_loop(module, function, &bodies, at).or(around) {
            bounds[about] = Some(bound);
        }
    }
    bounds
}

/// The loop that comes right after an instruction outside of it.
fn next_loop(module: &Module, function: &Function, bodies: &[Vec<bool>], from: u32) -> Option<usize> {
    let mut at = from;
    // Jumps may go round in circles.
    for _ in 0..function.code.len() {
        at = match function.code.get(at as usize)? {
            Instr::Jump { to } => *to,
            Instr::Move { .. } | Instr::Cast { .. } | Instr::Life { .. } | Instr::Alloca { .. } => at + 1,
            Instr::Store { mode: selvedge_graph::Mode::Na, .. } => at + 1,
            Instr::Call { callee: Operand::Func(f), .. } => {
                let name = &module.functions[f.0 as usize].name;
                if !only_annotates(name) {
                    return None;
                }
                at + 1
            }
            _ => return None,
        };
        let begins = |l: usize| function.loops[l].header == at && !bodies[l][from as usize];
        if let Some(found) = (0..bodies.len()).find(|l| begins(*l)) {
            return Some(found);
        }
    }
    None
}
