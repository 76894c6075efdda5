//! Which threads do the same but for names.
//!
//! Two threads that run the same function on the same argument do the same as long as nothing depends on
//! which of them does it. The code that they may run must not ask for the thread's number, make threads, wait
//! for any, or keep data by thread. What they make (objects on the heap, variables that others can see) has
//! addresses of its own in each thread, so no part of the program may look into such an address: it may be
//! kept, passed, followed, moved by an offset and compared for equality, but not ordered, calculated with,
//! cut to pieces or printed.
//!
//! That is found by following addresses through the registers of all functions, without regard to the order
//! of instructions; memory is one place for all. Values of less than eight bytes are not addresses, provided
//! that memory is not accessed in parts of what was written to it: for memory that threads share, that is
//! known after the exploration only (see [`Anonymity::WithAddresses`]).

use std::collections::HashMap;

use crate::analysis::external::{External, Flow};
use crate::bytecode::{BinOp, CastOp, CmpOp, FuncId, Instr, Module, Operand, Reg, RmwOp, registers};

/// Whether threads that begin with a function do the same whoever they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anonymity {
    /// They may do different things.
    No,
    /// They do the same as long as memory is not accessed in parts of addresses.
    WithAddresses,
    /// They do the same.
    Yes,
}

/// The functions that the program names where it creates threads.
pub fn entries(module: &Module) -> impl Iterator<Item = FuncId> {
    let name = |f: FuncId| module.functions[f.0 as usize].name.as_str();
    let creates = move |f: FuncId| matches!(name(f), "pthread_create" | "thrd_create");
    module.functions.iter().flat_map(|f| &f.code).filter_map(move |instr| match instr {
        Instr::Call { callee: Operand::Func(f), args, .. } if creates(*f) => {
            args.iter().find_map(|arg| if let Operand::Func(entry) = arg { Some(*entry) } else { None })
        }
        _ => None,
    })
}

/// Whether somebody asks for what a certain thread returned. `of_library`: whether a function is the
/// library's.
pub fn results_matter(module: &Module, of_library: impl Fn(usize) -> bool) -> bool {
    let name = |f: FuncId| module.functions[f.0 as usize].name.as_str();
    let joins = |f: FuncId| matches!(name(f), "pthread_join" | "thrd_join" | "__selvedge_result");
    let asks = |instr: &Instr| {
        let mut named = 0;
        instr.for_operands(|o, _| named += matches!(o, Operand::Func(f) if joins(*f)) as u32);
        let only_waits = matches!(instr, Instr::Call { callee: Operand::Func(f), args, .. }
            if joins(*f) && args.get(1) == Some(&Operand::Const(0)));
        named > only_waits as u32
    };
    let own = module.functions.iter().enumerate().filter(|(f, _)| !of_library(*f));
    own.flat_map(|(_, function)| &function.code).any(asks)
}

/// Whether threads that begin with `entry` return null or nothing.
pub fn returns_nothing(module: &Module, externals: &[Option<External>], entry: FuncId) -> bool {
    let own = reached(module, entry);
    let exits = |f: usize| matches!(externals[f], Some(External { flow: Flow::Ends, .. }));
    let nothing = |instr: &Instr| match instr {
        Instr::Return { values } => values.iter().all(|v| *v == Operand::Const(0)),
        _ => true,
    };
    !(0..own.len()).any(|f| own[f] && exits(f)) && module.functions[entry.0 as usize].code.iter().all(nothing)
}

/// Whether threads that begin with `entry` do the same. `externals` is by function.
pub fn anonymity(module: &Module, externals: &[Option<External>], entry: FuncId) -> Anonymity {
    let own = reached(module, entry);
    let anonymous = |f: usize| externals[f].is_some_and(|external| external.anonymous);
    let forbidden = |f: usize| module.functions[f].code.is_empty() && !anonymous(f);
    if (0..own.len()).any(|f| own[f] && forbidden(f)) {
        return Anonymity::No;
    }
    let mut taint = Taint::new(module, externals, own);
    while taint.round() {}
    match taint {
        Taint { shows: true, .. } => Anonymity::No,
        Taint { memory: true, .. } => Anonymity::WithAddresses,
        _ => Anonymity::Yes,
    }
}

