//! Litmus tests: what the condition asks about is what is to be prevented.

use crate::candidate::{Access, Change, Dialect, Site, TextPlace};
use crate::program::NOTHING;
use crate::search::{Answer, Subject};
use crate::strength::join;
use crate::text::Calls;
use selvedge_check::{
    InputError, LitmusOptions, LitmusOutcome, Recorded, Site as Key, Witness, check_litmus,
};
use selvedge_explore::Watch;
use selvedge_graph::{Kind, Mode};
use selvedge_litmus::{Quantifier, Test};
use selvedge_machine::program::Instr;
use selvedge_model::Compiled;
use std::borrow::Cow;
use std::collections::HashMap;

/// Executions of one check that are learned from.
const MOST_EXECUTIONS: usize = 16;

/// A litmus test that can be changed.
pub struct LitmusSubject<'t> {
    test: Cow<'t, Test>,
    model: &'t Compiled,
    watch: Watch,
    sites: Vec<Site>,
    /// Where each of them is in the text.
    places: Vec<usize>,
    /// By thread and instruction.
    at: HashMap<(usize, usize), usize>,
}

/// What is wrong: a condition that is to be unreachable, or an error.
#[derive(Clone, Debug)]
pub struct LitmusWrong {
    pub message: String,
    /// What can be shown of it.
    pub witness: Option<Witness>,
}

