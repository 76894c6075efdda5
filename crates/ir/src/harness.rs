//! Tests of a Rust program: what its harness is given.
//!
//! A program that rustc builds with `--test` has a `main` that hands a constant array to the harness, one
//! description for each function with `#[test]`. Front ends call [`RUN`] in place of the harness, which
//! runs the first test of the array; so another one is chosen by another beginning of the array.

use crate::bytecode::{Function, Global, GlobalId, Instr, Module, Operand};

/// The function that runs a test.
pub const RUN: &str = "__selvedge_rust_tests";

/// A function with `#[test]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Its path in the crate.
    pub name: String,
    /// Whether it has `#[ignore]`.
    pub ignored: bool,
    /// Whether it has `#[should_panic]`, and what the message is to contain.
    pub should_panic: Option<String>,
}

/// Where the description of a test has what (rustc 1.95).
mod at {
    pub const PANICS: u64 = 0;
    pub const MESSAGE: u64 = 8;
    pub const NAME: u64 = 32;
    pub const IGNORED: u64 = 120;
    pub const SIZE: u64 = 152;
}

fn number(global: &Global, at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    Some(u64::from_le_bytes(global.bytes.get(at..at + 8)?.try_into().ok()?))
}

fn address(global: &Global, at: u64) -> Option<(GlobalId, u64)> {
    match global.addresses.iter().find(|(offset, _)| *offset == at)?.1 {
        Operand::Global(g, by) => Some((g, u64::try_from(by).ok()?)),
        _ => None,
    }
}

impl Module {
    fn text_at(&self, global: &Global, at: u64) -> Option<String> {
        let (text, from) = address(global, at)?;
        let length = usize::try_from(number(global, at + 8)?).ok()?;
        let from = usize::try_from(from).ok()?;
        let bytes = self.globals.get(text.0 as usize)?.bytes.get(from..from.checked_add(length)?)?;
        String::from_utf8(bytes.to_vec()).ok()
    }

    /// The array that the harness is given, and how many tests there are.
    fn tests_array(&self) -> Option<(GlobalId, u64)> {
        let harness = self.functions.iter().position(|f| f.name == RUN)?;
        let calls = self.functions.iter().flat_map(|f| &f.code).find_map(|instr| match instr {
            Instr::Call { callee: Operand::Func(f), args, .. } if f.0 as usize == harness => Some(args),
            _ => None,
        });
        match calls?.as_slice() {
            [Operand::Global(array, _), Operand::Const(count)] => Some((*array, *count)),
            _ => None,
        }
    }

    /// The tests of a program, if it is one of tests, in the order of the array; `None` if it is not, or if
    /// they are not described as they are known to be.
    pub fn tests(&self) -> Option<Vec<Test>> {
        let (array, count) = self.tests_array()?;
        let array = self.globals.get(array.0 as usize)?;
        let one = |n: u64| {
            let (test, 0) = address(array, 8 * n)? else { return None };
            let test = self.globals.get(test.0 as usize).filter(|test| test.size == at::SIZE)?;
            let should_panic = match number(test, at::PANICS)? {
                0 => None,
                1 => Some(String::new()),
                2 => Some(self.text_at(test, at::MESSAGE)?),
                _ => return None,
            };
            let ignored = *test.bytes.get(at::IGNORED as usize)? != 0;
            Some(Test { name: self.text_at(test, at::NAME)?, ignored, should_panic })
        };
        (0..count).map(one).collect()
    }

    /// The program that runs the test with this number, and nothing else.
    pub fn of_test(&self, test: u64) -> Module {
        let mut module = self.clone();
        let Some(harness) = module.functions.iter().position(|f| f.name == RUN) else { return module };
        for instr in module.functions.iter_mut().flat_map(|f| &mut f.code) {
            if let Instr::Call { callee: Operand::Func(f), args, .. } = instr
                && f.0 as usize == harness
                && let [Operand::Global(_, from), ..] = args.as_mut_slice()
            {
                *from = 8 * test as i64;
            }
        }
        // The entry is known now, and so is what it leads to: the other tests are not of this program.
        let chosen = module.tests_entry(test);
        module.keep_reachable(chosen);
        module
    }
}

/// What a program calls whose threads park by themselves: whether there is a token matters to it.
pub const PARKS: [&str; 2] = ["__selvedge_rust_park", "__selvedge_rust_park_timeout"];

