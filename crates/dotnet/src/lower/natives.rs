//! What the runtime implements: methods that have no body in the class library, or one that ends in the
//! runtime.
//!
//! They are written where they are called, so that reports name the line of the call.

use super::Lower;
use super::body::Body;
use super::stack::Val;
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::{Method, Sig};
use selvedge_graph::Mode;
use selvedge_ir::{CmpOp, Instr, Operand};

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

pub const FULL: Mode = Mode::Sc;

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
            // The library gets at elements by a class of the same shape as its arrays, not as ours.
            "GetRawSzArrayData" | "GetRawArrayData" => {
                self.null_check(&vals[0])?;
                let first = self.b.reg();
                self.b.offset(first, vals[0].one(), HEADER as i64);
                self.give(Prim::Ptr, first);
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
    pub fn literal(&self, operand: Operand) -> Option<String> {
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
}
