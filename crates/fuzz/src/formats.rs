//! Formats of `printf`: what the machine makes of them against what the C library prints.

use crate::mutate::Mutator;
use crate::{Outcome, Subject};
use selvedge_vm::format::{Needed, Text, Trouble};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// One conversion with its arguments: flags, width, precision, length, letter; then eight bytes each for the
/// two numbers that stars stand for and for the value, which are read from the end of the input.
pub struct Formats;

const NUMBERS: [i32; 14] = [0, 1, 2, 5, 17, 40, 300, -1, -7, 1000, 70_000, 2_000_000_000, i32::MIN, i32::MAX];
const STRING: &[u8] = b"some text of some length\0";

impl Subject for Formats {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        let mut format = b"%".to_vec();
        for _ in 0..mutator.below(4) {
            format.push(*mutator.pick(b"-+ #0"));
        }
        let number = |mutator: &mut Mutator, format: &mut Vec<u8>| match mutator.below(4) {
            0 => format.push(b'*'),
            1 => {
                let number = *mutator.pick(&NUMBERS);
                format.extend(number.unsigned_abs().to_string().bytes());
            }
            _ => {}
        };
        number(mutator, &mut format);
        if mutator.below(2) == 0 {
            format.push(b'.');
            number(mutator, &mut format);
        }
        let letter = *mutator.pick(b"diuxXocspfFeEgG");
        if b"diuxXo".contains(&letter) {
            format.extend(mutator.pick(&["", "", "hh", "h", "l", "ll", "z", "j", "t"]).bytes());
        }
        format.push(letter);
        for _ in 0..2 {
            format.extend((*mutator.pick(&NUMBERS) as i64 as u64).to_le_bytes());
        }
        let value = match mutator.below(5) {
            0 => mutator.bits(),
            1 => (*mutator.pick(&[0.0, -0.0, 1.0, 0.1, 1e300, 5e-324, 123456.789, f64::INFINITY, 9.5, 0.5]))
                .to_bits(),
            2 => mutator.bits() >> mutator.below(64),
            3 => f64::from_bits(mutator.bits()).clamp(-1e15, 1e15).to_bits(),
            _ => *mutator.pick(&NUMBERS) as i64 as u64,
        };
        format.extend(value.to_le_bytes());
        format
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let Some((format, numbers)) = input.split_last_chunk::<24>() else { return Outcome::Refused };
        let word = |at: usize| u64::from_le_bytes(numbers[8 * at..8 * at + 8].try_into().unwrap_or_default());
        let letter = format.last().copied().unwrap_or(0);
        let stars = format.iter().filter(|byte| **byte == b'*').count();
        let value = if letter == b's' { 2000 } else { word(2) };
        // What is not a number prints with a sign of its own here and there.
        if letter.is_ascii_alphabetic() && b"fFeEgG".contains(&letter) && f64::from_bits(value).is_nan() {
            return Outcome::Refused;
        }
        let large = (0..stars).any(|at| word(at) as i32 > 1 << 20) || format.len() > 14;
        let mut arguments: Vec<u64> = (0..stars).map(word).collect();
        arguments.push(value);
        let made = catch_unwind(AssertUnwindSafe(|| {
            let byte = |of: &[u8], at: u64| u64::from(of.get(at as usize).copied().unwrap_or(0));
            let mut text = Text::format(1000, 3000);
            let read = |needed: Needed| -> Result<Option<u64>, Trouble> {
                Ok(Some(match needed.addr {
                    3000.. => arguments.get((needed.addr as usize - 3000) / 8).copied().unwrap_or(0),
                    2000.. => byte(STRING, needed.addr - 2000),
                    _ => byte(format, needed.addr - 1000),
                }))
            };
            text.go_on(read).map(|_| text.out)
        }));
        match made {
            Err(_) => Outcome::Failed(String::from("it panics")),
            Ok(Err(_)) => Outcome::Refused,
            // The C library would make all the digits.
            Ok(Ok(_)) if large && letter.eq_ignore_ascii_case(&b'g') => Outcome::Accepted,
            Ok(Ok(text)) => match expected(format, letter, &arguments) {
                Some(expected) if expected != text => Outcome::Failed(format!(
                    "{:?} of {arguments:?} gives {:?}, not {:?}",
                    String::from_utf8_lossy(format),
                    String::from_utf8_lossy(&text[..text.len().min(100)]),
                    String::from_utf8_lossy(&expected[..expected.len().min(100)])
                )),
                _ => Outcome::Accepted,
            },
        }
    }
}

/// What the C library prints; nothing if it refuses.
#[allow(unsafe_code)]
fn expected(format: &[u8], letter: u8, arguments: &[u64]) -> Option<Vec<u8>> {
    let mut format = format.to_vec();
    format.push(0);
    let mut out: Vec<u8> = Vec::with_capacity(1 << 21);
    let (to, room, format) = (out.as_mut_ptr().cast(), out.capacity(), format.as_ptr().cast());
    let star = |at: usize| arguments[at] as i32;
    let value = arguments[arguments.len() - 1];
    // SAFETY: the format has one conversion, which takes the stars and a value of the type that its letter
    // says; the buffer has the room that is said.
    let length = unsafe {
        macro_rules! print {
            ($value:expr) => {
                match arguments.len() {
                    1 => libc::snprintf(to, room, format, $value),
                    2 => libc::snprintf(to, room, format, star(0), $value),
                    _ => libc::snprintf(to, room, format, star(0), star(1), $value),
                }
            };
        }
        match letter {
            b's' => print!(STRING.as_ptr()),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => print!(f64::from_bits(value)),
            // As a register has it: shorter lengths take what they need of it.
            _ => print!(value),
        }
    };
    let length = usize::try_from(length).ok().filter(|length| *length < room)?;
    // SAFETY: so many bytes were written.
    unsafe { out.set_len(length) };
    Some(out)
}
