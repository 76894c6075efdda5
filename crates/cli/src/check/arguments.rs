//! From arguments to a check.

use crate::args::{CheckArgs, Engine, UnknownFunctions, Volatile};
use selvedge_check::{
    Cancel, Check, Checkpoints, FOUND_AS_RACES, InputError, InputKind, Limits, Options, Program, Sources,
};
use selvedge_ir::Module;
use selvedge_machine::{ErrorKind, ErrorKinds, Reduction};
use selvedge_vm::{LoopBound, NondetRange};
use std::path::PathBuf;

/// Iterations after which a loop is cut.
const DEFAULT_UNROLL: u32 = 16;

/// What is asked for.
pub fn check_of(args: &CheckArgs, cancel: Cancel) -> Result<Check, InputError> {
    let theory = selvedge_kat::load_named(args.model()).map_err(InputError::of_model)?;
    let reductions = match args.no_bam {
        true => args.reductions.without(Reduction::Bam),
        false => args.reductions,
    };
    let reductions = match args.engine {
        Engine::States => reductions.for_states(),
        Engine::Auto | Engine::Executions => reductions,
    };
    let errors = args.errors.unwrap_or(ErrorKinds::ALL);
    // Who asks for none of these has plain accesses explored like relaxed ones.
    let races = FOUND_AS_RACES.iter().any(|kind| errors.has(*kind));
    if args.no_race_detection && args.errors.is_some_and(|errors| errors.has(ErrorKind::DataRace)) {
        let message = "`--errors` asks for data races, and `--no-race-detection` for none";
        return Err(InputError::plain(InputKind::Unsupported, message, None));
    }
    let leaks = args.leaks || args.errors.is_some_and(|errors| errors.has(ErrorKind::Leak));
    let managed = assembly_of(
        &args.files,
        &Managed {
            references: &args.reference,
            // A search through states looks at them itself.
            invariants: if args.engine == Engine::States { &[] } else { &args.invariant },
            timeouts: args.timeouts,
            whole_library: args.whole_library,
        },
    )?;
    let errors = match (&managed, args.errors) {
        (Some(_), None) => errors_of_dotnet(errors),
        _ => errors,
    };
    let races = races && managed.is_none();
    let unroll = args.unroll.unwrap_or(DEFAULT_UNROLL);
    let mut unroll_some = loop_bounds(&args.unroll_loop)?;
    unroll_some.extend(managed.iter().flat_map(|module| bounds_of_library(module, unroll)));
    let options = Options {
        unroll,
        grow: args.unroll.is_none(),
        unroll_some,
        most_threads: args.threads_max,
        most_events: args.max_events,
        most_executions: args.max_executions,
        equivalence: args.equivalence.into(),
        reductions,
        races: races && !args.no_race_detection,
        races_aside: false,
        warn_of_races: managed.is_some() && !args.no_race_detection,
        leaks,
        errors: if leaks { errors.with(ErrorKind::Leak) } else { errors },
        all_errors: args.all_errors,
        output: args.show_output,
        record: false,
        weak_failures: args.weak_cas,
        joined_panics: args.joined_panics,
        args: args.args.clone(),
        env: environment(&args.env)?,
        unknown_functions: args.unknown_functions == UnknownFunctions::Input,
        nondet_range: args.nondet_range.as_deref().map(nondet_range).transpose()?,
        workers: args.jobs.workers(),
        deterministic: args.deterministic,
        seed: args.seed,
        scouts: None,
        at_first: None,
        checkpoint: args.checkpoint.clone().map(|file| Checkpoints { file, every: args.checkpoint_every }),
        resume: args.resume.clone(),
        persist: args.crashes.persist()?,
        disk: args.crashes.disk(),
    };
    let limits = limits_of(args);
    if let Some(module) = managed {
        let check = Check { program: Program::Module(Box::default()), theory, options, limits, cancel };
        return Ok(check.prepared(module));
    }
    let sources = Sources {
        files: args.files.clone(),
        clang: args.clang.clone(),
        strict_bounds: args.strict_bounds,
        volatile_atomic: args.volatile == Volatile::Atomic,
        names: false,
        compiler: None,
    };
    Ok(Check { program: Program::Sources(sources), theory, options, limits, cancel })
}

