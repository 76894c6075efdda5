//! Both engines do what the exploration of one worker does, and a caller need not know which one it has.

use selvedge_explore::{
    Absent, Config, Director, End, Execution, GaveUp, Order, Progress, Sampling, Saved, Snapshot, Visitor,
    engine, explore_compiled,
};
use selvedge_graph::Mode;
use selvedge_machine::Program;
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr};
use selvedge_model::Compiled;
use selvedge_model::relational::Causality;
use std::ops::ControlFlow;

/// One with clocks, and one that follows dependencies.
const MODELS: [&str; 2] = ["rc11", "armv8"];

fn compiled(name: &str) -> Compiled {
    let theory = selvedge_kat::load_named(name).expect("a shipped model");
    Compiled::compile(&theory).expect("an admissible model")
}

/// Three threads that write and read each other's locations.
fn program() -> Program {
    let mut program = Program::new("engine");
    program.tracks_deps = true;
    let locs = [program.loc("x", 0), program.loc("y", 0), program.loc("z", 0)];
    for t in 0..3 {
        let store = Instr::Store { addr: Addr::Loc(locs[t]), value: Expr::Const(1), mode: Mode::Rlx };
        let load = Instr::Load { dst: Reg(0), addr: Addr::Loc(locs[(t + 1) % 3]), mode: Mode::Rlx };
        program.thread(format!("t{t}"), true, vec![store, load]);
    }
    program
}

#[derive(Clone, Default, PartialEq, Debug)]
struct Ends(Vec<End>);

impl Visitor<Program> for Ends {
    fn visit(&mut self, x: &Execution<'_, Program>) -> ControlFlow<()> {
        self.0.push(x.end);
        ControlFlow::Continue(())
    }

    fn merge(&mut self, other: Ends) {
        self.0.extend(other.0);
    }
}

fn start() -> Snapshot<Ends> {
    Snapshot::start(Ends::default())
}

#[test]
fn an_engine_explores_what_one_worker_explores() {
    for name in MODELS {
        let (model, config) = (compiled(name), Config::default());
        let mut expected = Ends::default();
        let stats = explore_compiled(&program(), &model, &config, &mut |x| expected.visit(x)).expect(name);
        let end = engine(&model, &config, 1)
            .explore(&program, &Ends::default(), start(), &mut Absent)
            .expect("it can be explored");
        assert_eq!((&end.visitor, &end.stats), (&expected, &stats), "{name}");
        assert!(end.units.is_empty() && stats.complete == 8, "{name}: {stats:?}");
    }
}

#[test]
fn what_is_left_at_a_limit_is_explored_later_or_anew() {
    for name in MODELS {
        let model = compiled(name);
        let mut config = Config { max_executions: Some(3), ..Config::default() };
        let some = engine(&model, &config, 1)
            .explore(&program, &Ends::default(), start(), &mut Absent)
            .expect("it can be explored");
        assert_eq!((some.stats.complete, &some.stats.gave_up), (3, &Some(GaveUp::Executions(3))), "{name}");
        assert!(!some.units.is_empty(), "{name}");
        // Through its text, as in a file.
        let text = serde_json::to_string(&Saved::new(&some, &config)).expect("it is written");
        let saved: Saved = serde_json::from_str(&text).expect("it is read");
        config.max_executions = None;
        let from = saved.restore(some.visitor, &mut config).expect("of this format");
        let engine = engine::<Program, Ends>(&model, &config, 1);
        let from = if engine.is_resumable() { from } else { start() };
        let end = engine.explore(&program, &Ends::default(), from, &mut Absent).expect("it goes on");
        assert_eq!((end.stats.complete, end.visitor.0.len()), (8, 8), "{name}");
        assert!(end.units.is_empty() && end.stats.gave_up.is_none(), "{name}");
    }
}

/// Wants the end at once.
struct Impatient;

impl<V> Director<V> for Impatient {
    fn order(&mut self, _: Progress) -> Order {
        Order::Stop(GaveUp::Interrupted)
    }
}

#[test]
fn dependencies_are_followed_until_the_director_wants_the_end() {
    let (model, config) = (compiled("armv8"), Config::default());
    let end = engine(&model, &config, 1)
        .explore(&program, &Ends::default(), start(), &mut Impatient)
        .expect("it can be explored");
    assert_eq!((end.stats.gave_up, end.visitor), (Some(GaveUp::Interrupted), Ends::default()));
    assert_eq!(end.units.len(), 1);
}

/// A model of which what revisits need is known.
fn followed(name: &str) -> Compiled {
    let mut compiled = compiled(name);
    if let Compiled::Matrices(model) = &mut compiled {
        let known = Causality { is_local: true, forwards: true, skeleton: true, ..Causality::default() };
        model.set_causality(Causality { successors: true, rereads: true, ..known });
    }
    compiled
}

#[test]
fn revisits_that_follow_dependencies_can_be_divided_and_gone_on_with() {
    let model = followed("armv8");
    let mut config = Config { max_executions: Some(3), ..Config::default() };
    let explore = |config: &Config, workers: usize, from: Snapshot<Ends>| {
        engine(&model, config, workers)
            .explore(&program, &Ends::default(), from, &mut Absent)
            .expect("it can be explored")
    };
    let some = explore(&config, 1, start());
    assert_eq!((some.stats.complete, &some.stats.gave_up), (3, &Some(GaveUp::Executions(3))));
    assert_eq!(some.stats.put_off, None);
    // Through its text, as in a file.
    let text = serde_json::to_string(&Saved::new(&some, &config)).expect("it is written");
    let saved: Saved = serde_json::from_str(&text).expect("it is read");
    config.max_executions = None;
    let from = saved.restore(some.visitor, &mut config).expect("of this format");
    let end = explore(&config, 1, from);
    assert_eq!((end.stats.complete, end.visitor.0.len()), (8, 8));
    assert!(end.units.is_empty() && end.stats.gave_up.is_none());
    let both = explore(&config, 2, start());
    assert_eq!((both.stats.complete, both.visitor.0.len()), (8, 8));
}

#[test]
fn whoever_makes_units_can_tell_how_many_executions_there_are() {
    for (model, name, tells) in [
        (compiled("rc11"), "rc11", true),
        (compiled("armv8"), "armv8", false),
        (followed("armv8"), "revisits", true),
    ] {
        let config = Config::default();
        let engine = engine::<Program, Ends>(&model, &config, 1);
        let told =
            engine.estimate(&program(), &Sampling::default(), &mut || false).expect("it can be explored");
        assert_eq!((told.is_some(), engine.is_resumable()), (tells, tells), "{name}");
    }
}
