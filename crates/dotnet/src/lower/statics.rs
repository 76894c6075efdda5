//! Static fields and static constructors.
//!
//! A type marked `beforefieldinit` may be initialised at any time before the first access of a static field
//! (ECMA-335 I.8.9.5): all such types are, before the program begins, each after those that its constructor
//! may need, where nobody can tell. So no thread ever has to ask. Others are initialised at their first
//! use, by one thread while the others wait, as runtimes do it: those whose constructor looks at what the
//! program changes, starts threads, throws, or can come to something that is not supported.

use super::body::Body;
use super::build::Builder;
use super::{Key, Lower};
use crate::CompileError;
use crate::types::Ty;
use crate::world::{BEFORE_FIELD_INIT, Field, Method, STATIC};
use selvedge_cil::{Table, Token};
use selvedge_graph::Mode;
use selvedge_ir::{CmpOp, FuncId, GlobalId, Instr, Operand, Place};
use std::collections::{BTreeMap, HashSet};

impl Lower {
    /// Where a static field is.
    pub fn static_global(&mut self, field: Field) -> Result<GlobalId, CompileError> {
        if let Some(known) = self.statics.get(&field) {
            return Ok(*known);
        }
        let ty = self.world.field_type(field)?;
        let (size, _) = self.layouts.size(&mut self.world, ty)?;
        let of = &self.world.assemblies[field.def.assembly as usize];
        let attributes = of.attributes(Token::new(Table::Field, field.def.row))?;
        let own = attributes.iter().any(|(name, _)| name == "System.ThreadStaticAttribute");
        let mut bytes = vec![0; size.max(1) as usize];
        if let Some(data) = of.field_data(field.def.row)? {
            let len = bytes.len().min(data.len());
            bytes[..len].copy_from_slice(&data[..len]);
        }
        let name = format!("{}.{}", self.world.name(field.owner), self.world.field_name(field));
        // The runtime itself gives this one its value.
        let is_empty = name == "System.String.Empty";
        let id = self.global(name, bytes, false);
        self.module.globals[id.0 as usize].thread_local = own;
        if is_empty {
            let text = self.string(&[])?;
            self.module.globals[id.0 as usize].addresses.push((0, Operand::Global(text, 0)));
        }
        self.statics.insert(field, id);
        Ok(id)
    }

    /// The function that initialises a type before its first use, if there is anything to do.
    pub fn ensure(&mut self, ty: Ty) -> Result<Option<FuncId>, CompileError> {
        let key = Key::Ensure(ty);
        if let Some(known) = self.keys.get(&key) {
            return Ok(Some(*known));
        }
        let Some(cctor) = self.world.method_named(ty, ".cctor", 0)? else { return Ok(None) };
        if super::outside::needs_no_cctor(&self.world.native_name(&cctor)) {
            return Ok(None);
        }
        let function = self.function(key)?;
        let cctor = self.method_function(&cctor)?;
        if self.may_fail(ty)
            && let Some(class) = self.corlib_class(FAILED)
        {
            self.tag(class)?;
        }
        self.initialised.push((ty, function, cctor));
        Ok(Some(function))
    }

    fn is_early(&self, ty: Ty) -> Result<bool, CompileError> {
        match self.owner_def(ty) {
            Some(def) => Ok(self.world.flags(def)? & BEFORE_FIELD_INIT != 0),
            None => Ok(true),
        }
    }

    /// What comes before a call of a static method, of a constructor, also of a base class, and of any
    /// method of a value type (ECMA-335 I.8.9.5).
    pub fn ensure_for_call(&mut self, method: &Method) -> Result<Option<FuncId>, CompileError> {
        let flags = self.world.method_flags(method.def)?;
        let name = self.world.method_name(method.def)?;
        let (uses, runs) = (flags & STATIC != 0 || name == ".ctor", name == ".cctor");
        if runs || self.is_early(method.owner)? {
            return Ok(None);
        }
        let used = uses || self.layouts.is_value(&mut self.world, method.owner)?;
        if used { self.ensure(method.owner) } else { Ok(None) }
    }

