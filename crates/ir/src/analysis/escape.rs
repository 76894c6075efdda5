//! Objects that a function has made and told nobody of (thesis §9.2.2.4), and what loops write to them.
//!
//! A loop like that of a push,
//!
//! ```text
//! do { top = load(&stack); node->next = top; } while (!cas(&stack, top, node));
//! ```
//!
//! writes in every iteration. But nobody sees it: the object is known to others only when the loop is left,
//! and by then the cell has been written once more.
//!
//! Atomic stores are like plain ones here: whoever gets to know the object knows the last of them, if the
//! model publishes in order; where that depends on how the object is published, whoever explores has an eye
//! on it (`publication` of the explorer).
//!
//! An address counts as kept if it comes from an allocation, and until the loop is left it is only used to
//! access the object and to be compared: no other register, no memory and no call gets it. So whatever is
//! not computed from it by moves and offsets does not point into the object.

use std::collections::BTreeSet;

use crate::analysis::effects::Callee;
use crate::analysis::follow::{Known, Way, follow};
use crate::bytecode::{BinOp, FuncId, Instr, Operand, OwnCell, Reg, registers};
use crate::cfg::Graph;
use crate::library;
use crate::passes::loops::LoopBlocks;

/// The largest alignment that types have. No object has such an address.
const LARGEST_ALIGNMENT: u64 = 1 << 29;

/// What a function returns first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Returns {
    Anything,
    /// An object that nobody else knows, or null.
    New,
    /// The same, with its size, or its first argument ([`library::RUST_ALLOCATION`]).
    NewOrFirst,
}

/// Which functions return an object that nobody else knows, or null.
pub struct Allocators {
    returns: Vec<Returns>,
    /// Which functions do not return, and tell a number that may be an address.
    tell: Vec<bool>,
}

impl Allocators {
    /// Looks at all functions of a program.
    pub fn new(functions: &[Callee<'_>], names: &[&str]) -> Allocators {
        let of_library = |f: &Callee<'_>| match f {
            Callee::Declared(library::RUST_ALLOCATION) => Returns::NewOrFirst,
            Callee::Declared(name) if library::allocation(name).is_some() => Returns::New,
            _ => Returns::Anything,
        };
        let returns_new = |found: &Allocators, f: usize| match functions[f] {
            Callee::Defined(body) => found.returns_new(body),
            Callee::Declared(_) | Callee::Opaque => false,
        };
        let name_of = |number: usize| names.get(number).copied().unwrap_or("");
        let tell = (0..functions.len()).map(|f| library::tells_address(name_of(f))).collect();
        let mut found = Allocators { returns: functions.iter().map(of_library).collect(), tell };
        // Those that call others that do: as many rounds as there are levels.
        loop {
            let open = |f: usize| found.returns[f] == Returns::Anything;
            let more: Vec<usize> =
                (0..functions.len()).filter(|&f| open(f) && returns_new(&found, f)).collect();
            if more.is_empty() {
                return found;
            }
            more.into_iter().for_each(|f| found.returns[f] = Returns::New);
        }
    }

    /// The register with the address of an object that an instruction makes, if that is all that the register
    /// can hold: what a call gives that is left by an exception is undefined.
    fn makes(&self, instr: &Instr) -> Option<Reg> {
        match instr {
            Instr::Call {
                dst: Some(dst), callee: Operand::Func(FuncId(f)), args, results, lands, ..
            } => {
                let results = results - u32::from(lands.is_some());
                let made = match self.returns[*f as usize] {
                    Returns::Anything => false,
                    Returns::New => results == 1,
                    Returns::NewOrFirst => {
                        let is_no_address = |o: &Operand| matches!(o, Operand::Const(0..=LARGEST_ALIGNMENT));
                        results == 2 && args.first().is_some_and(is_no_address)
                    }
                };
                made.then_some(*dst)
            }
            Instr::Alloca { dst, private: false, .. } => Some(*dst),
            _ => None,
        }
    }

    /// Whether an instruction is a call that ends with a text about an address, if not in this function.
    fn tells(&self, instr: &Instr) -> bool {
        match instr {
            Instr::Call { callee: Operand::Func(FuncId(f)), lands: None, .. } => self.tell[*f as usize],
            _ => false,
        }
    }

