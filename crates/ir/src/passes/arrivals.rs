//! Counters that nobody looks at until all have arrived (`Reduction::Arrivals`).
//!
//! ```c
//! atomic_fetch_sub(&count, 1);
//! while (atomic_load(&count) != 0);
//! ```
//!
//! Who arrives does not look at what was there, and who waits does not go on before the last has arrived: the
//! order of arrivals makes no difference to anybody. So such a counter is a barrier at which as many threads
//! meet as it counts, and what holds of those (`Reduction::Bam`) holds here: counted, `pthread_barrier_wait`
//! of the library is the same read-modify-write and the same loop. What a barrier has besides is another
//! round. That must not begin: who arrives when all have arrived makes the program explored again as it is
//! written (`meets_once` of machines), and so does whatever is found to be wrong, since a thread that waits
//! here would be said to wait at a barrier.
//!
//! Conditions, of the program's text:
//! * the counter is a variable of which nothing but this is done, nowhere: its address is used for nothing
//!   else;
//! * every arrival counts by the same number, does not use what it gets, and is followed by the loop at once;
//! * arrivals release and the loop acquires, so that what comes before any arrival comes before all that is
//!   after the loop;
//! * the loop ends where the count comes to after some number of arrivals, and at none before.
//!
//! What is explored is decided when it is run: the code branches to a barrier, or goes on as it was.

use crate::bytecode::{
    CmpOp, FuncId, Function, Global, GlobalId, Instr, Module, Operand, Place, Reg, RmwOp, Target,
};
use selvedge_graph::Mode;

/// Barriers that stand for counters have this before the counter's name.
pub const GATHERING: &str = "__SELVEDGE_gathering ";
const PREPARE: &str = "__SELVEDGE_prepare_gatherings";
const UNORDERED: &str = "__selvedge_barrier_unordered";
const INIT: &str = "pthread_barrier_init";
const WAIT: &str = "pthread_barrier_wait";

/// More than that, and the counter is for something else.
const MOST: u64 = 4096;

/// An arrival, and the loop after it.
struct Arrival {
    function: usize,
    /// Of the read-modify-write and of the load.
    at: [usize; 2],
    /// Where the loop ends.
    exit: Target,
    by: u64,
    bytes: u8,
    /// It goes round if this holds of what is loaded (or does not hold) and a number.
    test: (CmpOp, u64, bool),
}

/// Takes counters for barriers.
pub fn find(module: &mut Module) {
    for number in 0..module.globals.len() {
        let global = GlobalId(number as u32);
        if let Some((arrivals, meet)) = arrivals_at(module, global) {
            rewrite(module, global, &arrivals, meet);
        }
    }
}

/// All that is done with a counter, and how many meet there.
fn arrivals_at(module: &Module, global: GlobalId) -> Option<(Vec<Arrival>, u32)> {
    let counter = &module.globals[global.0 as usize];
    if counter.thread_local || counter.constant || !counter.addresses.is_empty() {
        return None;
    }
    let is = |operand: &Operand| matches!(operand, Operand::Global(g, _) if *g == global);
    if module.globals.iter().any(|other| other.addresses.iter().any(|(_, value)| is(value))) {
        return None;
    }
    let mut arrivals = Vec::new();
    for (number, function) in module.functions.iter().enumerate() {
        let uses: Vec<usize> =
            (0..function.code.len()).filter(|&at| function.code[at].any_operand(is)).collect();
        let mut known: Vec<usize> = Vec::new();
        for &at in uses.iter().filter(|&&at| matches!(function.code[at], Instr::Rmw { .. })) {
            let arrival = arrival(function, number, global, at)?;
            known.extend(arrival.at);
            arrivals.push(arrival);
        }
        if uses.iter().any(|at| !known.contains(at)) {
            return None;
        }
    }
    let first = arrivals.first()?;
    let alike = |other: &Arrival| (other.by, other.bytes, other.test) == (first.by, first.bytes, first.test);
    if !arrivals.iter().all(alike) {
        return None;
    }
    let meet = meeting(counter, first)?;
    Some((arrivals, meet))
}

