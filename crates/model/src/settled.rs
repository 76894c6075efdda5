//! What one search says of all alternatives of an event that was added last: sources of a read, places of a
//! write (`interleaving::latest_before`).
//!
//! From some place of coherence on, an interleaving explains the graph; then every model is content whose
//! constraints only go along `po | tc | tj | rf | mo | fr`, and so is coherence, as all clocks are of parts
//! of causal order. Before it none does: under sequential consistency that is all there is to say. Other
//! models are asked about each alternative, unless the cycle violates a constraint whatever is read
//! (`direct`): it goes from the event to a write that comes after its source or its place, and stays if that
//! is earlier.

use crate::interleaving::latest_before;
use crate::model::{Model, Scratch};
use crate::search::{Around, all_hold_around};
use selvedge_graph::{EventId, ExecutionGraph};

/// Whether the graph is consistent with an alternative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Consistent,
    Inconsistent,
    /// And so it is with all alternatives that are earlier in coherence.
    InconsistentFromHere,
}

impl Model {
    /// Whether there is a constraint that takes a search in this graph.
    #[inline]
    pub fn searches(&self, g: &ExecutionGraph) -> bool {
        self.cycles.iter().any(|c| c.needs.is_none_or(|a| g.count_of(a) != 0))
    }

    /// Whether a graph is consistent exactly if an interleaving explains it, and a search tells.
    #[inline]
    pub fn asks_for_interleaving_only(&self, g: &ExecutionGraph) -> bool {
        matches!(&self.cycles[..], [only] if only.interleaving && only.needs.is_none()) && !g.has_parts()
    }

    /// Whether [`Model::settled_from`] has an answer.
    #[inline]
    pub fn settles(&self, g: &ExecutionGraph) -> bool {
        let knows = self.interleaved.as_ref().is_some_and(|sc| sc.interleaving);
        (knows && !g.has_parts()) || self.asks_for_interleaving_only(g)
    }

    /// The place in coherence, but not before `floor`, from which on an interleaving explains the graph if
    /// the first of these events, which were added last, reads from there or is placed right after it.
    #[inline(never)]
    pub fn settled_from(
        &self,
        g: &ExecutionGraph,
        events: &[EventId],
        floor: usize,
        scratch: &mut Scratch,
    ) -> usize {
        debug_assert!(self.settles(g));
        let before = |e: &EventId| g.po_pred(*e).or_else(|| g.spawn_of(g.event(*e).tid));
        let ends = events.iter().filter_map(before);
        latest_before(g, g.event(events[0]).loc, floor, ends, &mut scratch.search.reached)
    }

    /// Whether the graph is consistent with `e` where no interleaving explains it. `always` says that the
    /// attributes of `e` are the same whatever it reads.
    pub fn verdict_beyond(
        &self,
        g: &ExecutionGraph,
        e: EventId,
        always: bool,
        scratch: &mut Scratch,
    ) -> Verdict {
        if self.asks_for_interleaving_only(g) {
            return Verdict::InconsistentFromHere;
        }
        if !self.coherent_at(g, e) {
            return Verdict::Inconsistent;
        }
        let asked = self.cycles.iter().filter(|c| c.needs.is_none_or(|a| g.count_of(a) != 0));
        match all_hold_around(asked, g, e, &mut scratch.search) {
            Around::Hold => Verdict::Consistent,
            Around::NeverHold if always => Verdict::InconsistentFromHere,
            Around::NeverHold | Around::Violated => Verdict::Inconsistent,
        }
    }
}
