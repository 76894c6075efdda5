//! Explorer against oracle, on one program under one model.
//!
//! The explorer must visit every execution that the oracle finds (complete), no other (sound), and
//! none twice (optimal), under both equivalences and whatever the schedule; both must agree on how
//! executions end and on the errors that the model reports.

use selvedge_explore::{Config, Equivalence, ExploreError, GaveUp, Schedule, explore_compiled};
use selvedge_kat::{Diagnostic, ast::Theory};
use selvedge_machine::Program;
use selvedge_model::Compiled;
use selvedge_model::relational::Causality;
use selvedge_oracle::{Canon, Detail, End, Judge, Limits, Unsupported, enumerate};
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A model as both sides have it.
pub struct Subject {
    judge: Judge,
    model: Compiled,
}

/// Why a model cannot be compared.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The explorer does not admit it.
    Explorer(Diagnostic),
    Oracle(Unsupported),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Explorer(d) => d.fmt(f),
            Refusal::Oracle(u) => u.fmt(f),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub equivalences: Vec<Equivalence>,
    pub schedules: Vec<Schedule>,
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            equivalences: vec![Equivalence::Co, Equivalence::Rf],
            schedules: vec![Schedule::LeftToRight, Schedule::WritesFirst],
            limits: Limits::default(),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// The explorer visited this many executions, over all its runs.
    Agree {
        executions: u64,
        /// Revisits by dependencies would have missed some, and said so.
        fallen_back: bool,
        /// Threads could not be explored in program order, and that was said.
        out_of_order: bool,
    },
    /// The oracle gave up.
    TooBig,
    /// The explorer says that a value may depend on itself, and that it does not explore such programs. What
    /// it visited before is right. `found`: the oracle does have such an execution; if not, the explorer,
    /// which does not look at values here, was too careful.
    ThinAir {
        found: bool,
    },
    Disagree(Box<Disagreement>),
}

/// What one run of the explorer got wrong.
#[derive(Clone, Debug)]
pub struct Disagreement {
    pub equivalence: Equivalence,
    pub schedule: Schedule,
    pub shortcuts: bool,
    /// The oracle's executions that were not visited.
    pub missing: Vec<Canon>,
    /// Visited, but not among the oracle's.
    pub extra: Vec<Canon>,
    pub twice: Vec<Canon>,
    /// How an execution ends: the oracle's word, then the explorer's.
    pub ends: Vec<(Canon, End, End)>,
    /// Errors that the model reports: the oracle's, then the explorer's.
    pub flags: Vec<(Canon, Vec<String>, Vec<String>)>,
    /// The exploration itself failed, or broke a promise.
    pub failure: Option<String>,
    /// It was that values come out of thin air.
    pub thin_air: bool,
    /// It said that it has to begin anew, in another way.
    pub again: bool,
    /// Consistent graphs that were entered and abandoned.
    pub in_vain: u64,
}

impl Subject {
    pub fn new(theory: &Theory) -> Result<Subject, Refusal> {
        let model = selvedge_decide::compile(theory).map_err(Refusal::Explorer)?;
        let judge = Judge::new(theory).map_err(Refusal::Oracle)?;
        Ok(Subject { judge, model })
    }

    /// The same model, explored with what is known of its causes.
    pub fn relying_on(mut self, known: Causality) -> Subject {
        if let Compiled::Matrices(model) = &mut self.model {
            model.set_causality(known);
        }
        self
    }

