//! Revisits that follow dependencies: shapes that a rule left out would get wrong, under every model that is
//! explored in this way, against the oracle: nothing missing, nothing twice, nothing entered in vain.
//! `docs/dependencies.md` has the rules.

use selvedge_compare::compare::{Options, Subject, Verdict};
use selvedge_graph::Loc;
use selvedge_kat::{Dialect, load_named};
use selvedge_litmus::parse;
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, Program};
use selvedge_oracle::generate::{arch_program, rng_for, with_pointers};
use selvedge_oracle::generate_arch::Arch;

/// A shape, and what it is about. In the threads, `X` stands for relaxed accesses of x, `_r` and `_a` for
/// releases and acquires.
const SHAPES: &[(&str, &[&str])] = &[
    (
        "writes in two steps: a value is forwarded",
        &["a = X; y(a);", "b = Y; x(1); c = X; z(c); y(b);", "d = Z; x(d);"],
    ),
    ("own writes come before reads of others", &["y(2);", "a = Z;", "y(1); b = Y; z(1 + (b ^ b));"]),
    (
        "two reads of a location, the first of them a hole",
        &["y(2); a = Z;", "x(1); full; y(1);", "a = Y; b = X_at(a); c = X; z(1 + (c ^ c));"],
    ),
    ("an address in between", &["a = Z; y_r(1);", "b = Y; x_at(b, 2); z(1);"]),
    (
        "a read-modify-write is kept with its write",
        &["a = cas(y, 0, 1);", "b = X; y(2 + (b ^ b));", "c = xchg(y, 1); x(1 + (c ^ c));"],
    ),
    (
        "what a read-modify-write reads is there, but not in the prefix",
        &["a = Y; b = Z; c = xchg(y, 3);", "y(2); d = xchg_a(y, 4); z(1);"],
    ),
    ("orders out of a write that may not be there", &["a = X; y(1);", "b = cas(y, 0, 1); full; x(2);"]),
    ("the same with a release", &["a = Y; x(2);", "y(1); b = X; c = cas_r(y, 1, 2); y(1);"]),
    ("the same with an address", &["x(2);", "a = Y;", "b = cas(x, 0, 1); c = X; y_at(c, 2);"]),
    ("a write that fits nowhere", &["a = X; b = xchg_r(y, 2);", "y(2); x_r(2);"]),
    ("reads of one write", &["a = X;", "y(1);", "b = Y; c = Y; if (c) x(2);"]),
    ("an own write between reads", &["a = X; y(1 + (a ^ a));", "b = Y; y(2); c = Y_a; x(2);"]),
    ("a failure sets free", &["a = cas(x, 0, 1); full; y(1);", "b = Y; x_at(b, 1);"]),
    ("an acquire that is one only if it succeeds", &["a = cas_a(x, 0, 0); y(1);", "b = Y; x_r(1);"]),
    (
        "an operand that depends on what was read",
        &["a = X; b = xchg(y, a); z(b);", "c = Z; x(c + 1);", "y(3);"],
    ),
    ("two writes, of which one depends on a read", &["a = Y;", "b = Y; x_at(b, 0);", "c = X; y(c); y(0);"]),
    ("a sum that is forwarded", &["a = add(x, 1); b = X; if (b) y(1);", "c = Y; x_r(1);"]),
    ("what is exchanged is forwarded", &["a = xchg(x, 2); b = X; if (b) y(1);", "c = Y; x_r(1);"]),
    (
        "what a compare-and-swap writes is forwarded",
        &["a = Y; x(2 + (a ^ a));", "b = cas(x, 2, 0); c = X; y_at(c, 1);"],
    ),
    (
        "a compare-and-swap that succeeds by what comes of its own write",
        &["a = Y; x(a);", "b = cas(x, 1, 0); c = X; y_at(c, 1);"],
    ),
    (
        "the same, and nothing else lets others know",
        &["a = Y; if (a) x(1);", "x(2); b = cas(x, 1, 0); c = X; if (c) z(1); y_at(c, 1);"],
    ),
    (
        "the same, read back by a read-modify-write",
        &["a = Y; x(a);", "b = cas(x, 1, 2); c = add(x, 1); y(1 + (c ^ c));"],
    ),
    (
        "the same with a branch on the outcome: nothing is early",
        &["a = Y; x(a);", "b = cas(x, 1, 0); if (b) c = X; y_at(c, 1);"],
    ),
    ("a compare-and-swap that lets itself succeed", &["a = X; y(a);", "b = cas(y, 1, 1); c = Y; x(c);"]),
    ("what is expected depends on the write", &["a = X; b = cas(y, a, 0);", "c = Y; x_at(c, 0);"]),
    ("the same, and only then it is there", &["x(2);", "a = X; b = cas(y, a, 1);", "c = Y; if (c) x(0);"]),
    (
        "acquired, but by one of two outcomes only",
        &["a = Y; x_r(1);", "b = cas_a(x, 1, 0); z(1); y(1);", "c = Z; y(c);"],
    ),
    (
        "a failure that is not ordered, where success was",
        &["a = cas_s(x, 0, 0); y(0);", "b = Y_a; c = add(x, 1);"],
    ),
    (
        "the same, and what makes it fail is there only then",
        &["a = cas_s(x, 0, 2); y(1);", "b = Y_a; c = X; if (b > c) x(1);"],
    ),
    (
        "the same by way of another write",
        &["a = cas_s(x, 0, 2); y(1); z(1);", "b = Z_a; y(2); full; c = X; if (b > c) x(1);"],
    ),
    (
        "a read before a write of its location, which nothing orders",
        &["a = X;", "b = Z; z(0);", "b = cas(z, 0, 0); c = Z; x_at(c, 0);"],
    ),
    ("a forwarded value that is acquired", &["a = X; y(a); b = Y_a; z(1);", "c = Z; x(c);"]),
    (
        "a compare-and-swap that acquires, and fails where it succeeded before",
        &["a = Y; if (a) y(1); x_r(1);", "a = cas_a(x, 0, 1); b = X; y(2);"],
    ),
];