    fn returns_new(&self, body: &Graph) -> bool {
        let defs = Definitions::new(body);
        let mut returned = BTreeSet::new();
        for instr in body.blocks.iter().flat_map(|b| &b.code) {
            let Instr::Return { values } = instr else { continue };
            match values.as_slice() {
                [Operand::Reg(reg)] => _ = returned.insert(*reg),
                [Operand::Const(0)] => {}
                _ => return false,
            }
        }
        // Everything that may be returned is an object just made, or null.
        let mut seen = returned.clone();
        let mut pending: Vec<Reg> = returned.into_iter().collect();
        let mut made = BTreeSet::new();
        while let Some(reg) = pending.pop() {
            for &(block, position) in defs.all(reg) {
                match &body.blocks[block].code[position] {
                    Instr::Move { src: Operand::Const(0), .. } => {}
                    Instr::Move { src: Operand::Reg(src), .. } => {
                        if seen.insert(*src) {
                            pending.push(*src);
                        }
                    }
                    call @ Instr::Call { .. } if self.makes(call) == Some(reg) => _ = made.insert(reg),
                    _ => return false,
                }
            }
            if defs.is_param(reg) || defs.all(reg).is_empty() {
                return false;
            }
        }
        let kept = |root: &Reg| {
            let derived = derived(body, *root);
            let mut code = body.blocks.iter().flat_map(|b| &b.code);
            code.all(|instr| matches!(instr, Instr::Return { .. }) || !gives_away(instr, &derived))
        };
        !made.is_empty() && made.iter().all(kept)
    }
}

/// Where each register is written.
pub struct Definitions {
    places: Vec<Vec<(usize, usize)>>,
    /// Those that have a value before that.
    params: Vec<Reg>,
}

impl Definitions {
    /// Looks at all instructions of a function.
    pub fn new(graph: &Graph) -> Definitions {
        let mut places: Vec<Vec<(usize, usize)>> = Vec::new();
        for (block, body) in graph.blocks.iter().enumerate() {
            for (position, instr) in body.code.iter().enumerate() {
                for reg in instr.written() {
                    if places.len() <= reg as usize {
                        places.resize(reg as usize + 1, Vec::new());
                    }
                    places[reg as usize].push((block, position));
                }
            }
        }
        Definitions { places, params: graph.params.clone() }
    }

    fn all(&self, reg: Reg) -> &[(usize, usize)] {
        self.places.get(reg as usize).map_or(&[], Vec::as_slice)
    }

    fn is_param(&self, reg: Reg) -> bool {
        self.params.contains(&reg)
    }

    /// The only place where a register gets a value.
    pub fn only(&self, reg: Reg) -> Option<(usize, usize)> {
        match self.all(reg) {
            [place] if !self.is_param(reg) => Some(*place),
            _ => None,
        }
    }

    /// What an address is always computed from by a known offset: as far as registers have one value in an
    /// activation of the function or, in a loop, in an iteration.
    pub fn address(&self, graph: &Graph, addr: Operand) -> (Operand, i64) {
        let (mut at, mut offset) = (addr, 0i64);
        for _ in 0..graph.blocks.len() + 64 {
            let Operand::Reg(reg) = at else { break };
            let Some((block, position)) = self.only(reg) else { break };
            match graph.blocks[block].code[position] {
                Instr::Offset { base, index: Operand::Const(index), scale, .. } if self.is_fixed(base) => {
                    offset = offset.wrapping_add((index as i64).wrapping_mul(scale));
                    at = base;
                }
                Instr::Move { src, .. } if self.is_fixed(src) => at = src,
                _ => break,
            }
        }
        (at, offset)
    }

    /// Whether an operand gets its value in one place.
    fn is_fixed(&self, operand: Operand) -> bool {
        match operand {
            Operand::Reg(reg) => match self.all(reg) {
                [] => self.is_param(reg),
                [_] => !self.is_param(reg),
                _ => false,
            },
            Operand::Global(..) => true,
            _ => false,
        }
    }

    /// The register that this one is always computed from, by a known offset.
    pub fn exact(&self, graph: &Graph, mut reg: Reg) -> Option<(Reg, i64)> {
        let mut offset = 0i64;
        for _ in 0..graph.blocks.len() + 64 {
            let (block, position) = self.only(reg)?;
            match graph.blocks[block].code[position] {
                Instr::Offset { base: Operand::Reg(base), index: Operand::Const(index), scale, .. } => {
                    offset = offset.wrapping_add((index as i64).wrapping_mul(scale));
                    reg = base;
                }
                Instr::Move { src: Operand::Reg(src), .. } => reg = src,
                _ => return Some((reg, offset)),
            }
        }
        None
    }
}

/// The registers that may hold an address computed from `root`.
pub fn derived(graph: &Graph, root: Reg) -> BTreeSet<Reg> {
    let mut found = BTreeSet::from([root]);
    let mut changed = true;
    while changed {
        changed = false;
        for instr in graph.blocks.iter().flat_map(|b| &b.code) {
            if let Instr::Move { dst, src: Operand::Reg(from) }
            | Instr::Offset { dst, base: Operand::Reg(from), .. } = instr
                && found.contains(from)
            {
                changed |= found.insert(*dst);
            }
        }
    }
    found
}

/// Whether an operand is one of these registers.
pub fn is_in(operand: Operand, regs: &BTreeSet<Reg>) -> bool {
    matches!(operand, Operand::Reg(reg) if regs.contains(&reg))
}

