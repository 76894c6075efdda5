//! Reads-from equivalence: coherence is not part of an execution, it only has to exist (thesis §4.3,
//! §5.4.1). A graph carries one coherence order that makes it consistent, as a witness.
//!
//! The search for a witness respects what the model's clocks force (writes-before, §4.3) and the
//! adjacency of read-modify-writes, and tries the remaining orders one after the other. Its result is
//! a function of the graph's events and `rf` alone, which the maximality condition relies on.

use selvedge_graph::{Event, EventId, ExecutionGraph, Kind, Loc};
use selvedge_model::{Model, Scratch};

/// Gives the graph a coherence order that makes it consistent, the first one in canonical order.
/// Leaves the graph as it was and returns false if there is none.
pub fn find(model: &Model, g: &mut ExecutionGraph, scratch: &mut Scratch) -> bool {
    find_with_last(model, g, &[], scratch)
}

/// The same, where these writes are the last ones of their locations.
pub fn find_with_last(
    model: &Model,
    g: &mut ExecutionGraph,
    last: &[(Loc, EventId)],
    scratch: &mut Scratch,
) -> bool {
    let before = g.mark();
    let locs: Vec<Loc> = (0..g.locations() as u32).map(Loc).filter(|&l| g.co(l).len() > 1).collect();
    let mut orders = Vec::new();
    for &loc in &locs {
        match Orders::new(model, g, loc, last) {
            Some(order) => orders.push(order),
            None => return false,
        }
    }
    if assign(model, g, scratch, &mut orders) {
        return true;
    }
    g.undo_to(before);
    false
}

/// Chooses an order for each location in turn; checks when all have one.
fn assign(model: &Model, g: &mut ExecutionGraph, scratch: &mut Scratch, orders: &mut [Orders]) -> bool {
    let Some((first, rest)) = orders.split_first_mut() else {
        return model.consistent(g, scratch);
    };
    first.reset();
    while first.advance() {
        let before = g.mark();
        g.reorder(first.loc, &first.current);
        if assign(model, g, scratch, rest) {
            return true;
        }
        g.undo_to(before);
    }
    false
}

/// The coherence orders of one location that the clocks and the read-modify-writes allow, in
/// lexicographic order of (thread, index).
struct Orders {
    loc: Loc,
    /// Sorted by thread and index.
    writes: Vec<EventId>,
    /// `before[i][j]`: write `i` must come before write `j`.
    before: Vec<Vec<bool>>,
    /// For a read-modify-write's write: its source; it comes right after it.
    source: Vec<Option<EventId>>,
    current: Vec<EventId>,
    picks: Vec<usize>,
    fresh: bool,
}

impl Orders {
    fn new(model: &Model, g: &ExecutionGraph, loc: Loc, last: &[(Loc, EventId)]) -> Option<Orders> {
        let mut writes: Vec<EventId> = g.co(loc)[1..].to_vec();
        writes.sort_by_key(|&w| place(g.event(w)));
        let n = writes.len();
        let source: Vec<Option<EventId>> =
            writes.iter().map(|&w| g.rmw_read_of(w).and_then(|r| g.rf(r))).collect();
        let mut before = vec![vec![false; n]; n];
        for i in 0..n {
            for j in 0..n {
                before[i][j] = i != j && model.writes_before(g, writes[i], writes[j]);
            }
        }
        for (_, last) in last.iter().filter(|(of, _)| *of == loc) {
            // The initial value is the last one only where there is no other.
            let at = writes.iter().position(|w| w == last)?;
            for (_, before) in before.iter_mut().enumerate().filter(|(i, _)| *i != at) {
                before[at] = true;
            }
        }
        let cyclic = (0..n).any(|i| (0..i).any(|j| before[i][j] && before[j][i]));
        (!cyclic).then(|| Orders {
            loc,
            writes,
            before,
            source,
            current: Vec::new(),
            picks: Vec::new(),
            fresh: true,
        })
    }

    fn reset(&mut self) {
        self.current = vec![EventId::INIT];
        self.picks.clear();
        self.fresh = true;
    }

    /// Goes to the next order; false after the last one.
    fn advance(&mut self) -> bool {
        let n = self.writes.len();
        let mut from = 0;
        if !self.fresh {
            let Some(last) = self.drop_last() else { return false };
            from = last + 1;
        }
        self.fresh = false;
        loop {
            if self.picks.len() == n {
                return true;
            }
            match (from..n).find(|&i| self.allowed(i)) {
                Some(i) => {
                    self.picks.push(i);
                    self.current.push(self.writes[i]);
                    from = 0;
                }
                None => match self.drop_last() {
                    Some(last) => from = last + 1,
                    None => return false,
                },
            }
        }
    }

    fn drop_last(&mut self) -> Option<usize> {
        let last = self.picks.pop()?;
        self.current.pop();
        Some(last)
    }

    fn allowed(&self, i: usize) -> bool {
        if self.picks.contains(&i) {
            return false;
        }
        let last = self.current.last().copied();
        // After the source of a read-modify-write comes its write, and nothing else.
        let due = |j: usize| self.source[j].is_some() && self.source[j] == last && !self.picks.contains(&j);
        if self.source[i].is_some() != due(i) || (0..self.writes.len()).any(|j| j != i && due(j)) {
            return false;
        }
        (0..self.writes.len()).all(|j| !self.before[j][i] || self.picks.contains(&j))
    }
}

fn place(ev: &Event) -> (u16, u32) {
    (ev.tid.0, ev.idx)
}

/// Whether `e` was added maximally before `w` (alg. 6.1): a read reads from the write that is last in
/// the canonical coherence order of what was there before it; writes have no place to choose; of choices,
/// `first` tells.
pub fn maximally_added(
    model: &Model,
    g: &ExecutionGraph,
    e: EventId,
    w: EventId,
    scratch: &mut Scratch,
    first: impl Fn(EventId) -> bool,
) -> bool {
    let ev = g.event(e);
    match ev.kind {
        Kind::Read => {
            let previous =
                |x: EventId| x != e && x != w && (g.event(x).stamp < ev.stamp || model.in_prefix(g, x, w));
            let Some(source) = g.rf(e) else { return false };
            if !source.is_init() && !previous(source) {
                return false;
            }
            let mut before = g.restricted(previous);
            if !find(model, &mut before, scratch) {
                debug_assert!(false, "a prefix of a consistent graph is consistent");
                return false;
            }
            before.co(ev.loc).last() == Some(&source)
        }
        Kind::Write => !g.readers(e, ev.loc).any(|r| g.event(r).stamp < ev.stamp),
        Kind::Choice => ev.value == 0 || first(e),
        Kind::Init
        | Kind::Fence
        | Kind::Spawn
        | Kind::Join
        | Kind::Detach
        | Kind::Alloc
        | Kind::Free
        | Kind::Local
        | Kind::Persist
        | Kind::Arrive
        | Kind::Depart => true,
    }
}