    /// Writes the functions that initialise types. Returns static constructors that run first, in order.
    pub(super) fn write_ensures(&mut self) -> Result<Vec<FuncId>, CompileError> {
        let calls = self.call_graph();
        let refuses: HashSet<FuncId> = (0..self.module.functions.len() as u32)
            .map(FuncId)
            .filter(|f| {
                let code = &self.module.functions[f.0 as usize].code;
                // One that has nothing to do but to refuse counts; others may have ways around.
                matches!(code.first(), Some(Instr::Unsupported { .. }))
            })
            .collect();
        let mut early: BTreeMap<FuncId, FuncId> = BTreeMap::new();
        let mut circular: HashSet<FuncId> = HashSet::new();
        let all = self.initialised.clone();
        // By what stands for a type, what its constructor can come to.
        let mut reach: BTreeMap<FuncId, HashSet<FuncId>> = BTreeMap::new();
        for (_, ensure, cctor) in &all {
            let mut reached = reachable(&calls, *cctor);
            // Types that are needed bring their constructors with them.
            loop {
                let more: Vec<FuncId> = all
                    .iter()
                    .filter(|(_, e, c)| reached.contains(e) && !reached.contains(c))
                    .map(|a| a.2)
                    .collect();
                if more.is_empty() {
                    break;
                }
                more.into_iter().for_each(|c| reached.extend(reachable(&calls, c)));
            }
            reach.insert(*ensure, reached);
        }
        for (ty, ensure, cctor) in &all {
            let simple = reach[ensure].iter().all(|f| !refuses.contains(f));
            // Which of two types that may need each other comes first is decided when they are used.
            let needs_itself = |other: &FuncId| other != ensure && reach[other].contains(ensure);
            if reach[ensure].iter().filter(|f| reach.contains_key(f)).any(needs_itself) {
                circular.insert(*ensure);
            } else if self.is_early(*ty)? && simple && !self.can_tell(*ty, &reach[ensure], &calls)? {
                early.insert(*ensure, *cctor);
            }
        }
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        for (_, ensure, _) in &all {
            arrange(*ensure, &early, &calls, &mut seen, &mut order);
        }
        for (ty, ensure, cctor) in all {
            let function = match early.contains_key(&ensure) {
                true => {
                    let mut b = Builder::default();
                    b.push(Instr::Return { values: vec![Operand::Const(0)] });
                    b.finish(format!("initialised {}", self.world.name(ty)), Vec::new(), 1, Place::default())
                }
                false => self.first_use(ty, cctor, circular.contains(&ensure))?,
            };
            self.module.functions[ensure.0 as usize] = function;
        }
        Ok(order)
    }

