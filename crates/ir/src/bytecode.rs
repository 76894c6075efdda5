//! The bytecode: a flat list of instructions per function, over 64-bit registers.
//!
//! It is plain data with a readable text form. Every value is kept in registers of 64 bits; narrower
//! integers are zero-extended. A value of 128 bits, or an aggregate, takes several registers in a row.
//! Floats are kept by their bits. A pointer is a number, too: the allocation it points into in the upper
//! half, the offset in the lower half (see [`mod@pointer`]), so that arithmetic on it stays arithmetic.

use selvedge_graph::Mode;

pub type Reg = u32;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FuncId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GlobalId(pub u32);

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Source files, for [`Place::file`].
    pub files: Vec<String>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Functions to call before `main`, in order.
    pub constructors: Vec<FuncId>,
    pub types: Vec<TypeInfo>,
    /// Types of functions, for calls through pointers: result and parameters as LLVM passes them
    /// (`i32(ptr,i64)`).
    pub signatures: Vec<String>,
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u32,
    /// Initial contents, `size` bytes.
    pub bytes: Vec<u8>,
    /// Addresses in the initial contents: at this offset stand 8 bytes with this value.
    pub addresses: Vec<(u64, Operand)>,
    pub thread_local: bool,
    pub constant: bool,
    /// From debug information; names parts of it in messages.
    pub ty: Option<u32>,
    pub place: Place,
}

/// What debug information says of a type, as far as messages need it (`q.nodes[2].next`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeInfo {
    Scalar {
        name: String,
        size: u64,
    },
    /// Field name, offset, type.
    Struct {
        name: String,
        size: u64,
        fields: Vec<(String, u64, u32)>,
    },
    Array {
        element: u32,
        count: u64,
        element_size: u64,
    },
    Pointer {
        to: Option<u32>,
    },
}

/// A place in the source; line 0 where it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Place {
    pub file: u32,
    pub line: u32,
    pub col: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
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
    pub place: Place,
    /// Local variables that live in memory: register of the address, name, type.
    pub locals: Vec<(Reg, String, Option<u32>)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The first instruction of the header.
    pub header: u32,
    pub place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Reg(Reg),
    Const(u64),
    /// The address of a global, plus an offset.
    Global(GlobalId, i64),
    Func(FuncId),
    /// A value that may be anything (`undef`, `poison`): using it for a decision is an error.
    Undef,
}

/// Targets are instruction numbers.
pub type Target = u32;

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
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    pub unordered: bool,
}

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
}

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

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    Move {
        dst: Reg,
        src: Operand,
    },
    /// `wraps`: whether overflow is fine; if not, `signed`/`unsigned` overflow is an error.
    Bin {
        op: BinOp,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        no_signed_wrap: bool,
        no_unsigned_wrap: bool,
    },
    Cmp {
        op: CmpOp,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// Operands that an operation does not use are `Const(0)`. `bits` is 32 or 64.
    Float {
        op: FloatOp,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    FloatCmp {
        cmp: FloatCmp,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: u8,
        to: u8,
        dst: Reg,
        src: Operand,
    },
    /// Result in `dst`, whether it overflowed in `dst + 1`.
    Overflowing {
        op: Overflow,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Bits {
        op: BitOp,
        bits: u8,
        dst: Reg,
        a: Operand,
    },
    /// `fshl`/`fshr`.
    Funnel {
        left: bool,
        bits: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
        amount: Operand,
    },
    Select {
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// Address arithmetic: `base + index * scale`, wrapping. `within`: it must not lead from one object to
    /// another.
    Offset {
        dst: Reg,
        base: Operand,
        index: Operand,
        scale: i64,
        within: bool,
    },
    /// Room in the frame for `size` bytes; freed when the function returns. `private`: its address is
    /// used by loads and stores of this function only, so no other thread ever sees it.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
        private: bool,
    },
    /// The life of a variable ends before its function does. That of a private one may begin again: it
    /// has no contents then.
    Life {
        addr: Operand,
        begins: bool,
    },
    /// `bytes` is 1, 2, 4, 8 or 16; values of 16 bytes take two registers in a row, here as in the
    /// other accesses. A plain access has mode `Na`.
    Load {
        dst: Reg,
        addr: Operand,
        bytes: u8,
        mode: Mode,
        volatile: bool,
    },
    Store {
        addr: Operand,
        value: Operand,
        bytes: u8,
        mode: Mode,
        volatile: bool,
    },
    Rmw {
        op: RmwOp,
        dst: Reg,
        addr: Operand,
        operand: Operand,
        bytes: u8,
        mode: Mode,
        net: Net,
    },
    /// Old value in `dst`, success (0 or 1) in the register after it.
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
    Fence {
        mode: Mode,
    },
    Jump {
        to: Target,
    },
    Branch {
        cond: Operand,
        then: Target,
        els: Target,
    },
    Switch {
        value: Operand,
        cases: Vec<(u64, Target)>,
        default: Target,
    },
    /// The header of loop number `number`, of which an iteration may turn out to have no effect: it has
    /// none if it wrote nothing that others can see and the registers `live` are as they were here.
    /// Every iteration overwrites the cells `rewritten` before anybody reads them, so writes to those do
    /// not count.
    LoopHead {
        number: u32,
        live: Vec<Reg>,
        rewritten: Vec<OwnCell>,
    },
    /// A back edge of loop number `number` of this function, about to be taken.
    LoopBack {
        number: u32,
    },
    /// The iteration of the loop that ends here had no effect: the thread waits until a read of it could
    /// give another value.
    SpinBlock {
        number: u32,
    },
    /// Results go to `dst` and the registers after it.
    Call {
        dst: Option<Reg>,
        callee: Operand,
        args: Vec<Operand>,
        results: u32,
        /// The type that the function is called by.
        signature: Option<u32>,
    },
    Return {
        values: Vec<Operand>,
    },
    Unreachable,
    /// Something that the lowering does not support; an error if it is reached.
    Unsupported {
        what: String,
    },
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
    pub base: Reg,
    pub offset: i64,
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
