//! The identities and non-identities of thesis §3.4–3.6.

use selvedge_decide::answer::{Verdict, asserts};
use selvedge_decide::search::Limits;
use selvedge_kat::{Dialect, parse};

fn verdicts(text: &str) -> Vec<Verdict> {
    let theory = parse("test.kat", text, Dialect::Kat, &|f| Err(format!("no file {f}"))).expect("a model");
    asserts(&theory, Limits::default()).expect("decidable").into_iter().map(|a| a.verdict).collect()
}

fn holds(text: &str) {
    for v in verdicts(text) {
        assert!(v.holds(), "{text}: {v:?}");
    }
}

/// The walk of the counterexample.
fn fails(text: &str) -> String {
    for v in verdicts(text) {
        if let Verdict::Fails(c) = v {
            return c.word;
        }
    }
    panic!("does not fail: {text}: {:?}", verdicts(text));
}

#[test]
fn extended_coherence_order() {
    let defs = "let eco1 = (rf | co | fr)+  let eco2 = rf | (co | fr) ; rf?  ";
    holds(&format!("{defs} assert eco1 = eco2"));
    let inverse = "let fr' = rf^-1 ; co  let eco1 = (rf | co | fr')+  let eco2 = rf | (co | fr') ; rf?  ";
    holds(&format!("{inverse} assert eco1 = eco2"));
    holds("assert rf ; rf = 0  assert rf ; co = 0  assert co ; rf^-1 = 0  assert co ; co <= co");
    holds("assert rf ; rf^-1 <= id  assert rf ; fr <= co  assert fr ; co+ <= fr");
    fails("assert co <= rf");
}

/// The development of §3.4.1 with relations about which nothing is built in.
#[test]
fn extended_coherence_order_from_assumptions() {
    let base = "relation a  relation ainv  relation c
        let f = ainv ; c  let eco1 = (a | c | f)+  let eco2 = a | (c | f) ; a?  ";
    let word = |assumed: &str| fails(&format!("{base} {assumed} assert eco1 <= eco2"));
    assert!(word("").contains("-a->"), "{}", word(""));
    let more = "assume a ; a = 0 ";
    word(more);
    let more = format!("{more} assume a ; c = 0  assume c ; ainv = 0 ");
    word(&more);
    let more = format!("{more} assume c ; c <= c ");
    word(&more);
    holds(&format!("{base} {more} assume a ; ainv <= id  assume ainv ; ainv = 0  assert eco1 = eco2"));
}

const RA: &str = "
    let hb = ([R|W] ; po ; [R|W] | rf)+
    let ra = hb ; (co | fr)?
    let hb2 = ([R|W] ; po ; [W] | [R] ; po ; [R|W] | rfe)+
    let ra2 = hb2 ; (co | fr)? | [R|W] ; po ; fr
    let ra3 = (co | fr)? ; hb
";

#[test]
fn release_acquire() {
    assert_eq!(fails(&format!("{RA} assert ra = ra2")), "W[rlx] -po-> R[rlx]");
    holds(&format!("{RA} assert (ra | po) = (ra2 | po)"));
    holds(&format!("{RA} assert ra^= = ra2^="));
    fails(&format!("{RA} assert ra <= ra3"));
    fails(&format!("{RA} assert ra3 <= ra"));
    holds(&format!("{RA} assert ra^= <= rot ra3  assert ra3^= <= rot ra"));
}

#[test]
fn po_properties() {
    holds("assert rf = rfi | rfe  assert rfi <= po  assert po ; po <= po  assert po-loc <= po");
    fails("assert rfe <= po");
    fails("assert po <= po ; po");
}

#[test]
fn same_ends_rotation_and_deduplication() {
    holds("assert ([W] ; po ; [R]) & id <= 0");
    holds("assert (po ; co)^= <= rot (co ; po)");
    fails("assert po ; co <= co ; po");
    // irreflexive(r ; r) implies irreflexive(r).
    holds("assert (po ; rf)^= <= rot (po ; rf ; po ; rf)");
    fails("assert (po ; rf ; po ; rf)^= <= rot (po ; rf)");
}

