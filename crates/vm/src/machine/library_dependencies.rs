//! What functions of the library that the machine itself performs depend on.

use super::dependencies::Next;
use super::memory::{Spot, Use};
use super::native::Native;
use super::state::{Val, VmState};
use super::tracking::{Goal, Runs, Tracking, Transferring, union};
use super::{Halt, VmMachine};
use selvedge_graph::DepSet;
use selvedge_ir::{Operand, Reg};

impl VmMachine {
    pub(super) fn prepare_native(
        &self,
        state: &mut VmState,
        t: &mut Tracking,
        native: Native,
        dst: Option<Reg>,
        args: &[Operand],
    ) -> Result<Next, Halt> {
        let sets: Vec<DepSet> = args.iter().map(|a| self.of(state, t, *a)).collect();
        let first = sets.first().cloned().unwrap_or_default();
        let mut result = DepSet::EMPTY;
        let next = match native {
            Native::Nothing | Native::OptionalBegin => Next::Run,
            // To wait for a thread takes branches on which one it is.
            Native::Assert | Native::Assume | Native::Join | Native::Detach => self.decide(t, &first),
            Native::SpinEnd => {
                result = first.clone();
                self.decide(t, &first)
            }
            Native::Math(_) | Native::MathSingle(_) => {
                let set = union(&sets);
                let undefined = args.iter().any(|a| self.is_partly_undefined(state, *a));
                result = set.clone();
                if undefined { self.need(t, set) } else { Next::Run }
            }
            Native::Copy | Native::Fill => return self.prepare_copy(state, t, native, dst, args, &sets),
            // Texts are made of what is in memory.
            Native::TextNext | Native::TextCopy => {
                let mut set = t.all_contents();
                set.union(&union(&sets));
                let next = self.need(t, set);
                if let (Next::Run, Native::TextCopy, Some(to)) = (&next, native, args.first())
                    && let Val { bits, undef: 0, .. } = self.value(state, *to)
                    && let Ok(Spot::Private { slot, at }) = self.resolve(state, bits, 1, Use::Write)
                {
                    // All is known there, so nothing that is not known is forgotten.
                    let size = state.private[slot].size as u32;
                    t.write(slot as u32, at as u32, size.saturating_sub(at as u32), &DepSet::EMPTY);
                }
                next
            }
            Native::EndThread => {
                t.deps.data = first.clone();
                self.need(t, first)
            }
            _ => self.need(t, union(&sets)),
        };
        if let (Some(dst), Next::Run) = (dst, &next) {
            t.set(state.depth, dst, result);
        }
        Ok(next)
    }

    /// `memcpy` and `memset`.
    fn prepare_copy(
        &self,
        state: &mut VmState,
        t: &mut Tracking,
        native: Native,
        dst: Option<Reg>,
        args: &[Operand],
        sets: &[DepSet],
    ) -> Result<Next, Halt> {
        let [to, from, len] = args else { return Ok(self.need(t, union(sets))) };
        let fills = matches!(native, Native::Fill);
        let mut addresses = sets[0].clone();
        if !fills {
            addresses.union(&sets[1]);
        }
        if t.is_unknown(&addresses) {
            t.deps.addr = addresses;
            return Ok(Next::Wait);
        }
        // How many accesses there are depends on the length.
        if let Next::Wait = self.decide(t, &sets[2]) {
            return Ok(Next::Wait);
        }
        if fills && t.is_unknown(&sets[1]) && self.is_partly_undefined(state, *from) {
            return Ok(self.need(t, sets[1].clone()));
        }
        let values = [to, from, len].map(|o| self.value(state, *o));
        t.transfer = Transferring { to: sets[0].clone(), ..Transferring::default() };
        if values.iter().all(|v| v.undef == 0) && values[2].bits <= u32::MAX as u64 {
            let len = values[2].bits as u32;
            t.transfer.bytes = Runs::all(len, if fills { sets[1].clone() } else { DepSet::EMPTY });
            if !fills && len > 0 {
                t.transfer.from = sets[1].clone();
                match self.resolve(state, values[1].bits, len as u64, Use::Read) {
                    Ok(Spot::Private { slot, at }) => {
                        t.deps.ctrl.union(&sets[1]);
                        for i in 0..len {
                            let set = t.contents(slot as u32, at as u32 + i, 1);
                            t.transfer.bytes.set(i, 1, set);
                        }
                    }
                    Ok(Spot::Constant { .. }) => t.deps.ctrl.union(&sets[1]),
                    _ => {}
                }
            }
            if len > 0
                && let Ok(Spot::Private { slot, at }) =
                    self.resolve(state, values[0].bits, len as u64, Use::Write)
            {
                t.deps.ctrl.union(&sets[0]);
                t.transfer.then = Goal::Private { slot: slot as u32, at: at as u32 };
            }
        }
        if let Some(dst) = dst {
            t.set(state.depth, dst, sets[0].clone());
        }
        Ok(Next::Run)
    }
}
