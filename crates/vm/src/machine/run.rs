//! Running instructions from one visible operation to the next.

use super::functions::Counting;
use super::memory::LARGEST_OBJECT;
use super::state::{Stage, Val, VmState};
use super::{Halt, VmMachine, fail, misuse, private_address};
use crate::float;
use crate::private::PrivateObject;
use crate::tables::{Limit, Managed};
use crate::undefined::{self, Origin, Word};
use selvedge_graph::Mode;
use selvedge_ir::arith::{self, NoResult};
use selvedge_ir::{BinOp, CastOp, CmpOp, Function, Instr, Operand, Reg, words};
use selvedge_machine::{ErrorKind, Op, Reduction};
use std::rc::Rc;

/// How often a loop goes round that others do not decide about, and that does something, at most.
pub(super) const MOST_ROUNDS: u32 = 100_000;

impl VmMachine {
    #[inline]
    pub(super) fn go_on(&self, state: &mut VmState, input: u64) -> Result<Op, Halt> {
        if let Some(op) = self.finish(state, input)? {
            return Ok(op);
        }
        for _ in 0..self.options.silent_steps {
            if let Some(op) = self.run_watched(state)? {
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
            return fail(ErrorKind::Unsupported, format!("`{}` has no code to run", function.name));
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
                let (x, y) = (self.value(state, a), self.value(state, b));
                if x.undef | y.undef != 0 {
                    let (x, y) = (self.wide(state, a, bits), self.wide(state, b, bits));
                    let result = self.cmp_undefined(op, bits, x, y);
                    state.frame.set_val(dst, result.low());
                } else {
                    state.frame.set(dst, arith::cmp_narrow(op, bits, x.bits, y.bits) as u64);
                }
            }
            Instr::Cmp { op, bits, dst, a, b } => {
                let (x, y) = (self.wide(state, a, bits), self.wide(state, b, bits));
                let result = match x.is_defined() && y.is_defined() {
                    true => Word::known(arith::cmp(op, bits, x.bits, y.bits) as u128),
                    false => self.cmp_undefined(op, bits, x, y),
                };
                state.frame.set_val(dst, result.low());
            }
            Instr::Float { op, bits: 80, dst, a, b, .. } => {
                let (a, b) = (self.wide(state, a, 80), self.wide(state, b, 80));
                let result = match a.is_defined() && b.is_defined() {
                    true => Word::known(float::extended(op, a.bits, b.bits)),
                    false if a.is_outside() || b.is_outside() => self.opaque(state, 80),
                    false => Word::undefined(80, undefined::origin(a, b)),
                };
                self.put(state, dst, 80, result);
            }
            Instr::FloatCmp { cmp, bits: 80, dst, a, b } => {
                let (a, b) = (self.wide(state, a, 80), self.wide(state, b, 80));
                let result = match a.is_defined() && b.is_defined() {
                    true => Word::known(float::cmp_extended(cmp, a.bits, b.bits) as u128),
                    false if a.is_outside() || b.is_outside() => self.opaque(state, 1),
                    false => Word::undefined(1, undefined::origin(a, b)),
                };
                state.frame.set_val(dst, result.low());
            }
            Instr::Float { op, bits, dst, a, b, c } => {
                let vals = [a, b, c].map(|o| self.value(state, o));
                if vals.iter().any(|v| v.is_outside()) {
                    let result = self.float_outside(state, op, bits, [vals[0], vals[1]]);
                    state.frame.set_val(dst, result);
                    state.frame.pc += 1;
                    return Ok(None);
                }
                let result = Val::known(float::op(op, bits, vals[0].bits, vals[1].bits, vals[2].bits));
                state.frame.set_val(dst, all_or_nothing(bits, &vals, result));
            }
            Instr::FloatCmp { cmp, bits, dst, a, b } => {
                let vals = [a, b].map(|o| self.value(state, o));
                if vals.iter().any(|v| v.is_outside()) {
                    let result = self.float_cmp_outside(state, cmp, bits, vals);
                    state.frame.set_val(dst, result);
                    state.frame.pc += 1;
                    return Ok(None);
                }
                let result = Val::known(float::cmp(cmp, bits, vals[0].bits, vals[1].bits) as u64);
                state.frame.set_val(dst, all_or_nothing(1, &vals, result));
            }
            Instr::Cast { op, from, to, dst, src } => self.cast(state, (op, from, to), dst, src)?,
            Instr::Overflowing { op, bits, dst, a, b } => {
                let (a, b) = (self.wide(state, a, bits), self.wide(state, b, bits));
                let at = dst + words(bits);
                if a.is_defined() && b.is_defined() {
                    let (value, overflowed) = arith::overflowing(op, bits, a.bits, b.bits);
                    self.put(state, dst, bits, Word::known(value));
                    state.frame.set(at, overflowed as u64);
                } else if a.is_outside() || b.is_outside() {
                    let (value, overflowed) = self.overflowing_outside(op, bits, a, b);
                    self.put(state, dst, bits, value);
                    state.frame.set_val(at, overflowed.low());
                } else {
                    let value = undefined::overflowing(op, bits, a, b);
                    self.put(state, dst, bits, value);
                    let origin = undefined::origin(a, b);
                    state.frame.set_val(at, Word::undefined(1, origin).low());
                }
            }
            Instr::Bits { op, bits, dst, a } => {
                let a = self.wide(state, a, bits);
                let result = match a.is_defined() {
                    true => {
                        misuse::nonzero(op, a.bits)?;
                        Word::known(arith::bit_op(op, bits, a.bits))
                    }
                    false if a.is_outside() => self.bits_outside(state, op, bits, a)?,
                    false => undefined::bit_op(op, bits, a),
                };
                self.put(state, dst, bits, result);
            }
            Instr::Funnel { left, bits, dst, a, b, amount } => {
                let [a, b, by] = [a, b, amount].map(|o| self.wide(state, o, bits));
                let outside = [a, b, by].iter().any(|w| w.is_outside());
                let result = match outside {
                    true => self.funnel_outside(left, bits, a, b, by),
                    false => undefined::funnel(left, bits, a, b, by),
                };
                self.put(state, dst, bits, result);
            }
            Instr::Branch { .. } | Instr::Switch { .. } | Instr::Select { .. }
                if self.decides_outside(state, instr) =>
            {
                self.decide_outside(state, instr)?;
                return Ok(None);
            }
            Instr::Select { dst, cond, a, b } => {
                let cond = self.value(state, cond);
                let (a, b) = (self.value(state, a), self.value(state, b));
                let chosen = match cond.is_defined() {
                    true if cond.bits != 0 => a,
                    true => b,
                    false => undefined::select(cond, a, b),
                };
                state.frame.set_val(dst, chosen);
            }
            Instr::Offset { dst, base, index, scale, within } => {
                let (base, index) = (self.value(state, base), self.value(state, index));
                if base.is_outside() || index.is_outside() {
                    let result = self.offset_outside(&state.facts, (base, index), scale, within)?;
                    state.frame.set_val(dst, result);
                    state.frame.pc += 1;
                    return Ok(None);
                }
                let result = base.bits.wrapping_add(index.bits.wrapping_mul(scale as u64));
                if within && base.undef | index.undef == 0 {
                    self.stays_within(base.bits, result)?;
                }
                state.frame.set_val(dst, all_or_nothing(64, &[base, index], Val::known(result)));
            }
            Instr::Alloca { dst, size, private, .. } => {
                let size = self.known(state, size, "the size of a variable")?;
                if size > LARGEST_OBJECT {
                    return fail(ErrorKind::Unsupported, format!("an object of {size} bytes"));
                }
                if !private {
                    let op = self.make(state, dst, size, false, false, Managed::default())?;
                    if let Op::Alloc { object } = op {
                        state.frame.stack.push(object);
                    }
                    return Ok(Some(op));
                }
                let origin = self.origin_here(state);
                let slot = state.private.len() as u32;
                Rc::make_mut(&mut state.private).push(Rc::new(PrivateObject::fresh(size, origin)));
                state.frame.set(dst, private_address(state.thread, slot, 0));
            }
            Instr::Life { addr, begins } => {
                let addr = self.known(state, addr, "the address of a variable")?;
                if let Some(op) = self.end_life(state, addr, begins) {
                    return Ok(Some(op));
                }
            }
            Instr::Load { dst, addr, bytes, mode, .. } => {
                self.aligned(state, addr, bytes, mode)?;
                return self.load(state, dst, addr, bytes, mode);
            }
            Instr::Store { addr, value, bytes, mut mode, .. } => {
                self.aligned(state, addr, bytes, mode)?;
                // No store of C is `acq_rel`: models know by that, if they care, that a lock is given back.
                if mode == Mode::Rel && self.info(func).unlocks {
                    mode = Mode::AcqRel;
                }
                return self.store(state, addr, value, bytes, mode);
            }
            Instr::Rmw { addr, bytes, mode, .. } => {
                self.aligned(state, addr, bytes, mode)?;
                return self.rmw(state, instr);
            }
            Instr::Cmpxchg { addr, bytes, success, .. } => {
                self.aligned(state, addr, bytes, success)?;
                return self.cmpxchg(state, instr);
            }
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
            Instr::Call { dst, callee, ref args, results, signature, ref lands } => {
                let callee = self.called(state, callee, args.len(), signature)?;
                if let (Some(dst), true) = (dst, lands.is_some()) {
                    // Functions that the machine performs itself are not left by exceptions.
                    state.frame.set(dst + results - 1, 0);
                    return self.call(state, Some(dst), callee, args, results - 1);
                }
                return self.call(state, dst, callee, args, results);
            }
            Instr::Return { ref values } => return self.return_from(state, values),
            Instr::Unreachable => {
                return fail(
                    ErrorKind::UndefinedBehaviour,
                    "code was reached that the compiler took to be unreachable",
                );
            }
            Instr::Unsupported { ref what } => return fail(ErrorKind::Unsupported, what.clone()),
        }
        state.frame.pc += 1;
        Ok(None)
    }

