//! The bytecode: a flat list of instructions per function, over 64-bit registers.
//!
//! It is plain data with a readable text form. Every value is kept in registers of 64 bits; narrower
//! integers are zero-extended. A value of 128 bits, or an aggregate, takes several registers in a row.
//! Floats are kept by their bits. A pointer is a number, too: the allocation it points into in the upper
//! half, the offset in the lower half (see [`mod@pointer`]), so that arithmetic on it stays arithmetic.

use selvedge_graph::Mode;

/// The number of a register of a function.
pub type Reg = u32;

/// The number of a function in its module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncId(pub u32);

/// The number of a global in its module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Source files, for [`Place::file`].
    pub files: Vec<String>,
    /// By [`GlobalId`].
    pub globals: Vec<Global>,
    /// By [`FuncId`].
    pub functions: Vec<Function>,
    /// Functions to call before `main`, in order.
    pub constructors: Vec<FuncId>,
    /// Types, for [`Global::ty`] and [`Function::locals`].
    pub types: Vec<TypeInfo>,
    /// Types of functions, for calls through pointers: result and parameters as LLVM passes them
    /// (`i32(ptr,i64)`).
    pub signatures: Vec<String>,
    /// What is known of instructions besides, for [`Place::note`].
    pub notes: Vec<Note>,
    /// In memory, pointers take 4 bytes (see [`address`]); registers hold them as ever.
    pub short_pointers: bool,
}

/// What reports say of an instruction besides its place. Nothing depends on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Note {
    /// What an access takes the contents for: a member of a union has its name by that.
    pub kind: Contents,
    /// The type, among [`Module::types`], of what an access is of a part of, and where the part begins; no
    /// offset if that is only known when it runs.
    pub of: Option<(u32, Option<u64>)>,
    /// Functions that were inlined here, the innermost first, each with the place of its call.
    pub inlined: Vec<(String, Place)>,
}

/// What the contents of memory are taken for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Contents {
    /// An integer, or anything.
    #[default]
    Number,
    /// A floating-point number.
    Float,
    /// An address.
    Pointer,
}

/// What a read-modify-write is to a loop whose iterations may have no net effect (thesis §7.2.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Net {
    /// Nothing: what it writes is there to stay.
    Lasting,
    /// It adds something. If the next thing that the thread does is to take it away again by an
    /// [`Undoes`](Net::Undoes), then it goes back to the header of the loop of this number in the state that
    /// it was there in before, whatever it reads on the way.
    Tentative(u32),
    /// It takes away what the tentative one of its loop has added.
    Undoes,
}

/// A variable that there is from the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// As in messages; linkers and the library know it by that, too.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u32,
    /// Initial contents, `size` bytes.
    pub bytes: Vec<u8>,
    /// Addresses in the initial contents: at this offset stand 8 bytes with this value, or 4 where pointers
    /// are short.
    pub addresses: Vec<(u64, Operand)>,
    /// Parts of the initial contents that were never set: where each begins, and its length.
    pub undefined: Vec<(u64, u64)>,
    /// Each thread has one of its own.
    pub thread_local: bool,
    /// It is never written.
    pub constant: bool,
    /// From debug information; names parts of it in messages.
    pub ty: Option<u32>,
    /// Where it is declared.
    pub place: Place,
}

/// What debug information says of a type, as far as messages need it (`q.nodes[2].next`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeInfo {
    /// A number, or anything without parts.
    Scalar { name: String, size: u64 },
    /// A structure or a union; a field has a name, an offset and a type.
    Struct { name: String, size: u64, fields: Vec<(String, u64, u32)> },
    /// An array.
    Array { element: u32, count: u64, element_size: u64 },
    /// A pointer, to this type if that is known.
    Pointer { to: Option<u32> },
}

/// A place in the source; line 0 where it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    /// Among [`Module::files`].
    pub file: u32,
    /// From 1 on.
    pub line: u32,
    /// From 1 on; 0 where it is not known.
    pub col: u32,
    /// 1 + a number among [`Module::notes`]; 0 for none.
    pub note: u32,
}

/// A function of a program, or one that it declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// What the library and messages know it by.
    pub name: String,
    /// The registers that arguments arrive in, in order; an argument of several registers has as many.
    pub params: Vec<Reg>,
    /// How many registers the result takes; 0 for none.
    pub results: u32,
    /// It takes any number of further arguments, 8 bytes each. The two registers after those of `params`
    /// have the address and the size of the memory that they are in.
    pub varargs: bool,
    /// Its type among [`Module::signatures`], if that is known.
    pub signature: Option<u32>,
    /// How many registers the function uses.
    pub regs: u32,
    /// Empty for functions that are only declared.
    pub code: Vec<Instr>,
    /// One per instruction.
    pub places: Vec<Place>,
    /// Loops, for bounds and messages.
    pub loops: Vec<Loop>,
    /// Where it is defined.
    pub place: Place,
    /// Local variables that live in memory: register of the address, name, type. Where names were asked for,
    /// also registers that hold a variable themselves; they have no type.
    pub locals: Vec<(Reg, String, Option<u32>)>,
}

