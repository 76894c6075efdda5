//! How memory is divided into cells, and what happens when an access does not fit them.

use crate::common;

use common::{main_with, run};
use proptest::prelude::*;
use selvedge_machine::{Again, Machine, Op, Tid};

fn values(body: &str) -> (Vec<String>, u32) {
    let run = run(&main_with(body));
    assert_eq!(run.error(), None, "{:?}", run.trace());
    (run.trace(), run.restarts)
}

#[test]
fn a_load_may_span_cells_that_are_there() {
    let (trace, restarts) =
        values("store.4.na @x, 1\nstore.4.na @x+4, 2\nr0 = load.8.na @x\nstore.8.na @y, r0");
    assert_eq!(restarts, 0);
    assert_eq!(trace[2..5], ["0: R x na", "0: R x+4 na", format!("0: W y {} na", 1 | 2i64 << 32).as_str()]);
}

#[test]
fn a_store_into_a_part_of_a_cell_asks_for_smaller_cells() {
    let (trace, restarts) =
        values("store.8.na @x, -1\nstore.2.na @x+2, 0\nr0 = load.8.na @x\nstore.8.na @y, r0");
    assert_eq!(restarts, 1);
    let last = trace[trace.len() - 2].clone();
    assert_eq!(last, format!("0: W y {} na", 0xffff_ffff_0000_ffff_u64 as i64));
}

#[test]
fn bytes_are_bytes_whatever_the_accesses() {
    let body = "
        store.8.na @x, 0x1122334455667788
        store.4.na @x+2, 0xaabbccdd
        r0 = load.1.na @x+5
        store.1.na @x+7, r0
        r0 = load.8.na @x
        store.8.na @y, r0";
    let (trace, _) = values(body);
    assert!(trace.contains(&format!("0: W y {} na", 0xaa22_aabb_ccdd_7788_u64 as i64)), "{trace:?}");
}

#[test]
fn a_copy_goes_cell_by_cell() {
    let program = "
        global @from size 16 align 8 = x\"0100000002000000030000000000000f\"
        global @to size 16 align 8 = zero 16
        func &memcpy(r0, r1, r2) results 1 regs 3
        func &main() results 1 regs 2 {
            store.4.na @from, 9
            r0 = load.8.na @from+8
            r0 = call.1 &memcpy (@to, @from, 16)
            r1 = load.4.na @to
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.restarts, 0, "the copy has the cells of the original");
    assert_eq!(
        run.trace(),
        [
            "0: W from 9 na",
            "0: R from+8 na",
            "0: R from na",
            "0: R from+4 na",
            "0: R from+8 na",
            "0: W to 9 na",
            "0: W to+4 2 na",
            &format!("0: W to+8 {} na", 0x0f00_0000_0000_0003_u64 as i64),
            "0: R to na",
            "0: end"
        ]
    );
}

#[test]
fn copies_may_overlap() {
    let program = "
        global @a size 12 align 4 = x\"010000000200000003000000\"
        func &memmove(r0, r1, r2) results 1 regs 3
        func &main() results 1 regs 4 {
            r0 = call.1 &memmove (@a+4, @a, 8)
            r0 = load.4.na @a
            r1 = load.4.na @a+4
            r2 = load.4.na @a+8
            return (0)
        }";
    let run = run(program);
    assert_eq!((run.value("a+4"), run.value("a+8")), (1, 2));
}

#[test]
fn a_cleared_object_can_hold_atomics() {
    let program = "
        func &malloc(r0) results 1 regs 1
        func &memset(r0, r1, r2) results 1 regs 3
        func &main() results 1 regs 4 {
            r0 = call.1 &malloc (64)
            r1 = call.1 &memset (r0, 0, 64)
            r2 = offset r0, 4, 1
            r3 = rmw.add.4.rlx r2, 1
            r2 = offset r0, 8, 1
            store.2.rlx r2, 1
            r2 = offset r0, 16, 1
            store.8.rlx r2, 1
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.error(), None);
    assert!((1..=2).contains(&run.restarts), "{}", run.restarts);
}

