//! Loops as people write them, in programs that may break what the reductions rely on: pushes with atomic
//! links, locks whose attempt is before the loop and at its end, steps that others complete, loads that are
//! stronger than the failures that take their place, loops that give up after some attempts, locks that are
//! given up and taken again by who waits (`relock.rs`), loops that choose (`choices.rs`), loops that only let
//! some time pass. With and without the reductions, the same final states and errors.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs, `SELVEDGE_FUZZ_KIND=2` only
//! those of a kind.

use crate::common;

use common::generated::{MODELS, Random, State, final_state};
use selvedge_check::{Attempt, settle};
use selvedge_explore::premises::{ProgramFacts, properties_by_clocks, sound};
use selvedge_explore::{Config, End, Execution, GaveUp, Watches, explore};
use selvedge_ir::{passes, text};
use selvedge_machine::{Again, ErrorKind, Reduction, Reductions};
use selvedge_model::{Model, Properties, Property};
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @top size 8 align 8 = zero 8
    global @leak size 8 align 8 = zero 8
    global @out size 64 align 8 = zero 64
    global @t size 64 align 8 = zero 64
    func &malloc(r0) results 1 regs 1
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &sched_yield() results 1 regs 0
    func &selvedge_choose(r0) results 1 regs 1
    func &look(r0) results 1 regs 2 {
        r1 = load.4.acq r0
        return (r1)
    }
    func &try(r0, r1) results 1 regs 4 {
        r2 = cmpxchg.4.ar.rlx r0, r1, 3
        branch r3, done, failed
    failed:
        return (r2)
    done:
        return (r1)
    }
    global @m size 40 align 8 = zero 40
    global @n size 40 align 8 = zero 40
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
";

const LOADS: [&str; 4] = ["rlx", "acq", "acq", "sc"];
const STORES: [&str; 4] = ["rlx", "rlx", "rel", "sc"];
const UPDATES: [&str; 6] = ["rlx", "acq", "rel", "ar", "ar", "sc"];

/// How many kinds of programs there are.
const KINDS: usize = 7;

struct Named {
    name: &'static str,
    model: Model,
    properties: Properties,
}

impl Named {
    fn load(name: &'static str) -> Named {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let model = Model::compile(&theory).expect("an admissible model");
        let properties = properties_by_clocks(&theory, &model);
        Named { name, model, properties }
    }
}

#[derive(Default, Debug)]
struct Found {
    states: BTreeSet<State>,
    errors: BTreeSet<ErrorKind>,
    executions: u64,
    /// What it had to be explored again for.
    again: Vec<Again>,
}

/// `None` if there are too many executions.
fn explored(program: &str, known: &Named, reductions: Reductions) -> Option<Found> {
    explored_with(program, known, reductions, true)
}

/// `make_up_reads`: attempts are repeated also where that may not be possible.
fn explored_with(program: &str, known: &Named, reductions: Reductions, make_up_reads: bool) -> Option<Found> {
    // Where the model does not say what a race is, none is found: plain accesses are like relaxed ones, and
    // what relies on there being none is off.
    let races = known.model.defines_errors();
    let reductions = sound(reductions, &known.properties, &ProgramFacts::unknown(races)).on;
    let mut module = text::parse(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    passes::run(&mut module, reductions);
    let repeats_reads = known.properties.has(Property::RepeatsReads);
    let options =
        Options { max_threads: 5, unroll: 2, reductions, make_up_reads, repeats_reads, ..Options::default() };
    let mut machine = VmMachine::new(module, options).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let config = Config {
        inspect: true,
        races,
        max_executions: Some(2_000),
        reductions,
        watches: Watches {
            chains: Some(Arc::default()),
            steps: Some(Arc::default()),
            values: Some(Arc::default()),
            ..Watches::default()
        },
        ..Config::default()
    };
    let mut again = Vec::new();
    let found = settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some((_, error)) = x.program_error() {
                found.errors.insert(error.kind);
            } else if let Some(failure) = x.failure() {
                found.errors.insert(failure.kind);
            } else if x.end == End::Complete {
                // Locations that one run never comes to are as they were.
                let state = final_state(machine, x);
                found.states.insert(state.into_iter().filter(|(_, value)| *value != 0).collect());
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, &known.model, config, &mut visit).unwrap_or_else(|e| panic!("{e}"));
        found.executions = stats.executions();
        if let Some(GaveUp::Again(why)) = stats.gave_up {
            again.push(why);
        }
        let result = stats.gave_up.is_none().then_some(found);
        Ok::<_, ()>(Attempt { gave_up: stats.gave_up, found: false, result })
    });
    found.unwrap_or_default().map(|found| Found { again, ..found })
}