/// The functions that a thread which begins with `entry` may run.
fn reached(module: &Module, entry: FuncId) -> Vec<bool> {
    let mut reached = vec![false; module.functions.len()];
    let mut todo = vec![entry.0 as usize];
    // The machine itself calls these at the end of a thread.
    let hooks = module.functions.iter().position(|f| f.name == "__selvedge_leave");
    todo.extend(hooks);
    while let Some(f) = todo.pop() {
        if std::mem::replace(&mut reached[f], true) {
            continue;
        }
        for instr in &module.functions[f].code {
            // A function whose address is taken may be called.
            instr.for_operands(|o, _| {
                if let Operand::Func(g) = o {
                    todo.push(g.0 as usize);
                }
            });
            if let Instr::Call { callee, .. } = instr
                && !matches!(callee, Operand::Func(_))
            {
                todo.extend(0..module.functions.len());
            }
        }
    }
    reached
}

/// Where addresses of what the threads make may be.
struct Taint<'a> {
    module: &'a Module,
    externals: &'a [Option<External>],
    /// By function: whether the threads may run it.
    own: Vec<bool>,
    /// By function and register.
    regs: Vec<Vec<bool>>,
    /// By function: what it returns.
    results: Vec<bool>,
    memory: bool,
    /// Something looks into such an address.
    shows: bool,
    changed: bool,
}

/// The largest number that is no address for sure.
const SMALL: u64 = u32::MAX as u64;

