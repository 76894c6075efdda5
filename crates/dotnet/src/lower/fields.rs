//! Fields, arrays, and memory behind references.

use super::body::Body;
use super::stack::{Shape, Val};
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::{Field, STATIC};
use selvedge_cil::{Op, Operand as Arg, Token};
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Instr, Operand};

impl Body<'_> {
    fn read_mode(&self) -> Mode {
        if self.volatile { Mode::Acq } else { Mode::Na }
    }

    fn write_mode(&self) -> Mode {
        if self.volatile { Mode::Rel } else { Mode::Na }
    }

    /// Whether the instruction was one of these.
    pub fn memory_access(&mut self, op: Op, arg: &Arg) -> Result<bool, CompileError> {
        use Op::*;
        let kind = |body: &mut Self, kind: Kind| body.lower.world.types.intern(kind);
        let of = match op {
            LdindI1 | StindI1 | LdelemI1 | StelemI1 => Some(Kind::I1),
            LdindU1 | LdelemU1 => Some(Kind::U1),
            LdindI2 | StindI2 | LdelemI2 | StelemI2 => Some(Kind::I2),
            LdindU2 | LdelemU2 => Some(Kind::U2),
            LdindI4 | StindI4 | LdelemI4 | StelemI4 => Some(Kind::I4),
            LdindU4 | LdelemU4 => Some(Kind::U4),
            LdindI8 | StindI8 | LdelemI8 | StelemI8 => Some(Kind::I8),
            LdindI | StindI | LdelemI | StelemI => Some(Kind::I),
            LdindR4 | StindR4 | LdelemR4 | StelemR4 => Some(Kind::R4),
            LdindR8 | StindR8 | LdelemR8 | StelemR8 => Some(Kind::R8),
            LdindRef | StindRef | LdelemRef | StelemRef => Some(Kind::Object),
            _ => None,
        };
        match op {
            LdindI1 | LdindU1 | LdindI2 | LdindU2 | LdindI4 | LdindU4 | LdindI8 | LdindI | LdindR4
            | LdindR8 | LdindRef | Ldobj => {
                let ty = match of {
                    Some(of) => kind(self, of),
                    None => self.type_at(arg.token())?,
                };
                let addr = self.pop()?;
                self.null_check(&addr)?;
                let mode = self.read_mode();
                self.load_value(ty, addr.one(), mode, addr.note)?;
            }
            StindI1 | StindI2 | StindI4 | StindI8 | StindI | StindR4 | StindR8 | StindRef | Stobj => {
                let ty = match of {
                    Some(of) => kind(self, of),
                    None => self.type_at(arg.token())?,
                };
                let (val, addr) = (self.pop()?, self.pop()?);
                self.null_check(&addr)?;
                let val = self.fitted(val, ty, 2)?;
                let mode = self.write_mode();
                self.store_value(ty, addr.one(), &val, mode, addr.note)?;
            }
            Cpobj => {
                let ty = self.type_at(arg.token())?;
                let (from, to) = (self.pop()?, self.pop()?);
                self.null_check(&from)?;
                self.null_check(&to)?;
                let kept = self.scratch(9);
                self.b.set_to(kept, to.one());
                self.load_value(ty, from.one(), Mode::Na, 0)?;
                let val = self.pop()?;
                self.store_value(ty, Operand::Reg(kept), &val, Mode::Na, 0)?;
            }
            Initobj => {
                let ty = self.type_at(arg.token())?;
                let addr = self.pop()?;
                self.null_check(&addr)?;
                self.zero(ty, addr.one(), Mode::Na)?;
            }
            Ldfld => self.load_field(arg.token())?,
            Stfld => self.store_field(arg.token())?,
            Ldflda => {
                let field = self.field_at(arg.token())?;
                if self.is_static(field)? {
                    return self.refuse("`ldflda` of a static field is not supported");
                }
                let (at, _) = self.lower.layouts.field(&mut self.lower.world, field)?;
                let object = self.pop()?;
                self.null_check(&object)?;
                self.look_at_string(field.owner, &object);
                let dst = self.next();
                self.b.offset(dst, object.one(), at as i64);
                let note = self.lower.note(field.owner, at)?;
                self.push(Val { note, ..Val::object(Operand::Reg(dst)) });
            }
            Ldsfld | Ldsflda | Stsfld => self.static_field(op, arg.token())?,
            Ldlen => {
                let array = self.pop()?;
                self.null_check(&array)?;
                let length = self.length(array.one())?;
                self.push_copy(Val::prim(Prim::Ptr, length));
            }
            Ldelema => {
                let ty = self.type_at(arg.token())?;
                let index = self.pop()?;
                let array = self.pop()?;
                let addr = self.element(ty, &array, &index)?;
                self.push_copy(Val::object(addr));
            }
            LdelemI1 | LdelemU1 | LdelemI2 | LdelemU2 | LdelemI4 | LdelemU4 | LdelemI8 | LdelemI
            | LdelemR4 | LdelemR8 | LdelemRef | Ldelem => {
                let ty = match of {
                    Some(of) => kind(self, of),
                    None => self.type_at(arg.token())?,
                };
                let index = self.pop()?;
                let array = self.pop()?;
                let addr = self.element(ty, &array, &index)?;
                self.load_value(ty, addr, Mode::Na, 0)?;
            }
            StelemI | StelemI1 | StelemI2 | StelemI4 | StelemI8 | StelemR4 | StelemR8 | StelemRef
            | Stelem => {
                let ty = match of {
                    Some(of) => kind(self, of),
                    None => self.type_at(arg.token())?,
                };
                let val = self.pop()?;
                let index = self.pop()?;
                let array = self.pop()?;
                let val = self.fitted(val, ty, 2)?;
                let addr = self.element(ty, &array, &index)?;
                self.store_value(ty, addr, &val, Mode::Na, 0)?;
            }
            Newarr => {
                let ty = self.type_at(arg.token())?;
                let count = self.pop()?;
                self.new_array(ty, &count)?;
            }
            Cpblk | Initblk => {
                let vals = self.pop_many(3)?;
                if self.volatile {
                    return self.refuse("a volatile block operation is not supported");
                }
                let name = if op == Cpblk { "memmove" } else { "memset" };
                let native = self.lower.native(name, 3, 1);
                let args = vals.iter().map(Val::one).collect();
                let dst = self.scratch(5);
                self.b.call(Some(dst), native, args, 1);
            }
            Localloc => {
                let size = self.pop()?;
                // The size may be in the register that the address goes to.
                let (dst, bytes) = (self.next(), self.scratch(6));
                self.b.set_to(bytes, size.one());
                self.b.push(Instr::Alloca { dst, size: Operand::Reg(bytes), align: 8, private: true });
                if self.zeroed {
                    let given = vec![Operand::Reg(dst), Operand::Const(0), Operand::Reg(bytes)];
                    self.library("memset", given, 1);
                }
                self.push(Val::object(Operand::Reg(dst)));
            }
            Sizeof => {
                let ty = self.type_at(arg.token())?;
                let (size, _) = self.lower.layouts.size(&mut self.lower.world, ty)?;
                self.push(Val::int(size as i32));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub fn field_at(&mut self, token: Token) -> Result<Field, CompileError> {
        let context = self.context.clone();
        self.lower.world.field_at(self.assembly, token, &context)
    }

    fn is_static(&self, field: Field) -> Result<bool, CompileError> {
        let of = &self.lower.world.assemblies[field.def.assembly as usize];
        Ok(of.field_def(field.def.row)?.0 & STATIC != 0)
    }

    fn load_field(&mut self, token: Token) -> Result<(), CompileError> {
        let field = self.field_at(token)?;
        let object = self.pop()?;
        if self.is_static(field)? {
            return self.load_static(field);
        }
        let (at, ty) = self.lower.layouts.field(&mut self.lower.world, field)?;
        let value = self.lower.layouts.is_value(&mut self.lower.world, field.owner)?;
        if let (Shape::Value(of), true) = (object.shape, value) {
            // A part of a value on the stack.
            let all = self.leaves(of)?;
            let own = self.leaves(ty)?;
            let Some(first) =
                all.iter().position(|(offset, _)| *offset == at).or(own.is_empty().then_some(0))
            else {
                return self.refuse("a field that a value does not have");
            };
            let parts = object.parts.get(first..first + own.len()).map(<[Operand]>::to_vec);
            let Some(parts) = parts else { return self.refuse("a field that a value does not have") };
            let shape = self.shape(ty)?;
            self.push_copy(Val { shape, parts, some: false, note: 0 });
            return Ok(());
        }
        if value && self.lower.layouts.underlying(&mut self.lower.world, field.owner)?.is_some() {
            // The number of an enumeration, or of a primitive: by its address.
            self.null_check(&object)?;
            return self.load_value(ty, object.one(), Mode::Na, 0);
        }
        self.null_check(&object)?;
        self.look_at_string(field.owner, &object);
        let addr = self.at(object.one(), at, 0);
        let note = self.lower.note(field.owner, at)?;
        let mode = self.read_mode();
        self.load_value(ty, addr, mode, note)
    }

    /// Refuses to look into a string that nobody knows.
    fn look_at_string(&mut self, owner: Ty, object: &Val) {
        if matches!(self.lower.world.types.kind(owner), Kind::String) {
            let (at, length) = (self.at(object.one(), HEADER, 1), self.scratch(6));
            self.b.load(length, at, 4, Mode::Na);
            self.known_string(Operand::Reg(length));
        }
    }

    fn store_field(&mut self, token: Token) -> Result<(), CompileError> {
        let field = self.field_at(token)?;
        let (val, object) = (self.pop()?, self.pop()?);
        if self.is_static(field)? {
            self.push(val);
            return self.store_static(field);
        }
        let (at, ty) = self.lower.layouts.field(&mut self.lower.world, field)?;
        self.null_check(&object)?;
        let val = self.fitted(val, ty, 2)?;
        let addr = self.at(object.one(), at, 0);
        let note = self.lower.note(field.owner, at)?;
        let mode = self.write_mode();
        self.store_value(ty, addr, &val, mode, note)
    }

    fn static_field(&mut self, op: Op, token: Token) -> Result<(), CompileError> {
        let field = self.field_at(token)?;
        match op {
            Op::Ldsfld => self.load_static(field),
            Op::Stsfld => self.store_static(field),
            _ => {
                let addr = self.static_address(field)?;
                self.push(Val::object(addr));
                Ok(())
            }
        }
    }

    fn load_static(&mut self, field: Field) -> Result<(), CompileError> {
        let ty = self.lower.world.field_type(field)?;
        let addr = self.static_address(field)?;
        let mode = self.read_mode();
        self.load_value(ty, addr, mode, 0)
    }

    fn store_static(&mut self, field: Field) -> Result<(), CompileError> {
        let ty = self.lower.world.field_type(field)?;
        let val = self.pop()?;
        // What initialises the type may call: the value waits in its own place.
        self.push(val);
        let depth = self.stack.len() - 1;
        self.settle_at(depth);
        let addr = self.static_address(field)?;
        let val = self.pop()?;
        let val = self.fitted(val, ty, 2)?;
        let mode = self.write_mode();
        self.store_value(ty, addr, &val, mode, 0)
    }

    /// The address of a static field, after its type was initialised.
    fn static_address(&mut self, field: Field) -> Result<Operand, CompileError> {
        if let Some(ensure) = self.ensure(field.owner)? {
            self.b.call(Some(self.exc), ensure, Vec::new(), 1);
            self.check_exception();
        }
        Ok(Operand::Global(self.lower.static_global(field)?, 0))
    }

    /// How many elements an array has, in a scratch register.
    pub fn length(&mut self, array: Operand) -> Result<Operand, CompileError> {
        let native = self.lower.native("__selvedge_length", 1, 1);
        let dst = self.scratch(5);
        self.b.call(Some(dst), native, vec![array], 1);
        Ok(Operand::Reg(dst))
    }

    /// The address of an element, in a scratch register.
    pub(super) fn element(&mut self, ty: Ty, array: &Val, index: &Val) -> Result<Operand, CompileError> {
        self.null_check(array)?;
        let length = self.length(array.one())?;
        let index = match index.kind() {
            Prim::I4 => {
                let wide = self.scratch(8);
                let src = index.one();
                self.b.push(Instr::Cast { op: selvedge_ir::CastOp::Sext, from: 32, to: 64, dst: wide, src });
                Operand::Reg(wide)
            }
            _ => index.one(),
        };
        let out = self.scratch(6);
        self.b.cmp(CmpOp::Uge, 64, out, index, length);
        self.throw_if(Operand::Reg(out), "System.IndexOutOfRangeException");
        let (size, _) = self.lower.layouts.size(&mut self.lower.world, ty)?;
        let dst = self.scratch(0);
        self.b.push(Instr::Offset { dst, base: array.one(), index, scale: size as i64, within: false });
        self.b.offset(dst, Operand::Reg(dst), HEADER as i64);
        Ok(Operand::Reg(dst))
    }

    /// Makes an array and pushes it.
    pub fn new_array(&mut self, element: Ty, count: &Val) -> Result<(), CompileError> {
        let size = self.element_size(element)?;
        let array = self.lower.world.types.intern(Kind::SzArray(element));
        let wide = self.scratch(6);
        match count.kind() {
            Prim::I4 => {
                let src = count.one();
                self.b.push(Instr::Cast { op: selvedge_ir::CastOp::Sext, from: 32, to: 64, dst: wide, src });
            }
            _ => self.b.set_to(wide, count.one()),
        }
        let is = self.scratch(5);
        self.b.cmp(CmpOp::Slt, 64, is, Operand::Reg(wide), Operand::Const(0));
        self.throw_if(Operand::Reg(is), "System.OverflowException");
        self.b.bin(BinOp::Mul, 64, wide, Operand::Reg(wide), Operand::Const(size));
        self.b.bin(BinOp::Add, 64, wide, Operand::Reg(wide), Operand::Const(HEADER as u64));
        let dst = self.next();
        let tag = self.lower.tag(array)?;
        let new = self.lower.native("__selvedge_new_array", 3, 1);
        let args = vec![Operand::Reg(wide), Operand::Const(tag as u64), Operand::Const(size)];
        self.b.call(Some(dst), new, args, 1);
        self.push(Val::object(Operand::Reg(dst)));
        Ok(())
    }
}
