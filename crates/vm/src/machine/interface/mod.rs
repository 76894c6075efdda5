//! The machine as the explorer sees it: threads and visible operations here, and a file for each of the
//! capabilities that a machine may have (`selvedge_machine`).

mod canonical;
mod claims;
mod dependencies;
mod foresight;
mod lifetimes;
mod names;

use super::state::{Caller, LastRead, Stage, Val};
use super::{BEFORE_FIRST, Halt, RESTART, VmMachine, VmState};
use crate::contents::entry;
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::{Again, Agreement, Block, ErrorKind, Machine, Op, Part, ProgramError, Stateful};
use selvedge_symbolic::{Answer, Term};
use std::rc::Rc;

impl Stateful for VmMachine {
    type State = VmState;
}

impl Machine for VmMachine {
    fn threads(&self) -> usize {
        self.options.max_threads as usize
    }

    fn runs_from_start(&self, thread: Tid) -> bool {
        thread.0 == 0
    }

    fn init_value(&self, loc: Loc) -> Value {
        self.initial(loc)
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
            Stage::Spawning(entry, arg) => {
                let mut state = self.new_state(child, entry, &[arg]);
                state.facts = Rc::clone(&parent.facts);
                if !parent.rare.found.is_empty() {
                    Rc::make_mut(&mut state.rare).found.clone_from(&parent.rare.found);
                }
                state
            }
            _ => unreachable!("the parent stands at the creation of a thread"),
        }
    }

    #[inline]
    fn step(&self, state: &mut VmState, input: Value) -> Op {
        state.made.steps += 1;
        if let Some(read) = &mut state.last_read {
            read.value = input as u64;
            if state.round.is_some() {
                self.note_round(state);
            }
        }
        let went = match state.stage {
            Stage::Departing(_) => self.go_on_from_barrier(state),
            _ if state.tracking.is_some() => self.go_on_following(state, input as u64),
            _ => self.go_on(state, input as u64),
        };
        let went = self.after_attempts(state, went);
        let op = went.unwrap_or_else(|halt| match halt {
            Halt::Restart => Op::Error(RESTART),
            Halt::Split(alternatives) => {
                let alternatives = self.exhaustive(state, alternatives);
                let count = alternatives.len() as u32;
                state.stage = Stage::Deciding(alternatives);
                Op::Choose { count }
            }
            Halt::Sample(alternatives) => {
                let count = alternatives.len() as u32;
                state.stage = Stage::Sampling(alternatives);
                Op::Choose { count }
            }
            Halt::Error(kind, _) if !self.looks_for(state, kind) => {
                Rc::make_mut(&mut state.rare).passed = Some(kind);
                self.note_passed();
                Op::Block(Block::Exit)
            }
            Halt::Error(kind, message) => Op::Error(self.tables.borrow_mut().error(kind, message)),
        });
        state.last_read = LastRead::of(op, (state.frame.func, state.frame.pc));
        if !state.rare.held.is_empty() {
            self.watch_section(state, op);
        }
        match op {
            Op::Load { loc, mode, .. } => {
                state.loads += 1;
                // To look at little, all count.
                let is_sure = mode == Mode::Na && self.options.plain_reads_are_sure && !self.options.brief;
                state.sure_loads += u32::from(is_sure);
                if mode == Mode::Rlx && self.hooks.look == Some(state.frame.func) {
                    self.note_divided_lock(state, loc);
                }
            }
            Op::Store { .. } => {
                let quiet = self.is_at_quiet_lock(state) || self.is_at_section(state);
                state.effects += u32::from(!quiet);
            }
            Op::Spawn { .. } | Op::Join { .. } | Op::Detach { .. } | Op::Alloc { .. } | Op::Free { .. } => {
                state.effects += 1;
            }
            // What depends on the program's input is not the thread's choice.
            Op::Choose { .. } => {
                let given =
                    matches!(state.stage, Stage::Deciding(_) | Stage::Sampling(_) | Stage::CasGuessed(_));
                state.choices += u32::from(!given);
            }
            // Who writes back what others wrote makes a difference to what persists.
            Op::Fence { mode } if mode.is_mark() => state.effects += 1,
            Op::Persist { .. } => state.effects += 1,
            Op::Arrive { .. } => state.effects += 1,
            _ => {}
        }
        op
    }

    fn has_parts(&self) -> bool {
        self.has_mixed_sizes()
    }

    fn part(&self, state: &VmState) -> Part {
        self.part_of(state)
    }

    fn error(&self, error: u32) -> ProgramError {
        let (kind, message) = match self.tables.borrow().error_text(error) {
            Some(known) => known,
            None => (ErrorKind::Unsupported, Again::CellsRefined.to_string()),
        };
        ProgramError { kind, message }
    }

    fn has_unknowns(&self) -> bool {
        self.outside.unknown
    }

    fn may_be_equal(&self, loc: Loc, one: Value, other: Value) -> bool {
        // Values of more than 8 bytes are all in the table.
        let wide = || self.tables.borrow().layout.cell(loc).size > 8;
        entry(one as u64).is_some() || entry(other as u64).is_some() || wide()
    }

    fn go_together(&self, standings: &mut dyn Iterator<Item = (&VmState, Option<Value>)>) -> Agreement {
        let mut facts = Vec::new();
        for (state, way) in standings {
            let found = &state.rare.found;
            facts.extend(state.facts.iter().filter(|fact| !found.contains(fact)));
            if let (Stage::Deciding(alternatives) | Stage::Sampling(alternatives), Some(way)) =
                (&state.stage, way)
            {
                facts.extend(alternatives.get(way as usize));
            }
        }
        self.do_go_together(facts)
    }

    fn agree(&self, standings: &mut dyn Iterator<Item = &VmState>) -> Agreement {
        self.do_go_together(standings.flat_map(|state| state.facts.iter().copied()).collect())
    }

    fn again(&self) -> Option<Again> {
        self.reason_to_restart(&self.tables.borrow())
    }
}

impl VmMachine {
    fn do_go_together(&self, mut facts: Vec<Term>) -> Agreement {
        facts.sort_unstable();
        facts.dedup();
        match self.facts_go_together(&facts) {
            Answer::Yes(_) => Agreement::Yes,
            Answer::No => Agreement::No,
            Answer::NobodyKnows => Agreement::NobodyKnows,
        }
    }
}