const COHERENCE: &str = "
    let eco = (rf | co | fr)+
    let coh = (po-loc | rf | co | fr)+
    let coh2 = po ; eco
";

#[test]
fn coherence() {
    holds(&format!("{COHERENCE} assert coh2^= <= rot coh"));
    holds(&format!("{COHERENCE} assert coh^= <= rot coh2"));
    holds("assert ([W] ; rf? ; po-loc ; fr? ; [W])^= <= rot (po ; (rf | co | fr)+)");
    // `po` alone is no order of a location.
    fails("assert (po ; (rf | co | fr))^= <= rot (po-loc ; (rf | co))");
}

const TSO: &str = "
    let ppo = [R | F] ; po | po ; [W | F]
    let tso = ppo | rfe | co | fr
    let eco = (rf | co | fr)+
    let hb = (po | rf)+
    let tso2 = co | [F | W] ; hb ; [F | W] | ([F] | rfe) ; po ; fr
";

#[test]
fn total_store_order() {
    holds(&format!("{TSO} assert tso2^= <= hb ; fr? | co"));
    holds(&format!("{TSO} assert (tso2+ | hb ; fr?)^= <= rot (tso+ | po ; eco)"));
    holds(&format!("{TSO} assert (tso+ | po ; eco)^= <= rot (tso2+ | hb ; fr?)"));
    fails(&format!("{TSO} assert ((po | rf | co | fr)+)^= <= rot (tso+ | po ; eco)"));
}

#[test]
fn what_is_there_to_be_seen() {
    holds("relation A assume A? <= A assert A? <= A");
    holds("relation A relation B assume A = B ; A assert B ; A <= A");
    holds("let rec x = po | x ; rf | y ; mo and y = fr | x ; detour | y ; [F] assert x <= x");
    // The assumption makes the relation reflexive in the counterexample, too.
    fails("relation A assume A? <= A assert A <= id");
    fails("relation A relation B assume A <= B assume B ; po <= B assert B <= A");
    fails("relation A relation B assume A? <= B assume B ; B <= B assert B <= 0");
}

#[test]
fn predicates_that_are_apart() {
    let apart = "predicate Q predicate N predicate O predicate X predicate Y predicate Z
                 disjoint Q # N # O disjoint X # Z disjoint Y # Z ";
    holds(&format!("{apart} assert [Q ; N] = 0 assert [O ; N] = 0 assert [O] ; [Q] = 0"));
    fails(&format!("{apart} assert [X ; Y] = 0"));
    fails(&format!("{apart} assert [Q] <= [X]"));
    // A predicate where a relation is needed is one.
    holds("assert SC ; po <= po assert R | W <= M assert po ; R = po ; [R]");
    fails("assert R <= SC");
}

#[test]
fn rotations_inside_of_terms() {
    let a = "let a = (po | rf | mo | fr)+ ";
    holds(&format!("{a} assert a & id <= rot (a)"));
    holds(&format!("{a} assert [R | W | F] ; (rot (a)) ; [R | W | F] & id <= [R | W | F] ; a ; [R | W | F]"));
    holds("assert rot (po ; rf) = po ; rf | rf ; po");
    holds("assert rot ([R] ; po ; [W]) = [R] ; po ; [W] | po ; [W] ; [R] | [W] ; [R] ; po");
    holds("assert rot (po ; rf ; co) = po ; rf ; co | rf ; co ; po | co ; po ; rf");
    holds(
        "let r = po ; (rf ; co)* assert rot r = r | (rf ; co)* ; po | rf ; (co ; rf)* ; co ; po ; (rf ; co)*
           | (rf ; co)* ; po ; (rf ; co)* | (co ; (rf ; co)* ; po ; (rf ; co)* ; rf)",
    );
    fails("assert rot (po ; rf) <= po ; rf");
    fails("assert po ; rf <= rot (po ; co)");
    fails("assert [W] ; rot (po ; rf ; po ; rf) & id <= [W] ; po ; rf ; po ; rf");
}
