//! Reads LLVM's textual IR, line by line; what is not understood is an error with the line in it.

use crate::bits::{Bits, Cmp, Op};
use crate::ir::{
    Argument, Function, Global, Instr, Module, Operand, Ty, Value, What, offset, undefined, zero,
};
use std::collections::HashMap;

/// Words and marks of a line.
struct Cursor<'a> {
    rest: &'a str,
    types: &'a HashMap<String, String>,
}

type Res<T> = Result<T, String>;

impl<'a> Cursor<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, what: &str) -> bool {
        self.skip();
        let word = what.as_bytes()[0].is_ascii_alphanumeric();
        match self.rest.strip_prefix(what) {
            Some(rest)
                if !word || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') =>
            {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn expect(&mut self, what: &str) -> Res<()> {
        if self.eat(what) { Ok(()) } else { Err(format!("`{what}` expected at `{}`", self.rest)) }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || "_.-$".contains(c))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn number(&mut self) -> Res<i128> {
        let word = self.word();
        word.parse().map_err(|_| format!("`{word}` is not a number before `{}`", self.rest))
    }

    fn ty(&mut self) -> Res<Ty> {
        self.skip();
        if self.eat("<{") {
            let members = self.types("}>")?;
            return Ok(Ty::Struct(members, true));
        }
        if self.eat("{") {
            let members = self.types("}")?;
            return Ok(Ty::Struct(members, false));
        }
        if self.eat("[") {
            let n = self.number()? as u64;
            self.expect("x")?;
            let of = self.ty()?;
            self.expect("]")?;
            return Ok(Ty::Array(n, Box::new(of)));
        }
        if self.eat("%") {
            let name = self.word();
            let text = self.types.get(name).ok_or_else(|| format!("no type {name}"))?;
            return Cursor { rest: text, types: self.types }.ty();
        }
        match self.word() {
            "ptr" => Ok(Ty::Ptr),
            "void" => Ok(Ty::Void),
            word => match word.strip_prefix('i').and_then(|n| n.parse().ok()) {
                Some(bits) => Ok(Ty::Int(bits)),
                None => Err(format!("`{word}` is not a type, before `{}`", self.rest)),
            },
        }
    }

    fn types(&mut self, end: &str) -> Res<Vec<Ty>> {
        let mut types = Vec::new();
        while !self.eat(end) {
            types.push(self.ty()?);
            self.eat(",");
        }
        Ok(types)
    }

    fn flags(&mut self) {
        let flags = [
            "nuw", "nsw", "exact", "inbounds", "nusw", "nneg", "disjoint", "samesign", "volatile", "tail",
            "notail",
        ];
        while flags.iter().any(|flag| self.eat(flag)) {}
    }

    fn constant(&mut self, ty: &Ty) -> Res<Value> {
        self.skip();
        if self.eat("zeroinitializer") || self.eat("null") || self.eat("false") {
            return Ok(zero(ty));
        }
        if self.eat("true") {
            return Ok(Value::Bits(Bits::of(1)));
        }
        if self.eat("undef") || self.eat("poison") {
            return Ok(undefined(ty));
        }
        if let Some(rest) = self.rest.strip_prefix("c\"") {
            let mut bytes = Vec::new();
            let mut text = rest.as_bytes();
            while text[0] != b'"' {
                if text.starts_with(b"\\\\") {
                    bytes.push(b'\\');
                    text = &text[2..];
                } else if text[0] == b'\\' {
                    let hex = std::str::from_utf8(&text[1..3]).map_err(|e| e.to_string())?;
                    bytes.push(u8::from_str_radix(hex, 16).map_err(|e| e.to_string())?);
                    text = &text[3..];
                } else {
                    bytes.push(text[0]);
                    text = &text[1..];
                }
            }
            self.rest = std::str::from_utf8(&text[1..]).map_err(|e| e.to_string())?;
            return Ok(Value::Many(bytes.into_iter().map(|b| Value::Bits(Bits::of(b as u128))).collect()));
        }
        for (open, close) in [("<{", "}>"), ("{", "}"), ("[", "]")] {
            if self.eat(open) {
                let mut parts = Vec::new();
                while !self.eat(close) {
                    let ty = self.ty()?;
                    parts.push(self.constant(&ty)?);
                    self.eat(",");
                }
                return Ok(Value::Many(parts));
            }
        }
        let number = self.number()?;
        Ok(Value::Bits(Bits::of(number as u128 & crate::bits::mask(ty.bits()))))
    }
}

struct Body<'a> {
    names: HashMap<&'a str, usize>,
}

