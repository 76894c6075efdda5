//! Tests in assembly: what their instructions become.

use selvedge_graph::{Barrier, Mode, Tid, Value};
use selvedge_litmus::{Options, Test, parse};
use selvedge_machine::program::{Instr, RmwOp};
use selvedge_machine::{Dependencies, Machine, Op};

fn test(text: &str) -> Test {
    parse("t.litmus", text, &Options::default()).unwrap_or_else(|d| panic!("{text}\n{d}"))
}

/// One thread of AArch64 code, with X1 pointing to x and X3 to y.
fn arm(code: &[&str]) -> Test {
    one("AArch64", "0:X1=x; 0:X3=y;", code)
}

fn one(arch: &str, init: &str, code: &[&str]) -> Test {
    test(&format!("{arch} t\n{{ {init} x=5; y=7; }}\n P0 ;\n{}\nexists (x=0)\n", lines(code)))
}

fn lines(code: &[&str]) -> String {
    code.iter().map(|line| format!(" {line} ;\n")).collect()
}

fn error(arch: &str, code: &[&str]) -> String {
    let init = match arch {
        "AArch64" => "0:X1=x;",
        "PPC" => "0:r1=x;",
        "RISCV" => "0:x5=x;",
        _ => "",
    };
    let text = format!("{arch} t\n{{ {init} x=5; }}\n P0 ;\n{}\nexists (x=0)\n", lines(code));
    match parse("t.litmus", &text, &Options::default()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(d) => d.to_string(),
    }
}

/// What a thread does if memory is its alone: its operations, and then its registers.
fn run(t: &Test) -> (Vec<String>, Vec<(String, Value)>) {
    let p = &t.program;
    let mut memory: Vec<Value> = p.locs.iter().map(|(_, v)| *v).collect();
    let mut state = p.start(Tid(0));
    let (mut input, mut ops) = (0, Vec::new());
    loop {
        match p.step(&mut state, input) {
            Op::Load { loc, mode, .. } => {
                input = memory[loc.index()];
                ops.push(format!("R.{mode} {}={input}", p.locs[loc.index()].0));
            }
            Op::Store { loc, value, mode, rmw } => {
                memory[loc.index()] = value;
                input = 0;
                ops.push(format!("{}W.{mode} {}={value}", if rmw { "U" } else { "" }, p.locs[loc.index()].0));
            }
            Op::Fence { mode } => {
                input = 0;
                ops.push(format!("F.{mode}"));
            }
            Op::Choose { .. } => input = 0,
            Op::End => break,
            other => {
                ops.push(format!("{other:?}"));
                break;
            }
        }
    }
    let regs = p.threads[0].regs.iter().cloned().zip(state.regs.iter().copied()).collect();
    (ops, regs)
}

fn register(t: &Test, name: &str) -> Value {
    run(t).1.into_iter().find(|(n, _)| n == name).map_or(-99, |(_, v)| v)
}

#[test]
fn aarch64_accesses() {
    let t = arm(&[
        "LDR W0,[X1]",
        "LDAR W2,[X3]",
        "LDAPR W4,[X1,#0]",
        "MOV W5,#9",
        "STR W5,[X1]",
        "STLR W5,[X3]",
        "DMB SY",
        "DMB ISHLD",
        "DSB ISHST",
        "ISB",
        "LDXR W6,[X1]",
        "STLXR W7,W5,[X1]",
        "LDADDAL W5,W8,[X3]",
        "SWPL WZR,W9,[X3]",
        "CAS W9,W5,[X3]",
    ]);
    let expected = [
        "R.rlx x=5",
        "R.acq y=7",
        "R.acqpc x=5",
        "W.rlx x=9",
        "W.rel y=9",
        "F.DMB.SY",
        "F.DMB.LD",
        "F.DSB.ST",
        "F.ISB",
        "R.rlx.x x=9",
        "UW.rel.x x=9",
        "R.ar y=9",
        "UW.ar y=18",
        "R.rel y=18",
        "UW.rel y=0",
        "R.rlx y=0",
    ];
    assert_eq!(run(&t).0, expected);
    assert_eq!((register(&t, "X7"), register(&t, "X8"), register(&t, "X9")), (0, 9, 0));
    assert_eq!((t.arch.as_str(), t.default_model()), ("AArch64", "armv8"));
}

