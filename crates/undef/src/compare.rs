//! Brings the judges together: the evaluator, the sanitizers where they are exact, and Selvedge.

use crate::eval::{Outcome, Use, run};
use crate::generate::{Program, file};
use crate::native::{self, Workplace};
use crate::ours::{self, Verdict};
use selvedge_model::Model;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Who is asked.
#[derive(Clone, Debug)]
pub struct Judges {
    /// `selvedge-lower`, if Selvedge is.
    pub ours: Option<PathBuf>,
    pub sanitizers: bool,
}

/// How many programs were compared, and how many were not, with the reasons.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub programs: u64,
    /// By the evaluator: in which an undefined value is used, and in which there is one at all.
    pub used: u64,
    pub undefined: u64,
    pub ours: u64,
    pub msan: u64,
    pub memcheck: u64,
    /// Left out, by judge and class.
    pub left_out: BTreeMap<(&'static str, &'static str), u64>,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.programs += other.programs;
        self.used += other.used;
        self.undefined += other.undefined;
        self.ours += other.ours;
        self.msan += other.msan;
        self.memcheck += other.memcheck;
        for (class, n) in &other.left_out {
            *self.left_out.entry(*class).or_default() += n;
        }
    }
}

/// Two judges that disagree about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    pub number: u64,
    pub who: &'static str,
    /// What the evaluator says, and what the other one says.
    pub expected: String,
    pub found: String,
}

fn describe(line: Option<u32>) -> String {
    line.map_or(String::from("nothing is used"), |line| format!("use in line {line}"))
}

/// Why a judge is not exact about a program.
fn left_out(who: &'static str, outcome: &Outcome) -> Option<&'static str> {
    let own = match who {
        "msan" => &outcome.msan,
        "memcheck" => &outcome.memcheck,
        _ => &outcome.nobody,
    };
    let divisor = who == "memcheck" && matches!(outcome.first, Some((_, Use::Divisor)));
    let own = own.first().copied().or_else(|| divisor.then_some("divisor"));
    own.or_else(|| outcome.nobody.first().copied())
}

/// Compares on some programs. An error is one of the comparison itself.
pub fn compare(
    programs: &[Program],
    judges: &Judges,
    model: &Model,
    at: &Workplace,
) -> Result<(Counts, Vec<Disagreement>), String> {
    let path = at.write("programs.c", &file(programs))?;
    let module = crate::parse::parse(&native::ir(&path)?)?;
    let lowered = match &judges.ours {
        Some(command) => Some(ours::lower(command, &path)?),
        None => None,
    };
    let sanitized = match judges.sanitizers {
        true => Some([("msan", native::msan(&path)?), ("memcheck", native::memcheck(&path)?)]),
        false => None,
    };
    let mut counts = Counts::default();
    let mut disagreements = Vec::new();
    for program in programs {
        let number = program.number;
        let outcome =
            run(&module, &format!("p{number}_main")).map_err(|why| format!("program {number}: {why}"))?;
        counts.programs += 1;
        counts.used += outcome.first.is_some() as u64;
        counts.undefined += (outcome.has_undefined || outcome.first.is_some()) as u64;
        let line = outcome.first.map(|(line, _)| line);
        let mut disagree = |who, found| {
            disagreements.push(Disagreement { number, who, expected: describe(line), found });
        };
        for (who, verdicts) in sanitized.iter().flatten() {
            if let Some(class) = left_out(who, &outcome) {
                *counts.left_out.entry((who, class)).or_default() += 1;
                continue;
            }
            *(if *who == "msan" { &mut counts.msan } else { &mut counts.memcheck }) += 1;
            let found = verdicts.get(&number).copied();
            if found != line {
                disagree(who, describe(found));
            }
        }
        if let Some(lowered) = &lowered {
            if let Some(class) = left_out("selvedge", &outcome) {
                *counts.left_out.entry(("selvedge", class)).or_default() += 1;
                continue;
            }
            counts.ours += 1;
            let found = match ours::verdict(lowered, number, model) {
                Verdict::Verified => describe(None),
                Verdict::Error(kind, line) if kind == "uninitialised-read" => describe(Some(line)),
                Verdict::Error(kind, line) => format!("{kind} in line {line}"),
                Verdict::Other(what) => what,
            };
            if found != describe(line) {
                disagree("selvedge", found);
            }
        }
    }
    Ok((counts, disagreements))
}
