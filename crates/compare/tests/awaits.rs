//! Leaving waiting threads out of graphs makes no difference: with and without, generated programs with locks
//! and waiting loops have the same complete executions, each once, and the same deadlocks. Under models that
//! follow dependencies, all of this is in program order; where that is noticed not to do without the
//! reduction but not with it, what is found with it must be all there is.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model, `SELVEDGE_FUZZ_SEED` which ones.

use crate::common;

use common::{Subject, is_out_of_order, program, shown};
use selvedge_explore::{Chains, Config, End, Schedule, Watches};
use selvedge_graph::{EventId, Kind, Tid};
use selvedge_machine::{Op, Program, Reduction, Reductions};
use selvedge_oracle::canon::Canon;
use selvedge_oracle::generate::{self, rng_for};
use selvedge_oracle::shrink::shrink_program;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

#[derive(Default)]
struct Found {
    complete: BTreeMap<Canon, u32>,
    deadlock: bool,
    blocked: u64,
    errors: bool,
    broken: bool,
    /// Program order does not do.
    out_of_order: bool,
}

/// More would take too long.
const MOST: u64 = 20_000;

fn explored(
    p: &Program,
    subject: &Subject,
    schedule: Schedule,
    reductions: Reductions,
    by_dependencies: bool,
) -> Option<Found> {
    let chains = Arc::new(Chains::default());
    let config = Config {
        schedule,
        reductions,
        watches: Watches { chains: Some(chains.clone()), ..Watches::default() },
        max_executions: Some(MOST),
        ..Config::default()
    };
    let mut found = Found::default();
    let stats = subject.explore(p, &config, by_dependencies, &mut |x| {
        match x.end {
            End::Complete => {
                *found.complete.entry(Canon::from_graph(x.graph, true)).or_default() += 1;
                found.errors |= !x.model_errors().is_empty();
            }
            End::Blocked => {
                // Whoever waits has seen the latest there is, in all that it has read since it last wrote.
                let up_to_date = (0..p.threads.len() as u16).map(Tid).all(|t| {
                    if !matches!(x.stands_at(t), Some(Op::Block(_))) {
                        return true;
                    }
                    let g = x.graph;
                    let reads = g
                        .thread(t)
                        .iter()
                        .rev()
                        .take_while(|&&e| g.event(e).is_read() || g.event(e).kind == Kind::Fence);
                    let reads: Vec<_> = reads.copied().filter(|&e| g.event(e).is_read()).collect();
                    // One that waits at a read-modify-write although the load before it said that the lock
                    // is free would come to that load again, in a loop.
                    let confirmed = |e| {
                        let (ev, before) = (g.event(e), g.po_pred(e).map(|r| g.event(r)));
                        !before.is_some_and(|r| r.is_read() && r.loc == ev.loc)
                    };
                    let latest = |&e: &EventId| g.rf(e) == g.co_last(g.event(e).loc);
                    reads.first().is_none_or(|&e| confirmed(e)) && reads.iter().all(latest)
                });
                found.deadlock |= up_to_date;
            }
            End::Cut => {}
            End::Error => found.errors = true,
        }
        ControlFlow::Continue(())
    });
    found.blocked = stats.blocked;
    found.broken = chains.broken().is_some();
    found.out_of_order = is_out_of_order(&stats);
    (stats.gave_up.is_none() || found.broken || found.out_of_order).then_some(found)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is wrong with the reduction on a program.
#[derive(PartialEq, Eq, Debug)]
enum Difference {
    None,
    /// The condition of the reduction does not hold.
    Broken,
    /// Too many executions.
    TooBig,
    /// Program order does not do.
    OutOfOrder,
    /// How many complete executions are missing, there without reason, or there twice.
    Executions {
        all: usize,
        missing: usize,
        extra: usize,
        twice: usize,
    },
    ManyMore,
    Deadlock {
        with: bool,
        without: bool,
    },
    Errors,
}

impl Difference {
    fn is_wrong(&self) -> bool {
        use Difference::{Broken, OutOfOrder, TooBig};
        !matches!(self, Difference::None | Broken | TooBig | OutOfOrder)
    }
}

fn difference(p: &Program, subject: &Subject, schedule: Schedule, blocked: &mut [u64; 2]) -> Difference {
    let on = subject.reductions();
    let off = on.without(Reduction::Awaits);
    let Some(mut without) = explored(p, subject, schedule, off, false) else { return Difference::TooBig };
    let Some(with) = explored(p, subject, schedule, on, false) else { return Difference::ManyMore };
    if with.broken {
        return Difference::Broken;
    }
    if with.out_of_order {
        return Difference::OutOfOrder;
    }
    if without.out_of_order {
        match explored(p, subject, schedule, off, true) {
            Some(all) => without = all,
            None => return Difference::TooBig,
        }
    }
    let twice = with.complete.values().filter(|n| **n > 1).count();
    let missing = without.complete.keys().filter(|x| !with.complete.contains_key(x)).count();
    let extra = with.complete.keys().filter(|x| !without.complete.contains_key(x)).count();
    blocked[0] += with.blocked;
    blocked[1] += without.blocked;
    if (twice, missing, extra) != (0, 0, 0) {
        Difference::Executions { all: without.complete.len(), missing, extra, twice }
    } else if with.deadlock != without.deadlock {
        Difference::Deadlock { with: with.deadlock, without: without.deadlock }
    } else if with.errors != without.errors {
        Difference::Errors
    } else {
        Difference::None
    }
}

fn no_difference(name: &str) {
    let subject = Subject::new(name);
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 400), number("SELVEDGE_FUZZ_SEED", 7));
    let (mut compared, mut broken, mut out_of_order, mut blocked) = (0, 0, 0, [0; 2]);
    for n in 0..programs {
        let rng = &mut rng_for(seed, n);
        let p = if n % 4 == 3 { generate::program(rng) } else { program(rng) };
        for schedule in [Schedule::LeftToRight, Schedule::WritesFirst] {
            match difference(&p, &subject, schedule, &mut blocked) {
                Difference::None => compared += 1,
                Difference::TooBig => {}
                Difference::Broken => broken += 1,
                Difference::OutOfOrder => out_of_order += 1,
                wrong => {
                    let small = shrink_program(&p, &mut |p| {
                        difference(p, &subject, schedule, &mut [0; 2]).is_wrong()
                    });
                    let what = difference(&small, &subject, schedule, &mut [0; 2]);
                    let text = shown(&small);
                    panic!(
                        "program {n} of seed {seed} under {name} ({schedule:?}): {wrong:?}; smaller: {what:?}\n{text}"
                    );
                }
            }
        }
    }
    let [with, without] = blocked;
    eprintln!(
        "{name}: {compared} compared, {broken} broken, {out_of_order} out of order, {with} of {without} blocked \
         executions left"
    );
    assert!(compared > 2 * broken && without > with + with / 5);
}

/// A thread is about to give a lock back: whoever saw something old before will find it free all the same.
#[test]
fn a_store_at_hand_is_one_that_a_thread_may_come_to() {
    let subject = Subject::new("sc");
    let p = program(&mut rng_for(101, 1784));
    for schedule in [Schedule::LeftToRight, Schedule::WritesFirst] {
        assert_eq!(difference(&p, &subject, schedule, &mut [0; 2]), Difference::None, "{schedule:?}");
    }
}

crate::test_each_model!(no_difference: sc tso pso ra rlx rc11 armv8 imm riscv power);
