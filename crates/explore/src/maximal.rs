//! Maximal extensions (thesis §6.1, alg. 6.1), for graphs that track coherence.

use selvedge_graph::{EventId, ExecutionGraph, Kind};

/// Whether `e` was added maximally before `w`: as `f_ext` prescribes, judged in the graph of the events
/// added up to `e` together with the causal prefix of `w`, and not read by any of them. `e` is not in
/// that prefix itself, and `w` has no place in coherence yet.
///
/// Here for a causal prefix that need not be that of an event that is there already. The initialising event
/// is not asked about. Of choices, `first` tells whether it is the one that `f_ext` prescribes.
#[inline]
pub fn maximally_added_before(
    g: &ExecutionGraph,
    e: EventId,
    in_prefix: impl Fn(EventId) -> bool,
    first: impl Fn(EventId) -> bool,
) -> bool {
    let ev = g.event(e);
    let among_previous = |x: EventId| g.event(x).stamp <= ev.stamp || in_prefix(x);
    match ev.kind {
        Kind::Read => {
            let Some(source) = g.rf(e) else { return false };
            if g.has_won(e) || !among_previous(source) {
                return false;
            }
            let Some(pos) = g.co_pos(source) else { return false };
            !g.co(ev.loc)[pos + 1..].iter().any(|&x| among_previous(x))
        }
        Kind::Write => {
            // Readers in the prefix of `w` would have `e` in it, too.
            if g.readers(e, ev.loc).any(|r| g.event(r).stamp < ev.stamp) {
                return false;
            }
            if ev.is_rmw_write() {
                return true;
            }
            let Some(pos) = g.co_pos(e) else { return false };
            !g.co(ev.loc)[pos + 1..].iter().any(|&x| among_previous(x))
        }
        Kind::Choice => ev.value == 0 || first(e),
        Kind::Init
        | Kind::Fence
        | Kind::Spawn
        | Kind::Join
        | Kind::Detach
        | Kind::Alloc
        | Kind::Free
        | Kind::Local
        | Kind::Arrive
        | Kind::Depart => true,
    }
}
