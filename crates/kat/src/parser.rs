//! The expression grammar of both dialects, by operator precedence, and what parsers of items share.
//!
//! Input is not trusted: nesting is bounded by [`MAX_NESTING`], and the depth of the tree, which a
//! chain such as `a ; a ; a …` grows too, by [`MAX_DEPTH`].

use crate::lexer::{Dialect, Lexer, Tok, Token};
use crate::source::{Pos, Source, quoted};
use crate::syntax::{Expr, ExprKind, Infix, Name, Unary};
use selvedge_diagnostic::Diagnostic;

/// How deep parentheses, brackets and prefix operators may nest.
pub(crate) const MAX_NESTING: u32 = 200;
/// How deep an expression tree may be.
pub(crate) const MAX_DEPTH: u16 = 1000;

pub(crate) struct Parser<'a, 's> {
    pub source: &'s Source<'a>,
    pub dialect: Dialect,
    /// The token that is not consumed yet.
    pub token: Token<'a>,
    lexer: Lexer<'a, 's>,
    nesting: u32,
}

impl<'a, 's> Parser<'a, 's> {
    pub fn new(source: &'s Source<'a>, dialect: Dialect) -> Result<Self, Diagnostic> {
        let mut lexer = Lexer::new(source, dialect);
        let token = lexer.next()?;
        Ok(Parser { source, dialect, token, lexer, nesting: 0 })
    }

