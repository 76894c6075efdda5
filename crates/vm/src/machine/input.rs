//! What a program is told from outside: time, random numbers, process ids, arguments, the environment.
//!
//! Arguments and the environment are those of the options, and process ids are fixed; the report says so.
//! Time, random numbers and what `__VERIFIER_nondet_int` and its kin give may be anything: they are
//! unknowns, and whatever depends on one is explored (`symbolic.rs`).

use super::native::Native;
use super::state::{Val, VmState};
use super::{Halt, NondetRange, VmMachine, fail};
use crate::contents::Bytes;
use crate::undefined::Word;
use selvedge_ir::{Function, Global, GlobalId, Instr, Module, Operand, Place};
use selvedge_machine::{Block, ErrorKind, Op};

/// Functions of the library whose results may be anything.
const TOLD: [&str; 14] = [
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

/// How many numbers a thread is told from outside in one step of a search, at most.
const MOST_TOLD: u32 = 10_000;

/// So many names of functions are shown.
const MANY_NAMES: usize = 8;

/// What the verdict depends on beside the program.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Something may be not known.
    pub unknown: bool,
    /// Some of what it may be is not tried.
    narrowed: bool,
    /// The values of the environment.
    env: Vec<(String, GlobalId)>,
    /// What a report has to say of it.
    notes: Vec<String>,
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
        if declared("__selvedge_rust_keys") {
            notes.push(String::from("the elements of a `HashMap` or `HashSet` have one order here"));
        }
        if handles_signals(module) {
            notes.push(String::from("signals are never delivered: what handlers do is not explored"));
        }
        let of_machine = ["sysconf", "get_nprocs", "get_nprocs_conf", "sched_getcpu", "sched_getaffinity"];
        if of_machine
            .into_iter()
            .chain(["pthread_getaffinity_np", "__selvedge_rust_processors"])
            .any(declared)
        {
            notes.push(String::from("this holds for a machine with two processors"));
        }
        if declared("__dotnet_one_processor") {
            notes.push(String::from("this holds for a machine with one processor"));
        }
        if declared("__dotnet_process_wide") {
            notes.push(String::from(
                "`Interlocked.MemoryBarrierProcessWide` is a barrier of its own thread here: under a weak model, \
                 something may be reported that its effect on other threads rules out",
            ));
        }
        if declared("__dotnet_no_limits") {
            notes.push(String::from(
                "waits of monitors with a time limit have none here; `--timeouts` lets it be over early",
            ));
        }
        if declared("__dotnet_clock_stands") {
            notes.push(String::from(
                "the clock stands still here: no time that a program measures is ever over; with `--timeouts` it may be",
            ));
        }
        if declared("__dotnet_ticks") {
            notes.push(String::from("a timer that fires again and again fires twice at most here"));
        }
        if declared("__selvedge_identity") {
            notes.push(String::from(
                "hash codes of objects are fixed numbers here, which objects seldom share",
            ));
        }
        let unknown = TOLD.into_iter().any(declared) || module.functions.iter().any(gives_anything);
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
        let word = if module.short_pointers { 4 } else { 8 };
        let at = at.filter_map(|(n, text)| Some(((word * n) as u64, Operand::Global((*text)?, 0))));
        let argv = GlobalId(module.globals.len() as u32);
        let bytes = vec![0; word * addresses.len()];
        module.globals.push(Global { addresses: at.collect(), ..constant("argv", bytes) });
        (Outside { unknown, narrowed: false, env, notes }, argv)
    }
}

