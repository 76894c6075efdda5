//! All final executions of a program: every combination of traces, every `rf`, every `co`.
//!
//! An execution is final when each thread has ended, is blocked, or waits for a thread that never
//! ends. What is well-formed does not depend on the model: a read gets its value from a write of the
//! same location, the writes of a location are in some total order after the initial value, the write
//! of a read-modify-write comes directly after the source of its read, and a join is passed exactly
//! if the other thread ran to its end.
//!
//! Sources and orders are first put together location by location. Where an axiom of the model says that each
//! location by itself is coherent, those that are not go no further; all else is for the judge to say.

use crate::execution::{Execution, ThreadEnd};
use crate::trace::{TooBig, Trace, all_traces};
use selvedge_certify::eval::{Judge, Scratch, Stage};
use selvedge_certify::execution::{Event, INIT, Relations};
use selvedge_certify::matrix::{MAX_EVENTS, Matrix, bits};
use selvedge_graph::{Kind, Value};
use selvedge_machine::Program;
use std::collections::HashMap;

/// How fine executions are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// By `rf` and `co`.
    Co,
    /// By `rf`: of the executions that differ in `co` only, the first consistent one is visited.
    Rf,
}

/// Where the enumeration gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Traces of one thread.
    pub traces: usize,
    /// Combinations of traces, choices of `rf` and choices of `co`, taken together.
    pub candidates: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { traces: 2_000, candidates: 40_000 }
    }
}

/// How much was enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub candidates: u64,
    pub consistent: u64,
}

/// Visits the consistent final executions of `program`, each once.
pub fn enumerate(
    program: &Program,
    judge: &Judge,
    detail: Detail,
    limits: Limits,
    visit: &mut dyn FnMut(&Execution<'_>),
) -> Result<Tally, TooBig> {
    let traces = all_traces(program, limits.traces)?;
    let mut cells = Cells::new(program);
    let mut choices: Vec<Vec<Choice<'_>>> = Vec::new();
    for (thread, own) in program.threads.iter().zip(&traces) {
        let mut list = Vec::new();
        if !thread.initial {
            list.push(Choice::absent());
        }
        for trace in own {
            list.push(cells.choice(trace)?);
        }
        choices.push(list);
    }
    let threads = choices.len();
    // What the threads from here on may write at most.
    let mut later = vec![0u128; threads + 1];
    for t in (0..threads).rev() {
        later[t] = choices[t].iter().fold(later[t + 1], |all, c| all | c.writes);
    }
    let mut search = Search {
        program,
        judge,
        detail,
        limit: limits.candidates,
        choices: &choices,
        later: &later,
        picked: Vec::with_capacity(threads),
        scratch: judge.scratch(),
        tally: Tally::default(),
        visit,
    };
    search.pick(cells.init, 0)?;
    Ok(search.tally)
}

/// A trace of a thread (or its absence) with what it needs from and gives to the others.
struct Choice<'a> {
    events: &'a [Event],
    end: ThreadEnd,
    /// Pairs of location and value, as bits.
    reads: u128,
    writes: u128,
}

impl Choice<'_> {
    fn absent() -> Choice<'static> {
        Choice { events: &[], end: ThreadEnd::Absent, reads: 0, writes: 0 }
    }
}

/// Numbers the pairs of location and value.
struct Cells {
    known: HashMap<(u32, Value), u32>,
    /// The pairs that hold initially.
    init: u128,
}

impl Cells {
    fn new(program: &Program) -> Cells {
        let mut cells = Cells { known: HashMap::new(), init: 0 };
        for (loc, (_, value)) in program.locs.iter().enumerate() {
            cells.init |= cells.bit(loc as u32, *value).unwrap_or(0);
        }
        cells
    }

    fn bit(&mut self, loc: u32, value: Value) -> Result<u128, TooBig> {
        let next = self.known.len() as u32;
        let at = *self.known.entry((loc, value)).or_insert(next);
        if at < 128 { Ok(1 << at) } else { Err(TooBig) }
    }

