//! How many executions there are, about, before they are explored (Kokologiannakis24 §3).
//!
//! A sample is one execution, made by taking one of the consistent alternatives of every event at random. If
//! all executions had as many alternatives as it has, there would be as many of them as the product of these
//! numbers says; the mean over many samples is the estimate (Knuth75). Samples revisit nothing. Instead,
//! reads come as late as they can, so that there are many writes to choose from, and the alternatives of a
//! read are counted at the end, with the writes that came later and would have revisited it (the *choice
//! map*, §3.3).
//!
//! That is biased where much waits or is revisited. So the exploration is tried, too: as it is, for a short
//! while, which is all there is to do for small programs; and thinned out at random (`thinning`), which is
//! not biased but varies more, most often. Where few executions have very many alternatives, both hardly
//! ever meet one of those, and say too little; so the larger mean is the estimate, unless it is that of the
//! samples and the thinned exploration is sure that it is too large. Complete and blocked executions are
//! estimated apart.
//!
//! When to stop is counted in work, not in time: in events that are added and alternatives that are tried. So
//! an estimate is the same on a slow or a busy machine.

use crate::conclusion::Trouble;
use crate::explorer::{Explorer, NOBODY_CALLS};
use crate::frame::Frame;
use crate::reductions::{Hooks, Reducers};
use crate::report::{Config, End, Execution, ExploreError, GaveUp};
use crate::schedule::can_go_on;
use crate::thinning::{Bounds, Tally, Walk, walk};
use crate::threads::Status;
use selvedge_graph::{EventId, Tid};
use selvedge_machine::{Again, Machine};
use selvedge_model::Model;
use std::ops::ControlFlow;
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
    /// What all of it may take, in events that are added and alternatives that are tried.
    pub work: u64,
    /// A limit of time for those who cannot wait; what they get depends on the machine.
    pub time: Option<Duration>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { seed: 0, least: 24, most: 2000, precision: 0.03, work: 400_000, time: None }
    }
}

/// What some samples say.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Estimate {
    /// Samples, or thinned explorations.
    pub samples: u64,
    /// Of all executions, blocked ones included.
    pub mean: f64,
    /// Of one sample.
    pub stddev: f64,
    /// The part of `mean` that is blocked executions.
    pub blocked: f64,
    /// Standard deviation of the mean, of complete executions and of blocked ones.
    pub complete_error: f64,
    pub blocked_error: f64,
    /// Samples in which the program fails.
    pub errors: u64,
    pub seconds: f64,
}

impl Estimate {
    /// The part of `mean` that is not blocked executions.
    pub fn complete(&self) -> f64 {
        self.mean - self.blocked
    }

    /// Standard deviation of the mean.
    pub fn error(&self) -> f64 {
        self.complete_error.hypot(self.blocked_error)
    }
}

/// What is explored of a program to find out whether it is small, in events.
const SMALL: u64 = 40_000;

/// What an estimate came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sampled {
    /// An estimate.
    Estimate(Estimate),
    /// The machine, or the configuration, has to be another.
    Again(Again),
}

/// Estimates until it is sure enough, or `stop` says so, which is asked after each execution. The same seed
/// gives the same estimate, unless a limit of time ended it.
pub fn estimate<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    sampling: &Sampling,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Sampled, ExploreError> {
    let begin = Instant::now();
    let until = sampling.time.and_then(|time| begin.checked_add(time));
    let mut stopped = false;
    let stop = &mut || {
        stopped |= stop();
        stopped
    };
    let bounds = Bounds { events: SMALL.min(sampling.work / 4), until };
    let first = walk(machine, model, config, 1.0, &mut Rng(sampling.seed), bounds, stop)?;
    let seen = match first {
        Walk::Over(all) => {
            return Ok(Sampled::Estimate(Estimate {
                samples: all.met,
                mean: all.all,
                blocked: all.blocked,
                errors: all.errors,
                seconds: begin.elapsed().as_secs_f64(),
                ..Estimate::default()
            }));
        }
        Walk::Unfinished(some) => some,
        Walk::Stopped => Tally::default(),
        Walk::Again(again) => return Ok(Sampled::Again(again)),
    };
    let samples = match take_samples(machine, model, config, sampling, until, seen.all, stop)? {
        Ok(samples) => samples,
        Err(again) => return Ok(Sampled::Again(again)),
    };
    let left = sampling.work.saturating_sub(seen.events + samples.work);
    let thinned = match thin(machine, model, config, sampling, left, until, stop)? {
        Ok(thinned) => thinned,
        Err(again) => return Ok(Sampled::Again(again)),
    };
    let complete = samples.complete.or(thinned.map(|thinned| thinned.complete));
    let blocked = samples.blocked.or(thinned.map(|thinned| thinned.blocked));
    let (known, known_blocked) = (seen.all - seen.blocked, seen.blocked);
    let of_blocked = blocked.mean.max(known_blocked);
    Ok(Sampled::Estimate(Estimate {
        samples: complete.samples,
        mean: complete.mean.max(known) + of_blocked,
        stddev: complete.stddev().hypot(blocked.stddev()),
        blocked: of_blocked,
        complete_error: complete.error(),
        blocked_error: blocked.error(),
        errors: samples.errors,
        seconds: begin.elapsed().as_secs_f64(),
    }))
}

