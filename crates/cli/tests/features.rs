//! Small programs, one for each thing that C programs may use: `tests/c/*.c`, against what they say of
//! themselves.
//!
//!     // expect: MODEL VERDICT [KIND] [line=N] [executions=N]
//!     // check: --weak-cas 2    flags for `selvedge check`
//!     // args: -O2              flags for clang; several lines are several runs
//!     // message: TEXT          a part of the error, or of why there is no verdict
//!     // output: TEXT           what it prints, a line at a time

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Case {
    file: PathBuf,
    text: String,
    expectation: String,
    /// Flags for clang.
    args: String,
}

impl Case {
    /// What follows `// KEY: ` in the file.
    fn lines(&self, key: &str) -> Vec<&str> {
        let prefix = format!("// {key}: ");
        self.text.lines().filter_map(|l| l.strip_prefix(&prefix)).collect()
    }

    fn words(&self, key: &str) -> Vec<&str> {
        self.lines(key).into_iter().flat_map(str::split_whitespace).collect()
    }

    /// What is wrong, if something is.
    fn run(&self) -> Result<(), String> {
        let mut words = self.expectation.split_whitespace();
        let (Some(model), Some(verdict)) = (words.next(), words.next()) else {
            return Err(String::from("a model and a verdict are missing"));
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.arg("check").arg(&self.file).args(["-m", model, "--format", "json"]);
        // Executions are counted without.
        if self.expectation.contains("executions=") {
            command.args(["--disable", "symmetry"]);
        }
        if let Some(kinds) = words.clone().find_map(|word| word.strip_prefix("errors=")) {
            command.args(["--errors", kinds]);
        }
        let output = self.lines("output");
        if !output.is_empty() {
            command.arg("--show-output");
        }
        command.args(self.words("check")).arg("--").args(self.args.split_whitespace());
        let result = command.output().expect("the command runs");
        let report: Value = serde_json::from_slice(&result.stdout)
            .map_err(|_| format!("no report: {}", String::from_utf8_lossy(&result.stderr)))?;
        let error = &report["errors"][0];
        let got = format!(
            "{} {} at line {}, {} executions: {} {}",
            report["verdict"],
            error["kind"],
            error["line"],
            report["executions"],
            error["message"],
            report["unknown"]
        );
        let code = match verdict {
            "verified" => 0,
            "violated" => 1,
            _ => 3,
        };
        let mut fine = report["verdict"] == verdict && result.status.code() == Some(code);
        for word in words {
            fine &= match word.split_once('=') {
                None => error["kind"] == word,
                Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
                Some(("executions", n)) => report["executions"].as_u64() == n.parse().ok(),
                Some(("errors", _)) => true,
                Some(_) => return Err(format!("`{word}` is not an expectation")),
            };
        }
        fine &= self.lines("message").iter().all(|part| got.contains(part));
        if !fine {
            return Err(got);
        }
        let printed = report["output"].as_str().unwrap_or_default();
        if !output.is_empty() && printed.lines().ne(output.iter().copied()) {
            return Err(format!("printed {printed:?}"));
        }
        Ok(())
    }
}

fn cases() -> Vec<Case> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let expectations: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("// expect: ")).collect();
        assert!(!expectations.is_empty(), "{} expects nothing", file.display());
        let mut runs: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("// args: ")).collect();
        if runs.is_empty() {
            runs.push("");
        }
        for expectation in expectations {
            for args in &runs {
                let (file, text) = (file.clone(), text.clone());
                let (expectation, args) = (expectation.to_string(), args.to_string());
                cases.push(Case { file, text, expectation, args });
            }
        }
    }
    cases
}

