//! Generated sequential C programs with undefined values in every place that has some: locals, heap, unions,
//! padding, bit-fields, partly initialised aggregates, and whatever these are copied to.
//!
//! Nothing else is wrong with them, whatever the undefined values are: indices are masked, divisors are odd,
//! arithmetic is unsigned, and loops have fixed numbers of iterations. Each statement has a line of its own,
//! and a program is a function `pN_main`, so that many of them are compiled at once.

mod statements;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A statement, or some in braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Line(String),
    Block { head: String, body: Vec<Node>, tail: String },
}

/// Types and functions, then the statements of the program itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub number: u64,
    pub before: Vec<Node>,
    pub body: Vec<Node>,
}

const PREAMBLE: &str = "#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
static u32 sink;
";

/// Programs as one file.
pub fn file(programs: &[Program]) -> String {
    let mut text = String::from(PREAMBLE);
    for program in programs {
        print(&program.before, 0, &mut text);
        text += &format!("int p{}_main(void)\n{{\n", program.number);
        print(&program.body, 1, &mut text);
        text += "    return 0;\n}\n";
    }
    text += "int main(void)\n{\n";
    for program in programs {
        text += &format!("    p{}_main();\n", program.number);
    }
    text + "    return 0;\n}\n"
}

fn print(nodes: &[Node], depth: usize, text: &mut String) {
    let margin = "    ".repeat(depth);
    for node in nodes {
        match node {
            Node::Line(line) => *text += &format!("{margin}{line}\n"),
            Node::Block { head, body, tail } => {
                *text += &format!("{margin}{head}\n");
                print(body, depth + 1, text);
                if !tail.is_empty() {
                    *text += &format!("{margin}{tail}\n");
                }
            }
        }
    }
}

/// The same number of the same seed is the same program.
pub fn program(seed: u64, number: u64) -> Program {
    let rng = SmallRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number);
    let mut g = Generator {
        rng,
        number,
        types: Vec::new(),
        functions: Vec::new(),
        vars: Vec::new(),
        defined: Vec::new(),
        odd: Vec::new(),
        names: 0,
        is_at_top: false,
        probes: false,
    };
    let before = g.declarations();
    g.is_at_top = true;
    let vars = g.vars.len();
    let mut body = Vec::new();
    let statements = g.rng.random_range(6..20);
    for _ in 0..statements {
        g.statement(&mut body, 0);
    }
    g.decide(&mut body);
    for var in g.vars.split_off(vars) {
        if let Kind::Heap(..) | Kind::HeapStruct(..) = var.kind {
            body.push(Node::Line(format!("free({});", var.name)));
        }
    }
    Program { number, before, body }
}

/// A member of a struct or union: its bits, those of a bit-field, or the length of an array.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    bits: u32,
    field: Option<u32>,
    array: Option<u32>,
}

#[derive(Clone, Debug)]
struct Type {
    /// With `struct` or `union`.
    name: String,
    members: Vec<Member>,
}

#[derive(Clone, Debug)]
enum Kind {
    Scalar(u32),
    Array(u32, u32),
    Aggregate(usize),
    Heap(u32, u32),
    HeapStruct(usize),
}

