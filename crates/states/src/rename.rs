//! States that are the same but for what objects are called.
//!
//! Two states are taken for one if a renaming of objects makes one of the other ([Huynh07] §5): objects of
//! the same kind, with the same contents, referred to from the same places. So objects are numbered in the
//! order in which one comes to them from static variables and threads, and a state is told by its parts with
//! these numbers in place of names: its *form*. What nothing leads to is not told at all. Forms are not kept,
//! only their hashes: a state is told by the numbers of its parts, and its form can be had again from that
//! when two hashes are equal.
//!
//! That is right where nothing that a program does depends on names ([`Canonical::names_matter`]): then what
//! comes after one state comes after the other, with other names. What cannot be told apart from a name is a
//! name that must be the same in both (it is *pinned*), or makes the state one of its own.

use crate::rows::Rows;
use crate::taken::{Spot, Taken};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use selvedge_graph::Loc;
use selvedge_machine::{Canonical, Machine};
use std::hash::BuildHasher;

/// A part of a state without names.
struct Shape {
    /// Its words, by their number, without names.
    shape: u32,
    /// Objects that they are about, in order.
    objects: Box<[u32]>,
    pinned: Box<[u32]>,
    /// Objects whose lives are over, in order.
    gone: Box<[u32]>,
    /// Of what is in memory: the object that it is in.
    own: Option<u32>,
    is_opaque: bool,
}

#[derive(Default)]
pub(crate) struct Shapes {
    words: Rows<u64>,
    /// By the number of a part.
    of: Vec<Shape>,
    /// By the number of what is in memory: parts, those first that are in no object, then by object.
    memories: Vec<Box<[u32]>>,
    /// By object: what it is, among `words`. 0 if that is not known; the empty row has that number.
    kinds: Vec<u32>,
    /// Some object has been made.
    has_objects: bool,
    /// Hashes of forms, and of which state they are.
    forms: HashTable<(u64, u32)>,
    hasher: FixedState,
    scratch: [Form; 2],
    row: Vec<u64>,
}

/// A state with numbers for objects in the order in which one comes to them.
#[derive(Default)]
struct Form {
    all: Vec<u32>,
    order: Vec<u32>,
    /// By object: a stamp, and its place in the order.
    places: Vec<(u32, u32)>,
    stamp: u32,
}

/// In place of what is in an object, if nothing was ever written there.
const NOTHING: u32 = u32::MAX;

impl Form {
    fn place(&mut self, object: u32) -> u32 {
        let at = object as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, (0, 0));
        }
        if self.places[at].0 != self.stamp {
            self.places[at] = (self.stamp, self.order.len() as u32);
            self.order.push(object);
        }
        self.places[at].1
    }

    fn part(&mut self, shape: &Shape) {
        self.all.push(shape.shape);
        for object in &shape.objects {
            let place = self.place(*object);
            self.all.push(place);
        }
        for object in &shape.pinned {
            let place = self.place(*object);
            self.all.extend([place, *object]);
        }
    }
}

impl Shapes {
    /// The next part.
    pub fn add<M>(&mut self, machine: &M, taken: &Taken)
    where
        M: Machine + Canonical,
    {
        if self.words.len() == 0 {
            self.words.number(&[]);
        }
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.extend_from_slice(&taken.all()[..taken.rest.unwrap_or(taken.all().len())]);
        let (mut objects, mut pinned, mut gone, mut places) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut own = None;
        for (at, spot) in &taken.spots {
            let word = taken.all()[*at as usize];
            let named = match spot {
                Spot::Made => {
                    self.has_objects |= word != 0;
                    row[*at as usize] = 0;
                    continue;
                }
                Spot::Value => match machine.address(word) {
                    None => {
                        machine.mentions(word, &mut |object| pinned.push(object));
                        None
                    }
                    address => address,
                },
                Spot::Location => {
                    let cell = machine.cell(Loc(word as u32));
                    own = own.or(cell.map(|(object, _)| object));
                    cell
                }
                Spot::Object => machine.is_allocated(word as u32).then_some((word as u32, 0)),
            };
            let is_rest = taken.rest.is_some_and(|rest| *at as usize >= rest);
            match named {
                Some((object, _)) if is_rest => gone.push(object),
                // It has one name for good.
                None if is_rest => row.push(word),
                Some((object, within)) => {
                    row[*at as usize] = within;
                    places.push(u64::from(*at));
                    objects.push(object);
                }
                None => {}
            }
        }
        row.push(places.len() as u64);
        row.append(&mut places);
        for object in objects.iter().chain(&pinned) {
            self.note_kind(machine, *object);
        }
        let (shape, _) = self.words.number(&row);
        self.row = row;
        gone.sort_unstable();
        self.of.push(Shape {
            shape,
            objects: objects.into(),
            pinned: pinned.into(),
            gone: gone.into(),
            own,
            is_opaque: taken.is_opaque,
        });
    }

