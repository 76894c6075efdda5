//! Accesses in the text of programs: where a call is, where its ordering stands, and where a fence can go.
//!
//! This is no parser of C, C++, Rust or C#: it skips comments, strings and directives, counts brackets, and
//! knows the names of atomic operations. Whatever is not plainly one of the shapes below is left alone, and
//! the changed text is compiled and checked again in the end.

use crate::language::Language;
use std::ops::Range;

/// The text of a source.
#[derive(Clone, Debug)]
pub struct Calls {
    pub text: String,
    pub language: Language,
    /// For each byte: code that is neither comment nor string nor directive.
    code: Vec<bool>,
    lines: Vec<usize>,
}

/// What is written where an access is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Where the access begins: of a method, where its object does.
    pub start: usize,
    /// The name of the function or macro that is called, with the range of each argument, and where the call
    /// ends.
    pub call: Option<Call>,
    /// The atomic operation itself, if that is the call, or the only one in the arguments of a macro.
    pub operation: Option<Call>,
    /// Where a statement can go that comes right before it.
    pub before: Option<usize>,
    /// Where a statement can go that comes right after it.
    pub after: Option<usize>,
}

/// A call as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub name: Range<usize>,
    pub arguments: Vec<Range<usize>>,
    /// Behind the closing bracket.
    pub end: usize,
}

impl Spot {
    /// Whether a fence can come right after it.
    pub fn can_follow(&self) -> bool {
        self.after.is_some()
    }

    /// Whether a fence can come right before it: as a statement, or in front of a comma.
    pub fn can_precede(&self, by_comma: bool) -> bool {
        self.before.is_some() || by_comma && self.call.is_some()
    }
}

/// Reads a source; `None` if there is no text to change.
pub fn calls_in(file: &str) -> Option<Calls> {
    let language = Language::of(file)?;
    std::fs::read_to_string(file).ok().map(|text| Calls::of(text, language))
}

/// Words that begin a statement that has others in it, or that no statement can follow.
const CONTROL: [&str; 12] =
    ["if", "for", "while", "do", "else", "switch", "case", "default", "goto", "sizeof", "match", "loop"];

/// Loops: what comes before one is not repeated with it.
const LOOPS: [&str; 4] = ["while", "for", "foreach", "do"];

impl Calls {
    /// A text in C.
    pub fn new(text: String) -> Calls {
        Calls::of(text, Language::C)
    }

    pub fn of(text: String, language: Language) -> Calls {
        let code = code_of(&text, language);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Calls { text, language, code, lines }
    }

    /// What is at a line and a column, both from 1; columns are bytes. Column 0 is where the line's text
    /// begins.
    pub fn at(&self, line: u32, column: u32) -> Option<Spot> {
        let begin = *self.lines.get(line.checked_sub(1)? as usize)?;
        let offset = match column.checked_sub(1) {
            Some(offset) => offset as usize,
            None => self.text[begin..].find(|c: char| !c.is_whitespace())?,
        };
        self.spot(begin + offset)
    }

    pub fn spot(&self, start: usize) -> Option<Spot> {
        if start >= self.text.len() || !self.text.is_char_boundary(start) || !self.code[start] {
            return None;
        }
        let call = self.call(start);
        let is_method = call.as_ref().is_some_and(|call| {
            matches!(self.language, Language::Cpp | Language::Rust)
                && self.language.is_atomic(&self.text[call.name.clone()])
        });
        let start = if is_method { self.object(start) } else { start };
        let (brackets, begin) = self.statement(start);
        let begin = begin.filter(|_| brackets == 0);
        let between = begin.map(|begin| self.plain(begin..start));
        let simple = |between: &str| {
            let first = between.split(|c: char| !c.is_alphanumeric() && c != '_').find(|w| !w.is_empty());
            !between.contains(['(', '?', ':', ',', '&', '|', '#']) && !CONTROL.contains(&first.unwrap_or(""))
        };
        // A statement of .NET begins where it is said to be.
        let first = self.text[start..].split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let repeated = self.language == Language::CSharp && LOOPS.contains(&first);
        let before = begin.filter(|_| between.as_deref().is_some_and(simple) && !repeated);
        let after = call.as_ref().and_then(|call| {
            let between = between.as_deref()?.trim();
            let end = self.end_of_statement(call.end)?;
            let rest = self.plain(call.end..end);
            let assigned = between.is_empty() || {
                let target = between.strip_suffix('=').map(str::trim_end);
                target.is_some_and(|t| {
                    let name = |c: char| c.is_alphanumeric() || c == '_' || c == ' ' || c == '*';
                    !t.is_empty() && !t.starts_with('*') && t.chars().all(name)
                })
            };
            let plain = !rest.contains(['(', '?', '&', '|', '*', '[', '>', ',']);
            (assigned && plain && before.is_some()).then_some(end + 1)
        });
        let operation = call.as_ref().and_then(|call| self.operation(call));
        Some(Spot { start, call, operation, before, after })
    }

