//! Properties of models: what a reduction may ask of a model, each a statement about its executions.
//!
//! A model has a property because that is *decided* from its text, or because the text *declares* it, with
//! the reason:
//!
//! ```text
//! property confirms-reads "the read-modify-write acquires at least as much, and comes right after"
//! ```
//!
//! What is neither decided nor declared is not relied on. Declarations are tested against the oracle for the
//! models that come with Selvedge, as the definitions here say.

use selvedge_diagnostic::Span;

/// A property that a model may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// Threads and what they read from have no cycle: values do not come from the future.
    PorfAcyclic,
    /// Where values went is nothing to the model.
    NoDependencies,
    /// A thread's own accesses of a location are in order.
    Coherent,
    /// Weaker orderings allow more.
    MonotoneInOrderings,
    /// Reads and fences may be left out.
    ForgetsReads,
    /// Writes that nobody reads may be left out.
    ForgetsWrites,
    /// Read-modify-writes may be left out.
    ForgetsRmws,
    /// A read may as well see what the read-modify-write right after it sees.
    ConfirmsReads,
    /// A read-modify-write may as well be made by another thread, of which it completes a step.
    DelegatesRmws,
    /// What is written to an object before it is passed on is seen by whoever gets it.
    PublishesInOrder,
    /// The same of plain accesses, or the model calls it an error.
    PublishesInOrderOrRaces,
    /// Read-modify-writes that release and acquire pass messages.
    OrdersByRmw,
    /// Executions are interleavings.
    Interleaving,
    /// Reads may be made twice.
    RepeatsReads,
    /// Read-modify-writes that acquire may be left out.
    ForgetsAcquiringRmws,
}

impl Property {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Property; 15] = [
        Property::PorfAcyclic,
        Property::NoDependencies,
        Property::Coherent,
        Property::MonotoneInOrderings,
        Property::ForgetsReads,
        Property::ForgetsWrites,
        Property::ForgetsRmws,
        Property::ConfirmsReads,
        Property::DelegatesRmws,
        Property::PublishesInOrder,
        Property::PublishesInOrderOrRaces,
        Property::OrdersByRmw,
        Property::Interleaving,
        Property::RepeatsReads,
        Property::ForgetsAcquiringRmws,
    ];

    /// As models and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Property::PorfAcyclic => "porf-acyclic",
            Property::NoDependencies => "no-dependencies",
            Property::Coherent => "coherent",
            Property::MonotoneInOrderings => "monotone-in-orderings",
            Property::ForgetsReads => "forgets-reads",
            Property::RepeatsReads => "repeats-reads",
            Property::ForgetsWrites => "forgets-writes",
            Property::ForgetsRmws => "forgets-rmws",
            Property::ForgetsAcquiringRmws => "forgets-acquiring-rmws",
            Property::ConfirmsReads => "confirms-reads",
            Property::DelegatesRmws => "delegates-rmws",
            Property::PublishesInOrder => "publishes-in-order",
            Property::PublishesInOrderOrRaces => "publishes-in-order-or-races",
            Property::OrdersByRmw => "orders-by-rmw",
            Property::Interleaving => "interleaving",
        }
    }

    /// The property of this name.
    pub fn by_name(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }

    /// Whether models need not say that they have it: it is always found out, so that a declaration could
    /// only be wrong.
    pub fn is_always_decided(self) -> bool {
        use Property::{Interleaving, NoDependencies, OrdersByRmw, PorfAcyclic};
        matches!(self, PorfAcyclic | NoDependencies | OrdersByRmw | Interleaving)
    }

    /// What it says of every execution of the model.
    pub fn definition(self) -> &'static str {
        match self {
            Property::PorfAcyclic => {
                "In every execution `po | rf | tc | tj` is acyclic, an execution without what comes after an \
                 event in it is one, and an event can always be added at the end (it is explored by clocks)."
            }
            Property::NoDependencies => {
                "Whether an execution is consistent does not depend on `addr`, `data`, `ctrl`, `ctrl-arm`, \
                 `casdep` and `publishes`."
            }
            Property::Coherent => {
                "In every execution `po ; (rf | mo | fr)+` is irreflexive: a read that only its own thread \
                 can have written for sees that thread's latest write."
            }
            Property::MonotoneInOrderings => {
                "An execution in which a read, a write or a fence gets a weaker ordering is an execution."
            }
            Property::ForgetsReads => {
                "An execution without a read that is no half of a read-modify-write, or without a fence that is \
                 no end of a section or a lock, is an execution, if its thread does something before and after."
            }
            Property::RepeatsReads => {
                "An execution in which a read that is no half of a read-modify-write is made twice, the second \
                 time right after the first and from the same write, is an execution."
            }
            Property::ForgetsWrites => {
                "An execution without a write that nobody reads and that is no half of a read-modify-write \
                 is an execution, if its thread does something before and after."
            }
            Property::ForgetsRmws => {
                "An execution without a read-modify-write, in which whoever read what it wrote reads what it \
                 read instead, is an execution, if its thread does something before and after."
            }
            Property::ForgetsAcquiringRmws => {
                "The same of a read-modify-write that acquires; others may stay."
            }
            Property::ConfirmsReads => {
                "Let `r` be a read that is no half of a read-modify-write, and `u` a read-modify-write of \
                 the same location in the same thread, which acquires at least as much. There is nothing \
                 between them but plain and relaxed writes to other locations, which other threads access only after `u` \
                 in `po | rf`. Then the execution in which `r` reads from where `u` reads is an execution."
            }
            Property::DelegatesRmws => {
                "Let `h` be a read-modify-write that reads from `s`, and `o` a read of the same location in \
                 another thread, no half of a read-modify-write, that reads from what `h` wrote or from what \
                 comes later in `mo`. Right before `o` there is a write `k` that releases; the thread of `h` \
                 has acquired from it before `h`. `s` is an initial value, or releases, and the thread of `o` \
                 has acquired from it before `k`, or it is no half of a read-modify-write and was written \
                 before that thread was created, by the thread that created it. `h` releases, and no read \
                 and no write is sequentially consistent. Then the execution in which `o` is a read-modify-write of the ordering of `h` \
                 that reads from `s`, in place of `h`, and `h` a read of what it writes, relaxed or acquire, \
                 is an execution."
            }
            Property::PublishesInOrder => {
                "In every execution `(po | rf | tc | tj)+ ; (rf | mo | fr)+` is irreflexive: who learns of \
                 an object, by whatever way, sees what was written to it before it was passed on."
            }
            Property::PublishesInOrderOrRaces => {
                "In every execution in which the model finds no error, `[W & NA] ; (po | rf | tc | tj)+ ; \
                 (rf | mo | fr)+` is irreflexive: the same of plain writes, where there is no race."
            }
            Property::OrdersByRmw => {
                "Let `u` and `v` be read-modify-writes that release and acquire, of which `v` reads from \
                 `u`. An access after `v` sees a write before `u` to its location, or a later one."
            }
            Property::Interleaving => {
                "In every execution `po | rf | mo | fr | tc | tj` is acyclic, and all such executions are \
                 consistent."
            }
        }
    }
}

/// A property that a model's text declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// What is declared.
    pub property: Property,
    /// Why it holds.
    pub because: String,
    /// Where it is declared.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::Property;

    #[test]
    fn properties_are_found_by_their_names() {
        for (number, property) in Property::ALL.into_iter().enumerate() {
            assert_eq!(Property::by_name(property.name()), Some(property));
            assert_eq!(property as usize, number);
        }
        assert_eq!(Property::by_name("fast"), None);
    }
}