/// A loop of a function; [`passes::loops`](crate::passes::loops) finds them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The first instruction of the header.
    pub header: u32,
    /// Where it is in the source.
    pub place: Place,
}

/// What an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// What is in a register; values of several are named by the first one.
    Reg(Reg),
    /// A number.
    Const(u64),
    /// The address of a global, plus an offset.
    Global(GlobalId, i64),
    /// The address of a function.
    Func(FuncId),
    /// A value that may be anything (`undef`, `poison`): using it for a decision is an error.
    Undef,
}

/// Targets are instruction numbers.
pub type Target = u32;

/// Operations on two integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
}

/// Comparisons of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Operations on floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Sqrt,
    Abs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Min,
    Max,
    CopySign,
    Fma,
    /// `pow`, `exp`, … are library calls.
    Pow,
}

/// Floating comparison: whether it holds where the operands are less, equal, greater, unordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatCmp {
    /// It holds if the first one is less.
    pub less: bool,
    /// It holds if they are equal.
    pub equal: bool,
    /// It holds if the first one is greater.
    pub greater: bool,
    /// It holds if one of them is no number.
    pub unordered: bool,
}

/// Changes of type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// Also between pointers and integers; widths as given.
    Zext,
    Sext,
    Trunc,
    FloatToFloat,
    FloatToSigned,
    FloatToUnsigned,
    SignedToFloat,
    UnsignedToFloat,
    /// From a pointer to its [`address`] of 32 bits.
    ToAddress,
    /// From an address of 32 bits to the pointer that it is of, or the number that it is.
    ToPointer,
}

/// Operations that also tell whether they overflowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// Bit-twiddling intrinsics of one operand (and a second one for funnel shifts' amounts).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BitOp {
    Ctpop,
    Ctlz,
    Cttz,
    /// The same where there is no result for 0: that is an error.
    CtlzNonzero,
    CttzNonzero,
    Bswap,
    BitReverse,
    Abs,
}

/// What a read-modify-write does to what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

impl RmwOp {
    /// Whether it may store what it reads: what adds 0 does (a read that is ordered as a write is), and
    /// others do depending on what they find.
    pub fn may_keep(self, operand: Operand) -> bool {
        use RmwOp::*;
        match self {
            Xchg | And | Or | Max | Min | UMax | UMin => true,
            Add | Sub | Xor => !matches!(operand, Operand::Const(1..)),
            Nand => false,
        }
    }
}

