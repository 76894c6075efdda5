//! Runs a thread and keeps track of what depends on what, for models that follow dependencies.
//!
//! This goes along with the ordinary way to run instructions ([`VmMachine::run`]), which knows nothing of it:
//! before an instruction is run, what it depends on is worked out. A load may have no value yet. The thread
//! goes on all the same, up to where it would need the value: a branch, an address, a call of the library.
//! There it waits ([`Block::Other`], with dependencies that tell what for).

use super::memory::{Spot, Use};
use super::state::{Stage, VmState};
use super::tracking::{Goal, Runs, Tracking, Transferring, union};
use super::{Halt, VmMachine, fail};
use crate::tables::Limit;
use selvedge_graph::DepSet;
use selvedge_ir::{BinOp, BitOp, CastOp, Instr, Operand, Reg, RmwOp, pointer};
use selvedge_machine::{Block, ErrorKind, Op};

/// What the operands depend on that an instruction hands to another call.
enum Handed {
    Arguments(Vec<DepSet>),
    Results(Vec<DepSet>),
}

/// What is to be done with an instruction.
pub(super) enum Next {
    Run,
    /// It is done already.
    Done,
    /// It needs what is not known.
    Wait,
}

const WAITS: Op = Op::Block(Block::Other);

impl VmMachine {
    /// Like [`VmMachine::go_on`].
    pub(super) fn go_on_following(&self, state: &mut VmState, input: u64) -> Result<Op, Halt> {
        let Some(mut t) = state.tracking.take() else { return self.go_on(state, input) };
        t.go_on();
        let op = self.follow(state, &mut t, input);
        t.at += 1;
        if let Ok(Op::Store { loc, .. }) = op
            && self.publishes
        {
            t.stored(self.tables.borrow().layout.cell(loc).object);
        }
        state.tracking = Some(t);
        op
    }

    fn follow(&self, state: &mut VmState, t: &mut Tracking, input: u64) -> Result<Op, Halt> {
        if let Some(op) = self.follow_finish(state, t, input)? {
            return Ok(op);
        }
        for _ in 0..self.options.silent_steps {
            t.next_instruction();
            let handed = self.handed(state, t);
            match self.prepare(state, t)? {
                Next::Done => continue,
                Next::Wait => return Ok(WAITS),
                Next::Run => {}
            }
            let op = self.run_watched(state)?;
            match op {
                Some(op) => {
                    self.of_piece(state, t, op);
                    return Ok(op);
                }
                None => self.deliver(state, t),
            }
            match handed {
                Some(Handed::Arguments(sets)) if state.frame.pc == 0 => self.enter(state, t, &sets),
                Some(Handed::Results(sets)) => self.leave(state, t, sets),
                Some(_) => t.forget_slots(state.private.len() as u32),
                None => {}
            }
        }
        self.note(Limit::Silent(state.frame.func));
        Ok(Op::Cut)
    }

    // ---- what operands depend on ----

    pub(super) fn of(&self, state: &VmState, t: &Tracking, operand: Operand) -> DepSet {
        match operand {
            Operand::Reg(reg) => t.get(state.depth, reg),
            _ => DepSet::EMPTY,
        }
    }

    /// The same for operands of several registers.
    fn of_row(&self, state: &VmState, t: &Tracking, operand: Operand, words: u32) -> DepSet {
        match operand {
            Operand::Reg(reg) => union((reg..reg + words).map(|r| t.look(state.depth, r))),
            _ => DepSet::EMPTY,
        }
    }

    pub(super) fn is_partly_undefined(&self, state: &VmState, operand: Operand) -> bool {
        self.value(state, operand).undef != 0
    }

    fn set_row(&self, state: &VmState, t: &mut Tracking, first: Reg, count: u32, set: &DepSet) {
        (first..first + count).for_each(|reg| t.set(state.depth, reg, set.clone()));
    }

    // ---- before an instruction ----

