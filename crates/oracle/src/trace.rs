//! What a thread may do by itself: all its traces, whatever its loads are answered.
//!
//! This interpreter of [`Program`]s is independent of the one that the explorer runs. It always keeps
//! track of dependencies.

use crate::execution::ThreadEnd;
use selvedge_certify::execution::{Deps, Event, NO_LOC};
use selvedge_certify::matrix::MAX_EVENTS;
use selvedge_graph::{Kind, Mode, Value};
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr, Program, RmwOp, pointed_to};

/// Instructions that a thread may run in one trace.
const MAX_STEPS: usize = 4096;

/// The program is beyond what the naive enumeration can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooBig;

#[derive(Clone, Debug)]
pub struct Trace {
    pub events: Vec<Event>,
    pub end: ThreadEnd,
}

/// The values that a load of each location may see.
pub type Domains = Vec<Vec<Value>>;

/// All traces of one thread. At a join the thread goes on or waits for ever: which of the two is
/// possible depends on the other thread, so there is a trace for each.
pub fn traces(program: &Program, tid: usize, domains: &Domains, max: usize) -> Result<Vec<Trace>, TooBig> {
    let thread = &program.threads[tid];
    let (arms, sc_depends, apart) = (program.arms.is_some(), program.sc_depends, program.apart);
    let mut run = Run { code: &thread.code, domains, max, arms, sc_depends, apart, found: Vec::new() };
    let registers = thread.regs.len();
    let state = State {
        tid: tid as u16,
        pc: 0,
        regs: vec![0; registers],
        from: vec![0; registers],
        ctrl: 0,
        arms: Vec::new(),
        for_good: 0,
        link: None,
        events: Vec::new(),
        steps: 0,
    };
    run.go(state)?;
    Ok(run.found)
}

struct Run<'a> {
    code: &'a [Instr],
    domains: &'a Domains,
    max: usize,
    /// Dependencies by control end with the arms of branches.
    arms: bool,
    sc_depends: bool,
    /// Exclusive pairs may have something in between.
    apart: bool,
    found: Vec<Trace>,
}

#[derive(Clone)]
struct State {
    tid: u16,
    pc: usize,
    regs: Vec<Value>,
    /// The reads that each register was computed from, as a set of positions.
    from: Vec<u32>,
    /// The reads that decided the branches so far.
    ctrl: u32,
    /// The branches that may decide what the thread does: their instructions, and the reads that they depend
    /// on.
    arms: Vec<(usize, u32)>,
    /// The reads that all that follows depends on.
    for_good: u32,
    /// The location of the last linked load, if its pair may succeed, and its position.
    link: Option<(u32, u32)>,
    events: Vec<Event>,
    steps: usize,
}

impl State {
    fn set(&mut self, reg: Reg, value: Value, from: u32) {
        self.regs[reg.0 as usize] = value;
        self.from[reg.0 as usize] = from;
    }

    /// The set of the last event alone.
    fn last(&self) -> u32 {
        1 << self.events.len()
    }

    /// The reads that an expression depends on.
    fn from(&self, expr: &Expr) -> u32 {
        let mut set = 0;
        expr.registers(&mut |r| set |= self.from[r.0 as usize]);
        set
    }

    fn of_address(&self, addr: &Addr) -> u32 {
        match addr {
            Addr::Loc(_) => 0,
            Addr::Element { index, .. } => self.from(index),
            Addr::Pointer(pointer) => self.from(pointer),
        }
    }

    /// Adds an event; `fill` says what is particular about it.
    fn emit(&mut self, kind: Kind, mode: Mode, fill: impl FnOnce(&mut Event)) {
        let mut event = Event::new(kind, mode);
        event.tid = self.tid;
        event.idx = self.events.len() as u32 + 1;
        let arm = self.arms.iter().fold(self.for_good, |all, (_, from)| all | from);
        event.deps = Deps { ctrl: self.ctrl, arm, ..Deps::default() };
        fill(&mut event);
        self.events.push(event);
    }

    fn access(&mut self, kind: Kind, mode: Mode, loc: u32, value: Value, rmw: bool, deps: Deps) {
        self.emit(kind, mode, |e| {
            e.loc = loc;
            e.value = value;
            e.rmw = rmw;
            e.deps = Deps { ctrl: e.deps.ctrl, arm: e.deps.arm, ..deps };
        });
    }

    /// Whether a store-conditional may succeed that comes next.
    fn holds_link(&self, apart: bool) -> bool {
        self.link.is_some_and(|(_, at)| apart || at as usize == self.events.len())
    }

