//! States as words, for searches that remember them.

use crate::contents::{Content, entry};
use crate::layout::Pieces;
use crate::machine::state::{Frame, Stage, Then, Told, Val};
use crate::machine::{BEFORE_FIRST, VmMachine, VmState};
use crate::tables::Object;
use crate::undefined::Origin;
use selvedge_graph::Loc;
use selvedge_ir::pointer;
use selvedge_machine::{Agreement, Canonical, Words};
use selvedge_symbolic::{Node, Term};
use std::rc::Rc;

impl Canonical for VmMachine {
    // Left out: counters that only bounds and reductions look at (such a search has neither), where
    // undefined values come from, and registers that are not read any more.
    fn write_down<W: Words>(&self, state: &VmState, words: &mut W) {
        let made = &state.made;
        words.made(made.objects);
        words.words(&[
            u64::from(state.entry.0),
            u64::from(state.depth),
            u64::from(made.threads),
            u64::from(made.keys) << 32 | u64::from(made.barriers),
            u64::from(made.ended) << 32 | u64::from(made.spurious_wakeups),
            u64::from(made.weak_failures) << 32 | u64::from(made.final_writes),
            u64::from(state.left_result),
        ]);
        let everything = !state.rare.jumps.is_empty();
        let mut innermost = true;
        for frame in state.frames() {
            self.write_frame(frame, innermost, everything, words);
            innermost = false;
        }
        self.write_stage(state, words);
        words.word(state.private.len() as u64);
        state.private.iter().for_each(|object| object.write_down(words));
        self.write_rare(state, everything, words);
    }

    fn forget_deps(&self, state: &mut VmState) {
        if let Some(tracking) = &mut state.tracking {
            tracking.forget_all();
        }
    }

    fn mentions(&self, word: u64, found: &mut dyn FnMut(u32)) {
        let tables = self.tables.borrow();
        let mut look = |word: u64| {
            if let Some((allocation, _)) = pointer::split(self.pointer_at(word))
                && let Some(Object::Made { .. }) = tables.objects.get(allocation as usize)
            {
                found(allocation);
            }
        };
        look(word);
        // What stands for many bytes, or for 16.
        let content = entry(word).or(u32::try_from(word).ok()).and_then(|entry| tables.contents.get(entry));
        match content {
            Some(Content::Bytes(bytes)) => bytes.bits.windows(8).for_each(|window| {
                let word = u64::from_le_bytes(window.try_into().unwrap_or_default());
                look(word);
                // Where pointers are short, these have two of them.
                look(word & 0xffff_ffff);
                look(word >> 32);
            }),
            Some(Content::Word { bits, .. }) => {
                look(*bits as u64);
                look((*bits >> 64) as u64);
            }
            None => {}
        }
    }

    fn address(&self, value: u64) -> Option<(u32, u64)> {
        self.made_at(value).map(|object| (object, value & 0xffff_ffff))
    }

    fn cell(&self, loc: Loc) -> Option<(u32, u64)> {
        let tables = self.tables.borrow();
        let cell = tables.layout.cell(loc);
        let is_made = tables.objects[cell.object as usize].is_allocated();
        is_made.then_some((cell.object, u64::from(cell.offset) << 32 | u64::from(cell.size)))
    }

    fn write_object(&self, object: u32, words: &mut Vec<u64>) {
        if let Some(Object::Made { site, size, heap, zeroed, managed, .. }) =
            self.tables.borrow().objects.get(object as usize)
        {
            words.extend([
                u64::from(site.func.0) << 32 | u64::from(site.pc),
                *size,
                u64::from(*heap) << 1 | u64::from(*zeroed),
                u64::from(managed.ty),
                managed.element,
            ]);
        }
    }

    fn names_matter(&self) -> bool {
        self.looks_at_names() || self.tables.borrow().layout.is_divided()
    }

    fn inputs_of(&self, term: u32, found: &mut dyn FnMut(u32)) {
        if !self.look_for_names(Term(term)) {
            found(u32::MAX);
        }
        self.tables.borrow().terms.unknowns(Term(term)).iter().for_each(|unknown| found(unknown.0));
    }