/// Threads, each with a body that leaves a number in `r4`.
fn program(bodies: &[String]) -> String {
    let mut text = String::from(DECLARED);
    let mut main = String::new();
    for (n, body) in bodies.iter().enumerate() {
        let _ = write!(
            text,
            "func &thread{n}(r0) results 1 regs 20 {{\nr4 = move 0\n{body}\nstore.4.na @out+{}, r4\nreturn (0)\n}}\n",
            8 * n
        );
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{n}, {n})", 8 * n);
    }
    for n in 0..bodies.len() {
        let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 8 {{\n{main}return (0)\n}}\n")
}

fn keep(reg: &str) -> String {
    format!("r4 = mul.32 r4, 4\nr4 = add.32 r4, {reg}\n")
}

/// A loop that lets some time pass and ends by itself.
fn delay(random: &mut Random) -> String {
    let rounds = 1 + random.below(2);
    let pause = match random.below(3) {
        0 => String::new(),
        _ => String::from("r19 = call.1 &sched_yield ()\n"),
    };
    let next = "r18 = add.32 r17, 1\nr17 = move r18\n";
    let body = match random.below(2) {
        0 => format!(
            "r16 = cmp.ult.32 r17, {rounds}\nbranch r16, passing, passed\npassing:\n{pause}{next}jump delay\n"
        ),
        _ => format!("{pause}{next}r16 = cmp.ult.32 r17, {rounds}\nbranch r16, delay, passed\n"),
    };
    let kept = if random.below(6) == 0 { keep("r17") } else { String::new() };
    format!("r17 = move 0\njump delay\ndelay:\n{body}passed:\n{kept}")
}

/// Something else that threads do.
fn operation(random: &mut Random) -> String {
    let at = random.pick(&["@x", "@y", "@y"]);
    match random.below(6) {
        0..2 => format!("store.4.{} {at}, {}\n", random.pick(&STORES), 1 + random.below(2)),
        2..4 => format!("r5 = load.4.{} {at}\n{}", random.pick(&LOADS), keep("r5")),
        4 => format!("r5 = rmw.add.4.{} {at}, 1\n", random.pick(&UPDATES)),
        _ => format!("fence.{}\n", random.pick(&["acq", "rel", "sc"])),
    }
}

fn some(random: &mut Random, often: usize) -> String {
    if random.below(often) == 0 { operation(random) } else { String::new() }
}

