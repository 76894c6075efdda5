//! Strings: what is put together of others is done by the machine where it knows them, so that no memory is
//! written for it; the rest is the class library's own code.

use super::body::Body;
use super::build::Builder;
use super::stack::Val;
use super::{Key, Lower};
use crate::CompileError;
use crate::layout::{HEADER, Prim};
use crate::types::{Kind, Ty};
use crate::world::{Method, Sig};
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, Function, GlobalId, Instr, Operand, Place};

/// The length that says of a string that nobody knows what it says.
const UNKNOWN: u32 = u32::MAX;

/// A part of a format.
enum Piece {
    Text(Vec<u16>),
    /// Which one, how wide, and in what format.
    Argument(usize, i32, Vec<u16>),
}

/// The parts of a format; `None` if it is none.
fn pieces(format: &[u16]) -> Option<Vec<Piece>> {
    let (open, close) = (b'{' as u16, b'}' as u16);
    let (mut pieces, mut text, mut at) = (Vec::new(), Vec::new(), 0);
    while at < format.len() {
        let unit = format[at];
        let doubled = format.get(at + 1) == Some(&unit);
        if (unit == open || unit == close) && doubled {
            text.push(unit);
            at += 2;
        } else if unit == open {
            let end = at + format[at..].iter().position(|u| *u == close)?;
            let said = String::from_utf16(&format[at + 1..end]).ok()?;
            let (said, own) = said.split_once(':').unwrap_or((&said, ""));
            let (number, width) = said.split_once(',').unwrap_or((said, "0"));
            let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            let number = if plain { number.parse().ok()? } else { return None };
            pieces.push(Piece::Argument(number, width.trim().parse().ok()?, own.encode_utf16().collect()));
            at = end + 1;
        } else if unit == close {
            return None;
        } else {
            text.push(unit);
            at += 1;
        }
    }
    pieces.push(Piece::Text(text));
    Some(pieces)
}

