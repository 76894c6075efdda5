//! Expressions: what they compute, and what they do on the way.

use super::{Label, Local, Lower};
use crate::lex::clip;
use crate::syntax::Parsed;
use crate::tree::{Expr, ExprKind};
use selvedge_graph::Mode;
use selvedge_machine::expr::{BinOp, Expr as Code, Reg, UnOp};
use selvedge_machine::program::Instr;

impl<'a> Lower<'a> {
    /// An expression as a statement.
    pub(super) fn effect(&mut self, expr: &'a Expr<'a>) -> Parsed<()> {
        match &expr.kind {
            ExprKind::Call(name, args) => {
                self.call(name, args, expr.place, None)?;
            }
            // Nobody asks for the old value, so that no register is needed for it.
            ExprKind::Step { op, target, .. } if matches!(target.kind, ExprKind::Name(_)) => {
                let ExprKind::Name(name) = &target.kind else { unreachable!("it is a name") };
                let reg = self.assignable(name, target)?;
                self.assign(reg, Code::bin(*op, Code::Reg(reg), Code::Const(1)));
            }
            _ => {
                self.value(expr)?;
            }
        }
        Ok(())
    }

    /// Puts the value into a register; an access writes it there directly.
    pub(super) fn value_into(&mut self, dst: Reg, expr: &'a Expr<'a>) -> Parsed<()> {
        let (value, direct) = match &expr.kind {
            ExprKind::Deref(_) | ExprKind::Index(..) => (self.plain_load(expr, Some(dst))?, true),
            ExprKind::Call(name, args) => {
                (self.call_value(name, args, expr, Some(dst))?, !matches!(*name, "total_div" | "total_rem"))
            }
            _ => (self.value(expr)?, false),
        };
        if !(direct && value == Code::Reg(dst)) {
            self.assign(dst, value);
        }
        Ok(())
    }

    /// Compiles what the expression does and gives the value that it has afterwards.
    pub(super) fn value(&mut self, expr: &'a Expr<'a>) -> Parsed<Code> {
        match &expr.kind {
            ExprKind::Const(value) => Ok(Code::Const(*value)),
            ExprKind::Str(_) => Err(self.source.error(expr.place, "a string is not a value here")),
            ExprKind::Name(name) => self.name_value(name, expr),
            ExprKind::Deref(_) | ExprKind::Index(..) => self.plain_load(expr, None),
            ExprKind::AddressOf(_) => {
                Err(self.source.error(expr.place, "addresses as values are not supported"))
            }
            ExprKind::Un(op, inner) => Ok(match (op, self.value(inner)?) {
                (UnOp::Neg, Code::Const(value)) => Code::Const(value.wrapping_neg()),
                (op, inner) => Code::un(*op, inner),
            }),
            ExprKind::Bin(op @ (BinOp::LogAnd | BinOp::LogOr), a, b) if acts(b) => {
                self.short_circuit(*op, a, b)
            }
            ExprKind::Bin(op, a, b) => {
                let a = self.value(a)?;
                let right = self.value(b)?;
                if matches!(op, BinOp::Div | BinOp::Rem) && !is_nonzero(&right) {
                    let message = format!("division by zero at line {}", self.source.line(expr.place));
                    self.emit(Instr::Assert { cond: right.clone(), message });
                }
                Ok(Code::bin(*op, a, right))
            }
            ExprKind::Select(cond, yes, no) => self.select(cond, yes, no),
            ExprKind::Assign(op, target, value) => self.assignment(*op, target, value),
            ExprKind::Step { op, prefix, target } => self.step(*op, *prefix, target),
            ExprKind::Call(name, args) => self.call_value(name, args, expr, None),
        }
    }

