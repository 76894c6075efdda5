//! Debug information: places, variables, types.
//!
//! LLVM's C interface names few fields of debug information. The others are read as operands of the node,
//! at positions that are fixed in one version of LLVM; `tests/places.rs` would notice if they moved.

use std::marker::PhantomData;

use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use super::{Value, ValueKind};

/// A node of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

/// A variable's name, type and declaration.
pub(crate) struct Variable<'m> {
    pub(crate) name: String,
    pub(crate) ty: Option<Metadata<'m>>,
    pub(crate) file: Option<String>,
    pub(crate) line: u32,
}

impl<'m> Metadata<'m> {
    fn from_raw(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Metadata<'m>> {
        (!raw.is_null()).then_some(Metadata { raw, context, module: PhantomData })
    }

    fn kind(self) -> LLVMMetadataKind {
        // SAFETY: a valid node.
        unsafe { LLVMGetMetadataKind(self.raw) }
    }

    /// Whether it is one of the nodes that describe types.
    fn is_type(self) -> bool {
        use LLVMMetadataKind::*;
        matches!(
            self.kind(),
            LLVMDIBasicTypeMetadataKind
                | LLVMDIDerivedTypeMetadataKind
                | LLVMDICompositeTypeMetadataKind
                | LLVMDISubroutineTypeMetadataKind
        )
    }

    fn is_variable(self) -> bool {
        use LLVMMetadataKind::*;
        matches!(self.kind(), LLVMDILocalVariableMetadataKind | LLVMDIGlobalVariableMetadataKind)
    }

    fn operands(self) -> Vec<Option<Value<'m>>> {
        // SAFETY: a node that has operands: all kinds that this module asks are such nodes.
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.raw);
            if LLVMIsAMDNode(value).is_null() {
                return Vec::new();
            }
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            operands.into_iter().map(Value::from_raw).collect()
        }
    }

    fn operand(self, index: usize) -> Option<Value<'m>> {
        self.operands().get(index).copied().flatten()
    }

    fn node(self, index: usize) -> Option<Metadata<'m>> {
        let value = self.operand(index)?;
        if value.kind() != ValueKind::LLVMMetadataAsValueValueKind {
            return None;
        }
        // SAFETY: metadata that is wrapped as a value.
        Metadata::from_raw(unsafe { LLVMValueAsMetadata(value.raw()) }, self.context)
    }

    fn string(self, index: usize) -> Option<String> {
        let value = self.operand(index)?;
        let mut length = 0;
        // SAFETY: a string node, whose bytes live with it.
        unsafe {
            if LLVMIsAMDString(value.raw()).is_null() {
                return None;
            }
            let start = LLVMGetMDString(value.raw(), &mut length);
            Some(
                String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length as usize))
                    .into_owned(),
            )
        }
    }

    /// The name in a file node.
    fn file_name(self) -> Option<String> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDIFileMetadataKind) {
            return None;
        }
        let mut length = 0;
        // SAFETY: a file; the name is `length` bytes that live with it.
        unsafe {
            let start = LLVMDIFileGetFilename(self.raw, &mut length);
            (!start.is_null()).then(|| {
                String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length as usize))
                    .into_owned()
            })
        }
    }

    /// The type's name; empty if it has none.
    pub(crate) fn type_name(self) -> String {
        assert!(self.is_type());
        let mut length = 0;
        // SAFETY: a type; the name is `length` bytes that live with it.
        unsafe {
            let start = LLVMDITypeGetName(self.raw, &mut length);
            if start.is_null() {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length)).into_owned()
        }
    }

    /// DWARF's tag of a type.
    pub(crate) fn tag(self) -> u16 {
        assert!(self.is_type());
        // SAFETY: a debug information node.
        unsafe { LLVMGetDINodeTag(self.raw) }
    }

    /// The size of a type, in bytes.
    pub(crate) fn size(self) -> u64 {
        assert!(self.is_type());
        // SAFETY: a type.
        unsafe { LLVMDITypeGetSizeInBits(self.raw) }.div_ceil(8)
    }

    /// Where a member begins, in bytes.
    pub(crate) fn offset(self) -> u64 {
        assert!(self.is_type());
        // SAFETY: a type.
        unsafe { LLVMDITypeGetOffsetInBits(self.raw) / 8 }
    }

    /// The type that a derived type, an array or an enumeration is made of.
    pub(crate) fn base(self) -> Option<Metadata<'m>> {
        self.node(BASE).filter(|base| base.is_type())
    }

    /// The members of a structure; the dimensions of an array.
    fn parts(self) -> Vec<Metadata<'m>> {
        let Some(list) = self.node(ELEMENTS) else { return Vec::new() };
        (0..list.operands().len()).filter_map(|i| list.node(i)).collect()
    }

    pub(crate) fn members(self) -> Vec<Metadata<'m>> {
        self.parts().into_iter().filter(|part| part.is_type()).collect()
    }

    /// The lengths of an array's dimensions; 0 where it is not known.
    pub(crate) fn dimensions(self) -> Vec<u64> {
        self.parts()
            .into_iter()
            .map(|part| part.operand(0).and_then(Value::bits).unwrap_or(0) as u64)
            .collect()
    }

    fn variable(self) -> Option<Variable<'m>> {
        if !self.is_variable() {
            return None;
        }
        // SAFETY: a variable.
        let (file, line) = unsafe { (LLVMDIVariableGetFile(self.raw), LLVMDIVariableGetLine(self.raw)) };
        Some(Variable {
            name: self.string(VARIABLE_NAME).unwrap_or_default(),
            ty: self.node(VARIABLE_TYPE).filter(|ty| ty.is_type()),
            file: Metadata::from_raw(file, self.context).and_then(Metadata::file_name),
            line,
        })
    }
}

