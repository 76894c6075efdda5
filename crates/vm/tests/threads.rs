//! Threads and synchronisation: which operations the library's functions come to.

use crate::common;

use common::{run, run_with};
use selvedge_machine::{Block, Names, Op};
use selvedge_vm::Options;

const DECLARED: &str = "
    global @m size 40 align 8 = zero 40
    global @recursive size 40 align 8 = x\"00000000000000000000000000000000010000000000000000000000000000000000000000000000\"
    global @c size 48 align 8 = zero 48
    global @x size 8 align 8 = zero 8
    global @t size 8 align 8 = zero 8
    global @key size 4 align 4 = zero 4
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_exit(r0) results 0 regs 1
    func &pthread_self() results 1 regs 0
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_trylock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &pthread_mutex_init(r0, r1) results 1 regs 2
    func &pthread_mutexattr_settype(r0, r1) results 1 regs 2
    func &pthread_cond_wait(r0, r1) results 1 regs 2
    func &pthread_cond_signal(r0) results 1 regs 1
    func &pthread_cond_broadcast(r0) results 1 regs 1
    func &pthread_barrier_init(r0, r1, r2) results 1 regs 3
    func &pthread_barrier_wait(r0) results 1 regs 1
    func &pthread_once(r0, r1) results 1 regs 2
    func &pthread_rwlock_rdlock(r0) results 1 regs 1
    func &pthread_rwlock_wrlock(r0) results 1 regs 1
    func &pthread_rwlock_unlock(r0) results 1 regs 1
    func &sem_init(r0, r1, r2) results 1 regs 3
    func &sem_wait(r0) results 1 regs 1
    func &sem_trywait(r0) results 1 regs 1
    func &sem_post(r0) results 1 regs 1
    func &__errno_location() results 1 regs 0
    func &pthread_key_create(r0, r1) results 1 regs 2
    func &pthread_setspecific(r0, r1) results 1 regs 2
    func &pthread_getspecific(r0) results 1 regs 1
    func &exit(r0) results 0 regs 1
";

fn program(thread: &str, main: &str) -> String {
    format!(
        "{DECLARED}
        func &thread(r0) results 1 regs 8 {{ {thread} return (0) }}
        func &main() results 1 regs 8 {{ {main} return (0) }}"
    )
}

fn trace(thread: &str, main: &str) -> Vec<String> {
    run(&program(thread, main)).trace()
}

#[test]
fn create_and_join_hand_values_over() {
    let main = "
        r0 = call.1 &pthread_create (@t, 0, &thread, 41)
        r1 = load.8.na @t
        r0 = call.1 &pthread_join (r1, @x)";
    assert_eq!(
        trace("r0 = add.64 r0, 1\nreturn (r0)", main),
        [
            "0: W t 2 na",
            "0: spawn 1",
            "0: R t na",
            "1: W the result of thread 1 42 na",
            "1: end",
            "0: join 1",
            "0: R the result of thread 1 na",
            "0: W x 42 na",
            "0: end"
        ]
    );
}

#[test]
fn a_thread_may_leave_from_within_a_call() {
    let thread = "r1 = alloca 4, 4\nr2 = call.1 &pthread_self ()\ncall.0 &pthread_exit (r2)\nunreachable";
    let main = "r0 = call.1 &pthread_create (@t, 0, &thread, 0)";
    let trace = trace(thread, main);
    assert_eq!(trace[3..], ["1: alloc", "1: free", "1: W the result of thread 1 2 na", "1: end"]);
}

#[test]
fn lock_and_unlock() {
    let main = "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_mutex_unlock (@m)";
    assert_eq!(trace("", main), ["0: R m acq", "0: W m 1 acq", "0: W m 0 rel", "0: end"]);
}

#[test]
fn a_lock_that_is_held_blocks_or_is_busy() {
    let twice = "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_mutex_lock (@m)";
    assert_eq!(run(&program("", twice)).end(0), Op::Block(Block::Lock));
    let main = "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_create (@t, 0, &thread, 0)";
    let thread = "r0 = call.1 &pthread_mutex_trylock (@m)\nstore.4.na @x, r0";
    assert_eq!(run(&program(thread, main)).value("x"), 16);
    let thread = "r0 = call.1 &pthread_mutex_lock (@m)";
    assert_eq!(run(&program(thread, main)).end(1), Op::Block(Block::Lock));
    let thread = "r0 = call.1 &pthread_mutex_unlock (@m)";
    assert_eq!(run(&program(thread, main)).error_kind(), "lock-misuse");
}

