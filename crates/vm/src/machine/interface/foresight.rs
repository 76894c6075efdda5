//! What the bytecode tells of what a thread may still do.

use crate::machine::state::Stage;
use crate::machine::zne::reading_part;
use crate::machine::{VmMachine, VmState};
use crate::tables::Object;
use selvedge_graph::{Loc, Mode, Value};
use selvedge_ir::analysis::failures::Waiting;
use selvedge_ir::analysis::stores::{Destination, Reach, Stores};
use selvedge_ir::{Instr, Net, Operand, RmwOp};
use selvedge_machine::{Completion, EventClasses, Foresight, LeftOutOrders, Reduction};
use std::sync::Arc;

impl Foresight for VmMachine {
    fn event_classes(&self) -> Option<EventClasses> {
        let mut classes = EventClasses::default();
        classes.threads();
        classes.choice();
        classes.objects();
        // The machine copies memory, and leaves what threads return, by plain accesses.
        classes.read(Mode::Na);
        classes.write(Mode::Na);
        if self.functions.iter().any(|f| f.unlocks) {
            classes.write(Mode::AcqRel);
        }
        for instr in self.module.functions.iter().flat_map(|f| &f.code) {
            match instr {
                Instr::Load { mode, .. } => classes.read(*mode),
                Instr::Store { mode, .. } => classes.write(*mode),
                Instr::Rmw { op, operand, mode, net, .. } => {
                    classes.rmw(*mode);
                    if matches!(net, Net::Tentative(_)) || op.may_keep(*operand) {
                        classes.read(reading_part(*mode));
                    }
                }
                Instr::Cmpxchg { success, failure, .. } => {
                    classes.rmw(*success);
                    classes.read(*failure);
                }
                Instr::Fence { mode } => classes.fence(*mode),
                _ => {}
            }
        }
        Some(classes)
    }

    fn spin_reads(&self, state: &VmState) -> u32 {
        (state.loads - state.loads_at_header).max(1)
    }

    fn stores_to_come(&self, state: &VmState, loc: Loc) -> Option<Vec<(Mode, bool)>> {
        self.writes_to_come(state, loc)
    }

    fn may_assume(&self) -> bool {
        self.hooks.assumes
    }

    fn takes_quietly(&self, state: &VmState) -> bool {
        self.info(state.frame.func).locks && self.hooks.quiet_locks
    }

    fn may_spawn(&self, state: &VmState) -> bool {
        let spawns = |stores: &Stores| reaches(state, stores).any(|reach| reach.spawns);
        !state.rare.jumps.is_empty() || self.stores().is_none_or(spawns)
    }

    fn writes_regardless(&self, state: &VmState) -> bool {
        let code = &self.function(state.frame.func).code;
        matches!(code.get(state.frame.pc as usize), Some(Instr::Rmw { op: RmwOp::Xchg, .. }))
    }

    fn waits_if_it_fails(&self, state: &VmState) -> bool {
        let waits = self.waits_after_failure(state);
        if waits {
            self.keep_held_whole(state);
        }
        waits
    }

    fn begins_look(&self, state: &VmState) -> bool {
        state.frames().any(|frame| {
            let looks = &self.info(frame.func).looks;
            let now = |loads: u32| loads + 1 == state.loads;
            let by_header = |header: u32| {
                let loops = &self.function(frame.func).loops;
                loops.iter().zip(looks).any(|(l, looks)| *looks && l.header == header)
            };
            looks.contains(&true)
                && (frame.headers.iter().any(|(header, loads)| now(*loads) && by_header(*header))
                    || (0..).zip(looks).any(|(number, looks)| {
                        *looks && frame.watches.iter().any(|w| w.is_of(number) && now(w.loads()))
                    }))
        })
    }

    fn has_unpublished(&self) -> bool {
        let loops = |i: &Instr| matches!(i, Instr::LoopHead { rewritten, .. } if !rewritten.is_empty());
        let stores = |i: &Instr| matches!(i, Instr::Store { mode, .. } if *mode != Mode::Na);
        self.options.leave_out_unpublished
            && self.options.reductions.has(Reduction::Escape)
            && self.module.functions.iter().any(|f| f.code.iter().any(loops) && f.code.iter().any(stores))
    }

    fn is_unpublished(&self, state: &VmState) -> bool {
        match *self.current(state) {
            Instr::Store { addr, bytes: bytes @ ..=8, mode, .. } if mode != Mode::Na => {
                let addr = self.value(state, addr);
                addr.undef == 0 && state.frame.rewrites(addr.bits, bytes)
            }
            _ => false,
        }
    }

