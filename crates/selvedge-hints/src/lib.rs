//! What a Rust test may tell Selvedge.
//!
//! Nothing here is needed to verify a test that uses `std`; it is for what `std` cannot say. Where Selvedge
//! looks on,
//! `cfg(selvedge)` is set, and a test that wants to be smaller there can be:
//!
//! ```
//! let threads = if cfg!(selvedge) { 2 } else { 16 };
//! let first = selvedge_hints::choose(0..threads);
//! selvedge_hints::assume(first != 1);
//! ```
//!
//! When the same test simply runs, a choice is the first of its range, an assumption that does not hold
//! ends the test by a panic, and a bound means nothing.

#![no_std]

use core::ops::Range;

#[cfg(selvedge)]
mod known {
    unsafe extern "C" {
        pub safe fn selvedge_assume(condition: i32);
        pub safe fn selvedge_choose(count: i32) -> i32;
        pub safe fn __VERIFIER_loop_bound(count: i32);
    }
}

/// Leaves out the executions in which the condition does not hold.
#[inline(always)]
pub fn assume(condition: bool) {
    #[cfg(selvedge)]
    known::selvedge_assume(i32::from(condition));
    #[cfg(not(selvedge))]
    assert!(condition, "an assumption does not hold");
}

/// One of the numbers of a range; each is explored.
///
/// # Panics
///
/// If the range is empty, or has more than 2^31 - 1 numbers.
#[inline(always)]
pub fn choose(range: Range<usize>) -> usize {
    assert!(!range.is_empty(), "there is nothing to choose from");
    #[cfg(selvedge)]
    {
        let count = i32::try_from(range.end - range.start);
        let Ok(count) = count else { panic!("there is too much to choose from") };
        range.start + known::selvedge_choose(count) as usize
    }
    #[cfg(not(selvedge))]
    range.start
}

/// At the beginning of a loop's body: executions in which it goes round more often are cut, and the verdict
/// says so. The number has to be a literal.
#[macro_export]
macro_rules! bound {
    ($count:literal) => {
        $crate::__bound($count)
    };
}

#[doc(hidden)]
#[inline(always)]
pub fn __bound(count: i32) {
    #[cfg(selvedge)]
    known::__VERIFIER_loop_bound(count);
    #[cfg(not(selvedge))]
    let _ = count;
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_test_that_only_runs_goes_on() {
        super::assume(true);
        assert_eq!(super::choose(3..7), 3);
        for _ in 0..2 {
            crate::bound!(2);
        }
    }

    #[test]
    #[should_panic(expected = "does not hold")]
    fn an_assumption_is_not_passed_over() {
        super::assume(false);
    }
}
