//! Printing and parsing are inverse to each other.

use proptest::prelude::*;
use selvedge_graph::Mode;
use selvedge_ir::text::{parse, print};
use selvedge_ir::*;

const OPERANDS: [Operand; 9] = [
    Operand::Reg(0),
    Operand::Reg(7),
    Operand::Const(0),
    Operand::Const(u64::MAX),
    Operand::Const(1 << 63),
    Operand::Global(GlobalId(0), 0),
    Operand::Global(GlobalId(1), -8),
    Operand::Func(FuncId(1)),
    Operand::Undef,
];

fn every_instruction() -> Vec<Instr> {
    let [r, s, c, m, big, g, h, f, u] = OPERANDS;
    let mut code = vec![
        Instr::Funnel { left: true, bits: 32, dst: 0, a: r, b: s, amount: c },
        Instr::Funnel { left: false, bits: 64, dst: 0, a: r, b: s, amount: c },
        Instr::Select { dst: 1, cond: r, a: s, b: u },
        Instr::Offset { dst: 1, base: g, index: r, scale: -24, within: false },
        Instr::Offset { dst: 1, base: g, index: r, scale: 1, within: true },
        Instr::Alloca { dst: 1, size: Operand::Const(4), align: 4, private: true },
        Instr::Alloca { dst: 1, size: r, align: 16, private: false },
        Instr::Jump { to: 3 },
        Instr::Branch { cond: r, then: 0, els: 5 },
        Instr::Switch { value: r, cases: vec![(0, 1), (u64::MAX, 2)], default: 3 },
        Instr::Switch { value: r, cases: vec![], default: 3 },
        Instr::LoopHead { number: 0, live: vec![], rewritten: vec![] },
        Instr::LoopHead {
            number: 0,
            live: vec![3, 7],
            rewritten: vec![
                OwnCell { base: 3, offset: 8, bytes: 8 },
                OwnCell { base: 7, offset: -4, bytes: 1 },
            ],
        },
        Instr::LoopBack { number: 0 },
        Instr::SpinBlock { number: 0 },
        Instr::Call {
            dst: Some(3),
            callee: f,
            args: vec![r, s, c, m, big, g, h, f, u],
            results: 2,
            signature: None,
            lands: None,
        },
        Instr::Call {
            dst: Some(3),
            callee: f,
            args: vec![],
            results: 1,
            signature: Some(1),
            lands: Some(Box::new(Pad { cleanup: true, catches: vec![g, Operand::Const(0)] })),
        },
        Instr::Call {
            dst: Some(3),
            callee: f,
            args: vec![c],
            results: 2,
            signature: None,
            lands: Some(Box::new(Pad::default())),
        },
        Instr::Call { dst: None, callee: r, args: vec![], results: 0, signature: Some(1), lands: None },
        Instr::Return { values: vec![] },
        Instr::Return { values: vec![r, m] },
        Instr::Unreachable,
        Instr::Unsupported { what: String::from("asm \"nop\"\n\\ \u{1f}") },
    ];
    code.extend(OPERANDS.map(|src| Instr::Move { dst: 2, src }));
    use BinOp::*;
    for op in [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin, SMax,
        UAddSat, USubSat, SAddSat, SSubSat,
    ] {
        for (no_signed_wrap, no_unsigned_wrap) in [(false, false), (true, false), (false, true), (true, true)]
        {
            code.push(Instr::Bin { op, bits: 32, dst: 1, a: r, b: m, no_signed_wrap, no_unsigned_wrap });
        }
    }
    use CmpOp::*;
    for op in [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
        code.push(Instr::Cmp { op, bits: 128, dst: 1, a: r, b: s });
    }
    use FloatOp as F;
    for op in [
        F::Add,
        F::Sub,
        F::Mul,
        F::Div,
        F::Rem,
        F::Neg,
        F::Sqrt,
        F::Abs,
        F::Floor,
        F::Ceil,
        F::Trunc,
        F::Round,
        F::Min,
        F::Max,
        F::CopySign,
        F::Fma,
        F::Pow,
    ] {
        code.push(Instr::Float { op, bits: 64, dst: 1, a: r, b: s, c });
    }
    for n in 0..16 {
        let cmp =
            FloatCmp { less: n & 1 != 0, equal: n & 2 != 0, greater: n & 4 != 0, unordered: n & 8 != 0 };
        code.push(Instr::FloatCmp { cmp, bits: 32, dst: 1, a: r, b: s });
    }
    use CastOp as C;
    for op in [
        C::Zext,
        C::Sext,
        C::Trunc,
        C::FloatToFloat,
        C::FloatToSigned,
        C::FloatToUnsigned,
        C::SignedToFloat,
        C::UnsignedToFloat,
    ] {
        code.push(Instr::Cast { op, from: 8, to: 64, dst: 1, src: r });
    }
    use Overflow as O;
    for op in [O::SAdd, O::UAdd, O::SSub, O::USub, O::SMul, O::UMul] {
        code.push(Instr::Overflowing { op, bits: 16, dst: 1, a: r, b: s });
    }
    use BitOp as B;
    for op in [B::Ctpop, B::Ctlz, B::Cttz, B::CtlzNonzero, B::CttzNonzero, B::Bswap, B::BitReverse, B::Abs] {
        code.push(Instr::Bits { op, bits: 16, dst: 1, a: r });
    }
    for mode in Mode::C11 {
        for volatile in [false, true] {
            code.push(Instr::Load { dst: 1, addr: g, bytes: 4, mode, volatile });
            code.push(Instr::Store { addr: h, value: m, bytes: 8, mode, volatile, reference: !volatile });
            let (weak, failure) = (volatile, Mode::Rlx);
            code.push(Instr::Cmpxchg {
                dst: 1,
                addr: g,
                expected: c,
                desired: r,
                bytes: 1,
                success: mode,
                failure,
                weak,
            });
        }
        use RmwOp as R;
        for op in [R::Xchg, R::Add, R::Sub, R::And, R::Nand, R::Or, R::Xor, R::Max, R::Min, R::UMax, R::UMin]
        {
            for net in [Net::Lasting, Net::Tentative(0), Net::Undoes] {
                code.push(Instr::Rmw { op, dst: 1, addr: g, operand: r, bytes: 2, mode, net });
            }
        }
        code.push(Instr::Fence { mode });
    }
    code
}

