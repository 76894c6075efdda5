//! Thread-local variables whose address stays within their thread: they can be private memory.

use super::VmMachine;
use super::state::VmState;
use crate::ir::{GlobalId, Instr, Module, Operand, Reg};
use crate::runtime::for_each_operand;
use crate::tables::Object;
use std::collections::HashSet;

impl VmMachine {
    /// The thread-local variable that dies next when a thread ends, of those that others may know of.
    pub(super) fn next_thread_local(&self, state: &mut VmState) -> Option<u32> {
        let from = state.made.ended as usize;
        let globals = self.module.globals.iter().zip(&self.slots).enumerate().skip(from);
        let (number, _) = globals.into_iter().find(|(_, (g, slot))| g.thread_local && slot.is_none())?;
        state.made.ended = number as u32 + 1;
        Some(self.intern(Object::ThreadLocal(state.thread, GlobalId(number as u32))))
    }
}

/// By global, its slot in every thread's private memory; `None` if other threads may see it. Slot 0 is
/// `errno`.
pub fn slots(module: &Module) -> Vec<Option<u32>> {
    let mut next = 1;
    let mut slot = |(number, global): (u32, &crate::ir::Global)| {
        (global.thread_local && !escapes(module, GlobalId(number))).then(|| {
            next += 1;
            next - 1
        })
    };
    (0..).zip(&module.globals).map(&mut slot).collect()
}

/// Whether an address of the variable is used other than for accesses in the function that takes it.
fn escapes(module: &Module, g: GlobalId) -> bool {
    let is_g = |o: &Operand| matches!(o, Operand::Global(other, _) if *other == g);
    let stored = |global: &crate::ir::Global| global.addresses.iter().any(|(_, o)| is_g(o));
    module.globals.iter().any(stored) || module.functions.iter().any(|f| escapes_from(&f.code, &is_g))
}

fn escapes_from(code: &[Instr], is_g: &impl Fn(&Operand) -> bool) -> bool {
    // Registers that may hold an address of it, wherever they are in use.
    let mut holders: HashSet<Reg> = HashSet::new();
    loop {
        let before = holders.len();
        for instr in code {
            let held = |o: &Operand| is_g(o) || matches!(o, Operand::Reg(r) if holders.contains(r));
            let mut uses = 0;
            for_each_operand(&mut instr.clone(), &mut |o| uses += held(o) as u32);
            if uses == 0 {
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