    fn call_value(
        &mut self,
        name: &'a str,
        args: &'a [Expr<'a>],
        expr: &'a Expr<'a>,
        dst: Option<Reg>,
    ) -> Parsed<Code> {
        match self.call(name, args, expr.place, dst)? {
            Some(value) => Ok(value),
            None => Err(self.source.error(expr.place, format!("`{name}` gives no value"))),
        }
    }

    fn name_value(&self, name: &str, expr: &Expr<'_>) -> Parsed<Code> {
        if let Some(reg) = self.local(name) {
            return Ok(Code::Reg(reg));
        }
        let shown = clip(name);
        if self.locations.find(name).is_some() {
            let error = self.source.error(expr.place, format!("`{shown}` is a pointer, not a value"));
            return Err(error.with_help(format!("to read the location, write `*{shown}`")));
        }
        let error = self.source.error(expr.place, format!("`{shown}` is not declared"));
        Err(error
            .with_help(format!("declare the register with `int {shown};`, or the location as a parameter")))
    }

    fn plain_load(&mut self, expr: &'a Expr<'a>, dst: Option<Reg>) -> Parsed<Code> {
        let addr = self.object(expr)?;
        self.note_plain(expr);
        let dst = self.or_temp(dst)?;
        self.emit(Instr::Load { dst, addr, mode: Mode::Na });
        Ok(Code::Reg(dst))
    }

    pub(super) fn or_temp(&mut self, dst: Option<Reg>) -> Parsed<Reg> {
        match dst {
            Some(dst) => Ok(dst),
            None => self.temp(),
        }
    }

    /// Goes to `label` if the condition is as asked for. What is decided step by step is a branch for each
    /// step, so that what follows depends on each.
    pub(super) fn branch_on(&mut self, cond: &'a Expr<'a>, holds: bool, label: Label) -> Parsed<()> {
        match &cond.kind {
            ExprKind::Un(UnOp::Not, inner) if acts(inner) => self.branch_on(inner, !holds, label),
            ExprKind::Bin(op @ (BinOp::LogAnd | BinOp::LogOr), a, b) if acts(b) => {
                // Whether the first part may decide by itself that it is not as asked for.
                if (*op == BinOp::LogAnd) == holds {
                    let past = self.label();
                    self.branch_on(a, !holds, past)?;
                    self.branch_on(b, holds, label)?;
                    self.place(past);
                    return Ok(());
                }
                self.branch_on(a, holds, label)?;
                self.branch_on(b, holds, label)
            }
            _ => {
                let cond = self.value(cond)?;
                match holds {
                    true => self.branch(cond, label),
                    false => self.branch_unless(cond, label),
                }
                Ok(())
            }
        }
    }

    fn short_circuit(&mut self, op: BinOp, a: &'a Expr<'a>, b: &'a Expr<'a>) -> Parsed<Code> {
        let result = self.temp()?;
        let end = self.label();
        let first = self.value(a)?;
        self.assign(result, truth(first));
        match op {
            BinOp::LogAnd => self.branch_unless(Code::Reg(result), end),
            _ => self.branch(Code::Reg(result), end),
        }
        let second = self.value(b)?;
        self.assign(result, truth(second));
        self.place(end);
        Ok(Code::Reg(result))
    }

    fn select(&mut self, cond: &'a Expr<'a>, yes: &'a Expr<'a>, no: &'a Expr<'a>) -> Parsed<Code> {
        let result = self.temp()?;
        let (otherwise, end) = (self.label(), self.label());
        let cond = self.value(cond)?;
        self.branch_unless(cond, otherwise);
        self.value_into(result, yes)?;
        self.jump(end);
        self.place(otherwise);
        self.value_into(result, no)?;
        self.place(end);
        Ok(Code::Reg(result))
    }

    fn assignment(&mut self, op: Option<BinOp>, target: &'a Expr<'a>, value: &'a Expr<'a>) -> Parsed<Code> {
        if let ExprKind::Name(name) = &target.kind {
            let reg = self.assignable(name, target)?;
            match op {
                None => self.value_into(reg, value)?,
                Some(op) => {
                    let value = self.value(value)?;
                    self.assign(reg, Code::bin(op, Code::Reg(reg), value));
                }
            }
            return Ok(Code::Reg(reg));
        }
        let addr = self.object(target)?;
        self.note_plain(target);
        let value = match op {
            None => self.value(value)?,
            Some(op) => {
                let old = self.temp()?;
                self.emit(Instr::Load { dst: old, addr: addr.clone(), mode: Mode::Na });
                let value = self.value(value)?;
                Code::bin(op, Code::Reg(old), value)
            }
        };
        self.emit(Instr::Store { addr, value: value.clone(), mode: Mode::Na });
        Ok(value)
    }

    fn step(&mut self, op: BinOp, prefix: bool, target: &'a Expr<'a>) -> Parsed<Code> {
        let old = self.temp()?;
        let next = Code::bin(op, Code::Reg(old), Code::Const(1));
        if let ExprKind::Name(name) = &target.kind {
            let reg = self.assignable(name, target)?;
            self.assign(old, Code::Reg(reg));
            self.assign(reg, next.clone());
        } else {
            let addr = self.object(target)?;
            self.note_plain(target);
            self.emit(Instr::Load { dst: old, addr: addr.clone(), mode: Mode::Na });
            self.emit(Instr::Store { addr, value: next.clone(), mode: Mode::Na });
        }
        Ok(if prefix { next } else { Code::Reg(old) })
    }

    /// What is assigned to; `r0` and the like need no declaration, as with herd.
    fn assignable(&mut self, name: &'a str, target: &Expr<'_>) -> Parsed<Reg> {
        match self.local(name) {
            Some(reg) => Ok(reg),
            None if self.locations.find(name).is_some() => {
                let shown = clip(name);
                let error = self.source.error(target.place, format!("`{shown}` is a pointer and stays one"));
                Err(error.with_help(format!("to write the location, write `*{shown} = …`")))
            }
            None if is_numbered(name) && !self.names.contains_key(name) => {
                let reg = self.fresh(name.to_string())?;
                self.names.insert(name, Local { reg, open: true, initial: false });
                Ok(reg)
            }
            None => self
                .name_value(name, target)
                .and_then(|_| Err(self.source.error(target.place, "this cannot be assigned to"))),
        }
    }
}

/// `r0`, `r12`.
fn is_numbered(name: &str) -> bool {
    let digits = name.strip_prefix('r').unwrap_or("");
    (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether evaluating the expression does something, so that it must not be done where C skips it.
fn acts(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Str(_) | ExprKind::Name(_) => false,
        ExprKind::Un(_, inner) => acts(inner),
        ExprKind::Bin(BinOp::Div | BinOp::Rem, _, b) if !is_nonzero_literal(b) => true,
        ExprKind::Bin(_, a, b) => acts(a) || acts(b),
        ExprKind::Call("total_div" | "total_rem", args) => args.iter().any(acts),
        _ => true,
    }
}

fn is_nonzero_literal(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Const(value) => *value != 0,
        ExprKind::Un(UnOp::Neg, inner) => is_nonzero_literal(inner),
        _ => false,
    }
}

fn is_nonzero(divisor: &Code) -> bool {
    matches!(divisor, Code::Const(value) if *value != 0)
}

/// 0 or 1.
fn truth(value: Code) -> Code {
    match value {
        Code::Bin(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, ..)
        | Code::Un(UnOp::Not, _) => value,
        value => Code::bin(BinOp::Ne, value, Code::Const(0)),
    }
}