/// A thread that pushes a node, whose link it stores in various ways.
fn push(random: &mut Random) -> String {
    let store = random.pick(&["na", "rlx", "rlx", "rlx", "rel", "sc"]);
    let (load, success) = (random.pick(&LOADS), random.pick(&["rel", "rel", "ar", "rlx", "sc"]));
    let failure = random.pick(&["rlx", "rlx", "acq"]);
    let mut link = format!("store.8.{store} r8, r6\n");
    if random.below(6) == 0 {
        // It is looked at, or stored twice.
        link += &match random.below(3) {
            0 => format!("r10 = load.8.{} r8\n", random.pick(&["rlx", "na"])),
            1 => format!("store.8.{} r8, r6\n", random.pick(&["rlx", "na"])),
            _ => String::from("store.8.rlx r8, 0\n"),
        };
    }
    let leaks = |random: &mut Random| match random.below(12) {
        0 => format!("store.8.{} @leak, {}\n", random.pick(&STORES), random.pick(&["r7", "r8"])),
        _ => String::new(),
    };
    let (before, inside, done) = (leaks(random), leaks(random), some(random, 4));
    let attempt = format!("r11 = cmpxchg.8.{success}.{failure} @top, r6, r7\n");
    let body = match random.below(3) {
        // What the compare-and-exchange saw is tried next.
        0 => format!(
            "r6 = load.8.{load} @top\njump again\nagain:\n{link}{inside}{attempt}branch r12, done, other\n\
             other:\nr6 = move r11\njump again\n"
        ),
        _ => format!(
            "jump again\nagain:\nr6 = load.8.{load} @top\n{link}{inside}{attempt}branch r12, done, again\n"
        ),
    };
    let value = random.pick(&["na", "na", "rlx"]);
    format!(
        "r7 = call.1 &malloc (16)\nr8 = offset r7, 8, 1\nstore.4.{value} r7, 1\n{before}{body}done:\n{done}"
    )
}

/// A thread that looks at a node.
fn look(random: &mut Random) -> String {
    let from = random.pick(&["@top", "@top", "@top", "@leak"]);
    let link = match random.below(5) {
        0 => format!("r9 = rmw.xchg.8.{} r8, 0\n", random.pick(&UPDATES)),
        1 => format!("store.8.{} r8, 0\nr9 = move 1\n", random.pick(&STORES)),
        _ => format!("r9 = load.8.{} r8\n", random.pick(&["rlx", "rlx", "acq", "na"])),
    };
    let value = if random.below(3) == 0 { String::from("r5 = load.4.na r7\n") } else { String::new() };
    format!(
        "{}r7 = load.8.{} {from}\nr10 = cmp.eq.64 r7, 0\nbranch r10, none, node\nnode:\nr8 = offset r7, 8, 1\n\
         {link}{value}r5 = cmp.eq.64 r9, 0\nr5 = add.32 r5, 1\n{}jump none\nnone:\n",
        some(random, 4),
        random.pick(&["rlx", "acq", "acq", "sc"]),
        keep("r5")
    )
}

/// A lock whose attempt is before the loop, and at the end of an iteration.
fn rotated(random: &mut Random) -> String {
    let amount = [1, 1, 2][random.below(3)];
    let back = if random.below(10) == 0 { 3 - amount } else { amount };
    let test =
        ["slt.32 r1, 1", "slt.32 r1, 1", "eq.32 r1, 0", "slt.32 r1, 2", "eq.32 r1, 1"][random.below(5)];
    let (first, second) = (random.pick(&UPDATES), random.pick(&UPDATES));
    let second = if random.below(8) == 0 { second } else { first };
    let undo = random.pick(&UPDATES);
    let wait = match random.below(3) {
        0 => format!(
            "jump wait\nwait:\nr5 = load.4.{} @x\nr6 = cmp.{}.32 r5, {amount}\nbranch r6, free, pause\npause:\n\
             r9 = call.1 &sched_yield ()\njump wait\nfree:\n",
            random.pick(&LOADS),
            random.pick(&["slt", "slt", "sle"])
        ),
        1 => String::from("r9 = call.1 &sched_yield ()\n"),
        _ => String::new(),
    };
    let seen = if random.below(10) == 0 { keep("r1") } else { String::new() };
    format!(
        "r2 = rmw.add.4.{first} @x, {amount}\nr1 = move r2\njump test\ntest:\nr7 = cmp.{test}\n\
         branch r7, done, undo\nundo:\nr8 = rmw.sub.4.{undo} @x, {back}\n{wait}\
         r3 = rmw.add.4.{second} @x, {amount}\nr1 = move r3\njump test\ndone:\n{seen}{}r8 = rmw.sub.4.{} @x, {amount}\n",
        some(random, 1),
        random.pick(&UPDATES)
    )
}