    /// Whether there has been no other thread yet. What a recovery routine reads is another matter.
    fn is_alone(&self, state: &VmState) -> bool {
        state.thread.0 == 0 && state.made.threads == 0 && self.tables.borrow().recovery.is_none()
    }

    fn loop_back(&self, state: &mut VmState, number: u32, function: &Function) -> Option<Op> {
        let func = state.frame.func;
        let info = self.info(func);
        for &inner in &info.within[number as usize] {
            let rounds = &mut state.frame.rounds[inner as usize];
            (rounds.counted, rounds.free) = (0, 0);
        }
        // Who is alone reads what it wrote itself.
        let loads = if self.is_alone(state) { 0 } else { state.loads - state.sure_loads };
        let (inputs, steps) = (loads + state.choices, state.made.steps);
        let facts = state.facts.len() as u32;
        let rounds = &mut state.frame.rounds[number as usize];
        let has_read = std::mem::replace(&mut rounds.inputs, inputs) != inputs || self.hooks.barriers;
        let has_looked = std::mem::replace(&mut rounds.sure, state.sure_loads) != state.sure_loads;
        let has_acted = std::mem::replace(&mut rounds.steps, steps) != steps || has_looked;
        let has_decided = std::mem::replace(&mut rounds.facts, facts) != facts && self.options.brief;
        let counts = match info.counting[number as usize] {
            Counting::All => true,
            Counting::Reading => has_read || has_decided,
            Counting::None => has_decided,
        };
        let bound = info.bounds[number as usize];
        if counts {
            rounds.counted += 1;
        } else {
            rounds.free += u32::from(has_acted);
        }
        if rounds.free > MOST_ROUNDS.max(bound) {
            self.note(Limit::Long(func, number));
            return Some(Op::Cut);
        }
        if rounds.counted <= bound {
            return None;
        }
        // Where iterations without effect are repeated, the bound is no reason to go on with one: what comes
        // after it also comes after fewer of them.
        if !self.options.brief
            && let Some(block) = self.idle(state, number, function)
        {
            return Some(Op::Block(block));
        }
        self.note(Limit::Loop(func, number));
        Some(Op::Cut)
    }

