//! Under models that forbid cycles of dependencies and `rf`, nobody looks for them in programs: the
//! executions are those of the oracle all the same. What is known of the models is decided, and that nothing
//! comes of it where nothing is known is compared by the other tests.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model.

use selvedge_compare::compare::{Options, Subject, Verdict};
use selvedge_decide::premises::{self, of_model};
use selvedge_decide::search::Limits;
use selvedge_kat::load_named;
use selvedge_litmus::parse;
use selvedge_model::relational::{Causality, ThinAir};
use selvedge_oracle::generate::{arch_program, rng_for};
use selvedge_oracle::generate_arch::Arch;

fn programs() -> u64 {
    std::env::var("SELVEDGE_FUZZ_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(600)
}

#[test]
fn executions_are_the_same_where_nobody_looks_for_values_out_of_thin_air() {
    for (name, seed) in ["imm", "imm-cxx20", "armv8", "armv8-2018"].into_iter().zip(7_000..) {
        let theory = load_named(name).expect("a shipped model");
        let thin_air = match of_model(&theory, Limits::for_loading()).thin_air {
            premises::ThinAir::Forbidden => ThinAir::Forbidden,
            premises::ThinAir::ByRmws(_) => ThinAir::ByRmws,
            other => panic!("{name}: {other:?}"),
        };
        let arch = Arch::of_model(name).expect("its programs");
        let subject = |known| Subject::new(&theory).expect("a model").relying_on(known);
        let (with, without) =
            (subject(Causality { thin_air, ..Causality::default() }), subject(Causality::default()));
        let (mut agreed, mut spared) = (0, 0);
        for number in 0..programs() {
            let program = arch_program(&mut rng_for(seed, number), arch);
            let shown = || selvedge_litmus::print_program(&program, "exists (true)");
            match with.compare(&program, &Options::default()) {
                Verdict::Agree { executions, .. } => {
                    agreed += u64::from(executions > 0);
                    let before = without.compare(&program, &Options::default());
                    spared += u64::from(matches!(before, Verdict::ThinAir { .. }));
                }
                Verdict::TooBig => {}
                Verdict::ThinAir { .. } if thin_air == ThinAir::ByRmws => {}
                other => panic!("{name}, program {number}: {other:?}\n{}", shown()),
            }
        }
        println!("{name}: {agreed} agree, {spared} of them were refused before");
        assert!(agreed > programs() / 2, "{name}: {agreed}");
    }
}

/// The write that everybody waits for comes after joining a thread that waits itself.
#[test]
fn what_depends_on_itself_by_joining_a_thread_is_noticed() {
    const TEXT: &str = "C t { atomic_int y = 0; int z = 0; }
        P0 (atomic_int* y) { join(P2); atomic_store_explicit(y, 0, memory_order_relaxed); }
        P1 (atomic_int* y, int* z) { int r = atomic_load_explicit(y, memory_order_relaxed); *z = (r ^ r) + 1; }
        P2 (atomic_int* z) { int r = atomic_load_explicit(z, memory_order_relaxed); assume(r); }
        exists (true)";
    let verdict = under_lkmm(TEXT);
    assert!(matches!(verdict, Verdict::ThinAir { .. }), "{verdict:?}");
}

/// The write that everybody waits for is that of a thread that is not there yet: whether it is created
/// depends on what is read.
#[test]
fn what_depends_on_itself_by_the_creation_of_a_thread_is_noticed() {
    const TEXT: &str = "C t { atomic_int x = 0; int y = 0; }
        P0 (atomic_int* x, int* y) { int r = atomic_load_explicit(x, memory_order_relaxed); *y = r; }
        P1 (int* y) { int r = atomic_load_explicit(y, memory_order_relaxed); assume(r); spawn(P2); }
        spawned P2 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
        exists (true)";
    let verdict = under_lkmm(TEXT);
    assert!(matches!(verdict, Verdict::ThinAir { found: true }), "{verdict:?}");
}

/// The same by an assertion: that the thread goes on depends on what it reads, and no branch tells. The
/// thread that writes it may be one that the created one creates.
#[test]
fn what_depends_on_itself_by_an_assertion_before_a_thread_is_created_is_noticed() {
    let last = "spawned P3 (int* x) { *x = 0; }";
    for (second, third) in [("*x = 0;", ""), ("spawn(P3);", last)] {
        let text = format!(
            "C t {{ int x = 0; }}
            P0 (int* x) {{ int r = *x; assert(r); spawn(P2); }}
            P1 (int* x) {{
                int r = atomic_load_explicit(x, memory_order_relaxed);
                atomic_store_explicit(x, (r ^ r) + 1, memory_order_relaxed);
            }}
            spawned P2 (int* x) {{ {second} }}
            {third}
            exists (true)"
        );
        let verdict = under_lkmm(&text);
        assert!(matches!(verdict, Verdict::ThinAir { found: true }), "{text}\n{verdict:?}");
    }
}

/// Marked accesses before a thread is created and in that thread are ordered: nothing depends on itself.
#[test]
fn threads_that_are_created_because_of_marked_accesses_are_no_reason_to_refuse() {
    let last = "spawned P3 (atomic_int* x) { atomic_store_explicit(x, 0, memory_order_relaxed); }";
    for (second, third) in [("atomic_store_explicit(x, 0, memory_order_relaxed);", ""), ("spawn(P3);", last)]
    {
        for check in ["assert(r);", "assume(r);"] {
            let text = format!(
                "C t {{ atomic_int x = 0; }}
                P0 (atomic_int* x) {{
                    int r = atomic_load_explicit(x, memory_order_relaxed); {check} spawn(P2);
                }}
                P1 (atomic_int* x) {{
                    int r = atomic_load_explicit(x, memory_order_relaxed);
                    atomic_store_explicit(x, (r ^ r) + 1, memory_order_relaxed);
                }}
                spawned P2 (atomic_int* x) {{ {second} }}
                {third}
                exists (true)"
            );
            let verdict = under_lkmm(&text);
            assert!(matches!(verdict, Verdict::Agree { executions: 1.., .. }), "{text}\n{verdict:?}");
        }
    }
}

fn under_lkmm(text: &str) -> Verdict {
    let test = parse("t.litmus", text, &selvedge_litmus::Options::default()).expect("a test");
    let subject = Subject::new(&load_named("lkmm").expect("a shipped model")).expect("a model");
    subject.compare(&test.program, &Options::default())
}
