//! Runs programs one thread after the other, each read seeing the latest write.
#![allow(dead_code)]

use selvedge_graph::{Tid, Value};
use selvedge_litmus::{Options, Test, parse};
use selvedge_machine::{Machine, Op, Program};

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Done,
    Blocked,
    Cut,
    Failed(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub ended: Ended,
    /// Every visible operation, with the value that it was given.
    pub trace: Vec<(usize, Op, Value)>,
    pub memory: Vec<Value>,
    pub regs: Vec<Vec<Value>>,
}

/// Runs `program` with the threads in order; choices take the values that `choose` gives.
pub fn run(program: &Program, mut choose: impl FnMut(u32) -> u32) -> Run {
    let mut run = Run {
        ended: Ended::Done,
        trace: Vec::new(),
        memory: program.locs.iter().map(|(_, v)| *v).collect(),
        regs: Vec::new(),
    };
    for t in 0..program.threads() {
        let mut state = program.start(Tid(t as u16));
        let mut input = 0;
        for _ in 0..2000 {
            let op = program.step(&mut state, input);
            input = match op {
                Op::Load { loc, .. } => run.memory[loc.index()],
                Op::Store { loc, value, .. } => {
                    run.memory[loc.index()] = value;
                    0
                }
                Op::Choose { count } => choose(count) as Value,
                _ => 0,
            };
            run.trace.push((t, op, input));
            run.ended = match op {
                Op::Block(_) => Ended::Blocked,
                Op::Cut => Ended::Cut,
                Op::Error(e) => Ended::Failed(program.error(e).message),
                Op::End => Ended::Done,
                _ => continue,
            };
            break;
        }
        run.regs.push(state.regs.to_vec());
        if run.ended != Ended::Done {
            break;
        }
    }
    run
}

pub fn test(text: &str) -> Test {
    parse("t.litmus", text, &Options::default()).unwrap_or_else(|d| panic!("{d}\n{text}"))
}

/// A test of one thread.
pub fn one(body: &str) -> Test {
    test(&format!(
        "C one\n{{ int a[3] = {{10, 20, 30}}; }}\nP0 (int* x, atomic_int* y, int* a) {{ {body} }}\nforall (true)\n"
    ))
}

/// What a register of the only thread ends with.
pub fn reg_after(body: &str, name: &str) -> Value {
    let test = one(body);
    let at = test.program.threads[0].regs.iter().position(|r| r == name);
    let run = run(&test.program, |_| 0);
    assert_eq!(run.ended, Ended::Done, "{body}");
    run.regs[0][at.unwrap_or_else(|| panic!("no {name} in {body}"))]
}

pub fn error(text: &str) -> String {
    match parse("t.litmus", text, &Options::default()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(d) => d.to_string(),
    }
}
