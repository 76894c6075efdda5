//! Accesses of several locations: atomic accesses of different sizes to the same memory.
//!
//! A location is a smallest part of memory that is accessed by itself. A wider access is several events, one
//! for each location, that are one event to the model: it is evaluated on the graph in which the parts of
//! an access are one node (the quotient by herd's `si`, *same instruction*; Flur17 has sources and coherence
//! byte by byte, too, and accesses that are single-copy atomic). So:
//!
//! * Acyclicity and irreflexivity are searched for in the quotient: whoever comes to one part goes on from
//!   all. Steps within an access, `po` between its parts, are none. Nor is `rf` within a thread to a part of
//!   a read: that part may come from the store buffer while others come from memory. Nothing is lost: such a
//!   step is one along `po`, and what it is continued by at its location is `co`.
//! * Clocks are those of the access. Who learns of one part of a write learns of all (`view`), and what one
//!   part of a read learns counts for the parts before it, here.
//! * The parts of an access are performed at once: `rfe | co | fr` among the accesses of some memory has no
//!   cycle in the quotient. For `sc` and `tso` this follows from their axioms. Other models do not say it,
//!   as their coherence orders are one for each location; where memory has one state at each moment
//!   (x86, ARMv8, RISC-V), it is so: a write has a moment at which all of it is in memory, a read one at
//!   which it is satisfied, and each of these steps goes from an earlier moment to a later one. A read from
//!   the own thread's write may be satisfied before that is in memory, so it is `rfe`, not `rf`.
//!
//! An access added at the end of all its coherence orders has no step that leads out of it, so the model
//! stays extensible, by whole accesses. A single part has no such place: the parts before it may have read
//! something old. So nothing is trusted about a part but the first, and what is maximal for it is the latest
//! write that it can read from (`explore`, `maximal`).

use crate::letter::{Base, Letter};
use crate::model::{Model, known_floor, position};
use selvedge_graph::{EventId, ExecutionGraph, Kind, Part};

/// The steps by a letter from the access whose first part is `x` to the first parts of others.
#[inline]
pub fn successors(letter: Letter, g: &ExecutionGraph, x: EventId, mut f: impl FnMut(EventId)) {
    if !g.has_parts() {
        return letter.successors(g, x, f);
    }
    for &part in g.parts(x) {
        letter.successors(g, part, |y| {
            let (from, to) = (g.event(part), g.event(y));
            let own = letter.base == Base::Rf && from.tid == to.tid && to.part != Part::WHOLE;
            let y = g.first_part(y);
            if y != x && !own {
                f(y);
            }
        });
    }
}

/// Whether no cycle of `rfe | co | fr` passes the access that `e` is part of.
pub fn performed_at_once(
    g: &ExecutionGraph,
    e: EventId,
    open: &mut Vec<EventId>,
    seen: &mut Vec<EventId>,
) -> bool {
    let start = g.first_part(e);
    open.clear();
    seen.clear();
    let mut x = start;
    loop {
        let mut back = false;
        let mut reach = |y: EventId| {
            let y = g.first_part(y);
            back |= y == start;
            if !seen.contains(&y) {
                seen.push(y);
                open.push(y);
            }
        };
        for &part in g.parts(x) {
            let ev = g.event(part);
            let after = |w: EventId| g.co_pos(w).and_then(|pos| g.co(ev.loc).get(pos + 1).copied());
            match ev.kind {
                Kind::Read => g.rf(part).and_then(after).into_iter().for_each(&mut reach),
                Kind::Write => {
                    after(part).into_iter().for_each(&mut reach);
                    g.readers(part, ev.loc).filter(|&r| g.event(r).tid != ev.tid).for_each(&mut reach);
                }
                _ => {}
            }
        }
        if back {
            return false;
        }
        match open.pop() {
            Some(y) => x = y,
            None => return true,
        }
    }
}

impl Model {
    /// Whether the parts before `e` of a read have read nothing that is too old for what `e` has learned.
    pub(crate) fn parts_are_coherent_at(&self, g: &ExecutionGraph, e: EventId) -> bool {
        let ev = g.event(e);
        ev.kind != Kind::Read
            || g.parts(e)[..ev.part.before as usize].iter().all(|&part| {
                let floors = self.coherence.iter().map(|&slot| known_floor(g, part, g.clock(e, slot)));
                position(g, part).is_none_or(|pos| floors.max().unwrap_or(0) <= pos)
            })
    }
}