/// How two steps, of `x` and then of `y`, are made: by whoever makes the first, or by helpers.
struct Step {
    looks: &'static str,
    link: &'static str,
    moves: &'static str,
    fails: &'static str,
    desired: usize,
}

/// A thread that begins a step and completes it.
fn owner(random: &mut Random, step: &Step) -> String {
    let Step { looks, link, moves, fails, desired } = step;
    let between = some(random, 10);
    let moves = if random.below(12) == 0 { random.pick(&UPDATES) } else { moves };
    let desired = if random.below(12) == 0 { 2 } else { *desired };
    let used = if random.below(10) == 0 { keep("r10") } else { String::new() };
    let complete = match random.below(14) {
        0 => String::new(),
        1 => format!("store.4.{} @y, {desired}\n", random.pick(&STORES)),
        _ => format!("r9 = cmpxchg.4.{moves}.{fails} @y, 0, {desired}\n{used}"),
    };
    let begin = match random.below(4) {
        0 => format!("store.4.{} @x, {desired}\n{between}{complete}jump out\n", random.pick(&["rel", "rlx"])),
        _ => format!(
            "r7 = cmpxchg.4.{link}.rlx @x, 0, {desired}\nbranch r8, mine, out\nmine:\n{between}{complete}jump out\n"
        ),
    };
    format!(
        "{}r5 = load.4.{looks} @y\nr6 = cmp.eq.32 r5, 0\nbranch r6, begin, out\nbegin:\n{begin}out:\n{}",
        some(random, 4),
        some(random, 3)
    )
}

/// A thread that waits for the second step, and makes it if it sees the first.
fn helper(random: &mut Random, step: &Step) -> String {
    let Step { looks, moves, fails, desired, .. } = step;
    let desired = match random.below(8) {
        0 => desired.to_string(),
        _ => String::from("r7"),
    };
    let looks = if random.below(8) == 0 { random.pick(&LOADS) } else { looks };
    let used = if random.below(12) == 0 { keep("r10") } else { String::new() };
    let cas = format!("r9 = cmpxchg.4.{moves}.{fails} @y, 0, {desired}\n{used}");
    let (seen, next) = (keep("r5"), random.pick(&["again", "again", "again", "out"]));
    format!(
        "jump again\nagain:\nr5 = load.4.{looks} @y\nr6 = cmp.eq.32 r5, 0\nbranch r6, lags, moved\nlags:\n\
         r7 = load.4.{looks} @x\nr8 = cmp.eq.32 r7, 0\nbranch r8, {}, help\nhelp:\n{cas}jump {next}\n\
         moved:\n{seen}jump out\nout:\n{}",
        random.pick(&["again", "out"]),
        some(random, 2)
    )
}

/// A thread that increases a number, beginning with what it loaded before.
fn retry(random: &mut Random) -> String {
    let (load, success, failure) =
        (random.pick(&LOADS), random.pick(&UPDATES), random.pick(&["rlx", "rlx", "acq"]));
    let inside = some(random, 5);
    let stop = match random.below(3) {
        0 => String::from("r9 = cmp.eq.32 r1, 2\nbranch r9, done, go\ngo:\n"),
        _ => String::new(),
    };
    format!(
        "{}r1 = load.4.{load} @x\njump again\nagain:\n{stop}{inside}r2 = add.32 r1, 1\n\
         r7 = cmpxchg.4.{success}.{failure} @x, r1, r2\nbranch r8, done, other\nother:\nr1 = move r7\njump again\n\
         done:\n{}{}",
        some(random, 4),
        keep("r1"),
        some(random, 2)
    )
}

