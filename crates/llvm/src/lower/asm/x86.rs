//! x86-64, in AT&T's order (`text` turns Intel's round): the source first.
//!
//! A `lock` prefix (and `xchg` with memory, which needs none) makes a read-modify-write and is a full fence.
//! Other accesses to memory are relaxed. `lfence` orders nothing that is not ordered anyway, and
//! `sfence` nothing but flushes.

use super::step::{CLFLUSH, CLFLUSHOPT, CLWB, Step, XSAVEOPT};
use super::text::Arg;
use selvedge_graph::Mode;
use selvedge_ir::RmwOp;

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
        ([name], [to]) if matches!(*name, "sete" | "setz" | "setne" | "setnz") => {
            Some(vec![Step::Set { to: to.clone(), equal: matches!(*name, "sete" | "setz") }])
        }
        ([name], [_, _]) if name.starts_with("xchg") => locked(name, args),
        ([name], [from, to]) => {
            let (_, bytes) = sized(name, "mov")?;
            Some(vec![Step::Move { to: to.clone(), value: from.clone(), bytes: bytes.unwrap_or(ANY) }])
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
