//! Work that is divided and taken on again, by one explorer or by several, comes to the same: the same
//! executions, in the order of their paths the same sequence, and the same numbers.

use rand::Rng;
use selvedge_decide::premises;
use selvedge_decide::search::Limits;
use selvedge_explore::in_units::{Division, explore_in_units, follow_in_units};
use selvedge_explore::{
    Absent, Config, Director, End, Equivalence, Execution, Order, Path, Progress, Schedule, Snapshot, Stats,
    Team, Unit, Visitor, explore,
};
use selvedge_machine::Program;
use selvedge_model::Model;
use selvedge_model::relational::Relational;
use selvedge_oracle::canon::Canon;
use selvedge_oracle::generate;
use selvedge_oracle::generate_arch::Arch;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::Duration;

const MODELS: [&str; 6] = ["sc", "tso", "pso", "ra", "rc11", "rlx"];

fn model(name: &str) -> Model {
    Model::compile(&selvedge_kat::load_named(name).expect("a shipped model")).expect("admissible")
}

/// All executions, by their paths.
#[derive(Clone, Default, Debug)]
struct Seen(Vec<(Path, Canon, End)>);

impl Visitor<Program> for Seen {
    fn visit(&mut self, x: &Execution<'_, Program>) -> ControlFlow<()> {
        self.0.push((x.path(), Canon::from_graph(x.graph, true), x.end));
        ControlFlow::Continue(())
    }

    fn merge(&mut self, other: Seen) {
        self.0.extend(other.0);
        self.0.sort();
    }
}

/// What must not depend on how the work was divided.
fn counts(stats: &Stats) -> [u64; 6] {
    [stats.complete, stats.blocked, stats.cut, stats.errors, stats.revisits, stats.events]
}

fn at_once(program: &Program, model: &Model, config: &Config) -> (Seen, Stats) {
    let mut seen = Seen::default();
    let stats = explore(program, model, config, &mut |x| seen.visit(x)).expect("threads are ordered");
    (seen, stats)
}

fn configs() -> impl Iterator<Item = Config> {
    [Equivalence::Co, Equivalence::Rf].into_iter().flat_map(|equivalence| {
        [Schedule::LeftToRight, Schedule::WritesFirst].map(|schedule| Config {
            equivalence,
            schedule,
            ..Config::default()
        })
    })
}

/// The same where dependencies are followed: divided work comes to what one explorer finds.
#[test]
fn pieces_make_the_whole_with_dependencies() {
    let mut divided = 0;
    for (name, arch) in [("armv8", Arch::Armv8), ("imm", Arch::Imm)] {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let mut model = Relational::compile(&theory).expect("a model");
        model.set_causality(premises::of_model(&theory, Limits::for_loading()).causality());
        for number in 0..400 {
            let mut rng = generate::rng_for(9, number);
            let program = generate::arch_program(&mut rng, arch).tracking(true, false);
            if program.apart {
                continue; // Reads are put off then, by one worker.
            }
            let explore = |divide: &mut dyn FnMut() -> Division| {
                let mut seen = Seen::default();
                let config = Config::default();
                let stats = follow_in_units(&program, &model, &config, divide, &mut |x| seen.visit(x));
                (seen, stats.expect("threads are ordered").expect("revisits"))
            };
            let (whole, stats) = explore(&mut || Division::None);
            if stats.gave_up.is_some() {
                continue; // it says that it would miss some
            }
            assert!(
                whole.0.is_sorted(),
                "{name}, program {number}: executions are found in the order of paths"
            );
            let mut pieces = explore(&mut || match rng.random_range(0..4) {
                0 => Division::None,
                1 => Division::Leave,
                _ => {
                    divided += 1;
                    Division::Split
                }
            });
            pieces.0.0.sort();
            assert_eq!(pieces.0.0, whole.0, "{name}, program {number}");
            assert_eq!(counts(&pieces.1)[..4], counts(&stats)[..4], "{name}, program {number}");
        }
    }
    assert!(divided > 1000, "{divided}");
}

