//! What is asked of types when the program runs: `GetType`, names, enumerations, equality of values.
//!
//! The functions that answer by the type of an object are written at the end, when all types that there are
//! objects of are known ([`Lower::write_late`]).

use super::body::Body;
use super::build::Builder;
use super::stack::Val;
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::{HEADER, Prim, TYPE};
use crate::refuse;
use crate::types::{Kind, Ty};
use crate::world::{INTERFACE, LITERAL, SEALED, Sig};
use selvedge_cil::{Table, Token};
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, FuncId, GlobalId, Instr, Operand, Place};

/// What is known of a type, by bit; above them, from bit 8 on, its `TypeCode`.
const VALUE: u64 = 1;
const ENUM: u64 = 2;
const PRIMITIVE: u64 = 4;
const AN_INTERFACE: u64 = 8;
const GENERIC: u64 = 16;
const ARRAY: u64 = 32;
const IS_SEALED: u64 = 64;

impl Lower {
    fn facts(&mut self, ty: Ty) -> Result<u64, CompileError> {
        let kind = self.world.types.kind(ty).clone();
        let mut facts = 0;
        if self.layouts.is_value(&mut self.world, ty)? {
            facts |= VALUE;
        }
        let mut counted = kind.clone();
        if facts & VALUE != 0
            && let Some(under) = self.layouts.underlying(&mut self.world, ty)?
        {
            facts |= ENUM;
            counted = self.world.types.kind(under).clone();
        }
        let code = match counted {
            Kind::Bool => 3,
            Kind::Char => 4,
            Kind::I1 => 5,
            Kind::U1 => 6,
            Kind::I2 => 7,
            Kind::U2 => 8,
            Kind::I4 => 9,
            Kind::U4 => 10,
            Kind::I8 => 11,
            Kind::U8 => 12,
            Kind::R4 => 13,
            Kind::R8 => 14,
            Kind::String => 18,
            _ => match self.world.name(ty).as_str() {
                "System.Decimal" => 15,
                "System.DateTime" => 16,
                "System.DBNull" => 2,
                _ => 1,
            },
        };
        facts |= code << 8;
        match &kind {
            Kind::Def(def, args) => {
                let flags = self.world.flags(*def)?;
                facts |= if flags & INTERFACE != 0 { AN_INTERFACE } else { 0 };
                facts |= if flags & SEALED != 0 { IS_SEALED } else { 0 };
                facts |= if args.is_empty() { 0 } else { GENERIC };
            }
            Kind::SzArray(_) | Kind::Array(..) => facts |= ARRAY | IS_SEALED,
            Kind::String => facts |= IS_SEALED,
            Kind::Object | Kind::Void => {}
            _ => facts |= PRIMITIVE,
        }
        Ok(facts)
    }

    /// The name of a type without its namespace, with it, and as it says of itself; the second is not
    /// followed for generic types.
    fn type_names(&self, ty: Ty) -> (String, Option<String>, String) {
        let full = match self.world.types.kind(ty) {
            Kind::Def(def, _) => self.world.def_name(*def).unwrap_or_default().replace('/', "+"),
            _ => self.world.name(ty),
        };
        let args = match self.world.types.kind(ty) {
            Kind::Def(_, args) => args.clone(),
            _ => Vec::new(),
        };
        let short = full.rsplit(['.', '+']).next().unwrap_or(&full).to_string();
        let list: Vec<String> = args.iter().map(|arg| self.type_names(*arg).2).collect();
        match list.is_empty() {
            true => (short, Some(full.clone()), full),
            false => (short, None, format!("{full}[{}]", list.join(","))),
        }
    }

    /// Where facts begin in the object of a type: after what the class library has there.
    fn facts_at(&mut self) -> Result<u32, CompileError> {
        let Some(class) = self.corlib_class("System.RuntimeType") else {
            return refuse("the class library has no System.RuntimeType");
        };
        Ok(self.layouts.of(&mut self.world, class)?.size.next_multiple_of(8))
    }

