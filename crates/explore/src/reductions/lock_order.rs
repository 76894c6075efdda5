//! Critical sections of a lock that have nothing to do with each other are not ordered.
//!
//! A lock that is taken `n` times by each of `k` threads has `(kn)!/n!^k` orders of its sections, and they are
//! all different executions. Most of them differ in nothing else: sections of different threads that access
//! no common location, or only read it, do the same in either order.
//!
//! **Parts.** Machines divide the sections of a lock into *parts*. Sections of one part are ordered by a word
//! of that part's own, which is taken and given back like a lock; a section that is alone in its part takes
//! nothing. All of them look at the lock itself where they begin and end, by reads that order nothing: it is
//! still there, it is free, it was not destroyed. At first every section is alone. Where two sections of
//! different threads conflict, that is noticed, their parts are merged, and everything is explored anew. So
//! in the end what conflicts is ordered, and what does not conflict is not. Which lock, which thread, and from
//! where the thread takes the lock is what tells sections apart. A lock of which all sections come to be in one
//! part is explored as it is.
//!
//! **Nothing is missed.** The program with parts has, for every execution `G` of the real program, an
//! execution `G'` with the same other events, the same `rf` and `co` between them, and less order. Its words
//! are accessed in the order in which `G` accesses the lock: a section takes its word from the section of its
//! part that was the last one in `G`. In `G` the latter released and the former acquired, through all
//! sections between them, and every step of the way is in the same place of program order, so that order was
//! there, and nothing that `G'` asks for is new. The reads of the lock see what is left of its coherence:
//! whatever initialised it. What is gone can only have forbidden something. (Locks that are left out
//! altogether are an extreme case of that. Which parts there are does not matter for the argument; it matters
//! for how much is explored, and how much of that is real.) So an assertion that fails in `G` fails in `G'`;
//! two accesses that race in `G` do, as there is less that could order them; and an object that is used after
//! its end is, likewise.
//!
//! **What is wrong has to be real.** The converse does not hold: `G'` may lack an order that the lock gives,
//! as in store buffering around two empty sections. So an execution of the program with parts is only trusted
//! if nothing is wrong with it. Where one is, or where one waits for ever, or is cut and no interleaving shows
//! that it is real, the program is explored again with all locks as they are ([`Hooks::is_doubtful`]).
//! Verdicts are those of the real program in both cases. With atomic sections the graph is judged by an
//! interleaving in which sections are single steps (`sections.rs`), and that is an order of them: only races
//! are then in doubt.
//!
//! **Waiting.** One thing that is wrong with `G` might go unnoticed in `G'`: a thread that waits for the lock
//! for ever, because another one never gives it back. The latter ends with the lock, or waits inside of its
//! section. A lock is only divided as long as that does not happen: machines watch what threads do in
//! sections, and if one ends, waits, joins another, comes to a barrier, or takes a further lock, then its
//! lock is explored as a whole from then on. An execution in which a thread only *might* have waited there
//! shows it as well: that it is left out (annotations, waiting reads that go last) takes a step of the machine
//! which says so. All sections of a lock that stays divided come to their end, so nobody waits for it, and a
//! thread that waits for something else does so in `G'`, too. Whoever takes a further lock can be waited for
//! by it, not the other way round: that lock may stay divided.
//!
//! **Looking at locks.** Whoever asks whether a lock is taken (`trylock` and the like, a wait on a condition
//! variable) sees the order of its sections: such locks are whole. So are those that are initialised,
//! destroyed or written to by the thread that holds them. Whoever does that while another thread holds it is
//! in a race with the read at the end of that thread's section, as with the write that this read stands for;
//! for this, races have to be errors. A plain read of the lock's memory would be in a race with the write
//! only: accesses of that memory by anything but functions for locks are looked for in every execution, and
//! if there are any the reduction is off.
//!
//! *Premises*: `po ∪ rf` has no cycle; leaving out what locks do (their reads, their writes, and that they
//! pass on what was passed to them, as for `zne`) leaves an execution, with coherent words and no stronger
//! orderings; locks order by read-modify-writes at all; races are errors. *Watched*: by the machine, but for
//! what is wrong in the end, and who looks at the lock's memory.

use super::Hooks;
use crate::explorer::Explorer;
use crate::inspect::accesses;
use crate::report::{End, Failure};
use selvedge_machine::{Again, LeftOutOrders, Machine};

/// Whether it is on is up to the machine: all sections are ordered otherwise.
#[derive(Debug, Default)]
pub(crate) struct LockOrder;

impl<M: Machine> Hooks<M> for LockOrder {
    #[inline(always)]
    fn is_doubtful(x: &Explorer<'_, M>, end: End, found: Option<&Failure>) -> Option<Again> {
        match x.machine.left_out_orders() {
            LeftOutOrders::None => None,
            orders => x.order_matters(orders, end, found).then_some(Again::LockOrder),
        }
    }
}

impl<M: Machine> Explorer<'_, M> {
    #[inline(never)]
    fn order_matters(&self, orders: LeftOutOrders, end: End, found: Option<&Failure>) -> bool {
        let wrong = match end {
            _ if found.is_some() => true,
            _ if orders == LeftOutOrders::OfAtomicSections => false,
            End::Error => true,
            End::Cut => !self.has_order_of_sections(),
            End::Blocked => self.execution(end, found, None).stuck().is_some(),
            End::Complete => false,
        };
        // Once is enough, where all threads have run.
        wrong || self.looks_at_locks() || self.stats.executions() == 0 && self.machine.orders_all_the_same()
    }

    /// Whether a lock's memory is accessed by anything but functions for locks.
    fn looks_at_locks(&self) -> bool {
        let (machine, g) = (self.machine, &self.graph);
        let mut locks = (0..).map_while(|number| machine.unordered_lock(number));
        locks.any(|loc| {
            loc.index() < g.locations()
                && accesses(g, loc)
                    .any(|e| !self.threads.state_of(e).is_some_and(|state| machine.uses_as_lock(state)))
        })
    }
}