/// A thread that tries a few times and then does something else.
fn tries(random: &mut Random) -> String {
    let limit = 2 + random.below(2);
    let (load, wanted) = (random.pick(&LOADS), 1 + random.below(2));
    let second = random.pick(&["@x", "@y", "@y"]);
    let attempt = match random.below(9) {
        // Both are as wanted, or one of them; by calls of functions.
        5 => format!(
            "r5 = load.4.{load} @x\nr7 = cmp.eq.32 r5, {wanted}\nr8 = load.4.{} {second}\nr8 = cmp.ne.32 r8, 0\n\
             r7 = and.32 r7, r8\n",
            random.pick(&LOADS)
        ),
        6 => format!(
            "r5 = call.1 &look ({second})\nbranch r5, done, more\nmore:\nr5 = load.4.{load} @x\n\
             r7 = cmp.eq.32 r5, {wanted}\n"
        ),
        7 => format!("r5 = call.1 &try (@x, {wanted})\nr7 = cmp.eq.32 r5, {wanted}\n"),
        8 => format!(
            "r5 = call.1 &look (@x)\nr7 = cmp.eq.32 r5, {wanted}\nbranch r7, more, next\nmore:\n\
             r5 = call.1 &try ({second}, 0)\nr7 = cmp.eq.32 r5, 0\n"
        ),
        0 => format!(
            "r5 = cmpxchg.4.{}.{} @x, {wanted}, 3\nr7 = move r6\n",
            random.pick(&UPDATES),
            random.pick(&["rlx", "acq"])
        ),
        // One after the other is looked at.
        1 => format!(
            "r8 = and.32 r1, 1\nr3 = select r8, @y, @x\nr5 = load.4.{load} r3\nr7 = cmp.eq.32 r5, {wanted}\n"
        ),
        _ => format!("r5 = load.4.{load} @x\nr7 = cmp.eq.32 r5, {wanted}\n"),
    };
    // What all attempts have read may be collected, in registers that are live or not, or a second time.
    let pause = match random.below(10) {
        0 | 1 => String::from("r9 = call.1 &sched_yield ()\n"),
        2 => operation(random),
        3 => keep("r5"),
        4 => String::from("r11 = add.32 r11, r5\n"),
        5 => String::from("r11 = add.32 r5, r1\n"),
        6 => String::from("r11 = add.32 r11, 1\n"),
        _ => String::new(),
    };
    let body = match random.below(3) {
        // The limit is tested first, last, or in between.
        2 => format!(
            "again:\n{attempt}r2 = add.32 r1, 1\nr1 = move r2\nr8 = cmp.eq.32 r2, {limit}\nbranch r8, over, within\n\
             within:\nbranch r7, done, next\nnext:\n{pause}jump again\n"
        ),
        0 => format!(
            "again:\nr8 = cmp.ult.32 r1, {limit}\nbranch r8, try, over\ntry:\n{attempt}branch r7, done, next\nnext:\n\
             {pause}r2 = add.32 r1, 1\nr1 = move r2\njump again\n"
        ),
        _ => format!(
            "again:\n{attempt}branch r7, done, next\nnext:\n{pause}r2 = add.32 r1, 1\nr1 = move r2\n\
             r8 = cmp.eq.32 r2, {limit}\nbranch r8, over, again\n"
        ),
    };
    // What is counted may be seen afterwards, and what was read last.
    let counted = |random: &mut Random| match random.below(8) {
        0 => keep("r1"),
        1 | 2 => keep("r5"),
        3 => keep("r11"),
        _ => String::new(),
    };
    let (over, done) = (counted(random), counted(random));
    let over = match random.below(4) {
        0 => String::from("r9 = call.1 &sched_yield ()\nr1 = move 0\njump again\n"),
        1 => format!("r5 = load.4.{load} @x\n{}{over}jump out\n", keep("r5")),
        _ => format!("r10 = move 2\n{}{over}{}jump out\n", keep("r10"), some(random, 3)),
    };
    format!(
        "{}r1 = move 0\nr11 = move 0\njump again\n{body}over:\n{over}done:\nr10 = move 1\n{}{done}{}jump out\nout:\n",
        some(random, 4),
        keep("r10"),
        some(random, 2)
    )
}

