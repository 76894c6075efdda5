//! Types, values, blocks.

use std::ffi::CStr;
use std::marker::PhantomData;

use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMTypeKind};

use super::{Opcode, ValueKind, take_message};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

/// The kinds of types that the lowering tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TypeKind {
    Void,
    Int(u32),
    Float,
    Double,
    /// The 80 bits of x86.
    Extended,
    Pointer,
    Struct,
    Array,
    Vector,
    Function,
    Other,
}

impl<'m> Type<'m> {
    pub(super) fn from_raw(raw: LLVMTypeRef) -> Type<'m> {
        assert!(!raw.is_null());
        Type { raw, module: PhantomData }
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    pub(crate) fn kind(self) -> TypeKind {
        // SAFETY: a valid type; the width is asked of integers only.
        unsafe {
            match LLVMGetTypeKind(self.raw) {
                LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
                LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Int(LLVMGetIntTypeWidth(self.raw)),
                LLVMTypeKind::LLVMFloatTypeKind => TypeKind::Float,
                LLVMTypeKind::LLVMDoubleTypeKind => TypeKind::Double,
                LLVMTypeKind::LLVMX86_FP80TypeKind => TypeKind::Extended,
                LLVMTypeKind::LLVMPointerTypeKind => TypeKind::Pointer,
                LLVMTypeKind::LLVMStructTypeKind => TypeKind::Struct,
                LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array,
                LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Vector,
                LLVMTypeKind::LLVMFunctionTypeKind => TypeKind::Function,
                _ => TypeKind::Other,
            }
        }
    }

    pub(crate) fn is_sized(self) -> bool {
        // SAFETY: a valid type.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// As LLVM writes it.
    pub(crate) fn text(self) -> String {
        // SAFETY: a valid type; the string is ours.
        unsafe { take_message(LLVMPrintTypeToString(self.raw)) }
    }

    /// The name of a struct: `struct.node`; none if it has none.
    pub(crate) fn struct_name(self) -> Option<String> {
        assert_eq!(self.kind(), TypeKind::Struct);
        // SAFETY: a struct; its name lives with it.
        unsafe {
            let name = LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// The types of the fields of a struct.
    pub(crate) fn fields(self) -> Vec<Type<'m>> {
        assert_eq!(self.kind(), TypeKind::Struct);
        // SAFETY: a struct, and an index below the number of its fields.
        unsafe {
            (0..LLVMCountStructElementTypes(self.raw))
                .map(|field| Type::from_raw(LLVMStructGetTypeAtIndex(self.raw, field)))
                .collect()
        }
    }

    /// The element of an array or a vector, and how many there are.
    pub(crate) fn elements(self) -> (Type<'m>, u64) {
        let kind = self.kind();
        assert!(matches!(kind, TypeKind::Array | TypeKind::Vector));
        // SAFETY: an array or a vector.
        unsafe {
            let count = match kind {
                TypeKind::Array => LLVMGetArrayLength2(self.raw),
                _ => u64::from(LLVMGetVectorSize(self.raw)),
            };
            (Type::from_raw(LLVMGetElementType(self.raw)), count)
        }
    }

    /// Of a function: the type of its result.
    pub(crate) fn result(self) -> Type<'m> {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: a function type.
        Type::from_raw(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// How many parameters a function of this type has.
    pub(crate) fn parameter_count(self) -> u32 {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: a function type.
        unsafe { LLVMCountParamTypes(self.raw) }
    }

    pub(crate) fn is_varargs(self) -> bool {
        assert_eq!(self.kind(), TypeKind::Function);
        // SAFETY: a function type.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }
}

/// An instruction, a constant, a parameter, a function, a global.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Value<'m> {
    pub(super) fn from_raw(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value { raw, module: PhantomData })
    }

    fn expect(raw: LLVMValueRef) -> Value<'m> {
        Value::from_raw(raw).expect("a value")
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    pub(crate) fn kind(self) -> ValueKind {
        // SAFETY: a valid value.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    pub(crate) fn ty(self) -> Type<'m> {
        // SAFETY: a valid value.
        Type::from_raw(unsafe { LLVMTypeOf(self.raw) })
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: a valid value; the name is `length` bytes that live with it.
        unsafe {
            let start = LLVMGetValueName2(self.raw, &mut length);
            String::from_utf8_lossy(bytes(start.cast(), length)).into_owned()
        }
    }

    /// As LLVM writes it, for messages.
    pub(crate) fn text(self) -> String {
        // SAFETY: a valid value; the string is ours.
        unsafe { take_message(LLVMPrintValueToString(self.raw)) }
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: a valid value.
        unsafe { LLVMIsConstant(self.raw) != 0 }
    }

    /// Whether it is zero of its type.
    pub(crate) fn is_zero(self) -> bool {
        // SAFETY: a valid value.
        unsafe { self.is_constant() && LLVMIsNull(self.raw) != 0 }
    }

    /// The opcode of an instruction or a constant expression.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        // SAFETY: the kind is checked.
        unsafe {
            match self.kind() {
                ValueKind::LLVMInstructionValueKind => Some(LLVMGetInstructionOpcode(self.raw)),
                ValueKind::LLVMConstantExprValueKind => Some(LLVMGetConstOpcode(self.raw)),
                _ => None,
            }
        }
    }

    fn check(self, allowed: &[Opcode]) {
        assert!(self.opcode().is_some_and(|opcode| allowed.contains(&opcode)), "not for {}", self.text());
    }

    fn check_instruction(self, allowed: &[Opcode]) {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        self.check(allowed);
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: users only; the others have none.
        if unsafe { LLVMIsAUser(self.raw) }.is_null() {
            return 0;
        }
        // SAFETY: a user.
        unsafe { LLVMGetNumOperands(self.raw) as u32 }
    }

    pub(crate) fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        // SAFETY: the index is in range.
        Value::expect(unsafe { LLVMGetOperand(self.raw, index) })
    }