    /// The location of an address, `None` outside of the array.
    fn address(&self, addr: &Addr, locations: usize) -> Option<u32> {
        match addr {
            Addr::Loc(loc) => Some(loc.0),
            Addr::Element { base, len, index } => {
                let at = u32::try_from(index.eval(&self.regs)).ok().filter(|at| at < len)?;
                Some(base.0 + at)
            }
            Addr::Pointer(pointer) => {
                pointed_to(pointer.eval(&self.regs)).filter(|loc| loc.index() < locations).map(|loc| loc.0)
            }
        }
    }
}

impl<'a> Run<'a> {
    fn end(&mut self, state: State, end: ThreadEnd) -> Result<(), TooBig> {
        if self.found.len() >= self.max {
            return Err(TooBig);
        }
        self.found.push(Trace { events: state.events, end });
        Ok(())
    }

    /// Whether every way from one instruction to the end of the thread passes another one.
    fn is_passed(&self, from: usize, by: usize) -> bool {
        let end = self.code.len();
        let mut seen = vec![false; end + 1];
        let mut todo = vec![from];
        let mut ends = false;
        while let Some(at) = todo.pop() {
            if at >= end || std::mem::replace(&mut seen[at], true) {
                ends |= at >= end;
                continue;
            }
            let next = match &self.code[at] {
                Instr::Branch { target, .. } => vec![*target, at + 1],
                Instr::Jump { target } => vec![*target],
                Instr::Cut => vec![],
                _ => vec![at + 1],
            };
            todo.extend(next.into_iter().filter(|next| *next != by));
        }
        !ends && (by >= end || self.comes_to_end(from))
    }

    fn comes_to_end(&self, from: usize) -> bool {
        // No instruction has this number.
        !self.is_passed(from, usize::MAX)
    }

