//! The supported part of `.cat`, and the refusal of the rest.

use crate::common;
use common::{cat, cat_rel, round_trip};
use selvedge_kat::{Constraint, DefBody, DefId, Inclusion, Pred, Prim, Rel, Set};

fn p(prim: Prim) -> Box<Rel> {
    Box::new(Rel::Prim(prim))
}

fn s(pred: Pred) -> Set {
    Set::Pred(pred)
}

#[test]
fn titles() {
    assert_eq!(cat("\"A model\"\nlet a = po").unwrap().name, "A model");
    assert_eq!(cat("(* c *) SC\nlet a = po").unwrap().name, "SC");
    assert_eq!(cat("let a = po").unwrap().name, "m");
}

#[test]
fn operators_serve_sets_and_relations() {
    assert_eq!(cat_rel("po^-1"), Rel::Inverse(p(Prim::Po)));
    assert_eq!(cat_rel("po^+"), Rel::Plus(p(Prim::Po)));
    assert_eq!(cat_rel("po^*"), Rel::Star(p(Prim::Po)));
    assert_eq!(cat_rel("po?"), Rel::Opt(p(Prim::Po)));
    assert_eq!(cat_rel("~po"), Rel::Not(p(Prim::Po)));
    assert_eq!(cat_rel("W * R"), Rel::Cross(s(Pred::W), s(Pred::R)));
    assert_eq!(cat_rel("_ * R"), Rel::Cross(s(Pred::All), s(Pred::R)));
    assert_eq!(cat_rel("[~W]"), Rel::Test(Set::Not(Box::new(s(Pred::W)))));
    assert_eq!(cat_rel("[domain(po) \\ range(rf)]"), common::rel("[domain(po) \\ range(rf)]"));
    assert_eq!(cat_rel("po-loc & ext | int & loc"), common::rel("po-loc & ext | same-thread & loc"));
    assert_eq!(cat_rel("0"), Rel::Empty);
    assert_eq!(cat_rel("po & emptyset"), Rel::Inter(p(Prim::Po), Box::new(Rel::Empty)));
    assert_eq!(cat_rel("[0 | R]"), Rel::Test(Set::Union(Box::new(Set::Empty), Box::new(s(Pred::R)))));
}

#[test]
fn herd_puts_sequence_outside_of_intersection() {
    assert_eq!(cat_rel("po & loc ; rf"), cat_rel("(po & loc) ; rf"));
    assert_eq!(cat_rel("po ; rf \\ id"), cat_rel("po ; (rf \\ id)"));
    assert_eq!(cat_rel("po \\ rf & co"), cat_rel("po \\ (rf & co)"));
    assert_eq!(cat_rel("po \\ W * R"), cat_rel("po \\ (W * R)"));
    assert_eq!(cat_rel("po | rf ; co"), cat_rel("po | (rf ; co)"));
}

#[test]
fn definitions_are_sets_or_relations_by_their_body() {
    let theory = cat("let S = R & ACQ\nlet a = [S]; po\nlet n = emptyset").unwrap();
    let expected = Set::Inter(Box::new(s(Pred::R)), Box::new(s(Pred::ExactAcq)));
    assert_eq!(theory.defs[0].body, DefBody::Set(expected));
    assert_eq!(theory.defs[2].body, DefBody::Set(Set::Empty));
    round_trip(theory);
}

#[test]
fn orderings_are_exact() {
    for (name, pred) in [
        ("REL", Pred::ExactRel),
        ("ACQ", Pred::ExactAcq),
        ("ACQ_REL", Pred::ExactAcqRel),
        ("RLX", Pred::Rlx),
        ("SC", Pred::Sc),
        ("NA", Pred::Na),
    ] {
        assert_eq!(cat_rel(&format!("[{name}]")), Rel::Test(s(pred)), "{name}");
    }
}

