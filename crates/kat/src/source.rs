//! A source text with its name, and the making of diagnostics that point into it.

use selvedge_diagnostic::{Diagnostic, Excerpt, Span, printable};
use std::sync::Arc;

/// A place in a source text, small enough to keep with every token. [`Source::span`] makes a
/// [`Span`] of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pos {
    /// Bytes from the start of the text.
    pub offset: u32,
    pub line: u32,
    pub col: u32,
    /// In characters.
    pub len: u32,
}

/// One file (or text in memory) that is being read.
pub(crate) struct Source<'a> {
    pub file: Arc<str>,
    pub text: &'a str,
}

impl Source<'_> {
    pub fn span(&self, pos: Pos) -> Span {
        Span { file: self.file.clone(), line: pos.line, col: pos.col, len: pos.len.max(1) }
    }

    /// A diagnostic at `pos`, with the source line.
    pub fn error(&self, pos: Pos, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.span(pos), message).with_excerpt(Excerpt::of(self.text, pos.offset as usize))
    }
}

/// A piece of source text as a message shows it: in backquotes, cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(60).map(printable).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