impl<'a> Taint<'a> {
    fn new(module: &'a Module, externals: &'a [Option<External>], own: Vec<bool>) -> Taint<'a> {
        let regs = module.functions.iter().map(|f| vec![false; f.regs as usize]).collect();
        let results = vec![false; module.functions.len()];
        Taint { module, externals, own, regs, results, memory: false, shows: false, changed: false }
    }

    /// Goes through all functions once; returns whether anything new was found.
    fn round(&mut self) -> bool {
        self.changed = false;
        let module = self.module;
        for (f, function) in module.functions.iter().enumerate() {
            for instr in &function.code {
                self.instr(f, instr);
            }
            if self.memory && !self.shows {
                self.shows = cuts_private(&function.code, &self.regs[f]);
            }
        }
        self.changed && !self.shows
    }

    fn is_tainted(&self, f: usize, operand: Operand) -> bool {
        match operand {
            Operand::Reg(r) => self.regs[f].get(r as usize).copied().unwrap_or(true),
            Operand::Global(g, _) => self.own[f] && self.module.globals[g.0 as usize].thread_local,
            Operand::Const(_) | Operand::Func(_) | Operand::Undef => false,
        }
    }

    fn taint(&mut self, f: usize, reg: Reg, count: u32) {
        for r in reg..reg + count {
            if let Some(tainted) = self.regs[f].get_mut(r as usize) {
                self.changed |= !*tainted;
                *tainted = true;
            }
        }
    }

    fn taint_memory(&mut self) {
        self.changed |= !self.memory;
        self.memory = true;
    }

    /// A value of so many bytes goes to memory.
    fn stored(&mut self, f: usize, value: Operand, bytes: u8) {
        let next = match value {
            Operand::Reg(r) if bytes > 8 => self.is_tainted(f, Operand::Reg(r + 1)),
            _ => false,
        };
        if next || self.is_tainted(f, value) {
            self.shows |= bytes < 8;
            self.taint_memory();
        }
    }

    fn loaded(&mut self, f: usize, dst: Reg, bytes: u8) {
        if self.memory && bytes >= 8 {
            self.taint(f, dst, registers(bytes));
        }
    }

    fn instr(&mut self, f: usize, instr: &Instr) {
        match instr {
            Instr::Move { dst, src } => {
                if self.is_tainted(f, *src) {
                    self.taint(f, *dst, 1);
                }
            }
            Instr::Select { dst, cond, a, b } => {
                self.shows |= self.is_tainted(f, *cond);
                if self.is_tainted(f, *a) || self.is_tainted(f, *b) {
                    self.taint(f, *dst, 1);
                }
            }
            Instr::Offset { dst, base, index, .. } => {
                self.shows |= self.is_tainted(f, *index);
                if self.is_tainted(f, *base) {
                    self.taint(f, *dst, 1);
                }
            }
            Instr::Cmp { op, bits, a, b, .. } => {
                let harmless = |o: &Operand| !matches!(o, Operand::Const(c) if *c > SMALL && *c != u64::MAX);
                let equality = matches!(op, CmpOp::Eq | CmpOp::Ne) && *bits == 64;
                if self.is_tainted(f, *a) || self.is_tainted(f, *b) {
                    self.shows |= !(equality && harmless(a) && harmless(b));
                }
            }
            Instr::Cast { op, from, to, dst, src } => {
                if self.is_tainted(f, *src) {
                    let same = matches!(op, CastOp::Zext | CastOp::Sext | CastOp::Trunc)
                        && from == to
                        && *from == 64;
                    self.shows |= !same;
                    self.taint(f, *dst, 1);
                }
            }
            // As a way to compute an address, this is `Offset`, but for adding nothing.
            Instr::Bin { op: BinOp::Add | BinOp::Or, bits: 64, dst, a, b: Operand::Const(0), .. } => {
                if self.is_tainted(f, *a) {
                    self.taint(f, *dst, 1);
                }
            }
            Instr::Alloca { dst, size, .. } => {
                self.shows |= self.is_tainted(f, *size);
                if self.own[f] {
                    self.taint(f, *dst, 1);
                }
            }
            Instr::Life { .. } => {}
            Instr::Load { dst, bytes, .. } => self.loaded(f, *dst, *bytes),
            Instr::Store { value, bytes, .. } => self.stored(f, *value, *bytes),
            Instr::Rmw { op, dst, operand, bytes, .. } => {
                self.stored(f, *operand, *bytes);
                self.loaded(f, *dst, *bytes);
                self.shows |= *op != RmwOp::Xchg && *bytes >= 8 && self.memory;
            }
            Instr::Cmpxchg { dst, expected, desired, bytes, .. } => {
                self.stored(f, *desired, *bytes);
                self.loaded(f, *dst, *bytes);
                let harmless = !matches!(expected, Operand::Const(c) if *c > SMALL && *c != u64::MAX);
                self.shows |= self.is_tainted(f, *expected) && *bytes < 8;
                self.shows |= self.memory && *bytes >= 8 && !harmless;
            }
            Instr::Call { dst, callee, args, results, .. } => self.call(f, *dst, *callee, args, *results),
            Instr::Return { values } => {
                if values.iter().any(|v| self.is_tainted(f, *v)) {
                    self.changed |= !self.results[f];
                    self.results[f] = true;
                    // What a thread returns is left in memory.
                    self.taint_memory();
                }
            }
            // An address is not null.
            Instr::Branch { .. } => {}
            Instr::Switch { .. }
            | Instr::Bin { .. }
            | Instr::Float { .. }
            | Instr::FloatCmp { .. }
            | Instr::Overflowing { .. }
            | Instr::Bits { .. }
            | Instr::Funnel { .. } => {
                self.shows |= instr.any_operand(|o| self.is_tainted(f, *o));
            }
            Instr::Fence { .. }
            | Instr::Jump { .. }
            | Instr::LoopHead { .. }
            | Instr::LoopBack { .. }
            | Instr::SpinBlock { .. }
            | Instr::Unreachable
            | Instr::Unsupported { .. } => {}
        }
    }

    fn call(&mut self, f: usize, dst: Option<Reg>, callee: Operand, args: &[Operand], results: u32) {
        let tainted: Vec<bool> = args.iter().map(|a| self.is_tainted(f, *a)).collect();
        let called = match callee {
            Operand::Func(g) => vec![g.0 as usize],
            _ => {
                self.shows |= self.is_tainted(f, callee);
                (0..self.module.functions.len()).collect()
            }
        };
        let module = self.module;
        for g in called {
            let function = &module.functions[g];
            let mut gives = self.results[g];
            if function.code.is_empty() {
                gives |= self.external(f, self.externals[g], &tainted);
            }
            for (reg, _) in function.params.iter().zip(&tainted).filter(|(_, tainted)| **tainted) {
                self.taint(g, *reg, 1);
            }
            if function.varargs && tainted.iter().skip(function.params.len()).any(|t| *t) {
                self.taint_memory();
            }
            if function.varargs && self.own[f] {
                // The address of the further arguments.
                let after = function.params.iter().max().map_or(0, |last| last + 1);
                self.taint(g, after, 1);
            }
            if let Some(dst) = dst.filter(|_| gives) {
                self.taint(f, dst, results);
            }
        }
    }

    /// Whether a function that is only declared gives an address of the thread's own.
    fn external(&mut self, f: usize, external: Option<External>, tainted: &[bool]) -> bool {
        let any = tainted.contains(&true);
        match external.map_or(Flow::Other, |external| external.flow) {
            Flow::Makes => {
                self.shows |= any;
                return self.own[f];
            }
            Flow::OwnAddress => return self.own[f],
            Flow::TakesNames => {}
            Flow::Ends => {
                if any {
                    self.taint_memory();
                }
            }
            Flow::Fills => self.shows |= tainted.iter().skip(1).any(|t| *t),
            // Whichever function it begins with.
            Flow::Spawns => {
                if any {
                    let module = self.module;
                    for (g, function) in module.functions.iter().enumerate() {
                        function.params.iter().for_each(|reg| self.taint(g, *reg, 1));
                    }
                }
            }
            // Copies may cut what they copy.
            Flow::Copies => self.shows |= self.memory,
            Flow::WritesText | Flow::KeepsNone | Flow::Jumps | Flow::Other => self.shows |= any,
        }
        false
    }
}

