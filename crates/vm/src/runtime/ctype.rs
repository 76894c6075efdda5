//! The tables behind `isdigit`, `isspace` and their kin: the C library's headers look characters up in tables
//! that `__ctype_b_loc` gives the address of. They begin at -128, for characters that are negative numbers.

use std::fmt::Write;

/// The functions that give a table.
pub const TABLES: [&str; 3] = ["__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc"];

/// Numbers from -128 to 255, as they are in the tables.
fn characters() -> impl Iterator<Item = i32> {
    -128..256
}

/// What a character is, as a bit for each of the C library's classes; in the locale "C", only ASCII is
/// anything.
fn classes(c: i32) -> u16 {
    let Some(c) = u8::try_from(c).ok().filter(u8::is_ascii) else { return 0 };
    // `isspace` has the vertical tab, which Rust has not.
    let is_space = c == b' ' || (9..=13).contains(&c);
    let is_print = c == b' ' || c.is_ascii_graphic();
    let all = [
        (c.is_ascii_uppercase(), 0x100),
        (c.is_ascii_lowercase(), 0x200),
        (c.is_ascii_alphabetic(), 0x400),
        (c.is_ascii_digit(), 0x800),
        (c.is_ascii_hexdigit(), 0x1000),
        (is_space, 0x2000),
        (is_print, 0x4000),
        (c.is_ascii_graphic(), 0x8000),
        (c == b' ' || c == b'\t', 0x1),
        (c.is_ascii_control(), 0x2),
        (c.is_ascii_punctuation(), 0x4),
        (c.is_ascii_alphanumeric(), 0x8),
    ];
    all.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum()
}

/// One table and the function for it.
fn table(out: &mut String, function: &str, bytes: &[u8], width: usize) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let _ = writeln!(
        out,
        "global @{function}_table size {} align 8 constant = x\"{hex}\"\n\
         global @{function}_at size 8 align 8 constant = zero 8 at 0 @{function}_table+{}\n\
         func &{function}() results 1 regs 0 {{\nreturn (@{function}_at)\n}}",
        bytes.len(),
        128 * width
    );
}

/// The bytecode of these functions, as text.
pub fn text() -> String {
    let mut out = String::new();
    let map = |to: fn(&u8) -> u8| -> Vec<u8> {
        let one = |c: i32| u8::try_from(c).map_or(c, |byte| i32::from(to(&byte)));
        characters().flat_map(|c| one(c).to_le_bytes()).collect()
    };
    let all: Vec<u8> = characters().flat_map(|c| classes(c).to_le_bytes()).collect();
    table(&mut out, TABLES[0], &all, 2);
    table(&mut out, TABLES[1], &map(u8::to_ascii_lowercase), 4);
    table(&mut out, TABLES[2], &map(u8::to_ascii_uppercase), 4);
    out
}
