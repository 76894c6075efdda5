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

/// Elements of arrays are locations, which computations with addresses lead to.
#[test]
fn arrays() {
    let init = "uint64_t x[3]={1,2,3}; 0:X1=x; 0:X4=x[1]; uint64_t 0:X2; int 0:X5=16;";
    for (code, condition, expected) in [
        (&["LDR X2,[X1]"][..], "exists (0:X2=1)", Some(true)),
        (&["LDR X2,[X1,#8]"], "exists (0:X2=2)", Some(true)),
        (&["LDR X2,[X4,#8]"], "exists (0:X2=3)", Some(true)),
        (&["LDR X2,[X4,#-8]"], "exists (0:X2=1)", Some(true)),
        (&["LDR X2,[X1,W5,SXTW]"], "exists (0:X2=3)", Some(true)),
        (&["MOV X6,#2", "LDR X2,[X1,X6,LSL #3]"], "exists (0:X2=3)", Some(true)),
        (&["ADD X6,X1,W5,UXTW", "LDR X2,[X6]"], "exists (0:X2=3)", Some(true)),
        (&["MOV X6,#7", "STR X6,[X1,#16]"], "exists (x[2]=7 /\\ x[0]=1 /\\ x[1]=2)", Some(true)),
        // In the middle of an element, and past the end.
        (&["LDR X2,[X1,#4]"], "exists (0:X2=0)", None),
        (&["LDR X2,[X1,#24]"], "exists (0:X2=0)", None),
        (&["LDR X2,[X1,#-8]"], "exists (0:X2=0)", None),
    ] {
        assert_eq!(holds(&text("AArch64", init, code, condition)), expected, "{code:?}");
    }
    let words = "0:x5=x; int x[2]={1,-2};";
    assert_eq!(holds(&text("RISCV", words, &["lw x6,4(x5)"], "exists (0:x6=-2)")), Some(true));
    let words = "0:r1=x; int x[2]={1,2}; 0:r3=4;";
    assert_eq!(holds(&text("PPC", words, &["lwzx r2,r1,r3"], "exists (0:r2=2)")), Some(true));
    // The size of an element is that of a location.
    let message = read(&text("AArch64", "uint64_t x[2]; 0:X1=x;", &["LDR W2,[X1,#8]"], "exists (x[0]=0)"));
    assert!(message.err().is_some_and(|m| m.contains("of 32 bits, and `x[0]` is declared")));
}

/// Bytes and half-words are unsigned in memory, and what the instruction makes of them in registers.
#[test]
fn bytes_and_half_words() {
    for (arch, init, code, condition) in [
        ("AArch64", "uint8_t x=200; 0:X1=x;", &["LDRB W2,[X1]"][..], "exists (0:X2=200)"),
        ("AArch64", "uint8_t x=200; 0:X1=x;", &["LDRSB W2,[X1]"], "exists (0:X2=-56)"),
        ("AArch64", "uint8_t x; 0:X1=x; 0:X0=0x1ff;", &["STRB W0,[X1]"], "exists (x=255)"),
        ("AArch64", "uint8_t x; 0:X1=x; 0:X0=0x1ff;", &["STRB W0,[X1]"], "exists (x=-1)"),
        (
            "AArch64",
            "uint16_t x=0x8000; 0:X1=x;",
            &["LDRSH W2,[X1]", "LDARH W3,[X1]"],
            "exists (0:X2=-32768 /\\ 0:X3=32768)",
        ),
        (
            "AArch64",
            "uint8_t x=1; 0:X1=x; 0:X2=1; 0:X3=0x102;",
            &["SWPALB W3,W4,[X1]"],
            "exists (0:X4=1 /\\ x=2)",
        ),
        ("AArch64", "int x=-1; 0:X1=x; int64_t 0:X2;", &["LDRSW X2,[X1]"], "exists (0:X2=-1)"),
        (
            "RISCV",
            "uint8_t x=200; 0:x5=x;",
            &["lbu x6,0(x5)", "lb x7,0(x5)"],
            "exists (0:x6=200 /\\ 0:x7=-56)",
        ),
        ("RISCV", "uint16_t x; 0:x5=x; 0:x6=-1;", &["sh x6,0(x5)"], "exists (x=0xffff)"),
        ("PPC", "uint8_t x; 0:r1=x; 0:r2=0x101;", &["stb r2,0(r1)", "lbz r3,0(r1)"], "exists (0:r3=1)"),
    ] {
        assert_eq!(holds(&text(arch, init, code, condition)), Some(true), "{arch} {code:?} {condition}");
    }
    // Not of the location's size.
    let message = read(&text("AArch64", "uint8_t x; 0:X1=x;", &["LDRH W2,[X1]"], "exists (x=0)"));
    assert!(message.err().is_some_and(|m| m.contains("of 16 bits, and `x` is declared to be of 8 bits")));
}

