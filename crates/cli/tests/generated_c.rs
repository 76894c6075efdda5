//! Generated programs, printed as C: `selvedge check` against the enumeration of the oracle.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` says how many programs, `SELVEDGE_FUZZ_SEED` which ones.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_kat::{Constraint, Theory};
use selvedge_machine::Program;
use selvedge_oracle::c_source::{self, Registers};
use selvedge_oracle::generate_arch::Arch;
use selvedge_oracle::{Detail, End, Judge, Limits, TooBig, enumerate, generate};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const MODELS: [&str; 5] = ["sc", "tso", "pso", "ra", "rc11"];

/// Models that follow dependencies.
const DEPENDENCIES: [&str; 4] = ["imm", "armv8", "power", "riscv"];

/// Where the oracle gives up.
const LIMITS: Limits = Limits { traces: 2_000, candidates: 40_000 };

/// What the oracle finds under one model.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// How many complete executions end in each state.
    states: BTreeMap<Registers, u64>,
    blocked: u64,
    /// Executions in which an assertion of a thread fails, or an access is outside of its array.
    failed: u64,
    racy: bool,
}

fn facts(program: &Program, judge: &Judge) -> Result<Facts, TooBig> {
    let mut facts = Facts::default();
    enumerate(program, judge, Detail::Co, LIMITS, &mut |x| {
        facts.racy |= x.flags != 0;
        match x.end() {
            End::Complete => {
                *facts.states.entry(c_source::final_registers(program, x)).or_default() += 1;
            }
            End::Blocked => facts.blocked += 1,
            End::Error => facts.failed += 1,
            End::Cut => unreachable!("C has no bounds of loops"),
        }
    })?;
    Ok(facts)
}

/// The combination of registers that the program asserts not to reach: one that some model reaches,
/// preferably not all of them, or (as often) one that none does.
fn combination(rng: &mut SmallRng, of_models: &[Facts]) -> Registers {
    let reached: BTreeSet<&Registers> = of_models.iter().flat_map(|f| f.states.keys()).collect();
    let list: Vec<&Registers> = reached.iter().copied().collect();
    if list.is_empty() {
        return Registers::new();
    }
    if rng.random_ratio(1, 2) {
        let telling: Vec<&Registers> =
            list.iter().copied().filter(|s| of_models.iter().any(|f| !f.states.contains_key(*s))).collect();
        let from = if telling.is_empty() { &list } else { &telling };
        return from[rng.random_range(0..from.len())].clone();
    }
    let mut state = list[0].clone();
    for _ in 0..16 {
        for (at, value) in state.iter_mut().enumerate() {
            *value = list[rng.random_range(0..list.len())][at];
        }
        if !reached.contains(&state) {
            return state;
        }
    }
    if let Some(first) = state.first_mut() {
        *first = 77;
    }
    state
}

/// What is wrong with a report, if something is.
fn disagreement(
    facts: &Facts,
    never: &Registers,
    all_errors: bool,
    reduced: bool,
    report: &Value,
) -> Option<String> {
    // Without registers there is no assertion in `main`.
    let hits = if never.is_empty() { 0 } else { facts.states.get(never).copied().unwrap_or(0) };
    let complete = facts.states.values().sum::<u64>() - hits;
    let errors = report["errors"].as_array();
    let kinds: BTreeSet<&str> = errors.into_iter().flatten().filter_map(|e| e["kind"].as_str()).collect();
    let expected = match () {
        () if facts.racy || facts.failed > 0 || hits > 0 => "violated",
        // Nothing was checked.
        () if complete == 0 => "unknown",
        () => "verified",
    };
    if report["verdict"] != expected {
        return Some(format!("expected {expected}"));
    }
    if facts.racy {
        let fine = kinds.contains("data-race") || (!all_errors && facts.failed + hits > 0);
        return (!fine).then(|| String::from("expected a data race"));
    }
    let mut allowed = BTreeSet::new();
    if hits > 0 || facts.failed > 0 {
        allowed.insert("assertion");
    }
    if facts.failed > 0 {
        allowed.insert("out-of-bounds");
    }
    if !kinds.is_subset(&allowed) {
        return Some(format!("expected errors among {allowed:?}"));
    }
    if expected == "violated" && !all_errors {
        return None;
    }
    if hits > 0 && !kinds.contains("assertion") {
        return Some(String::from("expected a failed assertion"));
    }
    if reduced {
        // There may be fewer, but not none.
        let fine = report["executions"].as_u64().is_some_and(|n| n <= complete && (n > 0 || complete == 0));
        return (!fine).then(|| format!("expected up to {complete} executions"));
    }
    let counts = [("executions", complete), ("blocked", facts.blocked)];
    let wrong = counts.iter().find(|(key, count)| report[key].as_u64() != Some(*count));
    wrong.map(|(key, count)| format!("expected {count} {key}"))
}

/// What came of one program.
enum Outcome {
    /// C cannot say it, the oracle gave up, or it tells little.
    Skipped,
    /// The verdicts, which were as expected.
    Agree(Vec<&'static str>),
    Disagree(String),
}

fn check(file: &Path, model: &str, all_errors: bool, reduced: bool) -> Result<Value, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(file).args(["-m", model, "--format", "json"]);
    if all_errors {
        command.arg("--all-errors");
    }
    if !reduced {
        command.arg("--disable=all");
    }
    let output = command.output().expect("the command runs");
    serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("no report: {}", String::from_utf8_lossy(&output.stderr)))
}

