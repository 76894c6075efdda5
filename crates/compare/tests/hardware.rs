//! The models of architectures against the literature's verdicts.

use selvedge_compare::explored;
use selvedge_model::Compiled;
use selvedge_oracle::family::{Found, TableEntry, observe, read};
use selvedge_oracle::{Judge, Limits};
use std::collections::HashMap;
use std::time::Instant;

const TABLES: [(&str, &str); 5] = [
    ("x86", include_str!("verdicts/x86.txt")),
    ("armv8", include_str!("verdicts/armv8.txt")),
    ("riscv", include_str!("verdicts/riscv.txt")),
    ("power", include_str!("verdicts/power.txt")),
    ("lkmm", include_str!("verdicts/lkmm.txt")),
];

fn judge(model: &str) -> Judge {
    let theory = selvedge_kat::load_named(model).unwrap_or_else(|d| panic!("{model}: {d}"));
    Judge::new(&theory).unwrap_or_else(|u| panic!("{model}: {u}"))
}

/// A model as both sides have it. The exploration does not do the original C11, which has thin air.
struct Subject {
    judge: Judge,
    compiled: Option<Compiled>,
}

impl Subject {
    fn new(model: &str) -> Subject {
        let theory = selvedge_kat::load_named(model).unwrap_or_else(|d| panic!("{model}: {d}"));
        let compiled = Compiled::compile(&theory).map_err(|d| assert_eq!(model, "c11", "{d}")).ok();
        Subject { judge: judge(model), compiled }
    }

    /// What enumeration and exploration agree on.
    fn run(&self, test: &selvedge_litmus::Test) -> Result<Found, String> {
        let limits = Limits { candidates: 1_000_000, ..Limits::default() };
        let found = observe(test, &self.judge, limits).map_err(|_| String::from("too big"))?;
        assert!(found.executions > 0, "{} has no execution", test.name);
        if let Some(compiled) = &self.compiled {
            let by_exploration = explored(test, compiled)?;
            if by_exploration != found {
                return Err(format!("enumerated {found:?}, explored {by_exploration:?}"));
            }
        }
        Ok(found)
    }
}

fn entries(name: &str) -> Vec<TableEntry> {
    let table = TABLES.iter().find(|(known, _)| *known == name).map_or("", |(_, table)| table);
    read(table).unwrap_or_else(|message| panic!("{name}: {message}"))
}

#[test]
fn every_shipped_model_can_be_evaluated() {
    for name in selvedge_kat::builtin_names() {
        judge(name);
    }
}

/// Runs a table; the number of its tests.
fn verdicts(name: &str) -> usize {
    let entries = entries(name);
    let subject = Subject::new(name);
    let mut wrong = Vec::new();
    let start = Instant::now();
    for entry in &entries {
        assert_eq!(entry.model, name);
        let test = selvedge_litmus::parse(&entry.name, &entry.text, &Default::default())
            .unwrap_or_else(|d| panic!("{d}\n{}", entry.text));
        match subject.run(&test) {
            Ok(found) if (found.witnesses == 0) == entry.forbidden => {}
            Ok(_) => {
                let should = if entry.forbidden { "forbidden" } else { "allowed" };
                wrong.push(format!("{} should be {should} (line {})", entry.name, entry.line));
            }
            Err(message) => wrong.push(format!("{}: {message}", entry.name)),
        }
    }
    println!("{name}: {} tests in {:.2} s", entries.len(), start.elapsed().as_secs_f64());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), entries.len(), wrong.join("\n"));
    entries.len()
}

/// Tests that are no simple cycles. Each says what is expected and who says so.
#[test]
fn classics() {
    claims(include_str!("verdicts/classics.txt"), 60);
}

/// What begins and ends a dependency, what a failed read-modify-write orders, plain accesses of the kernel.
#[test]
fn dependencies() {
    claims(include_str!("verdicts/dependencies.txt"), 50);
}

/// Locks and RCU of the kernel.
#[test]
fn locks_and_rcu() {
    claims(include_str!("verdicts/kernel.txt"), 24);
}

