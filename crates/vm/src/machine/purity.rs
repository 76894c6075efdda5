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

use super::VmMachine;
use super::state::{Frame, Made, Rare, Val, VmState};
use crate::ir::{Function, Instr, OwnCell, Reg, pointer};
use crate::private::PrivateObject;
use selvedge_machine::{Block, Reduction};
use smallvec::SmallVec;
use std::rc::Rc;

/// A loop whose header was passed, and how the thread was then.
#[derive(Clone, Debug)]
pub struct Watch {
    number: u32,
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
    /// Addresses and sizes of cells that the loop rewrites.
    rewritten: SmallVec<[(u64, u8); 1]>,
}

impl VmMachine {
    pub(super) fn pass_header(&self, state: &mut VmState, number: u32, live: &[Reg], rewritten: &[OwnCell]) {
        if !self.options.reductions.has(Reduction::Pef) {
            return;
        }
        let frame = &state.frame;
        let address = |cell: &OwnCell| {
            let base = frame.get(cell.base);
            let address = base.bits.wrapping_add(cell.offset as u64);
            (base.undef == 0 && pointer::split(address).is_some()).then_some((address, cell.bytes))
        };
        let unseen = self.options.reductions.has(Reduction::Escape);
        let rewritten = if unseen { rewritten } else { &[] };
        let watch = Watch {
            number,
            loads: state.loads,
            effects: state.effects,
            choices: state.choices,
            at_header: Rc::new(AtHeader {
                live: live.iter().map(|r| frame.get(*r)).collect(),
                private: state.private.clone(),
                made: state.made,
                rare: state.rare.clone(),
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
        // Without a read, nothing would ever end the wait, and nothing would tell that it does not.
        if watch.effects != state.effects || watch.loads == state.loads {
            return None;
        }
        let before = &watch.at_header;
        let same = before.made == state.made
            && live.iter().zip(&before.live).all(|(reg, val)| state.frame.get(*reg) == *val)
            && same_memory(&before.private, &state.private)
            && (Rc::ptr_eq(&before.rare, &state.rare) || before.rare == state.rare);
        if !same {
            return None;
        }
        // Another choice may lead on: then this is no wait for ever.
        let chose = watch.choices != state.choices;
        state.loads_at_header = watch.loads;
        Some(if chose { Block::Assume } else { Block::Spin })
    }
}

fn same_memory(a: &Rc<Vec<Rc<PrivateObject>>>, b: &Rc<Vec<Rc<PrivateObject>>>) -> bool {
    let same = |(a, b): (&Rc<PrivateObject>, &Rc<PrivateObject>)| Rc::ptr_eq(a, b) || a == b;
    Rc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(same))
}

impl Frame {
    /// Notes that a plain store is about to be made, by that many operations: it is no effect for the loops
    /// that rewrite the cell.
    pub fn forgive_store(&mut self, address: u64, bytes: u8, operations: u32) {
        for watch in &mut self.watches {
            if watch.at_header.rewritten.contains(&(address, bytes)) {
                watch.effects += operations;
            }
        }
    }
}
