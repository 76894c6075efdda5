//! From a program back to the text of a test.
//!
//! What C has no words for is written with Selvedge's own: `goto_unbounded`, `cut()`, `spawn(P2)`,
//! `join(P2)`, `spawned P2 (…)`, `raw_compare_exchange_strong`, `total_div`, `total_rem`. Parsing the
//! text gives an equivalent program with the same numbers of threads, locations and registers.

use crate::calls;
use crate::syntax::is_type_word;
use selvedge_graph::{Loc, Mode, Value};
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::{Addr, Instr, RmwOp, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The text of a test that runs `program`; `condition` is put after the threads as it is
/// (`exists (0:r0=1)`).
pub fn print_program(program: &Program, condition: &str) -> String {
    let places = Places::of(program);
    let name: String = program
        .name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !"({\"".contains(c) { c } else { '_' })
        .collect();
    let mut out = format!("C {}\n\n{{", if name.is_empty() { "program" } else { &name });
    places.write_init(program, &mut out);
    out.push_str("}\n\n");
    for (number, thread) in program.threads.iter().enumerate() {
        Printer::new(&places, thread).thread(number, &mut out);
        out.push('\n');
    }
    out.push_str(condition);
    out.push('\n');
    out
}

/// How locations are written: each belongs to a variable, which may be an array.
struct Places {
    variables: Vec<Variable>,
    /// The variable of each location.
    of: Vec<usize>,
}

struct Variable {
    name: String,
    base: u32,
    len: u32,
    array: bool,
    /// Never accessed plainly.
    atomic: bool,
}

impl Places {
    fn of(program: &Program) -> Places {
        let count = program.locs.len() as u32;
        let mut plain = BTreeSet::new();
        let mut runs: Vec<(u32, u32)> = named_arrays(program);
        for instr in program.threads.iter().flat_map(|t| &t.code) {
            let Some((addr, mode)) = access(instr) else { continue };
            let (base, len) = match addr {
                Addr::Loc(loc) => (loc.0, 1),
                // The text stays readable, though it is none of C: pointers are numbers here.
                Addr::Pointer(_) => continue,
                Addr::Element { base, len, .. } => {
                    runs.push((base.0, base.0 + len.max(&1)));
                    (base.0, *len)
                }
            };
            if mode == Mode::Na {
                plain.extend(base..base + len);
            }
        }
        runs.sort();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (from, to) in runs {
            match merged.last_mut() {
                Some(last) if from < last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        let arrays: BTreeMap<u32, u32> = merged.into_iter().map(|(from, to)| (from, to.min(count))).collect();
        let mut places = Places { variables: Vec::new(), of: vec![0; count as usize] };
        let mut names = Names::default();
        let mut at = 0;
        while at < count {
            let (end, array) = arrays.get(&at).map_or((at + 1, false), |&end| (end.max(at + 1), true));
            let written = &program.locs[at as usize].0;
            let array = array && (end - at > 1 || written.ends_with("[0]"));
            let stem = if array { written.strip_suffix("[0]").unwrap_or(written) } else { written };
            let name = names.pick(stem, "v", at as usize);
            let atomic = plain.range(at..end).next().is_none();
            places.of[at as usize..end as usize].fill(places.variables.len());
            places.variables.push(Variable { name, base: at, len: end - at, array, atomic });
            at = end;
        }
        places
    }

    fn write_init(&self, program: &Program, out: &mut String) {
        for v in &self.variables {
            let cells = &program.locs[v.base as usize..(v.base + v.len) as usize];
            let kind = if v.atomic { "atomic_int" } else { "int" };
            let values: Vec<String> = cells.iter().map(|(_, value)| value.to_string()).collect();
            let _ = match v.array {
                true => write!(out, " {kind} {}[{}] = {{{}}};", v.name, v.len, values.join(", ")),
                false => write!(out, " {kind} {} = {};", v.name, values.join("")),
            };
        }
        out.push(' ');
    }

    fn variable(&self, loc: Loc) -> &Variable {
        &self.variables[self.of[loc.index()]]
    }
}

/// Runs of locations that are called `a[0]`, `a[1]`, …
fn named_arrays(program: &Program) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < program.locs.len() {
        let mut end = at + 1;
        if let Some(stem) = program.locs[at].0.strip_suffix("[0]") {
            while program.locs.get(end).is_some_and(|(n, _)| *n == format!("{stem}[{}]", end - at)) {
                end += 1;
            }
            runs.push((at as u32, end as u32));
        }
        at = end;
    }
    runs
}

fn access(instr: &Instr) -> Option<(&Addr, Mode)> {
    match instr {
        Instr::Load { addr, mode, .. } | Instr::Store { addr, mode, .. } => Some((addr, *mode)),
        Instr::Rmw { addr, mode, .. }
        | Instr::LoadLinked { addr, mode, .. }
        | Instr::StoreConditional { addr, mode, .. } => Some((addr, *mode)),
        Instr::Cas { addr, success, .. } => Some((addr, *success)),
        _ => None,
    }
}

/// Names that are taken.
#[derive(Clone, Default)]
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// `wanted` if it can be written and is free, otherwise one made of `prefix` and `number`.
    fn pick(&mut self, wanted: &str, prefix: &str, number: usize) -> String {
        let mut name = wanted.to_string();
        if !is_identifier(&name) || self.taken.contains(&name) {
            name = format!("{prefix}{number}");
        }
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }
}

