//! The classic shapes with every access mode, under every shipped model, against the verdicts of the
//! literature.
//!
//! Sources: SC – Lamport79. TSO and PSO – the SPARC manual, Owens09, with the usual
//! mapping of C (a sequentially consistent store is followed by a fence; on PSO a release store is
//! preceded by a store barrier). RA – Lahav16a (2+2W, SB, IRIW and R weak; MP,
//! WRC and S not). RC11 – Lahav17: synchronisation needs a release and an acquire, only
//! sequentially consistent accesses restore SC, and load buffering is ruled out. Coherence holds
//! everywhere.

use selvedge_explore::{Config, Equivalence, Schedule, explore};
use selvedge_graph::{Loc, Mode, Tid, Value};
use selvedge_machine::Program;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr};
use selvedge_model::Model;
use std::ops::ControlFlow;

const X: Loc = Loc(0);
const Y: Loc = Loc(1);

/// An access, before its mode is chosen.
enum Access {
    W(Loc, Value),
    R(u16, Loc),
}
use Access::{R, W};

/// What is asked of a final state: registers by thread, final values by location.
struct Shape {
    name: &'static str,
    threads: Vec<Vec<Access>>,
    registers: Vec<(u16, usize, Value)>,
    memory: Vec<(Loc, Value)>,
}

fn shapes() -> Vec<Shape> {
    let shape = |name, threads, registers, memory| Shape { name, threads, registers, memory };
    vec![
        shape("SB", vec![vec![W(X, 1), R(0, Y)], vec![W(Y, 1), R(0, X)]], vec![(0, 0, 0), (1, 0, 0)], vec![]),
        shape("MP", vec![vec![W(X, 1), W(Y, 1)], vec![R(0, Y), R(1, X)]], vec![(1, 0, 1), (1, 1, 0)], vec![]),
        shape("LB", vec![vec![R(0, X), W(Y, 1)], vec![R(0, Y), W(X, 1)]], vec![(0, 0, 1), (1, 0, 1)], vec![]),
        shape(
            "IRIW",
            vec![vec![W(X, 1)], vec![W(Y, 1)], vec![R(0, X), R(1, Y)], vec![R(0, Y), R(1, X)]],
            vec![(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 0)],
            vec![],
        ),
        shape(
            "WRC",
            vec![vec![W(X, 1)], vec![R(0, X), W(Y, 1)], vec![R(0, Y), R(1, X)]],
            vec![(1, 0, 1), (2, 0, 1), (2, 1, 0)],
            vec![],
        ),
        shape("CoRR", vec![vec![W(X, 1)], vec![R(0, X), R(1, X)]], vec![(1, 0, 1), (1, 1, 0)], vec![]),
        shape("2+2W", vec![vec![W(X, 1), W(Y, 2)], vec![W(Y, 1), W(X, 2)]], vec![], vec![(X, 1), (Y, 1)]),
        shape("R", vec![vec![W(X, 1), W(Y, 1)], vec![W(Y, 2), R(0, X)]], vec![(1, 0, 0)], vec![(Y, 2)]),
        shape("S", vec![vec![W(X, 2), W(Y, 1)], vec![R(0, Y), W(X, 1)]], vec![(1, 0, 1)], vec![(X, 2)]),
    ]
}

/// Whether the weak outcome is allowed, by shape, model, and the modes of all stores and all loads.
fn allowed(shape: &str, model: &str, store: Mode, load: Mode) -> bool {
    let syncs = store.is_release() && load.is_acquire();
    let all_sc = store == Mode::Sc && load == Mode::Sc;
    let sc_stores = store == Mode::Sc;
    match (model, shape) {
        (_, "CoRR" | "LB") | ("sc", _) => false,
        // Write to read is relaxed, unless the store is followed by a fence.
        ("tso", "SB" | "R") => !sc_stores,
        ("tso", _) => false,
        // So is write to write, unless the second one is a release.
        ("pso", "SB" | "R") => !sc_stores,
        ("pso", "MP" | "2+2W" | "S") => !store.is_release(),
        ("pso", _) => false, // reads stay in order, and stores are multi-copy atomic
        ("ra", "MP" | "WRC" | "S") => false,
        ("ra", _) => true,
        ("rlx", _) => true,
        ("rc11", "MP" | "WRC" | "S") => !syncs,
        ("rc11", "2+2W") => !sc_stores,
        ("rc11", "SB" | "IRIW" | "R") => !all_sc,
        other => unreachable!("{other:?}"),
    }
}

