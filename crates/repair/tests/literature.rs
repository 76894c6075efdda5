//! What the literature says is needed, test by test and model by model: the least number of fences.
//!
//! * x86-TSO: S. Owens, S. Sarkar, P. Sewell, "A Better x86 Memory Model: x86-TSO", TPHOLs 2009: only a write
//!   and a later read are to be kept in order, by MFENCE.
//! * PSO: The SPARC Architecture Manual, version 9, D.4: writes are to be kept in order as well, by `stbar`.
//! * POWER: S. Sarkar et al., "Understanding POWER Multiprocessors", PLDI 2011, and J. Alglave, L. Maranget,
//!   M. Tautschnig, "Herding Cats", TOPLAS 2014, table of tests and fences: `lwsync` is enough where there is
//!   no write followed by a read on the cycle and every thread but one that reads is fenced; IRIW, R, RWC and
//!   SB need `sync`.
//! * ARMv8: C. Pulte et al., "Simplifying ARM Concurrency", POPL 2018: multi-copy atomic, so a fence in each
//!   thread that has two accesses.
//! * RISC-V: The RISC-V Instruction Set Manual, volume I, appendix A.
//! * RC11: O. Lahav et al., "Repairing Sequential Consistency in C/C++11", PLDI 2017: fences between every
//!   two accesses of a thread restore SC; IRIW needs none in the writers; LB is forbidden.

use selvedge_check::{Cancel, Limits};
use selvedge_repair::{
    Costs, Dialect, Job, JobVerdict, Request, Start, Verified, Wanted, With, repair_litmus,
};

/// The least number of fences under tso, pso, rc11, armv8, power and riscv.
const NEEDED: [(&str, [usize; 6]); 11] = [
    ("SB", [2, 2, 2, 2, 2, 2]),
    ("MP", [0, 1, 2, 2, 2, 2]),
    ("LB", [0, 0, 0, 2, 2, 2]),
    ("IRIW", [0, 0, 2, 2, 2, 2]),
    ("WRC", [0, 0, 2, 2, 2, 2]),
    ("ISA2", [0, 1, 3, 3, 3, 3]),
    ("2+2W", [0, 2, 2, 2, 2, 2]),
    ("R", [1, 2, 2, 2, 2, 2]),
    ("S", [0, 1, 2, 2, 2, 2]),
    ("RWC", [1, 1, 2, 2, 2, 2]),
    ("W+RWC", [1, 2, 3, 3, 3, 3]),
];
const MODELS: [&str; 6] = ["tso", "pso", "rc11", "armv8", "power", "riscv"];

fn fix(text: &str, model: &str, with: With, cost: &str) -> Job {
    let test =
        selvedge_litmus::parse("t.litmus", text, &selvedge_litmus::Options::default()).expect("a test");
    let theory = selvedge_kat::load_named(model).expect("is built in");
    let watch = Limits::default().start(&Cancel::default());
    let costs = Costs::named(cost).expect("is built in");
    let (at, keep) = (Vec::new(), Vec::new());
    let request = Request {
        start: Start::Given,
        with,
        costs,
        at,
        keep,
        wanted: Wanted::Cheapest(1),
        dialect: Dialect::C,
    };
    repair_litmus(&test, "t.litmus", text, &theory, &request, &watch, &mut |_| {})
        .expect("it can be repaired")
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/litmus/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("is there")
}

/// The fences of the cheapest repair, in the order of the text.
fn fences(job: &Job) -> Vec<&str> {
    let proposal = job.proposals.first().expect("a repair");
    assert_eq!(proposal.verified, Verified::Text);
    assert!(proposal.cheapest && proposal.items.iter().all(|item| item.is_fence));
    proposal.items.iter().map(|item| item.to.as_str()).collect()
}

#[test]
fn as_many_fences_as_the_literature_says() {
    for (name, needed) in NEEDED {
        let text = example(&format!("{name}+rlx.litmus"));
        for (model, needed) in MODELS.into_iter().zip(needed) {
            let job = fix(&text, model, With::Fences, "uniform");
            match job.verdict {
                JobVerdict::Right { bounded: false } => assert_eq!(needed, 0, "{name} under {model}"),
                JobVerdict::Found => assert_eq!(fences(&job).len(), needed, "{name} under {model}"),
                other => panic!("{name} under {model}: {other:?}"),
            }
        }
    }
}

const PPC_MP: &str = r#"PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | lwz r3,0(r4) ;
 li r3,1      |              ;
 stw r3,0(r4) |              ;
