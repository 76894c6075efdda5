//! Each construct of `.kat`, and what it becomes.

use crate::common;
use common::{kat, rel, round_trip, set};
use selvedge_kat::{Constraint, DefBody, DefId, Dialect, Inclusion, Pred, Prim, Property, Rel, Set, parse};

fn p(prim: Prim) -> Box<Rel> {
    Box::new(Rel::Prim(prim))
}

fn s(pred: Pred) -> Box<Set> {
    Box::new(Set::Pred(pred))
}

const PO: Prim = Prim::Po;
const RF: Prim = Prim::Rf;
const CO: Prim = Prim::Co;

#[test]
fn atoms() {
    assert_eq!(rel("0"), Rel::Empty);
    assert_eq!(rel("∅"), Rel::Empty);
    assert_eq!(rel("id"), Rel::Id);
    assert_eq!(rel("[]"), Rel::Id);
    assert_eq!(rel("((po))"), *p(PO));
    assert_eq!(rel("[R]"), Rel::Test(*s(Pred::R)));
    assert_eq!(rel("builtin::po"), *p(PO));
}

#[test]
fn every_builtin_relation_is_known() {
    let names = "po po-imm po-loc rf rfe rfi mo co moe moi fr rb fre fri rmw addr data ctrl detour tc tj \
                 loc-overlap same-thread alloc free any loc int ext coe coi same-inode same-block same-line appends";
    for name in names.split_whitespace() {
        assert!(matches!(rel(name), Rel::Prim(_)), "{name}");
    }
    assert_eq!(rel("co"), rel("mo"));
    assert_eq!(rel("rb"), rel("fr"));
}

#[test]
fn every_builtin_predicate_is_known() {
    for name in "R W F M REL ACQ SC RLX NA UR UW TC TJ INIT ATOMIC _".split_whitespace() {
        assert!(matches!(set(name), Set::Pred(pred) if pred != Pred::Never), "{name}");
    }
    let durable = "D REC NREC PM DATA MD DIR JNL STRADDLES FLUSH FLUSHOPT CLF FSYNC SYNCALL PBARRIER SF";
    for name in durable.split_whitespace() {
        assert!(matches!(set(name), Set::Pred(Pred::Persist(_))), "{name}");
    }
    for name in "FREE ALLOC".split_whitespace() {
        assert_eq!(set(name), Set::Pred(Pred::Never), "{name}");
    }
    assert_eq!(set("REL"), Set::Pred(Pred::Rel));
    assert_eq!(set("ACQ"), Set::Pred(Pred::Acq));
}

#[test]
fn operators() {
    assert_eq!(rel("po | rf"), Rel::Union(p(PO), p(RF)));
    assert_eq!(rel("po ∪ rf"), Rel::Union(p(PO), p(RF)));
    assert_eq!(rel("po ; rf"), Rel::Seq(p(PO), p(RF)));
    assert_eq!(rel("po & rf"), Rel::Inter(p(PO), p(RF)));
    assert_eq!(rel("po ∩ id"), Rel::Inter(p(PO), Box::new(Rel::Id)));
    assert_eq!(rel("po \\ rf"), Rel::Diff(p(PO), p(RF)));
    assert_eq!(rel("po*"), Rel::Star(p(PO)));
    assert_eq!(rel("po^*"), Rel::Star(p(PO)));
    assert_eq!(rel("po+"), Rel::Plus(p(PO)));
    assert_eq!(rel("po?"), Rel::Opt(p(PO)));
    assert_eq!(rel("po^-1"), Rel::Inverse(p(PO)));
    assert_eq!(rel("po^="), Rel::SameEnds(p(PO)));
    assert_eq!(rel("rot po"), Rel::Rot(p(PO)));
    assert_eq!(rel("~po"), Rel::Not(p(PO)));
    assert_eq!(rel("[R] * [W]"), Rel::Cross(*s(Pred::R), *s(Pred::W)));
}

#[test]
fn precedence_is_union_then_intersection_then_sequence_then_postfix() {
    for (short, full) in [
        ("po | rf ; co", "po | (rf ; co)"),
        ("po ; rf | co", "(po ; rf) | co"),
        ("po | rf & co", "po | (rf & co)"),
        ("po & rf ; co", "po & (rf ; co)"),
        ("po ; rf & co", "(po ; rf) & co"),
        ("po ; rf \\ co ; fr", "(po ; rf) \\ (co ; fr)"),
        ("po \\ rf \\ co", "(po \\ rf) \\ co"),
        ("po & rf \\ co", "(po & rf) \\ co"),
        ("po ; rf ; co", "(po ; rf) ; co"),
        ("po | rf | co", "(po | rf) | co"),
        ("po ; rf* ; co?", "po ; (rf*) ; (co?)"),
        ("po^-1+", "(po^-1)+"),
        ("rot po*", "rot (po*)"),
        ("~po ; rf", "(~po) ; rf"),
        ("rot po ; rf", "(rot po) ; rf"),
    ] {
        assert_eq!(rel(short), rel(full), "{short}");
    }
    assert_ne!(rel("po & rf ; co"), rel("(po & rf) ; co"));
}

