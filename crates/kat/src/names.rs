//! The built-in relations and predicates by name, and suggestions for names that do not exist.

use crate::ast::{Persist, Pred, Prim};
use crate::lexer::Dialect;

/// Every name of every built-in relation; the first of a relation is how it is printed.
const PRIMS: &[(&str, Prim)] = &[
    ("po", Prim::Po),
    ("po-imm", Prim::PoImm),
    ("po-loc", Prim::PoLoc),
    ("rf", Prim::Rf),
    ("rfe", Prim::Rfe),
    ("rfi", Prim::Rfi),
    ("mo", Prim::Co),
    ("co", Prim::Co),
    ("moe", Prim::Coe),
    ("coe", Prim::Coe),
    ("moi", Prim::Coi),
    ("coi", Prim::Coi),
    ("fr", Prim::Fr),
    ("rb", Prim::Fr),
    ("fre", Prim::Fre),
    ("rbe", Prim::Fre),
    ("fri", Prim::Fri),
    ("rbi", Prim::Fri),
    ("rmw", Prim::Rmw),
    ("addr", Prim::Addr),
    ("data", Prim::Data),
    ("ctrl", Prim::Ctrl),
    ("ctrl-arm", Prim::CtrlArm),
    ("casdep", Prim::CasDep),
    ("publishes", Prim::Publishes),
    ("detour", Prim::Detour),
    ("tc", Prim::Tc),
    ("tj", Prim::Tj),
    ("loc-overlap", Prim::LocOverlap),
    ("loc", Prim::Loc),
    ("same-loc", Prim::Loc),
    ("same-thread", Prim::Int),
    ("int", Prim::Int),
    ("ext", Prim::Ext),
    ("alloc", Prim::Alloc),
    ("free", Prim::Free),
    ("any", Prim::Any),
    ("unv", Prim::Any),
    ("same-inode", Prim::SameInode),
    ("same-block", Prim::SameBlock),
    ("same-line", Prim::SameLine),
    ("appends", Prim::Appends),
];

/// The predicates that mean the same in both dialects; the first name is how they are printed.
const PREDS: &[(&str, Pred)] = &[
    ("_", Pred::All),
    ("R", Pred::R),
    ("W", Pred::W),
    ("F", Pred::F),
    ("INIT", Pred::Init),
    ("IW", Pred::Init),
    ("M", Pred::M),
    ("SC", Pred::Sc),
    ("RLX", Pred::Rlx),
    ("NA", Pred::Na),
    ("ATOMIC", Pred::Atomic),
    ("UR", Pred::Ur),
    ("UW", Pred::Uw),
    ("TC", Pred::Tc),
    ("TJ", Pred::Tj),
    ("ACQ_PC", Pred::AcqPc),
    ("Q", Pred::AcqPc),
    ("X", Pred::Exclusive),
    ("NEVER", Pred::Never),
    ("D", Pred::Persist(Persist::Durable)),
    ("REC", Pred::Persist(Persist::Recovery)),
    ("NREC", Pred::Persist(Persist::NotRecovery)),
    ("PM", Pred::Persist(Persist::Memory)),
    ("DATA", Pred::Persist(Persist::Data)),
    ("MD", Pred::Persist(Persist::Metadata)),
    ("DIR", Pred::Persist(Persist::Directory)),
    ("JNL", Pred::Persist(Persist::Journal)),
    ("STRADDLES", Pred::Persist(Persist::Straddles)),
    ("FLUSH", Pred::Persist(Persist::Clflush)),
    ("FLUSHOPT", Pred::Persist(Persist::ClflushOpt)),
    ("CLF", Pred::Persist(Persist::Flush)),
    ("FSYNC", Pred::Persist(Persist::Fsync)),
    ("SYNCALL", Pred::Persist(Persist::SyncAll)),
    ("PBARRIER", Pred::Persist(Persist::Barrier)),
    ("SF", Pred::Persist(Persist::StoreFence)),
    ("FREE", Pred::Never),
    ("ALLOC", Pred::Never),
    // Barrier instructions of ARMv8, POWER, x86, RISC-V, and of the Linux kernel.
    ("DMB.SY", Pred::Barrier("DMB.SY")),
    ("DMB.ISH", Pred::Barrier("DMB.SY")),
    ("DMB.LD", Pred::Barrier("DMB.LD")),
    ("DMB.ISHLD", Pred::Barrier("DMB.LD")),
    ("DMB.ST", Pred::Barrier("DMB.ST")),
    ("DMB.ISHST", Pred::Barrier("DMB.ST")),
    ("DSB.ST", Pred::Barrier("DSB.ST")),
    ("ISB", Pred::Barrier("ISB")),
    ("SYNC", Pred::Barrier("SYNC")),
    ("LWSYNC", Pred::Barrier("LWSYNC")),
    ("ISYNC", Pred::Barrier("ISYNC")),
    ("EIEIO", Pred::Barrier("EIEIO")),
    ("SFENCE", Pred::Barrier("SFENCE")),
    ("LFENCE", Pred::Barrier("LFENCE")),
    ("Fence.r.r", Pred::Barrier("Fence.r.r")),
    ("Fence.r.w", Pred::Barrier("Fence.r.w")),
    ("Fence.r.rw", Pred::Barrier("Fence.r.rw")),
    ("Fence.w.r", Pred::Barrier("Fence.w.r")),
    ("Fence.w.w", Pred::Barrier("Fence.w.w")),
    ("Fence.w.rw", Pred::Barrier("Fence.w.rw")),
    ("Fence.rw.r", Pred::Barrier("Fence.rw.r")),
    ("Fence.rw.w", Pred::Barrier("Fence.rw.w")),
    ("Fence.rw.rw", Pred::Barrier("Fence.rw.rw")),
    ("Fence.tso", Pred::Barrier("Fence.tso")),
    ("Fence.i", Pred::Barrier("Fence.i")),
    ("Before-atomic", Pred::Barrier("Before-atomic")),
    ("After-atomic", Pred::Barrier("After-atomic")),
    ("Rcu-lock", Pred::Barrier("Rcu-lock")),
    ("Rcu-unlock", Pred::Barrier("Rcu-unlock")),
    ("Sync-rcu", Pred::Barrier("Sync-rcu")),
    ("Lock", Pred::Barrier("Lock")),
    ("Unlock", Pred::Barrier("Unlock")),
    ("After-spinlock", Pred::Barrier("After-spinlock")),
    ("After-unlock-lock", Pred::Barrier("After-unlock-lock")),
];