#[test]
fn aarch64_arithmetic_and_jumps() {
    let value = |code: &[&str]| register(&arm(code), "X0");
    assert_eq!(value(&["MOV W0,#-1", "ADD W0,W0,#2"]), 1);
    assert_eq!(value(&["MOV X0,#-1", "ADD X0,X0,#0"]), -1);
    assert_eq!(value(&["MOV W2,#6", "AND W0,W2,#3"]), 2);
    assert_eq!(value(&["MOV W2,#6", "EOR W0,W2,W2"]), 0);
    assert_eq!(value(&["LDR W2,[X1]", "EOR W4,W2,W2", "LDR W0,[X3,W4,SXTW]"]), 7);
    for (jump, taken) in [("B.EQ", 5), ("BNE", 9), ("B.LT", 9), ("B.GE", 5), ("B.LS", 5), ("B.HI", 9)] {
        let jump = format!("{jump} L");
        let code = ["LDR W0,[X1]", "CMP W0,#5", &jump, "MOV W0,#9", "L:"];
        assert_eq!(value(&code), taken, "{jump}");
    }
    assert_eq!(value(&["MOV W0,#3", "CBNZ W0,L", "MOV W0,#9", "L: NOP"]), 3);
    assert_eq!(value(&["MOV W0,#4", "TBZ W0,#2,L", "MOV W0,#9", "L:"]), 9);
    // Backward jumps end, or are cut.
    assert_eq!(value(&["L: ADD W0,W0,#1", "CMP W0,#4", "B.NE L"]), 4);
    assert_eq!(run(&arm(&["L: B L"])).0, ["Cut"]);
}

#[test]
fn aarch64_dependencies_are_syntactic() {
    let mut t = arm(&["LDR W0,[X1]", "EOR W2,W0,W0", "LDR W4,[X3,W2,SXTW]", "CBZ W4,L", "L: STR W2,[X1]"]);
    t.program.tracks_deps = true;
    let mut state = t.program.start(Tid(0));
    let mut deps = Vec::new();
    let mut input = 0;
    while !matches!(t.program.step(&mut state, input), Op::End) {
        let d = t.program.deps(&state);
        let list = |s: &selvedge_graph::DepSet| s.iter().collect::<Vec<_>>();
        deps.push((list(&d.addr), list(&d.data), list(&d.ctrl)));
        input = 1;
    }
    assert_eq!(deps, [(vec![], vec![], vec![]), (vec![1], vec![], vec![]), (vec![], vec![1], vec![2])]);
}

#[test]
fn power() {
    let code = [
        "lwz r2,0(r1)",
        "xor r3,r2,r2",
        "lwzx r4,r3,r1",
        "li r5,2",
        "stw r5,0(r1)",
        "stwx r5,r3,r1",
        "sync",
        "lwsync",
        "isync",
        "eieio",
        "lwarx r6,r0,r1",
        "stwcx. r5,0,r1",
        "bne E",
        "cmpwi r5,2",
        "beq E",
        "li r5,3",
        "E:",
    ];
    let t = one("PPC", "0:r1=x;", &code);
    let fences = ["F.SYNC", "F.LWSYNC", "F.ISYNC", "F.EIEIO"];
    let mut expected = vec!["R.rlx x=5", "R.rlx x=5", "W.rlx x=2", "W.rlx x=2"];
    expected.extend(fences);
    expected.extend(["R.rlx.x x=2", "UW.rlx.x x=2"]);
    assert_eq!(run(&t).0, expected);
    assert_eq!(register(&t, "r5"), 2);
    assert_eq!(t.default_model(), "power");
}

#[test]
fn riscv() {
    let code = [
        "lw x6,0(x5)",
        "xor a0,x6,x6",
        "add t3,a0,x5",
        "lw x7,(t3)",
        "sw x0,0(x5)",
        "fence rw,w",
        "fence r,rw",
        "fence iorw,iorw",
        "fence",
        "fence i,o",
        "fence.tso",
        "lr.w.aq x8,0(x5)",
        "sc.w.rl x9,x7,(x5)",
        "bnez x9,E",
        "amoadd.w.aqrl x10,x7,(x5)",
        "amoswap.w x0,x7,(x5)",
        "E:",
    ];
    let t = one("RISCV", "0:x5=x;", &code);
    let expected = [
        "R.rlx x=5",
        "R.rlx x=5",
        "W.rlx x=0",
        "F.Fence.rw.w",
        "F.Fence.r.rw",
        "F.Fence.rw.rw",
        "F.Fence.rw.rw",
        "F.Fence.tso",
        "R.acq.x x=0",
        "UW.rel.x x=5",
        "R.ar x=5",
        "UW.ar x=10",
        "R.rlx x=10",
        "UW.rlx x=5",
    ];
    assert_eq!(run(&t).0, expected);
    assert_eq!(t.default_model(), "riscv");
}

