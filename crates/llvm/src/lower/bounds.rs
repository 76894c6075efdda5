//! `--strict-bounds`: an index must stay within the array that it is of, also where that array is a part of a
//! larger object: a member of a structure, or a row of an array of arrays.
//!
//! The type that an address is computed by says how many elements there are. One past the end is fine for an
//! address that is not followed. Arrays at the end of a structure with no element, or with one, are taken to
//! have as many as there is room for, as C programs did before there were flexible array members.

use selvedge_ir::library::INDEX;
use selvedge_ir::{CastOp, TypeInfo};

use super::Program;
use super::body::Body;
use super::shape::Scalar;
use crate::llvm::{Opcode, Type, TypeKind, Value, ValueKind};

impl<'m> Program<'m> {
    /// Takes in the types of variables, for the names of their members.
    pub(super) fn learn_types(&mut self, instruction: Value<'m>) {
        for variable in instruction.variables() {
            if let Some(ty) = variable.ty {
                self.type_info(ty);
            }
        }
    }
}

impl<'m> Body<'_, 'm> {
    /// Checks the indices of an address that is about to be computed.
    pub(super) fn check_indices(&mut self, address: Value<'m>) {
        let mut ty = address.source_element();
        for position in 2..address.operand_count() {
            let index = address.operand(position);
            if ty.kind() == TypeKind::Struct {
                let Some(&field) = ty.fields().get(index.bits().unwrap_or(0) as usize) else { return };
                ty = field;
                continue;
            }
            let (element, count) = ty.elements();
            // Where more follows, what is computed here is not the address of an element alone.
            let last = position + 1 == address.operand_count();
            let followed = !last || is_followed(address);
            if ty.kind() == TypeKind::Array && !self.is_flexible(address, position, count) {
                let largest = count - u64::from(followed);
                self.check_index(index, largest, || (address, position, count));
            }
            ty = element;
        }
    }

    fn check_index(&mut self, index: Value<'m>, largest: u64, of: impl FnOnce() -> (Value<'m>, u32, u64)) {
        let Some(bits @ 1..=64) = self.scalar(index).and_then(Scalar::int_bits) else { return };
        if let Some(known) = index.bits()
            && known <= u128::from(largest)
        {
            return;
        }
        let (address, position, count) = of();
        let what = self.described(address, position);
        let elements = if count == 1 { "element" } else { "elements" };
        let name = match what {
            Some((array, within)) => format!("{array}, which has {count} {elements}{within}"),
            None => format!("an array of {count} {elements}"),
        };
        let index = match self.operand(index) {
            narrow if bits < 64 => self.convert(CastOp::Sext, bits, 64, narrow),
            whole => whole,
        };
        self.call_library(&format!("{INDEX}{largest} {name}"), vec![index], 0);
    }

    /// Whether an array is at the end of a structure and has at most one element.
    fn is_flexible(&self, address: Value<'m>, position: u32, count: u64) -> bool {
        count <= 1
            && match self.container(address, position) {
                Some((structure, field)) => field + 1 == structure.fields().len() as u32,
                None => count == 0,
            }
    }

    /// The structure that an array, which the index at `position` is of, is a member of.
    fn container(&self, address: Value<'m>, position: u32) -> Option<(Type<'m>, u32)> {
        // Whatever comes before in the same computation; or else the last step of the one that it starts
        // from.
        if position > 2 {
            return last_step(address, position);
        }
        let base = address.operand(0);
        let is_step = base.opcode() == Some(Opcode::LLVMGetElementPtr) && address.operand(1).is_zero();
        if is_step { last_step(base, base.operand_count()) } else { None }
    }

    /// What an array is called, and what it is a part of.
    fn described(&self, address: Value<'m>, position: u32) -> Option<(String, String)> {
        if let Some((structure, field)) = self.container(address, position) {
            let text = structure.text();
            let name = text.trim_start_matches('%').trim_matches('"').split('=').next().unwrap_or_default();
            let name = name.trim().trim_start_matches("struct.").trim_start_matches("union.");
            let offset = self.program.layout.field_offset(structure, field);
            let member = self.member(name, offset);
            let member = member.map_or_else(|| format!("member {field}"), |member| format!("`{member}`"));
            return Some((member, format!(", in struct {name}")));
        }
        let base = address.operand(0);
        match base.kind() {
            ValueKind::LLVMGlobalVariableValueKind if position == 2 => {
                Some((format!("`{}`", base.name()), String::new()))
            }
            ValueKind::LLVMGlobalVariableValueKind => {
                Some((format!("a row of `{}`", base.name()), String::new()))
            }
            _ if base.opcode() == Some(Opcode::LLVMGetElementPtr) => {
                let inner = self.described(base, base.operand_count() - 1)?;
                Some((format!("a row of {}", inner.0), inner.1))
            }
            _ => self.local_name(base).map(|name| (format!("`{name}`"), String::new())),
        }
    }

    fn local_name(&self, base: Value<'m>) -> Option<String> {
        (base.opcode() == Some(Opcode::LLVMAlloca)).then(|| base.name()).filter(|name| !name.is_empty())
    }

    /// The member of a structure at an offset that is an array, by what debug information says.
    fn member(&self, structure: &str, offset: u64) -> Option<String> {
        let types = &self.program.out.types;
        let is_array = |ty: &u32| matches!(types.get(*ty as usize), Some(TypeInfo::Array { .. }));
        types.iter().find_map(|ty| match ty {
            TypeInfo::Struct { name, fields, .. } if name == structure => {
                let at = |(_, from, ty): &&(String, u64, u32)| *from == offset && is_array(ty);
                fields.iter().find(at).map(|(name, ..)| name.clone())
            }
            _ => None,
        })
    }
}

/// The structure and the field of it that the index before `position` picks, if it picks a field.
fn last_step(address: Value<'_>, position: u32) -> Option<(Type<'_>, u32)> {
    let mut ty = address.source_element();
    let mut found = None;
    for at in 2..position {
        if ty.kind() == TypeKind::Struct {
            let field = address.operand(at).bits()? as u32;
            found = Some((ty, field));
            ty = *ty.fields().get(field as usize)?;
        } else {
            found = None;
            ty = ty.elements().0;
        }
    }
    found
}

/// Whether what is at an address is accessed, as a whole or a part of it.
fn is_followed(address: Value<'_>) -> bool {
    use Opcode::*;
    address.users().into_iter().any(|user| match user.opcode() {
        Some(LLVMLoad) => true,
        Some(LLVMStore) => user.operand(1) == address,
        Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => user.operand(0) == address,
        Some(LLVMGetElementPtr) => user.operand(0) == address && is_followed(user),
        // Whole structures are copied that way.
        Some(LLVMCall) => user.callee().name().starts_with("llvm.mem"),
        _ => false,
    })
}
