//! From a thread's statements to the register language.
//!
//! Every access to memory becomes an instruction of its own, in the order in which C's operands
//! stand. Loops stay loops: a hidden register counts their iterations and the thread is cut at the
//! bound, so that code does not grow with the bound.

mod access;
mod kernel;
mod locations;
mod value;

pub use access::LKMM_NOTE;
pub use locations::{Found, Locations};

use crate::bounds::{Loop, widen};
use crate::lex::clip;
use crate::source::{Place, Source};
use crate::syntax::Parsed;
use crate::test::Options;
use crate::tree::{Declared, Expr, File, Init, Name, Stmt};
use selvedge_graph::{Tid, Value};
use selvedge_machine::expr::{BinOp, Expr as Code, Reg, UnOp};
use selvedge_machine::program::Instr;
use std::collections::HashMap;

/// The machine numbers the instructions of its errors in twenty bits.
const MAX_CODE: usize = 1 << 20;
const MAX_REGISTERS: usize = 1 << 14;

pub struct Compiled {
    pub regs: Vec<String>,
    pub code: Vec<Instr>,
    /// The call that each instruction is of.
    pub places: Vec<Place>,
    /// Threads that this one starts.
    pub spawns: Vec<(Tid, Place)>,
}

pub fn thread(
    source: &Source<'_>,
    file: &File<'_>,
    locations: &Locations,
    number: usize,
    options: &Options,
    notes: &mut Vec<String>,
) -> Parsed<Compiled> {
    let mut lower = Lower {
        source,
        file,
        locations,
        notes,
        unroll: options.unroll,
        names: HashMap::new(),
        scopes: vec![Vec::new()],
        regs: Vec::new(),
        temps: Vec::new(),
        temps_used: 0,
        code: Vec::new(),
        places: Vec::new(),
        labels: Vec::new(),
        named: HashMap::new(),
        loops: Vec::new(),
        bounded: Vec::new(),
        spawns: Vec::new(),
        sections: 0,
    };
    for init in &file.init {
        if let Init::Register { thread, name, value } = init
            && usize::try_from(thread.number) == Ok(number)
        {
            let dst = lower.register(name)?;
            lower.emit(Instr::Assign { dst, expr: Code::Const(*value) });
        }
    }
    let end = lower.label();
    lower.returns(end, &file.threads[number].body)?;
    lower.finish()
}

/// A jump target; its instruction number is known once it is placed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Label(usize);

struct Local {
    reg: Reg,
    /// Declared in a block that is still open.
    open: bool,
    /// Given a value in the initial state, which declares it everywhere.
    initial: bool,
}

struct NamedLabel {
    label: Label,
    /// The first `goto`, for the message if there is no such label.
    used: Place,
}

struct Lower<'a> {
    source: &'a Source<'a>,
    file: &'a File<'a>,
    locations: &'a Locations,
    notes: &'a mut Vec<String>,
    unroll: u32,
    names: HashMap<&'a str, Local>,
    /// Names by the block that declares them, innermost last.
    scopes: Vec<Vec<&'a str>>,
    regs: Vec<String>,
    /// Hidden registers; the first `temps_used` hold something that is still needed.
    temps: Vec<Reg>,
    temps_used: usize,
    /// Until `finish`, targets are labels.
    code: Vec<Instr>,
    /// As far as they are known, of the first so many.
    places: Vec<Place>,
    labels: Vec<Option<usize>>,
    named: HashMap<&'a str, NamedLabel>,
    /// Where `break` and `continue` go.
    loops: Vec<(Label, Label)>,
    /// Those that have a bound, as far as they are compiled.
    bounded: Vec<Loop>,
    spawns: Vec<(Tid, Place)>,
    /// In how many read-side sections of RCU this is.
    sections: u32,
}

