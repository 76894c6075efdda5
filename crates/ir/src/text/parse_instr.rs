//! From text to instructions.

use super::lex::Token;
use super::names::Word;
use super::parse::{ParseError, Parser};
use crate::bytecode::{FloatCmp, Instr, Net, Operand, OwnCell, Pad, Reg, Target};
use std::collections::HashMap;

pub type Labels = HashMap<String, Target>;

/// A mnemonic and its suffixes: `load.4.acq`.
struct Mnemonic {
    words: Vec<String>,
    next: usize,
}

impl Mnemonic {
    fn word(&mut self) -> Option<&str> {
        self.next += 1;
        self.words.get(self.next - 1).map(String::as_str)
    }

    fn flag(&mut self, word: &str) -> bool {
        let found = self.words.get(self.next).is_some_and(|w| w == word);
        self.next += found as usize;
        found
    }
}

impl Parser {
    /// Finds the labels of a function's body by skimming over it: an instruction starts with a mnemonic,
    /// after `rN =` where it has a result.
    pub fn labels(&mut self) -> Result<Labels, ParseError> {
        let start = self.position();
        let mut labels = Labels::new();
        let mut count = 0;
        loop {
            match (self.next(), self.peek()) {
                (None, _) => return self.error("a function's body does not end"),
                (Some(Token::Symbol('}')), _) => break,
                (Some(Token::Word(label)), Some(Token::Symbol(':'))) => {
                    self.next();
                    if is_mnemonic(&label) {
                        return self.error(format!("`{label}` cannot be a label"));
                    }
                    if labels.insert(label.clone(), count).is_some() {
                        return self.error(format!("label `{label}` is defined twice"));
                    }
                }
                (Some(Token::Word(word)), _) if is_mnemonic(&word) => count += 1,
                _ => {}
            }
        }
        self.go_to(start);
        Ok(labels)
    }

    pub fn target(&mut self, labels: &Labels) -> Result<Target, ParseError> {
        let label = self.word()?;
        match labels.get(&label) {
            Some(target) => Ok(*target),
            None => self.error(format!("there is no label `{label}`")),
        }
    }

    fn part<T: Word>(&self, m: &mut Mnemonic) -> Result<T, ParseError> {
        let word = m.word().unwrap_or_default();
        match T::from_word(word) {
            Some(part) => Ok(part),
            None => self.error(format!("`{word}` is not known here")),
        }
    }

    fn width(&self, m: &mut Mnemonic) -> Result<u8, ParseError> {
        let word = m.word().unwrap_or_default();
        word.parse().or_else(|_| self.error(format!("`{word}` is not a width")))
    }

    fn count(&self, m: &mut Mnemonic) -> Result<u32, ParseError> {
        let word = m.word().unwrap_or_default();
        word.parse().or_else(|_| self.error(format!("`{word}` is not a number of results")))
    }

    fn comma_operand(&mut self) -> Result<Operand, ParseError> {
        self.expect(',')?;
        self.operand()
    }

    pub fn instr(&mut self, labels: &Labels) -> Result<Instr, ParseError> {
        let mut word = self.word()?;
        let dst = match Parser::as_reg(&word) {
            Some(reg) => {
                self.expect('=')?;
                word = self.word()?;
                Some(reg)
            }
            None => None,
        };
        let mut m = Mnemonic { words: word.split('.').map(String::from).collect(), next: 0 };
        let name = m.word().unwrap_or_default().to_string();
        let instr = match (name.as_str(), dst) {
            ("call", _) => {
                let results = self.count(&mut m)?;
                let signature = if m.flag("as") { Some(self.count(&mut m)?) } else { None };
                let (lands, cleanup) = (m.flag("lands"), m.flag("cleanup"));
                let (callee, args) = (self.operand()?, self.list(Parser::operand)?);
                let lands = match lands {
                    true => Some(Box::new(Pad { cleanup, catches: self.list(Parser::operand)? })),
                    false => None,
                };
                Instr::Call { dst, callee, args, results, signature, lands }
            }
            (_, Some(dst)) => self.with_result(&name, dst, &mut m)?,
            (_, None) => self.without_result(&name, &mut m, labels)?,
        };
        match m.words.get(m.next) {
            None => Ok(instr),
            Some(extra) => self.error(format!("`{name}` has no suffix `{extra}` here")),
        }
    }

