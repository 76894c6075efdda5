//! Undefined behaviour of single instructions and calls: what C does not allow although a machine could do
//! it.

use super::state::VmState;
use super::{Halt, VmMachine, fail};
use crate::float;
use selvedge_graph::Mode;
use selvedge_ir::library::INDEX;
use selvedge_ir::{BitOp, CastOp, FuncId, Operand, pointer};
use selvedge_machine::ErrorKind;

const KIND: ErrorKind = ErrorKind::UndefinedBehaviour;

/// Whether a bit operation has a result.
pub fn nonzero(op: BitOp, value: u128) -> Result<(), Halt> {
    let what = match op {
        BitOp::CtlzNonzero => "leading",
        BitOp::CttzNonzero => "trailing",
        _ => return Ok(()),
    };
    if value == 0 {
        return fail(KIND, format!("the {what} zeros of 0 are counted, of which there is no number"));
    }
    Ok(())
}

/// Whether a conversion to an integer has a result: what is left of a number without its fraction must fit.
pub fn in_range(op: CastOp, from: u8, to: u8, value: u128) -> Result<(), Halt> {
    let signed = match op {
        CastOp::FloatToSigned => true,
        CastOp::FloatToUnsigned => false,
        _ => return Ok(()),
    };
    if float::fits(value, from, to, signed) {
        return Ok(());
    }
    let sign = if signed { "a signed" } else { "an unsigned" };
    let number = match float::double(value, from) {
        number if number.abs() < 1e15 => number.to_string(),
        number => format!("{number:e}"),
    };
    fail(KIND, format!("{number} is converted to {sign} integer of {to} bits, which it does not fit into"))
}

/// Memory that is copied must not overlap what it is copied to.
pub fn apart(to: u64, from: u64, len: u64, what: &str) -> Result<(), Halt> {
    if to.abs_diff(from) >= len {
        return Ok(());
    }
    let by = to.abs_diff(from);
    fail(KIND, format!("{what} of {len} bytes to a place that overlaps theirs, {by} further on or back"))
}

pub fn vla_length(length: i64) -> Result<(), Halt> {
    match length {
        1.. => Ok(()),
        _ => fail(KIND, format!("an array of variable length is declared with {length} elements")),
    }
}

/// The largest index of an array, by the name of the function that checks it, and which array it is.
pub fn largest_index(name: &str) -> (Option<i64>, &str) {
    let (largest, what) = name.strip_prefix(INDEX).and_then(|rest| rest.split_once(' ')).unwrap_or(("", ""));
    (largest.parse().ok(), what)
}

/// An index of an array that may be a part of a larger object.
pub fn index(index: i64, name: &str) -> Result<(), Halt> {
    let (largest, what) = largest_index(name);
    match largest {
        Some(largest) if !(0..=largest).contains(&index) => {
            fail(ErrorKind::OutOfBounds, format!("index {index} of {what}"))
        }
        _ => Ok(()),
    }
}

impl VmMachine {
    /// An atomic access needs an address that is a multiple of its size. The library's functions for objects
    /// of any size and alignment are free of that.
    #[inline]
    pub(super) fn aligned(&self, state: &VmState, addr: Operand, bytes: u8, mode: Mode) -> Result<(), Halt> {
        if mode == Mode::Na {
            return Ok(());
        }
        let addr = self.value(state, addr);
        if addr.undef != 0 || addr.bits.is_multiple_of(bytes as u64) || self.info(state.frame.func).runtime {
            return Ok(());
        }
        let off = addr.bits % bytes as u64;
        fail(KIND, format!("an atomic access of {bytes} bytes at an address that is {off} too high for it"))
    }

    /// Arithmetic on a pointer must not lead from its object to another one.
    #[inline]
    pub(super) fn stays_within(&self, base: u64, result: u64) -> Result<(), Halt> {
        let (Some((from, _)), Some((to, _))) = (pointer::split(base), pointer::split(result)) else {
            return Ok(());
        };
        if from == to {
            return Ok(());
        }
        let tables = self.tables.borrow();
        let Some(&object) = tables.objects.get(from as usize) else { return Ok(()) };
        drop(tables);
        let by = result.wrapping_sub(base) as i64;
        let name = self.name_of_object(object);
        fail(
            ErrorKind::OutOfBounds,
            format!("{by} is added to a pointer into {name}, which leads to another object"),
        )
    }

