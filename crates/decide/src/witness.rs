//! From a walk to executions that contain it.
//!
//! A walk says something of the events on it and of neighbours; the rest of an execution is filled
//! in: threads and locations that nothing says to be the same are different, partners of
//! read-modify-writes and fences that assumptions ask for are inserted, sources of reads and orders
//! of writes are tried until one satisfies the judge.

use crate::class::Classes;
use crate::context::Context;
use crate::fact::Facts;
use crate::search::Walk;
use crate::term::Term;
use selvedge_certify::execution::{Event, INIT, NO_LOC, Relations};
use selvedge_certify::matrix::{MAX_EVENTS, Matrix, bits};
use selvedge_graph::Kind;

/// An execution.
#[derive(Clone, Debug)]
pub struct Example {
    /// The initialising event, then thread by thread in program order.
    pub events: Vec<Event>,
    pub relations: Relations,
    /// The events of the walk, by their place on it.
    pub walk: Vec<usize>,
}

/// Candidates to try for one walk.
const MAX_CANDIDATES: usize = 40_000;

/// An event in the making.
#[derive(Clone, Debug)]
struct Draft {
    event: Event,
    /// Number of its thread and location; classes of a union-find.
    thread: usize,
    loc: usize,
    declared: u32,
}

#[derive(Clone, Debug, Default)]
struct Sketch {
    drafts: Vec<Draft>,
    /// Pairs in program order.
    po: Vec<(usize, usize)>,
    /// Pairs that are next to each other in program order.
    next: Vec<(usize, usize)>,
    rf: Vec<(usize, usize)>,
    co: Vec<(usize, usize)>,
    fr: Vec<(usize, usize)>,
    /// Pairs with dependencies.
    deps: Vec<(usize, usize, Facts)>,
    /// Other facts of pairs, of declared relations.
    declared: Vec<(usize, usize, Facts)>,
    walk: Vec<usize>,
}

struct Partition(Vec<usize>);

impl Partition {
    fn root(&mut self, mut x: usize) -> usize {
        while self.0[x] != x {
            x = self.0[x];
        }
        x
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high] = low;
    }
}

/// Looks for an execution with this walk that the judge accepts.
pub fn example(
    walk: &Walk,
    context: &Context,
    judge: &mut dyn FnMut(&[Event], &Relations) -> bool,
) -> Option<Example> {
    let sketch = sketch(walk, &context.classes)?;
    let mut sketches = vec![sketch];
    // What assumptions ask for, one after the other.
    for _ in 0..MAX_EVENTS {
        let mut repaired = Vec::new();
        for s in &sketches {
            if let Some(found) = complete(s, context, judge) {
                return Some(found);
            }
            repaired.extend(repair(s, context));
        }
        if repaired.is_empty() {
            break;
        }
        repaired.truncate(8);
        sketches = repaired;
    }
    None
}