    // ---- integers ----

    /// An operand of up to 128 bits, in one register or two.
    #[inline]
    pub(super) fn wide(&self, state: &VmState, operand: Operand, bits: u8) -> Word {
        let low = self.value(state, operand);
        if bits <= 64 {
            return Word::of(low, Val::known(0)).narrowed(bits);
        }
        let high = match operand {
            Operand::Reg(r) if r + 1 < state.frame.regs.len() as u32 => state.frame.get(r + 1),
            Operand::Undef => low,
            _ => Val::known(0),
        };
        if low.is_outside() || high.is_outside() {
            return self.joined(low, high).narrowed(bits);
        }
        Word::of(low, high).narrowed(bits)
    }

    #[inline]
    pub(super) fn put(&self, state: &mut VmState, dst: Reg, bits: u8, value: Word) {
        state.frame.set_val(dst, value.low());
        if bits > 64 {
            let high = if value.is_outside() { self.upper(value) } else { value.high() };
            state.frame.set_val(dst + 1, high);
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
        let (x, y) = (self.wide(state, a, bits), self.wide(state, b, bits));
        if !x.is_defined() || !y.is_defined() {
            let value = match x.is_outside() || y.is_outside() {
                true => self.bin_outside(state, (op, bits, no_signed_wrap), x, y)?,
                false => self.bin_undefined(op, bits, x, y)?,
            };
            self.put(state, dst, bits, value);
            return Ok(());
        }
        let (x, y) = (x.bits, y.bits);
        if no_signed_wrap && self.options.check_signed_overflow && arith::wraps_signed(op, bits, x, y) {
            let (x, y) = (arith::signed(x, bits), arith::signed(y, bits));
            return fail(
                ErrorKind::Overflow,
                format!("signed overflow: {op:?} of {x} and {y} in {bits} bits").to_lowercase(),
            );
        }
        let value = arith::bin(op, bits, x, y).or_else(|why| no_result(why, bits, y))?;
        self.put(state, dst, bits, Word::known(value));
        Ok(())
    }

    /// An operation on values that are not wholly defined. A divisor must be.
    #[cold]
    fn bin_undefined(&self, op: BinOp, bits: u8, x: Word, y: Word) -> Result<Word, Halt> {
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            if !y.is_defined() {
                return self.not_set("a divisor", y.origin);
            }
            if y.bits == 0 {
                return no_result(NoResult::DivisionByZero, bits, 0);
            }
        }
        let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        if shifts && y.is_defined() && y.bits >= bits as u128 {
            return no_result(NoResult::ShiftTooFar, bits, y.bits);
        }
        Ok(undefined::bin(op, bits, x, y))
    }