/// The program in the language of litmus tests.
fn program(name: &str, threads: &[&str]) -> String {
    let mut text = format!("C {}\n{{}}\n", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    for (t, thread) in threads.iter().enumerate() {
        text += &format!("P{t} (atomic_int* x, atomic_int* y, atomic_int* z) {{\n");
        let mut body = String::new();
        for statement in thread.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            let (guard, statement) = match statement.strip_prefix("if (") {
                Some(rest) => rest.split_once(')').map(|(c, s)| (Some(c), s.trim())).expect("a condition"),
                None => (None, statement),
            };
            let line = operation(statement);
            body += &match guard {
                Some(condition) => format!("  if ({condition}) {{ {line}; }}\n"),
                None => format!("  {line};\n"),
            };
        }
        text += &format!("  int a = 0; int b = 0; int c = 0; int d = 0;\n{body}}}\n");
    }
    text + "exists (true)\n"
}

fn operation(statement: &str) -> String {
    let order = |suffix: &str| match suffix {
        "a" => "memory_order_acquire",
        "r" => "memory_order_release",
        "s" => "memory_order_seq_cst",
        _ => "memory_order_relaxed",
    };
    if statement == "full" {
        return "atomic_thread_fence(memory_order_seq_cst)".into();
    }
    if let Some((register, right)) = statement.split_once(" = ") {
        let (word, arguments) = match right.split_once('(') {
            Some((word, rest)) => (word, rest.trim_end_matches(')')),
            None => (right, ""),
        };
        let (word, suffix) = word.split_once('_').unwrap_or((word, ""));
        let place = word.to_lowercase();
        return match word {
            "cas" => {
                let parts: Vec<&str> = arguments.split(", ").collect();
                let (at, expected, new) = (parts[0], parts[1], parts[2]);
                format!(
                    "int e{register} = {expected}; {register} = atomic_compare_exchange_strong_explicit({at}, \
                     &e{register}, {new}, {}, memory_order_relaxed)",
                    order(suffix)
                )
            }
            "add" => format!("{register} = atomic_fetch_add_explicit({arguments}, {})", order(suffix)),
            "xchg" => format!("{register} = atomic_exchange_explicit({arguments}, {})", order(suffix)),
            _ if suffix == "at" => {
                format!(
                    "{register} = atomic_load_explicit({place} + ({arguments} ^ {arguments}), memory_order_relaxed)"
                )
            }
            _ => format!("{register} = atomic_load_explicit({place}, {})", order(suffix)),
        };
    }
    let (word, arguments) = statement.split_once('(').expect("a store");
    let arguments = arguments.strip_suffix(')').expect("a store");
    let (place, suffix) = word.split_once('_').unwrap_or((word, ""));
    if suffix == "at" {
        let (by, value) = arguments.split_once(", ").expect("an address and a value");
        return format!("atomic_store_explicit({place} + ({by} ^ {by}), {value}, memory_order_relaxed)");
    }
    format!("atomic_store_explicit({place}, {arguments}, {})", order(suffix))
}

