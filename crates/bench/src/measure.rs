//! One row: a program under a model, with what it cost.

use selvedge_bench::programs;
use selvedge_explore::{Config, Equivalence, explore};
use selvedge_machine::Foresight;
use selvedge_model::{Classes, Model};
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub executions: u64,
    pub blocked: u64,
    pub revisits: u64,
    pub events: u64,
    pub seconds: f64,
    /// Of the exploration, in user mode, where the machine counts them.
    pub instructions: Option<u64>,
    pub peak_kib: u64,
}

impl Measured {
    pub fn to_line(&self) -> String {
        let instructions = self.instructions.map_or(String::from("-"), |n| n.to_string());
        format!(
            "{} {} {} {} {:.6} {} {}",
            self.executions,
            self.blocked,
            self.revisits,
            self.events,
            self.seconds,
            instructions,
            self.peak_kib
        )
    }

    fn parse(line: &str) -> Option<Measured> {
        let mut words = line.split_whitespace();
        let mut int = || words.next()?.parse::<u64>().ok();
        let (executions, blocked, revisits, events) = (int()?, int()?, int()?, int()?);
        Some(Measured {
            executions,
            blocked,
            revisits,
            events,
            seconds: words.next()?.parse().ok()?,
            instructions: words.next()?.parse().ok(),
            peak_kib: words.next()?.parse().ok()?,
        })
    }
}

/// Measures in this process.
pub fn run(program: &str, n: &str, model: &str, equivalence: &str) -> Result<Measured, String> {
    let n: usize = n.parse().map_err(|_| format!("`{n}` is not a number"))?;
    let machine =
        programs::by_name(program, n).ok_or_else(|| format!("no benchmark `{program}`; see `list`"))?;
    let theory = selvedge_kat::load_named(model).map_err(|d| d.to_string())?;
    let model = match machine.event_classes() {
        Some(classes) => Model::compile_for(&theory, &Classes::new(classes.into_attrs())),
        None => Model::compile(&theory),
    };
    let model = model.map_err(|d| d.to_string())?;
    let equivalence = match equivalence {
        "co" => Equivalence::Co,
        "rf" => Equivalence::Rf,
        other => return Err(format!("`{other}` is not an equivalence; use co or rf")),
    };
    let config = Config { equivalence, ..Config::default() };
    let mut counter = perf_event::Builder::new().build().ok();
    if let Some(c) = &mut counter {
        let _ = c.enable();
    }
    let start = Instant::now();
    let stats =
        explore(&machine, &model, &config, &mut |_| ControlFlow::Continue(())).map_err(|e| e.to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    let instructions = counter.as_mut().and_then(|c| {
        c.disable().ok()?;
        c.read().ok()
    });
    if let Some(why) = stats.gave_up {
        return Err(why.to_string());
    }
    Ok(Measured {
        executions: stats.complete,
        blocked: stats.blocked + stats.cut + stats.errors,
        revisits: stats.revisits,
        events: stats.events,
        seconds,
        instructions,
        peak_kib: peak_kib(),
    })
}

/// Measures in a process of its own.
pub fn run_apart(program: &str, n: usize, model: &str, equivalence: &str) -> Result<Measured, String> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let out = Command::new(me)
        .args(["run", program, &n.to_string(), model, equivalence])
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&out.stdout);
    Measured::parse(&text).ok_or_else(|| String::from_utf8_lossy(&out.stderr).trim().to_string())
}

/// The largest amount of memory that this process ever had, in KiB.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
