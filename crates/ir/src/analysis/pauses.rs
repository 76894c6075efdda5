//! Functions that only let time pass: what a loop does between two attempts.

use crate::analysis::effects::Callee;
use crate::bytecode::{FuncId, Instr, Operand};
use crate::library;

/// Which functions do nothing but to return: they access no memory, and cannot fail.
pub struct Pauses(Vec<bool>);

impl Pauses {
    /// Looks at all functions of a program.
    pub fn new(functions: &[Callee<'_>]) -> Pauses {
        let of_library = |f: &Callee<'_>| matches!(f, Callee::Declared(name) if library::only_pauses(name) && !library::takes_time(name));
        let mut found = Pauses(functions.iter().map(of_library).collect());
        // Those that call others: as many rounds as there are levels. Recursion is never found.
        loop {
            let pauses = |f: &usize| match functions[*f] {
                Callee::Defined(body) => {
                    let mut code = body.blocks.iter().flat_map(|b| &b.code);
                    !found.0[*f] && code.all(|instr| found.is_pause(instr))
                }
                Callee::Declared(_) | Callee::Opaque => false,
            };
            let more: Vec<usize> = (0..functions.len()).filter(pauses).collect();
            if more.is_empty() {
                return found;
            }
            more.into_iter().for_each(|f| found.0[f] = true);
        }
    }

    /// Whether an instruction is a call to such a function.
    pub fn is_call(&self, instr: &Instr) -> bool {
        matches!(instr, Instr::Call { callee: Operand::Func(FuncId(f)), .. } if self.0[*f as usize])
    }

    fn is_pause(&self, instr: &Instr) -> bool {
        match instr {
            Instr::Move { .. } | Instr::Cmp { .. } | Instr::Select { .. } => true,
            Instr::Fence { mode } => !mode.is_mark(),
            Instr::Jump { .. } | Instr::Branch { .. } | Instr::Return { .. } => true,
            other => self.is_call(other),
        }
    }
}
