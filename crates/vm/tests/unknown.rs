//! Inputs as unknowns against inputs that are gone through one by one: on generated programs, the same ends
//! are reached and the same errors are found, by executions and by states.

use crate::common;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_check::{Attempt, settle};
use selvedge_explore::{Config, End, Execution, ExploreError, explore};
use selvedge_machine::{ErrorKind, Machine, Names, Op, Reductions, Tid};
use selvedge_model::Model;
use selvedge_states::{Stop, Table, search};
use selvedge_vm::{Options, VmMachine};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

/// How many values an input has.
const VALUES: u64 = 4;

const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @z size 4 align 4 = zero 4
    global @w size 8 align 8 = zero 8
    global @m size 40 align 8 = zero 40
    global @table size 64 align 4 = zero 64
    global @t size 32 align 8 = zero 32
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &memcpy(r0, r1, r2) results 1 regs 3
    func &reach_error() results 0 regs 0
    func &__VERIFIER_assume(r0) results 0 regs 1
    func &__VERIFIER_nondet_uchar() results 1 regs 0
    func &selvedge_choose(r0) results 1 regs 1
";

/// Registers that hold numbers; the ones after them are for what is between.
const NUMBERS: u32 = 4;

struct Generator {
    random: SmallRng,
    labels: u32,
    inputs: u32,
    /// Loops without a bound, and locks.
    loops: bool,
}

impl Generator {
    fn below(&mut self, count: u32) -> u32 {
        self.random.random_range(0..count)
    }

    fn number(&mut self) -> String {
        format!("r{}", self.below(NUMBERS))
    }

    fn operand(&mut self) -> String {
        if self.below(3) == 0 { self.below(5).to_string() } else { self.number() }
    }

    fn global(&mut self) -> &'static str {
        ["@x", "@y", "@z"][self.below(3) as usize]
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn block(&mut self, len: u32, depth: u32, out: &mut String) {
        (0..len).for_each(|_| self.statement(depth, out));
    }

    fn input(&mut self, out: &mut String) {
        let dst = self.number();
        self.inputs += 1;
        _ = writeln!(out, "{dst} = input");
    }