    /// Consumes the token and returns it.
    pub fn advance(&mut self) -> Result<Token<'a>, Diagnostic> {
        Ok(std::mem::replace(&mut self.token, self.lexer.next()?))
    }

    /// Consumes the token if it is `tok`.
    pub fn eat(&mut self, tok: Tok<'_>) -> Result<bool, Diagnostic> {
        let found = self.token.tok == tok;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub fn expect(&mut self, tok: Tok<'_>, what: &str) -> Result<Token<'a>, Diagnostic> {
        if self.token.tok == tok { self.advance() } else { Err(self.unexpected(what)) }
    }

    /// "Expected `what`, found the token".
    pub fn unexpected(&self, what: &str) -> Diagnostic {
        let error =
            self.source.error(self.token.pos, format!("expected {what}, found {}", self.token.describe()));
        match self.token.tok {
            Tok::Word(word) if self.is_keyword(word) => {
                error.with_help(format!("{} is a keyword", quoted(word)))
            }
            _ => error,
        }
    }

    fn is_keyword(&self, word: &str) -> bool {
        match self.dialect {
            Dialect::Kat => crate::kat::is_keyword(word),
            Dialect::Cat => crate::cat::is_keyword(word),
        }
    }

    /// A name that is no keyword.
    pub fn name(&mut self, what: &str) -> Result<Name<'a>, Diagnostic> {
        let text = match self.token.tok {
            Tok::Word(word) if !self.is_keyword(word) => word,
            Tok::Quoted(text) => text,
            _ => return Err(self.unexpected(what)),
        };
        let pos = self.advance()?.pos;
        Ok(Name { text, pos })
    }

    /// The tokens after the current one; tokens that cannot be made count as the end of the text.
    fn ahead(&self) -> [Tok<'a>; 2] {
        let mut lexer = self.lexer;
        let mut next = || lexer.next().map_or(Tok::End, |token| token.tok);
        [next(), next()]
    }

    fn starts_operand(&self, tok: Tok<'_>, after: Tok<'_>) -> bool {
        match tok {
            Tok::Word("rot") => true,
            Tok::Word(word) => !self.is_keyword(word),
            Tok::Quoted(_) | Tok::Zero | Tok::LParen | Tok::LBracket => true,
            // `~acyclic …` of `.cat` starts the next item.
            Tok::Tilde => !matches!(after, Tok::Word(word) if self.is_keyword(word) && word != "rot"),
            _ => false,
        }
    }

    fn node(&self, kind: ExprKind<'a>, pos: Pos) -> Result<Expr<'a>, Diagnostic> {
        let below = match &kind {
            ExprKind::Zero | ExprKind::EmptyTest | ExprKind::Name(_) => 0,
            ExprKind::Unary(_, e) => e.depth,
            ExprKind::Infix(_, a, b) => a.depth.max(b.depth),
        };
        if below >= MAX_DEPTH {
            return Err(self
                .source
                .error(pos, format!("this expression is more than {MAX_DEPTH} operators deep"))
                .with_help("give parts of it names with `let`"));
        }
        Ok(Expr { kind, pos, depth: below + 1 })
    }

    fn unary(&self, op: Unary, e: Expr<'a>, pos: Pos) -> Result<Expr<'a>, Diagnostic> {
        self.node(ExprKind::Unary(op, Box::new(e)), pos)
    }

    /// The operator that the token is between two operands, with how tight it binds. `*` is a
    /// product where an operand follows, and a closure elsewhere.
    fn infix(&self) -> Option<(Infix, u8)> {
        let op = match self.token.tok {
            Tok::Bar => Infix::Union,
            Tok::Amp => Infix::Inter,
            Tok::Backslash => Infix::Diff,
            Tok::Semi => Infix::Seq,
            Tok::Star => {
                let [next, after] = self.ahead();
                if !self.starts_operand(next, after) {
                    return None;
                }
                Infix::Cross
            }
            _ => return None,
        };
        Some((op, precedence(op, self.dialect)))
    }

    /// An expression: a set or a relation.
    pub fn expr(&mut self) -> Result<Expr<'a>, Diagnostic> {
        self.infix_expr(0)
    }

    /// An expression of operators that bind at least as tight as `min`; all associate to the left.
    fn infix_expr(&mut self, min: u8) -> Result<Expr<'a>, Diagnostic> {
        let mut left = self.prefix_expr()?;
        while let Some((op, tight)) = self.infix() {
            if tight < min {
                break;
            }
            let pos = self.advance()?.pos;
            let right = self.infix_expr(tight + 1)?;
            left = self.node(ExprKind::Infix(op, Box::new(left), Box::new(right)), pos)?;
        }
        Ok(left)
    }

    /// Runs `parse` one level deeper.
    fn nested(
        &mut self,
        pos: Pos,
        parse: impl FnOnce(&mut Self) -> Result<Expr<'a>, Diagnostic>,
    ) -> Result<Expr<'a>, Diagnostic> {
        if self.nesting >= MAX_NESTING {
            return Err(self
                .source
                .error(pos, format!("more than {MAX_NESTING} levels of nesting"))
                .with_help("give parts of the expression names with `let`"));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// `~e`, `rot e`, or an operand with its postfix operators, which bind tighter.
    fn prefix_expr(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let op = match self.token.tok {
            Tok::Tilde => Unary::Not,
            Tok::Word("rot") if self.dialect == Dialect::Kat => Unary::Rot,
            _ => return self.postfix_expr(),
        };
        let pos = self.advance()?.pos;
        let e = self.nested(pos, Self::prefix_expr)?;
        self.unary(op, e, pos)
    }

    fn postfix_expr(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let mut e = self.operand()?;
        loop {
            let op = match self.token.tok {
                Tok::Star if self.infix().is_none() => Unary::Star,
                Tok::Plus => Unary::Plus,
                Tok::Question => Unary::Opt,
                Tok::Inverse => Unary::Inverse,
                Tok::SameEnds => Unary::SameEnds,
                _ => return Ok(e),
            };
            let pos = self.advance()?.pos;
            e = self.unary(op, e, pos)?;
        }
    }

    fn operand(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let pos = self.token.pos;
        match self.token.tok {
            Tok::Zero => {
                self.advance()?;
                self.node(ExprKind::Zero, pos)
            }
            Tok::LParen => {
                self.advance()?;
                let e = self.nested(pos, Self::expr)?;
                if self.dialect == Dialect::Cat {
                    self.refuse_in_expression()?;
                }
                self.close(Tok::RParen, "`)`", pos)?;
                Ok(e)
            }
            Tok::LBracket => {
                self.advance()?;
                if self.eat(Tok::RBracket)? {
                    return self.node(ExprKind::EmptyTest, pos);
                }
                let e = self.nested(pos, Self::expr)?;
                self.close(Tok::RBracket, "`]`", pos)?;
                self.unary(Unary::Test, e, pos)
            }
            Tok::Word(word @ ("domain" | "range")) if self.ahead()[0] == Tok::LParen => {
                self.advance()?;
                let open = self.advance()?.pos;
                let e = self.nested(open, Self::expr)?;
                self.close(Tok::RParen, "`)`", open)?;
                self.unary(if word == "domain" { Unary::Domain } else { Unary::Range }, e, pos)
            }
            _ => {
                if self.dialect == Dialect::Cat {
                    self.refuse_in_expression()?;
                }
                let name = self.name("a relation or a set")?;
                if self.dialect == Dialect::Cat {
                    self.refuse_application(name)?;
                }
                self.node(ExprKind::Name(name.text), pos)
            }
        }
    }

    fn close(&mut self, tok: Tok<'_>, what: &str, open: Pos) -> Result<(), Diagnostic> {
        if self.eat(tok)? {
            return Ok(());
        }
        let at = if open.line == self.token.pos.line {
            format!("column {}", open.col)
        } else {
            format!("line {}, column {}", open.line, open.col)
        };
        let error = self.unexpected(&format!("an operator or {what}"));
        Err(error.with_help(format!("{what} closes what opens at {at}")))
    }
}

/// How tight an operator binds; greater is tighter. `.kat` puts `;` inside of `&` and `\`, herd
/// puts it outside.
fn precedence(op: Infix, dialect: Dialect) -> u8 {
    match (op, dialect) {
        (Infix::Union, _) => 1,
        (Infix::Inter | Infix::Diff, Dialect::Kat) => 2,
        (Infix::Seq, Dialect::Kat) => 3,
        (Infix::Seq, Dialect::Cat) => 2,
        (Infix::Diff, Dialect::Cat) => 3,
        (Infix::Inter, Dialect::Cat) => 4,
        (Infix::Cross, _) => 5,
    }
}
