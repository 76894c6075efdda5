//! One function: its blocks, the values in them, the moves on edges.

use std::collections::HashMap;

use selvedge_ir::cfg::{Block as Code, Graph};
use selvedge_ir::{FuncId, Instr, Operand, Pad, Place, Reg, Target, words};

use super::Program;
use super::shape::{Scalar, shape};
use crate::llvm::{Block, Opcode, TypeKind, Value};
use crate::names;

/// A function while it is lowered.
pub(super) struct Body<'a, 'm> {
    pub(super) program: &'a mut Program<'m>,
    graph: Graph,
    /// Where instructions are added.
    current: usize,
    pub(super) place: Place,
    regs: Reg,
    blocks: HashMap<Block<'m>, usize>,
    /// Where each block ends: inline assembly may have divided it.
    ends: Vec<usize>,
    /// The function.
    pub(super) id: FuncId,
    /// What each value that was computed is, one operand per register.
    ///
    /// Two values may share registers (a field and its structure). That is sound, since a register is
    /// written again only where the value that it was allocated for is computed again, and whatever
    /// shares it is computed after that, in the same iteration.
    values: HashMap<Value<'m>, Vec<Operand>>,
    /// Variables in memory that a register does as well for (see [`Body::alloca`]).
    pub(super) slots: HashMap<Value<'m>, Reg>,
    /// Which variables have a life of their own, of those that were asked for.
    pub(super) scopes: HashMap<Value<'m>, bool>,
    /// Variables that live shorter than their function: how room is made for them.
    pub(super) scoped: HashMap<Value<'m>, Instr>,
    /// In a function that takes any number of arguments: the registers of where they are and their size.
    pub(super) rest: Option<Reg>,
    /// Whether the function calls `setjmp`.
    pub(super) returns_twice: bool,
    /// Whether the function is one of Rust or C++.
    pub(super) is_mangled: bool,
    /// What the call that is lowered next does with exceptions, and where it says whether there was one.
    pub(super) lands: Option<Box<Pad>>,
    pub(super) landed: Option<Operand>,
    /// After `asm goto`: whether it jumps, and to which of its labels.
    pub(super) leaves: Option<(Operand, usize)>,
    /// Which element of vectors is meant, while an operation on vectors is lowered element by element.
    pub(super) lane: Option<usize>,
}

/// Whether an instruction calls a function that may return again.
fn calls_setjmp(instruction: Value<'_>) -> bool {
    instruction.opcode() == Some(Opcode::LLVMCall) && instruction.callee().name().contains("setjmp")
}

/// Lowers a function, unless it is only declared.
pub(super) fn lower<'m>(program: &mut Program<'m>, function: Value<'m>) {
    let Some(entry) = function.blocks().first().copied() else { return };
    let order = reverse_postorder(entry);
    let blocks: HashMap<Block<'m>, usize> = order.iter().enumerate().map(|(n, b)| (*b, n)).collect();
    let graph = Graph { blocks: vec![Code::default(); order.len()], ..Graph::default() };
    let id = program.functions[&function];
    let mut body = Body {
        program,
        graph,
        current: 0,
        place: Place::default(),
        regs: 0,
        blocks,
        ends: Vec::new(),
        id,
        values: HashMap::new(),
        slots: HashMap::new(),
        scopes: HashMap::new(),
        scoped: HashMap::new(),
        rest: None,
        returns_twice: order.iter().flat_map(|block| block.instructions()).any(calls_setjmp),
        is_mangled: names::is_mangled(&function.name()),
        lane: None,
        lands: None,
        landed: None,
        leaves: None,
    };
    body.parameters(function, id);
    if body.program.strict_bounds {
        order.iter().flat_map(|block| block.instructions()).for_each(|i| body.program.learn_types(i));
    }
    let phis = body.number_phis(&order);
    for (number, block) in order.iter().enumerate() {
        body.current = number;
        for instruction in block.instructions() {
            body.place = body.program.place_of(instruction);
            body.declarations(instruction, id);
            if instruction.opcode() != Some(Opcode::LLVMPHI) {
                body.instruction(instruction);
            }
        }
        body.ends.push(body.current);
    }
    body.moves(&order, &phis);
    let Code { code, places } = body.graph.into_code();
    let lowered = &mut body.program.out.functions[id.0 as usize];
    (lowered.code, lowered.places, lowered.regs) = (code, places, body.regs);
}

