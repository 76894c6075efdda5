//! The words of the text form, as tables that the printer and the parser share.

use crate::bytecode::{BinOp, BitOp, CastOp, CmpOp, FloatOp, Overflow, RmwOp};
use selvedge_graph::{Barrier, Mode};

/// An enumeration whose members have names in the text form.
pub trait Word: Sized + Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, member)| *member == self).map_or("?", |(word, _)| word)
    }

    fn from_word(text: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, member)| *member)
    }
}

impl Word for BinOp {
    const WORDS: &'static [(&'static str, BinOp)] = &[
        ("add", BinOp::Add),
        ("sub", BinOp::Sub),
        ("mul", BinOp::Mul),
        ("udiv", BinOp::UDiv),
        ("sdiv", BinOp::SDiv),
        ("urem", BinOp::URem),
        ("srem", BinOp::SRem),
        ("and", BinOp::And),
        ("or", BinOp::Or),
        ("xor", BinOp::Xor),
        ("shl", BinOp::Shl),
        ("lshr", BinOp::LShr),
        ("ashr", BinOp::AShr),
        ("umin", BinOp::UMin),
        ("umax", BinOp::UMax),
        ("smin", BinOp::SMin),
        ("smax", BinOp::SMax),
        ("uaddsat", BinOp::UAddSat),
        ("usubsat", BinOp::USubSat),
        ("saddsat", BinOp::SAddSat),
        ("ssubsat", BinOp::SSubSat),
    ];
}

impl Word for CmpOp {
    const WORDS: &'static [(&'static str, CmpOp)] = &[
        ("eq", CmpOp::Eq),
        ("ne", CmpOp::Ne),
        ("ult", CmpOp::Ult),
        ("ule", CmpOp::Ule),
        ("ugt", CmpOp::Ugt),
        ("uge", CmpOp::Uge),
        ("slt", CmpOp::Slt),
        ("sle", CmpOp::Sle),
        ("sgt", CmpOp::Sgt),
        ("sge", CmpOp::Sge),
    ];
}

impl Word for FloatOp {
    const WORDS: &'static [(&'static str, FloatOp)] = &[
        ("add", FloatOp::Add),
        ("sub", FloatOp::Sub),
        ("mul", FloatOp::Mul),
        ("div", FloatOp::Div),
        ("rem", FloatOp::Rem),
        ("neg", FloatOp::Neg),
        ("sqrt", FloatOp::Sqrt),
        ("abs", FloatOp::Abs),
        ("floor", FloatOp::Floor),
        ("ceil", FloatOp::Ceil),
        ("trunc", FloatOp::Trunc),
        ("round", FloatOp::Round),
        ("min", FloatOp::Min),
        ("max", FloatOp::Max),
        ("copysign", FloatOp::CopySign),
        ("fma", FloatOp::Fma),
        ("pow", FloatOp::Pow),
    ];
}

impl Word for CastOp {
    const WORDS: &'static [(&'static str, CastOp)] = &[
        ("zext", CastOp::Zext),
        ("sext", CastOp::Sext),
        ("trunc", CastOp::Trunc),
        ("float", CastOp::FloatToFloat),
        ("floattosigned", CastOp::FloatToSigned),
        ("floattounsigned", CastOp::FloatToUnsigned),
        ("signedtofloat", CastOp::SignedToFloat),
        ("unsignedtofloat", CastOp::UnsignedToFloat),
        ("toaddress", CastOp::ToAddress),
        ("topointer", CastOp::ToPointer),
    ];
}

impl Word for Overflow {
    const WORDS: &'static [(&'static str, Overflow)] = &[
        ("sadd", Overflow::SAdd),
        ("uadd", Overflow::UAdd),
        ("ssub", Overflow::SSub),
        ("usub", Overflow::USub),
        ("smul", Overflow::SMul),
        ("umul", Overflow::UMul),
    ];
}

impl Word for BitOp {
    const WORDS: &'static [(&'static str, BitOp)] = &[
        ("ctpop", BitOp::Ctpop),
        ("ctlz", BitOp::Ctlz),
        ("cttz", BitOp::Cttz),
        ("ctlznz", BitOp::CtlzNonzero),
        ("cttznz", BitOp::CttzNonzero),
        ("bswap", BitOp::Bswap),
        ("bitreverse", BitOp::BitReverse),
        ("abs", BitOp::Abs),
    ];
}

impl Word for RmwOp {
    const WORDS: &'static [(&'static str, RmwOp)] = &[
        ("xchg", RmwOp::Xchg),
        ("add", RmwOp::Add),
        ("sub", RmwOp::Sub),
        ("and", RmwOp::And),
        ("nand", RmwOp::Nand),
        ("or", RmwOp::Or),
        ("xor", RmwOp::Xor),
        ("max", RmwOp::Max),
        ("min", RmwOp::Min),
        ("umax", RmwOp::UMax),
        ("umin", RmwOp::UMin),
    ];
}

impl Word for Mode {
    const WORDS: &'static [(&'static str, Mode)] = &[
        ("na", Mode::Na),
        ("rlx", Mode::Rlx),
        ("acq", Mode::Acq),
        ("rel", Mode::Rel),
        ("ar", Mode::AcqRel),
        ("sc", Mode::Sc),
        // Instructions that C has no fence for; models of C take them for none.
        ("dmb_st", Mode::Barrier(Barrier::DmbSt)),
        ("dsb_st", Mode::Barrier(Barrier::DsbSt)),
        ("isb", Mode::Barrier(Barrier::Isb)),
        ("isync", Mode::Barrier(Barrier::Isync)),
        ("eieio", Mode::Barrier(Barrier::Eieio)),
        ("r_r", Mode::Barrier(Barrier::FenceRR)),
        ("r_w", Mode::Barrier(Barrier::FenceRW)),
        ("w_r", Mode::Barrier(Barrier::FenceWR)),
        ("w_w", Mode::Barrier(Barrier::FenceWW)),
        ("w_rw", Mode::Barrier(Barrier::FenceWRw)),
        ("rw_r", Mode::Barrier(Barrier::FenceRwR)),
        ("fence_i", Mode::Barrier(Barrier::FenceI)),
        // The kernel's: fences that go with read-modify-writes, and ones that give no value or have failed.
        ("before_atomic", Mode::Barrier(Barrier::BeforeAtomic)),
        ("after_atomic", Mode::Barrier(Barrier::AfterAtomic)),
        // Of locks and RCU.
        ("rcu_lock", Mode::Barrier(Barrier::RcuLock)),
        ("rcu_unlock", Mode::Barrier(Barrier::RcuUnlock)),
        ("sync_rcu", Mode::Barrier(Barrier::SyncRcu)),
        ("lock", Mode::Barrier(Barrier::Lock)),
        ("unlock", Mode::Barrier(Barrier::Unlock)),
        ("after_spinlock", Mode::Barrier(Barrier::AfterSpinlock)),
        ("after_unlock_lock", Mode::Barrier(Barrier::AfterUnlockLock)),
        ("rlx_x", Mode::RlxEx),
    ];
}
