//! Exceptions: from where something is thrown to what catches it.
//!
//! The register of the exception holds the object that is under way. Its lowest bit says that a `finally`
//! or `fault` block ran for it: a filter that is come to after that would, by the standard, have run before
//! it, and is refused, unless it only looks at the type of the exception and at what the block does not
//! write: then nobody can tell.

use super::body::Body;
use super::build::Label;
use super::stack::{Shape, Val};
use crate::CompileError;
use crate::layout::Prim;
use selvedge_cil::{Body as Il, Clause, ClauseKind, Op};
use selvedge_ir::{BinOp, Instr, Operand, Place, Reg};
use std::collections::{BTreeMap, HashMap};

#[derive(Default)]
pub struct Handlers {
    clauses: Vec<Clause>,
    /// By list of clauses that are still to be asked.
    landings: HashMap<Vec<usize>, Label>,
    /// Landings whose code is still to be written.
    open: Vec<(Vec<usize>, Label, Place)>,
    /// By clause: the register that says where to go on after a `finally`, and the places to go on.
    selectors: BTreeMap<usize, (Reg, Vec<Label>)>,
    /// By clause: the exception that its handler is about.
    caught: HashMap<usize, Reg>,
    /// Filters of which nobody can tell when they run, by where they begin.
    quiet: Vec<u32>,
    /// Clauses in whose filter the instruction is.
    in_filter: Vec<usize>,
    offset: u32,
}

impl Handlers {
    pub fn new(il: &Il) -> Handlers {
        let filter = |c: &Clause| match c.kind {
            ClauseKind::Filter(at) if is_quiet(il, at, c.handler) => Some(at),
            _ => None,
        };
        let quiet = il.clauses.iter().filter_map(filter).collect();
        Handlers { clauses: il.clauses.clone(), quiet, ..Handlers::default() }
    }

    /// An instruction is come to.
    pub fn enter(&mut self, offset: u32) {
        self.offset = offset;
        let within = |(n, c): (usize, &Clause)| match c.kind {
            ClauseKind::Filter(at) if at <= offset && offset < c.handler => Some(n),
            _ => None,
        };
        self.in_filter = self.clauses.iter().enumerate().filter_map(within).collect();
    }

    /// The clauses that protect an offset, inner ones first.
    fn around(&self, offset: u32) -> Vec<usize> {
        let protects = |c: &Clause| c.from <= offset && offset < c.to;
        (0..self.clauses.len()).filter(|n| protects(&self.clauses[*n])).collect()
    }

    /// The clause whose handler an offset is in, the innermost one.
    fn handling(&self, offset: u32, wanted: impl Fn(ClauseKind) -> bool) -> Option<usize> {
        let has = |n: &usize| {
            let c = &self.clauses[*n];
            c.handler <= offset && offset < c.handler_end && wanted(c.kind)
        };
        (0..self.clauses.len()).filter(has).min_by_key(|n| {
            let c = &self.clauses[*n];
            c.handler_end - c.handler
        })
    }
}

/// Whether a filter only tells types of the exception apart, and looks at variables that no `finally` or
/// `fault` block of the method writes.
fn is_quiet(il: &Il, from: u32, to: u32) -> bool {
    use Op::*;
    let last = |c: &&Clause| matches!(c.kind, ClauseKind::Finally | ClauseKind::Fault);
    let in_last = |at: u32| il.clauses.iter().filter(last).any(|c| c.handler <= at && at < c.handler_end);
    let changes = |local: i64| {
        let changes = |i: &selvedge_cil::Inst| match i.op {
            Ldloca => true,
            Stloc => in_last(i.offset),
            _ => false,
        };
        il.insts.iter().any(|i| i.operand.int() == local && changes(i))
    };
    let mut all = il.insts.iter().filter(|i| from <= i.offset && i.offset < to);
    all.all(|i| match i.op {
        Nop | Pop | Dup | Isinst | Ldnull | LdcI4 | Ceq | CgtUn | Br | Brtrue | Brfalse | Endfilter
        | Stloc => true,
        Ldloc => !changes(i.operand.int()),
        _ => false,
    })
}

