//! Names by which programs of verification competitions say what they mean.
//!
//! Such programs bring their own definitions of a few functions, so that they can be compiled and run:
//!
//! ```c
//! void reach_error() { __assert_fail("0", "lock.c", 3, "reach_error"); }
//! void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
//! ```
//!
//! What counts is the name. Calling `reach_error` or `__VERIFIER_error` is the error, whatever the body does
//! (it may do nothing at all). Ending the process in a function that is named after an assumption and does
//! nothing else leaves an execution out ([`library::ASSUME_OR_END`]). All other calls of `abort` are what
//! they are.

use crate::bytecode::{FuncId, Function, Instr, Module, Operand};
use crate::library;
use crate::{BinOp, CastOp, CmpOp, Reg};
use std::collections::HashMap;

/// Functions that must not be called.
const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// Functions that end the process, in the body of an assumption.
const ENDS: [&str; 4] = ["abort", "exit", "_exit", "_Exit"];

/// How far such a body is followed.
const LONG: usize = 64;

/// Takes definitions out of a module whose names say what they are for.
pub fn adopt(module: &mut Module) {
    let ends: Vec<bool> = module.functions.iter().map(|f| ENDS.contains(&f.name.as_str())).collect();
    for function in &mut module.functions {
        if function.code.is_empty() {
            continue;
        }
        let signature = function.signature.and_then(|s| module.signatures.get(s as usize));
        let of_number = signature.is_some_and(|s| matches!(s.as_str(), "void(i32)" | "void(i1)"));
        if ERRORS.contains(&function.name.as_str()) && !function.varargs {
            become_outside(function);
        } else if of_number && function.name.contains("assume") && is_assumption(function, &ends) {
            become_outside(function);
            function.name = String::from(library::ASSUME_OR_END);
        }
    }
}

fn become_outside(function: &mut Function) {
    function.code.clear();
    function.places.clear();
    function.loops.clear();
    function.locals.clear();
}

/// Whether a function ends the process if its argument is 0, returns if not, and does nothing else.
fn is_assumption(function: &Function, ends: &[bool]) -> bool {
    function.params.len() == 1
        && [false, true].iter().all(|&holds| outcome(function, ends, holds) == Some(holds))
}

/// A value in such a body: no other operations than these are followed, so what comes of it depends on
/// nothing but whether the argument is 0.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    /// Not 0 exactly if this is true; 1 then, if it comes of a comparison.
    Truth { is: bool, one: bool },
    /// A variable of the function.
    Variable(Reg),
}

/// Whether the function returns (`true`) or ends the process if its argument is as given.
fn outcome(function: &Function, ends: &[bool], argument: bool) -> Option<bool> {
    let mut registers = HashMap::from([(function.params[0], Known::Truth { is: argument, one: false })]);
    let mut memory: HashMap<Reg, Known> = HashMap::new();
    let mut at = 0;
    for _ in 0..LONG {
        let value = |operand: Operand| match operand {
            Operand::Reg(r) => registers.get(&r).copied(),
            Operand::Const(n @ 0..=1) => Some(Known::Truth { is: n == 1, one: true }),
            _ => None,
        };
        let truth = |operand: Operand| match value(operand)? {
            Known::Truth { is, one } => Some((is, one)),
            Known::Variable(_) => None,
        };
        let variable = |operand: Operand| match value(operand)? {
            Known::Variable(of) => Some(of),
            Known::Truth { .. } => None,
        };
        let mut next = at + 1;
        let mut set = None;
        match *function.code.get(at)? {
            Instr::Alloca { dst, .. } => set = Some((dst, Known::Variable(dst))),
            Instr::Life { .. } => {}
            Instr::Move { dst, src } => set = Some((dst, value(src)?)),
            Instr::Store { addr, value: stored, .. } => {
                let of = variable(addr)?;
                let stored = value(stored)?;
                memory.insert(of, stored);
            }
            Instr::Load { dst, addr, .. } => set = Some((dst, *memory.get(&variable(addr)?)?)),
            Instr::Cmp { op: op @ (CmpOp::Eq | CmpOp::Ne), dst, a, b: Operand::Const(0), .. } => {
                let is = truth(a)?.0 == (op == CmpOp::Ne);
                set = Some((dst, Known::Truth { is, one: true }));
            }
            Instr::Cast { op: CastOp::Zext, dst, src, .. } => set = Some((dst, value(src)?)),
            Instr::Cast { op: CastOp::Trunc, dst, src, .. } if truth(src)?.1 => {
                set = Some((dst, value(src)?))
            }
            Instr::Bin { op: BinOp::Xor, dst, a, b: Operand::Const(1), .. } => {
                let (is, one) = truth(a)?;
                set = Some((dst, Known::Truth { is: !is, one: one.then_some(true)? }));
            }
            Instr::Branch { cond, then, els } => next = if truth(cond)?.0 { then } else { els } as usize,
            Instr::Jump { to } => next = to as usize,
            Instr::Return { .. } => return Some(true),
            Instr::Call { callee: Operand::Func(FuncId(callee)), .. } => {
                return ends.get(callee as usize).copied()?.then_some(false);
            }
            _ => return None,
        }
        if let Some((register, known)) = set {
            registers.insert(register, known);
        }
        at = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn adopted(body: &str) -> Module {
        let text = format!("func &abort() results 0 regs 0\nfunc &puts(r0) results 1 regs 1\n{body}");
        let mut module = text::parse(&text).unwrap();
        module.signatures.push(String::from("void(i32)"));
        module.functions.iter_mut().for_each(|f| f.signature = Some(0));
        adopt(&mut module);
        module
    }

    fn is_assumed(name: &str, body: &str) -> bool {
        let module = adopted(&format!("func &{name}(r0) results 0 regs 4 {{\n{body}}}\n"));
        let last = module.functions.last().unwrap();
        assert_eq!(last.code.is_empty(), last.name == library::ASSUME_OR_END);
        last.code.is_empty()
    }

    const PLAIN: &str =
        "    branch r0, fine, over\nover:\n    call.0 &abort ()\n    unreachable\nfine:\n    return ()\n";
    const WITH_VARIABLE: &str = "    r1 = alloca.private 4, 4\n    store.4.na r1, r0\n    r2 = load.4.na r1\n    \
        r3 = cmp.ne.32 r2, 0\n    branch r3, fine, over\nover:\n    call.0 &abort ()\n    unreachable\nfine:\n    \
        return ()\n";

    #[test]
    fn an_assumption_is_one_by_its_name_and_its_body() {
        for body in [PLAIN, WITH_VARIABLE] {
            assert!(is_assumed("assume_abort_if_not", body));
            assert!(is_assumed("assume", body));
            assert!(!is_assumed("check", body), "another name");
        }
        assert!(!is_assumed("assume", &PLAIN.replace("fine, over", "over, fine")), "the other way round");
        assert!(!is_assumed("assume", &PLAIN.replace("&abort ()", "&puts (0)")), "it does not end");
        let prints = format!("    r1 = call.1 &puts (0)\n{PLAIN}");
        assert!(!is_assumed("assume", &prints), "it does something else");
        assert!(!is_assumed("assume", &WITH_VARIABLE.replace("r2, 0", "r2, 5")), "about another number");
    }

    #[test]
    fn the_error_is_an_error_whatever_its_body_does() {
        let module = adopted("func &reach_error() results 0 regs 0 {\n    return ()\n}\n");
        assert!(module.functions.last().unwrap().code.is_empty());
    }
}
