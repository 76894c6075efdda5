//! Results for other programs.

use super::Entry;
use super::report::missing;
use super::run::{Check, Outcome};
use crate::args::LitmusArgs;
use crate::json::{Enveloped, ErrorItem, text};
use selvedge_check::Witness;
use selvedge_litmus::Test;
use serde::ser::{Serialize, SerializeMap, Serializer};

#[derive(serde::Serialize)]
#[serde(untagged)]
enum Item {
    Result(Box<ResultItem>),
    Error(ErrorItem),
}

#[derive(serde::Serialize)]
struct ResultItem {
    file: String,
    name: String,
    model: String,
    arch: String,
    quantifier: &'static str,
    condition: String,
    verdict: String,
    observation: String,
    positive: u64,
    negative: u64,
    states: Vec<StateItem>,
    /// Complete executions; the others are counted apart.
    executions: u64,
    blocked: u64,
    cut: u64,
    errors: u64,
    /// The verdict speaks of some executions only.
    bounded: bool,
    /// Why executions, or a verdict, are missing.
    undecided: Vec<String>,
    gave_up: Option<String>,
    flags: Vec<FlagItem>,
    assertion: Option<AssertionItem>,
    notes: Vec<String>,
    check: Option<CheckItem>,
    seconds: f64,
    /// An execution that decides the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<Witness>,
}

#[derive(serde::Serialize)]
struct StateItem {
    valuation: Valuation,
    count: u64,
    /// The condition, without its quantifier, holds here.
    holds: bool,
}

/// A map that keeps the order of the test.
struct Valuation(Vec<(String, i64)>);

impl Serialize for Valuation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(serde::Serialize)]
struct FlagItem {
    name: String,
    warning: bool,
    first: String,
    second: String,
    executions: u64,
}

#[derive(serde::Serialize)]
struct AssertionItem {
    thread: String,
    message: String,
}

#[derive(serde::Serialize)]
struct CheckItem {
    /// `as-expected`, `differs` or `unsettled`.
    result: &'static str,
    expected: Option<String>,
    found: Option<String>,
}

/// One object for a single test, otherwise an array.
pub fn render(entries: &[Entry], single: bool, args: &LitmusArgs) -> String {
    let items: Vec<Enveloped<Item>> =
        entries.iter().map(|entry| Enveloped::new("litmus", item(entry, args))).collect();
    match (&items[..], single) {
        ([item], true) => text(item),
        _ => text(&items),
    }
}

fn item(entry: &Entry, args: &LitmusArgs) -> Item {
    let file = entry.file.display().to_string();
    match &entry.result {
        Ok((test, outcome)) => Item::Result(Box::new(result_item(file, test, outcome, args))),
        Err(error) => Item::Error(ErrorItem::new(Some(file), None, error)),
    }
}

fn result_item(file: String, test: &Test, outcome: &Outcome, args: &LitmusArgs) -> ResultItem {
    let states = outcome.histogram.states().map(|state| StateItem {
        valuation: Valuation(
            test.observed.iter().zip(state.values).map(|(o, v)| (o.to_string(), *v)).collect(),
        ),
        count: state.count,
        holds: state.holds,
    });
    let flags = outcome.flags.iter().map(|flag| FlagItem {
        name: flag.name.clone(),
        warning: flag.warning,
        first: flag.first.clone(),
        second: flag.second.clone(),
        executions: flag.executions,
    });
    ResultItem {
        file,
        name: test.name.clone(),
        model: outcome.model.clone(),
        arch: test.arch.clone(),
        quantifier: test.quantifier.symbol(),
        condition: test.condition_text.clone(),
        verdict: outcome.verdict(test).to_string(),
        observation: outcome.observation().to_string(),
        positive: outcome.histogram.positive(),
        negative: outcome.histogram.negative(),
        states: states.collect(),
        executions: outcome.stats.complete,
        blocked: outcome.stats.blocked,
        cut: outcome.stats.cut,
        errors: outcome.stats.errors,
        bounded: outcome.is_bounded(),
        undecided: missing(outcome, args),
        gave_up: outcome.stats.gave_up.as_ref().map(ToString::to_string),
        flags: flags.collect(),
        assertion: outcome
            .failure
            .as_ref()
            .map(|f| AssertionItem { thread: f.thread.clone(), message: f.message.clone() }),
        notes: test.notes.clone(),
        check: check_item(&outcome.check),
        seconds: outcome.seconds,
        witness: outcome.witness.clone(),
    }
}

fn check_item(check: &Check) -> Option<CheckItem> {
    let plain = |result| CheckItem { result, expected: None, found: None };
    match check {
        Check::None => None,
        Check::AsExpected => Some(plain("as-expected")),
        Check::Unsettled => Some(plain("unsettled")),
        Check::Differs { expected, found } => Some(CheckItem {
            result: "differs",
            expected: Some(expected.clone()),
            found: Some(found.clone()),
        }),
    }
}
