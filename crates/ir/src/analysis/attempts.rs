//! Loops that try a number of times: `for (i = 0; i < 100; i++) if (load(&f)) break;`.
//!
//! What counts the rounds decides how many there are at most, and nothing else. Such registers are found by
//! where they go: from one that takes a step of constant size in each round, through all that is computed
//! from it, to branches out of the loop. If they go anywhere else in the function, they are not looked at any
//! further. Nor does anything come into them in the loop but what stays as it is there: how many rounds there
//! are must not depend on what is read.
//!
//! An attempt that succeeds must leave the loop. If it went on, as in `for (i = 0; i < 2; i++) s +=
//! load(&x);`, it would matter how many rounds are left. So a loop only counts if a round that comes back
//! to its header has changed nothing but these registers, whatever it has read: there is nothing in it but
//! loads, computations, calls that only read or let time pass, and compare-and-exchanges (of its own, or in a
//! function that it calls) that lead out of it if they succeed; and no other register that it writes is live
//! at its header.
//!
//! Who gives up may have read something in the same round. That has to be what any attempt could have read
//! that goes on: in `for (;;) { v = load(&x); if (++i == 3) break; if (v == 0) return; }` a 0 is read where
//! the limit is reached, and nowhere else is that followed by `break`. So where the limit is tested, the
//! round has not read yet, or the other way leads back to the header without any further question.

use std::collections::{HashMap, HashSet};

use crate::analysis::counted::loops;
use crate::analysis::effects::Effect;
use crate::analysis::faint::only_computes;
use crate::analysis::follow::{Known, Way, follow};
use crate::bytecode::{BinOp, FuncId, Function, Instr, Operand, Reg, registers};
use crate::cfg::Graph;

/// What is known of a function that an attempt calls.
pub enum Called<'a> {
    /// It lets time pass.
    Pause,
    /// It has this body.
    Defined(&'a Function),
    /// Anything else.
    Other,
}

/// What only bounds the rounds of a loop.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// These registers.
    pub regs: Vec<Reg>,
    /// Between two reads of a round is nothing that could order them: no fence, and no call that is looked
    /// into.
    pub plain: bool,
}

/// How deep calls are followed.
const CALLS: u32 = 3;

/// By loop of a function that went through the passes, what only bounds its rounds. Loops that are not
/// watched are not asked for.
pub fn counters_of<'a>(function: &Function, called: &dyn Fn(FuncId) -> Called<'a>) -> Vec<Counters> {
    let watched = |number: usize| {
        let header = function.loops.get(number).and_then(|l| function.code.get(l.header as usize));
        matches!(header, Some(Instr::LoopHead { .. }))
    };
    let none = || vec![Counters::default(); function.loops.len()];
    if !(0..function.loops.len()).any(watched) {
        return none();
    }
    let Some((graph, loops)) = loops(function) else { return none() };
    let flow = Flow::of(&graph);
    let of = |number: usize, start: usize, blocks: &HashSet<usize>| {
        let counters = flow.counters(blocks);
        let head = function.loops.get(number).and_then(|l| function.code.get(l.header as usize));
        let Some(Instr::LoopHead { live, .. }) = head.filter(|_| !counters.is_empty()) else { return None };
        let round = Round { graph: &graph, start, blocks, called };
        if !round.only_tries(&counters, live) || !round.gives_up_in_time(&counters) {
            return None;
        }
        let mut regs: Vec<Reg> = counters.into_iter().collect();
        regs.sort_unstable();
        Some(Counters { regs, plain: round.code().all(|(_, _, instr)| round.is_plain(instr)) })
    };
    let found = loops.iter().enumerate();
    found
        .map(|(number, (start, blocks))| {
            let found = if watched(number) { of(number, *start, blocks) } else { None };
            found.unwrap_or_default()
        })
        .collect()
}

/// The rounds of a loop.
struct Round<'g, 'c, 'a> {
    graph: &'g Graph,
    start: usize,
    blocks: &'g HashSet<usize>,
    called: &'c dyn Fn(FuncId) -> Called<'a>,
}

impl<'g> Round<'g, '_, '_> {
    fn code(&self) -> impl Iterator<Item = (usize, usize, &'g Instr)> {
        let graph = self.graph;
        self.blocks.iter().flat_map(move |&block| {
            graph.blocks[block].code.iter().enumerate().map(move |(position, instr)| (block, position, instr))
        })
    }

