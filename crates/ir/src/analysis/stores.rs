//! What a thread may still write, found in its code: where it stands, what can be reached from there, and
//! what pointers may point to.
//!
//! Points-to sets do not follow the order of instructions and have no contexts. All that a load gives may
//! point to whatever had its address taken. A set that becomes large is all there is, so that each grows a
//! few times only, and a function is looked at again only when it is given more, or one that it calls gives
//! more.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use selvedge_graph::Mode;

use crate::analysis::external::{External, Flow};
use crate::bytecode::{FuncId, GlobalId, Instr, Module, Operand, Reg};

/// What an address may point to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Points {
    globals: BTreeSet<u32>,
    /// Objects that are made while the program runs, by the place where they are.
    made: BTreeSet<Made>,
    /// Objects that the library makes.
    of_library: bool,
    /// Anything that had its address taken, and what the library makes.
    any: bool,
    /// Anything at all. Then nothing else is said.
    all: bool,
}

/// An instruction that makes objects.
type Made = (u32, u32);

/// More than so many objects are all.
const MOST: usize = 64;

impl Points {
    const ANY: Points =
        Points { globals: BTreeSet::new(), made: BTreeSet::new(), of_library: true, any: true, all: false };
    const ALL: Points =
        Points { globals: BTreeSet::new(), made: BTreeSet::new(), of_library: false, any: false, all: true };

    fn global(g: GlobalId) -> Points {
        Points { globals: BTreeSet::from([g.0]), ..Points::default() }
    }

    /// Returns whether there is anything new.
    fn add(&mut self, other: &Points) -> bool {
        if self.all {
            return false;
        }
        let new = self.add_exactly(other);
        if self.globals.len() + self.made.len() > MOST {
            *self = Points::ALL;
        }
        new
    }

    /// The same, however many there are.
    fn add_exactly(&mut self, other: &Points) -> bool {
        let size = |p: &Points| (p.globals.len(), p.made.len(), p.of_library, p.any, p.all);
        let before = size(self);
        if other.all {
            *self = Points::ALL;
        } else if !self.all {
            self.globals.extend(&other.globals);
            self.made.extend(&other.made);
            self.of_library |= other.of_library;
            self.any |= other.any;
        }
        before != size(self)
    }
}

/// A store, or all of a kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
    /// What may be stored: a bit for each of [`Stores::sites`].
    sites: Vec<u64>,
    /// Whether threads may be started.
    pub spawns: bool,
}

impl Reach {
    fn has(&self, site: usize) -> bool {
        self.sites.get(site / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }

    fn add_site(&mut self, site: u32) {
        let word = site as usize / 64;
        if self.sites.len() <= word {
            self.sites.resize(word + 1, 0);
        }
        self.sites[word] |= 1 << (site % 64);
    }

    fn add_here(&mut self, here: Here) {
        here.site.iter().for_each(|site| self.add_site(*site));
        self.spawns |= here.spawns;
    }

    /// Returns whether there is anything new.
    fn add(&mut self, other: &Reach) -> bool {
        if self.sites.len() < other.sites.len() {
            self.sites.resize(other.sites.len(), 0);
        }
        let mut new = other.spawns && !self.spawns;
        self.spawns |= other.spawns;
        for (own, more) in self.sites.iter_mut().zip(&other.sites) {
            new |= *more & !*own != 0;
            *own |= more;
        }
        new
    }
}

/// What an instruction does itself.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    /// What it stores, by its number.
    site: Option<u32>,
    spawns: bool,
    calls: Calls,
}

/// Whom an instruction calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Calls {
    #[default]
    Nobody,
    Function(u32),
    /// Anything that had its address taken.
    Taken,
    /// What the machine itself calls where a thread ends.
    Hooks,
}

