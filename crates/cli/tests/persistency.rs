//! The programs of `examples/persistency`, against what they say of themselves: `// expect: PERSISTENCY-MODEL
//! MODEL VERDICT [KIND] [line=N] [states=N] [OPTION …]`; and what is said of input that makes no sense.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn selvedge(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selvedge")).args(args).output().expect("the command runs")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/persistency")
}

/// What is wrong, if something is.
fn run(file: &Path, expectation: &str, more: &[&str]) -> Option<String> {
    let mut words = expectation.split_whitespace();
    let (persist, model, verdict) = (words.next()?, words.next()?, words.next()?);
    let words: Vec<&str> = words.collect();
    let options = words.iter().position(|word| word.starts_with("--")).unwrap_or(words.len());
    let file_name = file.to_str().expect("a name");
    let mut args = vec!["check", file_name, "--persist", persist, "-m", model, "--format", "json"];
    args.extend(&words[options..]);
    args.extend(more);
    let output = selvedge(&args);
    let fail = |what: String| Some(format!("{file_name}: expected {expectation}: {what}"));
    let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
        return fail(format!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    };
    let first = &report["errors"][0];
    if report["verdict"] != verdict {
        let unknown = &report["unknown"];
        let error = &report["error"]["message"];
        return fail(format!(
            "{} {} {} {unknown} {error}",
            report["verdict"], first["kind"], first["message"]
        ));
    }
    if report["persist"] != persist && !words.contains(&"--no-delalloc") {
        return fail(format!("under {}", report["persist"]));
    }
    for word in &words[..options] {
        let right = match word.split_once('=') {
            None => first["kind"] == *word,
            Some(("line", line)) => first["line"].as_u64() == line.parse().ok(),
            Some(("states", states)) => report["post_crash_states"].as_u64() == states.parse().ok(),
            Some(_) => false,
        };
        if !right {
            let states = &report["post_crash_states"];
            return fail(format!("{word}: {} at line {}, {states} states", first["kind"], first["line"]));
        }
    }
    if verdict == "violated" && first["crash"]["recovery"].as_array().is_none_or(|steps| steps.is_empty()) {
        return fail(String::from("recovery is not told"));
    }
    None
}

fn cases() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(examples())
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// expect: ")).collect();
        assert!(!expected.is_empty(), "{} expects nothing", file.display());
        cases.extend(expected.iter().map(|expected| (file.clone(), expected.to_string())));
    }
    cases
}

