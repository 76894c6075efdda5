//! `selvedge litmus` on good input.

use crate::support;

use support::{directory, example, examples, selvedge, without_times, write};

const SPIN: &str = "C spin {} P0 (atomic_int* x) { while (atomic_load(x) == 0) ; }
P1 (atomic_int* x) { atomic_store(x, 1); }
exists (x=1)
";
const ASSERT: &str = "C check {} P0 (atomic_int* x) { int r0 = atomic_load(x); assert(r0 == 0); }
P1 (atomic_int* x) { atomic_store(x, 1); }
exists (0:r0=0)
";
const RACE: &str = "C race {} P0 (int* x) { *x = 1; } P1 (int* x) { int r0 = *x; }
exists (1:r0=1)
";

#[test]
fn one_test_reads_like_herd() {
    let run = selvedge(["litmus", &example("SB+rlx.litmus")]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        without_times(&run.out),
        r"Test SB+rlx Allowed
States 4
1     *>0:r0=0; 1:r0=0;
1     :>0:r0=0; 1:r0=1;
1     :>0:r0=1; 1:r0=0;
1     :>0:r0=1; 1:r0=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:r0=0 /\ 1:r0=0)
Observation SB+rlx Sometimes 1 3
"
    );
    assert!(run.out.contains("Time SB+rlx 0."));
    assert_eq!(run.err, "");
}

#[test]
fn the_model_decides() {
    let run = selvedge(["litmus", "-m", "sc", &example("SB+rlx.litmus")]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("States 3\n") && run.out.contains("\nNo\n"), "{}", run.out);
    assert!(run.out.contains("Observation SB+rlx Never 0 3"), "{}", run.out);
}

#[test]
fn final_values_of_locations_are_shown_and_need_coherence() {
    let run = selvedge(["litmus", &example("2+2W+rlx.litmus")]);
    assert!(run.out.contains("1     *>[x]=1; [y]=1;"), "{}", run.out);
    let run = selvedge(["litmus", "--equivalence", "rf", &example("2+2W+rlx.litmus")]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("use `--equivalence co`"), "{}", run.err);
    assert_eq!(run.out, "");
}

#[test]
fn json_of_one_test_is_an_object() {
    let run = selvedge(["litmus", "--json", &example("MP+ra.litmus")]);
    assert_eq!(run.code, 0);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_default();
    for (key, wanted) in [
        ("name", "MP+ra"),
        ("model", "rc11"),
        ("arch", "C"),
        ("quantifier", "exists"),
        ("condition", r"exists (1:r0=1 /\ 1:r1=0)"),
        ("verdict", "No"),
        ("observation", "Never"),
    ] {
        assert_eq!(value[key], wanted, "{key}");
    }
    assert_eq!(value["executions"], 3);
    assert_eq!(value["blocked"], 0);
    assert_eq!(value["bounded"], false);
    assert!(value["seconds"].is_number());
    let states = value["states"].as_array().cloned().unwrap_or_default();
    assert_eq!(states.len(), 3);
    assert_eq!(states[0]["valuation"], serde_json::json!({ "1:r0": 0, "1:r1": 0 }));
    assert_eq!(states[0]["count"], 1);
}

#[test]
fn json_of_several_tests_is_an_array_with_errors_in_it() {
    let dir = directory("json_array");
    write(&dir, "a.litmus", SPIN);
    write(&dir, "b.litmus", "C b\n{}\nP0 () { frob(); }\n");
    let run = selvedge(["litmus", "--json", &dir.display().to_string()]);
    assert_eq!(run.code, 2);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_default();
    assert_eq!(value.as_array().map(Vec::len), Some(2), "{}", run.out);
    assert_eq!(value[0]["bounded"], true);
    let error = &value[1]["error"];
    assert_eq!(error["kind"], "litmus");
    assert_eq!(error["line"], 3);
    assert!(error["file"].as_str().is_some_and(|f| f.ends_with("b.litmus")));
    assert!(error["message"].as_str().is_some_and(|m| m.contains("frob")));
}

