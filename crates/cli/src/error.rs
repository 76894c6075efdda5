//! What can go wrong, and how the command ends.

use crate::escape::line;
use selvedge_check::source_line;
pub use selvedge_check::{InputError, InputKind};
use selvedge_diagnostic::{Diagnostic, Excerpt};
use serde::Serialize;

/// How the command ends. Of several tests, the gravest ending counts: see `worst`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Done = 0,
    Violated = 1,
    BadInput = 2,
    Bounded = 3,
}

impl Exit {
    pub fn worst(self, other: Exit) -> Exit {
        let gravity = |exit| match exit {
            Exit::Done => 0,
            Exit::Bounded => 1,
            Exit::Violated => 2,
            Exit::BadInput => 3,
        };
        if gravity(other) > gravity(self) { other } else { self }
    }
}

/// An error for other programs, if it concerns no file of many.
pub fn error_json(error: &InputError) -> String {
    // Serialising plain data to memory cannot fail.
    serde_json::to_string_pretty(&ErrorItem::new(None, error)).unwrap_or_default() + "\n"
}

/// Shows the source line where whoever found the error had only its place.
pub fn with_excerpt(diagnostic: Diagnostic) -> Diagnostic {
    if let (None, Some(span)) = (&diagnostic.excerpt, &diagnostic.span)
        && let Some(line) = source_line(&span.file, span.line)
    {
        let excerpt = Excerpt::of_line(&line, span.col);
        return diagnostic.with_excerpt(excerpt);
    }
    diagnostic
}

/// An error as it is shown: nothing of it reaches a terminal but text.
pub fn shown_error(error: &InputError) -> String {
    let mut diagnostic = error.diagnostic.clone();
    // Compilers say what they have to say in several lines; elsewhere only names have more than one.
    if error.kind != InputKind::Compile {
        diagnostic.message = line(&diagnostic.message).into_owned();
        diagnostic.help = diagnostic.help.map(|help| line(&help).into_owned());
    }
    if let Some(span) = &mut diagnostic.span {
        span.file = line(&span.file).into();
    }
    diagnostic.to_string()
}

/// An error for other programs, of the file that it was found with.
#[derive(Serialize)]
pub struct ErrorItem {
    file: Option<String>,
    error: ErrorBody,
}

#[derive(Serialize)]
struct ErrorBody {
    kind: &'static str,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl ErrorItem {
    /// No file: the error concerns all of them.
    pub fn new(file: Option<String>, error: &InputError) -> ErrorItem {
        let span = error.diagnostic.span.as_ref();
        ErrorItem {
            error: ErrorBody {
                kind: error.kind.name(),
                message: error.diagnostic.message.clone(),
                help: error.diagnostic.help.clone(),
                file: span.map(|s| s.file.to_string()).or_else(|| file.clone()),
                line: span.map(|s| s.line),
                column: span.map(|s| s.col),
            },
            file,
        }
    }
}
