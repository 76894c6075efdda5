//! Control flow, calls and memory: what programs do, operation by operation.

use crate::common;

use common::{main_with, run, run_with};
use selvedge_machine::{Foresight, Machine, Names, Op};
use selvedge_vm::{LoopBound, Options};

/// Sums 1 to 10 with a loop; values go round in registers.
const SUM: &str = "
    file \"sum.c\"
    global @x size 4 align 4 = zero 4
    func &main() results 1 regs 4 {
        loop head !0:3:1
        r0 = move 1
        r1 = move 0
    head:
        r2 = cmp.sle.32 r0, 10
        branch r2, body, done
    body:
        r1 = add.32 r1, r0
        r0 = add.32 r0, 1
        loopback 0
        jump head
    done:
        store.4.rel @x, r1
        return (0)
    }";

/// Counts to 10 in memory that another thread writes, too.
const UNTIL: &str = "
    file \"sum.c\"
    global @x size 4 align 4 = zero 4
    global @t size 8 align 8 = zero 8
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &other(r0) results 1 regs 1 { store.4.rlx @x, 1 return (0) }
    func &main() results 1 regs 4 {
        loop head !0:3:1
        r1 = call.1 &pthread_create (@t, 0, &other, 0)
    head:
        r0 = load.4.rlx @x
        r2 = cmp.slt.32 r0, 10
        branch r2, body, done
    body:
        r0 = add.32 r0, 1
        store.4.rlx @x, r0
        loopback 0
        jump head
    done:
        return (0)
    }";

#[test]
fn a_loop_that_others_do_not_decide_about_runs_to_its_end() {
    let run = run_with(SUM, Options { unroll: 2, ..Options::default() }, &[]);
    assert_eq!(run.trace(), ["0: W x 55 rel", "0: end"]);
    assert!(run.machine.cut_loops().is_empty());
}

#[test]
fn a_loop_is_cut_at_its_bound() {
    let run = run_with(UNTIL, Options { unroll: 10, ..Options::default() }, &[]);
    assert_eq!(run.end(0), Op::End, "ten rounds are ten back edges");
    let run = run_with(UNTIL, Options { unroll: 9, ..Options::default() }, &[]);
    assert_eq!(run.end(0), Op::Cut);
    let cut = run.machine.cut_loops();
    assert_eq!((cut[0].0.file.as_str(), cut[0].0.line, cut[0].1), ("sum.c", 3, 9));
}

#[test]
fn a_bound_for_one_loop_counts_more() {
    let bound = |function: &str, line| LoopBound { function: Some(function.into()), line, bound: 10 };
    for (some, end) in [
        (bound("main", None), Op::End),
        (bound("main", Some(3)), Op::End),
        (bound("main", Some(4)), Op::Cut),
        (bound("other", None), Op::Cut),
    ] {
        let options = Options { unroll: 2, unroll_some: vec![some.clone()], ..Options::default() };
        assert_eq!(run_with(UNTIL, options, &[]).end(0), end, "{some:?}");
    }
    // And in any case.
    let some = LoopBound { function: None, line: Some(3), bound: 4 };
    let options = Options { unroll_some: vec![some], ..Options::default() };
    assert_eq!(run_with(SUM, options, &[]).end(0), Op::Cut);
}

#[test]
fn an_inner_loop_counts_anew_in_each_round() {
    let program = "
        global @x size 4 align 4 = zero 4
        func &main() results 1 regs 4 {
            loop outer
            loop inner
            r0 = move 0
        outer:
            r1 = move 0
        inner:
            r3 = load.4.na @x
            r3 = add.32 r3, 1
            store.4.na @x, r3
            r1 = add.32 r1, 1
            r2 = cmp.slt.32 r1, 4
            branch r2, again, next
        again:
            loopback 1
            jump inner
        next:
            r0 = add.32 r0, 1
            r2 = cmp.slt.32 r0, 3
            branch r2, round, done
        round:
            loopback 0
            jump outer
        done:
            return (0)
        }";
    let run = run_with(program, Options { unroll: 3, ..Options::default() }, &[]);
    assert_eq!(run.end(0), Op::End);
    assert_eq!(run.value("x"), 12);
}

#[test]
fn recursion_and_its_bound() {
    let program = "
        global @x size 8 align 8 = zero 8
        func &fact(r0) results 1 regs 3 {
            r1 = cmp.eq.64 r0, 0
            branch r1, zero, more
        zero:
            return (1)
        more:
            r1 = sub.64 r0, 1
            r2 = call.1 &fact (r1)
            r2 = mul.64 r2, r0
            return (r2)
        }
        func &main() results 1 regs 1 {
            r0 = call.1 &fact (20)
            store.8.na @x, r0
            return (0)
        }";
    assert_eq!(run(program).value("x"), 2_432_902_008_176_640_000);
    let run = run_with(program, Options { max_call_depth: 10, ..Options::default() }, &[]);
    assert_eq!(run.end(0), Op::Cut);
    assert_eq!(run.machine.cut_loops()[0].1, 10);
}

