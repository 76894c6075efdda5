//! Random changes.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

pub struct Mutator {
    rng: SmallRng,
}

impl Mutator {
    pub fn new(seed: u64) -> Mutator {
        Mutator { rng: SmallRng::seed_from_u64(seed) }
    }

    /// A number below `n`, or 0 if there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n.max(1))
    }

    pub fn bits(&mut self) -> u64 {
        self.rng.random()
    }

    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// One of the corpus with a few changes: bytes, stretches, pieces of others, words.
    pub fn change(&mut self, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut text = self.pick(corpus).clone();
        for _ in 0..1 + self.below(6) {
            self.edit(&mut text, corpus, words);
        }
        text
    }

    fn edit(&mut self, text: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
        let at = self.below(text.len() + 1);
        let stretch = |mutator: &mut Mutator, of: &[u8], most: usize| {
            let from = mutator.below(of.len() + 1);
            of[from..(from + mutator.below(most)).min(of.len())].to_vec()
        };
        match self.below(8) {
            0 if at < text.len() => text[at] = self.bits() as u8,
            1 if at < text.len() => text[at] ^= 1 << self.below(8),
            2 => {
                let to = (at + self.below(30)).min(text.len());
                text.drain(at..to);
            }
            3 => {
                let piece = stretch(self, &text.clone(), 60);
                text.splice(at..at, piece);
            }
            4 => {
                let other = self.pick(corpus).clone();
                let piece = stretch(self, &other, 200);
                text.splice(at..at, piece);
            }
            // The same again and again: depth and length.
            5 if self.below(8) == 0 => {
                let piece = stretch(self, &text.clone(), 12);
                let times = self.below(3000);
                text.splice(at..at, piece.repeat(times));
            }
            6 => text.truncate(at.max(1)),
            _ if !words.is_empty() => {
                let word = self.pick(words).bytes();
                text.splice(at..at, word);
            }
            _ => {}
        }
    }
}

/// The files with an extension below a directory.
pub fn files(directory: &std::path::Path, extension: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
