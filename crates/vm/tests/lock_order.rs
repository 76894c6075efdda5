//! Critical sections that are not ordered: generated programs with locks have the same errors as with all
//! orders, and no final state is missing.
//!
//! `SELVEDGE_FUZZ_PROGRAMS=100000 SELVEDGE_FUZZ_SEED=7` generates more programs.

use crate::common;

use common::generated::{MODELS, Random, State, final_state, model};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, GaveUp, Watches, explore};
use selvedge_machine::{Again, Reduction, Reductions};
use selvedge_model::Model;
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

const DECLARED: &str = "
    global @m size 40 align 8 = zero 40
    global @n size 40 align 8 = zero 40
    global @c size 48 align 8 = zero 48
    global @s size 32 align 8 = zero 32
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @xx size 4 align 4 = zero 4
    global @yy size 4 align 4 = zero 4
    global @outs size 64 align 8 = zero 64
    global @t size 64 align 8 = zero 64
    global @home size 8 align 8 = zero 8
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_trylock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &pthread_mutex_init(r0, r1) results 1 regs 2
    func &pthread_mutex_destroy(r0) results 1 regs 1
    func &pthread_spin_lock(r0) results 1 regs 1
    func &pthread_spin_unlock(r0) results 1 regs 1
    func &pthread_cond_wait(r0, r1) results 1 regs 2
    func &pthread_cond_signal(r0) results 1 regs 1
    func &sem_wait(r0) results 1 regs 1
    func &sem_post(r0) results 1 regs 1
    func &malloc(r0) results 1 regs 1
    func &free(r0) results 0 regs 1
    func &memset(r0, r1, r2) results 1 regs 3
    func &__VERIFIER_assume(r0) results 0 regs 1
    func &reach_error() results 0 regs 0
";

#[derive(Clone, PartialEq, Debug, Default)]
struct Found {
    states: BTreeSet<State>,
    kinds: BTreeSet<String>,
    complete: u64,
    executions: u64,
    /// Some execution waits for ever.
    stuck: bool,
    /// How often the order of sections came to matter.
    restarts: u32,
    /// There were too many executions.
    useless: bool,
}

/// The model, with C's races as errors and what symmetry needs.
fn racing(name: &str) -> Model {
    let model = model(name);
    let model = match model.defines_errors() {
        true => model,
        false => {
            let races = selvedge_kat::races_of_c().unwrap_or_else(|e| panic!("{e:?}"));
            let races = Model::compile(&races).unwrap_or_else(|e| panic!("{e:?}"));
            model.with_errors_of(&races).unwrap_or_else(|| panic!("too many views"))
        }
    };
    model.with_prefix_apart()
}

fn explored(text: &str, model: &Model, reductions: Reductions) -> Found {
    let options = Options { max_threads: 6, reductions, unroll: 4, ..Options::default() };
    let mut machine = common::machine(text, options);
    let config = Config {
        inspect: true,
        reductions,
        watches: Watches::all(),
        max_executions: Some(20_000),
        ..Config::default()
    };
    let mut restarts = 0;
    let settled = settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            if let Some(failure) = x.failure() {
                found.kinds.insert(failure.kind.to_string());
            } else if let Some((_, error)) = x.program_error() {
                found.kinds.insert(error.kind.to_string());
            }
            found.stuck |= x.stuck().is_some();
            if x.end == End::Complete {
                found.states.insert(final_state(machine, x));
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        restarts += u32::from(stats.gave_up == Some(GaveUp::Again(Again::LockOrder)));
        found.complete = stats.complete;
        found.executions = stats.executions();
        found.restarts = restarts;
        found.useless = stats.gave_up.is_some();
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result: found })
    });
    settled.unwrap_or_else(|e| panic!("{e}"))
}

const ON: Reductions = Reductions::ALL;

fn off() -> Reductions {
    Reductions::ALL.without(Reduction::LockOrder)
}

