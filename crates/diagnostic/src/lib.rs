//! Messages about a source text: file, line, column, the line itself underlined, what to try.
//!
//! Everything that reads text (models, litmus tests, the command line) says what is wrong with it by a
//! [`Diagnostic`]. Source lines are cut and made safe to be shown in one place, [`Excerpt`].
//!
//! ```
//! use selvedge_diagnostic::{Diagnostic, Excerpt, Span};
//!
//! let text = "let hb = po\nacyclic hp\n";
//! let error = Diagnostic::at(Span::of("tiny.kat", text, 20, 2), "`hp` is not defined")
//!     .with_excerpt(Excerpt::of(text, 20))
//!     .with_help("did you mean `hb`?");
//! assert_eq!(
//!     error.to_string(),
//!     "error: `hp` is not defined\n  --> tiny.kat:2:9\n   |\n 2 | acyclic hp\n   |         ^^\n  \
//!      help: did you mean `hb`?"
//! );
//! ```

#![warn(missing_docs)]

mod excerpt;

pub use excerpt::{Excerpt, is_active, printable};

use std::fmt;
use std::sync::Arc;

/// A place in a source text. Lines and columns count from 1; columns count characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The name of the file, as it was given.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub col: u32,
    /// How many characters to underline, at least 1.
    pub len: u32,
}

impl Span {
    /// The place `offset` bytes after the start of `text`. Takes time in `offset`: whoever makes many spans
    /// of one text counts lines on the way.
    pub fn of(file: &str, text: &str, offset: usize, len: u32) -> Span {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Span {
            file: file.into(),
            line: before.matches('\n').count() as u32 + 1,
            col: before[line_start..].chars().count() as u32 + 1,
            len: len.max(1),
        }
    }
}

/// One error, ready to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// Where, if the message is about a place in a text.
    pub span: Option<Span>,
    /// The source line of the place, if whoever found the error had the text.
    pub excerpt: Option<Excerpt>,
    /// What to try.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic about no place in particular.
    pub fn plain(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), span: None, excerpt: None, help: None }
    }

    /// A diagnostic about a place in a text that is not at hand.
    pub fn at(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: Some(span), ..Diagnostic::plain(message) }
    }

    /// The same with the source line.
    pub fn with_excerpt(self, excerpt: Excerpt) -> Diagnostic {
        Diagnostic { excerpt: Some(excerpt), ..self }
    }

    /// The same with what to try.
    pub fn with_help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }

    /// An error about a file whose bytes are text only up to `valid`; shows what is there.
    pub fn not_text(file: &str, bytes: &[u8], valid: usize, message: impl Into<String>) -> Diagnostic {
        /// More than an excerpt shows.
        const SHOWN: usize = 200;
        let (before, after) = bytes.split_at(valid.min(bytes.len()));
        let mut text = String::from_utf8_lossy(before).into_owned();
        let offset = text.len();
        text.push_str(&String::from_utf8_lossy(&after[..after.len().min(SHOWN)]));
        Diagnostic::at(Span::of(file, &text, offset, 1), message).with_excerpt(Excerpt::of(&text, offset))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        if let Some(span) = &self.span {
            write!(f, "\n  --> {}:{}:{}", span.file, span.line, span.col)?;
            if let Some(Excerpt { text, col }) = &self.excerpt {
                let number = span.line.to_string();
                let pad = " ".repeat(number.len());
                let room = (text.chars().count() as u32).saturating_sub(*col).max(1);
                let under = "^".repeat(span.len.clamp(1, room) as usize);
                let indent = " ".repeat(*col as usize);
                write!(f, "\n {pad} |\n {number} | {text}\n {pad} | {indent}{under}")?;
            }
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_characters_and_lines() {
        let at = |offset| {
            let span = Span::of("f", "aä\nbc", offset, 0);
            (span.line, span.col, span.len)
        };
        assert_eq!(
            [at(0), at(3), at(4), at(6), at(99)],
            [(1, 1, 1), (1, 3, 1), (2, 1, 1), (2, 3, 1), (2, 3, 1)]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_in_their_line() {
        let error = Diagnostic::not_text("f", b"first\nab\xffc\nlast", 8, "no text");
        let shown = "error: no text\n  --> f:2:3\n   |\n 2 | ab\u{fffd}c\n   |   ^";
        assert_eq!(error.to_string(), shown);
    }
}
