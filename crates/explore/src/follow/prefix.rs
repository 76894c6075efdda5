//! What a write cannot do without: its causal prefix.
//!
//! Not `po | rf`, but what decides what an event is (dependencies), what the model orders before it in its
//! thread, and sources. An order counts only if everything that decides whether it exists is kept, too; so
//! this is a fixed point of sets, not a relation that is closed (`docs/dependencies.md`).

use super::set::Steps;
use super::web::{Ev, INIT, NONE, Web};
use selvedge_graph::{DepSet, Kind};
use selvedge_machine::{Machine, Op, Rmw};
use selvedge_model::relational::Local;

/// Computes prefixes; keeps its memory.
#[derive(Debug, Default)]
pub struct Prefixes {
    /// Dependencies survive forwarding: the model orders what they lead to.
    forwards: bool,
    todo: Vec<(Ev, bool)>,
    /// Orders that count once other events are kept.
    conditional: Vec<Conditional>,
    /// By thread: how many of its events were looked at for what is no access.
    looked: Vec<u32>,
}

/// `before`, as a step (`commit`), is ordered before something that is kept; it counts if `if_there` are.
#[derive(Debug)]
struct Conditional {
    step: (Ev, bool),
    if_there: Vec<Ev>,
}

/// How the operands of read-modify-writes count, which are no dependencies of their reads, and their success,
/// which is none of their writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    /// As if the read depended on them, and the write on the read.
    Needed,
    /// As in the model.
    Free,
}

/// The execution that prefixes are in, and how they are meant.
pub struct Scene<'a, M: Machine> {
    pub machine: &'a M,
    pub web: &'a Web<M::State>,
    pub local: &'a Local,
    pub operands: Operands,
    /// Which steps were made before the read that is to be revisited.
    pub before: &'a dyn Fn(Ev, bool) -> bool,
}

impl Prefixes {
    pub fn new(forwards: bool) -> Prefixes {
        Prefixes { forwards, ..Prefixes::default() }
    }

    /// What the commit of `w` needs.
    pub fn of<M: Machine>(&mut self, scene: &Scene<'_, M>, w: Ev, out: &mut Prefix) {
        let web = scene.web;
        let bound = web.bound();
        out.strong.clear(bound);
        out.weak.clear(bound);
        out.by_operand = false;
        out.has_rmws = false;
        self.todo.clear();
        self.conditional.clear();
        self.looked.clear();
        self.looked.resize(web.lines.len(), 0);
        self.add(out, w, true);
        loop {
            while let Some((e, commit)) = self.todo.pop() {
                self.needs(scene, e, commit, out);
            }
            let mut grown = false;
            let mut at = 0;
            while at < self.conditional.len() {
                let c = &self.conditional[at];
                if c.if_there.iter().all(|&x| out.strong.has(x) || out.weak.has(x)) {
                    let (e, commit) = self.conditional.swap_remove(at).step;
                    grown |= self.add(out, e, commit);
                } else {
                    at += 1;
                }
            }
            if scene.operands == Operands::Needed {
                grown |= self.bring_writes_along(web, scene.before, out);
            }
            if !grown && self.todo.is_empty() {
                return;
            }
        }
    }

    fn add(&mut self, out: &mut Prefix, e: Ev, commit: bool) -> bool {
        let new = if commit { out.strong.add_commit(e) } else { out.strong.add(e) };
        if new {
            self.todo.push((e, commit));
        }
        new
    }

    /// Where the read of a read-modify-write is kept and what it reads from as well, so is its write: it
    /// belongs behind it. What the write itself waits for need not be.
    fn bring_writes_along<S: Clone>(
        &mut self,
        web: &Web<S>,
        before: &dyn Fn(Ev, bool) -> bool,
        out: &mut Prefix,
    ) -> bool {
        let mut grown = false;
        for e in web.events() {
            if !out.strong.has(e) || !web.at(e).is_rmw_read() {
                continue;
            }
            let Some(w) = web.rmw_write(e).filter(|&w| web.at(w).is_there()) else { continue };
            out.has_rmws = true;
            let source = web.at(e).face.rf;
            let kept = source == INIT
                || out.strong.has_commit(source)
                || out.weak.has_commit(source)
                || before(source, true);
            if kept {
                grown |= self.add(out, w, false);
                if web.at(w).face.commit != 0 {
                    grown |= out.weak.add_commit(w);
                }
            }
        }
        grown
    }