/// Under a lock, something that the others wait for, or look at.
fn section(random: &mut Random) -> String {
    let lock = random.pick(&["@m", "@m", "@m", "@n"]);
    let inside = match random.below(3) {
        0 => operation(random),
        _ => format!("store.4.na @x, {}\n", random.below(3)),
    };
    format!("r9 = call.1 &pthread_mutex_lock ({lock})\n{inside}r9 = call.1 &pthread_mutex_unlock ({lock})\n")
}

/// A thread that waits for something under a lock, which it gives up in between.
fn relock(random: &mut Random) -> String {
    let wanted = 1 + random.below(2);
    let pause = match random.below(6) {
        0 => String::from("r9 = call.1 &sched_yield ()\n"),
        1 => operation(random),
        2 => String::from("r11 = add.32 r11, 1\n"),
        3 => section(random).replace("@m", "@n"),
        _ => String::new(),
    };
    let before = match random.below(6) {
        0 => format!("store.4.na @y, {wanted}\n"),
        1 => keep("r5"),
        2 => String::from("r3 = load.4.na @y\n"),
        _ => String::new(),
    };
    // The lock that is taken again may be another one by mistake.
    let again = if random.below(10) == 0 { "@n" } else { "@m" };
    let kept = if random.below(6) == 0 { keep("r11") } else { String::new() };
    format!(
        "r11 = move 0\nr5 = move 0\nr9 = call.1 &pthread_mutex_lock (@m)\njump look\nlook:\nr5 = load.4.na @x\n\
         r6 = cmp.eq.32 r5, {wanted}\nbranch r6, done, idle\nidle:\n{before}r9 = call.1 &pthread_mutex_unlock (@m)\n\
         {pause}r9 = call.1 &pthread_mutex_lock ({again})\njump look\ndone:\n{}{kept}\
         r9 = call.1 &pthread_mutex_unlock (@m)\n{}",
        some(random, 2),
        some(random, 3)
    )
}

/// A thread that chooses while it waits: how to pass its time, whether to go on, what to look at.
fn chooses(random: &mut Random) -> String {
    let (load, wanted) = (random.pick(&LOADS), 1 + random.below(2));
    let act = match random.below(8) {
        0 => String::from("jump out\n"),
        1 => format!("{}jump again\n", operation(random)),
        2 => format!("r3 = load.4.{load} @y\nbranch r3, out, again\n"),
        3 => String::from("r11 = add.32 r11, 1\njump again\n"),
        4 => format!("{}jump again\n", keep("r8")),
        _ => String::from("r9 = call.1 &sched_yield ()\njump again\n"),
    };
    let choose = "r8 = call.1 &selvedge_choose (2)\n";
    let body = match random.below(3) {
        // First the choice, or first the look.
        0 => format!(
            "again:\n{choose}r5 = load.4.{load} @x\nr6 = cmp.eq.32 r5, {wanted}\nbranch r6, out, idle\n\
             idle:\nbranch r8, act, again\n"
        ),
        _ => format!(
            "again:\nr5 = load.4.{load} @x\nr6 = cmp.eq.32 r5, {wanted}\nbranch r6, out, idle\n\
             idle:\n{choose}branch r8, act, again\n"
        ),
    };
    let kept = match random.below(5) {
        0 => keep("r8"),
        1 => keep("r11"),
        _ => keep("r5"),
    };
    format!("{}r8 = move 0\nr11 = move 0\njump again\n{body}act:\n{act}out:\n{kept}", some(random, 4))
}

