//! A tiny evaluator of bytecode without shared memory: tests run lowered arithmetic and control flow
//! against what C says the result is.

use selvedge_ir::{CastOp, Function, Instr, Module, Operand, Overflow, arith, words};

/// Calls a function with registers for arguments.
pub fn run(module: &Module, name: &str, args: &[u64]) -> Vec<u64> {
    let function = super::support::function(module, name);
    call(module, function, args)
}

fn call(module: &Module, function: &Function, args: &[u64]) -> Vec<u64> {
    let mut regs: Vec<u64> = vec![0; function.regs as usize];
    for (reg, arg) in function.params.iter().zip(args) {
        regs[*reg as usize] = *arg;
    }
    let mut pc = 0;
    for _ in 0..10_000 {
        let value = |operand: &Operand| match operand {
            Operand::Reg(reg) => regs[*reg as usize],
            Operand::Const(value) => *value,
            Operand::Func(id) => u64::from(id.0) + 1000,
            other => panic!("{other:?} is not for this evaluator"),
        };
        let wide = |operand: &Operand, bits: u8| match operand {
            Operand::Reg(reg) if bits > 64 => {
                u128::from(regs[*reg as usize + 1]) << 64 | u128::from(regs[*reg as usize])
            }
            other => u128::from(value(other)),
        };
        let put = |dst: u32, bits: u8, value: u128| {
            let value = value & arith::mask(bits);
            (dst..).zip([value as u64, (value >> 64) as u64]).take(words(bits) as usize).collect::<Vec<_>>()
        };
        let mut next = pc + 1;
        let mut results: Vec<(u32, u64)> = Vec::new();
        match &function.code[pc] {
            Instr::Move { dst, src } => results.push((*dst, value(src))),
            Instr::Bin { op, bits, dst, a, b, .. } => {
                let result = arith::bin(*op, *bits, wide(a, *bits), wide(b, *bits));
                let result = result.unwrap_or_else(|why| panic!("{op:?}: {why:?}"));
                results = put(*dst, *bits, result);
            }
            Instr::Cmp { op, bits, dst, a, b } => {
                let result = arith::cmp(*op, *bits, wide(a, *bits), wide(b, *bits));
                results.push((*dst, u64::from(result)));
            }
            Instr::Cast { op, from, to, dst, src } => {
                let result = match op {
                    CastOp::Zext | CastOp::Trunc => wide(src, *from),
                    CastOp::Sext => arith::signed(wide(src, *from), *from) as u128,
                    other => panic!("{other:?}"),
                };
                results = put(*dst, *to, result);
            }
            Instr::Overflowing { op: Overflow::SAdd, bits, dst, a, b } => {
                let (sum, wrapped) =
                    arith::overflowing(Overflow::SAdd, *bits, wide(a, *bits), wide(b, *bits));
                results = put(*dst, *bits, sum);
                results.push((*dst + results.len() as u32, u64::from(wrapped)));
            }
            Instr::Select { dst, cond, a, b } => {
                results.push((*dst, if value(cond) & 1 != 0 { value(a) } else { value(b) }));
            }
            Instr::Jump { to } => next = *to as usize,
            Instr::Branch { cond, then, els } => {
                next = if value(cond) & 1 != 0 { *then } else { *els } as usize;
            }
            Instr::Switch { value: by, cases, default } => {
                let by = value(by);
                next = cases.iter().find(|case| case.0 == by).map_or(*default, |case| case.1) as usize;
            }
            Instr::LoopBack { .. } => {}
            Instr::Call { dst, callee, args, .. } => {
                let callee = match callee {
                    Operand::Func(id) => id.0 as usize,
                    other => (value(other) - 1000) as usize,
                };
                let args: Vec<u64> = args.iter().map(value).collect();
                let returned = call(module, &module.functions[callee], &args);
                results.extend((dst.unwrap_or(0)..).zip(returned));
            }
            Instr::Return { values } => return values.iter().map(value).collect(),
            other => panic!("{other:?} is not for this evaluator\n{}", super::support::listing(function)),
        }
        for (reg, result) in results {
            regs[reg as usize] = result;
        }
        pc = next;
    }
    panic!("{} does not end", function.name);
}