    /// What one step needs.
    fn needs<M: Machine>(&mut self, scene: &Scene<'_, M>, e: Ev, commit: bool, out: &mut Prefix) {
        let Scene { machine, web, local, operands, .. } = *scene;
        let forwards = self.forwards;
        let slot = web.at(e);
        let t = slot.tid;
        let events = &web.line(t).events;
        if !commit {
            // What stands before it and is no access is there whatever else is; but only what decides that
            // it happens is needed for that.
            let looked = std::mem::replace(&mut self.looked[t.index()], slot.idx - 1);
            if looked < slot.idx {
                for &x in &events[looked as usize..slot.idx as usize - 1] {
                    let other = web.at(x);
                    if !other.is_read() && !other.is_write() && out.weak.add(x) {
                        self.add_all(web, out, e, &other.at.deps.ctrl);
                    }
                }
            } else {
                self.looked[t.index()] = looked;
            }
            let deps = &slot.at.deps;
            for set in [&deps.addr, &deps.data, &deps.ctrl] {
                self.add_all(web, out, e, set);
            }
            if let Some(spawn) = web.spawn_of(t) {
                self.add(out, spawn, false);
            }
        }
        match slot.face.kind {
            Kind::Write if !commit => {
                // A read-modify-write that writes what it computes from what it reads.
                if let Some(r) = web.rmw_read(e) {
                    self.add_all(web, out, e, &web.at(r).at.deps.cas);
                    match by_reading(machine, web, r) {
                        ByReading::No => {}
                        ByReading::Value => _ = self.add(out, r, false),
                        // No model says that its write cannot be forwarded before it is sure to be made.
                        ByReading::Success if operands == Operands::Needed => {
                            out.by_operand |= self.add(out, r, false);
                        }
                        ByReading::Success => {}
                    }
                }
            }
            Kind::Write => {
                self.add(out, e, false);
                self.ordered(web, local, e, out);
                if let Some(r) = web.rmw_read(e) {
                    self.add(out, r, false);
                    let source = web.at(r).face.rf;
                    if source != INIT && source != NONE && web.at(source).tid == t {
                        self.add(out, source, true);
                    }
                }
            }
            Kind::Read => {
                self.ordered(web, local, e, out);
                let source = slot.face.rf;
                let own = source != INIT && web.at(source).tid == t;
                // What is forwarded within a thread may be ordered without its value being known, unless the
                // model says otherwise.
                let follows = !own || forwards || operands == Operands::Needed;
                if source != INIT && follows {
                    let new = self.add(out, source, !own);
                    out.by_operand |= new && own && !forwards;
                }
                if !own {
                    for &x in &events[..slot.idx as usize - 1] {
                        let other = web.at(x);
                        if other.is_write() && other.is_there() && other.face.loc == slot.face.loc {
                            let addresses = [&other.at.deps.addr, &slot.at.deps.addr];
                            self.on_condition(web, x, e, &addresses, out);
                        }
                    }
                }
                if operands == Operands::Needed {
                    let before = self.todo.len();
                    self.add_all(web, out, e, &slot.at.deps.cas);
                    if let Some(w) = web.rmw_write(e) {
                        self.add_all(web, out, w, &web.at(w).at.deps.data);
                    }
                    out.by_operand |= self.todo.len() > before;
                }
            }
            Kind::Join => {
                self.ordered(web, local, e, out);
                if let Op::Join { thread } = slot.at.op {
                    for &x in &web.line(thread).events {
                        self.add(out, x, false);
                        if web.at(x).is_write() {
                            self.add(out, x, true);
                        }
                    }
                }
            }
            _ => self.ordered(web, local, e, out),
        }
    }

