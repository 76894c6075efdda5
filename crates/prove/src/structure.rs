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
    for (symbol, s) in system.symbols.iter().enumerate() {
        if s.kind == Kind::Const {
            found = found.iter().flat_map(|i| with_constant(system, i, symbol)).collect();
        }
    }
    let none = State::default();
    found.retain(|i| system.axioms.iter().all(|a| i.holds(system, &none, &a.formula)));
    found.truncate(MOST);
    found
}

/// The instance with all values of a constant.
fn with_constant(system: &System, instance: &Instance, symbol: usize) -> Vec<Instance> {
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
    let known = |e: &Expr| !e.mentions(&|e| matches!(e, Expr::App(x, _) if *x > symbol));
    let axioms: Vec<&Expr> = system.axioms.iter().map(|a| &a.formula).filter(|f| known(f)).collect();
    let mut tables = vec![Vec::new()];
    for _ in 0..cells {
        let mut next = Vec::new();
        for table in &tables {
            for v in &values {
                if sorted && table.last().is_some_and(|last| last > v) {
                    continue;
                }
                let mut more: Vec<i64> = table.clone();
                more.push(*v);
                next.push(more);
            }
        }
        tables = next;
        if tables.len() > 100_000 {
            return Vec::new();
        }
    }
    let found = tables.into_iter().map(|table| instance.with_constant(symbol, table));
    found.filter(|i| axioms.iter().all(|a| i.holds(system, &none, a))).collect()
}

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
