//! `selvedge models`.

use crate::error::Exit;
use crate::output::print;
use std::fmt::Write;

pub fn main() -> Exit {
    let names = selvedge_kat::builtin_names();
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for name in names {
        let text = selvedge_kat::builtin(name).map_or("", |(text, _)| text);
        let _ = writeln!(out, "{name:width$}  {}", summary(text));
    }
    print(&out);
    Exit::Done
}

/// The first sentence of the first comment.
fn summary(text: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || line.starts_with("(*");
    let lines = text.lines().map(str::trim).skip_while(|line| !is_comment(line));
    let words = lines
        .take_while(|line| !line.is_empty())
        .map(|line| line.trim_start_matches(['/', '(', '*']).trim_end_matches(['*', ')']).trim())
        .collect::<Vec<_>>()
        .join(" ");
    let end = words.find([':', ';']).into_iter().chain(words.find(". ")).min().unwrap_or(words.len());
    words[..end].trim_end_matches('.').to_string()
}
