//! What every function has to keep to, whoever made it.

use crate::bytecode::{FuncId, Function, GlobalId, Instr, Module, Net, Operand, Reg};

/// What is wrong with a function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the function `{function}` is not well-formed: {what}")]
pub struct Malformed {
    /// Its name.
    pub function: String,
    /// What is wrong.
    pub what: String,
}

/// Registers, targets, loops, functions and globals that an instruction names must be there.
pub fn function(module: &Module, function: &Function) -> Result<(), Malformed> {
    let wrong = |what: String| Err(Malformed { function: function.name.clone(), what });
    let len = function.code.len() as u32;
    let has = |reg: Reg| reg < function.regs;
    if !function.params.iter().all(|r| has(*r)) {
        return wrong(String::from("a parameter is in a register that it does not have"));
    }
    if function.varargs && !function.code.is_empty() && !has(function.params.len() as Reg + 1) {
        return wrong(String::from("there are no registers for further arguments"));
    }
    if function.loops.iter().any(|l| l.header >= len) {
        return wrong(String::from("a loop begins after its end"));
    }
    for (at, instr) in function.code.iter().enumerate() {
        let mut fine = true;
        instr.for_successors(at as u32, |next| fine &= next <= len);
        instr.for_operands(|operand, words| {
            fine &= match *operand {
                Operand::Reg(reg) => has(reg.saturating_add(words - 1)),
                Operand::Func(FuncId(f)) => (f as usize) < module.functions.len(),
                Operand::Global(GlobalId(g), _) => (g as usize) < module.globals.len(),
                Operand::Const(_) | Operand::Undef => true,
            };
        });
        let (first, count) = instr.result();
        fine &= count == 0 || has(first.saturating_add(count - 1));
        if let Instr::Call { dst: Some(dst), .. } = instr {
            fine &= has(*dst);
        }
        if let Instr::Call { dst, results, lands: Some(pad), .. } = instr {
            let is_type = |operand: &Operand| match *operand {
                Operand::Global(GlobalId(g), _) => (g as usize) < module.globals.len(),
                other => other == Operand::Const(0),
            };
            fine &= dst.is_some() && *results > 0 && pad.catches.iter().all(is_type);
        }
        if let Instr::LoopBack { number }
        | Instr::SpinBlock { number }
        | Instr::Rmw { net: Net::Tentative(number), .. } = instr
        {
            fine &= (*number as usize) < function.loops.len();
        }
        if let Instr::LoopHead { number, live, rewritten } = instr {
            fine &= function.loops.get(*number as usize).is_some_and(|l| l.header as usize == at);
            fine &= live.iter().all(|r| has(*r)) && rewritten.iter().all(|c| has(c.base));
        }
        if let Instr::Load { bytes, .. }
        | Instr::Store { bytes, .. }
        | Instr::Rmw { bytes, .. }
        | Instr::Cmpxchg { bytes, .. } = instr
        {
            fine &= matches!(bytes, 1 | 2 | 4 | 8 | 16);
        }
        if let Instr::Bin { bits, .. } | Instr::Cmp { bits, .. } | Instr::Overflowing { bits, .. } = instr {
            fine &= (1..=128).contains(bits);
        }
        if !fine {
            return wrong(format!("instruction {at}: {instr:?}"));
        }
    }
    Ok(())
}
