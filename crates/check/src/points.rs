//! The steps of an execution that matter: what is wrong, and what it has to do with. Reports show the source
//! there, and the calls that led to it.

use crate::violation::{Violation, What};
use crate::witness::{Action, Call, Place, Waiting, Witness};
use selvedge_machine::ErrorKind;

/// A step that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// What it is, unless the message says so: `the write to x`.
    pub what: Option<String>,
    /// Number of its event; what the program or the machine says is none.
    pub event: Option<usize>,
    /// Who did it.
    pub thread: Option<u16>,
    /// Where.
    pub place: Option<Place>,
    /// The calls that led there, the innermost first; nothing if there is only one.
    pub stack: Vec<Call>,
}

impl Violation {
    /// The steps that matter, in the order in which [`message`](Violation::message) speaks of them.
    pub fn points(&self) -> Vec<Point> {
        let w = &self.witness;
        let mut points: Vec<Point> = match &self.what {
            What::Said(_) => {
                let failing = Point {
                    what: None,
                    event: None,
                    thread: self.thread,
                    place: self.place.clone(),
                    stack: self.stack.clone(),
                };
                let source = self.last_source().map(|(write, read)| {
                    let reader = w.event(read).map_or("", |event| w.thread(event.thread));
                    let what = format!("{}, which {reader} read last", w.what(write));
                    Point { what: Some(what), ..w.point(write) }
                });
                [failing].into_iter().chain(source).collect()
            }
            What::Events(event, other) => {
                let ends = |number: usize| {
                    matches!(w.event(number).map(|event| &event.action), Some(Action::Free { .. }))
                };
                let turned = matches!(self.kind, ErrorKind::UseAfterFree | ErrorKind::DeadStack);
                let mut numbers = vec![*event];
                numbers.extend(other);
                if turned && ends(*event) {
                    numbers.reverse();
                }
                numbers.into_iter().map(|number| w.point(number)).collect()
            }
            What::NotAllowed(first, second) => [*first, *second].map(|number| w.point(number)).to_vec(),
            What::Leaked(event) => vec![w.point(*event)],
            What::Stuck => w.waiting.iter().map(|waiting| waits(w, waiting)).collect(),
        };
        // A read that misses a write, and the write.
        if let Some(missing) = self.missing.as_ref().filter(|missing| missing.missed) {
            let missed = format!("{}, which is missed", w.what(missing.before));
            let read = w.point(missing.after);
            if points.iter().all(|point| (&point.place, point.thread) != (&read.place, read.thread)) {
                points.push(read);
            }
            points.push(Point { what: Some(missed), ..w.point(missing.before) });
        }
        points.retain(|point| point.place.is_some());
        points
    }

    /// The write, of another thread, that the thread that fails has read last, and the read.
    fn last_source(&self) -> Option<(usize, usize)> {
        let of_thread = |event: &&crate::Event| Some(event.thread) == self.thread;
        let last =
            self.witness.events.iter().filter(of_thread).rev().find_map(|event| match event.action {
                Action::Read { from, .. } => Some((from, event.number)),
                _ => None,
            })?;
        let write = self.witness.event(last.0)?;
        (Some(write.thread) != self.thread).then_some(last)
    }
}

fn waits(witness: &Witness, waiting: &Waiting) -> Point {
    Point {
        what: Some(format!("where {} waits", witness.thread(waiting.thread))),
        event: None,
        thread: None,
        place: waiting.place.clone(),
        stack: waiting.stack.clone(),
    }
}

impl Witness {
    fn what(&self, number: usize) -> String {
        self.access(number).map_or(String::from("the initial value"), |access| access.name())
    }

    fn point(&self, number: usize) -> Point {
        let event = self.event(number);
        Point {
            what: Some(self.what(number)),
            event: event.map(|event| event.number),
            thread: event.map(|event| event.thread),
            place: event.and_then(|event| event.place.clone()),
            stack: event.map_or(Vec::new(), |event| event.stack.clone()),
        }
    }
}