#[test]
fn the_programs_are_what_they_say() {
    let cases = cases();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(got) = case.run() {
                        let name = case.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let what = format!("{name} {}: expected {}: {got}", case.args, case.expectation);
                        failures.lock().expect("no panics").push(what);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panics");
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Several files, of all kinds that there are, make one program.
#[test]
fn files_of_all_kinds_are_linked() {
    let dir = std::env::temp_dir().join(format!("selvedge-features-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a file");
    file(
        "a.c",
        "#include <assert.h>\nint b(void);\nint c(void);\nint main(void) {\n    assert(b() + c() == CLAIM);\n}\n",
    );
    file("b.c", "static int x = 1;\nint b(void) { return x; }\n");
    file("c.c", "static int x = 2;\nint c(void) { return x; }\n");
    let clang = |args: &[&str]| {
        let done = Command::new("clang-22").args(args).current_dir(&dir).status().expect("clang runs");
        assert!(done.success());
    };
    clang(&["-emit-llvm", "-g", "-c", "b.c", "-o", "b.bc"]);
    clang(&["-emit-llvm", "-g", "-S", "c.c", "-o", "c.ll"]);
    let check = |claim: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(["check", "a.c", "b.bc", "c.ll", "--", claim]).current_dir(&dir);
        command.output().expect("the command runs")
    };
    assert_eq!(check("-DCLAIM=3").status.code(), Some(0));
    let wrong = check("-DCLAIM=4");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stdout).contains("a.c:5"));
    std::fs::remove_dir_all(&dir).expect("the directory is there");
}

/// A directory with files, and a way to check some of them there.
struct Project(PathBuf);

impl Project {
    fn new(name: &str, files: &[(&str, &str)]) -> Project {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a directory");
        for (name, text) in files {
            std::fs::write(dir.join(name), text).expect("a file");
        }
        Project(dir)
    }

    /// The exit code and all that is said.
    fn check(&self, args: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        let output = command.arg("check").args(args).current_dir(&self.0).output().expect("the command runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }
}

#[test]
fn inline_definitions_of_a_header_serve_all_files_that_include_it() {
    let project = Project::new(
        "inline-definitions",
        &[
            ("add.h", "inline int add(int a, int b) { return a + b; }\n"),
            ("one.c", "#include \"add.h\"\nint one(void) { return add(1, 0); }\n"),
            (
                "main.c",
                "#include <assert.h>\n#include \"add.h\"\nint one(void);\n\
                 int main(void) { assert(add(one(), 2) == 3); return 0; }\n",
            ),
            ("external.c", "#include \"add.h\"\nextern inline int add(int a, int b);\n"),
        ],
    );
    for files in
        [&["main.c", "one.c"][..], &["main.c", "one.c", "external.c"], &["external.c", "one.c", "main.c"]]
    {
        let (code, said) = project.check(files);
        assert_eq!(code, Some(0), "{said}");
    }
}

#[test]
fn flags_for_clang_and_preprocessed_files_are_taken() {
    let project = Project::new(
        "flags",
        &[
            (
                "main.c",
                "#include <assert.h>\n#include <two.h>\nint main(void) { assert(ONE + TWO == 3); return 0; }\n",
            ),
            ("one.h", "#define ONE 1\n"),
            ("main.i", "# 1 \"origin.c\"\nvoid abort(void);\nint main(void) { abort(); }\n"),
        ],
    );
    std::fs::create_dir_all(project.0.join("headers")).expect("a directory");
    std::fs::write(project.0.join("headers/two.h"), "#define TWO VALUE\n").expect("a file");
    let (code, said) = project.check(&["main.c", "--", "-include", "one.h", "-Iheaders", "-DVALUE=2"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = project.check(&["main.i"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("origin.c:2"), "{said}");
    let (code, said) = project.check(&["one.h"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("neither C (.c, .i)"), "{said}");
}

#[test]
fn kinds_of_errors_that_there_are_not_are_refused_with_a_list() {
    let project = Project::new("kinds", &[("main.c", "int main(void) { return 0; }\n")]);
    let (code, said) = project.check(&["main.c", "--errors", "assertion,segfault"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`segfault` is no kind of error") && said.contains("null-dereference"), "{said}");
    let (code, said) = project.check(&["main.c", "--errors", "data-race", "--no-race-detection"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--no-race-detection"), "{said}");
}

#[test]
fn the_report_says_where_an_error_that_is_not_looked_for_ends_the_process() {
    let text = "int main(int argc, char **argv) { int *p = 0; return argc > 1 ? *p : 0; }\n";
    let project = Project::new("passed", &[("main.c", text)]);
    let (code, said) = project.check(&["main.c", "--errors", "assertion", "--args", "x"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("null-dereference at main.c:1 is not looked for"), "{said}");
}
