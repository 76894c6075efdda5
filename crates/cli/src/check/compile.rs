//! From sources and options to a machine.

use crate::args::CheckArgs;
use crate::error::{ErrorKind, InputError};
use selvedge_graph::Attrs;
use selvedge_kat::Theory;
use selvedge_machine::{EventClasses, Machine, Reduction, Reductions};
use selvedge_model::{Classes, Model};
use selvedge_vm::ir::Module;
use selvedge_vm::{LoopBound, Options, VmMachine};
use std::borrow::Cow;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The command that is installed beside this one.
const LOWER: &str = "selvedge-lower";

fn bad(message: String, help: Option<&str>) -> InputError {
    InputError::plain(ErrorKind::Compile, message, help)
}

/// Sources that are lowered in a child process, so that LLVM's memory is gone before the exploration starts, and a
/// crash of it is a message.
pub struct Lowering {
    /// Until it was waited for.
    child: Option<Child>,
}

impl Lowering {
    pub fn start(files: &[PathBuf], disable: Reductions, clang: &[String]) -> Result<Lowering, InputError> {
        let me = std::env::current_exe().map_err(|e| bad(format!("cannot find this program: {e}"), None))?;
        let compiler = me.with_file_name(LOWER);
        let child = Command::new(&compiler)
            .arg(format!("--disable={disable}"))
            .args(files)
            .arg("--")
            .args(clang)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| {
                let help = "it is installed with `selvedge`, in the same directory";
                bad(format!("cannot start {}: {e}", compiler.display()), Some(help))
            })?;
        Ok(Lowering { child: Some(child) })
    }

    pub fn finish(mut self) -> Result<Module, InputError> {
        let child = self.child.take().expect("is waited for once");
        let output = child.wait_with_output();
        let output = output.map_err(|e| bad(format!("cannot read from {LOWER}: {e}"), None))?;
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout);
            return selvedge_vm::text::parse(&text)
                .map_err(|e| bad(format!("the lowered program cannot be read back: {e}"), None));
        }
        let text = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        Err(match output.status.code() {
            Some(_) => bad(text, None),
            None => bad(
                format!("LLVM crashed on this input ({}) {text}", output.status),
                Some("try another clang flag"),
            ),
        })
    }
}

impl Drop for Lowering {
    /// Nobody wants the result: lets it end without a reader, so that it leaves nothing behind.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop((child.stdout.take(), child.stderr.take()));
            let _ = child.wait();
        }
    }
}

pub fn lower(files: &[PathBuf], disable: Reductions, clang: &[String]) -> Result<Module, InputError> {
    Lowering::start(files, disable, clang)?.finish()
}

/// The reductions that are sound here. That a write to an object is not seen before the object is passed on
/// may fail to hold where it can overtake the write that passes it on, unless that is a race, and so an error
/// of its own. What confirmation and iterations without net effect need was shown for the models that come with
/// Selvedge: a read may as well see the write that a read-modify-write before its source has seen.
pub fn sound_reductions(wanted: Reductions, model: &str, races: bool) -> Reductions {
    let mut reductions = wanted;
    let in_order = matches!(model, "sc" | "tso" | "ra");
    if !in_order && (model != "rc11" || !races) {
        reductions = reductions.without(Reduction::Escape);
    }
    if !in_order && !matches!(model, "pso" | "rc11") {
        reductions = reductions.without(Reduction::Confirmation).without(Reduction::Zne);
    }
    reductions
}

/// The same for a program. What confirmation and iterations without net effect leave out was not shown to have an
/// equivalent in which atomic sections are one step.
pub fn reductions_for(module: &Module, args: &CheckArgs) -> Reductions {
    let reductions = sound_reductions(args.disable, &args.model, !args.no_race_detection);
    match module.functions.iter().any(|f| f.name.starts_with("__VERIFIER_atomic_")) {
        true => reductions.without(Reduction::Confirmation).without(Reduction::Zne),
        false => reductions,
    }
}

