//! How an obligation is put to a solver: all ways, the most promising first.

use crate::counters::Counters;
use crate::expr::Expr;
use crate::first_order::Mode;
use crate::obligation::{Obligation, Origin};
use crate::rewrite::nnf;
use crate::system::{Shape, System};

/// All ways to ask, the most promising first, and the part of the limit that each is given.
pub(crate) fn ways(system: &System, counters: Option<&Counters>, o: &Obligation) -> Vec<(Option<Mode>, u64)> {
    let base = Mode {
        ground: false,
        everywhere: true,
        exists: true,
        hints: false,
        more_induction: false,
        again: o.origin == Origin::Init,
        relevant: false,
    };
    let shape = |shape| system.sorts.iter().any(|s| s.shape == shape);
    if let Some(counters) = counters {
        // Most are easy, and are asked on top of each other then.
        return if counters.script(o).is_ok() {
            vec![(None, 1_000), (None, 1)]
        } else {
            vec![(Some(base), 1)]
        };
    }
    let hinted = Mode { hints: true, ..base };
    let more = Mode { more_induction: true, ..base };
    let ground = Mode { ground: true, ..base };
    let deadlock = o.origin == Origin::Deadlock;
    let found = match (deadlock, shape(Shape::Ring), shape(Shape::Bits), shape(Shape::Tree)) {
        (true, true, ..) => vec![(Mode { ground: true, again: true, ..hinted }, 1)],
        (true, _, _, true) => {
            let again = Mode { again: true, ..hinted };
            let more = Mode { more_induction: true, ..again };
            let round = |part: u64| [(hinted, part), (again, part), (more, part)];
            [round(60), round(2)].concat()
        }
        (true, ..) => vec![(Mode { again: true, ..hinted }, 1)],
        (false, true, ..) => vec![(base, 10), (ground, 1), (base, 1)],
        (false, _, true, _) => vec![(base, 2), (more, 1)],
        (false, _, _, true) => of_trees(system, base, o),
        _ => vec![(base, 1)],
    };
    found.into_iter().map(|(mode, part)| (Some(mode), part)).collect()
}

/// A little of each, then more: which one works differs, and most of them soon do. What says that there is
/// somebody mostly follows from others that do.
fn of_trees(system: &System, base: Mode, o: &Obligation) -> Vec<(Mode, u64)> {
    let light = Mode { everywhere: false, exists: false, ..base };
    let named = Mode { exists: true, ..light };
    let close = Mode { hints: true, ..named };
    let wide = Mode { hints: true, everywhere: true, ..light };
    let there = nnf(system, &o.goal, true).mentions(&|e| matches!(e, Expr::Any(..)));
    let (a, b) = if there { (named, light) } else { (light, named) };
    let few = |mode: Mode| Mode { relevant: true, ..mode };
    let mut ways = match o.origin {
        // What variables hold at first is said by constants, of which the goal does not speak.
        Origin::Init => vec![(a, 240), (b, 240)],
        // Where a phase ends, induction along the tree says that all are ready for the next.
        Origin::Step(_) if o.target.is_some() && o.target != o.phase => {
            vec![(few(a), 240), (a, 240), (few(wide), 120), (few(close), 120)]
        }
        _ => vec![(few(a), 80), (few(b), 240), (a, 240), (b, 240), (few(wide), 120), (few(close), 120)],
    };
    for part in [80, 24, 3] {
        ways.extend([a, b, close, wide, Mode { hints: true, ..base }].map(|mode| (mode, part)));
    }
    ways
}
