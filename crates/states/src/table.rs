//! A model as a reordering table: which accesses of a thread may complete before earlier ones.
//!
//! Such a model asks that one relation is acyclic: of an order within each thread, which program order,
//! dependencies and locations decide, and of what other threads observe (`rf`, `co`, `fr`). Then its
//! executions are those of a machine that completes accesses one after the other, in any order that the
//! thread's own allows: a write completes for everybody at once, and a read reads what completed last.
//! Where the internal part of `rf` is not in the order, a read may complete before an earlier write of its
//! own thread, from which it takes its value.

use selvedge_graph::{Attrs, DepSet, Deps, Kind, Mode};
use selvedge_kat::{Constraint, DefBody, Diagnostic, Prim, Rel, Theory};
use selvedge_model::relational::{Local, LocalEvent, Relational};

/// A reordering table.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    local: Local,
    /// Some read may be overtaken by a later access of another location.
    pub overtakes_reads: bool,
    /// A read may complete before what decides whether it happens, or where another access goes.
    pub speculates: bool,
    /// It is program order: nothing is ever reordered.
    pub in_order: bool,
    /// Two accesses may be ordered because of one between them that is complete before the first.
    pub remembers: bool,
}

/// Why a model is no table.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotATable {
    #[error("{0}")]
    Model(Diagnostic),
    #[error("the model `{model}` is no reordering table: {why}")]
    Shape { model: String, why: String },
}

/// An event of a thread, as far as the order asks.
pub struct Line<'a> {
    pub attrs: Attrs,
    pub deps: &'a Deps,
    /// Some number for its location; accesses of the same location have the same one.
    pub loc: Option<u32>,
    /// The write of its own thread that it takes its value from, by its place in the line (from 0).
    pub own_source: Option<usize>,
}

const MODES: [Mode; 6] = Mode::C11;

static NO_DEPS: Deps = Deps::NONE;

impl Table {
    pub fn of(theory: &Theory) -> Result<Table, NotATable> {
        let shape = |why: &str| NotATable::Shape { model: theory.name.clone(), why: why.to_string() };
        let relational = Relational::compile(theory).map_err(NotATable::Model)?;
        let mut axioms = 0;
        let mut others = Vec::new();
        for axiom in theory.axioms.iter().filter(|axiom| !axiom.extra) {
            if axiom.unless.is_some() {
                return Err(shape("an axiom has exceptions"));
            }
            match &axiom.constraint {
                Constraint::Acyclic(rel) if is_order(theory, rel) => axioms += 1,
                Constraint::Acyclic(rel) | Constraint::Coherence(rel) => others.push(rel),
                Constraint::Error { .. } => {}
                _ => return Err(shape("it has an axiom that is neither `acyclic` nor `coherence`")),
            }
        }
        let local = relational.local().filter(|local| !local.by_source && !local.looks_ahead());
        let Some(local) = local.filter(|_| axioms == 1) else {
            return Err(shape(
                "it has no single acyclic relation of an order within threads and of what other threads see",
            ));
        };
        let mut table = Table {
            name: theory.name.clone(),
            local,
            overtakes_reads: false,
            speculates: false,
            in_order: false,
            remembers: false,
        };
        table.find_out();
        table.remembers = !table.in_order && (table.has_middles() || table.publishes());
        // Where no read is overtaken, `po | rf` has no cycles, and is coherent: a thread is entered at a read
        // and left at a write after it. Where some are, nothing more than coherence may be asked for.
        for rel in others {
            let only = |allowed: &[Prim]| is_made_of(theory, rel, allowed);
            if !only(&[Prim::Po, Prim::PoLoc, Prim::Tc, Prim::Tj])
                && (table.overtakes_reads || !only(&[Prim::Po, Prim::Tc, Prim::Tj, Prim::Rf]))
            {
                return Err(shape("it asks for more than coherence and one acyclic relation"));
            }
        }
        table.fits().map_err(shape)?;
        Ok(table)
    }

