//! How many executions there are, about, before they are explored (seed 002 §3).
//!
//! A sample is one execution, made by taking one of the consistent alternatives of every event at random. If
//! all executions had as many alternatives as it has, there would be as many of them as the product of these
//! numbers says; the mean over many samples is the estimate (Knuth 1975). Samples revisit nothing. Instead,
//! reads come as late as they can, so that there are many writes to choose from, and the alternatives of a
//! read are counted at the end, with the writes that came later and would have revisited it (the *choice map*,
//! §3.3).

use crate::explorer::{Explorer, NOBODY_CALLS};
use crate::frame::Frame;
use crate::report::{Config, End, ExploreError};
use crate::schedule::can_go_on;
use crate::threads::Status;
use selvedge_graph::{EventId, Tid};
use selvedge_machine::Machine;
use selvedge_model::Model;
use std::time::{Duration, Instant};

/// When to stop sampling (§3.4).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    pub seed: u64,
    /// At least so many samples, and at most so many.
    pub least: u64,
    pub most: u64,
    /// Enough if the standard deviation of the mean is less than this part of it.
    pub precision: f64,
    pub time: Duration,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { seed: 0, least: 24, most: 2000, precision: 0.03, time: Duration::from_millis(600) }
    }
}

/// What some samples say.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    pub samples: u64,
    /// Of all executions, blocked ones included.
    pub mean: f64,
    /// Of one sample.
    pub stddev: f64,
    /// The part of `mean` that is blocked executions.
    pub blocked: f64,
    /// Samples in which the program fails.
    pub errors: u64,
    pub seconds: f64,
}

/// Takes samples until there are enough, or `stop` says so, which is asked after each and given the kind of
/// failure that it came to. The same seed gives the same samples.
pub fn estimate<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    sampling: &Sampling,
    stop: &mut dyn FnMut(Option<&'static str>) -> bool,
) -> Result<Estimate, ExploreError> {
    let begin = Instant::now();
    // What shortcuts leave out leads nowhere or to revisits; here, it counts.
    let config = Config { shortcuts: false, ..config.clone() };
    let mut rng = Rng(sampling.seed);
    let mut sum = Sum::default();
    while sum.samples < sampling.most {
        let mut sampler = Sampler {
            explorer: Explorer::new(machine, model, &config, &NOBODY_CALLS, None)?,
            choices: Vec::new(),
            rng: &mut rng,
        };
        let sample = sampler.sample()?;
        sum.add(sample);
        if stop(sampler.explorer.failure.as_ref().map(|failure| failure.kind)) {
            break;
        }
        if sum.samples >= sampling.least && sum.is_enough(sampling) || begin.elapsed() >= sampling.time {
            break;
        }
    }
    Ok(sum.estimate(begin.elapsed()))
}

/// One sample: its number of alternatives, and how it ends; `None` if it came to nothing.
type Sample = Option<(f64, End)>;

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    samples: u64,
    errors: u64,
    blocked: f64,
    mean: f64,
    /// Of the squares of the distances from the mean (Welford 1962).
    squares: f64,
}

impl Sum {
    fn add(&mut self, sample: Sample) {
        let weight = sample.map_or(0.0, |(weight, _)| weight);
        let end = sample.map(|(_, end)| end);
        self.samples += 1;
        self.errors += (end == Some(End::Error)) as u64;
        self.blocked += if end == Some(End::Blocked) { weight } else { 0.0 };
        let distance = weight - self.mean;
        self.mean += distance / self.samples as f64;
        self.squares += distance * (weight - self.mean);
    }

    fn stddev(&self) -> f64 {
        if self.samples < 2 { 0.0 } else { (self.squares / (self.samples - 1) as f64).sqrt() }
    }

    fn is_enough(&self, sampling: &Sampling) -> bool {
        let of_mean = self.stddev() / (self.samples as f64).sqrt();
        of_mean <= sampling.precision * self.mean || self.samples as f64 > self.mean
    }

    fn estimate(&self, time: Duration) -> Estimate {
        Estimate {
            samples: self.samples,
            mean: self.mean,
            stddev: self.stddev(),
            blocked: self.blocked / self.samples.max(1) as f64,
            errors: self.errors,
            seconds: time.as_secs_f64(),
        }
    }
}

/// What there was to choose from for an event.
struct Choices {
    event: EventId,
    alternatives: f64,
}

struct Sampler<'s, 'a, M: Machine> {
    explorer: Explorer<'a, M>,
    choices: Vec<Choices>,
    rng: &'s mut Rng,
}

/// An alternative of a decision.
#[derive(Clone, Copy, Debug)]
struct Alternative {
    cursor: u32,
    /// The execution can go on with it: no two read-modify-writes read the same.
    is_possible: bool,
    /// The thread waits then.
    waits: bool,
}

impl<M: Machine> Sampler<'_, '_, M> {
    fn sample(&mut self) -> Result<Sample, ExploreError> {
        // Threads that could only wait, as it is.
        let mut patient: Vec<Tid> = Vec::new();
        while self.explorer.failure.is_none()
            && self.explorer.graph.len() < self.explorer.config.max_events
            && let Some(t) = self.pick_thread(&patient)
        {
            if !self.explorer.extend(t)? {
                return Ok(None);
            }
            match self.explorer.frames.last() {
                Some(Frame::Plain { .. }) => {}
                Some(&Frame::Choice { e, count, .. }) => {
                    let value = self.rng.below(count as usize) as u32;
                    self.choices.push(Choices { event: e, alternatives: count as f64 });
                    self.go_back_to(|frame| match frame {
                        Frame::Choice { next, .. } => *next = value,
                        _ => unreachable!("it was a choice"),
                    });
                }
                Some(Frame::Read(_)) => {
                    let insists = patient.contains(&t);
                    if !self.pick_source(t, insists)? {
                        patient.push(t);
                        continue;
                    }
                }
                Some(Frame::Place(_)) => self.pick_place(t)?,
                // A write that has no place but after a revisit.
                _ => return Ok(None),
            }
            patient.clear();
        }
        let weight = self.choices.iter().map(|choices| choices.alternatives).product();
        Ok(Some((weight, self.explorer.end())))
    }

