//! Barriers: arrivals without an order (BAM) against arrivals that are counted one after the other.

use crate::common;

use common::generated::{MODELS, Random, State, final_state, model};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, Schedule, explore};
use selvedge_machine::Names;
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

const DECLARED: &str = "
    global @x size 8 align 8 = zero 8
    global @y size 8 align 8 = zero 8
    global @out size 64 align 8 = zero 64
    global @b0 size 32 align 8 = zero 32
    global @b1 size 32 align 8 = zero 32
    global @t size 64 align 8 = zero 64
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_barrier_init(r0, r1, r2) results 1 regs 3
    func &pthread_barrier_wait(r0) results 1 regs 1
    func &pthread_barrier_destroy(r0) results 1 regs 1
    func &reach_error() results 0 regs 0
";

#[derive(Default, PartialEq, Debug)]
struct Found {
    states: BTreeSet<State>,
    kinds: BTreeSet<String>,
    /// Some execution waits for ever.
    deadlock: bool,
    executions: u64,
    blocked: u64,
    /// Whether arrivals had an order in the end.
    ordered: bool,
    gave_up: bool,
}

/// `bodies` are the threads' code; `first` and `last` are what `main` does around them.
fn program(bodies: &[String], first: &str, last: &str) -> String {
    let mut text = String::from(DECLARED);
    let mut main = String::from(first);
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(text, "func &thread{n}(r0) results 1 regs 8 {{\n{body}\nreturn (0)\n}}\n");
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{n}, {n})", 8 * n);
    }
    for n in 0..bodies.len() {
        let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    text + &format!("func &main() results 1 regs 8 {{\n{main}{last}\nreturn (0)\n}}\n")
}

fn explored(text: &str, model: &Model, bam: bool, schedule: Schedule) -> Found {
    let options = Options { max_threads: 6, unordered_barriers: bam, ..Options::default() };
    let mut machine = common::machine(text, options);
    let config = Config { inspect: true, schedule, max_executions: Some(60_000), ..Config::default() };
    let settled = settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some(failure) = x.failure() {
                let misuse = x.state_of(failure.event).and_then(|s| machine.misuse(s));
                found.kinds.insert(misuse.unwrap_or(failure.kind).to_string());
            } else if let Some((_, error)) = x.program_error() {
                found.kinds.insert(error.kind.to_string());
            }
            found.deadlock |= x.stuck().is_some();
            if x.end == End::Complete {
                found.states.insert(final_state(machine, x));
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        found.executions = stats.complete;
        found.blocked = stats.blocked;
        found.gave_up = stats.gave_up.is_some();
        found.ordered = machine.why_ordered_barriers().is_some();
        assert_eq!(stats.aborted, 0, "optimality: no graph is left without an execution\n{text}");
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result: found })
    });
    settled.unwrap_or_else(|e| panic!("{e}"))
}

fn init(counts: &[u32]) -> String {
    let line = |(n, count)| format!("r0 = call.1 &pthread_barrier_init (@b{n}, 0, {count})\n");
    counts.iter().enumerate().map(line).collect()
}

fn wait(barrier: u32) -> String {
    format!("r2 = call.1 &pthread_barrier_wait (@b{barrier})\n")
}

fn copies(count: usize, body: String) -> Vec<String> {
    vec![body; count]
}

#[test]
fn one_execution_where_there_were_as_many_as_orders() {
    for name in MODELS {
        let model = model(name);
        for (threads, rounds, orders) in [(2, 1, 2), (3, 1, 6), (3, 2, 36), (4, 1, 24)] {
            let text = program(&copies(threads, wait(0).repeat(rounds)), &init(&[threads as u32]), "");
            let with = explored(&text, &model, true, Schedule::LeftToRight);
            assert_eq!((with.executions, with.blocked, with.ordered), (1, 0, false), "{name}");
            let without = explored(&text, &model, false, Schedule::LeftToRight);
            assert_eq!((without.executions, without.deadlock), (orders, false), "{name}");
        }
    }
}

/// Whoever passes a barrier sees what the others did before it.
#[test]
fn barriers_synchronise() {
    let body = "
        r1 = offset @out, r0, 8
        store.8.na r1, 1
        r2 = call.1 &pthread_barrier_wait (@b0)
        r3 = sub.64 1, r0
        r3 = offset @out, r3, 8
        r3 = load.8.na r3
        branch r3, right, wrong
    wrong: call.0 &reach_error ()
    right:";
    for name in MODELS {
        for (bam, count) in [(true, 1), (false, 2)] {
            let text = program(&copies(2, body.to_string()), &init(&[2]), "");
            let found = explored(&text, &model(name), bam, Schedule::LeftToRight);
            assert_eq!((found.kinds, found.executions), (BTreeSet::new(), count), "{name}");
        }
    }
}

