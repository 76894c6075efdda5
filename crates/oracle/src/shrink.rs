//! Smaller programs and models that still fail.
//!
//! Both work alike: a list of candidates that are smaller by some measure, the first of which still
//! fails becomes the new best, until none does. What fails is the caller's business.

use selvedge_graph::{Loc, Mode, Tid};
use selvedge_machine::Program;
use selvedge_machine::expr::Expr;
use selvedge_machine::program::{Addr, Instr};

/// A locally minimal program for which `fails` still holds.
pub fn shrink_program(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let size = weight(&best);
        let smaller = candidates(&best).into_iter().find(|p| weight(p) < size && fails(p));
        match smaller {
            Some(program) => best = program,
            None => return best,
        }
    }
}

/// Every candidate must weigh less than what it comes from, or shrinking might not end.
fn weight(p: &Program) -> u64 {
    let threads = p.threads.iter().map(|t| 1000 + u64::from(!t.initial) * 20).sum::<u64>();
    let inits = p.locs.iter().map(|(_, init)| 5 + u64::from(*init != 0)).sum::<u64>();
    let code = p.threads.iter().flat_map(|t| &t.code).map(instr_weight).sum::<u64>();
    threads + inits + code
}

fn instr_weight(instr: &Instr) -> u64 {
    let own = match instr {
        Instr::Assign { expr, .. } => expr_weight(expr),
        Instr::Load { addr, mode, .. } => addr_weight(addr) + mode_weight(*mode),
        Instr::Store { addr, value, mode } => addr_weight(addr) + mode_weight(*mode) + expr_weight(value),
        Instr::Rmw { addr, operand, mode, .. } => {
            10 + addr_weight(addr) + mode_weight(*mode) + expr_weight(operand)
        }
        Instr::Cas { addr, expected, desired, success, failure, weak, .. } => {
            let exprs = expr_weight(expected) + expr_weight(desired);
            let modes = mode_weight(*success) + mode_weight(*failure);
            20 + addr_weight(addr) + exprs + modes + u64::from(*weak) * 5
        }
        Instr::LoadLinked { addr, mode, .. } => 10 + addr_weight(addr) + mode_weight(*mode),
        Instr::StoreConditional { addr, value, mode, .. } => {
            10 + addr_weight(addr) + mode_weight(*mode) + expr_weight(value)
        }
        Instr::Fence { mode } => mode_weight(*mode),
        Instr::Branch { cond, .. } => 10 + expr_weight(cond),
        Instr::Assume { cond } | Instr::Assert { cond, .. } => expr_weight(cond),
        Instr::Jump { .. } | Instr::Cut | Instr::Spawn { .. } | Instr::Join { .. } => 1,
    };
    100 + own
}

fn addr_weight(addr: &Addr) -> u64 {
    match addr {
        Addr::Loc(loc) => loc.0 as u64,
        Addr::Element { index, .. } => 10 + expr_weight(index),
        Addr::Pointer(pointer) => 10 + expr_weight(pointer),
    }
}

fn mode_weight(mode: Mode) -> u64 {
    match mode {
        Mode::Rlx => 0,
        Mode::Na | Mode::Sc => 2,
        Mode::Acq | Mode::Rel => 1,
        Mode::AcqRel | Mode::AcqPc => 3,
        Mode::RlxEx | Mode::AcqEx | Mode::RelEx | Mode::AcqRelEx => 4,
        // Which barrier it is matters: they are not made into others.
        Mode::Barrier(_) => 0,
    }
}

fn expr_weight(e: &Expr) -> u64 {
    match e {
        Expr::Const(v) => v.unsigned_abs().min(3),
        Expr::Reg(_) => 4,
        Expr::Un(_, a) => 3 + expr_weight(a),
        Expr::Bin(_, a, b) => 3 + expr_weight(a) + expr_weight(b),
    }
}

