//! Sizes of accesses in assembly: mixed ones are refused by name, and values of 32 bits are what they are on
//! hardware.

use selvedge_graph::{Tid, Value};
use selvedge_litmus::{Observable, Options, Test, parse};
use selvedge_machine::{Machine, Op};

fn text(arch: &str, init: &str, code: &[&str], condition: &str) -> String {
    let code: String = code.iter().map(|line| format!(" {line} ;\n")).collect();
    format!("{arch} t\n{{ {init} }}\n P0 ;\n{code}{condition}\n")
}

fn read(text: &str) -> Result<Test, String> {
    parse("t.litmus", text, &Options::default()).map_err(|d| d.to_string())
}

/// Runs the one thread of a test by itself; whether its condition holds then, or `None` if it fails.
fn holds(text: &str) -> Option<bool> {
    let test = read(text).unwrap_or_else(|d| panic!("{d}\n{text}"));
    let p = &test.program;
    let mut memory: Vec<Value> = p.locs.iter().map(|(_, v)| *v).collect();
    let mut state = p.start(Tid(0));
    let mut input = 0;
    loop {
        input = match p.step(&mut state, input) {
            Op::Load { loc, .. } => memory[loc.index()],
            Op::Store { loc, value, .. } => {
                memory[loc.index()] = value;
                0
            }
            Op::End => break,
            Op::Error(_) => return None,
            _ => 0,
        };
    }
    Some(test.condition.eval(&|o| match o {
        Observable::Register { reg, .. } => state.regs[reg.0 as usize],
        Observable::Location { loc, .. } => memory[loc.index()],
    }))
}

/// By architecture: how a test gets at `x`, and loads, stores and read-modify-writes of 32 bits and then of
/// 64.
type Instructions = &'static [&'static str];
const ACCESSES: [(&str, &str, Instructions, Instructions); 4] = [
    (
        "AArch64",
        "0:X1=x;",
        &[
            "LDR W0,[X1]",
            "STR W0,[X1]",
            "LDAR W0,[X1]",
            "STLR W0,[X1]",
            "LDXR W0,[X1]",
            "LDADD W2,W3,[X1]",
            "SWPAL W2,W3,[X1]",
            "CAS W2,W3,[X1]",
        ],
        &[
            "LDR X0,[X1]",
            "STR X0,[X1]",
            "LDAPR X0,[X1]",
            "STLR X0,[X1]",
            "LDAXR X0,[X1]",
            "LDUMAX X2,X3,[X1]",
            "SWP X2,X3,[X1]",
            "CASAL X2,X3,[X1]",
        ],
    ),
    (
        "PPC",
        "0:r1=x;",
        &["lwz r2,0(r1)", "stw r2,0(r1)", "lwzx r2,r0,r1", "stwx r2,r0,r1", "lwarx r2,r0,r1"],
        &["ld r2,0(r1)", "std r2,0(r1)", "ldx r2,r0,r1", "stdx r2,r0,r1", "ldarx r2,r0,r1"],
    ),
    (
        "RISCV",
        "0:x5=x;",
        &["lw x6,0(x5)", "sw x6,0(x5)", "lr.w x6,0(x5)", "amoadd.w x6,x7,(x5)"],
        &["ld x6,0(x5)", "sd x6,0(x5)", "lr.d x6,0(x5)", "amoswap.d x6,x7,(x5)"],
    ),
    (
        "X86_64",
        "0:rdi=x;",
        &["movl (%rdi),%eax", "movl $1,(x)", "lock incl (x)", "xchgl %eax,(x)", "cmpl $1,(x)"],
        &["movq (%rdi),%rax", "movq $1,(x)", "lock incq (x)", "xchgq %rax,(x)", "cmpq $1,(x)"],
    ),
];

#[test]
fn accesses_of_two_sizes_to_one_location_are_refused() {
    for (arch, init, words, doubles) in ACCESSES {
        for (word, double) in words.iter().flat_map(|w| doubles.iter().map(move |d| (w, d))) {
            for code in [[*word, *double], [*double, *word]] {
                let found = read(&text(arch, init, &code, "exists (x=0)"));
                let message = found.err().unwrap_or_else(|| panic!("{arch}: {code:?} was accepted"));
                for part in
                    ["bits, and `x` is accessed at line 4", "t.litmus:5:", "mixed sizes are not supported"]
                {
                    assert!(message.contains(part), "{arch}: {code:?}\n{message}");
                }
            }
        }
    }
}

