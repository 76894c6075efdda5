//! The automata of a model's axioms, to be shown.

use crate::answer::constraint;
use crate::context::{Context, Refusal, Scope};
use crate::lower::{Lowering, Side};
use crate::nfa::Nfa;
use crate::saturate::saturate;
use crate::search::Limits;
use selvedge_kat::ast::Theory;

/// The automaton of one axiom.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub axiom: String,
    pub states: usize,
    pub steps: usize,
    pub saturated: usize,
    nfa: Nfa,
    context: Context,
}

impl Automaton {
    /// For Graphviz, as part of a graph; `number` keeps the names of several apart.
    pub fn dot(&self, number: usize) -> String {
        let mut out = format!("  subgraph cluster_{number} {{\n    label=\"{}\";\n", quoted(&self.axiom));
        for (q, accepts) in self.nfa.accepts.iter().enumerate() {
            let shape = if *accepts != 0 { "doublecircle" } else { "circle" };
            let first = if self.nfa.initial.contains(&(q as u32)) { ", style=bold" } else { "" };
            out.push_str(&format!("    a{number}_{q} [label=\"\", shape={shape}{first}];\n"));
        }
        for (q, steps) in self.nfa.steps.iter().enumerate() {
            for s in steps {
                let test = |mask| {
                    let t = self.context.classes.describe(mask);
                    if t.is_empty() { t } else { format!("[{t}]") }
                };
                let label =
                    format!("{}{}{}", test(s.from), s.facts.named(&self.context.relations), test(s.to));
                out.push_str(&format!(
                    "    a{number}_{q} -> a{number}_{} [label=\"{}\"];\n",
                    s.target,
                    quoted(&label)
                ));
            }
        }
        out.push_str("  }\n");
        out
    }
}

/// As a string of Graphviz.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The automata of a model's axioms.
pub fn automata(theory: &Theory, limits: Limits) -> Result<Vec<Automaton>, Refusal> {
    let scope = Scope { models: vec![theory], assuming: vec![theory], claims: vec![] };
    let context = Context::new(&scope, limits)?;
    let mut lower = Lowering::new(theory, &context);
    let mut out = Vec::new();
    for axiom in theory.axioms.iter().filter(|a| !a.extra) {
        let Some(c) = constraint(axiom, &mut lower, Side::Below) else { continue };
        let shown = theory.show(axiom).to_string();
        let large = |e| Refusal::too_large(&shown, &e);
        let nfa = Nfa::of(&c.term, context.all(), limits.states).map_err(large)?;
        let full = saturate(
            &nfa,
            &context.assumptions,
            &context.loops,
            &context.implied,
            &context.classes,
            false,
            limits.states,
        )
        .map_err(large)?;
        out.push(Automaton {
            states: nfa.states(),
            steps: nfa.steps.iter().map(Vec::len).sum(),
            saturated: full.states(),
            axiom: shown,
            nfa,
            context: context.clone(),
        });
    }
    Ok(out)
}
