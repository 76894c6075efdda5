//! What analyses say of programs in the text form.

use selvedge_graph::Mode;
use selvedge_ir::analysis::anonymity::{Anonymity, anonymity, entries};
use selvedge_ir::analysis::attempts::{Called, counters_of};
use selvedge_ir::analysis::external::{External, Flow};
use selvedge_ir::analysis::failures::{Waiting, waiting_failures};
use selvedge_ir::analysis::nesting::nesting;
use selvedge_ir::analysis::retry::loads_before_loops;
use selvedge_ir::analysis::stores::{Destination, Stores};
use selvedge_ir::analysis::thread_local::escapes;
use selvedge_ir::{FuncId, Function, GlobalId, Module, Reg, passes, text};
use selvedge_machine::Reductions;

fn module(source: &str) -> Module {
    let mut module = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    passes::run(&mut module, Reductions::ALL);
    module
}

/// The only function, with this body, after the passes.
fn function(body: &str) -> Function {
    let globals = "global @x size 8 align 8 global @y size 8 align 8";
    module(&format!("{globals} func &f(r0) results 0 regs 8 {{ {body} }}")).functions.remove(0)
}

#[test]
fn loops_are_within_those_that_start_them_anew() {
    let nested = function(
        "outer: r1 = move 0
         inner: store.4.rlx @x, r1
                r1 = add.32 r1, 1
                r2 = cmp.ult.32 r1, 3
                branch r2, inner, next
         next:  r0 = sub.32 r0, 1
                branch r0, outer, done
         done:  return ()",
    );
    assert_eq!(nesting(&nested), [vec![1], vec![]]);
}

/// `e = load(x); while (!cas(x, e, e + 1));`, with what comes before and what the new value is.
fn increment(before: &str, new: &str) -> Function {
    function(&format!(
        "{before}
         again: r2 = add.64 {new}, 1
                r3 = cmpxchg.8.ar.acq @x, r1, r2
                branch r4, done, failed
         failed: r1 = move r3
                jump again
         done:  return ()"
    ))
}

#[test]
fn a_loop_is_retried_with_what_was_read_last_if_only_the_load_before_it_matters() {
    let retried = increment("r1 = load.8.acq @x", "r1");
    assert_eq!(loads_before_loops(&retried), [Some(0)]);
    let not_loaded = increment("r1 = move r0", "r1");
    assert_eq!(loads_before_loops(&not_loaded), [None]);
    let plain = increment("r1 = load.8.na @x", "r1");
    assert_eq!(loads_before_loops(&plain), [None]);
}

#[test]
fn failures_tell_how_the_thread_waits() {
    let waiting = |function: &Function| {
        let all = waiting_failures(function, &loads_before_loops(function), &[]);
        all.into_iter().flatten().collect::<Vec<_>>()
    };
    let taken = function("again: r1 = cmpxchg.4.acq.rlx @x, 0, 1 branch r2, done, again done: return ()");
    assert_eq!(waiting(&taken), [Waiting::Always { header: 0 }]);
    let retried = increment("r1 = load.8.acq @x", "r1");
    assert_eq!(waiting(&retried), [Waiting::IfRetry { number: 0, load: 0 }]);
    let weaker = increment("r1 = load.8.sc @x", "r1");
    assert_eq!(waiting(&weaker), []);
}

#[test]
fn a_thread_local_variable_escapes_if_its_address_is_stored() {
    let with = |body: &str| {
        let declared = "global @mine size 8 align 8 threadlocal global @p size 8 align 8";
        let module = module(&format!("{declared} func &f() results 0 regs 2 {{ {body} return () }}"));
        escapes(&module, GlobalId(0))
    };
    assert!(!with("r0 = offset @mine, 4, 1 store.4.na r0, 1 r1 = load.4.na @mine"));
    assert!(with("r0 = offset @mine, 4, 1 store.8.na @p, r0"));
}

/// What a function that is only declared does in these tests.
fn external(name: &str) -> Option<External> {
    match name {
        "malloc" => Some(External { flow: Flow::Makes, anonymous: true }),
        "self" => Some(External { flow: Flow::Other, anonymous: false }),
        _ => None,
    }
}

