//! Programs with one thread that use the language and its library as people do (`sequential`): what mono
//! prints is what the machine computes.
//!
//! Each calls `T.W` with what it comes to. mono runs it with a `W` that prints; then it is compiled once more
//! with a `W` that fails where it gets another text than mono printed. `SELVEDGE_DOTNET_LONG=1` takes all of
//! them, otherwise some are taken.

use super::{Scratch, check, sources};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What is taken without being asked for more.
const SOME: [&str; 3] = ["exceptions-flow", "nullable", "static-constructors"];

const HEAD: &str = "using System;
static class T {
    public static void W(int x) { W(x.ToString()); }
    public static void W(long x) { W(x.ToString()); }
    public static void W(uint x) { W(x.ToString()); }
    public static void W(ulong x) { W(x.ToString()); }
    public static void W(bool x) { W(x ? \"True\" : \"False\"); }
    public static void W(char x) { W(x.ToString()); }
    public static void W(object x) { W(x.ToString()); }
";
const PRINTS: &str = "    public static void W(string s) { Console.Write(s.Length); Console.Write(':'); Console.Write(s); }\n}\n";

/// A `W` that knows what comes.
fn expects(texts: &[String]) -> String {
    let quoted = |text: &String| {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{units}\"")
    };
    let list: Vec<String> = texts.iter().map(quoted).collect();
    format!(
        "{HEAD}    static int at;
    static readonly string[] expected = {{ {} }};
    public static void W(string s) {{
        if (at >= expected.Length || expected[at] != s) Environment.FailFast(\"text \" + at + \" is \" + s);
        at++;
    }}
}}
",
        list.join(", ")
    )
}

/// Texts with their lengths, after each other.
fn texts(printed: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let units: Vec<u16> = printed.encode_utf16().collect();
    let mut rest = &units[..];
    while let Some(end) = rest.iter().position(|unit| *unit == u16::from(b':')) {
        let length: usize = String::from_utf16_lossy(&rest[..end]).parse().expect("a length");
        texts.push(String::from_utf16_lossy(&rest[end + 1..end + 1 + length]));
        rest = &rest[end + 1 + length..];
    }
    texts
}

#[test]
fn sequential_programs_come_to_what_mono_prints() {
    if Command::new("mono").arg("--version").output().is_err() {
        println!("skipped: mono is not installed");
        return;
    }
    let scratch = Scratch::new("printed");
    let prints = scratch.source("prints.cs", &format!("{HEAD}{PRINTS}"));
    let (mut programs, mut compared) = (0, 0);
    for source in sources("tests/dotnet/sequential") {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        if std::env::var_os("SELVEDGE_DOTNET_LONG").is_none() && !SOME.contains(&name.as_str()) {
            continue;
        }
        let with = |other: &Path| scratch.compile_with(&source, &["-unsafe", &other.to_string_lossy()]);
        let printed = Command::new("mono").arg(with(&prints)).output().expect("mono runs");
        assert!(printed.status.success(), "{name}: {}", String::from_utf8_lossy(&printed.stderr));
        let texts = texts(&String::from_utf8_lossy(&printed.stdout));
        assert!(!texts.is_empty(), "{name} shows nothing");
        let fails = with(&scratch.source("fails.cs", &expects(&texts)));
        let args = ["-m", "sc", "--unroll", "5000", "--format", "json"];
        let report: Value = serde_json::from_slice(&check(&fails, &args).stdout).expect("a report");
        let why = format!("{name}: {} {}", report["errors"][0], report["unknown"]);
        assert_eq!(report["verdict"], "verified", "{why}");
        (programs, compared) = (programs + 1, compared + texts.len());
    }
    println!("{programs} programs, {compared} texts");
    assert!(programs >= SOME.len());
}
