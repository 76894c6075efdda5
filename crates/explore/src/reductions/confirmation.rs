//! Confirmation: a read-modify-write and a read of the same value directly before it see the same write.
//!
//! In `while (load(x) != 0); cas(x, 0, 1)` the load may have seen an older 0 than the compare-and-exchange.
//! Let `r` be a read directly followed, in its thread, by a read-modify-write `u` of the same location that
//! reads the same value from another write `w`, and let `u` be at least as strong an acquire as `r`. With `r`
//! reading from `w` too, the thread does the same, and the graph is still consistent: whatever leads to or
//! from `r` then also leads to or from `u`, and no order is added but to `r` itself. So executions in which
//! they differ need not be explored; the thread waits. If the thread would try again from `r` on where `u`
//! fails, there may also be writes between `r` and `u` that nobody has seen ([`Explorer::head`]), plain or
//! relaxed ones: they are to objects that nobody knows before `u` says so, and whoever reads them then is not
//! synchronised with by them, so what leads to `r` does not lead further through them.
//!
//! *Premises*: `po ∪ rf` has no cycle, and the model confirms reads in this sense; the program has no atomic
//! sections. Nothing is watched.

use super::{Hooks, reduces};
use crate::explorer::Explorer;
use crate::report::Config;
use crate::threads::FEW_WRITES;
use selvedge_graph::{EventId, Mode, Value};
use selvedge_machine::{Machine, Op, Reduction, Rmw};

/// Whether it is on.
#[derive(Debug)]
pub(crate) struct Confirmation {
    on: bool,
}

impl Confirmation {
    pub(crate) fn new(config: &Config) -> Confirmation {
        Confirmation { on: reduces(config, Reduction::Confirmation) }
    }
}

impl<M: Machine> Hooks<M> for Confirmation {
    /// Whether `u`, reading from `w`, would be a read-modify-write that sees another write than the read
    /// of the same value directly before it.
    #[inline]
    fn refuses_rmw(x: &Explorer<'_, M>, u: EventId, w: EventId) -> bool {
        let Op::Load { loc, mode, rmw } = x.threads.op_of(u) else { return false };
        if matches!(rmw, Rmw::No | Rmw::Linked) || !x.reducers.confirmation.on {
            return false;
        }
        let g = &x.graph;
        let value = g.value_of(w, loc);
        if !x.load_outcome(u, mode, rmw, value).1 {
            return false;
        }
        let before = g.po_pred(u).filter(|&r| g.event(r).is_read());
        let Some(r) = before.or_else(|| x.head(u)) else { return false };
        let read = g.event(r);
        let Some(source) = g.rf(r).filter(|_| read.is_read() && read.loc == loc) else { return false };
        source != w && acquires(read.mode, mode) && !read.is_rmw_read() && g.value_of(source, loc) == value
    }

    /// Whether `e` is not half of a read-modify-write only because it is not confirmed.
    #[inline]
    fn gives_up(x: &Explorer<'_, M>, e: EventId, value: Value) -> bool {
        if !x.rmws {
            return false;
        }
        let Op::Load { mode, rmw, .. } = x.threads.op_of(e) else { return false };
        !matches!(rmw, Rmw::No | Rmw::Linked)
            && !x.graph.event(e).is_rmw_read()
            && x.reducers.confirmation.on
            && x.load_outcome(e, mode, rmw, value).1
    }
}

impl<M: Machine> Explorer<'_, M> {
    /// The load before `u` with which it is one, if there is one.
    pub(crate) fn head(&self, u: EventId) -> Option<EventId> {
        let Op::Load { loc, rmw, .. } = self.threads.op_of(u) else { return None };
        let g = &self.graph;
        let expected = match rmw {
            Rmw::Cas { expected, .. } => expected,
            Rmw::Swap { .. } => {
                let r = g.po_pred(u).filter(|&r| {
                    let ev = g.event(r);
                    ev.is_read() && !ev.is_rmw_read() && ev.loc == loc
                });
                let state = self.threads.state_of(u);
                let one = |r: EventId| state.is_some_and(|state| self.is_binary(state, g.event(r).value));
                return r.filter(|&r| self.reducers.confirmation.on && one(r));
            }
            _ => return None,
        };
        let mut r = g.po_pred(u)?;
        for _ in 0..FEW_WRITES {
            let ev = g.event(r);
            if !ev.is_write() || !matches!(ev.mode, Mode::Na | Mode::Rlx) || ev.is_rmw_write() {
                break;
            }
            r = g.po_pred(r)?;
        }
        let ev = g.event(r);
        let same = ev.is_read() && !ev.is_rmw_read() && ev.loc == loc && ev.value == expected;
        let waits = || self.threads.state_of(u).is_some_and(|state| self.machine.waits_if_it_fails(state));
        (same && self.reducers.confirmation.on && waits()).then_some(r)
    }

    /// Whether the read-modify-write of kind `Rmw::Swap` that a thread in this state stands at is one with a
    /// load of `value` before it: provided that there are only the values 0 and 1, it waits if it reads
    /// another one.
    pub(crate) fn is_binary(&self, state: &M::State, value: Value) -> bool {
        matches!(value, 0 | 1) && self.machine.swaps_for(state, value) == Some(1 - value)
    }

    /// Whether `e`, a load that reads from `w`, would be one with the compare-and-exchange that follows.
    /// Then its ordering.
    pub(crate) fn is_head(&mut self, e: EventId, w: EventId) -> Option<Mode> {
        let Op::Load { loc, rmw: Rmw::No, .. } = self.threads.op_of(e) else { return None };
        if !self.reducers.confirmation.on {
            return None;
        }
        let value = self.graph.value_of(w, loc);
        let machine = self.machine;
        let mut binary = false;
        let found = self.threads.one_with(machine, e, value, |next, state| match next {
            Op::Load { loc: next, mode, rmw: Rmw::Swap { .. } } => {
                binary = next == loc
                    && matches!(value, 0 | 1)
                    && machine.swaps_for(state, value) == Some(1 - value);
                binary.then_some(mode)
            }
            Op::Load { loc: next, mode, rmw: Rmw::Cas { expected, .. } } => {
                let one = next == loc && expected == value && machine.waits_if_it_fails(state);
                one.then_some(mode)
            }
            _ => None,
        });
        if binary {
            self.rely_on_two_values(loc);
        }
        found
    }
}

/// Whether a read-modify-write acquires at least what a read does.
pub(crate) fn acquires(read: Mode, rmw: Mode) -> bool {
    match read {
        Mode::Rlx => true,
        Mode::Acq => matches!(rmw, Mode::Acq | Mode::AcqRel | Mode::Sc),
        Mode::Sc => rmw == Mode::Sc,
        _ => false,
    }
}