    fn with_result(&mut self, name: &str, dst: Reg, m: &mut Mnemonic) -> Result<Instr, ParseError> {
        Ok(match name {
            "move" => Instr::Move { dst, src: self.operand()? },
            "cmp" => Instr::Cmp {
                op: self.part(m)?,
                bits: self.width(m)?,
                dst,
                a: self.operand()?,
                b: self.comma_operand()?,
            },
            "float" => Instr::Float {
                op: self.part(m)?,
                bits: self.width(m)?,
                dst,
                a: self.operand()?,
                b: self.comma_operand()?,
                c: self.comma_operand()?,
            },
            "fcmp" => Instr::FloatCmp {
                cmp: self.float_cmp(m)?,
                bits: self.width(m)?,
                dst,
                a: self.operand()?,
                b: self.comma_operand()?,
            },
            "cast" => Instr::Cast {
                op: self.part(m)?,
                from: self.width(m)?,
                to: self.width(m)?,
                dst,
                src: self.operand()?,
            },
            "overflowing" => Instr::Overflowing {
                op: self.part(m)?,
                bits: self.width(m)?,
                dst,
                a: self.operand()?,
                b: self.comma_operand()?,
            },
            "bits" => Instr::Bits { op: self.part(m)?, bits: self.width(m)?, dst, a: self.operand()? },
            "funnel" => Instr::Funnel {
                left: match m.word() {
                    Some("left") => true,
                    Some("right") => false,
                    _ => return self.error("a funnel shift goes `left` or `right`"),
                },
                bits: self.width(m)?,
                dst,
                a: self.operand()?,
                b: self.comma_operand()?,
                amount: self.comma_operand()?,
            },
            "select" => Instr::Select {
                dst,
                cond: self.operand()?,
                a: self.comma_operand()?,
                b: self.comma_operand()?,
            },
            "offset" => {
                let within = m.flag("within");
                let (base, index) = (self.operand()?, self.comma_operand()?);
                self.expect(',')?;
                Instr::Offset { dst, base, index, scale: self.number()? as i64, within }
            }
            "alloca" => {
                let (private, size) = (m.flag("private"), self.operand()?);
                self.expect(',')?;
                Instr::Alloca { dst, size, align: self.small()?, private }
            }
            "load" => Instr::Load {
                dst,
                bytes: self.width(m)?,
                mode: self.part(m)?,
                volatile: m.flag("volatile"),
                addr: self.operand()?,
            },
            "rmw" => Instr::Rmw {
                op: self.part(m)?,
                bytes: self.width(m)?,
                mode: self.part(m)?,
                net: match (m.flag("tentative"), m.flag("undoes")) {
                    (true, _) => Net::Tentative(self.count(m)?),
                    (_, true) => Net::Undoes,
                    _ => Net::Lasting,
                },
                dst,
                addr: self.operand()?,
                operand: self.comma_operand()?,
            },
            "cmpxchg" => Instr::Cmpxchg {
                dst,
                bytes: self.width(m)?,
                success: self.part(m)?,
                failure: self.part(m)?,
                weak: m.flag("weak"),
                addr: self.operand()?,
                expected: self.comma_operand()?,
                desired: self.comma_operand()?,
            },
            _ => {
                m.next = 0;
                Instr::Bin {
                    op: self.part(m)?,
                    bits: self.width(m)?,
                    no_signed_wrap: m.flag("nsw"),
                    no_unsigned_wrap: m.flag("nuw"),
                    dst,
                    a: self.operand()?,
                    b: self.comma_operand()?,
                }
            }
        })
    }

    fn without_result(&mut self, name: &str, m: &mut Mnemonic, labels: &Labels) -> Result<Instr, ParseError> {
        Ok(match name {
            "store" => Instr::Store {
                bytes: self.width(m)?,
                mode: self.part(m)?,
                volatile: m.flag("volatile"),
                reference: m.flag("reference"),
                addr: self.operand()?,
                value: self.comma_operand()?,
            },
            "fence" => Instr::Fence { mode: self.part(m)? },
            "jump" => Instr::Jump { to: self.target(labels)? },
            "branch" => {
                let cond = self.operand()?;
                self.expect(',')?;
                let then = self.target(labels)?;
                self.expect(',')?;
                Instr::Branch { cond, then, els: self.target(labels)? }
            }
            "switch" => Instr::Switch {
                value: self.operand()?,
                cases: self.list(|p| Ok((p.number()?, p.target(labels)?)))?,
                default: self.target(labels)?,
            },
            "loophead" => Instr::LoopHead {
                number: self.small()?,
                live: self.list(Parser::reg)?,
                rewritten: self.list(Parser::own_cell)?,
            },
            "loopback" => Instr::LoopBack { number: self.small()? },
            "spinblock" => Instr::SpinBlock { number: self.small()? },
            "life" => Instr::Life { begins: m.flag("begins"), addr: self.operand()? },
            "return" => Instr::Return { values: self.list(Parser::operand)? },
            "unreachable" => Instr::Unreachable,
            "unsupported" => Instr::Unsupported { what: self.text()? },
            _ => return self.error(format!("there is no instruction `{name}` without a result")),
        })
    }

    fn own_cell(&mut self) -> Result<OwnCell, ParseError> {
        let base = self.reg()?;
        let offset = self.number()? as i64;
        let bytes = self.small()?;
        match u8::try_from(bytes) {
            Ok(bytes) => Ok(OwnCell { base, offset, bytes }),
            Err(_) => self.error(format!("{bytes} is too large here")),
        }
    }

    fn float_cmp(&self, m: &mut Mnemonic) -> Result<FloatCmp, ParseError> {
        let word = m.word().unwrap_or_default();
        if word.is_empty() || !word.chars().all(|c| "legu_".contains(c)) {
            return self.error(format!("`{word}` is not a floating comparison"));
        }
        let has = |c| word.contains(c);
        Ok(FloatCmp { less: has('l'), equal: has('e'), greater: has('g'), unordered: has('u') })
    }
}

/// Whether a word within a function's body starts an instruction (but for its result).
fn is_mnemonic(word: &str) -> bool {
    const NAMES: [&str; 27] = [
        "move",
        "cmp",
        "float",
        "fcmp",
        "cast",
        "overflowing",
        "bits",
        "funnel",
        "select",
        "offset",
        "alloca",
        "load",
        "rmw",
        "cmpxchg",
        "call",
        "store",
        "fence",
        "jump",
        "branch",
        "switch",
        "loophead",
        "loopback",
        "spinblock",
        "life",
        "return",
        "unreachable",
        "unsupported",
    ];
    let first = word.split('.').next().unwrap_or(word);
    NAMES.contains(&first) || crate::bytecode::BinOp::from_word(first).is_some()
}
