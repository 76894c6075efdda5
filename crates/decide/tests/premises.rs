//! What exploring with dependencies relies on, decided for the models that come with Selvedge and for small
//! ones.

use selvedge_decide::known;
use selvedge_decide::premises::{Has, Premise, Premises, ThinAir, of_model, premises};
use selvedge_decide::search::Limits;
use selvedge_kat::{Dialect, Theory, load_named, parse};

/// The models that follow dependencies, and what is expected of them: whether they have the form, P1 to P5,
/// and which cycles of dependencies they allow.
///
/// `armv8` and `riscv` are what the exploration was made for. `armv8-2018` has no local write successors. IMM
/// forwards: an acquiring read of what its thread has just written is ordered before what follows, but what
/// the written value depends on is not. Of POWER only what barriers order is told by program order and
/// dependencies alone: preserved program order asks where reads read from (`rdw`, `detour`), so that it is in
/// none of the premises. LKMM leaves plain accesses without any order, and so values may come out of thin
/// air.
const MODELS: [(&str, &str); 7] = [
    ("armv8", "yes: yes yes yes yes no; by rmws"),
    ("armv8-2018", "yes: yes yes no yes no; by rmws"),
    ("imm", "no: no yes no yes ?; forbidden"),
    ("imm-cxx20", "no: no yes no yes ?; forbidden"),
    ("lkmm", "no: no no no no ?; allowed"),
    ("power", "no: no no no yes yes; by rmws"),
    ("riscv", "yes: yes yes yes yes no; by rmws"),
];

/// `yes`, `no` and `?` for each premise.
fn shown(found: &Premises) -> String {
    let one = |has: &Has| match has {
        Has::Yes => "yes",
        Has::No(_) => "no",
        Has::Unknown(_) => "?",
    };
    let air = match found.thin_air {
        ThinAir::Forbidden => "forbidden",
        ThinAir::ByRmws(_) => "by rmws",
        ThinAir::Allowed(_) => "allowed",
        ThinAir::Unknown(_) => "?",
    };
    let local: Vec<&str> = found.answers.iter().map(|(_, has)| one(has)).collect();
    format!("{}: {}; {air}", one(&found.form), local.join(" "))
}

fn of_text(text: &str) -> Premises {
    let none = |name: &str| Err(format!("no {name}"));
    let theory = parse("small.kat", text, Dialect::Kat, &none).unwrap_or_else(|d| panic!("{d}"));
    premises(&theory, Limits::default())
}

fn shipped(name: &str) -> Theory {
    load_named(name).expect("a shipped model")
}

#[test]
fn the_models_that_come_with_selvedge_have_these_premises() {
    for (name, expected) in MODELS {
        assert_eq!(shown(&premises(&shipped(name), Limits::default())), expected, "{name}");
    }
}

#[test]
fn what_was_written_down_is_what_is_decided() {
    let found = |name| premises(&shipped(name), Limits::for_loading());
    let all: Vec<String> = MODELS.iter().map(|(name, _)| known::line(name, &found(name))).collect();
    assert_eq!(known::lines(), all, "crates/decide/src/known.rs should have\n    {}", all.join("\n    "));
}

#[test]
fn a_file_with_the_name_of_a_shipped_model_is_another_model() {
    let mut theory = shipped("armv8");
    assert!(matches!(of_model(&theory, Limits::for_loading()).of(Premise::Successors), Has::Yes));
    // Without the axiom about what others observe.
    theory.axioms.pop();
    let found = of_model(&theory, Limits::for_loading());
    assert!(matches!(found.of(Premise::Successors), Has::Unknown(_)), "{found:?}");
    assert!(matches!(found.thin_air, ThinAir::Unknown(_)), "{found:?}");
}

/// Tables as those of .NET: every dependency is kept, but no order by addresses of other accesses.
#[test]
fn without_address_dependencies_of_others_the_skeleton_is_not_fixed() {
    let text = "export coherence po
                let lo = addr | data | ctrl ; [W] | po-loc ; [W] | (addr | data) ; rfi | rmw
                export acyclic (rfe | moe | fre | lo)";
    let found = of_text(text);
    assert_eq!(shown(&found), "yes: yes no yes no no; allowed");
    let Has::No(word) = found.of(Premise::Skeleton) else { panic!("{found:?}") };
    assert!(word.contains("-addr->"), "{word}");
    let with = of_text(&text.replace("| rmw", "| rmw | addr ; po ; [W]"));
    assert_eq!(shown(&with), "yes: yes yes yes yes no; by rmws");
}

#[test]
fn values_that_are_forwarded_lose_their_dependencies_if_the_model_does_not_say_otherwise() {
    let text = "export coherence po
                let lo = addr | data | ctrl ; [W] | addr ; po ; [W] | po-loc ; [W] | rmw
                export acyclic (rfe | moe | fre | lo)";
    let found = of_text(text);
    assert!(matches!(found.of(Premise::Forwards), Has::No(_)), "{found:?}");
    let ThinAir::Allowed(word) = &found.thin_air else { panic!("{found:?}") };
    assert!(word.contains("-rfi->"), "{word}");
}

#[test]
fn axioms_beside_the_order_are_named() {
    let text = "export coherence po export irreflexive (rf ; po ; fr)
                export acyclic (rfe | moe | fre | addr | rfe ; po ; rfe)";
    let Has::No(why) = of_text(text).form else { panic!("there is more to it") };
    assert_eq!(why, "there is also rfe ; po ; rfe, export irreflexive rf ; po ; fr");
}

#[test]
fn a_model_that_orders_nothing_between_threads_has_no_local_order() {
    let found = of_text("export coherence po export acyclic (addr | data)");
    assert!(matches!(found.of(Premise::Skeleton), Has::Unknown(_)));
    assert!(matches!(found.thin_air, ThinAir::Allowed(_)), "{found:?}");
}