/// Whether memory that only one function uses is written by addresses and read in parts.
fn cuts_private(code: &[Instr], tainted: &[bool]) -> bool {
    // By register: the instruction that made the memory that it points into, and the offset if that is known.
    let mut roots: HashMap<Reg, Vec<(usize, Option<i64>)>> = HashMap::new();
    for (at, instr) in code.iter().enumerate() {
        if let Instr::Alloca { dst, private: true, .. } = instr {
            roots.entry(*dst).or_default().push((at, Some(0)));
        }
    }
    if roots.is_empty() {
        return false;
    }
    loop {
        let mut new = Vec::new();
        for instr in code {
            let (dst, from, by) = match instr {
                Instr::Move { dst, src: Operand::Reg(r) } => (*dst, [Some(*r), None], Some(0)),
                Instr::Select { dst, a, b, .. } => {
                    let reg = |o: &Operand| if let Operand::Reg(r) = o { Some(*r) } else { None };
                    (*dst, [reg(a), reg(b)], Some(0))
                }
                Instr::Offset { dst, base: Operand::Reg(r), index, scale, .. } => {
                    let by = match index {
                        Operand::Const(c) => Some((*c as i64).wrapping_mul(*scale)),
                        _ => None,
                    };
                    (*dst, [Some(*r), None], by)
                }
                _ => continue,
            };
            for (root, offset) in from.into_iter().flatten().filter_map(|r| roots.get(&r)).flatten() {
                let entry = (*root, offset.zip(by).map(|(a, b)| a.wrapping_add(b)));
                let known = roots.get(&dst);
                if !known.is_some_and(|k| k.contains(&entry) || k.contains(&(*root, None))) {
                    // Going round a loop, offsets are not to be counted for ever.
                    let many = known.is_some_and(|k| k.len() > 8);
                    new.push((dst, if many { (*root, None) } else { entry }));
                }
            }
        }
        if new.is_empty() {
            break;
        }
        for (dst, entry) in new {
            roots.entry(dst).or_default().push(entry);
        }
    }
    let places = |o: &Operand| match o {
        Operand::Reg(r) => roots.get(r).cloned().unwrap_or_default(),
        _ => Vec::new(),
    };
    let held =
        |o: &Operand| matches!(o, Operand::Reg(r) if tainted.get(*r as usize).copied().unwrap_or(true));
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for instr in code {
        match instr {
            Instr::Store { addr, value, bytes, .. } if *bytes >= 8 && held(value) => {
                written.extend(places(addr).into_iter().map(|p| (p, *bytes)));
            }
            // Of 16 bytes, a part may be no address.
            Instr::Store { addr, bytes, .. } | Instr::Load { addr, bytes, .. } if *bytes < 8 => {
                read.extend(places(addr).into_iter().map(|p| (p, *bytes)));
            }
            Instr::Rmw { addr, bytes, .. } | Instr::Cmpxchg { addr, bytes, .. } => {
                let list = if *bytes >= 8 { &mut written } else { &mut read };
                list.extend(places(addr).into_iter().map(|p| (p, *bytes)));
            }
            _ => {}
        }
    }
    // Whole addresses are read at the places where they were written, too, or they are cut.
    for instr in code {
        if let Instr::Load { addr, bytes: 8.., .. } = instr {
            for place in places(addr) {
                let overlaps = |w: &((usize, Option<i64>), u8)| overlap(*w, (place, 8)) && w.0 != place;
                if written.iter().any(overlaps) {
                    return true;
                }
            }
        }
    }
    written.iter().any(|w| read.iter().any(|r| overlap(*w, *r)))
}

fn overlap(a: ((usize, Option<i64>), u8), b: ((usize, Option<i64>), u8)) -> bool {
    let (((x, i), n), ((y, j), m)) = (a, b);
    match (i, j) {
        _ if x != y => false,
        (Some(i), Some(j)) => i < j + m as i64 && j < i + n as i64,
        _ => true,
    }
}
