//! Answers on paper: text, JSON, drawings, litmus tests.

use super::args::ModelArgs;
use crate::error::{Exit, InputError, InputKind};
use crate::escape::{name, shown};
use crate::json::result_json;
use crate::output::{complain, print, print_json as print_text};
use selvedge_decide::answer::{Answer, Counterexample, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// An answer, and between which models it was asked: the stronger and the weaker one.
pub struct Claim {
    pub about: Option<(String, String)>,
    pub answer: Answer,
}

impl Claim {
    fn counterexample(&self) -> Option<&Counterexample> {
        match &self.answer.verdict {
            Verdict::Fails(c) => Some(c),
            _ => None,
        }
    }
}

pub fn exit(claims: &[Claim]) -> Exit {
    claims.iter().fold(Exit::Done, |exit, c| {
        exit.worst(match c.answer.verdict {
            Verdict::Holds => Exit::Done,
            Verdict::Fails(_) => Exit::Violated,
            Verdict::Unknown(_) => Exit::Bounded,
        })
    })
}

pub fn json(claim: &Claim) -> Value {
    let a = &claim.answer;
    let mut value = json!({ "claim": a.claim, "walks": a.walks, "states": a.states });
    match &a.verdict {
        Verdict::Holds => value["verdict"] = "holds".into(),
        Verdict::Unknown(why) => {
            value["verdict"] = "unknown".into();
            value["reason"] = why.clone().into();
        }
        Verdict::Fails(c) => {
            value["verdict"] = "fails".into();
            let events: Vec<String> = (0..c.example.events.len()).map(|x| c.example.label(x)).collect();
            value["counterexample"] = json!({
                "walk": c.word,
                "events": events,
                "execution": c.example.text(),
                "litmus": c.example.litmus("counterexample"),
            });
        }
    }
    value
}

pub fn print_json(value: &Value) {
    print_text(&result_json("model", value));
}

pub fn print_claims(args: &ModelArgs, title: &str, claims: &[Claim], notes: &[String], seconds: f64) {
    if args.format.is_json() {
        let claims: Vec<Value> = claims.iter().map(json).collect();
        return print_json(&json!({ "model": title, "claims": claims, "notes": notes, "seconds": seconds }));
    }
    let mut out = format!("{title}\n");
    if claims.is_empty() {
        out.push_str("  nothing is asserted\n");
    }
    for c in claims {
        match &c.answer.verdict {
            Verdict::Holds => {
                let _ = writeln!(out, "  holds    {}", c.answer.claim);
            }
            Verdict::Unknown(why) => {
                let _ = writeln!(out, "  unknown  {}\n           {why}", c.answer.claim);
            }
            Verdict::Fails(x) => {
                let _ = writeln!(out, "  FAILS    {}\n           {}", c.answer.claim, x.word);
                out.push_str(&indent(&x.example.text()));
            }
        }
    }
    let _ = writeln!(out, "({seconds:.2} s)");
    print(&out);
}

/// The first execution that `allows` allows and `forbids` forbids, or what stands in the way.
pub fn distinguishing(claims: &[Claim], allows: &str, forbids: &str) -> String {
    let mut out = String::new();
    if let Some(c) = claims.iter().find_map(|c| c.counterexample().map(|x| (c, x))) {
        let _ = writeln!(out, "\n{allows} allows, {forbids} forbids ({}):", c.0.answer.claim);
        let _ = writeln!(out, "  {}", c.1.word);
        out.push_str(&c.1.example.text());
        return out;
    }
    for c in claims {
        if let Verdict::Unknown(why) = &c.answer.verdict {
            let _ = writeln!(
                out,
                "\nundecided whether {allows} implies `{}` of {forbids}:\n  {why}",
                c.answer.claim
            );
        }
    }
    out
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("         {line}\n")).collect()
}

/// Writes the drawing and the test of the first counterexample, if they are asked for.
pub fn save(args: &ModelArgs, claims: &[Claim]) -> Result<(), InputError> {
    if args.dot.is_none() && args.svg.is_none() && args.litmus.is_none() {
        return Ok(());
    }
    let Some((claim, c)) = claims.iter().find_map(|c| c.counterexample().map(|x| (c, x))) else {
        complain("nothing fails: there is no execution to draw or to test");
        return Ok(());
    };
    let drawing = c.example.dot(&claim.answer.claim);
    if let Some(path) = &args.dot {
        write(path, &drawing)?;
    }
    if let Some(path) = &args.svg {
        crate::check::save(path, &drawing, true).map_err(|m| InputError::plain(InputKind::Io, m, None))?;
    }
    if let Some(path) = &args.litmus {
        let name = path.file_stem().map_or("counterexample".into(), |s| s.to_string_lossy().into_owned());
        let Some(mut test) = c.example.litmus(&name) else {
            let message = "the counterexample has events that C has no words for";
            return Err(InputError::plain(InputKind::Unsupported, message, None));
        };
        if let Some((allows, forbids)) = &claim.about {
            test.push_str(&format!("(* allowed by {allows}, forbidden by {forbids} *)\n"));
        }
        write(path, &test)?;
    }
    Ok(())
}

pub fn write(path: &Path, text: &str) -> Result<(), InputError> {
    std::fs::write(path, &*shown(text))
        .map_err(|e| InputError::plain(InputKind::Io, format!("cannot write {}: {e}", name(path)), None))
}
