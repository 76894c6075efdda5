//! What keeps a check from being made.

use selvedge_diagnostic::Diagnostic;
use std::fmt;

/// What kind of input is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A file or directory cannot be read or written.
    Io,
    /// The text of a test is wrong.
    Litmus,
    /// A model is wrong, unknown or not one that can drive an exploration.
    Model,
    /// Program, model and options do not go together.
    Unsupported,
    /// A program cannot be compiled.
    Compile,
    /// A checkpoint is not one, is damaged, or belongs to something else.
    Checkpoint,
    /// The text of a parameterised system is wrong.
    System,
    /// A solver cannot be asked.
    Solver,
    /// Somebody asked for the end, or a limit was reached.
    Interrupted,
}

impl InputKind {
    /// A stable name in kebab case.
    pub fn name(self) -> &'static str {
        match self {
            InputKind::Io => "io",
            InputKind::Litmus => "litmus",
            InputKind::Model => "model",
            InputKind::Unsupported => "unsupported",
            InputKind::Compile => "compile",
            InputKind::Checkpoint => "checkpoint",
            InputKind::System => "system",
            InputKind::Solver => "solver",
            InputKind::Interrupted => "interrupted",
        }
    }
}

/// An input error: there is no verdict.
#[derive(Clone, Debug)]
pub struct InputError {
    /// What is wrong.
    pub kind: InputKind,
    /// Where, and what to do.
    pub diagnostic: Diagnostic,
}

impl InputError {
    /// An error at a place in a text.
    pub fn new(kind: InputKind, diagnostic: Diagnostic) -> InputError {
        InputError { kind, diagnostic }
    }

    /// An error that is about no place in a text.
    pub fn plain(kind: InputKind, message: impl Into<String>, help: Option<&str>) -> InputError {
        let diagnostic = Diagnostic::plain(message);
        InputError::new(kind, Diagnostic { help: help.map(String::from), ..diagnostic })
    }

    /// A model that cannot be used.
    pub fn of_model(diagnostic: Diagnostic) -> InputError {
        InputError::new(InputKind::Model, diagnostic)
    }

    /// A model under which executions that differ in coherence cannot be taken for the same.
    pub fn needs_coherence(model: &str) -> InputError {
        let message = format!("the model `{model}` follows dependencies, which needs `--equivalence co`");
        InputError::plain(InputKind::Unsupported, message, Some("use `--equivalence co`"))
    }

    /// Exclusive pairs with accesses in between, under a model that does not follow dependencies.
    pub fn pairs_apart(model: &str) -> InputError {
        let message = format!(
            "an access or a fence stands between the two instructions of an exclusive pair, which is supported \
             under models that follow dependencies; `{model}` does not"
        );
        let help = "choose a model of an architecture: `-m armv8`, `-m riscv`, `-m power`";
        InputError::plain(InputKind::Unsupported, message, Some(help))
    }

    /// What goes beyond what is supported.
    pub fn unsupported(error: impl fmt::Display) -> InputError {
        InputError::plain(InputKind::Unsupported, error.to_string(), None)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic.fmt(f)
    }
}

impl std::error::Error for InputError {}
