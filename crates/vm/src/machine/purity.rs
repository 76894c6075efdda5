//! Iterations without effect, found when they are run (thesis §7.2.5).
//!
//! At the header of a loop that may have such iterations, the part of the thread's state that matters from
//! there on is kept. If an iteration comes back to the header with the same state, and nobody else can have
//! noticed it, then the thread could as well have skipped it: an execution without its reads and fences is
//! consistent if the one with them is, and it goes on in the same way. So the thread waits until a read of
//! the iteration gives it another value.
//!
//! What matters is: the registers that are live at the header (found by the compiler), all private memory,
//! what the library keeps for the thread. Whatever writes to shared memory, makes or ends a thread or an
//! object is an effect; but a compare-and-exchange that fails only reads.
//!
//! A loop that starts with what was read before it, as in `e = load(&x); while (!cas(&x, &e, e + 1));`, does
//! not come back to the same state. But if the last thing that the first iteration did was to read `x`, and
//! its state is what it would be if the load before the loop had read this, then that is a shorter way to the
//! same state: leave out the load and the iteration, and let the last read take the place of the load. The
//! execution is consistent if the read is at least as strong as the load, or if the compare-and-exchange that
//! succeeds in the end is and nothing happens in between (`retry` of the analyses).

use super::Halt;
use super::VmMachine;
use super::memory::{Spot, Use};
use super::state::{Frame, LastRead, Made, Rare, Repeat, Stage, Val, VmState};
use super::symbolic::Facts;
use crate::private::PrivateObject;
use selvedge_graph::Loc;
use selvedge_ir::analysis::retry::{LONGEST, is_as_strong};
use selvedge_ir::{FuncId, Function, Instr, Operand, OwnCell, Reg, pointer};
use selvedge_machine::{Block, Op, Reduction};
use selvedge_symbolic::{Node, Term};
use smallvec::SmallVec;
use std::rc::Rc;

/// How often an attempt is repeated without being an event.
const MOST_ATTEMPTS: usize = 1 << 16;

/// How many reads of an attempt are made again.
const MOST_READS: usize = 4;

/// A loop whose header was passed, and how the thread was then.
#[derive(Clone, Debug)]
pub struct Watch {
    number: u32,
    /// Whether the header was reached from before the loop.
    first: bool,
    /// Whether the back edge is taken.
    returning: bool,
    loads: u32,
    /// Effects so far, but for writes to cells that the loop rewrites.
    effects: u32,
    choices: u32,
    at_header: Rc<AtHeader>,
}

#[derive(Debug)]
struct AtHeader {
    live: SmallVec<[Val; 4]>,
    private: Rc<Vec<Rc<PrivateObject>>>,
    made: Made,
    rare: Rc<Rare>,
    facts: Facts,
    /// Addresses and sizes of cells that the loop rewrites.
    rewritten: SmallVec<[(u64, u8); 1]>,
}

impl VmMachine {
    /// Whether a thread is about to begin or end an atomic section. That is no step of the program: its
    /// accesses are all that others see of a section, and an iteration of which the sections only read wrote
    /// nothing. Sections are one step each of an interleaving (other models are refused), and what is left of
    /// an interleaving without a step that only reads is one, too. Nobody can look whether somebody is in a
    /// section, so nobody can tell.
    pub(super) fn is_at_section(&self, state: &VmState) -> bool {
        const CALLS: usize = 4; // the section's function, and those of locks that it calls
        self.info(state.frame.func).locks
            && self.options.reductions.has(Reduction::Pef)
            && state.frames().take(CALLS).any(|frame| self.info(frame.func).section)
    }

    pub(super) fn pass_header(&self, state: &mut VmState, number: u32, live: &[Reg], rewritten: &[OwnCell]) {
        let frame = &state.frame;
        let address = |cell: &OwnCell| {
            let base = frame.get(cell.base);
            let address = base.bits.wrapping_add(cell.offset as u64);
            (base.undef == 0 && pointer::split(address).is_some()).then_some((address, cell.bytes))
        };
        let unseen = self.options.reductions.has(Reduction::Escape);
        let rewritten = if unseen { rewritten } else { &[] };
        let returning = state.frame.watches.iter().any(|w| w.number == number && w.returning);
        let of = (state.frame.func, number);
        if !returning && state.repeats.as_ref().is_some_and(|repeat| repeat.of == of) {
            state.repeats = None;
        }
        if !self.info(of.0).counters[number as usize].regs.is_empty() {
            state.round = Some(Rc::default());
        }
        let watch = Watch {
            number,
            first: !returning,
            returning: false,
            loads: state.loads,
            effects: state.effects,
            choices: state.choices,
            at_header: Rc::new(AtHeader {
                live: live.iter().map(|r| frame.get(*r)).collect(),
                private: state.private.clone(),
                made: state.made,
                rare: state.rare.clone(),
                facts: Rc::clone(&state.facts),
                rewritten: rewritten.iter().filter_map(address).collect(),
            }),
        };
        let watches = &mut state.frame.watches;
        match watches.iter_mut().find(|w| w.number == number) {
            Some(old) => *old = watch,
            None => watches.push(watch),
        }
    }