#[test]
fn pieces_make_the_whole() {
    let mut divided = 0;
    for name in MODELS {
        let model = model(name);
        for number in 0..400 {
            let mut rng = generate::rng_for(7, number);
            let program = generate::program(&mut rng);
            for config in configs() {
                let (whole, stats) = at_once(&program, &model, &config);
                assert!(whole.0.is_sorted_by(|a, b| a.0 < b.0), "paths come in order: {program:?}");
                let mut pieces = Seen::default();
                let mut divide = || match rng.random_range(0..4) {
                    0 => Division::Leave,
                    1 => Division::None,
                    _ => Division::Split,
                };
                let sum = explore_in_units(&program, &model, &config, &mut divide, &mut |x| pieces.visit(x))
                    .unwrap_or_else(|e| panic!("{name} {config:?}: {e}: {program:?}"));
                divided += (whole.0 != pieces.0) as u32;
                pieces.0.sort();
                assert_eq!(whole.0, pieces.0, "{name} {config:?} {program:?}");
                assert_eq!(counts(&stats), counts(&sum), "{name} {config:?} {program:?}");
            }
        }
    }
    assert!(divided > 1000, "only {divided} explorations were divided");
}

/// Of some programs, the one with the most executions.
fn larger(seed: u64) -> Program {
    let model = model("rc11");
    let programs = (0..60).map(|number| generate::program(&mut generate::rng_for(seed, number)));
    let most = programs.max_by_key(|p| at_once(p, &model, &Config::default()).1.executions());
    most.expect("there is one")
}

fn team<'a>(model: &'a Model, config: &'a Config, workers: usize) -> Team<'a> {
    Team { alone: Duration::ZERO, tick: Duration::from_millis(3), ..Team::new(model, config, workers) }
}

#[test]
fn any_number_of_workers_finds_the_same() {
    for seed in 20..26 {
        let program = larger(seed);
        for name in ["sc", "rc11"] {
            let model = model(name);
            for config in configs() {
                let (whole, stats) = at_once(&program, &model, &config);
                for workers in 1..=4 {
                    let start = Snapshot::start(Seen::default());
                    let end = team(&model, &config, workers)
                        .explore(&|| program.clone(), &Seen::default(), start, &mut Absent)
                        .expect("threads are ordered");
                    assert_eq!(end.units, []);
                    assert_eq!(end.stats.gave_up, None);
                    assert_eq!(end.visitor.0, whole.0, "{workers} workers, {name} {config:?}");
                    assert_eq!(counts(&end.stats), counts(&stats), "{workers} workers, {name} {config:?}");
                }
            }
        }
    }
}

/// Takes a snapshot whenever it is asked.
struct Curious<'a> {
    asked: &'a OnceLock<()>,
    latest: Option<Snapshot<Patient<'a>>>,
}

/// Ends no execution before the director was asked once.
#[derive(Clone)]
struct Patient<'a> {
    seen: Seen,
    asked: &'a OnceLock<()>,
}

impl<'a> Director<Patient<'a>> for Curious<'a> {
    fn order(&mut self, _: Progress) -> Order {
        let _ = self.asked.set(());
        Order::Snapshot
    }

    fn snapshot(&mut self, snapshot: Snapshot<Patient<'a>>) {
        self.latest = Some(snapshot);
    }
}

impl Visitor<Program> for Patient<'_> {
    fn visit(&mut self, x: &Execution<'_, Program>) -> ControlFlow<()> {
        self.asked.wait();
        self.seen.visit(x)
    }

    fn merge(&mut self, other: Self) {
        self.seen.merge(other.seen);
    }
}

