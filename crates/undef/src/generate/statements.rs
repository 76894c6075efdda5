//! Statements.

use super::{Generator, Kind, Node, Routine, SIZES, Var};
use rand::Rng;

impl Generator {
    pub(super) fn statements(&mut self, body: &mut Vec<Node>, most: u32, depth: u32) {
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

    pub(super) fn statement(&mut self, body: &mut Vec<Node>, depth: u32) {
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
                    let Routine::Fills(name, bits) = function else { continue };
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
    pub(super) fn decide(&mut self, body: &mut Vec<Node>) {
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
