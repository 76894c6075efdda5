//! `model properties` and `model reorder`.

use super::args::ModelArgs;
use super::premises::Premises;
use super::{load, refused, report};
use crate::error::{Exit, InputError};
use crate::output::print;
use selvedge_decide::context::Refusal;
use selvedge_decide::premises::{self, Premise};
use selvedge_decide::properties::{self, Has};
use selvedge_decide::reorder::{Access, may_swap, sorts};
use selvedge_decide::search::Limits;
use selvedge_kat::Theory;
use selvedge_model::Model;
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write;

fn word(has: &Has) -> (&'static str, &str) {
    match has {
        Has::Yes => ("yes", ""),
        Has::No(why) => ("no", why),
        Has::Unknown(why) => ("unknown", why),
    }
}

pub fn properties(args: &ModelArgs, model: &str, limits: Limits) -> Result<Exit, InputError> {
    let theory = load(model)?;
    let admitted = match Model::compile(&theory) {
        Ok(_) => Has::Yes,
        Err(d) => Has::No(d.message),
    };
    let mut c_only = limits.c_only;
    let mut ask = |question: &dyn Fn(Limits) -> Result<Has, Refusal>| match question(limits) {
        // The programs are those of C if need be.
        Err(Refusal::TooManyKinds(_)) => {
            c_only = true;
            question(Limits { c_only, ..limits }).map_err(refused)
        }
        answer => answer.map_err(refused),
    };
    let causes = selvedge_model::follows_dependencies(&theory).then(|| premises::premises(&theory, limits));
    let no_thin_air = match &causes {
        Some(known) => known.no_thin_air(),
        None => ask(&|limits| properties::no_thin_air(&theory, limits))?,
    };
    let rows = [
        ("no values out of thin air", no_thin_air),
        ("prefix-closed", properties::prefix_closed(&theory)),
        ("extensible", properties::extensible(&theory)),
        ("monotone in orderings", properties::monotone_in_orderings(&theory)),
        (
            "monotone under merging of threads",
            ask(&|limits| properties::monotone_in_threads(&theory, limits))?,
        ),
        ("admitted for exploration", admitted),
    ];
    c_only |= causes.as_ref().is_some_and(|known| known.c_only);
    let causes = causes.iter().flat_map(|known| {
        let form =
            ("one-local-order", "coherence, and one acyclic relation of `lo` and observations", &known.form);
        let one = |(premise, has): &'_ (Premise, Has)| (premise.name(), premise.definition(), has.clone());
        let (name, says, has) = form;
        [(name, says, has.clone())].into_iter().chain(known.answers.iter().map(one)).collect::<Vec<_>>()
    });
    let causes: Vec<(&str, &str, Has)> = causes.collect();
    let premises = Premises::of(&theory);
    if args.format.is_json() {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, has)| {
                let (verdict, why) = word(has);
                json!({ "property": name, "verdict": verdict, "reason": why })
            })
            .collect();
        let mut value = json!({ "model": theory.name, "c_only": c_only, "properties": rows });
        value["premises"] = premises.as_ref().map_or(json!([]), Premises::json);
        let cause = |(name, says, has): &(&str, &str, Has)| {
            let (verdict, why) = word(has);
            json!({ "premise": name, "definition": says, "verdict": verdict, "reason": why })
        };
        value["causes"] = causes.iter().map(cause).collect();
        value["left_out"] = premises.as_ref().map_or(json!([]), Premises::left_out);
        report::print_json(&value);
        return Ok(Exit::Done);
    }
    let mut out = format!("{}{}\n", theory.name, if c_only { " (in programs in C)" } else { "" });
    for (name, has) in &rows {
        let (verdict, why) = word(has);
        let _ = writeln!(out, "  {verdict:8} {name}{}{why}", if why.is_empty() { "" } else { ": " });
    }
    if !causes.is_empty() {
        out.push_str(
            "what exploring with dependencies relies on, where `lo` is the order within a thread:\n",
        );
        for (name, says, has) in &causes {
            let (verdict, why) = word(has);
            let (because, why) = if why.is_empty() { ("", "") } else { ("\n             ", why) };
            let _ = writeln!(out, "  {verdict:8} {name}: {says}{because}{why}");
        }
    }
    out.push_str(&premises.map_or(String::new(), |premises| premises.text()));
    print(&out);
    Ok(Exit::Done)
}

/// The table of reorderings. What the model does not tell apart is asked for once.
fn swaps(theory: &Theory, accesses: &[Access], limits: Limits) -> Result<Vec<Vec<Has>>, Refusal> {
    let sorts = sorts(theory, accesses);
    let mut known: HashMap<(usize, usize), Has> = HashMap::new();
    let mut table = Vec::new();
    for first in &sorts {
        let mut row = Vec::new();
        for second in &sorts {
            let has = match known.get(&(*first, *second)) {
                Some(has) => has.clone(),
                None => may_swap(theory, accesses[*first], accesses[*second], limits)?,
            };
            known.insert((*first, *second), has.clone());
            row.push(has);
        }
        table.push(row);
    }
    Ok(table)
}

pub fn reorder(args: &ModelArgs, model: &str, mut limits: Limits) -> Result<Exit, InputError> {
    /// There are many pairs to ask for.
    const WALKS: usize = 20_000;
    let theory = load(model)?;
    let accesses = Access::all();
    limits.walks = limits.walks.min(WALKS);
    limits.levels = 1;
    let table = match swaps(&theory, &accesses, limits) {
        // The accesses are those of C, and so are the programs if need be.
        Err(Refusal::TooManyKinds(_)) => {
            limits.c_only = true;
            swaps(&theory, &accesses, limits)
        }
        table => table,
    };
    let table = table.map_err(refused)?;
    if args.format.is_json() {
        let mut rows = Vec::new();
        for (first, row) in accesses.iter().zip(&table) {
            for (second, has) in accesses.iter().zip(row) {
                let (verdict, why) = word(has);
                rows.push(json!({
                    "first": first.name(), "second": second.name(), "may_swap": verdict, "reason": why,
                }));
            }
        }
        report::print_json(&json!({ "model": theory.name, "c_only": limits.c_only, "pairs": rows }));
        return Ok(Exit::Done);
    }
    let mut out = format!(
        "{}: may the access of a row be swapped with one of a column that comes right after it?\n\
         (different locations, no dependency between them{})\n\n{:9}",
        theory.name,
        if limits.c_only { "; in programs in C" } else { "" },
        ""
    );
    for second in &accesses {
        let _ = write!(out, "{:>8}", second.name());
    }
    out.push('\n');
    for (first, row) in accesses.iter().zip(&table) {
        let _ = write!(out, "{:9}", first.name());
        for has in row {
            let _ = write!(out, "{:>8}", word(has).0);
        }
        out.push('\n');
    }
    print(&out);
    Ok(Exit::Done)
}
