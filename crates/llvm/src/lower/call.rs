//! Calls, and inline assembly.

use selvedge_graph::Mode;
use selvedge_ir::{CastOp, GlobalId, Instr, Operand, Pad, library};

use super::asm;
use super::body::Body;
use super::shape::Scalar;
use crate::llvm::{Value, keeps, unset};

impl<'m> Body<'_, 'm> {
    pub(super) fn call(&mut self, value: Value<'m>) -> Vec<Operand> {
        let callee = value.callee();
        if let Some((text, constraints, is_intel)) = callee.assembly() {
            return self.inline_assembly(value, &text, &constraints, is_intel);
        }
        if keeps(&callee.name()) {
            return Vec::new();
        }
        if let Some(number) = unset(&callee.name()) {
            return self.unset(value, number);
        }
        if let Some(name) = callee.name().strip_prefix("llvm.").map(str::to_owned) {
            return self.intrinsic(value, &name);
        }
        if self.program.is_out_of_reach(callee) {
            return self.unsupported_value(value, format!("`{}` with -m32", callee.name()));
        }
        if value.only_sleeps() {
            // What a loop does meanwhile is known by this name.
            self.call_library(library::PAUSE, Vec::new(), 0);
            return vec![Operand::Const(0)];
        }
        let ty = value.called();
        let fixed = if ty.is_varargs() { ty.parameter_count() as usize } else { usize::MAX };
        let mut args = Vec::new();
        let arguments = value.arguments();
        for argument in arguments.iter().take(fixed) {
            args.extend(self.operands(*argument));
        }
        if arguments.len() > fixed {
            let rest = match self.has_short_pointers() {
                true => self.further_short_arguments(value, fixed),
                false => self.further_arguments(value, fixed),
            };
            args.extend(rest);
        }
        let short = self.has_short_pointers();
        let callee = match self.program.functions.get(&callee).filter(|_| short) {
            Some(function) => Operand::Func(*function),
            None => self.operand(callee),
        };
        let results = self.results(value);
        let lands = self.lands.take();
        let signature = self.program.signature_of_call(value);
        match lands {
            Some(pad) => self.call_landing(callee, args, results, signature, pad),
            None => {
                let results = self.call_to(callee, args, results, Some(signature));
                self.narrow_results(value, results)
            }
        }
    }

    /// The library's longs have 64 bits; where a program's have 32, so many are left of them. What else is
    /// called has no more.
    fn narrow_results(&mut self, call: Value<'m>, results: Vec<Operand>) -> Vec<Operand> {
        match (results.as_slice(), self.program.shape(call).scalar()) {
            (&[result], Some(Scalar::Int(width @ ..=32))) if self.has_short_pointers() => {
                vec![self.convert(CastOp::Trunc, 64, width as u8, result)]
            }
            _ => results,
        }
    }

    /// A call that does not let all exceptions pass. Whether there was one is in [`Body::landed`] then.
    fn call_landing(
        &mut self,
        callee: Operand,
        args: Vec<Operand>,
        results: u32,
        signature: u32,
        pad: Box<Pad>,
    ) -> Vec<Operand> {
        let first = self.fresh(results + 1);
        self.landed = Some(Operand::Reg(first + results));
        let (dst, signature, results) = (Some(first), Some(signature), results + 1);
        self.emit(Instr::Call { dst, callee, args, results, signature, lands: Some(pad) });
        Self::row(first, results - 1)
    }

    /// What an `invoke` does with exceptions.
    pub(super) fn pad_of(&mut self, invoke: Value<'m>) -> Option<Box<Pad>> {
        let clauses = invoke.landing_pad()?.clauses();
        // What no exception may pass is a catch of every type.
        let types = clauses.catches.into_iter().map(|ty| self.program.fold(ty).unwrap_or(Operand::Const(0)));
        let mut catches: Vec<Operand> = types.collect();
        if clauses.filters || clauses.catches_rest {
            // Others are an error once an exception comes here.
            catches.push(Operand::Const(0));
        }
        Some(Box::new(Pad { cleanup: clauses.cleanup, catches }))
    }

    /// The exception, and which of the types it has.
    pub(super) fn landing_pad(&mut self, value: Value<'m>) -> Vec<Operand> {
        if value.clauses().filters {
            return self.unsupported_value(value, "an exception meets a dynamic exception specification");
        }
        let mut both = self.call_library("__selvedge_exception", Vec::new(), 1);
        both.extend(self.call_library("__selvedge_selector", Vec::new(), 1));
        both
    }

    /// The number of a type, as it is compared with that of an exception.
    pub(super) fn type_number(&mut self, ty: Value<'m>) -> Vec<Operand> {
        match self.program.fold(ty) {
            Some(Operand::Global(GlobalId(g), 0)) => vec![Operand::Const(u64::from(g) + 1)],
            _ => self.unknown(ty),
        }
    }

    /// The first value of a variable.
    fn unset(&mut self, value: Value<'m>, number: usize) -> Vec<Operand> {
        let count = self.results(value);
        if value.users().is_empty() {
            return vec![Operand::Undef; count as usize];
        }
        let first = self.fresh(count);
        let variable = self.program.unset.get(number).cloned().unwrap_or_default();
        self.place = match variable.place {
            Some((file, line)) => self.program.place(&file, line, 0),
            None => self.program.out.functions[self.id.0 as usize].place,
        };
        let bits = self.scalar(value).and_then(Scalar::bits).unwrap_or(64);
        for dst in first..first + count {
            self.undefine(dst, bits);
            if let Some(name) = &variable.name {
                self.program.out.functions[self.id.0 as usize].locals.push((dst, name.clone(), None));
            }
        }
        Self::row(first, count)
    }

    /// Makes a register undefined, as far as a value of so many bits fills it: what is above them is 0.
    pub(super) fn undefine(&mut self, dst: u32, bits: u8) {
        self.emit(match bits {
            64.. => Instr::Move { dst, src: Operand::Undef },
            to => Instr::Cast { op: CastOp::Trunc, from: 64, to, dst, src: Operand::Undef },
        });
    }

    fn call_to(
        &mut self,
        callee: Operand,
        args: Vec<Operand>,
        results: u32,
        signature: Option<u32>,
    ) -> Vec<Operand> {
        let first = self.fresh(results);
        let dst = (results > 0).then_some(first);
        self.emit(Instr::Call { dst, callee, args, results, signature, lands: None });
        Self::row(first, results)
    }

    /// Calls a function of the C library.
    pub(super) fn call_library(&mut self, name: &str, args: Vec<Operand>, results: u32) -> Vec<Operand> {
        let function = self.program.library(name, args.len() as u32, results);
        self.call_to(Operand::Func(function), args, results, None)
    }

    pub(super) fn full_fence(&mut self) -> Vec<Operand> {
        self.emit(Instr::Fence { mode: Mode::Sc });
        Vec::new()
    }

    fn inline_assembly(
        &mut self,
        value: Value<'m>,
        text: &str,
        constraints: &str,
        is_intel: bool,
    ) -> Vec<Operand> {
        match asm::lower(self, value, text, constraints, is_intel) {
            Ok(results) => results,
            Err(why) => {
                let text = text.escape_default();
                self.unsupported_value(value, format!("inline assembly \"{text}\": {why}"))
            }
        }
    }
}