#[test]
fn the_shapes_have_the_executions_that_the_oracle_finds() {
    let mut by_revisits = 0;
    for model in ["armv8", "riscv", "imm", "imm-cxx20", "power"] {
        let subject = Subject::new(&load_named(model).expect("a shipped model")).expect("a model");
        for (name, threads) in SHAPES {
            let text = program(name, threads);
            let test = parse("shape.litmus", &text, &selvedge_litmus::Options::default());
            let test = test.unwrap_or_else(|d| panic!("{name}: {d}\n{text}"));
            match subject.compare(&test.program, &Options::default()) {
                Verdict::Agree { executions, fallen_back, .. } => {
                    assert!(executions > 1, "{model}, {name}");
                    by_revisits += u64::from(!fallen_back);
                }
                other => panic!("{model}, {name}: {other:?}\n{text}"),
            }
        }
    }
    assert!(by_revisits > 50, "{by_revisits} were explored by revisits");
}

/// What would be missed is not: the exploration says so, and goes the other way.
#[test]
fn an_operand_that_depends_on_what_was_read_is_noticed() {
    let subject = Subject::new(&load_named("armv8").expect("a shipped model")).expect("a model");
    let threads = ["a = X; b = xchg(y, a); z(1 + (b ^ b));", "c = Z; x(c);"];
    let text = program("operand", &threads);
    let test = parse("operand.litmus", &text, &selvedge_litmus::Options::default()).expect("a test");
    let verdict = subject.compare(&test.program, &Options::default());
    assert!(matches!(verdict, Verdict::Agree { fallen_back: true, .. }), "{verdict:?}");
}

/// A write in the middle of its thread revisits the read of another read-modify-write: that the write itself
/// fits there was not asked before, since both had read the same.
#[test]
fn a_write_that_revisits_fits_itself() {
    let text = "AArch64 revisits\n{ 0:X1=x; 1:X1=x; 1:X3=y; 2:X1=x; 2:X3=y; }\n\
         P0               | P1           | P2               ;\n\
         MOV W4,#0        | LDR W2,[X3]  | LDXR W0,[X1]     ;\n\
         LDADD W4,W2,[X1] | ADD W4,W2,#1 | MOV W5,#7        ;\n\
                          | STR W4,[X1]  | STLXR W6,W5,[X1] ;\n\
                          |              | DMB ST           ;\n\
                          |              | MOV W7,#2        ;\n\
                          |              | STR W7,[X3]      ;\n\
         exists (1:X2=2 /\\ 2:X0=3 /\\ 2:X6=0)\n";
    let test = parse("revisits.litmus", text, &selvedge_litmus::Options::default()).expect("a test");
    let subject = Subject::new(&load_named("armv8").expect("a shipped model")).expect("a model");
    let verdict = subject.compare(&test.program, &Options::default());
    assert!(matches!(verdict, Verdict::Agree { out_of_order: true, .. }), "{verdict:?}");
}

/// Accesses of which the address is computed: some of the addresses are not in the array, depending on what
/// is read, or on what a read that was put off was taken to give.
fn with_computed_addresses(mut program: Program, dice: &mut Dice) -> Program {
    for code in program.threads.iter_mut().map(|thread| &mut thread.code) {
        let mut known: Vec<Reg> = Vec::new();
        for instr in code {
            let (addr, dst) = match instr {
                Instr::Load { dst, addr, .. } | Instr::Rmw { dst, addr, .. } => (addr, Some(*dst)),
                Instr::Cas { old, addr, .. } => (addr, Some(*old)),
                Instr::Store { addr, .. } => (addr, None),
                _ => continue,
            };
            if let (Addr::Loc(_), false) = (&*addr, known.is_empty())
                && dice.roll(3) != 0
            {
                let reg = Expr::Reg(known[dice.roll(known.len())]);
                let index = match dice.roll(4) {
                    0 => reg,
                    1 => Expr::bin(BinOp::Sub, Expr::Const(1), reg),
                    _ => Expr::bin(BinOp::And, reg, Expr::Const(1)),
                };
                *addr = Addr::Element { base: Loc(0), len: 2, index };
            }
            known.extend(dst);
        }
    }
    program
}

