//! Races of plain accesses, by the latest ones only (after FastTrack, Flanagan and Freund, PLDI 2009).
//!
//! Take a location that has only plain accesses, and an error that any two of them are that are not ordered
//! by a view, one of them being a write. In a graph without such an error the view orders all its writes,
//! one after the other, as coherence does: the view is one that coherence is asked of, or part of one. And
//! whatever reads one of them comes before the next. So whoever comes after the last write, and a write that
//! also comes after all who read that one, comes after all that it must be ordered with; what else there is
//! need not be looked at.
//!
//! That takes a graph that had no error before: the explorer goes on from no other. Where the answer is no,
//! nothing is known, and all accesses are looked at.

use crate::model::ErrorCheck;
use selvedge_graph::{Attrs, EventId, ExecutionGraph, Kind, Mode};

/// What accesses that are not plain have.
const ATOMIC: Attrs =
    Attrs(Attrs::RLX.0 | Attrs::EXACT_ACQ.0 | Attrs::EXACT_REL.0 | Attrs::EXACT_ACQREL.0 | Attrs::SC.0);

/// Whether plain accesses that are not ordered are an error, if one of them is a write, and the order is one
/// that coherence is asked of.
pub fn orders_plain(check: &ErrorCheck, of_coherence: bool) -> bool {
    let (read, write) = (Attrs::of(Kind::Read, Mode::Na, false), Attrs::of(Kind::Write, Mode::Na, false));
    of_coherence && check.conflict(write, write) && check.conflict(read, write)
}

/// Whether the access `e`, which was just added, comes after all that it must be ordered with.
#[inline]
pub fn is_ordered(check: &ErrorCheck, g: &ExecutionGraph, e: EventId, slot: usize) -> bool {
    let ev = g.event(e);
    if !check.orders_plain || g.attrs_at(ev.loc).meets(ATOMIC) {
        return false;
    }
    let after = |x: EventId| g.includes(e, slot, x);
    match (ev.kind, g.co(ev.loc)) {
        (Kind::Read, [.., last]) => after(*last),
        (Kind::Write, [.., before, last]) if *last == e => {
            after(*before) && g.readers(*before, ev.loc).all(after) && g.readers(e, ev.loc).next().is_none()
        }
        _ => false,
    }
}
