//! Text in so many columns: nothing that is shown is wider than the terminal.
//!
//! Widths are counted as terminals do, in cells: some characters take two, some none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 20;

/// Where nobody says how wide it is.
const USUAL: usize = 80;

/// How many columns there are: `$COLUMNS`, else what the terminal says.
pub fn columns() -> usize {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let asked = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    stated.or_else(asked).filter(|columns| *columns > 0).unwrap_or(USUAL).max(NARROWEST)
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that takes at most so many columns, and the rest of it. It has at least one
/// character, if there is any.
fn split(text: &str, columns: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += c.width().unwrap_or(0);
        if taken > columns && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// A text in one line of at most so many columns, with `…` for what is left out.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let (begin, _) = split(text, columns.saturating_sub(1).max(1));
    format!("{begin}…")
}

/// A text in lines of at most so many columns, broken between words where that is possible. The first line
/// begins with `first`, the others with `rest`.
pub fn wrap(text: &str, columns: usize, first: &str, rest: &str) -> String {
    let mut out = String::new();
    let mut line = String::from(first);
    let mut is_empty = true;
    let next = |line: &mut String, out: &mut String| {
        out.push_str(line.trim_end());
        out.push('\n');
        *line = String::from(rest);
    };
    for word in text.split(' ') {
        let mut word = word;
        if !is_empty && width(&line) + 1 + width(word) > columns {
            next(&mut line, &mut out);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        // A word that does not fit a line is broken.
        while width(&line) + width(word) > columns {
            let room = columns.saturating_sub(width(&line)).max(1);
            let (begin, left) = split(word, room);
            line.push_str(begin);
            word = left;
            if word.is_empty() {
                break;
            }
            next(&mut line, &mut out);
        }
        line.push_str(word);
        is_empty = false;
    }
    next(&mut line, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_it_may_be_and_nothing_is_lost() {
        let text = "the read of nodes[1].next at a/very/long/path/that/fits/nowhere.c:37 races 漢字漢字漢字漢字漢字漢字";
        for columns in [20, 21, 33, 80, 400] {
            let wrapped = wrap(text, columns, "  ", "    ");
            assert!(wrapped.lines().all(|line| width(line) <= columns), "{columns}: {wrapped}");
            let bare = |text: &str| text.replace([' ', '\n'], "");
            assert_eq!(bare(&wrapped), bare(text));
        }
        assert_eq!(wrap("a bb c", 6, "", "  "), "a bb c\n");
        assert_eq!(wrap("a bb cc", 6, "", "  "), "a bb\n  cc\n");
        assert_eq!(wrap("", 20, "  ", ""), "\n");
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(width(&cut("abcdef", 1)), 2);
    }
}