    fn inputs_in(&self, value: u64, found: &mut dyn FnMut(u32)) {
        let tables = self.tables.borrow();
        let mut look = |origin: Origin| {
            if let Some(term) = origin.term() {
                self.inputs_of(term.0, found);
            }
        };
        // What stands for more than 8 bytes looks like a small number.
        let wide = u32::try_from(value).ok().filter(|_| tables.layout.is_wide());
        match entry(value).or(wide).and_then(|entry| tables.contents.get(entry)) {
            Some(Content::Word { origin, .. }) => {
                look(*origin);
            }
            Some(Content::Bytes(bytes)) => {
                bytes.outside.iter().for_each(|origin| look(*origin));
                look(bytes.origin);
            }
            None => {}
        }
    }

    fn facts(&self, state: &VmState) -> Vec<u32> {
        state.facts.iter().map(|fact| fact.0).collect()
    }

    fn inform(&self, state: &mut VmState, facts: &[u32], in_use: Option<&[u32]>) {
        if !state.facts.iter().map(|fact| fact.0).eq(facts.iter().copied()) {
            state.facts = Rc::new(facts.iter().map(|fact| Term(*fact)).collect());
        }
        // What was found out by reading is a fact like others.
        if !state.rare.found.is_empty() {
            Rc::make_mut(&mut state.rare).found.clear();
        }
        let terms = &self.tables.borrow().terms;
        let own = |unknown: &u32| match terms.node(Term(*unknown)) {
            Node::Unknown { owner, number, .. } | Node::Opaque { owner, number, .. } => {
                (*owner == state.thread.0 as u32).then_some(*number)
            }
            _ => None,
        };
        // Numbers of inputs are fewer than terms.
        let (first, in_use) = match in_use {
            Some(all) => (0, all.iter().filter_map(own).collect()),
            None => (terms.len() as u32, Vec::new()),
        };
        state.made.unknowns = first;
        state.told = Some(Rc::new(Told { first, in_use }));
    }

    fn may_hold(&self, facts: &[u32]) -> Agreement {
        self.do_go_together(facts.iter().map(|fact| Term(*fact)).collect())
    }
}

impl VmMachine {
    fn write_frame<W: Words>(&self, frame: &Frame, innermost: bool, everything: bool, words: &mut W) {
        words.words(&[u64::from(frame.func.0) << 32 | u64::from(frame.pc), u64::from(frame.private)]);
        let from = if frame.pc == BEFORE_FIRST { 0 } else { frame.pc + u32::from(!innermost) };
        for reg in 0..frame.regs.len() as u32 {
            if everything || self.is_live(frame.func, from, reg) {
                let val = frame.get(reg);
                write_val(val, words);
            } else {
                words.word(0);
            }
        }
        words.word(frame.stack.len() as u64);
        frame.stack.iter().for_each(|object| words.object(*object));
    }