    /// Whether it makes a difference when the static constructor of a type of the program runs, which comes
    /// to these functions: it starts threads or takes locks, makes an exception, or is about a static
    /// variable of another type that is written, or refers to an object.
    fn can_tell(
        &mut self,
        ty: Ty,
        reached: &HashSet<FuncId>,
        calls: &BTreeMap<FuncId, HashSet<FuncId>>,
    ) -> Result<bool, CompileError> {
        const EFFECTS: [&str; 7] = [
            "__selvedge_self",
            "__dotnet_start",
            "__dotnet_run",
            "__dotnet_enter",
            "__dotnet_wait_one",
            "__dotnet_wait_any",
            "__dotnet_clock",
        ];
        if self.owner_def(ty).is_none_or(|def| def.assembly != 0) {
            return Ok(false);
        }
        let own = |lower: &Lower, f: FuncId| {
            lower.methods.get(&f).filter(|method| method.def.assembly == 0).cloned()
        };
        for f in reached {
            let name = self.module.functions[f.0 as usize].name.as_str();
            let Some(method) = own(self, *f) else {
                if EFFECTS.contains(&name) && self.is_called_by_program(*f, reached, calls) {
                    return Ok(true);
                }
                continue;
            };
            for callee in calls.get(f).into_iter().flatten() {
                if let Some(made) = self.methods.get(callee).cloned()
                    && made.owner != method.owner
                    && self.world.method_name(made.def)? == ".ctor"
                    && self.is_exception(made.owner)?
                {
                    return Ok(true);
                }
            }
        }
        let written = self.written_statics();
        let about: HashSet<GlobalId> =
            reached.iter().flat_map(|f| named_globals(&self.module.functions[f.0 as usize])).collect();
        for (field, id) in self.statics.clone() {
            // Who comes first has the initial value of what each thread has for itself.
            if about.contains(&id) && field.owner == ty && self.module.globals[id.0 as usize].thread_local {
                return Ok(true);
            }
            // What compilers keep in types of their own is the same whoever makes it first.
            let generated =
                self.world.name(field.owner).contains("<>") || self.world.name(field.owner).contains("<P");
            if !about.contains(&id) || field.owner == ty || field.def.assembly != 0 || generated {
                continue;
            }
            let of = self.world.field_type(field)?;
            let string = matches!(self.world.types.kind(of), crate::types::Kind::String);
            if written.contains(&id) || !string && !self.layouts.is_value(&mut self.world, of)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Static variables of the program that are written, or whose address is taken, by more than the static
    /// constructor of their type.
    fn written_statics(&mut self) -> HashSet<GlobalId> {
        let cctors: HashSet<FuncId> = self.initialised.iter().map(|(_, _, cctor)| *cctor).collect();
        let mut found = HashSet::new();
        for (n, function) in self.module.functions.iter().enumerate() {
            if cctors.contains(&FuncId(n as u32)) {
                continue;
            }
            for instr in &function.code {
                if !matches!(instr, Instr::Load { .. }) {
                    instr.for_operands(|operand, _| {
                        if let Operand::Global(id, _) = operand {
                            found.insert(*id);
                        }
                    });
                }
            }
        }
        found
    }

    /// Whether a method of the program's own, of these functions, calls this one.
    fn is_called_by_program(
        &self,
        callee: FuncId,
        of: &HashSet<FuncId>,
        calls: &BTreeMap<FuncId, HashSet<FuncId>>,
    ) -> bool {
        of.iter().any(|f| {
            self.methods.get(f).is_some_and(|method| method.def.assembly == 0)
                && calls.get(f).is_some_and(|all| all.contains(&callee))
        })
    }

    fn is_exception(&mut self, ty: Ty) -> Result<bool, CompileError> {
        let Some(exception) = self.corlib_class("System.Exception") else { return Ok(false) };
        Ok(self.is_a(ty, exception)? == super::dispatch::Is::Yes)
    }

    /// Runs a static constructor unless that was done: 0 not yet, 1 it failed, 2 it is done, else the
    /// thread that does it, plus 2. Types that may need each other ask whether waiting would ever end.
    fn first_use(
        &mut self,
        ty: Ty,
        cctor: FuncId,
        circular: bool,
    ) -> Result<selvedge_ir::Function, CompileError> {
        let name = self.world.name(ty);
        let state = self.global(format!("{name} (its static constructor)"), vec![0; 8], false);
        let state = Operand::Global(state, 0);
        let failure = self.global(format!("{name} (why it could not be initialised)"), vec![0; 8], false);
        let failure = Operand::Global(failure, 0);
        let mut b = Builder::default();
        let (exc, me, is) = (b.reg(), b.reg(), b.reg());
        let old = b.block(2);
        let (done, ask, run, other, failed, fine, again) =
            (b.label(), b.label(), b.label(), b.label(), b.label(), b.label(), b.label());
        b.load(old, state, 8, Mode::Acq);
        b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Const(2));
        b.branch(Operand::Reg(is), done, ask);
        b.set(ask);
        if circular {
            let (lock, waits) = self.type_locks();
            let begin = self.native("__dotnet_type_begin", 3, 1);
            b.call(Some(is), begin, vec![state, lock, waits], 1);
            b.branch(Operand::Reg(is), run, other);
        } else {
            let own = self.native("__selvedge_self", 0, 1);
            b.call(Some(me), own, Vec::new(), 1);
            b.bin(selvedge_ir::BinOp::Add, 64, me, Operand::Reg(me), Operand::Const(2));
            b.push(Instr::Cmpxchg {
                dst: old,
                addr: state,
                expected: Operand::Const(0),
                desired: Operand::Reg(me),
                bytes: 8,
                success: Mode::AcqRel,
                failure: Mode::Acq,
                weak: false,
            });
            b.branch(Operand::Reg(old + 1), run, other);
        }
        b.set(run);
        b.call(Some(exc), cctor, Vec::new(), 1);
        b.branch(Operand::Reg(exc), failed, fine);
        b.set(failed);
        self.type_fails(&mut b, ty, exc)?;
        b.store_reference(failure, Operand::Reg(exc), Mode::Na);
        b.store(state, Operand::Const(1), 8, Mode::Rel);
        b.push(Instr::Return { values: vec![Operand::Reg(exc)] });
        b.set(fine);
        b.store(state, Operand::Const(2), 8, Mode::Rel);
        b.jump(done);
        b.set(other);
        if circular {
            b.load(old, state, 8, Mode::Acq);
        }
        b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Const(1));
        b.branch_if(Operand::Reg(is), again);
        if !circular {
            b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Const(2));
            b.branch_if(Operand::Reg(is), done);
            b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Reg(me));
            b.branch_if(Operand::Reg(is), done);
            let block = self.native("__selvedge_block", 1, 0);
            b.call(None, block, vec![Operand::Const(1)], 0);
            b.push(Instr::Unreachable);
        }
        b.set(done);
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        b.set(again);
        b.load(exc, failure, 8, Mode::Na);
        b.push(Instr::Return { values: vec![Operand::Reg(exc)] });
        Ok(b.finish(format!("first use of {name}"), Vec::new(), 1, Place::default()))
    }

    /// A lock for types that may need each other, and which of them each thread waits for.
    fn type_locks(&mut self) -> (Operand, Operand) {
        const MOST_THREADS: usize = 2048;
        let (lock, waits) = match self.type_locks {
            Some(known) => known,
            None => (
                self.global(String::from("types that are initialised"), vec![0; 8], false),
                self.global(String::from("types that are waited for"), vec![0; 8 * MOST_THREADS], false),
            ),
        };
        self.type_locks = Some((lock, waits));
        (Operand::Global(lock, 0), Operand::Global(waits, 0))
    }

    /// Makes the exception that everybody gets who uses a type whose static constructor threw one.
    fn type_fails(&mut self, b: &mut Builder, ty: Ty, exc: selvedge_ir::Reg) -> Result<(), CompileError> {
        let name = self.world.name(ty);
        let class = self.corlib_class(FAILED);
        let (true, Some(class)) = (self.may_fail(ty), class) else {
            b.unsupported(format!("the static constructor of {name} throws an exception"));
            return Ok(());
        };
        let size = self.layouts.of(&mut self.world, class)?.size;
        let tag = self.tag(class)?;
        let new = self.native("__selvedge_new", 2, 1);
        let (object, at, inner) = (b.reg(), b.reg(), b.reg());
        b.bin(selvedge_ir::BinOp::And, 64, inner, Operand::Reg(exc), Operand::Const(!1));
        b.call(Some(object), new, vec![Operand::Const(size as u64), Operand::Const(tag as u64)], 1);
        let mut text = |said: &str| self.string(&said.encode_utf16().collect::<Vec<_>>());
        let message = text(&format!("The type initializer for '{name}' threw an exception."))?;
        let told = text(&name)?;
        for (class, field, value) in [
            ("System.Exception", "_innerException", Operand::Reg(inner)),
            ("System.Exception", "_message", Operand::Global(message, 0)),
            (FAILED, "_typeName", Operand::Global(told, 0)),
        ] {
            let by = self.field_of(class, field)?;
            b.offset(at, Operand::Reg(object), by as i64);
            b.store_reference(Operand::Reg(at), value, Mode::Na);
        }
        b.set_to(exc, Operand::Reg(object));
        Ok(())
    }

    /// Whether what happens when a static constructor throws is known: of types that are not the runtime's.
    fn may_fail(&self, ty: Ty) -> bool {
        let runtime = self.world.corlib_type(FAILED).map(|def| def.assembly);
        self.owner_def(ty).map(|def| def.assembly) != runtime
    }
}

