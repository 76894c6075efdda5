//! `model check`, `model compare` and `model map`.

use super::args::ModelArgs;
use super::certify;
use super::report::{self, Claim};
use super::{load, refused};
use crate::error::{Exit, InputError};
use selvedge_decide::answer::{Answer, asserts, stronger};
use selvedge_decide::search::Limits;
use selvedge_kat::Theory;
use serde_json::json;
use std::time::Instant;

pub fn check(args: &ModelArgs, file: &str, limits: Limits) -> Result<Exit, InputError> {
    let theory = load(file)?;
    let start = Instant::now();
    let answers = asserts(&theory, limits).map_err(refused)?;
    let mut claims: Vec<Claim> = answers.into_iter().map(|answer| Claim { about: None, answer }).collect();
    if args.certify {
        certify::asserts(&theory, &mut claims);
    }
    report::save(args, &claims)?;
    let seconds = start.elapsed().as_secs_f64();
    let unused: Vec<String> = Vec::new();
    report::print_claims(args, &theory.name, &claims, &unused, seconds);
    Ok(report::exit(&claims))
}

/// The answers for whether all that `strong` allows is allowed by `weak`.
fn implication(
    args: &ModelArgs,
    strong: &Theory,
    weak: &Theory,
    scheme: &[&Theory],
    limits: Limits,
) -> Result<Vec<Claim>, InputError> {
    let answers: Vec<Answer> = stronger(strong, weak, scheme, limits).map_err(refused)?;
    let about = |a| Claim { about: Some((strong.name.clone(), weak.name.clone())), answer: a };
    let mut claims: Vec<Claim> = answers.into_iter().map(about).collect();
    if args.certify {
        certify::implication(strong, weak, scheme, &mut claims);
    }
    Ok(claims)
}

pub fn map(
    args: &ModelArgs,
    source: &str,
    target: &str,
    scheme: &[String],
    limits: Limits,
) -> Result<Exit, InputError> {
    let (source, target) = (load(source)?, load(target)?);
    let schemes: Vec<Theory> = scheme.iter().map(|s| load(s)).collect::<Result<_, _>>()?;
    let schemes: Vec<&Theory> = schemes.iter().collect();
    let start = Instant::now();
    let claims = implication(args, &target, &source, &schemes, limits)?;
    report::save(args, &claims)?;
    let title = format!("{} → {}", source.name, target.name);
    report::print_claims(args, &title, &claims, &[], start.elapsed().as_secs_f64());
    Ok(report::exit(&claims))
}

pub fn compare(args: &ModelArgs, first: &str, second: &str, limits: Limits) -> Result<Exit, InputError> {
    let (a, b) = (load(first)?, load(second)?);
    // Names to tell the two apart by, if they call themselves the same.
    let names = if a.name == b.name {
        (first.to_string(), second.to_string())
    } else {
        (a.name.clone(), b.name.clone())
    };
    let start = Instant::now();
    let weaker = implication(args, &b, &a, &[], limits)?;
    let stronger = implication(args, &a, &b, &[], limits)?;
    let seconds = start.elapsed().as_secs_f64();
    let holds = |claims: &[Claim]| claims.iter().all(|c| c.answer.verdict.holds());
    let fails = |claims: &[Claim]| claims.iter().any(|c| c.answer.verdict.fails());
    let word = match (holds(&weaker), holds(&stronger), fails(&weaker), fails(&stronger)) {
        (true, true, ..) => "equal",
        (true, _, _, true) => "weaker",
        (_, true, true, _) => "stronger",
        (_, _, true, true) => "incomparable",
        _ => "undecided",
    };
    let mut all = weaker;
    let split = all.len();
    all.extend(stronger);
    report::save(args, &all)?;
    if args.format.is_json() {
        let value = json!({
            "first": names.0,
            "second": names.1,
            "verdict": word,
            "second_implies_first": all[..split].iter().map(report::json).collect::<Vec<_>>(),
            "first_implies_second": all[split..].iter().map(report::json).collect::<Vec<_>>(),
            "seconds": seconds,
        });
        report::print_json(&value);
    } else {
        let verb = match word {
            "equal" => format!("{} and {} are equal", names.0, names.1),
            "weaker" => format!("{} is weaker than {}", names.0, names.1),
            "stronger" => format!("{} is stronger than {}", names.0, names.1),
            "incomparable" => format!("{} and {} are incomparable", names.0, names.1),
            _ => format!("{} and {}: undecided", names.0, names.1),
        };
        let mut out = format!("{verb}\n");
        if args.certify {
            for c in all.iter().filter(|c| c.answer.verdict.holds()) {
                if let Some((strong, weak)) = &c.about {
                    out.push_str(&format!("  {strong} implies {weak}'s {}\n", c.answer.claim));
                }
            }
        }
        out.push_str(&report::distinguishing(&all[..split], &names.1, &names.0));
        out.push_str(&report::distinguishing(&all[split..], &names.0, &names.1));
        crate::output::print(&out);
    }
    let undecided = word == "undecided";
    Ok(if undecided { Exit::Bounded } else { Exit::Done })
}
