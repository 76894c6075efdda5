//! LLVM's intrinsic functions.

use selvedge_ir::{BinOp, BitOp, CastOp, CmpOp, FloatOp, Instr, Operand, Overflow};

use super::body::Body;
use super::shape::Scalar;
use crate::llvm::{Opcode, Value};

/// The name without the types at its end: `umin` of `umin.i32`.
fn base(name: &str) -> &str {
    let mut base = name;
    while let Some((rest, last)) = base.rsplit_once('.') {
        let mut letters = last.chars();
        let is_type = matches!(letters.next(), Some('i' | 'f' | 'p' | 'v'))
            && letters.next().is_some_and(|c| c.is_ascii_digit());
        if !is_type {
            break;
        }
        base = rest;
    }
    base
}

const ZERO: Operand = Operand::Const(0);

/// What the life of begins or ends: the last argument, after a size in older bitcode.
fn variable_of<'m>(arguments: &[Value<'m>]) -> Value<'m> {
    arguments[arguments.len() - 1]
}

impl<'m> Body<'_, 'm> {
    /// A call to `llvm.NAME`.
    pub(super) fn intrinsic(&mut self, value: Value<'m>, name: &str) -> Vec<Operand> {
        let arguments = value.arguments();
        let name = base(name);
        match name {
            "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "assume"
            | "donothing"
            | "sideeffect"
            | "pseudoprobe"
            | "prefetch"
            | "invariant.end"
            | "var.annotation"
            | "experimental.noalias.scope.decl"
            | "x86.sse2.pause"
            | "aarch64.hint" => Vec::new(),
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "threadlocal.address"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "arithmetic.fence" => self.operands(arguments[0]),
            "lifetime.start" => {
                self.life_begins(variable_of(&arguments));
                Vec::new()
            }
            "lifetime.end" => {
                self.life_ends(variable_of(&arguments));
                Vec::new()
            }
            "eh.typeid.for" => self.type_number(arguments[0]),
            "load.relative" => self.load_relative(value),
            "ucmp" | "scmp" => self.three_way(value, name == "scmp"),
            "stacksave" => self.call_library("__selvedge_stack_save", Vec::new(), 1),
            "stackrestore" => {
                let to = self.operand(arguments[0]);
                self.call_library("__selvedge_stack_restore", vec![to], 0)
            }
            "invariant.start" | "is.constant" => vec![ZERO],
            "objectsize" => {
                // "At least 0" or "at most everything": always right.
                let at_least = arguments.get(1).and_then(|a| a.bits()) == Some(1);
                let unknown = match self.scalar(value) {
                    Some(Scalar::Int(bits @ 1..64)) => (1 << bits) - 1,
                    _ => u64::MAX,
                };
                vec![Operand::Const(if at_least { 0 } else { unknown })]
            }
            "memcpy" | "memcpy.inline" => self.memory(value, "memcpy"),
            "memmove" => self.memory(value, "memmove"),
            "memset" | "memset.inline" => self.memory(value, "memset"),
            "trap" | "debugtrap" | "ubsantrap" => self.call_library("abort", Vec::new(), 0),
            "x86.sse2.mfence" | "aarch64.dmb" => self.full_fence(),
            // Loads are not delayed.
            "x86.sse2.lfence" => Vec::new(),
            "x86.sse.sfence" => self.call_library("__selvedge_sfence", Vec::new(), 0),
            "x86.sse2.clflush" | "x86.clflushopt" | "x86.clwb" => {
                let to = self.operand(arguments[0]);
                let name = name.rsplit('.').next().unwrap_or(name);
                self.call_library(&format!("__selvedge_{name}"), vec![to], 0)
            }
            "ptrmask" => {
                let (a, b) = (self.operand(arguments[0]), self.operand(arguments[1]));
                vec![self.bin(BinOp::And, 64, a, b)]
            }
            "va_start" => self.list_start(arguments[0]),
            "va_end" => Vec::new(),
            "va_copy" => self.list_copy(arguments[0], arguments[1]),
            _ if name.starts_with("vector.reduce.") => self.reduce(value, name),
            _ if self.is_vector(value) => self.by_lane(value, |body| body.computed(value, name)),
            _ => self.computed(value, name),
        }
    }

    fn computed(&mut self, value: Value<'m>, name: &str) -> Vec<Operand> {
        match name {
            "fshl" | "fshr" => self.funnel(value, name == "fshl"),
            _ => self.arithmetic(value, name),
        }
    }

    fn arithmetic(&mut self, value: Value<'m>, name: &str) -> Vec<Operand> {
        let bits = self.scalar(value.arguments().first().copied().unwrap_or(value));
        if let (Some(op), Some(bits)) = (overflow(name), bits.and_then(Scalar::int_bits)) {
            let (a, b) = self.two(value);
            let count = self.results(value);
            let dst = self.fresh(count);
            self.emit(Instr::Overflowing { op, bits, dst, a, b });
            return Self::row(dst, count);
        }
        if let (Some(op), Some(bits)) = (binary(name), bits.and_then(Scalar::int_bits)) {
            let (a, b) = self.two(value);
            let (no_signed_wrap, no_unsigned_wrap) = (false, false);
            return self.compute_int(bits, |dst| Instr::Bin {
                op,
                bits,
                dst,
                a,
                b,
                no_signed_wrap,
                no_unsigned_wrap,
            });
        }
        if let (Some(op), Some(bits)) = (bit_twiddling(name), bits.and_then(Scalar::int_bits)) {
            let a = self.whole(value.arguments()[0]);
            let undefined_at_0 = value.arguments().get(1).and_then(|flag| flag.bits()) == Some(1);
            let op = match op {
                BitOp::Ctlz if undefined_at_0 && !only_selected(value) => BitOp::CtlzNonzero,
                BitOp::Cttz if undefined_at_0 && !only_selected(value) => BitOp::CttzNonzero,
                op => op,
            };
            return self.compute_int(bits, |dst| Instr::Bits { op, bits, dst, a });
        }
        let Some(bits) = bits.and_then(Scalar::float_bits) else { return self.unsupported_intrinsic(value) };
        let arguments = value.arguments();
        if let Some(op) = float(name).filter(|op| bits <= 64 || !matches!(op, FloatOp::Fma | FloatOp::Pow)) {
            let mut operands = [ZERO; 3];
            for (operand, argument) in operands.iter_mut().zip(arguments) {
                *operand = self.whole(argument);
            }
            let [a, b, c] = operands;
            return self.compute_int(bits, |dst| Instr::Float { op, bits, dst, a, b, c });
        }
        if name == "fmuladd" {
            // May be fused or not; it is not, as on a machine without such an instruction.
            let (a, b) = self.two(value);
            let c = self.whole(arguments[2]);
            let product =
                self.compute_int(bits, |dst| Instr::Float { op: FloatOp::Mul, bits, dst, a, b, c: ZERO });
            let (op, a, b, c) = (FloatOp::Add, product[0], c, ZERO);
            return self.compute_int(bits, |dst| Instr::Float { op, bits, dst, a, b, c });
        }
        if bits > 64 && name != "is.fpclass" {
            return self.unsupported_intrinsic(value);
        }
        if name == "powi" {
            // By which products is left open.
            let (a, power) = self.two(value);
            let from = 32;
            let op = CastOp::SignedToFloat;
            let b = self.compute(|dst| Instr::Cast { op, from, to: bits, dst, src: power });
            return vec![self.compute(|dst| Instr::Float { op: FloatOp::Pow, bits, dst, a, b, c: ZERO })];
        }
        if name == "is.fpclass" {
            return self.is_of_class(value, bits);
        }
        if LIBRARY.contains(&name) {
            let mut args = Vec::new();
            for argument in arguments {
                args.extend(self.operands(argument));
            }
            let suffix = if bits == 32 { "f" } else { "" };
            return self.call_library(&format!("{name}{suffix}"), args, 1);
        }
        self.unsupported_intrinsic(value)
    }

    /// Whether a float is of one of the classes that a mask has: each is a range of bits.
    fn is_of_class(&mut self, value: Value<'m>, bits: u8) -> Vec<Operand> {
        let arguments = value.arguments();
        let Some(mask) = arguments.get(1).and_then(|mask| mask.bits()) else {
            return self.unsupported_intrinsic(value);
        };
        let fraction = match bits {
            32 => 23,
            64 => 52,
            _ => return self.unsupported_intrinsic(value),
        };
        let sign = 1u64 << (bits - 1);
        let normal = 1u64 << fraction;
        let infinity = sign - normal;
        let quiet = infinity | (normal >> 1);
        // Both signs have a NaN of each kind; the others are in the order of LLVM's mask.
        let ranges = [
            (0, infinity + 1, quiet - 1),
            (0, sign + infinity + 1, sign + quiet - 1),
            (1, quiet, sign - 1),
            (1, sign + quiet, sign + (sign - 1)),
            (2, sign + infinity, sign + infinity),
            (3, sign + normal, sign + infinity - 1),
            (4, sign + 1, sign + normal - 1),
            (5, sign, sign),
            (6, 0, 0),
            (7, 1, normal - 1),
            (8, normal, infinity - 1),
            (9, infinity, infinity),
        ];
        let float = self.operand(arguments[0]);
        let mut is = ZERO;
        for (_, first, last) in ranges.into_iter().filter(|(class, ..)| mask >> class & 1 == 1) {
            let a = self.bin(BinOp::Sub, bits, float, Operand::Const(first));
            let b = Operand::Const(last - first);
            let within = self.compute(|dst| Instr::Cmp { op: CmpOp::Ule, bits, dst, a, b });
            is = self.bin(BinOp::Or, 1, is, within);
        }
        vec![is]
    }

    pub(super) fn unsupported_intrinsic(&mut self, value: Value<'m>) -> Vec<Operand> {
        let what = format!("intrinsic {}", value.callee().name());
        self.unsupported_value(value, what)
    }

    fn two(&mut self, value: Value<'m>) -> (Operand, Operand) {
        let arguments = value.arguments();
        (self.whole(arguments[0]), self.whole(arguments[1]))
    }

    fn funnel(&mut self, value: Value<'m>, left: bool) -> Vec<Operand> {
        let Some(bits) = self.scalar(value).and_then(Scalar::int_bits) else {
            return self.unsupported_intrinsic(value);
        };
        let (a, b) = self.two(value);
        let amount = self.whole(value.arguments()[2]);
        self.compute_int(bits, |dst| Instr::Funnel { left, bits, dst, a, b, amount })
    }

    /// `memcpy` and its like: destination, source or value, length. Their results are not used.
    fn memory(&mut self, value: Value<'m>, name: &str) -> Vec<Operand> {
        let arguments = value.arguments();
        let args = arguments[..3].iter().map(|argument| self.operand(*argument)).collect();
        self.call_library(name, args, 1);
        Vec::new()
    }
}