fn is_identifier(name: &str) -> bool {
    const RESERVED: [&str; 27] = [
        "if",
        "else",
        "while",
        "do",
        "for",
        "goto",
        "goto_unbounded",
        "break",
        "continue",
        "return",
        "switch",
        "case",
        "default",
        "struct",
        "union",
        "enum",
        "typedef",
        "asm",
        "sizeof",
        "void",
        "true",
        "false",
        "NULL",
        "exists",
        "forall",
        "not",
        "spawned",
    ];
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let thread = name.len() > 1 && name.starts_with('P') && name[1..].bytes().all(|b| b.is_ascii_digit());
    starts
        && !thread
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !RESERVED.contains(&name)
        && !is_type_word(name)
        && calls::lookup(name).is_none()
        && !name.starts_with("memory_order_")
        && !name.starts_with("ATOMIC_")
}

struct Printer<'a> {
    places: &'a Places,
    thread: &'a Thread,
    regs: Vec<String>,
}

impl<'a> Printer<'a> {
    fn new(places: &'a Places, thread: &'a Thread) -> Printer<'a> {
        let taken = places.variables.iter().map(|v| v.name.clone()).collect();
        let mut names = Names { taken };
        let regs = thread.regs.iter().enumerate().map(|(i, name)| names.pick(name, "r", i)).collect();
        Printer { places, thread, regs }
    }

    fn thread(&self, number: usize, out: &mut String) {
        let used: BTreeSet<usize> = self
            .thread
            .code
            .iter()
            .filter_map(access)
            .filter_map(|(addr, _)| match addr {
                Addr::Loc(loc) | Addr::Element { base: loc, .. } => Some(self.places.of[loc.index()]),
                Addr::Pointer(_) => None,
            })
            .collect();
        let params: Vec<String> = used
            .into_iter()
            .map(|i| &self.places.variables[i])
            .map(|v| format!("{}* {}", if v.atomic { "atomic_int" } else { "int" }, v.name))
            .collect();
        let spawned = if self.thread.initial { "" } else { "spawned " };
        let _ = writeln!(out, "{spawned}P{number} ({}) {{", params.join(", "));
        if !self.regs.is_empty() {
            let _ = writeln!(out, "  int {};", self.regs.join(", "));
        }
        let code = &self.thread.code;
        let targets: BTreeSet<usize> = code.iter().filter_map(target).map(|t| t.min(code.len())).collect();
        for (pc, instr) in code.iter().enumerate() {
            if targets.contains(&pc) {
                let _ = writeln!(out, "L{pc}:");
            }
            let _ = writeln!(out, "  {}", self.instr(pc, instr));
        }
        if targets.contains(&code.len()) {
            let _ = writeln!(out, "L{}: ;", code.len());
        }
        out.push_str("}\n");
    }

    fn instr(&self, pc: usize, instr: &Instr) -> String {
        match instr {
            Instr::Assign { dst, expr } => format!("{} = {};", self.reg(*dst), self.expr(expr)),
            Instr::Load { dst, addr, mode: Mode::Na } => {
                self.with_check(addr, format!("{} = {};", self.reg(*dst), self.object(addr)))
            }
            Instr::Load { dst, addr, mode } => {
                let text = format!(
                    "{} = atomic_load_explicit({}, {});",
                    self.reg(*dst),
                    self.pointer(addr),
                    order(*mode)
                );
                self.with_check(addr, text)
            }
            Instr::Store { addr, value, mode: Mode::Na } => {
                self.with_check(addr, format!("{} = {};", self.object(addr), self.expr(value)))
            }
            Instr::Store { addr, value, mode } => {
                let (pointer, value) = (self.pointer(addr), self.expr(value));
                let text = format!("atomic_store_explicit({pointer}, {value}, {});", order(*mode));
                self.with_check(addr, text)
            }
            Instr::Rmw { dst, addr, op, operand, mode } => {
                let text = format!(
                    "{} = atomic_{}_explicit({}, {}, {});",
                    self.reg(*dst),
                    rmw_name(*op),
                    self.pointer(addr),
                    self.expr(operand),
                    order(*mode)
                );
                self.with_check(addr, text)
            }
            Instr::Cas { ok, old, addr, expected, desired, success, failure, weak } => {
                let kind = if *weak { "weak" } else { "strong" };
                let (ok, old_name, pointer) = (self.reg(*ok), self.reg(*old), self.pointer(addr));
                let desired = self.expr(desired);
                let orders = format!("{}, {}", order(*success), order(*failure));
                let c_allows = matches!(failure, Mode::Rlx | Mode::Acq | Mode::Sc);
                let text = if *expected == Expr::Reg(*old) && c_allows {
                    format!(
                        "{ok} = atomic_compare_exchange_{kind}_explicit({pointer}, &{old_name}, {desired}, {orders});"
                    )
                } else {
                    let expected = self.expr(expected);
                    format!(
                        "{ok} = raw_compare_exchange_{kind}({pointer}, &{old_name}, {expected}, {desired}, {orders});"
                    )
                };
                self.with_check(addr, text)
            }
            Instr::LoadLinked { dst, addr, mode } => {
                let (dst, pointer) = (self.reg(*dst), self.pointer(addr));
                self.with_check(addr, format!("{dst} = load_linked({pointer}, {});", order(*mode)))
            }
            Instr::StoreConditional { ok, addr, value, mode } => {
                let (ok, pointer, value) = (self.reg(*ok), self.pointer(addr), self.expr(value));
                let text = format!("{ok} = store_conditional({pointer}, {value}, {});", order(*mode));
                self.with_check(addr, text)
            }
            Instr::Fence { mode } => format!("atomic_thread_fence({});", order(*mode)),
            Instr::Branch { cond, target } => {
                format!("if ({}) {}", self.expr(cond), self.goto(pc, *target))
            }
            Instr::Jump { target } => self.goto(pc, *target),
            Instr::Assume { cond } => format!("assume({});", self.expr(cond)),
            Instr::Assert { cond, message } => format!("assert({}, {});", self.expr(cond), quote(message)),
            Instr::Cut => String::from("cut();"),
            Instr::Spawn { thread } => format!("spawn(P{});", thread.0),
            Instr::Join { thread } => format!("join(P{});", thread.0),
        }
    }

    fn goto(&self, pc: usize, target: usize) -> String {
        let word = if target <= pc { "goto_unbounded" } else { "goto" };
        format!("{word} L{};", target.min(self.thread.code.len()))
    }

    fn reg(&self, reg: Reg) -> &str {
        self.regs.get(reg.0 as usize).map_or("r_missing", |name| name)
    }

    /// `*x` or `a[i]`.
    fn object(&self, addr: &Addr) -> String {
        let (loc, index) = match addr {
            Addr::Loc(loc) => (*loc, None),
            Addr::Element { base, index, .. } => (*base, Some(index)),
            Addr::Pointer(pointer) => return format!("*{}", self.expr(pointer)),
        };
        let v = self.places.variable(loc);
        let offset = loc.0 - v.base;
        match index {
            None if !v.array => format!("*{}", v.name),
            None => format!("{}[{offset}]", v.name),
            Some(index) if offset == 0 => format!("{}[{}]", v.name, self.expr(index)),
            Some(index) => format!("{}[{offset} + {}]", v.name, self.expr(index)),
        }
    }

    fn pointer(&self, addr: &Addr) -> String {
        let object = self.object(addr);
        match object.strip_prefix('*') {
            Some(name) => name.to_string(),
            None => format!("&{object}"),
        }
    }

    /// Where an access's array is only part of the variable that it is written with, its own bounds.
    fn with_check(&self, addr: &Addr, text: String) -> String {
        let Addr::Element { base, len, index } = addr else { return text };
        let v = self.places.variable(*base);
        if v.base == base.0 && v.len == *len {
            return text;
        }
        let index = self.expr(index);
        format!("assert(0 <= {index} && {index} < {len}, \"access outside of its array\");\n  {text}")
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => constant(*value),
            Expr::Reg(reg) => self.reg(*reg).to_string(),
            Expr::Un(op, a) => {
                let symbol = match op {
                    UnOp::Neg => "-",
                    UnOp::Not => "!",
                    UnOp::BitNot => "~",
                };
                // The space keeps `-` and `-` apart.
                format!("({symbol} {})", self.expr(a))
            }
            Expr::Bin(op @ (BinOp::Div | BinOp::Rem), a, b) if !matches!(**b, Expr::Const(c) if c != 0) => {
                let name = if *op == BinOp::Div { "total_div" } else { "total_rem" };
                format!("{name}({}, {})", self.expr(a), self.expr(b))
            }
            Expr::Bin(op, a, b) => format!("({} {} {})", self.expr(a), op.symbol(), self.expr(b)),
        }
    }
}

fn constant(value: Value) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}

fn target(instr: &Instr) -> Option<usize> {
    match instr {
        Instr::Branch { target, .. } | Instr::Jump { target } => Some(*target),
        _ => None,
    }
}

/// An atomic operation cannot be plain, and neither can a fence.
fn order(mode: Mode) -> String {
    let mode = if mode == Mode::Na { Mode::Rlx } else { mode };
    format!("memory_order_{}", mode.c_name())
}

fn rmw_name(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Exchange => "exchange",
        RmwOp::Add => "fetch_add",
        RmwOp::Sub => "fetch_sub",
        RmwOp::And => "fetch_and",
        RmwOp::Or => "fetch_or",
        RmwOp::Xor => "fetch_xor",
        RmwOp::Min => "fetch_min",
        RmwOp::Max => "fetch_max",
        RmwOp::MinU => "fetch_minu",
        RmwOp::MaxU => "fetch_maxu",
        RmwOp::Clear => "fetch_clear",
        RmwOp::AddWord => "fetch_add_word",
        RmwOp::SubWord => "fetch_sub_word",
    }
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
