//! Whatever is done to a graph, undoing restores it.

use selvedge_graph::{Attrs, Event, EventId, ExecutionGraph, Kind, Loc, Mode, Tid};

/// Everything that can be seen of a graph.
fn describe(g: &ExecutionGraph) -> String {
    let mut out = String::new();
    for t in (0..g.threads() as u16).map(Tid) {
        for &e in g.thread(t) {
            let ev = g.event(e);
            out += &format!(
                "{e:?} {:?} {:?} {} stamp {} attrs {:b} rf {:?} co {:?} spawned by {:?}\n",
                ev.kind,
                ev.loc,
                ev.value,
                ev.stamp,
                ev.attrs.0,
                g.rf(e),
                g.co_pos(e),
                g.spawn_of(t),
            );
            out += &format!("  meets {:?}\n", g.round(e));
        }
    }
    for l in (0..g.locations() as u32).map(Loc) {
        out += &format!("{l:?} {:?}\n", g.co(l));
        for &w in g.co(l) {
            let mut readers: Vec<EventId> = g.readers(w, l).collect();
            readers.sort();
            out += &format!("  {w:?} read by {readers:?}\n");
        }
        for t in (0..g.threads() as u16).map(Tid) {
            out += &format!("  last of {t:?}: {:?}\n", g.last_access(l, t, u32::MAX));
        }
    }
    out + &format!("{:?} sc {}", g.order(), g.count_of(Attrs::SC))
}

const X: Loc = Loc(0);
const Y: Loc = Loc(1);

fn read(g: &mut ExecutionGraph, t: u16, loc: Loc, from: EventId) -> EventId {
    let r = g.add_read(Tid(t), Mode::Sc, loc);
    g.read_from(r, from, Mode::Sc, Attrs::of(Kind::Read, Mode::Sc, false));
    r
}

fn write(g: &mut ExecutionGraph, t: u16, loc: Loc, value: i64, pos: usize) -> EventId {
    let w = g.add_write(Tid(t), Mode::Rlx, loc, value, false);
    g.place(w, pos);
    w
}

fn graph() -> ExecutionGraph {
    let mut g = ExecutionGraph::new(4, &[0, 0], 1);
    g.count(Attrs::SC);
    g
}

/// The events from `r` on but `w` and those to keep.
fn lost(g: &ExecutionGraph, r: EventId, w: EventId, keep: impl Fn(&Event) -> bool) -> Vec<EventId> {
    let since = &g.order()[g.event(r).stamp as usize..];
    since.iter().copied().filter(|&e| e == r || (e != w && !keep(g.event(e)))).collect()
}

#[test]
fn additions_are_undone_in_any_amount() {
    let mut g = graph();
    let mut history = Vec::new();
    let mut note = |g: &ExecutionGraph| history.push((g.mark(), describe(g)));
    note(&g);
    let w = write(&mut g, 0, X, 1, 1);
    note(&g);
    read(&mut g, 1, X, EventId::INIT);
    note(&g);
    write(&mut g, 1, X, 2, 1);
    note(&g);
    g.add_spawn(Tid(1), Tid(2));
    read(&mut g, 2, X, w);
    note(&g);
    g.add_fence(Tid(2), Mode::Sc);
    g.add_join(Tid(1), Tid(2));
    for (mark, before) in history.into_iter().rev() {
        g.undo_to(mark);
        assert_eq!(describe(&g), before);
    }
}

#[test]
fn a_revisit_keeps_the_prefix_and_is_undone() {
    let mut g = graph();
    // P0: Wx1   P1: Rx0; Wy1   P2: Ry1   P3: Wx2 (reads nothing): revisits the read of P1.
    write(&mut g, 0, X, 1, 1);
    let r = read(&mut g, 1, X, EventId::INIT);
    let wy = write(&mut g, 1, Y, 1, 1);
    let ry = read(&mut g, 2, Y, wy);
    let before_write = g.mark();
    let w = g.add_write(Tid(3), Mode::Rlx, X, 2, false);
    let (mark, before) = (g.mark(), describe(&g));

    let gone = lost(&g, r, w, |_| false);
    let fresh = g.revisit(r, w, &gone);
    assert_ne!(fresh, r);
    assert_eq!(g.thread(Tid(1)), &[fresh]);
    assert!(g.thread(Tid(2)).is_empty(), "what read from a deleted write is deleted");
    assert_eq!(g.co(Y), &[EventId::INIT]);
    assert_eq!(g.rf(fresh), None);
    assert_eq!(g.event(fresh).stamp + 1, g.event(w).stamp, "kept events keep their order, w is last");
    g.place(w, 2);
    g.read_from(fresh, w, Mode::Sc, Attrs::of(Kind::Read, Mode::Sc, false));
    assert_eq!(g.event(fresh).value, 2);
    // The thread goes on differently, and another revisit nests inside of the first.
    let second = g.mark();
    let nested = describe(&g);
    let ry2 = read(&mut g, 2, Y, EventId::INIT);
    let wy2 = g.add_write(Tid(1), Mode::Rlx, Y, 7, false);
    let gone = lost(&g, ry2, wy2, |ev| ev.tid == Tid(1) || ev.tid == Tid(3));
    let fresh2 = g.revisit(ry2, wy2, &gone);
    g.place(wy2, 1);
    g.read_from(fresh2, wy2, Mode::Sc, Attrs::of(Kind::Read, Mode::Sc, false));
    assert_eq!(g.order().last(), Some(&wy2));
    g.undo_to(second);
    assert_eq!(describe(&g), nested);

    g.undo_to(mark);
    assert_eq!(describe(&g), before);
    assert_eq!(g.thread(Tid(2)), &[ry]);
    g.undo_to(before_write);
    assert!(g.thread(Tid(3)).is_empty());
}

