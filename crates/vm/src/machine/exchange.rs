//! Read-modify-writes that store what they have read, in loops that wait (`Reduction::Exchange`).
//!
//! `while (atomic_exchange(&l, 1));` takes a lock. An attempt that fails stores the 1 that was there and goes
//! round; so does `atomic_flag_test_and_set`, and `fetch_or(&l, 1)`. Like a compare-and-exchange that fails,
//! it may as well only read.
//!
//! *Nothing is lost.* Take an execution, and leave out an iteration that comes back to its header in the
//! state that it started in, and of which the only effect is one read-modify-write `u` that stores what it
//! read. Let `u` have read from `s`. Whoever read from `u` now reads from `s`, which has the same value; so
//! all threads do the same as before. `u` came directly after `s` in coherence, so its place is simply free,
//! and if another read-modify-write came directly after `u`, it now comes directly after `s`. Happens-before
//! does not get larger: what a read learned from `s`, it had learned from `s` through `u` before. That the
//! execution is consistent is what `forgets-rmws` says of a model, and `forgets-reads` of the other reads of
//! the iteration. With all such iterations left out, what is left of a waiting loop is its last iteration,
//! which does something else, or the thread waits in it for ever. So it is enough to explore executions in
//! which read-modify-writes of such iterations do not write, and their threads wait.
//!
//! *Nothing is added*: a thread that waits has not gone further than to its loop, and what others do does not
//! depend on a read of it; where it goes on, it did not make the attempts that failed.
//!
//! *Who could tell* is a plain read: it races with a write of the same location, but not with a read. Whether
//! there are such reads is found out by the explorer (`reductions/swaps.rs`), and then these
//! read-modify-writes write again. In programs that say of writes that they are final, they always do.
//!
//! Whether an iteration goes round is found out by running it: up to its end, which it has to reach without
//! another visible operation; or, after an exchange, up to a load of the same location after which it comes
//! to its end in any case (`polls`): such loads only let time pass, and if there is an error in one of them,
//! there is one in the exchange as well. But they may let time pass for ever, where another attempt would
//! succeed. So an attempt that does succeed is asked whether who looks on would see that as well: whoever
//! looks on for ever sees a value that nobody changes any more, which an attempt in another execution sees,
//! too. If not, the program is explored again with all writes.

use super::VmMachine;
use super::state::{Stage, VmState};
use selvedge_graph::{Loc, Mode, Value};
use selvedge_ir::library::ends_spin;
use selvedge_ir::{Instr, Operand, RmwOp};
use selvedge_machine::{Block, Machine, Op, Reduction};

/// How many instructions there may be between the read-modify-write and the end of the iteration: pauses of
/// all kinds are made there.
const FAR: usize = 10_000;

/// How many loads there may be after an attempt, until the next one.
const MANY_LOOKS: usize = 8;

/// What an iteration without effect comes to, and why to wait there.
enum End {
    /// The back edge.
    Round(Block),
    /// A load after which it comes to that, whatever it reads.
    Poll(Block),
}

impl VmMachine {
    /// Whether a thread that stands at a read-modify-write may turn out to have done nothing.
    pub(super) fn may_go_round_idly(&self, state: &VmState, op: RmwOp, operand: Operand, mode: Mode) -> bool {
        let reductions = self.options.reductions;
        let operand = self.value(state, operand);
        let keeps = operand.undef != 0 || op.may_keep(Operand::Const(operand.bits));
        keeps
            && reductions.has(Reduction::Pef)
            && self.leaves_out_swaps(mode)
            && state.frames().any(|frame| frame.watches.iter().any(|watch| watch.is_unseen(state)))
    }

    /// Whether read-modify-writes of this ordering are left out that store what they have read.
    pub(super) fn leaves_out_swaps(&self, mode: Mode) -> bool {
        self.options.leave_out_undone
            && self.options.reductions.has(Reduction::Exchange)
            && (!self.options.track_deps || self.options.in_order)
            && (self.options.leave_out_relaxed || matches!(mode, Mode::Acq | Mode::AcqRel | Mode::Sc))
            && !self.hooks.final_writes
    }