    /// Whether one that comes back to the header has changed nothing but these counters.
    fn only_tries(&self, counters: &HashSet<Reg>, live: &[Reg]) -> bool {
        let harmless = |(block, position, instr): (usize, usize, &Instr)| {
            let known = match effect(instr, &Known::new(), self.called, CALLS) {
                Doing::Nothing => return true,
                Doing::WritesIf(known) => known,
                Doing::Anything => return false,
            };
            let way = |next: usize| match next {
                _ if next == self.start => Way::Forbidden,
                _ if self.blocks.contains(&next) => Way::On,
                _ => Way::Out,
            };
            follow(self.graph, (block, position), known, way, &mut Vec::new())
        };
        let changed: HashSet<Reg> = self.code().flat_map(|(_, _, instr)| instr.written()).collect();
        self.code().all(harmless) && live.iter().all(|reg| counters.contains(reg) || !changed.contains(reg))
    }

    /// Whether who gives up has read nothing in the round, or what who goes on could have read.
    fn gives_up_in_time(&self, counters: &HashSet<Reg>) -> bool {
        let tests = |block: &usize| match self.graph.blocks[*block].code.last() {
            Some(Instr::Branch { cond: Operand::Reg(cond), .. }) => counters.contains(cond),
            _ => false,
        };
        let reads = |block: &usize| self.graph.blocks[*block].code.iter().any(|instr| self.reads(instr));
        let before = self.graph.predecessors();
        self.blocks.iter().filter(|block| tests(block)).all(|&test| {
            let earlier = self.within(test, |block| before[block].clone());
            if !earlier.iter().any(reads) {
                return true;
            }
            let on = |block: usize| self.graph.blocks[block].successors();
            let stays = |next: &usize| self.blocks.contains(next) && *next != self.start;
            on(test).into_iter().filter(stays).all(|next| {
                let later = self.within(next, on);
                let asks = |block: &usize| {
                    let inside = on(*block).iter().filter(|next| self.blocks.contains(next)).count();
                    inside != 1 || on(*block).len() > 1 && !tests(block)
                };
                !later.iter().any(|block| *block != self.start && (reads(block) || asks(block)))
            })
        })
    }

    /// The blocks that are come to from one, itself among them, without passing the header.
    fn within(&self, from: usize, next: impl Fn(usize) -> Vec<usize>) -> HashSet<usize> {
        let (mut found, mut pending) = (HashSet::from([from]), vec![from]);
        while let Some(block) = pending.pop() {
            if block != self.start {
                let inside = next(block).into_iter().filter(|next| self.blocks.contains(next));
                pending.extend(inside.filter(|next| found.insert(*next)));
            }
        }
        found
    }

    fn reads(&self, instr: &Instr) -> bool {
        match instr {
            Instr::Call { .. } => !only_passes_time(instr, self.called, CALLS),
            Instr::Jump { .. } | Instr::Branch { .. } | Instr::Switch { .. } => false,
            Instr::LoopHead { .. } | Instr::LoopBack { .. } => false,
            other => !only_computes(other),
        }
    }

    fn is_plain(&self, instr: &Instr) -> bool {
        matches!(instr, Instr::Load { .. }) || !self.reads(instr)
    }
}

/// Whether an instruction only computes, or calls what only does. Calls are followed so deep.
fn only_passes_time<'a>(instr: &Instr, called: &dyn Fn(FuncId) -> Called<'a>, deep: u32) -> bool {
    match instr {
        Instr::Call { callee: Operand::Func(function), .. } => match called(*function) {
            Called::Pause => true,
            Called::Defined(body) if deep > 0 => body.code.iter().all(|instr| match instr {
                Instr::Jump { .. } | Instr::Branch { .. } | Instr::Return { .. } => true,
                other => only_passes_time(other, called, deep - 1),
            }),
            _ => false,
        },
        other => only_computes(other),
    }
}

/// What an instruction does to memory.
enum Doing {
    Nothing,
    /// Nothing, unless this holds afterwards.
    WritesIf(Known),
    Anything,
}

/// Calls are followed so deep.
fn effect<'a>(instr: &Instr, known: &Known, called: &dyn Fn(FuncId) -> Called<'a>, deep: u32) -> Doing {
    match instr {
        Instr::Cmpxchg { dst, bytes, .. } => Doing::WritesIf(Known::from([(*dst + registers(*bytes), 1)])),
        Instr::Call { callee: Operand::Func(function), args, dst, .. } => match called(*function) {
            Called::Pause => Doing::Nothing,
            Called::Defined(body) if deep > 0 => {
                let given: Vec<Option<u64>> = args
                    .iter()
                    .map(|arg| match arg {
                        Operand::Const(value) => Some(*value),
                        Operand::Reg(reg) => known.get(reg).copied(),
                        _ => None,
                    })
                    .collect();
                match (effect_of_body(body, &given, called, deep - 1), dst) {
                    (Effect::None, _) => Doing::Nothing,
                    (Effect::WritesIfReturns(value), Some(dst)) => {
                        Doing::WritesIf(Known::from([(*dst, value)]))
                    }
                    _ => Doing::Anything,
                }
            }
            _ => Doing::Anything,
        },
        Instr::SpinBlock { .. } => Doing::Anything,
        other if other.only_reads() => Doing::Nothing,
        _ => Doing::Anything,
    }
}

