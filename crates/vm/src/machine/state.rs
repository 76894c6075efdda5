//! A thread's local state: registers, calls, private memory.
//!
//! A copy is made at every visible operation, so what is large or seldom changes is shared between copies.

use super::exceptions::Flying;
use super::parts::Parts;
use super::print::Printed;
use super::purity::Watch;
use super::symbolic::Facts;
use super::tracking::Tracking;
use super::unwind::{Jump, Landing};
use crate::contents::Bytes;
use crate::format::Text;
use crate::layout::Pieces;
use crate::private::PrivateObject;
use crate::undefined::Origin;
pub use crate::undefined::Val;
use selvedge_graph::{Loc, Mode, Tid};
use selvedge_ir::{FuncId, Reg};
use selvedge_machine::{Block, ErrorKind, Op, Rmw};
use selvedge_symbolic::Term;
use smallvec::SmallVec;
use std::rc::Rc;

/// A thread at a visible operation.
#[derive(Clone, Debug)]
pub struct VmState {
    pub(super) thread: Tid,
    /// The function that the thread started in.
    pub(super) entry: FuncId,
    pub(super) frame: Frame,
    pub(super) callers: Option<Rc<Caller>>,
    pub(super) depth: u32,
    /// What to do with what the operation gives, before going on.
    pub(super) stage: Stage,
    /// By slot: `errno`, thread-local variables that stay within the thread, the stack.
    pub(super) private: Rc<Vec<Rc<PrivateObject>>>,
    /// What it knows of numbers that come from outside.
    pub(super) facts: Facts,
    /// In a search that remembers states, which numbers from outside have a name.
    pub(super) told: Option<Rc<Told>>,
    /// How many objects, threads and keys this thread has made.
    pub(super) made: Made,
    pub(super) rare: Rc<Rare>,
    /// How many loads it has performed, and how many when the loop that it is in was last at its header.
    pub(super) loads: u32,
    pub(super) loads_at_header: u32,
    /// How many of them other threads could not decide about ([`Options::plain_reads_are_sure`]).
    ///
    /// [`Options::plain_reads_are_sure`]: super::Options::plain_reads_are_sure
    pub(super) sure_loads: u32,
    /// How many operations that others may notice.
    pub(super) effects: u32,
    /// Its last operation, if that was a read.
    pub(super) last_read: Option<LastRead>,
    /// Its reads since it was at the header of a loop that tries, as far as they can be made again.
    pub(super) round: Option<Rc<Vec<LastRead>>>,
    /// Reads that are made again without being events: they failed, and so they do until the thread gives up.
    pub(super) repeats: Option<Repeat>,
    /// Whether it is only assumed that it could have made such reads again.
    pub(super) made_up: bool,
    /// Where it left out read-modify-writes that store what they read, without having come to them.
    pub(super) left_swaps: SmallVec<[Loc; 1]>,
    /// How many choices it has made.
    pub(super) choices: u32,
    /// A thread leaves its result once.
    pub(super) left_result: bool,
    /// How it was when it was last about to take a lock, by place (`relock.rs`).
    pub(super) takes: SmallVec<[Rc<VmState>; 1]>,
    /// What depends on what, if that is of interest.
    pub(super) tracking: Option<Box<Tracking>>,
}

/// What a thread was told from outside, to a search that remembers states: of numbers that nothing knows of
/// any more, names are free again.
#[derive(Debug)]
pub struct Told {
    /// What the first number is called that it is told in this step, if that is free.
    pub first: u32,
    /// Names that are not.
    pub in_use: Vec<u32>,
}

/// Reads of a round that ends in the same way as often as it is made.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The loop that they are in, by the function and its number.
    pub of: (FuncId, u32),
    pub reads: Rc<Vec<LastRead>>,
    /// Which of them comes next.
    pub next: usize,
}

