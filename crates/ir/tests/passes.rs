//! What each pass does, on programs in the text form.
//!
//! A file in `passes/` is named after a pass or the reduction that it belongs to. It has a program, what
//! becomes of it after the line `; with it:`, and, if the pass can be switched off, what does without it
//! after `; without it:`.

use std::fs;
use std::path::Path;

use selvedge_ir::cfg::Graph;
use selvedge_ir::{Module, passes, text};
use selvedge_machine::{Reduction, Reductions};

/// Passes that cannot be switched off. Whether the last one's marks are looked at is for the machine to say.
const ALWAYS: [&str; 3] = ["part-early", "loops", "pef"];

/// The reductions that the passes are for.
const SWITCHES: [Reduction; 7] = [
    Reduction::SpinAssume,
    Reduction::Rotation,
    Reduction::Bisimilarity,
    Reduction::Zne,
    Reduction::Faint,
    Reduction::Escape,
    Reduction::Carry,
];

fn parsed(source: &str) -> Module {
    text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// What the passes make of the functions of a program, without what is only declared.
fn after(source: &str, reductions: Reductions) -> String {
    let mut module = parsed(source);
    passes::run(&mut module, reductions);
    functions_of(&module)
}

fn functions_of(module: &Module) -> String {
    let text = text::print(module);
    let functions: Vec<&str> =
        text.split_inclusive("\n}\n").filter_map(|item| item.rfind("func ").map(|at| &item[at..])).collect();
    functions.concat().trim().to_string()
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes").join(name).with_extension("ir");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The program, what becomes of it, and what does without the pass.
fn parts(example: &str) -> (&str, &str, Option<&str>) {
    let (program, rest) = example.split_once("; with it:\n").expect("a line `; with it:`");
    match rest.split_once("; without it:\n") {
        Some((with, without)) => (program, with.trim(), Some(without.trim())),
        None => (program, rest.trim(), None),
    }
}

#[test]
fn passes_that_are_always_on_do_what_their_examples_say() {
    for name in ALWAYS {
        let example = example(name);
        let (program, with, without) = parts(&example);
        assert_eq!(after(program, Reductions::ALL), with, "{name}");
        assert_eq!(after(program, Reductions::NONE), with, "{name}");
        assert_eq!(without, None, "{name}");
        assert_ne!(functions_of(&parsed(program)), with, "{name} changes something");
    }
}

#[test]
fn passes_do_what_their_examples_say_and_nothing_when_they_are_off() {
    for reduction in SWITCHES {
        let name = reduction.name();
        let example = example(name);
        let (program, with, without) = parts(&example);
        assert_eq!(after(program, Reductions::ALL), with, "{name}");
        assert_eq!(Some(after(program, Reductions::ALL.without(reduction)).as_str()), without, "{name}");
        assert_ne!(Some(with), without, "{name} makes a difference");
    }
}

#[test]
fn every_example_belongs_to_a_pass() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    for entry in fs::read_dir(directory).expect("the directory of examples") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        assert!(ALWAYS.contains(&name) || SWITCHES.iter().any(|r| r.name() == name), "{name}");
    }
}

#[test]
fn a_loop_that_writes_does_not_wait() {
    let program = "global @x size 4 align 4
        func &f() results 0 regs 2 {
        again:
            r0 = load.4.acq @x
            store.4.rlx @x, 1
            branch r0, done, again
        done:
            return ()
        }";
    assert!(!after(program, Reductions::ALL).contains("spinblock"));
}

/// A call that says that there are no results leaves the register alone that has a place for them, as the
/// machine does (`a_call_writes_as_many_registers_as_it_says` in its tests). So the next iteration starts in
/// the same state.
#[test]
fn a_call_without_results_carries_nothing_to_the_next_iteration() {
    let program = |pause: &str| {
        format!(
            "global @x size 4 align 4
            func &sched_yield() results 1 regs 0
            func &f(r0) results 0 regs 4 {{
            again:
                r1 = load.4.acq @x
                r2 = cmp.eq.32 r1, r0
                branch r2, pause, done
            pause:
                {pause} &sched_yield ()
                jump again
            done:
                return ()
            }}"
        )
    };
    assert!(after(&program("call.1"), Reductions::ALL).contains("spinblock 0"));
    assert!(after(&program("r3 = call.1"), Reductions::ALL).contains("spinblock 0"));
    assert!(after(&program("r0 = call.0"), Reductions::ALL).contains("spinblock 0"));
    let carried = after(&program("r0 = call.1"), Reductions::ALL);
    assert!(!carried.contains("spinblock"), "{carried}");
    assert!(carried.contains("loophead 0 (r0)"), "{carried}");
}

