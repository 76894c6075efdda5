//! A line of source text as messages show it.

/// The longest excerpt of a source line that a diagnostic shows, in characters.
const EXCERPT: usize = 100;

/// A source line, cut around a place if it is very long, without characters that would move what is printed
/// below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// What is shown of the line, at most 100 characters.
    pub text: String,
    /// Where in `text` (characters, from 0) the place starts.
    pub col: u32,
}

impl Excerpt {
    /// The line around `offset` (in bytes; a boundary of characters). Takes time in the length of the
    /// excerpt, not of the line.
    pub fn of(text: &str, offset: usize) -> Excerpt {
        let offset = offset.min(text.len());
        let ends_line = |c: &char| *c != '\n';
        // One character more than fits, on either side, tells whether something is cut off.
        let before: Vec<char> =
            text[..offset].chars().rev().take_while(ends_line).take(EXCERPT + 1).collect();
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
        // Nobody sees spaces at the end of a line.
        while line.len() > col && line.last() == Some(&' ') {
            line.pop();
        }
        Excerpt { text: line.into_iter().collect(), col: col as u32 }
    }

    /// The same of a line at hand, around its column `col` (in characters, from 1).
    pub fn of_line(line: &str, col: u32) -> Excerpt {
        let at = line.char_indices().nth(col.saturating_sub(1) as usize);
        Excerpt::of(line, at.map_or(line.len(), |(at, _)| at))
    }
}

/// A character that takes the room of one and does nothing else. Tabs and control characters would move the
/// underline away from its place.
pub fn printable(c: char) -> char {
    if c.is_whitespace() {
        ' '
    } else if is_active(c) {
        '\u{fffd}'
    } else {
        c
    }
}

/// Whether a character does something else than stand where it is: control characters, those that change the
/// direction of the text around them, line and paragraph separators, and what is no character at all.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        || c as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, offset: usize) -> (String, u32) {
        let Excerpt { text, col } = Excerpt::of(text, offset);
        (text, col)
    }

    #[test]
    fn short_lines_are_shown_whole() {
        assert_eq!(excerpt("ab\n\tcd ef\r\ngh", 7), (" cd ef".to_string(), 4));
        assert_eq!(excerpt("", 0), (String::new(), 0));
        assert_eq!(excerpt("ab", 2), ("ab".to_string(), 2));
        assert_eq!(excerpt("ab  \ncd", 1), ("ab".to_string(), 1));
        assert_eq!(excerpt("ab  \ncd", 4), ("ab  ".to_string(), 4));
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

    #[test]
    fn nothing_in_an_excerpt_is_obeyed_by_a_terminal() {
        let (line, col) = excerpt("a\x1b[2J\u{202e}\tb", 9);
        assert_eq!((line.as_str(), col), ("a\u{fffd}[2J\u{fffd} b", 7));
    }

    #[test]
    fn lines_at_hand_are_looked_at_by_column() {
        assert_eq!(Excerpt::of_line("äöü", 2), Excerpt { text: "äöü".into(), col: 1 });
        assert_eq!(Excerpt::of_line("äöü", 9), Excerpt { text: "äöü".into(), col: 3 });
        assert_eq!(Excerpt::of_line("äöü", 0), Excerpt { text: "äöü".into(), col: 0 });
    }
}