    #[cold]
    fn cmp_undefined(&self, op: CmpOp, bits: u8, x: Word, y: Word) -> Word {
        match x.is_outside() || y.is_outside() {
            true => self.cmp_outside(op, bits, x, y),
            false => undefined::cmp(op, bits, x, y),
        }
    }

    fn cast(
        &self,
        state: &mut VmState,
        (op, from, to): (CastOp, u8, u8),
        dst: Reg,
        src: Operand,
    ) -> Result<(), Halt> {
        if matches!(op, CastOp::ToAddress | CastOp::ToPointer) {
            return self.cast_pointer(state, (op, from, to), dst, src);
        }
        let value = self.wide(state, src, from);
        let result = match value.is_defined() {
            true => {
                misuse::in_range(op, from, to, value.bits)?;
                Word::known(float::cast(op, from, to, value.bits))
            }
            false if value.is_outside() => self.cast_outside(state, (op, from, to), value),
            false => undefined::cast(op, from, to, value),
        };
        self.put(state, dst, to, result);
        Ok(())
    }
}

fn no_result<T>(why: NoResult, bits: u8, y: u128) -> Result<T, Halt> {
    match why {
        NoResult::DivisionByZero => fail(ErrorKind::DivisionByZero, "division by zero"),
        NoResult::DivisionOverflow => {
            fail(ErrorKind::DivisionByZero, "the smallest number is divided by -1, which overflows")
        }
        NoResult::ShiftTooFar => {
            fail(ErrorKind::UndefinedBehaviour, format!("a number of {bits} bits is shifted by {y}"))
        }
    }
}

/// `result`, or nothing that is defined if the operands are not.
#[inline]
fn all_or_nothing(bits: u8, operands: &[Val], result: Val) -> Val {
    let undefined = operands.iter().filter(|v| !v.is_defined());
    match undefined.map(|v| v.origin).reduce(Origin::or) {
        None => result,
        Some(origin) => Word::undefined(bits, origin.lost()).low(),
    }
}