    /// The function that a call is of. It must have the type that it is called by.
    pub(super) fn called(
        &self,
        state: &VmState,
        callee: Operand,
        given: usize,
        by: Option<u32>,
    ) -> Result<FuncId, Halt> {
        let func = match callee {
            Operand::Func(f) => f,
            _ => self.function_at(self.known(state, callee, "the function that is called")?)?,
        };
        let function = self.function(func);
        if by.is_none() || function.signature == by || function.code.is_empty() || self.info(func).runtime {
            return Ok(func);
        }
        let text = |s: Option<u32>| s.and_then(|s| self.module.signatures.get(s as usize));
        let (Some(by), Some(is)) = (text(by), text(function.signature)) else { return Ok(func) };
        // Where a declaration has no prototype, the call is as if of a function that takes any number of
        // arguments.
        let plain = by.replace(",...)", ")").replace("(...)", "()");
        if plain == *is && given == function.params.len() {
            return Ok(func);
        }
        let name = &function.name;
        fail(KIND, format!("`{name}`, which is of type {is}, is called as if it were of type {by}"))
    }

    /// A thread's start routine takes a pointer and returns one, or an integer in C11. One that is declared
    /// without parameters, as many old ones are, does not look at its argument.
    pub(super) fn is_start_routine(&self, state: &VmState, entry: FuncId) -> Result<(), Halt> {
        let function = self.function(entry);
        let signature = function.signature.and_then(|s| self.module.signatures.get(s as usize));
        let Some(is) = signature.filter(|_| !function.code.is_empty()) else { return Ok(()) };
        let result = if self.function(state.frame.func).name.starts_with("thrd_") { "i32" } else { "ptr" };
        if is.strip_prefix(result).is_some_and(|params| matches!(params, "(ptr)" | "()")) {
            return Ok(());
        }
        let name = &function.name;
        fail(KIND, format!("a thread is started in `{name}`, which is of type {is}, not {result}(ptr)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converts(number: f64, to: u8, signed: bool) -> bool {
        let op = if signed { CastOp::FloatToSigned } else { CastOp::FloatToUnsigned };
        in_range(op, 64, to, u128::from(number.to_bits())).is_ok()
    }

    #[test]
    fn a_float_fits_an_integer_if_its_whole_part_does() {
        for (number, fits) in [
            (2147483647.0, true),
            (2147483647.9, true),
            (2147483648.0, false),
            (-2147483648.0, true),
            (-2147483648.9, true),
            (-2147483649.0, false),
            (f64::NAN, false),
            (f64::INFINITY, false),
        ] {
            assert_eq!(converts(number, 32, true), fits, "{number}");
        }
        for (number, fits) in
            [(-0.9, true), (-1.0, false), (4294967295.5, true), (4294967296.0, false), (f64::NAN, false)]
        {
            assert_eq!(converts(number, 32, false), fits, "{number}");
        }
        assert!(converts(-9223372036854775808.0, 64, true) && !converts(9223372036854775808.0, 64, true));
        assert!(!converts(18446744073709551616.0, 64, false) && converts(9223372036854775808.0, 64, false));
        assert!(!converts(1e300, 128, false) && converts(1e38, 128, true) && !converts(1.8e38, 128, true));
    }

    #[test]
    fn what_touches_does_not_overlap() {
        assert!(apart(108, 100, 8, "it").is_ok() && apart(92, 100, 8, "it").is_ok());
        assert!(apart(107, 100, 8, "it").is_err() && apart(93, 100, 8, "it").is_err());
        assert!(apart(100, 100, 0, "it").is_ok());
    }

    #[test]
    fn zeros_are_counted_of_other_numbers_than_0() {
        assert!(nonzero(BitOp::CtlzNonzero, 1).is_ok() && nonzero(BitOp::Ctlz, 0).is_ok());
        assert!(nonzero(BitOp::CtlzNonzero, 0).is_err() && nonzero(BitOp::CttzNonzero, 0).is_err());
    }
}