    pub(crate) fn users(self) -> Vec<Value<'m>> {
        let mut users = Vec::new();
        // SAFETY: a list of LLVM, walked to its end without changes.
        unsafe {
            let mut usage = LLVMGetFirstUse(self.raw);
            while !usage.is_null() {
                users.push(Value::expect(LLVMGetUser(usage)));
                usage = LLVMGetNextUse(usage);
            }
        }
        users
    }

    /// `element` of a constant struct, array or vector.
    pub(crate) fn element(self, element: u32) -> Option<Value<'m>> {
        assert!(self.is_constant());
        // SAFETY: a constant; the answer is null where there is no such element.
        Value::from_raw(unsafe { LLVMGetAggregateElement(self.raw, element) })
    }

    /// The bits of an integer or floating constant of at most 128 bits.
    pub(crate) fn bits(self) -> Option<u128> {
        let integer = match (self.kind(), self.ty().kind()) {
            (ValueKind::LLVMConstantIntValueKind, TypeKind::Int(_)) => self,
            // SAFETY: a bit cast between types of one size, which folds.
            (ValueKind::LLVMConstantFPValueKind, kind) => unsafe {
                let context = LLVMGetValueContext(self.raw);
                let bits = match kind {
                    TypeKind::Float => 32,
                    TypeKind::Double => 64,
                    TypeKind::Extended => 80,
                    _ => return None,
                };
                Value::expect(LLVMConstBitCast(self.raw, LLVMIntTypeInContext(context, bits)))
            },
            _ => return None,
        };
        let TypeKind::Int(width) = integer.ty().kind() else { return None };
        match width {
            // SAFETY: a constant integer of at most 64 bits.
            0..=64 if integer.kind() == ValueKind::LLVMConstantIntValueKind => {
                Some(u128::from(unsafe { LLVMConstIntGetZExtValue(integer.raw) }))
            }
            // The C interface gives 64 bits; LLVM writes the others as a signed number.
            65..=128 => {
                let text = integer.text();
                let value: i128 = text.rsplit(' ').next()?.parse().ok()?;
                Some(if width == 128 { value as u128 } else { value as u128 & ((1 << width) - 1) })
            }
            _ => None,
        }
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Value<'m> {
        assert_eq!(self.kind(), ValueKind::LLVMGlobalAliasValueKind);
        // SAFETY: an alias.
        Value::expect(unsafe { LLVMAliasGetAliasee(self.raw) })
    }
}

/// Globals and functions.
impl<'m> Value<'m> {
    fn check_global(self) {
        assert_eq!(self.kind(), ValueKind::LLVMGlobalVariableValueKind);
    }

    fn check_function(self) {
        assert_eq!(self.kind(), ValueKind::LLVMFunctionValueKind);
    }

