//! What threads wait for: slim events and spin locks as one wait each, mutexes and semaphores of the
//! kernel, time.

use super::Key;
use super::body::Body;
use super::natives::FULL;
use super::stack::Val;
use crate::CompileError;
use crate::layout::Prim;
use crate::world::Sig;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Instr, Operand};

impl Body<'_> {
    /// `ManualResetEventSlim.Wait`: one wait for the flag that its other methods set.
    ///
    /// The class library's own way is to look at the flag, to spin, and then to wait for a monitor while it
    /// is not set; whoever sets it first makes it visible and then wakes those who wait. Whichever way it
    /// goes, the last thing before it returns is an acquiring load that finds the flag, and nothing that it
    /// does before is seen by anybody but the event's own methods, which only decide by it whether to wake
    /// somebody. Those wakings synchronise, too; here they do not, so there are, if anything, more
    /// executions. What is not assumed: tokens that may be cancelled, events that are disposed of and waits
    /// of no time, or of less, go the library's way, and with `--timeouts` and `--whole-library` all do.
    /// That nobody is forgotten by the library is what this rests on; `examples/dotnet/event-slim.cs`
    /// checks that of its own code.
    pub(super) fn wait_slim(
        &mut self,
        method: &crate::world::Method,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        const SET: u64 = 1 << 31;
        const DISPOSED: u64 = 1 << 30;
        let [this, time, token] = vals else { return Ok(false) };
        let options = &self.lower.options;
        if options.timeouts || options.whole_library || token.parts.len() != 1 || time.kind() != Prim::I4 {
            return Ok(false);
        }
        if time.one() != Operand::Const(u32::MAX as u64) {
            self.lower.native(crate::NO_LIMITS, 0, 0);
        }
        let by = self.lower.field_of("System.Threading.ManualResetEventSlim", "m_combinedState")?;
        let note = self.lower.note(method.owner, by)?;
        self.null_check(this)?;
        let (got, at, state, is) = (self.b.reg(), self.b.reg(), self.b.reg(), self.b.reg());
        let (library, done) = (self.b.label(), self.b.label());
        let (plain, timed, look, unset, wait) =
            (self.b.label(), self.b.label(), self.b.label(), self.b.label(), self.b.label());
        self.b.branch(token.one(), library, plain);
        self.b.set(plain);
        self.b.branch(time.one(), timed, library);
        self.b.set(timed);
        self.b.cmp(CmpOp::Slt, 32, is, time.one(), Operand::Const(u32::MAX as u64));
        self.b.branch_if(Operand::Reg(is), library);
        self.b.offset(at, this.one(), by as i64);
        self.b.jump(look);
        self.b.set(look);
        self.b.place.note = note;
        self.b.load(state, Operand::Reg(at), 4, Mode::Acq);
        self.b.place.note = 0;
        self.b.set_to(got, Operand::Const(1));
        self.b.bin(BinOp::And, 32, is, Operand::Reg(state), Operand::Const(SET));
        self.b.branch(Operand::Reg(is), done, unset);
        self.b.set(unset);
        self.b.bin(BinOp::And, 32, is, Operand::Reg(state), Operand::Const(DISPOSED));
        self.b.branch(Operand::Reg(is), library, wait);
        self.b.set(wait);
        self.library("__selvedge_block", vec![Operand::Const(5)], 0);
        self.b.push(Instr::Unreachable);
        self.b.set(library);
        let function = self.lower.method_function(method)?;
        let args = vals.iter().flat_map(|val| val.parts.clone()).collect();
        self.emit_call(Operand::Func(function), args, sig.result)?;
        let answer = self.pop()?;
        self.b.set_to(got, answer.one());
        self.b.jump(done);
        self.b.set(done);
        self.give(Prim::I4, got);
        Ok(true)
    }

    /// What `SpinLock` does when the lock is not free at once: a wait until it is, and the
    /// compare-and-exchange that takes it.
    ///
    /// The class library's own way is to count itself among those who wait, and to spin with growing
    /// pauses. The count is in the same word, and decides about nothing but how long to spin; taking the
    /// lock keeps it as it is here. A lock that knows its owner holds the number of its thread. Time limits
    /// and misuse go the library's way.
    pub(super) fn wait_spin_lock(
        &mut self,
        method: &crate::world::Method,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        const ANONYMOUS: u64 = 1 << 31;
        let [this, time, taken] = vals else { return Ok(false) };
        if self.lower.options.whole_library || self.lower.options.timeouts {
            return Ok(false);
        }
        let by = self.lower.field_of("System.Threading.SpinLock", "m_owner")?;
        let (at, owner, is, got) = (self.b.reg(), self.b.reg(), self.b.reg(), self.b.block(2));
        let [library, done, first, for_ever, of_kind, owned, other, own_free, wait, free, take, won, lost] =
            [(); 13].map(|()| self.b.label());
        let (free_word, taken_word) = (self.b.reg(), self.b.reg());
        self.b.load(is, taken.one(), 1, Mode::Na);
        self.b.branch(Operand::Reg(is), library, first);
        self.b.set(first);
        self.b.cmp(CmpOp::Eq, 32, is, time.one(), Operand::Const(u32::MAX as u64));
        self.b.branch(Operand::Reg(is), for_ever, library);
        self.b.set(for_ever);
        self.b.offset(at, this.one(), by as i64);
        self.b.load(owner, Operand::Reg(at), 4, Mode::Acq);
        self.b.bin(BinOp::And, 32, is, Operand::Reg(owner), Operand::Const(ANONYMOUS));
        self.b.branch(Operand::Reg(is), of_kind, owned);
        // Who has taken it already is told so by the class library.
        self.b.set(owned);
        let own = self.library("__selvedge_self", Vec::new(), 1);
        self.b.set_to(taken_word, own);
        self.b.cmp(CmpOp::Eq, 32, is, Operand::Reg(owner), Operand::Reg(taken_word));
        self.b.branch(Operand::Reg(is), library, other);
        self.b.set(other);
        self.b.branch(Operand::Reg(owner), wait, own_free);
        self.b.set(own_free);
        self.b.set_to(free_word, Operand::Const(0));
        self.b.jump(take);
        self.b.set(of_kind);
        self.b.bin(BinOp::And, 32, is, Operand::Reg(owner), Operand::Const(1));
        self.b.branch(Operand::Reg(is), wait, free);
        self.b.set(wait);
        self.library("__selvedge_block", vec![Operand::Const(5)], 0);
        self.b.push(Instr::Unreachable);
        self.b.set(free);
        self.b.set_to(free_word, Operand::Reg(owner));
        self.b.bin(BinOp::Or, 32, taken_word, Operand::Reg(owner), Operand::Const(1));
        self.b.jump(take);
        self.b.set(take);
        self.b.push(Instr::Cmpxchg {
            dst: got,
            addr: Operand::Reg(at),
            expected: Operand::Reg(free_word),
            desired: Operand::Reg(taken_word),
            bytes: 4,
            success: FULL,
            failure: FULL,
            weak: false,
        });
        self.b.branch(Operand::Reg(got + 1), won, lost);
        // The execution in which it looks later is the same but for this look.
        self.b.set(lost);
        self.library("__selvedge_block", vec![Operand::Const(0)], 0);
        self.b.push(Instr::Unreachable);
        self.b.set(won);
        self.flag_at(taken, Operand::Const(1));
        self.b.jump(done);
        self.b.set(library);
        let function = self.lower.method_function(method)?;
        let args = vals.iter().flat_map(|val| val.parts.clone()).collect();
        self.emit_call(Operand::Func(function), args, sig.result)?;
        self.b.jump(done);
        self.b.set(done);
        Ok(true)
    }

    /// The lock within a `ReaderWriterLockSlim`, which is taken for some instructions only: a wait until it
    /// is free, and the compare-and-exchange that takes it. The class library spins, and then sleeps, until
    /// it is.
    pub(super) fn wait_own_lock(
        &mut self,
        method: &crate::world::Method,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let [this] = vals else { return Ok(false) };
        let field = self.lower.world.own_field(method.owner, "myLock")?;
        let (false, Some(field)) = (self.lower.options.whole_library, field) else { return Ok(false) };
        let (by, _) = self.lower.layouts.field(&mut self.lower.world, field)?;
        let (at, seen, got) = (self.b.reg(), self.b.reg(), self.b.block(2));
        let [wait, free, won, lost] = [(); 4].map(|()| self.b.label());
        self.b.offset(at, this.one(), by as i64);
        self.b.load(seen, Operand::Reg(at), 4, Mode::Acq);
        self.b.branch(Operand::Reg(seen), wait, free);
        self.b.set(wait);
        self.library("__selvedge_block", vec![Operand::Const(5)], 0);
        self.b.push(Instr::Unreachable);
        self.b.set(free);
        let (addr, expected, desired) = (Operand::Reg(at), Operand::Const(0), Operand::Const(1));
        let (success, failure) = (FULL, FULL);
        self.b.push(Instr::Cmpxchg {
            dst: got,
            addr,
            expected,
            desired,
            bytes: 4,
            success,
            failure,
            weak: false,
        });
        self.b.branch(Operand::Reg(got + 1), won, lost);
        // The execution in which it looks later is the same but for this look.
        self.b.set(lost);
        self.library("__selvedge_block", vec![Operand::Const(0)], 0);
        self.b.push(Instr::Unreachable);
        self.b.set(won);
        Ok(true)
    }

    /// How often a `ReaderWriterLockSlim` looks again before it waits for an event: not at all here. To
    /// look again is to come later; nobody else can tell.
    pub(super) fn looks_again(&self, number: i64) -> bool {
        const MOST: i64 = 20;
        if number != MOST || self.method.def.assembly == 0 || self.lower.options.whole_library {
            return false;
        }
        let name = self.lower.world.native_name(&self.method);
        let member = name.strip_prefix("System.Threading.ReaderWriterLockSlim.TryEnter");
        member.is_some_and(|member| member.ends_with("Core"))
    }

    /// `Task.Delay`: a task that is over at some time, like one that does nothing.
    pub(super) fn delay(&mut self, method: &crate::world::Method, sig: &Sig) -> Result<bool, CompileError> {
        let (Some(action), [_]) = (self.lower.corlib_class("System.Action"), &sig.params[..]) else {
            return Ok(false);
        };
        let wanted = Sig { params: vec![action], ..sig.clone() };
        let Some(run) = self.lower.world.own_method(method.owner, "Run", &wanted, 0)? else {
            return Ok(false);
        };
        let nothing = self.lower.function(Key::Nothing)?;
        let vals = [Val::prim(Prim::Ptr, Operand::Const(0)), Val::prim(Prim::Ptr, Operand::Func(nothing))];
        self.new_delegate(action, &vals)?;
        let delegate = self.pop()?;
        self.call_method(&run, &wanted, vec![delegate], false)?;
        Ok(true)
    }

    /// Mutexes are monitors of their own: recursive, and misuse is an exception.
    pub(super) fn mutex(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let by = self.lower.field_of("System.Threading.WaitHandle", "waitHandle")?;
        match member {
            ".ctor" if sig.params.len() <= 1 => {
                if let Some(owned) = vals.get(1) {
                    let (take, done, at) = (self.b.label(), self.b.label(), self.b.reg());
                    self.b.offset(at, vals[0].one(), by as i64);
                    self.b.branch(owned.one(), take, done);
                    self.b.set(take);
                    self.library("__dotnet_enter", vec![Operand::Reg(at)], 0);
                    self.b.jump(done);
                    self.b.set(done);
                }
            }
            ".ctor" => return self.refuse("mutexes with names are not supported"),
            "ReleaseMutex" => {
                self.null_check(&vals[0])?;
                let at = self.at(vals[0].one(), by, 1);
                let wrong = self.library("__dotnet_exit", vec![at], 1);
                self.throw_if(wrong, "System.ApplicationException");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn semaphore(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let by = self.lower.field_of("System.Threading.WaitHandle", "waitHandle")?;
        let most = self.lower.field_of("System.Threading.WaitHandle", "safeWaitHandle")?;
        match member {
            ".ctor" if sig.params.len() == 2 => {
                for (place, val) in [(by, &vals[1]), (most, &vals[2])] {
                    let at = self.at(vals[0].one(), place, 1);
                    self.b.store(at, val.one(), 8, Mode::Na);
                }
            }
            ".ctor" => return self.refuse("semaphores with names are not supported"),
            "Release" => {
                self.null_check(&vals[0])?;
                let (at, room) = (self.b.reg(), self.b.reg());
                self.b.offset(at, vals[0].one(), by as i64);
                self.b.offset(room, vals[0].one(), most as i64);
                let count = vals.get(1).map_or(Operand::Const(1), Val::one);
                let given = vec![Operand::Reg(at), Operand::Reg(room), count];
                let before = self.library("__dotnet_semaphore_release", given, 1);
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Eq, 32, is, before, Operand::Const(u32::MAX as u64));
                self.throw_if(Operand::Reg(is), "System.Threading.SemaphoreFullException");
                self.push_copy(Val::prim(Prim::I4, before));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
