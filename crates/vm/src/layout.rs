//! How objects in shared memory are divided into cells.
//!
//! The explorer knows locations, not bytes. A location is a *cell*: some bytes of an object that are read
//! and written together. An access makes the bytes that it is the first to touch a cell. A later plain
//! access may span several cells; it is then performed cell by cell. What it cannot do is touch a part of a
//! cell: cells must not change while an exploration is under way, since its graph refers to them. Then
//! the needed boundaries are noted and the exploration is started again ([`Clash::Restart`]) with smaller
//! cells.
//!
//! So it is with atomic accesses of different sizes: the cells are the smallest parts that some access tells
//! apart, and wider ones are of several cells. Those are events of their own, but one access to the model
//! (`selvedge_machine::Machine::part`). Atomic accesses are aligned, so of two that overlap one contains the
//! other.
//!
//! The division of a given access never changes between two restarts: once its bytes have cells, they
//! keep them. So it does not depend on the order of exploration.

use selvedge_graph::Loc;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A cell, or the part of it that an access is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub loc: Loc,
    /// The first byte within the cell.
    pub from: u32,
    pub len: u32,
    /// The first byte within the access.
    pub at: u32,
}

pub type Pieces = SmallVec<[Piece; 2]>;

/// Why an access is not possible with the cells that there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clash {
    /// Smaller cells are needed; they were noted.
    Restart,
    /// Atomic accesses of different sizes overlap, or a plain store changes a part of an atomic, in a way
    /// that no smaller cells help.
    MixedSizes,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    Load,
    Store,
    /// Loads and stores of `memcpy` and the like, of any length.
    BulkLoad,
    BulkStore,
}

/// A layout as plain data; the objects and their classes are known from elsewhere.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SavedLayout {
    classes: Vec<Class>,
    /// By object.
    units: Vec<Vec<(u32, u32)>>,
    /// Object, offset, size; atomic, guessed.
    cells: Vec<(u32, u32, u32, bool, bool)>,
    divided: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub object: u32,
    pub offset: u32,
    pub size: u32,
    atomic: bool,
    /// Its bounds were guessed from another object of the same class.
    guessed: bool,
}

impl Cell {
    fn end(&self) -> u32 {
        self.offset + self.size
    }

    /// Whether it holds many bytes, which may be read in part: whoever writes to a part of it divides it.
    fn is_run(&self) -> bool {
        self.size > 16
    }
}

/// What is known of the objects of one kind (one global, or one place of allocation and size) from
/// earlier explorations.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Class {
    /// Offsets that no plain cell may span.
    cuts: BTreeSet<u32>,
    /// After many cuts: plain cells do not span multiples of it.
    granule: Option<u32>,
    /// Ranges of atomic accesses; only a guess for the next object of the class.
    units: Vec<(u32, u32)>,
    /// Offsets that no cell may span, as atomic accesses of different sizes overlap there.
    atomic_cuts: BTreeSet<u32>,
    /// The units are no good guess.
    mixed: bool,
    /// What is in it outlives crashes: writes persist by so many bytes at once, at multiples of that, so no
    /// cell is larger.
    #[serde(default)]
    durable: Option<u32>,
}

/// Bulk accesses of more than this many bytes, where nothing smaller is known of them, make cells of many
/// bytes.
const RUN: u32 = 4096;

/// The largest cell.
const LONGEST_RUN: u32 = 1 << 20;

/// From this many cuts on, an object is divided regularly: it is likely an array.
const MANY_CUTS: usize = 12;

/// How one object is divided into cells.
#[derive(Clone, Debug, Default)]
struct Division {
    class: u32,
    /// By offset: 1 + the cell that starts there. Only as long as offsets are moderate.
    starts: Vec<u32>,
    sorted: BTreeMap<u32, Loc>,
    /// Ranges of atomic accesses, from earlier explorations.
    units: Vec<(u32, u32)>,
}

const DENSE: u32 = 1 << 18;

