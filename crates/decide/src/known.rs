//! The premises of the models that come with Selvedge, so that nobody waits for them to be decided anew.
//!
//! `crates/decide/tests/premises.rs` decides them and compares. A line counts for the text of the model that
//! it was written for, and for no other one.

use crate::premises::{Has, Premise, Premises, ThinAir};
use selvedge_kat::{Theory, builtin, load_named};

/// What holds of a model: its name, a fingerprint of its text, whether it has the form, the premises in the
/// order of their numbers, whether coherence agrees with what is acquired, how values may come out of thin
/// air, and whether that is known of programs in C only.
type Line = (&'static str, u64, bool, [bool; 5], bool, Air, bool);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Air {
    Forbidden,
    ByRmws,
    Open,
}

#[rustfmt::skip]
const KNOWN: &[Line] = &[
    ("armv8", 0x71cdf2780a8c5bd8, true, [true, true, true, true, false], true, Air::ByRmws, false),
    ("armv8-2018", 0x31d24e2b63d3d1b2, true, [true, true, false, true, false], true, Air::ByRmws, false),
    ("imm", 0xa7b28cbd51c6b440, false, [false, true, false, true, false], true, Air::Forbidden, false),
    ("imm-cxx20", 0x6a0bb53f34b58110, false, [false, true, false, true, false], true, Air::Forbidden, false),
    ("lkmm", 0xc1f44d8cec96b1f6, false, [false, false, false, false, false], false, Air::Open, true),
    ("power", 0xa40cad239add0103, false, [false, false, false, true, true], true, Air::ByRmws, false),
    ("riscv", 0x3b86a39d6229d801, true, [true, true, true, true, false], false, Air::ByRmws, true),
];

/// What is known of a model, if it is one that comes with Selvedge.
pub fn premises(theory: &Theory) -> Option<Premises> {
    let (text, _) = builtin(&theory.name)?;
    let (name, _, form, holds, synchronises, air, c_only) =
        KNOWN.iter().find(|line| line.0 == theory.name && line.1 == fingerprint(text))?;
    // A file of the same name may have another text.
    if load_named(name).ok().as_ref() != Some(theory) {
        return None;
    }
    let has = |holds: bool| if holds { Has::Yes } else { Has::Unknown("not for this model".into()) };
    Some(Premises {
        form: has(*form),
        answers: Premise::ALL.into_iter().zip(holds.map(has)).collect(),
        thin_air: match air {
            Air::Forbidden => ThinAir::Forbidden,
            Air::ByRmws => ThinAir::ByRmws(String::new()),
            Air::Open => ThinAir::Unknown(String::new()),
        },
        synchronises: has(*synchronises),
        by_sources: Vec::new(),
        c_only: *c_only,
    })
}

/// A line for a model, as it is written above.
pub fn line(name: &str, found: &Premises) -> String {
    let yes = |has: &Has| matches!(has, Has::Yes);
    let holds: Vec<bool> = found.answers.iter().map(|(_, has)| yes(has)).collect();
    let air = match found.thin_air {
        ThinAir::Forbidden => Air::Forbidden,
        ThinAir::ByRmws(_) => Air::ByRmws,
        ThinAir::Allowed(_) | ThinAir::Unknown(_) => Air::Open,
    };
    let text = builtin(name).map_or("", |(text, _)| text);
    let (form, known, c_only) = (yes(&found.form), yes(&found.synchronises), found.c_only);
    format!("({name:?}, 0x{:016x}, {form}, {holds:?}, {known}, Air::{air:?}, {c_only}),", fingerprint(text))
}

/// The lines that are there.
pub fn lines() -> Vec<String> {
    let shown = |(name, print, form, holds, known, air, c_only): &Line| {
        format!("({name:?}, 0x{print:016x}, {form}, {holds:?}, {known}, Air::{air:?}, {c_only}),")
    };
    KNOWN.iter().map(shown).collect()
}

/// FNV-1a.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
