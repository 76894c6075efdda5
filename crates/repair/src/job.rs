//! A whole repair: from a program and what is asked for to changes of its text, each with its reason.

use crate::candidate::{Access, Candidate, Change, Chosen, Dialect, Effect, Site, TextPlace, changes};
use crate::cost::{Costs, strength};
use crate::judge::Judge;
use crate::language::Language;
use crate::litmus::LitmusSubject;
use crate::premise::doubt;
use crate::program::{Program, Start};
use crate::request::{Request, as_given};
use crate::rewrite::{Edits, apply, assembly_edits, c_edits, one_fence, orders};
use crate::search::{Answer, Effort, End, Repair, Search, Subject};
use crate::text::Calls;
use selvedge_check::{Check, InputError, InputKind, Observer, Stopped, Violation, Witness};
use selvedge_explore::Watch;
use selvedge_graph::Mode;
use selvedge_kat::{Axiom, Constraint, Inclusion, Rel, Theory};
use selvedge_litmus::Test;
use selvedge_machine::ErrorKind;
use selvedge_model::Compiled;
use std::collections::{BTreeMap, HashMap};

/// What it came to.
#[derive(Clone, Debug)]
pub struct Job {
    pub verdict: JobVerdict,
    pub model: String,
    /// Why what was found may not be the cheapest.
    pub doubt: Option<String>,
    pub effort: Effort,
    /// What all orderings and fences of the program cost as it was given.
    pub before: u64,
    /// How many things could have been changed.
    pub candidates: usize,
    pub sites: Vec<Site>,
    /// The cheapest first.
    pub proposals: Vec<Proposal>,
    /// What is wrong with the program as it is, or with everything in place.
    pub wrong: Option<String>,
    /// The same, with its execution, where the program is in C.
    pub violation: Option<Box<Violation>>,
    /// The execution of it.
    pub witness: Option<Box<Witness>>,
    /// What is not for this to change, but would help.
    pub suggestion: Option<String>,
    /// It is wrong under sequential consistency, too.
    pub wrong_under_sc: Option<bool>,
    pub stopped: Option<String>,
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobVerdict {
    /// There are proposals.
    Found,
    /// There is nothing to repair.
    Right { bounded: bool },
    /// Nothing helps.
    Hopeless,
    /// What is to be relaxed is wrong as it is.
    WrongAsGiven,
    /// It did not come to its end.
    Stopped,
}

/// A set of changes.
#[derive(Clone, Debug)]
pub struct Proposal {
    pub cost: u64,
    /// What all orderings and fences of the program cost with it.
    pub after: u64,
    /// There is none that costs less, as far as that is known at all.
    pub cheapest: bool,
    pub bounded: bool,
    pub items: Vec<Item>,
    /// What becomes of each site.
    pub changes: Vec<Change>,
    pub edits: Edits,
    /// The texts that change: name, old, new.
    pub texts: Vec<(String, String, String)>,
    pub verified: Verified,
}

impl Proposal {
    /// The edits of one site alone, in a text.
    pub fn edits_of(
        &self,
        job: &Job,
        text: &str,
        alone: &[Change],
        site: usize,
    ) -> Vec<crate::rewrite::Edit> {
        let Some(found) = job.sites.get(site) else { return Vec::new() };
        if found.place.file.ends_with(".litmus") && !text.trim_start().starts_with("C ") {
            return self.edits.by_file.get(&found.place.file).cloned().unwrap_or_default();
        }
        let language = Language::of(&found.place.file).unwrap_or_default();
        let calls = Calls::of(text.to_string(), language);
        let texts: Texts = BTreeMap::from([(found.place.file.clone(), calls)]);
        // Of sites that are relaxed, only this one is told.
        let sites: Vec<Site> = job
            .sites
            .iter()
            .enumerate()
            .map(|(at, s)| Site { kept: s.kept || at != site, ..s.clone() })
            .collect();
        let dialect = if language == Language::CSharp { Dialect::DotNet } else { Dialect::C };
        let edits = c_edits(&sites, alone, &texts, dialect, true);
        edits.by_file.into_values().next().unwrap_or_default()
    }
}

/// How it is known that the program is right with a proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verified {
    /// The changed text was compiled and checked.
    Text,
    /// The changed bytecode was checked; not the text, for this reason.
    Bytecode(String),
    /// The changed text is not right: the text that was made is not what was meant.
    Not(String),
}

