//! `selvedge model …`: questions about memory models.

mod args;
mod ask;
mod certify;
mod premises;
mod properties;
mod report;
mod show;

pub use args::ModelArgs;
use args::Question;

use crate::error::{Exit, InputError, InputKind, shown_error};
use crate::json::error_json;
use crate::output::{complain, print_json};
use selvedge_decide::context::Refusal;
use selvedge_decide::search::Limits;
use selvedge_kat::Theory;

pub fn main(args: &ModelArgs) -> Exit {
    let json = args.format.is_json();
    let limits =
        Limits { states: args.max_states, walks: args.max_walks, c_only: args.c_only, ..Limits::default() };
    let result = match &args.question {
        Question::Check { file } => ask::check(args, file, limits),
        Question::Compare { first, second } => ask::compare(args, first, second, limits),
        Question::Map { source, target, scheme } => ask::map(args, source, target, scheme, limits),
        Question::Reorder { model } => properties::reorder(args, model, limits),
        Question::Properties { model } => properties::properties(args, model, limits),
        Question::Show { model } => show::show(args, model, limits),
    };
    result.unwrap_or_else(|error| {
        if json {
            print_json(&error_json("model", None, &error));
        }
        complain(&shown_error(&error));
        Exit::BadInput
    })
}

fn load(name: &str) -> Result<Theory, InputError> {
    selvedge_kat::load_named(name).map_err(|d| InputError::new(InputKind::Model, d))
}

fn refused(refusal: Refusal) -> InputError {
    let help = match &refusal {
        Refusal::TooLarge(_) => Some("--max-states allows larger automata; or simplify the expression"),
        Refusal::TooManyKinds(_) => Some("--c-only leaves out events that only architectures have"),
        Refusal::Other(_) => None,
    };
    InputError::plain(InputKind::Model, refusal.to_string(), help)
}
