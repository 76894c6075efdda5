//! Programs as text, for reports of disagreement.

use selvedge_machine::Program;
use selvedge_machine::program::{Addr, Instr, RmwOp};
use std::fmt::Write;

/// A thread per block, an instruction per line with its number.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    let inits: Vec<String> = program.locs.iter().map(|(name, init)| format!("{name} = {init}")).collect();
    let _ = writeln!(out, "{{ {} }}", inits.join("; "));
    for (t, thread) in program.threads.iter().enumerate() {
        let created = if thread.initial { "" } else { " (when spawned)" };
        let _ = writeln!(out, "T{t}{created}:");
        for (at, instr) in thread.code.iter().enumerate() {
            let _ = writeln!(out, "  {at:2}  {}", show(program, instr));
        }
    }
    out
}

fn address(program: &Program, addr: &Addr) -> String {
    let name = |loc: u32| program.locs.get(loc as usize).map_or("?", |(name, _)| name.as_str());
    match addr {
        Addr::Loc(loc) => name(loc.0).to_string(),
        Addr::Element { base, len, index } => format!("(&{})[{index} of {len}]", name(base.0)),
    }
}

fn show(program: &Program, instr: &Instr) -> String {
    let addr_of = |addr: &Addr| address(program, addr);
    match instr {
        Instr::Assign { dst, expr } => format!("r{} = {expr}", dst.0),
        Instr::Load { dst, addr, mode } => format!("r{} = load.{mode} {}", dst.0, addr_of(addr)),
        Instr::Store { addr, value, mode } => format!("store.{mode} {} = {value}", addr_of(addr)),
        Instr::Rmw { dst, addr, op, operand, mode } => {
            let op = match op {
                RmwOp::Exchange => "exchange",
                RmwOp::Add => "fetch_add",
                RmwOp::Sub => "fetch_sub",
                RmwOp::And => "fetch_and",
                RmwOp::Or => "fetch_or",
                RmwOp::Xor => "fetch_xor",
            };
            format!("r{} = {op}.{mode} {}, {operand}", dst.0, addr_of(addr))
        }
        Instr::Cas { ok, old, addr, expected, desired, success, failure, weak } => format!(
            "r{}, r{} = cas{}.{success}.{failure} {}, {expected} -> {desired}",
            ok.0,
            old.0,
            if *weak { "_weak" } else { "" },
            addr_of(addr)
        ),
        Instr::Fence { mode } => format!("fence.{mode}"),
        Instr::Branch { cond, target } => format!("if {cond} goto {target}"),
        Instr::Jump { target } => format!("goto {target}"),
        Instr::Assume { cond } => format!("assume {cond}"),
        Instr::Assert { cond, message } => format!("assert {cond} ({message})"),
        Instr::Cut => String::from("cut"),
        Instr::Spawn { thread } => format!("spawn T{}", thread.0),
        Instr::Join { thread } => format!("join T{}", thread.0),
    }
}
