//! What a model is shown of an execution with holes.
//!
//! A hole is shown as what stands there in the program, without source or place: what comes after it may be
//! ordered because of it (`addr ; po ; [W]`), but nothing follows from what it does. A write that is not
//! committed stands at the end of coherence, or before the next write of its own thread: nobody but its
//! thread knows it, and nothing that is there comes after it.

use super::web::{Ev, INIT, NONE, Web};
use selvedge_graph::{Attrs, Deps, Kind, Mode};
use selvedge_machine::{Machine, Op};
use selvedge_model::relational::{Candidate, Progress, Relational, Workspace};
use std::rc::Rc;

/// A part of an execution, with something else in one place.
pub struct Part<'a> {
    /// Which events are there.
    pub there: &'a dyn Fn(Ev) -> bool,
    /// Which writes are committed.
    pub committed: &'a dyn Fn(Ev) -> bool,
    /// A read that reads from another write than it does.
    pub instead: Option<Instead>,
    /// A write that is committed after this many of the others of its location.
    pub placed: Option<(Ev, usize)>,
}

/// A read, its source, what is true of it then, and the store that is one step with it.
#[derive(Clone)]
pub struct Instead {
    pub read: Ev,
    pub source: Ev,
    pub attrs: Attrs,
    pub pair: Option<Pair>,
}

/// The write of a read-modify-write that may not be there yet.
#[derive(Clone)]
pub struct Pair {
    pub attrs: Attrs,
    pub deps: Rc<Deps>,
}

/// Asks a model, by matrices.
#[derive(Default)]
pub struct Judge {
    candidate: Candidate,
    space: Workspace,
    items: Vec<Item>,
    numbers: Vec<usize>,
}

#[derive(Clone)]
struct Item {
    /// `NONE` for the write of a pair that is not there.
    ev: Ev,
    thread: usize,
    /// It is the first of its thread.
    first: bool,
    there: bool,
    committed: bool,
    attrs: Attrs,
    source: Ev,
    kind: Kind,
    loc: Option<u32>,
    deps: Rc<Deps>,
    op: Op,
}

impl Judge {
    pub fn space(&self) -> &Workspace {
        &self.space
    }

    /// Whether the model admits the execution as it is.
    pub fn admits_all<M: Machine>(
        &mut self,
        model: &Relational,
        web: &Web<M::State>,
        progress: Progress,
    ) -> bool {
        let there = |e: Ev| web.at(e).is_there();
        let committed = |e: Ev| web.at(e).face.commit != 0;
        let part = Part { there: &there, committed: &committed, instead: None, placed: None };
        self.admits::<M>(model, web, &part, progress)
    }

    /// Whether the model admits a part of it.
    pub fn admits<M: Machine>(
        &mut self,
        model: &Relational,
        web: &Web<M::State>,
        part: &Part<'_>,
        progress: Progress,
    ) -> bool {
        self.gather(web, part);
        self.show(web, part);
        model.admits(&self.candidate, progress, &mut self.space)
    }

