//! Proofs and counterexamples on paper: text and JSON.

use crate::json::result_json;
use selvedge_prove::eval::{Env, Instance, State};
use selvedge_prove::infer::Inferred;
use selvedge_prove::minimal::Need;
use selvedge_prove::prover::{Done, Ending, RealBug, Report, Verdict};
use selvedge_prove::render;
use selvedge_prove::system::{Kind, System};
use serde_json::{Value, json};
use std::fmt::Write;

pub struct Shown<'r> {
    pub system: &'r System,
    pub report: &'r Report,
    pub needed: Option<&'r [Need]>,
    pub seconds: f64,
    /// The text of the system, if it was derived.
    pub derived: Option<&'r str>,
    /// What the derivation takes for granted.
    pub assumed: Option<[String; 3]>,
    /// The least number of threads that it is about, if that is not one.
    pub least: Option<u64>,
}

fn indent(text: &str, by: usize) -> String {
    text.lines().map(|l| format!("{:by$}{l}\n", "")).collect()
}

/// A step on the way: who takes it, and what changes.
fn change(system: &System, i: &Instance, step: usize, env: &Env, before: &State, after: &State) -> String {
    let mut parts = Vec::new();
    for (s, symbol) in system.symbols.iter().enumerate() {
        if symbol.kind == Kind::Const {
            continue;
        }
        for (n, cell) in i.cells(system, s).iter().enumerate() {
            let (a, b) = (before.cells[s][n], after.cells[s][n]);
            if a != b {
                let index: Vec<String> = cell.iter().map(ToString::to_string).collect();
                let at = if index.is_empty() { String::new() } else { format!("[{}]", index.join(", ")) };
                parts.push(format!("{}{at} = {}", symbol.name, system.show(symbol.ty, b)));
            }
        }
    }
    let mover = render::mover(system, i, step, env);
    if parts.is_empty() { mover } else { format!("{mover}: {}", parts.join(", ")) }
}

