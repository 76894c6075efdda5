//! Errors that few iterations show are found with few iterations.
//!
//! A program whose loops have no end of their own is explored up to a bound, and with the bound grows all
//! that happens before the error, if there is one: threads that are created for ever, workers that go round
//! for ever, loops up to a number that nobody knows. So it is first explored with small bounds, and not for
//! long. What is found is an error: a bound ends an execution, it changes nothing in it. If nothing is
//! found, nothing is concluded from that, and the program is explored as it was to be; unless no loop ran
//! into its bound and nothing else was left out, for then this was it.
//!
//! The first look is short. If no loop has run into the small bound until then, bounds are not what makes
//! the program large.

use crate::campaign::{Campaign, Run, Under};
use crate::error::InputError;
use crate::observer::Nobody;
use crate::options::Options;
use crate::prepare::{FEW_THREADS, Ground};
use selvedge_explore::Watch;
use selvedge_ir::Module;
use selvedge_machine::ErrorKind;
use selvedge_vm::VmMachine;

/// How many executions the first look has.
const GLANCE: u64 = 64;

/// Bounds, and how many executions are looked at with each.
const STAGES: [(u32, u64); 3] = [(2, GLANCE), (2, 3_000), (4, 3_000)];

/// Whether there is anything to be gained. Who wants to see all of it, to interrupt it, or said himself what
/// the bounds are, has one exploration.
fn is_worth_it(options: &Options) -> bool {
    let one = options.checkpoint.is_some() || options.resume.is_some() || options.persist.is_some();
    let all = options.all_errors
        || options.deterministic
        || options.output
        || options.record
        || options.most_executions.is_some();
    options.grow && options.unroll > STAGES[STAGES.len() - 1].0 && !one && !all
}

/// Looks at a program with small bounds. `None`: there is more to it.
pub(crate) fn look(
    ground: &Ground,
    module: &Module,
    under: Under<'_>,
    options: &Options,
    watch: &Watch,
) -> Result<Option<(VmMachine, Run)>, InputError> {
    if !is_worth_it(options) {
        return Ok(None);
    }
    for (bound, executions) in STAGES {
        let ground = ground.briefly(bound, executions);
        let mut machine = ground.machine(module, FEW_THREADS)?;
        let mut campaign = Campaign { model: under, options, watch, writer: None };
        let run = campaign.explore(&mut machine, ground.config, options.most_threads, None, &mut Nobody)?;
        let violations = &run.results.violations;
        if violations.iter().any(|violation| violation.kind == ErrorKind::Unsupported) {
            continue;
        }
        let cut = run.stats.cut > 0 || !machine.cut_loops().is_empty() || machine.leaves_out_inputs();
        let ended = run.stats.gave_up.is_none();
        if !violations.is_empty() || ended && !cut {
            return Ok(Some((machine, run)));
        }
        // Either that is not it, or time is up.
        if !cut || watch.reason().is_some() {
            return Ok(None);
        }
    }
    Ok(None)
}
