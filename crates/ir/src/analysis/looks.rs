//! Loops that look at several things, and try again if they do not go together: what they read is all that
//! they do.

use selvedge_graph::Mode;

use crate::analysis::polls::body;
use crate::bytecode::{Function, Instr, Operand};

/// What a call does in a loop that looks.
#[derive(Clone, Copy)]
pub enum Looked<'a> {
    /// It lets time pass.
    Pause,
    /// It runs this.
    Defined(&'a Function),
    /// Something else.
    Other,
}

/// How deep calls are followed.
const CALLS: u32 = 3;

/// By loop, whether its iterations only read, and have several atomic loads.
pub fn looking_loops<'a>(function: &'a Function, callee: impl Fn(Operand) -> Looked<'a>) -> Vec<bool> {
    let looks = |number: u32, header: u32| {
        let body = body(function, number, header);
        let mut code = body.iter().map(|&at| &function.code[at as usize]);
        let loads = code.try_fold(0, |loads, instr| Some(loads + loads_of(instr, &callee, CALLS)?));
        loads.is_some_and(|loads: u32| loads > 1)
    };
    (0..).zip(&function.loops).map(|(number, l)| looks(number, l.header)).collect()
}

/// How many atomic loads an instruction has, if it only reads.
fn loads_of<'a>(instr: &Instr, callee: &impl Fn(Operand) -> Looked<'a>, calls: u32) -> Option<u32> {
    match *instr {
        Instr::Load { mode, .. } => Some(u32::from(mode != Mode::Na)),
        Instr::Call { callee: f, .. } => match callee(f) {
            Looked::Pause => Some(0),
            Looked::Defined(called) if calls > 0 => {
                let mut code = called.code.iter();
                code.try_fold(0, |loads, instr| Some(loads + loads_of(instr, callee, calls - 1)?))
            }
            _ => None,
        },
        _ => instr.only_reads().then_some(0),
    }
}