    /// The object for a type (`typeof`).
    pub fn type_object(&mut self, ty: Ty) -> Result<GlobalId, CompileError> {
        if let Some(known) = self.typeofs.get(&ty) {
            return Ok(*known);
        }
        let at = self.facts_at()? as usize;
        let Some(class) = self.corlib_class("System.RuntimeType") else {
            return refuse("the class library has no System.RuntimeType");
        };
        let tag = self.tag(class)?;
        let mut bytes = vec![0; at + 32];
        bytes[TYPE..TYPE + 8].copy_from_slice(&(tag as u64).to_le_bytes());
        let facts = self.facts(ty)?;
        bytes[at..at + 8].copy_from_slice(&facts.to_le_bytes());
        let id = self.global(format!("typeof({})", self.world.name(ty)), bytes, false);
        self.typeofs.insert(ty, id);
        let (short, full, said) = self.type_names(ty);
        for (n, name) in [Some(short), full, Some(said)].into_iter().enumerate() {
            let text = match name {
                Some(name) => self.string(&name.encode_utf16().collect::<Vec<_>>())?,
                None => self.unknown_string()?,
            };
            let place = (at + 8 + 8 * n) as u64;
            self.module.globals[id.0 as usize].addresses.push((place, Operand::Global(text, 0)));
        }
        Ok(id)
    }

    /// The type that a constant operand is the object of.
    fn type_of_object(&self, operand: Operand) -> Option<Ty> {
        let Operand::Global(id, 0) = operand else { return None };
        self.typeofs.iter().find(|(_, known)| **known == id).map(|(ty, _)| *ty)
    }

    /// The functions that answer by the type of an object.
    pub(super) fn write_late(&mut self) -> Result<(), CompileError> {
        for (key, id) in self.late.clone() {
            if key == Key::ThreadEntry {
                self.module.functions[id.0 as usize] = self.thread_entry()?;
                continue;
            }
            let name = match key {
                Key::GetType => "GetType",
                Key::EnumBits => "the number of an enumeration",
                Key::EnumText => "the name of an enumeration",
                Key::ValueEquals => "ValueType.Equals",
                _ => "the methods of a delegate",
            };
            let mut b = Builder::default();
            let params = if key == Key::ValueEquals { b.block(2)..2 } else { b.block(1)..1 };
            let results = if key == Key::ValueEquals { 2 } else { 1 };
            let object = Operand::Reg(0);
            let tag = b.reg();
            let native = self.native("__selvedge_type", 1, 1);
            b.call(Some(tag), native, vec![object], 1);
            let mut cases = Vec::new();
            for ty in self.live.clone() {
                let value = self.layouts.is_value(&mut self.world, ty)?;
                let counted = value && self.layouts.underlying(&mut self.world, ty)?.is_some();
                let wanted = match key {
                    Key::GetType => true,
                    Key::EnumBits | Key::EnumText => counted,
                    Key::ValueEquals => value,
                    _ => self.is_delegate(ty)?,
                };
                if wanted {
                    cases.push((self.tag(ty)? as u64, b.label(), ty));
                }
            }
            let none = b.label();
            b.switch(Operand::Reg(tag), cases.iter().map(|(n, label, _)| (*n, *label)).collect(), none);
            for (tag_of, label, ty) in cases {
                b.set(label);
                match key {
                    Key::GetType => {
                        let object = self.type_object(ty)?;
                        b.push(Instr::Return { values: vec![Operand::Global(object, 0)] });
                    }
                    Key::EnumBits => {
                        let bits = self.enum_bits(&mut b, ty)?;
                        b.push(Instr::Return { values: vec![bits] });
                    }
                    Key::EnumText => self.enum_text(&mut b, ty)?,
                    Key::ValueEquals => self.value_equals(&mut b, ty, tag_of)?,
                    _ => {
                        let all = self.multicast(ty)?;
                        b.push(Instr::Return { values: vec![Operand::Func(all)] });
                    }
                }
            }
            b.set(none);
            b.unsupported(format!("{name} of an object of a type that is not known here"));
            let function = b.finish(name.to_string(), params.collect(), results, Place::default());
            self.module.functions[id.0 as usize] = function;
        }
        Ok(())
    }