    /// Where the object begins whose method is called at a place.
    fn object(&self, method: usize) -> usize {
        let bytes = self.text.as_bytes();
        let before = |at: usize| at.checked_sub(1).map(|before| bytes[before]);
        let mut at = method;
        while let Some(byte) = before(at) {
            let is_part = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':');
            let is_arrow = byte == b'>' && at >= 2 && bytes[at - 2] == b'-';
            match (is_part, is_arrow) {
                (true, _) => at -= 1,
                (_, true) => at -= 2,
                _ => break,
            }
        }
        at
    }

    /// How many brackets are open, and where the statement begins; `None` outside of functions.
    fn statement(&self, to: usize) -> (usize, Option<usize>) {
        let bytes = self.text.as_bytes();
        let (mut brackets, mut braces, mut begin) = (0usize, 0usize, 0usize);
        for (at, byte) in bytes[..to].iter().enumerate().filter(|(at, _)| self.code[*at]) {
            match byte {
                b'(' | b'[' => brackets += 1,
                b')' | b']' => brackets = brackets.saturating_sub(1),
                b'{' => {
                    braces += 1;
                    begin = at + 1;
                }
                b'}' => {
                    braces = braces.saturating_sub(1);
                    begin = at + 1;
                }
                b';' if brackets == 0 => begin = at + 1,
                _ => {}
            }
        }
        let is_blank = |at: &usize| !self.code[*at] || bytes[*at].is_ascii_whitespace();
        while begin < to && is_blank(&begin) {
            begin += 1;
        }
        (brackets, (braces > 0).then_some(begin))
    }

    /// The `;` that ends the statement that is at its outermost level at `from`.
    fn end_of_statement(&self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut brackets = 0;
        for at in (from..bytes.len()).filter(|at| self.code[*at]) {
            match bytes[at] {
                b'(' | b'[' => brackets += 1,
                b')' | b']' if brackets == 0 => return None,
                b')' | b']' => brackets -= 1,
                b'{' | b'}' => return None,
                b';' if brackets == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }

    fn call(&self, start: usize) -> Option<Call> {
        let bytes = self.text.as_bytes();
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let len = bytes[start..].iter().take_while(|b| is_word(**b)).count();
        if len == 0 || start > 0 && is_word(bytes[start - 1]) {
            return None;
        }
        let name = start..start + len;
        let mut at = name.end;
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) || bytes.get(at).is_some() && !self.code[at]
        {
            at += 1;
        }
        if bytes.get(at) != Some(&b'(') {
            return None;
        }
        let (mut open, mut from, mut arguments) = (0, at + 1, Vec::new());
        for place in (at..bytes.len()).filter(|place| self.code[*place]) {
            match bytes[place] {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => {
                    open -= 1;
                    if open == 0 {
                        arguments.push(self.trimmed(from..place));
                        return Some(Call { name, arguments, end: place + 1 });
                    }
                }
                b',' if open == 1 => {
                    arguments.push(self.trimmed(from..place));
                    from = place + 1;
                }
                _ => {}
            }
        }
        None
    }

    /// The one atomic operation that a call is, or has in its arguments.
    fn operation(&self, call: &Call) -> Option<Call> {
        if self.language.is_atomic(&self.text[call.name.clone()]) {
            return Some(call.clone());
        }
        let inside = call.name.end..call.end;
        let mut found = (inside.start..inside.end)
            .filter(|at| self.code[*at] && self.text.is_char_boundary(*at))
            .filter_map(|at| self.call(at))
            .filter(|inner| self.language.is_atomic(&self.text[inner.name.clone()]));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    }

    /// A part of the text without comments.
    fn plain(&self, range: Range<usize>) -> String {
        let shown = range.clone().filter(|at| self.code[*at]).map(|at| self.text.as_bytes()[at]);
        String::from_utf8_lossy(&shown.collect::<Vec<u8>>()).into_owned()
    }

    /// The blanks that the line of a place begins with.
    pub fn indent(&self, at: usize) -> &str {
        let begin = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &self.text[begin..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}

/// Which bytes are code.
fn code_of(text: &str, language: Language) -> Vec<bool> {
    let bytes = text.as_bytes();
    let mut code = vec![true; bytes.len()];
    let mut at = 0;
    let mut at_line_start = true;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let skip = if rest.starts_with(b"//") {
            rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            text[at..].find("*/").map_or(rest.len(), |end| end + 2)
        } else if at_line_start && rest[0] == b'#' && language != Language::Rust {
            // A directive goes on after a backslash.
            let mut end = 0;
            while end < rest.len() && (rest[end] != b'\n' || end > 0 && rest[end - 1] == b'\\') {
                end += 1;
            }
            end
        } else if rest[0] == b'"' || rest[0] == b'\'' && !is_lifetime(rest, language) {
            let mut end = 1;
            while end < rest.len() && rest[end] != rest[0] && rest[end] != b'\n' {
                end += if rest[end] == b'\\' { 2 } else { 1 };
            }
            // Strings are arguments: their quotes are code, what they say is not.
            let end = (end + 1).min(rest.len());
            code[at + 1..at + end].fill(false);
            at += end;
            at_line_start = false;
            continue;
        } else {
            at_line_start = rest[0] == b'\n' || at_line_start && rest[0].is_ascii_whitespace();
            at += 1;
            continue;
        };
        code[at..at + skip].fill(false);
        at += skip;
    }
    code
}

/// `'a` of Rust, which is no character.
fn is_lifetime(rest: &[u8], language: Language) -> bool {
    let named = rest.get(1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    language == Language::Rust && named && rest.get(2) != Some(&b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(text: &str, what: &str) -> Spot {
        let calls = Calls::new(text.to_string());
        calls.spot(text.find(what).expect(what)).expect("it is code")
    }

    #[test]
    fn statements_of_their_own_have_room_on_both_sides() {
        let text = "void f(void) {\n    atomic_store(&x, 1); // a (comment\n}\n";
        let found = spot(text, "atomic_store");
        assert_eq!(found.before, Some(found.start));
        assert_eq!(&text[..found.after.expect("room")], "void f(void) {\n    atomic_store(&x, 1);");
        let text = "void f(void) {\n    int r = atomic_load(&x);\n}\n";
        let found = spot(text, "atomic_load");
        assert!(found.before.is_some_and(|at| text[at..].starts_with("int r")) && found.after.is_some());
    }

    #[test]
    fn inside_of_conditions_there_is_only_a_comma() {
        for text in [
            "void f(void) { while (!atomic_load(&x)) ; }",
            "void f(void) { if (c) atomic_load(&x); }",
            "void f(void) { for (;; atomic_load(&x)) ; }",
            "void f(void) { int r = a && atomic_load(&x); }",
            "void f(void) { g(atomic_load(&x)); }",
        ] {
            let found = spot(text, "atomic_load");
            assert_eq!((found.before, found.after), (None, None), "{text}");
            assert!(found.call.is_some(), "{text}");
        }
        // What is written elsewhere comes after the access, too.
        assert_eq!(spot("void f(void) { p->x = atomic_load(&x); }", "atomic_load").after, None);
        assert_eq!(spot("void f(void) { return atomic_load(&x); }", "atomic_load").after, None);
    }

    #[test]
    fn arguments_are_told_apart() {
        let text = "void f(void) { atomic_store_explicit(&a[g(1, 2)], \"),(\"[0], memory_order_relaxed); }";
        let found = spot(text, "atomic_store");
        let call = found.call.expect("a call");
        let arguments: Vec<&str> = call.arguments.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(arguments, ["&a[g(1, 2)]", "\"),(\"[0]", "memory_order_relaxed"]);
    }
}
