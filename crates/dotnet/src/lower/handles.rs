//! Waiting for one or all of several handles, and for one while another is set.
//!
//! `WaitAny` looks at one handle after the other and takes the first that is there; those before it are
//! looked at again, for they were not there at the moment at which it was taken. `WaitAll` looks at all of
//! them twice, and takes them if all were there both times. In between, somebody may have taken one: such
//! an execution is left, for the one in which these looks come later is the same.

use super::body::Body;
use super::stack::Val;
use super::{Builder, Key, Lower};
use crate::CompileError;
use crate::layout::Prim;
use crate::world::Sig;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Function, Instr, Operand, Place};

const HANDLE: &str = "System.Threading.WaitHandle";
const MUTEX: &str = "System.Threading.Mutex";
const SEMAPHORE: &str = "System.Threading.Semaphore";

impl Body<'_> {
    pub(super) fn wait_for_several(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let never = Operand::Const(u32::MAX as u64);
        let time = if sig.params.len() > 1 { self.milliseconds(sig, vals, 1)? } else { never };
        let limit = self.b.reg();
        self.b.set_to(limit, time);
        self.null_check(&vals[0])?;
        let length = self.length(vals[0].one())?;
        let there = self.lower.function(Key::Handle(false))?;
        let take = self.lower.function(Key::Handle(true))?;
        let name = if member == "WaitAny" { "__dotnet_wait_any" } else { "__dotnet_wait_all" };
        let functions = [Operand::Func(there), Operand::Func(take)];
        let args = [&[vals[0].one(), length, Operand::Reg(limit)][..], &functions].concat();
        let got = self.library(name, args, 1);
        self.push_copy(Val::prim(Prim::I4, got));
        Ok(true)
    }

    pub(super) fn signal_and_wait(&mut self, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let Some(class) = self.lower.corlib_class("System.Threading.EventWaitHandle") else {
            return Ok(false);
        };
        self.null_check(&vals[0])?;
        let test = self.lower.function(Key::IsInst(class))?;
        let (is, event, other) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.call(Some(is), test, vec![vals[0].one()], 1);
        self.b.branch(Operand::Reg(is), event, other);
        self.b.set(other);
        self.b.unsupported("WaitHandle.SignalAndWait of what is no event");
        self.b.set(event);
        let own = Sig { has_this: true, params: Vec::new(), ..sig.clone() };
        self.wait_handle("Set", &own, &vals[..1])?;
        self.pop()?;
        let params = sig.params.get(2).copied().into_iter().collect();
        let wait = Sig { has_this: true, params, ..sig.clone() };
        let given: Vec<Val> = vals[1..].iter().take(1 + wait.params.len()).cloned().collect();
        self.wait_handle("WaitOne", &wait, &given)
    }
}

impl Lower {
    /// Whether a handle is there, or whether it could be taken: without waiting.
    pub(super) fn handle_function(&mut self, take: bool) -> Result<Function, CompileError> {
        let mut b = Builder::default();
        let (handle, at, got) = (b.reg(), b.reg(), b.reg());
        let (some, none) = (b.label(), b.label());
        b.branch(Operand::Reg(handle), some, none);
        b.set(none);
        b.unsupported("waiting for several handles of which one is none");
        b.set(some);
        let by = self.field_of(HANDLE, "waitHandle")?;
        b.offset(at, Operand::Reg(handle), by as i64);
        let give = |b: &mut Builder| b.push(Instr::Return { values: vec![Operand::Reg(got)] });
        let now = Operand::Const(0);
        for (name, wait) in [(MUTEX, "__dotnet_try_enter"), (SEMAPHORE, "__dotnet_semaphore_wait")] {
            let Some(class) = self.class_named(name)? else { continue };
            let test = self.function(Key::IsInst(class))?;
            let (yes, no) = (b.label(), b.label());
            b.call(Some(got), test, vec![Operand::Reg(handle)], 1);
            b.branch(Operand::Reg(got), yes, no);
            b.set(yes);
            if take {
                let wait = self.native(wait, 2, 1);
                b.call(Some(got), wait, vec![Operand::Reg(at), now], 1);
            } else if name == MUTEX {
                let whole = self.native("__selvedge_lock_whole", 1, 0);
                b.call(None, whole, vec![Operand::Reg(at)], 0);
                let held = self.native("__selvedge_lock_held", 1, 1);
                b.call(Some(got), held, vec![Operand::Reg(at)], 1);
                let own = b.label();
                b.branch_if(Operand::Reg(got), own);
                b.load(got, Operand::Reg(at), 4, Mode::Acq);
                b.cmp(CmpOp::Eq, 32, got, Operand::Reg(got), now);
                give(&mut b);
                b.set(own);
            } else {
                b.load(got, Operand::Reg(at), 8, super::natives::FULL);
                b.cmp(CmpOp::Ne, 64, got, Operand::Reg(got), now);
            }
            give(&mut b);
            b.set(no);
        }
        if take {
            let wait = self.native("__dotnet_wait_one", 2, 1);
            b.call(Some(got), wait, vec![Operand::Reg(at), now], 1);
        } else {
            b.load(got, Operand::Reg(at), 8, super::natives::FULL);
            b.bin(BinOp::And, 64, got, Operand::Reg(got), Operand::Const(1));
        }
        give(&mut b);
        let name = if take { "takes a handle" } else { "a handle is there" };
        Ok(b.finish(String::from(name), vec![handle], 1, Place::default()))
    }
}