impl Body<'_> {
    /// A string whose contents are not known; looking at them is not supported.
    pub(super) fn unknown_string(&mut self) -> Result<(), CompileError> {
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
        self.b.unsupported("the contents of a text that is not followed: of a float, a time, or an object");
        self.b.set(fine);
    }

    /// Refuses to say whether two strings that were put together and say the same are one object. The class
    /// library asks only to be faster.
    pub(super) fn same_string(&mut self, a: Operand, b: Operand) {
        let own = |operand: Operand| matches!(operand, Operand::Reg(_));
        if self.method.def.assembly != 0 || !own(a) || !own(b) {
            return;
        }
        let (is, same, built, fine) = (self.b.reg(), self.b.label(), self.b.label(), self.b.label());
        self.b.cmp(CmpOp::Eq, 64, is, a, b);
        self.b.branch(Operand::Reg(is), same, fine);
        self.b.set(same);
        let made = self.library("__selvedge_string_built", vec![a], 1);
        self.b.branch(made, built, fine);
        self.b.set(built);
        self.b.unsupported("whether strings that were put together and say the same are one object");
        self.b.set(fine);
    }

    /// Refuses a compare-and-exchange of the program's that expects a string that was put together.
    pub(super) fn built_string(&mut self, expected: Operand) {
        if self.method.def.assembly != 0 || !matches!(expected, Operand::Reg(_)) {
            return;
        }
        let made = self.library("__selvedge_string_built", vec![expected], 1);
        let (built, fine) = (self.b.label(), self.b.label());
        self.b.branch(made, built, fine);
        self.b.set(built);
        self.b.unsupported("a compare-and-exchange that expects a string that was put together");
        self.b.set(fine);
    }

    fn empty_string(&mut self) -> Result<Operand, CompileError> {
        Ok(Operand::Global(self.lower.string(&[])?, 0))
    }

    fn concat(&mut self, a: Operand, b: Operand) -> Result<Operand, CompileError> {
        let empty = self.empty_string()?;
        Ok(self.library("__dotnet_concat", vec![a, b, empty], 1))
    }

    pub(super) fn string(&mut self, member: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let string = self.lower.world.types.intern(Kind::String);
        let of_strings = sig.params.iter().all(|ty| *ty == string);
        match member {
            "ToString" => self.push_copy(vals[0].clone()),
            "Concat" if of_strings && (2..=4).contains(&vals.len()) => {
                let mut joined = vals[0].one();
                for val in &vals[1..] {
                    joined = self.concat(joined, val.one())?;
                }
                self.push_copy(Val::object(joined));
            }
            "Format" => return self.format(sig, vals),
            "FastAllocateString" => {
                let empty = self.empty_string()?;
                let made = self.library("__dotnet_new_string", vec![empty, vals[0].one()], 1);
                self.push_copy(Val::object(made));
            }
            "InternalSubString" => {
                let empty = self.empty_string()?;
                let args = vals.iter().map(Val::one).chain([empty]).collect();
                let made = self.library("__dotnet_substring", args, 1);
                self.push_copy(Val::object(made));
            }
            "wstrcpy" => {
                let bytes = self.scratch(6);
                self.b.bin(BinOp::Mul, 64, bytes, vals[2].one(), Operand::Const(2));
                self.library("memmove", vec![vals[0].one(), vals[1].one(), Operand::Reg(bytes)], 1);
            }
            // By the culture that there is, which compares as characters do what has no marks of its own.
            "IndexOf" | "Contains" if sig.params == [string] => {
                self.null_check(&vals[0])?;
                let (at, is) = (self.b.reg(), self.scratch(5));
                self.b.cmp(CmpOp::Eq, 64, is, vals[1].one(), Operand::Const(0));
                self.throw_if(Operand::Reg(is), "System.ArgumentNullException");
                let function = self.lower.function(Key::IndexOf)?;
                self.b.call(Some(at), function, vec![vals[0].one(), vals[1].one()], 1);
                if member == "Contains" {
                    self.b.cmp(CmpOp::Ne, 32, at, Operand::Reg(at), Operand::Const(u32::MAX as u64));
                }
                self.give(Prim::I4, at);
            }
            "StartsWith" | "EndsWith" if sig.params == [string] => {
                let Some(how) = self.lower.corlib_class("System.StringComparison") else { return Ok(false) };
                let wanted = Sig { params: vec![string, how], ..sig.clone() };
                let Some(method) = self.lower.world.own_method(string, member, &wanted, 0)? else {
                    return Ok(false);
                };
                const ORDINAL: i32 = 4;
                let all = [vals.to_vec(), vec![Val::int(ORDINAL)]].concat();
                self.call_method(&method, &wanted, all, false)?;
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

    /// `String.Format` of a constant format: its parts after each other.
    fn format(&mut self, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let string = self.lower.world.types.intern(Kind::String);
        let object = self.lower.world.types.intern(Kind::Object);
        let listed = self.lower.world.types.intern(Kind::SzArray(object));
        let Some((format, params)) = sig.params.split_first().filter(|(first, _)| **first == string) else {
            self.unknown_string()?;
            return Ok(true);
        };
        debug_assert_eq!(*format, string);
        let parts = self.lower.units(vals[0].one()).and_then(|units| pieces(&units));
        let from_list = params == [listed];
        let Some(parts) = parts.filter(|_| from_list || params.iter().all(|ty| *ty == object)) else {
            self.unknown_string()?;
            return Ok(true);
        };
        let mut joined = self.empty_string()?;
        for part in parts {
            let next = match part {
                Piece::Text(units) if units.is_empty() => continue,
                Piece::Text(units) => Operand::Global(self.lower.string(&units)?, 0),
                Piece::Argument(n, width, format) => {
                    let arg = match vals.get(n + 1) {
                        _ if from_list => {
                            let addr = self.element(object, &vals[1], &Val::int(n as i32))?;
                            let arg = self.b.reg();
                            self.b.load(arg, addr, 8, Mode::Na);
                            Operand::Reg(arg)
                        }
                        Some(val) => val.one(),
                        None => {
                            self.throw_if(Operand::Const(1), "System.FormatException");
                            continue;
                        }
                    };
                    let text = match format.is_empty() {
                        true => self.text_of(arg)?,
                        false => self.formatted(arg, &format)?,
                    };
                    self.padded(text, width)?
                }
            };
            joined = self.concat(joined, next)?;
        }
        self.push_copy(Val::object(joined));
        Ok(true)
    }

    /// A text with blanks around it.
    fn padded(&mut self, text: Operand, width: i32) -> Result<Operand, CompileError> {
        if width == 0 {
            return Ok(text);
        }
        // Null is no text.
        let (kept, empty) = (self.b.reg(), self.empty_string()?);
        self.b.push(Instr::Select { dst: kept, cond: text, a: text, b: empty });
        let unknown = Operand::Global(self.lower.unknown_string()?, 0);
        let args = vec![Operand::Reg(kept), Operand::Const(width as u32 as u64), unknown];
        Ok(self.library("__selvedge_string_pad", args, 1))
    }

    /// What an object says of itself in a format, if it knows formats.
    fn formatted(&mut self, arg: Operand, format: &[u16]) -> Result<Operand, CompileError> {
        let string = self.lower.world.types.intern(Kind::String);
        let Some(class) = self.lower.corlib_class("System.IFormattable") else {
            return self.refuse("the class library has no IFormattable");
        };
        let Some(method) = self.lower.world.method_named(class, "ToString", 2)? else {
            return self.refuse("the class library has no IFormattable.ToString");
        };
        let format = Operand::Global(self.lower.string(format)?, 0);
        let (test, call) = (Key::IsInst(class), Key::Dispatch(method));
        let (test, call) = (self.lower.function(test)?, self.lower.function(call)?);
        let (out, is) = (self.b.reg(), self.b.reg());
        let (ask, known, other, done) = (self.b.label(), self.b.label(), self.b.label(), self.b.label());
        self.b.set_to(out, arg);
        self.b.branch(arg, ask, done);
        self.b.set(ask);
        self.b.call(Some(is), test, vec![Operand::Reg(out)], 1);
        self.b.branch(Operand::Reg(is), known, other);
        self.b.set(known);
        self.emit_call(Operand::Func(call), vec![Operand::Reg(out), format, Operand::Const(0)], string)?;
        let said = self.pop()?;
        self.b.set_to(out, said.one());
        self.b.jump(done);
        self.b.set(other);
        let text = self.text_of(Operand::Reg(out))?;
        self.b.set_to(out, text);
        self.b.jump(done);
        self.b.set(done);
        Ok(Operand::Reg(out))
    }

    /// What an object says of itself; null says nothing.
    fn text_of(&mut self, arg: Operand) -> Result<Operand, CompileError> {
        let object = self.lower.world.types.intern(Kind::Object);
        let string = self.lower.world.types.intern(Kind::String);
        let Some(method) = self.lower.world.method_named(object, "ToString", 0)? else {
            return self.refuse("the class library has no Object.ToString");
        };
        let function = self.lower.function(Key::Dispatch(method))?;
        let (out, ask, done) = (self.b.reg(), self.b.label(), self.b.label());
        self.b.set_to(out, arg);
        self.b.branch(arg, ask, done);
        self.b.set(ask);
        self.emit_call(Operand::Func(function), vec![arg], string)?;
        let said = self.pop()?;
        self.b.set_to(out, said.one());
        self.b.jump(done);
        self.b.set(done);
        Ok(Operand::Reg(out))
    }

    /// `ToString` of a number, a character, or what is printed in ways that are not followed.
    pub(super) fn printed(&mut self, class: &str, sig: &Sig, vals: &[Val]) -> Result<bool, CompileError> {
        let (kind, own) = match class {
            "Int32" => (0, Kind::I4),
            "Int16" => (7, Kind::I2),
            "SByte" => (8, Kind::I1),
            "UInt32" => (1, Kind::U4),
            "UInt16" => (1, Kind::U2),
            "Byte" => (1, Kind::U1),
            "Int64" => (2, Kind::I8),
            "UInt64" => (3, Kind::U8),
            "Char" => (4, Kind::Char),
            "Single" => (5, Kind::R4),
            "Double" => (6, Kind::R8),
            _ => {
                self.unknown_string()?;
                return Ok(true);
            }
        };
        let ty = self.lower.world.types.intern(own);
        let number = match sig.has_this {
            true => {
                self.null_check(&vals[0])?;
                self.load_value(ty, vals[0].one(), Mode::Na, 0)?;
                self.pop()?.one()
            }
            false => vals[0].one(),
        };
        let kept = self.b.reg();
        self.b.set_to(kept, number);
        let empty = self.empty_string()?;
        let string = self.lower.world.types.intern(Kind::String);
        let format = match sig.params.first() == Some(&string) && sig.has_this {
            true => vals[1].one(),
            false => Operand::Const(0),
        };
        let unknown = Operand::Global(self.lower.unknown_string()?, 0);
        let args = vec![empty, Operand::Reg(kept), Operand::Const(kind), format, unknown];
        let text = self.library("__selvedge_string_number", args, 1);
        let out = self.b.reg();
        self.b.set_to(out, text);
        self.push_copy(Val::object(Operand::Reg(out)));
        Ok(true)
    }

    /// `StringBuilder.Append` of a number: what it looks like is appended.
    pub(super) fn append_number(
        &mut self,
        method: &Method,
        sig: &Sig,
        vals: &[Val],
    ) -> Result<bool, CompileError> {
        let string = self.lower.world.types.intern(Kind::String);
        let [of] = method.args[..] else { return Ok(false) };
        let name = self.lower.world.name(of);
        let class = name.strip_prefix("System.").unwrap_or(&name).to_string();
        let own = Sig { has_this: false, params: vec![of], result: string, ..sig.clone() };
        self.printed(&class, &own, &vals[1..])?;
        let text = self.pop()?;
        let wanted = Sig { generics: 0, params: vec![string], ..sig.clone() };
        let Some(append) = self.lower.world.own_method(method.owner, "Append", &wanted, 0)? else {
            return Ok(false);
        };
        self.call_method(&append, &wanted, vec![vals[0].clone(), text], false)?;
        Ok(true)
    }

    /// `new String(…)`: the class library has a method for each.
    pub(super) fn new_string(&mut self, sig: &Sig, vals: &[Val]) -> Result<(), CompileError> {
        let string = self.lower.world.types.intern(Kind::String);
        let wanted = Sig { result: string, has_this: true, ..sig.clone() };
        let Some(method) = self.lower.world.own_method(string, "CreateString", &wanted, 0)? else {
            return self.refuse("this constructor of strings is not supported");
        };
        let all = [vec![Val::object(Operand::Const(0))], vals.to_vec()].concat();
        self.call_method(&method, &wanted, all, false)
    }

    /// Copies of memory.
    pub(super) fn buffer(&mut self, member: &str, args: &[Ty], vals: &[Val]) -> Result<bool, CompileError> {
        let all = |n: &[Val]| n.iter().map(Val::one).collect::<Vec<_>>();
        match (member, vals) {
            ("InternalMemcpy" | "Memcpy" | "Memmove" | "memcpy1" | "memcpy2" | "memcpy4", [_, _, _]) => {
                let mut given = all(vals);
                if let [of] = args {
                    let (size, _) = self.lower.layouts.size(&mut self.lower.world, *of)?;
                    let bytes = self.scratch(6);
                    self.b.bin(BinOp::Mul, 64, bytes, given[2], Operand::Const(size as u64));
                    given[2] = Operand::Reg(bytes);
                }
                self.library("memmove", given, 1);
            }
            ("InternalBlockCopy" | "BlockCopy", [from, at, to, by, count]) => {
                let (source, target) = (self.b.reg(), self.b.reg());
                for (dst, array, offset) in [(source, from, at), (target, to, by)] {
                    let (base, index) = (array.one(), offset.one());
                    self.b.push(Instr::Offset { dst, base, index, scale: 1, within: false });
                    self.b.offset(dst, Operand::Reg(dst), HEADER as i64);
                }
                let given = vec![Operand::Reg(target), Operand::Reg(source), count.one()];
                self.library("memmove", given, 1);
                if member == "InternalBlockCopy" {
                    self.push(Val::int(1));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Types whose `ToString` is the machine's.
pub const PRINTED: [&str; 15] = [
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
    "Decimal",
    "ValueType",
    "TimeSpan",
    "DateTime",
];

impl Lower {
    /// Where one string is in another, or -1.
    pub(super) fn index_of(&mut self) -> Function {
        let mut b = Builder::default();
        let (string, part) = (b.reg(), b.reg());
        let [all, len, i, j, is, x, y] = [(); 7].map(|()| b.reg());
        let [outer, begin, inner, compare, next, more, found, none] = [(); 8].map(|()| b.label());
        let unknown = b.label();
        for (length, of) in [(all, string), (len, part)] {
            b.offset(length, Operand::Reg(of), HEADER as i64);
            b.load(length, Operand::Reg(length), 4, Mode::Na);
            b.cmp(CmpOp::Eq, 32, is, Operand::Reg(length), Operand::Const(UNKNOWN as u64));
            b.branch_if(Operand::Reg(is), unknown);
        }
        b.set_to(i, Operand::Const(0));
        b.jump(outer);
        b.set(outer);
        b.bin(BinOp::Add, 64, x, Operand::Reg(i), Operand::Reg(len));
        b.cmp(CmpOp::Ugt, 64, is, Operand::Reg(x), Operand::Reg(all));
        b.branch(Operand::Reg(is), none, begin);
        b.set(begin);
        b.set_to(j, Operand::Const(0));
        b.jump(inner);
        b.set(inner);
        b.cmp(CmpOp::Uge, 64, is, Operand::Reg(j), Operand::Reg(len));
        b.branch(Operand::Reg(is), found, compare);
        b.set(compare);
        b.bin(BinOp::Add, 64, x, Operand::Reg(i), Operand::Reg(j));
        for (dst, of, index) in [(x, string, x), (y, part, j)] {
            let (base, index) = (Operand::Reg(of), Operand::Reg(index));
            b.push(Instr::Offset { dst, base, index, scale: 2, within: false });
            b.offset(dst, Operand::Reg(dst), HEADER as i64 + 4);
            b.load(dst, Operand::Reg(dst), 2, Mode::Na);
        }
        b.cmp(CmpOp::Eq, 32, is, Operand::Reg(x), Operand::Reg(y));
        b.branch(Operand::Reg(is), more, next);
        b.set(more);
        b.bin(BinOp::Add, 64, j, Operand::Reg(j), Operand::Const(1));
        b.jump(inner);
        b.set(next);
        b.bin(BinOp::Add, 64, i, Operand::Reg(i), Operand::Const(1));
        b.jump(outer);
        b.set(found);
        b.push(Instr::Return { values: vec![Operand::Reg(i)] });
        b.set(none);
        b.push(Instr::Return { values: vec![Operand::Const(u32::MAX as u64)] });
        b.set(unknown);
        b.unsupported("the contents of a text that is not followed: of a float, a time, or an object");
        b.finish(String::from("String.IndexOf"), vec![string, part], 1, Place::default())
    }

    /// The units of a constant string.
    pub fn units(&self, operand: Operand) -> Option<Vec<u16>> {
        let Operand::Global(id, 0) = operand else { return None };
        let (text, _) = self.strings.iter().find(|(_, known)| **known == id)?;
        Some(text.clone())
    }

    /// What a constant string says.
    pub fn literal(&self, operand: Operand) -> Option<String> {
        Some(String::from_utf16_lossy(&self.units(operand)?))
    }

    pub(super) fn unknown_string(&mut self) -> Result<GlobalId, CompileError> {
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
