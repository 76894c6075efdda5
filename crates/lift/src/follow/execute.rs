//! One instruction after the other, with terms for values.

use super::{Deriver, Frame, Item, Path, Value};
use crate::Error;
use crate::samples::Num;
use crate::term::{Rel, Term};
use selvedge_ir::{BinOp, CastOp, CmpOp, Instr, Operand, Place, Reg, RmwOp};

/// What comes after an instruction.
pub(super) enum Next {
    /// The next one.
    On,
    /// Another place.
    Elsewhere,
    /// The function is done.
    Ends,
    /// This is a second access.
    Again,
    /// Nobody gets here.
    Never,
}

/// A number whose width is not known here.
const ANY: u32 = 0;

impl Deriver<'_> {
    fn value(&self, path: &Path, of: &[Operand], bits: u32, place: Place) -> Result<Value, Error> {
        let frame = &path.frames[path.frames.len() - 1];
        match of[0] {
            Operand::Reg(r) => match &frame.regs[r as usize] {
                Value::Unset => self.error(place, "a value is used that is set nowhere"),
                value => Ok(value.clone()),
            },
            Operand::Const(_) => {
                let mut numbers = Vec::new();
                for o in of {
                    let n = if let Operand::Const(n) = o { *n } else { 0 };
                    numbers.push(self.number(n, bits, place)?);
                }
                Ok(Value::Term(Term::Num(self.samples.fit(&numbers, place)?)))
            }
            Operand::Global(g, _) => {
                let offsets = of.iter().map(|o| if let Operand::Global(_, n) = o { *n } else { 0 }).collect();
                Ok(Value::Address(g.0 as usize, Vec::new(), offsets))
            }
            Operand::Func(f) => Ok(Value::Function(f.0 as usize)),
            Operand::Undef => self.error(place, "an undefined value is used"),
        }
    }

    /// What a constant stands for. Negative numbers of 32 bits are in 64, without their sign.
    fn number(&self, n: u64, bits: u32, place: Place) -> Result<i64, Error> {
        let large = (1 << 31..=u64::from(u32::MAX)).contains(&n);
        match bits {
            32 => Ok(i64::from(n as u32 as i32)),
            ANY if large && self.samples.has_long_numbers() => {
                self.error(place, &format!("it is not known whether {n} is a negative number of 32 bits"))
            }
            ANY if large => Ok(i64::from(n as u32 as i32)),
            _ => Ok(n as i64),
        }
    }

    fn term(&self, path: &Path, of: &[Operand], bits: u32, place: Place) -> Result<Term, Error> {
        match self.value(path, of, bits, place)? {
            Value::Term(term) => Ok(term),
            _ => self.error(place, "an address is computed with: that is outside of what is derived"),
        }
    }

    /// The variable that is accessed.
    fn place_of(
        &mut self,
        path: &mut Path,
        address: Value,
        bytes: u8,
        place: Place,
    ) -> Result<Accessed, Error> {
        let Value::Address(global, parts, mut offsets) = address else {
            return self.error(place, "it is not known which variable is accessed here");
        };
        let g = &self.samples.first().globals[global];
        if g.thread_local {
            let before = self.variables.locals.len();
            let local = self.variables.own(self.samples, global, place)?;
            if self.variables.locals.len() > before {
                (self.changed, self.anew) = (true, true);
            }
            if !parts.is_empty()
                || offsets.iter().any(|o| *o != 0)
                || self.variables.locals[local].bytes != bytes.into()
            {
                return self.error(place, "a part of a variable is accessed");
            }
            return Ok(Accessed::Own(local));
        }
        let shared = self.variables.shared(self.samples, global, place)?;
        if shared.bytes != u64::from(bytes) {
            return self.error(place, "a part of a variable is accessed, or several at once");
        }
        let dims = shared.dims.clone();
        let mut parts = parts;
        let mut index = Vec::new();
        for (count, strides) in &dims {
            let mut fixed = Vec::new();
            for (offset, stride) in offsets.iter_mut().zip(strides) {
                fixed.push(offset.div_euclid(*stride));
                *offset = offset.rem_euclid(*stride);
            }
            let mut term = Term::Num(self.samples.fit(&fixed, place)?);
            while let Some(at) = parts.iter().position(|p| p.1 == *strides) {
                term = parts.remove(at).0.plus(term);
            }
            // It is within the array.
            let fixed = term.fixed().filter(|n| *n >= 0);
            let inside = match (&term, count.fixed()) {
                _ if fixed.is_some_and(|n| count.plus(Num::of(-1 - n)).is_natural()) => true,
                (Term::Me, None) => count.threads == 1 && count.rounds == 0 && count.rest == 0,
                (Term::Rem(_, n), _) => n == count,
                (term, Some(n)) if n >= 2 => term.is_truth(&self.variables),
                _ => false,
            };
            if !inside {
                if !term.is_natural(&self.variables) {
                    path.require(Term::compare(Rel::Le, Term::int(0), term.clone(), &self.variables));
                }
                path.require(Term::compare(Rel::Lt, term.clone(), Term::Num(*count), &self.variables));
            }
            index.push(term);
        }
        if !parts.is_empty() || offsets.iter().any(|o| *o != 0) {
            return self.error(place, "this address is outside of what is derived");
        }
        Ok(Accessed::Shared(global, index))
    }

    fn written(&mut self, global: usize, value: &Term, place: Place) -> Result<(), Error> {
        if !value.is_truth(&self.variables) {
            let shared = &self.variables.shared[&global];
            if shared.bytes < 4 {
                let message = format!("`{}` has {} bits, which wrap", shared.name, 8 * shared.bytes);
                return self.error(place, &message);
            }
            self.changed |= self.variables.wide_shared.insert(global);
        }
        Ok(())
    }

    pub(super) fn instruction(
        &mut self,
        path: &mut Path,
        todo: &mut Vec<(Path, bool)>,
        place: Place,
    ) -> Result<Next, Error> {
        let frame = path.top();
        let (function, at) = (frame.function, frame.at);
        let all = self.samples.instructions(function, at);
        let operands: Vec<Vec<Operand>> = {
            let each: Vec<Vec<Operand>> = all
                .iter()
                .map(|i| {
                    let mut found = Vec::new();
                    i.for_operands(|o, _| found.push(*o));
                    found
                })
                .collect();
            (0..each[0].len()).map(|k| each.iter().map(|e| e[k]).collect()).collect()
        };
        let instr = all[0].clone();
        let outside = |what: &str| self.samples.error(place, &format!("{what} outside of what is derived"));
        // Accesses first: a second one ends the step.
        let address = match &instr {
            Instr::Load { bytes, .. }
            | Instr::Store { bytes, .. }
            | Instr::Rmw { bytes, .. }
            | Instr::Cmpxchg { bytes, .. } => {
                let value = self.value(path, &operands[0], 64, place)?;
                if let Value::Address(g, ..) = &value {
                    let g = &self.samples.first().globals[*g];
                    if !g.thread_local && path.access.is_some() {
                        return Ok(Next::Again);
                    }
                }
                Some(self.place_of(path, value, *bytes, place)?)
            }
            _ => None,
        };
        path.top().at += 1;
        match (&instr, address) {
            (Instr::Load { dst, .. }, Some(Accessed::Own(l))) => {
                let value = path.own.get(&l).cloned().unwrap_or(Term::Local(l));
                path.set(*dst, value);
                return Ok(Next::On);
            }
            (Instr::Store { bytes, .. }, Some(Accessed::Own(l))) => {
                let value = self.term(path, &operands[1], 8 * u32::from(*bytes), place)?;
                path.own.insert(l, value);
                path.written.insert(l);
                return Ok(Next::On);
            }
            (_, Some(Accessed::Own(_))) => {
                return Err(outside("an atomic update of a thread's own variable is"));
            }
            (_, Some(Accessed::Shared(global, index))) => {
                path.access = Some(place);
                path.seen.clear();
                self.access(path, todo, &instr, (global, index), &operands, place)?;
                path.stop_here();
                return Ok(Next::On);
            }
            _ => {}
        }
        match &instr {
            Instr::Move { dst, .. } => {
                let value = self.value(path, &operands[0], ANY, place)?;
                path.top().regs[*dst as usize] = value;
            }
            Instr::Bin { op, bits, dst, .. } => {
                let a = self.term(path, &operands[0], u32::from(*bits), place)?;
                let b = self.term(path, &operands[1], u32::from(*bits), place)?;
                let value = self.binary(path, *op, a, b, *bits, place)?;
                path.set(*dst, value);
            }
            Instr::Cmp { op, bits, dst, .. } => {
                let a = self.term(path, &operands[0], u32::from(*bits), place)?;
                let b = self.term(path, &operands[1], u32::from(*bits), place)?;
                if matches!(op, CmpOp::Ult | CmpOp::Ule | CmpOp::Ugt | CmpOp::Uge) {
                    self.natural(path, &a);
                    self.natural(path, &b);
                }
                let v = &self.variables;
                let value = match op {
                    CmpOp::Eq => Term::compare(Rel::Eq, a, b, v),
                    CmpOp::Ne => Term::compare(Rel::Eq, a, b, v).not(),
                    CmpOp::Ult | CmpOp::Slt => Term::compare(Rel::Lt, a, b, v),
                    CmpOp::Ule | CmpOp::Sle => Term::compare(Rel::Le, a, b, v),
                    CmpOp::Ugt | CmpOp::Sgt => Term::compare(Rel::Lt, b, a, v),
                    CmpOp::Uge | CmpOp::Sge => Term::compare(Rel::Le, b, a, v),
                };
                path.set(*dst, value);
            }
            Instr::Cast { op, from, to, dst, .. } => {
                let value = self.value(path, &operands[0], u32::from(*from), place)?;
                let Value::Term(term) = value else {
                    return Err(outside("a number that is an address is"));
                };
                let truth = term.is_truth(&self.variables);
                match op {
                    CastOp::Sext if *from >= 32 => {}
                    CastOp::Zext if truth => {}
                    CastOp::Zext if *from >= 32 => self.natural(path, &term),
                    CastOp::Trunc if truth || *to >= 32 => {}
                    _ => return Err(outside("this change of a number's width is")),
                }
                path.set(*dst, term);
            }
            Instr::Select { dst, .. } => {
                let cond = self.term(path, &operands[0], 1, place)?.holds(&self.variables);
                let a = self.value(path, &operands[1], ANY, place)?;
                let b = self.value(path, &operands[2], ANY, place)?;
                match (a, b) {
                    (Value::Term(a), Value::Term(b)) => path.set(*dst, Term::ite(cond, a, b)),
                    (a, b) => {
                        let mut other = path.clone();
                        other.top().regs[*dst as usize] = b;
                        if other.assume(cond.clone().not()) {
                            todo.push((other, false));
                        }
                        if !path.assume(cond) {
                            return Ok(Next::Never);
                        }
                        path.top().regs[*dst as usize] = a;
                    }
                }
            }
            Instr::Offset { dst, .. } => {
                let base = self.value(path, &operands[0], 64, place)?;
                let index = self.term(path, &operands[1], 64, place)?;
                let scales: Vec<i64> = all
                    .iter()
                    .map(|i| if let Instr::Offset { scale, .. } = i { *scale } else { 0 })
                    .collect();
                let Value::Address(global, mut parts, offsets) = base else {
                    return Err(outside("this address is"));
                };
                if index != Term::int(0) {
                    parts.push((index, scales));
                }
                path.top().regs[*dst as usize] = Value::Address(global, parts, offsets);
            }
            Instr::Fence { .. } | Instr::LoopHead { .. } | Instr::LoopBack { .. } | Instr::Life { .. } => {}
            Instr::Jump { to } => {
                path.top().at = *to;
                return Ok(Next::Elsewhere);
            }
            Instr::Branch { then, els, .. } => {
                let cond = self.term(path, &operands[0], 1, place)?.holds(&self.variables);
                let mut other = path.clone();
                other.top().at = *els;
                if other.assume(cond.clone().not()) {
                    todo.push((other, true));
                }
                path.top().at = *then;
                return Ok(if path.assume(cond) { Next::Elsewhere } else { Next::Never });
            }
            Instr::Switch { cases, default, .. } => {
                let value = self.term(path, &operands[0], ANY, place)?;
                for (n, (_, to)) in cases.iter().enumerate() {
                    let mut numbers = Vec::new();
                    for i in &all {
                        let case = if let Instr::Switch { cases, .. } = i { cases[n].0 } else { 0 };
                        numbers.push(self.number(case, ANY, place)?);
                    }
                    let case = Term::Num(self.samples.fit(&numbers, place)?);
                    let same = Term::compare(Rel::Eq, value.clone(), case, &self.variables);
                    let mut other = path.clone();
                    other.top().at = *to;
                    if other.assume(same.clone()) {
                        todo.push((other, true));
                    }
                    if !path.assume(same.not()) {
                        return Ok(Next::Never);
                    }
                }
                path.top().at = *default;
                return Ok(Next::Elsewhere);
            }
            Instr::Call { dst, results, .. } => return self.call(path, (*dst, *results), &operands, place),
            Instr::Return { .. } => {
                let mut values = Vec::new();
                for operand in &operands {
                    values.push(self.value(path, operand, ANY, place)?);
                }
                let Some(frame) = path.frames.pop() else { return Ok(Next::Ends) };
                if path.frames.is_empty() {
                    path.frames.push(frame);
                    return Ok(Next::Ends);
                }
                if let Some((dst, count)) = frame.results {
                    for (n, value) in values.into_iter().take(count as usize).enumerate() {
                        path.top().regs[dst as usize + n] = value;
                    }
                }
                return Ok(Next::Elsewhere);
            }
            // Whoever comes here does what C does not define.
            Instr::Unreachable => {
                path.items.push(Item::Assert(Term::truth(false)));
                return Ok(Next::Ends);
            }
            Instr::Alloca { .. } => {
                return Err(outside("a variable of a function that is kept in memory is"));
            }
            Instr::Float { .. } | Instr::FloatCmp { .. } => {
                return Err(outside("floating-point arithmetic is"));
            }
            _ => return Err(outside("this operation is")),
        }
        Ok(Next::On)
    }

    /// Asks for a number that is not negative.
    fn natural(&self, path: &mut Path, term: &Term) {
        if !term.is_natural(&self.variables) {
            path.require(Term::compare(Rel::Le, Term::int(0), term.clone(), &self.variables));
        }
    }

    fn binary(
        &self,
        path: &mut Path,
        op: BinOp,
        a: Term,
        b: Term,
        bits: u8,
        place: Place,
    ) -> Result<Term, Error> {
        let v = &self.variables;
        let truths = a.is_truth(v) && b.is_truth(v);
        if bits < 32 && !truths {
            return self
                .error(place, "numbers of less than 32 bits wrap: they are outside of what is derived");
        }
        Ok(match (op, a.fixed(), b.fixed()) {
            (BinOp::Add, ..) if bits >= 32 => a.plus(b),
            (BinOp::Sub, ..) if bits >= 32 => a.plus(b.times(-1)),
            (BinOp::Mul, _, Some(k)) if bits >= 32 => a.times(k),
            (BinOp::Mul, Some(k), _) if bits >= 32 => b.times(k),
            (BinOp::Shl, _, Some(k)) if (0..31).contains(&k) && bits >= 32 => a.times(1 << k),
            (BinOp::Shl, Some(k), _) if bits >= 32 => {
                self.natural(path, &b);
                Term::Pow2(Box::new(b)).times(k)
            }
            (BinOp::SRem | BinOp::URem, ..) => {
                let Term::Num(n) = b else {
                    return self
                        .error(place, "a remainder by something that changes is outside of what is derived");
                };
                if !(n.fixed().is_some_and(|n| n > 0) || (n.threads, n.rounds, n.rest) == (1, 0, 0)) {
                    return self
                        .error(place, "a remainder is taken by a number, or by how many threads there are");
                }
                // The sign of C's remainder is that of the left side.
                self.natural(path, &a);
                Term::Rem(Box::new(a), n)
            }
            (BinOp::And, _, Some(m)) if m > 0 && (m + 1) & m == 0 && !truths => {
                self.natural(path, &a);
                Term::Rem(Box::new(a), Num::of(m + 1))
            }
            (BinOp::And, ..) if truths => a.and(b),
            (BinOp::Or, ..) if truths => a.not().and(b.not()).not(),
            (BinOp::Xor, ..) if truths => Term::compare(Rel::Eq, a, b, v).not(),
            _ => return self.error(place, "this arithmetic is outside of what is derived"),
        })
    }

    fn call(
        &mut self,
        path: &mut Path,
        (dst, count): (Option<Reg>, u32),
        operands: &[Vec<Operand>],
        place: Place,
    ) -> Result<Next, Error> {
        let Value::Function(callee) = self.value(path, &operands[0], 64, place)? else {
            return self.error(place, "which function is called is not known here");
        };
        let f = &self.samples.first().functions[callee];
        if f.code.is_empty() {
            return match f.name.as_str() {
                "__assert_fail" | "abort" => {
                    path.items.push(Item::Assert(Term::truth(false)));
                    Ok(Next::Ends)
                }
                "sched_yield" | "pthread_yield" if count == 0 || dst.is_none() => Ok(Next::On),
                "sched_yield" | "pthread_yield" => {
                    path.set(dst.unwrap_or(0), Term::int(0));
                    Ok(Next::On)
                }
                name => self.error(place, &format!("`{name}` is called, which has no body here")),
            };
        }
        if path.frames.iter().any(|frame| frame.function == callee) {
            return self
                .error(place, &format!("`{}` calls itself: that is outside of what is derived", f.name));
        }
        self.samples.same_shape(callee)?;
        let mut regs = vec![Value::Unset; f.regs as usize];
        for (param, operand) in f.params.iter().zip(&operands[1..]) {
            regs[*param as usize] = self.value(path, operand, ANY, place)?;
        }
        let results = dst.map(|dst| (dst, count));
        path.frames.push(Frame { function: callee, at: 0, regs, results });
        Ok(Next::Elsewhere)
    }

    /// One access to shared memory.
    fn access(
        &mut self,
        path: &mut Path,
        todo: &mut Vec<(Path, bool)>,
        instr: &Instr,
        (global, index): (usize, Vec<Term>),
        operands: &[Vec<Operand>],
        place: Place,
    ) -> Result<(), Error> {
        let old = Term::Cell(global, index.clone());
        match instr {
            Instr::Load { dst, .. } => path.set(*dst, old),
            Instr::Store { bytes, .. } => {
                let value = self.term(path, &operands[1], 8 * u32::from(*bytes), place)?;
                self.written(global, &value, place)?;
                path.write = Some((global, index, value));
            }
            Instr::Rmw { op, dst, bytes, .. } => {
                let operand = self.term(path, &operands[1], 8 * u32::from(*bytes), place)?;
                let v = &self.variables;
                let truths = old.is_truth(v) && operand.is_truth(v);
                let less = || Term::compare(Rel::Lt, old.clone(), operand.clone(), v);
                let value = match op {
                    RmwOp::Xchg => operand,
                    RmwOp::Add => old.clone().plus(operand),
                    RmwOp::Sub => old.clone().plus(operand.times(-1)),
                    RmwOp::And if truths => old.clone().and(operand),
                    RmwOp::Or if truths => old.clone().not().and(operand.not()).not(),
                    RmwOp::Xor if truths => Term::compare(Rel::Eq, old.clone(), operand, v).not(),
                    RmwOp::Max => Term::ite(less(), operand.clone(), old.clone()),
                    RmwOp::Min => Term::ite(less(), old.clone(), operand.clone()),
                    _ => return self.error(place, "this update is outside of what is derived"),
                };
                self.written(global, &value, place)?;
                path.write = Some((global, index, value));
                path.set(*dst, old);
            }
            Instr::Cmpxchg { dst, bytes, weak, .. } => {
                let bits = 8 * u32::from(*bytes);
                let expected = self.term(path, &operands[1], bits, place)?;
                let desired = self.term(path, &operands[2], bits, place)?;
                self.written(global, &desired, place)?;
                let same = Term::compare(Rel::Eq, old.clone(), expected, &self.variables);
                let mut other = path.clone();
                other.set(*dst, old.clone());
                other.set(*dst + 1, Term::int(0));
                // A weak one may fail without a reason.
                if *weak || other.assume(same.clone().not()) {
                    other.stop_here();
                    todo.push((other, false));
                }
                path.items.push(Item::Await(same));
                path.set(*dst, old);
                path.set(*dst + 1, Term::int(1));
                path.write = Some((global, index, desired));
            }
            _ => return self.error(place, "this access is outside of what is derived"),
        }
        Ok(())
    }
}

enum Accessed {
    Own(usize),
    Shared(usize, Vec<Term>),
}
