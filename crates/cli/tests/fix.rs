//! `selvedge fix` and `selvedge relax`.

use crate::support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{directory, selvedge, write};

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name).display().to_string()
}

fn fixed(args: &[&str]) -> Value {
    let run = selvedge(["fix", "--json"].iter().chain(args));
    assert_eq!(run.code, 0, "{args:?}: {}{}", run.out, run.err);
    serde_json::from_str(&run.out).expect("JSON")
}

/// Lines and what is to be there.
fn changes(report: &Value) -> Vec<(u64, String)> {
    let all = report["changes"].as_array().expect("changes").iter();
    all.map(|c| (c["line"].as_u64().expect("a line"), c["to"].as_str().expect("what").to_string())).collect()
}

/// A copy of an example that may be written to.
fn copy(name: &str) -> PathBuf {
    let text = std::fs::read_to_string(program(name)).expect("an example");
    let own = name.rsplit('/').next().unwrap_or(name);
    write(&directory(&format!("fix-{own}")), own, &text).into()
}

/// Models under which an example breaks, if it does not break under sc: its `expect` lines.
fn breaks_under(text: &str) -> Vec<String> {
    let expected = text.lines().filter_map(|line| line.strip_prefix("// expect: "));
    let mut words: Vec<Vec<&str>> = expected.map(|line| line.split_whitespace().collect()).collect();
    words.retain(|words| words.len() >= 2);
    if !words.iter().any(|words| words[..2] == ["sc", "verified"]) {
        return Vec::new();
    }
    let broken = words.iter().filter(|words| words[1] == "violated" && words[0] != "sc");
    let mut models: Vec<String> = broken.map(|words| words[0].to_string()).collect();
    models.sort();
    models.dedup();
    models
}

/// What breaks only because memory is weak can be repaired, and the changed source is verified.
#[test]
fn every_example_that_needs_weak_memory_to_break_is_repaired() {
    let mut repaired = 0;
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("examples")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.to_string_lossy().ends_with("-bug.c"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("an example");
        for model in breaks_under(&text) {
            let report = fixed(&[&file.display().to_string(), "-m", &model]);
            let name = format!("{} under {model}: {report}", file.display());
            assert_eq!(report["verdict"], "repaired", "{name}");
            assert_eq!(report["verified"]["how"], "text", "{name}");
            assert_eq!(report["minimal"], true, "{name}");
            assert_eq!(report["cost"], report["lower_bound"], "{name}");
            assert!(
                report["changes"].as_array().is_some_and(|all| all.iter().all(|c| c["because"].is_string()))
            );
            repaired += 1;
        }
    }
    assert!(repaired >= 15, "{repaired}");
}

/// Lê et al.: one fence, in `take`; on TSO an exchange or a fence after the store of `bottom`.
#[test]
fn chase_lev_needs_one_fence_in_take() {
    let file = program("chase-lev-bug.c");
    let on_tso = fixed(&[&file, "-m", "tso", "--with", "fences"]);
    assert_eq!(changes(&on_tso), [(39, "atomic_thread_fence(memory_order_seq_cst)".to_string())]);
    assert_eq!(on_tso["changes"][0]["function"], "take");
    let in_c = fixed(&[&file]);
    assert_eq!(changes(&in_c), changes(&on_tso));
}

/// Barriers whose arrivals do not publish anything: one release, at the arrival.
#[test]
fn relaxed_barriers_need_one_release() {
    for (name, mutant, model) in [
        ("central", "RELAXED_TAKE", "rc11"),
        ("central", "RELAXED_TAKE", "pso"),
        ("dissemination", "RELAXED", "pso"),
        ("dissemination", "RELAXED", "rc11"),
        ("sense-reversing", "RELAXED", "rc11"),
    ] {
        let file = program(&format!("../barriers/{name}.c"));
        let report = fixed(&[&file, "-m", model, "--", "-DN=2", "-DK=1", &format!("-DMUTANT={mutant}")]);
        let found = changes(&report);
        let all = |to: &str| found.len() == 1 && found[0].1 == to;
        assert!(all("release") || all("acq_rel"), "{name} under {model}: {found:?}");
        assert_eq!(report["minimal"], true);
    }
}

