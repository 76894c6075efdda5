//! Atomic sections of a single access are that access (`Reduction::Sections`).
//!
//! ```c
//! __VERIFIER_atomic_begin(); flag = 1; __VERIFIER_atomic_end();
//! ```
//!
//! A section is one step of an interleaving. One that accesses memory which others may see at most once is
//! one step in any case, so nothing is left of it but a relaxed atomic access: programs of competitions are
//! written like this to have no data races, and their loops only wait if there is no lock to be taken in
//! them. That accesses in sections race with nothing is not known any more; this is for checks that do not
//! report races.
//!
//! One that only adds a number to a variable is a read-modify-write.
//!
//! The same holds of a function whose name makes it a section. What is left without a section does not bear
//! such a name any more, nor do the functions that begin and end one, if nobody calls them: names are how
//! others tell whether a program has sections. That it had some is left behind as the declaration of
//! [`TAKEN_APART`]: where executions are no interleavings, nobody has said what a section is.

use crate::bytecode::{BinOp, FuncId, Function, Global, Instr, Module, Net, Operand, RmwOp};
use selvedge_graph::Mode;

const PREFIX: &str = "__VERIFIER_atomic_";
const BEGIN: &str = "__VERIFIER_atomic_begin";
const END: &str = "__VERIFIER_atomic_end";
/// Declared, and never called, by programs that had sections.
pub const TAKEN_APART: &str = "__SELVEDGE_sections_taken_apart";
const NONDET: &str = "__VERIFIER_nondet_";

/// Takes sections of a single access apart.
pub fn simplify(module: &mut Module) {
    let named = |name: &str| module.functions.iter().position(|f| f.name == name && f.code.is_empty());
    let (begin, end) = (named(BEGIN), named(END));
    let harmless: Vec<bool> =
        module.functions.iter().map(|f| f.code.is_empty() && f.name.starts_with(NONDET)).collect();
    let mut functions = std::mem::take(&mut module.functions);
    let mut changed = false;
    for function in &mut functions {
        if let (Some(begin), Some(end)) = (begin, end) {
            changed |=
                drop_single(function, (FuncId(begin as u32), FuncId(end as u32)), &harmless, &module.globals);
        }
        let is_section = function.name.starts_with(PREFIX) && !function.code.is_empty();
        let last = function.code.len().saturating_sub(1);
        if is_section
            && matches!(function.code.last(), Some(Instr::Return { .. }))
            && let Some(only) = single(&function.code[..last], &harmless)
        {
            make_atomic(&mut function.code, only, &module.globals);
            rename(function);
            changed = true;
        }
    }
    if changed {
        functions.push(Function { name: TAKEN_APART.to_string(), ..Function::default() });
    }
    module.functions = functions;
    for unused in [begin, end].into_iter().flatten() {
        if !is_used(module, FuncId(unused as u32)) {
            rename(&mut module.functions[unused]);
        }
    }
}

fn rename(function: &mut Function) {
    function.name = function.name.replacen("__VERIFIER_", "", 1);
}

fn is_used(module: &Module, function: FuncId) -> bool {
    let is = |operand: &Operand| *operand == Operand::Func(function);
    module.functions.iter().flat_map(|f| &f.code).any(|instr| instr.any_operand(is))
        || module.globals.iter().any(|global| global.addresses.iter().any(|(_, value)| is(value)))
}

fn drop_single(
    function: &mut Function,
    (begin, end): (FuncId, FuncId),
    harmless: &[bool],
    globals: &[Global],
) -> bool {
    let mut changed = false;
    let calls =
        |instr: &Instr, f: FuncId| matches!(instr, Instr::Call { callee, .. } if *callee == Operand::Func(f));
    let mut entered = vec![false; function.code.len() + 1];
    for instr in &function.code {
        instr.for_targets(|to| entered[*to as usize] = true);
    }
    for first in 0..function.code.len() {
        if !calls(&function.code[first], begin) {
            continue;
        }
        let after = function.code[first + 1..].iter().position(|i| calls(i, end) || calls(i, begin));
        let Some(last) = after.map(|by| first + 1 + by).filter(|last| calls(&function.code[*last], end))
        else {
            continue;
        };
        if entered[first + 1..=last].contains(&true) {
            continue;
        }
        if let Some(only) = single(&function.code[first + 1..last], harmless) {
            make_atomic(&mut function.code, only.map(|at| first + 1 + at), globals);
        } else if !make_addition(&mut function.code[first + 1..last], first + 1, globals) {
            continue;
        }
        for gone in [first, last] {
            function.code[gone] = Instr::Jump { to: gone as u32 + 1 };
        }
        changed = true;
    }
    changed
}

/// Whether code runs straight on and accesses memory at most once: where.
fn single(code: &[Instr], harmless: &[bool]) -> Option<Option<usize>> {
    let mut only = None;
    for (at, instr) in code.iter().enumerate() {
        match instr {
            Instr::Load { .. } | Instr::Store { .. } | Instr::Rmw { .. } | Instr::Cmpxchg { .. } => {
                if only.replace(at).is_some() {
                    return None;
                }
            }
            Instr::Move { .. }
            | Instr::Bin { .. }
            | Instr::Cmp { .. }
            | Instr::Float { .. }
            | Instr::FloatCmp { .. }
            | Instr::Cast { .. }
            | Instr::Bits { .. }
            | Instr::Select { .. }
            | Instr::Offset { .. } => {}
            Instr::Call { callee: Operand::Func(f), .. } if harmless.get(f.0 as usize) == Some(&true) => {}
            _ => return None,
        }
    }
    Some(only)
}

