//! Invariants over static variables: `counter == 2 @end`, `buffer.count <= 4`.

use crate::error::{InputError, InputKind};
use selvedge_graph::{Loc, Value};
use selvedge_ir::{GlobalId, Module, TypeInfo};
use selvedge_vm::VmMachine;

/// What is to hold, in every state or where the program is at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// As it was given.
    pub text: String,
    /// Only where all threads have come to their ends.
    pub at_end: bool,
    expr: Expr,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Expr {
    Number(i128),
    Variable { global: GlobalId, offset: u64, size: u64, signed: bool },
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Complement(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
}

/// From loose to tight.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'t> {
    rest: &'t str,
    whole: &'t str,
    module: &'t Module,
}

impl Invariant {
    /// Reads one, for the variables of this program.
    pub fn parse(text: &str, module: &Module) -> Result<Invariant, InputError> {
        let trimmed = text.trim();
        let (of, at_end) = match trimmed.strip_suffix("@end") {
            Some(of) => (of.trim(), true),
            None => (trimmed, false),
        };
        let mut parser = Parser { rest: of, whole: text, module };
        let expr = parser.level(0, 0)?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.wrong(format!("`{}` is left over", parser.rest.trim())));
        }
        Ok(Invariant { text: trimmed.to_string(), at_end, expr })
    }

    /// Whether it holds; `None` if it depends on memory that was never written, or on a division by 0.
    pub fn holds(&self, machine: &VmMachine, read: &dyn Fn(Loc) -> Value) -> Option<bool> {
        eval(&self.expr, machine, read).map(|value| value != 0)
    }
}

impl Parser<'_> {
    fn wrong(&self, why: String) -> InputError {
        let help = "an expression of C over static variables, as in \"counter == 2 @end\"";
        let message = format!("`{}` is no invariant: {why}", self.whole.trim());
        InputError::plain(InputKind::Unsupported, message, Some(help))
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn level(&mut self, level: usize, depth: u32) -> Result<Expr, InputError> {
        if depth > 200 {
            return Err(self.wrong("it is nested too deeply".to_string()));
        }
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut left = self.level(level + 1, depth)?;
        'more: loop {
            self.rest = self.rest.trim_start();
            for &op in *operators {
                // `&` is not `&&`, `<` is not `<<`.
                let longer = ["&&", "||", "<<", ">>", "<=", ">="];
                let is_other = longer
                    .iter()
                    .any(|l| l.len() > op.len() && self.rest.starts_with(l) && l.starts_with(op));
                if !is_other && self.eat(op) {
                    let right = self.level(level + 1, depth + 1)?;
                    left = Expr::Binary(op, Box::new(left), Box::new(right));
                    continue 'more;
                }
            }
            return Ok(left);
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Expr, InputError> {
        if depth > 200 {
            return Err(self.wrong("it is nested too deeply".to_string()));
        }
        if self.eat("!") {
            return Ok(Expr::Not(Box::new(self.unary(depth + 1)?)));
        }
        if self.eat("-") {
            return Ok(Expr::Minus(Box::new(self.unary(depth + 1)?)));
        }
        if self.eat("~") {
            return Ok(Expr::Complement(Box::new(self.unary(depth + 1)?)));
        }
        if self.eat("(") {
            let inner = self.level(0, depth + 1)?;
            return match self.eat(")") {
                true => Ok(inner),
                false => Err(self.wrong("a `)` is missing".to_string())),
            };
        }
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.number().map(Expr::Number),
            Some(c) if c.is_alphabetic() || c == '_' => self.variable(),
            Some(_) => Err(self.wrong(format!("`{}` is neither a number nor a variable", self.rest))),
            None => Err(self.wrong("it ends too early".to_string())),
        }
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_string()
    }

    fn number(&mut self) -> Result<i128, InputError> {
        let word = self.word();
        let parsed = match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        parsed
            .filter(|n| *n <= i128::from(u64::MAX))
            .ok_or_else(|| self.wrong(format!("`{word}` is no number")))
    }

    /// A static variable, or a part of one.
    fn variable(&mut self) -> Result<Expr, InputError> {
        let mut path = self.word();
        let found = self.module.globals.iter().position(|g| g.name == path && !g.thread_local);
        let Some(number) = found else {
            return Err(self.wrong(format!("there is no static variable `{path}`")));
        };
        let global = &self.module.globals[number];
        let (mut ty, mut offset, mut size) = (global.ty, 0, global.size);
        let info = |ty: Option<u32>| ty.and_then(|ty| self.module.types.get(ty as usize)).cloned();
        loop {
            if self.eat(".") {
                let field = self.word();
                let Some(TypeInfo::Struct { fields, .. }) = info(ty) else {
                    return Err(self.wrong(format!("`{path}` has no parts with names")));
                };
                let Some((_, at, of)) = fields.iter().find(|(name, ..)| *name == field) else {
                    return Err(self.wrong(format!("`{path}` has no part `{field}`")));
                };
                (offset, ty) = (offset + at, Some(*of));
                path = format!("{path}.{field}");
            } else if self.eat("[") {
                let Some(TypeInfo::Array { element, count, element_size }) = info(ty) else {
                    return Err(self.wrong(format!("`{path}` is no array")));
                };
                self.rest = self.rest.trim_start();
                let index = self.number()?;
                if !self.eat("]") || index < 0 || index >= i128::from(count) {
                    return Err(self.wrong(format!("`{path}` has {count} elements")));
                }
                offset += index as u64 * element_size;
                (ty, size) = (Some(element), element_size);
                path = format!("{path}[{index}]");
            } else {
                break;
            }
        }
        let (bytes, signed) = match info(ty) {
            Some(TypeInfo::Scalar { size, name }) => {
                (size, !name.contains("unsigned") && !name.contains("ool"))
            }
            Some(TypeInfo::Pointer { .. }) => (8, false),
            Some(_) => return Err(self.wrong(format!("`{path}` is no number"))),
            None => (size, true),
        };
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            return Err(self.wrong(format!("`{path}` has {bytes} bytes")));
        }
        Ok(Expr::Variable { global: GlobalId(number as u32), offset, size: bytes, signed })
    }
}