    fn prepare(&self, state: &mut VmState, t: &mut Tracking) -> Result<Next, Halt> {
        let function = self.function(state.frame.func);
        let Some(instr) = function.code.get(state.frame.pc as usize) else { return Ok(Next::Run) };
        match *instr {
            Instr::Branch { cond: on, .. } | Instr::Switch { value: on, .. } => {
                Ok(self.decide(t, &self.of(state, t, on)))
            }
            Instr::Select { dst, cond, a, b } => Ok(self.select(state, t, dst, cond, [a, b])),
            Instr::Alloca { dst, size, .. } => {
                let set = self.of(state, t, size);
                t.set(state.depth, dst, DepSet::EMPTY);
                t.forget_slots(state.private.len() as u32);
                Ok(self.need(t, set))
            }
            Instr::Load { .. } | Instr::Store { .. } | Instr::Rmw { .. } | Instr::Cmpxchg { .. } => {
                self.prepare_access(state, t, instr)
            }
            Instr::LoopHead { number, ref live, .. } => {
                let mut set = self.of_live(state, t, live);
                set.union(&t.all_contents());
                t.pass_header(state.depth, number, set);
                Ok(Next::Run)
            }
            Instr::LoopBack { number } => {
                // Whether the iteration had an effect is a question about values.
                let header = function.loops.get(number as usize).map(|l| l.header as usize);
                let head = header.and_then(|header| function.code.get(header));
                let (Some(before), Some(Instr::LoopHead { live, .. })) =
                    (t.at_header(state.depth, number).cloned(), head)
                else {
                    return Ok(Next::Run);
                };
                let mut set = self.of_live(state, t, live);
                set.union(&t.all_contents());
                set.union(&before);
                Ok(self.need(t, set))
            }
            Instr::Call { dst, callee, ref args, results, .. } => {
                let set = self.of(state, t, callee);
                if let Next::Wait = self.decide(t, &set) {
                    return Ok(Next::Wait);
                }
                let func = match callee {
                    Operand::Func(f) => f,
                    _ => self.function_at(self.known(state, callee, "the function that is called")?)?,
                };
                match self.info(func).native.filter(|_| self.function(func).code.is_empty()) {
                    Some(native) => self.prepare_native(state, t, native, dst.filter(|_| results > 0), args),
                    None => Ok(Next::Run),
                }
            }
            Instr::Return { ref values } => {
                // What a thread leaves behind is an event, unless it is 0.
                if state.callers.is_some() || state.thread.0 == 0 {
                    return Ok(Next::Run);
                }
                let set = values.first().map_or(DepSet::EMPTY, |v| self.of(state, t, *v));
                t.deps.data = set.clone();
                Ok(self.need(t, set))
            }
            Instr::Fence { .. }
            | Instr::Jump { .. }
            | Instr::SpinBlock { .. }
            | Instr::Unreachable
            | Instr::Unsupported { .. } => Ok(Next::Run),
            _ => Ok(self.compute(state, t, instr)),
        }
    }

    /// A branch, or what is like one.
    pub(super) fn decide(&self, t: &mut Tracking, on: &DepSet) -> Next {
        t.deps.ctrl.union(on);
        if t.is_unknown(on) { Next::Wait } else { Next::Run }
    }

    /// Something that cannot be done without a value, although to a model it would not depend on it.
    pub(super) fn need(&self, t: &mut Tracking, set: DepSet) -> Next {
        if !t.is_unknown(&set) {
            return Next::Run;
        }
        t.deps.data = set;
        Next::Wait
    }

    fn of_live(&self, state: &VmState, t: &Tracking, live: &[Reg]) -> DepSet {
        union(live.iter().map(|reg| t.look(state.depth, *reg)))
    }

    /// An instruction that only computes.
    fn compute(&self, state: &mut VmState, t: &mut Tracking, instr: &Instr) -> Next {
        let (mut set, mut undefined) = (DepSet::EMPTY, false);
        instr.for_operands(|operand, words| {
            set.union(&self.of_row(state, t, *operand, words));
            undefined |= self.is_partly_undefined(state, *operand);
        });
        let unknown = t.is_unknown(&set);
        // Which bytes of the result are defined may depend on the values, but for copies.
        if unknown && undefined && !matches!(instr, Instr::Move { .. }) {
            return self.need(t, set);
        }
        let written = instr.written();
        self.set_row(state, t, written.start, written.len() as u32, &set);
        if unknown && self.may_fail(instr) {
            // It may fail, and it may not: that is for the explorer to see.
            t.deps.faults.union(&set);
            written.for_each(|reg| state.frame.set(reg, 0));
            state.frame.pc += 1;
            return Next::Done;
        }
        Next::Run
    }

