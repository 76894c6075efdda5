//! How names, operands and places are written.

use super::lex::is_plain_name;
use crate::bytecode::{FuncId, GlobalId, Module, Operand, Place};
use std::collections::HashMap;
use std::fmt::Write;

/// Prints names so that they can be found again: by name if it is unique, by number if not.
pub struct Namer<'a> {
    module: &'a Module,
    globals: HashMap<&'a str, u32>,
    functions: HashMap<&'a str, u32>,
}

fn count<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::new();
    for name in names {
        *counts.entry(name.as_str()).or_insert(0) += 1;
    }
    counts
}

/// A name, in quotes where it has to be.
pub fn spelled(name: &str) -> String {
    if is_plain_name(name) { name.to_string() } else { format!("{name:?}") }
}

impl<'a> Namer<'a> {
    pub fn new(module: &'a Module) -> Namer<'a> {
        Namer {
            module,
            globals: count(module.globals.iter().map(|g| &g.name)),
            functions: count(module.functions.iter().map(|f| &f.name)),
        }
    }

    pub fn function(&self, f: FuncId) -> String {
        match self.module.functions.get(f.0 as usize) {
            Some(func) if self.functions[func.name.as_str()] == 1 => format!("&{}", spelled(&func.name)),
            _ => format!("&#{}", f.0),
        }
    }

    pub fn global(&self, g: GlobalId) -> String {
        match self.module.globals.get(g.0 as usize) {
            Some(global) if self.globals[global.name.as_str()] == 1 => format!("@{}", spelled(&global.name)),
            _ => format!("@#{}", g.0),
        }
    }

    pub fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Reg(r) => format!("r{r}"),
            // Small negative numbers are common and read better with a sign.
            Operand::Const(c) if (c as i64) < 0 && (c as i64) > -0x10000 => format!("{}", c as i64),
            Operand::Const(c) => format!("{c}"),
            Operand::Global(g, 0) => self.global(g),
            Operand::Global(g, offset) => format!("{}+{offset}", self.global(g)),
            Operand::Func(f) => self.function(f),
            Operand::Undef => String::from("undef"),
        }
    }

    pub fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|o| self.operand(*o)).collect::<Vec<_>>().join(", ")
    }
}

/// A place with a space before it; nothing if it is not known.
pub fn place(place: Place) -> String {
    let mut text = String::new();
    if place != Place::default() {
        let _ = write!(text, " !{}:{}:{}", place.file, place.line, place.col);
        if place.note != 0 {
            let _ = write!(text, ":{}", place.note);
        }
    }
    text
}