fn program(shape: &Shape, store: Mode, load: Mode) -> Program {
    let mut p = Program::new(shape.name);
    p.loc("x", 0);
    p.loc("y", 0);
    for (i, accesses) in shape.threads.iter().enumerate() {
        let code = accesses
            .iter()
            .map(|a| match a {
                W(loc, v) => Instr::Store { addr: Addr::Loc(*loc), value: Expr::Const(*v), mode: store },
                R(reg, loc) => Instr::Load { dst: Reg(*reg), addr: Addr::Loc(*loc), mode: load },
            })
            .collect();
        p.thread(format!("P{i}"), true, code);
    }
    p
}

/// Whether some execution ends in the state that the shape asks about.
fn observed(shape: &Shape, program: &Program, model: &Model, config: &Config) -> bool {
    let mut seen = false;
    let stats = explore(program, model, config, &mut |x| {
        let registers =
            shape.registers.iter().all(|(t, reg, v)| x.state(Tid(*t)).is_some_and(|s| s.regs[*reg] == *v));
        let memory = shape
            .memory
            .iter()
            .all(|(loc, v)| x.graph.co(*loc).last().is_some_and(|&w| x.graph.value_of(w, *loc) == *v));
        seen |= registers && memory;
        ControlFlow::Continue(())
    })
    .expect("no threads are created");
    assert_eq!(stats.aborted, 0);
    seen
}

#[test]
fn every_shape_mode_and_model_has_the_verdict_of_the_literature() {
    let stores = [Mode::Rlx, Mode::Rel, Mode::Sc];
    let loads = [Mode::Rlx, Mode::Acq, Mode::Sc];
    let mut checked = 0;
    for name in ["sc", "tso", "pso", "ra", "rlx", "rc11", "sc.cat", "tso.cat"] {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let model = Model::compile(&theory).expect("shipped models are admissible");
        for shape in shapes() {
            for (store, load) in stores.iter().flat_map(|s| loads.iter().map(move |l| (*s, *l))) {
                let program = program(&shape, store, load);
                let expected = allowed(shape.name, name.trim_end_matches(".cat"), store, load);
                for schedule in [Schedule::LeftToRight, Schedule::WritesFirst] {
                    let config = Config { schedule, ..Config::default() };
                    let seen = observed(&shape, &program, &model, &config);
                    assert_eq!(seen, expected, "{} under {name}, W[{store}] R[{load}]", shape.name);
                    checked += 1;
                }
                if shape.memory.is_empty() {
                    let config = Config { equivalence: Equivalence::Rf, ..Config::default() };
                    assert_eq!(
                        observed(&shape, &program, &model, &config),
                        expected,
                        "{} rf {name}",
                        shape.name
                    );
                }
            }
        }
    }
    assert_eq!(checked, 8 * 9 * 9 * 2);
}

#[test]
fn plain_accesses_race_under_rc11_unless_they_are_ordered() {
    let theory = selvedge_kat::load_named("rc11").expect("shipped");
    let model = Model::compile(&theory).expect("admissible");
    let store = |loc, mode| Instr::Store { addr: Addr::Loc(loc), value: Expr::Const(1), mode };
    let load = |reg, loc, mode| Instr::Load { dst: Reg(reg), addr: Addr::Loc(loc), mode };
    for (flag_store, flag_load, races) in [
        (Mode::Rel, Mode::Acq, false),
        (Mode::Sc, Mode::Sc, false),
        (Mode::Rlx, Mode::Acq, true),
        (Mode::Rel, Mode::Rlx, true),
    ] {
        let mut p = Program::new("guarded");
        p.loc("data", 0);
        p.loc("flag", 0);
        p.thread("P0", true, vec![store(X, Mode::Na), store(Y, flag_store)]);
        let guard =
            Instr::Branch { cond: Expr::un(selvedge_machine::expr::UnOp::Not, Expr::Reg(Reg(0))), target: 3 };
        p.thread("P1", true, vec![load(0, Y, flag_load), guard, load(1, X, Mode::Na)]);
        let mut found = false;
        explore(&p, &model, &Config::default(), &mut |x| {
            found |= x.model_errors().iter().any(|e| e.name == "RaceNotAtomic");
            ControlFlow::Continue(())
        })
        .expect("no threads are created");
        assert_eq!(found, races, "flag: {flag_store} {flag_load}");
    }
}
