//! Exclusive pairs with accesses and fences between the two instructions: what architectures say of them, and
//! the executions are those of the oracle.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of generated programs per model.

use selvedge_compare::compare::{Options, Subject, Verdict};
use selvedge_compare::explored;
use selvedge_kat::load_named;
use selvedge_litmus::parse;
use selvedge_model::Compiled;
use selvedge_oracle::generate::{arch_program, rng_for};
use selvedge_oracle::generate_arch::Arch;

/// A test, and whether some execution satisfies its condition.
const TESTS: &[(&str, bool, &str)] = &[
    // It is permitted to succeed.
    (
        "riscv",
        true,
        "RISCV load-between
        { 0:x6=x; 0:x7=y; }
         P0               ;
         lr.w x1,0(x6)    ;
         lw x2,0(x7)      ;
         sc.w x3,x1,0(x6) ;
        exists (0:x3=0)",
    ),
    // Another thread's store may not come between what was read and what is stored, ...
    (
        "riscv",
        false,
        "RISCV atomicity
        { 0:x6=x; 0:x7=y; 1:x6=x; }
         P0               | P1            ;
         lr.w x1,0(x6)    | li x1,2       ;
         lw x2,0(x7)      | sw x1,0(x6)   ;
         li x4,1          |               ;
         sc.w x3,x4,0(x6) |               ;
        exists (0:x1=0 /\\ 0:x3=0 /\\ x=1)",
    ),
    (
        "riscv",
        true,
        "RISCV atomicity-before-and-after
        { 0:x6=x; 0:x7=y; 1:x6=x; }
         P0               | P1            ;
         lr.w x1,0(x6)    | li x1,2       ;
         lw x2,0(x7)      | sw x1,0(x6)   ;
         li x4,1          |               ;
         sc.w x3,x4,0(x6) |               ;
        exists (0:x1=2 /\\ 0:x3=0 /\\ x=1)",
    ),
    // ... a store of the thread itself may,
    (
        "riscv",
        true,
        "RISCV own-store-between
        { 0:x6=x; }
         P0               ;
         lr.w x1,0(x6)    ;
         li x5,5          ;
         sw x5,0(x6)      ;
         li x4,1          ;
         sc.w x3,x4,0(x6) ;
        exists (0:x1=0 /\\ 0:x3=0 /\\ x=1)",
    ),
    // and others' still may not: of an observer, not even before that one.
    (
        "riscv",
        false,
        "RISCV others-store-before-own-store
        { 0:x6=x; 1:x6=x; 2:x6=x; }
         P0               | P1            | P2            ;
         lr.w x1,0(x6)    | li x1,2       | lw x1,0(x6)   ;
         li x5,5          | sw x1,0(x6)   | fence r,r     ;
         sw x5,0(x6)      |               | lw x2,0(x6)   ;
         li x4,1          |               |               ;
         sc.w x3,x4,0(x6) |               |               ;
        exists (0:x1=0 /\\ 0:x3=0 /\\ 2:x1=2 /\\ 2:x2=5)",
    ),
    (
        "armv8",
        false,
        "AArch64 atomicity
        { 0:X1=x; 0:X3=y; 1:X1=x; }
         P0             | P1          ;
         LDXR W0,[X1]   | MOV W0,#2   ;
         DMB SY         | STR W0,[X1] ;
         MOV W4,#1      |             ;
         STXR W2,W4,[X1] |            ;
        exists (0:X0=0 /\\ 0:X2=0 /\\ x=1)",
    ),
    (
        "armv8",
        true,
        "AArch64 own-store-between
        { 0:X1=x; }
         P0              ;
         LDXR W0,[X1]    ;
         MOV W5,#5       ;
         STR W5,[X1]     ;
         MOV W4,#1       ;
         STXR W2,W4,[X1] ;
        exists (0:X0=0 /\\ 0:X2=0 /\\ x=1)",
    ),
    // The load in between is no part of the pair: it is ordered by a barrier alone.
    (
        "armv8",
        true,
        "AArch64 MP+between
        { 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
         P0          | P1              ;
         MOV W0,#1   | LDXR W0,[X3]    ;
         STR W0,[X1] | LDR W4,[X1]     ;
         DMB SY      | STXR W5,W0,[X3] ;
         STR W0,[X3] |                 ;
        exists (1:X0=1 /\\ 1:X4=0 /\\ 1:X5=0)",
    ),
    (
        "armv8",
        false,
        "AArch64 MP+between+acquire
        { 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
         P0          | P1              ;
         MOV W0,#1   | LDAXR W0,[X3]   ;
         STR W0,[X1] | LDR W4,[X1]     ;
         DMB SY      | STXR W5,W0,[X3] ;
         STR W0,[X3] |                 ;
        exists (1:X0=1 /\\ 1:X4=0 /\\ 1:X5=0)",
    ),
    // Nothing orders the store after the load in between.
    (
        "armv8",
        true,
        "AArch64 LB+between
        { 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
         P0              | P1          ;
         LDXR W5,[X3]    | LDR W0,[X3] ;
         LDR W6,[X1]     | DMB SY      ;
         MOV W7,#7       | MOV W4,#1   ;
         STXR W8,W7,[X3] | STR W4,[X1] ;
        exists (1:X0=7 /\\ 0:X6=1)",
    ),
    (
        "armv8",
        false,
        "AArch64 LB+between+dmb
        { 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; }
         P0              | P1          ;
         LDXR W5,[X3]    | LDR W0,[X3] ;
         LDR W6,[X1]     | DMB SY      ;
         DMB LD          | MOV W4,#1   ;
         MOV W7,#7       | STR W4,[X1] ;
         STXR W8,W7,[X3] |             ;
        exists (1:X0=7 /\\ 0:X6=1)",
    ),
    (
        "power",
        false,
        "PPC atomicity
        { 0:r6=x; 0:r7=y; 1:r6=x; }
         P0              | P1           ;
         lwarx r1,0,r6   | li r1,2      ;
         lwz r2,0(r7)    | stw r1,0(r6) ;
         li r4,1         |              ;
         stwcx. r4,0,r6  |              ;
         bne Fail        |              ;
         li r9,1         |              ;
         Fail: nop       |              ;
        exists (0:r1=0 /\\ 0:r9=1 /\\ x=1)",
    ),
];

#[test]
fn pairs_with_something_in_between_are_as_architectures_say() {
    for &(model, expected, text) in TESTS {
        let theory = load_named(model).expect("a shipped model");
        let test = parse("t.litmus", text, &selvedge_litmus::Options::default())
            .unwrap_or_else(|d| panic!("{d}\n{text}"));
        let compiled = Compiled::compile(&theory).expect("a model");
        let found = explored(&test, &compiled).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert_eq!(found.witnesses > 0, expected, "{model}: {found:?}\n{text}");
        let verdict = Subject::new(&theory).expect("a model").compare(&test.program, &Options::default());
        assert!(matches!(verdict, Verdict::Agree { executions: 1.., .. }), "{model}: {verdict:?}\n{text}");
    }
}

#[test]
fn generated_programs_with_such_pairs_have_the_executions_of_the_oracle() {
    let programs = std::env::var("SELVEDGE_FUZZ_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let programs: u64 = programs.unwrap_or(6_000);
    for (name, seed) in ["armv8", "riscv", "power"].into_iter().zip(71..) {
        let subject = Subject::new(&load_named(name).expect("a shipped model")).expect("a model");
        let arch = Arch::of_model(name).expect("its programs");
        let small = selvedge_oracle::Limits { candidates: 300, ..selvedge_oracle::Limits::default() };
        let options = Options { limits: small, ..Options::default() };
        let mut agreed = 0;
        for number in 0..programs {
            let program = arch_program(&mut rng_for(seed, number), arch);
            if !program.has_pairs_apart() {
                continue;
            }
            match subject.compare(&program, &options) {
                Verdict::Agree { executions, .. } => agreed += u64::from(executions > 0),
                Verdict::TooBig | Verdict::ThinAir { .. } => {}
                other => {
                    let shown = selvedge_litmus::print_program(&program, "exists (true)");
                    panic!("{name}, program {number}: {other:?}\n{shown}")
                }
            }
        }
        println!("{name}: {agreed} agree");
        assert!(agreed > programs / 200, "{name}: {agreed}");
    }
}
