//! The cost of a repair is the least of all subsets of the candidates.
//!
//! Programs are generated; what is to be prevented is a final state that the model allows and interleavings
//! do not have. Of the candidates some are picked at random, so that all their subsets can be tried, each by
//! an exploration of its own.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use selvedge_check::{Cancel, Limits, LitmusOptions, check_litmus};
use selvedge_explore::Watch;
use selvedge_graph::Mode;
use selvedge_kat::Theory;
use selvedge_litmus::{Observable, Test};
use selvedge_model::Compiled;
use selvedge_repair::{
    Candidate, Change, Chosen, Costs, Dialect, Effect, Effort, End, Judge, LitmusSubject, Request, Search,
    Start, Verified, Wanted, With, candidates, changes, doubt, repair_litmus,
};
use std::fmt::Write;

fn no_limit() -> Watch {
    Limits::default().start(&Cancel::default())
}

fn model(name: &str) -> (Theory, Compiled) {
    let theory = selvedge_kat::load_named(name).expect("is built in");
    let compiled = selvedge_check::compile(&theory).expect("can be explored");
    (theory, compiled)
}

fn parse(text: &str) -> Test {
    selvedge_litmus::parse("t.litmus", text, &selvedge_litmus::Options::default())
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A test in one of the languages, without its condition.
fn program(rng: &mut SmallRng, arch: &str) -> String {
    let threads = rng.random_range(2..=3);
    let locations = rng.random_range(2..=3);
    let most = if threads == 2 { 3 } else { 2 };
    match arch {
        "C" => in_c(rng, threads, locations, most),
        _ => in_assembly(rng, arch, threads, locations, most),
    }
}

fn in_c(rng: &mut SmallRng, threads: usize, locations: usize, most: usize) -> String {
    let names = ["x", "y", "z"];
    let mut text = String::from("C generated\n{}\n");
    let parameters: Vec<String> = names[..locations].iter().map(|n| format!("atomic_int* {n}")).collect();
    for thread in 0..threads {
        let _ = writeln!(text, "P{thread}({}) {{", parameters.join(", "));
        for at in 0..rng.random_range(2..=most) {
            let x = names[..locations].choose(rng).expect("some");
            let strong = rng.random_bool(0.15);
            let _ = match rng.random_range(0..20) {
                0..9 => {
                    let order = if strong { "acquire" } else { "relaxed" };
                    writeln!(text, "  int r{at} = atomic_load_explicit({x}, memory_order_{order});")
                }
                9..18 => {
                    let order = if strong { "release" } else { "relaxed" };
                    let value = rng.random_range(1..3);
                    writeln!(text, "  atomic_store_explicit({x}, {value}, memory_order_{order});")
                }
                18 => {
                    writeln!(text, "  int r{at} = atomic_fetch_add_explicit({x}, 1, memory_order_relaxed);")
                }
                _ => {
                    let y = names[..locations].choose(rng).expect("some");
                    writeln!(
                        text,
                        "  int r{at} = atomic_load_explicit({x}, memory_order_relaxed);\n  if (r{at}) {{ atomic_store_explicit({y}, 1, memory_order_relaxed); }}"
                    )
                }
            };
        }
        text += "}\n";
    }
    text
}

/// Loads and stores alone; dependencies by address are left to the tests of the models.
fn in_assembly(rng: &mut SmallRng, arch: &str, threads: usize, locations: usize, most: usize) -> String {
    let names = ["x", "y", "z"];
    let mut text = format!("{arch} generated\n{{\n");
    let mut columns = Vec::new();
    for thread in 0..threads {
        let mut column = Vec::new();
        for (at, name) in names[..locations].iter().enumerate() {
            let _ = match arch {
                "AArch64" => write!(text, "{thread}:X{}={name}; ", 10 + at),
                "PPC" => write!(text, "{thread}:r{}={name}; ", 10 + at),
                _ => write!(text, "{thread}:x{}={name}; ", 10 + at),
            };
        }
        for at in 1..=rng.random_range(2..=most) {
            let loc = 10 + rng.random_range(0..locations);
            let store = rng.random_bool(0.5);
            match (arch, store) {
                ("AArch64", false) => column.push(format!("LDR W{at},[X{loc}]")),
                ("AArch64", true) => {
                    column.push(format!("MOV W{at},#1"));
                    column.push(format!("STR W{at},[X{loc}]"));
                }
                ("PPC", false) => column.push(format!("lwz r{at},0(r{loc})")),
                ("PPC", true) => {
                    column.push(format!("li r{at},1"));
                    column.push(format!("stw r{at},0(r{loc})"));
                }
                (_, false) => column.push(format!("lw x{at},0(x{loc})")),
                (_, true) => {
                    column.push(format!("ori x{at},x0,1"));
                    column.push(format!("sw x{at},0(x{loc})"));
                }
            }
        }
        columns.push(column);
        text += "\n";
    }
    text += "}\n";
    let heads: Vec<String> = (0..threads).map(|t| format!(" P{t} ")).collect();
    let _ = writeln!(text, "{};", heads.join("|"));
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<String> =
            columns.iter().map(|c| format!(" {} ", c.get(row).map_or("", String::as_str))).collect();
        let _ = writeln!(text, "{};", cells.join("|"));
    }
    text
}

