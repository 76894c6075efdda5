//! Orderings by strength.

use selvedge_graph::Mode;

/// Whether whoever has the second ordering has all that the first one gives.
pub fn is_within(weaker: Mode, stronger: Mode) -> bool {
    use Mode::*;
    weaker == stronger
        || match (weaker, stronger) {
            (Na, Barrier(_)) | (Barrier(_), _) | (_, Barrier(_)) => false,
            (Na, _) => true,
            (Rlx, other) => other != Na && !other.is_exclusive(),
            (AcqPc, Acq | AcqRel | Sc) | (Acq | Rel, AcqRel | Sc) | (AcqRel, Sc) => true,
            (RlxEx, AcqEx | RelEx | AcqRelEx) | (AcqEx | RelEx, AcqRelEx) => true,
            _ => false,
        }
}

/// The weakest ordering that has what both have.
pub fn join(a: Mode, b: Mode) -> Mode {
    if is_within(a, b) {
        return b;
    }
    if is_within(b, a) {
        return a;
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
