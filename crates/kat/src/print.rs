//! Terms and theories back to `.kat` text, with as few parentheses as the grammar allows.
//!
//! What is printed reads back as the same theory, places apart. Since a term refers to definitions by
//! number, it is printed together with its theory: [`Theory::show`].

use crate::ast::{Axiom, Constraint, Def, DefBody, DefId, Inclusion, Pred, Prim, Rel, Set, Theory};
use crate::lexer::{Dialect, continues_name, starts_name};
use crate::terms::BUILTIN;
use std::collections::{BTreeSet, HashSet};
use std::fmt;

/// How tight the outermost operator of a term binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Union,
    /// `&` and `\`.
    Inter,
    Seq,
    Cross,
    Prefix,
    Postfix,
}

/// A term with the theory that names its definitions; prints as `.kat`.
pub struct Shown<'t, T> {
    theory: &'t Theory,
    term: &'t T,
}

impl Theory {
    /// A term of this theory ([`Rel`], [`Set`], [`Inclusion`] or [`Axiom`]), to be printed.
    pub fn show<'t, T>(&'t self, term: &'t T) -> Shown<'t, T> {
        Shown { theory: self, term }
    }

    /// The whole theory as one `.kat` file that includes no others.
    pub fn to_kat(&self) -> String {
        let mut printer = Printer::new(self);
        printer.theory();
        let mut text = format!("\"{}\"\n", self.name);
        for (keyword, name) in &printer.declared {
            text.push_str(&format!("{keyword} {}\n", Label(name)));
        }
        text + &printer.out
    }
}

impl fmt::Display for Shown<'_, Rel> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self.theory);
        printer.rel(self.term, Level::Union);
        f.pad(&printer.out)
    }
}

impl fmt::Display for Shown<'_, Set> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self.theory);
        printer.set(self.term, Level::Union);
        f.pad(&printer.out)
    }
}

impl fmt::Display for Shown<'_, Inclusion> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self.theory);
        printer.inclusion(self.term);
        f.pad(&printer.out)
    }
}

impl fmt::Display for Shown<'_, Axiom> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self.theory);
        printer.axiom(self.term);
        f.pad(&printer.out)
    }
}

/// A name as `.kat` files spell it: in quotes of some kind where it is no plain name.
struct Label<'n>(&'n str);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = !crate::kat::is_keyword(self.0)
            && self
                .0
                .split("::")
                .all(|part| part.starts_with(starts_name) && part.chars().all(continues_name));
        if plain {
            f.write_str(self.0)
        } else if self.0.is_empty() || self.0.contains('`') {
            // Only axioms and errors can have such names, and theirs may be strings.
            write!(f, "\"{}\"", self.0)
        } else {
            write!(f, "`{}`", self.0)
        }
    }
}

struct Printer<'t> {
    theory: &'t Theory,
    /// Names of built-ins that definitions hide.
    hidden: HashSet<&'t str>,
    /// The declarations that the printed terms need: keyword and name.
    declared: BTreeSet<(&'static str, &'t str)>,
    out: String,
}

