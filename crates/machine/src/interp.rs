//! The machine for [`Program`]s.

use crate::expr::{BinOp, Expr};
use crate::program::{Addr, Instr, Program, RmwOp, pointed_to};
use crate::track::Tracking;
use crate::{
    Block, Canonical, Claims, Dependencies, Deps, Durability, ErrorKind, EventClasses, Foresight, Lifetimes,
    Machine, Names, Op, ProgramError, Rmw, Stateful, Words,
};
use selvedge_graph::{Loc, Mode, Tid, Value};
use smallvec::SmallVec;

/// A thread that runs this many instructions without a visible operation is taken to loop for ever.
const SILENT_STEPS: u32 = 1_000_000;

/// Errors that are not assertions have numbers from here on.
const OUT_OF_BOUNDS: u32 = 1 << 31;

pub type Registers = SmallVec<[Value; 6]>;

/// A thread's local state, at a visible operation.
#[derive(Debug)]
pub struct ThreadState {
    thread: Tid,
    /// What to do with the value that the operation gives, before going on.
    stage: Stage,
    pc: u32,
    /// What the thread may write conditionally, since its previous operation was a linked load, or since one
    /// before that if pairs may be apart; and the number of that operation, if dependencies are tracked.
    link: Option<(Loc, u32)>,
    /// The number of the load that the conditional store at hand, or that of a read-modify-write, belongs to.
    half: Option<u32>,
    pub regs: Registers,
    tracking: Option<Box<Tracking>>,
}

