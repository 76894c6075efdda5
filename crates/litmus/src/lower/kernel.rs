//! Locks of the Linux kernel, and read-side sections and grace periods of RCU.
//!
//! A lock that is taken is a compare-and-exchange that succeeds, with a mark after it; giving it back is a
//! releasing store with a mark before it. Of sections within each other only the outermost one is an event:
//! how deep a statement is, is known from where it stands, since control enters and leaves sections by their
//! ends only.

use super::Lower;
use crate::calls::Call;
use crate::source::Place;
use crate::syntax::Parsed;
use crate::tree::Expr;
use selvedge_graph::{Barrier, Mode};
use selvedge_machine::expr::Expr as Code;
use selvedge_machine::program::Instr;

impl<'a> Lower<'a> {
    /// Compiles a call that locks, unlocks, or is one of RCU's.
    pub(super) fn kernel_section(&mut self, call: Call, args: &'a [Expr<'a>], place: Place) -> Parsed<()> {
        match call {
            Call::SpinLock => {
                let addr = self.pointer(&args[0])?;
                let (ok, old) = (self.temp()?, self.temp()?);
                let (expected, desired) = (Code::Const(0), Code::Const(1));
                let (success, failure) = (Mode::Acq, Mode::RlxEx);
                self.emit(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak: false });
                self.emit(Instr::Assume { cond: Code::Reg(ok) });
                self.mark(Barrier::Lock);
            }
            Call::SpinUnlock => {
                let addr = self.pointer(&args[0])?;
                self.mark(Barrier::Unlock);
                self.emit(Instr::Store { addr, value: Code::Const(0), mode: Mode::Rel });
            }
            Call::RcuLock => {
                if self.sections == 0 {
                    self.mark(Barrier::RcuLock);
                }
                self.sections += 1;
            }
            _ => {
                let Some(outer) = self.sections.checked_sub(1) else {
                    return Err(self.source.error(place, "there is no section of RCU that ends here"));
                };
                self.sections = outer;
                if outer == 0 {
                    self.mark(Barrier::RcuUnlock);
                }
            }
        }
        Ok(())
    }

    fn mark(&mut self, barrier: Barrier) {
        self.emit(Instr::Fence { mode: Mode::Barrier(barrier) });
    }

    /// Refuses sections that only begin or end in a part of a statement.
    pub(super) fn balanced(&mut self, compile: impl FnOnce(&mut Self) -> Parsed<()>) -> Parsed<()> {
        let before = self.sections;
        let first = self.code.len();
        compile(self)?;
        if self.sections != before {
            let place = self.places.get(first).copied().unwrap_or_default();
            let error = self.source.error(place, "a section of RCU begins or ends inside of this block only");
            return Err(error.with_help("it has to begin and to end in the same block"));
        }
        Ok(())
    }

    /// Refuses jumps and their targets inside of sections.
    pub(super) fn outside(&self, place: Place) -> Parsed<()> {
        if self.sections == 0 {
            return Ok(());
        }
        Err(self.source.error(place, "jumps inside of a section of RCU are not supported"))
    }
}
