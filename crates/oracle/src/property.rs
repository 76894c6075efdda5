//! Properties of models, tried on executions: the definitions of [`Property`] as they are written, on
//! matrices.
//!
//! A property that says what else is an execution changes the one at hand in all ways that it speaks of, and
//! asks the model again. Values do not matter here: a model does not see them.

use selvedge_certify::eval::{Judge, Stage};
use selvedge_certify::execution::{Deps, Event, INIT, NO_LOC, Relations};
use selvedge_certify::matrix::Matrix;
use selvedge_graph::{Kind, Mode};
use selvedge_kat::Property;
use std::fmt;

/// An execution, to be judged and to be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// The initialising event, then thread by thread in program order.
    pub events: Vec<Event>,
    /// The source of each event that is a read.
    pub rf: Vec<usize>,
    /// The writes of each location in coherence order, the initialising one left out.
    pub co: Vec<Vec<usize>>,
}

/// What the model says of an execution.
struct Judged {
    admitted: bool,
    /// Whether there is an error, not only a warning.
    erroneous: bool,
}

/// What came of trying.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tried {
    /// The property says nothing of this execution.
    Nothing,
    /// As the property says.
    Holds,
    /// The execution that should be admitted and is not, or the one that should not.
    Violated(Trial),
}

impl Trial {
    /// Whether the write of each read-modify-write comes directly after the source of its read.
    pub fn is_atomic(&self) -> bool {
        self.co.iter().all(|order| {
            order.iter().enumerate().all(|(at, &w)| {
                let before = if at == 0 { INIT } else { order[at - 1] };
                !self.events[w].rmw || self.rf[w - 1] == before
            })
        })
    }

    /// All relations of the execution.
    pub fn relations(&self) -> Relations {
        let mut r = Relations::of(&self.events);
        for order in &self.co {
            for (at, &w) in order.iter().enumerate() {
                r.co.set(INIT, w);
                order[at + 1..].iter().for_each(|&later| r.co.set(w, later));
            }
        }
        for x in self.reads() {
            let source = self.rf[x];
            r.rf.set(source, x);
            let order = &self.co[self.events[x].loc as usize];
            let after = order.iter().position(|&w| w == source).map_or(0, |at| at + 1);
            order[after..].iter().for_each(|&w| r.fr.set(x, w));
        }
        r
    }

    fn reads(&self) -> impl Iterator<Item = usize> {
        self.events.iter().enumerate().filter(|(_, e)| e.kind == Kind::Read).map(|(x, _)| x)
    }

    fn judged(&self, judge: &Judge) -> Judged {
        let (base, mut scratch) = (self.relations(), judge.scratch());
        let admitted = Stage::ALL.iter().all(|stage| judge.admits(*stage, &self.events, &base, &mut scratch));
        let flags = if admitted { judge.flags(base.n, &scratch) } else { 0 };
        let is_error = |(at, (_, warning)): (usize, (&str, bool))| !warning && flags >> at & 1 == 1;
        Judged { admitted, erroneous: judge.flag_names().enumerate().any(is_error) }
    }

    /// Whether the model admits it.
    pub fn is_admitted(&self, judge: &Judge) -> bool {
        self.judged(judge).admitted
    }

    fn is_first(&self, x: usize) -> bool {
        self.events[x].idx == 1
    }

    fn is_last(&self, x: usize) -> bool {
        self.events.get(x + 1).is_none_or(|next| next.tid != self.events[x].tid)
    }

    fn is_read_by(&self, w: usize) -> impl Iterator<Item = usize> {
        self.reads().filter(move |&x| self.rf[x] == w)
    }