/// How many arrivals it takes until the loop ends.
fn meeting(counter: &Global, arrival: &Arrival) -> Option<u32> {
    let mut bytes = [0; 8];
    let size = arrival.bytes as usize;
    bytes[..size].copy_from_slice(counter.bytes.get(..size)?);
    let bits = 8 * u32::from(arrival.bytes);
    let mask = u64::MAX >> (64 - bits);
    let mut count = u64::from_le_bytes(bytes);
    let (op, number, while_it_holds) = arrival.test;
    for arrived in 1..=MOST {
        count = count.wrapping_add(arrival.by) & mask;
        if compare(op, bits, count, number & mask) != while_it_holds {
            return Some(arrived as u32);
        }
    }
    None
}

fn compare(op: CmpOp, bits: u32, a: u64, b: u64) -> bool {
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => signed(a) < signed(b),
        CmpOp::Sle => signed(a) <= signed(b),
        CmpOp::Sgt => signed(a) > signed(b),
        CmpOp::Sge => signed(a) >= signed(b),
    }
}

fn arrival(function: &Function, number: usize, global: GlobalId, at: usize) -> Option<Arrival> {
    let code = &function.code;
    let counter = Operand::Global(global, 0);
    let &Instr::Rmw { op, dst: old, addr, operand: Operand::Const(by), bytes, mode, .. } = &code[at] else {
        return None;
    };
    let by = match op {
        RmwOp::Add => by,
        RmwOp::Sub => by.wrapping_neg(),
        _ => return None,
    };
    if addr != counter || !matches!(mode, Mode::Rel | Mode::AcqRel | Mode::Sc) || !matches!(bytes, 4 | 8) {
        return None;
    }
    // Copies are made of the old value, and of what is loaded.
    let mut walk = Walk { code, path: Vec::new(), copies: vec![old] };
    let load = walk.on(at + 1, None)?.0;
    let &Instr::Load { dst, addr, bytes: loaded, mode: Mode::Acq | Mode::Sc, .. } = &code[load] else {
        return None;
    };
    if addr != counter || loaded != bytes {
        return None;
    }
    walk.copies.push(dst);
    let (test, loaded) = walk.on(load + 1, Some(dst))?;
    let &Instr::Cmp { op, bits, dst: outcome, a: Operand::Reg(a), b: Operand::Const(b) } = &code[test] else {
        return None;
    };
    if Some(a) != loaded || bits != 8 * bytes {
        return None;
    }
    walk.copies.push(outcome);
    let branch = walk.on(test + 1, None)?.0;
    let &Instr::Branch { cond: Operand::Reg(cond), then, els } = &code[branch] else { return None };
    if cond != outcome {
        return None;
    }
    let mut again = |to: Target| {
        let before = walk.path.len();
        let goes = walk.on(to as usize, None).is_some_and(|(to, _)| to == load);
        if !goes {
            walk.path.truncate(before);
        }
        goes
    };
    let (exit, while_it_holds) = match (again(then), again(els)) {
        (true, false) => (els, true),
        (false, true) => (then, false),
        _ => return None,
    };
    (walk.is_apart(at) && !walk.is_read(function)).then_some(Arrival {
        function: number,
        at: [at, load],
        exit,
        by,
        bytes,
        test: (op, b, while_it_holds),
    })
}

/// An arrival and its loop, as they are walked through.
struct Walk<'c> {
    code: &'c [Instr],
    /// The instructions on the way.
    path: Vec<usize>,
    /// The registers that are written there.
    copies: Vec<Reg>,
}

