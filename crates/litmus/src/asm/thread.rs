//! The code of one thread in the making.

use super::Arch;
use super::operand::Piece;
use super::width::{Access, Reason, Width, at_an_offset, low, sign_extended, sized_op, stored};
use crate::bounds::{Loop, widen};
use crate::lex::clip;
use crate::source::{Place, Source};
use crate::syntax::Parsed;
use selvedge_graph::{Barrier, Loc, Mode, Value};
use selvedge_machine::expr::{BinOp, Expr, Reg, UnOp};
use selvedge_machine::pairs::apart;
use selvedge_machine::program::{Addr, Instr, RmwOp, pointer_to};
use std::collections::HashMap;

/// Registers have numbers of 16 bits; programs that come near that are not litmus tests.
const MAX_REGISTERS: usize = 1 << 15;
/// So that addresses have 31 bits.
const MAX_LOCATIONS: usize = 512;

/// The locations of a test, by name.
#[derive(Default)]
pub struct AsmLocations {
    pub cells: Vec<(String, Value)>,
    /// By location; `None` while nothing says how large it is.
    pub sizes: Vec<Option<(Width, Reason)>>,
    pub arrays: Vec<Array>,
    names: HashMap<String, Loc>,
}

/// Locations that stand one behind the other.
pub struct Array {
    name: String,
    pub elements: Vec<Loc>,
    /// Of an element.
    pub width: Width,
}

impl AsmLocations {
    /// The location of this name, a new one with value 0 if need be.
    pub fn intern(&mut self, source: &Source<'_>, name: &str, place: Place) -> Parsed<Loc> {
        if let Some(loc) = self.names.get(name) {
            return Ok(*loc);
        }
        if self.cells.len() >= MAX_LOCATIONS {
            return Err(source.error(place, format!("more than {MAX_LOCATIONS} locations")));
        }
        let loc = Loc(self.cells.len() as u32);
        self.cells.push((name.to_string(), 0));
        self.sizes.push(None);
        self.names.insert(name.to_string(), loc);
        Ok(loc)
    }

    pub fn find(&self, name: &str) -> Option<Loc> {
        self.names.get(name).copied()
    }

    /// A new array; its name may have stood for an address before.
    pub fn array(
        &mut self,
        source: &Source<'_>,
        name: Piece<'_>,
        len: usize,
        width: Width,
    ) -> Parsed<Vec<Loc>> {
        if self.array_of(name.text).is_some() {
            return Err(source.error(name.place, format!("`{}` is declared twice", clip(name.text))));
        }
        let first = self.intern(source, name.text, name.place)?;
        self.cells[first.index()].0 = format!("{}[0]", name.text);
        let mut elements = vec![first];
        for index in 1..len {
            elements.push(self.intern(source, &format!("{}[{index}]", name.text), name.place)?);
        }
        for loc in &elements {
            self.sizes[loc.index()] = Some((width, Reason::Declared));
        }
        self.arrays.push(Array { name: name.text.to_string(), elements: elements.clone(), width });
        Ok(elements)
    }

    pub fn array_of(&self, name: &str) -> Option<&Array> {
        self.arrays.iter().find(|array| array.name == name)
    }
}

pub struct Builder<'a> {
    pub source: &'a Source<'a>,
    pub arch: Arch,
    pub locations: &'a mut AsmLocations,
    pub regs: Vec<String>,
    names: HashMap<String, Reg>,
    pub code: Vec<Instr>,
    /// Where each instruction of `code` comes from.
    places: Vec<Place>,
    accesses: Vec<Access>,
    pub place: Place,
    labels: HashMap<String, usize>,
    /// Jumps to labels that were not known yet.
    open: Vec<(usize, String, Place)>,
    unroll: u32,
    loops: Vec<Loop>,
}

/// The code of a thread.
pub struct Finished {
    pub regs: Vec<String>,
    pub code: Vec<Instr>,
    pub accesses: Vec<Access>,
    /// Where each instruction of `code` comes from.
    pub places: Vec<Place>,
}

/// A comparison of the two registers that stand for the flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchTest {
    Signed(BinOp),
    Unsigned(BinOp),
}