    /// What such a thread does when it has read `input`: it writes, or waits.
    pub(super) fn swap(&self, state: &mut VmState, loc: Loc, input: u64) -> Op {
        let mut written = state.clone();
        let store = self.rmw_store(&mut written, loc, input);
        let Op::Store { value: stored, .. } = store else { unreachable!("a store") };
        if stored as u64 == input {
            if let Some(End::Round(wait) | End::Poll(wait)) = self.end_of_round(state, loc, input) {
                return Op::Block(wait);
            }
        } else if self.may_wait_longer(state, loc, stored as u64, input) {
            self.learn(|common| common.keep_undone = true);
        }
        *state = written;
        store
    }

    /// Whether a thread that has made an attempt, and has found what it stores, looks on for ever if there is
    /// `input`, although an attempt would succeed with that.
    fn may_wait_longer(&self, state: &VmState, loc: Loc, stored: u64, input: u64) -> bool {
        let mut ahead = state.clone();
        if !matches!(self.end_of_round(&mut ahead, loc, stored), Some(End::Poll(_))) {
            return false;
        }
        let attempt = ahead.loads;
        for _ in 0..MANY_LOOKS {
            match self.step(&mut ahead, input as Value) {
                Op::Load { loc: same, .. } if same == loc => {}
                // It waits in a loop that began after the attempt, or goes round the one that began before.
                Op::Block(_) => return ahead.loads_at_header >= attempt,
                _ => return true,
            }
        }
        true
    }

    /// Runs an iteration after a read-modify-write that stored what it read. What it comes to, if it has no
    /// effect; the state is where it waits, or at the load.
    fn end_of_round(&self, state: &mut VmState, loc: Loc, input: u64) -> Option<End> {
        let mut ahead = state.clone();
        let op = match *self.current(state) {
            Instr::Rmw { op, .. } => op,
            _ => return None,
        };
        self.rmw_store(&mut ahead, loc, input);
        ahead.stage = Stage::Fetch;
        ahead.frame.pc += 1;
        for _ in 0..FAR {
            let code = &self.function(ahead.frame.func).code;
            let at_end = match code.get(ahead.frame.pc as usize) {
                Some(Instr::LoopBack { .. }) => true,
                // Here the program says that an iteration ends that began before the attempt.
                Some(Instr::Call { callee: Operand::Func(f), .. }) => {
                    ends_spin(&self.module.functions[f.0 as usize].name)
                }
                _ => false,
            };
            let poll = self.info(ahead.frame.func).polls.get(ahead.frame.pc as usize).copied().flatten();
            let end = match self.run(&mut ahead) {
                Ok(None) => continue,
                // What is left out may have fences, as reads and fences are no effects.
                Ok(Some(Op::Fence { mode })) if !mode.is_mark() => {
                    self.finish(&mut ahead, 0).ok()?;
                    continue;
                }
                // A loop that waits has read something, so it is one that this iteration is of.
                Ok(Some(Op::Block(wait))) if at_end => End::Round(wait),
                Ok(Some(Op::Load { loc: same, .. })) if same == loc && op == RmwOp::Xchg => {
                    End::Poll(self.goes_round(&mut ahead, poll?)?)
                }
                _ => return None,
            };
            *state = ahead;
            return Some(end);
        }
        None
    }

    /// Why to wait at a load after which the loop goes round, if the iteration had no effect.
    fn goes_round(&self, state: &mut VmState, number: u32) -> Option<Block> {
        let choices = state.choices;
        let watch = state.frame.watches.iter().find(|w| w.is_of(number))?;
        let chose = watch.has_chosen(choices);
        // The read-modify-write is part of the iteration.
        state.loads_at_header = self.is_idle(state, number).filter(|then| *then < state.loads)?;
        Some(if chose { Block::Assume } else { Block::Spin })
    }

    /// What such a thread stores if it reads `value`, where it waits if it reads that, and the last read
    /// before is part of the iteration.
    pub(super) fn swaps(&self, state: &VmState, value: Value) -> Option<Value> {
        if !matches!(state.stage, Stage::SwapLoaded(_)) {
            return None;
        }
        let (mut taking, mut waiting) = (state.clone(), state.clone());
        let Op::Store { value: stored, rmw: true, .. } = self.step(&mut taking, value) else { return None };
        let waits = matches!(self.step(&mut waiting, stored), Op::Block(_));
        (waits && waiting.loads_at_header + 1 < waiting.loads).then_some(stored)
    }
}
