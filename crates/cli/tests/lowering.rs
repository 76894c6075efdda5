//! `selvedge-lower` compiles with clang as a library, if that is linked, or runs clang: with the same
//! results.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{directory, write};

/// Both ways, the second of them with a clang that has to be run.
fn both_ways(file: &str, flags: &[&str]) -> [Output; 2] {
    let run = |command: &mut Command| {
        let output = command.arg(file).arg("--").args(flags).output();
        output.unwrap_or_else(|e| panic!("selvedge-lower: {e}"))
    };
    let mut run_clang = Command::new(env!("CARGO_BIN_EXE_selvedge-lower"));
    [
        run(&mut Command::new(env!("CARGO_BIN_EXE_selvedge-lower"))),
        run(run_clang.env("SELVEDGE_CLANG", "clang-22")),
    ]
}

/// What clang says, without the name it was called by.
fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).replace("clang-22: ", "clang: ")
}

fn agree(file: &str, flags: &[&str]) -> Output {
    let [here, run] = both_ways(file, flags);
    assert_eq!(
        here.status.code(),
        run.status.code(),
        "{file} {flags:?}\n{}{}",
        messages(&here),
        messages(&run)
    );
    assert!(here.stdout == run.stdout, "{file} {flags:?}: not the same bytecode");
    assert_eq!(messages(&here), messages(&run), "{file} {flags:?}");
    here
}

fn programs(of: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(of);
    let entries = std::fs::read_dir(&root).unwrap_or_else(|e| panic!("{}: {e}", root.display()));
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|file| file.extension().is_some_and(|e| e == "c")).collect()
}

#[test]
fn programs_become_the_same_bytecode() {
    let mut files = programs("examples/c");
    files.extend(programs("crates/bench/programs"));
    assert!(files.len() > 40, "{}", files.len());
    for file in files {
        let output = agree(&file.display().to_string(), &[]);
        assert!(output.status.success(), "{}", messages(&output));
    }
}

#[test]
fn flags_mean_the_same() {
    let dir = directory("flags");
    let file = write(
        &dir,
        "flags.c",
        "#include <selvedge.h>\n#include <stdio.h>\n\
         static inline __attribute__((always_inline)) int square(int x) { return x * x; }\n\
         int main(void) {\n    int unused;\n    printf(\"%d\", square(LENGTH));\n    return 0;\n}\n",
    );
    let length = "-DLENGTH=3";
    let fine: [&[&str]; 8] = [
        &[length],
        &[length, "-std=c17", "-Wall"],
        &[length, "-O1"],
        &[length, "-fsanitize=undefined"],
        &[length, "-lm"],
        &[length, "-include", "stdlib.h"],
        &[length, "-v"],
        &[length, "-m32"],
    ];
    for flags in fine {
        assert!(agree(&file, flags).status.success(), "{flags:?}");
    }
    let wrong: [&[&str]; 5] = [
        &[],
        &[length, "-Wall", "-Werror"],
        &[length, "-funknown"],
        &[length, "-E"],
        &[length, "-include", "nothing.h"],
    ];
    for flags in wrong {
        let output = agree(&file, flags);
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(!output.stderr.is_empty(), "{flags:?}");
    }
}

/// A crash of the compiler is a message of `selvedge`.
#[test]
fn crashes_of_the_compiler() {
    let dir = directory("crash");
    for how in ["crash", "llvm_fatal_error"] {
        let file =
            write(&dir, "crash.c", format!("#pragma clang __debug {how}\nint main(void) {{ return 0; }}\n"));
        let run = support::selvedge(["check", file.as_str()]);
        assert_eq!(run.code, 2, "{how}: {}", run.err);
        assert!(run.err.contains("error"), "{how}: {}", run.err);
    }
}

/// Expressions are as deep as somebody likes.
#[test]
fn deep_expressions() {
    let dir = directory("deep");
    let many = "a + ".repeat(20_000);
    let file = write(&dir, "deep.c", format!("int main(void) {{ int a = 0; return {many} 0; }}\n"));
    let run = support::selvedge(["check", file.as_str()]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn bytecode_is_for_the_same_version_only() {
    let dir = directory("lowering-version");
    let file = write(&dir, "empty.c", "int main(void) { return 0; }\n");
    let lower = |version: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge-lower"));
        command.arg(format!("--expects={version}")).arg(&file).output().expect("selvedge-lower")
    };
    assert!(lower(env!("CARGO_PKG_VERSION")).status.success());
    let refused = lower("0.0.1");
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains("version 0.0.1 asks for it; install both together"), "{text}");
}
