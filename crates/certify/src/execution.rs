//! The events of one execution, and the relations between them.

use crate::matrix::{MAX_EVENTS, Matrix, all_events};
use selvedge_graph::{Kind, Medium, MediumKind, Mode, PersistOp, Value};
use selvedge_kat::ast::{Persist, Pred};

/// Position of the initialising event in every execution.
pub const INIT: usize = 0;

/// An event as the evaluation knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: Kind,
    pub mode: Mode,
    /// The thread; `NO_THREAD` for the initialising event.
    pub tid: u16,
    /// Position in its thread, from 1.
    pub idx: u32,
    /// For reads and writes; `NO_LOC` for the others.
    pub loc: u32,
    pub value: Value,
    /// Half of a read-modify-write that writes.
    pub rmw: bool,
    /// Of a write: the position of the read that is the other half, if that is not the event before.
    pub other_half: Option<u32>,
    /// For spawn and join: the other thread.
    pub peer: u16,
    pub deps: Deps,
    /// For accesses: where the location is kept, if it is durable.
    pub medium: Option<Medium>,
    /// What is made to persist: by which means, and which line or file.
    pub persists: Option<(PersistOp, Option<u32>)>,
    /// The write of a size by which a file grows from inside of an old block into a new one: filled in with
    /// `co`.
    pub straddles: bool,
}

/// The reads of its own thread that an event depends on, as sets of positions: bit `i` is the event
/// with `idx` `i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deps {
    pub addr: u32,
    pub data: u32,
    pub ctrl: u32,
    /// As long as the arms of the branches last.
    pub arm: u32,
    /// Of the value that a compare-and-swap expects, for its read.
    pub cas: u32,
    /// For the write of a reference: earlier writes to the object.
    pub publishes: u32,
}

pub const NO_THREAD: u16 = u16::MAX;
pub const NO_LOC: u32 = u32::MAX;

impl Event {
    pub fn new(kind: Kind, mode: Mode) -> Event {
        Event {
            kind,
            mode,
            tid: NO_THREAD,
            idx: 0,
            loc: NO_LOC,
            value: 0,
            rmw: false,
            other_half: None,
            peer: NO_THREAD,
            deps: Deps::default(),
            medium: None,
            persists: None,
            straddles: false,
        }
    }

    /// The line (`true`) or the file that it is about.
    fn unit(&self) -> Option<(bool, u32)> {
        match (self.medium, self.persists) {
            (Some(of), _) => Some((of.kind == MediumKind::Memory, of.unit)),
            (None, Some((PersistOp::Copy, _))) => None,
            (None, Some((op, Some(unit)))) => Some((op < PersistOp::Fsync, unit)),
            _ => None,
        }
    }

    /// Whether a predicate of persistency holds.
    fn satisfies_persist(&self, persist: Persist) -> bool {
        let access = matches!(self.kind, Kind::Read | Kind::Write);
        let is = |kind: MediumKind| access && self.medium.is_some_and(|of| of.kind == kind);
        let op = self.persists.map(|(op, _)| op);
        match persist {
            Persist::Durable => access && self.medium.is_some(),
            Persist::Recovery => false,
            Persist::Straddles => self.straddles,
            Persist::NotRecovery => true,
            Persist::Memory => is(MediumKind::Memory),
            Persist::Data => is(MediumKind::Data),
            Persist::Metadata => is(MediumKind::Metadata),
            Persist::Directory => is(MediumKind::Directory),
            Persist::Journal => is(MediumKind::Journal),
            Persist::Clflush => op == Some(PersistOp::Clflush),
            Persist::ClflushOpt => op == Some(PersistOp::ClflushOpt) || op == Some(PersistOp::Clwb),
            Persist::Flush => op.is_some_and(|op| op < PersistOp::Fsync),
            Persist::Fsync => op == Some(PersistOp::Fsync),
            Persist::SyncAll => op == Some(PersistOp::SyncAll),
            Persist::Barrier => op == Some(PersistOp::Barrier),
            Persist::StoreFence => op == Some(PersistOp::StoreFence),
        }
    }

