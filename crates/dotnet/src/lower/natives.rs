//! What the runtime implements: methods that have no body in the class library, or one that ends in the runtime.
//!
//! They are written where they are called, so that reports name the line of the call.

use super::body::Body;
use super::stack::Val;
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::{HEADER, Prim, WAITERS};
use crate::types::{Kind, Ty};
use crate::world::{Method, Sig};
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Instr, Net, Operand, Place, RmwOp};

/// Parts of the class library that end in the runtime everywhere: why they are not lowered.
pub fn left_out(name: &str) -> Option<&'static str> {
    const OUTSIDE: [(&str, &str); 27] = [
        ("System.Globalization.", "cultures are not supported"),
        ("System.Text.", "text is not supported"),
        ("System.IO.", "files are not supported"),
        ("System.Reflection.", "reflection is not supported"),
        ("System.Security.", "security is not supported"),
        ("System.Runtime.Remoting.", "remoting is not supported"),
        ("System.Runtime.Serialization.", "serialisation is not supported"),
        ("System.Runtime.InteropServices.", "native code is not supported"),
        ("System.Diagnostics.Tracing.", "tracing is not supported"),
        ("System.Diagnostics.StackTrace.", "stack traces are not supported"),
        ("System.Diagnostics.StackFrame.", "stack traces are not supported"),
        ("System.Diagnostics.Stopwatch.", "time is not supported"),
        ("System.Diagnostics.Process.", "processes are not supported"),
        ("System.Diagnostics.Trace", "tracing is not supported"),
        ("System.Resources.", "resources are not supported"),
        ("System.AppDomain.", "application domains are not supported"),
        ("System.RuntimeType.", "reflection is not supported"),
        ("System.Type.", "reflection is not supported"),
        ("System.Enum.", "reflection is not supported"),
        ("System.DateTime", "time is not supported"),
        ("System.TimeZone", "time is not supported"),
        ("System.Number", "formatting is not supported"),
        ("System.Console.", "input is not supported"),
        ("System.Threading.Timer", "timers are not supported"),
        ("System.Threading.Thread.", "this of threads is not supported"),
        ("System.Activator.", "reflection is not supported"),
        ("Mono.", "this part of mono is not supported"),
    ];
    OUTSIDE.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, why)| *why)
}

/// Types whose static constructor only sets up what natives stand for.
pub fn needs_no_cctor(name: &str) -> bool {
    ["System.Threading.Thread.", "System.Console.", "System.Environment."].iter().any(|p| name.starts_with(p))
}

/// What a module declares that asks how many processors there are.
const ONE_PROCESSOR: &str = "__dotnet_one_processor";

const FULL: Mode = Mode::Sc;

/// The length that says of a string that nobody knows what it says.
const UNKNOWN: u32 = u32::MAX;