fn sketch(walk: &Walk, classes: &Classes) -> Option<Sketch> {
    let count = walk.events.len() - usize::from(walk.closed && !walk.facts.is_empty());
    let mut s = Sketch::default();
    let mut at = Vec::new();
    for mask in &walk.events[..count] {
        let atom = classes.member(*mask)?;
        if atom.kind == Kind::Init {
            // There is one: number 0 of the final execution, stood for by usize::MAX here.
            at.push(usize::MAX);
            continue;
        }
        let event = Event { rmw: atom.rmw, ..Event::new(atom.kind, atom.mode) };
        at.push(s.drafts.len());
        let number = s.drafts.len();
        s.drafts.push(Draft { event, thread: number, loc: number, declared: atom.declared });
    }
    let n = s.drafts.len();
    let (mut threads, mut locs) = (Partition((0..n).collect()), Partition((0..n).collect()));
    let mut apart = (Vec::new(), Vec::new());
    for (i, f) in walk.facts.iter().enumerate() {
        let (a, b) = (at[i % count], at[(i + 1) % count]);
        if a == usize::MAX || b == usize::MAX {
            for (x, y, f) in [(a, b, *f), (b, a, f.inverse())] {
                if x == usize::MAX && f.meets(Facts::RF) {
                    s.rf.push((usize::MAX, y));
                }
                if f.is_declared() {
                    s.declared.push((x, y, f));
                }
            }
            continue;
        }
        for (x, y, f) in [(a, b, *f), (b, a, f.inverse())] {
            for (fact, list) in [
                (Facts::PO, &mut s.po),
                (Facts::RF, &mut s.rf),
                (Facts::CO, &mut s.co),
                (Facts::FR, &mut s.fr),
            ] {
                if f.meets(fact) {
                    list.push((x, y));
                }
            }
            if f.meets(Facts::PO_IMM) {
                s.next.push((x, y));
            }
            if f.is_declared() {
                s.declared.push((x, y, f));
            }
            if f.meets(Facts::ADDR.and(Facts::DATA).and(Facts::CTRL).and(Facts::ARM)) {
                s.deps.push((x, y, f));
            }
            if f.meets(Facts::CASDEP.and(Facts::PUBLISHES).and(Facts::TC).and(Facts::TJ)) {
                return None;
            }
        }
        if f.meets(Facts::INT) {
            threads.join(a, b);
        }
        if f.meets(Facts::EXT) {
            apart.0.push((a, b));
        }
        if f.meets(Facts::LOC) {
            locs.join(a, b);
        }
        if f.meets(Facts::NOT_LOC) {
            apart.1.push((a, b));
        }
    }
    // What the walk knows of its anchor.
    let of_anchor = |set: crate::class::Mask| -> Vec<usize> {
        (0..count).filter(|i| walk.events[*i] & set != 0).map(|i| at[i]).collect()
    };
    let anchored = of_anchor(classes.same_loc);
    for pair in anchored.windows(2) {
        locs.join(pair[0], pair[1]);
    }
    let mine = of_anchor(classes.same_thread);
    for pair in mine.windows(2) {
        threads.join(pair[0], pair[1]);
    }
    let broken = apart.0.iter().any(|(a, b)| threads.root(*a) == threads.root(*b))
        || apart.1.iter().any(|(a, b)| {
            let access = |x: usize| matches!(s.drafts[x].event.kind, Kind::Read | Kind::Write);
            locs.root(*a) == locs.root(*b) && access(*a) && access(*b)
        });
    if broken {
        return None;
    }
    for x in 0..n {
        s.drafts[x].thread = threads.root(x);
        s.drafts[x].loc = locs.root(x);
    }
    s.walk = at;
    partners(&mut s);
    Some(s)
}

/// Halves of read-modify-writes whose other half is not on the walk.
fn partners(s: &mut Sketch) {
    for x in 0..s.drafts.len() {
        let Draft { event, thread, loc, declared } = s.drafts[x].clone();
        if !event.rmw || s.next.iter().any(|(a, b)| *a == x || *b == x) {
            continue;
        }
        let other = s.drafts.len();
        let kind = if event.kind == Kind::Read { Kind::Write } else { Kind::Read };
        s.drafts.push(Draft { event: Event { kind, ..event }, thread, loc, declared });
        let (read, write) = if kind == Kind::Read { (other, x) } else { (x, other) };
        s.po.push((read, write));
        s.next.push((read, write));
    }
}

