//! What Selvedge says of the programs of a file: it is lowered once, and each program is explored by itself.

use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, explore};
use selvedge_ir::Module;
use selvedge_machine::Names;
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was found in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Verified,
    /// The kind of the error, and its line.
    Error(String, u32),
    /// Anything else.
    Other(String),
}

/// The command that lowers, where it is built or installed: beside this one.
pub fn lower_command() -> PathBuf {
    let me = std::env::current_exe().unwrap_or_default();
    me.with_file_name("selvedge-lower")
}

pub fn lower(command: &Path, file: &Path) -> Result<Module, String> {
    let run = Command::new(command).arg("--disable=").arg(file).args(["--", "-w", "-std=c11"]).output();
    let run = run.map_err(|e| format!("cannot run {}: {e}", command.display()))?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    selvedge_ir::text::parse(&String::from_utf8_lossy(&run.stdout)).map_err(|e| e.to_string())
}

pub fn model() -> Result<Model, String> {
    let theory = selvedge_kat::load_named("rc11").map_err(|e| e.to_string())?;
    Model::compile(&theory).map_err(|e| e.to_string())
}

/// The program of this number alone: its `main`, and nothing of the others.
fn alone(module: &Module, number: u64) -> Module {
    let own = format!("p{number}_");
    let is_other = |name: &str| {
        let digits = name.strip_prefix('p').and_then(|rest| rest.split_once('_'));
        name == "main" || digits.is_some_and(|(n, _)| n.parse::<u64>().is_ok()) && !name.starts_with(&own)
    };
    let mut one = Module { functions: Vec::new(), ..module.clone() };
    for function in &module.functions {
        let mut function = match is_other(&function.name) {
            false => function.clone(),
            true => {
                let (code, places, loops, locals) = Default::default();
                let name = format!("other {}", function.name);
                selvedge_ir::Function { name, code, places, loops, locals, ..function.clone() }
            }
        };
        if function.name == format!("{own}main") {
            function.name = String::from("main");
        }
        one.functions.push(function);
    }
    one
}

pub fn verdict(module: &Module, number: u64, model: &Model) -> Verdict {
    let options = Options { max_threads: 1, unroll: 64, ..Options::default() };
    let mut machine = match VmMachine::new(alone(module, number), options) {
        Ok(machine) => machine,
        Err(error) => return Verdict::Other(error.to_string()),
    };
    let config = Config { inspect: true, ..Config::default() };
    let settled = settle(&mut machine, config, |machine, config| {
        let mut verdict = None;
        let mut visit = |x: &Execution<'_, VmMachine>| {
            let error = if let Some(failure) = x.failure() {
                let place = x.state_of(failure.event).and_then(|s| machine.place(s));
                Some((failure.kind.to_string(), place))
            } else {
                x.program_error()
                    .map(|(t, error)| (error.kind.to_string(), x.state(t).and_then(|s| machine.place(s))))
            };
            verdict = Some(match (error, x.end) {
                (Some((kind, place)), _) => Verdict::Error(kind, place.map_or(0, |p| p.line)),
                (None, End::Complete) => Verdict::Verified,
                (None, end) => Verdict::Other(format!("{end:?}")),
            });
            ControlFlow::Break(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        let why =
            || Verdict::Other(stats.gave_up.as_ref().map_or("no execution".into(), ToString::to_string));
        let result = verdict.unwrap_or_else(why);
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result })
    });
    settled.unwrap_or_else(|error| Verdict::Other(error.to_string()))
}