#[test]
fn recursive_definitions_find_their_kinds() {
    let theory = cat("let rec a = b | a and b = po; [S] and S = T and T = domain(a) | T").unwrap();
    let sets: Vec<bool> = theory.defs.iter().map(|def| matches!(def.body, DefBody::Set(_))).collect();
    assert_eq!(sets, [false, false, true, true]);
    assert!(theory.defs.iter().all(|def| def.rec_group == Some(0)));
    round_trip(theory);
}

#[test]
fn names_may_be_defined_again() {
    let theory = cat("let a = po\nlet a = a | rf\nlet a = a; a\nacyclic a as x").unwrap();
    let names: Vec<&str> = theory.defs.iter().map(|def| def.name.as_str()).collect();
    assert_eq!(names, ["a@1", "a@2", "a"]);
    assert_eq!(theory.axioms[0].constraint, Constraint::Acyclic(Rel::Def(DefId(2))));
    round_trip(theory);
}

#[test]
fn checks_and_flags() {
    let text = "acyclic po | rf as one\nirreflexive po; rf\nempty rmw & (fre; coe) as atomicity
                empty R & W\nflag ~empty po & rf as race\nundefined_unless irreflexive po as odd";
    let theory = cat(text).unwrap();
    assert_eq!(theory.axioms[0].name.as_deref(), Some("one"));
    assert_eq!(theory.axioms[1].name, None);
    assert!(matches!(&theory.axioms[3].constraint, Constraint::Empty(Rel::Test(_))));
    let left = Rel::Inter(p(Prim::Po), p(Prim::Rf));
    let race = Constraint::Error {
        name: "race".into(),
        warning: false,
        unless: Inclusion::Subset(left, Rel::Empty),
    };
    assert_eq!(theory.axioms[4].constraint, race);
    round_trip(theory);
}

#[test]
fn show_is_ignored() {
    let theory = cat("show po, rf as reads\nunshow nothing\nshowall\nacyclic po").unwrap();
    assert_eq!(theory.axioms.len(), 1);
}

#[test]
fn a_negated_check_may_follow_a_closure() {
    let error = cat("let a = po*\n~empty a as x").unwrap_err();
    assert!(error.message.starts_with("the negated check `~empty`"), "{error}");
    assert_eq!(error.span.unwrap().line, 2);
}

#[test]
fn herd_constructs_are_refused_by_name_and_line() {
    for (text, construct) in [
        ("~acyclic po as x", "the negated check `~acyclic`"),
        ("flag empty po as x", "`flag empty`"),
        ("procedure f(x) = acyclic x end", "`procedure`"),
        ("with co from generate_cos(co0)", "`with … from`"),
        ("let f(x) = x", "the definition of the function `f`"),
        ("let f x = x", "the definition of the function `f`"),
        ("let rec f(x) = f(x)", "the definition of the function `f`"),
        ("let a = fencerel(F)", "the application of the function `fencerel`"),
        ("let a = f po", "the application of the function `f`"),
        ("let a = match po with end", "`match`"),
        ("let a = fun x -> x", "`fun`"),
        ("let a = if po then rf else co", "`if`"),
        ("let a = (po, rf)", "a tuple"),
        ("let (a, b) = po", "a tuple pattern"),
        ("let a = {po}", "a set literal"),
        ("let a = 'tag", "a tag literal"),
        ("let a = po in a", "`in`"),
        ("call f(po)", "`call`"),
        ("forall x in po do acyclic x end", "`forall`"),
        ("enum E = 'a || 'b", "`enum`"),
        ("instructions R[{'a}]", "`instructions`"),
    ] {
        let error = cat(&format!("title\n{text}")).unwrap_err();
        assert!(error.message.starts_with(construct), "{text}: {error}");
        assert!(error.message.contains("outside of the supported part of .cat"), "{text}: {error}");
        assert_eq!(error.span.unwrap().line, 2, "{text}");
    }
}

#[test]
fn sets_and_relations_do_not_mix() {
    for text in
        ["let a = R | po", "let a = R; po", "let a = R+", "acyclic R", "let a = po * R", "let a = [po]"]
    {
        let error = cat(text).unwrap_err();
        assert!(error.message.contains("set") && error.message.contains("relation"), "{text}: {error}");
    }
}