    fn enum_bits(&mut self, b: &mut Builder, ty: Ty) -> Result<Operand, CompileError> {
        let prim = self.layouts.prim(&mut self.world, ty)?.unwrap_or(Prim::I4);
        let (at, bits) = (b.reg(), b.reg());
        b.offset(at, Operand::Reg(0), HEADER as i64);
        b.load(bits, Operand::Reg(at), prim.bytes(), Mode::Na);
        Ok(Operand::Reg(bits))
    }

    /// The name of a number; numbers without one are written, or are several flags, which are not followed.
    fn enum_text(&mut self, b: &mut Builder, ty: Ty) -> Result<(), CompileError> {
        let bits = self.enum_bits(b, ty)?;
        let Some((def, _)) = self.world.def_of(ty) else { return refuse("an enumeration that is none") };
        let of = &self.world.assemblies[def.assembly as usize];
        let (from, to) = of.type_def(def.row)?.fields;
        let mut names: Vec<(u64, String)> = Vec::new();
        for row in from..to {
            let (flags, name) = of.field_def(row)?;
            if flags & LITERAL != 0
                && let Some(number) = of.constant(row)?
                && !names.iter().any(|(n, _)| *n == number)
            {
                names.push((number, name.to_string()));
            }
        }
        let attributes = of.attributes(Token::new(Table::TypeDef, def.row))?;
        let flags = attributes.iter().any(|(name, _)| name == "System.FlagsAttribute");
        let cases: Vec<_> = names.into_iter().map(|(n, name)| (n, b.label(), name)).collect();
        let none = b.label();
        b.switch(bits, cases.iter().map(|(n, label, _)| (*n, *label)).collect(), none);
        for (_, label, name) in cases {
            let text = self.string(&name.encode_utf16().collect::<Vec<_>>())?;
            b.set(label);
            b.push(Instr::Return { values: vec![Operand::Global(text, 0)] });
        }
        b.set(none);
        let number = b.reg();
        if flags {
            let text = self.unknown_string()?;
            b.set_to(number, Operand::Global(text, 0));
        } else {
            let under = self.layouts.underlying(&mut self.world, ty)?;
            let (kind, signed) = match under.map(|ty| self.world.types.kind(ty).clone()) {
                Some(Kind::I1) => (0, 8),
                Some(Kind::I2) => (0, 16),
                Some(Kind::I4) => (0, 0),
                Some(Kind::I8) => (2, 0),
                Some(Kind::U8) => (3, 0),
                _ => (1, 0),
            };
            b.set_to(number, bits);
            if signed > 0 {
                let (op, src) = (selvedge_ir::CastOp::Sext, bits);
                b.push(Instr::Cast { op, from: signed, to: 32, dst: number, src });
            }
            let empty = self.string(&[])?;
            let empty = Operand::Global(empty, 0);
            let native = self.native("__selvedge_string_number", 5, 1);
            let args = vec![empty, Operand::Reg(number), Operand::Const(kind), Operand::Const(0), empty];
            b.call(Some(number), native, args, 1);
        }
        b.push(Instr::Return { values: vec![Operand::Reg(number)] });
        Ok(())
    }