/// A thread of a cycle of load buffering: what is between its read and its write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Period,
    TwoPeriods,
    /// Both are in a read-side section.
    Section,
    /// There is another one in it.
    Nested,
    /// The read is in one section, the write in the next one.
    NextSection,
}

impl Between {
    const ALL: [Between; 5] =
        [Between::Period, Between::TwoPeriods, Between::Section, Between::Nested, Between::NextSection];

    fn thread(self, number: usize, threads: usize) -> String {
        let [read, write] = [number, (number + 1) % threads];
        let (read, write) = (format!("int r = READ_ONCE(*x{read});"), format!("WRITE_ONCE(*x{write}, 1);"));
        let (lock, unlock, sync) = ("rcu_read_lock();", "rcu_read_unlock();", "synchronize_rcu();");
        let body = match self {
            Between::Period => format!("{read} {sync} {write}"),
            Between::TwoPeriods => format!("{read} {sync} {sync} {write}"),
            Between::Section => format!("{lock} {read} {write} {unlock}"),
            Between::Nested => format!("{lock} {read} {lock} {write} {unlock} {unlock}"),
            Between::NextSection => format!("{lock} {read} {unlock} {lock} {write} {unlock}"),
        };
        let names: Vec<String> = (0..threads).map(|n| format!("int *x{n}")).collect();
        format!("P{number}({}) {{ {body} }}", names.join(", "))
    }
}

/// The rule of [Alglave18, §4.2]: a cycle is forbidden if it has at least as many grace periods as sections.
#[test]
fn grace_periods_are_counted_against_sections() {
    let subject = Subject::new("lkmm");
    let mut count = 0;
    for threads in 2..=3 {
        for choice in 0..Between::ALL.len().pow(threads as u32) {
            let of = |n: usize| Between::ALL[choice / Between::ALL.len().pow(n as u32) % Between::ALL.len()];
            let all: Vec<Between> = (0..threads).map(of).collect();
            let texts: Vec<String> = all.iter().enumerate().map(|(n, b)| b.thread(n, threads)).collect();
            let read: Vec<String> = (0..threads).map(|n| format!("{n}:r=1")).collect();
            let text = format!("C t {{ }}\n{}\nexists ({})", texts.join("\n"), read.join(" /\\ "));
            let test = selvedge_litmus::parse("t.litmus", &text, &Default::default())
                .unwrap_or_else(|d| panic!("{d}\n{text}"));
            let periods = |b: &Between| match b {
                Between::Period => 1,
                Between::TwoPeriods => 2,
                _ => 0,
            };
            let periods: usize = all.iter().map(periods).sum();
            let sections = all.iter().filter(|b| !matches!(b, Between::Period | Between::TwoPeriods)).count();
            let found = subject.run(&test).unwrap_or_else(|message| panic!("{message}\n{text}"));
            assert_eq!(found.witnesses == 0, periods >= sections, "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 25 + 125);
}

fn claims(texts: &str, at_least: usize) {
    let mut subjects: HashMap<String, Subject> = HashMap::new();
    let mut count = 0;
    let mut wrong = Vec::new();
    for text in texts.split("----\n") {
        let test = selvedge_litmus::parse("t.litmus", text, &Default::default())
            .unwrap_or_else(|d| panic!("{d}\n{text}"));
        assert!(!test.expectations.is_empty(), "{text}");
        for expectation in &test.expectations {
            let model = &expectation.model;
            let subject = subjects.entry(model.clone()).or_insert_with(|| Subject::new(model));
            let never = expectation.observation == selvedge_litmus::Observation::Never;
            match subject.run(&test) {
                Ok(found) if (found.witnesses == 0) == never => {}
                Ok(found) => wrong.push(format!("under {model}: {found:?}\n{text}")),
                Err(message) => wrong.push(format!("under {model}: {message}\n{text}")),
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= at_least, "{count}");
}

#[test]
fn x86() {
    assert!(verdicts("x86") > 200);
}

#[test]
fn armv8() {
    assert!(verdicts("armv8") > 1000);
}

#[test]
fn riscv() {
    assert!(verdicts("riscv") > 1000);
}

#[test]
fn power() {
    assert!(verdicts("power") > 200);
}

#[test]
fn lkmm() {
    assert!(verdicts("lkmm") > 60);
}