#[test]
fn a_directory_gives_a_table() {
    let dir = directory("table");
    std::fs::create_dir(dir.join("deeper")).unwrap_or_else(|e| panic!("{e}"));
    for (from, to) in [("SB+rlx.litmus", "deeper/SB.litmus"), ("MP+ra.litmus", "MP.litmus")] {
        std::fs::copy(example(from), dir.join(to)).unwrap_or_else(|e| panic!("{e}"));
    }
    write(&dir, "readme.txt", "not a test");
    write(&dir, "wrong.litmus", "C wrong\n{}\nP0 () {\n  int r0 = ;\n}\n");
    let run = selvedge(["litmus", &dir.display().to_string()]);
    assert_eq!(run.code, 2);
    let lines: Vec<Vec<&str>> = run.out.lines().map(|l| l.split_whitespace().collect()).collect();
    let head = ["name", "model", "executions", "blocked", "states", "observation", "verdict", "time"];
    assert_eq!(lines[0], head);
    assert_eq!(lines[1][..7], ["MP+ra", "rc11", "3", "0", "3", "Never", "No"]);
    assert_eq!(lines[2][..7], ["SB+rlx", "rc11", "4", "0", "4", "Sometimes", "Ok"]);
    assert!(run.out.contains("2 results: 1 Ok, 1 No\n1 input error:\n"), "{}", run.out);
    assert!(run.out.contains("wrong.litmus:4: expected an expression"), "{}", run.out);
    assert_eq!(run.err.matches("error:").count(), 1, "{}", run.err);
}

/// What the tests claim of SC and RC11 is what the literature says of them; for the other models it
/// follows from how the shipped `.kat` files read C's orderings (tso and pso: as compilers map them).
#[test]
fn the_examples_are_as_they_claim() {
    for schedule in ["ltr", "writes-first"] {
        let mut args = vec!["litmus", "--check", "--schedule", schedule];
        for model in ["sc", "tso", "pso", "ra", "rlx", "rc11"] {
            args.extend(["-m", model]);
        }
        let dir = examples().display().to_string();
        args.push(&dir);
        let run = selvedge(args);
        let wrong: Vec<&str> =
            run.out.lines().filter(|l| l.contains(" expected ") && !l.contains("as ")).collect();
        assert_eq!(run.code, 0, "{schedule}: {wrong:#?}\n{}", run.err);
        assert!(run.out.contains(" as expected, 0 not"), "{}", run.out);
    }
}

/// Those that look at registers alone; for the others coherence has to be told apart.
#[test]
fn the_examples_are_as_they_claim_up_to_reads_from() {
    let dir = examples().display().to_string();
    let mut args = vec!["litmus", "--check", "--equivalence", "rf"];
    for model in ["sc", "tso", "pso", "ra", "rlx", "rc11"] {
        args.extend(["-m", model]);
    }
    args.push(&dir);
    let run = selvedge(args);
    assert!(run.out.contains(" as expected, 0 not"), "{}", run.out);
    assert!(
        run.err.lines().all(|l| !l.starts_with("error:") || l.contains("`--equivalence rf`")),
        "{}",
        run.err
    );
}

#[test]
fn a_verdict_that_differs_from_the_expected_one_is_exit_1() {
    let sb = example("SB+rlx.litmus");
    assert_eq!(selvedge(["litmus", "--expect", "ok", &sb]).code, 0);
    let run = selvedge(["litmus", "--expect", "no", &sb]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("Check expected No, found Ok"), "{}", run.out);

    let dir = directory("claims");
    let file =
        write(&dir, "t.litmus", "C t\n(* expect rc11: Never *)\n{} P0 (int* x) { *x = 1; } exists (x=1)");
    assert_eq!(selvedge(["litmus", &file]).code, 0);
    let run = selvedge(["litmus", "--check", &file]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("Check expected Never, found Always"), "{}", run.out);
}

#[test]
fn failed_assertions_and_races_are_exit_1() {
    let dir = directory("violated");
    let run = selvedge(["litmus", &write(&dir, "assert.litmus", ASSERT)]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.contains("Error P0: assertion `r0 == 0` fails at line 1 (in 1 of 2 executions)"),
        "{}",
        run.out
    );
    let run = selvedge(["litmus", &write(&dir, "race.litmus", RACE)]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("Flag RaceNotAtomic: "), "{}", run.out);
    assert!(run.out.contains("P0: W[na] x=1") && run.out.contains("P1: R[na] x"), "{}", run.out);
}

#[test]
fn bounded_results_are_exit_3() {
    let dir = directory("bounded");
    let spin = write(&dir, "spin.litmus", SPIN);
    let run = selvedge(["litmus", "--unroll", "3", &spin]);
    assert_eq!(run.code, 3);
    assert!(run.out.contains("Undecided loops were cut at 3 iterations"), "{}", run.out);
    assert!(run.out.contains("use --unroll N"), "{}", run.out);
    let run = selvedge(["litmus", "--max-executions", "2", &example("SB+rlx.litmus")]);
    assert_eq!(run.code, 3);
    assert!(run.out.contains("gave up"), "{}", run.out);
    // A witness is one, whatever else was cut.
    let run = selvedge(["litmus", "--expect", "no", "--unroll", "1", &spin]);
    assert!(run.out.contains("Check expected No, found Ok"), "{}", run.out);
    let spin = write(&dir, "never.litmus", SPIN.replace("exists (x=1)", "exists (x=2)"));
    let run = selvedge(["litmus", "--expect", "no", "--unroll", "1", &spin]);
    assert_eq!(run.code, 3);
    assert!(run.out.contains("Check not settled"), "{}", run.out);
}

