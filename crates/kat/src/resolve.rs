//! Items to a [`Theory`]: definitions, declarations, includes and axioms.
//!
//! A `.kat` file that is included has its own scope: its definitions are reachable as `file::name`,
//! and so are those of the files that it includes itself. Its assumptions come along; its axioms
//! and assertions are its own business. A `.cat` file that a `.cat` file includes is read as if it
//! stood in the place of the `include`, as herd does.

use crate::ast::{Axiom, Constraint, Def, DefBody, DefId, Inclusion, Pred, Rel, Set, Theory};
use crate::lexer::Dialect;
use crate::names::nearest;
use crate::parser::Parser;
use crate::property::{Declared, Property};
use crate::size;
use crate::source::{Source, quoted};
use crate::syntax::{Binding, Check, Claim, Demand, Expr, Item, Name};
use crate::terms::{BUILTIN, Kind, Term};
use crate::walk::Subterm;
use selvedge_diagnostic::Diagnostic;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How deep files may include each other.
const MAX_INCLUDES: usize = 32;
/// Files that herd comes with, and all of whose definitions are built in here.
const HERD_LIBRARY: &[&str] = &["cos.cat", "stdlib.cat"];

/// What a name that the model introduces stands for.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    Def(DefId),
    Relation,
    Predicate,
}

/// The file that is being read.
pub(crate) struct Scope<'a, 's> {
    pub source: &'s Source<'a>,
    pub dialect: Dialect,
    /// What the full names of the file's definitions start with: nothing, or `file::`.
    pub prefix: String,
    /// Whether the file's axioms are the model's.
    main: bool,
    /// How many files include this one.
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Reading,
    Read,
}

/// Reads the text of an included file.
pub(crate) type Include<'r> = &'r dyn Fn(&str) -> Result<String, String>;

pub(crate) struct Builder<'r> {
    include: Include<'r>,
    pub defs: Vec<Def>,
    /// Of the definitions whose bodies have been read.
    extents: Vec<size::Extent>,
    axioms: Vec<Axiom>,
    assumes: Vec<(Inclusion, selvedge_diagnostic::Span)>,
    asserts: Vec<(Inclusion, selvedge_diagnostic::Span)>,
    properties: Vec<Declared>,
    recovery: Vec<(Rel, selvedge_diagnostic::Span)>,
    title: Option<String>,
    /// By full name.
    pub names: HashMap<String, Bound>,
    /// The names of the `let` whose bodies are being read.
    pub defining: Vec<String>,
    /// Files by name, the main one included.
    files: HashMap<String, Progress>,
    /// The file that each `file` of `file::name` is.
    pub stems: HashMap<String, String>,
    groups: u32,
    /// How often each name was defined again.
    hidden: HashMap<String, u32>,
}

/// Reads a whole model.
pub(crate) fn theory(
    file: &str,
    text: &str,
    dialect: Dialect,
    include: Include<'_>,
) -> Result<Theory, Diagnostic> {
    let mut builder = Builder {
        include,
        defs: Vec::new(),
        extents: Vec::new(),
        axioms: Vec::new(),
        assumes: Vec::new(),
        asserts: Vec::new(),
        properties: Vec::new(),
        recovery: Vec::new(),
        title: None,
        names: HashMap::new(),
        defining: Vec::new(),
        files: HashMap::from([(beside("", file), Progress::Reading)]),
        stems: HashMap::new(),
        groups: 0,
        hidden: HashMap::new(),
    };
    let source = Source { file: file.into(), text };
    builder.file(&Scope { source: &source, dialect, prefix: String::new(), main: true, depth: 0 })?;
    let Builder { defs, axioms, assumes, asserts, properties, recovery, title, .. } = builder;
    let name = title.unwrap_or_else(|| stem(file));
    Ok(Theory { name, defs, axioms, assumes, asserts, properties, recovery })
}

/// The name of a file without directory and extension.
fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    // Such names could not be written down in a model.
    stem.chars().map(|c| if c.is_control() || matches!(c, '`' | '"') { '_' } else { c }).collect()
}

