//! What a program is told from outside: time, random numbers, process ids, arguments, the environment.
//!
//! Arguments and the environment are those of the options, and process ids are fixed; the report says so.
//! Time and random numbers may be anything. They are values that are not known, like undefined ones, but of
//! an origin of their own: whatever is calculated from them is not known either. But deciding by one is
//! legal, and both ways are explored. What needs a definite value (an address, a size, a text) cannot be
//! explored, and that is no error of the program.

use super::state::{Stage, Val, VmState};
use super::{Halt, VmMachine, fail};
use crate::undefined::Origin;
use selvedge_ir::{Global, GlobalId, Instr, Module, Operand, Place};
use selvedge_machine::{ErrorKind, Op};

/// Functions of the library whose results may be anything.
const UNKNOWN: [&str; 14] = [
    "rand",
    "random",
    "rand_r",
    "lrand48",
    "mrand48",
    "drand48",
    "arc4random",
    "time",
    "clock",
    "clock_gettime",
    "clock_getres",
    "gettimeofday",
    "timespec_get",
    "timespec_getres",
];

/// Process ids: any positive numbers, and these are.
const PID: u64 = 4242;

/// What the verdict depends on beside the program.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Something may be not known.
    pub unknown: bool,
    /// The values of the environment.
    env: Vec<(String, GlobalId)>,
    /// What a report has to say of it.
    notes: Vec<String>,
}

/// What a value is that may be anything.
pub fn unknown_input() -> Val {
    Val::undefined(Origin::INPUT)
}

impl Outside {
    /// Adds arguments and environment to a module, and what `main` is given: `argc`, and where `argv` and
    /// `envp` are in the global that is returned.
    pub fn add(module: &mut Module, args: &[String], env: &[(String, String)]) -> (Outside, GlobalId) {
        let declared = |name: &str| module.functions.iter().any(|f| f.name == name && f.code.is_empty());
        let mut notes = Vec::new();
        if reads_arguments(module) {
            let line = args.iter().map(|arg| format!(" {arg:?}")).collect::<String>();
            notes.push(match args {
                [] => String::from("this holds for a command line without arguments; use --args for others"),
                _ => format!("this holds for the command line `program{line}`"),
            });
        }
        if ["getenv", "secure_getenv"].into_iter().any(declared) {
            notes.push(match env {
                [] => String::from("this holds for an empty environment; use --env NAME=VALUE for others"),
                _ => String::from("this holds for the environment that --env gives"),
            });
        }
        if ["getpid", "getppid", "gettid"].into_iter().any(declared) {
            notes.push(format!("process ids are fixed numbers here: {PID} and its neighbours"));
        }
        let of_machine = ["sysconf", "get_nprocs", "get_nprocs_conf", "sched_getcpu", "sched_getaffinity"];
        if of_machine.into_iter().chain(["pthread_getaffinity_np"]).any(declared) {
            notes.push(String::from("this holds for a machine with two processors"));
        }
        let unknown = UNKNOWN.into_iter().any(declared);
        let words = std::iter::once("program").chain(args.iter().map(String::as_str));
        let words: Vec<GlobalId> =
            words.enumerate().map(|(n, word)| add_text(module, format!("argv[{n}]"), word)).collect();
        let texts = env.iter().map(|(name, value)| {
            let text = format!("{name}={value}");
            (name.clone(), add_text(module, format!("environment {name}"), &text))
        });
        let env: Vec<(String, GlobalId)> = texts.collect();
        let mut addresses: Vec<Option<GlobalId>> = words.into_iter().map(Some).collect();
        addresses.push(None);
        addresses.extend(env.iter().map(|(_, text)| Some(*text)));
        addresses.push(None);
        let at = addresses.iter().enumerate();
        let at = at.filter_map(|(n, text)| Some((8 * n as u64, Operand::Global((*text)?, 0))));
        let argv = GlobalId(module.globals.len() as u32);
        let bytes = vec![0; 8 * addresses.len()];
        module.globals.push(Global { addresses: at.collect(), ..constant("argv", bytes) });
        (Outside { unknown, env, notes }, argv)
    }
}

fn constant(name: &str, bytes: Vec<u8>) -> Global {
    Global {
        name: name.to_string(),
        size: bytes.len() as u64,
        align: 8,
        bytes,
        addresses: Vec::new(),
        thread_local: false,
        constant: true,
        ty: None,
        place: Place::default(),
    }
}

fn add_text(module: &mut Module, name: String, text: &str) -> GlobalId {
    let bytes = text.bytes().filter(|byte| *byte != 0).chain([0]).collect();
    module.globals.push(constant(&name, bytes));
    GlobalId(module.globals.len() as u32 - 1)
}

/// Whether `main` looks at what it is given.
fn reads_arguments(module: &Module) -> bool {
    let main = module.functions.iter().find(|f| f.name == "main" && !f.code.is_empty());
    main.is_some_and(|main| {
        let given = |operand: &Operand| matches!(operand, Operand::Reg(r) if main.params.contains(r));
        main.code.iter().any(|instr| instr.any_operand(given))
    })
}

impl VmMachine {
    /// What the verdict depends on beside the program, for people.
    pub fn notes(&self) -> &[String] {
        &self.outside.notes
    }

    /// The value of a variable of the environment; 0 if there is none.
    pub(super) fn environment(&self, name: u64) -> Result<u64, Halt> {
        let Some(name) = self.constant_text(name) else {
            return fail(ErrorKind::Unsupported, "`getenv` of a name that is no constant");
        };
        let found = self.outside.env.iter().find(|(known, _)| *known == name);
        Ok(found.map_or(0, |(known, text)| self.address_of_global(*text) + known.len() as u64 + 1))
    }

    pub(super) fn process_id(&self, state: &VmState, name: &str) -> u64 {
        match name {
            "getppid" => PID - 1,
            "gettid" => PID + state.thread.0 as u64,
            _ => PID,
        }
    }

    /// Whether a value is not known, but no error to decide by.
    #[inline]
    pub(super) fn is_input(&self, state: &VmState, operand: Operand) -> bool {
        self.outside.unknown && {
            let value = self.value(state, operand);
            value.undef != 0 && value.origin == Origin::INPUT
        }
    }

    /// A decision by a value that is not known: all ways are explored.
    pub(super) fn decide_unknown(&self, state: &mut VmState, ways: usize) -> Option<Op> {
        state.stage = Stage::Deciding;
        Some(Op::Choose { count: ways as u32 })
    }

    /// The way that was chosen.
    pub(super) fn decided(&self, state: &mut VmState, way: u64) {
        state.frame.pc = match self.current(state) {
            Instr::Branch { then, els, .. } => *if way != 0 { then } else { els },
            Instr::Switch { cases, default, .. } => cases.get(way as usize).map_or(*default, |(_, to)| *to),
            Instr::Select { dst, a, b, .. } => {
                let (dst, value) = (*dst, self.value(state, if way != 0 { *a } else { *b }));
                state.frame.set_val(dst, value);
                state.frame.pc + 1
            }
            _ => unreachable!("a decision"),
        };
    }
}
