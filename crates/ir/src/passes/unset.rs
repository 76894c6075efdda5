//! What was never set may be anything: undefined values become unknown inputs.
//!
//! Using a value that was never set is an error
//! ([`ErrorKind::UninitialisedRead`](selvedge_machine::ErrorKind)). Who does not look for it takes the
//! program as compilers do that choose a value: any, and the same at every use. So local variables and memory
//! from `malloc` are filled with inputs where their lives begin, and so are registers that stand for
//! variables. This is no pass of [`run`](super::run): it is for programs of which it is known that such a
//! value is used, as inputs cost more than what nobody looks at.
//!
//! What else is undefined (padding that is copied, a result that no `return` gives, large arrays) stays so.

use crate::bytecode::{FuncId, Function, Instr, Module, Operand, Reg};
use crate::cfg::{Block, Graph};
use std::collections::HashMap;

/// Gives any value to what is read from a register.
const ANY: &str = "__VERIFIER_nondet_pointer";
/// Gives any contents to memory.
const FILL: &str = "__VERIFIER_nondet_memory";
/// Larger objects stay as they are.
const MOST: u64 = 4096;

/// Fills what has no value. For modules that no pass has looked at; returns whether there was anything.
pub fn fill(module: &mut Module) -> bool {
    let functions = module.functions.len() as u32;
    let malloc = module.functions.iter().position(|f| f.name == "malloc" && f.code.is_empty());
    let calls = Calls {
        any: named(module, ANY, 1),
        fill: named(module, FILL, 0),
        malloc: malloc.map(|at| FuncId(at as u32)),
    };
    let mut changed = false;
    for function in &mut module.functions[..functions as usize] {
        let is_new = |instr: &Instr| calls.is_needed(instr);
        if !function.loops.is_empty() || !function.code.iter().any(is_new) {
            continue;
        }
        let Some(mut graph) = Graph::of(function) else { continue };
        let sizes = sizes_of(function);
        graph.blocks.iter_mut().for_each(|block| *block = calls.filled(block, &sizes));
        let flat = graph.into_code();
        (function.code, function.places) = (flat.code, flat.places);
        changed = true;
    }
    changed
}

/// A function of the library, declared if it is not yet.
fn named(module: &mut Module, name: &str, results: u32) -> FuncId {
    let known = module.functions.iter().position(|f| f.name == name && f.code.is_empty());
    FuncId(known.unwrap_or_else(|| {
        module.functions.push(Function { name: name.to_string(), results, ..Function::default() });
        module.functions.len() - 1
    }) as u32)
}

/// How large the variables are whose addresses registers hold.
fn sizes_of(function: &Function) -> HashMap<Reg, Operand> {
    let size = |instr: &Instr| match instr {
        Instr::Alloca { dst, size, .. } => Some((*dst, *size)),
        _ => None,
    };
    function.code.iter().filter_map(size).collect()
}

struct Calls {
    any: FuncId,
    fill: FuncId,
    malloc: Option<FuncId>,
}

impl Calls {
    fn is_needed(&self, instr: &Instr) -> bool {
        match instr {
            Instr::Alloca { .. } | Instr::Life { begins: true, .. } => true,
            Instr::Call { callee, .. } => self.malloc.is_some_and(|f| *callee == Operand::Func(f)),
            Instr::Move { src, .. } | Instr::Cast { src, .. } => *src == Operand::Undef,
            _ => false,
        }
    }

    /// A block with what fills after each instruction that leaves something without a value.
    fn filled(&self, block: &Block, sizes: &HashMap<Reg, Operand>) -> Block {
        let mut out = Block::default();
        for (instr, place) in block.code.iter().zip(&block.places) {
            let mut instr = instr.clone();
            if let Instr::Move { dst, src } | Instr::Cast { dst, src, .. } = &mut instr
                && *src == Operand::Undef
            {
                out.push(call(self.any, Some(*dst), Vec::new()), *place);
                *src = Operand::Reg(*dst);
            }
            let object = match &instr {
                Instr::Alloca { dst, size, .. } => Some((Operand::Reg(*dst), *size)),
                Instr::Life { addr: Operand::Reg(addr), begins: true } => {
                    sizes.get(addr).map(|size| (Operand::Reg(*addr), *size))
                }
                Instr::Call { dst: Some(dst), callee: Operand::Func(f), args, .. }
                    if Some(*f) == self.malloc =>
                {
                    // The register that holds the size may be the one that the address goes to.
                    let size = args.first().copied().filter(|size| *size != Operand::Reg(*dst));
                    size.map(|size| (Operand::Reg(*dst), size))
                }
                _ => None,
            };
            out.push(instr, *place);
            if let Some((address, size)) = object
                && !matches!(size, Operand::Const(size) if size > MOST)
            {
                out.push(call(self.fill, None, vec![address, size]), *place);
            }
        }
        out
    }
}

fn call(function: FuncId, dst: Option<Reg>, args: Vec<Operand>) -> Instr {
    let results = u32::from(dst.is_some());
    Instr::Call { dst, callee: Operand::Func(function), args, results, signature: None, lands: None }
}
