//! What a person reads when a model is wrong.

use crate::common;
use common::{cat, kat};

#[track_caller]
fn shows(text: &str, expected: &str) {
    assert_eq!(kat(text).unwrap_err().to_string(), expected);
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    shows(
        "let happens = po\nlet a = po | hapens ; rf\n",
        "error: unknown name `hapens`
  --> m.kat:2:14
   |
 2 | let a = po | hapens ; rf
   |              ^^^^^^
  help: did you mean `happens`?",
    );
}

#[test]
fn a_missing_parenthesis_says_what_it_closes() {
    shows(
        "let a = (po | rf\nlet b = po",
        "error: expected an operator or `)`, found `let`
  --> m.kat:2:1
   |
 2 | let b = po
   | ^^^
  help: `)` closes what opens at line 1, column 9",
    );
}

#[test]
fn a_predicate_is_no_relation() {
    shows(
        "let a = po ; ~R",
        "error: `R` is a predicate, but a relation is needed here
  --> m.kat:1:15
   |
 1 | let a = po ; ~R
   |               ^
  help: `[R]` is the relation of each such event to itself",
    );
    shows(
        "let a = [po]",
        "error: `po` is a relation, but a predicate is needed here
  --> m.kat:1:10
   |
 1 | let a = [po]
   |          ^^
  help: `domain(r)` and `range(r)` are the events that a relation starts and ends in",
    );
}

#[test]
fn a_second_definition_points_to_the_first() {
    shows(
        "let a = po\nlet a = rf",
        "error: `a` is already defined
  --> m.kat:2:5
   |
 2 | let a = rf
   |     ^
  help: its definition is at m.kat:1:5",
    );
}

#[test]
fn the_end_of_the_file_has_a_place() {
    shows(
        "let a =",
        "error: expected a relation or a set, found the end of the file
  --> m.kat:1:8
   |
 1 | let a =
   |        ^",
    );
}

#[test]
fn a_refused_cat_construct() {
    assert_eq!(
        cat("X\nlet a = po\nprocedure f() =").unwrap_err().to_string(),
        "error: `procedure` is outside of the supported part of .cat
  --> m.cat:3:1
   |
 3 | procedure f() =
   | ^^^^^^^^^
  help: supported are `let`, `let rec`, checks, `flag` and `include` over sets and relations",
    );
}

/// Text, and parts of the message and the help.
const WRONG: &[(&str, &str, &str)] = &[
    ("po <= rf", "expected an operator or the next item, found `po`", "items start with"),
    ("let a = po <= rf", "found `<=`", "`assert`, `assume` or `export`"),
    ("let let = po", "expected the name to define, found `let`", "is a keyword"),
    ("let a po", "expected `=`, found `po`", ""),
    ("let a = po ; a", "unknown name `a`", "let rec"),
    ("let a = b::x", "unknown name `b::x`", "include \"b.kat\" first"),
    ("let a = po ;; rf", "expected a relation or a set, found `;`", ""),
    ("let a = [R", "expected an operator or `]`, found the end of the file", "column 9"),
    ("let a = po^2", "`^` starts no operator here", "`^-1`"),
    ("let a = 12", "`0` (the empty relation) is the only number", "backquotes"),
    ("let a = po $ rf", "`$` has no meaning here", ""),
    ("let a = \u{1}", "character U+0001 has no meaning here", ""),
    ("/* x", "this comment has no end", "`*/`"),
    ("include \"x.kat", "this string has no end", "same line"),
    ("let `a = po", "this name has no end", "same line"),
    ("let `` = po", "a name in backquotes is empty", ""),
    ("include x.kat", "expected a file name, found `x.kat`", "in quotes"),
    ("include \"x.txt\"", "neither a .kat nor a .cat file", ""),
    ("include \"x.kat\"", "cannot include `x.kat`: no file x.kat", ""),
    ("include \"m.kat\"", "`m.kat` includes itself", ""),
    ("let id = po", "`id` cannot be defined", ""),
    ("let builtin::a = po", "`builtin::a` cannot be defined", ""),
    ("relation a let a = po", "`a` is already defined", "declared by `relation`"),
    ("let a = po predicate a", "`a` is already defined", "m.kat:1:5"),
    ("predicate A = R", "found `=`", "let predicate"),
    ("let rec a = po and a = rf", "`a` is defined twice in one `let rec`", ""),
    ("export error X", "expected `unless`", ""),
    ("export error unless po <= rf", "expected the name of the error", "keyword"),
    ("assert po", "expected an operator, `<=` or `=`", ""),
    ("disjoint R # x", "unknown name `x`", ""),
    ("recovery (x)", "unknown name `x`", ""),
    ("property", "expected the name of a property, found the end of the file", ""),
    ("property fast \"it is\"", "there is no property `fast`", "properties are `porf-acyclic`, "),
    (
        "property forgets-read \"it does\"",
        "there is no property `forgets-read`",
        "did you mean `forgets-reads`?",
    ),
    ("property interleaving \"it is\"", "`interleaving` is not for a model to declare", "model properties"),
    ("property coherent", "expected why the model has the property", "`property NAME \"because …\"`"),
    ("property coherent \" \"", "expected why the model has the property", ""),
    ("property coherent \"a\" property coherent \"b\"", "`coherent` is declared twice", "m.kat:1"),
    ("let a = R * po", "`po` is a relation, but a predicate", ""),
    ("let rec a = [a]", "`a` is a relation, but a predicate", ""),
    ("let a = { po }", "expected a relation or a set, found `{`", ""),
    ("\"t\" \"t\"", "found a string", ""),
];

