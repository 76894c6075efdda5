//! Exclusive pairs with something visible in between.

use crate::program::{Addr, Instr};

/// A linked load and a store-conditional that may belong to it, with something visible on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    pub load: usize,
    pub store: usize,
    /// Both have one address, whatever the values are: it is written alike, and of registers that nothing on
    /// the way writes.
    pub is_sure: bool,
}

/// All such pairs of a thread.
pub fn apart(code: &[Instr]) -> impl Iterator<Item = Apart> {
    let linked = code.iter().enumerate().filter_map(|(at, instr)| match instr {
        Instr::LoadLinked { addr, .. } => Some((at, addr)),
        _ => None,
    });
    linked.flat_map(|(load, addr)| {
        let found = from(code, load, addr);
        found.into_iter().map(move |(store, is_sure)| Apart { load, store, is_sure })
    })
}

/// The store-conditionals on the ways from a linked load, and whether their address is sure to be its own.
fn from(code: &[Instr], load: usize, addr: &Addr) -> Vec<(usize, bool)> {
    let mut found: Vec<(usize, bool)> = Vec::new();
    // By instruction: reached without and with something visible in between, and with the address gone.
    let mut seen = vec![[false; 4]; code.len()];
    let is_gone = writes(&code[load], addr);
    let mut work = vec![(load + 1, false, is_gone)];
    while let Some((at, dirty, gone)) = work.pop() {
        let state = usize::from(dirty) + 2 * usize::from(gone);
        if at >= code.len() || std::mem::replace(&mut seen[at][state], true) {
            continue;
        }
        let gone = gone || writes(&code[at], addr);
        match &code[at] {
            Instr::StoreConditional { addr: other, .. } if dirty => found.push((at, !gone && other == addr)),
            Instr::LoadLinked { .. } | Instr::StoreConditional { .. } | Instr::Cut => {}
            Instr::Jump { target } => work.push((*target, dirty, gone)),
            Instr::Branch { target, .. } => work.extend([(*target, dirty, gone), (at + 1, dirty, gone)]),
            Instr::Assign { .. } | Instr::Assume { .. } | Instr::Assert { .. } => {
                work.push((at + 1, dirty, gone));
            }
            _ => work.push((at + 1, true, gone)),
        }
    }
    found
}

/// Whether an instruction writes a register that an address is computed from.
fn writes(instr: &Instr, addr: &Addr) -> bool {
    let written = match instr {
        Instr::Assign { dst, .. }
        | Instr::Load { dst, .. }
        | Instr::LoadLinked { dst, .. }
        | Instr::Rmw { dst, .. } => [Some(*dst), None],
        Instr::Cas { ok, old, .. } => [Some(*ok), Some(*old)],
        // It decides what it gives before it writes that.
        _ => [None, None],
    };
    let mut any = false;
    addr.registers(&mut |r| any |= written.contains(&Some(r)));
    any
}