exists (1:r1=1 /\ 1:r3=0)
"#;

const PPC_SB: &str = r#"PPC SB
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | li r1,1      ;
 stw r1,0(r2) | stw r1,0(r2) ;
 lwz r3,0(r4) | lwz r3,0(r4) ;
exists (0:r3=0 /\ 1:r3=0)
"#;

const AARCH64_MP: &str = r#"AArch64 MP
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X1] ;
 STR W0,[X1] | LDR W2,[X3] ;
 MOV W2,#1   |             ;
 STR W2,[X3] |             ;
exists (1:X0=1 /\ 1:X2=0)
"#;

const X86_SB: &str = r#"X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
"#;

const RISCV_SB: &str = r#"RISCV SB
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 ori x5,x0,1 | ori x5,x0,1 ;
 sw x5,0(x6) | sw x5,0(x6) ;
 lw x7,0(x8) | lw x7,0(x8) ;
exists (0:x7=0 /\ 1:x7=0)
"#;

#[test]
fn instruction_sets_have_their_own_fences() {
    let cases: [(&str, &str, &[&str]); 5] = [
        // `eieio` keeps writes in order, and costs less.
        (PPC_MP, "power", &["eieio", "lwsync"]),
        (PPC_SB, "power", &["sync", "sync"]),
        (AARCH64_MP, "armv8", &["DMB ST", "DMB LD"]),
        (X86_SB, "x86", &["MFENCE", "MFENCE"]),
        (RISCV_SB, "riscv", &["fence w,r", "fence w,r"]),
    ];
    for (text, model, needed) in cases {
        let cost = if model == "x86" { "uniform" } else { model };
        let job = fix(text, model, With::Fences, cost);
        let mut found = fences(&job);
        found.sort_unstable();
        let mut needed = needed.to_vec();
        needed.sort_unstable();
        assert_eq!(found, needed, "{text}");
    }
}

#[test]
fn release_and_acquire_are_enough_for_messages_on_armv8() {
    let job = fix(AARCH64_MP, "armv8", With::Orderings, "armv8");
    let proposal = job.proposals.first().expect("a repair");
    assert_eq!(proposal.verified, Verified::Text);
    let new = &proposal.texts[0].2;
    assert!(new.contains("STLR W2,[X3]") && new.contains("LDAPR W0,[X1]"), "{new}");
}

#[test]
fn a_label_stays_where_jumps_go() {
    let text = r#"AArch64 MP+await
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1               ;
 MOV W0,#1   | L0: LDR W0,[X1]  ;
 STR W0,[X1] | CBZ W0,L0        ;
 MOV W2,#1   | L1: LDR W2,[X3]  ;
 STR W2,[X3] |                  ;
exists (1:X0=1 /\ 1:X2=0)
"#;
    let job = fix(text, "armv8", With::Fences, "uniform");
    let new = &job.proposals.first().expect("a repair").texts[0].2;
    assert_eq!(job.proposals[0].verified, Verified::Text, "{new}");
    assert_eq!(new.matches("L1:").count(), 1, "{new}");
}

#[test]
fn what_fails_under_interleavings_is_not_repaired() {
    let text = "C hopeless\n{}\nP0(atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }\nexists (x=1)\n";
    let job = fix(text, "rc11", With::Both, "uniform");
    assert_eq!((job.verdict, job.wrong_under_sc), (JobVerdict::Hopeless, Some(true)));
}

