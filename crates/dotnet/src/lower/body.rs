//! One method: its variables, and its instructions one after the other.

use super::Lower;
use super::build::{Builder, Label};
use super::handlers::Handlers;
use super::stack::{Shape, Val};
use crate::layout::Prim;
use crate::types::{Context, Kind, Ty};
use crate::world::{Called, Method, STATIC, Sig};
use crate::{CompileError, refuse};
use selvedge_cil::{Body as Il, ClauseKind, Inst, Op, Operand as Arg};
use selvedge_graph::Mode;
use selvedge_ir::{Function, Instr, Operand, Place, Reg};
use std::collections::{HashMap, HashSet};

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
pub enum Var {
    /// In registers from this one on.
    Regs(Reg, Ty),
    /// In private memory, at the address in this register.
    Memory(Reg, Ty),
}

/// A method that is being lowered.
pub struct Body<'l> {
    pub lower: &'l mut Lower,
    pub b: Builder,
    pub method: Method,
    pub assembly: u32,
    pub context: Context,
    pub sig: Sig,
    pub stack: Vec<Val>,
    pub homes: Vec<Vec<Reg>>,
    pub scratches: Vec<Reg>,
    args: Vec<Var>,
    locals: Vec<Var>,
    labels: HashMap<u32, Label>,
    /// What is on the stack where a label is come to.
    met: HashMap<u32, Vec<Shape>>,
    /// The exception that is under way, and after it what calls give.
    pub exc: Reg,
    pub handlers: Handlers,
    /// The instruction's offset.
    pub offset: u32,
    /// Counters of `SpinWait`s are variables of this method, and it does nothing with them but spin.
    pub spins_unseen: bool,
    /// `this` is not written, so it is no null.
    this_stays: bool,
    /// What `localloc` gives begins as zeros.
    pub zeroed: bool,
    /// Prefixes of the next instruction.
    pub volatile: bool,
    pub constrained: Option<Ty>,
    /// Cold ends: what is thrown from where.
    pub cold: Vec<(Label, &'static str, u32, Place)>,
}

/// More than any method has that somebody wrote.
const MOST_REGISTERS: u32 = 1 << 15;

/// How many parts of a result there is room for in the registers after the exception's.
pub const ROOM: u32 = 6;

impl Lower {
    /// What a method's body becomes.
    pub fn lower_method(&mut self, method: &Method) -> Result<Function, CompileError> {
        let name = self.world.full_method_name(method);
        let sig = self.world.sig(method)?;
        let flags = self.world.method_flags(method.def)?;
        let native_name = self.world.native_name(method);
        let context = self.world.context(method);
        let mut body = Body {
            b: Builder::default(),
            method: method.clone(),
            assembly: method.def.assembly,
            context,
            sig: sig.clone(),
            stack: Vec::new(),
            homes: Vec::new(),
            scratches: Vec::new(),
            args: Vec::new(),
            locals: Vec::new(),
            labels: HashMap::new(),
            met: HashMap::new(),
            exc: 0,
            handlers: Handlers::default(),
            offset: 0,
            spins_unseen: false,
            this_stays: true,
            zeroed: false,
            volatile: false,
            constrained: None,
            cold: Vec::new(),
            lower: self,
        };
        let mut types = Vec::new();
        let mut params = Vec::new();
        if sig.has_this {
            let value = body.lower.layouts.is_value(&mut body.lower.world, method.owner)?;
            let this = if value { Kind::ByRef(method.owner) } else { Kind::Object };
            types.push(body.lower.world.types.intern(this));
        }
        types.extend(&sig.params);
        for ty in &types {
            let leaves = body.leaves(*ty)?.len() as u32;
            let first = body.b.block(leaves);
            params.extend(first..first + leaves);
            body.args.push(Var::Regs(first, *ty));
        }
        let results = body.lower.results(sig.result)?;
        body.exc = body.b.block(ROOM.max(results));
        let written = body.write(flags, &native_name);
        let written = written.and_then(|()| body.write_cold());
        if let Err(error) = written {
            // Reaching it is what would be wrong, not that it is there. What was written so far may lead to
            // what was not.
            body.b = body.b.emptied();
            body.b.unsupported(format!("{name}: {error}"));
        }
        let b = std::mem::take(&mut body.b);
        let place = b.places.iter().copied().find(|p| p.line > 0).unwrap_or_default();
        Ok(b.finish(name, params, results, Place { note: 0, ..place }))
    }
}