    /// Whether there are values that an instruction has no result for.
    fn may_fail(&self, instr: &Instr) -> bool {
        let (op, bits, b, no_signed_wrap) = match *instr {
            Instr::Bin { op, bits, b, no_signed_wrap, .. } => (op, bits, b, no_signed_wrap),
            Instr::Cast { op: CastOp::FloatToSigned | CastOp::FloatToUnsigned, .. }
            | Instr::Bits { op: BitOp::CtlzNonzero | BitOp::CttzNonzero, .. }
            | Instr::Offset { within: true, .. } => return true,
            _ => return false,
        };
        match op {
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => true,
            BinOp::Shl | BinOp::LShr | BinOp::AShr => match b {
                Operand::Const(by) if by < bits as u64 => no_signed_wrap && op == BinOp::Shl,
                _ => true,
            },
            _ => no_signed_wrap && self.options.check_signed_overflow,
        }
    }

    fn select(
        &self,
        state: &mut VmState,
        t: &mut Tracking,
        dst: Reg,
        cond: Operand,
        of: [Operand; 2],
    ) -> Next {
        let mut set = self.of(state, t, cond);
        if !t.is_unknown(&set) {
            let [a, b] = of;
            let value = self.value(state, cond);
            let picked = if value.bits != 0 { a } else { b };
            set.union(&self.of(state, t, picked));
            // Both, if nobody knows which one.
            if value.is_outside() {
                [a, b].into_iter().for_each(|o| set.union(&self.of(state, t, o)));
            }
            t.set(state.depth, dst, set);
            return Next::Run;
        }
        // It is not known what it depends on besides. But it will not be less.
        if of.into_iter().any(|o| self.is_partly_undefined(state, o)) {
            return self.need(t, set);
        }
        t.set(state.depth, dst, set);
        state.frame.set(dst, 0);
        state.frame.pc += 1;
        Next::Done
    }

    // ---- calls ----

    fn handed(&self, state: &VmState, t: &Tracking) -> Option<Handed> {
        let sets = |operands: &[Operand]| operands.iter().map(|v| self.of(state, t, *v)).collect();
        match self.function(state.frame.func).code.get(state.frame.pc as usize)? {
            Instr::Return { values } => Some(Handed::Results(sets(values))),
            Instr::Call { args, .. } => Some(Handed::Arguments(sets(args))),
            _ => None,
        }
    }

    /// A call begins.
    fn enter(&self, state: &VmState, t: &mut Tracking, given: &[DepSet]) {
        let function = self.function(state.frame.func);
        t.enter(state.depth);
        for (reg, set) in function.params.iter().zip(given) {
            t.set(state.depth, *reg, set.clone());
        }
        if function.varargs {
            let slot = state.private.len() as u32 - 1;
            t.forget_slots(slot);
            for (at, set) in (0..).step_by(8).zip(given.iter().skip(function.params.len())) {
                t.write(slot, at, 8, set);
            }
        }
    }

    /// A call has returned.
    fn leave(&self, state: &VmState, t: &mut Tracking, given: Vec<DepSet>) {
        t.forget_slots(state.private.len() as u32);
        if state.frame.pc == 0 {
            // The end of a thread, or the beginning of `main`.
            return t.enter(state.depth);
        }
        let code = &self.function(state.frame.func).code;
        let call = code.get(state.frame.pc.wrapping_sub(1) as usize);
        if let Some(Instr::Call { dst: Some(dst), results, .. }) = call {
            for (reg, set) in (*dst..dst + results).zip(given) {
                t.set(state.depth, reg, set);
            }
        }
    }

    // ---- after an operation ----