#[test]
fn a_model_that_is_not_monotone_is_said_to_be_one() {
    let text = example("MP+rlx.litmus");
    let test =
        selvedge_litmus::parse("t.litmus", &text, &selvedge_litmus::Options::default()).expect("a test");
    let odd = "view porf = (po | tc | tj | rf)+\nexport coherence porf\nexport acyclic (po | tc | tj | rf)\n\
               let odd = po ; [W & RLX]\nexport acyclic (odd | rfe | mo | fr)\n";
    let directory = std::env::temp_dir().join(format!("selvedge-odd-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("room");
    let path = directory.join("odd.kat");
    std::fs::write(&path, odd).expect("room");
    let theory = selvedge_kat::load_named(&path.to_string_lossy()).expect("a model");
    let compiled = selvedge_model::Compiled::compile(&theory).expect("can be explored");
    let watch = Limits::default().start(&Cancel::default());
    let subject = selvedge_repair::LitmusSubject::new(&test, "t.litmus", &text, &compiled, watch);
    let all =
        selvedge_repair::candidates(subject.sites(), subject.dialect(), With::Orderings, &Costs::uniform());
    let doubt = selvedge_repair::doubt(&theory, &compiled, subject.sites(), &all);
    let _ = std::fs::remove_dir_all(&directory);
    assert!(doubt.is_some_and(|doubt| doubt.contains("write from relaxed to release")));
}

/// Four messages, each of which needs a release and an acquire: 8 of 32 candidates, and few explorations.
#[test]
fn eight_changes_take_few_explorations() {
    let numbers = || 0..4;
    let parameters: Vec<String> = numbers().map(|i| format!("atomic_int* x{i}, atomic_int* y{i}")).collect();
    let parameters = parameters.join(", ");
    let store = |name: String| format!("  atomic_store_explicit({name}, 1, memory_order_relaxed);\n");
    let load = |register: String, name: String| {
        format!("  int {register} = atomic_load_explicit({name}, memory_order_relaxed);\n")
    };
    let writes: String = numbers().map(|i| store(format!("x{i}")) + &store(format!("y{i}"))).collect();
    let reads = |i| load(format!("a{i}"), format!("y{i}")) + &load(format!("b{i}"), format!("x{i}"));
    let reads: String = numbers().map(reads).collect();
    let missed: Vec<String> = numbers().map(|i| format!("(1:a{i}=1 /\\ 1:b{i}=0)")).collect();
    let missed = missed.join(" \\/ ");
    let text = format!(
        "C MP4\n{{}}\nP0({parameters}) {{\n{writes}}}\nP1({parameters}) {{\n{reads}}}\nexists ({missed})\n"
    );
    let job = fix(&text, "rc11", With::Orderings, "uniform");
    assert_eq!(job.proposals[0].items.len(), 8);
    assert_eq!(job.candidates, 32);
    // One for each reason is among them.
    assert!(job.effort.checks <= 8 + 8, "{:?}", job.effort);
}

/// What minimality rests on holds of every model that comes with Selvedge.
#[test]
fn shipped_models_are_monotone() {
    let text = "C all\n{}\nP0(atomic_int* x, atomic_int* y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  \
                int r0 = atomic_load_explicit(y, memory_order_relaxed);\n  \
                int r1 = atomic_fetch_add_explicit(y, 1, memory_order_relaxed);\n  int r2 = 0;\n  \
                int r3 = atomic_compare_exchange_strong_explicit(x, &r2, 1, memory_order_relaxed, memory_order_relaxed);\n\
                }\nexists (x=1)\n";
    let test =
        selvedge_litmus::parse("t.litmus", text, &selvedge_litmus::Options::default()).expect("a test");
    for model in ["sc", "tso", "pso", "ra", "rc11", "rlx", "imm", "armv8", "power", "riscv", "x86", "lkmm"] {
        let theory = selvedge_kat::load_named(model).expect("is built in");
        let compiled = selvedge_model::Compiled::compile(&theory).expect("can be explored");
        let watch = Limits::default().start(&Cancel::default());
        let subject = selvedge_repair::LitmusSubject::new(&test, "t.litmus", text, &compiled, watch);
        let all =
            selvedge_repair::candidates(subject.sites(), subject.dialect(), With::Both, &Costs::uniform());
        let kinds = |is: fn(&selvedge_repair::Effect) -> bool| all.iter().filter(|c| is(&c.effect)).count();
        assert!(kinds(|e| matches!(e, selvedge_repair::Effect::Failure(_))) > 0);
        assert_eq!(selvedge_repair::doubt(&theory, &compiled, subject.sites(), &all), None, "{model}");
    }
}

/// The second access of a thread depends on a read-modify-write's own read: what is judged again has to know.
#[test]
fn dependencies_through_a_read_modify_write_are_judged_again() {
    let text = "C generated
{}
P0(atomic_int* x, atomic_int* y) {
  int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
  if (r1) { atomic_store_explicit(y, 1, memory_order_relaxed); }
}
P1(atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int r1 = atomic_load_explicit(y, memory_order_relaxed);
  if (r1) { atomic_store_explicit(x, 1, memory_order_relaxed); }
}
P2(atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
exists (0:r0=1 /\\ 0:r1=2 /\\ 1:r0=0 /\\ 1:r1=1 /\\ 2:r0=1 /\\ [x]=1 /\\ [y]=1)
";
    for model in ["armv8", "riscv", "power", "imm"] {
        let job = fix(text, model, With::Orderings, "uniform");
        let proposal = job.proposals.first().unwrap_or_else(|| panic!("{model}: {:?}", job.verdict));
        assert_eq!(proposal.items.len(), 1, "{model}");
    }
}