/// A walk through a thinned exploration: how much is kept, chance, bounds, and whether to stop.
type AnyWalk<'w> =
    dyn FnMut(f64, &mut Rng, Bounds, &mut dyn FnMut() -> bool) -> Result<Walk, ExploreError> + 'w;

/// What an event of such an exploration takes, in events of the usual one.
const DEAR: u64 = 4;

/// The same by thinned explorations alone, for explorations of another kind.
pub(crate) fn estimate_by_walks(
    sampling: &Sampling,
    stop: &mut dyn FnMut() -> bool,
    walk: &mut AnyWalk<'_>,
) -> Result<Sampled, ExploreError> {
    let begin = Instant::now();
    let sampling = &Sampling { work: sampling.work / DEAR, ..*sampling };
    let until = sampling.time.and_then(|time| begin.checked_add(time));
    let seconds = || begin.elapsed().as_secs_f64();
    let bounds = Bounds { events: SMALL.min(sampling.work / 4), until };
    let seen = match walk(1.0, &mut Rng(sampling.seed), bounds, stop)? {
        Walk::Over(all) => {
            return Ok(Sampled::Estimate(Estimate {
                samples: all.met,
                mean: all.all,
                blocked: all.blocked,
                errors: all.errors,
                seconds: seconds(),
                ..Estimate::default()
            }));
        }
        Walk::Unfinished(some) => some,
        Walk::Stopped => Tally::default(),
        Walk::Again(again) => return Ok(Sampled::Again(again)),
    };
    let mut rng = Rng(!sampling.seed);
    let left = sampling.work.saturating_sub(seen.events);
    let mut once = |keep: f64, events: u64| walk(keep, &mut rng, Bounds { events, until }, stop);
    let sum = match thin_by(sampling, left, until, &mut once)? {
        Ok(sum) => sum.unwrap_or_default(),
        Err(again) => return Ok(Sampled::Again(again)),
    };
    let blocked = sum.blocked.mean.max(seen.blocked);
    Ok(Sampled::Estimate(Estimate {
        samples: sum.complete.samples,
        mean: sum.complete.mean.max(seen.all - seen.blocked) + blocked,
        stddev: sum.complete.stddev().hypot(sum.blocked.stddev()),
        blocked,
        complete_error: sum.complete.error(),
        blocked_error: sum.blocked.error(),
        errors: seen.errors,
        seconds: seconds(),
    }))
}

/// Takes executions at random, and shows those in which the program fails, until the visitor has seen
/// enough or `stop` says so, which is asked before each. Returns why it did not go on.
///
/// What is shown is an execution like any other: consistent, and made by running the program. That nothing
/// is shown says nothing.
pub fn scout<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    seed: u64,
    visit: &mut dyn FnMut(&Execution<'_, M>) -> ControlFlow<()>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Option<GaveUp>, ExploreError> {
    // As for samples: shortcuts leave out what others revisit.
    let config = Config { shortcuts: false, ..config.clone() };
    let mut rng = Rng(seed);
    while !stop() {
        let mut sampler = Sampler {
            explorer: Explorer::new(machine, model, &config, &NOBODY_CALLS, None)?,
            choices: Vec::new(),
            tried: 0,
            rng: &mut rng,
        };
        let sample = sampler.sample()?;
        let explorer = &mut sampler.explorer;
        if let Some(Trouble::Again(again)) = explorer.trouble {
            return Ok(Some(GaveUp::Again(again)));
        }
        if let Some(again) = machine.again() {
            return Ok(Some(GaveUp::Again(again)));
        }
        if sample.is_some_and(|(_, end)| end == End::Error) && explorer.finish(visit).is_break() {
            return Ok(explorer.stats.gave_up.take());
        }
    }
    Ok(None)
}

