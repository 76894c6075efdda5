//! Where the arms of branches end.
//!
//! A branch decides what happens up to the first instruction that both ways lead to, its immediate
//! postdominator: what comes after that happens either way. Where an execution is cut, it does not end, so
//! that a loop's bound does not count as a way out of the loop.

use crate::program::Instr;

/// For each instruction of a thread, the one at which what it decides ends; the number of instructions stands
/// for the end of the thread. Only branches are looked at.
pub fn ends(code: &[Instr]) -> Vec<u32> {
    let exit = code.len();
    let successors = |at: usize| -> [Option<usize>; 2] {
        let next = Some((at + 1).min(exit));
        match &code[at] {
            Instr::Branch { target, .. } => [Some((*target).min(exit)), next],
            Instr::Jump { target } => [Some((*target).min(exit)), None],
            Instr::Cut => [None, None],
            _ => [next, None],
        }
    };
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for at in 0..exit {
        successors(at).into_iter().flatten().for_each(|next| predecessors[next].push(at));
    }
    // Dominators of the reversed graph [Cooper01].
    let order = postorder(exit, &predecessors);
    let mut number = vec![usize::MAX; exit + 1];
    order.iter().enumerate().for_each(|(i, &node)| number[node] = i);
    let mut dominator = vec![usize::MAX; exit + 1];
    dominator[exit] = exit;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &node in order.iter().rev().filter(|&&node| node != exit) {
            let mut found = usize::MAX;
            for next in successors(node).into_iter().flatten().filter(|&next| dominator[next] != usize::MAX) {
                found = match found {
                    usize::MAX => next,
                    found => meet(found, next, &dominator, &number),
                };
            }
            if dominator[node] != found {
                dominator[node] = found;
                changed = true;
            }
        }
    }
    // What never comes to an end decides all that follows.
    (0..exit).map(|at| dominator[at].min(exit) as u32).collect()
}

fn postorder(start: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(next.len());
    let mut seen = vec![false; next.len()];
    let mut stack = vec![(start, 0)];
    seen[start] = true;
    while let Some((node, at)) = stack.last_mut() {
        match next[*node].get(*at) {
            Some(&to) => {
                *at += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

fn meet(mut a: usize, mut b: usize, dominator: &[usize], number: &[usize]) -> usize {
    while a != b {
        if number[a] < number[b] {
            a = dominator[a];
        } else {
            b = dominator[b];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Expr, Reg};

    fn branch(target: usize) -> Instr {
        Instr::Branch { cond: Expr::Reg(Reg(0)), target }
    }

    fn step() -> Instr {
        Instr::Assign { dst: Reg(0), expr: Expr::Const(0) }
    }

    #[test]
    fn arms_end_where_the_ways_meet() {
        // if (..) A else B; C
        let code = [branch(3), step(), Instr::Jump { target: 4 }, step(), step()];
        assert_eq!(ends(&code)[0], 4);
        // An empty arm.
        assert_eq!(ends(&[branch(1), step()])[0], 1);
        // while (..) A, with a bound; B
        let code = [branch(5), branch(3), Instr::Cut, step(), Instr::Jump { target: 0 }, step()];
        assert_eq!((ends(&code)[0], ends(&code)[1]), (5, 3));
        // if (..) return; A
        let code = [branch(3), step(), step()];
        assert_eq!(ends(&code)[0], 3);
        // for ever
        assert_eq!(ends(&[branch(0), Instr::Jump { target: 0 }, step()])[0], 3);
    }
}
