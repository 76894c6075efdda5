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
