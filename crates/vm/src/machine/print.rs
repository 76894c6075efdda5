//! Texts that a thread makes and prints, and the arguments of functions that take any number of them.

use super::memory::{Spot, Use};
use super::state::{Frame, Val, VmState};
use super::{Halt, VmMachine, fail, private_address};
use crate::contents::Bytes;
use crate::format::{Needed, Text, Trouble};
use crate::layout::Pieces;
use crate::private::PrivateObject;
use crate::undefined::Origin;
use selvedge_ir::Reg;
use selvedge_machine::{ErrorKind, Op};
use std::cell::Cell;
use std::rc::Rc;

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Halt {
        match trouble {
            Trouble::Null => {
                Halt::Error(ErrorKind::NullDereference, String::from("a null pointer is printed as a text"))
            }
            Trouble::Unsupported(what) => Halt::Error(ErrorKind::Unsupported, what),
        }
    }
}

/// Something that was printed, after so many operations of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    pub after: u32,
    pub text: Vec<u8>,
}

impl VmState {
    /// What the thread has printed, each with how many operations it had performed before.
    pub fn printed(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.rare.printed.iter().map(|p| (p.after, p.text.as_slice()))
    }
}

impl VmMachine {
    /// Puts the arguments beyond a function's parameters where it looks for them.
    pub(super) fn pass_rest(&self, state: &mut VmState, frame: &mut Frame, first: Reg, rest: &[Val]) {
        let mut area = PrivateObject::fresh(8 * rest.len() as u64, Origin(0));
        for (at, value) in rest.iter().enumerate() {
            if !value.is_outside() {
                area.store(8 * at, 8, *value);
            }
        }
        let slot = state.private.len() as u32;
        Rc::make_mut(&mut state.private).push(Rc::new(area));
        for (at, value) in rest.iter().enumerate().filter(|(_, value)| value.is_outside()) {
            self.store_private(state, slot as usize, 8 * at, 8, *value);
        }
        frame.set(first, private_address(state.thread, slot, 0));
        frame.set(first + 1, 8 * rest.len() as u64);
    }

    /// Goes on with the text; the address of what is needed, 0 if it is done.
    pub(super) fn text_next(&self, state: &mut VmState) -> Result<u64, Halt> {
        let Some(mut text) = Rc::make_mut(&mut state.rare).text.take() else { return Ok(0) };
        let unknown = Cell::new(false);
        let needed = text.go_on(|needed| self.at_hand(state, needed, &unknown))?;
        text.unknown |= unknown.get();
        let rare = Rc::make_mut(&mut state.rare);
        rare.text = Some(text);
        rare.text_needs = needed.map_or(0, |n| n.bytes);
        Ok(needed.map_or(0, |n| n.addr))
    }

    /// What can be read without an operation that others could see.
    fn at_hand(&self, state: &VmState, needed: Needed, unknown: &Cell<bool>) -> Result<Option<u64>, Halt> {
        let bytes = needed.bytes as usize;
        match self.resolve(state, needed.addr, bytes as u64, Use::Read)? {
            Spot::Shared { .. } => Ok(None),
            Spot::Constant { of, at } => {
                let contents = self.constant(of, at, bytes);
                Ok(Some(contents.iter().rev().fold(0, |number, byte| number << 8 | *byte as u64)))
            }
            Spot::Private { slot, at } => match self.load_private(state, slot, at, bytes) {
                value if value.is_defined() => Ok(Some(value.bits)),
                value if value.is_outside() && needed.shown => {
                    unknown.set(true);
                    Ok(Some(0))
                }
                value => self.not_set("what is printed", value.origin),
            },
        }
    }

    /// A number that the text needs; it may be unknown if it is only shown.
    pub(super) fn text_give(&self, state: &mut VmState, value: Val) -> bool {
        let text = text(state);
        if !value.is_outside() || !text.shows() {
            return false;
        }
        text.unknown = true;
        text.give(0);
        true
    }

    /// How long a text is, if it is not known what it says.
    pub(super) fn unknown_length(&self, state: &mut VmState) -> Option<Val> {
        let unknown = state.rare.text.as_ref().is_some_and(|text| text.unknown);
        unknown.then(|| self.any_float(state, 32))
    }

    pub(super) fn text_print(&self, state: &mut VmState) -> u64 {
        let after = state.made.steps;
        let rare = Rc::make_mut(&mut state.rare);
        let text = rare.text.take().map_or(Vec::new(), |t| t.out);
        let length = text.len() as u64;
        if self.options.keep_output && length > 0 {
            rare.printed.push(Printed { after, text });
        }
        length
    }

    pub(super) fn text_copy(
        &self,
        state: &mut VmState,
        to: u64,
        room: u64,
        dst: Option<Reg>,
    ) -> Result<Option<Op>, Halt> {
        let made = Rc::make_mut(&mut state.rare).text.take();
        if made.as_ref().is_some_and(|text| text.unknown) {
            return fail(ErrorKind::Unsupported, "a text in memory that shows an unknown input");
        }
        let mut bytes = made.map_or(Vec::new(), |t| t.out);
        bytes.push(0);
        if bytes.len() as u64 > room {
            bytes.truncate(room as usize);
            if let Some(last) = bytes.last_mut() {
                *last = 0;
            }
        }
        self.fill(state, to, Pieces::new(), Bytes::known(bytes), dst)
    }
}

pub fn begin(state: &mut VmState, text: Text) {
    Rc::make_mut(&mut state.rare).text = Some(Box::new(text));
}

pub fn text(state: &mut VmState) -> &mut Text {
    Rc::make_mut(&mut state.rare).text.get_or_insert_with(|| Box::new(Text::empty()))
}
