//! Many comparisons: generated programs under shipped and generated models, on several cores.

use crate::compare::{Disagreement, Options, Refusal, Subject, Verdict};
use selvedge_kat::ast::Theory;
use selvedge_kat::{Diagnostic, Dialect, load_named, parse};
use selvedge_litmus::print_program;
use selvedge_machine::Program;
use selvedge_oracle::generate::{arch_program, program, rng_for};
use selvedge_oracle::generate_arch::Arch;
use selvedge_oracle::generate_model::model;
use selvedge_oracle::shrink::{shrink_model, shrink_program};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The models that come with Selvedge and that the explorer admits.
pub const SHIPPED: [&str; 6] = ["sc", "tso", "pso", "ra", "rc11", "rlx"];

/// Programs per generated model.
const PER_MODEL: u64 = 16;

/// What random models are called in summaries.
const RANDOM: &str = "random";

/// The models to compare under.
pub struct Models {
    named: Vec<(String, Subject)>,
    random: bool,
}

impl Models {
    pub fn named(names: &[&str]) -> Result<Models, String> {
        let load = |name: &&str| {
            let theory = load_named(name).map_err(|d| d.to_string())?;
            Ok((name.to_string(), Subject::new(&theory).map_err(|r| r.to_string())?))
        };
        let named = names.iter().map(load).collect::<Result<_, String>>()?;
        Ok(Models { named, random: false })
    }

    pub fn random() -> Models {
        Models { named: Vec::new(), random: true }
    }

    pub fn all() -> Result<Models, String> {
        Ok(Models { random: true, ..Models::named(&SHIPPED)? })
    }
}

/// How much to compare.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The number of the first program.
    pub from: u64,
    pub programs: u64,
    pub seed: u64,
    pub jobs: usize,
    pub time: Option<Duration>,
    pub options: Options,
    /// Programs in the instructions of this architecture; else, of the one that the model is of.
    pub arch: Option<Arch>,
}

#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub programs: u64,
    pub compared: u64,
    pub executions: u64,
    pub elapsed: Duration,
}

/// What came out for one model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub compared: u64,
    pub executions: u64,
    pub too_big: u64,
    /// Programs that the explorer refused because of values out of thin air, and those of them in which
    /// the oracle finds none.
    pub thin_air: u64,
    pub needless: u64,
    /// Programs for which revisits by dependencies were given up.
    pub fallen_back: u64,
    /// Programs that could not be explored in program order.
    pub out_of_order: u64,
    /// Generated models that the explorer did not admit, or the oracle could not evaluate.
    pub refused: u64,
    pub time: Duration,
}

/// A disagreement, made small.
pub struct Failure {
    pub model: String,
    /// For generated models.
    pub text: Option<String>,
    pub seed: u64,
    pub number: u64,
    pub program: Program,
    pub disagreement: Box<Disagreement>,
}

#[derive(Default)]
pub struct Outcome {
    pub scores: BTreeMap<String, Score>,
    pub failures: Vec<Failure>,
}

struct Shared<'a> {
    models: &'a Models,
    campaign: &'a Campaign,
    start: Instant,
    next: AtomicU64,
    programs: AtomicU64,
    compared: AtomicU64,
    executions: AtomicU64,
    stop: AtomicBool,
    running: AtomicU64,
    outcome: Mutex<Outcome>,
}

/// Runs a campaign to its end, its time or its first failure. `show` is called every few seconds.
pub fn run(models: &Models, campaign: &Campaign, show: &mut dyn FnMut(&Progress)) -> Outcome {
    let shared = Shared {
        models,
        campaign,
        start: Instant::now(),
        next: AtomicU64::new(campaign.from / PER_MODEL * PER_MODEL),
        programs: AtomicU64::new(0),
        compared: AtomicU64::new(0),
        executions: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        running: AtomicU64::new(campaign.jobs as u64),
        outcome: Mutex::new(Outcome::default()),
    };
    std::thread::scope(|scope| {
        for _ in 0..campaign.jobs {
            scope.spawn(|| {
                shared.work();
                shared.running.fetch_sub(1, Ordering::Relaxed);
            });
        }
        let mut shown = Instant::now();
        while shared.running.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(Duration::from_millis(20));
            if shown.elapsed() > Duration::from_secs(5) {
                shown = Instant::now();
                show(&shared.progress());
            }
        }
        show(&shared.progress());
    });
    shared.outcome.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The text with this number, for one seed.
fn random_model(seed: u64, number: u64) -> String {
    model(&mut rng_for(!seed, number))
}

fn read(text: &str) -> Result<Theory, Diagnostic> {
    parse(RANDOM, text, Dialect::Kat, &|_| Err(String::from("no includes")))
}

fn subject(text: &str) -> Result<Subject, Refusal> {
    let theory = read(text).map_err(Refusal::Explorer)?;
    Subject::new(&theory)
}

