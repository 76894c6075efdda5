//! The events that a cycle through an event can pass.
//!
//! Every step that a constraint of a model asks about goes along `po | tc | tj | rf | mo | fr`, so a closed
//! walk through an event passes only events that it leads to along these steps, and that lead back to it. In
//! every thread those are a stretch: whatever is reached, the rest of its thread is reached, and whatever
//! leads to the event, the events before it in its thread lead to it. Most often they are few; constraints
//! that need an event of a kind that is not among them hold, and searches need not look further.

use crate::interleaving::{Reached, reach_all};
use crate::letter::tj_source;
use selvedge_graph::{Attrs, Event, EventId, ExecutionGraph, Kind, Tid};

/// By thread, the positions of the first and the last of these events.
#[derive(Clone, Debug, Default)]
pub struct Component {
    stretches: Vec<(u32, u32)>,
    open: Vec<(Tid, u32, u32)>,
}

impl Component {
    /// Everything, where nothing is known.
    pub fn all(&mut self, g: &ExecutionGraph) {
        self.stretches.clear();
        self.stretches.resize(g.threads(), (1, u32::MAX));
    }

    /// Finds them for `e`.
    pub fn find(&mut self, g: &ExecutionGraph, e: EventId, reached: &mut Reached) {
        let from = reach_all(g, e, reached);
        self.stretches.clear();
        self.stretches.extend(from.iter().map(|&from| (from, 0)));
        self.open.clear();
        self.leads_back(g.event(e));
        while let Some((t, first, last)) = self.open.pop() {
            for &x in &g.thread(t)[first as usize - 1..last as usize] {
                self.enter(g, x);
            }
        }
    }

    /// Whether an event, which is not the initialising one, is among them.
    #[inline]
    pub fn has(&self, ev: &Event) -> bool {
        let (first, last) = self.stretches[ev.tid.index()];
        first <= ev.idx && ev.idx <= last
    }

    /// Those of a thread from this position on.
    #[inline]
    pub fn rest<'g>(&self, g: &'g ExecutionGraph, t: Tid, from: u32) -> &'g [EventId] {
        let (thread, (first, last)) = (g.thread(t), self.stretches[t.index()]);
        let end = thread.len().min(last as usize);
        thread.get(first.max(from) as usize - 1..end).unwrap_or_default()
    }

    /// All of them.
    pub fn events<'g>(&'g self, g: &'g ExecutionGraph) -> impl Iterator<Item = EventId> + 'g {
        let threads = (0..g.threads() as u16).map(Tid);
        threads.flat_map(move |t| self.rest(g, t, 1)).copied()
    }

    /// Whether one of them has this attribute.
    pub fn has_attribute(&self, g: &ExecutionGraph, attr: Attrs) -> bool {
        self.events(g).any(|x| g.event(x).attrs.has(attr))
    }

    /// An event leads back, and with it those before it in its thread. What is not reached is of no interest.
    #[inline]
    fn leads_back(&mut self, ev: &Event) {
        let (first, last) = &mut self.stretches[ev.tid.index()];
        if ev.idx >= *first && ev.idx > *last {
            self.open.push((ev.tid, (*last + 1).max(*first), ev.idx));
            *last = ev.idx;
        }
    }

    /// Takes all steps that lead to `x`, but those within its thread.
    fn enter(&mut self, g: &ExecutionGraph, x: EventId) {
        let ev = g.event(x);
        if ev.idx == 1
            && let Some(spawn) = g.spawn_of(ev.tid)
        {
            self.leads_back(g.event(spawn));
        }
        match ev.kind {
            Kind::Read => {
                if let Some(w) = g.rf(x).filter(|w| !w.is_init()) {
                    self.leads_back(g.event(w));
                }
            }
            Kind::Write => {
                let Some(&before) = g.co_pos(x).and_then(|pos| g.co(ev.loc).get(pos.wrapping_sub(1))) else {
                    return;
                };
                if !before.is_init() {
                    self.leads_back(g.event(before));
                }
                g.readers(before, ev.loc).for_each(|r| self.leads_back(g.event(r)));
            }
            Kind::Join => {
                if let Some(last) = tj_source(g, x) {
                    self.leads_back(g.event(last));
                }
            }
            Kind::Depart => g.round(x).iter().for_each(|&arrival| self.leads_back(g.event(arrival))),
            _ => {}
        }
    }
}
