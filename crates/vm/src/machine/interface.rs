//! The machine as the explorer sees it: threads, locations, visible operations, and what is asked about them.

use super::failing::Waiting;
use super::state::{Caller, Frame, LastRead, Stage, Val};
use super::stores::{Reach, Stores, Target};
use super::zne::reading_part;
use super::{BEFORE_FIRST, Halt, RESTART, VmMachine, VmState};
use crate::arith;
use crate::contents::entry;
use crate::ir::{Instr, Net, RmwOp};
use crate::tables::Object;
use crate::undefined::Word;
use selvedge_graph::{Deps, Loc, Mode, Tid, Value};
use selvedge_machine::{Again, ErrorKind, EventClasses, Machine, Meeting, Op, ProgramError, SourcePlace};
use std::rc::Rc;
use std::sync::Arc;

impl Machine for VmMachine {
    type State = VmState;

    fn is_local(&self, object: u32) -> bool {
        self.is_on_stack(object)
    }

    fn is_allocated(&self, object: u32) -> bool {
        self.tables.borrow().objects.get(object as usize).is_none_or(|o| o.is_allocated())
    }

    fn waits_within(&self, object: u32) -> Vec<Meeting> {
        self.barriers_within(object)
    }

    fn threads(&self) -> usize {
        self.options.max_threads as usize
    }

