//! What is asked for: where, with what, at what cost.

use crate::candidate::{Access, Candidate, Chosen, Dialect, Effect, Site, With, candidates};
use crate::cost::Costs;
use crate::program::Start;
use crate::search::Wanted;
use crate::strength::is_within;
use selvedge_check::{InputError, InputKind};

/// Which sites are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Where {
    Function(String),
    /// A line; of any file, if none is named.
    Line(Option<String>, u32),
}

impl Where {
    /// `FUNCTION`, `LINE` or `FILE:LINE`.
    pub fn parse(text: &str) -> Where {
        match text.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
            Some((file, Ok(line))) => Where::Line(Some(file.to_string()), line),
            _ => match text.parse() {
                Ok(line) => Where::Line(None, line),
                Err(_) => Where::Function(text.to_string()),
            },
        }
    }

    fn has(&self, site: &Site) -> bool {
        match self {
            Where::Function(name) => *name == site.function,
            Where::Line(file, line) => {
                let is_file = |file: &String| {
                    site.place.file == *file || site.place.file.ends_with(&format!("/{file}"))
                };
                *line == site.place.line && file.as_ref().is_none_or(is_file)
            }
        }
    }
}

impl std::fmt::Display for Where {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Where::Function(name) => write!(f, "function `{name}`"),
            Where::Line(Some(file), line) => write!(f, "{file}:{line}"),
            Where::Line(None, line) => write!(f, "line {line}"),
        }
    }
}

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// From the program as it is, or from the weakest one.
    pub start: Start,
    pub with: With,
    pub costs: Costs,
    /// Only there; anywhere if nothing is said.
    pub at: Vec<Where>,
    /// Not there.
    pub keep: Vec<Where>,
    pub wanted: Wanted,
    /// Of programs: [`Dialect::C`] for all that has C's orderings, or [`Dialect::DotNet`].
    pub dialect: Dialect,
}

fn refuse(message: String) -> InputError {
    InputError::plain(
        InputKind::Unsupported,
        message,
        Some("lines and functions are those of atomic accesses"),
    )
}

impl Request {
    pub fn keeps(&self, site: &Site) -> bool {
        let is_in = |all: &[Where]| all.iter().any(|place| place.has(site));
        is_in(&self.keep) || !self.at.is_empty() && !is_in(&self.at)
    }

    /// A line that nothing is at is a mistake.
    pub fn refuse_missing(&self, sites: &[Site]) -> Result<(), InputError> {
        for place in self.at.iter().chain(&self.keep) {
            if !sites.iter().any(|site| place.has(site)) {
                return Err(refuse(format!("there is no atomic access and no fence at {place}")));
            }
        }
        Ok(())
    }

    pub fn candidates(&self, sites: &[Site], dialect: Dialect) -> Vec<Candidate> {
        match self.start {
            Start::Given => candidates(sites, dialect, self.with, &self.costs),
            Start::Weakest => relaxations(sites, dialect, &self.costs),
        }
    }
}

/// What a program had: orderings and fences up to those that were there.
fn relaxations(sites: &[Site], dialect: Dialect, costs: &Costs) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (number, site) in sites.iter().enumerate().filter(|(_, site)| !site.kept) {
        let Some((given, failure)) = site.given else { continue };
        let mut add = |effect| all.push(Candidate { site: number, effect, cost: costs.of(site, effect) });
        if site.access == Access::Fence {
            dialect.fences().into_iter().filter(|m| is_within(*m, given)).for_each(|m| add(Effect::After(m)));
            continue;
        }
        let orderings = dialect.orderings(site.access, site.mode);
        orderings.into_iter().filter(|m| is_within(*m, given)).for_each(|m| add(Effect::Order(m)));
        if let (Some(old), Some(failure)) = (site.failure, failure) {
            let orderings = dialect.orderings(Access::Load, old);
            orderings.into_iter().filter(|m| is_within(*m, failure)).for_each(|m| add(Effect::Failure(m)));
        }
    }
    all
}

/// The candidates that together are the program as it was given.
pub fn as_given(sites: &[Site], all: &[Candidate]) -> Chosen {
    let is_given = |candidate: &Candidate| {
        let Some((mode, failure)) = sites[candidate.site].given else { return false };
        match candidate.effect {
            Effect::Order(m) | Effect::After(m) => m == mode,
            Effect::Failure(m) => Some(m) == failure,
            Effect::Before(_) => false,
        }
    };
    Chosen::of(all.len(), (0..all.len()).filter(|number| is_given(&all[*number])))
}