    /// Without an event that nothing reads from.
    fn without(&self, gone: usize) -> Trial {
        let Event { tid, idx, .. } = self.events[gone];
        let shift = |x: usize| if x > gone { x - 1 } else { x };
        // Later events of the thread move up.
        let strip = |set: u32| (set & ((1 << idx) - 1)) | (set >> (idx + 1) << idx);
        let mut events = self.events.clone();
        for e in events.iter_mut().filter(|e| e.tid == tid && e.idx > idx) {
            let Deps { addr, data, ctrl, arm, cas, publishes } = e.deps;
            let [addr, data, ctrl, arm, cas, publishes] = [addr, data, ctrl, arm, cas, publishes].map(strip);
            e.deps = Deps { addr, data, ctrl, arm, cas, publishes };
            e.idx -= 1;
        }
        events.remove(gone);
        let mut rf: Vec<usize> = self.rf.iter().map(|&w| shift(w)).collect();
        rf.remove(gone);
        let others = |order: &Vec<usize>| order.iter().filter(|&&w| w != gone).map(|&w| shift(w)).collect();
        Trial { events, rf, co: self.co.iter().map(others).collect() }
    }

    /// With a read made again right after it.
    fn twice(&self, read: usize) -> Trial {
        let Event { tid, idx, .. } = self.events[read];
        let shift = |x: usize| if x > read { x + 1 } else { x };
        // Later events of the thread depend on the second one.
        let spread = |set: u32| (set & ((1 << idx) - 1)) | (set >> idx << (idx + 1));
        let mut events = self.events.clone();
        for e in events.iter_mut().filter(|e| e.tid == tid && e.idx > idx) {
            let Deps { addr, data, ctrl, arm, cas, publishes } = e.deps;
            let [addr, data, ctrl, arm, cas, publishes] = [addr, data, ctrl, arm, cas, publishes].map(spread);
            e.deps = Deps { addr, data, ctrl, arm, cas, publishes };
            e.idx += 1;
        }
        events.insert(read + 1, Event { idx: idx + 1, ..self.events[read] });
        let mut rf: Vec<usize> = self.rf.iter().map(|&w| shift(w)).collect();
        rf.insert(read + 1, rf[read]);
        let moved = |order: &Vec<usize>| order.iter().map(|&w| shift(w)).collect();
        Trial { events, rf, co: self.co.iter().map(moved).collect() }
    }

    fn mode(&self, x: usize, mode: Mode) -> Trial {
        let mut other = self.clone();
        other.events[x].mode = mode;
        if self.events[x].rmw {
            other.events[x + 1].mode = mode;
        }
        other
    }

