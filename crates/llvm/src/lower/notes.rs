//! What reports say of an instruction besides its place: which type an access is of a part of, and which
//! functions were inlined.
//!
//! Memory from `malloc` has no type of its own. It has one by use: `n->next` computes an address by the type
//! `struct node` and an index, and clang leaves it at that as long as nothing is optimised. The name of
//! LLVM's type leads to the one of debug information, which has the names of fields. The outermost type of
//! an address is what is wanted: of `q->items[2].key` it is that of `*q`.

use std::collections::{HashMap, HashSet};

use selvedge_ir::{Contents, Note, Place};

use super::Program;
use super::places::{is_record, is_typedef, unqualified};
use crate::llvm::{Metadata, Opcode, Spot, Type, TypeKind, Value, ValueKind};

/// Structures and unions of a program, by their names. Several files may have different ones of a name.
pub(super) type Records<'m> = HashMap<String, Vec<Metadata<'m>>>;

/// How many addresses are followed to where they come from.
const LONGEST: usize = 64;

/// Functions that access what their first argument points to, and no other memory of the program.
const LIBRARY: [&str; 4] = ["pthread_", "sem_", "mtx_", "cnd_"];

impl<'m> Program<'m> {
    /// Finds the types that a function knows of.
    pub(super) fn learn_records(&mut self, function: Value<'m>) {
        let mut open = function.signature_types();
        for block in function.blocks() {
            for instruction in block.instructions() {
                open.extend(instruction.variables().into_iter().filter_map(|variable| variable.ty));
            }
        }
        self.learn_from(open);
    }

    /// The same for a global.
    pub(super) fn learn_records_of_global(&mut self, global: Value<'m>) {
        let ty = global.global_variable().and_then(|variable| variable.ty);
        self.learn_from(ty.into_iter().collect());
    }

    fn learn_from(&mut self, mut open: Vec<Metadata<'m>>) {
        while let Some(ty) = open.pop() {
            if !self.known_types.insert(ty) {
                continue;
            }
            let name = ty.type_name();
            // A structure without a name of its own goes by that of its `typedef`, with clang as well.
            let record = if is_typedef(ty) { unqualified(ty) } else { ty };
            if is_record(record) && !name.is_empty() {
                let known = self.records.entry(name).or_default();
                if !known.contains(&record) {
                    known.push(record);
                }
            }
            open.extend(ty.base());
            if is_record(ty) {
                open.extend(ty.members());
            }
        }
    }

    /// The number of what debug information calls a type of LLVM.
    fn record_of(&mut self, ty: Type<'m>) -> Option<u32> {
        if let Some(known) = self.record_types.get(&ty) {
            return *known;
        }
        let found = ty.struct_name().and_then(|name| {
            let bare = name.split_once('.').map_or(name.as_str(), |(_, bare)| bare);
            // Where modules are linked, types of the same name get numbers.
            let without = bare.rsplit_once('.').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
            let named = self.records.get(bare).or_else(|| self.records.get(without?.0))?;
            let size = self.layout.size(ty);
            named.iter().copied().find(|record| record.size() == size)
        });
        let number = found.map(|record| self.type_info(record));
        if let (Some(number), Some(name)) = (number, ty.struct_name()) {
            self.name_type(number, name.split_once('.').map_or("", |(_, bare)| bare));
        }
        self.record_types.insert(ty, number);
        number
    }

