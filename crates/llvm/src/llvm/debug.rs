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

/// A source file, as the compiler was given it: relative names are from the directory that it ran in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct File {
    pub(crate) directory: String,
    pub(crate) name: String,
}

/// A place in the source.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) file: File,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// Functions that were inlined there, the innermost first, and where each was called.
    pub(crate) inlined: Vec<(String, Spot)>,
}

/// How many functions or blocks may be around a place.
const DEEPEST_SCOPE: usize = 1000;

/// A variable's name, type and declaration.
pub(crate) struct Variable<'m> {
    pub(crate) name: String,
    pub(crate) ty: Option<Metadata<'m>>,
    pub(crate) file: Option<File>,
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
    fn file_name(self) -> Option<File> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDIFileMetadataKind) {
            return None;
        }
        let part = |get: unsafe extern "C" fn(LLVMMetadataRef, *mut u32) -> *const i8| {
            let mut length = 0;
            // SAFETY: a file; the part is `length` bytes that live with it.
            unsafe {
                let start = get(self.raw, &mut length);
                let bytes = || std::slice::from_raw_parts(start.cast(), length as usize);
                (!start.is_null()).then(|| String::from_utf8_lossy(bytes()).into_owned())
            }
        };
        let directory = part(LLVMDIFileGetDirectory).unwrap_or_default();
        part(LLVMDIFileGetFilename).map(|name| File { directory, name })
    }

    /// The name of the function that a scope is in.
    fn function_name(self) -> Option<String> {
        let mut scope = self;
        // Debug information that nobody has checked may go round in circles.
        for _ in 0..DEEPEST_SCOPE {
            if matches!(scope.kind(), LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
                return scope.string(SUBPROGRAM_NAME);
            }
            scope = scope.node(SCOPE)?;
        }
        None
    }

    /// The types of a function's result and parameters, as far as they are any.
    fn signature(self) -> Vec<Metadata<'m>> {
        let ty = self.node(SUBPROGRAM_TYPE);
        let list = ty.filter(|ty| matches!(ty.kind(), LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind));
        let Some(list) = list.and_then(|ty| ty.node(SUBROUTINE_TYPES)) else { return Vec::new() };
        let types = (0..list.operands().len()).filter_map(|i| list.node(i));
        types.filter(|ty| ty.is_type()).collect()
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
const SCOPE: usize = 1;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_TYPE: usize = 4;
const SUBROUTINE_TYPES: usize = 5;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;

impl<'m> Value<'m> {
    fn context(self) -> LLVMContextRef {
        // SAFETY: a valid value.
        unsafe { LLVMGetValueContext(self.raw()) }
    }

    /// The place of an instruction.
    pub(crate) fn location(self) -> Option<Spot> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        // SAFETY: an instruction.
        let location = unsafe { LLVMInstructionGetDebugLoc(self.raw()) };
        let mut spot = self.spot(location)?;
        let mut at = location;
        while spot.inlined.len() < DEEPEST_SCOPE {
            // SAFETY: a location; its scope is one, and it was inlined into another location or none.
            let (scope, caller) = unsafe { (LLVMDILocationGetScope(at), LLVMDILocationGetInlinedAt(at)) };
            let Some(call) = self.spot(caller) else { break };
            let function = Metadata::from_raw(scope, self.context()).and_then(Metadata::function_name);
            spot.inlined.push((function.unwrap_or_default(), call));
            at = caller;
        }
        Some(spot)
    }

    fn spot(self, location: LLVMMetadataRef) -> Option<Spot> {
        if location.is_null() {
            return None;
        }
        // SAFETY: a location has a scope, and that has a file or none.
        unsafe {
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            let file = Metadata::from_raw(file, self.context())?.file_name()?;
            let (line, column) = (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
            Some(Spot { file, line, column, inlined: Vec::new() })
        }
    }

    /// The types of the result and of the parameters that debug information knows of a function.
    pub(crate) fn signature_types(self) -> Vec<Metadata<'m>> {
        assert_eq!(self.kind(), ValueKind::LLVMFunctionValueKind);
        // SAFETY: a function.
        let subprogram = unsafe { LLVMGetSubprogram(self.raw()) };
        Metadata::from_raw(subprogram, self.context()).map_or(Vec::new(), Metadata::signature)
    }

    /// File and line of a function's definition.
    pub(crate) fn definition(self) -> Option<(File, u32)> {
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
