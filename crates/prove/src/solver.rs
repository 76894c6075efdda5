//! SMT solvers as processes: a script goes in, an answer and perhaps values come out.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A solver that is known how to be called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solver {
    /// Z3.
    Z3,
    /// cvc5.
    Cvc5,
}

/// What a solver says of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It cannot hold.
    Unsat,
    /// It can; what was printed after the answer.
    Sat(String),
    /// Nobody knows: out of time, or out of its depth.
    Unknown(String),
}

/// A solver that cannot be asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolverError {
    /// It is not there.
    #[error("the solver `{0}` cannot be started: {1}")]
    Missing(&'static str, String),
    /// It does not understand what it was given.
    #[error("the solver `{0}` refuses a question: {1}")]
    Refused(&'static str, String),
}

impl Solver {
    /// Its name and that of its command.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Z3 => "z3",
            Solver::Cvc5 => "cvc5",
        }
    }

    /// The other one.
    pub fn other(self) -> Solver {
        match self {
            Solver::Z3 => Solver::Cvc5,
            Solver::Cvc5 => Solver::Z3,
        }
    }

    fn command(self, finite: bool) -> Command {
        let mut command = Command::new(self.name());
        match self {
            Solver::Z3 => {
                command.args(["-smt2", "-in"]);
            }
            Solver::Cvc5 => {
                command.args(["--lang=smt2", "--incremental", "--produce-models"]);
                if finite {
                    command.arg("--finite-model-find");
                }
                command.arg("-");
            }
        }
        command
    }

    /// How much work a question may take: both count what they do, so that answers do not depend on how busy
    /// a machine is.
    fn limited(self, work: u64) -> String {
        match self {
            // None at all is no limit.
            Solver::Z3 => format!("(set-option :rlimit {})\n", work.max(1)),
            Solver::Cvc5 => format!("(set-option :rlimit-per {})\n", (work / CVC5_UNIT).max(1)),
        }
    }
}

/// What cvc5 counts takes so many times as long as what z3 counts, about.
const CVC5_UNIT: u64 = 4;

/// A solver that says nothing for so long does not count its work: it is given up on.
const PATIENCE: Duration = Duration::from_secs(900);

/// Questions with less work than this are asked of z3 on top of each other, which takes half the time that a
/// new beginning takes. Harder ones are begun anew: their formulas are prepared better then.
const EASY: u64 = 60_000;

/// Said by a solver after each answer.
const MARK: &str = "end-of-answer";

/// A solver that runs and is asked one question after the other.
struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// The logic is set, and nothing else is known.
    ready: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Solvers that run. Starting one takes longer than most questions.
#[derive(Default)]
pub struct Solvers {
    running: Vec<((Solver, bool), Running)>,
}

impl Solvers {
    /// The next question is asked as if nothing had been asked before.
    pub fn forget(&mut self) {
        self.running.iter_mut().for_each(|r| r.1.ready = false);
    }

    /// Asks.
    ///
    /// # Errors
    /// If the solver is not there, or says that the script is wrong.
    pub fn ask(&mut self, solver: Solver, script: &Script, work: u64) -> Result<Answer, SolverError> {
        let finite = script.finite && solver == Solver::Cvc5;
        let key = (solver, finite);
        let at = match self.running.iter().position(|r| r.0 == key) {
            Some(at) => at,
            None => {
                self.running.push((key, Running::start(solver, finite)?));
                self.running.len() - 1
            }
        };
        match self.running[at].1.ask(solver, script, work) {
            Some(lines) => read(solver, &lines),
            None => {
                // It died, or does not listen: the next question starts it anew.
                self.running.remove(at);
                Ok(Answer::Unknown("out of time, or it ended without an answer".into()))
            }
        }
    }
}

impl Running {
    fn start(solver: Solver, finite: bool) -> Result<Running, SolverError> {
        let missing = |e: std::io::Error| SolverError::Missing(solver.name(), e.to_string());
        let mut child = solver
            .command(finite)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(missing)?;
        let pipe = || missing(std::io::Error::other("it has no pipes"));
        let input = child.stdin.take().ok_or_else(pipe)?;
        let output = child.stdout.take().ok_or_else(pipe)?;
        let (send, lines) = channel();
        // Reads on its own, so that a solver that says nothing can be given up on. Ends with the solver.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Running { child, input, lines, ready: false })
    }