impl Shown<'_> {
    fn size(&self) -> String {
        self.system.sorts[self.system.threads].name.to_lowercase() + "s"
    }

    pub fn text(&self, verbose: bool) -> String {
        let (s, r) = (self.system, self.report);
        let mut out = String::new();
        if let Some(bug) = &r.bug {
            self.bug(bug, &mut out);
        }
        let wrong = |d: &&Done| !matches!(d.ending, Ending::Proved(_));
        for done in &r.done {
            let word = match &done.ending {
                Ending::Proved(_) => "holds  ",
                Ending::Fails(_) => "FAILS  ",
                Ending::Unknown(_) => "unknown",
            };
            if verbose || matches!(done.ending, Ending::Unknown(_)) {
                let _ = writeln!(out, "  {word}  {}", done.name);
            }
            if let Ending::Unknown(why) = &done.ending {
                let _ = writeln!(out, "           {why}");
            }
        }
        // The first in full; the others by name. Beside a bug they are of no interest.
        let fails: Vec<&Done> = r.done.iter().filter(|d| matches!(d.ending, Ending::Fails(_))).collect();
        if let (Some(first), None) = (fails.first(), &r.bug) {
            self.failure(first, &mut out);
            for done in &fails[1..] {
                let _ = writeln!(out, "nor does {}", done.name);
            }
            out.push('\n');
        }
        if let (Some((c, i, state)), None) = (&r.false_conjunct, &r.bug) {
            let claim = &s.invariant[*c];
            let _ = writeln!(
                out,
                "The invariant is not true: {} (line {}) does not hold in this reachable state of {}.",
                claim.name,
                claim.line,
                render::instance(s, i)
            );
            out.push_str(&indent(&render::state(s, i, state, None), 2));
            out.push('\n');
        }
        if let (Some((fall, i, state)), None) = (&r.false_rank, &r.bug) {
            let _ = writeln!(
                out,
                "The rank does not fall: \"{}\" does not hold in this reachable state of {}.",
                fall.name(s),
                render::instance(s, i)
            );
            out.push_str(&indent(&render::state(s, i, state, None), 2));
            out.push('\n');
        }
        for warning in &r.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        if let Some(needed) = self.needed {
            for need in needed {
                let word = if need.needed { "needed   " } else { "redundant" };
                let _ = writeln!(out, "  {word}  {}", s.invariant[need.conjunct].name);
            }
        }
        let count = r.done.len();
        let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (instances, states) = (many(r.explored.0, "small instance"), many(r.explored.1, "state"));
        let obligations = many(count, "obligation");
        let _ = match r.verdict {
            Verdict::Proved => {
                let from = self.least.map_or(String::new(), |least| format!(" from {least} on"));
                let runs = s.claim_of_runs().map_or(String::new(), |claim| format!(": {claim}"));
                writeln!(out, "proved for every number of {}{from}{runs}", self.size())
            }
            Verdict::Violated => writeln!(out, "violated"),
            Verdict::NotProved => writeln!(
                out,
                "not proved: {} of {obligations} fail; no bug in {instances}",
                r.done.iter().filter(wrong).count()
            ),
            Verdict::Unknown if r.false_conjunct.is_some() => {
                writeln!(out, "unknown: the solvers say that the invariant is kept, and it is not true")
            }
            Verdict::Unknown if r.false_rank.is_some() => {
                writeln!(out, "unknown: the solvers say that the rank falls, and it does not")
            }
            Verdict::Unknown => writeln!(out, "unknown"),
        };
        if r.verdict == Verdict::Violated {
            let _ = writeln!(out, "  {instances}, {states}, {:.2} s", self.seconds);
        } else {
            let _ = writeln!(out, "  {obligations}, {}, {instances}, {:.2} s", r.encoding, self.seconds);
        }
        out
    }

    fn bug(&self, bug: &RealBug, out: &mut String) {
        let s = self.system;
        let _ = writeln!(out, "{}, with {}", render::bug(s, &bug.bug), render::instance(s, &bug.instance));
        if !bug.steps.is_empty() {
            out.push_str("\nHow it comes about, step by step:\n\n");
        }
        for (n, taken) in bug.steps.iter().enumerate() {
            let line = change(s, &bug.instance, taken.step, &taken.env, &bug.states[n], &bug.states[n + 1]);
            let _ = writeln!(out, "  {:2}  {line}", n + 1);
        }
        let when = if bug.steps.is_empty() { "at first" } else { "then" };
        let _ = write!(out, "\nThe state {when}:\n\n");
        if let Some(last) = bug.states.last() {
            out.push_str(&indent(&render::state(s, &bug.instance, last, None), 2));
        }
        out.push('\n');
    }

    fn failure(&self, done: &Done, out: &mut String) {
        let Ending::Fails(found) = &done.ending else { return };
        let s = self.system;
        let _ = writeln!(out, "{} does not hold, with {}", done.name, render::instance(s, &found.instance));
        if done.obligation.step().is_some() || done.obligation.phase.is_some() || found.after.is_none() {
            out.push_str("in this state, which satisfies what is known:\n\n");
        } else {
            out.push_str("from this state:\n\n");
        }
        out.push_str(&indent(&render::state(s, &found.instance, &found.before, None), 2));
        if let Some(step) = done.obligation.step() {
            let _ = writeln!(out, "\n{}", render::mover(s, &found.instance, step, &found.env));
        }
        if let Some(after) = &found.after {
            out.push('\n');
            out.push_str(&indent(&render::state(s, &found.instance, after, Some(&found.before)), 2));
        }
        out.push('\n');
    }

    pub fn json(&self, file: &str) -> String {
        let (s, r) = (self.system, self.report);
        let obligations: Vec<Value> = r
            .done
            .iter()
            .map(|d| {
                let step = d.obligation.step();
                let mut value = json!({ "name": d.name, "seconds": d.seconds });
                match &d.ending {
                    Ending::Proved(by) => {
                        value["result"] = "holds".into();
                        value["solvers"] = by.iter().map(|s| s.name()).collect::<Vec<_>>().into();
                    }
                    Ending::Unknown(why) => {
                        value["result"] = "unknown".into();
                        value["reason"] = why.clone().into();
                    }
                    Ending::Fails(f) => {
                        value["result"] = "fails".into();
                        value["counterexample"] = json!({
                            "instance": render::instance(s, &f.instance),
                            "before": state(s, &f.instance, &f.before),
                            "step": step.map(|step| render::mover(s, &f.instance, step, &f.env)),
                            "after": f.after.as_ref().map(|a| state(s, &f.instance, a)),
                        });
                    }
                }
                value
            })
            .collect();
        let bug = r.bug.as_ref().map(|b| {
            let steps = b.steps.iter().map(|t| render::mover(s, &b.instance, t.step, &t.env));
            json!({
                "message": render::bug(s, &b.bug),
                "instance": render::instance(s, &b.instance),
                "steps": steps.collect::<Vec<_>>(),
                "states": b.states.iter().map(|x| state(s, &b.instance, x)).collect::<Vec<_>>(),
            })
        });
        let untrue = r.false_conjunct.as_ref().map(|(c, i, x)| {
            json!({
                "conjunct": s.invariant[*c].name,
                "instance": render::instance(s, i),
                "state": state(s, i, x),
            })
        });
        let needed = self.needed.map(|all| {
            all.iter()
                .map(|n| json!({ "conjunct": s.invariant[n.conjunct].name, "needed": n.needed }))
                .collect::<Vec<_>>()
        });
        result_json(
            "prove",
            &json!({
                "verdict": r.verdict.name(), "model": null, "file": file, "encoding": r.encoding,
                "obligations": obligations, "bug": bug, "instances": r.explored.0, "states": r.explored.1,
                "conjuncts": needed, "warnings": r.warnings, "seconds": self.seconds,
                "system": self.derived, "assumed": self.assumed, "least": self.least, "false_conjunct": untrue,
                "runs": s.claim_of_runs(),
            }),
        )
    }
}

