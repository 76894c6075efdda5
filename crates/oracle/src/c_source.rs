//! Programs as C: what `selvedge check` must judge as the enumeration does.
//!
//! Every thread is a pthread that leaves its registers in plain variables when it ends; `main` creates
//! all of them, joins all of them, and asserts that the registers are not some given combination.

use crate::execution::Execution;
use selvedge_graph::{Kind, Loc, Mode, Value};
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr};
use selvedge_machine::program::{Addr, Instr, RmwOp, Thread};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The registers of every thread, one thread after the other.
pub type Registers = Vec<Value>;

/// The text of `program` in C, with an assertion that the registers do not end up as `never`. `None` if
/// C cannot say it: threads that threads create, bounds of loops, jumps backwards, compare-and-swaps that
/// fail at will, locations that are accessed both plainly and atomically.
pub fn print(program: &Program, never: &[Value]) -> Option<String> {
    let places = Places::of(program)?;
    let mut out = String::from("#include <assert.h>\n#include <pthread.h>\n#include <selvedge.h>\n");
    out.push_str("#include <stdatomic.h>\n\n");
    places.declare(program, &mut out);
    for (t, thread) in program.threads.iter().enumerate() {
        thread_text(&places, t, thread, &mut out)?;
    }
    let count = program.threads.len();
    writeln!(out, "\nint main(void)\n{{\n    pthread_t threads[{count}];").ok()?;
    for t in 0..count {
        writeln!(out, "    pthread_create(&threads[{t}], NULL, thread{t}, NULL);").ok()?;
    }
    for t in 0..count {
        writeln!(out, "    pthread_join(threads[{t}], NULL);").ok()?;
    }
    let names = program.threads.iter().enumerate().flat_map(|(t, thread)| {
        // The printed expressions call registers by number.
        (0..thread.regs.len()).map(move |r| format!("t{t}_r{r}"))
    });
    let equations: Vec<String> = names.zip(never).map(|(name, value)| format!("{name} == {value}")).collect();
    if !equations.is_empty() {
        writeln!(out, "    assert(!({}));", equations.join(" && ")).ok()?;
    }
    out.push_str("    return 0;\n}\n");
    Some(out)
}

/// Makes the accesses of each location all atomic, or all plain if `plain` says so and there are no
/// read-modify-writes of it. Elements of an array are atomic.
pub fn settle(program: &mut Program, mut plain: impl FnMut() -> bool) {
    let mut settled: Vec<bool> = program.locs.iter().map(|_| plain()).collect();
    for instr in program.threads.iter().flat_map(|t| &t.code) {
        match instr {
            Instr::Rmw { addr: Addr::Loc(loc), .. } | Instr::Cas { addr: Addr::Loc(loc), .. } => {
                settled[loc.index()] = false;
            }
            _ => {}
        }
        if let Some((Addr::Element { base, len, .. }, _)) = accesses_of(instr) {
            settled[base.index()..][..*len as usize].fill(false);
        }
    }
    for instr in program.threads.iter_mut().flat_map(|t| &mut t.code) {
        if let Instr::Load { addr, mode, .. } | Instr::Store { addr, mode, .. } = instr {
            match addr {
                Addr::Loc(loc) if settled[loc.index()] => *mode = Mode::Na,
                _ if *mode == Mode::Na => *mode = Mode::Rlx,
                _ => {}
            }
        }
    }
}

/// How locations are written: by themselves, or as elements of the one array.
struct Places {
    array: Option<(u32, u32)>,
    names: Vec<String>,
    plain: Vec<bool>,
}

