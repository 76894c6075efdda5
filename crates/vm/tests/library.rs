//! Texts, arguments without number, values of 16 bytes: bytecode in, operations out.

use crate::common;

use common::{main_with, run, run_with};
use selvedge_machine::{Op, Tid};
use selvedge_vm::Options;

/// What `main` with this body prints.
fn printed(declared: &str, body: &str) -> String {
    let options = Options { keep_output: true, ..Options::default() };
    let run = run_with(&(main_with(body) + declared), options, &[]);
    assert_eq!(run.error(), None);
    let (_, state) = &run.ends[&Tid(0)];
    let bytes: Vec<u8> = state.printed().flat_map(|(_, text)| text.to_vec()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

const TEXTS: &str = "
    global @one size 7 align 1 constant = x\"25642d25730a00\"
    global @word size 6 align 1 = x\"68656c6c6f00\"
    func &printf(r0) results 1 regs 1 varargs
    func &snprintf(r0, r1, r2) results 1 regs 3 varargs
    func &puts(r0) results 1 regs 1
";

#[test]
fn printing_reads_shared_texts_through_operations() {
    // "%d-%s\n" with a number and a text that other threads could write.
    assert_eq!(printed(TEXTS, "r0 = call.1 &printf (@one, 12, @word)"), "12-hello\n");
    assert_eq!(printed(TEXTS, "r0 = call.1 &puts (@word)"), "hello\n");
    let body = "r0 = call.1 &printf (@one, 12, @word)\nstore.8.na @x, r0";
    let run = run(&(main_with(body) + TEXTS));
    assert_eq!(run.value("x"), 9);
    let reads = run.trace().iter().filter(|op| op.starts_with("0: R word")).count();
    assert_eq!(reads, 6, "each character and the end");
}

#[test]
fn a_text_is_cut_to_the_room_that_there_is() {
    let body = "r0 = call.1 &snprintf (@x, 5, @one, 12, @word)\nstore.8.na @y, r0";
    let run = run(&(main_with(body) + TEXTS));
    assert_eq!(run.value("y"), 9);
    assert_eq!(run.bytes("x", 5), b"12-h\0");
}

#[test]
fn further_arguments_are_in_memory() {
    // The second one of them; their size.
    let text = main_with("r0 = call.1 &rest (1, 20, 30)\nstore.8.na @x, r0")
        + "func &rest(r0) results 1 regs 5 varargs {
            r3 = offset r1, 8, 1
            r3 = load.8.na r3
            r4 = mul.64 r2, 100
            r3 = add.64 r3, r4
            return (r3)
        }";
    assert_eq!(run(&text).value("x"), 1630);
    let beyond = text.replace("offset r1, 8, 1", "offset r1, 16, 1");
    assert_eq!(run(&beyond).error_kind(), "out-of-bounds");
}

#[test]
fn values_of_16_bytes_are_read_as_they_were_written() {
    let wide = "global @w size 16 align 16 = x\"05000000000000000700000000000000\"";
    let body = "
        r0 = load.16.acq @w
        r2 = move 1
        r3 = move 2
        r4 = cmpxchg.16.ar.rlx @w, r0, r2
        r7 = rmw.add.16.sc @w, r2
        store.8.na @x, r8
        r9 = load.8.na @w+8
        store.8.na @y, r9";
    let run = run(&(main_with(body) + wide));
    assert_eq!(run.error(), None);
    // {1, 2} + {1, 2} = {2, 4}; the old value's upper half is 2.
    assert_eq!((run.value("x"), run.value("y")), (2, 4));
    let cas = run.ops.iter().filter(|(_, op)| matches!(op, Op::Store { rmw: true, .. })).count();
    assert_eq!(cas, 2);
}

#[test]
fn atomic_accesses_of_different_sizes_are_of_several_cells() {
    let wide = "global @w size 16 align 16 = x\"05000000000000000700000000000000\"";
    let mixed = |second: &str| run(&(main_with(&format!("r0 = load.16.acq @w\n{second}")) + wide));
    for (second, x) in [
        ("r2 = load.8.acq @w+8\nstore.8.na @x, r2", 7),
        ("store.8.na @w, 1\nr2 = load.16.acq @w\nstore.8.na @x, r2", 1),
        ("r2 = load.2.na @w+8\nstore.8.na @x, r2", 7),
        ("store.1.rel @w+1, 2\nr2 = rmw.add.16.sc @w, 1\nr4 = load.2.acq @w\nstore.8.na @x, r4", 0x206),
    ] {
        let run = mixed(second);
        assert_eq!((run.error(), run.value("x")), (None, x), "{second}");
    }
    // Under a model that says nothing of it, it is refused by name.
    let options = Options { refuses_mixed_sizes: Some(String::from("odd")), ..Options::default() };
    for second in ["r2 = load.8.acq @w", "store.8.na @w, 1"] {
        let text = main_with(&format!("r0 = load.16.acq @w\n{second}")) + wide;
        let run = run_with(&text, options.clone(), &[]);
        assert_eq!(run.error_kind(), "unsupported", "{second}");
        assert!(format!("{:?}", run.error()).contains("`odd`"), "{second}");
    }
}

#[test]
fn threads_are_left_through_their_handlers_and_destructors() {
    let text = main_with("r0 = call.1 &pthread_create (@x, 0, &thread, 0)")
        + "global @key size 4 align 4 = zero 4
        func &pthread_create(r0, r1, r2, r3) results 1 regs 4
        func &pthread_exit(r0) results 0 regs 1
        func &pthread_key_create(r0, r1) results 1 regs 2
        func &pthread_setspecific(r0, r1) results 1 regs 2
        func &destroy(r0) results 0 regs 1 { store.4.na @y, r0 return () }
        func &deep(r0) results 0 regs 2 { r1 = alloca 4, 4 call.0 &pthread_exit (r0) unreachable }
        func &thread(r0) results 1 regs 4 {
            r0 = call.1 &pthread_key_create (@key, &destroy)
            r1 = load.4.na @key
            r2 = call.1 &pthread_setspecific (r1, 77)
            call.0 &deep (5)
            unreachable
        }";
    let run = run(&text);
    let trace: Vec<String> = run.trace().into_iter().skip_while(|op| op != "1: alloc").collect();
    assert_eq!(
        trace,
        [
            "1: alloc",
            "1: free",
            "1: R the destructor of key 1 rlx",
            "1: W y 77 na",
            "1: W the result of thread 1 5 na",
            "1: end"
        ]
    );
}

/// This is what `Instr::written` says of calls.
#[test]
fn a_call_writes_as_many_registers_as_it_says() {
    let declared = "func &sched_yield() results 1 regs 0\nfunc &two() results 2 regs 0 { return (5, 6) }\n";
    for (call, left) in [
        ("r0 = call.0 &sched_yield ()", (7, 8)),
        ("r0 = call.1 &sched_yield ()", (0, 8)),
        ("r0 = call.0 &two ()", (7, 8)),
        ("r0 = call.1 &two ()", (5, 8)),
        ("r0 = call.2 &two ()", (5, 6)),
    ] {
        let body = format!("r0 = move 7\nr1 = move 8\n{call}\nstore.8.na @x, r0\nstore.8.na @y, r1");
        let run = run(&(main_with(&body) + declared));
        assert_eq!((run.value("x"), run.value("y")), left, "{call}");
    }
}
