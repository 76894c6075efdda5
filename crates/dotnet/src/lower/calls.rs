//! Calls, objects, delegates, casts and boxes.

use super::body::{Body, ROOM};
use super::stack::{Shape, Val};
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::{ABSTRACT, Called, FINAL, Method, SEALED, STATIC, Sig, VIRTUAL};
use selvedge_cil::{Op, Operand as Arg, Token};
use selvedge_graph::Mode;
use selvedge_ir::{Instr, Operand, Reg};

impl Body<'_> {
    /// What is left; whether the next instruction follows.
    pub fn call_like(&mut self, op: Op, arg: &Arg) -> Result<bool, CompileError> {
        let token = arg.token();
        match op {
            Op::Call | Op::Callvirt => self.call(token, op == Op::Callvirt)?,
            Op::Newobj => self.new_instance(token)?,
            Op::Ldstr => {
                let text = self.lower.world.assemblies[self.assembly as usize].user_string(token)?;
                let string = self.lower.string(&text)?;
                self.push(Val::object(Operand::Global(string, 0)));
            }
            Op::Ldftn => {
                let Called::Method(method) = self.method_at(token)? else {
                    return self.refuse("the address of a method of an array");
                };
                let function = self.lower.delegate_target(&method)?;
                self.push_prim(Prim::Ptr, Operand::Func(function));
            }
            Op::Ldvirtftn => {
                let Called::Method(method) = self.method_at(token)? else {
                    return self.refuse("the address of a method of an array");
                };
                let object = self.pop()?;
                self.null_check(&object)?;
                let virt = self.lower.world.method_flags(method.def)? & VIRTUAL != 0;
                let function = match virt {
                    true => self.lower.function(Key::Dispatch(method))?,
                    false => self.lower.delegate_target(&method)?,
                };
                self.push_prim(Prim::Ptr, Operand::Func(function));
            }
            Op::Castclass | Op::Isinst | Op::UnboxAny | Op::Unbox => self.cast(op, token)?,
            Op::Box => {
                let ty = self.type_at(token)?;
                self.make_box(ty)?;
            }
            Op::Ldtoken => self.load_token(token)?,
            op => {
                let name = op.name();
                return self.refuse(&format!("the instruction `{name}` is not supported"));
            }
        }
        Ok(true)
    }

    fn method_at(&mut self, token: Token) -> Result<Called, CompileError> {
        let context = self.context.clone();
        self.lower.world.method_at(self.assembly, token, &context)
    }

    fn call(&mut self, token: Token, through: bool) -> Result<(), CompileError> {
        let method = match self.method_at(token)? {
            Called::Method(method) => method,
            Called::OfArray(ty, name, sig) => return self.shaped(ty, &name, &sig),
        };
        let sig = self.lower.world.sig(&method)?;
        let mut vals = self.arguments(&sig)?;
        if through && let Some(ty) = self.constrained.take() {
            return self.constrained_call(ty, method, &sig, vals);
        }
        if through && sig.has_this {
            self.null_check(&vals[0])?;
            vals[0].some = true;
        }
        self.call_method(&method, &sig, vals, through)
    }

    /// Arguments from the stack, `this` first, as the method takes them.
    fn arguments(&mut self, sig: &Sig) -> Result<Vec<Val>, CompileError> {
        let mut vals = self.pop_many(sig.params.len() + sig.has_this as usize)?;
        let first = sig.has_this as usize;
        for (n, param) in sig.params.iter().enumerate() {
            let val = vals[first + n].clone();
            let fitted = self.fitted(val, *param, 10 + n)?;
            let wanted = self.leaves(*param)?.len();
            if fitted.parts.len() != wanted {
                return self.refuse("an argument is not what the method takes");
            }
            vals[first + n] = fitted;
        }
        Ok(vals)
    }

    /// Calls a method, virtually if it is asked for and makes a difference.
    pub fn call_method(
        &mut self,
        method: &Method,
        sig: &Sig,
        vals: Vec<Val>,
        through: bool,
    ) -> Result<(), CompileError> {
        let name = self.lower.world.native_name(method);
        let flags = self.lower.world.method_flags(method.def)?;
        let of_library = method.def.assembly != 0;
        if self.delegate_call(method, sig, &vals)? || of_library && self.always_native(&name, sig, &vals)? {
            return Ok(());
        }
        let virt = through && flags & VIRTUAL != 0 && flags & FINAL == 0;
        let sealed = match self.lower.owner_def(method.owner) {
            Some(def) => self.lower.world.flags(def)? & SEALED != 0,
            None => false,
        };
        let virt = virt && !sealed;
        if !virt {
            if flags & ABSTRACT != 0 {
                return self.refuse("a method without a body is called");
            }
            if self.native_call(&name, method, sig, &vals)? {
                return Ok(());
            }
        }
        let waits = match name.as_str() {
            _ if !of_library => false,
            "System.Threading.ManualResetEventSlim.Wait" => self.wait_slim(method, sig, &vals)?,
            "System.Threading.SpinLock.ContinueTryEnter" => self.wait_spin_lock(method, sig, &vals)?,
            "System.Threading.ReaderWriterLockSlim.EnterMyLockSpin" => self.wait_own_lock(method, &vals)?,
            _ => false,
        };
        if waits {
            return Ok(());
        }
        if of_library {
            self.waits_for_task(&name, &vals)?;
        }
        // What is on the stack must outlive the call: it is in registers of its own or in variables.
        if method.owner != self.method.owner
            && let Some(ensure) = self.lower.ensure_for_call(method)?
        {
            self.b.call(Some(self.exc), ensure, Vec::new(), 1);
            self.check_exception();
        }
        let function = match virt {
            true => self.lower.function(Key::Dispatch(method.clone()))?,
            false => self.lower.method_function(method)?,
        };
        let args = vals.iter().flat_map(|val| val.parts.clone()).collect();
        self.emit_call(Operand::Func(function), args, sig.result)
    }

    /// A call, what it throws, and what it gives.
    pub fn emit_call(&mut self, callee: Operand, args: Vec<Operand>, result: Ty) -> Result<(), CompileError> {
        let results = self.lower.results(result)?;
        let out = if results <= ROOM { self.exc } else { self.b.block(results) };
        self.b.push(Instr::Call { dst: Some(out), callee, args, results, signature: None, lands: None });
        if out != self.exc {
            self.b.set_to(self.exc, Operand::Reg(out));
        }
        self.check_exception();
        if results > 1 || !matches!(self.lower.world.types.kind(result), Kind::Void) {
            let parts = (out + 1..out + results).map(Operand::Reg).collect();
            let shape = self.shape(result)?;
            self.push_copy(Val { shape, parts, some: false, note: 0 });
        }
        Ok(())
    }

    fn constrained_call(
        &mut self,
        ty: Ty,
        method: Method,
        sig: &Sig,
        mut vals: Vec<Val>,
    ) -> Result<(), CompileError> {
        if !self.lower.layouts.is_value(&mut self.lower.world, ty)? {
            let addr = vals[0].one();
            let object = self.scratch(9);
            self.b.load(object, addr, 8, Mode::Na);
            vals[0] = Val::prim(Prim::Ptr, Operand::Reg(object));
            self.null_check(&vals[0].clone())?;
            vals[0].some = true;
            return self.call_method(&method, sig, vals, true);
        }
        let found = self.lower.implementation(ty, &method)?;
        let Some(found) = found else { return self.refuse("a call that no method answers") };
        if found.owner == ty {
            let sig = self.lower.world.sig(&found)?;
            return self.call_method(&found, &sig, vals, false);
        }
        // A method of its bases: of a box.
        let rest = vals.split_off(1);
        let depth = self.stack.len();
        self.load_value(ty, vals[0].one(), Mode::Na, 0)?;
        self.make_box(ty)?;
        let object = self.pop()?;
        debug_assert_eq!(depth, self.stack.len());
        let kept = self.scratch(9);
        self.b.set_to(kept, object.one());
        let all = [vec![Val::object(Operand::Reg(kept))], rest].concat();
        let sig = self.lower.world.sig(&found)?;
        self.call_method(&found, &sig, all, false)
    }

    /// `Invoke` of a delegate.
    fn delegate_call(&mut self, method: &Method, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        if self.lower.world.method_name(method.def)? != "Invoke" || !self.lower.is_delegate(method.owner)? {
            return Ok(false);
        }
        self.null_check(&vals[0])?;
        let (target, code) = self.lower.delegate_parts()?;
        let (object, function, at) = (self.scratch(8), self.scratch(9), self.scratch(1));
        for (dst, by) in [(object, target), (function, code)] {
            self.b.offset(at, vals[0].one(), by as i64);
            self.b.load(dst, Operand::Reg(at), 8, Mode::Na);
        }
        let mut args = vec![Operand::Reg(object)];
        args.extend(vals[1..].iter().flat_map(|val| val.parts.clone()));
        self.emit_call(Operand::Reg(function), args, sig.result)?;
        Ok(true)
    }

    fn new_instance(&mut self, token: Token) -> Result<(), CompileError> {
        let method = match self.method_at(token)? {
            Called::Method(method) => method,
            Called::OfArray(ty, _, sig) => return self.new_shaped(ty, &sig),
        };
        let sig = self.lower.world.sig(&method)?;
        let params = Sig { has_this: false, ..sig.clone() };
        let vals = self.arguments(&params)?;
        let owner = method.owner;
        if self.lower.is_delegate(owner)? {
            return self.new_delegate(owner, &vals);
        }
        if let Kind::String = self.lower.world.types.kind(owner) {
            return self.new_string(&sig, &vals);
        }
        let name = self.lower.world.native_name(&method);
        if let Some(ensure) = self.lower.ensure_for_call(&method)?
            && owner != self.method.owner
        {
            self.b.call(Some(self.exc), ensure, Vec::new(), 1);
            self.check_exception();
        }
        if self.lower.layouts.is_value(&mut self.lower.world, owner)? {
            let addr = self.memory(owner)?;
            self.zero(owner, Operand::Reg(addr), Mode::Na)?;
            let all = [vec![Val::object(Operand::Reg(addr))], vals].concat();
            self.call_method(&method, &sig, all, false)?;
            return self.load_value(owner, Operand::Reg(addr), Mode::Na, 0);
        }
        // Arguments may be in the registers that the object goes to.
        let object = self.b.reg();
        let size = self.lower.layouts.of(&mut self.lower.world, owner)?.size;
        self.allocate(owner, Operand::Const(size as u64), object)?;
        let this = Val::object(Operand::Reg(object));
        let all = [vec![this.clone()], vals].concat();
        if !self.native_call(&name, &method, &sig, &all)? {
            let function = self.lower.method_function(&method)?;
            let args = all.iter().flat_map(|val| val.parts.clone()).collect();
            self.emit_call(Operand::Func(function), args, sig.result)?;
        }
        self.push_copy(this);
        Ok(())
    }

    pub(super) fn new_delegate(&mut self, ty: Ty, vals: &[Val]) -> Result<(), CompileError> {
        let [target, function] = vals else { return self.refuse("a delegate is made of two parts") };
        let object = self.b.reg();
        let size = self.lower.layouts.of(&mut self.lower.world, ty)?.size;
        self.allocate(ty, Operand::Const(size as u64), object)?;
        let (to, code) = self.lower.delegate_parts()?;
        let at = self.at(Operand::Reg(object), to, 1);
        self.b.store_reference(at, target.one(), Mode::Na);
        let at = self.at(Operand::Reg(object), code, 1);
        self.b.store(at, function.one(), 8, Mode::Na);
        self.push_copy(Val::object(Operand::Reg(object)));
        Ok(())
    }

    fn cast(&mut self, op: Op, token: Token) -> Result<(), CompileError> {
        let ty = self.type_at(token)?;
        let object = self.pop()?;
        let value = self.lower.layouts.is_value(&mut self.lower.world, ty)?;
        if let (Op::UnboxAny, Some(of)) = (op, self.nullable(ty)) {
            return self.unbox_nullable(ty, of, &object);
        }
        // No object is of a nullable type: it is of the type of its value.
        let ty = if op == Op::Isinst { self.nullable(ty).unwrap_or(ty) } else { ty };
        if let (Op::UnboxAny | Op::Unbox, true) = (op, value) {
            return self.unbox(op, ty, &object);
        }
        let kept = self.scratch(9);
        self.b.set_to(kept, object.one());
        let out = self.scratch(8);
        self.b.set_to(out, Operand::Reg(kept));
        let (done, test) = (self.b.label(), self.b.label());
        self.b.branch(Operand::Reg(kept), test, done);
        self.b.set(test);
        let function = self.lower.function(Key::IsInst(ty))?;
        let is = self.scratch(5);
        self.b.call(Some(is), function, vec![Operand::Reg(kept)], 1);
        if op == Op::Isinst {
            let zero = Operand::Const(0);
            self.b.push(Instr::Select { dst: out, cond: Operand::Reg(is), a: Operand::Reg(kept), b: zero });
        } else {
            self.b.cmp(selvedge_ir::CmpOp::Eq, 64, is, Operand::Reg(is), Operand::Const(0));
            self.throw_if(Operand::Reg(is), "System.InvalidCastException");
        }
        self.b.jump(done);
        self.b.set(done);
        let some = object.some && op != Op::Isinst;
        self.push_copy(Val { some, ..Val::prim(Prim::Ptr, Operand::Reg(out)) });
        Ok(())
    }

    fn nullable(&self, ty: Ty) -> Option<Ty> {
        match self.lower.world.types.kind(ty) {
            Kind::Def(def, args) if args.len() == 1 => {
                let name = self.lower.world.def_name(*def).unwrap_or_default();
                (name == "System.Nullable`1").then(|| args[0])
            }
            _ => None,
        }
    }

    pub(super) fn unbox(&mut self, op: Op, ty: Ty, object: &Val) -> Result<(), CompileError> {
        if self.nullable(ty).is_some() {
            return self.refuse("the address of a boxed nullable value is not supported");
        }
        self.null_check(object)?;
        let kept = self.scratch(9);
        self.b.set_to(kept, object.one());
        let is = self.scratch(5);
        let native = self.lower.native("__selvedge_type", 1, 1);
        self.b.call(Some(is), native, vec![Operand::Reg(kept)], 1);
        // An enumeration is also unboxed as its number, and the other way round.
        let tag = self.lower.tag(ty)?;
        let mut fits = vec![tag];
        for live in self.lower.live.clone() {
            let under = match self.lower.layouts.is_value(&mut self.lower.world, live)? {
                true => self.lower.layouts.underlying(&mut self.lower.world, live)?.unwrap_or(live),
                false => continue,
            };
            let own = self.lower.layouts.underlying(&mut self.lower.world, ty)?.unwrap_or(ty);
            if under == own && live != ty {
                fits.push(self.lower.tag(live)?);
            }
        }
        let (fine, wrong) = (self.b.label(), self.b.label());
        let cases = fits.into_iter().map(|tag| (tag as u64, fine)).collect();
        self.b.switch(Operand::Reg(is), cases, wrong);
        self.b.set(wrong);
        self.throw_if(Operand::Const(1), "System.InvalidCastException");
        self.b.push(Instr::Unreachable);
        self.b.set(fine);
        let addr = self.scratch(0);
        self.b.offset(addr, Operand::Reg(kept), HEADER as i64);
        match op {
            Op::Unbox => self.push_copy(Val::object(Operand::Reg(addr))),
            _ => self.load_value(ty, Operand::Reg(addr), Mode::Na, 0)?,
        }
        Ok(())
    }

    /// Boxes what is on the stack.
    pub fn make_box(&mut self, ty: Ty) -> Result<(), CompileError> {
        if !self.lower.layouts.is_value(&mut self.lower.world, ty)? {
            return Ok(());
        }
        if let Some(of) = self.nullable(ty) {
            return self.box_nullable(of, ty);
        }
        let val = self.pop()?;
        let val = self.fitted(val, ty, 2)?;
        let (size, _) = self.lower.layouts.size(&mut self.lower.world, ty)?;
        let object = self.b.reg();
        self.allocate(ty, Operand::Const((HEADER + size) as u64), object)?;
        let addr = self.scratch(0);
        self.b.offset(addr, Operand::Reg(object), HEADER as i64);
        self.store_value(ty, Operand::Reg(addr), &val, Mode::Na, 0)?;
        self.push_copy(Val::object(Operand::Reg(object)));
        Ok(())
    }

    fn load_token(&mut self, token: Token) -> Result<(), CompileError> {
        use selvedge_cil::Table;
        if token.is(Table::Field) {
            // For `InitializeArray`.
            let field = self.field_at(token)?;
            let data = self.lower.static_global(field)?;
            self.push(Val::object(Operand::Global(data, 0)));
            return Ok(());
        }
        if token.is(Table::TypeDef) || token.is(Table::TypeRef) || token.is(Table::TypeSpec) {
            let ty = self.type_at(token)?;
            let object = self.lower.type_object(ty)?;
            self.push(Val::object(Operand::Global(object, 0)));
            return Ok(());
        }
        self.refuse("`ldtoken` of a method is not supported")
    }

    /// Pushes what is in a register as a value of the stack.
    pub fn give(&mut self, prim: Prim, reg: Reg) {
        self.push_copy(Val {
            shape: Shape::Prim(prim),
            parts: vec![Operand::Reg(reg)],
            some: false,
            note: 0,
        });
    }
}

impl Lower {
    /// What a delegate for a method calls: with an object before the arguments.
    pub fn delegate_target(&mut self, method: &Method) -> Result<selvedge_ir::FuncId, CompileError> {
        if self.world.method_flags(method.def)? & STATIC != 0 {
            return self.function(Key::Static(method.clone()));
        }
        match self.layouts.is_value(&mut self.world, method.owner)? {
            true => self.function(Key::Unboxing(method.clone())),
            false => self.method_function(method),
        }
    }

    /// Where a delegate has its object and its code.
    pub fn delegate_parts(&mut self) -> Result<(u32, u32), CompileError> {
        Ok((self.field_of("System.Delegate", "m_target")?, self.field_of("System.Delegate", "method_ptr")?))
    }
}
