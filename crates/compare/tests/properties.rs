//! Models have the properties that they declare, and those that are decided, as far as small executions tell.
//!
//! Executions are random: a sequence of steps of all threads, in which some reads then see another write, and
//! some writes change their places. That makes few executions that no model admits, and many that only weak
//! ones do. `SELVEDGE_FUZZ_EXECUTIONS` says how many.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_certify::eval::Stage;
use selvedge_certify::execution::{Deps, Event, INIT, NO_LOC};
use selvedge_decide::premises::{Has, Premise, Premises, ThinAir, claims, premises};
use selvedge_decide::search::Limits;
use selvedge_explore::premises::properties_of;
use selvedge_graph::{Kind, Mode};
use selvedge_kat::{Dialect, Property, Theory, load_named, parse};
use selvedge_model::{Compiled, Properties};
use selvedge_oracle::Judge;
use selvedge_oracle::generate::rng_for;
use selvedge_oracle::property::{Trial, Tried, try_property};

/// The shipped models that drive an exploration.
const MODELS: [&str; 16] = [
    "sc",
    "tso",
    "pso",
    "ra",
    "rlx",
    "rc11",
    "imm",
    "imm-cxx20",
    "x86",
    "armv8",
    "armv8-2018",
    "power",
    "riscv",
    "lkmm",
    "sc.cat",
    "tso.cat",
];

fn executions() -> u64 {
    std::env::var("SELVEDGE_FUZZ_EXECUTIONS").ok().and_then(|v| v.parse().ok()).unwrap_or(6_000)
}

fn one_of<T: Copy>(rng: &mut SmallRng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

/// The events of one thread.
fn thread(rng: &mut SmallRng, tid: u16, locations: u32, events: &mut Vec<Event>) {
    let first = events.len();
    let steps = one_of(rng, &[1, 2, 3, 3, 4, 5]);
    // A place of a read that the next read-modify-write is to confirm.
    let mut before: Option<u32> = None;
    for _ in 0..steps {
        let loc = before.unwrap_or_else(|| rng.random_range(0..locations));
        let mut push = |kind, mode, loc, rmw| {
            let idx = (events.len() - first) as u32 + 1;
            events.push(Event { tid, idx, loc, rmw, ..Event::new(kind, mode) });
        };
        match if before.is_some() { 6 } else { rng.random_range(0..10) } {
            0..=2 => {
                push(Kind::Read, one_of(rng, &[Mode::Na, Mode::Rlx, Mode::Acq, Mode::Sc]), loc, false);
                before = rng.random_ratio(1, 2).then_some(loc);
            }
            3..=5 => push(Kind::Write, one_of(rng, &[Mode::Na, Mode::Rlx, Mode::Rel, Mode::Sc]), loc, false),
            6..=8 => {
                let mode = one_of(rng, &[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc]);
                push(Kind::Read, mode, loc, true);
                push(Kind::Write, mode, loc, true);
                before = None;
            }
            _ => {
                let mode = one_of(rng, &[Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc]);
                push(Kind::Fence, mode, NO_LOC, false);
            }
        }
    }
    // Some dependencies on earlier reads; what a read-modify-write writes is computed from what it reads, or
    // not.
    for at in first + 1..events.len() {
        if events[at].rmw && events[at].kind == Kind::Write && rng.random_ratio(1, 2) {
            events[at].deps.cas |= 1 << events[at - 1].idx;
        }
        let reads = (first..at).filter(|x| events[*x].kind == Kind::Read);
        let reads: Vec<u32> = reads.map(|x| events[x].idx).collect();
        if !reads.is_empty() && rng.random_ratio(1, 3) {
            let bit = 1 << one_of(rng, &reads);
            let (kind, rmw) = (events[at].kind, events[at].rmw);
            let deps = &mut events[at].deps;
            match kind == Kind::Read && rmw && rng.random_ratio(1, 4) {
                true => deps.cas |= bit,
                false => *one_of_mut(rng, deps) |= bit,
            }
        }
    }
}

fn one_of_mut<'d>(rng: &mut SmallRng, deps: &'d mut Deps) -> &'d mut u32 {
    match rng.random_range(0..4) {
        0 => &mut deps.addr,
        1 => &mut deps.data,
        2 => &mut deps.ctrl,
        _ => &mut deps.arm,
    }
}

