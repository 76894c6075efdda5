//! States that differ only in what objects are called are one: the same is found wrong with and without
//! that, with and without what else is left out; and searches end that otherwise do not.

use crate::generated::{DECLARED, Dice, main_of, setting, thread};
use selvedge_check::{Check, Nobody, Options, Searched, Searching, Verdict};
use selvedge_ir::Module;
use selvedge_machine::ErrorKinds;
use std::collections::BTreeSet;

const LIBRARY: &str = "
    global @p size 8 align 8 = zero 8
    global @q size 8 align 8 = zero 8
    func &malloc(r0) results 1 regs 1
    func &calloc(r0, r1) results 1 regs 2
    func &free(r0) results 0 regs 1
    func &selvedge_choose(r0) results 1 regs 1
";

/// Nodes have a number and, after eight bytes, a pointer. `r4`, `r5`, `r6` hold nodes or null.
fn piece(dice: &mut Dice, l: u64) -> String {
    let node = |dice: &mut Dice| dice.pick(&["r4", "r5", "r6"]);
    let global = |dice: &mut Dice| dice.pick(&["@p", "@q"]);
    let a = node(dice);
    let b = node(dice);
    let from = global(dice);
    let unless_null = |what: &str, then: String| {
        format!("branch {what}, some{l}, none{l}\nsome{l}: {then}jump none{l}\nnone{l}: ")
    };
    match dice.roll(17) {
        0..=2 => format!("{a} = call.1 &calloc (1, 16)\nstore.4.na {a}, {}\n", dice.roll(2)),
        // Either of two is published.
        3 => format!(
            "r2 = call.1 &selvedge_choose (2)\nr7 = select r2, {a}, {b}\nr7 = rmw.xchg.8.sc {from}, r7\n"
        ),
        4 | 5 => format!("{a} = rmw.xchg.8.sc {from}, {b}\n"),
        6 | 7 => format!("{a} = load.8.sc {from}\n"),
        8 => unless_null(a, format!("r2 = load.4.na {a}\nr1 = or.32 r1, r2\n")),
        9 => unless_null(a, format!("store.4.na {a}, {}\n", 1 + dice.roll(2))),
        10 => unless_null(a, format!("r7 = offset {a}, 8, 1\nstore.8.sc r7, {b}\n")),
        11 => unless_null(a, format!("r7 = offset {a}, 8, 1\n{b} = load.8.sc r7\n")),
        12 => format!("r2 = cmp.eq.64 {a}, {b}\nr1 = or.32 r1, r2\n"),
        // Garbage, or not.
        13 => format!(
            "r2 = call.1 &selvedge_choose (2)\nbranch r2, some{l}, none{l}\n\
             some{l}: {a} = call.1 &calloc (1, 16)\njump none{l}\nnone{l}: {b} = move 0\n"
        ),
        // A loop that makes something in every round.
        14 => format!(
            "again{l}: {a} = call.1 &calloc (1, 16)\nr2 = load.4.rlx @y\nbranch r2, go{l}, look{l}\n\
             look{l}: r2 = call.1 &selvedge_choose (2)\nbranch r2, go{l}, again{l}\n\
             go{l}: store.4.rlx @y, 1\n"
        ),
        // These look at names: by size, and as numbers.
        15 if dice.roll(4) == 0 => format!("r2 = cmp.ult.64 {a}, {b}\nr1 = or.32 r1, r2\n"),
        16 if dice.roll(4) == 0 => format!("r2 = lshr.64 {a}, 32\nr2 = and.64 r2, 1\nr1 = or.32 r1, r2\n"),
        _ => unless_null(a, format!("r2 = load.4.na {a}\nr1 = add.32 r1, r2\n")),
    }
}

fn program(dice: &mut Dice) -> String {
    let mut text = String::from(DECLARED) + LIBRARY;
    let threads = 2;
    for t in 0..threads {
        let pieces = 2 + dice.roll(5);
        let body: String = (0..pieces).map(|n| piece(dice, n)).collect();
        text += &thread(t, &format!("r4 = move 0\nr5 = move 0\nr6 = move 0\n{body}"), dice.roll(4));
    }
    text + &main_of(threads, "")
}

fn search(module: &Module, model: &str, reduce: bool, rename: bool) -> Searched {
    let kinds = "assertion,deadlock,non-termination,use-after-free,double-free,null-dereference";
    let errors = ErrorKinds::named(kinds).expect("kinds");
    let theory = selvedge_kat::load_named(model).expect("a model");
    let options = Options { races: false, errors, ..Options::default() };
    let check = Check { options, ..Check::new(module.clone(), theory) };
    let how = Searching { reduce, rename, most_states: 1_500, ..Searching::default() };
    check.search(&how, &mut Nobody).expect("a program")
}

fn kinds(searched: &Searched) -> BTreeSet<&'static str> {
    searched.violations.iter().map(|violation| violation.kind.name()).collect()
}

#[test]
fn names_of_objects_make_no_difference() {
    let programs = setting("NAMING_PROGRAMS", 60);
    let first = setting("NAMING_SEED", 0);
    let (mut wrong, mut right, mut fewer, mut ended) = (0, 0, 0, 0);
    for seed in first..first + programs {
        let mut dice = Dice::new(seed);
        let text = program(&mut dice);
        let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        let model = ["sc", "sc", "tso", "dotnet-ecma", "dotnet"][dice.roll(5) as usize];
        let reduce = dice.roll(3) != 0;
        let (with, without) = (search(&module, model, reduce, true), search(&module, model, reduce, false));
        let other = search(&module, model, !reduce, true);
        let is_answer = |s: &Searched| matches!(s.verdict, Verdict::Verified | Verdict::Violated);
        if is_answer(&with) && is_answer(&without) {
            assert_eq!(kinds(&with), kinds(&without), "seed {seed}, {model}, {reduce}\n{text}");
            assert!(with.count.states <= without.count.states, "seed {seed}, {model}, {reduce}\n{text}");
        }
        if is_answer(&with) && is_answer(&other) {
            assert_eq!(kinds(&with), kinds(&other), "seed {seed}, {model}, {reduce} or not\n{text}");
        }
        fewer += u64::from(is_answer(&without) && with.count.states < without.count.states);
        ended += u64::from(is_answer(&with) && !is_answer(&without));
        match with.verdict {
            Verdict::Violated => wrong += 1,
            Verdict::Verified => right += 1,
            _ => {}
        }
    }
    println!(
        "{programs} programs: {wrong} wrong, {right} right; {fewer} with fewer states, {ended} end by it"
    );
    assert!(wrong > 0 && right > programs / 10, "{wrong} {right}");
    assert!(fewer > 0 && ended > 0, "{fewer} {ended}");
}