/// A state as an object: the value of each variable, or a list of its values.
fn state(system: &System, i: &Instance, state: &State) -> Value {
    let mut all = serde_json::Map::new();
    for (s, symbol) in system.symbols.iter().enumerate() {
        if symbol.kind == Kind::Const {
            continue;
        }
        let shown: Vec<Value> = i
            .cells(system, s)
            .iter()
            .enumerate()
            .map(|(n, cell)| json!({ "at": cell, "value": system.show(symbol.ty, state.cells[s][n]) }))
            .collect();
        let value = match shown.as_slice() {
            [one] if symbol.args.is_empty() => one["value"].clone(),
            _ => shown.into(),
        };
        all.insert(symbol.name.clone(), value);
    }
    all.into()
}

pub fn inferred_text(system: &System, found: &Inferred) -> String {
    let mut out =
        format!("{} of {} candidates are inductive together:\n\n", found.kept.len(), found.candidates);
    for claim in &found.kept {
        let _ = writeln!(out, "invariant {}: {};", claim.0, claim.1);
    }
    let _ = writeln!(out);
    let _ = match found.report.verdict {
        Verdict::Proved => {
            writeln!(out, "proved for every number of {}s", system.sorts[system.threads].name.to_lowercase())
        }
        Verdict::Violated => writeln!(out, "violated"),
        _ => writeln!(out, "not proved: this is not enough"),
    };
    out
}

pub fn inferred_json(system: &System, found: &Inferred) -> String {
    let kept: Vec<Value> = found.kept.iter().map(|k| json!({ "name": k.0, "formula": k.1 })).collect();
    let value = json!({
        "verdict": found.report.verdict.name(), "model": null, "file": system.file,
        "candidates": found.candidates, "invariant": kept,
    });
    result_json("prove", &value)
}
