//! Counterexamples for people: as a drawing, and as a litmus test.

use crate::witness::Example;
use selvedge_certify::execution::{Deps, INIT};
use selvedge_certify::matrix::bits;
use selvedge_graph::{Kind, Loc};
use selvedge_litmus::print_program;
use selvedge_machine::Program;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use std::fmt::Write;

fn loc_name(loc: u32) -> String {
    match loc {
        0..=2 => ["x", "y", "z"][loc as usize].to_string(),
        n => format!("x{n}"),
    }
}

impl Example {
    /// The place of a write in the coherence order of its location; 0 is the initial value. Writes
    /// write this.
    fn value(&self, write: usize) -> i64 {
        if write == INIT {
            return 0;
        }
        (1..self.events.len()).filter(|x| self.relations.co.has(*x, write)).count() as i64 + 1
    }

    fn source(&self, read: usize) -> usize {
        (0..self.events.len()).find(|w| self.relations.rf.has(*w, read)).unwrap_or(INIT)
    }

    /// `W[rel] x=1`, `R[acq] x → 0`, `F[sc]`.
    pub fn label(&self, event: usize) -> String {
        let e = &self.events[event];
        match e.kind {
            Kind::Init => "init".into(),
            Kind::Read => format!("R[{}] {} → {}", e.mode, loc_name(e.loc), self.value(self.source(event))),
            Kind::Write => format!("W[{}] {}={}", e.mode, loc_name(e.loc), self.value(event)),
            Kind::Fence => format!("F[{}]", e.mode),
            _ => "other".into(),
        }
    }

    /// The events by thread, and `rf`, `co` and `fr` between them.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut tids: Vec<u16> = self.events[1..].iter().map(|e| e.tid).collect();
        tids.dedup();
        for (number, tid) in tids.iter().enumerate() {
            let of = (1..self.events.len()).filter(|x| self.events[*x].tid == *tid);
            let labels: Vec<String> = of.map(|x| format!("{}: {}", name(x), self.label(x))).collect();
            let _ = writeln!(out, "  thread {number}:  {}", labels.join(";  "));
        }
        let r = &self.relations;
        for (what, m) in [
            ("rf", &r.rf),
            ("co", &r.co),
            ("fr", &r.fr),
            ("addr", &r.addr),
            ("data", &r.data),
            ("ctrl", &r.ctrl),
        ] {
            let mut pairs = Vec::new();
            for x in 0..self.events.len() {
                // That the initial value comes first goes without saying.
                if x == INIT && what == "co" {
                    continue;
                }
                pairs.extend(bits(m.row(x)).map(|y| format!("{} → {}", name(x), name(y))));
            }
            if !pairs.is_empty() {
                let _ = writeln!(out, "  {what}:  {}", pairs.join(",  "));
            }
        }
        out
    }

    /// For Graphviz: a column per thread, in program order from top to bottom.
    pub fn dot(&self, title: &str) -> String {
        let mut out = format!("digraph \"{}\" {{\n", title.replace('\\', "\\\\").replace('"', "\\\""));
        out.push_str("  graph [layout=neato, splines=true, outputorder=edgesfirst, forcelabels=true];\n");
        out.push_str(
            "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\"];\n",
        );
        out.push_str("  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.7];\n");
        let mut column = 0.0;
        let mut last = None;
        for (x, e) in self.events.iter().enumerate() {
            if x == INIT {
                out.push_str("  e0 [label=\"initial values\", fillcolor=\"#eeeeee\", pos=\"0,0!\"];\n");
                continue;
            }
            if last.is_some_and(|t| t != e.tid) {
                column += 2.6;
            }
            last = Some(e.tid);
            let (x_pos, y_pos) = (column, -f64::from(e.idx));
            let _ = writeln!(out, "  e{x} [label=\"{}\", pos=\"{x_pos:.2},{y_pos:.2}!\"];", self.label(x));
        }
        let kinds = [
            ("po", &self.relations.po_imm, "black"),
            ("rf", &self.relations.rf, "#b3001e"),
            ("co", &self.relations.co, "#1f4fbf"),
            ("fr", &self.relations.fr, "#d97700"),
            ("addr", &self.relations.addr, "#00725a"),
            ("data", &self.relations.data, "#00725a"),
            ("ctrl", &self.relations.ctrl, "#00725a"),
        ];
        for (what, m, color) in kinds {
            for x in 0..self.events.len() {
                if x == INIT && what != "rf" {
                    continue;
                }
                for y in bits(m.row(x)) {
                    let _ = writeln!(
                        out,
                        "  e{x} -> e{y} [label=\"{what}\", color=\"{color}\", fontcolor=\"{color}\"];"
                    );
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// A test whose condition holds in this execution, and in no other one that reads the same values
    /// and ends with the same. `None` if C has no words for it, or there are dependencies.
    pub fn litmus(&self, test: &str) -> Option<String> {
        if self.events.iter().any(|e| e.deps != Deps::default()) {
            return None;
        }
        let mut program = Program::new(test);
        let locs = self.events.iter().filter(|e| matches!(e.kind, Kind::Read | Kind::Write)).map(|e| e.loc);
        let count = locs.max().map_or(0, |l| l + 1);
        for loc in 0..count {
            program.loc(loc_name(loc), 0);
        }
        let mut terms: Vec<String> = Vec::new();
        let mut tids: Vec<u16> = self.events[1..].iter().map(|e| e.tid).collect();
        tids.dedup();
        for (number, tid) in tids.iter().enumerate() {
            let mut code = Vec::new();
            let mut regs = 0;
            let mut skip = false;
            for x in (1..self.events.len()).filter(|x| self.events[*x].tid == *tid) {
                let e = &self.events[x];
                let addr = Addr::Loc(Loc(e.loc));
                match e.kind {
                    _ if std::mem::take(&mut skip) => {}
                    Kind::Read => {
                        let dst = Reg(regs);
                        terms.push(format!("{number}:r{regs}={}", self.value(self.source(x))));
                        regs += 1;
                        match bits(self.relations.rmw.row(x)).next() {
                            Some(w) => {
                                let operand = Expr::Const(self.value(w));
                                code.push(Instr::Rmw {
                                    dst,
                                    addr,
                                    op: RmwOp::Exchange,
                                    operand,
                                    mode: e.mode,
                                });
                                skip = true;
                            }
                            None => code.push(Instr::Load { dst, addr, mode: e.mode }),
                        }
                    }
                    Kind::Write => {
                        code.push(Instr::Store { addr, value: Expr::Const(self.value(x)), mode: e.mode });
                    }
                    Kind::Fence => code.push(Instr::Fence { mode: e.mode }),
                    _ => return None,
                }
            }
            program.thread(format!("P{number}"), true, code);
        }
        for loc in 0..count {
            let writes: Vec<usize> = (1..self.events.len())
                .filter(|x| self.events[*x].kind == Kind::Write && self.events[*x].loc == loc)
                .collect();
            if let Some(last) = writes.iter().map(|w| self.value(*w)).max().filter(|_| writes.len() > 1) {
                terms.push(format!("{}={last}", loc_name(loc)));
            }
        }
        let condition = if terms.is_empty() { "true".into() } else { terms.join(" /\\ ") };
        Some(print_program(&program, &format!("exists ({condition})")))
    }
}

fn name(x: usize) -> String {
    if x == INIT { "init".into() } else { format!("e{x}") }
}
