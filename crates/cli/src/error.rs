//! What can go wrong, and how the command ends.

use crate::escape::line;
use crate::files::source_line;
use selvedge_diagnostic::{Diagnostic, Excerpt};
use serde::Serialize;
use std::fmt;

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A file or directory cannot be read or written.
    Io,
    /// The text of a test is wrong.
    Litmus,
    /// A model is wrong, unknown or not one that can drive an exploration.
    Model,
    /// Test and options do not go together.
    Unsupported,
    /// A C program cannot be compiled.
    Compile,
    /// A checkpoint is not one, is damaged, or belongs to something else.
    Checkpoint,
    /// Somebody asked for the end, or a limit was reached.
    Interrupted,
}

impl ErrorKind {
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::Litmus => "litmus",
            ErrorKind::Model => "model",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Compile => "compile",
            ErrorKind::Checkpoint => "checkpoint",
            ErrorKind::Interrupted => "interrupted",
        }
    }
}

/// An input error: there is no verdict.
#[derive(Clone, Debug)]
pub struct InputError {
    pub kind: ErrorKind,
    pub diagnostic: Diagnostic,
}

impl InputError {
    pub fn new(kind: ErrorKind, diagnostic: Diagnostic) -> InputError {
        InputError { kind, diagnostic }
    }

    /// An error that is about no place in a text.
    pub fn plain(kind: ErrorKind, message: impl Into<String>, help: Option<&str>) -> InputError {
        let diagnostic = Diagnostic::plain(message);
        InputError::new(kind, Diagnostic { help: help.map(String::from), ..diagnostic })
    }

    /// For other programs, if it concerns no file of many.
    pub fn json(&self) -> String {
        // Serialising plain data to memory cannot fail.
        serde_json::to_string_pretty(&ErrorItem::new(None, self)).unwrap_or_default() + "\n"
    }
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

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut diagnostic = self.diagnostic.clone();
        // Compilers say what they have to say in several lines; elsewhere only names have more than one.
        if self.kind != ErrorKind::Compile {
            diagnostic.message = line(&diagnostic.message).into_owned();
            diagnostic.help = diagnostic.help.map(|help| line(&help).into_owned());
        }
        if let Some(span) = &mut diagnostic.span {
            span.file = line(&span.file).into();
        }
        diagnostic.fmt(f)
    }
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