/// Threads, and what `main` does before and after them.
fn program(bodies: &[String], first: &str, last: &str) -> String {
    let mut text = String::from(DECLARED);
    let mut main = String::from(first);
    let mut distinct: Vec<&String> = Vec::new();
    for (n, body) in bodies.iter().enumerate() {
        let known = distinct.iter().position(|other| *other == body);
        let f = known.unwrap_or(distinct.len());
        if known.is_none() {
            distinct.push(body);
            let _ = write!(text, "func &thread{f}(r0) results 1 regs 12 {{\n{body}\nreturn (0)\n}}\n");
        }
        let _ = writeln!(main, "r0 = call.1 &pthread_create (@t+{}, 0, &thread{f}, 0)", 8 * n);
    }
    for n in 0..bodies.len() {
        let _ = write!(main, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * n);
    }
    format!("file \"test.c\"\n{text}func &main() results 1 regs 12 {{\n{main}{last}\nreturn (0)\n}}\n")
}

/// Makes threads up.
struct Maker {
    random: Random,
    /// Of labels.
    next: u32,
    /// How seldom something odd happens.
    oddity: usize,
    /// In which registers something was read.
    read: u32,
}

impl Maker {
    fn label(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn oddly(&mut self) -> bool {
        self.random.below(self.oddity) == 0
    }

    fn register(&mut self) -> u32 {
        self.read = (self.read + 1) % 4;
        4 + self.read
    }

    /// Plain ones in sections, mostly.
    fn access(&mut self, inside: bool, own: &str) -> String {
        let plain = if inside { 2 } else { 12 };
        let at = match self.random.below(5) {
            0 | 1 => own,
            2 => "@x",
            3 => "@y",
            _ => self.random.pick(&["@xx", "@yy"]),
        };
        let r = self.register();
        let value = 1 + self.random.below(2);
        if self.random.below(plain) == 0 {
            return match self.random.below(3) {
                0 => format!("r{r} = load.4.na {at}\n"),
                1 => format!("store.4.na {at}, {value}\n"),
                _ => format!("r{r} = load.4.na {at}\nr1 = add.32 r{r}, 1\nstore.4.na {at}, r1\n"),
            };
        }
        let mode = |m: &mut Maker, of: &[&'static str]| m.random.pick(of);
        match self.random.below(5) {
            0 | 1 => format!("r{r} = load.4.{} {at}\n", mode(self, &["rlx", "acq", "sc"])),
            2 | 3 => format!("store.4.{} {at}, {value}\n", mode(self, &["rlx", "rel", "sc"])),
            _ => format!("r{r} = rmw.add.4.{} {at}, {value}\n", mode(self, &["rlx", "ar"])),
        }
    }

    fn accesses(&mut self, inside: bool, own: &str) -> String {
        (0..self.random.below(3)).map(|_| self.access(inside, own)).collect()
    }

    fn check(&mut self) -> String {
        let (l, value) = (self.label(), self.random.below(3));
        let r = 4 + self.random.below(4);
        let what = self.random.pick(&["call.0 &reach_error ()", "call.0 &__VERIFIER_assume (0)"]);
        format!("r1 = cmp.eq.32 r{r}, {value}\nbranch r1, yes{l}, no{l}\nyes{l}:\n{what}\nno{l}:\n")
    }

    fn section(&mut self, own: &str, depth: u32) -> String {
        let lock = self.random.pick(&["@m", "@m", "@n"]);
        let spins = self.oddly();
        let kind = if spins { "spin" } else { "mutex" };
        let mut text = format!("r1 = call.1 &pthread_{kind}_lock ({lock})\n") + &self.accesses(true, own);
        if depth < 1 && self.oddly() {
            text += &self.section(own, depth + 1);
        }
        if self.oddly() {
            text += &match self.random.below(9) {
                0 => self.check(),
                1 => String::from("r1 = call.1 &sem_wait (@s)\n"),
                2 => String::from("r1 = call.1 &sem_post (@s)\n"),
                3 => {
                    let l = self.label();
                    format!(
                        "r1 = load.4.rlx @xx\nbranch r1, on{l}, off{l}\noff{l}:\n\
                         r1 = call.1 &pthread_cond_wait (@c, {lock})\non{l}:\n"
                    )
                }
                4 => String::from("store.4.rlx @xx, 1\nr1 = call.1 &pthread_cond_signal (@c)\n"),
                5 => format!(
                    "r1 = call.1 &pthread_mutex_{} ({lock})\n",
                    self.random.pick(&["lock", "destroy"])
                ),
                6 => format!("r1 = call.1 &pthread_mutex_init ({lock}, 0)\n"),
                7 => format!("r1 = call.1 &memset ({lock}, 0, 4)\n"),
                _ => return text,
            };
        }
        text + &format!("r1 = call.1 &pthread_{kind}_unlock ({lock})\n")
    }

    fn item(&mut self, own: &str) -> String {
        match self.random.below(10) {
            0..=5 => self.section(own, 0),
            6 | 7 => self.access(false, own),
            8 => self.check(),
            _ if self.oddly() => match self.random.below(8) {
                0 | 1 => {
                    let (l, inside) = (self.label(), self.accesses(true, own));
                    let lock = self.random.pick(&["@m", "@n"]);
                    format!(
                        "r1 = call.1 &pthread_mutex_trylock ({lock})\nbranch r1, busy{l}, got{l}\ngot{l}:\n\
                         {inside}r1 = call.1 &pthread_mutex_unlock ({lock})\nbusy{l}:\n"
                    )
                }
                2 => String::from("r1 = call.1 &sem_wait (@s)\n"),
                3 => String::from("r1 = call.1 &sem_post (@s)\n"),
                4 => format!("r{} = load.4.{} @m\n", self.register(), self.random.pick(&["na", "rlx"])),
                5 => String::from("r1 = call.1 &pthread_mutex_unlock (@m)\n"),
                6 => String::from("r1 = call.1 &pthread_mutex_destroy (@m)\n"),
                _ => {
                    let l = self.label();
                    format!(
                        "r1 = call.1 &pthread_mutex_lock (@m)\nr8 = load.8.na @home\n\
                         r1 = cmp.eq.64 r8, 0\nbranch r1, none{l}, some{l}\nsome{l}:\n\
                         store.8.na @home, 0\ncall.0 &free (r8)\njump both{l}\nnone{l}:\n\
                         r8 = call.1 &malloc (4)\nstore.4.na r8, 1\nstore.8.na @home, r8\nboth{l}:\n\
                         r1 = call.1 &pthread_mutex_unlock (@m)\n"
                    )
                }
            },
            _ => format!("fence.{}\n", self.random.pick(&["acq", "rel", "sc"])),
        }
    }

    fn thread(&mut self, number: usize) -> String {
        let own = format!("@outs+{}", 32 + 4 * number);
        let mut text = String::from("r4 = move 0\nr5 = move 0\nr6 = move 0\nr7 = move 0\n");
        let items = 1 + self.random.below(3);
        for _ in 0..items {
            text += &self.item(&own);
        }
        text + &format!("store.4.na @outs+{}, r{}\n", 4 * number, 4 + self.random.below(4))
    }

    /// Whether some combination of what threads read at last comes about.
    fn last(&mut self, threads: usize) -> String {
        let mut text = String::from("r1 = move 1\n");
        for n in 0..threads {
            let value = self.random.below(3);
            let _ = write!(
                text,
                "r2 = load.4.na @outs+{}\nr2 = cmp.eq.32 r2, {value}\nr1 = and.32 r1, r2\n",
                4 * n
            );
        }
        text + "branch r1, wrong, right\nwrong:\ncall.0 &reach_error ()\nright:\n"
    }
}

fn generated(seed: u64) -> String {
    let mut random = Random(seed);
    let oddity = [3, 8, 30][random.below(3)];
    let mut maker = Maker { random, next: 0, oddity, read: 0 };
    let threads = 2 + maker.random.below(2);
    let mut bodies: Vec<String> = (0..threads).map(|n| maker.thread(n)).collect();
    if maker.random.below(6) == 0 {
        bodies[1] = bodies[0].clone();
    }
    let last = if maker.random.below(3) == 0 { String::new() } else { maker.last(threads) };
    program(&bodies, "", &last)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// A thread with so many sections of a lock, around this.
fn sections(count: usize, inside: &str) -> String {
    let section =
        format!("r1 = call.1 &pthread_mutex_lock (@m)\n{inside}\nr1 = call.1 &pthread_mutex_unlock (@m)\n");
    section.repeat(count)
}

const INCREMENT: [&str; 3] = ["@x", "@y", "@xx"];

fn increments(at: &str) -> String {
    format!("r2 = load.4.na {at}\nr2 = add.32 r2, 1\nstore.4.na {at}, r2\n")
}

#[test]
fn sections_on_data_of_their_own_have_one_execution() {
    let bodies = INCREMENT.map(|at| sections(2, &increments(at)));
    let text = program(&bodies, "", "");
    for name in MODELS {
        let (with, without) = (explored(&text, &racing(name), ON), explored(&text, &racing(name), off()));
        // 6! / 2!^3 orders of the sections.
        assert_eq!((with.executions, without.executions), (1, 90), "{name}");
        assert_eq!((with.restarts, &with.states), (0, &without.states), "{name}");
    }
}

#[test]
fn sections_that_conflict_are_ordered_and_others_are_not() {
    let shared = |at| sections(2, &increments(at));
    let bodies = [shared("@x"), shared("@x") + "r3 = move 1\n", shared("@y"), shared("@y") + "r3 = move 2\n"];
    let found = explored(&program(&bodies, "", ""), &racing("rc11"), ON);
    // 4! / 2!^2 orders each, for whatever is in the other part.
    assert_eq!((found.executions, found.restarts), (36, 1));
    // Where all of them conflict, the lock is explored as it is.
    let bodies = [shared("@x"), shared("@x") + "r3 = move 1\n"];
    let text = program(&bodies, "", "");
    let (with, without) = (explored(&text, &racing("rc11"), ON), explored(&text, &racing("rc11"), off()));
    assert_eq!((with.executions, without.executions, with.restarts), (6, 6, 2));
}

#[test]
fn what_only_the_order_rules_out_is_no_error() {
    let fenced = |write: &str, read: &str, n: u32| {
        format!(
            "store.4.rlx {write}, 1\n{}r4 = load.4.rlx {read}\nstore.4.na @outs+{}, r4\n",
            sections(1, ""),
            4 * n
        )
    };
    let last = "r1 = load.4.na @outs\nr2 = load.4.na @outs+4\nr1 = or.32 r1, r2\nbranch r1, right, wrong\n\
                wrong:\ncall.0 &reach_error ()\nright:\n";
    let text = program(&[fenced("@x", "@y", 0), fenced("@y", "@x", 1)], "", last);
    for name in MODELS {
        let found = explored(&text, &racing(name), ON);
        assert!(found.kinds.is_empty() && found.complete > 0, "{name}");
        assert_eq!(found.states, explored(&text, &racing(name), off()).states, "{name}");
    }
}

#[test]
fn generated_programs_have_the_same_errors_with_and_without() {
    let (wanted, seed) = (setting("SELVEDGE_FUZZ_PROGRAMS", 1500), setting("SELVEDGE_FUZZ_SEED", 1));
    let models = MODELS.map(|name| (name, racing(name)));
    let (mut compared, mut right, mut smaller, mut more, mut saved) = (0, 0, 0, 0, (0, 0));
    for number in 0..wanted {
        let text = generated(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let (name, model) = &models[number as usize % MODELS.len()];
        let with = explored(&text, model, ON);
        let without = explored(&text, model, off());
        if with.useless || without.useless {
            continue;
        }
        compared += 1;
        let verdict = |f: &Found| (f.kinds.clone(), f.stuck, f.complete > 0);
        assert_eq!(verdict(&with), verdict(&without), "{name}, program {number}\n{text}");
        assert!(without.states.is_subset(&with.states), "{name}, program {number}\n{text}");
        right += u32::from(without.kinds.is_empty() && !without.stuck);
        smaller += u32::from(with.executions < without.executions);
        more += u32::from(with.executions > without.executions);
        saved = (saved.0 + with.executions, saved.1 + without.executions);
    }
    println!(
        "{compared} compared, {right} without errors, {smaller} smaller, {more} larger, {saved:?} executions"
    );
    assert!(compared * 10 > wanted * 9 && right > 0 && smaller > 0);
}
