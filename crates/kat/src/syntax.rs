//! What the parsers make: items with expressions in which names are not looked up yet, and sets and
//! relations are not told apart. One shape serves both dialects.

use crate::source::Pos;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name<'a> {
    pub text: &'a str,
    pub pos: Pos,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    Union,
    Inter,
    Diff,
    Seq,
    /// `A * B`.
    Cross,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Star,
    Plus,
    Opt,
    Inverse,
    SameEnds,
    Rot,
    Not,
    Domain,
    Range,
    /// `[e]`.
    Test,
}

#[derive(Debug)]
pub(crate) enum ExprKind<'a> {
    Zero,
    /// `[]`.
    EmptyTest,
    Name(&'a str),
    Unary(Unary, Box<Expr<'a>>),
    Infix(Infix, Box<Expr<'a>>, Box<Expr<'a>>),
}

#[derive(Debug)]
pub(crate) struct Expr<'a> {
    pub kind: ExprKind<'a>,
    /// The name, or the operator.
    pub pos: Pos,
    /// How deep the tree is; the parser bounds it, so that walking it by recursion is safe.
    pub depth: u16,
}

/// `a <= b`, `a = b` or `total a`.
#[derive(Debug)]
pub(crate) enum Claim<'a> {
    Subset(Expr<'a>, Expr<'a>),
    Equal(Expr<'a>, Expr<'a>),
    Total(Expr<'a>),
}

#[derive(Debug)]
pub(crate) struct Binding<'a> {
    pub name: Name<'a>,
    /// `let predicate NAME = …` of `.kat`. In `.cat` the body alone tells sets from relations.
    pub predicate: bool,
    pub body: Expr<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    Acyclic,
    Irreflexive,
    Empty,
    Coherence,
}

#[derive(Debug)]
pub(crate) enum Demand<'a> {
    Check(Check, Expr<'a>),
    Claim(Claim<'a>),
    /// `error NAME unless …` and `warning NAME unless …`.
    Error {
        name: &'a str,
        warning: bool,
        unless: Claim<'a>,
    },
    /// `flag ~check e as NAME`: a program error where the check fails.
    Flag {
        check: Check,
        expr: Expr<'a>,
        name: &'a str,
    },
}

#[derive(Debug)]
pub(crate) enum Item<'a> {
    Title(&'a str),
    Include(Name<'a>),
    Relation(Name<'a>),
    Predicate(Name<'a>),
    Disjoint(Vec<Expr<'a>>),
    Let {
        rec: bool,
        view: bool,
        bindings: Vec<Binding<'a>>,
    },
    Assume(Claim<'a>, Pos),
    Assert(Claim<'a>, Pos),
    Axiom {
        demand: Demand<'a>,
        name: Option<&'a str>,
        unless: Option<Claim<'a>>,
        extra: bool,
        pos: Pos,
    },
    /// `recovery (e)`.
    Recovery(Expr<'a>, Pos),
    /// `property NAME "because …"`.
    Property {
        name: Name<'a>,
        because: Vec<&'a str>,
    },
    /// `show` and `unshow` of `.cat`.
    Nothing,
}
