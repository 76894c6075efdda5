//! .NET assemblies and their symbols, damaged, for the `selvedge` command.

use crate::mutate::{Mutator, files};
use crate::processes::{LIMIT, directory, outcome};
use crate::{Outcome, Subject, root};
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Assemblies {
    selvedge: PathBuf,
    corpus: Vec<Vec<u8>>,
    /// A program that is as it was, for damaged symbols.
    program: Vec<u8>,
    symbols: Vec<Vec<u8>>,
    directory: PathBuf,
}

impl Assemblies {
    pub fn new(selvedge: &Path) -> Result<Assemblies, String> {
        let directory = directory("assemblies")?;
        let (mut corpus, mut symbols) = (Vec::new(), Vec::new());
        let mut program = Vec::new();
        for file in files(&root().join("examples/dotnet"), "cs") {
            let to = directory.join("seed.exe");
            let mut command = Command::new("mcs");
            command.args(["-debug", "-d:DEBUG"]).arg(format!("-out:{}", to.display())).arg(file);
            if command.output().is_ok_and(|done| done.status.success()) {
                corpus.extend(std::fs::read(&to).ok());
                if symbols.is_empty() {
                    program = std::fs::read(&to).unwrap_or_default();
                    symbols.extend(std::fs::read(directory.join("seed.exe.mdb")).ok());
                }
            }
        }
        if corpus.is_empty() {
            return Err(String::from("mono's compiler (Debian: mono-mcs) does not compile the examples"));
        }
        Ok(Assemblies { selvedge: selvedge.to_path_buf(), corpus, program, symbols, directory })
    }
}

/// Numbers that sizes, rows and offsets do not like.
const EDGES: [u32; 8] = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

fn damage(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], mutator: &mut Mutator) {
    for _ in 0..=mutator.below(5) {
        if bytes.is_empty() {
            return;
        }
        let at = mutator.below(bytes.len());
        match mutator.below(12) {
            0..4 => bytes[at] = mutator.bits() as u8,
            4..6 => bytes[at] ^= 1 << mutator.below(8),
            6..8 => {
                let number = mutator.pick(&EDGES).to_le_bytes();
                bytes[at..].iter_mut().zip(number).for_each(|(to, from)| *to = from);
            }
            8 | 9 => {
                // A part of the same file somewhere else: tokens and signatures that are right there.
                let (from, length) = (mutator.below(bytes.len()), 1 + mutator.below(16));
                let part: Vec<u8> = bytes[from..].iter().take(length).copied().collect();
                bytes[at..].iter_mut().zip(part).for_each(|(to, from)| *to = from);
            }
            10 => {
                let other = mutator.pick(corpus);
                let length = 1 + mutator.below(64);
                bytes[at..]
                    .iter_mut()
                    .zip(other.iter().skip(at))
                    .take(length)
                    .for_each(|(to, from)| *to = *from);
            }
            _ if mutator.below(4) == 0 => bytes.truncate(at),
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

impl Subject for Assemblies {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        let corpus =
            if mutator.below(8) == 0 && !self.symbols.is_empty() { &self.symbols } else { &self.corpus };
        let mut bytes = mutator.pick(corpus).clone();
        damage(&mut bytes, corpus, mutator);
        bytes
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let (program, symbols) = (self.directory.join("input.exe"), self.directory.join("input.exe.mdb"));
        let _ = std::fs::remove_file(&symbols);
        let is_symbols = self.symbols.first().is_some_and(|s| input.len() >= 8 && s.starts_with(&input[..8]));
        let written = match is_symbols {
            true => std::fs::write(&program, &self.program).and_then(|()| std::fs::write(&symbols, input)),
            false => std::fs::write(&program, input),
        };
        if let Err(error) = written {
            return Outcome::Failed(error.to_string());
        }
        let mut command = Command::new(&self.selvedge);
        outcome(command.arg("check").arg(&program).args(LIMIT).args(["-j", "1", "--unroll", "4"]))
    }
}
