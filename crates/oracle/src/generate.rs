//! Random small programs.
//!
//! Everything that the explorer treats specially occurs: contention on few locations, read-modify-
//! writes, fences, branches on what was read, blocking, locks, array elements, and threads that are
//! created and joined. A program is a function of the random numbers alone, so a seed names it.

use crate::generate_arch::Arch;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_graph::{Loc, Mode, Tid};
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp, pointer_to};

/// The generator of the program with this number, for one seed.
pub fn rng_for(seed: u64, number: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Reads, writes and halves of read-modify-writes of a whole program, at most.
pub const MAX_ACCESSES: usize = 9;

/// A program that the oracle can nearly always enumerate.
pub fn program(rng: &mut SmallRng) -> Program {
    let style = pick(rng, &[(Style::Any, 40), (Style::Atomic, 30), (Style::Relaxed, 10), (Style::Sc, 20)]);
    in_style(rng, style, true)
}

/// A program with dependencies, in the instructions of an architecture, or in C for it.
pub fn arch_program(rng: &mut SmallRng, arch: Arch) -> Program {
    let of_c = rng.random_range(0..4) < arch.in_c();
    let mut program = in_style(rng, Style::Arch(if of_c { Arch::Imm } else { arch }), true);
    program.sc_depends = arch == Arch::Riscv;
    program.tracking(true, arch == Arch::Lkmm)
}

/// Some of the constants that a program stores are pointers instead: one in two, as the dice have it.
pub fn with_pointers(mut program: Program, roll: &mut dyn FnMut(usize) -> usize) -> Program {
    let locations = program.locs.len();
    for instr in program.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        if let Instr::Store { value: Expr::Const(value), .. } = instr
            && roll(2) == 0
        {
            *value = pointer_to(Loc(roll(locations) as u32));
        }
    }
    program
}

fn in_style(rng: &mut SmallRng, style: Style, may_spawn: bool) -> Program {
    let threads = pick(rng, &[(2, 45), (3, 42), (4, 13)]);
    let mut p = Program::new("generated");
    let few = matches!(style, Style::Arch(_));
    let locations = pick(rng, if few { &[(1, 8), (2, 62), (3, 30)] } else { &[(1, 25), (2, 55), (3, 20)] });
    for name in ["x", "y", "z"].iter().take(locations) {
        let init = pick(rng, &[(0, 95), (1, 5)]);
        p.loc(*name, init);
    }
    let mut left = MAX_ACCESSES;
    let mut codes = Vec::new();
    let heavy = few && rng.random_ratio(1, 5);
    // One of the threads reads back what its read-modify-write stored, and writes what depends on it.
    let forwards = (few && rng.random_ratio(1, 5)).then(|| rng.random_range(0..threads));
    for t in 0..threads {
        // At least one access remains for each thread to come.
        let most = left - (threads - t - 1);
        let own = pick(rng, &[(1, 20), (2, 45), (3, 25), (4, 10)]).min(most);
        let forwards = forwards == Some(t) && most >= 4;
        let own = if forwards { 4 } else { own };
        let home = t % locations;
        let code = Vec::new();
        let mut body = Body {
            rng,
            style,
            heavy,
            locations,
            home,
            written: None,
            regs: 0,
            code,
            open: Vec::new(),
            left: own,
        };
        if forwards {
            body.forward();
        }
        body.fill();
        left -= own;
        codes.push(body.code);
    }
    let mut initial = vec![true; threads];
    // What would be put in front of a loop could end up inside.
    let loops = |code: &Vec<Instr>| {
        let back = |(at, i): (usize, &Instr)| matches!(i, Instr::Branch { target, .. } if *target <= at);
        code.iter().enumerate().any(back)
    };
    if may_spawn && rng.random_ratio(1, 6) && !codes.iter().any(loops) {
        spawn_some(rng, &mut codes, &mut initial);
    }
    for (t, (code, initial)) in codes.into_iter().zip(initial).enumerate() {
        p.thread(format!("P{t}"), initial, code);
    }
    p
}

