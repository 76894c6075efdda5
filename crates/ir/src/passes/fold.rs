//! Control that goes one way only goes there.
//!
//! Functions of libraries take what is known where they are called: an ordering, most of all. Where they are
//! inlined, they still have an access for each ordering, and a switch by a constant. What is never run would
//! keep the passes from seeing what a loop does. What then only comes one after the other becomes one block.

use crate::analysis::follow::{Known, evaluate};
use crate::bytecode::{Instr, Operand, Target};
use crate::cfg::Graph;

/// Lets branches and switches go where they always go, and empties the blocks that nothing goes to.
pub fn run(graph: &mut Graph) {
    let mut any = false;
    for block in &mut graph.blocks {
        let Some(to) = block.code.split_last().and_then(|(last, code)| only_way(last, code)) else {
            continue;
        };
        *block.code.last_mut().expect("a terminator") = Instr::Jump { to };
        any = true;
    }
    if !any {
        return;
    }
    let order = graph.reverse_postorder();
    let mut reached = vec![false; graph.blocks.len()];
    order.iter().for_each(|block| reached[*block] = true);
    (0..graph.blocks.len()).filter(|block| !reached[*block]).for_each(|block| empty(graph, block));
    join(graph, &order);
}

/// Leaves nothing in a block that nothing goes to.
fn empty(graph: &mut Graph, block: usize) {
    let block = &mut graph.blocks[block];
    block.places.drain(..block.places.len() - 1);
    block.code = vec![Instr::Unreachable];
}

/// Puts what comes after one block only to its end.
fn join(graph: &mut Graph, order: &[usize]) {
    let predecessors = graph.predecessors();
    for &first in order {
        while let Some(&Instr::Jump { to }) = graph.blocks[first].code.last() {
            let next = to as usize;
            if next == first || next == 0 || predecessors[next].len() != 1 {
                break;
            }
            let (mut code, mut places) = {
                let block = &graph.blocks[next];
                (block.code.clone(), block.places.clone())
            };
            empty(graph, next);
            let block = &mut graph.blocks[first];
            block.code.pop();
            block.places.pop();
            block.code.append(&mut code);
            block.places.append(&mut places);
        }
    }
}

/// Where the end of a block goes whenever it is come to, if it could go elsewhere.
fn only_way(last: &Instr, code: &[Instr]) -> Option<Target> {
    let value = |operand: &Operand| match operand {
        Operand::Const(value) => Some(*value),
        Operand::Reg(reg) => {
            let mut known = Known::new();
            for instr in code {
                let value = evaluate(instr, &known);
                instr.written().for_each(|reg| _ = known.remove(&reg));
                known.extend(value.map(|value| (instr.written().start, value)));
            }
            known.get(reg).copied()
        }
        _ => None,
    };
    match last {
        Instr::Branch { cond, then, els } => value(cond).map(|cond| if cond != 0 { *then } else { *els }),
        Instr::Switch { value: by, cases, default } => {
            let value = value(by)?;
            Some(cases.iter().find(|case| case.0 == value).map_or(*default, |case| case.1))
        }
        _ => None,
    }
}
