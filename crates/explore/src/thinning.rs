//! The exploration itself with most of it left out, as an estimate of its size.
//!
//! Of the alternatives of each decision the first is always explored, and each other one with probability
//! `keep`; what is explored then counts for `1 / keep` of its like. An execution that takes `k` alternatives
//! other than the first is met with probability `keep^k` and counts `keep^-k`, so the expected sum is the
//! number of executions, whatever the tree looks like: revisits, waiting threads and all reductions are as
//! they will be. With `keep` 1 it is the exploration, and the sum is exact.
//!
//! The smaller `keep`, the larger the variance; so it is made as large as the work allows. (Knuth's estimate
//! is the extreme: one path at a time. That exploring several at once is better is Chen's heterogeneous
//! sampling, 1992.)

use crate::conclusion::Conclusion;
use crate::estimate::Rng;
use crate::explorer::{Explorer, NOBODY_CALLS, Pause, Walker};
use crate::reductions::{Hooks, Reducers};
use crate::report::{Config, End, ExploreError, GaveUp};
use selvedge_machine::{Again, Machine};
use selvedge_model::Model;
use std::ops::ControlFlow;
use std::time::Instant;

/// What was met, by its weight.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    pub all: f64,
    pub blocked: f64,
    /// Executions that were met, whatever they count.
    pub met: u64,
    /// Among them, those in which the program fails.
    pub errors: u64,
    /// How many events were added.
    pub events: u64,
}

/// Where a walk ends before it is over.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub events: u64,
    pub until: Option<Instant>,
}

/// How a walk ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Walk {
    Over(Tally),
    /// It reached a bound.
    Unfinished(Tally),
    /// It was told to stop.
    Stopped,
    /// It has to begin anew.
    Again(Again),
}

/// One walk. `stop` is asked after each execution.
pub fn walk<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    keep: f64,
    rng: &mut Rng,
    bounds: Bounds,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Walk, ExploreError> {
    // What is known of the locations is not for others to see.
    let config = &Config { watches: config.watches.anew(), ..config.clone() };
    let mut explorer = Explorer::new(machine, model, config, &NOBODY_CALLS, None)?;
    let (tally, weight, weights) = (Tally::default(), 1.0, Vec::new());
    let mut thinned = Thinned { keep, rng, bounds, stop, tally, weight, weights, ended: None };
    explorer.walk(&mut thinned)?;
    thinned.tally.events = explorer.stats.events;
    Ok(match (thinned.ended, Reducers::is_broken(&explorer)) {
        (Some(Walk::Unfinished(_)), _) => Walk::Unfinished(thinned.tally),
        (Some(ended), _) => ended,
        (None, Some(again)) => Walk::Again(again),
        (None, None) => Walk::Over(thinned.tally),
    })
}

struct Thinned<'w> {
    keep: f64,
    rng: &'w mut Rng,
    bounds: Bounds,
    stop: &'w mut dyn FnMut() -> bool,
    tally: Tally,
    /// What the graph at hand counts.
    weight: f64,
    /// By frame: the weight that its first alternative has.
    weights: Vec<f64>,
    /// How it ended before it was over.
    ended: Option<Walk>,
}

impl<M: Machine> Walker<M> for Thinned<'_> {
    fn before_event(&mut self, x: &mut Explorer<'_, M>) -> Option<Pause> {
        let events = x.stats.events;
        if let Some(GaveUp::Again(again)) = x.stats.gave_up {
            self.ended = Some(Walk::Again(again));
            return Some(Pause::Stopped);
        }
        let is_over = events >= self.bounds.events
            || x.graph.len() >= x.config.max_events
            || events.is_multiple_of(256) && self.bounds.until.is_some_and(|until| Instant::now() >= until);
        is_over.then(|| {
            self.ended = Some(Walk::Unfinished(self.tally));
            Pause::Stopped
        })
    }

    fn after_event(&mut self, x: &mut Explorer<'_, M>) {
        self.weights.resize(x.frames.len(), self.weight);
    }

    fn at_end(&mut self, x: &mut Explorer<'_, M>) -> ControlFlow<()> {
        let ended = match x.conclude() {
            Conclusion::Nothing => return ControlFlow::Continue(()),
            Conclusion::GaveUp(GaveUp::Again(again)) => Walk::Again(again),
            Conclusion::GaveUp(_) => Walk::Stopped,
            Conclusion::Execution(end, ..) => {
                self.tally.met += 1;
                self.tally.all += self.weight;
                self.tally.blocked += if end == End::Blocked { self.weight } else { 0.0 };
                self.tally.errors += u64::from(end == End::Error);
                if !(self.stop)() {
                    return ControlFlow::Continue(());
                }
                Walk::Stopped
            }
        };
        self.ended = Some(ended);
        ControlFlow::Break(())
    }

    /// Leaves most alternatives out.
    fn backtrack(&mut self, x: &mut Explorer<'_, M>) -> bool {
        while let Some(frame) = x.frames.pop() {
            self.weights.truncate(x.frames.len() + 1);
            let first = self.weights.pop().unwrap_or(1.0);
            if x.next_alternative(frame) {
                self.weights.resize(x.frames.len(), first);
                if self.keep >= 1.0 || self.rng.unit() < self.keep {
                    self.weight = first / self.keep;
                    return true;
                }
                x.trouble = None;
            }
        }
        false
    }
}