#[test]
fn an_array_of_atomics_needs_few_restarts() {
    let mut body = String::from("r0 = call.1 &memset (@a, 0, 400)\n");
    for i in 0..100 {
        body += &format!("store.4.rlx @a+{}, 1\n", 4 * i);
    }
    let program = format!(
        "global @a size 400 align 4 = zero 400\nfunc &memset(r0, r1, r2) results 1 regs 3\n\
         func &main() results 1 regs 1 {{ {body} return (0) }}"
    );
    let run = run(&program);
    assert_eq!(run.error(), None);
    assert!(run.restarts < 15, "{}", run.restarts);
    assert_eq!(run.ops.len(), 201, "once an element, each time");
}

#[test]
fn a_plain_load_of_a_part_of_an_atomic_looks_at_all_of_it() {
    let (trace, _) = values("store.4.rlx @x, 0x01020304\nr0 = load.1.na @x+1\nstore.4.na @y, r0");
    assert_eq!(trace, ["0: W x 16909060 rlx", "0: R x na", "0: W y 3 na", "0: end"]);
}

/// What they mean is tested in `mixed_sizes.rs`.
#[test]
fn atomics_of_different_sizes_may_overlap() {
    for body in [
        "store.4.rlx @x, 1\nr0 = load.8.rlx @x",
        "store.8.rlx @x, 1\nr0 = rmw.add.4.rlx @x+4, 1",
        "store.4.rlx @x, 1\nstore.1.na @x, 1",
        "store.8.na @x, 1\nstore.4.rlx @x, 1\nstore.2.rlx @x, 1",
    ] {
        assert_eq!(run(&main_with(body)).error_kind(), "none", "{body}");
    }
}

#[test]
fn constants_are_read_without_operations() {
    let program = "
        global @c size 8 align 8 constant = x\"0102030405060708\"
        global @x size 8 align 8 = zero 8
        func &memcpy(r0, r1, r2) results 1 regs 3
        func &main() results 1 regs 1 {
            r0 = load.2.na @c+6
            r0 = call.1 &memcpy (@x, @c, 8)
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.trace(), ["0: W x 578437695752307201 na", "0: end"]);
    assert!(matches!(run.ops[0].1, Op::Store { .. }));
}

#[test]
fn padding_is_copied_without_complaint() {
    let program = "
        func &malloc(r0) results 1 regs 1
        func &memcpy(r0, r1, r2) results 1 regs 3
        func &main() results 1 regs 4 {
            r0 = call.1 &malloc (8)
            store.4.na r0, 1
            r1 = call.1 &malloc (8)
            r2 = call.1 &memcpy (r1, r0, 8)
            r3 = alloca.private 8, 4
            store.1.na r3, 5
            r2 = call.1 &memcpy (r1, r3, 8)
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.error(), None);
}

#[test]
fn fields_in_one_register_are_defined_one_by_one() {
    let body = "
        r0 = alloca.private 8, 8
        store.4.na r0, 7
        r1 = load.8.na r0
        r2 = cast.trunc.64.32 r1
        r3 = cmp.eq.32 r2, 7
        branch r3, right, wrong
    wrong: unreachable
    right:
        r2 = and.64 r1, 0xffffffff
        r2 = shl.64 r2, 32
        r2 = lshr.64 r2, 32
        r3 = cmp.eq.64 r2, 7
        branch r3, fine, wrong
    fine:
        store.8.na @x, r2";
    let (trace, _) = values(body);
    assert_eq!(trace, ["0: W x 7 na", "0: end"]);
}