#[test]
fn a_pausing_function_with_a_body_of_its_own_is_what_its_body_says() {
    let program = |body: &str| {
        format!(
            "global @x size 4 align 4
            global @y size 4 align 4
            func &sched_yield() results 0 regs 1 {body}
            func &f() results 0 regs 1 {{
            again:
                call.0 &sched_yield ()
                r0 = load.4.acq @x
                branch r0, done, again
            done:
                return ()
            }}"
        )
    };
    assert!(after(&program(""), Reductions::ALL).contains("spinblock 0"));
    assert!(after(&program("{ fence.sc return () }"), Reductions::ALL).contains("spinblock 0"));
    assert!(!after(&program("{ store.4.rlx @y, 1 return () }"), Reductions::ALL).contains("spinblock"));
    // Marked already, so nobody looks into it.
    let marked = "{ loop L0 L0: r0 = load.4.acq @y loopback 0 branch r0, L3, L0 L3: return () }";
    assert!(!after(&program(marked), Reductions::ALL).contains("spinblock"));
}

#[test]
fn what_a_function_was_given_is_not_its_own() {
    // The loop may write to an object that the caller knows.
    let program = "global @top size 8 align 8
        func &malloc(r0) results 1 regs 1
        func &push(r0, r5) results 0 regs 6 {
            branch r5, again, new
        new:
            r0 = call.1 &malloc (16)
            jump again
        again:
            r1 = load.8.rlx @top
            store.8.na r0, r1
            r3 = cmpxchg.8.rel.rlx @top, r1, r0
            branch r4, done, again
        done:
            return ()
        }";
    assert!(after(program, Reductions::ALL).contains("loophead 0 () ()"));
}

#[test]
fn functions_with_loops_stay_as_they_are() {
    for reduction in SWITCHES {
        let example = example(reduction.name());
        let mut module = parsed(parts(&example).0);
        passes::run(&mut module, Reductions::ALL);
        let once = module.clone();
        passes::run(&mut module, Reductions::NONE);
        assert_eq!(functions_of(&once), functions_of(&module), "{reduction:?}");
    }
}

#[test]
fn functions_that_are_not_well_formed_stay_as_they_are() {
    let bodies = [
        "r9 = move 1 return ()",
        "r4294967295 = move 1 return ()",
        "r0 = add.128 r1, 1 return ()",
        "call.0 &#7 () return ()",
        "store.4.rlx @#7, 0 return ()",
        "again: r0 = load.4.rlx 0 jump end end:",
        "again: r0 = load.4.rlx 0 branch r0, again, end end: fence.sc",
    ];
    for body in bodies {
        let program = format!("func &f() results 0 regs 2 {{ {body} }}");
        let mut module = parsed(&program);
        passes::run(&mut module, Reductions::ALL);
        assert_eq!(module, parsed(&program), "{body}");
    }
}

#[test]
fn a_function_is_put_together_as_it_was_taken_apart() {
    for name in SWITCHES.iter().map(|r| r.name()).chain(ALWAYS) {
        let example = example(name);
        for mut function in parsed(parts(&example).0).functions {
            let Some(graph) = Graph::of(&function) else { continue };
            let blocks = graph.blocks.len();
            // Jumps to what comes next are written out; after that, nothing changes.
            function.code = graph.into_code().code;
            let again = Graph::of(&function).expect("well-formed code");
            assert_eq!(again.blocks.len(), blocks, "{name}");
            assert_eq!(again.into_code().code, function.code, "{name}");
        }
    }
}