impl Places {
    fn of(program: &Program) -> Option<Places> {
        let mut array = None;
        let mut accesses = vec![[false; 2]; program.locs.len()];
        let code = || program.threads.iter().flat_map(|t| &t.code);
        for (addr, mode) in code().flat_map(accesses_of) {
            let run = match addr {
                Addr::Loc(loc) => loc.0..loc.0 + 1,
                Addr::Pointer(_) => return None,
                Addr::Element { base, len, .. } => {
                    if array.is_some_and(|known| known != (base.0, *len)) {
                        return None;
                    }
                    array = Some((base.0, *len));
                    base.0..base.0 + len
                }
            };
            run.for_each(|loc| accesses[loc as usize][usize::from(mode == Mode::Na)] = true);
        }
        // The elements of an array have one type.
        if let Some((base, len)) = array {
            let run = base as usize..(base + len) as usize;
            let any = [0, 1].map(|kind| accesses[run.clone()].iter().any(|seen| seen[kind]));
            accesses[run].fill(any);
        }
        if accesses.contains(&[true, true]) {
            return None;
        }
        let name = |(at, (name, _)): (usize, &(String, Value))| match array {
            Some((base, len)) if (base..base + len).contains(&(at as u32)) => {
                format!("array[{}]", at - base as usize)
            }
            _ => name.clone(),
        };
        let names = program.locs.iter().enumerate().map(name).collect();
        Some(Places { array, names, plain: accesses.iter().map(|seen| seen[1]).collect() })
    }

    fn declare(&self, program: &Program, out: &mut String) {
        let class = |at: usize| if self.plain[at] { "long" } else { "_Atomic long" };
        if let Some((base, len)) = self.array {
            let run = base as usize..(base + len) as usize;
            let values: Vec<String> = program.locs[run].iter().map(|(_, v)| v.to_string()).collect();
            let _ = writeln!(out, "{} array[{len}] = {{ {} }};", class(base as usize), values.join(", "));
        }
        for (at, (name, init)) in program.locs.iter().enumerate() {
            if self.names[at] == *name {
                let _ = writeln!(out, "{} {name} = {init};", class(at));
            }
        }
    }

    fn text(&self, addr: &Addr) -> Option<String> {
        match addr {
            Addr::Loc(Loc(at)) => Some(self.names[*at as usize].clone()),
            Addr::Element { index, .. } => Some(format!("array[{}]", expr_text(index)?)),
            Addr::Pointer(_) => None,
        }
    }
}

/// The address that an instruction accesses, with how.
fn accesses_of(instr: &Instr) -> Option<(&Addr, Mode)> {
    match instr {
        Instr::Load { addr, mode, .. } | Instr::Store { addr, mode, .. } | Instr::Rmw { addr, mode, .. } => {
            Some((addr, *mode))
        }
        Instr::Cas { addr, success, .. } => Some((addr, *success)),
        _ => None,
    }
}

/// What an expression is in C, if it means the same there.
fn expr_text(expr: &Expr) -> Option<String> {
    fn is_same(expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Reg(_) => true,
            Expr::Un(_, a) => is_same(a),
            Expr::Bin(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..) => false,
            Expr::Bin(_, a, b) => is_same(a) && is_same(b),
        }
    }
    is_same(expr).then(|| expr.to_string())
}

fn order(mode: Mode) -> Option<&'static str> {
    Some(match mode {
        Mode::Rlx => "memory_order_relaxed",
        Mode::Acq => "memory_order_acquire",
        Mode::Rel => "memory_order_release",
        Mode::AcqRel => "memory_order_acq_rel",
        Mode::Sc => "memory_order_seq_cst",
        _ => return None,
    })
}

fn thread_text(places: &Places, t: usize, thread: &Thread, out: &mut String) -> Option<()> {
    if !thread.initial {
        return None;
    }
    let mut labels = BTreeSet::new();
    for (at, instr) in thread.code.iter().enumerate() {
        if let Instr::Branch { target, .. } | Instr::Jump { target } = instr {
            if *target <= at {
                return None;
            }
            labels.insert(*target);
        }
    }
    out.push('\n');
    for r in 0..thread.regs.len() {
        writeln!(out, "long t{t}_r{r};").ok()?;
    }
    writeln!(out, "static void *thread{t}(void *arg)\n{{\n    (void)arg;").ok()?;
    for r in 0..thread.regs.len() {
        writeln!(out, "    long r{r} = 0;").ok()?;
    }
    for (at, instr) in thread.code.iter().enumerate() {
        if labels.contains(&at) {
            writeln!(out, "L{at}:;").ok()?;
        }
        writeln!(out, "    {}", instr_text(places, instr)?).ok()?;
    }
    if labels.contains(&thread.code.len()) {
        writeln!(out, "L{}:;", thread.code.len()).ok()?;
    }
    for r in 0..thread.regs.len() {
        writeln!(out, "    t{t}_r{r} = r{r};").ok()?;
    }
    out.push_str("    return NULL;\n}\n");
    Some(())
}

