//! Two programs that differ in one thing: one is right, the other is not.

use super::{directory, selvedge, write};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEADERS: [&str; 11] = [
    "assert.h",
    "errno.h",
    "malloc.h",
    "pthread.h",
    "semaphore.h",
    "stdatomic.h",
    "stddef.h",
    "stdint.h",
    "stdlib.h",
    "string.h",
    "threads.h",
];

/// Checks that one program is verified, and that the other has an error of this kind. `flags` are for clang,
/// but for `--strict-bounds`.
pub fn twins(kind: &str, flags: &str, right: &str, wrong: &str) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("twins-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let dir = directory(&name);
    for (text, expected) in [(right, None), (wrong, Some(kind))] {
        let file = write(&dir, "program.c", program(text));
        for reductions in ["", "bam"] {
            // How barriers are explored matters only where there are some.
            if reductions == "bam" && !text.contains("barrier") {
                continue;
            }
            let found = verdict(&file, flags, reductions);
            assert_eq!(found, expected.unwrap_or("verified"), "without {reductions:?}:\n{text}");
        }
    }
    let _ = std::fs::remove_dir_all(dir);
}

fn program(text: &str) -> String {
    let headers: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    format!("#define _GNU_SOURCE\n{headers}{text}\n")
}

/// The kind of the first error, or the verdict if there is none.
fn verdict(file: &str, flags: &str, without: &str) -> String {
    let (ours, clang): (Vec<&str>, Vec<&str>) =
        flags.split_whitespace().partition(|flag| *flag == "--strict-bounds");
    let mut args = vec!["check", "--format", "json", "--disable", without, file];
    args.extend(ours);
    args.push("--");
    args.extend(clang);
    let run = selvedge(args);
    let report: Value =
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {} {}", run.out, run.err));
    let kind = report["errors"][0]["kind"].as_str().or(report["verdict"].as_str());
    kind.unwrap_or_default().to_string()
}