impl<'a> Body<'a> {
    fn slot(&mut self, name: &'a str) -> usize {
        let next = self.names.len();
        *self.names.entry(name).or_insert(next)
    }

    fn operand(&mut self, c: &mut Cursor<'a>, ty: &Ty) -> Res<Operand> {
        if c.eat("%") {
            let name = c.word();
            return Ok(Operand::Slot(self.slot(name)));
        }
        if c.eat("@") {
            return Ok(Operand::Global(c.word().to_string(), 0));
        }
        if c.eat("getelementptr") {
            c.flags();
            c.expect("(")?;
            let of = c.ty()?;
            c.expect(",")?;
            c.expect("ptr")?;
            let base = self.operand(c, &Ty::Ptr)?;
            let mut indices = Vec::new();
            while c.eat(",") {
                let ty = c.ty()?;
                indices.push((ty.bits(), self.operand(c, &ty)?));
            }
            c.expect(")")?;
            let Operand::Global(name, at) = base else { return Err("a base that is not a global".into()) };
            let offset = offset(&of, &indices, &mut |operand| match operand {
                Operand::Const(Value::Bits(bits)) => *bits,
                _ => Bits::undefined(64),
            });
            if !offset.is_defined() {
                return Err("an offset that is not constant".into());
            }
            return Ok(Operand::Global(name, at + offset.b as u64 as i64));
        }
        c.constant(ty).map(Operand::Const)
    }

    fn typed(&mut self, c: &mut Cursor<'a>) -> Res<(Ty, Operand)> {
        let ty = c.ty()?;
        let operand = self.operand(c, &ty)?;
        Ok((ty, operand))
    }

    fn label(&mut self, c: &mut Cursor<'a>) -> Res<String> {
        c.expect("label")?;
        c.expect("%")?;
        Ok(c.word().to_string())
    }