/// `path`, as a file in the directory of `from` refers to it.
fn beside(from: &str, path: &str) -> String {
    let directory = if path.starts_with('/') { "" } else { from.rsplit_once('/').map_or("", |(dir, _)| dir) };
    let rooted = path.starts_with('/') || from.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

impl Builder<'_> {
    fn file(&mut self, scope: &Scope<'_, '_>) -> Result<(), Diagnostic> {
        let mut parser = Parser::new(scope.source, scope.dialect)?;
        let mut first = true;
        loop {
            let item = match scope.dialect {
                Dialect::Kat => parser.kat_item(first)?,
                Dialect::Cat => parser.cat_item(first)?,
            };
            match item {
                Some(item) => self.item(scope, item)?,
                None => return Ok(()),
            }
            first = false;
        }
    }

    fn item(&mut self, scope: &Scope<'_, '_>, item: Item<'_>) -> Result<(), Diagnostic> {
        match item {
            Item::Nothing => {}
            Item::Title(title) => {
                if scope.depth == 0 {
                    self.title = Some(title.to_string());
                }
            }
            Item::Include(path) => self.include(scope, path)?,
            Item::Relation(name) => self.declare(scope, name, Bound::Relation)?,
            Item::Predicate(name) => self.declare(scope, name, Bound::Predicate)?,
            Item::Disjoint(sets) => {
                let of: Vec<Set> = sets.iter().map(|set| self.set(scope, set)).collect::<Result<_, _>>()?;
                for (at, first) in of.iter().enumerate() {
                    for (second, expr) in of.iter().zip(&sets).skip(at + 1) {
                        let both = Set::Inter(Box::new(first.clone()), Box::new(second.clone()));
                        let claim = Inclusion::Subset(Rel::Test(both), Rel::Empty);
                        self.assumes.push((claim, scope.source.span(expr.pos)));
                    }
                }
            }
            Item::Recovery(e, pos) => {
                let rel = self.rel(scope, &e)?;
                if scope.main {
                    self.recovery.push((rel, scope.source.span(pos)));
                }
            }
            Item::Property { name, because } => self.property(scope, name, &because)?,
            Item::Let { rec: false, view, bindings } => self.define(scope, &bindings, view)?,
            Item::Let { rec: true, view, bindings } => self.define_rec(scope, &bindings, view)?,
            Item::Assume(claim, pos) => {
                let claim = self.claim(scope, &claim)?;
                self.assumes.push((claim, scope.source.span(pos)));
            }
            Item::Assert(claim, pos) => {
                let claim = self.claim(scope, &claim)?;
                if scope.main {
                    self.asserts.push((claim, scope.source.span(pos)));
                }
            }
            Item::Axiom { demand, name, unless, extra, pos } => {
                let constraint = self.constraint(scope, &demand)?;
                let unless = unless.map(|claim| self.claim(scope, &claim)).transpose()?;
                let (name, span) = (name.map(str::to_string), scope.source.span(pos));
                if scope.main {
                    self.axioms.push(Axiom { constraint, name, unless, extra, span });
                }
            }
        }
        Ok(())
    }

    /// What a model declares of itself. What an included file declares is about that file's axioms.
    fn property(
        &mut self,
        scope: &Scope<'_, '_>,
        name: Name<'_>,
        because: &[&str],
    ) -> Result<(), Diagnostic> {
        let Some(property) = Property::by_name(name.text) else {
            let names = || Property::ALL.into_iter().map(Property::name);
            let error = scope.source.error(name.pos, format!("there is no property {}", quoted(name.text)));
            let all = names().map(quoted).collect::<Vec<_>>().join(", ");
            return Err(match nearest(name.text, names()) {
                Some(near) => error.with_help(format!("did you mean {}? Properties are {all}", quoted(near))),
                None => error.with_help(format!("properties are {all}")),
            });
        };
        if property.is_always_decided() {
            let message =
                format!("{} is not for a model to declare: it is always found out", quoted(name.text));
            return Err(scope
                .source
                .error(name.pos, message)
                .with_help("`selvedge model properties` shows it"));
        }
        if !scope.main {
            return Ok(());
        }
        if let Some(before) = self.properties.iter().find(|d| d.property == property) {
            let message = format!("{} is declared twice", quoted(name.text));
            let help = format!("the other one is at {}:{}", before.span.file, before.span.line);
            return Err(scope.source.error(name.pos, message).with_help(help));
        }
        let because = because.iter().map(|text| text.trim()).collect::<Vec<_>>().join(" ");
        self.properties.push(Declared { property, because, span: scope.source.span(name.pos) });
        Ok(())
    }

    fn claim(&self, scope: &Scope<'_, '_>, claim: &Claim<'_>) -> Result<Inclusion, Diagnostic> {
        Ok(match claim {
            Claim::Subset(a, b) => Inclusion::Subset(self.rel(scope, a)?, self.rel(scope, b)?),
            Claim::Equal(a, b) => Inclusion::Equal(self.rel(scope, a)?, self.rel(scope, b)?),
            Claim::Total(a) => Inclusion::Total(self.rel(scope, a)?),
        })
    }

    fn constraint(&self, scope: &Scope<'_, '_>, demand: &Demand<'_>) -> Result<Constraint, Diagnostic> {
        Ok(match demand {
            Demand::Check(Check::Acyclic, e) => Constraint::Acyclic(self.rel(scope, e)?),
            Demand::Check(Check::Irreflexive, e) => Constraint::Irreflexive(self.rel(scope, e)?),
            Demand::Check(Check::Coherence, e) => Constraint::Coherence(self.rel(scope, e)?),
            Demand::Check(Check::Empty, e) => Constraint::Empty(self.emptiable(scope, e)?),
            Demand::Claim(claim) => Constraint::Inclusion(self.claim(scope, claim)?),
            Demand::Error { name, warning, unless } => Constraint::Error {
                name: name.to_string(),
                warning: *warning,
                unless: self.claim(scope, unless)?,
            },
            Demand::Flag { check, expr, name } => {
                let looping = |rel| Rel::Inter(Box::new(rel), Box::new(Rel::Id));
                let bad = match check {
                    Check::Empty | Check::Coherence => self.emptiable(scope, expr)?,
                    Check::Irreflexive => looping(self.rel(scope, expr)?),
                    Check::Acyclic => looping(Rel::Plus(Box::new(self.rel(scope, expr)?))),
                };
                let unless = Inclusion::Subset(bad, Rel::Empty);
                Constraint::Error { name: name.to_string(), warning: false, unless }
            }
        })
    }

    /// What is empty where the expression is: `.cat` asks it of sets too.
    fn emptiable(&self, scope: &Scope<'_, '_>, e: &Expr<'_>) -> Result<Rel, Diagnostic> {
        match (self.either(scope, e)?, scope.dialect) {
            (Term::Set(Set::Empty), _) => Ok(Rel::Empty),
            (Term::Set(set), Dialect::Cat) => Ok(Rel::Test(set)),
            (term, _) => self.to_rel(scope, e, term),
        }
    }

    /// The full name and meaning of a name that the model introduced.
    pub fn lookup(&self, scope: &Scope<'_, '_>, name: &str) -> Option<(String, Bound)> {
        let full = format!("{}{name}", scope.prefix);
        if let Some(bound) = self.names.get(&full) {
            return Some((full, *bound));
        }
        if !name.contains("::") {
            return None;
        }
        self.names.get(name).map(|bound| (name.to_string(), *bound))
    }

    /// Refuses names that always mean the same.
    fn check_name(&self, scope: &Scope<'_, '_>, name: Name<'_>) -> Result<(), Diagnostic> {
        let fixed = matches!(name.text, "id" | "_")
            || name.text.starts_with(BUILTIN)
            || (name.text == "emptyset" && scope.dialect == Dialect::Cat);
        if fixed {
            let message = format!("{} cannot be defined: it is built in", quoted(name.text));
            return Err(scope.source.error(name.pos, message));
        }
        Ok(())
    }

    fn declare(&mut self, scope: &Scope<'_, '_>, name: Name<'_>, bound: Bound) -> Result<(), Diagnostic> {
        self.check_name(scope, name)?;
        let full = format!("{}{}", scope.prefix, name.text);
        let known = match bound {
            // Single letters that few models need are free to be a model's own.
            Bound::Predicate => Pred::by_name(name.text, scope.dialect)
                .is_some_and(|pred| !matches!(pred, Pred::M | Pred::Exclusive | Pred::AcqPc)),
            _ => crate::ast::Prim::by_name(name.text).is_some(),
        };
        match (self.names.get(&full), bound) {
            (None, _) if known => {}
            (None, _) => {
                self.names.insert(full, bound);
            }
            (Some(Bound::Relation), Bound::Relation) | (Some(Bound::Predicate), Bound::Predicate) => {}
            (Some(old), _) => return Err(self.twice(scope, name, *old)),
        }
        Ok(())
    }

    fn twice(&self, scope: &Scope<'_, '_>, name: Name<'_>, old: Bound) -> Diagnostic {
        let error = scope.source.error(name.pos, format!("{} is already defined", quoted(name.text)));
        match old {
            Bound::Def(id) => {
                let span = &self.defs[id.0 as usize].span;
                error.with_help(format!("its definition is at {}:{}:{}", span.file, span.line, span.col))
            }
            Bound::Relation => error.with_help("it is declared by `relation`"),
            Bound::Predicate => error.with_help("it is declared by `predicate`"),
        }
    }

    /// Introduces a definition. In `.cat` a name may be defined again; the old definition, which
    /// nothing later can refer to, then gets a name that no file can contain.
    fn introduce(
        &mut self,
        scope: &Scope<'_, '_>,
        binding: &Binding<'_>,
        body: DefBody,
        view: bool,
        rec_group: Option<u32>,
    ) -> Result<DefId, Diagnostic> {
        let name = binding.name;
        self.check_name(scope, name)?;
        let full = format!("{}{}", scope.prefix, name.text);
        match (self.names.get(&full), scope.dialect) {
            (None, _) => {}
            (Some(Bound::Def(old)), Dialect::Cat) => {
                let times = self.hidden.entry(full.clone()).or_insert(0);
                *times += 1;
                self.defs[old.0 as usize].name = format!("{full}@{times}");
            }
            (Some(old), _) => return Err(self.twice(scope, name, *old)),
        }
        let id = DefId(self.defs.len() as u32);
        self.names.insert(full.clone(), Bound::Def(id));
        self.defs.push(Def { name: full, body, view, rec_group, span: scope.source.span(name.pos) });
        Ok(id)
    }

    fn body(&self, scope: &Scope<'_, '_>, binding: &Binding<'_>) -> Result<DefBody, Diagnostic> {
        let e = &binding.body;
        Ok(match scope.dialect {
            Dialect::Kat if binding.predicate => DefBody::Set(self.set(scope, e)?),
            Dialect::Kat => DefBody::Rel(self.rel(scope, e)?),
            Dialect::Cat => match self.either(scope, e)? {
                Term::Set(set) => DefBody::Set(set),
                Term::Rel(rel) => DefBody::Rel(rel),
            },
        })
    }

    fn define(
        &mut self,
        scope: &Scope<'_, '_>,
        bindings: &[Binding<'_>],
        view: bool,
    ) -> Result<(), Diagnostic> {
        self.defining = bindings.iter().map(|binding| binding.name.text.to_string()).collect();
        let bodies: Result<Vec<_>, _> = bindings.iter().map(|binding| self.body(scope, binding)).collect();
        for (binding, body) in bindings.iter().zip(bodies?) {
            self.introduce(scope, binding, body, view, None)?;
            self.measure(scope, binding)?;
        }
        self.defining.clear();
        Ok(())
    }

    /// Refuses the definition, whose body is there now, if it is too deep to be followed.
    fn measure(&mut self, scope: &Scope<'_, '_>, binding: &Binding<'_>) -> Result<(), Diagnostic> {
        let extent = size::of(Subterm::from(&self.defs[self.extents.len()].body), &self.extents);
        self.extents.push(extent);
        if extent.depth <= size::MAX_DEPTH {
            return Ok(());
        }
        let name = quoted(binding.name.text);
        let message = format!(
            "with definitions in place of names, {name} is more than {} operators deep",
            size::MAX_DEPTH
        );
        Err(scope.source.error(binding.name.pos, message))
    }

    fn define_rec(
        &mut self,
        scope: &Scope<'_, '_>,
        bindings: &[Binding<'_>],
        view: bool,
    ) -> Result<(), Diagnostic> {
        let kinds = self.kinds(scope, bindings);
        let group = self.groups;
        self.groups += 1;
        let mut ids = Vec::with_capacity(bindings.len());
        let mut seen = HashSet::new();
        for (binding, kind) in bindings.iter().zip(&kinds) {
            if !seen.insert(binding.name.text) {
                let message = format!("{} is defined twice in one `let rec`", quoted(binding.name.text));
                return Err(scope.source.error(binding.name.pos, message));
            }
            let placeholder = match kind {
                Kind::Set => DefBody::Set(Set::Empty),
                Kind::Rel => DefBody::Rel(Rel::Empty),
            };
            ids.push(self.introduce(scope, binding, placeholder, view, Some(group))?);
        }
        for ((binding, kind), id) in bindings.iter().zip(&kinds).zip(ids) {
            // By kind, since `0` and the like can be either.
            let body = match (scope.dialect, kind) {
                (Dialect::Kat, _) => self.body(scope, binding)?,
                (Dialect::Cat, Kind::Rel) => DefBody::Rel(self.rel(scope, &binding.body)?),
                (Dialect::Cat, Kind::Set) => DefBody::Set(self.set(scope, &binding.body)?),
            };
            self.defs[id.0 as usize].body = body;
            self.measure(scope, binding)?;
        }
        Ok(())
    }

    /// Whether each definition of a group is a set or a relation: the least solution, with
    /// relations where nothing decides.
    fn kinds(&self, scope: &Scope<'_, '_>, bindings: &[Binding<'_>]) -> Vec<Kind> {
        /// More rounds are needed only for absurdly long chains of definitions.
        const MAX_ROUNDS: usize = 64;
        if scope.dialect == Dialect::Kat {
            return bindings.iter().map(|b| if b.predicate { Kind::Set } else { Kind::Rel }).collect();
        }
        let mut known: HashMap<&str, Option<Kind>> = bindings.iter().map(|b| (b.name.text, None)).collect();
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for binding in bindings {
                if known[binding.name.text].is_none() {
                    let kind = self.kind(scope, &binding.body, &known);
                    changed |= kind.is_some();
                    known.insert(binding.name.text, kind);
                }
            }
            if !changed {
                break;
            }
        }
        bindings.iter().map(|binding| known[binding.name.text].unwrap_or(Kind::Rel)).collect()
    }

    fn include(&mut self, scope: &Scope<'_, '_>, path: Name<'_>) -> Result<(), Diagnostic> {
        let fail = |message: String| scope.source.error(path.pos, message);
        let shown = quoted(path.text);
        let dialect = match (crate::load::dialect_of(path.text), scope.dialect) {
            (Some(dialect), Dialect::Kat) => dialect,
            (Some(Dialect::Cat), Dialect::Cat) => Dialect::Cat,
            (_, Dialect::Kat) => return Err(fail(format!("{shown} is neither a .kat nor a .cat file"))),
            (_, Dialect::Cat) => {
                return Err(fail(format!("{shown} is not a .cat file"))
                    .with_help("a .kat file can include both .kat and .cat files"));
            }
        };
        let file = beside(&scope.source.file, path.text);
        match self.files.get(&file) {
            Some(Progress::Read) => return Ok(()),
            Some(Progress::Reading) => return Err(fail(format!("{shown} includes itself"))),
            None => {}
        }
        if scope.depth >= MAX_INCLUDES {
            return Err(fail(format!("more than {MAX_INCLUDES} files include each other")));
        }
        let text = match (self.include)(&file) {
            Ok(text) => text,
            Err(_) if HERD_LIBRARY.contains(&path.text) && scope.dialect == Dialect::Cat => return Ok(()),
            Err(reason) => return Err(fail(format!("cannot include {shown}: {reason}"))),
        };
        crate::load::check_size(&file, &text)?;
        self.files.insert(file.clone(), Progress::Reading);
        let source = Source { file: file.as_str().into(), text: &text };
        // herd includes text; `.kat` includes modules.
        let textual = scope.dialect == Dialect::Cat;
        let prefix =
            if textual { scope.prefix.clone() } else { format!("{}::", self.module(scope, path, &file)?) };
        let main = textual && scope.main;
        self.file(&Scope { source: &source, dialect, prefix, main, depth: scope.depth + 1 })?;
        self.files.insert(file, Progress::Read);
        Ok(())
    }

    /// The name that qualifies the definitions of an included file.
    fn module(&mut self, scope: &Scope<'_, '_>, path: Name<'_>, file: &str) -> Result<String, Diagnostic> {
        let stem = stem(file);
        if stem == "builtin" {
            return Err(scope.source.error(path.pos, "`builtin::` stands for the built-in names"));
        }
        if let Some(other) = self.stems.insert(stem.clone(), file.to_string()) {
            let message = format!("two included files are called {}", quoted(&stem));
            let error = scope.source.error(path.pos, message);
            return Err(error.with_help(format!("the other one is {other}; rename one of them")));
        }
        Ok(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::{beside, stem};

    #[test]
    fn included_files_are_found_beside_the_including_one() {
        assert_eq!(beside("main", "x.kat"), "x.kat");
        assert_eq!(beside("models/a.kat", "x.kat"), "models/x.kat");
        assert_eq!(beside("models/a.kat", "../b/./x.kat"), "b/x.kat");
        assert_eq!(beside("/m/a.kat", "x.kat"), "/m/x.kat");
        assert_eq!(beside("m/a.kat", "/x.kat"), "/x.kat");
        assert_eq!(beside("a.kat", "../x.kat"), "../x.kat");
    }

    #[test]
    fn stems_can_be_written_in_a_model() {
        assert_eq!(stem("models/rc11.kat"), "rc11");
        assert_eq!(stem("a`b.kat"), "a_b");
        assert_eq!(stem(""), "");
    }
}