/// What using a type throws that could not be initialised.
const FAILED: &str = "System.TypeInitializationException";

/// The global variables that a function is about.
fn named_globals(function: &selvedge_ir::Function) -> Vec<GlobalId> {
    let mut found = Vec::new();
    for instr in &function.code {
        instr.for_operands(|operand, _| {
            if let Operand::Global(id, _) = operand {
                found.push(*id);
            }
        });
    }
    found
}

fn reachable(calls: &BTreeMap<FuncId, HashSet<FuncId>>, from: FuncId) -> HashSet<FuncId> {
    let mut found = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(f) = open.pop() {
        for callee in calls.get(&f).into_iter().flatten() {
            if found.insert(*callee) {
                open.push(*callee);
            }
        }
    }
    found
}

/// Puts a type after those that its constructor may need.
fn arrange(
    ensure: FuncId,
    early: &BTreeMap<FuncId, FuncId>,
    calls: &BTreeMap<FuncId, HashSet<FuncId>>,
    seen: &mut HashSet<FuncId>,
    order: &mut Vec<FuncId>,
) {
    let Some(cctor) = early.get(&ensure) else { return };
    if !seen.insert(ensure) {
        return;
    }
    let mut needed: Vec<FuncId> =
        reachable(calls, *cctor).into_iter().filter(|f| early.contains_key(f)).collect();
    needed.sort();
    for other in needed {
        arrange(other, early, calls, seen, order);
    }
    order.push(*cctor);
}

impl Body<'_> {
    /// What comes before an access of a static field of a type.
    pub fn ensure(&mut self, ty: Ty) -> Result<Option<FuncId>, CompileError> {
        let own = self.method.owner == ty;
        let in_cctor = own && self.lower.world.method_name(self.method.def)? == ".cctor";
        // Whoever is in a method of a type that is initialised at its first use has used it.
        if in_cctor || own && !self.lower.is_early(ty)? {
            return Ok(None);
        }
        self.lower.ensure(ty)
    }
}
