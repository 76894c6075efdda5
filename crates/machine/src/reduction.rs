//! Reductions: what makes an exploration shorter without changing what it finds, each by its name, so that
//! each can be switched off.

use std::fmt;

/// One reduction. The names are those of the option `--disable`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Reduction {
    /// Loops without effect wait instead of iterating: what shows in the program's text (thesis §7.2.3).
    SpinAssume,
    /// Such loops are found also where the test comes first (thesis §7.2.4).
    Rotation,
    /// The end of an iteration and what is before the loop are merged where they do the same (thesis §7.2.4).
    Bisimilarity,
    /// Loops of which an iteration turns out to have no effect when it is run wait, too (thesis §7.2.5).
    Pef,
    /// Iterations that take something and put it back wait instead (thesis §7.2.6).
    Zne,
    /// Read-modify-writes that store what they read, and go round, only read.
    Exchange,
    /// Registers that decide nothing but how a thread passes its time do not matter to loops that wait.
    Faint,
    /// A loop that tries a number of times tries once: it gives up after a failure, or succeeds at once.
    Attempts,
    /// A read at the end of an iteration is taken for the load before the loop, if that comes to the same.
    Retry,
    /// Writes to memory that others cannot see yet are no effect (thesis §9.2.2.4).
    Escape,
    /// What is in memory that others cannot see yet is carried round loops in registers.
    Carry,
    /// A read that makes its thread wait is only tried where a revisit can change that (thesis §7.3.1).
    Annotations,
    /// The same of read-modify-writes that do not come to write: nothing can come of such a graph (thesis
    /// §7.3.2).
    Futile,
    /// Iterations that saw something old and wait are left out where nobody can change what they saw later.
    Outdated,
    /// A compare-and-exchange that ends an iteration is not tried where it can only fail for good.
    Overtaken,
    /// A read-modify-write and a read of the same value directly before it see the same write.
    Confirmation,
    /// A thread does not wake up at a futex for no reason where nothing new comes of it.
    WakeUps,
    /// Waiting threads are not part of a graph until there is something for them to read (beyond the
    /// thesis; see `reductions/awaits.rs` of the explorer).
    Awaits,
    /// Nobody takes a lock from a thread that an assumption has ended since it gave the lock back.
    Assumptions,
    /// Arrivals at barriers have no order among them (thesis §7.1).
    Bam,
    /// Counters that nobody looks at until all have arrived are barriers.
    Arrivals,
    /// A compare-and-exchange that only completes another thread's step is left to that thread.
    Helping,
    /// What a model says of orderings that a program does not use is left out (Kokologiannakis24 §5.2).
    Simplification,
    /// Of threads that do the same, the one that was created first makes its first read-modify-write first.
    Symmetry,
    /// Critical sections of a lock that have nothing to do with each other are not ordered.
    LockOrder,
    /// Where races are not looked for, the program is first explored as if they were, since most have none.
    RaceFree,
    /// Atomic sections of a single access are that access.
    Sections,
    /// Under models that follow dependencies, programs are first explored in program order, as most have no
    /// executions that need another.
    ProgramOrder,
    /// Where Rust's library would spin, sleep and be woken, a thread waits.
    Library,
    /// Handles of threads, of scopes and of who waits at a channel are never freed (Rust).
    Handles,
}

impl Reduction {
    pub const ALL: [Reduction; 30] = [
        Reduction::SpinAssume,
        Reduction::Rotation,
        Reduction::Bisimilarity,
        Reduction::Pef,
        Reduction::Zne,
        Reduction::Exchange,
        Reduction::Faint,
        Reduction::Attempts,
        Reduction::Retry,
        Reduction::Escape,
        Reduction::Carry,
        Reduction::Annotations,
        Reduction::Futile,
        Reduction::Outdated,
        Reduction::Overtaken,
        Reduction::Confirmation,
        Reduction::WakeUps,
        Reduction::Awaits,
        Reduction::Assumptions,
        Reduction::Bam,
        Reduction::Arrivals,
        Reduction::Helping,
        Reduction::Simplification,
        Reduction::Symmetry,
        Reduction::LockOrder,
        Reduction::RaceFree,
        Reduction::Sections,
        Reduction::ProgramOrder,
        Reduction::Library,
        Reduction::Handles,
    ];

    /// Whether a search through states may have it: it is about the text of a program, and neither leaves out
    /// steps nor lets a thread wait where it would look again.
    pub fn is_for_states(self) -> bool {
        use Reduction::{Bisimilarity, Carry, Faint, Handles, Library, Sections};
        matches!(self, Bisimilarity | Carry | Faint | Handles | Library | Sections)
    }