/// The cells of all objects.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    objects: Vec<Division>,
    classes: Vec<Class>,
    class_ids: HashMap<(u32, u32, u64), u32>,
    cells: Vec<Cell>,
    /// Cells whose flags were set after they were made, in that order.
    flagged: Vec<Loc>,
    restart: bool,
    /// Some access, other than of copies, was not of one whole cell.
    divided: bool,
    /// Some atomic accesses may be of several cells.
    mixed: bool,
    /// There are cells of more than 8 bytes.
    wide: bool,
    /// None may be.
    refuses_mixed: bool,
}

impl Layout {
    /// Whether some access was not of one whole cell, those of copies left out.
    pub fn is_divided(&self) -> bool {
        self.divided
    }

    /// Whether there are cells of more than 8 bytes.
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// Whether atomic accesses of several cells may come up, now that cells were divided for them.
    pub fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// No atomic access may be of several cells.
    pub fn refuse_mixed(&mut self) {
        self.refuses_mixed = true;
    }

    /// Adds the next object. Objects with the same key are expected to be used alike.
    pub fn add_object(&mut self, key: (u32, u32, u64)) {
        let next = self.classes.len() as u32;
        let class = *self.class_ids.entry(key).or_insert(next);
        if class == next {
            self.classes.push(Class::default());
        }
        self.objects.push(Division { class, ..Division::default() });
    }

    /// Objects like this one are durable: what is written persists by so many bytes at once.
    pub fn make_durable(&mut self, object: u32, at_once: u32) {
        let at = self.objects[object as usize].class;
        let class = &mut self.classes[at as usize];
        if class.durable.is_some_and(|known| known <= at_once) {
            return;
        }
        class.durable = Some(at_once);
        let large = |cell: &Cell| {
            let whole = cell.offset / at_once == (cell.end() - 1) / at_once;
            !whole && self.objects[cell.object as usize].class == at
        };
        self.restart |= self.cells.iter().any(large);
    }

    /// All is explored again: what was learned makes a difference to what was done.
    pub fn ask_for_restart(&mut self) {
        self.restart = true;
    }