    /// What the model orders before a read or a commit.
    fn ordered<S: Clone>(&mut self, web: &Web<S>, local: &Local, e: Ev, out: &mut Prefix) {
        let slot = web.at(e);
        let events = &web.line(slot.tid).events;
        let sets = web.sets(e);
        for &idx in &slot.order().lean {
            let x = events[idx as usize - 1];
            if web.at(x).is_there() {
                self.on_condition(web, x, e, &[], out);
            }
        }
        for set in local.located(sets) {
            for idx in set.iter().filter(|idx| *idx < slot.idx) {
                let x = events[idx as usize - 1];
                if web.at(x).is_there() {
                    let addresses = [&web.at(x).at.deps.addr, &slot.at.deps.addr];
                    self.on_condition(web, x, e, &addresses, out);
                }
            }
        }
    }

    /// `x` is ordered before `e` if what these sets name is there, and if `x` itself happens.
    fn on_condition<S: Clone>(&mut self, web: &Web<S>, x: Ev, e: Ev, sets: &[&DepSet], out: &mut Prefix) {
        let slot = web.at(x);
        let commit = slot.is_write();
        if commit && slot.face.commit == 0 {
            return;
        }
        let step = (x, commit);
        let known = if commit { out.strong.has_commit(x) } else { out.strong.has(x) };
        if known {
            return;
        }
        let t = web.at(e).tid;
        if !slot.is_rmw_write() && sets.iter().all(|set| set.is_empty()) {
            self.add(out, x, commit);
            return;
        }
        let mut if_there: Vec<Ev> =
            sets.iter().flat_map(|set| set.iter()).map(|idx| web.event(t, idx)).collect();
        if slot.is_rmw_write() {
            let r = web.event(slot.tid, slot.idx - 1);
            if is_conditional(web.at(r).at.op) {
                if_there.push(r);
            }
        }
        if if_there.is_empty() {
            self.add(out, x, commit);
        } else {
            self.conditional.push(Conditional { step, if_there });
        }
    }

    fn add_all<S: Clone>(&mut self, web: &Web<S>, out: &mut Prefix, e: Ev, set: &DepSet) {
        let t = web.at(e).tid;
        for idx in set.iter() {
            self.add(out, web.event(t, idx), false);
        }
    }
}

/// Whether the write of a read-modify-write is there depends on what is read.
fn is_conditional(op: Op) -> bool {
    matches!(op, Op::Load { rmw, .. } if !matches!(rmw, Rmw::Always | Rmw::No))
}

/// What of the write of a read-modify-write depends on what is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ByReading {
    No,
    /// That it is there at all.
    Success,
    /// What it writes.
    Value,
}

fn by_reading<M: Machine>(machine: &M, web: &Web<M::State>, r: Ev) -> ByReading {
    let slot = web.at(r);
    match slot.at.op {
        Op::Load { rmw: Rmw::Always, .. } if machine.writes_regardless(&slot.at.state) => ByReading::No,
        Op::Load { rmw: Rmw::Cas { .. } | Rmw::Linked, .. } => ByReading::Success,
        _ => ByReading::Value,
    }
}

/// A causal prefix, the write itself included.
#[derive(Debug, Default)]
pub struct Prefix {
    strong: Steps,
    /// Commits that are kept although what they wait for is not.
    weak: Steps,
    /// Something is in it only because operands count as needed.
    pub by_operand: bool,
    /// It has reads of read-modify-writes: then it depends on what is kept besides.
    pub has_rmws: bool,
}

impl Prefix {
    pub fn has(&self, e: Ev) -> bool {
        self.strong.has(e) || self.weak.has(e)
    }

    pub fn has_commit(&self, e: Ev) -> bool {
        self.strong.has_commit(e) || self.weak.has_commit(e)
    }
}