/// Whether a result only goes to where something else may be taken in its place: what has a meaning for 0,
/// too, is computed that way (`ffs`).
fn only_selected(value: Value<'_>) -> bool {
    let users = value.users();
    !users.is_empty()
        && users.into_iter().all(|user| match user.opcode() {
            Some(Opcode::LLVMSelect) => user.operand(0) != value,
            Some(Opcode::LLVMAdd | Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt) => {
                only_selected(user)
            }
            _ => false,
        })
}

fn overflow(name: &str) -> Option<Overflow> {
    Some(match name {
        "sadd.with.overflow" => Overflow::SAdd,
        "uadd.with.overflow" => Overflow::UAdd,
        "ssub.with.overflow" => Overflow::SSub,
        "usub.with.overflow" => Overflow::USub,
        "smul.with.overflow" => Overflow::SMul,
        "umul.with.overflow" => Overflow::UMul,
        _ => return None,
    })
}

pub(super) fn binary(name: &str) -> Option<BinOp> {
    Some(match name {
        "umin" => BinOp::UMin,
        "umax" => BinOp::UMax,
        "smin" => BinOp::SMin,
        "smax" => BinOp::SMax,
        "uadd.sat" => BinOp::UAddSat,
        "usub.sat" => BinOp::USubSat,
        "sadd.sat" => BinOp::SAddSat,
        "ssub.sat" => BinOp::SSubSat,
        _ => return None,
    })
}