    fn has_completions(&self) -> bool {
        self.functions.iter().any(|info| info.ignored_outcomes.contains(&true))
    }

    fn completion(&self, state: &VmState) -> Option<Completion> {
        let (frame, Stage::CasLoaded(loc)) = (&state.frame, &state.stage) else { return None };
        let ignored = &self.info(frame.func).ignored_outcomes;
        if !ignored.get(frame.pc as usize).copied().unwrap_or(false) {
            return None;
        }
        let Instr::Cmpxchg { expected, desired, bytes, success, weak, .. } = *self.current(state) else {
            return None;
        };
        let known = |operand: Operand| self.value(state, operand).undef == 0;
        let decided = !weak || self.options.weak_cas_failures == 0;
        (decided && known(expected) && known(desired)).then(|| Completion {
            loc: *loc,
            expected: self.as_value(state, expected, bytes),
            desired: self.as_value(state, desired, bytes),
            mode: success,
        })
    }

    fn swaps_for(&self, state: &VmState, value: Value) -> Option<Value> {
        self.swaps(state, value)
    }

    fn amount(&self, state: &VmState) -> Value {
        self.amount_added(state)
    }

    fn is_indifferent(&self, state: &VmState, value: Value, shift: Value) -> bool {
        self.goes_on_alike(state, value, shift)
    }

    fn has_twins(&self) -> bool {
        self.may_have_twins()
    }

    fn alike(&self, a: &VmState, b: &VmState) -> bool {
        self.begin_alike(a, b)
    }

    fn left_swaps<'s>(&self, state: &'s VmState) -> &'s [Loc] {
        &state.left_swaps
    }

    fn has_made_up(&self, state: &VmState) -> bool {
        state.made_up
    }

    fn left_out_orders(&self) -> LeftOutOrders {
        self.orders_left_out()
    }

    fn in_unordered_section(&self, state: &VmState) -> bool {
        self.is_in_part(state)
    }

    fn orders_all_the_same(&self) -> bool {
        self.gathers_parts()
    }

    fn unordered_lock(&self, number: usize) -> Option<Loc> {
        self.divided_lock(number)
    }

    fn uses_as_lock(&self, state: &VmState) -> bool {
        self.info(state.frame.func).uses_locks
    }
}

impl VmMachine {
    fn waits_after_failure(&self, state: &VmState) -> bool {
        let frame = &state.frame;
        // The load before it must be part of the iteration that is made again; its own is counted already.
        match self.info(frame.func).waiting_failures.get(frame.pc as usize).copied().flatten() {
            Some(Waiting::Always { header }) => {
                frame.loads_at(header).is_some_and(|then| then + 1 < state.loads)
            }
            Some(Waiting::IfIdle { number }) => {
                self.is_idle(state, number).is_some_and(|then| then + 1 < state.loads)
            }
            Some(Waiting::IfRetry { number, load }) => self.is_retry(state, number, load),
            None => false,
        }
    }

    /// The stores to a location that a thread may still come to.
    fn writes_to_come(&self, state: &VmState, loc: Loc) -> Option<Vec<(Mode, bool)>> {
        // A `longjmp` may lead back.
        let stores = self.stores().filter(|_| state.rare.jumps.is_empty())?;
        let tables = self.tables.borrow();
        let object = tables.objects[tables.layout.cell(loc).object as usize];
        let target = match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => Destination::Global(g),
            Object::Made { site, .. } if !self.info(site.func).runtime => {
                Destination::Made(site.func, site.pc)
            }
            _ => Destination::OfLibrary,
        };
        let mut found = Vec::new();
        // What a thread returns is written by nobody else.
        if object == Object::Result(state.thread) {
            found.push((Mode::Na, false));
        } else if matches!(object, Object::Result(_)) {
            return Some(found);
        }
        for reach in reaches(state, stores) {
            for site in stores.sites(&reach).filter(|site| stores.may_be(site, target)) {
                if !found.contains(&(site.mode, site.rmw)) {
                    found.push((site.mode, site.rmw));
                }
            }
        }
        Some(found)
    }
}

/// What each call that is under way may still do.
fn reaches<'a>(state: &'a VmState, stores: &'a Stores) -> impl Iterator<Item = Arc<Reach>> {
    state.frames().enumerate().map(|(at, frame)| {
        // A caller goes on after the call.
        let pc = if at == 0 { frame.pc } else { frame.pc.wrapping_add(1) };
        stores.from(frame.func, pc)
    })
}
