//! What paths mean. Files with paths in them are read by other versions, which go by `FORMAT`: whoever lets
//! the explorer take other decisions, or take them in another order, sees it here and counts it up.

use selvedge_explore::{Config, FORMAT, explore};
use selvedge_graph::Mode;
use selvedge_machine::Program;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use selvedge_model::Model;
use std::ops::ControlFlow;

/// Two writers, one of which adds, and a reader of what both write.
fn program() -> Program {
    let mut program = Program::new("paths");
    let x = program.loc("x", 0);
    let load = |reg| Instr::Load { dst: Reg(reg), addr: Addr::Loc(x), mode: Mode::Rlx };
    let store = Instr::Store { addr: Addr::Loc(x), value: Expr::Const(5), mode: Mode::Rlx };
    let add = Instr::Rmw {
        dst: Reg(0),
        addr: Addr::Loc(x),
        op: RmwOp::Add,
        operand: Expr::Const(1),
        mode: Mode::Rlx,
    };
    program.thread("reads", true, vec![load(0)]);
    program.thread("adds", true, vec![add]);
    program.thread("writes", true, vec![store]);
    program
}

#[test]
fn paths_mean_what_they_meant() {
    let theory = selvedge_kat::load_named("rc11").expect("a model");
    let model = Model::compile(&theory).expect("an admissible model");
    let mut paths = Vec::new();
    let explored = explore(&program(), &model, &Config::default(), &mut |x| {
        paths.push(x.path().to_string());
        ControlFlow::Continue(())
    });
    explored.expect("threads are ordered");
    let mut sorted = paths.clone();
    sorted.sort_by_key(|path| path.parse::<selvedge_explore::Path>().expect("what was printed"));
    assert_eq!(paths, sorted, "executions come in the order of their paths");
    assert_eq!((FORMAT, paths.join(" ").as_str()), (1, RECORDED), "count `FORMAT` up and record the paths");
}

const RECORDED: &str = "s0s0p1p2 s0s0p1r2v1p2 s0s0p1r1v1s1p2 s0s0p1r1v1s1r1v2 s0s0p1r1v1s0p1 s0s0r1v1p2";
