//! Arithmetic of all widths against Rust's own.

use crate::common;

use common::{main_with, run};
use proptest::prelude::*;
use selvedge_machine::Op;

/// The values that `main` stores to `x`, or the kind of the error.
fn stored(body: &str) -> Result<Vec<u64>, &'static str> {
    let run = run(&main_with(body));
    match run.error() {
        Some(error) => Err(error.kind.name()),
        None => Ok(run
            .ops
            .iter()
            .filter_map(|(_, op)| match op {
                Op::Store { value, .. } => Some(*value as u64),
                _ => None,
            })
            .collect()),
    }
}

/// The result of an instruction with two operands.
fn bin(op: &str, bits: u32, a: u64, b: u64) -> Result<u64, &'static str> {
    stored(&format!("r0 = {op}.{bits} {a}, {b}\nstore.8.na @x, r0")).map(|s| s[0])
}

macro_rules! against_rust {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(24))]
            #[test]
            fn $name(a: $unsigned, b: $unsigned, small in 0..<$unsigned>::BITS) {
                let bits = <$unsigned>::BITS;
                let (sa, sb) = (a as $signed, b as $signed);
                let of = |op: &str, b: $unsigned| bin(op, bits, a as u64, b as u64);
                let fine = |v: $unsigned| Ok(v as u64);
                prop_assert_eq!(of("add", b), fine(a.wrapping_add(b)));
                prop_assert_eq!(of("sub", b), fine(a.wrapping_sub(b)));
                prop_assert_eq!(of("mul", b), fine(a.wrapping_mul(b)));
                prop_assert_eq!(of("and", b), fine(a & b));
                prop_assert_eq!(of("or", b), fine(a | b));
                prop_assert_eq!(of("xor", b), fine(a ^ b));
                let zero = Err("division-by-zero");
                prop_assert_eq!(of("udiv", b), a.checked_div(b).map_or(zero, fine));
                prop_assert_eq!(of("urem", b), a.checked_rem(b).map_or(zero, fine));
                prop_assert_eq!(of("sdiv", b), sa.checked_div(sb).map_or(zero, |v| fine(v as $unsigned)));
                prop_assert_eq!(of("srem", b), sa.checked_rem(sb).map_or(zero, |v| fine(v as $unsigned)));
                prop_assert_eq!(of("shl", small as $unsigned), fine(a << small));
                prop_assert_eq!(of("lshr", small as $unsigned), fine(a >> small));
                prop_assert_eq!(of("ashr", small as $unsigned), fine((sa >> small) as $unsigned));
                prop_assert_eq!(of("umin", b), fine(a.min(b)));
                prop_assert_eq!(of("umax", b), fine(a.max(b)));
                prop_assert_eq!(of("smin", b), fine(sa.min(sb) as $unsigned));
                prop_assert_eq!(of("smax", b), fine(sa.max(sb) as $unsigned));
                prop_assert_eq!(of("uaddsat", b), fine(a.saturating_add(b)));
                prop_assert_eq!(of("usubsat", b), fine(a.saturating_sub(b)));
                prop_assert_eq!(of("saddsat", b), fine(sa.saturating_add(sb) as $unsigned));
                prop_assert_eq!(of("ssubsat", b), fine(sa.saturating_sub(sb) as $unsigned));
                let cmp = |op: &str| of(&format!("cmp.{op}"), b).map(|v| v == 1);
                prop_assert_eq!(cmp("eq"), Ok(a == b));
                prop_assert_eq!(cmp("ne"), Ok(a != b));
                prop_assert_eq!(cmp("ult"), Ok(a < b));
                prop_assert_eq!(cmp("uge"), Ok(a >= b));
                prop_assert_eq!(cmp("slt"), Ok(sa < sb));
                prop_assert_eq!(cmp("sle"), Ok(sa <= sb));
                prop_assert_eq!(cmp("sgt"), Ok(sa > sb));
                let over = |op: &str| {
                    let body = format!(
                        "r0 = overflowing.{op}.{bits} {a}, {b}\nstore.8.na @x, r0\nstore.8.na @x, r1"
                    );
                    stored(&body).map(|s| (s[0] as $unsigned, s[1] == 1))
                };
                let signed = |(v, o): ($signed, bool)| Ok((v as $unsigned, o));
                prop_assert_eq!(over("uadd"), Ok(a.overflowing_add(b)));
                prop_assert_eq!(over("usub"), Ok(a.overflowing_sub(b)));
                prop_assert_eq!(over("umul"), Ok(a.overflowing_mul(b)));
                prop_assert_eq!(over("sadd"), signed(sa.overflowing_add(sb)));
                prop_assert_eq!(over("ssub"), signed(sa.overflowing_sub(sb)));
                prop_assert_eq!(over("smul"), signed(sa.overflowing_mul(sb)));
                let with_nsw = of_nsw("add", bits, a as u64, b as u64);
                prop_assert_eq!(with_nsw.is_err(), sa.checked_add(sb).is_none());
                let one = |op: &str| stored(&format!("r0 = bits.{op}.{bits} {a}\nstore.8.na @x, r0")).map(|s| s[0]);
                prop_assert_eq!(one("ctpop"), Ok(a.count_ones() as u64));
                prop_assert_eq!(one("ctlz"), Ok(a.leading_zeros() as u64));
                prop_assert_eq!(one("cttz"), Ok(a.trailing_zeros() as u64));
                prop_assert_eq!(one("bswap"), fine(a.swap_bytes()));
                prop_assert_eq!(one("bitreverse"), fine(a.reverse_bits()));
                prop_assert_eq!(one("abs"), fine(sa.wrapping_abs() as $unsigned));
                let funnel = |side: &str| {
                    stored(&format!("r0 = funnel.{side}.{bits} {a}, {a}, {small}\nstore.8.na @x, r0")).map(|s| s[0])
                };
                prop_assert_eq!(funnel("left"), fine(a.rotate_left(small)));
                prop_assert_eq!(funnel("right"), fine(a.rotate_right(small)));
                let sext = format!("r0 = cast.sext.{bits}.64 {a}\nstore.8.na @x, r0");
                prop_assert_eq!(stored(&sext), Ok(vec![sa as i64 as u64]));
                let rmw = |op: &str, old: $unsigned, b: $unsigned| {
                    let bytes = bits / 8;
                    let body = format!("store.{bytes}.rlx @x, {old}\nr0 = rmw.{op}.{bytes}.rlx @x, {b}");
                    stored(&body).map(|s| s[1] as $unsigned)
                };
                prop_assert_eq!(rmw("add", a, b), Ok(a.wrapping_add(b)));
                prop_assert_eq!(rmw("sub", a, b), Ok(a.wrapping_sub(b)));
                prop_assert_eq!(rmw("nand", a, b), Ok(!(a & b)));
                prop_assert_eq!(rmw("max", a, b), Ok(sa.max(sb) as $unsigned));
                prop_assert_eq!(rmw("min", a, b), Ok(sa.min(sb) as $unsigned));
                prop_assert_eq!(rmw("umax", a, b), Ok(a.max(b)));
                prop_assert_eq!(rmw("xchg", a, b), Ok(b));
            }
        }
    };
}

