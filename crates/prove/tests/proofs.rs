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
fn the_barrier_of_dotnet_is_proved_with_participants_that_come_and_go() {
    proved("dotnet-participants");
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
fn the_dissemination_barrier_on_tso_is_proved() {
    proved("dissemination-tso");
}

#[test]
fn the_tournament_barrier_is_proved() {
    proved("tournament");
}

#[test]
fn the_tournament_barrier_is_proved_with_all_its_locations() {
    proved("tournament-lines");
}

#[test]
fn both_solvers_confirm_the_central_barrier() {
    let system = changed("central", &[]);
    let report = prove(&system, &Options { certify: true, ..options() }).expect("both solvers");
    assert_eq!(report.verdict, Verdict::Proved);
    assert!(report.done.iter().all(|d| matches!(&d.ending, Ending::Proved(by) if by.len() == 2)));
}

/// What is found for a barrier without its invariant is a proof, and can be pasted.
fn found_without_invariant(name: &str) {
    let own = |l: &&str| !l.starts_with("invariant") && !l.starts_with("define busy");
    let lines: Vec<String> = text(name).lines().filter(own).map(String::from).collect();
    let system = selvedge_prove::parse(name, &lines.join("\n")).expect("a system");
    let found = selvedge_prove::infer::infer(&system, &options()).expect("a solver");
    assert_eq!(found.report.verdict, Verdict::Proved, "{:?}", found.kept);
    let pasted: String = found.kept.iter().map(|(name, f)| format!("invariant {name}: {f};\n")).collect();
    let again = selvedge_prove::parse(name, &format!("{}\n{pasted}", lines.join("\n"))).expect("a system");
    assert_eq!(prove(&again, &options()).expect("a solver").verdict, Verdict::Proved);
}

#[test]
fn an_invariant_of_the_central_barrier_is_found() {
    found_without_invariant("central");
}

#[test]
#[ignore = "takes a minute; `make fuzz-proofs` runs it"]
fn an_invariant_of_the_sense_reversing_barrier_is_found() {
    found_without_invariant("sense-reversing");
}

/// How many work at once changes nothing but time.
#[test]
fn one_worker_finds_what_several_find() {
    for name in ["central", "sense-reversing", "static-tree"] {
        let system = changed(name, &[]);
        let [one, three] = [1, 3].map(|jobs| {
            let report = prove(&system, &Options { jobs, ..options() }).expect("a solver");
            let names: Vec<String> = report.done.iter().map(|d| d.name.clone()).collect();
            (report.verdict, names)
        });
        assert_eq!(one, three, "{name}");
    }
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
    for kind in [" = ring", " = bits", " = tree", ""] {
        let few = if kind == " = tree" { 4 } else { 3 };
        let system = format!("threads T{kind}; locations A, end B; local y: int = 0; step A {{ goto B; }}");
        let found = verdict(&format!("{system} property few: #{{t: T | t @ B}} <= {few};"));
        assert_ne!(found, Verdict::Proved, "{kind}");
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

/// States of counters are states of any number of threads: where an obligation fails for many only, an
/// instance as large is shown, and it is looked at whether the state can be reached.
#[test]
fn what_fails_for_many_threads_is_shown_with_as_many() {
    let start = "threads T; locations A, B, end C; shared x: int = 0; const most: int; axiom some: most >= 6;
        step A { x := x + 1; goto B; } step B { goto C; }
        invariant counted: x == #{t: T | !(t @ A)};";
    let report = |rest: &str| {
        let system = selvedge_prove::parse("many", &format!("{start} {rest}")).expect("a system");
        prove(&system, &options()).expect("a solver")
    };
    let real = report("property few: x < most;");
    assert_eq!(real.verdict, Verdict::Violated);
    let bug = real.bug.expect("a way to it");
    assert_eq!((bug.instance.sizes.as_slice(), bug.steps.len()), (&[6][..], 6));
    // Axioms that exclude all small instances: nothing is proved, and what is wrong is found.
    assert_eq!(report("axiom many: #T >= 7; property few: x <= 6;").verdict, Verdict::Violated);
    assert_eq!(report("axiom many: #T >= 7; property all: x <= #T;").verdict, Verdict::Unknown);
    // Nobody gets there.
    let weak = report("shared y: int = 0; property none: y == 0 || #T < 5;");
    assert_eq!(weak.verdict, Verdict::NotProved);
    let failing = weak.done.iter().find_map(|d| match &d.ending {
        Ending::Fails(found) => Some(found.instance.sizes.clone()),
        _ => None,
    });
    assert_eq!(failing, Some(vec![5]));
}

/// What a step has changed is not changed again where a negation, or a part that is known, falls away.
#[test]
fn what_a_step_turns_over_is_turned_over_once() {
    let verdict = |shape: &str, rest: &str| {
        let start = "locations A, end B; shared f: bool = false; shared h: bool = true; local y: int = 0;";
        let text = format!("threads T{shape}; {start} {rest}");
        let system = selvedge_prove::parse("turned", &text).expect("a system");
        let options = Options { work: 1_000_000, small: 2, ..options() };
        (
            prove(&system, &options).expect("a solver").verdict,
            selvedge_prove::prover::prove_only(&system, &options).expect("a solver"),
        )
    };
    for shape in ["", " = tree", " = ring"] {
        // In the next statement of a step, and in an invariant.
        let next = verdict(
            shape,
            "step A { f := !f; if (!f) { assert false; goto B; } else { goto B; } }
            invariant open: !f || f; property p: f || !f;",
        );
        assert_ne!(next.0, Verdict::Proved, "the second thread turns it back: {shape}");
        let twice = verdict(shape, "step A { f := !f; f := !f; assert !f; goto B; } invariant off: !f;");
        assert_eq!(twice, (Verdict::Proved, Verdict::Proved), "{shape}");
        let once = verdict(shape, "step A { f := !f; goto B; } invariant off: !f; property p: !f;");
        assert_eq!(once, (Verdict::Violated, Verdict::Unknown), "{shape}");
        let parts = verdict(
            shape,
            "step A { f := h; h := !h; goto B; }
            invariant one: (forall t: T. t @ A) => !f; property p: !f || !h;",
        );
        assert_ne!(parts.1, Verdict::Proved, "{shape}");
    }
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
    assert!(seen >= 12);
}