    /// Takes in what the operation gave that the thread stood at.
    fn follow_finish(&self, state: &mut VmState, t: &mut Tracking, input: u64) -> Result<Option<Op>, Halt> {
        let depth = state.depth;
        let here = DepSet::one(t.at.max(1));
        let instr = self.function(state.frame.func).code.get(state.frame.pc as usize);
        let mut of_cas = None;
        match (&state.stage, instr) {
            (Stage::Give(Some(dst)), Some(Instr::Load { .. })) => t.set(depth, *dst, here),
            (Stage::Give(Some(dst)) | Stage::Spurious(Some(dst)), _) => t.set(depth, *dst, DepSet::EMPTY),
            (Stage::GiveWide(dst), _) => self.set_row(state, t, *dst, 2, &here),
            (Stage::RmwLoaded(_) | Stage::SwapLoaded(_), Some(Instr::Rmw { dst, addr, op, operand, .. })) => {
                t.deps.addr = self.of(state, t, *addr);
                t.deps.data = self.of(state, t, *operand);
                // What it writes is computed from what it reads.
                if *op != RmwOp::Xchg {
                    t.deps.cas.clone_from(&here);
                }
                t.set(depth, *dst, here);
            }
            (
                Stage::CasLoaded(_) | Stage::CasFailing | Stage::CasChosen(_),
                Some(Instr::Cmpxchg { dst, addr, expected, desired, .. }),
            ) => {
                let [addr, expected, desired] = [addr, expected, desired].map(|o| self.of(state, t, *o));
                if !matches!(state.stage, Stage::CasChosen(_)) {
                    self.set_row(state, t, *dst, 2, &here);
                }
                of_cas = Some((addr, expected, desired));
            }
            (Stage::Transfer(transfer), _) => {
                if let Some(piece) = transfer.loads.get(transfer.done as usize) {
                    t.transfer.bytes.set(piece.at, piece.len, here);
                }
                t.transfer.then = transfer.then.into();
            }
            _ => {}
        }
        let op = self.finish(state, input)?;
        match (op, of_cas) {
            (Some(Op::Store { .. }), Some((addr, _, desired))) => {
                (t.deps.addr, t.deps.data) = (addr, desired)
            }
            (Some(Op::Load { rmw, .. }), Some((addr, expected, _))) => {
                t.deps.addr = addr;
                if rmw != selvedge_machine::Rmw::No {
                    t.deps.cas = expected;
                }
            }
            _ => {}
        }
        match op {
            Some(op) => self.of_piece(state, t, op),
            None => {
                if state.frame.pc == 0 {
                    t.enter(state.depth); // the end of a thread
                }
                t.forget_slots(state.private.len() as u32);
                self.deliver(state, t);
            }
        }
        Ok(op)
    }

    /// What an operation depends on that is part of an access of several cells.
    fn of_piece(&self, state: &VmState, t: &mut Tracking, op: Op) {
        let Stage::Transfer(transfer) = &state.stage else { return };
        match op {
            Op::Load { .. } => t.deps.addr = t.transfer.from.clone(),
            Op::Store { .. } => {
                let done = (transfer.done as usize).wrapping_sub(transfer.loads.len() + 1);
                let Some(piece) = transfer.stores.get(done) else { return };
                t.deps.addr = t.transfer.to.clone();
                t.deps.data = t.transfer.bytes.part(piece.at, piece.len);
            }
            _ => {}
        }
    }

    /// An access of several cells may be over.
    fn deliver(&self, state: &VmState, t: &mut Tracking) {
        if matches!(state.stage, Stage::Transfer(_)) {
            return;
        }
        let Transferring { bytes, then, to, .. } = std::mem::take(&mut t.transfer);
        match then {
            Goal::Nowhere => {}
            Goal::Registers(dst) => {
                let len = bytes.iter().last().map_or(0, |(_, end, _)| end);
                for (reg, from) in (dst..).zip((0..len).step_by(8)) {
                    t.set(state.depth, reg, bytes.part(from, 8));
                }
            }
            Goal::Private { slot, at } => {
                for (start, end, set) in bytes.iter() {
                    let mut set = set.clone();
                    set.union(&to);
                    t.write(slot, at + start, end - start, &set);
                }
            }
        }
    }

    // ---- memory ----

