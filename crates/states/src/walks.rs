//! Interleavings taken at random, one step after the other, without remembering any state.
//!
//! A search looks at the states that differ from what it saw last in the last steps, and comes late to a
//! program of many threads whose first one should have waited. A walk costs next to nothing, and each one is
//! another one. What it comes upon is an error, with the way there; that it comes upon none says nothing.
//!
//! Walks take turns at how they choose who goes on: anybody at every step; whoever went on before, mostly;
//! and by priorities that are changed at one or two steps taken at random, which finds an error that takes
//! few changes with a probability that is known (Burckhardt, Kothari, Musuvathi and Nagarakatte, 2010). In
//! half of them the first thread goes on whenever it can: then all that it creates is there from the start.

use crate::graph::{Edge, Graph};
use crate::search::{Found, Options, Search, Stop};
use crate::table::Table;
use crate::world::{Done, Step, World};
use selvedge_machine::{Canonical, ErrorKind, Machine};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How much to walk.
pub struct Walks<'a> {
    /// Where random choices begin.
    pub seed: u64,
    /// Steps in all.
    pub steps: u64,
    /// Steps of one walk.
    pub longest: u64,
    /// The kinds of errors that are looked for.
    pub wanted: &'a dyn Fn(ErrorKind) -> bool,
}

/// After so many steps in a row a thread is taken to wait for others.
const PATIENCE: u64 = 200;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(n)) >> 64) as u64
    }
}

/// Who goes on.
enum Schedule {
    Anybody,
    /// Who went on before, with this probability in percent.
    Mostly(u64),
    /// The one with the highest priority, until one of these steps is reached.
    Priorities {
        of: Vec<u64>,
        changes: Vec<u64>,
    },
}

impl Schedule {
    /// The next walk's, where walks have some `length`.
    fn next(walk: u64, length: u64, dice: &mut Dice) -> Schedule {
        match walk % 4 {
            0 => Schedule::Mostly([50, 80, 95][(walk / 4 % 3) as usize]),
            1 => Schedule::Anybody,
            n => {
                let changes = (1..n).map(|_| 1 + dice.below(length.max(1))).collect();
                Schedule::Priorities { of: Vec::new(), changes }
            }
        }
    }

    /// Threads in the order in which they are asked to go on.
    fn order(&mut self, threads: usize, last: Option<usize>, dice: &mut Dice) -> Vec<usize> {
        let mut order: Vec<usize> = (0..threads).collect();
        match self {
            Schedule::Priorities { of, .. } => {
                while of.len() < threads {
                    of.push((1 << 32) | dice.below(1 << 32));
                }
                order.sort_by_key(|at| std::cmp::Reverse(of[*at]));
            }
            _ => {
                for at in (1..threads).rev() {
                    order.swap(at, dice.below(at as u64 + 1) as usize);
                }
                if let (Schedule::Mostly(percent), Some(last)) = (&*self, last)
                    && dice.below(100) < *percent
                {
                    order.retain(|at| *at != last);
                    order.insert(0, last);
                }
            }
        }
        order
    }

    /// A thread took its step of this number, the `row`th in a row.
    fn note(&mut self, at: usize, step: u64, row: u64) {
        if let Schedule::Priorities { of, changes } = self
            && (changes.contains(&step) || row > PATIENCE)
            && let Some(priority) = of.get_mut(at)
        {
            // The later, the lower.
            *priority = (1 << 31) - step.min(1 << 30);
        }
    }
}

/// Walks until an error is found that is looked for. The graph is the way there.
pub fn walk<M>(machine: &M, table: &Table, options: &Options<'_>, walks: &Walks<'_>) -> Found<M::State>
where
    M: Machine + Canonical,
{
    let mut search =
        Search::new(machine, table, options, (false, false), BTreeMap::new(), Default::default());
    search.rules.eager = true;
    let mut dice = Dice(walks.seed);
    let (mut taken, mut number, mut length) = (0, 0, 50);
    while taken < walks.steps && search.found.stop.is_none() && (options.go_on)() {
        search.found.graph = Graph::default();
        let mut schedule = Schedule::next(number / 2, length, &mut dice);
        let first = number % 2 == 0;
        let (steps, contended) = search.walk(&mut schedule, first, walks.longest, &mut dice);
        (taken, number) = (taken + steps + 1, number + 1);
        length = (length + contended) / 2;
        if search.found.wrong.keys().any(|wrong| (walks.wanted)(wrong.kind)) {
            return search.found;
        }
        search.found.wrong.clear();
        search.found.ends.clear();
    }
    search.found.stop.get_or_insert(Stop::Cancelled);
    search.found
}

impl<M> Search<'_, M>
where
    M: Machine + Canonical,
{
    /// One walk. Returns how many steps it took, and how many of them there was a choice for.
    fn walk(
        &mut self,
        schedule: &mut Schedule,
        mut first: bool,
        longest: u64,
        dice: &mut Dice,
    ) -> (u64, u64) {
        let Ok(mut world) = self.rules.start() else { return (0, 0) };
        self.found.graph.root();
        let (mut last, mut row, mut contended) = (None, 0, 0);
        for number in 0..longest {
            if let Some(again) = self.rules.machine.again() {
                self.found.stop = Some(Stop::Again(again));
                return (number, contended);
            }
            if number % 256 == 255 && !(self.options.go_on)() || self.look(&world, number as u32) {
                return (number, contended);
            }
            // States are numbered to forget what is known of inputs that are gone, and so that what comes of
            // a step for its thread is computed once.
            world.inputs = self.states.number(self.rules.machine, &world, false).inputs;
            if world.inputs.is_involved {
                return (number, contended);
            }
            let mut pruned = false;
            let mut order = schedule.order(world.threads.len(), last, dice);
            first &= row <= PATIENCE;
            if first {
                order.retain(|at| *at != 0);
                order.insert(0, 0);
            }
            // A section is one step: whoever is in one goes on alone, if he can.
            if let Some(alone) = (0..world.threads.len()).find(|at| self.is_in_section(&world, *at)) {
                order.retain(|at| *at != alone);
                order.insert(0, alone);
            }
            let went = order.into_iter().find_map(|at| {
                let (next, step) = self.any_step(&world, at, &mut pruned, dice)?;
                Some((at, next, step))
            });
            let Some((at, next, step)) = went else {
                if let Some(why) = self.stuck(&world).filter(|_| !pruned) {
                    self.wrong(number as u32, ErrorKind::Deadlock, why, None);
                }
                return (number, contended);
            };
            row = if last == Some(at) { row + 1 } else { 1 };
            last = Some(at);
            contended += u64::from(world.has_unjoined(at));
            schedule.note(at, contended, row);
            let what = self.found.graph.step(&step);
            let edge = Edge { from: number as u32, to: number as u32 + 1, dashed: false, what };
            self.found.graph.add(edge, true);
            world = next;
        }
        (longest, contended)
    }

    /// One of the steps that a thread may take.
    fn any_step(
        &self,
        world: &World<M::State>,
        at: usize,
        pruned: &mut bool,
        dice: &mut Dice,
    ) -> Option<(World<M::State>, Rc<Step>)> {
        let actions = self.rules.actions(world, at, &|_| Vec::new());
        let first = dice.below(actions.len().max(1) as u64) as usize;
        (0..actions.len()).find_map(|n| {
            let action = actions[(first + n) % actions.len()];
            match self.rules.act(world, at, action) {
                Done::Next(next, step) => Some((next, step)),
                Done::Waits => None,
                Done::Nothing => {
                    *pruned = true;
                    None
                }
            }
        })
    }
}