#[test]
fn accesses_of_one_size_are_fine_and_types_are_kept_to() {
    for (arch, init, words, doubles) in ACCESSES {
        for (own, other, types) in [
            (words, doubles, ["int x;", "uint32_t x;", "int32_t x = 1;"]),
            (doubles, words, ["int64_t x;", "uint64_t x;", "long x = 1;"]),
        ] {
            let all = text(arch, init, own, "exists (x=0)");
            assert!(read(&all).is_ok(), "{all}");
            for declared in types {
                let init = format!("{declared} {init}");
                let right = text(arch, &init, own, "exists (x=0)");
                assert!(read(&right).is_ok(), "{right}");
                for access in other {
                    let message =
                        read(&text(arch, &init, &[access], "exists (x=0)")).err().unwrap_or_default();
                    assert!(
                        message.contains("`x` is declared to be of"),
                        "{arch} {declared} {access}: {message}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_access_at_an_offset_is_refused() {
    for (arch, init, code) in [
        ("AArch64", "0:X1=x;", "STR W0,[X1,#4]"),
        ("AArch64", "0:X1=x;", "LDUR W0,[X1,#-4]"),
        ("PPC", "0:r1=x;", "lwz r2,4(r1)"),
        ("RISCV", "0:x5=x;", "sw x6,8(x5)"),
    ] {
        let message = read(&text(arch, init, &[code], "exists (x=0)")).err().unwrap_or_default();
        assert!(message.contains("at an offset inside of a location"), "{arch} {code}: {message}");
    }
}

/// What is only seen when the test runs is no access to another location, whatever the offset.
#[test]
fn an_address_that_is_computed_may_miss() {
    for offset in ["4", "8", "4096", "1048576", "-4"] {
        let code = [&format!("MOV X2,#{offset}"), "LDR W0,[X1,X2]"];
        let init = "0:X1=x; 0:X3=y; 0:X4=z;";
        assert_eq!(holds(&text("AArch64", init, &code, "exists (0:X0=0)")), None, "{offset}");
    }
    let code = ["LDR W2,[X3]", "EOR W2,W2,W2", "LDR W0,[X1,W2,SXTW]"];
    assert_eq!(holds(&text("AArch64", "x=7; 0:X1=x; 0:X3=y;", &code, "exists (0:X0=7)")), Some(true));
}

/// Through memory as well: what a location points to has a size of its own.
#[test]
fn pointers_in_memory_are_followed() {
    let init = "0:X1=p; p=x; 0:X5=x;";
    let right = text("AArch64", init, &["LDR X0,[X1]", "LDR W2,[X0]", "STR W2,[X5]"], "exists (0:X2=0)");
    assert_eq!(holds(&right), Some(true));
    let mixed = text("AArch64", init, &["LDR X0,[X1]", "LDR X2,[X0]", "STR W2,[X5]"], "exists (0:X2=0)");
    assert!(read(&mixed).err().unwrap_or_default().contains("`x` is accessed at line 5"));
    let cut = text("AArch64", init, &["LDR W0,[X1]"], "exists (0:X0=0)");
    assert!(read(&cut).err().unwrap_or_default().contains("`p` holds an address, so it is of 64 bits"));
}

#[test]
fn values_of_32_bits() {
    let arm = |code: &[&str], condition: &str| {
        holds(&text("AArch64", "0:X3=x;", code, condition)).unwrap_or_else(|| panic!("{code:?}"))
    };
    // A register of 32 bits is shown as a signed number; the register of 64 bits behind it has zeros above.
    assert!(arm(&["MOV W0,#-1"], "exists (0:X0=-1)") && arm(&["MOV W0,#-1"], "exists (0:X0=0xffffffff)"));
    assert!(arm(&["MOV W0,#-1", "ADD X0,X0,#1"], "exists (0:X0=0x100000000)"));
    assert!(!arm(&["MOV X0,#-1", "ADD X0,X0,#1"], "exists (0:X0=0x100000000)"));
    let typed = |code: &[&str], condition: &str| {
        holds(&text("AArch64", "uint64_t 0:X0; 0:X3=x;", code, condition)) == Some(true)
    };
    assert!(typed(&["MOV X0,#-1"], "exists (0:X0=-1)") && !typed(&["MOV W0,#-1"], "exists (0:X0=-1)"));
    for (op, first, second, result) in [
        ("LDSMIN", "-128", "0", "-128"),
        ("LDSMINL", "5", "-3", "-3"),
        ("LDSMAXA", "-128", "0", "0"),
        ("LDSMAXAL", "-128", "-129", "-128"),
        ("LDUMIN", "-1", "3", "3"),
        ("LDUMINA", "-1", "-2", "-2"),
        ("LDUMAXL", "-1", "3", "-1"),
        ("LDADD", "0x7fffffff", "1", "-2147483648"),
        ("LDADDAL", "-1", "1", "0"),
        ("LDEOR", "-1", "1", "-2"),
        ("LDCLR", "1", "-1", "-2"),
        ("SWP", "-7", "1", "-7"),
    ] {
        let code = [
            &format!("MOV W1,#{second}"),
            "STR W1,[X3]",
            &format!("MOV W1,#{first}"),
            &format!("{op} W1,W2,[X3]"),
        ];
        for condition in [format!("exists (x={result} /\\ 0:X2={second})"), format!("exists (x={})", result)]
        {
            assert!(arm(&code, &condition), "{op} of {second} and {first}: {condition}");
        }
    }
    let code = ["MOV W1,#-1", "STR W1,[X3]", "MOV W4,#-1", "MOV W5,#2", "CAS W4,W5,[X3]"];
    assert!(arm(&code, "exists (x=2 /\\ 0:X4=-1)"));

    let x86 = |code: &[&str], condition: &str| holds(&text("X86_64", "", code, condition)) == Some(true);
    assert!(x86(&["movl $-1,%eax", "movq %rax,(x)"], "exists (x=0xffffffff)"));
    assert!(x86(&["movl $-1,(x)", "lock incl (x)"], "exists (x=0)"));
    assert!(x86(&["movl $-1,(x)", "movl (x),%eax"], "exists (0:rax=-1 /\\ x=-1)"));
    let riscv =
        |code: &[&str], condition: &str| holds(&text("RISCV", "0:x5=x;", code, condition)) == Some(true);
    assert!(riscv(&["li x6,-1", "sw x6,0(x5)", "lw x7,0(x5)"], "exists (x=-1 /\\ 0:x7=-1)"));
    assert!(riscv(&["li x6,-1", "amoadd.w x7,x6,(x5)", "amominu.w x8,x0,(x5)"], "exists (x=0 /\\ 0:x8=-1)"));
    let ppc = |code: &[&str], condition: &str| holds(&text("PPC", "0:r1=x;", code, condition)) == Some(true);
    assert!(ppc(&["li r2,-1", "stw r2,0(r1)", "lwz r3,0(r1)"], "exists (x=-1 /\\ 0:r3=-1)"));
}

/// Loops that no read has a say in run to their end.
#[test]
fn loops_over_constants_run() {
    let code = |n: u32| [format!("MOV W0,#{n}"), String::from("L: SUB W0,W0,#1"), String::from("CBNZ W0,L")];
    for (n, ends) in [(10, true), (60, true), (1000, true), (5000, false)] {
        let code = code(n);
        let code: Vec<&str> = code.iter().map(String::as_str).collect();
        let test = read(&text("AArch64", "", &code, "forall (0:X0=0)")).unwrap_or_else(|d| panic!("{d}"));
        let op = test.program.step(&mut test.program.start(Tid(0)), 0);
        assert_eq!(op, if ends { Op::End } else { Op::Cut }, "{n}");
    }
    let c = "C t\n{}\nP0 (int *x) { int r0 = 0; for (int i = 0; i < 20; i++) { r0 = r0 + i; } }\nforall (0:r0=190)\n";
    let test = read(c).unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(test.program.step(&mut test.program.start(Tid(0)), 0), Op::End);
}
