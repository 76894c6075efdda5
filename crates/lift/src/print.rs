//! A derived system as text.

use crate::Error;
use crate::follow::{Derived, Item, Location, Way};
use crate::samples::{Num, Samples};
use crate::term::{Rel, Term};
use crate::variables::{Local, Origin, Point, Variables};
use std::fmt::Write;
use std::path::Path;

struct Printer<'d> {
    variables: &'d Variables,
}

/// What is assigned to.
#[derive(Clone)]
enum Place {
    Local(usize),
    Cell(usize, Vec<Term>),
}

pub fn text(samples: &Samples, function: &str, mut derived: Derived) -> Result<String, Error> {
    let names = names(samples, &derived.locations);
    derived.variables.name_apart(samples, &names);
    let mut bodies = Vec::new();
    for location in &derived.locations {
        let mut ways = Vec::new();
        for way in &location.ways {
            ways.push(ordered(way, &mut derived.variables));
        }
        bodies.push(ways);
    }
    let v = &derived.variables;
    let p = Printer { variables: v };
    let uses = |test: &dyn Fn(&Term) -> bool| {
        derived.locations.iter().flat_map(|l| &l.ways).any(|w| {
            let written = w.write.iter().flat_map(|(_, index, value)| index.iter().chain([value]));
            let local = w.locals.iter().map(|l| &l.1);
            let item = w.items.iter().map(|(Item::Await(t) | Item::Assert(t))| t);
            written.chain(local).chain(item).any(|t| t.mentions(test))
        })
    };
    let threads = |n: &Num| (n.threads, n.rounds, n.rest) == (1, 0, 0);
    // Threads are numbers if they are computed with, or if somebody else's element of an array is meant.
    let other = |t: &Term| match t {
        Term::Cell(g, index) => {
            index.iter().zip(&v.shared[g].dims).any(|(i, d)| threads(&d.0) && *i != Term::Me)
        }
        _ => false,
    };
    let foreign =
        |w: &Way| w.write.as_ref().is_some_and(|(g, index, _)| other(&Term::Cell(*g, index.clone())));
    let me_elsewhere = |t: &Term| match t {
        Term::Add(a, b) | Term::Cmp(_, a, b) => **a == Term::Me || **b == Term::Me,
        Term::Mul(_, a) | Term::Rem(a, _) | Term::Pow2(a) => **a == Term::Me,
        Term::Ite(_, a, b) => **a == Term::Me || **b == Term::Me,
        Term::Cell(g, index) => {
            index.iter().zip(&v.shared[g].dims).any(|(i, d)| !threads(&d.0) && *i == Term::Me)
        }
        _ => false,
    };
    let stored = |w: &Way| {
        w.locals.iter().any(|l| l.1 == Term::Me)
            || w.write.as_ref().is_some_and(|(g, index, value)| {
                *value == Term::Me || me_elsewhere(&Term::Cell(*g, index.clone()))
            })
    };
    let ways = || derived.locations.iter().flat_map(|l| &l.ways);
    let ring = uses(&other) || uses(&me_elsewhere) || ways().any(|w| foreign(w) || stored(w));
    let has_rounds = |n: &Num| n.rounds != 0;
    let rounds =
        uses(&|t| {
            matches!(t, Term::Num(n) if has_rounds(n)) || matches!(t, Term::Rem(_, n) if has_rounds(n))
        }) || v.shared.values().any(|s| has_rounds(&s.initial) || s.dims.iter().any(|d| has_rounds(&d.0)))
            || v.locals.iter().any(|l| has_rounds(&l.initial));
    let mut out = String::new();
    let sizes: Vec<String> = samples.sizes().iter().map(ToString::to_string).collect();
    let _ = writeln!(
        out,
        "// What each thread does that runs `{function}`, its number being the argument. Numbers that"
    );
    let _ = writeln!(
        out,
        "// depend on how many threads there are were read off the program for {}.",
        sizes.join(", ")
    );
    let _ = writeln!(out, "threads Thread{};", if ring { " = ring" } else { "" });
    let _ = writeln!(out, "locations {}, end done;", names.join(", "));
    if rounds {
        out.push_str("const L: int;\naxiom rounds: L >= 0 && #Thread <= pow2(L) && pow2(L) < 2 * #Thread;\n");
    }
    out.push('\n');
    for (global, shared) in &v.shared {
        let wide = v.wide_shared.contains(global);
        let dims: Vec<String> = shared
            .dims
            .iter()
            .map(
                |(n, _)| {
                    if threads(n) { "Thread".into() } else { format!("0..{}", num(n.plus(Num::of(-1)))) }
                },
            )
            .collect();
        let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
        let _ = writeln!(
            out,
            "shared {}{dims}: {} = {};",
            shared.name,
            kind(wide),
            initial(shared.initial, wide)
        );
    }
    for (l, local) in v.locals.iter().enumerate() {
        let held = matches!(local.origin, Origin::Held(_) | Origin::Global(_));
        let assigned = ways().any(|w| w.locals.iter().any(|x| x.0 == l));
        if !held && !assigned && !uses(&|t| *t == Term::Local(l)) {
            continue;
        }
        let wide = v.wide_locals.contains(&local.origin);
        let _ = writeln!(out, "local {}: {} = {};", local.name, kind(wide), initial(local.initial, wide));
    }
    for ((location, name), ways) in derived.locations.iter().zip(&names).zip(&bodies) {
        let place = location.place;
        let file = samples.first().files.get(place.file as usize).map_or("", String::as_str);
        let _ = writeln!(out, "\n// {file}:{}", place.line);
        let printed: Vec<Vec<String>> = location
            .ways
            .iter()
            .zip(ways)
            .map(|(way, assigned)| {
                let to = way.to.as_ref().map_or("done", |to| name_of(&derived.locations, &names, to));
                p.way(way, assigned, to)
            })
            .collect();
        match printed.as_slice() {
            [] => _ = writeln!(out, "step {name} {{ await false; goto done; }}"),
            [one] => _ = writeln!(out, "step {name} {{ {} }}", one.join(" ")),
            several => {
                let all: Vec<String> = several.iter().map(|w| format!("{{ {} }}", w.join(" "))).collect();
                let _ = writeln!(out, "step {name} {{\n    either {}\n}}", all.join("\n    or "));
            }
        }
    }
    Ok(out)
}

