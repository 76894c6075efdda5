//! .NET programs: those of `examples/dotnet` and `tests/dotnet`, compiled by mono's compiler, against what
//! they say of themselves.
//!
//!     // expect: MODEL VERDICT [KIND] [line=N]
//!     // states: MODEL VERDICT   by `--engine states`
//!     // long-states: …          the same, with SELVEDGE_DOTNET_LONG=1 only
//!     // check: --unroll 4       flags for `selvedge check`
//!     // message: TEXT           a part of the error, or of why there is no verdict

#[path = "dotnet/mono.rs"]
mod mono;
#[path = "dotnet/printed.rs"]
mod printed;
#[path = "dotnet/refused.rs"]
mod refused;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of our own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("selvedge-dotnet-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        Scratch(dir)
    }

    fn compile(&self, source: &Path, library: bool) -> PathBuf {
        self.compile_with(source, if library { &["-target:library"] } else { &[] })
    }

    fn compile_with(&self, source: &Path, flags: &[&str]) -> PathBuf {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let extension = if flags.contains(&"-target:library") { "dll" } else { "exe" };
        let out = self.0.join(format!("{name}.{extension}"));
        let mut command = Command::new("mcs");
        command.args(["-debug", "-d:DEBUG", "-langversion:latest"]).arg(format!("-out:{}", out.display()));
        command.args(flags);
        let done = command.arg(source).output().expect("mono's compiler (Debian: mono-mcs) is installed");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        out
    }

    fn source(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn check(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("check").arg(file).args(args).output().expect("the command runs")
}

fn sources(dir: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cs"))
        .collect();
    files.sort();
    files
}

/// What is wrong with what a program says of itself.
fn wrong(scratch: &Scratch, source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source).expect("a text");
    let lines = |key: &str| {
        let prefix = format!("// {key}: ");
        text.lines().filter_map(|l| l.strip_prefix(&prefix).map(String::from)).collect::<Vec<_>>()
    };
    let program = scratch.compile(source, false);
    let expectations = lines("expect");
    let long = std::env::var_os("SELVEDGE_DOTNET_LONG").map_or(Vec::new(), |_| lines("long-states"));
    let of_states = [lines("states"), long].concat();
    let some = expectations.len() + lines("states").len() + lines("long-states").len();
    assert!(some > 0, "{} expects nothing", source.display());
    let mut wrong = Vec::new();
    for expectation in of_states {
        let (model, verdict) = expectation.split_once(' ').expect("a model and a verdict");
        let got = by_states(&program, model, &[]);
        if got != verdict {
            wrong.push(format!("{}: expected {expectation} by all states: {got}", source.display()));
        }
    }
    for expectation in expectations {
        let mut words = expectation.split_whitespace();
        let (Some(model), Some(verdict)) = (words.next(), words.next()) else {
            panic!("{}: a model and a verdict are missing", source.display())
        };
        let flags = lines("check").join(" ");
        let mut args = vec!["-m", model, "--format", "json"];
        args.extend(flags.split_whitespace());
        let result = check(&program, &args);
        let report: Value = serde_json::from_slice(&result.stdout).unwrap_or_default();
        let error = &report["errors"][0];
        let code = match verdict {
            "verified" => 0,
            "violated" => 1,
            _ => 3,
        };
        let got = format!(
            "{} {} at line {}: {} {} {}",
            report["verdict"],
            error["kind"],
            error["line"],
            error["message"],
            report["unknown"],
            String::from_utf8_lossy(&result.stderr)
        );
        let mut fine = report["verdict"] == verdict && result.status.code() == Some(code);
        for word in words {
            fine &= match word.split_once('=') {
                None => error["kind"] == word,
                Some(("line", n)) => error["line"].as_u64() == n.parse().ok(),
                Some(_) => panic!("`{word}` is not an expectation"),
            };
        }
        fine &= lines("message").iter().all(|part| got.contains(part));
        if !fine {
            wrong.push(format!("{}: expected {expectation}: {got}", source.display()));
        }
    }
    wrong
}