/// In `.kat`, `REL` and `ACQ` take in what is stronger.
const KAT_PREDS: &[(&str, Pred)] = &[
    ("REL", Pred::Rel),
    ("ACQ", Pred::Acq),
    ("REL_EXACT", Pred::ExactRel),
    ("ACQ_EXACT", Pred::ExactAcq),
    ("ACQ_REL_EXACT", Pred::ExactAcqRel),
];

/// In `.cat`, orderings are exact.
const CAT_PREDS: &[(&str, Pred)] =
    &[("REL", Pred::ExactRel), ("ACQ", Pred::ExactAcq), ("ACQ_REL", Pred::ExactAcqRel), ("A", Pred::Atomic)];

fn pred_tables(dialect: Dialect) -> impl Iterator<Item = &'static (&'static str, Pred)> {
    let own = match dialect {
        Dialect::Kat => KAT_PREDS,
        Dialect::Cat => CAT_PREDS,
    };
    own.iter().chain(PREDS)
}

impl Prim {
    /// The built-in relation called `name`. Both dialects know the same ones.
    pub fn by_name(name: &str) -> Option<Prim> {
        PRIMS.iter().find(|(known, _)| *known == name).map(|(_, prim)| *prim)
    }

    /// How the relation is written in `.kat`.
    pub fn name(self) -> &'static str {
        PRIMS.iter().find(|(_, prim)| *prim == self).map_or("0", |(name, _)| name)
    }
}

impl Pred {
    /// The built-in predicate that a file of the given dialect calls `name`.
    pub fn by_name(name: &str, dialect: Dialect) -> Option<Pred> {
        pred_tables(dialect).find(|(known, _)| *known == name).map(|(_, pred)| *pred)
    }

    /// How the predicate is written in `.kat`.
    pub fn name(self) -> &'static str {
        pred_tables(Dialect::Kat).find(|(_, pred)| *pred == self).map_or("0", |(name, _)| name)
    }
}

/// The names of all built-in relations and predicates of a dialect.
pub(crate) fn builtins(dialect: Dialect) -> impl Iterator<Item = &'static str> {
    let prims = PRIMS.iter().map(|(name, _)| *name);
    let preds = pred_tables(dialect).map(|(name, _)| *name);
    prims.chain(preds).chain(["id"]).filter(|name| *name != "_" && *name != "NEVER")
}

/// The candidate that `name` is most likely a misspelling of.
pub(crate) fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    /// Longer names are not compared: comparing takes quadratic time.
    const LONGEST: usize = 64;
    let wanted: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if wanted.len() > LONGEST {
        return None;
    }
    let far = wanted.len().div_ceil(3);
    candidates
        .filter(|candidate| candidate.len() <= LONGEST && *candidate != name)
        .map(|candidate| {
            // The wrong case alone counts less than any wrong letter.
            let distance =
                if candidate.eq_ignore_ascii_case(name) { 0 } else { distance(&wanted, candidate) };
            (distance, candidate)
        })
        .filter(|(distance, candidate)| *distance <= far && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance with transpositions of neighbours.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_names_read_back() {
        for (_, prim) in PRIMS {
            assert_eq!(Prim::by_name(prim.name()), Some(*prim));
        }
        for (_, pred) in pred_tables(Dialect::Kat).chain(pred_tables(Dialect::Cat)) {
            assert_eq!(Pred::by_name(pred.name(), Dialect::Kat), Some(*pred), "{pred:?}");
        }
    }

    #[test]
    fn orderings_are_exact_in_cat_only() {
        assert_eq!(Pred::by_name("REL", Dialect::Kat), Some(Pred::Rel));
        assert_eq!(Pred::by_name("REL", Dialect::Cat), Some(Pred::ExactRel));
        assert_eq!(Pred::by_name("ACQ_REL", Dialect::Cat), Some(Pred::ExactAcqRel));
        assert_eq!(Pred::by_name("ACQ_REL", Dialect::Kat), None);
    }

    #[test]
    fn misspellings_find_their_name() {
        let near = |name| nearest(name, builtins(Dialect::Kat));
        assert_eq!(near("rfx"), Some("rf"));
        assert_eq!(near("adrr"), Some("addr"));
        assert_eq!(near("loc_overlap"), Some("loc-overlap"));
        assert_eq!(near("acq"), Some("ACQ"));
        assert_eq!(near("k"), None);
        assert_eq!(near("something-else"), None);
        assert_eq!(near(&"p".repeat(1000)), None);
    }
}
