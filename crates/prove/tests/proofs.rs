//! The proofs of `proofs/` end as their first lines say: `// expect: proved`, or with what is left out.

mod support;

use selvedge_prove::prover::{Ending, Options, Verdict, prove};
use support::{changed, folder, options, text};

fn proved(name: &str) {
    proved_with(name, &options());
}

fn proved_with(name: &str, options: &Options) {
    let system = changed(name, &[]);
    let report = prove(&system, options).expect("a solver");
    let open: Vec<&str> = report
        .done
        .iter()
        .filter(|d| !matches!(d.ending, Ending::Proved(_)))
        .map(|d| d.name.as_str())
        .collect();
    assert_eq!((report.verdict, open), (Verdict::Proved, vec![]), "{name}");
    assert!(report.false_conjunct.is_none() && report.warnings.is_empty(), "{name}: {:?}", report.warnings);
}

#[test]
fn the_central_barrier_is_proved() {
    proved("central");
}

#[test]
fn the_central_barrier_on_tso_is_proved() {
    proved("central-weak");
}

#[test]
fn the_sense_reversing_barrier_is_proved_for_all_episodes() {
    proved("sense-reversing");
}

#[test]
fn the_barrier_of_dotnet_is_proved_for_all_episodes() {
    proved("dotnet");
}

#[test]
fn the_static_tree_barrier_is_proved_for_all_trees() {
    proved("static-tree");
}

#[test]
fn the_static_tree_barrier_is_proved_for_all_episodes() {
    proved("static-tree-reused");
}

#[test]
fn the_combining_tree_barrier_is_proved_for_all_threads_and_trees() {
    proved("combining-tree");
}

#[test]
fn the_dissemination_barrier_is_proved() {
    proved("dissemination");
}

#[test]
fn the_tournament_barrier_is_proved() {
    proved("tournament");
}

#[test]
fn both_solvers_confirm_the_central_barrier() {
    let system = changed("central", &[]);
    let report = prove(&system, &Options { certify: true, ..options() }).expect("both solvers");
    assert_eq!(report.verdict, Verdict::Proved);
    assert!(report.done.iter().all(|d| matches!(&d.ending, Ending::Proved(by) if by.len() == 2)));
}

#[test]
fn an_invariant_of_the_central_barrier_is_found() {
    let lines: Vec<String> =
        text("central").lines().filter(|l| !l.starts_with("invariant")).map(String::from).collect();
    let system = selvedge_prove::parse("central", &lines.join("\n")).expect("a system");
    let found = selvedge_prove::infer::infer(&system, &options()).expect("a solver");
    assert_eq!(found.report.verdict, Verdict::Proved, "{:?}", found.kept);
    // What is printed can be pasted.
    let pasted: String = found.kept.iter().map(|(name, f)| format!("invariant {name}: {f};\n")).collect();
    let again =
        selvedge_prove::parse("central", &format!("{}\n{pasted}", lines.join("\n"))).expect("a system");
    assert_eq!(prove(&again, &options()).expect("a solver").verdict, Verdict::Proved);
}

#[test]
fn every_conjunct_of_the_central_barrier_is_needed() {
    let system = changed("central", &[]);
    let needed = selvedge_prove::minimal::needed(&system, &options()).expect("a solver");
    assert_eq!(needed.iter().filter(|n| n.needed).count(), 3);
}

/// What is claimed of nothing, or of something that cannot be, is not proved.
#[test]
fn nothing_follows_from_nothing() {
    let start = "threads T; locations A, end B; shared x: int = 0;";
    let verdict = |rest: &str| {
        let system = selvedge_prove::parse("vacuous", &format!("{start} {rest}")).expect("a system");
        prove(&system, &Options { work: 1_000_000, deadlock: false, ..options() }).expect("a solver").verdict
    };
    // No obligation at all; axioms that nothing satisfies; a first state outside of its range.
    assert_eq!(verdict("step A { goto B; }"), Verdict::Unknown);
    assert_eq!(
        verdict("const c: int; axiom no: c < c; step A { goto B; } property p: x == 1;"),
        Verdict::Unknown
    );
    assert_eq!(verdict("shared y: 0..2 = 5; step A { goto B; } property p: y <= 2;"), Verdict::Violated);
    // Sums beyond 64 bits are sums.
    let large = "step A { x := 1000000 * x + 1000000; goto A; } property p: x < 1000;";
    assert_eq!(verdict(large), Verdict::Violated);
}

/// True in all instances that are looked at state by state, and false in larger ones.
#[test]
fn what_only_few_threads_satisfy_is_not_proved() {
    let verdict = |text: &str| {
        let system = selvedge_prove::parse("few", text).expect("a system");
        prove(&system, &Options { work: 1_000_000, ..options() }).expect("a solver").verdict
    };
    for kind in ["", " = ring", " = bits", " = tree"] {
        let few = if kind == " = tree" { 4 } else { 3 };
        let system = format!("threads T{kind}; locations A, end B; local y: int = 0; step A {{ goto B; }}");
        let found = verdict(&format!("{system} property few: #{{t: T | t @ B}} <= {few};"));
        assert!(matches!(found, Verdict::NotProved | Verdict::Unknown), "{kind}: {found:?}");
    }
    // What a step counts is how many there are.
    let counts = "threads T; locations A, B, end C; shared x: int = 0;
        step A { x := #{t: T | t @ A}; goto B; } step B { goto C; } property few: x <= 3;";
    assert_eq!(verdict(counts), Verdict::NotProved);
    // Neither is an assertion of a step that is never taken, and that nothing excludes.
    let never = "threads T; locations A, end B; shared x: int = 0;
        step A { either { goto B; } or { await x == 5; assert x == 6; goto B; } } property p: x == 0 || true;";
    assert_eq!(verdict(never), Verdict::NotProved);
}

/// A number beyond the ring is nobody's, and is not counted.
#[test]
fn who_is_not_there_is_not_counted() {
    let text = "threads T = ring; locations A, end B; shared flag[T]: bool = false;
        step A { flag[self + 1] := true; goto B; }
        invariant counted: #{t: T | flag[t]} >= #{t: T | t @ B};
        property p: #{t: T | t @ B} <= #{t: T | flag[t]};";
    let system = selvedge_prove::parse("beyond", text).expect("a system");
    assert_ne!(selvedge_prove::prover::prove_only(&system, &options()).expect("a solver"), Verdict::Proved);
}

#[test]
fn every_file_is_a_system() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).expect("proofs") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "par") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.display().to_string();
        selvedge_prove::parse(&name, &text).unwrap_or_else(|e| panic!("{e}"));
        seen += 1;
    }
    assert!(seen >= 9);
}
