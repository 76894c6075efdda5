//! Wrong input: exit code 2, one message with the place, no verdict.

use crate::support;

use std::path::Path;
use std::process::Command;
use support::{directory, example, selvedge, write};

/// Runs and checks what all input errors have in common.
fn refused(args: &[&str]) -> String {
    let run = selvedge(std::iter::once(&"litmus").chain(args));
    assert_eq!(run.code, 2, "{args:?}: {}{}", run.out, run.err);
    assert_eq!(run.out, "", "no partial verdict");
    assert_eq!(run.err.matches("error:").count(), 1, "one message: {}", run.err);
    assert!(run.err.len() < 4000, "{} bytes of message", run.err.len());
    run.err
}

/// The message names the file and line and shows the place.
fn shows_place(message: &str, file: &str, line: u32) {
    let name = Path::new(file).file_name().and_then(|n| n.to_str()).unwrap_or(file);
    assert!(message.contains(&format!("{name}:{line}:")), "{message}");
    assert!(message.contains(&format!(" {line} | ")) && message.contains('^'), "{message}");
}

fn model(dir: &Path, name: &str, text: &str) -> String {
    write(dir, name, text)
}

#[test]
fn files_that_cannot_be_read() {
    let message = refused(&["/nonexistent/test.litmus"]);
    assert!(message.contains("cannot read /nonexistent/test.litmus"), "{message}");
    let dir = directory("unreadable");
    let message = refused(&[&write(&dir, "bytes.litmus", b"C t\n{} \xff")]);
    shows_place(&message, "bytes.litmus", 2);
    let run = selvedge(["litmus".to_string(), directory("nothing").display().to_string()]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("no .litmus file under"), "{}", run.err);
}

#[test]
fn tests_that_do_not_parse() {
    let dir = directory("syntax");
    let file = write(&dir, "t.litmus", "C t\n{}\nP0 (int* x) {\n  *x = ;\n}\nexists (x=1)\n");
    let message = refused(&[&file]);
    shows_place(&message, &file, 4);
    assert!(message.contains("expected an expression, found `;`"), "{message}");
}

#[test]
fn conditions_on_what_does_not_exist() {
    let dir = directory("condition");
    for (cond, reason) in [("0:r7=1", "thread 0 has no register `r7`"), ("q=1", "no location is called `q`")]
    {
        let file =
            write(&dir, "t.litmus", format!("C t\n{{}}\nP0 (int* x) {{ *x = 1; }}\nexists ({cond})\n"));
        let message = refused(&[&file]);
        shows_place(&message, &file, 4);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn lines_of_ten_megabytes() {
    let dir = directory("long");
    let long = "a".repeat(10_000_000);
    let file = write(&dir, "t.litmus", format!("C t\n{{}}\nP0 (int* x) {{ int r0 = {long}; }}\n"));
    shows_place(&refused(&[&file]), &file, 3);
    let kat = model(&dir, "long.kat", &format!("let a = {long}\n"));
    shows_place(&refused(&["-m", &kat, &example("SB+rlx.litmus")]), &kat, 1);
}

#[test]
fn models_that_are_wrong() {
    let dir = directory("models");
    let sb = example("SB+rlx.litmus");

    let message = refused(&["-m", "no-such-model", &sb]);
    assert!(message.contains("no-such-model"), "{message}");

    let syntax = model(&dir, "syntax.kat", "let a = po\nlet b = ( rf\nexport acyclic a\n");
    let message = refused(&["-m", &syntax, &sb]);
    assert!(message.contains("syntax.kat:") && message.contains('^'), "{message}");

    let unknown = model(&dir, "unknown.kat", "let a = po\nexport acyclic (a | frobnicate)\n");
    let message = refused(&["-m", &unknown, &sb]);
    shows_place(&message, &unknown, 2);
    assert!(message.contains("frobnicate"), "{message}");

    model(&dir, "loop_b.kat", "include \"loop_a.kat\"\n");
    let recursive = model(&dir, "loop_a.kat", "include \"loop_b.kat\"\n");
    let message = refused(&["-m", &recursive, &sb]);
    assert!(message.contains("include") || message.contains("includes"), "{message}");

    // Nothing keeps po and rf acyclic, so an exploration under it would not be complete.
    let inadmissible = model(&dir, "inadmissible.kat", "export acyclic (mo | fr)\n");
    let message = refused(&["-m", &inadmissible, &sb]);
    shows_place(&message, &inadmissible, 1);
}

#[test]
fn json_reports_errors_too() {
    let dir = directory("json_errors");
    let file = write(&dir, "t.litmus", "C t\n{}\nP0 (int* x) {\n  *x = ;\n}\nexists (x=1)\n");
    let run = selvedge(["litmus", "--json", &file]);
    assert_eq!(run.code, 2);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_default();
    assert_eq!(value["error"]["kind"], "litmus");
    assert_eq!(value["error"]["line"], 4);
    assert_eq!(value["file"], file.as_str());
    let run = selvedge(["litmus", "--json", "-m", "no-such-model", &file]);
    assert_eq!(run.code, 2);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_default();
    assert_eq!(value["error"]["kind"], "model");
}

#[test]
fn wrong_options() {
    for args in [&["litmus"][..], &["litmus", "--unroll", "many", "x"], &["frob"], &["litmus", "--frob", "x"]]
    {
        let run = selvedge(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.err.contains("error:") || run.err.contains("Usage"), "{}", run.err);
    }
}

/// `selvedge check` needs a compiler and the command that is installed beside it.
#[test]
fn nothing_to_compile_with() {
    let dir = directory("compilers");
    let file = write(&dir, "empty.c", "int main(void) { return 0; }\n");
    let check = |command: &mut Command| {
        let output = command.args(["check", &file]).output().unwrap_or_else(|e| panic!("selvedge: {e}"));
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for compiler in ["/nonexistent/clang", "/dev/null"] {
        let message = check(Command::new(env!("CARGO_BIN_EXE_selvedge")).env("SELVEDGE_CLANG", compiler));
        assert!(message.contains(compiler) && message.contains("SELVEDGE_CLANG"), "{message}");
    }
    let alone = dir.join("selvedge");
    std::fs::copy(env!("CARGO_BIN_EXE_selvedge"), &alone).unwrap_or_else(|e| panic!("{e}"));
    let message = check(&mut Command::new(alone));
    assert!(message.contains("selvedge-lower") && message.contains("same directory"), "{message}");
}
