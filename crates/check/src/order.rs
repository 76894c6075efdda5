//! The order in which an execution is told.

use selvedge_explore::Execution;
use selvedge_graph::{EventId, ExecutionGraph, Kind, Tid};
use selvedge_machine::Machine;
use selvedge_vm::VmMachine;

/// The events in an order that is an interleaving, if there is one; else in one that respects program order
/// and reads-from. Atomic sections stay together: one begins when nothing is left that it has to wait for.
pub fn explaining_order<M: Machine>(machine: &M, x: &Execution<'_, M>) -> (Vec<EventId>, bool) {
    let g = x.graph;
    let inside =
        |e: EventId| machine.has_sections() && x.state_of(e).is_some_and(|state| machine.in_section(state));
    // What begins a section takes a lock that stands for all of them, and is not inside yet.
    let begins = |e: EventId| {
        let taken = g.rmw_write_of(e).filter(|_| machine.has_sections() && !inside(e));
        taken.and_then(|w| g.po_succ(w)).is_some_and(inside)
    };
    let is_first = |e: EventId| {
        let follows = |p: EventId| inside(p) || g.rmw_read_of(p).is_some_and(begins);
        begins(e) || inside(e) && !g.po_pred(e).is_some_and(follows)
    };
    let one = |g: &ExecutionGraph, e: EventId| {
        let mut before = causes(g, e);
        let ev = g.event(e);
        if ev.kind == Kind::Write
            && let Some(pos) = g.co_pos(e)
        {
            let previous = g.co(ev.loc)[pos - 1];
            before.push(previous);
            before.extend(g.readers(previous, ev.loc).filter(|&r| r != e));
        }
        before
    };
    let all = |g: &ExecutionGraph, e: EventId| {
        if !is_first(e) {
            return one(g, e);
        }
        let thread = g.thread(g.event(e).tid);
        let rest = &thread[g.event(e).idx as usize - 1..];
        let taking = if begins(e) { 2 } else { 0 };
        let ends = rest.iter().skip(taking).position(|&x| !inside(x)).map(|more| taking + more);
        let section = &rest[..ends.unwrap_or(rest.len())];
        let before = section.iter().flat_map(|&x| one(g, x));
        before.filter(|x| !section.contains(x)).collect()
    };
    match sorted(g, all) {
        Some(order) => (order, true),
        None => (sorted(g, causes).unwrap_or_else(|| g.order()[1..].to_vec()), false),
    }
}

fn causes(g: &ExecutionGraph, e: EventId) -> Vec<EventId> {
    let ev = g.event(e);
    let mut before: Vec<EventId> = g.po_pred(e).into_iter().collect();
    before.extend(g.rf(e));
    match ev.kind {
        Kind::Join => before.extend(g.thread(ev.peer).last()),
        Kind::Depart => before.extend(g.round(e)),
        _ if ev.idx == 1 => before.extend(g.spawn_of(ev.tid)),
        _ => {}
    }
    before
}

/// A topological order that stays in a thread as long as it can; `None` if there is a cycle.
fn sorted(
    g: &ExecutionGraph,
    before: impl Fn(&ExecutionGraph, EventId) -> Vec<EventId>,
) -> Option<Vec<EventId>> {
    let mut next = vec![0usize; g.threads()];
    let mut done = vec![false; g.arena_len()];
    done[EventId::INIT.index()] = true;
    let mut order = Vec::with_capacity(g.len());
    let mut current = 0;
    while order.len() < g.len() {
        let threads = (0..g.threads()).map(|i| (current + i) % g.threads());
        let ready = threads.into_iter().find_map(|t| {
            let &e = g.thread(Tid(t as u16)).get(next[t])?;
            before(g, e).iter().all(|x| done[x.index()]).then_some((t, e))
        });
        let (t, e) = ready?;
        next[t] += 1;
        done[e.index()] = true;
        order.push(e);
        current = t;
    }
    Some(order)
}

/// What the program prints in an execution, in the order of the steps that explain it.
pub fn printed(x: &Execution<'_, VmMachine>) -> String {
    let g = x.graph;
    let mut texts: Vec<Vec<(u32, &[u8])>> = (0..g.threads() as u16)
        .map(|t| x.state(Tid(t)).map_or(Vec::new(), |s| s.printed().collect()))
        .collect();
    let mut out = Vec::new();
    let mut print = |t: Tid, before: u32| {
        let due = texts[t.index()].iter().take_while(|(after, _)| *after <= before).count();
        texts[t.index()].drain(..due).for_each(|(_, text)| out.extend_from_slice(text));
    };
    for e in explaining_order(x.machine(), x).0 {
        // What a thread prints on the way to an operation comes before it, and all that it prints before
        // it is joined.
        let ev = g.event(e);
        print(ev.tid, ev.idx);
        if ev.kind == Kind::Join {
            print(ev.peer, u32::MAX);
        }
    }
    (0..g.threads() as u16).for_each(|t| print(Tid(t), u32::MAX));
    String::from_utf8_lossy(&out).into_owned()
}
