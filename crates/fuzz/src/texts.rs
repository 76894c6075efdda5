//! Models and litmus tests, read in this process.

use crate::mutate::{Mutator, files};
use crate::{Outcome, Subject, root};
use selvedge_kat::Dialect;
use selvedge_model::Compiled;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn contents(paths: Vec<std::path::PathBuf>) -> Vec<Vec<u8>> {
    paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Runs what may panic.
fn caught(run: impl FnOnce() -> bool) -> Outcome {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(true) => Outcome::Accepted,
        Ok(false) => Outcome::Refused,
        Err(_) => Outcome::Failed(String::from("it panics")),
    }
}

pub struct Models {
    corpus: Vec<Vec<u8>>,
}

const WORDS: &[&str] = &[
    " | ",
    " ; ",
    " & ",
    " \\ ",
    "*",
    "+",
    "?",
    "^-1",
    "~",
    "(",
    ")",
    "[",
    "]",
    "let a = ",
    "let rec a = ",
    " and ",
    "acyclic ",
    "empty ",
    "irreflexive ",
    "export ",
    "po",
    "rf",
    "co",
    "fr",
    "[W]",
    "[R & SC]",
    "addr",
    "data",
    "ctrl",
    " <= ",
    "error x unless ",
    "assume ",
    "view a = ",
    "domain(",
    "range(",
    "0",
    "\u{202e}",
    "\x1b",
    "hb",
    "po-imm",
];

impl Models {
    pub fn new() -> Models {
        let mut paths = files(&root().join("models"), "kat");
        paths.extend(files(&root().join("models"), "cat"));
        let mut corpus = contents(paths);
        let doubling: String = (1..12).map(|n| format!("let a{n} = a{} ; a{0}\n", n - 1)).collect();
        corpus.push(format!("let a0 = po | rf\n{doubling}export acyclic a3 | po | rf").into_bytes());
        Models { corpus }
    }
}

impl Subject for Models {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        mutator.change(&self.corpus, WORDS)
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(input);
        let include = |file: &str| {
            let name = file.strip_suffix(".kat").unwrap_or(file);
            selvedge_kat::builtin(name)
                .map(|(text, _)| text.to_string())
                .ok_or_else(|| String::from("no file"))
        };
        let mut accepted = false;
        for dialect in [Dialect::Kat, Dialect::Cat] {
            let outcome = caught(|| match selvedge_kat::parse("m", &text, dialect, &include) {
                Ok(theory) => {
                    // Printed and read again it is the same.
                    let printed = theory.to_kat();
                    let again = selvedge_kat::parse("m", &printed, Dialect::Kat, &include);
                    assert_eq!(again.map(|t| t.to_kat()).as_deref(), Ok(printed.as_str()));
                    match Compiled::compile(&theory) {
                        Ok(_) => true,
                        Err(error) => error.to_string().is_empty(),
                    }
                }
                Err(error) => error.to_string().is_empty(),
            });
            match outcome {
                Outcome::Accepted => accepted = true,
                Outcome::Refused => {}
                failed => return failed,
            }
        }
        if accepted { Outcome::Accepted } else { Outcome::Refused }
    }
}

pub struct Tests {
    corpus: Vec<Vec<u8>>,
}

const TEST_WORDS: &[&str] = &[
    "P0",
    "P1",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    ":",
    "=",
    "==",
    "[x]",
    "*x",
    "exists",
    "~exists",
    "forall",
    "/\\",
    "\\/",
    "while (",
    "if (",
    "for (;;)",
    "goto L;",
    "L:",
    "int r0 = ",
    "r0",
    "atomic_int* x",
    "-1",
    "0x7fffffffffffffff",
    "99999999999999999999",
    "memory_order_",
    "atomic_load(",
    "DMB SY",
    "LDR X0,[X1]",
    "STLXR W2,X0,[X1]",
    "lwsync",
    "fence rw,rw",
    "locations [",
    "filter",
    "spawned",
    "(*",
    "*)",
    "\u{202e}",
    "\x1b[2J",
    "WRITE_ONCE(*x, 1);",
];

impl Tests {
    pub fn new() -> Tests {
        Tests { corpus: contents(files(&root().join("examples"), "litmus")) }
    }
}

impl Subject for Tests {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        mutator.change(&self.corpus, TEST_WORDS)
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(input);
        let options = selvedge_litmus::Options::default();
        caught(|| match selvedge_litmus::parse("t", &text, &options) {
            Ok(test) => {
                let printed = selvedge_litmus::print_program(&test.program, &test.condition_text);
                !printed.is_empty()
            }
            Err(error) => error.to_string().is_empty(),
        })
    }
}
