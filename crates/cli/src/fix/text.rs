//! The result for people.

use super::report::rows;
use crate::check::{shown_violation, wrap};
use crate::escape::line;
use selvedge_check::{short, source_line};
use selvedge_repair::{Item, Job, JobVerdict, Proposal, Start, Verified};
use std::fmt::Write;

/// The result in one sentence.
pub fn outcome(job: &Job, start: Start) -> String {
    let model = &job.model;
    match job.verdict {
        JobVerdict::Right { bounded: false } => format!("verified under {model} as it is: nothing to repair"),
        JobVerdict::Right { bounded: true } => {
            format!("nothing is wrong under {model} up to the bounds of loops: nothing to repair")
        }
        JobVerdict::Hopeless => {
            let wrong = job.wrong.as_deref().unwrap_or("something is wrong");
            let why = match job.wrong_under_sc {
                Some(true) => "it fails under sc, too: this is not for fences and orderings to repair",
                Some(false) => "it does not fail under sc, but nothing that may be changed prevents it",
                None => "nothing that may be changed prevents it",
            };
            format!("no repair under {model}: {wrong}; {why}")
        }
        JobVerdict::WrongAsGiven => {
            let wrong = job.wrong.as_deref().unwrap_or("something is wrong");
            format!("violated under {model} as it is: {wrong}; `selvedge fix` repairs, `relax` does not")
        }
        JobVerdict::Stopped => {
            let why = job.stopped.as_deref().unwrap_or("it was stopped");
            let best = job.proposals.first().map_or(String::from("nothing was found yet"), |proposal| {
                format!("the best so far costs {}", proposal.cost)
            });
            format!("unknown: {why}; {best}, and nothing costs less than {}", job.effort.lower_bound)
        }
        JobVerdict::Found => {
            let cost = job.proposals.first().map_or(0, |proposal| proposal.cost);
            let done = if start == Start::Given { "repaired" } else { "relaxed" };
            let least = match &job.doubt {
                None => "nothing costs less".to_string(),
                Some(doubt) => format!("maybe not the cheapest: {doubt}"),
            };
            let nothing =
                job.proposals.first().is_some_and(|p| p.items.iter().all(|item| item.from == item.to));
            if start == Start::Weakest && nothing {
                return format!("all is needed under {model}: {least}");
            }
            format!("{done} under {model}, cost {cost}: {least}")
        }
    }
}

pub fn render(job: &Job, start: Start, cost: &str, columns: usize, seconds: f64) -> String {
    let mut out = String::new();
    for (number, proposal) in job.proposals.iter().enumerate() {
        if job.proposals.len() > 1 {
            let _ = writeln!(out, "{}. cost {}", number + 1, proposal.cost);
        }
        match start {
            Start::Given => repairs(&mut out, proposal, columns),
            Start::Weakest => relaxations(&mut out, proposal, job.verdict == JobVerdict::Found, columns),
        }
        if number == 0 && start == Start::Given {
            table(&mut out, job, proposal);
        }
    }
    if let Some(violation) = &job.violation {
        out += &shown_violation(violation, &job.model);
    }
    let say = |text: &str, first: &str, rest: &str| wrap(&line(text), columns, first, rest);
    out += &say(&outcome(job, start), "", "  ");
    if let Some(suggestion) = &job.suggestion {
        out += &say(&format!("suggestion: {suggestion}"), "  ", "    ");
    }
    if let Some(proposal) = job.proposals.first() {
        let how = match &proposal.verified {
            Verified::Text => String::from("the changed text was compiled and verified from scratch"),
            Verified::Bytecode(_)
                if proposal.texts.is_empty() && !proposal.items.iter().any(|i| i.by_hand) =>
            {
                String::from("nothing changes in the text")
            }
            Verified::Bytecode(why) => format!("verified as bytecode; the text was not: {why}"),
            Verified::Not(why) => format!("the changed bytecode is verified, the changed text is not: {why}"),
        };
        out += &say(&how, "  ", "    ");
        let costs =
            format!("all orderings and fences cost {} with it, {} without", proposal.after, job.before);
        out += &say(&costs, "  ", "    ");
        if proposal.bounded {
            out += &say("up to the bounds of loops; use --unroll N for more", "  ", "    ");
        }
    }
    if job.effort.checks > 0 {
        let effort = &job.effort;
        let told = format!(
            "{} candidates, {} checks, {} clauses, {} executions judged again, costs: {cost}, {seconds:.2} s",
            job.candidates, effort.checks, effort.clauses, effort.judged
        );
        out += &say(&told, "  ", "    ");
    }
    out
}

