//! What the exploration says of a litmus test, in the words of [`selvedge_oracle::family::observe`].

use selvedge_explore::{Config, explore_compiled};
use selvedge_graph::EventId;
use selvedge_litmus::{Observable, Test};
use selvedge_model::Compiled;
use selvedge_oracle::family::Found;
use std::ops::ControlFlow;

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
