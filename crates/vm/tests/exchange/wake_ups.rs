//! Threads that wake up at a futex for no reason: with all of that, and without what `wake-ups` leaves out.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use super::common::generated::{MODELS, Random, model};
use super::{explored_with, program, with, without};
use selvedge_machine::{Reduction, Reductions};

const FUTEX: &str = "
    func &__selvedge_futex_wait(r0, r1, r2) results 1 regs 3
    func &__selvedge_futex_wake(r0, r1) results 1 regs 2
";

const WAKE: &str = "r2 = call.1 &__selvedge_futex_wake (@x, 1)\n";

/// A lock that is 2 if somebody may wait for it, around a section; `k` makes the labels different.
fn locked(k: usize, section: &str) -> String {
    format!(
        "r1 = cmpxchg.4.acq.rlx @x, 0, 1\nbranch r2, got{k}, busy{k}\nbusy{k}:\nr1 = rmw.xchg.4.acq @x, 2\njump lock{k}\n\
         lock{k}:\nbranch r1, sleep{k}, got{k}\n\
         sleep{k}:\nr2 = call.1 &__selvedge_futex_wait (@x, 2, 0)\nr1 = rmw.xchg.4.acq @x, 2\njump lock{k}\n\
         got{k}:\n{section}r1 = rmw.xchg.4.rel @x, 0\n{WAKE}"
    )
}

/// Sleeps on what it saw before it tries again, which it may have seen elsewhere.
fn tries_after_sleep(k: usize, mode: &str, value: usize, from: &str) -> String {
    format!(
        "r1 = load.4.{mode} {from}\njump nap{k}\nnap{k}:\nr2 = call.1 &__selvedge_futex_wait (@x, r1, 0)\n\
         r5 = cmpxchg.4.ar.{mode} @x, {value}, 3\nbranch r6, won{k}, lost{k}\nlost{k}:\nr1 = move r5\njump nap{k}\nwon{k}:\n\
         r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n"
    )
}

/// Waits while the word is `value`; what it sees at last counts.
fn until_changed(k: usize, mode: &str, value: usize, woken: &str) -> String {
    format!(
        "jump look{k}\nlook{k}:\nr1 = load.4.{mode} @x\nr2 = cmp.eq.32 r1, {value}\nbranch r2, doze{k}, seen{k}\n\
         doze{k}:\nr2 = call.1 &__selvedge_futex_wait (@x, r1, 0)\n{woken}jump look{k}\n\
         seen{k}:\nr4 = mul.32 r4, 4\nr4 = add.32 r4, r1\n"
    )
}

fn piece(random: &mut Random, k: usize) -> String {
    let (mode, value) = (random.pick(&["rlx", "acq", "sc"]), random.below(3));
    let keep = "r4 = mul.32 r4, 4\nr4 = add.32 r4, r5\n";
    let wait = format!("r5 = call.1 &__selvedge_futex_wait (@x, {value}, 0)\n");
    match random.below(19) {
        // What is stored is what was there, or not.
        15 | 16 => {
            let (stored, slept) = (1 + random.below(2), if random.below(4) == 0 { "r1" } else { "r3" });
            let how = random.pick(&["acq", "acq", "ar", "sc", "rlx"]);
            format!(
                "r3 = move {stored}\njump swap{k}\nswap{k}:\nr1 = rmw.xchg.4.{how} @x, {stored}\n\
                 r2 = cmp.eq.32 r1, {}\nbranch r2, free{k}, held{k}\nheld{k}:\n\
                 r2 = call.1 &__selvedge_futex_wait (@x, {slept}, 0)\njump swap{k}\nfree{k}:\n\
                 r4 = mul.32 r4, 4\nr4 = add.32 r4, r1\n",
                random.below(2)
            )
        }
        17 => format!(
            "jump over{k}\nover{k}:\nr2 = call.1 &__selvedge_futex_wait (@x, {value}, 0)\n\
             r5 = rmw.{} @x, {value}\nr2 = cmp.eq.32 r5, {value}\nbranch r2, over{k}, out{k}\nout{k}:\n{keep}",
            random.pick(&["xchg.4.acq", "xchg.4.rlx", "or.4.acq"])
        ),
        18 => String::from("r5 = load.4.na @x\n"),
        0 | 1 => locked(k, &format!("r5 = load.4.na @d\nr5 = add.32 r5, {}\nstore.4.na @d, r5\n", value + 1)),
        2 | 3 => until_changed(k, mode, value, ""),
        4 => until_changed(k, mode, value, &format!("r5 = load.4.{mode} @y\n{keep}")),
        5 => until_changed(k, mode, value, keep),
        // One wait, after which it makes a difference why it ended, or what there is now.
        6 => format!("{wait}{keep}"),
        7 => format!("{wait}r5 = load.4.{mode} @x\n{keep}"),
        // An attempt after each wait.
        8 => format!(
            "jump try{k}\ntry{k}:\nr1 = cmpxchg.4.acq.rlx @x, {value}, 1\nbranch r2, done{k}, rest{k}\n\
             rest{k}:\nr2 = call.1 &__selvedge_futex_wait (@x, r1, 0)\njump try{k}\ndone{k}:\n"
        ),
        9 | 10 => tries_after_sleep(k, random.pick(&["rlx", "acq"]), value, random.pick(&["@x", "@x", "@y"])),
        11 => format!(
            "r2 = call.1 &__selvedge_futex_wait (@x, {value}, 0)\nr5 = rmw.xchg.4.acq @x, {value}\n{keep}"
        ),
        12 => format!("store.4.{} @x, {value}\n{WAKE}", random.pick(&["rlx", "rel", "sc"])),
        13 => format!("r5 = rmw.add.4.ar @x, {}\n{keep}{WAKE}", random.below(2)),
        _ => format!("store.4.rlx @y, {value}\nr5 = load.4.{mode} @x\n{keep}"),
    }
}

