//! Dependencies, as `tracking` follows them.

use crate::machine::{VmMachine, VmState};
use selvedge_graph::Deps;
use selvedge_machine::Dependencies;

impl Dependencies for VmMachine {
    fn tracks_deps(&self) -> bool {
        self.options.track_deps
    }

    fn deps(&self, state: &VmState) -> Deps {
        state.tracking.as_ref().map_or(Deps::NONE, |t| t.deps.clone())
    }

    fn does_not_know(&self, state: &mut VmState) {
        if let Some(t) = &mut state.tracking {
            t.unknown.insert(t.at.max(1));
        }
    }
}