fn take_samples<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    sampling: &Sampling,
    until: Option<Instant>,
    seen: f64,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Result<Sum, Again>, ExploreError> {
    // What shortcuts leave out leads nowhere or to revisits; here, it counts.
    let config = Config { shortcuts: false, ..config.clone() };
    let mut rng = Rng(sampling.seed);
    let mut sum = Sum::default();
    while sum.all.samples < sampling.most {
        let mut sampler = Sampler {
            explorer: Explorer::new(machine, model, &config, &NOBODY_CALLS, None)?,
            choices: Vec::new(),
            tried: 0,
            rng: &mut rng,
        };
        let sample = sampler.sample()?;
        sum.work += BEGINNING + sampler.explorer.stats.events + sampler.tried;
        if let Some(Trouble::Again(again)) = sampler.explorer.trouble {
            return Ok(Err(again));
        }
        if let Some(again) = machine.again() {
            return Ok(Err(again));
        }
        if let Some(GaveUp::Again(again)) = sampler.explorer.stats.gave_up {
            return Ok(Err(again));
        }
        sum.add(sample);
        if stop() {
            break;
        }
        let is_enough = sum.all.samples >= sampling.least && sum.is_enough(sampling, seen);
        if is_enough || sum.work >= sampling.work / 4 || is_late(until) {
            break;
        }
    }
    Ok(Ok(sum))
}

/// What it takes to begin a sample or a walk, in events.
const BEGINNING: u64 = 32;

/// One walk is to have about so many events, and none many times as many.
const WALK: u64 = 4_000;
const LONG_WALK: u64 = 25 * WALK;

/// Fewer walks than this say nothing.
const FEW: u64 = 8;