/// A random execution. Dependencies of an address or a value are of accesses, and those of control last.
fn execution(rng: &mut SmallRng) -> Trial {
    let (threads, locations) = (one_of(rng, &[2, 2, 3]), one_of(rng, &[1, 2, 2, 3]));
    let mut events = vec![Event::init()];
    // Some programs create threads: the first one creates the others, and may wait for them.
    let creates = rng.random_ratio(1, 4);
    if creates {
        for peer in 1..threads {
            events.push(Event { tid: 0, idx: u32::from(peer), peer, ..Event::new(Kind::Spawn, Mode::Rlx) });
        }
    }
    let before = events.len() - 1;
    thread(rng, 0, locations, &mut events);
    for e in &mut events[before + 1..] {
        let Deps { addr, data, ctrl, arm, cas, publishes } = e.deps;
        let [addr, data, ctrl, arm, cas, publishes] =
            [addr, data, ctrl, arm, cas, publishes].map(|set| set << before);
        (e.idx, e.deps) = (e.idx + before as u32, Deps { addr, data, ctrl, arm, cas, publishes });
    }
    if creates {
        for peer in (1..threads).filter(|_| rng.random_ratio(1, 2)) {
            let idx = events.len() as u32;
            events.push(Event { tid: 0, idx, peer, ..Event::new(Kind::Join, Mode::Rlx) });
        }
    }
    for tid in 1..threads {
        thread(rng, tid, locations, &mut events);
    }
    for event in &mut events[1..] {
        event.deps.addr *= u32::from(event.loc != NO_LOC);
        event.deps.data *= u32::from(event.kind == Kind::Write);
    }
    for x in 1..events.len() - 1 {
        if events[x + 1].tid == events[x].tid {
            // What control leads to it leads to all that follows.
            events[x + 1].deps.ctrl |= events[x].deps.ctrl | events[x].deps.arm;
        }
        events[x].deps.ctrl |= events[x].deps.arm;
    }
    let mut trial = interleaved(rng, events, locations, creates);
    for _ in 0..one_of(rng, &[0, 1, 1, 2, 3]) {
        disturb(rng, &mut trial);
    }
    trial
}