// Positions of operands.
const BASE: usize = 5;
const ELEMENTS: usize = 6;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;

impl<'m> Value<'m> {
    fn context(self) -> LLVMContextRef {
        // SAFETY: a valid value.
        unsafe { LLVMGetValueContext(self.raw()) }
    }

    /// File, line and column of an instruction.
    pub(crate) fn location(self) -> Option<(String, u32, u32)> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        // SAFETY: an instruction; its location has a scope, and that has a file or none.
        unsafe {
            let location = LLVMInstructionGetDebugLoc(self.raw());
            if location.is_null() {
                return None;
            }
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            let file = Metadata::from_raw(file, self.context())?.file_name()?;
            Some((file, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)))
        }
    }

    /// File and line of a function's definition.
    pub(crate) fn definition(self) -> Option<(String, u32)> {
        assert_eq!(self.kind(), ValueKind::LLVMFunctionValueKind);
        // SAFETY: a function; a subprogram is a scope.
        unsafe {
            let subprogram = LLVMGetSubprogram(self.raw());
            if subprogram.is_null() {
                return None;
            }
            let file = Metadata::from_raw(LLVMDIScopeGetFile(subprogram), self.context())?.file_name()?;
            Some((file, LLVMDISubprogramGetLine(subprogram)))
        }
    }

    /// What debug information says of a global.
    pub(crate) fn global_variable(self) -> Option<Variable<'m>> {
        assert_eq!(self.kind(), ValueKind::LLVMGlobalVariableValueKind);
        let mut count = 0;
        // SAFETY: a global; the list is ours, and indices are below its length.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let expression = (0..count as u32)
                .filter_map(|i| {
                    let raw = LLVMValueMetadataEntriesGetMetadata(entries, i);
                    Metadata::from_raw(raw, self.context())
                })
                .find(|node| {
                    matches!(node.kind(), LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind)
                });
            LLVMDisposeValueMetadataEntries(entries);
            let variable = LLVMDIGlobalVariableExpressionGetVariable(expression?.raw);
            Metadata::from_raw(variable, self.context())?.variable()
        }
    }

    /// The variables that are mentioned just before this instruction, in memory or not.
    pub(crate) fn variables(self) -> Vec<Variable<'m>> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        let mut found = Vec::new();
        // SAFETY: the records of an instruction, walked to their end; all but labels have a variable.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw());
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) != LLVMDbgRecordKind::LLVMDbgRecordLabel {
                    let variable =
                        Metadata::from_raw(LLVMDbgVariableRecordGetVariable(record), self.context());
                    found.extend(variable.and_then(Metadata::variable));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }

    /// The variables that are declared just before this instruction, with the address of each.
    pub(crate) fn declarations(self) -> Vec<(Value<'m>, Variable<'m>)> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        let mut found = Vec::new();
        // SAFETY: the records of an instruction, walked to their end; a declaration has an address and a
        // variable.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw());
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) == LLVMDbgRecordKind::LLVMDbgRecordDeclare {
                    let address = Value::from_raw(LLVMDbgVariableRecordGetValue(record, 0));
                    let variable =
                        Metadata::from_raw(LLVMDbgVariableRecordGetVariable(record), self.context());
                    if let (Some(address), Some(variable)) = (address, variable.and_then(Metadata::variable))
                    {
                        found.push((address, variable));
                    }
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }
}
