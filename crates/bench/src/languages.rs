//! The same algorithms in C, C++ and Rust: executions and seconds side by side.

use crate::command::{Check, End, Report};
use crate::table::grouped;
use std::fmt::Write;

const PROGRAMS: [&str; 5] = ["mutex", "relaxed", "seqlock", "spsc", "treiber"];
const LANGUAGES: [(&str, &str); 3] = [("C", "c"), ("C++", "cpp"), ("Rust", "rs")];

fn run(program: &str, extension: &str) -> Result<Report, String> {
    let file = format!("crates/bench/programs/languages/{program}.{extension}");
    Check { file: &file, model: "rc11", options: &[], defines: &[], jobs: 1, symmetry: false }.run()
}

/// Seconds are those of the whole command: most of them are the compiler's, of Rust above all.
pub fn markdown() -> Result<String, String> {
    let mut text = String::from(
        "## The same programs in C, C++ and Rust, under rc11 [rust]\n\n\
         **s** is processor time of the whole command, compilers included. The retries of treiber are only seen to be ones in C\n\
         (`--disable retry,escape`: 48 there, too).\n\n",
    );
    text += "| program |";
    LANGUAGES.iter().for_each(|(name, _)| _ = write!(text, " {name} | blocked | s |"));
    text += "\n|---|";
    text += &"---|".repeat(3 * LANGUAGES.len());
    text.push('\n');
    for program in PROGRAMS {
        _ = write!(text, "| {program} |");
        for (_, extension) in LANGUAGES {
            let report = run(program, extension)?;
            let sign = match report.end {
                End::Verified => "",
                _ => " (!)",
            };
            let (executions, blocked) = (grouped(report.executions), grouped(report.blocked));
            _ = write!(text, " {executions}{sign} | {blocked} | {:.2} |", report.seconds);
        }
        text.push('\n');
    }
    text.push('\n');
    Ok(text)
}
