//! States as words, for searches that remember them.

use crate::contents::{Content, entry};
use crate::machine::state::{Frame, Stage};
use crate::machine::{BEFORE_FIRST, VmMachine, VmState};
use crate::tables::Object;
use selvedge_ir::pointer;
use selvedge_machine::Canonical;

impl Canonical for VmMachine {
    // Left out: counters that only bounds and reductions look at (such a search has neither), where
    // undefined values come from, and registers that are not read any more.
    fn write_down(&self, state: &VmState, words: &mut Vec<u64>) {
        let made = &state.made;
        words.extend([
            u64::from(state.entry.0),
            u64::from(state.depth),
            u64::from(made.objects) << 32 | u64::from(made.threads),
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
        words.push(state.private.len() as u64);
        state.private.iter().for_each(|object| object.write_down(words));
        let rare = &*state.rare;
        words.extend([rare.held.len() as u64, rare.specific.len() as u64, rare.cleanups.len() as u64]);
        for held in &rare.held {
            words.extend([
                held.addr,
                u64::from(held.count) << 1 | u64::from(held.shared),
                held.word,
                held.site,
            ]);
        }
        for (key, value) in &rare.specific {
            words.extend([u64::from(*key), *value]);
        }
        words.extend(&rare.cleanups);
        words.push(rare.result.map_or(0, |val| 1 ^ val.undef));
        words.push(rare.result.map_or(0, |val| val.bits));
        if everything || rare.text.is_some() || rare.passed.is_some() {
            spell(&format!("{:?} {:?} {} {:?}", rare.jumps, rare.text, rare.text_needs, rare.passed), words);
        }
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
}

impl VmMachine {
    fn write_frame(&self, frame: &Frame, innermost: bool, everything: bool, words: &mut Vec<u64>) {
        words.extend([u64::from(frame.func.0) << 32 | u64::from(frame.pc), u64::from(frame.private)]);
        let from = if frame.pc == BEFORE_FIRST { 0 } else { frame.pc + u32::from(!innermost) };
        for reg in 0..frame.regs.len() as u32 {
            if everything || self.is_live(frame.func, from, reg) {
                let val = frame.get(reg);
                words.extend([val.bits, val.undef]);
            } else {
                words.push(0);
            }
        }
        words.push(frame.stack.len() as u64);
        words.extend(frame.stack.iter().map(|object| u64::from(*object)));
    }

    fn write_stage(&self, state: &VmState, words: &mut Vec<u64>) {
        match &state.stage {
            Stage::Fetch => words.push(0),
            Stage::Advance => words.push(1),
            Stage::Give(reg) => words.extend([2, reg.map_or(0, |reg| 1 + u64::from(reg))]),
            Stage::RmwLoaded(loc) => words.extend([3, u64::from(loc.0)]),
            Stage::CasLoaded(loc) => words.extend([4, u64::from(loc.0)]),
            Stage::Spawning(func, val) => words.extend([5, u64::from(func.0), val.bits, val.undef]),
            Stage::Transfer(transfer) => {
                words.extend([6, u64::from(transfer.done)]);
                words.extend(transfer.loaded.iter());
                for bytes in transfer.buffer.bits.chunks(8) {
                    let mut word = [0; 8];
                    word[..bytes.len()].copy_from_slice(bytes);
                    words.push(u64::from_le_bytes(word));
                }
                let (loads, stores, undef) = (&transfer.loads, &transfer.stores, &transfer.buffer.undef);
                spell(&format!("{loads:?} {stores:?} {undef:?} {:?}", transfer.then), words);
            }
            other => {
                words.push(7);
                spell(&format!("{other:?}"), words);
            }
        }
    }
}

/// A text as words.
fn spell(text: &str, words: &mut Vec<u64>) {
    words.push(text.len() as u64);
    for bytes in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        words.push(u64::from_le_bytes(word));
    }
}
