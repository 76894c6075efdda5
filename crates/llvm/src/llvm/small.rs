//! Has small functions inlined.
//!
//! A program that is not optimised calls a function for everything: a field, a comparison, a step of an
//! iterator. A loop that only waits is known as one where all that it does is in it, and what is given to a
//! function by its address is no variable that could be in a register.
//!
//! What has loops is called as ever (`--unroll-loop` and reports name it), and so are what does not return,
//! what calls itself, and what others have to find by its name.

use std::collections::HashMap;

use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::*;

use super::value::{Block, Value};
use super::{Module, Opcode, ValueKind};

/// The most instructions of a function that is inlined, with those that are inlined into it.
const SMALL: usize = 80;

const ALWAYS: &str = "alwaysinline";

enum Size {
    UnderWay,
    Known(usize),
    Unsuitable,
}

impl Module<'_> {
    /// Whether there are coroutines that are no functions yet.
    pub(crate) fn has_coroutines(&self) -> bool {
        self.functions().into_iter().any(|function| function.says("presplitcoroutine"))
    }

    /// Has small functions inlined among those that `may` be.
    pub(crate) fn inline_small(&mut self, may: impl Fn(&str) -> bool) {
        let mut sizes = HashMap::new();
        let mut small = Vec::new();
        for function in self.functions() {
            if let Some(..=SMALL) = size(function, &may, &mut sizes) {
                small.push(function.name());
            }
        }
        small.sort_unstable();
        self.inline_always(|name| small.binary_search_by(|other| other.as_str().cmp(name)).is_ok());
    }
}

/// How many instructions a function has with those of what is inlined into it, if it is suitable.
fn size<'m>(
    function: Value<'m>,
    may: &impl Fn(&str) -> bool,
    sizes: &mut HashMap<Value<'m>, Size>,
) -> Option<usize> {
    match sizes.get(&function) {
        Some(Size::Known(size)) => return Some(*size),
        Some(Size::UnderWay | Size::Unsuitable) => return None,
        None => {}
    }
    let blocks = function.blocks();
    if blocks.is_empty() || !may(&function.name()) || function.is_out_of_the_way() || has_cycle(&blocks) {
        sizes.insert(function, Size::Unsuitable);
        return None;
    }
    sizes.insert(function, Size::UnderWay);
    let mut all = 0usize;
    for instruction in blocks.iter().flat_map(|block| block.instructions()) {
        all += 1;
        if !matches!(instruction.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke)) {
            continue;
        }
        let callee = instruction.callee();
        if callee.kind() != ValueKind::LLVMFunctionValueKind {
            continue;
        }
        // What only stands for an access is one instruction in the end.
        if callee.says(ALWAYS) {
            continue;
        }
        if matches!(sizes.get(&callee), Some(Size::UnderWay)) {
            sizes.insert(function, Size::Unsuitable);
            return None;
        }
        if let Some(inlined @ ..=SMALL) = size(callee, may, sizes) {
            all = all.saturating_add(inlined);
        }
    }
    sizes.insert(function, Size::Known(all));
    Some(all)
}

/// Whether some block can be reached from itself.
fn has_cycle(blocks: &[Block<'_>]) -> bool {
    let mut done: HashMap<Block<'_>, bool> = HashMap::new();
    let Some(&entry) = blocks.first() else { return false };
    let mut way = vec![(entry, entry.successors())];
    done.insert(entry, false);
    while let Some((block, next)) = way.last_mut() {
        match next.pop() {
            None => {
                done.insert(*block, true);
                way.pop();
            }
            Some(to) => match done.get(&to) {
                Some(true) => {}
                Some(false) => return true,
                None => {
                    done.insert(to, false);
                    way.push((to, to.successors()));
                }
            },
        }
    }
    false
}

impl Value<'_> {
    /// Whether a function says that it does not return, or that it is hardly ever called.
    fn is_out_of_the_way(self) -> bool {
        ["noreturn", "cold"].iter().any(|name| self.says(name))
    }

    /// Whether a function has an attribute.
    fn says(self, name: &str) -> bool {
        // SAFETY: attributes of a function.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.raw(), LLVMAttributeFunctionIndex, kind).is_null()
        }
    }
}
