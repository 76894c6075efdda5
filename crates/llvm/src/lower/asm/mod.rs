//! Inline assembly: the idioms that programs use for atomics and fences.
//!
//! The text is taken apart (`text`), an instruction set makes steps of its instructions (`x86`, `aarch64`,
//! `others`), and here the steps become bytecode. What is not known is named in a message if it is reached.
//!
//! *What an instruction means.* Fences become those of C that compilers map to them, which models of hardware
//! take for the instruction again; those that C has no word for stay what they are, and order something under
//! the models of their own instruction set only. Accesses to memory are relaxed, or what their name says.
//! Pairs of a linked load and a conditional store in a loop become one read-modify-write: an attempt that
//! fails has no effect, and is tried again. A conditional store outside of a loop is refused, as it may fail
//! for no reason.

mod aarch64;
mod bits;
mod jumps;
mod operands;
mod others;
mod step;
mod text;
mod x86;

use std::collections::HashMap;

use selvedge_graph::{Barrier, Mode};
use selvedge_ir::{BinOp, CastOp, CmpOp, Instr, Net, Operand, Reg, RmwOp, registers};

use super::body::Body;
use crate::llvm::Value;
use step::{Decode, Step, Test};
use text::Arg;

/// An operand of the `asm` statement.
#[derive(Clone, Debug, Default)]
struct Slot {
    /// What it holds; nothing for an output before it is written, and for memory.
    value: Option<Operand>,
    /// Of a register; 0 for more than one.
    bits: u8,
    /// Where it is, if it is in memory.
    address: Option<Operand>,
    is_result: bool,
    /// A register that the statement names and says that it overwrites.
    is_own: bool,
    /// Where it is in a statement with jumps: the register of the bytecode that holds it.
    cell: Option<Reg>,
    /// The output that it is in the same place as.
    tied: Option<usize>,
    /// Of a flag: what it is asked.
    flag: Option<Test>,
    /// Which of the labels of the program it is.
    label: Option<usize>,
}

/// What the flag for equality was set by.
#[derive(Clone, Copy, Debug)]
enum Flag {
    /// It is this: 1 or 0.
    Is(Operand),
    /// Whether a calculation of so many bits gives 0; it is made where somebody asks.
    Zero(BinOp, Operand, Operand, u8),
    /// Whether two numbers of so many bits are the same.
    Compared(Operand, Operand, u8),
}

/// A value that depends on what a linked load read.
#[derive(Clone, Debug)]
enum Linked {
    Old,
    Bin(BinOp, Operand),
}

/// A linked load whose store is still to come.
#[derive(Clone, Debug)]
struct Pending {
    address: Operand,
    bytes: u8,
    mode: Mode,
    values: HashMap<usize, Linked>,
    /// What must have been read to go on, and the label for who has read something else.
    expected: Option<(Operand, u32)>,
    /// The labels that stand directly before it.
    before: Vec<u32>,
    /// What it tries again to read until it has.
    awaited: Option<Operand>,
}

/// A conditional store that is done, before the branch that would try again.
#[derive(Clone, Debug)]
enum Done {
    No,
    /// Where its status is; nothing if that is the flag.
    Stored(Option<usize>),
}

struct Run<'b, 'a, 'm> {
    body: &'b mut Body<'a, 'm>,
    slots: Vec<Slot>,
    /// Registers by name, and which operand they are.
    named: HashMap<String, usize>,
    /// The flag for equality.
    equal: Option<Flag>,
    /// The flag for carries: 1 or 0.
    carry: Option<Operand>,
    /// Whether the statement is left for a label of the program at its end, and for which.
    leaves: Option<(Operand, usize)>,
    /// Labels since the last step.
    here: Vec<u32>,
    /// What a linked load is compared with.
    compared: Option<Operand>,
    pending: Option<Pending>,
    done: Done,
    /// After a compare-and-exchange in a loop: whether it was done, and the label where that does not matter
    /// any more.
    only_if: Option<(Operand, u32)>,
}

/// Why a piece of assembly has no bytecode.
type Refusal = String;

