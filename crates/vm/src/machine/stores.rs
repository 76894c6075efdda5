//! What a thread may still write, found in its code: where it stands, what can be reached from there, and what
//! pointers may point to.
//!
//! Points-to sets do not follow the order of instructions and have no contexts. All that a load gives may point
//! to whatever had its address taken.

use super::analysis::{successors, written};
use super::native::Native;
use crate::ir::{FuncId, Function, GlobalId, Instr, Module, Operand, Reg};
use crate::runtime::for_each_operand;
use selvedge_graph::Mode;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What an address may point to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Points {
    globals: BTreeSet<u32>,
    /// Objects that are made while the program runs, by the place where they are.
    made: BTreeSet<Made>,
    /// Objects that the library makes.
    of_library: bool,
    /// Anything that had its address taken, and what the library makes.
    any: bool,
}

/// An instruction that makes objects.
type Made = (u32, u32);

impl Points {
    const ANY: Points =
        Points { globals: BTreeSet::new(), made: BTreeSet::new(), of_library: true, any: true };

    /// Returns whether there is anything new.
    fn add(&mut self, other: &Points) -> bool {
        let size = |p: &Points| (p.globals.len(), p.made.len(), p.of_library, p.any);
        let before = size(self);
        self.globals.extend(&other.globals);
        self.made.extend(&other.made);
        self.of_library |= other.of_library;
        self.any |= other.any;
        before != size(self)
    }
}

/// A store, or all of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    to: Points,
    pub mode: Mode,
    pub rmw: bool,
}

/// What is reached from an instruction on.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    pub sites: Vec<Site>,
    pub spawns: bool,
}

impl Reach {
    fn add(&mut self, other: &Reach) -> bool {
        let before = (self.sites.len(), self.spawns);
        for site in &other.sites {
            if !self.sites.contains(site) {
                self.sites.push(site.clone());
            }
        }
        self.spawns |= other.spawns;
        before != (self.sites.len(), self.spawns)
    }
}

/// What is written where.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// By function and instruction: what it does itself.
    here: Vec<Vec<Reach>>,
    /// By function: all that it and those that it calls do.
    whole: Vec<Reach>,
    /// By function and instruction: which functions it may call.
    calls: Vec<Vec<Vec<u32>>>,
    /// By function and instruction: what comes next.
    next: Vec<Vec<Vec<u32>>>,
    /// What had its address taken.
    escaped: Points,
    known: RefCell<HashMap<(FuncId, u32), Arc<Reach>>>,
}

/// What a store may be to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Global(GlobalId),
    /// Made by this instruction of the program.
    Made(FuncId, u32),
    /// Made by the library.
    OfLibrary,
}

impl Stores {
    /// `runtime`: whether a function is the library's.
    pub fn of(module: &Module, runtime: &dyn Fn(usize) -> bool) -> Stores {
        let mut analysis = Analysis::new(module, runtime);
        while analysis.round() {}
        analysis.stores()
    }

    /// Whether a store may be to this.
    pub fn may_be(&self, site: &Site, target: Target) -> bool {
        match target {
            Target::Global(g) => {
                site.to.globals.contains(&g.0) || (site.to.any && self.escaped.globals.contains(&g.0))
            }
            Target::Made(f, pc) => {
                let made = (f.0, pc);
                site.to.made.contains(&made) || (site.to.any && self.escaped.made.contains(&made))
            }
            Target::OfLibrary => site.to.of_library || site.to.any,
        }
    }

    /// What a call of a function may still do that has come to an instruction.
    pub fn from(&self, func: FuncId, pc: u32) -> Arc<Reach> {
        if let Some(known) = self.known.borrow().get(&(func, pc)) {
            return Arc::clone(known);
        }
        let mut reach = Reach::default();
        let here = &self.here[func.0 as usize];
        let mut seen = vec![false; here.len()];
        let mut todo = vec![pc];
        while let Some(at) = todo.pop() {
            if at as usize >= here.len() || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            reach.add(&here[at as usize]);
            for callee in &self.calls[func.0 as usize][at as usize] {
                reach.add(&self.whole[*callee as usize]);
            }
            todo.extend(&self.next[func.0 as usize][at as usize]);
        }
        let reach = Arc::new(reach);
        self.known.borrow_mut().insert((func, pc), Arc::clone(&reach));
        reach
    }
}

/// How many of its arguments, from the first on, a function outside of the program may keep or give back.
fn kept(module: &Module, callee: Operand) -> usize {
    let Operand::Func(f) = callee else { return usize::MAX };
    match Native::named(&module.functions[f.0 as usize].name) {
        Some(Native::BarrierNew) => 0,
        Some(Native::Copy) => 1,
        _ => usize::MAX,
    }
}

