//! A small register language (thesis §2.1): what litmus tests, benchmarks and generated programs are
//! compiled to.

use crate::expr::{Expr, Reg};
use selvedge_graph::{Loc, Mode, Tid, Value};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub name: String,
    /// Locations by name, with their initial values. An array is a run of consecutive locations.
    pub locs: Vec<(String, Value)>,
    pub threads: Vec<Thread>,
    /// Whether threads keep track of dependencies while they run. Only models that look at them need
    /// it, and the others are faster without.
    pub tracks_deps: bool,
    /// Where dependencies by control end with the arms of a branch: the end of each branch's arms, by thread
    /// and instruction. Branches are then operations of their own ([`crate::Op::Decide`]).
    pub arms: Option<Vec<Vec<u32>>>,
    /// Whether what follows may depend on a store-conditional through its result.
    pub sc_depends: bool,
    /// Some exclusive pair has something visible between its instructions, and may succeed all the same.
    pub apart: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub name: String,
    /// Runs from the start, or waits for a `Spawn`.
    pub initial: bool,
    /// Register names; registers start at 0.
    pub regs: Vec<String>,
    pub code: Vec<Instr>,
}

/// Where an access goes: a location, an element of the run of `len` locations from `base`, or what a
/// pointer points to (see [`pointer_to`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Addr {
    Loc(Loc),
    Element { base: Loc, len: u32, index: Expr },
    Pointer(Expr),
}

/// Pointers start here, which is no small number, and are this far from each other, which is no offset that a
/// program would come by. The first 512 fit into 31 bits, so that registers of any size hold them.
const POINTER_BASE: Value = 0x5000_0000;
const POINTER_STRIDE: Value = 0x0010_0a10;

/// The value of a pointer to a location.
pub fn pointer_to(loc: Loc) -> Value {
    POINTER_BASE + Value::from(loc.0) * POINTER_STRIDE
}

/// The location that a pointer points to.
pub fn pointed_to(pointer: Value) -> Option<Loc> {
    let offset = pointer.checked_sub(POINTER_BASE)?;
    if offset % POINTER_STRIDE != 0 {
        return None;
    }
    u32::try_from(offset / POINTER_STRIDE).ok().map(Loc)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// The smaller and the larger one, as signed and as unsigned numbers.
    Min,
    Max,
    MinU,
    MaxU,
    /// `old & !operand`.
    Clear,
    /// Of numbers of 32 bits, with a sign.
    AddWord,
    SubWord,
}

impl RmwOp {
    pub fn apply(self, old: Value, operand: Value) -> Value {
        match self {
            RmwOp::Exchange => operand,
            RmwOp::Add => old.wrapping_add(operand),
            RmwOp::Sub => old.wrapping_sub(operand),
            RmwOp::And => old & operand,
            RmwOp::Or => old | operand,
            RmwOp::Xor => old ^ operand,
            RmwOp::Min => old.min(operand),
            RmwOp::Max => old.max(operand),
            RmwOp::MinU => (old as u64).min(operand as u64) as Value,
            RmwOp::MaxU => (old as u64).max(operand as u64) as Value,
            RmwOp::Clear => old & !operand,
            RmwOp::AddWord => Value::from((old as i32).wrapping_add(operand as i32)),
            RmwOp::SubWord => Value::from((old as i32).wrapping_sub(operand as i32)),
        }
    }
}

/// One instruction. Targets of jumps are instruction numbers; one past the end ends the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    Assign {
        dst: Reg,
        expr: Expr,
    },
    Load {
        dst: Reg,
        addr: Addr,
        mode: Mode,
    },
    Store {
        addr: Addr,
        value: Expr,
        mode: Mode,
    },
    /// Read-modify-write that always writes; `dst` gets the old value.
    Rmw {
        dst: Reg,
        addr: Addr,
        op: RmwOp,
        operand: Expr,
        mode: Mode,
    },
    /// Compare and swap; `old` gets the value read, `ok` 1 or 0. A weak one may fail although the
    /// values agree, which the program decides by a visible choice.
    Cas {
        ok: Reg,
        old: Reg,
        addr: Addr,
        expected: Expr,
        desired: Expr,
        success: Mode,
        failure: Mode,
        weak: bool,
    },
    /// The load of a pair of exclusive instructions. If something visible comes before the
    /// `StoreConditional`, that one fails, unless the program's pairs may be [`apart`](Program::apart).
    LoadLinked {
        dst: Reg,
        addr: Addr,
        mode: Mode,
    },
    /// Writes, and sets `ok` to 1, if the load before it was of the same location and the pair
    /// succeeds, which the program decides by a visible choice before the load; else sets `ok` to 0.
    StoreConditional {
        ok: Reg,
        addr: Addr,
        value: Expr,
        mode: Mode,
    },
    Fence {
        mode: Mode,
    },
    /// Goes to `target` if `cond` is not 0.
    Branch {
        cond: Expr,
        target: usize,
    },
    Jump {
        target: usize,
    },
    /// Blocks the thread for good if `cond` is 0.
    Assume {
        cond: Expr,
    },
    /// An error of the program if `cond` is 0.
    Assert {
        cond: Expr,
        message: String,
    },
    /// The bound of a loop is reached.
    Cut,
    Spawn {
        thread: Tid,
    },
    Join {
        thread: Tid,
    },
}

