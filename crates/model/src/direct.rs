//! Cycles that need no search: of events between which every single step is one that a constraint asks about.
//!
//! Take acyclicity of a relation that has, between events of some kind, each step of `po`, `mo` and `fr` for
//! a word of its own, and each that a view orders: like `psc`, between sequentially consistent events. If a
//! graph is not sequentially consistent at an event, a cycle of `po | tc | tj | rf | mo | fr` goes through
//! it. The cycle passes nothing but the event's `component`; and if that has only accesses and fences of the
//! kind, and the view orders its readers after what they read, then every step of the cycle is a word of the
//! relation. So it violates the constraint.

use crate::component::Component;
use crate::glushkov::Positions;
use crate::guard::{Guard, Test};
use crate::letter::{Base, Letter, Pairs};
use selvedge_graph::{EventId, ExecutionGraph, Kind};

#[derive(Clone, Debug)]
pub struct Direct {
    /// On both ends of a step.
    guard: Test,
    /// The slot of the view that has to order readers after what they read.
    slot: usize,
}

impl Direct {
    /// What is known of the words of a term. Its tests must be as they were written: simpler ones may say
    /// nothing of events that cannot stand where they are.
    pub fn of(positions: &Positions) -> Option<Direct> {
        let mut guard = Guard::always();
        for base in [Base::PoImm, Base::Co, Base::Fr] {
            guard = guard.and(&both_ends(positions, |letter| letter == Letter::plain(base))?.1);
        }
        let is_view = |must: Pairs| move |l: Letter| l.is_view() && l.must == must && l.mustnot.is_none();
        let (view, ends) = both_ends(positions, is_view(Pairs::LOC))
            .or_else(|| both_ends(positions, is_view(Pairs::NONE)))?;
        let Base::View(slot) = view.base else { return None };
        guard = guard.and(&ends);
        (!guard.is_never()).then(|| Direct { guard: Test::of(&guard), slot: slot as usize })
    }

    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Whether every cycle of `po | tc | tj | rf | mo | fr` among these events violates the constraint.
    pub fn is_all(&self, g: &ExecutionGraph, component: &Component) -> bool {
        component.events(g).all(|x| {
            let ev = g.event(x);
            let known = |w: EventId| w.is_init() || !component.has(g.event(w)) || g.includes(x, self.slot, w);
            matches!(ev.kind, Kind::Read | Kind::Write | Kind::Fence)
                && self.guard.holds(ev.attrs)
                && (ev.kind != Kind::Read || g.rf(x).is_none_or(known))
        })
    }
}

/// A letter of this kind that is a word by itself, and the test that both events pass then.
fn both_ends(positions: &Positions, is_one: impl Fn(Letter) -> bool) -> Option<(Letter, Guard)> {
    positions.first.iter().find_map(|(begin, q)| {
        let letter = positions.letters[*q];
        let (_, end) = positions.last.iter().find(|(last, _)| last == q)?;
        let both = begin.and(end);
        (is_one(letter) && !both.is_never()).then_some((letter, both))
    })
}

#[cfg(test)]
mod tests {
    use crate::Model;
    use selvedge_graph::{Attrs, Kind, Mode};

    fn guards(model: &str) -> Vec<bool> {
        let theory = selvedge_kat::load_named(model).expect("a shipped model");
        let model = Model::compile(&theory).expect("shipped models are admissible");
        let (sc, acq) = (Attrs::of(Kind::Read, Mode::Sc, false), Attrs::of(Kind::Read, Mode::Acq, false));
        let direct = model.cycles.iter().filter_map(|c| c.direct.as_ref());
        direct.flat_map(|d| [d.guard.holds(sc), d.guard.holds(acq)]).collect()
    }

    #[test]
    fn sequentially_consistent_events_are_direct_where_the_model_orders_them_so() {
        assert_eq!(guards("rc11"), [true, false]);
        // `po` from a write to a read is no step there.
        assert_eq!(guards("tso"), []);
    }
}