/// A random execution with a step (of location 0) that one thread begins (by location 1) and another may
/// complete.
fn helping(rng: &mut SmallRng) -> Trial {
    let threads = one_of(rng, &[2, 3, 3]);
    let mut events = vec![Event::init()];
    // One that creates the others may have written to both locations before.
    let creates = rng.random_ratio(1, 4);
    if creates {
        for loc in 0..2 {
            if rng.random_ratio(1, 3) {
                continue;
            }
            let mode = one_of(rng, &[Mode::Na, Mode::Rlx, Mode::Rel]);
            events.push(Event { tid: 0, loc, ..Event::new(Kind::Write, mode) });
        }
        for peer in 1..=threads {
            events.push(Event { tid: 0, peer, ..Event::new(Kind::Spawn, Mode::Rlx) });
        }
        (1..events.len()).for_each(|x| events[x].idx = x as u32);
    }
    for role in 0..threads {
        let tid = role + u16::from(creates);
        let first = events.len();
        let weak = |rng: &mut SmallRng| one_of(rng, &[Mode::Acq, Mode::Acq, Mode::Rlx]);
        let strong = |rng: &mut SmallRng| one_of(rng, &[Mode::Rel, Mode::AcqRel, Mode::AcqRel, Mode::Rlx]);
        let planned: Vec<(Kind, Mode, u32, bool)> = match role {
            0 => {
                let (mode, rmw) = (strong(rng), rng.random_ratio(1, 2));
                let begin = (Kind::Write, if rmw { mode } else { Mode::Rel }, 1, rmw);
                vec![(Kind::Read, weak(rng), 0, false), begin, (Kind::Read, weak(rng), 0, false)]
            }
            1 => vec![(Kind::Read, weak(rng), 1, false), (Kind::Write, strong(rng), 0, true)],
            _ => vec![(Kind::Write, strong(rng), 0, true), (Kind::Read, weak(rng), 0, false)],
        };
        let last = planned.len();
        for (number, (kind, mode, loc, rmw)) in planned.into_iter().enumerate() {
            // Something else in between, but not right before the owner's step.
            if (role != 0 || number != last - 1) && rng.random_ratio(1, 2) {
                let (kind, mode) = one_of(
                    rng,
                    &[
                        (Kind::Read, Mode::Rlx),
                        (Kind::Read, Mode::Acq),
                        (Kind::Write, Mode::Rlx),
                        (Kind::Write, Mode::Rel),
                        (Kind::Fence, Mode::Rel),
                        (Kind::Fence, Mode::Acq),
                        (Kind::Fence, Mode::Sc),
                    ],
                );
                let loc = if kind == Kind::Fence { NO_LOC } else { rng.random_range(0..3) };
                let idx = (events.len() - first) as u32 + 1;
                events.push(Event { tid, idx, loc, ..Event::new(kind, mode) });
            }
            for kind in [Kind::Read, kind].into_iter().skip(usize::from(!rmw)) {
                let idx = (events.len() - first) as u32 + 1;
                events.push(Event { tid, idx, loc, rmw, ..Event::new(kind, mode) });
            }
        }
        if rng.random_ratio(1, 2) {
            let (kind, mode) = one_of(rng, &[(Kind::Read, Mode::Rlx), (Kind::Write, Mode::Rlx)]);
            let (idx, loc) = ((events.len() - first) as u32 + 1, rng.random_range(0..3));
            events.push(Event { tid, idx, loc, ..Event::new(kind, mode) });
        }
    }
    let mut trial = interleaved(rng, events, 3, creates);
    for _ in 0..one_of(rng, &[0, 1, 2, 3, 4]) {
        disturb(rng, &mut trial);
    }
    trial
}

/// What threads see if they take turns.
fn interleaved(rng: &mut SmallRng, events: Vec<Event>, locations: u32, creates: bool) -> Trial {
    let mut trial = Trial { rf: vec![INIT; events.len()], co: vec![Vec::new(); locations as usize], events };
    let threads = trial.events.iter().skip(1).map(|e| e.tid).max().unwrap_or(0) + 1;
    let of = |tid: u16| (1..trial.events.len()).filter(|x| trial.events[*x].tid == tid).collect::<Vec<_>>();
    let mut left: Vec<Vec<usize>> = (0..threads).map(of).collect();
    let mut started: Vec<bool> = (0..threads).map(|tid| tid == 0 || !creates).collect();
    while left.iter().any(|rest| !rest.is_empty()) {
        let tid = rng.random_range(0..threads) as usize;
        let Some(&x) = left[tid].first().filter(|_| started[tid]) else { continue };
        let event = trial.events[x];
        if event.kind == Kind::Join && !left[event.peer as usize].is_empty() {
            continue;
        }
        let steps = if event.rmw { 2 } else { 1 };
        for x in left[tid].drain(..steps) {
            let e = &trial.events[x];
            match e.kind {
                Kind::Read => trial.rf[x] = trial.co[e.loc as usize].last().copied().unwrap_or(INIT),
                Kind::Write => trial.co[e.loc as usize].push(x),
                Kind::Spawn => started[e.peer as usize] = true,
                _ => {}
            }
        }
    }
    trial
}

/// Lets a read see another write, or two writes change places.
fn disturb(rng: &mut SmallRng, trial: &mut Trial) {
    let mut other = trial.clone();
    let x = rng.random_range(1..other.events.len());
    let e = other.events[x];
    match e.kind {
        Kind::Read => {
            let order = &other.co[e.loc as usize];
            other.rf[x] = match rng.random_range(0..=order.len()) {
                0 => INIT,
                at => order[at - 1],
            };
        }
        Kind::Write => {
            let order = &mut other.co[e.loc as usize];
            let at = rng.random_range(0..order.len());
            order.swap(at, 0);
        }
        _ => {}
    }
    if other.is_atomic() {
        *trial = other;
    }
}

