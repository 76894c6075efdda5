//! Running instructions from one visible operation to the next.

use super::state::{Stage, Val, VmState};
use super::{Halt, VmMachine, fail, private_address};
use crate::arith::{self, NoResult};
use crate::float;
use crate::ir::{BinOp, CastOp, Function, Instr, Operand, Reg};
use crate::private::PrivateObject;
use crate::tables::Limit;
use selvedge_machine::{Op, Reduction};
use std::rc::Rc;

/// The bytes that `bits` bits take, as a mask.
fn bytes_of(bits: u8) -> u8 {
    match bits.div_ceil(8) {
        0..8 => (1u8 << bits.div_ceil(8)) - 1,
        _ => 0xff,
    }
}

impl VmMachine {
    #[inline]
    pub(super) fn go_on(&self, state: &mut VmState, input: u64) -> Result<Op, Halt> {
        if let Some(op) = self.finish(state, input)? {
            return Ok(op);
        }
        for _ in 0..self.options.silent_steps {
            if let Some(op) = self.run(state)? {
                return Ok(op);
            }
        }
        self.note(Limit::Silent(state.frame.func));
        Ok(Op::Cut)
    }

    /// Runs one instruction up to the operation that it makes visible, if any. Whoever handles an
    /// instruction moves the program counter on.
    #[inline]
    pub(super) fn run(&self, state: &mut VmState) -> Result<Option<Op>, Halt> {
        let func = state.frame.func;
        let function = self.function(func);
        let Some(instr) = function.code.get(state.frame.pc as usize) else {
            return fail("unsupported", format!("`{}` has no code to run", function.name));
        };
        if self.info(func).waits.get(state.frame.pc as usize) == Some(&true) {
            state.frame.pass_header(state.loads);
        }
        match *instr {
            Instr::Move { dst, src } => {
                let value = self.value(state, src);
                state.frame.set_val(dst, value);
            }
            Instr::Bin { op, bits, dst, a, b, no_signed_wrap, .. } => {
                self.bin(state, (op, bits, no_signed_wrap), dst, a, b)?;
            }
            Instr::Cmp { op, bits, dst, a, b } if bits <= 64 => {
                let (a, b) = (self.value(state, a), self.value(state, b));
                let result = Val::known(arith::cmp_narrow(op, bits, a.bits, b.bits) as u64);
                let undef = (a.undef | b.undef) & bytes_of(bits) != 0;
                state.frame.set_val(dst, if undef { Val::UNDEF } else { result });
            }
            Instr::Cmp { op, bits, dst, a, b } => {
                let ((a, ua), (b, ub)) = (self.wide(state, a, bits), self.wide(state, b, bits));
                let result = Val::known(arith::cmp(op, bits, a, b) as u64);
                state.frame.set_val(dst, if ua || ub { Val::UNDEF } else { result });
            }
            Instr::Float { op, bits, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|o| self.value(state, o));
                let result = Val::known(float::op(op, bits, a.bits, b.bits, c.bits));
                let undef = a.undef | b.undef | c.undef;
                state.frame.set_val(dst, if undef != 0 { Val::UNDEF } else { result });
            }
            Instr::FloatCmp { cmp, bits, dst, a, b } => {
                let [a, b] = [a, b].map(|o| self.value(state, o));
                let result = Val::known(float::cmp(cmp, bits, a.bits, b.bits) as u64);
                state.frame.set_val(dst, if a.undef | b.undef != 0 { Val::UNDEF } else { result });
            }
            Instr::Cast { op, from, to, dst, src } => self.cast(state, (op, from, to), dst, src),
            Instr::Overflowing { op, bits, dst, a, b } => {
                let ((a, ua), (b, ub)) = (self.wide(state, a, bits), self.wide(state, b, bits));
                let (value, overflowed) = arith::overflowing(op, bits, a, b);
                let flag = Val::known(overflowed as u64);
                self.put(state, dst, bits, value, ua || ub);
                let at = dst + if bits > 64 { 2 } else { 1 };
                state.frame.set_val(at, if ua || ub { Val::UNDEF } else { flag });
            }
            Instr::Bits { op, bits, dst, a } => {
                let (a, undef) = self.wide(state, a, bits);
                self.put(state, dst, bits, arith::bit_op(op, bits, a), undef);
            }
            Instr::Funnel { left, bits, dst, a, b, amount } => {
                let [(a, ua), (b, ub), (by, uc)] = [a, b, amount].map(|o| self.wide(state, o, bits));
                self.put(state, dst, bits, arith::funnel(left, bits, a, b, by), ua || ub || uc);
            }
            Instr::Branch { cond: on, .. }
            | Instr::Switch { value: on, .. }
            | Instr::Select { cond: on, .. }
                if self.outside.unknown && self.value(state, on).undef != 0 =>
            {
                let ways = if let Instr::Switch { cases, .. } = instr { cases.len() + 1 } else { 2 };
                return Ok(self.decide_unknown(state, ways));
            }
            Instr::Select { dst, cond, a, b } => {
                let cond = self.value(state, cond);
                let chosen = self.value(state, if cond.bits != 0 { a } else { b });
                state.frame.set_val(dst, if cond.undef != 0 { Val::UNDEF } else { chosen });
            }
            Instr::Offset { dst, base, index, scale } => {
                let (base, index) = (self.value(state, base), self.value(state, index));
                let result = base.bits.wrapping_add(index.bits.wrapping_mul(scale as u64));
                let undef = base.undef | index.undef != 0;
                state.frame.set_val(dst, if undef { Val::UNDEF } else { Val::known(result) });
            }
            Instr::Alloca { dst, size, private, .. } => {
                let size = self.known(state, size, "the size of a variable")?;
                if !private {
                    let op = self.make(state, dst, size, false, false)?;
                    if let Op::Alloc { object } = op {
                        state.frame.stack.push(object);
                    }
                    return Ok(Some(op));
                }
                let slot = state.private.len() as u32;
                Rc::make_mut(&mut state.private).push(Rc::new(PrivateObject::fresh(size)));
                state.frame.set(dst, private_address(state.thread, slot, 0));
            }
            Instr::Load { dst, addr, bytes, mode, .. } => return self.load(state, dst, addr, bytes, mode),
            Instr::Store { addr, value, bytes, mode, .. } => {
                return self.store(state, addr, value, bytes, mode);
            }
            Instr::Rmw { .. } => return self.rmw(state, instr),
            Instr::Cmpxchg { .. } => return self.cmpxchg(state, instr),
            Instr::Fence { mode } => {
                state.stage = Stage::Advance;
                return Ok(Some(Op::Fence { mode }));
            }
            Instr::Jump { to } => {
                state.frame.pc = to;
                return Ok(None);
            }
            Instr::Branch { cond, then, els } => {
                let cond = self.known(state, cond, "what a decision depends on")?;
                state.frame.pc = if cond != 0 { then } else { els };
                return Ok(None);
            }
            Instr::Switch { value, ref cases, default } => {
                let value = self.known(state, value, "what a decision depends on")?;
                let case = cases.iter().find(|(case, _)| *case == value);
                state.frame.pc = case.map_or(default, |(_, to)| *to);
                return Ok(None);
            }
            Instr::LoopHead { number, ref live, ref rewritten } => {
                self.pass_header(state, number, live, rewritten);
            }
            Instr::LoopBack { number } => {
                if self.options.reductions.has(Reduction::Pef)
                    && let Some(block) = self.idle(state, number, function)
                {
                    return Ok(Some(Op::Block(block)));
                }
                if let Some(op) = self.loop_back(state, number, function) {
                    return Ok(Some(op));
                }
                state.frame.return_to_header(number);
            }
            Instr::SpinBlock { number } => {
                let header = function.loops.get(number as usize).map_or(0, |l| l.header);
                state.loads_at_header = state.frame.loads_at(header).unwrap_or(0);
                return Ok(Some(Op::Block(state.spin())));
            }
            Instr::Call { dst, callee, ref args, results } => {
                return self.call(state, dst, callee, args, results);
            }
            Instr::Return { ref values } => return self.return_from(state, values),
            Instr::Unreachable => {
                return fail(
                    "undefined-behaviour",
                    "code was reached that the compiler took to be unreachable",
                );
            }
            Instr::Unsupported { ref what } => return fail("unsupported", what.clone()),
        }
        state.frame.pc += 1;
        Ok(None)
    }

    fn loop_back(&self, state: &mut VmState, number: u32, function: &Function) -> Option<Op> {
        let func = state.frame.func;
        let info = self.info(func);
        for &inner in &info.within[number as usize] {
            state.frame.rounds[inner as usize] = 0;
        }
        let rounds = &mut state.frame.rounds[number as usize];
        *rounds += 1;
        if *rounds <= info.bounds[number as usize] {
            return None;
        }
        // Where iterations without effect are repeated, the bound is no reason to go on with one: what comes after
        // it also comes after fewer of them.
        if let Some(block) = self.idle(state, number, function) {
            return Some(Op::Block(block));
        }
        self.note(Limit::Loop(func, number));
        Some(Op::Cut)
    }

    // ---- integers ----

    /// An operand of up to 128 bits, in one register or two, and whether a part of it is undefined.
    #[inline]
    pub(super) fn wide(&self, state: &VmState, operand: Operand, bits: u8) -> (u128, bool) {
        let low = self.value(state, operand);
        if bits <= 64 {
            return (low.bits as u128, low.undef & bytes_of(bits) != 0);
        }
        match operand {
            Operand::Reg(r) if r + 1 < state.frame.regs.len() as u32 => {
                let high = state.frame.get(r + 1);
                ((high.bits as u128) << 64 | low.bits as u128, low.undef | high.undef != 0)
            }
            _ => (low.bits as u128, low.undef != 0),
        }
    }

    #[inline]
    pub(super) fn put(&self, state: &mut VmState, dst: Reg, bits: u8, value: u128, undef: bool) {
        let val = |bits| if undef { Val::UNDEF } else { Val::known(bits) };
        state.frame.set_val(dst, val(value as u64));
        if bits > 64 {
            state.frame.set_val(dst + 1, val((value >> 64) as u64));
        }
    }

    #[inline]
    fn bin(
        &self,
        state: &mut VmState,
        (op, bits, no_signed_wrap): (BinOp, u8, bool),
        dst: Reg,
        a: Operand,
        b: Operand,
    ) -> Result<(), Halt> {
        let ((x, ux), (y, uy)) = (self.wide(state, a, bits), self.wide(state, b, bits));
        if ux || uy {
            if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) && uy {
                return fail("uninitialised-read", "a divisor was never set");
            }
            if bits > 64 {
                self.put(state, dst, bits, 0, true);
            } else {
                let result = partly_defined(op, bits, self.value(state, a), self.value(state, b));
                state.frame.set_val(dst, result);
            }
            return Ok(());
        }
        if no_signed_wrap && self.options.check_signed_overflow && arith::wraps_signed(op, bits, x, y) {
            let (x, y) = (arith::signed(x, bits), arith::signed(y, bits));
            return fail(
                "overflow",
                format!("signed overflow: {op:?} of {x} and {y} in {bits} bits").to_lowercase(),
            );
        }
        let value = arith::bin(op, bits, x, y).or_else(|why| match why {
            NoResult::DivisionByZero => fail("division-by-zero", "division by zero"),
            NoResult::DivisionOverflow => {
                fail("division-by-zero", "the smallest number is divided by -1, which overflows")
            }
            NoResult::ShiftTooFar => {
                fail("undefined-behaviour", format!("a number of {bits} bits is shifted by {y}"))
            }
        })?;
        self.put(state, dst, bits, value, false);
        Ok(())
    }

    fn cast(&self, state: &mut VmState, (op, from, to): (CastOp, u8, u8), dst: Reg, src: Operand) {
        let (value, undef) = self.wide(state, src, from);
        if undef && from <= 64 && to <= 64 && matches!(op, CastOp::Zext | CastOp::Trunc) {
            let src = self.value(state, src);
            let bits = float::cast(op, from, to, value) as u64;
            let undef = src.undef & bytes_of(from.min(to));
            return state.frame.set_val(dst, Val { bits, undef });
        }
        self.put(state, dst, to, float::cast(op, from, to, value), undef);
    }
}

