//! Runs a function of the unoptimised IR, one byte and one bit at a time, until an undefined value is used.
//!
//! Memory is one long row of bytes with their undefined bits beside them; nothing is ever used again. That
//! makes programs with other errors than uses of undefined values come out wrong: there must be none.

use crate::bits::{self, Bits, Inexact, Op, mask};
use crate::ir::{Function, Instr, Module, Operand, Ty, Value, What, offset};
use std::collections::{BTreeSet, HashMap};

/// How an undefined value was used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    Decision,
    Address,
    Divisor,
}

/// What a run came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The line of the first use, and what kind it is.
    pub first: Option<(u32, Use)>,
    /// What MemorySanitizer, memcheck and nobody is exact about, of what was done before that.
    pub msan: BTreeSet<&'static str>,
    pub memcheck: BTreeSet<&'static str>,
    pub nobody: BTreeSet<&'static str>,
    /// Undefined values were copied, computed with or overwritten.
    pub has_undefined: bool,
}

enum Stop {
    Use(u32, Use),
    Wrong(String),
}

type Res<T> = Result<T, Stop>;

const BASE: u64 = 0x10000;
const STEPS: u64 = 2_000_000;

struct Machine<'m> {
    module: &'m Module,
    bytes: Vec<u8>,
    undefined: Vec<u8>,
    globals: HashMap<&'m str, u64>,
    /// Sizes of what is on the heap.
    sizes: HashMap<u64, u64>,
    /// Stack objects by address, with their sizes.
    stack: HashMap<u64, u64>,
    steps: u64,
    depth: u32,
    outcome: Outcome,
}

/// Runs a function that takes no arguments.
pub fn run(module: &Module, name: &str) -> Result<Outcome, String> {
    let mut machine = Machine {
        module,
        bytes: Vec::new(),
        undefined: Vec::new(),
        globals: HashMap::new(),
        sizes: HashMap::new(),
        stack: HashMap::new(),
        steps: 0,
        depth: 0,
        outcome: Outcome::default(),
    };
    for (name, global) in &module.globals {
        let at = machine.allocate(global.ty.size());
        // Padding of what is there from the beginning is 0.
        let all = machine.range(at, global.ty.size()).map_err(|_| format!("no room for {name}"))?;
        machine.undefined[all].fill(0);
        machine.store(at, &global.ty, &global.init).map_err(|_| format!("no room for {name}"))?;
        machine.globals.insert(name, at);
    }
    match machine.call(name, Vec::new(), 0) {
        Ok(_) => Ok(machine.outcome),
        Err(Stop::Use(line, kind)) => Ok(Outcome { first: Some((line, kind)), ..machine.outcome }),
        Err(Stop::Wrong(why)) => Err(why),
    }
}

fn wrong<T>(why: impl Into<String>) -> Res<T> {
    Err(Stop::Wrong(why.into()))
}

impl<'m> Machine<'m> {
    fn allocate(&mut self, size: u64) -> u64 {
        let at = self.bytes.len().next_multiple_of(16);
        // A gap that belongs to nobody.
        self.bytes.resize(at + size as usize + 16, 0);
        self.undefined.resize(self.bytes.len(), 0xff);
        BASE + at as u64
    }

    fn range(&self, at: u64, size: u64) -> Res<std::ops::Range<usize>> {
        let from = at.wrapping_sub(BASE) as usize;
        match from.checked_add(size as usize) {
            Some(to) if to <= self.bytes.len() => Ok(from..to),
            _ => wrong(format!("an access of {size} bytes at {at:#x}")),
        }
    }

    fn load(&self, at: u64, ty: &Ty) -> Res<Value> {
        match ty {
            Ty::Array(n, of) => {
                let parts: Res<Vec<Value>> = (0..*n).map(|i| self.load(at + i * of.size(), of)).collect();
                Ok(Value::Many(parts?))
            }
            Ty::Struct(members, _) => {
                let parts = members.iter().enumerate().map(|(i, m)| self.load(at + ty.offset_of(i), m));
                Ok(Value::Many(parts.collect::<Res<Vec<Value>>>()?))
            }
            _ => {
                let (mut b, mut u) = (0, 0);
                for i in self.range(at, ty.store_size())?.rev() {
                    b = b << 8 | self.bytes[i] as u128;
                    u = u << 8 | self.undefined[i] as u128;
                }
                Ok(Value::Bits(Bits { b: b & !u, u }.trunc(ty.bits())))
            }
        }
    }

