//! Explores a C program under a model that follows dependencies: by one worker, from the beginning.

use super::explore::{Run, finder};
use crate::args::CheckArgs;
use crate::direct::reason_to_stop;
use crate::error::{ErrorKind, InputError};
use selvedge_explore::{Config, Visitor, explore_compiled};
use selvedge_model::Compiled;
use selvedge_vm::VmMachine;

/// Every step of this exploration costs more the longer an execution is; beyond this it would not end.
const MOST_EVENTS: usize = 1000;

/// Says what cannot be asked for under such a model.
pub fn refuse_options(args: &CheckArgs, model: &str) -> Result<(), InputError> {
    let option = match () {
        () if args.checkpoint.is_some() => "--checkpoint",
        () if args.resume.is_some() => "--resume",
        () => return Ok(()),
    };
    let message =
        format!("`{option}` is not supported under the model `{model}`, which follows dependencies");
    Err(InputError::plain(ErrorKind::Unsupported, message, None))
}

pub fn explore(model: &Compiled, args: &CheckArgs, machine: &mut VmMachine) -> Result<Run, InputError> {
    let config = Config {
        inspect: true,
        races: !args.no_race_detection,
        max_events: args.max_events.min(MOST_EVENTS),
        watch: Some(reason_to_stop),
        ..Config::default()
    };
    loop {
        let mut visitor = finder(args);
        let stats = explore_compiled(&*machine, model, &config, &mut |x| visitor.visit(x))
            .map_err(|error| InputError::plain(ErrorKind::Unsupported, error.to_string(), None))?;
        if machine.refine() {
            continue;
        }
        return Ok(Run { stats, results: visitor.results(), is_settled: true, alike: 0 });
    }
}