fn bit_twiddling(name: &str) -> Option<BitOp> {
    Some(match name {
        "ctpop" => BitOp::Ctpop,
        "ctlz" => BitOp::Ctlz,
        "cttz" => BitOp::Cttz,
        "bswap" => BitOp::Bswap,
        "bitreverse" => BitOp::BitReverse,
        "abs" => BitOp::Abs,
        _ => return None,
    })
}

fn float(name: &str) -> Option<FloatOp> {
    Some(match name {
        "sqrt" => FloatOp::Sqrt,
        "fabs" => FloatOp::Abs,
        "floor" => FloatOp::Floor,
        "ceil" => FloatOp::Ceil,
        "trunc" => FloatOp::Trunc,
        "round" => FloatOp::Round,
        "minnum" => FloatOp::Min,
        "maxnum" => FloatOp::Max,
        "copysign" => FloatOp::CopySign,
        "fma" => FloatOp::Fma,
        "pow" => FloatOp::Pow,
        _ => return None,
    })
}

/// Intrinsics that are called by their name in the C library.
const LIBRARY: [&str; 23] = [
    "exp",
    "exp2",
    "log",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "rint",
    "nearbyint",
    "roundeven",
    "ldexp",
    "lround",
    "llround",
    "lrint",
    "llrint",
];
