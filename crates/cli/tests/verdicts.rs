//! What a verdict stands for: what it says of itself, that it is the same with and without reductions, and
//! that errors and warnings of models keep their names.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("selvedge-verdicts-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Dir(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selvedge")).arg("check").args(args).output().expect("the command runs")
}

fn report(args: &[&str]) -> Value {
    let output = check(&[&["--format", "json"], args].concat());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report of {args:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn examples() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
    let entries = std::fs::read_dir(dir).expect("the examples");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

/// Loops that only `zne` knows to wait: without it they are cut at their bound.
const ONLY_BY_ZNE: [&str; 2] = ["gather.c", "polling.c"];
/// Without reductions these are not explored in a minute.
const TOO_LARGE: [&str; 1] = ["szymanski.c"];

#[test]
fn reductions_do_not_change_verdicts() {
    let verdict = |report: &Value| (report["verdict"].to_string(), report["errors"][0]["kind"].to_string());
    for file in examples() {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if TOO_LARGE.contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a text");
        let args = text.lines().find_map(|l| l.strip_prefix("// args: ")).unwrap_or_default();
        let path = file.to_string_lossy();
        let run = |more: &[&str]| {
            let clang: Vec<&str> = args.split_whitespace().collect();
            report(&[&[&*path, "-m", "sc", "--unroll", "3"], more, &["--"], &clang].concat())
        };
        let (with, without) = (run(&[]), run(&["--disable", "all"]));
        if ONLY_BY_ZNE.contains(&name.as_str()) {
            assert_eq!(
                (with["verdict"].as_str(), without["verdict"].as_str()),
                (Some("verified"), Some("bounded"))
            );
            continue;
        }
        assert_eq!(verdict(&with), verdict(&without), "{name}");
    }
}

const RACE: &str = "#include <pthread.h>
int x;
void *run(void *arg) { x = 1; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    x = 2;
    pthread_join(t, 0);
}
";

#[test]
fn errors_and_warnings_of_a_model_keep_their_names() {
    let dir = Dir::new("names");
    let program = dir.file("race.c", RACE);
    let base = "view hb = (po | tc | tj)+\nexport coherence hb\nexport acyclic (po | tc | tj | rf)\n\
                let writes = [W] ; loc-overlap ; [W]\n";
    let model = |name: &str, rest: &str| dir.file(name, &format!("{base}{rest}"));

    let own = model("own.kat", "export error TwoWriters unless writes <= hb\n");
    let found = report(&[&program, "-m", &own]);
    assert_eq!(found["errors"][0]["kind"], "TwoWriters", "{found}");
    assert_eq!(report(&[&program, "-m", &own, "--no-race-detection"])["verdict"], "verified");

    // Of another shape than a race: the whole execution is asked.
    let other = model("other.kat", "export error Overwritten unless [W] ; mo ; [W] <= hb\n");
    assert_eq!(report(&[&program, "-m", &other])["errors"][0]["kind"], "Overwritten");

    let warning = model("warning.kat", "export warning TwoWriters unless writes <= hb\n");
    let warned = report(&[&program, "-m", &warning]);
    assert_eq!(warned["verdict"], "verified");
    let said = warned["warnings"][0].as_str().unwrap_or_default();
    assert!(said.starts_with("TwoWriters: ") && said.contains("race.c:3"), "{warned}");

    // A model that says nothing gets C's races.
    assert_eq!(report(&[&program, "-m", &model("silent.kat", "")])["errors"][0]["kind"], "data-race");
    let none = model("none.kat", "export error RaceNotAtomic unless 0 <= po\n");
    assert_eq!(report(&[&program, "-m", &none])["verdict"], "verified");
}

#[test]
fn sections_are_refused_where_there_are_no_interleavings() {
    let dir = Dir::new("sections");
    let program = dir.file(
        "section.c",
        "int x;\nvoid __VERIFIER_atomic_add(void) { x++; }\nint main(void) { __VERIFIER_atomic_add(); }\n",
    );
    for model in ["rc11", "tso", "ra", "imm"] {
        let output = check(&[&program, "-m", model]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{model}");
        assert!(message.contains("atomic sections") && message.contains("-m sc"), "{message}");
    }
    assert_eq!(check(&[&program, "-m", "sc"]).status.code(), Some(0));
    // Also where each is one access, so that none is left once they are taken apart.
    let single = dir.file(
        "single.c",
        "int x;\nvoid __VERIFIER_atomic_set(void) { x = 1; }\nint main(void) { __VERIFIER_atomic_set(); }\n",
    );
    for errors in [&[][..], &["--errors", "assertion"]] {
        let with = |model| check(&[&[&*single, "-m", model], errors].concat()).status.code();
        assert_eq!(
            ["rc11", "tso", "imm", "sc"].map(with),
            [Some(2), Some(2), Some(2), Some(0)],
            "{errors:?}"
        );
    }
}

#[test]
fn what_a_verdict_depends_on_is_said() {
    let dir = Dir::new("inputs");
    let program = dir.file(
        "input.c",
        "#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n    (void)argv;\n    \
         if (argc > 1 && getenv(\"A\")) abort();\n    return getpid() < 0;\n}\n",
    );
    let notes = |args: &[&str]| report(&[&[&*program], args].concat())["warnings"].to_string();
    let without = notes(&[]);
    assert!(without.contains("without arguments") && without.contains("an empty environment"), "{without}");
    assert!(without.contains("process ids"), "{without}");
    assert!(notes(&["--args", "x"]).contains("the command line `program"));
    assert_eq!(report(&[&program, "--args", "x", "--env", "A=1"])["errors"][0]["kind"], "abort");
    assert_eq!(check(&[&program, "--env", "A"]).status.code(), Some(2));

    let alone = dir.file("alone.c", "int main(int argc, char **argv) { return 0; }\n");
    assert_eq!(report(&[&alone])["warnings"].as_array().map(Vec::len), Some(0));
}

#[test]
fn verified_stands_beside_no_loop_that_was_cut() {
    let dir = Dir::new("cut");
    let program = dir.file(
        "cut.c",
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\nstatic void *t(void *a) {\n    \
         int v = atomic_load_explicit(&x, memory_order_relaxed);\n    for (;;) {\n        if (v & 2) break;\n        \
         int o = v;\n        if (atomic_compare_exchange_strong_explicit(&x, &o, v + 1, memory_order_acquire, \
         memory_order_relaxed)) break;\n        v = o;\n    }\n    return a;\n}\nint main(void) {\n    \
         pthread_t p, q;\n    pthread_create(&p, 0, t, 0);\n    pthread_create(&q, 0, t, (void *)1);\n}\n",
    );
    for unroll in ["1", "2", "3"] {
        for model in ["imm", "rc11"] {
            let found = report(&[&program, "-m", model, "--unroll", unroll]);
            let cut = found["bounded_loops"].as_array().map_or(0, Vec::len);
            assert_eq!(found["verdict"] == "verified", cut == 0, "{model} {unroll}: {found}");
        }
    }
}