impl<'a> Builder<'a> {
    pub fn new(
        source: &'a Source<'a>,
        arch: Arch,
        locations: &'a mut AsmLocations,
        unroll: u32,
    ) -> Builder<'a> {
        Builder {
            source,
            arch,
            locations,
            regs: Vec::new(),
            names: HashMap::new(),
            code: Vec::new(),
            places: Vec::new(),
            accesses: Vec::new(),
            place: Place::default(),
            labels: HashMap::new(),
            open: Vec::new(),
            unroll,
            loops: Vec::new(),
        }
    }

    pub fn emit(&mut self, instr: Instr) {
        self.code.push(instr);
        self.places.push(self.place);
    }

    // ---- accesses ----

    fn access(&mut self, width: Width, instr: Instr) {
        self.accesses.push(Access { at: self.code.len(), width, place: self.place });
        self.emit(instr);
    }

    /// A register has the lower part alone of what an access of less than 64 bits gave it, or the whole with
    /// its sign.
    fn loaded(&mut self, dst: Reg, width: Width, signed: bool) {
        match width {
            Width::WORD if !signed => self.assign(dst, low(Expr::Reg(dst))),
            Width::BYTE | Width::HALF if signed => {
                let value = sign_extended(Expr::Reg(dst), width);
                self.assign(dst, value);
            }
            _ => {}
        }
    }

    /// The address that a computation comes to. What leads from one element of an array to another one ends
    /// at that one's location.
    pub fn computed(&mut self, address: Expr) -> Parsed<Addr> {
        if self.locations.arrays.is_empty() {
            return Ok(Addr::Pointer(address));
        }
        let at = self.temp()?;
        self.assign(at, address);
        let mut sum = Expr::Reg(at);
        for array in &self.locations.arrays {
            for (i, from) in array.elements.iter().enumerate() {
                for (j, to) in array.elements.iter().enumerate().filter(|(j, _)| *j != i) {
                    let distance = (j as Value - i as Value) * Value::from(array.width.0);
                    let reached = pointer_to(*from) + distance;
                    let is = Expr::bin(BinOp::Eq, Expr::Reg(at), Expr::Const(reached));
                    let rest = Expr::Const(pointer_to(*to) - reached);
                    sum = Expr::bin(BinOp::Add, sum, Expr::bin(BinOp::Mul, is, rest));
                }
            }
        }
        Ok(Addr::Pointer(sum))
    }

    /// At a distance from the address in a register, which makes sense in arrays alone.
    pub fn displaced(&mut self, base: Reg, distance: Value, piece: Piece<'_>) -> Parsed<Addr> {
        if distance == 0 {
            return self.computed(Expr::Reg(base));
        }
        if self.locations.arrays.is_empty() {
            return Err(at_an_offset(self.source, piece));
        }
        self.computed(Expr::bin(BinOp::Add, Expr::Reg(base), Expr::Const(distance)))
    }

    pub fn load(&mut self, dst: Reg, addr: Addr, mode: Mode, width: Width, signed: bool) {
        self.access(width, Instr::Load { dst, addr, mode });
        self.loaded(dst, width, signed);
    }

    /// The first instruction of an exclusive pair.
    pub fn load_linked(&mut self, dst: Reg, addr: Addr, mode: Mode, width: Width, signed: bool) {
        self.access(width, Instr::LoadLinked { dst, addr, mode });
        self.loaded(dst, width, signed);
    }

    pub fn store(&mut self, addr: Addr, value: Expr, mode: Mode, width: Width) {
        let value = stored(value, width);
        self.access(width, Instr::Store { addr, value, mode });
    }

    pub fn store_conditional(&mut self, ok: Reg, addr: Addr, value: Expr, mode: Mode, width: Width) {
        let value = stored(value, width);
        self.access(width, Instr::StoreConditional { ok, addr, value, mode });
    }

    /// `what` is the operation and its operand.
    pub fn rmw(&mut self, dst: Reg, addr: Addr, what: (RmwOp, Expr), mode: Mode, width: Width, signed: bool) {
        let (op, operand) = (sized_op(what.0, width), stored(what.1, width));
        self.access(width, Instr::Rmw { dst, addr, op, operand, mode });
        self.loaded(dst, width, signed);
    }

    /// `values` are what is expected and what is written; `modes`, the orderings of success and failure.
    pub fn cas(
        &mut self,
        old: Reg,
        addr: Addr,
        values: (Expr, Expr),
        modes: (Mode, Mode),
        width: Width,
    ) -> Parsed<Reg> {
        let ok = self.temp()?;
        let (expected, desired) = (stored(values.0, width), stored(values.1, width));
        let (success, failure) = modes;
        self.access(width, Instr::Cas { ok, old, addr, expected, desired, success, failure, weak: false });
        Ok(ok)
    }

    /// The register of this name.
    pub fn reg(&mut self, name: &str) -> Parsed<Reg> {
        if let Some(reg) = self.names.get(name) {
            return Ok(*reg);
        }
        if self.regs.len() >= MAX_REGISTERS {
            return Err(self.source.error(self.place, "too many registers in one thread"));
        }
        let reg = Reg(self.regs.len() as u16);
        self.regs.push(name.to_string());
        self.names.insert(name.to_string(), reg);
        Ok(reg)
    }

    /// A register that no program can name.
    pub fn temp(&mut self) -> Parsed<Reg> {
        let name = format!("${}", self.regs.len());
        self.reg(&name)
    }

    pub fn assign(&mut self, dst: Reg, expr: Expr) {
        self.emit(Instr::Assign { dst, expr });
    }

    pub fn fence(&mut self, barrier: Barrier) {
        self.emit(Instr::Fence { mode: Mode::Barrier(barrier) });
    }

    /// The location that a name in the code stands for.
    pub fn symbol(&mut self, piece: Piece<'_>) -> Parsed<Loc> {
        self.locations.intern(self.source, piece.text, piece.place)
    }

    pub fn not_a_register(&self, piece: Piece<'_>) -> selvedge_diagnostic::Diagnostic {
        self.source.error(piece.place, format!("`{}` is not a register", clip(piece.text)))
    }

    pub fn not_an_address(&self, piece: Piece<'_>) -> selvedge_diagnostic::Diagnostic {
        let message = format!("address `{}` is not supported", clip(piece.text));
        self.source.error(piece.place, message)
    }

    pub fn not_an_operand(&self, piece: Piece<'_>) -> selvedge_diagnostic::Diagnostic {
        self.source.error(piece.place, format!("operand `{}` is not supported", clip(piece.text)))
    }

    // ---- flags ----

    fn flags(&mut self) -> Parsed<(Reg, Reg)> {
        Ok((self.reg("flags.left")?, self.reg("flags.right")?))
    }

    /// Compares two numbers for the conditional jumps to come.
    pub fn compare(&mut self, left: Expr, right: Expr) -> Parsed<()> {
        let (l, r) = self.flags()?;
        self.assign(l, left);
        self.assign(r, right);
        Ok(())
    }

    /// The outcome of the last comparison.
    pub fn outcome(&mut self, test: BranchTest) -> Parsed<Expr> {
        let (l, r) = self.flags()?;
        let (l, r) = (Expr::Reg(l), Expr::Reg(r));
        Ok(match test {
            BranchTest::Signed(op) => Expr::bin(op, l, r),
            BranchTest::Unsigned(op) => unsigned(op, l, r),
        })
    }

    // ---- jumps ----

    pub fn label(&mut self, label: Piece<'_>) -> Parsed<()> {
        if self.labels.insert(label.text.to_string(), self.code.len()).is_some() {
            let message = format!("label `{}` is defined twice", clip(label.text));
            return Err(self.source.error(label.place, message));
        }
        Ok(())
    }

    /// Jumps to a label if `cond` is not 0. Backward jumps are taken as often as loops are unrolled; an
    /// execution that would take one once more is cut.
    pub fn jump(&mut self, cond: Option<Expr>, label: Piece<'_>) -> Parsed<()> {
        let Some(&target) = self.labels.get(label.text) else {
            if !is_label(label.text) {
                return Err(self.source.error(label.place, format!("`{}` is not a label", clip(label.text))));
            }
            self.open.push((self.code.len(), label.text.to_string(), label.place));
            self.emit(match cond {
                Some(cond) => Instr::Branch { cond, target: 0 },
                None => Instr::Jump { target: 0 },
            });
            return Ok(());
        };
        let count = self.temp()?;
        if let Some(cond) = cond {
            let target = self.code.len() + 4;
            self.emit(Instr::Branch { cond: Expr::un(UnOp::Not, cond), target });
        }
        let one_more = Expr::bin(BinOp::Add, Expr::Reg(count), Expr::Const(1));
        self.assign(count, one_more);
        let may = Expr::bin(BinOp::Le, Expr::Reg(count), Expr::Const(Value::from(self.unroll)));
        self.loops.push(Loop { start: target, end: self.code.len(), check: self.code.len() });
        self.emit(Instr::Branch { cond: may, target });
        self.emit(Instr::Cut);
        Ok(())
    }

    /// Closes the code: all labels are known now.
    pub fn finish(mut self) -> Parsed<Finished> {
        for (at, label, place) in std::mem::take(&mut self.open) {
            let Some(&to) = self.labels.get(&label) else {
                return Err(self.source.error(place, format!("there is no label `{}`", clip(&label))));
            };
            if let Instr::Branch { target, .. } | Instr::Jump { target } = &mut self.code[at] {
                *target = to;
            }
        }
        self.check_pairs()?;
        widen(&mut self.code, &self.loops, self.unroll);
        let Builder { regs, code, accesses, places, .. } = self;
        Ok(Finished { regs, code, accesses, places })
    }

    /// Where something visible stands between the two instructions of an exclusive pair, they have to be of
    /// one address for sure: whether the pair may succeed must not depend on what is read.
    fn check_pairs(&self) -> Parsed<()> {
        let Some(pair) = apart(&self.code).find(|pair| !pair.is_sure) else { return Ok(()) };
        let message = "an access or a fence between the two instructions of an exclusive pair, whose addresses \
                       may differ";
        Err(self.source.error(self.places[pair.store], message).with_help(
            "such pairs are supported if both have the same address register, which nothing changes in between",
        ))
    }
}

/// A comparison of unsigned numbers: with the sign bits flipped, the signed one.
pub fn unsigned(op: BinOp, l: Expr, r: Expr) -> Expr {
    let flip = |e| Expr::bin(BinOp::Xor, e, Expr::Const(Value::MIN));
    Expr::bin(op, flip(l), flip(r))
}

fn is_label(text: &str) -> bool {
    super::operand::is_name(text)
}
