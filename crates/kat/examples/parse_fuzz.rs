//! Throws random texts at the front end, fast: `parse_fuzz [COUNT] [SEED]`.
//!
//! Texts are random bytes, random tokens and mutated shipped models, of some tens to a few hundred
//! bytes, each read in both dialects in turn. What reads is printed and read again. Ends with status 1
//! if anything panicked or did not survive printing.

use selvedge_kat::{Dialect, Theory, builtin, builtin_names, parse};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Marsaglia's xorshift64*.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

#[path = "../tests/common/tokens.rs"]
mod tokens;
use tokens::TOKENS;

const OPERANDS: &[&str] = &["po", "rf", "mo", "a", "b", "[R]", "[W & SC]", "id", "0", "[]", "(po | rf)", "R"];
const OPERATORS: &[&str] = &[" | ", " ; ", " & ", " \\ ", " * "];
const POSTFIX: &[&str] = &["", "", "", "*", "+", "?", "^-1", "^="];
const STARTS: &[&str] =
    &["let a = ", "let b = ", "acyclic ", "export acyclic ", "empty ", "view a = ", "let rec a = "];

/// Random bytes.
fn bytes(rng: &mut Rng) -> String {
    let bytes: Vec<u8> = (0..rng.below(120)).map(|_| rng.next() as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Random tokens, without regard for the grammar.
fn soup(rng: &mut Rng) -> String {
    let space = if rng.below(4) == 0 { "" } else { " " };
    (0..rng.below(40)).flat_map(|_| [rng.pick(TOKENS), space]).collect()
}

/// Random items that are nearly right.
fn items(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(4) {
        text += rng.pick(STARTS);
        for _ in 0..rng.below(6) {
            text += rng.pick(OPERANDS);
            text += rng.pick(POSTFIX);
            text += rng.pick(OPERATORS);
        }
        text += rng.pick(OPERANDS);
        text += "\n";
        if rng.below(20) == 0 {
            text += rng.pick(TOKENS);
        }
    }
    text
}

/// A stretch of a shipped model with a few changes.
fn mutation(rng: &mut Rng, models: &[&str]) -> String {
    let model = rng.pick(models).as_bytes();
    let start = if rng.below(2) == 0 { 0 } else { rng.below(model.len()) };
    let mut text = model[start..(start + 40 + rng.below(260)).min(model.len())].to_vec();
    for _ in 0..rng.below(4) {
        let at = rng.below(text.len());
        match rng.below(4) {
            0 => text[at] = rng.next() as u8,
            1 => drop(text.remove(at)),
            2 => text.truncate(at + 1),
            _ => {
                text.splice(at..at, rng.pick(TOKENS).bytes());
            }
        }
        if text.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn read(text: &str, dialect: Dialect) -> Option<Theory> {
    let include = |file: &str| match file {
        "a.kat" | "a.cat" => Ok("let x = po".to_string()),
        _ => Err("no such file".to_string()),
    };
    match parse("m", text, dialect, &include) {
        Ok(theory) => Some(theory),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// Whether the text could be read.
fn run(text: &str, dialect: Dialect) -> bool {
    let Some(theory) = read(text, dialect) else { return false };
    let printed = theory.to_kat();
    let again = read(&printed, Dialect::Kat).map(|theory| theory.to_kat());
    assert_eq!(again.as_deref(), Some(printed.as_str()), "does not survive printing");
    true
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>());
    let (Ok(count), Ok(seed)) = (args.next().unwrap_or(Ok(1_000_000)), args.next().unwrap_or(Ok(1))) else {
        eprintln!("usage: parse_fuzz [COUNT] [SEED]");
        return ExitCode::from(2);
    };
    let models: Vec<&str> =
        builtin_names().iter().filter_map(|name| builtin(name)).map(|(text, _)| text).collect();
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut good, mut bad) = (0u64, 0u64);
    for n in 0..count {
        let text = match n % 8 {
            0 | 1 => bytes(&mut rng),
            2 | 3 => soup(&mut rng),
            4 | 5 => items(&mut rng),
            _ => mutation(&mut rng, &models),
        };
        let dialect = if rng.below(2) == 0 { Dialect::Kat } else { Dialect::Cat };
        match catch_unwind(AssertUnwindSafe(|| run(&text, dialect))) {
            Ok(read) => good += u64::from(read),
            Err(_) => {
                bad += 1;
                eprintln!("input {n} ({dialect:?}): {text:?}");
            }
        }
    }
    println!("{count} inputs (seed {seed}): {good} read, {} refused, {bad} panicked", count - good - bad);
    ExitCode::from(u8::from(bad > 0))
}
