//! Barriers (BAM: Kokologiannakis21 §3, thesis §7.1). Arrivals are events without `rf` and `co`; those of a
//! round come before its departures.
//!
//! Which round an arrival is in must be a function of the graph, not of the order in which it was made.
//! It is, if no more arrivals than meet at the barrier are without an order among them (thesis Def. 7.1.1):
//! a complete round is as many as that, so an arrival in a later round comes after one of them, and then,
//! through a departure, after all. Conversely, if a thread that is not ordered after a complete round
//! could have been part of it, its arrival shows it. Every event is added sooner or later, whatever the
//! round that was completed without it, so no such execution goes unnoticed.
//!
//! *Premises*: `po ∪ rf` has no cycle, and the model orders by read-modify-writes ([`orders_by_rmw`]).
//! *Watched*: every arrival by itself.

use super::Hooks;
use crate::conclusion::Trouble;
use crate::explorer::{Explorer, explore};
use crate::report::Config;
use selvedge_graph::{EventId, ExecutionGraph, Mode, Tid};
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use selvedge_machine::{Again, Machine, Program};
use selvedge_model::Model;
use std::ops::ControlFlow;

/// Whether it is on is up to the machine: there are no arrivals otherwise.
#[derive(Debug, Default)]
pub(crate) struct Bam;

impl<M: Machine> Hooks<M> for Bam {
    fn after_arrival(x: &mut Explorer<'_, M>, e: EventId) {
        if is_out_of_form(x.model, &x.graph, e) {
            x.trouble = Some(Trouble::Again(Again::BarriersOutOfForm));
        }
    }
}

/// Whether this arrival, which was just added, is not ordered after the last complete round.
fn is_out_of_form(model: &Model, g: &ExecutionGraph, arrival: EventId) -> bool {
    let ordered = |x: EventId| model.sees(g, arrival, x) && model.causally_before(g, x, arrival);
    g.round_before(arrival).is_some_and(|before| !before.iter().all(|&x| ordered(x)))
}

/// Whether a model orders what comes before a read-modify-write with release ordering and what comes after
/// one that sees it with acquire ordering, as barriers that count their arrivals rely on. Found out by
/// message passing: a model that does not is one where such barriers order nothing, and where barriers of
/// another kind would give another result.
pub fn orders_by_rmw(model: &Model) -> bool {
    let mut program = Program::new("orders-by-rmw");
    let (data, count) = (program.loc("data", 0), program.loc("count", 0));
    let arrive = |dst| Instr::Rmw {
        dst: Reg(dst),
        addr: Addr::Loc(count),
        op: RmwOp::Add,
        operand: Expr::Const(1),
        mode: Mode::AcqRel,
    };
    let store = Instr::Store { addr: Addr::Loc(data), value: Expr::Const(1), mode: Mode::Rlx };
    program.thread("first", true, vec![store, arrive(0)]);
    let load = Instr::Load { dst: Reg(1), addr: Addr::Loc(data), mode: Mode::Rlx };
    program.thread("last", true, vec![arrive(0), load]);
    let mut ordered = true;
    let explored = explore(&program, model, &Config::default(), &mut |x| {
        let value = |r| x.state(Tid(1)).map(|s| s.regs[r as usize]);
        ordered &= value(0) != Some(1) || value(1) == Some(1);
        ControlFlow::Continue(())
    });
    explored.is_ok() && ordered
}
