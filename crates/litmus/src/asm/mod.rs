//! Litmus tests in assembly: a table with a column for each thread.
//!
//! `file` reads the parts around the table and brings names together, `thread` builds the code of one
//! thread, `operand` cuts instructions into pieces, and there is a file for each instruction set. Registers
//! hold 64-bit numbers, and addresses are numbers too, so that a dependency through arithmetic is one.
//! `width` sees to it that accesses are of the size of their locations. What is not known is refused by its
//! name; nothing is guessed.

mod aarch64;
mod file;
mod operand;
mod ppc;
mod riscv;
mod thread;
mod width;
mod x86;

pub use file::parse;

use crate::syntax::Parsed;
use operand::Line;
use thread::Builder;

/// An instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    X86,
    /// In AT&T's syntax: the destination comes last.
    X86_64,
    AArch64,
    Ppc,
    Riscv,
}

impl Arch {
    /// By the first word of a test.
    pub fn by_name(name: &str) -> Option<Arch> {
        Some(match name {
            "X86" => Arch::X86,
            "X86_64" => Arch::X86_64,
            "AArch64" => Arch::AArch64,
            "PPC" => Arch::Ppc,
            "RISCV" => Arch::Riscv,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Arch::X86 => "X86",
            Arch::X86_64 => "X86_64",
            Arch::AArch64 => "AArch64",
            Arch::Ppc => "PPC",
            Arch::Riscv => "RISCV",
        }
    }

    /// The one name of the register that `name` is a name of.
    fn register(self, name: &str) -> Option<String> {
        match self {
            Arch::X86 => x86::register(name).map(|r| r.short.to_string()),
            Arch::X86_64 => x86::register(name).map(|r| r.long.to_string()),
            Arch::AArch64 => aarch64::register(name).and_then(|r| r.number).map(|n| format!("X{n}")),
            Arch::Ppc => ppc::register(name).map(|n| format!("r{n}")),
            Arch::Riscv => riscv::register(name).map(|n| format!("x{n}")),
        }
    }

    /// Compiles one instruction.
    fn instruction(self, b: &mut Builder<'_>, line: &Line<'_>) -> Parsed<()> {
        match self {
            Arch::X86 => x86::instruction(b, line, x86::Syntax::Intel),
            Arch::X86_64 => x86::instruction(b, line, x86::Syntax::Att),
            Arch::AArch64 => aarch64::instruction(b, line),
            Arch::Ppc => ppc::instruction(b, line),
            Arch::Riscv => riscv::instruction(b, line),
        }
    }
}