/// What a test is asked about, to see all of its final states.
fn observed(test: &Test, arch: &str) -> String {
    let mut atoms = Vec::new();
    for (thread, t) in test.program.threads.iter().enumerate() {
        for instr in &t.code {
            use selvedge_machine::program::Instr::{Load, Rmw};
            if let Load { dst, .. } | Rmw { dst, .. } = instr {
                let name = &t.regs[dst.0 as usize];
                if !name.starts_with(['%', '$']) {
                    atoms.push(format!("{thread}:{name}"));
                }
            }
        }
    }
    let locations = test.program.locs.iter().map(|(name, _)| name.clone());
    let brackets = |name: String| if arch == "C" { name } else { format!("[{name}]") };
    atoms.extend(locations.map(brackets));
    atoms.sort();
    atoms.dedup();
    atoms.join("; ") + ";"
}

/// The states of a test, as conditions.
fn states(test: &Test, model: &Compiled) -> Vec<String> {
    let outcome = check_litmus(test, model, &LitmusOptions::default(), &no_limit(), &mut |_| {})
        .expect("it can be explored");
    let condition = |values: &[i64]| {
        let atoms = test.observed.iter().zip(values).map(|(observable, value)| match observable {
            Observable::Register { thread, name, .. } => format!("{}:{name}={value}", thread.0),
            Observable::Location { name, .. } => format!("[{name}]={value}"),
        });
        atoms.collect::<Vec<_>>().join(" /\\ ")
    };
    outcome.histogram.states().map(|state| condition(state.values)).collect()
}

/// A test that fails under the model only.
fn failing(rng: &mut SmallRng, arch: &str, weak: &Compiled, sc: &Compiled) -> Option<String> {
    let body = program(rng, arch);
    let plain = parse(&format!("{body}exists (true)\n"));
    let text = format!("{body}locations [{}]\n", observed(&plain, arch));
    let all = parse(&format!("{text}exists (true)\n"));
    let of_sc = states(&all, sc);
    let new: Vec<String> = states(&all, weak).into_iter().filter(|s| !of_sc.contains(s)).collect();
    let condition = new.choose(rng)?;
    Some(format!("{body}exists ({condition})\n"))
}

struct Tried {
    repaired: usize,
    hopeless: usize,
}

/// Whether a test is right with these changes: explored by itself, with nothing of the search.
fn is_right(subject: &LitmusSubject<'_>, changes: &[Change]) -> bool {
    let outcome = subject.run(changes, 0, false).expect("it can be explored");
    subject.verdict(&outcome).expect("it is decided").is_none()
}

