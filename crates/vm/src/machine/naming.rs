//! Whether what a program does could depend on what its objects are called.
//!
//! Objects are called by the thread that made them and how many it had made before, and their addresses are
//! numbers made of that. A search through states takes two states for one that differ in these names only. It
//! may if nothing that is done depends on them, so instructions are watched as they are run: addresses may be
//! moved around, stored and loaded whole, compared for being equal, and numbers added to them that do not
//! lead out of their object. And no number may look like an address: so nothing else may give something that
//! does. What threads do before the first instruction that is not like that does not depend on names.

use super::native::Native;
use super::state::VmState;
use super::{Halt, VmMachine, is_private, private_slot};
use crate::layout::Pieces;
use crate::tables::Object;
use crate::undefined::Word;
use selvedge_ir::{BinOp, CmpOp, Instr, Module, Operand, Reg, RmwOp, pointer, registers, words};
use selvedge_machine::Op;
use selvedge_symbolic::Term;
use std::cell::Cell;

/// Objects have smaller numbers, or names matter.
const MOST: usize = 1 << 24;

/// Terms of more parts are not looked into.
const MOST_PARTS: usize = 500;

#[derive(Clone, Debug)]
pub struct Naming {
    /// Instructions are watched.
    watches: Cell<bool>,
    matters: Cell<bool>,
}

impl Naming {
    pub fn of(module: &Module, watches: bool) -> Naming {
        // Constants that look like addresses of what is made.
        let objects = (module.globals.len() + module.functions.len()) as u64;
        let looks_made = |word: u64| {
            let number = (word >> 32).wrapping_sub(1);
            number >= objects && number < MOST as u64
        };
        let is_odd = |operand: &Operand| matches!(operand, Operand::Const(c) if looks_made(*c));
        let in_bytes = |bytes: &[u8]| {
            bytes.chunks_exact(8).any(|b| looks_made(u64::from_le_bytes(b.try_into().unwrap_or_default())))
        };
        let matters = watches
            && (module.short_pointers
                // What is constant is looked at when it is read.
                || module.globals.iter().any(|global| !global.constant && in_bytes(&global.bytes))
                || module.functions.iter().flat_map(|f| &f.code).any(|instr| instr.any_operand(is_odd)));
        Naming { watches: Cell::new(watches && !matters), matters: Cell::new(matters || !watches) }
    }
}

/// What an instruction has to do with names.
enum Sight {
    Nothing,
    Matters,
    /// What it gives, so many registers from this one on, must be no address, or one of this object.
    Gives(Reg, u32, Option<u32>),
}

impl VmMachine {
    /// Whether names may have made a difference so far.
    pub(super) fn looks_at_names(&self) -> bool {
        self.naming.matters.get() || self.tables.borrow().objects.len() > MOST
    }

    /// An address within a term is none that anybody could call otherwise. Returns whether the term is of
    /// moderate size.
    pub(super) fn look_for_names(&self, term: Term) -> bool {
        let watches = self.naming.watches.get();
        let looks = |word: u128| {
            let made = |word: u64| self.looks_made(word).is_some();
            watches && (made(word as u64) || made((word >> 64) as u64))
        };
        let found = self.tables.borrow().terms.has_number(term, MOST_PARTS, &looks);
        if found == Some(true) {
            self.names_matter_now();
        }
        found.is_some()
    }

    fn names_matter_now(&self) {
        self.naming.matters.set(true);
        self.naming.watches.set(false);
    }

    /// The object that was made at an address.
    #[inline]
    pub(super) fn made_at(&self, value: u64) -> Option<u32> {
        let (allocation, _) = pointer::split(value)?;
        let tables = self.tables.borrow();
        matches!(tables.objects.get(allocation as usize), Some(Object::Made { .. })).then_some(allocation)
    }

    /// The same, and what is no address yet but could be one of what is made later.
    #[inline]
    fn looks_made(&self, value: u64) -> Option<u32> {
        if value >> 32 == 0 || value >> 32 > MOST as u64 {
            return None;
        }
        let (allocation, _) = pointer::split(value)?;
        let tables = self.tables.borrow();
        let object = tables.objects.get(allocation as usize);
        object.is_none_or(|object| matches!(object, Object::Made { .. })).then_some(allocation)
    }

    /// [`VmMachine::run`], watched.
    #[inline]
    pub(super) fn run_watched(&self, state: &mut VmState) -> Result<Option<Op>, Halt> {
        if !self.naming.watches.get() {
            return self.run(state);
        }
        let code = &self.function(state.frame.func).code;
        let sight = code.get(state.frame.pc as usize).map(|instr| self.sight(state, instr));
        match sight {
            None | Some(Sight::Nothing) => self.run(state),
            Some(Sight::Matters) => {
                self.names_matter_now();
                self.run(state)
            }
            Some(Sight::Gives(dst, count, of)) => {
                let depth = state.depth;
                let went = self.run(state)?;
                let is_other = |reg: Reg| {
                    let found = state.frame.regs.get(reg as usize).and_then(|bits| self.looks_made(*bits));
                    found.is_some() && found != of
                };
                if went.is_none() && state.depth == depth && (dst..dst + count).any(is_other) {
                    self.names_matter_now();
                }
                Ok(went)
            }
        }
    }