#[test]
fn a_star_is_a_closure_unless_an_operand_follows() {
    assert_eq!(rel("po* ; rf"), Rel::Seq(Box::new(Rel::Star(p(PO))), p(RF)));
    let theory = kat("let a = po*\nlet b = rf*").unwrap();
    assert_eq!(theory.defs[0].body, DefBody::Rel(Rel::Star(p(PO))));
}

#[test]
fn sets() {
    assert_eq!(set("R | W"), Set::Union(s(Pred::R), s(Pred::W)));
    assert_eq!(set("F & SC"), Set::Inter(s(Pred::F), s(Pred::Sc)));
    assert_eq!(set("F ; SC"), set("F & SC"));
    assert_eq!(set("F \\ SC"), Set::Diff(s(Pred::F), s(Pred::Sc)));
    assert_eq!(set("~SC"), Set::Not(s(Pred::Sc)));
    assert_eq!(set("!SC"), set("~SC"));
    assert_eq!(set("R | W & ~SC"), set("R | (W & (~SC))"));
    assert_eq!(set("0"), Set::Empty);
    assert_eq!(set("[R]"), *s(Pred::R));
    assert_eq!(set("domain(po)"), Set::Domain(p(PO)));
    assert_eq!(set("range(po ; rf) & R"), set("(range((po ; rf))) & R"));
}

#[test]
fn relations_that_only_test_can_stand_in_brackets() {
    let theory = kat("let a = [R] | [W & SC]\nlet b = [a & REL]").unwrap();
    assert_eq!(theory.defs[1].body, DefBody::Rel(rel("[(R | W & SC) & REL]")));
}

#[test]
fn definitions() {
    let theory = kat("let a = po\nview b = a+\nsave c = b\nlet d = a and e = b").unwrap();
    let of = |name: &str| theory.defs.iter().find(|def| def.name == name).unwrap();
    assert_eq!(of("a").body, DefBody::Rel(Rel::Prim(PO)));
    assert_eq!(of("b").body, DefBody::Rel(Rel::Plus(Box::new(Rel::Def(DefId(0))))));
    assert_eq!(theory.defs.iter().map(|def| def.view).collect::<Vec<_>>(), [false, true, true, false, false]);
    assert!(theory.defs.iter().all(|def| def.rec_group.is_none()));
    assert_eq!((of("b").span.line, of("b").span.col), (2, 6));
}

#[test]
fn recursive_definitions() {
    let theory = kat("let rec a = po | b ; a and b = rf | a  view rec c = c ; po").unwrap();
    let groups: Vec<_> = theory.defs.iter().map(|def| (def.view, def.rec_group)).collect();
    assert_eq!(groups, [(false, Some(0)), (false, Some(0)), (true, Some(1))]);
    let b_a = Rel::Seq(Box::new(Rel::Def(DefId(1))), Box::new(Rel::Def(DefId(0))));
    assert_eq!(theory.defs[0].body, DefBody::Rel(Rel::Union(p(PO), Box::new(b_a))));
}

#[test]
fn predicates_can_be_defined() {
    let theory = kat("let predicate A = R & ACQ\nlet a = [A] ; po").unwrap();
    assert_eq!(theory.defs[0].body, DefBody::Set(set("R & ACQ")));
    let test = Rel::Test(Set::Def(DefId(0)));
    assert_eq!(theory.defs[1].body, DefBody::Rel(Rel::Seq(Box::new(test), p(PO))));
}

#[test]
fn declarations() {
    let theory = kat(
        "relation sync predicate L predicate SC relation po disjoint L # R # W let a = sync ; [L & SC] ; po",
    )
    .unwrap();
    let expected = "sync ; [L & SC] ; po";
    let DefBody::Rel(body) = &theory.defs[0].body else { panic!() };
    assert_eq!(theory.show(body).to_string(), expected);
    assert!(theory.to_kat().contains("relation sync\n"));
    assert!(theory.to_kat().contains("predicate L\n"));
    // What is built in stays so when it is declared.
    assert!(!theory.to_kat().contains("relation po\n"));
}

#[test]
fn claims() {
    let theory =
        kat("assume po <= rf assume total po assume po = rf assert po ⊆ rf assert po ; po = po").unwrap();
    let (po, rf) = (Rel::Prim(PO), Rel::Prim(RF));
    let assumes: Vec<_> = theory.assumes.iter().map(|(claim, _)| claim.clone()).collect();
    assert_eq!(
        assumes,
        [
            Inclusion::Subset(po.clone(), rf.clone()),
            Inclusion::Total(po.clone()),
            Inclusion::Equal(po.clone(), rf.clone())
        ]
    );
    assert_eq!(theory.asserts[0].0, Inclusion::Subset(po.clone(), rf));
    assert_eq!(theory.asserts[1].0, Inclusion::Equal(Rel::Seq(p(PO), p(PO)), po));
}

