//! What can go wrong, and how the command ends.

use crate::escape::{is_active, line};
use selvedge_check::source_line;
pub use selvedge_check::{InputError, InputKind};
use selvedge_kat::Diagnostic;

/// How the command ends. Of several tests, the gravest ending counts: see `worst`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Done = 0,
    Violated = 1,
    BadInput = 2,
    Bounded = 3,
}

impl Exit {
    pub fn worst(self, other: Exit) -> Exit {
        let gravity = |exit| match exit {
            Exit::Done => 0,
            Exit::Bounded => 1,
            Exit::Violated => 2,
            Exit::BadInput => 3,
        };
        if gravity(other) > gravity(self) { other } else { self }
    }
}

/// Shows the source line where whoever found the error had only its place.
pub fn with_excerpt(mut diagnostic: Diagnostic) -> Diagnostic {
    const BEFORE: usize = 40;
    const SHOWN: usize = 120;
    if let (None, Some(span)) = (&diagnostic.excerpt, &diagnostic.span)
        && let Some(line) = source_line(&span.file, span.line)
    {
        let at = span.col.saturating_sub(1) as usize;
        let from = at.saturating_sub(BEFORE);
        let shown = line.chars().skip(from).take(SHOWN);
        diagnostic.excerpt = Some(shown.map(|c| if is_active(c) { ' ' } else { c }).collect());
        diagnostic.excerpt_col = (at - from) as u32;
    }
    diagnostic
}

/// An error as it is shown: nothing of it reaches a terminal but text.
pub fn shown_error(error: &InputError) -> String {
    let mut diagnostic = error.diagnostic.clone();
    // Compilers say what they have to say in several lines; elsewhere only names have more than one.
    if error.kind != InputKind::Compile {
        diagnostic.message = line(&diagnostic.message).into_owned();
        diagnostic.help = diagnostic.help.map(|help| line(&help).into_owned());
    }
    if let Some(span) = &mut diagnostic.span {
        span.file = line(&span.file).into();
    }
    diagnostic.to_string()
}
