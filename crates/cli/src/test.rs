//! `selvedge test`: the tests of a Rust program, each checked for itself.

use crate::args::{CheckArgs, Format, TestArgs};
use crate::check::{Screen, check_of, nothing, refuse, shown_violation};
use crate::error::Exit;
use crate::guard;
use crate::output;
use selvedge_check::{Check, InputError, InputKind, Outcome, Stopped, Verdict};
use selvedge_ir::harness::{self, Test};
use selvedge_ir::{Instr, Module, Operand};
use std::time::Instant;

/// How a test ended.
enum Ended {
    Passed,
    Failed,
    Undecided,
}

pub fn main(args: &TestArgs) -> Exit {
    let (check_args, start) = (&args.check, Instant::now());
    let limits = crate::check::limits_of(check_args);
    let cancel = guard::start(false, limits, nothing("test", Format::Text, check_args.model(), start));
    let mut screen = Screen::new(check_args.progress_every);
    let refused = |error| refuse("test", Format::Text, check_args.model(), error);
    let check = match check_of(check_args, cancel) {
        Ok(check) => check,
        Err(error) => return refused(error),
    };
    let module = match check.bytecode(&mut screen) {
        Ok(module) => module,
        Err(Stopped::Error(error)) => return refused(error),
        Err(Stopped::GaveUp(why, _)) => {
            guard::claim();
            output::complain(&format!("error: {why}, while the program was compiled"));
            return Exit::Bounded;
        }
    };
    screen.clear();
    let tests = if has_no_tests(&module) { Some(Vec::new()) } else { module.tests() };
    let Some(tests) = tests else {
        let help = "build it with `rustc --test`, or let `cargo selvedge test` do it";
        let message = "the program has no tests of Rust's own harness, or they are of an unknown rustc";
        return refused(InputError::plain(InputKind::Unsupported, message, Some(help)));
    };
    if tests.is_empty() && !args.or_none {
        let help =
            "a test is a function with the attribute `test`; examples in documentation are not verified";
        return refused(InputError::plain(InputKind::Unsupported, "the program has no tests", Some(help)));
    }
    let wanted = |test: &Test| {
        let fits = |filter: &String| match args.exact {
            true => test.name == *filter,
            false => test.name.contains(filter.as_str()),
        };
        (args.filter.is_empty() || args.filter.iter().any(fits)) && (!args.ignored || test.ignored)
    };
    let chosen: Vec<(u64, &Test)> = (0..).zip(&tests).filter(|(_, test)| wanted(test)).collect();
    if args.list {
        guard::claim();
        chosen.iter().for_each(|(_, test)| output::print(&format!("{}: test\n", test.name)));
        return Exit::Done;
    }
    let mut run = Run { args: check_args, found: Vec::new(), counts: [0; 4] };
    output::print(&format!("\nrunning {} test{}\n", chosen.len(), if chosen.len() == 1 { "" } else { "s" }));
    for (number, test) in &chosen {
        if test.ignored && !args.ignored && !args.include_ignored {
            output::print(&format!("test {} ... ignored\n", test.name));
            run.counts[2] += 1;
            continue;
        }
        let mut one = check.prepared(module.of_test(*number));
        // As with Rust's own harness, it is the test that is to panic; a thread of it may, too.
        one.options.joined_panics |= test.should_panic.is_some();
        match run.one(test, &one, &mut screen) {
            Ok(()) => {}
            // The others are checked nevertheless.
            Err(error) if error.kind == InputKind::Unsupported => {
                screen.clear();
                run.undecided(test, error.to_string());
            }
            Err(error) => return refused(error),
        }
    }
    guard::claim();
    run.tell(tests.len() - chosen.len(), start)
}

/// Whether the program is a harness for no tests: there is no array of them then.
fn has_no_tests(module: &Module) -> bool {
    let mut code = module.functions.iter().flat_map(|function| &function.code);
    code.any(|instr| match instr {
        Instr::Call { callee: Operand::Func(called), args, .. } => {
            matches!(args.as_slice(), [_, Operand::Const(0)])
                && module.functions.get(called.0 as usize).is_some_and(|f| f.name == harness::RUN)
        }
        _ => false,
    })
}

struct Run<'a> {
    args: &'a CheckArgs,
    /// Names of tests that did not pass, and what is to be said of them.
    found: Vec<(String, String)>,
    /// Passed, failed, ignored, undecided.
    counts: [usize; 4],
}

impl Run<'_> {
    fn one(&mut self, test: &Test, check: &Check, screen: &mut Screen) -> Result<(), InputError> {
        let outcome = check.run_with(screen)?;
        screen.clear();
        let (ended, what) = judge(&outcome);
        let executions = match outcome.stats.complete {
            1 => String::from("1 execution"),
            n => format!("{n} executions"),
        };
        let (index, word) = match ended {
            Ended::Passed => (0, "ok"),
            Ended::Failed => (1, "FAILED"),
            Ended::Undecided => (3, "undecided"),
        };
        self.counts[index] += 1;
        let panics = if test.should_panic.is_some() { " - should panic" } else { "" };
        output::print(&format!("test {}{panics} ... {word} ({executions})\n", test.name));
        if !matches!(ended, Ended::Passed) {
            let shown = outcome.violations.first().map(|found| shown_violation(found, self.args.model()));
            let text = match (what, shown) {
                (Some(what), Some(shown)) => format!("{what}\n{shown}"),
                (what, shown) => what.or(shown).unwrap_or_default(),
            };
            self.found.push((test.name.clone(), text));
        }
        Ok(())
    }

    /// Nothing can be said of a test.
    fn undecided(&mut self, test: &Test, why: String) {
        self.counts[3] += 1;
        output::print(&format!("test {} ... undecided\n", test.name));
        self.found.push((test.name.clone(), why));
    }

    fn tell(self, left_out: usize, start: Instant) -> Exit {
        let [passed, failed, ignored, undecided] = self.counts;
        if !self.found.is_empty() {
            output::print("\nfailures:\n\n");
            for (name, text) in &self.found {
                output::print(&format!("---- {name} ----\n{}\n\n", text.trim_end()));
            }
        }
        let word = match (failed, undecided) {
            (0, 0) => "ok",
            (0, _) => "undecided",
            _ => "FAILED",
        };
        let undecided_text = if undecided > 0 { format!("{undecided} undecided; ") } else { String::new() };
        output::print(&format!(
            "\ntest result: {word}. {passed} passed; {failed} failed; {undecided_text}{ignored} ignored; \
             {left_out} filtered out; finished in {:.2}s\n\n",
            start.elapsed().as_secs_f64()
        ));
        match (failed, undecided) {
            (0, 0) => Exit::Done,
            (0, _) => Exit::Bounded,
            _ => Exit::Violated,
        }
    }
}

/// Whether a test passed, and why not if its executions do not say it.
fn judge(outcome: &Outcome) -> (Ended, Option<String>) {
    match outcome.verdict {
        Verdict::Verified => (Ended::Passed, None),
        Verdict::Violated => (Ended::Failed, None),
        Verdict::Bounded => {
            let cut = outcome
                .bounds
                .iter()
                .map(|bound| format!("  {} after {} iterations", bound.place.short(), bound.iterations))
                .collect::<Vec<_>>()
                .join("\n");
            (Ended::Undecided, Some(format!("some executions were cut:\n{cut}")))
        }
        Verdict::Unknown => {
            let why = outcome.undecided.as_ref().map_or(String::new(), |why| why.to_string());
            (Ended::Undecided, Some(format!("there is no verdict: {why}")))
        }
    }
}
