//! What changes cost.
//!
//! A table gives a number to each kind of access with each ordering, and to each kind of fence. What an
//! access costs is how much more its new ordering costs than its old one, and at least 1: nothing is for
//! nothing, or superfluous changes would be as good as none. A loop makes what is in it ten times as dear.

use crate::candidate::{Access, Effect, Site};
use selvedge_graph::{Barrier, Mode};
use std::collections::BTreeMap;

/// How many times as dear a loop makes what is in it.
const PER_LOOP: u64 = 10;
/// Loops that are counted; more make no difference.
const DEEPEST: u32 = 3;
/// The largest number in a table.
const MOST: u64 = 1_000_000;

/// Costs by name: `load.acquire`, `fence.seq_cst`, `fence.DMB.SY`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Costs {
    /// As messages call it.
    pub name: String,
    table: BTreeMap<String, u64>,
    /// What is not in the table: each change counts, and stronger ones count a little more.
    uniform: bool,
    /// Loops make a difference.
    pub weighs_loops: bool,
}

/// What is wrong with a table of costs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct BadCosts {
    pub line: u32,
    pub message: String,
}

/// Instructions of a compiler's mapping, in units of about a cycle: what the literature has differs by
/// machine; these keep the order that all of it agrees on.
const X86: &str = "load.acquire=1 load.seq_cst=2 store.release=1 store.seq_cst=20 rmw.acquire=1 rmw.release=1
    rmw.acq_rel=2 rmw.seq_cst=3 fence.acquire=2 fence.release=2 fence.acq_rel=3 fence.seq_cst=30";
const ARMV8: &str = "load.acquire_pc=3 load.acquire=4 load.seq_cst=5 store.release=5 store.seq_cst=6
    rmw.acquire=3 rmw.release=4 rmw.acq_rel=6 rmw.seq_cst=7 fence.acquire=12 fence.release=20
    fence.acq_rel=21 fence.seq_cst=22 fence.DMB.LD=12 fence.DMB.ST=13 fence.DMB.SY=20 fence.ISB=15";
const POWER: &str = "load.acquire=15 load.seq_cst=60 store.release=15 store.seq_cst=50 rmw.acquire=15
    rmw.release=15 rmw.acq_rel=30 rmw.seq_cst=60 fence.acquire=15 fence.release=16 fence.acq_rel=17
    fence.seq_cst=50 fence.ISYNC=10 fence.EIEIO=12 fence.LWSYNC=15 fence.SYNC=50";
const RISCV: &str = "load.acquire=10 load.seq_cst=30 store.release=12 store.seq_cst=14 rmw.acquire=4
    rmw.release=4 rmw.acq_rel=6 rmw.seq_cst=8 fence.acquire=10 fence.release=12 fence.acq_rel=16
    fence.seq_cst=20 fence.Fence.r.r=7 fence.Fence.r.w=7 fence.Fence.w.w=8 fence.Fence.w.r=18
    fence.Fence.r.rw=10 fence.Fence.rw.w=12 fence.Fence.w.rw=19 fence.Fence.rw.r=19 fence.Fence.tso=16
    fence.Fence.rw.rw=20";

impl Costs {
    /// Every change costs the same, but for a little more for a stronger one.
    pub fn uniform() -> Costs {
        Costs { name: String::from("uniform"), table: BTreeMap::new(), uniform: true, weighs_loops: true }
    }

    /// A built-in table.
    pub fn named(name: &str) -> Option<Costs> {
        let table = match name {
            "uniform" => return Some(Costs::uniform()),
            "x86" => X86,
            "armv8" => ARMV8,
            "power" => POWER,
            "riscv" => RISCV,
            _ => return None,
        };
        let lines = table.split_whitespace().collect::<Vec<_>>().join("\n");
        Costs::parse(name, &lines).ok()
    }

