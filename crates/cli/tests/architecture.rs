//! ARCHITECTURE.md says which crate uses which, as data; this holds it against what cargo reads from every
//! `crates/*/Cargo.toml`, so that the page cannot say anything else.
//!
//! The block is fenced as `crates`. A line `a -> b c` says that `a` depends on `b` and `c` and on no other
//! crate of the workspace (dependencies of tests and build scripts are left out); a line `a never b c` that
//! `a` does not reach `b` or `c`, over other crates either. Crates go by the names of their directories.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What each crate depends on.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The packages of the workspace, as cargo sees them.
fn packages() -> Vec<Value> {
    let asked = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(asked).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// The name of the directory that a package is in.
fn crate_of(package: &Value) -> String {
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    directory(manifest.parent().expect("a directory"))
}

fn directory(path: &Path) -> String {
    path.file_name().expect("a directory").to_string_lossy().into_owned()
}

/// The crates of the workspace.
fn workspace() -> Graph {
    let used = |package: &Value| {
        let all = package["dependencies"].as_array().expect("dependencies");
        let normal = all.iter().filter(|d| d["kind"].is_null());
        normal.filter_map(|d| d["path"].as_str()).map(|path| directory(Path::new(path))).collect()
    };
    packages().iter().map(|package| (crate_of(package), used(package))).collect()
}

/// Everything that a crate reaches.
fn reached(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_string()];
    while let Some(next) = open.pop() {
        for used in graph.get(&next).into_iter().flatten() {
            if seen.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    seen
}

/// What to change so that page and workspace agree.
fn disagreements(page: &str, graph: &Graph) -> Vec<String> {
    let Some((block, _)) = page.split_once("```crates\n").and_then(|(_, rest)| rest.split_once("```")) else {
        return vec![String::from("ARCHITECTURE.md has no block that is fenced as `crates`")];
    };
    let mut found = Vec::new();
    let mut said = BTreeSet::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, verb, ref named @ ..] = words.as_slice() else {
            found.push(format!("`{line}` is neither `crate -> crates` nor `crate never crates`"));
            continue;
        };
        let named: BTreeSet<String> = named.iter().map(|word| word.to_string()).collect();
        let unknown = named.iter().map(String::as_str).chain([name]).find(|word| !graph.contains_key(*word));
        if let Some(unknown) = unknown {
            found.push(format!("take `{unknown}` out of the line `{line}`: there is no crate of this name"));
            continue;
        }
        match verb {
            "->" if !said.insert(name) => found.push(format!("take out the second line of `{name}`")),
            "->" if named != graph[name] => found.push(format!(
                "the line of `{name}` should read `{}`, if crates/{name}/Cargo.toml is as it should be",
                line_of(name, &graph[name])
            )),
            "->" => {}
            "never" => {
                let reached = reached(graph, name);
                found.extend(named.intersection(&reached).map(|forbidden| {
                    format!(
                        "crates/{name}/Cargo.toml: `{name}` must never depend on `{forbidden}`, and now does"
                    )
                }));
            }
            _ => found.push(format!("`{line}` is neither `crate -> crates` nor `crate never crates`")),
        }
    }
    let missing = graph.iter().filter(|(name, _)| !said.contains(name.as_str()));
    found.extend(missing.map(|(name, used)| format!("add the line `{}`", line_of(name, used))));
    found
}

fn line_of(name: &str, used: &BTreeSet<String>) -> String {
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    format!("{name} -> {}", used.join(" ")).trim_end().to_string()
}

#[test]
fn the_page_names_every_crate_with_what_it_depends_on() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let found = disagreements(&page, &workspace());
    assert!(found.is_empty(), "ARCHITECTURE.md, block `crates`:\n  {}\n", found.join("\n  "));
}

/// Crates with `unsafe` code: the lints of the workspace forbid it everywhere else.
const UNSAFE: [&str; 4] = ["allocate", "fuzz", "llvm", "selvedge-hints"];

