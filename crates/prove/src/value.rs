//! Terms of SMT-LIB that are folded where their value is known.

/// A value that is known, or a term. Truth values are 0 and 1 if they are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum V {
    /// Known.
    K(i64),
    /// A term.
    T(String),
}

impl V {
    /// A truth value.
    pub fn bool(b: bool) -> V {
        V::K(b as i64)
    }

    /// As a formula.
    pub fn formula(&self) -> String {
        match self {
            V::K(0) => "false".into(),
            V::K(_) => "true".into(),
            V::T(t) => t.clone(),
        }
    }

    /// As a number.
    pub fn number(&self) -> String {
        match self {
            V::K(n) => number(*n),
            V::T(t) => t.clone(),
        }
    }

    /// Negation.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&self) -> V {
        match self {
            V::K(n) => V::bool(*n == 0),
            V::T(t) => match t.strip_prefix("(not ") {
                Some(rest) => V::T(rest[..rest.len() - 1].to_string()),
                None => V::T(format!("(not {t})")),
            },
        }
    }

    /// Conjunction.
    pub fn and(parts: impl IntoIterator<Item = V>) -> V {
        V::junction(parts, 1, "and")
    }

    /// Disjunction.
    pub fn or(parts: impl IntoIterator<Item = V>) -> V {
        V::junction(parts, 0, "or")
    }

    fn junction(parts: impl IntoIterator<Item = V>, neutral: i64, op: &str) -> V {
        let mut terms: Vec<String> = Vec::new();
        for part in parts {
            match part {
                V::K(n) if (n != 0) as i64 == neutral => {}
                V::K(_) => return V::K(1 - neutral),
                V::T(t) => {
                    if !terms.contains(&t) {
                        terms.push(t);
                    }
                }
            }
        }
        match terms.len() {
            0 => V::K(neutral),
            1 => V::T(terms.remove(0)),
            _ => V::T(format!("({op} {})", terms.join(" "))),
        }
    }

    /// Equality, of truth values if `truth`.
    pub fn equals(&self, other: &V, truth: bool) -> V {
        match (self, other) {
            (V::K(a), V::K(b)) if truth => V::bool((*a != 0) == (*b != 0)),
            (V::K(a), V::K(b)) => V::bool(a == b),
            (V::K(a), b @ V::T(_)) | (b @ V::T(_), V::K(a)) if truth => {
                if *a != 0 {
                    b.clone()
                } else {
                    b.not()
                }
            }
            (a, b) if a == b => V::K(1),
            (a, b) => V::T(format!("(= {} {})", a.number(), b.number())),
        }
    }

    /// At most.
    pub fn le(&self, other: &V) -> V {
        match (self, other) {
            (V::K(a), V::K(b)) => V::bool(a <= b),
            (a, b) => V::T(format!("(<= {} {})", a.number(), b.number())),
        }
    }

    /// Sum.
    pub fn sum(parts: impl IntoIterator<Item = V>) -> V {
        let (mut known, mut terms) = (0i64, Vec::new());
        for part in parts {
            match part {
                V::K(n) => match known.checked_add(n) {
                    Some(sum) => known = sum,
                    None => terms.push(number(n)),
                },
                V::T(t) => terms.push(t),
            }
        }
        if terms.is_empty() {
            return V::K(known);
        }
        if known != 0 {
            terms.push(number(known));
        }
        if terms.len() == 1 { V::T(terms.remove(0)) } else { V::T(format!("(+ {})", terms.join(" "))) }
    }

    /// Multiple.
    pub fn times(&self, k: i64) -> V {
        match self {
            V::K(n) => match n.checked_mul(k) {
                Some(product) => V::K(product),
                None => V::T(format!("(* {} {})", number(k), number(*n))),
            },
            V::T(_) if k == 0 => V::K(0),
            V::T(t) if k == 1 => V::T(t.clone()),
            V::T(t) => V::T(format!("(* {} {t})", number(k))),
        }
    }

    /// Remainder by a number that is known and positive.
    pub fn modulo(&self, other: &V) -> V {
        match (self, other) {
            (V::K(a), V::K(b)) => V::K(a.checked_rem_euclid(*b).unwrap_or(0)),
            (a, b) => V::T(format!("(mod {} {})", a.number(), b.number())),
        }
    }

    /// If, then, else; of truth values if `truth`.
    pub fn ite(cond: &V, yes: &V, no: &V, truth: bool) -> V {
        match cond {
            V::K(0) => no.clone(),
            V::K(_) => yes.clone(),
            V::T(_) if yes == no => yes.clone(),
            V::T(c) => {
                let text = |v: &V| if truth { v.formula() } else { v.number() };
                V::T(format!("(ite {c} {} {})", text(yes), text(no)))
            }
        }
    }
}

/// A number; SMT-LIB has no negative ones.
pub fn number(n: i64) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}