fn kind(wide: bool) -> &'static str {
    if wide { "int" } else { "bool" }
}

fn initial(n: Num, wide: bool) -> String {
    if wide { num(n) } else { (n.rest != 0).to_string() }
}

fn name_of<'n>(locations: &[Location], names: &'n [String], point: &Point) -> &'n str {
    locations.iter().position(|l| l.point == *point).map_or("done", |at| names[at].as_str())
}

/// The lines of accesses; a letter tells several of a line apart.
fn names(samples: &Samples, locations: &[Location]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let main = locations.first().map_or(0, |l| samples.first().functions[l.point[0].0].place.file);
    for location in locations {
        if found.is_empty() {
            found.push("start".into());
            continue;
        }
        let file = samples.first().files.get(location.place.file as usize).map_or("", String::as_str);
        let stem = Path::new(file).file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
        let stem: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
        let base = if location.place.file == main {
            format!("L{}", location.place.line)
        } else {
            format!("{stem}_L{}", location.place.line)
        };
        let mut name = base.clone();
        let mut letter = b'b';
        while found.contains(&name) {
            name = format!("{base}{}", char::from(letter));
            letter += 1;
        }
        found.push(name);
    }
    found
}

/// Assignments one after the other that do the same as all at once.
fn ordered(way: &Way, variables: &mut Variables) -> Vec<(Place, Term)> {
    let mut left: Vec<(Place, Term)> =
        way.locals.iter().map(|(l, t)| (Place::Local(*l), t.clone())).collect();
    if let Some((global, index, value)) = &way.write {
        left.push((Place::Cell(*global, index.clone()), value.clone()));
    }
    let reads = |(place, term): &(Place, Term), of: &Place| {
        let is = |t: &Term| match (of, t) {
            (Place::Local(l), Term::Local(m)) => l == m,
            (Place::Cell(g, _), Term::Cell(h, _)) => g == h,
            _ => false,
        };
        let index = matches!(place, Place::Cell(_, all) if all.iter().any(|t| t.mentions(&is)));
        index || term.mentions(&is)
    };
    let mut done = Vec::new();
    while !left.is_empty() {
        // One whose variable nobody reads any more.
        let free =
            (0..left.len()).find(|i| (0..left.len()).all(|j| j == *i || !reads(&left[j], &left[*i].0)));
        match free {
            Some(i) => done.push(left.remove(i)),
            None => {
                // Two variables that are exchanged: one value waits.
                let held = variables.locals.iter().filter(|l| matches!(l.origin, Origin::Held(_))).count();
                let (place, term) = left.remove(0);
                let origin = Origin::Held(held);
                if !term.is_truth(variables) {
                    variables.wide_locals.insert(origin.clone());
                }
                variables.locals.push(Local {
                    origin,
                    name: format!("held{}", held + 1),
                    initial: Num::default(),
                    bytes: 8,
                });
                let at = variables.locals.len() - 1;
                done.push((Place::Local(at), term));
                left.push((place, Term::Local(at)));
            }
        }
    }
    done
}

fn num(n: Num) -> String {
    let mut text = String::new();
    let mut add = |k: i64, what: &str| {
        if k == 0 {
            return;
        }
        let sign = if k < 0 { "-" } else { "+" };
        let size = k.unsigned_abs();
        let part = match (size, what) {
            (n, "") => n.to_string(),
            (1, what) => what.to_string(),
            (n, what) => format!("{n} * {what}"),
        };
        if text.is_empty() {
            text = if k < 0 { format!("-{part}") } else { part };
        } else {
            let _ = write!(text, " {sign} {part}");
        }
    };
    add(n.threads, "#Thread");
    add(n.rounds, "L");
    add(n.rest, "");
    if text.is_empty() { "0".into() } else { text }
}