/// What one step of simplification makes of a program, the boldest first.
fn candidates(p: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for t in 0..p.threads.len() {
        all.push(without_thread(p, t));
    }
    for t in 0..p.threads.len() {
        for at in 0..p.threads[t].code.len() {
            let mut q = p.clone();
            remove(&mut q.threads[t].code, at);
            all.push(q);
        }
    }
    for t in 0..p.threads.len() {
        if !p.threads[t].initial {
            let mut q = p.clone();
            q.threads[t].initial = true;
            for thread in &mut q.threads {
                remove_all(&mut thread.code, |i| matches!(i, Instr::Spawn { thread } if thread.index() == t));
            }
            all.push(q);
        }
    }
    all.extend((0..p.locs.len()).filter_map(|loc| without_location(p, loc)));
    for loc in 0..p.locs.len() {
        let mut q = p.clone();
        q.locs[loc].1 = 0;
        all.push(q);
    }
    for t in 0..p.threads.len() {
        for at in 0..p.threads[t].code.len() {
            for instr in simpler(&p.threads[t].code[at]) {
                let mut q = p.clone();
                q.threads[t].code[at] = instr;
                all.push(q);
            }
        }
    }
    all
}

fn without_thread(p: &Program, gone: usize) -> Program {
    let mut q = p.clone();
    q.threads.remove(gone);
    for thread in &mut q.threads {
        remove_all(
            &mut thread.code,
            |i| matches!(i, Instr::Spawn { thread } | Instr::Join { thread } if thread.index() == gone),
        );
        for instr in &mut thread.code {
            if let Instr::Spawn { thread } | Instr::Join { thread } = instr
                && thread.index() > gone
            {
                *thread = Tid(thread.0 - 1);
            }
        }
    }
    // A thread that nobody creates any more would never run.
    for t in 0..q.threads.len() {
        let spawns = |i: &Instr| matches!(i, Instr::Spawn { thread } if thread.index() == t);
        if !q.threads.iter().any(|other| other.code.iter().any(spawns)) {
            q.threads[t].initial = true;
        }
    }
    q
}

/// Takes a location away that nothing accesses; not when arrays depend on its place.
fn without_location(p: &Program, gone: usize) -> Option<Program> {
    let mut q = p.clone();
    q.locs.remove(gone);
    for instr in q.threads.iter_mut().flat_map(|t| &mut t.code) {
        match instr {
            Instr::Load { addr, .. }
            | Instr::Store { addr, .. }
            | Instr::Rmw { addr, .. }
            | Instr::LoadLinked { addr, .. }
            | Instr::StoreConditional { addr, .. }
            | Instr::Cas { addr, .. } => match addr {
                // Numbers in registers may point behind it.
                Addr::Pointer(_) => return None,
                Addr::Element { base, len, .. } if gone < (base.0 + *len) as usize => return None,
                Addr::Element { .. } => {}
                Addr::Loc(loc) if loc.index() == gone => return None,
                Addr::Loc(loc) if loc.index() > gone => *loc = Loc(loc.0 - 1),
                Addr::Loc(_) => {}
            },
            _ => {}
        }
    }
    Some(q)
}

fn remove_all(code: &mut Vec<Instr>, gone: impl Fn(&Instr) -> bool) {
    for at in (0..code.len()).rev() {
        if gone(&code[at]) {
            remove(code, at);
        }
    }
}

/// Takes an instruction out; jumps over it become shorter, jumps to it go to the next one.
fn remove(code: &mut Vec<Instr>, at: usize) {
    code.remove(at);
    for instr in code {
        if let Instr::Branch { target, .. } | Instr::Jump { target } = instr
            && *target > at
        {
            *target -= 1;
        }
    }
}