/// `lock cmpxchg` and a few more, from the text to bytecode; nothing is emitted if that is not possible.
pub(super) fn lower<'m>(
    body: &mut Body<'_, 'm>,
    value: Value<'m>,
    text: &str,
    constraints: &str,
    is_intel: bool,
) -> Result<Vec<Operand>, Refusal> {
    let turned = if is_intel { text::from_intel(text)? } else { text.to_owned() };
    let statements = text::statements(&turned)?;
    let sets: [Decode; 4] = [x86::decode, aarch64::decode, others::riscv, others::power];
    let mut first = None;
    let decoded = sets.iter().find_map(|decode| match step::steps(&statements, *decode) {
        Ok(steps) => Some(steps),
        Err(unknown) => {
            // Whoever got furthest knows best, and that is mostly the machine that it is compiled for.
            first.get_or_insert(unknown);
            None
        }
    });
    let Some(steps) = decoded else {
        return Err(format!("`{}` is not known", first.unwrap_or_default()));
    };
    let mark = body.mark();
    let mut run = Run::new(body, value, constraints)?;
    let jumps = steps.iter().any(|step| matches!(step, Step::Jump(..)));
    let done = if jumps { run.with_jumps(&steps) } else { run.all(&steps) };
    let result = done.and_then(|()| run.results(value));
    let leaves = run.leaves;
    match result {
        Ok(_) => body.leaves = leaves,
        Err(_) => body.back_to(mark),
    }
    result
}

