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
//! A barrier that stands for a counter ([`meets_once`]) has one round: whoever arrives after that needs to be
//! seen counting.
//!
//! [`meets_once`]: selvedge_machine::Claims::meets_once
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
        let barrier = x.graph.event(e).value as u32;
        let is_over = x.graph.round_before(e).is_some() && x.machine.meets_once(barrier);
        if is_over || is_out_of_form(x.model, &x.graph, e) {
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
///
/// The same of one that only releases and a load that acquires, also if another one came between them: that
/// is how counters are used that are taken for barriers.
pub fn orders_by_rmw(model: &Model) -> bool {
    let [mut by_both, mut by_load] = ["orders-by-rmw", "orders-by-load"].map(Program::new);
    let passes = |program: &mut Program, mode, last: &dyn Fn(Addr) -> Instr, sees: i64| {
        let (data, count) = (program.loc("data", 0), program.loc("count", 0));
        let arrive =
            Instr::Rmw { dst: Reg(0), addr: Addr::Loc(count), op: RmwOp::Add, operand: Expr::Const(1), mode };
        let store = Instr::Store { addr: Addr::Loc(data), value: Expr::Const(1), mode: Mode::Rlx };
        let load = Instr::Load { dst: Reg(1), addr: Addr::Loc(data), mode: Mode::Rlx };
        program.thread("last", true, vec![last(Addr::Loc(count)), load]);
        program.thread("first", true, vec![store, arrive.clone()]);
        if sees == 2 {
            program.thread("second", true, vec![arrive]);
        }
        let mut ordered = true;
        let explored = explore(program, model, &Config::default(), &mut |x| {
            let value = |r| x.state(Tid(0)).map(|s| s.regs[r as usize]);
            ordered &= value(0) != Some(sees) || value(1) == Some(1);
            ControlFlow::Continue(())
        });
        explored.is_ok() && ordered
    };
    let counts =
        |addr| Instr::Rmw { dst: Reg(0), addr, op: RmwOp::Add, operand: Expr::Const(1), mode: Mode::AcqRel };
    let looks = |addr| Instr::Load { dst: Reg(0), addr, mode: Mode::Acq };
    passes(&mut by_both, Mode::AcqRel, &counts, 1) && passes(&mut by_load, Mode::Rel, &looks, 2)
}
