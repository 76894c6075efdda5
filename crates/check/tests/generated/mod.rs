//! What the tests of generated programs share.
#![allow(dead_code)]

pub mod rich;

use std::fmt::Write;

/// Numbers that look random.
pub struct Dice(u64);

impl Dice {
    /// For the program of this number.
    pub fn new(seed: u64) -> Dice {
        Dice(0x9e37_79b9_7f4a_7c15 ^ (seed + 1).wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    pub fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.roll(of.len() as u64) as usize]
    }
}

/// Variables `x` and `y`, and what all programs declare.
pub const DECLARED: &str = "
    global @x size 4 align 4 = zero 4
    global @y size 4 align 4 = zero 4
    global @t size 64 align 8 = zero 64
    func &pthread_create(r0, r1, r2, r3) results 1 regs 4
    func &pthread_join(r0, r1) results 1 regs 2
    func &reach_error() results 0 regs 0
";

/// Thread `t`, which collects in `r1`; what it has then may be wrong.
pub fn thread(t: u64, body: &str, wrong: u64) -> String {
    format!(
        "func &t{t}(r3) results 1 regs 8 {{\nr1 = move 0\n{body}r0 = cmp.eq.32 r1, {wrong}\nr2 = cmp.ne.32 {wrong}, 0\n\
         r0 = and.32 r0, r2\nbranch r0, wrong, right\nwrong: call.0 &reach_error ()\nright: return (0)\n}}\n"
    )
}

/// Runs so many threads, and does this after them.
pub fn main_of(threads: u64, last: &str) -> String {
    let mut text = String::from("func &main() results 1 regs 2 {\n");
    for t in 0..threads {
        let _ = writeln!(text, "r0 = call.1 &pthread_create (@t+{}, 0, &t{t}, 0)", 8 * t);
    }
    for t in 0..threads {
        let _ = writeln!(text, "r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)", 8 * t);
    }
    text + last + "return (0)\n}\n"
}

/// How many programs are asked for by this variable of the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
}
