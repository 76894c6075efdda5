//! The syntax tree of a test, names not yet resolved.

use crate::cond::Quantifier;
use crate::source::Place;
use selvedge_graph::Value;
use selvedge_machine::expr::{BinOp, UnOp};

pub struct Name<'a> {
    pub text: &'a str,
    pub place: Place,
}

pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub place: Place,
    /// Of the tree: what is deep is refused, so that walking a tree never runs out of stack.
    pub depth: u16,
}

pub enum ExprKind<'a> {
    Const(Value),
    Str(&'a str),
    Name(&'a str),
    Deref(Box<Expr<'a>>),
    AddressOf(Box<Expr<'a>>),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    Un(UnOp, Box<Expr<'a>>),
    Bin(BinOp, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `c ? a : b`.
    Select(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `a = b`, `a += b`, …
    Assign(Option<BinOp>, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `++a`, `a--`, …
    Step {
        op: BinOp,
        prefix: bool,
        target: Box<Expr<'a>>,
    },
    Call(&'a str, Vec<Expr<'a>>),
}

pub struct Declared<'a> {
    pub name: Name<'a>,
    pub init: Option<Expr<'a>>,
}

pub enum Stmt<'a> {
    Block(Vec<Stmt<'a>>),
    Declare(Vec<Declared<'a>>),
    Expr(Expr<'a>),
    If(Expr<'a>, Box<Stmt<'a>>, Option<Box<Stmt<'a>>>),
    While(Expr<'a>, Box<Stmt<'a>>),
    DoWhile(Box<Stmt<'a>>, Expr<'a>),
    For {
        init: Option<Box<Stmt<'a>>>,
        cond: Option<Expr<'a>>,
        step: Option<Expr<'a>>,
        body: Box<Stmt<'a>>,
    },
    Label(Name<'a>),
    /// `goto L;`, or `goto_unbounded L;`, which counts no iterations.
    Goto {
        label: Name<'a>,
        bounded: bool,
    },
    Break(Place),
    Continue(Place),
    Return,
}

pub struct Param<'a> {
    pub name: Name<'a>,
    pub atomic: bool,
}

pub struct Thread<'a> {
    pub spawned: bool,
    pub params: Vec<Param<'a>>,
    pub body: Vec<Stmt<'a>>,
}

/// One entry of the initial state.
pub enum Init<'a> {
    Location { name: Name<'a>, value: Value, atomic: bool },
    Array { name: Name<'a>, values: Vec<Value>, atomic: bool },
    Register { thread: ThreadRef, name: Name<'a>, value: Value },
}

/// A thread number as it is written.
#[derive(Clone, Copy)]
pub struct ThreadRef {
    pub number: Value,
    pub place: Place,
}

/// A register, location or array element that a condition names.
pub struct Subject<'a> {
    pub thread: Option<ThreadRef>,
    pub name: Name<'a>,
    pub index: Option<Value>,
    pub place: Place,
}

pub enum Prop<'a> {
    Const(bool),
    Atom { subject: Subject<'a>, equal: bool, value: Value },
    Not(Box<Prop<'a>>),
    And(Vec<Prop<'a>>),
    Or(Vec<Prop<'a>>),
}

pub struct File<'a> {
    pub name: &'a str,
    pub init: Vec<Init<'a>>,
    pub threads: Vec<Thread<'a>>,
    pub locations: Vec<Subject<'a>>,
    pub filter: Option<Prop<'a>>,
    pub quantifier: Quantifier,
    pub prop: Prop<'a>,
}