    pub fn compare(&self, program: &Program, options: &Options) -> Verdict {
        let program = &program.tracking(self.model.follows_dependencies(), self.model.has_arms());
        let fine = options.equivalences.contains(&Equivalence::Co);
        let detail = if fine { Detail::Co } else { Detail::Rf };
        let mut known = Known::new();
        let mut thin_air = false;
        let found = enumerate(program, &self.judge, detail, options.limits, &mut |x| {
            let fact = Fact { end: x.end(), flags: Some(x.flags), visits: 0 };
            known.insert(Canon::from_execution(x, fine), fact);
            thin_air = thin_air || x.depends_on_itself();
        });
        if found.is_err() {
            return Verdict::TooBig;
        }
        let (mut executions, mut fallen_back, mut out_of_order) = (0, false, false);
        // Dependencies are followed in one way only.
        if self.model.follows_dependencies() {
            let mut run = || {
                let mut facts = known.clone();
                let mut first = self.run(program, &Config::default(), &mut facts);
                if matches!(&first, Err(d) if d.again && d.is_otherwise_right()) {
                    out_of_order = true;
                }
                let in_order = Config { in_order: false, ..Config::default() };
                // Whatever the program, dependencies can be followed.
                let mut facts = known.clone();
                let second = self.run(program, &in_order, &mut facts);
                if out_of_order || first.is_ok() {
                    first = second;
                }
                match first {
                    Err(d) if d.again => {
                        // What it visited was right.
                        if !d.is_otherwise_right() {
                            return Err(d);
                        }
                        fallen_back = true;
                        self.run(program, &Config { follow: false, ..in_order }, &mut known)
                    }
                    other => other,
                }
            };
            return match fine.then(&mut run) {
                Some(Err(d)) if d.thin_air && d.is_otherwise_right() => Verdict::ThinAir { found: thin_air },
                Some(Err(disagreement)) => Verdict::Disagree(disagreement),
                Some(Ok(executions)) => Verdict::Agree { executions, fallen_back, out_of_order },
                None => Verdict::Agree { executions: 0, fallen_back, out_of_order },
            };
        }
        for &equivalence in &options.equivalences {
            let coarse = (fine && equivalence == Equivalence::Rf).then(|| up_to_rf(&known));
            // Shortcuts off, once: they must not make a difference.
            let plain = (equivalence == Equivalence::Co).then_some((Schedule::LeftToRight, false));
            let variants = options.schedules.iter().map(|&schedule| (schedule, true)).chain(plain);
            for (schedule, shortcuts) in variants {
                let mut facts = coarse.clone().unwrap_or_else(|| known.clone());
                let config = Config { equivalence, schedule, shortcuts, ..Config::default() };
                match self.run(program, &config, &mut facts) {
                    Ok(count) => executions += count,
                    Err(disagreement) => return Verdict::Disagree(disagreement),
                }
            }
        }
        Verdict::Agree { executions, fallen_back, out_of_order }
    }