impl Clone for ThreadState {
    // Once per explored event: registers are copied in one go.
    fn clone(&self) -> ThreadState {
        ThreadState {
            thread: self.thread,
            stage: self.stage,
            pc: self.pc,
            link: self.link,
            half: self.half,
            regs: SmallVec::from_slice(&self.regs),
            tracking: self.tracking.clone(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Run the instruction at `pc`.
    Fetch,
    /// The branch at `pc` is decided.
    Decided { end: u32 },
    /// The instruction at `pc` was a load.
    Loaded,
    /// The load half of an RMW at `pc`.
    RmwLoaded { loc: Loc },
    /// The load half of a strong (or seriously tried) compare and swap.
    CasLoaded { loc: Loc },
    /// The choice before a weak compare and swap.
    CasChosen { loc: Loc },
    /// The load of a weak compare and swap that fails in any case.
    CasFailing,
    /// The choice before a linked load.
    LinkChosen { loc: Loc },
    /// A linked load of this location; `None`: its pair fails in any case.
    LinkLoaded { loc: Option<Loc> },
}

impl Stateful for Program {
    type State = ThreadState;
}

impl Machine for Program {
    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn runs_from_start(&self, thread: Tid) -> bool {
        self.threads[thread.index()].initial
    }

    fn init_value(&self, loc: Loc) -> Value {
        self.locs[loc.index()].1
    }

    fn start(&self, thread: Tid) -> ThreadState {
        let count = self.threads[thread.index()].regs.len();
        ThreadState {
            thread,
            stage: Stage::Fetch,
            pc: 0,
            link: None,
            half: None,
            regs: SmallVec::from_elem(0, count),
            tracking: self.tracks_deps.then(|| {
                let tracking = Tracking::new(count);
                Box::new(if self.arms.is_some() { tracking.with_arms() } else { tracking })
            }),
        }
    }

    fn step(&self, state: &mut ThreadState, input: Value) -> Op {
        if let Some(t) = &mut state.tracking {
            t.go_on();
        }
        let op = self.next_operation(state, input);
        if let Some(t) = &mut state.tracking {
            t.next_operation();
            if let Op::Store { loc, value, rmw, .. } = op {
                t.stored(loc, value, rmw);
            }
        }
        op
    }

    fn error(&self, error: u32) -> ProgramError {
        let (thread, pc) = ((error >> 20) & 0x7ff, error & 0xf_ffff);
        let thread = &self.threads[thread as usize];
        if error & OUT_OF_BOUNDS != 0 {
            let at_pointer = matches!(
                &thread.code[pc as usize],
                Instr::Load { addr: Addr::Pointer(_), .. }
                    | Instr::Store { addr: Addr::Pointer(_), .. }
                    | Instr::Rmw { addr: Addr::Pointer(_), .. }
                    | Instr::Cas { addr: Addr::Pointer(_), .. }
                    | Instr::LoadLinked { addr: Addr::Pointer(_), .. }
                    | Instr::StoreConditional { addr: Addr::Pointer(_), .. }
            );
            let message = match at_pointer {
                true => format!("access to an address that no location has in {}", thread.name),
                false => format!("access outside of its array in {}", thread.name),
            };
            return ProgramError { kind: ErrorKind::OutOfBounds, message };
        }
        match &thread.code[pc as usize] {
            Instr::Assert { message, .. } => {
                ProgramError { kind: ErrorKind::Assertion, message: message.clone() }
            }
            other => unreachable!("{other:?} does not fail"),
        }
    }
}

impl Names for Program {
    fn location_name(&self, loc: Loc) -> String {
        self.locs[loc.index()].0.clone()
    }

    fn value_name(&self, _loc: Loc, value: Value) -> String {
        self.value_text(value)
    }
}

impl Lifetimes for Program {}

impl Claims for Program {}

impl Durability for Program {}

impl Foresight for Program {
    fn event_classes(&self) -> Option<EventClasses> {
        let mut classes = EventClasses::default();
        for instr in self.threads.iter().flat_map(|t| &t.code) {
            match instr {
                Instr::Load { mode, .. } => classes.read(*mode),
                Instr::Store { mode, .. } => classes.write(*mode),
                Instr::Rmw { mode, .. } => classes.rmw(*mode),
                Instr::Cas { success, failure, .. } => {
                    classes.rmw(*success);
                    classes.read(*failure);
                    classes.choice();
                }
                Instr::LoadLinked { mode, .. } | Instr::StoreConditional { mode, .. } => {
                    classes.rmw(*mode);
                    classes.choice();
                }
                Instr::Fence { mode } => classes.fence(*mode),
                Instr::Spawn { .. } | Instr::Join { .. } => classes.threads(),
                Instr::Assign { .. }
                | Instr::Branch { .. }
                | Instr::Jump { .. }
                | Instr::Assume { .. }
                | Instr::Assert { .. }
                | Instr::Cut => {}
            }
        }
        Some(classes)
    }

    fn locations(&self) -> usize {
        self.locs.len()
    }

    fn stores_to_come(&self, state: &ThreadState, loc: Loc) -> Option<Vec<(Mode, bool)>> {
        Some(state.stores_to_come(&self.threads[state.thread.index()].code, loc))
    }

    fn has_pairs_apart(&self) -> bool {
        self.apart
    }

    fn link(&self, state: &ThreadState) -> Option<u32> {
        state.link.filter(|_| self.apart).map(|(_, at)| at)
    }

    fn other_half(&self, state: &ThreadState) -> Option<u32> {
        state.half.filter(|_| self.apart)
    }

    fn may_spawn(&self, state: &ThreadState) -> bool {
        self.threads[state.thread.index()].code.iter().any(|instr| matches!(instr, Instr::Spawn { .. }))
    }

    fn writes_regardless(&self, state: &ThreadState) -> bool {
        let code = &self.threads[state.thread.index()].code;
        matches!(code.get(state.pc as usize), Some(Instr::Rmw { op: RmwOp::Exchange, .. }))
    }

    fn waits_if_it_fails(&self, state: &ThreadState) -> bool {
        let code = &self.threads[state.thread.index()].code;
        let pc = state.pc as usize;
        let (Some(Instr::Cas { ok, .. }), Some(Instr::Assume { cond })) = (code.get(pc), code.get(pc + 1))
        else {
            return false;
        };
        // Nothing but the load before it.
        if code[..pc]
            .iter()
            .rfind(|i| !matches!(i, Instr::Assume { .. }))
            .is_some_and(|i| !matches!(i, Instr::Load { .. }))
        {
            return false;
        }
        match cond {
            Expr::Reg(reg) => reg == ok,
            Expr::Bin(BinOp::Eq, a, b) => **a == Expr::Reg(*ok) && **b == Expr::Const(1),
            _ => false,
        }
    }

    fn has_twins(&self) -> bool {
        true
    }

    fn alike(&self, a: &ThreadState, b: &ThreadState) -> bool {
        let [a, b] = [a, b].map(|s| &self.threads[s.thread.index()].code);
        let about_threads = |instr: &Instr| matches!(instr, Instr::Spawn { .. } | Instr::Join { .. });
        a == b && !a.iter().any(about_threads)
    }
}

impl Dependencies for Program {
    fn tracks_deps(&self) -> bool {
        self.tracks_deps
    }

    fn deps(&self, state: &ThreadState) -> Deps {
        state.tracking.as_ref().map_or(Deps::NONE, |t| t.deps().clone())
    }
}

impl Canonical for Program {
    // Registers all count: what a litmus test asks about at the end is in them.
    fn write_down<W: Words>(&self, state: &ThreadState, words: &mut W) {
        let (stage, of) = match state.stage {
            Stage::Fetch => (0, 0),
            Stage::Decided { end } => (1, u64::from(end)),
            Stage::Loaded => (2, 0),
            Stage::RmwLoaded { loc } => (3, u64::from(loc.0)),
            Stage::CasLoaded { loc } => (4, u64::from(loc.0)),
            Stage::CasChosen { loc } => (5, u64::from(loc.0)),
            Stage::CasFailing => (6, 0),
            Stage::LinkChosen { loc } => (7, u64::from(loc.0)),
            Stage::LinkLoaded { loc } => (8, loc.map_or(0, |loc| 1 + u64::from(loc.0))),
        };
        words.words(&[stage, of, u64::from(state.pc), state.link.map_or(0, |(loc, _)| 1 + u64::from(loc.0))]);
        state.regs.iter().for_each(|value| words.word(*value as u64));
        // What was read publishes nothing when it is stored.
        state.tracking.iter().flat_map(|t| t.read()).for_each(|read| words.word(u64::from(*read)));
    }

    fn forget_deps(&self, state: &mut ThreadState) {
        state.track(Tracking::forget_all);
    }
}

impl Program {
    #[inline]
    fn next_operation(&self, state: &mut ThreadState, input: Value) -> Op {
        let code = &self.threads[state.thread.index()].code;
        if let Some(op) = state.finish(code, input) {
            return op;
        }
        for _ in 0..SILENT_STEPS {
            let Some(instr) = code.get(state.pc as usize) else {
                state.track(Tracking::clear);
                return Op::End;
            };
            if let Some(arms) = &self.arms
                && let Some(op) = state.branch(instr, &arms[state.thread.index()])
            {
                return op;
            }
            if let Some(op) = state.run(instr, self) {
                return op;
            }
        }
        Op::Cut
    }
}

impl ThreadState {
    /// The number of the instruction whose operation the state stands at.
    pub fn instruction(&self) -> u32 {
        // Operations that nothing is to be done after are told once the instruction is over.
        if self.stage == Stage::Fetch { self.pc.saturating_sub(1) } else { self.pc }
    }

    /// Takes in the result of the operation that the state stopped at.
    fn finish(&mut self, code: &[Instr], input: Value) -> Option<Op> {
        let stage = std::mem::replace(&mut self.stage, Stage::Fetch);
        if stage == Stage::Fetch {
            return None;
        }
        match (stage, &code[self.pc as usize]) {
            (Stage::Loaded, Instr::Load { dst, .. }) => {
                self.regs[dst.0 as usize] = input;
                self.track(|t| {
                    t.loaded(*dst);
                    t.clear();
                });
                self.pc += 1;
                None
            }
            (Stage::Decided { end }, Instr::Branch { cond, target }) => {
                self.track(|t| {
                    t.clear();
                    t.enter(cond, end);
                });
                self.pc = if input != 0 { *target as u32 } else { self.pc + 1 };
                None
            }
            (Stage::RmwLoaded { loc }, Instr::Rmw { dst, op, operand, mode, .. }) => {
                let value = op.apply(input, operand.eval(&self.regs));
                self.track(|t| {
                    t.data(operand);
                    if *op != RmwOp::Exchange {
                        t.computes();
                    }
                    t.loaded(*dst);
                });
                self.regs[dst.0 as usize] = input;
                self.pc += 1;
                self.half = self.tracking.as_ref().map(|t| t.position());
                Some(Op::Store { loc, value, mode: *mode, rmw: true })
            }
            (Stage::CasLoaded { loc }, Instr::Cas { ok, old, expected, desired, success, .. }) => {
                let hit = input == expected.eval(&self.regs);
                let value = desired.eval(&self.regs);
                self.track(|t| {
                    t.expects(&Expr::Const(0));
                    if hit {
                        t.data(desired);
                    } else {
                        t.clear();
                    }
                    t.loaded(*old);
                    t.loaded(*ok);
                });
                self.regs[old.0 as usize] = input;
                self.regs[ok.0 as usize] = hit as Value;
                self.pc += 1;
                self.half = self.tracking.as_ref().map(|t| t.position());
                hit.then_some(Op::Store { loc, value, mode: *success, rmw: true })
            }
            (Stage::CasChosen { loc }, Instr::Cas { addr, failure, .. }) => {
                if input == 0 {
                    return Some(self.cas(&code[self.pc as usize], loc));
                }
                self.stage = Stage::CasFailing;
                self.track(|t| t.address(addr));
                Some(Op::Load { loc, mode: *failure, rmw: Rmw::No })
            }
            (Stage::CasFailing, Instr::Cas { ok, old, .. }) => {
                self.track(|t| {
                    t.clear();
                    t.loaded(*old);
                    t.loaded(*ok);
                });
                self.regs[old.0 as usize] = input;
                self.regs[ok.0 as usize] = 0;
                self.pc += 1;
                None
            }
            (Stage::LinkChosen { loc }, Instr::LoadLinked { addr, mode, .. }) => {
                let tries = input == 0;
                self.stage = Stage::LinkLoaded { loc: tries.then_some(loc) };
                self.track(|t| t.address(addr));
                Some(Op::Load { loc, mode: *mode, rmw: if tries { Rmw::Linked } else { Rmw::No } })
            }
            (Stage::LinkLoaded { loc }, Instr::LoadLinked { dst, .. }) => {
                self.regs[dst.0 as usize] = input;
                self.track(|t| {
                    t.clear();
                    t.loaded(*dst);
                });
                let at = self.tracking.as_ref().map_or(0, |t| t.position());
                self.link = loc.map(|loc| (loc, at));
                self.pc += 1;
                None
            }
            (stage, instr) => unreachable!("{stage:?} at {instr:?}"),
        }
    }

    #[inline]
    fn track(&mut self, f: impl FnOnce(&mut Tracking)) {
        if let Some(t) = &mut self.tracking {
            f(t);
        }
    }

    fn cas(&mut self, instr: &Instr, loc: Loc) -> Op {
        let Instr::Cas { addr, expected, success, failure, .. } = instr else { unreachable!("not a cas") };
        self.stage = Stage::CasLoaded { loc };
        self.track(|t| {
            t.address(addr);
            t.expects(expected);
        });
        let rmw = Rmw::Cas { expected: expected.eval(&self.regs), fail: *failure };
        Op::Load { loc, mode: *success, rmw }
    }

    /// Where the arms of branches end: comes to an instruction. A branch that depends on something is an
    /// operation of its own, unless it is inside of a pair of exclusive instructions.
    fn branch(&mut self, instr: &Instr, ends: &[u32]) -> Option<Op> {
        let pc = self.pc;
        self.track(|t| t.reach(pc));
        let Instr::Branch { cond, .. } = instr else { return None };
        let tracking = self.tracking.as_mut()?;
        if self.link.is_some() || !tracking.depends(cond) {
            return None;
        }
        tracking.clear();
        tracking.data(cond);
        self.stage = Stage::Decided { end: ends[pc as usize] };
        Some(Op::Decide { value: Value::from(cond.eval(&self.regs) != 0) })
    }

    /// Runs one instruction up to the operation that it makes visible, if any.
    #[inline]
    fn run(&mut self, instr: &Instr, program: &Program) -> Option<Op> {
        let op = self.execute(instr, program.locs.len(), program.sc_depends);
        // A pair of exclusive instructions has nothing visible in between, or may have.
        if op.is_some() && self.link.is_some() && !program.apart {
            self.link = None;
        }
        op
    }

    fn execute(&mut self, instr: &Instr, locations: usize, sc_depends: bool) -> Option<Op> {
        match instr {
            Instr::Assign { dst, expr } => {
                self.track(|t| t.assign(*dst, expr));
                self.regs[dst.0 as usize] = expr.eval(&self.regs);
                self.pc += 1;
                None
            }
            Instr::Load { addr, mode, .. } => Some(match self.resolve(addr, locations) {
                Ok(loc) => {
                    self.track(|t| {
                        t.clear();
                        t.address(addr);
                    });
                    self.stage = Stage::Loaded;
                    Op::Load { loc, mode: *mode, rmw: Rmw::No }
                }
                Err(error) => self.bad_address(addr, error),
            }),
            Instr::Store { addr, value, mode } => Some(match self.resolve(addr, locations) {
                Ok(loc) => {
                    self.track(|t| {
                        t.clear();
                        t.address(addr);
                        t.data(value);
                    });
                    self.pc += 1;
                    Op::Store { loc, value: value.eval(&self.regs), mode: *mode, rmw: false }
                }
                Err(error) => self.bad_address(addr, error),
            }),
            Instr::Rmw { addr, mode, .. } => Some(match self.resolve(addr, locations) {
                Ok(loc) => {
                    self.track(|t| {
                        t.clear();
                        t.address(addr);
                    });
                    self.stage = Stage::RmwLoaded { loc };
                    Op::Load { loc, mode: *mode, rmw: Rmw::Always }
                }
                Err(error) => self.bad_address(addr, error),
            }),
            Instr::Cas { addr, weak, .. } => Some(match self.resolve(addr, locations) {
                Ok(loc) if *weak => {
                    self.track(|t| {
                        t.clear();
                        t.may_fail(addr);
                    });
                    self.stage = Stage::CasChosen { loc };
                    Op::Choose { count: 2 }
                }
                Ok(loc) => {
                    self.track(Tracking::clear);
                    self.cas(instr, loc)
                }
                Err(error) => self.bad_address(addr, error),
            }),
            Instr::LoadLinked { addr, .. } => Some(match self.resolve(addr, locations) {
                Ok(loc) => {
                    self.link = None;
                    self.track(|t| {
                        t.clear();
                        t.may_fail(addr);
                    });
                    self.stage = Stage::LinkChosen { loc };
                    Op::Choose { count: 2 }
                }
                Err(error) => self.bad_address(addr, error),
            }),
            Instr::StoreConditional { ok, addr, value, mode } => match self.resolve(addr, locations) {
                Ok(loc) => {
                    let link = self.link.take().filter(|(linked, _)| *linked == loc);
                    let succeeds = link.is_some();
                    self.half = link.map(|(_, at)| at);
                    let value_written = value.eval(&self.regs);
                    self.track(|t| {
                        t.clear();
                        t.address(addr);
                        t.data(value);
                        t.may_fail(addr);
                        match succeeds && sc_depends {
                            true => t.stores(*ok),
                            false => t.forget(*ok),
                        }
                    });
                    self.regs[ok.0 as usize] = succeeds as Value;
                    self.pc += 1;
                    succeeds.then_some(Op::Store { loc, value: value_written, mode: *mode, rmw: true })
                }
                Err(error) => Some(self.bad_address(addr, error)),
            },
            Instr::Fence { mode } => {
                self.track(Tracking::clear);
                self.pc += 1;
                Some(Op::Fence { mode: *mode })
            }
            Instr::Branch { cond, target } => {
                self.track(|t| t.branch(cond));
                self.pc = if cond.eval(&self.regs) != 0 { *target as u32 } else { self.pc + 1 };
                None
            }
            Instr::Jump { target } => {
                self.pc = *target as u32;
                None
            }
            Instr::Assume { cond } => {
                self.track(|t| {
                    t.clear();
                    t.branch(cond);
                });
                if cond.eval(&self.regs) == 0 {
                    return Some(Op::Block(Block::Assume));
                }
                self.pc += 1;
                None
            }
            Instr::Assert { cond, .. } => {
                self.track(|t| {
                    t.clear();
                    t.branch(cond);
                });
                if cond.eval(&self.regs) == 0 {
                    return Some(Op::Error(self.here()));
                }
                self.pc += 1;
                None
            }
            Instr::Cut => {
                self.track(Tracking::clear);
                Some(Op::Cut)
            }
            Instr::Spawn { thread } => {
                self.track(Tracking::clear);
                self.pc += 1;
                Some(Op::Spawn { thread: *thread })
            }
            Instr::Join { thread } => {
                self.track(Tracking::clear);
                self.pc += 1;
                Some(Op::Join { thread: *thread })
            }
        }
    }

    /// Whether it is an error depends on what the address was computed from.
    fn bad_address(&mut self, addr: &Addr, error: Op) -> Op {
        self.track(|t| {
            t.clear();
            t.address(addr);
        });
        error
    }

    /// The stores to `loc` on all paths from here, the one at hand included, if there is one: of what needs
    /// no answer, the next instruction is the one that counts already.
    fn stores_to_come(&self, code: &[Instr], loc: Loc) -> Vec<(Mode, bool)> {
        let mut stores = Vec::new();
        let mut seen = vec![false; code.len()];
        let pc = self.pc as usize;
        let mut todo = vec![pc];
        todo.extend(pc.checked_sub(1).filter(|&last| matches!(code.get(last), Some(Instr::Store { .. }))));
        while let Some(pc) = todo.pop() {
            let Some(instr) = code.get(pc) else { continue };
            if std::mem::replace(&mut seen[pc], true) {
                continue;
            }
            let store = match instr {
                Instr::Store { addr, mode, .. } => Some((addr, (*mode, false))),
                Instr::Rmw { addr, mode, .. } | Instr::StoreConditional { addr, mode, .. } => {
                    Some((addr, (*mode, true)))
                }
                Instr::Cas { addr, success, .. } => Some((addr, (*success, true))),
                _ => None,
            };
            if let Some((_, store)) =
                store.filter(|(addr, store)| addr.may_be(loc) && !stores.contains(store))
            {
                stores.push(store);
            }
            match instr {
                Instr::Branch { target, .. } => todo.extend([*target, pc + 1]),
                Instr::Jump { target } => todo.push(*target),
                Instr::Cut => {}
                _ => todo.push(pc + 1),
            }
        }
        stores
    }

    fn here(&self) -> u32 {
        (self.thread.0 as u32) << 20 | self.pc
    }

    fn resolve(&self, addr: &Addr, locations: usize) -> Result<Loc, Op> {
        match addr {
            Addr::Loc(loc) => Ok(*loc),
            Addr::Element { base, len, index } => {
                let at = index.eval(&self.regs);
                if (0..*len as Value).contains(&at) {
                    Ok(Loc(base.0 + at as u32))
                } else {
                    Err(Op::Error(OUT_OF_BOUNDS | self.here()))
                }
            }
            Addr::Pointer(pointer) => pointed_to(pointer.eval(&self.regs))
                .filter(|loc| loc.index() < locations)
                .ok_or(Op::Error(OUT_OF_BOUNDS | self.here())),
        }
    }
}
