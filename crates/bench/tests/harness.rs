//! The harness itself, with stand-ins for `selvedge` and for the other tool: shell scripts that say what
//! they were asked.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("selvedge-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Scratch(path)
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.0.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script is written");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("the script can be run");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bench(selvedge: &Path, peer: Option<&str>, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge-bench"));
    command.args(args).env("SELVEDGE", selvedge).env_remove("SELVEDGE_PEER");
    if let Some(line) = peer {
        command.env("SELVEDGE_PEER", line);
    }
    command.output().expect("the harness runs")
}

fn report(verdict: &str) -> String {
    format!(
        "echo '{{\"verdict\": \"{verdict}\", \"executions\": 6720, \"blocked\": 2346, \"max_rss_kb\": 2048}}'"
    )
}

/// The row of a program in a table.
fn row<'a>(text: &'a str, program: &str) -> &'a str {
    let start = format!("| {program} |");
    text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {program} in {text}"))
}

#[test]
fn figures_are_compared_with_the_published_ones() {
    let scratch = Scratch::new("compare");
    let selvedge = scratch.script("selvedge", &report("verified"));
    let out = bench(&selvedge, None, &["table", "bisimilarity"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{out:?}");
    let same = row(&text, "ws+r-peeled(3)");
    assert!(same.contains("| 6,720 | 2,346 |") && same.contains("| 2 | 6,720 | 2,345 | 0.44 |"), "{same}");
    assert!(same.ends_with("| same, **more blocked** |"), "{same}");
    let other = row(&text, "ws+r-peeled(4)");
    assert!(other.ends_with("| **differs** |"), "{other}");
    assert!(
        text.contains("* ws+r-peeled(4) under rc11 [bisimilarity]: 6,720, published 1,848,000"),
        "{text}"
    );
    assert!(!text.contains("peer"), "{text}");
}

#[test]
fn a_peer_runs_on_the_same_sources() {
    let scratch = Scratch::new("peer");
    let selvedge = scratch.script("selvedge", &report("verified"));
    let log = scratch.0.join("log");
    // It has to work for a while, or there is no time to be seen; and it does not take the readers.
    let peer = scratch.script(
        "peer",
        &format!(
            "echo \"$@\" >> {}; case \"$*\" in *-DREADERS*) echo no >&2; exit 1;; esac\n\
             i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done",
            log.display()
        ),
    );
    let line = format!("{} --{{model}} --unroll={{n}} -- {{flags}} {{file}}", peer.display());
    let out = bench(&selvedge, Some(&line), &["table", "bisimilarity"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{out:?}");
    assert!(text.contains("| peer, s | peer / ours |"), "{text}");

    let words: Vec<&str> = row(&text, "ws+r-peeled(3)").split('|').map(str::trim).collect();
    let (ours, seconds, ratio): (f64, f64, f64) = match words.as_slice() {
        ["", _, _, _, _, ours, .., seconds, ratio, ""] => {
            let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"));
            (number(ours), number(seconds), number(ratio))
        }
        _ => panic!("{words:?}"),
    };
    // What is shown is rounded; what is divided is not.
    assert!(seconds >= 0.01 && ratio > 0.0 && ours >= 0.0, "{words:?}");
    assert!(row(&text, "w+rs-peeled(4)").ends_with("| failed | – |"));

    let log = std::fs::read_to_string(log).expect("the peer was run");
    let asked: Vec<&str> = log.lines().collect();
    let file = "crates/bench/programs/peeled.c";
    assert_eq!(
        asked,
        [
            format!("--rc11 --unroll=3 -- -DN=3 {file}"),
            format!("--rc11 --unroll=4 -- -DN=4 {file}"),
            format!("--rc11 --unroll=3 -- -DN=3 -DREADERS {file}"),
            format!("--rc11 --unroll=4 -- -DN=4 -DREADERS {file}"),
        ]
    );
}

#[test]
fn a_row_that_breaks_is_an_error() {
    let scratch = Scratch::new("broken");
    let violated = scratch.script("violated", &report("violated"));
    let out = bench(&violated, None, &["table", "bisimilarity"]);
    let message = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(message.contains("peeled.c -DN=3 under rc11: the verdict is violated"), "{message}");

    let silent = scratch.script("silent", "echo 'no such file' >&2; exit 2");
    let out = bench(&silent, None, &["table", "bisimilarity"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("no such file"));

    let out = bench(&violated, None, &["table", "nonsense"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("no table `nonsense`"));
}

#[test]
fn one_table_of_a_page_is_measured_again() {
    let scratch = Scratch::new("refresh");
    let selvedge = scratch.script("selvedge", &report("verified"));
    let (before, after) = ("# Page\n\n## A [loads]\n\nold\n\n", "## All rows together [summary]\n\nsum\n");
    let page = scratch.0.join("benchmarks.md");
    let text = format!("{before}## Loops [bisimilarity]\n\nold figures\n\n{after}");
    std::fs::write(&page, text).expect("the page is written");
    let dir = scratch.0.to_str().expect("a path in UTF-8");
    let out = bench(&selvedge, None, &["report", dir, "bisimilarity"]);
    assert!(out.status.success(), "{out:?}");
    let text = std::fs::read_to_string(&page).expect("the page is there");
    assert!(text.starts_with(before) && text.ends_with(after), "{text}");
    assert!(row(&text, "ws+r-peeled(3)").contains("6,720") && !text.contains("old figures"), "{text}");
    let out = bench(&selvedge, None, &["report", dir, "no-such-table"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("no table `no-such-table`"), "{out:?}");
}