impl Shared<'_> {
    fn progress(&self) -> Progress {
        Progress {
            programs: self.programs.load(Ordering::Relaxed),
            compared: self.compared.load(Ordering::Relaxed),
            executions: self.executions.load(Ordering::Relaxed),
            elapsed: self.start.elapsed(),
        }
    }

    fn over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.campaign.time.is_some_and(|t| self.start.elapsed() >= t)
    }

    fn work(&self) {
        let mut scores: BTreeMap<String, Score> = BTreeMap::new();
        let Campaign { from, seed, .. } = *self.campaign;
        let end = from + self.campaign.programs;
        loop {
            let first = self.next.fetch_add(PER_MODEL, Ordering::Relaxed);
            if first >= end || self.over() {
                break;
            }
            let text = random_model(seed, first / PER_MODEL);
            let random = self.models.random.then(|| subject(&text));
            if let Some(Err(_)) = random {
                scores.entry(RANDOM.into()).or_default().refused += 1;
            }
            for number in first.max(from)..(first + PER_MODEL).min(end) {
                let generated = |arch: Option<Arch>| match arch {
                    Some(arch) => arch_program(&mut rng_for(seed, number), arch),
                    None => program(&mut rng_for(seed, number)),
                };
                for (name, subject) in &self.models.named {
                    let p = generated(self.campaign.arch.or(Arch::of_model(name)));
                    let score = scores.entry(name.clone()).or_default();
                    self.compare(name, None, subject, number, &p, score);
                }
                if let Some(Ok(subject)) = &random {
                    let p = generated(self.campaign.arch);
                    let score = scores.entry(RANDOM.into()).or_default();
                    self.compare(RANDOM, Some(&text), subject, number, &p, score);
                }
                self.programs.fetch_add(1, Ordering::Relaxed);
                if self.over() {
                    break;
                }
            }
        }
        let mut outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (name, score) in scores {
            outcome.scores.entry(name).or_default().add(&score);
        }
    }

    fn compare(
        &self,
        name: &str,
        text: Option<&str>,
        subject: &Subject,
        number: u64,
        program: &Program,
        score: &mut Score,
    ) {
        let start = Instant::now();
        let verdict = subject.compare(program, &self.campaign.options);
        score.time += start.elapsed();
        match verdict {
            Verdict::Agree { executions, fallen_back, out_of_order } => {
                score.out_of_order += u64::from(out_of_order);
                score.compared += 1;
                score.fallen_back += u64::from(fallen_back);
                score.executions += executions;
                self.compared.fetch_add(1, Ordering::Relaxed);
                self.executions.fetch_add(executions, Ordering::Relaxed);
            }
            Verdict::TooBig => score.too_big += 1,
            Verdict::ThinAir { found } => {
                score.thin_air += 1;
                score.needless += u64::from(!found);
            }
            Verdict::Disagree(first) => {
                score.compared += 1;
                self.stop.store(true, Ordering::Relaxed);
                let failure = self.minimise(name, text, subject, number, program, first);
                let mut outcome = self.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                outcome.failures.push(failure);
            }
        }
    }

    fn minimise(
        &self,
        name: &str,
        text: Option<&str>,
        original: &Subject,
        number: u64,
        program: &Program,
        first: Box<Disagreement>,
    ) -> Failure {
        let options = &self.campaign.options;
        let fails = |s: &Subject, p: &Program| matches!(s.compare(p, options), Verdict::Disagree(_));
        let mut small = shrink_program(program, &mut |p| fails(original, p));
        let mut disagreement = first;
        let mut last = text.map(String::from);
        if let Some(text) = text {
            let is_safe = |t: &str| t.contains("export acyclic ( po | tc | tj | rf )");
            let text = shrink_model(text, &mut |t| is_safe(t) && subject(t).is_ok_and(|s| fails(&s, &small)));
            if let Ok(s) = subject(&text) {
                small = shrink_program(&small, &mut |p| fails(&s, p));
                if let Verdict::Disagree(d) = s.compare(&small, options) {
                    disagreement = d;
                }
                last = Some(text);
            }
        } else if let Verdict::Disagree(d) = original.compare(&small, options) {
            disagreement = d;
        }
        let seed = self.campaign.seed;
        Failure { model: name.to_string(), text: last, seed, number, program: small, disagreement }
    }
}

impl Score {
    fn add(&mut self, other: &Score) {
        self.compared += other.compared;
        self.executions += other.executions;
        self.too_big += other.too_big;
        self.thin_air += other.thin_air;
        self.needless += other.needless;
        self.fallen_back += other.fallen_back;
        self.out_of_order += other.out_of_order;
        self.refused += other.refused;
        self.time += other.time;
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "model {}, program {} of seed {}, made small:", self.model, self.number, self.seed)?;
        if let Some(text) = &self.text {
            writeln!(f, "{text}")?;
        }
        writeln!(f, "{}", print_program(&self.program, "exists (true)"))?;
        write!(f, "{}", self.disagreement)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "model      compared   executions   programs/s   too big   thin air (needlessly)   models refused   fallen back   out of order"
        )?;
        for (name, s) in &self.scores {
            let rate = s.compared as f64 / s.time.as_secs_f64().max(1e-9);
            let (compared, executions) = (s.compared, s.executions);
            writeln!(
                f,
                "{name:8} {compared:>10} {executions:>12} {rate:>12.0} {:>9} {:>10} {:>13} {:>9} {:>12} {:>14}",
                s.too_big, s.thin_air, s.needless, s.refused, s.fallen_back, s.out_of_order
            )?;
        }
        for failure in &self.failures {
            writeln!(f, "\n{failure}")?;
        }
        Ok(())
    }
}
