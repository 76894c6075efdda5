//! Atomic accesses of several cells: memory that is accessed atomically in different sizes.
//!
//! Such an access is an operation for each cell, one after the other, and one access to the model and to the
//! explorer (`selvedge_machine::Machine::part`): a load reads all cells, a store writes them, and a
//! read-modify-write first reads all of them and then writes all of them.
//!
//! Whether a compare-and-exchange writes is known when it has read its last cell, but the operations before
//! say already with which ordering they read, and whether a write follows. So the thread first chooses
//! whether it will succeed, and waits for ever where it was wrong: that is no execution. Before it writes, a
//! read-modify-write makes another choice, for the explorer (`Explorer::ways_at`): to write, or to be held
//! up.

use super::state::{Stage, VmState};
use super::{Halt, VmMachine, fail};
use crate::contents::Bytes;
use crate::layout::{Piece, Pieces};
use crate::undefined::{self, Word};
use selvedge_graph::Part;
use selvedge_ir::{Instr, Operand, Reg, registers};
use selvedge_machine::{Block, ErrorKind, Op, Rmw};
use smallvec::SmallVec;
use std::rc::Rc;

/// In the middle of an access of several cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// In order of address.
    pieces: Rc<Pieces>,
    bytes: u8,
    access: Access,
    /// What was read.
    loaded: SmallVec<[u64; 4]>,
    /// What is written, and how many of the pieces were.
    stored: Option<(Rc<Bytes>, u8)>,
    /// All was read, and the thread is about to write.
    gate: bool,
}

/// What the access is; the rest is in the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Load(Reg),
    Store,
    Rmw,
    /// A compare-and-exchange: before it is chosen what becomes of it.
    Choosing,
    Succeeding,
    Failing,
    /// For no reason.
    FailingAnyway,
}

/// What a compare-and-exchange may choose, in this order; the last one only if it is weak.
const CHOICES: [Access; 3] = [Access::Succeeding, Access::Failing, Access::FailingAnyway];

/// An execution in which a compare-and-exchange chose wrongly is none.
const WRONG_CHOICE: Op = Op::Block(Block::Assume);

const PARTLY: &str =
    "a compare and exchange of partly undefined bytes in memory that is accessed in different sizes";

impl VmMachine {
    /// The cells of an atomic access.
    pub(super) fn atomic_cells(&self, object: u32, at: u32, bytes: u8) -> Result<Pieces, Halt> {
        if let Some(pieces) = self.tables.borrow().layout.known_parts(object, at, bytes as u32) {
            return Ok(pieces);
        }
        let cells = self.learn(|common| common.layout.atomic(object, at, bytes as u32));
        cells.map_err(|clash| self.clash(clash, object, at))
    }

    pub(super) fn load_parts(&self, state: &mut VmState, pieces: Pieces, bytes: u8, dst: Reg) -> Op {
        self.read_parts(state, pieces, bytes, Access::Load(dst))
    }

    pub(super) fn rmw_parts(&self, state: &mut VmState, pieces: Pieces, bytes: u8) -> Op {
        self.read_parts(state, pieces, bytes, Access::Rmw)
    }

    pub(super) fn cmpxchg_parts(&self, state: &mut VmState, pieces: Pieces, bytes: u8, weak: bool) -> Op {
        let spurious = weak && state.made.weak_failures < self.options.weak_cas_failures;
        self.at_parts(
            state,
            Parts {
                pieces: Rc::new(pieces),
                bytes,
                access: Access::Choosing,
                loaded: SmallVec::new(),
                stored: None,
                gate: false,
            },
        );
        Op::Choose { count: if spurious { 3 } else { 2 } }
    }

    pub(super) fn store_parts(&self, state: &mut VmState, pieces: Pieces, bytes: u8, value: Word) -> Op {
        let parts = Parts {
            pieces: Rc::new(pieces),
            bytes,
            access: Access::Store,
            loaded: SmallVec::new(),
            stored: None,
            gate: false,
        };
        self.write_parts(state, parts, value)
    }

    /// Which part of its access a thread stands at.
    pub(super) fn part_of(&self, state: &VmState) -> Part {
        let Stage::Parts(parts) = &state.stage else { return Part::WHOLE };
        let before = match parts.stored {
            Some(_) if parts.gate => return Part { before: parts.pieces.len() as u8, after: 0 },
            Some((_, written)) => written,
            None => parts.loaded.len() as u8,
        };
        match parts.access {
            Access::Choosing => Part::WHOLE,
            _ => Part { before, after: parts.pieces.len() as u8 - 1 - before },
        }
    }

    fn at_parts(&self, state: &mut VmState, parts: Parts) {
        state.stage = Stage::Parts(Box::new(parts));
    }

    fn read_parts(&self, state: &mut VmState, pieces: Pieces, bytes: u8, access: Access) -> Op {
        let pieces = Rc::new(pieces);
        self.at_parts(
            state,
            Parts { pieces, bytes, access, loaded: SmallVec::new(), stored: None, gate: false },
        );
        self.next_part(state)
    }

    fn write_parts(&self, state: &mut VmState, mut parts: Parts, value: Word) -> Op {
        let mut buffer = Bytes::known(vec![0; parts.bytes as usize]);
        buffer.put_word(0, parts.bytes as usize, value);
        parts.stored = Some((Rc::new(buffer), 0));
        // What was read may not be left as it is by others: the explorer has a say.
        parts.gate = parts.access != Access::Store;
        let gate = parts.gate;
        self.at_parts(state, parts);
        if gate { Op::Choose { count: 2 } } else { self.next_part(state) }
    }