#[test]
fn results_of_several_registers_and_calls_through_pointers() {
    let program = "
        global @x size 8 align 8 = zero 8
        global @y size 8 align 8 = zero 8
        global @table size 16 align 8 = zero 16 at 8 &swap
        func &swap(r0, r1) results 2 regs 2 {
            return (r1, r0)
        }
        func &main() results 1 regs 3 {
            r2 = load.8.na @table+8
            r0 = call.2 r2 (1, 2)
            store.8.na @x, r0
            store.8.na @y, r1
            return (0)
        }";
    let run = run(program);
    assert_eq!((run.value("x"), run.value("y")), (2, 1));
}

#[test]
fn a_switch_takes_its_case() {
    for (value, expected) in [(1, 10), (7, 70), (3, 0)] {
        let body = format!(
            "r0 = move {value}\nr1 = move 0\nswitch r0 (1 one, 7 seven) other\n\
             one: r1 = move 10\njump other\nseven: r1 = move 70\nother: store.4.na @x, r1"
        );
        assert_eq!(run(&main_with(&body)).value("x"), expected);
    }
}

#[test]
fn private_memory_makes_no_operations() {
    let body = "
        r0 = alloca.private 300, 8
        r1 = offset r0, 126, 1
        store.4.na r1, 305419896
        r2 = load.2.na r1
        store.4.na @x, r2
        r1 = offset r0, 128, 1
        r2 = load.2.na r1
        store.4.na @y, r2";
    let run = run(&main_with(body));
    assert_eq!(run.trace(), ["0: W x 22136 na", "0: W y 4660 na", "0: end"]);
}

#[test]
fn atomic_operations_on_private_memory() {
    let body = "
        r0 = alloca.private 4, 4
        store.4.rlx r0, 5
        r1 = rmw.add.4.sc r0, 3
        r2 = cmpxchg.4.sc.sc r0, 8, 9
        r4 = cmpxchg.4.sc.sc r0, 8, 10
        r6 = load.4.sc r0
        store.8.na @x, r3
        store.8.na @y, r6";
    let run = run(&main_with(body));
    assert_eq!((run.value("x"), run.value("y")), (1, 9));
}

#[test]
fn a_saved_state_is_not_changed_by_running_a_copy() {
    let program = main_with(
        "r0 = alloca.private 4, 4\nstore.4.na r0, 1\nr1 = load.4.rlx @x\nstore.4.na r0, r1\n\
         r1 = load.4.rlx @y\nr1 = load.4.na r0\nstore.4.rlx @x, r1",
    );
    let machine = common::machine(&program, Options::default());
    let mut state = machine.start(selvedge_machine::Tid(0));
    machine.step(&mut state, 0);
    for value in [7, 8] {
        let mut copy = state.clone();
        machine.step(&mut copy, value);
        match machine.step(&mut copy, 0) {
            Op::Store { value: stored, .. } => assert_eq!(stored, value),
            op => panic!("{op:?}"),
        }
    }
}

#[test]
fn objects_on_the_heap_live_and_die() {
    let program = "
        func &malloc(r0) results 1 regs 1
        func &calloc(r0, r1) results 1 regs 2
        func &free(r0) results 0 regs 1
        func &main() results 1 regs 3 {
            r0 = call.1 &malloc (8)
            store.8.na r0, 3
            r1 = call.1 &calloc (2, 4)
            r2 = load.4.na r1
            call.0 &free (r0)
            call.0 &free (0)
            call.0 &free (r1)
            return (0)
        }";
    let run = run(program);
    let names: Vec<String> = run.trace();
    assert_eq!(
        names,
        [
            "0: alloc",
            "0: W heap object 0.0 3 na",
            "0: alloc",
            "0: R heap object 0.1 na",
            "0: free",
            "0: free",
            "0: end"
        ]
    );
    let initial = run.ops.iter().filter_map(|(_, op)| match op {
        Op::Load { loc, .. } | Op::Store { loc, .. } => {
            Some(run.machine.value_name(*loc, run.machine.init_value(*loc)))
        }
        _ => None,
    });
    assert_eq!(initial.collect::<Vec<_>>(), ["undefined", "0"], "`calloc` clears, `malloc` does not");
}

#[test]
fn variables_that_escape_die_when_their_function_returns() {
    let program = "
        func &f() results 1 regs 1 {
            local r0 \"v\"
            r0 = alloca 4, 4
            store.4.na r0, 1
            return (r0)
        }
        func &main() results 1 regs 1 {
            r0 = call.1 &f ()
            r0 = load.4.na r0
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.trace(), ["0: alloc", "0: W v 1 na", "0: free", "0: R v na", "0: end"]);
    let Op::Alloc { object } = run.ops[0].1 else { panic!("{:?}", run.ops[0]) };
    assert!(run.machine.is_on_stack(object));
}

#[test]
fn constructors_run_before_main_in_order() {
    let program = "
        global @x size 4 align 4 = zero 4
        constructor &a
        constructor &b
        func &a() results 0 regs 0 { store.4.na @x, 1 return () }
        func &b() results 0 regs 0 { store.4.na @x, 2 return () }
        func &main(r0, r1) results 1 regs 2 { store.4.na @x, r0 return (0) }";
    assert_eq!(run(program).trace(), ["0: W x 1 na", "0: W x 2 na", "0: W x 1 na", "0: end"]);
}