    fn go(&mut self, mut s: State) -> Result<(), TooBig> {
        loop {
            s.steps += 1;
            if s.steps > MAX_STEPS || s.events.len() >= MAX_EVENTS {
                return Err(TooBig);
            }
            let code: &'a [Instr] = self.code;
            let Some(instr) = code.get(s.pc) else { return self.end(s, ThreadEnd::Done) };
            if !s.arms.is_empty() {
                let here = s.pc;
                s.arms.retain(|(branch, _)| !self.is_passed(*branch, here));
            }
            s.pc += 1;
            match instr {
                Instr::Assign { dst, expr } => {
                    let (value, from) = (expr.eval(&s.regs), s.from(expr));
                    s.set(*dst, value, from);
                }
                Instr::Load { dst, addr, mode } => {
                    let Some(loc) = s.address(addr, self.domains.len()) else {
                        return self.end(s, ThreadEnd::Error);
                    };
                    return self.each_value(loc, |run, value| {
                        let mut s = s.clone();
                        let deps = Deps { addr: s.of_address(addr), ..Deps::default() };
                        s.access(Kind::Read, *mode, loc, value, false, deps);
                        s.set(*dst, value, s.last());
                        run.go(s)
                    });
                }
                Instr::Store { addr, value, mode } => {
                    let Some(loc) = s.address(addr, self.domains.len()) else {
                        return self.end(s, ThreadEnd::Error);
                    };
                    let (addr, data) = (s.of_address(addr), s.from(value));
                    let value = value.eval(&s.regs);
                    // A pointer that was not read from anywhere publishes what it points to.
                    let target = pointed_to(value).filter(|_| data == 0).map_or(NO_LOC, |loc| loc.0);
                    let own = s.events.iter().filter(|e| e.kind == Kind::Write && e.loc == target);
                    let publishes = own.fold(0, |all, e| all | 1 << e.idx);
                    let deps = Deps { addr, data, publishes, ..Deps::default() };
                    s.access(Kind::Write, *mode, loc, value, false, deps);
                }
                Instr::Rmw { dst, addr, op, operand, mode } => {
                    let Some(loc) = s.address(addr, self.domains.len()) else {
                        return self.end(s, ThreadEnd::Error);
                    };
                    return self.each_value(loc, |run, old| {
                        let mut s = s.clone();
                        let new = op.apply(old, operand.eval(&s.regs));
                        let deps = Deps { addr: s.of_address(addr), ..Deps::default() };
                        s.access(Kind::Read, *mode, loc, old, true, deps);
                        let read = s.last();
                        // Unless it writes its operand alone, its value is computed from what it read.
                        let cas = if *op == RmwOp::Exchange { 0 } else { read };
                        let deps = Deps { data: s.from(operand), cas, ..deps };
                        s.access(Kind::Write, *mode, loc, new, true, deps);
                        s.set(*dst, old, read);
                        run.go(s)
                    });
                }
                Instr::LoadLinked { .. } => return self.linked(s, instr),
                Instr::StoreConditional { ok, addr, value, mode } => {
                    let Some(loc) = s.address(addr, self.domains.len()) else {
                        return self.end(s, ThreadEnd::Error);
                    };
                    let last = s.events.len() as u32;
                    let link =
                        s.link.take().filter(|&(linked, at)| linked == loc && (self.apart || at == last));
                    let succeeds = link.is_some();
                    if let Some((_, at)) = link {
                        // What the load half was is only known now.
                        s.events[at as usize - 1].rmw = true;
                        let deps = Deps { addr: s.of_address(addr), data: s.from(value), ..Deps::default() };
                        let value = value.eval(&s.regs);
                        s.access(Kind::Write, *mode, loc, value, true, deps);
                        if let Some(write) = s.events.last_mut() {
                            write.other_half = Some(at).filter(|at| *at < last);
                        }
                    }
                    let from = if succeeds && self.sc_depends { s.last() } else { 0 };
                    s.set(*ok, Value::from(succeeds), from);
                }
                Instr::Cas { .. } => return self.cas(s, instr),
                Instr::Fence { mode } => s.emit(Kind::Fence, *mode, |_| {}),
                Instr::Branch { cond, target } => {
                    let from = s.from(cond);
                    if self.arms && from != 0 && !s.holds_link(self.apart) {
                        let value = Value::from(cond.eval(&s.regs) != 0);
                        s.emit(Kind::Choice, Mode::Na, |e| {
                            e.value = value;
                            e.deps.data = from;
                        });
                        s.arms.push((s.pc - 1, from));
                    } else {
                        s.for_good |= from;
                    }
                    s.ctrl |= from;
                    if cond.eval(&s.regs) != 0 {
                        s.pc = *target;
                    }
                }
                Instr::Jump { target } => s.pc = *target,
                Instr::Assume { cond } => {
                    s.ctrl |= s.from(cond);
                    s.for_good |= s.from(cond);
                    if cond.eval(&s.regs) == 0 {
                        return self.end(s, ThreadEnd::Blocked);
                    }
                }
                Instr::Assert { cond, .. } => {
                    s.ctrl |= s.from(cond);
                    s.for_good |= s.from(cond);
                    if cond.eval(&s.regs) == 0 {
                        return self.end(s, ThreadEnd::Error);
                    }
                }
                Instr::Cut => return self.end(s, ThreadEnd::Cut),
                Instr::Spawn { thread } => s.emit(Kind::Spawn, Mode::Na, |e| e.peer = thread.0),
                Instr::Join { thread } => {
                    self.end(s.clone(), ThreadEnd::Waiting { peer: thread.0 })?;
                    s.emit(Kind::Join, Mode::Na, |e| e.peer = thread.0);
                }
            }
        }
    }

