//! Arithmetic and control flow compute what C says.

use crate::run;
use crate::support;

use run::run;
use selvedge_ir::{BinOp, Instr, Operand};
use support::{c, count, function, listing, unsupported};

#[test]
fn phi_nodes_that_swap_each_other_are_moved_at_once() {
    let module =
        c("int f(int n) { int a = 1, b = 2; while (n--) { int t = a; a = b; b = t; } return a * 10 + b; }");
    assert_eq!(run(&module, "f", &[0]), [12]);
    assert_eq!(run(&module, "f", &[1]), [21]);
    assert_eq!(run(&module, "f", &[2]), [12]);
    assert_eq!(function(&module, "f").loops.len(), 1);
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::LoopBack { number: 0 })), 1);
}

#[test]
fn longer_cycles_and_chains_of_phi_nodes() {
    let module = c("int f(int n) { int a = 1, b = 2, c = 3, d = 0;
        while (n--) { int t = a; d = a; a = b; b = c; c = t; } return a * 1000 + b * 100 + c * 10 + d; }");
    assert_eq!(run(&module, "f", &[0]), [1230]);
    assert_eq!(run(&module, "f", &[1]), [2311]);
    assert_eq!(run(&module, "f", &[2]), [3122]);
    assert_eq!(run(&module, "f", &[3]), [1233]);
}

#[test]
fn switches() {
    let module = c("int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 10; break;
        case -3: return 7; case 4: case 5: r = 45; break; default: r = 99; } return r; }");
    for (x, expected) in [(1, 11), (2, 10), (-3, 7), (4, 45), (5, 45), (6, 99)] {
        assert_eq!(run(&module, "f", &[u64::from(x as u32)]), [expected], "f({x})");
    }
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::Switch { .. })), 1);
}

#[test]
fn nested_loops_each_have_a_number_and_a_place() {
    let module = c("int f(int n) {\n int s = 0;\n for (int i = 0; i < n; i++)\n\
                    for (int j = 0; j < i; j++)\n s += j;\n return s;\n}");
    assert_eq!(run(&module, "f", &[4]), [4]);
    let loops = &function(&module, "f").loops;
    assert_eq!(loops.iter().map(|l| l.place.line).collect::<Vec<_>>(), [3, 4]);
    let headers: Vec<u32> = loops.iter().map(|l| l.header).collect();
    assert!(headers[0] < headers[1], "{headers:?}");
}

#[test]
fn a_loop_with_two_entries_is_bounded_too() {
    let module = c(
        "int f(int n) { int i = 0; if (n & 1) goto odd; even: i++; if (i > 9) return i; odd: i += 2; goto even; }",
    );
    assert_eq!(run(&module, "f", &[0]), [10]);
    assert_eq!(run(&module, "f", &[1]), [12]);
    assert!(count(function(&module, "f"), |i| matches!(i, Instr::LoopBack { .. })) >= 1);
}