#[test]
fn x86_in_both_syntaxes() {
    let intel =
        ["MOV EAX,[x]", "MOV [y],$3", "XCHG [x],EAX", "MFENCE", "LOCK INC [y]", "ADD EAX,$1", "INC [x]"];
    let att = [
        "movl (x),%eax",
        "movq $3,(y)",
        "xchgl %eax,(x)",
        "mfence",
        "lock incq (y)",
        "addl $1,%eax",
        "incl (x)",
    ];
    let expected = [
        "R.rlx x=5",
        "W.rlx y=3",
        "R.rlx x=5",
        "UW.rlx x=5",
        "F.sc",
        "R.rlx y=3",
        "UW.rlx y=4",
        "R.rlx x=5",
        "W.rlx x=6",
    ];
    let t = one("X86", "", &intel);
    assert_eq!((run(&t).0, register(&t, "EAX")), (expected.map(String::from).to_vec(), 6));
    let t = one("X86_64", "", &att);
    assert_eq!((run(&t).0, register(&t, "rax")), (expected.map(String::from).to_vec(), 6));
    assert_eq!(t.default_model(), "x86");

    let t = one(
        "X86_64",
        "0:rax=5; 0:rdi=x;",
        &["movl $8,%ebx", "lock cmpxchgl %ebx,(%rdi)", "jne E", "movl $1,%ecx", "E:"],
    );
    assert_eq!((register(&t, "rcx"), run(&t).0[1].as_str()), (1, "UW.rlx x=8"));
    let t = one("X86", "", &["LOCK XADD [x],EAX", "CMP EAX,$5", "JE E", "MOV EAX,$0", "E:"]);
    assert_eq!(register(&t, "EAX"), 5);
}

#[test]
fn modes_and_operations_are_told_apart() {
    let t = arm(&["LDSMAXA W0,W2,[X1]", "LDUMINL W0,W2,[X1]", "LDCLR W0,W2,[X1]", "LDSETAL W0,W2,[X1]"]);
    let found: Vec<(RmwOp, Mode)> = t.program.threads[0]
        .code
        .iter()
        .filter_map(|i| match i {
            Instr::Rmw { op, mode, .. } => Some((*op, *mode)),
            _ => None,
        })
        .collect();
    let expected = [
        (RmwOp::Max, Mode::Acq),
        (RmwOp::MinU, Mode::Rel),
        (RmwOp::Clear, Mode::Rlx),
        (RmwOp::Or, Mode::AcqRel),
    ];
    assert_eq!(found, expected);
    let fences: Vec<Mode> = one("X86", "", &["SFENCE", "LFENCE"]).program.threads[0]
        .code
        .iter()
        .filter_map(|i| if let Instr::Fence { mode } = i { Some(*mode) } else { None })
        .collect();
    assert_eq!(fences, [Mode::Barrier(Barrier::Sfence), Mode::Barrier(Barrier::Lfence)]);
}

#[test]
fn addresses_are_values() {
    let t = test(
        "AArch64 t\n{ 0:X1=p; p=x; x=3; }\n P0 ;\n LDR X0,[X1] ;\n LDR W2,[X0] ;\nexists (0:X0=x /\\ 0:X2=3)\n",
    );
    assert_eq!(run(&t).0.len(), 2);
    assert_eq!(register(&t, "X2"), 3);
    let (_, regs) = run(&t);
    let lookup = |o: &selvedge_litmus::Observable| match o {
        selvedge_litmus::Observable::Register { name, .. } => {
            regs.iter().find(|(n, _)| n == name).map_or(-1, |(_, v)| *v)
        }
        _ => -1,
    };
    assert!(t.condition.eval(&lookup));
    assert_eq!(t.condition_text, "exists (0:X0=x /\\ 0:X2=3)");
}

