//! Random models, as `.kat` text that the explorer should admit.
//!
//! Every model forbids cycles of `po`, `rf` and thread creation and joining, which the exploration
//! relies on. Most of them are coherent in some sense, a few are not at all. Tokens are separated by
//! spaces, which is what [`crate::shrink`] cuts at.

use rand::Rng;
use rand::rngs::SmallRng;

const PREDICATES: &[&str] =
    &["R", "W", "F", "REL", "ACQ", "SC", "RLX", "NA", "UR", "UW", "TC", "TJ", "M", "ATOMIC"];
/// Steps from an event to one that has it in its causal past.
const CAUSAL: &[&str] = &["po", "po-imm", "rf", "rfe", "rfi", "rmw", "tc", "tj"];
const LETTERS: &[&str] = &[
    "po", "po-imm", "po-loc", "rf", "rfe", "rfi", "mo", "moe", "moi", "fr", "fre", "fri", "rmw", "tc", "tj",
];
/// Letters with a condition on the pair.
const CONDITIONED: &[&str] = &[
    "( po & loc )",
    "( rf & ext )",
    "( mo & int )",
    "( fr \\ int )",
    "( rf \\ po )",
    "( rf & po )",
    "( po \\ po-loc )",
    "( mo \\ po )",
    "( mo & po )",
    "( fr \\ po )",
    "( fr & po )",
    "( po \\ rmw )",
    "( po \\ po-imm )",
    "( rf \\ po-imm )",
];

/// The text of a model.
pub fn model(rng: &mut SmallRng) -> String {
    let mut g = Generator { rng, views: Vec::new() };
    let mut lines = Vec::new();
    for name in ["v1", "v2"].iter().take(g.one_of(&[0, 1, 1, 1, 2])) {
        let body = g.view();
        lines.push(format!("view {name} = {body}"));
        g.views.push(name);
    }
    match g.rng.random_range(0..12) {
        // Not coherent at all.
        0 => {}
        1..5 => {
            lines.push(String::from("view local = ( po | tc | tj ) +"));
            lines.push(String::from("export coherence local"));
            g.views.push("local");
        }
        _ => {
            if g.views.is_empty() {
                lines.push(String::from("view local = ( po | tc | tj ) +"));
                g.views.push("local");
            }
            let view = g.some_view();
            lines.push(format!("export coherence {view}"));
        }
    }
    for _ in 0..g.one_of(&[0, 1, 1, 1, 2, 2, 3]) {
        lines.push(g.axiom());
    }
    lines.push(String::from("export acyclic ( po | tc | tj | rf )"));
    if !g.views.is_empty() && g.chance(6) {
        let view = g.some_view();
        let conflict = g.one_of(&[
            "[ W ] ; loc-overlap | loc-overlap ; [ W ]",
            "[ NA ] ; loc-overlap ; [ W ] | [ W ] ; loc-overlap ; [ NA ]",
        ]);
        lines.push(format!("export error Race unless {conflict} <= {view}"));
    }
    lines.join("\n") + "\n"
}

struct Generator<'a> {
    rng: &'a mut SmallRng,
    views: Vec<&'static str>,
}

