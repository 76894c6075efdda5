//! A source text with its name, and the making of diagnostics that point into it.

use crate::diag::{Diagnostic, Span};
use std::sync::Arc;

/// The longest excerpt of a source line that a diagnostic shows, in characters.
const EXCERPT: usize = 100;

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
        let (excerpt, excerpt_col) = excerpt(self.text, pos.offset as usize);
        Diagnostic {
            message: message.into(),
            span: Some(self.span(pos)),
            excerpt: Some(excerpt),
            excerpt_col,
            help: None,
        }
    }
}

impl Diagnostic {
    /// A diagnostic about no place in particular.
    pub(crate) fn plain(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), span: None, excerpt: None, excerpt_col: 0, help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// The line around `offset`, cut to [`EXCERPT`] characters, and the place of `offset` in it. Takes
/// time in the length of the excerpt, not of the line.
fn excerpt(text: &str, offset: usize) -> (String, u32) {
    let offset = offset.min(text.len());
    let ends_line = |c: &char| *c != '\n';
    // One character more than fits, on either side, tells whether something is cut off.
    let before: Vec<char> = text[..offset].chars().rev().take_while(ends_line).take(EXCERPT + 1).collect();
    let after: Vec<char> = text[offset..].chars().take_while(ends_line).take(EXCERPT + 1).collect();
    let after = match after.as_slice() {
        [rest @ .., '\r'] => rest,
        all => all,
    };
    let mut line: Vec<char> = before.iter().rev().chain(after).map(|&c| printable(c)).collect();
    let mut col = before.len();
    if line.len() > EXCERPT {
        let start = col.saturating_sub(EXCERPT / 2).min(line.len() - EXCERPT);
        let cut_after = line.len() > start + EXCERPT;
        line.drain(..start);
        line.truncate(EXCERPT);
        col -= start;
        // `before` is longer than half an excerpt wherever `start > 0`, so the marks hide no part
        // of what is underlined first.
        if start > 0 {
            line[0] = '…';
        }
        if cut_after && col + 1 < EXCERPT {
            line[EXCERPT - 1] = '…';
        }
    }
    (line.into_iter().collect(), col as u32)
}

/// Tabs and control characters would move the underline away from its place.
fn printable(c: char) -> char {
    if c.is_whitespace() {
        ' '
    } else if c.is_control() {
        '\u{fffd}'
    } else {
        c
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_are_shown_whole() {
        assert_eq!(excerpt("ab\n\tcd ef\r\ngh", 7), (" cd ef".to_string(), 4));
        assert_eq!(excerpt("", 0), (String::new(), 0));
        assert_eq!(excerpt("ab", 2), ("ab".to_string(), 2));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}!{}", "x".repeat(5000), "y".repeat(5000));
        for (offset, shown) in [(0, 'x'), (30, 'x'), (5000, '!'), (9990, 'y'), (10_000, 'y')] {
            let (line, col) = excerpt(&text, offset);
            assert_eq!(line.chars().count(), EXCERPT);
            assert_eq!(line.chars().nth(col as usize), Some(shown), "{offset}");
        }
        let (line, _) = excerpt(&text, 5000);
        assert!(line.starts_with('…') && line.ends_with('…'));
    }
}