/// One change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub site: usize,
    pub place: TextPlace,
    pub function: String,
    pub is_fence: bool,
    pub from: String,
    pub to: String,
    pub cost: u64,
    /// What happens without it.
    pub because: Option<String>,
    /// Nobody but a person can make it.
    pub by_hand: bool,
}

/// Texts of sources by name.
pub type Texts = BTreeMap<String, Calls>;

/// What a search needs besides its subject.
struct Setting<'a> {
    theory: &'a Theory,
    compiled: &'a Compiled,
    sites: Vec<Site>,
    keys: HashMap<selvedge_check::Site, usize>,
    dialect: Dialect,
    judge: Option<Judge>,
    watch: &'a Watch,
}

/// What a search came to.
struct Solved<W> {
    job: Job,
    repairs: Vec<Repair>,
    /// The candidates.
    all: Vec<Candidate>,
    /// What nothing prevents.
    shown: Option<W>,
}

/// Searches, and gives each change of what was found its reason.
fn solve<S: Subject>(
    subject: &mut S,
    setting: Setting<'_>,
    request: &Request,
    message: &dyn Fn(&S::Wrong) -> String,
    progress: &mut dyn FnMut(&Effort),
) -> Result<Solved<S::Wrong>, InputError> {
    let Setting { theory, compiled, sites, keys, dialect, judge, watch } = setting;
    request.refuse_missing(&sites)?;
    let all = request.candidates(&sites, dialect);
    let mut job = Job {
        verdict: JobVerdict::Hopeless,
        model: theory.name.clone(),
        doubt: doubt(theory, compiled, &sites, &all),
        effort: Effort::default(),
        before: before(&sites, &request.costs),
        candidates: all.len(),
        sites: Vec::new(),
        proposals: Vec::new(),
        wrong: None,
        violation: None,
        witness: None,
        suggestion: None,
        wrong_under_sc: None,
        stopped: None,
    };
    let mut known = None;
    if request.start == Start::Weakest {
        let chosen = as_given(&sites, &all);
        job.effort.checks += 1;
        match subject.check(&changes(sites.len(), &all, &chosen))? {
            Answer::Right { bounded } => known = Some(Repair { cost: chosen.cost(&all), chosen, bounded }),
            Answer::Wrong(wrong) => {
                job.verdict = JobVerdict::WrongAsGiven;
                let first = wrong.into_iter().next().map(|(wrong, _)| wrong);
                job.wrong = first.as_ref().map(message);
                job.sites = sites;
                return Ok(Solved { job, repairs: Vec::new(), all, shown: first });
            }
            Answer::Unknown(why) => {
                job.verdict = JobVerdict::Stopped;
                job.stopped = Some(why);
                job.sites = sites;
                return Ok(Solved { job, repairs: Vec::new(), all, shown: None });
            }
        }
    }
    let effort = job.effort;
    let mut search = Search {
        subject,
        sites: &sites,
        by_key: &keys,
        candidates: &all,
        judge,
        watch,
        known,
        progress,
        effort,
    };
    let end = search.run(request.wanted)?;
    job.effort = search.effort;
    let mut shown = None;
    let repairs = match end {
        End::Repaired(found) => {
            job.verdict = JobVerdict::Found;
            found
        }
        End::Right { bounded } if request.start == Start::Given => {
            job.verdict = JobVerdict::Right { bounded };
            Vec::new()
        }
        End::Right { bounded } => {
            job.verdict = JobVerdict::Found;
            vec![Repair { chosen: Chosen::none(all.len()), cost: 0, bounded }]
        }
        End::Hopeless(wrong) => {
            job.wrong = Some(message(&wrong));
            shown = Some(wrong);
            Vec::new()
        }
        End::Stopped { why, best, found } => {
            job.verdict = JobVerdict::Stopped;
            job.stopped = Some(why);
            if found.is_empty() { best.into_iter().collect() } else { found }
        }
    };
    for repair in &repairs {
        let cheapest = job.verdict == JobVerdict::Found && job.doubt.is_none();
        let first = job.proposals.is_empty();
        let reasons = if first && job.verdict == JobVerdict::Found {
            reasons(subject, &sites, &all, repair, watch, message, &mut job.effort)?
        } else {
            HashMap::new()
        };
        let items = items(&sites, &all, repair, dialect, &reasons, request.start);
        let made = changes(sites.len(), &all, &repair.chosen);
        job.proposals.push(Proposal {
            cost: repair.cost,
            after: after(&sites, &made, &request.costs),
            cheapest: cheapest && first,
            bounded: repair.bounded,
            items,
            changes: made,
            edits: Edits::default(),
            texts: Vec::new(),
            verified: Verified::Bytecode(String::from("the text was not looked at")),
        });
    }
    job.sites = sites;
    Ok(Solved { job, repairs, all, shown })
}