impl<'m> Run<'_, '_, 'm> {
    fn all(&mut self, steps: &[Step]) -> Result<(), Refusal> {
        for step in steps {
            if let Done::Stored(status) = &self.done {
                let again = match step {
                    Step::IfNonZero(Arg::Op(n, _), Arg::Label(_, false)) => *status == Some(*n),
                    Step::UnlessEqual(Arg::Label(_, false)) => status.is_none(),
                    _ => false,
                };
                if !again {
                    break;
                }
                self.done = Done::No;
                continue;
            }
            self.step(step)?;
        }
        match (&self.done, &self.pending) {
            (Done::No, None) => Ok(()),
            _ => Err(String::from("a conditional store is only known in a loop that tries again")),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Refusal> {
        if self.pending.is_some() {
            return self.between(step);
        }
        let here = match step {
            Step::Label(number) => {
                self.here.push(*number);
                Vec::new()
            }
            _ => std::mem::take(&mut self.here),
        };
        if self.leaves.is_some() && !matches!(step, Step::Label(_)) {
            return Err(String::from("what comes after a jump out of the statement is not known"));
        }
        if let Some((done, label)) = self.only_if {
            return match step {
                Step::Label(number) if *number == label => {
                    self.only_if = None;
                    Ok(())
                }
                Step::Fence(mode) => {
                    let name = match mode {
                        Mode::Sc => "__selvedge_fence_if",
                        Mode::AcqRel => "__selvedge_fence_if_ar",
                        Mode::Acq => "__selvedge_fence_if_acq",
                        Mode::Barrier(Barrier::Isync) => "__selvedge_fence_if_isync",
                        _ => return Err(String::from("a fence after a loop is not known")),
                    };
                    self.body.call_library(name, vec![done], 0);
                    Ok(())
                }
                _ => Err(String::from("a loop that goes on after its store is not known")),
            };
        }
        match step {
            Step::Label(_) => {}
            Step::Fence(mode) => self.body.emit(Instr::Fence { mode: *mode }),
            Step::Load { to, from, bytes, mode } => {
                let value = self.load(from, *bytes, *mode)?;
                self.write(to, value, *bytes)?;
            }
            Step::Store { to, value, bytes, mode } => {
                let (addr, value) = (self.address(to)?, self.read(value, *bytes)?);
                self.store(addr, value, *bytes, *mode);
            }
            Step::Move { to, value, bytes } => self.copy(to, value, *bytes)?,
            Step::Rmw { op, old, at, value, bytes, mode } => {
                self.modify(*op, old.as_ref(), at, value, *bytes, *mode)?;
            }
            Step::Cas { at, expected, desired, bytes, success, failure } => {
                let bytes = self.width(*bytes, &[desired, at])?;
                let (addr, wanted) = (self.address(at)?, self.read(expected, bytes)?);
                let desired = self.read(desired, bytes)?;
                let (old, done) = self.exchange(addr, wanted, desired, bytes, (*success, *failure));
                self.equal = Some(Flag::Is(done));
                self.write(expected, old, bytes)?;
            }
            Step::WideCas { at, expected, desired, bytes } => self.wide(at, expected, desired, *bytes)?,
            Step::Bin { op, to, a, b, bytes } => {
                let bytes = self.width(*bytes, &[to])?;
                let (a, b) = (self.read(a, bytes)?, self.read(b, bytes)?);
                let value = self.body.bin(*op, 8 * bytes, a, b);
                self.write(to, value, bytes)?;
            }
            Step::Arithmetic { op, to, by, bytes } => {
                let bytes = self.width(*bytes, &[to])?;
                let (a, b) = (self.read(to, bytes)?, self.read(by, bytes)?);
                let value = self.body.bin(*op, 8 * bytes, a, b);
                self.equal = Some(Flag::Zero(*op, a, b, 8 * bytes));
                self.carry = None;
                self.write(to, value, bytes)?;
            }
            Step::TestBits { a, b, bytes } => {
                let bytes = self.width(*bytes, &[a, b])?;
                let (a, b) = (self.fetch(a, bytes)?, self.fetch(b, bytes)?);
                self.equal = Some(Flag::Zero(BinOp::And, a, b, 8 * bytes));
                self.carry = None;
            }
            Step::Bit { op, at, bit, bytes } => self.change_bit(*op, at, bit, *bytes)?,
            Step::Spread { to, bytes } => {
                let bytes = self.width(*bytes, &[to])?;
                let carry = self.flag(Test::Carry)?;
                let value = self.body.bin(BinOp::Sub, 8 * bytes, Operand::Const(0), carry);
                self.write(to, value, bytes)?;
            }
            Step::Leave(test, label) => {
                let jumps = self.flag(*test)?;
                self.leave(jumps, label)?;
            }
            // The same of other machines, at the end of a statement.
            Step::IfNonZero(value, label @ Arg::Op(_, Some('l'))) => {
                let bytes = self.width(0, &[value])?;
                let value = self.read(value, bytes)?;
                let is_zero = self.is_equal(value, Operand::Const(0), 8 * bytes);
                let jumps = self.body.bin(BinOp::Xor, 1, is_zero, Operand::Const(1));
                self.leave(jumps, label)?;
            }
            Step::UnlessEqual(label @ Arg::Op(_, Some('l'))) => {
                let jumps = self.flag(Test::Different)?;
                self.leave(jumps, label)?;
            }
            Step::Compare { a, b, bytes } => {
                let bytes = self.width(*bytes, &[a, b])?;
                let (a, b) = (self.fetch(a, bytes)?, self.fetch(b, bytes)?);
                self.carry = None;
                self.equal = Some(Flag::Compared(a, b, 8 * bytes));
            }
            Step::Set { to, test } => {
                let value = self.flag(*test)?;
                self.write(to, value, 1)?;
            }
            Step::Linked { to, from, bytes, mode } => {
                let Arg::Op(number, _) = to else { return Err(String::from("a register is not known")) };
                let address = self.address(from)?;
                let values = HashMap::from([(*number, Linked::Old)]);
                self.pending = Some(Pending {
                    address,
                    bytes: *bytes,
                    mode: *mode,
                    values,
                    expected: None,
                    before: here,
                    awaited: None,
                });
            }
            Step::Flush(name, at) => {
                let address = self.address(at)?;
                self.body.call_library(name, vec![address], 0);
            }
            Step::StoreFence => drop(self.body.call_library("__selvedge_sfence", Vec::new(), 0)),
            Step::Prefix => return Err(String::from(".byte")),
            Step::Anything(registers) => {
                for register in registers {
                    let value = self.body.call_library("__selvedge_input", Vec::new(), 1)[0];
                    // Those that the statement does not ask for are of no use.
                    let _ = self.write(register, value, 8);
                }
            }
            Step::Jump(..) => return Err(String::from("a jump is not known here")),
            Step::Conditional { .. } | Step::UnlessEqual(_) | Step::IfNonZero(..) => {
                return Err(String::from("a branch is only known between a linked load and its store"));
            }
        }
        Ok(())
    }

    /// A step between a linked load and its store.
    fn between(&mut self, step: &Step) -> Result<(), Refusal> {
        let Some(mut pending) = self.pending.take() else { return Ok(()) };
        let not_known = |what: &str| Err(format!("{what} between a linked load and its store is not known"));
        let depends = |pending: &Pending, arg: &Arg| match arg {
            Arg::Op(number, _) => pending.values.get(number).cloned(),
            _ => None,
        };
        match step {
            Step::Bin { op, to: Arg::Op(to, _), a, b, .. } => {
                // What is above the width of the access does not come to be stored.
                let bytes = pending.bytes;
                let commutes = !matches!(op, BinOp::Sub);
                let value = match (depends(&pending, a), depends(&pending, b)) {
                    (Some(Linked::Old), None) => Linked::Bin(*op, self.read(b, bytes)?),
                    (None, Some(Linked::Old)) if commutes => Linked::Bin(*op, self.read(a, bytes)?),
                    _ => return not_known("a calculation"),
                };
                pending.values.insert(*to, value);
            }
            Step::Move { to: Arg::Op(to, _), value, bytes } => match depends(&pending, value) {
                Some(value) => drop(pending.values.insert(*to, value)),
                None => {
                    pending.values.remove(to);
                    let value = self.read(value, *bytes)?;
                    self.write(&Arg::Op(*to, None), value, *bytes)?;
                }
            },
            Step::Compare { a, b, .. } => {
                let bytes = pending.bytes;
                self.compared = Some(match (depends(&pending, a), depends(&pending, b)) {
                    (Some(Linked::Old), None) => self.read(b, bytes)?,
                    (None, Some(Linked::Old)) => self.read(a, bytes)?,
                    _ => return not_known("a comparison"),
                });
            }
            Step::UnlessEqual(Arg::Label(label, true)) => match (self.compared.take(), &pending.expected) {
                (Some(expected), None) => pending.expected = Some((expected, *label)),
                _ => return not_known("a branch"),
            },
            Step::UnlessEqual(Arg::Label(label, false)) if pending.may_wait(*label) => {
                pending.awaited = self.compared.take();
                if pending.awaited.is_none() {
                    return not_known("a branch");
                }
            }
            // What is not zero is different from it, and a difference that is not zero is one.
            Step::IfNonZero(value, Arg::Label(label, forward))
                if pending.expected.is_none() && (*forward || pending.may_wait(*label)) =>
            {
                let expected = match depends(&pending, value) {
                    Some(Linked::Old) => Operand::Const(0),
                    Some(Linked::Bin(BinOp::Xor | BinOp::Sub, other)) => other,
                    _ => return not_known("a branch"),
                };
                match forward {
                    true => pending.expected = Some((expected, *label)),
                    false => pending.awaited = Some(expected),
                }
            }
            Step::Conditional { status, value, at, bytes, mode } => {
                if *bytes != pending.bytes || self.address(at)? != pending.address {
                    return not_known("a store of something else");
                }
                return self.conditional(pending, status.as_ref(), value, *mode);
            }
            _ => return not_known("an instruction"),
        }
        self.pending = Some(pending);
        Ok(())
    }

    /// A linked load and its store as one.
    fn conditional(
        &mut self,
        pending: Pending,
        status: Option<&Arg>,
        value: &Arg,
        store: Mode,
    ) -> Result<(), Refusal> {
        let Pending { address, bytes, mode: load, values, expected, awaited, .. } = pending;
        let mode = match (load, store) {
            (Mode::Acq, Mode::Rel) => Mode::AcqRel,
            (Mode::Acq, _) => Mode::Acq,
            (_, other) => other,
        };
        let stored = match value {
            Arg::Op(number, _) => values.get(number).cloned(),
            _ => None,
        };
        let old = match (expected, stored) {
            (None, None) if awaited.is_some() => {
                let (expected, desired) = (awaited.unwrap_or(Operand::Undef), self.read(value, bytes)?);
                self.take_when(address, expected, desired, bytes, mode)?;
                expected
            }
            _ if awaited.is_some() => {
                return Err(String::from("a loop that waits and calculates is not known"));
            }
            (Some((expected, label)), None) => {
                let desired = self.read(value, bytes)?;
                let (old, done) = self.exchange(address, expected, desired, bytes, (mode, load));
                self.only_if = Some((done, label));
                old
            }
            (None, stored) => {
                let (op, operand) = match stored {
                    None => (RmwOp::Xchg, self.read(value, bytes)?),
                    Some(Linked::Old) => (RmwOp::Add, Operand::Const(0)),
                    Some(Linked::Bin(op, operand)) => (modification(op)?, operand),
                };
                self.rmw(op, address, operand, bytes, mode)
            }
            (Some(_), Some(_)) => {
                return Err(String::from("a loop that compares and calculates is not known"));
            }
        };
        for (number, value) in values {
            let value = match value {
                Linked::Old => old,
                Linked::Bin(op, operand) => self.body.bin(op, 8 * bytes, old, operand),
            };
            self.write(&Arg::Op(number, None), value, bytes)?;
        }
        let status = match status {
            None => None,
            Some(Arg::Op(number, _)) => {
                self.write(&Arg::Op(*number, None), Operand::Const(0), 4)?;
                Some(*number)
            }
            Some(_) => return Err(String::from("a register is not known")),
        };
        self.done = Done::Stored(status);
        Ok(())
    }

    /// The outputs of the statement.
    fn results(&mut self, value: Value<'m>) -> Result<Vec<Operand>, Refusal> {
        let mut found = Vec::new();
        for number in 0..self.slots.len() {
            let slot = self.slots[number].clone();
            if !slot.is_result {
                continue;
            }
            found.push(match slot.flag {
                Some(test) => self.flag(test)?,
                None => slot.value.unwrap_or(Operand::Undef),
            });
        }
        match found.len() == self.body.program.shape(value).registers() as usize {
            true => Ok(found),
            false => Err(String::from("an output of more than 64 bits is not known")),
        }
    }

    /// `mov` of x86, between registers and memory: there, loads acquire and stores release.
    fn copy(&mut self, to: &Arg, value: &Arg, bytes: u8) -> Result<(), Refusal> {
        match (self.is_memory(to), self.is_memory(value)) {
            (true, true) => Err(String::from("a move from memory to memory is not known")),
            (true, false) => {
                let bytes = self.width(bytes, &[value])?;
                let (addr, value) = (self.address(to)?, self.read(value, bytes)?);
                self.store(addr, value, bytes, Mode::Rel);
                Ok(())
            }
            (false, is_load) => {
                // A register that is written has no value before.
                let bytes = match (bytes, self.slot(to)) {
                    (0, Ok(number)) => self.slots[number].bits.div_ceil(8),
                    (bytes, _) => bytes,
                };
                let value = match is_load {
                    true => self.load(value, self.width(bytes, &[])?, Mode::Acq)?,
                    false => self.read(value, self.width(bytes, &[])?)?,
                };
                self.write(to, value, bytes)
            }
        }
    }

    fn modify(
        &mut self,
        op: RmwOp,
        old: Option<&Arg>,
        at: &Arg,
        value: &Arg,
        bytes: u8,
        mode: Mode,
    ) -> Result<(), Refusal> {
        // `xchg` may have them the other way round.
        let (at, value, old) = match op == RmwOp::Xchg && !self.is_memory(at) && self.is_memory(value) {
            true => (value, at, Some(at)),
            false => (at, value, old),
        };
        let bytes = self.width(bytes, &[value, at])?;
        let (addr, operand) = (self.address(at)?, self.read(value, bytes)?);
        let before = self.rmw(op, addr, operand, bytes, mode);
        self.carry = None;
        if let Some(op) = calculation(op) {
            self.equal = Some(Flag::Zero(op, before, operand, 8 * bytes));
        }
        match old {
            Some(old) => self.write(old, before, bytes),
            None => Ok(()),
        }
    }

    fn rmw(&mut self, op: RmwOp, addr: Operand, operand: Operand, bytes: u8, mode: Mode) -> Operand {
        self.body.compute(|dst| Instr::Rmw { op, dst, addr, operand, bytes, mode, net: Net::Lasting })
    }

    /// What was there, and whether it was exchanged.
    fn exchange(
        &mut self,
        addr: Operand,
        expected: Operand,
        desired: Operand,
        bytes: u8,
        (success, failure): (Mode, Mode),
    ) -> (Operand, Operand) {
        let dst = self.body.fresh(2);
        let weak = false;
        self.body.emit(Instr::Cmpxchg { dst, addr, expected, desired, bytes, success, failure, weak });
        (Operand::Reg(dst), Operand::Reg(dst + 1))
    }

    fn wide(&mut self, at: &Arg, expected: &[Arg; 2], desired: &[Arg; 2], bytes: u8) -> Result<(), Refusal> {
        let addr = self.address(at)?;
        let half = bytes / 2;
        let mut both = Vec::new();
        for pair in [expected, desired] {
            let (low, high) = (self.read(&pair[0], half)?, self.read(&pair[1], half)?);
            both.push(match bytes {
                16 => self.body.pair(low, high),
                _ => {
                    let high = self.body.bin(BinOp::Shl, 64, high, Operand::Const(32));
                    self.body.bin(BinOp::Or, 64, low, high)
                }
            });
        }
        let count = registers(bytes);
        let dst = self.body.fresh(count + 1);
        self.body.emit(Instr::Cmpxchg {
            dst,
            addr,
            expected: both[0],
            desired: both[1],
            bytes,
            success: Mode::Sc,
            failure: Mode::Sc,
            weak: false,
        });
        self.equal = Some(Flag::Is(Operand::Reg(dst + count)));
        let (low, high) = match bytes {
            16 => (Operand::Reg(dst), Operand::Reg(dst + 1)),
            _ => {
                let high = self.body.bin(BinOp::LShr, 64, Operand::Reg(dst), Operand::Const(32));
                (self.body.convert(CastOp::Trunc, 64, 32, Operand::Reg(dst)), high)
            }
        };
        self.write(&expected[0], low, half)?;
        self.write(&expected[1], high, half)
    }

    fn is_equal(&mut self, a: Operand, b: Operand, bits: u8) -> Operand {
        self.compare(CmpOp::Eq, a, b, bits)
    }

    fn compare(&mut self, op: CmpOp, a: Operand, b: Operand, bits: u8) -> Operand {
        self.body.compute(|dst| Instr::Cmp { op, bits, dst, a, b })
    }

    fn flag(&mut self, test: Test) -> Result<Operand, Refusal> {
        const UNSET: &str = "a flag that no instruction sets is asked for";
        const UNKNOWN: &str = "this flag is not known after this instruction";
        let flag = match test {
            Test::Carry | Test::NoCarry => match (self.carry, self.equal) {
                (None, Some(Flag::Compared(a, b, bits))) => self.compare(CmpOp::Ult, a, b, bits),
                (carry, _) => carry.ok_or(UNSET)?,
            },
            Test::Negative | Test::NotNegative => match self.equal.ok_or(UNSET)? {
                Flag::Zero(op, a, b, bits) => {
                    let result = self.body.bin(op, bits, a, b);
                    self.compare(CmpOp::Slt, result, Operand::Const(0), bits)
                }
                Flag::Compared(..) | Flag::Is(_) => return Err(UNKNOWN.into()),
            },
            Test::Less | Test::AtMost | Test::Greater | Test::AtLeast | Test::Above | Test::NotAbove => {
                let op = match test {
                    Test::Less => CmpOp::Slt,
                    Test::AtMost => CmpOp::Sle,
                    Test::Greater => CmpOp::Sgt,
                    Test::AtLeast => CmpOp::Sge,
                    Test::Above => CmpOp::Ugt,
                    _ => CmpOp::Ule,
                };
                match self.equal.ok_or(UNSET)? {
                    Flag::Compared(a, b, bits) => self.compare(op, a, b, bits),
                    Flag::Zero(..) | Flag::Is(_) => return Err(UNKNOWN.into()),
                }
            }
            Test::Equal | Test::Different => match self.equal.ok_or(UNSET)? {
                Flag::Is(flag) => flag,
                Flag::Compared(a, b, bits) => self.is_equal(a, b, bits),
                Flag::Zero(op, a, b, bits) => {
                    let result = self.body.bin(op, bits, a, b);
                    self.is_equal(result, Operand::Const(0), bits)
                }
            },
        };
        let negated = matches!(test, Test::Different | Test::NoCarry | Test::NotNegative);
        Ok(if negated { self.body.bin(BinOp::Xor, 1, flag, Operand::Const(1)) } else { flag })
    }

    /// The statement ends here, for a label of the program if `jumps` is set.
    fn leave(&mut self, jumps: Operand, label: &Arg) -> Result<(), Refusal> {
        let number = self.slot(label)?;
        let label = self.slots[number].label.ok_or("a jump to what is no label is not known")?;
        self.leaves = Some((jumps, label));
        Ok(())
    }
}

impl Pending {
    /// Whether who goes to this label only reads again.
    fn may_wait(&self, label: u32) -> bool {
        self.expected.is_none() && self.awaited.is_none() && self.before.contains(&label)
    }
}

/// The modification that stores the result of a calculation.
fn modification(op: BinOp) -> Result<RmwOp, Refusal> {
    Ok(match op {
        BinOp::Add => RmwOp::Add,
        BinOp::Sub => RmwOp::Sub,
        BinOp::And => RmwOp::And,
        BinOp::Or => RmwOp::Or,
        BinOp::Xor => RmwOp::Xor,
        _ => return Err(String::from("a calculation between a linked load and its store is not known")),
    })
}

/// The calculation whose result a modification stores, where flags tell about it.
fn calculation(op: RmwOp) -> Option<BinOp> {
    Some(match op {
        RmwOp::Add => BinOp::Add,
        RmwOp::Sub => BinOp::Sub,
        RmwOp::And => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        _ => return None,
    })
}