fn run(models: &[&str], judges: &[Judge], seed: u64, number: u64) -> Outcome {
    let mut rng = generate::rng_for(seed, number);
    let dependencies = models == DEPENDENCIES;
    let mut program = match dependencies {
        true => generate::arch_program(&mut rng, Arch::Imm),
        false => generate::program(&mut rng),
    };
    c_source::settle(&mut program, || rng.random_ratio(1, 4));
    if c_source::print(&program, &[]).is_none() {
        return Outcome::Skipped;
    }
    let Ok(of_models) = judges.iter().map(|j| facts(&program, j)).collect::<Result<Vec<_>, _>>() else {
        return Outcome::Skipped;
    };
    // Most programs are the same to all models; few of these are enough.
    let alike = of_models.iter().all(|f| f.states == of_models[0].states && !f.racy);
    if alike && rng.random_ratio(7, 8) {
        return Outcome::Skipped;
    }
    let never = combination(&mut rng, &of_models);
    let Some(text) = c_source::print(&program, &never) else { return Outcome::Skipped };
    let file =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("generated-{}-{seed}-{number}.c", models[0]));
    std::fs::write(&file, &text).expect("the file can be written");
    let mut verdicts = Vec::new();
    for (model, facts) in models.iter().zip(&of_models) {
        let all_errors = rng.random_ratio(1, 2);
        let reduced = rng.random_ratio(1, 2);
        let result = check(&file, model, all_errors, reduced);
        let wrong = match &result {
            Err(message) => Some(message.clone()),
            Ok(report) => disagreement(facts, &never, all_errors, reduced, report),
        };
        if let Some(wrong) = wrong {
            let mut report = result.unwrap_or(Value::Null);
            // The trace is long, and the source is at hand.
            for error in report["errors"].as_array_mut().into_iter().flatten() {
                error["trace"].take();
            }
            let litmus = selvedge_litmus::print_program(&program, "");
            return Outcome::Disagree(format!(
                "program {number} of seed {seed} under {model} (all errors: {all_errors}, reduced: {reduced}): {wrong}\n{text}\n\
                 {litmus}\nasserted never: {never:?}\noracle: {facts:?}\nreport: {report:#}\n"
            ));
        }
        verdicts.push(if result.is_ok_and(|r| r["verdict"] == "verified") { "verified" } else { "violated" });
    }
    let _ = std::fs::remove_file(&file);
    Outcome::Agree(verdicts)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"))
}

#[test]
fn generated_programs_are_judged_as_the_oracle_does() {
    compare(&MODELS, setting("SELVEDGE_FUZZ_PROGRAMS", 30));
}

#[test]
fn generated_programs_with_dependencies_are_judged_as_the_oracle_does() {
    compare(&DEPENDENCIES, setting("SELVEDGE_FUZZ_PROGRAMS", 12));
}

/// A model as programs in C are asked about it: if it does not say what a race is, C does.
fn theory_of(name: &str) -> Theory {
    let theory = selvedge_kat::load_named(name).expect("a shipped model");
    let has_errors = theory.axioms.iter().any(|a| matches!(a.constraint, Constraint::Error { .. }));
    if has_errors || DEPENDENCIES.contains(&name) {
        return theory;
    }
    let (text, dialect) = selvedge_kat::builtin(name).expect("a shipped model");
    let races = include_str!("../../../models/parts/c11-races.kat").replace("hb", "c11-hb");
    let none = |file: &str| Err(format!("no file {file}"));
    selvedge_kat::parse(&format!("{name}.kat"), &format!("{text}\n{races}"), dialect, &none).expect("a model")
}

fn compare(models: &[&str], wanted: u64) {
    let seed = setting("SELVEDGE_FUZZ_SEED", 1);
    let judge = |name: &&str| {
        let theory = theory_of(name);
        Judge::new(&theory).expect("the oracle evaluates it")
    };
    let judges: Vec<Judge> = models.iter().map(judge).collect();
    let (next, kept) = (AtomicU64::new(0), AtomicU64::new(0));
    let (verified, violated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while kept.load(Ordering::Relaxed) < wanted {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    match run(models, &judges, seed, number) {
                        Outcome::Skipped => continue,
                        Outcome::Agree(verdicts) => {
                            let good = verdicts.iter().filter(|v| **v == "verified").count();
                            verified.fetch_add(good, Ordering::Relaxed);
                            violated.fetch_add(verdicts.len() - good, Ordering::Relaxed);
                        }
                        Outcome::Disagree(text) => failures.lock().expect("no panics").push(text),
                    }
                    kept.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panics");
    let shown = failures.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    let kept = kept.into_inner();
    assert!(failures.is_empty(), "{} of {kept} programs:\n{shown}", failures.len());
    let (verified, violated) = (verified.into_inner(), violated.into_inner());
    println!("{kept} programs of {} generated: {verified} verified, {violated} violated", next.into_inner());
    assert!(wanted < 10 || (verified > 0 && violated > 0));
}
