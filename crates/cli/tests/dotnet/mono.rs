//! Small C# programs with one thread, run by mono and by the machine: both come to the same.
//!
//! A program is a choice of the blocks of `blocks.txt` with random values in them, each of which shows what
//! it computes. mono prints that; then the program is compiled once more with those values, and fails where
//! it comes to another one. Blocks that are known to come to something that is not supported are left out.
//!
//! `SELVEDGE_DOTNET_MONO` is the number of programs.

use super::{Scratch, check};
use serde_json::Value;
use std::process::Command;

const PRELUDE: &str = include_str!("prelude.txt");
const BLOCKS: &str = include_str!("blocks.txt");

struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: usize) -> usize {
        self.bits() as usize % most
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ self.0 >> 29;
        x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    fn int(&mut self) -> String {
        let edges = ["0", "1", "-1", "2147483647", "-2147483648", "65536", "255", "-129", "46341", "32768"];
        let number = match self.below(3) {
            0 => return format!("K({})", self.pick(&edges)),
            1 => self.below(40) as i32 - 20,
            _ => self.bits() as i32,
        };
        format!("K({number})")
    }

    fn long(&mut self) -> String {
        let edges =
            ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "4294967296", "-2147483649"];
        let number = match self.below(3) {
            0 => return format!("K({}L)", self.pick(&edges)),
            1 => self.below(40) as i64 - 20,
            _ => (self.bits() << self.below(30)) as i64,
        };
        format!("K({number}L)")
    }

    fn unsigned(&mut self) -> String {
        match self.below(3) {
            0 => format!("K({}u)", self.pick(&["0", "1", "4294967295", "2147483648", "65535"])),
            1 => format!("K({}u)", self.below(50)),
            _ => format!("K({}u)", self.bits() as u32),
        }
    }

    fn double(&mut self) -> String {
        let edges = [
            "0.0",
            "-0.0",
            "1.5",
            "-2.5",
            "0.1",
            "1e300",
            "1e-300",
            "double.NaN",
            "double.PositiveInfinity",
            "2147483647.0",
            "4294967296.5",
            "9223372036854775807.0",
            "-1.0",
            "255.5",
        ];
        match self.below(3) {
            0 => format!("K({})", self.pick(&edges)),
            1 => format!("K({}.{})", self.below(2000) as i32 - 1000, self.below(1000)),
            _ => format!("K({:e})", (self.bits() as i32 as f64) * [1e-9, 1.0, 1e3, 1e20][self.below(4)]),
        }
    }

    fn decimal(&mut self) -> String {
        let edges =
            ["0m", "1m", "-0.5m", "79228162514264337593543950335m", "0.0000000000000000000000000001m"];
        match self.below(4) {
            0 => format!("K({})", self.pick(&edges)),
            1 => format!("K({}m)", self.below(200) as i32 - 100),
            _ => format!("K({}.{}m)", self.bits() as i32 / 1000, self.below(100_000)),
        }
    }

    fn word(&mut self) -> String {
        let words =
            ["alpha", "bravo", "carrot", "delta", "echo", "foxtrot", "grain", "harbour", "a1", "Zürich"];
        format!("K(\"{}\")", self.pick(&words))
    }

    /// A random expression of a type.
    fn expression(&mut self, of: char, depth: usize) -> String {
        if depth == 0 {
            return match of {
                'i' => self.int(),
                'l' => self.long(),
                'u' => self.unsigned(),
                'd' => self.double(),
                _ => String::from(self.pick(&["K(true)", "K(false)"])),
            };
        }
        let mut sub = |of: char| self.expression(of, depth - 1);
        let (a, b, condition) = (sub(of), sub(of), sub('b'));
        let small = sub('i');
        let (int, long, unsigned, double) = (sub('i'), sub('l'), sub('u'), sub('d'));
        let operator = self.pick(&["+", "-", "*", "/", "%", "&", "|", "^"]);
        let compare = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let guard = self.pick(&["checked", "unchecked", "unchecked"]);
        match of {
            'b' => match self.below(5) {
                0 => format!("({int} {compare} {small})"),
                1 => format!("({long} {compare} {int})"),
                2 => format!("({double} {compare} {int})"),
                3 => format!("({a} {} {b})", self.pick(&["&&", "||", "^", "&"])),
                _ => format!("!({unsigned} {compare} {int})"),
            },
            'd' => match self.below(4) {
                0 => format!("({condition} ? {a} : {b})"),
                1 => format!("(double)({})", self.pick(&[int.as_str(), &long, &unsigned])),
                _ => format!("({a} {} {b})", self.pick(&["+", "-", "*", "/"])),
            },
            _ => match self.below(7) {
                0 => format!("({condition} ? {a} : {b})"),
                1 => format!("unchecked(({})({long}))", name(of)),
                2 => format!("{guard}(({})({}))", name(of), self.pick(&[int.as_str(), &long, &unsigned])),
                3 => format!("({a} {} {small})", self.pick(&["<<", ">>"])),
                4 => format!(
                    "unchecked(({})({})({int}))",
                    name(of),
                    self.pick(&["byte", "sbyte", "short", "ushort", "char"])
                ),
                _ => format!("{guard}({a} {operator} {b})"),
            },
        }
    }
}

