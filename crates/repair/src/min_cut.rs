//! Barriers by a minimum cut of the graph of states: the method of Huynh and Roychoudhury, for comparison
//! with the hitting set. What it proposes is sufficient, and is searched again; that it needs the fewest
//! places is not promised.

use selvedge_check::{Check, InputError, InputKind, Observer, Place, Searching, Stopped};
use selvedge_graph::Mode;
use selvedge_ir::{Instr, Module};
use selvedge_states::{Capacities, cut};
use std::collections::BTreeSet;

/// What came of it.
#[derive(Clone, Debug)]
pub struct MinCut {
    pub end: MinCutEnd,
    /// States and transitions of the graph, and those that sequential consistency has.
    pub states: usize,
    pub transitions: usize,
    pub white: usize,
    /// States that are to be prevented.
    pub bad: usize,
    /// Steps that were cut, over all rounds.
    pub edges: usize,
    /// How often a cut was made: a barrier changes the graph.
    pub rounds: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MinCutEnd {
    /// A barrier right before each of these.
    Barriers(Vec<Place>),
    /// Nothing is wrong as it is.
    Right,
    /// It is wrong under sequential consistency, too: what is.
    WrongUnderSc(String),
}

/// A barrier changes the graph, and with it what may be cut; this many times at most.
const ROUNDS: usize = 50;

/// Finds barriers. Asks about invariants, too.
pub fn min_cut(
    check: &Check,
    how: &Searching,
    capacities: Capacities,
    observer: &mut dyn Observer,
) -> Result<MinCut, InputError> {
    let input = |stopped: Stopped| match stopped {
        Stopped::Error(error) => error,
        Stopped::GaveUp(why, phase) => {
            InputError::plain(InputKind::Interrupted, format!("{why} while {}", phase.name()), None)
        }
    };
    let module = check.for_states().bytecode(observer).map_err(input)?;
    let mut places: BTreeSet<(String, u32, u32)> = BTreeSet::new();
    let mut first: Option<MinCut> = None;
    let mut edges = 0;
    for round in 0..ROUNDS {
        let found = check.state_graph(&with_barriers(&module, &places), how).map_err(input)?;
        let graph = &found.graph;
        let mut sinks: Vec<u32> = found.wrong.values().flatten().copied().collect();
        sinks.extend(found.endless());
        let result = first.get_or_insert_with(|| MinCut {
            end: MinCutEnd::Right,
            states: graph.states(),
            transitions: graph.edges().len(),
            white: graph.white(),
            bad: sinks.len(),
            edges: 0,
            rounds: 0,
        });
        if sinks.is_empty() {
            let place = |(file, line, column): &(String, u32, u32)| Place {
                file: file.clone(),
                line: *line,
                column: *column,
            };
            if !places.is_empty() {
                result.end = MinCutEnd::Barriers(places.iter().map(place).collect());
            }
            (result.edges, result.rounds) = (edges, round);
            return Ok(result.clone());
        }
        let Some(cut) = cut(graph, &sinks, capacities) else {
            let message = found.wrong.keys().next().map_or("threads go on for ever", |wrong| &wrong.message);
            result.end = MinCutEnd::WrongUnderSc(message.to_string());
            return Ok(result.clone());
        };
        edges += cut.edges;
        let before = places.len();
        for step in &cut.before {
            let Some(place) = &step.place else { continue };
            places.insert((place.file.clone(), place.line, place.column));
        }
        if places.len() == before {
            let message =
                "what has to be kept in order has no place in the source: compile with debug information";
            return Err(InputError::plain(InputKind::Unsupported, message, None));
        }
    }
    let message = format!("{ROUNDS} rounds of cuts did not come to an end");
    Err(InputError::plain(InputKind::Unsupported, message, None))
}

/// The bytecode with a full barrier right before what is at these places.
pub fn with_barriers(module: &Module, places: &BTreeSet<(String, u32, u32)>) -> Module {
    let mut module = module.clone();
    let files = module.files.clone();
    for function in &mut module.functions {
        let (mut code, mut at) = (Vec::new(), Vec::new());
        let mut starts: Vec<u32> = Vec::with_capacity(function.code.len() + 1);
        for (instr, place) in function.code.iter().zip(&function.places) {
            starts.push(code.len() as u32);
            let is_access = matches!(
                instr,
                Instr::Load { .. } | Instr::Store { .. } | Instr::Rmw { .. } | Instr::Cmpxchg { .. }
            );
            let calls = matches!(instr, Instr::Call { .. });
            let file = files.get(place.file as usize).cloned().unwrap_or_default();
            if (is_access || calls) && places.contains(&(file, place.line, place.col)) {
                code.push(Instr::Fence { mode: Mode::Sc });
                at.push(*place);
            }
            code.push(instr.clone());
            at.push(*place);
        }
        starts.push(code.len() as u32);
        for instr in &mut code {
            instr.for_targets_mut(|target| *target = starts[*target as usize]);
        }
        for header in function.loops.iter_mut().map(|l| &mut l.header) {
            *header = starts[*header as usize];
        }
        function.code = code;
        function.places = at;
    }
    module
}
