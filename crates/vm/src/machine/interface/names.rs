//! Places, locations, values and threads in the words of the program's source.

use crate::machine::names::How;
use crate::machine::state::{Frame, Stage};
use crate::machine::{VmMachine, VmState};
use crate::tables::Object;
use selvedge_graph::{Loc, Value};
use selvedge_ir::{Contents, Instr, Place};
use selvedge_machine::{ErrorKind, Names, SourcePlace, Usage};
use std::collections::BTreeMap;

/// Files of libraries are shown in brackets.
fn is_of_library(place: &SourcePlace) -> bool {
    place.file.starts_with('<')
}

impl Names for VmMachine {
    fn place(&self, state: &VmState) -> Option<SourcePlace> {
        let known = |frame: &Frame| {
            let place = *self.function(frame.func).places.get(frame.pc as usize)?;
            (place.line != 0 && !self.info(frame.func).runtime).then(|| self.source_place(place))
        };
        // What the program itself says, if there is such; else where a library does it.
        let own = |frame: &Frame| {
            let inlined = self.note_at(frame).map_or(&[][..], |note| &note.inlined);
            let calls = inlined.iter().map(|(_, call)| self.source_place(*call));
            known(frame).into_iter().chain(calls).find(|place| place.line != 0 && !is_of_library(place))
        };
        let is_own = |frame: &&Frame| !self.info(frame.func).runtime;
        state.frames().filter(is_own).find_map(own).or_else(|| state.frames().find_map(known))
    }

    fn stack(&self, state: &VmState) -> Vec<(String, Option<SourcePlace>)> {
        let mut calls = Vec::new();
        for frame in state.frames() {
            let function = self.function(frame.func);
            let mut place = function.places.get(frame.pc as usize).copied().unwrap_or_default();
            let known = |place: Place| {
                let known = place.line != 0 && !self.info(frame.func).runtime;
                known.then(|| self.source_place(place))
            };
            for (inlined, call) in self.note_at(frame).map_or(&[][..], |note| &note.inlined) {
                calls.push((inlined.clone(), known(place)));
                place = *call;
            }
            // Nobody has called the library's own functions.
            if !function.name.starts_with("__selvedge") || !self.info(frame.func).runtime {
                calls.push((function.name.clone(), known(place)));
            }
        }
        // Calls within a library say nothing to who has not written it.
        let is_own = |(name, at): &(String, Option<SourcePlace>)| {
            // The compiler's own way into what may panic has no place.
            name != "__rust_try" && at.as_ref().is_none_or(|at| !is_of_library(at))
        };
        if calls.iter().any(|call| call.1.as_ref().is_some_and(|at| !is_of_library(at))) {
            calls.retain(is_own);
        }
        calls
    }

    fn value_type(&self, loc: Loc, value: Value) -> Option<String> {
        let tables = self.tables.borrow();
        Some(match tables.layout.cell(loc).size {
            8 if self.pointer_name(&tables, &Usage::default(), value as u64).is_some() => {
                String::from("pointer")
            }
            bytes @ 1..=8 => format!("i{}", 8 * bytes),
            bytes => format!("{bytes} bytes"),
        })
    }

    fn location_name(&self, loc: Loc) -> String {
        let tables = self.tables.borrow();
        let cell = tables.layout.cell(loc);
        self.name_of(tables.objects[cell.object as usize], cell.offset as u64)
    }

    fn value_name(&self, loc: Loc, value: Value) -> String {
        self.value_of(&Usage::default(), loc, value, Contents::Number)
    }

    fn usage(&self, made: &[u32], accesses: &[(Loc, Value, &VmState)]) -> Usage {
        self.usage_of(made, accesses)
    }

    fn decides_by_input(&self, state: &VmState) -> bool {
        matches!(state.stage, Stage::Deciding(_) | Stage::Sampling(_) | Stage::CasGuessed(_))
    }

    fn examples(&self, standings: &mut dyn Iterator<Item = &VmState>) -> BTreeMap<u32, u128> {
        self.example_inputs(standings.flat_map(|state| state.facts.iter().copied()).collect())
    }

    fn location_in(&self, usage: &Usage, loc: Loc, state: Option<&VmState>) -> String {
        let tables = self.tables.borrow();
        let cell = tables.layout.cell(loc);
        let how = How { access: Some((self.contents_at(state), u64::from(cell.size))), address: false };
        self.name_in(&tables, usage, cell.object, u64::from(cell.offset), how)
    }

    fn value_in(&self, usage: &Usage, loc: Loc, value: Value, state: Option<&VmState>) -> String {
        self.value_of(usage, loc, value, self.contents_at(state))
    }

    fn object_in(&self, usage: &Usage, object: u32) -> Option<String> {
        let tables = self.tables.borrow();
        let used = usage.objects.get(&object).map(|used| used.name.clone());
        used.or_else(|| match tables.objects.get(object as usize)? {
            Object::Made { heap: true, .. } => None,
            object => Some(self.name_of_object(*object).replace('`', "")),
        })
    }

    fn message_in(&self, usage: &Usage, message: String) -> String {
        self.renamed(usage, message)
    }

    fn thread_name(&self, state: &VmState) -> String {
        let entry = self.function(state.entry);
        // Threads of Rust and C++ all begin in the same function of a library.
        let own = state.frames().filter(|frame| !self.info(frame.func).is_folded()).last();
        match self.info(state.entry).folded {
            true => own.map_or(&entry.name, |frame| &self.function(frame.func).name).clone(),
            false => entry.name.clone(),
        }
    }

    fn is_volatile(&self, state: &VmState) -> bool {
        let instr = self.function(state.frame.func).code.get(state.frame.pc as usize);
        matches!(instr, Some(Instr::Load { volatile: true, .. } | Instr::Store { volatile: true, .. }))
    }

    fn misuse(&self, state: &VmState) -> Option<ErrorKind> {
        if !self.info(state.frame.func).runtime {
            return None;
        }
        match self.function(state.frame.func).name.as_str() {
            name if name.starts_with("pthread_barrier_") => Some(ErrorKind::BarrierMisuse),
            name if name.ends_with("_destroy") => Some(ErrorKind::LockMisuse),
            _ => None,
        }
    }
}
