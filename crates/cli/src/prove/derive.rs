//! `selvedge prove barrier.c --threads worker`: the system that a function of a program is.

use super::args::ProveArgs;
use crate::check::{columns, wrap};
use crate::error::{InputError, InputKind};
use selvedge_check::{Check, Nobody, Sources, Stopped};
use selvedge_prove::system::System;

/// Numbers of threads that a program is compiled for: around powers of two, and between.
const SIZES: [u64; 14] = [3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 32, 1, 2];

/// So many of them have to be of one kind. With one or two threads, programs may be others: compilers see
/// more.
const ALIKE: usize = 12;

/// A system that was derived.
pub struct Derived {
    /// Its text.
    pub text: String,
    /// With what the invariant file says of it.
    pub system: System,
    /// The numbers of threads that it was seen to be right for.
    pub seen: &'static [u64],
}

/// Whether a system is derived from a program.
pub fn is_program(args: &ProveArgs) -> Result<bool, InputError> {
    let system = args.file.extension().is_some_and(|e| e == "par");
    let wrong =
        |message: &str, help: &str| Err(InputError::plain(InputKind::Unsupported, message, Some(help)));
    match (system, &args.threads) {
        (true, Some(_)) => {
            wrong("`--threads` names a function of a program, and this is a system", "leave it out")
        }
        (true, None) if args.invariant.is_some() => {
            wrong("`--invariant` is for programs: a system has its invariant in its own text", "leave it out")
        }
        (false, None) => wrong(
            "what is proved is a system (FILE.par), or a function of a program",
            "`--threads NAME` says which function all threads run",
        ),
        (system, _) => Ok(!system),
    }
}

impl Derived {
    /// The least number of threads that it is for, if it is not for all.
    pub fn least(&self) -> Option<u64> {
        (self.seen.len() == ALIKE).then(|| self.seen.iter().copied().min()).flatten()
    }
}

/// The system that a function is.
pub fn derived(args: &ProveArgs) -> Result<Derived, InputError> {
    let theory = selvedge_kat::load_named("sc").map_err(InputError::of_model)?;
    let mut compiled = Vec::new();
    for size in SIZES {
        let mut clang = args.clang.clone();
        clang.push(format!("-D{}={size}", args.size));
        let sources = Sources { files: vec![args.file.clone()], clang, names: true, ..Sources::default() };
        let module =
            Check::new(sources, theory.clone()).bytecode(&mut Nobody).map_err(|stopped| match stopped {
                Stopped::Error(error) => error,
                Stopped::GaveUp(why, _) => InputError::plain(
                    InputKind::Interrupted,
                    format!("{why}, while the program was compiled"),
                    None,
                ),
            })?;
        compiled.push((size, module));
    }
    let function = args.threads.as_deref().unwrap_or_default();
    let few = compiled[..ALIKE].to_vec();
    let (text, seen) = match selvedge_lift::lift(compiled, function) {
        Ok(text) => (text, &SIZES[..]),
        Err(_) => {
            let text = selvedge_lift::lift(few, function)
                .map_err(|e| InputError::new(InputKind::Unsupported, e.diagnostic()))?;
            (text, &SIZES[..ALIKE])
        }
    };
    let (name, claims) = match &args.invariant {
        Some(path) => (path.display().to_string(), crate::files::read(path)?),
        None => (String::from("derived"), String::new()),
    };
    let system = selvedge_prove::parse_derived(&text, &name, &claims)
        .map_err(|d| InputError::new(InputKind::System, d))?;
    Ok(Derived { text, system, seen })
}

/// What a proof of a program takes for granted.
pub fn assumed(args: &ProveArgs, seen: &[u64]) -> [String; 3] {
    let mut sizes = seen.to_vec();
    sizes.sort_unstable();
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let except = match seen.len() {
        ALIKE => "; for 1 or 2 it is compiled to another one",
        _ => "",
    };
    [
        "accesses are sequentially consistent".into(),
        "numbers do not overflow".into(),
        format!("the program is of one kind for all {} (seen: {}{except})", args.size, sizes.join(", ")),
    ]
}

/// The same for readers.
pub fn assumed_text([memory, numbers, sizes]: &[String; 3]) -> String {
    wrap(&format!("assumed: {memory}, {numbers}, and {sizes}"), columns(), "  ", "    ")
}
