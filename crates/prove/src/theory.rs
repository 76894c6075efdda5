//! What is known of trees, powers of two and bit strings, as formulas. Each is justified in `docs/prove.md`
//! and evaluated on all small instances by the tests.

use crate::expr::{Domain, Expr, Prim, Type, Var};
use crate::system::{Shape, System};

/// No upper bound.
pub const NO_BOUND: Expr = Expr::Int(i64::MAX);

/// A fact with a name.
pub struct Fact {
    /// Its name, as `docs/prove.md` lists it.
    pub name: &'static str,
    /// What holds.
    pub formula: Expr,
}

struct Facts<'f> {
    fresh: &'f mut Var,
    found: Vec<Fact>,
}

impl Facts<'_> {
    fn vars(&mut self, domains: &[Domain]) -> Vec<Expr> {
        domains
            .iter()
            .map(|d| {
                *self.fresh += 1;
                Expr::Var(*self.fresh, d.of())
            })
            .collect()
    }

    fn fact(&mut self, name: &'static str, domains: &[Domain], body: impl FnOnce(&[Expr]) -> Expr) {
        let vars = self.vars(domains);
        let mut formula = body(&vars);
        for (v, d) in vars.iter().zip(domains).rev() {
            let Expr::Var(v, _) = v else { continue };
            formula = Expr::All(*v, d.clone(), Box::new(formula));
        }
        self.found.push(Fact { name, formula });
    }
}

fn same(a: &Expr, b: &Expr) -> Expr {
    a.clone().equals(b.clone())
}

/// Facts about a tree, all universal.
pub fn tree(sort: usize, fresh: &mut Var) -> Vec<Fact> {
    let mut f = Facts { fresh, found: Vec::new() };
    let p = |prim: Prim, a: &Expr, b: &Expr| Expr::Prim(prim, vec![a.clone(), b.clone()]);
    let below = |a: &Expr, b: &Expr| p(Prim::Below(sort), a, b);
    let left = |a: &Expr, b: &Expr| p(Prim::Left(sort), a, b);
    let right = |a: &Expr, b: &Expr| p(Prim::Right(sort), a, b);
    let child = |a: &Expr, b: &Expr| p(Prim::Child(sort), a, b);
    let root = Expr::Prim(Prim::Root(sort), Vec::new());
    let d = Domain::Sort(sort);
    let (d1, d2, d3) = ([d.clone()], [d.clone(), d.clone()], [d.clone(), d.clone(), d.clone()]);
    f.fact("below is reflexive", &d1, |v| below(&v[0], &v[0]));
    f.fact("below is transitive", &d3, |v| {
        Expr::and([below(&v[0], &v[1]), below(&v[1], &v[2])]).implies(below(&v[0], &v[2]))
    });
    f.fact("below is antisymmetric", &d2, |v| {
        Expr::and([below(&v[0], &v[1]), below(&v[1], &v[0])]).implies(same(&v[0], &v[1]))
    });
    f.fact("all are below the root", &d1, |v| below(&v[0], &root));
    f.fact("ancestors are in a line", &d3, |v| {
        Expr::and([below(&v[0], &v[1]), below(&v[0], &v[2])])
            .implies(Expr::or([below(&v[1], &v[2]), below(&v[2], &v[1])]))
    });
    f.fact("a child is a left or a right one", &d2, |v| {
        child(&v[0], &v[1]).equals(Expr::or([left(&v[0], &v[1]), right(&v[0], &v[1])]))
    });
    f.fact("no child is both", &d2, |v| Expr::and([left(&v[0], &v[1]), right(&v[0], &v[1])]).not());
    f.fact("one left child", &d3, |v| {
        Expr::and([left(&v[0], &v[2]), left(&v[1], &v[2])]).implies(same(&v[0], &v[1]))
    });
    f.fact("one right child", &d3, |v| {
        Expr::and([right(&v[0], &v[2]), right(&v[1], &v[2])]).implies(same(&v[0], &v[1]))
    });
    f.fact("one parent", &d3, |v| {
        Expr::and([child(&v[0], &v[1]), child(&v[0], &v[2])]).implies(same(&v[1], &v[2]))
    });
    f.fact("a child is below", &d2, |v| {
        child(&v[0], &v[1]).implies(Expr::and([below(&v[0], &v[1]), same(&v[0], &v[1]).not()]))
    });
    f.fact("nothing is between a child and its parent", &d3, |v| {
        Expr::and([child(&v[0], &v[1]), below(&v[0], &v[2]), same(&v[0], &v[2]).not()])
            .implies(below(&v[1], &v[2]))
    });
    f.found
}

