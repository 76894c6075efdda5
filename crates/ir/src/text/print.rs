//! From a module to text.

use super::names::Word;
use super::operands::{Namer, place, spelled};
use crate::bytecode::{
    Contents, FloatCmp, Function, Global, Instr, Module, Net, Note, OwnCell, Place, TypeInfo,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text form of a module.
pub fn print(module: &Module) -> String {
    let mut printer = Printer { out: String::new(), names: Namer::new(module) };
    for file in &module.files {
        printer.line(format!("file {file:?}"));
    }
    if module.short_pointers {
        printer.line(String::from("shortpointers"));
    }
    for ty in &module.types {
        printer.ty(ty);
    }
    for note in &module.notes {
        printer.note(note);
    }
    for signature in &module.signatures {
        printer.line(format!("signature {signature:?}"));
    }
    for global in &module.globals {
        printer.global(global);
    }
    for ctor in &module.constructors {
        printer.line(format!("constructor {}", printer.names.function(*ctor)));
    }
    for function in &module.functions {
        printer.function(function);
    }
    printer.out
}

struct Printer<'a> {
    out: String,
    names: Namer<'a>,
}

impl Printer<'_> {
    fn line(&mut self, text: String) {
        self.out.push_str(&text);
        self.out.push('\n');
    }

    fn ty(&mut self, ty: &TypeInfo) {
        self.line(match ty {
            TypeInfo::Scalar { name, size } => format!("type scalar {name:?} {size}"),
            TypeInfo::Struct { name, size, fields } => {
                let field = |(name, offset, ty): &(String, u64, u32)| format!("{name:?} {offset} {ty}");
                let fields = fields.iter().map(field).collect::<Vec<_>>().join(", ");
                format!("type struct {name:?} {size} ({fields})")
            }
            TypeInfo::Array { element, count, element_size } => {
                format!("type array {element} {count} {element_size}")
            }
            TypeInfo::Pointer { to: Some(to) } => format!("type pointer {to}"),
            TypeInfo::Pointer { to: None } => String::from("type pointer _"),
        });
    }

    fn note(&mut self, note: &Note) {
        let mut text = String::from(match note.kind {
            Contents::Number => "note number",
            Contents::Float => "note float",
            Contents::Pointer => "note pointer",
        });
        if let Some((ty, offset)) = note.of {
            let _ = write!(text, " of {ty}");
            offset.inspect(|offset| _ = write!(text, "+{offset}"));
        }
        if !note.inlined.is_empty() {
            let call = |(function, at): &(String, Place)| format!("{function:?}{}", place(*at));
            let calls = note.inlined.iter().map(call).collect::<Vec<_>>().join(", ");
            let _ = write!(text, " inlined ({calls})");
        }
        self.line(text);
    }

    fn global(&mut self, global: &Global) {
        let mut text =
            format!("global @{} size {} align {}", spelled(&global.name), global.size, global.align);
        if global.thread_local {
            text.push_str(" threadlocal");
        }
        if global.constant {
            text.push_str(" constant");
        }
        if let Some(ty) = global.ty {
            let _ = write!(text, " type {ty}");
        }
        text.push_str(&place(global.place));
        if !global.bytes.is_empty() {
            text.push_str(" = ");
            if global.bytes.iter().all(|b| *b == 0) {
                let _ = write!(text, "zero {}", global.bytes.len());
            } else {
                let hex: String = global.bytes.iter().map(|b| format!("{b:02x}")).collect();
                let _ = write!(text, "x\"{hex}\"");
            }
        }
        for (offset, value) in &global.addresses {
            let _ = write!(text, " at {offset} {}", self.names.operand(*value));
        }
        for (offset, len) in &global.undefined {
            let _ = write!(text, " unset {offset} {len}");
        }
        self.line(text);
    }

    fn function(&mut self, f: &Function) {
        let params = f.params.iter().map(|r| format!("r{r}")).collect::<Vec<_>>().join(", ");
        let varargs = if f.varargs { " varargs" } else { "" };
        let (name, at) = (spelled(&f.name), place(f.place));
        let signature = f.signature.map_or(String::new(), |s| format!(" signature {s}"));
        let mut head =
            format!("func &{name}({params}) results {} regs {}{varargs}{signature}{at}", f.results, f.regs);
        if f.code.is_empty() && f.loops.is_empty() && f.locals.is_empty() {
            return self.line(head);
        }
        head.push_str(" {");
        self.line(head);
        for l in &f.loops {
            self.line(format!("    loop L{}{}", l.header, place(l.place)));
        }
        for (reg, name, ty) in &f.locals {
            let ty = ty.map_or(String::new(), |ty| format!(" {ty}"));
            self.line(format!("    local r{reg} {name:?}{ty}"));
        }
        let mut labels: BTreeSet<u32> = f.loops.iter().map(|l| l.header).collect();
        f.code.iter().for_each(|instr| instr.for_targets(|to| _ = labels.insert(*to)));
        for (at, instr) in f.code.iter().enumerate() {
            let label = if labels.contains(&(at as u32)) { format!("L{at}:") } else { String::new() };
            let place = place(f.places.get(at).copied().unwrap_or_default());
            let text = self.instr(instr);
            self.line(format!("{label:<6}{}{text}{place}", if label.len() < 6 { "" } else { " " }));
        }
        if labels.contains(&(f.code.len() as u32)) {
            self.line(format!("L{}:", f.code.len()));
        }
        self.line(String::from("}"));
    }

    fn instr(&self, instr: &Instr) -> String {
        let op = |o| self.names.operand(o);
        match instr {
            Instr::Move { dst, src } => format!("r{dst} = move {}", op(*src)),
            Instr::Life { addr, begins } => {
                format!("life{} {}", if *begins { ".begins" } else { "" }, op(*addr))
            }
            Instr::Bin { op: o, bits, dst, a, b, no_signed_wrap, no_unsigned_wrap } => {
                let nsw = if *no_signed_wrap { ".nsw" } else { "" };
                let nuw = if *no_unsigned_wrap { ".nuw" } else { "" };
                format!("r{dst} = {}.{bits}{nsw}{nuw} {}, {}", o.word(), op(*a), op(*b))
            }
            Instr::Cmp { op: o, bits, dst, a, b } => {
                format!("r{dst} = cmp.{}.{bits} {}, {}", o.word(), op(*a), op(*b))
            }
            Instr::Float { op: o, bits, dst, a, b, c } => {
                format!("r{dst} = float.{}.{bits} {}, {}, {}", o.word(), op(*a), op(*b), op(*c))
            }
            Instr::FloatCmp { cmp, bits, dst, a, b } => {
                format!("r{dst} = fcmp.{}.{bits} {}, {}", float_cmp(*cmp), op(*a), op(*b))
            }
            Instr::Cast { op: o, from, to, dst, src } => {
                format!("r{dst} = cast.{}.{from}.{to} {}", o.word(), op(*src))
            }
            Instr::Overflowing { op: o, bits, dst, a, b } => {
                format!("r{dst} = overflowing.{}.{bits} {}, {}", o.word(), op(*a), op(*b))
            }
            Instr::Bits { op: o, bits, dst, a } => format!("r{dst} = bits.{}.{bits} {}", o.word(), op(*a)),
            Instr::Funnel { left, bits, dst, a, b, amount } => {
                let side = if *left { "left" } else { "right" };
                format!("r{dst} = funnel.{side}.{bits} {}, {}, {}", op(*a), op(*b), op(*amount))
            }
            Instr::Select { dst, cond, a, b } => {
                format!("r{dst} = select {}, {}, {}", op(*cond), op(*a), op(*b))
            }
            Instr::Offset { dst, base, index, scale, within } => {
                let within = flag(*within, ".within");
                format!("r{dst} = offset{within} {}, {}, {scale}", op(*base), op(*index))
            }
            Instr::Alloca { dst, size, align, private } => {
                let private = if *private { ".private" } else { "" };
                format!("r{dst} = alloca{private} {}, {align}", op(*size))
            }
            Instr::Load { dst, addr, bytes, mode, volatile } => {
                format!("r{dst} = load.{bytes}.{}{} {}", mode.word(), flag(*volatile, ".volatile"), op(*addr))
            }
            Instr::Store { addr, value, bytes, mode, volatile, reference } => {
                format!(
                    "store.{bytes}.{}{}{} {}, {}",
                    mode.word(),
                    flag(*volatile, ".volatile"),
                    flag(*reference, ".reference"),
                    op(*addr),
                    op(*value)
                )
            }
            Instr::Rmw { op: o, dst, addr, operand, bytes, mode, net } => {
                let net = match net {
                    Net::Lasting => String::new(),
                    Net::Tentative(number) => format!(".tentative.{number}"),
                    Net::Undoes => String::from(".undoes"),
                };
                format!(
                    "r{dst} = rmw.{}.{bytes}.{}{net} {}, {}",
                    o.word(),
                    mode.word(),
                    op(*addr),
                    op(*operand)
                )
            }
            Instr::Cmpxchg { dst, addr, expected, desired, bytes, success, failure, weak } => {
                let weak = flag(*weak, ".weak");
                let operands = self.names.operands(&[*addr, *expected, *desired]);
                format!("r{dst} = cmpxchg.{bytes}.{}.{}{weak} {operands}", success.word(), failure.word())
            }
            Instr::Fence { mode } => format!("fence.{}", mode.word()),
            Instr::Jump { to } => format!("jump L{to}"),
            Instr::Branch { cond, then, els } => format!("branch {}, L{then}, L{els}", op(*cond)),
            Instr::Switch { value, cases, default } => {
                let case = |(value, to): &(u64, u32)| format!("{value} L{to}");
                let cases = cases.iter().map(case).collect::<Vec<_>>().join(", ");
                format!("switch {} ({cases}) L{default}", op(*value))
            }
            Instr::LoopHead { number, live, rewritten } => {
                let live = live.iter().map(|r| format!("r{r}")).collect::<Vec<_>>().join(", ");
                let cell = |c: &OwnCell| format!("r{} {} {}", c.base, c.offset, c.bytes);
                let cells = rewritten.iter().map(cell).collect::<Vec<_>>().join(", ");
                format!("loophead {number} ({live}) ({cells})")
            }
            Instr::LoopBack { number } => format!("loopback {number}"),
            Instr::SpinBlock { number } => format!("spinblock {number}"),
            Instr::Call { dst, callee, args, results, signature, lands } => {
                let dst = dst.map_or(String::new(), |dst| format!("r{dst} = "));
                let signature = signature.map_or(String::new(), |s| format!(".as.{s}"));
                let (callee, args) = (op(*callee), self.names.operands(args));
                let (suffix, pad) = match lands {
                    Some(pad) => {
                        let suffix = if pad.cleanup { ".lands.cleanup" } else { ".lands" };
                        (suffix, format!(" ({})", self.names.operands(&pad.catches)))
                    }
                    None => ("", String::new()),
                };
                format!("{dst}call.{results}{signature}{suffix} {callee} ({args}){pad}")
            }
            Instr::Return { values } => format!("return ({})", self.names.operands(values)),
            Instr::Unreachable => String::from("unreachable"),
            Instr::Unsupported { what } => format!("unsupported {what:?}"),
        }
    }
}

fn flag(set: bool, text: &'static str) -> &'static str {
    if set { text } else { "" }
}

/// The cases in which it holds: `l`ess, `e`qual, `g`reater, `u`nordered; `_` if in none.
fn float_cmp(cmp: FloatCmp) -> String {
    let cases = [(cmp.less, 'l'), (cmp.equal, 'e'), (cmp.greater, 'g'), (cmp.unordered, 'u')];
    let text: String = cases.iter().filter(|(holds, _)| *holds).map(|(_, c)| *c).collect();
    if text.is_empty() { String::from("_") } else { text }
}
