//! Makes programs small that judges disagree about: statements go, blocks give way to what is in them, and
//! initialisers go, as long as the disagreement stays.

use crate::generate::{Node, Program};

/// The smallest program that `fails` still holds for, with at most so many tries.
pub fn shrink(program: &Program, tries: u32, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tries;
    loop {
        let mut smaller = false;
        let mut at = 0;
        while let Some(candidate) = change(&best, at) {
            if left == 0 {
                return best;
            }
            left -= 1;
            if fails(&candidate) {
                best = candidate;
                smaller = true;
            } else {
                at += 1;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// The change of this number.
fn change(program: &Program, number: usize) -> Option<Program> {
    let mut candidate = program.clone();
    let mut left = number;
    // The end first: what comes later depends on what comes earlier.
    if change_nodes(&mut candidate.body, &mut left) || change_nodes(&mut candidate.before, &mut left) {
        Some(candidate)
    } else {
        None
    }
}

fn change_nodes(nodes: &mut Vec<Node>, left: &mut usize) -> bool {
    for at in (0..nodes.len()).rev() {
        if *left == 0 {
            nodes.remove(at);
            return true;
        }
        *left -= 1;
        match &mut nodes[at] {
            // What an `if` without braces stands before must stay.
            Node::Block { tail, .. } if tail.is_empty() => {}
            Node::Block { body, .. } => {
                if *left == 0 {
                    let inner = std::mem::take(body);
                    nodes.splice(at..=at, inner);
                    return true;
                }
                *left -= 1;
                if change_nodes(body, left) {
                    return true;
                }
            }
            Node::Line(line) => {
                for simpler in simpler(line) {
                    if *left == 0 {
                        *line = simpler;
                        return true;
                    }
                    *left -= 1;
                }
            }
        }
    }
    false
}

/// Without the initialiser, and with parts of what is on the right side alone.
fn simpler(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    let Some((head, value)) = line.strip_suffix(';').and_then(|l| l.split_once(" = ")) else { return all };
    if head.contains(' ') && !head.contains('*') {
        all.push(format!("{head};"));
    }
    all.push(format!("{head} = 1u;"));
    // What is in parentheses.
    let bytes = value.as_bytes();
    for open in (0..bytes.len()).filter(|i| bytes[*i] == b'(') {
        let mut depth = 0;
        for close in open..bytes.len() {
            depth += (bytes[close] == b'(') as i32 - (bytes[close] == b')') as i32;
            if depth == 0 {
                if close - open > 6 && close + 1 < bytes.len() {
                    all.push(format!("{head} = {};", &value[open..=close]));
                }
                break;
            }
        }
    }
    all
}