/// One program: the search against all subsets.
/// Nothing is compared if nothing can be changed.
fn compare(rng: &mut SmallRng, text: &str, theory: &Theory, compiled: &Compiled, tried: &mut Tried) {
    let test = parse(text);
    let watch = no_limit();
    let mut subject = LitmusSubject::new(&test, "t.litmus", text, compiled, watch.clone());
    let sites = subject.sites().to_vec();
    let with = *[With::Both, With::Fences, With::Orderings].choose(rng).expect("some");
    let cost = *["uniform", "x86", "armv8", "power", "riscv"].choose(rng).expect("some");
    let costs = Costs::named(cost).expect("is built in");
    let all = candidates(&sites, subject.dialect(), with, &costs);
    if all.is_empty() {
        return;
    }
    assert_eq!(doubt(theory, compiled, &sites, &all), None, "monotone: {text}");
    // Models that follow dependencies take longer for each subset.
    let most = if compiled.follows_dependencies() { 6 } else { 8 };
    let size = rng.random_range(3..=most).min(all.len());
    // Often only the strongest kinds, so that there is a repair among what is picked.
    let strong = |c: &&Candidate| match c.effect {
        Effect::Before(mode) | Effect::After(mode) => {
            use selvedge_graph::Barrier::{DmbSy, FenceRwRw, Sync};
            mode == Mode::Sc || [DmbSy, FenceRwRw, Sync].map(Mode::Barrier).contains(&mode)
        }
        Effect::Order(_) | Effect::Failure(_) => with == With::Orderings,
    };
    let often = rng.random_bool(0.6);
    let pool: Vec<Candidate> = all.iter().filter(|c| !often || strong(c)).cloned().collect();
    let some: Vec<Candidate> = pool.choose_multiple(rng, size).cloned().collect();
    let n = some.len();
    // All subsets, by what they cost.
    let mut subsets: Vec<Chosen> =
        (0..1u32 << n).map(|set| Chosen::of(n, (0..n).filter(|c| set >> c & 1 == 1))).collect();
    subsets.sort_by_key(|chosen| chosen.cost(&some));
    let mut right: Vec<Chosen> = Vec::new();
    let mut minimal: Vec<Chosen> = Vec::new();
    for chosen in &subsets {
        if is_right(&subject, &changes(sites.len(), &some, chosen)) {
            let all: Vec<&Candidate> = chosen.iter().map(|c| &some[c]).collect();
            let done = |part: usize| {
                let part = &some[part];
                all.iter().any(|a| a.covers(part) || all.iter().any(|b| a.covers_with(b, part)))
            };
            let does_all = |known: &&Chosen| known.iter().all(done);
            if !minimal.iter().any(|known| does_all(&known)) {
                minimal.push(chosen.clone());
            }
            right.push(chosen.clone());
        }
    }
    let best = right.first().map(|chosen| chosen.cost(&some));
    let keys = subject.keys();
    let judge = Judge::new(theory, None).expect("it can be judged");
    let mut search = Search {
        subject: &mut subject,
        sites: &sites,
        by_key: &keys,
        candidates: &some,
        judge: Some(judge),
        watch: &watch,
        known: None,
        progress: &mut |_: &Effort| {},
        effort: Effort::default(),
    };
    let end = search.run(Wanted::AllMinimal).expect("it can be explored");
    match (end, best) {
        (End::Repaired(found), Some(best)) => {
            assert_eq!(found[0].cost, best, "{}\n{text}\n{some:#?}", theory.name);
            let costs = |all: &[Chosen]| all.iter().map(|c| c.cost(&some)).collect::<Vec<_>>();
            let of_found: Vec<Chosen> = found.into_iter().map(|repair| repair.chosen).collect();
            assert_eq!(costs(&of_found), costs(&minimal), "{}\n{text}\n{some:#?}", theory.name);
            tried.repaired += 1;
        }
        (End::Hopeless(_), None) => tried.hopeless += 1,
        (end, best) => {
            let end = match end {
                End::Repaired(found) => format!("{found:?}"),
                End::Right { .. } => String::from("right"),
                End::Hopeless(wrong) => format!("hopeless: {}", wrong.message),
                End::Stopped { why, .. } => why,
            };
            panic!("{}: {end}, and the best of all is {best:?}\n{text}\n{some:#?}", theory.name);
        }
    }
}

/// Prints a program that something goes wrong with.
struct ShownOnPanic<'t>(&'t str);

impl Drop for ShownOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