    /// A table as text: a line `NAME = NUMBER` for each kind; `#` begins a comment.
    pub fn parse(name: &str, text: &str) -> Result<Costs, BadCosts> {
        let mut table = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let bad = |message: String| BadCosts { line: number, message };
            let Some((kind, cost)) = line.split_once('=') else {
                return Err(bad(format!("`{line}` is not of the form NAME = NUMBER")));
            };
            let (kind, cost) = (kind.trim(), cost.trim());
            if !names().any(|known| known == kind) {
                let message = format!("nothing is called `{kind}`: a name is load.acquire, fence.seq_cst, …");
                return Err(bad(message));
            }
            let cost: u64 = match cost.parse() {
                Ok(cost) if (1..=MOST).contains(&cost) => cost,
                _ => return Err(bad(format!("a cost is a number from 1 to {MOST}"))),
            };
            if table.insert(kind.to_string(), cost).is_some() {
                return Err(bad(format!("`{kind}` has a cost already")));
            }
        }
        Ok(Costs { name: name.to_string(), table, uniform: false, weighs_loops: true })
    }

    /// What a change costs.
    pub fn of(&self, site: &Site, effect: Effect) -> u64 {
        let cost = match effect {
            Effect::Before(mode) | Effect::After(mode) => self.kind(Access::Fence, mode),
            Effect::Order(mode) => self.above(site.access, mode, site.mode),
            Effect::Failure(mode) => self.above(Access::Load, mode, site.failure.unwrap_or(Mode::Rlx)),
        };
        let loops = if self.weighs_loops { site.depth.min(DEEPEST) } else { 0 };
        cost * PER_LOOP.pow(loops)
    }

    /// What the orderings of a site and the fences beside it cost over none.
    pub fn of_site(&self, site: &Site, orders: (Mode, Option<Mode>), fences: &[Mode]) -> u64 {
        let one = |access: Access, mode: Mode| if strength(mode) == 0 { 0 } else { self.kind(access, mode) };
        let (order, failure) = orders;
        let own = match site.access {
            Access::Fence => 0,
            access => one(access, order) + failure.map_or(0, |mode| one(Access::Load, mode)),
        };
        let loops = if self.weighs_loops { site.depth.min(DEEPEST) } else { 0 };
        (own + fences.iter().map(|mode| one(Access::Fence, *mode)).sum::<u64>()) * PER_LOOP.pow(loops)
    }

    fn above(&self, access: Access, mode: Mode, old: Mode) -> u64 {
        let old = if self.uniform || strength(old) == 0 { 0 } else { self.kind(access, old) };
        self.kind(access, mode).saturating_sub(old).max(1)
    }

    /// What an instruction costs over one that orders nothing.
    pub fn kind(&self, access: Access, mode: Mode) -> u64 {
        let cost = self.table.get(&kind_name(access, mode)).copied();
        // Of a fence and an ordering that do the same, the ordering is the smaller change.
        let fence = if access == Access::Fence { 4 } else { 0 };
        cost.unwrap_or_else(|| 100 + fence + strength(mode))
    }
}

/// From 0 for what orders nothing to 4 for what orders everything.
pub fn strength(mode: Mode) -> u64 {
    use Barrier::*;
    match mode {
        Mode::Na | Mode::Rlx | Mode::RlxEx => 0,
        Mode::AcqPc => 1,
        Mode::Acq | Mode::Rel | Mode::AcqEx | Mode::RelEx => 2,
        Mode::AcqRel | Mode::AcqRelEx => 3,
        Mode::Sc => 4,
        Mode::Barrier(barrier) => match barrier {
            DmbSy | Sync | FenceRwRw | BeforeAtomic | AfterAtomic => 4,
            SyncRcu | AfterSpinlock | AfterUnlockLock => 4,
            RcuLock | RcuUnlock | Lock | Unlock => 0,
            Lwsync | FenceTso | FenceRRw | FenceRwW | FenceWRw | FenceRwR | DmbLd => 3,
            DmbSt | DsbSt | Eieio | FenceRR | FenceRW | FenceWR | FenceWW => 2,
            Isb | Isync | Sfence | Lfence | FenceI => 1,
        },
    }
}

fn kind_name(access: Access, mode: Mode) -> String {
    let plain = match mode {
        Mode::AcqEx => Mode::Acq,
        Mode::RelEx => Mode::Rel,
        Mode::AcqRelEx => Mode::AcqRel,
        other => other,
    };
    match plain {
        Mode::Barrier(barrier) => format!("{}.{}", access.name(), barrier.name()),
        plain => format!("{}.{}", access.name(), plain.c_name()),
    }
}

/// All names that a table may have.
fn names() -> impl Iterator<Item = String> {
    let accesses = [Access::Load, Access::Store, Access::Rmw, Access::Fence];
    let modes = [Mode::AcqPc, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];
    let orderings = accesses.into_iter().flat_map(move |access| modes.map(|mode| kind_name(access, mode)));
    let fences = Barrier::ALL.into_iter().map(|b| kind_name(Access::Fence, Mode::Barrier(b)));
    orderings.chain(fences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tables_are_well_formed() {
        for name in ["uniform", "x86", "armv8", "power", "riscv"] {
            let costs = Costs::named(name).expect(name);
            assert!(costs.kind(Access::Fence, Mode::Sc) >= costs.kind(Access::Fence, Mode::Acq), "{name}");
        }
        assert!(Costs::named("vax").is_none());
    }

    #[test]
    fn tables_of_ones_own_are_read_or_refused_with_their_line() {
        let costs = Costs::parse("mine", "# mine\nfence.seq_cst = 7\n\nload.acquire=2 # cheap\n")
            .expect("is well-formed");
        assert_eq!(costs.kind(Access::Fence, Mode::Sc), 7);
        assert_eq!(costs.kind(Access::Load, Mode::Acq), 2);
        for (text, line) in
            [("x", 1), ("\nfence.purple = 1", 2), ("fence.seq_cst = 0", 1), ("load.acquire = many", 1)]
        {
            assert_eq!(Costs::parse("mine", text).map_err(|e| e.line), Err(line), "{text}");
        }
    }
}