    fn choice<'a>(&mut self, trace: &'a Trace) -> Result<Choice<'a>, TooBig> {
        let mut choice = Choice { events: &trace.events, end: trace.end, reads: 0, writes: 0 };
        for e in &trace.events {
            match e.kind {
                Kind::Read => choice.reads |= self.bit(e.loc, e.value)?,
                Kind::Write => choice.writes |= self.bit(e.loc, e.value)?,
                _ => {}
            }
        }
        Ok(choice)
    }
}

struct Search<'a> {
    program: &'a Program,
    judge: &'a Judge,
    detail: Detail,
    limit: u64,
    choices: &'a [Vec<Choice<'a>>],
    later: &'a [u128],
    picked: Vec<usize>,
    scratch: Scratch,
    tally: Tally,
    visit: &'a mut dyn FnMut(&Execution<'_>),
}

/// The events of a combination of traces, and what `rf` and `co` may be.
struct Candidate {
    events: Vec<Event>,
    ends: Vec<ThreadEnd>,
    base: Relations,
    /// Per location.
    places: Vec<Place>,
    rf: [u8; MAX_EVENTS],
    /// The order chosen for each location.
    co: Vec<Vec<u8>>,
}

/// What may be chosen for one location.
struct Place {
    /// Its accesses, thread by thread in program order, and its writes as a bit set.
    accesses: Vec<u8>,
    writes: u32,
    /// Its reads with the writes that have their value.
    sources: Vec<(usize, Vec<u8>)>,
    ways: Vec<Way>,
}

/// A source for each read of a location, and the orders of its writes that go with that.
struct Way {
    rf: Vec<u8>,
    orders: Vec<Vec<u8>>,
}