/// Where reads are put off, threads go on with values that these may turn out not to have.
#[test]
fn computed_addresses_are_those_that_the_oracle_finds() {
    let number =
        |name: &str, default: u64| std::env::var(name).map_or(default, |n| n.parse().expect("a number"));
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 60), number("SELVEDGE_FUZZ_SEED", 5));
    for model in ["power", "lkmm", "armv8-2018", "armv8", "imm"] {
        let subject = Subject::new(&load_named(model).expect("a shipped model")).expect("a model");
        let arch = Arch::of_model(model).expect("an architecture");
        let (mut agreed, mut others) = (0, 0);
        for n in 0..programs {
            let mut dice =
                Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n.wrapping_mul(0xbf58_476d_1ce4_e5b9));
            dice.roll(2);
            let mut program = arch_program(&mut rng_for(seed, n), arch);
            if program.locs.len() < 2 {
                program.loc("second", 0);
            }
            let program = with_computed_addresses(program, &mut dice);
            match subject.compare(&program, &Options::default()) {
                Verdict::Agree { .. } => agreed += 1,
                Verdict::TooBig | Verdict::ThinAir { .. } => others += 1,
                Verdict::Disagree(d) if d.is_in_vain_only() => others += 1,
                Verdict::Disagree(d) => panic!("{model}, program {n} of seed {seed}: {program:#?}\n{d}"),
            }
        }
        println!("{model}: {agreed} agree, {others} are too large or depend on themselves");
        assert!(agreed > 3 * others, "{model}: {agreed} agree, {others} do not count");
    }
}

/// Small numbers by chance.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len())]
    }
}

/// A thread that reads first and writes later: what orders the two, if anything, is chance.
fn reads_before_writes(dice: &mut Dice) -> String {
    let registers = ["a", "b", "c", "d"];
    let (mut read, mut text) = (0, String::new());
    let length = 2 + dice.roll(3);
    for at in 0..length {
        let known = &registers[..read];
        let place = dice.of(&["x", "y", "z"]);
        let statement = match dice.roll(if at == 0 { 6 } else { 14 }) {
            0..=3 => format!("{} = {}", registers[read], place.to_uppercase()),
            4 => format!("{} = {}_a", registers[read], place.to_uppercase()),
            5 => match dice.roll(if read > 0 { 7 } else { 5 }) {
                0 => format!("{} = xchg({place}, {})", registers[read], 1 + dice.roll(2)),
                1 => format!("{} = cas({place}, {}, 2)", registers[read], dice.roll(2)),
                2 => format!("{} = cas_a({place}, {}, 1)", registers[read], dice.roll(2)),
                3 => format!("{} = cas_s({place}, {}, 2)", registers[read], dice.roll(2)),
                4 => format!("{} = add_s({place}, 1)", registers[read]),
                5 => format!("{} = xchg({place}, {})", registers[read], dice.of(known)),
                _ => format!("{} = cas({place}, 0, {})", registers[read], dice.of(known)),
            },
            6..=7 => format!("{place}({})", 1 + dice.roll(2)),
            8 => format!("{place}_{}({})", dice.of(&["r", "r", "s"]), 1 + dice.roll(2)),
            9 => String::from("full"),
            kind if read > 0 => {
                let by = dice.of(known);
                match kind {
                    10 => format!("{place}({by})"),
                    11 => format!("{place}(1 + ({by} ^ {by}))"),
                    12 => format!("{place}_at({by}, {})", 1 + dice.roll(2)),
                    _ => format!("if ({by}) {place}(1)"),
                }
            }
            _ => format!("{place}(1)"),
        };
        read += usize::from(statement.contains(" = "));
        text += &format!("{statement}; ");
    }
    text
}

/// Where reads come before writes and little orders them, threads cannot be explored in program order. That
/// is noticed whenever it matters, and where it is not, nothing is missing.
#[test]
fn what_program_order_would_miss_is_noticed() {
    let number =
        |name: &str, default: u64| std::env::var(name).map_or(default, |n| n.parse().expect("a number"));
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 60), number("SELVEDGE_FUZZ_SEED", 1));
    for model in ["armv8", "riscv", "imm", "imm-cxx20", "power"] {
        let subject = Subject::new(&load_named(model).expect("a shipped model")).expect("a model");
        let (mut in_order, mut noticed, mut in_vain) = (0, 0, 0);
        for n in 0..programs {
            let mut dice =
                Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n.wrapping_mul(0xbf58_476d_1ce4_e5b9));
            dice.roll(2);
            let threads: Vec<String> =
                (0..2 + dice.roll(2)).map(|_| reads_before_writes(&mut dice)).collect();
            let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
            let text = program("generated", &threads);
            let test = parse("generated.litmus", &text, &selvedge_litmus::Options::default());
            let test = test.unwrap_or_else(|d| panic!("{d}\n{text}"));
            match subject.compare(&test.program, &Options::default()) {
                Verdict::Agree { out_of_order: true, .. } => noticed += 1,
                Verdict::Agree { .. } => in_order += 1,
                Verdict::TooBig | Verdict::ThinAir { .. } => {}
                // Following dependencies has dead ends at some read-modify-writes, of which nothing comes.
                Verdict::Disagree(d) if d.is_in_vain_only() => in_vain += 1,
                Verdict::Disagree(d) => panic!("{model}, program {n} of seed {seed}: {threads:?}\n{d}"),
            }
        }
        println!(
            "{model}: {in_order} in program order, {noticed} not, {in_vain} with graphs entered in vain"
        );
        assert!(noticed > 0 && in_order > noticed, "{model}: {in_order} in program order, {noticed} not");
    }
}