fn externals(module: &Module) -> Vec<Option<External>> {
    module.functions.iter().map(|f| if f.code.is_empty() { external(&f.name) } else { None }).collect()
}

#[test]
fn stores_to_come_are_those_that_can_be_reached() {
    let module = module(
        "global @x size 4 align 4 global @y size 4 align 4
         func &g() results 0 regs 0 { store.4.rel @y, 1 return () }
         func &f() results 0 regs 0 { store.4.rlx @x, 1 fence.sc call.0 &g () return () }",
    );
    let stores = Stores::of(&module, &externals(&module), &|_| false);
    let to = |from: u32, global: u32| -> Vec<Mode> {
        let reach = stores.from(FuncId(1), from);
        let destination = Destination::Global(GlobalId(global));
        stores.sites(&reach).filter(|site| stores.may_be(site, destination)).map(|site| site.mode).collect()
    };
    assert_eq!((to(0, 0), to(0, 1)), (vec![Mode::Rlx], vec![Mode::Rel]));
    assert_eq!((to(1, 0), to(1, 1)), (vec![], vec![Mode::Rel]));
    assert_eq!((to(3, 0), to(3, 1)), (vec![], vec![]));
}

/// Functions that call each other round and round, each with all the addresses that it knows: sets that would
/// have hundreds of objects in thousands of registers.
#[test]
fn what_may_point_to_many_objects_may_point_to_all() {
    let count = 400;
    let mut source = String::from("global @other size 4 align 4\n");
    for n in 0..count {
        source += &format!(
            "global @g{n} size 4 align 4
             func &f{n}(r0, r1) results 1 regs 4 {{
                 r2 = select r1, r0, @g{n}
                 store.4.rlx r2, 1
                 r3 = call.1 &f{} (r2, r1)
                 r3 = call.1 &f{} (r3, r1)
                 return (r3)
             }}\n",
            (n + 1) % count,
            (n * 7 + 3) % count
        );
    }
    source += "func &few(r0) results 0 regs 2 { r1 = select r0, @g0, @g1 store.4.rel r1, 1 return () }\n";
    let module = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let stores = Stores::of(&module, &externals(&module), &|_| false);
    let may = |function: u32, global: u32| {
        let reach = stores.from(FuncId(function), 0);
        stores.sites(&reach).any(|site| stores.may_be(site, Destination::Global(GlobalId(global))))
    };
    assert!((0..=count).all(|global| may(7, global)), "also of what it is never given");
    let few: Vec<u32> = (0..=count).filter(|global| may(count, *global)).collect();
    assert_eq!(few, [1, 2]);
}

#[test]
fn threads_do_the_same_unless_they_ask_who_they_are() {
    let with = |body: &str| {
        let module = module(&format!(
            "global @x size 8 align 8
             func &malloc(r0) results 1 regs 1
             func &self() results 1 regs 0
             func &pthread_create(r0, r1, r2, r3) results 1 regs 4
             func &thread(r0) results 1 regs 4 {{ {body} return (0) }}
             func &main() results 1 regs 1 {{ r0 = call.1 &pthread_create (@x, 0, &thread, 0) return (0) }}"
        ));
        let found: Vec<FuncId> = entries(&module).collect();
        assert_eq!(found, [FuncId(3)]);
        anonymity(&module, &externals(&module), found[0])
    };
    assert_eq!(with("r1 = rmw.add.4.ar @x, 1"), Anonymity::Yes);
    assert_eq!(with("r1 = call.1 &self ()"), Anonymity::No);
    assert_eq!(with("r1 = call.1 &malloc (8) store.8.rlx @x, r1"), Anonymity::WithAddresses);
    assert_eq!(with("r1 = call.1 &malloc (8) r2 = urem.64 r1, 7"), Anonymity::No);
}

/// What only bounds the rounds of `for (r1 = 0; r1 < 5; r1++) { if (load(x)) break; }`, with something more
/// in the loop, a step of its own, and something after it.
fn counters(more: &str, step: &str, after: &str) -> Vec<Vec<Reg>> {
    let function = function(&format!(
        "        r1 = move 0
                 jump again
         again:  r2 = load.4.acq @x
                 branch r2, done, next
         next:   {more}
                 r3 = add.32 r1, {step}
                 r1 = move r3
                 r4 = cmp.ult.32 r3, 5
                 branch r4, again, done
         done:   {after}
                 return ()"
    ));
    counters_of(&function, &|_| Called::Other).into_iter().map(|found| found.regs).collect()
}

