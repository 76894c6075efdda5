//! x86-64, in AT&T's order (`text` turns Intel's round): the source first.
//!
//! A `lock` prefix (and `xchg` with memory, which needs none) makes a read-modify-write and is a full fence.
//! Other accesses to memory are relaxed. `lfence` orders nothing that is not ordered anyway, and
//! `sfence` nothing but flushes.

use super::step::{CLFLUSH, CLFLUSHOPT, CLWB, Step, Test, XSAVEOPT};
use super::text::Arg;
use selvedge_graph::Mode;
use selvedge_ir::{BinOp, RmwOp};

/// The instruction's name without the letter of its width, and that width.
fn sized<'n>(name: &'n str, base: &str) -> Option<(&'n str, Option<u8>)> {
    let rest = name.strip_prefix(base)?;
    let bytes = match rest {
        "" => None,
        "b" => Some(1),
        "w" => Some(2),
        "l" => Some(4),
        "q" => Some(8),
        _ => return None,
    };
    Some((rest, bytes))
}

const ANY: u8 = 0;

pub(super) fn decode(names: &[String], args: &[Arg]) -> Option<Vec<Step>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match (names.as_slice(), args) {
        (["lock", name], args) => locked(name, args),
        (["nop" | "pause"] | ["rep" | "repz", "nop"] | ["lfence"], []) => Some(Vec::new()),
        (["sfence"], []) => Some(vec![Step::StoreFence]),
        ([".byte"], [Arg::Number(0x66)]) => Some(vec![Step::Prefix]),
        ([".byte"], [Arg::Word(word)]) if word == "0x66" => Some(vec![Step::Prefix]),
        ([name @ ("clflush" | "clflushopt" | "clwb" | "xsaveopt")], [at]) => {
            let name = match *name {
                "clflush" => CLFLUSH,
                "clflushopt" => CLFLUSHOPT,
                "clwb" => CLWB,
                _ => XSAVEOPT,
            };
            Some(vec![Step::Flush(name, at.clone())])
        }
        (["mfence"], []) => Some(vec![Step::Fence(Mode::Sc)]),
        (["cpuid"], []) => {
            let all = ["ax", "bx", "cx", "dx"].map(register).to_vec();
            Some(vec![Step::Fence(Mode::Sc), Step::Anything(all)])
        }
        (["rdtsc"], []) => Some(vec![Step::Anything(["ax", "dx"].map(register).to_vec())]),
        (["rdtscp"], []) => Some(vec![Step::Anything(["ax", "cx", "dx"].map(register).to_vec())]),
        ([name], [to]) if name.starts_with("set") => {
            Some(vec![Step::Set { to: to.clone(), test: test(&name[3..])? }])
        }
        ([name], [label @ Arg::Op(_, Some('l'))]) if name.starts_with('j') => {
            Some(vec![Step::Leave(test(&name[1..])?, label.clone())])
        }
        (["jmp"], [label @ Arg::Label(..)]) => Some(vec![Step::Jump(None, label.clone())]),
        ([name], [label @ Arg::Label(..)]) if name.starts_with('j') => {
            Some(vec![Step::Jump(Some(test(&name[1..])?), label.clone())])
        }
        ([name], [_, _]) if name.starts_with("xchg") => locked(name, args),
        ([name], args) => registers(name, args),
        _ => None,
    }
}

/// What a condition is called in names of instructions.
fn test(condition: &str) -> Option<Test> {
    Some(match condition {
        "e" | "z" => Test::Equal,
        "ne" | "nz" => Test::Different,
        "c" | "b" => Test::Carry,
        "nc" | "ae" | "nb" => Test::NoCarry,
        "s" => Test::Negative,
        "ns" => Test::NotNegative,
        "l" | "nge" => Test::Less,
        "le" | "ng" => Test::AtMost,
        "g" | "nle" => Test::Greater,
        "ge" | "nl" => Test::AtLeast,
        "a" | "nbe" => Test::Above,
        "be" | "na" => Test::NotAbove,
        _ => return None,
    })
}