    /// The halves of read-modify-writes, and what they write.
    #[inline]
    pub(super) fn watch_modified(&self, op: RmwOp, bits: u8, all: [Word; 3]) {
        if !self.naming.watches.get() || op == RmwOp::Xchg && bits >= 64 {
            return;
        }
        let is_made =
            |bits: u128| self.looks_made(bits as u64).or(self.looks_made((bits >> 64) as u64)).is_some();
        if all.iter().any(|word| is_made(word.bits)) {
            self.names_matter_now();
        }
    }

    fn sight(&self, state: &VmState, instr: &Instr) -> Sight {
        let made = |operand: Operand| self.looks_made(self.value(state, operand).bits);
        // Operands that are no addresses give something that is none.
        let plain = |dst: Reg, count: u32| {
            let mut found = false;
            instr.for_operands(|operand, words| {
                found |= made(*operand).is_some();
                if let (Operand::Reg(first), 2..) = (operand, words) {
                    found |= made(Operand::Reg(first + 1)).is_some();
                }
            });
            if found { Sight::Matters } else { Sight::Gives(dst, count, None) }
        };
        match *instr {
            Instr::Bin { op: op @ (BinOp::Add | BinOp::Sub), bits: 64, dst, a, b, .. } => {
                match (op, made(a), made(b)) {
                    (_, None, None) => Sight::Gives(dst, 1, None),
                    (_, of, None) | (BinOp::Add, None, of) => Sight::Gives(dst, 1, of),
                    (BinOp::Sub, Some(x), Some(y)) if x == y => Sight::Gives(dst, 1, None),
                    _ => Sight::Matters,
                }
            }
            Instr::Bin { bits, dst, .. } | Instr::Float { bits, dst, .. } => plain(dst, words(bits)),
            Instr::Cmp { op, bits, a, b, .. } => {
                let is_null = |operand: Operand| {
                    let value = self.value(state, operand);
                    value.bits == 0 && value.undef == 0
                };
                let may = match (made(a), made(b)) {
                    _ if bits > 64 => return plain(0, 0),
                    (None, None) => true,
                    _ if bits < 64 => false,
                    _ if matches!(op, CmpOp::Eq | CmpOp::Ne) => true,
                    (Some(x), Some(y)) => x == y,
                    _ => is_null(a) || is_null(b),
                };
                if may { Sight::Nothing } else { Sight::Matters }
            }
            Instr::FloatCmp { .. } | Instr::Switch { .. } => plain(0, 0),
            Instr::Cast { dst, to, .. } => plain(dst, words(to)),
            Instr::Overflowing { bits, dst, .. }
            | Instr::Bits { bits, dst, .. }
            | Instr::Funnel { bits, dst, .. } => plain(dst, words(bits)),
            Instr::Offset { dst, base, index, .. } => match made(index) {
                Some(_) => Sight::Matters,
                None => Sight::Gives(dst, 1, made(base)),
            },
            Instr::Load { dst, addr, bytes, .. } => {
                let addr = self.value(state, addr).bits;
                match self.own_words(state, addr, bytes) {
                    Some(Whole::Yes) => Sight::Nothing,
                    Some(Whole::No) => Sight::Matters,
                    None => Sight::Gives(dst, registers(bytes), None),
                }
            }
            Instr::Store { addr, value, bytes, .. } => {
                let high = match value {
                    Operand::Reg(reg) if bytes > 8 => made(Operand::Reg(reg + 1)),
                    _ => None,
                };
                let addr = self.value(state, addr).bits;
                let is_address = made(value).or(high).is_some();
                let whole = bytes >= 8 && pointer::split(addr).is_some_and(|(_, offset)| offset % 8 == 0);
                let torn = matches!(self.own_words(state, addr, bytes), Some(Whole::No));
                let put = || self.put_together(state, addr, bytes, self.value(state, value).bits);
                if is_address && !whole || torn || put() { Sight::Matters } else { Sight::Nothing }
            }
            Instr::Rmw { addr, bytes, .. } | Instr::Cmpxchg { addr, bytes, .. } => {
                let at = self.value(state, addr).bits;
                // Of parts of words that only this thread knows there are hardly any.
                let is_own = pointer::split(at).is_some_and(|(allocation, _)| is_private(allocation));
                match bytes < 8 && is_own {
                    true => Sight::Matters,
                    false if bytes == 8 => Sight::Nothing,
                    false => {
                        let mut found = false;
                        instr
                            .for_operands(|operand, _| found |= *operand != addr && made(*operand).is_some());
                        if found { Sight::Matters } else { Sight::Nothing }
                    }
                }
            }
            Instr::Call { dst, callee, ref args, results, signature, .. } => {
                let Ok(callee) = self.called(state, callee, args.len(), signature) else {
                    return Sight::Nothing;
                };
                let function = self.function(callee);
                match self.info(callee).native {
                    Some(native) if function.code.is_empty() => {
                        self.sight_of(state, native, &function.name, args, dst, results)
                    }
                    _ => Sight::Nothing,
                }
            }
            // What is moved, branches on being null, and all that waits.
            _ => Sight::Nothing,
        }
    }