impl<'t> LitmusSubject<'t> {
    /// `text` is what the test was read from.
    pub fn new(
        test: &'t Test,
        file: &str,
        text: &str,
        model: &'t Compiled,
        watch: Watch,
    ) -> LitmusSubject<'t> {
        let (mut sites, mut places) = (Vec::new(), Vec::new());
        let mut at = HashMap::new();
        let calls = (test.arch == "C").then(|| Calls::new(text.to_string()));
        for (thread, code) in test.program.threads.iter().map(|t| &t.code).enumerate() {
            let depths = depths(code);
            for (pc, instr) in code.iter().enumerate() {
                let place = test.places.get(thread).and_then(|places| places.get(pc));
                let Some(place) = place.filter(|place| place.len > 0) else { continue };
                let Some((access, mode, failure)) = access_of(instr) else { continue };
                at.insert((thread, pc), sites.len());
                places.push(place.start as usize);
                // What the text has no room for is no candidate.
                let spot = calls.as_ref().map(|calls| calls.spot(place.start as usize));
                let room = spot.map_or((true, true), |spot| {
                    spot.map_or((false, false), |spot| (spot.can_precede(false), spot.can_follow()))
                });
                let (line, column) = line_and_column(text, place.start as usize);
                sites.push(Site {
                    place: TextPlace { file: file.to_string(), line, column },
                    function: test.program.threads[thread].name.clone(),
                    access,
                    mode,
                    failure,
                    given: None,
                    depth: depths[pc],
                    fences: (
                        room.0 && !matches!(access, Access::Conditional | Access::Fence),
                        room.1 && !matches!(access, Access::Linked | Access::Fence),
                    ),
                    next: None,
                    kept: false,
                    by_hand: false,
                });
            }
            for pc in 0..code.len() {
                if let (Some(&site), Some(next)) = (at.get(&(thread, pc)), next_access(code, pc)) {
                    let site: &mut Site = &mut sites[site];
                    site.next = at.get(&(thread, next)).copied();
                }
            }
        }
        LitmusSubject { test: Cow::Borrowed(test), model, watch, sites, places, at }
    }

    /// What is not to be touched.
    pub fn keep(&mut self, keep: &dyn Fn(&Site) -> bool) {
        self.sites.iter_mut().for_each(|site| site.kept |= keep(site));
    }

    /// All orderings become the weakest ones, and fences order nothing: what `dialect` has words for, and, of
    /// fences, only if `fences` says so.
    pub fn weaken(&mut self, fences: bool) {
        let dialect = self.dialect();
        for site in &mut self.sites {
            let weakest = match site.access {
                Access::Fence => NOTHING,
                _ if site.mode.is_exclusive() => Mode::RlxEx,
                _ => Mode::Rlx,
            };
            let known = match site.access {
                Access::Fence => fences && dialect.fences().contains(&site.mode),
                access => site.mode == weakest || dialect.orderings(access, weakest).contains(&site.mode),
            };
            // What could not be had again stays.
            if !known || site.mode == Mode::Na {
                site.kept = true;
            }
            if !site.kept {
                site.given = Some((site.mode, site.failure));
                site.mode = weakest;
                site.failure = site.failure.map(|_| Mode::Rlx);
            }
        }
        for (&(thread, pc), &number) in &self.at {
            let site = &self.sites[number];
            if site.kept {
                continue;
            }
            match &mut self.test.to_mut().program.threads[thread].code[pc] {
                Instr::Load { mode, .. }
                | Instr::Store { mode, .. }
                | Instr::Rmw { mode, .. }
                | Instr::LoadLinked { mode, .. }
                | Instr::StoreConditional { mode, .. }
                | Instr::Fence { mode } => *mode = site.mode,
                Instr::Cas { success, failure, .. } => {
                    (*success, *failure) = (site.mode, site.failure.unwrap_or(Mode::Rlx));
                }
                _ => {}
            }
        }
    }

    /// Where each site is in the text.
    pub fn places(&self) -> Vec<usize> {
        self.places.clone()
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// By what makes the events of a site.
    pub fn keys(&self) -> HashMap<Key, usize> {
        self.at.iter().map(|(&(thread, pc), &site)| (key(thread, pc), site)).collect()
    }

    /// What the language of the test has for what can be added.
    pub fn dialect(&self) -> Dialect {
        match self.test.arch.as_str() {
            "X86" | "X86_64" => Dialect::X86,
            "AArch64" => Dialect::AArch64,
            "PPC" => Dialect::Power,
            "RISCV" => Dialect::RiscV,
            _ if self.test.kernel => Dialect::Kernel,
            _ => Dialect::C,
        }
    }

    /// The test with changes, and which instruction of the test each of its instructions was.
    pub fn changed(&self, changes: &[Change]) -> (Test, Vec<Vec<Option<usize>>>) {
        let mut test = Test::clone(&self.test);
        let mut origins = Vec::new();
        for (thread, code) in self.test.program.threads.iter().map(|t| &t.code).enumerate() {
            let mut new: Vec<Instr> = Vec::with_capacity(code.len());
            let mut origin = Vec::with_capacity(code.len());
            let mut starts = Vec::with_capacity(code.len() + 1);
            for (pc, instr) in code.iter().enumerate() {
                starts.push(new.len());
                let change = self.at.get(&(thread, pc)).map(|site| &changes[*site]);
                let Some(change) = change else {
                    new.push(instr.clone());
                    origin.push(Some(pc));
                    continue;
                };
                let fence = |mode: &Mode| Instr::Fence { mode: *mode };
                new.extend(change.before.iter().map(fence));
                origin.resize(new.len(), None);
                new.push(raised(instr, change));
                origin.push(Some(pc));
                new.extend(change.after.iter().map(fence));
                origin.resize(new.len(), None);
            }
            starts.push(new.len());
            for instr in &mut new {
                if let Instr::Branch { target, .. } | Instr::Jump { target } = instr {
                    *target = starts.get(*target).copied().unwrap_or(new_end(&starts));
                }
            }
            test.program.threads[thread].code = new;
            origins.push(origin);
        }
        (test, origins)
    }

    /// Runs the test with changes.
    pub fn run(&self, changes: &[Change], record: usize, witness: bool) -> Result<LitmusOutcome, InputError> {
        let (test, origins) = self.changed(changes);
        let options = LitmusOptions { record, witness, ..LitmusOptions::default() };
        let mut outcome = check_litmus(&test, self.model, &options, &self.watch, &mut |_| {})?;
        for execution in &mut outcome.recorded {
            in_old_words(execution, &origins);
        }
        Ok(outcome)
    }

    /// What is wrong with an outcome, if anything is; `Err` if that is not known.
    pub fn verdict(&self, outcome: &LitmusOutcome) -> Result<Option<String>, String> {
        if let Some(flag) = outcome.flags.iter().find(|flag| !flag.warning) {
            return Ok(Some(format!("{}: {} and {}", flag.name, flag.first, flag.second)));
        }
        if let Some(failure) = &outcome.failure {
            return match failure.is_error {
                true => Ok(Some(format!("{}: {}", failure.thread, failure.message))),
                false => Err(format!("not supported: {}: {}", failure.thread, failure.message)),
            };
        }
        let decided = match self.test.quantifier {
            Quantifier::Forall => outcome.histogram.negative() > 0,
            _ => outcome.histogram.positive() > 0,
        };
        if decided {
            let what = match self.test.quantifier {
                Quantifier::Forall => format!("not {}", self.test.condition),
                _ => self.test.condition.to_string(),
            };
            return Ok(Some(format!("{what} can be reached")));
        }
        match &outcome.stats.gave_up {
            Some(why) => Err(why.to_string()),
            None => Ok(None),
        }
    }
}

/// The end of a thread's code.
fn new_end(starts: &[usize]) -> usize {
    starts.last().copied().unwrap_or(0)
}