/// The drafts of each thread in an order that respects `po`; `None` if there is none.
fn ordered(s: &Sketch) -> Option<Vec<Vec<usize>>> {
    let mut threads: Vec<usize> = s.drafts.iter().map(|d| d.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    let mut out = Vec::new();
    for t in threads {
        let mut rest: Vec<usize> = (0..s.drafts.len()).filter(|x| s.drafts[*x].thread == t).collect();
        let mut order: Vec<usize> = Vec::new();
        while !rest.is_empty() {
            let free = |x: usize, rest: &[usize]| !s.po.iter().any(|(a, b)| *b == x && rest.contains(a));
            // What has to come next to the last one comes first.
            let forced = order.last().and_then(|l| s.next.iter().find(|(a, _)| a == l)).map(|(_, b)| *b);
            let pick = match forced {
                Some(b) if rest.contains(&b) => free(b, &rest).then_some(b)?,
                _ => *rest
                    .iter()
                    .find(|x| free(**x, &rest) && !s.next.iter().any(|(a, b)| b == *x && rest.contains(a)))?,
            };
            rest.retain(|x| *x != pick);
            order.push(pick);
        }
        out.push(order);
    }
    Some(out)
}

/// An execution without `rf` and `co`: the events, and where each draft went.
fn lay_out(s: &Sketch) -> Option<(Vec<Event>, Vec<usize>)> {
    let mut events = vec![Event::init()];
    let mut place = vec![INIT; s.drafts.len()];
    let mut locs: Vec<usize> = Vec::new();
    for (tid, order) in ordered(s)?.iter().enumerate() {
        for (idx, x) in order.iter().enumerate() {
            let d = &s.drafts[*x];
            let access = matches!(d.event.kind, Kind::Read | Kind::Write);
            let loc = if access {
                let at = locs.iter().position(|l| *l == d.loc).unwrap_or_else(|| {
                    locs.push(d.loc);
                    locs.len() - 1
                });
                at as u32
            } else {
                NO_LOC
            };
            place[*x] = events.len();
            events.push(Event { tid: tid as u16, idx: idx as u32 + 1, loc, ..d.event });
        }
    }
    depend(s, &place, &mut events);
    (events.len() <= MAX_EVENTS).then_some((events, place))
}

/// Puts in dependencies. That of a branch counts for all that follows.
fn depend(s: &Sketch, place: &[usize], events: &mut [Event]) {
    for (x, y, f) in &s.deps {
        let bit = 1 << events[place[*x]].idx;
        let (tid, from) = (events[place[*y]].tid, place[*y]);
        let deps = &mut events[from].deps;
        for (fact, set) in
            [(Facts::ADDR, &mut deps.addr), (Facts::DATA, &mut deps.data), (Facts::ARM, &mut deps.arm)]
        {
            if f.meets(fact) {
                *set |= bit;
            }
        }
        if f.meets(Facts::CTRL) {
            events[from..].iter_mut().filter(|e| e.tid == tid).for_each(|e| e.deps.ctrl |= bit);
        }
    }
}

fn complete(
    s: &Sketch,
    context: &Context,
    judge: &mut dyn FnMut(&[Event], &Relations) -> bool,
) -> Option<Example> {
    let (events, place) = lay_out(s)?;
    let mut budget = MAX_CANDIDATES;
    let mut found = None;
    completions(s, &events, &place, &mut budget, &mut |mut r| {
        declare(s, &place, context, &mut r);
        if judge(&events, &r) {
            found = Some(r);
            return true;
        }
        false
    });
    let walk = s.walk.iter().map(|x| place.get(*x).copied().unwrap_or(INIT)).collect();
    found.map(|relations| Example { events, relations, walk })
}

/// What the declared names stand for.
fn declare(s: &Sketch, place: &[usize], context: &Context, r: &mut Relations) {
    for (at, name) in context.relations.iter().enumerate() {
        let mut m = Matrix::EMPTY;
        for (a, b, f) in &s.declared {
            if f.meets(Facts::declared(at)) {
                let at = |x: usize| place.get(x).copied().unwrap_or(INIT);
                m.set(at(*a), at(*b));
            }
        }
        r.declared.push((name.clone(), m));
    }
    for (at, name) in context.classes.declared_names().iter().enumerate() {
        let holds = (0..s.drafts.len()).filter(|x| s.drafts[*x].declared >> at & 1 == 1);
        let set = holds.fold(0, |set, x| set | 1 << place[x]);
        r.declared.push((name.clone(), Matrix::diagonal(set)));
    }
}

/// All choices of `rf` and `co` that agree with the sketch and are well-formed, until `visit` is
/// content.
fn completions(
    s: &Sketch,
    events: &[Event],
    place: &[usize],
    budget: &mut usize,
    visit: &mut dyn FnMut(Relations) -> bool,
) {
    let base = Relations::of(events);
    let fixed = |pairs: &[(usize, usize)]| -> Vec<(usize, usize)> {
        pairs.iter().map(|(a, b)| (place.get(*a).copied().unwrap_or(INIT), place[*b])).collect()
    };
    let plan = Plan { events, base, rf: fixed(&s.rf), co: fixed(&s.co), fr: fixed(&s.fr) };
    plan.each(budget, visit);
}

/// Relations to be completed.
pub struct Plan<'a> {
    pub events: &'a [Event],
    pub base: Relations,
    pub rf: Vec<(usize, usize)>,
    pub co: Vec<(usize, usize)>,
    pub fr: Vec<(usize, usize)>,
}