    fn store(&mut self, at: u64, ty: &Ty, value: &Value) -> Res<()> {
        match (ty, value) {
            (Ty::Array(_, of), Value::Many(parts)) => {
                parts.iter().enumerate().try_for_each(|(i, p)| self.store(at + i as u64 * of.size(), of, p))
            }
            (Ty::Struct(members, _), Value::Many(parts)) => members
                .iter()
                .zip(parts)
                .enumerate()
                .try_for_each(|(i, (m, p))| self.store(at + ty.offset_of(i), m, p)),
            (_, Value::Bits(bits)) => {
                for (k, i) in self.range(at, ty.store_size())?.enumerate() {
                    self.bytes[i] = (bits.b >> (8 * k)) as u8;
                    self.undefined[i] = (bits.u >> (8 * k)) as u8;
                }
                self.outcome.has_undefined |= bits.u != 0;
                Ok(())
            }
            _ => wrong("a value of another type"),
        }
    }

    fn copy(&mut self, to: u64, from: u64, size: u64) -> Res<()> {
        let (to, from) = (self.range(to, size)?, self.range(from, size)?);
        self.outcome.has_undefined |= self.undefined[from.clone()].iter().any(|u| *u != 0);
        self.bytes.copy_within(from.clone(), to.start);
        self.undefined.copy_within(from, to.start);
        Ok(())
    }

    fn value(&self, operand: &Operand, slots: &[Value]) -> Res<Value> {
        Ok(match operand {
            Operand::Slot(slot) => slots[*slot].clone(),
            Operand::Const(value) => value.clone(),
            Operand::Global(name, at) => match self.globals.get(name.as_str()) {
                Some(base) => Value::Bits(Bits::of(base.wrapping_add(*at as u64) as u128)),
                None => return wrong(format!("@{name} has no value")),
            },
        })
    }

    fn bits(&self, operand: &Operand, slots: &[Value]) -> Res<Bits> {
        match self.value(operand, slots)? {
            Value::Bits(bits) => Ok(bits),
            Value::Many(_) => wrong("one value expected"),
        }
    }

    fn used(&self, operand: &Operand, slots: &[Value], line: u32, kind: Use) -> Res<u64> {
        let bits = self.bits(operand, slots)?;
        if bits.is_defined() { Ok(bits.b as u64) } else { Err(Stop::Use(line, kind)) }
    }

    fn note(&mut self, inexact: Inexact) {
        self.outcome.msan.extend(inexact.msan);
        self.outcome.memcheck.extend(inexact.memcheck);
        self.outcome.nobody.extend(inexact.nobody);
    }

    fn call(&mut self, name: &str, args: Vec<Value>, line: u32) -> Res<Value> {
        let nothing = Value::Bits(Bits::of(0));
        let Some(function) = self.module.functions.get(name) else { return self.library(name, &args, line) };
        if self.depth > 100 {
            return wrong("too deep");
        }
        self.depth += 1;
        let mut slots = vec![nothing; function.slots];
        for (slot, arg) in function.params.iter().zip(args) {
            slots[*slot] = arg;
        }
        let result = self.blocks(function, &mut slots);
        self.depth -= 1;
        result
    }