    /// What should be an execution, too, by a property that changes executions.
    fn changed(&self, property: Property) -> Vec<Trial> {
        let n = self.events.len();
        let inner = |x: &usize| !self.is_first(*x) && !self.is_last(*x);
        match property {
            Property::ForgetsReads => {
                let forgotten = |x: &usize| match self.events[*x].kind {
                    Kind::Read => !self.events[*x].rmw,
                    kind => kind == Kind::Fence && !self.events[*x].mode.is_mark(),
                };
                (1..n).filter(inner).filter(forgotten).map(|x| self.without(x)).collect()
            }
            Property::RepeatsReads => {
                let plain = |x: &usize| !self.events[*x].rmw;
                self.reads().filter(plain).map(|x| self.twice(x)).collect()
            }
            Property::ForgetsWrites => {
                let is_unread = |x: &usize| self.is_read_by(*x).next().is_none();
                let plain = |x: &usize| self.events[*x].kind == Kind::Write && !self.events[*x].rmw;
                (1..n).filter(inner).filter(plain).filter(is_unread).map(|x| self.without(x)).collect()
            }
            Property::ForgetsRmws | Property::ForgetsAcquiringRmws => self
                .rmws()
                .filter(|&u| property == Property::ForgetsRmws || self.acquires(u))
                .filter(|&u| !self.is_first(u) && !self.is_last(u + 1))
                .map(|u| {
                    let mut other = self.clone();
                    self.is_read_by(u + 1).for_each(|x| other.rf[x] = self.rf[u]);
                    other.without(u + 1).without(u)
                })
                .collect(),
            Property::ConfirmsReads => self
                .rmws()
                .filter_map(|u| {
                    let r = self.confirmed_by(u)?;
                    let mut other = self.clone();
                    other.rf[r] = self.rf[u];
                    Some(other)
                })
                .collect(),
            Property::DelegatesRmws => {
                let reads = || self.reads().filter(|&o| !self.events[o].rmw);
                let pairs = self.rmws().flat_map(|h| reads().map(move |o| (h, o)));
                let modes = [Mode::Rlx, Mode::Acq];
                let is_step = |pair: &(usize, usize)| self.is_delegated(pair.0, pair.1);
                pairs
                    .filter(is_step)
                    .flat_map(|(h, o)| modes.map(|mode| self.delegated(h, o, mode)))
                    .collect()
            }
            Property::MonotoneInOrderings => {
                let half = |x: &usize| self.events[*x].rmw && self.events[*x].kind == Kind::Write;
                let weaker = |x: usize| weaker(&self.events[x]).iter().map(move |mode| self.mode(x, *mode));
                (1..n).filter(|x| !half(x)).flat_map(weaker).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The read halves of read-modify-writes.
    fn rmws(&self) -> impl Iterator<Item = usize> {
        self.reads().filter(|&x| self.events[x].rmw)
    }

    fn acquires(&self, x: usize) -> bool {
        matches!(self.events[x].mode, Mode::Acq | Mode::AcqRel | Mode::Sc)
    }

    /// The read before a read-modify-write that may as well see the same.
    fn confirmed_by(&self, u: usize) -> Option<usize> {
        let own = |x: usize| self.events[x].tid == self.events[u].tid;
        let r = (1..u).rev().take_while(|&x| own(x)).find(|&x| self.events[x].kind != Kind::Write)?;
        let read = &self.events[r];
        if read.kind != Kind::Read || read.rmw || read.loc != self.events[u].loc {
            return None;
        }
        let acquires = match (read.mode, self.events[u].mode) {
            (Mode::Rlx, _) => true,
            (Mode::Acq, mode) => matches!(mode, Mode::Acq | Mode::AcqRel | Mode::Sc),
            (Mode::Sc, mode) => mode == Mode::Sc,
            _ => false,
        };
        let relations = self.relations();
        let causal = causal(&relations);
        let private = |w: usize| {
            let write = &self.events[w];
            let after = |(x, e): (usize, &Event)| e.loc != write.loc || own(x) || causal.has(u + 1, x);
            let elsewhere = write.loc != read.loc;
            let weak = matches!(write.mode, Mode::Na | Mode::Rlx) && !write.rmw;
            elsewhere && weak && self.events.iter().enumerate().all(after)
        };
        (acquires && (r + 1..u).all(private) && self.rf[r] != self.rf[u]).then_some(r)
    }

    /// Whether the read-modify-write `h` completes a step of the thread of `o`, which then fails to do so.
    fn is_delegated(&self, h: usize, o: usize) -> bool {
        let acquires = |x: usize| self.acquires(x);
        let releases = |w: usize| matches!(self.events[w].mode, Mode::Rel | Mode::AcqRel | Mode::Sc);
        let earlier = |x: usize, than: usize| x < than && self.events[x].tid == self.events[than].tid;
        let knows =
            |w: usize, e: usize| releases(w) && self.is_read_by(w).any(|x| earlier(x, e) && acquires(x));
        let created = |w: usize, e: usize| {
            let makes = |x: &usize| {
                let spawn = &self.events[*x];
                spawn.kind == Kind::Spawn && spawn.peer == self.events[e].tid && earlier(w, *x)
            };
            !self.events[w].rmw && (1..self.events.len()).any(|x| makes(&x))
        };
        let (k, s) = (o - 1, self.rf[h]);
        let order = &self.co[self.events[h].loc as usize];
        let place = |w: usize| order.iter().position(|&x| x == w);
        let is_sc = |e: &Event| matches!(e.kind, Kind::Read | Kind::Write) && e.mode == Mode::Sc;
        self.events[h].loc == self.events[o].loc
            && self.events[h].tid != self.events[o].tid
            && place(self.rf[o]) >= place(h + 1)
            && earlier(k, o)
            && self.events[k].kind == Kind::Write
            && knows(k, h)
            && (s == INIT || knows(s, k) || created(s, k))
            && releases(h)
            && !self.events.iter().any(is_sc)
    }

    /// The execution in which `o` makes the step of `h`, and `h` is a read of this ordering.
    fn delegated(&self, h: usize, o: usize, mode: Mode) -> Trial {
        // The write half moves to right after `o`.
        let mut order: Vec<usize> = (0..self.events.len()).filter(|&x| x != h + 1).collect();
        let after = order.iter().position(|&x| x == o).map_or(order.len(), |at| at + 1);
        order.insert(after, h + 1);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &x)| place[x] = at);
        let mut events: Vec<Event> = order.iter().map(|&x| self.events[x]).collect();
        let owner = self.events[o].tid;
        let (read, write) = (place[o], place[h + 1]);
        events[write] = Event { tid: owner, idx: self.events[o].idx + 1, ..self.events[h + 1] };
        events[read] = Event { rmw: true, mode: self.events[h].mode, ..self.events[o] };
        events[place[h]] = Event { rmw: false, mode, ..self.events[h] };
        for (at, e) in events.iter_mut().enumerate() {
            if e.tid == owner && at > write {
                e.idx += 1;
            } else if e.tid == self.events[h].tid && at > place[h] {
                e.idx -= 1;
            }
            e.deps = Deps::default();
        }
        let mut rf: Vec<usize> = order.iter().map(|&x| place[self.rf[x]]).collect();
        rf[read] = place[self.rf[h]];
        rf[place[h]] = write;
        let co = self.co.iter().map(|order| order.iter().map(|&w| place[w]).collect()).collect();
        Trial { events, rf, co }
    }

    /// Whether one pair at least is ordered by read-modify-writes, and all such pairs see each other.
    fn orders_by_rmw(&self, r: &Relations) -> Option<bool> {
        let both = |x: usize| matches!(self.events[x].mode, Mode::AcqRel | Mode::Sc);
        let mut seen = None;
        for v in self.rmws().filter(|&v| both(v)) {
            let write = self.rf[v];
            if write == INIT || !self.events[write].rmw || !both(write) {
                continue;
            }
            let writes = (1..write - 1).filter(|&w| r.po.has(w, write) && self.events[w].kind == Kind::Write);
            for w in writes {
                for x in (v + 2..self.events.len()).filter(|&x| r.po.has(v, x) && r.loc.has(w, x)) {
                    let sees = !r.fr.has(x, w) && !r.co.has(x, w);
                    seen = Some(seen.unwrap_or(true) && sees);
                }
            }
        }
        seen
    }
}

/// A line for each event, then coherence.
impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (x, e) in self.events.iter().enumerate().skip(1) {
            write!(f, "{x}: thread {} {:?} {:?}", e.tid, e.kind, e.mode)?;
            if e.loc != NO_LOC {
                write!(f, " of {}", e.loc)?;
            }
            if e.kind == Kind::Read {
                write!(f, " from {}", self.rf[x])?;
            }
            writeln!(f, "{}{}", if e.rmw { " rmw" } else { "" }, Shown(e))?;
        }
        write!(f, "coherence {:?}", self.co)
    }
}