impl Program {
    pub fn new(name: impl Into<String>) -> Program {
        Program {
            name: name.into(),
            locs: Vec::new(),
            threads: Vec::new(),
            tracks_deps: false,
            arms: None,
            sc_depends: false,
            apart: false,
        }
    }

    /// The program with what a model needs to know of it: dependencies, and whether those by control end with
    /// the arms of branches. Only where dependencies are followed may pairs be apart.
    pub fn tracking(&self, deps: bool, arms: bool) -> Program {
        let ends = || self.threads.iter().map(|t| crate::arms::ends(&t.code)).collect();
        let apart = deps && self.has_pairs_apart();
        Program { tracks_deps: deps, arms: arms.then(ends), apart, ..self.clone() }
    }

    /// Whether something visible may come between the two instructions of an exclusive pair.
    pub fn has_pairs_apart(&self) -> bool {
        self.threads.iter().any(|t| crate::pairs::apart(&t.code).next().is_some())
    }

    pub fn loc(&mut self, name: impl Into<String>, init: Value) -> Loc {
        self.locs.push((name.into(), init));
        Loc(self.locs.len() as u32 - 1)
    }

    /// A value as text: an address by the name of its location.
    pub fn value_text(&self, value: Value) -> String {
        match pointed_to(value).and_then(|loc| self.locs.get(loc.index())) {
            Some((name, _)) => name.clone(),
            None => value.to_string(),
        }
    }

    pub fn thread(&mut self, name: impl Into<String>, initial: bool, code: Vec<Instr>) -> Tid {
        let mut top = 0;
        let mut see = |r: Reg| top = top.max(r.0 as usize + 1);
        for instr in &code {
            instr.registers(&mut see);
        }
        let regs = (0..top).map(|i| format!("r{i}")).collect();
        self.threads.push(Thread { name: name.into(), initial, regs, code });
        Tid(self.threads.len() as u16 - 1)
    }
}

impl Addr {
    /// Whether it may be the address of this location.
    pub fn may_be(&self, loc: Loc) -> bool {
        match self {
            Addr::Loc(l) => *l == loc,
            Addr::Element { base, len, .. } => (base.0..base.0 + len).contains(&loc.0),
            Addr::Pointer(_) => true,
        }
    }

    pub fn registers(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Addr::Loc(_) => {}
            Addr::Element { index, .. } => index.registers(f),
            Addr::Pointer(pointer) => pointer.registers(f),
        }
    }
}

impl Instr {
    /// Calls `f` on every register that the instruction reads or writes.
    pub fn registers(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Instr::Assign { dst, expr } => {
                f(*dst);
                expr.registers(f);
            }
            Instr::Load { dst, addr, .. } | Instr::LoadLinked { dst, addr, .. } => {
                f(*dst);
                addr.registers(f);
            }
            Instr::StoreConditional { ok, addr, value, .. } => {
                f(*ok);
                addr.registers(f);
                value.registers(f);
            }
            Instr::Store { addr, value, .. } => {
                addr.registers(f);
                value.registers(f);
            }
            Instr::Rmw { dst, addr, operand, .. } => {
                f(*dst);
                addr.registers(f);
                operand.registers(f);
            }
            Instr::Cas { ok, old, addr, expected, desired, .. } => {
                f(*ok);
                f(*old);
                addr.registers(f);
                expected.registers(f);
                desired.registers(f);
            }
            Instr::Branch { cond, .. } | Instr::Assume { cond } | Instr::Assert { cond, .. } => {
                cond.registers(f)
            }
            Instr::Fence { .. }
            | Instr::Jump { .. }
            | Instr::Cut
            | Instr::Spawn { .. }
            | Instr::Join { .. } => {}
        }
    }
}