    /// The type of a global's contents; a function's own type.
    pub(crate) fn contents(self) -> Type<'m> {
        if self.kind() != ValueKind::LLVMFunctionValueKind {
            self.check_global();
        }
        // SAFETY: a global or a function.
        Type::from_raw(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    pub(crate) fn initialiser(self) -> Option<Value<'m>> {
        self.check_global();
        // SAFETY: a global variable.
        Value::from_raw(unsafe { LLVMGetInitializer(self.raw) })
    }

    pub(crate) fn is_thread_local(self) -> bool {
        self.check_global();
        // SAFETY: a global variable.
        unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        self.check_global();
        // SAFETY: a global variable.
        unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// The alignment that a global, an `alloca`, a load or a store states; 0 if none.
    pub(crate) fn alignment(self) -> u32 {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            self.check_instruction(&[Opcode::LLVMAlloca, Opcode::LLVMLoad, Opcode::LLVMStore]);
        }
        // SAFETY: of these, it is defined.
        unsafe { LLVMGetAlignment(self.raw) }
    }

    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        self.check_function();
        // SAFETY: a function, and an index below the number of its parameters.
        unsafe { (0..LLVMCountParams(self.raw)).map(|i| Value::expect(LLVMGetParam(self.raw, i))).collect() }
    }

    /// The type that parameter `index` is a copy of, if it is passed by value in memory.
    pub(crate) fn by_value(self, index: u32) -> Option<Type<'m>> {
        self.check_function();
        const NAME: &str = "byval";
        // SAFETY: attributes of a function's parameter; `byval` has a type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let attribute = LLVMGetEnumAttributeAtIndex(self.raw, index + 1, kind);
            (!attribute.is_null()).then(|| Type::from_raw(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        self.check_function();
        let mut blocks = Vec::new();
        // SAFETY: the blocks of a function, walked to their end without changes.
        unsafe {
            let mut raw = LLVMGetFirstBasicBlock(self.raw);
            while !raw.is_null() {
                blocks.push(Block { raw, module: PhantomData });
                raw = LLVMGetNextBasicBlock(raw);
            }
        }
        blocks
    }
}

/// Instructions.
impl<'m> Value<'m> {
    /// No signed wrap, no unsigned wrap.
    pub(crate) fn wrap_flags(self) -> (bool, bool) {
        use Opcode::*;
        self.check(&[LLVMAdd, LLVMSub, LLVMMul, LLVMShl]);
        if self.kind() != ValueKind::LLVMInstructionValueKind {
            return (false, false);
        }
        // SAFETY: these instructions have the flags.
        unsafe { (LLVMGetNSW(self.raw) != 0, LLVMGetNUW(self.raw) != 0) }
    }

    pub(crate) fn int_predicate(self) -> LLVMIntPredicate {
        self.check_instruction(&[Opcode::LLVMICmp]);
        // SAFETY: an integer comparison.
        unsafe { LLVMGetICmpPredicate(self.raw) }
    }

    /// Bits: equal, greater, less, unordered.
    pub(crate) fn float_predicate(self) -> u32 {
        self.check_instruction(&[Opcode::LLVMFCmp]);
        // SAFETY: a floating comparison.
        unsafe { LLVMGetFCmpPredicate(self.raw) as u32 }
    }