    fn instr(&mut self, c: &mut Cursor<'a>) -> Res<(Option<usize>, What)> {
        let mut to = None;
        if c.eat("%") {
            let name = c.word();
            to = Some(self.slot(name));
            c.expect("=")?;
        }
        let word = c.word();
        let what = match word {
            "alloca" => {
                let ty = c.ty()?;
                let mut n = 1;
                if c.eat(",") && !c.eat("align") {
                    c.ty()?;
                    n = c.number()? as u64;
                }
                What::Alloca(ty, n)
            }
            "load" => {
                c.flags();
                let ty = c.ty()?;
                c.expect(",")?;
                c.expect("ptr")?;
                What::Load(ty, self.operand(c, &Ty::Ptr)?)
            }
            "store" => {
                c.flags();
                let (ty, value) = self.typed(c)?;
                c.expect(",")?;
                c.expect("ptr")?;
                What::Store(ty, value, self.operand(c, &Ty::Ptr)?)
            }
            "getelementptr" => {
                c.flags();
                let ty = c.ty()?;
                c.expect(",")?;
                c.expect("ptr")?;
                let base = self.operand(c, &Ty::Ptr)?;
                let mut indices = Vec::new();
                while c.eat(",") {
                    if c.rest.trim_start().starts_with('!') {
                        break;
                    }
                    let (ty, index) = self.typed(c)?;
                    indices.push((ty.bits(), index));
                }
                What::Gep(ty, base, indices)
            }
            "icmp" => {
                c.flags();
                let cmp = match c.word() {
                    "eq" => Cmp::Eq,
                    "ne" => Cmp::Ne,
                    "ult" => Cmp::Ult,
                    "ule" => Cmp::Ule,
                    "ugt" => Cmp::Ugt,
                    "uge" => Cmp::Uge,
                    "slt" => Cmp::Slt,
                    "sle" => Cmp::Sle,
                    "sgt" => Cmp::Sgt,
                    "sge" => Cmp::Sge,
                    other => return Err(format!("icmp {other}")),
                };
                let (ty, a) = self.typed(c)?;
                c.expect(",")?;
                What::Cmp(cmp, ty.bits(), a, self.operand(c, &ty)?)
            }
            "zext" | "sext" | "trunc" | "ptrtoint" | "inttoptr" | "bitcast" => {
                c.flags();
                let (from, value) = self.typed(c)?;
                c.expect("to")?;
                let to = c.ty()?;
                match word {
                    "zext" => What::Zext(value),
                    "sext" => What::Sext(from.bits(), to.bits(), value),
                    "trunc" => What::Trunc(to.bits(), value),
                    _ => What::Copy(value),
                }
            }
            "select" => {
                let (_, cond) = self.typed(c)?;
                c.expect(",")?;
                let (ty, a) = self.typed(c)?;
                c.expect(",")?;
                let (_, b) = self.typed(c)?;
                What::Select(ty, cond, a, b)
            }
            "phi" => {
                let ty = c.ty()?;
                let mut from = Vec::new();
                while c.eat("[") {
                    let value = self.operand(c, &ty)?;
                    c.expect(",")?;
                    c.expect("%")?;
                    from.push((value, c.word().to_string()));
                    c.expect("]")?;
                    if c.eat(",") && c.rest.trim_start().starts_with('!') {
                        break;
                    }
                }
                What::Phi(from)
            }
            "extractvalue" => {
                let (_, value) = self.typed(c)?;
                What::Extract(value, indices(c)?)
            }
            "insertvalue" => {
                let (ty, value) = self.typed(c)?;
                c.expect(",")?;
                let (_, part) = self.typed(c)?;
                What::Insert(ty, value, part, indices(c)?)
            }
            "tail" | "call" | "musttail" => {
                c.eat("call");
                skip_attributes(c);
                c.ty()?;
                // Of a function with a variable number of arguments or without a prototype.
                if c.eat("(") {
                    let end = c.rest.find(')').ok_or("a type of a function")?;
                    c.rest = &c.rest[end + 1..];
                }
                c.expect("@")?;
                let name = c.word().to_string();
                c.expect("(")?;
                let mut args = Vec::new();
                while !c.eat(")") {
                    let ty = c.ty()?;
                    let by_value = parameter_attributes(c)?;
                    args.push(Argument { value: self.operand(c, &ty)?, by_value });
                    c.eat(",");
                }
                What::Call(name, args)
            }
            "ret" => {
                let ty = c.ty()?;
                What::Ret(if ty == Ty::Void { None } else { Some(self.operand(c, &ty)?) })
            }
            "br" => {
                if c.eat("i1") {
                    let cond = self.operand(c, &Ty::Int(1))?;
                    c.expect(",")?;
                    let yes = self.label(c)?;
                    c.expect(",")?;
                    What::Branch(cond, yes, self.label(c)?)
                } else {
                    What::Jump(self.label(c)?)
                }
            }
            "switch" => {
                let (ty, value) = self.typed(c)?;
                c.expect(",")?;
                let default = self.label(c)?;
                c.expect("[")?;
                let mut cases = Vec::new();
                while !c.eat("]") {
                    c.ty()?;
                    let number = c.number()? as u128 & crate::bits::mask(ty.bits());
                    c.expect(",")?;
                    cases.push((number, self.label(c)?));
                }
                What::Switch(value, default, cases)
            }
            "unreachable" => What::Unreachable,
            word => {
                let op = match word {
                    "add" => Op::Add,
                    "sub" => Op::Sub,
                    "mul" => Op::Mul,
                    "udiv" => Op::UDiv,
                    "urem" => Op::URem,
                    "sdiv" => Op::SDiv,
                    "srem" => Op::SRem,
                    "and" => Op::And,
                    "or" => Op::Or,
                    "xor" => Op::Xor,
                    "shl" => Op::Shl,
                    "lshr" => Op::LShr,
                    "ashr" => Op::AShr,
                    _ => return Err(format!("`{word}` is not known")),
                };
                c.flags();
                let (ty, a) = self.typed(c)?;
                c.expect(",")?;
                What::Bin(op, ty.bits(), a, self.operand(c, &ty)?)
            }
        };
        Ok((to, what))
    }
}

fn indices(c: &mut Cursor<'_>) -> Res<Vec<usize>> {
    let mut all = Vec::new();
    while c.eat(",") && !c.rest.trim_start().starts_with('!') {
        all.push(c.number()? as usize);
    }
    Ok(all)
}

/// In front of a result's type.
fn skip_attributes(c: &mut Cursor<'_>) {
    let words = [
        "noalias",
        "noundef",
        "signext",
        "zeroext",
        "nonnull",
        "inreg",
        "internal",
        "dso_local",
        "private",
        "fastcc",
    ];
    loop {
        if words.iter().any(|word| c.eat(word)) {
            continue;
        }
        if c.eat("align") {
            c.word();
            continue;
        }
        if ["range", "dereferenceable"].iter().any(|word| c.eat(word)) {
            skip_parentheses(c);
            continue;
        }
        break;
    }
}