    /// The operation for the next cell; there is one.
    fn next_part(&self, state: &VmState) -> Op {
        let Stage::Parts(parts) = &state.stage else { unreachable!("an access of several cells") };
        let instr = self.current(state);
        if let Some((buffer, written)) = &parts.stored {
            let Piece { loc, at, len, .. } = parts.pieces[*written as usize];
            let value = self.encode_bytes(buffer, at as usize, len as usize);
            let (mode, rmw) = match *instr {
                Instr::Store { mode, .. } => (mode, false),
                Instr::Rmw { mode, .. } | Instr::Cmpxchg { success: mode, .. } => (mode, true),
                _ => unreachable!("a write"),
            };
            return Op::Store { loc, value, mode, rmw };
        }
        let Piece { loc, at, len, .. } = parts.pieces[parts.loaded.len()];
        let (mode, rmw) = match (parts.access, instr) {
            (Access::Load(_), Instr::Load { mode, .. }) => (*mode, Rmw::No),
            (Access::Rmw, Instr::Rmw { mode, .. }) => (*mode, Rmw::Always),
            (Access::Succeeding, &Instr::Cmpxchg { expected, success, failure, .. }) => {
                let expected = self.expected_part(state, expected, parts.bytes, at, len);
                (success, Rmw::Cas { expected: expected as _, fail: failure })
            }
            (_, Instr::Cmpxchg { failure, .. }) => (*failure, Rmw::No),
            _ => unreachable!("a read"),
        };
        Op::Load { loc, mode, rmw }
    }

    /// What a compare-and-exchange expects in one cell, as the graph knows it.
    fn expected_part(&self, state: &VmState, expected: Operand, bytes: u8, at: u32, len: u32) -> u64 {
        let mut buffer = Bytes::known(vec![0; bytes as usize]);
        buffer.put_word(0, bytes as usize, self.wide(state, expected, 8 * bytes));
        self.encode_bytes(&buffer, at as usize, len as usize) as u64
    }

    /// Takes in what an operation of such an access gave.
    pub(super) fn finish_part(
        &self,
        state: &mut VmState,
        mut parts: Box<Parts>,
        input: u64,
    ) -> Result<Option<Op>, Halt> {
        if std::mem::take(&mut parts.gate) {
            state.stage = Stage::Parts(parts);
            return Ok(Some(if input == 0 { self.next_part(state) } else { WRONG_CHOICE }));
        }
        if let Some((_, written)) = &mut parts.stored {
            *written += 1;
            if (*written as usize) < parts.pieces.len() {
                state.stage = Stage::Parts(parts);
                return Ok(Some(self.next_part(state)));
            }
            state.frame.pc += 1;
            return Ok(None);
        }
        if parts.access == Access::Choosing {
            parts.access = CHOICES[input as usize];
            if parts.access == Access::FailingAnyway {
                state.made.weak_failure = state.loads + parts.pieces.len() as u32;
                state.made.weak_failures += 1;
            }
            state.stage = Stage::Parts(parts);
            return Ok(Some(self.next_part(state)));
        }
        let Piece { at, len, .. } = parts.pieces[parts.loaded.len()];
        if let (Access::Succeeding, &Instr::Cmpxchg { expected, .. }) = (parts.access, self.current(state))
            && self.expected_part(state, expected, parts.bytes, at, len) != input
        {
            return Ok(Some(WRONG_CHOICE));
        }
        parts.loaded.push(input);
        if parts.loaded.len() < parts.pieces.len() {
            state.stage = Stage::Parts(parts);
            return Ok(Some(self.next_part(state)));
        }
        self.finish_reading(state, *parts)
    }

    fn finish_reading(&self, state: &mut VmState, parts: Parts) -> Result<Option<Op>, Halt> {
        let bytes = parts.bytes;
        let mut buffer = Bytes::known(vec![0; bytes as usize]);
        for (piece, &value) in parts.pieces.iter().zip(&parts.loaded) {
            self.decode_part(piece.loc, value, 0, &mut buffer, piece.at, piece.len);
        }
        let old = buffer.word(0, bytes as usize);
        match (parts.access, self.current(state)) {
            (Access::Load(dst), _) => {
                self.put(state, dst, 8 * bytes, old);
                state.frame.pc += 1;
                Ok(None)
            }
            (Access::Rmw, &Instr::Rmw { op, dst, operand, .. }) => {
                let operand = self.wide(state, operand, 8 * bytes);
                let new = undefined::rmw(op, 8 * bytes, old, operand);
                self.put(state, dst, 8 * bytes, old);
                Ok(Some(self.write_parts(state, parts, new)))
            }
            (access, &Instr::Cmpxchg { dst, expected, desired, .. }) => {
                let hit = match self.found(state, old, expected, bytes) {
                    Ok(hit) => hit,
                    Err(halt) => return self.no_place_to_decide(halt),
                };
                let desired = self.wide(state, desired, 8 * bytes);
                let choice = access == Access::Succeeding;
                if hit != choice && access != Access::FailingAnyway {
                    // Whoever chose the other way has to find the same.
                    let same =
                        parts.pieces.iter().zip(&parts.loaded).all(|(p, &value)| {
                            self.expected_part(state, expected, bytes, p.at, p.len) == value
                        });
                    return if same == hit {
                        Ok(Some(WRONG_CHOICE))
                    } else {
                        fail(ErrorKind::Unsupported, PARTLY)
                    };
                }
                self.put(state, dst, 8 * bytes, old);
                state.frame.set(dst + registers(bytes), choice as u64);
                if choice {
                    return Ok(Some(self.write_parts(state, parts, desired)));
                }
                state.frame.pc += 1;
                Ok(None)
            }
            _ => unreachable!("a read of several cells"),
        }
    }
}