    fn blocks(&mut self, function: &'m Function, slots: &mut [Value]) -> Res<Value> {
        let (mut block, mut from) = (0, "");
        loop {
            let (label, code) = &function.blocks[block];
            // All phis of a block read what was there before any of them.
            let mut phis = Vec::new();
            for instr in code {
                let What::Phi(sources) = &instr.what else { break };
                let Some((value, _)) = sources.iter().find(|(_, label)| label == from) else {
                    return wrong(format!("no value from {from}"));
                };
                phis.push((instr.to, self.value(value, slots)?));
            }
            for (to, value) in phis {
                slots[to.unwrap_or(0)] = value;
            }
            let mut next = None;
            for instr in code {
                self.steps += 1;
                if self.steps > STEPS {
                    return wrong("no end");
                }
                match &instr.what {
                    What::Phi(_) => {}
                    What::Ret(value) => {
                        return match value {
                            Some(value) => self.value(value, slots),
                            None => Ok(Value::Bits(Bits::of(0))),
                        };
                    }
                    What::Jump(to) => next = Some(to),
                    What::Branch(cond, yes, no) => {
                        let cond = self.used(cond, slots, instr.line, Use::Decision)?;
                        next = Some(if cond & 1 == 1 { yes } else { no });
                    }
                    What::Switch(value, default, cases) => {
                        // Natively it is a row of comparisons, and defined bits may decide each of them.
                        let bits = self.bits(value, slots)?;
                        if cases.iter().all(|(number, _)| (bits.b ^ number) & !bits.u != 0)
                            && !bits.is_defined()
                        {
                            self.outcome.memcheck.insert("switch that defined bits decide");
                        }
                        let value = self.used(value, slots, instr.line, Use::Decision)?;
                        let case = cases.iter().find(|(number, _)| *number == value as u128);
                        next = Some(case.map_or(default, |(_, label)| label));
                    }
                    _ => {
                        let value = self.step(instr, slots)?;
                        if let Some(to) = instr.to {
                            slots[to] = value;
                        }
                    }
                }
            }
            let Some(to) = next else { return wrong("a block without an end") };
            let Some(&number) = function.labels.get(to) else { return wrong(format!("no block {to}")) };
            (block, from) = (number, label);
        }
    }

    fn step(&mut self, instr: &Instr, slots: &[Value]) -> Res<Value> {
        let line = instr.line;
        Ok(match &instr.what {
            What::Alloca(ty, n) => {
                let size = ty.size() * n;
                let at = self.allocate(size);
                self.stack.insert(at, size);
                Value::Bits(Bits::of(at as u128))
            }
            What::Load(ty, at) => {
                let at = self.used(at, slots, line, Use::Address)?;
                self.load(at, ty)?
            }
            What::Store(ty, value, at) => {
                let value = self.value(value, slots)?;
                let at = self.used(at, slots, line, Use::Address)?;
                self.store(at, ty, &value)?;
                value
            }
            What::Gep(ty, base, indices) => {
                let base = self.bits(base, slots)?;
                let mut failure = None;
                let step = offset(ty, indices, &mut |operand| {
                    self.bits(operand, slots).unwrap_or_else(|stop| {
                        failure = Some(stop);
                        Bits::of(0)
                    })
                });
                if let Some(stop) = failure {
                    return Err(stop);
                }
                Value::Bits(bits::apply(Op::Add, base, step, 64).0)
            }
            What::Bin(op, width, a, b) => {
                let a = self.bits(a, slots)?;
                if matches!(op, Op::UDiv | Op::URem | Op::SDiv | Op::SRem) {
                    let divisor = self.used(b, slots, line, Use::Divisor)?;
                    if divisor == 0 {
                        return wrong("a division by zero");
                    }
                }
                let b = self.bits(b, slots)?;
                if matches!(op, Op::Shl | Op::LShr | Op::AShr) && b.is_defined() && b.b >= *width as u128 {
                    return wrong("a shift too far");
                }
                let (result, inexact) = bits::apply(*op, a, b, *width);
                self.note(inexact);
                Value::Bits(result)
            }
            What::Cmp(cmp, width, a, b) => {
                let (result, inexact) =
                    bits::compare(*cmp, self.bits(a, slots)?, self.bits(b, slots)?, *width);
                self.note(inexact);
                Value::Bits(result)
            }
            What::Zext(a) => Value::Bits(self.bits(a, slots)?.zext()),
            What::Sext(from, to, a) => Value::Bits(self.bits(a, slots)?.sext(*from, *to)),
            What::Trunc(to, a) => Value::Bits(self.bits(a, slots)?.trunc(*to)),
            What::Copy(a) => self.value(a, slots)?,
            What::Select(ty, cond, a, b) => Value::Bits(Bits::select(
                self.bits(cond, slots)?,
                self.bits(a, slots)?,
                self.bits(b, slots)?,
                ty.bits(),
            )),
            What::Extract(value, path) => {
                let mut value = self.value(value, slots)?;
                for &index in path {
                    value = match value {
                        Value::Many(mut parts) if index < parts.len() => parts.swap_remove(index),
                        _ => return wrong("no such part"),
                    };
                }
                value
            }
            What::Insert(_, value, part, path) => {
                let mut value = self.value(value, slots)?;
                let part = self.value(part, slots)?;
                let mut at = &mut value;
                for &index in path {
                    at = match at {
                        Value::Many(parts) if index < parts.len() => &mut parts[index],
                        _ => return wrong("no such part"),
                    };
                }
                *at = part;
                value
            }
            What::Call(name, args) => {
                let mut values = Vec::new();
                for arg in args {
                    let value = self.value(&arg.value, slots)?;
                    values.push(match &arg.by_value {
                        None => value,
                        Some(ty) => {
                            let from = self.used(&arg.value, slots, line, Use::Address)?;
                            let copy = self.allocate(ty.size());
                            self.copy(copy, from, ty.size())?;
                            Value::Bits(Bits::of(copy as u128))
                        }
                    });
                }
                self.call(name, values, line)?
            }
            What::Unreachable => return wrong("unreachable code"),
            What::Phi(_) | What::Ret(_) | What::Jump(_) | What::Branch(..) | What::Switch(..) => {
                return wrong("not a step");
            }
        })
    }

