//! What can be changed in the bytecode of a program, and where that is in its text.
//!
//! A site is a place of the source. Atomic operations of C++ and Rust are functions of their libraries: their
//! site is the call in the user's text. Where plain accesses count, because races are no errors, they are
//! sites as well; those of one statement have one place, and are told apart by columns that no text has
//! ([`STEP`]).

use crate::candidate::{Access, Dialect, Site, TextPlace};
use crate::text::{Calls, calls_in};
use selvedge_graph::Mode;
use selvedge_ir::{Function, Instr, Module, Operand, Place, Reg};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The second access of a statement has this much more in its column, the third twice as much.
const STEP: u32 = 1 << 16;

/// File, line and column in the bytecode.
pub type Spot = (u32, u32, u32);

/// What there is to change.
pub struct Sites {
    pub sites: Vec<Site>,
    /// By file, line and column of the bytecode.
    pub at: HashMap<Spot, usize>,
    /// The sources, as they were when they were compiled.
    pub texts: BTreeMap<String, Calls>,
    /// Fences that nobody knows the column of cannot be told from those that are added.
    pub odd_fences: bool,
}

impl Sites {
    /// The sites of a program, whose places are changed so that each site has its own. `plain`: plain
    /// accesses count.
    pub fn of(module: &mut Module, plain: bool, dialect: Dialect) -> Sites {
        fold_libraries(module, dialect);
        if plain || dialect == Dialect::DotNet {
            tell_apart(module, dialect);
        }
        let mut found: Vec<(Place, Option<Place>, Site)> = Vec::new();
        let mut calls: HashMap<u32, Option<Calls>> = HashMap::new();
        let mut odd_fences = false;
        for function in &module.functions {
            let depths = depths(function);
            let private = private(function);
            let reachable = reachable(function);
            let mut last: Option<(u32, usize)> = None;
            for (pc, instr) in function.code.iter().enumerate().filter(|(pc, _)| reachable[*pc]) {
                let Some((access, mode, failure)) = access_of(instr) else { continue };
                let place = function.places.get(pc).copied().unwrap_or_default();
                odd_fences |= access == Access::Fence && place.col == 0;
                if place.line == 0 || place.col == 0 || is_private(instr, &private) {
                    continue;
                }
                let Some(file) = module.files.get(place.file as usize).filter(|file| is_users(file, dialect))
                else {
                    continue;
                };
                let known = calls.entry(place.file).or_insert_with(|| calls_in(file)).as_ref();
                let (column, part) = (place.col % STEP, place.col / STEP);
                // Where columns are not known, the first access has the first part.
                let is_part = part > u32::from(column == 0);
                let spot = known.and_then(|calls| calls.at(place.line, column));
                // Whether this is the first access of its statement: a fence before that one can be written.
                let statement = spot.as_ref().and_then(|spot| Some((place.file, spot.before?)));
                let is_first = statement.is_some() && statement != last;
                last = statement;
                if mode == Mode::Na && !plain {
                    continue;
                }
                let (fences, by_hand) = match (access, mode, known) {
                    (Access::Fence, _, _) => ((false, false), false),
                    (_, Mode::Na, _) => ((true, false), !is_first || is_part),
                    _ if dialect == Dialect::DotNet => ((true, false), !is_first || is_part),
                    (_, _, None) => ((true, true), false),
                    _ => (spot.map_or((false, false), |s| (s.can_precede(true), s.can_follow())), false),
                };
                let site = Site {
                    place: TextPlace { file: file.clone(), line: place.line, column },
                    function: inlined_into(module, place).unwrap_or_else(|| function.name.clone()),
                    access,
                    mode,
                    failure,
                    given: None,
                    depth: depths[pc],
                    fences,
                    next: None,
                    kept: false,
                    by_hand,
                };
                found.push((place, next_access(function, pc), site));
            }
        }
        found.sort_by(|a, b| (&a.2.place, a.0.col).cmp(&(&b.2.place, b.0.col)));
        let texts =
            calls.into_iter().filter_map(|(file, calls)| Some((module.files[file as usize].clone(), calls?)));
        let texts = texts.collect();
        let (sites, at) = by_place(found);
        Sites { sites, at, texts, odd_fences }
    }
}