fn place(item: &Item) -> String {
    format!("{}:{}", short(&item.place.file), item.place.line)
}

fn repairs(out: &mut String, proposal: &Proposal, columns: usize) {
    for item in &proposal.items {
        let what = match item.is_fence {
            true => format!("add {} {} this, in {}", item.to, item.from, item.function),
            false => format!("{} instead of {}, in {}", item.to, item.from, item.function),
        };
        let by_hand = if item.by_hand { " (by hand)" } else { "" };
        *out += &wrap(&line(&format!("{}: {what}{by_hand}", place(item))), columns, "", "    ");
        quote(out, item, columns);
        if let Some(because) = &item.because {
            *out += &wrap(&line(&format!("because without it: {because}")), columns, "    ", "      ");
        }
    }
    if !proposal.items.is_empty() {
        out.push('\n');
    }
}

fn quote(out: &mut String, item: &Item, columns: usize) {
    if let Some(text) = source_line(&item.place.file, item.place.line) {
        let text = text.trim().replace('\t', " ");
        let room = columns.saturating_sub(8);
        let shown: String = line(&text).chars().take(room).collect();
        let _ = writeln!(out, "    | {shown}");
    }
}

/// What is superfluous, line by line, and what is needed.
fn relaxations(out: &mut String, proposal: &Proposal, is_known: bool, columns: usize) {
    for item in &proposal.items {
        let kind = if item.is_fence { "fence " } else { "" };
        let what = match item.from == item.to {
            // Where the search was stopped, nobody knows.
            true if !is_known => format!("{kind}{} stays", item.from),
            true => format!("{kind}{} is needed", item.from),
            false if item.to == "none" => format!("{kind}{} is superfluous", item.from),
            false => format!("{kind}{} -> {}", item.from, item.to),
        };
        let by_hand = if item.by_hand { " (by hand)" } else { "" };
        let text = format!("{}: {what}, in {}{by_hand}", place(item), item.function);
        *out += &wrap(&line(&text), columns, "", "    ");
        if let Some(because) = item.because.as_ref().filter(|_| item.to != "none") {
            *out += &wrap(&line(&format!("with less: {because}")), columns, "    ", "      ");
        }
    }
    if !proposal.items.is_empty() {
        out.push('\n');
    }
}

/// All accesses with their orderings, old and new.
fn table(out: &mut String, job: &Job, proposal: &Proposal) {
    let rows = rows(job, proposal);
    if rows.is_empty() {
        return;
    }
    let mut lines =
        vec![[String::from("where"), String::from("access"), String::from("was"), String::from("is")]];
    for (number, from, to) in rows {
        let site = &job.sites[number];
        let fences = |modes: &[selvedge_graph::Mode]| !modes.is_empty();
        let change = &proposal.changes[number];
        let mut to = if from == to { String::from("-") } else { to };
        if fences(&change.before) {
            to += ", fence before";
        }
        if fences(&change.after) {
            to += ", fence after";
        }
        let place = format!("{}:{}", short(&site.place.file), site.place.line);
        lines.push([place, site.access.name().to_string(), from, to]);
    }
    let width = |column: usize| lines.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for row in &lines {
        let text = format!(
            "  {:<a$}  {:<b$}  {:<c$}  {}",
            row[0],
            row[1],
            row[2],
            row[3],
            a = widths[0],
            b = widths[1],
            c = widths[2]
        );
        let _ = writeln!(out, "{}", line(text.trim_end()));
    }
    out.push('\n');
}