/// Walks through the thinned exploration, with so much work; none if it could not be made thin enough.
fn thin<M: Machine>(
    machine: &M,
    model: &Model,
    config: &Config,
    sampling: &Sampling,
    work: u64,
    until: Option<Instant>,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Result<Option<Sum>, Again>, ExploreError> {
    let mut rng = Rng(!sampling.seed);
    let mut once =
        |keep: f64, events: u64| walk(machine, model, config, keep, &mut rng, Bounds { events, until }, stop);
    thin_by(sampling, work, until, &mut once)
}

/// One walk that keeps so much, with at most so many events.
type Once<'w> = dyn FnMut(f64, u64) -> Result<Walk, ExploreError> + 'w;

fn thin_by(
    sampling: &Sampling,
    work: u64,
    until: Option<Instant>,
    once: &mut Once<'_>,
) -> Result<Result<Option<Sum>, Again>, ExploreError> {
    let mut done = 0;
    // How much to keep: the most with which several walks in a row are short.
    let mut keep = 0.8;
    let mut short = 0;
    while short < 3 {
        match once(keep, WALK)? {
            Walk::Over(tally) => {
                done += BEGINNING + tally.events;
                short += 1;
            }
            Walk::Unfinished(tally) if keep > 1e-3 && done < work && !is_late(until) => {
                done += BEGINNING + tally.events;
                (keep, short) = (keep * 0.8, 0);
            }
            Walk::Again(again) => return Ok(Err(again)),
            _ => return Ok(Ok(None)),
        }
    }
    let mut sum = Sum::default();
    // Walks that end where the work does would be left out because they are long, and the others say too
    // little: so all are let end.
    while done < work || sum.all.samples < FEW {
        match once(keep, LONG_WALK.min(work / 2))? {
            Walk::Over(tally) => {
                sum.add_weight(tally.all, tally.blocked);
                done += BEGINNING + tally.events;
            }
            Walk::Unfinished(tally) if done < work && !is_late(until) => {
                (keep, sum) = (keep * 0.8, Sum::default());
                done += BEGINNING + tally.events;
            }
            Walk::Again(again) => return Ok(Err(again)),
            _ => break,
        }
        let is_enough = |mean: &Mean| mean.error() <= sampling.precision * mean.mean;
        let is_sure = sum.all.samples >= 3 * FEW && is_enough(&sum.complete) && is_enough(&sum.blocked);
        if is_sure || sum.all.samples >= sampling.most.max(FEW) {
            break;
        }
    }
    Ok(Ok((sum.all.samples >= FEW).then_some(sum)))
}

fn is_late(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

/// One sample: its number of alternatives, and how it ends; `None` if it came to nothing.
type Sample = Option<(f64, End)>;

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    errors: u64,
    work: u64,
    all: Mean,
    complete: Mean,
    blocked: Mean,
}

impl Sum {
    fn add(&mut self, sample: Sample) {
        let weight = sample.map_or(0.0, |(weight, _)| weight);
        let end = sample.map(|(_, end)| end);
        self.errors += (end == Some(End::Error)) as u64;
        self.add_weight(weight, if end == Some(End::Blocked) { weight } else { 0.0 });
    }

    fn add_weight(&mut self, weight: f64, blocked: f64) {
        self.all.add(weight);
        self.complete.add(weight - blocked);
        self.blocked.add(blocked);
    }

    /// `seen` executions are known to be there: a mean below that is not worth much.
    fn is_enough(&self, sampling: &Sampling, seen: f64) -> bool {
        let Mean { samples, mean, .. } = self.all;
        mean >= seen && (self.all.error() <= sampling.precision * mean || samples as f64 > mean)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    samples: u64,
    mean: f64,
    /// Of the squares of the distances from the mean (Welford 1962).
    squares: f64,
}

impl Mean {
    fn add(&mut self, weight: f64) {
        self.samples += 1;
        let distance = weight - self.mean;
        self.mean += distance / self.samples as f64;
        self.squares += distance * (weight - self.mean);
    }

    fn stddev(&self) -> f64 {
        if self.samples < 2 { 0.0 } else { (self.squares / (self.samples - 1) as f64).sqrt() }
    }

    /// Standard deviation of the mean.
    fn error(&self) -> f64 {
        self.stddev() / (self.samples.max(1) as f64).sqrt()
    }

    /// This, or what is not biased, if that is more, or rules this out. Both say too little more often than
    /// too much, since what is met seldom counts much; and the less they have met of that, the surer they
    /// seem.
    fn or(self, unbiased: Option<Mean>) -> Mean {
        match unbiased {
            Some(other) if other.mean > self.mean || other.contradicts(&self) => other,
            _ => self,
        }
    }

    /// Whether this, which is not biased and says less, rules out what the `other` says. It has to be sure.
    fn contradicts(&self, other: &Mean) -> bool {
        let near = other.mean - self.mean <= 2.0 * self.error() + 0.25 * self.mean;
        self.error() <= 0.6 * self.mean && !near
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
    /// How many alternatives were tried.
    tried: u64,
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
        while self.explorer.trouble.is_none()
            && self.explorer.graph.len() < self.explorer.config.max_events
            && let Some(t) = self.pick_thread(&patient)
        {
            if !self.explorer.extend(t)? {
                return Ok(None);
            }
            match self.explorer.frames.last() {
                Some(Frame::Plain { .. }) => {}
                Some(&Frame::Choice { e, count, .. }) => {
                    let ways: Vec<u32> = (0..count).filter(|&way| self.explorer.may_choose(e, way)).collect();
                    let value = ways[self.rng.below(ways.len())];
                    self.choices.push(Choices { event: e, alternatives: ways.len() as f64 });
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
        if Reducers::is_held_up(&mut self.explorer) {
            return Ok(None);
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
                Status::Gate if !can_go_on(threads, &self.explorer.graph, t) => {}
                Status::Gate if threads.confirms(t) => return Some(t),
                Status::Read | Status::Gate if !patient.contains(&t) => readers.push(t),
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
        self.explorer.trouble = None;
        self.tried += found.len() as u64;
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
            self.explorer.trouble = None;
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
            if !Reducers::is_useless(&mut self.explorer, r, value) {
                choices.alternatives += 1.0;
            }
        }
        Ok(())
    }
}

/// SplitMix64 (Steele14): small, and the same everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `0..n`, which is not empty.
    fn below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }
}