impl Plan<'_> {
    /// Visits the completions until `visit` returns true or the budget is used up.
    pub fn each(&self, budget: &mut usize, visit: &mut dyn FnMut(Relations) -> bool) {
        let reads: Vec<usize> = (1..self.base.n).filter(|x| self.events[*x].kind == Kind::Read).collect();
        let mut locs: Vec<u32> = self.events.iter().map(|e| e.loc).filter(|l| *l != NO_LOC).collect();
        locs.sort_unstable();
        locs.dedup();
        let mut r = self.base.clone();
        self.orders(&locs, &reads, &mut r, budget, visit);
    }

    fn writes(&self, loc: u32) -> Vec<usize> {
        (1..self.base.n)
            .filter(|x| self.events[*x].kind == Kind::Write && self.events[*x].loc == loc)
            .collect()
    }

    fn orders(
        &self,
        locs: &[u32],
        reads: &[usize],
        r: &mut Relations,
        budget: &mut usize,
        visit: &mut dyn FnMut(Relations) -> bool,
    ) -> bool {
        let Some((loc, rest)) = locs.split_first() else {
            return self.sources(reads, r, budget, visit);
        };
        let mut writes = self.writes(*loc);
        let mut stop = false;
        permute(&mut writes, 0, &mut |order| {
            let before = r.co;
            for (i, a) in order.iter().enumerate() {
                r.co.set(INIT, *a);
                for b in &order[i + 1..] {
                    r.co.set(*a, *b);
                }
            }
            let agrees = self.co.iter().all(|(a, b)| self.events[*b].loc != *loc || r.co.has(*a, *b));
            if agrees && *budget > 0 {
                stop = self.orders(rest, reads, r, budget, visit);
            }
            r.co = before;
            stop || *budget == 0
        });
        stop
    }

    fn sources(
        &self,
        reads: &[usize],
        r: &mut Relations,
        budget: &mut usize,
        visit: &mut dyn FnMut(Relations) -> bool,
    ) -> bool {
        let Some((read, rest)) = reads.split_first() else {
            if *budget == 0 {
                return true;
            }
            *budget -= 1;
            return visit(r.clone());
        };
        let e = &self.events[*read];
        let given: Vec<usize> = self.rf.iter().filter(|(_, b)| b == read).map(|(a, _)| *a).collect();
        let mut sources = vec![INIT];
        sources.extend(self.writes(e.loc));
        for source in sources {
            if given.iter().any(|g| *g != source) {
                continue;
            }
            // A read does not read from a later write of its own thread.
            if r.po.has(*read, source) {
                continue;
            }
            let later = r.co.row(source) & self.writes(e.loc).iter().fold(0, |m, w| m | 1 << w);
            if self.fr.iter().any(|(a, b)| a == read && later >> b & 1 == 0) {
                continue;
            }
            // The write of a read-modify-write comes directly after.
            let partner = bits(r.rmw.row(*read)).next();
            if let Some(w) = partner {
                let first = bits(later).find(|x| r.co.row(*x) & later == later & !(1 << x));
                if first != Some(w) {
                    continue;
                }
            }
            let (rf, fr) = (r.rf, r.fr);
            r.rf.set(source, *read);
            r.fr.set_row(*read, later);
            if self.sources(rest, r, budget, visit) {
                return true;
            }
            (r.rf, r.fr) = (rf, fr);
        }
        false
    }
}

/// All orders of `list[at..]`, until `visit` returns true.
fn permute(list: &mut Vec<usize>, at: usize, visit: &mut dyn FnMut(&[usize]) -> bool) -> bool {
    if at >= list.len() {
        return visit(list);
    }
    for i in at..list.len() {
        list.swap(at, i);
        let stop = permute(list, at + 1, visit);
        list.swap(at, i);
        if stop {
            return true;
        }
    }
    false
}

/// Adds the pairs that assumptions ask for to declared relations, as far as these do not depend on `rf` and
/// `co`.
fn extend(s: &mut Sketch, events: &[Event], place: &[usize], r: &Relations, context: &Context) -> bool {
    let before = s.declared.len();
    for (walks, claim) in &context.claims {
        let Term::Edge(claimed) = claim else { continue };
        if !(0..context.relations.len()).any(|at| *claimed == Facts::declared(at)) {
            continue;
        }
        let missing = evaluate(walks, events, r, context).diff(&step(*claimed, r, context));
        let draft = |e: usize| place.iter().position(|p| *p == e).unwrap_or(usize::MAX);
        for a in 0..events.len() {
            s.declared.extend(bits(missing.row(a)).map(|b| (draft(a), draft(b), *claimed)));
        }
    }
    s.declared.len() > before
}