#[test]
fn what_is_not_known_is_named() {
    for (arch, code, reason) in [
        ("AArch64", "LDP X0,X2,[X1]", "instruction `ldp` is not supported"),
        ("AArch64", "LDRB X0,[X1]", "`X0` has 64 bits, this access fewer"),
        ("AArch64", "LDADDB W0,W2,[X1]", "instruction `ldaddb` is not supported"),
        ("AArch64", "CSEL W0,W2,W3,EQ", "instruction `csel` is not supported"),
        ("AArch64", "LDR W0,[X1],#4", "takes 2 operands here, not 3"),
        ("AArch64", "LDR W0,[W1]", "address `[W1]` is not supported"),
        ("AArch64", "LDR W0,[X1,X2,ROR #2]", "is not supported"),
        ("AArch64", "ADD X0,X1,W2,SXTX", "is not supported"),
        ("AArch64", "LDADD W0,WZR,[X1]", "zero register"),
        ("AArch64", "MOV Q0,#1", "`Q0` is not a register"),
        ("AArch64", "DMB FOO", "operand `FOO` is not supported"),
        ("AArch64", "B nowhere", "there is no label `nowhere`"),
        ("AArch64", "ADD W0,W2,label", "operand `label` is not supported"),
        ("PPC", "lmw r2,0(r1)", "instruction `lmw` is not supported"),
        ("PPC", "lwz r2,x", "address `x` is not supported"),
        ("RISCV", "flw x6,0(x5)", "instruction `flw` is not supported"),
        ("RISCV", "lw.foo x6,(x5)", "is not supported"),
        ("RISCV", "lw. x6,(x5)", "is not supported"),
        ("RISCV", "fence x,y", "operand `x` is not supported"),
        ("RISCV", "lr.w.foo x6,(x5)", "is not supported"),
        ("X86", "MOVNTI [x],EAX", "instruction `movnti` is not supported"),
        ("X86", "CMPXCHG [x],EBX", "with `lock` only"),
        ("X86", "MOV [x],[x]", "is not supported"),
        ("X86_64", "movb $1,(x)", "instruction `movb` is not supported"),
    ] {
        let shown = error(arch, &[code]);
        assert!(shown.contains(reason), "{code}: {shown}");
        assert!(shown.contains("t.litmus:4:"), "{shown}");
    }
    for (address, code) in [("[X3]", "DMB SY"), ("[X1]", "LDR X1,[X1]"), ("[X1]", "LDR X0,[X1] ; MOV X1,X0")]
    {
        let mut lines = vec!["LDXR W0,[X1]"];
        lines.extend(code.split(" ; "));
        let store = format!("STXR W2,W0,{address}");
        lines.push(&store);
        let between = error("AArch64", &lines);
        assert!(between.contains("an exclusive pair, whose addresses may differ"), "{between}");
    }
    let twice = error("PPC", &["L: nop", "L: nop"]);
    assert!(twice.contains("label `L` is defined twice"), "{twice}");
}

#[test]
fn files_that_are_refused() {
    for (text, reason) in [
        ("AArch64 t\n{}\nexists (x=0)", "the test has no code"),
        ("AArch64 t\n{}\n P1 ;\nexists (x=0)", "expected thread P0"),
        ("AArch64 t\n{}\n P0 ;\n NOP | NOP ;\nexists (x=0)", "only 1 threads"),
        ("AArch64 t\n{}\n P0 ;\n NOP \n", "no `;` at its end"),
        ("AArch64 t\n{ 3:X1=x; }\n P0 ;\n NOP ;\nexists (x=0)", "there is no thread 3"),
        ("AArch64 t\n{ 0:Y1=x; }\n P0 ;\n NOP ;\nexists (x=0)", "`Y1` is not a register"),
        ("AArch64 t\n{ int x[2]; }\n P0 ;\n NOP ;\nexists (x=0)", "`x` is an array"),
        ("AArch64 t\n{ int x[2]; }\n P0 ;\n NOP ;\nexists (x[2]=0)", "`x` has 2 elements"),
        ("AArch64 t\n{ int x; }\n P0 ;\n NOP ;\nexists (x[0]=0)", "`x` is not an array"),
        ("AArch64 t\n{ int x[9]; }\n P0 ;\n NOP ;\nexists (x[0]=0)", "1 to 8 elements"),
        ("AArch64 t\n{ int x[2]={1,2,3}; }\n P0 ;\n NOP ;\nexists (x[0]=0)", "only 2 elements"),
        ("AArch64 t\n{ int x[2]; int x[2]; }\n P0 ;\n NOP ;\nexists (x[0]=0)", "declared twice"),
        ("AArch64 t\n{ int x[2]; 0:X1=x[2]; }\n P0 ;\n NOP ;\nexists (x[0]=0)", "`x` has 2 elements"),
        ("AArch64 t\n{}\n P0 ;\n NOP (* open ;\nexists (x=0)", "this row has no `;`"),
        ("AArch64 t\n{}\n P0 ;\n NOP ;\nexists (z=0)", "no location is called `z`"),
        ("AArch64 t\n{}\n P0 ;\n NOP ;\nexists (0:r1=0)", "`r1` is not a register of AArch64"),
        ("AArch64 t\n{ x=0;\n P0 ;", "no matching `}`"),
    ] {
        match parse("t.litmus", text, &Options::default()) {
            Ok(_) => panic!("accepted: {text}"),
            Err(d) => assert!(d.to_string().contains(reason), "{text}\n{d}"),
        }
    }
}
