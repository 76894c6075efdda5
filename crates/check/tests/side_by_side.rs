//! Checks share nothing: several run in one process, each with limits and an end of its own.

use selvedge_check::{Check, Limits, Nobody, Observer, Options, Outcome, Undecided, Verdict, Workers};
use selvedge_explore::{GaveUp, Progress};
use selvedge_ir::Module;
use selvedge_machine::Again;
use std::fmt::Write;
use std::sync::Barrier;

/// So many threads add to a counter, each once; `main` joins them and looks whether the sum is `expected`.
fn counting(threads: usize, expected: usize) -> Module {
    let mut text = String::from(
        "file \"counting.c\"
         global @x size 4 align 4 = zero 4
         global @t size 64 align 8 = zero 64
         func &pthread_create(r0, r1, r2, r3) results 1 regs 4
         func &pthread_join(r0, r1) results 1 regs 2
         func &reach_error() results 0 regs 0
         func &add(r0) results 1 regs 2 {
             r1 = rmw.add.4.rlx @x, 1 !0:3:5
             return (0)
         }
         func &main() results 1 regs 2 {\n",
    );
    for n in 0..threads {
        let _ = writeln!(text, "r0 = call.1 &pthread_create (@t+{}, 0, &add, 0)", 8 * n);
    }
    for n in 0..threads {
        let _ = writeln!(text, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)", 8 * n);
    }
    let _ = write!(
        text,
        "r0 = load.4.na @x !0:9:5\nr0 = cmp.eq.32 r0, {expected}\nbranch r0, right, wrong
         wrong: call.0 &reach_error () !0:9:5\nright: return (0)\n}}\n"
    );
    selvedge_ir::text::parse(&text).expect("a program")
}

fn check(threads: usize, expected: usize, model: &str) -> Check {
    let theory = selvedge_kat::load_named(model).expect("a model");
    // Every order counts.
    let reductions = selvedge_machine::Reductions::ALL.without(selvedge_machine::Reduction::Symmetry);
    let options = Options { reductions, ..Options::default() };
    Check { options, ..Check::new(counting(threads, expected), theory) }
}

fn counts(outcome: &Outcome) -> (Verdict, u64) {
    (outcome.verdict, outcome.stats.complete)
}

#[test]
fn checks_with_other_programs_models_and_limits_do_not_disturb_each_other() {
    let mut limited = check(7, 7, "rc11");
    limited.options.most_executions = Some(10);
    let mut hurried = check(8, 8, "tso");
    hurried.limits = Limits { seconds: Some(0.0), megabytes: None };
    let cancelled = check(8, 8, "sc");
    cancelled.cancel.cancel();
    let mut together = check(5, 5, "rc11");
    together.options.workers = Workers { number: 2, ..Workers::default() };
    let checks = [check(4, 4, "rc11"), check(3, 2, "tso"), limited, hurried, cancelled, together];
    let start = Barrier::new(checks.len());
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let handles: Vec<_> = checks
            .iter()
            .map(|check| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    check.run().expect("something to check")
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
    });
    assert_eq!(counts(&outcomes[0]), (Verdict::Verified, 24));
    assert_eq!(outcomes[1].verdict, Verdict::Violated);
    assert_eq!(outcomes[1].violations[0].kind, selvedge_machine::ErrorKind::Assertion);
    let why = |at: usize| outcomes[at].undecided.clone();
    assert_eq!(why(2), Some(Undecided::GaveUp(GaveUp::Executions(10))));
    assert_eq!(why(3), Some(Undecided::GaveUp(GaveUp::Time(0.0))));
    assert_eq!(why(4), Some(Undecided::GaveUp(GaveUp::Interrupted)));
    assert_eq!(counts(&outcomes[5]), (Verdict::Verified, 120));
}

/// Counts what it is told.
#[derive(Default)]
struct Listener {
    phases: usize,
    begun: usize,
    again: Vec<Again>,
}

impl Observer for Listener {
    fn phase(&mut self, _: selvedge_check::Phase) {
        self.phases += 1;
    }

    fn begins(&mut self, _: Progress) {
        self.begun += 1;
    }

    fn again(&mut self, why: Again) {
        self.again.push(why);
    }
}

#[test]
fn an_observer_hears_why_a_program_is_explored_again() {
    let mut listener = Listener::default();
    let outcome = check(6, 6, "rc11").run_with(&mut listener).expect("something to check");
    assert_eq!(counts(&outcome), (Verdict::Verified, 720));
    // There was room for four threads at first, and cells are found as they are used.
    assert!(listener.again.contains(&Again::MoreRoom), "{:?}", listener.again);
    assert_eq!(listener.again, outcome.again);
    assert_eq!(listener.begun, outcome.again.len() + 1);
    assert!(listener.phases >= 2);
    let quiet = check(6, 6, "rc11").run_with(&mut Nobody).expect("something to check");
    assert_eq!(counts(&quiet), counts(&outcome));
}
