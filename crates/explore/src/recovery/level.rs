//! What one crash left, as far as recovery has found out: of each location, up to where in coherence writes
//! must have persisted, and up to where they have.

use super::RecoveryStop;
use selvedge_graph::{ExecutionGraph, Loc};
use selvedge_model::{PersistMemo, Persistency};
use std::collections::HashMap;
use std::rc::Rc;

/// The execution that a crash cut short.
#[derive(Clone, Default)]
pub enum Graph {
    #[default]
    OfProgram,
    /// A run of recovery.
    OfRecovery(Rc<ExecutionGraph>),
}

/// What one crash left.
#[derive(Default)]
pub struct Level {
    pub graph: Graph,
    pub memo: PersistMemo,
    /// By location: up to where in coherence writes must have persisted.
    pub floor: HashMap<Loc, u32>,
    /// By location: what has persisted is up to here, exactly, as it was read.
    pub read: HashMap<Loc, u32>,
    pub undo: Vec<Undo>,
}

pub enum Undo {
    Floor(Loc, Option<u32>),
    Read(Loc),
}

impl Level {
    pub fn new(graph: Graph, memo: PersistMemo) -> Level {
        Level { graph, memo, floor: HashMap::new(), read: HashMap::new(), undo: Vec::new() }
    }

    pub fn raise(&mut self, loc: Loc, pos: u32) {
        let old = self.floor.get(&loc).copied();
        if old.is_none_or(|old| old < pos) {
            self.floor.insert(loc, pos);
            self.undo.push(Undo::Floor(loc, old));
        }
    }

    pub fn undo_to(&mut self, mark: usize) {
        for change in self.undo.drain(mark..).rev() {
            match change {
                Undo::Floor(loc, Some(old)) => _ = self.floor.insert(loc, old),
                Undo::Floor(loc, None) => _ = self.floor.remove(&loc),
                Undo::Read(loc) => _ = self.read.remove(&loc),
            }
        }
    }
}

/// Notes what has persisted in any case.
pub fn surely(model: &Persistency, g: &ExecutionGraph, level: &mut Level) {
    let pasts = model.order(g, &mut level.memo).surely();
    for &(loc, pos) in pasts.iter().flat_map(|past| &past.latest) {
        level.raise(loc, pos);
    }
}

/// Lets a location have persisted up to this write of it, exactly. Returns whether that is possible.
pub fn settle(
    model: &Persistency,
    g: &ExecutionGraph,
    level: &mut Level,
    loc: Loc,
    pos: u32,
) -> Result<bool, RecoveryStop> {
    if level.read.insert(loc, pos).is_none() {
        level.undo.push(Undo::Read(loc));
    }
    if pos == 0 {
        return Ok(true);
    }
    let w = g.co(loc)[pos as usize];
    let past = model.order(g, &mut level.memo).past(w);
    if past.cyclic {
        return Err(RecoveryStop::Cyclic(w));
    }
    for &(of, at) in &past.latest {
        if level.read.get(&of).is_some_and(|exactly| at > *exactly) {
            return Ok(false);
        }
        level.raise(of, at);
    }
    Ok(true)
}