/// Storing a pointer publishes what was written where it points to, under `dotnet`: to the explorer as to the
/// oracle. That it makes a difference shows without that part of the model.
#[test]
fn what_pointers_publish_is_the_same_to_both() {
    let number =
        |name: &str, default: u64| std::env::var(name).map_or(default, |n| n.parse().expect("a number"));
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 300), number("SELVEDGE_FUZZ_SEED", 2));
    let theory = load_named("dotnet").expect("a shipped model");
    let (text, _) = selvedge_kat::builtin("dotnet").expect("a shipped model");
    let without = text.replace("let object = publishes", "let object = 0");
    assert_ne!(text, without);
    let alone = |file: &str| Err(format!("no file {file}"));
    let without = selvedge_kat::parse("without.kat", &without, Dialect::Kat, &alone).expect("a model");
    let [subject, other] = [theory, without].map(|theory| Subject::new(&theory).expect("a model"));
    let (mut agreed, mut fewer) = (0, 0);
    for n in 0..programs {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n.wrapping_mul(0xbf58_476d_1ce4_e5b9));
        dice.roll(2);
        let program = with_pointers(arch_program(&mut rng_for(seed, n), Arch::Imm), &mut |n| dice.roll(n));
        let compare = |subject: &Subject| match subject.compare(&program, &Options::default()) {
            Verdict::Agree { executions, .. } => Some(executions),
            Verdict::TooBig | Verdict::ThinAir { .. } => None,
            Verdict::Disagree(d) if d.is_in_vain_only() => None,
            Verdict::Disagree(d) => panic!("program {n} of seed {seed}: {program:#?}\n{d}"),
        };
        if let (Some(with), Some(all)) = (compare(&subject), compare(&other)) {
            assert!(with <= all, "program {n} of seed {seed}");
            agreed += 1;
            fewer += u64::from(with < all);
        }
    }
    println!("{agreed} agree, {fewer} have fewer executions by publication");
    assert!(2 * agreed > programs && fewer > 0, "{agreed} agree, {fewer} have fewer executions");
}

/// Under this model, what is before a compare-and-swap that writes and what is after it are ordered, as by
/// a barrier. That was taken for sure although the compare-and-swap may fail.
#[test]
fn orders_through_the_write_of_a_compare_and_swap_are_noticed() {
    const TEXT: &str = "C t { atomic_int x = 0; atomic_int y = 0; }
        P0 (atomic_int* x, atomic_int* y) {
            int e = 0;
            int r = atomic_compare_exchange_strong_explicit(x, &e, 0, memory_order_seq_cst, memory_order_relaxed);
            atomic_store_explicit(y, 0, memory_order_relaxed);
        }
        P1 (atomic_int* x, atomic_int* y) {
            int r = atomic_load_explicit(y, memory_order_relaxed);
            atomic_store_explicit(x, 1 + (r ^ r), memory_order_relaxed);
        }
        exists (true)";
    let text = include_str!("../../../models/armv8.kat");
    let through = text.replacen("| [amo-AL] ; po", "| po ; [amo-AL] ; po", 1);
    assert_ne!(text, through);
    let theory = selvedge_kat::parse("through.kat", &through, Dialect::Kat, &|_| Err(String::from("none")));
    let subject = Subject::new(&theory.expect("a model")).expect("a model");
    let test = parse("t.litmus", TEXT, &selvedge_litmus::Options::default()).expect("a test");
    let verdict = subject.compare(&test.program, &Options::default());
    assert!(matches!(verdict, Verdict::Agree { fallen_back: true, .. }), "{verdict:?}");
    let small = selvedge_oracle::Limits { candidates: 300, ..selvedge_oracle::Limits::default() };
    let options = Options { limits: small, ..Options::default() };
    for number in 0..400 {
        let program = arch_program(&mut rng_for(20, number), Arch::Armv8);
        let verdict = subject.compare(&program, &options);
        assert!(!matches!(verdict, Verdict::Disagree(_)), "program {number}: {verdict:?}");
    }
}
