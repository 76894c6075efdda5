//! Files in, programs or errors out.

use crate::support;

use std::path::PathBuf;

use selvedge_ir::Instr;
use selvedge_llvm::{CompileError, Options, compile, require_main};
use support::{c, compile_files, count, function, global};

#[test]
fn files_are_linked() {
    let module = compile_files(
        &[
            ("a.c", "extern int shared; int g(void); static int same(void) { return 1; } int main(void) { return g() + shared + same(); }"),
            ("b.c", "int shared = 7; static int same(void) { return 2; } int g(void) { return same(); }"),
        ],
        &Options::default(),
    )
    .expect("links");
    require_main(&module).expect("has main");
    assert_eq!(global(&module, "shared").bytes, [7, 0, 0, 0]);
    assert!(!function(&module, "g").code.is_empty());
    assert_eq!(module.functions.iter().filter(|f| f.name.starts_with("same")).count(), 2);
    assert_eq!(module.files.len(), 2);
}

#[test]
fn definitions_that_clash_are_an_error_of_the_linker() {
    let result = compile_files(
        &[("a.c", "int f(void) { return 1; }"), ("b.c", "int f(void) { return 2; }")],
        &Options::default(),
    );
    let Err(CompileError::Llvm { message }) = result else { panic!("{result:?}") };
    assert!(message.contains('f') && message.contains("multiply defined"), "{message}");
}

#[test]
fn clangs_own_words() {
    let result =
        compile_files(&[("wrong.c", "int f(void) {\n  return undeclared;\n}\n")], &Options::default());
    let Err(error @ CompileError::Clang { .. }) = result else { panic!("{result:?}") };
    let text = error.to_string();
    assert!(text.contains("wrong.c:2:10: error: use of undeclared identifier 'undeclared'"), "{text}");
}

#[test]
fn missing_and_strange_files() {
    let missing = compile(&[PathBuf::from("does/not/exist.c")], &Options::default());
    assert!(
        matches!(&missing, Err(CompileError::Unreadable { file, .. }) if file.ends_with("exist.c")),
        "{missing:?}"
    );
    let missing = compile(&[PathBuf::from("does/not/exist.bc")], &Options::default());
    assert!(matches!(missing, Err(CompileError::Unreadable { .. })), "{missing:?}");
    let strange = compile_files(&[("program.txt", "")], &Options::default());
    assert!(matches!(strange, Err(CompileError::UnknownKind { .. })), "{strange:?}");
    assert!(matches!(compile(&[], &Options::default()), Err(CompileError::NoFiles)));
}

#[test]
fn bad_bitcode_is_an_error() {
    for contents in ["BC\u{1}\u{2} nothing", "define i32 @main( {", ""] {
        let result = compile_files(&[("broken.bc", contents)], &Options::default());
        match result {
            Err(CompileError::BadBitcode { .. }) => {}
            Ok(module) => assert!(contents.is_empty() && module.functions.is_empty()),
            other => panic!("{other:?}"),
        }
    }
    // Parses, but is not well-formed.
    let result = compile_files(
        &[(
            "broken.ll",
            "define i32 @f(i1 %c) {\n br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\nb:\n ret i32 %x\n}",
        )],
        &Options::default(),
    );
    assert!(matches!(result, Err(CompileError::BadBitcode { .. })), "{result:?}");
}

#[test]
fn textual_intermediate_language() {
    let text = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
        @x = global i32 4
        define i32 @main() { %v = load atomic i32, ptr @x unordered, align 4
          %w = freeze i32 %v
          store atomic i32 %w, ptr @x release, align 4
          ret i32 %w }";
    let module = compile_files(&[("program.ll", text)], &Options::default()).expect("reads");
    require_main(&module).expect("has main");
    let main = function(&module, "main");
    assert_eq!(main.code.len(), 4);
    assert_eq!(count(main, |i| matches!(i, Instr::Move { .. })), 1);
    assert_eq!(main.places[0].line, 0);
}

#[test]
fn other_machines_are_refused() {
    let result = compile_files(
        &[("a.ll", "target datalayout = \"e-p:32:32\"\ndefine void @main() { ret void }")],
        &Options::default(),
    );
    assert!(matches!(result, Err(CompileError::Target)), "{result:?}");
}

#[test]
fn a_program_needs_a_main() {
    assert!(matches!(require_main(&c("int f(void) { return 1; }")), Err(CompileError::NoMain)));
    assert!(matches!(
        require_main(&c("int main(void); int f(void) { return main(); }")),
        Err(CompileError::NoMain)
    ));
}

#[test]
fn options_reach_clang() {
    let options = Options { clang_args: vec!["-DVALUE=12".to_owned()], ..Options::default() };
    let source = "#ifdef __SELVEDGE__\nint x = VALUE;\n#endif\n";
    let module = compile_files(&[("test.c", source)], &options).expect("compiles");
    assert_eq!(global(&module, "x").bytes[0], 12);

    let headers = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(headers.path().join("selvedge.h"), "#define FROM_HEADER 33\n").expect("a header");
    let options = Options { include_dirs: vec![headers.path().to_owned()], ..Options::default() };
    let module = compile_files(&[("test.c", "#include <selvedge.h>\nint x = FROM_HEADER;")], &options)
        .expect("compiles");
    assert_eq!(global(&module, "x").bytes[0], 33);
}

#[test]
fn the_message_for_a_missing_compiler_says_what_to_do() {
    let error = CompileError::NoClang { tried: "`clang-22` and `clang`".to_owned() };
    assert!(error.to_string().contains("sudo apt install clang-22"));
}
