//! Loads, stores and read-modify-writes.

use super::memory::{Spot, Use};
use super::state::{Buffer, Stage, Then, Transfer, Val, VmState};
use super::zne::reading_part;
use super::{Halt, VmMachine, fail};
use crate::arith;
use crate::ir::{Instr, Net, Operand, Reg, registers};
use crate::layout::{Piece, Pieces, Plain};
use selvedge_graph::{Loc, Mode, Value};
use selvedge_machine::{Op, Rmw};
use std::rc::Rc;

/// Why an address cannot be used.
pub(super) const ADDRESS: &str = "the address of an access";

/// `bytes` bytes, all undefined or not.
fn byte_mask(bytes: u8) -> u8 {
    ((1u16 << bytes) - 1) as u8
}

impl VmMachine {
    #[inline]
    pub(super) fn load(
        &self,
        state: &mut VmState,
        dst: Reg,
        addr: Operand,
        bytes: u8,
        mode: Mode,
    ) -> Result<Option<Op>, Halt> {
        if bytes == 16 {
            return self.load_wide(state, dst, addr, mode);
        }
        let addr = self.known(state, addr, ADDRESS)?;
        match self.resolve(state, addr, bytes as u64, Use::Read)? {
            Spot::Shared { object, at } => {
                if mode != Mode::Na {
                    let loc = self.atomic_cell(object, at, bytes)?;
                    state.stage = Stage::Give(Some(dst));
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let whole = self.tables.borrow().layout.exact(object, at, bytes as u32);
                if let Some(loc) = whole {
                    state.stage = Stage::Give(Some(dst));
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let loads = self.cells(object, at, bytes as u32, Plain::Load, &[])?;
                let buffer = Buffer::zeroed(bytes as usize);
                self.transfer(
                    state,
                    Transfer { loads, stores: Pieces::new(), done: 0, buffer, then: Then::Load(dst) },
                )
            }
            Spot::Private { slot, at } => {
                let (bits, undef) = state.private[slot].load(at, bytes as usize);
                state.frame.set_val(dst, Val { bits, undef });
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { global, at } => {
                let contents = self.constant(global, at, bytes as usize);
                let number = contents.iter().rev().fold(0, |number, byte| number << 8 | *byte as u64);
                state.frame.set(dst, number);
                state.frame.pc += 1;
                Ok(None)
            }
        }
    }

    #[inline]
    pub(super) fn store(
        &self,
        state: &mut VmState,
        addr: Operand,
        value: Operand,
        bytes: u8,
        mode: Mode,
    ) -> Result<Option<Op>, Halt> {
        if bytes == 16 {
            return self.store_wide(state, addr, value, mode);
        }
        let addr = self.known(state, addr, ADDRESS)?;
        let value = self.value(state, value);
        let bits = value.bits & arith::mask(8 * bytes) as u64;
        let undef = value.undef & byte_mask(bytes);
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                // Padding is never set, and stays what it is.
                if undef == byte_mask(bytes) && mode != Mode::Na {
                    return fail("uninitialised-read", "an atomic store of a value that was never set");
                }
                // A value without any defined byte may be what is there already.
                if undef == byte_mask(bytes) {
                    state.frame.pc += 1;
                    return Ok(None);
                }
                let loc = if mode != Mode::Na {
                    Some(self.atomic_cell(object, at, bytes)?)
                } else {
                    self.tables.borrow().layout.exact(object, at, bytes as u32)
                };
                if let Some(loc) = loc {
                    if mode == Mode::Na {
                        state.frame.forgive_store(addr, bytes, 1);
                    }
                    state.stage = Stage::Advance;
                    return Ok(Some(Op::Store { loc, value: bits as Value, mode, rmw: false }));
                }
                let stores = self.cells(object, at, bytes as u32, Plain::Store, &[])?;
                let mut buffer = Buffer::zeroed(bytes as usize);
                buffer.put(0, bytes as usize, bits as u128);
                for (i, u) in buffer.undef.iter_mut().enumerate() {
                    *u = undef >> i & 1 != 0;
                }
                let defined = |p: &&Piece| buffer.number(p.at as usize, p.len as usize).is_some();
                state.frame.forgive_store(addr, bytes, stores.iter().filter(defined).count() as u32);
                self.transfer(
                    state,
                    Transfer { loads: Pieces::new(), stores, done: 0, buffer, then: Then::Nothing },
                )
            }
            Spot::Private { slot, at } => {
                let object = &mut Rc::make_mut(&mut state.private)[slot];
                Rc::make_mut(object).store(at, bytes as usize, bits, undef);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    pub(super) fn rmw(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Rmw { op, dst, addr, operand, bytes, mode, net } = *instr else {
            unreachable!("not an RMW")
        };
        if bytes == 16 {
            return self.rmw_wide(state, instr);
        }
        let addr = self.known(state, addr, ADDRESS)?;
        let operand = self.known(state, operand, "the operand of an atomic operation")?;
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = self.atomic_cell(object, at, bytes)?;
                state.stage = Stage::RmwLoaded(loc);
                let rmw = match net {
                    Net::Tentative(_) if self.leaves_out_undone() => {
                        Rmw::Tentative { fail: reading_part(mode) }
                    }
                    _ => Rmw::Always,
                };
                Ok(Some(Op::Load { loc, mode, rmw }))
            }
            Spot::Private { slot, at } => {
                let old = self.private_atomic(state, slot, at, bytes)?;
                let new = arith::rmw(op, 8 * bytes, old, operand & arith::mask(8 * bytes) as u64);
                Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot]).store(at, bytes as usize, new, 0);
                state.frame.set(dst, old);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    pub(super) fn cmpxchg(&self, state: &mut VmState, instr: &Instr) -> Result<Option<Op>, Halt> {
        let Instr::Cmpxchg { dst, addr, expected, desired, bytes, weak, .. } = *instr else {
            unreachable!("not a compare and exchange")
        };
        if bytes == 16 {
            return self.cmpxchg_wide(state, instr);
        }
        let addr = self.known(state, addr, ADDRESS)?;
        let expected =
            self.known_part(state, expected, bytes, "the expected value of a compare and exchange")?;
        let desired =
            self.known_part(state, desired, bytes, "the desired value of a compare and exchange")?;
        let mask = arith::mask(8 * bytes) as u64;
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = self.atomic_cell(object, at, bytes)?;
                if weak && state.made.weak_failures < self.options.weak_cas_failures {
                    state.stage = Stage::CasChosen(loc);
                    return Ok(Some(Op::Choose { count: 2 }));
                }
                Ok(Some(self.cas_load(state, instr, loc)))
            }
            Spot::Private { slot, at } => {
                let old = self.private_atomic(state, slot, at, bytes)?;
                let hit = old == expected & mask;
                if hit {
                    let object = &mut Rc::make_mut(&mut state.private)[slot];
                    Rc::make_mut(object).store(at, bytes as usize, desired & mask, 0);
                }
                state.frame.set(dst, old);
                state.frame.set(dst + 1, hit as u64);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { .. } => unreachable!("constants are not written"),
        }
    }

    pub(super) fn cas_load(&self, state: &mut VmState, instr: &Instr, loc: Loc) -> Op {
        let Instr::Cmpxchg { expected, bytes, success, failure, .. } = *instr else {
            unreachable!("not a compare and exchange")
        };
        let expected = self.as_value(state, expected, bytes);
        state.stage = Stage::CasLoaded(loc);
        Op::Load { loc, mode: success, rmw: Rmw::Cas { expected, fail: failure } }
    }

    /// A value of which something must be defined: padding never is, and counts as 0.
    fn known_part(&self, state: &VmState, operand: Operand, bytes: u8, what: &str) -> Result<u64, Halt> {
        let value = self.value(state, operand);
        if value.undef & byte_mask(bytes) == byte_mask(bytes) {
            return fail("uninitialised-read", format!("{what} was never set"));
        }
        Ok(value.bits)
    }

    fn private_atomic(&self, state: &VmState, slot: usize, at: usize, bytes: u8) -> Result<u64, Halt> {
        match state.private[slot].load(at, bytes as usize) {
            (old, 0) => Ok(old),
            _ => fail("uninitialised-read", "an atomic operation on memory that was never written"),
        }
    }

    #[inline]
    pub(super) fn atomic_cell(&self, object: u32, at: u32, bytes: u8) -> Result<Loc, Halt> {
        let known = self.tables.borrow().layout.known_atomic(object, at, bytes as u32);
        if let Some(loc) = known {
            return Ok(loc);
        }
        let cell = self.learn(|common| common.layout.atomic(object, at, bytes as u32));
        cell.map_err(|clash| self.clash(clash, object, at))
    }

    pub(super) fn cells(
        &self,
        object: u32,
        at: u32,
        len: u32,
        how: Plain,
        like: &[u32],
    ) -> Result<Pieces, Halt> {
        if let Some(pieces) = self.tables.borrow().layout.known_plain(object, at, len, how) {
            return Ok(pieces);
        }
        let pieces = self.learn(|common| common.layout.plain(object, at, len, how, like));
        pieces.map_err(|clash| self.clash(clash, object, at))
    }

    /// Takes in the result of the operation that a state stopped at. Returns the next operation if it
    /// follows at once.
    #[inline]
    pub(super) fn finish(&self, state: &mut VmState, input: u64) -> Result<Option<Op>, Halt> {
        match std::mem::replace(&mut state.stage, Stage::Fetch) {
            Stage::Fetch => Ok(None),
            Stage::Advance | Stage::Spawning(..) => {
                state.frame.pc += 1;
                Ok(None)
            }
            Stage::Give(dst) | Stage::Departing(dst) => {
                if let Some(dst) = dst {
                    state.frame.set(dst, input);
                }
                state.frame.pc += 1;
                Ok(None)
            }
            Stage::Spurious(dst) => {
                state.made.spurious_wakeups += input as u32;
                if let Some(dst) = dst {
                    state.frame.set(dst, input);
                }
                state.frame.pc += 1;
                Ok(None)
            }
            Stage::Transfer(mut transfer) => {
                if let Some(piece) = transfer.loads.get(transfer.done as usize) {
                    let Piece { loc, from, len, at } = *piece;
                    let whole = self.cell_contents(loc, input);
                    transfer.buffer.put(at as usize, len as usize, whole >> (8 * from as u32));
                    transfer.done += 1;
                }
                self.go_on_transferring(state, transfer)
            }
            Stage::Deciding => {
                self.decided(state, input);
                Ok(None)
            }
            Stage::Exiting => Ok(Some(self.exit(state))),
            Stage::Landing(landing) => Ok(self.land(state, *landing)),
            Stage::RmwLoaded(loc) => Ok(Some(match self.undone(state, loc, input) {
                Some(block) => block,
                None => self.rmw_store(state, loc, input),
            })),
            Stage::GiveWide(dst) => {
                self.give(state, dst, 16, input);
                state.frame.pc += 1;
                Ok(None)
            }
            stage => Ok(self.cas_finish(state, stage, input)),
        }
    }

    /// The instruction that is running.
    pub(super) fn current(&self, state: &VmState) -> &Instr {
        &self.function(state.frame.func).code[state.frame.pc as usize]
    }

    pub(super) fn rmw_store(&self, state: &mut VmState, loc: Loc, input: u64) -> Op {
        let Instr::Rmw { op, dst, operand, bytes, mode, .. } = *self.current(state) else {
            unreachable!("the read of an RMW")
        };
        let value = match bytes {
            16 => self.rmw_wide_value(state, op, operand, input),
            _ => {
                let operand = self.value(state, operand).bits & arith::mask(8 * bytes) as u64;
                arith::rmw(op, 8 * bytes, input, operand) as Value
            }
        };
        self.give(state, dst, bytes, input);
        state.stage = Stage::Advance;
        Op::Store { loc, value, mode, rmw: true }
    }

    fn cas_finish(&self, state: &mut VmState, stage: Stage, input: u64) -> Option<Op> {
        let instr = self.current(state);
        let Instr::Cmpxchg { dst, expected, desired, bytes, success, failure, .. } = *instr else {
            unreachable!("a compare and exchange")
        };
        match stage {
            Stage::CasChosen(loc) if input == 0 => return Some(self.cas_load(state, instr, loc)),
            Stage::CasChosen(loc) => {
                state.stage = Stage::CasFailing;
                state.made.weak_failure = state.loads + 1;
                state.made.weak_failures += 1;
                return Some(Op::Load { loc, mode: failure, rmw: Rmw::No });
            }
            _ => {}
        }
        let desired = self.as_value(state, desired, bytes);
        let hit = match stage {
            Stage::CasLoaded(loc) if input as Value == self.as_value(state, expected, bytes) => Some(loc),
            _ => None,
        };
        self.give(state, dst, bytes, input);
        state.frame.set(dst + registers(bytes), hit.is_some() as u64);
        match hit {
            Some(loc) => {
                state.stage = Stage::Advance;
                Some(Op::Store { loc, value: desired, mode: success, rmw: true })
            }
            None => {
                state.frame.pc += 1;
                None
            }
        }
    }

    // ---- accesses of several cells ----

    pub(super) fn transfer(&self, state: &mut VmState, transfer: Transfer) -> Result<Option<Op>, Halt> {
        self.go_on_transferring(state, Box::new(transfer))
    }

    fn go_on_transferring(&self, state: &mut VmState, mut t: Box<Transfer>) -> Result<Option<Op>, Halt> {
        if let Some(Piece { loc, .. }) = t.loads.get(t.done as usize).copied() {
            state.stage = Stage::Transfer(t);
            return Ok(Some(Op::Load { loc, mode: Mode::Na, rmw: Rmw::No }));
        }
        while let Some(piece) = t.stores.get(t.done as usize - t.loads.len()).copied() {
            t.done += 1;
            if let Some(value) = t.buffer.wide_number(piece.at as usize, piece.len as usize) {
                state.stage = Stage::Transfer(t);
                let loc = piece.loc;
                let value = if piece.len > 8 { self.narrow(value) } else { value as Value };
                return Ok(Some(Op::Store { loc, value, mode: Mode::Na, rmw: false }));
            }
        }
        match t.then {
            Then::Nothing => {}
            Then::Load(dst) => {
                for (reg, at) in (dst..).zip((0..t.buffer.bytes.len()).step_by(8)) {
                    state.frame.set_val(reg, t.buffer.register(at));
                }
            }
            Then::Result(dst, value) => {
                if let Some(dst) = dst {
                    state.frame.set(dst, value);
                }
            }
            Then::Private { slot, offset, dst, value } => {
                let object = Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot as usize]);
                for (i, (byte, undef)) in t.buffer.bytes.iter().zip(&t.buffer.undef).enumerate() {
                    match undef {
                        true => object.unset(offset as usize + i),
                        false => object.set(offset as usize + i, *byte),
                    }
                }
                if let Some(dst) = dst {
                    state.frame.set(dst, value);
                }
            }
        }
        state.frame.pc += 1;
        Ok(None)
    }