#[test]
fn a_witness_is_drawn_where_there_is_one() {
    let dir = directory("dot");
    let out = dir.display().to_string();
    let run = selvedge(["litmus", "--dot", &out, &example("SB+rlx.litmus")]);
    assert_eq!(run.code, 0);
    let text = std::fs::read_to_string(dir.join("SB+rlx.dot")).unwrap_or_default();
    for wanted in ["digraph \"SB+rlx\"", "W[rlx] x=1", "R[rlx] y → 0", "\"fr\"", "\"rf\"", "\"po\""] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let run = selvedge(["litmus", "-m", "sc", "--dot", &out, &example("MP+rlx.litmus")]);
    assert!(run.err.contains("nothing to draw"), "{}", run.err);
    assert!(!dir.join("MP+rlx.dot").exists());
}

#[test]
fn models_are_listed() {
    let run = selvedge(["models"]);
    assert_eq!(run.code, 0);
    for name in ["sc ", "tso ", "rc11 "] {
        assert!(run.out.lines().any(|l| l.starts_with(name) && l.len() > 12), "{}", run.out);
    }
}

#[test]
fn help_documents_the_exit_codes() {
    let run = selvedge(["litmus", "--help"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("Exit codes:") && run.out.contains("3  the result is undecided"), "{}", run.out);
}

/// Tests in assembly, each under the model of its architecture.
#[test]
fn the_architecture_picks_the_model() {
    let dir = examples().join("../arch").display().to_string();
    let run = selvedge(["litmus", "--check", &dir]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let summary = run.out.lines().find(|line| line.contains(" results: ")).unwrap_or("");
    assert!(summary.starts_with("24 results:") && summary.contains("24 as expected, 0 not"), "{}", run.out);
    for model in ["armv8", "power", "riscv", "x86", "lkmm"] {
        assert!(run.out.contains(&format!(" {model} ")), "{model} is missing:\n{}", run.out);
    }
}

#[test]
fn addresses_are_shown_by_name() {
    let file = examples().join("../arch/AArch64-MP+pointer.litmus").display().to_string();
    let run = selvedge(["litmus", &file]);
    assert!(run.out.contains(":>1:X0=x; 1:X2=1;") && run.out.contains("1:X0=z;"), "{}", run.out);
    assert!(run.out.contains(r"Condition exists (1:X0=x /\ 1:X2=0)"), "{}", run.out);
}

#[test]
fn what_cannot_be_read_is_counted() {
    let dir = directory("counted");
    for name in ["a", "b"] {
        let text = format!("AArch64 {name}\n{{ 0:X1=x; }}\n P0 ;\n LDP X0,X2,[X1] ;\nexists (x=0)\n");
        write(&dir, &format!("{name}.litmus"), text);
    }
    let run = selvedge(["litmus", &dir.display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.out.contains("2 times: instruction `ldp` is not supported"), "{}", run.out);
    assert!(run.err.contains("a.litmus:4:2"), "{}", run.err);
}

/// One file in text, in a table and as JSON.
fn three_ways(name: &str, text: &str, more: &[&str]) -> [(i32, String); 3] {
    let dir = directory(name);
    let file = write(&dir, "t.litmus", text);
    let dir = dir.display().to_string();
    [[&file, ""], [&dir, ""], [&file, "--json"]].map(|[path, json]| {
        let args = ["litmus", path, json].into_iter().filter(|a| !a.is_empty()).chain(more.iter().copied());
        let run = selvedge(args);
        (run.code, run.out)
    })
}

/// Where executions are missing there is no verdict, unless one that is there decides.
#[test]
fn what_was_not_seen_whole_is_undecided() {
    let spin = |condition: &str| {
        format!(
            "C spin {{}} P0 (atomic_int* x, atomic_int* y) {{ while (atomic_load(x) == 0) ; int r0 = atomic_load(y); }}
P1 (atomic_int* x) {{ atomic_store(x, 1); }} {condition}\n"
        )
    };
    let astray = "AArch64 astray { 0:X1=x; }\n P0 ;\n MOV X2,#4 ;\n LDR W0,[X1,X2] ;\nforall (0:X0=0)\n";
    let blocked = "C blocked {} P0 (int* x) { int r0 = *x; assume(r0 == 1); } ~exists (0:r0=1)\n";
    let filtered = "C filtered {} P0 (int* x) { int r0 = *x; } filter (0:r0=1) ~exists (0:r0=1)\n";
    for (name, text, more, reason) in [
        ("cut", spin("exists (0:r0=1)"), vec![], "loops were cut at 8 iterations"),
        ("cut_forbidden", spin("~exists (0:r0=1)"), vec![], "loops were cut at 8 iterations"),
        ("cut_required", spin("forall (0:r0=0)"), vec![], "loops were cut at 8 iterations"),
        ("given_up", spin("exists (0:r0=1)"), vec!["--max-executions", "1"], "gave up"),
        ("astray", String::from(astray), vec![], "1 executions failed"),
        ("blocked", String::from(blocked), vec![], "all executions are blocked: nothing was checked"),
        ("filtered", String::from(filtered), vec![], "the filter leaves no execution: nothing was checked"),
    ] {
        let [text, table, json] = three_ways(&format!("undecided_{name}"), &text, &more);
        for (code, out) in [&text, &table, &json] {
            assert_eq!(*code, 3, "{name}: {out}");
        }
        assert!(text.1.contains("\nUndecided\nWitnesses\n") && text.1.contains(reason), "{name}: {}", text.1);
        for claim in ["Ok", "No"] {
            assert!(!text.1.lines().any(|l| l == claim), "{name}: {}", text.1);
        }
        for claim in ["Always", "Never"] {
            assert!(!text.1.contains(claim) && !table.1.contains(claim), "{name}: {} {}", text.1, table.1);
        }
        assert!(table.1.contains("1 results: 0 Ok, 0 No, 1 Undecided"), "{name}: {}", table.1);
        let value: serde_json::Value = serde_json::from_str(&json.1).unwrap_or_default();
        assert_eq!((&value["verdict"], &value["observation"]), (&"Undecided".into(), &"Undecided".into()));
        let reasons = value["undecided"].as_array().cloned().unwrap_or_default();
        assert!(reasons.iter().any(|r| r.as_str().is_some_and(|r| r.contains(reason))), "{name}: {}", json.1);
    }
}

/// A witness is one, and a counterexample, too, whatever else there may be; the exit code still says that
/// there is more.
#[test]
fn an_execution_that_decides_decides() {
    let spin = |condition: &str| {
        format!(
            "C spin {{}} P0 (atomic_int* x, atomic_int* y) {{ while (atomic_load(x) == 0) ; int r0 = atomic_load(y); }}
P1 (atomic_int* x) {{ atomic_store(x, 1); }} {condition}\n"
        )
    };
    for (name, condition, verdict) in [
        ("exists", "exists (0:r0=0)", "Ok"),
        ("not", "~exists (0:r0=0)", "No"),
        ("forall", "forall (0:r0=1)", "No"),
    ] {
        let [text, table, json] = three_ways(&format!("decides_{name}"), &spin(condition), &[]);
        assert!(text.1.contains(&format!("\n{verdict}\nWitnesses\n")), "{}", text.1);
        assert!(
            text.1.contains("Observation spin Undecided") && text.1.contains("Undecided loops were cut"),
            "{}",
            text.1
        );
        assert!(table.1.contains("not seen whole"), "{}", table.1);
        assert_eq!([text.0, table.0, json.0], [3; 3], "{name}");
    }
}

/// Plain accesses of the kernel race, and are no part of its order; with release and acquire around them
/// they are.
#[test]
fn plain_accesses_of_the_kernel_race() {
    let test = |load: &str| {
        format!(
            "C plain {{}} P0(int *u, int *x) {{ int r1 = *u; smp_store_release(x, 1); }}
P1(int *u, int *x) {{ int r1 = {load}; if (r1) {{ *u = 1; }} }} exists (0:r1=1 /\\ 1:r1=1)\n"
        )
    };
    let dir = directory("kernel_plain");
    let run = selvedge(["litmus", &write(&dir, "race.litmus", test("READ_ONCE(*x)"))]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("\nOk\n") && run.out.contains("Flag data-race: P0: R[na] u"), "{}", run.out);
    let run = selvedge(["litmus", &write(&dir, "none.litmus", test("smp_load_acquire(x)"))]);
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("\nNo\n") && !run.out.contains("Flag"), "{}", run.out);
}

/// Sizes that do not go together are an input error, with its place.
#[test]
fn mixed_sizes_are_refused() {
    let dir = directory("mixed");
    let text = "AArch64 mixed\n{ uint64_t x; 0:X1=x; }\n P0 ;\n STR W2,[X1] ;\nexists (x=0)\n";
    let run = selvedge(["litmus", &write(&dir, "t.litmus", text)]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    for part in [
        "of 32 bits, and `x` is declared to be of 64 bits",
        "t.litmus:4:2",
        "mixed sizes are not supported yet",
    ] {
        assert!(run.err.contains(part), "{}", run.err);
    }
}