    /// Which earlier events of a thread each event waits for, by place (from 0).
    pub fn order(&self, line: &[Line<'_>]) -> Vec<DepSet> {
        let mut sets: Vec<Vec<DepSet>> = Vec::with_capacity(line.len());
        let mut before = Vec::with_capacity(line.len());
        for (at, event) in line.iter().enumerate() {
            let (mut same_location, mut same_written) = (DepSet::EMPTY, DepSet::EMPTY);
            if event.loc.is_some() {
                for (other, earlier) in line[..at].iter().enumerate() {
                    if earlier.loc == event.loc {
                        same_location.insert(other as u32 + 1);
                        if earlier.attrs.has(Attrs::W) {
                            same_written.insert(other as u32 + 1);
                        }
                    }
                }
            }
            let event = LocalEvent {
                idx: at as u32 + 1,
                attrs: event.attrs,
                deps: event.deps,
                same_location: &same_location,
                same_written: &same_written,
                own_source: event.own_source.map(|source| source as u32 + 1),
                rereads: &DepSet::EMPTY,
                detours: &DepSet::EMPTY,
            };
            let mut out = Vec::new();
            let earlier = |idx: u32| sets.get(idx as usize - 1).map_or(&[][..], Vec::as_slice);
            self.local.compute(&event, &earlier, &mut out);
            let mut all = DepSet::EMPTY;
            self.local.firm(&out).chain(self.local.located(&out)).for_each(|set| all.union(set));
            all.intersect(&DepSet::below(at as u32 + 1));
            before.push(all);
            sets.push(out);
        }
        before
    }

    /// Whether an access that is complete may order what is before it and what is after it.
    fn has_middles(&self) -> bool {
        let all = accesses();
        all.iter().any(|first| {
            all.iter().filter(|last| !self.waits(&[plain(*first, 0), plain(**last, 2)])).any(|last| {
                let line = |between: Attrs| [plain(*first, 0), plain(between, 1), plain(*last, 2)];
                let orders = |between: &Attrs| {
                    let order = self.order(&line(*between));
                    !order[1].contains(1) && order[2].contains(1)
                };
                all.iter().any(orders)
            })
        })
    }

    /// Whether a write waits for those that it publishes, and not for others.
    fn publishes(&self) -> bool {
        let write = Attrs::of(Kind::Write, Mode::Na, false);
        let deps = Deps { publishes: DepSet::one(1), ..Deps::NONE };
        !self.waits(&[plain(write, 0), plain(write, 1)])
            && self.waits(&[plain(write, 0), Line { deps: &deps, ..plain(write, 1) }])
    }

    /// Whether a read may complete before an earlier one of this ordering that decides whether it happens.
    pub fn is_speculated(&self, mode: Mode) -> bool {
        let later = Attrs::of(Kind::Read, Mode::Na, false);
        self.speculates && !self.waits(&[plain(Attrs::of(Kind::Read, mode, false), 0), plain(later, 1)])
    }

    /// Whether the last of these events waits for the first one, in one step or several.
    fn waits(&self, line: &[Line<'_>]) -> bool {
        let order = self.order(line);
        let mut reached = vec![false; line.len()];
        for at in (0..line.len()).rev() {
            if at + 1 == line.len() || reached[at] {
                order[at].iter().for_each(|idx| reached[idx as usize - 1] = true);
            }
        }
        reached[0]
    }

    fn find_out(&mut self) {
        let ordered = |a: Attrs, b: Attrs| self.waits(&[plain(a, 0), plain(b, 1)]);
        let accesses = accesses();
        let reads: Vec<Attrs> = accesses.iter().copied().filter(|a| a.has(Attrs::R)).collect();
        let overtaken = reads.iter().any(|r| accesses.iter().any(|a| !ordered(*r, *a)));
        let in_order = accesses.iter().all(|a| accesses.iter().all(|b| ordered(*a, *b)));
        let read = Attrs::of(Kind::Read, Mode::Rlx, false);
        let by_control = Deps { ctrl: DepSet::one(1), ..Deps::NONE };
        let by_address = Deps { addr: DepSet::one(1), ..Deps::NONE };
        let after_branch = Line { deps: &by_control, ..plain(read, 1) };
        let through = Line { deps: &by_address, ..plain(read, 1) };
        self.speculates = !self.waits(&[plain(read, 0), after_branch])
            || !self.waits(&[plain(read, 0), through, plain(read, 2)]);
        (self.overtakes_reads, self.in_order) = (overtaken, in_order);
    }

    /// What the machine takes for granted.
    fn fits(&self) -> Result<(), &'static str> {
        let accesses = accesses();
        let fences = [Kind::Spawn, Kind::Join].map(|kind| Attrs::of(kind, Mode::Na, false));
        for fence in fences {
            let place = || Line { attrs: fence, deps: &NO_DEPS, loc: None, own_source: None };
            if accesses
                .iter()
                .any(|a| !self.waits(&[plain(*a, 0), place()]) || !self.waits(&[place(), plain(*a, 0)]))
            {
                return Err("accesses may be reordered with the creation or the end of a thread");
            }
        }
        for mode in MODES.into_iter().skip(1) {
            let halves = [Kind::Read, Kind::Write].map(|kind| Attrs::of(kind, mode, true));
            let pair = |last: Attrs| [plain(halves[0], 0), plain(halves[1], 0), plain(last, 1)];
            let waits = |last: Attrs| {
                let order = self.order(&pair(last));
                order[2].contains(1) || order[2].contains(2)
            };
            if !accesses.iter().all(|a| waits(*a)) {
                return Err("accesses may overtake a read-modify-write");
            }
        }
        let read = Attrs::of(Kind::Read, Mode::Rlx, false);
        let write = Attrs::of(Kind::Write, Mode::Rlx, false);
        let by = |deps: fn(&mut Deps)| {
            let mut of = Deps::NONE;
            deps(&mut of);
            of
        };
        let ctrl = by(|d| d.ctrl.insert(1));
        let addr = by(|d| d.addr.insert(1));
        let data = by(|d| d.data.insert(1));
        let then = |deps| Line { deps, ..plain(write, 1) };
        let depends = [&ctrl, &addr, &data].into_iter().all(|deps| self.waits(&[plain(read, 0), then(deps)]))
            && self.waits(&[plain(read, 0), Line { deps: &addr, ..plain(read, 1) }])
            && self.waits(&[plain(read, 0), Line { deps: &addr, ..plain(read, 1) }, plain(write, 2)]);
        if !depends {
            return Err("writes do not wait for what they depend on");
        }
        let forwarded = Line { own_source: Some(1), ..plain(read, 1) };
        if self.overtakes_reads && !self.waits(&[plain(read, 0), then(&data), forwarded]) {
            return Err("a value may be read before what it depends on");
        }
        Ok(())
    }
}

fn plain(attrs: Attrs, loc: u32) -> Line<'static> {
    Line { attrs, deps: &NO_DEPS, loc: Some(loc), own_source: None }
}

