//! Objects on the heap and on stacks, and the end of the process.

use crate::machine::{VmMachine, VmState};
use selvedge_graph::Loc;
use selvedge_machine::{Lifetimes, Meeting};

impl Lifetimes for VmMachine {
    fn object(&self, loc: Loc) -> Option<u32> {
        let tables = self.tables.borrow();
        let object = tables.layout.cell(loc).object;
        tables.objects[object as usize].has_lifetime().then_some(object)
    }

    fn is_local(&self, object: u32) -> bool {
        self.is_on_stack(object)
    }

    fn is_allocated(&self, object: u32) -> bool {
        self.tables.borrow().objects.get(object as usize).is_none_or(|o| o.is_allocated())
    }

    fn waits_within(&self, object: u32) -> Vec<Meeting> {
        self.barriers_within(object)
    }

    fn ends_process(&self, state: &VmState) -> bool {
        state.thread.0 == 0 && state.rare.result.is_none()
    }

    fn is_background(&self, state: &VmState) -> bool {
        state.rare.background
    }
}
