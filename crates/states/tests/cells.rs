//! Each cell of the tables of `dotnet-ecma` and `dotnet`, both ways: where the table says yes, an execution
//! shows the two operations the other way round, and where it says no, none does. By the exploration of
//! executions, and by the search through states where that knows the model.
//!
//! The cells of `dotnet-ecma` are those of seed 003, Table 1 (Huynh and Roychoudhury). Those of `dotnet`
//! are what the runtime's document says: volatile reads and taking locks are acquires, volatile writes and
//! giving locks back releases, interlocked operations full fences.

use selvedge_explore::{Config, End, explore_compiled};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp, pointer_to};
use selvedge_model::Compiled;
use selvedge_states::{Options, Slot, Table, search};
use std::ops::ControlFlow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    VolatileRead,
    VolatileWrite,
    Lock,
    Unlock,
    Interlocked,
}

use Kind::*;

const KINDS: [Kind; 7] = [Read, Write, VolatileRead, VolatileWrite, Lock, Unlock, Interlocked];

/// Row first in program order, column second.
const CELLS: [(Kind, [bool; 7]); 7] = [
    (Read, [true, true, true, false, true, false, false]),
    (Write, [true, true, true, false, true, false, false]),
    (VolatileRead, [false; 7]),
    (VolatileWrite, [true, true, true, false, true, false, false]),
    (Lock, [false; 7]),
    (Unlock, [true, true, true, false, false, false, false]),
    (Interlocked, [false; 7]),
];

fn load(dst: u16, loc: u32, mode: Mode) -> Instr {
    Instr::Load { dst: Reg(dst), addr: Addr::Loc(Loc(loc)), mode }
}

fn store(loc: u32, value: Value, mode: Mode) -> Instr {
    Instr::Store { addr: Addr::Loc(Loc(loc)), value: Expr::Const(value), mode }
}

fn exchange(dst: u16, loc: u32, value: Value, mode: Mode) -> Instr {
    Instr::Rmw {
        dst: Reg(dst),
        addr: Addr::Loc(Loc(loc)),
        op: RmwOp::Exchange,
        operand: Expr::Const(value),
        mode,
    }
}

fn fence() -> Instr {
    Instr::Fence { mode: Mode::Sc }
}

/// An operation, and whether others see by what it read when it was, or by what it wrote.
fn operation(kind: Kind, register: u16, loc: u32, second: bool) -> (Instr, bool) {
    match kind {
        Read => (load(register, loc, Mode::Rlx), true),
        VolatileRead => (load(register, loc, Mode::Acq), true),
        Write => (store(loc, 1, Mode::Rlx), false),
        VolatileWrite => (store(loc, 1, Mode::Rel), false),
        Unlock => (store(loc, 1, Mode::AcqRel), false),
        Lock => (exchange(register, loc, 1, Mode::Acq), second),
        Interlocked => (exchange(register, loc, 1, Mode::Sc), second),
    }
}

/// A test that has an outcome only if the second operation comes before the first: registers of the two
/// threads.
fn swapped(first: Kind, second: Kind) -> (Program, Vec<(usize, u16, Value)>) {
    let mut p = Program::new(format!("{first:?} then {second:?}"));
    p.loc("x", 0);
    p.loc("y", 0);
    let (a, a_reads) = operation(first, 0, 0, false);
    let (b, b_reads) = operation(second, 1, 1, true);
    // The other thread does to `y` what shows that the second operation has not been (or has been), and
    // then, after a fence, to `x` what shows the opposite of the first.
    let (other_y, mut outcome) = match b_reads {
        true => (store(1, 2, Mode::Rlx), vec![(0, 1, 0)]),
        false => (load(0, 1, Mode::Rlx), vec![(1, 0, 1)]),
    };
    let other_x = match a_reads {
        true => {
            outcome.push((0, 0, 2));
            store(0, 2, Mode::Rlx)
        }
        false => {
            outcome.push((1, 1, 0));
            load(1, 0, Mode::Rlx)
        }
    };
    p.thread("P0".to_string(), true, vec![a, b]);
    p.thread("P1".to_string(), true, vec![other_y, fence(), other_x]);
    (p, outcome)
}

struct Subject {
    model: Compiled,
    table: Table,
}

impl Subject {
    fn new(name: &str) -> Subject {
        let theory = selvedge_kat::load_named(name).unwrap();
        let model = selvedge_decide::compile(&theory).unwrap();
        let table = Table::of(&theory).unwrap();
        Subject { model, table }
    }