fn run(model_name: &str, arch: &str) {
    let (theory, compiled) = model(model_name);
    let few = if compiled.follows_dependencies() { 20 } else { 70 };
    let programs: usize =
        std::env::var("SELVEDGE_FIX_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(few);
    let (_, sc) = model("sc");
    let seed = std::env::var("SELVEDGE_FIX_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut tried = Tried { repaired: 0, hopeless: 0 };
    while tried.repaired + tried.hopeless < programs {
        let Some(text) = failing(&mut rng, arch, &compiled, &sc) else { continue };
        let _shown = ShownOnPanic(&text);
        compare(&mut rng, &text, &theory, &compiled, &mut tried);
    }
    println!("{model_name} {arch}: {} repaired, {} hopeless", tried.repaired, tried.hopeless);
    assert!(tried.repaired > 0);
}

/// What a program with orderings and fences can do without: the search against all that it could keep.
fn relax(rng: &mut SmallRng, theory: &Theory, compiled: &Compiled) -> bool {
    let orders = |rng: &mut SmallRng, some: &[&str]| (*some.choose(rng).expect("some")).to_string();
    let mut body = String::from("C generated\n{}\n");
    for thread in 0..2 {
        let _ = writeln!(body, "P{thread}(atomic_int* x, atomic_int* y) {{");
        for (at, name) in [["x", "y"], ["y", "x"]][thread].into_iter().enumerate() {
            let _ = match rng.random_bool(0.5) {
                true => {
                    let order = orders(rng, &["relaxed", "release", "seq_cst"]);
                    writeln!(body, "  atomic_store_explicit({name}, 1, memory_order_{order});")
                }
                false => {
                    let order = orders(rng, &["relaxed", "acquire", "seq_cst"]);
                    writeln!(body, "  int r{at} = atomic_load_explicit({name}, memory_order_{order});")
                }
            };
            if at == 0 && rng.random_bool(0.6) {
                let order = orders(rng, &["acquire", "release", "acq_rel", "seq_cst"]);
                let _ = writeln!(body, "  atomic_thread_fence(memory_order_{order});");
            }
        }
        body += "}\n";
    }
    let plain = parse(&format!("{body}exists (true)\n"));
    let all = parse(&format!("{body}locations [{}]\nexists (true)\n", observed(&plain, "C")));
    let watch = no_limit();
    let mut weakest = LitmusSubject::new(&all, "t.litmus", "", compiled, watch.clone());
    weakest.weaken(true);
    let none = vec![Change::default(); weakest.sites().len()];
    let (weakened, _) = weakest.changed(&none);
    let given = states(&all, compiled);
    let new: Vec<String> = states(&weakened, compiled).into_iter().filter(|s| !given.contains(s)).collect();
    let Some(condition) = new.choose(rng) else { return false };
    let text = format!("{body}exists ({condition})\n");
    let test = parse(&text);
    let costs = Costs::named(orders(rng, &["uniform", "x86", "armv8"]).as_str()).expect("is built in");
    let request = Request {
        start: Start::Weakest,
        with: With::Both,
        costs,
        at: Vec::new(),
        keep: Vec::new(),
        wanted: Wanted::Cheapest(1),
        dialect: Dialect::C,
    };
    let mut subject = LitmusSubject::new(&test, "t.litmus", &text, compiled, watch.clone());
    subject.weaken(true);
    let sites = subject.sites().to_vec();
    let some = request.candidates(&sites, Dialect::C);
    let n = some.len();
    if n > 10 {
        return false;
    }
    let mut subsets: Vec<Chosen> =
        (0..1u32 << n).map(|set| Chosen::of(n, (0..n).filter(|c| set >> c & 1 == 1))).collect();
    subsets.sort_by_key(|chosen| chosen.cost(&some));
    let best = subsets.iter().find(|chosen| is_right(&subject, &changes(sites.len(), &some, chosen)));
    let best = best.map(|chosen| chosen.cost(&some));
    let job =
        repair_litmus(&test, "t.litmus", &text, theory, &request, &watch, &mut |_| {}).expect("a result");
    assert_eq!(job.proposals.first().map(|p| p.cost), best, "{}\n{text}\n{some:#?}", theory.name);
    let verified = &job.proposals[0].verified;
    assert!(!matches!(verified, Verified::Not(_)), "{}\n{text}\n{verified:?}", theory.name);
    true
}

#[test]
fn relaxations_are_the_least_of_all() {
    let programs: usize =
        std::env::var("SELVEDGE_FIX_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(25);
    for name in ["tso", "pso", "rc11", "armv8"] {
        let (theory, compiled) = model(name);
        let mut rng = SmallRng::seed_from_u64(3);
        let mut done = 0;
        while done < programs {
            done += usize::from(relax(&mut rng, &theory, &compiled));
        }
    }
}

#[test]
fn least_of_all_subsets_under_tso() {
    run("tso", "C");
}

#[test]
fn least_of_all_subsets_under_pso() {
    run("pso", "C");
}

#[test]
fn least_of_all_subsets_under_rc11() {
    run("rc11", "C");
}

#[test]
fn least_of_all_subsets_under_armv8() {
    run("armv8", "C");
    run("armv8", "AArch64");
}

#[test]
fn least_of_all_subsets_under_riscv() {
    run("riscv", "C");
    run("riscv", "RISCV");
}

#[test]
fn least_of_all_subsets_under_power() {
    run("power", "C");
    run("power", "PPC");
}
