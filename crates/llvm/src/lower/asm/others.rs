//! RISC-V and POWER: fences, and the instructions that make read-modify-writes.

use super::step::Step;
use super::text::Arg;
use selvedge_graph::{Barrier, Mode};
use selvedge_ir::{BinOp, RmwOp};

fn binary(name: &str) -> Option<BinOp> {
    Some(match name {
        "add" | "addi" | "addw" | "addiw" => BinOp::Add,
        "sub" | "subw" => BinOp::Sub,
        "and" | "andi" => BinOp::And,
        "or" | "ori" => BinOp::Or,
        "xor" | "xori" => BinOp::Xor,
        _ => return None,
    })
}

/// `fence from,to`.
fn fence(from: &str, to: &str) -> Option<Mode> {
    // Input and output of devices make no difference.
    let bare = |set: &str| set.chars().filter(|c| matches!(c, 'r' | 'w')).collect::<String>();
    Some(match (bare(from).as_str(), bare(to).as_str()) {
        ("rw", "rw") => Mode::Sc,
        ("r", "rw") => Mode::Acq,
        ("rw", "w") => Mode::Rel,
        ("r", "r") => Mode::Barrier(Barrier::FenceRR),
        ("r", "w") => Mode::Barrier(Barrier::FenceRW),
        ("w", "r") => Mode::Barrier(Barrier::FenceWR),
        ("w", "w") => Mode::Barrier(Barrier::FenceWW),
        ("w", "rw") => Mode::Barrier(Barrier::FenceWRw),
        ("rw", "r") => Mode::Barrier(Barrier::FenceRwR),
        _ => return None,
    })
}

pub(super) fn riscv(names: &[String], args: &[Arg]) -> Option<Vec<Step>> {
    let [name] = names else { return None };
    let one = |step: Step| Some(vec![step]);
    let zero = |arg: &Arg| match arg {
        Arg::Word(name) if name == "zero" || name == "x0" => Arg::Number(0),
        other => other.clone(),
    };
    match (name.as_str(), args) {
        ("nop" | "pause", []) => return Some(Vec::new()),
        ("fence", []) => return one(Step::Fence(Mode::Sc)),
        ("fence", [Arg::Word(from), Arg::Word(to)]) => return one(Step::Fence(fence(from, to)?)),
        ("fence.tso", []) => return one(Step::Fence(Mode::AcqRel)),
        ("fence.i", []) => return one(Step::Fence(Mode::Barrier(Barrier::FenceI))),
        ("bnez", [value, label]) => return one(Step::IfNonZero(value.clone(), label.clone())),
        ("bne", [a, b, label]) => {
            let compare = Step::Compare { a: a.clone(), b: zero(b), bytes: 8 };
            return Some(vec![compare, Step::UnlessEqual(label.clone())]);
        }
        ("mv" | "li", [to, value]) => {
            return one(Step::Move { to: to.clone(), value: zero(value), bytes: 8 });
        }
        ("lw" | "ld", [to, from]) => {
            let bytes = if name == "lw" { 4 } else { 8 };
            return one(Step::Load { to: to.clone(), from: from.clone(), bytes, mode: Mode::Rlx });
        }
        ("sw" | "sd", [value, to]) => {
            let bytes = if name == "sw" { 4 } else { 8 };
            return one(Step::Store { to: to.clone(), value: zero(value), bytes, mode: Mode::Rlx });
        }
        (name, [to, a, b]) if binary(name).is_some() => {
            let bytes = if name.ends_with('w') { 4 } else { 8 };
            let op = binary(name)?;
            return one(Step::Bin { op, to: to.clone(), a: zero(a), b: zero(b), bytes });
        }
        _ => {}
    }
    // `amoadd.w.aqrl`, `lr.d`, `sc.w.rl`.
    let mut parts = name.split('.');
    let (base, bytes) = (
        parts.next()?,
        match parts.next()? {
            "w" => 4,
            "d" => 8,
            _ => return None,
        },
    );
    let mode = match parts.next() {
        None => Mode::Rlx,
        Some("aq") => Mode::Acq,
        Some("rl") => Mode::Rel,
        Some("aqrl") => Mode::AcqRel,
        Some(_) => return None,
    };
    match (base, args) {
        ("lr", [to, from]) => {
            let mode = if mode == Mode::Rlx { Mode::Rlx } else { Mode::Acq };
            one(Step::Linked { to: to.clone(), from: from.clone(), bytes, mode })
        }
        ("sc", [status, value, at]) => {
            let mode = if mode == Mode::Rlx { Mode::Rlx } else { Mode::Rel };
            let (status, at) = (Some(status.clone()), at.clone());
            one(Step::Conditional { status, value: zero(value), at, bytes, mode })
        }
        (base, [old, value, at]) => {
            let op = match base {
                "amoadd" => RmwOp::Add,
                "amoswap" => RmwOp::Xchg,
                "amoand" => RmwOp::And,
                "amoor" => RmwOp::Or,
                "amoxor" => RmwOp::Xor,
                "amomax" => RmwOp::Max,
                "amomin" => RmwOp::Min,
                "amomaxu" => RmwOp::UMax,
                "amominu" => RmwOp::UMin,
                _ => return None,
            };
            let old = Some(old.clone()).filter(|old| !matches!(old, Arg::Word(_)));
            one(Step::Rmw { op, old, at: at.clone(), value: zero(value), bytes, mode })
        }
        _ => None,
    }
}

