//! Static fields and static constructors.
//!
//! A type marked `beforefieldinit` may be initialised at any time before the first access of a static field
//! (ECMA-335 I.8.9.5): all such types are, before the program begins, each after those that its constructor
//! may need. So no thread ever has to ask. Others, and those whose constructor can come to something that
//! is not supported, are initialised at their first use, by one thread while the others wait.

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
        if super::natives::needs_no_cctor(&self.world.native_name(&cctor)) {
            return Ok(None);
        }
        let function = self.function(key)?;
        let cctor = self.method_function(&cctor)?;
        self.initialised.push((ty, function, cctor));
        Ok(Some(function))
    }

    fn is_early(&self, ty: Ty) -> Result<bool, CompileError> {
        match self.owner_def(ty) {
            Some(def) => Ok(self.world.flags(def)? & BEFORE_FIELD_INIT != 0),
            None => Ok(true),
        }
    }

    /// What comes before a call of a static method.
    pub fn ensure_for_call(&mut self, method: &Method) -> Result<Option<FuncId>, CompileError> {
        let flags = self.world.method_flags(method.def)?;
        let name = self.world.method_name(method.def)?;
        let used = flags & STATIC != 0 || name == ".ctor";
        if !used || name == ".cctor" || self.is_early(method.owner)? {
            return Ok(None);
        }
        self.ensure(method.owner)
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
            } else if self.is_early(*ty)? && simple {
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

    /// Runs a static constructor unless that was done: 0 not yet, 1 it failed, 2 it is done, else the
    /// thread that does it, plus 2. The runtime lets a thread on where two would wait for each other's types;
    /// that is not supported.
    fn first_use(
        &mut self,
        ty: Ty,
        cctor: FuncId,
        circular: bool,
    ) -> Result<selvedge_ir::Function, CompileError> {
        let name = self.world.name(ty);
        let state = self.global(format!("{name} (its static constructor)"), vec![0; 8], false);
        let state = Operand::Global(state, 0);
        let own = self.native("__selvedge_self", 0, 1);
        let block = self.native("__selvedge_block", 1, 0);
        let mut b = Builder::default();
        let (exc, me, is) = (b.reg(), b.reg(), b.reg());
        let old = b.block(2);
        let (done, ask, run, other, failed, fine) =
            (b.label(), b.label(), b.label(), b.label(), b.label(), b.label());
        b.load(old, state, 8, Mode::Acq);
        b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Const(2));
        b.branch(Operand::Reg(is), done, ask);
        b.set(ask);
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
        b.set(run);
        b.call(Some(exc), cctor, Vec::new(), 1);
        b.branch(Operand::Reg(exc), failed, fine);
        b.set(failed);
        b.unsupported(format!("the static constructor of {name} throws an exception"));
        b.set(fine);
        b.store(state, Operand::Const(2), 8, Mode::Rel);
        b.jump(done);
        b.set(other);
        b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Const(2));
        b.branch_if(Operand::Reg(is), done);
        b.cmp(CmpOp::Eq, 64, is, Operand::Reg(old), Operand::Reg(me));
        b.branch_if(Operand::Reg(is), done);
        if circular {
            b.unsupported(format!("two threads in static constructors that need each other ({name})"));
        } else {
            b.call(None, block, vec![Operand::Const(1)], 0);
        }
        b.push(Instr::Unreachable);
        b.set(done);
        b.push(Instr::Return { values: vec![Operand::Const(0)] });
        Ok(b.finish(format!("first use of {name}"), Vec::new(), 1, Place::default()))
    }
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
