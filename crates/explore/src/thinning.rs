//! The exploration itself with most of it left out, as an estimate of its size.
//!
//! Of the alternatives of each decision the first is always explored, and each other one with probability `keep`; what
//! is explored then counts for `1 / keep` of its like. An execution that takes `k` alternatives other than the
//! first is met with probability `keep^k` and counts `keep^-k`, so the expected sum is the number of executions,
//! whatever the tree looks like: revisits, waiting threads and all reductions are as they will be. With `keep` 1
//! it is the exploration, and the sum is exact.
//!
//! The smaller `keep`, the larger the variance; so it is made as large as the time allows. (Knuth's estimate is
//! the extreme: one path at a time. That exploring several at once is better is Chen's heterogeneous sampling, 1992.)

use crate::estimate::Rng;
use crate::explorer::{Conclusion, Explorer, NOBODY_CALLS};
use crate::report::{Config, End, ExploreError, GaveUp};
use selvedge_machine::{Again, Machine};
use selvedge_model::Model;
use std::sync::Arc;
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
}

/// Where a walk ends before it is over.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub events: u64,
    pub until: Instant,
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
    let chains = config.chains.as_ref().map(|_| Arc::default());
    let twins = config.twins.as_ref().map(|_| Arc::default());
    let config = &Config { chains, twins, ..config.clone() };
    let mut explorer = Explorer::new(machine, model, config, &NOBODY_CALLS, None)?;
    let mut tally = Tally::default();
    let mut weight = 1.0;
    // By frame: the weight that its first alternative has.
    let mut weights: Vec<f64> = Vec::new();
    loop {
        let next = if explorer.trouble.is_some() { None } else { explorer.next_thread() };
        let entered = match next {
            Some(t) => {
                let events = explorer.stats.events;
                if events >= bounds.events
                    || explorer.graph.len() >= config.max_events
                    || events.is_multiple_of(256) && Instant::now() >= bounds.until
                {
                    return Ok(Walk::Unfinished(tally));
                }
                let entered = explorer.extend(t)?;
                weights.resize(explorer.frames.len(), weight);
                entered
            }
            None => {
                match explorer.conclude() {
                    Conclusion::Nothing => {}
                    Conclusion::GaveUp(GaveUp::Again(again)) => return Ok(Walk::Again(again)),
                    Conclusion::GaveUp(_) => return Ok(Walk::Stopped),
                    Conclusion::Execution(end, ..) => {
                        tally.met += 1;
                        tally.all += weight;
                        tally.blocked += if end == End::Blocked { weight } else { 0.0 };
                        tally.errors += u64::from(end == End::Error);
                        if stop() {
                            return Ok(Walk::Stopped);
                        }
                    }
                }
                false
            }
        };
        if entered {
            continue;
        }
        loop {
            let Some(frame) = explorer.frames.pop() else {
                return Ok(match () {
                    () if explorer.broken => Walk::Again(Again::ChainsBroken),
                    () if explorer.told_apart => Walk::Again(Again::TwinsToldApart),
                    () => Walk::Over(tally),
                });
            };
            weights.truncate(explorer.frames.len() + 1);
            let first = weights.pop().unwrap_or(1.0);
            if explorer.next_alternative(frame) {
                weights.resize(explorer.frames.len(), first);
                if keep >= 1.0 || rng.unit() < keep {
                    weight = first / keep;
                    break;
                }
                explorer.trouble = None;
            }
        }
    }
}
