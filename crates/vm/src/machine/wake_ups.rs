//! Threads that wake up at a futex for no reason, and find it out (`Reduction::WakeUps`).
//!
//! A wait ends early once in a while, so callers look again:
//! `while (!compare_exchange(&l, 0, 1)) futex_wait(&l, 1);`. Trying that in each wait of each thread
//! multiplies executions, and mostly nothing comes of it.
//!
//! *Nothing is lost* if the next thing that the thread does is an atomic access `a` of the word itself, if it
//! would stand there in the same state had the wait said that the word is not what was expected (`EAGAIN`),
//! and if, where `a` reads what was expected, it comes back to the wait in the same state and without another
//! effect, or waits. Take an execution in which it wakes up for no reason after the wait's look `l` at the
//! word. If `a` reads what was expected, the thread is back where it was and has only read: the execution
//! without this round is explored, as for iterations without effect (`purity.rs`). If not, let `l` read from
//! the write that `a` reads from, which comes right after it. This is consistent: without `l` by
//! `forgets-reads`; with it, where `a` is a read-modify-write, by `confirms-reads`, as `l` does not acquire;
//! where `a` is a load, by `repeats-reads`, as the first of two equal loads may be as weak as `l`
//! (`monotone-in-orderings`). Then the wait says that the word has changed, and all goes on as before.
//!
//! If the thread waits at once, as in loops that begin with a look, there is nothing to compare: that
//! iteration had no effect.
//!
//! If `a` is an exchange that stores what was expected (`while (exchange(&l, 2)) futex_wait(&l, 2);`), then
//! where it reads that, it leaves the word as it was, and what is left out with the round is a
//! read-modify-write that stores what it has read. Why that makes no difference but to plain reads is said in
//! `exchange.rs`, and it takes what `exchange` takes. That nobody reads the word by plain reads is watched as
//! it is there (`reductions/swaps.rs` of the explorer).
//!
//! What tells the two ends of the wait apart is `errno`, so this is for programs that do not have it.
//!
//! Whether it is so is found out by running the thread ahead. All that it runs is its own.

use super::relock::is_here;
use super::state::{Stage, VmState};
use super::{Halt, VmMachine};
use selvedge_graph::{Loc, Mode, Value};
use selvedge_ir::{Instr, Operand, Reg};
use selvedge_machine::{Block, Machine, Op, Reduction, Rmw};
use std::rc::Rc;

/// How many instructions there may be until the thread waits again.
const FAR: usize = 10_000;

/// What the wait's look came to, as the library's text has it.
const FOR_NO_REASON: Value = 1;
const CHANGED: Value = 2;

impl VmMachine {
    /// Whether nothing new comes of it if a thread wakes up for no reason, which has found `expected` in a
    /// futex and is asked, at this call, whether it does.
    pub(super) fn wakes_in_vain(
        &self,
        state: &mut VmState,
        word: u64,
        expected: u32,
        dst: Option<Reg>,
    ) -> bool {
        if !self.options.reductions.has(Reduction::WakeUps)
            || !self.options.reductions.has(Reduction::Pef)
            || self.options.track_deps
        {
            return false;
        }
        let Some(loc) = self.cell_at(state, Operand::Const(word), 4) else { return false };
        let mut asked = state.clone();
        asked.stage = Stage::Spurious(dst);
        let (mut woken, mut changed) = (asked.clone(), asked);
        let goes_on = self.step(&mut woken, FOR_NO_REASON);
        if is_no_step(goes_on) {
            return true;
        }
        let same = !self.hooks.errno
            && self.step(&mut changed, CHANGED) == goes_on
            && self.is_same_but_errno(&woken, changed);
        if !same || !is_atomic_access(goes_on, loc) {
            return false;
        }
        let mode = match *self.current(&woken) {
            Instr::Rmw { mode, .. } => Some(mode),
            _ => None,
        };
        let mut went = self.finish(&mut woken, expected.into());
        let swaps = match went {
            Ok(Some(Op::Store { value, rmw: true, .. }))
                if value as u64 == u64::from(expected)
                    && mode.is_some_and(|mode| self.leaves_out_swaps(mode)) =>
            {
                went = self.finish(&mut woken, 0);
                true
            }
            // It waits at once, as an attempt that is left out (`exchange.rs`).
            _ => matches!(goes_on, Op::Load { rmw: Rmw::Swap { .. }, .. }),
        };
        let in_vain = self.comes_back(state, woken, went, loc, expected.into());
        if in_vain && swaps && !state.left_swaps.contains(&loc) {
            state.left_swaps.push(loc);
        }
        in_vain
    }

    /// Whether two states of a thread are the same but for `errno`.
    fn is_same_but_errno(&self, a: &VmState, mut b: VmState) -> bool {
        Rc::make_mut(&mut b.private)[0] = Rc::clone(&a.private[0]);
        a.stage == b.stage && is_here(a, &b) && self.nothing_since(a, &b)
    }

    /// Whether a thread waits again that has read at an access of the word what was expected, and `went` so.
    fn comes_back(
        &self,
        then: &VmState,
        mut ahead: VmState,
        mut went: Result<Option<Op>, Halt>,
        loc: Loc,
        expected: u64,
    ) -> bool {
        for _ in 0..FAR {
            if is_here(then, &ahead) && ahead.stage == Stage::Fetch {
                ahead.choices = then.choices; // it chose to wake up, and nothing else
                return self.nothing_since(then, &ahead);
            }
            let input = match went {
                Ok(None) => {
                    went = self.run(&mut ahead);
                    continue;
                }
                Ok(Some(op)) if is_no_step(op) => return true,
                Ok(Some(Op::Fence { mode })) if !mode.is_mark() => 0,
                Ok(Some(op @ Op::Load { rmw: Rmw::No, .. }))
                    if is_atomic_access(op, loc) && ahead.frame.func == then.frame.func =>
                {
                    expected
                }
                _ => return false,
            };
            went = self.finish(&mut ahead, input);
        }
        false
    }
}

/// Whether it waits until there is something else to read, or because of a choice.
fn is_no_step(op: Op) -> bool {
    matches!(op, Op::Block(Block::Spin | Block::Assume))
}

/// Whether it is an atomic load of a location, or the first half of a read-modify-write. What is taken
/// tentatively others may notice, and it is watched where it is in the graph only (`zne.rs`).
fn is_atomic_access(op: Op, loc: Loc) -> bool {
    match op {
        Op::Load { loc: at, mode, rmw } => {
            at == loc && mode != Mode::Na && !matches!(rmw, Rmw::Linked | Rmw::Tentative { .. })
        }
        _ => false,
    }
}
