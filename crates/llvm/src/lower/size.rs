//! What is too large to be lowered, which is found before memory is taken for it.

use std::collections::HashMap;

use crate::error::CompileError;
use crate::llvm::{Module, Type, TypeKind};

/// Bytes of all globals.
const MOST_BYTES: u64 = 1 << 30;
/// Registers that one value may take: structures and arrays that are loaded, passed or returned as a whole.
const MOST_PARTS: u64 = 1 << 16;

/// Numbers of scalars, by type: types share parts, so there may be far more scalars than types.
#[derive(Default)]
struct Parts<'m> {
    known: HashMap<Type<'m>, u64>,
}

impl<'m> Parts<'m> {
    fn of(&mut self, ty: Type<'m>) -> u64 {
        // Those around the type that is looked at, with what is left to look at and the sum so far.
        let mut open: Vec<(Type<'m>, Vec<Type<'m>>, u64)> = Vec::new();
        let mut now = ty;
        loop {
            let mut count = match (self.known.get(&now), now.kind()) {
                (Some(count), _) => *count,
                (None, TypeKind::Struct) => {
                    let mut fields = now.fields();
                    match fields.pop() {
                        Some(last) => {
                            open.push((now, fields, 0));
                            now = last;
                            continue;
                        }
                        None => 0,
                    }
                }
                (None, TypeKind::Array | TypeKind::Vector) => {
                    let (element, _) = now.elements();
                    open.push((now, Vec::new(), 0));
                    now = element;
                    continue;
                }
                _ => 1,
            };
            loop {
                self.known.insert(now, count);
                let Some((around, rest, sum)) = open.last_mut() else { return count };
                *sum = sum.saturating_add(count);
                if let Some(next) = rest.pop() {
                    now = next;
                    break;
                }
                (now, count) = (*around, *sum);
                if matches!(now.kind(), TypeKind::Array | TypeKind::Vector) {
                    count = count.saturating_mul(now.elements().1);
                }
                open.pop();
            }
        }
    }
}

/// Refuses a program that has values or globals which are too large.
pub(super) fn check(module: &Module<'_>) -> Result<(), CompileError> {
    let layout = module.layout();
    let mut bytes = 0u64;
    for global in module.globals() {
        bytes = bytes.saturating_add(layout.size(global.contents()));
        if bytes > MOST_BYTES {
            let what = format!("the global `{}` and those before it ({bytes} bytes)", global.name());
            return Err(CompileError::TooLarge { what });
        }
    }
    let mut parts = Parts::default();
    for function in module.functions() {
        let mut largest = parts.of(function.contents().result());
        for parameter in function.parameters() {
            largest = largest.max(parts.of(parameter.ty()));
        }
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            largest = largest.max(parts.of(instruction.ty()));
            for operand in 0..instruction.operand_count() {
                largest = largest.max(parts.of(instruction.operand(operand).ty()));
            }
        }
        if largest > MOST_PARTS {
            let what = format!("a value of {largest} parts in `{}`", function.name());
            return Err(CompileError::TooLarge { what });
        }
    }
    Ok(())
}