#[derive(Clone, Debug)]
struct Var {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Routine {
    /// `uN f(u32, uN)`
    Plain(String, u32),
    /// `T f(u32)`
    Makes(String, usize),
    /// `u32 f(T, u32)`
    Takes(String, usize),
    /// `T f(T, T)`
    Mixes(String, usize),
    /// `void f(uN *, u32)`
    Fills(String, u32),
}

struct Generator {
    rng: SmallRng,
    number: u64,
    types: Vec<Type>,
    functions: Vec<Routine>,
    vars: Vec<Var>,
    /// What has probably been written, in the order of that.
    defined: Vec<(String, u32)>,
    /// Variables of other types, which are only assigned to and read.
    odd: Vec<String>,
    names: u32,
    /// Not in a block: what is on the heap is freed at the end, and its size is known.
    is_at_top: bool,
    /// The next decision is about one bit.
    probes: bool,
}

const SIZES: [u32; 4] = [8, 16, 32, 64];

impl Generator {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())].clone()
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// A name that no other program has.
    fn own(&mut self, letter: &str) -> String {
        let name = self.name(letter);
        format!("p{}_{name}", self.number)
    }

    fn line(text: impl Into<String>) -> Node {
        Node::Line(text.into())
    }

    fn literal(&mut self, bits: u32) -> String {
        // Not 0: code generators drop what is masked or multiplied with it, and memcheck sees what is left.
        let value: u64 = match self.rng.random_range(0..5) {
            0 | 1 => self.rng.random_range(1..4),
            2 => 1 << self.rng.random_range(0..bits.min(63)),
            3 => (1u64 << self.rng.random_range(1..bits.min(63))) - 1,
            _ => self.rng.random::<u64>() | 1,
        };
        let value = if bits == 64 { value } else { value & ((1 << bits) - 1) };
        if bits == 64 { format!("{value}ull") } else { format!("{value}u") }
    }

    // ---- types and functions ----

    fn declarations(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.rng.random_range(1..4) {
            nodes.push(self.declare_type());
        }
        for _ in 0..self.rng.random_range(0..4) {
            self.declare_function(&mut nodes);
        }
        for _ in 0..self.rng.random_range(0..3) {
            let name = self.own("g");
            let bits = self.pick(&SIZES);
            let (kind, text) = match self.rng.random_range(0..3) {
                0 => (Kind::Scalar(bits), format!("static u{bits} {name};")),
                1 => (Kind::Array(bits, 4), format!("static u{bits} {name}[4];")),
                _ => {
                    let ty = self.rng.random_range(0..self.types.len());
                    (Kind::Aggregate(ty), format!("static {} {name};", self.types[ty].name))
                }
            };
            nodes.push(Self::line(text));
            self.vars.push(Var { name, kind });
        }
        nodes
    }

    fn declare_type(&mut self) -> Node {
        let is_union = self.chance(30);
        let tag = self.name("t");
        let name = format!("{} p{}_{tag}", if is_union { "union" } else { "struct" }, self.number);
        let mut members = Vec::new();
        let mut body = Vec::new();
        for _ in 0..self.rng.random_range(1..6) {
            let member = self.name("m");
            let bits = self.pick(&SIZES);
            match self.rng.random_range(0..10) {
                0..=5 => {
                    body.push(Self::line(format!("u{bits} {member};")));
                    members.push(Member { name: member, bits, field: None, array: None });
                }
                6 | 7 if !is_union => {
                    // A few in a row share their storage.
                    for part in 0..self.rng.random_range(1..4) {
                        let width = self.rng.random_range(1..bits.min(32));
                        let name = format!("{member}_{part}");
                        body.push(Self::line(format!("u{bits} {name} : {width};")));
                        members.push(Member { name, bits, field: Some(width), array: None });
                    }
                }
                _ => {
                    let length = self.pick(&[2, 4]);
                    body.push(Self::line(format!("u{bits} {member}[{length}];")));
                    members.push(Member { name: member, bits, field: None, array: Some(length) });
                }
            }
        }
        self.types.push(Type { name: name.clone(), members });
        Node::Block { head: format!("{name} {{"), body, tail: String::from("};") }
    }

    fn declare_function(&mut self, nodes: &mut Vec<Node>) {
        let name = self.own("f");
        let ty = self.rng.random_range(0..self.types.len());
        let of = self.types[ty].name.clone();
        let bits = self.pick(&SIZES);
        let (vars, defined) = (self.vars.len(), self.defined.clone());
        let mut body = Vec::new();
        let var = |name: &str, kind: Kind| Var { name: name.to_string(), kind };
        self.defined = vec![(String::from("a"), 32)];
        let (head, function) = match self.rng.random_range(0..5) {
            0 => {
                self.vars.extend([var("a", Kind::Scalar(32)), var("b", Kind::Scalar(bits))]);
                self.statements(&mut body, 2, 1);
                let result = self.expression(32, 2, 60);
                body.push(Self::line(format!("return {result};")));
                (format!("static u{bits} {name}(u32 a, u{bits} b)"), Routine::Plain(name, bits))
            }
            1 => {
                body.push(Self::line(format!("{of} r;")));
                self.vars.extend([var("a", Kind::Scalar(32)), var("r", Kind::Aggregate(ty))]);
                self.statements(&mut body, 3, 1);
                body.push(Self::line("return r;"));
                (format!("static {of} {name}(u32 a)"), Routine::Makes(name, ty))
            }
            2 => {
                self.vars.extend([var("s", Kind::Aggregate(ty)), var("a", Kind::Scalar(32))]);
                self.statements(&mut body, 2, 1);
                let result = self.expression(32, 2, 50);
                body.push(Self::line(format!("return {result};")));
                (format!("static u32 {name}({of} s, u32 a)"), Routine::Takes(name, ty))
            }
            3 => {
                self.defined.clear();
                self.vars.extend([var("s", Kind::Aggregate(ty)), var("t", Kind::Aggregate(ty))]);
                self.statements(&mut body, 3, 1);
                let result = self.pick(&["s", "t"]);
                body.push(Self::line(format!("return {result};")));
                (format!("static {of} {name}({of} s, {of} t)"), Routine::Mixes(name, ty))
            }
            _ => {
                self.vars.push(var("a", Kind::Scalar(32)));
                if self.chance(70) {
                    let value = self.expression(bits, 1, 60);
                    let head = format!("if (a & {}u)", self.rng.random_range(1..8));
                    let then = vec![Self::line(format!("*p = {value};"))];
                    body.push(Node::Block { head, body: then, tail: String::new() });
                }
                (format!("static void {name}(u{bits} *p, u32 a)"), Routine::Fills(name, bits))
            }
        };
        self.vars.truncate(vars);
        self.odd.clear();
        self.defined = defined;
        nodes.push(Self::line(head));
        nodes.push(Node::Block { head: String::from("{"), body, tail: String::from("}") });
        self.functions.push(function);
    }

    // ---- places and expressions ----

    /// Something that can be read and written, and its bits.
    fn place(&mut self) -> Option<(String, u32)> {
        if self.vars.is_empty() {
            return None;
        }
        let Var { name, kind } = self.vars[self.rng.random_range(0..self.vars.len())].clone();
        Some(match kind {
            Kind::Scalar(bits) => (name, bits),
            Kind::Array(bits, length) | Kind::Heap(bits, length) => {
                (format!("{name}[{}]", self.index(length)), bits)
            }
            Kind::Aggregate(ty) => self.member(&name, ".", ty),
            Kind::HeapStruct(ty) => self.member(&name, "->", ty),
        })
    }

    fn member(&mut self, name: &str, access: &str, ty: usize) -> (String, u32) {
        let members = self.types[ty].members.clone();
        let member = self.pick(&members);
        match member.array {
            Some(length) => {
                let index = self.index(length);
                (format!("{name}{access}{}[{index}]", member.name), member.bits)
            }
            None => (format!("{name}{access}{}", member.name), member.field.unwrap_or(member.bits)),
        }
    }

    fn index(&mut self, length: u32) -> String {
        if self.chance(92) {
            return self.rng.random_range(0..length).to_string();
        }
        let mask = if length.is_power_of_two() { length - 1 } else { 1 };
        format!("{} & {mask}u", self.expression(32, 1, 92))
    }

    /// A place, most of the time one that has been written; so often, in percent.
    fn readable(&mut self, sure: u32) -> Option<(String, u32)> {
        if !self.odd.is_empty() && self.chance(6) {
            let odd = self.odd.clone();
            return Some((self.pick(&odd), 8));
        }
        if !self.defined.is_empty() && self.chance(sure) {
            let at = self.rng.random_range(0..self.defined.len());
            return Some(self.defined[at].clone());
        }
        self.place()
    }

    fn cast(bits: u32) -> &'static str {
        match bits {
            64 => "u64",
            _ => "u32",
        }
    }

    /// Unsigned, of 32 bits, or of 64 if that is asked for.
    fn expression(&mut self, bits: u32, depth: u32, sure: u32) -> String {
        let bits = if bits == 64 { 64 } else { 32 };
        let ty = Self::cast(bits);
        if depth == 0 || self.chance(25) {
            if self.chance(25) {
                return self.literal(bits);
            }
            return match self.readable(sure) {
                Some((place, _)) => format!("({ty}){place}"),
                None => self.literal(bits),
            };
        }
        let d = depth - 1;
        let a = self.expression(bits, d, sure);
        match self.rng.random_range(0..24) {
            0..=4 => {
                let op = self.pick(&["+", "-", "^", "+", "|", "&"]);
                format!("({a} {op} {})", self.expression(bits, d, sure))
            }
            5 | 6 => {
                let mask = self.literal(bits);
                let op = self.pick(&["&", "&", "|"]);
                format!("({a} {op} {mask})")
            }
            7 => {
                let op = self.pick(&["<<", ">>"]);
                format!("({a} {op} {})", self.rng.random_range(1..bits))
            }
            8 => {
                let to = self.pick(&[8, 16]);
                format!("({ty})(u{to}){a}")
            }
            9 => {
                let to = self.pick(&[8, 16, 32]);
                format!("({ty})(int64_t)(int{to}_t){a}")
            }
            10 => format!("({ty})((int{bits}_t){a} >> {})", self.rng.random_range(1..bits)),
            11 | 12 => {
                let op = self.pick(&["==", "!=", "==", "<", "<=", ">"]);
                format!("({ty})({a} {op} {})", self.expression(bits, d, sure))
            }
            13 => {
                let op = self.pick(&["<", ">="]);
                format!("({ty})((int{bits}_t){a} {op} (int{bits}_t){})", self.expression(bits, d, sure))
            }
            14 => format!("({ty})!{a}"),
            15 => format!("~{a}"),
            16 => {
                let b = self.expression(bits, d, sure);
                let cond = self.expression(32, 1, 90);
                format!("({cond} ? {a} : {b})")
            }
            17 => {
                let op = self.pick(&["&&", "||"]);
                let cond = self.expression(32, 1, 88);
                format!("({ty})({cond} {op} {a})")
            }
            18 => format!("({a} * {})", self.literal(bits)),
            19 => format!("({a} * {})", self.expression(bits, d, sure)),
            20 => {
                let op = self.pick(&["/", "%"]);
                let a = self.expression(bits, d, 90);
                format!("({a} {op} {}u)", self.rng.random_range(1..100))
            }
            21 => {
                let op = self.pick(&["/", "%"]);
                let a = self.expression(bits, 0, 94);
                format!("({a} {op} ({} | 1u))", self.expression(bits, 0, 94))
            }
            _ => self.call(bits, sure).unwrap_or(a),
        }
    }

    fn aggregate(&mut self, ty: usize) -> Option<String> {
        let all: Vec<String> = self
            .vars
            .iter()
            .filter_map(|v| match v.kind {
                Kind::Aggregate(t) if t == ty => Some(v.name.clone()),
                Kind::HeapStruct(t) if t == ty => Some(format!("*{}", v.name)),
                _ => None,
            })
            .collect();
        if all.is_empty() { None } else { Some(self.pick(&all)) }
    }

    /// A call that gives a number.
    fn call(&mut self, bits: u32, sure: u32) -> Option<String> {
        if self.functions.is_empty() {
            return None;
        }
        let functions = self.functions.clone();
        let ty = Self::cast(bits);
        match self.pick(&functions) {
            Routine::Plain(name, second) => {
                let (a, b) = (self.expression(32, 1, sure), self.expression(second, 1, sure));
                Some(format!("({ty}){name}({a}, (u{second}){b})"))
            }
            Routine::Takes(name, of) => {
                let s = self.aggregate(of)?;
                Some(format!("({ty}){name}({s}, {})", self.expression(32, 1, sure)))
            }
            Routine::Makes(name, of) => {
                let (member, _) = self.member("", ".", of);
                Some(format!("({ty}){name}({}){member}", self.expression(32, 1, sure)))
            }
            _ => None,
        }
    }

    /// A call that gives a struct or union of this type.
    fn made(&mut self, ty: usize) -> Option<String> {
        let functions = self.functions.clone();
        for _ in 0..3 {
            if functions.is_empty() {
                return None;
            }
            match self.pick(&functions) {
                Routine::Makes(name, of) if of == ty => {
                    return Some(format!("{name}({})", self.expression(32, 1, 70)));
                }
                Routine::Mixes(name, of) if of == ty => {
                    let (s, t) = (self.aggregate(of)?, self.aggregate(of)?);
                    return Some(format!("{name}({s}, {t})"));
                }
                _ => {}
            }
        }
        None
    }
}