fn generated(random: &mut Random, kind: usize) -> String {
    let threads = 2 + random.below(2);
    let moves = random.pick(&["rel", "ar", "ar", "rlx", "sc"]);
    let step = Step {
        looks: random.pick(&["acq", "acq", "acq", "rlx", "sc"]),
        link: random.pick(&["rel", "rel", "ar", "rlx", "sc"]),
        moves,
        fails: random.pick(&["rlx", "rlx", "acq"]),
        desired: 1,
    };
    let bodies: Vec<String> = (0..threads)
        .map(|n| match (kind, n) {
            (0, 0) => push(random),
            (0, _) if random.below(2) == 0 => push(random),
            (0, _) => look(random),
            (1, _) if n < 2 || random.below(2) == 0 => rotated(random),
            (2, 0) => owner(random, &step),
            (2, 1) => helper(random, &step),
            (2, _) if random.below(3) == 0 => owner(random, &step),
            (2, _) if random.below(2) == 0 => helper(random, &step),
            (3, _) if n < 2 => retry(random),
            (4, 0) => tries(random),
            (4, _) if random.below(3) == 0 => tries(random),
            (4, _) if random.below(4) == 0 => String::from("store.4.na @leak, 1\n") + &operation(random),
            (5, 0) => relock(random),
            (5, _) if random.below(3) == 0 => relock(random),
            (5, _) => section(random) + &some(random, 3),
            (6, 0) => chooses(random),
            (6, _) if random.below(4) == 0 => chooses(random),
            _ => operation(random) + &operation(random),
        })
        .collect();
    let late = |body: String| if random.below(5) == 0 { delay(random) + &body } else { body };
    program(&bodies.into_iter().map(late).collect::<Vec<_>>())
}

#[test]
fn generated_programs_end_in_the_same_states() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let programs = setting("SELVEDGE_FUZZ_PROGRAMS", 400);
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let wanted = Some(setting("SELVEDGE_FUZZ_KIND", 9) as usize).filter(|kind| *kind < KINDS);
    let models = MODELS.map(Named::load);
    let (mut compared, mut fewer, mut helped, mut seen, mut made_up) = (0, 0, 0, 0, 0);
    for n in 0..programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let kind = wanted.unwrap_or_else(|| random.below(KINDS));
        let text = generated(&mut random, kind);
        let known = &models[random.below(models.len())];
        let Some(without) = explored(&text, known, Reductions::NONE) else { continue };
        let with = explored(&text, known, Reductions::ALL);
        let wrong = format!("program {n} of seed {seed} under {}\n{text}", known.name);
        let with = with.unwrap_or_else(|| panic!("more executions: {wrong}"));
        compared += 1;
        // Without attempts that may not be possible, no state is more.
        if kind == 4 {
            let real = explored_with(&text, known, Reductions::ALL, false);
            let real = real.unwrap_or_else(|| panic!("more executions: {wrong}"));
            assert!(!without.errors.is_empty() || real.states == without.states, "{wrong}");
            made_up += u64::from(real.states != with.states || with.again.contains(&Again::MadeUp));
        }
        fewer += u64::from(with.executions < without.executions);
        helped += u64::from(with.again.contains(&Again::Unfounded(Reduction::Helping)));
        seen += u64::from(with.again.contains(&Again::UnpublishedSeen));
        // An execution ends at a race and where a lock is misused, so which other errors are come to as well
        // depends on the schedule: what comes after the first error of a thread, and what others do then.
        let has = |kind: ErrorKind| with.errors.contains(&kind) && without.errors.contains(&kind);
        match (has(ErrorKind::DataRace), has(ErrorKind::LockMisuse)) {
            (true, _) => {}
            (false, true) => assert!(with.errors.is_subset(&without.errors), "{wrong}"),
            (false, false) => assert_eq!(with.errors, without.errors, "{wrong}"),
        }
        // An execution ends where it is wrong, and what would be revisited from there depends on the
        // schedule.
        let same = match kind {
            4 => with.states.is_superset(&without.states),
            _ => with.states == without.states,
        };
        assert!(
            !without.errors.is_empty() || same,
            "missing {:?}\nextra {:?}\n{wrong}",
            without.states.difference(&with.states).collect::<Vec<_>>(),
            with.states.difference(&without.states).collect::<Vec<_>>()
        );
    }
    println!(
        "{compared} compared, {fewer} with fewer executions, {helped} with steps that are not made once, {seen} may be seen, \
         {made_up} with attempts that were made up"
    );
    assert!(
        compared * 2 > programs && (fewer * 4 > programs || wanted.is_some()),
        "the generator says nothing: {compared}, {fewer}"
    );
}
