//! Accesses of 16 bytes.
//!
//! A value in the graph has 8 bytes. One of 16 bytes is known there by its number among all that came up
//! ([`crate::tables::Tables::narrow`]), which does for the explorer: it asks only whether values are equal.

use super::access::ADDRESS;
use super::memory::{Spot, Use};
use super::state::{Buffer, Stage, Then, Transfer, Val, VmState};
use super::{Halt, VmMachine, fail};
use crate::arith;
use crate::ir::{Instr, Operand, Reg, RmwOp};
use crate::layout::{Pieces, Plain};
use selvedge_graph::{Loc, Mode, Value};
use selvedge_machine::{Op, Rmw};
use std::rc::Rc;

const BYTES: u8 = 16;

impl VmMachine {
    pub(super) fn narrow(&self, value: u128) -> Value {
        let known = self.tables.borrow().known_narrow(value);
        known.unwrap_or_else(|| self.learn(|common| common.narrow(value)))
    }

    /// An operand as the graph knows it.
    #[inline]
    pub(super) fn as_value(&self, state: &VmState, operand: Operand, bytes: u8) -> Value {
        match bytes {
            BYTES => self.narrow(self.wide(state, operand, 128).0),
            _ => (self.value(state, operand).bits & arith::mask(8 * bytes) as u64) as Value,
        }
    }

    /// What the graph knows by `input`, in a cell of any size.
    pub(super) fn cell_contents(&self, loc: Loc, input: u64) -> u128 {
        let tables = self.tables.borrow();
        match tables.layout.cell(loc).size {
            BYTES => tables.wide(input as Value),
            _ => input as u128,
        }
    }

    /// Puts what was read into a register, or two.
    #[inline]
    pub(super) fn give(&self, state: &mut VmState, dst: Reg, bytes: u8, input: u64) {
        if bytes != BYTES {
            return state.frame.set(dst, input);
        }
        let value = self.tables.borrow().wide(input as Value);
        self.put(state, dst, 128, value, false);
    }

    /// Two registers; their undefined bytes are 0. `None` if nothing of them is defined.
    fn pair(&self, state: &VmState, operand: Operand) -> Option<[Val; 2]> {
        let low = self.value(state, operand);
        let high = match operand {
            Operand::Reg(r) => state.frame.get(r + 1),
            Operand::Undef => Val::UNDEF,
            _ => Val::known(0),
        };
        (low.undef & high.undef != 0xff).then_some([low, high])
    }

