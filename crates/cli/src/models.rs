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
    let persistency = selvedge_kat::persistency_models();
    let width = persistency.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    out += "\nWhat persists before what (`check --persist`):\n";
    for (name, text) in persistency {
        let _ = writeln!(out, "{name:width$}  {}", summary(text));
    }
    print(&out);
    Exit::Done
}

/// What the first comment says before it goes into details.
fn summary(text: &str) -> String {
    let is_comment = |line: &&str| line.starts_with("//") || line.starts_with("(*");
    let line = text.lines().map(str::trim).find(is_comment).unwrap_or("");
    let line = line.trim_start_matches(['/', '(', '*']).trim_end_matches(['*', ')']);
    let end = [":", " (", ". ", ";"].iter().filter_map(|stop| line.find(stop)).min().unwrap_or(line.len());
    line[..end].trim().trim_end_matches(['.', ',']).to_string()
}