    pub fn init() -> Event {
        Event::new(Kind::Init, Mode::Na)
    }

    /// Whether a built-in predicate of the model language holds of this event.
    pub fn satisfies(&self, pred: Pred) -> bool {
        let read = self.kind == Kind::Read;
        let write = self.kind == Kind::Write;
        let fence = self.kind == Kind::Fence;
        let init = self.kind == Kind::Init;
        // The initialising write asks for no ordering, nor do events that are no accesses.
        let ordered = read || write || fence;
        let c11 = self.mode.as_c11();
        let exactly = |mode: Mode| ordered && c11 == Some(mode);
        match pred {
            Pred::All => true,
            Pred::R => read,
            Pred::W => write || init,
            Pred::F => fence,
            Pred::Init => init,
            Pred::M => read || write || init,
            Pred::Rel => (write || fence) && matches!(c11, Some(Mode::Rel | Mode::AcqRel | Mode::Sc)),
            Pred::Acq => (read || fence) && matches!(c11, Some(Mode::Acq | Mode::AcqRel | Mode::Sc)),
            Pred::Sc => exactly(Mode::Sc),
            Pred::Rlx => exactly(Mode::Rlx),
            Pred::Na => exactly(Mode::Na),
            Pred::Atomic => ordered && c11.is_some_and(|m| m != Mode::Na),
            Pred::ExactRel => exactly(Mode::Rel),
            Pred::ExactAcq => exactly(Mode::Acq),
            Pred::ExactAcqRel => exactly(Mode::AcqRel),
            Pred::Ur => read && self.rmw,
            Pred::Uw => write && self.rmw,
            Pred::Tc => self.kind == Kind::Spawn,
            Pred::Tj => self.kind == Kind::Join,
            Pred::AcqPc => ordered && self.mode == Mode::AcqPc,
            Pred::Exclusive => ordered && self.mode.is_exclusive(),
            Pred::Barrier(name) => fence && matches!(self.mode, Mode::Barrier(b) if b.name() == name),
            Pred::Persist(persist) => self.satisfies_persist(persist),
            Pred::Never => false,
        }
    }
}

/// The relations of an execution. Those in the first part depend on the events alone; `rf`, and then
/// `co` and `fr`, are filled in as they are chosen.
#[derive(Clone, Debug)]
pub struct Relations {
    pub n: usize,
    pub po: Matrix,
    pub po_imm: Matrix,
    pub rmw: Matrix,
    pub tc: Matrix,
    pub tj: Matrix,
    /// Same location, an event with itself included; the initialising event with every access.
    pub loc: Matrix,
    /// Two different accesses of the same location, the initialising event left out.
    pub loc_overlap: Matrix,
    pub int: Matrix,
    pub ext: Matrix,
    pub addr: Matrix,
    pub data: Matrix,
    pub ctrl: Matrix,
    pub arm: Matrix,
    pub casdep: Matrix,
    pub publishes: Matrix,
    pub rf: Matrix,
    pub co: Matrix,
    /// Not `rf^-1 ; co`: the initialising event would connect different locations.
    pub fr: Matrix,
    /// Durable events of one file, of one block of one kind in it, of one cache line.
    pub same_inode: Matrix,
    pub same_block: Matrix,
    pub same_line: Matrix,
    /// From bytes of a file to the write of its size by which it grows over them: filled in with `co`.
    pub appends: Matrix,
    /// What the names that models declare stand for (predicates: as diagonals). Names that are not
    /// here are empty.
    pub declared: Vec<(String, Matrix)>,
}

