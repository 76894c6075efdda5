//! Printing a program and parsing the text gives the program back.

use crate::support;

use proptest::prelude::*;
use selvedge_graph::{Loc, Mode, Tid};
use selvedge_litmus::{Options, parse, print_program};
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use support::run;

const REGS: u16 = 4;

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (-3i64..9).prop_map(Expr::Const),
        Just(Expr::Const(i64::MIN)),
        (0..REGS).prop_map(|r| Expr::Reg(Reg(r))),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        use BinOp::*;
        let op = prop::sample::select(vec![
            Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge, LogAnd, LogOr,
        ]);
        let un = prop::sample::select(vec![UnOp::Neg, UnOp::Not, UnOp::BitNot]);
        prop_oneof![
            (un, inner.clone()).prop_map(|(op, a)| Expr::un(op, a)),
            (op, inner.clone(), inner).prop_map(|(op, a, b)| Expr::bin(op, a, b)),
        ]
    })
}

fn mode(modes: &'static [Mode]) -> impl Strategy<Value = Mode> {
    prop::sample::select(modes)
}

fn instr(len: usize) -> impl Strategy<Value = Instr> {
    use Mode::*;
    let reg = || (0..REGS).prop_map(Reg);
    // Locations 0 and 1 stand alone, 2 to 4 are an array.
    let addr = || {
        prop_oneof![
            (0..5u32).prop_map(|l| Addr::Loc(Loc(l))),
            reg().prop_map(|r| Addr::Element { base: Loc(2), len: 3, index: Expr::Reg(r) }),
        ]
    };
    let rmw = prop::sample::select(vec![
        RmwOp::Exchange,
        RmwOp::Add,
        RmwOp::Sub,
        RmwOp::And,
        RmwOp::Or,
        RmwOp::Xor,
    ]);
    let every = &[Rlx, Acq, Rel, AcqRel, Sc][..];
    prop_oneof![
        (reg(), expr()).prop_map(|(dst, expr)| Instr::Assign { dst, expr }),
        (reg(), addr(), mode(&[Na, Rlx, Acq, Sc])).prop_map(|(dst, addr, mode)| Instr::Load {
            dst,
            addr,
            mode
        }),
        (addr(), expr(), mode(&[Na, Rlx, Rel, Sc])).prop_map(|(addr, value, mode)| Instr::Store {
            addr,
            value,
            mode
        }),
        (reg(), addr(), rmw, expr(), mode(every)).prop_map(|(dst, addr, op, operand, mode)| Instr::Rmw {
            dst,
            addr,
            op,
            operand,
            mode
        }),
        (reg(), reg(), addr(), (expr(), any::<bool>()), expr(), mode(every), mode(every), any::<bool>())
            .prop_map(|(ok, old, addr, (expected, own), desired, success, failure, weak)| {
                let expected = if own { Expr::Reg(old) } else { expected };
                Instr::Cas { ok, old, addr, expected, desired, success, failure, weak }
            }),
        mode(every).prop_map(|mode| Instr::Fence { mode }),
        (expr(), 0..=len).prop_map(|(cond, target)| Instr::Branch { cond, target }),
        (0..=len).prop_map(|target| Instr::Jump { target }),
        expr().prop_map(|cond| Instr::Assume { cond }),
        (expr(), "[ -~\n]{0,12}").prop_map(|(cond, message)| Instr::Assert { cond, message }),
        Just(Instr::Cut),
        Just(Instr::Join { thread: Tid(1) }),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let code = (1usize..12).prop_flat_map(|len| prop::collection::vec(instr(len), len));
    (code.clone(), code).prop_map(|(first, second)| {
        let mut p = Program::new("generated one");
        p.loc("x", 0);
        p.loc("if", -1);
        for i in 0..3 {
            p.loc(format!("a[{i}]"), i);
        }
        let mut first = first;
        first.push(Instr::Spawn { thread: Tid(1) });
        p.thread("main", true, first);
        p.thread("child", false, second);
        p
    })
}

/// What the printer may write differently: a negated constant is a constant, and an element with a
/// known index is a location.
fn normal(program: &Program) -> Program {
    let mut p = program.clone();
    for thread in &mut p.threads {
        for instr in &mut thread.code {
            match instr {
                Instr::Assign { expr, .. } => fold(expr),
                Instr::Store { value, .. } => fold(value),
                Instr::Rmw { operand, .. } => fold(operand),
                Instr::Cas { expected, desired, .. } => {
                    fold(expected);
                    fold(desired);
                }
                Instr::Branch { cond, .. } | Instr::Assume { cond } | Instr::Assert { cond, .. } => {
                    fold(cond)
                }
                _ => {}
            }
        }
    }
    p
}

fn fold(expr: &mut Expr) {
    match expr {
        Expr::Un(op, a) => {
            fold(a);
            if let (UnOp::Neg, Expr::Const(c)) = (op, &**a) {
                *expr = Expr::Const(c.wrapping_neg());
            }
        }
        Expr::Bin(_, a, b) => {
            fold(a);
            fold(b);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_programs_parse_to_themselves(p in program()) {
        let text = print_program(&p, "exists (x=1)");
        let back = parse("printed", &text, &Options::default()).map_err(|d| TestCaseError::fail(format!("{d}\n{text}")))?;
        let (p, q) = (normal(&p), back.program);
        prop_assert_eq!(p.threads.len(), q.threads.len());
        for (a, b) in p.threads.iter().zip(&q.threads) {
            prop_assert_eq!(&a.code, &b.code, "{}", text);
            prop_assert_eq!(a.initial, b.initial);
            prop_assert_eq!(&a.regs, &b.regs);
        }
        let values = |p: &Program| p.locs.iter().map(|(_, v)| *v).collect::<Vec<_>>();
        prop_assert_eq!(values(&p), values(&q));
        // The bit pattern of the seed decides the choices of weak operations.
        let choose = |seed: u32| move |count: u32| seed % count;
        prop_assert_eq!(run(&p, choose(1)).trace, run(&q, choose(1)).trace);
    }
}

#[test]
fn arrays_that_overlap_keep_their_bounds() {
    let mut p = Program::new("overlap");
    for i in 0..4 {
        p.loc(format!("c{i}"), i);
    }
    let element = |base, len, i| Addr::Element { base: Loc(base), len, index: Expr::Const(i) };
    p.thread(
        "t",
        true,
        vec![
            Instr::Load { dst: Reg(0), addr: element(0, 3, 1), mode: Mode::Rlx },
            Instr::Load { dst: Reg(1), addr: element(1, 3, 2), mode: Mode::Rlx },
            Instr::Load { dst: Reg(2), addr: element(0, 3, 3), mode: Mode::Rlx },
        ],
    );
    let text = print_program(&p, "forall (true)");
    let back = parse("printed", &text, &Options::default()).unwrap_or_else(|d| panic!("{d}\n{text}"));
    let run = run(&back.program, |_| 0);
    assert_eq!(run.regs[0][..2], [1, 3]);
    assert!(matches!(run.ended, support::Ended::Failed(m) if m.contains("outside")));
}