    /// The next contents of memory.
    pub fn add_memory(&mut self, parts: &[u32]) {
        let mut parts: Box<[u32]> = parts.into();
        parts.sort_by_key(|part| self.of[*part as usize].own);
        self.memories.push(parts);
    }

    fn note_kind<M>(&mut self, machine: &M, object: u32)
    where
        M: Machine + Canonical,
    {
        self.has_objects = true;
        let at = object as usize;
        if self.kinds.len() <= at {
            self.kinds.resize(at + 1, 0);
        }
        if self.kinds[at] == 0 {
            // Nothing else is told by such a word first.
            let mut words = vec![u64::MAX];
            machine.write_object(object, &mut words);
            self.kinds[at] = self.words.number(&words).0;
        }
    }

    /// A state that was met before, and is like this new one but for names: which one, and objects of that
    /// one with those of this one in their place. If there is none, this one is remembered.
    pub fn like(&mut self, states: &Rows<u32>, row: u32) -> Option<(u32, Vec<(u32, u32)>)> {
        let hash = self.tell(states.get(row), 0)?;
        let Some(other) = self.same_form(states, hash) else {
            self.forms.insert_unique(hash, (hash, row), |(hash, _)| *hash);
            return None;
        };
        let [own, of_other] = &self.scratch;
        let pairs = of_other.order.iter().copied().zip(own.order.iter().copied());
        Some((other, pairs.filter(|(a, b)| a != b).collect()))
    }

    /// The same of a state that may be new, and is not remembered.
    pub fn known(&mut self, states: &Rows<u32>, key: &[u32]) -> Option<u32> {
        let hash = self.tell(key, 0)?;
        self.same_form(states, hash)
    }

    fn same_form(&mut self, states: &Rows<u32>, hash: u64) -> Option<u32> {
        let rows: Vec<u32> = self.forms.iter_hash(hash).filter(|f| f.0 == hash).map(|f| f.1).collect();
        rows.into_iter().find(|row| {
            self.tell(states.get(*row), 1).is_some() && self.scratch[0].all == self.scratch[1].all
        })
    }

    /// Puts down the form of a state and gives its hash, if it has one.
    fn tell(&mut self, key: &[u32], into: usize) -> Option<u64> {
        if !self.has_objects {
            return None;
        }
        let form = &mut self.scratch[into];
        form.stamp += 1;
        form.all.clear();
        form.order.clear();
        let &[memory, over, ref threads @ ..] = key else { return None };
        let memory = &self.memories[memory as usize];
        let statics = memory.iter().take_while(|part| self.of[**part as usize].own.is_none()).count();
        let over = &self.of[over as usize];
        let roots = memory[..statics].iter().chain(threads).map(|part| &self.of[*part as usize]);
        form.all.extend([statics as u32, over.shape]);
        for root in roots {
            if root.is_opaque {
                return None;
            }
            form.part(root);
        }
        let heap = &memory[statics..];
        let mut next = 0;
        while let Some(object) = form.order.get(next).copied() {
            next += 1;
            let is_gone = over.gone.binary_search(&object).is_ok();
            let kind = self.kinds.get(object as usize).copied().unwrap_or(0);
            form.all.extend([kind, u32::from(is_gone)]);
            match heap.binary_search_by_key(&Some(object), |part| self.of[*part as usize].own) {
                Ok(at) => form.part(&self.of[heap[at] as usize]),
                Err(_) => form.all.push(NOTHING),
            }
        }
        Some(self.hasher.hash_one(&form.all))
    }
}