    fn run(&self, program: &Program, config: &Config, facts: &mut Known) -> Result<u64, Box<Disagreement>> {
        let equivalence = config.equivalence;
        let mut d = Disagreement::none(config);
        let mut count = 0;
        // An explorer that visits the same executions for ever must come to an end.
        let enough = 4 * facts.len() as u64 + 64;
        let result = catch_unwind(AssertUnwindSafe(|| {
            explore_compiled(program, &self.model, config, &mut |x| {
                count += 1;
                let canon = Canon::from_graph(x.graph, equivalence == Equivalence::Co);
                let end = match x.end {
                    selvedge_explore::End::Complete => End::Complete,
                    selvedge_explore::End::Blocked => End::Blocked,
                    selvedge_explore::End::Cut => End::Cut,
                    selvedge_explore::End::Error => End::Error,
                };
                let errors = x.model_errors();
                let reported = errors.iter().map(|e| e.name.as_str());
                match facts.get_mut(&canon) {
                    None => d.extra.push(canon),
                    Some(fact) => {
                        fact.visits += 1;
                        if fact.visits > 1 {
                            d.twice.push(canon.clone());
                        }
                        if fact.end != end {
                            d.ends.push((canon.clone(), fact.end, end));
                        }
                        let bits = reported.clone().fold(0, |bits, name| bits | self.flag(name));
                        if end == End::Complete && fact.flags.is_some_and(|flags| flags != bits) {
                            let flags = self.flag_names(fact.flags.unwrap_or(0));
                            d.flags.push((canon, flags, reported.map(String::from).collect()));
                        }
                    }
                }
                if count > enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        }));
        d.thin_air = matches!(result, Ok(Err(ExploreError::ThinAir(_))));
        d.again = matches!(&result, Ok(Ok(stats)) if matches!(stats.gave_up, Some(GaveUp::Again(_))));
        d.in_vain = match &result {
            Ok(Ok(stats)) => stats.aborted,
            _ => 0,
        };
        d.failure = match result {
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                Some(format!("the explorer panicked: {text}"))
            }
            Ok(Err(error)) => Some(format!("the explorer failed: {error}")),
            // In program order, a read-modify-write may read what its write has no place after.
            Ok(Ok(stats)) if stats.aborted > 0 && !(config.in_order && self.model.follows_dependencies()) => {
                Some(format!("{} consistent graphs were entered and abandoned", stats.aborted))
            }
            Ok(Ok(_)) if d.again => Some("the explorer has to begin anew".to_string()),
            Ok(Ok(_)) => None,
        };
        d.missing =
            facts.iter().filter(|(_, fact)| fact.visits == 0).map(|(canon, _)| canon.clone()).collect();
        d.missing.sort();
        if d.is_none() { Ok(count) } else { Err(Box::new(d)) }
    }

    /// The bit of an error's name; unknown ones have all, which no execution has.
    fn flag(&self, name: &str) -> u32 {
        self.judge.flag_names().position(|(own, _)| own == name).map_or(u32::MAX, |at| 1 << at)
    }

    fn flag_names(&self, flags: u32) -> Vec<String> {
        let all = self.judge.flag_names().enumerate();
        all.filter(|(at, _)| flags >> at & 1 == 1).map(|(_, (name, _))| name.to_string()).collect()
    }
}

type Known = HashMap<Canon, Fact>;

/// What the oracle says of an execution, and how often the explorer came by.
#[derive(Clone, Copy, Debug)]
struct Fact {
    end: End,
    /// `None` where the executions of an `rf` class do not agree.
    flags: Option<u32>,
    visits: u32,
}

fn up_to_rf(known: &Known) -> Known {
    let mut coarse = Known::new();
    for (canon, fact) in known {
        let merged = coarse.entry(canon.without_co()).or_insert(*fact);
        if merged.flags != fact.flags {
            merged.flags = None;
        }
    }
    coarse
}

impl Disagreement {
    fn none(config: &Config) -> Disagreement {
        Disagreement {
            equivalence: config.equivalence,
            schedule: config.schedule,
            shortcuts: config.shortcuts,
            missing: Vec::new(),
            extra: Vec::new(),
            twice: Vec::new(),
            ends: Vec::new(),
            flags: Vec::new(),
            failure: None,
            thin_air: false,
            again: false,
            in_vain: 0,
        }
    }

    fn is_none(&self) -> bool {
        self.failure.is_none() && self.missing.is_empty() && self.is_otherwise_right()
    }

    /// Whether every execution was visited once, and nothing but these; only, it took longer than it should.
    pub fn is_in_vain_only(&self) -> bool {
        self.in_vain > 0
            && !self.again
            && !self.thin_air
            && self.missing.is_empty()
            && self.is_otherwise_right()
    }

    /// Whether what was visited was right.
    fn is_otherwise_right(&self) -> bool {
        [&self.extra, &self.twice].iter().all(|list| list.is_empty())
            && self.ends.is_empty()
            && self.flags.is_empty()
    }
}

/// How many executions of each kind a report shows.
const SHOWN: usize = 3;

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shortcuts = if self.shortcuts { "with" } else { "without" };
        writeln!(f, "with {:?}, {:?}, {shortcuts} shortcuts:", self.equivalence, self.schedule)?;
        if let Some(failure) = &self.failure {
            writeln!(f, "{failure}")?;
        }
        let lists = [("missing", &self.missing), ("extra", &self.extra), ("visited again", &self.twice)];
        for (what, list) in lists {
            if !list.is_empty() {
                writeln!(f, "{} {what}:", list.len())?;
                for canon in list.iter().take(SHOWN) {
                    writeln!(f, "{canon}")?;
                }
            }
        }
        for (canon, oracle, explorer) in self.ends.iter().take(SHOWN) {
            writeln!(f, "ends as {oracle:?}, the explorer says {explorer:?}:\n{canon}")?;
        }
        for (canon, oracle, explorer) in self.flags.iter().take(SHOWN) {
            writeln!(f, "has the errors {oracle:?}, the explorer says {explorer:?}:\n{canon}")?;
        }
        Ok(())
    }
}
