//! The exploration by revisits with most of it left out, as an estimate of its size (`crate::thinning` has
//! the idea).

use super::Follow;
use crate::estimate::Rng;
use crate::report::{End, ExploreError, GaveUp};
use crate::thinning::{Bounds, Tally, Walk};
use selvedge_machine::{Machine, Op};
use std::time::Instant;

impl<M: Machine> Follow<'_, M> {
    /// One walk, from the empty graph. `stop` is asked after each execution.
    pub(crate) fn walk(
        &mut self,
        keep: f64,
        rng: &mut Rng,
        bounds: Bounds,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Walk, ExploreError> {
        let mut tally = Tally::default();
        let mut weight = 1.0;
        // By decision: the weight that its first alternative has.
        let mut weights: Vec<f64> = Vec::new();
        loop {
            let events = self.stats.events;
            let mut entered = false;
            if let Some(task) = self.next() {
                let late = || bounds.until.is_some_and(|until| Instant::now() >= until);
                if events >= bounds.events
                    || self.web.len >= self.config.max_events
                    || events.is_multiple_of(256) && late()
                {
                    return Ok(Walk::Unfinished(Tally { events, ..tally }));
                }
                entered = self.begin(task)?;
                if entered {
                    weights.resize(self.frames.len(), weight);
                }
                match self.stats.gave_up {
                    Some(GaveUp::Again(again)) => return Ok(Walk::Again(again)),
                    Some(_) => return Ok(Walk::Stopped),
                    None => {}
                }
            } else {
                if let Some(again) = self.machine.again() {
                    return Ok(Walk::Again(again));
                }
                let end = self.end();
                tally.met += 1;
                tally.all += weight;
                tally.blocked += if end == End::Blocked { weight } else { 0.0 };
                tally.errors += u64::from(end == End::Error);
                if stop() {
                    return Ok(Walk::Stopped);
                }
            }
            // Most alternatives are left out.
            while !entered {
                let Some(frame) = self.frames.pop() else {
                    return Ok(Walk::Over(Tally { events: self.stats.events, ..tally }));
                };
                weights.truncate(self.frames.len() + 1);
                let first = weights.pop().unwrap_or(1.0);
                if self.try_next(frame) {
                    weights.resize(self.frames.len(), first);
                    if keep >= 1.0 || rng.unit() < keep {
                        weight = first / keep;
                        entered = true;
                    }
                }
                if let Some(GaveUp::Again(again)) = self.stats.gave_up {
                    return Ok(Walk::Again(again));
                }
            }
        }
    }

    /// How the execution ends, as far as threads tell.
    fn end(&self) -> End {
        let of_thread = |op: Op| match op {
            Op::End => End::Complete,
            Op::Cut => End::Cut,
            Op::Error(_) => End::Error,
            _ => End::Blocked,
        };
        let ends = self.web.lines.iter().filter_map(|line| Some(of_thread(line.next.as_ref()?.op)));
        ends.max().unwrap_or(End::Complete)
    }
}
