//! Which models may drive the exploration, and what is said of the others.

use selvedge_kat::{Dialect, parse};
use selvedge_model::relational::Relational;
use selvedge_model::{Compiled, Model};

const BASE: &str = "export acyclic (po | tc | tj | rf)\n";

fn compile(text: &str) -> Result<Model, String> {
    let theory = parse("m.kat", text, Dialect::Kat, &|_| Err(String::from("no includes")))
        .unwrap_or_else(|d| panic!("{text}\n{d}"));
    Model::compile(&theory).map_err(|d| d.to_string())
}

fn refused(text: &str, because: &str) {
    match compile(text) {
        Ok(_) => panic!("admitted:\n{text}"),
        Err(message) => {
            assert!(message.contains(because), "{text}\n{message}");
            assert!(message.contains("help:"), "no help in {message}");
            assert!(message.contains("m.kat:"), "no place in {message}");
        }
    }
}

fn admitted(text: &str) {
    if let Err(message) = compile(text) {
        panic!("{text}\n{message}");
    }
}

#[test]
fn every_shipped_model_drives_an_exploration_but_those_with_thin_air() {
    for name in selvedge_kat::builtin_names() {
        let theory = selvedge_kat::load_named(name).expect("a shipped model parses");
        match Compiled::compile(&theory) {
            Ok(compiled) => {
                assert_eq!(Model::compile(&theory).is_err(), compiled.follows_dependencies(), "{name}")
            }
            Err(d) => assert!(d.message.contains("out of thin air"), "{name}: {d}"),
        }
    }
    for (name, has_clocks) in [("sc", true), ("x86", true), ("rc11", true), ("c11", false), ("power", false)]
    {
        let theory = selvedge_kat::load_named(name).expect("a shipped model parses");
        assert_eq!(Model::compile(&theory).is_ok(), has_clocks, "{name}");
    }
}

#[test]
fn thin_air_must_be_ruled_out() {
    refused("export acyclic (po-loc | rf | mo | fr)\n", "out of thin air");
    // Part of program order is not program order.
    refused("export acyclic ([R] ; po | rf)\n", "out of thin air");
    // A constraint that can be switched off does not count.
    refused("export acyclic ([SC] ; po ; [SC] | rf ; [SC]) unless [SC] = 0\n", "out of thin air");
    admitted("export acyclic (po | rf | mo ; [SC])\n");
}

#[test]
fn steps_must_go_forward() {
    refused(&format!("{BASE}export acyclic (po ; rf^-1)\n"), "against the direction");
    refused(&format!("{BASE}export acyclic (po ; loc-overlap)\n"), "has no direction");
    // From-read, spelt out, is a step forward.
    admitted(&format!("{BASE}export acyclic (po ; rf^-1 ; mo)\n"));
}

#[test]
fn single_events_must_not_violate_a_constraint() {
    refused(&format!("{BASE}export irreflexive (po*)\n"), "with itself");
    refused(&format!("{BASE}export acyclic (po | [SC])\n"), "with itself");
    admitted(&format!("{BASE}export irreflexive (po+ ; fr?)\n"));
}

#[test]
fn emptiness_and_inclusion_are_not_extensible() {
    refused(&format!("{BASE}export empty (po ; [R])\n"), "not extensible");
    refused(&format!("{BASE}export rf <= po\n"), "not extensible");
    admitted(&format!("{BASE}export empty (rmw & (fre ; moe))\n"));
    admitted(&format!("{BASE}export error Odd unless po ; [SC] <= 0\n"));
}

#[test]
fn intersections_are_about_single_steps() {
    admitted(&format!("{BASE}export acyclic (po & rf | po \\ po-loc | rf \\ po | mo)\n"));
    admitted(&format!("view hb = (po | tc | tj | rf)+\n{BASE}export acyclic (hb & mo | fr)\n"));
    refused(&format!("{BASE}export acyclic ((po ; rf) & (mo ; fr))\n"), "composed relations");
}

#[test]
fn dependencies_are_not_tracked_yet() {
    refused(&format!("{BASE}export acyclic (data | rf)\n"), "dependencies");
}

#[test]
fn an_unless_clause_must_not_change_the_meaning() {
    admitted(&format!("{BASE}export acyclic ([SC] ; po ; [SC] | [SC] ; fr ; [SC]) unless [SC] = 0\n"));
    refused(&format!("{BASE}export acyclic (po | fr) unless [SC] = 0\n"), "switch the constraint on");
    refused(&format!("{BASE}export acyclic (po | fr) unless po <= rf\n"), "no event of some kind");
}

#[test]
fn what_excuses_an_error_must_not_come_later() {
    admitted(&format!("{BASE}export error Race unless [NA] ; loc-overlap <= (po | rf)+\n"));
    refused(&format!("{BASE}export error Race unless [NA] ; loc-overlap <= mo\n"), "uses coherence");
}

#[test]
fn recursion_must_be_linear() {
    admitted(&format!("let rec x = po | rf ; x\n{BASE}export acyclic (x | mo | fr)\n"));
    admitted(&format!("let rec x = mo | fr | x ; x\n{BASE}export acyclic x\n"));
    refused(&format!("let rec x = po | x ; rf ; x\n{BASE}export acyclic x\n"), "not linear");
}

#[test]
fn how_creation_is_used_is_told() {
    let in_chains = |text: &str| {
        let theory = parse("m.kat", text, Dialect::Kat, &|_| Err(String::from("no includes"))).expect(text);
        Relational::compile(&theory).expect(text).creates_in_chains()
    };
    for text in [
        "export acyclic (po | tc | tj)",
        "export acyclic [W] ; (po | tc | tj)+ ; [R]",
        "export acyclic [M] ; (po | tc | tj)* ; (tc | tj) ; (po | tc | tj)* ; [M]",
        "export acyclic addr | rf",
    ] {
        assert!(in_chains(text), "{text}");
    }
    for text in [
        "export acyclic (addr | tc)",
        "export acyclic [W] ; tc ; [R]",
        "export acyclic tc ; (po | tc)*",
        "export acyclic [M] ; (po | tc | tj)* ; tc ; [M]",
        "export acyclic [M] ; (po | tj)* ; tc ; (po | tc)* ; [M]",
        "export irreflexive tc ; rf",
        "export acyclic (tc | tj)+ ; po",
    ] {
        assert!(!in_chains(text), "{text}");
    }
    let lkmm = selvedge_kat::load_named("lkmm").expect("a shipped model");
    assert!(Relational::compile(&lkmm).expect("it is one of matrices").creates_in_chains());
}
