//! Functions whose ways part early do the same as before: generated ones, run step by step.

use std::fmt::Write;

use proptest::prelude::*;
use selvedge_graph::Mode;
use selvedge_ir::arith;
use selvedge_ir::cfg::Graph;
use selvedge_ir::passes::part_early;
use selvedge_ir::{Instr, Operand, text};

const REGISTERS: u32 = 5;

/// A block: what it does, and where it goes by which register.
#[derive(Clone, Debug)]
struct Block {
    code: Vec<(u8, u32, u32, u64)>,
    ends: (u8, u32, usize, usize),
}

fn block(blocks: usize) -> impl Strategy<Value = Block> {
    let code = prop::collection::vec((0..6u8, 0..REGISTERS, 0..REGISTERS, 0..3u64), 0..4);
    (code, (0..5u8, 0..REGISTERS, 0..blocks, 0..blocks)).prop_map(|(code, ends)| Block { code, ends })
}

/// The text of a function.
fn function(blocks: &[Block]) -> String {
    let mut body = String::new();
    for (number, Block { code, ends: (how, reg, one, other) }) in blocks.iter().enumerate() {
        let _ = writeln!(body, "b{number}:");
        for (what, dst, src, constant) in code {
            let _ = match what {
                0 | 1 => writeln!(body, "r{dst} = move {constant}"),
                2 => writeln!(body, "r{dst} = move r{src}"),
                3 if *constant == 0 => writeln!(body, "r{dst} = cmp.eq.8 r{src}, 0"),
                3 => writeln!(body, "r{dst} = cmp.eq.64 r{src}, 0"),
                4 => writeln!(body, "r{dst} = add.64 r{src}, {constant}"),
                _ => writeln!(body, "r{dst} = load.8.rlx r{src}"),
            };
        }
        let _ = match how {
            0 => writeln!(body, "return (r{reg})"),
            1 | 2 => writeln!(body, "jump b{one}"),
            3 => writeln!(body, "branch r{reg}, b{one}, b{other}"),
            _ => writeln!(body, "switch r{reg} (0 b{one}, 2 b{other}) b{number}"),
        };
    }
    let names: Vec<String> = (0..REGISTERS).map(|n| format!("r{n}")).collect();
    format!("func &f({}) results 1 regs {REGISTERS} {{\n{body}}}\n", names.join(", "))
}

/// What others see of a run: the addresses of accesses, and what is returned. An access of address 0 ends it.
/// What is at an address is made up.
#[derive(PartialEq, Debug)]
enum Seen {
    Load(u64),
    Null,
    Return(u64),
}

/// How many steps are run.
const FUEL: usize = 400;

fn run(graph: &Graph, mut regs: [u64; REGISTERS as usize]) -> Vec<Seen> {
    let mut seen = Vec::new();
    let (mut block, mut fuel) = (0, FUEL);
    loop {
        let mut next = None;
        for instr in &graph.blocks[block].code {
            let value = |o: &Operand| match o {
                Operand::Const(c) => *c,
                Operand::Reg(r) => regs[*r as usize],
                other => panic!("{other:?}"),
            };
            match instr {
                Instr::Move { dst, src } => regs[*dst as usize] = value(src),
                Instr::Cmp { op, bits, dst, a, b } => {
                    regs[*dst as usize] = u64::from(arith::cmp_narrow(*op, *bits, value(a), value(b)));
                }
                Instr::Bin { dst, a, b, .. } => regs[*dst as usize] = value(a).wrapping_add(value(b)),
                Instr::Load { dst, addr, mode: Mode::Rlx, .. } => {
                    let addr = value(addr);
                    if addr == 0 {
                        seen.push(Seen::Null);
                        return seen;
                    }
                    seen.push(Seen::Load(addr));
                    regs[*dst as usize] = (addr * 7 + seen.len() as u64) % 3;
                }
                Instr::Return { values } => {
                    seen.push(Seen::Return(value(&values[0])));
                    return seen;
                }
                Instr::Jump { to } => next = Some(*to),
                Instr::Branch { cond, then, els } => next = Some(if value(cond) != 0 { *then } else { *els }),
                Instr::Switch { value: by, cases, default } => {
                    let by = value(by);
                    next = Some(cases.iter().find(|(case, _)| *case == by).map_or(*default, |(_, to)| *to));
                }
                other => panic!("{other:?}"),
            }
        }
        block = next.expect("a way") as usize;
        fuel -= 1;
        // Ways are shorter afterwards: only what both have seen is compared.
        if fuel == 0 {
            return seen;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn what_is_seen_of_a_function_stays(
        blocks in prop::collection::vec(block(6), 6),
        starts in prop::collection::vec(prop::array::uniform5(prop::sample::select(vec![0, 1, 2, 256])), 4),
    ) {
        let source = function(&blocks);
        let module = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let before = Graph::of(&module.functions[0]).expect("a graph");
        let mut after = before.clone();
        part_early::run(&mut after);
        for start in starts {
            let (one, other) = (run(&before, start), run(&after, start));
            let both = one.len().min(other.len());
            prop_assert_eq!(&one[..both], &other[..both], "{}", source);
            // A run that ends within the steps ends in the other, too.
            let ends = |seen: &[Seen]| matches!(seen.last(), Some(Seen::Null | Seen::Return(_)));
            prop_assert!(!ends(&one) || one == other, "{}", source);
        }
    }
}