fn constant(name: &str, bytes: Vec<u8>) -> Global {
    Global {
        name: name.to_string(),
        size: bytes.len() as u64,
        align: 8,
        bytes,
        addresses: Vec::new(),
        undefined: Vec::new(),
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

/// Whether a handler for signals may be set: not where they are ignored, or handled as ever (`SIG_IGN`,
/// `SIG_DFL`).
fn handles_signals(module: &Module) -> bool {
    let is = |callee: &Operand, name: &str| match callee {
        Operand::Func(f) => {
            let function = &module.functions[f.0 as usize];
            function.name == name && function.code.is_empty()
        }
        _ => false,
    };
    let sets = |instr: &Instr| match instr {
        Instr::Call { callee, args, .. } if is(callee, "signal") => {
            !matches!(args.get(1), Some(Operand::Const(0 | 1)))
        }
        Instr::Call { callee, .. } => is(callee, "sigaction"),
        _ => false,
    };
    module.functions.iter().flat_map(|f| &f.code).any(sets)
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
    /// What a call of a function comes to that nobody knows, if that was asked for. Where dependencies are
    /// followed, nobody knows what its result depends on.
    pub(super) fn as_input(&self, function: &Function) -> Option<Native> {
        let gives = if function.results == 0 { Native::Nothing } else { Native::Nondet };
        (self.options.unknown_functions && !self.options.track_deps).then_some(gives)
    }
}

impl Outside {
    /// Says which functions nobody knows are taken to give any value. The library is linked already.
    pub fn admit(&mut self, module: &Module) {
        let is_unknown = |f: &&Function| f.code.is_empty() && Native::named(&f.name).is_none();
        let mut names: Vec<&str> =
            module.functions.iter().filter(is_unknown).map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        if names.is_empty() {
            return;
        }
        self.unknown = true;
        let more = names.len().saturating_sub(MANY_NAMES);
        names.truncate(MANY_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.notes.push(format!(
            "functions that are not known are taken to give any value and to do nothing else: {}{more}",
            names.join(", ")
        ));
    }

    /// What functions of the library give is unknown, too: what they read from standard input.
    pub fn look_at_library(&mut self, module: &Module) {
        self.unknown |= module.functions.iter().any(gives_anything);
    }

    /// Says so if numbers are looked for in a range that does not have them all.
    pub fn narrow(&mut self, module: &Module, range: Option<NondetRange>) {
        let Some(range) = range else { return };
        let functions = module.functions.iter().filter(|f| gives_anything(f));
        self.narrowed =
            functions.filter_map(|f| Kind::of(module, &f.name)).any(|k| k.within(range).is_some());
        if self.narrowed {
            self.notes.push(format!("this holds for inputs from {} to {}", range.low, range.high));
        }
    }
}

/// Whether a function is one of SV-COMP's that give any value of their type.
fn gives_anything(function: &Function) -> bool {
    function.name.starts_with(NONDET) && function.code.is_empty()
}

impl VmMachine {
    /// Whether there are inputs that were left out.
    pub fn leaves_out_inputs(&self) -> bool {
        self.outside.narrowed
    }

    /// What the verdict depends on beside the program, for people.
    pub fn notes(&self) -> &[String] {
        &self.outside.notes
    }

    /// The value of a variable of the environment; 0 if there is none.
    pub(super) fn environment(&self, name: &[u8]) -> u64 {
        let found = self.outside.env.iter().find(|(known, _)| known.as_bytes() == name);
        found.map_or(0, |(known, text)| self.address_of_global(*text) + known.len() as u64 + 1)
    }

    pub(super) fn process_id(&self, state: &VmState, name: &str) -> u64 {
        match name {
            "getppid" => PID - 1,
            "gettid" => PID + state.thread.0 as u64,
            _ => PID,
        }
    }

    /// A decision by a value that is not known.
    pub(super) fn decide_outside(&self, state: &mut VmState, instr: &Instr) -> Result<(), Halt> {
        let what = "what a decision depends on";
        match *instr {
            Instr::Branch { cond, then, els } => {
                let cond = self.value(state, cond);
                let nonzero = self.is_nonzero(Word::of(cond, Val::known(0)), 64, what)?;
                state.frame.pc = if self.holds(&state.facts, nonzero)? { then } else { els };
            }
            Instr::Switch { value, ref cases, default } => {
                let value = self.value(state, value);
                state.frame.pc = self.switch_outside(&state.facts, value, cases)?.unwrap_or(default);
            }
            Instr::Select { dst, cond, a, b } => {
                let [cond, a, b] = [cond, a, b].map(|o| self.value(state, o));
                let value = self.select_outside(&state.facts, cond, a, b)?;
                state.frame.set_val(dst, value);
                state.frame.pc += 1;
            }
            _ => unreachable!("a decision"),
        }
        Ok(())
    }

    /// An assertion or an assumption about what is not known.
    pub(super) fn demand(
        &self,
        state: &mut VmState,
        assumes: bool,
        value: Val,
        name: &str,
    ) -> Result<Option<Op>, Halt> {
        let value = Word::of(value, Val::known(0));
        let condition = self.is_nonzero(value, 32, &format!("an argument of `{name}`"))?;
        // As long as there is only one thread, nobody can have found out anything else.
        let alone = state.thread.0 == 0 && state.made.threads == 0;
        let holds = if assumes && alone {
            self.can_hold(&state.facts, condition)?
        } else {
            self.holds(&state.facts, condition)?
        };
        match (holds, assumes) {
            (true, _) => self.learn_fact(&mut state.facts, condition),
            (false, true) => return Ok(Some(Op::Block(Block::Assume))),
            (false, false) => return fail(ErrorKind::Assertion, "an assertion failed"),
        }
        state.frame.pc += 1;
        Ok(None)
    }

    /// What a function gives that may give any number.
    pub(super) fn any(&self, state: &mut VmState, name: &str) -> Result<(Word, u8), Halt> {
        let Some(kind) = Kind::of(&self.module, name) else {
            return fail(ErrorKind::Unsupported, format!("`{name}`: values of its type are not supported"));
        };
        // Who asks for numbers for ever, and looks at none of them, never comes to a step of a search.
        if state.told.as_ref().is_some_and(|told| state.made.unknowns - told.first > MOST_TOLD) {
            return fail(ErrorKind::Unsupported, format!("`{name}` is called very often in a row"));
        }
        let term = self.fresh(state, kind.width);
        if let Some((low, high)) = self.options.nondet_range.and_then(|range| kind.within(range)) {
            let fact = self.with_terms(|t| {
                let (least, most) =
                    (t.constant(kind.width, low as u128), t.constant(kind.width, high as u128));
                let (below, above) = match kind.signed {
                    true => (t.slt(term, least), t.slt(most, term)),
                    false => (t.ult(term, least), t.ult(most, term)),
                };
                let (below, above) = (t.not(below), t.not(above));
                t.and(below, above)
            });
            // Of a number that nobody has heard of, it can be said.
            self.learn_fact(&mut state.facts, fact);
        }
        Ok((self.of_term(term), kind.width))
    }

    /// Memory that may hold anything.
    pub(super) fn any_bytes(&self, state: &mut VmState, len: u64) -> Bytes {
        let mut bytes = Bytes::known(vec![0; len as usize]);
        for at in 0..len as usize {
            let byte = self.fresh(state, 8);
            self.put_in(&mut bytes, at, 1, self.of_term(byte));
        }
        bytes
    }

    /// What a function of the library gives: a random number, or a time.
    pub(super) fn told(&self, state: &mut VmState, name: &str) -> Val {
        let width = match name {
            "rand" | "random" | "rand_r" | "lrand48" => 31,
            "arc4random" => 32,
            "mrand48" => {
                let term = self.fresh(state, 32);
                return self.of_term(self.with_terms(|t| t.sext(term, 64))).low();
            }
            "drand48" => return self.any_float(state, 64),
            _ => TIME_BITS,
        };
        let term = self.fresh(state, width);
        self.of_term(term).low()
    }

    /// A time in memory: seconds, and fractions of which there are fewer than `most`, if there is room.
    pub(super) fn time_in_memory(&self, state: &mut VmState, len: u64, most: u64) -> Bytes {
        let mut bytes = Bytes::known(vec![0; len as usize]);
        let seconds = self.fresh(state, TIME_BITS);
        self.put_in(&mut bytes, 0, 8, self.of_term(seconds));
        if len >= 16 {
            let part = self.fresh(state, 30);
            let fact = self.with_terms(|t| {
                let most = t.constant(30, most as u128);
                t.ult(part, most)
            });
            // Of a number that nobody has heard of, it can be said.
            self.learn_fact(&mut state.facts, fact);
            self.put_in(&mut bytes, 8, 8, self.of_term(part));
        }
        bytes
    }
}

const NONDET: &str = "__VERIFIER_nondet_";

/// Gives memory of a size any contents.
pub(super) const NONDET_MEMORY: &str = "__VERIFIER_nondet_memory";

/// Times are within so many bits of seconds (or of what a clock counts): some 30,000 years.
const TIME_BITS: u8 = 40;

/// What kind of numbers a function gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kind {
    width: u8,
    signed: bool,
    /// Integers, not addresses or floats.
    integer: bool,
}

impl Kind {
    /// By the type of the function, or by its name. Whether there is a sign only the name tells.
    fn of(module: &Module, name: &str) -> Option<Kind> {
        let function = module.functions.iter().find(|f| f.name == name && f.code.is_empty());
        let signature = function.and_then(|f| f.signature).and_then(|s| module.signatures.get(s as usize));
        let by_name = Kind::named(name.strip_prefix(NONDET).unwrap_or(name));
        let by_type = signature.and_then(|s| s.split('(').next()).and_then(Kind::of_type);
        match (by_type, by_name) {
            (Some(kind), Some(named)) => Some(Kind { signed: named.signed, ..kind }),
            (kind, named) => kind.or(named),
        }
    }

    fn of_type(result: &str) -> Option<Kind> {
        let other = |width| Some(Kind { width, signed: false, integer: false });
        match result {
            "ptr" | "double" => other(64),
            "float" => other(32),
            _ => {
                let width =
                    result.strip_prefix('i')?.parse().ok().filter(|width| (1..=128).contains(width))?;
                Some(Kind { width, signed: width > 1, integer: true })
            }
        }
    }

    fn named(name: &str) -> Option<Kind> {
        let name = name.to_ascii_lowercase();
        let other = |width| Some(Kind { width, signed: false, integer: false });
        let (signed, width) = match name.as_str() {
            "bool" | "_bool" => (false, 1),
            "char" | "s8" | "int8_t" => (true, 8),
            "uchar" | "u8" | "uint8_t" | "unsigned_char" => (false, 8),
            "short" | "s16" | "int16_t" => (true, 16),
            "ushort" | "u16" | "uint16_t" | "unsigned_short" => (false, 16),
            "int" | "s32" | "int32_t" => (true, 32),
            "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32_t" => (false, 32),
            "long" | "longlong" | "ssize_t" | "loff_t" | "off_t" | "s64" | "int64_t" | "intptr_t" => {
                (true, 64)
            }
            "ulong" | "ulonglong" | "size_t" | "sector_t" | "u64" | "uint64_t" | "uintptr_t"
            | "unsigned_long" | "pthread_t" => (false, 64),
            "int128" | "s128" => (true, 128),
            "uint128" | "u128" => (false, 128),
            "float" => return other(32),
            "pointer" | "pchar" | "charp" | "const_char_pointer" | "double" => return other(64),
            _ => return None,
        };
        Some(Kind { width, signed, integer: true })
    }

    /// The part of a range that there are such numbers of; `None` if that is all of them.
    fn within(self, range: NondetRange) -> Option<(i128, i128)> {
        let (least, most) = match (self.signed, self.width) {
            (true, 128) => (i128::MIN, i128::MAX),
            (true, width) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            // Ranges do not go further.
            (false, 127..) => (0, i128::MAX),
            (false, width) => (0, (1 << width) - 1),
        };
        let (low, high) = (least.max(range.low as i128), most.min(range.high as i128));
        let all = (low, high) == (least, most);
        // Where none is in the range, it says nothing of this type.
        (self.integer && !all && low <= high).then_some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_bound_what_does_not_fit_into_them() {
        let range = NondetRange { low: -4, high: 300 };
        let within = |name: &str| Kind::named(name).and_then(|kind| kind.within(range));
        assert_eq!(within("int"), Some((-4, 300)));
        assert_eq!(within("uint"), Some((0, 300)));
        assert_eq!(within("char"), Some((-4, 127)));
        assert_eq!(
            (within("uchar"), within("bool"), within("pointer"), within("float")),
            (None, None, None, None)
        );
    }
}