    /// Two boxes are equal if they are of one type and all parts are: numbers by themselves, objects by
    /// `Equals`.
    fn value_equals(&mut self, b: &mut Builder, ty: Ty, tag: u64) -> Result<(), CompileError> {
        let (differ, is, x, y) = (b.label(), b.reg(), b.reg(), b.reg());
        let native = self.native("__selvedge_type", 1, 1);
        b.call(Some(is), native, vec![Operand::Reg(1)], 1);
        b.cmp(CmpOp::Ne, 64, is, Operand::Reg(is), Operand::Const(tag));
        b.branch_if(Operand::Reg(is), differ);
        for (offset, prim) in self.layouts.leaves(&mut self.world, ty)? {
            for (dst, of) in [(x, 0), (y, 1)] {
                b.offset(dst, Operand::Reg(of), (HEADER + offset) as i64);
                b.load(dst, Operand::Reg(dst), prim.bytes(), Mode::Na);
            }
            let bits = 8 * prim.bytes();
            b.cmp(CmpOp::Ne, bits, is, Operand::Reg(x), Operand::Reg(y));
            match prim {
                // Different bits may be equal numbers, and equal objects need not be the same.
                Prim::R4 | Prim::R8 | Prim::Ptr => {
                    let (same, asked) = (b.label(), b.label());
                    b.branch(Operand::Reg(is), asked, same);
                    b.set(asked);
                    match (prim, self.object_equals()?) {
                        (Prim::Ptr, Some(equals)) if !self.only_numbers(ty)? => {
                            let both = b.label();
                            b.cmp(CmpOp::Ne, 64, is, Operand::Reg(x), Operand::Const(0));
                            b.branch(Operand::Reg(is), both, differ);
                            b.set(both);
                            b.cmp(CmpOp::Ne, 64, is, Operand::Reg(y), Operand::Const(0));
                            let call = b.label();
                            b.branch(Operand::Reg(is), call, differ);
                            b.set(call);
                            let out = b.block(2);
                            b.call(Some(out), equals, vec![Operand::Reg(x), Operand::Reg(y)], 2);
                            let thrown = b.label();
                            let fine = b.label();
                            b.branch(Operand::Reg(out), thrown, fine);
                            b.set(thrown);
                            b.push(Instr::Return { values: vec![Operand::Reg(out), Operand::Const(0)] });
                            b.set(fine);
                            b.branch(Operand::Reg(out + 1), same, differ);
                        }
                        _ => b.unsupported("equality of structures with floats that differ"),
                    }
                    b.set(same);
                }
                _ => b.branch_if(Operand::Reg(is), differ),
            }
        }
        b.push(Instr::Return { values: vec![Operand::Const(0), Operand::Const(1)] });
        b.set(differ);
        b.push(Instr::Return { values: vec![Operand::Const(0), Operand::Const(0)] });
        Ok(())
    }

    /// Whether the parts of a structure with the size of a reference are native integers: not told apart
    /// here, so they are asked for by the names of their types.
    fn only_numbers(&mut self, ty: Ty) -> Result<bool, CompileError> {
        Ok(matches!(self.world.types.kind(ty), Kind::I | Kind::U | Kind::Ptr(_) | Kind::FnPtr))
    }

    fn object_equals(&mut self) -> Result<Option<FuncId>, CompileError> {
        let object = self.world.types.intern(Kind::Object);
        let equals = self.world.method_named(object, "Equals", 1)?;
        equals.map(|method| self.function(Key::Dispatch(method))).transpose()
    }

    /// A function that is written at the end; what it calls has to be known before.
    pub(super) fn late(&mut self, key: Key) -> Result<FuncId, CompileError> {
        match key {
            Key::ValueEquals => _ = self.object_equals()?,
            Key::GetType => {
                let object = self.world.types.intern(Kind::Object);
                self.type_object(object)?;
            }
            _ => {}
        }
        self.string(&[])?;
        self.function(key)
    }

    pub fn is_delegate(&mut self, ty: Ty) -> Result<bool, CompileError> {
        let base = self.world.base(ty)?;
        Ok(base.is_some_and(|base| self.world.name(base) == "System.MulticastDelegate"))
    }

