//! Instances, states and ways as text.

use crate::eval::{Env, Instance, State};
use crate::expr::{Domain, Type};
use crate::reach::Bug;
use crate::system::{Kind, Shape, System};
use std::fmt::Write;

/// A name for an element.
pub fn element(system: &System, instance: &Instance, sort: usize, value: i64) -> String {
    match (system.sorts[sort].shape, &instance.bits) {
        (Shape::Bits, Some((length, set))) if *length > 0 => {
            let string = set.get(value as usize).copied().unwrap_or(0);
            format!("{string:0width$b}", width = *length as usize)
        }
        _ => value.to_string(),
    }
}

fn value(system: &System, instance: &Instance, ty: Type, value: i64) -> String {
    match ty {
        Type::Sort(s) => element(system, instance, s, value),
        ty => system.show(ty, value),
    }
}

/// What an instance is: sizes, the tree, constants.
pub fn instance(system: &System, i: &Instance) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (s, sort) in system.sorts.iter().enumerate() {
        parts.push(format!("{} {}", i.sizes[s], plural(&sort.name, i.sizes[s])));
    }
    let mut out = parts.join(", ");
    if let Some(tree) = &i.tree {
        let edge = |n: usize| {
            let kid = |c: Option<usize>| c.map_or("-".to_string(), |c| c.to_string());
            format!("{n}: {} {}", kid(tree.left[n]), kid(tree.right[n]))
        };
        let inner = (0..tree.left.len()).filter(|n| tree.left[*n].is_some() || tree.right[*n].is_some());
        let edges: Vec<String> = inner.map(edge).collect();
        if !edges.is_empty() {
            _ = write!(out, "; children {}", edges.join(", "));
        }
    }
    if let Some((length, _)) = &i.bits {
        _ = write!(out, " of {length} bits");
    }
    for (symbol, table) in &i.constants {
        let s = &system.symbols[*symbol];
        let values: Vec<String> = table.iter().map(|v| value(system, i, s.ty, *v)).collect();
        _ = write!(out, ", {} = {}", s.name, values.join(" "));
    }
    out
}

fn plural(name: &str, n: usize) -> String {
    let name = name.to_lowercase();
    if n == 1 { name } else { format!("{name}s") }
}

/// A state as a table: shared variables in a line, then a line for each element of a sort that has variables.
pub fn state(system: &System, i: &Instance, state: &State, before: Option<&State>) -> String {
    let mut out = String::new();
    let mark = |symbol: usize, cell: usize| match before {
        Some(b) if b.cells[symbol][cell] != state.cells[symbol][cell] => "*",
        _ => "",
    };
    let mut line = Vec::new();
    for (s, symbol) in system.symbols.iter().enumerate() {
        if symbol.kind == Kind::Shared && symbol.args.is_empty() {
            line.push(format!(
                "{} = {}{}",
                symbol.name,
                value(system, i, symbol.ty, state.cells[s][0]),
                mark(s, 0)
            ));
        }
    }
    if !line.is_empty() {
        _ = writeln!(out, "{}", line.join("  "));
    }
    for (sort, decl) in system.sorts.iter().enumerate() {
        let mut columns: Vec<Vec<String>> = Vec::new();
        let mut first = vec![decl.name.clone()];
        first.extend((0..i.sizes[sort]).map(|x| element(system, i, sort, x as i64)));
        columns.push(first);
        for (s, symbol) in system.symbols.iter().enumerate() {
            if symbol.kind == Kind::Const || symbol.args.first() != Some(&Domain::Sort(sort)) {
                continue;
            }
            let cells = i.cells(system, s);
            let mut column = vec![symbol.name.clone()];
            for x in 0..i.sizes[sort] as i64 {
                let here = cells.iter().enumerate().filter(|(_, c)| c[0] == x);
                let values: Vec<String> = here
                    .map(|(n, _)| format!("{}{}", value(system, i, symbol.ty, state.cells[s][n]), mark(s, n)))
                    .collect();
                column.push(values.join(" "));
            }
            columns.push(column);
        }
        if columns.len() == 1 {
            continue;
        }
        let width = |c: &Vec<String>| c.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        for row in 0..=i.sizes[sort] {
            let cells: Vec<String> = columns.iter().map(|c| format!("{:w$}", c[row], w = width(c))).collect();
            _ = writeln!(out, "{}", cells.join("  ").trim_end());
        }
    }
    out
}

/// Who takes a step, and what is chosen.
pub fn mover(system: &System, i: &Instance, step: usize, env: &Env) -> String {
    let step = &system.steps[step];
    let who = env.first().map_or(0, |e| e.1);
    let name = &system.sorts[system.threads].name.to_lowercase();
    let mut out = format!("{name} {} takes {}", element(system, i, system.threads, who), step.name);
    for (n, (_, d, name)) in step.params.iter().enumerate() {
        let x = env.get(n + 1).map_or(0, |e| e.1);
        let shown = value(system, i, d.of(), x);
        _ = write!(out, ", {name} = {shown}");
    }
    out
}

/// What is wrong.
pub fn bug(system: &System, bug: &Bug) -> String {
    match bug {
        Bug::Property(p) => format!("property {} is violated", system.properties[*p].name),
        Bug::Assertion(s, a) => {
            let step = &system.steps[*s];
            format!("the assertion at line {} fails in {}", step.asserts[*a].line, step.name)
        }
        Bug::Deadlock => "deadlock: nobody can go on, and somebody has not ended".into(),
        Bug::Forever(0) => "it goes on for ever: all steps, again and again".into(),
        Bug::Forever(n) => format!("it goes on for ever: the steps after {n}, again and again"),
    }
}
