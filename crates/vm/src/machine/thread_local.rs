//! Thread-local variables whose address stays within their thread: they can be private memory.

use super::VmMachine;
use super::state::VmState;
use crate::tables::Object;
use selvedge_ir::analysis::thread_local::escapes;
use selvedge_ir::{Global, GlobalId, Module};

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
    let mut slot = |(number, global): (u32, &Global)| {
        (global.thread_local && !escapes(module, GlobalId(number))).then(|| {
            next += 1;
            next - 1
        })
    };
    (0..).zip(&module.globals).map(&mut slot).collect()
}