fn global(name: &str, bytes: Vec<u8>) -> Global {
    Global {
        name: name.to_string(),
        size: 16,
        align: 8,
        bytes,
        addresses: vec![],
        undefined: vec![],
        thread_local: false,
        constant: false,
        ty: None,
        place: Place::default(),
    }
}

fn function(name: &str, code: Vec<Instr>) -> Function {
    let place = |n: usize| Place { file: 0, line: n as u32 % 7, col: 3, note: n as u32 % 3 };
    Function {
        name: name.to_string(),
        params: vec![0, 3],
        results: 1,
        varargs: true,
        signature: Some(1),
        regs: 9,
        places: (0..code.len()).map(place).collect(),
        loops: if code.is_empty() { vec![] } else { vec![Loop { header: 2, place: place(5) }] },
        code,
        place: place(9),
        locals: vec![(1, String::from("a \"name\""), Some(1)), (2, String::from("b"), None)],
    }
}

fn everything() -> Module {
    let mut odd = global("a name with \"quotes\"", vec![1, 2, 0, 255]);
    odd.undefined = vec![(1, 2), (12, 4)];
    odd.addresses = vec![(0, Operand::Global(GlobalId(0), 4)), (8, Operand::Func(FuncId(0)))];
    odd.constant = true;
    odd.thread_local = true;
    odd.ty = Some(2);
    odd.place = Place { file: 1, line: 2, col: 3, note: 0 };
    let mut declared = function("printf", vec![]);
    declared.locals.clear();
    Module {
        files: vec![String::from("a.c"), String::from("dir/b \\ \n.c")],
        globals: vec![global("x", vec![0; 16]), odd, global("twice", vec![]), global("twice", vec![7])],
        functions: vec![
            function("main", every_instruction()),
            declared,
            function("_ZN3foo$3barE.llvm.1", vec![]),
        ],
        constructors: vec![FuncId(2), FuncId(0)],
        short_pointers: true,
        signatures: vec![String::from("i32(ptr)"), String::from("void(...)")],
        notes: vec![
            Note { kind: Contents::Pointer, of: Some((1, Some(8))), inlined: vec![] },
            Note {
                kind: Contents::Float,
                of: Some((2, None)),
                inlined: vec![
                    (String::from("push \"it\""), Place { file: 0, line: 7, col: 1, note: 0 }),
                    (String::from("g"), Place::default()),
                ],
            },
            Note::default(),
        ],
        types: vec![
            TypeInfo::Scalar { name: String::from("unsigned int"), size: 4 },
            TypeInfo::Struct {
                name: String::from("node"),
                size: 16,
                fields: vec![(String::from("value"), 0, 0), (String::from("next"), 8, 3)],
            },
            TypeInfo::Array { element: 1, count: 3, element_size: 16 },
            TypeInfo::Pointer { to: Some(1) },
            TypeInfo::Pointer { to: None },
            TypeInfo::Struct { name: String::new(), size: 0, fields: vec![] },
        ],
    }
}

