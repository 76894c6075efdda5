//! What a thread may still write, found in its code: where it stands, what can be reached from there, and
//! what pointers may point to.
//!
//! Points-to sets do not follow the order of instructions and have no contexts. All that a load gives may
//! point to whatever had its address taken.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use selvedge_graph::Mode;

use crate::analysis::external::{External, Flow};
use crate::bytecode::{FuncId, GlobalId, Instr, Module, Operand, Reg};

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
    /// Its ordering.
    pub mode: Mode,
    /// It is the second half of a read-modify-write.
    pub rmw: bool,
}

/// What is reached from an instruction on.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// What may be stored.
    pub sites: Vec<Site>,
    /// Whether threads may be started.
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
pub enum Destination {
    /// A global.
    Global(GlobalId),
    /// Made by this instruction of the program.
    Made(FuncId, u32),
    /// Made by the library.
    OfLibrary,
}

impl Stores {
    /// By function: `externals` says what it does if it is only declared, `of_library` whether it is the
    /// library's.
    pub fn of(module: &Module, externals: &[Option<External>], of_library: &dyn Fn(usize) -> bool) -> Stores {
        let mut analysis = Analysis::new(module, externals, of_library);
        while analysis.round() {}
        analysis.stores()
    }

    /// Whether a store may be to this.
    pub fn may_be(&self, site: &Site, destination: Destination) -> bool {
        match destination {
            Destination::Global(g) => {
                site.to.globals.contains(&g.0) || (site.to.any && self.escaped.globals.contains(&g.0))
            }
            Destination::Made(f, pc) => {
                let made = (f.0, pc);
                site.to.made.contains(&made) || (site.to.any && self.escaped.made.contains(&made))
            }
            Destination::OfLibrary => site.to.of_library || site.to.any,
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

struct Analysis<'a> {
    module: &'a Module,
    externals: &'a [Option<External>],
    of_library: &'a dyn Fn(usize) -> bool,
    /// By function and register.
    regs: Vec<Vec<Points>>,
    results: Vec<Points>,
    /// Functions that had their address taken.
    taken: Vec<bool>,
    escaped: Points,
}

impl<'a> Analysis<'a> {
    fn new(
        module: &'a Module,
        externals: &'a [Option<External>],
        of_library: &'a dyn Fn(usize) -> bool,
    ) -> Analysis<'a> {
        let regs = module.functions.iter().map(|f| vec![Points::default(); f.regs as usize]).collect();
        let mut analysis = Analysis {
            module,
            externals,
            of_library,
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
                // What a call calls does not have its address taken by that.
                let called = if let Instr::Call { callee, .. } = instr { Some(callee) } else { None };
                instr.for_operands(|operand, _| match operand {
                    _ if called.is_some_and(|callee| std::ptr::eq(callee, operand)) => {}
                    Operand::Func(f) => analysis.taken[f.0 as usize] = true,
                    _ => {}
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

    fn flow(&self, callee: Operand) -> Flow {
        match callee {
            Operand::Func(f) => self.externals[f.0 as usize].map_or(Flow::Other, |external| external.flow),
            _ => Flow::Other,
        }
    }

    fn points(&self, f: usize, operand: Operand) -> Points {
        match operand {
            Operand::Reg(r) => self.regs[f].get(r as usize).cloned().unwrap_or(Points::ANY),
            Operand::Global(g, _) => Points { globals: BTreeSet::from([g.0]), ..Points::default() },
            Operand::Const(_) | Operand::Func(_) | Operand::Undef => Points::default(),
        }
    }

    /// Lets a function's registers point to more.
    fn add(&mut self, f: usize, regs: Range<Reg>, points: &Points) -> bool {
        let mut new = false;
        for reg in regs {
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
                let dst = instr.written();
                let made = if (self.of_library)(f) {
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
                            new |= self.add(g, *param..*param + 1, &points);
                        }
                        for arg in args.iter().skip(callee.params.len()) {
                            new |= self.escape(f, *arg);
                        }
                        if callee.varargs {
                            let area = callee.params.len() as Reg;
                            new |= self.add(g, area..area + 1, &Points::ANY);
                        }
                        let points = self.results[g].clone();
                        new |= self.add(f, dst, &points);
                    }
                    Instr::Call { callee, .. } if self.flow(*callee) == Flow::Makes => {
                        new |= self.add(f, dst, &made);
                    }
                    Instr::Call { callee, args, .. } => {
                        for arg in args.iter().take(self.flow(*callee).keeps()) {
                            new |= self.escape(f, *arg);
                        }
                        new |= self.add(f, dst, &Points::ANY);
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
                        new |= self.add(f, dst, &made);
                    }
                    Instr::Load { .. } | Instr::Rmw { .. } | Instr::Cmpxchg { .. } | Instr::Store { .. } => {
                        match *instr {
                            Instr::Store { value, .. } => new |= self.escape(f, value),
                            Instr::Rmw { operand, .. } => new |= self.escape(f, operand),
                            Instr::Cmpxchg { desired, .. } => new |= self.escape(f, desired),
                            _ => {}
                        }
                        new |= self.add(f, dst, &Points::ANY);
                    }
                    _ => {
                        if dst.is_empty() {
                            continue;
                        }
                        let mut points = Points::default();
                        instr.for_operands(|operand, words| {
                            // Numbers of two registers may have an address in the second one.
                            points.add(&self.points(f, *operand));
                            if let (Operand::Reg(reg), 2) = (operand, words) {
                                points.add(&self.points(f, Operand::Reg(*reg + 1)));
                            }
                        });
                        new |= self.add(f, dst, &points);
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
                        }
                        match (self.flow(Operand::Func(*g)), args.first()) {
                            (Flow::Spawns, _) => reach.spawns = true,
                            (Flow::Copies | Flow::Fills | Flow::WritesText, Some(to)) => {
                                site(*to, Mode::Na, false);
                            }
                            // Handlers and destructors may run.
                            (Flow::Ends | Flow::Jumps, _) => {
                                called.clone_from(&taken);
                                site(Operand::Reg(Reg::MAX), Mode::Na, false);
                            }
                            _ => {}
                        }
                    }
                    Instr::Call { .. } => called.clone_from(&taken),
                    Instr::Return { .. } => called.clone_from(&hooks),
                    _ => {}
                }
                let mut after = Vec::new();
                instr.for_successors(at as u32, |to| after.push(to));
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
