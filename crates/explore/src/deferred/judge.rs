//! What a model is shown of an execution in the making: the events of which all is known but, for some
//! reads, their source.

use super::partial::{Ev, INIT, Partial, Source};
use selvedge_graph::{Attrs, Kind, Mode};
use selvedge_machine::Op;
use selvedge_model::relational::Candidate;

/// Events that are only assumed, with their relations, to find out whether the model would allow them.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    /// Writes at the end of a thread.
    pub writes: Vec<AssumedWrite>,
    /// Sources: a write, by its number in the candidate, and a read.
    pub rf: Vec<(usize, Ev)>,
}

/// A write that a thread has not come to yet, or one that it creates, because of reads that have no source.
#[derive(Clone, Debug)]
pub struct AssumedWrite {
    pub thread: usize,
    pub by: By,
    /// It depends on these by control.
    pub ctrl: Vec<Ev>,
    /// Or it comes after an access whose address depends on these.
    pub addr: Vec<Ev>,
    /// What kind of an access that is.
    pub access: Attrs,
    /// What kind of a write it is, if that is known.
    pub attrs: Option<Attrs>,
}

/// Who makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// The thread itself.
    Itself,
    /// One that it creates, or that such a one creates.
    Created {
        /// How many threads are created does not make a difference: it may stand right behind.
        told: bool,
    },
}

/// The number in the candidate of each event; `None` for those that are left out.
pub fn numbers<S: Clone>(p: &Partial<S>, with_open: bool) -> Vec<Option<usize>> {
    let mut next = 1;
    let shown = |e: Ev| {
        let h = p.at(e);
        let told = match h.kind() {
            Kind::Read => with_open || (h.loc.is_some() && h.source != Source::Undecided),
            Kind::Write => h.loc.is_some() || with_open,
            _ => true,
        };
        told && (with_open || p.mode_and_attrs(e).is_some())
    };
    let mut numbers = vec![Some(0)];
    for e in p.events() {
        numbers.push(shown(e).then(|| {
            next += 1;
            next - 1
        }));
    }
    numbers
}

pub fn show<S: Clone>(p: &Partial<S>, numbers: &[Option<usize>], assumed: &Assumed, c: &mut Candidate) {
    let known = numbers.iter().flatten().count();
    let n = known + 2 * assumed.writes.len();
    c.begin(n);
    c.vague[known..].fill(true);
    threads(p, numbers, c);
    memory(p, numbers, c);
    for (at, write) in assumed.writes.iter().enumerate() {
        // An access, and the write after it. As little is said of them as can be said of events.
        let (x, y) = (known + 2 * at, known + 2 * at + 1);
        c.attrs[y] = write.attrs.unwrap_or(Attrs::W);
        c.vague[y] = write.attrs.is_none();
        if let By::Created { told } = write.by {
            created(p, numbers, c, write.thread, (x, y), told);
            continue;
        }
        c.attrs[x] = write.access;
        let events = p.lines[write.thread].events.iter().filter_map(|&e| numbers[e]);
        let line: Vec<usize> = events.chain([x, y]).collect();
        for (i, &a) in line.iter().enumerate() {
            for &b in &line[i..] {
                c.int.set(a, b);
                c.int.set(b, a);
                if a != b {
                    c.po.set(a, b);
                }
            }
        }
        for r in write.ctrl.iter().filter_map(|&e| numbers[e]) {
            c.ctrl.set(r, y);
            c.arm.set(r, y);
        }
        write.addr.iter().filter_map(|&e| numbers[e]).for_each(|r| c.addr.set(r, x));
    }
    for &(w, r) in &assumed.rf {
        let Some(y) = numbers[r] else { continue };
        c.rf.set(w, y);
        // So it is a write of the same location.
        let same = |&e: &Ev| p.at(e).loc == p.at(r).loc;
        let others = assumed.rf.iter().filter(|(_, r)| same(r)).map(|(w, _)| *w);
        for x in p.events().filter(same).filter_map(|e| numbers[e]).chain(others).chain([INIT]) {
            c.loc.set(w, x);
            c.loc.set(x, w);
        }
    }
}

