//! What the enumeration says of a litmus test, and what the exploration says.

use crate::enumerate::{Detail, Limits, enumerate};
use crate::eval::Judge;
use crate::execution::{End, Execution};
use crate::trace::TooBig;
use selvedge_explore::{Config, explore_compiled};
use selvedge_graph::{EventId, Kind, Tid, Value};
use selvedge_litmus::{Observable, Test};
use selvedge_machine::{Machine, Program, Registers};
use selvedge_model::Compiled;
use std::ops::ControlFlow;

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

/// Explores the executions of a test; an error of the exploration in its own words.
pub fn explored(test: &Test, model: &Compiled) -> Result<Found, String> {
    let program = test.program.tracking(model.follows_dependencies(), model.has_arms());
    let mut found = Found::default();
    let stats = explore_compiled(&program, model, &Config::default(), &mut |x| {
        let lookup = |o: &Observable| match o {
            Observable::Register { thread, reg, .. } => {
                x.state(*thread).map_or(0, |state| state.regs[reg.0 as usize])
            }
            Observable::Location { loc, .. } => {
                let last = x.graph.co(*loc).last().copied().unwrap_or(EventId::INIT);
                x.graph.value_of(last, *loc)
            }
        };
        if x.end == selvedge_explore::End::Complete && test.filter.as_ref().is_none_or(|f| f.eval(&lookup)) {
            found.executions += 1;
            found.witnesses += u64::from(test.condition.eval(&lookup));
        }
        ControlFlow::Continue(())
    });
    match stats {
        Ok(stats) => stats.gave_up.map_or(Ok(found), |why| Err(why.to_string())),
        Err(error) => Err(error.to_string()),
    }
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
