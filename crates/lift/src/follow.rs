//! A thread from one access to shared memory to the next.
//!
//! A location is a place in the program, with the calls that led there. A step goes on from it with terms for
//! values, through what concerns nobody else, makes one access, and goes on to the last place from where the
//! next access comes without a decision: that is the next location. Loops without any access have a location
//! of their own. Calls are followed. Registers that are needed at a location are variables of the thread,
//! unless they hold the same number, or that of the thread, whenever it gets there.
//!
//! All of this is repeated until nothing new is found out: which registers are constant at which locations,
//! which variables hold truth values only.

mod execute;

use crate::Error;
use crate::samples::Samples;
use crate::term::Term;
use crate::variables::{Origin, Point, Variables};
use execute::Next;
use selvedge_ir::{Function, Instr, Place, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// What happens on the way, in this order, in terms of the state before.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// It goes this way only if.
    Await(Term),
    /// This must hold.
    Assert(Term),
}

/// One way from a location to the next.
#[derive(Clone, Debug)]
pub struct Way {
    pub items: Vec<Item>,
    pub locals: Vec<(usize, Term)>,
    pub write: Option<(usize, Vec<Term>, Term)>,
    /// Nowhere: the function is done.
    pub to: Option<Point>,
}

pub struct Location {
    pub point: Point,
    /// Of the access.
    pub place: Place,
    pub ways: Vec<Way>,
}

pub struct Derived {
    pub locations: Vec<Location>,
    pub variables: Variables,
}

/// Longer ways are refused, and more of them.
const LONGEST: usize = 20_000;
const MOST_WAYS: usize = 64;
const MOST_LOCATIONS: usize = 300;

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Unset,
    Term(Term),
    /// An address: a global, indices with what they are multiplied by in each sample, an offset in each.
    Address(usize, Vec<(Term, Vec<i64>)>, Vec<i64>),
    Function(usize),
}

#[derive(Clone, Debug)]
struct Frame {
    function: usize,
    at: u32,
    regs: Vec<Value>,
    /// Where the caller wants the results.
    results: Option<(Reg, u32)>,
}

#[derive(Clone, Debug)]
struct Path {
    frames: Vec<Frame>,
    /// Global variables of the thread that are known.
    own: BTreeMap<usize, Term>,
    written: BTreeSet<usize>,
    items: Vec<Item>,
    write: Option<(usize, Vec<Term>, Term)>,
    /// The access was made, here.
    access: Option<Place>,
    seen: Vec<Point>,
    /// Where the step ends if another access comes.
    last: Option<Box<Path>>,
    /// Something was decided since.
    decided: bool,
}

/// Something that holds a value at a location; those of callers come first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Own(usize),
    Register(usize, Reg),
}

/// What is always so at a location, as far as ways there were seen.
#[derive(Clone, PartialEq, Debug)]
struct Known {
    /// What a slot holds.
    constant: Option<Term>,
    /// Slots before it that hold the same.
    same: BTreeSet<Slot>,
}

struct Deriver<'s> {
    samples: &'s Samples,
    variables: Variables,
    forced: BTreeSet<Point>,
    known: BTreeMap<Point, BTreeMap<Slot, Known>>,
    live: BTreeMap<usize, Vec<BTreeSet<Reg>>>,
    changed: bool,
    /// There is a variable that was not there before: what is known of locations says nothing of it.
    anew: bool,
}

