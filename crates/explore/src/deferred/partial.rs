//! An execution in the making, in which some reads have no source yet.

use selvedge_graph::{Attrs, DepSet, Deps, Kind, Loc, Mode, Tid, Value};
use selvedge_machine::{Machine, Op, Rmw};
use std::rc::Rc;

/// An event, by the order in which it was added. 0 initialises memory.
pub type Ev = usize;

pub const INIT: Ev = 0;

/// Where a read is with finding its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Undecided,
    /// Not among the writes that were there so far.
    Deferred,
    From(Ev),
}

#[derive(Clone, Debug)]
pub struct Happening<S> {
    pub tid: Tid,
    /// Position in its thread, from 1.
    pub idx: u32,
    /// The thread at this operation.
    pub standing: Position<S>,
    /// `None` while the address depends on a read without a source.
    pub loc: Option<Loc>,
    /// Read, written or chosen; `None` while it is not known.
    pub value: Option<Value>,
    pub source: Source,
    /// Writes that were there when the source was deferred.
    pub turned_down: Vec<Ev>,
    /// Of the read of a compare-and-swap: whether it succeeds. Decided first, as what comes next in the
    /// thread depends on it; the source has to fit.
    pub succeeds: Option<bool>,
    pub placed: bool,
    /// What its thread was told last. While that is not known, the events after it stand where that leads:
    /// they are told the same again.
    told: Value,
}

/// A thread at an operation.
#[derive(Clone, Debug)]
pub struct Position<S> {
    pub state: Rc<S>,
    pub op: Op,
    pub deps: Rc<Deps>,
    /// Of exclusive pairs that may be apart: the position of the linked load of which the other half may
    /// still come, and, of that half, the position of the load.
    pub link: Option<u32>,
    pub other_half: Option<u32>,
}

impl<S> Position<S> {
    pub fn of<M: Machine<State = S>>(machine: &M, state: S, op: Op) -> Position<S> {
        let deps = Rc::new(machine.deps(&state));
        let other_half = match op {
            Op::Store { rmw: true, .. } => machine.other_half(&state),
            _ => None,
        };
        Position { link: machine.link(&state), other_half, state: Rc::new(state), op, deps }
    }
}

impl<S> Happening<S> {
    pub fn kind(&self) -> Kind {
        match self.standing.op {
            Op::Load { .. } => Kind::Read,
            Op::Store { .. } => Kind::Write,
            Op::Fence { .. } => Kind::Fence,
            Op::Spawn { .. } => Kind::Spawn,
            Op::Join { .. } => Kind::Join,
            Op::Alloc { .. } => Kind::Alloc,
            Op::Free { .. } => Kind::Free,
            Op::Detach { .. } => Kind::Detach,
            Op::Persist { .. } => Kind::Persist,
            _ => Kind::Choice,
        }
    }

    pub fn is_read(&self) -> bool {
        self.kind() == Kind::Read
    }

    pub fn is_write(&self) -> bool {
        self.kind() == Kind::Write
    }

    /// The write half of a read-modify-write.
    pub fn is_rmw_write(&self) -> bool {
        matches!(self.standing.op, Op::Store { rmw: true, .. })
    }

    /// What is true of it in any case.
    pub fn surely(&self) -> Attrs {
        Attrs::of(self.kind(), self.mode().0, false)
    }

