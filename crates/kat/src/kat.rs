//! The items of `.kat` files.

use crate::lexer::Tok;
use crate::parser::Parser;
use crate::source::Pos;
use crate::syntax::{Binding, Check, Claim, Demand, Item};
use selvedge_diagnostic::Diagnostic;

const KEYWORDS: &[&str] = &[
    "acyclic",
    "and",
    "as",
    "assert",
    "assume",
    "coherence",
    "disjoint",
    "empty",
    "error",
    "export",
    "extra",
    "include",
    "irreflexive",
    "let",
    "predicate",
    "property",
    "rec",
    "recovery",
    "relation",
    "rot",
    "save",
    "total",
    "unless",
    "view",
    "warning",
];

/// Words that cannot be names in `.kat`, unless in backquotes.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

impl<'a> Parser<'a, '_> {
    /// The next item of a `.kat` file; `None` at its end. A string may come `first`, as in `.cat`.
    pub fn kat_item(&mut self, first: bool) -> Result<Option<Item<'a>>, Diagnostic> {
        let pos = self.token.pos;
        let word = match self.token.tok {
            Tok::End => return Ok(None),
            Tok::Str(title) if first => {
                self.advance()?;
                return Ok(Some(Item::Title(title)));
            }
            Tok::Word(word) => word,
            _ => return Err(self.no_item()),
        };
        let item = match word {
            "include" => {
                self.advance()?;
                self.include("kat")?
            }
            "relation" => {
                self.advance()?;
                Item::Relation(self.name("the name of a relation")?)
            }
            "predicate" => {
                self.advance()?;
                let name = self.name("the name of a predicate")?;
                if self.token.tok == Tok::Equal {
                    return Err(self
                        .unexpected("the next item")
                        .with_help("a predicate is defined by `let predicate NAME = …`"));
                }
                Item::Predicate(name)
            }
            "disjoint" => {
                self.advance()?;
                let mut sets = vec![self.expr()?];
                while self.eat(Tok::Hash)? {
                    sets.push(self.expr()?);
                }
                Item::Disjoint(sets)
            }
            "let" | "view" | "save" => {
                self.advance()?;
                self.kat_bindings(word != "let")?
            }
            "assume" => {
                self.advance()?;
                Item::Assume(self.claim()?, pos)
            }
            "assert" => {
                self.advance()?;
                Item::Assert(self.claim()?, pos)
            }
            "property" => {
                self.advance()?;
                self.property()?
            }
            "export" => {
                self.advance()?;
                self.axiom(pos)?
            }
            "acyclic" | "irreflexive" | "empty" | "coherence" | "recovery" | "error" | "warning"
            | "extra" => self.axiom(pos)?,
            _ => return Err(self.no_item()),
        };
        Ok(Some(item))
    }

    fn no_item(&self) -> Diagnostic {
        let error = self.unexpected("an operator or the next item");
        match self.token.tok {
            Tok::Equal | Tok::Below => error.with_help("a claim starts with `assert`, `assume` or `export`"),
            _ => error.with_help(
                "items start with `let`, `view`, `export`, `assume`, `assert`, `include`, `relation`, \
                 `predicate`, `disjoint` or `property`",
            ),
        }
    }

    /// The rest of an `include`.
    pub fn include(&mut self, extension: &str) -> Result<Item<'a>, Diagnostic> {
        let Tok::Str(text) = self.token.tok else {
            return Err(self
                .unexpected("a file name")
                .with_help(format!("write it in quotes: `include \"file.{extension}\"`")));
        };
        let pos = self.advance()?.pos;
        Ok(Item::Include(crate::syntax::Name { text, pos }))
    }

    /// The rest of a `property`: its name, and why it holds.
    fn property(&mut self) -> Result<Item<'a>, Diagnostic> {
        let name = self.name("the name of a property")?;
        let mut because = Vec::new();
        while let Tok::Str(text) = self.token.tok {
            self.advance()?;
            because.push(text);
        }
        if because.iter().all(|text| text.trim().is_empty()) {
            return Err(self
                .unexpected("why the model has the property")
                .with_help("write it in quotes: `property NAME \"because …\"`"));
        }
        Ok(Item::Property { name, because })
    }

    fn kat_bindings(&mut self, view: bool) -> Result<Item<'a>, Diagnostic> {
        let rec = self.eat(Tok::Word("rec"))?;
        let mut bindings = Vec::new();
        loop {
            let predicate = !view && self.eat(Tok::Word("predicate"))?;
            let name = self.name("the name to define")?;
            self.expect(Tok::Equal, "`=`")?;
            bindings.push(Binding { name, predicate, body: self.expr()? });
            if !self.eat(Tok::Word("and"))? {
                return Ok(Item::Let { rec, view, bindings });
            }
        }
    }

    fn claim(&mut self) -> Result<Claim<'a>, Diagnostic> {
        if self.eat(Tok::Word("total"))? {
            return Ok(Claim::Total(self.expr()?));
        }
        let left = self.expr()?;
        if self.eat(Tok::Below)? {
            Ok(Claim::Subset(left, self.expr()?))
        } else if self.eat(Tok::Equal)? {
            Ok(Claim::Equal(left, self.expr()?))
        } else {
            Err(self.unexpected("an operator, `<=` or `=`"))
        }
    }

    /// What may follow `export`.
    fn axiom(&mut self, pos: Pos) -> Result<Item<'a>, Diagnostic> {
        let mut name = None;
        let extra = self.eat(Tok::Word("extra"))?;
        if extra && !matches!(self.token.tok, Tok::Word(word) if is_keyword(word)) {
            name = Some(self.label("a name")?);
        }
        let demand = match self.token.tok {
            Tok::Word("recovery") => {
                self.advance()?;
                return Ok(Item::Recovery(self.expr()?, pos));
            }
            Tok::Word(word @ ("error" | "warning")) => {
                self.advance()?;
                let name = self.label("the name of the error")?;
                self.expect(Tok::Word("unless"), "`unless`")?;
                Demand::Error { name, warning: word == "warning", unless: self.claim()? }
            }
            _ => match self.check()? {
                Some(check) => Demand::Check(check, self.expr()?),
                None => Demand::Claim(self.claim()?),
            },
        };
        if !extra && self.eat(Tok::Word("as"))? {
            name = Some(self.label("the name of the axiom")?);
        }
        let unless = if self.eat(Tok::Word("unless"))? { Some(self.claim()?) } else { None };
        Ok(Item::Axiom { demand, name, unless, extra, pos })
    }

    /// The name of an axiom or an error, which may be a string.
    pub fn label(&mut self, what: &str) -> Result<&'a str, Diagnostic> {
        if let Tok::Str(name) = self.token.tok {
            self.advance()?;
            return Ok(name);
        }
        Ok(self.name(what)?.text)
    }

    /// `acyclic` and its like, consumed.
    pub fn check(&mut self) -> Result<Option<Check>, Diagnostic> {
        let check = match self.token.tok {
            Tok::Word("acyclic") => Check::Acyclic,
            Tok::Word("irreflexive") => Check::Irreflexive,
            Tok::Word("empty") => Check::Empty,
            Tok::Word("coherence") => Check::Coherence,
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(check))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn keywords_are_sorted() {
        assert!(super::KEYWORDS.is_sorted());
    }
}
