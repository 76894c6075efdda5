//! Each error that the machine finds: a program with it and, next to it, one without.

use crate::common;

use common::{main_with, run, run_with};
use selvedge_ir::text;
use selvedge_machine::Op;
use selvedge_vm::{ModuleError, Options, VmMachine};

const DECLARED: &str = "
    global @text size 6 align 1 constant = x\"78203d3d2031\" 
    global @cond size 7 align 1 constant = x\"78203d3d203100\"
    global @table size 8 align 4 = zero 8
    global @m size 40 align 8 = zero 40
    func &__assert_fail(r0, r1, r2, r3) results 0 regs 4
    func &abort() results 0 regs 0
    func &reach_error() results 0 regs 0
    func &__VERIFIER_nondet_int() results 1 regs 0
    func &getlogin(r0) results 1 regs 1
    func &malloc(r0) results 1 regs 1
    func &free(r0) results 0 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_destroy(r0) results 1 regs 1
    func &pthread_mutex_init(r0, r1) results 1 regs 2
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_detach(r0) results 1 regs 1
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &thread(r0) results 1 regs 1 { return (0) }
";

fn kind(body: &str) -> &'static str {
    run(&(main_with(body) + DECLARED)).error_kind()
}

#[test]
fn every_error_has_its_kind_and_its_right_counterpart() {
    let cases = [
        ("assertion", "call.0 &__assert_fail (@cond, 0, 0, 0)", "r0 = move 0"),
        ("assertion", "call.0 &reach_error ()", ""),
        ("abort", "call.0 &abort ()", ""),
        ("uninitialised-read", "branch undef, a, a\na:", "branch 1, a, a\na:"),
        ("uninitialised-read", "switch undef () a\na:", "switch 3 () a\na:"),
        ("uninitialised-read", "r0 = load.4.na undef", "r0 = load.4.na @x"),
        ("uninitialised-read", "r0 = udiv.32 1, undef", "r0 = udiv.32 undef, 1"),
        (
            "uninitialised-read",
            "store.4.rlx @x, undef\nr0 = load.4.rlx @x\nbranch r0, a, a\na:",
            "store.4.rlx @x, undef",
        ),
        (
            "uninitialised-read",
            "r0 = alloca.private 4, 4\nr1 = load.4.na r0\nr2 = cmp.eq.32 r1, 0\nbranch r2, a, a\na:",
            "r0 = alloca.private 4, 4\nstore.4.na r0, 1\nr1 = load.4.na r0\nr2 = cmp.eq.32 r1, 0\nbranch r2, a, a\na:",
        ),
        ("overflow", "r0 = add.32.nsw 2147483647, 1", "r0 = add.32 2147483647, 1"),
        ("overflow", "r0 = mul.64.nsw -5, 0x4000000000000000", "r0 = mul.64.nsw -5, 0x1000000000000000"),
        ("division-by-zero", "r0 = udiv.32 1, 0", "r0 = udiv.32 1, 1"),
        ("division-by-zero", "r0 = srem.32 2147483648, 4294967295", "r0 = srem.32 2147483648, 1"),
        ("undefined-behaviour", "r0 = shl.32 1, 32", "r0 = shl.32 1, 31"),
        ("undefined-behaviour", "unreachable", ""),
        ("undefined-behaviour", "store.1.na @cond, 0", "r0 = load.1.na @cond"),
        ("null-dereference", "r0 = load.4.na 0", ""),
        ("null-dereference", "store.4.rlx 16, 1", ""),
        ("null-dereference", "call.0 0 ()", ""),
        ("wild-pointer", "r0 = load.4.na 0x12345678901", ""),
        ("wild-pointer", "r0 = load.4.na &main", ""),
        ("wild-pointer", "call.0 @x ()", "r0 = call.1 &thread (0)"),
        ("out-of-bounds", "r0 = load.4.na @table+8", "r0 = load.4.na @table+4"),
        ("out-of-bounds", "r0 = load.4.na @table+6", ""),
        ("out-of-bounds", "store.4.rlx @table+-4, 1", ""),
        ("out-of-bounds", "r0 = alloca.private 8, 8\nr0 = offset r0, 2, 4\nr0 = load.4.na r0", ""),
        ("out-of-bounds", "r0 = call.1 &malloc (8)\nr0 = offset r0, 2, 4\nstore.4.na r0, 1", ""),
        ("invalid-free", "call.0 &free (@x)", "call.0 &free (0)"),
        (
            "invalid-free",
            "r0 = call.1 &malloc (8)\nr0 = offset r0, 1, 4\ncall.0 &free (r0)",
            "r0 = call.1 &malloc (8)\ncall.0 &free (r0)",
        ),
        (
            "lock-misuse",
            "r0 = call.1 &pthread_mutex_unlock (@m)",
            "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_mutex_unlock (@m)",
        ),
        (
            "lock-misuse",
            "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_mutex_destroy (@m)",
            "r0 = call.1 &pthread_mutex_destroy (@m)",
        ),
        (
            "lock-misuse",
            "r0 = call.1 &pthread_mutex_destroy (@m)\nr0 = call.1 &pthread_mutex_lock (@m)",
            "r0 = call.1 &pthread_mutex_destroy (@m)\nr0 = call.1 &pthread_mutex_init (@m, 0)\n\
             r0 = call.1 &pthread_mutex_lock (@m)",
        ),
        ("invalid-join", "r0 = call.1 &pthread_join (77, 0)", ""),
        ("invalid-join", "r0 = call.1 &pthread_detach (0)", "r0 = call.1 &pthread_detach (1)"),
        ("unsupported", "r0 = call.1 &getlogin (0)", ""),
        ("unsupported", "unsupported \"inline assembly\"", ""),
    ];
    for (expected, wrong, right) in cases {
        assert_eq!(kind(wrong), expected, "{wrong}");
        assert_eq!(kind(right), "none", "{right}");
    }
}

