//! Small instances of a system: sizes of sorts, shapes of trees, values of constants.

use crate::eval::{Instance, State};
use crate::expr::{Domain, Expr, Type};
use crate::system::{Kind, Shape, System};

/// A tree over the nodes `0..`, the root first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// The left child of each node.
    pub left: Vec<Option<usize>>,
    /// The right child.
    pub right: Vec<Option<usize>>,
}

impl Tree {
    /// The parent of a node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        (0..self.left.len()).find(|p| self.left[*p] == Some(node) || self.right[*p] == Some(node))
    }

    /// Whether `x` is `y` or a descendant of it.
    pub fn below(&self, mut x: usize, y: usize) -> bool {
        loop {
            if x == y {
                return true;
            }
            match self.parent(x) {
                Some(p) => x = p,
                None => return false,
            }
        }
    }

    /// All trees of this size, each numbered from the root on, left before right.
    pub fn all(size: usize) -> Vec<Tree> {
        let mut found = Vec::new();
        for left in 0..size {
            let right = size - 1 - left;
            let lefts = if left == 0 { vec![None] } else { Tree::all(left).into_iter().map(Some).collect() };
            let rights =
                if right == 0 { vec![None] } else { Tree::all(right).into_iter().map(Some).collect() };
            for l in &lefts {
                for r in &rights {
                    let mut tree = Tree { left: vec![None], right: vec![None] };
                    tree.left[0] = l.as_ref().map(|l| tree.graft(l));
                    tree.right[0] = r.as_ref().map(|r| tree.graft(r));
                    found.push(tree);
                }
            }
        }
        found
    }

    fn graft(&mut self, other: &Tree) -> usize {
        let base = self.left.len();
        self.left.extend(other.left.iter().map(|c| c.map(|c| c + base)));
        self.right.extend(other.right.iter().map(|c| c.map(|c| c + base)));
        base
    }
}

/// Sets of bit strings of a length that hold, with a string, all that clearing its lowest bits gives.
fn closed_sets(length: u32, size: usize) -> Vec<Vec<u32>> {
    let all = 1u32 << length;
    let closed = |set: &Vec<u32>| set.iter().all(|t| (0..=length).all(|i| set.contains(&(t >> i << i))));
    let mut found = Vec::new();
    // Zero is in all of them.
    let mut stack = vec![(vec![0u32], 1u32)];
    while let Some((set, next)) = stack.pop() {
        if set.len() == size {
            if closed(&set) {
                found.push(set);
            }
            continue;
        }
        for t in (next..all).rev() {
            let mut more = set.clone();
            more.push(t);
            stack.push((more, t + 1));
        }
    }
    found
}

/// Not more instances of one size are looked at.
const MOST: usize = 400;

/// All instances in which the sorts have these sizes, as far as the axioms allow them.
pub fn instances(system: &System, sizes: &[usize]) -> Vec<Instance> {
    let mut found = vec![Instance::plain(sizes)];
    for (s, sort) in system.sorts.iter().enumerate() {
        found = match sort.shape {
            Shape::Plain | Shape::Ring => found,
            Shape::Tree => {
                let trees = Tree::all(sizes[s]);
                found.iter().flat_map(|i| trees.iter().map(|t| i.with_tree(t.clone()))).collect()
            }
            Shape::Bits => {
                let lengths = 0..=3u32;
                let sets =
                    lengths.flat_map(|l| closed_sets(l, sizes[s]).into_iter().map(move |set| (l, set)));
                let sets: Vec<_> = sets.collect();
                found.iter().flat_map(|i| sets.iter().map(|(l, set)| i.with_bits(*l, set.clone()))).collect()
            }
        };
    }
    // First the constant of which most is known by itself: few of its values are left.
    let mut open: Vec<usize> =
        (0..system.symbols.len()).filter(|s| system.symbols[*s].kind == Kind::Const).collect();
    while !open.is_empty() {
        let known = |s: &usize| {
            system.axioms.iter().filter(|a| mentions(&a.formula, *s) && closed(&a.formula, &open, *s)).count()
        };
        // Of several the first that was declared.
        let Some(next) = (0..open.len()).rev().max_by_key(|i| known(&open[*i])) else { break };
        let symbol = open[next];
        found = found.iter().flat_map(|i| with_constant(system, i, symbol, &open)).collect();
        open.remove(next);
    }
    let none = State::default();
    found.retain(|i| system.axioms.iter().all(|a| i.holds(system, &none, &a.formula)));
    found.truncate(MOST);
    found
}

fn mentions(e: &Expr, symbol: usize) -> bool {
    e.mentions(&|e| matches!(e, Expr::App(x, _) if *x == symbol))
}

/// Whether a formula speaks of no constant of `open` but this one.
fn closed(e: &Expr, open: &[usize], symbol: usize) -> bool {
    !e.mentions(&|e| matches!(e, Expr::App(x, _) if *x != symbol && open.contains(x)))
}

/// The instance with all values of a constant; those of `open` are not known yet.
fn with_constant(system: &System, instance: &Instance, symbol: usize, open: &[usize]) -> Vec<Instance> {
    let s = &system.symbols[symbol];
    let values: Vec<i64> = match (s.ty, s.range) {
        (_, Some((lo, hi))) => (lo..=hi).collect(),
        (Type::Bool, _) => vec![0, 1],
        (Type::Enum(e), _) => (0..system.enums[e].values.len() as i64).collect(),
        (Type::Sort(t), _) => (0..instance.sizes[t] as i64).collect(),
        // Small numbers: instances are small.
        (Type::Int, None) => (0..=5).collect(),
    };
    let none = State::default();
    let cells = instance.cells(system, symbol).len();
    // Threads that nothing tells apart can be renamed: their values need only be looked at in order.
    let alone = system.symbols.iter().filter(|x| x.kind == Kind::Const && !x.args.is_empty()).count() == 1;
    let sorted = alone
        && match s.args.as_slice() {
            [Domain::Sort(t)] => system.sorts[*t].shape == Shape::Plain,
            _ => false,
        };
    let axioms: Vec<&Expr> =
        system.axioms.iter().map(|a| &a.formula).filter(|f| closed(f, open, symbol)).collect();
    if values.is_empty() || (values.len() as f64).powi(cells as i32) > MOST_TABLES {
        return Vec::new();
    }
    // All tables, like numbers whose digits are the values; only those that the axioms allow are kept.
    let mut digits = vec![0; cells];
    let mut here = instance.with_constant(symbol, vec![values[0]; cells]);
    let mut found = Vec::new();
    loop {
        if let Some(table) = here.constants.get_mut(&symbol) {
            table.iter_mut().zip(&digits).for_each(|(cell, d)| *cell = values[*d]);
        }
        let in_order = !sorted || digits.is_sorted();
        if in_order && axioms.iter().all(|a| here.holds(system, &none, a)) {
            found.push(here.clone());
        }
        let Some(at) = digits.iter().rposition(|d| d + 1 < values.len()) else { return found };
        digits[at] += 1;
        digits[at + 1..].fill(0);
    }
}

/// Constants with more tables are not looked at.
const MOST_TABLES: f64 = 100_000.0;

/// Sizes of sorts, small ones first: all sorts up to `most` elements in all.
pub fn sizes(system: &System, total: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in &system.sorts {
        found = found
            .iter()
            .flat_map(|sizes: &Vec<usize>| {
                let used: usize = sizes.iter().sum();
                (1..=total.saturating_sub(used)).map(|n| {
                    let mut more = sizes.clone();
                    more.push(n);
                    more
                })
            })
            .collect();
    }
    found.retain(|s| s.iter().sum::<usize>() == total);
    found
}
