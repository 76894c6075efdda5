//! Models of architectures against each other: theorems of the literature, on generated programs.

use selvedge_graph::{Barrier, Mode};
use selvedge_machine::Program;
use selvedge_machine::program::Instr;
use selvedge_oracle::generate::{arch_program, rng_for};
use selvedge_oracle::generate_arch::Arch;
use selvedge_oracle::{Canon, Detail, Judge, Limits, enumerate};
use std::collections::HashSet;

fn judge(model: &str) -> Judge {
    let theory = selvedge_kat::load_named(model).unwrap_or_else(|d| panic!("{model}: {d}"));
    Judge::new(&theory).unwrap_or_else(|u| panic!("{model}: {u}"))
}

/// The consistent executions of a program; `None` if there are too many.
fn executions(program: &Program, judge: &Judge) -> Option<HashSet<Canon>> {
    let mut found = HashSet::new();
    let limits = Limits { traces: 500, candidates: 20_000 };
    let result = enumerate(program, judge, Detail::Co, limits, &mut |x| {
        found.insert(Canon::from_execution(x, true));
    });
    result.ok().map(|_| found)
}

/// Every execution under `strong` is one under `weak`, for the programs that `fits` picks. Gives how many
/// programs there were, and for how many there is a difference.
fn included(
    strong: &str,
    weak: &str,
    arch: Arch,
    seed: u64,
    count: u64,
    fits: &dyn Fn(&Program) -> bool,
) -> (u32, u32) {
    let (strong_judge, weak_judge) = (judge(strong), judge(weak));
    let (mut programs, mut differ) = (0, 0);
    for number in 0..count {
        let program = arch_program(&mut rng_for(seed, number), arch);
        if !fits(&program) {
            continue;
        }
        let (Some(few), Some(many)) =
            (executions(&program, &strong_judge), executions(&program, &weak_judge))
        else {
            continue;
        };
        programs += 1;
        differ += u32::from(few.len() < many.len());
        if let Some(extra) = few.difference(&many).next() {
            let text = selvedge_litmus::print_program(&program, "exists (true)");
            panic!("{strong} allows what {weak} does not:\n{extra}\n{text}");
        }
    }
    println!("{strong} in {weak}: {programs} programs, {differ} with more executions");
    (programs, differ)
}

fn instructions(p: &Program) -> impl Iterator<Item = &Instr> {
    p.threads.iter().flat_map(|t| &t.code)
}

/// Every architecture allows what sequential consistency allows. Grace periods are waited for, which
/// interleavings do not tell.
#[test]
fn sequential_consistency_is_the_strongest() {
    for (model, arch) in [
        ("x86", Arch::X86),
        ("armv8", Arch::Armv8),
        ("riscv", Arch::Riscv),
        ("power", Arch::Power),
        ("lkmm", Arch::Lkmm),
        ("imm", Arch::Imm),
    ] {
        let waits = |i: &Instr| matches!(i, Instr::Fence { mode: Mode::Barrier(Barrier::SyncRcu) });
        let fits = |p: &Program| !instructions(p).any(waits);
        let (programs, differ) = included("sc", model, arch, 31, 1_000, &fits);
        assert!(
            programs > if model == "lkmm" { 700 } else { 900 } && differ > 20,
            "{model}: {programs} {differ}"
        );
    }
}

/// Podkopaev19, theorems 4.1 to 4.5: compiled programs have no more behaviours than IMM says.
/// Read-modify-writes are left out, since they are compiled to loops there.
#[test]
fn imm_is_weaker_than_what_it_is_compiled_to() {
    let fits = |p: &Program| {
        instructions(p).all(|i| match i {
            Instr::Rmw { .. } | Instr::Cas { .. } => false,
            Instr::Load { mode, .. } | Instr::Store { mode, .. } => *mode != Mode::Sc,
            _ => true,
        })
    };
    for model in ["x86", "armv8", "riscv", "power"] {
        let (programs, differ) = included(model, "imm", Arch::Imm, 32, 6_000, &fits);
        assert!(programs > 500 && differ > 10, "{model}: {programs} {differ}");
    }
}

/// Where nothing but dependencies orders accesses, none of the others is stronger than x86.
#[test]
fn plain_programs() {
    let fits = |p: &Program| {
        instructions(p).all(|i| match i {
            Instr::Fence { .. } | Instr::LoadLinked { .. } | Instr::Rmw { .. } | Instr::Cas { .. } => false,
            // Some programs are in C.
            Instr::Load { mode, .. } | Instr::Store { mode, .. } => *mode == Mode::Rlx,
            _ => true,
        })
    };
    for weak in ["armv8", "riscv", "power"] {
        let (programs, differ) = included("x86", weak, Arch::Power, 33, 6_000, &fits);
        assert!(programs > 200 && differ > 3, "{weak}: {programs} {differ}");
    }
}