    /// Accesses are atomic, of 4 bytes.
    fn statement(&mut self, depth: u32, out: &mut String) {
        let mode = ["rlx", "ar", "sc"][self.below(3) as usize];
        let (load, store) = match mode {
            "ar" => ("acq", "rel"),
            other => (other, other),
        };
        match self.below(22) {
            0..=2 if self.inputs < 3 => self.input(out),
            0..=4 => {
                let (dst, global) = (self.number(), self.global());
                _ = writeln!(out, "{dst} = load.4.{load} {global}");
            }
            5..=7 => {
                let (value, global) = (self.operand(), self.global());
                _ = writeln!(out, "store.4.{store} {global}, {value}");
            }
            8 | 9 => {
                let op = ["add", "sub", "xchg", "and", "or", "xor", "max", "umin"][self.below(8) as usize];
                let (dst, global, by) = (self.number(), self.global(), self.operand());
                _ = writeln!(out, "{dst} = rmw.{op}.4.{mode} {global}, {by}");
            }
            10 => {
                let (global, expected, desired) = (self.global(), self.operand(), self.operand());
                let dst = self.number();
                _ = writeln!(out, "r5 = cmpxchg.4.{mode}.{load} {global}, {expected}, {desired}");
                _ = writeln!(out, "{dst} = move r6");
            }
            11..=13 => {
                let op = ["add", "sub", "mul", "and", "or", "xor", "umin", "smax"][self.below(8) as usize];
                let (dst, a, b) = (self.number(), self.operand(), self.operand());
                _ = writeln!(out, "{dst} = {op}.32 {a}, {b}");
            }
            14 => {
                let op = ["udiv", "urem", "sdiv", "shl", "lshr", "ashr"][self.below(6) as usize];
                let (dst, a, b) = (self.number(), self.operand(), self.operand());
                if self.below(3) > 0 {
                    // Mostly there is a result.
                    _ = writeln!(out, "r5 = and.32 {b}, 7\nr5 = or.32 r5, 1\n{dst} = {op}.32 {a}, r5");
                } else {
                    _ = writeln!(out, "{dst} = {op}.32 {a}, {b}");
                }
            }
            15 => {
                let (dst, a, b, c) = (self.number(), self.operand(), self.operand(), self.operand());
                let cmp = self.comparison("r5");
                _ = writeln!(out, "{cmp}\n{dst} = select r5, {a}, {b}\n{dst} = xor.32 {dst}, {c}");
            }
            16 => {
                // Through memory, byte by byte.
                let (dst, a) = (self.number(), self.number());
                let at = self.below(4);
                _ = writeln!(out, "store.4.na r7, {a}\nr5 = offset r7, {at}, 1\nr5 = load.1.na r5");
                _ = writeln!(out, "r6 = offset r7, 4, 1\nstore.4.na r6, {dst}\nstore.1.na r6, r5");
                _ = writeln!(out, "{dst} = load.4.na r6");
            }
            17 => {
                let (dst, a) = (self.number(), self.number());
                let (cast, to) = [("sext", 8), ("zext", 8), ("sext", 2), ("zext", 1)][self.below(4) as usize];
                _ = writeln!(out, "r5 = cast.trunc.32.{to} {a}\n{dst} = cast.{cast}.{to}.32 r5");
            }
            19 | 20 if self.loops && depth > 0 => {
                let (cmp, label, len) = (self.comparison("r5"), self.label(), 1 + self.below(3));
                _ = writeln!(out, "jump loop{label}\nloop{label}:");
                self.input(out);
                self.block(len, depth - 1, out);
                let cmp = if self.below(4) == 0 { "r5 = move 1" } else { &cmp };
                _ = writeln!(out, "{cmp}\nbranch r5, loop{label}, out{label}\nout{label}:");
            }
            21 if self.loops && depth > 0 => {
                _ = writeln!(out, "r5 = call.1 &pthread_mutex_lock (@m)");
                let len = 1 + self.below(3);
                self.block(len, 0, out);
                _ = writeln!(out, "r5 = call.1 &pthread_mutex_unlock (@m)");
            }
            18 => {
                let cmp = self.comparison("r5");
                _ = writeln!(out, "{cmp}\ncall.0 &__VERIFIER_assume (r5)");
            }
            _ if depth > 0 => {
                let (cmp, label) = (self.comparison("r5"), self.label());
                _ = writeln!(out, "{cmp}\nbranch r5, then{label}, else{label}\nthen{label}:");
                let len = 1 + self.below(3);
                self.block(len, depth - 1, out);
                _ = writeln!(out, "jump end{label}\nelse{label}:");
                let len = self.below(3);
                self.block(len, depth - 1, out);
                _ = writeln!(out, "jump end{label}\nend{label}:");
            }
            _ => {
                let (cmp, label) = (self.comparison("r5"), self.label());
                _ = writeln!(out, "{cmp}\nbranch r5, fine{label}, fail{label}");
                _ = writeln!(out, "fail{label}: call.0 &reach_error ()\njump fine{label}\nfine{label}:");
            }
        }
    }

    fn comparison(&mut self, dst: &str) -> String {
        let op = ["eq", "ne", "ult", "ule", "slt", "sgt"][self.below(6) as usize];
        let (a, b) = (self.number(), self.operand());
        format!("{dst} = cmp.{op}.32 {a}, {b}")
    }

