//! Compare-and-swaps whose writes may be read back before it is known that they succeed.
//!
//! What a compare-and-swap stores does not depend on what it reads, only that it stores it does. Where the
//! model does not order a later read of the same thread that reads it back after the compare-and-swap's own
//! read, the value may reach other threads and come back as that which lets it succeed:
//!
//! ```text
//! P0: cas(x, 1, 0); c = x; y (address c ^ c) = 1          P1: a = y; x = a
//! ```
//!
//! No execution without that tells of it: the compare-and-swap fails in all others. So neither prefixes by
//! dependency nor program order are enough, and reads are put off, with success taken for granted.
//!
//! *That it is always noticed.* Take the events of such an execution in a causal order in which the success
//! of compare-and-swaps does not count, up to the first read `c` that reads back what one stores whose own
//! read is not among them. All before `c` is a beginning of an execution without this, so it is explored,
//! with something in the place of the compare-and-swap; `c` is in its thread then, for what it depends on is
//! there, and it does not depend on the compare-and-swap: if it did, by its address or by a branch, all
//! that comes of it would be ordered after that (P1, P2). So it is enough to look, whenever a read is added,
//! for an earlier compare-and-swap of the same location in its thread, whatever came of that.
//!
//! The same goes for what a compare-and-swap expects, where the model does not order its write after what
//! that was computed from.

use selvedge_graph::{Attrs, Deps, Kind, Mode};
use selvedge_machine::{Op, Rmw};
use selvedge_model::relational::Local;

/// What was found out of two kinds of operations.
#[derive(Debug, Default)]
pub(crate) struct Early {
    known: Vec<(Mode, Attrs, bool)>,
    /// By the ordering of a compare-and-swap: whether it may succeed before what it expects is known.
    expecting: Vec<(Mode, bool)>,
}

impl Early {
    /// Whether what the first operation stores, if it is a compare-and-swap that succeeds, may be read back
    /// by the second before it is known to succeed. Nothing is known of what stands between them.
    pub(crate) fn may_forward(&mut self, local: &Local, first: Op, second: Op) -> bool {
        let Some(mode) = conditional(first) else { return false };
        outcomes(second).into_iter().flatten().any(|later| self.is_early(local, mode, later))
    }

    /// Whether an operation, if it is a compare-and-swap, may be seen to succeed by others before what it
    /// expects is known, given what it depends on, which is asked for if need be.
    pub(crate) fn may_succeed(&mut self, local: &Local, op: Op, deps: impl FnOnce() -> Deps) -> bool {
        let Some(mode) = conditional(op) else { return false };
        if !self.is_expecting(local, mode) {
            return false;
        }
        let mut deps = deps();
        [&deps.addr, &deps.ctrl].into_iter().for_each(|set| deps.cas.subtract(set));
        !deps.cas.is_empty()
    }

    fn is_expecting(&mut self, local: &Local, mode: Mode) -> bool {
        if let Some((_, is)) = self.expecting.iter().find(|(m, _)| *m == mode) {
            return *is;
        }
        let of = |kind| Attrs::of(kind, mode, true);
        let is = !local.orders_expected(of(Kind::Read), of(Kind::Write));
        self.expecting.push((mode, is));
        is
    }

    fn is_early(&mut self, local: &Local, mode: Mode, later: Attrs) -> bool {
        if let Some((.., is)) = self.known.iter().find(|(m, a, _)| (*m, *a) == (mode, later)) {
            return *is;
        }
        let of = |kind| Attrs::of(kind, mode, true);
        let is = local.forwards_early(of(Kind::Read), of(Kind::Write), later);
        self.known.push((mode, later, is));
        is
    }
}

/// The ordering of a read-modify-write that writes only if it reads the right value.
pub(crate) fn conditional(op: Op) -> Option<Mode> {
    match op {
        Op::Load { mode, rmw: Rmw::Cas { .. } | Rmw::Tentative { .. } | Rmw::Swap { .. }, .. } => Some(mode),
        _ => None,
    }
}

/// What may be true of a read.
fn outcomes(op: Op) -> [Option<Attrs>; 2] {
    let Op::Load { mode, rmw, .. } = op else { return [None; 2] };
    let of = |mode, rmw| Some(Attrs::of(Kind::Read, mode, rmw));
    match rmw {
        Rmw::No => [of(mode, false), None],
        Rmw::Always => [of(mode, true), None],
        Rmw::Linked => [of(mode, false), of(mode, true)],
        Rmw::Cas { fail, .. } | Rmw::Tentative { fail } | Rmw::Swap { fail } => {
            [of(mode, true), of(fail, false)]
        }
    }
}