/// The verdict of a search through all states, and what was wrong first.
fn by_states(program: &Path, model: &str, args: &[&str]) -> String {
    let args = [&["--engine", "states", "-m", model, "--format", "json"], args].concat();
    let result = check(program, &args);
    let report: Value = serde_json::from_slice(&result.stdout).unwrap_or_default();
    let words = [&report["verdict"], &report["violations"][0]["kind"]];
    words.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// Both engines say the same of an example, or one of them says nothing.
#[test]
fn all_states_agree_with_all_executions() {
    let scratch = Scratch::new("states");
    let (mut agreed, mut open) = (0, Vec::new());
    for source in sources("../../examples/dotnet") {
        let text = std::fs::read_to_string(&source).expect("a text");
        let expected = |l: &str| l.strip_prefix("// expect: ").map(String::from);
        let program = scratch.compile(&source, false);
        for expectation in text.lines().filter_map(expected) {
            let (model, verdict) = expectation.split_once(' ').expect("a model and a verdict");
            if !["sc", "tso", "pso", "dotnet-ecma", "dotnet"].contains(&model) {
                continue;
            }
            let got = by_states(&program, model, &["--max-states", "20000"]);
            let known = |word: &str| word.starts_with("verified") || word.starts_with("violated");
            let (word, other) = (verdict.split(' ').next(), got.split(' ').next());
            match known(&got) {
                true => assert_eq!(word, other, "{} under {model}: {got}", source.display()),
                false => open.push(format!("{} {model}: {got}", source.display())),
            }
            agreed += u32::from(known(&got));
        }
    }
    println!("{agreed} agree; without an answer: {open:#?}");
    assert!(agreed > 30, "{agreed} agree: {open:#?}");
}

/// The library's `Barrier`, by all states, and mistakes in an algorithm like its own: with two rounds an
/// event that is not reset, or too late, does not show yet.
#[test]
fn barriers_by_all_states() {
    let scratch = Scratch::new("barriers");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/dotnet");
    let four = std::fs::read_to_string(dir.join("barrier-four.cs")).expect("a text");
    let three = four.replace("Threads = 4, Rounds = 4", "Threads = 3, Rounds = 2");
    assert_ne!(four, three);
    let program = scratch.compile(&scratch.source("three.cs", &three), false);
    assert_eq!(by_states(&program, "sc", &[]), "verified");
    for (flags, expected) in [
        (&["-d:NO_WAIT"][..], "violated assertion"),
        (&["-d:BLIND_WRITE"], "violated deadlock"),
        (&["-d:LATE_PHASE"], "violated assertion"),
        (&["-d:SET_FIRST"], "violated assertion"),
        (&["-d:SET_FIRST", "-d:TWO_ROUNDS"], "verified"),
        (&["-d:NO_RESET"], "violated assertion"),
        (&["-d:NO_RESET", "-d:TWO_ROUNDS"], "verified"),
    ] {
        let program = scratch.compile_with(&dir.join("barrier-own.cs"), flags);
        assert_eq!(by_states(&program, "sc", &[]), expected, "{flags:?}");
    }
}

fn all_hold(name: &str, dir: &str) {
    let scratch = Scratch::new(name);
    let wrong: Vec<String> = sources(dir).iter().flat_map(|source| wrong(&scratch, source)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_examples_are_what_they_say() {
    all_hold("examples", "../../examples/dotnet");
}

#[test]
fn the_programs_are_what_they_say() {
    all_hold("programs", "tests/dotnet");
}

/// What .NET people write with threads, some 270 programs: all of them with SELVEDGE_DOTNET_LONG=1 only.
/// These are decided at once, and each is about something else.
const SOME: [&str; 38] = [
    "background-for-ever",
    "background-task-waits",
    "background-waits-main",
    "base-static-constructor",
    "built-string-cas",
    "built-string-identity",
    "filter-type",
    "foreground-for-ever",
    "lock-built-string",
    "publish-chain-wrong",
    "signal-and-wait",
    "spinlock-owner",
    "static-field-order",
    "static-field-order-wrong",
    "static-initial-throws-unused",
    "stopwatch-deadline-wrong",
    "striped-locks-wrong",
    "thread-alive-wrong",
    "timer-dispose-wrong",
    "value-static-constructor",
    "waitall-takes-none",
    "waitany-two",
    "are-lost",
    "captured-loop-var",
    "dcl-plain-ecma",
    "dekker-volatile",
    "dispose-race",
    "event-null",
    "immutable-update",
    "lock-on-box",
    "lock-order",
    "long-tear",
    "monitor-if",
    "mutex-notowner",
    "sctor-throws",
    "spinlock-readonly-copy",
    "threadstatic",
    "volatile-flag-publish",
];

#[test]
fn more_programs_are_what_they_say() {
    if std::env::var_os("SELVEDGE_DOTNET_LONG").is_some() {
        return all_hold("more", "tests/dotnet/more");
    }
    let scratch = Scratch::new("more");
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dotnet/more");
    let wrong = SOME.iter().flat_map(|name| wrong(&scratch, &dir.join(format!("{name}.cs"))));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bad input is an error with exit code 2 that says what to do.
#[test]
fn bad_input_is_refused() {
    let scratch = Scratch::new("bad");
    let refused = |file: &Path, args: &[&str], why: &str| {
        let result = check(file, args);
        let said = String::from_utf8_lossy(&result.stderr);
        assert_eq!(result.status.code(), Some(2), "{}: {said}", file.display());
        assert!(said.contains(why), "{}: {said}", file.display());
    };
    refused(&scratch.source("text.dll", "not an assembly"), &[], "not a PE file");
    refused(&scratch.source("empty.dll", ""), &[], "not a PE file");
    let library = scratch.source("library.cs", "public class Library { public static void Run() {} }");
    let library = scratch.compile(&library, true);
    refused(&library, &[], "no entry point");
    refused(&scratch.0.join("none.exe"), &[], "No such file");
    let program = scratch.source("program.cs", "class Program { static void Main() {} }");
    let program = scratch.compile(&program, false);
    let nothing = scratch.0.to_string_lossy().into_owned();
    refused(&program, &["--reference", &nothing], "mscorlib");
    // A library of its own that is not there any more.
    let helper = scratch.source("helper.cs", "public class Helper { public static int One() { return 1; } }");
    let helper = scratch.compile(&helper, true);
    let user = scratch.source("user.cs", "class Program { static int Main() { return Helper.One() - 1; } }");
    let user = scratch.compile_with(&user, &[&format!("-r:{}", helper.display())]);
    assert_eq!(check(&user, &[]).status.code(), Some(0));
    std::fs::remove_file(&helper).expect("the library");
    refused(&user, &[], "the assembly `helper` is not in");
    // The symbols of another build.
    let mut symbols = library.clone().into_os_string();
    symbols.push(".mdb");
    let mut own = program.clone().into_os_string();
    own.push(".mdb");
    std::fs::copy(symbols, &own).expect("symbols");
    refused(&program, &[], "another build");
    std::fs::remove_file(&own).expect("symbols");
    // Native, or half of it: the flag that says that there is nothing but bytecode.
    let mut bytes = std::fs::read(&program).expect("the program");
    let new = u32::from_le_bytes(bytes[0x3c..0x40].try_into().expect("four")) as usize;
    let directories = new + 24 + 96;
    // The header of the runtime is in the first section, which the compiler puts at 0x2000, from 0x200 on.
    let header = directories + 8 * 14;
    let at =
        u32::from_le_bytes(bytes[header..header + 4].try_into().expect("four")) as usize - 0x2000 + 0x200;
    let mut mixed = bytes.clone();
    mixed[at + 16] &= !1;
    std::fs::write(&program, &mixed).expect("the program");
    refused(&program, &[], "mixed-mode");
    bytes[directories + 8 * 14..directories + 8 * 15].fill(0);
    std::fs::write(&program, &bytes).expect("the program");
    refused(&program, &[], "native image");
}

/// Programs that Roslyn compiled for .NET Core 3.1, with portable symbols (`dotnet/roslyn`, with their
/// sources): lines are theirs, bodies of interfaces are called, and symbols of another build are refused.
#[test]
fn programs_of_roslyn() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dotnet/roslyn");
    let run = |name: &str| -> Value {
        let result = check(&dir.join(name), &["-m", "sc", "--format", "json"]);
        serde_json::from_slice(&result.stdout).expect("a report")
    };
    let report = run("lost.dll");
    assert_eq!(report["verdict"], "violated");
    assert_eq!(report["errors"][0]["line"], 20);
    let report = run("modern.dll");
    assert_eq!(report["verdict"], "verified", "{} {}", report["errors"][0], report["unknown"]);
    assert_eq!(run("streams.dll")["verdict"], "verified");
    let report = run("bodies.dll");
    assert_eq!((&report["verdict"], &report["errors"][0]["line"]), (&"violated".into(), &27.into()));
    let scratch = Scratch::new("roslyn");
    for (from, to) in [("lost.dll", "other.dll"), ("modern.pdb", "other.pdb")] {
        std::fs::copy(dir.join(from), scratch.0.join(to)).expect("a copy");
    }
    let refused = check(&scratch.0.join("other.dll"), &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another build"));
}

/// Whatever is in a file, it is read or refused: bytes are changed, and files cut short.
#[test]
fn damaged_files_do_no_harm() {
    let scratch = Scratch::new("damaged");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/dotnet/dc.cs");
    let program = scratch.compile(&source, false);
    let bytes = std::fs::read(&program).expect("the program");
    let options = selvedge_dotnet::Options::default();
    let rounds = std::env::var("SELVEDGE_DOTNET_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let damaged = scratch.0.join("damaged.exe");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % most
    };
    for round in 0..rounds {
        let mut copy = bytes.clone();
        if round % 4 == 0 {
            copy.truncate(next(bytes.len()));
        }
        for _ in 0..=next(8) {
            if !copy.is_empty() {
                let at = next(copy.len());
                copy[at] = next(256) as u8;
            }
        }
        std::fs::write(&damaged, &copy).expect("a file");
        if let Ok(module) = selvedge_dotnet::compile(&damaged, &options) {
            for function in &module.functions {
                selvedge_ir::check::function(&module, function).expect("well-formed");
            }
        }
    }
}

/// Waiting for a slim event as one wait, and by the class library's own code, come to the same: of small
/// programs that set, reset and wait for one, and of the examples that are built on it.
#[test]
fn slim_waits_are_as_the_library_has_them() {
    let scratch = Scratch::new("slim");
    let verdict = |program: &Path, args: &[&str]| {
        let args = [&["-m", "sc", "--format", "json"], args].concat();
        let report: Value = serde_json::from_slice(&check(program, &args).stdout).expect("a report");
        report["verdict"].as_str().unwrap_or_default().to_string()
    };
    let mut met = std::collections::BTreeSet::new();
    let mut alike = |program: &Path| {
        let (one, whole) = (verdict(program, &[]), verdict(program, &["--whole-library"]));
        assert_eq!(one, whole, "{}", program.display());
        met.insert(one);
    };
    for source in ["tests/dotnet/countdown.cs", "../../examples/dotnet/barrier-early.cs"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        alike(&scratch.compile(&source, false));
    }
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % most
    };
    let rounds = std::env::var("SELVEDGE_DOTNET_SLIM").ok().and_then(|n| n.parse().ok()).unwrap_or(4);
    for round in 0..rounds {
        let mut threads = Vec::new();
        for thread in 0..2 {
            let steps: Vec<String> = (0..3)
                .map(|_| match next(7) {
                    0 | 1 => String::from("e.Set();"),
                    2 => String::from("e.Reset();"),
                    3 | 4 => String::from("e.Wait();"),
                    5 => format!("seen[{thread}] = data;"),
                    _ => String::from("data++;"),
                })
                .collect();
            threads.push(steps.join(" "));
        }
        let (first, second, never) = (&threads[0], &threads[1], next(4));
        let text = format!(
            "using System.Diagnostics; using System.Threading;
            class Slim {{
                static readonly ManualResetEventSlim e = new ManualResetEventSlim();
                static int data; static readonly int[] seen = new int[2];
                static void Main() {{
                    var other = new Thread(() => {{ {first} }});
                    other.Start();
                    {second}
                    other.Join();
                    Debug.Assert(seen[0] + seen[1] + data != {never});
                }}
            }}"
        );
        let source = scratch.source(&format!("slim{round}.cs"), &text);
        alike(&scratch.compile(&source, false));
    }
    assert!(met.len() > 1, "only {met:?} was come to");
}

/// Instructions that are not known are named, where they are reached; what is never reached does no harm.
#[test]
fn unsupported_code_is_named() {
    let scratch = Scratch::new("unsupported");
    let source =
        "using System.Threading; class Program { static void Main() { Thread.CurrentThread.Interrupt(); } }";
    let program = scratch.compile(&scratch.source("interrupt.cs", source), false);
    let result = check(&program, &[]);
    let said = String::from_utf8_lossy(&result.stdout);
    assert_eq!(result.status.code(), Some(3), "{said}");
    assert!(said.contains("this of threads is not supported"), "{said}");
    let source = "class Program { static bool never; static void Main() {
        if (never) System.Threading.Thread.CurrentThread.Interrupt(); } }";
    let program = scratch.compile(&scratch.source("never.cs", source), false);
    assert_eq!(check(&program, &[]).status.code(), Some(0));
}