    /// What a delegate of several methods calls: each of them, with the delegate itself as its object.
    fn multicast(&mut self, ty: Ty) -> Result<FuncId, CompileError> {
        let Some((def, _)) = self.world.def_of(ty) else { return refuse("a delegate that is none") };
        let of = &self.world.assemblies[def.assembly as usize];
        let (from, to) = of.type_def(def.row)?.methods;
        let mut invoke = None;
        for row in from..to {
            if of.method_def(row)?.name == "Invoke" {
                invoke = Some(crate::types::DefId { row, ..def });
            }
        }
        let Some(invoke) = invoke else { return refuse("a delegate without `Invoke`") };
        let sig = self.world.sig(&crate::world::Method { owner: ty, def: invoke, args: Vec::new() })?;
        let list = self.field_of("System.MulticastDelegate", "delegates")?;
        let (target, code) = self.delegate_parts()?;
        let id = self.reserve(String::new());
        let mut b = Builder::default();
        let mut params = vec![b.reg()];
        for param in &sig.params {
            for _ in self.layouts.leaves(&mut self.world, *param)? {
                params.push(b.reg());
            }
        }
        let results = self.results(sig.result)?;
        let out = b.block(results);
        let (all, count, n, it, object, function) = (b.reg(), b.reg(), b.reg(), b.reg(), b.reg(), b.reg());
        b.offset(all, Operand::Reg(0), list as i64);
        b.load(all, Operand::Reg(all), 8, Mode::Na);
        let length = self.native("__selvedge_length", 1, 1);
        b.call(Some(count), length, vec![Operand::Reg(all)], 1);
        let (next, body, done, go_on) = (b.label(), b.label(), b.label(), b.label());
        b.set_to(n, Operand::Const(0));
        b.jump(next);
        b.set(next);
        b.cmp(CmpOp::Ult, 64, it, Operand::Reg(n), Operand::Reg(count));
        b.branch(Operand::Reg(it), body, done);
        b.set(body);
        let (base, index) = (Operand::Reg(all), Operand::Reg(n));
        b.push(Instr::Offset { dst: it, base, index, scale: 8, within: false });
        b.offset(it, Operand::Reg(it), HEADER as i64);
        b.load(it, Operand::Reg(it), 8, Mode::Na);
        for (dst, by) in [(object, target), (function, code)] {
            b.offset(dst, Operand::Reg(it), by as i64);
            b.load(dst, Operand::Reg(dst), 8, Mode::Na);
        }
        let mut args = vec![Operand::Reg(object)];
        args.extend(params[1..].iter().map(|r| Operand::Reg(*r)));
        let callee = Operand::Reg(function);
        b.push(Instr::Call { dst: Some(out), callee, args, results, signature: None, lands: None });
        b.branch(Operand::Reg(out), done, go_on);
        b.set(go_on);
        b.bin(BinOp::Add, 64, n, Operand::Reg(n), Operand::Const(1));
        b.jump(next);
        b.set(done);
        b.push(Instr::Return { values: (out..out + results).map(Operand::Reg).collect() });
        let name = format!("{} of several methods", self.world.name(ty));
        self.module.functions[id.0 as usize] = b.finish(name, params, results, Place::default());
        Ok(id)
    }
}