fn judge(theory: &Theory) -> Judge {
    Judge::new(theory).expect("the oracle knows all of it")
}

/// How often a property could be tried, and the first execution that it fails for.
fn tried(theory: &Theory, property: Property, executions: u64) -> (u64, Option<String>) {
    let judge = judge(theory);
    let mut times = 0;
    for number in 0..executions {
        let rng = &mut rng_for(property as u64, number);
        let trial = if property == Property::DelegatesRmws { helping(rng) } else { execution(rng) };
        match try_property(property, &judge, &trial) {
            Tried::Nothing => {}
            Tried::Holds => times += 1,
            Tried::Violated(other) => {
                return (times, Some(format!("execution {number}\n{trial}\nbecomes\n{other}")));
            }
        }
    }
    (times, None)
}

fn properties(theory: &Theory) -> Properties {
    let compiled = Compiled::compile(theory).unwrap_or_else(|d| panic!("{d}"));
    properties_of(theory, &compiled)
}

#[test]
fn shipped_models_have_the_properties_that_they_are_said_to_have() {
    for name in MODELS {
        let theory = load_named(name).expect("a shipped model");
        let known = properties(&theory);
        for property in Property::ALL.into_iter().filter(|property| known.has(*property)) {
            let (times, violation) = tried(&theory, property, executions());
            let property = property.name();
            assert!(violation.is_none(), "{name} is not {property}: {}", violation.unwrap_or_default());
            assert!(times >= executions() / 200, "{name}: {property} was tried {times} times");
        }
    }
}

#[test]
fn every_declaration_is_of_a_model_that_is_tried() {
    let declaring = selvedge_kat::builtin_names().iter().filter(|name| {
        let theory = load_named(name).expect("a shipped model");
        !theory.properties.is_empty()
    });
    assert!(declaring.clone().all(|name| MODELS.contains(name)));
    assert!(declaring.count() >= 4);
}

/// Models that do not have a property although they say so.
const WRONG: [(Property, &str); 15] = [
    (Property::PorfAcyclic, "view local = (po | tc | tj)+ export coherence local"),
    (
        Property::NoDependencies,
        "export acyclic (po | rf | tc | tj) export acyclic (data | addr | ctrl | rfe | mo | fr)",
    ),
    (Property::Coherent, "export acyclic (po | rf | tc | tj)"),
    (
        Property::MonotoneInOrderings,
        "view hb = (po | tc | tj | [W & RLX] ; rf)+ export coherence hb export acyclic (po | rf | tc | tj)",
    ),
    (
        Property::ForgetsReads,
        "export acyclic (po | rf | tc | tj) export acyclic (po-imm ; [W] | mo | fr | rfe)",
    ),
    (
        Property::RepeatsReads,
        "export acyclic (po | rf | tc | tj) export irreflexive ([R] ; po ; [R] ; fr ; po ; rf)",
    ),
    (
        Property::ForgetsWrites,
        "export acyclic (po | rf | tc | tj) export acyclic (po-imm ; [R] | mo | fr | rfe)",
    ),
    (
        Property::ForgetsRmws,
        "let predicate plain = W \\ UW view hb = (po | tc | tj | [plain] ; rf)+ export coherence hb
         export acyclic (po | rf | tc | tj)",
    ),
    (
        Property::ForgetsAcquiringRmws,
        "let predicate plain = W \\ UW export irreflexive ([plain] ; rf ; po ; mo)
         export acyclic (po | rf | tc | tj)",
    ),
    (
        Property::ConfirmsReads,
        "let predicate plain = R \\ UR export irreflexive (rf ; [plain] ; po ; fr)
         export acyclic (po | rf | tc | tj)",
    ),
    (
        Property::DelegatesRmws,
        "view hb = (po | tc | tj | [UW] ; rf)+ export coherence hb
         export acyclic (po | rf | tc | tj)",
    ),
    (Property::PublishesInOrder, "view local = (po | tc | tj)+ export coherence local"),
    (
        Property::PublishesInOrderOrRaces,
        "view local = (po | tc | tj)+ export coherence local
         export error Race unless [NA] ; loc-overlap <= (po | rf | tc | tj)+",
    ),
    (Property::OrdersByRmw, "view local = (po | tc | tj)+ export coherence local"),
    (Property::Interleaving, "export acyclic (po | rf | tc | tj) export acyclic (po | rfe | fr | tc | tj)"),
];

