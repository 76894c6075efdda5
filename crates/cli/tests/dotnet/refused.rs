//! What is refused, or named where an execution comes to it: files that are cut short, modules, several
//! files, references of other versions, instructions that are not known.

use super::{Scratch, check};
use std::path::Path;

const PROGRAM: &str = "class Program { static void Main() { int x = 0x12345678; if (x == 1) Main(); } }";

/// The exit code, and all that is said.
fn said(file: &Path, more: &[&str]) -> (i32, String) {
    let done = check(file, more);
    let text = [&done.stdout[..], &done.stderr].concat();
    let text = String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ");
    (done.status.code().unwrap_or(-1), text)
}

fn expect(file: &Path, more: &[&str], code: i32, why: &str) {
    let (got, text) = said(file, more);
    assert_eq!(got, code, "{}: {text}", file.display());
    assert!(text.contains(why), "{}: {text}", file.display());
}

#[test]
fn files_that_are_cut_short_are_refused() {
    let scratch = Scratch::new("short");
    let program = scratch.compile(&scratch.source("whole.cs", PROGRAM), false);
    let bytes = std::fs::read(&program).expect("the program");
    let short = scratch.0.join("short.exe");
    // In the headers, before and in the tables, and in the middle of the method's body.
    let body = [0x20, 0x78, 0x56, 0x34, 0x12];
    let main = bytes.windows(5).position(|five| five == body).expect("the constant");
    for length in [1, 2, 64, 0x90, 0x180, 0x200, 0x240, main + 2, bytes.len() / 2] {
        std::fs::write(&short, &bytes[..length]).expect("a file");
        let (code, text) = said(&short, &[]);
        assert_eq!(code, 2, "{length} bytes: {text}");
        assert!(text.contains("short.exe"), "{length} bytes: {text}");
    }
    assert_eq!(said(&program, &[]).0, 0);
}

#[test]
fn modules_and_several_files_are_refused() {
    let scratch = Scratch::new("modules");
    let part = scratch.source("part.cs", "public class Helper { public static int One() { return 1; } }");
    let module = scratch.0.join("part.netmodule");
    let mut mcs = std::process::Command::new("mcs");
    mcs.arg("-target:module").arg(format!("-out:{}", module.display())).arg(part);
    assert!(mcs.status().expect("mono's compiler").success());
    expect(&module, &[], 2, "a part of an assembly");
    let renamed = scratch.0.join("part.dll");
    std::fs::copy(&module, &renamed).expect("a copy");
    expect(&renamed, &[], 2, "give the assembly");
    let one = scratch.compile(&scratch.source("one.cs", PROGRAM), false);
    let two = scratch.compile(&scratch.source("two.cs", PROGRAM), false);
    expect(&one, &[&two.to_string_lossy()], 2, "one assembly");
}

/// A reference of another version is taken, as newer runtimes do; what it does not have is named.
#[test]
fn references_of_other_versions() {
    let scratch = Scratch::new("versions");
    let library = |version: u32, method: &str| {
        let text = format!(
            "using System.Reflection; [assembly: AssemblyVersion(\"{version}.0.0.0\")]
            public class Helper {{ public static int {method}() {{ return 1; }} }}"
        );
        scratch.compile(&scratch.source("helper.cs", &text), true)
    };
    let helper = library(1, "One");
    let user = scratch.source("user.cs", "class Program { static int Main() { return Helper.One() - 1; } }");
    let user = scratch.compile_with(&user, &[&format!("-r:{}", helper.display())]);
    library(2, "One");
    expect(&user, &[], 0, "verified");
    library(3, "Two");
    expect(&user, &[], 3, "the method Helper.One is nowhere");
}

#[test]
fn instructions_that_are_not_supported_are_named() {
    let scratch = Scratch::new("instructions");
    let program = scratch.compile(&scratch.source("program.cs", PROGRAM), false);
    let bytes = std::fs::read(&program).expect("the program");
    let main =
        bytes.windows(5).position(|five| five == [0x20, 0x78, 0x56, 0x34, 0x12]).expect("the constant");
    for (code, why) in [(0x27, "the instruction `jmp` is not supported"), (0xa6, "with the code 0xa6")] {
        let mut other = bytes.clone();
        other[main] = code;
        std::fs::write(&program, &other).expect("a file");
        expect(&program, &[], 3, why);
        expect(&program, &[], 3, "Program.Main");
    }
    let text =
        "class Typed { static void Main() { int x = 3; var r = __makeref(x); System.Console.Write(x); } }";
    let typed = scratch.compile(&scratch.source("typed.cs", text), false);
    expect(&typed, &[], 3, "typed references are not supported");
}