/// What is written where.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// Stores that differ.
    sites: Vec<Site>,
    /// By function and instruction: what it does itself.
    here: Vec<Vec<Here>>,
    /// By function: all that it and those that it calls do.
    whole: Vec<Reach>,
    /// The same of all functions that had their address taken, and of those that the machine calls.
    taken: Reach,
    hooks: Reach,
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
        analysis.solve();
        analysis.stores()
    }

    /// The stores that are reached.
    pub fn sites<'a>(&'a self, reach: &'a Reach) -> impl Iterator<Item = &'a Site> {
        self.sites.iter().enumerate().filter(|(number, _)| reach.has(*number)).map(|(_, site)| site)
    }

    /// Whether a store may be to this.
    pub fn may_be(&self, site: &Site, destination: Destination) -> bool {
        let (to, escaped) = (&site.to, &self.escaped);
        to.all
            || match destination {
                Destination::Global(g) => {
                    to.globals.contains(&g.0) || (to.any && (escaped.all || escaped.globals.contains(&g.0)))
                }
                Destination::Made(f, pc) => {
                    let made = (f.0, pc);
                    to.made.contains(&made) || (to.any && (escaped.all || escaped.made.contains(&made)))
                }
                Destination::OfLibrary => to.of_library || to.any,
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
        let mut called = HashSet::new();
        let mut todo = vec![pc];
        while let Some(at) = todo.pop() {
            if at as usize >= here.len() || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            let here = here[at as usize];
            reach.add_here(here);
            if called.insert(here.calls) {
                self.called(here.calls).into_iter().for_each(|callee| _ = reach.add(callee));
            }
            todo.extend(&self.next[func.0 as usize][at as usize]);
        }
        let reach = Arc::new(reach);
        self.known.borrow_mut().insert((func, pc), Arc::clone(&reach));
        reach
    }

    fn called(&self, calls: Calls) -> Option<&Reach> {
        match calls {
            Calls::Nobody => None,
            Calls::Function(f) => Some(&self.whole[f as usize]),
            Calls::Taken => Some(&self.taken),
            Calls::Hooks => Some(&self.hooks),
        }
    }

    /// Finds out what functions do with all that they call.
    fn close(&mut self, taken: &[u32], hooks: &[u32]) {
        let callees: Vec<HashSet<Calls>> =
            self.here.iter().map(|code| code.iter().map(|here| here.calls).collect()).collect();
        self.whole = vec![Reach::default(); self.here.len()];
        for (whole, code) in self.whole.iter_mut().zip(&self.here) {
            code.iter().for_each(|here| whole.add_here(*here));
        }
        let mut new = true;
        while new {
            new = false;
            // Callees often come after their callers.
            for f in (0..self.whole.len()).rev() {
                let mut whole = std::mem::take(&mut self.whole[f]);
                for calls in callees[f].iter().filter(|calls| **calls != Calls::Function(f as u32)) {
                    self.called(*calls).into_iter().for_each(|callee| new |= whole.add(callee));
                }
                self.whole[f] = whole;
            }
            for (of, group) in [(taken, &mut self.taken), (hooks, &mut self.hooks)] {
                of.iter().for_each(|f| new |= group.add(&self.whole[*f as usize]));
            }
        }
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
            Operand::Global(g, _) => Points::global(g),
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
        self.escaped.add_exactly(&points)
    }

    /// Looks at all functions until there is nothing new.
    fn solve(&mut self) {
        let count = self.module.functions.len();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (f, function) in self.module.functions.iter().enumerate() {
            for instr in &function.code {
                if let Instr::Call { callee: Operand::Func(g), .. } = instr
                    && callers[g.0 as usize].last() != Some(&f)
                {
                    callers[g.0 as usize].push(f);
                }
            }
        }
        let mut todo: VecDeque<usize> = (0..count).collect();
        let mut queued = vec![true; count];
        while let Some(f) = todo.pop_front() {
            queued[f] = false;
            let mut given = Vec::new();
            let results = self.results[f].clone();
            while self.round(f, &mut given) {}
            if self.results[f] != results {
                given.extend(&callers[f]);
            }
            for other in given {
                if !std::mem::replace(&mut queued[other], true) {
                    todo.push_back(other);
                }
            }
        }
    }

    /// Goes through a function once. Returns whether there was anything new in it; `given` are those that it
    /// has given more.
    fn round(&mut self, f: usize, given: &mut Vec<usize>) -> bool {
        let module = self.module;
        let mut new = false;
        for (pc, instr) in module.functions[f].code.iter().enumerate() {
            let dst = instr.written();
            let of_library = (self.of_library)(f);
            let made = || match of_library {
                true => Points { of_library: true, ..Points::default() },
                false => Points { made: BTreeSet::from([(f as u32, pc as u32)]), ..Points::default() },
            };
            match instr {
                Instr::Call { callee: Operand::Func(g), args, .. }
                    if !module.functions[g.0 as usize].code.is_empty() =>
                {
                    let g = g.0 as usize;
                    let callee = &module.functions[g];
                    let mut grows = false;
                    for (param, arg) in callee.params.iter().zip(args) {
                        let points = self.points(f, *arg);
                        grows |= self.add(g, *param..*param + 1, &points);
                    }
                    for arg in args.iter().skip(callee.params.len()) {
                        new |= self.escape(f, *arg);
                    }
                    if callee.varargs {
                        let area = callee.params.len() as Reg;
                        grows |= self.add(g, area..area + 1, &Points::ANY);
                    }
                    if grows && g == f {
                        new = true;
                    } else if grows {
                        given.push(g);
                    }
                    let points = self.results[g].clone();
                    new |= self.add(f, dst, &points);
                }
                Instr::Call { callee, .. } if self.flow(*callee) == Flow::Makes => {
                    new |= self.add(f, dst, &made());
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
                    new |= self.add(f, dst, &made());
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
        let mut numbers: HashMap<Site, u32> = HashMap::new();
        for (f, function) in module.functions.iter().enumerate() {
            let (mut all, mut next) = (Vec::new(), Vec::new());
            for (at, instr) in function.code.iter().enumerate() {
                let mut here = Here::default();
                let mut site = |operand: Operand, mode, rmw| {
                    let site = Site { to: self.points(f, operand), mode, rmw };
                    let new = numbers.len() as u32;
                    Some(*numbers.entry(site).or_insert(new))
                };
                match instr {
                    Instr::Store { addr, mode, .. } => here.site = site(*addr, *mode, false),
                    Instr::Rmw { addr, mode, .. } => here.site = site(*addr, *mode, true),
                    Instr::Cmpxchg { addr, success, .. } => here.site = site(*addr, *success, true),
                    Instr::Call { callee: Operand::Func(g), args, .. } => {
                        if !module.functions[g.0 as usize].code.is_empty() {
                            here.calls = Calls::Function(g.0);
                        }
                        match (self.flow(Operand::Func(*g)), args.first()) {
                            (Flow::Spawns, _) => here.spawns = true,
                            (Flow::Copies | Flow::Fills | Flow::WritesText, Some(to)) => {
                                here.site = site(*to, Mode::Na, false);
                            }
                            // Handlers and destructors may run.
                            (Flow::Ends | Flow::Jumps, _) => {
                                here.calls = Calls::Taken;
                                here.site = site(Operand::Reg(Reg::MAX), Mode::Na, false);
                            }
                            _ => {}
                        }
                    }
                    Instr::Call { .. } => here.calls = Calls::Taken,
                    Instr::Return { .. } => here.calls = Calls::Hooks,
                    _ => {}
                }
                let mut after = Vec::new();
                instr.for_successors(at as u32, |to| after.push(to));
                all.push(here);
                next.push(after);
            }
            stores.here.push(all);
            stores.next.push(next);
        }
        let mut sites: Vec<(u32, Site)> = numbers.into_iter().map(|(site, number)| (number, site)).collect();
        sites.sort_by_key(|(number, _)| *number);
        stores.sites = sites.into_iter().map(|(_, site)| site).collect();
        stores.close(&taken, &hooks);
        stores
    }
}