    /// About to go back to a header: why to wait instead, if the iteration had no effect.
    pub(super) fn idle(&self, state: &mut VmState, number: u32, function: &Function) -> Option<Block> {
        let watch = state.frame.watches.iter().find(|w| w.number == number)?;
        let header = function.loops.get(number as usize)?.header;
        let Instr::LoopHead { live, .. } = function.code.get(header as usize)? else { return None };
        let decided = state.facts.len() > watch.at_header.facts.len();
        let idly = self.info(state.frame.func).idle_choices[number as usize];
        let chose = (decided || watch.choices != state.choices) && !idly;
        // Without a read, nothing would ever end a wait, and nothing would tell that it does not. But who has
        // come to the same again by a choice may as well not have made it.
        let only_chose = watch.loads == state.loads;
        if (only_chose && !chose) || !watch.without_effect(state) || !self.only_of_its_own(watch, state) {
            return None;
        }
        let before = &watch.at_header;
        if live.iter().zip(&before.live).any(|(reg, val)| state.frame.get(*reg) != *val) {
            if only_chose {
                return None;
            }
            if let Some(reads) = self.failed(state, watch, number, live) {
                let of = (state.frame.func, number);
                state.made_up |= !self.can_be_repeated(&reads, of);
                state.repeats = Some(Repeat { of, reads, next: 0 });
                return None;
            }
            // The next iteration may do better, so this is no wait for ever.
            let detour = watch.first && self.is_detour(state, number, live, header);
            return detour.then_some(Block::Assume);
        }
        // Another choice may lead on: then this is no wait for ever.
        state.loads_at_header = watch.loads;
        Some(if chose { Block::Assume } else { Block::Spin })
    }
}

impl VmMachine {
    /// Whether what was found out in an iteration is about numbers that it was told itself. Without it,
    /// nobody would have been told them. What it finds out about others it need not find out again: the
    /// next iteration tells whether that had an effect.
    fn only_of_its_own(&self, watch: &Watch, state: &VmState) -> bool {
        let before = &watch.at_header;
        let terms = &self.tables.borrow().terms;
        let is_new = |unknown: &Term| match terms.node(*unknown) {
            Node::Unknown { owner, number, .. } | Node::Opaque { owner, number, .. } => {
                *owner == state.thread.0 as u32 && *number >= before.made.unknowns
            }
            _ => false,
        };
        state.facts[before.facts.len().min(state.facts.len())..]
            .iter()
            .all(|fact| terms.unknowns(*fact).iter().all(is_new))
    }
}

impl Watch {
    pub(super) fn is_of(&self, number: u32) -> bool {
        self.number == number
    }

    /// How many loads there were when the header was passed.
    pub(super) fn loads(&self) -> u32 {
        self.loads
    }

    /// Whether a choice was made since the header was passed, if there are so many now.
    pub(super) fn has_chosen(&self, choices: u32) -> bool {
        self.choices != choices
    }

    /// Whether nothing that others can see was done since the header was passed.
    pub(super) fn is_unseen(&self, state: &VmState) -> bool {
        self.effects == state.effects
    }

    /// Whether nothing that others can see was done since the header was passed, nor anything in the thread's
    /// own memory.
    fn without_effect(&self, state: &VmState) -> bool {
        let before = &self.at_header;
        self.effects == state.effects
            && same_counts(&before.made, &state.made)
            && same_memory(&before.private, &state.private)
            && (Rc::ptr_eq(&before.rare, &state.rare) || same_rest(&before.rare, &state.rare))
    }
}

impl VmMachine {
    /// Whether an iteration of a loop had no effect so far: how many loads there were when it began.
    pub(super) fn is_idle(&self, state: &VmState, number: u32) -> Option<u32> {
        let function = self.function(state.frame.func);
        let watch = state.frame.watches.iter().find(|w| w.number == number)?;
        let header = function.loops.get(number as usize)?.header;
        let Instr::LoopHead { live, .. } = function.code.get(header as usize)? else { return None };
        let same = live.iter().zip(&watch.at_header.live).all(|(reg, val)| state.frame.get(*reg) == *val);
        let decided = watch.at_header.facts.len() != state.facts.len();
        (same && !decided && watch.without_effect(state)).then_some(watch.loads)
    }

