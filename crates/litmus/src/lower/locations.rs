//! The shared locations of a test, by name.

use crate::lex::clip;
use crate::source::Source;
use crate::syntax::Parsed;
use crate::tree::{File, Init, Name};
use selvedge_graph::{Loc, Value};
use std::collections::{HashMap, HashSet};

const MAX_CELLS: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub base: Loc,
    pub len: u32,
    pub array: bool,
}

/// Locations in the order of the initial state, then of the parameters; those start at 0.
pub struct Locations {
    pub cells: Vec<(String, Value)>,
    names: HashMap<String, Found>,
    atomic: HashSet<String>,
}

impl Locations {
    pub fn of(source: &Source<'_>, file: &File<'_>) -> Parsed<Locations> {
        let mut all = Locations { cells: Vec::new(), names: HashMap::new(), atomic: HashSet::new() };
        for init in &file.init {
            let (name, values, array, atomic) = match init {
                Init::Location { name, value, atomic } => (name, std::slice::from_ref(value), false, *atomic),
                Init::Array { name, values, atomic } => (name, &values[..], true, *atomic),
                Init::Register { .. } => continue,
            };
            if all.names.contains_key(name.text) {
                return Err(source.error(name.place, format!("`{}` is initialised twice", clip(name.text))));
            }
            all.add(source, name, values, array)?;
            if atomic {
                all.atomic.insert(name.text.to_string());
            }
        }
        for param in file.threads.iter().flat_map(|t| &t.params) {
            if !all.names.contains_key(param.name.text) {
                all.add(source, &param.name, &[0], false)?;
            }
            if param.atomic && !all.atomic.contains(param.name.text) {
                all.atomic.insert(param.name.text.to_string());
            }
        }
        Ok(all)
    }

    fn add(&mut self, source: &Source<'_>, name: &Name<'_>, values: &[Value], array: bool) -> Parsed<()> {
        if self.cells.len() + values.len() > MAX_CELLS {
            return Err(source.error(name.place, format!("more than {MAX_CELLS} locations")));
        }
        let found = Found { base: Loc(self.cells.len() as u32), len: values.len() as u32, array };
        self.names.insert(name.text.to_string(), found);
        for (i, value) in values.iter().enumerate() {
            let cell = if array { format!("{}[{i}]", name.text) } else { name.text.to_string() };
            self.cells.push((cell, *value));
        }
        Ok(())
    }

    pub fn find(&self, name: &str) -> Option<Found> {
        self.names.get(name).copied()
    }

    /// Whether the location is declared with an atomic type somewhere.
    pub fn is_atomic(&self, name: &str) -> bool {
        self.atomic.contains(name)
    }
}