impl<'t> Printer<'t> {
    fn new(theory: &'t Theory) -> Self {
        let builtin =
            |name: &&str| Prim::by_name(name).is_some() || Pred::by_name(name, Dialect::Kat).is_some();
        let hidden = theory.defs.iter().map(|def| def.name.as_str()).filter(builtin).collect();
        Printer { theory, hidden, declared: BTreeSet::new(), out: String::new() }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn label(&mut self, name: &str) {
        self.out.push_str(&Label(name).to_string());
    }

    fn builtin(&mut self, name: &str) {
        if self.hidden.contains(name) {
            self.text(BUILTIN);
        }
        self.text(name);
    }

    fn def(&mut self, id: DefId) {
        let theory = self.theory;
        match theory.defs.get(id.0 as usize) {
            Some(def) => self.label(&def.name),
            None => self.text("?"),
        }
    }

    /// Prints a term of level `own` where `at` is needed.
    fn at(&mut self, own: Level, at: Level, print: impl FnOnce(&mut Self)) {
        if own < at {
            self.text("(");
            print(self);
            self.text(")");
        } else {
            print(self);
        }
    }

    /// `a op b`; all operators associate to the left.
    fn infix_rel(&mut self, a: &'t Rel, op: &str, b: &'t Rel, own: Level, tighter: Level, at: Level) {
        self.at(own, at, |p| {
            p.rel(a, own);
            p.text(op);
            p.rel(b, tighter);
        });
    }

    fn postfix(&mut self, a: &'t Rel, op: &str) {
        // Postfix operators follow each other without parentheses; nothing binds tighter but atoms.
        self.rel(a, Level::Postfix);
        self.text(op);
    }

    fn rel(&mut self, rel: &'t Rel, at: Level) {
        match rel {
            Rel::Empty => self.text("0"),
            Rel::Id => self.text("id"),
            Rel::Prim(prim) => self.builtin(prim.name()),
            Rel::Def(id) => self.def(*id),
            Rel::Declared(name) => {
                self.declared.insert(("relation", name));
                self.label(name);
            }
            Rel::Test(set) => self.test(set),
            Rel::Cross(a, b) => self.at(Level::Cross, at, |p| {
                p.test(a);
                p.text(" * ");
                p.test(b);
            }),
            Rel::Union(a, b) => self.infix_rel(a, " | ", b, Level::Union, Level::Inter, at),
            Rel::Inter(a, b) => self.infix_rel(a, " & ", b, Level::Inter, Level::Seq, at),
            Rel::Diff(a, b) => self.infix_rel(a, " \\ ", b, Level::Inter, Level::Seq, at),
            Rel::Seq(a, b) => self.infix_rel(a, " ; ", b, Level::Seq, Level::Cross, at),
            Rel::Star(a) => self.at(Level::Postfix, at, |p| p.postfix(a, "*")),
            Rel::Plus(a) => self.at(Level::Postfix, at, |p| p.postfix(a, "+")),
            Rel::Opt(a) => self.at(Level::Postfix, at, |p| p.postfix(a, "?")),
            Rel::Inverse(a) => self.at(Level::Postfix, at, |p| p.postfix(a, "^-1")),
            Rel::SameEnds(a) => self.at(Level::Postfix, at, |p| p.postfix(a, "^=")),
            Rel::Not(a) => self.at(Level::Prefix, at, |p| {
                p.text("~");
                p.rel(a, Level::Prefix);
            }),
            Rel::Rot(a) => self.at(Level::Prefix, at, |p| {
                p.text("rot ");
                p.rel(a, Level::Prefix);
            }),
        }
    }

    fn test(&mut self, set: &'t Set) {
        self.text("[");
        self.set(set, Level::Union);
        self.text("]");
    }

    fn infix_set(&mut self, a: &'t Set, op: &str, b: &'t Set, own: Level, tighter: Level, at: Level) {
        self.at(own, at, |p| {
            p.set(a, own);
            p.text(op);
            p.set(b, tighter);
        });
    }

    fn set(&mut self, set: &'t Set, at: Level) {
        match set {
            Set::Empty => self.text("0"),
            Set::Pred(pred) => self.builtin(pred.name()),
            Set::Def(id) => self.def(*id),
            Set::Declared(name) => {
                self.declared.insert(("predicate", name));
                self.label(name);
            }
            Set::Union(a, b) => self.infix_set(a, " | ", b, Level::Union, Level::Inter, at),
            Set::Inter(a, b) => self.infix_set(a, " & ", b, Level::Inter, Level::Seq, at),
            Set::Diff(a, b) => self.infix_set(a, " \\ ", b, Level::Inter, Level::Seq, at),
            Set::Not(a) => self.at(Level::Prefix, at, |p| {
                p.text("~");
                p.set(a, Level::Prefix);
            }),
            Set::Domain(rel) => self.call("domain(", rel),
            Set::Range(rel) => self.call("range(", rel),
        }
    }

    fn call(&mut self, function: &str, rel: &'t Rel) {
        self.text(function);
        self.rel(rel, Level::Union);
        self.text(")");
    }

    fn inclusion(&mut self, inclusion: &'t Inclusion) {
        let (a, op, b) = match inclusion {
            Inclusion::Subset(a, b) => (a, " <= ", b),
            Inclusion::Equal(a, b) => (a, " = ", b),
            Inclusion::Total(a) => {
                self.text("total ");
                return self.rel(a, Level::Union);
            }
        };
        self.rel(a, Level::Union);
        self.text(op);
        self.rel(b, Level::Union);
    }

    fn axiom(&mut self, axiom: &'t Axiom) {
        self.text("export ");
        if axiom.extra {
            self.text("extra ");
            if let Some(name) = &axiom.name {
                self.label(name);
                self.text(" ");
            }
        }
        let (check, rel) = match &axiom.constraint {
            Constraint::Acyclic(rel) => ("acyclic ", Some(rel)),
            Constraint::Irreflexive(rel) => ("irreflexive ", Some(rel)),
            Constraint::Empty(rel) => ("empty ", Some(rel)),
            Constraint::Coherence(rel) => ("coherence ", Some(rel)),
            Constraint::Inclusion(inclusion) => {
                self.inclusion(inclusion);
                ("", None)
            }
            Constraint::Error { name, warning, unless } => {
                self.text(if *warning { "warning " } else { "error " });
                self.label(name);
                self.text(" unless ");
                self.inclusion(unless);
                ("", None)
            }
        };
        self.text(check);
        if let Some(rel) = rel {
            self.rel(rel, Level::Union);
        }
        if let (false, Some(name)) = (axiom.extra, &axiom.name) {
            self.text(" as ");
            self.label(name);
        }
        if let Some(unless) = &axiom.unless {
            self.text(" unless ");
            self.inclusion(unless);
        }
    }

    fn binding(&mut self, keyword: &str, def: &'t Def) {
        self.text(keyword);
        if matches!(def.body, DefBody::Set(_)) {
            self.text("predicate ");
        }
        self.label(&def.name);
        self.text(" = ");
        match &def.body {
            DefBody::Rel(rel) => self.rel(rel, Level::Union),
            DefBody::Set(set) => self.set(set, Level::Union),
        }
        self.text("\n");
    }

    fn theory(&mut self) {
        let theory = self.theory;
        let mut group = None;
        for def in &theory.defs {
            let keyword = match (def.view, def.rec_group) {
                (_, Some(_)) if def.rec_group == group => "  and ",
                (false, None) => "let ",
                (false, Some(_)) => "let rec ",
                (true, None) => "view ",
                (true, Some(_)) => "view rec ",
            };
            group = def.rec_group;
            self.binding(keyword, def);
        }
        for (inclusion, _) in &theory.assumes {
            self.text("assume ");
            self.inclusion(inclusion);
            self.text("\n");
        }
        for axiom in &theory.axioms {
            self.axiom(axiom);
            self.text("\n");
        }
        for (rel, _) in &theory.recovery {
            self.text("export recovery ");
            self.rel(rel, Level::Union);
            self.text("\n");
        }
        for declared in &theory.properties {
            self.text(&format!("property {} \"{}\"\n", declared.property.name(), declared.because));
        }
        for (inclusion, _) in &theory.asserts {
            self.text("assert ");
            self.inclusion(inclusion);
            self.text("\n");
        }
    }
}
