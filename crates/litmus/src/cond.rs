//! Conditions on final states.

use selvedge_graph::{Loc, Tid, Value};
use selvedge_machine::expr::Reg;
use std::fmt;

/// Which final states a test asks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

impl Quantifier {
    pub fn symbol(self) -> &'static str {
        match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        }
    }

    /// What herd calls a test of this kind.
    pub fn kind(self) -> &'static str {
        match self {
            Quantifier::Exists => "Allowed",
            Quantifier::NotExists => "Forbidden",
            Quantifier::Forall => "Required",
        }
    }
}

/// What a final state gives a value to. Ordered as herd shows it: registers by thread, then locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observable {
    Register { thread: Tid, name: String, reg: Reg },
    Location { name: String, loc: Loc },
}

/// `0:r0` or `[x]`.
impl fmt::Display for Observable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Observable::Register { thread, name, .. } => write!(f, "{}:{name}", thread.0),
            Observable::Location { name, .. } => write!(f, "[{name}]"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cond {
    Const(bool),
    Atom {
        subject: Observable,
        /// `=` or `!=`.
        equal: bool,
        value: Value,
    },
    Not(Box<Cond>),
    And(Vec<Cond>),
    Or(Vec<Cond>),
}

impl Cond {
    /// Whether the condition holds in the final state that `lookup` describes.
    pub fn eval(&self, lookup: &dyn Fn(&Observable) -> Value) -> bool {
        match self {
            Cond::Const(value) => *value,
            Cond::Atom { subject, equal, value } => (lookup(subject) == *value) == *equal,
            Cond::Not(inner) => !inner.eval(lookup),
            Cond::And(parts) => parts.iter().all(|p| p.eval(lookup)),
            Cond::Or(parts) => parts.iter().any(|p| p.eval(lookup)),
        }
    }

    /// Calls `f` on everything that the condition looks at.
    pub fn observables(&self, f: &mut dyn FnMut(&Observable)) {
        match self {
            Cond::Const(_) => {}
            Cond::Atom { subject, .. } => f(subject),
            Cond::Not(inner) => inner.observables(f),
            Cond::And(parts) | Cond::Or(parts) => parts.iter().for_each(|p| p.observables(f)),
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, inside: bool) -> fmt::Result {
        match self {
            Cond::Const(value) => write!(f, "{value}"),
            Cond::Atom { subject, equal, value } => {
                write!(f, "{subject}{}{value}", if *equal { "=" } else { "!=" })
            }
            Cond::Not(inner) => {
                f.write_str("~")?;
                inner.write(f, true)
            }
            Cond::And(parts) | Cond::Or(parts) => {
                let symbol = if matches!(self, Cond::And(_)) { " /\\ " } else { " \\/ " };
                f.write_str(if inside { "(" } else { "" })?;
                for (i, part) in parts.iter().enumerate() {
                    f.write_str(if i > 0 { symbol } else { "" })?;
                    part.write(f, true)?;
                }
                f.write_str(if inside { ")" } else { "" })
            }
        }
    }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}