pub fn derive(samples: &Samples, name: &str) -> Result<Derived, Error> {
    let all = &samples.first().functions;
    let Some(function) = all.iter().position(|f| f.name == name && !f.code.is_empty()) else {
        let names: Vec<&str> =
            all.iter().filter(|f| !f.code.is_empty() && f.name != "main").map(|f| f.name.as_str()).collect();
        return Err(Error::plain(&format!(
            "there is no function `{name}` that `main` leads to; there is {}",
            if names.is_empty() { "none".into() } else { names.join(", ") }
        )));
    };
    if all[function].params.len() > 1 {
        let message = "a thread's function has one parameter, the number of the thread, or none";
        return Err(samples.error(all[function].place, message));
    }
    let mut deriver = Deriver {
        samples,
        variables: Variables::default(),
        forced: BTreeSet::new(),
        known: BTreeMap::new(),
        live: BTreeMap::new(),
        changed: false,
        anew: false,
    };
    for _ in 0..200 {
        if std::mem::take(&mut deriver.anew) {
            deriver.known.clear();
        }
        deriver.changed = false;
        let mut locations: Vec<Location> = Vec::new();
        let mut todo = vec![vec![(function, 0)]];
        while let Some(point) = todo.pop() {
            if locations.iter().any(|l| l.point == point) {
                continue;
            }
            let (ways, place) = deriver.step(&point)?;
            todo.extend(ways.iter().rev().filter_map(|w| w.to.clone()));
            locations.push(Location { point, place, ways });
            if locations.len() > MOST_LOCATIONS {
                return Err(Error::plain("there are too many locations"));
            }
        }
        if !deriver.changed {
            for location in &mut locations {
                deriver.no_waiting(location)?;
            }
            return Ok(Derived { locations, variables: deriver.variables });
        }
    }
    Err(Error::plain("what the variables hold is not found out"))
}