/// One site for all that is at a place.
fn by_place(found: Vec<(Place, Option<Place>, Site)>) -> (Vec<Site>, HashMap<Spot, usize>) {
    let mut sites: Vec<Site> = Vec::new();
    let mut at: HashMap<Spot, usize> = HashMap::new();
    let mut unlike: Vec<usize> = Vec::new();
    let mut after: Vec<Option<Place>> = Vec::new();
    for (place, next, site) in found {
        let number = *at.entry((place.file, place.line, place.col)).or_insert(sites.len());
        match sites.get_mut(number) {
            None => {
                sites.push(site);
                after.push(next);
            }
            Some(known) => {
                // Copies of one access may be followed by different ones.
                let place = |place: Option<Place>| place.map(|p| (p.file, p.line, p.col));
                if place(after[number]) != place(next) {
                    after[number] = None;
                }
                if (known.access, known.mode, known.failure) != (site.access, site.mode, site.failure) {
                    unlike.push(number);
                }
                known.depth = known.depth.max(site.depth);
                known.by_hand |= site.by_hand;
            }
        }
    }
    // Several accesses by one call: nobody could say which of them is meant.
    at.retain(|_, number| !unlike.contains(number));
    for number in unlike {
        sites[number].kept = true;
    }
    for (site, next) in sites.iter_mut().zip(after) {
        site.next = next.and_then(|next| at.get(&(next.file, next.line, next.col)).copied());
    }
    (sites, at)
}

/// Accesses within the atomic operations of a library get the place of the user's call.
fn fold_libraries(module: &mut Module, dialect: Dialect) {
    let Module { functions, files, notes, .. } = module;
    for function in functions {
        for (instr, place) in function.code.iter().zip(&mut function.places) {
            let file = |at: u32| files.get(at as usize).map_or("", String::as_str);
            if access_of(instr).is_none() || !is_atomic_library(file(place.file)) {
                continue;
            }
            let note = place.note.checked_sub(1).and_then(|note| notes.get(note as usize));
            let mut callers = note.into_iter().flat_map(|note| &note.inlined).map(|(_, call)| call);
            let user = callers.find(|call| !is_atomic_library(file(call.file)));
            // What else is in a library is not the user's to change.
            if let Some(user) = user.filter(|call| is_users(file(call.file), dialect)) {
                *place = Place { note: place.note, ..*user };
            }
        }
    }
}

/// Plain accesses of one statement, and all accesses of a .NET statement, get columns of their own.
fn tell_apart(module: &mut Module, dialect: Dialect) {
    let Module { functions, files, .. } = module;
    for function in functions {
        let private = private(function);
        let is_shared = |instr: &Instr, mode: Mode| {
            (mode == Mode::Na || dialect == Dialect::DotNet) && !is_private(instr, &private)
        };
        let all = || function.code.iter().zip(&function.places);
        let mut counts: HashMap<(u32, u32, u32, u32), u32> = HashMap::new();
        let key = |place: &Place| (place.file, place.line, place.col, place.note);
        for (instr, place) in all() {
            if access_of(instr).is_some_and(|(_, mode, _)| !is_shared(instr, mode)) {
                counts.entry(key(place)).or_insert(1);
            }
        }
        let mut places = function.places.clone();
        for ((instr, place), new) in all().zip(&mut places) {
            let Some((_, mode, _)) = access_of(instr) else { continue };
            let users = files.get(place.file as usize).is_some_and(|file| is_users(file, dialect));
            if !users || place.line == 0 || place.col >= STEP || !is_shared(instr, mode) {
                continue;
            }
            let count = counts.entry(key(place)).or_insert(u32::from(place.col == 0));
            new.col += STEP * *count;
            *count += 1;
        }
        function.places = places;
    }
}

/// What can be reached. An ordering that is an argument of an inlined function is a constant that is switched
/// on.
fn reachable(function: &Function) -> Vec<bool> {
    let n = function.code.len();
    let mut seen = vec![false; n];
    let mut pending = if n > 0 { vec![0] } else { Vec::new() };
    while let Some(at) = pending.pop() {
        if at >= n || std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match &function.code[at] {
            Instr::Switch { value: Operand::Const(value), cases, default } => {
                let case = cases.iter().find(|(case, _)| case == value).map_or(default, |(_, to)| to);
                pending.push(*case as usize);
            }
            instr => instr.for_successors(at as u32, |to| pending.push(to as usize)),
        }
    }
    seen
}

/// Rooms of the frame that no other thread sees.
fn private(function: &Function) -> HashSet<Reg> {
    let room = |instr: &Instr| match instr {
        Instr::Alloca { dst, private: true, .. } => Some(*dst),
        _ => None,
    };
    function.code.iter().filter_map(room).collect()
}