#[test]
fn the_diff_applies_and_compiles() {
    let file = copy("peterson-bug.c");
    let home = file.parent().expect("a directory");
    let run = selvedge(["fix", "--format", "diff", &file.display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.err);
    let patch = write(home, "fix.patch", &run.out);
    let applied = Command::new("patch")
        .args(["-p1", "-d", "/", "-i"])
        .arg(&patch)
        .stdout(Stdio::null())
        .status()
        .expect("patch is installed");
    assert!(applied.success(), "{}", run.out);
    let check = selvedge(["check", &file.display().to_string()]);
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    let again = selvedge(["fix", &file.display().to_string()]);
    assert!(again.code == 0 && again.out.contains("nothing to repair"), "{}", again.out);
}

#[test]
fn sources_are_written_unless_they_cannot_be() {
    let file = copy("spsc-bug.c");
    let old = std::fs::read_to_string(&file).expect("text");
    let name = file.display().to_string();
    // As root, anything can be written; but not a directory that is none.
    let mut readonly = std::fs::metadata(&file).expect("there").permissions();
    readonly.set_readonly(true);
    std::fs::set_permissions(&file, readonly.clone()).expect("permissions");
    let can_write = std::fs::OpenOptions::new().append(true).open(&file).is_ok();
    if !can_write {
        let run = selvedge(["fix", "--apply", &name]);
        assert!(run.code == 2 && run.err.contains("nothing was written"), "{} {}", run.code, run.err);
        assert_eq!(std::fs::read_to_string(&file).expect("text"), old);
    }
    #[expect(clippy::permissions_set_readonly_false, reason = "it was so before")]
    readonly.set_readonly(false);
    std::fs::set_permissions(&file, readonly).expect("permissions");
    let run = selvedge(["fix", "--apply", &name]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_ne!(std::fs::read_to_string(&file).expect("text"), old);
    assert_eq!(selvedge(["check", &name]).code, 0);
}

#[test]
fn a_program_that_is_right_is_left_alone() {
    let run = selvedge(["fix", &program("mp.c")]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("nothing to repair"), "{}", run.out);
}

#[test]
fn a_program_that_fails_under_sc_too_is_shown_and_not_repaired() {
    let run = selvedge(["fix", &program("fib_bench-bug.c")]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("no repair") && run.out.contains("fails under sc, too"), "{}", run.out);
    let json = selvedge(["fix", "--json", &program("fib_bench-bug.c")]);
    let report: Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(
        (&report["verdict"], &report["wrong_under_sc"]),
        (&Value::from("no-repair"), &Value::from(true))
    );
}

#[test]
fn places_that_do_not_exist_are_refused() {
    for place in [["--at", "9999"], ["--keep", "nobody"], ["--at", "mp-bug.c:1"]] {
        let run = selvedge(["fix", &program("mp-bug.c"), place[0], place[1]]);
        assert_eq!(run.code, 2, "{}", run.out);
        assert!(run.err.contains("no atomic access"), "{}", run.err);
    }
    let run = selvedge(["fix", &program("mp-bug.c"), "--cost", "no-such-table"]);
    assert!(run.code == 2 && run.err.contains("table of costs"), "{}", run.err);
    let table = write(&directory("fix-costs"), "costs", "fence.seq_cst = 3\nfence.mauve = 1\n");
    let run = selvedge(["fix", &program("mp-bug.c"), "--cost", &table]);
    assert!(run.code == 2 && run.err.contains("line 2"), "{}", run.err);
    assert_eq!(selvedge(["fix", "no-such-file.c"]).code, 2);
}

/// `--at` and `--keep` say where; with the line that needs it kept, something else has to do.
#[test]
fn changes_stay_where_they_may_be() {
    let file = program("mp-bug.c");
    assert_eq!(changes(&fixed(&[&file])), [(18, "release".to_string())]);
    let kept = fixed(&[&file, "--keep", "18"]);
    assert!(changes(&kept).iter().all(|(line, _)| *line != 18), "{kept}");
    let only = fixed(&[&file, "--at", "sender", "--with", "fences"]);
    assert_eq!(changes(&only).len(), 1);
    let nothing = selvedge(["fix", &file, "--at", "main"]);
    assert_eq!(nothing.code, 1, "{}", nothing.out);
}

#[test]
fn several_repairs_come_by_cost() {
    let report = fixed(&[&program("mp-bug.c"), "--list", "3"]);
    let others = report["others"].as_array().expect("others");
    assert_eq!(others.len(), 2, "{report}");
    let mut costs = vec![report["cost"].as_u64()];
    costs.extend(others.iter().map(|other| other["cost"].as_u64()));
    assert!(costs.is_sorted(), "{costs:?}");
    let all = fixed(&[&program("mp-bug.c"), "--all-minimal", "--with", "orderings"]);
    assert_eq!(all["others"], Value::Null, "release, and seq_cst does the same: {all}");
}

/// Out of time: what is known is told, with exit code 3.
#[test]
fn out_of_time_is_no_verdict() {
    let run = selvedge(["fix", &program("chase-lev-bug.c"), "--time-limit", "0", "--json"]);
    assert_eq!(run.code, 3, "{} {}", run.out, run.err);
}

#[test]
fn sarif_has_the_changes_as_fixes() {
    let run = selvedge(["fix", &program("mp-bug.c"), "--format", "sarif"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let log: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "ordering");
    let replacement = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "memory_order_release");
    assert_eq!(replacement["deletedRegion"]["startLine"], 18);
}

#[test]
fn a_litmus_test_in_assembly_becomes_another_one() {
    let text = "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                exists (0:EAX=0 /\\ 1:EAX=0)\n";
    let home = directory("fix-litmus");
    let file = write(&home, "SB.litmus", text);
    let run = selvedge(["fix", "--format", "diff", &file]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.out.matches("MFENCE").count(), 2, "{}", run.out);
    let new = write(&home, "SB+mfences.litmus", &run.out);
    let checked = selvedge(["litmus", "--expect", "no", &new]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

/// What a search downwards would miss: nothing is superfluous in what a repair has added.
#[test]
fn relaxing_a_right_program_says_what_is_superfluous() {
    let run = selvedge(["relax", "--json", &program("peterson.c")]);
    assert_eq!(run.code, 0, "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((&report["verdict"], &report["minimal"]), (&Value::from("relaxed"), &Value::from(true)));
    let weakened = report["changes"].as_array().expect("changes").iter().filter(|c| c["from"] != c["to"]);
    let weakened: Vec<&Value> = weakened.map(|c| &c["to"]).collect();
    assert_eq!(weakened, ["acquire", "release"], "{report}");
    assert!(report["cost_after"].as_u64() < report["cost_before"].as_u64());
    let wrong = selvedge(["relax", &program("mp-bug.c")]);
    assert!(wrong.code == 1 && wrong.out.contains("as it is"), "{}", wrong.out);
}

/// C++ and Rust have their atomic operations in libraries: what changes is the call.
#[test]
fn sources_in_cpp_and_rust_are_repaired() {
    for (name, old, new) in [
        ("cpp/message-passing-bug.cpp", "true, std::memory_order_relaxed", "true, std::memory_order_release"),
        ("rust/message-passing-bug.rs", "store(true, Relaxed)", "store(true, Release)"),
        ("rust/treiber-bug.rs", "node, Relaxed, Relaxed", "node, Release, Relaxed"),
    ] {
        let file = copy(&format!("../{name}"));
        let report = fixed(&[&file.display().to_string(), "--apply"]);
        assert_eq!((&report["verdict"], &report["minimal"]), (&Value::from("repaired"), &Value::from(true)));
        assert_eq!(report["verified"]["how"], "text", "{name}: {report}");
        let before = std::fs::read_to_string(program(&format!("../{name}"))).expect("an example");
        assert!(before.contains(old) && !before.contains(new), "{name}");
        // An ordering that is not in scope is written in full.
        let after =
            std::fs::read_to_string(&file).expect("the copy").replace("std::sync::atomic::Ordering::", "");
        assert_eq!(after, before.replace(old, new), "{name}");
    }
}

/// The programs of [Huynh07]: no more barriers than the paper has (its Table 5); and no more than the cut of
/// the graph of states, where that is small.
#[test]
fn dotnet_programs_need_no_more_barriers_than_published() {
    let home = directory("fix-dotnet");
    for (name, published, cut) in [
        ("peterson", 3, true),
        ("tbarrier", 3, false),
        ("dc", 1, true),
        ("rw-vol", 4, true),
        ("rowo", 2, true),
        ("po", 6, false),
    ] {
        let source = program(&format!("../dotnet/{name}.cs"));
        let out = home.join(format!("{name}.exe")).display().to_string();
        let mut compiler = Command::new("mcs");
        compiler.args(["-debug", "-d:DEBUG", &format!("-out:{out}"), &source]);
        assert!(compiler.status().expect("mono's compiler (Debian: mono-mcs) is installed").success());
        let report = fixed(&[&out, "-m", "dotnet-ecma", "--with", "fences", "--static"]);
        let found = changes(&report);
        assert_eq!((&report["verdict"], &report["minimal"]), (&Value::from("repaired"), &Value::from(true)));
        assert!(!found.is_empty() && found.len() <= published, "{name}: {found:?}");
        assert!(found.iter().all(|(_, what)| what == "Thread.MemoryBarrier()"), "{name}: {found:?}");
        if cut {
            let barriers = fixed(&[&out, "-m", "dotnet-ecma", "--method", "min-cut"]);
            assert!(barriers["barriers"].as_array().expect("places").len() >= found.len(), "{name}");
        }
    }
}

/// Both methods on the same programs in C: the hitting set is never larger.
#[test]
fn the_cut_never_needs_fewer_barriers_than_the_hitting_set() {
    for name in ["dc", "peterson", "peterson-volatile", "rowo", "rw-vol"] {
        let file = program(&format!("../states/{name}.c"));
        let hitting = fixed(&[&file, "-m", "dotnet-ecma", "--with", "fences", "--static"]);
        let cut = fixed(&[&file, "-m", "dotnet-ecma", "--method", "min-cut"]);
        let barriers = cut["barriers"].as_array().expect("places").len();
        assert_eq!(
            (&hitting["verdict"], &cut["verdict"]),
            (&Value::from("repaired"), &Value::from("repaired"))
        );
        assert!(changes(&hitting).len() <= barriers, "{name}: {hitting} {cut}");
    }
}

/// Plain accesses count where races are no errors.
#[test]
fn plain_accesses_have_fences_beside_them_where_races_are_no_errors() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y, a, b;\n\
                static void *one(void *u) {\n\tx = 1;\n\ta = y;\n\treturn 0;\n}\n\
                static void *two(void *u) {\n\ty = 1;\n\tb = x;\n\treturn 0;\n}\n\
                int main(void) {\n\tpthread_t t, s;\n\tpthread_create(&t, 0, one, 0);\n\
                \tpthread_create(&s, 0, two, 0);\n\tpthread_join(t, 0);\n\tpthread_join(s, 0);\n\
                \tassert(a || b);\n\treturn 0;\n}\n";
    let file = write(&directory("fix-plain"), "sb.c", text);
    let report = fixed(&[&file, "-m", "tso", "--no-race-detection"]);
    let fence = "atomic_thread_fence(memory_order_seq_cst)".to_string();
    assert_eq!(changes(&report), [(6, fence.clone()), (11, fence)], "{report}");
    // Races are errors of C, and no fence orders plain accesses.
    let run = selvedge(["fix", &file, "-m", "rc11"]);
    assert!(run.code == 1 && run.out.contains("make what is accessed atomic"), "{}", run.out);
}

#[test]
fn litmus_tests_are_relaxed() {
    let home = directory("relax-litmus");
    let text = "AArch64 MP\n{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }\n P0           | P1           ;\n\
                MOV W0,#1    | LDAR W0,[X2] ;\n STLR W0,[X1] | DMB SY       ;\n\
                DMB SY       | LDAR W3,[X1] ;\n STLR W0,[X2] |              ;\n\
                exists (1:X0=1 /\\ 1:X3=0)\n";
    let file = write(&home, "MP.litmus", text);
    let run = selvedge(["relax", "--format", "diff", &file]);
    assert_eq!(run.code, 0, "{}", run.err);
    // One of a pair is enough in each thread.
    let strong = |text: &str| {
        ["STLR", "LDAR", "LDAPR", "DMB"].map(|word| text.matches(word).count()).iter().sum::<usize>()
    };
    assert_eq!((strong(text), strong(&run.out)), (6, 2), "{}", run.out);
    let new = write(&home, "MP+relaxed.litmus", &run.out);
    assert_eq!(selvedge(["litmus", "--expect", "no", &new]).code, 0);
    let test = |name: &str| program(&format!("../litmus/{name}.litmus"));
    let run = selvedge(["relax", "--json", &test("MP+ra")]);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let weakened = report["changes"].as_array().expect("changes").iter().filter(|c| c["from"] != c["to"]);
    assert_eq!(weakened.count(), 2, "{report}");
    let kernel = "C MP\n{}\nP0(int *x, int *y) {\n  WRITE_ONCE(*x, 1);\n  smp_mb();\n  smp_store_release(y, 1);\n}\n\
                  P1(int *x, int *y) {\n  int r0 = smp_load_acquire(y);\n  smp_rmb();\n  int r1 = READ_ONCE(*x);\n}\n\
                  exists (1:r0=1 /\\ 1:r1=0)\n";
    let file = write(&home, "kernel.litmus", kernel);
    let run = selvedge(["relax", "--json", "-m", "lkmm", &file]);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["verified"]["how"], "text", "{report}");
}