#[test]
fn same_ends_of_a_claim() {
    let theory = kat("assert po & id <= 0 assert po^= = rf^=").unwrap();
    assert_eq!(theory.asserts[0].0, Inclusion::Subset(Rel::Inter(p(PO), Box::new(Rel::Id)), Rel::Empty));
    assert_eq!(theory.asserts[1].0, Inclusion::Equal(Rel::SameEnds(p(PO)), Rel::SameEnds(p(RF))));
}

#[test]
fn axioms_with_and_without_export() {
    let text = "export acyclic po  export coherence po  export irreflexive po ; rf  export empty po & rf
                acyclic po  coherence po  irreflexive po ; rf  empty po & rf
                export recovery (po)  recovery (po ; rf)";
    let theory = kat(text).unwrap();
    let constraints: Vec<_> = theory.axioms.iter().map(|axiom| &axiom.constraint).collect();
    assert_eq!(constraints.len(), 8);
    assert_eq!(constraints[..4], constraints[4..]);
    assert_eq!(*constraints[0], Constraint::Acyclic(Rel::Prim(PO)));
    assert_eq!(*constraints[1], Constraint::Coherence(Rel::Prim(PO)));
    assert_eq!(*constraints[2], Constraint::Irreflexive(Rel::Seq(p(PO), p(RF))));
    assert_eq!(*constraints[3], Constraint::Empty(Rel::Inter(p(PO), p(RF))));
    let recovery: Vec<_> = theory.recovery.iter().map(|(rel, _)| rel).collect();
    assert_eq!(recovery, [&Rel::Prim(PO), &Rel::Seq(p(PO), p(RF))]);
    round_trip(theory);
}

#[test]
fn properties_are_declared_with_a_reason() {
    let text = "property confirms-reads \"it is so\"
                property forgets-rmws \"one line, \" \"and another\"
                export acyclic po";
    let theory = kat(text).unwrap();
    let declared: Vec<_> = theory.properties.iter().map(|d| (d.property, d.because.as_str())).collect();
    let expected = [(Property::ConfirmsReads, "it is so"), (Property::ForgetsRmws, "one line, and another")];
    assert_eq!(declared, expected);
    assert_eq!(theory.properties[1].span.line, 2);
    round_trip(theory);
}

#[test]
fn what_an_included_file_declares_is_its_own_business() {
    let include = |_: &str| Ok(String::from("property coherent \"a\" recovery po let a = po"));
    let theory = parse("m.kat", "include \"x.kat\" export acyclic x::a", Dialect::Kat, &include).unwrap();
    assert!(theory.properties.is_empty() && theory.recovery.is_empty());
}

#[test]
fn errors_warnings_extras_and_unless() {
    let text = "export error Race unless po <= rf
                export warning Odd unless po = rf
                export extra Psc acyclic po ; rf unless po <= 0
                export po <= rf
                export extra acyclic po
                export acyclic mo as `no cycle`";
    let theory = kat(text).unwrap();
    let claim = Inclusion::Subset(Rel::Prim(PO), Rel::Prim(RF));
    let error = Constraint::Error { name: "Race".into(), warning: false, unless: claim.clone() };
    assert_eq!(theory.axioms[0].constraint, error);
    assert!(matches!(theory.axioms[1].constraint, Constraint::Error { warning: true, .. }));
    let extra = &theory.axioms[2];
    assert_eq!((extra.name.as_deref(), extra.extra), (Some("Psc"), true));
    assert_eq!(extra.unless, Some(Inclusion::Subset(Rel::Prim(PO), Rel::Empty)));
    assert_eq!(theory.axioms[3].constraint, Constraint::Inclusion(claim));
    assert_eq!((theory.axioms[4].name.as_deref(), theory.axioms[4].extra), (None, true));
    assert_eq!((theory.axioms[5].name.as_deref(), theory.axioms[5].extra), (Some("no cycle"), false));
    assert_eq!(theory.axioms[5].constraint, Constraint::Acyclic(Rel::Prim(CO)));
    round_trip(theory);
}

#[test]
fn definitions_hide_built_in_names() {
    let theory = kat("let fr = fr \\ id\nlet a = fr").unwrap();
    assert_eq!(theory.defs[0].body, DefBody::Rel(Rel::Diff(p(Prim::Fr), Box::new(Rel::Id))));
    assert_eq!(theory.defs[1].body, DefBody::Rel(Rel::Def(DefId(0))));
    assert!(theory.to_kat().contains("let fr = builtin::fr \\ id"));
    round_trip(theory);
}

#[test]
fn comments_and_layout_do_not_matter() {
    let theory = kat("// one\n/* two\n let */ let a\n=\r\n\tpo // three").unwrap();
    assert_eq!(theory.defs.len(), 1);
    assert_eq!(kat("").unwrap().defs.len(), 0);
    assert_eq!(kat("\"A title\" let a = po").unwrap().name, "A title");
    assert_eq!(kat("").unwrap().name, "m");
}

#[test]
fn long_chains_are_fine_up_to_the_limit() {
    let chain = |n: usize| format!("let a = po{}", " ; po".repeat(n));
    round_trip(kat(&chain(900)).unwrap());
    assert!(kat(&chain(1100)).unwrap_err().message.contains("1000 operators deep"));
}
