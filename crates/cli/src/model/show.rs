//! `model show`.

use super::args::ModelArgs;
use super::{load, refused, report};
use crate::error::{Exit, InputError};
use crate::output::print;
use selvedge_decide::automata::automata;
use selvedge_decide::search::Limits;
use serde_json::json;
use std::fmt::Write;

pub fn show(args: &ModelArgs, model: &str, limits: Limits) -> Result<Exit, InputError> {
    let theory = load(model)?;
    let automata = automata(&theory, limits).map_err(refused)?;
    if let Some(path) = &args.dot {
        let mut text = String::from("digraph automata {\n  rankdir=LR;\n  node [shape=circle];\n");
        for (at, a) in automata.iter().enumerate() {
            text.push_str(&a.dot(at));
        }
        text.push_str("}\n");
        report::write(path, &text)?;
    }
    if args.format.is_json() {
        let rows: Vec<_> = automata
            .iter()
            .map(|a| json!({ "axiom": a.axiom, "states": a.states, "steps": a.steps, "saturated_states": a.saturated }))
            .collect();
        report::print_json(&json!({ "model": theory.name, "text": theory.to_kat(), "axioms": rows }));
        return Ok(Exit::Done);
    }
    let mut out = theory.to_kat();
    out.push_str("\n// automata: states, steps; states when saturated\n");
    for a in &automata {
        let _ = writeln!(out, "//   {:4} {:5} {:5}   {}", a.states, a.steps, a.saturated, a.axiom);
    }
    print(&out);
    Ok(Exit::Done)
}