/// An instruction.
///
/// `dst` is the first register of the result. Widths of integers are in `bits`, of accesses in `bytes`. In
/// the text form, an instruction is a mnemonic with suffixes and its operands in the order of the fields
/// here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    /// `r0 = move 1`.
    Move { dst: Reg, src: Operand },
    /// `r0 = add.32.nsw r1, 2`. It wraps; with `no_signed_wrap`, to do so is an error.
    Bin {
        op: BinOp,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        no_signed_wrap: bool,
        no_unsigned_wrap: bool,
    },
    /// `r0 = cmp.eq.32 r1, 2`: 0 or 1.
    Cmp { op: CmpOp, bits: u8, dst: Reg, a: Operand, b: Operand },
    /// `r0 = float.add.64 r1, r2, 0`. Operands that an operation does not use are `Const(0)`. `bits` is 32 or
    /// 64.
    Float { op: FloatOp, bits: u8, dst: Reg, a: Operand, b: Operand, c: Operand },
    /// `r0 = fcmp.le.64 r1, r2`: 0 or 1.
    FloatCmp { cmp: FloatCmp, bits: u8, dst: Reg, a: Operand, b: Operand },
    /// `r0 = cast.sext.32.64 r1`.
    Cast { op: CastOp, from: u8, to: u8, dst: Reg, src: Operand },
    /// `r0 = overflowing.sadd.32 r1, r2`: the result, and in the register after it whether it overflowed.
    Overflowing { op: Overflow, bits: u8, dst: Reg, a: Operand, b: Operand },
    /// `r0 = bits.ctpop.32 r1`.
    Bits { op: BitOp, bits: u8, dst: Reg, a: Operand },
    /// `r0 = funnel.left.32 r1, r2, r3`: LLVM's `fshl` and `fshr`.
    Funnel { left: bool, bits: u8, dst: Reg, a: Operand, b: Operand, amount: Operand },
    /// `r0 = select r1, r2, r3`: the second operand if the first is not 0, else the third.
    Select { dst: Reg, cond: Operand, a: Operand, b: Operand },
    /// `r0 = offset r1, r2, 8`. Address arithmetic: `base + index * scale`, wrapping. `within`: it must not
    /// lead from one object to another.
    Offset { dst: Reg, base: Operand, index: Operand, scale: i64, within: bool },
    /// `r0 = alloca 16, 8`. Room in the frame for `size` bytes; freed when the function returns. `private`:
    /// its address is used by loads and stores of this function only, so no other thread ever sees it.
    Alloca { dst: Reg, size: Operand, align: u32, private: bool },
    /// `life r0`. The life of a variable ends before its function does. That of a private one may begin
    /// again: it has no contents then.
    Life { addr: Operand, begins: bool },
    /// `r0 = load.4.acq @x`. `bytes` is 1, 2, 4, 8 or 16; values of 16 bytes take two registers in a row,
    /// here as in the other accesses. A plain access has mode `Na`.
    Load { dst: Reg, addr: Operand, bytes: u8, mode: Mode, volatile: bool },
    /// `store.4.rel @x, r0`. A `reference` is the address of an object that storing it publishes, to models
    /// that have a word for that (`publishes`).
    Store { addr: Operand, value: Operand, bytes: u8, mode: Mode, volatile: bool, reference: bool },
    /// `r0 = rmw.add.4.ar @x, 1`: what was there before.
    Rmw { op: RmwOp, dst: Reg, addr: Operand, operand: Operand, bytes: u8, mode: Mode, net: Net },
    /// `r0 = cmpxchg.4.ar.rlx @x, 0, 1`. Old value in `dst`, success (0 or 1) in the register after it.
    Cmpxchg {
        dst: Reg,
        addr: Operand,
        expected: Operand,
        desired: Operand,
        bytes: u8,
        success: Mode,
        failure: Mode,
        weak: bool,
    },
    /// `fence.sc`.
    Fence { mode: Mode },
    /// `jump L3`.
    Jump { to: Target },
    /// `branch r0, L3, L5`: to the first if the operand is not 0.
    Branch { cond: Operand, then: Target, els: Target },
    /// `switch r0 (1 L3, 2 L5) L7`.
    Switch { value: Operand, cases: Vec<(u64, Target)>, default: Target },
    /// The header of loop number `number`, of which an iteration may turn out to have no effect: it has
    /// none if it wrote nothing that others can see and the registers `live` are as they were here.
    /// Every iteration overwrites the cells `rewritten` before anybody reads them, so writes to those do
    /// not count.
    LoopHead { number: u32, live: Vec<Reg>, rewritten: Vec<OwnCell> },
    /// A back edge of loop number `number` of this function, about to be taken.
    LoopBack { number: u32 },
    /// The iteration of the loop that ends here had no effect: the thread waits until a read of it could
    /// give another value.
    SpinBlock { number: u32 },
    /// `r0 = call.1 &f (r1, 2)`. Results go to `dst` and the registers after it.
    Call {
        dst: Option<Reg>,
        callee: Operand,
        args: Vec<Operand>,
        results: u32,
        /// The type that the function is called by.
        signature: Option<u32>,
        /// What becomes of an exception that leaves the function.
        lands: Option<Box<Pad>>,
    },
    /// `return (r0)`.
    Return { values: Vec<Operand> },
    /// It is an error to come here.
    Unreachable,
    /// Something that the lowering does not support; an error if it is reached.
    Unsupported { what: String },
}

/// What a call does with exceptions (Itanium C++ ABI, level II; LLVM's `invoke` and `landingpad`).
///
/// The last result of such a call says whether it was left by an exception: 0 or 1. So control goes on after
/// the call in any case, and all that there is to know of paths is in the branches of the function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pad {
    /// There is something to do for every exception, which goes on its way then.
    pub cleanup: bool,
    /// Types that are caught, by their type information, in order; `Const(0)` for every type.
    pub catches: Vec<Operand>,
}

/// How many registers a value of so many bytes takes.
#[inline]
pub fn registers(bytes: u8) -> u32 {
    if bytes > 8 { 2 } else { 1 }
}

/// How many registers an integer of so many bits takes.
#[inline]
pub fn words(bits: u8) -> u32 {
    if bits > 64 { 2 } else { 1 }
}