/// What is known around one node: its parent, its children, and that everything below it is below one of
/// them. These say that there is something, so they are used at few nodes only.
pub fn around(sort: usize, node: &Expr, fresh: &mut Var) -> Vec<Fact> {
    let p = |prim: Prim, a: &Expr, b: &Expr| Expr::Prim(prim, vec![a.clone(), b.clone()]);
    let root = Expr::Prim(Prim::Root(sort), Vec::new());
    let var = |fresh: &mut Var| {
        *fresh += 1;
        (*fresh, Expr::Var(*fresh, Type::Sort(sort)))
    };
    let (v, x) = var(fresh);
    let has_parent = Expr::Any(v, Domain::Sort(sort), Box::new(p(Prim::Child(sort), node, &x)));
    let (l, lx) = var(fresh);
    let (r, rx) = var(fresh);
    let (y, yx) = var(fresh);
    // Everything strictly below is below a left or a right child; with the children named if they are there.
    let inside = |kids: Vec<Expr>| {
        let under = Expr::or(kids.iter().map(|k| p(Prim::Below(sort), &yx, k)));
        let strictly = Expr::and([p(Prim::Below(sort), &yx, node), same(&yx, node).not()]);
        Expr::All(y, Domain::Sort(sort), Box::new(strictly.implies(under)))
    };
    let none = |prim: Prim, fresh: &mut Var| {
        let (z, zx) = var(fresh);
        Expr::All(z, Domain::Sort(sort), Box::new(p(prim, &zx, node).not()))
    };
    let d = || Domain::Sort(sort);
    let has = |prim: Prim, x: &Expr| p(prim, x, node);
    let (no_left, no_right) = (none(Prim::Left(sort), fresh), none(Prim::Right(sort), fresh));
    let both = Expr::Any(
        l,
        d(),
        Box::new(Expr::Any(
            r,
            d(),
            Box::new(Expr::and([
                has(Prim::Left(sort), &lx),
                has(Prim::Right(sort), &rx),
                inside(vec![lx.clone(), rx.clone()]),
            ])),
        )),
    );
    let one = |v: Var, x: &Expr, prim: Prim, no: &Expr| {
        Expr::Any(v, d(), Box::new(Expr::and([has(prim, x), no.clone(), inside(vec![x.clone()])])))
    };
    let children = Expr::or([
        both,
        one(l, &lx, Prim::Left(sort), &no_right),
        one(r, &rx, Prim::Right(sort), &no_left),
        Expr::and([no_left.clone(), no_right.clone(), inside(Vec::new())]),
    ]);
    vec![
        Fact { name: "who is not the root has a parent", formula: Expr::or([same(node, &root), has_parent]) },
        Fact { name: "descendants are below children", formula: children },
    ]
}

/// Facts about powers of two.
pub fn powers(fresh: &mut Var) -> Vec<Fact> {
    let mut f = Facts { fresh, found: Vec::new() };
    let pow = |e: &Expr| Expr::Prim(Prim::Pow2, vec![e.clone()]);
    let d = Domain::Range(Box::new(Expr::Int(0)), Box::new(NO_BOUND));
    f.fact("the zeroth power is one", &[], |_| pow(&Expr::Int(0)).equals(Expr::Int(1)));
    f.fact("the next power is twice as large", std::slice::from_ref(&d), |v| {
        pow(&v[0].clone().plus(Expr::Int(1))).equals(pow(&v[0]).times(2))
    });
    f.fact("powers are positive", std::slice::from_ref(&d), |v| Expr::Int(1).at_most(pow(&v[0])));
    f.fact("later powers are at least twice as large", &[d.clone(), d], |v| {
        v[0].clone().plus(Expr::Int(1)).at_most(v[1].clone()).implies(pow(&v[0]).times(2).at_most(pow(&v[1])))
    });
    f.found
}

