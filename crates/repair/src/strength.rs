//! Orderings by strength.

use selvedge_graph::{Barrier, Mode};

/// Whether whoever has the second ordering has all that the first one gives.
pub fn is_within(weaker: Mode, stronger: Mode) -> bool {
    use Mode::*;
    weaker == stronger
        || match (weaker, stronger) {
            (Barrier(a), Barrier(b)) => keeps_less(a, b),
            (Na, Barrier(_)) | (Barrier(_), _) | (_, Barrier(_)) => false,
            (Na, _) => true,
            (Rlx, other) => other != Na && !other.is_exclusive(),
            (AcqPc, Acq | AcqRel | Sc) | (Acq | Rel, AcqRel | Sc) | (AcqRel, Sc) => true,
            (RlxEx, AcqEx | RelEx | AcqRelEx) | (AcqEx | RelEx, AcqRelEx) => true,
            _ => false,
        }
}

/// Whether whatever a barrier keeps in order, another one does.
fn keeps_less(a: Barrier, b: Barrier) -> bool {
    use Barrier::*;
    // Pairs of a fence of RISC-V: reads and writes before it, and after it.
    let pairs = |barrier: Barrier| {
        Some(match barrier {
            FenceRR => 0b0001,
            FenceRW => 0b0010,
            FenceWR => 0b0100,
            FenceWW => 0b1000,
            FenceRRw => 0b0011,
            FenceWRw => 0b1100,
            FenceRwR => 0b0101,
            FenceRwW => 0b1010,
            FenceTso => 0b1011,
            FenceRwRw => 0b1111,
            _ => return None,
        })
    };
    match (a, b) {
        (DmbLd | DmbSt, DmbSy) | (Lwsync | Eieio | Isync, Sync) => true,
        _ => pairs(a).zip(pairs(b)).is_some_and(|(a, b): (u8, u8)| a & b == a),
    }
}

/// The weakest ordering that has what both have; of barriers, the full one of their kind if neither does.
pub fn join(a: Mode, b: Mode) -> Mode {
    if is_within(a, b) {
        return b;
    }
    if is_within(b, a) {
        return a;
    }
    if let (Mode::Barrier(a), Mode::Barrier(b)) = (a, b) {
        let full = [Barrier::DmbSy, Barrier::Sync, Barrier::FenceRwRw];
        let both = full.into_iter().find(|full| keeps_less(a, *full) && keeps_less(b, *full));
        return Mode::Barrier(both.unwrap_or(a));
    }
    match a.is_exclusive() || b.is_exclusive() {
        true => Mode::AcqRelEx,
        false if [a, b].contains(&Mode::Sc) => Mode::Sc,
        false => Mode::AcqRel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_are_least_upper_bounds() {
        let of_c = [Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
        for a in of_c {
            for b in of_c {
                let joined = join(a, b);
                assert!(is_within(a, joined) && is_within(b, joined), "{a} {b} {joined}");
                let least =
                    of_c.iter().all(|c| !(is_within(a, *c) && is_within(b, *c)) || is_within(joined, *c));
                assert!(least, "{a} {b} {joined}");
            }
        }
        assert_eq!(join(Mode::AcqEx, Mode::RelEx), Mode::AcqRelEx);
        assert_eq!(join(Mode::AcqPc, Mode::Acq), Mode::Acq);
    }
}