/// Registers that are needed from each instruction on.
fn liveness(f: &Function) -> Vec<BTreeSet<Reg>> {
    let mut live = vec![BTreeSet::new(); f.code.len() + 1];
    loop {
        let mut changed = false;
        for at in (0..f.code.len()).rev() {
            let mut here = BTreeSet::new();
            f.code[at].for_successors(at as u32, |next| here.extend(live[next as usize].iter().copied()));
            for reg in f.code[at].written() {
                here.remove(&reg);
            }
            f.code[at].for_registers(|reg| _ = here.insert(reg));
            if here != live[at] {
                live[at] = here;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

impl Path {
    fn point(&self) -> Point {
        self.frames.iter().map(|f| (f.function, f.at)).collect()
    }

    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn set(&mut self, reg: Reg, value: Term) {
        self.top().regs[reg as usize] = Value::Term(value);
    }

    fn require(&mut self, term: Term) {
        let item = Item::Assert(term);
        if item != Item::Assert(Term::truth(true)) && !self.items.contains(&item) {
            self.items.push(item);
        }
    }

    /// The step ends here if another access comes.
    fn stop_here(&mut self) {
        self.decided = false;
        let mut last = self.clone();
        last.last = None;
        self.last = Some(Box::new(last));
    }

    /// Goes on only if; says whether that is possible at all.
    fn assume(&mut self, term: Term) -> bool {
        self.decided = true;
        match term.fixed() {
            Some(n) => n != 0,
            None => {
                self.items.push(Item::Await(term));
                true
            }
        }
    }
}

impl Deriver<'_> {
    fn error<T>(&self, place: Place, message: &str) -> Result<T, Error> {
        Err(self.samples.error(place, message))
    }

    fn live(&mut self, function: usize, at: u32) -> BTreeSet<Reg> {
        let f = &self.samples.first().functions[function];
        self.live.entry(function).or_insert_with(|| liveness(f))[at as usize].clone()
    }

    /// Registers that matter at a location, by frame.
    fn needed(&mut self, point: &Point) -> Vec<(usize, usize, Reg)> {
        let mut found = Vec::new();
        for (depth, (function, at)) in point.iter().enumerate() {
            let mut live = self.live(*function, *at);
            if depth + 1 < point.len() {
                let call = &self.samples.first().functions[*function].code[*at as usize - 1];
                call.written().for_each(|reg| _ = live.remove(&reg));
            }
            found.extend(live.into_iter().map(|reg| (depth, *function, reg)));
        }
        found
    }

    fn own_variables(&self) -> Vec<usize> {
        let global = |l: &usize| matches!(self.variables.locals[*l].origin, Origin::Global(_));
        (0..self.variables.locals.len()).filter(global).collect()
    }

    /// What a thread knows at a location.
    fn at(&mut self, point: &Point) -> Result<Path, Error> {
        let all = &self.samples.first().functions;
        let is_start = point.len() == 1 && point[0].1 == 0;
        let mut frames = Vec::new();
        for (depth, (function, at)) in point.iter().enumerate() {
            self.samples.same_shape(*function)?;
            let mut results = None;
            if depth > 0 {
                let (caller, next) = point[depth - 1];
                if let Instr::Call { dst: Some(dst), results: count, .. } =
                    &all[caller].code[next as usize - 1]
                {
                    results = Some((*dst, *count));
                }
            }
            let regs = vec![Value::Unset; all[*function].regs as usize];
            frames.push(Frame { function: *function, at: *at, regs, results });
        }
        if is_start {
            if let Some(me) = all[point[0].0].params.first() {
                frames[0].regs[*me as usize] = Value::Term(Term::Me);
            }
        } else {
            for (depth, _, reg) in self.needed(point) {
                // Otherwise nobody gets here with a value: it is not used before it is set.
                if let Some(value) = self.held(point, &Slot::Register(depth, reg)) {
                    frames[depth].regs[reg as usize] = Value::Term(value);
                }
            }
        }
        let mut own = BTreeMap::new();
        for l in self.own_variables() {
            let initial = Term::Num(self.variables.locals[l].initial);
            let held = self.held(point, &Slot::Own(l));
            own.insert(l, if is_start { initial } else { held.unwrap_or(Term::Local(l)) });
        }
        Ok(Path {
            frames,
            own,
            written: BTreeSet::new(),
            items: Vec::new(),
            write: None,
            access: None,
            seen: vec![point.clone()],
            last: None,
            decided: false,
        })
    }

    /// What a slot holds at a location.
    fn held(&mut self, point: &Point, slot: &Slot) -> Option<Term> {
        let known = self.known.get(point)?.get(slot)?;
        if let Some(constant) = &known.constant {
            return Some(constant.clone());
        }
        if let Some(first) = known.same.first().cloned() {
            return self.held(point, &first);
        }
        Some(Term::Local(match slot {
            Slot::Own(l) => *l,
            Slot::Register(depth, reg) => {
                self.variables.register(self.samples, &point[..*depth], point[*depth].0, *reg)
            }
        }))
    }

    /// What is learnt of a location by getting there with these values.
    fn learn(&mut self, point: &Point, values: &[(Slot, Term)]) {
        let all = self.known.entry(point.clone()).or_default();
        for (n, (slot, term)) in values.iter().enumerate() {
            let constant = term.is_constant().then(|| term.clone());
            let same = values[..n].iter().filter(|v| v.1 == *term).map(|v| v.0.clone()).collect();
            let Some(known) = all.get_mut(slot) else {
                all.insert(slot.clone(), Known { constant, same });
                continue;
            };
            let before = known.clone();
            if known.constant != constant {
                known.constant = None;
            }
            known.same = known.same.intersection(&same).cloned().collect();
            self.changed |= *known != before;
        }
    }

    fn assigned(&mut self, local: usize, term: &Term, place: Place) -> Result<(), Error> {
        if !term.is_truth(&self.variables) {
            let variable = &self.variables.locals[local];
            if variable.bytes < 4 {
                let message = format!("`{}` has {} bits, which wrap", variable.name, 8 * variable.bytes);
                return self.error(place, &message);
            }
            self.changed |= self.variables.wide_locals.insert(variable.origin.clone());
        }
        Ok(())
    }

    /// The step ends here.
    fn arrive(&mut self, path: Path, done: bool) -> Result<Way, Error> {
        let point = path.point();
        let top = path.frames.last().map_or((0, 0), |f| (f.function, f.at));
        let place = self.samples.place(top.0, top.1.min(self.last_of(top.0)));
        let mut values = Vec::new();
        for l in self.own_variables() {
            values.extend(path.own.get(&l).map(|term| (Slot::Own(l), term.clone())));
        }
        for (depth, _, reg) in if done { Vec::new() } else { self.needed(&point) } {
            match &path.frames[depth].regs[reg as usize] {
                Value::Unset => {}
                Value::Term(term) => values.push((Slot::Register(depth, reg), term.clone())),
                Value::Address(..) | Value::Function(_) => {
                    let message = "an address is kept from one access to the next: that is outside of what is \
                                   derived";
                    return self.error(place, message);
                }
            }
        }
        if !done {
            self.learn(&point, &values);
        }
        let mut locals = Vec::new();
        for (slot, term) in values {
            let local = match &slot {
                Slot::Own(l) if path.written.contains(l) => *l,
                Slot::Own(_) => continue,
                Slot::Register(depth, reg) => {
                    let known = &self.known[&point][&slot];
                    if known.constant.is_some() || !known.same.is_empty() {
                        continue;
                    }
                    self.variables.register(self.samples, &point[..*depth], point[*depth].0, *reg)
                }
            };
            if term != Term::Local(local) {
                self.assigned(local, &term, place)?;
                locals.push((local, term));
            }
        }
        Ok(Way { items: path.items, locals, write: path.write, to: (!done).then_some(point) })
    }

    /// Whether several ways within a function lead to an instruction.
    fn joins(&self, function: usize, at: u32) -> bool {
        let mut count = 0;
        for instr in &self.samples.first().functions[function].code {
            instr.for_targets(|to| count += usize::from(*to == at));
        }
        count > 1
    }

    fn last_of(&self, function: usize) -> u32 {
        self.samples.first().functions[function].code.len() as u32 - 1
    }

    /// All ways from a location, and the place of the access.
    fn step(&mut self, point: &Point) -> Result<(Vec<Way>, Place), Error> {
        let mut ways = Vec::new();
        let (mut todo, mut access) = (vec![(self.at(point)?, false)], None);
        let mut length = 0;
        while let Some((mut path, mut boundary)) = todo.pop() {
            loop {
                length += 1;
                let frame = path.top();
                let (function, at) = (frame.function, frame.at);
                let place = self.samples.place(function, at);
                if length > LONGEST || ways.len() > MOST_WAYS {
                    return self.error(place, "there are too many ways from one access to the next");
                }
                if boundary {
                    let here = path.point();
                    if self.forced.contains(&here) {
                        ways.push(self.arrive(path, false)?);
                        break;
                    }
                    if path.seen.contains(&here) {
                        // A loop without an access.
                        self.changed |= self.forced.insert(here);
                        break;
                    }
                    path.seen.push(here);
                    if path.access.is_some() && (path.decided || self.joins(function, at)) {
                        path.stop_here();
                    }
                }
                let next = self.instruction(&mut path, &mut todo, place)?;
                access = access.or(path.access);
                match next {
                    Next::On => boundary = false,
                    Next::Elsewhere => boundary = true,
                    Next::Ends => {
                        ways.push(self.arrive(path, true)?);
                        break;
                    }
                    Next::Again => {
                        let Some(last) = path.last.take() else { unreachable!("an access leaves a place") };
                        ways.push(self.arrive(*last, false)?);
                        break;
                    }
                    Next::Never => break,
                }
            }
        }
        let (function, at) = point[point.len() - 1];
        Ok((ways, access.unwrap_or(self.samples.place(function, at.min(self.last_of(function))))))
    }

    /// Ways that change nothing and lead back wait for something: guards say so by themselves.
    fn no_waiting(&self, location: &mut Location) -> Result<(), Error> {
        let waits =
            |w: &Way| w.to.as_ref() == Some(&location.point) && w.locals.is_empty() && w.write.is_none();
        let (out, kept): (Vec<Way>, Vec<Way>) = location.ways.drain(..).partition(waits);
        for way in out {
            for (n, item) in way.items.iter().enumerate() {
                let also = |w: &Way| w.items.len() > n && w.items[..=n] == way.items[..=n];
                if matches!(item, Item::Assert(_)) && !kept.iter().any(also) {
                    let message = "an assertion in a loop that only waits is outside of what is derived";
                    return self.error(location.place, message);
                }
            }
        }
        location.ways = kept;
        Ok(())
    }
}