#[test]
fn events_in_the_prefix_of_the_revisiting_write_stay() {
    let mut g = graph();
    // P0: Rx0   P1: Wy1   P2: Ry1; Wx1 revisits Rx: Wy1 and Ry1 were added later but are its cause.
    let r = read(&mut g, 0, X, EventId::INIT);
    let wy = write(&mut g, 1, Y, 1, 1);
    let ry = read(&mut g, 2, Y, wy);
    let w = g.add_write(Tid(2), Mode::Rlx, X, 1, false);
    let gone = lost(&g, r, w, |ev| matches!(ev.tid, Tid(1) | Tid(2)));
    let fresh = g.revisit(r, w, &gone);
    assert_eq!(g.order(), &[EventId::INIT, fresh, wy, ry, w]);
    assert_eq!(g.co(Y), &[EventId::INIT, wy]);
}

#[test]
fn coherence_can_be_reordered_and_restored() {
    let mut g = graph();
    let a = write(&mut g, 0, X, 1, 1);
    let b = write(&mut g, 1, X, 2, 2);
    let (mark, before) = (g.mark(), describe(&g));
    g.reorder(X, &[EventId::INIT, b, a]);
    assert_eq!((g.co_pos(a), g.co_pos(b)), (Some(2), Some(1)));
    g.undo_to(mark);
    assert_eq!(describe(&g), before);
}

#[test]
fn a_restriction_has_the_kept_events_only() {
    let mut g = graph();
    let a = write(&mut g, 0, X, 1, 1);
    let b = write(&mut g, 1, X, 2, 2);
    read(&mut g, 2, X, b);
    let small = g.restricted(|e| e == a);
    assert_eq!(small.co(X), &[EventId::INIT, a]);
    assert_eq!(small.len(), 1);
    assert_eq!(g.len(), 3);
}

#[test]
fn rounds_of_a_barrier_lose_and_regain_arrivals() {
    let mut g = graph();
    // P0: arrives   P1: Rx0; arrives   P2: arrives; all go on, but the last to arrive, P3, writes x instead.
    let first = g.add_arrive(Tid(0), 5, 3);
    let r = read(&mut g, 1, X, EventId::INIT);
    let second = g.add_arrive(Tid(1), 5, 3);
    assert_eq!(g.round(first), &[first, second]);
    let (two, two_arrived) = (g.mark(), describe(&g));
    let third = g.add_arrive(Tid(2), 5, 3);
    let departure = g.add_depart(Tid(0));
    assert_eq!(g.round(departure), &[first, second, third]);
    let again = g.add_arrive(Tid(0), 5, 3);
    assert_eq!((g.round(again), g.round_before(again)), (&[again][..], Some(&[first, second, third][..])));
    assert_eq!(g.round_before(first), None);
    let w = g.add_write(Tid(3), Mode::Rlx, X, 1, false);
    let (mark, before) = (g.mark(), describe(&g));

    let gone = lost(&g, r, w, |ev| ev.tid == Tid(2));
    g.revisit(r, w, &gone);
    assert_eq!(g.round(first), &[first, third], "kept arrivals stay, and are not complete");
    assert_eq!(g.thread(Tid(0)), &[first]);
    let new = g.add_arrive(Tid(1), 5, 3);
    assert_eq!(g.round(third), &[first, new, third]);
    g.undo_to(mark);
    assert_eq!(describe(&g), before);
    g.undo_to(two);
    assert_eq!(describe(&g), two_arrived);
}

#[test]
fn what_a_prefix_does_not_have_is_the_end_of_each_thread() {
    let mut g = graph();
    let early = read(&mut g, 3, Y, EventId::INIT);
    let r = read(&mut g, 1, X, EventId::INIT);
    let kept = write(&mut g, 0, Y, 1, 1);
    let late = write(&mut g, 0, Y, 2, 2);
    let other = read(&mut g, 2, Y, late);
    let next = read(&mut g, 1, Y, kept);
    let w = g.add_write(Tid(3), Mode::Rlx, X, 2, false);
    let (mark, before) = (g.mark(), describe(&g));
    let mut beyond = Vec::new();
    // The prefix of `w`, if that knows of `kept`.
    g.beyond(r, &[1, 0, 0, 2], &mut beyond);
    assert_eq!(beyond, [r, late, other, next]);
    g.revisit(r, w, &beyond);
    assert_eq!(g.order()[1], early);
    assert_eq!(g.order()[3..], [kept, w]);
    assert_eq!([early, kept, w].map(|e| g.event(e).stamp), [1, 3, 4]);
    g.undo_to(mark);
    assert_eq!(describe(&g), before);
    // What was added before `r` stays, also where the prefix does not have it.
    g.beyond(next, &[0, 0, 0, 2], &mut beyond);
    assert_eq!(beyond, [next]);
}
