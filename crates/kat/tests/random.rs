//! Random texts never make the front end panic, and random theories survive printing and reading.
//!
//! `SELVEDGE_FUZZ_CASES` sets the number of inputs of each test; `examples/parse_fuzz.rs` is faster
//! for millions.

use crate::common;
use common::{cases, round_trip};
use proptest::prelude::*;
use proptest::sample::select;
use selvedge_kat::{
    Axiom, Constraint, Declared, Def, DefBody, DefId, Dialect, Inclusion, Pred, Prim, Property, Rel, Set,
    Span, Theory, builtin, builtin_names, parse,
};

/// Reads in both dialects; an error must have a place inside of the text.
fn try_both(text: &str) {
    for dialect in [Dialect::Kat, Dialect::Cat] {
        let include = |file: &str| match file {
            "a.kat" | "a.cat" => Ok("let x = po".to_string()),
            _ => Err("no".to_string()),
        };
        match parse("m", text, dialect, &include) {
            Ok(theory) => round_trip(theory),
            Err(error) => {
                let shown = error.to_string();
                let span = error.span.expect(&shown);
                assert!(span.line as usize <= text.split('\n').count(), "{shown}");
                assert!(error.excerpt.expect(&shown).text.chars().count() <= 100);
            }
        }
    }
}

use crate::tokens;
use tokens::TOKENS;

fn models() -> Vec<String> {
    builtin_names().iter().map(|name| builtin(name).unwrap().0.to_string()).collect()
}

/// A shipped model with a few stretches removed, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let change = (any::<u16>(), 0usize..20, select(TOKENS), any::<bool>());
    (select(models()), prop::collection::vec(change, 1..5)).prop_map(|(mut text, changes)| {
        for (at, len, token, remove) in changes {
            let mut boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            boundaries.push(text.len());
            let from = at as usize % boundaries.len();
            let to = if remove { (from + len).min(boundaries.len() - 1) } else { from };
            text.replace_range(boundaries[from]..boundaries[to], token);
        }
        text
    })
}

const PRIMS: &[Prim] =
    &[Prim::Po, Prim::PoImm, Prim::Rf, Prim::Co, Prim::Fr, Prim::LocOverlap, Prim::Loc, Prim::Int, Prim::Any];
const PREDS: &[Pred] =
    &[Pred::All, Pred::R, Pred::Rel, Pred::Acq, Pred::Sc, Pred::ExactRel, Pred::ExactAcqRel, Pred::Never];

/// The definitions of a random theory: relations, then sets, with names that need care.
const RELS: &[&str] = &["hb", "file::hb", "po", "let", "two words", "a@1"];
const SETS: &[&str] = &["S", "file::S", "SC", "view"];

fn random_set(rel: BoxedStrategy<Rel>) -> BoxedStrategy<Set> {
    let first = RELS.len() as u32;
    let leaf = prop_oneof![
        4 => select(PREDS).prop_map(Set::Pred),
        1 => Just(Set::Empty),
        1 => (first..first + SETS.len() as u32).prop_map(|n| Set::Def(DefId(n))),
        1 => select(&["L", "file::L", "and"][..]).prop_map(|name| Set::Declared(name.to_string())),
        1 => rel.clone().prop_map(|rel| Set::Domain(Box::new(rel))),
        1 => rel.prop_map(|rel| Set::Range(Box::new(rel))),
    ];
    leaf.prop_recursive(3, 8, 2, |set| {
        let set = set.prop_map(Box::new);
        prop_oneof![
            (set.clone(), set.clone()).prop_map(|(a, b)| Set::Union(a, b)),
            (set.clone(), set.clone()).prop_map(|(a, b)| Set::Inter(a, b)),
            (set.clone(), set.clone()).prop_map(|(a, b)| Set::Diff(a, b)),
            set.prop_map(Set::Not),
        ]
    })
    .boxed()
}