fn is_private(instr: &Instr, private: &HashSet<Reg>) -> bool {
    match instr {
        Instr::Load { addr: Operand::Reg(reg), .. } | Instr::Store { addr: Operand::Reg(reg), .. } => {
            private.contains(reg)
        }
        _ => false,
    }
}

pub fn access_of(instr: &Instr) -> Option<(Access, Mode, Option<Mode>)> {
    Some(match instr {
        Instr::Load { mode, .. } => (Access::Load, *mode, None),
        Instr::Store { mode, .. } => (Access::Store, *mode, None),
        Instr::Rmw { mode, .. } => (Access::Rmw, *mode, None),
        Instr::Cmpxchg { success, failure, .. } => (Access::CompareExchange, *success, Some(*failure)),
        Instr::Fence { mode } => (Access::Fence, *mode, None),
        _ => return None,
    })
}

/// Headers of the system, of libraries and of Selvedge are nobody's to change. What has no lines in .NET is
/// called by its method.
fn is_users(file: &str, dialect: Dialect) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| file.ends_with(end));
    match dialect {
        Dialect::DotNet => ends(&[".cs", ".vb", ".fs", ".il"]),
        _ => !file.starts_with("/usr/") && !file.contains("selvedge-headers-") && !file.starts_with('<'),
    }
}

/// Where the libraries of C++ and Rust have their atomic operations.
fn is_atomic_library(file: &str) -> bool {
    let ends =
        ["<rust>/core/src/sync/atomic.rs", "/atomic", "/bits/atomic_base.h", "/bits/atomic_wide_counter.h"];
    ends.iter().any(|end| file.ends_with(end)) || file.contains("/c++/") && file.contains("/__atomic/")
}

/// The function that an instruction was written in, if it was inlined from there.
fn inlined_into(module: &Module, place: Place) -> Option<String> {
    let note = module.notes.get(place.note.checked_sub(1)? as usize)?;
    // What was folded is in the function that has the call.
    let is_here =
        |call: &Place| (call.file, call.line, call.col) == (place.file, place.line, place.col % STEP);
    let within = note.inlined.iter().position(|(_, call)| is_here(call)).map_or(0, |at| at + 1);
    note.inlined.get(within).map(|(name, _)| name.clone())
}

/// The place of the atomic access that follows in any case, before anything else that others can see.
fn next_access(function: &Function, pc: usize) -> Option<Place> {
    let mut targets = vec![false; function.code.len() + 1];
    for instr in &function.code {
        instr.for_targets(|target| targets[*target as usize] = true);
    }
    for (at, instr) in function.code.iter().enumerate().skip(pc + 1) {
        if targets[at] || instr.ends_block() || matches!(instr, Instr::Call { .. }) {
            return None;
        }
        match access_of(instr) {
            Some((Access::Fence, _, _) | (_, Mode::Na, _)) => return None,
            Some(_) => return function.places.get(at).copied(),
            None => {}
        }
    }
    None
}

/// How many loops each instruction is in.
fn depths(function: &Function) -> Vec<u32> {
    let n = function.code.len();
    let mut depths = vec![0; n];
    if n == 0 {
        return depths;
    }
    let successors = |at: usize| {
        let mut all = Vec::new();
        function.code[at].for_successors(at as u32, |to| all.push(to as usize));
        all.into_iter().filter(move |to| *to < n).collect::<Vec<_>>()
    };
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); n];
    for at in 0..n {
        successors(at).into_iter().for_each(|to| before[to].push(at));
    }
    // Edges back to what is not finished, by header.
    let mut back: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut state = vec![0u8; n];
    let mut stack: Vec<(usize, Vec<usize>)> = vec![(0, successors(0))];
    state[0] = 1;
    while let Some((at, open)) = stack.last_mut() {
        match open.pop() {
            Some(to) if state[to] == 0 => {
                state[to] = 1;
                stack.push((to, successors(to)));
            }
            Some(to) if state[to] == 1 => back.entry(to).or_default().push(*at),
            Some(_) => {}
            None => {
                state[*at] = 2;
                stack.pop();
            }
        }
    }
    for (header, mut pending) in back {
        let mut inside = vec![false; n];
        inside[header] = true;
        while let Some(at) = pending.pop() {
            if !std::mem::replace(&mut inside[at], true) {
                pending.extend(&before[at]);
            }
        }
        depths.iter_mut().zip(inside).filter(|(_, inside)| *inside).for_each(|(depth, _)| *depth += 1);
    }
    depths
}