fn instr_text(places: &Places, instr: &Instr) -> Option<String> {
    Some(match instr {
        Instr::Assign { dst, expr } => format!("r{} = {};", dst.0, expr_text(expr)?),
        Instr::Load { dst, addr, mode: Mode::Na } => format!("r{} = {};", dst.0, places.text(addr)?),
        Instr::Load { dst, addr, mode } => {
            format!("r{} = atomic_load_explicit(&{}, {});", dst.0, places.text(addr)?, order(*mode)?)
        }
        Instr::Store { addr, value, mode: Mode::Na } => {
            format!("{} = {};", places.text(addr)?, expr_text(value)?)
        }
        Instr::Store { addr, value, mode } => {
            let (addr, value) = (places.text(addr)?, expr_text(value)?);
            format!("atomic_store_explicit(&{addr}, {value}, {});", order(*mode)?)
        }
        Instr::Rmw { dst, addr, op, operand, mode } => {
            let op = match op {
                RmwOp::Exchange => "exchange",
                RmwOp::Add => "fetch_add",
                RmwOp::Sub => "fetch_sub",
                RmwOp::And => "fetch_and",
                RmwOp::Or => "fetch_or",
                RmwOp::Xor => "fetch_xor",
                _ => return None,
            };
            let (addr, operand) = (places.text(addr)?, expr_text(operand)?);
            format!("r{} = atomic_{op}_explicit(&{addr}, {operand}, {});", dst.0, order(*mode)?)
        }
        Instr::Cas { ok, old, addr, expected, desired, success, failure, weak: false } => {
            let (addr, expected, desired) = (places.text(addr)?, expr_text(expected)?, expr_text(desired)?);
            format!(
                "{{ long seen = {expected}; r{} = atomic_compare_exchange_strong_explicit(&{addr}, &seen, \
                 {desired}, {}, {}); r{} = seen; }}",
                ok.0,
                order(*success)?,
                order(*failure)?,
                old.0
            )
        }
        Instr::Fence { mode } => format!("atomic_thread_fence({});", order(*mode)?),
        Instr::Branch { cond, target } => format!("if ({}) goto L{target};", expr_text(cond)?),
        Instr::Jump { target } => format!("goto L{target};"),
        Instr::Assume { cond } => format!("selvedge_assume({} != 0);", expr_text(cond)?),
        Instr::Assert { cond, .. } => format!("assert({});", expr_text(cond)?),
        Instr::Cas { weak: true, .. } | Instr::LoadLinked { .. } | Instr::StoreConditional { .. } => {
            return None;
        }
        Instr::Cut | Instr::Spawn { .. } | Instr::Join { .. } => return None,
    })
}

/// Where the threads of a program that [`print()`] accepts stand at the end of an execution.
pub fn final_registers(program: &Program, x: &Execution<'_>) -> Registers {
    let mut all = Registers::new();
    for (t, thread) in program.threads.iter().enumerate() {
        let mut read = x.events.iter().filter(|e| e.tid as usize == t && e.kind == Kind::Read);
        let mut next = || read.next().map_or(0, |e| e.value);
        all.extend(run(thread, &mut next));
    }
    all
}

/// The registers of one thread when its reads are answered by `next`.
fn run(thread: &Thread, next: &mut dyn FnMut() -> Value) -> Vec<Value> {
    let mut regs = vec![0; thread.regs.len()];
    let mut pc = 0;
    while let Some(instr) = thread.code.get(pc) {
        pc += 1;
        match instr {
            Instr::Assign { dst, expr } => regs[dst.0 as usize] = expr.eval(&regs),
            Instr::Load { dst, .. } | Instr::Rmw { dst, .. } => regs[dst.0 as usize] = next(),
            Instr::Cas { ok, old, expected, .. } => {
                let (value, expected) = (next(), expected.eval(&regs));
                regs[old.0 as usize] = value;
                regs[ok.0 as usize] = Value::from(value == expected);
            }
            Instr::Branch { cond, target } if cond.eval(&regs) != 0 => pc = *target,
            Instr::Jump { target } => pc = *target,
            Instr::Assume { cond } | Instr::Assert { cond, .. } if cond.eval(&regs) == 0 => break,
            _ => {}
        }
    }
    regs
}