/// The blocks that can be reached, each after those that compute what it uses.
fn reverse_postorder(entry: Block<'_>) -> Vec<Block<'_>> {
    let mut seen = std::collections::HashSet::from([entry]);
    let mut order = Vec::new();
    let mut stack = vec![(entry, entry.successors())];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if seen.insert(next) {
                    stack.push((next, next.successors()));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

impl<'m> Body<'_, 'm> {
    pub(super) fn emit(&mut self, instr: Instr) {
        let place = self.place;
        self.graph.blocks[self.current].push(instr, place);
    }

    /// Another block, which nothing leads to yet.
    pub(super) fn new_block(&mut self) -> usize {
        self.graph.blocks.push(Code::default());
        self.graph.blocks.len() - 1
    }

    /// What is emitted from here on is in this block.
    pub(super) fn go_to(&mut self, block: usize) {
        self.current = block;
    }

    /// The current block, how much there is of it, and how many there are.
    pub(super) fn mark(&self) -> (usize, usize, usize) {
        (self.current, self.graph.blocks[self.current].code.len(), self.graph.blocks.len())
    }

    /// Takes back what was added since then.
    pub(super) fn back_to(&mut self, (current, length, blocks): (usize, usize, usize)) {
        self.graph.blocks.truncate(blocks);
        self.current = current;
        let block = &mut self.graph.blocks[current];
        block.code.truncate(length);
        block.places.truncate(length);
    }

    pub(super) fn fresh(&mut self, count: u32) -> Reg {
        let first = self.regs;
        self.regs += count;
        first
    }

    /// `count` new registers in a row, as operands.
    pub(super) fn row(first: Reg, count: u32) -> Vec<Operand> {
        (first..first + count).map(Operand::Reg).collect()
    }

    /// Emits an instruction with one result.
    pub(super) fn compute(&mut self, make: impl FnOnce(Reg) -> Instr) -> Operand {
        let dst = self.fresh(1);
        self.emit(make(dst));
        Operand::Reg(dst)
    }

    /// Something that has no bytecode: an error if it is reached.
    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.emit(Instr::Unsupported { what: what.into() });
    }

    /// The same for an instruction with a result.
    pub(super) fn unsupported_value(&mut self, value: Value<'m>, what: impl Into<String>) -> Vec<Operand> {
        self.unsupported(what);
        vec![Operand::Undef; self.program.shape(value).registers() as usize]
    }

    /// All registers of a value; of a vector, only those of the element that is meant.
    pub(super) fn operands(&mut self, value: Value<'m>) -> Vec<Operand> {
        let all = self.all_operands(value);
        match self.lane.filter(|_| value.ty().kind() == TypeKind::Vector) {
            Some(lane) => vec![all.get(lane).copied().unwrap_or(Operand::Undef)],
            None => all,
        }
    }

    fn all_operands(&mut self, value: Value<'m>) -> Vec<Operand> {
        if let Some(operands) = self.values.get(&value) {
            return operands.clone();
        }
        if let Some(operands) = self.program.constant(value) {
            return operands;
        }
        match value.opcode() {
            // Not remembered: other blocks do not come after this one.
            Some(opcode) if value.is_constant() => self.expression(value, opcode),
            _ => self.unsupported_value(value, format!("value {}", value.text().trim())),
        }
    }

    /// A value of one register.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Operand {
        self.operands(value).first().copied().unwrap_or(Operand::Undef)
    }

    /// A scalar as an instruction names it: by its only register, or by the first of two in a row.
    pub(super) fn whole(&mut self, value: Value<'m>) -> Operand {
        match *self.operands(value).as_slice() {
            [only] => only,
            [low, high] => self.pair(low, high),
            _ => Operand::Undef,
        }
    }

    /// Two registers in a row with these contents, by the first of them; or a constant that needs one.
    pub(super) fn pair(&mut self, low: Operand, high: Operand) -> Operand {
        match (low, high) {
            (Operand::Const(_), Operand::Const(0)) => low,
            (Operand::Reg(first), Operand::Reg(second)) if second == first + 1 => low,
            _ => {
                let pair = self.fresh(2);
                self.emit(Instr::Move { dst: pair, src: low });
                self.emit(Instr::Move { dst: pair + 1, src: high });
                Operand::Reg(pair)
            }
        }
    }

    /// Emits an instruction whose result is an integer of this width.
    pub(super) fn compute_int(&mut self, bits: u8, make: impl FnOnce(Reg) -> Instr) -> Vec<Operand> {
        let count = words(bits);
        let dst = self.fresh(count);
        self.emit(make(dst));
        Self::row(dst, count)
    }

    pub(super) fn scalar(&self, value: Value<'m>) -> Option<Scalar> {
        if self.lane.is_some() && value.ty().kind() == TypeKind::Vector {
            let scalar = shape(self.program.layout, value.ty().elements().0).scalar();
            // In vectors, they have no registers.
            return scalar.filter(|scalar| *scalar != Scalar::Extended);
        }
        self.program.shape(value).scalar()
    }

    /// The block of bytecode that a block of LLVM became.
    fn target(&self, block: Block<'m>) -> Target {
        self.blocks[&block] as Target
    }

    fn parameters(&mut self, function: Value<'m>, id: FuncId) {
        let parameters = function.parameters();
        for &parameter in &parameters {
            let count = self.program.shape(parameter).registers();
            let first = self.fresh(count);
            self.values.insert(parameter, Self::row(first, count));
            self.name_register(parameter, first, id);
        }
        self.program.out.functions[id.0 as usize].params = (0..self.regs).collect();
        if function.contents().is_varargs() {
            self.rest = Some(self.fresh(2));
        }
        // The callee makes the copy that a structure passed by value is.
        self.place = self.program.out.functions[id.0 as usize].place;
        for (index, &parameter) in parameters.iter().enumerate() {
            let Some(ty) = function.by_value(index as u32) else { continue };
            let (size, align) = (self.program.layout.size(ty), self.program.layout.align(ty));
            let original = self.operand(parameter);
            let copy =
                self.compute(|dst| Instr::Alloca { dst, size: Operand::Const(size), align, private: false });
            self.call_library("memcpy", vec![copy, original, Operand::Const(size)], 1);
            self.values.insert(parameter, vec![copy]);
        }
    }

    /// A parameter, or what became of a variable in memory, has its name and perhaps a number behind a dot.
    fn name_register(&mut self, value: Value<'m>, reg: Reg, id: FuncId) {
        let name = if self.program.names { value.name() } else { String::new() };
        let name = name.split('.').next().unwrap_or_default();
        if !name.is_empty() {
            self.program.out.functions[id.0 as usize].locals.push((reg, name.to_string(), None));
        }
    }

    /// Local variables in memory that are declared before an instruction.
    fn declarations(&mut self, instruction: Value<'m>, id: FuncId) {
        for (address, variable) in instruction.declarations() {
            let Some([Operand::Reg(reg)]) = self.values.get(&address).map(Vec::as_slice) else { continue };
            let reg = *reg;
            if let Some(file) = &variable.file {
                let place = self.program.place(file, variable.line, 0);
                self.place_alloca(reg, place);
            }
            let ty = variable.ty.map(|ty| self.program.type_info(ty));
            self.program.out.functions[id.0 as usize].locals.push((reg, variable.name, ty));
        }
    }

    /// Compilers give no place to the room for a variable: it is where the variable is declared.
    fn place_alloca(&mut self, reg: Reg, place: Place) {
        for block in &mut self.graph.blocks {
            for (instr, known) in block.code.iter().zip(&mut block.places) {
                if matches!(instr, Instr::Alloca { dst, .. } if *dst == reg) && known.line == 0 {
                    *known = place;
                    return;
                }
            }
        }
    }

    /// Gives registers to all phi nodes, since they can be used before they are seen.
    fn number_phis(&mut self, order: &[Block<'m>]) -> Vec<Vec<(Value<'m>, Reg)>> {
        let mut all = Vec::new();
        for block in order {
            let mut phis = Vec::new();
            for phi in block.instructions() {
                if phi.opcode() != Some(Opcode::LLVMPHI) {
                    break;
                }
                let count = self.program.shape(phi).registers();
                let first = self.fresh(count);
                self.values.insert(phi, Self::row(first, count));
                self.name_register(phi, first, self.id);
                phis.push((phi, first));
            }
            all.push(phis);
        }
        all
    }

    fn instruction(&mut self, instruction: Value<'m>) {
        use Opcode::*;
        let Some(opcode) = instruction.opcode() else { return };
        let result = match opcode {
            LLVMAlloca => self.alloca(instruction),
            LLVMLoad => self.load(instruction),
            LLVMStore => self.store(instruction),
            LLVMAtomicCmpXchg => self.compare_exchange(instruction),
            LLVMAtomicRMW => self.read_modify_write(instruction),
            LLVMFence => self.fence(instruction),
            LLVMCall => self.call(instruction),
            LLVMInvoke => {
                self.lands = self.pad_of(instruction);
                let result = self.call(instruction);
                self.lands = None;
                self.values.insert(instruction, result);
                self.terminator(instruction, opcode);
                return;
            }
            LLVMCallBr => {
                self.leaves = None;
                let result = self.call(instruction);
                self.values.insert(instruction, result);
                self.terminator(instruction, opcode);
                return;
            }
            LLVMRet | LLVMBr | LLVMSwitch | LLVMUnreachable | LLVMIndirectBr | LLVMResume
            | LLVMCleanupRet | LLVMCatchRet | LLVMCatchSwitch => {
                self.terminator(instruction, opcode);
                return;
            }
            LLVMLandingPad => self.landing_pad(instruction),
            _ => self.expression(instruction, opcode),
        };
        self.values.insert(instruction, result);
    }

    fn terminator(&mut self, instruction: Value<'m>, opcode: Opcode) {
        let successors = instruction.successors();
        match opcode {
            Opcode::LLVMRet => {
                let values = match instruction.operand_count() {
                    0 => Vec::new(),
                    _ => self.operands(instruction.operand(0)),
                };
                self.emit(Instr::Return { values });
            }
            Opcode::LLVMBr => match instruction.condition() {
                None => self.emit(Instr::Jump { to: self.target(successors[0]) }),
                Some(_) if successors[0] == successors[1] => {
                    self.emit(Instr::Jump { to: self.target(successors[0]) });
                }
                Some(condition) => {
                    let cond = self.operand(condition);
                    let (then, els) = (self.target(successors[0]), self.target(successors[1]));
                    self.emit(Instr::Branch { cond, then, els });
                }
            },
            Opcode::LLVMInvoke => {
                let normal = self.target(successors[0]);
                match self.landed.take() {
                    Some(cond) => {
                        let then = self.target(successors[1]);
                        self.emit(Instr::Branch { cond, then, els: normal });
                    }
                    None => self.emit(Instr::Jump { to: normal }),
                }
            }
            // Where the text goes on after it comes first, then its labels.
            Opcode::LLVMCallBr => {
                let els = self.target(successors[0]);
                match self.leaves.take() {
                    Some((cond, label)) => {
                        let then = self.target(successors[label + 1]);
                        self.emit(Instr::Branch { cond, then, els });
                    }
                    None => self.emit(Instr::Jump { to: els }),
                }
            }
            Opcode::LLVMResume => {
                let exception = self.operands(instruction.operand(0))[0];
                self.call_library("_Unwind_Resume", vec![exception], 0);
                self.emit(Instr::Unreachable);
            }
            Opcode::LLVMSwitch => self.switch(instruction, &successors),
            Opcode::LLVMUnreachable => self.emit(Instr::Unreachable),
            _ => {
                self.unsupported(instruction.text().trim());
                self.emit(Instr::Unreachable);
            }
        }
    }

    fn switch(&mut self, instruction: Value<'m>, successors: &[Block<'m>]) {
        let decided = instruction.operand(0);
        let cases: Option<Vec<u64>> = instruction
            .case_values()
            .into_iter()
            .map(|case| case.bits().and_then(|bits| u64::try_from(bits).ok()))
            .collect();
        let narrow = matches!(self.scalar(decided), Some(Scalar::Int(1..=64)));
        let Some(cases) = cases.filter(|_| narrow) else {
            self.unsupported(format!("switch over {}", decided.ty().text()));
            self.emit(Instr::Unreachable);
            return;
        };
        let value = self.operand(decided);
        let cases = cases.into_iter().zip(&successors[1..]).map(|(v, to)| (v, self.target(*to))).collect();
        self.emit(Instr::Switch { value, cases, default: self.target(successors[0]) });
    }

    /// Writes phi nodes where control comes from.
    fn moves(&mut self, order: &[Block<'m>], phis: &[Vec<(Value<'m>, Reg)>]) {
        for (number, block) in order.iter().enumerate() {
            if phis[number].is_empty() {
                continue;
            }
            let mut sources: Vec<Block<'m>> = Vec::new();
            for (_, from) in phis[number][0].0.incoming() {
                if self.blocks.contains_key(&from) && !sources.contains(&from) {
                    sources.push(from);
                }
            }
            for from in sources {
                // An edge may be gone: what was not supported ends its block.
                let source = self.ends[self.blocks[&from]];
                if !self.graph.blocks[source].successors().contains(&self.blocks[block]) {
                    continue;
                }
                self.edge(source, number, from, &phis[number]);
            }
        }
    }

    fn edge(&mut self, source: usize, to: usize, from: Block<'m>, phis: &[(Value<'m>, Reg)]) {
        self.current = self.graph.on_edge(source, to);
        // Instructions go before the jump.
        let code = &mut self.graph.blocks[self.current];
        let jump = code.code.pop();
        self.place = code.places.pop().unwrap_or_default();
        let mut moves = Vec::new();
        for &(phi, first) in phis {
            let Some((value, _)) = phi.incoming().into_iter().find(|(_, block)| *block == from) else {
                continue;
            };
            moves.extend((first..).zip(self.operands(value)));
        }
        self.parallel_moves(moves);
        if let Some(jump) = jump {
            self.emit(jump);
        }
    }

    /// Does all moves at once: every source is read before any destination is written.
    fn parallel_moves(&mut self, mut moves: Vec<(Reg, Operand)>) {
        moves.retain(|(dst, src)| *src != Operand::Reg(*dst));
        while !moves.is_empty() {
            let free = moves.iter().position(|(dst, _)| !moves.iter().any(|(_, s)| *s == Operand::Reg(*dst)));
            match free {
                Some(index) => {
                    let (dst, src) = moves.swap_remove(index);
                    self.emit(Instr::Move { dst, src });
                }
                // Only cycles are left: keep one of their values elsewhere.
                None => {
                    let held = Operand::Reg(moves[0].0);
                    let copy = self.compute(|dst| Instr::Move { dst, src: held });
                    for (_, src) in &mut moves {
                        if *src == held {
                            *src = copy;
                        }
                    }
                }
            }
        }
    }

    /// How many registers a call to something of this type returns.
    pub(super) fn results(&self, instruction: Value<'m>) -> u32 {
        shape(self.program.layout, instruction.ty()).registers()
    }
}