/// A load, or a compare-and-exchange that failed: if it did not, a write follows.
#[derive(Clone, Copy, Debug)]
pub struct LastRead {
    pub loc: Loc,
    pub mode: Mode,
    pub value: u64,
    /// Where it is.
    pub at: (FuncId, u32),
    /// Which of the thread's events it is, where dependencies are followed.
    pub number: u32,
}

impl LastRead {
    pub fn of(op: Op, at: (FuncId, u32)) -> Option<LastRead> {
        let Op::Load { loc, mode, rmw } = op else { return None };
        match rmw {
            Rmw::No => Some(LastRead { loc, mode, value: 0, at, number: 0 }),
            Rmw::Cas { fail, .. } => Some(LastRead { loc, mode: fail, value: 0, at, number: 0 }),
            Rmw::Always | Rmw::Linked | Rmw::Tentative { .. } | Rmw::Swap { .. } => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Made {
    pub objects: u32,
    pub threads: u32,
    pub keys: u32,
    pub barriers: u32,
    /// How many numbers it was told from outside.
    pub unknowns: u32,
    /// How many of its thread-local variables are gone.
    pub ended: u32,
    pub spurious_wakeups: u32,
    /// How many operations it has come to.
    pub steps: u32,
    /// Which of its loads, counted from 1, was the latest weak compare and exchange to fail for no reason.
    pub weak_failure: u32,
    /// How many did.
    pub weak_failures: u32,
    /// Not 0: its stores are said to be final.
    pub final_writes: u32,
}

/// Parts of a state that change seldom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rare {
    pub held: Vec<Held>,
    /// Thread-specific data: key and value.
    pub specific: Vec<(u32, u64)>,
    /// Calls of `setjmp` that may still be jumped to.
    pub jumps: Vec<Jump>,
    /// Buffers of `pthread_cleanup_push`, the innermost one last.
    pub cleanups: Vec<u64>,
    /// The process does not wait for it.
    pub background: bool,
    /// What `pthread_exit` was given.
    pub result: Option<Val>,
    /// A text that is being made, and how many bytes it needs to go on.
    pub text: Option<Box<Text>>,
    pub text_needs: u8,
    pub printed: Vec<Printed>,
    /// The error that the thread ended the process with, of a kind that is not looked for.
    pub passed: Option<ErrorKind>,
    /// Iterations of marked loops under way, the innermost last: how many loads and effects there were when
    /// they began.
    pub spins: Vec<(u32, u32)>,
    /// Those of the facts that were found out by reading (`guess.rs`).
    pub found: Vec<Term>,
    /// The exception that is on its way, or was caught last, and the text of the latest panic.
    pub flying: Vec<Flying>,
    pub panic: Option<Rc<str>>,
    /// What to run at the end of the thread, with its argument, the latest last; and the one that runs.
    pub exits: Vec<(u64, u64)>,
    pub exit_argument: u64,
}

/// A lock that the thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub addr: u64,
    /// How often, for recursive mutexes.
    pub count: u32,
    pub shared: bool,
    /// What was taken in place of the lock (`__selvedge_lock_part`); 0 if it was the lock.
    pub word: u64,
    /// From where the thread took it, if not the lock.
    pub site: u64,
    /// After how many operations of the thread. Who gives a lock back and takes it again is where it was, but
    /// must not wait there with the lock (`purity`): whoever it waits for may need it in between.
    pub since: u32,
}

impl Held {
    /// A lock that was taken as it is, by this thread alone.
    pub fn alone(addr: u64) -> Held {
        Held { addr, count: 1, shared: false, word: 0, site: 0, since: 0 }
    }
}

/// How the back edge of a loop was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rounds {
    /// How often, as far as it counts.
    pub counted: u32,
    /// How often not, although something was done.
    pub free: u32,
    /// How many loads and choices, and how many operations, there had been when it was taken last.
    pub inputs: u32,
    pub steps: u32,
    /// How many loads that others could not decide about.
    pub sure: u32,
    /// How much had been found out about unknown numbers.
    pub facts: u32,
}

