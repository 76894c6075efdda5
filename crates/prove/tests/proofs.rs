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

/// That nobody gets through early; not that somebody can always go on.
#[test]
fn the_combining_tree_barrier_is_safe() {
    proved_with("combining-tree", &Options { deadlock: false, ..options() });
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
