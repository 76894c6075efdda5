//! From sources and options to a machine.

use super::limits;
use crate::args::CheckArgs;
use crate::direct::reason_to_stop;
use crate::error::{ErrorKind, InputError};
use crate::escape::name;
use crate::guard::{self, Phase};
use selvedge_explore::premises::{ProgramFacts, sound};
use selvedge_graph::Attrs;
use selvedge_kat::Theory;
use selvedge_machine::{EventClasses, Machine, Reduction, Reductions};
use selvedge_model::{Classes, Model, Properties, Property};
use selvedge_vm::ir::Module;
use selvedge_vm::{LoopBound, Options, VmMachine};
use std::borrow::Cow;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The command that is installed beside this one.
const LOWER: &str = "selvedge-lower";

/// The exit code of the child for what is too large.
const TOO_LARGE: i32 = 3;

/// How the standard libraries, LLVM and clang say that they do not get memory.
const OUT_OF_MEMORY: [&str; 4] =
    ["out of memory", "bad_alloc", "memory allocation of", "Cannot allocate memory"];

/// How long a child may take to end that nobody needs any more.
const PATIENCE: Duration = Duration::from_secs(2);

fn bad(message: String, help: Option<&str>) -> InputError {
    InputError::plain(ErrorKind::Compile, message, help)
}

/// Sources that are lowered in a child process, so that LLVM's memory is gone before the exploration starts, and a
/// crash of it is a message.
pub struct Lowering {
    /// Until it was waited for.
    child: Option<Child>,
    /// The child ends when this closes, so that it does not outlive this process, however that ends.
    leash: Option<ChildStdin>,
}

impl Lowering {
    pub fn start(
        files: &[PathBuf],
        disable: Reductions,
        strict_bounds: bool,
        clang: &[String],
    ) -> Result<Lowering, InputError> {
        let me = std::env::current_exe().map_err(|e| bad(format!("cannot find this program: {e}"), None))?;
        let compiler = me.with_file_name(LOWER);
        let mut command = Command::new(&compiler);
        if let Some(most) = limits::most_bytes() {
            command.arg(format!("--most-bytes={most}"));
        }
        let mut child = command
            .arg("--leash")
            .arg(format!("--disable={disable}"))
            .args(strict_bounds.then_some("--strict-bounds"))
            .args(files)
            .arg("--")
            .args(clang)
            // Ctrl-C is for this process, which says what to do.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| {
                let help = "it is installed with `selvedge`, in the same directory";
                bad(format!("cannot start {}: {e}", name(&compiler)), Some(help))
            })?;
        guard::watch_child(child.id());
        let leash = child.stdin.take();
        Ok(Lowering { child: Some(child), leash })
    }

    pub fn finish(mut self) -> Result<Module, InputError> {
        guard::enter(Phase::Compiling);
        let child = self.child.take().expect("is waited for once");
        let id = child.id();
        let output = child.wait_with_output();
        guard::watch_child(0);
        if output.as_ref().is_ok_and(|output| output.status.code().is_none()) {
            clean_up(id);
        }
        let output = output.map_err(|e| bad(format!("cannot read from {LOWER}: {e}"), None))?;
        // It may have been gone before anybody looked.
        if limits::most_bytes().is_some_and(|most| limits::children_bytes() > most) {
            guard::end(&limits::out_of_memory());
        }
        if output.status.success() {
            guard::enter(Phase::Preparing);
            let text = String::from_utf8_lossy(&output.stdout);
            return selvedge_vm::text::parse(&text)
                .map_err(|e| bad(format!("the lowered program cannot be read back: {e}"), None));
        }
        let text = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        // An end that this process was asked for, or that it asked for, is no crash.
        if let Some(why) = reason_to_stop() {
            guard::end(&why);
        }
        let out_of_memory = OUT_OF_MEMORY.iter().any(|words| text.contains(words));
        if limits::most_bytes().is_some() && out_of_memory {
            guard::end(&limits::out_of_memory());
        }
        if output.status.code() == Some(TOO_LARGE) {
            guard::end(&text);
        }
        if matches!(output.status.signal(), Some(libc::SIGINT | libc::SIGTERM)) {
            guard::end("interrupted");
        }
        Err(match output.status.code() {
            Some(_) if text.is_empty() => bad(format!("{LOWER} failed ({})", output.status), None),
            Some(_) => bad(text, None),
            None => bad(
                format!("LLVM crashed on this input ({}) {text}", output.status),
                Some("try another clang flag"),
            ),
        })
    }
}

impl Drop for Lowering {
    /// Nobody wants the result. Where it can, the child leaves nothing behind.
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        drop((self.leash.take(), child.stdout.take(), child.stderr.take()));
        guard::watch_child(0);
        let begin = Instant::now();
        while let Ok(None) = child.try_wait() {
            if begin.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                return clean_up(child.id());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Removes the header that a child leaves behind that crashed.
fn clean_up(child: u32) {
    let directory = std::env::temp_dir().join(format!("selvedge-headers-{child}"));
    let _ = std::fs::remove_file(directory.join("selvedge.h"));
    let _ = std::fs::remove_dir(directory);
}

pub fn lower(files: &[PathBuf], disable: Reductions, clang: &[String]) -> Result<Module, InputError> {
    Lowering::start(files, disable, false, clang)?.finish()
}

/// What reductions have to know of a program.
pub fn facts(module: &Module, races_are_errors: bool) -> ProgramFacts {
    let atomic_sections = module.functions.iter().any(|f| f.name.starts_with("__VERIFIER_atomic_"));
    ProgramFacts { races_are_errors, atomic_sections }
}

/// The reductions that are sound for a program under a model.
pub fn reductions_for(module: &Module, args: &CheckArgs, properties: &Properties) -> Reductions {
    sound(args.disable, properties, &facts(module, !args.no_race_detection)).on
}

/// Those that are worth preparing the program for, while the model is not compiled yet.
pub fn hoped_for(theory: &Theory, wanted: Reductions, races_are_errors: bool) -> Reductions {
    sound(wanted, &Properties::hoped_for(theory), &ProgramFacts::unknown(races_are_errors)).on
}

/// An atomic section is one step of an interleaving: models whose executions have none do not say what it is.
pub fn refuse_sections(machine: &VmMachine, properties: &Properties, name: &str) -> Result<(), InputError> {
    if !machine.has_sections() || properties.has(Property::Interleaving) {
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
