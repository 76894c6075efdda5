//! Expressions, by precedence.

use crate::lex::{Tok, clip};
use crate::source::Place;
use crate::syntax::{MAX_DEPTH, Parsed, Parser, is_type_word};
use crate::tree::{Expr, ExprKind};
use selvedge_machine::expr::{BinOp, UnOp};

/// Precedence of C's binary operators; higher binds tighter.
fn binary(symbol: &str) -> Option<(u8, BinOp)> {
    Some(match symbol {
        "||" => (1, BinOp::LogOr),
        "&&" => (2, BinOp::LogAnd),
        "|" => (3, BinOp::Or),
        "^" => (4, BinOp::Xor),
        "&" => (5, BinOp::And),
        "==" => (6, BinOp::Eq),
        "!=" => (6, BinOp::Ne),
        "<" => (7, BinOp::Lt),
        "<=" => (7, BinOp::Le),
        ">" => (7, BinOp::Gt),
        ">=" => (7, BinOp::Ge),
        "<<" => (8, BinOp::Shl),
        ">>" => (8, BinOp::Shr),
        "+" => (9, BinOp::Add),
        "-" => (9, BinOp::Sub),
        "*" => (10, BinOp::Mul),
        "/" => (10, BinOp::Div),
        "%" => (10, BinOp::Rem),
        _ => return None,
    })
}

fn compound(symbol: &str) -> Option<Option<BinOp>> {
    match symbol {
        "=" => Some(None),
        "<<=" | ">>=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" => {
            binary(&symbol[..symbol.len() - 1]).map(|(_, op)| Some(op))
        }
        _ => None,
    }
}

