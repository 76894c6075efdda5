//! What the runtime implements: methods that have no body in the class library, or one that ends in the
//! runtime.
//!
//! They are written where they are called, so that reports name the line of the call.

use super::Lower;
use super::body::Body;
use super::stack::Val;
use super::texts::PRINTED;
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::{Method, Sig};
use selvedge_graph::Mode;
use selvedge_ir::{CmpOp, Instr, Operand};

/// What a module declares that asks how many processors there are.
const ONE_PROCESSOR: &str = "__dotnet_one_processor";

pub const FULL: Mode = Mode::Sc;

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
        // A program may have classes of any name: they are its own.
        if method.def.assembly == 0 {
            return Ok(false);
        }
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
            "System.Array" => self.array(member, &method.args, vals),
            "System.Text.StringBuilder" if member == "AppendSpanFormattable" => {
                self.append_number(method, sig, vals)
            }
            "System.Delegate" => self.delegate(member, vals),
            "System.Activator" if member == "CreateInstance" && method.args.len() == 1 => {
                self.create_instance(method.args[0])
            }
            "System.Lazy`1" if member == "CreateViaDefaultConstructor" => {
                let made = self.lower.world.def_of(method.owner).and_then(|(_, args)| args.first().copied());
                match made {
                    Some(made) => self.create_instance(made),
                    None => Ok(false),
                }
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
            // What exceptions say.
            "SR" if matches!(member, "Format" | "GetString") => {
                self.unknown_string()?;
                Ok(true)
            }
            "System.Threading.ExecutionContext" if member == "IsFlowSuppressed" => {
                self.push(Val::int(0));
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
            "System.Type" | "System.RuntimeType" => self.of_type(member, sig, vals),
            "System.Enum" => self.enumeration(member, sig, vals),
            "System.ValueType" if member != "ToString" => self.value_type(member, sig, vals),
            "System.Buffer" => self.buffer(member, &method.args, vals),
            // Nobody listens.
            "System.Diagnostics.Tracing.EventSource"
            | "System.Diagnostics.StackTrace"
            | "System.Diagnostics.StackFrame"
            | "System.Threading.Tasks.TplEtwProvider" => {
                let result = sig.result;
                self.nothing(result)
            }
            // The clock stands still.
            "System.Diagnostics.Stopwatch" if member == "GetTimestamp" => self.ticks(sig.result),
            "System.DateTime" if matches!(member, "get_Now" | "get_UtcNow" | "get_Today") => {
                self.ticks(sig.result)
            }
            "System.Threading.Timer" => self.timer(member, sig, vals),
            // Cultures: there is one, of which nothing is known but how it has numbers.
            "System.Globalization.CultureInfo"
                if matches!(
                    member,
                    "get_InvariantCulture" | "get_CurrentCulture" | "get_CurrentUICulture"
                ) =>
            {
                let culture = self.lower.culture()?;
                self.push(Val::object(Operand::Global(culture, 0)));
                Ok(true)
            }
            "System.Globalization.NumberFormatInfo"
                if matches!(member, "get_CurrentInfo" | "get_InvariantInfo") =>
            {
                match self.lower.corlib_class("System.Globalization.NumberFormatInfo") {
                    Some(class) => self.create_instance(class),
                    None => Ok(false),
                }
            }
            "System.Globalization.NumberFormatInfo" if member == "GetInstance" => {
                let culture = self.lower.culture()?;
                let given = vals[0].one();
                if given != Operand::Const(0) && given != Operand::Global(culture, 0) {
                    return Ok(false);
                }
                match self.lower.corlib_class("System.Globalization.NumberFormatInfo") {
                    Some(class) => self.create_instance(class),
                    None => Ok(false),
                }
            }
            "System.HashCode" if member == "GenerateGlobalSeed" => self.nothing(sig.result),
            "System.Console" if matches!(member, "get_Out" | "get_Error") => {
                let console = self.lower.console()?;
                self.push(Val::object(Operand::Global(console, 0)));
                Ok(true)
            }
            "System.Console" if matches!(member, "SetOut" | "SetError" | "Beep" | "Flush") => Ok(true),
            // A reference in a structure: what compilers make of it is not in its bytecode.
            "System.ByReference`1" => {
                match (member, vals) {
                    (".ctor", [this, to]) => self.b.store(this.one(), to.one(), 8, Mode::Na),
                    ("get_Value", [this]) => {
                        let to = self.b.reg();
                        self.b.load(to, this.one(), 8, Mode::Na);
                        self.push_copy(Val::object(Operand::Reg(to)));
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            }
            "System.Runtime.CompilerServices.JitHelpers" if vals.len() == 1 => {
                let val = self.fitted(vals[0].clone(), sig.result, 2)?;
                let shape = self.shape(sig.result)?;
                self.push_copy(Val { shape, ..val });
                Ok(true)
            }
            "System.Math" | "System.MathF" => self.mathematics(member, vals),
            "System.Threading.Tasks.Task" if member == "Delay" => self.delay(method, sig),
            "System.Threading.Mutex" => self.mutex(member, sig, vals),
            "System.Threading.Semaphore" => self.semaphore(member, sig, vals),
            _ if member == "ToString" && class.starts_with("System.") && PRINTED.contains(&&class[7..]) => {
                self.printed(&class[7..], sig, vals)
            }
            _ => Ok(false),
        }
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
            "get_TickCount" => self.tick_count(),
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

    fn object(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            ".ctor" | "Finalize" => {}
            "Equals" if !sig.has_this => return Ok(false),
            "ReferenceEquals" | "Equals" => {
                self.same_string(vals[0].one(), vals[1].one());
                let is = self.b.reg();
                self.b.cmp(CmpOp::Eq, 64, is, vals[0].one(), vals[1].one());
                self.give(Prim::I4, is);
            }
            "GetHashCode" | "InternalGetHashCode" => self.identity(&vals[0])?,
            // The name of its type.
            "ToString" => {
                self.type_of_object(&vals[0])?;
                let ty = self.pop()?;
                return self.of_type("ToString", sig, &[ty]);
            }
            "GetType" => self.type_of_object(&vals[0])?,
            "MemberwiseClone" => {
                let copy = self.library("__dotnet_clone", vec![vals[0].one()], 1);
                self.push_copy(Val::object(copy));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A number for an object, which others may have, too.
    fn identity(&mut self, object: &Val) -> Result<(), CompileError> {
        let (out, some, none) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.set_to(out, Operand::Const(0));
        self.b.branch(object.one(), some, none);
        self.b.set(some);
        let number = self.library("__selvedge_identity", vec![object.one()], 1);
        self.b.set_to(out, number);
        self.b.jump(none);
        self.b.set(none);
        self.give(Prim::I4, out);
        Ok(())
    }

    fn type_of_object(&mut self, object: &Val) -> Result<(), CompileError> {
        self.null_check(object)?;
        let function = self.lower.late(super::Key::GetType)?;
        let ty = self.b.reg();
        self.b.call(Some(ty), function, vec![object.one()], 1);
        self.push_copy(Val::object(Operand::Reg(ty)));
        Ok(())
    }

    /// 0, or whatever is all zero.
    fn nothing(&mut self, ty: Ty) -> Result<bool, CompileError> {
        if !matches!(self.lower.world.types.kind(ty), Kind::Void) {
            let count = self.leaves(ty)?.len();
            let shape = self.shape(ty)?;
            self.push(Val { shape, parts: vec![Operand::Const(0); count], some: false, note: 0 });
        }
        Ok(true)
    }

    /// Calls that are never virtual here, however the class library has them: of types, and of what
    /// the console prints.
    pub(super) fn always_native(
        &mut self,
        name: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        if let Some(member) = name.strip_prefix("System.IO.TextWriter.") {
            let console = self.lower.console_made();
            if console.is_some_and(|id| vals.first().map(Val::one) == Some(Operand::Global(id, 0)))
                && (member.starts_with("Write") || member == "Flush")
                && matches!(self.lower.world.types.kind(sig.result), Kind::Void)
            {
                return Ok(true);
            }
        }
        let member = name.strip_prefix("System.Type.").or(name.strip_prefix("System.Reflection.MemberInfo."));
        match member {
            Some(member) => self.of_type(member, sig, vals),
            None => Ok(false),
        }
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
                    self.b.store_reference(at, val.one(), Mode::Na);
                }
            }
            "Init" => {}
            "GetClassName" | "ToString" | "get_StackTrace" => self.unknown_string()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array(&mut self, member: &str, args: &[Ty], vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            // Whoever calls these has looked at the index.
            "GetGenericValueImpl" | "SetGenericValueImpl" if args.len() == 1 => {
                let addr = self.element(args[0], &vals[0], &vals[1])?;
                let (place, own) = (self.b.reg(), vals[2].one());
                self.b.set_to(place, addr);
                let (from, to) = match member {
                    "GetGenericValueImpl" => (Operand::Reg(place), own),
                    _ => (own, Operand::Reg(place)),
                };
                self.load_value(args[0], from, Mode::Na, 0)?;
                let val = self.pop()?;
                self.store_value(args[0], to, &val, Mode::Na, 0)?;
            }
            "GetLength" | "GetUpperBound" => {
                self.null_check(&vals[0])?;
                let length = self.library("__dotnet_dimension", vec![vals[0].one(), vals[1].one()], 1);
                let is = self.scratch(5);
                self.b.cmp(CmpOp::Eq, 32, is, length, Operand::Const(u32::MAX as u64));
                self.throw_if(Operand::Reg(is), "System.IndexOutOfRangeException");
                let out = self.b.reg();
                let less = if member == "GetUpperBound" { u32::MAX as u64 } else { 0 };
                self.b.bin(selvedge_ir::BinOp::Add, 32, out, length, Operand::Const(less));
                self.give(Prim::I4, out);
            }
            "get_Length" | "get_LongLength" => {
                self.null_check(&vals[0])?;
                let length = self.length(vals[0].one())?;
                let kind = if member == "get_LongLength" { Prim::I8 } else { Prim::I4 };
                self.push_copy(Val::prim(kind, length));
            }
            // The library gets at elements by a class of the same shape as its arrays, not as ours.
            "GetRawSzArrayData" | "GetRawArrayData" => {
                self.null_check(&vals[0])?;
                let first = self.b.reg();
                self.b.offset(first, vals[0].one(), HEADER as i64);
                self.give(Prim::Ptr, first);
            }
            "GetLowerBound" => self.push(Val::int(0)),
            "get_Rank" => {
                self.null_check(&vals[0])?;
                let rank = self.library("__dotnet_rank", vec![vals[0].one()], 1);
                self.push_copy(Val::prim(Prim::I4, rank));
            }
            "Copy" => {
                let int = |n: usize| vals[n].one();
                let (from, at, to, by, count) = match vals.len() {
                    3 => (int(0), Operand::Const(0), int(1), Operand::Const(0), int(2)),
                    _ => (int(0), int(1), int(2), int(3), int(4)),
                };
                self.check_copy(from, at, to, by, count)?;
                self.library("__dotnet_copy", vec![from, at, to, by, count], 0);
            }
            "Clear" if vals.len() == 3 => {
                self.check_clear(vals[0].one(), vals[1].one(), vals[2].one())?;
                self.library("__dotnet_clear", vals.iter().map(Val::one).collect(), 0);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn delegate(&mut self, member: &str, vals: &[Val]) -> Result<bool, CompileError> {
        let (target, code) = self.lower.delegate_parts()?;
        match (member, vals) {
            // One of several methods is its own object: what it calls finds the others there.
            ("AllocDelegateLike_internal", [like]) => {
                let made = self.library("__selvedge_new_like", vec![like.one()], 1);
                let function = self.lower.late(super::Key::Multicast)?;
                let all = self.b.reg();
                self.b.call(Some(all), function, vec![like.one()], 1);
                for (by, val) in [(target, made), (code, Operand::Reg(all))] {
                    let at = self.at(made, by, 1);
                    self.b.store(at, val, 8, Mode::Na);
                }
                self.push_copy(Val::object(made));
            }
            // The same method of the same object; lists of several are compared by who asks.
            ("Equals", [a, b]) => {
                let (out, is, x, y) = (self.b.reg(), self.b.reg(), self.b.reg(), self.b.reg());
                let (ask, done, own) = (self.b.label(), self.b.label(), self.b.label());
                self.b.set_to(out, Operand::Const(0));
                self.b.branch(b.one(), ask, done);
                self.b.set(ask);
                let class = self.lower.corlib_class("System.Delegate");
                let Some(class) = class else { return Ok(false) };
                let test = self.lower.function(super::Key::IsInst(class))?;
                self.b.call(Some(is), test, vec![b.one()], 1);
                let of_kind = self.b.label();
                self.b.branch(Operand::Reg(is), of_kind, done);
                self.b.set(of_kind);
                for (dst, of) in [(x, a), (y, b)] {
                    self.b.offset(dst, of.one(), code as i64);
                    self.b.load(dst, Operand::Reg(dst), 8, Mode::Na);
                }
                self.b.cmp(CmpOp::Eq, 64, is, Operand::Reg(x), Operand::Reg(y));
                self.b.branch(Operand::Reg(is), own, done);
                self.b.set(own);
                for (dst, of) in [(x, a), (y, b)] {
                    self.b.offset(dst, of.one(), target as i64);
                    self.b.load(dst, Operand::Reg(dst), 8, Mode::Na);
                }
                self.b.cmp(CmpOp::Eq, 64, out, Operand::Reg(x), Operand::Reg(y));
                self.b.cmp(CmpOp::Eq, 64, is, Operand::Reg(x), a.one());
                self.b.bin(selvedge_ir::BinOp::Or, 64, out, Operand::Reg(out), Operand::Reg(is));
                self.b.jump(done);
                self.b.set(done);
                self.give(Prim::I4, out);
            }
            ("GetHashCode", [_]) => self.push(Val::int(1)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn helpers(&mut self, member: &str, method: &Method, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "InitializeArray" => {
                self.library("__dotnet_initialize", vals.iter().map(Val::one).collect(), 0);
            }
            "get_OffsetToStringData" => self.push(Val::int(HEADER as i32 + 4)),
            "GetHashCode" => self.identity(&vals[0])?,
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

impl Lower {
    /// What the console prints to, if somebody asked for it.
    fn console_made(&self) -> Option<selvedge_ir::GlobalId> {
        let at = self.module.globals.iter().position(|g| g.name == CONSOLE)?;
        Some(selvedge_ir::GlobalId(at as u32))
    }

    /// The culture that there is.
    fn culture(&mut self) -> Result<selvedge_ir::GlobalId, CompileError> {
        const CULTURE: &str = "CultureInfo.InvariantCulture";
        if let Some(at) = self.module.globals.iter().position(|g| g.name == CULTURE) {
            return Ok(selvedge_ir::GlobalId(at as u32));
        }
        let Some(class) = self.corlib_class("System.Globalization.CultureInfo") else {
            return crate::refuse("the class library has no cultures");
        };
        let tag = self.tag(class)?;
        let size = self.layouts.of(&mut self.world, class)?.size as usize;
        let mut bytes = vec![0; size];
        let at = crate::layout::TYPE;
        bytes[at..at + 8].copy_from_slice(&(tag as u64).to_le_bytes());
        Ok(self.global(String::from(CULTURE), bytes, false))
    }

    /// What the console prints to: the class library's writer that writes nothing.
    fn console(&mut self) -> Result<selvedge_ir::GlobalId, CompileError> {
        if let Some(made) = self.console_made() {
            return Ok(made);
        }
        let nested = self.world.corlib_type("System.IO.TextWriter").and_then(|outer| {
            let of = &self.world.assemblies[outer.assembly as usize];
            let row = of.nested_type(outer.row, "NullTextWriter")?;
            Some(crate::types::DefId { row, ..outer })
        });
        let Some(def) = nested else { return crate::refuse("the class library has no writer for nothing") };
        let class = self.world.instance(def, Vec::new());
        let tag = self.tag(class)?;
        let size = self.layouts.of(&mut self.world, class)?.size as usize;
        let mut bytes = vec![0; size];
        let at = crate::layout::TYPE;
        bytes[at..at + 8].copy_from_slice(&(tag as u64).to_le_bytes());
        Ok(self.global(String::from(CONSOLE), bytes, false))
    }
}

const CONSOLE: &str = "Console.Out";