/// What else there is to say of an event.
struct Shown<'e>(&'e Event);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.0.kind, Kind::Spawn | Kind::Join) {
            write!(f, " {}", self.0.peer)?;
        }
        if self.0.deps != Deps::default() {
            write!(f, " {:?}", self.0.deps)?;
        }
        Ok(())
    }
}

fn causal(r: &Relations) -> Matrix {
    r.po.union(&r.rf).union(&r.tc).union(&r.tj).plus(r.n)
}

fn weaker(e: &Event) -> &'static [Mode] {
    match (e.kind, e.rmw, e.mode) {
        (Kind::Read, false, Mode::Sc) => &[Mode::Acq, Mode::Rlx],
        (Kind::Read, false, Mode::Acq) | (Kind::Write, false, Mode::Rel) => &[Mode::Rlx],
        (Kind::Write, false, Mode::Sc) => &[Mode::Rel, Mode::Rlx],
        (Kind::Read, true, Mode::Sc) => &[Mode::AcqRel, Mode::Acq, Mode::Rel, Mode::Rlx],
        (Kind::Read, true, Mode::AcqRel) => &[Mode::Acq, Mode::Rel, Mode::Rlx],
        (Kind::Read, true, Mode::Acq | Mode::Rel) => &[Mode::Rlx],
        (Kind::Fence, _, Mode::Sc) => &[Mode::AcqRel, Mode::Acq, Mode::Rel],
        (Kind::Fence, _, Mode::AcqRel) => &[Mode::Acq, Mode::Rel],
        _ => &[],
    }
}