#[test]
fn sign_extension_and_truncation() {
    let module = c("long f(signed char x) { return x; } unsigned char g(int x) { return x + 1; }
        unsigned long h(unsigned x) { return x; } _Bool b(int x) { return x; }");
    assert_eq!(run(&module, "f", &[0xff]), [u64::MAX]);
    assert_eq!(run(&module, "g", &[255]), [0]);
    assert_eq!(run(&module, "h", &[0xffff_ffff]), [0xffff_ffff]);
    assert_eq!(run(&module, "b", &[6]), [1]);
}

fn wide(value: i128) -> [u64; 2] {
    [value as u64, (value as u128 >> 64) as u64]
}

#[test]
fn integers_of_128_bits() {
    let module = c("typedef __int128 w; typedef unsigned __int128 u;
        w add(w a, w b) { return a + b; } w sub(w a, w b) { return a - b; } w mul(w a, w b) { return a * b; }
        w shl(w a, int n) { return a << n; } u shr(u a, int n) { return a >> n; } w sar(w a, int n) { return a >> n; }
        int lt(w a, w b) { return a < b; } int ult(u a, u b) { return a < b; } int eq(w a, w b) { return a == b; }
        w widen(long a) { return a; } long narrow(w a) { return a; } w konst(void) { return (w)-5 << 70; }");
    let values = [
        0,
        1,
        -1,
        77,
        i128::from(u64::MAX),
        i128::from(u64::MAX) + 1,
        i128::MIN,
        i128::MAX,
        -(1 << 70),
        3 << 64,
    ];
    for a in values {
        for b in values {
            let args = [wide(a), wide(b)].concat();
            assert_eq!(run(&module, "add", &args), wide(a.wrapping_add(b)), "{a} + {b}");
            assert_eq!(run(&module, "sub", &args), wide(a.wrapping_sub(b)), "{a} - {b}");
            assert_eq!(run(&module, "mul", &args), wide(a.wrapping_mul(b)), "{a} * {b}");
            assert_eq!(run(&module, "lt", &args), [u64::from(a < b)], "{a} < {b}");
            assert_eq!(run(&module, "ult", &args), [u64::from((a as u128) < b as u128)], "{a} <u {b}");
            assert_eq!(run(&module, "eq", &args), [u64::from(a == b)], "{a} == {b}");
        }
        for n in [0, 1, 63, 64, 65, 127] {
            let args = [wide(a)[0], wide(a)[1], n];
            assert_eq!(run(&module, "shl", &args), wide(a << n), "{a} << {n}");
            assert_eq!(run(&module, "shr", &args), wide((a as u128 >> n) as i128), "{a} >>u {n}");
            assert_eq!(run(&module, "sar", &args), wide(a >> n), "{a} >> {n}");
        }
        assert_eq!(run(&module, "narrow", &wide(a)), [a as u64]);
        assert_eq!(run(&module, "widen", &[a as u64]), wide(i128::from(a as i64)));
    }
    assert_eq!(run(&module, "konst", &[]), wide(-5 << 70));
}

#[test]
fn more_with_128_bits() {
    let module = c("typedef __int128 w;
        w div(w a, w b) { return a / b; } w mixed(long a, w b) { return b * 10 + a; }
        int adds(w a, w b) { w r; return __builtin_add_overflow(a, b, &r); }
        w select(int c, w a, w b) { return c ? a : b; } double real(w a) { return a; }
        w sum(w n) { w s = 0; for (w i = 1; i <= n; i++) s += i << 64; return s; }");
    assert_eq!(run(&module, "div", &[wide(-7 << 70), wide(1 << 69)].concat()), wide(-14));
    assert_eq!(run(&module, "mixed", &[u64::MAX, 5, 1]), wide((5 + (1 << 64)) * 10 - 1));
    assert_eq!(run(&module, "adds", &[wide(i128::MAX), wide(1)].concat()), [1]);
    assert_eq!(run(&module, "adds", &[wide(i128::MAX), wide(-1)].concat()), [0]);
    assert_eq!(run(&module, "select", &[vec![1], wide(-9).to_vec(), wide(4).to_vec()].concat()), wide(-9));
    assert_eq!(run(&module, "sum", &wide(4)), wide(10 << 64));
    assert_eq!(unsupported(function(&module, "real")), [""; 0]);
}

#[test]
fn overflow_of_signed_arithmetic_is_an_error_and_of_unsigned_is_not() {
    let module =
        c("int f(int a, int b) { return a + b; } unsigned g(unsigned a, unsigned b) { return a + b; }
        int h(int a, int b) { int r; return __builtin_add_overflow(a, b, &r) ? -1 : r; }");
    let flags = |name: &str| {
        function(&module, name).code.iter().find_map(|instr| match instr {
            Instr::Bin { op: BinOp::Add, no_signed_wrap, no_unsigned_wrap, .. } => {
                Some((*no_signed_wrap, *no_unsigned_wrap))
            }
            _ => None,
        })
    };
    assert_eq!(flags("f"), Some((true, false)));
    assert_eq!(flags("g"), Some((false, false)));
    assert_eq!(flags("h"), None);
    assert_eq!(count(function(&module, "h"), |i| matches!(i, Instr::Overflowing { .. })), 1);
}

#[test]
fn function_pointers_and_structures_in_registers() {
    let module =
        c("struct pair { long a, b; }; int twice(int x) { return 2 * x; } int inc(int x) { return x + 1; }
        int f(int which, int x) { int (*p)(int) = which ? twice : inc; return p(x); }");
    assert_eq!(run(&module, "f", &[1, 21]), [42]);
    assert_eq!(run(&module, "f", &[0, 21]), [22]);
    let indirect =
        count(function(&module, "f"), |i| matches!(i, Instr::Call { callee: Operand::Reg(_), .. }));
    assert_eq!(indirect, 1, "{}", listing(function(&module, "f")));
}

#[test]
fn a_structure_of_two_words_is_returned_in_two_registers() {
    let module =
        c("struct pair { long a, b; }; struct pair make(long a) { struct pair p = { a, a + 1 }; return p; }
        long f(long a) { struct pair p = make(a); return p.a * p.b; }");
    assert_eq!(function(&module, "make").results, 2);
    let calls: Vec<_> = function(&module, "f")
        .code
        .iter()
        .filter(|i| matches!(i, Instr::Call { results: 2, dst: Some(_), .. }))
        .collect();
    assert_eq!(calls.len(), 1);
    assert!(
        function(&module, "make")
            .code
            .iter()
            .any(|i| matches!(i, Instr::Return { values } if values.len() == 2))
    );
}

#[test]
fn intrinsics() {
    let module = c("#include <stdlib.h>\n int pop(unsigned x) { return __builtin_popcount(x); }
        unsigned swap(unsigned x) { return __builtin_bswap32(x); } double root(double x) { return __builtin_sqrt(x); }
        double fused(double a, double b, double c) { return a * b + c; }
        int likely(int x) { return __builtin_expect(x, 1); } void die(void) { __builtin_trap(); }
        int known(int x) { return __builtin_constant_p(x); } double e(double x) { return __builtin_exp(x); }");
    for f in &module.functions {
        assert_eq!(unsupported(f), [""; 0], "{}", f.name);
    }
    assert_eq!(count(function(&module, "pop"), |i| matches!(i, Instr::Bits { .. })), 1);
    assert_eq!(count(function(&module, "swap"), |i| matches!(i, Instr::Bits { .. })), 1);
    assert_eq!(count(function(&module, "root"), |i| matches!(i, Instr::Float { .. })), 1);
    assert_eq!(count(function(&module, "fused"), |i| matches!(i, Instr::Float { .. })), 2);
    assert_eq!(run(&module, "likely", &[5]), [5]);
    assert_eq!(function(&module, "abort").code.len(), 0);
}
