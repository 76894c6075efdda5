//! What is on the heap, by how an execution uses it.
//!
//! Memory from `malloc` has no type. Two things tell: accesses that compute their address by a structure
//! ([`Note::of`](selvedge_ir::Note)), and pointers to it in variables and members whose type is known. The
//! largest structure wins that fits the object: what is inside of it is accessed as well. An object that
//! has room for several is an array of them.
//!
//! All of this is for names only, and made when an execution is taken down.

use super::{VmMachine, VmState};
use crate::tables::{Object, Tables};
use selvedge_graph::{Loc, Value};
use selvedge_ir::{TypeInfo, pointer};
use selvedge_machine::{Usage, Used};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How often types are passed on from one object to those that it points to.
const ROUNDS: usize = 64;

impl VmMachine {
    pub(super) fn usage_of(&self, made: &[u32], accesses: &[(Loc, Value, &VmState)]) -> Usage {
        let tables = self.tables.borrow();
        let is_heap = |object: u32| {
            matches!(tables.objects.get(object as usize), Some(Object::Made { heap: true, .. }))
        };
        let mut types = self.types_by_access(&tables, accesses);
        self.types_by_pointer(&tables, accesses, &mut types);
        // In the order in which they are made, then that in which they are met.
        let met = accesses.iter().flat_map(|(loc, value, _)| {
            let pointee = pointer::split(*value as u64).map(|(object, _)| object);
            [Some(tables.layout.cell(*loc).object), pointee].into_iter().flatten()
        });
        let mut sizes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for cell in accesses.iter().map(|(loc, ..)| tables.layout.cell(*loc)) {
            sizes.entry(cell.object).or_default().insert(cell.size);
        }
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut usage = Usage::default();
        for object in made.iter().copied().chain(met).filter(|object| is_heap(*object)) {
            if usage.objects.contains_key(&object) {
                continue;
            }
            // An object of a managed language has a type of its own.
            let managed = self.type_of_managed(tables.objects[object as usize]);
            let of_type = managed.or_else(|| types.get(&object).copied());
            let name = match of_type.and_then(|ty| self.module.types.get(ty as usize)) {
                Some(TypeInfo::Struct { name, .. }) if !name.is_empty() => name.as_str(),
                _ => "heap",
            };
            let number = numbers.entry(name.to_string()).or_default();
            *number += 1;
            let element = match (of_type, sizes.get(&object)) {
                (Some(ty), _) => self.size_of_type(ty),
                (None, Some(sizes)) if sizes.len() == 1 => sizes.first().copied().map_or(0, u64::from),
                _ => 0,
            };
            // A structure with something behind it, such as a flexible array, is no array.
            let size = self.size_of(tables.objects[object as usize]);
            let element = if element > 0 && size.is_multiple_of(element) { element } else { 0 };
            usage.objects.insert(object, Used { name: format!("{name}#{number}"), of_type, element });
        }
        usage
    }

    /// Whether what is at an offset of an object may be a structure of a type.
    fn may_be(&self, tables: &Tables, object: u32, ty: u32, offset: u64) -> bool {
        let Some(&Object::Made { heap: true, size, .. }) = tables.objects.get(object as usize) else {
            return false;
        };
        let one = self.size_of_type(ty);
        let is_structure = matches!(self.module.types.get(ty as usize), Some(TypeInfo::Struct { .. }));
        let begins = offset == 0 || (one > 0 && size.is_multiple_of(one) && offset.is_multiple_of(one));
        is_structure && one > 0 && offset + one <= size && begins
    }

    fn types_by_access(&self, tables: &Tables, accesses: &[(Loc, Value, &VmState)]) -> HashMap<u32, u32> {
        let mut types = HashMap::new();
        for (loc, _, state) in accesses {
            let cell = tables.layout.cell(*loc);
            // What the library does is said where the program calls it.
            let note = self.program_frame(state).and_then(|frame| self.note_at(frame));
            let Some((ty, offset)) = note.and_then(|note| note.of) else { continue };
            let begin = match offset {
                Some(offset) => u64::from(cell.offset).checked_sub(offset),
                None => Some(0),
            };
            if begin.is_some_and(|begin| self.may_be(tables, cell.object, ty, begin)) {
                let known = types.entry(cell.object).or_insert(ty);
                if self.size_of_type(*known) < self.size_of_type(ty) {
                    *known = ty;
                }
            }
        }
        types
    }

    fn types_by_pointer(
        &self,
        tables: &Tables,
        accesses: &[(Loc, Value, &VmState)],
        types: &mut HashMap<u32, u32>,
    ) {
        for _ in 0..ROUNDS {
            let before = types.len();
            for (loc, value, _) in accesses {
                let cell = tables.layout.cell(*loc);
                let Some((object, 0)) = pointer::split(*value as u64) else { continue };
                if cell.size != 8 || types.contains_key(&object) {
                    continue;
                }
                let (ty, offset) = match types.get(&cell.object) {
                    Some(&ty) => (Some(ty), u64::from(cell.offset) % self.size_of_type(ty).max(1)),
                    None => (self.type_of(tables.objects[cell.object as usize]), u64::from(cell.offset)),
                };
                let to = self.points_to(ty, offset);
                if let Some(to) = to.filter(|to| self.may_be(tables, object, *to, 0)) {
                    types.insert(object, to);
                }
            }
            if types.len() == before {
                return;
            }
        }
    }
}
