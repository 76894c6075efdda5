//! Compare-and-swaps that order more with one outcome than with the other (`docs/dependencies.md`,
//! "Outcomes").

use super::Follow;
use super::prefix::{Operands, Prefix, Scene};
use super::web::Ev;
use crate::early::conditional;
use selvedge_machine::{Machine, Op};

impl<M: Machine> Follow<'_, M> {
    /// Whether a write comes after a compare-and-swap that is not ordered before it in any case, and that
    /// orders itself or its write before it, or before an earlier write of the thread, by its outcome:
    /// executions with the other outcome may be missed.
    pub(super) fn is_doubtful(&mut self, w: Ev) -> bool {
        let web = &self.web;
        let slot = web.at(w);
        let events = &web.line(slot.tid).events[..slot.idx as usize];
        let by_outcome = |h: Ev| {
            let read = web.at(h);
            let write = web.rmw_write(h);
            let is_after = |&v: &Ev| {
                let past = &web.at(v).order().past;
                let is_exit = web.at(v).is_write() || matches!(web.at(v).at.op, Op::Spawn { .. });
                is_exit
                    && Some(v) != write
                    && (past.contains(read.idx) || write.is_some() && past.contains(read.idx + 1))
            };
            conditional(read.at.op).is_some() && events[read.idx as usize..].iter().any(is_after)
        };
        let doubts: Vec<Ev> = events[..events.len() - 1].iter().copied().filter(|&h| by_outcome(h)).collect();
        if doubts.is_empty() {
            return false;
        }
        // What it cannot do without is ordered before it whatever comes of it.
        let (machine, local) = (self.machine, self.local);
        let scene = Scene { machine, web, local, operands: Operands::Free, before: &|_, _| false };
        let mut prefix = Prefix::default();
        self.prefixes.of(&scene, w, &mut prefix);
        doubts.iter().any(|&h| !prefix.has(h))
    }

    /// Whether another thread has read the location of a write.
    pub(super) fn is_read_elsewhere(&self, w: Ev) -> bool {
        let slot = self.web.at(w);
        let reads = |x: Ev| {
            let other = self.web.at(x);
            other.is_read() && other.tid != slot.tid && other.face.loc == slot.face.loc
        };
        self.web.events().any(reads)
    }
}
