//! Which threads do the same but for names, and begin in the same way.
//!
//! What the code that they run says is found by [`anonymity`]; whether memory was accessed in parts of
//! addresses is known after the exploration only ([`VmMachine::names_show`]).

use super::VmMachine;
use super::external::externals;
use super::state::{Stage, VmState};
use selvedge_ir::analysis::anonymity::{Anonymity, anonymity, entries, results_matter, returns_nothing};
use selvedge_ir::{FuncId, Instr, Reg};
use selvedge_machine::Reduction;
use std::collections::HashMap;

/// What was found out about functions that threads begin with.
#[derive(Clone, Debug, Default)]
pub struct Anonymous {
    /// By function that the program names where it creates threads: whether threads that begin with it do the
    /// same whoever they are. None if nobody has asked yet.
    known: Option<HashMap<FuncId, Anonymity>>,
}

impl VmMachine {
    /// Looks at the functions that threads begin with, once.
    fn learn_kinds(&self) {
        let mut anonymous = self.anonymous.borrow_mut();
        if anonymous.known.is_some() {
            return;
        }
        let mut known = HashMap::new();
        let off = !self.options.reductions.has(Reduction::Symmetry);
        let out_of_order = self.options.track_deps && !self.options.in_order;
        if !(off || out_of_order || self.options.keep_output) {
            let (module, externals) = (&self.module, externals(&self.module));
            let results_matter = results_matter(module, |f| self.functions[f].runtime);
            for entry in entries(module) {
                known.entry(entry).or_insert_with(|| match anonymity(module, &externals, entry) {
                    _ if results_matter && !returns_nothing(module, &externals, entry) => Anonymity::No,
                    kind => kind,
                });
            }
        }
        anonymous.known = Some(known);
    }

    fn has_kind(&self, is: impl Fn(FuncId, Anonymity) -> bool) -> bool {
        self.learn_kinds();
        self.anonymous.borrow().known.iter().flatten().any(|(entry, kind)| is(*entry, *kind))
    }

    pub(super) fn may_have_twins(&self) -> bool {
        self.has_kind(|_, kind| kind != Anonymity::No)
    }

    pub(super) fn begin_alike(&self, a: &VmState, b: &VmState) -> bool {
        let begins = |s: &VmState| s.stage == Stage::Fetch && s.callers.is_none() && s.frame.pc == 0;
        // What they know of unknown inputs decides which ways are left.
        if a.entry != b.entry || !begins(a) || !begins(b) || a.facts != b.facts {
            return false;
        }
        let function = self.function(a.entry);
        let same = |reg: &Reg| a.frame.get(*reg) == b.frame.get(*reg) || !reads(&function.code, *reg);
        function.params.iter().all(same)
            && self.divides_alike(a.thread, b.thread)
            && self.has_kind(|f, kind| f == a.entry && kind != Anonymity::No)
    }

    /// Whether the names of threads that were taken to be alike may show after all: memory was accessed in
    /// parts of what was written to it, and parts of addresses would be numbers that differ.
    pub fn names_show(&self) -> bool {
        self.has_kind(|_, kind| kind == Anonymity::WithAddresses) && self.common().layout.is_divided()
    }
}

/// Whether code reads a register.
fn reads(code: &[Instr], reg: Reg) -> bool {
    code.iter().any(|instr| {
        let looks = matches!(instr, Instr::LoopHead { live, rewritten, .. }
            if live.contains(&reg) || rewritten.iter().any(|cell| cell.base == reg));
        looks || instr.reads(reg)
    })
}