/// A step of a random program on an array of bytes.
#[derive(Clone, Debug)]
enum Step {
    Store(u8, u8, u64),
    /// From one place to another, through a register.
    Move(u8, u8, u8),
    Copy(u8, u8, u8),
    Fill(u8, u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let size = || (0..4u32).prop_map(|log| 1u8 << log);
    prop_oneof![
        (0..56u8, size(), any::<u64>()).prop_map(|(at, size, value)| Step::Store(at, size, value)),
        (0..56u8, 0..56u8, size()).prop_map(|(to, from, size)| Step::Move(to, from, size)),
        (0..40u8, 0..40u8, 0..24u8).prop_map(|(to, from, len)| Step::Copy(to, from, len)),
        (0..40u8, 0..24u8, any::<u8>()).prop_map(|(at, len, byte)| Step::Fill(at, len, byte)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the cells, shared and private memory behave like bytes.
    #[test]
    fn memory_is_an_array_of_bytes(steps in prop::collection::vec(step(), 1..12)) {
        let mut bytes = [0u8; 64];
        let (mut shared, mut private) = (String::new(), String::new());
        for step in &steps {
            let text = |base: &dyn Fn(u8) -> String| match *step {
                Step::Store(at, size, value) => format!("{}store.{size}.na r0, {value}", base(at)),
                Step::Move(to, from, size) => {
                    format!("{}r1 = load.{size}.na r0\n{}store.{size}.na r0, r1", base(from), base(to))
                }
                Step::Copy(to, from, len) => {
                    format!("{}r1 = move r0\n{}r0 = call.1 &memmove (r0, r1, {len})", base(from), base(to))
                }
                Step::Fill(at, len, byte) => format!("{}r0 = call.1 &memset (r0, {byte}, {len})", base(at)),
            } + "\n";
            shared += &text(&|at| format!("r0 = offset @a, {at}, 1\n"));
            private += &text(&|at| format!("r0 = offset r2, {at}, 1\n"));
            match *step {
                Step::Store(at, size, value) => {
                    let (at, size) = (at as usize, size as usize);
                    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
                }
                Step::Move(to, from, size) | Step::Copy(to, from, size) => {
                    bytes.copy_within(from as usize..(from + size) as usize, to as usize);
                }
                Step::Fill(at, len, byte) => bytes[at as usize..(at + len) as usize].fill(byte),
            }
        }
        let program = |prepare: &str, body: &str, copy: &str| {
            format!(
                "global @a size 64 align 8 = zero 64\nglobal @result size 64 align 8 = zero 64
                func &memmove(r0, r1, r2) results 1 regs 3\nfunc &memset(r0, r1, r2) results 1 regs 3
                func &main() results 1 regs 4 {{\n{prepare}\n{body}\n
                r0 = call.1 &memmove (@result, {copy}, 64)\nreturn (0)\n}}"
            )
        };
        let clear = "r2 = alloca.private 64, 8\nr0 = call.1 &memset (r2, 0, 64)";
        for text in [program("", &shared, "@a"), program(clear, &private, "r2")] {
            let run = run(&text);
            prop_assert_eq!(run.error(), None);
            prop_assert_eq!(run.bytes("result", 64), bytes, "{}", text);
        }
    }
}

/// What one machine learns, those who explore with it are told of when it is asked for all of them.
#[test]
fn a_colleague_that_needs_smaller_cells_is_heard() {
    let text = "
        global @x size 8 align 8 = zero 8
        func &main() results 1 regs 1 {
            store.8.na @x, 1
            store.2.na @x+2, 1
            return (0)
        }";
    let machine = common::machine(text, selvedge_vm::Options::default());
    let colleague = machine.colleague();
    let mut state = colleague.start(Tid(0));
    for _ in 0..4 {
        if matches!(colleague.step(&mut state, 0), Op::Error(_)) {
            break;
        }
    }
    assert_eq!(colleague.again(), Some(Again::CellsRefined));
    assert_eq!(machine.again_for_all(), Some(Again::CellsRefined));
}
