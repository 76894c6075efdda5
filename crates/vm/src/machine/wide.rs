//! Accesses of 16 bytes.

use super::memory::{Spot, Use};
use super::state::{Stage, Then, Val, VmState};
use super::{Halt, VmMachine};
use crate::contents::Bytes;
use crate::layout::{Pieces, Plain};
use crate::undefined::Word;
use selvedge_graph::{Mode, Value};
use selvedge_ir::arith;
use selvedge_ir::{Instr, Operand, Reg};
use selvedge_machine::{Op, Rmw};

const BYTES: u8 = 16;

impl VmMachine {
    /// An operand as the graph knows it.
    #[inline]
    pub(super) fn as_value(&self, state: &VmState, operand: Operand, bytes: u8) -> Value {
        match bytes {
            BYTES => self.encode_word(self.wide(state, operand, 128), BYTES as u32),
            _ => {
                let Val { bits, undef, origin } = self.value(state, operand);
                let mask = arith::mask(8 * bytes) as u64;
                self.encode(Val { bits: bits & mask, undef: undef & mask, origin }, bytes)
            }
        }
    }

    /// Puts what was read into a register, or two.
    #[inline]
    pub(super) fn give(&self, state: &mut VmState, dst: Reg, bytes: u8, input: u64) {
        match bytes {
            BYTES => self.put(state, dst, 128, self.decode_word(input, BYTES)),
            _ => state.frame.set_val(dst, self.decode(input)),
        }
    }

    pub(super) fn load_wide(
        &self,
        state: &mut VmState,
        dst: Reg,
        addr: Operand,
        mode: Mode,
    ) -> Result<Option<Op>, Halt> {
        let addr = self.address(state, addr, BYTES)?;
        match self.resolve(state, addr, BYTES as u64, Use::Read)? {
            Spot::Shared { object, at } => {
                let loc = match mode {
                    Mode::Na => self.tables.borrow().layout.exact(object, at, BYTES as u32),
                    _ => match self.atomic_cell(object, at, BYTES)? {
                        Ok(loc) => Some(loc),
                        Err(pieces) => return Ok(Some(self.load_parts(state, pieces, BYTES, dst))),
                    },
                };
                if let Some(loc) = loc {
                    state.stage = Stage::GiveWide(dst);
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let loads = self.cells(object, at, BYTES as u32, Plain::Load, &[])?;
                let buffer = Bytes::known(vec![0; BYTES as usize]);
                self.transfer(state, loads, Pieces::new(), buffer, Then::Load(dst))
            }
            Spot::Private { slot, at } => {
                for (reg, at) in [(dst, at), (dst + 1, at + 8)] {
                    let half = self.load_private(state, slot, at, 8);
                    state.frame.set_val(reg, half);
                }
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { of, at } => {
                for (reg, at) in [(dst, at), (dst + 1, at + 8)] {
                    let contents = self.constant(of, at, 8);
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
        let addr = self.address(state, addr, BYTES)?;
        let value = self.wide(state, value, 128);
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = match mode {
                    Mode::Na => self.tables.borrow().layout.exact(object, at, BYTES as u32),
                    _ => match self.atomic_cell(object, at, BYTES)? {
                        Ok(loc) => Some(loc),
                        Err(pieces) => return Ok(Some(self.store_parts(state, pieces, BYTES, value))),
                    },
                };
                if let Some(loc) = loc {
                    state.stage = Stage::Advance;
                    let value = self.encode_word(value, BYTES as u32);
                    return Ok(Some(Op::Store { loc, value, mode, rmw: false }));
                }
                let stores = self.cells(object, at, BYTES as u32, Plain::Store, &[])?;
                let mut buffer = Bytes::known(vec![0; BYTES as usize]);
                self.put_in(&mut buffer, 0, BYTES as usize, value);
                self.transfer(state, Pieces::new(), stores, buffer, Then::Nothing)
            }
            Spot::Private { slot, at } => {
                self.set_private_wide(state, slot, at, value);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    pub(super) fn rmw_wide(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Rmw { op, dst, addr, operand, mode, .. } = *instr else { unreachable!("not an RMW") };
        let addr = self.address(state, addr, BYTES)?;
        let operand = self.wide(state, operand, 128);
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = match self.atomic_cell(object, at, BYTES)? {
                    Ok(loc) => loc,
                    Err(pieces) => return Ok(Some(self.rmw_parts(state, pieces, BYTES))),
                };
                state.stage = Stage::RmwLoaded(loc);
                Ok(Some(Op::Load { loc, mode, rmw: Rmw::Always }))
            }
            Spot::Private { slot, at } => {
                let old = self.private_wide(state, slot, at);
                self.set_private_wide(state, slot, at, self.modified(op, 128, old, operand));
                self.put(state, dst, 128, old);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    pub(super) fn cmpxchg_wide(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Cmpxchg { dst, addr, expected, desired, weak, .. } = *instr else {
            unreachable!("not a compare and exchange")
        };
        let addr = self.address(state, addr, BYTES)?;
        self.expected(state, expected, BYTES)?;
        match self.resolve(state, addr, BYTES as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = match self.atomic_cell(object, at, BYTES)? {
                    Ok(loc) => loc,
                    Err(pieces) => return Ok(Some(self.cmpxchg_parts(state, pieces, BYTES, weak))),
                };
                if weak && state.made.weak_failures < self.options.weak_cas_failures {
                    state.stage = Stage::CasChosen(loc);
                    return Ok(Some(Op::Choose { count: 2 }));
                }
                Ok(Some(self.cas_load(state, instr, loc)))
            }
            Spot::Private { slot, at } => {
                let old = self.private_wide(state, slot, at);
                let hit = self.found(state, old, expected, BYTES)?;
                if hit {
                    let desired = self.wide(state, desired, 128);
                    self.set_private_wide(state, slot, at, desired);
                }
                self.put(state, dst, 128, old);
                state.frame.set(dst + 2, hit as u64);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    fn private_wide(&self, state: &VmState, slot: usize, at: usize) -> Word {
        let (low, high) = (self.load_private(state, slot, at, 8), self.load_private(state, slot, at + 8, 8));
        match low.is_outside() || high.is_outside() {
            true => self.joined(low, high),
            false => Word::of(low, high),
        }
    }

    fn set_private_wide(&self, state: &mut VmState, slot: usize, at: usize, value: Word) {
        let high = if value.is_outside() { self.upper(value) } else { value.high() };
        self.store_private(state, slot, at, 8, value.low());
        self.store_private(state, slot, at + 8, 8, high);
    }
}