    /// Whether a first iteration had no effect and read nothing until the compare-and-exchange that the
    /// thread stands at, which is of the location of the load before the loop.
    pub(super) fn is_retry(&self, state: &VmState, number: u32, load: u32) -> bool {
        let Some(watch) = state.frame.watches.iter().find(|w| w.number == number) else { return false };
        let function = self.function(state.frame.func);
        let Some(&Instr::Load { addr, bytes, .. }) = function.code.get(load as usize) else { return false };
        let Stage::CasLoaded(loc) = state.stage else { return false };
        self.options.reductions.has(Reduction::Retry)
            && watch.first
            && watch.loads + 1 == state.loads
            && watch.at_header.facts.len() == state.facts.len()
            && watch.without_effect(state)
            && self.cell_at(state, addr, bytes) == Some(loc)
    }

    /// Whether the state at the header would be the same if the load before the loop had read what was read
    /// last.
    fn is_detour(&self, state: &VmState, number: u32, live: &[Reg], header: u32) -> bool {
        if !self.options.reductions.has(Reduction::Retry) {
            return false;
        }
        let func = state.frame.func;
        let (Some(read), Some(load)) = (state.last_read, self.info(func).loads_before[number as usize])
        else {
            return false;
        };
        let Some(&Instr::Load { dst, addr, bytes, mode, .. }) = self.function(func).code.get(load as usize)
        else {
            return false;
        };
        let confirmed = self.info(func).confirmed.get(number as usize).copied().unwrap_or(false);
        if !(confirmed || is_as_strong(read.mode, mode)) || self.cell_at(state, addr, bytes) != Some(read.loc)
        {
            return false;
        }
        let mut other = state.clone();
        self.give(&mut other, dst, bytes, read.value);
        other.frame.pc = load + 1;
        for _ in 0..LONGEST {
            if other.frame.pc == header {
                return live.iter().all(|reg| other.frame.get(*reg) == state.frame.get(*reg));
            }
            if !matches!(self.run(&mut other), Ok(None)) {
                return false;
            }
        }
        false
    }

    /// The reads of an iteration that was an attempt and failed: it had no effect, and differs from the next
    /// one in what only bounds the attempts. Others that fail can be left out, and the last one stands for
    /// all of them: the thread goes on as if it read the same until it gives up (`Reduction::Attempts`). If
    /// an attempt succeeds, the first one may as well. What the thread does after that, and in the
    /// iterations, does not depend on their number.
    ///
    /// That it can read the same as often as it takes is `repeats-reads` of the model, for a single read with
    /// nothing else around it. If an iteration reads more than once, what it read last may have told it that
    /// what it read before is old; and a fence may do that. Then it is only assumed, and an execution in
    /// which it was is not trusted if anything is wrong with it: the program is explored again, with all
    /// attempts of this kind (`reductions/made_up.rs` of the explorer). Executions of the program are all
    /// there: leaving out iterations that fail, but for the last one, takes nothing more than that the model
    /// forgets reads.
    fn failed(&self, state: &VmState, watch: &Watch, number: u32, live: &[Reg]) -> Option<Rc<Vec<LastRead>>> {
        let counters = &self.info(state.frame.func).counters[number as usize].regs;
        let same = |(reg, val): (&Reg, &Val)| counters.contains(reg) || state.frame.get(*reg) == *val;
        let reads = state.round.as_ref().filter(|_| !counters.is_empty())?;
        let failed = self.options.reductions.has(Reduction::Attempts)
            && (state.tracking.is_none() || self.options.in_order)
            && watch.loads as usize + reads.len() == state.loads as usize
            && watch.choices == state.choices
            && watch.at_header.facts.len() == state.facts.len()
            && live.iter().zip(&watch.at_header.live).all(same)
            && (self.options.make_up_reads || self.can_be_repeated(reads, (state.frame.func, number)));
        failed.then(|| Rc::clone(reads))
    }

    /// Whether a thread can make the reads of an iteration again, with the same outcome.
    fn can_be_repeated(&self, reads: &[LastRead], (func, number): (FuncId, u32)) -> bool {
        self.options.repeats_reads && reads.len() == 1 && self.info(func).counters[number as usize].plain
    }

    /// Notes what was read in an attempt.
    #[cold]
    pub(super) fn note_round(&self, state: &mut VmState) {
        let number = state.tracking.as_ref().map_or(0, |tracking| tracking.at);
        let Some(read) = state.last_read.map(|read| LastRead { number, ..read }) else { return };
        match &mut state.round {
            Some(reads) if reads.len() < MOST_READS => Rc::make_mut(reads).push(read),
            round => *round = None,
        }
    }