#[test]
fn a_wrong_declaration_is_found() {
    for (property, text) in WRONG {
        let theory =
            parse("wrong.kat", text, Dialect::Kat, &|_| Err(String::new())).unwrap_or_else(|d| panic!("{d}"));
        // Most are found soon; some need a particular execution.
        let (times, violation) = tried(&theory, property, 10 * executions());
        assert!(violation.is_some(), "{} was tried {times} times: {text}", property.name());
        // Nor is it decided that they have it.
        if let Ok(compiled) = Compiled::compile(&theory) {
            assert!(!properties_of(&theory, &compiled).has(property), "{}: {text}", property.name());
        }
    }
}

fn admits(judge: &Judge, trial: &Trial) -> bool {
    let (relations, mut scratch) = (trial.relations(), judge.scratch());
    Stage::ALL.iter().all(|stage| judge.admits(*stage, &trial.events, &relations, &mut scratch))
}

/// Two threads that pass on what they read to each other, by dependencies, through memory of their own, or by
/// read-modify-writes. Thread `t` reads location `t`, and writes the other one.
fn circular(rng: &mut SmallRng) -> Trial {
    let mut trial = Trial { events: vec![Event::init()], rf: vec![INIT], co: vec![Vec::new(); 4] };
    let (mut first, mut last) = ([0; 2], [0; 2]);
    for t in 0..2 {
        let mut idx = 0;
        let mut add = |trial: &mut Trial, kind, mode, loc: u32, rmw| {
            idx += 1;
            trial.events.push(Event { tid: t, idx, loc, rmw, ..Event::new(kind, mode) });
            trial.rf.push(INIT);
            trial.events.len() - 1
        };
        let t = t as usize;
        let rmw = rng.random_ratio(1, 3);
        let mode = one_of(rng, &[Mode::Rlx, Mode::Rlx, Mode::Acq, Mode::Na]);
        let mode = if rmw && mode == Mode::Na { Mode::Rlx } else { mode };
        first[t] = add(&mut trial, Kind::Read, mode, t as u32, rmw);
        let mut read = first[t];
        if rmw {
            let write = add(&mut trial, Kind::Write, mode, t as u32, true);
            if rng.random_ratio(2, 3) {
                read = add(&mut trial, Kind::Read, Mode::Rlx, t as u32, false);
                trial.rf[read] = write;
            }
        } else if rng.random_ratio(1, 2) {
            let write = add(&mut trial, Kind::Write, Mode::Rlx, 2 + t as u32, false);
            *one_of_mut(rng, &mut trial.events[write].deps) |= 1 << trial.events[read].idx;
            trial.co[2 + t].push(write);
            read = add(&mut trial, Kind::Read, one_of(rng, &[Mode::Rlx, Mode::Acq]), 2 + t as u32, false);
            trial.rf[read] = write;
        }
        last[t] = add(&mut trial, Kind::Write, one_of(rng, &[Mode::Rlx, Mode::Na]), 1 - t as u32, false);
        if rng.random_ratio(9, 10) {
            *one_of_mut(rng, &mut trial.events[last[t]].deps) |= 1 << trial.events[read].idx;
        }
    }
    for t in 0..2 {
        trial.rf[first[t]] = last[1 - t];
        trial.co[t].push(last[1 - t]);
        let write = first[t] + 1;
        if trial.events[first[t]].rmw {
            trial.co[t].push(write);
        }
    }
    // What control leads to it leads to all that follows.
    for x in 1..trial.events.len() {
        trial.events[x].deps.ctrl |= trial.events[x].deps.arm;
        if x > 1 && trial.events[x].tid == trial.events[x - 1].tid {
            trial.events[x].deps.ctrl |= trial.events[x - 1].deps.ctrl;
        }
    }
    trial
}

