//! What calls do to memory, as far as a loop that waits has to know.

use crate::analysis::counted::all_cycles_count;
use crate::analysis::faint::only_computes;
use crate::analysis::follow::{Known, Way, follow};
use crate::bytecode::{FuncId, Function, Instr, Operand, Reg, registers};
use crate::cfg::{Block, Graph};
use crate::library;

/// What is known of a function that a loop may call.
#[derive(Clone, Copy)]
pub enum Callee<'a> {
    /// It is only declared, so it is known by its name.
    Declared(&'a str),
    /// It has this body.
    Defined(&'a Graph),
    /// It has code that nobody looks into.
    Opaque,
}

impl<'a> Callee<'a> {
    /// A function, with its body if it is looked into.
    pub fn of((function, body): (&'a Function, &'a Option<Graph>)) -> Callee<'a> {
        match body {
            Some(body) => Callee::Defined(body),
            None if function.code.is_empty() => Callee::Declared(&function.name),
            None => Callee::Opaque,
        }
    }
}

/// What a call does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but to read it.
    None,
    /// It may write, but then it returns this value.
    WritesIfReturns(u64),
    /// Whatever it likes.
    Any,
}

/// What calls to each function do. Functions with loops or recursion may do anything.
pub struct Effects {
    effects: Vec<Effect>,
    /// Whether they only compute what they return, and let time pass.
    quiet: Vec<bool>,
    /// Whether they say which executions are of interest.
    assume: Vec<bool>,
}

impl Effects {
    /// Looks at all functions of a program.
    pub fn new(functions: &[Callee<'_>]) -> Effects {
        let mut known = vec![None; functions.len()];
        let effects = (0..functions.len()).map(|f| effect_of(functions, f, &mut known)).collect();
        let mut known = vec![None; functions.len()];
        let quiet = (0..functions.len()).map(|f| is_quiet(functions, f, &mut known)).collect();
        let assumes = |f: &Callee<'_>| matches!(f, Callee::Declared(name) if library::assumes(name));
        Effects { effects, quiet, assume: functions.iter().map(assumes).collect() }
    }

    /// Whether a call says which executions are of interest.
    pub fn assumes(&self, callee: Operand) -> bool {
        matches!(callee, Operand::Func(FuncId(function)) if self.assume[function as usize])
    }

    /// Whether a call only computes what it returns from its arguments, and lets time pass.
    pub fn only_passes_time(&self, callee: Operand) -> bool {
        matches!(callee, Operand::Func(FuncId(function)) if self.quiet[function as usize])
    }

    /// What a call does to memory.
    pub fn of(&self, callee: Operand) -> Effect {
        match callee {
            Operand::Func(FuncId(function)) => self.effects[function as usize],
            _ => Effect::Any,
        }
    }
}

fn effect_of(functions: &[Callee<'_>], number: usize, known: &mut Vec<Option<Effect>>) -> Effect {
    if let Some(answer) = known[number] {
        return answer;
    }
    // What recursion finds while this is worked out.
    known[number] = Some(Effect::Any);
    let answer = match functions[number] {
        Callee::Declared(name)
            if library::only_pauses(name)
                || library::checks_index(name)
                || library::only_annotates(name)
                || library::asks_object(name)
                || library::marks_waiting(name) =>
        {
            Effect::None
        }
        Callee::Defined(body) => effect_of_body(functions, body, known),
        Callee::Declared(_) | Callee::Opaque => Effect::Any,
    };
    known[number] = Some(answer);
    answer
}

fn effect_of_body(functions: &[Callee<'_>], body: &Graph, known: &mut Vec<Option<Effect>>) -> Effect {
    let mut effect = Effect::None;
    for (block, Block { code, .. }) in body.blocks.iter().enumerate() {
        // What ends here never returns to the loop.
        if matches!(code.last(), Some(Instr::Unreachable)) {
            continue;
        }
        for (position, instr) in code.iter().enumerate() {
            let found = match instr {
                Instr::Call { callee: Operand::Func(FuncId(callee)), .. }
                    if effect_of(functions, *callee as usize, known) == Effect::None =>
                {
                    Effect::None
                }
                Instr::Cmpxchg { dst, bytes, .. } => {
                    returned_on_success(body, block, position, *dst + registers(*bytes))
                }
                Instr::LoopBack { .. } | Instr::SpinBlock { .. } => Effect::Any,
                other if other.only_reads() => Effect::None,
                _ => Effect::Any,
            };
            effect = match (effect, found) {
                (before, Effect::None) => before,
                (Effect::None, found) => found,
                (before, found) if before == found => before,
                _ => Effect::Any,
            };
        }
    }
    effect
}

fn is_quiet(functions: &[Callee<'_>], number: usize, known: &mut Vec<Option<bool>>) -> bool {
    if let Some(answer) = known[number] {
        return answer;
    }
    // Recursion is not looked into.
    known[number] = Some(false);
    let answer = match functions[number] {
        Callee::Declared(name) => library::only_pauses(name),
        Callee::Defined(body) => {
            let quiet = |instr: &Instr| match instr {
                Instr::Call { callee: Operand::Func(FuncId(callee)), .. } => {
                    is_quiet(functions, *callee as usize, known)
                }
                Instr::Return { .. } | Instr::LoopBack { .. } => true,
                other => other.ends_block() && *other != Instr::Unreachable || only_computes(other),
            };
            body.blocks.iter().flat_map(|block| &block.code).all(quiet)
                && all_cycles_count(body, &(0..body.blocks.len()).collect())
        }
        Callee::Opaque => false,
    };
    known[number] = Some(answer);
    answer
}

/// What a function returns if a compare-and-exchange in it succeeds.
fn returned_on_success(body: &Graph, block: usize, position: usize, flag: Reg) -> Effect {
    let mut returned = Vec::new();
    follow(body, (block, position), Known::from([(flag, 1)]), |_| Way::On, &mut returned);
    match returned.split_first() {
        Some((Some(value), others)) if others.iter().all(|other| *other == Some(*value)) => {
            Effect::WritesIfReturns(*value)
        }
        _ => Effect::Any,
    }
}
