//! Has functions of C inlined that a loop lends a variable of its own.
//!
//! `while (exchange(&lock, 1)) back_off(&delay);` waits, but `delay` is changed by a function that knows it
//! by its address: it cannot be in a register, and so every iteration leaves something behind. Once
//! `back_off` is inlined, LLVM puts `delay` into a register, and what follows sees that it decides nothing
//! but how a thread passes its time.
//!
//! That is done for functions that only calculate and let time pass: small ones that access no memory but
//! plainly, and call nothing but pauses and their like. They may have loops of their own. Those that are
//! given variables in no loop are called as ever, as nothing would come of it.

use std::collections::{BTreeSet, HashMap};

use llvm_sys::LLVMAtomicOrdering;

use super::undefined::is_lifetime;
use super::value::{Block, Value};
use super::{Module, Opcode, ValueKind};
use selvedge_ir::library;

/// The most instructions of such a function.
const SMALL: usize = 80;

impl Module<'_> {
    /// Has functions inlined to which a loop lends a variable, among those that `may` be. Returns where
    /// they were called, which is where such variables are.
    pub(crate) fn inline_lent(&mut self, may: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let mut lent = BTreeSet::new();
        let mut callers = BTreeSet::new();
        let mut known = HashMap::new();
        for function in self.functions() {
            let blocks = function.blocks();
            let around = around(&blocks);
            for (block, _) in blocks.iter().zip(&around).filter(|(_, around)| **around) {
                for call in block.instructions() {
                    if call.opcode() != Some(Opcode::LLVMCall) || !lends(call) {
                        continue;
                    }
                    let callee = call.callee();
                    if is_defined(callee) && may(&callee.name()) && passes_time(callee, &mut known) {
                        reached(callee, &mut lent);
                        callers.insert(function.name());
                    }
                }
            }
        }
        self.inline_always(|name| lent.contains(name));
        callers
    }
}

/// Whether a call is given the address of a variable of the function that it is in.
fn lends(call: Value<'_>) -> bool {
    call.arguments().into_iter().any(|argument| argument.opcode() == Some(Opcode::LLVMAlloca))
}

fn is_defined(callee: Value<'_>) -> bool {
    callee.kind() == ValueKind::LLVMFunctionValueKind && !callee.blocks().is_empty()
}

/// A function, and those that it calls.
fn reached(function: Value<'_>, all: &mut BTreeSet<String>) {
    if !all.insert(function.name()) {
        return;
    }
    let calls = |i: &Value<'_>| i.opcode() == Some(Opcode::LLVMCall);
    for call in function.blocks().iter().flat_map(|block| block.instructions()).filter(calls) {
        if is_defined(call.callee()) {
            reached(call.callee(), all);
        }
    }
}

/// Whether a function calculates and lets time pass, and does nothing else. One that calls itself does not.
fn passes_time<'m>(function: Value<'m>, known: &mut HashMap<Value<'m>, bool>) -> bool {
    if let Some(passes) = known.get(&function) {
        return *passes;
    }
    known.insert(function, false);
    let code: Vec<Value<'m>> = function.blocks().iter().flat_map(|block| block.instructions()).collect();
    let passes = code.len() <= SMALL && code.into_iter().all(|instruction| is_quiet(instruction, known));
    known.insert(function, passes);
    passes
}

fn is_quiet<'m>(instruction: Value<'m>, known: &mut HashMap<Value<'m>, bool>) -> bool {
    match instruction.opcode() {
        Some(Opcode::LLVMLoad | Opcode::LLVMStore) => {
            let at = u32::from(instruction.opcode() == Some(Opcode::LLVMStore));
            let is_own = || instruction.operand(at).opcode() == Some(Opcode::LLVMAlloca);
            instruction.ordering() == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
                && (!instruction.is_volatile() || is_own())
        }
        Some(Opcode::LLVMCall) => {
            let callee = instruction.callee();
            if let Some((text, ..)) = callee.assembly() {
                return PAUSES.contains(&text.trim());
            }
            if callee.kind() != ValueKind::LLVMFunctionValueKind {
                return false;
            }
            if is_defined(callee) {
                return passes_time(callee, known);
            }
            let name = callee.name();
            let is_debug = name.starts_with("llvm.dbg.");
            is_debug
                || is_lifetime(instruction)
                || SLEEPS.contains(&name.as_str())
                || library::only_pauses(&name) && !library::takes_time(&name)
                || is_pause(&name)
        }
        Some(
            Opcode::LLVMInvoke
            | Opcode::LLVMCallBr
            | Opcode::LLVMIndirectBr
            | Opcode::LLVMFence
            | Opcode::LLVMAtomicRMW
            | Opcode::LLVMAtomicCmpXchg
            | Opcode::LLVMVAArg,
        )
        | None => false,
        Some(_) => true,
    }
}

/// Inline assembly that does nothing, or lets time pass.
const PAUSES: [&str; 8] = ["", "nop", "pause", "rep; nop", "rep;nop", "rep nop", "yield", "isb"];

/// They sleep if there is nothing else to wait for, which shows where they are inlined.
const SLEEPS: [&str; 2] = ["poll", "select"];

/// Pauses of processors, by what clang calls them.
fn is_pause(name: &str) -> bool {
    matches!(name, "llvm.x86.sse2.pause" | "llvm.aarch64.hint" | "llvm.aarch64.isb")
}

/// Of each block, whether it can be reached from itself.
fn around(blocks: &[Block<'_>]) -> Vec<bool> {
    let number: HashMap<Block<'_>, usize> =
        blocks.iter().enumerate().map(|(at, block)| (*block, at)).collect();
    let next: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.successors().iter().filter_map(|to| number.get(to).copied()).collect())
        .collect();
    let comes_back = |from: usize| {
        let mut seen = vec![false; blocks.len()];
        let mut pending = next[from].clone();
        while let Some(block) = pending.pop() {
            if block == from {
                return true;
            }
            if !std::mem::replace(&mut seen[block], true) {
                pending.extend(&next[block]);
            }
        }
        false
    };
    (0..blocks.len()).map(comes_back).collect()
}
