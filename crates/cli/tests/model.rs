//! `selvedge model`.

use crate::support;

use support::{directory, selvedge, write};

fn models(path: &str) -> String {
    format!("{}/../../models/{path}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn check_tells_by_its_exit_code() {
    let dir = directory("model-check");
    let good = write(&dir, "good.kat", "let eco = (rf | co | fr)+\nassert eco = rf | (co | fr) ; rf?\n");
    let bad = write(&dir, "bad.kat", "assert po <= rf\n");
    let wrong = write(&dir, "wrong.kat", "assert po <= nonsense\n");
    // A read has one source; that this one is both inside and outside of a thread is not noticed.
    let open = write(&dir, "open.kat", "assert [UW] ; rfi ; rf^-1 ; rfe <= 0\n");
    let run = |file: &str| selvedge(["model", "check", file]);
    assert_eq!(run(&good).code, 0, "{}", run(&good).out);
    let failed = run(&bad);
    assert_eq!(failed.code, 1, "{}", failed.out);
    assert!(failed.out.contains("FAILS    po <= rf"), "{}", failed.out);
    assert!(failed.out.contains("-po-> "), "{}", failed.out);
    let refused = run(&wrong);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("unknown name `nonsense`"), "{}", refused.err);
    let unknown = run(&open);
    assert_eq!(unknown.code, 3, "{}", unknown.out);
    assert!(unknown.out.contains("unknown"), "{}", unknown.out);
}

