//! Single bits of memory (`lock; bts`), and loops that try again until they read what they wait for.

use selvedge_graph::Mode;
use selvedge_ir::{BinOp, Instr, Operand, RmwOp};

use super::text::Arg;
use super::{Refusal, Run};

impl Run<'_, '_, '_> {
    /// The number of a bit that is in a register may lead out of the word, as an index of words would; what
    /// stands in the text is taken modulo the width.
    pub(super) fn change_bit(&mut self, op: RmwOp, at: &Arg, bit: &Arg, bytes: u8) -> Result<(), Refusal> {
        let bytes = self.width(bytes, &[bit])?;
        let bits = 8 * bytes;
        let (mut addr, number) = (self.address(at)?, self.read(bit, bytes)?);
        let within = match number {
            Operand::Const(number) => Operand::Const(number & u64::from(bits - 1)),
            number => self.body.bin(BinOp::And, bits, number, Operand::Const(u64::from(bits - 1))),
        };
        let outside = match number {
            Operand::Const(number) => number >= u64::from(bits),
            _ => true,
        };
        if outside && !matches!(bit, Arg::Number(_)) {
            let shift = Operand::Const(u64::from(bits.trailing_zeros()));
            let word = self.body.bin(BinOp::AShr, bits, number, shift);
            let word = match bits {
                64 => word,
                _ => self.body.convert(selvedge_ir::CastOp::Sext, bits, 64, word),
            };
            let (base, scale) = (addr, i64::from(bytes));
            addr = self.body.compute(|dst| Instr::Offset { dst, base, index: word, scale, within: false });
        }
        let one = self.body.bin(BinOp::Shl, bits, Operand::Const(1), within);
        let operand = match op {
            RmwOp::And => self.body.bin(BinOp::Xor, bits, one, Operand::Const(u64::MAX >> (64 - bits))),
            _ => one,
        };
        let before = self.rmw(op, addr, operand, bytes, Mode::Sc);
        let shifted = self.body.bin(BinOp::LShr, bits, before, within);
        self.carry = Some(self.body.bin(BinOp::And, bits, shifted, Operand::Const(1)));
        self.equal = None;
        Ok(())
    }

    /// Exchanges what it waits for; it tries again while there is something else.
    pub(super) fn take_when(
        &mut self,
        address: Operand,
        expected: Operand,
        desired: Operand,
        bytes: u8,
        mode: Mode,
    ) -> Result<(), Refusal> {
        let name = match (bytes, mode) {
            (4, Mode::Rlx) => "__selvedge_take_when_4_rlx",
            (4, Mode::Acq) => "__selvedge_take_when_4_acq",
            (4, Mode::AcqRel) => "__selvedge_take_when_4_ar",
            (8, Mode::Rlx) => "__selvedge_take_when_8_rlx",
            (8, Mode::Acq) => "__selvedge_take_when_8_acq",
            (8, Mode::AcqRel) => "__selvedge_take_when_8_ar",
            _ => return Err(String::from("a loop that waits, of this width and ordering, is not known")),
        };
        self.body.call_library(name, vec![address, expected, desired], 0);
        Ok(())
    }
}