fn before(sites: &[Site], costs: &Costs) -> u64 {
    let cost = |site: &Site| {
        let (mode, failure) = site.given.unwrap_or((site.mode, site.failure));
        let fences: &[Mode] = if site.access == Access::Fence { &[mode] } else { &[] };
        costs.of_site(site, (mode, failure), fences)
    };
    sites.iter().map(cost).sum()
}

fn after(sites: &[Site], changes: &[Change], costs: &Costs) -> u64 {
    let cost = |(site, change): (&Site, &Change)| {
        let mut fences: Vec<Mode> = change.before.iter().chain(&change.after).copied().collect();
        if site.access == Access::Fence && site.given.is_none() {
            fences.push(site.mode);
        }
        costs.of_site(site, orders(site, change), &fences)
    };
    sites.iter().zip(changes).map(cost).sum()
}

/// For each candidate that was chosen: what happens without it.
fn reasons<S: Subject>(
    subject: &mut S,
    sites: &[Site],
    all: &[Candidate],
    repair: &Repair,
    watch: &Watch,
    message: &dyn Fn(&S::Wrong) -> String,
    effort: &mut Effort,
) -> Result<HashMap<usize, String>, InputError> {
    let mut reasons = HashMap::new();
    for number in repair.chosen.iter() {
        if watch.reason().is_some() {
            break;
        }
        effort.checks += 1;
        if let Answer::Wrong(wrong) =
            subject.check(&changes(sites.len(), all, &repair.chosen.without(number)))?
            && let Some((wrong, _)) = wrong.first()
        {
            reasons.insert(number, message(wrong));
        }
    }
    Ok(reasons)
}

fn items(
    sites: &[Site],
    all: &[Candidate],
    repair: &Repair,
    dialect: Dialect,
    reasons: &HashMap<usize, String>,
    start: Start,
) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    if start == Start::Weakest {
        let changes = changes(sites.len(), all, &repair.chosen);
        for (number, (site, change)) in sites.iter().zip(&changes).enumerate() {
            let Some((given, failure)) = site.given else { continue };
            let because =
                repair.chosen.iter().filter(|c| all[*c].site == number).find_map(|c| reasons.get(&c));
            let is_fence = site.access == Access::Fence;
            let (from, to) = if is_fence {
                let to = one_fence(&change.after).map_or(String::from("none"), |m| name(m, None));
                (name(given, None), to)
            } else {
                let (order, new) = orders(site, change);
                (name(given, failure), name(order, new))
            };
            // Nothing can be taken from what orders nothing.
            if from == to && strength(given) == 0 && failure.is_none_or(|mode| strength(mode) == 0) {
                continue;
            }
            let cost = repair.chosen.iter().filter(|c| all[*c].site == number).map(|c| all[c].cost).sum();
            items.push(Item {
                site: number,
                place: site.place.clone(),
                function: site.function.clone(),
                is_fence,
                from,
                to,
                cost,
                because: because.cloned(),
                by_hand: false,
            });
        }
        return items;
    }
    for number in repair.chosen.iter() {
        let candidate = &all[number];
        let site = &sites[candidate.site];
        let (is_fence, from, to) = match candidate.effect {
            Effect::Before(m) => (true, String::from("before"), dialect.fence_in(&site.place.file, m)),
            Effect::After(m) => (true, String::from("after"), dialect.fence_in(&site.place.file, m)),
            Effect::Order(m) => {
                let new = crate::strength::join(site.mode, m);
                (false, dialect.order_name(site.mode), dialect.order_name(new))
            }
            Effect::Failure(m) => {
                let old = site.failure.unwrap_or(Mode::Rlx);
                let new = crate::strength::join(old, m);
                (false, format!("{} on failure", old.c_name()), format!("{} on failure", new.c_name()))
            }
        };
        items.push(Item {
            site: candidate.site,
            place: site.place.clone(),
            function: site.function.clone(),
            is_fence,
            from,
            to,
            cost: candidate.cost,
            because: reasons.get(&number).cloned(),
            by_hand: false,
        });
    }
    items.sort_by(|a, b| a.place.cmp(&b.place));
    items
}