fn pick<T: Copy>(rng: &mut SmallRng, weighted: &[(T, u32)]) -> T {
    let total: u32 = weighted.iter().map(|(_, w)| w).sum();
    let mut at = rng.random_range(0..total);
    for (value, weight) in weighted {
        if at < *weight {
            return *value;
        }
        at -= weight;
    }
    weighted[0].0
}

/// Which orderings a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Any,
    /// No plain accesses.
    Atomic,
    Relaxed,
    Sc,
    Arch(Arch),
}

impl Style {
    fn read(self, rng: &mut SmallRng) -> Mode {
        match self {
            Style::Any => pick(rng, &[(Mode::Na, 1), (Mode::Rlx, 3), (Mode::Acq, 2), (Mode::Sc, 2)]),
            Style::Atomic => pick(rng, &[(Mode::Rlx, 3), (Mode::Acq, 3), (Mode::Sc, 2)]),
            Style::Relaxed => Mode::Rlx,
            Style::Sc => pick(rng, &[(Mode::Sc, 9), (Mode::Rlx, 1)]),
            Style::Arch(arch) => pick(rng, arch.reads()),
        }
    }

    fn write(self, rng: &mut SmallRng) -> Mode {
        match self {
            Style::Any => pick(rng, &[(Mode::Na, 1), (Mode::Rlx, 3), (Mode::Rel, 2), (Mode::Sc, 2)]),
            Style::Atomic => pick(rng, &[(Mode::Rlx, 3), (Mode::Rel, 3), (Mode::Sc, 2)]),
            Style::Relaxed => Mode::Rlx,
            Style::Sc => pick(rng, &[(Mode::Sc, 9), (Mode::Rlx, 1)]),
            Style::Arch(arch) => pick(rng, arch.writes()),
        }
    }

    fn rmw(self, rng: &mut SmallRng) -> Mode {
        match self {
            Style::Relaxed => Mode::Rlx,
            Style::Sc => Mode::Sc,
            Style::Arch(arch) => pick(rng, arch.rmws()),
            _ => {
                pick(rng, &[(Mode::Rlx, 2), (Mode::Acq, 1), (Mode::Rel, 1), (Mode::AcqRel, 1), (Mode::Sc, 1)])
            }
        }
    }
}

impl Style {
    fn arch(self) -> Option<Arch> {
        match self {
            Style::Arch(arch) => Some(arch),
            _ => None,
        }
    }
}

/// The code of one thread in the making.
struct Body<'a> {
    rng: &'a mut SmallRng,
    style: Style,
    locations: usize,
    /// Many read-modify-writes.
    heavy: bool,
    /// Where a thread of an architecture's program likely goes next.
    home: usize,
    /// What it wrote last.
    written: Option<Loc>,
    regs: u16,
    code: Vec<Instr>,
    /// Branches whose target is still to come.
    open: Vec<usize>,
    /// Accesses that may still be made.
    left: usize,
}