    fn event_classes(&self) -> Option<EventClasses> {
        let mut classes = EventClasses::default();
        classes.threads();
        classes.choice();
        classes.objects();
        // The machine copies memory, and leaves what threads return, by plain accesses.
        classes.read(Mode::Na);
        classes.write(Mode::Na);
        for instr in self.module.functions.iter().flat_map(|f| &f.code) {
            match instr {
                Instr::Load { mode, .. } => classes.read(*mode),
                Instr::Store { mode, .. } => classes.write(*mode),
                Instr::Rmw { mode, net, .. } => {
                    classes.rmw(*mode);
                    if matches!(net, Net::Tentative(_)) {
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

    fn runs_from_start(&self, thread: Tid) -> bool {
        thread.0 == 0
    }

    fn init_value(&self, loc: Loc) -> Value {
        self.initial(loc)
    }

    fn object(&self, loc: Loc) -> Option<u32> {
        let tables = self.tables.borrow();
        let object = tables.layout.cell(loc).object;
        tables.objects[object as usize].has_lifetime().then_some(object)
    }

    /// Thread 0 runs the constructors, then `main`: each stands as the caller of the one before.
    fn start(&self, thread: Tid) -> VmState {
        let argv = self.address_of_global(self.argv);
        let argc = 1 + self.options.args.len() as u64;
        let args = [argc, argv, argv + 8 * (argc + 1)].map(Val::known);
        let mut state = self.new_state(thread, self.main, &args);
        for &ctor in self.module.constructors.iter().rev() {
            let frame = self.new_frame(ctor, state.private.len() as u32);
            let mut waiting = std::mem::replace(&mut state.frame, frame);
            // Returning goes on after the call; these have none yet.
            waiting.pc = BEFORE_FIRST;
            state.callers = Some(Rc::new(Caller { frame: waiting, next: state.callers.take() }));
            state.depth += 1;
        }
        state
    }

    fn spawned(&self, parent: &VmState, child: Tid) -> VmState {
        match parent.stage {
            Stage::Spawning(entry, arg) => self.new_state(child, entry, &[arg]),
            _ => unreachable!("the parent stands at the creation of a thread"),
        }
    }

    #[inline]
    fn step(&self, state: &mut VmState, input: Value) -> Op {
        state.made.steps += 1;
        if let Some(read) = &mut state.last_read {
            read.value = input as u64;
        }
        let went = match state.stage {
            Stage::Departing(_) => self.go_on_from_barrier(state),
            _ if state.tracking.is_some() => self.go_on_following(state, input as u64),
            _ => self.go_on(state, input as u64),
        };
        let op = went.unwrap_or_else(|halt| match halt {
            Halt::Restart => Op::Error(RESTART),
            Halt::Error(kind, message) => Op::Error(self.tables.borrow_mut().error(kind, message)),
        });
        state.last_read = LastRead::of(op);
        match op {
            Op::Load { .. } => state.loads += 1,
            Op::Store { .. } => state.effects += u32::from(!self.is_at_quiet_lock(state)),
            Op::Spawn { .. } | Op::Join { .. } | Op::Detach { .. } | Op::Alloc { .. } | Op::Free { .. } => {
                state.effects += 1;
            }
            Op::Choose { .. } => state.choices += 1,
            Op::Arrive { .. } => state.effects += 1,
            _ => {}
        }
        op
    }

    fn step_not_knowing(&self, state: &mut VmState, guess: Value) -> Op {
        if let Some(t) = &mut state.tracking {
            t.unknown.insert(t.at.max(1));
        }
        self.step(state, guess)
    }

    fn has_twins(&self) -> bool {
        self.may_have_twins()
    }

    fn alike(&self, a: &VmState, b: &VmState) -> bool {
        self.begin_alike(a, b)
    }

    fn tracks_deps(&self) -> bool {
        self.options.track_deps
    }

    fn deps(&self, state: &VmState) -> Deps {
        state.tracking.as_ref().map_or(Deps::NONE, |t| t.deps.clone())
    }

    fn stores_to_come(&self, state: &VmState, loc: Loc) -> Option<Vec<(Mode, bool)>> {
        self.writes_to_come(state, loc)
    }

    fn may_spawn(&self, state: &VmState) -> bool {
        let spawns = |stores: &Stores| reaches(state, stores).any(|reach| reach.spawns);
        !state.rare.jumps.is_empty() || self.stores.as_ref().is_none_or(|stores| spawns(stores))
    }

    fn writes_regardless(&self, state: &VmState) -> bool {
        let code = &self.function(state.frame.func).code;
        matches!(code.get(state.frame.pc as usize), Some(Instr::Rmw { op: RmwOp::Xchg, .. }))
    }

    fn error(&self, error: u32) -> ProgramError {
        let (kind, message) = match self.tables.borrow().error_text(error) {
            Some(known) => known,
            None => (ErrorKind::Unsupported, Again::CellsRefined.to_string()),
        };
        ProgramError { kind, message }
    }

    fn again(&self) -> Option<Again> {
        self.reason_to_restart()
    }

    fn spin_reads(&self, state: &VmState) -> u32 {
        (state.loads - state.loads_at_header).max(1)
    }

    fn waits_if_it_fails(&self, state: &VmState) -> bool {
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

    fn amount(&self, state: &VmState) -> Value {
        self.amount_added(state)
    }

    fn is_indifferent(&self, state: &VmState, value: Value, shift: Value) -> bool {
        self.goes_on_alike(state, value, shift)
    }

    fn place(&self, state: &VmState) -> Option<SourcePlace> {
        let known = |frame: &Frame| {
            let place = *self.function(frame.func).places.get(frame.pc as usize)?;
            (place.line != 0 && !self.info(frame.func).runtime).then(|| self.source_place(place))
        };
        state.frames().find_map(known)
    }

    fn stack(&self, state: &VmState) -> Vec<(String, Option<SourcePlace>)> {
        let call = |frame: &Frame| {
            let place = self.function(frame.func).places.get(frame.pc as usize).copied().unwrap_or_default();
            let known = place.line != 0 && !self.info(frame.func).runtime;
            (self.function(frame.func).name.clone(), known.then(|| self.source_place(place)))
        };
        state.frames().map(call).collect()
    }

    fn value_type(&self, loc: Loc, value: Value) -> Option<String> {
        let tables = self.tables.borrow();
        Some(match tables.layout.cell(loc).size {
            8 if self.pointer_name(&tables, value as u64).is_some() => String::from("pointer"),
            bytes @ 1..=8 => format!("i{}", 8 * bytes),
            bytes => format!("{bytes} bytes"),
        })
    }

    fn location_name(&self, loc: Loc) -> String {
        let tables = self.tables.borrow();
        let cell = tables.layout.cell(loc);
        self.name_of(tables.objects[cell.object as usize], cell.offset as u64)
    }

    fn value_name(&self, loc: Loc, value: Value) -> String {
        let tables = self.tables.borrow();
        let bytes = tables.layout.cell(loc).size;
        if bytes > 16 {
            return format!("{bytes} bytes");
        }
        let word = if bytes > 8 {
            tables.contents.word(value as u32)
        } else {
            entry(value as u64).map_or(Word::known(value as u64 as u128), |e| tables.contents.word(e))
        };
        if !word.is_defined() {
            let all = word.undef == arith::mask((8 * bytes) as u8);
            return String::from(if all { "undefined" } else { "partly undefined" });
        }
        if bytes > 8 {
            let half = |bits: u64| match self.pointer_name(&tables, bits) {
                Some(name) => name,
                None => (bits as i64).to_string(),
            };
            return format!("{{{}, {}}}", half(word.bits as u64), half((word.bits >> 64) as u64));
        }
        let value = word.bits as Value;
        if let Some(name) = self.pointer_name(&tables, value as u64).filter(|_| bytes == 8) {
            return name;
        }
        // Narrow values are kept zero-extended; small negative ones are meant to be read as such.
        let unused = 64 - 8 * bytes.clamp(1, 8);
        let signed = (value << unused) >> unused;
        if (-4096..0).contains(&signed) { signed.to_string() } else { (value as u64).to_string() }
    }

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

    fn ends_process(&self, state: &VmState) -> bool {
        state.thread.0 == 0 && state.rare.result.is_none()
    }

    fn misuse(&self, state: &VmState) -> Option<ErrorKind> {
        if !self.info(state.frame.func).runtime {
            return None;
        }
        match self.function(state.frame.func).name.as_str() {
            name if name.starts_with("pthread_barrier_") => Some(ErrorKind::BarrierMisuse),
            name if name.ends_with("_destroy") => Some(ErrorKind::LockMisuse),
            _ => None,
        }
    }

    fn thread_name(&self, state: &VmState) -> String {
        self.function(state.entry).name.clone()
    }
}

impl VmMachine {
    /// The stores to a location that a thread may still come to.
    fn writes_to_come(&self, state: &VmState, loc: Loc) -> Option<Vec<(Mode, bool)>> {
        // A `longjmp` may lead back.
        let stores = self.stores.as_ref().filter(|_| state.rare.jumps.is_empty())?;
        let tables = self.tables.borrow();
        let object = tables.objects[tables.layout.cell(loc).object as usize];
        let target = match object {
            Object::Global(g) | Object::ThreadLocal(_, g) => Target::Global(g),
            Object::Made { site, .. } if !self.info(site.func).runtime => Target::Made(site.func, site.pc),
            _ => Target::OfLibrary,
        };
        let mut found = Vec::new();
        // What a thread returns is written by nobody else.
        if object == Object::Result(state.thread) {
            found.push((Mode::Na, false));
        } else if matches!(object, Object::Result(_)) {
            return Some(found);
        }
        for reach in reaches(state, stores) {
            for site in reach.sites.iter().filter(|site| stores.may_be(site, target)) {
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
