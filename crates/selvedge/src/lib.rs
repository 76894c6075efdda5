//! Selvedge verifies concurrent programs under weak memory models.
//!
//! Give it a program and a memory model; it explores every distinct execution exactly once and either says
//! that the program is [`Verified`](Verdict::Verified), or shows the execution that breaks. The `selvedge`
//! command is made of this library; what it can do, a program can.
//!
//! # A check
//!
//! A [`Check`] is a program, a memory model and how to check the one under the other. Running it gives an
//! [`Outcome`]: the verdict, how many executions there are, and what is wrong.
//!
//! The program may be C: [`Sources`] names files, which `selvedge-lower` compiles (it is installed with the
//! command; see [`Sources::compiler`]).
//!
//! ```no_run
//! use selvedge::{Check, Sources, Verdict, models};
//!
//! let check = Check::new(Sources::file("queue.c"), models::load("rc11")?);
//! let outcome = check.run()?;
//! assert_eq!(outcome.verdict, Verdict::Verified);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It may also be bytecode ([`ir`]), which other front ends produce. Here two threads pass a message, and
//! the flag orders nothing:
//!
//! ```
//! use selvedge::{Check, Verdict, ir, models};
//!
//! let program = ir::text::parse(r#"
//!     file "message.c"
//!     global @data size 4 align 4 = zero 4
//!     global @flag size 4 align 4 = zero 4
//!     global @thread size 8 align 8 = zero 8
//!     func &pthread_create(r0, r1, r2, r3) results 1 regs 4
//!     func &reach_error() results 0 regs 0
//!     func &send(r0) results 1 regs 1 {
//!         store.4.rlx @data, 42     !0:4:5
//!         store.4.rlx @flag, 1      !0:5:5
//!         return (0)
//!     }
//!     func &main() results 1 regs 3 {
//!         r0 = call.1 &pthread_create (@thread, 0, &send, 0)   !0:9:5
//!         r1 = load.4.acq @flag     !0:10:9
//!         r2 = cmp.eq.32 r1, 0
//!         branch r2, end, sent
//!     sent:
//!         r1 = load.4.rlx @data     !0:11:16
//!         r2 = cmp.eq.32 r1, 42
//!         branch r2, end, wrong
//!     wrong:
//!         call.0 &reach_error ()    !0:11:9
//!     end:
//!         return (0)
//!     }
//! "#)?;
//!
//! let check = Check::new(program, models::load("rc11")?);
//! let outcome = check.run()?;
//! assert_eq!(outcome.verdict, Verdict::Violated);
//!
//! let violation = &outcome.violations[0];
//! assert_eq!(violation.kind.name(), "assertion");
//! assert_eq!(violation.place.as_ref().map(|place| place.line), Some(11));
//! // Under sequential consistency the message arrives.
//! assert!(outcome.comparison.is_some());
//! // What forbids the execution there: a cycle of program order, reads-from and from-reads.
//! let reason = violation.witness.reason.as_ref().expect("no interleaving explains it");
//! let steps: Vec<&str> = reason.cycle.iter().map(|edge| edge.relation.as_str()).collect();
//! assert_eq!(steps, ["rf", "po", "fr", "po"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Models
//!
//! A memory model is text; [`models`] loads and compiles it. Models that come with Selvedge have names, and
//! any other is a file in the same language (`docs/models.md`). A model that cannot be explored soundly is
//! refused, with the line and the reason.
//!
//! ```
//! use selvedge::models;
//!
//! assert!(models::names().contains(&"rc11"));
//! let mine = models::parse("mine.kat", "let hb = po | rf\nacyclic hb | co | fr\n")?;
//! assert_eq!(mine.name, "mine");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Options, limits, and many checks at once
//!
//! [`Options`] are what the command's options are. [`Limits`] and a [`Cancel`] token belong to one check:
//! several run side by side in one process, and each ends for reasons of its own. That a limit was reached
//! is an outcome, not an error.
//!
//! ```
//! use selvedge::{Cancel, Check, GaveUp, Options, Undecided, Verdict, ir, models};
//! # const PROGRAM: &str = "
//! #     global @x size 4 align 4 = zero 4
//! #     func &main() results 1 regs 1 {
//! #         store.4.rlx @x, 1
//! #         return (0)
//! #     }
//! # ";
//!
//! let check = Check::new(ir::text::parse(PROGRAM)?, models::load("tso")?);
//! let cancelled = Check { cancel: Cancel::default(), ..check.clone() };
//! cancelled.cancel.cancel();
//! let (one, other) = std::thread::scope(|scope| {
//!     let one = scope.spawn(|| check.run());
//!     let other = scope.spawn(|| cancelled.run());
//!     (one.join().expect("no panic"), other.join().expect("no panic"))
//! });
//! assert_eq!(one?.verdict, Verdict::Verified);
//! let other = other?;
//! assert_eq!(other.verdict, Verdict::Unknown);
//! assert_eq!(other.undecided, Some(Undecided::GaveUp(GaveUp::Interrupted)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whoever wants to see how a check goes gives an [`Observer`] to [`Check::run_with`].
//!
//! # Witnesses
//!
//! A [`Violation`] has a [`Witness`]: the execution as data, with events, places in the source, values,
//! relations, and the reason in terms of a model. It serialises with `serde`; `docs/json.md` describes the
//! fields. What the command prints and draws is made of it.
//!
//! # Litmus tests and estimates
//!
//! [`litmus::check`] runs a litmus test under a model; [`Check::estimate`] says how many executions there
//! are, about, before they are explored.
//!
//! # Front ends
//!
//! A front end that is not LLVM has two ways in. If its programs can be bytecode, it makes an
//! [`ir::Module`], lets [`ir::passes::run`] find what can be left out of loops, and checks that. If not, it
//! implements [`machine::Machine`], and [`explore`] explores it.