/// What stands for waiting at a channel by parking.
pub const CHANNEL_WAIT: &str = "__selvedge_rust_channel_wait";

/// Where a receiver that found nothing goes to wait, by the kind of its channel: what stands for it, given
/// the path of a function.
pub fn waits_at_a_channel(path: &str) -> Option<&'static str> {
    let closure = path.strip_prefix("<std::sync::mpmc::context::Context>::with::<<std::sync::mpmc::")?;
    let (kind, rest) = closure.split_once("::Channel<")?;
    let by = match kind {
        "list" => "__selvedge_rust_list_wait",
        "array" => "__selvedge_rust_array_wait",
        _ => return None,
    };
    rest.contains(">>::recv::{closure#1}, ()>").then_some(by)
}

/// Functions and globals that are met, each once.
struct Met {
    functions: Vec<bool>,
    globals: Vec<bool>,
    open: Vec<Operand>,
}

impl Met {
    fn meet(&mut self, operand: Operand) {
        let is_new = match operand {
            Operand::Func(f) => self.functions.get_mut(f.0 as usize).map(|met| !std::mem::replace(met, true)),
            Operand::Global(g, _) => {
                self.globals.get_mut(g.0 as usize).map(|met| !std::mem::replace(met, true))
            }
            _ => None,
        };
        if is_new == Some(true) {
            self.open.push(operand);
        }
    }
}

impl Module {
    /// The array of tests, and the one that is chosen: the others do not count as reached.
    fn tests_entry(&self, test: u64) -> Option<(GlobalId, Operand)> {
        let (array, _) = self.tests_array()?;
        let entries = self.globals.get(array.0 as usize)?;
        let (_, chosen) = entries.addresses.iter().find(|(offset, _)| *offset == 8 * test)?;
        Some((array, *chosen))
    }

    /// Takes the code of functions away that nothing leads to from `main` and the constructors. Of the
    /// array of tests, only the chosen one counts.
    fn keep_reachable(&mut self, chosen: Option<(GlobalId, Operand)>) {
        let mut met = Met {
            functions: vec![false; self.functions.len()],
            globals: vec![false; self.globals.len()],
            open: Vec::new(),
        };
        let mains = self.functions.iter().enumerate().filter(|(_, f)| f.name == "main");
        mains.for_each(|(f, _)| met.meet(Operand::Func(crate::FuncId(f as u32))));
        self.constructors.iter().for_each(|f| met.meet(Operand::Func(*f)));
        // What the library calls by itself has a name of its own.
        let of_library = |f: &Function| f.name.starts_with("__selvedge");
        let named = self.functions.iter().enumerate().filter(|(_, f)| of_library(f) && !f.code.is_empty());
        named.for_each(|(f, _)| met.meet(Operand::Func(crate::FuncId(f as u32))));
        while let Some(operand) = met.open.pop() {
            match operand {
                Operand::Func(f) => {
                    for instr in &self.functions[f.0 as usize].code {
                        instr.for_operands(|operand, _| met.meet(*operand));
                    }
                }
                Operand::Global(g, _) => match chosen {
                    Some((array, test)) if array == g => met.meet(test),
                    _ => self.globals[g.0 as usize].addresses.iter().for_each(|(_, to)| met.meet(*to)),
                },
                _ => {}
            }
        }
        for (function, met) in self.functions.iter_mut().zip(met.functions) {
            if !met {
                // That a function is declared tells something of a program, too.
                if of_library(function) {
                    function.name.clear();
                }
                (function.code, function.places, function.loops) = Default::default();
            }
        }
        self.wait_at_channels();
    }

    /// Where no thread of the test parks by itself, nobody can tell whether there is a token: receivers wait
    /// for what they look at. Whoever reads the program does the same if none of all tests does.
    fn wait_at_channels(&mut self) {
        let declared = |name: &str| self.functions.iter().any(|f| f.name == name);
        if PARKS.iter().any(|name| declared(name)) || !declared(CHANNEL_WAIT) {
            return;
        }
        for function in &mut self.functions {
            if let Some(by) = waits_at_a_channel(&function.name) {
                by.clone_into(&mut function.name);
                (function.code, function.places, function.loops) = Default::default();
            }
        }
    }
}