impl Body<'_> {
    fn fill(&mut self) {
        while self.left > 0 {
            if self.rng.random_ratio(1, if self.style.arch().is_some() { 4 } else { 5 }) {
                self.fence();
            }
            self.access();
            if !self.open.is_empty() && self.rng.random_ratio(1, 2) {
                self.close();
            }
            let often = if self.style.arch().is_some() { 3 } else { 7 };
            if self.regs > 0 && self.left > 0 && self.rng.random_ratio(1, often) {
                let cond = self.condition();
                self.open.push(self.code.len());
                self.code.push(Instr::Branch { cond, target: 0 });
                // A branch to the next instruction: a dependency that decides nothing.
                if self.style.arch().is_some() && self.rng.random_ratio(1, 2) {
                    self.close();
                }
            }
            if self.regs > 0 {
                self.stop();
            }
        }
        if self.rng.random_ratio(1, 12) {
            self.fence();
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    /// Rarely: what ends the thread here, depending on what it read.
    fn stop(&mut self) {
        match self.rng.random_range(0..200) {
            0..12 => {
                let cond = self.condition();
                self.code.push(Instr::Assume { cond });
            }
            12..17 => {
                let cond = self.condition();
                self.code.push(Instr::Assert { cond, message: String::from("assertion") });
            }
            17..19 => {
                let cond = self.condition();
                let target = self.code.len() + 2;
                self.code.push(Instr::Branch { cond, target });
                self.code.push(Instr::Cut);
            }
            _ => {}
        }
    }

    /// Lets the innermost open branch go to here, or round an alternative.
    fn close(&mut self) {
        let end = self.code.len();
        if let Some(at) = self.open.pop()
            && let Instr::Branch { target, .. } = &mut self.code[at]
        {
            *target = end;
        }
    }

    fn fence(&mut self) {
        let modes = [(Mode::Sc, 4), (Mode::AcqRel, 2), (Mode::Acq, 2), (Mode::Rel, 2), (Mode::Rlx, 1)];
        let mode = pick(self.rng, self.style.arch().map_or(&modes, |arch| arch.fences()));
        self.code.push(Instr::Fence { mode });
    }

    fn fresh(&mut self) -> Reg {
        self.regs += 1;
        Reg(self.regs - 1)
    }

    fn some_register(&mut self) -> Expr {
        Expr::Reg(Reg(self.rng.random_range(0..self.regs)))
    }

    fn condition(&mut self) -> Expr {
        let reg = self.some_register();
        let op = pick(self.rng, &[(BinOp::Eq, 5), (BinOp::Ne, 4), (BinOp::Lt, 1)]);
        let with = pick(self.rng, &[(0, 3), (1, 5), (2, 1)]);
        Expr::bin(op, reg, Expr::Const(with))
    }

    /// A number that depends on a register only in name.
    fn depending(&mut self, value: i64) -> Expr {
        let reg = self.some_register();
        let zero = Expr::bin(BinOp::Xor, reg.clone(), reg);
        if value == 0 { zero } else { Expr::bin(BinOp::Add, zero, Expr::Const(value)) }
    }

    fn value(&mut self) -> Expr {
        if self.regs > 0 && self.style.arch().is_some() && self.rng.random_ratio(1, 2) {
            let value = pick(self.rng, &[(1, 6), (2, 3), (0, 1)]);
            return if self.rng.random_ratio(2, 3) { self.depending(value) } else { self.some_register() };
        }
        if self.regs > 0 && self.rng.random_ratio(1, 5) {
            let reg = self.some_register();
            return match self.rng.random_range(0..4) {
                0 => reg,
                1 => Expr::bin(BinOp::Add, reg, Expr::Const(1)),
                2 => Expr::bin(BinOp::Eq, reg, Expr::Const(1)),
                _ => Expr::bin(BinOp::Sub, Expr::Const(2), reg),
            };
        }
        Expr::Const(pick(self.rng, &[(1, 6), (2, 3), (0, 1)]))
    }

    /// Stores by a read-modify-write, reads that back, and writes something that depends on it.
    fn forward(&mut self) {
        let Some(arch) = self.style.arch() else { return };
        let kinds: Vec<(u32, u32)> = arch.rmw_heavy().iter().copied().filter(|(kind, _)| *kind > 1).collect();
        let kind = pick(self.rng, &kinds);
        self.access_of(kind);
        if let Some(loc) = self.written.take()
            && self.left > 0
        {
            self.read_back(loc, true);
        }
    }

    /// Reads back what was written last, and lets what follows depend on it.
    fn read_back(&mut self, loc: Loc, always: bool) {
        let mode = self.style.read(self.rng);
        let dst = self.fresh();
        self.code.push(Instr::Load { dst, addr: Addr::Loc(loc), mode });
        self.left -= 1;
        if self.left > 0 && (always || self.rng.random_ratio(1, 2)) {
            let none = Expr::bin(BinOp::Xor, Expr::Reg(dst), Expr::Reg(dst));
            let mut addr = self.addr();
            let value = match self.rng.random_range(0..4) {
                0 => Expr::Reg(dst),
                1 => Expr::bin(BinOp::Add, none, Expr::Const(1)),
                2 => {
                    let base = match addr {
                        Addr::Loc(base) | Addr::Element { base, .. } => base,
                        Addr::Pointer(_) => loc,
                    };
                    addr = Addr::Element { base, len: 1, index: none };
                    Expr::Const(1)
                }
                _ => {
                    self.open.push(self.code.len());
                    self.code.push(Instr::Branch { cond: Expr::Reg(dst), target: 0 });
                    Expr::Const(1)
                }
            };
            let mode = self.style.write(self.rng);
            self.code.push(Instr::Store { addr, value, mode });
            self.left -= 1;
        }
    }

    /// Reads until it sees something, twice at most.
    fn spin(&mut self) {
        let (addr, mode) = (self.addr(), self.style.read(self.rng));
        let (count, dst) = (self.fresh(), self.fresh());
        self.code.push(Instr::Assign { dst: count, expr: Expr::Const(0) });
        let target = self.code.len();
        self.code.push(Instr::Load { dst, addr, mode });
        let next = Expr::bin(BinOp::Add, Expr::Reg(count), Expr::Const(1));
        self.code.push(Instr::Assign { dst: count, expr: next });
        let (zero, again) = (Expr::bin(BinOp::Eq, Expr::Reg(dst), Expr::Const(0)), Expr::Reg(count));
        let again = Expr::bin(BinOp::Lt, again, Expr::Const(2));
        self.code.push(Instr::Branch { cond: Expr::bin(BinOp::And, zero, again), target });
        self.left -= 2;
    }

    fn addr(&mut self) -> Addr {
        if self.locations > 1 && self.regs > 0 && self.rng.random_ratio(1, 14) {
            let reg = self.some_register();
            // Rarely without a mask: the index may then be outside of the array.
            let index =
                if self.rng.random_ratio(1, 8) { reg } else { Expr::bin(BinOp::And, reg, Expr::Const(1)) };
            return Addr::Element { base: Loc(0), len: 2, index };
        }
        let weights = [(0, 5), (1, 4), (2, 3)];
        if self.style.arch().is_some() {
            // From location to location, each thread from its own on: that makes the cycles that models
            // are about.
            let next = self.home as u32;
            self.home = (self.home + 1) % self.locations;
            let random = self.rng.random_ratio(1, 4);
            let base = Loc(if random { pick(self.rng, &weights[..self.locations]) } else { next });
            if self.regs > 0 && self.rng.random_ratio(1, 4) {
                return Addr::Element { base, len: 1, index: self.depending(0) };
            }
            return Addr::Loc(base);
        }
        Addr::Loc(Loc(pick(self.rng, &weights[..self.locations])))
    }

    fn access(&mut self) {
        let kinds: &[(u32, u32)] = if self.left >= 3 {
            &[(0, 40), (1, 36), (2, 13), (3, 11), (4, 4)]
        } else {
            &[(0, 40), (1, 40), (2, 12), (3, 8)]
        };
        if let Some(arch) = self.style.arch() {
            match self.written.take() {
                Some(loc) if self.rng.random_ratio(1, 4) => return self.read_back(loc, false),
                // Where branches do not hold back what follows them, loops have no end.
                _ if arch != Arch::Lkmm && self.left >= 2 && self.rng.random_ratio(1, 24) => {
                    return self.spin();
                }
                _ => {}
            }
        }
        let heavy = self.heavy;
        let of_arch = |arch: Arch| if heavy { arch.rmw_heavy() } else { arch.accesses() };
        let kinds = self.style.arch().map_or(kinds, of_arch);
        let kind = if self.left >= 2 { pick(self.rng, kinds) } else { self.rng.random_range(0..2) };
        self.access_of(kind);
    }

    /// An access of this kind; see `Arch::accesses`.
    fn access_of(&mut self, kind: u32) {
        match kind {
            0 => {
                let (addr, mode) = (self.addr(), self.style.read(self.rng));
                let dst = self.fresh();
                self.code.push(Instr::Load { dst, addr, mode });
                self.left -= 1;
            }
            1 => {
                let (addr, value, mode) = (self.addr(), self.value(), self.style.write(self.rng));
                self.wrote(&addr);
                self.code.push(Instr::Store { addr, value, mode });
                self.left -= 1;
            }
            2 => {
                let (addr, operand, mode) = (self.addr(), self.value(), self.style.rmw(self.rng));
                self.wrote(&addr);
                let op = pick(self.rng, &[(RmwOp::Exchange, 3), (RmwOp::Add, 4), (RmwOp::Xor, 1)]);
                let dst = self.fresh();
                self.code.push(Instr::Rmw { dst, addr, op, operand, mode });
                self.left -= 2;
            }
            3 => {
                let weak = self.rng.random_ratio(1, 6);
                let (addr, desired) = (self.addr(), self.value());
                self.wrote(&addr);
                let expected = pick(self.rng, &[(0, 5), (1, 4), (2, 1)]);
                // What is expected may depend on what was read.
                let depends = self.regs > 0 && self.style.arch().is_some() && self.rng.random_ratio(1, 4);
                let expected = match depends {
                    true if self.rng.random_ratio(1, 2) => self.some_register(),
                    true => self.depending(expected),
                    false => Expr::Const(expected),
                };
                let (success, failure) = (self.style.rmw(self.rng), self.fail_mode());
                let (ok, old) = (self.fresh(), self.fresh());
                self.code.push(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak });
                self.left -= 2;
            }
            5 => {
                let (addr, value) = (self.addr(), self.value());
                let Some((first, second)) = self.style.arch().map(Arch::exclusives) else { return };
                let (first, second) = (pick(self.rng, first), pick(self.rng, second));
                let (dst, ok) = (self.fresh(), self.fresh());
                self.code.push(Instr::LoadLinked { dst, addr: addr.clone(), mode: first });
                // As in a compare-and-swap, or a bit between them.
                let jumps = self.rng.random_ratio(1, 5);
                if jumps {
                    let cond = Expr::bin(BinOp::Eq, Expr::Reg(dst), Expr::Const(1));
                    self.code.push(Instr::Branch { cond, target: self.code.len() + 2 });
                }
                // An access between the two, maybe of the same location.
                if self.left >= 3 && self.rng.random_ratio(1, 6) {
                    let (addr, mode) = (self.addr(), self.style.read(self.rng));
                    if self.rng.random_ratio(1, 2) {
                        let dst = self.fresh();
                        self.code.push(Instr::Load { dst, addr, mode });
                    } else {
                        let (value, mode) = (self.value(), self.style.write(self.rng));
                        self.wrote(&addr);
                        self.code.push(Instr::Store { addr, value, mode });
                    }
                    self.left -= 1;
                }
                self.wrote(&addr);
                let value = if self.rng.random_ratio(1, 3) {
                    Expr::bin(BinOp::Add, Expr::Reg(dst), Expr::Const(1))
                } else {
                    value
                };
                self.code.push(Instr::StoreConditional { ok, addr, value, mode: second });
                self.left -= 2;
            }
            _ => self.critical_section(),
        }
    }

    fn wrote(&mut self, addr: &Addr) {
        self.written = match addr {
            Addr::Loc(loc) => Some(*loc),
            Addr::Element { base, len: 1, .. } => Some(*base),
            _ => None,
        };
    }

    fn fail_mode(&mut self) -> Mode {
        match self.style {
            Style::Relaxed => Mode::Rlx,
            Style::Arch(Arch::Lkmm) => Mode::RlxEx,
            Style::Arch(arch) => pick(self.rng, arch.reads()),
            _ => pick(self.rng, &[(Mode::Rlx, 3), (Mode::Acq, 2), (Mode::Sc, 1)]),
        }
    }

    /// Takes a lock (or is blocked), makes an access if there is room, and gives the lock back.
    fn critical_section(&mut self) {
        let lock = Addr::Loc(Loc(self.locations as u32 - 1));
        let (ok, old) = (self.fresh(), self.fresh());
        let (expected, desired) = (Expr::Const(0), Expr::Const(1));
        let success = pick(self.rng, &[(Mode::Acq, 3), (Mode::Sc, 1), (Mode::Rlx, 1)]);
        let cas = Instr::Cas {
            ok,
            old,
            addr: lock.clone(),
            expected,
            desired,
            success,
            failure: Mode::Rlx,
            weak: false,
        };
        self.code.push(cas);
        self.code.push(Instr::Assume { cond: Expr::Reg(ok) });
        self.left -= 2;
        let inside = self.left.saturating_sub(1);
        if inside > 0 {
            let outside = self.left - inside;
            self.left = 1;
            self.access();
            self.left = inside - 1 + outside;
        }
        let mode = pick(self.rng, &[(Mode::Rel, 3), (Mode::Sc, 1), (Mode::Rlx, 1)]);
        self.code.push(Instr::Store { addr: lock, value: Expr::Const(0), mode });
        self.left = self.left.saturating_sub(1);
    }
}