    fn prepare_access(&self, state: &mut VmState, t: &mut Tracking, instr: &Instr) -> Result<Next, Halt> {
        let (addr, bytes, write) = match *instr {
            Instr::Load { addr, bytes, .. } => (addr, bytes, Use::Read),
            Instr::Store { addr, bytes, .. }
            | Instr::Rmw { addr, bytes, .. }
            | Instr::Cmpxchg { addr, bytes, .. } => (addr, bytes, Use::Write),
            _ => unreachable!("not an access"),
        };
        let of_addr = self.of(state, t, addr);
        if t.is_unknown(&of_addr) {
            t.deps.addr = of_addr;
            return Ok(Next::Wait);
        }
        let address = self.known(state, addr, super::access::ADDRESS)?;
        let len = bytes as u32;
        match self.resolve(state, address, bytes as u64, write)? {
            Spot::Shared { .. } => Ok(self.prepare_shared(state, t, instr, of_addr)?),
            Spot::Constant { .. } => {
                t.deps.ctrl.union(&of_addr);
                if let Instr::Load { dst, .. } = *instr {
                    self.set_row(state, t, dst, selvedge_ir::registers(bytes), &of_addr);
                }
                Ok(Next::Run)
            }
            Spot::Private { slot, at } => {
                let (slot, at) = (slot as u32, at as u32);
                t.deps.ctrl.union(&of_addr);
                let mut contents = t.contents(slot, at, len);
                contents.union(&of_addr);
                match *instr {
                    Instr::Load { dst, .. } if bytes <= 8 => t.set(state.depth, dst, contents),
                    Instr::Load { dst, .. } => {
                        for (reg, at) in [(dst, at), (dst + 1, at + 8)] {
                            let mut half = t.contents(slot, at, 8);
                            half.union(&of_addr);
                            t.set(state.depth, reg, half);
                        }
                    }
                    Instr::Store { value, .. } => {
                        for i in 0..selvedge_ir::registers(bytes) {
                            let mut set = match value {
                                Operand::Reg(r) => t.get(state.depth, r + i),
                                _ => DepSet::EMPTY,
                            };
                            set.union(&of_addr);
                            t.write(slot, at + 8 * i, len.min(8), &set);
                        }
                    }
                    Instr::Rmw { dst, operand, .. } => {
                        let mut set = self.of_row(state, t, operand, selvedge_ir::registers(bytes));
                        set.union(&contents);
                        if t.is_unknown(&set) && self.is_partly_undefined(state, operand) {
                            return Ok(self.need(t, set));
                        }
                        t.write(slot, at, len, &set);
                        self.set_row(state, t, dst, selvedge_ir::registers(bytes), &contents);
                    }
                    Instr::Cmpxchg { dst, expected, desired, .. } => {
                        let words = selvedge_ir::registers(bytes);
                        let mut old = self.of_row(state, t, expected, words);
                        old.union(&contents);
                        let mut set = self.of_row(state, t, desired, words);
                        set.union(&old);
                        if t.is_unknown(&set) {
                            return Ok(self.need(t, set));
                        }
                        t.write(slot, at, len, &set);
                        self.set_row(state, t, dst, words + 1, &old);
                    }
                    _ => unreachable!("not an access"),
                }
                Ok(Next::Run)
            }
        }
    }

    fn prepare_shared(
        &self,
        state: &mut VmState,
        t: &mut Tracking,
        instr: &Instr,
        addr: DepSet,
    ) -> Result<Next, Halt> {
        t.transfer = Transferring::default();
        match *instr {
            Instr::Load { bytes, .. } => {
                t.transfer.from = addr.clone();
                t.transfer.bytes = Runs::all(bytes as u32, DepSet::EMPTY);
                t.deps.addr = addr;
            }
            Instr::Store { value, bytes, reference, .. } => {
                for at in 0..bytes as u32 {
                    let set = match value {
                        Operand::Reg(r) => t.get(state.depth, r + at / 8),
                        _ => DepSet::EMPTY,
                    };
                    t.transfer.bytes.push(at + 1, set);
                }
                t.transfer.to = addr.clone();
                t.deps.addr = addr;
                t.deps.data = t.transfer.bytes.part(0, bytes as u32);
                // What is not known refers to nothing yet.
                if reference
                    && !t.is_unknown(&t.deps.data)
                    && let Some((object, _)) = pointer::split(self.value(state, value).bits)
                    && let Some(own) = t.written.get(&object)
                {
                    t.deps.publishes.clone_from(own);
                }
            }
            Instr::Rmw { bytes: 16, .. } | Instr::Cmpxchg { bytes: 16, .. } => {
                return fail(
                    ErrorKind::Unsupported,
                    "a read-modify-write of 16 bytes, under a model that follows dependencies",
                );
            }
            Instr::Rmw { operand, .. } => {
                let set = self.of(state, t, operand);
                if t.is_unknown(&set) && self.is_partly_undefined(state, operand) {
                    return Ok(self.need(t, set));
                }
                t.deps.addr = addr;
            }
            Instr::Cmpxchg { expected, desired, weak, .. } => {
                let mut set = self.of(state, t, expected);
                if !(weak && state.made.weak_failures < self.options.weak_cas_failures) {
                    t.deps.cas = set.clone();
                    t.deps.addr = addr;
                }
                set.union(&self.of(state, t, desired));
                let undefined = [expected, desired].into_iter().any(|o| self.is_partly_undefined(state, o));
                if t.is_unknown(&set) && undefined {
                    return Ok(self.need(t, set));
                }
            }
            _ => {}
        }
        Ok(Next::Run)
    }
}
