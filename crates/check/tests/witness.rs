//! Witnesses: what they have, what they say, and that they can be written down.

use selvedge_check::{Action, Check, Violation, Witness};
use selvedge_ir::Module;

/// Store buffering; `main` calls it an error that both read 0.
fn buffering() -> Module {
    let text = "file \"sb.c\"
        global @x size 4 align 4 = zero 4
        global @y size 4 align 4 = zero 4
        global @a size 4 align 4 = zero 4
        global @t size 8 align 8 = zero 8
        func &pthread_create(r0, r1, r2, r3) results 1 regs 4
        func &pthread_join(r0, r1) results 1 regs 2
        func &reach_error() results 0 regs 0
        func &other(r0) results 1 regs 2 {
            store.4.rlx @y, 1 !0:3:5
            r1 = load.4.rlx @x !0:4:9
            store.4.rlx @a, r1 !0:4:5
            return (0)
        }
        func &main() results 1 regs 4 {
            r0 = call.1 &pthread_create (@t, 0, &other, 0) !0:8:5
            store.4.rlx @x, 1 !0:9:5
            r1 = load.4.rlx @y !0:10:9
            r0 = load.8.na @t !0:11:5
            r0 = call.1 &pthread_join (r0, 0) !0:11:5
            r2 = load.4.rlx @a !0:12:9
            r3 = or.32 r1, r2
            branch r3, right, wrong
        wrong:
            call.0 &reach_error () !0:12:5
        right:
            return (0)
        }";
    selvedge_ir::text::parse(text).expect("a program")
}

fn violation(model: &str) -> Option<Violation> {
    let theory = selvedge_kat::load_named(model).expect("a model");
    let outcome = Check::new(buffering(), theory).run().expect("something to check");
    outcome.violations.into_iter().next()
}

#[test]
fn an_execution_without_an_interleaving_has_the_cycle_that_sc_forbids() {
    assert!(violation("sc").is_none());
    for model in ["tso", "rc11"] {
        let violation = violation(model).expect("both may read 0");
        let witness = &violation.witness;
        assert!(!witness.interleaving);
        let reason = witness.reason.as_ref().expect("a reason");
        assert_eq!(reason.forbidden_by, "sc");
        let relations: Vec<&str> = reason.cycle.iter().map(|edge| edge.relation.as_str()).collect();
        assert_eq!(relations, ["fr", "po", "fr", "po"], "{model}");
        // It is closed, and each step is one of its relation.
        for (edge, next) in reason.cycle.iter().zip(reason.cycle.iter().cycle().skip(1)) {
            assert_eq!(edge.to, next.from);
            match edge.relation.as_str() {
                "fr" => assert!(witness.relations.fr.contains(&(edge.from, edge.to))),
                _ => {
                    let at = |number| witness.event(number).map(|e| (e.thread, e.index)).expect("an event");
                    let (from, to) = (at(edge.from), at(edge.to));
                    assert!(from.0 == to.0 && from.1 < to.1, "{from:?} {to:?}");
                }
            }
        }
        assert_eq!(reason.orders.len(), 2);
    }
}

#[test]
fn events_have_places_values_with_types_and_threads() {
    let violation = violation("tso").expect("both may read 0");
    let witness = &violation.witness;
    let names: Vec<&str> = witness.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main#0", "other#1"]);
    let read = witness.events.iter().find_map(|event| match &event.action {
        Action::Read { location, value, from, .. } if location == "y" => Some((event, value, *from)),
        _ => None,
    });
    let (event, value, from) = read.expect("main reads y");
    assert_eq!((value.text.as_str(), value.bits, value.of_type.as_deref()), ("0", 0, Some("i32")));
    assert_eq!(from, 0, "the initial value");
    let place = event.place.as_ref().expect("a place");
    assert_eq!((place.file.as_str(), place.line, place.column), ("sb.c", 10, 9));
    assert_eq!(event.order.as_deref(), Some("relaxed"));
    // What is inside of a function of the library says who called it.
    let create = witness.events.iter().find(|event| matches!(event.action, Action::Create { .. }));
    let stack: Vec<&str> =
        create.expect("a creation").stack.iter().map(|call| call.function.as_str()).collect();
    assert_eq!(stack, ["pthread_create", "main"]);
}

#[test]
fn witnesses_are_the_same_after_they_were_written_down() {
    let violation = violation("rc11").expect("both may read 0");
    let text = serde_json::to_string(&violation).expect("plain data");
    let back: Violation = serde_json::from_str(&text).expect("what was written");
    assert_eq!(back, violation);
    assert_eq!(back.message(), violation.message());
    let witness: Witness =
        serde_json::from_str(&serde_json::to_string(&violation.witness).expect("plain data"))
            .expect("the same");
    assert_eq!(witness, violation.witness);
}