pub(super) fn power(names: &[String], args: &[Arg]) -> Option<Vec<Step>> {
    let [name] = names else { return None };
    let one = |step: Step| Some(vec![step]);
    let fence = |mode| one(Step::Fence(mode));
    let memory = |arg: &Arg| Arg::Memory(Box::new(arg.clone()), 0);
    match (name.as_str(), args) {
        ("nop", []) => Some(Vec::new()),
        ("sync" | "hwsync" | "msync", []) => fence(Mode::Sc),
        ("lwsync", []) => fence(Mode::AcqRel),
        ("isync", []) => fence(Mode::Barrier(Barrier::Isync)),
        ("eieio", []) => fence(Mode::Barrier(Barrier::Eieio)),
        ("lwarx" | "ldarx", [to, Arg::Number(0), base] | [to, Arg::Number(0), base, _]) => {
            let bytes = if name == "lwarx" { 4 } else { 8 };
            one(Step::Linked { to: to.clone(), from: memory(base), bytes, mode: Mode::Rlx })
        }
        ("stwcx." | "stdcx.", [value, Arg::Number(0), base]) => {
            let bytes = if name == "stwcx." { 4 } else { 8 };
            let (value, at) = (value.clone(), memory(base));
            one(Step::Conditional { status: None, value, at, bytes, mode: Mode::Rlx })
        }
        ("bne" | "bne-" | "bne+", [label]) => one(Step::UnlessEqual(label.clone())),
        ("cmpw" | "cmpd" | "cmpwi" | "cmpdi", [a, b] | [Arg::Number(0), a, b]) => {
            let bytes = if name.starts_with("cmpw") { 4 } else { 8 };
            one(Step::Compare { a: a.clone(), b: b.clone(), bytes })
        }
        ("mr" | "li", [to, value]) => one(Step::Move { to: to.clone(), value: value.clone(), bytes: 8 }),
        ("subf", [to, a, b]) => {
            one(Step::Bin { op: BinOp::Sub, to: to.clone(), a: b.clone(), b: a.clone(), bytes: 8 })
        }
        (name, [to, a, b]) => {
            let op = binary(name)?;
            one(Step::Bin { op, to: to.clone(), a: a.clone(), b: b.clone(), bytes: 8 })
        }
        _ => None,
    }
}