/// Lets some of the threads be created by earlier ones, which may wait for them.
fn spawn_some(rng: &mut SmallRng, codes: &mut [Vec<Instr>], initial: &mut [bool]) {
    for (t, initial) in initial.iter_mut().enumerate().skip(1) {
        if !rng.random_ratio(1, 2) {
            continue;
        }
        *initial = false;
        let parent = rng.random_range(0..t);
        let thread = Tid(t as u16);
        let at = rng.random_range(0..=codes[parent].len());
        let at = if rng.random_ratio(1, 2) { 0 } else { at };
        insert(&mut codes[parent], at, Instr::Spawn { thread });
        if rng.random_ratio(3, 5) {
            let at = rng.random_range(at + 1..=codes[parent].len());
            insert(&mut codes[parent], at, Instr::Join { thread });
        }
    }
    // A thread may also wait for one that it did not create.
    if rng.random_ratio(1, 6) {
        let (who, whom) = (rng.random_range(0..codes.len()), rng.random_range(0..codes.len()));
        if who != whom {
            let at = rng.random_range(0..=codes[who].len());
            insert(&mut codes[who], at, Instr::Join { thread: Tid(whom as u16) });
        }
    }
}

/// Puts an instruction before the one at `at`; jumps to that one now run the new one first.
fn insert(code: &mut Vec<Instr>, at: usize, instr: Instr) {
    for other in code.iter_mut() {
        if let Instr::Branch { target, .. } | Instr::Jump { target } = other
            && *target > at
        {
            *target += 1;
        }
    }
    code.insert(at, instr);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::all_traces;
    use selvedge_graph::Kind;

    #[test]
    fn programs_are_valid_and_small() {
        for number in 0..20_000 {
            let p = program(&mut rng_for(7, number));
            assert!((2..=4).contains(&p.threads.len()) && (1..=3).contains(&p.locs.len()));
            for thread in &p.threads {
                for (at, instr) in thread.code.iter().enumerate() {
                    instr.registers(&mut |r| assert!((r.0 as usize) < thread.regs.len()));
                    match instr {
                        Instr::Branch { target, .. } | Instr::Jump { target } => {
                            assert!(*target > at && *target <= thread.code.len());
                        }
                        Instr::Spawn { thread } => assert!(!p.threads[thread.index()].initial),
                        Instr::Join { thread } => assert!(thread.index() < p.threads.len()),
                        _ => {}
                    }
                }
            }
        }
    }

    #[test]
    fn programs_of_architectures_depend_on_what_they_read() {
        for arch in Arch::ALL {
            let mut kinds = [0; 3];
            for number in 0..300 {
                let p = arch_program(&mut rng_for(7, number), arch);
                let Ok(all) = all_traces(&p, 10_000) else { continue };
                for e in all.iter().flatten().flat_map(|t| &t.events) {
                    for (kind, set) in kinds.iter_mut().zip([e.deps.addr, e.deps.data, e.deps.ctrl]) {
                        *kind += u32::from(set != 0);
                    }
                }
            }
            assert!(kinds.iter().all(|k| *k > 100), "{arch:?}: {kinds:?}");
        }
    }

    #[test]
    fn accesses_stay_within_bounds() {
        let access = |e: &selvedge_certify::execution::Event| matches!(e.kind, Kind::Read | Kind::Write);
        for number in 0..2_000 {
            let p = program(&mut rng_for(7, number));
            let Ok(all) = all_traces(&p, 100_000) else { continue };
            let most = |traces: &Vec<crate::trace::Trace>| {
                traces.iter().map(|t| t.events.iter().filter(|e| access(e)).count()).max().unwrap_or(0)
            };
            assert!(all.iter().map(most).sum::<usize>() <= MAX_ACCESSES, "program {number}");
        }
    }
}