impl Body<'_> {
    /// The body of a native method, where it is called by its address.
    pub fn native_body(&mut self, name: &str) -> Result<bool, CompileError> {
        let (method, sig) = (self.method.clone(), self.sig.clone());
        let count = sig.params.len() + sig.has_this as usize;
        let mut vals = Vec::new();
        for number in 0..count {
            vals.push(self.arg(number)?);
        }
        if !self.native_call(name, &method, &sig, &vals)? {
            return Ok(false);
        }
        let mut values = vec![Operand::Const(0)];
        if !matches!(self.lower.world.types.kind(sig.result), Kind::Void) {
            values.extend(self.pop()?.parts);
        }
        self.b.push(Instr::Return { values });
        Ok(true)
    }

    /// A call of something that the runtime implements; whether it is.
    pub fn native_call(
        &mut self,
        name: &str,
        method: &Method,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let Some((class, member)) = name.rsplit_once('.').map(|(c, m)| (c.trim_end_matches('.'), m)) else {
            return Ok(false);
        };
        let member = if name.ends_with("..ctor") { ".ctor" } else { member };
        match class {
            "System.Threading.Interlocked" => self.interlocked(member, sig, vals),
            "System.Threading.Volatile" => self.volatile_access(member, sig, vals),
            "System.Threading.Monitor" => self.monitor(member, sig, vals),
            "System.Threading.Thread" => self.thread(member, sig, vals),
            "System.Threading.SpinWait" => self.spin_wait(member),
            "System.Threading.EventWaitHandle" | "System.Threading.WaitHandle" => {
                self.wait_handle(member, sig, vals)
            }
            "System.Threading.ThreadPool" => self.thread_pool(member, sig, vals),
            "System.Diagnostics.Debug"
            | "System.Diagnostics.Trace"
            | "System.Diagnostics.Contracts.Contract" => self.debug(member, vals),
            "System.Console" if matches!(member, "WriteLine" | "Write") => Ok(true),
            "System.Threading.PlatformHelper" if member == "get_ProcessorCount" => {
                self.lower.native(ONE_PROCESSOR, 0, 0);
                self.push(Val::int(1));
                Ok(true)
            }
            "System.Threading.PlatformHelper" if member == "get_IsSingleProcessor" => {
                self.lower.native(ONE_PROCESSOR, 0, 0);
                self.push(Val::int(1));
                Ok(true)
            }
            "System.Environment" => self.environment(member, vals),
            "System.String" => self.string(member, sig, vals),
            "System.Object" => self.object(member, sig, vals),
            "System.Exception" => self.exception(member, sig, vals),
            "System.Array" => self.array(member, vals),
            "System.Delegate" => self.delegate(member, vals),
            "System.Activator" if member == "CreateInstance" && method.args.len() == 1 => {
                self.create_instance(method.args[0])
            }
            "System.Collections.Generic.EqualityComparer`1" if member == "CreateComparer" => {
                self.comparer(method, "IEquatable`1", "GenericEqualityComparer`1", "ObjectEqualityComparer`1")
            }
            "System.Collections.Generic.Comparer`1" if member == "CreateComparer" => {
                self.comparer(method, "IComparable`1", "GenericComparer`1", "ObjectComparer`1")
            }
            "System.Runtime.CompilerServices.RuntimeHelpers" => self.helpers(member, method, vals),
            "System.GC" if matches!(member, "SuppressFinalize" | "KeepAlive" | "ReRegisterForFinalize") => {
                Ok(true)
            }
            "System.Type" if member == "GetTypeFromHandle" => {
                self.push_copy(vals[0].clone());
                Ok(true)
            }
            "System.Threading.ExecutionContext" if matches!(member, "Capture" | "FastCapture") => {
                self.push_prim(Prim::Ptr, Operand::Const(0));
                Ok(true)
            }
            // Nothing flows from one thread to another: what is to run in a context just runs.
            "System.Threading.ExecutionContext"
                if matches!(member, "Run" | "RunInternal") && vals.len() >= 3 =>
            {
                let (target, code) = self.lower.delegate_parts()?;
                let (object, function, at) = (self.scratch(8), self.scratch(9), self.scratch(1));
                self.null_check(&vals[1])?;
                for (dst, by) in [(object, target), (function, code)] {
                    self.b.offset(at, vals[1].one(), by as i64);
                    self.b.load(dst, Operand::Reg(at), 8, Mode::Na);
                }
                let args = vec![Operand::Reg(object), vals[2].one()];
                self.emit_call(Operand::Reg(function), args, sig.result)?;
                Ok(true)
            }
            "System.Threading.ExecutionContext" if member == "EstablishCopyOnWriteScope" => Ok(true),
            "System.Threading.ExecutionContextSwitcher" if member == "Undo" => Ok(true),
            "System.Threading.SynchronizationContext"
                if matches!(member, "get_Current" | "get_CurrentNoFlow" | "GetThreadLocalContext") =>
            {
                self.push_prim(Prim::Ptr, Operand::Const(0));
                Ok(true)
            }
            // What numbers look like is not known.
            _ if member == "ToString" && class.starts_with("System.") && PRINTED.contains(&&class[7..]) => {
                self.unknown_string()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

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

    fn interlocked(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        if matches!(member, "MemoryBarrier" | "SpeculationBarrier") {
            self.b.push(Instr::Fence { mode: FULL });
            return Ok(true);
        }
        if member == "MemoryBarrierProcessWide" || sig.params.is_empty() {
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

    fn volatile_access(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
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
    fn library(&mut self, name: &'static str, args: Vec<Operand>, results: u32) -> Operand {
        let native = self.lower.native(name, args.len() as u32, results);
        let dst = self.b.reg();
        self.b.call((results > 0).then_some(dst), native, args, results);
        Operand::Reg(dst)
    }

    fn flag_at(&mut self, val: &Val, flag: Operand) {
        self.b.store(val.one(), flag, 1, Mode::Na);
    }

    fn monitor(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
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
        if self.lower.literal(object.one()).is_some() {
            return self.refuse("the monitor of a string constant is not supported");
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
    fn milliseconds(&mut self, sig: &Sig, vals: &[Val], n: usize) -> Result<Operand, CompileError> {
        let first = vals.len() - sig.params.len();
        let Some(ty) = sig.params.get(n - first) else { return Ok(Operand::Const(u32::MAX as u64)) };
        match self.lower.world.types.kind(*ty).clone() {
            Kind::I4 => Ok(vals[n].one()),
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

    fn thread(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        const THREAD: &str = "System.Threading.Thread";
        let at = |body: &mut Self, field: &str| {
            let by = body.lower.field_of(THREAD, field)?;
            Ok::<_, CompileError>(body.at(vals[0].one(), by, 1))
        };
        match member {
            ".ctor" => {
                let place = at(self, "m_Delegate")?;
                self.b.store(place, vals[1].one(), 8, Mode::Na);
            }
            "Start" => {
                self.null_check(&vals[0])?;
                if vals.len() > 1 {
                    let place = at(self, "m_ThreadStartArg")?;
                    self.b.store(place, vals[1].one(), 8, Mode::Na);
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
            "set_Name"
            | "set_IsBackground"
            | "set_Priority"
            | "BeginCriticalRegion"
            | "EndCriticalRegion"
            | "BeginThreadAffinity"
            | "EndThreadAffinity"
            | "DisableComObjectEagerCleanup" => {}
            "get_IsThreadPoolThread" | "get_IsBackground" => self.push(Val::int(0)),
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
    fn spin_wait(&mut self, member: &str) -> Result<bool, CompileError> {
        match member {
            "SpinOnce" | "Reset" if self.spins_unseen => {
                self.library("sched_yield", Vec::new(), 1);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Events: whether one is set is the lowest bit of a word, and whether it stays set the next one.
    fn wait_handle(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
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
                let time = self.milliseconds(sig, vals, 1)?;
                let at = place(self);
                let got = self.library("__dotnet_wait_one", vec![at, time], 1);
                self.push_copy(Val::prim(Prim::I4, got));
            }
            "Close" | "Dispose" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn thread_pool(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
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
                        self.b.store(at, val.one(), 8, Mode::Na);
                    }
                }
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

    fn debug(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        let fail = |body: &mut Self, message: Option<&Val>| {
            let said = message.and_then(|val| body.lower.literal(val.one()));
            let text = said.unwrap_or_else(|| String::from("Debug.Assert"));
            let text = body.lower.text(&text);
            let native = body.lower.native("__assert_fail", 1, 0);
            body.b.call(None, native, vec![Operand::Global(text, 0)], 0);
            body.b.push(Instr::Unreachable);
        };
        match member {
            "Assert" => {
                let (fine, wrong) = (self.b.label(), self.b.label());
                self.b.branch(vals[0].one(), fine, wrong);
                self.b.set(wrong);
                fail(self, vals.get(1));
                self.b.set(fine);
            }
            "Fail" => {
                fail(self, vals.first());
                let after = self.b.label();
                self.b.set(after);
            }
            "WriteLine" | "Write" | "WriteIf" | "WriteLineIf" | "Print" | "Flush" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn environment(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "get_ProcessorCount" => {
                self.lower.native(ONE_PROCESSOR, 0, 0);
                self.push(Val::int(1));
            }
            // Time stands still: whether a limit is over is asked where a thread waits.
            "get_TickCount" => self.push(Val::int(0)),
            "get_HasShutdownStarted" => self.push(Val::int(0)),
            // The texts of the class library are their names.
            "GetResourceString"
            | "GetRuntimeResourceString"
            | "GetResourceFromDefault"
            | "GetResourceStringLocal" => {
                self.push_copy(Val { some: true, ..vals[0].clone() });
            }
            "get_NewLine" => {
                let text = self.lower.string(&[10])?;
                self.push(Val::object(Operand::Global(text, 0)));
            }
            "get_CurrentManagedThreadId" => {
                let id = self.library("__selvedge_self", Vec::new(), 1);
                self.push_copy(Val::prim(Prim::I4, id));
            }
            "Exit" => {
                self.library("exit", vec![vals[0].one()], 0);
            }
            "FailFast" => {
                let said =
                    self.lower.literal(vals[0].one()).unwrap_or_else(|| String::from("Environment.FailFast"));
                let text = self.lower.text(&said);
                let native = self.lower.native("selvedge_error", 1, 0);
                self.b.call(None, native, vec![Operand::Global(text, 0)], 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A string whose contents are not known; looking at them is not supported.
    fn unknown_string(&mut self) -> Result<(), CompileError> {
        let id = self.lower.unknown_string()?;
        self.push(Val::object(Operand::Global(id, 0)));
        Ok(())
    }

    /// Refuses to look at what a string says that nobody knows.
    pub fn known_string(&mut self, length: Operand) {
        let (is, fine, wrong) = (self.scratch(4), self.b.label(), self.b.label());
        self.b.cmp(CmpOp::Eq, 32, is, length, Operand::Const(UNKNOWN as u64));
        self.b.branch(Operand::Reg(is), wrong, fine);
        self.b.set(wrong);
        self.b.unsupported("the contents of a string that was put together: texts are not followed");
        self.b.set(fine);
    }

    fn string(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "Concat" | "Format" | "Join" | "ToString"
                if sig.result == self.lower.world.types.intern(Kind::String) =>
            {
                match (member, vals) {
                    ("ToString", [this]) => self.push_copy(this.clone()),
                    _ => self.unknown_string()?,
                }
            }
            "get_Length" | "get_Chars" => {
                self.null_check(&vals[0])?;
                let length = self.b.reg();
                let at = self.at(vals[0].one(), HEADER, 1);
                self.b.load(length, at, 4, Mode::Na);
                self.known_string(Operand::Reg(length));
                if member == "get_Length" {
                    self.give(Prim::I4, length);
                    return Ok(true);
                }
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Uge, 32, is, vals[1].one(), Operand::Reg(length));
                self.throw_if(Operand::Reg(is), "System.IndexOutOfRangeException");
                let addr = self.scratch(0);
                let (base, index) = (vals[0].one(), vals[1].one());
                self.b.push(Instr::Offset { dst: addr, base, index, scale: 2, within: false });
                self.b.offset(addr, Operand::Reg(addr), HEADER as i64 + 4);
                self.b.load(length, Operand::Reg(addr), 2, Mode::Na);
                self.give(Prim::I4, length);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn object(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            ".ctor" | "Finalize" => {}
            "Equals" if !sig.has_this => return Ok(false),
            "ReferenceEquals" | "Equals" => {
                let is = self.b.reg();
                self.b.cmp(CmpOp::Eq, 64, is, vals[0].one(), vals[1].one());
                self.give(Prim::I4, is);
            }
            // Any number will do.
            "GetHashCode" | "InternalGetHashCode" => self.push(Val::int(1)),
            "ToString" => self.unknown_string()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn exception(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            ".ctor" if vals.len() <= 3 => {
                let string = self.lower.world.types.intern(Kind::String);
                if sig.params.first().is_some_and(|ty| *ty != string) {
                    return Ok(false);
                }
                for (val, field) in vals[1..].iter().zip(["_message", "_innerException"]) {
                    let by = self.lower.field_of("System.Exception", field)?;
                    let at = self.at(vals[0].one(), by, 1);
                    self.b.store(at, val.one(), 8, Mode::Na);
                }
            }
            "Init" => {}
            "GetClassName" | "ToString" => self.unknown_string()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "get_Length" | "GetLength" | "get_LongLength" => {
                self.null_check(&vals[0])?;
                let length = self.length(vals[0].one())?;
                let kind = if member == "get_LongLength" { Prim::I8 } else { Prim::I4 };
                self.push_copy(Val::prim(kind, length));
            }
            "GetLowerBound" => self.push(Val::int(0)),
            "get_Rank" => self.push(Val::int(1)),
            "Copy" => {
                let int = |n: usize| vals[n].one();
                let (from, at, to, by, count) = match vals.len() {
                    3 => (int(0), Operand::Const(0), int(1), Operand::Const(0), int(2)),
                    _ => (int(0), int(1), int(2), int(3), int(4)),
                };
                self.library("__dotnet_copy", vec![from, at, to, by, count], 0);
            }
            "Clear" if vals.len() == 3 => {
                self.library("__dotnet_clear", vals.iter().map(Val::one).collect(), 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn delegate(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        match (member, vals) {
            ("Combine", [a, b]) => {
                let (both, one) = (self.b.label(), self.b.label());
                let out = self.b.reg();
                let second = self.b.label();
                self.b.set_to(out, b.one());
                self.b.branch(a.one(), second, one);
                self.b.set(second);
                self.b.set_to(out, a.one());
                self.b.branch(b.one(), both, one);
                self.b.set(both);
                self.b.unsupported("a delegate of several methods");
                self.b.set(one);
                self.give(Prim::Ptr, out);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn helpers(&mut self, member: &str, method: &Method, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "InitializeArray" => {
                self.library("__dotnet_initialize", vals.iter().map(Val::one).collect(), 0);
            }
            "get_OffsetToStringData" => self.push(Val::int(HEADER as i32 + 4)),
            "GetHashCode" => self.push(Val::int(1)),
            "PrepareConstrainedRegions"
            | "EnsureSufficientExecutionStack"
            | "PrepareDelegate"
            | "ProbeForSufficientStack" => {}
            "IsReferenceOrContainsReferences" => {
                let Some(ty) = method.args.first() else { return Ok(false) };
                let leaves = self.leaves(*ty)?;
                // Native integers count as references here: what depends on it is only what is cleared.
                let has = leaves.iter().any(|(_, prim)| *prim == Prim::Ptr);
                self.push(Val::int(has as i32));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How values of a type are compared: by themselves if they can, else as objects.
    fn comparer(&mut self, method: &Method, by: &str, own: &str, other: &str) -> Result<bool, CompileError> {
        let Some((_, args)) = self.lower.world.def_of(method.owner) else { return Ok(false) };
        let Some(ability) = self.lower.world.corlib_type(&format!("System.{by}")) else { return Ok(false) };
        let ability = self.lower.world.instance(ability, args.clone());
        let can = self.lower.is_a(args[0], ability)? == super::dispatch::Is::Yes;
        let name = format!("System.Collections.Generic.{}", if can { own } else { other });
        let Some(def) = self.lower.world.corlib_type(&name) else { return Ok(false) };
        let class = self.lower.world.instance(def, args);
        self.create_instance(class)
    }

    /// `new T()`.
    fn create_instance(&mut self, ty: Ty) -> Result<bool, CompileError> {
        if self.lower.layouts.is_value(&mut self.lower.world, ty)? {
            let leaves = self.leaves(ty)?;
            let shape = self.shape(ty)?;
            self.push(Val { shape, parts: vec![Operand::Const(0); leaves.len()], some: false, note: 0 });
            return Ok(true);
        }
        let Some(ctor) = self.lower.world.method_named(ty, ".ctor", 0)? else { return Ok(false) };
        let size = self.lower.layouts.of(&mut self.lower.world, ty)?.size;
        let object = self.b.reg();
        self.allocate(ty, Operand::Const(size as u64), object)?;
        let function = self.lower.method_function(&ctor)?;
        let nothing = self.lower.world.types.intern(Kind::Void);
        self.emit_call(Operand::Func(function), vec![Operand::Reg(object)], nothing)?;
        self.push_copy(Val::object(Operand::Reg(object)));
        Ok(true)
    }
}

/// Types whose `ToString` is not followed.
const PRINTED: [&str; 14] = [
    "Int32",
    "UInt32",
    "Int64",
    "UInt64",
    "Int16",
    "UInt16",
    "Byte",
    "SByte",
    "Char",
    "Single",
    "Double",
    "Enum",
    "ValueType",
    "TimeSpan",
];

impl Lower {
    /// What a constant string says.
    fn literal(&self, operand: Operand) -> Option<String> {
        let Operand::Global(id, 0) = operand else { return None };
        let (text, _) = self.strings.iter().find(|(_, known)| **known == id)?;
        Some(String::from_utf16_lossy(text))
    }

    fn unknown_string(&mut self) -> Result<selvedge_ir::GlobalId, CompileError> {
        // No text is of this kind: half of a pair, alone.
        let id = self.string(&[0xd800])?;
        let global = &mut self.module.globals[id.0 as usize];
        // It has a length that nobody takes for one, and no characters.
        global.bytes.truncate(HEADER as usize);
        global.bytes.extend(UNKNOWN.to_le_bytes());
        global.size = global.bytes.len() as u64;
        Ok(id)
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
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        b.set(failed);
        self.unhandled(&mut b, exc)?;
        Ok(b.finish(String::from("thread"), vec![thread], 1, Place::default()))
    }

    /// Where a work item of the thread pool begins.
    pub(super) fn pool_entry(&mut self) -> Result<selvedge_ir::Function, CompileError> {
        let mut b = super::Builder::default();
        let (item, exc, failed) = (b.reg(), b.reg(), b.label());
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
