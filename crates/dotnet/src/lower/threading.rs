//! Threads, monitors, atomic accesses and events: what the runtime has of synchronisation.

use super::body::Body;
use super::natives::FULL;
use super::stack::Val;
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::{Prim, WAITERS};
use crate::types::{Kind, Ty};
use crate::world::Sig;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Instr, Net, Operand, Place, RmwOp};

/// Fields of a thread that natives have for something else than the class library: whether it is a background
/// thread, its name, whether it has ended.
const BACKGROUND: &str = "principal_version";
const NAME: &str = "principal";
const ENDED: &str = "m_ExecutionContextBelongsToOuterScope";
/// States of a thread.
const UNSTARTED: u64 = 8;
const STOPPED: u64 = 16;

impl Body<'_> {
    /// The type behind a reference.
    fn referred(&self, ty: Ty) -> Ty {
        match self.lower.world.types.kind(ty) {
            Kind::ByRef(of) | Kind::Ptr(of) => *of,
            _ => ty,
        }
    }

    fn prim_behind(&mut self, ty: Ty) -> Result<Prim, CompileError> {
        let ty = self.referred(ty);
        match self.lower.layouts.prim(&mut self.lower.world, ty)? {
            Some(prim) => Ok(prim),
            None => self.refuse("an atomic access of a structure"),
        }
    }

    pub(super) fn interlocked(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        if matches!(member, "MemoryBarrier" | "SpeculationBarrier") {
            self.b.push(Instr::Fence { mode: FULL });
            return Ok(true);
        }
        // What it orders in other threads is not: a note says so.
        if member == "MemoryBarrierProcessWide" {
            self.lower.native(crate::PROCESS_WIDE, 0, 0);
            self.b.push(Instr::Fence { mode: FULL });
            return Ok(true);
        }
        if sig.params.is_empty() {
            return Ok(false);
        }
        let prim = self.prim_behind(sig.params[0])?;
        let (bytes, kind) = (prim.bytes(), prim.stack());
        let addr = vals[0].one();
        self.null_check(&vals[0])?;
        let old = self.b.block(2);
        let rmw = |body: &mut Self, op: RmwOp, operand: Operand| {
            let net = Net::Lasting;
            body.b.place.note = vals[0].note;
            body.b.push(Instr::Rmw { op, dst: old, addr, operand, bytes, mode: FULL, net });
            body.b.place.note = 0;
        };
        match member {
            "Exchange" => rmw(self, RmwOp::Xchg, vals[1].one()),
            "CompareExchange" if vals.len() >= 3 => {
                if prim == Prim::Ptr {
                    self.built_string(vals[2].one());
                }
                self.b.place.note = vals[0].note;
                self.b.push(Instr::Cmpxchg {
                    dst: old,
                    addr,
                    expected: vals[2].one(),
                    desired: vals[1].one(),
                    bytes,
                    success: FULL,
                    failure: FULL,
                    weak: false,
                });
                self.b.place.note = 0;
                // The class library has one of its own that also says whether it succeeded.
                if let Some(flag) = vals.get(3) {
                    self.b.store(flag.one(), Operand::Reg(old + 1), 1, Mode::Na);
                }
            }
            "Add" | "Increment" | "Decrement" => {
                let by = match member {
                    "Add" => vals[1].one(),
                    "Increment" => Operand::Const(1),
                    _ => Operand::Const(if bytes == 4 { u32::MAX as u64 } else { u64::MAX }),
                };
                let kept = self.scratch(8);
                self.b.set_to(kept, by);
                rmw(self, RmwOp::Add, Operand::Reg(kept));
                self.b.bin(BinOp::Add, 8 * bytes, old, Operand::Reg(old), Operand::Reg(kept));
            }
            "And" => rmw(self, RmwOp::And, vals[1].one()),
            "Or" => rmw(self, RmwOp::Or, vals[1].one()),
            "Read" => self.b.load(old, addr, bytes, FULL),
            _ => return self.refuse(&format!("Interlocked.{member} is not supported")),
        }
        self.give(kind, old);
        Ok(true)
    }

    pub(super) fn volatile_access(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let ty = self.referred(sig.params[0]);
        self.null_check(&vals[0])?;
        match member {
            "Read" | "VolatileRead" => self.load_value(ty, vals[0].one(), Mode::Acq, vals[0].note)?,
            "Write" | "VolatileWrite" => {
                let val = self.fitted(vals[1].clone(), ty, 2)?;
                self.store_value(ty, vals[0].one(), &val, Mode::Rel, vals[0].note)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A function of the library of the machine; its result, if it has one, is in a register of its own.
    pub(super) fn library(&mut self, name: &'static str, args: Vec<Operand>, results: u32) -> Operand {
        let native = self.lower.native(name, args.len() as u32, results);
        let dst = self.b.reg();
        self.b.call((results > 0).then_some(dst), native, args, results);
        Operand::Reg(dst)
    }

    pub(super) fn flag_at(&mut self, val: &Val, flag: Operand) {
        self.b.store(val.one(), flag, 1, Mode::Na);
    }

    pub(super) fn monitor(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let Some(object) = vals.first() else { return Ok(false) };
        let known = ["Enter", "Exit", "TryEnter", "Wait", "Pulse", "PulseAll", "IsEntered", "ReliableEnter"];
        if !known.contains(&member) {
            return Ok(false);
        }
        if !object.some {
            let is = self.scratch(5);
            self.b.cmp(CmpOp::Eq, 64, is, object.one(), Operand::Const(0));
            self.throw_if(Operand::Reg(is), "System.ArgumentNullException");
        }
        let it = object.one();
        let by_ref = |body: &Self, n: usize| {
            let param = sig.params.get(n).map(|ty| body.lower.world.types.kind(*ty));
            matches!(param, Some(Kind::ByRef(_)))
        };
        match member {
            "Enter" | "ReliableEnter" => {
                self.library("__dotnet_enter", vec![it], 0);
                if by_ref(self, 1) {
                    self.flag_at(&vals[1], Operand::Const(1));
                }
            }
            "TryEnter" => {
                let time = self.milliseconds(sig, vals, 1)?;
                let taken = self.library("__dotnet_try_enter", vec![it, time], 1);
                match sig
                    .params
                    .iter()
                    .position(|ty| matches!(self.lower.world.types.kind(*ty), Kind::ByRef(_)))
                {
                    Some(n) => self.flag_at(&vals[n], taken),
                    None => self.push_copy(Val::prim(Prim::I4, taken)),
                }
            }
            "Exit" => {
                let wrong = self.library("__dotnet_exit", vec![it], 1);
                self.throw_if(wrong, "System.Threading.SynchronizationLockException");
            }
            "IsEntered" => {
                let held = self.library("__selvedge_lock_held", vec![it], 1);
                self.push_copy(Val::prim(Prim::I4, held));
            }
            "Wait" => {
                let mut time = self.milliseconds(sig, vals, 1)?;
                let never = Operand::Const(u32::MAX as u64);
                if time != never && !self.lower.options.timeouts {
                    self.lower.native(crate::NO_LIMITS, 0, 0);
                    time = never;
                }
                let held = self.library("__selvedge_lock_held", vec![it], 1);
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Eq, 64, is, held, Operand::Const(0));
                self.throw_if(Operand::Reg(is), "System.Threading.SynchronizationLockException");
                let waiters = self.scratch(6);
                self.b.offset(waiters, it, WAITERS);
                let woken = self.library("__dotnet_wait", vec![it, Operand::Reg(waiters), time], 1);
                self.push_copy(Val::prim(Prim::I4, woken));
            }
            _ => {
                let held = self.library("__selvedge_lock_held", vec![it], 1);
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Eq, 64, is, held, Operand::Const(0));
                self.throw_if(Operand::Reg(is), "System.Threading.SynchronizationLockException");
                let waiters = self.scratch(6);
                self.b.offset(waiters, it, WAITERS);
                let name = if member == "Pulse" { "__dotnet_pulse" } else { "__dotnet_pulse_all" };
                self.library(name, vec![Operand::Reg(waiters)], 0);
            }
        }
        Ok(true)
    }

    /// A time to wait: -1 for ever, 0 not at all; others only say that there is an end.
    pub(super) fn milliseconds(
        &mut self,
        sig: &Sig,
        vals: &[Val],
        n: usize,
    ) -> Result<Operand, CompileError> {
        let first = vals.len() - sig.params.len();
        let Some(ty) = sig.params.get(n - first) else { return Ok(Operand::Const(u32::MAX as u64)) };
        match self.lower.world.types.kind(*ty).clone() {
            Kind::I4 => Ok(vals[n].one()),
            _ if self.lower.is_wide_time(*ty) => Ok(vals[n].one()),
            Kind::ByRef(_) | Kind::Bool => Ok(Operand::Const(u32::MAX as u64)),
            _ if self.lower.world.name(*ty) == "System.TimeSpan" => {
                // In units of 100 ns.
                let (part, is) = (self.scratch(6), self.b.reg());
                self.b.set_to(part, vals[n].one());
                self.b.cmp(CmpOp::Slt, 64, is, Operand::Reg(part), Operand::Const(0));
                let (never, some) = (Operand::Const(u32::MAX as u64), self.b.reg());
                self.b.cmp(CmpOp::Ne, 64, some, Operand::Reg(part), Operand::Const(0));
                self.b.push(Instr::Select {
                    dst: some,
                    cond: Operand::Reg(is),
                    a: never,
                    b: Operand::Reg(some),
                });
                Ok(Operand::Reg(some))
            }
            _ => self.refuse("a time of an unknown kind"),
        }
    }

    pub(super) fn thread(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        const THREAD: &str = "System.Threading.Thread";
        let at = |body: &mut Self, field: &str| {
            let by = body.lower.field_of(THREAD, field)?;
            Ok::<_, CompileError>(body.at(vals[0].one(), by, 1))
        };
        match member {
            ".ctor" => {
                let place = at(self, "m_Delegate")?;
                self.b.store_reference(place, vals[1].one(), Mode::Na);
            }
            "Start" => {
                self.null_check(&vals[0])?;
                if vals.len() > 1 {
                    let place = at(self, "m_ThreadStartArg")?;
                    self.b.store_reference(place, vals[1].one(), Mode::Na);
                }
                let entry = self.lower.function(Key::ThreadEntry)?;
                let place = at(self, "internal_thread")?;
                let kept = self.scratch(6);
                self.b.set_to(kept, place);
                let again = self.library(
                    "__dotnet_start",
                    vec![vals[0].one(), Operand::Reg(kept), Operand::Func(entry)],
                    1,
                );
                self.throw_if(again, "System.Threading.ThreadStateException");
            }
            "Join" => {
                self.null_check(&vals[0])?;
                let time = self.milliseconds(sig, vals, 1)?;
                let place = at(self, "internal_thread")?;
                let kept = self.scratch(6);
                self.b.set_to(kept, place);
                let ended = at(self, "pending_exception")?;
                let joined = self.library("__dotnet_join", vec![Operand::Reg(kept), time, ended], 1);
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Eq, 64, is, joined, Operand::Const(2));
                self.throw_if(Operand::Reg(is), "System.Threading.ThreadStateException");
                if !matches!(self.lower.world.types.kind(sig.result), Kind::Void) {
                    self.push_copy(Val::prim(Prim::I4, joined));
                }
            }
            "Sleep" | "SpinWait" | "Yield" => {
                self.library("sched_yield", Vec::new(), 1);
                if !matches!(self.lower.world.types.kind(sig.result), Kind::Void) {
                    self.push(Val::int(1));
                }
            }
            "MemoryBarrier" => self.b.push(Instr::Fence { mode: FULL }),
            "VolatileRead" | "VolatileWrite" => return self.volatile_access(member, sig, vals),
            "get_CurrentThread" => {
                let thread = self.current_thread()?;
                self.push_copy(Val::object(thread));
            }
            "get_ManagedThreadId" => {
                self.null_check(&vals[0])?;
                let place = at(self, "internal_thread")?;
                let id = self.b.reg();
                self.b.load(id, place, 8, Mode::Na);
                self.give(Prim::I4, id);
            }
            "set_IsBackground" => {
                self.lower.asks_background = true;
                let place = at(self, BACKGROUND)?;
                self.b.store(place, vals[1].one(), 4, Mode::Rlx);
            }
            "get_IsBackground" => {
                self.lower.asks_background = true;
                let (place, is) = (at(self, BACKGROUND)?, self.b.reg());
                self.b.load(is, place, 4, Mode::Rlx);
                self.give(Prim::I4, is);
            }
            "set_Name" => {
                let place = at(self, NAME)?;
                self.b.store_reference(place, vals[1].one(), Mode::Na);
            }
            "get_Name" => {
                let (place, name) = (at(self, NAME)?, self.b.reg());
                self.b.load(name, place, 8, Mode::Na);
                self.push_copy(Val::object(Operand::Reg(name)));
            }
            "set_Priority"
            | "BeginCriticalRegion"
            | "EndCriticalRegion"
            | "BeginThreadAffinity"
            | "EndThreadAffinity"
            | "DisableComObjectEagerCleanup" => {}
            // A thread that has ended says so last of all.
            "get_IsAlive" | "get_ThreadState" => {
                self.null_check(&vals[0])?;
                self.lower.asks_ended = true;
                let (place, is, out) = (at(self, "internal_thread")?, self.b.reg(), self.b.reg());
                let [started, known, ended, running] = [(); 4].map(|()| self.b.label());
                let states = member == "get_ThreadState";
                self.b.load(is, place, 8, Mode::Na);
                self.b.set_to(out, Operand::Const(if states { UNSTARTED } else { 0 }));
                self.b.branch(Operand::Reg(is), started, known);
                self.b.set(started);
                let place = at(self, ENDED)?;
                self.b.load(is, place, 1, Mode::Acq);
                self.b.branch(Operand::Reg(is), ended, running);
                self.b.set(running);
                match states {
                    true => self.b.unsupported("Thread.ThreadState of a thread that runs"),
                    false => self.b.set_to(out, Operand::Const(1)),
                }
                self.b.jump(known);
                self.b.set(ended);
                self.b.set_to(out, Operand::Const(if states { STOPPED } else { 0 }));
                self.b.jump(known);
                self.b.set(known);
                self.give(Prim::I4, out);
            }
            "get_IsThreadPoolThread" => self.push(Val::int(0)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The object of the thread that runs this; the first thread's is made when it is asked for.
    fn current_thread(&mut self) -> Result<Operand, CompileError> {
        let own = self.lower.current_global();
        let (thread, have, none) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.load(thread, Operand::Global(own, 0), 8, Mode::Na);
        self.b.branch(Operand::Reg(thread), have, none);
        self.b.set(none);
        let Some(class) = self.lower.corlib_class("System.Threading.Thread") else {
            return self.refuse("the class library has no threads");
        };
        let size = self.lower.layouts.of(&mut self.lower.world, class)?.size;
        self.allocate(class, Operand::Const(size as u64), thread)?;
        let id = self.library("__selvedge_self", Vec::new(), 1);
        let by = self.lower.field_of("System.Threading.Thread", "internal_thread")?;
        let place = self.at(Operand::Reg(thread), by, 1);
        self.b.store(place, id, 8, Mode::Na);
        self.b.store(Operand::Global(own, 0), Operand::Reg(thread), 8, Mode::Na);
        self.b.jump(have);
        self.b.set(have);
        Ok(Operand::Reg(thread))
    }

    /// Spinning only lets time pass, and counts. Where nobody can see the counter, there is none.
    pub(super) fn spin_wait(&mut self, member: &str) -> Result<bool, CompileError> {
        match member {
            "SpinOnce" | "Reset" if self.spins_unseen => {
                self.library("sched_yield", Vec::new(), 1);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Events: whether one is set is the lowest bit of a word, and whether it stays set the next one.
    pub(super) fn wait_handle(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let by = self.lower.field_of("System.Threading.WaitHandle", "waitHandle")?;
        let Some(this) = vals.first() else { return Ok(false) };
        let place = |body: &mut Self| body.at(this.one(), by, 1);
        match member {
            ".ctor" if vals.len() == 3 => {
                let at = place(self);
                let word = self.scratch(6);
                // The mode is 0 for events that one wait resets, 1 for others.
                self.b.bin(BinOp::Mul, 64, word, vals[2].one(), Operand::Const(2));
                self.b.bin(BinOp::Or, 64, word, Operand::Reg(word), vals[1].one());
                self.b.store(at, Operand::Reg(word), 8, Mode::Na);
            }
            ".ctor" if vals.len() == 1 => {}
            "Set" | "Reset" => {
                let at = place(self);
                let (op, operand) = match member {
                    "Set" => (RmwOp::Or, Operand::Const(1)),
                    _ => (RmwOp::And, Operand::Const(!1)),
                };
                let dst = self.scratch(6);
                let net = Net::Lasting;
                self.b.push(Instr::Rmw { op, dst, addr: at, operand, bytes: 8, mode: FULL, net });
                self.push(Val::int(1));
            }
            "WaitOne" => {
                self.null_check(this)?;
                let time = self.milliseconds(sig, vals, 1)?;
                let (at, got, done) = (self.b.reg(), self.b.reg(), self.b.label());
                self.b.offset(at, this.one(), by as i64);
                let others = [
                    ("System.Threading.Mutex", "__dotnet_try_enter"),
                    ("System.Threading.Semaphore", "__dotnet_semaphore_wait"),
                ];
                for (class, wait) in others {
                    let Some(class) = self.lower.class_named(class)? else { continue };
                    let test = self.lower.function(Key::IsInst(class))?;
                    let (yes, no) = (self.b.label(), self.b.label());
                    self.b.call(Some(got), test, vec![this.one()], 1);
                    self.b.branch(Operand::Reg(got), yes, no);
                    self.b.set(yes);
                    let taken = self.library(wait, vec![Operand::Reg(at), time], 1);
                    self.b.set_to(got, taken);
                    self.b.jump(done);
                    self.b.set(no);
                }
                let set = self.library("__dotnet_wait_one", vec![Operand::Reg(at), time], 1);
                self.b.set_to(got, set);
                self.b.jump(done);
                self.b.set(done);
                self.give(Prim::I4, got);
            }
            "WaitAny" | "WaitAll" if !sig.has_this => return self.wait_for_several(member, sig, vals),
            "SignalAndWait" if !sig.has_this && vals.len() >= 2 => return self.signal_and_wait(sig, vals),
            "Close" | "Dispose" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn thread_pool(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        match member {
            "QueueUserWorkItem" | "UnsafeQueueUserWorkItem" => {
                let Some(class) = self.lower.corlib_class("System.Threading.Thread") else {
                    return Ok(false);
                };
                let size = self.lower.layouts.of(&mut self.lower.world, class)?.size;
                let thread = self.b.reg();
                self.allocate(class, Operand::Const(size as u64), thread)?;
                for (field, val) in [("m_Delegate", vals.first()), ("m_ThreadStartArg", vals.get(1))] {
                    if let Some(val) = val {
                        let by = self.lower.field_of("System.Threading.Thread", field)?;
                        let at = self.at(Operand::Reg(thread), by, 1);
                        self.b.store_reference(at, val.one(), Mode::Na);
                    }
                }
                // Threads of the pool are background threads.
                self.lower.asks_background = true;
                let by = self.lower.field_of("System.Threading.Thread", BACKGROUND)?;
                let at = self.at(Operand::Reg(thread), by, 1);
                self.b.store(at, Operand::Const(1), 4, Mode::Rlx);
                let by = self.lower.field_of("System.Threading.Thread", "internal_thread")?;
                let at = self.at(Operand::Reg(thread), by, 1);
                let entry = self.lower.function(Key::ThreadEntry)?;
                self.library("__dotnet_start", vec![Operand::Reg(thread), at, Operand::Func(entry)], 1);
            }
            "UnsafeQueueCustomWorkItem" => {
                let entry = self.lower.function(Key::PoolEntry)?;
                self.library("__dotnet_run", vec![vals[0].one(), Operand::Func(entry)], 0);
            }
            _ => return Ok(false),
        }
        if !matches!(self.lower.world.types.kind(sig.result), Kind::Void) {
            self.push(Val::int(1));
        }
        Ok(true)
    }
}

impl Lower {
    /// A class of the class library, or of the assembly beside it that has what is newer.
    pub(super) fn class_named(&mut self, name: &str) -> Result<Option<Ty>, CompileError> {
        if let Some(class) = self.corlib_class(name) {
            return Ok(Some(class));
        }
        let named = self.world.assemblies.iter().position(|a| a.type_named(name).is_some());
        let Some(assembly) = named else { return Ok(None) };
        let Some(row) = self.world.assemblies[assembly].type_named(name) else { return Ok(None) };
        let def = crate::types::DefId { assembly: assembly as u32, row };
        Ok(Some(self.world.instance(def, Vec::new())))
    }

    /// Where each thread has its object.
    fn current_global(&mut self) -> selvedge_ir::GlobalId {
        const NAME: &str = "Thread.CurrentThread";
        if let Some(at) = self.module.globals.iter().position(|g| g.name == NAME) {
            return selvedge_ir::GlobalId(at as u32);
        }
        let id = self.global(String::from(NAME), vec![0; 8], false);
        self.module.globals[id.0 as usize].thread_local = true;
        id
    }

    /// Where a thread begins: with its object.
    pub(super) fn thread_entry(&mut self) -> Result<selvedge_ir::Function, CompileError> {
        let mut b = super::Builder::default();
        let thread = b.reg();
        let own = self.current_global();
        b.store(Operand::Global(own, 0), Operand::Reg(thread), 8, Mode::Na);
        let class = "System.Threading.Thread";
        let (delegate, arg) =
            (self.field_of(class, "m_Delegate")?, self.field_of(class, "m_ThreadStartArg")?);
        let (target, code) = self.delegate_parts()?;
        let (it, object, function, state, exc) = (b.reg(), b.reg(), b.reg(), b.reg(), b.reg());
        let load = |b: &mut super::Builder, dst, base, by: u32| {
            b.offset(dst, Operand::Reg(base), by as i64);
            b.load(dst, Operand::Reg(dst), 8, Mode::Na);
        };
        if self.asks_background {
            let (is, stays) = (b.label(), b.label());
            b.offset(exc, Operand::Reg(thread), self.field_of(class, BACKGROUND)? as i64);
            b.load(exc, Operand::Reg(exc), 4, Mode::Rlx);
            b.branch(Operand::Reg(exc), is, stays);
            b.set(is);
            let background = self.native("__selvedge_background", 0, 0);
            b.call(None, background, Vec::new(), 0);
            b.jump(stays);
            b.set(stays);
        }
        load(&mut b, it, thread, delegate);
        load(&mut b, object, it, target);
        load(&mut b, function, it, code);
        let Some(start) = self.corlib_class("System.Threading.ThreadStart") else {
            return crate::refuse("the class library has no ThreadStart");
        };
        let test = self.function(Key::IsInst(start))?;
        b.call(Some(exc), test, vec![Operand::Reg(it)], 1);
        let (plain, with, after, failed) = (b.label(), b.label(), b.label(), b.label());
        b.branch(Operand::Reg(exc), plain, with);
        let call = |b: &mut super::Builder, args: Vec<Operand>| {
            let callee = Operand::Reg(function);
            b.push(Instr::Call { dst: Some(exc), callee, args, results: 1, signature: None, lands: None });
            b.jump(after);
        };
        b.set(plain);
        call(&mut b, vec![Operand::Reg(object)]);
        b.set(with);
        load(&mut b, state, thread, arg);
        call(&mut b, vec![Operand::Reg(object), Operand::Reg(state)]);
        b.set(after);
        b.branch_if(Operand::Reg(exc), failed);
        if self.asks_ended {
            b.offset(exc, Operand::Reg(thread), self.field_of(class, ENDED)? as i64);
            b.store(Operand::Reg(exc), Operand::Const(1), 1, Mode::Rel);
        }
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        b.set(failed);
        self.unhandled(&mut b, exc)?;
        Ok(b.finish(String::from("thread"), vec![thread], 1, Place::default()))
    }

    /// Where a work item of the thread pool begins.
    pub(super) fn pool_entry(&mut self) -> Result<selvedge_ir::Function, CompileError> {
        let mut b = super::Builder::default();
        let (item, exc, failed) = (b.reg(), b.reg(), b.label());
        let background = self.native("__selvedge_background", 0, 0);
        b.call(None, background, Vec::new(), 0);
        let class = self.corlib_class("System.Threading.IThreadPoolWorkItem");
        let method = match class {
            Some(class) => self.world.method_named(class, "ExecuteWorkItem", 0)?,
            None => None,
        };
        let Some(method) = method else { return crate::refuse("the class library has no work items") };
        let run = self.function(Key::Dispatch(method))?;
        b.call(Some(exc), run, vec![Operand::Reg(item)], 1);
        b.branch_if(Operand::Reg(exc), failed);
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        b.set(failed);
        self.unhandled(&mut b, exc)?;
        Ok(b.finish(String::from("pool thread"), vec![item], 1, Place::default()))
    }
}