fn skip_parentheses(c: &mut Cursor<'_>) {
    if let Some(end) = c.rest.find(')') {
        c.rest = &c.rest[end + 1..];
    }
}

/// The type behind a parameter that is passed by value in memory.
fn parameter_attributes(c: &mut Cursor<'_>) -> Res<Option<Ty>> {
    let mut by_value = None;
    loop {
        if c.eat("byval") {
            c.expect("(")?;
            by_value = Some(c.ty()?);
            c.expect(")")?;
        } else if c.eat("sret")
            || c.eat("captures")
            || c.eat("dead_on_return")
            || c.eat("dead_on_unwind")
            || c.eat("writable")
        {
            if c.rest.starts_with('(') {
                skip_parentheses(c);
            }
        } else {
            let before = c.rest.len();
            skip_attributes(c);
            if c.rest.len() == before {
                return Ok(by_value);
            }
        }
    }
}

/// Reads a module.
pub fn parse(text: &str) -> Res<Module> {
    // A switch has a line for each case.
    let text = text.replace("[\n    i", "[ i").replace("\n    i", " i").replace("\n  ]", " ]");
    let lines: Vec<&str> = text.lines().collect();
    let mut types = HashMap::new();
    let mut places: HashMap<&str, u32> = HashMap::new();
    for line in &lines {
        if let Some((name, rest)) = line.split_once(" = type ")
            && let Some(name) = name.strip_prefix('%')
        {
            types.insert(name.to_string(), rest.to_string());
        }
        if let Some((number, rest)) = line.split_once(" = ")
            && let Some(rest) =
                rest.strip_prefix("distinct ").unwrap_or(rest).strip_prefix("!DILocation(line: ")
        {
            let end = rest.find(',').unwrap_or(rest.len());
            places.insert(number, rest[..end].parse().unwrap_or(0));
        }
    }
    let mut module = Module::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        let fail = |why: String| format!("{why}\n  in: {line}");
        if let Some(rest) = line.strip_prefix('@') {
            let mut c = Cursor { rest, types: &types };
            let name = c.word().to_string();
            c.expect("=").map_err(fail)?;
            let words = [
                "private",
                "internal",
                "dso_local",
                "unnamed_addr",
                "local_unnamed_addr",
                "global",
                "constant",
                "common",
                "external",
            ];
            while words.iter().any(|word| c.eat(word)) {}
            let ty = c.ty().map_err(fail)?;
            let init = c.constant(&ty).map_err(fail)?;
            module.globals.push((name, Global { ty, init }));
        } else if let Some(rest) = line.strip_prefix("define ") {
            let mut c = Cursor { rest, types: &types };
            skip_attributes(&mut c);
            c.ty().map_err(fail)?;
            c.expect("@").map_err(fail)?;
            let name = c.word().to_string();
            c.expect("(").map_err(fail)?;
            let mut body = Body { names: HashMap::new() };
            let mut function = Function::default();
            while !c.eat(")") {
                c.ty().map_err(fail)?;
                parameter_attributes(&mut c).map_err(fail)?;
                c.expect("%").map_err(fail)?;
                let param = c.word();
                function.params.push(body.slot(param));
                c.eat(",");
            }
            function.blocks.push((function.params.len().to_string(), Vec::new()));
            while at < lines.len() && lines[at] != "}" {
                let line = lines[at];
                at += 1;
                let trimmed = line.trim_start();
                if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with(';') {
                    continue;
                }
                if !line.starts_with(' ') {
                    let label = line.split(':').next().unwrap_or_default();
                    function.blocks.push((label.to_string(), Vec::new()));
                    continue;
                }
                let text = line;
                let place = text.rfind("!dbg ").map(|i| text[i + 5..].split([',', ' ']).next().unwrap_or(""));
                let line = place.and_then(|p| places.get(p).copied()).unwrap_or(0);
                let mut c = Cursor { rest: text, types: &types };
                let (to, what) = body.instr(&mut c).map_err(|why| format!("{why}\n  in: {text}"))?;
                if let Some((_, code)) = function.blocks.last_mut() {
                    code.push(Instr { what, to, line });
                }
            }
            function.slots = body.names.len();
            function.labels = function.blocks.iter().enumerate().map(|(i, (l, _))| (l.clone(), i)).collect();
            module.functions.insert(name, function);
        }
    }
    Ok(module)
}
