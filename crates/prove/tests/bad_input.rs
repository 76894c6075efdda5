//! What is wrong with a text is said, with its line; nothing makes the reader panic.

fn message(text: &str) -> String {
    match selvedge_prove::parse("bad.par", text) {
        Ok(_) => panic!("this is fine: {text}"),
        Err(error) => error.to_string(),
    }
}

const START: &str =
    "threads T;\nlocations A, end B;\nshared x: int = 0;\nlocal y: bool = false;\nghost local g: int = 0;\n";

#[test]
fn errors_name_the_line_and_what_is_expected() {
    for (rest, line, words) in [
        ("step A { x := true; goto B; }", 6, "a number is expected here, and this is a formula"),
        ("step A { z := 1; goto B; }", 6, "`z` is neither a variable nor a statement"),
        ("step A { x := x * x; goto B; }", 6, "not linear"),
        ("step A { x := 1; }", 6, "ends without `goto`"),
        ("step A { goto B; x := 1; }", 6, "never done"),
        ("step A { await g == 0; goto B; }", 6, "ghost"),
        // Ghosts as indices, conditions of choices, in sets, behind definitions, as a way to go.
        ("shared f[0..2]: bool = false; step A { f[g] := true; goto B; }", 6, "ghost"),
        ("step A { choose u: T where g[u] == 0; x := 1; goto B; }", 6, "ghost"),
        ("step A { x := #{t: T | g[t] == 0}; goto B; }", 6, "ghost"),
        ("define h(t: T) = g[t] == 0; step A { await h(self); goto B; }", 6, "ghost"),
        ("step A { if (g == 0) { goto B; } else { goto A; } }", 6, "ghost"),
        ("step A { goto B; }\nproperty p: forall t: T. exists t: T. t @ A;", 7, "bound already"),
        ("step B { goto A; }", 6, "is an end"),
        ("step A { goto B; }\ninvariant i: y;", 7, "whose `y`"),
        ("step A { goto B; }\ninvariant i: forall t: U. true;", 7, "not defined"),
        ("step A { goto B; }\ninvariant i: child(x, x);", 7, "no sort is one"),
        ("step A { goto B; }\ninvariant i: true;\ninvariant i: true;", 8, "already"),
        ("step A { goto B; }\nproperty p: #{t, u: T | true} == 0;", 7, "by one variable"),
        ("step A { goto B; }\naxiom a: x == 0;", 7, "constants only"),
        ("step A { goto B; }\nfoo", 7, "begins no declaration"),
        ("opaque local o: int = 0; step A { goto B; }\ninvariant i: forall t: T. o[t] == 0;", 7, "opaque"),
        ("shared x: bool = true;", 6, "there is a `x` already"),
        ("step A { goto B; } €", 6, "no meaning"),
        ("step A { goto B; }\ninvariant i: x' == 0;", 7, "no meaning"),
        ("step A { goto B; }\ninvariant i: x / 2 == 0;", 7, "no division"),
        ("step A { goto B; }\ninvariant i: x == 1000001;", 7, "up to 1000000"),
        ("step A { goto B; }\ninvariant i: 1000 * (2000 * x) == 0;", 7, "too large"),
        ("step A { goto B; }\nphase p { } phase p { }", 7, "already"),
    ] {
        let found = message(&format!("{START}{rest}"));
        assert!(found.contains(words), "{rest}: {found}");
        assert!(found.contains(&format!("bad.par:{line}:")), "{rest}: {found}");
    }
    assert!(message("").contains("nothing to prove"));
    assert!(message("locations A;").contains("begins with its threads"));
    assert!(message("threads T; locations A, end B;").contains("no steps"));
}

#[test]
fn damaged_texts_are_refused_or_read() {
    let good = include_str!("../../../proofs/combining-tree.par");
    // Ends and missing characters everywhere: an answer, never a panic.
    for cut in (0..good.len()).filter(|i| good.is_char_boundary(*i)).step_by(7) {
        let _ = selvedge_prove::parse("cut", &good[..cut]);
        let mut less = good.to_string();
        less.remove(cut);
        let _ = selvedge_prove::parse("less", &less);
    }
    for deep in ["(", "!", "- ", "forall x: T. ", "#{x: T | ", "if "] {
        let _ = selvedge_prove::parse("deep", &format!("{START}invariant i: {}", deep.repeat(5000)));
    }
    let blocks = format!("{START}step A {{ {}", "if (true) { ".repeat(5000));
    assert!(selvedge_prove::parse("deep", &blocks).is_err());
}

#[test]
fn errors_in_what_is_claimed_of_a_derived_system_name_the_line_of_the_claim() {
    let derived = "threads T;\nlocations A, end B;\nshared x: int = 0;\nstep A { goto B; }\n";
    let claims = "// of x\nproperty p: x == 0;\n";
    assert!(selvedge_prove::parse_derived(derived, "claims.inv", claims).is_ok());
    let wrong = "// of y\nproperty p: y == 0;\n";
    let error = selvedge_prove::parse_derived(derived, "claims.inv", wrong).expect_err("no y").to_string();
    assert!(error.contains("claims.inv:2:13") && error.contains("`y` is not defined"), "{error}");
}