#[test]
fn recursive_mutexes_count() {
    let body = |m: &str, prepare: &str| {
        format!(
            "{prepare} r0 = call.1 &pthread_mutex_lock ({m})
            r0 = call.1 &pthread_mutex_lock ({m})
            r0 = call.1 &pthread_mutex_unlock ({m})
            store.4.na @x, 1
            r0 = call.1 &pthread_mutex_unlock ({m})"
        )
    };
    let trace_static = trace("", &body("@recursive", ""));
    let name = "0: R recursive acq";
    let kind = "0: R recursive+16 na";
    assert_eq!(
        trace_static,
        [name, "0: W recursive 1 acq", kind, "0: W x 1 na", "0: W recursive 0 rel", "0: end"]
    );
    let prepare = "
        r1 = alloca.private 4, 4
        r0 = call.1 &pthread_mutexattr_settype (r1, 1)
        r0 = call.1 &pthread_mutex_init (@m, r1)";
    assert_eq!(
        trace("", &body("@m", prepare)),
        [
            "0: W m+16 1 na",
            "0: W m 0 na",
            "0: R m acq",
            "0: W m 1 acq",
            "0: R m+16 na",
            "0: W x 1 na",
            "0: W m 0 rel",
            "0: end"
        ]
    );
    let checked = prepare.replace("(r1, 1)", "(r1, 2)")
        + "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_mutex_lock (@m)\nstore.4.na @x, r0";
    assert_eq!(run(&program("", &checked)).value("x"), 35);
}

#[test]
fn a_wait_ends_with_a_signal_or_for_no_reason() {
    let main = "r0 = call.1 &pthread_mutex_lock (@m)\nr0 = call.1 &pthread_cond_wait (@c, @m)";
    let waits = run_with(&program("", main), Options::default(), &[0]);
    assert_eq!(waits.end(0), Op::Block(Block::Condition));
    assert_eq!(
        waits.trace()[2..8],
        ["0: R c+8 na", "0: choose 2", "0: R c rlx", "0: W c 1 rlx", "0: W m 0 rel", "0: R c rlx"]
    );
    let spurious = run_with(&program("", main), Options::default(), &[1]);
    assert_eq!(spurious.end(0), Op::End);
    let none = run_with(&program("", main), Options { spurious_wakeups: 0, ..Options::default() }, &[]);
    assert!(!none.trace().contains(&String::from("0: choose 2")));
    // A signal that finds nobody changes nothing; one that finds two threads picks one.
    assert_eq!(trace("", "r0 = call.1 &pthread_cond_signal (@c)"), ["0: R c+8 na", "0: R c rlx", "0: end"]);
    let two = "store.8.na @c, 6\nr0 = call.1 &pthread_cond_signal (@c)";
    let second = run_with(&program("", two), Options::default(), &[1]);
    assert_eq!(second.trace()[2..], ["0: R c rlx", "0: choose 2", "0: R c rlx", "0: W c 2 rlx", "0: end"]);
    let all = "store.8.na @c, 6\nr0 = call.1 &pthread_cond_broadcast (@c)";
    assert_eq!(run(&program("", all)).value("c"), 0);
}

#[test]
fn the_last_one_opens_a_barrier() {
    let main = "
        r0 = call.1 &pthread_barrier_init (@c, 0, 2)
        r0 = call.1 &pthread_create (@t, 0, &thread, 0)
        r0 = call.1 &pthread_barrier_wait (@c)
        store.4.na @x, r0";
    let run = run(&program("r0 = call.1 &pthread_barrier_wait (@c)\nstore.4.na @x, r0", main));
    // What it returns is used, so arrivals are counted. Main comes first and would have to look again.
    assert_eq!(run.end(0), Op::Block(Block::Barrier));
    assert_eq!(run.value("x"), u32::MAX as i64);
}

#[test]
fn once_is_once() {
    let main = "r0 = call.1 &pthread_once (@m, &once)\nr0 = call.1 &pthread_once (@m, &once)";
    let text = program("", main) + "func &once() results 0 regs 0 { store.4.na @x, 1 return () }";
    assert_eq!(
        run(&text).trace(),
        ["0: R m acq", "0: W m 1 acq", "0: W x 1 na", "0: W m 2 rel", "0: R m acq", "0: end"]
    );
}

#[test]
fn reader_writer_locks() {
    let main = "
        r0 = call.1 &pthread_rwlock_rdlock (@m)
        r0 = call.1 &pthread_rwlock_rdlock (@m)
        r0 = call.1 &pthread_rwlock_unlock (@m)
        r0 = call.1 &pthread_rwlock_unlock (@m)
        r0 = call.1 &pthread_rwlock_wrlock (@m)
        r0 = call.1 &pthread_rwlock_unlock (@m)
        r0 = call.1 &pthread_rwlock_rdlock (@m)
        r0 = call.1 &pthread_rwlock_wrlock (@m)";
    let run = run(&program("", main));
    assert_eq!(run.end(0), Op::Block(Block::Lock));
    let writes: Vec<String> = run.trace().into_iter().filter(|w| w.starts_with("0: W")).collect();
    assert_eq!(
        writes,
        [
            "0: W m 1 acq",
            "0: W m 2 acq",
            "0: W m 1 rel",
            "0: W m 0 rel",
            "0: W m 4294967295 acq",
            "0: W m 0 rel",
            "0: W m 1 acq"
        ]
    );
}