    /// `memcpy` and `memmove`: everything is read before anything is written.
    pub(super) fn copy(
        &self,
        state: &mut VmState,
        (to, from, len): (u64, u64, u64),
        dst: Option<Reg>,
    ) -> Result<Option<Op>, Halt> {
        let mut buffer = Buffer::zeroed(checked_len(len)?);
        let mut loads = Pieces::new();
        if len > 0 {
            match self.resolve(state, from, len, Use::Read)? {
                Spot::Shared { object, at } => {
                    loads = self.cells(object, at, len as u32, Plain::BulkLoad, &[])?;
                }
                Spot::Private { slot, at } => {
                    for i in 0..len as usize {
                        let byte = state.private[slot].get(at + i);
                        buffer.bytes[i] = byte.unwrap_or(0);
                        buffer.undef[i] = byte.is_none();
                    }
                }
                Spot::Constant { global, at } => {
                    buffer.bytes.copy_from_slice(self.constant(global, at, len as usize));
                }
            }
        }
        self.fill(state, to, loads, buffer, dst)
    }

    /// Writes a buffer, once `loads` have filled it.
    pub(super) fn fill(
        &self,
        state: &mut VmState,
        to: u64,
        loads: Pieces,
        buffer: Buffer,
        dst: Option<Reg>,
    ) -> Result<Option<Op>, Halt> {
        let mut then = Then::Result(dst, to);
        let mut stores = Pieces::new();
        let len = buffer.bytes.len() as u64;
        if len > 0 {
            match self.resolve(state, to, len, Use::Write)? {
                Spot::Shared { object, at } => {
                    let like: Vec<u32> = loads.iter().map(|p| p.at + p.len as u32).collect();
                    stores = self.cells(object, at, len as u32, Plain::BulkStore, &like)?;
                }
                Spot::Private { slot, at } => {
                    then = Then::Private { slot: slot as u32, offset: at as u32, dst, value: to };
                }
                Spot::Constant { .. } => unreachable!("constants are not written"),
            }
        }
        self.transfer(state, Transfer { loads, stores, done: 0, buffer, then })
    }
}

/// Copies of more than this are taken for a mistake.
const LONGEST_COPY: u64 = 1 << 24;

pub fn checked_len(len: u64) -> Result<usize, Halt> {
    if len > LONGEST_COPY {
        return fail("unsupported", format!("{len} bytes at once"));
    }
    Ok(len as usize)
}
