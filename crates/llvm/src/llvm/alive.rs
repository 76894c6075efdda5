//! Whether a variable is only ever accessed while it lives.
//!
//! A variable whose address something else than loads and stores by name has is left in memory first: what is
//! accessed after its block ended would not be noticed in a register. Once the something else is in registers
//! itself, all accesses can be seen, and so can where the lives end.

use std::collections::{HashMap, HashSet};

use super::undefined::{begins_life, is_lifetime};
use super::value::{Block, Value};

/// Whether no way from the end of a variable's life, or from the beginning of its function, leads to an
/// access without the beginning of a life in between. These are all accesses there are.
pub(super) fn only_while_alive<'m>(variable: Value<'m>, accesses: &HashSet<Value<'m>>) -> bool {
    let lives: HashSet<Value<'m>> = variable.users().into_iter().filter(|user| is_lifetime(*user)).collect();
    let blocks: HashSet<Block<'m>> = accesses.iter().chain(&lives).map(|i| i.block()).collect();
    // By block that has any of them, what follows from being dead at its beginning, and at its end.
    let mut dead_at_the_end = HashMap::new();
    for block in blocks {
        let (mut first, mut dead, mut fails) = (true, false, false);
        for instruction in block.instructions() {
            if lives.contains(&instruction) {
                (first, dead) = (false, !begins_life(instruction));
            } else if accesses.contains(&instruction) {
                if dead {
                    return false;
                }
                fails |= first;
            }
        }
        dead_at_the_end.insert(block, (fails, (!first).then_some(dead)));
    }
    // Where it may be dead at the beginning of a block.
    let mut pending = Vec::from([variable.block()]);
    for (block, (_, at_the_end)) in &dead_at_the_end {
        if *at_the_end == Some(true) {
            pending.extend(block.successors());
        }
    }
    let mut seen = HashSet::new();
    while let Some(block) = pending.pop() {
        if !seen.insert(block) {
            continue;
        }
        match dead_at_the_end.get(&block) {
            Some((true, _)) => return false,
            Some((false, Some(_))) => {}
            _ => pending.extend(block.successors()),
        }
    }
    true
}
