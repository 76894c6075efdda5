//! What the pages name is there: modules of the glossary, keys of the bibliography, files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_path_buf()
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// All files below a directory.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("a file").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Whether a crate has a module of this name, in whatever directory.
fn has_module(crate_name: &str, module: &str) -> bool {
    let source = root().join("crates").join(crate_name).join("src");
    source.is_dir()
        && below(&source).iter().any(|file| {
            let stem = file.file_stem().expect("a name");
            stem == module || file.parent().and_then(Path::file_name).is_some_and(|dir| dir == module)
        })
}

#[test]
fn every_word_of_the_glossary_is_at_home_in_a_module() {
    let page = text(&root().join("docs/glossary.md"));
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| word"))
        .map(|line| line.trim_matches('|').rsplitn(2, " | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() > 50, "{} words", rows.len());
    let crates: Vec<String> = std::fs::read_dir(root().join("crates"))
        .expect("crates")
        .map(|entry| entry.expect("a crate").file_name().to_string_lossy().into_owned())
        .collect();
    let mut wrong = Vec::new();
    for row in rows {
        let module = row[0].trim_matches('`');
        let (home, name) = module.split_once("::").unwrap_or((module, "lib"));
        if !has_module(home, name) {
            let others: Vec<&String> = crates.iter().filter(|other| has_module(other, name)).collect();
            wrong.push(format!("`{module}` ({}): there is none; `{name}` is in {others:?}", row[1]));
        }
    }
    assert!(wrong.is_empty(), "docs/glossary.md:\n  {}\n", wrong.join("\n  "));
}

/// Keys in brackets: a name and two digits.
fn keys(text: &str) -> BTreeSet<&str> {
    let is_key = |word: &&str| {
        let name = word.trim_end_matches(['a', 'b']).trim_end_matches(|c: char| c.is_ascii_digit());
        let year = word[name.len()..].trim_end_matches(['a', 'b']);
        year.len() == 2
            && name.len() > 3
            && name.starts_with(char::is_uppercase)
            && name.chars().all(char::is_alphabetic)
    };
    text.split('[').skip(1).filter_map(|rest| rest.split([']', ',', ' ']).next()).filter(is_key).collect()
}

#[test]
fn every_key_that_is_cited_is_in_the_bibliography_once() {
    let page = text(&root().join("docs/bibliography.md"));
    let entries: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| [")?.split(']').next()).collect();
    let known: BTreeSet<&str> = entries.iter().copied().collect();
    assert_eq!(known.len(), entries.len(), "{entries:?}");
    assert_eq!(keys("x [Lahav17], [Lahav16a]; [SC] [Init] [a12] [Alglave14, §4]").len(), 3);
    let mut cited = 0;
    for directory in ["docs", "models", "examples", "crates/compare/tests/verdicts"] {
        for file in below(&root().join(directory)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for key in keys(&text) {
                assert!(known.contains(key), "{}: [{key}] is not in docs/bibliography.md", file.display());
                cited += 1;
            }
        }
    }
    assert!(cited > 30, "{cited}");
}

#[test]
fn every_file_that_a_page_names_exists() {
    let mut pages: Vec<PathBuf> = below(&root().join("docs"));
    pages.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    let (mut named, mut wrong) = (0, Vec::new());
    for page in pages.iter().filter(|page| page.extension().is_some_and(|end| end == "md")) {
        let text = text(page);
        for word in text.split('`').skip(1).step_by(2) {
            let is_path =
                ["crates/", "models/", "docs/", "scripts/", "examples/"].iter().any(|d| word.starts_with(d));
            // `models/NAME.kat` and `crates/*/Cargo.toml` stand for many.
            if is_path && !word.contains(|c: char| c.is_whitespace() || c.is_uppercase() || "*…{".contains(c))
            {
                if !root().join(word).exists() {
                    wrong.push(format!("{}: there is no `{word}`", page.display()));
                }
                named += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "pages name files that do not exist:\n  {}\n", wrong.join("\n  "));
    assert!(named > 20, "{named}");
}

#[test]
fn every_kind_of_error_is_in_the_table() {
    use selvedge_machine::ErrorKind;
    let page = text(&root().join("docs/check.md"));
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for kind in ErrorKind::ALL {
        // The first is called by the model's own name; the second is no error of the program.
        if matches!(kind, ErrorKind::OfModel | ErrorKind::Unsupported) {
            continue;
        }
        let name = format!("`{kind}`");
        assert!(rows.iter().any(|row| row.contains(&name)), "docs/check.md does not tell of {name}");
    }
}

#[test]
fn comments_are_within_110_columns() {
    let mut open = vec![root().join("crates")];
    let mut wrong = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory").map(|e| e.expect("an entry").path())
        {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                let lines = text(&entry);
                let long = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > 110;
                let lines = lines.lines().zip(1..).filter(|(line, _)| long(line));
                wrong.extend(lines.map(|(_, number)| format!("{}:{number}", entry.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