    /// Whoever does not read; otherwise anyone, but those who could only wait last.
    fn pick_thread(&mut self, patient: &[Tid]) -> Option<Tid> {
        let threads = &self.explorer.threads;
        let all = threads.status().iter().enumerate().map(|(t, status)| (Tid(t as u16), *status));
        let mut readers = Vec::new();
        let mut other = None;
        for (t, status) in all {
            match status {
                Status::RmwWrite | Status::Confirm => return Some(t),
                Status::Read if !patient.contains(&t) => readers.push(t),
                Status::Join if can_go_on(threads, &self.explorer.graph, t) => other = other.or(Some(t)),
                Status::NonRead => other = other.or(Some(t)),
                _ => {}
            }
        }
        if other.is_some() {
            return other;
        }
        let readers = if readers.is_empty() { patient } else { &readers };
        if readers.is_empty() { None } else { Some(readers[self.rng.below(readers.len())]) }
    }

    /// The cursors of all alternatives of the decision on top, which is taken back.
    fn alternatives(&mut self, t: Tid, cursor: fn(&mut Frame) -> &mut u32) -> Vec<Alternative> {
        let mut found = Vec::new();
        while let Some(mut frame) = self.explorer.frames.pop() {
            found.push(Alternative {
                cursor: *cursor(&mut frame),
                is_possible: self.is_possible(&frame),
                waits: self.explorer.threads.status()[t.index()] == Status::Blocked,
            });
            if let Frame::Place(frame) = &mut frame {
                frame.revisits = false;
            }
            if !self.explorer.next_alternative(frame) {
                break;
            }
        }
        self.explorer.failure = None;
        found
    }

    /// Whether no other read-modify-write reads the same.
    fn is_possible(&self, frame: &Frame) -> bool {
        let Frame::Read(frame) = frame else { return true };
        let g = &self.explorer.graph;
        let ev = g.event(frame.e);
        let source = g.rf(frame.e).filter(|_| ev.is_rmw_read());
        source.is_none_or(|w| self.explorer.rmw_reader(w, ev.loc, frame.e).is_none())
    }

    /// Goes from the first alternative of the decision on top to another.
    fn go_back_to(&mut self, set: impl FnOnce(&mut Frame)) {
        if let Some(mut frame) = self.explorer.frames.pop() {
            set(&mut frame);
            self.explorer.failure = None;
            let entered = self.explorer.next_alternative(frame);
            debug_assert!(entered, "an alternative that was there");
        }
    }

    /// Makes the read that was just added read from one of the writes that it may read from. Those that
    /// another read-modify-write has read from are among its alternatives, since one could come before
    /// the other as well, but not what it goes on with. Takes the read back and returns false if all that it
    /// could do is wait, unless it insists: a write that comes later is likely to let it go on.
    fn pick_source(&mut self, t: Tid, insists: bool) -> Result<bool, ExploreError> {
        let cursor: fn(&mut Frame) -> &mut u32 = |frame| match frame {
            Frame::Read(frame) => &mut frame.next,
            _ => unreachable!("it was a read"),
        };
        let all = self.alternatives(t, cursor);
        let possible: Vec<Alternative> = all.iter().filter(|a| a.is_possible).copied().collect();
        if !insists && possible.iter().all(|a| a.waits) {
            return Ok(false);
        }
        self.explorer.extend(t)?;
        let Some(&Frame::Read(frame)) = self.explorer.frames.last() else { return Ok(true) };
        self.choices.push(Choices { event: frame.e, alternatives: all.len() as f64 });
        if !possible.is_empty() {
            let at = possible[self.rng.below(possible.len())].cursor;
            self.go_back_to(|frame| *cursor(frame) = at + 1);
        }
        Ok(true)
    }

    /// Puts the write that was just added to one of its places, and counts it as an alternative of the reads
    /// that it would revisit.
    fn pick_place(&mut self, t: Tid) -> Result<(), ExploreError> {
        let cursor: fn(&mut Frame) -> &mut u32 = |frame| match frame {
            Frame::Place(frame) => &mut frame.next,
            _ => unreachable!("it was a write"),
        };
        let all = self.alternatives(t, cursor);
        self.explorer.extend(t)?;
        let Some(&Frame::Place(frame)) = self.explorer.frames.last() else { return Ok(()) };
        self.choices.push(Choices { event: frame.e, alternatives: all.len() as f64 });
        let at = all[self.rng.below(all.len())].cursor;
        self.go_back_to(|frame| *cursor(frame) = at + 1);
        let w = frame.e;
        let (loc, value) = (self.explorer.graph.event(w).loc, self.explorer.graph.event(w).value);
        for choices in &mut self.choices {
            let (g, r) = (&self.explorer.graph, choices.event);
            let ev = g.event(r);
            if !ev.is_read() || ev.loc != loc || self.explorer.model.in_prefix(g, r, w) {
                continue;
            }
            // Where its thread would only wait, little follows that another sample does not count.
            if !self.explorer.waits_at_once(r, value) {
                choices.alternatives += 1.0;
            }
        }
        Ok(())
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..n`, which is not empty.
    fn below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }
}
