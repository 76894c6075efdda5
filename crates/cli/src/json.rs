//! JSON: one shape for all commands, described in `docs/json.md`.
//!
//! Every result is an object that begins with the number of the shape and the command; an error of the input
//! is one with `"verdict": "error"`. Commands with several results print an array of them.

use crate::error::InputError;
use serde::Serialize;

/// Of the shape. It changes when something that was there means something else or is gone.
pub const SCHEMA: u32 = 1;

/// A result.
#[derive(Serialize)]
pub struct Enveloped<T> {
    schema: u32,
    command: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T> Enveloped<T> {
    pub fn new(command: &'static str, body: T) -> Enveloped<T> {
        Enveloped { schema: SCHEMA, command, body }
    }
}

/// An error of the input.
#[derive(Serialize)]
pub struct ErrorItem {
    verdict: &'static str,
    /// What was read when it was found, if it concerns no more than that.
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    error: ErrorBody,
}

#[derive(Serialize)]
struct ErrorBody {
    kind: &'static str,
    message: String,
    help: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl ErrorItem {
    /// No file: the error concerns all of them.
    pub fn new(file: Option<String>, model: Option<&str>, error: &InputError) -> ErrorItem {
        let span = error.diagnostic.span.as_ref();
        ErrorItem {
            verdict: "error",
            error: ErrorBody {
                kind: error.kind.name(),
                message: error.diagnostic.message.clone(),
                help: error.diagnostic.help.clone(),
                file: span.map(|s| s.file.to_string()).or_else(|| file.clone()),
                line: span.map(|s| s.line),
                column: span.map(|s| s.col),
            },
            file,
            model: model.map(String::from),
        }
    }
}

/// The text of something that is a result, or several.
pub fn text(value: &impl Serialize) -> String {
    // Serialising plain data to memory cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// A result of a command.
pub fn result_json(command: &'static str, body: &impl Serialize) -> String {
    text(&Enveloped::new(command, body))
}

/// An error that concerns everything that was asked for.
pub fn error_json(command: &'static str, model: Option<&str>, error: &InputError) -> String {
    result_json(command, &ErrorItem::new(None, model, error))
}