    fn each_value(
        &mut self,
        loc: u32,
        mut then: impl FnMut(&mut Run<'a>, Value) -> Result<(), TooBig>,
    ) -> Result<(), TooBig> {
        let domains = self.domains;
        domains[loc as usize].iter().try_for_each(|&value| then(self, value))
    }

    fn cas(&mut self, s: State, instr: &Instr) -> Result<(), TooBig> {
        let Instr::Cas { ok, old, addr, expected, desired, success, failure, weak } = instr else {
            unreachable!("only called on compare and swaps");
        };
        let Some(loc) = s.address(addr, self.domains.len()) else { return self.end(s, ThreadEnd::Error) };
        let addr = s.of_address(addr);
        let of_read = Deps { addr, cas: s.from(expected), ..Deps::default() };
        let of_write = Deps { addr, data: s.from(desired), ..Deps::default() };
        let (expected, desired) = (expected.eval(&s.regs), desired.eval(&s.regs));
        let choices: &[Option<Value>] = if *weak { &[Some(0), Some(1)] } else { &[None] };
        for &choice in choices {
            let mut s = s.clone();
            if let Some(value) = choice {
                s.emit(Kind::Choice, Mode::Na, |e| e.value = value);
            }
            let fail_anyway = choice == Some(1);
            self.each_value(loc, |run, value| {
                let mut s = s.clone();
                let hit = !fail_anyway && value == expected;
                // A read that fails in any case does not look at what was expected.
                let of_read = if fail_anyway { Deps { cas: 0, ..of_read } } else { of_read };
                s.access(Kind::Read, if hit { *success } else { *failure }, loc, value, hit, of_read);
                let read = s.last();
                if hit {
                    s.access(Kind::Write, *success, loc, desired, true, of_write);
                }
                s.set(*old, value, read);
                s.set(*ok, Value::from(hit), read);
                run.go(s)
            })?;
        }
        Ok(())
    }

    fn linked(&mut self, s: State, instr: &Instr) -> Result<(), TooBig> {
        let Instr::LoadLinked { dst, addr, mode } = instr else {
            unreachable!("only called on linked loads");
        };
        let Some(loc) = s.address(addr, self.domains.len()) else { return self.end(s, ThreadEnd::Error) };
        let deps = Deps { addr: s.of_address(addr), ..Deps::default() };
        for choice in [0, 1] {
            let mut s = s.clone();
            s.emit(Kind::Choice, Mode::Na, |e| e.value = choice);
            self.each_value(loc, |run, value| {
                let mut s = s.clone();
                s.access(Kind::Read, *mode, loc, value, false, deps);
                s.link = (choice == 0).then_some((loc, s.events.len() as u32));
                s.set(*dst, value, s.last());
                run.go(s)
            })?;
        }
        Ok(())
    }
}

/// The values that an instruction may compare with or write.
fn constants(instr: &Instr, found: &mut Vec<Value>) {
    fn of(expr: &Expr, found: &mut Vec<Value>) {
        match expr {
            Expr::Const(value) => found.push(*value),
            Expr::Reg(_) => {}
            Expr::Un(_, a) => of(a, found),
            Expr::Bin(_, a, b) => {
                of(a, found);
                of(b, found);
            }
        }
    }
    match instr {
        Instr::Store { value, .. } | Instr::StoreConditional { value, .. } => of(value, found),
        Instr::Branch { cond, .. } => of(cond, found),
        Instr::Rmw { operand, .. } => of(operand, found),
        Instr::Cas { expected, desired, .. } => {
            of(expected, found);
            of(desired, found);
        }
        _ => {}
    }
}

/// The traces of every thread, with domains closed under what the stores can write.
///
/// A value that is computed from other values is `k` stores away from the initial ones, where `k` is
/// at most the number of writes of one execution, unless values come out of thin air. So many rounds
/// suffice where the domains do not close by themselves (counters).
pub fn all_traces(program: &Program, max: usize) -> Result<Vec<Vec<Trace>>, TooBig> {
    let mut domains: Domains = program.locs.iter().map(|(_, init)| vec![*init]).collect();
    // Where branches do not hold back what follows them, values may come out of thin air: those that the
    // program mentions. So may those that a compare-and-swap expects, if what it writes is known to others
    // before it succeeds.
    let mut named = Vec::new();
    let instrs = program.threads.iter().flat_map(|t| &t.code);
    let of_cas = |instr: &&Instr| matches!(instr, Instr::Cas { .. });
    match program.arms.is_some() {
        true => instrs.for_each(|instr| constants(instr, &mut named)),
        false if program.tracks_deps => instrs.filter(of_cas).for_each(|instr| constants(instr, &mut named)),
        false => {}
    }
    if !named.is_empty() {
        for domain in &mut domains {
            for value in &named {
                if !domain.contains(value) {
                    domain.push(*value);
                }
            }
        }
    }
    let mut round = 0;
    loop {
        let all: Vec<Vec<Trace>> = (0..program.threads.len())
            .map(|tid| traces(program, tid, &domains, max))
            .collect::<Result<_, _>>()?;
        let is_write = |e: &&Event| e.kind == Kind::Write;
        let most_writes: usize = all
            .iter()
            .map(|ts| ts.iter().map(|t| t.events.iter().filter(is_write).count()).max().unwrap_or(0))
            .sum();
        let mut grown = false;
        for event in all.iter().flatten().flat_map(|t| &t.events).filter(is_write) {
            let domain = &mut domains[event.loc as usize];
            if !domain.contains(&event.value) {
                domain.push(event.value);
                grown = true;
            }
        }
        round += 1;
        // The traces of round `k` answer loads with values at most `k - 1` stores away.
        if !grown || round > most_writes {
            return Ok(all);
        }
    }
}
