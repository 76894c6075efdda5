//! The operands of an `asm` statement: from constraints to registers and addresses, and what instructions
//! read from and write to them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use selvedge_graph::Mode;
use selvedge_ir::{CastOp, Instr, Operand};

use super::super::body::Body;
use super::super::shape::{Scalar, shape};
use super::step::Test;
use super::text::Arg;
use super::{Done, Refusal, Run, Slot};
use crate::llvm::Value;

impl<'b, 'a, 'm> Run<'b, 'a, 'm> {
    pub(super) fn new(
        body: &'b mut Body<'a, 'm>,
        value: Value<'m>,
        constraints: &str,
    ) -> Result<Self, Refusal> {
        let arguments = value.arguments();
        let parts = shape(body.program.layout, value.ty()).parts;
        let (mut next_argument, mut next_result) = (arguments.iter(), parts.iter());
        let mut slots: Vec<Slot> = Vec::new();
        let mut named = HashMap::new();
        let mut labels = 0;
        let refuse = |constraint: &str| Err(format!("the constraint `{constraint}` is not known"));
        for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with('~')) {
            let number = slots.len();
            let is_output = constraint.starts_with('=');
            let rest = constraint.trim_start_matches(['=', '&', '%']);
            let is_memory = rest.starts_with('*');
            let register = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            let mut slot = Slot::default();
            // A label of the program, for `asm goto`.
            if constraint.starts_with('!') {
                slot.label = Some(labels);
                labels += 1;
                slots.push(slot);
                continue;
            }
            if is_memory {
                let Some(address) = next_argument.next() else { return refuse(constraint) };
                slot.address = Some(body.operand(*address));
            } else if is_output {
                let Some((scalar, _)) = next_result.next() else { return refuse(constraint) };
                slot.is_result = true;
                slot.bits = scalar.bits().filter(|bits| *bits <= 64).unwrap_or(0);
                slot.flag = match register {
                    Some("@ccz" | "@cce") => Some(Test::Equal),
                    Some("@ccnz" | "@ccne") => Some(Test::Different),
                    Some("@ccc" | "@ccb") => Some(Test::Carry),
                    Some("@ccnc" | "@ccae") => Some(Test::NoCarry),
                    Some(flag) if flag.starts_with('@') => return refuse(constraint),
                    _ => None,
                };
            } else {
                let Some(argument) = next_argument.next() else { return refuse(constraint) };
                let bits = body.scalar(*argument).and_then(Scalar::bits).unwrap_or(0);
                let given = body.operand(*argument);
                // By its number or by the name of a register, it may be in the same place as an output.
                let same = match register {
                    Some(name) => named.get(plain_name(name)).copied(),
                    None => rest.parse::<usize>().ok(),
                };
                if let Some(tied) = same {
                    let Some(output) = slots.get_mut(tied).filter(|_| bits <= 64) else {
                        return refuse(constraint);
                    };
                    output.value = Some(given);
                    slot.tied = Some(tied);
                }
                (slot.value, slot.bits) = (Some(given), if bits > 64 { 0 } else { bits });
            }
            if let Some(register) = register {
                named.entry(plain_name(register).to_owned()).or_insert(number);
            }
            slots.push(slot);
        }
        // What the statement uses for itself comes after all that have numbers.
        let own = constraints.split(',').filter_map(|c| c.strip_prefix("~{")?.strip_suffix('}'));
        for register in own.filter(|name| !["memory", "cc", "flags", "dirflag", "fpsr"].contains(name)) {
            if let Entry::Vacant(free) = named.entry(plain_name(register).to_owned()) {
                free.insert(slots.len());
                slots.push(Slot { is_own: true, ..Slot::default() });
            }
        }
        Ok(Run {
            body,
            slots,
            named,
            equal: None,
            carry: None,
            leaves: None,
            here: Vec::new(),
            compared: None,
            pending: None,
            done: Done::No,
            only_if: None,
        })
    }
}