/// Simpler instructions in place of this one.
fn simpler(instr: &Instr) -> Vec<Instr> {
    let mut all = Vec::new();
    match instr {
        Instr::Rmw { dst, addr, operand, mode, .. } => {
            let (read, write) = halves(*mode);
            all.push(Instr::Load { dst: *dst, addr: addr.clone(), mode: read });
            all.push(Instr::Store { addr: addr.clone(), value: operand.clone(), mode: write });
        }
        Instr::Cas { old, addr, desired, success, failure, .. } => {
            all.push(Instr::Load { dst: *old, addr: addr.clone(), mode: *failure });
            let (read, write) = halves(*success);
            all.push(Instr::Load { dst: *old, addr: addr.clone(), mode: read });
            all.push(Instr::Store { addr: addr.clone(), value: desired.clone(), mode: write });
            all.push(Instr::Rmw {
                dst: *old,
                addr: addr.clone(),
                op: selvedge_machine::program::RmwOp::Exchange,
                operand: desired.clone(),
                mode: *success,
            });
        }
        Instr::Branch { cond, .. } => all.push(Instr::Assume { cond: cond.clone() }),
        // Pairs stay pairs, or go; what stays of them is a load or a store.
        Instr::LoadLinked { dst, addr, .. } => {
            all.push(Instr::Load { dst: *dst, addr: addr.clone(), mode: Mode::Rlx });
        }
        Instr::StoreConditional { addr, value, .. } => {
            all.push(Instr::Store { addr: addr.clone(), value: value.clone(), mode: Mode::Rlx });
        }
        _ => {}
    }
    let mut edit = |change: &dyn Fn(&mut Instr) -> bool| {
        let mut copy = instr.clone();
        if change(&mut copy) {
            all.push(copy);
        }
    };
    for slot in 0..3 {
        for at in 0..6 {
            edit(&|i| {
                let Some(e) = exprs(i).into_iter().nth(slot) else { return false };
                let Some(simple) = simpler_exprs(e).into_iter().nth(at) else { return false };
                *e = simple;
                true
            });
        }
    }
    edit(&|i| {
        let Some(addr) = address(i) else { return false };
        let Addr::Element { base, .. } = addr else { return false };
        *addr = Addr::Loc(*base);
        true
    });
    edit(&|i| {
        let Some(Addr::Loc(loc)) = address(i) else { return false };
        *loc = Loc(loc.0.saturating_sub(1));
        true
    });
    for to in [Mode::Rlx, Mode::Acq, Mode::Rel, Mode::Sc] {
        for slot in 0..2 {
            edit(&|i| {
                // Reads do not release and writes do not acquire.
                match (&*i, to) {
                    (Instr::Load { .. }, Mode::Rel) | (Instr::Store { .. }, Mode::Acq) => return false,
                    (Instr::Cas { .. }, Mode::Rel) if slot == 1 => return false,
                    _ => {}
                }
                modes(i).into_iter().nth(slot).map(|m| *m = to).is_some()
            });
        }
    }
    edit(&|i| match i {
        Instr::Cas { weak, .. } => std::mem::replace(weak, false),
        _ => false,
    });
    all
}

/// The orderings of a load and of a store that stand for those of a read-modify-write.
fn halves(mode: Mode) -> (Mode, Mode) {
    match mode {
        Mode::Acq => (Mode::Acq, Mode::Rlx),
        Mode::Rel => (Mode::Rlx, Mode::Rel),
        Mode::AcqRel => (Mode::Acq, Mode::Rel),
        other => (other, other),
    }
}

fn address(i: &mut Instr) -> Option<&mut Addr> {
    match i {
        Instr::Load { addr, .. }
        | Instr::Store { addr, .. }
        | Instr::Rmw { addr, .. }
        | Instr::LoadLinked { addr, .. }
        | Instr::StoreConditional { addr, .. }
        | Instr::Cas { addr, .. } => Some(addr),
        _ => None,
    }
}

fn modes(i: &mut Instr) -> Vec<&mut Mode> {
    match i {
        Instr::Load { mode, .. }
        | Instr::Store { mode, .. }
        | Instr::Rmw { mode, .. }
        | Instr::Fence { mode } => {
            vec![mode]
        }
        Instr::Cas { success, failure, .. } => vec![success, failure],
        _ => Vec::new(),
    }
}

