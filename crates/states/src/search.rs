//! Depth-first search through all states.

use crate::access::Accesses;
use crate::canon::{Met, States};
use crate::conflicts::Conflicts;
use crate::graph::{Edge, Graph};
use crate::table::Table;
use crate::thread::{Entry, Status};
use crate::world::{Action, Done, Rules, Slot, Step, World};
use selvedge_graph::{Loc, Value};
use selvedge_machine::{Again, Block, Canonical, ErrorKind, Machine, Op};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How to search.
pub struct Options<'a> {
    /// What makes no difference is left out: scheduling is no step of its own, and of steps that are about a
    /// thread's own data only that thread's are taken.
    pub reduce: bool,
    /// Scheduling is no step of its own, even if nothing else is left out.
    pub eager: bool,
    /// States that are the same but for what objects are called are one, as long as nothing that is done
    /// depends on that.
    pub rename: bool,
    /// Conflicting accesses at the same time, one of them plain, are an error.
    pub races: bool,
    /// Also where one of them is in an atomic section.
    pub sections_race: bool,
    /// Joining or detaching a thread twice is an error, as it is in C.
    pub joins_once: bool,
    /// Finds out whether any accesses could race (`Found::conflicts`).
    pub conflicts: bool,
    /// States in which threads ended differently are different.
    pub keep_ends: bool,
    /// Operations of a thread from the first incomplete one on, at most.
    pub window: usize,
    pub max_states: usize,
    /// Asked now and then: whether to go on.
    pub go_on: &'a dyn Fn() -> bool,
    /// Asked of every state, with what is in memory: what is wrong there.
    pub invariant: Option<&'a Invariant<'a>>,
}

/// Given what is in memory, and whether the program is at its end: what does not hold.
pub type Invariant<'a> = dyn Fn(&dyn Fn(Loc) -> Value, bool) -> Option<String> + 'a;

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            reduce: true,
            eager: true,
            rename: true,
            races: false,
            sections_race: true,
            joins_once: false,
            conflicts: false,
            keep_ends: false,
            window: 24,
            max_states: usize::MAX,
            go_on: &|| true,
            invariant: None,
        }
    }
}

/// Something that is wrong in some states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wrong {
    pub kind: ErrorKind,
    pub message: String,
    /// The thread that fails, if it is one.
    pub thread: Option<usize>,
}

/// Why a search did not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There are more states than allowed.
    States(usize),
    /// Nobody wants it to go on.
    Cancelled,
    /// The machine wants to begin anew.
    Again(Again),
}

/// What a search has found.
pub struct Found<S> {
    pub graph: Graph,
    /// What is wrong, each with the states in which it is.
    pub wrong: BTreeMap<Wrong, Vec<u32>>,
    /// Memory and threads where all threads have come to their ends.
    pub ends: Vec<(u32, World<S>)>,
    /// The longest list of incomplete operations.
    pub longest: usize,
    /// Some thread ran into a bound.
    pub cut: bool,
    /// A list was as long as it may be.
    pub window_reached: bool,
    /// By the table, a compare-and-exchange could fail before it is known what it expects: this is not
    /// searched.
    pub early: bool,
    /// The search found out that addresses are computed, so that it does not know which data is a thread's
    /// own.
    pub hidden: bool,
    /// How many steps led to states that were known by other names of objects.
    pub renamed: usize,
    /// There are accesses that would race if nothing but creating and joining threads ordered them. Not known
    /// if nobody asked.
    pub conflicts: bool,
    pub stop: Option<Stop>,
}