/// `acq_rel`, or `acq_rel, relaxed on failure`.
pub fn name(mode: Mode, failure: Option<Mode>) -> String {
    match failure {
        Some(failure) => format!("{}/{}", mode.c_name(), failure.c_name()),
        None => mode.c_name().to_string(),
    }
}

fn input(stopped: Stopped) -> InputError {
    match stopped {
        Stopped::Error(error) => error,
        Stopped::GaveUp(why, phase) => {
            InputError::plain(InputKind::Interrupted, format!("{why} while {}", phase.name()), None)
        }
    }
}

/// Whether a race of plain accesses is an error. Where it is none, plain accesses are as good as others.
fn races_are_errors(check: &Check, compiled: &Compiled) -> bool {
    let is_error = |axiom: &Axiom| match &axiom.constraint {
        // What is never there is no error.
        Constraint::Error { warning: false, unless, .. } => {
            !matches!(unless, Inclusion::Subset(Rel::Empty, _))
        }
        _ => false,
    };
    let by_c = matches!(compiled, Compiled::Clocks(model) if !model.defines_errors());
    check.options.races && (by_c || check.theory.axioms.iter().any(|axiom| !axiom.extra && is_error(axiom)))
}

/// Repairs or relaxes a program. The text is changed in memory only.
pub fn repair_program(
    check: &Check,
    request: &Request,
    watch: &Watch,
    observer: &mut dyn Observer,
    progress: &mut dyn FnMut(&Effort),
) -> Result<Job, InputError> {
    let compiled = selvedge_check::compile(&check.theory).map_err(InputError::of_model)?;
    let (plain, dialect) = (!races_are_errors(check, &compiled), request.dialect);
    let fences_stay = request.start == Start::Weakest && orders_by_any_fence(&compiled, watch)?;
    let keep = |site: &Site| request.keeps(site) || fences_stay && site.access == Access::Fence;
    let mut program = Program::new(check, request.start, (plain, dialect), &keep, observer).map_err(input)?;
    observer.phase(selvedge_check::Phase::Exploring);
    let setting = Setting {
        theory: &check.theory,
        compiled: &compiled,
        sites: program.sites().to_vec(),
        keys: program.keys(),
        dialect,
        judge: program.judge(&compiled),
        watch,
    };
    let message = |violation: &Violation| match &violation.place {
        Some(place) => format!("{}: {} ({})", violation.name, violation.message(), place.short()),
        None => format!("{}: {}", violation.name, violation.message()),
    };
    let Solved { mut job, repairs, all, shown } = solve(&mut program, setting, request, &message, progress)?;
    job.suggestion = shown
        .as_ref()
        .filter(|wrong| wrong.kind == ErrorKind::DataRace)
        .map(|_| String::from("make what is accessed atomic: that changes its type, and is not done here"));
    job.witness = shown.as_ref().map(|wrong| Box::new(wrong.witness.clone()));
    job.violation = shown.map(Box::new);
    if job.verdict == JobVerdict::Hopeless && watch.reason().is_none() {
        job.wrong_under_sc = program.is_wrong_under_sc();
    }
    let texts = program.texts();
    for (proposal, repair) in job.proposals.iter_mut().zip(&repairs) {
        let changes = changes(job.sites.len(), &all, &repair.chosen);
        proposal.edits = c_edits(&job.sites, &changes, &texts, dialect, true);
        finish(proposal, &texts);
        proposal.verified = match (proposal.edits.by_hand.is_empty(), watch.reason()) {
            (false, _) => Verified::Bytecode(String::from("some changes have to be made by hand")),
            (_, Some(why)) => Verified::Bytecode(why.to_string()),
            (true, None) => program.verify_text(&proposal.texts)?,
        };
    }
    Ok(job)
}

/// The texts that edits make.
fn finish(proposal: &mut Proposal, texts: &Texts) {
    let by_hand = &proposal.edits.by_hand;
    proposal.items.iter_mut().for_each(|item| item.by_hand = by_hand.contains(&item.site));
    for (file, edits) in &proposal.edits.by_file {
        if let Some(calls) = texts.get(file) {
            proposal.texts.push((file.clone(), calls.text.clone(), apply(&calls.text, edits)));
        }
    }
    proposal.texts.retain(|(_, old, new)| old != new);
}

