//! The part of the library's text that a program needs.

use std::collections::HashMap;

const BEGIN: &str = "func &";
const END: &str = "\n}\n";

/// The text without those functions that cannot be reached from the ones that are wanted. Declarations and
/// globals stay. Relies on how the files are laid out: a body begins on a line `func &name(…) … {` and ends
/// on a line `}`.
pub fn needed<'a>(sources: &[&str], wanted: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    let mut bodies: HashMap<&str, &str> = HashMap::new();
    for source in sources {
        let mut rest = *source;
        while let Some(line) = rest.split_inclusive('\n').next() {
            match body_of(line).and_then(|name| Some((name, rest.find(END)? + END.len()))) {
                Some((name, length)) => {
                    bodies.insert(name, &rest[..length]);
                    rest = &rest[length..];
                }
                None => {
                    if !line.starts_with(';') {
                        out.push_str(line);
                    }
                    rest = &rest[line.len()..];
                }
            }
        }
    }
    let mut left: Vec<&str> = wanted.filter_map(|name| bodies.remove(name)).collect();
    while let Some(body) = left.pop() {
        out.push_str(body);
        left.extend(names(body).filter_map(|name| bodies.remove(name)));
    }
    out
}

/// The name of the function whose body this line begins.
fn body_of(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(BEGIN).filter(|rest| rest.trim_end().ends_with('{'))?;
    Some(&rest[..rest.find('(')?])
}

/// The functions that a body refers to, itself included.
fn names(body: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    body.split('&').skip(1).map(move |rest| &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())])
}