#[test]
fn messages_name_what_they_are_about() {
    let message =
        |body: &str| run(&(main_with(body) + DECLARED)).error().map(|e| e.message).unwrap_or_default();
    assert_eq!(message("call.0 &__assert_fail (@cond, 0, 0, 0)"), "assertion `x == 1` failed");
    assert_eq!(message("r0 = load.4.na @table+8"), "4 bytes at offset 8 of `table`, which has 8");
    assert_eq!(
        message("r0 = call.1 &getlogin (0)"),
        "the function `getlogin` is not known; a definition of it in the program, or in another file, is used if there is one; or `--unknown-functions input`"
    );
}

#[test]
fn errors_in_the_library_are_at_the_call() {
    let program = "
        file \"a.c\"
        func &strlen(r0) results 1 regs 1
        func &main() results 1 regs 1 {
            r0 = move 0 !0:3:1
            r0 = call.1 &strlen (r0) !0:4:1
            return (0) !0:5:1
        }";
    let run = run(program);
    assert_eq!((run.error_kind(), run.line_of(0)), ("null-dereference", 4));
}

#[test]
fn signed_overflow_can_wrap() {
    let options = Options { check_signed_overflow: false, ..Options::default() };
    let run = run_with(&main_with("r0 = add.32.nsw 2147483647, 1\nstore.4.na @x, r0"), options, &[]);
    assert_eq!(run.value("x"), 1 << 31);
}

#[test]
fn a_thread_that_runs_on_in_silence_is_cut() {
    let options = Options { silent_steps: 1000, ..Options::default() };
    let run = run_with(&main_with("again: jump again"), options, &[]);
    assert_eq!(run.end(0), Op::Cut);
    assert_eq!(run.machine.cut_loops().len(), 1);
}

#[test]
fn more_threads_than_the_limit() {
    let body = "r0 = call.1 &pthread_create (@x, 0, &thread, 0)\n".repeat(4);
    let options = Options { max_threads: 4, ..Options::default() };
    let run = run_with(&(main_with(&body) + DECLARED), options, &[]);
    assert_eq!(
        run.error().map(|e| (e.kind.name(), e.message)),
        Some(("unsupported", "more than 4 threads".into()))
    );
}

#[test]
fn modules_that_cannot_be_run() {
    let new = |program: &str| {
        let module = text::parse(program).expect("it parses");
        VmMachine::new(module, Options::default()).err()
    };
    assert_eq!(new("func &main() results 1 regs 0"), Some(ModuleError::NoMain));
    for body in
        ["r1 = move 0", "r0 = move r9", "loopback 0", "r0 = load.3.na 0", "r0 = cmpxchg.4.sc.sc 0, 0, 0"]
    {
        let program = format!("func &main() results 1 regs 1 {{ {body} return (0) }}");
        assert!(matches!(new(&program), Some(ModuleError::Malformed(..))), "{body}");
    }
}