/// Facts about bit strings.
pub fn bits(sort: usize, fresh: &mut Var) -> Vec<Fact> {
    let mut f = Facts { fresh, found: Vec::new() };
    let length = Expr::Prim(Prim::Length(sort), Vec::new());
    let bit = |t: &Expr, i: &Expr| Expr::Prim(Prim::Bit(sort), vec![t.clone(), i.clone()]);
    let zero = |t: &Expr, i: &Expr| Expr::Prim(Prim::Zero(sort), vec![t.clone(), i.clone()]);
    let agree =
        |t: &Expr, u: &Expr, i: &Expr| Expr::Prim(Prim::Agree(sort), vec![t.clone(), u.clone(), i.clone()]);
    let next = |i: &Expr| i.clone().plus(Expr::Int(1));
    let t = Domain::Sort(sort);
    // Positions, and positions with the end.
    let i = Domain::Range(Box::new(Expr::Int(0)), Box::new(length.clone().plus(Expr::Int(-1))));
    let e = Domain::Range(Box::new(Expr::Int(0)), Box::new(length.clone()));
    f.fact("the length is not negative", &[], |_| Expr::Int(0).at_most(length.clone()));
    f.fact("nothing is below the zeroth bit", std::slice::from_ref(&t), |v| zero(&v[0], &Expr::Int(0)));
    f.fact("zero below the next", &[t.clone(), i.clone()], |v| {
        zero(&v[0], &next(&v[1])).equals(Expr::and([zero(&v[0], &v[1]), bit(&v[0], &v[1]).not()]))
    });
    f.fact("zero below less", &[t.clone(), e.clone(), e.clone()], |v| {
        Expr::and([zero(&v[0], &v[2]), v[1].clone().at_most(v[2].clone())]).implies(zero(&v[0], &v[1]))
    });
    f.fact("zero below means no bit", &[t.clone(), i.clone(), e.clone()], |v| {
        Expr::and([zero(&v[0], &v[2]), next(&v[1]).at_most(v[2].clone())]).implies(bit(&v[0], &v[1]).not())
    });
    f.fact("all agree at the end", &[t.clone(), t.clone()], |v| agree(&v[0], &v[1], &length));
    f.fact("agree from here on", &[t.clone(), t.clone(), i.clone()], |v| {
        agree(&v[0], &v[1], &v[2]).equals(Expr::and([
            agree(&v[0], &v[1], &next(&v[2])),
            bit(&v[0], &v[2]).equals(bit(&v[1], &v[2])),
        ]))
    });
    f.fact("agree on less", &[t.clone(), t.clone(), e.clone(), e.clone()], |v| {
        Expr::and([agree(&v[0], &v[1], &v[2]), v[2].clone().at_most(v[3].clone())])
            .implies(agree(&v[0], &v[1], &v[3]))
    });
    f.fact("who agrees has the same bits", &[t.clone(), t.clone(), e.clone(), i], |v| {
        Expr::and([agree(&v[0], &v[1], &v[2]), v[2].clone().at_most(v[3].clone())])
            .implies(bit(&v[0], &v[3]).equals(bit(&v[1], &v[3])))
    });
    f.fact("agree is reflexive", &[t.clone(), e.clone()], |v| agree(&v[0], &v[0], &v[1]));
    f.fact("agree is symmetric", &[t.clone(), t.clone(), e.clone()], |v| {
        agree(&v[0], &v[1], &v[2]).implies(agree(&v[1], &v[0], &v[2]))
    });
    f.fact("agree is transitive", &[t.clone(), t.clone(), t.clone(), e.clone()], |v| {
        Expr::and([agree(&v[0], &v[1], &v[3]), agree(&v[1], &v[2], &v[3])])
            .implies(agree(&v[0], &v[2], &v[3]))
    });
    f.fact("strings are their bits", &[t.clone(), t, e], |v| {
        Expr::and([agree(&v[0], &v[1], &v[2]), zero(&v[0], &v[2]), zero(&v[1], &v[2])])
            .implies(same(&v[0], &v[1]))
    });
    f.found
}

/// What is known of `clear(t, i)`, where `i` is a position or the end.
pub fn cleared(sort: usize, t: &Expr, i: &Expr) -> Fact {
    let length = Expr::Prim(Prim::Length(sort), Vec::new());
    let clear = Expr::Prim(Prim::Clear(sort), vec![t.clone(), i.clone()]);
    let holds = Expr::and([
        Expr::Prim(Prim::Agree(sort), vec![clear.clone(), t.clone(), i.clone()]),
        Expr::Prim(Prim::Zero(sort), vec![clear, i.clone()]),
    ]);
    let within = Expr::and([Expr::Int(0).at_most(i.clone()), i.clone().at_most(length)]);
    Fact { name: "clearing the lowest bits gives a thread", formula: within.implies(holds) }
}

/// Facts about all sorts of a system, but those about single nodes and strings.
pub fn facts(system: &System, fresh: &mut Var) -> Vec<Fact> {
    let mut found = Vec::new();
    for (s, sort) in system.sorts.iter().enumerate() {
        match sort.shape {
            Shape::Tree => found.extend(tree(s, fresh)),
            Shape::Bits => found.extend(bits(s, fresh)),
            Shape::Plain | Shape::Ring => {}
        }
    }
    found
}
