//! The table of mutants of software barriers, and of invariants that must be rejected: each is a proof of
//! `proofs/` with something changed, and must end as the table says. The expectations come from exhaustive
//! enumeration of small instances by hand-written programs, not from this prover.

mod support;

use selvedge_prove::eval::Instance;
use selvedge_prove::expand::counterexample;
use selvedge_prove::obligation::{Obligation, Origin, conjuncts, consequences, known_in, phases, some_phase};
use selvedge_prove::prover::{Ending, Options, Verdict, prove};
use selvedge_prove::reach::Bug;
use selvedge_prove::solver::{Solver, Solvers};
use selvedge_prove::structure::{instances, sizes};
use selvedge_prove::system::System;
use support::{changed, options, text};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Expected {
    /// A property or an assertion is violated.
    Violated,
    /// Everybody is stuck; safety holds.
    Deadlock,
}
use Expected::{Deadlock, Violated};

/// The base, what is wrong, replacements, and how it ends.
type Mutant = (&'static str, &'static str, &'static [(&'static str, &'static str)], Expected);

const MUTANTS: &[Mutant] = &[
    ("central", "one too few", &[("int = #Thread;", "int = #Thread - 1;")], Violated),
    ("central", "waits until at most one", &[("await count == 0", "await count <= 1")], Violated),
    ("central", "one too many", &[("int = #Thread;", "int = #Thread + 1;")], Deadlock),
    (
        "central",
        "the decrement is not atomic",
        &[
            ("locations A, B, end C;", "locations A, A2, B, end C; local seen: int = 0;"),
            (
                "step A { count := count - 1; goto B; }",
                "step A { seen := count; goto A2; } step A2 { count := seen - 1; goto B; }",
            ),
        ],
        Deadlock,
    ),
    (
        "central-weak",
        "on PSO: the decrement overtakes the store",
        &[
            ("either { await !pend; count", "either { count"),
            (
                "step B { await count",
                "step B { if (pend) { pend := false; mem := true; goto B; } await count",
            ),
        ],
        Violated,
    ),
    (
        "sense-reversing",
        "the sense is signalled before the count is reset",
        &[
            (
                "step last  { count := #Thread; goto last2; }",
                "step last { sense := ls; forall t: Thread { ahead[t] := ahead[t] - 1; } goto last2; }",
            ),
            (
                "step last2 { sense := ls; forall t: Thread { ahead[t] := ahead[t] - 1; } goto exit; }",
                "step last2 { count := #Thread; goto exit; }",
            ),
        ],
        Violated,
    ),
    ("sense-reversing", "no reset", &[("count := #Thread; goto last2", "goto last2")], Violated),
    ("sense-reversing", "no signal", &[("sense := ls; forall t", "forall t")], Violated),
    (
        "sense-reversing",
        "the decrement is not atomic",
        &[
            ("locations apl, bpl,", "locations apl, bpl, bpl2,"),
            ("local ls: bool = false;", "local ls: bool = false; local seen: int = 0;"),
            (
                "step bpl   { count := count - 1; if (count > 0)",
                "step bpl { seen := count; goto bpl2; } step bpl2 { count := seen - 1; if (count > 0)",
            ),
        ],
        Deadlock,
    ),
    ("sense-reversing", "no toggle", &[("ls := !ls; ahead", "ahead")], Violated),
    ("sense-reversing", "no wait", &[("await sense == ls; goto exit", "goto exit")], Violated),
    ("sense-reversing", "compares with two", &[("if (count > 0)", "if (count > 1)")], Violated),
    ("sense-reversing", "compares with zero", &[("if (count > 0)", "if (count >= 0)")], Deadlock),
    (
        "static-tree",
        "no wait for the right child",
        &[("child(c, self) => sense[c]; goto B", "left(c, self) => sense[c]; goto B")],
        Violated,
    ),
    (
        "static-tree",
        "no wait for children",
        &[("await forall c: Node. child(c, self) => sense[c]; goto B", "goto B")],
        Violated,
    ),
    ("static-tree", "parents are not told", &[("if (self != root) { sense[self] := true; }", "")], Violated),
    ("static-tree", "no sleep", &[("await !sense[self]; goto D", "goto D")], Violated),
    (
        "static-tree",
        "the root sets its own sense",
        &[("if (self != root) { sense[self] := true; }", "sense[self] := true;")],
        Deadlock,
    ),
    (
        "static-tree",
        "a leaf is stuck",
        &[("step A { await", "step A { await (exists x: Node. child(x, self)); await")],
        Deadlock,
    ),
    (
        "static-tree",
        "the right child is not woken",
        &[("where right(c, self); sense[c] := false;", "where right(c, self);")],
        Deadlock,
    ),
    (
        "combining-tree",
        "never ascends",
        &[("if (count[n] == 0) { goto A; }", "if (false) { goto A; }")],
        Deadlock,
    ),
    (
        "combining-tree",
        "used again, as it is printed",
        &[
            ("H, end I;", "H, I;"),
            ("step H {", "step I { n := leaf[self]; goto A; } step H {"),
            ("property barrier:", "//"),
        ],
        Deadlock,
    ),
    (
        "combining-tree",
        "counting is two steps",
        &[
            ("locations A, B, C,", "locations A, B, C, C2,"),
            ("local sense: bool = true;", "local sense: bool = true; local seen: 0..2 = 0;"),
            (
                "step C { count[n] := count[n] - 1;",
                "step C { seen := count[n]; goto C2; } step C2 { count[n] := seen - 1;",
            ),
        ],
        Deadlock,
    ),
    (
        "combining-tree",
        "a mark is read and taken away in two steps",
        &[
            ("F, G, H,", "F, G, G2, G3, H,"),
            (
                "    if (from_right[n]) {\n        choose",
                "    if (from_right[n]) { goto G2; } else if (from_left[n]) { goto G3; } else { goto H; }\n}\nstep G2 {\n        choose",
            ),
            (
                "goto D;\n    } else if (from_left[n]) {\n        choose",
                "goto D;\n}\nstep G3 {\n        choose",
            ),
            ("goto D;\n    } else { goto H; }\n}", "goto D;\n}"),
        ],
        Deadlock,
    ),
    ("combining-tree", "no wake flip", &[("lock[n] := !lock[n]; goto F", "goto F")], Deadlock),
    (
        "combining-tree",
        "always ascends",
        &[("if (count[n] == 0) { goto A; }", "if (true) { goto A; }"), ("0..2 = k[m]", "-3..2 = k[m]")],
        Violated,
    ),
    ("combining-tree", "no sleep", &[("await sense == lock[n]; goto G", "goto G")], Violated),
    (
        "dissemination",
        "a round too few",
        &[(
            "#Thread <= pow2(L) && pow2(L) < 2 * #Thread",
            "#Thread <= pow2(L + 1) && pow2(L + 1) < 2 * #Thread",
        )],
        Violated,
    ),
    (
        "dissemination",
        "one flag for each thread",
        &[
            ("#Thread, round] := true", "#Thread, 0] := true"),
            ("await flag[self, round]", "await flag[self, 0]"),
        ],
        Violated,
    ),
    (
        "dissemination",
        "waits before it signals",
        &[
            (
                "flag[(self + pow2(round)) % #Thread, round] := true; goto bpl",
                "await flag[self, round]; goto bpl",
            ),
            (
                "await flag[self, round]; round := round + 1",
                "flag[(self + pow2(round)) % #Thread, round] := true; round := round + 1",
            ),
        ],
        Deadlock,
    ),
    (
        "dissemination-tso",
        "on PSO: signals overtake the store before them",
        &[(
            "if (mem == 0) { entered[self] := true; }",
            "if (mem == 0) { either { entered[self] := true; } or { } }",
        )],
        Violated,
    ),
    (
        "tournament-lines",
        "a loser does not wait",
        &[("step B { await flag[self, round];", "step B {")],
        Violated,
    ),
    (
        "tournament-lines",
        "a winner does not wait",
        &[("step W { await flag[self, round];", "step W {")],
        Violated,
    ),
    (
        "tournament-lines",
        "nobody is woken in round 0",
        &[(
            "choose u: Thread where loser(u, self, round); flag[u, round] := true;\n    }\n    goto C;",
            "choose u: Thread where loser(u, self, round); if (round > 0) { flag[u, round] := true; }\n    }\n    goto C;",
        )],
        Deadlock,
    ),
    (
        "tournament",
        "no test whether there is an opponent",
        &[(
            "await forall u: Thread. loser(u, self, round) => flag[self, round];",
            "await flag[self, round];",
        )],
        Deadlock,
    ),
    (
        "tournament",
        "a winner does not wait",
        &[("await forall u: Thread. loser(u, self, round) => flag[self, round];", "")],
        Violated,
    ),
    (
        "tournament",
        "the champion does not wait",
        &[("await flag[self, round];\n        choose", "choose")],
        Violated,
    ),
    (
        "tournament",
        "a loser does not wait",
        &[("step B { await flag[self, round]; goto C; }", "step B { goto C; }")],
        Violated,
    ),
    (
        "tournament",
        "nobody is woken in round 0",
        &[(
            "choose u: Thread where loser(u, self, round); flag[u, round] := true;\n        }\n        if",
            "choose u: Thread where loser(u, self, round); if (round > 0) { flag[u, round] := true; }\n        }\n        if",
        )],
        Deadlock,
    ),
    (
        "dotnet",
        "the event is not reset",
        &[(
            "step R { if (seen) { odd_event := false; } else { even_event := false; } goto X; }",
            "step R { goto X; }",
        )],
        Violated,
    ),
    (
        "dotnet",
        "set before reset",
        &[
            (
                "step R { if (seen) { odd_event := false; } else { even_event := false; } goto X; }",
                "step R { if (seen) { even_event := true; } else { odd_event := true; } goto X; }",
            ),
            (
                "step X { if (seen) { even_event := true; } else { odd_event := true; } goto D; }",
                "step X { if (seen) { odd_event := false; } else { even_event := false; } goto D; }",
            ),
        ],
        Violated,
    ),
    ("dotnet", "a blind write", &[("if (seen_cur == cur && seen == sense) {", "if (true) {")], Deadlock),
    ("dotnet", "no wait", &[("await if seen then even_event else odd_event; goto D", "goto D")], Violated),
    (
        "dotnet",
        "the phase is counted last",
        &[
            ("step P { even_phase := !even_phase; goto R; }", "step P { goto R; }"),
            (
                "odd_event := true; } goto D; }",
                "odd_event := true; } goto X2; } step X2 { even_phase := !even_phase; goto D; }",
            ),
            ("W, P, R, X;", "W, P, R, X, X2;"),
        ],
        Violated,
    ),
    (
        "dotnet-participants",
        "who comes does not reset its event",
        &[(
            "step JR { if (seen) { even_event := false; } else { odd_event := false; } goto D; }",
            "step JR { goto D; }",
        )],
        Violated,
    ),
    (
        "dotnet-participants",
        "who comes does not wait for the phase to be counted",
        &[("step JW { await if seen then odd_event else even_event; goto D; }", "step JW { goto D; }")],
        Violated,
    ),
    (
        "dotnet-participants",
        "who goes does not look whether it was the last to be missing",
        &[("seen_total > 1 && seen_cur == seen_total - 1", "seen_total > 1 && seen_cur == seen_total")],
        Deadlock,
    ),
    (
        "dotnet-participants",
        "who comes adds to a total that has changed",
        &[(
            "seen_total == total && seen == sense) { total := seen_total + 1;",
            "seen == sense) { total := seen_total + 1;",
        )],
        Violated,
    ),
];

#[test]
fn mutants_end_as_the_table_says() {
    let mut wrong = Vec::new();
    for (base, what, replacements, expected) in MUTANTS {
        let mut system = changed(base, replacements);
        // What is shown is a bug in a small instance: the invariant has no part in it.
        system.invariant.clear();
        system.lemmas.clear();
        system.phases.clear();
        system.ranks.clear();
        // Where safety is expected to break, it is asked for alone: the smallest instance may be stuck
        // before.
        let options = Options { deadlock: *expected == Deadlock, ..options() };
        let report = prove(&system, &options).expect("a solver");
        let found = report.bug.as_ref().map(|b| &b.bug);
        let fine = match expected {
            Violated => matches!(found, Some(Bug::Property(_) | Bug::Assertion(..))),
            Deadlock => matches!(found, Some(Bug::Deadlock)),
        };
        if !fine || report.verdict != Verdict::Violated {
            wrong.push(format!("{base}, {what}: {:?} {found:?}, not {expected:?}", report.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The base, the conjuncts that are left out or changed, and the obligation that fails (its beginning).
type Rejected = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const REJECTED: &[Rejected] = &[
    // `count >= |A|` alone is inductive, and not enough.
    ("central", &[("invariant passed:", "//"), ("invariant not_more:", "//")], "property barrier"),
    // `C => count = 0` alone is not inductive.
    ("central", &[("invariant enough:", "//"), ("invariant not_more:", "//")], "A->B keeps passed"),
    ("central", &[("invariant not_more:", "//")], "deadlock-freedom"),
    ("sense-reversing", &[("invariant alone:", "//")], ""),
    ("sense-reversing", &[("invariant pos:", "//")], ""),
    ("static-tree", &[("    invariant arrived:", "//")], "C->D in sync"),
    ("static-tree", &[("    invariant waiting:", "//")], ""),
    ("static-tree", &[("    invariant told:", "//")], ""),
    ("dotnet", &[("invariant phase:", "//")], ""),
    ("dotnet", &[("invariant before_set:", "//")], ""),
    ("central-weak", &[("invariant stored:", "//")], ""),
];

const PARTS_OF_DISSEMINATION: &[Rejected] = &[
    // Parts (2), (3) and (4) of the invariant of section 6.1.
    ("dissemination", &[("invariant heard: forall t, u: Thread.\n", "//"), ("    0 < (t - u)", "// ")], ""),
    (
        "dissemination",
        &[("invariant signalled: forall t, u: Thread, l: 0..L-1.\n", "//"), ("    flag[t, l] &&", "// ")],
        "",
    ),
    (
        "dissemination",
        &[("invariant places: forall t: Thread.\n", "//"), ("    t @ apl ||", "// ")],
        "property barrier",
    ),
];

/// Section 4.2 as it is printed, with ids in place of cardinalities (Cantor and Cohen): threads that have not
/// counted down have the ids below `count`. In print, the invariant lacks its last line: that nobody is
/// awake.
const IDS: &str = "threads Thread = ring; locations apl, bpl, cpl, last, end done;
    shared count: int = #Thread; shared sense: bool = false;
    local ls: bool = false; local lc: int = 0; ghost local id: int = self;
    step apl { ls := !ls; goto bpl; }
    step bpl {
        lc := count; count := count - 1;
        forall t: Thread { id[t] := if t == self then count else if id[t] == count then id else id[t]; }
        goto cpl;
    }
    step cpl { if (lc > 1) { await sense == ls; goto done; } else { count := #Thread; goto last; } }
    step last { sense := ls; goto done; }
    invariant ids: forall t, u: Thread. 0 <= id[t] && id[t] < #Thread && (id[t] == id[u] => t == u);
    phase sync {
        invariant few: count <= #Thread;
        invariant climbing: forall t: Thread. pc[t] <= cpl;
        invariant toggled: forall t: Thread. pc[t] >= bpl <=> ls[t];
        invariant counted: forall t: Thread. t @ cpl => lc[t] > count;
        invariant below_count: forall t: Thread. pc[t] <= bpl => id[t] < count;
        invariant asleep: !sense;
    }
    phase wake { invariant all_in: forall t: Thread. pc[t] >= cpl; }
    property barrier: forall t, u: Thread. t @ done => !(u @ apl);";

#[test]
fn the_invariant_of_section_4_2_lacks_a_line() {
    let options = Options { deadlock: false, work: 4_000_000, ..options() };
    let whole = selvedge_prove::parse("ids", IDS).expect("a system");
    assert_eq!(prove(&whole, &options).expect("a solver").verdict, Verdict::Proved);
    let printed = IDS.replace("invariant asleep: !sense;", "");
    let printed = selvedge_prove::parse("printed", &printed).expect("a system");
    let report = prove(&printed, &options).expect("a solver");
    assert_eq!(report.verdict, Verdict::NotProved);
    assert!(
        report.done.iter().any(|d| d.name.starts_with("cpl->done") && matches!(d.ending, Ending::Fails(_)))
    );
}

/// Section 5.2 as it is printed lacks that senses are as they were at first, and that whoever is at B has a
/// parent to go to. It is about safety only.
#[test]
fn the_invariant_of_section_5_2_is_rejected_as_printed() {
    let whole = text("combining-tree");
    let mut printed = whole.replace("t @ {A, B, C, F} && sense[t];", "t @ {A, B, C, F};");
    assert_ne!(printed, whole);
    printed = printed.replace("    invariant has_parent:", "//");
    while let Some(at) = printed.find("    // From here on: that nobody is stuck") {
        let end = at + printed[at..].find("\n}").expect("a phase ends");
        printed.replace_range(at..end, "");
    }
    let printed = selvedge_prove::parse("printed", &printed).expect("a system");
    // A sleeper with the wrong sense goes on.
    assert!(instance(&printed, "F->G in sync").is_some());
}

/// A state of a small instance that satisfies the invariant, in which an obligation whose name begins so
/// fails.
fn instance(system: &System, name: &str) -> Option<Instance> {
    let mut all = consequences(system, true);
    for phase in phases(system) {
        let known = known_in(system, phase);
        for s in 0..system.steps.len() {
            let make = |conjunct, goal| {
                let (origin, known) = (Origin::Step(s), known.clone());
                Obligation { origin, phase, target: None, conjunct, known, goal }
            };
            let always = conjuncts(system, None).into_iter();
            all.extend(always.map(|c| make(Some(c), system.invariant[c].formula.clone())));
            if phase.is_some() {
                all.push(make(None, some_phase(system)));
            }
        }
    }
    all.retain(|o| o.name(system).starts_with(name));
    assert!(!all.is_empty(), "there is no {name}");
    let mut solvers = Solvers::default();
    let sorts = system.sorts.len();
    for total in sorts..=2 * sorts + 2 {
        for instance in sizes(system, total).iter().flat_map(|s| instances(system, s)) {
            for o in &all {
                let solver = (&mut solvers, Solver::Z3);
                let found = counterexample(system, &instance, o, solver, 500_000).expect("a solver");
                if found.is_some() {
                    return Some(instance);
                }
            }
        }
    }
    None
}

#[test]
fn weaker_invariants_are_rejected_with_an_instance() {
    for (base, replacements, fails) in REJECTED.iter().chain(PARTS_OF_DISSEMINATION) {
        let found = instance(&changed(base, replacements), fails);
        assert!(found.is_some(), "{base} {replacements:?}");
    }
    // And this is what the whole of it says then.
    rejected(&REJECTED[..3], 4_000_000);
}

#[test]
#[ignore = "takes minutes: solvers give up late; `make fuzz-proofs` runs it"]
fn proofs_by_weaker_invariants_end_with_an_instance() {
    rejected(REJECTED, 4_000_000);
    rejected(PARTS_OF_DISSEMINATION, 200_000);
}

fn rejected(all: &[Rejected], work: u64) {
    let mut wrong = Vec::new();
    for (base, replacements, fails) in all {
        let system = changed(base, replacements);
        // What is not proved soon is looked for in small instances: that is what this is about.
        let options = Options { work, ..options() };
        let report = prove(&system, &options).expect("a solver");
        let found = report.done.iter().filter(|d| matches!(d.ending, Ending::Fails(_)));
        let names: Vec<&str> = found.map(|d| d.name.as_str()).collect();
        let fine = report.verdict == Verdict::NotProved && names.iter().any(|n| n.starts_with(fails));
        if !fine || report.bug.is_some() {
            wrong.push(format!("{base} {replacements:?}: {:?}, {names:?}", report.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