    fn write_stage<W: Words>(&self, state: &VmState, words: &mut W) {
        match &state.stage {
            Stage::Fetch => words.word(0),
            Stage::Advance => words.word(1),
            Stage::Give(reg) => words.words(&[2, reg.map_or(0, |reg| 1 + u64::from(reg))]),
            Stage::RmwLoaded(loc) => {
                words.word(3);
                words.location(*loc);
            }
            Stage::CasLoaded(loc) => {
                words.word(4);
                words.location(*loc);
            }
            Stage::Spawning(func, val) => {
                words.words(&[5, u64::from(func.0)]);
                write_val(*val, words);
            }
            Stage::Transfer(transfer) => {
                words.words(&[6, u64::from(transfer.done), u64::from(transfer.marked)]);
                let loaded: Vec<u64> = transfer.loaded.iter().collect();
                words.word(loaded.len() as u64);
                loaded.iter().for_each(|value| words.value(*value));
                words.word(transfer.buffer.bits.len() as u64);
                for bytes in transfer.buffer.bits.chunks(8) {
                    let mut word = [0; 8];
                    word[..bytes.len()].copy_from_slice(bytes);
                    words.value(u64::from_le_bytes(word));
                }
                write_pieces(&transfer.loads, words);
                write_pieces(&transfer.stores, words);
                spell(&format!("{:?}", transfer.buffer.undef), words);
                for at in 0..transfer.buffer.undef.len() {
                    let byte = transfer.buffer.byte(at);
                    write_origin(byte.origin, u64::from(byte.undef), words);
                }
                match transfer.then {
                    Then::Result(dst, value) => {
                        words.words(&[1, dst.map_or(0, |reg| 1 + u64::from(reg))]);
                        words.value(value);
                    }
                    Then::Private { slot, offset, dst, value } => {
                        let place = u64::from(slot) << 32 | u64::from(offset);
                        words.words(&[2, place, dst.map_or(0, |reg| 1 + u64::from(reg))]);
                        words.value(value);
                    }
                    Then::Load(reg) => words.words(&[3, u64::from(reg)]),
                    Then::Nothing => words.word(0),
                }
            }
            Stage::Exiting => words.word(8),
            Stage::Deciding(alternatives) | Stage::Sampling(alternatives) => {
                let samples = matches!(state.stage, Stage::Sampling(_));
                words.words(&[9 + u64::from(samples), alternatives.len() as u64]);
                alternatives.iter().for_each(|term| words.outside(term.0));
            }
            other => {
                words.opaque();
                words.word(7);
                spell(&format!("{other:?}"), words);
            }
        }
    }

    fn write_rare<W: Words>(&self, state: &VmState, everything: bool, words: &mut W) {
        let rare = &*state.rare;
        words.words(&[rare.held.len() as u64, rare.specific.len() as u64, rare.cleanups.len() as u64]);
        for held in &rare.held {
            words.value(held.addr);
            words.word(u64::from(held.count) << 1 | u64::from(held.shared));
            words.value(held.word);
            words.word(held.site);
        }
        for (key, value) in &rare.specific {
            words.word(u64::from(*key));
            words.value(*value);
        }
        rare.cleanups.iter().for_each(|buffer| words.value(*buffer));
        words.word(u64::from(rare.result.is_some()));
        rare.result.into_iter().for_each(|val| write_val(val, words));
        // Exceptions on their way, and what is to be run at the end of the thread.
        words.words(&[rare.flying.len() as u64, rare.exits.len() as u64]);
        for flying in &rare.flying {
            words.value(flying.object);
            words.value(flying.ty);
            words.word(u64::from(flying.selector));
        }
        for (function, argument) in &rare.exits {
            words.value(*function);
            words.value(*argument);
        }
        words.value(rare.exit_argument);
        words.word(u64::from(rare.background));
        // Whether the iterations of marked loops have read and done something so far.
        for (loads, effects) in &rare.spins {
            words.word(1 | u64::from(state.loads != *loads) << 1 | u64::from(state.effects != *effects) << 2);
        }
        if everything || rare.text.is_some() || rare.passed.is_some() {
            words.opaque();
            spell(&format!("{:?} {:?} {} {:?}", rare.jumps, rare.text, rare.text_needs, rare.passed), words);
        }
    }
}

/// A value, all of what it is.
fn write_val<W: Words>(val: Val, words: &mut W) {
    words.value(val.bits);
    words.word(val.undef);
    write_origin(val.origin, val.undef, words);
}

/// What undefined bits are, if that is not the same as where they come from.
fn write_origin<W: Words>(origin: Origin, undef: u64, words: &mut W) {
    match origin.term() {
        _ if undef == 0 => {}
        Some(term) => words.outside(term.0),
        // Whoever uses what is lost fails.
        None => words.word(if origin.is_outside() { u64::MAX } else { 0 }),
    }
}

fn write_pieces<W: Words>(pieces: &Pieces, words: &mut W) {
    words.word(pieces.len() as u64);
    for piece in pieces {
        words.location(piece.loc);
        words.words(&[u64::from(piece.from) << 32 | u64::from(piece.len), u64::from(piece.at)]);
    }
}

/// A text as words.
fn spell<W: Words>(text: &str, words: &mut W) {
    words.word(text.len() as u64);
    for bytes in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        words.word(u64::from_le_bytes(word));
    }
}