/// Tries a property on one execution, which need not be consistent.
pub fn try_property(property: Property, judge: &Judge, trial: &Trial) -> Tried {
    let holds = |is: bool| if is { Tried::Holds } else { Tried::Violated(trial.clone()) };
    let judged = trial.judged(judge);
    let relations = trial.relations();
    let n = relations.n;
    let eco = || relations.rf.union(&relations.co).union(&relations.fr).plus(n);
    match property {
        Property::NoDependencies => {
            let mut other = trial.clone();
            other.events.iter_mut().for_each(|e| e.deps = Deps::default());
            return holds(other.is_admitted(judge) == judged.admitted);
        }
        Property::Interleaving => {
            let all = relations.po.union(&relations.rf).union(&relations.co).union(&relations.fr);
            let all = all.union(&relations.tc).union(&relations.tj);
            return holds(all.is_acyclic(n) == judged.admitted);
        }
        _ if !judged.admitted => return Tried::Nothing,
        _ => {}
    }
    match property {
        Property::PorfAcyclic => holds(causal(&relations).is_irreflexive()),
        Property::Coherent => holds(relations.po.compose(&eco(), n).is_irreflexive()),
        Property::PublishesInOrder => holds(causal(&relations).compose(&eco(), n).is_irreflexive()),
        Property::PublishesInOrderOrRaces if judged.erroneous => Tried::Nothing,
        Property::PublishesInOrderOrRaces => {
            let plain = |(x, e): (usize, &Event)| {
                u32::from(e.kind == Kind::Write && e.mode == Mode::Na && e.loc != NO_LOC) << x
            };
            let plain = trial.events.iter().enumerate().map(plain).fold(0, |all, x| all | x);
            let from = Matrix::diagonal(plain).compose(&causal(&relations), n);
            holds(from.compose(&eco(), n).is_irreflexive())
        }
        Property::OrdersByRmw => trial.orders_by_rmw(&relations).map_or(Tried::Nothing, holds),
        Property::NoDependencies | Property::Interleaving => Tried::Nothing,
        Property::ForgetsReads
        | Property::RepeatsReads
        | Property::ForgetsWrites
        | Property::ForgetsRmws
        | Property::ForgetsAcquiringRmws
        | Property::ConfirmsReads
        | Property::DelegatesRmws
        | Property::MonotoneInOrderings => {
            let changed = trial.changed(property);
            if changed.is_empty() {
                return Tried::Nothing;
            }
            let forbidden = changed.into_iter().find(|other| !other.is_admitted(judge));
            forbidden.map_or(Tried::Holds, Tried::Violated)
        }
    }
}