/// Repairs or relaxes a litmus test.
pub fn repair_litmus(
    test: &Test,
    file: &str,
    text: &str,
    theory: &Theory,
    request: &Request,
    watch: &Watch,
    progress: &mut dyn FnMut(&Effort),
) -> Result<Job, InputError> {
    let compiled = selvedge_check::compile(theory).map_err(InputError::of_model)?;
    let mut subject = LitmusSubject::new(test, file, text, &compiled, watch.clone());
    subject.keep(&|site| request.keeps(site));
    if request.start == Start::Weakest {
        let fences = !orders_by_any_fence(&compiled, watch)?;
        subject.weaken(fences);
    }
    let dialect = subject.dialect();
    let setting = Setting {
        theory,
        compiled: &compiled,
        sites: subject.sites().to_vec(),
        keys: subject.keys(),
        dialect,
        judge: Judge::new(theory, None).ok(),
        watch,
    };
    let places = subject.places();
    let message = |wrong: &crate::litmus::LitmusWrong| wrong.message.clone();
    let Solved { mut job, repairs, all, shown } = solve(&mut subject, setting, request, &message, progress)?;
    job.witness = shown.and_then(|wrong| wrong.witness).map(Box::new);
    let texts: Texts = BTreeMap::from([(file.to_string(), Calls::new(text.to_string()))]);
    for (proposal, repair) in job.proposals.iter_mut().zip(&repairs) {
        let changes = changes(job.sites.len(), &all, &repair.chosen);
        proposal.edits = match dialect {
            Dialect::C | Dialect::Kernel => c_edits(&job.sites, &changes, &texts, dialect, false),
            _ => assembly_edits(text, &job.sites, &changes, &places, dialect),
        };
        finish(proposal, &texts);
        proposal.verified = match proposal.edits.by_hand.is_empty() {
            false => Verified::Bytecode(String::from("some changes have to be made by hand")),
            true => verify_test(file, &proposal.texts, &compiled, watch)?,
        };
    }
    if job.verdict == JobVerdict::Hopeless {
        let sc = selvedge_kat::load_named("sc").map_err(InputError::of_model)?;
        let sc = selvedge_check::compile(&sc).map_err(InputError::of_model)?;
        let subject = LitmusSubject::new(test, file, text, &sc, watch.clone());
        let outcome = subject.run(&vec![Change::default(); subject.sites().len()], 0, false)?;
        job.wrong_under_sc = subject.verdict(&outcome).ok().map(|wrong| wrong.is_some());
    }
    Ok(job)
}

/// Whether a model takes any fence for one that orders something, also what stands for a fence that was taken
/// out: then no test behaves as if there were none. Found out by small tests, with it and without.
fn orders_by_any_fence(compiled: &Compiled, watch: &Watch) -> Result<bool, InputError> {
    for shape in crate::shapes::SHAPES {
        let read = |file: &str, text: &str| {
            selvedge_litmus::parse(file, text, &selvedge_litmus::Options::default())
                .map_err(|d| InputError::new(InputKind::Litmus, d))
        };
        let test = read("shape", shape)?;
        let subject = LitmusSubject::new(&test, "shape", shape, compiled, watch.clone());
        let none = vec![Change::default(); subject.sites().len()];
        let fences = vec![Change { after: vec![crate::program::NOTHING], ..Change::default() }; none.len()];
        let executions = |changes: &[Change]| -> Result<u64, InputError> {
            Ok(subject.run(changes, 0, false)?.histogram.positive())
        };
        if executions(&none)? != executions(&fences)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads the changed test and runs it.
fn verify_test(
    file: &str,
    texts: &[(String, String, String)],
    compiled: &Compiled,
    watch: &Watch,
) -> Result<Verified, InputError> {
    let Some((_, _, new)) = texts.first() else {
        return Ok(Verified::Bytecode(String::from("nothing changes in the text")));
    };
    let test = match selvedge_litmus::parse(file, new, &selvedge_litmus::Options::default()) {
        Ok(test) => test,
        Err(error) => {
            return Ok(Verified::Not(format!("the changed test cannot be read: {}", error.message)));
        }
    };
    let subject = LitmusSubject::new(&test, file, new, compiled, watch.clone());
    let outcome = subject.run(&vec![Change::default(); subject.sites().len()], 0, false)?;
    Ok(match subject.verdict(&outcome) {
        Ok(None) => Verified::Text,
        Ok(Some(wrong)) => Verified::Not(wrong),
        Err(why) => Verified::Bytecode(why),
    })
}