#[test]
fn each_mistake_has_its_message() {
    for (text, message, help) in WRONG {
        let error = kat(text).map(|theory| panic!("{text}: {theory:?}")).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(error.help.as_deref().unwrap_or("").contains(help), "{text}: {error}");
        assert!(error.span.is_some() && error.excerpt.is_some(), "{text}");
    }
}

#[test]
fn herd_has_no_coherence_check() {
    let error = cat("flag ~coherence po as x").unwrap_err();
    assert!(error.message.starts_with("expected `acyclic`, `irreflexive` or `empty`"), "{error}");
}

#[test]
fn names_of_included_files_are_suggested() {
    let include = |_: &str| Ok("let eco = rf".to_string());
    let text = "include \"base.kat\" let a = base::ecoo let b = base::hbx";
    let error = selvedge_kat::parse("m.kat", text, selvedge_kat::Dialect::Kat, &include).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("did you mean `base::eco`?"));
}

#[test]
fn deep_nesting_is_refused() {
    for n in [201, 100_000] {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("~", ""), ("rot ", ""), ("(rot ", ")"), ("[domain(", ")]")]
        {
            let text = format!("let a = {}po{}", open.repeat(n), close.repeat(n));
            let error = kat(&text).unwrap_err();
            assert!(error.message.contains("levels of nesting"), "{open}: {error}");
        }
        let text = format!("let a = {}po{}", "(".repeat(n), ")".repeat(n));
        assert!(cat(&text).unwrap_err().message.contains("levels of nesting"));
    }
    for operator in ["*", "+", "?", "^-1", ";po", "|po", "\\po", "&po"] {
        let error = kat(&format!("let a = po{}", operator.repeat(100_000))).unwrap_err();
        assert!(error.message.contains("operators deep"), "{operator}: {error}");
    }
    // As deep as it gets, each level wide.
    let chain = ";po".repeat(100);
    let error =
        kat(&format!("let a = {}po{}", "(".repeat(150), format!("{chain})").repeat(150))).unwrap_err();
    assert!(error.message.contains("operators deep"), "{error}");
}

#[test]
fn sets_that_grow_by_doubling_are_refused() {
    let mut text = "let a0 = [R | W]\n".to_string();
    for n in 1..60 {
        text += &format!("let a{n} = [a{0} | a{0}]\n", n - 1);
    }
    assert!(kat(&text).unwrap_err().message.contains("is a relation, but a predicate"));
}

#[test]
fn a_line_of_ten_megabytes_takes_linear_time() {
    // Quadratic time would be hours.
    let parts = [
        "let abc = po ".to_string() + &" ".repeat(10 << 20) + "?? $",
        "let ".to_string() + &"x".repeat(10 << 20) + " = po | y",
        "let a = ".to_string() + &"x".repeat(10 << 20),
        "let a = po ".to_string() + &"/* * / */".repeat(1 << 20) + "$",
        "let a = ".to_string() + &"po ; ".repeat(2 << 20),
        (0..400_000).map(|n| format!("let a{n} = po|rf* ")).collect::<String>() + "$",
    ];
    for text in &parts {
        let error = kat(text).unwrap_err();
        assert!(error.excerpt.as_ref().unwrap().text.chars().count() <= 100);
        assert!(error.to_string().len() < 2000);
    }
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = format!("let a = {}unknown{}", "po | ".repeat(50), " | rf".repeat(50));
    let error = kat(&text).unwrap_err();
    let excerpt = error.excerpt.unwrap();
    assert_eq!(excerpt.text.chars().count(), 100);
    let underlined: String = excerpt.text.chars().skip(excerpt.col as usize).take(7).collect();
    assert_eq!(underlined, "unknown");
}
