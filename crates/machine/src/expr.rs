//! Expressions over a thread's registers.

use selvedge_graph::Value;
use std::fmt;

/// A register of a thread, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reg(pub u16);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Division and remainder by zero give 0; front ends that know better check first.
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `&&` and `||` on values that are already computed.
    LogAnd,
    LogOr,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    Neg,
    Not,
    BitNot,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Const(Value),
    Reg(Reg),
    Un(UnOp, Box<Expr>),
    Bin(BinOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::Bin(op, Box::new(a), Box::new(b))
    }

    pub fn un(op: UnOp, a: Expr) -> Expr {
        Expr::Un(op, Box::new(a))
    }

    pub fn eval(&self, regs: &[Value]) -> Value {
        match self {
            Expr::Const(v) => *v,
            Expr::Reg(r) => regs[r.0 as usize],
            Expr::Un(op, a) => op.apply(a.eval(regs)),
            Expr::Bin(op, a, b) => op.apply(a.eval(regs), b.eval(regs)),
        }
    }

    /// Calls `f` on every register that the expression reads.
    pub fn registers(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Expr::Const(_) => {}
            Expr::Reg(r) => f(*r),
            Expr::Un(_, a) => a.registers(f),
            Expr::Bin(_, a, b) => {
                a.registers(f);
                b.registers(f);
            }
        }
    }
}

impl UnOp {
    pub fn apply(self, a: Value) -> Value {
        match self {
            UnOp::Neg => a.wrapping_neg(),
            UnOp::Not => (a == 0) as Value,
            UnOp::BitNot => !a,
        }
    }
}

impl BinOp {
    pub fn apply(self, a: Value, b: Value) -> Value {
        match self {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div => a.checked_div(b).unwrap_or(0),
            BinOp::Rem => a.checked_rem(b).unwrap_or(0),
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => a.wrapping_shl(b as u32),
            BinOp::Shr => a.wrapping_shr(b as u32),
            BinOp::Eq => (a == b) as Value,
            BinOp::Ne => (a != b) as Value,
            BinOp::Lt => (a < b) as Value,
            BinOp::Le => (a <= b) as Value,
            BinOp::Gt => (a > b) as Value,
            BinOp::Ge => (a >= b) as Value,
            BinOp::LogAnd => (a != 0 && b != 0) as Value,
            BinOp::LogOr => (a != 0 || b != 0) as Value,
        }
    }

    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::LogAnd => "&&",
            BinOp::LogOr => "||",
        }
    }
}

/// C syntax, with registers as `r0`, `r1`, … and every operation in parentheses.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(v) => write!(f, "{v}"),
            Expr::Reg(r) => write!(f, "r{}", r.0),
            Expr::Un(UnOp::Neg, a) => write!(f, "(-{a})"),
            Expr::Un(UnOp::Not, a) => write!(f, "(!{a})"),
            Expr::Un(UnOp::BitNot, a) => write!(f, "(~{a})"),
            Expr::Bin(op, a, b) => write!(f, "({a} {} {b})", op.symbol()),
        }
    }
}