    fn gather<S: Clone>(&mut self, web: &Web<S>, part: &Part<'_>) {
        self.items.clear();
        self.numbers.clear();
        self.numbers.resize(web.bound(), usize::MAX);
        self.numbers[INIT as usize] = 0;
        for (thread, line) in web.lines.iter().enumerate() {
            let last = line.events.iter().rposition(|&e| (part.there)(e));
            let changed = part.instead.as_ref().filter(|i| web.at(i.read).tid.index() == thread);
            // Holes behind everything that is there say nothing, unless one is to be filled.
            let end = last.map_or(0, |at| at + 1).max(changed.map_or(0, |i| web.at(i.read).idx as usize));
            let pair_at = changed.map(|i| web.at(i.read).idx as usize);
            let mut at = 0;
            loop {
                let slot_there = line.events.get(at).copied();
                let of_pair = changed.filter(|_| pair_at == Some(at));
                let is_pair = slot_there.is_some_and(|e| web.at(e).is_rmw_write());
                if let (Some(Instead { read, pair, .. }), false) = (of_pair, is_pair)
                    && let Some(Pair { attrs, deps }) = pair.clone()
                    && self.items.last().is_none_or(|item| item.ev != NONE)
                {
                    let loc = web.at(*read).face.loc;
                    self.items.push(Item {
                        ev: NONE,
                        thread,
                        first: false,
                        there: true,
                        committed: true,
                        attrs,
                        source: NONE,
                        kind: Kind::Write,
                        loc: Some(loc.0),
                        deps,
                        op: Op::Store { loc, value: 0, mode: Mode::Rlx, rmw: true },
                    });
                }
                let Some(e) = slot_there else { break };
                if at >= end && of_pair.is_none_or(|i| i.pair.is_none()) {
                    break;
                }
                if of_pair.is_some_and(|i| i.pair.is_none()) && is_pair && !(part.there)(e) {
                    // It fails: there is no write.
                    at += 1;
                    continue;
                }
                let slot = web.at(e);
                let there = (part.there)(e);
                let mut item = Item {
                    ev: e,
                    thread,
                    first: at == 0,
                    there,
                    committed: there && slot.is_write() && (part.committed)(e),
                    attrs: slot.face.attrs,
                    source: if there { slot.face.rf } else { NONE },
                    kind: slot.face.kind,
                    loc: (there && matches!(slot.face.kind, Kind::Read | Kind::Write))
                        .then_some(slot.face.loc.0),
                    deps: slot.at.deps.clone(),
                    op: slot.at.op,
                };
                if !there && slot.is_read() {
                    // What a load is may depend on what it reads.
                    item.attrs = item.attrs.minus(Attrs::UR);
                }
                if let Some(i) = part.instead.as_ref().filter(|i| i.read == e) {
                    item.there = true;
                    item.attrs = i.attrs;
                    item.source = i.source;
                    item.loc = Some(slot.face.loc.0);
                }
                if is_pair && let Some(Pair { attrs, deps }) = of_pair.and_then(|i| i.pair.clone()) {
                    item.there = true;
                    item.committed = true;
                    item.attrs = attrs;
                    item.kind = Kind::Write;
                    item.deps = deps;
                    item.loc = Some(slot.face.loc.0);
                }
                if part.placed.is_some_and(|(w, _)| w == e) {
                    item.there = true;
                    item.committed = true;
                    item.loc = Some(slot.face.loc.0);
                }
                self.numbers[e as usize] = self.items.len() + 1;
                self.items.push(item);
                at += 1;
            }
        }
    }

    fn show<S: Clone>(&mut self, web: &Web<S>, part: &Part<'_>) {
        let n = self.items.len() + 1;
        let c = &mut self.candidate;
        c.begin(n);
        let mut first = 0;
        for (i, item) in self.items.iter().enumerate() {
            let y = i + 1;
            if item.first {
                first = i;
            }
            c.attrs[y] = item.attrs;
            c.int.set(y, y);
            for x in first + 1..y {
                c.po.set(x, y);
                c.int.set(x, y);
                c.int.set(y, x);
            }
            c.po_imm.set(if item.first { 0 } else { y - 1 }, y);
            let deps = &item.deps;
            for (of, matrix) in [
                (&deps.addr, &mut c.addr),
                (&deps.data, &mut c.data),
                (&deps.ctrl, &mut c.ctrl),
                (&deps.arm, &mut c.arm),
                (&deps.cas, &mut c.casdep),
                (&deps.publishes, &mut c.publishes),
            ] {
                for idx in of.iter() {
                    let x = self.numbers[web.lines[item.thread].events[idx as usize - 1] as usize];
                    if x != usize::MAX {
                        matrix.set(x, y);
                    }
                }
            }
            if item.attrs.has(Attrs::UW) && item.there {
                c.rmw.set(y - 1, y);
            }
            match item.op {
                Op::Spawn { thread } if item.there => {
                    let child = self.items.iter().position(|x| x.thread == thread.index());
                    child.into_iter().for_each(|child| c.tc.set(y, child + 1));
                }
                Op::Join { thread } if item.there => {
                    let last = self.items.iter().rposition(|x| x.thread == thread.index());
                    let creates = |x: &Item| x.op == Op::Spawn { thread };
                    let from = last.or_else(|| self.items.iter().position(creates));
                    from.into_iter().for_each(|from| c.tj.set(from + 1, y));
                }
                _ => {}
            }
            if let Some(loc) = item.loc {
                c.loc.set(0, y);
                c.loc.set(y, 0);
                for (x, other) in self.items[..i].iter().enumerate() {
                    if other.loc == Some(loc) {
                        c.loc.set(x + 1, y);
                        c.loc.set(y, x + 1);
                    }
                }
            }
        }
        // A part may have a read that was revisited since, without what it reads from now. Whether an event
        // was maximal in it does not matter then: that write was not.
        for i in 0..self.items.len() {
            let source = self.items[i].source;
            if self.items[i].kind == Kind::Read && source != NONE {
                match self.numbers[source as usize] {
                    usize::MAX => self.items[i].source = NONE,
                    from => self.candidate.rf.set(from, i + 1),
                }
            }
        }
        self.coherence(web, part);
    }

