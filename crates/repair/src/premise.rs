//! The premise of minimality: stronger orderings and more fences allow no more.
//!
//! A relation is made of sets of events and of built-in relations. Where an event only comes into sets that
//! count positively, and leaves only those that count negatively, when its ordering becomes stronger, no
//! relation becomes smaller; and what models ask is that relations are small. That is decided here for the
//! orderings that a program could get, by looking at every set of the model. That more events allow no more
//! is what `forgets-reads` says of a model.

use crate::candidate::{Access, Candidate, Effect, Site};
use crate::strength::join;
use selvedge_certify::Event;
use selvedge_explore::premises::properties_of;
use selvedge_graph::{Kind, Mode};
use selvedge_kat::{DefBody, DefId, Property, Rel, Set, Sign, Subterm, Theory, Walk};
use selvedge_model::Compiled;

/// Why it is not known that a model is monotone in these candidates; `None` if it is.
pub fn doubt(
    theory: &Theory,
    compiled: &Compiled,
    sites: &[Site],
    candidates: &[Candidate],
) -> Option<String> {
    let is_fence = |c: &&Candidate| matches!(c.effect, Effect::Before(_) | Effect::After(_));
    if candidates.iter().any(|c| is_fence(&c)) && !properties_of(theory, compiled).has(Property::ForgetsReads)
    {
        return Some(format!("more fences may allow more under `{}`: it lacks `forgets-reads`", theory.name));
    }
    let mut steps: Vec<(Event, Event)> = Vec::new();
    let mut step = |kind: Kind, rmw: bool, from: Mode, to: Mode| {
        let with = |mode: Mode| Event { rmw, ..Event::new(kind, mode) };
        steps.push((with(from), with(to)));
    };
    for site in sites {
        let of_site = |c: &&Candidate| sites.get(c.site).is_some_and(|s| std::ptr::eq(s, site));
        let mut reached = vec![(site.mode, false)];
        reached.extend(site.failure.map(|failure| (failure, true)));
        for candidate in candidates.iter().filter(of_site) {
            let (mode, failed) = match candidate.effect {
                Effect::Order(mode) => (mode, false),
                Effect::Failure(mode) => (mode, true),
                _ => continue,
            };
            let before: Vec<Mode> =
                reached.iter().filter(|(_, of_failure)| *of_failure == failed).map(|(m, _)| *m).collect();
            for old in before {
                let new = join(old, mode);
                let (reads, writes) = match site.access {
                    Access::Load | Access::Linked => (true, false),
                    Access::Store | Access::Conditional => (false, true),
                    _ => (true, !failed),
                };
                let rmw = !failed && !matches!(site.access, Access::Load | Access::Store);
                if reads {
                    step(Kind::Read, rmw, old, new);
                }
                if writes {
                    step(Kind::Write, rmw, old, new);
                }
                if !reached.contains(&(new, failed)) {
                    reached.push((new, failed));
                }
            }
        }
    }
    steps.sort_by_key(|(a, b)| (a.kind as u8, a.rmw, a.mode, b.mode));
    steps.dedup();
    let found = Sets { theory }.against(&steps)?;
    Some(format!("a stronger ordering may allow more under `{}`: {found}", theory.name))
}

struct Sets<'t> {
    theory: &'t Theory,
}

impl Sets<'_> {
    /// A set that an event leaves although it counts, or comes into although it counts against.
    fn against(&self, steps: &[(Event, Event)]) -> Option<String> {
        let mut found = None;
        let mut see = |part: Subterm<'_>, sign: Sign| {
            let sets: Vec<&Set> = match part {
                Subterm::Rel(Rel::Test(set)) => vec![set],
                Subterm::Rel(Rel::Cross(a, b)) => vec![a, b],
                _ => return,
            };
            for set in sets {
                for (weak, strong) in steps {
                    let (before, after) = (self.has(set, weak), self.has(set, strong));
                    let wrong = match (before, after) {
                        (Some(before), Some(after)) => match sign {
                            Sign::Positive => before && !after,
                            Sign::Negative => !before && after,
                        },
                        _ => true,
                    };
                    if wrong && found.is_none() {
                        let what = if weak.kind == Kind::Read { "read" } else { "write" };
                        found = Some(format!(
                            "of a {what} from {} to {}",
                            weak.mode.c_name(),
                            strong.mode.c_name()
                        ));
                    }
                }
            }
        };
        let (mut walk, mut errors) = (Walk::new(self.theory), Walk::new(self.theory));
        for axiom in self.theory.axioms.iter().filter(|axiom| !axiom.extra) {
            let is_error = axiom.constraint.is_error();
            for (rel, sign) in axiom.constraint.signed() {
                // There is to be no more of what makes an error, and no less of what makes it none.
                match is_error {
                    true => errors.visit(Subterm::Rel(rel), sign.flipped(), &mut see),
                    false => walk.visit(Subterm::Rel(rel), sign, &mut see),
                }
            }
            for (rel, sign) in axiom.unless.iter().flat_map(|unless| unless.signed()) {
                walk.visit(Subterm::Rel(rel), sign, &mut see);
            }
        }
        found
    }

    /// Whether an event is in a set; `None` if that depends on others.
    fn has(&self, set: &Set, event: &Event) -> Option<bool> {
        Some(match set {
            Set::Empty | Set::Declared(_) => false,
            Set::Pred(pred) => event.satisfies(*pred),
            Set::Def(id) => self.has(self.body(*id)?, event)?,
            Set::Union(a, b) => self.has(a, event)? || self.has(b, event)?,
            Set::Inter(a, b) => self.has(a, event)? && self.has(b, event)?,
            Set::Diff(a, b) => self.has(a, event)? && !self.has(b, event)?,
            Set::Not(a) => !self.has(a, event)?,
            Set::Domain(_) | Set::Range(_) => return None,
        })
    }

    fn body(&self, id: DefId) -> Option<&Set> {
        match &self.theory.defs.get(id.0 as usize)?.body {
            DefBody::Set(set) => Some(set),
            DefBody::Rel(_) => None,
        }
    }
}