impl Printer<'_> {
    fn way(&self, way: &Way, assigned: &[(Place, Term)], to: &str) -> Vec<String> {
        let mut found: Vec<String> = way
            .items
            .iter()
            .map(|item| match item {
                Item::Await(t) => format!("await {};", self.truth(t)),
                Item::Assert(t) => format!("assert {};", self.truth(t)),
            })
            .collect();
        for (place, term) in assigned {
            let (target, wide) = match place {
                Place::Local(l) => {
                    let local = &self.variables.locals[*l];
                    (local.name.clone(), self.variables.wide_locals.contains(&local.origin))
                }
                Place::Cell(g, index) => (self.cell(*g, index), self.variables.wide_shared.contains(g)),
            };
            let value = if wide { self.number(term) } else { self.truth(term) };
            found.push(format!("{target} := {value};"));
        }
        found.push(format!("goto {to};"));
        found
    }

    fn cell(&self, global: usize, index: &[Term]) -> String {
        let name = &self.variables.shared[&global].name;
        if index.is_empty() {
            return name.clone();
        }
        let index: Vec<String> = index.iter().map(|t| self.number(t)).collect();
        format!("{name}[{}]", index.join(", "))
    }

    /// As a number.
    fn number(&self, t: &Term) -> String {
        match t {
            Term::Num(n) => num(*n),
            _ if t.is_truth(self.variables) => format!("(if {} then 1 else 0)", self.truth(t)),
            Term::Me => "self".into(),
            Term::Local(l) => self.variables.locals[*l].name.clone(),
            Term::Cell(g, index) => self.cell(*g, index),
            Term::Add(a, b) => {
                let right = match &**b {
                    Term::Num(n) if n.threads <= 0 && n.rounds <= 0 && n.rest <= 0 => {
                        format!("- {}", self.tight(&Term::Num(n.times(-1))))
                    }
                    Term::Mul(k, t) if *k < 0 => format!("- {}", self.tight(&(**t).clone().times(-k))),
                    b => format!("+ {}", self.tight(b)),
                };
                format!("{} {right}", self.number(a))
            }
            Term::Mul(k, a) => format!("{k} * {}", self.tight(a)),
            Term::Rem(a, n) => format!("{} % {}", self.tight(a), num(*n)),
            Term::Pow2(a) => format!("pow2({})", self.number(a)),
            Term::Ite(c, a, b) => {
                format!("(if {} then {} else {})", self.truth(c), self.number(a), self.number(b))
            }
            _ => self.truth(t),
        }
    }

    /// A number that something stands beside.
    fn tight(&self, t: &Term) -> String {
        let text = self.number(t);
        let loose = match t {
            Term::Add(..) | Term::Mul(..) | Term::Rem(..) => true,
            Term::Num(_) => text.contains(' ') || text.starts_with('-'),
            _ => false,
        };
        if loose { format!("({text})") } else { text }
    }

    /// As a formula.
    fn truth(&self, t: &Term) -> String {
        match t {
            Term::Num(n) => (*n != Num::default()).to_string(),
            Term::Local(l) if t.is_truth(self.variables) => self.variables.locals[*l].name.clone(),
            Term::Cell(g, index) if t.is_truth(self.variables) => self.cell(*g, index),
            Term::Cmp(Rel::Eq, a, b) => self.equation("==", a, b),
            Term::Not(a) => match &**a {
                Term::Cmp(Rel::Eq, a, b) => self.equation("!=", a, b),
                Term::And(a, b) => {
                    let side = |t: &Term| self.atom(&t.clone().not());
                    format!("{} || {}", side(a), side(b))
                }
                a => format!("!{}", self.atom(a)),
            },
            Term::Cmp(rel, a, b) => {
                format!("{} {} {}", self.number(a), if *rel == Rel::Le { "<=" } else { "<" }, self.number(b))
            }
            Term::And(a, b) => format!("{} && {}", self.atom(a), self.atom(b)),
            Term::Ite(c, a, b) if t.is_truth(self.variables) => {
                format!("(if {} then {} else {})", self.truth(c), self.truth(a), self.truth(b))
            }
            t => format!("{} != 0", self.number(t)),
        }
    }

    fn atom(&self, t: &Term) -> String {
        let text = self.truth(t);
        let tight =
            matches!(t, Term::Ite(..) | Term::Local(_) | Term::Cell(..)) && t.is_truth(self.variables);
        if text.contains(' ') && !tight { format!("({text})") } else { text }
    }

    fn equation(&self, op: &str, a: &Term, b: &Term) -> String {
        if a.is_truth(self.variables) && b.is_truth(self.variables) {
            return format!("{} {op} {}", self.atom(a), self.atom(b));
        }
        format!("{} {op} {}", self.number(a), self.number(b))
    }
}
