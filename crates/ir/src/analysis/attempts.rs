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
//! loads, computations and calls that only let time pass, and no other register that it writes is live at
//! its header.

use std::collections::{HashMap, HashSet};

use crate::analysis::counted::loops;
use crate::analysis::faint::only_computes;
use crate::bytecode::{BinOp, FuncId, Function, Instr, Operand, Reg};
use crate::cfg::Graph;

/// By loop of a function that went through the passes, the registers that only bound its rounds. Those of
/// loops that are not watched are not asked for.
pub fn counters_of(function: &Function, pauses: &dyn Fn(FuncId) -> bool) -> Vec<Vec<Reg>> {
    let watched = |number: usize| {
        let header = function.loops.get(number).and_then(|l| function.code.get(l.header as usize));
        matches!(header, Some(Instr::LoopHead { .. }))
    };
    let none = || vec![Vec::new(); function.loops.len()];
    if !(0..function.loops.len()).any(watched) {
        return none();
    }
    let Some((graph, loops)) = loops(function) else { return none() };
    let flow = Flow::of(&graph);
    let sorted = |number: usize, blocks: &HashSet<usize>| {
        let counters = flow.counters(blocks);
        let header = function.loops.get(number).and_then(|l| function.code.get(l.header as usize));
        let Some(Instr::LoopHead { live, .. }) = header else { return Vec::new() };
        if !flow.only_tries(blocks, &counters, live, pauses) {
            return Vec::new();
        }
        let mut all: Vec<Reg> = counters.into_iter().collect();
        all.sort_unstable();
        all
    };
    let found = loops.iter().enumerate();
    found
        .map(|(number, (_, blocks))| if watched(number) { sorted(number, blocks) } else { Vec::new() })
        .collect()
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

    /// Whether a round that comes back to the header of a loop has changed nothing but these counters.
    fn only_tries(
        &self,
        blocks: &HashSet<usize>,
        counters: &HashSet<Reg>,
        live: &[Reg],
        pauses: &dyn Fn(FuncId) -> bool,
    ) -> bool {
        let code = || blocks.iter().flat_map(|&block| &self.graph.blocks[block].code);
        let harmless = |instr: &Instr| match instr {
            Instr::Load { .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Switch { .. }
            | Instr::LoopHead { .. }
            | Instr::LoopBack { .. } => true,
            Instr::Call { callee: Operand::Func(function), .. } => pauses(*function),
            other => only_computes(other),
        };
        let changed: HashSet<Reg> = code().flat_map(Instr::written).collect();
        code().all(harmless) && live.iter().all(|reg| counters.contains(reg) || !changed.contains(reg))
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