    /// The cells of an object that there are so far, by offset.
    pub fn cells_of(&self, object: u32) -> impl Iterator<Item = Loc> + '_ {
        self.objects[object as usize].sorted.values().copied()
    }

    pub fn cell(&self, loc: Loc) -> Cell {
        self.cells[loc.index()]
    }

    /// Whether an access asked for other cells.
    pub fn needs_restart(&self) -> bool {
        self.restart
    }

    /// Forgets all cells but keeps what was learned.
    pub fn restart(&mut self) {
        self.cells.clear();
        self.flagged.clear();
        for object in &mut self.objects {
            object.starts.clear();
            object.sorted.clear();
        }
        self.restart = false;
        self.mixed = self.classes.iter().any(|class| !class.atomic_cuts.is_empty());
    }

    pub fn save(&self) -> SavedLayout {
        let cell = |c: &Cell| (c.object, c.offset, c.size, c.atomic, c.guessed);
        SavedLayout {
            classes: self.classes.clone(),
            units: self.objects.iter().map(|o| o.units.clone()).collect(),
            cells: self.cells.iter().map(cell).collect(),
            divided: self.divided,
        }
    }

    /// Puts a layout of the same objects back as it was; `None` if it is of others.
    pub fn restore(&mut self, saved: SavedLayout) -> Option<()> {
        if saved.classes.len() != self.classes.len() || saved.units.len() != self.objects.len() {
            return None;
        }
        self.classes = saved.classes;
        self.restart();
        self.divided = saved.divided;
        for (object, units) in self.objects.iter_mut().zip(saved.units) {
            object.units = units;
        }
        for (object, offset, size, atomic, guessed) in saved.cells {
            if object as usize >= self.objects.len() || offset.checked_add(size).is_none() {
                return None;
            }
            self.add(object, offset, size, atomic, guessed);
        }
        Some(())
    }

    /// How many cells there are.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Takes in what is new in a layout of which this one is a beginning. Classes are not looked at: what
    /// they know is for whoever makes cells.
    pub fn follow(&mut self, common: &Layout) {
        for cell in &common.cells[self.cells.len()..] {
            self.add(cell.object, cell.offset, cell.size, cell.atomic, cell.guessed);
        }
        for &loc in &common.flagged[self.flagged.len()..] {
            self.cells[loc.index()] = common.cells[loc.index()];
            self.flagged.push(loc);
        }
        self.restart = common.restart;
        self.mixed = common.mixed;
    }

    fn flag(&mut self, loc: Loc, set: impl Fn(&mut Cell) -> &mut bool) {
        if !std::mem::replace(set(&mut self.cells[loc.index()]), true) {
            self.flagged.push(loc);
        }
    }

    /// What `atomic` would return, if that changes nothing.
    #[inline]
    pub fn known_atomic(&self, object: u32, offset: u32, size: u32) -> Option<Loc> {
        self.exact(object, offset, size).filter(|loc| self.cells[loc.index()].atomic)
    }

    /// What `plain` would return, if that changes nothing.
    pub fn known_plain(&self, object: u32, offset: u32, len: u32, how: Plain) -> Option<Pieces> {
        let mut pieces = Pieces::new();
        let end = offset + len;
        let mut at = offset;
        while at < end {
            let loc = self.covering(object, at)?;
            let cell = self.cells[loc.index()];
            let to = cell.end().min(end);
            let whole = cell.offset == at && cell.end() <= end;
            let store = matches!(how, Plain::Store | Plain::BulkStore);
            if !whole && (store || !(cell.atomic || cell.is_run())) {
                return None;
            }
            pieces.push(Piece { loc, from: at - cell.offset, len: to - at, at: at - offset });
            at = to;
        }
        Some(pieces)
    }

    /// The cell with exactly these bounds.
    #[inline]
    pub fn exact(&self, object: u32, offset: u32, size: u32) -> Option<Loc> {
        let start = *self.objects[object as usize].starts.get(offset as usize)?;
        let loc = Loc(start.checked_sub(1)?);
        (self.cells[loc.index()].size == size).then_some(loc)
    }

    /// The cells of an atomic access, in order of address.
    pub fn atomic(&mut self, object: u32, offset: u32, size: u32) -> Result<Pieces, Clash> {
        let class = &self.classes[self.objects[object as usize].class as usize];
        // What is durable persists in words, however it is accessed.
        if let Some(word) = class.durable {
            let first = (offset / word + 1) * word;
            let mut words = (first..offset + size).step_by(word as usize);
            if let Some(cut) = words.find(|cut| !class.atomic_cuts.contains(cut)) {
                return Err(self.cut_atomics(object, (offset, offset + size), (cut, cut + word)));
            }
        }
        let inside = class.atomic_cuts.range(offset + 1..offset + size).copied();
        let bounds: Vec<u32> = [offset].into_iter().chain(inside).chain([offset + size]).collect();
        // Before the next start, nobody expects accesses of several cells.
        if bounds.len() > 2 && !self.mixed {
            return Err(Clash::Restart);
        }
        let mut pieces = Pieces::new();
        for pair in bounds.windows(2) {
            let (from, len) = (pair[0], pair[1] - pair[0]);
            let loc = self.atomic_cell(object, from, len)?;
            pieces.push(Piece { loc, from: 0, len, at: from - offset });
        }
        self.divided |= pieces.len() > 1;
        Ok(pieces)
    }

    /// What `atomic` would return, if that changes nothing and is of several cells.
    pub fn known_parts(&self, object: u32, offset: u32, size: u32) -> Option<Pieces> {
        let pieces = self.known_plain(object, offset, size, Plain::Store).filter(|_| self.mixed)?;
        let atomic = |p: &Piece| self.cells[p.loc.index()].atomic;
        (pieces.len() > 1 && pieces.iter().all(atomic)).then_some(pieces)
    }

    /// The cell of an atomic access, or of a part of it.
    fn atomic_cell(&mut self, object: u32, offset: u32, size: u32) -> Result<Loc, Clash> {
        if let Some(loc) = self.exact(object, offset, size) {
            self.flag(loc, |cell| &mut cell.atomic);
            return Ok(loc);
        }
        let end = offset + size;
        let unit = (offset, end);
        let overlaps = |(from, to): (u32, u32)| from < end && offset < to;
        let o = &self.objects[object as usize];
        if let Some(&other) = o.units.iter().find(|u| **u != unit && overlaps(**u)) {
            return Err(self.cut_atomics(object, unit, other));
        }
        let mut clash = None;
        let first = o.sorted.range(..=offset).next_back().map_or(offset, |(start, _)| *start);
        for (_, &loc) in o.sorted.range(first..end) {
            let cell = self.cells[loc.index()];
            if overlaps((cell.offset, cell.end())) {
                if (cell.offset, cell.end()) == unit {
                    self.flag(loc, |cell| &mut cell.atomic);
                    return Ok(loc);
                }
                if cell.atomic {
                    return Err(self.cut_atomics(object, unit, (cell.offset, cell.end())));
                }
                clash = Some(cell);
            }
        }
        match clash {
            None => Ok(self.add(object, offset, size, true, false)),
            Some(cell) => Err(self.ask_for_unit(object, unit, cell)),
        }
    }

    /// Notes that two accesses, not both of them plain, overlap without being of the same size.
    fn cut_atomics(&mut self, object: u32, one: (u32, u32), other: (u32, u32)) -> Clash {
        if self.refuses_mixed {
            return Clash::MixedSizes;
        }
        let at = self.objects[object as usize].class;
        let class = &mut self.classes[at as usize];
        let before = class.atomic_cuts.len();
        let within = |at: u32, (from, to): (u32, u32)| from < at && at < to;
        let bounds = [one.0, one.1, other.0, other.1];
        class.atomic_cuts.extend(bounds.into_iter().filter(|b| within(*b, one) || within(*b, other)));
        if class.atomic_cuts.len() == before {
            return if self.restart { Clash::Restart } else { Clash::MixedSizes };
        }
        let cuts = class.atomic_cuts.clone();
        class.cuts.extend(&cuts);
        divide(&mut class.units, &cuts);
        for object in self.objects.iter_mut().filter(|o| o.class == at) {
            divide(&mut object.units, &cuts);
        }
        self.restart = true;
        Clash::Restart
    }

    fn ask_for_unit(&mut self, object: u32, unit: (u32, u32), cell: Cell) -> Clash {
        let o = &mut self.objects[object as usize];
        o.units.push(unit);
        let class = &mut self.classes[o.class as usize];
        class.mixed |= cell.guessed;
        if !class.units.contains(&unit) {
            class.mixed |= class.units.iter().any(|u| u.0 < unit.1 && unit.0 < u.1);
            class.units.push(unit);
        }
        self.cut(object, unit, cell);
        Clash::Restart
    }

    /// The cells of a plain access, in order of address. New cells preferably end at the offsets `like`
    /// within the access, in order: where something is copied, its cells are likely to fit the copy, too.
    pub fn plain(
        &mut self,
        object: u32,
        offset: u32,
        len: u32,
        how: Plain,
        like: &[u32],
    ) -> Result<Pieces, Clash> {
        let mut pieces = Pieces::new();
        let end = offset + len;
        let mut at = offset;
        while at < end {
            let Some(loc) = self.covering(object, at) else {
                let next = like.partition_point(|bound| *bound <= at - offset);
                let bound = like.get(next).map_or(u32::MAX, |bound| offset + bound);
                self.fill_gap(object, at, (offset, end), how, bound);
                continue;
            };
            let cell = self.cells[loc.index()];
            let to = cell.end().min(end);
            if cell.offset < at || cell.end() > end {
                let store = matches!(how, Plain::Store | Plain::BulkStore);
                if !cell.atomic && (store || !cell.is_run()) {
                    self.classes[self.objects[object as usize].class as usize].mixed |= cell.guessed;
                    self.cut(object, (offset, end), cell);
                    return Err(Clash::Restart);
                }
                if store {
                    return Err(self.cut_atomics(object, (offset, end), (cell.offset, cell.end())));
                }
            }
            pieces.push(Piece { loc, from: at - cell.offset, len: to - at, at: at - offset });
            at = to;
        }
        let whole = |p: &Piece| p.from == 0 && p.len == self.cells[p.loc.index()].size;
        let bulk = matches!(how, Plain::BulkLoad | Plain::BulkStore);
        self.divided |= !(bulk || pieces.len() == 1 && pieces.iter().all(whole));
        Ok(pieces)
    }

    fn covering(&self, object: u32, at: u32) -> Option<Loc> {
        let (_, loc) = self.objects[object as usize].sorted.range(..=at).next_back()?;
        (self.cells[loc.index()].end() > at).then_some(*loc)
    }

    /// Makes a cell at `at`, where there is none, for an access to `offset..end`; up to `bound` at most.
    fn fill_gap(&mut self, object: u32, at: u32, (offset, end): (u32, u32), how: Plain, bound: u32) {
        let o = &self.objects[object as usize];
        let class = &self.classes[o.class as usize];
        let next_cell = o.sorted.range(at..).next().map_or(u32::MAX, |(start, _)| *start);
        let covers = |(from, to): &&(u32, u32)| *from <= at && at < *to;
        if let Some(&(from, to)) = o.units.iter().find(covers) {
            self.add(object, from, to - from, true, false);
            return;
        }
        let guess = if class.mixed { None } else { class.units.iter().find(covers) };
        if let Some(&(from, to)) = guess
            && o.sorted.range(from..to).next().is_none()
            && self.covering(object, from).is_none()
        {
            self.add(object, from, to - from, false, true);
            return;
        }
        let starts = o.units.iter().chain(if class.mixed { &[][..] } else { &class.units });
        let next_unit = starts.map(|u| u.0).filter(|from| *from > at).min().unwrap_or(u32::MAX);
        let next_cut = class.cuts.range(at + 1..).next().copied().unwrap_or(u32::MAX);
        let mut limit = end.min(next_cell).min(next_unit).min(next_cut).min(bound);
        let bulk = matches!(how, Plain::BulkLoad | Plain::BulkStore);
        if bulk && limit - at > RUN && class.durable.is_none() {
            self.add(object, at, (limit - at).min(LONGEST_RUN), false, false);
            return;
        }
        if let Some(granule) = class.granule.into_iter().chain(class.durable).min() {
            limit = limit.min((at / granule + 1) * granule);
        }
        let size = if !bulk && at == offset && limit == end {
            end - offset
        } else {
            let aligned = |size: &u32| at.is_multiple_of(*size) && at + size <= limit;
            [8, 4, 2].into_iter().find(aligned).unwrap_or(1)
        };
        self.add(object, at, size, false, false);
    }

    fn add(&mut self, object: u32, offset: u32, size: u32, atomic: bool, guessed: bool) -> Loc {
        let loc = Loc(self.cells.len() as u32);
        self.cells.push(Cell { object, offset, size, atomic, guessed });
        self.wide |= size > 8;
        let o = &mut self.objects[object as usize];
        if offset < DENSE {
            if o.starts.len() <= offset as usize {
                o.starts.resize(offset as usize + 1, 0);
            }
            o.starts[offset as usize] = loc.0 + 1;
        }
        o.sorted.insert(offset, loc);
        loc
    }

    /// Notes that an access and a cell overlap without fitting.
    fn cut(&mut self, object: u32, access: (u32, u32), cell: Cell) {
        let class = &mut self.classes[self.objects[object as usize].class as usize];
        let bounds = [access.0, access.1, cell.offset, cell.end()];
        class.cuts.extend(bounds.into_iter().filter(|at| *at > 0));
        if class.cuts.len() > MANY_CUTS {
            let common = bounds.iter().fold(8, |g: u32, at| g | at).trailing_zeros();
            let granule = 1 << common.min(3);
            class.granule = Some(class.granule.map_or(granule, |g| g.min(granule)));
            // Likely the next ones are close by.
            if cell.is_run() {
                class.cuts.extend([access.0 / RUN * RUN, access.1.next_multiple_of(RUN)]);
                class.cuts.remove(&0);
            }
        }
        self.restart = true;
    }
}

/// Divides ranges at these offsets.
fn divide(units: &mut Vec<(u32, u32)>, cuts: &BTreeSet<u32>) {
    let mut parts = Vec::with_capacity(units.len());
    for &(from, to) in &*units {
        let mut at = from;
        for cut in cuts.range(from + 1..to).copied().chain([to]) {
            if !parts.contains(&(at, cut)) {
                parts.push((at, cut));
            }
            at = cut;
        }
    }
    *units = parts;
}