    /// Goes on with attempts that fail like the one before, as long as there are any.
    #[inline]
    pub(super) fn after_attempts(&self, state: &mut VmState, went: Result<Op, Halt>) -> Result<Op, Halt> {
        match state.repeats {
            Some(_) => self.repeat(state, went),
            None => went,
        }
    }

    #[cold]
    fn repeat(&self, state: &mut VmState, mut went: Result<Op, Halt>) -> Result<Op, Halt> {
        for _ in 0..MOST_ATTEMPTS {
            let (Ok(op), Some(repeat)) = (&went, &mut state.repeats) else { break };
            let read = repeat.reads[repeat.next];
            let at = (state.frame.func, state.frame.pc);
            let same = |next: LastRead| (next.loc, next.mode, next.at) == (read.loc, read.mode, read.at);
            if !LastRead::of(*op, at).is_some_and(same) {
                break;
            }
            repeat.next = (repeat.next + 1) % repeat.reads.len();
            went = match &mut state.tracking {
                // What depends on it depends on the read that it repeats.
                Some(tracking) => {
                    let now = std::mem::replace(&mut tracking.at, read.number);
                    let went = self.go_on_following(state, read.value);
                    if let Some(tracking) = &mut state.tracking {
                        tracking.at = now;
                    }
                    went
                }
                None => self.go_on(state, read.value),
            };
        }
        state.repeats = None;
        went
    }

    /// The location of an atomic access, if it was accessed before.
    pub(super) fn cell_at(&self, state: &VmState, addr: Operand, bytes: u8) -> Option<Loc> {
        let addr = self.value(state, addr);
        if addr.undef != 0 {
            return None;
        }
        match self.resolve(state, addr.bits, bytes as u64, Use::Read) {
            Ok(Spot::Shared { object, at }) => self.tables.borrow().layout.exact(object, at, bytes as u32),
            _ => None,
        }
    }
}

/// But for what only tells how far a thread has come, and for wake-ups for no reason: of these, a thread only
/// has fewer to come in the later state, so whatever it does from there it can do from the earlier one.
pub(super) fn same_counts(a: &Made, b: &Made) -> bool {
    let stripped =
        |made: &Made| Made { steps: 0, weak_failure: 0, unknowns: 0, spurious_wakeups: 0, ..*made };
    stripped(a) == stripped(b)
}

/// Whether what the library keeps is the same. Where it cannot be compared, it is not.
pub(super) fn same_rest(a: &Rare, b: &Rare) -> bool {
    let simple = |rare: &Rare| rare.jumps.is_empty() && rare.text.is_none();
    let Rare {
        held,
        specific,
        jumps: _,
        cleanups,
        result,
        text: _,
        text_needs,
        printed,
        passed,
        spins: _,
        found: _,
        flying,
        panic: _, // only a text for messages
        exits,
        exit_argument,
        background,
    } = a;
    (held, specific, cleanups) == (&b.held, &b.specific, &b.cleanups)
        && (result, text_needs, passed) == (&b.result, &b.text_needs, &b.passed)
        && (flying, exits, exit_argument) == (&b.flying, &b.exits, &b.exit_argument)
        && background == &b.background
        && printed.len() == b.printed.len() // it only grows
        && simple(a)
        && simple(b)
}

pub(super) fn same_memory(a: &Rc<Vec<Rc<PrivateObject>>>, b: &Rc<Vec<Rc<PrivateObject>>>) -> bool {
    let same = |(a, b): (&Rc<PrivateObject>, &Rc<PrivateObject>)| Rc::ptr_eq(a, b) || a == b;
    Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(same))
}

impl Frame {
    /// Whether some loop under way rewrites a cell.
    pub fn rewrites(&self, address: u64, bytes: u8) -> bool {
        self.watches.iter().any(|watch| watch.at_header.rewritten.contains(&(address, bytes)))
    }

    /// Notes that the back edge of a loop is taken.
    pub fn return_to_header(&mut self, number: u32) {
        if let Some(watch) = self.watches.iter_mut().find(|w| w.number == number) {
            watch.returning = true;
        }
    }

    /// Notes that a store is about to be made, by that many operations: it is no effect for the loops that
    /// rewrite the cell.
    pub fn forgive_store(&mut self, address: u64, bytes: u8, operations: u32) {
        for watch in &mut self.watches {
            if watch.at_header.rewritten.contains(&(address, bytes)) {
                watch.effects += operations;
            }
        }
    }
}
