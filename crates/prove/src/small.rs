//! Small instances of a system, looked at before anything is asked of solvers.

use crate::prover::{Ending, Options, RealBug, Report};
use crate::reach::{Reached, reach};
use crate::structure::{instances, sizes};
use crate::system::{Shape, System};

/// Sizes of small instances, in all.
pub(crate) fn totals(system: &System, options: &Options) -> std::ops::RangeInclusive<usize> {
    let tree = system.sorts.iter().any(|s| s.shape == Shape::Tree);
    let most: usize = match (system.sorts.len(), tree) {
        (1, true) => options.small + 1,
        (1, false) => options.small,
        (n, _) => options.small * n + 1,
    };
    system.sorts.len()..=most
}

/// Looks at small instances: bugs, and whether anything happens at all.
pub(crate) fn explore(system: &System, options: &Options, report: &mut Report) {
    let mut taken = vec![false; system.steps.len()];
    let mut premise = vec![false; system.properties.len()];
    let mut budget = options.states * 6;
    'sizes: for total in totals(system, options) {
        for sizes in sizes(system, total) {
            for instance in instances(system, &sizes) {
                if budget == 0 {
                    break 'sizes;
                }
                let found: Reached = reach(system, &instance, options.states.min(budget), options.deadlock);
                budget = budget.saturating_sub(found.states);
                report.explored.0 += 1;
                report.explored.1 += found.states;
                taken.iter_mut().zip(&found.taken).for_each(|(a, b)| *a |= b);
                premise.iter_mut().zip(&found.premise).for_each(|(a, b)| *a |= b);
                for (all, here) in report.lands.iter_mut().flatten().zip(found.lands.iter().flatten()) {
                    if let Some(bits) = here {
                        *all = Some(all.unwrap_or(u64::MAX) & bits);
                    }
                }
                if report.false_conjunct.is_none()
                    && let Some((c, state)) = found.broken
                {
                    report.false_conjunct = Some((c, instance.clone(), state));
                }
                if report.false_rank.is_none()
                    && let Some((fall, state)) = found.unranked
                {
                    report.false_rank = Some((fall, instance.clone(), state));
                }
                if let Some((bug, states, steps)) = found.bug {
                    report.bug = Some(RealBug { instance, bug, states, steps });
                    return;
                }
            }
        }
    }
    if report.explored.0 == 0 {
        report.warnings.push(
            "no small instance satisfies the axioms: all that is said here may be about nothing".into(),
        );
        return;
    }
    for (s, step) in system.steps.iter().enumerate() {
        if !taken[s] {
            report.warnings.push(format!("the step {} is never taken in small instances", step.name));
        }
    }
    for (p, property) in system.properties.iter().enumerate() {
        if !premise[p] {
            let message = format!("the left side of {} never holds in small instances", property.name);
            report.warnings.push(message);
        }
    }
    if system.properties.is_empty() && system.steps.iter().all(|s| s.asserts.is_empty()) {
        report.warnings.push("no property is claimed, and nothing is asserted".into());
    }
}

/// Larger instances that are looked at, at most.
const MOST_LARGER: usize = 3;

/// Instances in which an obligation fails may be larger than those that were looked at: whether the bug is a
/// real one is found out there.
pub(crate) fn explore_larger(system: &System, options: &Options, report: &mut Report) {
    let mut larger = Vec::new();
    for done in &report.done {
        let Ending::Fails(found) = &done.ending else { continue };
        let seen = found.instance.sizes.iter().sum::<usize>() <= *totals(system, options).end();
        if !larger.contains(&found.instance) && (!seen || report.explored.0 == 0) {
            larger.push(found.instance.clone());
        }
    }
    for instance in larger.into_iter().take(MOST_LARGER) {
        let found = reach(system, &instance, options.states, options.deadlock);
        report.explored.0 += 1;
        report.explored.1 += found.states;
        if let Some((bug, states, steps)) = found.bug {
            report.bug = Some(RealBug { instance, bug, states, steps });
            return;
        }
        if report.false_conjunct.is_none()
            && let Some((c, state)) = found.broken
        {
            report.false_conjunct = Some((c, instance, state));
        }
    }
}
