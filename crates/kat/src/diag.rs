//! Messages about a source text: file, line, column, the line itself underlined, what to do.

use std::fmt;
use std::sync::Arc;

/// A place in a source text. Lines and columns count from 1; columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    pub file: Arc<str>,
    pub line: u32,
    pub col: u32,
    /// How many characters to underline, at least 1.
    pub len: u32,
}

/// One error, ready to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    pub span: Option<Span>,
    /// The source line, shortened around the place if it is very long.
    pub excerpt: Option<String>,
    /// Where in `excerpt` (characters, from 0) the place starts.
    pub excerpt_col: u32,
    /// What to try.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(span) = &self.span {
            write!(f, "\n  --> {}:{}:{}", span.file, span.line, span.col)?;
            if let Some(excerpt) = &self.excerpt {
                let number = span.line.to_string();
                let pad = " ".repeat(number.len());
                let room = (excerpt.chars().count() as u32).saturating_sub(self.excerpt_col).max(1);
                let under = "^".repeat(span.len.clamp(1, room) as usize);
                let indent = " ".repeat(self.excerpt_col as usize);
                write!(f, "\n {pad} |\n {number} | {excerpt}\n {pad} | {indent}{under}")?;
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