    /// A program of some threads; where they came to is what `main` reads last.
    fn program(&mut self) -> String {
        let threads = self.below(3);
        let regs = "r0 = move 0\nr1 = move 1\nr2 = move 2\nr3 = move 3\nr7 = alloca.private 8, 8\n";
        let regs = format!("{regs}store.8.na r7, 0\n");
        let mut text = DECLARED.to_string();
        let mut main = regs.clone();
        let before = self.below(4);
        self.block(before, 1, &mut main);
        for n in 0..threads {
            _ = writeln!(main, "r5 = call.1 &pthread_create (@t+{}, 0, &thread{n}, 0)", 8 * n);
            let mut body = regs.clone();
            let len = 2 + self.below(if threads == 1 { 6 } else { 4 });
            self.block(len, 2, &mut body);
            _ = writeln!(text, "func &thread{n}(r0) results 1 regs 8 {{ {body} return (0) }}");
        }
        let between = if threads == 0 { 8 } else { self.below(3) };
        self.block(between, 2, &mut main);
        for n in 0..threads {
            _ = writeln!(main, "r5 = load.8.na @t+{}\nr5 = call.1 &pthread_join (r5, 0)", 8 * n);
        }
        main += "
            r5 = load.4.rlx @x
            r6 = load.4.rlx @y
            r6 = mul.32 r6, 3
            r5 = add.32 r5, r6
            r6 = load.4.rlx @z
            r6 = mul.32 r6, 5
            r5 = add.32 r5, r6
            r5 = xor.32 r5, r0
            r5 = add.32 r5, r1
            r5 = and.32 r5, 15
            r5 = offset @table, r5, 4
            r5 = load.4.na r5\n";
        _ = writeln!(text, "func &main() results 1 regs 8 {{ {main} return (0) }}");
        text
    }
}

/// What there is to be found in a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Found {
    /// Where complete executions end.
    ends: BTreeSet<String>,
    errors: BTreeSet<&'static str>,
    complete: u64,
}

fn found(text: &str, model: &Model, reductions: Reductions) -> Found {
    let options = Options { max_threads: 4, check_signed_overflow: true, ..Options::default() };
    let mut machine = common::machine(text, options);
    let config = Config { inspect: true, races: false, reductions, ..Config::default() };
    let found = settle(&mut machine, config, |machine, config| {
        let mut found = Found::default();
        let mut visit = |x: &Execution<'_, VmMachine>| {
            found.errors.extend(x.failure().map(|f| f.kind.name()));
            for t in 0..machine.threads() as u16 {
                if let Some(Op::Error(code)) = x.stands_at(Tid(t)) {
                    found.errors.insert(machine.error(code).kind.name());
                }
            }
            if x.end == End::Complete {
                let last = x.graph.thread(Tid(0)).last().map(|&e| x.graph.event(e).loc);
                found.ends.extend(last.map(|loc| machine.location_name(loc)));
                found.complete += 1;
            }
            ControlFlow::Continue(())
        };
        let stats = explore(machine, model, config, &mut visit)?;
        Ok::<_, ExploreError>(Attempt { gave_up: stats.gave_up, found: false, result: found })
    });
    found.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A program with inputs that are chosen, and with unknown ones.