/// An atomic section is one step of an interleaving: models whose executions have none do not say what it is.
pub fn refuse_sections(machine: &VmMachine, model: Option<&Model>, name: &str) -> Result<(), InputError> {
    if !machine.has_sections() || model.is_some_and(Model::is_interleaving) {
        return Ok(());
    }
    let message = format!(
        "this program has atomic sections (`__VERIFIER_atomic_…`), which are one step of an interleaving; under the \
         model `{name}` an execution need not have one"
    );
    Err(InputError::plain(ErrorKind::Unsupported, message, Some("use `-m sc`")))
}

/// `NAME=VALUE`.
pub fn environment(texts: &[String]) -> Result<Vec<(String, String)>, InputError> {
    let parsed = texts.iter().map(|text| {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            let message = format!("`{text}` is not a variable of the environment");
            InputError::plain(ErrorKind::Unsupported, message, Some("write NAME=VALUE"))
        })?;
        Ok((name.to_string(), value.to_string()))
    });
    parsed.collect()
}

/// Races are errors of the language: what C says of them counts under all models that do not say themselves what an
/// error is.
pub fn with_races(model: &Model, off: bool) -> Result<Cow<'_, Model>, InputError> {
    if off || model.defines_errors() {
        return Ok(Cow::Borrowed(model));
    }
    let refuse = |d| InputError::new(ErrorKind::Model, d);
    let theory = selvedge_kat::races_of_c().map_err(refuse)?;
    let races = match model.classes() {
        Some(classes) => Model::compile_for(&theory, classes),
        None => Model::compile(&theory),
    };
    model.with_errors_of(&races.map_err(refuse)?).map(Cow::Owned).ok_or_else(|| {
        let message =
            format!("the model `{}` has too many views to look for data races as well", model.name());
        InputError::plain(ErrorKind::Model, message, Some("use `--no-race-detection`"))
    })
}

/// `FUNCTION=N`, `LINE=N` or `FUNCTION:LINE=N`.
pub fn loop_bound(text: &str) -> Result<LoopBound, InputError> {
    let parsed = text.split_once('=').and_then(|(which, bound)| {
        let bound = bound.parse().ok()?;
        let (function, line) = match which.split_once(':') {
            Some((function, line)) => (Some(function), Some(line.parse().ok()?)),
            None => match which.parse() {
                Ok(line) => (None, Some(line)),
                Err(_) => (Some(which), None),
            },
        };
        Some(LoopBound { function: function.map(String::from), line, bound })
    });
    parsed.ok_or_else(|| {
        let help = "write FUNCTION=N, LINE=N or FUNCTION:LINE=N";
        InputError::plain(ErrorKind::Unsupported, format!("`{text}` is not a bound of a loop"), Some(help))
    })
}

pub fn loop_bounds(texts: &[String]) -> Result<Vec<LoopBound>, InputError> {
    texts.iter().map(|text| loop_bound(text)).collect()
}

pub fn machine(module: &Module, options: Options) -> Result<VmMachine, InputError> {
    VmMachine::new(module.clone(), options)
        .map_err(|e| InputError::plain(ErrorKind::Compile, e.to_string(), None))
}

/// The model as far as it matters for the orderings that a program uses.
pub fn simplified(
    theory: &Theory,
    wanted: Reductions,
    machine: &impl Machine,
) -> Result<Option<Model>, InputError> {
    let classes = machine.event_classes().filter(|_| wanted.has(Reduction::Simplification));
    let compile = |classes: EventClasses| Model::compile_for(theory, &Classes::new(classes.into_attrs()));
    classes.map(compile).transpose().map_err(|d| InputError::new(ErrorKind::Model, d))
}

/// The model with what symmetry needs, if the program has threads that may do the same, and read-modify-writes, by which
/// they are put in order.
pub fn with_symmetry<'m>(model: &'m Model, machine: &impl Machine) -> Cow<'m, Model> {
    let rmws = || machine.event_classes().is_none_or(|classes| classes.has(Attrs::UR));
    if machine.has_twins() && rmws() { Cow::Owned(model.with_prefix_apart()) } else { Cow::Borrowed(model) }
}
