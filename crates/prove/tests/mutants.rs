//! The table of mutants of software barriers, and of invariants that must be rejected: each is a proof of
//! `proofs/` with something changed, and must end as the table says. The expectations come from exhaustive
//! enumeration of small instances by hand-written programs, not from this prover.

mod support;

use selvedge_prove::prover::{Ending, Options, Verdict, prove};
use selvedge_prove::reach::Bug;
use support::{changed, options};

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
];

#[test]
fn mutants_end_as_the_table_says() {
    let mut wrong = Vec::new();
    for (base, what, replacements, expected) in MUTANTS {
        let system = changed(base, replacements);
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

#[test]
fn weaker_invariants_are_rejected_with_an_instance() {
    let mut wrong = Vec::new();
    for (base, replacements, fails) in REJECTED {
        let system = changed(base, replacements);
        // What is not proved soon is looked for in small instances: that is what this is about.
        let options = Options { work: 4_000_000, ..options() };
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
