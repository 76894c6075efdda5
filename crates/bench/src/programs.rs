//! Generators for the loads/stores/RMW rows of thesis Tables 10.2, 10.4 and 10.7, and `fib_bench`.

use selvedge_graph::{Loc, Mode, Tid};
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, Program, RmwOp};

fn num(v: i64) -> Expr {
    Expr::Const(v)
}

fn reg(r: u16) -> Expr {
    Expr::Reg(Reg(r))
}

fn load(dst: u16, loc: Loc, mode: Mode) -> Instr {
    Instr::Load { dst: Reg(dst), addr: Addr::Loc(loc), mode }
}

fn store(loc: Loc, value: Expr, mode: Mode) -> Instr {
    Instr::Store { addr: Addr::Loc(loc), value, mode }
}

fn fetch_add(dst: u16, loc: Loc, mode: Mode) -> Instr {
    Instr::Rmw { dst: Reg(dst), addr: Addr::Loc(loc), op: RmwOp::Add, operand: num(1), mode }
}

fn assign(dst: u16, expr: Expr) -> Instr {
    Instr::Assign { dst: Reg(dst), expr }
}

/// A writer and `n` readers of one location.
pub fn readers(n: usize) -> Program {
    let mut p = Program::new(format!("readers({n})"));
    let x = p.loc("x", 0);
    p.thread("writer", true, vec![store(x, num(1), Mode::Rlx)]);
    for i in 0..n {
        p.thread(format!("reader{i}"), true, vec![load(0, x, Mode::Rlx)]);
    }
    p
}

/// `n` threads that write different locations.
pub fn nwrites(n: usize) -> Program {
    let mut p = Program::new(format!("nwrites({n})"));
    for i in 0..n {
        let x = p.loc(format!("x{i}"), 0);
        p.thread(format!("t{i}"), true, vec![store(x, num(1), Mode::Rlx)]);
    }
    p
}

/// `n` threads that write the same location.
pub fn nwrites_loc(n: usize) -> Program {
    let mut p = Program::new(format!("nwrites-loc({n})"));
    let x = p.loc("x", 0);
    for i in 0..n {
        p.thread(format!("t{i}"), true, vec![store(x, num(i as i64 + 1), Mode::Rlx)]);
    }
    p
}

/// `n` threads that increment one counter.
pub fn ainc(n: usize) -> Program {
    let mut p = Program::new(format!("ainc({n})"));
    let x = p.loc("x", 0);
    for i in 0..n {
        p.thread(format!("t{i}"), true, vec![fetch_add(0, x, Mode::Rlx)]);
    }
    p
}

/// `n` threads that increment two counters.
pub fn binc(n: usize) -> Program {
    let mut p = Program::new(format!("binc({n})"));
    let (x, y) = (p.loc("x", 0), p.loc("y", 0));
    for i in 0..n {
        p.thread(format!("t{i}"), true, vec![fetch_add(0, x, Mode::Rlx), fetch_add(1, y, Mode::Rlx)]);
    }
    p
}

/// Message passing, with the reader polling the flag up to `n` times.
pub fn mp(n: usize) -> Program {
    let mut p = Program::new(format!("mp({n})"));
    let (data, flag) = (p.loc("data", 0), p.loc("flag", 0));
    p.thread("writer", true, vec![store(data, num(42), Mode::Rlx), store(flag, num(1), Mode::Rel)]);
    let mut code = Vec::new();
    let done = 2 * n + 1;
    for _ in 0..n {
        code.push(load(0, flag, Mode::Acq));
        code.push(Instr::Branch { cond: reg(0), target: done });
    }
    code.push(Instr::Cut);
    code.push(load(1, data, Mode::Rlx));
    p.thread("reader", true, code);
    p
}