impl Body<'_> {
    /// A fact of a type: known, or looked up in its object.
    fn type_fact(&mut self, of: &Val, mask: u64, shift: u64) -> Result<(), CompileError> {
        if let Some(ty) = self.lower.type_of_object(of.one()) {
            let facts = self.lower.facts(ty)?;
            self.push(Val::int(((facts & mask) >> shift) as i32));
            return Ok(());
        }
        self.null_check(of)?;
        let by = self.lower.facts_at()?;
        let (at, facts) = (self.at(of.one(), by, 1), self.b.reg());
        self.b.load(facts, at, 8, Mode::Na);
        self.b.bin(BinOp::And, 64, facts, Operand::Reg(facts), Operand::Const(mask));
        self.b.bin(BinOp::LShr, 64, facts, Operand::Reg(facts), Operand::Const(shift));
        self.give(Prim::I4, facts);
        Ok(())
    }

    /// Members of `Type`, which are all of what there is at run time.
    pub(super) fn of_type(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let same = |body: &mut Self, op: CmpOp| {
            let is = body.b.reg();
            body.b.cmp(op, 64, is, vals[0].one(), vals[1].one());
            body.give(Prim::I4, is);
        };
        match member {
            "GetTypeFromHandle" | "get_TypeHandle" | "GetTypeHandle" => self.push_copy(vals[0].clone()),
            "op_Equality" | "Equals" if vals.len() == 2 => same(self, CmpOp::Eq),
            "op_Inequality" if vals.len() == 2 => same(self, CmpOp::Ne),
            "GetHashCode" => self.push(Val::int(1)),
            "get_IsValueType" => self.type_fact(&vals[0], VALUE, 0)?,
            "get_IsEnum" => self.type_fact(&vals[0], ENUM, 1)?,
            "get_IsPrimitive" => self.type_fact(&vals[0], PRIMITIVE, 2)?,
            "get_IsInterface" => self.type_fact(&vals[0], AN_INTERFACE, 3)?,
            "get_IsGenericType" => self.type_fact(&vals[0], GENERIC, 4)?,
            "get_IsArray" => self.type_fact(&vals[0], ARRAY, 5)?,
            "get_IsSealed" => self.type_fact(&vals[0], IS_SEALED, 6)?,
            "GetTypeCode" if !sig.has_this => self.type_fact(&vals[0], 0xff00, 8)?,
            "get_IsClass" => {
                self.type_fact(&vals[0], VALUE | AN_INTERFACE, 0)?;
                let facts = self.pop()?;
                let is = self.b.reg();
                self.b.cmp(CmpOp::Eq, 32, is, facts.one(), Operand::Const(0));
                self.give(Prim::I4, is);
            }
            "get_Name" | "get_FullName" | "ToString" => {
                let n = ["get_Name", "get_FullName", "ToString"].iter().position(|m| *m == member);
                self.null_check(&vals[0])?;
                let by = self.lower.facts_at()? + 8 + 8 * n.unwrap_or(0) as u32;
                let (at, text) = (self.at(vals[0].one(), by, 1), self.b.reg());
                self.b.load(text, at, 8, Mode::Na);
                self.push_copy(Val::object(Operand::Reg(text)));
            }
            "IsInstanceOfType" | "IsAssignableFrom" | "IsSubclassOf" => {
                let Some(ty) = self.lower.type_of_object(vals[0].one()) else { return Ok(false) };
                if member == "IsInstanceOfType" {
                    let function = self.lower.function(Key::IsInst(ty))?;
                    let (is, ask, done) = (self.b.reg(), self.b.label(), self.b.label());
                    let object = vals[1].one();
                    self.b.set_to(is, Operand::Const(0));
                    self.b.branch(object, ask, done);
                    self.b.set(ask);
                    self.b.call(Some(is), function, vec![object], 1);
                    self.b.jump(done);
                    self.b.set(done);
                    self.give(Prim::I4, is);
                    return Ok(true);
                }
                let Some(other) = self.lower.type_of_object(vals[1].one()) else { return Ok(false) };
                let (from, to) = if member == "IsSubclassOf" { (ty, other) } else { (other, ty) };
                let is = self.lower.is_a(from, to)? == super::dispatch::Is::Yes
                    && (member != "IsSubclassOf" || from != to);
                self.push(Val::int(is as i32));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Enumerations, in boxes.
    pub(super) fn enumeration(
        &mut self,
        member: &str,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        match member {
            "ToString" if vals.len() == 1 => {
                self.null_check(&vals[0])?;
                let function = self.lower.late(Key::EnumText)?;
                let text = self.b.reg();
                self.b.call(Some(text), function, vec![vals[0].one()], 1);
                self.push_copy(Val::object(Operand::Reg(text)));
            }
            "HasFlag" => {
                let function = self.lower.late(Key::EnumBits)?;
                let (own, asked) = (self.b.reg(), self.b.reg());
                for (dst, val) in [(own, &vals[0]), (asked, &vals[1])] {
                    self.null_check(val)?;
                    self.b.call(Some(dst), function, vec![val.one()], 1);
                }
                self.b.bin(BinOp::And, 64, own, Operand::Reg(own), Operand::Reg(asked));
                self.b.cmp(CmpOp::Eq, 64, own, Operand::Reg(own), Operand::Reg(asked));
                self.give(Prim::I4, own);
            }
            "ToString" if sig.has_this => self.unknown_string()?,
            _ => return self.value_type(member, sig, vals),
        }
        Ok(true)
    }

    /// What boxed values have of `ValueType`.
    pub(super) fn value_type(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        match member {
            "Equals" | "DefaultEquals" if vals.len() == 2 => {
                if sig.has_this {
                    self.null_check(&vals[0])?;
                }
                let function = self.lower.late(Key::ValueEquals)?;
                let (is, ask, done) = (self.b.reg(), self.b.label(), self.b.label());
                self.b.set_to(is, Operand::Const(0));
                self.b.branch(vals[1].one(), ask, done);
                self.b.set(ask);
                let boolean = self.lower.world.types.intern(Kind::Bool);
                self.emit_call(Operand::Func(function), vec![vals[0].one(), vals[1].one()], boolean)?;
                let answer = self.pop()?;
                self.b.set_to(is, answer.one());
                self.b.jump(done);
                self.b.set(done);
                self.give(Prim::I4, is);
            }
            // Any number will do, if it is the same for equal values.
            "GetHashCode" => self.push(Val::int(1)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `null` for what has no value, else a box of it.
    pub(super) fn box_nullable(&mut self, of: Ty, nullable: Ty) -> Result<(), CompileError> {
        let val = self.pop()?;
        let (has, value) = self.nullable_parts(nullable, of, &val)?;
        let (out, some, done) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.set_to(out, Operand::Const(0));
        self.b.branch(has, some, done);
        self.b.set(some);
        self.push(value);
        self.make_box(of)?;
        let object = self.pop()?;
        self.b.set_to(out, object.one());
        self.b.jump(done);
        self.b.set(done);
        self.push_copy(Val::prim(Prim::Ptr, Operand::Reg(out)));
        Ok(())
    }

    /// Whether a nullable value has one, and which.
    fn nullable_parts(&mut self, nullable: Ty, of: Ty, val: &Val) -> Result<(Operand, Val), CompileError> {
        let (flag, first) = self.nullable_places(nullable)?;
        let all = self.leaves(nullable)?;
        let count = self.leaves(of)?.len();
        let at = |wanted: u32| all.iter().position(|(offset, _)| *offset == wanted);
        let (Some(flag), Some(first)) = (at(flag), at(first)) else {
            return self.refuse("a nullable value without parts is not supported");
        };
        let parts = val.parts.get(first..first + count).map(<[Operand]>::to_vec).unwrap_or_default();
        let has = val.parts.get(flag).copied().unwrap_or(Operand::Const(0));
        let shape = self.shape(of)?;
        Ok((has, Val { shape, parts, some: false, note: 0 }))
    }

    /// Where a nullable value has its flag and its value.
    fn nullable_places(&mut self, nullable: Ty) -> Result<(u32, u32), CompileError> {
        let mut place = |names: [&str; 2]| {
            for name in names {
                if let Some(field) = self.lower.world.own_field(nullable, name)? {
                    return Ok(self.lower.layouts.field(&mut self.lower.world, field)?.0);
                }
            }
            refuse("the class library's nullable values are of another kind")
        };
        Ok((place(["hasValue", "has_value"])?, place(["value", "_value"])?))
    }

    /// The other way round.
    pub(super) fn unbox_nullable(&mut self, nullable: Ty, of: Ty, object: &Val) -> Result<(), CompileError> {
        let (flag, first) = self.nullable_places(nullable)?;
        let addr = self.memory(nullable)?;
        self.zero(nullable, Operand::Reg(addr), Mode::Na)?;
        let (kept, some, done) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.set_to(kept, object.one());
        self.b.branch(Operand::Reg(kept), some, done);
        self.b.set(some);
        self.unbox(selvedge_cil::Op::UnboxAny, of, &Val::object(Operand::Reg(kept)))?;
        let value = self.pop()?;
        let place = self.b.reg();
        self.b.offset(place, Operand::Reg(addr), first as i64);
        self.store_value(of, Operand::Reg(place), &value, Mode::Na, 0)?;
        self.b.offset(place, Operand::Reg(addr), flag as i64);
        self.b.store(Operand::Reg(place), Operand::Const(1), 1, Mode::Na);
        self.b.jump(done);
        self.b.set(done);
        self.load_value(nullable, Operand::Reg(addr), Mode::Na, 0)
    }
}