/// Searches, until guesses of what reads may read have no gaps.
pub fn search<M>(machine: &M, table: &Table, options: &Options<'_>) -> Found<M::State>
where
    M: Machine + Canonical,
{
    let (mut reduce, mut hidden, mut rename) =
        (options.reduce, false, options.rename && !machine.names_matter());
    let mut values: BTreeMap<u32, BTreeSet<Value>> = BTreeMap::new();
    let mut accesses = Accesses::default();
    loop {
        let mut search = Search::new(machine, table, options, (reduce, rename), values, accesses);
        search.run();
        let grown = search.grown;
        values = search.values;
        let surprised = search.accesses.surprised;
        accesses = search.accesses.go_on();
        if search.found.renamed > 0 && (search.names_matter || machine.names_matter()) {
            (rename, accesses) = (false, Accesses::default());
            continue;
        }
        if surprised && search.found.stop.is_none() {
            continue;
        }
        if search.found.hidden {
            (reduce, hidden) = (false, true);
            continue;
        }
        if search.found.stop.is_none() && grown {
            continue;
        }
        search.found.hidden = hidden;
        search.found.conflicts = search.conflicts.any;
        search.found.graph.paint();
        return search.found;
    }
}

pub(crate) struct Search<'a, M: Machine + Canonical> {
    pub rules: Rules<'a, M>,
    pub options: &'a Options<'a>,
    reduce: bool,
    pub states: States,
    on_stack: Vec<bool>,
    /// What was written to locations in any search so far.
    values: BTreeMap<u32, BTreeSet<Value>>,
    /// Whether guesses were made of locations that turned out to have more values.
    guessed: BTreeMap<u32, usize>,
    grown: bool,
    /// Who accesses what, in any search so far, once there are others.
    accesses: Accesses,
    conflicts: Conflicts,
    /// States were told by what objects are called.
    names_matter: bool,
    /// States in which nothing can be done but guess, and what threads wait for there.
    waits: Vec<(u32, String)>,
    pub found: Found<M::State>,
}

/// What is enough to look at.
enum Ample {
    /// One step of a thread.
    One(usize, usize),
    /// All of its steps.
    Thread(usize),
}

fn is_plain_read<S>(entry: &Entry<S>) -> bool {
    entry.is_load() && !entry.is_rmw()
}

struct Frame<S> {
    number: u32,
    successors: std::vec::IntoIter<(World<S>, Edge)>,
}

/// An action, what comes of it, and how that is told.
type Taken<S> = (Action, World<S>, Rc<Step>);

struct Successors<S> {
    /// By thread.
    of: Vec<Vec<Taken<S>>>,
    /// Something was left out because it is no execution, or a guess was not confirmed.
    pruned: bool,
    /// There are guesses that have not come true yet.
    guesses: bool,
}

