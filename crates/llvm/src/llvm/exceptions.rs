//! Landing pads.

use std::collections::{HashMap, HashSet};

use llvm_sys::core::*;

use super::value::{TypeKind, Value};
use super::{Module, Opcode, ValueKind};

/// What a landing pad is for.
pub(crate) struct Clauses<'m> {
    pub(crate) cleanup: bool,
    /// Type information, in order; null for every type.
    pub(crate) catches: Vec<Value<'m>>,
    /// Whether it has a list of types that may pass (`throw(int)`); a list of none lets nothing pass.
    pub(crate) filters: bool,
    pub(crate) catches_rest: bool,
}

impl<'m> Value<'m> {
    /// Of a `landingpad`.
    pub(crate) fn clauses(self) -> Clauses<'m> {
        assert_eq!(self.opcode(), Some(Opcode::LLVMLandingPad));
        // SAFETY: a landing pad, and indices below the number of its clauses.
        let (all, cleanup) = unsafe {
            let one = |index| Value::from_raw(LLVMGetClause(self.raw(), index));
            let all: Vec<Value<'m>> = (0..LLVMGetNumClauses(self.raw())).filter_map(one).collect();
            (all, LLVMIsCleanup(self.raw()) != 0)
        };
        let is_filter = |clause: &Value<'m>| clause.ty().kind() == TypeKind::Array;
        let is_empty = |clause: &Value<'m>| is_filter(clause) && clause.ty().elements().1 == 0;
        let catches_rest = all.iter().any(is_empty);
        let filters = all.iter().any(|clause| is_filter(clause) && !is_empty(clause));
        let catches = all.into_iter().filter(|clause| !is_filter(clause)).collect();
        Clauses { cleanup, catches, filters, catches_rest }
    }

    /// The landing pad that an `invoke` unwinds to.
    pub(crate) fn landing_pad(self) -> Option<Value<'m>> {
        assert_eq!(self.opcode(), Some(Opcode::LLVMInvoke));
        let successors = self.successors();
        let instructions = successors.get(1)?.instructions();
        instructions.into_iter().find(|i| i.opcode() == Some(Opcode::LLVMLandingPad))
    }
}

/// What functions of Rust land by: the compiler's, and what stands for it.
const RUST: [&str; 2] = ["rust_eh_personality", "__selvedge_rust_personality"];

impl<'m> Module<'m> {
    /// The functions that catch panics of Rust, or call others that do. Who catches a panic is told by the
    /// functions that are on their way when it happens: those that are not the standard library's must be
    /// among them.
    pub(crate) fn catching(&self) -> HashSet<Value<'_>> {
        let functions = self.functions();
        if !functions.iter().any(|function| RUST.contains(&function.name().as_str())) {
            return HashSet::new();
        }
        let mut callers: HashMap<Value<'_>, Vec<Value<'_>>> = HashMap::new();
        let mut open = Vec::new();
        for function in functions {
            let mut catches = false;
            for instruction in function.blocks().iter().flat_map(|block| block.instructions()) {
                match instruction.opcode() {
                    Some(Opcode::LLVMLandingPad) => catches |= !instruction.clauses().catches.is_empty(),
                    Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                        let callee = instruction.callee();
                        if callee.kind() == ValueKind::LLVMFunctionValueKind {
                            callers.entry(callee).or_default().push(function);
                        }
                    }
                    _ => {}
                }
            }
            if catches {
                open.push(function);
            }
        }
        let mut found: HashSet<Value<'_>> = open.iter().copied().collect();
        while let Some(function) = open.pop() {
            let more = callers.get(&function).into_iter().flatten();
            open.extend(more.copied().filter(|caller| found.insert(*caller)));
        }
        found
    }
}