impl Walk<'_> {
    /// The next instruction from `at` on that is no jump and no copy, and the register that has what was in
    /// `value`.
    fn on(&mut self, mut at: usize, mut value: Option<Reg>) -> Option<(usize, Option<Reg>)> {
        for _ in 0..16 {
            self.path.push(at);
            match self.code.get(at)? {
                Instr::Jump { to } => at = *to as usize,
                Instr::Move { dst, src: Operand::Reg(src) } if self.copies.contains(src) => {
                    self.copies.push(*dst);
                    if value == Some(*src) {
                        value = Some(*dst);
                    }
                    at += 1;
                }
                _ => return Some((at, value)),
            }
        }
        None
    }

    /// Whether nobody comes here but from the arrival.
    fn is_apart(&self, arrival: usize) -> bool {
        let inside = |at: usize| self.path.contains(&at);
        let goes_on = |instr: &Instr| {
            !matches!(
                instr,
                Instr::Jump { .. }
                    | Instr::Branch { .. }
                    | Instr::Switch { .. }
                    | Instr::Return { .. }
                    | Instr::Unreachable
            )
        };
        !inside(0)
            && self.code.iter().enumerate().filter(|(at, _)| *at != arrival && !inside(*at)).all(
                |(at, instr)| {
                    let mut leads_here = goes_on(instr) && inside(at + 1);
                    instr.for_targets(|to| leads_here |= inside(*to as usize));
                    !leads_here
                },
            )
    }

    /// Whether anybody else reads what is in the registers.
    fn is_read(&self, function: &Function) -> bool {
        let mut read = function.locals.iter().any(|(reg, ..)| self.copies.contains(reg));
        for (_, instr) in self.code.iter().enumerate().filter(|(at, _)| !self.path.contains(at)) {
            instr.for_operands(|operand, words| {
                if let Operand::Reg(reg) = operand {
                    read |= self.copies.iter().any(|copy| (*reg..reg + words).contains(copy));
                }
            });
        }
        read
    }
}

/// Where arrivals have no order, threads go to a barrier.
fn rewrite(module: &mut Module, global: GlobalId, arrivals: &[Arrival], meet: u32) {
    let counter = &module.globals[global.0 as usize];
    let (name, place) = (format!("{GATHERING}{}", counter.name), counter.place);
    let barrier = GlobalId(module.globals.len() as u32);
    module.globals.push(Global {
        name,
        size: 32,
        align: 8,
        bytes: vec![0; 32],
        addresses: Vec::new(),
        undefined: Vec::new(),
        thread_local: false,
        constant: false,
        ty: None,
        place,
    });
    let [unordered, init, wait] =
        [(UNORDERED, 0), (INIT, 3), (WAIT, 1)].map(|(name, params)| declared(module, name, params));
    let barrier = Operand::Global(barrier, 0);
    prepare(module, init, vec![barrier, Operand::Const(0), Operand::Const(u64::from(meet))], place);
    for arrival in arrivals {
        let function = &mut module.functions[arrival.function];
        let (first, place) = (function.regs, function.places[arrival.at[0]]);
        function.regs += 2;
        let end = function.code.len() as Target;
        let counts = std::mem::replace(&mut function.code[arrival.at[0]], Instr::Jump { to: end });
        let call = |dst, callee, args| Instr::Call {
            dst: Some(dst),
            callee: Operand::Func(callee),
            args,
            results: 1,
            signature: None,
            lands: None,
        };
        function.code.extend([
            call(first, unordered, Vec::new()),
            Instr::Branch { cond: Operand::Reg(first), then: end + 4, els: end + 2 },
            counts,
            Instr::Jump { to: arrival.at[0] as Target + 1 },
            call(first + 1, wait, vec![barrier]),
            Instr::Jump { to: arrival.exit },
        ]);
        function.places.extend([place; 6]);
    }
}

fn declared(module: &mut Module, name: &str, params: u32) -> FuncId {
    let known = module.functions.iter().position(|f| f.name == name);
    FuncId(known.unwrap_or_else(|| {
        let params: Vec<Reg> = (0..params).collect();
        let regs = params.len() as u32;
        module.functions.push(Function {
            name: name.into(),
            params,
            results: 1,
            regs,
            ..Function::default()
        });
        module.functions.len() - 1
    }) as u32)
}