    /// The ordering that was asked for, and whether this is half of a read-modify-write that writes; of a
    /// linked load only what comes after it can tell.
    fn mode(&self) -> (Mode, bool) {
        match self.standing.op {
            Op::Load { mode, rmw: Rmw::No | Rmw::Linked, .. } => (mode, false),
            Op::Load { rmw: Rmw::Tentative { fail } | Rmw::Swap { fail }, .. } => (fail, false),
            Op::Load { mode, rmw: Rmw::Always, .. } => (mode, true),
            Op::Load { mode, rmw: Rmw::Cas { fail, .. }, .. } => {
                if self.succeeds == Some(false) {
                    (fail, false)
                } else {
                    (mode, true)
                }
            }
            Op::Store { mode, rmw, .. } => (mode, rmw),
            Op::Fence { mode } => (mode, false),
            _ => (Mode::Na, false),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Line<S> {
    pub events: Vec<Ev>,
    /// Where the thread stands, after all of its events; `None` if it was not created.
    pub standing: Option<Position<S>>,
    /// It was decided that the thread goes no further, as it turns out to fail before its next event.
    pub fails: bool,
}

/// The whole.
#[derive(Clone, Debug)]
pub struct Partial<S> {
    /// Without the initialising event: event `e` is at `e - 1`.
    happenings: Vec<Happening<S>>,
    pub lines: Vec<Line<S>>,
    /// By location: the writes that have a place, in order, without the initialising one.
    pub co: Vec<Vec<Ev>>,
    /// Nothing more comes: threads that wait for others wait for ever.
    pub is_over: bool,
}

impl<S: Clone> Partial<S> {
    pub fn start<M: Machine<State = S>>(machine: &M) -> Partial<S> {
        let mut lines = Vec::new();
        for t in (0..machine.threads() as u16).map(Tid) {
            let standing = machine.runs_from_start(t).then(|| first_standing(machine, machine.start(t)));
            lines.push(Line { events: Vec::new(), standing, fails: false });
        }
        Partial { happenings: Vec::new(), lines, co: vec![Vec::new(); machine.locations()], is_over: false }
    }

    pub fn at(&self, e: Ev) -> &Happening<S> {
        &self.happenings[e - 1]
    }

    pub fn at_mut(&mut self, e: Ev) -> &mut Happening<S> {
        &mut self.happenings[e - 1]
    }

    pub fn events(&self) -> std::ops::Range<Ev> {
        1..self.happenings.len() + 1
    }

    /// Whether what an event gave its thread is known.
    pub fn is_known(&self, e: Ev) -> bool {
        let h = self.at(e);
        match h.source {
            Source::From(_) => self.are_known(h.tid, &h.standing.deps.cas),
            _ => !h.is_read(),
        }
    }

    /// Whether what these events of a thread gave it is known.
    pub fn are_known(&self, t: Tid, positions: &DepSet) -> bool {
        positions.is_empty()
            || positions.iter().all(|i| self.is_known(self.lines[t.index()].events[i as usize - 1]))
    }

    /// The ordering of an event, and what is true of it; `None` if that is not known.
    pub fn mode_and_attrs(&self, e: Ev) -> Option<(Mode, Attrs)> {
        let h = self.at(e);
        let (mode, mut rmw) = h.mode();
        if let Op::Load { rmw: Rmw::Linked, .. } = h.standing.op {
            rmw = self.is_stored_to(e)?;
        }
        Some((mode, Attrs::of(h.kind(), mode, rmw)))
    }

    /// Whether the store of the exclusive pair that `e` is the load of is there; `None` if it may still come.
    fn is_stored_to(&self, e: Ev) -> Option<bool> {
        let h = self.at(e);
        let line = &self.lines[h.tid.index()];
        let is_half = |s: &Position<S>| {
            matches!(s.op, Op::Store { rmw: true, .. }) && s.other_half.is_none_or(|read| read == h.idx)
        };
        let later = line.events[h.idx as usize..].iter().map(|&next| &self.at(next).standing);
        for s in later {
            if is_half(s) || s.link != Some(h.idx) {
                return Some(is_half(s));
            }
        }
        let s = line.standing.as_ref().filter(|s| self.is_known(e) && self.is_certain(h.tid, s))?;
        let is_over = matches!(s.op, Op::Block(_) | Op::Cut | Op::Error(_) | Op::End);
        if is_half(s) || is_over || self.is_over || s.link != Some(h.idx) { Some(is_half(s)) } else { None }
    }

    /// Whether all that a standing depends on to be there at all is known.
    pub fn is_certain(&self, t: Tid, standing: &Position<S>) -> bool {
        let deps = &standing.deps;
        let terminal = matches!(standing.op, Op::Block(_) | Op::Cut | Op::Error(_) | Op::End);
        self.are_known(t, deps.path())
            && (!terminal || [&deps.addr, &deps.data, &deps.faults].iter().all(|set| self.are_known(t, set)))
    }

    /// Adds the next event of a thread. `value` is what a choice picks, `succeeds` how a compare-and-swap
    /// ends.
    pub fn issue<M: Machine<State = S>>(
        &mut self,
        machine: &M,
        t: Tid,
        value: Option<Value>,
        succeeds: Option<bool>,
    ) -> Ev {
        let e = self.happenings.len() + 1;
        let line = &mut self.lines[t.index()];
        let Some(standing) = line.standing.take() else { unreachable!("the thread is there") };
        line.events.push(e);
        let idx = line.events.len() as u32;
        if let Op::Spawn { thread } = standing.op {
            let state = machine.spawned(&standing.state, thread);
            self.lines[thread.index()].standing = Some(first_standing(machine, state));
        }
        self.happenings.push(Happening {
            tid: t,
            idx,
            standing,
            loc: None,
            value,
            source: Source::Undecided,
            turned_down: Vec::new(),
            succeeds,
            placed: false,
            told: 0,
        });
        self.learn(machine, e);
        self.rerun(machine, e);
        e
    }

    /// Runs the thread of `e` again from `e` on, as more may be known.
    pub fn rerun<M: Machine<State = S>>(&mut self, machine: &M, e: Ev) {
        let (t, first) = (self.at(e).tid, self.at(e).idx as usize);
        let mut last = e;
        for at in first..=self.lines[t.index()].events.len() {
            let before = &self.at(last).standing.state;
            let mut state = M::State::clone(before);
            let input = self.input(machine, last);
            self.at_mut(last).told = input;
            if !self.is_known(last) {
                machine.does_not_know(&mut state);
            }
            let op = machine.step(&mut state, input);
            let standing = Position::of(machine, state, op);
            match self.lines[t.index()].events.get(at).copied() {
                Some(next) => {
                    self.at_mut(next).standing = standing;
                    self.learn(machine, next);
                    last = next;
                }
                None => self.lines[t.index()].standing = Some(standing),
            }
        }
    }

    /// Takes from the operation of `e` what is certain of it.
    fn learn<M: Machine<State = S>>(&mut self, machine: &M, e: Ev) {
        let h = self.at(e);
        let deps = h.standing.deps.clone();
        let (t, op) = (h.tid, h.standing.op);
        if let Op::Load { loc, .. } | Op::Store { loc, .. } = op
            && self.are_known(t, &deps.addr)
        {
            self.at_mut(e).loc = Some(loc);
            if self.co.len() <= loc.index() {
                self.co.resize(loc.index() + 1, Vec::new());
            }
        }
        // What a read-modify-write writes depends on what it reads, unless that is a comparison or said
        // to be so.
        let fetched = |r: Ev| match self.at(r).standing.op {
            Op::Load { rmw: Rmw::Always, .. } => {
                self.is_known(r) || machine.writes_regardless(&self.at(r).standing.state)
            }
            _ => true,
        };
        if let Op::Store { value, .. } = op
            && self.are_known(t, &deps.data)
            && self.rmw_read(e).is_none_or(fetched)
        {
            self.at_mut(e).value = Some(value);
        }
    }

    /// What an event gives its thread. If that is not known, anything will do, as what comes of it is not
    /// looked at; but a compare-and-swap ends as was decided.
    fn input<M: Machine>(&self, machine: &M, e: Ev) -> Value {
        let h = self.at(e);
        match (h.standing.op, h.succeeds) {
            (Op::Load { rmw: Rmw::Cas { expected, .. }, .. }, Some(succeeds)) if !self.is_known(e) => {
                if succeeds {
                    expected
                } else {
                    expected.wrapping_add(1)
                }
            }
            // If the address of the next access depends on it, it had better be one, and if it is checked,
            // pass; as it was one when that access was added.
            (Op::Load { .. }, _)
                if h.value.is_none() && (h.idx as usize) < self.lines[h.tid.index()].events.len() =>
            {
                h.told
            }
            (Op::Load { loc, .. }, _) => {
                h.value.or_else(|| self.written(loc)).unwrap_or_else(|| machine.init_value(loc))
            }
            (Op::Choose { .. } | Op::Decide { .. }, _) => h.value.unwrap_or(0),
            _ => 0,
        }
    }

    /// What was written to a location last, in whatever order.
    fn written(&self, loc: Loc) -> Option<Value> {
        let here = |&e: &Ev| self.at(e).is_write() && self.at(e).loc == Some(loc);
        self.events().rev().filter(here).find_map(|e| self.at(e).value)
    }

    /// Whether an event still is one, and a compare-and-swap that reads what it does ends, and a branch goes,
    /// as was decided.
    fn is_as_decided(&self, e: Ev) -> bool {
        let h = self.at(e);
        if matches!(h.standing.op, Op::Block(_) | Op::Cut | Op::Error(_) | Op::End) {
            // It may only seem so, while something is not known.
            return !self.is_certain(h.tid, &h.standing);
        }
        match (h.standing.op, h.succeeds, h.value) {
            (Op::Decide { value }, _, Some(decided)) if self.are_known(h.tid, &h.standing.deps.data) => {
                value == decided
            }
            (Op::Load { rmw: Rmw::Cas { expected, .. }, .. }, Some(succeeds), Some(value))
                if self.is_known(e) =>
            {
                (value == expected) == succeeds
            }
            _ => true,
        }
    }

    /// Whether what is known of a thread fits what was decided of it.
    pub fn goes_as_decided(&self, t: Tid) -> bool {
        let line = &self.lines[t.index()];
        let fails = |s: &Position<S>| matches!(s.op, Op::Error(_)) || !self.knows_next(t, s);
        line.events.iter().all(|&e| self.is_as_decided(e))
            && (!line.fails || line.standing.as_ref().is_none_or(fails))
    }

    /// Whether all that the operation depends on is known.
    pub fn knows_next(&self, t: Tid, s: &Position<S>) -> bool {
        self.is_certain(t, s) && self.are_known(t, &s.deps.addr) && self.are_known(t, &s.deps.faults)
    }

    /// The read half of a read-modify-write, given its write.
    pub fn rmw_read(&self, w: Ev) -> Option<Ev> {
        let h = self.at(w);
        let read = h.standing.other_half.unwrap_or(h.idx - 1);
        h.is_rmw_write().then(|| self.lines[h.tid.index()].events[read as usize - 1])
    }

    /// Whether something stands between the halves of the read-modify-write whose write this is.
    pub fn is_apart(&self, w: Ev) -> bool {
        let h = self.at(w);
        h.standing.other_half.is_some_and(|read| read + 1 < h.idx)
    }

    /// The value that a write wrote to a location.
    pub fn value_of<M: Machine>(&self, machine: &M, w: Ev, loc: Loc) -> Option<Value> {
        if w == INIT { Some(machine.init_value(loc)) } else { self.at(w).value }
    }
}

fn first_standing<M: Machine>(machine: &M, mut state: M::State) -> Position<M::State> {
    let op = machine.step(&mut state, 0);
    Position::of(machine, state, op)
}