/// An exploration goes on from the end of one that was stopped, and from each snapshot before it.
#[test]
fn explorations_go_on_where_they_stopped() {
    let model = model("rc11");
    let program = larger(31);
    let (whole, stats) = at_once(&program, &model, &Config::default());
    assert!(whole.0.len() > 100, "{}", whole.0.len());
    for workers in 1..=3 {
        let mut at = Snapshot::start(Seen::default());
        let mut stops = 0;
        while !at.units.is_empty() {
            let asked = OnceLock::new();
            let with = |s: Snapshot<Seen>| {
                let visitor = Patient { seen: s.visitor, asked: &asked };
                Snapshot { units: s.units, stats: s.stats, visitor }
            };
            let without =
                |s: Snapshot<Patient>| Snapshot { units: s.units, stats: s.stats, visitor: s.visitor.seen };
            let mut director = Curious { asked: &asked, latest: None };
            let fresh = Patient { seen: Seen::default(), asked: &asked };
            let max_executions = Some(at.stats.executions() + 30);
            let config = Config { max_executions, ..Config::default() };
            let end =
                team(&model, &config, workers).explore(&|| program.clone(), &fresh, with(at), &mut director);
            at = without(end.expect("threads are ordered"));
            stops += at.stats.gave_up.is_some() as u32;
            if let Some(snapshot) = director.latest.map(without) {
                let rest = team(&model, &Config::default(), 2)
                    .explore(&|| program.clone(), &Seen::default(), snapshot, &mut Absent)
                    .expect("threads are ordered");
                assert_eq!(rest.visitor.0, whole.0);
                assert_eq!(counts(&rest.stats), counts(&stats));
            }
        }
        assert!(stops > 2);
        assert_eq!(at.visitor.0, whole.0);
        assert_eq!(counts(&at.stats), counts(&stats));
    }
}

/// Breaks at every third execution, in the order of their values.
#[derive(Clone, Default)]
struct Picky {
    found: Option<(Path, Canon)>,
}

fn is_picked(canon: &Canon) -> bool {
    format!("{canon:?}").bytes().map(u32::from).sum::<u32>() % 29 == 0
}

impl Visitor<Program> for Picky {
    fn visit(&mut self, x: &Execution<'_, Program>) -> ControlFlow<()> {
        let canon = Canon::from_graph(x.graph, true);
        if !is_picked(&canon) {
            return ControlFlow::Continue(());
        }
        self.found = Some((x.path(), canon));
        ControlFlow::Break(())
    }

    fn merge(&mut self, other: Picky) {
        self.found = match (self.found.take(), other.found) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

#[test]
fn the_first_error_is_the_same_for_any_number_of_workers() {
    let model = model("rc11");
    let config = Config::default();
    let mut found = 0;
    for seed in 40..46 {
        let program = larger(seed);
        let (whole, _) = at_once(&program, &model, &config);
        let first =
            whole.0.into_iter().find(|(_, canon, _)| is_picked(canon)).map(|(path, canon, _)| (path, canon));
        found += first.is_some() as u32;
        for workers in 1..=4 {
            let team = Team { deterministic: true, ..team(&model, &config, workers) };
            let start = Snapshot::start(Picky::default());
            let end = team
                .explore(&|| program.clone(), &Picky::default(), start, &mut Absent)
                .expect("threads are ordered");
            assert_eq!(end.visitor.found, first, "{workers} workers");
        }
    }
    assert!(found > 2);
}

#[test]
fn a_limit_of_executions_is_kept_by_any_number_of_workers() {
    let model = model("rc11");
    let program = larger(50);
    let (whole, _) = at_once(&program, &model, &Config::default());
    let half = whole.0.len() as u64 / 2;
    let config = Config { max_executions: Some(half), ..Config::default() };
    for workers in 1..=4 {
        let start = Snapshot::start(Seen::default());
        let end = team(&model, &config, workers)
            .explore(&|| program.clone(), &Seen::default(), start, &mut Absent)
            .expect("threads are ordered");
        assert_eq!(end.stats.executions(), half);
        assert!(end.stats.gave_up.is_some() && !end.units.is_empty());
    }
}

/// Work of another program is refused, or at least does no harm.
#[test]
fn units_that_lead_nowhere_are_errors() {
    let model = model("rc11");
    let config = Config::default();
    let program = larger(51);
    for text in
        ["s99", "c7", "v1", "r1v1", "p4s0", "s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0s0"]
    {
        let unit: Unit = text.parse().expect("a unit");
        let start = Snapshot { units: vec![unit], ..Snapshot::start(Seen::default()) };
        let end = team(&model, &config, 2).explore(&|| program.clone(), &Seen::default(), start, &mut Absent);
        assert!(end.is_err(), "{text}");
    }
}