fn exprs(i: &mut Instr) -> Vec<&mut Expr> {
    let mut all = Vec::new();
    match i {
        Instr::Assign { expr, .. } => all.push(expr),
        Instr::Branch { cond, .. } | Instr::Assume { cond } | Instr::Assert { cond, .. } => all.push(cond),
        Instr::Load { addr, .. } | Instr::LoadLinked { addr, .. } => all.extend(index(addr)),
        Instr::Store { addr, value, .. } | Instr::StoreConditional { addr, value, .. } => {
            all.push(value);
            all.extend(index(addr));
        }
        Instr::Rmw { addr, operand, .. } => {
            all.push(operand);
            all.extend(index(addr));
        }
        Instr::Cas { addr, expected, desired, .. } => {
            all.push(expected);
            all.push(desired);
            all.extend(index(addr));
        }
        _ => {}
    }
    all
}

fn index(addr: &mut Addr) -> Option<&mut Expr> {
    match addr {
        Addr::Element { index, .. } | Addr::Pointer(index) => Some(index),
        Addr::Loc(_) => None,
    }
}

fn simpler_exprs(e: &Expr) -> Vec<Expr> {
    let mut all = vec![Expr::Const(0), Expr::Const(1), Expr::Const(2)];
    match e {
        Expr::Un(_, a) => all.push((**a).clone()),
        Expr::Bin(_, a, b) => all.extend([(**a).clone(), (**b).clone()]),
        _ => {}
    }
    all
}

/// A locally minimal text for which `fails` still holds: no run of lines, and no run of up to
/// `MAX_CUT` tokens of a line, can go. Texts that are no models must not fail.
pub fn shrink_model(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    let join = |lines: &[Vec<&str>]| lines.iter().map(|l| l.join(" ") + "\n").collect::<String>();
    loop {
        let mut shrunk = false;
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            if fails(&join(&fewer)) {
                (lines, shrunk) = (fewer, true);
            } else {
                at += 1;
            }
        }
        for line in 0..lines.len() {
            for len in (1..=MAX_CUT).rev() {
                let mut at = 0;
                while at + len <= lines[line].len() {
                    let mut fewer = lines.clone();
                    fewer[line].drain(at..at + len);
                    if fails(&join(&fewer)) {
                        (lines, shrunk) = (fewer, true);
                    } else {
                        at += 1;
                    }
                }
            }
        }
        if !shrunk {
            return join(&lines);
        }
    }
}

/// The longest run of tokens that is cut out of a line in one step.
const MAX_CUT: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{program, rng_for};

    /// Whether two threads write, and there is a fence somewhere.
    fn interesting(p: &Program) -> bool {
        let writes = |t: usize| p.threads[t].code.iter().any(|i| matches!(i, Instr::Store { .. }));
        let fenced = p.threads.iter().flat_map(|t| &t.code).any(|i| matches!(i, Instr::Fence { .. }));
        fenced && (0..p.threads.len()).filter(|t| writes(*t)).count() >= 2
    }

    #[test]
    fn programs_shrink_to_what_matters() {
        let mut tried = 0;
        for number in 0..200 {
            let p = program(&mut rng_for(5, number));
            if !interesting(&p) {
                continue;
            }
            tried += 1;
            let small = shrink_program(&p, &mut interesting);
            let instructions: usize = small.threads.iter().map(|t| t.code.len()).sum();
            // The fence may have a thread of its own.
            assert!(small.threads.len() <= 3 && instructions == 3 && small.locs.len() == 1, "{small:?}");
        }
        assert!(tried > 20);
    }

    #[test]
    fn shrinking_keeps_jumps_within_the_code() {
        for number in 0..300 {
            let p = program(&mut rng_for(6, number));
            for q in candidates(&p) {
                for thread in &q.threads {
                    for instr in &thread.code {
                        if let Instr::Branch { target, .. } | Instr::Jump { target } = instr {
                            assert!(*target <= thread.code.len());
                        }
                        if let Instr::Spawn { thread } | Instr::Join { thread } = instr {
                            assert!(thread.index() < q.threads.len());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn models_shrink_by_line_and_token() {
        let text = "view v = ( po | rf ) +\nexport coherence v\nexport acyclic ( po | [ SC ] ; fr )\n";
        let small = shrink_model(text, &mut |t| t.contains("acyclic") && t.contains("fr"));
        assert_eq!(small, "acyclic fr\n");
    }
}