    /// Whether the outcome is there; both ways to find out agree.
    fn allows(&self, program: &Program, outcome: &[(usize, u16, Value)]) -> bool {
        let tracked = program.tracking(true, false);
        let found = search(&tracked, &self.table, &Options { keep_ends: true, ..Options::default() });
        assert_eq!(found.stop, None);
        let by_states = found.ends.iter().any(|(_, world)| {
            outcome.iter().all(|(thread, register, value)| match &world.threads[*thread] {
                Slot::Ended(state) => state.regs[*register as usize] == *value,
                _ => false,
            })
        });
        let mut by_executions = false;
        explore_compiled(&tracked, &self.model, &Config::default(), &mut |x| {
            let has = |(thread, register, value): &(usize, u16, Value)| {
                x.state(Tid(*thread as u16)).is_some_and(|s| s.regs[*register as usize] == *value)
            };
            by_executions |= x.end == End::Complete && outcome.iter().all(has);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(by_states, by_executions, "{}", program.name);
        by_executions
    }
}

fn cells(model: &str) {
    let subject = Subject::new(model);
    for (first, row) in CELLS {
        for (second, yes) in KINDS.into_iter().zip(row) {
            let (program, outcome) = swapped(first, second);
            assert_eq!(subject.allows(&program, &outcome), yes, "{model}: {first:?}, then {second:?}");
        }
    }
}

#[test]
fn of_the_table_of_ecma() {
    cells("dotnet-ecma");
}

#[test]
fn of_todays_runtime() {
    cells("dotnet");
}

#[test]
fn nothing_is_swapped_under_sequential_consistency() {
    let subject = Subject::new("sc");
    for first in KINDS {
        for second in KINDS {
            let (program, outcome) = swapped(first, second);
            assert!(!subject.allows(&program, &outcome), "{first:?}, then {second:?}");
        }
    }
}

/// A dependency from a read of `x` to what comes after it, against a thread that writes (or reads) in order.
fn dependent(code: Vec<Instr>, writes: bool) -> (Program, Vec<(usize, u16, Value)>) {
    let mut p = Program::new("dependency");
    for name in ["x", "y", "z"] {
        p.loc(name, 0);
    }
    p.thread("P0".to_string(), true, code);
    let (other, outcome) = match writes {
        true => (vec![load(0, 1, Mode::Rlx), fence(), store(0, 1, Mode::Rlx)], vec![(0, 0, 1), (1, 0, 1)]),
        false => (vec![store(1, 1, Mode::Rlx), fence(), store(0, 1, Mode::Rlx)], vec![(0, 0, 1), (0, 1, 0)]),
    };
    p.thread("P1".to_string(), true, other);
    (p, outcome)
}

#[test]
fn dependencies_are_kept() {
    let reg = |r: u16| Expr::Reg(Reg(r));
    let zero = Expr::Bin(BinOp::Xor, Box::new(reg(0)), Box::new(reg(0)));
    let y = |index: Expr| Addr::Element { base: Loc(1), len: 1, index };
    let read = |addr: Addr, dst: u16| Instr::Load { dst: Reg(dst), addr, mode: Mode::Rlx };
    let write = |addr: Addr, value: Expr| Instr::Store { addr, value, mode: Mode::Rlx };
    let one = || Expr::Const(1);
    let x = || load(0, 0, Mode::Rlx);
    let branch = || Instr::Branch {
        cond: Expr::Bin(BinOp::Eq, Box::new(reg(0)), Box::new(Expr::Const(7))),
        target: 2,
    };
    let value = Expr::Bin(BinOp::Add, Box::new(zero.clone()), Box::new(one()));
    let z = Addr::Element { base: Loc(2), len: 1, index: zero.clone() };
    // What follows the read, whether that writes, and whether it may come first: under ECMA's table, and
    // today.
    let cases = [
        ("address, read", vec![x(), read(y(zero.clone()), 1)], false, false, false),
        ("address, write", vec![x(), write(y(zero.clone()), one())], true, false, false),
        ("value", vec![x(), write(Addr::Loc(Loc(1)), value)], true, false, false),
        ("branch, write", vec![x(), branch(), store(1, 1, Mode::Rlx)], true, false, false),
        ("branch, read", vec![x(), branch(), load(1, 1, Mode::Rlx)], false, false, true),
        (
            "another's address, write",
            vec![x(), read(z.clone(), 2), store(1, 1, Mode::Rlx)],
            true,
            false,
            false,
        ),
        ("another's address, read", vec![x(), read(z, 2), load(1, 1, Mode::Rlx)], false, false, true),
        ("none, write", vec![x(), store(1, 1, Mode::Rlx)], true, true, true),
        ("none, read", vec![x(), load(1, 1, Mode::Rlx)], false, true, true),
    ];
    for (model, today) in [("dotnet-ecma", false), ("dotnet", true)] {
        let subject = Subject::new(model);
        for (what, code, writes, ecma, now) in &cases {
            let (mut program, outcome) = dependent(code.clone(), *writes);
            program.name = format!("{model}: {what}");
            let expected = if today { *now } else { *ecma };
            assert_eq!(subject.allows(&program, &outcome), expected, "{model}: {what}");
        }
    }
}

#[test]
fn only_todays_runtime_lets_threads_see_their_own_writes_early() {
    // Each thread writes, reads that back with an acquire, and then reads what the other writes.
    let mut p = Program::new("SB+rfi");
    p.loc("x", 0);
    p.loc("y", 0);
    for (own, other) in [(0, 1), (1, 0)] {
        let code = vec![store(own, 1, Mode::Rlx), load(0, own, Mode::Acq), load(1, other, Mode::Rlx)];
        p.thread(format!("P{own}"), true, code);
    }
    let outcome = [(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)];
    for (model, expected) in [("dotnet-ecma", false), ("dotnet", true), ("tso", true), ("sc", false)] {
        assert_eq!(Subject::new(model).allows(&p, &outcome), expected, "{model}");
    }
}

/// What a thread wrote to an object is there for whoever comes to it by a reference that the thread stored
/// later: today, and not in ECMA's table. It is no release: other objects are not, and reads may come later.
#[test]
fn references_publish_their_objects_and_nothing_else() {
    let (x, y, z) = (0, 1, 2);
    let plain = |loc, value| store(loc, value, Mode::Rlx);
    let through = |dst: u16, by: u16| Instr::Load {
        dst: Reg(dst),
        addr: Addr::Pointer(Expr::Reg(Reg(by))),
        mode: Mode::Rlx,
    };
    // Reads `y`, and ends if there is nothing.
    let reference = |then: Vec<Instr>| {
        let cond = Expr::Bin(BinOp::Eq, Box::new(Expr::Reg(Reg(0))), Box::new(Expr::Const(0)));
        [vec![load(0, y, Mode::Rlx), Instr::Branch { cond, target: 2 + then.len() }], then].concat()
    };
    let to = |loc: u32| pointer_to(Loc(loc));
    let cases = [
        (
            "the object",
            vec![plain(x, 1), plain(y, to(x))],
            reference(vec![through(1, 0)]),
            vec![(1, 0, to(x)), (1, 1, 0)],
            false,
        ),
        (
            "an object that the object refers to",
            vec![plain(x, 1), plain(z, to(x)), plain(y, to(z))],
            reference(vec![through(1, 0), through(2, 1)]),
            vec![(1, 0, to(z)), (1, 1, to(x)), (1, 2, 0)],
            false,
        ),
        (
            "written after that",
            vec![plain(y, to(x)), plain(x, 1)],
            reference(vec![through(1, 0)]),
            vec![(1, 0, to(x)), (1, 1, 0)],
            true,
        ),
        (
            "another object",
            vec![plain(z, 1), plain(y, to(x))],
            reference(vec![fence(), load(1, z, Mode::Rlx)]),
            vec![(1, 0, to(x)), (1, 1, 0)],
            true,
        ),
        (
            "a number",
            vec![plain(x, 1), plain(y, 1)],
            reference(vec![fence(), load(1, x, Mode::Rlx)]),
            vec![(1, 0, 1), (1, 1, 0)],
            true,
        ),
        (
            "a read of the object",
            vec![load(0, x, Mode::Rlx), plain(y, to(x))],
            reference(vec![fence(), plain(x, 1)]),
            vec![(0, 0, 1), (1, 0, to(x))],
            true,
        ),
    ];
    for (model, today) in [("dotnet-ecma", false), ("dotnet", true)] {
        let subject = Subject::new(model);
        for (what, writer, reader, outcome, allowed) in &cases {
            let mut p = Program::new(format!("{model}: {what}"));
            for name in ["x", "y", "z"] {
                p.loc(name, 0);
            }
            p.thread("P0".to_string(), true, writer.clone());
            p.thread("P1".to_string(), true, reader.clone());
            assert_eq!(subject.allows(&p, outcome), *allowed || !today, "{model}: {what}");
        }
    }
}
