//! Invariants over static fields: `Program.counter == 2 @end`.
//!
//! One about the end is asked when `Main` has returned. One about every state is asked once by a thread of its
//! own, at any time: that is every value that the field ever has, so it must be about one field that is read
//! once. What is about several fields needs a search over states.

use super::Lower;
use super::build::Builder;
use crate::CompileError;
use crate::types::DefId;
use crate::world::Field;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CastOp, CmpOp, FuncId, Instr, Operand, Place, Reg};

/// An expression over static fields; all numbers have 64 bits.
enum Expr {
    Number(i64),
    Field(String),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Two(&'static str, Box<Expr>, Box<Expr>),
}

/// Operators, those that bind least first.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*"]];

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

fn wrong<T>(text: &str, what: &str) -> Result<T, CompileError> {
    Err(CompileError {
        message: format!("the invariant `{text}`: {what}"),
        help: Some(String::from(
            "write an expression over static fields, as in \"Program.counter == 2 @end\"",
        )),
    })
}

impl Parser<'_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        &self.text[self.at..]
    }

    fn level(&mut self, level: usize) -> Result<Expr, CompileError> {
        let Some(operators) = LEVELS.get(level) else { return self.atom() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|o| self.rest().starts_with(o)) {
            self.at += operator.len();
            let right = self.level(level + 1)?;
            left = Expr::Two(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, CompileError> {
        let text = self.text;
        let rest = self.rest();
        let first = rest.chars().next();
        if let Some(sign @ ('!' | '-')) = first {
            self.at += 1;
            let of = Box::new(self.atom()?);
            return Ok(if sign == '!' { Expr::Not(of) } else { Expr::Negative(of) });
        }
        if first == Some('(') {
            self.at += 1;
            let inner = self.level(0)?;
            if !self.rest().starts_with(')') {
                return wrong(text, "a bracket is not closed");
            }
            self.at += 1;
            return Ok(inner);
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let expr = match word {
            "" => return wrong(text, "something is missing"),
            "true" => Expr::Number(1),
            "false" | "null" => Expr::Number(0),
            word => match word.parse() {
                Ok(number) => Expr::Number(number),
                Err(_) => Expr::Field(word.to_string()),
            },
        };
        self.at += word.len();
        Ok(expr)
    }
}

impl Lower {
    /// A static field of the program by its name, `Type.field`.
    fn named_static(&self, text: &str, name: &str) -> Result<Field, CompileError> {
        let Some((class, field)) = name.rsplit_once('.') else {
            return wrong(text, &format!("`{name}` is no static field: name its type, too"));
        };
        let of = &self.world.assemblies[0];
        let Some(row) = of.type_named(class) else {
            return wrong(text, &format!("there is no type `{class}`"));
        };
        let def = DefId { assembly: 0, row };
        let known = |f: &&Field| self.owner_def(f.owner) == Some(def) && self.world.field_name(**f) == field;
        match self.statics.keys().find(known) {
            Some(found) => Ok(*found),
            None => wrong(text, &format!("the program does not use a static field `{name}`")),
        }
    }

    fn fields(expr: &Expr, found: &mut Vec<String>) {
        match expr {
            Expr::Number(_) => {}
            Expr::Field(name) => found.push(name.clone()),
            Expr::Not(of) | Expr::Negative(of) => Lower::fields(of, found),
            Expr::Two(_, a, b) => {
                Lower::fields(a, found);
                Lower::fields(b, found);
            }
        }
    }

    fn expression(&mut self, text: &str, b: &mut Builder, expr: &Expr) -> Result<Reg, CompileError> {
        let dst = b.reg();
        match expr {
            Expr::Number(number) => b.set_to(dst, Operand::Const(*number as u64)),
            Expr::Field(name) => {
                let field = self.named_static(text, name)?;
                let ty = self.world.field_type(field)?;
                let Some(prim) = self.layouts.prim(&mut self.world, ty)? else {
                    return wrong(text, &format!("`{name}` is a structure"));
                };
                let global = self.static_global(field)?;
                b.load(dst, Operand::Global(global, 0), prim.bytes(), Mode::Na);
                let signed = !matches!(
                    self.world.name(ty).as_str(),
                    "System.Byte" | "System.UInt32" | "System.UInt16" | "System.Char" | "System.Boolean"
                );
                if signed && prim.bytes() < 8 {
                    let (from, src) = (8 * prim.bytes(), Operand::Reg(dst));
                    b.push(Instr::Cast { op: CastOp::Sext, from, to: 64, dst, src });
                }
            }
            Expr::Not(of) => {
                let of = self.expression(text, b, of)?;
                b.cmp(CmpOp::Eq, 64, dst, Operand::Reg(of), Operand::Const(0));
            }
            Expr::Negative(of) => {
                let of = self.expression(text, b, of)?;
                b.bin(BinOp::Sub, 64, dst, Operand::Const(0), Operand::Reg(of));
            }
            Expr::Two(operator, x, y) => {
                let (x, y) = (self.expression(text, b, x)?, self.expression(text, b, y)?);
                let (x, y) = (Operand::Reg(x), Operand::Reg(y));
                match *operator {
                    "||" => b.bin(BinOp::Or, 64, dst, x, y),
                    "&&" => {
                        let (one, other) = (b.reg(), b.reg());
                        b.cmp(CmpOp::Ne, 64, one, x, Operand::Const(0));
                        b.cmp(CmpOp::Ne, 64, other, y, Operand::Const(0));
                        b.bin(BinOp::And, 64, dst, Operand::Reg(one), Operand::Reg(other));
                    }
                    "+" => b.bin(BinOp::Add, 64, dst, x, y),
                    "-" => b.bin(BinOp::Sub, 64, dst, x, y),
                    "*" => b.bin(BinOp::Mul, 64, dst, x, y),
                    comparison => {
                        let op = match comparison {
                            "==" => CmpOp::Eq,
                            "!=" => CmpOp::Ne,
                            "<=" => CmpOp::Sle,
                            ">=" => CmpOp::Sge,
                            "<" => CmpOp::Slt,
                            _ => CmpOp::Sgt,
                        };
                        b.cmp(op, 64, dst, x, y);
                    }
                }
            }
        }
        Ok(dst)
    }

    /// Asks for an invariant here.
    fn ask(&mut self, text: &str, b: &mut Builder, expr: &Expr) -> Result<(), CompileError> {
        let holds = self.expression(text, b, expr)?;
        let (fine, broken) = (b.label(), b.label());
        b.branch(Operand::Reg(holds), fine, broken);
        b.set(broken);
        let said = self.text(text);
        let native = self.native("__assert_fail", 1, 0);
        b.call(None, native, vec![Operand::Global(said, 0)], 0);
        b.push(Instr::Unreachable);
        b.set(fine);
        Ok(())
    }

    /// Reads invariants: those for the end are asked by the builder at once; of others, the functions of the
    /// threads that ask.
    pub(super) fn invariants_at_end(
        &mut self,
        b: &mut Builder,
        texts: &[String],
    ) -> Result<(), CompileError> {
        for text in texts {
            if let (expr, true) = read(text)? {
                self.ask(text, b, &expr)?;
            }
        }
        Ok(())
    }

    pub(super) fn watchers(&mut self, texts: &[String]) -> Result<Vec<FuncId>, CompileError> {
        let mut watchers = Vec::new();
        for text in texts {
            let (expr, false) = read(text)? else { continue };
            let mut names = Vec::new();
            Lower::fields(&expr, &mut names);
            if names.len() != 1 {
                return wrong(
                    text,
                    "one that holds in every state must read one static field, once; others are for the end (`@end`)",
                );
            }
            let mut b = Builder::default();
            let nothing = b.reg();
            self.ask(text, &mut b, &expr)?;
            b.push(Instr::Return { values: vec![Operand::Const(0)] });
            let id = self.reserve(String::new());
            let function = b.finish(format!("invariant {text}"), vec![nothing], 1, Place::default());
            self.module.functions[id.0 as usize] = function;
            watchers.push(id);
        }
        Ok(watchers)
    }
}

/// The expression, and whether it is about the end.
fn read(text: &str) -> Result<(Expr, bool), CompileError> {
    let trimmed = text.trim();
    let end = trimmed.strip_suffix("@end");
    let mut parser = Parser { text: end.unwrap_or(trimmed), at: 0 };
    let expr = parser.level(0)?;
    if !parser.rest().is_empty() {
        let rest = parser.rest().to_string();
        return wrong(text, &format!("`{rest}` does not belong there"));
    }
    Ok((expr, end.is_some()))
}
