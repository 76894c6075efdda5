//! All final executions of a program: every combination of traces, every `rf`, every `co`.
//!
//! An execution is final when each thread has ended, is blocked, or waits for a thread that never
//! ends. What is well-formed does not depend on the model: a read gets its value from a write of the
//! same location, the writes of a location are in some total order after the initial value, the write
//! of a read-modify-write comes directly after the source of its read, and a join is passed exactly
//! if the other thread ran to its end.

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
    /// Reads with the writes that have their value.
    sources: Vec<(usize, Vec<u8>)>,
    rf: [u8; MAX_EVENTS],
    /// Per location: its writes as a bit set, and every order of them.
    writes: Vec<u32>,
    orders: Vec<Vec<Vec<u8>>>,
    /// The order chosen for each location.
    co: Vec<Vec<u8>>,
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
        let mut c = Candidate::new(self.program, events, ends)?;
        if self.judge.admits(Stage::Events, &c.events, &c.base, &mut self.scratch) {
            self.read_from(&mut c, 0)?;
        }
        Ok(())
    }

    /// Picks a source for the reads from number `at` on.
    fn read_from(&mut self, c: &mut Candidate, at: usize) -> Result<(), TooBig> {
        if at < c.sources.len() {
            let r = c.sources[at].0;
            for i in 0..c.sources[at].1.len() {
                let w = c.sources[at].1[i];
                c.rf[r] = w;
                self.read_from(c, at + 1)?;
            }
            return Ok(());
        }
        self.count()?;
        c.base.rf = Matrix::EMPTY;
        for (r, _) in &c.sources {
            c.base.rf.set(c.rf[*r] as usize, *r);
        }
        if !self.judge.admits(Stage::Rf, &c.events, &c.base, &mut self.scratch) {
            return Ok(());
        }
        // Coherence order by location; atomicity is a matter of one location alone.
        let mut orders = Vec::with_capacity(c.orders.len());
        for all in &c.orders {
            orders.push(all.iter().filter(|order| c.is_atomic(order)).cloned().collect::<Vec<_>>());
        }
        self.coherence(c, &orders, 0).map(|_| ())
    }

    /// Picks an order for the locations from number `loc` on; true ends the search of this `rf`.
    fn coherence(&mut self, c: &mut Candidate, orders: &[Vec<Vec<u8>>], loc: usize) -> Result<bool, TooBig> {
        if loc < orders.len() {
            for order in &orders[loc] {
                c.co[loc].clone_from(order);
                if self.coherence(c, orders, loc + 1)? {
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
    fn new(program: &Program, events: Vec<Event>, ends: Vec<ThreadEnd>) -> Result<Candidate, TooBig> {
        let base = Relations::of(&events);
        let locations = program.locs.len();
        let mut writes = vec![0u32; locations];
        for (x, e) in events.iter().enumerate() {
            if e.kind == Kind::Write {
                writes[e.loc as usize] |= 1 << x;
            }
        }
        let mut sources = Vec::new();
        for (r, e) in events.iter().enumerate().filter(|(_, e)| e.kind == Kind::Read) {
            let from_init = program.locs[e.loc as usize].1 == e.value;
            let mut of_read: Vec<u8> = if from_init { vec![INIT as u8] } else { Vec::new() };
            let same = bits(writes[e.loc as usize]).filter(|w| events[*w].value == e.value);
            of_read.extend(same.map(|w| w as u8));
            sources.push((r, of_read));
        }
        let mut orders = Vec::with_capacity(locations);
        for set in &writes {
            if set.count_ones() > 7 {
                return Err(TooBig);
            }
            let list: Vec<u8> = bits(*set).map(|w| w as u8).collect();
            let mut all = Vec::new();
            permutations(&list, &mut Vec::new(), &mut all);
            orders.push(all);
        }
        let co = vec![Vec::new(); locations];
        Ok(Candidate { events, ends, base, sources, rf: [0; MAX_EVENTS], writes, orders, co })
    }

    /// Whether the write of each read-modify-write comes directly after the source of its read. Without
    /// coherence this asks for more than that no write comes between them: the write may not come
    /// before the source either.
    fn is_atomic(&self, order: &[u8]) -> bool {
        order.iter().enumerate().all(|(at, &w)| {
            // The read half stands right before the write half.
            !self.events[w as usize].rmw || {
                let source = self.rf[w as usize - 1];
                source == if at == 0 { INIT as u8 } else { order[at - 1] }
            }
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
        for (r, _) in &self.sources {
            let source = self.rf[*r] as usize;
            let after = if source == INIT {
                self.writes[self.events[*r].loc as usize]
            } else {
                self.base.co.row(source)
            };
            self.base.fr.set_row(*r, after);
        }
    }
}

fn permutations(rest: &[u8], taken: &mut Vec<u8>, all: &mut Vec<Vec<u8>>) {
    if rest.is_empty() {
        all.push(taken.clone());
        return;
    }
    for (at, &w) in rest.iter().enumerate() {
        let mut others = rest.to_vec();
        others.remove(at);
        taken.push(w);
        permutations(&others, taken, all);
        taken.pop();
    }
}
