//! What the enumeration says of a litmus test.

use crate::enumerate::{Detail, Limits, enumerate};
use crate::execution::{End, Execution};
use crate::trace::TooBig;
use selvedge_certify::Judge;
use selvedge_graph::{Kind, Tid, Value};
use selvedge_litmus::{Observable, Test};
use selvedge_machine::{Machine, Program, Registers};

/// How many complete executions there are, and in how many the condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Found {
    pub executions: u64,
    pub witnesses: u64,
}

/// Enumerates the executions of a test.
pub fn observe(test: &Test, judge: &Judge, limits: Limits) -> Result<Found, TooBig> {
    let mut found = Found::default();
    let program = &test.program.tracking(true, judge.has_arms());
    enumerate(program, judge, Detail::Co, limits, &mut |x| {
        if x.end() != End::Complete {
            return;
        }
        let registers = registers(program, x);
        let lookup = |o: &Observable| match o {
            Observable::Register { thread, reg, .. } => registers[thread.index()][reg.0 as usize],
            Observable::Location { loc, .. } => match x.co[loc.index()].last() {
                Some(&w) => x.events[w as usize].value,
                None => test.program.locs[loc.index()].1,
            },
        };
        if test.filter.as_ref().is_none_or(|f| f.eval(&lookup)) {
            found.executions += 1;
            found.witnesses += u64::from(test.condition.eval(&lookup));
        }
    })?;
    Ok(found)
}

/// The final registers of each thread: it is run once more with what it read.
fn registers(program: &Program, x: &Execution<'_>) -> Vec<Registers> {
    (0..program.threads.len() as u16)
        .map(|t| {
            let mut state = program.start(Tid(t));
            let mut input: Value = 0;
            for e in x.events.iter().filter(|e| e.tid == t) {
                program.step(&mut state, input);
                input = if matches!(e.kind, Kind::Read | Kind::Choice) { e.value } else { 0 };
            }
            program.step(&mut state, input);
            state.regs
        })
        .collect()
}