#[test]
fn names_come_from_types() {
    let program = "
        type scalar \"int\" 4
        type struct \"node\" 16 (\"value\" 0 0, \"next\" 8 3)
        type array 1 4 16
        type pointer 1
        type struct \"queue\" 72 (\"head\" 0 3, \"nodes\" 8 2)
        global @q size 72 align 8 type 4 = zero 72
        func &main() results 1 regs 1 {
            store.8.na @q+48, 0
            store.8.na @q, 0
            store.4.na @q+24, 1
            store.2.na @q+28, 1
            return (0)
        }";
    let trace = run(program).trace();
    assert_eq!(trace[0], "0: W q.nodes[2].next 0 na");
    assert_eq!(trace[1], "0: W q.head 0 na");
    assert_eq!(trace[2], "0: W q.nodes[1].value 1 na");
    assert_eq!(trace[3], "0: W q.nodes[1].value+4 1 na");
}

#[test]
fn strings() {
    let program = "
        global @text size 6 align 1 constant = x\"68656c6c6f00\"
        global @other size 6 align 1 constant = x\"68656c703000\"
        global @number size 5 align 1 constant = x\"202d313200\"
        global @x size 8 align 8 = zero 8
        func &strlen(r0) results 1 regs 1
        func &strcmp(r0, r1) results 1 regs 2
        func &strcpy(r0, r1) results 1 regs 2
        func &memcmp(r0, r1, r2) results 1 regs 3
        func &atoi(r0) results 1 regs 1
        func &sqrt(r0) results 1 regs 1
        func &main() results 1 regs 3 {
            r0 = call.1 &strlen (@text)
            store.8.na @x, r0
            r0 = call.1 &strcmp (@text, @other)
            store.8.na @x, r0
            r0 = call.1 &memcmp (@text, @other, 3)
            store.8.na @x, r0
            r1 = alloca.private 8, 1
            r0 = call.1 &strcpy (r1, @text)
            r0 = call.1 &strlen (r1)
            store.8.na @x, r0
            r0 = call.1 &atoi (@number)
            store.8.na @x, r0
            r0 = call.1 &sqrt (4625196817309499392)
            store.8.na @x, r0
            return (0)
        }";
    let stored: Vec<i64> = run(program)
        .ops
        .iter()
        .filter_map(|(_, op)| if let Op::Store { value, .. } = op { Some(*value) } else { None })
        .collect();
    let (lower, minus_twelve) = ((108u32.wrapping_sub(112)) as i64, (-12i32) as u32 as i64);
    assert_eq!(stored, [5, lower, 0, 5, minus_twelve, 4.0f64.to_bits() as i64]);
}

#[test]
fn choices_and_assumptions() {
    let program = main_with(
        "r0 = call.1 &selvedge_choose (3)\nstore.4.na @x, r0\nr1 = cmp.ne.32 r0, 2\n\
         call.0 &selvedge_assume (r1)",
    ) + "func &selvedge_choose(r0) results 1 regs 1\nfunc &selvedge_assume(r0) results 0 regs 1";
    let ends = |choice| run_with(&program, Options::default(), &[choice]).trace();
    assert_eq!(ends(1), ["0: choose 3", "0: W x 1 na", "0: end"]);
    assert_eq!(ends(2), ["0: choose 3", "0: W x 2 na", "0: block Assume"]);
}

#[test]
fn waiting_loops_block_and_know_their_reads() {
    let program = "
        global @x size 4 align 4 = zero 4
        global @y size 4 align 4 = zero 4
        func &main() results 1 regs 2 {
            loop head
            r0 = load.4.rlx @x
        head:
            r0 = load.4.acq @x
            r1 = load.4.acq @y
            r0 = or.32 r0, r1
            branch r0, done, wait
        wait:
            spinblock 0
        done:
            return (0)
        }";
    let run = run(program);
    assert_eq!(run.trace().last().map(String::as_str), Some("0: block Spin"));
    assert_eq!(run.machine.spin_reads(&run.ends[&selvedge_machine::Tid(0)].1), 2);
}

#[test]
fn weak_compare_and_exchange_fails_only_if_asked_to() {
    let program = main_with("r0 = cmpxchg.4.ar.rlx.weak @x, 0, 1\nstore.4.na @y, r1");
    assert_eq!(run(&program).trace(), ["0: R x ar", "0: W x 1 ar", "0: W y 1 na", "0: end"]);
    let options = || Options { weak_cas_failures: 1, ..Options::default() };
    let trace = run_with(&program, options(), &[1]).trace();
    assert_eq!(trace, ["0: choose 2", "0: R x rlx", "0: W y 0 na", "0: end"]);
    let trace = run_with(&program, options(), &[0]).trace();
    assert_eq!(trace, ["0: choose 2", "0: R x ar", "0: W x 1 ar", "0: W y 1 na", "0: end"]);
}