impl<'a> Parser<'a> {
    pub fn parenthesised(&mut self) -> Parsed<Expr<'a>> {
        self.expect("(")?;
        let expr = self.expression()?;
        self.expect(")")?;
        Ok(expr)
    }

    pub fn expression(&mut self) -> Parsed<Expr<'a>> {
        let expr = self.assignment()?;
        if self.is(",")? {
            let place = self.here()?;
            return Err(self.source.error(place, "the comma operator is not supported"));
        }
        Ok(expr)
    }

    pub fn assignment(&mut self) -> Parsed<Expr<'a>> {
        self.nested(|p| {
            let left = p.select()?;
            let Tok::Sym(symbol) = p.peek()? else { return Ok(left) };
            let Some(op) = compound(symbol) else { return Ok(left) };
            p.next()?;
            let right = p.assignment()?;
            let (place, depth) = (left.place.to(right.place), left.depth.max(right.depth));
            p.node(ExprKind::Assign(op, Box::new(left), Box::new(right)), place, depth)
        })
    }

    fn select(&mut self) -> Parsed<Expr<'a>> {
        let cond = self.binary(1)?;
        if !self.eat("?")? {
            return Ok(cond);
        }
        let yes = self.assignment()?;
        self.expect(":")?;
        let no = self.nested(Self::select)?;
        let (place, depth) = (cond.place.to(no.place), cond.depth.max(yes.depth).max(no.depth));
        self.node(ExprKind::Select(Box::new(cond), Box::new(yes), Box::new(no)), place, depth)
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr<'a>> {
        let mut left = self.unary()?;
        loop {
            let Tok::Sym(symbol) = self.peek()? else { return Ok(left) };
            let Some((level, op)) = binary(symbol) else { return Ok(left) };
            if level < least {
                return Ok(left);
            }
            self.next()?;
            let right = self.binary(level + 1)?;
            let (place, depth) = (left.place.to(right.place), left.depth.max(right.depth));
            left = self.node(ExprKind::Bin(op, Box::new(left), Box::new(right)), place, depth)?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr<'a>> {
        let Tok::Sym(symbol) = self.peek()? else { return self.postfix() };
        match symbol {
            "-" | "!" | "~" | "+" | "*" | "&" | "++" | "--" => self.nested(|p| {
                let start = p.next()?.1;
                let inner = p.unary()?;
                let (place, depth) = (start.to(inner.place), inner.depth);
                let boxed = Box::new(inner);
                let kind = match symbol {
                    "-" => ExprKind::Un(UnOp::Neg, boxed),
                    "!" => ExprKind::Un(UnOp::Not, boxed),
                    "~" => ExprKind::Un(UnOp::BitNot, boxed),
                    "*" => ExprKind::Deref(boxed),
                    "&" => ExprKind::AddressOf(boxed),
                    "++" => ExprKind::Step { op: BinOp::Add, prefix: true, target: boxed },
                    "--" => ExprKind::Step { op: BinOp::Sub, prefix: true, target: boxed },
                    _ => return Ok(*boxed),
                };
                p.node(kind, place, depth)
            }),
            "(" if matches!(self.peek_at(1)?, Tok::Ident(word) if is_type_word(word) || word == "void") => {
                self.nested(Self::cast)
            }
            _ => self.postfix(),
        }
    }

    /// `(int) e`: every type holds the same values, so this is `e`.
    fn cast(&mut self) -> Parsed<Expr<'a>> {
        self.expect("(")?;
        while matches!(self.peek()?, Tok::Ident(_)) {
            self.next()?;
        }
        if self.is("*")? {
            let place = self.here()?;
            return Err(self.source.error(place, "casts to pointers are not supported"));
        }
        self.expect(")")?;
        self.unary()
    }

    fn postfix(&mut self) -> Parsed<Expr<'a>> {
        let mut expr = self.primary()?;
        loop {
            let Tok::Sym(symbol) = self.peek()? else { return Ok(expr) };
            let (start, depth) = (expr.place, expr.depth);
            match symbol {
                "[" => {
                    self.next()?;
                    let index = self.expression()?;
                    let end = self.expect("]")?;
                    let depth = depth.max(index.depth);
                    expr =
                        self.node(ExprKind::Index(Box::new(expr), Box::new(index)), start.to(end), depth)?;
                }
                "++" | "--" => {
                    let end = self.next()?.1;
                    let op = if symbol == "++" { BinOp::Add } else { BinOp::Sub };
                    let kind = ExprKind::Step { op, prefix: false, target: Box::new(expr) };
                    expr = self.node(kind, start.to(end), depth)?;
                }
                _ => return Ok(expr),
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr<'a>> {
        match self.peek()? {
            Tok::Int(value) => {
                let place = self.next()?.1;
                self.node(ExprKind::Const(value), place, 0)
            }
            Tok::Str(text) => {
                let place = self.next()?.1;
                self.node(ExprKind::Str(text), place, 0)
            }
            Tok::Ident(word) if is_type_word(word) || word == "sizeof" => {
                let place = self.here()?;
                Err(self.source.error(place, format!("expected an expression, found `{}`", clip(word))))
            }
            Tok::Ident(word) => {
                let place = self.next()?.1;
                if self.eat("(")? {
                    return self.call(word, place);
                }
                let kind = match word {
                    "true" => ExprKind::Const(1),
                    "false" | "NULL" => ExprKind::Const(0),
                    _ => ExprKind::Name(word),
                };
                self.node(kind, place, 0)
            }
            Tok::Sym("(") => {
                let open = self.next()?.1;
                let mut inner = self.expression()?;
                let close = self.expect(")")?;
                inner.place = open.to(close);
                Ok(inner)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn call(&mut self, name: &'a str, start: Place) -> Parsed<Expr<'a>> {
        let mut args = Vec::new();
        let mut depth = 0;
        if !self.is(")")? {
            loop {
                let arg = self.assignment()?;
                depth = depth.max(arg.depth);
                args.push(arg);
                if !self.eat(",")? {
                    break;
                }
            }
        }
        let end = self.expect(")")?;
        self.node(ExprKind::Call(name, args), start.to(end), depth)
    }

    fn node(&self, kind: ExprKind<'a>, place: Place, below: u16) -> Parsed<Expr<'a>> {
        if below >= MAX_DEPTH {
            return Err(self.too_deep(place));
        }
        Ok(Expr { kind, place, depth: below + 1 })
    }
}
