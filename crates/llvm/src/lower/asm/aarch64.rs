//! AArch64: barriers, exclusives, acquire and release, and the atomics of LSE.

use super::step::Step;
use super::text::Arg;
use selvedge_graph::{Barrier, Mode};
use selvedge_ir::{BinOp, RmwOp};

/// How many bytes an instruction accesses: by its suffix, or by the register that it names.
fn width(suffix: &str, register: &Arg) -> Option<u8> {
    Some(match (suffix, register) {
        ("b", _) => 1,
        ("h", _) => 2,
        ("", Arg::Op(_, Some('w'))) => 4,
        ("", Arg::Op(_, None | Some('x'))) => 8,
        ("", Arg::Word(name)) if name == "wzr" => 4,
        ("", Arg::Word(name)) if name == "xzr" => 8,
        _ => return None,
    })
}

fn zero(arg: &Arg) -> Arg {
    match arg {
        Arg::Word(name) if name == "wzr" || name == "xzr" => Arg::Number(0),
        other => other.clone(),
    }
}

/// Of `a`, `l`, `al` or nothing, and what follows.
fn ordering(rest: &str) -> (Mode, &str) {
    for (letters, mode) in [("al", Mode::AcqRel), ("a", Mode::Acq), ("l", Mode::Rel)] {
        if let Some(rest) = rest.strip_prefix(letters) {
            return (mode, rest);
        }
    }
    (Mode::Rlx, rest)
}

fn barrier(name: &str, option: &str) -> Option<Step> {
    Some(Step::Fence(match option {
        "sy" | "ish" | "osh" | "nsh" => Mode::Sc,
        "ld" | "ishld" | "oshld" | "nshld" => Mode::Acq,
        "st" | "ishst" | "oshst" | "nshst" if name == "dsb" => Mode::Barrier(Barrier::DsbSt),
        "st" | "ishst" | "oshst" | "nshst" => Mode::Barrier(Barrier::DmbSt),
        _ => return None,
    }))
}

pub(super) fn decode(names: &[String], args: &[Arg]) -> Option<Vec<Step>> {
    let [name] = names else { return None };
    let name = name.as_str();
    let one = |step: Step| Some(vec![step]);
    match (name, args) {
        ("nop" | "yield" | "wfe" | "sev" | "sevl", []) | ("prfm", _) => return Some(Vec::new()),
        ("dmb" | "dsb", [Arg::Word(option)]) => return one(barrier(name, option)?),
        ("isb", _) => return one(Step::Fence(Mode::Barrier(Barrier::Isb))),
        ("b.ne" | "bne", [label]) => return one(Step::UnlessEqual(label.clone())),
        ("cbnz", [value, label]) => return one(Step::IfNonZero(value.clone(), label.clone())),
        ("cmp", [a, b]) => {
            return one(Step::Compare { a: a.clone(), b: zero(b), bytes: width("", a)? });
        }
        ("mov", [to, value]) => {
            return one(Step::Move { to: to.clone(), value: zero(value), bytes: width("", to)? });
        }
        ("add" | "sub" | "and" | "orr" | "eor", [to, a, b]) => {
            let op = match name {
                "add" => BinOp::Add,
                "sub" => BinOp::Sub,
                "and" => BinOp::And,
                "orr" => BinOp::Or,
                _ => BinOp::Xor,
            };
            let (to, a, b) = (to.clone(), zero(a), zero(b));
            let bytes = width("", &to)?;
            return one(Step::Bin { op, to, a, b, bytes });
        }
        _ => {}
    }
    accesses(name, args)
}

fn accesses(name: &str, args: &[Arg]) -> Option<Vec<Step>> {
    let loads = [("ldaxr", Some(Mode::Acq)), ("ldxr", Some(Mode::Rlx)), ("ldar", None), ("ldr", None)];
    let stores = [("stlxr", Mode::Rel), ("stxr", Mode::Rlx)];
    if let [to, from] = args
        && let Some((base, linked)) = loads.iter().find(|(base, _)| name.starts_with(base))
        && let Some(bytes) = width(&name[base.len()..], to)
    {
        let (to, from) = (to.clone(), from.clone());
        return Some(vec![match linked {
            Some(mode) => Step::Linked { to, from, bytes, mode: *mode },
            None => {
                let mode = if *base == "ldar" { Mode::Acq } else { Mode::Rlx };
                Step::Load { to, from, bytes, mode }
            }
        }]);
    }
    if let [status, value, at] = args
        && let Some((base, mode)) = stores.iter().find(|(base, _)| name.starts_with(base))
    {
        let bytes = width(&name[base.len()..], value)?;
        let (status, value, at) = (Some(status.clone()), zero(value), at.clone());
        return Some(vec![Step::Conditional { status, value, at, bytes, mode: *mode }]);
    }
    if let [value, to] = args {
        for (base, mode) in [("stlr", Mode::Rel), ("str", Mode::Rlx)] {
            if let Some(suffix) = name.strip_prefix(base) {
                let bytes = width(suffix, value)?;
                return Some(vec![Step::Store { to: to.clone(), value: zero(value), bytes, mode }]);
            }
        }
    }
    atomics(name, args)
}

/// LSE: `ldadd`, `stadd`, `swp`, `cas`, with letters for ordering and width.
fn atomics(name: &str, args: &[Arg]) -> Option<Vec<Step>> {
    if let (Some(rest), [expected, desired, at]) = (name.strip_prefix("cas"), args) {
        let (success, suffix) = ordering(rest);
        let failure = if matches!(success, Mode::Acq | Mode::AcqRel) { Mode::Acq } else { Mode::Rlx };
        let bytes = width(suffix, expected)?;
        let (at, expected, desired) = (at.clone(), expected.clone(), zero(desired));
        return Some(vec![Step::Cas { at, expected, desired, bytes, success, failure }]);
    }
    let ops = [
        ("add", RmwOp::Add),
        ("set", RmwOp::Or),
        ("eor", RmwOp::Xor),
        ("smax", RmwOp::Max),
        ("smin", RmwOp::Min),
        ("umax", RmwOp::UMax),
        ("umin", RmwOp::UMin),
    ];
    let named = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        ops.iter().find_map(|(base, op)| Some((*op, ordering(rest.strip_prefix(base)?))))
    };
    let swapped = || Some((RmwOp::Xchg, ordering(name.strip_prefix("swp")?)));
    match args {
        [value, old, at] => {
            let (op, (mode, suffix)) = named("ld").or_else(swapped)?;
            let (value, at, bytes) = (zero(value), at.clone(), width(suffix, value)?);
            let old = Some(old.clone()).filter(|old| !matches!(old, Arg::Word(_)));
            Some(vec![Step::Rmw { op, old, at, value, bytes, mode }])
        }
        [value, at] => {
            let (op, (mode, suffix)) = named("st")?;
            let bytes = width(suffix, value)?;
            Some(vec![Step::Rmw { op, old: None, at: at.clone(), value: zero(value), bytes, mode }])
        }
        _ => None,
    }
}
