//! What the program says through `selvedge_local`, `selvedge_final_write` and atomic sections.

use crate::machine::{VmMachine, VmState};
use crate::tables::Object;
use selvedge_graph::Loc;
use selvedge_ir::pointer;
use selvedge_machine::Claims;

impl Claims for VmMachine {
    fn has_local_objects(&self) -> bool {
        self.hooks.local_objects
    }

    fn whole(&self, loc: Loc) -> u32 {
        self.tables.borrow().layout.cell(loc).object
    }

    fn has_final_writes(&self) -> bool {
        self.hooks.final_writes
    }

    fn is_final(&self, state: &VmState) -> bool {
        state.made.final_writes != 0
    }

    fn has_sections(&self) -> bool {
        self.hooks.section.is_some()
    }

    fn in_section(&self, state: &VmState) -> bool {
        let lock = self.hooks.section.map(|lock| self.address_of_global(lock));
        lock.is_some_and(|lock| state.rare.held.iter().any(|held| held.addr == lock))
    }

    fn meets_once(&self, barrier: u32) -> bool {
        let tables = self.tables.borrow();
        let Some(Object::Barrier { home, .. }) = tables.objects.get(barrier as usize) else { return false };
        let object = pointer::split(*home).and_then(|(object, _)| tables.objects.get(object as usize));
        matches!(object, Some(Object::Global(g)) if self.is_gathering(*g))
    }
}