impl<'a> Lower<'a> {
    fn returns(&mut self, end: Label, body: &'a [Stmt<'a>]) -> Parsed<()> {
        self.loops.push((end, end));
        self.balanced(|l| body.iter().try_for_each(|stmt| l.stmt(stmt)))?;
        self.loops.pop();
        self.place(end);
        Ok(())
    }

    /// Turns labels into instruction numbers.
    fn finish(mut self) -> Parsed<Compiled> {
        for (name, named) in &self.named {
            if self.labels[named.label.0].is_none() {
                return Err(self.source.error(named.used, format!("no label is called `{}`", clip(name))));
            }
        }
        if self.code.len() >= MAX_CODE {
            let place = Place::new(0, 0);
            return Err(self.source.error(place, format!("a thread compiles to more than {MAX_CODE} steps")));
        }
        for instr in &mut self.code {
            if let Instr::Branch { target, .. } | Instr::Jump { target } = instr {
                *target = self.labels[*target].unwrap_or(usize::MAX);
            }
        }
        self.refuse_spawns_in_loops()?;
        widen(&mut self.code, &self.bounded, self.unroll);
        self.places.resize(self.code.len(), Place::default());
        Ok(Compiled { regs: self.regs, code: self.code, places: self.places, spawns: self.spawns })
    }

    fn refuse_spawns_in_loops(&self) -> Parsed<()> {
        // The earliest instruction that something from here on jumps back to.
        let mut back = usize::MAX;
        let mut spawns = self.spawns.iter().rev();
        for (pc, instr) in self.code.iter().enumerate().rev() {
            match instr {
                Instr::Branch { target, .. } | Instr::Jump { target } => back = back.min(*target),
                Instr::Spawn { thread } => {
                    let place = spawns.next().map_or(Place::default(), |(_, place)| *place);
                    if back <= pc {
                        let message = format!("P{} is spawned in a loop", thread.0);
                        return Err(self.source.error(place, message));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    // ---- code ----

    fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
    }

    fn assign(&mut self, dst: Reg, expr: Code) {
        self.emit(Instr::Assign { dst, expr });
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    fn placed_label(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    fn jump(&mut self, label: Label) {
        self.emit(Instr::Jump { target: label.0 });
    }

    fn branch(&mut self, cond: Code, label: Label) {
        self.emit(Instr::Branch { cond, target: label.0 });
    }

    fn branch_unless(&mut self, cond: Code, label: Label) {
        self.branch(Code::un(UnOp::Not, cond), label);
    }

    fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    // ---- registers ----

    fn fresh(&mut self, name: String) -> Parsed<Reg> {
        if self.regs.len() >= MAX_REGISTERS {
            let message = format!("a thread uses more than {MAX_REGISTERS} registers");
            return Err(self.source.error(Place::new(0, 0), message));
        }
        self.regs.push(name);
        Ok(Reg(self.regs.len() as u16 - 1))
    }

    /// A hidden register that keeps its value until the statement ends.
    fn temp(&mut self) -> Parsed<Reg> {
        if self.temps_used == self.temps.len() {
            let name = format!("%{}", self.temps.len());
            let reg = self.fresh(name)?;
            self.temps.push(reg);
        }
        self.temps_used += 1;
        Ok(self.temps[self.temps_used - 1])
    }

    /// The register of a name in the initial state.
    fn register(&mut self, name: &Name<'a>) -> Parsed<Reg> {
        if self.names.contains_key(name.text) || self.locations.find(name.text).is_some() {
            let message = format!("`{}` already has an initial value", clip(name.text));
            return Err(self.source.error(name.place, message));
        }
        let reg = self.fresh(name.text.to_string())?;
        self.names.insert(name.text, Local { reg, open: false, initial: true });
        Ok(reg)
    }

    fn declare(&mut self, name: &Name<'a>) -> Parsed<Reg> {
        if self.locations.find(name.text).is_some() {
            let message = format!("register `{}` would hide the location of that name", clip(name.text));
            return Err(self.source.error(name.place, message));
        }
        let reg = match self.names.get_mut(name.text) {
            Some(local) if local.open => {
                let message = format!("register `{}` is declared twice", clip(name.text));
                return Err(self.source.error(name.place, message));
            }
            Some(local) => {
                local.open = true;
                local.reg
            }
            None => {
                let reg = self.fresh(name.text.to_string())?;
                self.names.insert(name.text, Local { reg, open: true, initial: false });
                reg
            }
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.text);
        }
        Ok(reg)
    }

    fn local(&self, name: &str) -> Option<Reg> {
        self.names.get(name).filter(|local| local.open || local.initial).map(|local| local.reg)
    }

    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(Vec::new());
        let result = f(self);
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(local) = self.names.get_mut(name) {
                local.open = false;
            }
        }
        result
    }

    // ---- statements ----

    fn stmt(&mut self, stmt: &'a Stmt<'a>) -> Parsed<()> {
        let mark = self.temps_used;
        let result = self.stmt_inner(stmt);
        self.temps_used = mark;
        result
    }

    fn stmt_inner(&mut self, stmt: &'a Stmt<'a>) -> Parsed<()> {
        match stmt {
            Stmt::Block(stmts) => self.scoped(|l| l.balanced(|l| stmts.iter().try_for_each(|s| l.stmt(s)))),
            Stmt::Declare(all) => all.iter().try_for_each(|d| self.declaration(d)),
            Stmt::Expr(expr) => self.effect(expr),
            Stmt::If(cond, then, other) => self.if_else(cond, then, other.as_deref()),
            Stmt::While(cond, body) => self.while_loop(Some(cond), None, body),
            Stmt::DoWhile(body, cond) => self.do_loop(body, cond),
            Stmt::For { init, cond, step, body } => self.scoped(|l| {
                if let Some(init) = init {
                    l.stmt(init)?;
                }
                l.while_loop(cond.as_ref(), step.as_ref(), body)
            }),
            Stmt::Label(name) => self.named_label(name),
            Stmt::Goto { label, bounded } => self.goto(label, *bounded),
            Stmt::Break(place) | Stmt::Continue(place) => {
                // The outermost entry is the thread itself, for `return`.
                let Some((end, again)) = self.loops[1..].last().copied() else {
                    return Err(self.source.error(*place, "this is not inside of a loop"));
                };
                self.outside(*place)?;
                self.jump(if matches!(stmt, Stmt::Break(_)) { end } else { again });
                Ok(())
            }
            Stmt::Return => {
                self.outside(Place::default())?;
                self.jump(self.loops[0].0);
                Ok(())
            }
        }
    }

    fn declaration(&mut self, declared: &'a Declared<'a>) -> Parsed<()> {
        let reg = self.declare(&declared.name)?;
        let mark = self.temps_used;
        if let Some(init) = &declared.init {
            self.value_into(reg, init)?;
        }
        self.temps_used = mark;
        Ok(())
    }

    fn if_else(&mut self, cond: &'a Expr<'a>, then: &'a Stmt<'a>, other: Option<&'a Stmt<'a>>) -> Parsed<()> {
        if let (Some(label), None, 0) = (self.plain_goto(then), other, self.sections) {
            return self.branch_on(cond, true, label);
        }
        let (otherwise, end) = (self.label(), self.label());
        self.branch_on(cond, false, otherwise)?;
        self.stmt(then)?;
        if let Some(other) = other {
            self.jump(end);
            self.place(otherwise);
            self.stmt(other)?;
        } else {
            self.place(otherwise);
        }
        self.place(end);
        Ok(())
    }

    /// The target, if the statement is nothing but a `goto` that needs no counting.
    fn plain_goto(&mut self, stmt: &'a Stmt<'a>) -> Option<Label> {
        let Stmt::Block(stmts) = stmt else { return None };
        let [Stmt::Goto { label, bounded }] = &stmts[..] else { return None };
        let target = self.target(label);
        (!bounded || self.labels[target.0].is_none()).then_some(target)
    }

    /// `while` and `for`: the bound counts how often the body runs.
    fn while_loop(
        &mut self,
        cond: Option<&'a Expr<'a>>,
        step: Option<&'a Expr<'a>>,
        body: &'a Stmt<'a>,
    ) -> Parsed<()> {
        let count = self.counter()?;
        let (end, again) = (self.label(), self.label());
        let top = self.placed_label();
        let mark = self.temps_used;
        if let Some(cond) = cond {
            self.branch_on(cond, false, end)?;
        }
        self.temps_used = mark;
        let go_on = self.label();
        let check = self.code.len();
        self.branch(self.below_bound(count), go_on);
        self.emit(Instr::Cut);
        self.place(go_on);
        self.count(count);
        self.loop_body(end, again, body)?;
        self.place(again);
        if let Some(step) = step {
            self.effect(step)?;
            self.temps_used = mark;
        }
        self.jump(top);
        self.bound(top, check);
        self.place(end);
        Ok(())
    }

    fn do_loop(&mut self, body: &'a Stmt<'a>, cond: &'a Expr<'a>) -> Parsed<()> {
        let count = self.counter()?;
        let (end, again) = (self.label(), self.label());
        let top = self.placed_label();
        self.loop_body(end, again, body)?;
        self.place(again);
        self.branch_on(cond, false, end)?;
        self.count(count);
        self.bound(top, self.code.len());
        self.branch(self.below_bound(count), top);
        self.emit(Instr::Cut);
        self.place(end);
        Ok(())
    }

    fn loop_body(&mut self, end: Label, again: Label, body: &'a Stmt<'a>) -> Parsed<()> {
        self.loops.push((end, again));
        let result = self.stmt(body);
        self.loops.pop();
        result
    }

    /// A loop from `top` up to here has its bound checked at `check`.
    fn bound(&mut self, top: Label, check: usize) {
        if let Some(start) = self.labels[top.0] {
            self.bounded.push(Loop { start, end: self.code.len(), check });
        }
    }

    /// A register that counts iterations from 0; it is the loop's as long as the loop is compiled.
    fn counter(&mut self) -> Parsed<Reg> {
        let count = self.temp()?;
        self.assign(count, Code::Const(0));
        Ok(count)
    }

    fn count(&mut self, count: Reg) {
        self.assign(count, Code::bin(BinOp::Add, Code::Reg(count), Code::Const(1)));
    }

    fn below_bound(&self, count: Reg) -> Code {
        Code::bin(BinOp::Lt, Code::Reg(count), Code::Const(self.unroll as Value))
    }

    fn target(&mut self, name: &Name<'a>) -> Label {
        if let Some(named) = self.named.get(name.text) {
            return named.label;
        }
        let label = self.label();
        self.named.insert(name.text, NamedLabel { label, used: name.place });
        label
    }

    fn named_label(&mut self, name: &Name<'a>) -> Parsed<()> {
        self.outside(name.place)?;
        let label = self.target(name);
        if self.labels[label.0].is_some() {
            let message = format!("label `{}` stands twice", clip(name.text));
            return Err(self.source.error(name.place, message));
        }
        self.place(label);
        Ok(())
    }

    fn goto(&mut self, name: &Name<'a>, bounded: bool) -> Parsed<()> {
        self.outside(name.place)?;
        let target = self.target(name);
        if !bounded || self.labels[target.0].is_none() {
            self.jump(target);
            return Ok(());
        }
        // Going back: this `goto` is taken so many times in all, then the thread is cut.
        let count = self.fresh(format!("%goto{}", self.code.len()))?;
        self.count(count);
        let bound = Code::Const(self.unroll as Value);
        self.bound(target, self.code.len());
        self.branch(Code::bin(BinOp::Le, Code::Reg(count), bound), target);
        self.emit(Instr::Cut);
        Ok(())
    }

    /// The thread that `P2` names in `spawn(P2)`.
    fn thread_named(&self, arg: &Expr<'_>) -> Parsed<(Tid, bool)> {
        let text = self.source.slice(arg.place);
        let number = text.strip_prefix('P').and_then(|n| n.parse::<u16>().ok());
        let thread = number.and_then(|n| self.file.threads.get(n as usize).map(|t| (Tid(n), t.spawned)));
        thread.ok_or_else(|| {
            let error = self.source.error(arg.place, format!("no thread is called `{}`", clip(text)));
            error.with_help("threads are P0, P1, …")
        })
    }
}