#[test]
fn what_only_bounds_the_attempts_goes_nowhere_else() {
    assert_eq!(counters("", "1", ""), [vec![1, 3, 4]]);
    assert_eq!(counters("r5 = mul.32 r1, 2", "1", "r6 = move r5"), [vec![1, 3, 4, 5, 6]]);
    let none: [Vec<Reg>; 1] = [Vec::new()];
    assert_eq!(counters("", "1", "store.4.rlx @y, r1"), none, "it is seen afterwards");
    assert_eq!(counters("store.4.rlx @y, r1", "1", ""), none, "others see it");
    assert_eq!(counters("", "r2", ""), none, "what is read decides about the number of rounds");
    assert_eq!(counters("r5 = offset @y, r1, 4 r6 = load.4.rlx r5", "1", ""), none, "it says where to read");
    assert_eq!(counters("store.4.rlx @y, 1", "1", ""), none, "a round that goes on has done something");
    assert_eq!(counters("r5 = rmw.add.4.ar @y, 1", "1", ""), none, "or may have");
    let parting = "r5 = cmp.eq.32 r1, 2 branch r5, other, rest other: r6 = load.4.rlx @y jump rest rest:";
    assert_eq!(counters(parting, "1", ""), none, "it decides what else to do");
}

/// A loop that tries and has this body, from `again` on; `r1` counts. Of functions, 0 reads and 1 is a
/// compare-and-exchange.
fn tries(body: &str) -> bool {
    let module = module(&format!(
        "global @x size 4 align 4
         func &look(r0) results 1 regs 2 {{ r1 = load.4.acq r0 return (r1) }}
         func &try(r0, r1) results 1 regs 4 {{
                 r2 = cmpxchg.4.ar.rlx r0, r1, 3 branch r3, done, failed
         failed: return (r2)
         done:   return (r1)
         }}
         func &thread(r0) results 1 regs 9 {{
                 r1 = move 0
                 jump again
         again:  {body}
         over:   return (1)
         done:   return (0)
         }}"
    ));
    let called = |f: FuncId| Called::Defined(&module.functions[f.0 as usize]);
    counters_of(&module.functions[2], &called).iter().any(|found| !found.regs.is_empty())
}

#[test]
fn who_gives_up_has_read_what_others_go_on_with() {
    let count = "r3 = add.32 r1, 1 r1 = move r3 r4 = cmp.ult.32 r3, 5";
    let look = "r2 = load.4.acq @x";
    assert!(tries(&format!("{look} branch r2, done, next next: {count} branch r4, again, over")));
    assert!(tries(&format!(
        "r4 = cmp.ult.32 r1, 5 branch r4, on, over on: r1 = add.32 r1, 1 {look} branch r2, done, again"
    )));
    // What it gives up with may be what it wanted.
    assert!(!tries(&format!("{look} {count} branch r4, on, over on: branch r2, done, again")));
    // Or it reads once more.
    assert!(!tries(&format!(
        "{look} {count} branch r4, on, over on: r5 = load.4.acq @x branch r5, done, again"
    )));
}

#[test]
fn attempts_may_call_functions() {
    let count = "r3 = add.32 r1, 1 r1 = move r3 r4 = cmp.ult.32 r3, 5 branch r4, again, over";
    assert!(tries(&format!("r2 = call.1 &look (@x) branch r2, done, next next: {count}")));
    // What succeeds leaves the loop.
    assert!(tries(&format!(
        "r2 = call.1 &try (@x, 1) r5 = cmp.eq.32 r2, 1 branch r5, done, next next: {count}"
    )));
    assert!(!tries(&format!(
        "r2 = call.1 &try (@x, 1) r5 = cmp.eq.32 r2, 0 branch r5, done, next next: {count}"
    )));
    assert!(!tries(&format!(
        "r2 = call.1 &try (@x, r0) r5 = cmp.eq.32 r2, 1 branch r5, done, next next: {count}"
    )));
}
