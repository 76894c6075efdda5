//! A function under construction.

use selvedge_graph::Mode;
use selvedge_ir::{BinOp, CmpOp, FuncId, Function, Instr, Operand, Place, Reg};

/// A place to jump to, before it has a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(u32);

#[derive(Debug, Default)]
pub struct Builder {
    pub code: Vec<Instr>,
    pub places: Vec<Place>,
    labels: Vec<Option<u32>>,
    pub regs: u32,
    pub place: Place,
}

impl Builder {
    /// One without code, with as many registers, at the same place.
    pub fn emptied(&self) -> Builder {
        Builder { regs: self.regs, place: self.place, ..Builder::default() }
    }

    pub fn reg(&mut self) -> Reg {
        self.block(1)
    }

    /// Several registers in a row.
    pub fn block(&mut self, count: u32) -> Reg {
        let first = self.regs;
        self.regs += count;
        first
    }

    pub fn push(&mut self, instr: Instr) {
        self.code.push(instr);
        self.places.push(self.place);
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub fn set(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.code.len() as u32);
    }

    pub fn jump(&mut self, to: Label) {
        self.push(Instr::Jump { to: to.0 });
    }

    pub fn branch(&mut self, cond: Operand, then: Label, els: Label) {
        self.push(Instr::Branch { cond, then: then.0, els: els.0 });
    }

    /// Goes to a label if something holds, and on otherwise.
    pub fn branch_if(&mut self, cond: Operand, then: Label) {
        let next = self.label();
        self.branch(cond, then, next);
        self.set(next);
    }

    pub fn switch(&mut self, value: Operand, cases: Vec<(u64, Label)>, default: Label) {
        let cases = cases.into_iter().map(|(n, label)| (n, label.0)).collect();
        self.push(Instr::Switch { value, cases, default: default.0 });
    }

    pub fn set_to(&mut self, dst: Reg, src: Operand) {
        if src != Operand::Reg(dst) {
            self.push(Instr::Move { dst, src });
        }
    }

    pub fn bin(&mut self, op: BinOp, bits: u8, dst: Reg, a: Operand, b: Operand) {
        self.push(Instr::Bin { op, bits, dst, a, b, no_signed_wrap: false, no_unsigned_wrap: false });
    }

    pub fn cmp(&mut self, op: CmpOp, bits: u8, dst: Reg, a: Operand, b: Operand) {
        self.push(Instr::Cmp { op, bits, dst, a, b });
    }

    pub fn offset(&mut self, dst: Reg, base: Operand, by: i64) {
        self.push(Instr::Offset { dst, base, index: Operand::Const(by as u64), scale: 1, within: false });
    }

    pub fn load(&mut self, dst: Reg, addr: Operand, bytes: u8, mode: Mode) {
        self.push(Instr::Load { dst, addr, bytes, mode, volatile: false });
    }

    pub fn store(&mut self, addr: Operand, value: Operand, bytes: u8, mode: Mode) {
        self.push(Instr::Store { addr, value, bytes, mode, volatile: false, reference: false });
    }

    /// Stores the reference to an object.
    pub fn store_reference(&mut self, addr: Operand, value: Operand, mode: Mode) {
        self.push(Instr::Store { addr, value, bytes: 8, mode, volatile: false, reference: true });
    }

    pub fn call(&mut self, dst: Option<Reg>, callee: FuncId, args: Vec<Operand>, results: u32) {
        self.push(Instr::Call {
            dst,
            callee: Operand::Func(callee),
            args,
            results,
            signature: None,
            lands: None,
        });
    }

    pub fn unsupported(&mut self, what: impl Into<String>) {
        self.push(Instr::Unsupported { what: what.into() });
    }

    /// The function, with numbers for labels.
    pub fn finish(mut self, name: String, params: Vec<Reg>, results: u32, place: Place) -> Function {
        // Also where labels lead that nobody comes to.
        self.push(Instr::Unreachable);
        let end = self.code.len() as u32 - 1;
        for instr in &mut self.code {
            let labels = &self.labels;
            instr.for_targets_mut(|target| *target = labels[*target as usize].unwrap_or(end));
        }
        Function {
            name,
            params,
            results,
            varargs: false,
            signature: None,
            regs: self.regs,
            code: self.code,
            places: self.places,
            loops: Vec::new(),
            place,
            locals: Vec::new(),
        }
    }
}
