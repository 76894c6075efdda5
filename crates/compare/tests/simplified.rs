//! A model that was simplified for the orderings of a program gives the same executions, in the same order,
//! with the same ends and errors, as the model itself (which is compared with the oracle elsewhere).
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_explore::{Config, End, Equivalence, explore};
use selvedge_graph::Mode;
use selvedge_kat::{Dialect, Theory};
use selvedge_machine::program::Instr;
use selvedge_machine::{Foresight, Program};
use selvedge_model::{Classes, Model};
use selvedge_oracle::canon::Canon;
use selvedge_oracle::{generate, generate_model};
use std::ops::ControlFlow;

const MODELS: [&str; 7] = ["sc", "tso", "x86", "pso", "ra", "rc11", "rlx"];

fn programs(default: u64) -> u64 {
    let wanted = std::env::var("SELVEDGE_FUZZ_PROGRAMS").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(default)
}

fn simplified(theory: &Theory, program: &Program) -> Model {
    let classes = program.event_classes().expect("its text says it").into_attrs();
    Model::compile_for(theory, &Classes::new(classes)).expect("admissible as it is")
}

type Seen = Vec<(Canon, End, Vec<String>)>;

fn executions(program: &Program, model: &Model, config: &Config) -> (Seen, [u64; 4]) {
    let mut seen = Vec::new();
    let stats = explore(program, model, config, &mut |x| {
        let errors = x.model_errors().into_iter();
        let errors = errors.map(|e| format!("{} {:?} {:?}", e.name, e.first, e.second)).collect();
        seen.push((Canon::from_graph(x.graph, true), x.end, errors));
        ControlFlow::Continue(())
    });
    let stats = stats.map(|s| [s.revisits, s.events, s.aborted, s.dropped_rmw]);
    (seen, stats.unwrap_or_default())
}

fn configs() -> [Config; 4] {
    let usual = Config::default();
    [
        usual.clone(),
        Config { shortcuts: false, ..usual.clone() },
        Config { inspect: true, races: true, ..usual.clone() },
        Config { equivalence: Equivalence::Rf, ..usual },
    ]
}

/// The same program with fewer orderings.
fn restrained(program: &Program, style: u32, rng: &mut SmallRng) -> Program {
    let mut program = program.clone();
    let some = |rng: &mut SmallRng, modes: &[Mode]| modes[rng.random_range(0..modes.len())];
    for instr in program.threads.iter_mut().flat_map(|t| &mut t.code) {
        let mut set = |mode: &mut Mode, weak: Mode, strong: Mode| {
            *mode = match style {
                0 => Mode::Sc,
                1 => strong,
                2 => Mode::Rlx,
                3 => some(rng, &[strong, Mode::Sc]),
                4 => some(rng, &[Mode::Rlx, strong]),
                5 => some(rng, &[Mode::Na, strong]),
                6 => some(rng, &[Mode::Na, Mode::Sc]),
                _ => weak,
            }
        };
        match instr {
            Instr::Load { mode, .. } => set(mode, Mode::Na, Mode::Acq),
            Instr::Store { mode, .. } => set(mode, Mode::Na, Mode::Rel),
            Instr::Rmw { mode, .. } => set(mode, Mode::Rlx, Mode::AcqRel),
            Instr::Cas { success, failure, .. } => {
                set(success, Mode::Rlx, Mode::AcqRel);
                set(failure, Mode::Rlx, Mode::Acq);
                if *success == Mode::Na || *failure == Mode::Na {
                    (*success, *failure) = (Mode::Rlx, Mode::Rlx);
                }
            }
            Instr::Fence { mode } if style < 5 => set(mode, Mode::AcqRel, Mode::AcqRel),
            _ => {}
        }
        if let Instr::Rmw { mode: mode @ Mode::Na, .. } = instr {
            *mode = Mode::Rlx;
        }
    }
    program
}

fn compare(theory: &Theory, full: &Model, program: &Program) {
    let simple = simplified(theory, program);
    for config in configs() {
        let (expected, found) = (executions(program, full, &config), executions(program, &simple, &config));
        assert!(expected == found, "{} {config:?}\n{program:?}\n{simple:?}", theory.name);
    }
}

#[test]
fn shipped_models() {
    for (name, seed) in MODELS.into_iter().zip(300..) {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let full = Model::compile(&theory).expect("admissible");
        for number in 0..programs(240) {
            let mut rng = generate::rng_for(seed, number);
            let program = generate::program(&mut rng);
            let style = (number % 9) as u32;
            let program = if style == 8 { program } else { restrained(&program, style, &mut rng) };
            compare(&theory, &full, &program);
            assert!(simplified(&theory, &program).slots() <= full.slots());
        }
    }
}

#[test]
fn generated_models() {
    let (mut admitted, mut smaller) = (0, 0);
    for number in 0..programs(400) {
        let mut rng = generate::rng_for(310, number);
        let text = generate_model::model(&mut rng);
        let alone = |_: &str| Err(String::from("no includes"));
        let theory = selvedge_kat::parse("generated", &text, Dialect::Kat, &alone).expect("a model");
        let Ok(full) = Model::compile(&theory) else { continue };
        admitted += 1;
        for style in 0..9 {
            let program = generate::program(&mut rng);
            let program = if style == 8 { program } else { restrained(&program, style, &mut rng) };
            compare(&theory, &full, &program);
            smaller += u32::from(simplified(&theory, &program).slots() < full.slots());
        }
    }
    assert!(admitted > 20 && smaller > 20, "{admitted} admitted, {smaller} simpler");
}

/// What is left of RC11 for some sets of orderings.
#[test]
fn release_acquire_needs_one_clock() {
    let theory = selvedge_kat::load_named("rc11").expect("a shipped model");
    let full = Model::compile(&theory).expect("admissible");
    let ra = Model::compile(&selvedge_kat::load_named("ra").expect("a shipped model")).expect("admissible");
    let mut rng = generate::rng_for(1, 1);
    let program = generate::program(&mut rng);
    let slots = |style| {
        let mut program = restrained(&program, style, &mut generate::rng_for(1, 2));
        program.threads.iter_mut().for_each(|t| t.code.retain(|i| !matches!(i, Instr::Fence { .. })));
        simplified(&theory, &program).slots()
    };
    // `hb` is `(po | rf)+`, which the explorer needs anyway.
    assert_eq!((slots(0), slots(1), ra.slots()), (1, 1, 1));
    // Without acquire it is `po`.
    assert_eq!(slots(2), 2);
    // With plain accesses, some `rf` is not in it; but no word takes more than one step.
    assert_eq!(slots(5), 2);
    assert!(full.slots() > 2);
}