/// Abdulla et al.: thread 0 looks for the highest index whose element is zero, from `n` down; thread
/// `i` sets element `i` to one more than element `i - 1`.
pub fn lastzero(n: usize) -> Program {
    let mut p = Program::new(format!("lastzero({n})"));
    let len = n as u32 + 1;
    let base = Loc(p.locs.len() as u32);
    for i in 0..=n {
        p.loc(format!("a{i}"), 0);
    }
    let scan = vec![
        assign(0, num(n as i64)),
        Instr::Load { dst: Reg(1), addr: Addr::Element { base, len, index: reg(0) }, mode: Mode::Sc },
        Instr::Branch { cond: Expr::bin(BinOp::Eq, reg(1), num(0)), target: 5 },
        assign(0, Expr::bin(BinOp::Sub, reg(0), num(1))),
        Instr::Jump { target: 1 },
    ];
    p.thread("t0", true, scan);
    for i in 1..=n {
        let at = |k: usize| Loc(base.0 + k as u32);
        let code =
            vec![load(0, at(i - 1), Mode::Sc), store(at(i), Expr::bin(BinOp::Add, reg(0), num(1)), Mode::Sc)];
        p.thread(format!("t{i}"), true, code);
    }
    p
}

/// Two threads that add up each other's sums, `n` times each, and a main thread that tests
/// `i > 144 || j > 144` while they run. The bound is the literature's, for 5 iterations; with 6 it can
/// be passed, and then `j` is not read. That is what the published count of `fib_bench(6)` counts:
/// 2,363,803. With a bound that is never passed there are 615 executions more.
pub fn fib_bench(n: usize) -> Program {
    let mut p = Program::new(format!("fib_bench({n})"));
    let (i, j) = (p.loc("i", 1), p.loc("j", 1));
    let bound = 144;
    p.thread(
        "main",
        true,
        vec![
            Instr::Spawn { thread: Tid(1) },
            Instr::Spawn { thread: Tid(2) },
            load(0, i, Mode::Sc),
            Instr::Branch { cond: Expr::bin(BinOp::Gt, reg(0), num(bound)), target: 5 },
            load(1, j, Mode::Sc),
        ],
    );
    for (name, mine, other) in [("t1", i, j), ("t2", j, i)] {
        let mut code = Vec::new();
        for _ in 0..n {
            code.push(load(0, mine, Mode::Sc));
            code.push(load(1, other, Mode::Sc));
            code.push(store(mine, Expr::bin(BinOp::Add, reg(0), reg(1)), Mode::Sc));
        }
        p.thread(name, false, code);
    }
    p
}

/// `n` threads increment a counter; one joins them all and then raises a flag; one looks at the flag,
/// before everything else. The text gives the counts and that it is a memory trap for algorithms that
/// remember their revisits; this program has both: the revisit of the flag has n! causal pasts.
pub fn exp_mem(n: usize) -> Program {
    let mut p = Program::new(format!("exp-mem({n})"));
    let (x, flag) = (p.loc("x", 0), p.loc("flag", 0));
    p.thread("reader", true, vec![load(0, flag, Mode::Sc)]);
    let workers: Vec<Tid> =
        (0..n).map(|i| p.thread(format!("t{i}"), true, vec![fetch_add(0, x, Mode::Sc)])).collect();
    let mut code: Vec<Instr> = workers.iter().map(|&thread| Instr::Join { thread }).collect();
    code.push(store(flag, num(1), Mode::Sc));
    p.thread("collector", true, code);
    p
}

/// The same trap without read-modify-writes, twice side by side: `n` threads write a location, one
/// joins them and writes it once more, one reads it at any time.
pub fn exp_mem2(n: usize) -> Program {
    let mut p = Program::new(format!("exp-mem2({n})"));
    let locs = [p.loc("x", 0), p.loc("y", 0)];
    for loc in locs {
        p.thread("reader", true, vec![load(0, loc, Mode::Sc)]);
    }
    for loc in locs {
        let workers: Vec<Tid> = (0..n)
            .map(|i| p.thread(format!("w{i}"), true, vec![store(loc, num(i as i64 + 1), Mode::Sc)]))
            .collect();
        let mut code: Vec<Instr> = workers.iter().map(|&thread| Instr::Join { thread }).collect();
        code.push(store(loc, num(-1), Mode::Sc));
        p.thread("collector", true, code);
    }
    p
}

/// A benchmark by its name in the tables.
pub fn by_name(name: &str, n: usize) -> Option<Program> {
    Some(match name {
        "readers" => readers(n),
        "nwrites" => nwrites(n),
        "nwrites-loc" => nwrites_loc(n),
        "ainc" => ainc(n),
        "binc" => binc(n),
        "mp" => mp(n),
        "lastzero" => lastzero(n),
        "exp-mem" => exp_mem(n),
        "exp-mem2" => exp_mem2(n),
        "fib_bench" => fib_bench(n),
        _ => return None,
    })
}