/// Shifts, extensions and the like.
#[test]
fn arithmetic_of_both_sizes() {
    for (init, code, condition) in [
        ("int64_t 0:X2;", &["MOV X0,#-1", "LSR X2,X0,#60"][..], "exists (0:X2=15)"),
        ("int64_t 0:X2;", &["MOV X0,#-1", "LSR X2,X0,#0"], "exists (0:X2=-1)"),
        ("int64_t 0:X2;", &["MOV W0,#-1", "LSR W2,W0,#28"], "exists (0:X2=15)"),
        ("int64_t 0:X2;", &["MOV W0,#-16", "ASR W2,W0,#2"], "exists (0:X2=0xfffffffc)"),
        ("int64_t 0:X2;", &["MOV X0,#-16", "ASR X2,X0,#2"], "exists (0:X2=-4)"),
        ("int64_t 0:X2;", &["MOV X0,#3", "LSL X2,X0,#62"], "exists (0:X2=0xc000000000000000)"),
        ("int64_t 0:X2;", &["MOV W0,#-1", "ADD X2,XZR,W0,SXTW #1"], "exists (0:X2=-2)"),
        ("int64_t 0:X2;", &["MOV W0,#0x1ff", "SXTB X2,W0"], "exists (0:X2=-1)"),
        ("int64_t 0:X2;", &["MOV W0,#0x1ff", "UXTB W2,W0"], "exists (0:X2=255)"),
        ("int64_t 0:X2;", &["MOV W0,#6", "MOV W1,#2", "BIC W2,W0,W1"], "exists (0:X2=4)"),
        ("int64_t 0:X2;", &["MOV W0,#0", "MVN W2,W0"], "exists (0:X2=0xffffffff)"),
        ("int64_t 0:X2;", &["MOV W0,#1", "SUB W2,WZR,W0,LSL #1"], "exists (0:X2=0xfffffffe)"),
    ] {
        assert_eq!(holds(&text("AArch64", init, code, condition)), Some(true), "{code:?} {condition}");
    }
    for (code, condition) in [
        (&["li x5,-1", "srli x6,x5,60"][..], "exists (0:x6=15)"),
        (&["li x5,-16", "srai x6,x5,2"], "exists (0:x6=-4)"),
        (&["li x5,1", "slli x6,x5,63"], "exists (0:x6=0x8000000000000000)"),
        (&["li x5,-1", "sltu x6,x5,x0"], "exists (0:x6=0)"),
        (&["li x5,-1", "slti x6,x5,0"], "exists (0:x6=1)"),
        (&["li x5,0", "seqz x6,x5"], "exists (0:x6=1)"),
    ] {
        assert_eq!(
            holds(&text("RISCV", "int64_t 0:x6;", code, condition)),
            Some(true),
            "{code:?} {condition}"
        );
    }
}

/// Comments, headers and conditions as other people write them.
#[test]
fn as_people_write_them() {
    for (arch, text) in [
        (
            "AArch64",
            "AArch64 t\n{ 0:X1=x; }\n P0 (* a | b ; *) ;\n (* first *) LDR W3,[X1] (* R x=0; | *) (* more *) ;\nexists (0:X3=0)\n",
        ),
        ("X86", "X86 t (t) \"\"\n{x = 0; y = 0};\n P0 ;\n mov EAX, [x] ;\nexists (P0:EAX = 0)\n"),
        (
            "C",
            "C t\n{ };\nP0 (int *x) { r0 = READ_ONCE(*x); if (1) { r1 = r0; } r2 = r1; }\nexists (0:r2=0 /\\ P0:r0=0)\n",
        ),
    ] {
        let test = read(text).unwrap_or_else(|e| panic!("{arch}: {e}"));
        assert_eq!(test.name, "t");
        assert_eq!(holds(text), Some(true), "{text}");
    }
    // Only what is called like a register, and not before it has a value.
    for (code, reason) in [
        ("r = 1;", "`r` is not declared"),
        ("r0 = r1;", "`r1` is not declared"),
        ("r0 += 1; ra = 2;", "`ra` is not declared"),
    ] {
        let text = format!("C t\n{{}}\nP0 (int *x) {{ {code} }}\nexists (true)\n");
        let message = read(&text).err().unwrap_or_default();
        assert!(message.contains(reason), "{code}: {message}");
    }
}
