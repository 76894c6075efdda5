//! What a part of a state is told by, and which of its words are about objects.

use selvedge_graph::Loc;
use selvedge_machine::Words;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spot {
    Value,
    Object,
    Location,
    /// How many objects a thread has made.
    Made,
}

/// Words, and which of them are about objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    words: Vec<u64>,
    pub spots: Vec<(u32, Spot)>,
    /// What comes from outside.
    pub outside: Vec<u32>,
    /// Some are, and nobody knows which.
    pub is_opaque: bool,
    /// From here on, only what concerns objects that something else leads to counts.
    pub rest: Option<usize>,
}

impl Taken {
    /// Begins with another part, of a kind.
    pub fn clear(&mut self, kind: u64) {
        self.words.clear();
        self.spots.clear();
        self.outside.clear();
        self.words.push(kind);
        self.is_opaque = false;
        self.rest = None;
    }

    pub fn rest(&mut self) {
        self.rest = Some(self.words.len());
    }

    pub fn all(&self) -> &[u64] {
        &self.words
    }

    /// The values among them, but for 0.
    pub fn values(&self) -> impl Iterator<Item = u64> {
        let values = self.spots.iter().filter(|(_, spot)| *spot == Spot::Value);
        values.map(|(at, _)| self.words[*at as usize])
    }

    fn spot(&mut self, spot: Spot, word: u64) {
        self.spots.push((self.words.len() as u32, spot));
        self.words.push(word);
    }
}

impl Words for Taken {
    fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    fn value(&mut self, value: u64) {
        // Most are small numbers, and many are 0.
        match value {
            0 => self.words.push(0),
            _ => self.spot(Spot::Value, value),
        }
    }

    fn object(&mut self, object: u32) {
        self.spot(Spot::Object, u64::from(object));
    }

    fn location(&mut self, loc: Loc) {
        self.spot(Spot::Location, u64::from(loc.0));
    }

    fn made(&mut self, objects: u32) {
        self.spot(Spot::Made, u64::from(objects));
    }

    fn opaque(&mut self) {
        self.is_opaque = true;
    }

    fn outside(&mut self, term: u32) {
        self.outside.push(term);
        self.words.push(1 + u64::from(term));
    }
}