/// One call of a function.
#[derive(Debug)]
pub struct Frame {
    pub func: FuncId,
    /// The instruction that runs next, or that is running.
    pub pc: u32,
    pub regs: SmallVec<[u64; 16]>,
    /// By register, which of its bits are undefined, and where they come from; empty if all are defined.
    pub undef: Vec<(u64, Origin)>,
    /// By loop, how its back edge was taken since it was entered.
    pub rounds: SmallVec<[Rounds; 4]>,
    /// Headers of loops that may wait, and how many loads there were when they were last passed. Loops
    /// nest, so one number for all would be too few.
    pub headers: SmallVec<[(u32, u32); 2]>,
    /// Loops that may have iterations without effect, once they were entered.
    pub watches: SmallVec<[Watch; 1]>,
    /// Objects in shared memory that die with the call.
    pub stack: SmallVec<[u32; 2]>,
    /// Private slots from here on die with the call.
    pub private: u32,
}

impl Frame {
    pub fn pass_header(&mut self, loads: u32) {
        let pc = self.pc;
        match self.headers.iter_mut().find(|(header, _)| *header == pc) {
            Some(entry) => entry.1 = loads,
            None => self.headers.push((pc, loads)),
        }
    }

    /// How many loads there were when this header was last passed.
    pub fn loads_at(&self, header: u32) -> Option<u32> {
        self.headers.iter().find(|(pc, _)| *pc == header).map(|(_, loads)| *loads)
    }
}

#[derive(Debug)]
pub struct Caller {
    pub frame: Frame,
    pub next: Option<Rc<Caller>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Run the instruction at `pc`.
    Fetch,
    /// The instruction at `pc` is done.
    Advance,
    /// The operation gives the result of the instruction.
    Give(Option<Reg>),
    /// The same of 16 bytes.
    GiveWide(Reg),
    /// The load half of an RMW.
    RmwLoaded(Loc),
    /// The same of one that need not write if it stores what it read.
    SwapLoaded(Loc),
    /// The load half of a compare and exchange that is meant.
    CasLoaded(Loc),
    /// The way out of a barrier; like `Give`, but which value is given is not decided.
    Departing(Option<Reg>),
    /// Whether a wait on a condition variable ends for no reason.
    Spurious(Option<Reg>),
    /// Whether a weak compare and exchange fails for no reason.
    CasChosen(Loc),
    /// The load of one that does.
    CasFailing,
    /// Whether a compare and exchange succeeds whose outcome depends on what nobody knows (`guess.rs`).
    CasGuessed(Loc),
    /// The load of one that is to succeed, or to fail.
    CasToSucceed(Loc),
    CasToFail,
    /// About to create a thread that runs this function on this argument.
    Spawning(FuncId, Val),
    /// In the middle of a plain access of several cells.
    Transfer(Box<Transfer>),
    /// The same of an atomic one.
    Parts(Box<Parts>),
    /// On the way out of a thread.
    Exiting,
    /// At a decision by a value that is not known: which of these holds.
    Deciding(Rc<Vec<Term>>),
    /// The same where the last one is not explored.
    Sampling(Rc<Vec<Term>>),
    /// On the way out of several calls.
    Landing(Box<Landing>),
}

/// An access of several cells: first all loads, then all stores.
///
/// A copy of it is kept at each of them, so it costs no more than a few words to copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    pub loads: Rc<Pieces>,
    pub stores: Rc<Pieces>,
    /// How many of both were performed.
    pub done: u32,
    /// What was loaded so far.
    pub loaded: Loaded,
    /// What is stored; what is loaded is put into it once all is there.
    pub buffer: Rc<Bytes>,
    pub then: Then,
    /// That this is a copy was said, where it makes a difference to what persists.
    pub marked: bool,
}

/// A list, the last value first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loaded(Option<Rc<(u64, Loaded)>>);

impl Loaded {
    pub fn push(&mut self, value: u64) {
        let rest = std::mem::take(self);
        self.0 = Some(Rc::new((value, rest)));
    }