fn both_ways(program: &str) -> (String, String) {
    let with = |how: &str| {
        let lines = program.lines().map(|line| match line.split_once(" = input") {
            Some((dst, _)) => how.replace("DST", dst),
            None => line.to_string(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let narrow = format!("DST = and.32 DST, {}", VALUES - 1);
    let each = with(&format!("DST = call.1 &selvedge_choose ({VALUES})"));
    (each, with(&format!("DST = call.1 &__VERIFIER_nondet_uchar ()\n{narrow}")))
}

/// The same by all states of a program, and how many there are; `None` if there are too many.
fn searched(text: &str, table: &Table) -> Option<(Found, usize)> {
    let options = Options {
        max_threads: 4,
        check_signed_overflow: true,
        unroll: u32::MAX,
        reductions: Reductions::NONE,
        leave_out_undone: false,
        leave_out_unpublished: false,
        ..Options::default()
    };
    let mut machine = common::machine(text, options);
    let options = selvedge_states::Options { max_states: 3_000, ..selvedge_states::Options::default() };
    loop {
        let all = search(&machine, table, &options);
        match all.stop {
            Some(Stop::Again(again)) if machine.give_in(again) => continue,
            Some(_) => return None,
            None => {}
        }
        let mut found = Found { complete: all.ends.len() as u64, ..Found::default() };
        found.errors.extend(all.wrong.keys().map(|wrong| wrong.kind.name()));
        let steps = all.graph.edges().iter().map(|edge| &all.graph.what(edge).what);
        found.ends.extend(steps.filter(|what| what.starts_with("reads table")).cloned());
        return Some((found, all.graph.states()));
    }
}

/// By the states of programs that may go on for ever.
fn compare_states(seeds: std::ops::Range<u64>) -> Tally {
    let table = Table::of(&selvedge_kat::load_named("sc").expect("a model")).expect("a table");
    let mut tally = Tally::default();
    for seed in seeds {
        let random = SmallRng::seed_from_u64(seed);
        let mut g = Generator { random, labels: 0, inputs: 0, loops: seed % 4 != 0 };
        let program = g.program();
        let (each, unknown) = both_ways(&program);
        let (Some((expected, one_by_one)), Some((got, states))) =
            (searched(&each, &table), searched(&unknown, &table))
        else {
            continue;
        };
        if g.inputs == 0 {
            continue;
        }
        if got.errors.contains(ErrorKind::Unsupported.name()) {
            tally.unsupported += 1;
            continue;
        }
        assert_eq!((&got.ends, &got.errors), (&expected.ends, &expected.errors), "seed {seed}:\n{unknown}");
        tally.compared += 1;
        tally.erroneous += !expected.errors.is_empty() as u32;
        tally.one_by_one += one_by_one as u64;
        tally.unknown += states as u64;
    }
    tally
}

#[derive(Default, Debug)]
struct Tally {
    compared: u32,
    unsupported: u32,
    erroneous: u32,
    one_by_one: u64,
    unknown: u64,
}

fn compare(seeds: std::ops::Range<u64>) -> Tally {
    let compile = |name: &str| {
        let theory = selvedge_kat::load_named(name).unwrap_or_else(|e| panic!("{e:?}"));
        Model::compile(&theory).unwrap_or_else(|e| panic!("{e:?}"))
    };
    let models = [compile("sc"), compile("rc11")];
    let mut tally = Tally::default();
    for seed in seeds {
        let random = SmallRng::seed_from_u64(seed);
        let mut g = Generator { random, labels: 0, inputs: 0, loops: false };
        let program = g.program();
        if g.inputs == 0 {
            continue;
        }
        let (each, unknown) = both_ways(&program);
        let model = &models[(seed % 2) as usize];
        let expected = found(&each, model, Reductions::NONE);
        let reductions = if seed % 4 < 2 { Reductions::NONE } else { Reductions::ALL };
        let got = found(&unknown, model, reductions);
        if got.errors.contains(ErrorKind::Unsupported.name()) {
            tally.unsupported += 1;
            continue;
        }
        assert_eq!(
            (&got.ends, &got.errors),
            (&expected.ends, &expected.errors),
            "seed {seed} under {}:\n{unknown}",
            model.name()
        );
        tally.compared += 1;
        tally.erroneous += !expected.errors.is_empty() as u32;
        tally.one_by_one += expected.complete;
        tally.unknown += got.complete;
    }
    tally
}

#[test]
fn unknown_inputs_lead_where_some_input_leads() {
    let count = std::env::var("UNKNOWN_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let tally = compare(0..count);
    println!("{tally:?}");
    let (compared, unsupported) = (tally.compared, tally.unsupported);
    assert!(compared as u64 > count / 3 && unsupported < compared / 4 && tally.erroneous > 20, "{tally:?}");
    assert!(tally.unknown < tally.one_by_one, "{tally:?}");
}

#[test]
fn states_with_unknown_inputs_stand_for_those_with_some_input() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let (first, count) =
        (setting("UNKNOWN_STATES_SEED").unwrap_or(0), setting("UNKNOWN_STATES").unwrap_or(60));
    let tally = compare_states(first..first + count);
    println!("{tally:?}");
    let (compared, unsupported) = (tally.compared, tally.unsupported);
    assert!(compared as u64 > count / 4 && unsupported < compared / 4 && tally.erroneous > 1, "{tally:?}");
    assert!(tally.unknown < tally.one_by_one, "{tally:?}");
}