impl Relations {
    /// The relations that follow from the events. These stand thread by thread, in program order,
    /// after the initialising event.
    pub fn of(events: &[Event]) -> Relations {
        let n = events.len();
        debug_assert!(n <= MAX_EVENTS && events[INIT].kind == Kind::Init);
        let mut r = Relations {
            n,
            po: Matrix::EMPTY,
            po_imm: Matrix::EMPTY,
            rmw: Matrix::EMPTY,
            tc: Matrix::EMPTY,
            tj: Matrix::EMPTY,
            loc: Matrix::id(n),
            loc_overlap: Matrix::EMPTY,
            int: Matrix::EMPTY,
            ext: Matrix::EMPTY,
            addr: Matrix::EMPTY,
            data: Matrix::EMPTY,
            ctrl: Matrix::EMPTY,
            arm: Matrix::EMPTY,
            casdep: Matrix::EMPTY,
            publishes: Matrix::EMPTY,
            rf: Matrix::EMPTY,
            co: Matrix::EMPTY,
            fr: Matrix::EMPTY,
            same_inode: Matrix::EMPTY,
            same_block: Matrix::EMPTY,
            same_line: Matrix::EMPTY,
            appends: Matrix::EMPTY,
            declared: Vec::new(),
        };
        r.po.set_row(INIT, all_events(n) & !1);
        for (x, a) in events.iter().enumerate() {
            for (y, b) in events.iter().enumerate() {
                if a.tid == b.tid {
                    r.int.set(x, y);
                    if x < y {
                        r.po.set(x, y);
                        if b.other_half == Some(a.idx) {
                            r.rmw.set(x, y);
                        }
                        r.dependencies(x, a.idx, y, &b.deps);
                    }
                    if x + 1 == y {
                        r.po_imm.set(x, y);
                        if a.rmw && b.rmw && a.kind == Kind::Read && b.other_half.is_none() {
                            r.rmw.set(x, y);
                        }
                    }
                } else {
                    r.ext.set(x, y);
                }
                if let (Some((line, unit)), Some(other)) = (a.unit(), b.unit())
                    && (line, unit) == other
                {
                    let place = |e: &Event| e.medium.map(|of| (of.kind, of.block));
                    match line {
                        true => r.same_line.set(x, y),
                        false => r.same_inode.set(x, y),
                    }
                    if !line && place(a).is_some() && place(a) == place(b) {
                        r.same_block.set(x, y);
                    }
                }
                if a.loc != NO_LOC && b.loc != NO_LOC && a.loc == b.loc && x != y {
                    r.loc.set(x, y);
                    r.loc_overlap.set(x, y);
                }
            }
            if a.loc != NO_LOC {
                r.loc.set(INIT, x);
                r.loc.set(x, INIT);
            }
            if a.idx == 1 {
                r.po_imm.set(INIT, x);
            }
        }
        r.thread_edges(events);
        r
    }

    /// The dependencies of `y` on `x`, which has position `idx` in their thread.
    fn dependencies(&mut self, x: usize, idx: u32, y: usize, deps: &Deps) {
        let each = [
            (deps.addr, &mut self.addr),
            (deps.data, &mut self.data),
            (deps.ctrl, &mut self.ctrl),
            (deps.arm, &mut self.arm),
            (deps.cas, &mut self.casdep),
            (deps.publishes, &mut self.publishes),
        ];
        for (set, relation) in each {
            if set >> idx & 1 == 1 {
                relation.set(x, y);
            }
        }
    }

    fn thread_edges(&mut self, events: &[Event]) {
        let spawn_of = |tid: u16| events.iter().position(|e| e.kind == Kind::Spawn && e.peer == tid);
        for (x, e) in events.iter().enumerate() {
            match e.kind {
                Kind::Spawn => {
                    if let Some(first) = events.iter().position(|c| c.tid == e.peer) {
                        self.tc.set(x, first);
                    }
                }
                Kind::Join => {
                    let last = events.iter().rposition(|c| c.tid == e.peer);
                    if let Some(from) = last.or_else(|| spawn_of(e.peer)) {
                        self.tj.set(from, x);
                    }
                }
                _ => {}
            }
        }
    }
}
