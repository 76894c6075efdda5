//! Thread-local variables whose address stays within their thread.

use std::collections::HashSet;

use crate::bytecode::{Global, GlobalId, Instr, Module, Operand, Reg};

/// Whether an address of the variable is used other than for accesses in the function that takes it.
pub fn escapes(module: &Module, g: GlobalId) -> bool {
    let is_g = |o: &Operand| matches!(o, Operand::Global(other, _) if *other == g);
    let stored = |global: &Global| global.addresses.iter().any(|(_, o)| is_g(o));
    module.globals.iter().any(stored) || module.functions.iter().any(|f| escapes_from(&f.code, &is_g))
}

fn escapes_from(code: &[Instr], is_g: &impl Fn(&Operand) -> bool) -> bool {
    // Registers that may hold an address of it, wherever they are in use.
    let mut holders: HashSet<Reg> = HashSet::new();
    loop {
        let before = holders.len();
        for instr in code {
            let held = |o: &Operand| is_g(o) || matches!(o, Operand::Reg(r) if holders.contains(r));
            if !instr.any_operand(held) {
                continue;
            }
            match instr {
                Instr::Move { dst, .. } => _ = holders.insert(*dst),
                Instr::Offset { dst, index, .. } if !held(index) => _ = holders.insert(*dst),
                Instr::Select { dst, cond, .. } if !held(cond) => _ = holders.insert(*dst),
                Instr::Load { .. } | Instr::Cmp { .. } => {}
                Instr::Store { value, .. } if !held(value) => {}
                Instr::Rmw { operand, .. } if !held(operand) => {}
                Instr::Cmpxchg { expected, desired, .. } if !held(expected) && !held(desired) => {}
                _ => return true,
            }
        }
        if holders.len() == before {
            return false;
        }
    }
}