impl Search<'_> {
    fn count(&mut self) -> Result<(), TooBig> {
        self.tally.candidates += 1;
        if self.tally.candidates > self.limit { Err(TooBig) } else { Ok(()) }
    }

    /// Picks a trace for each thread. `given` are the values that the threads so far write, `needed`
    /// those that they read.
    fn pick(&mut self, given: u128, needed: u128) -> Result<(), TooBig> {
        let t = self.picked.len();
        if needed & !(given | self.later[t]) != 0 {
            return Ok(());
        }
        if t == self.choices.len() {
            self.count()?;
            return if self.threads_agree() { self.combination() } else { Ok(()) };
        }
        let choices = self.choices;
        for (at, choice) in choices[t].iter().enumerate() {
            self.picked.push(at);
            let result = self.pick(given | choice.writes, needed | choice.reads);
            self.picked.pop();
            result?;
        }
        Ok(())
    }

    /// Threads exist exactly if they are spawned, and joins are passed exactly if they can be.
    fn threads_agree(&self) -> bool {
        let picked: Vec<&Choice<'_>> =
            self.choices.iter().zip(&self.picked).map(|(list, at)| &list[*at]).collect();
        let done = |peer: u16| picked.get(peer as usize).is_some_and(|c| c.end == ThreadEnd::Done);
        let is_spawned = |t: usize| {
            let spawns = |e: &Event| e.kind == Kind::Spawn && e.peer as usize == t;
            picked.iter().any(|c| c.events.iter().any(spawns))
        };
        picked.iter().enumerate().all(|(t, choice)| {
            let joins = |e: &Event| e.kind != Kind::Join || done(e.peer);
            let exists = self.program.threads[t].initial || is_spawned(t);
            let waits = match choice.end {
                ThreadEnd::Waiting { peer } => !done(peer),
                _ => true,
            };
            exists == (choice.end != ThreadEnd::Absent) && waits && choice.events.iter().all(joins)
        })
    }

    fn combination(&mut self) -> Result<(), TooBig> {
        let mut events = vec![Event::init()];
        let mut ends = Vec::with_capacity(self.picked.len());
        for (list, at) in self.choices.iter().zip(&self.picked) {
            events.extend_from_slice(list[*at].events);
            ends.push(list[*at].end);
        }
        if events.len() > MAX_EVENTS {
            return Err(TooBig);
        }
        let mut c = Candidate::new(self.program, events, ends);
        for loc in 0..c.places.len() {
            self.ways(&mut c, loc)?;
            if c.places[loc].ways.is_empty() {
                return Ok(());
            }
        }
        if self.judge.admits(Stage::Events, &c.events, &c.base, &mut self.scratch) {
            self.read_from(&mut c, &mut Vec::new())?;
        }
        Ok(())
    }

    /// What the sources of a location's reads and the order of its writes may be.
    fn ways(&mut self, c: &mut Candidate, loc: usize) -> Result<(), TooBig> {
        let coherent = self.judge.is_coherent();
        let place = &c.places[loc];
        if place.writes.count_ones() > 7 {
            return Err(TooBig);
        }
        let list: Vec<u8> = bits(place.writes).map(|w| w as u8).collect();
        let mut all = Vec::new();
        let is_later =
            |w: u8, v: u8| coherent && v < w && c.events[v as usize].tid == c.events[w as usize].tid;
        permutations(&list, &is_later, &mut Vec::new(), &mut all);
        let mut ways = Vec::new();
        let mut at = vec![0; place.sources.len()];
        loop {
            self.count()?;
            let place = &c.places[loc];
            // Some read's value is nowhere written.
            if place.sources.iter().any(|(_, of_read)| of_read.is_empty()) {
                break;
            }
            let rf: Vec<u8> = place.sources.iter().zip(&at).map(|((_, all), at)| all[*at]).collect();
            for ((r, _), w) in place.sources.iter().zip(&rf) {
                c.rf[*r] = *w;
            }
            let fits = |order: &&Vec<u8>| c.is_atomic(order) && (!coherent || c.is_coherent(loc, order));
            let orders: Vec<Vec<u8>> = all.iter().filter(fits).cloned().collect();
            if !orders.is_empty() {
                ways.push(Way { rf, orders });
            }
            let Some(next) = (0..at.len()).find(|&i| at[i] + 1 < c.places[loc].sources[i].1.len()) else {
                break;
            };
            at[next] += 1;
            at[..next].fill(0);
        }
        c.places[loc].ways = ways;
        Ok(())
    }

    /// Picks the sources of the reads of further locations.
    fn read_from(&mut self, c: &mut Candidate, picked: &mut Vec<usize>) -> Result<(), TooBig> {
        let loc = picked.len();
        if loc < c.places.len() {
            for way in 0..c.places[loc].ways.len() {
                let place = &c.places[loc];
                for ((r, _), w) in place.sources.iter().zip(&place.ways[way].rf) {
                    c.rf[*r] = *w;
                }
                picked.push(way);
                let result = self.read_from(c, picked);
                picked.pop();
                result?;
            }
            return Ok(());
        }
        self.count()?;
        c.base.rf = Matrix::EMPTY;
        for (r, _) in c.places.iter().flat_map(|place| &place.sources) {
            c.base.rf.set(c.rf[*r] as usize, *r);
        }
        if !self.judge.admits(Stage::Rf, &c.events, &c.base, &mut self.scratch) {
            return Ok(());
        }
        self.coherence(c, picked, 0).map(|_| ())
    }

    /// Picks an order for the locations from number `loc` on; true ends the search of this `rf`.
    fn coherence(&mut self, c: &mut Candidate, picked: &[usize], loc: usize) -> Result<bool, TooBig> {
        if loc < picked.len() {
            for at in 0..c.places[loc].ways[picked[loc]].orders.len() {
                c.co[loc].clone_from(&c.places[loc].ways[picked[loc]].orders[at]);
                if self.coherence(c, picked, loc + 1)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        self.count()?;
        c.fill_co();
        if !self.judge.admits(Stage::Co, &c.events, &c.base, &mut self.scratch) {
            return Ok(false);
        }
        self.tally.consistent += 1;
        let flags = self.judge.flags(c.base.n, &self.scratch);
        (self.visit)(&Execution { events: &c.events, rf: &c.rf, co: &c.co, ends: &c.ends, flags });
        Ok(self.detail == Detail::Rf)
    }
}

impl Candidate {
    fn new(program: &Program, events: Vec<Event>, ends: Vec<ThreadEnd>) -> Candidate {
        let base = Relations::of(&events);
        let locations = program.locs.len();
        let empty = || Place { accesses: Vec::new(), writes: 0, sources: Vec::new(), ways: Vec::new() };
        let mut places: Vec<Place> = (0..locations).map(|_| empty()).collect();
        for (x, e) in events.iter().enumerate().filter(|(_, e)| matches!(e.kind, Kind::Read | Kind::Write)) {
            let place = &mut places[e.loc as usize];
            place.accesses.push(x as u8);
            place.writes |= u32::from(e.kind == Kind::Write) << x;
        }
        for (r, e) in events.iter().enumerate().filter(|(_, e)| e.kind == Kind::Read) {
            let place = &mut places[e.loc as usize];
            let from_init = program.locs[e.loc as usize].1 == e.value;
            let mut of_read: Vec<u8> = if from_init { vec![INIT as u8] } else { Vec::new() };
            let same = bits(place.writes).filter(|w| events[*w].value == e.value);
            of_read.extend(same.map(|w| w as u8));
            place.sources.push((r, of_read));
        }
        Candidate { events, ends, base, places, rf: [0; MAX_EVENTS], co: vec![Vec::new(); locations] }
    }

    /// Whether the accesses of a location see its writes in their order: those of a thread never go back.
    fn is_coherent(&self, loc: usize, order: &[u8]) -> bool {
        let mut places = [0u8; MAX_EVENTS];
        for (at, w) in order.iter().enumerate() {
            places[*w as usize] = at as u8 + 1;
        }
        let (mut tid, mut seen) = (None, 0);
        self.places[loc].accesses.iter().all(|&x| {
            let e = &self.events[x as usize];
            if tid != Some(e.tid) {
                (tid, seen) = (Some(e.tid), 0);
            }
            let is_write = e.kind == Kind::Write;
            let now = places[if is_write { x } else { self.rf[x as usize] } as usize];
            // What a write is seen to follow is before it.
            let fits = if is_write { now > seen } else { now >= seen };
            seen = now;
            fits
        })
    }

    /// Whether the write of each read-modify-write comes directly after the source of its read. Without
    /// coherence this asks for more than that no write comes between them: the write may not come
    /// before the source either.
    fn is_atomic(&self, order: &[u8]) -> bool {
        order.iter().enumerate().all(|(at, &w)| {
            let e = &self.events[w as usize];
            if !e.rmw {
                return true;
            }
            // Where the halves are no neighbours, their thread may have written in between.
            if let Some(half) = e.other_half {
                let source = self.rf[w as usize - (e.idx - half) as usize];
                let from = order.iter().position(|&v| v == source);
                let between = from.map_or(0, |from| from + 1)..at;
                return (source == INIT as u8 || from.is_some_and(|from| from < at))
                    && order[between].iter().all(|&v| self.events[v as usize].tid == e.tid);
            }
            // The read half stands right before the write half.
            let source = self.rf[w as usize - 1];
            source == if at == 0 { INIT as u8 } else { order[at - 1] }
        })
    }

    fn fill_co(&mut self) {
        let mut init = 0;
        for order in &self.co {
            let mut after = 0u32;
            for &w in order.iter().rev() {
                self.base.co.set_row(w as usize, after);
                after |= 1 << w;
            }
            init |= after;
        }
        self.base.co.set_row(INIT, init);
        for place in &self.places {
            for (r, _) in &place.sources {
                let source = self.rf[*r] as usize;
                let after = if source == INIT { place.writes } else { self.base.co.row(source) };
                self.base.fr.set_row(*r, after);
            }
        }
    }
}

/// The orders of `rest` in which nothing comes before what it is later than.
fn permutations(rest: &[u8], is_later: &dyn Fn(u8, u8) -> bool, taken: &mut Vec<u8>, all: &mut Vec<Vec<u8>>) {
    if rest.is_empty() {
        all.push(taken.clone());
        return;
    }
    for (at, &w) in rest.iter().enumerate() {
        if rest.iter().any(|&v| is_later(w, v)) {
            continue;
        }
        let mut others = rest.to_vec();
        others.remove(at);
        taken.push(w);
        permutations(&others, is_later, taken, all);
        taken.pop();
    }
}