/// An operation on values of which some bytes are undefined: fields of a struct that travel together in
/// a register are taken apart and put together with shifts and masks.
fn partly_defined(op: BinOp, bits: u8, a: Val, b: Val) -> Val {
    let all = bytes_of(bits);
    let (ua, ub) = (a.undef & all, b.undef & all);
    let bytes_where =
        |v: u64, byte: u8| (0..8).fold(0, |m, i| m | u8::from((v >> (8 * i)) as u8 == byte) << i);
    let undef = match op {
        // A byte of zeros (ones) decides a conjunction (disjunction).
        BinOp::And => (ua | ub) & !(bytes_where(a.bits, 0) & !ua) & !(bytes_where(b.bits, 0) & !ub),
        BinOp::Or => (ua | ub) & !(bytes_where(a.bits, 0xff) & !ua) & !(bytes_where(b.bits, 0xff) & !ub),
        BinOp::Xor => ua | ub,
        BinOp::Shl if ub == 0 && b.bits.is_multiple_of(8) && b.bits < bits as u64 => ua << (b.bits / 8) & all,
        BinOp::LShr if ub == 0 && b.bits.is_multiple_of(8) && b.bits < bits as u64 => ua >> (b.bits / 8),
        _ => 0xff,
    };
    let value = match undef {
        0xff => 0,
        _ => arith::bin(op, bits, a.bits as u128, b.bits as u128).unwrap_or(0) as u64,
    };
    let keep = (0..8).filter(|i| undef >> i & 1 == 0).fold(0u64, |m, i| m | 0xff << (8 * i));
    Val { bits: value & keep, undef }
}