impl Subject for LitmusSubject<'_> {
    type Wrong = LitmusWrong;

    fn check(&mut self, changes: &[Change]) -> Result<Answer<LitmusWrong>, InputError> {
        let mut outcome = self.run(changes, MOST_EXECUTIONS, true)?;
        match self.verdict(&outcome) {
            Err(why) => Ok(Answer::Unknown(why)),
            Ok(None) => Ok(Answer::Right { bounded: outcome.stats.cut > 0 }),
            Ok(Some(message)) => {
                let wrong = LitmusWrong { message, witness: outcome.witness.take() };
                let recorded = std::mem::take(&mut outcome.recorded).into_iter();
                let mut all: Vec<_> = recorded.map(|r| (wrong.clone(), Some(r))).collect();
                if all.is_empty() {
                    all.push((wrong, None));
                }
                Ok(Answer::Wrong(all))
            }
        }
    }
}

/// An instruction with the ordering that it is given.
fn raised(instr: &Instr, change: &Change) -> Instr {
    let mut instr = instr.clone();
    let raise = |mode: &mut Mode, by: Option<Mode>| {
        if let Some(by) = by {
            *mode = join(*mode, by);
        }
    };
    match &mut instr {
        Instr::Load { mode, .. }
        | Instr::Store { mode, .. }
        | Instr::Rmw { mode, .. }
        | Instr::LoadLinked { mode, .. }
        | Instr::StoreConditional { mode, .. } => raise(mode, change.order),
        Instr::Cas { success, failure, .. } => {
            raise(success, change.order);
            raise(failure, change.failure);
        }
        _ => {}
    }
    instr
}

/// Events by the instructions of the test as it was; fences that were added are left out.
fn in_old_words(execution: &mut Recorded, origins: &[Vec<Option<usize>>]) {
    let mut kept: Vec<Vec<Option<u32>>> = Vec::new();
    for (thread, events) in execution.threads.iter_mut().enumerate() {
        let mut numbers = Vec::with_capacity(events.len());
        let mut next = 0;
        for event in events.iter_mut() {
            let pc = match &event.site {
                Some(Key::Code(pc)) => *pc as usize,
                _ => usize::MAX,
            };
            let origin = origins.get(thread).and_then(|origin| origin.get(pc)).copied().flatten();
            let stays = origin.is_some() || event.kind != Kind::Fence;
            numbers.push(stays.then(|| {
                next += 1;
                next - 1
            }));
            event.site = origin.map(|pc| key(thread, pc));
        }
        kept.push(numbers);
    }
    crate::judge::retain(execution, &kept);
}

/// What makes the events of an instruction: numbers are of the thread, and so is the key.
fn key(thread: usize, pc: usize) -> Key {
    Key::Code((thread as u32) << 20 | pc as u32)
}

fn access_of(instr: &Instr) -> Option<(Access, Mode, Option<Mode>)> {
    Some(match instr {
        Instr::Load { mode, .. } => (Access::Load, *mode, None),
        Instr::Store { mode, .. } => (Access::Store, *mode, None),
        Instr::Rmw { mode, .. } => (Access::Rmw, *mode, None),
        Instr::Cas { success, failure, .. } => (Access::CompareExchange, *success, Some(*failure)),
        Instr::LoadLinked { mode, .. } => (Access::Linked, *mode, None),
        Instr::StoreConditional { mode, .. } => (Access::Conditional, *mode, None),
        Instr::Fence { mode } => (Access::Fence, *mode, None),
        _ => return None,
    })
}

/// The access that follows in any case, before anything branches.
fn next_access(code: &[Instr], pc: usize) -> Option<usize> {
    let is_target = |at: usize| {
        code.iter()
            .any(|i| matches!(i, Instr::Branch { target, .. } | Instr::Jump { target } if *target == at))
    };
    for (at, instr) in code.iter().enumerate().skip(pc + 1) {
        if is_target(at) {
            return None;
        }
        if !matches!(instr, Instr::Assign { .. }) {
            return access_of(instr).filter(|(access, _, _)| *access != Access::Fence).map(|_| at);
        }
    }
    None
}

/// How many loops each instruction is in: backward jumps over it.
fn depths(code: &[Instr]) -> Vec<u32> {
    let mut depths = vec![0; code.len()];
    for (at, instr) in code.iter().enumerate() {
        if let Instr::Branch { target, .. } | Instr::Jump { target } = instr
            && *target <= at
        {
            depths[*target..=at].iter_mut().for_each(|depth| *depth += 1);
        }
    }
    depths
}

fn line_and_column(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) as u32 + 1;
    (line, column)
}
