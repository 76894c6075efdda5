//! Loads after which an iteration of a loop goes round whatever they read.
//!
//! In `while (exchange(&l, 1)) while (load(&l));` the attempt has failed when the load is come to. It only
//! lets time pass, until there is a chance that the next attempt does not fail; so the thread may as well
//! wait for that from the attempt on.

use std::collections::HashSet;

use selvedge_graph::Mode;

use crate::analysis::faint::only_computes;
use crate::bytecode::{Function, Instr, Operand};
use crate::cfg::predecessors;

/// How many instructions are followed.
const FAR: usize = 256;

/// By instruction, the loop that this load is of and after which it goes round in any case: nothing is done
/// but to load the same again, to compute, and to let time pass, and no register that matters to the next
/// iteration is written. Empty if there is no such load. `pauses`: what calls do nothing else.
pub fn polls(function: &Function, pauses: impl Fn(Operand) -> bool) -> Vec<Option<u32>> {
    let mut found = Vec::new();
    if !function.code.iter().any(|instr| matches!(instr, Instr::Rmw { .. })) {
        return found;
    }
    for (number, l) in (0..).zip(&function.loops) {
        let Some(Instr::LoopHead { live, .. }) = function.code.get(l.header as usize) else { continue };
        let body = body(function, number, l.header);
        for (at, instr) in function.code.iter().enumerate().filter(|(at, _)| body.contains(&(*at as u32))) {
            let Instr::Load { addr, bytes, mode, .. } = *instr else { continue };
            let same = |other: &Instr| match *other {
                Instr::Load { addr: a, bytes: b, mode, .. } => (a, b) == (addr, bytes) && mode != Mode::Na,
                Instr::Call { callee, .. } => pauses(callee),
                Instr::Fence { mode } => !mode.is_mark(),
                Instr::LoopHead { .. } | Instr::LoopBack { .. } => true,
                Instr::Jump { .. } | Instr::Branch { .. } | Instr::Switch { .. } => true,
                Instr::SpinBlock { .. } => true,
                _ => only_computes(other),
            };
            let address_stays = match addr {
                Operand::Reg(reg) => {
                    !body.iter().any(|&at| function.code[at as usize].written().contains(&reg))
                }
                _ => true,
            };
            let stays = |at: u32| {
                let instr = &function.code[at as usize];
                body.contains(&at) && same(instr) && !instr.written().any(|reg| live.contains(&reg))
            };
            if mode != Mode::Na && address_stays && goes_round(function, at as u32, number, stays) {
                found.resize(function.code.len(), None);
                found[at] = Some(number);
            }
        }
    }
    found
}

/// Whether all ways from an instruction lead to the back edge of a loop, or end in one within that waits, by
/// instructions that are fine.
fn goes_round(function: &Function, from: u32, number: u32, is_fine: impl Fn(u32) -> bool) -> bool {
    let (mut seen, mut pending) = (HashSet::new(), vec![from]);
    while let Some(at) = pending.pop() {
        if function.code.get(at as usize) == Some(&Instr::LoopBack { number }) || !seen.insert(at) {
            continue;
        }
        if seen.len() > FAR || !is_fine(at) {
            return false;
        }
        function.code[at as usize].for_successors(at, |next| pending.push(next));
    }
    true
}

/// The instructions of a loop, those of loops within that wait included: nothing comes after their back
/// edges.
pub(crate) fn body(function: &Function, number: u32, header: u32) -> HashSet<u32> {
    let before = predecessors(function);
    let mut inside = HashSet::from([header]);
    loop {
        let is_back = |(at, instr): &(u32, &Instr)| match **instr {
            Instr::LoopBack { number: n } => n == number,
            Instr::SpinBlock { number: n } => {
                function.loops.get(n as usize).is_some_and(|l| inside.contains(&l.header))
            }
            _ => false,
        } && !inside.contains(at);
        let mut pending: Vec<u32> = (0..).zip(&function.code).filter(is_back).map(|(at, _)| at).collect();
        if pending.is_empty() {
            return inside;
        }
        while let Some(at) = pending.pop() {
            if inside.insert(at) {
                pending.extend(&before[at as usize]);
            }
        }
    }
}
