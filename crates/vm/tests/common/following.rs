//! Exploring under models that follow dependencies, as a check does: in program order, and by dependencies if
//! that does not do.

use super::generated::{State, final_state};
use selvedge_check::{Attempt, compile, settle};
use selvedge_explore::premises::{ProgramFacts, properties_of, sound};
use selvedge_explore::{Config, End, Execution, GaveUp, Watches, Way, explore, explore_compiled};
use selvedge_ir::{Module, passes, text};
use selvedge_kat::Property;
use selvedge_machine::{Again, Reduction, Reductions};
use selvedge_model::{Compiled, Properties};
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Those that are tried in program order.
pub const FOLLOWING: [&str; 4] = ["imm", "armv8", "riscv", "power"];

/// A model that follows dependencies.
pub struct Following {
    compiled: Compiled,
    properties: Properties,
}

/// What was found.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Seen {
    pub states: BTreeSet<State>,
    pub kinds: BTreeSet<String>,
    pub complete: u64,
    pub blocked: u64,
    pub cut: u64,
    /// Some execution waits for ever.
    pub stuck: bool,
    /// Program order did not do.
    pub by_dependencies: bool,
}

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub reductions: Reductions,
    /// Whether to try program order.
    pub in_order: bool,
    /// Whether to go on by dependencies where that does not do.
    pub go_on: bool,
    pub unroll: u32,
    pub most: u64,
}

impl Following {
    pub fn new(name: &str) -> Following {
        let theory = selvedge_kat::load_named(name).unwrap_or_else(|e| panic!("{e}"));
        let compiled = compile(&theory).unwrap_or_else(|e| panic!("{e}"));
        let properties = properties_of(&theory, &compiled);
        Following { compiled, properties }
    }

    /// The reductions that are on in program order, of those that are wanted.
    fn in_order(&self, wanted: Reductions) -> Reductions {
        let mut properties = self.properties.clone();
        properties.decide(Property::PorfAcyclic, "it is watched");
        let on = sound(wanted, &properties, &ProgramFacts::unknown(false)).on;
        Reduction::ALL.into_iter().filter(|r| !Way::holds_in_order(*r)).fold(on, Reductions::without)
    }

    /// Explores a program; `None` if there is too much of it.
    pub fn explore(&self, program: &str, how: How) -> Option<Seen> {
        let mut module = text::parse(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
        passes::run(&mut module, self.in_order(how.reductions));
        let first = if how.in_order { self.once(&module, how) } else { None };
        match first {
            Some((_, Some(GaveUp::Again(Again::LoadBuffering)))) | None if !how.go_on => None,
            Some((_, Some(GaveUp::Again(Again::LoadBuffering)))) | None => {
                let (seen, gave_up) = self.once(&module, How { in_order: false, ..how })?;
                gave_up.is_none().then_some(Seen { by_dependencies: true, ..seen })
            }
            Some((seen, gave_up)) => gave_up.is_none().then_some(seen),
        }
    }

    fn once(&self, module: &Module, how: How) -> Option<(Seen, Option<GaveUp>)> {
        let Compiled::Matrices(relational) = &self.compiled else { panic!("a model without dependencies") };
        let own = Options { max_threads: 6, unroll: how.unroll, track_deps: true, ..Options::default() };
        let ground = Config { inspect: true, max_executions: Some(how.most), ..Config::default() };
        let (options, config) = match how.in_order {
            true => {
                let reductions = self.in_order(how.reductions);
                let leave_out_relaxed = self.properties.has(Property::ForgetsRmws);
                let options = Options {
                    reductions,
                    in_order: true,
                    leave_out_relaxed,
                    repeats_reads: false,
                    unordered_barriers: false,
                    ..own
                };
                (options, Config { reductions, watches: Watches::all(), ..ground })
            }
            false => {
                let facts = ProgramFacts::unknown(false);
                let reductions = sound(how.reductions, &self.properties, &facts).on;
                let options = Options { reductions, unordered_barriers: false, ..own };
                (options, Config { reductions: Reductions::NONE, in_order: false, ..ground })
            }
        };
        let mut machine = VmMachine::new(module.clone(), options).unwrap_or_else(|e| panic!("{e}"));
        let in_order = match how.in_order {
            true => Some(Way::in_order(&machine, relational, &config)?),
            false => None,
        };
        let settled = settle(&mut machine, config, |machine, config| {
            let mut seen = Seen::default();
            let mut visit = |x: &Execution<'_, VmMachine>| {
                if let Some(failure) = x.failure() {
                    seen.kinds.insert(failure.kind.to_string());
                } else if let Some((_, error)) = x.program_error() {
                    seen.kinds.insert(error.kind.to_string());
                }
                seen.stuck |= x.stuck().is_some();
                if x.end == End::Complete {
                    let state = final_state(machine, x);
                    seen.states.insert(state.into_iter().filter(|(_, value)| *value != 0).collect());
                }
                ControlFlow::Continue(())
            };
            let stats = match in_order {
                Some(model) => explore(machine, model, config, &mut visit),
                None => explore_compiled(machine, &self.compiled, config, &mut visit),
            };
            let stats = stats.unwrap_or_else(|e| panic!("{e}"));
            (seen.complete, seen.blocked, seen.cut) = (stats.complete, stats.blocked, stats.cut);
            match stats.gave_up {
                // That is for the caller to do otherwise.
                Some(GaveUp::Again(Again::LoadBuffering)) => Err((seen, stats.gave_up)),
                gave_up => Ok(Attempt { gave_up: gave_up.clone(), found: false, result: (seen, gave_up) }),
            }
        });
        Some(settled.unwrap_or_else(|given_up| given_up))
    }
}