    /// Coherence, and what follows from it for reads.
    fn coherence<S: Clone>(&mut self, web: &Web<S>, part: &Part<'_>) {
        let mut order: Vec<usize> = Vec::new();
        for (loc, co) in web.co.iter().enumerate() {
            let of_loc = |item: &Item| item.loc == Some(loc as u32);
            if !self.items.iter().any(of_loc) {
                continue;
            }
            order.clear();
            let number = |e: Ev| self.numbers[e as usize];
            let is_in = |e: Ev| number(e) != usize::MAX && self.items[number(e) - 1].committed;
            let placed = part.placed.filter(|(w, _)| web.at(*w).face.loc.index() == loc);
            for (at, &w) in co.iter().enumerate() {
                if let Some((new, place)) = placed
                    && place == at
                {
                    order.push(number(new));
                }
                if placed.is_some_and(|(new, _)| new == w) {
                    continue;
                }
                if is_in(w) {
                    order.push(number(w));
                }
            }
            if let Some((new, place)) = placed
                && place >= co.len()
            {
                order.push(number(new));
            }
            // The write of a pair comes right after what its read reads from.
            if let Some(i) = part.instead.as_ref().filter(|i| i.pair.is_some())
                && web.at(i.read).face.loc.index() == loc
            {
                let y = self.numbers[i.read as usize] + 1;
                order.retain(|&x| x != y);
                let at = match i.source {
                    INIT => 0,
                    source => {
                        order.iter().position(|&x| x == number(source)).map_or(order.len(), |at| at + 1)
                    }
                };
                order.insert(at, y);
            }
            // Writes that are not committed.
            for (i, item) in self.items.iter().enumerate() {
                if of_loc(item) && item.kind == Kind::Write && item.there && !item.committed {
                    let later = |x: &usize| self.items[*x - 1].thread == item.thread && *x > i + 1;
                    let at = order.iter().position(later).unwrap_or(order.len());
                    order.insert(at, i + 1);
                }
            }
            let c = &mut self.candidate;
            for (at, &x) in order.iter().enumerate() {
                c.co.set(0, x);
                order[at + 1..].iter().for_each(|&y| c.co.set(x, y));
            }
            for (i, item) in self.items.iter().enumerate() {
                if of_loc(item) && item.kind == Kind::Read && item.source != NONE {
                    let from = self.numbers[item.source as usize];
                    let after = order.iter().position(|&x| x == from).map_or(0, |at| at + 1);
                    order[after..].iter().for_each(|&y| c.fr.set(i + 1, y));
                }
            }
        }
    }

    /// The number that an event was shown by last.
    pub fn number(&self, e: Ev) -> usize {
        self.numbers[e as usize]
    }
}
