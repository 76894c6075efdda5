//! `selvedge litmus`: `run` has one test under one model, and what was expected of it;
//! `report` shows one result, `table` many, `json` both for other programs.

mod json;
mod report;
mod run;
mod table;

use crate::args::LitmusArgs;
use crate::dot;
use crate::error::{Exit, InputError, InputKind, shown_error, with_excerpt};
use crate::escape::name;
use crate::files::{self, Found};
use crate::guard::{self, Phase};
use crate::interrupt;
use crate::json::error_json;
use crate::output::{complain, print, print_json};
use indicatif::{ProgressBar, ProgressStyle};
use run::{Outcome, run};
use selvedge_check::Limits;
use selvedge_litmus::{Options, Test, parse};
use selvedge_model::Compiled;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// What came of one test under one model, or of a file that is no test.
pub struct Entry {
    pub file: PathBuf,
    pub result: Result<(Test, Outcome), InputError>,
}

impl Entry {
    fn exit(&self) -> Exit {
        match &self.result {
            Ok((_, outcome)) => outcome.exit(),
            Err(_) => Exit::BadInput,
        }
    }
}

pub fn main(args: &LitmusArgs) -> Exit {
    let json = args.format.is_json();
    guard::start(false, Limits::default(), move |why| {
        let error = InputError::plain(InputKind::Interrupted, why, None);
        if json {
            print_json(&error_json("litmus", None, &error));
        }
        complain(&shown_error(&error));
    });
    guard::enter(Phase::Model);
    let models = match args.models.iter().map(|name| load(name)).collect::<Result<Vec<_>, _>>() {
        Ok(models) => models,
        Err(error) => return fail(args, &error),
    };
    if let Some(dir) = &args.dot
        && let Err(error) = std::fs::create_dir_all(dir)
    {
        let message = format!("cannot create {}: {error}", name(dir));
        return fail(args, &InputError::plain(InputKind::Io, message, None));
    }
    let Found { files, errors, single } = files::find(&args.paths);
    let single = single && models.len() <= 1;
    let mut models = Models { asked: models, of_architecture: BTreeMap::new() };
    let mut entries: Vec<Entry> =
        errors.into_iter().map(|(file, error)| Entry { file, result: Err(error) }).collect();
    let bar = progress(files.len(), single);
    let mut exit = Exit::Done;
    for file in &files {
        if interrupt::asked() {
            complain("interrupted: the remaining tests were not run");
            exit = Exit::Bounded;
            break;
        }
        entries.extend(entries_of(file, &mut models, args));
        bar.inc(1);
    }
    bar.finish_and_clear();
    guard::claim();
    let exit = entries.iter().fold(exit, |exit, entry| exit.worst(entry.exit()));
    let exit = exit.worst(draw(&entries, args, single));

    if args.format.is_json() {
        print_json(&json::render(&entries, single, args));
    }
    for entry in &entries {
        match &entry.result {
            Err(error) => complain(&shown_error(error)),
            Ok((test, outcome)) if single && !args.format.is_json() => {
                print(&report::render(test, outcome, args))
            }
            Ok(_) => {}
        }
    }
    if !single && !args.format.is_json() {
        print(&table::render(&entries, args));
    }
    exit
}

fn load(name: &str) -> Result<Compiled, InputError> {
    let theory = selvedge_kat::load_named(name).map_err(|d| InputError::new(InputKind::Model, d))?;
    selvedge_check::compile(&theory).map_err(|d| InputError::new(InputKind::Model, with_excerpt(d)))
}

/// Ends before any test was looked at.
fn fail(args: &LitmusArgs, error: &InputError) -> Exit {
    guard::claim();
    if args.format.is_json() {
        print_json(&error_json("litmus", None, error));
    }
    complain(&shown_error(error));
    Exit::BadInput
}

/// The models that were asked for; if there are none, each test has its own.
struct Models {
    asked: Vec<Compiled>,
    /// By name, as tests asked for them.
    of_architecture: BTreeMap<&'static str, Result<Compiled, InputError>>,
}

impl Models {
    fn for_test(&mut self, test: &Test) -> Result<&[Compiled], InputError> {
        if !self.asked.is_empty() {
            return Ok(&self.asked);
        }
        let name = test.default_model();
        let model = self.of_architecture.entry(name).or_insert_with(|| load(name));
        model.as_ref().map(std::slice::from_ref).map_err(Clone::clone)
    }
}

fn entries_of(file: &Path, models: &mut Models, args: &LitmusArgs) -> Vec<Entry> {
    guard::enter(Phase::Reading);
    let parsed = files::read(file).and_then(|text| {
        let options = Options { unroll: args.unroll };
        parse(&file.display().to_string(), &text, &options).map_err(|d| InputError::new(InputKind::Litmus, d))
    });
    let entry = |result| Entry { file: file.to_path_buf(), result };
    match parsed {
        Err(error) => vec![entry(Err(error))],
        Ok(test) => match models.for_test(&test) {
            Err(error) => vec![entry(Err(error))],
            Ok(models) => models
                .iter()
                .inspect(|_| guard::enter(Phase::Exploring))
                .map(|model| entry(run(&test, model, args).map(|outcome| (test.clone(), outcome))))
                .collect(),
        },
    }
}

fn progress(files: usize, single: bool) -> ProgressBar {
    if single || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(files as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} tests, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The name of a test as that of a file: one that exists nowhere else, and of a length that systems have.
fn stem(test: &str) -> String {
    const LONGEST: usize = 200;
    let plain = |c: char| if "/\\:".contains(c) || selvedge_diagnostic::is_active(c) { '_' } else { c };
    let stem: String = test.chars().map(plain).collect();
    let end = (0..=LONGEST.min(stem.len())).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    if stem.starts_with('.') { format!("_{}", &stem[..end]) } else { stem[..end].to_string() }
}

/// `x=0  y=0`.
fn initial(test: &Test) -> String {
    let program = &test.program;
    let values = program.locs.iter().map(|(name, value)| format!("{name}={}", program.value_text(*value)));
    values.collect::<Vec<_>>().join("  ")
}

/// Writes the drawings; says where none could be made.
fn draw(entries: &[Entry], args: &LitmusArgs, single: bool) -> Exit {
    let Some(dir) = &args.dot else { return Exit::Done };
    let mut exit = Exit::Done;
    for entry in entries {
        let Ok((test, outcome)) = &entry.result else { continue };
        let Some(witness) = &outcome.witness else {
            complain(&format!("{}: no execution decides the verdict: nothing to draw", test.name));
            continue;
        };
        let stem = stem(&test.name);
        let file =
            if args.models.len() > 1 { format!("{stem}.{}.dot", outcome.model) } else { stem + ".dot" };
        let path = dir.join(file);
        match std::fs::write(&path, dot::draw(&test.name, witness, Some(&initial(test)))) {
            Ok(()) if single => complain(&format!("execution drawn to {}", name(&path))),
            Ok(()) => {}
            Err(error) => {
                complain(&format!("error: cannot write {}: {error}", name(&path)));
                exit = Exit::BadInput;
            }
        }
    }
    exit
}
