//! Generated sequential C programs with undefined values in every place that has some: locals, heap, unions, padding,
//! bit-fields, partly initialised aggregates, and whatever these are copied to.
//!
//! Nothing else is wrong with them, whatever the undefined values are: indices are masked, divisors are odd,
//! arithmetic is unsigned, and loops have fixed numbers of iterations. Each statement has a line of its own, and a
//! program is a function `pN_main`, so that many of them are compiled at once.

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
enum Function {
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
    functions: Vec<Function>,
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
                (format!("static u{bits} {name}(u32 a, u{bits} b)"), Function::Plain(name, bits))
            }
            1 => {
                body.push(Self::line(format!("{of} r;")));
                self.vars.extend([var("a", Kind::Scalar(32)), var("r", Kind::Aggregate(ty))]);
                self.statements(&mut body, 3, 1);
                body.push(Self::line("return r;"));
                (format!("static {of} {name}(u32 a)"), Function::Makes(name, ty))
            }
            2 => {
                self.vars.extend([var("s", Kind::Aggregate(ty)), var("a", Kind::Scalar(32))]);
                self.statements(&mut body, 2, 1);
                let result = self.expression(32, 2, 50);
                body.push(Self::line(format!("return {result};")));
                (format!("static u32 {name}({of} s, u32 a)"), Function::Takes(name, ty))
            }
            3 => {
                self.defined.clear();
                self.vars.extend([var("s", Kind::Aggregate(ty)), var("t", Kind::Aggregate(ty))]);
                self.statements(&mut body, 3, 1);
                let result = self.pick(&["s", "t"]);
                body.push(Self::line(format!("return {result};")));
                (format!("static {of} {name}({of} s, {of} t)"), Function::Mixes(name, ty))
            }
            _ => {
                self.vars.push(var("a", Kind::Scalar(32)));
                if self.chance(70) {
                    let value = self.expression(bits, 1, 60);
                    let head = format!("if (a & {}u)", self.rng.random_range(1..8));
                    let then = vec![Self::line(format!("*p = {value};"))];
                    body.push(Node::Block { head, body: then, tail: String::new() });
                }
                (format!("static void {name}(u{bits} *p, u32 a)"), Function::Fills(name, bits))
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
            Function::Plain(name, second) => {
                let (a, b) = (self.expression(32, 1, sure), self.expression(second, 1, sure));
                Some(format!("({ty}){name}({a}, (u{second}){b})"))
            }
            Function::Takes(name, of) => {
                let s = self.aggregate(of)?;
                Some(format!("({ty}){name}({s}, {})", self.expression(32, 1, sure)))
            }
            Function::Makes(name, of) => {
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
                Function::Makes(name, of) if of == ty => {
                    return Some(format!("{name}({})", self.expression(32, 1, 70)));
                }
                Function::Mixes(name, of) if of == ty => {
                    let (s, t) = (self.aggregate(of)?, self.aggregate(of)?);
                    return Some(format!("{name}({s}, {t})"));
                }
                _ => {}
            }
        }
        None
    }

    // ---- statements ----

    fn statements(&mut self, body: &mut Vec<Node>, most: u32, depth: u32) {
        for _ in 0..self.rng.random_range(1..=most) {
            self.statement(body, depth);
        }
    }

    /// Statements in a scope of their own.
    fn scope(&mut self, most: u32, depth: u32) -> Vec<Node> {
        let (vars, defined, odd) = (self.vars.len(), self.defined.len(), self.odd.len());
        let top = self.is_at_top;
        self.is_at_top = false;
        let mut body = Vec::new();
        self.statements(&mut body, most, depth);
        self.vars.truncate(vars);
        self.defined.truncate(defined);
        self.odd.truncate(odd);
        self.is_at_top = top;
        body
    }

    fn statement(&mut self, body: &mut Vec<Node>, depth: u32) {
        match self.rng.random_range(0..100) {
            0..=29 => self.declare(body),
            30..=57 => self.assign(body),
            58..=64 => self.transfer(body),
            65..=69 => self.whole(body),
            70..=73 => self.fill(body),
            74..=83 => self.decide(body),
            84..=88 if depth < 3 => {
                let cond = self.expression(32, 2, 90);
                let then = self.scope(3, depth + 1);
                if self.chance(40) {
                    let els = self.scope(3, depth + 1);
                    body.push(Node::Block { head: format!("if ({cond}) {{"), body: then, tail: "}".into() });
                    body.push(Node::Block { head: "else {".into(), body: els, tail: "}".into() });
                } else {
                    body.push(Node::Block { head: format!("if ({cond}) {{"), body: then, tail: "}".into() });
                }
            }
            89..=93 if depth < 2 => {
                let i = self.name("i");
                let n = self.rng.random_range(1..4);
                let defined = self.defined.len();
                self.defined.push((i.clone(), 32));
                let inner = self.scope(4, depth + 1);
                self.defined.truncate(defined);
                let head = format!("for (u32 {i} = 0; {i} < {n}; {i}++) {{");
                body.push(Node::Block { head, body: inner, tail: "}".into() });
            }
            94 | 95 if depth < 3 => {
                let value = self.expression(32, 1, 90);
                let mut cases = Vec::new();
                for case in ["case 0:", "case 2:", "default:"] {
                    let inner = self.scope(2, depth + 1);
                    cases.push(Node::Block { head: format!("{case} {{"), body: inner, tail: "}".into() });
                    if self.chance(75) {
                        cases.push(Self::line("break;"));
                    }
                }
                cases.push(Self::line("    ;"));
                body.push(Node::Block {
                    head: format!("switch ({value} & 3u) {{"),
                    body: cases,
                    tail: "}".into(),
                });
            }
            96 if depth < 3 => {
                let label = self.name("l");
                let cond = self.expression(32, 1, 92);
                let (place, value) = match self.place() {
                    Some((place, bits)) => (place, self.expression(bits, 1, 60)),
                    None => return,
                };
                let inner = vec![
                    Self::line(format!("if ({cond}) goto {label};")),
                    Self::line(format!("{place} = {value};")),
                    Self::line(format!("{label}:;")),
                ];
                body.push(Node::Block { head: "{".into(), body: inner, tail: "}".into() });
            }
            _ => self.assign(body),
        }
    }

    fn declare(&mut self, body: &mut Vec<Node>) {
        let bits = self.pick(&SIZES);
        match self.rng.random_range(0..12) {
            0..=4 => {
                let name = self.name("v");
                let volatile = if self.chance(6) { "volatile " } else { "" };
                let init = if self.chance(45) {
                    let value = self.expression(bits, 2, 70);
                    self.defined.push((name.clone(), bits));
                    format!(" = {value}")
                } else {
                    String::new()
                };
                let (ty, bits) = match self.rng.random_range(0..12) {
                    0 => (String::from("_Bool"), 8),
                    1 => (format!("int{bits}_t"), bits),
                    _ => (format!("u{bits}"), bits),
                };
                body.push(Self::line(format!("{volatile}{ty} {name}{init};")));
                // Bytes of a `_Bool` other than 0 and 1 are another story, and so is arithmetic with a sign.
                if !ty.starts_with('u') {
                    if !init.is_empty() {
                        self.defined.pop();
                    }
                    self.odd.push(name);
                } else {
                    self.vars.push(Var { name, kind: Kind::Scalar(bits) });
                }
            }
            5 | 6 => {
                let name = self.name("a");
                let length = self.pick(&[2, 4, 4, 8]);
                let init = if self.chance(25) {
                    let value = self.literal(bits);
                    format!(" = {{ {value} }}")
                } else {
                    String::new()
                };
                if !init.is_empty() {
                    self.defined.push((format!("{name}[1]"), bits));
                }
                body.push(Self::line(format!("u{bits} {name}[{length}]{init};")));
                self.vars.push(Var { name, kind: Kind::Array(bits, length) });
            }
            7..=9 => {
                let ty = self.rng.random_range(0..self.types.len());
                let of = self.types[ty].name.clone();
                let name = self.name("s");
                let init = match self.rng.random_range(0..10) {
                    0 => self.aggregate(ty).map(|from| format!(" = {from}")),
                    1 | 2 => self.made(ty).map(|call| format!(" = {call}")),
                    3 => {
                        let member = self.types[ty].members[0].clone();
                        let value = self.expression(member.bits, 1, 70);
                        let value = if member.array.is_some() { format!("{{ {value} }}") } else { value };
                        Some(format!(" = {{ .{} = {value} }}", member.name))
                    }
                    _ => None,
                };
                body.push(Self::line(format!("{of} {name}{};", init.unwrap_or_default())));
                self.vars.push(Var { name, kind: Kind::Aggregate(ty) });
            }
            10 if self.is_at_top => {
                let name = self.name("h");
                let length = self.pick(&[2, 4, 8]);
                let size = length * bits / 8;
                let how = match self.chance(25) {
                    true => format!("calloc({length}, {})", bits / 8),
                    false => format!("malloc({size})"),
                };
                body.push(Self::line(format!("u{bits} *{name} = {how};")));
                self.vars.push(Var { name, kind: Kind::Heap(bits, length) });
            }
            11 if self.is_at_top => {
                let ty = self.rng.random_range(0..self.types.len());
                let of = self.types[ty].name.clone();
                let name = self.name("h");
                body.push(Self::line(format!("{of} *{name} = malloc(sizeof *{name});")));
                self.vars.push(Var { name, kind: Kind::HeapStruct(ty) });
            }
            _ => self.assign(body),
        }
    }

    fn assign(&mut self, body: &mut Vec<Node>) {
        if !self.odd.is_empty() && self.chance(6) {
            let odd = self.odd.clone();
            let (place, value) = (self.pick(&odd), self.expression(32, 2, 60));
            return body.push(Self::line(format!("{place} = {value};")));
        }
        let bytes = if self.chance(8) { self.object() } else { None };
        let byte = bytes.map(|(object, _)| (format!("*(u8 *){object}"), 8));
        let Some((place, bits)) = byte.or_else(|| self.place()) else { return self.declare(body) };
        let value = self.expression(bits, 3, 55);
        let op = if self.chance(85) { "=" } else { self.pick(&["+=", "-=", "|=", "&=", "^="]) };
        body.push(Self::line(format!("{place} {op} {value};")));
        // With an index that is computed it is another place every time.
        if op == "=" && !place.contains('&') {
            self.defined.push((place, bits));
        }
    }

    /// Bytes of an object, and how many of them there are, as text.
    fn object(&mut self) -> Option<(String, String)> {
        if self.vars.is_empty() {
            return None;
        }
        let Var { name, kind } = self.vars[self.rng.random_range(0..self.vars.len())].clone();
        Some(match kind {
            Kind::Scalar(bits) => (format!("(void *)&{name}"), (bits / 8).to_string()),
            Kind::Array(bits, length) | Kind::Heap(bits, length) => (name, (bits / 8 * length).to_string()),
            Kind::Aggregate(_) => (format!("&{name}"), format!("sizeof {name}")),
            Kind::HeapStruct(_) => (name.clone(), format!("sizeof *{name}")),
        })
    }

    /// Copies bytes.
    fn transfer(&mut self, body: &mut Vec<Node>) {
        let (Some((to, to_size)), Some((from, from_size))) = (self.object(), self.object()) else { return };
        if to == from {
            return;
        }
        let how = self.pick(&["memcpy", "memmove"]);
        let size = if to_size == from_size {
            to_size
        } else {
            format!("{to_size} < {from_size} ? {to_size} : {from_size}")
        };
        body.push(Self::line(format!("{how}({to}, {from}, {size});")));
    }

    /// Assigns structs.
    fn whole(&mut self, body: &mut Vec<Node>) {
        let ty = self.rng.random_range(0..self.types.len());
        let Some(to) = self.aggregate(ty) else { return self.declare(body) };
        let from = match self.chance(50) {
            true => self.made(ty).or_else(|| self.aggregate(ty)),
            false => self.aggregate(ty),
        };
        if let Some(from) = from.filter(|from| *from != to) {
            body.push(Self::line(format!("{to} = {from};")));
        }
    }

    /// Sets bytes, or changes the size of something on the heap.
    fn fill(&mut self, body: &mut Vec<Node>) {
        let functions = self.functions.clone();
        let heap = self.vars.iter().position(|v| matches!(v.kind, Kind::Heap(..)));
        match self.rng.random_range(0..5) {
            0 if heap.is_some() && self.is_at_top => {
                let at = heap.unwrap_or(0);
                let Kind::Heap(bits, length) = self.vars[at].kind else { return };
                let name = self.vars[at].name.clone();
                let longer = length * 2;
                if longer <= 32 {
                    body.push(Self::line(format!("{name} = realloc({name}, {});", longer * bits / 8)));
                    self.vars[at].kind = Kind::Heap(bits, longer);
                }
            }
            1 | 2 => {
                for function in functions {
                    let Function::Fills(name, bits) = function else { continue };
                    let all: Vec<String> = self
                        .vars
                        .iter()
                        .filter_map(|v| match v.kind {
                            Kind::Scalar(b) if b == bits => Some(format!("(u{bits} *)&{}", v.name)),
                            Kind::Array(b, _) | Kind::Heap(b, _) if b == bits => Some(v.name.clone()),
                            _ => None,
                        })
                        .collect();
                    if !all.is_empty() {
                        let to = self.pick(&all);
                        body.push(Self::line(format!("{name}({to}, {});", self.expression(32, 1, 85))));
                        return;
                    }
                }
            }
            _ => {
                let Some((to, size)) = self.object() else { return };
                let value = if self.chance(85) {
                    self.rng.random_range(0..3).to_string()
                } else {
                    format!("(int){}", self.expression(32, 1, 60))
                };
                let size = if self.chance(60) { size } else { String::from("1") };
                body.push(Self::line(format!("memset({to}, {value}, {size});")));
            }
        }
    }

    /// Something depends on a value.
    fn decide(&mut self, body: &mut Vec<Node>) {
        // Often one bit of one value: that is what shows whether it is known exactly.
        let cond = match self.readable(50).filter(|_| self.probes) {
            Some((place, bits)) => format!("(u64){place} >> {} & 1u", self.rng.random_range(0..bits)),
            None => self.expression(32, 3, 80),
        };
        self.probes = self.chance(50);
        let then = vec![Self::line("sink += 1u;")];
        body.push(Node::Block { head: format!("if ({cond})"), body: then, tail: String::new() });
    }
}
