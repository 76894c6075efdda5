//! What instructions do, in words that all instruction sets have in common.

use super::text::{Arg, Statement};
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, RmwOp};

/// What flags are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    Equal,
    Different,
    Carry,
    NoCarry,
    /// The result is negative, or not.
    Negative,
    NotNegative,
    /// Of a comparison of signed numbers.
    Less,
    AtMost,
    Greater,
    AtLeast,
    /// Of unsigned ones; the others are `Carry` and `NoCarry`.
    Above,
    NotAbove,
}

/// A step of a piece of assembly. Widths are in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Fence(Mode),
    Label(u32),
    Load {
        to: Arg,
        from: Arg,
        bytes: u8,
        mode: Mode,
    },
    Store {
        to: Arg,
        value: Arg,
        bytes: u8,
        mode: Mode,
    },
    /// Leaves in `old` what was there before.
    Rmw {
        op: RmwOp,
        old: Option<Arg>,
        at: Arg,
        value: Arg,
        bytes: u8,
        mode: Mode,
    },
    /// The same; `expected` is where what was there before is left, too. Sets the flag for equality.
    Cas {
        at: Arg,
        expected: Arg,
        desired: Arg,
        bytes: u8,
        success: Mode,
        failure: Mode,
    },
    /// Of sixteen bytes, in two registers each.
    WideCas {
        at: Arg,
        expected: [Arg; 2],
        desired: [Arg; 2],
        bytes: u8,
    },
    Bin {
        op: BinOp,
        to: Arg,
        a: Arg,
        b: Arg,
        bytes: u8,
    },
    Move {
        to: Arg,
        value: Arg,
        bytes: u8,
    },
    /// Sets the flag for equality.
    Compare {
        a: Arg,
        b: Arg,
        bytes: u8,
    },
    /// A calculation in a register, on which the flag for equality depends: `to` is its first operand, too.
    Arithmetic {
        op: BinOp,
        to: Arg,
        by: Arg,
        bytes: u8,
    },
    /// Sets the flag for equality by what both have in common.
    TestBits {
        a: Arg,
        b: Arg,
        bytes: u8,
    },
    /// Modifies one bit of memory, and leaves what it was in the flag for carries.
    Bit {
        op: RmwOp,
        at: Arg,
        bit: Arg,
        bytes: u8,
    },
    /// 1 if a flag is as said, 0 if not.
    Set {
        to: Arg,
        test: Test,
    },
    /// All ones if the flag for carries is set, 0 if not.
    Spread {
        to: Arg,
        bytes: u8,
    },
    /// Goes to a label of the statement, if a flag is as said.
    Jump(Option<Test>, Arg),
    /// Leaves the statement for a label of the program (`asm goto`) if a flag is as said.
    Leave(Test, Arg),
    /// A load that a store comes to belong to.
    Linked {
        to: Arg,
        from: Arg,
        bytes: u8,
        mode: Mode,
    },
    /// That store; leaves 0 in `status`, or sets the flag, if it is done.
    Conditional {
        status: Option<Arg>,
        value: Arg,
        at: Arg,
        bytes: u8,
        mode: Mode,
    },
    /// Goes to a label if the flag for equality is not set.
    UnlessEqual(Arg),
    /// Goes to a label if this is not zero.
    IfNonZero(Arg, Arg),
    /// May leave anything in these registers.
    Anything(Vec<Arg>),
    /// Writes back the cache line of an address, by this function of the library.
    Flush(&'static str, Arg),
    /// `sfence`, which only flushes know.
    StoreFence,
    /// A byte in front of an instruction that makes it another one, for assemblers that do not know that.
    Prefix,
}

/// What an instruction set makes of an instruction; nothing if it does not know it.
pub(super) type Decode = fn(&[String], &[Arg]) -> Option<Vec<Step>>;

/// The steps of a text, or the first instruction that is not known.
pub(super) fn steps(statements: &[Statement], decode: Decode) -> Result<Vec<Step>, String> {
    let mut found = Vec::new();
    for statement in statements {
        match statement {
            Statement::Label(number) => found.push(Step::Label(*number)),
            Statement::Instruction(names, args) => {
                found.extend(decode(names, args).ok_or_else(|| names.join(" "))?);
            }
        }
    }
    // `.byte 0x66; clflush` is clflushopt, and `.byte 0x66; xsaveopt` clwb.
    let mut steps: Vec<Step> = Vec::with_capacity(found.len());
    for step in found {
        match (steps.last(), step) {
            (Some(Step::Prefix), Step::Flush(name, at)) => {
                steps.pop();
                let name = if name == CLFLUSH { CLFLUSHOPT } else { CLWB };
                steps.push(Step::Flush(name, at));
            }
            (Some(Step::Prefix), _) => return Err(String::from(".byte")),
            (_, Step::Flush(XSAVEOPT, _)) => return Err(String::from(XSAVEOPT)),
            (_, step) => steps.push(step),
        }
    }
    match steps.last() {
        Some(Step::Prefix) => Err(String::from(".byte")),
        _ => Ok(steps),
    }
}

pub(super) const CLFLUSH: &str = "__selvedge_clflush";
pub(super) const CLFLUSHOPT: &str = "__selvedge_clflushopt";
pub(super) const CLWB: &str = "__selvedge_clwb";
/// No function of the library: only with a prefix.
pub(super) const XSAVEOPT: &str = "xsaveopt";
