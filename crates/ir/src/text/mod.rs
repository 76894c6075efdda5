//! The text form of the bytecode.
//!
//! One item or instruction per line by habit, though line ends mean nothing:
//!
//! ```text
//! file "queue.c"
//! type scalar "int" 4
//! global @x size 4 align 4 type 0 !0:3:5 = x"2a000000"
//! func @main() results 1 regs 3 !0:5:1 {
//!     loop L1 !0:6:3
//!     r0 = load.4.acq @x !0:6:10
//! L1: r1 = cmp.eq.32 r0, 42
//!     branch r1, L1, done
//! done:
//!     return (0)
//! }
//! ```
//!
//! Widths of integers are in bits (`add.32`), those of accesses in bytes (`load.4.acq`). `@x` is the
//! address of a global (`@x+8`), `&f` that of a function, `!file:line:column` a place (with `:note`, if there
//! is one). A name that is not unique is written by its number (`@#3`). `;` starts a comment.
//!
//! [`print()`] and [`parse()`] are inverse to each other on modules whose jumps stay within their function.

mod lex;
mod names;
mod operands;
mod parse;
mod parse_instr;
mod print;

pub use parse::{ParseError, parse};
pub use print::print;
