//! Texts of others, as they are shown: programs, tests and models may hold characters that a terminal obeys.
//!
//! Nothing that is printed goes to a terminal as it is: [`shown`] is part of `output`. What is meant to
//! stand in one line, such as a name, goes through [`line()`] before.

use selvedge_diagnostic::is_active;
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

fn escaped<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    let goes = |c: char| is_active(c) && !kept.contains(&c);
    if !text.contains(goes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !goes(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x100 => _ = write!(out, "\\x{:02x}", c as u32),
            c => _ = write!(out, "\\u{{{:x}}}", c as u32),
        }
    }
    Cow::Owned(out)
}

/// A text of several lines: they stay, and so do tabs.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\t'])
}

/// A text that stands in one line.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// The name of a file.
pub fn name(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

/// JSON that is shown on a terminal: the same values, written with escapes. Outside of strings, and so in
/// all places where an escape would be wrong, JSON has none of these characters.
pub fn json(text: &str) -> Cow<'_, str> {
    let goes = |c: char| is_active(c) && c != '\n';
    if !text.contains(goes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if goes(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(out, "\\u{unit:04x}"));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_spelt_out() {
        assert_eq!(shown("a\x1b[2Jb\u{9b}c\u{7f}\r\n\td"), "a\\x1b[2Jb\\x9bc\\x7f\\r\n\td");
        assert_eq!(line("a\nb\tc"), "a\\nb\\tc");
        assert_eq!(shown("x\u{202e}y\u{2066}z\u{e0041}"), "x\\u{202e}y\\u{2066}z\\u{e0041}");
        assert!(matches!(shown("größer → ✓\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ "a\u{202e}\u{e0041}": "\u{1b}\u{7f}\u{85}ü\n" });
        let text = serde_json::to_string_pretty(&value).expect("text");
        let safe = json(&text);
        assert!(!safe.contains(|c| is_active(c) && c != '\n'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
    }
}