fn generated(random: &mut Random) -> String {
    let body = |random: &mut Random, n: usize| {
        let pieces: String = (0..1 + random.below(2)).map(|k| piece(random, k)).collect();
        format!("r4 = move 0\nr5 = move 0\n{pieces}store.4.na @out+{}, r4\n", 8 * n)
    };
    let bodies: Vec<String> = (0..2 + random.below(2)).map(|n| body(random, n)).collect();
    program(&bodies, "", "").replacen("func &pthread_create", &format!("{FUTEX}func &pthread_create"), 1)
}

#[test]
fn who_tries_again_after_waking_up_for_no_reason_could_have_come_later() {
    let bodies = [tries_after_sleep(0, "rlx", 0, "@x"), format!("store.4.rel @x, 0\n{WAKE}")];
    let bodies = bodies.map(|body| format!("r4 = move 0\n{body}store.4.rlx @out, r4\n"));
    let text = program(&bodies, "store.4.na @x, 1\n", "");
    let text = text.replacen("func &pthread_create", &format!("{FUTEX}func &pthread_create"), 1);
    let all = explored_with(&text, &model("rc11"), without(&[Reduction::WakeUps]), true, true);
    let all = all.expect("few executions");
    let some = with(&text, "rc11");
    assert!(some.complete < all.complete && some.states == all.states, "{some:?} {all:?}");
}

#[test]
fn what_is_left_out_is_not_missed() {
    let setting =
        |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().unwrap_or(default));
    let (programs, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 300), setting("SELVEDGE_FUZZ_SEED", 1));
    let models = MODELS.map(model);
    let (mut compared, mut fewer) = (0, 0);
    for n in 0..programs {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(n));
        let text = generated(&mut random);
        let at = random.below(models.len());
        let (model, name) = (&models[at], MODELS[at]);
        let races = random.below(2) == 0;
        let found = |reductions: Reductions| explored_with(&text, model, reductions, true, races);
        let Some(some) = found(Reductions::ALL) else { continue };
        let Some(all) = found(without(&[Reduction::WakeUps])) else { continue };
        compared += 1;
        fewer += u64::from(some.complete < all.complete);
        let wrong = format!("program {n} of seed {seed} under {name}, races {races}\n{text}");
        assert_eq!(some.kinds, all.kinds, "{wrong}");
        if all.kinds.is_empty() {
            assert_eq!((&some.states, some.stuck), (&all.states, all.stuck), "{wrong}");
        }
    }
    println!("{compared} compared, {fewer} with fewer executions");
    assert!(
        compared * 2 > programs && fewer * 20 > programs,
        "the generator says nothing: {compared}, {fewer}"
    );
}
