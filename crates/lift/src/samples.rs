//! One program for several numbers of threads: what is the same in all, and numbers that depend on how many
//! there are.

use crate::Error;
use selvedge_ir::{Function, Instr, Module, Operand, Place};

/// A number of the program: a multiple of how many threads there are, one of the rounds that they need
/// (the logarithm, rounded up), and something that is always the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Num {
    pub threads: i64,
    pub rounds: i64,
    pub rest: i64,
}

impl Num {
    pub fn of(rest: i64) -> Num {
        Num { rest, ..Num::default() }
    }

    /// Its value if it is always the same.
    pub fn fixed(self) -> Option<i64> {
        (self.threads == 0 && self.rounds == 0).then_some(self.rest)
    }

    pub fn plus(self, other: Num) -> Num {
        Num {
            threads: self.threads + other.threads,
            rounds: self.rounds + other.rounds,
            rest: self.rest + other.rest,
        }
    }

    pub fn times(self, k: i64) -> Num {
        Num { threads: self.threads * k, rounds: self.rounds * k, rest: self.rest * k }
    }

    /// It cannot be negative.
    pub fn is_natural(self) -> bool {
        self.threads >= 0 && self.rounds >= 0 && self.rest >= 0
    }
}

/// How often 2 has to be doubled to be at least so much: ⌈log₂ n⌉.
pub fn rounds(threads: u64) -> i64 {
    i64::from(threads.max(1).next_power_of_two().trailing_zeros())
}

/// The same program, compiled for several numbers of threads.
pub struct Samples {
    sizes: Vec<u64>,
    modules: Vec<Module>,
}

impl Samples {
    pub fn new(compiled: Vec<(u64, Module)>) -> Result<Samples, Error> {
        let (sizes, modules): (Vec<u64>, Vec<Module>) = compiled.into_iter().unzip();
        let Some(first) = modules.first() else { return Err(Error::plain("there is no program")) };
        for module in &modules[1..] {
            let names = |m: &Module| m.functions.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
            let globals = |m: &Module| m.globals.iter().map(|g| g.name.clone()).collect::<Vec<_>>();
            if names(module) != names(first) || globals(module) != globals(first) {
                return Err(Error::plain(
                    "which functions and variables the program has depends on the number of threads",
                ));
            }
        }
        Ok(Samples { sizes, modules })
    }

    /// Whether a thread computes with numbers of 64 bits, or keeps some.
    pub fn has_long_numbers(&self) -> bool {
        let long = |i: &Instr| match i {
            Instr::Bin { bits, .. } | Instr::Cmp { bits, .. } => *bits == 64,
            Instr::Load { bytes, .. }
            | Instr::Store { bytes, .. }
            | Instr::Rmw { bytes, .. }
            | Instr::Cmpxchg { bytes, .. } => *bytes == 8,
            _ => false,
        };
        self.first().functions.iter().any(|f| f.name != "main" && f.code.iter().any(long))
    }

    /// The first of them: all that is no number is the same in the others.
    pub fn first(&self) -> &Module {
        &self.modules[0]
    }

    pub fn all(&self) -> &[Module] {
        &self.modules
    }

    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether a function is the same in all of them, but for numbers.
    pub fn same_shape(&self, function: usize) -> Result<(), Error> {
        let f = &self.first().functions[function];
        for module in &self.modules[1..] {
            let other = &module.functions[function];
            let at = (0..f.code.len().max(other.code.len()))
                .find(|i| f.code.get(*i).map(shape) != other.code.get(*i).map(shape));
            if let Some(at) = at {
                let place = f.places.get(at).copied().unwrap_or(f.place);
                return Err(self.error(
                    place,
                    "what is done here depends on the number of threads in more than numbers",
                ));
            }
        }
        Ok(())
    }

    /// An instruction in all of them.
    pub fn instructions(&self, function: usize, at: u32) -> Vec<&Instr> {
        self.modules.iter().map(|m| &m.functions[function].code[at as usize]).collect()
    }

    pub fn place(&self, function: usize, at: u32) -> Place {
        let f: &Function = &self.first().functions[function];
        f.places.get(at as usize).copied().unwrap_or(f.place)
    }

    /// A number from its values.
    pub fn fit(&self, values: &[i64], place: Place) -> Result<Num, Error> {
        let same = |n: &Num| {
            self.sizes
                .iter()
                .zip(values)
                .all(|(size, v)| n.threads * *size as i64 + n.rounds * rounds(*size) + n.rest == *v)
        };
        let first = values.first().copied().unwrap_or(0);
        let mut found = vec![Num::of(first)];
        if let [a, b, ..] = values {
            let by = self.sizes[1] as i64 - self.sizes[0] as i64;
            let threads = (b - a) / by.max(1);
            found.push(Num { threads, rounds: 0, rest: a - threads * self.sizes[0] as i64 });
            found.extend([1, -1, 2].map(|k| Num {
                threads: 0,
                rounds: k,
                rest: a - k * rounds(self.sizes[0]),
            }));
        }
        found.into_iter().find(same).ok_or_else(|| {
            let shown: Vec<String> =
                self.sizes.iter().zip(values).map(|(n, v)| format!("{v} for {n}")).collect();
            let message = format!(
                "a number here is no sum of the number of threads, their logarithm and a constant: {}",
                shown.join(", ")
            );
            self.error(place, &message)
        })
    }

    pub fn error(&self, place: Place, message: &str) -> Error {
        let file = self.first().files.get(place.file as usize).cloned().unwrap_or_default();
        Error { file, line: place.line, column: place.col, message: message.to_string() }
    }
}

/// An instruction without its numbers.
fn shape(instr: &Instr) -> Instr {
    let mut plain = instr.clone();
    plain.for_operands_mut(|operand, _| match operand {
        Operand::Const(n) => *n = 0,
        Operand::Global(_, offset) => *offset = 0,
        _ => {}
    });
    match &mut plain {
        Instr::Offset { scale, .. } => *scale = 0,
        Instr::Switch { cases, .. } => cases.iter_mut().for_each(|case| case.0 = 0),
        _ => {}
    }
    plain
}