/// A write after a barrier revisits a read in another thread after the same barrier, and one before it.
#[test]
fn revisits_pass_barriers() {
    let read = "r3 = load.8.rlx @x\nr4 = add.64 r4, r3\n";
    let reader = format!("r4 = move 0\n{read}{}{read}store.8.na @out, r4", wait(0));
    let writer = format!("{}store.8.rlx @x, 1", wait(0));
    for name in MODELS {
        let text = program(&[reader.clone(), writer.clone()], &init(&[2]), "");
        let with = explored(&text, &model(name), true, Schedule::LeftToRight);
        // Before the barrier it cannot be seen.
        assert_eq!((with.executions, with.states.len()), (2, 2), "{name}");
    }
}

#[test]
fn more_threads_than_meet_get_an_order() {
    for name in MODELS {
        let text = program(&copies(3, wait(0)), &init(&[2]), "");
        let found = explored(&text, &model(name), true, Schedule::LeftToRight);
        assert!(found.ordered && found.deadlock, "{name}: {found:?}");
    }
    // One after the other, but through a write that orders nothing where accesses are relaxed.
    let first = format!("{}store.8.rlx @x, 1", wait(0));
    let later = format!("r1 = load.8.rlx @x\nbranch r1, go, stay\ngo: {} stay:", wait(0));
    for (name, ordered) in [("sc", false), ("ra", false), ("rc11", true)] {
        let text = program(&[first.clone(), later.clone()], &init(&[1]), "");
        let found = explored(&text, &model(name), true, Schedule::LeftToRight);
        assert_eq!(found.ordered, ordered, "{name}");
        assert_eq!((found.kinds.len(), found.deadlock), (0, false), "{name}");
    }
}

/// `if (r != 0 && r != PTHREAD_BARRIER_SERIAL_THREAD) error();` tells nobody apart.
#[test]
fn looking_for_errors_is_not_looking_at_the_serial_thread() {
    let tested = "
        r2 = call.1 &pthread_barrier_wait (@b0)
        branch r2, some, fine
    some:
        r3 = cmp.eq.32 r2, 4294967295
        branch r3, fine, wrong
    wrong:
        call.0 &reach_error ()
    fine:
        store.8.na @out, 1";
    let elected = "
        r2 = call.1 &pthread_barrier_wait (@b0)
        branch r2, serial, other
    serial:
        store.8.na @out, 1
    other:";
    let kept = "
        r1 = offset @out, r0, 8
        r2 = call.1 &pthread_barrier_wait (@b0)
        store.8.na r1, r2";
    for (body, ordered) in [(tested, false), (elected, true), (kept, true)] {
        let body = body.replace("@out, 1", "@x, 1").replace(".na @x", ".rlx @x");
        let text = program(&copies(2, body), &init(&[2]), "");
        let found = explored(&text, &model("rc11"), true, Schedule::LeftToRight);
        assert_eq!((found.ordered, found.kinds.len()), (ordered, 0), "{text}");
        if ordered {
            assert_eq!(
                found,
                Found { ordered, ..explored(&text, &model("rc11"), false, Schedule::LeftToRight) }
            );
        }
    }
}

#[test]
fn wrong_use_is_an_error() {
    let destroy = "r0 = call.1 &pthread_barrier_destroy (@b0)\n";
    let cases = [
        ("a count of 0", copies(1, wait(0)), init(&[0]), ""),
        ("no init", copies(2, wait(0)), String::new(), ""),
        ("init too late", copies(2, wait(0)), String::new(), "INIT"),
        (
            "destroyed while others may wait",
            vec![wait(0), format!("{}{destroy}", wait(1)), wait(0)],
            init(&[2, 1]),
            "",
        ),
        ("used after that", copies(1, format!("{destroy}{}", wait(0))), init(&[1]), ""),
        ("destroyed twice", vec![], init(&[1]), "TWICE"),
    ];
    for (what, bodies, first, last) in cases {
        let last = last.replace("INIT", &init(&[2])).replace("TWICE", &destroy.repeat(2));
        let text = program(&bodies, &first, &last);
        for name in MODELS {
            for bam in [true, false] {
                let found = explored(&text, &model(name), bam, Schedule::LeftToRight);
                assert!(found.kinds.contains("barrier-misuse"), "{what} under {name}: {found:?}");
                assert_eq!(found.kinds.len(), 1, "{what} under {name}: {found:?}");
            }
        }
    }
    // Whoever has left may destroy it, even if others are still on their way out.
    let body = format!("{}branch r0, done, first\nfirst: {destroy}{}\ndone:", wait(0), init(&[1]) + &wait(0));
    for name in MODELS {
        for bam in [true, false] {
            let text = program(&copies(3, body.clone()), &init(&[3]), "");
            let found = explored(&text, &model(name), bam, Schedule::LeftToRight);
            assert_eq!((found.kinds.len(), found.deadlock), (0, false), "{name}, BAM {bam}: {found:?}");
        }
    }
}

