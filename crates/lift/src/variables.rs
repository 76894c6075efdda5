//! The variables of a program, as a parameterised system has them: shared ones, perhaps arrays, and those
//! that each thread has.

use crate::Error;
use crate::samples::{Num, Samples};
use crate::term::Truths;
use selvedge_ir::{Module, Place, Reg, TypeInfo};
use std::collections::{BTreeMap, BTreeSet};

/// Where control is: functions that were called, the innermost last, each with the next instruction.
pub type Point = Vec<(usize, u32)>;

/// A shared variable.
pub struct Shared {
    pub name: String,
    /// How many elements there are in each direction, and how far apart they are, for all samples.
    pub dims: Vec<(Num, Vec<i64>)>,
    /// Bytes of an element.
    pub bytes: u64,
    pub initial: Num,
}

/// What a variable of a thread is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// A global one of which each thread has its own.
    Global(usize),
    /// A register: the calls that led to its function, and its number.
    Register(Point, usize, Reg),
    /// A value that waits for being written.
    Held(usize),
}

pub struct Local {
    pub origin: Origin,
    pub name: String,
    pub initial: Num,
    pub bytes: u64,
}

#[derive(Default)]
pub struct Variables {
    pub shared: BTreeMap<usize, Shared>,
    pub locals: Vec<Local>,
    /// Variables that hold something else than 0 and 1.
    pub wide_locals: BTreeSet<Origin>,
    pub wide_shared: BTreeSet<usize>,
}

impl Truths for Variables {
    fn local(&self, local: usize) -> bool {
        !self.wide_locals.contains(&self.locals[local].origin)
    }

    fn cell(&self, global: usize) -> bool {
        !self.wide_shared.contains(&global)
    }
}

/// The dimensions of a type, and the bytes of what is in it.
fn dims(module: &Module, ty: Option<u32>, size: u64) -> Result<(Vec<(u64, u64)>, u64), String> {
    let mut found = Vec::new();
    let Some(mut at) = ty else { return Ok((found, size)) };
    loop {
        match module.types.get(at as usize) {
            Some(TypeInfo::Array { element, count, element_size }) => {
                found.push((*count, *element_size));
                at = *element;
            }
            Some(TypeInfo::Scalar { size, .. }) => return Ok((found, *size)),
            Some(TypeInfo::Struct { .. }) => return Err("structures are outside of what is derived".into()),
            Some(TypeInfo::Pointer { .. }) => return Err("pointers are outside of what is derived".into()),
            None => return Err("its type is not known".into()),
        }
    }
}

fn number(bytes: &[u8]) -> i64 {
    let value = bytes.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let bits = 64 - 8 * bytes.len().min(8) as u32;
    if bytes.len() >= 4 { ((value << bits) as i64) >> bits } else { value as i64 }
}

impl Variables {
    /// What all elements of a variable are at first.
    fn initial(samples: &Samples, global: usize, bytes: u64, place: Place) -> Result<Num, Error> {
        let mut values = Vec::new();
        for module in samples.all() {
            let g = &module.globals[global];
            if !g.addresses.is_empty() {
                return Err(samples.error(place, &format!("`{}` holds addresses", g.name)));
            }
            let mut all = g.bytes.chunks(bytes.max(1) as usize).map(number);
            let first = all.next().unwrap_or(0);
            if all.any(|v| v != first) {
                let message = format!("not all elements of `{}` are the same at first", g.name);
                return Err(samples.error(place, &message));
            }
            values.push(first);
        }
        samples.fit(&values, place)
    }

    /// A shared variable that is accessed.
    pub fn shared(&mut self, samples: &Samples, global: usize, place: Place) -> Result<&Shared, Error> {
        if !self.shared.contains_key(&global) {
            let mut all = Vec::new();
            let mut bytes = 0;
            for module in samples.all() {
                let g = &module.globals[global];
                let (here, size) = dims(module, g.ty, g.size)
                    .map_err(|e| samples.error(place, &format!("`{}`: {e}", g.name)))?;
                bytes = size;
                all.push(here);
            }
            let directions = all[0].len();
            if all.iter().any(|d| d.len() != directions) {
                return Err(
                    samples.error(place, "what kind of array this is depends on the number of threads")
                );
            }
            let mut found = Vec::new();
            for d in 0..directions {
                let counts: Vec<i64> = all.iter().map(|a| a[d].0 as i64).collect();
                found.push((samples.fit(&counts, place)?, all.iter().map(|a| a[d].1 as i64).collect()));
            }
            let initial = Variables::initial(samples, global, bytes, place)?;
            if !matches!(initial.fixed(), Some(0 | 1)) {
                self.wide_shared.insert(global);
            }
            let name = plain(&samples.first().globals[global].name);
            self.shared.insert(global, Shared { name, dims: found, bytes, initial });
        }
        Ok(&self.shared[&global])
    }

    /// A global variable that each thread has.
    pub fn own(&mut self, samples: &Samples, global: usize, place: Place) -> Result<usize, Error> {
        let origin = Origin::Global(global);
        if let Some(at) = self.locals.iter().position(|l| l.origin == origin) {
            return Ok(at);
        }
        let g = &samples.first().globals[global];
        let (here, bytes) = dims(samples.first(), g.ty, g.size).map_err(|e| samples.error(place, &e))?;
        if !here.is_empty() {
            return Err(samples.error(place, &format!("`{}` is an array of each thread's own", g.name)));
        }
        let initial = Variables::initial(samples, global, bytes, place)?;
        if !matches!(initial.fixed(), Some(0 | 1)) {
            self.wide_locals.insert(origin.clone());
        }
        self.locals.push(Local { origin, name: plain(&g.name), initial, bytes });
        Ok(self.locals.len() - 1)
    }

    /// The variable that a register is kept in.
    pub fn register(
        &mut self,
        samples: &Samples,
        calls: &[(usize, u32)],
        function: usize,
        reg: Reg,
    ) -> usize {
        let origin = Origin::Register(calls.to_vec(), function, reg);
        if let Some(at) = self.locals.iter().position(|l| l.origin == origin) {
            return at;
        }
        let f = &samples.first().functions[function];
        let named = f.locals.iter().find(|l| l.0 == reg);
        let name = named.map_or_else(|| format!("{}_r{reg}", plain(&f.name)), |l| plain(&l.1));
        self.locals.push(Local { origin, name, initial: Num::default(), bytes: 8 });
        self.locals.len() - 1
    }

    /// Gives variables names of their own: that of the function goes before a name that is taken.
    pub fn name_apart(&mut self, samples: &Samples, taken: &[String]) {
        let mut seen: BTreeSet<String> = self.shared.values().map(|s| s.name.clone()).collect();
        seen.extend(taken.iter().cloned());
        for local in &mut self.locals {
            let base = local.name.clone();
            let mut n = 0;
            while !seen.insert(local.name.clone()) {
                n += 1;
                local.name = match (&local.origin, n) {
                    (Origin::Register(_, f, _), 1) => {
                        format!("{}_{base}", plain(&samples.first().functions[*f].name))
                    }
                    _ => format!("{base}_{n}"),
                };
            }
        }
    }
}

/// Words that the language has for itself.
const TAKEN: [&str; 22] = [
    "self", "pc", "root", "child", "left", "right", "below", "pow2", "bit", "zero", "agree", "clear",
    "length", "in", "end", "by", "with", "step", "phase", "local", "shared", "L",
];

/// A name that the language understands.
fn plain(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    if TAKEN.contains(&text.as_str()) { format!("{text}_") } else { text }
}