fn of_nsw(op: &str, bits: u32, a: u64, b: u64) -> Result<u64, &'static str> {
    stored(&format!("r0 = {op}.{bits}.nsw {a}, {b}\nstore.8.na @x, r0")).map(|s| s[0])
}

against_rust!(bits_8, u8, i8);
against_rust!(bits_16, u16, i16);
against_rust!(bits_32, u32, i32);
against_rust!(bits_64, u64, i64);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn bits_128(a: u128, b: u128) {
        let of = |op: &str| {
            let body = format!(
                "r0 = move {}\nr1 = move {}\nr2 = move {}\nr3 = move {}\nr4 = {op}.128 r0, r2\n\
                 store.8.na @x, r4\nstore.8.na @y, r5",
                a as u64, a >> 64, b as u64, b >> 64
            );
            stored(&body).map(|s| (s[1] as u128) << 64 | s[0] as u128)
        };
        prop_assert_eq!(of("add"), Ok(a.wrapping_add(b)));
        prop_assert_eq!(of("mul"), Ok(a.wrapping_mul(b)));
        prop_assert_eq!(of("udiv"), a.checked_div(b).ok_or("division-by-zero"));
        let signed = (a as i128).checked_rem(b as i128).map(|v| v as u128);
        prop_assert_eq!(of("srem"), signed.ok_or("division-by-zero"));
    }

    #[test]
    fn floats(a: f64, b: f64) {
        let of = |op: &str| {
            let body = format!("r0 = float.{op}.64 {}, {}, 0\nstore.8.na @x, r0", a.to_bits(), b.to_bits());
            stored(&body).map(|s| s[0])
        };
        prop_assert_eq!(of("add"), Ok((a + b).to_bits()));
        prop_assert_eq!(of("mul"), Ok((a * b).to_bits()));
        prop_assert_eq!(of("div"), Ok((a / b).to_bits()));
        prop_assert_eq!(of("neg"), Ok((-a).to_bits()));
        let less = format!("r0 = fcmp.l.64 {}, {}\nstore.8.na @x, r0", a.to_bits(), b.to_bits());
        prop_assert_eq!(stored(&less), Ok(vec![(a < b) as u64]));
        let unequal = format!("r0 = fcmp.lgu.64 {}, {}\nstore.8.na @x, r0", a.to_bits(), b.to_bits());
        prop_assert_eq!(stored(&unequal), Ok(vec![(a != b) as u64]));
        let int = format!("r0 = cast.floattosigned.64.32 {}\nstore.8.na @x, r0", (a % 1e9).to_bits());
        prop_assert_eq!(stored(&int), Ok(vec![(a % 1e9) as i32 as u32 as u64]));
        let single = format!("r0 = cast.float.64.32 {}\nstore.8.na @x, r0", a.to_bits());
        prop_assert_eq!(stored(&single), Ok(vec![(a as f32).to_bits() as u64]));
    }
}