    fn library(&mut self, name: &str, args: &[Value], line: u32) -> Res<Value> {
        let arg = |n: usize| match args.get(n) {
            Some(Value::Bits(bits)) => Ok(*bits),
            _ => wrong(format!("{name} without argument {n}")),
        };
        let number = |n: usize| {
            let bits = arg(n)?;
            if bits.is_defined() { Ok(bits.b as u64) } else { Err(Stop::Use(line, Use::Address)) }
        };
        let mut result = 0;
        if name.starts_with("llvm.lifetime.start") {
            let at = number(0)?;
            let Some(&size) = self.stack.get(&at) else { return wrong("a lifetime of something else") };
            let range = self.range(at, size)?;
            // Natively it is the same place, with what was there before.
            if self.undefined[range.clone()].iter().any(|u| *u != 0xff) {
                self.outcome.memcheck.insert("block entered again");
            }
            self.undefined[range].fill(0xff);
        } else if name.starts_with("llvm.lifetime.end") || name == "free" || name.starts_with("llvm.dbg") {
        } else if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            let (to, from, size) = (number(0)?, number(1)?, number(2)?);
            self.copy(to, from, size)?;
        } else if name == "memcpy" || name == "memmove" {
            let (to, from, size) = (number(0)?, number(1)?, number(2)?);
            self.copy(to, from, size)?;
            result = to;
        } else if name.starts_with("llvm.memset") || name == "memset" {
            let (to, value, size) = (number(0)?, arg(1)?, number(2)?);
            if value.u != 0 {
                self.outcome.msan.insert("memset with an undefined value");
                self.outcome.has_undefined = true;
            }
            let range = self.range(to, size)?;
            self.bytes[range.clone()].fill(value.b as u8);
            self.undefined[range].fill((value.u & mask(8)) as u8);
            result = to;
        } else if name == "malloc" {
            let size = number(0)?;
            result = self.allocate(size);
            self.sizes.insert(result, size);
        } else if name == "calloc" {
            let size = number(0)? * number(1)?;
            result = self.allocate(size);
            let range = self.range(result, size)?;
            self.undefined[range].fill(0);
            self.sizes.insert(result, size);
        } else if name == "realloc" {
            let (old, size) = (number(0)?, number(1)?);
            let kept = self.sizes.get(&old).copied().unwrap_or(0).min(size);
            result = self.allocate(size);
            if kept > 0 {
                self.copy(result, old, kept)?;
            }
            self.sizes.insert(result, size);
        } else {
            return wrong(format!("{name} is not known"));
        }
        Ok(Value::Bits(Bits::of(result as u128)))
    }
}