/// Barriers are made before the program begins.
fn prepare(module: &mut Module, init: FuncId, args: Vec<Operand>, place: Place) {
    let at = module.functions.iter().position(|f| f.name == PREPARE).unwrap_or_else(|| {
        let number = module.functions.len();
        let code = vec![Instr::Return { values: Vec::new() }];
        let places = vec![place];
        let regs = 1;
        module.functions.push(Function {
            name: PREPARE.into(),
            regs,
            code,
            places,
            place,
            ..Function::default()
        });
        module.constructors.insert(0, FuncId(number as u32));
        number
    });
    let function = &mut module.functions[at];
    let call = Instr::Call {
        dst: Some(0),
        callee: Operand::Func(init),
        args,
        results: 1,
        signature: None,
        lands: None,
    };
    function.code.insert(0, call);
    function.places.insert(0, place);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn meets(body: &str) -> Option<u32> {
        let text = format!(
            "global @count size 4 align 4 = x\"03000000\"\nglobal @x size 4 align 4 = zero 4\n\
             func &f(r9) results 0 regs 10 {{\n{body}\n}}\n"
        );
        let mut module = text::parse(&text).expect("a program");
        find(&mut module);
        let prepare = module.functions.iter().find(|f| f.name == PREPARE)?;
        let Some(Instr::Call { args, .. }) = prepare.code.first() else { panic!("it makes a barrier") };
        let Operand::Const(meet) = args[2] else { panic!("a number") };
        Some(meet as u32)
    }

    const DOWN: &str = "r0 = rmw.sub.4.rel @count, 1\nr1 = move r0\n";
    const WAIT: &str =
        "jump again\nagain:\nr2 = load.4.acq @count\nr3 = cmp.sgt.32 r2, 0\nbranch r3, again, out\n";
    const OUT: &str = "out:\nreturn ()";

    #[test]
    fn counters_at_which_threads_meet_are_found() {
        assert_eq!(meets(&format!("{DOWN}{WAIT}{OUT}")), Some(3));
        let up = "r0 = rmw.add.4.ar @count, 1\nagain:\nr2 = load.4.sc @count\nr4 = move r2\n\
                  r3 = cmp.eq.32 r4, 8\nbranch r3, out, round\nround:\njump again\n";
        assert_eq!(meets(&format!("{up}{OUT}")), Some(5));
        assert_eq!(meets(&format!("{DOWN}{WAIT}{OUT}").replace("sgt.32 r2, 0", "ne.32 r2, 1")), Some(2));
    }

    #[test]
    fn what_is_looked_at_otherwise_is_left_alone() {
        let usual = format!("{DOWN}{WAIT}{OUT}");
        for (what, body) in [
            ("relaxed arrivals", usual.replace(".rel @", ".rlx @")),
            ("relaxed waits", usual.replace("load.4.acq", "load.4.rlx")),
            ("the old value is used", usual.replace("out:\n", "out:\nstore.4.rlx @x, r1\n")),
            ("the last value is used", usual.replace("out:\n", "out:\nstore.4.rlx @x, r2\n")),
            ("something in between", usual.replace("jump again", "store.4.rlx @x, 1\njump again")),
            ("another look", usual.replace("out:\n", "out:\nr5 = load.4.acq @count\n")),
            ("its address is passed on", usual.replace("out:\n", "out:\nstore.8.rlx @x, @count\n")),
            ("who has not arrived waits", format!("branch r9, arrive, again\narrive:\n{usual}")),
            (
                "it does not end",
                usual
                    .replace("sgt.32 r2, 0", "ne.32 r2, 7")
                    .replace("sub.4.rel @count, 1", "sub.4.rel @count, 2"),
            ),
        ] {
            assert_eq!(meets(&body), None, "{what}");
        }
    }
}