/// Whether an instruction lets anything but the registers themselves know the address that they hold.
pub fn gives_away(instr: &Instr, regs: &BTreeSet<Reg>) -> bool {
    match instr {
        Instr::Move { .. } | Instr::Cmp { .. } | Instr::Load { .. } => false,
        // How it is aligned, which is the same wherever it is.
        Instr::Bin { op: BinOp::And, b: Operand::Const(0..16), .. } => false,
        Instr::Offset { index, .. } => is_in(*index, regs),
        Instr::Store { value, bytes: ..=8, .. } => is_in(*value, regs),
        Instr::Rmw { operand, bytes: ..=8, .. } => is_in(*operand, regs),
        Instr::Cmpxchg { expected, desired, bytes: ..=8, .. } => {
            is_in(*expected, regs) || is_in(*desired, regs)
        }
        other => {
            let mut used = false;
            other.for_registers(|reg| used |= regs.contains(&reg));
            used
        }
    }
}

/// The cells of kept objects that every iteration of a loop overwrites before they are read.
pub fn rewritten(graph: &Graph, found: &LoopBlocks, allocators: &Allocators) -> Vec<OwnCell> {
    let defs = Definitions::new(graph);
    let mut cells = BTreeSet::new();
    for &block in &found.blocks {
        for instr in &graph.blocks[block].code {
            if let Instr::Store { addr: Operand::Reg(addr), bytes: bytes @ ..=8, .. } = instr
                && let Some((base, offset)) = defs.exact(graph, *addr)
            {
                cells.insert(OwnCell { base, offset, bytes: *bytes });
            }
        }
    }
    let mut kept = BTreeSet::new();
    for root in cells.iter().map(|c| c.base).collect::<BTreeSet<_>>() {
        if is_kept(graph, found, &defs, root, allocators) {
            kept.insert(root);
        }
    }
    cells.retain(|c| kept.contains(&c.base) && is_overwritten(graph, found, &defs, *c, allocators));
    cells.into_iter().collect()
}

/// Whether `root` is the address of an object that nobody knows whenever the header is passed.
pub fn is_kept(
    graph: &Graph,
    found: &LoopBlocks,
    defs: &Definitions,
    root: Reg,
    allocators: &Allocators,
) -> bool {
    let Some((made_in, position)) = defs.only(root) else { return false };
    if found.blocks.contains(&made_in)
        || allocators.makes(&graph.blocks[made_in].code[position]) != Some(root)
    {
        return false;
    }
    let derived = derived(graph, root);
    // Where the object is made anew, what others know of the old one does not matter.
    let way = |next: usize| match next {
        _ if next == found.header => Way::Forbidden,
        _ if next == made_in => Way::Out,
        _ => Way::On,
    };
    graph.blocks.iter().enumerate().all(|(block, body)| {
        body.code.iter().enumerate().all(|(position, instr)| {
            if !gives_away(instr, &derived) {
                return true;
            }
            let known = match instr {
                Instr::Cmpxchg { dst, expected, bytes: bytes @ ..=8, .. } if !is_in(*expected, &derived) => {
                    Known::from([(*dst + registers(*bytes), 1)])
                }
                _ => Known::new(),
            };
            follow(graph, (block, position), known, way, &mut Vec::new())
        })
    })
}

/// Whether every way through the loop writes the cell before reading it, leaving or coming round.
fn is_overwritten(
    graph: &Graph,
    found: &LoopBlocks,
    defs: &Definitions,
    cell: OwnCell,
    allocators: &Allocators,
) -> bool {
    let derived = derived(graph, cell.base);
    let mut seen = BTreeSet::from([found.header]);
    let mut pending = vec![found.header];
    while let Some(block) = pending.pop() {
        let mut done = false;
        for instr in &graph.blocks[block].code {
            let reads = match instr {
                Instr::Store { addr: Operand::Reg(addr), bytes, .. }
                    if *bytes == cell.bytes && defs.exact(graph, *addr) == Some((cell.base, cell.offset)) =>
                {
                    done = true;
                    break;
                }
                Instr::Load { addr: Operand::Reg(addr), bytes, .. }
                | Instr::Rmw { addr: Operand::Reg(addr), bytes, .. }
                | Instr::Cmpxchg { addr: Operand::Reg(addr), bytes, .. } => {
                    let apart = |(base, at): (Reg, i64)| base == cell.base && cell.is_apart(at, *bytes);
                    derived.contains(addr) && !defs.exact(graph, *addr).is_some_and(apart)
                }
                _ => false,
            };
            if reads || (gives_away(instr, &derived) && !allocators.tells(instr)) {
                return false;
            }
        }
        if done {
            continue;
        }
        for next in graph.blocks[block].successors() {
            // Who leaves to abort the program does not come back to read it.
            let aborts = matches!(graph.blocks[next].code.last(), Some(Instr::Unreachable));
            if next == found.header || !(found.blocks.contains(&next) || aborts) {
                return false;
            }
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    true
}
