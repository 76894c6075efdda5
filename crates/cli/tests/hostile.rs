//! Input that somebody made to do harm, and output that does not arrive.

use crate::support;

use std::path::Path;
use std::process::{Command, Stdio};
use support::{directory, example, selvedge, write};

fn refused(args: &[&str], why: &str) {
    let run = selvedge(args);
    assert_eq!(run.code, 2, "{args:?}: {} {}", run.out, run.err);
    assert!(run.err.contains(why) || run.out.contains(why), "{why}: {} {}", run.out, run.err);
}

/// A function that reads a global, with debug information about it.
fn with_type(types: &str) -> String {
    format!(
        "target triple = \"x86_64-pc-linux-gnu\"
@g = global i32 0, align 4, !dbg !0
define i32 @main() !dbg !8 {{
  %v = load atomic i32, ptr @g seq_cst, align 4, !dbg !11
  ret i32 %v, !dbg !11
}}
!llvm.dbg.cu = !{{!2}}
!llvm.module.flags = !{{!6, !7}}
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: \"g\", scope: !2, file: !3, line: 1, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4)
!3 = !DIFile(filename: \"cycle.c\", directory: \".\")
!4 = !{{!0}}
{types}
!6 = !{{i32 2, !\"Debug Info Version\", i32 3}}
!7 = !{{i32 7, !\"Dwarf Version\", i32 5}}
!8 = distinct !DISubprogram(name: \"main\", scope: !3, file: !3, line: 2, type: !9, spFlags: DISPFlagDefinition, unit: !2)
!9 = !DISubroutineType(types: !10)
!10 = !{{!5}}
!11 = !DILocation(line: 2, column: 1, scope: !8)
"
    )
}

#[test]
fn types_that_have_no_end_are_only_names() {
    let dir = directory("hostile-types");
    let derived = |tag: &str, base: usize| {
        format!(
            "distinct !DIDerivedType(tag: {tag}, name: \"t\", file: !3, line: 1, baseType: !{base}, size: 32)"
        )
    };
    let itself = format!("!5 = {}", derived("DW_TAG_typedef", 5));
    let two = format!("!5 = {}\n!12 = {}", derived("DW_TAG_typedef", 12), derived("DW_TAG_const_type", 5));
    // A structure with itself inside.
    let inside = format!(
        "!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", file: !3, line: 1, size: 32, elements: !12)\n\
         !12 = !{{!13}}\n!13 = {}",
        derived("DW_TAG_member", 5)
    );
    let deep: String = (12..30_000)
        .map(|n| format!("!{n} = {}\n", derived("DW_TAG_pointer_type", n + 1)))
        .chain([String::from("!30000 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n")])
        .collect();
    let deep = format!("!5 = {}\n{deep}", derived("DW_TAG_typedef", 12));
    for (name, types) in [("itself", itself), ("two", two), ("inside", inside), ("deep", deep)] {
        let file = write(&dir, &format!("{name}.ll"), with_type(&types));
        let run = selvedge(["check", &file]);
        assert_eq!(run.code, 0, "{name}: {} {}", run.out, run.err);
        // The name is asked for.
        let broken =
            std::fs::read_to_string(&file).expect("a file").replace("load atomic i32", "load atomic i64");
        let broken =
            broken.replace("seq_cst, align 4", "seq_cst, align 8").replace("ret i32 %v", "ret i32 0");
        let run = selvedge(["check", &write(&dir, &format!("{name}-bug.ll"), broken)]);
        assert_ne!(run.code, 0, "{name}: {} {}", run.out, run.err);
    }
}

#[test]
fn functions_of_many_blocks_are_lowered_in_one_go() {
    let dir = directory("hostile-blocks");
    let blocks = 50_000;
    let mut text = String::from("define i32 @main() {\n  br label %b0\n");
    for n in 0..blocks {
        text += &format!("b{n}:\n  br i1 true, label %t{n}, label %e{n}\n");
        text += &format!("t{n}:\n  br label %b{}\ne{n}:\n  br label %b{0}\n", n + 1);
    }
    text += &format!("b{blocks}:\n  ret i32 0\n}}\n");
    assert_eq!(selvedge(["check", &write(&dir, "many.ll", text)]).code, 0);
}

#[test]
fn pipes_devices_and_directories_are_no_input() {
    let dir = directory("hostile-pipes");
    let pipe = |name: &str| {
        let path = dir.join(name).display().to_string();
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        path
    };
    let good = write(&dir, "v.c", "int main(void) { return 0; }\n");
    refused(&["check", &pipe("p.c")], "not a regular file");
    refused(&["check", &pipe("p.ll")], "not a regular file");
    refused(&["check", &good, "-m", &pipe("p.kat")], "not a regular file");
    refused(&["litmus", &pipe("p.litmus")], "not a regular file");
    refused(&["litmus", "/dev/zero"], "not a regular file");
    refused(&["estimate", &pipe("q.litmus")], "not a regular file");
    refused(&["model", "show", &pipe("q.kat")], "not a regular file");
    std::fs::create_dir(dir.join("d.c")).expect("a directory");
    refused(&["check", &dir.join("d.c").display().to_string()], "not a regular file");
}

#[test]
fn models_that_double_are_refused_at_once() {
    let dir = directory("hostile-models");
    let test = example("MP+rlx.litmus");
    let program = write(&dir, "v.c", "int main(void) { return 0; }\n");
    let doubling = |times: usize, first: &str, last: &str| {
        let lets: String = (1..=times).map(|n| format!("let a{n} = a{} ; a{0}\n", n - 1)).collect();
        format!("{first}let a0 = po | rf\n{lets}{last} a{times} | po | rf\n")
    };
    let kat = write(&dir, "d.kat", doubling(60, "", "export acyclic"));
    let cat = write(&dir, "d.cat", doubling(60, "\"d\"\n", "acyclic"));
    for model in [&kat, &cat] {
        refused(&["litmus", "-m", model, &test], "is too large");
        refused(&["check", "-m", model, &program], "is too large");
        refused(&["model", "show", model], "too complex");
    }
    let chain: String = (1..100_000).map(|n| format!("let a{n} = a{}\n", n - 1)).collect();
    let deep = write(&dir, "deep.kat", format!("let a0 = po | rf\n{chain}export acyclic a99999 | po | rf\n"));
    refused(&["litmus", "-m", &deep, &test], "operators deep");
    refused(&["model", "properties", &deep], "operators deep");
    // Definitions that are used twice are all right as such.
    let twice =
        write(&dir, "twice.kat", "let a = (po | rf | tc | tj)\nlet b = a | a\nexport acyclic b | a\n");
    assert_eq!(selvedge(["litmus", "-m", &twice, &test]).code, 0);
}

/// Control characters other than tabs and line feeds, and characters that turn texts around.
fn is_safe(text: &str) -> bool {
    let active = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    !text.contains(|c| active(c) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

#[test]
fn nothing_that_a_terminal_obeys_is_shown() {
    let dir = directory("hostile-escapes");
    let text = "#include <selvedge.h>\n#include <stdio.h>\n\
        #line 3 \"\\033[2Jverified\\nunder rc11 <script>\\\" x.c\"\n\
        int main(void) { printf(\"\\033]0;x\\007\\342\\200\\256hello\\n\");\n\
        selvedge_error(\"\\033[2J\\nverified under rc11\\n  1 complete execution \\342\\200\\256\\\"]; x\"); }\n";
    let file = write(&dir, "esc.c", text);
    let dot = dir.join("e.dot").display().to_string();
    let run = selvedge(["check", &file, "--show-output", "--dot", &dot]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(is_safe(&run.out) && is_safe(&run.err), "{:?}", run.out);
    assert_eq!(run.out.lines().filter(|line| line.starts_with("verified")).count(), 0, "{}", run.out);
    assert!(
        run.out.contains("\\x1b[2J\\nverified under rc11") && run.out.contains("\\u{202e}hello\n"),
        "{}",
        run.out
    );
    assert!(is_safe(&std::fs::read_to_string(dot).expect("a drawing")));
    let run = selvedge(["check", &file, "--show-output", "--format", "json"]);
    assert!(is_safe(&run.out), "{:?}", run.out);
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["output"], "\u{1b}]0;x\u{7}\u{202e}hello\n");

    // What clang says, names of files, of tests and of models.
    let wrong = write(&dir, "wrong.c", "int main(void) { \u{202e} return \x1b[2J; }\n");
    let name = dir.join("a\x1b[2J\nverified").display().to_string();
    let test = "C t\x1b[2J\u{202e}\n{}\nP0 (int* x) { *x = 1; }\nexists (x=1)\n";
    let test = write(&dir, "t.litmus", test);
    let model = write(&dir, "m\x1b[2J\u{202e}.kat", "export acyclic (po | rf | tc | tj)\nacyclic \x1b\n");
    let lines: [&[&str]; 10] = [
        &["check", &wrong],
        &["check", &format!("{name}.c")],
        &["check", &file, "-m", &format!("{name}.kat")],
        &["check", &file, "-m", &model],
        &["litmus", &test],
        &["litmus", &test, &test],
        &["litmus", &format!("{name}.litmus")],
        &["litmus", &name, &test],
        &["model", "show", &format!("{name}.kat")],
        &["check", "--unknown\x1b[2J"],
    ];
    for line in lines {
        let run = selvedge(line);
        assert!(is_safe(&run.out) && is_safe(&run.err), "{line:?}: {:?} {:?}", run.out, run.err);
        let shown = format!("{}{}", run.out, run.err);
        assert!(!shown.lines().any(|line| line.starts_with("verified")), "{line:?}: {shown}");
    }
}

#[test]
fn a_source_that_is_no_file_is_not_shown() {
    let dir = directory("hostile-source");
    let text = "#include <assert.h>\n#line 3 \"/dev/zero\"\nint main(void) { assert(0); }\n";
    let run = selvedge(["check", &write(&dir, "zero.c", text)]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("/dev/zero:3"), "{}", run.out);
}

#[test]
fn output_that_does_not_arrive_is_an_error() {
    let dir = directory("hostile-output");
    let file = write(&dir, "v.c", "int main(void) { return 0; }\n");
    let test = example("MP+rlx.litmus");
    let lines: [&[&str]; 11] = [
        &["check", &file],
        &["check", &file, "--format", "json"],
        &["check", &file, "--time-limit", "0"],
        &["estimate", &file],
        &["litmus", &test],
        &["litmus", &test, &test],
        &["litmus", "--json", &test],
        &["models"],
        &["model", "properties", "sc"],
        &["--help"],
        &["--version"],
    ];
    for line in lines {
        let command = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
            command.args(line).stderr(Stdio::piped());
            command
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = command().stdout(full).output().expect("an output");
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("cannot write to standard output"), "{line:?}: {message}");
        // A pipe that nobody reads from.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command().stdout(writer).output().expect("an output");
        assert_eq!(output.status.code(), Some(2), "{line:?}");
    }
    let race = write(&dir, "bug.c", "#include <assert.h>\nint main(void) { assert(0); }\n");
    for option in ["--dot", "--svg"] {
        let run = selvedge(["check", &race, option, "/dev/full"]);
        assert_eq!(run.code, 2, "{option}: {}", run.err);
    }
    assert!(Path::new("/dev/full").exists());
}