#[test]
fn semaphores() {
    let main = "
        r0 = call.1 &sem_init (@c, 0, 1)
        r0 = call.1 &sem_wait (@c)
        r0 = call.1 &sem_trywait (@c)
        r1 = call.1 &__errno_location ()
        r1 = load.4.na r1
        store.8.na @x, r1
        r0 = call.1 &sem_post (@c)
        r0 = call.1 &sem_wait (@c)
        r0 = call.1 &sem_wait (@c)";
    let run = run(&program("", main));
    assert_eq!(run.end(0), Op::Block(Block::Semaphore));
    assert_eq!(run.value("x"), 11, "EAGAIN, from a private `errno`");
}

#[test]
fn every_thread_has_its_own_variables_and_specific_data() {
    // Its address is stored, so others could see it.
    let text = program(
        "store.4.na @own, 7\nr0 = load.4.na @key\nr1 = call.1 &pthread_getspecific (r0)\nstore.8.na @x, r1",
        "r0 = call.1 &pthread_key_create (@key, 0)\nr0 = load.4.na @key\nr1 = call.1 &pthread_setspecific (r0, 9)
         r1 = call.1 &pthread_getspecific (r0)\nstore.8.na @t, r1\nstore.4.na @own, 5
         store.8.na @c, @own\nr0 = call.1 &pthread_create (@m, 0, &thread, 0)",
    ) + "global @own size 4 align 4 threadlocal = x\"03000000\"";
    let run = run(&text);
    assert_eq!((run.value("t"), run.value("x")), (9, 0));
    let locs: Vec<_> = run
        .ops
        .iter()
        .filter_map(|(_, op)| match op {
            Op::Store { loc, value: 5 | 7, .. } => Some(*loc),
            _ => None,
        })
        .collect();
    assert_eq!(locs.len(), 2);
    assert_ne!(locs[0], locs[1]);
}

#[test]
fn a_thread_local_variable_that_stays_in_its_thread_is_private() {
    let body = "r1 = load.4.na @own\nr2 = add.32 r1, r0\nstore.4.na @own, r2
        r3 = load.4.na @own\nr4 = offset @x, r0, 1\nstore.1.na r4, r3";
    let main = format!("r0 = call.1 &pthread_create (@t, 0, &thread, 4)\nr0 = move 1\n{body}");
    let run = run(&(program(body, &main) + "global @own size 4 align 4 threadlocal = x\"03000000\""));
    assert_eq!((run.value("x+1"), run.value("x+4")), (4, 7));
    assert!(!run.trace().iter().any(|op| op.contains("own")));
}

#[test]
fn exit_ends_everything() {
    assert_eq!(run(&program("", "call.0 &exit (0)\nunreachable")).end(0), Op::Block(Block::Exit));
    let main = "r0 = call.1 &pthread_create (@t, 0, &thread, 0)\nr0 = load.8.na @t\nr0 = call.1 &pthread_join (r0, 0)";
    let run = run(&program("call.0 &exit (0)\nunreachable", main));
    // Nothing comes after it, not even in main.
    assert_eq!(run.end(1), Op::Block(Block::Exit));
    assert!(matches!(run.end(0), Op::Join { .. }));
}

#[test]
fn identities_do_not_depend_on_the_order_of_exploration() {
    use selvedge_machine::{Machine, Tid};
    let text = format!(
        "{DECLARED} func &malloc(r0) results 1 regs 1
        func &thread(r0) results 1 regs 2 {{ r0 = call.1 &malloc (4) store.4.na r0, 1 return (0) }}
        func &main() results 1 regs 2 {{
            r0 = call.1 &pthread_create (@t, 0, &thread, 0)
            r0 = call.1 &pthread_create (@t, 0, &thread, 0)
            return (0)
        }}"
    );
    // Objects as the threads see them, with the second thread first or last.
    let objects = |first: usize| {
        let machine = common::machine(&text, Options::default());
        let mut state = machine.start(Tid(0));
        let mut children = Vec::new();
        loop {
            match machine.step(&mut state, 0) {
                Op::Spawn { thread } => children.push(machine.spawned(&state, thread)),
                Op::End => break,
                _ => {}
            }
        }
        let mut names = vec![String::new(); 2];
        for child in [first, 1 - first] {
            machine.step(&mut children[child], 0);
            match machine.step(&mut children[child], 0) {
                Op::Store { loc, .. } => names[child] = machine.location_name(loc),
                op => panic!("{op:?}"),
            }
        }
        names
    };
    assert_eq!(objects(0), objects(1));
    assert_eq!(objects(0), ["heap object 1.0", "heap object 2.0"]);
}