impl Generator<'_> {
    fn one_of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }

    /// One time in `n`.
    fn chance(&mut self, n: u32) -> bool {
        self.rng.random_ratio(1, n)
    }

    fn some_view(&mut self) -> &'static str {
        let views = self.views.clone();
        self.one_of(&views)
    }

    fn view(&mut self) -> String {
        let mut body = String::from("( po | tc | tj");
        for _ in 0..self.one_of(&[0, 1, 1, 2]) {
            body += " | ";
            body += &match self.rng.random_range(0..8) {
                0 => String::from("rf"),
                1 => String::from("[ REL ] ; rf ; [ ACQ ]"),
                2 => String::from(
                    "[ REL ] ; ( [ F ] ; po ) ? ; ( rf ; rmw ) * ; rf ; ( po ; [ F ] ) ? ; [ ACQ ]",
                ),
                3 => format!("[ {} ] ; rf ; [ {} ]", self.set(), self.set()),
                4 => String::from("rfe"),
                _ => self.causal(2),
            };
        }
        body + " ) +"
    }

    fn set(&mut self) -> String {
        let p = self.one_of(PREDICATES);
        match self.rng.random_range(0..10) {
            0 => format!("~ {p}"),
            1 => format!("{p} & {}", self.one_of(PREDICATES)),
            2 => format!("{p} | {}", self.one_of(PREDICATES)),
            3 => format!("W & {}", self.one_of(&["REL", "SC", "NA", "RLX", "UW"])),
            4 => format!("F & {}", self.one_of(&["REL", "ACQ", "SC"])),
            5 => format!("{p} \\ {}", self.one_of(PREDICATES)),
            _ => String::from(p),
        }
    }

    /// A term over causal steps, at least one in every word.
    fn causal(&mut self, depth: u32) -> String {
        if depth == 0 {
            return String::from(self.one_of(CAUSAL));
        }
        let a = self.causal(depth - 1);
        match self.rng.random_range(0..7) {
            0 => format!("{a} ; {}", self.causal(depth - 1)),
            1 => format!("( {a} | {} )", self.causal(depth - 1)),
            2 => format!("[ {} ] ; {a}", self.set()),
            3 => format!("{a} ; [ {} ]", self.set()),
            4 => format!("( {a} ) ? ; {}", self.causal(0)),
            5 => format!("( {a} ) +"),
            _ => a,
        }
    }

    /// A term over all steps, at least one in every word.
    fn term(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.rng.random_range(0..10) {
                0..2 if !self.views.is_empty() => String::from(self.some_view()),
                2 => String::from(self.one_of(CONDITIONED)),
                _ => String::from(self.one_of(LETTERS)),
            };
        }
        let a = self.term(depth - 1);
        match self.rng.random_range(0..11) {
            0..3 => format!("{a} ; {}", self.term(depth - 1)),
            3..5 => format!("( {a} | {} )", self.term(depth - 1)),
            5 => format!("[ {} ] ; {a}", self.set()),
            6 => format!("{a} ; [ {} ]", self.set()),
            7 => format!("[ {} ] ; {a} ; [ {} ]", self.set(), self.set()),
            8 => format!("( {a} ) + ; {}", self.term(0)),
            9 => format!("( {a} ) ? ; {}", self.term(depth - 1)),
            _ => format!("( {a} ) * ; {}", self.term(0)),
        }
    }

    fn axiom(&mut self) -> String {
        match self.rng.random_range(0..10) {
            // Shapes that real models have.
            0 => format!("export acyclic ( po | tc | tj | rf | mo | fr | {} )", self.term(1)),
            1 => {
                let (a, b) = (self.set(), self.set());
                format!("export acyclic ( [ {a} ] ; po ; [ {b} ] | tc | tj | rfe | mo | fr )")
            }
            2 => {
                let inner = self.term(1);
                format!("export acyclic ( [ SC ] ; ( po | {inner} ) ; [ SC ] ) unless [ SC ] = 0")
            }
            3..5 => format!("export irreflexive {}", self.term(2)),
            5 => format!("export irreflexive ( {} ) ; {}", self.term(2), self.term(1)),
            6 => format!("export acyclic ( {} | {} )", self.term(1), self.term(1)),
            7 => {
                let alternatives: Vec<String> = (0..3).map(|_| self.term(1)).collect();
                format!("export acyclic ( {} )", alternatives.join(" | "))
            }
            _ => format!("export acyclic ( {} )", self.term(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::rng_for;
    use selvedge_certify::Judge;
    use selvedge_kat::{Dialect, parse};

    #[test]
    fn models_are_read_and_can_be_judged() {
        for number in 0..2_000 {
            let text = model(&mut rng_for(3, number));
            let theory = parse("random", &text, Dialect::Kat, &|_| Err(String::from("no includes")));
            let theory = theory.unwrap_or_else(|d| panic!("{text}\n{d}"));
            assert!(Judge::new(&theory).is_ok(), "{text}");
        }
    }
}