impl Body<'_> {
    pub fn refuse<T>(&self, message: &str) -> Result<T, CompileError> {
        refuse(format!("{message} (at {:#x})", self.offset))
    }

    fn write(&mut self, flags: u16, native_name: &str) -> Result<(), CompileError> {
        if self.native_body(native_name)? {
            return Ok(());
        }
        if let Some(why) = super::outside::left_out(native_name) {
            let name = self.lower.world.full_method_name(&self.method);
            self.b.unsupported(format!("{name}: {why}"));
            return Ok(());
        }
        let il = self.lower.world.assemblies[self.assembly as usize].body(self.method.def.row)?;
        let Some(il) = il else {
            let what = match flags & 0x2000 {
                0 => "is implemented by the runtime",
                _ => "is native code",
            };
            let name = self.lower.world.full_method_name(&self.method);
            self.b.unsupported(format!("{name} {what}, and not known"));
            return Ok(());
        };
        // What a compiler knows by name has a body that only throws.
        let token = selvedge_cil::Token::new(selvedge_cil::Table::MethodDef, self.method.def.row);
        let known = self.lower.world.assemblies[self.assembly as usize].attributes(token)?;
        let by_name = known.iter().any(|(name, _)| name.ends_with(".IntrinsicAttribute"));
        if by_name && il.insts.len() <= 3 && il.insts.last().is_some_and(|last| last.op == Op::Throw) {
            let name = self.lower.world.full_method_name(&self.method);
            self.b.unsupported(format!("{name} is known to compilers only, and not known"));
            return Ok(());
        }
        self.variables(&il)?;
        self.find_labels(&il);
        self.handlers = Handlers::new(&il);
        self.instructions(&il)
    }

    /// Arguments and local variables. Those whose address is taken are in memory; the others are 0 at first
    /// because registers are.
    fn variables(&mut self, il: &Il) -> Result<(), CompileError> {
        let taken = |op: Op| -> HashSet<i64> {
            il.insts.iter().filter(|i| i.op == op).map(|i| i.operand.int()).collect()
        };
        let (args, locals) = (taken(Op::Ldarga), taken(Op::Ldloca));
        let flags = self.lower.world.method_flags(self.method.def)?;
        self.this_stays = flags & STATIC == 0
            && !taken(Op::Starg).contains(&0)
            && !args.contains(&0)
            && !self.lower.layouts.is_value(&mut self.lower.world, self.method.owner)?;
        for number in 0..self.args.len() {
            if args.contains(&(number as i64))
                && let Var::Regs(first, ty) = self.args[number]
            {
                let addr = self.memory(ty)?;
                let parts = self.leaves(ty)?;
                let parts = (first..first + parts.len() as u32).map(Operand::Reg).collect();
                let val = Val { shape: self.shape(ty)?, parts, some: false, note: 0 };
                self.store_value(ty, Operand::Reg(addr), &val, Mode::Na, 0)?;
                self.args[number] = Var::Memory(addr, ty);
            }
        }
        self.zeroed = il.init_locals;
        let Some(token) = il.locals else { return Ok(()) };
        let sigs = self.lower.world.assemblies[self.assembly as usize].locals(token)?;
        for (number, sig) in sigs.iter().enumerate() {
            let context = self.context.clone();
            let ty = self.lower.world.resolve(self.assembly, sig, &context)?;
            let leaves = self.leaves(ty)?;
            if self.b.regs > MOST_REGISTERS {
                return self.refuse("there are too many variables");
            }
            let var = match locals.contains(&(number as i64)) {
                true => {
                    let addr = self.memory(ty)?;
                    self.zero(ty, Operand::Reg(addr), Mode::Na)?;
                    Var::Memory(addr, ty)
                }
                false => Var::Regs(self.b.block(leaves.len() as u32), ty),
            };
            self.locals.push(var);
        }
        self.spins_unseen = self.only_spins(il)?;
        Ok(())
    }

    /// Whether every `SpinWait` that the method uses is a variable of its own whose address goes nowhere
    /// but to `SpinOnce` and `Reset`, and to where it is set to 0.
    fn only_spins(&mut self, il: &Il) -> Result<bool, CompileError> {
        let mut spins = Vec::new();
        for inst in &il.insts {
            let of_spin = match inst.op {
                Op::Call | Op::Callvirt => match self.lower.world.method_at(
                    self.assembly,
                    inst.operand.token(),
                    &self.context.clone(),
                ) {
                    Ok(Called::Method(method)) => {
                        let name = self.lower.world.native_name(&method);
                        name.strip_prefix("System.Threading.SpinWait.").map(String::from)
                    }
                    _ => None,
                },
                _ => None,
            };
            spins.push(of_spin);
        }
        for (at, inst) in il.insts.iter().enumerate() {
            let harmless = |member: &Option<String>| matches!(member.as_deref(), Some("SpinOnce" | "Reset"));
            if spins[at].is_some() {
                let from_own = at > 0 && il.insts[at - 1].op == Op::Ldloca;
                if !from_own || !harmless(&spins[at]) {
                    return Ok(false);
                }
            }
            if inst.op == Op::Ldloca
                && let Some(Var::Memory(_, ty) | Var::Regs(_, ty)) =
                    self.locals.get(inst.operand.int() as usize).copied()
                && self.lower.world.name(ty) == "System.Threading.SpinWait"
            {
                let next = il.insts.get(at + 1).map(|next| next.op);
                if next != Some(Op::Initobj) && !spins.get(at + 1).is_some_and(harmless) {
                    return Ok(false);
                }
            }
        }
        Ok(spins.iter().any(Option::is_some))
    }

    /// Room in private memory for a value, and a register with its address.
    pub fn memory(&mut self, ty: Ty) -> Result<Reg, CompileError> {
        let (size, align) = self.lower.layouts.size(&mut self.lower.world, ty)?;
        let dst = self.b.reg();
        let size = Operand::Const(size.max(1) as u64);
        self.b.push(Instr::Alloca { dst, size, align: align.max(1), private: true });
        Ok(dst)
    }

    /// Sets a value in memory to 0.
    pub fn zero(&mut self, ty: Ty, addr: Operand, mode: Mode) -> Result<(), CompileError> {
        for (offset, prim) in self.leaves(ty)? {
            let at = self.at(addr, offset, 1);
            self.b.store(at, Operand::Const(0), prim.bytes(), mode);
        }
        Ok(())
    }

    fn find_labels(&mut self, il: &Il) {
        let mut targets: Vec<u32> = Vec::new();
        for inst in &il.insts {
            match &inst.operand {
                Arg::Int(to) if inst.op.is_branch() => targets.push(*to as u32),
                Arg::Switch(all) => targets.extend(all),
                _ => {}
            }
        }
        for clause in &il.clauses {
            targets.push(clause.handler);
            let caught = vec![Shape::Prim(Prim::Ptr)];
            let stack = match clause.kind {
                ClauseKind::Filter(at) => {
                    targets.push(at);
                    self.met.insert(at, caught.clone());
                    caught
                }
                ClauseKind::Catch(_) => caught,
                ClauseKind::Finally | ClauseKind::Fault => Vec::new(),
            };
            self.met.insert(clause.handler, stack);
        }
        for target in targets {
            let label = self.b.label();
            self.labels.entry(target).or_insert(label);
        }
    }

    pub fn label_at(&self, offset: u32) -> Result<Label, CompileError> {
        match self.labels.get(&offset) {
            Some(label) => Ok(*label),
            None => self.refuse("a branch leads nowhere"),
        }
    }

    /// Notes what is on the stack on the way to an offset, and puts it in its place.
    pub fn meet(&mut self, offset: u32) -> Result<Label, CompileError> {
        self.settle();
        let shapes: Vec<Shape> = self.stack.iter().map(|val| val.shape).collect();
        self.meet_with(offset, shapes)
    }

    pub fn meet_with(&mut self, offset: u32, shapes: Vec<Shape>) -> Result<Label, CompileError> {
        match self.met.get(&offset) {
            Some(known) if *known != shapes => {
                return self.refuse("ways meet with different values on the stack");
            }
            Some(_) => {}
            None => _ = self.met.insert(offset, shapes),
        }
        self.label_at(offset)
    }

    /// The stack where an offset is come to by a jump.
    fn arrive(&mut self, offset: u32) -> Result<(), CompileError> {
        let shapes = self.met.get(&offset).cloned().unwrap_or_default();
        self.stack.clear();
        for (depth, shape) in shapes.into_iter().enumerate() {
            let count = match shape {
                Shape::Prim(_) => 1,
                Shape::Value(ty) => self.leaves(ty)?.len(),
            };
            let parts = self.home(depth, count).into_iter().map(Operand::Reg).collect();
            self.stack.push(Val { shape, parts, some: false, note: 0 });
        }
        Ok(())
    }

    fn instructions(&mut self, il: &Il) -> Result<(), CompileError> {
        let points = self.points(il);
        let mut open = true;
        let mut line = 0;
        for inst in &il.insts {
            self.offset = inst.offset;
            while line < points.len() && points[line].0 <= inst.offset {
                if points[line].1.line > 0 {
                    self.b.place = points[line].1;
                }
                line += 1;
            }
            if let Some(label) = self.labels.get(&inst.offset).copied() {
                if open {
                    self.meet(inst.offset)?;
                    self.b.jump(label);
                }
                self.b.set(label);
                self.arrive(inst.offset)?;
                open = true;
            }
            if !open {
                // Nobody comes here, but by a way that is still to come and has nothing on the stack.
                self.stack.clear();
            }
            self.handlers.enter(inst.offset);
            open = self.instruction(inst)?;
            if !matches!(
                inst.op,
                Op::Volatile | Op::Constrained | Op::Unaligned | Op::Tail | Op::Readonly | Op::No
            ) {
                self.volatile = false;
                self.constrained = None;
            }
        }
        Ok(())
    }

    /// Places by offset.
    fn points(&mut self, il: &Il) -> Vec<(u32, Place)> {
        let none = selvedge_cil::Lines::default();
        let lines = self.lower.world.lines[self.assembly as usize].as_ref().unwrap_or(&none);
        let points = lines.of(self.method.def.row).to_vec();
        if points.is_empty() {
            // Without lines, the method and the offset of the instruction say where it is.
            let name = self.lower.world.full_method_name(&self.method);
            let file = self.lower.file(&name);
            let place = |i: &Inst| (i.offset, Place { file, line: i.offset.max(1), col: 0, note: 0 });
            return il.insts.iter().map(place).collect();
        }
        let files = lines.files.clone();
        let mut places = Vec::new();
        for point in points {
            let name = files.get(point.file as usize).cloned().unwrap_or_default();
            let file = self.lower.file(&name);
            let place = Place { file, line: point.line, col: point.column, note: 0 };
            places.push((point.offset, place));
        }
        places
    }

    fn var(&self, list: &[Var], number: i64) -> Result<Var, CompileError> {
        match list.get(number as usize) {
            Some(var) => Ok(*var),
            None => self.refuse("there is no such variable"),
        }
    }

    pub fn arg(&mut self, number: usize) -> Result<Val, CompileError> {
        let var = self.var(&self.args.clone(), number as i64)?;
        self.load_var(var)?;
        self.pop()
    }

    fn load_var(&mut self, var: Var) -> Result<(), CompileError> {
        match var {
            Var::Regs(first, ty) => {
                let count = self.leaves(ty)?.len() as u32;
                let shape = self.shape(ty)?;
                let parts = (first..first + count).map(Operand::Reg).collect();
                self.push(Val { shape, parts, some: false, note: 0 });
                Ok(())
            }
            Var::Memory(addr, ty) => self.load_value(ty, Operand::Reg(addr), Mode::Na, 0),
        }
    }

    fn store_var(&mut self, var: Var) -> Result<(), CompileError> {
        let val = self.pop()?;
        let (Var::Regs(_, ty) | Var::Memory(_, ty)) = var;
        let val = self.fitted(val, ty, 2)?;
        match var {
            Var::Memory(addr, ty) => self.store_value(ty, Operand::Reg(addr), &val, Mode::Na, 0),
            Var::Regs(first, ty) => {
                let leaves = self.leaves(ty)?;
                if leaves.len() != val.parts.len() {
                    return self.refuse("a variable is given what it cannot hold");
                }
                self.keep_from(first..first + leaves.len() as u32);
                for ((at, part), (_, prim)) in (first..).zip(&val.parts).zip(&leaves) {
                    self.b.set_to(at, *part);
                    // A variable of less than 32 bits keeps no more than it holds.
                    self.narrow(*prim, at);
                }
                Ok(())
            }
        }
    }

    /// Cuts a register down to what its type holds.
    pub fn narrow(&mut self, prim: Prim, reg: Reg) {
        let mask = match prim {
            Prim::I1 | Prim::U1 => 0xff,
            Prim::I2 | Prim::U2 => 0xffff,
            _ => return,
        };
        let src = Operand::Reg(reg);
        self.b.bin(selvedge_ir::BinOp::And, 32, reg, src, Operand::Const(mask));
        self.extend(prim, reg);
    }

    /// One instruction; whether the next one follows.
    fn instruction(&mut self, inst: &Inst) -> Result<bool, CompileError> {
        let number = inst.operand.int();
        match inst.op {
            Op::Nop | Op::Break | Op::Readonly | Op::Tail | Op::Unaligned | Op::No => {}
            Op::Volatile => self.volatile = true,
            Op::Constrained => {
                let ty = self.type_at(inst.operand.token())?;
                self.constrained = Some(ty);
            }
            Op::Ldarg => {
                let var = self.var(&self.args.clone(), number)?;
                self.load_var(var)?;
                if number == 0
                    && self.this_stays
                    && let Some(top) = self.stack.last_mut()
                {
                    top.some = true;
                }
            }
            Op::Starg => {
                let var = self.var(&self.args.clone(), number)?;
                self.store_var(var)?;
            }
            Op::Ldloc => {
                let var = self.var(&self.locals.clone(), number)?;
                self.load_var(var)?;
            }
            Op::Stloc => {
                let var = self.var(&self.locals.clone(), number)?;
                self.store_var(var)?;
            }
            Op::Ldarga | Op::Ldloca => {
                let list = if inst.op == Op::Ldarga { self.args.clone() } else { self.locals.clone() };
                match self.var(&list, number)? {
                    Var::Memory(addr, _) => self.push(Val::object(Operand::Reg(addr))),
                    Var::Regs(..) => return self.refuse("the address of a variable without one"),
                }
            }
            Op::Ldnull => self.push_prim(Prim::Ptr, Operand::Const(0)),
            Op::LdcI4 if self.looks_again(number) => self.push(Val::int(0)),
            Op::LdcI4 => self.push(Val::int(number as i32)),
            Op::LdcI8 => self.push_prim(Prim::I8, Operand::Const(number as u64)),
            Op::LdcR4 | Op::LdcR8 => {
                let Arg::Float(bits) = inst.operand else { return self.refuse("a float that is none") };
                let prim = if inst.op == Op::LdcR4 { Prim::R4 } else { Prim::R8 };
                self.push_prim(prim, Operand::Const(bits));
            }
            Op::Dup => {
                let top = self.pop()?;
                self.push(top.clone());
                // In registers of its own: others may go before this one does.
                self.push_copy(top);
            }
            Op::Pop => _ = self.pop()?,
            Op::Br => {
                let label = self.meet(number as u32)?;
                self.b.jump(label);
                return Ok(false);
            }
            Op::Leave => {
                self.leave(number as u32)?;
                return Ok(false);
            }
            Op::Endfinally => {
                self.end_finally()?;
                return Ok(false);
            }
            Op::Endfilter => {
                self.end_filter()?;
                return Ok(false);
            }
            Op::Throw => {
                let val = self.pop()?;
                self.null_check(&val)?;
                self.b.set_to(self.exc, val.one());
                self.unwind()?;
                return Ok(false);
            }
            Op::Rethrow => {
                self.rethrow()?;
                return Ok(false);
            }
            Op::Ret => {
                self.give_back()?;
                return Ok(false);
            }
            Op::Switch => {
                let value = self.pop()?;
                let Arg::Switch(targets) = &inst.operand else { return self.refuse("a switch that is none") };
                self.settle();
                let next = self.b.label();
                let mut cases = Vec::new();
                for (n, target) in targets.iter().enumerate() {
                    cases.push((n as u64, self.meet(*target)?));
                }
                self.b.switch(value.one(), cases, next);
                self.b.set(next);
            }
            op if op.is_branch() => self.conditional(op, number as u32)?,
            op if self.arithmetic(op)? => {}
            op if self.memory_access(op, &inst.operand)? => {}
            op => return self.call_like(op, &inst.operand),
        }
        Ok(true)
    }

    fn give_back(&mut self) -> Result<(), CompileError> {
        let mut values = vec![Operand::Const(0)];
        if !matches!(self.lower.world.types.kind(self.sig.result), Kind::Void) {
            let val = self.pop()?;
            let result = self.sig.result;
            let val = self.fitted(val, result, 2)?;
            values.extend(val.parts);
        }
        let wanted = self.lower.results(self.sig.result)? as usize;
        if values.len() != wanted {
            return self.refuse("a method returns what it does not have");
        }
        self.b.push(Instr::Return { values });
        Ok(())
    }

    pub fn type_at(&mut self, token: selvedge_cil::Token) -> Result<Ty, CompileError> {
        let context = self.context.clone();
        self.lower.world.type_at(self.assembly, token, &context)
    }

    /// Returns with the exception that is under way.
    pub fn propagate(&mut self) -> Result<(), CompileError> {
        let count = self.lower.results(self.sig.result)?;
        let mut values = vec![Operand::Reg(self.exc)];
        values.resize(count as usize, Operand::Const(0));
        self.b.push(Instr::Return { values });
        Ok(())
    }
}
