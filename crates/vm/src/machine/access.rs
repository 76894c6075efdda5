//! Loads, stores and read-modify-writes.

use super::memory::{Spot, Use};
use super::state::{Loaded, Stage, Then, Transfer, Val, VmState};
use super::zne::reading_part;
use super::{Halt, VmMachine};
use crate::contents::Bytes;
use crate::layout::{Piece, Pieces, Plain};
use crate::undefined::{self, Word};
use selvedge_graph::{Loc, Mode, PersistOp};
use selvedge_ir::arith;
use selvedge_ir::{Instr, Net, Operand, Reg, registers};
use selvedge_machine::{Block, Op, Rmw};
use std::rc::Rc;

/// Why an address cannot be used.
pub(super) const ADDRESS: &str = "the address of an access";

const EXPECTED: &str = "the expected value of a compare and exchange";

/// The part of a value that an access of so many bytes is about.
fn narrowed(value: Val, bytes: u8) -> Val {
    let mask = arith::mask(8 * bytes) as u64;
    Val { bits: value.bits & mask, undef: value.undef & mask, ..value }
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
        let addr = self.address(state, addr, bytes)?;
        match self.resolve(state, addr, bytes as u64, Use::Read)? {
            Spot::Shared { object, at } => {
                if mode != Mode::Na {
                    let loc = match self.atomic_cell(object, at, bytes)? {
                        Ok(loc) => loc,
                        Err(pieces) => return Ok(Some(self.load_parts(state, pieces, bytes, dst))),
                    };
                    state.stage = Stage::Give(Some(dst));
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let whole = self.tables.borrow().layout.exact(object, at, bytes as u32);
                if let Some(loc) = whole {
                    state.stage = Stage::Give(Some(dst));
                    return Ok(Some(Op::Load { loc, mode, rmw: Rmw::No }));
                }
                let loads = self.cells(object, at, bytes as u32, Plain::Load, &[])?;
                let buffer = Bytes::known(vec![0; bytes as usize]);
                self.transfer(state, loads, Pieces::new(), buffer, Then::Load(dst))
            }
            Spot::Private { slot, at } => {
                let value = self.load_private(state, slot, at, bytes as usize);
                state.frame.set_val(dst, value);
                state.frame.pc += 1;
                Ok(None)
            }
            Spot::Constant { of, at } => {
                let contents = self.constant(of, at, bytes as usize);
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
        let addr = self.address(state, addr, bytes)?;
        let value = narrowed(self.value(state, value), bytes);
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = if mode != Mode::Na {
                    match self.atomic_cell(object, at, bytes)? {
                        Ok(loc) => Some(loc),
                        Err(pieces) => {
                            let value = Word::of(value, Val::known(0));
                            return Ok(Some(self.store_parts(state, pieces, bytes, value)));
                        }
                    }
                } else {
                    self.tables.borrow().layout.exact(object, at, bytes as u32)
                };
                if let Some(loc) = loc {
                    if mode == Mode::Na || self.options.leave_out_unpublished {
                        state.frame.forgive_store(addr, bytes, 1);
                    }
                    state.stage = Stage::Advance;
                    let value = self.encode(value, bytes);
                    return Ok(Some(Op::Store { loc, value, mode, rmw: false }));
                }
                let stores = self.cells(object, at, bytes as u32, Plain::Store, &[])?;
                let mut buffer = Bytes::known(vec![0; bytes as usize]);
                self.put_in(&mut buffer, 0, bytes as usize, Word::of(value, Val::known(0)));
                state.frame.forgive_store(addr, bytes, stores.len() as u32);
                self.transfer(state, Pieces::new(), stores, buffer, Then::Nothing)
            }
            Spot::Private { slot, at } => {
                self.store_private(state, slot, at, bytes as usize, value);
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
        let addr = self.address(state, addr, bytes)?;
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = match self.atomic_cell(object, at, bytes)? {
                    Ok(loc) => loc,
                    Err(pieces) => return Ok(Some(self.rmw_parts(state, pieces, bytes))),
                };
                let rmw = match net {
                    Net::Tentative(_)
                        if self.leaves_out_undone() && self.value(state, operand).is_defined() =>
                    {
                        Rmw::Tentative { fail: reading_part(mode) }
                    }
                    _ if self.may_go_round_idly(state, op, operand, mode) => {
                        Rmw::Swap { fail: reading_part(mode) }
                    }
                    _ => Rmw::Always,
                };
                state.stage = match rmw {
                    Rmw::Swap { .. } => Stage::SwapLoaded(loc),
                    _ => Stage::RmwLoaded(loc),
                };
                Ok(Some(Op::Load { loc, mode, rmw }))
            }
            Spot::Private { slot, at } => {
                let old = self.load_private(state, slot, at, bytes as usize);
                let operand = self.wide(state, operand, 8 * bytes);
                let new = self.modified(op, 8 * bytes, Word::of(old, Val::known(0)), operand).low();
                self.store_private(state, slot, at, bytes as usize, new);
                state.frame.set_val(dst, old);
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
        let addr = self.address(state, addr, bytes)?;
        self.expected(state, expected, bytes)?;
        match self.resolve(state, addr, bytes as u64, Use::Write)? {
            Spot::Shared { object, at } => {
                let loc = match self.atomic_cell(object, at, bytes)? {
                    Ok(loc) => loc,
                    Err(pieces) => return Ok(Some(self.cmpxchg_parts(state, pieces, bytes, weak))),
                };
                if weak && state.made.weak_failures < self.options.weak_cas_failures {
                    state.stage = Stage::CasChosen(loc);
                    return Ok(Some(Op::Choose { count: 2 }));
                }
                Ok(Some(self.cas_load(state, instr, loc)))
            }
            Spot::Private { slot, at } => {
                let old = self.load_private(state, slot, at, bytes as usize);
                let hit = self.found(state, Word::of(old, Val::known(0)), expected, bytes)?;
                if hit {
                    let desired = self.wide(state, desired, 8 * bytes).low();
                    self.store_private(state, slot, at, bytes as usize, desired);
                }
                state.frame.set_val(dst, old);
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
        if self.is_guessed(state) {
            state.stage = Stage::CasGuessed(loc);
            return Op::Choose { count: 2 };
        }
        let expected = self.as_value(state, expected, bytes);
        state.stage = Stage::CasLoaded(loc);
        Op::Load { loc, mode: success, rmw: Rmw::Cas { expected, fail: failure } }
    }

    /// What a compare-and-exchange expects: something of it must be defined, but padding never is.
    pub(super) fn expected(&self, state: &VmState, operand: Operand, bytes: u8) -> Result<Word, Halt> {
        let expected = self.wide(state, operand, 8 * bytes);
        if expected.is_outside() {
            return match self.options.track_deps {
                true => self.not_set(EXPECTED, expected.origin),
                false => Ok(expected),
            };
        }
        if expected.undef == arith::mask(8 * bytes) {
            return self.not_set(EXPECTED, expected.origin);
        }
        Ok(expected)
    }

    /// Whether it finds that.
    pub(super) fn found(
        &self,
        state: &VmState,
        old: Word,
        operand: Operand,
        bytes: u8,
    ) -> Result<bool, Halt> {
        let expected = self.wide(state, operand, 8 * bytes);
        if old.is_outside() || expected.is_outside() {
            return self.found_outside(&state.facts, old, expected, bytes);
        }
        self.found_words(old, expected, bytes)
    }

    /// The same of what is known, or undefined.
    pub(super) fn found_words(&self, old: Word, expected: Word, bytes: u8) -> Result<bool, Halt> {
        match undefined::found(8 * bytes, old, expected) {
            Some(found) => Ok(found),
            None if old.undef & !expected.undef != 0 => {
                self.not_set("what a compare and exchange finds", old.origin)
            }
            None => self.not_set(EXPECTED, expected.origin),
        }
    }

    /// The cell of an atomic access, or its cells if there are several.
    #[inline]
    pub(super) fn atomic_cell(&self, object: u32, at: u32, bytes: u8) -> Result<Result<Loc, Pieces>, Halt> {
        let known = self.tables.borrow().layout.known_atomic(object, at, bytes as u32);
        if let Some(loc) = known {
            return Ok(Ok(loc));
        }
        let pieces = self.atomic_cells(object, at, bytes)?;
        Ok(match pieces[..] {
            [piece] => Ok(piece.loc),
            _ => Err(pieces),
        })
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
                    state.frame.set_val(dst, self.decode(input));
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
            Stage::Parts(parts) => self.finish_part(state, parts, input),
            Stage::Transfer(mut transfer) => {
                if (transfer.done as usize) < transfer.loads.len() {
                    transfer.loaded.push(input);
                    transfer.done += 1;
                }
                self.go_on_transferring(state, transfer)
            }
            Stage::Deciding(alternatives) => self.decided(state, &alternatives, input),
            Stage::Sampling(alternatives) => self.sampled(state, &alternatives, input),
            Stage::Exiting => Ok(Some(self.exit(state))),
            Stage::Landing(landing) => self.land(state, *landing),
            Stage::RmwLoaded(loc) => Ok(Some(match self.undone(state, loc, input) {
                Some(block) => block,
                None => self.rmw_store(state, loc, input),
            })),
            Stage::SwapLoaded(loc) => Ok(Some(self.swap(state, loc, input))),
            Stage::GiveWide(dst) => {
                self.give(state, dst, 16, input);
                state.frame.pc += 1;
                Ok(None)
            }
            stage => self.cas_finish(state, stage, input),
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
        let old = self.decode_word(input, bytes);
        let operand = self.wide(state, operand, 8 * bytes);
        let value = self.encode_word(self.modified(op, 8 * bytes, old, operand), bytes as u32);
        self.give(state, dst, bytes, input);
        state.stage = Stage::Advance;
        Op::Store { loc, value, mode, rmw: true }
    }

    fn cas_finish(&self, state: &mut VmState, stage: Stage, input: u64) -> Result<Option<Op>, Halt> {
        let instr = self.current(state);
        let Instr::Cmpxchg { dst, expected, desired, bytes, success, failure, .. } = *instr else {
            unreachable!("a compare and exchange")
        };
        match stage {
            Stage::CasChosen(loc) if input == 0 => return Ok(Some(self.cas_load(state, instr, loc))),
            Stage::CasGuessed(loc) => {
                let (to, mode, rmw) = match input {
                    0 => (Stage::CasToSucceed(loc), success, Rmw::Linked),
                    _ => (Stage::CasToFail, failure, Rmw::No),
                };
                state.stage = to;
                return Ok(Some(Op::Load { loc, mode, rmw }));
            }
            Stage::CasChosen(loc) => {
                state.stage = Stage::CasFailing;
                state.made.weak_failure = state.loads + 1;
                state.made.weak_failures += 1;
                return Ok(Some(Op::Load { loc, mode: failure, rmw: Rmw::No }));
            }
            _ => {}
        }
        let desired = self.as_value(state, desired, bytes);
        let hit = match stage {
            Stage::CasLoaded(loc) => {
                let old = self.decode_word(input, bytes);
                match self.found(state, old, expected, bytes) {
                    Ok(_) | Err(Halt::Split(_)) if old.is_outside() && self.options.track_deps => {
                        return self.not_set("what a compare and exchange finds", old.origin);
                    }
                    // There is no place for a decision between its halves.
                    Err(Halt::Split(_)) => return self.begin_to_guess(state),
                    found => found?.then_some(loc),
                }
            }
            Stage::CasToSucceed(_) | Stage::CasToFail => {
                let old = self.decode_word(input, bytes);
                let succeeds = matches!(stage, Stage::CasToSucceed(_));
                if !self.guessed_rightly(state, old, expected, bytes, succeeds)? {
                    return Ok(Some(Op::Block(Block::Assume)));
                }
                if let Stage::CasToSucceed(loc) = stage { Some(loc) } else { None }
            }
            _ => None,
        };
        self.give(state, dst, bytes, input);
        state.frame.set(dst + registers(bytes), hit.is_some() as u64);
        match hit {
            Some(loc) => {
                state.stage = Stage::Advance;
                Ok(Some(Op::Store { loc, value: desired, mode: success, rmw: true }))
            }
            None => {
                state.frame.pc += 1;
                Ok(None)
            }
        }
    }

    // ---- accesses of several cells ----

    /// Loads some cells, puts what they hold into the buffer, and stores the buffer to others.
    pub(super) fn transfer(
        &self,
        state: &mut VmState,
        loads: Pieces,
        stores: Pieces,
        buffer: Bytes,
        then: Then,
    ) -> Result<Option<Op>, Halt> {
        let (loads, stores, buffer) = (Rc::new(loads), Rc::new(stores), Rc::new(buffer));
        let marked = self.pieces_of_copy(&stores).is_none();
        let transfer = Transfer { loads, stores, done: 0, loaded: Loaded::default(), buffer, then, marked };
        self.go_on_transferring(state, Box::new(transfer))
    }

    fn go_on_transferring(&self, state: &mut VmState, mut t: Box<Transfer>) -> Result<Option<Op>, Halt> {
        if let Some(Piece { loc, .. }) = t.loads.get(t.done as usize).copied() {
            state.stage = Stage::Transfer(t);
            return Ok(Some(Op::Load { loc, mode: Mode::Na, rmw: Rmw::No }));
        }
        let stored = t.done as usize - t.loads.len();
        if stored == 0 && !t.loads.is_empty() {
            let buffer = Rc::make_mut(&mut t.buffer);
            for (piece, value) in t.loads.iter().rev().zip(t.loaded.iter()) {
                self.decode_part(piece.loc, value, piece.from, buffer, piece.at, piece.len);
            }
            self.watch_loaded(&t.loads, &buffer.bits);
            t.loaded = Loaded::default();
        }
        if !std::mem::replace(&mut t.marked, true) {
            let unit = Some(t.stores.len() as u32);
            state.stage = Stage::Transfer(t);
            return Ok(Some(Op::Persist { op: PersistOp::Copy, unit }));
        }
        if let Some(&Piece { loc, at, len, .. }) = t.stores.get(stored) {
            t.done += 1;
            let value = self.encode_bytes(&t.buffer, at as usize, len as usize);
            state.stage = Stage::Transfer(t);
            return Ok(Some(Op::Store { loc, value, mode: Mode::Na, rmw: false }));
        }
        match t.then {
            Then::Nothing => {}
            Then::Load(dst) => {
                for (reg, at) in (dst..).zip((0..t.buffer.len()).step_by(8)) {
                    let len = (t.buffer.len() - at).min(8);
                    state.frame.set_val(reg, self.word_in(&t.buffer, at, len).low());
                }
            }
            Then::Result(dst, value) => {
                if let Some(dst) = dst {
                    state.frame.set(dst, value);
                }
            }
            Then::Private { slot, offset, dst, value } => {
                let object = Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot as usize]);
                (0..t.buffer.len()).for_each(|i| object.set(offset as usize + i, t.buffer.byte(i)));
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
        let mut loads = Pieces::new();
        let mut buffer = Bytes::default();
        if len > 0 {
            let spot = self.resolve(state, from, len, Use::Read)?;
            buffer = Bytes::known(vec![0; len as usize]);
            match spot {
                Spot::Shared { object, at } => {
                    loads = self.cells(object, at, len as u32, Plain::BulkLoad, &[])?;
                }
                Spot::Private { slot, at } => {
                    for i in 0..len as usize {
                        buffer.put_byte(i, state.private[slot].get(at + i));
                    }
                }
                Spot::Constant { of, at } => {
                    buffer.bits.copy_from_slice(&self.constant(of, at, len as usize));
                }
            }
        }
        self.fill(state, to, loads, buffer, dst)
    }

    /// `memset`.
    pub(super) fn set_all(
        &self,
        state: &mut VmState,
        (to, byte, len): (u64, Val, u64),
        dst: Option<Reg>,
    ) -> Result<Option<Op>, Halt> {
        if len > 0 {
            self.resolve(state, to, len, Use::Write)?;
        }
        let mut buffer = Bytes::known(vec![byte.bits as u8; len as usize]);
        if byte.undef as u8 != 0 {
            let byte = self.byte_of(Word::of(byte, Val::known(0)), 0);
            (0..len as usize).for_each(|i| buffer.put_byte(i, byte));
        }
        self.fill(state, to, Pieces::new(), buffer, dst)
    }

    /// Writes a buffer, once `loads` have filled it.
    pub(super) fn fill(
        &self,
        state: &mut VmState,
        to: u64,
        loads: Pieces,
        buffer: Bytes,
        dst: Option<Reg>,
    ) -> Result<Option<Op>, Halt> {
        let mut then = Then::Result(dst, to);
        let mut stores = Pieces::new();
        let len = buffer.len() as u64;
        if len > 0 {
            match self.resolve(state, to, len, Use::Write)? {
                Spot::Shared { object, at } => {
                    let like: Vec<u32> = loads.iter().map(|p| p.at + p.len).collect();
                    stores = self.cells(object, at, len as u32, Plain::BulkStore, &like)?;
                }
                Spot::Private { slot, at } => {
                    then = Then::Private { slot: slot as u32, offset: at as u32, dst, value: to };
                }
                Spot::Constant { .. } => unreachable!("constants are not written"),
            }
        }
        self.transfer(state, loads, stores, buffer, then)
    }
}