pub use selvedge_check::{
    Access, Action, Attempt, Bound, Call, Cancel, Check, Checkpoints, Comparison, Edge, Event, Facts, Files,
    Forecast, Initial, InputError, InputKind, Limits, Missing, ModelWarning, Nobody, Observer, Options,
    Outcome, Pace, Passage, Passed, Phase, Place, Point, Program, Reason, Relations, Settling, Sources,
    Stopped, Then, Thread, Undecided, Value, Verdict, Violation, Waiting, WaitsFor, Warning, What, Witness,
    Workers, settle,
};
pub use selvedge_explore::{Estimate, GaveUp, Progress, Sampling, Stats, Watch};
pub use selvedge_machine::{Again, ErrorKind, ErrorKinds, Reduction, Reductions};
pub use selvedge_vm::LoopBound;

/// Memory models: from text to something that programs are explored under.
pub mod models {
    use selvedge_kat::Dialect;
    pub use selvedge_kat::{Diagnostic, Property, Theory};
    pub use selvedge_model::{Compiled, Model, Properties};

    /// A model that comes with Selvedge, by its name, or the one in a file.
    pub fn load(name: &str) -> Result<Theory, Diagnostic> {
        selvedge_kat::load_named(name)
    }

    /// A model by its text in the language of `.kat` files; it may include models that come with Selvedge.
    /// `file` is what messages call it.
    pub fn parse(file: &str, text: &str) -> Result<Theory, Diagnostic> {
        let include = |name: &str| {
            let stem = name.strip_suffix(".kat").unwrap_or(name);
            selvedge_kat::builtin(stem)
                .map(|(text, _)| text.to_string())
                .ok_or_else(|| String::from("no such model"))
        };
        selvedge_kat::parse(file, text, Dialect::Kat, &include)
    }

    /// The names of the models that come with Selvedge.
    pub fn names() -> &'static [&'static str] {
        selvedge_kat::builtin_names()
    }
}

/// Litmus tests.
pub mod litmus {
    pub use selvedge_check::{
        AssertionFailure, Flag, LitmusOptions as Options, LitmusOutcome as Outcome, check_litmus as check,
        estimate_litmus as estimate,
    };
    pub use selvedge_litmus::{Histogram, Observation, Test, Verdict, parse};
}

/// The bytecode that front ends produce.
pub mod ir {
    pub use selvedge_ir::*;
}

/// What a program is to the explorer.
pub mod machine {
    pub use selvedge_machine::*;
}

/// The exploration itself, for machines that are not bytecode.
pub mod explore {
    pub use selvedge_explore::*;
}

/// The cheapest fences and orderings under which a program is right: [`repair::repair_program`] and
/// [`repair::repair_litmus`].
pub mod repair {
    pub use selvedge_repair::*;
}