#[test]
fn examples_are_as_they_say() {
    let wrong: Vec<String> =
        cases().iter().filter_map(|(file, expected)| run(file, expected, &["-j", "1"])).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn several_workers_and_no_reductions_find_the_same() {
    let some = cases().into_iter().step_by(5);
    let wrong: Vec<String> = some
        .flat_map(|(file, expected)| {
            let ways: [&[&str]; 2] = [&["-j", "2", "--alone", "0"], &["--disable", "all"]];
            ways.into_iter().filter_map(|more| run(&file, &expected, more)).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Exit code 2, and these words.
fn refused(text: &str, args: &[&str], words: &str) {
    let dir = std::env::temp_dir().join(format!("selvedge-persistency-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let name: String = words.chars().filter(char::is_ascii_alphanumeric).collect();
    let file = dir.join(format!("{name}.c"));
    std::fs::write(&file, text).expect("a file");
    let mut all = vec!["check", file.to_str().expect("a name")];
    all.extend(args);
    let output = selvedge(&all);
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(words), "{said}");
    std::fs::remove_dir_all(&dir).expect("it was there");
}

const ROUTINE: &str = "void __VERIFIER_recovery_routine(void) {} int main(void) { return 0; }";

#[test]
fn input_that_makes_no_sense_is_refused() {
    refused("int main(void) { return 0; }", &["--persist", "px86"], "no recovery routine");
    refused(
        "void __VERIFIER_recovery_routine(int n) {} int main(void) { return 0; }",
        &["--persist", "px86"],
        "has parameters",
    );
    refused(ROUTINE, &["--persist", "px87"], "did you mean `px86`");
    refused(ROUTINE, &["--persist", "px86", "--block-size", "0"], "--block-size");
    refused(ROUTINE, &["--persist", "px86", "--no-delalloc"], "is about ext4");
    refused(ROUTINE, &["--persist", "px86", "--equivalence", "rf"], "depends on coherence");
    refused(ROUTINE, &["--persist", "px86", "--max-file-size", "0"], "--max-file-size");
    refused(ROUTINE, &["--persist", "px86", "--crashes", "0"], "--crashes");
    refused(
        "#include <fcntl.h>\nvoid __VERIFIER_recovery_routine(void) {}\n\
         int main(void) { char n[2] = {0}; n[0] = 'a'; return open(n, O_CREAT | O_WRONLY, 0600) * 0; }",
        &["--persist", "ext4-ordered"],
        "a file name that is not a constant text",
    );
    refused(
        "#include <fcntl.h>\n#include <unistd.h>\nvoid __VERIFIER_recovery_routine(void) {}\n\
         int main(void) { int fd = open(\"a\", O_CREAT | O_WRONLY, 0600); return ftruncate(fd, 65) * 0; }",
        &["--persist", "ext4-ordered"],
        "a file of more than 64 bytes",
    );
    let dir = std::env::temp_dir();
    let model = dir.join(format!("selvedge-pb-{}.kat", std::process::id()));
    std::fs::write(&model, "export recovery [DATA] ; co ; [DATA]").expect("a file");
    let name = model.to_str().expect("a name").to_string();
    refused(ROUTINE, &["--persist", &name], "coherence of all durable writes");
    std::fs::write(&model, "export acyclic po | rf").expect("a file");
    refused(ROUTINE, &["--persist", &name], "what persists before what");
    std::fs::remove_file(&model).expect("it was there");
}

/// What a report says of a text that is checked with these arguments.
fn report(name: &str, text: &str, args: &[&str]) -> Value {
    let dir = std::env::temp_dir().join(format!("selvedge-persist-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("program.c");
    std::fs::write(&file, text).expect("a file");
    let mut all = vec!["check", file.to_str().expect("a name"), "--format", "json"];
    all.extend(args);
    let output = selvedge(&all);
    std::fs::remove_dir_all(&dir).expect("it was there");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn calls_and_streams_do_what_the_manual_says() {
    for name in ["calls", "streams"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/c/files/{name}.c"));
        let output = selvedge(&[
            "check",
            file.to_str().expect("a name"),
            "--syscall-errors",
            "--unroll",
            "100",
            "--format",
            "json",
        ]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["verdict"], "verified", "{name}: {} {}", report["errors"], report["unknown"]);
    }
}

/// Two files are written and synchronised in turn, as `between` says; recovery wants the first if it finds
/// the second.
fn two_files(between: &str) -> String {
    format!(
        "#define _GNU_SOURCE\n#include <assert.h>\n#include <fcntl.h>\n#include <selvedge.h>\n#include <stdio.h>\n\
         #include <unistd.h>\n\
         void __VERIFIER_recovery_routine(void) {{\n\
         char now; int b = open(\"b\", O_RDONLY), a = open(\"a\", O_RDONLY);\n\
         if (read(b, &now, 1) == 1) assert(read(a, &now, 1) == 1); }}\n\
         int main(void) {{\n\
         int a = open(\"a\", O_CREAT | O_RDWR, 0600), b = open(\"b\", O_CREAT | O_RDWR, 0600);\n\
         __VERIFIER_pbarrier();\n\
         {between}\n\
         write(b, \"y\", 1);\n\
         return 0; }}\n"
    )
}

#[test]
fn what_makes_a_file_persist_and_what_does_not() {
    let cases = [
        ("write(a, \"x\", 1);", false),
        ("write(a, \"x\", 1); fsync(a);", true),
        ("write(a, \"x\", 1); fdatasync(a);", true),
        ("write(a, \"x\", 1); sync();", true),
        ("write(a, \"x\", 1); syncfs(b);", true),
        ("write(a, \"x\", 1); fsync(b);", false),
        ("fsync(a); write(a, \"x\", 1);", false),
        ("write(a, \"x\", 1); close(a);", false),
        ("write(a, \"x\", 1); sync_file_range(a, 0, 1, SYNC_FILE_RANGE_WRITE);", false),
        ("write(a, \"x\", 1); fsync(open(\"/\", O_RDONLY | O_DIRECTORY));", false),
        ("write(a, \"x\", 1); fsync(dup(a));", true),
        ("write(open(\"a\", O_WRONLY | O_SYNC), \"x\", 1);", true),
        ("write(open(\"a\", O_WRONLY | O_DSYNC), \"x\", 1);", true),
        ("FILE *f = fdopen(a, \"w\"); fputc(120, f); fflush(f);", false),
        ("FILE *f = fdopen(a, \"w\"); fputc(120, f); fsync(a);", false),
        ("FILE *f = fdopen(a, \"w\"); fputc(120, f); fflush(f); fsync(a);", true),
        ("FILE *f = fdopen(a, \"w\"); setvbuf(f, 0, _IONBF, 0); fputc(120, f); fsync(fileno(f));", true),
        ("dprintf(a, \"%d\", 1); fsync(a);", true),
    ];
    for (between, holds) in cases {
        let report = report("makes", &two_files(between), &["--persist", "ext4-ordered"]);
        let verdict = if holds { "verified" } else { "violated" };
        assert_eq!(report["verdict"], verdict, "{between}: {} {}", report["errors"], report["unknown"]);
    }
}

#[test]
fn reads_and_writes_may_be_short() {
    let text = "#include <assert.h>\n#include <fcntl.h>\n#include <unistd.h>\n\
                int main(void) { char b[3]; int fd = open(\"a\", O_CREAT | O_RDWR, 0600);\n\
                int n = write(fd, \"abc\", 3); assert(n >= 1 && n <= MOST);\n\
                int m = pread(fd, b, 3, 0); assert(m >= 1 && m <= n); return 0; }\n";
    let of =
        |most: &str, args: &[&str]| report("short", &text.replace("MOST", most), args)["verdict"].clone();
    assert_eq!(of("3", &["--short-io"]), "verified");
    assert_eq!(of("2", &["--short-io"]), "violated");
    assert_eq!(report("all", &text.replace("MOST", "3"), &[])["executions"], 1);
}

/// Stores to two lines, with something between.
fn two_lines(between: &str) -> String {
    format!(
        "#include <assert.h>\n#include <immintrin.h>\n#include <selvedge.h>\n#include <stdatomic.h>\n\
         _Alignas(64) _Atomic int m[48];\n\
         void __VERIFIER_recovery_routine(void) {{ if (m[16]) assert(m[0]); }}\n\
         int main(void) {{ int other = 5; selvedge_durable(m, sizeof m);\n\
         atomic_store_explicit(&m[0], 1, memory_order_relaxed);\n\
         {between}\n\
         atomic_store_explicit(&m[16], 1, memory_order_relaxed); return other & 0; }}\n"
    )
}

#[test]
fn what_makes_a_line_persist_and_what_does_not() {
    let cases = [
        ("", false),
        ("_mm_sfence();", false),
        ("_mm_clflush((void *)&m[0]);", true),
        ("_mm_clflush((void *)&m[15]);", true),
        ("_mm_clflush((void *)&m[16]);", false),
        ("_mm_clflushopt((void *)&m[0]);", false),
        ("_mm_clwb((void *)&m[0]); _mm_lfence();", false),
        ("_mm_clwb((void *)&m[0]); _mm_sfence();", true),
        ("_mm_sfence(); _mm_clwb((void *)&m[0]);", false),
        ("_mm_clwb((void *)&m[0]); _mm_mfence();", true),
        ("_mm_clwb((void *)&m[0]); atomic_exchange_explicit(&m[32], 1, memory_order_relaxed);", true),
        ("_mm_clwb((void *)&m[0]); atomic_compare_exchange_strong(&m[32], &other, 1);", false),
        ("_mm_clwb((void *)&m[0]); (void)atomic_load(&m[32]);", false),
        ("_mm_clwb((void *)&m[0]); _mm_clflush((void *)&m[0]);", true),
        ("asm volatile(\"clwb %0\\n\\tsfence\" : \"+m\"(m[0]) :: \"memory\");", true),
        ("asm volatile(\"clflushopt %0\" : \"+m\"(m[0]) :: \"memory\");", false),
        (
            "asm volatile(\".byte 0x66; clflush %0\" : \"+m\"(m[0])); asm volatile(\"mfence\" ::: \"memory\");",
            true,
        ),
        ("__VERIFIER_pbarrier();", true),
    ];
    for (between, holds) in cases {
        let args = ["--persist", "px86", "-m", "tso", "--", "-mclwb", "-mclflushopt"];
        let report = report("lines", &two_lines(between), &args);
        let verdict = if holds { "verified" } else { "violated" };
        assert_eq!(report["verdict"], verdict, "{between}: {} {}", report["errors"], report["unknown"]);
    }
    let stream = two_lines("_mm_stream_si32((int *)&m[32], 1);");
    assert_eq!(report("stream", &stream, &["--persist", "px86", "-m", "tso"])["verdict"], "unknown");
}

#[test]
fn workers_checkpoints_and_estimates_go_with_crashes() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/files/many.c");
    let file = file.to_str().expect("a name");
    let checkpoint = std::env::temp_dir().join(format!("selvedge-persist-{}.checkpoint", std::process::id()));
    let checkpoint = checkpoint.to_str().expect("a name");
    let run = |more: &[&str]| -> Value {
        let mut args = vec!["check", file, "--persist", "px86", "-m", "tso", "--format", "json"];
        args.extend(more);
        args.extend(["--", "-mclwb"]);
        serde_json::from_slice(&selvedge(&args).stdout).expect("a report")
    };
    let all = run(&["-j", "1"]);
    let counts = |report: &Value| {
        (report["verdict"].clone(), report["executions"].clone(), report["post_crash_states"].clone())
    };
    assert_eq!(all["verdict"], "verified");
    assert_eq!(counts(&run(&["-j", "2", "--alone", "0"])), counts(&all));
    let part = run(&["--max-executions", "20", "--checkpoint", checkpoint]);
    assert_eq!(part["verdict"], "unknown");
    assert!(part["post_crash_states"].as_u64() < all["post_crash_states"].as_u64());
    assert_eq!(counts(&run(&["--resume", checkpoint])), counts(&all));
    // Another persistency model is another check.
    let other = selvedge(&[
        "check",
        file,
        "--persist",
        "weakest",
        "-m",
        "tso",
        "--resume",
        checkpoint,
        "--",
        "-mclwb",
    ]);
    assert_eq!(other.status.code(), Some(2));
    std::fs::remove_file(checkpoint).expect("it was there");
    let estimate =
        selvedge(&["estimate", file, "-m", "tso", "--persist", "px86", "--format", "json", "--", "-mclwb"]);
    let estimate: Value = serde_json::from_slice(&estimate.stdout).expect("a report");
    assert_eq!(estimate["estimated_executions"].as_f64(), all["executions"].as_f64());
    assert_eq!(estimate["estimated_post_crash_states"].as_f64(), all["post_crash_states"].as_f64());
}

/// All errors of recovery are found, not only the first in each execution.
#[test]
fn all_errors_are_those_of_every_state() {
    let text = "#include <assert.h>\n#include <selvedge.h>\nstatic int d;\n\
                void __VERIFIER_recovery_routine(void) {\nassert(d != 2);\nassert(d != 1);\nassert(d != 0);\n}\n\
                int main(void) { selvedge_durable(&d, sizeof d); d = 1; d = 2; return 0; }\n";
    let all = report("all", text, &["--persist", "px86", "-m", "tso", "--all-errors"]);
    let mut lines: Vec<u64> =
        all["errors"].as_array().expect("errors").iter().filter_map(|error| error["line"].as_u64()).collect();
    lines.sort();
    assert_eq!(lines, [5, 6, 7]);
    assert_eq!(all["post_crash_states"], 3);
}

/// Assertions of recovery are looked for also where those of the program are not; and a check in which
/// recovery never runs is none.
#[test]
fn only_recovery_is_looked_at() {
    let program = |main: &str| {
        format!(
            "#include <assert.h>\n#include <selvedge.h>\n#include <stdlib.h>\nstatic int d;\n\
             static void routine(void) {{ assert(d != 1); }}\n\
             int main(void) {{ selvedge_durable(&d, sizeof d); {main} return 0; }}\n"
        )
    };
    let args = ["--persist", "px86", "-m", "tso", "--errors", "recovery-assertion"];
    for then in ["", "assert(0);", "exit(0);", "abort();"] {
        let report = report("only", &program(&format!("selvedge_recovery(routine); d = 1; {then}")), &args);
        assert_eq!(report["errors"][0]["kind"], "recovery-assertion", "{then}: {}", report["unknown"]);
    }
    let never = report("never", &program("d = 1; if (d == 2) selvedge_recovery(routine);"), &args);
    assert_eq!(never["verdict"], "unknown");
}

/// A file that is mapped is not cut: what was in memory would have to be zero then.
#[test]
fn mapped_files_are_not_cut() {
    for (then, verdict) in [
        ("", "verified"),
        ("open(\"a\", O_RDWR | O_TRUNC);", "system-call"),
        ("ftruncate(fd, 0);", "system-call"),
        ("unlink(\"a\"); open(\"a\", O_CREAT | O_RDWR, 0600);", "recovery"),
    ] {
        let text = format!(
            "#define _GNU_SOURCE\n#include <assert.h>\n#include <fcntl.h>\n#include <selvedge.h>\n\
             #include <sys/mman.h>\n#include <unistd.h>\n\
             static int *map(int fd) {{ return mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, \
             fd, 0); }}\n\
             void __VERIFIER_recovery_routine(void) {{ int fd = open(\"a\", O_RDWR); ftruncate(fd, 8); \
             assert(map(fd)[0] == 1); }}\n\
             int main(void) {{ int fd = open(\"a\", O_CREAT | O_RDWR, 0600); ftruncate(fd, 8); *map(fd) = 1; \
             __VERIFIER_pbarrier(); {then} return 0; }}\n"
        );
        let report = report("mapped", &text, &["--persist", "px86-ext4", "-m", "tso"]);
        match verdict {
            "verified" => assert_eq!(report["verdict"], "verified"),
            "system-call" => assert_eq!(report["errors"][0]["kind"], "system-call", "{then}"),
            // A new file begins with nothing in it, and is too small.
            _ => assert_eq!(report["verdict"], "violated", "{then}"),
        }
    }
}

/// What a reduction would leave out, if it did not know that recovery looks: a state between two steps that
/// others take for one, the order of threads that do the same, writes that come to nothing.
const SEEN_BY_RECOVERY: [(&str, &str, &str); 6] = [
    ("m[0] == 0", "", "atomic_fetch_add(&m[0], 1); _mm_clflush((void *)&m[0]); atomic_fetch_sub(&m[0], 1);"),
    (
        "m[0] == 0 || m[0] == 2",
        "while (atomic_load(&m[0]) != 2) {}",
        "atomic_fetch_add(&m[0], 1); while (atomic_load(&m[0]) != 2) {}",
    ),
    ("!(m[16] && !m[0])", "", "atomic_store(&m[16 * me], 1); atomic_fetch_add(&m[32], 1);"),
    ("!(m[0] && !m[16])", "", "atomic_store(&m[16 * me], 1); atomic_fetch_add(&m[32], 1);"),
    (
        "!(m[16] && !m[0])",
        "",
        "pthread_mutex_lock(&lock); m[16 * me] = 1; _mm_clflush((void *)&m[16 * me]); pthread_mutex_unlock(&lock);",
    ),
    (
        "m[0] == m[16]",
        "int was = 0; atomic_compare_exchange_strong(&m[0], &was, 1);",
        "int was = 0; atomic_compare_exchange_strong(&m[0], &was, 1); atomic_store(&m[16], 1);",
    ),
];

#[test]
fn reductions_leave_out_nothing_that_recovery_sees() {
    for (holds, main, thread) in SEEN_BY_RECOVERY {
        let text = format!(
            "#include <assert.h>\n#include <immintrin.h>\n#include <pthread.h>\n#include <selvedge.h>\n\
             #include <stdatomic.h>\n\
             _Alignas(64) _Atomic int m[48];\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
             static void *run(void *at) {{ int me = (int)(long)at; {thread} return (void *)(long)(me * 0); }}\n\
             void __VERIFIER_recovery_routine(void) {{ assert({holds}); (void)lock; }}\n\
             int main(void) {{ pthread_t a, b; selvedge_durable(m, sizeof m);\n\
             pthread_create(&a, 0, run, (void *)0L); pthread_create(&b, 0, run, (void *)1L);\n\
             {main}\n\
             pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
        );
        for more in [&[][..], &["--disable", "all"]] {
            let mut args = vec!["--persist", "px86", "-m", "tso"];
            args.extend(more);
            let report = report("seen", &text, &args);
            let first = &report["errors"][0]["kind"];
            assert_eq!(*first, "recovery-assertion", "{thread} {more:?}: {}", report["unknown"]);
        }
    }
}

/// Recovery that creates a thread running `thread`, and then does `then`; with the model, and what comes of
/// it.
const RECOVERIES: [(&str, &str, &str, &str, &str); 6] = [
    ("sc", "x = d[0] + 1; r = y;", "y = 1; int s = x; pthread_join(t, 0); assert(r || s);", "verified", ""),
    (
        "tso",
        "atomic_store_explicit(&x, d[0] + 1, memory_order_relaxed); r = atomic_load_explicit(&y, memory_order_relaxed);",
        "atomic_store_explicit(&y, 1, memory_order_relaxed); int s = atomic_load_explicit(&x, memory_order_relaxed); \
         pthread_join(t, 0); assert(r || s);",
        "violated",
        "recovery-assertion",
    ),
    ("rc11", "n += d[0];", "n += 1; pthread_join(t, 0);", "violated", "data-race"),
    ("rc11", "while (!x) {}", "pthread_join(t, 0);", "violated", "non-termination"),
    ("tso", "if (p[0]) n = *p[0];", "pthread_join(t, 0);", "violated", "wild-pointer"),
    ("tso", "d[0] = d[0] + 1;", "pthread_join(t, 0); assert(d[0] == 1 || d[0] == 2);", "verified", ""),
];

#[test]
fn recovery_creates_threads() {
    for (model, thread, then, verdict, kind) in RECOVERIES {
        let text = format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <selvedge.h>\n#include <stdatomic.h>\n\
             #include <stdlib.h>\n\
             _Alignas(64) int d[16];\n_Alignas(64) int *p[1];\nstatic atomic_int x, y;\nstatic int r, n;\n\
             static void *run(void *none) {{ {thread} return none; }}\n\
             void __VERIFIER_recovery_routine(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); {then} }}\n\
             int main(void) {{ selvedge_durable(d, sizeof d); selvedge_durable(p, sizeof p);\n\
             d[0] = 1; p[0] = malloc(4); *p[0] = 1; return 0; }}\n"
        );
        let report = report("threads", &text, &["--persist", "weakest", "-m", model]);
        assert_eq!(report["verdict"], verdict, "{thread}: {} {}", report["errors"], report["unknown"]);
        assert!(kind.is_empty() || report["errors"][0]["kind"] == kind, "{thread}: {}", report["errors"]);
    }
}

/// Also where the execution is too long to be told whole.
#[test]
fn what_a_crash_left_is_told_in_long_executions() {
    let file = examples().join("wal-bug.c").display().to_string();
    let run = selvedge(&["check", &file, "--persist", "ext4-ordered"]);
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(out.contains("are left out"), "{out}");
    assert!(out.contains("[lost]") && out.contains("[persisted]"), "{out}");
}
