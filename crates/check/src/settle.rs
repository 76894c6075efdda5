//! Explores until there is no reason left to begin anew.
//!
//! An exploration takes things for granted that make it cheap: how memory is divided, that arrivals at
//! barriers need no order, that nobody notices what is left out. All of them are watched. Where one turns
//! out not to hold, what was explored does not count; the program is explored again without it ([`Again`]).
//! Each reason is given in to for good, or adds something of which there is only so much, so this comes to
//! an end.
//!
//! This is the only place where explorations of a [`VmMachine`] are begun anew: checks, estimates and tests
//! differ in what they do once ([`Attempt`]), not in what it is worth.

use selvedge_explore::{Config, Equivalence, GaveUp};
use selvedge_machine::{Again, Reduction};
use selvedge_vm::VmMachine;

/// What one exploration came to.
pub struct Attempt<R> {
    /// Why it stopped early, if it did.
    pub gave_up: Option<GaveUp>,
    /// It found an error, and that is all that it was to find. That threads are told apart, or that a lock
    /// is not used as one, makes an exploration miss executions; those that it has are right.
    pub found: bool,
    /// Whatever else it is for.
    pub result: R,
}

/// How to explore, which changes on the way.
pub struct Settling<'m> {
    /// The machine; locations have other numbers in each attempt.
    pub machine: &'m mut VmMachine,
    /// What is left out. The watches are new in each attempt.
    pub config: Config,
    /// As many threads as there may be room for.
    pub most_threads: u32,
    /// One worker is to do it all.
    pub alone: bool,
    /// The machine as it was before several workers taught it.
    pub before: Option<VmMachine>,
    /// The reasons so far, in their order.
    pub reasons: Vec<Again>,
}

impl<'m> Settling<'m> {
    /// Nothing was explored yet.
    pub fn new(machine: &'m mut VmMachine, config: Config, most_threads: u32) -> Settling<'m> {
        let reasons = Vec::new();
        let mut settling = Settling { machine, config, most_threads, alone: false, before: None, reasons };
        settling.keep_accesses_whole();
        settling
    }

    /// Where accesses are of several locations, reductions of the exploration are off: their arguments are
    /// about events, one at a time.
    fn keep_accesses_whole(&mut self) {
        if !self.machine.has_mixed_sizes() {
            return;
        }
        use Reduction::*;
        // These change the text, or what one thread does by itself, or are about barriers.
        let kept = [Rotation, Bisimilarity, SpinAssume, Pef, Retry, Carry, Escape, Bam, Simplification];
        let left: Vec<Reduction> = Reduction::ALL.into_iter().filter(|r| !kept.contains(r)).collect();
        self.machine.keep_accesses_whole(&left);
        for reduction in left {
            self.config.reductions = self.config.reductions.without(reduction);
            self.config.watches.leave(reduction);
        }
        self.config.equivalence = Equivalence::Co;
    }

    /// Explores by calling `once`, until it holds. The first attempt has the watches that `config` has;
    /// later ones have new ones, as locations are new.
    pub fn explore<R, E>(
        &mut self,
        mut once: impl FnMut(&mut Settling<'m>) -> Result<Attempt<R>, E>,
    ) -> Result<Attempt<R>, E> {
        loop {
            let attempt = once(self)?;
            let Some(again) = self.reason(&attempt) else { return Ok(attempt) };
            self.reasons.push(again);
            // Whoever cannot give in has nothing better: the attempt says that it gave up.
            if !self.give_in(again) {
                return Ok(attempt);
            }
        }
    }

    /// Why an attempt does not count.
    fn reason<R>(&self, attempt: &Attempt<R>) -> Option<Again> {
        let said = match attempt.gave_up {
            Some(GaveUp::Again(again)) => Some(again),
            _ => None,
        };
        // What the machine learned counts whatever was found: what it did not know then, it did not explore
        // rightly.
        let of_machine = |again: &Again| {
            matches!(
                again,
                Again::CellsRefined
                    | Again::BarriersOutOfForm
                    | Again::NetEffectNoticed
                    | Again::LockOrder
                    | Again::UnpublishedSeen
                    | Again::MadeUp
                    | Again::OutcomeUnknown
            )
        };
        // Colleagues of the machine may have learned it in a graph that nobody was shown.
        let wrong = said.filter(of_machine).or_else(|| self.machine.again_for_all());
        let missed = || {
            let watches = &self.config.watches;
            let named =
                watches.twins.as_ref().is_some_and(|twins| twins.largest() > 0) && self.machine.names_show();
            let unfounded = watches.broken().or(named.then_some(Reduction::Symmetry));
            unfounded.map(Again::Unfounded).filter(|_| !attempt.found)
        };
        let room = || {
            let wanted = self.machine.ran_out_of_threads() && self.machine.room() < self.most_threads;
            wanted.then_some(Again::MoreRoom)
        };
        // A thread that there is no room for is an error, which is no reason to order critical sections or
        // arrivals, or to make all attempts.
        if matches!(wrong, Some(Again::LockOrder | Again::BarriersOutOfForm | Again::MadeUp))
            && let Some(room) = room()
        {
            return Some(room);
        }
        let chance = || said.filter(|again| *again == Again::Determinism);
        wrong.or_else(chance).or_else(missed).or_else(room)
    }

    /// Returns whether there was something to change.
    fn give_in(&mut self, again: Again) -> bool {
        match again {
            Again::CellsRefined
            | Again::BarriersOutOfForm
            | Again::NetEffectNoticed
            | Again::LockOrder
            | Again::UnpublishedSeen
            | Again::MadeUp
            | Again::OutcomeUnknown => {
                if !self.machine.give_in(again) {
                    return false;
                }
            }
            Again::Unfounded(reduction) => {
                if !self.config.watches.leave(reduction) {
                    return false;
                }
            }
            Again::LoadBuffering => {
                if !std::mem::replace(&mut self.config.in_order, false) {
                    return false;
                }
            }
            Again::Dependencies => {
                if !std::mem::replace(&mut self.config.follow, false) {
                    return false;
                }
            }
            Again::MoreRoom => {
                let more = self.machine.room().saturating_mul(2).min(self.most_threads);
                self.machine.make_room(more);
            }
            Again::Determinism => {
                if let Some(before) = self.before.take() {
                    *self.machine = before;
                }
            }
            Again::ComparisonWithSc => {}
        }
        self.keep_accesses_whole();
        // What is known of the locations stays where they do.
        self.alone = again == Again::Determinism;
        if !self.alone {
            self.config.watches = self.config.watches.anew();
        }
        true
    }
}

/// Explores as often as it takes, where one attempt is a function of a machine and a configuration.
pub fn settle<R, E>(
    machine: &mut VmMachine,
    config: Config,
    mut once: impl FnMut(&VmMachine, &Config) -> Result<Attempt<R>, E>,
) -> Result<R, E> {
    let room = machine.room();
    let mut settling = Settling::new(machine, config, room);
    Ok(settling.explore(|now| once(now.machine, &now.config))?.result)
}