impl Run<'_, '_, '_> {
    /// Which operand an argument is.
    pub(super) fn slot(&self, arg: &Arg) -> Result<usize, Refusal> {
        let found = match arg {
            Arg::Op(number, _) => Some(*number).filter(|number| *number < self.slots.len()),
            Arg::Register(name) => self.named.get(plain_name(name)).copied(),
            _ => None,
        };
        let found = found.map(|number| self.slots[number].tied.unwrap_or(number));
        found.ok_or_else(|| format!("the operand {arg:?} is not known"))
    }

    pub(super) fn is_memory(&self, arg: &Arg) -> bool {
        matches!(arg, Arg::Memory(..)) || self.slot(arg).is_ok_and(|n| self.slots[n].address.is_some())
    }

    pub(super) fn address(&mut self, arg: &Arg) -> Result<Operand, Refusal> {
        match arg {
            Arg::Memory(base, offset) => {
                let base = self.read(base, 8)?;
                Ok(match offset {
                    0 => base,
                    by => self.body.displace(base, *by),
                })
            }
            arg => {
                let number = self.slot(arg)?;
                self.slots[number].address.ok_or_else(|| {
                    String::from(
                        "an operand that is to be in memory is in a register; if this is assembly of another \
                         machine, compile for that, as by `-- --target=aarch64-linux-gnu`",
                    )
                })
            }
        }
    }

    /// The width of an access, where the instruction does not say it.
    pub(super) fn width(&self, bytes: u8, args: &[&Arg]) -> Result<u8, Refusal> {
        if bytes != 0 {
            return Ok(bytes);
        }
        let known = args.iter().find_map(|arg| match arg {
            Arg::Op(number, Some(modifier)) if self.slots.get(*number)?.address.is_none() => match modifier {
                'b' | 'h' => Some(1),
                'w' => Some(2),
                'k' => Some(4),
                'q' => Some(8),
                _ => None,
            },
            arg => {
                let slot = &self.slots[self.slot(arg).ok()?];
                let bits = slot.bits;
                (slot.address.is_none() && slot.value.is_some() && bits != 0).then_some(bits.div_ceil(8))
            }
        });
        known.ok_or_else(|| String::from("the width of an access is not known"))
    }

    /// What an argument holds, as a number of so many bytes.
    pub(super) fn read(&mut self, arg: &Arg, bytes: u8) -> Result<Operand, Refusal> {
        let bits = 8 * bytes;
        if let Arg::Number(number) = arg {
            let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
            return Ok(Operand::Const(*number as u64 & mask));
        }
        let slot = self.slots[self.slot(arg)?].clone();
        let Some(value) = slot.value.filter(|_| slot.address.is_none() && slot.bits != 0) else {
            return Err(format!("the operand {arg:?} has no value"));
        };
        // It may be written before the copy is used.
        let value = match slot.cell {
            Some(src) => self.body.compute(|dst| Instr::Move { dst, src: Operand::Reg(src) }),
            None => value,
        };
        if slot.is_own && slot.bits < bits {
            return Err(format!("all of {arg:?} is not known"));
        }
        Ok(if slot.bits > bits { self.body.convert(CastOp::Trunc, slot.bits, bits, value) } else { value })
    }

    pub(super) fn write(&mut self, arg: &Arg, value: Operand, bytes: u8) -> Result<(), Refusal> {
        let number = self.slot(arg)?;
        let Slot { bits, address, is_own, cell, .. } = self.slots[number];
        if let Some(addr) = address {
            self.store(addr, value, bytes, Mode::Na);
            return Ok(());
        }
        let given = 8 * bytes;
        if is_own {
            // Writing 32 bits clears those above; writing fewer leaves them as they are, which is not
            // followed.
            self.slots[number].bits = if given == 32 { 64 } else { given };
            self.slots[number].value = Some(value);
            return Ok(());
        }
        let value = match given > bits && bits != 0 {
            true => self.body.convert(CastOp::Trunc, given, bits, value),
            false => value,
        };
        if let Some(dst) = cell {
            self.body.emit(Instr::Move { dst, src: value });
            return Ok(());
        }
        self.slots[number].value = Some(value);
        Ok(())
    }

    /// What an argument holds that may be in memory: as for `mov`, such loads acquire.
    pub(super) fn fetch(&mut self, arg: &Arg, bytes: u8) -> Result<Operand, Refusal> {
        if self.is_memory(arg) { self.load(arg, bytes, Mode::Acq) } else { self.read(arg, bytes) }
    }

    pub(super) fn load(&mut self, from: &Arg, bytes: u8, mode: Mode) -> Result<Operand, Refusal> {
        let addr = self.address(from)?;
        Ok(self.body.compute(|dst| Instr::Load { dst, addr, bytes, mode, volatile: false }))
    }

    pub(super) fn store(&mut self, addr: Operand, value: Operand, bytes: u8, mode: Mode) {
        self.body.emit(Instr::Store { addr, value, bytes, mode, volatile: false, reference: false });
    }
}

/// `eax` and `rax` are parts of the same register.
fn plain_name(name: &str) -> &str {
    match name {
        "al" | "ax" | "eax" | "rax" => "ax",
        "bl" | "bx" | "ebx" | "rbx" => "bx",
        "cl" | "cx" | "ecx" | "rcx" => "cx",
        "dl" | "dx" | "edx" | "rdx" => "dx",
        "sil" | "si" | "esi" | "rsi" => "si",
        "dil" | "di" | "edi" | "rdi" => "di",
        other => other,
    }
}