    /// Whether it leaves out nothing that recovery could tell after a crash.
    ///
    /// A loop whose iterations neither write nor make anything persist may wait instead: the execution
    /// without them has the same durable writes, and persists-before relates no more of them. Reads after
    /// which a thread waits may be left out: what had persisted when it waited may have when it goes on.
    /// Models may be made simpler, as the executions stay the same. All others change or leave out writes, or
    /// orders between them: they are off.
    pub fn is_sound_beside_recovery(self) -> bool {
        matches!(
            self,
            Reduction::SpinAssume
                | Reduction::Rotation
                | Reduction::Bisimilarity
                | Reduction::Pef
                | Reduction::Annotations
                | Reduction::Simplification
                | Reduction::ProgramOrder
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Reduction::SpinAssume => "spin-assume",
            Reduction::Rotation => "rotation",
            Reduction::Bisimilarity => "bisimilarity",
            Reduction::Pef => "pef",
            Reduction::Zne => "zne",
            Reduction::Exchange => "exchange",
            Reduction::Faint => "faint",
            Reduction::Attempts => "attempts",
            Reduction::Retry => "retry",
            Reduction::Escape => "escape",
            Reduction::Carry => "carry",
            Reduction::Annotations => "annotations",
            Reduction::Futile => "futile",
            Reduction::Outdated => "outdated",
            Reduction::Overtaken => "overtaken",
            Reduction::Confirmation => "confirmation",
            Reduction::WakeUps => "wake-ups",
            Reduction::Awaits => "awaits",
            Reduction::Assumptions => "assumptions",
            Reduction::Bam => "bam",
            Reduction::Arrivals => "arrivals",
            Reduction::Helping => "helping",
            Reduction::Simplification => "simplification",
            Reduction::Symmetry => "symmetry",
            Reduction::LockOrder => "lock-order",
            Reduction::RaceFree => "race-free",
            Reduction::Sections => "sections",
            Reduction::ProgramOrder => "program-order",
            Reduction::Library => "library",
            Reduction::Handles => "handles",
        }
    }
}

/// Which reductions are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions(u32);

impl Default for Reductions {
    fn default() -> Reductions {
        Reductions::ALL
    }
}

/// A name that no reduction has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no reduction `{0}`")]
pub struct UnknownReduction(pub String);

impl Reductions {
    pub const ALL: Reductions = Reductions(u32::MAX);
    pub const NONE: Reductions = Reductions(0);

    pub fn has(self, reduction: Reduction) -> bool {
        self.0 >> reduction as u32 & 1 != 0
    }

    pub fn without(self, reduction: Reduction) -> Reductions {
        Reductions(self.0 & !(1 << reduction as u32))
    }

    /// Those that a search through states may have.
    pub fn for_states(self) -> Reductions {
        let others = Reduction::ALL.into_iter().filter(|reduction| !reduction.is_for_states());
        others.fold(self, Reductions::without)
    }

    /// All but those named in a list like `pef,rotation`; `all` names all of them.
    pub fn all_but(names: &str) -> Result<Reductions, UnknownReduction> {
        let mut left = Reductions::ALL;
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            left = match Reduction::ALL.into_iter().find(|r| r.name() == name) {
                Some(reduction) => left.without(reduction),
                None if name == "all" => Reductions::NONE,
                None => return Err(UnknownReduction(name.to_string())),
            };
        }
        Ok(left)
    }
}

/// The list of those that are off, as [`Reductions::all_but`] reads it.
impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let off = Reduction::ALL.into_iter().filter(|r| !self.has(*r)).map(Reduction::name);
        f.write_str(&off.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        let some = Reductions::all_but("pef, spin-assume").expect("names that are known");
        assert!(!some.has(Reduction::Pef) && some.has(Reduction::Rotation));
        assert_eq!(some.to_string(), "spin-assume,pef");
        for list in ["", "pef", "all", "rotation,escape"] {
            let read = Reductions::all_but(list).expect("names that are known");
            let again = Reductions::all_but(&read.to_string()).expect("names that are known");
            for reduction in Reduction::ALL {
                assert_eq!(read.has(reduction), again.has(reduction));
            }
        }
        assert_eq!(Reductions::all_but("pef,fast"), Err(UnknownReduction(String::from("fast"))));
    }
}