fn random_rel() -> BoxedStrategy<Rel> {
    let plain = prop_oneof![
        4 => select(PRIMS).prop_map(Rel::Prim),
        1 => Just(Rel::Empty),
        1 => Just(Rel::Id),
        2 => (0..RELS.len() as u32).prop_map(|n| Rel::Def(DefId(n))),
        1 => select(&["r", "file::r", "rot"][..]).prop_map(|name| Rel::Declared(name.to_string())),
    ]
    .boxed();
    let set = random_set(plain.clone());
    let leaf = prop_oneof![
        3 => plain,
        1 => set.clone().prop_map(Rel::Test),
        1 => (set.clone(), set).prop_map(|(a, b)| Rel::Cross(a, b)),
    ];
    leaf.prop_recursive(5, 24, 2, |rel| {
        let rel = rel.prop_map(Box::new);
        prop_oneof![
            (rel.clone(), rel.clone()).prop_map(|(a, b)| Rel::Union(a, b)),
            (rel.clone(), rel.clone()).prop_map(|(a, b)| Rel::Seq(a, b)),
            (rel.clone(), rel.clone()).prop_map(|(a, b)| Rel::Inter(a, b)),
            (rel.clone(), rel.clone()).prop_map(|(a, b)| Rel::Diff(a, b)),
            rel.clone().prop_map(Rel::Star),
            rel.clone().prop_map(Rel::Plus),
            rel.clone().prop_map(Rel::Opt),
            rel.clone().prop_map(Rel::Inverse),
            rel.clone().prop_map(Rel::Not),
            rel.clone().prop_map(Rel::SameEnds),
            rel.prop_map(Rel::Rot),
        ]
    })
    .boxed()
}

fn random_claim() -> BoxedStrategy<Inclusion> {
    prop_oneof![
        (random_rel(), random_rel()).prop_map(|(a, b)| Inclusion::Subset(a, b)),
        (random_rel(), random_rel()).prop_map(|(a, b)| Inclusion::Equal(a, b)),
        random_rel().prop_map(Inclusion::Total),
    ]
    .boxed()
}

fn nowhere() -> Span {
    Span { file: "".into(), line: 1, col: 1, len: 1 }
}

fn random_axiom() -> impl Strategy<Value = Axiom> {
    let constraint = prop_oneof![
        random_rel().prop_map(Constraint::Acyclic),
        random_rel().prop_map(Constraint::Irreflexive),
        random_rel().prop_map(Constraint::Empty),
        random_rel().prop_map(Constraint::Coherence),
        random_claim().prop_map(Constraint::Inclusion),
        (any::<bool>(), random_claim()).prop_map(|(warning, unless)| Constraint::Error {
            name: "Bad".into(),
            warning,
            unless
        }),
    ];
    let name = prop::option::of(select(&["x", "no cycle", "as", "", "a`b"][..]));
    (constraint, name, prop::option::of(random_claim()), any::<bool>()).prop_map(
        |(constraint, name, unless, extra)| Axiom {
            constraint,
            // An extra axiom that is a claim must have a name: it could not be told from the claim.
            name: name.or(extra.then_some("extra name")).map(str::to_string),
            unless,
            extra,
            span: nowhere(),
        },
    )
}

/// All definitions form one group, so that each may refer to each.
fn random_theory() -> impl Strategy<Value = Theory> {
    let rels = prop::collection::vec(random_rel(), RELS.len());
    let sets = prop::collection::vec(random_set(random_rel()), SETS.len());
    let claims = || prop::collection::vec(random_claim().prop_map(|claim| (claim, nowhere())), 0..3);
    let axioms = prop::collection::vec(random_axiom(), 0..4);
    let recovery = prop::collection::vec(random_rel().prop_map(|rel| (rel, nowhere())), 0..2);
    let properties = prop::sample::subsequence(Property::ALL.to_vec(), 0..4).prop_map(|mut some| {
        some.retain(|property| !property.is_always_decided());
        let declared = |property| Declared { property, because: "it is so".into(), span: nowhere() };
        some.into_iter().map(declared).collect::<Vec<_>>()
    });
    let parts = (rels, sets, claims(), claims(), axioms, recovery, properties);
    parts.prop_map(|(rels, sets, assumes, asserts, axioms, recovery, properties)| {
        let bodies = rels.into_iter().map(DefBody::Rel).chain(sets.into_iter().map(DefBody::Set));
        let def = |(body, name): (DefBody, &&str)| Def {
            name: name.to_string(),
            body,
            view: false,
            rec_group: Some(0),
            span: nowhere(),
        };
        let defs = bodies.zip(RELS.iter().chain(SETS)).map(def).collect();
        Theory { name: "random".into(), defs, axioms, assumes, asserts, properties, recovery }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        try_both(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_characters_never_panic(text in "\\PC{0,100}") {
        try_both(&text);
    }

    #[test]
    fn random_tokens_never_panic(tokens in prop::collection::vec(select(TOKENS), 0..60)) {
        try_both(&tokens.join(" "));
        try_both(&tokens.concat());
    }

    #[test]
    fn mutated_models_never_panic(text in mutated()) {
        try_both(&text);
    }

    #[test]
    fn theories_survive_printing(theory in random_theory()) {
        round_trip(theory);
    }
}
