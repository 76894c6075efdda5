//! The functions of `libatomic`, which clang calls where it does not know that an access is lock-free.
//!
//! `__atomic_load_8(p, order)` has the size in its name; `__atomic_load(8, p, result, order)` is given it,
//! and addresses instead of values. All orders are known at run time only, so each function has an access for
//! each of them. The text is made here, since it is the same for all sizes.

use selvedge_ir::registers;
use std::fmt::Write;

const SIZES: [u32; 5] = [1, 2, 4, 8, 16];
const OPS: [&str; 6] = ["add", "sub", "and", "or", "xor", "nand"];

/// The names of C's orders by number; `consume` is `acquire`.
const LOADS: &str = "(0 rlx, 5 sc) acq";
const STORES: &str = "(0 rlx, 5 sc) rel";
const RMWS: &str = "(0 rlx, 3 rel, 4 ar, 5 sc) acq";

/// The bytecode of these functions, as text.
pub fn text() -> String {
    let mut out = String::new();
    for size in SIZES {
        sized(&mut out, size);
    }
    generic(&mut out);
    out
}

/// `r3`, or `r3, r4` for a value of two registers.
fn row(first: u32, count: u32) -> String {
    (first..first + count).map(|r| format!("r{r}")).collect::<Vec<_>>().join(", ")
}

fn sized(out: &mut String, size: u32) {
    let words = words(size);
    let value = row(1, words);
    let order = 1 + words;
    let old = order + 1;
    let result = row(old, words);
    let regs = old + words;

    let (first, given) = (2, row(2, words));
    let _ = writeln!(out, "func &__atomic_load_{size}(r0, r1) results {words} regs {} {{", 2 + words);
    let _ = writeln!(out, "switch r1 {LOADS}");
    for mode in ["rlx", "acq", "sc"] {
        let _ = writeln!(out, "{mode}:\nr{first} = load.{size}.{mode} r0\nreturn ({given})");
    }
    let _ = writeln!(out, "}}");

    let _ = writeln!(out, "func &__atomic_store_{size}(r0, {value}, r{order}) results 0 regs {old} {{");
    let _ = writeln!(out, "switch r{order} {STORES}");
    for mode in ["rlx", "rel", "sc"] {
        let _ = writeln!(out, "{mode}:\nstore.{size}.{mode} r0, r1\nreturn ()");
    }
    let _ = writeln!(out, "}}");

    let rmws = OPS.iter().map(|op| (format!("fetch_{op}"), *op)).chain([(String::from("exchange"), "xchg")]);
    for (name, op) in rmws {
        let _ = writeln!(
            out,
            "func &__atomic_{name}_{size}(r0, {value}, r{order}) results {words} regs {regs} {{\nswitch r{order} {RMWS}"
        );
        for mode in ["rlx", "acq", "rel", "ar", "sc"] {
            let _ = writeln!(out, "{mode}:\nr{old} = rmw.{op}.{size}.{mode} r0, r1\nreturn ({result})");
        }
        let _ = writeln!(out, "}}");
    }
    compare_exchange(out, size, words);
}

/// `__atomic_compare_exchange_N(p, expected, desired, success, failure)`.
fn compare_exchange(out: &mut String, size: u32, words: u32) {
    let (desired, success) = (row(2, words), 2 + words);
    let (failure, expected) = (success + 1, success + 2);
    let (old, flag) = (expected + words, expected + 2 * words);
    let _ = writeln!(
        out,
        "func &__atomic_compare_exchange_{size}(r0, r1, {desired}, r{success}, r{failure}) results 1 regs {} {{",
        flag + 1
    );
    let _ = writeln!(out, "r{expected} = load.{size}.na r1\nswitch r{success} {RMWS}");
    for mode in ["rlx", "acq", "rel", "ar", "sc"] {
        let _ = writeln!(out, "{mode}:\nswitch r{failure} (0 {mode}_rlx, 5 {mode}_sc) {mode}_acq");
        for fail in ["rlx", "acq", "sc"] {
            let _ = writeln!(
                out,
                "{mode}_{fail}:\nr{old} = cmpxchg.{size}.{mode}.{fail} r0, r{expected}, r2\njump done"
            );
        }
    }
    let _ = writeln!(out, "done:\nbranch r{flag}, hit, miss\nhit:\nreturn (1)");
    let _ = writeln!(out, "miss:\nstore.{size}.na r1, r{old}\nreturn (0)\n}}");
}

/// Name, parameters after the size, results, and the code for a size and the registers of a value.
type Generic = (&'static str, &'static str, u32, fn(u32, &str) -> String);

/// The functions that are given a size, by those that have it in their names.
fn generic(out: &mut String) {
    let functions: [Generic; 4] = [
        ("load", "r1, r2, r3", 0, |n, v| {
            let dst = v.split(',').next().unwrap_or(v);
            format!(
                "{dst} = call.{} &__atomic_load_{n} (r1, r3)\nstore.{n}.na r2, {dst}\nreturn ()",
                words(n)
            )
        }),
        ("store", "r1, r2, r3", 0, |n, v| {
            let src = v.split(',').next().unwrap_or(v);
            format!("{src} = load.{n}.na r2\ncall.0 &__atomic_store_{n} (r1, {v}, r3)\nreturn ()")
        }),
        ("exchange", "r1, r2, r3, r4", 0, |n, v| {
            let reg = v.split(',').next().unwrap_or(v);
            format!(
                "{reg} = load.{n}.na r2\n{reg} = call.{} &__atomic_exchange_{n} (r1, {v}, r4)\nstore.{n}.na r3, {reg}\nreturn ()",
                words(n)
            )
        }),
        ("compare_exchange", "r1, r2, r3, r4, r5", 1, |n, v| {
            let reg = v.split(',').next().unwrap_or(v);
            format!(
                "{reg} = load.{n}.na r3\n{reg} = call.1 &__atomic_compare_exchange_{n} (r1, r2, {v}, r4, r5)\nreturn ({reg})"
            )
        }),
    ];
    for (name, params, results, body) in functions {
        let cases = SIZES.map(|n| format!("{n} s{n}")).join(", ");
        let _ = writeln!(
            out,
            "func &__atomic_{name}(r0, {params}) results {results} regs 8 {{\nswitch r0 ({cases}) odd\n\
             odd:\nunsupported \"an atomic access of a size other than 1, 2, 4, 8 and 16 bytes\""
        );
        for n in SIZES {
            let _ = writeln!(out, "s{n}:\n{}", body(n, &row(6, words(n))));
        }
        let _ = writeln!(out, "}}");
    }
}

fn words(size: u32) -> u32 {
    registers(size as u8)
}