/// `malloc` and its like.
fn allocates(function: &Function) -> bool {
    let native = Native::named(&function.name).filter(|_| function.code.is_empty());
    matches!(native, Some(Native::Malloc(_) | Native::Calloc))
}

struct Analysis<'a> {
    module: &'a Module,
    runtime: &'a dyn Fn(usize) -> bool,
    /// By function and register.
    regs: Vec<Vec<Points>>,
    results: Vec<Points>,
    /// Functions that had their address taken.
    taken: Vec<bool>,
    escaped: Points,
}

impl<'a> Analysis<'a> {
    fn new(module: &'a Module, runtime: &'a dyn Fn(usize) -> bool) -> Analysis<'a> {
        let regs = module.functions.iter().map(|f| vec![Points::default(); f.regs as usize]).collect();
        let mut analysis = Analysis {
            module,
            runtime,
            regs,
            results: vec![Points::default(); module.functions.len()],
            taken: vec![false; module.functions.len()],
            escaped: Points::default(),
        };
        let mut take = |operand: &Operand| match operand {
            Operand::Func(f) => analysis.taken[f.0 as usize] = true,
            Operand::Global(g, _) => _ = analysis.escaped.globals.insert(g.0),
            _ => {}
        };
        module.globals.iter().flat_map(|g| &g.addresses).for_each(|(_, operand)| take(operand));
        for function in &module.functions {
            for instr in &function.code {
                let mut instr = instr.clone();
                if let Instr::Call { callee, .. } = &mut instr {
                    *callee = Operand::Undef;
                }
                for_each_operand(&mut instr, &mut |operand| {
                    if let Operand::Func(f) = operand {
                        analysis.taken[f.0 as usize] = true;
                    }
                });
            }
        }
        for (f, function) in module.functions.iter().enumerate() {
            // `main` is called by nobody, with arguments that nobody writes to. The machine itself calls
            // some of the library's functions.
            analysis.taken[f] |= function.name.starts_with("__selvedge_") && !function.code.is_empty();
            if analysis.taken[f] {
                function.params.iter().for_each(|r| analysis.regs[f][*r as usize] = Points::ANY);
            }
        }
        analysis
    }

    fn points(&self, f: usize, operand: Operand) -> Points {
        match operand {
            Operand::Reg(r) => self.regs[f].get(r as usize).cloned().unwrap_or(Points::ANY),
            Operand::Global(g, _) => Points { globals: BTreeSet::from([g.0]), ..Points::default() },
            Operand::Const(_) | Operand::Func(_) | Operand::Undef => Points::default(),
        }
    }

    /// Lets a function's registers point to more.
    fn add(&mut self, f: usize, first: Reg, count: u32, points: &Points) -> bool {
        let mut new = false;
        for reg in first..first + count {
            if let Some(known) = self.regs[f].get_mut(reg as usize) {
                new |= known.add(points);
            }
        }
        new
    }

    fn escape(&mut self, f: usize, operand: Operand) -> bool {
        let points = self.points(f, operand);
        self.escaped.add(&points)
    }

    /// Goes through the program once. Returns whether there was anything new.
    fn round(&mut self) -> bool {
        let module = self.module;
        let mut new = false;
        for (f, function) in module.functions.iter().enumerate() {
            for (pc, instr) in function.code.iter().enumerate() {
                let dst = written(instr);
                let made = if (self.runtime)(f) {
                    Points { of_library: true, ..Points::default() }
                } else {
                    Points { made: BTreeSet::from([(f as u32, pc as u32)]), ..Points::default() }
                };
                match instr {
                    Instr::Call { callee: Operand::Func(g), args, .. }
                        if !module.functions[g.0 as usize].code.is_empty() =>
                    {
                        let g = g.0 as usize;
                        let callee = &module.functions[g];
                        for (param, arg) in callee.params.iter().zip(args) {
                            let points = self.points(f, *arg);
                            new |= self.add(g, *param, 1, &points);
                        }
                        for arg in args.iter().skip(callee.params.len()) {
                            new |= self.escape(f, *arg);
                        }
                        if callee.varargs {
                            new |= self.add(g, callee.params.len() as Reg, 1, &Points::ANY);
                        }
                        if let Some((first, count)) = dst {
                            let points = self.results[g].clone();
                            new |= self.add(f, first, count, &points);
                        }
                    }
                    Instr::Call { callee: Operand::Func(g), .. }
                        if allocates(&module.functions[g.0 as usize]) =>
                    {
                        if let Some((first, count)) = dst {
                            new |= self.add(f, first, count, &made);
                        }
                    }
                    Instr::Call { callee, args, .. } => {
                        for arg in args.iter().take(kept(module, *callee)) {
                            new |= self.escape(f, *arg);
                        }
                        if let Some((first, count)) = dst {
                            new |= self.add(f, first, count, &Points::ANY);
                        }
                    }
                    Instr::Return { values } => {
                        for value in values {
                            let points = self.points(f, *value);
                            new |= self.results[f].add(&points);
                            if self.taken[f] {
                                new |= self.escape(f, *value);
                            }
                        }
                    }
                    // No other thread sees what is there.
                    Instr::Alloca { private: true, .. } => {}
                    Instr::Alloca { .. } => {
                        if let Some((first, count)) = dst {
                            new |= self.add(f, first, count, &made);
                        }
                    }
                    Instr::Load { .. } | Instr::Rmw { .. } | Instr::Cmpxchg { .. } | Instr::Store { .. } => {
                        match *instr {
                            Instr::Store { value, .. } => new |= self.escape(f, value),
                            Instr::Rmw { operand, .. } => new |= self.escape(f, operand),
                            Instr::Cmpxchg { desired, .. } => new |= self.escape(f, desired),
                            _ => {}
                        }
                        if let Some((first, count)) = dst {
                            new |= self.add(f, first, count, &Points::ANY);
                        }
                    }
                    _ => {
                        let Some((first, count)) = dst else { continue };
                        let mut points = Points::default();
                        for_each_operand(&mut instr.clone(), &mut |operand| {
                            // Numbers of two registers may have an address in the second one.
                            points.add(&self.points(f, *operand));
                            if let Operand::Reg(r) = operand
                                && super::analysis::words_read(instr) > 1
                            {
                                points.add(&self.points(f, Operand::Reg(*r + 1)));
                            }
                        });
                        new |= self.add(f, first, count, &points);
                    }
                }
            }
        }
        new
    }

    fn stores(self) -> Stores {
        let module = self.module;
        let taken: Vec<u32> = (0..).zip(&self.taken).filter(|(_, taken)| **taken).map(|(f, _)| f).collect();
        // What the machine itself calls where a thread ends.
        let is_hook = |name: &str| matches!(name, "__selvedge_leave" | "__selvedge_main_returned");
        let hooks: Vec<u32> =
            (0..).zip(&module.functions).filter(|(_, f)| is_hook(&f.name)).map(|(f, _)| f).collect();
        let mut stores = Stores { escaped: self.escaped.clone(), ..Stores::default() };
        for (f, function) in module.functions.iter().enumerate() {
            let (mut here, mut calls, mut next) = (Vec::new(), Vec::new(), Vec::new());
            for (at, instr) in function.code.iter().enumerate() {
                let mut reach = Reach::default();
                let mut called = Vec::new();
                let mut site = |operand: Operand, mode, rmw| {
                    reach.sites.push(Site { to: self.points(f, operand), mode, rmw });
                };
                match instr {
                    Instr::Store { addr, mode, .. } => site(*addr, *mode, false),
                    Instr::Rmw { addr, mode, .. } => site(*addr, *mode, true),
                    Instr::Cmpxchg { addr, success, .. } => site(*addr, *success, true),
                    Instr::Call { callee: Operand::Func(g), args, .. } => {
                        let callee = &module.functions[g.0 as usize];
                        if !callee.code.is_empty() {
                            called.push(g.0);
                        } else if let Some(native) = Native::named(&callee.name) {
                            match (native, args.first()) {
                                (Native::Spawn, _) => reach.spawns = true,
                                (Native::Copy | Native::Fill | Native::TextCopy, Some(to)) => {
                                    site(*to, Mode::Na, false);
                                }
                                // Handlers and destructors may run.
                                (Native::Unwind | Native::LongJump | Native::EndThread, _) => {
                                    called.clone_from(&taken);
                                    site(Operand::Reg(Reg::MAX), Mode::Na, false);
                                }
                                _ => {}
                            }
                        }
                    }
                    Instr::Call { .. } => called.clone_from(&taken),
                    Instr::Return { .. } => called.clone_from(&hooks),
                    _ => {}
                }
                let mut after = Vec::new();
                successors(instr, at as u32, &mut |to| after.push(to));
                here.push(reach);
                calls.push(called);
                next.push(after);
            }
            stores.here.push(here);
            stores.calls.push(calls);
            stores.next.push(next);
        }
        stores.whole = vec![Reach::default(); module.functions.len()];
        let mut new = true;
        while new {
            new = false;
            for f in 0..stores.whole.len() {
                let mut whole = std::mem::take(&mut stores.whole[f]);
                for (here, calls) in stores.here[f].iter().zip(&stores.calls[f]) {
                    new |= whole.add(here);
                    for callee in calls.iter().filter(|c| **c as usize != f) {
                        new |= whole.add(&stores.whole[*callee as usize]);
                    }
                }
                stores.whole[f] = whole;
            }
        }
        stores
    }
}