    /// A function that the machine itself performs.
    fn sight_of(
        &self,
        state: &VmState,
        native: Native,
        name: &str,
        args: &[Operand],
        dst: Option<Reg>,
        results: u32,
    ) -> Sight {
        use Native::*;
        let value = |number: usize| args.get(number).map_or(0, |arg| self.value(state, *arg).bits);
        match native {
            // Objects are made, found, handed on, and asked what they are.
            New | NewLike | Malloc(_) | Calloc | Free | Dimensions | TypeOf | Length | Element | Spawn
            | EndThread | Unwind | Raise | Resume | Exception | Selector | Adjusted | CaughtPointer
            | CaughtVirtually | Taken | LastRead | AtThreadExit | NextExit | ExitArgument | CleanupPush
            | CleanupPop | GetSpecific | SetSpecific | LockHeld | LockAgain | LockTaken | LockLeave
            | LockPart | LockKept | LockWhole | LockUnheld | Background | Nothing | Local | StackSave
            | StackRestore => Sight::Nothing,
            Copy => {
                let apart = |at: u64| pointer::split(at).map_or(0, |(_, offset)| offset & 7);
                let whole = apart(value(0)) == 0 && apart(value(1)) == 0 && value(2) % 8 == 0;
                if whole { Sight::Nothing } else { Sight::Matters }
            }
            Fill if value(1) as u8 == 0 && value(2) % 8 == 0 && value(0) % 8 == 0 => Sight::Nothing,
            StringMade if name == "__selvedge_string_known" => Sight::Nothing,
            _ if args.iter().any(|arg| self.looks_made(self.value(state, *arg).bits).is_some()) => {
                Sight::Matters
            }
            _ => dst.map_or(Sight::Nothing, |dst| Sight::Gives(dst, results, None)),
        }
    }

    /// Whether a store of a part of a word of the thread's own makes it look like an address.
    fn put_together(&self, state: &VmState, addr: u64, bytes: u8, value: u64) -> bool {
        let Some((allocation, offset)) = pointer::split(addr) else { return false };
        if !is_private(allocation) || bytes >= 8 {
            return false;
        }
        let Some(object) = state.private.get(private_slot(allocation).1) else { return false };
        let Ok(offset) = usize::try_from(offset) else { return false };
        let first = offset / 8 * 8;
        if first + 8 > object.size as usize || offset + bytes as usize > first + 8 {
            return offset + bytes as usize > first + 8;
        }
        let mut word = object.load(first, 8).bits.to_le_bytes();
        let (at, len) = (offset - first, bytes as usize);
        word[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
        self.looks_made(u64::from_le_bytes(word)).is_some()
    }

    /// Several cells were read to be put somewhere else: numbers that are next to each other may look like an
    /// address then.
    pub(super) fn watch_loaded(&self, loads: &Pieces, bytes: &[u8]) {
        if !self.naming.watches.get() || loads.iter().all(|piece| piece.len % 8 == 0) {
            return;
        }
        let word = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        if bytes.chunks_exact(8).any(|chunk| self.looks_made(word(chunk)).is_some()) {
            self.names_matter_now();
        }
    }

    /// Of an access to memory of the thread's own: whether it is of whole words, or of none with an address.
    fn own_words(&self, state: &VmState, addr: u64, bytes: u8) -> Option<Whole> {
        let (allocation, offset) = pointer::split(addr)?;
        if !is_private(allocation) {
            return None;
        }
        let (_, slot) = private_slot(allocation);
        let object = state.private.get(slot)?;
        if offset % 8 == 0 && bytes.is_multiple_of(8) {
            return Some(Whole::Yes);
        }
        let Ok(offset) = usize::try_from(offset) else { return Some(Whole::Yes) };
        let size = object.size as usize;
        let mut first = offset / 8 * 8;
        while first < offset + bytes as usize {
            let len = 8.min(size.saturating_sub(first));
            if len == 8 && self.looks_made(object.load(first, 8).bits).is_some() {
                return Some(Whole::No);
            }
            first += 8;
        }
        // What is read of numbers that are none looks like none either, or is not of eight bytes.
        Some(if bytes >= 8 { Whole::No } else { Whole::Yes })
    }
}

enum Whole {
    Yes,
    No,
}