/// Moves, and what is calculated in registers.
fn registers(name: &str, args: &[Arg]) -> Option<Vec<Step>> {
    const BINARY: [(&str, BinOp); 8] = [
        ("add", BinOp::Add),
        ("sub", BinOp::Sub),
        ("and", BinOp::And),
        ("or", BinOp::Or),
        ("xor", BinOp::Xor),
        ("shl", BinOp::Shl),
        ("shr", BinOp::LShr),
        ("sar", BinOp::AShr),
    ];
    let width = |base| sized(name, base).map(|(_, bytes)| bytes.unwrap_or(ANY));
    let one = |step: Step| Some(vec![step]);
    match args {
        [from, to] => {
            if let Some(bytes) = width("mov") {
                return one(Step::Move { to: to.clone(), value: from.clone(), bytes });
            }
            if let Some(bytes) = width("cmp") {
                return one(Step::Compare { a: to.clone(), b: from.clone(), bytes });
            }
            if let Some(bytes) = width("test") {
                return one(Step::TestBits { a: to.clone(), b: from.clone(), bytes });
            }
            if let Some(bytes) = width("sbb").filter(|_| from == to) {
                return one(Step::Spread { to: to.clone(), bytes });
            }
            let (op, bytes) = BINARY.iter().find_map(|(base, op)| Some((*op, width(base)?)))?;
            // A shift by nothing leaves the flags as they were.
            let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
            if shifts && !matches!(from, Arg::Number(1..)) {
                return None;
            }
            one(Step::Arithmetic { op, to: to.clone(), by: from.clone(), bytes })
        }
        [to] => {
            let by = |op, by, bytes| one(Step::Arithmetic { op, to: to.clone(), by: Arg::Number(by), bytes });
            match (width("inc"), width("dec"), width("not"), width("neg")) {
                (Some(bytes), ..) => by(BinOp::Add, 1, bytes),
                (_, Some(bytes), ..) => by(BinOp::Sub, 1, bytes),
                // It leaves the flags as they were.
                (_, _, Some(bytes), _) => one(Step::Bin {
                    op: BinOp::Xor,
                    to: to.clone(),
                    a: to.clone(),
                    b: Arg::Number(-1),
                    bytes,
                }),
                (.., Some(bytes)) => {
                    one(Step::Bin { op: BinOp::Sub, to: to.clone(), a: Arg::Number(0), b: to.clone(), bytes })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn register(name: &str) -> Arg {
    Arg::Register(name.to_owned())
}

fn is_stack(arg: &Arg) -> bool {
    let Arg::Memory(base, _) = arg else { return false };
    matches!(&**base, Arg::Register(name) if matches!(name.as_str(), "rsp" | "esp"))
}

/// A read-modify-write between two fences.
fn locked(name: &str, args: &[Arg]) -> Option<Vec<Step>> {
    let mode = Mode::Sc;
    let fence = || Step::Fence(mode);
    let between = |step: Step| Some(vec![fence(), step, fence()]);
    let two = [
        ("add", RmwOp::Add),
        ("sub", RmwOp::Sub),
        ("or", RmwOp::Or),
        ("and", RmwOp::And),
        ("xor", RmwOp::Xor),
    ];
    let rmw = |op, old, at: &Arg, value, bytes: Option<u8>| {
        between(Step::Rmw { op, old, at: at.clone(), value, bytes: bytes.unwrap_or(ANY), mode })
    };
    match args {
        // What changes nothing at the top of the stack is there to be a fence.
        [Arg::Number(0), at] if is_stack(at) => {
            ["add", "sub", "or", "xor"].iter().any(|op| sized(name, op).is_some()).then(|| vec![fence()])
        }
        [value, at] => {
            if let Some((op, bytes)) = two.iter().find_map(|(base, op)| Some((*op, sized(name, base)?.1))) {
                return rmw(op, None, at, value.clone(), bytes);
            }
            if let Some((_, bytes)) = sized(name, "xadd") {
                return rmw(RmwOp::Add, Some(value.clone()), at, value.clone(), bytes);
            }
            if let Some((_, bytes)) = sized(name, "xchg") {
                return between(Step::Rmw {
                    op: RmwOp::Xchg,
                    old: Some(value.clone()),
                    at: at.clone(),
                    value: value.clone(),
                    bytes: bytes.unwrap_or(ANY),
                    mode,
                });
            }
            for (base, op) in [("bts", RmwOp::Or), ("btr", RmwOp::And), ("btc", RmwOp::Xor)] {
                if let Some((_, bytes)) = sized(name, base) {
                    let (bit, bytes) = (value.clone(), bytes.unwrap_or(ANY));
                    return between(Step::Bit { op, at: at.clone(), bit, bytes });
                }
            }
            let (_, bytes) = sized(name, "cmpxchg")?;
            between(Step::Cas {
                at: at.clone(),
                expected: register("ax"),
                desired: value.clone(),
                bytes: bytes.unwrap_or(ANY),
                success: mode,
                failure: mode,
            })
        }
        [at] => {
            if let Some((op, bytes)) = [("inc", RmwOp::Add), ("dec", RmwOp::Sub)]
                .iter()
                .find_map(|(base, op)| Some((*op, sized(name, base)?.1)))
            {
                return rmw(op, None, at, Arg::Number(1), bytes);
            }
            if let Some((_, bytes)) = sized(name, "not") {
                return rmw(RmwOp::Xor, None, at, Arg::Number(-1), bytes);
            }
            let bytes = match name {
                "cmpxchg8b" => 8,
                "cmpxchg16b" => 16,
                _ => return None,
            };
            between(Step::WideCas {
                at: at.clone(),
                expected: ["ax", "dx"].map(register),
                desired: ["bx", "cx"].map(register),
                bytes,
            })
        }
        _ => None,
    }
}