/// A write `y` of a thread that the last event `x` of its creator creates, if that may be `told`.
fn created<S: Clone>(
    p: &Partial<S>,
    numbers: &[Option<usize>],
    c: &mut Candidate,
    creator: usize,
    (x, y): (usize, usize),
    told: bool,
) {
    c.int.set(x, x);
    c.int.set(y, y);
    if !told {
        return;
    }
    c.attrs[x] = Attrs::of(Kind::Spawn, Mode::Na, false);
    for before in p.lines[creator].events.iter().filter_map(|&e| numbers[e]) {
        c.po.set(before, x);
        c.int.set(before, x);
        c.int.set(x, before);
    }
    c.tc.set(x, y);
}

/// Program order, dependencies, creation and end of threads.
fn threads<S: Clone>(p: &Partial<S>, numbers: &[Option<usize>], c: &mut Candidate) {
    for line in &p.lines {
        for (at, &e) in line.events.iter().enumerate() {
            let Some(y) = numbers[e] else { continue };
            let h = p.at(e);
            let known = p.mode_and_attrs(e);
            c.vague[y] = known.is_none();
            c.attrs[y] = known.map_or_else(|| h.surely(), |(_, attrs)| attrs);
            c.int.set(y, y);
            for x in line.events[..at].iter().filter_map(|&e| numbers[e]) {
                c.po.set(x, y);
                c.int.set(x, y);
                c.int.set(y, x);
            }
            let before = if at == 0 { INIT } else { line.events[at - 1] };
            if let Some(x) = numbers[before] {
                c.po_imm.set(x, y);
            }
            let deps = &h.standing.deps;
            for (of, matrix) in [
                (&deps.addr, &mut c.addr),
                (&deps.data, &mut c.data),
                (&deps.ctrl, &mut c.ctrl),
                (&deps.arm, &mut c.arm),
                (&deps.cas, &mut c.casdep),
                (&deps.publishes, &mut c.publishes),
            ] {
                let reads = of.iter().filter_map(|i| numbers[line.events[i as usize - 1]]);
                reads.for_each(|x| matrix.set(x, y));
            }
            match h.standing.op {
                Op::Spawn { thread } => {
                    if let Some(first) = p.lines[thread.index()].events.first().and_then(|&e| numbers[e]) {
                        c.tc.set(y, first);
                    }
                }
                Op::Join { thread } => {
                    let creates = |&x: &Ev| p.at(x).standing.op == Op::Spawn { thread };
                    let last = p.lines[thread.index()].events.last().copied();
                    let from = last.or_else(|| p.events().find(creates)).and_then(|e| numbers[e]);
                    if let Some(from) = from {
                        c.tj.set(from, y);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Locations, sources, coherence.
fn memory<S: Clone>(p: &Partial<S>, numbers: &[Option<usize>], c: &mut Candidate) {
    for e in p.events() {
        let (Some(x), Some(loc)) = (numbers[e], p.at(e).loc) else { continue };
        c.loc.set(INIT, x);
        c.loc.set(x, INIT);
        for f in p.events().filter(|&f| p.at(f).loc == Some(loc)) {
            if let Some(y) = numbers[f] {
                c.loc.set(x, y);
            }
        }
        if let Some(r) = p.rmw_read(e).and_then(|r| numbers[r]) {
            c.rmw.set(r, x);
        }
        let co = &p.co[loc.index()];
        let later =
            |after: Option<usize>| co[after.map_or(0, |at| at + 1)..].iter().filter_map(|&w| numbers[w]);
        if p.at(e).is_write() && p.at(e).placed {
            c.co.set(INIT, x);
            later(co.iter().position(|&w| w == e)).for_each(|y| c.co.set(x, y));
        }
        if let Source::From(w) = p.at(e).source {
            if let Some(y) = numbers[w] {
                c.rf.set(y, x);
            }
            let place = co.iter().position(|&v| v == w);
            if w == INIT || place.is_some() {
                later(place).for_each(|y| c.fr.set(x, y));
            }
        }
    }
}
