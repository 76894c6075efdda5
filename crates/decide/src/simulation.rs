//! Which states of an automaton can do whatever others can.

use crate::class::Mask;
use crate::fact::Facts;

/// A step as simulation looks at it. A step with fewer facts can be taken wherever one with more can.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub from: Mask,
    pub facts: Facts,
    pub to: Mask,
    pub target: u32,
    /// Moves with different tags do not match.
    pub tag: bool,
}

/// `above[t]` are the states that can do all that `t` can, `t` itself left out.
pub fn simulation(moves: &[Vec<Move>], accepts: &[Mask]) -> Vec<Vec<u32>> {
    /// Larger automata are left as they are.
    const LARGEST: usize = 700;
    let n = moves.len();
    if n > LARGEST {
        return vec![Vec::new(); n];
    }
    let mut related = vec![false; n * n];
    for t in 0..n {
        for u in 0..n {
            related[t * n + u] = accepts[t] & !accepts[u] == 0;
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for t in 0..n {
            for u in 0..n {
                if t == u || !related[t * n + u] {
                    continue;
                }
                let matched = moves[t].iter().all(|a| {
                    moves[u].iter().any(|b| {
                        a.tag == b.tag
                            && a.facts.has(b.facts)
                            && a.from & !b.from == 0
                            && a.to & !b.to == 0
                            && related[a.target as usize * n + b.target as usize]
                    })
                });
                if !matched {
                    related[t * n + u] = false;
                    changed = true;
                }
            }
        }
    }
    (0..n).map(|t| (0..n).filter(|u| *u != t && related[t * n + u]).map(|u| u as u32).collect()).collect()
}