    /// The indices of `extractvalue` and `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        self.check_instruction(&[Opcode::LLVMExtractValue, Opcode::LLVMInsertValue]);
        // SAFETY: these have indices, as many as they say.
        unsafe {
            std::slice::from_raw_parts(LLVMGetIndices(self.raw), LLVMGetNumIndices(self.raw) as usize)
                .to_vec()
        }
    }

    /// Which elements a `shufflevector` picks; `None` for any.
    pub(crate) fn mask(self) -> Vec<Option<usize>> {
        self.check_instruction(&[Opcode::LLVMShuffleVector]);
        // SAFETY: a shuffle, and indices below the length of its mask.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw))
                .map(|i| usize::try_from(LLVMGetMaskValue(self.raw, i)).ok())
                .collect()
        }
    }

    /// The type that the first index of a `getelementptr` steps over.
    pub(crate) fn source_element(self) -> Type<'m> {
        self.check(&[Opcode::LLVMGetElementPtr]);
        // SAFETY: an instruction or an expression that computes an address.
        Type::from_raw(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// Whether a `getelementptr` must not lead out of its object.
    pub(crate) fn is_in_bounds(self) -> bool {
        self.check(&[Opcode::LLVMGetElementPtr]);
        // SAFETY: an instruction or an expression that computes an address.
        unsafe { LLVMIsInBounds(self.raw) != 0 }
    }

    /// The block that an instruction is in.
    pub(crate) fn parent(self) -> Option<Block<'m>> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        // SAFETY: an instruction; the block is null if it is in none.
        let raw = unsafe { LLVMGetInstructionParent(self.raw) };
        (!raw.is_null()).then_some(Block { raw, module: PhantomData })
    }

    pub(crate) fn allocated(self) -> Type<'m> {
        self.check_instruction(&[Opcode::LLVMAlloca]);
        // SAFETY: an `alloca`.
        Type::from_raw(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// The block that an instruction is in.
    pub(crate) fn block(self) -> Block<'m> {
        assert_eq!(self.kind(), ValueKind::LLVMInstructionValueKind);
        // SAFETY: an instruction of a function.
        Block { raw: unsafe { LLVMGetInstructionParent(self.raw) }, module: PhantomData }
    }

    /// Whether it is a store that goes past the caches.
    pub(crate) fn is_nontemporal(self) -> bool {
        use Opcode::*;
        self.check_instruction(&[LLVMLoad, LLVMStore]);
        let name = c"nontemporal";
        // SAFETY: instructions have metadata, and the name is as long as it is said to be.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, name.as_ptr(), name.count_bytes() as u32);
            !LLVMGetMetadata(self.raw, kind).is_null()
        }
    }

    pub(crate) fn is_volatile(self) -> bool {
        use Opcode::*;
        self.check_instruction(&[LLVMLoad, LLVMStore, LLVMAtomicCmpXchg, LLVMAtomicRMW]);
        // SAFETY: these have the flag.
        unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    pub(crate) fn ordering(self) -> LLVMAtomicOrdering {
        use Opcode::*;
        self.check_instruction(&[LLVMLoad, LLVMStore, LLVMFence, LLVMAtomicRMW]);
        // SAFETY: these have an ordering.
        unsafe { LLVMGetOrdering(self.raw) }
    }

    /// The orderings of a compare-and-exchange, for success and failure.
    pub(crate) fn orderings(self) -> (LLVMAtomicOrdering, LLVMAtomicOrdering) {
        self.check_instruction(&[Opcode::LLVMAtomicCmpXchg]);
        // SAFETY: a compare-and-exchange.
        unsafe { (LLVMGetCmpXchgSuccessOrdering(self.raw), LLVMGetCmpXchgFailureOrdering(self.raw)) }
    }

    pub(crate) fn is_weak(self) -> bool {
        self.check_instruction(&[Opcode::LLVMAtomicCmpXchg]);
        // SAFETY: a compare-and-exchange.
        unsafe { LLVMGetWeak(self.raw) != 0 }
    }

    pub(crate) fn rmw_kind(self) -> LLVMAtomicRMWBinOp {
        self.check_instruction(&[Opcode::LLVMAtomicRMW]);
        // SAFETY: a read-modify-write.
        unsafe { LLVMGetAtomicRMWBinOp(self.raw) }
    }

    /// Whether a fence is for signal handlers of the same thread only.
    pub(crate) fn is_single_thread(self) -> bool {
        self.check_instruction(&[Opcode::LLVMFence]);
        // SAFETY: a fence.
        unsafe { LLVMIsAtomicSingleThread(self.raw) != 0 }
    }

    /// What a phi node is for each predecessor.
    pub(crate) fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        self.check_instruction(&[Opcode::LLVMPHI]);
        // SAFETY: a phi node, and indices below the number of its inputs.
        unsafe {
            (0..LLVMCountIncoming(self.raw))
                .map(|i| {
                    let block = Block { raw: LLVMGetIncomingBlock(self.raw, i), module: PhantomData };
                    (Value::expect(LLVMGetIncomingValue(self.raw, i)), block)
                })
                .collect()
        }
    }

    /// Where a terminator may go. Of a conditional branch: true, false; of a switch: default, cases.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: a terminator, and indices below the number of its successors.
        unsafe {
            if LLVMIsATerminatorInst(self.raw).is_null() {
                return Vec::new();
            }
            let count = LLVMGetNumSuccessors(self.raw);
            (0..count).map(|i| Block { raw: LLVMGetSuccessor(self.raw, i), module: PhantomData }).collect()
        }
    }

    /// The values of the cases of a switch.
    pub(crate) fn case_values(self) -> Vec<Value<'m>> {
        self.check_instruction(&[Opcode::LLVMSwitch]);
        // SAFETY: a switch; successor 0 is its default.
        unsafe {
            (1..LLVMGetNumSuccessors(self.raw))
                .map(|i| Value::expect(LLVMGetSwitchCaseValue(self.raw, i)))
                .collect()
        }
    }

    /// What a branch or a switch decides by; `None` for a branch without condition.
    pub(crate) fn condition(self) -> Option<Value<'m>> {
        self.check_instruction(&[Opcode::LLVMBr, Opcode::LLVMSwitch]);
        // SAFETY: a branch that has a condition, or a switch.
        unsafe {
            match self.opcode() {
                Some(Opcode::LLVMBr) if LLVMIsConditional(self.raw) == 0 => None,
                Some(Opcode::LLVMSwitch) => Some(self.operand(0)),
                _ => Value::from_raw(LLVMGetCondition(self.raw)),
            }
        }
    }

    const CALLS: [Opcode; 3] = [Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr];

    pub(crate) fn callee(self) -> Value<'m> {
        self.check_instruction(&Self::CALLS);
        // SAFETY: a call.
        Value::expect(unsafe { LLVMGetCalledValue(self.raw) })
    }

    /// The type of the function that a call is to.
    pub(crate) fn called(self) -> Type<'m> {
        self.check_instruction(&Self::CALLS);
        // SAFETY: a call.
        Type::from_raw(unsafe { LLVMGetCalledFunctionType(self.raw) })
    }

    /// The type of what is passed by value in memory as an argument of a call.
    pub(crate) fn argument_by_value(self, index: u32) -> Option<Type<'m>> {
        self.check_instruction(&Self::CALLS);
        const NAME: &str = "byval";
        // SAFETY: attributes of a call's argument; `byval` has a type.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let attribute = LLVMGetCallSiteEnumAttribute(self.raw, index + 1, kind);
            (!attribute.is_null()).then(|| Type::from_raw(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        self.check_instruction(&Self::CALLS);
        // SAFETY: a call, and indices below the number of its arguments.
        unsafe {
            (0..LLVMGetNumArgOperands(self.raw))
                .map(|i| Value::expect(LLVMGetArgOperand(self.raw, i)))
                .collect()
        }
    }

    /// Whether a call only sleeps for some time: `poll` and `select` of no files, with a limit.
    pub(crate) fn only_sleeps(self) -> bool {
        let callee = self.callee();
        if callee.kind() != ValueKind::LLVMFunctionValueKind || !callee.blocks().is_empty() {
            return false;
        }
        match (callee.name().as_str(), &self.arguments()[..]) {
            ("poll", [_, files, limit]) => {
                files.is_zero() && limit.bits().is_some_and(|limit| limit >> 31 == 0)
            }
            ("select", [_, files @ .., limit]) => {
                files.iter().all(|files| files.is_zero()) && limit.opcode() == Some(Opcode::LLVMAlloca)
            }
            _ => false,
        }
    }

    /// The text and the constraints of inline assembly, and whether it has operands in Intel's order.
    pub(crate) fn assembly(self) -> Option<(String, String, bool)> {
        if self.kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        let mut length = 0;
        // SAFETY: inline assembly; the strings are `length` bytes that live with it.
        unsafe {
            let text = LLVMGetInlineAsmAsmString(self.raw, &mut length);
            let text = String::from_utf8_lossy(bytes(text.cast(), length)).into_owned();
            let constraints = LLVMGetInlineAsmConstraintString(self.raw, &mut length);
            let constraints = String::from_utf8_lossy(bytes(constraints.cast(), length)).into_owned();
            let is_intel =
                LLVMGetInlineAsmDialect(self.raw) == LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel;
            Some((text, constraints, is_intel))
        }
    }
}

/// SAFETY: `length` bytes are readable at `start`, or there are none.
unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    // SAFETY: by the contract of this function.
    if start.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(start, length) } }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Block<'m> {
    pub(crate) fn instructions(self) -> Vec<Value<'m>> {
        let mut instructions = Vec::new();
        // SAFETY: the instructions of a block, walked to their end without changes.
        unsafe {
            let mut raw = LLVMGetFirstInstruction(self.raw);
            while let Some(value) = Value::from_raw(raw) {
                instructions.push(value);
                raw = LLVMGetNextInstruction(raw);
            }
        }
        instructions
    }

    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: a valid block.
        let terminator = unsafe { LLVMGetBasicBlockTerminator(self.raw) };
        Value::from_raw(terminator).map(Value::successors).unwrap_or_default()
    }
}