fn accesses() -> Vec<Attrs> {
    let of = |kind| MODES.into_iter().map(move |mode| Attrs::of(kind, mode, false));
    of(Kind::Read).chain(of(Kind::Write)).collect()
}

/// The parts of a union, definitions looked up.
fn parts<'t>(theory: &'t Theory, rel: &'t Rel, out: &mut Vec<&'t Rel>) {
    match rel {
        Rel::Union(a, b) => {
            parts(theory, a, out);
            parts(theory, b, out);
        }
        Rel::Def(id) => match theory.defs.get(id.0 as usize).map(|def| &def.body) {
            Some(DefBody::Rel(rel)) if matches!(rel, Rel::Union(..) | Rel::Prim(_) | Rel::Def(_)) => {
                parts(theory, rel, out);
            }
            _ => out.push(rel),
        },
        _ => out.push(rel),
    }
}

/// Whether a relation is an order of what completes: all that other threads see is in it.
fn is_order(theory: &Theory, rel: &Rel) -> bool {
    let mut all = Vec::new();
    parts(theory, rel, &mut all);
    let has = |prims: [Prim; 2]| all.iter().any(|part| matches!(part, Rel::Prim(p) if prims.contains(p)));
    has([Prim::Rf, Prim::Rfe]) && has([Prim::Co, Prim::Coe]) && has([Prim::Fr, Prim::Fre])
}

/// Whether a relation is made of these by unions and closures.
fn is_made_of(theory: &Theory, rel: &Rel, prims: &[Prim]) -> bool {
    match rel {
        Rel::Prim(p) => prims.contains(p),
        Rel::Union(a, b) => is_made_of(theory, a, prims) && is_made_of(theory, b, prims),
        Rel::Plus(a) => is_made_of(theory, a, prims),
        Rel::Def(id) => match theory.defs.get(id.0 as usize).map(|def| &def.body) {
            Some(DefBody::Rel(rel)) => is_made_of(theory, rel, prims),
            _ => false,
        },
        _ => false,
    }
}
