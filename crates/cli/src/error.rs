//! What can go wrong, and how the command ends.

use crate::escape::line;
use selvedge_check::source_line;
pub use selvedge_check::{InputError, InputKind};
use selvedge_diagnostic::{Diagnostic, Excerpt};

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
pub fn with_excerpt(diagnostic: Diagnostic) -> Diagnostic {
    if let (None, Some(span)) = (&diagnostic.excerpt, &diagnostic.span)
        && let Some(line) = source_line(&span.file, span.line)
    {
        let excerpt = Excerpt::of_line(&line, span.col);
        return diagnostic.with_excerpt(excerpt);
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
