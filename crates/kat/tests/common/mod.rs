//! What the tests share.
#![allow(dead_code, reason = "each test file uses a part")]

use selvedge_kat::{DefBody, Diagnostic, Dialect, Rel, Set, Span, Theory, parse};

pub fn no_files(file: &str) -> Result<String, String> {
    Err(format!("no file {file}"))
}

pub fn kat(text: &str) -> Result<Theory, Diagnostic> {
    parse("m.kat", text, Dialect::Kat, &no_files)
}

pub fn cat(text: &str) -> Result<Theory, Diagnostic> {
    parse("m.cat", text, Dialect::Cat, &no_files)
}

/// The relation that `text` is in `.kat`.
#[track_caller]
pub fn rel(text: &str) -> Rel {
    body(kat(&format!("let a = {text}")))
}

/// The relation that `text` is in `.cat`.
#[track_caller]
pub fn cat_rel(text: &str) -> Rel {
    body(cat(&format!("let a = {text}")))
}

#[track_caller]
fn body(theory: Result<Theory, Diagnostic>) -> Rel {
    match theory.map(|theory| theory.defs.into_iter().next().unwrap().body) {
        Ok(DefBody::Rel(rel)) => rel,
        Ok(DefBody::Set(set)) => panic!("a set: {set:?}"),
        Err(error) => panic!("{error}"),
    }
}

/// The set that `text` is inside of `[ ]` of `.kat`.
#[track_caller]
pub fn set(text: &str) -> Set {
    match rel(&format!("[{text}]")) {
        Rel::Test(set) => set,
        other => panic!("{other:?}"),
    }
}

/// The theory with all places made the same, for comparison.
pub fn placeless(mut theory: Theory) -> Theory {
    let nowhere = Span { file: "".into(), line: 0, col: 0, len: 0 };
    for def in &mut theory.defs {
        def.span = nowhere.clone();
    }
    for axiom in &mut theory.axioms {
        axiom.span = nowhere.clone();
    }
    for (_, span) in theory.assumes.iter_mut().chain(&mut theory.asserts) {
        *span = nowhere.clone();
    }
    for (_, span) in &mut theory.recovery {
        *span = nowhere.clone();
    }
    for declared in &mut theory.properties {
        declared.span = nowhere.clone();
    }
    theory
}

/// Prints, reads back and compares.
#[track_caller]
pub fn round_trip(theory: Theory) {
    let text = theory.to_kat();
    match parse("other.kat", &text, Dialect::Kat, &no_files) {
        Ok(again) => assert_eq!(placeless(again), placeless(theory), "{text}"),
        Err(error) => panic!("{error}\nin:\n{text}"),
    }
}

/// How many random inputs to try: `SELVEDGE_FUZZ_CASES`, or `usual`.
pub fn cases(usual: u32) -> u32 {
    std::env::var("SELVEDGE_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}