/// Kinds of errors that are none in .NET.
const NOT_OF_DOTNET: [ErrorKind; 3] =
    [ErrorKind::UnpublishedObject, ErrorKind::InvalidJoin, ErrorKind::DataRace];

/// Iterations of loops in constructors, which fill what nobody else has yet.
const FILLING: u32 = 1 << 12;

/// Iterations of loops of `ReaderWriterLockSlim`: it spins twenty times before it waits.
const SPINNING: u32 = 24;

/// Loops with a bound of their own: of constructors, and of what spins so many times and then waits.
pub fn bounds_of_library(module: &Module, unroll: u32) -> Vec<LoopBound> {
    let bound_of = |name: &str| match name {
        _ if name.ends_with("..ctor") || name.ends_with("..cctor") => Some(FILLING),
        _ if name.starts_with("System.Threading.ReaderWriterLockSlim.TryEnter") => Some(SPINNING.max(unroll)),
        _ => None,
    };
    let named = module.functions.iter().filter_map(|f| Some((f.name.clone(), bound_of(&f.name)?)));
    named.map(|(name, bound)| LoopBound { function: Some(name), line: None, bound }).collect()
}

/// What is not an error there is not looked for: plain accesses may race, nobody frees anything, and threads
/// may be joined twice.
pub fn errors_of_dotnet(errors: ErrorKinds) -> ErrorKinds {
    NOT_OF_DOTNET.iter().fold(errors, |kinds, kind| kinds.without(*kind))
}

/// How a .NET program is read.
#[derive(Default)]
pub struct Managed<'a> {
    pub references: &'a [PathBuf],
    pub invariants: &'a [String],
    pub timeouts: bool,
    pub whole_library: bool,
}

/// The bytecode of a .NET program, if that is what there is to check.
pub fn assembly_of(files: &[PathBuf], how: &Managed<'_>) -> Result<Option<Module>, InputError> {
    if !files.iter().any(|file| selvedge_dotnet::is_assembly(file)) {
        return Ok(None);
    }
    let [file] = files else {
        let message = "a .NET program is one assembly; others are found by the references that it has";
        let help = "say where they are with --reference";
        return Err(InputError::plain(InputKind::Unsupported, message, Some(help)));
    };
    let options = selvedge_dotnet::Options {
        references: how.references.to_vec(),
        invariants: how.invariants.to_vec(),
        timeouts: how.timeouts,
        whole_library: how.whole_library,
    };
    let refuse = |error: selvedge_dotnet::CompileError| {
        InputError::plain(InputKind::Compile, error.message, error.help.as_deref())
    };
    selvedge_dotnet::compile(file, &options).map(Some).map_err(refuse)
}

pub fn limits_of(args: &CheckArgs) -> Limits {
    Limits { seconds: args.time_limit, megabytes: args.mem_limit }
}

/// `LOW..HIGH`.
fn nondet_range(text: &str) -> Result<NondetRange, InputError> {
    let parsed = text.split_once("..").and_then(|(low, high)| {
        let range = NondetRange { low: low.trim().parse().ok()?, high: high.trim().parse().ok()? };
        (range.low <= range.high).then_some(range)
    });
    parsed.ok_or_else(|| {
        let help = "write LOW..HIGH, as in -8..7";
        InputError::plain(InputKind::Unsupported, format!("`{text}` is not a range of numbers"), Some(help))
    })
}

/// `NAME=VALUE`.
fn environment(texts: &[String]) -> Result<Vec<(String, String)>, InputError> {
    let parsed = texts.iter().map(|text| {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            let message = format!("`{text}` is not a variable of the environment");
            InputError::plain(InputKind::Unsupported, message, Some("write NAME=VALUE"))
        })?;
        Ok((name.to_string(), value.to_string()))
    });
    parsed.collect()
}

/// `FUNCTION=N`, `LINE=N` or `FUNCTION:LINE=N`.
fn loop_bound(text: &str) -> Result<LoopBound, InputError> {
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
        InputError::plain(InputKind::Unsupported, format!("`{text}` is not a bound of a loop"), Some(help))
    })
}

pub fn loop_bounds(texts: &[String]) -> Result<Vec<LoopBound>, InputError> {
    texts.iter().map(|text| loop_bound(text)).collect()
}
