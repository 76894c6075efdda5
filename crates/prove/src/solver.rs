//! SMT solvers as processes: a script goes in, an answer and perhaps values come out.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

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

    /// Asks.
    ///
    /// # Errors
    /// If the solver is not there, or says that the script is wrong.
    pub fn ask(self, script: &Script, limit: Duration) -> Result<Answer, SolverError> {
        let millis = limit.as_millis().max(1).to_string();
        let mut command = Command::new(self.name());
        match self {
            Solver::Z3 => {
                command.args(["-smt2", "-in", &format!("-t:{millis}")]);
            }
            Solver::Cvc5 => {
                command.args(["--lang=smt2", "--produce-models", &format!("--tlimit-per={millis}")]);
                if script.finite {
                    command.arg("--finite-model-find");
                }
                command.arg("-");
            }
        }
        let missing = |e: std::io::Error| SolverError::Missing(self.name(), e.to_string());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(missing)?;
        let text = script.text();
        let mut input = child.stdin.take().ok_or_else(|| missing(std::io::Error::other("no input")))?;
        // Solvers read while they answer: a writer of its own keeps both from waiting for each other.
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(text.as_bytes());
        });
        let mut out = String::new();
        if let Some(mut stdout) = child.stdout.take() {
            let _ = stdout.read_to_string(&mut out);
        }
        let _ = writer.join();
        let _ = child.wait();
        let out = out.trim();
        let (first, rest) = out.split_once('\n').unwrap_or((out, ""));
        match first.trim() {
            "unsat" => Ok(Answer::Unsat),
            "sat" => Ok(Answer::Sat(rest.to_string())),
            "unknown" | "timeout" => Ok(Answer::Unknown("out of time, or out of its depth".into())),
            "" => Ok(Answer::Unknown("it ended without an answer".into())),
            // cvc5 says so when its time is up.
            text if text.contains("interrupted") || text.contains("timeout") => {
                Ok(Answer::Unknown("out of time".into()))
            }
            text => Err(SolverError::Refused(self.name(), text.to_string())),
        }
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

/// The values of a `get-value` answer: numbers, truth values as 0 and 1; in the order in which they were asked for.
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