#[test]
fn every_crate_says_what_it_is_and_takes_the_lints() {
    for package in packages() {
        let name = crate_of(&package);
        let is_empty = |field: &&str| match &package[field] {
            Value::Null => true,
            Value::Array(all) => all.is_empty(),
            _ => false,
        };
        let missing: Vec<&str> = ["description", "license", "rust_version", "keywords", "categories"]
            .into_iter()
            .filter(is_empty)
            .collect();
        assert!(missing.is_empty(), "crates/{name}/Cargo.toml has no {missing:?}");
        let manifest = std::fs::read_to_string(package["manifest_path"].as_str().expect("a path"));
        let lints = match UNSAFE.contains(&name.as_str()) {
            true => "[lints.rust]\nunsafe_code = \"deny\"\n",
            false => "[lints]\nworkspace = true\n",
        };
        assert!(manifest.expect("text").contains(lints), "crates/{name}/Cargo.toml should say\n{lints}");
    }
}

#[test]
fn whatever_differs_is_told() {
    let set = |names: &str| names.split_whitespace().map(String::from).collect::<BTreeSet<_>>();
    let graph: Graph =
        [("a", ""), ("b", "a"), ("c", "b")].map(|(name, used)| (name.to_string(), set(used))).into();
    let told = |block: &str| disagreements(&format!("text\n```crates\n{block}\n```\n"), &graph).join("; ");
    assert_eq!(told("a ->\nb -> a\nc -> b\na never b"), "");
    assert_eq!(told("a ->\nb ->\nc -> b").matches("should read `b -> a`").count(), 1);
    assert_eq!(told("a ->\nc -> b"), "add the line `b -> a`");
    assert!(told("a ->\nb -> a\nc -> b\nc never a").contains("`c` must never depend on `a`"));
    assert!(told("a ->\nb -> a\nc -> b d").contains("take `d` out"));
    assert!(told("a ->\nb -> a\nc -> b\na ->").contains("second line of `a`"));
    assert!(told("a ->\nb -> a\nc -> b\na uses b").contains("neither"));
    assert!(told("a ->\nb -> a\nc -> b\na").contains("neither"));
    assert_eq!(disagreements("no block", &graph).len(), 1);
}

/// The files of tests that the one binary of a crate leaves out: nobody would notice that they do not run.
fn left_out(main: &str, files: &[String]) -> Vec<String> {
    let has = |name: &&String| !main.lines().any(|line| line == format!("mod {name};"));
    files.iter().filter(|name| *name != "main").filter(has).cloned().collect()
}

#[test]
fn every_file_of_tests_is_part_of_its_crates_binary() {
    for package in packages() {
        let tests = root().join("crates").join(crate_of(&package)).join("tests");
        let Ok(main) = std::fs::read_to_string(tests.join("main.rs")) else { continue };
        let entries = std::fs::read_dir(&tests).expect("a directory").map(|e| e.expect("an entry").path());
        let sources = entries.filter(|path| path.extension().is_some_and(|e| e == "rs"));
        let files: Vec<String> =
            sources.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
        assert_eq!(left_out(&main, &files), [""; 0], "of {}", tests.display());
    }
    let files = ["main", "here", "gone"].map(String::from);
    assert_eq!(left_out("mod here;\n", &files), ["gone"]);
}

/// What is not built for tests has none: they would never run.
#[test]
fn no_test_is_left_out_by_a_manifest() {
    fn tested(path: &Path, found: &mut BTreeSet<String>) {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).expect("a directory");
            entries.flatten().for_each(|entry| tested(&entry.path(), found));
        } else if std::fs::read_to_string(path).is_ok_and(|text| text.contains("#[test]")) {
            found.insert(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
    }
    let mut left_out = 0;
    for package in packages() {
        for target in package["targets"].as_array().expect("targets") {
            let source = Path::new(target["src_path"].as_str().expect("a path"));
            if target["test"] != false || target["kind"][0] == "custom-build" {
                continue;
            }
            left_out += 1;
            // All of a crate is below the directory of its root, but for commands beside a library.
            let is_root = source.ends_with("src/lib.rs") || source.ends_with("src/main.rs");
            let mut found = BTreeSet::new();
            tested(if is_root { source.parent().expect("src") } else { source }, &mut found);
            // The parts of the command itself are in the suite.
            if crate_of(&package) == "cli" {
                let suite = include_str!("main.rs");
                found.retain(|name| !suite.contains(&format!("mod {name};")));
            }
            assert!(found.is_empty(), "{}: {found:?} have tests", source.display());
        }
    }
    assert!(left_out > 5, "{left_out} targets without tests");
}