impl Body<'_> {
    /// Where an exception goes from here.
    pub fn landing(&mut self) -> Label {
        if !self.handlers.in_filter.is_empty() {
            return self.landing_of(vec![usize::MAX]);
        }
        let list = self.handlers.around(self.offset);
        self.landing_of(list)
    }

    fn landing_of(&mut self, list: Vec<usize>) -> Label {
        if let Some(label) = self.handlers.landings.get(&list) {
            return *label;
        }
        let label = self.b.label();
        self.handlers.landings.insert(list.clone(), label);
        self.handlers.open.push((list, label, self.b.place));
        label
    }

    /// Goes where the exception goes that is under way.
    pub fn unwind(&mut self) -> Result<(), CompileError> {
        let label = self.landing();
        self.b.jump(label);
        Ok(())
    }

    /// Goes on if a call gave no exception.
    pub fn check_exception(&mut self) {
        let label = self.landing();
        self.b.branch_if(Operand::Reg(self.exc), label);
    }

    /// Throws something of the runtime's if a condition holds.
    pub fn throw_if(&mut self, cond: Operand, what: &'static str) {
        let label = self.b.label();
        self.b.branch_if(cond, label);
        self.cold.push((label, what, self.offset, self.b.place));
    }

    pub fn throw(&mut self, what: &'static str) -> Result<(), CompileError> {
        let object = self.new_object(what)?;
        self.b.set_to(self.exc, object);
        self.unwind()
    }

    /// An exception of the runtime's.
    fn new_object(&mut self, what: &'static str) -> Result<Operand, CompileError> {
        let Some(class) = self.lower.corlib_class(what) else {
            return self.refuse(&format!("the class library has no {what}"));
        };
        let size = self.lower.layouts.of(&mut self.lower.world, class)?.size;
        let dst = self.scratch(3);
        self.allocate(class, Operand::Const(size as u64), dst)?;
        Ok(Operand::Reg(dst))
    }

    /// What was put off to the end of the function.
    pub fn write_cold(&mut self) -> Result<(), CompileError> {
        loop {
            while let Some((label, what, offset, place)) = self.cold.pop() {
                self.b.place = place;
                self.b.set(label);
                self.offset = offset;
                self.handlers.enter(offset);
                self.throw(what)?;
            }
            let Some((list, label, place)) = self.handlers.open.pop() else { break };
            self.b.place = place;
            self.b.set(label);
            self.write_landing(&list)?;
        }
        let selectors = std::mem::take(&mut self.handlers.selectors);
        for (clause, (selector, labels)) in selectors {
            if let Some(end) = self.handlers.landings.get(&vec![usize::MAX, clause]).copied() {
                self.b.set(end);
                let cases = labels.iter().enumerate().map(|(n, l)| (n as u64, *l)).collect();
                let never = self.b.label();
                self.b.switch(Operand::Reg(selector), cases, never);
            }
        }
        Ok(())
    }

    fn write_landing(&mut self, list: &[usize]) -> Result<(), CompileError> {
        let [first, rest @ ..] = list else { return self.propagate() };
        if *first == usize::MAX {
            self.b.unsupported("an exception that is thrown in an exception filter");
            return Ok(());
        }
        let clause = self.handlers.clauses[*first];
        match clause.kind {
            ClauseKind::Catch(token) => {
                let next = self.landing_of(rest.to_vec());
                let ty = self.type_at(token)?;
                let (object, is) = (self.scratch(3), self.scratch(4));
                self.b.bin(BinOp::And, 64, object, Operand::Reg(self.exc), Operand::Const(!1));
                let test = self.lower.function(super::Key::IsInst(ty))?;
                self.b.call(Some(is), test, vec![Operand::Reg(object)], 1);
                let caught = self.b.label();
                self.b.branch(Operand::Reg(is), caught, next);
                self.b.set(caught);
                self.enter_handler(*first, Operand::Reg(object))
            }
            ClauseKind::Filter(at) => {
                if !self.handlers.quiet.contains(&at) {
                    let fine = self.b.label();
                    let (mark, refused) = (self.scratch(4), self.b.label());
                    self.b.bin(BinOp::And, 64, mark, Operand::Reg(self.exc), Operand::Const(1));
                    self.b.branch(Operand::Reg(mark), refused, fine);
                    self.b.set(refused);
                    self.b.unsupported("an exception filter after a finally block that the exception passed");
                    self.b.set(fine);
                }
                let saved = self.caught(*first);
                self.b.set_to(saved, Operand::Reg(self.exc));
                let home = self.home(0, 1)[0];
                self.b.bin(BinOp::And, 64, home, Operand::Reg(self.exc), Operand::Const(!1));
                let label = self.meet_with(at, vec![Shape::Prim(Prim::Ptr)])?;
                self.b.jump(label);
                Ok(())
            }
            ClauseKind::Finally | ClauseKind::Fault => {
                let saved = self.caught(*first);
                self.b.bin(BinOp::Or, 64, saved, Operand::Reg(self.exc), Operand::Const(1));
                let on = self.b.label();
                self.run_finally(*first, on)?;
                self.b.set(on);
                self.b.set_to(self.exc, Operand::Reg(saved));
                let next = self.landing_of(rest.to_vec());
                self.b.jump(next);
                Ok(())
            }
        }
    }

    fn caught(&mut self, clause: usize) -> Reg {
        if let Some(reg) = self.handlers.caught.get(&clause) {
            return *reg;
        }
        let reg = self.b.reg();
        self.handlers.caught.insert(clause, reg);
        reg
    }

    fn enter_handler(&mut self, clause: usize, object: Operand) -> Result<(), CompileError> {
        let saved = self.caught(clause);
        self.b.set_to(saved, object);
        let home = self.home(0, 1)[0];
        self.b.set_to(home, object);
        let at = self.handlers.clauses[clause].handler;
        let label = self.meet_with(at, vec![Shape::Prim(Prim::Ptr)])?;
        self.b.jump(label);
        Ok(())
    }

    /// Goes to a `finally` block, and to a label afterwards.
    fn run_finally(&mut self, clause: usize, then: Label) -> Result<(), CompileError> {
        let fresh = self.b.reg();
        let (selector, labels) = self.handlers.selectors.entry(clause).or_insert_with(|| (fresh, Vec::new()));
        let (selector, number) = (*selector, labels.len());
        labels.push(then);
        self.b.set_to(selector, Operand::Const(number as u64));
        let at = self.handlers.clauses[clause].handler;
        let label = self.meet_with(at, Vec::new())?;
        self.b.jump(label);
        Ok(())
    }

    /// Leaves protected code for an offset: by way of the `finally` blocks between.
    pub fn leave(&mut self, to: u32) -> Result<(), CompileError> {
        self.stack.clear();
        let from = self.offset;
        let passes = |c: &Clause| {
            c.kind == ClauseKind::Finally && c.from <= from && from < c.to && !(c.from <= to && to < c.to)
        };
        let list: Vec<usize> =
            (0..self.handlers.clauses.len()).filter(|n| passes(&self.handlers.clauses[*n])).collect();
        for clause in list {
            let then = self.b.label();
            self.run_finally(clause, then)?;
            self.b.set(then);
        }
        let label = self.meet_with(to, Vec::new())?;
        self.b.jump(label);
        Ok(())
    }

    /// The end of a `finally` or `fault` block: on to wherever it was come from.
    pub fn end_finally(&mut self) -> Result<(), CompileError> {
        self.stack.clear();
        let is = |kind| matches!(kind, ClauseKind::Finally | ClauseKind::Fault);
        let Some(clause) = self.handlers.handling(self.offset, is) else {
            return self.refuse("the end of a finally block outside of one");
        };
        let fresh = self.b.reg();
        self.handlers.selectors.entry(clause).or_insert_with(|| (fresh, Vec::new()));
        let label = match self.handlers.landings.get(&vec![usize::MAX, clause]) {
            Some(label) => *label,
            None => {
                let label = self.b.label();
                self.handlers.landings.insert(vec![usize::MAX, clause], label);
                label
            }
        };
        self.b.jump(label);
        Ok(())
    }

    /// Where a filter goes that does not apply.
    fn after_filter(&mut self, clause: usize) -> Label {
        let key = vec![usize::MAX - 2, clause];
        if let Some(label) = self.handlers.landings.get(&key) {
            return *label;
        }
        // The clauses after it, of what it protects.
        let from = self.handlers.clauses[clause].from;
        let rest: Vec<usize> = self.handlers.around(from).into_iter().filter(|n| *n > clause).collect();
        let next = self.landing_of(rest);
        self.handlers.landings.insert(key, next);
        next
    }

    pub fn end_filter(&mut self) -> Result<(), CompileError> {
        let val = self.pop()?;
        let Some(clause) = self.handlers.in_filter.last().copied() else {
            return self.refuse("the end of a filter outside of one");
        };
        let saved = self.caught(clause);
        let (yes, no) = (self.b.label(), self.b.label());
        self.b.branch(val.one(), yes, no);
        self.b.set(no);
        self.b.set_to(self.exc, Operand::Reg(saved));
        let next = self.after_filter(clause);
        self.b.jump(next);
        self.b.set(yes);
        let object = self.scratch(3);
        self.b.bin(BinOp::And, 64, object, Operand::Reg(saved), Operand::Const(!1));
        self.enter_handler(clause, Operand::Reg(object))
    }

    pub fn rethrow(&mut self) -> Result<(), CompileError> {
        let is = |kind| matches!(kind, ClauseKind::Catch(_) | ClauseKind::Filter(_));
        let Some(clause) = self.handlers.handling(self.offset, is) else {
            return self.refuse("an exception is thrown again where none was caught");
        };
        let saved = self.caught(clause);
        self.b.set_to(self.exc, Operand::Reg(saved));
        self.unwind()
    }

    /// Throws if a reference is null.
    pub fn null_check(&mut self, val: &Val) -> Result<(), CompileError> {
        if val.some {
            return Ok(());
        }
        if matches!(val.one(), Operand::Global(..) | Operand::Func(_)) {
            return Ok(());
        }
        let is = self.scratch(5);
        self.b.cmp(selvedge_ir::CmpOp::Eq, 64, is, val.one(), Operand::Const(0));
        self.throw_if(Operand::Reg(is), "System.NullReferenceException");
        Ok(())
    }

    /// Makes an object of a type; it is zeroed.
    pub fn allocate(&mut self, ty: crate::types::Ty, size: Operand, dst: Reg) -> Result<(), CompileError> {
        let tag = self.lower.tag(ty)?;
        let new = self.lower.native("__selvedge_new", 2, 1);
        self.b.push(Instr::Call {
            dst: Some(dst),
            callee: Operand::Func(new),
            args: vec![size, Operand::Const(tag as u64)],
            results: 1,
            signature: None,
            lands: None,
        });
        Ok(())
    }
}