fn eval(expr: &Expr, machine: &VmMachine, read: &dyn Fn(Loc) -> Value) -> Option<i128> {
    let truth = |b: bool| Some(i128::from(b));
    match expr {
        Expr::Number(n) => Some(*n),
        Expr::Variable { global, offset, size, signed } => {
            let bits = machine.peek(read, *global, *offset, *size)?;
            let unused = 64 - 8 * *size as u32;
            Some(match signed {
                true => i128::from((bits << unused) as i64 >> unused),
                false => i128::from(bits),
            })
        }
        Expr::Not(a) => truth(eval(a, machine, read)? == 0),
        Expr::Minus(a) => eval(a, machine, read)?.checked_neg(),
        Expr::Complement(a) => Some(!eval(a, machine, read)?),
        Expr::Binary("&&", a, b) => match eval(a, machine, read)? {
            0 => Some(0),
            _ => truth(eval(b, machine, read)? != 0),
        },
        Expr::Binary("||", a, b) => match eval(a, machine, read)? {
            0 => truth(eval(b, machine, read)? != 0),
            _ => Some(1),
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (eval(a, machine, read)?, eval(b, machine, read)?);
            match *op {
                "|" => Some(a | b),
                "^" => Some(a ^ b),
                "&" => Some(a & b),
                "==" => truth(a == b),
                "!=" => truth(a != b),
                "<=" => truth(a <= b),
                ">=" => truth(a >= b),
                "<" => truth(a < b),
                ">" => truth(a > b),
                "<<" => a.checked_shl(u32::try_from(b).ok().filter(|b| *b < 64)?),
                ">>" => a.checked_shr(u32::try_from(b).ok().filter(|b| *b < 64)?),
                "+" => a.checked_add(b),
                "-" => a.checked_sub(b),
                "*" => a.checked_mul(b),
                "/" => a.checked_div(b),
                _ => a.checked_rem(b),
            }
        }
    }
}