    fn ask(&mut self, solver: Solver, script: &Script, work: u64) -> Option<Vec<String>> {
        let limit = solver.limited(work);
        let text = if solver == Solver::Z3 && work <= EASY {
            let begin = if self.ready { "" } else { "(reset)\n(set-logic ALL)\n" };
            self.ready = true;
            format!("{begin}(push 1)\n{limit}{}(pop 1)\n(echo \"{MARK}\")\n", script.body())
        } else {
            self.ready = false;
            format!("(reset)\n{limit}{}(echo \"{MARK}\")\n", script.text())
        };
        self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush()).ok()?;
        let until = Instant::now() + PATIENCE;
        let mut found = Vec::new();
        loop {
            let line = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())).ok()?;
            if line.contains(MARK) {
                return Some(found);
            }
            found.push(line);
        }
    }
}

fn read(solver: Solver, lines: &[String]) -> Result<Answer, SolverError> {
    let (first, rest) = match lines.split_first() {
        Some((first, rest)) => (first.trim(), rest.join("\n")),
        None => ("", String::new()),
    };
    match first {
        "unsat" => Ok(Answer::Unsat),
        "sat" => Ok(Answer::Sat(rest)),
        "unknown" | "timeout" | "" => {
            Ok(Answer::Unknown(format!("{} does not know within the limit of its work", solver.name())))
        }
        // cvc5 says so when it was stopped, and z3 when reading alone takes more work than it may.
        text if ["interrupted", "timeout", "canceled", "resource limit"].iter().any(|w| text.contains(w)) => {
            Ok(Answer::Unknown(format!("{} was stopped", solver.name())))
        }
        text => Err(SolverError::Refused(solver.name(), text.to_string())),
    }
}

/// A question: is there anything that satisfies all of this?
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Declarations and assertions.
    pub lines: Vec<String>,
    /// Terms whose values are wanted if there is.
    pub values: Vec<String>,
    /// No quantifier is over numbers: finite models can be searched for.
    pub finite: bool,
    /// What is asked, for readers.
    pub comment: String,
}

impl Script {
    /// A line.
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// An assertion.
    pub fn assert(&mut self, formula: &str) {
        if formula != "true" {
            self.lines.push(format!("(assert {formula})"));
        }
    }

    /// What is sent.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.comment.lines() {
            text.push_str(&format!("; {line}\n"));
        }
        text.push_str("(set-logic ALL)\n");
        text + &self.body()
    }

    /// The same without what can only be said at the beginning.
    fn body(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("(check-sat)\n");
        if !self.values.is_empty() {
            text.push_str(&format!("(get-value ({}))\n", self.values.join(" ")));
        }
        text
    }
}

/// The values of a `get-value` answer: numbers, truth values as 0 and 1; in the order in which they were
/// asked for.
pub fn values(text: &str) -> Option<Vec<i64>> {
    let mut found = Vec::new();
    let mut stack: Vec<Vec<Node>> = vec![Vec::new()];
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    for word in spaced.split_whitespace() {
        match word {
            "(" => stack.push(Vec::new()),
            ")" => {
                let done = stack.pop()?;
                stack.last_mut()?.push(Node::List(done));
            }
            word => stack.last_mut()?.push(Node::Word(word.to_string())),
        }
    }
    let Some(Node::List(pairs)) = stack.first()?.first() else { return None };
    for pair in pairs {
        let Node::List(pair) = pair else { return None };
        found.push(pair.last()?.number()?);
    }
    Some(found)
}

enum Node {
    Word(String),
    List(Vec<Node>),
}

impl Node {
    fn number(&self) -> Option<i64> {
        match self {
            Node::Word(w) if w == "true" => Some(1),
            Node::Word(w) if w == "false" => Some(0),
            Node::Word(w) => w.parse().ok(),
            Node::List(parts) => match parts.as_slice() {
                [Node::Word(minus), n] if minus == "-" => n.number().map(|n| -n),
                _ => None,
            },
        }
    }
}