impl<'a, M> Search<'a, M>
where
    M: Machine + Canonical,
{
    pub fn new(
        machine: &'a M,
        table: &'a Table,
        options: &'a Options<'a>,
        (reduce, rename): (bool, bool),
        values: BTreeMap<u32, BTreeSet<Value>>,
        accesses: Accesses,
    ) -> Self {
        Search {
            rules: Rules {
                machine,
                table,
                eager: options.eager || reduce,
                races: options.races,
                joins_once: options.joins_once,
                sections_race: options.sections_race,
                window: if table.in_order { 1 } else { options.window },
                inputs: machine.has_unknowns(),
                before: RefCell::default(),
                ready: RefCell::default(),
            },
            options,
            reduce,
            states: States::new(rename, machine.has_unknowns()),
            on_stack: Vec::new(),
            values,
            guessed: BTreeMap::new(),
            grown: false,
            accesses,
            conflicts: Conflicts::default(),
            names_matter: false,
            waits: Vec::new(),
            found: Found {
                graph: Graph::default(),
                wrong: BTreeMap::new(),
                ends: Vec::new(),
                longest: 0,
                cut: false,
                window_reached: false,
                early: false,
                hidden: false,
                renamed: 0,
                conflicts: false,
                stop: None,
            },
        }
    }

    fn run(&mut self) {
        let Ok(start) = self.rules.start() else { return };
        let mut stack = Vec::new();
        self.enter(start, None, &mut stack);
        while let Some(frame) = stack.last_mut() {
            if self.found.stop.is_some() || self.accesses.surprised {
                break;
            }
            match frame.successors.next() {
                Some((world, edge)) => self.enter(world, Some(edge), &mut stack),
                None => {
                    self.on_stack[frame.number as usize] = false;
                    stack.pop();
                }
            }
        }
        self.names_matter |= self.found.renamed > 0 && !self.guessed.is_empty();
        for (loc, before) in &self.guessed {
            self.grown |= self.values.get(loc).map_or(0, BTreeSet::len) > *before;
        }
        self.look_at_waits();
    }

    fn enter(&mut self, mut world: World<M::State>, edge: Option<Edge>, stack: &mut Vec<Frame<M::State>>) {
        let machine = self.rules.machine;
        if let Some(again) = machine.again() {
            self.found.stop = Some(Stop::Again(again));
            return;
        }
        let Met { number, new, renamed, inputs } =
            self.states.number(machine, &world, self.options.keep_ends);
        world.inputs = inputs;
        if world.inputs.is_involved {
            self.found.stop = Some(Stop::Cancelled);
            return;
        }
        if let Some(objects) = renamed {
            self.identify(&objects);
        }
        if let Some(edge) = edge {
            self.found.graph.add(Edge { to: number, ..edge }, new);
        } else {
            self.found.graph.root();
        }
        if !new {
            return;
        }
        if self.states.len() > self.options.max_states {
            self.found.stop = Some(Stop::States(self.options.max_states));
            return;
        }
        if number % 256 == 255 && !(self.options.go_on)() {
            self.found.stop = Some(Stop::Cancelled);
            return;
        }
        self.on_stack.resize(number as usize + 1, false);
        for slot in &world.threads {
            if let Slot::Here(thread) = slot {
                let incomplete = thread.incomplete();
                self.found.longest = self.found.longest.max(incomplete);
                self.found.window_reached |=
                    !self.rules.table.in_order && thread.issued >= self.options.window;
                self.found.early |= thread.may_fail_early(self.rules.table);
            }
        }
        if self.look(&world, number) {
            return;
        }
        self.on_stack[number as usize] = true;
        let successors = self.successors(&world, number);
        stack.push(Frame { number, successors: successors.into_iter() });
    }

    pub fn wrong(&mut self, number: u32, kind: ErrorKind, message: String, thread: Option<usize>) {
        self.found.graph.bad(number);
        self.found.wrong.entry(Wrong { kind, message, thread }).or_default().push(number);
    }

    /// Whether a state is wrong, or an end.
    pub fn look(&mut self, world: &World<M::State>, number: u32) -> bool {
        let machine = self.rules.machine;
        let mut over = world.is_at_end();
        let named = Cell::new(false);
        let read = |loc: Loc| {
            let value = world.value(machine, loc);
            named.set(named.get() || machine.address(value as u64).is_some());
            value
        };
        if let Some(invariant) = self.options.invariant
            && let Some(what) = invariant(&read, over)
        {
            self.wrong(number, ErrorKind::Assertion, what, None);
            over = true;
        }
        self.names_matter |= named.get();
        if let Some((kind, message)) = &world.wrong {
            self.wrong(number, *kind, message.clone(), None);
            return true;
        }
        if !world.over {
            // What another thread was taken to read may never come true: then this is no state of the
            // program.
            let guessed = |at: usize| {
                let thread = world.thread(at);
                thread.is_some_and(|t| t.entries.iter().any(|e| matches!(e.status, Status::Guessed(_))))
            };
            let undecided = (0..world.threads.len()).any(guessed);
            for at in 0..world.threads.len() {
                let Some(standing) = world.thread(at).and_then(|t| t.standing()) else { continue };
                match standing.op {
                    Op::Error(_) if undecided => {}
                    Op::Error(code) => {
                        let error = machine.error(code);
                        self.wrong(number, error.kind, error.message, Some(at));
                        over = true;
                    }
                    Op::Cut => self.found.cut = true,
                    Op::Block(Block::Assume) => {
                        self.found.graph.kill(number);
                        // Such a section does not happen.
                        over |= self.is_in_section(world, at);
                    }
                    _ => {}
                }
            }
        }
        if !over && let Some((loc, places)) = self.rules.race(world) {
            let place = |place: &Option<selvedge_machine::SourcePlace>| {
                place.as_ref().map_or("?".to_string(), |p| format!("{}:{}", p.file, p.line))
            };
            let mut places = places.each_ref().map(place);
            places.sort();
            let message = format!(
                "accesses of {} at {} and {} are not ordered",
                machine.location_name(loc),
                places[0],
                places[1]
            );
            self.wrong(number, ErrorKind::DataRace, message, None);
            return true;
        }
        if world.is_at_end() || world.may_be_over(machine) {
            self.found.graph.end(number);
            self.found.ends.push((number, world.clone()));
        }
        over
    }

    fn successors(&mut self, world: &World<M::State>, number: u32) -> Vec<(World<M::State>, Edge)> {
        let all = self.all(world);
        if self.reduce && all.of.iter().flatten().any(|(_, next, _)| next.trespassed) {
            self.found.hidden = true;
            self.found.stop = Some(Stop::Cancelled);
        }
        if all.guesses {
            self.found.graph.guess(number);
        }
        let guesses = |(action, ..): &Taken<M::State>| matches!(action, Action::Guess(..));
        let waits = all.of.iter().flatten().all(guesses) && !all.pruned;
        if waits && let Some(why) = self.stuck(world) {
            match all.of.iter().all(Vec::is_empty) {
                true => self.wrong(number, ErrorKind::Deadlock, why, None),
                false => self.waits.push((number, why)),
            }
        }
        let ample = if self.reduce && !waits { self.ample(world, &all) } else { None };
        let mut out = Vec::new();
        let of: Vec<_> = match ample {
            Some(Ample::Thread(at)) => all.of.into_iter().nth(at).unwrap_or_default(),
            Some(Ample::One(at, which)) => {
                all.of.into_iter().nth(at).and_then(|own| own.into_iter().nth(which)).into_iter().collect()
            }
            None => all.of.into_iter().flatten().collect(),
        };
        for (action, next, step) in of {
            self.learn(world, &next);
            let dashed = matches!(action, Action::Complete(_)) && !step.overtakes.is_empty();
            let what = self.found.graph.step(&step);
            out.push((next, Edge { from: number, to: 0, dashed, what }));
        }
        out
    }

    fn all(&mut self, world: &World<M::State>) -> Successors<M::State> {
        let (mut pruned, mut guesses_made) = (false, false);
        let mut of = Vec::new();
        for at in 0..world.threads.len() {
            let mut own = Vec::new();
            let values = &self.values;
            let guessed = RefCell::new(&mut self.guessed);
            let machine = self.rules.machine;
            let guesses = |loc: Loc| -> Vec<Value> {
                let known = values.get(&loc.0);
                let count = known.map_or(0, BTreeSet::len);
                // The fewest that any guess was made from.
                guessed.borrow_mut().entry(loc.0).and_modify(|n| *n = (*n).min(count)).or_insert(count);
                let mut all: BTreeSet<Value> = known.cloned().unwrap_or_default();
                all.insert(machine.init_value(loc));
                all.into_iter().collect()
            };
            let actions = self.rules.actions(world, at, &guesses);
            for action in actions {
                match self.rules.act(world, at, action) {
                    Done::Next(next, step) => {
                        self.note_access(world, at, action);
                        own.push((action, next, step));
                    }
                    Done::Waits => {}
                    Done::Nothing => pruned = true,
                }
            }
            let guess = |s: &Status| matches!(s, Status::Guessed(_));
            guesses_made |= world.thread(at).is_some_and(|t| t.issued().iter().any(|e| guess(&e.status)));
            of.push(own);
        }
        // A section is one step: whoever is in one goes on alone, if he can.
        let goes_on = |at: &usize| self.is_in_section(world, *at) && !of[*at].is_empty();
        if let Some(alone) = (0..of.len()).find(goes_on) {
            of.iter_mut().enumerate().filter(|(at, _)| *at != alone).for_each(|(_, others)| others.clear());
        }
        Successors { of, pruned: pruned || guesses_made, guesses: guesses_made }
    }

    /// Whether a thread is in an atomic section.
    pub fn is_in_section(&self, world: &World<M::State>, at: usize) -> bool {
        let thread = world.thread(at).filter(|_| self.rules.table.in_order);
        let next = thread.and_then(|thread| thread.entries.iter().find(|entry| !entry.is_done()));
        next.is_some_and(|entry| self.rules.machine.in_section(&entry.state))
    }

    /// Remembers what is written.
    fn learn(&mut self, world: &World<M::State>, next: &World<M::State>) {
        if !self.rules.table.overtakes_reads {
            return;
        }
        for (object, loc, value) in next.memory().cells() {
            if world.memory().get(object, loc) != Some(value) {
                self.values.entry(loc).or_default().insert(value);
            }
        }
    }

    /// The steps that are all that need to be taken here. Beginning a section is none of them: it stops
    /// others.
    fn ample(&mut self, world: &World<M::State>, all: &Successors<M::State>) -> Option<Ample> {
        for (at, own) in all.of.iter().enumerate() {
            let Some(thread) = world.thread(at) else { continue };
            for (which, (action, next, _)) in own.iter().enumerate() {
                if let Action::Complete(k) = action
                    && let Some(loc) = thread.entries[*k].loc()
                    && self.is_alone(&thread.entries[*k], loc, at)
                    && (!self.is_in_section(next, at) || self.is_in_section(world, at))
                    && !self.is_last(next, at)
                    && !self.returns(next)
                {
                    self.accesses.rely(self.rules.machine, loc);
                    return Some(Ample::One(at, which));
                }
            }
        }
        for (at, own) in all.of.iter().enumerate() {
            let Some(thread) = world.thread(at) else { continue };
            // Choosing, creating and joining threads touches nothing that others do.
            let forever = own.iter().all(|(action, ..)| matches!(action, Action::Choose(_) | Action::Thread))
                && thread.incomplete() == 0;
            if !own.is_empty()
                && (forever || self.is_own(world, at))
                && !own.iter().any(|(_, next, _)| self.is_last(next, at) || self.returns(next))
            {
                return Some(Ample::Thread(at));
            }
        }
        None
    }

    /// Whether nobody does anything after a step of this thread: whatever others do then depends on it.
    fn is_last(&self, next: &World<M::State>, at: usize) -> bool {
        let standing = next.thread(at).and_then(|thread| thread.standing());
        next.over
            || next.wrong.is_some()
            || standing.is_some_and(|entry| matches!(entry.op, Op::Error(_)))
            || self.rules.race(next).is_some()
    }

    /// Whether the search is just looking at a state.
    fn returns(&mut self, next: &World<M::State>) -> bool {
        let known = self.states.known(self.rules.machine, next, self.options.keep_ends);
        known.is_some_and(|n| self.on_stack.get(n as usize).copied().unwrap_or(false))
    }

    /// Whether an operation has to do with no other thread's, whenever it completes: as far as is known, its
    /// location is one thread's own, or nobody writes it, and no other thread frees its object. Invariants
    /// are about what is in no object.
    fn is_alone(&self, entry: &Entry<M::State>, loc: Loc, at: usize) -> bool {
        let machine = self.rules.machine;
        let is_seen = || self.options.invariant.is_some() && machine.object(loc).is_none();
        self.accesses.is_alone(machine, loc, at) && (is_plain_read(entry) || !is_seen())
    }

    /// States are taken for one in which these objects stand for each other.
    fn identify(&mut self, objects: &[(u32, u32)]) {
        self.found.renamed += 1;
        self.accesses.identify(self.rules.machine, objects);
        // What was guessed is told by what objects are called, now and later.
        let guesses = !self.guessed.is_empty();
        if guesses || self.names_matter || self.rules.machine.names_matter() {
            self.names_matter = true;
            self.found.stop = Some(Stop::Cancelled);
        }
    }

    /// Whether all that a thread may do next is about data that nobody else comes to.
    fn is_own(&self, world: &World<M::State>, at: usize) -> bool {
        let Some(thread) = world.thread(at) else { return false };
        let owns = |loc: Loc| world.owns(self.rules.machine, at, loc);
        let mut left = thread.issued().iter().filter(|e| !e.is_done());
        thread.issued > 0 && left.all(|entry| entry.loc().is_some_and(owns))
    }

    /// A thread is about to access something. Where somebody has relied on it that nothing like that happens,
    /// the search was in vain.
    fn note_access(&mut self, world: &World<M::State>, at: usize, action: Action) {
        let (Action::Complete(k), Some(thread)) = (action, world.thread(at)) else { return };
        let entry = &thread.entries[k];
        if self.options.conflicts {
            self.conflicts.note(self.rules.machine, world, at, entry.op, &entry.state);
        }
        if !self.reduce || !world.has_others(at) {
            return;
        }
        let machine = self.rules.machine;
        if let Op::Free { object } = entry.op {
            self.accesses.note_free(machine, object, at);
        }
        if let Some(loc) = entry.loc() {
            self.accesses.note(machine, loc, at, !is_plain_read(entry));
        }
    }

    /// Where nothing could be done but guess, threads wait for good if no guess comes true.
    fn look_at_waits(&mut self) {
        let waits = std::mem::take(&mut self.waits);
        if waits.is_empty() {
            return;
        }
        let possible = self.found.graph.possible();
        let mut goes_on = vec![false; possible.len()];
        for edge in self.found.graph.edges() {
            goes_on[edge.from as usize] |= possible[edge.to as usize];
        }
        for (number, why) in waits.into_iter().filter(|(number, _)| !goes_on[*number as usize]) {
            self.wrong(number, ErrorKind::Deadlock, why, None);
        }
    }

    /// What threads wait for where nothing can be done any more; nothing if that is no deadlock.
    pub fn stuck(&self, world: &World<M::State>) -> Option<String> {
        let mut threads = Vec::new();
        for at in 0..world.threads.len() {
            let Some(thread) = world.thread(at) else { continue };
            match thread.standing().map(|s| s.op) {
                Some(Op::Block(Block::Assume)) | Some(Op::Cut) => return None,
                _ if world.is_left_behind(at) => {}
                _ => threads.push(at),
            }
        }
        let machine = self.rules.machine;
        if threads.is_empty() || world.may_be_over(machine) {
            return None;
        }
        let waits = |at: &usize| {
            let entry = world.thread(*at).and_then(|thread| thread.entries.last());
            let name = entry.map_or(String::new(), |entry| machine.thread_name(&entry.state));
            let name = if name.is_empty() { format!("thread {at}") } else { format!("{name}#{at}") };
            let what = match entry.map(|entry| entry.op) {
                Some(Op::Join { .. }) => "waits for another thread to end",
                _ => "waits",
            };
            let place = entry.and_then(|entry| machine.place(&entry.state));
            let place = place.map_or(String::new(), |p| format!(" at {}:{}", p.file, p.line));
            format!("{name} {what}{place}")
        };
        let all: Vec<String> = threads.iter().map(waits).collect();
        Some(format!("no thread can go on: {}", all.join("; ")))
    }
}

impl<S> Found<S> {
    /// States from which the program cannot come to an end, or to an error, whatever happens.
    pub fn endless(&self) -> Vec<u32> {
        self.graph.endless()
    }

    /// The program can go on for ever, and no assumption keeps it from that.
    pub fn goes_on(&self) -> bool {
        self.graph.goes_on()
    }
}