/// How many executions of the model were looked at, and the first one of which the claim is not true.
fn contradicted(theory: &Theory, claim: &Theory, executions: u64) -> (u64, Option<String>) {
    let (model, claim) = (judge(theory), judge(claim));
    let mut times = 0;
    for number in 0..executions {
        let rng = &mut rng_for(99, number);
        let trial = if number % 4 == 0 { circular(rng) } else { execution(rng) };
        if admits(&model, &trial) {
            times += 1;
            if !admits(&claim, &trial) {
                return (times, Some(format!("execution {number}\n{trial}")));
            }
        }
    }
    (times, None)
}

/// The claims about a model, and whether they were decided to hold.
fn decided(theory: &Theory, found: &Premises) -> Vec<(String, Theory, bool)> {
    let (local, [others, own]) = claims(theory);
    let holds = |premise: Premise| matches!(found.of(premise), Has::Yes);
    let mut all: Vec<(String, Theory, bool)> =
        local.into_iter().map(|(premise, claim)| (premise.name().into(), claim, holds(premise))).collect();
    let forbids = matches!(found.thin_air, ThinAir::Forbidden);
    all.push(("no-thin-air".into(), own, forbids));
    let but = forbids || matches!(found.thin_air, ThinAir::ByRmws(_));
    all.push(("no-thin-air-but-by-rmws".into(), others, but));
    all
}

#[test]
fn what_exploring_with_dependencies_relies_on_holds_in_executions() {
    let mut tried = 0;
    for name in ["armv8", "armv8-2018", "imm", "imm-cxx20", "power", "riscv", "lkmm"] {
        let theory = load_named(name).expect("a shipped model");
        let found = premises(&theory, Limits::for_loading());
        for (claim, text, _) in decided(&theory, &found).into_iter().filter(|(.., holds)| *holds) {
            let (times, contradiction) = contradicted(&theory, &text, executions());
            assert!(contradiction.is_none(), "{name}: {claim}: {}", contradiction.unwrap_or_default());
            assert!(times >= executions() / 20, "{name}: {claim} was tried {times} times");
            tried += 1;
        }
    }
    assert!(tried >= 24, "{tried}");
}

/// What is not so is found to be so in no model, and there are executions that show it.
#[test]
fn a_premise_that_does_not_hold_is_found_out() {
    let text = "export coherence po
                let lo = addr | data | ctrl ; [W] | addr ; po ; [W] | (addr | data) ; rfi | rmw | po-loc ; [W]
                export acyclic (rfe | moe | fre | lo | threads)";
    let threads = "let threads = po ; [TC] | tc ; po? | po? ; tj | [TJ] ; po\n";
    let without = [
        ("forwards-dependencies", "| (addr | data) ; rfi "),
        ("fixed-skeleton", "| ctrl ; [W] "),
        ("fixed-skeleton", "| addr ; po ; [W] "),
        ("local-write-successors", "| po-loc ; [W]"),
        ("rereads", "| addr ; po ; [W] "),
        ("no-thin-air", "| rmw "),
        ("no-thin-air-but-by-rmws", "| data "),
    ];
    for (premise, part) in without {
        let text = format!("{threads}{}", text.replacen(part, "", 1));
        let theory =
            parse("less.kat", &text, Dialect::Kat, &|_| Err(String::new())).unwrap_or_else(|d| panic!("{d}"));
        let found = premises(&theory, Limits::for_loading());
        let all = decided(&theory, &found);
        let (_, claim, holds) = all.iter().find(|(name, ..)| name == premise).expect("one of them");
        assert!(!holds, "without {part}: {found:?}");
        let (times, contradiction) = contradicted(&theory, claim, 20 * executions());
        assert!(contradiction.is_some(), "{premise} without {part} was tried {times} times");
    }
}
