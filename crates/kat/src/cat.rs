//! The items of `.cat` files, as far as they stay inside Kleene algebra with tests. Constructs of
//! herd's language that do not are refused by name.

use crate::lexer::Tok;
use crate::parser::Parser;
use crate::source::quoted;
use crate::syntax::{Binding, Check, Demand, Item, Name};
use selvedge_diagnostic::Diagnostic;

const KEYWORDS: &[&str] = &[
    "acyclic",
    "and",
    "as",
    "assert",
    "begin",
    "call",
    "catch",
    "default",
    "do",
    "else",
    "empty",
    "end",
    "enum",
    "flag",
    "forall",
    "from",
    "fun",
    "if",
    "in",
    "include",
    "instructions",
    "irreflexive",
    "let",
    "match",
    "procedure",
    "rec",
    "show",
    "showall",
    "then",
    "try",
    "undefined_unless",
    "unshow",
    "variant",
    "when",
    "with",
];

/// Words that cannot be names in `.cat`.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

impl<'a> Parser<'a, '_> {
    /// The next item of a `.cat` file; `None` at its end. The title comes `first`.
    pub fn cat_item(&mut self, first: bool) -> Result<Option<Item<'a>>, Diagnostic> {
        let pos = self.token.pos;
        let word = match self.token.tok {
            Tok::End => return Ok(None),
            Tok::Str(title) if first => {
                self.advance()?;
                return Ok(Some(Item::Title(title)));
            }
            Tok::Word(word) if first && !is_keyword(word) => {
                self.advance()?;
                return Ok(Some(Item::Title(word)));
            }
            Tok::Word(word) => word,
            Tok::Tilde => {
                self.advance()?;
                let check = self.cat_check()?;
                return Err(self
                    .source
                    .error(pos, format!("the negated check `~{}` is outside of the supported part of .cat", word_of(check)))
                    .with_help("a model can only demand that a check holds; `flag ~… as NAME` reports where it does not"));
            }
            _ => return Err(self.no_cat_item()),
        };
        let item = match word {
            "include" => {
                self.advance()?;
                self.include("cat")?
            }
            "let" => {
                self.advance()?;
                self.cat_bindings()?
            }
            "acyclic" | "irreflexive" | "empty" => {
                let check = self.cat_check()?;
                let expr = self.cat_expr()?;
                let name = self.as_name()?;
                Item::Axiom { demand: Demand::Check(check, expr), name, unless: None, extra: false, pos }
            }
            "flag" | "undefined_unless" => {
                self.advance()?;
                let negated = self.eat(Tok::Tilde)?;
                let check = self.cat_check()?;
                // `flag` reports where its test holds, `undefined_unless` where it fails.
                if negated != (word == "flag") {
                    let tilde = if negated { "~" } else { "" };
                    return Err(self
                        .source
                        .error(
                            pos,
                            format!(
                                "`{word} {tilde}{}` is outside of the supported part of .cat",
                                word_of(check)
                            ),
                        )
                        .with_help(
                            "what can be reported is the failure of a check: `flag ~empty e as NAME`",
                        ));
                }
                let expr = self.cat_expr()?;
                let Some(name) = self.as_name()? else {
                    return Err(self.unexpected("an operator or `as NAME`"));
                };
                let demand = Demand::Flag { check, expr, name };
                Item::Axiom { demand, name: None, unless: None, extra: false, pos }
            }
            "show" | "unshow" => {
                self.advance()?;
                loop {
                    self.cat_expr()?;
                    self.as_name()?;
                    if !self.eat(Tok::Comma)? {
                        break;
                    }
                }
                Item::Nothing
            }
            "showall" => {
                self.advance()?;
                Item::Nothing
            }
            "with" => return Err(self.refuse("`with … from`")),
            _ if is_keyword(word) && !matches!(word, "and" | "as" | "rec") => {
                return Err(self.refuse(&quoted(word)));
            }
            _ => return Err(self.no_cat_item()),
        };
        Ok(Some(item))
    }

    fn no_cat_item(&self) -> Diagnostic {
        self.unexpected("an operator or the next item").with_help(
            "items start with `let`, `acyclic`, `irreflexive`, `empty`, `flag`, `include`, `show` or `unshow`",
        )
    }

    /// Refuses a construct of herd's language, at the current token.
    fn refuse(&self, construct: &str) -> Diagnostic {
        self.source
            .error(self.token.pos, format!("{construct} is outside of the supported part of .cat"))
            .with_help("supported are `let`, `let rec`, checks, `flag` and `include` over sets and relations")
    }

    /// Refuses what herd, but not Selvedge, takes as (part of) an expression.
    pub fn refuse_in_expression(&self) -> Result<(), Diagnostic> {
        let construct = match self.token.tok {
            Tok::Word(word @ ("fun" | "match" | "if" | "try" | "let" | "instructions")) => quoted(word),
            Tok::Word("with") => "`with … from`".to_string(),
            Tok::Other('{') => "a set literal `{…}`".to_string(),
            Tok::Other('\'') => "a tag literal".to_string(),
            Tok::Comma => "a tuple".to_string(),
            _ => return Ok(()),
        };
        Err(self.refuse(&construct))
    }

    /// Refuses `f(x)` and `f x`, after `f`.
    pub fn refuse_application(&self, name: Name<'_>) -> Result<(), Diagnostic> {
        match self.token.tok {
            Tok::LParen | Tok::Quoted(_) => {}
            Tok::Word(word) if !is_keyword(word) => {}
            _ => return Ok(()),
        }
        let message = format!(
            "the application of the function {} is outside of the supported part of .cat",
            quoted(name.text)
        );
        let error = self.source.error(name.pos, message);
        Err(error.with_help("the functions are `domain(e)` and `range(e)`; an operator may be missing"))
    }

    /// An expression that an item ends with.
    fn cat_expr(&mut self) -> Result<crate::syntax::Expr<'a>, Diagnostic> {
        let e = self.expr()?;
        if matches!(self.token.tok, Tok::Word("in" | "when")) {
            return Err(self.refuse(&self.token.describe()));
        }
        Ok(e)
    }

    fn cat_bindings(&mut self) -> Result<Item<'a>, Diagnostic> {
        let rec = self.eat(Tok::Word("rec"))?;
        let mut bindings = Vec::new();
        loop {
            self.refuse_in_expression()?;
            if self.token.tok == Tok::LParen {
                return Err(self.refuse("a tuple pattern"));
            }
            let name = self.name("the name to define")?;
            if matches!(self.token.tok, Tok::LParen | Tok::Word(_)) {
                let message = format!(
                    "the definition of the function {} is outside of the supported part of .cat",
                    quoted(name.text)
                );
                return Err(self.source.error(name.pos, message));
            }
            self.expect(Tok::Equal, "`=`")?;
            bindings.push(Binding { name, predicate: false, body: self.cat_expr()? });
            if !self.eat(Tok::Word("and"))? {
                return Ok(Item::Let { rec, view: false, bindings });
            }
        }
    }

    fn cat_check(&mut self) -> Result<Check, Diagnostic> {
        let check = if self.token.tok == Tok::Word("coherence") { None } else { self.check()? };
        check.ok_or_else(|| self.unexpected("`acyclic`, `irreflexive` or `empty`"))
    }

    /// `as NAME`, if it is there.
    fn as_name(&mut self) -> Result<Option<&'a str>, Diagnostic> {
        if !self.eat(Tok::Word("as"))? {
            return Ok(None);
        }
        self.label("a name").map(Some)
    }
}

fn word_of(check: Check) -> &'static str {
    match check {
        Check::Acyclic => "acyclic",
        Check::Irreflexive => "irreflexive",
        Check::Empty => "empty",
        Check::Coherence => "coherence",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn keywords_are_sorted() {
        assert!(super::KEYWORDS.is_sorted());
    }
}