#[test]
fn every_instruction_and_item_survives_a_round_trip() {
    let module = everything();
    let text = print(&module);
    assert_eq!(parse(&text).map_err(|e| format!("{e}\n{text}")), Ok(module));
}

#[test]
fn a_name_that_is_not_unique_is_written_by_number() {
    let mut module = everything();
    module.functions[1].code = vec![Instr::Move { dst: 0, src: Operand::Global(GlobalId(3), 0) }];
    module.functions[1].places = vec![Place::default()];
    let text = print(&module);
    assert!(text.contains("move @#3"), "{text}");
    assert_eq!(parse(&text), Ok(module));
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let cases = [
        ("func &f() results 0 regs 1 {\n  r0 = nonsense 1\n}", 2),
        ("func &f() results 0 regs 1 {\n  jump nowhere\n}", 2),
        ("func &f() results 0 regs 1 {\n  return (@x)\n}", 2),
        ("func &f() results 0 regs 1 {\n  r0 = load.4.strong 0\n}", 2),
        ("func &f() results 0 regs 1 {\n  return ()\n", 3),
        ("func &f() results 0 regs 1 {\nL: unreachable\nL: unreachable\n}", 3),
        ("global x", 1),
        ("\n\nfile 3", 3),
        ("global @x size 4 align 4 = x\"0\"", 1),
        ("file \"abc", 1),
        ("global @x size 99999999999999999999 align 4", 1),
        ("type union", 1),
    ];
    for (text, line) in cases {
        match parse(text) {
            Ok(module) => panic!("{text} parses as {module:?}"),
            Err(error) => assert!(error.line.abs_diff(line) <= 1, "{text}: {error}"),
        }
    }
}

#[test]
fn a_program_can_be_written_by_hand() {
    let text = "
        file \"queue.c\" ; a comment
        global @x size 4 align 4 !0:3:5 = x\"2a000000\"
        func &main() results 1 regs 2 {
            loop again !0:6:3
        again:
            r0 = load.4.acq @x !0:6:10
            r1 = cmp.eq.32 r0, 42
            branch r1, done, again
        done:
            return (0)
        }";
    let module = parse(text).expect("it is well-formed");
    assert_eq!(
        module.functions[0].loops,
        [Loop { header: 0, place: Place { file: 0, line: 6, col: 3, note: 0 } }]
    );
    assert_eq!(module.functions[0].code[2], Instr::Branch { cond: Operand::Reg(1), then: 3, els: 0 });
    assert_eq!(module.functions[0].places[0], Place { file: 0, line: 6, col: 10, note: 0 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Damaged texts are mistakes, never panics.
    #[test]
    fn no_text_makes_the_parser_panic(from in 0..6000usize, len in 0..40usize) {
        let text: Vec<char> = print(&everything()).chars().collect();
        let damaged: String = text.iter().take(from).chain(text.iter().skip(from + len)).collect();
        let _ = parse(&damaged);
    }
}