fn name(of: char) -> &'static str {
    match of {
        'i' => "int",
        'l' => "long",
        _ => "uint",
    }
}

/// A block with values in its places.
fn filled(block: &str, dice: &mut Dice) -> String {
    let mut values: Vec<(String, String)> = Vec::new();
    for place in ["@I1", "@I2", "@L1", "@L2", "@U1", "@U2", "@D1", "@D2", "@M1", "@M2", "@W1", "@W2"] {
        let value = match &place[1..2] {
            "I" => dice.int(),
            "L" => dice.long(),
            "U" => dice.unsigned(),
            "D" => dice.double(),
            "M" => dice.decimal(),
            _ => dice.word(),
        };
        values.push((String::from(place), value));
    }
    let mut out = String::from(block);
    for (place, value) in values {
        out = out.replace(&place, &value);
    }
    for (place, of) in [("@EL", 'l'), ("@EF", 'd'), ("@E", 'i'), ("@B", 'b')] {
        while out.contains(place) {
            let value = dice.expression(of, 3);
            out = out.replacen(place, &value, 1);
        }
    }
    while out.contains("@N") {
        let value = dice.below(10).to_string();
        out = out.replacen("@N", &value, 1);
    }
    out
}

/// A program of so many blocks, without what showing a number means.
fn program(dice: &mut Dice, count: usize) -> String {
    let decided = |block: &&str| !block.starts_with("// without a verdict");
    let blocks: Vec<&str> = BLOCKS.split("----\n").map(str::trim).filter(decided).collect();
    let mut out = String::from(PRELUDE);
    out.push_str("static partial class Results {\n");
    for number in 0..count {
        let block = blocks[dice.below(blocks.len())];
        out += &format!("    static void C{number}() {{ {} }}\n", filled(block, dice));
    }
    out.push_str("    static void Run(Action what) { try { what(); } catch (Exception e) { Show(e); } }\n");
    out.push_str("    static void Main() {\n");
    (0..count).for_each(|number| out += &format!("        Run(C{number});\n"));
    out + "    }\n"
}

const PRINTS: &str = "    public static void Show(long x) { Console.WriteLine(x); }\n}\n";

/// What fails where another value is shown than expected.
fn expects(values: &[&str]) -> String {
    let list: Vec<String> = values.iter().map(|v| format!("{v}L")).collect();
    format!(
        "    static int at; static readonly long[] Expected = {{ {} }};
    public static void Show(long x) {{
        if (at >= Expected.Length || x != Expected[at]) Environment.FailFast(\"value \" + at + \" is \" + x);
        at++;
    }}
}}
",
        list.join(", ")
    )
}

#[test]
fn mono_comes_to_the_same() {
    if Command::new("mono").arg("--version").output().is_err() {
        println!("skipped: mono is not installed");
        return;
    }
    let scratch = Scratch::new("mono");
    let count = std::env::var("SELVEDGE_DOTNET_MONO").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    let mut compared = 0;
    for seed in 0..count {
        let text = program(&mut Dice::new(seed), 16);
        let flags = ["-unsafe"];
        let prints = scratch.source(&format!("prints{seed}.cs"), &format!("{text}{PRINTS}"));
        let prints = scratch.compile_with(&prints, &flags);
        let printed = Command::new("mono").arg(&prints).output().expect("mono runs");
        assert!(printed.status.success(), "seed {seed}: {}", String::from_utf8_lossy(&printed.stderr));
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        let values: Vec<&str> = printed.lines().collect();
        let fails = scratch.source(&format!("fails{seed}.cs"), &format!("{text}{}", expects(&values)));
        let fails = scratch.compile_with(&fails, &flags);
        let args = ["-m", "sc", "--unroll", "5000", "--format", "json"];
        let report: Value = serde_json::from_slice(&check(&fails, &args).stdout).expect("a report");
        assert_eq!(
            report["verdict"], "verified",
            "seed {seed}: {} {}",
            report["errors"][0], report["unknown"]
        );
        compared += values.len();
    }
    println!("{count} programs, {compared} values");
}
