//! The result as JSON: described in docs/json.md.

use selvedge_check::Witness;
use selvedge_repair::{Access, Change, Item, Job, JobVerdict, Proposal, Site, Start, Verified, orders};
use serde::Serialize;

#[derive(Serialize)]
pub struct FixReport {
    verdict: &'static str,
    model: String,
    /// Nothing costs less.
    minimal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
    cost: Option<u64>,
    /// Of all orderings and fences of the program, as it was and as it would be.
    cost_before: u64,
    cost_after: Option<u64>,
    lower_bound: u64,
    checks: u64,
    clauses: u64,
    judged: u64,
    candidates: usize,
    seconds: f64,
    changes: Vec<ChangeItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Other>,
    accesses: Vec<AccessRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<VerifiedItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Witness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong_under_sc: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
    bounded: bool,
}

#[derive(Serialize)]
struct ChangeItem {
    file: String,
    line: u32,
    column: u32,
    function: String,
    kind: &'static str,
    from: String,
    to: String,
    cost: u64,
    because: Option<String>,
    by_hand: bool,
}

#[derive(Serialize)]
struct Other {
    cost: u64,
    changes: Vec<ChangeItem>,
}

#[derive(Serialize)]
struct AccessRow {
    file: String,
    line: u32,
    column: u32,
    function: String,
    access: &'static str,
    from: String,
    to: String,
}

#[derive(Serialize)]
struct VerifiedItem {
    how: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl ChangeItem {
    fn of(item: &Item) -> ChangeItem {
        ChangeItem {
            file: item.place.file.clone(),
            line: item.place.line,
            column: item.place.column,
            function: item.function.clone(),
            kind: if item.is_fence { "fence" } else { "ordering" },
            from: item.from.clone(),
            to: item.to.clone(),
            cost: item.cost,
            because: item.because.clone(),
            by_hand: item.by_hand,
        }
    }
}

/// What a job is called that ended like this.
pub fn verdict(job: &Job, start: Start) -> &'static str {
    match (job.verdict, start) {
        (JobVerdict::Found, Start::Given) => "repaired",
        (JobVerdict::Found, Start::Weakest) => "relaxed",
        (JobVerdict::Right { .. }, _) => "right",
        (JobVerdict::Hopeless, _) => "no-repair",
        (JobVerdict::WrongAsGiven, _) => "violated",
        (JobVerdict::Stopped, _) => "unknown",
    }
}

/// The old and the new ordering of an access, in words.
pub fn rows(job: &Job, proposal: &Proposal) -> Vec<(usize, String, String)> {
    let accesses = job.sites.iter().zip(&proposal.changes).enumerate();
    // Plain accesses that stay as they are are too many to be told.
    let is_told = |site: &Site, change: &Change| site.mode != selvedge_graph::Mode::Na || !change.is_empty();
    let accesses =
        accesses.filter(|(_, (site, change))| site.access != Access::Fence && is_told(site, change));
    accesses
        .map(|(number, (site, change))| {
            let word = |(mode, failure): (selvedge_graph::Mode, Option<selvedge_graph::Mode>)| match failure {
                Some(failure) => format!("{}/{}", mode.c_name(), failure.c_name()),
                None => mode.c_name().to_string(),
            };
            let old = site.given.unwrap_or((site.mode, site.failure));
            (number, word(old), word(orders(site, change)))
        })
        .collect()
}

impl FixReport {
    pub fn of(job: &Job, start: Start, seconds: f64) -> FixReport {
        let first = job.proposals.first();
        let others = job.proposals.iter().skip(1).map(|proposal| Other {
            cost: proposal.cost,
            changes: proposal.items.iter().map(ChangeItem::of).collect(),
        });
        let accesses = first.map(|proposal| rows(job, proposal)).unwrap_or_default();
        let accesses = accesses.into_iter().map(|(number, from, to)| {
            let site = &job.sites[number];
            AccessRow {
                file: site.place.file.clone(),
                line: site.place.line,
                column: site.place.column,
                function: site.function.clone(),
                access: site.access.name(),
                from,
                to,
            }
        });
        FixReport {
            verdict: verdict(job, start),
            model: job.model.clone(),
            minimal: first.is_some_and(|proposal| proposal.cheapest),
            doubt: job.doubt.clone(),
            cost: first.map(|proposal| proposal.cost),
            cost_before: job.before,
            cost_after: first.map(|proposal| proposal.after),
            lower_bound: job.effort.lower_bound,
            checks: job.effort.checks,
            clauses: job.effort.clauses,
            judged: job.effort.judged,
            candidates: job.candidates,
            seconds,
            changes: first.map_or(Vec::new(), |proposal| proposal.items.iter().map(ChangeItem::of).collect()),
            others: others.collect(),
            accesses: accesses.collect(),
            verified: first.map(|proposal| match &proposal.verified {
                Verified::Text => VerifiedItem { how: "text", why: None },
                Verified::Bytecode(why) => VerifiedItem { how: "bytecode", why: Some(why.clone()) },
                Verified::Not(why) => VerifiedItem { how: "not", why: Some(why.clone()) },
            }),
            wrong: job.wrong.clone(),
            witness: job.witness.as_deref().cloned(),
            suggestion: job.suggestion.clone(),
            wrong_under_sc: job.wrong_under_sc,
            unknown: job.stopped.clone(),
            bounded: first.is_some_and(|proposal| proposal.bounded)
                || job.verdict == JobVerdict::Right { bounded: true },
        }
    }
}