#[test]
fn too_few_threads_are_stuck() {
    for bam in [true, false] {
        let text = program(&copies(2, wait(0)), &init(&[3]), "");
        let found = explored(&text, &model("rc11"), bam, Schedule::LeftToRight);
        assert_eq!((found.deadlock, found.executions), (true, 0), "BAM {bam}");
    }
}

// ---- generated programs ----

/// Threads that read and write two locations and meet in between. Most meet as they should, some do so only
/// if they read the right value, and some barriers are for another number of threads.
fn generated(random: &mut Random) -> String {
    let threads = 2 + random.below(2);
    let mut counts = [threads as u32; 2];
    if random.below(5) == 0 {
        counts[random.below(2)] = 1 + random.below(threads + 1) as u32;
    }
    // A skeleton that all threads share, so that rounds are completed.
    let rounds: Vec<u32> = (0..1 + random.below(2)).map(|_| random.below(2) as u32).collect();
    let mut bodies = Vec::new();
    for n in 0..threads {
        let mut body = String::from("r4 = move 0\n");
        for (at, &barrier) in rounds.iter().enumerate() {
            for _ in 0..random.below(3) {
                body += &operation(random);
            }
            match random.below(48) {
                0 => {}
                1 => {
                    body += &format!("branch r4, go{at}, stay{at}\ngo{at}: {} stay{at}:\n", wait(barrier));
                }
                2 => body += &wait(1 - barrier),
                3 => body += &format!("{}r4 = add.64 r4, r2\n", wait(barrier)),
                _ => body += &wait(barrier),
            }
        }
        for _ in 0..random.below(3) {
            body += &operation(random);
        }
        bodies.push(body + &format!("store.8.na @out+{}, r4", 8 * n));
    }
    program(&bodies, &init(&counts), "")
}

fn operation(random: &mut Random) -> String {
    let loc = random.pick(&["@x", "@y"]);
    let value = 1 + random.below(2);
    match random.below(8) {
        0..3 => format!("store.8.{} {loc}, {value}\n", random.pick(&["rlx", "rel", "sc"])),
        3 => format!(
            "r3 = rmw.add.8.{} {loc}, 1\nr4 = mul.64 r4, 5\nr4 = add.64 r4, r3\n",
            random.pick(&["rlx", "ar"])
        ),
        4 if random.below(12) == 0 => format!("store.8.na {loc}, {value}\n"),
        _ => {
            let mode = random.pick(&["rlx", "acq", "sc"]);
            format!("r3 = load.8.{mode} {loc}\nr4 = mul.64 r4, 5\nr4 = add.64 r4, r3\n")
        }
    }
}

#[test]
fn generated_programs_come_to_the_same_with_and_without_an_order() {
    let number = |name, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let mut random = Random(number("SELVEDGE_FUZZ_SEED", 1));
    let programs = number("SELVEDGE_FUZZ_PROGRAMS", 240);
    let models: Vec<Model> = MODELS.into_iter().map(model).collect();
    let (mut compared, mut unordered, mut telling) = (0, 0, 0);
    for _ in 0..programs {
        let text = generated(&mut random);
        for model in &models {
            let name = model.name();
            let with = explored(&text, model, true, Schedule::LeftToRight);
            let without = explored(&text, model, false, Schedule::LeftToRight);
            if with.gave_up || without.gave_up {
                continue;
            }
            compared += 1;
            unordered += u64::from(!with.ordered && with.executions > 0);
            telling += u64::from(!with.ordered && with.states.len() > 1);
            assert_eq!(with.kinds.is_empty(), without.kinds.is_empty(), "errors under {name}:\n{text}");
            if with.kinds.is_empty() {
                assert_eq!(with.states, without.states, "final states under {name}:\n{text}");
                assert_eq!(with.deadlock, without.deadlock, "deadlocks under {name}:\n{text}");
            }
            assert!(with.executions <= without.executions, "{name}:\n{text}");
            let other = explored(&text, model, true, Schedule::WritesFirst);
            if with.kinds.is_empty() && !with.ordered && !other.ordered {
                assert_eq!(other, with, "another schedule under {name}:\n{text}");
            }
        }
    }
    assert!(2 * unordered >= compared, "{unordered} of {compared} without an order");
    assert!(4 * telling >= compared, "{telling} of {compared} with several states");
}