    /// The values, the last one first.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        let mut next = self.0.as_deref();
        std::iter::from_fn(move || {
            let (value, rest) = next?;
            next = rest.0.as_deref();
            Some(*value)
        })
    }
}

impl Drop for Loaded {
    // One after the other: a long list would go too deep.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut last) = next.and_then(Rc::into_inner) {
            next = last.1.0.take();
        }
    }
}

/// What is done at the end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    Nothing,
    /// The buffer goes to a register, or two in a row.
    Load(Reg),
    /// This is the result of a call.
    Result(Option<Reg>, u64),
    /// The buffer goes to private memory.
    Private {
        slot: u32,
        offset: u32,
        dst: Option<Reg>,
        value: u64,
    },
}

impl Clone for Frame {
    // Once per explored event: registers are copied in one go.
    #[inline]
    fn clone(&self) -> Frame {
        Frame {
            regs: SmallVec::from_slice(&self.regs),
            undef: self.undef.clone(),
            rounds: SmallVec::from_slice(&self.rounds),
            headers: SmallVec::from_slice(&self.headers),
            watches: self.watches.clone(),
            stack: SmallVec::from_slice(&self.stack),
            ..*self
        }
    }
}

impl Frame {
    pub fn new(func: FuncId, regs: u32, loops: usize, private: u32) -> Frame {
        Frame {
            func,
            pc: 0,
            regs: SmallVec::from_elem(0, regs as usize),
            undef: Vec::new(),
            rounds: SmallVec::from_elem(Rounds::default(), loops),
            headers: SmallVec::new(),
            watches: SmallVec::new(),
            stack: SmallVec::new(),
            private,
        }
    }

    #[inline]
    pub fn get(&self, reg: Reg) -> Val {
        let (undef, origin) = self.undef.get(reg as usize).copied().unwrap_or_default();
        Val { bits: self.regs[reg as usize], undef, origin }
    }

    #[inline]
    pub fn set(&mut self, reg: Reg, bits: u64) {
        self.regs[reg as usize] = bits;
        if !self.undef.is_empty() {
            self.undef[reg as usize] = (0, Origin(0));
        }
    }

    pub fn set_val(&mut self, reg: Reg, val: Val) {
        self.set(reg, val.bits);
        if val.undef != 0 {
            self.undef.resize(self.regs.len(), (0, Origin(0)));
            self.undef[reg as usize] = (val.undef, val.origin);
        }
    }
}

impl VmState {
    /// What it means to wait in a loop since `loads_at_header`. If it goes round because a compare and
    /// exchange failed for no reason, then that is no reason to wait: the execution in which it did not
    /// fail is another one.
    pub(super) fn spin(&self) -> Block {
        if self.made.weak_failure > self.loads_at_header { Block::Assume } else { Block::Spin }
    }

    /// The frames from the innermost one out.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let mut next = self.callers.as_deref();
        std::iter::once(&self.frame).chain(std::iter::from_fn(move || {
            let caller = next?;
            next = caller.next.as_deref();
            Some(&caller.frame)
        }))
    }

    /// Goes back to the caller; `None` if there is none.
    pub(super) fn pop_frame(&mut self) -> Option<()> {
        let caller = self.callers.take()?;
        let slots = self.frame.private as usize;
        if self.private.len() > slots {
            Rc::make_mut(&mut self.private).truncate(slots);
        }
        match Rc::try_unwrap(caller) {
            Ok(caller) => (self.frame, self.callers) = (caller.frame, caller.next),
            Err(shared) => (self.frame, self.callers) = (shared.frame.clone(), shared.next.clone()),
        }
        self.depth -= 1;
        Some(())
    }

    pub(super) fn push_frame(&mut self, frame: Frame) {
        let frame = std::mem::replace(&mut self.frame, frame);
        self.callers = Some(Rc::new(Caller { frame, next: self.callers.take() }));
        self.depth += 1;
    }
}