/// A part of an object that only this thread knows: an address in a register, an offset, a size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OwnCell {
    /// Where the address is.
    pub base: Reg,
    /// From there.
    pub offset: i64,
    /// How many.
    pub bytes: u8,
}

impl OwnCell {
    /// Whether bytes at another offset from the same address are none of its own.
    pub fn is_apart(self, offset: i64, bytes: u8) -> bool {
        offset.saturating_add(bytes as i64) <= self.offset
            || self.offset.saturating_add(self.bytes as i64) <= offset
    }
}

/// How pointers are made of an allocation and an offset.
pub mod pointer {
    /// Offsets start here, so that pointers a little before an object do not look like another one.
    pub const BASE: u64 = 1 << 16;

    /// The pointer to an offset of an allocation.
    #[inline]
    pub fn make(allocation: u32, offset: i64) -> u64 {
        ((allocation as u64 + 1) << 32).wrapping_add(BASE).wrapping_add(offset as u64)
    }

    /// The allocation and the offset in it; `None` for null and for small integers.
    #[inline]
    pub fn split(pointer: u64) -> Option<(u32, i64)> {
        let allocation = (pointer >> 32).checked_sub(1)?;
        Some((allocation as u32, (pointer & 0xffff_ffff) as i64 - BASE as i64))
    }
}

/// Addresses of 32 bits, for programs whose pointers have no more (`-m32`).
///
/// Each object has 64 KiB of addresses, so that computing with an address is computing with an offset. Large
/// globals have 16 MiB each; which those are is known before a program runs, so that what an address stands
/// for never depends on an execution. Other numbers are no addresses: small ones, and those that stand for
/// errors (`(void *)-1`).
pub mod address {
    use super::pointer;

    /// Offsets start here, so that a little before an object is not another one.
    const BASE: i64 = 1 << 12;
    const BITS: u32 = 16;
    const LARGE_BITS: u32 = 24;
    /// Addresses of large globals begin here, and end here.
    const LARGE: u64 = 1 << 31;
    const END: u64 = 0xfe00_0000;

    /// A global of this size is large, and no other object may be.
    pub const LARGE_SIZE: u64 = (1 << BITS) - BASE as u64;

    /// The address that a pointer is; `None` if there is none. `is_large`: whether an allocation is a large
    /// global.
    pub fn of(pointer: u64, is_large: impl Fn(u32) -> bool) -> Option<u32> {
        let Some((allocation, offset)) = pointer::split(pointer) else { return Some(pointer as u32) };
        let large = is_large(allocation);
        let bits = if large { LARGE_BITS } else { BITS };
        let at = u64::try_from(offset + BASE).ok().filter(|at| at >> bits == 0)?;
        let address = match large {
            true => LARGE + (u64::from(allocation) << LARGE_BITS) + at,
            false => ((u64::from(allocation) + 1) << BITS) + at,
        };
        let end = if large { END } else { LARGE };
        (address < end).then_some(address as u32)
    }

    /// The pointer that an address is of, or the number that it is.
    pub fn pointer(address: u32, is_large: impl Fn(u32) -> bool) -> u64 {
        let address = u64::from(address);
        let large = address >= LARGE;
        let (bits, number) = match large {
            true => (LARGE_BITS, (address - LARGE) >> LARGE_BITS),
            false => (BITS, (address >> BITS).wrapping_sub(1)),
        };
        let is_number = !(1 << BITS..END).contains(&address) || is_large(number as u32) != large;
        match is_number {
            true => address,
            false => pointer::make(number as u32, (address & ((1 << bits) - 1)) as i64 - BASE),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn addresses_lead_back() {
            let is_large = |n: u32| n == 3 || n == 100;
            for allocation in [0, 1, 2, 3, 4, 100, 0x7ffd] {
                for offset in [-BASE, -1, 0, 1, 61_439] {
                    let pointer = pointer::make(allocation, offset);
                    let address = of(pointer, is_large).unwrap();
                    assert_eq!(super::pointer(address, is_large), pointer, "{allocation} {offset}");
                }
            }
            let far = pointer::make(3, 10_000_000);
            assert_eq!(pointer(of(far, is_large).unwrap(), is_large), far);
            for none in [pointer::make(1, 70_000), pointer::make(1, -5_000), pointer::make(0x8000, 0)] {
                assert_eq!(of(none, is_large), None);
            }
        }

        #[test]
        fn numbers_stay_what_they_are() {
            let is_large = |n: u32| n == 3;
            for number in (0..=u32::MAX).step_by(65_521).chain([u32::MAX, END as u32, 0xffff, 4 << 16]) {
                assert_eq!(of(pointer(number, is_large), is_large), Some(number), "{number:x}");
            }
        }
    }
}