/// Inserts what the assumptions ask for: pairs of declared relations, and events between events of a thread.
fn repair(s: &Sketch, context: &Context) -> Vec<Sketch> {
    let Some((events, place)) = lay_out(s) else { return vec![] };
    let mut r = Relations::of(&events);
    declare(s, &place, context, &mut r);
    let all = context.all();
    let mut out = s.clone();
    if extend(&mut out, &events, &place, &r, context) {
        return vec![out];
    }
    let mut changed = false;
    for (walks, claim) in &context.claims {
        let Some(words) = crate::saturate::words(claim, all) else { continue };
        let left = evaluate(walks, &events, &r, context);
        let right = evaluate(claim, &events, &r, context);
        let missing = left.diff(&right);
        for a in 0..events.len() {
            for b in bits(missing.row(a)) {
                let Some(word) =
                    words.iter().find(|w| w.steps.len() == 2 && w.steps.iter().all(|(f, _)| *f == Facts::PO))
                else {
                    continue;
                };
                let Some(atom) = context.classes.modest_member(word.steps[0].1) else { continue };
                let find = |e: usize| place.iter().position(|p| *p == e);
                let Some(y) = find(b) else { continue };
                let new = out.drafts.len();
                // Right before the later event, or before the read that belongs to it.
                let y = s.next.iter().find(|(_, w)| *w == y).map_or(y, |(read, _)| *read);
                let thread = out.drafts[y].thread;
                let event = Event { rmw: false, ..Event::new(atom.kind, atom.mode) };
                out.drafts.push(Draft { event, thread, loc: new, declared: atom.declared });
                out.po.push((new, y));
                if let Some(x) = find(a) {
                    out.po.push((x, new));
                }
                for (earlier, later) in s.po.clone() {
                    if later == y {
                        out.po.push((earlier, new));
                    }
                }
                changed = true;
                break;
            }
            if changed {
                break;
            }
        }
        if changed {
            break;
        }
    }
    if changed { vec![out] } else { vec![] }
}

/// A term on an execution, as far as it does not depend on `rf` and `co` that are not chosen yet.
fn evaluate(term: &Term, events: &[Event], r: &Relations, context: &Context) -> Matrix {
    let n = r.n;
    match term {
        Term::Empty | Term::Var(_) => Matrix::EMPTY,
        Term::Test(mask) => {
            let classes = &context.classes;
            let holds = |e: &Event| classes.contains(*mask, e);
            let set = events.iter().enumerate().filter(|(_, e)| holds(e)).fold(0, |s, (x, _)| s | 1 << x);
            Matrix::diagonal(set)
        }
        Term::Edge(f) => step(*f, r, context),
        Term::Union(a, b) => evaluate(a, events, r, context).union(&evaluate(b, events, r, context)),
        Term::Seq(a, b) => evaluate(a, events, r, context).compose(&evaluate(b, events, r, context), n),
        Term::Star(a) => evaluate(a, events, r, context).plus(n).opt(n),
        Term::Located(a) => evaluate(&a.term, events, r, context).inter(&r.loc),
    }
}

fn step(f: Facts, r: &Relations, context: &Context) -> Matrix {
    let n = r.n;
    let mut m = Matrix::any(n);
    let base: [(Facts, Matrix); 7] = [
        (Facts::PO, r.po),
        (Facts::PO_IMM, r.po_imm),
        (Facts::RF, r.rf),
        (Facts::CO, r.co),
        (Facts::FR, r.fr),
        (Facts::RMW, r.rmw),
        (Facts::TC, r.tc),
    ];
    let own = context.relations.iter().enumerate().map(|(at, name)| {
        let found = r.declared.iter().find(|(known, _)| known == name).map_or(Matrix::EMPTY, |(_, m)| *m);
        (Facts::declared(at), found)
    });
    for (fact, matrix) in base.into_iter().chain(own) {
        if f.meets(fact) {
            m = m.inter(&matrix);
        }
        if f.meets(fact.inverse()) {
            m = m.inter(&matrix.inverse(n));
        }
    }
    let none = [
        Facts::ADDR,
        Facts::DATA,
        Facts::CTRL,
        Facts::ARM,
        Facts::CASDEP,
        Facts::PUBLISHES,
        Facts::DETOUR,
        Facts::ALLOC,
        Facts::FREE,
    ];
    if none.iter().any(|x| f.meets(*x) || f.meets(x.inverse())) {
        return Matrix::EMPTY;
    }
    for (fact, matrix) in
        [(Facts::LOC, r.loc), (Facts::OVERLAP, r.loc_overlap), (Facts::INT, r.int), (Facts::EXT, r.ext)]
    {
        if f.meets(fact) {
            m = m.inter(&matrix);
        }
    }
    if f.meets(Facts::NOT_RMW) {
        m = m.diff(&r.rmw).diff(&r.rmw.inverse(n));
    }
    if f.meets(Facts::NOT_LOC) { m.diff(&r.loc) } else { m }
}