    pub(super) fn load_wide(
        &self,
        state: &mut VmState,
        dst: Reg,
        addr: Operand,
        mode: Mode,
    ) -> Result<Option<Op>, Halt> {
        let addr = self.known(state, addr, ADDRESS)?;
        match self.resolve(state, addr, BYTES as u64, Use::Read)? {
            Spot::Shared { object, at } => {
                let loc = match mode {
                    Mode::Na => self.tables.borrow().layout.exact(object, at, BYTES as u32),
                    _ => Some(self.atomic_cell(object, at, BYTES)?),
                };
                if let Some(loc) = loc {
                    state.stage = Stage::GiveWide(dst);
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let loads = self.cells(object, at, BYTES as u32, Plain::Load, &[])?;
                let (stores, buffer) = (Pieces::new(), Buffer::zeroed(BYTES as usize));
                self.transfer(state, Transfer { loads, stores, done: 0, buffer, then: Then::Load(dst) })
            }
            Spot::Private { slot, at } => {
                for (reg, at) in [(dst, at), (dst + 1, at + 8)] {
                    let (bits, undef) = state.private[slot].load(at, 8);
                    state.frame.set_val(reg, Val { bits, undef });
                }
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { global, at } => {
                for (reg, at) in [(dst, at), (dst + 1, at + 8)] {
                    let contents = self.constant(global, at, 8);
                    let number = contents.iter().rev().fold(0, |number, byte| number << 8 | *byte as u64);
                    state.frame.set(reg, number);
                }
                state.frame.pc += 1;
                Ok(None)
            }
        }
    }

    pub(super) fn store_wide(
        &self,
        state: &mut VmState,
        addr: Operand,
        value: Operand,
        mode: Mode,
    ) -> Result<Option<Op>, Halt> {
        let addr = self.known(state, addr, ADDRESS)?;
        let pair = self.pair(state, value);
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let Some([low, high]) = pair else {
                    if mode != Mode::Na {
                        return fail("uninitialised-read", "an atomic store of a value that was never set");
                    }
                    state.frame.pc += 1;
                    return Ok(None);
                };
                let whole = (high.bits as u128) << 64 | low.bits as u128;
                let loc = match mode {
                    Mode::Na => self.tables.borrow().layout.exact(object, at, BYTES as u32),
                    _ => Some(self.atomic_cell(object, at, BYTES)?),
                };
                if let Some(loc) = loc {
                    state.stage = Stage::Advance;
                    return Ok(Some(Op::Store { loc, value: self.narrow(whole), mode, rmw: false }));
                }
                let stores = self.cells(object, at, BYTES as u32, Plain::Store, &[])?;
                let mut buffer = Buffer::zeroed(BYTES as usize);
                buffer.put(0, BYTES as usize, whole);
                for (i, u) in buffer.undef.iter_mut().enumerate() {
                    *u = [low, high][i / 8].undef >> (i % 8) & 1 != 0;
                }
                let loads = Pieces::new();
                self.transfer(state, Transfer { loads, stores, done: 0, buffer, then: Then::Nothing })
            }
            Spot::Private { slot, at } => {
                let pair = pair.unwrap_or([Val::UNDEF; 2]);
                let object = Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot]);
                for (i, half) in pair.into_iter().enumerate() {
                    object.store(at + 8 * i, 8, half.bits, half.undef);
                }
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    /// A value of 16 bytes that must be defined, but for padding.
    fn known_wide(&self, state: &VmState, operand: Operand, what: &str) -> Result<u128, Halt> {
        match self.pair(state, operand) {
            Some([low, high]) => Ok((high.bits as u128) << 64 | low.bits as u128),
            None => fail("uninitialised-read", format!("{what} was never set")),
        }
    }

    pub(super) fn rmw_wide(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Rmw { op, dst, addr, operand, mode, .. } = *instr else { unreachable!("not an RMW") };
        let addr = self.known(state, addr, ADDRESS)?;
        let operand = self.known_wide(state, operand, "the operand of an atomic operation")?;
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = self.atomic_cell(object, at, BYTES)?;
                state.stage = Stage::RmwLoaded(loc);
                Ok(Some(Op::Load { loc, mode, rmw: Rmw::Always }))
            }
            Spot::Private { slot, at } => {
                let old = self.private_wide(state, slot, at)?;
                self.set_private_wide(state, slot, at, arith::rmw_wide(op, 128, old, operand));
                self.put(state, dst, 128, old, false);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    /// What an RMW writes that has read `input`.
    pub(super) fn rmw_wide_value(&self, state: &VmState, op: RmwOp, operand: Operand, input: u64) -> Value {
        let old = self.tables.borrow().wide(input as Value);
        let operand = self.wide(state, operand, 128).0;
        self.narrow(arith::rmw_wide(op, 128, old, operand))
    }

    pub(super) fn cmpxchg_wide(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Cmpxchg { dst, addr, expected, desired, weak, .. } = *instr else {
            unreachable!("not a compare and exchange")
        };
        let addr = self.known(state, addr, ADDRESS)?;
        let expected = self.known_wide(state, expected, "the expected value of a compare and exchange")?;
        let desired = self.known_wide(state, desired, "the desired value of a compare and exchange")?;
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = self.atomic_cell(object, at, BYTES)?;
                if weak && state.made.weak_failures < self.options.weak_cas_failures {
                    state.stage = Stage::CasChosen(loc);
                    return Ok(Some(Op::Choose { count: 2 }));
                }
                Ok(Some(self.cas_load(state, instr, loc)))
            }
            Spot::Private { slot, at } => {
                let old = self.private_wide(state, slot, at)?;
                if old == expected {
                    self.set_private_wide(state, slot, at, desired);
                }
                self.put(state, dst, 128, old, false);
                state.frame.set(dst + 2, (old == expected) as u64);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    fn private_wide(&self, state: &VmState, slot: usize, at: usize) -> Result<u128, Halt> {
        match (state.private[slot].load(at, 8), state.private[slot].load(at + 8, 8)) {
            ((low, 0), (high, 0)) => Ok((high as u128) << 64 | low as u128),
            _ => fail("uninitialised-read", "an atomic operation on memory that was never written"),
        }
    }

    fn set_private_wide(&self, state: &mut VmState, slot: usize, at: usize, value: u128) {
        let object = Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot]);
        object.store(at, 8, value as u64, 0);
        object.store(at + 8, 8, (value >> 64) as u64, 0);
    }
}