    /// The type that an address is of a part of, the outermost that it is computed by, and where the part
    /// begins.
    fn part(&mut self, address: Value<'m>) -> Option<(u32, Option<u64>)> {
        let mut found: Option<(Type<'m>, u32, Option<u64>)> = None;
        // From the address that was come to so far to the one that is asked for.
        let mut below = Some(0i64);
        let mut at = address;
        for _ in 0..LONGEST {
            if at.kind() != ValueKind::LLVMInstructionValueKind
                || at.opcode() != Some(Opcode::LLVMGetElementPtr)
                || at.ty().kind() == TypeKind::Vector
                || at.operand_count() < 2
            {
                break;
            }
            let ty = at.source_element();
            let (first, within) = self.offsets(at);
            let is_same = found.is_some_and(|(known, ..)| known == ty) && at.operand_count() == 2;
            if ty.kind() == TypeKind::Struct
                && !is_same
                && let Some(number) = self.record_of(ty)
            {
                let offset = below.zip(within).map(|(below, within)| below.wrapping_add(within));
                found = Some((ty, number, offset.and_then(|offset| u64::try_from(offset).ok())));
            }
            let step = first.zip(within).map(|(first, within)| first.wrapping_add(within));
            below = below.zip(step).map(|(below, step)| below.wrapping_add(step));
            at = at.operand(0);
        }
        found.map(|(_, number, offset)| (number, offset))
    }

    /// What the first index of an address adds, and what the others do; none if they are not constant.
    fn offsets(&self, address: Value<'m>) -> (Option<i64>, Option<i64>) {
        let mut ty = address.source_element();
        let constant = |index: Value<'m>| i64::try_from(index.bits()?).ok();
        let size = |ty: Type<'m>| i64::try_from(self.layout.size(ty)).ok();
        let first = constant(address.operand(1)).zip(size(ty)).and_then(|(n, size)| n.checked_mul(size));
        let mut within = Some(0i64);
        for position in 2..address.operand_count() {
            let index = address.operand(position);
            let step = match ty.kind() {
                TypeKind::Struct => {
                    let field = index.bits().unwrap_or(0) as u32;
                    let offset = self.layout.field_offset(ty, field) as i64;
                    ty = ty.fields()[field as usize];
                    Some(offset)
                }
                TypeKind::Array => {
                    ty = ty.elements().0;
                    constant(index).zip(size(ty)).and_then(|(n, size)| n.checked_mul(size))
                }
                _ => None,
            };
            within = within.zip(step).and_then(|(within, step)| within.checked_add(step));
            if within.is_none() && !matches!(ty.kind(), TypeKind::Struct | TypeKind::Array) {
                break;
            }
        }
        (first, within)
    }

    /// What is to be said of an instruction; see [`Place::note`].
    pub(super) fn note_of(&mut self, instruction: Value<'m>, spot: &Spot) -> u32 {
        let inlined = self.inlined(spot);
        let Some((address, contents)) = accessed(instruction) else {
            return self.note(Note { inlined, ..Note::default() });
        };
        let kind = match contents.map(Type::kind) {
            Some(TypeKind::Float | TypeKind::Double | TypeKind::Extended) => Contents::Float,
            Some(TypeKind::Pointer) => Contents::Pointer,
            _ => Contents::Number,
        };
        // What the library accesses is somewhere in what it is given.
        let of = self.part(address).map(|(ty, offset)| (ty, offset.filter(|_| contents.is_some())));
        self.note(Note { kind, of, inlined })
    }

    fn inlined(&mut self, spot: &Spot) -> Vec<(String, Place)> {
        let call =
            |(function, at): &(String, Spot)| (function.clone(), self.place(&at.file, at.line, at.column));
        spot.inlined.iter().map(call).collect()
    }

    fn note(&mut self, note: Note) -> u32 {
        if note == Note::default() {
            return 0;
        }
        let next = self.out.notes.len() as u32 + 1;
        match self.notes.get(&note) {
            Some(number) => *number,
            None => {
                self.out.notes.push(note.clone());
                self.notes.insert(note, next);
                next
            }
        }
    }
}

/// The address that an instruction accesses, and the type of what it reads or writes; that is not known of
/// what the library does.
fn accessed(instruction: Value<'_>) -> Option<(Value<'_>, Option<Type<'_>>)> {
    Some(match instruction.opcode()? {
        Opcode::LLVMLoad => (instruction.operand(0), Some(instruction.ty())),
        Opcode::LLVMStore => (instruction.operand(1), Some(instruction.operand(0).ty())),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            (instruction.operand(0), Some(instruction.operand(1).ty()))
        }
        Opcode::LLVMCall if instruction.callee().kind() == ValueKind::LLVMFunctionValueKind => {
            let name = instruction.callee().name();
            let is_known = LIBRARY.iter().any(|begin| name.starts_with(begin));
            (*instruction.arguments().first().filter(|_| is_known)?, None)
        }
        _ => return None,
    })
}

/// What [`Program`] keeps for this.
pub(super) type KnownTypes<'m> = HashSet<Metadata<'m>>;