/// Whether a machine accesses a variable as a whole.
fn is_whole(globals: &[Global], addr: &Operand, bytes: u8) -> bool {
    let Operand::Global(g, offset) = addr else { return false };
    let aligned = globals.get(g.0 as usize).is_some_and(|global| global.align >= u32::from(bytes));
    matches!(bytes, 1 | 2 | 4 | 8) && aligned && offset % bytes as i64 == 0
}

/// A section that only adds a number to a variable (`count = count + 1`) becomes a read-modify-write. The sum
/// is still made, for whoever uses it, and for the overflow that it may be. `from` is where the code begins.
fn make_addition(code: &mut [Instr], from: usize, globals: &[Global]) -> bool {
    let &mut [
        Instr::Load { dst: old, addr, bytes, mode: Mode::Na, .. },
        Instr::Bin {
            op: BinOp::Add, bits, dst: new, a: Operand::Reg(a), b: operand @ Operand::Const(_), ..
        },
        Instr::Store { addr: to, value: Operand::Reg(value), bytes: written, mode: Mode::Na, .. },
    ] = code
    else {
        return false;
    };
    if (addr, bytes, old, new) != (to, written, a, value)
        || bits != 8 * bytes
        || !is_whole(globals, &addr, bytes)
    {
        return false;
    }
    code[0] =
        Instr::Rmw { op: RmwOp::Add, dst: old, addr, operand, bytes, mode: Mode::Rlx, net: Net::Lasting };
    code[2] = Instr::Jump { to: from as u32 + 3 };
    true
}

/// A plain access of a variable that a machine accesses as a whole becomes a relaxed atomic one.
fn make_atomic(code: &mut [Instr], at: Option<usize>, globals: &[Global]) {
    let Some(at) = at else { return };
    match &mut code[at] {
        Instr::Load { addr, bytes, mode, .. } | Instr::Store { addr, bytes, mode, .. }
            if *mode == Mode::Na && is_whole(globals, addr, *bytes) =>
        {
            *mode = Mode::Rlx;
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    fn simplified(body: &str) -> Module {
        let text = format!(
            "global @x size 4 align 4 = zero 4\nglobal @y size 4 align 4 = zero 4\n\
             func &{BEGIN}() results 0 regs 0\nfunc &{END}() results 0 regs 0\nfunc &other() results 0 regs 0\n\
             func &f() results 0 regs 2 {{\n{body}    return ()\n}}\n"
        );
        let mut module = text::parse(&text).unwrap();
        simplify(&mut module);
        module
    }

    fn has_sections(body: &str) -> bool {
        simplified(body).functions.iter().any(|f| f.name.starts_with(PREFIX))
    }

    const B: &str = "    call.0 &__VERIFIER_atomic_begin ()\n";
    const E: &str = "    call.0 &__VERIFIER_atomic_end ()\n";

    #[test]
    fn one_access_needs_no_section() {
        for access in ["    store.4.na @x, 1\n", "    r0 = load.4.na @x\n    r1 = add.32 r0, 1\n", ""] {
            assert!(!has_sections(&format!("{B}{access}{E}{B}{access}{E}")), "{access}");
        }
        let module = simplified(&format!("{B}    store.4.na @x, 1\n{E}"));
        let stores = |i: &Instr| matches!(i, Instr::Store { mode: Mode::Rlx, .. });
        assert!(module.functions[3].code.iter().any(stores));
    }

    #[test]
    fn an_addition_is_a_read_modify_write() {
        let add = |to: &str, from: &str| {
            format!("{B}    r0 = load.4.na @x\n    r1 = add.32 {from}, 1\n    store.4.na @{to}, r1\n{E}")
        };
        assert!(!has_sections(&add("x", "r0")));
        let rmw = |i: &Instr| matches!(i, Instr::Rmw { op: RmwOp::Add, mode: Mode::Rlx, .. });
        assert!(simplified(&add("x", "r0")).functions[3].code.iter().any(rmw));
        assert!(has_sections(&add("y", "r0")), "to another variable");
        assert!(has_sections(&add("x", "r1")), "of something else");
    }

    #[test]
    fn what_is_more_than_one_step_keeps_its_section() {
        let (load, store) = ("    r0 = load.4.na @x\n", "    store.4.na @x, r0\n");
        assert!(has_sections(&format!("{B}{load}{store}{E}")), "two accesses");
        assert!(has_sections(&format!("{B}{load}    call.0 &other ()\n{E}")), "a call");
        assert!(has_sections(&format!("{B}{load}    branch r0, a, b\na:\n{store}b:\n{E}")), "a branch");
        assert!(has_sections(&format!("{B}{load}{B}{E}{store}{E}")), "a section within");
        let entered = format!("    branch r0, a, b\na:\n{B}b:\n{store}{E}");
        assert!(has_sections(&entered), "it may be entered otherwise");
    }

    #[test]
    fn functions_may_be_sections_by_their_names() {
        let text = |body: &str| {
            let text = format!(
                "global @x size 4 align 4 = zero 4\nfunc &__VERIFIER_atomic_set() results 0 regs 1 {{\n{body}    \
                 return ()\n}}\n"
            );
            let mut module = text::parse(&text).unwrap();
            simplify(&mut module);
            module.functions[0].name.clone()
        };
        assert_eq!(text("    store.4.na @x, 1\n"), "atomic_set");
        assert_eq!(text("    store.4.na @x, 1\n    store.4.na @x, 0\n"), "__VERIFIER_atomic_set");
    }
}
