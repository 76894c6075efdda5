//! Places in the text, and errors that show them.

use selvedge_diagnostic::{Diagnostic, Excerpt, Span};
use std::sync::Arc;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    pub start: u32,
    pub len: u32,
}

impl Place {
    pub fn new(start: usize, end: usize) -> Place {
        Place { start: start as u32, len: end.saturating_sub(start) as u32 }
    }

    pub fn end(self) -> usize {
        (self.start + self.len) as usize
    }

    /// From the start of this place to the end of `other`.
    pub fn to(self, other: Place) -> Place {
        Place::new(self.start as usize, other.end().max(self.end()))
    }
}

pub struct Source<'a> {
    pub text: &'a str,
    file: Arc<str>,
    line_starts: Vec<u32>,
}

impl<'a> Source<'a> {
    pub fn new(file: &str, text: &'a str) -> Source<'a> {
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1))
            .collect();
        Source { text, file: file.into(), line_starts }
    }

    /// The line of a place, from 1.
    pub fn line(&self, place: Place) -> u32 {
        self.line_starts.partition_point(|&start| start <= place.start) as u32
    }

    pub fn slice(&self, place: Place) -> &'a str {
        self.text.get(place.start as usize..place.end()).unwrap_or("")
    }

    pub fn error(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        let line = self.line(place);
        let line_start = self.line_starts[line as usize - 1] as usize;
        let at = (place.start as usize).min(self.text.len());
        let rest = &self.text[at..];
        let line_end = at + rest.find('\n').unwrap_or(rest.len());
        let under = self.text[at..line_end.min(place.end().max(at))].chars().count();
        let span = Span {
            file: self.file.clone(),
            line,
            col: self.text[line_start..at].chars().count() as u32 + 1,
            len: under.max(1) as u32,
        };
        Diagnostic::at(span, message).with_excerpt(Excerpt::of(self.text, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_show_the_line_and_shorten_long_ones() {
        let text = format!("first\n{}HERE{}", "a".repeat(500), "b".repeat(500));
        let source = Source::new("t.litmus", &text);
        let d = source.error(Place::new(506, 510), "no");
        let span = d.span.as_ref().map(|s| (s.line, s.col, s.len));
        assert_eq!(span, Some((2, 501, 4)));
        let shown = d.to_string();
        assert!(shown.contains("t.litmus:2:501"), "{shown}");
        assert!(shown.lines().all(|l| l.chars().count() < 170), "{shown}");
        let excerpt = d.excerpt.expect("the line is at hand");
        assert_eq!(excerpt.text.chars().nth(excerpt.col as usize), Some('H'));
    }
}