#[test]
fn certification_and_json() {
    let run = selvedge(["model", "check", &models("table-10.1/eco.kat"), "--certify", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["claims"][0]["verdict"], "holds");
    assert!(
        value["claims"][0]["claim"].as_str().is_some_and(|c| c.contains("certified: all")),
        "{}",
        run.out
    );
}

/// Every pair of shipped models: the verdict, and that the explorer agrees about the execution that
/// tells them apart.
#[test]
fn comparisons_are_confirmed_by_exploration() {
    let dir = directory("model-compare");
    let pairs = [
        ("sc", "tso", "stronger"),
        ("tso", "pso", "stronger"),
        ("tso", "ra", "stronger"),
        ("ra", "rlx", "stronger"),
        ("rlx", "pso", "weaker"),
        ("sc", "rc11", "stronger"),
        ("ra", "rc11", "incomparable"),
    ];
    for (a, b, verdict) in pairs {
        let test = dir.join(format!("{a}-{b}.litmus")).display().to_string();
        let run = selvedge(["model", "compare", a, b, "--json", "--litmus", &test]);
        assert_eq!(run.code, 0, "{}", run.err);
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(value["verdict"], verdict, "{a} {b}");
        let text = std::fs::read_to_string(&test).expect("a test");
        let note = text.lines().last().unwrap_or_default();
        let allows = if note.contains(&format!("allowed by {a},")) { a } else { b };
        for model in [a, b] {
            let run = selvedge(["litmus", &test, "-m", model]);
            let expected = if model == allows { "Sometimes" } else { "Never" };
            assert!(run.out.contains(expected), "{note}\n{}", run.out);
        }
    }
    let same = selvedge(["model", "compare", &models("table-10.1/ra.kat"), &models("table-10.1/ra3.kat")]);
    assert!(same.out.starts_with("ra and ra3 are equal"), "{}", same.out);
}

#[test]
fn compilation() {
    let (rc11, tso) = (models("table-10.1/rc11.kat"), models("table-10.1/tso.kat"));
    let scheme = models("schemes/c11-to-tso.kat");
    let sound = selvedge(["model", "map", &rc11, &tso, "--scheme", &scheme]);
    assert_eq!(sound.code, 0, "{}", sound.out);
    let unsound = selvedge(["model", "map", &rc11, &tso]);
    assert_eq!(unsound.code, 1, "{}", unsound.out);
    assert!(unsound.out.contains("FAILS"), "{}", unsound.out);
}

#[test]
fn properties_and_drawings() {
    let run = selvedge(["model", "properties", "tso"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("yes      no values out of thin air"), "{}", run.out);
    assert!(run.out.contains("no       monotone under merging of threads: "), "{}", run.out);
    for model in ["sc", "ra", "rc11"] {
        let run = selvedge(["model", "properties", model]);
        assert!(run.out.contains("yes      monotone under merging of threads"), "{}", run.out);
    }
    let run = selvedge(["model", "properties", "armv8"]);
    assert!(run.out.starts_with("armv8\n"), "{}", run.out);
    assert!(run.out.contains("no       monotone under merging of threads: "), "{}", run.out);
    assert!(run.out.contains("yes      local-write-successors: "), "{}", run.out);
    // More kinds of events than a question can tell apart.
    let run = selvedge(["model", "properties", "riscv"]);
    assert!(run.out.starts_with("riscv (in programs in C)"), "{}", run.out);
    let json = selvedge(["model", "properties", "armv8", "--json"]);
    assert!(json.out.contains("fixed-skeleton"), "{}", json.out);
    let dir = directory("model-show");
    let file = dir.join("sc.dot").display().to_string();
    let run = selvedge(["model", "show", "sc", "--dot", &file]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("export acyclic"), "{}", run.out);
    assert!(std::fs::read_to_string(file).is_ok_and(|text| text.starts_with("digraph")));
}

/// What reductions rely on: decided, declared with the reason, or absent.
#[test]
fn premises_of_reductions() {
    let run = selvedge(["model", "properties", "pso"]);
    assert!(run.out.contains("  decided  forgets-reads: without an event, "), "{}", run.out);
    assert!(run.out.contains("  declared forgets-rmws: what it read is before its write"), "{}", run.out);
    assert!(run.out.contains("  absent   publishes-in-order\n"), "{}", run.out);
    assert!(run.out.contains("  without  escape: `publishes-in-order`, or "), "{}", run.out);
    let run = selvedge(["model", "properties", "rc11", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let premises = value["premises"].as_array().expect("premises");
    let standing = |name: &str| premises.iter().find(|p| p["property"] == name).map(|p| &p["standing"]);
    assert_eq!(standing("confirms-reads"), Some(&"declared".into()));
    assert_eq!(standing("publishes-in-order-or-races"), Some(&"decided".into()));
    assert_eq!(standing("interleaving"), Some(&"absent".into()));
    assert_eq!(value["left_out"].as_array().map(Vec::len), Some(0));
    // A model that drives no exploration has none.
    let run = selvedge(["model", "properties", "c11", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["premises"].as_array().map(Vec::len), Some(0));
}

/// Reductions follow a model's text, not its name.
#[test]
fn a_copy_of_a_model_has_the_same_reductions() {
    let dir = directory("model-copy");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let text = std::fs::read_to_string(format!("{root}models/tso.kat")).expect("a shipped model");
    let bare: String = text.split("property ").next().unwrap_or_default().to_string();
    let rest = text.split_once("// Implied too").map_or("", |(_, rest)| rest);
    std::fs::write(dir.join("mine.kat"), &text).expect("a file");
    std::fs::write(dir.join("bare.kat"), format!("{bare}// Implied too{rest}")).expect("a file");
    let executions = |model: &str| {
        let file = format!("{root}examples/c/ttas.c");
        let options = ["--format", "json", "--disable", "symmetry", "--", "-DN=3"];
        let run = selvedge(["check", &file, "-m", model].into_iter().chain(options));
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        value["executions"].as_u64().unwrap_or_default()
    };
    let path = |name: &str| dir.join(name).display().to_string();
    assert_eq!(executions("tso"), 6);
    assert_eq!(executions(&path("mine.kat")), 6);
    // Without the declarations there is no confirmation.
    assert_eq!(executions(&path("bare.kat")), 36);
}

/// Thesis §3.4.2: stores may be delayed past loads under TSO and release-acquire, but not under SC.
#[test]
fn reorderings() {
    for (model, delayed) in [("sc", "no"), ("tso", "yes"), ("ra", "yes")] {
        let run = selvedge(["model", "reorder", model, "--json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let pairs = value["pairs"].as_array().expect("pairs");
        assert_eq!(pairs.len(), 64);
        for pair in pairs {
            let (first, second) = (pair["first"].as_str(), pair["second"].as_str());
            let (first, second) = (first.unwrap_or_default(), second.unwrap_or_default());
            let store_load = first.starts_with('W') && second.starts_with('R');
            let fenced = model == "tso" && first == "W[sc]";
            let expected = if store_load && !fenced { delayed } else { "no" };
            assert_eq!(pair["may_swap"], expected, "{model}: {first} ; {second}");
        }
    }
}

/// Thesis Fig. 3.1, as a test and as a drawing.
#[test]
fn compilation_of_the_original_model_to_power() {
    let dir = directory("model-power");
    let file = |name: &str| dir.join(name).display().to_string();
    let (test, drawing) = (file("c11.litmus"), file("c11.dot"));
    let run = selvedge([
        "model",
        "map",
        &models("table-10.1/c11-orig.kat"),
        &models("table-10.1/power.kat"),
        "--scheme",
        &models("schemes/c11-to-power.kat"),
        "--litmus",
        &test,
        "--dot",
        &drawing,
    ]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("FAILS"), "{}", run.out);
    assert!(std::fs::read_to_string(drawing).is_ok_and(|text| text.starts_with("digraph")));
    // POWER allows it, and so does the model that repairs this one.
    for model in ["power", "rc11"] {
        let run = selvedge(["litmus", "-m", model, &test]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("Observation c11 Sometimes"), "{}", run.out);
    }
}

#[test]
fn an_automaton_that_is_too_large_is_named() {
    let run = selvedge(["model", "compare", "sc", "rc11", "--max-states", "2"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("is too complex: its automaton has more than 2 states"), "{}", run.err);
}