/// What a call of a function does to memory, as far as the arguments are known.
fn effect_of_body<'a>(
    function: &Function,
    given: &[Option<u64>],
    called: &dyn Fn(FuncId) -> Called<'a>,
    deep: u32,
) -> Effect {
    let Some(graph) = Graph::of(function) else { return Effect::Any };
    let code = || graph.blocks.iter().flat_map(|block| &block.code);
    let written: HashSet<Reg> = code().flat_map(Instr::written).collect();
    let arguments = graph.params.iter().zip(given).filter(|(reg, _)| !written.contains(reg));
    let arguments: Known = arguments.filter_map(|(reg, value)| Some((*reg, (*value)?))).collect();
    let mut effect_so_far = Effect::None;
    for (block, position, instr) in
        (0..graph.blocks.len()).flat_map(|b| (0..).zip(&graph.blocks[b].code).map(move |(at, i)| (b, at, i)))
    {
        if matches!(instr, Instr::LoopBack { .. }) {
            return Effect::Any;
        }
        let mut known = match effect(instr, &arguments, called, deep) {
            Doing::Nothing => continue,
            Doing::WritesIf(known) => known,
            Doing::Anything => return Effect::Any,
        };
        known.extend(&arguments);
        let mut returned = Vec::new();
        follow(&graph, (block, position), known, |_| Way::On, &mut returned);
        let found = match returned.split_first() {
            Some((Some(value), others)) if others.iter().all(|other| *other == Some(*value)) => {
                Effect::WritesIfReturns(*value)
            }
            _ => return Effect::Any,
        };
        match effect_so_far {
            Effect::None => effect_so_far = found,
            before if before == found => {}
            _ => return Effect::Any,
        }
    }
    effect_so_far
}

/// Where the registers of a function are read.
pub struct Flow<'g> {
    graph: &'g Graph,
    reading: HashMap<Reg, Vec<(usize, &'g Instr)>>,
}

impl<'g> Flow<'g> {
    pub fn of(graph: &'g Graph) -> Flow<'g> {
        let mut reading: HashMap<Reg, Vec<(usize, &Instr)>> = HashMap::new();
        for (number, block) in graph.blocks.iter().enumerate() {
            for instr in &block.code {
                instr.for_registers(|reg| reading.entry(reg).or_default().push((number, instr)));
            }
        }
        Flow { graph, reading }
    }

    /// The registers that only bound the rounds of a loop that consists of these blocks.
    pub fn counters(&self, blocks: &HashSet<usize>) -> HashSet<Reg> {
        let code = || blocks.iter().flat_map(|&block| &self.graph.blocks[block].code);
        let stepped = code().filter_map(|instr| match instr {
            Instr::Bin {
                op: BinOp::Add | BinOp::Sub, a: Operand::Reg(from), b: Operand::Const(1..), ..
            } => Some(*from),
            _ => None,
        });
        let changed: HashSet<Reg> = code().flat_map(Instr::written).collect();
        stepped.filter_map(|reg| self.computed_from(blocks, reg, &changed)).flatten().collect()
    }

    /// All registers that are computed from one, if they only decide when the loop is left. `changed`: those
    /// that the loop writes.
    fn computed_from(
        &self,
        blocks: &HashSet<usize>,
        first: Reg,
        changed: &HashSet<Reg>,
    ) -> Option<HashSet<Reg>> {
        let (mut found, mut pending, mut bounds) = (HashSet::from([first]), vec![first], false);
        while let Some(reg) = pending.pop() {
            for &(number, instr) in self.reading.get(&reg).map_or(&[][..], |all| all) {
                match instr {
                    Instr::Branch { .. } if blocks.contains(&number) => {
                        let next = self.graph.blocks[number].successors();
                        if next.len() != 2 || next.iter().filter(|next| !blocks.contains(next)).count() != 1 {
                            return None;
                        }
                        bounds = true;
                    }
                    _ if only_computes(instr) => {
                        pending.extend(instr.written().filter(|dst| found.insert(*dst)));
                    }
                    _ => return None,
                }
            }
        }
        let in_loop = blocks.iter().flat_map(|&block| &self.graph.blocks[block].code);
        let mut writing = in_loop.filter(|instr| instr.written().any(|reg| found.contains(&reg)));
        let steady = writing.all(|instr| {
            let mut other = false;
            instr.for_registers(|reg| other |= changed.contains(&reg) && !found.contains(&reg));
            only_computes(instr) && !other
        });
        (bounds && steady && changed.contains(&first)).then_some(found)
    }
}
