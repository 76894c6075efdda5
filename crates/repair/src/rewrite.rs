//! Changes of texts: what is chosen, as edits of the sources.

use crate::candidate::{Access, Change, Dialect, Site};
use crate::language::{Language, builtin_order};
use crate::strength::join;
use crate::text::{Call, Calls, Spot};
use selvedge_graph::Mode;
use std::collections::BTreeMap;

/// A piece of a text that is replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// A text with edits applied.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted = edits.to_vec();
    // Of insertions at one place, those that were made first come first.
    sorted.sort_by_key(|edit| (edit.start, edit.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in sorted {
        if edit.start < at {
            continue;
        }
        out.push_str(&text[at..edit.start]);
        out.push_str(&edit.text);
        at = edit.end;
    }
    out.push_str(&text[at..]);
    out
}

/// A unified diff that `patch -p1` applies.
pub fn diff(file: &str, old: &str, new: &str) -> String {
    let name = file.trim_start_matches("./").trim_start_matches('/');
    let lines = similar::TextDiff::from_lines(old, new);
    lines.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

/// The edits of C sources, by file; and the sites whose change has to be made by hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edits {
    pub by_file: BTreeMap<String, Vec<Edit>>,
    pub by_hand: Vec<usize>,
}

/// The edits for changes of sites of C programs. `texts` has what is known of the sources; `by_comma` says
/// that the language has expressions with commas.
pub fn c_edits(
    sites: &[Site],
    changes: &[Change],
    texts: &BTreeMap<String, Calls>,
    dialect: Dialect,
    by_comma: bool,
) -> Edits {
    let mut edits = Edits::default();
    for (number, (site, change)) in sites.iter().zip(changes).enumerate() {
        let relaxed = site.given.is_some() && !site.kept;
        if change.is_empty() && !relaxed {
            continue;
        }
        let calls = texts.get(&site.place.file);
        let made = calls.filter(|_| !site.by_hand).and_then(|calls| {
            let spot = calls.at(site.place.line, site.place.column)?;
            match site.access {
                Access::Fence => fence_edits(calls, &spot, site, change, dialect),
                _ => access_edits(calls, &spot, site, change, dialect, by_comma),
            }
        });
        match made {
            Some(made) => edits.by_file.entry(site.place.file.clone()).or_default().extend(made),
            None => edits.by_hand.push(number),
        }
    }
    edits.by_file.retain(|_, edits| !edits.is_empty());
    edits
}

/// The ordering that a site has with a change, and that of its failure.
pub fn orders(site: &Site, change: &Change) -> (Mode, Option<Mode>) {
    let order = change.order.map_or(site.mode, |mode| join(site.mode, mode));
    let failure = site.failure.map(|old| change.failure.map_or(old, |mode| join(old, mode)));
    (order, failure)
}

/// The one fence that does what several do.
pub fn one_fence(modes: &[Mode]) -> Option<Mode> {
    modes.iter().copied().reduce(join)
}

fn fence_edits(
    calls: &Calls,
    spot: &Spot,
    site: &Site,
    change: &Change,
    dialect: Dialect,
) -> Option<Vec<Edit>> {
    let given = site.given.map_or(site.mode, |(mode, _)| mode);
    let call = spot.call.as_ref()?;
    match one_fence(&change.after) {
        Some(mode) if mode == given => Some(Vec::new()),
        Some(mode) if dialect == Dialect::Kernel => {
            Some(vec![Edit { start: spot.start, end: call.end, text: dialect.fence_text(mode) }])
        }
        Some(mode) => {
            let range = call.arguments.last()?.clone();
            let text = calls.language.order(&calls.text[range.clone()], mode)?;
            Some(vec![Edit { start: range.start, end: range.end, text }])
        }
        None => {
            // A line of its own goes; elsewhere nothing stands for it.
            let text = &calls.text;
            let line = text[..spot.start].rfind('\n').map_or(0, |at| at + 1);
            let rest = &text[call.end..];
            let end = rest.find('\n').map_or(text.len(), |at| call.end + at + 1);
            let alone = text[line..spot.start].trim().is_empty() && text[call.end..end].trim() == ";";
            Some(vec![match alone {
                true => Edit { start: line, end, text: String::new() },
                false => Edit { start: spot.start, end: call.end, text: String::from("((void)0)") },
            }])
        }
    }
}

fn access_edits(
    calls: &Calls,
    spot: &Spot,
    site: &Site,
    change: &Change,
    dialect: Dialect,
    by_comma: bool,
) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let name = spot.call.as_ref().map(|call| &calls.text[call.name.clone()]).unwrap_or("");
    let fence = |mode: Mode| match dialect {
        Dialect::C if calls.language == Language::C && name.starts_with("__") => {
            format!("__atomic_thread_fence({})", builtin_order(mode).unwrap_or("__ATOMIC_SEQ_CST"))
        }
        Dialect::C | Dialect::DotNet => calls.language.fence(mode),
        other => other.fence_text(mode),
    };
    if let Some(mode) = one_fence(&change.before) {
        match (spot.before, &spot.call) {
            (Some(at), _) => {
                let text = format!("{};\n{}", fence(mode), calls.indent(at));
                edits.push(Edit { start: at, end: at, text });
            }
            (None, Some(call)) if by_comma => {
                let (open, close) = match calls.language {
                    Language::Rust => (format!("{{ {}; ", fence(mode)), " }"),
                    _ => (format!("({}, ", fence(mode)), ")"),
                };
                edits.push(Edit { start: spot.start, end: spot.start, text: open });
                edits.push(Edit { start: call.end, end: call.end, text: close.to_string() });
            }
            _ => return None,
        }
    }
    if let Some(mode) = one_fence(&change.after) {
        let at = spot.after?;
        let text = format!("\n{}{};", calls.indent(spot.start), fence(mode));
        edits.push(Edit { start: at, end: at, text });
    }
    let (order, failure) = orders(site, change);
    let (old_order, old_failure) = site.given.unwrap_or((site.mode, site.failure));
    if (order, failure) != (old_order, old_failure) {
        edits.extend(order_edits(calls, spot, site.access, order, failure)?);
    }
    Some(edits)
}

fn order_edits(
    calls: &Calls,
    spot: &Spot,
    access: Access,
    order: Mode,
    failure: Option<Mode>,
) -> Option<Vec<Edit>> {
    let call = spot.operation.as_ref()?;
    let name = &calls.text[call.name.clone()];
    let replace = |at: usize, mode: Mode| {
        let range = call.arguments.get(at)?.clone();
        let text = calls.language.order(&calls.text[range.clone()], mode)?;
        Some(Edit { start: range.start, end: range.end, text })
    };
    if name == "READ_ONCE" || name == "WRITE_ONCE" {
        let object = call.arguments.first()?.clone();
        let pointer = calls.text[object.clone()].strip_prefix('*')?.trim().to_string();
        let new = if name == "READ_ONCE" { "smp_load_acquire" } else { "smp_store_release" };
        return Some(vec![
            Edit { start: call.name.start, end: call.name.end, text: new.to_string() },
            Edit { start: object.start, end: object.end, text: pointer },
        ]);
    }
    if name == "smp_load_acquire" || name == "smp_store_release" {
        let object = call.arguments.first()?.clone();
        let new = if name == "smp_load_acquire" { "READ_ONCE" } else { "WRITE_ONCE" };
        let inside = format!("*{}", &calls.text[object.clone()]);
        return (order == Mode::Rlx).then(|| {
            vec![
                Edit { start: call.name.start, end: call.name.end, text: new.to_string() },
                Edit { start: object.start, end: object.end, text: inside },
            ]
        });
    }
    let arguments = call.arguments.len();
    if matches!(calls.language, Language::Cpp | Language::Rust) && !name.contains("atomic_") {
        return method_edits(calls, call, access, order, failure);
    }
    let explicit =
        name.ends_with("_explicit") || name.starts_with("__atomic_") || name.starts_with("__c11_atomic_");
    if explicit {
        return match (access, failure) {
            (Access::CompareExchange, Some(failure)) => Some(vec![
                replace(arguments.checked_sub(2)?, order)?,
                replace(arguments.checked_sub(1)?, failure)?,
            ]),
            _ => Some(vec![replace(arguments.checked_sub(1)?, order)?]),
        };
    }
    // Without an ordering it is sequentially consistent.
    if !name.starts_with("atomic_") {
        return None;
    }
    let new = |mode: Mode| format!(", {}", calls.language.new_order(mode));
    let orders = new(order) + &failure.map_or(String::new(), new);
    Some(vec![
        Edit { start: call.name.end, end: call.name.end, text: String::from("_explicit") },
        Edit { start: call.end - 1, end: call.end - 1, text: orders },
    ])
}

/// The orderings of a method of C++ or Rust are its last arguments; C++ can do without them.
fn method_edits(
    calls: &Calls,
    call: &Call,
    access: Access,
    order: Mode,
    failure: Option<Mode>,
) -> Option<Vec<Edit>> {
    let language = calls.language;
    let text = |range: &std::ops::Range<usize>| &calls.text[range.clone()];
    let written =
        call.arguments.iter().rev().take_while(|argument| language.is_order(text(argument))).count();
    let given: Vec<_> = call.arguments[call.arguments.len() - written..].to_vec();
    let wanted: Vec<Mode> = match (access, failure) {
        (Access::CompareExchange, Some(failure)) => vec![order, failure],
        _ => vec![order],
    };
    if given.len() > wanted.len() || given.len() < wanted.len() && language == Language::Rust {
        return None;
    }
    // An ordering that is a variable, or the like.
    let values = call.arguments.iter().filter(|argument| !text(argument).is_empty()).count() - written;
    let most = match access {
        Access::Load => 0,
        Access::CompareExchange => 2,
        _ => 1,
    };
    if values > most {
        return None;
    }
    let mut edits = Vec::new();
    for (range, mode) in given.iter().zip(&wanted) {
        let new = language.order(text(range), *mode)?;
        // A name that nobody has brought into scope is written in full.
        let is_known = language != Language::Rust || new.contains("::") || calls.text.contains(&new);
        let new = if is_known { new } else { format!("std::sync::atomic::Ordering::{new}") };
        edits.push(Edit { start: range.start, end: range.end, text: new });
    }
    let missing: Vec<String> = wanted[given.len()..].iter().map(|mode| language.new_order(*mode)).collect();
    if !missing.is_empty() {
        let comma = if values + written > 0 { ", " } else { "" };
        let at = call.end - 1;
        edits.push(Edit { start: at, end: at, text: format!("{comma}{}", missing.join(", ")) });
    }
    Some(edits)
}

/// The edits of a test in assembly.
pub fn assembly_edits(
    text: &str,
    sites: &[Site],
    changes: &[Change],
    places: &[usize],
    dialect: Dialect,
) -> Edits {
    let mut edits = Vec::new();
    let mut by_hand = Vec::new();
    for (number, ((site, change), &start)) in sites.iter().zip(changes).zip(places).enumerate() {
        let given = site.given.filter(|_| !site.kept).map(|(mode, _)| mode);
        if change.is_empty() && given.is_none() {
            continue;
        }
        let Some(row) = Row::at(text, start) else {
            by_hand.push(number);
            continue;
        };
        if let Some(given) = given {
            let new = match site.access {
                Access::Fence => {
                    Some(row.instead(text, start, one_fence(&change.after).map(|m| dialect.fence_text(m))))
                        .filter(|_| one_fence(&change.after) != Some(given))
                }
                _ => {
                    let (order, _) = orders(site, change);
                    let new = mnemonic(text, start, site.access, order, dialect).filter(|_| order != given);
                    if new.is_none() && order != given {
                        by_hand.push(number);
                    }
                    new
                }
            };
            edits.extend(new);
            continue;
        }
        for mode in &change.before {
            let label = text[row.cell.start..start].trim_start();
            let instruction = format!("{label}{}", dialect.fence_text(*mode));
            let new = row.line(text, &instruction);
            edits.push(Edit { start: row.start, end: row.start, text: new });
            if !label.trim().is_empty() {
                let blank = " ".repeat(label.len());
                edits.push(Edit { start: start - label.len(), end: start, text: blank });
            }
        }
        for mode in &change.after {
            let text = format!("\n{}", row.line(text, &dialect.fence_text(*mode)).trim_end_matches('\n'));
            edits.push(Edit { start: row.end, end: row.end, text });
        }
        if change.order.is_some() {
            let (order, _) = orders(site, change);
            match mnemonic(text, start, site.access, order, dialect) {
                Some(edit) => edits.push(edit),
                None => by_hand.push(number),
            }
        }
    }
    let by_file = match sites.first() {
        Some(site) if !edits.is_empty() => BTreeMap::from([(site.place.file.clone(), edits)]),
        _ => BTreeMap::new(),
    };
    Edits { by_file, by_hand }
}

/// The instruction by which an access has an ordering.
pub fn mnemonic(text: &str, start: usize, access: Access, order: Mode, dialect: Dialect) -> Option<Edit> {
    let rest = &text[start..];
    let len = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    let (name, operands) = (&rest[..len], &rest[len..]);
    let cell = &operands[..operands.find(['|', ';'])?];
    let upper = name.to_ascii_uppercase();
    let upper = if dialect == Dialect::AArch64 { without_ordering(&upper) } else { upper };
    let new = match dialect {
        Dialect::AArch64 => match (upper.as_str(), order) {
            (_, Mode::Rlx | Mode::RlxEx) => upper,
            // These have no offsets.
            ("LDR" | "STR", _) if cell.matches(',').count() > 1 => return None,
            ("LDR", Mode::Acq) => String::from("LDAR"),
            ("LDR", Mode::AcqPc) => String::from("LDAPR"),
            ("STR", Mode::Rel) => String::from("STLR"),
            ("LDXR", Mode::AcqEx) => String::from("LDAXR"),
            ("STXR", Mode::RelEx) => String::from("STLXR"),
            (_, Mode::Acq) if access == Access::Rmw && has_no_ordering(&upper) => format!("{upper}A"),
            (_, Mode::Rel) if access == Access::Rmw && has_no_ordering(&upper) => format!("{upper}L"),
            (_, Mode::AcqRel) if access == Access::Rmw && has_no_ordering(&upper) => format!("{upper}AL"),
            _ => return None,
        },
        Dialect::RiscV => {
            let base = name.split(".aq").next()?.split(".rl").next()?;
            let suffix = match order {
                Mode::Rlx | Mode::RlxEx => "",
                Mode::Acq | Mode::AcqEx => ".aq",
                Mode::Rel | Mode::RelEx => ".rl",
                Mode::AcqRel | Mode::AcqRelEx => ".aq.rl",
                _ => return None,
            };
            format!("{base}{suffix}")
        }
        _ => return None,
    };
    let lower = name.chars().all(|c| !c.is_ascii_uppercase());
    let new = if lower { new.to_ascii_lowercase() } else { new };
    Some(Edit { start, end: start + len, text: new })
}

/// The instruction that orders nothing.
fn without_ordering(name: &str) -> String {
    let known = match name {
        "LDAR" | "LDAPR" => "LDR",
        "STLR" => "STR",
        "LDAXR" => "LDXR",
        "STLXR" => "STXR",
        other => ["AL", "A", "L"]
            .iter()
            .find_map(|suffix| other.strip_suffix(suffix).filter(|base| has_no_ordering(base)))
            .unwrap_or(other),
    };
    known.to_string()
}

/// `SWP`, `LDADD` and the like, without a letter for an ordering.
fn has_no_ordering(name: &str) -> bool {
    const NAMES: [&str; 9] =
        ["SWP", "LDADD", "LDCLR", "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN"];
    NAMES.contains(&name)
}

/// A row of the table of an assembly test.
struct Row {
    /// Where its line begins.
    start: usize,
    /// Behind its `;`.
    end: usize,
    /// The cell of the instruction.
    cell: std::ops::Range<usize>,
    /// The widths of its cells.
    widths: Vec<usize>,
    /// Which of them has the instruction.
    column: usize,
}

impl Row {
    fn at(text: &str, place: usize) -> Option<Row> {
        let start = text[..place].rfind(['\n', ';']).map_or(0, |at| at + 1);
        let end = place + text[place..].find(';')?;
        let cells: Vec<&str> = text[start..end].split('|').collect();
        let column = text[start..place].matches('|').count();
        let cell_start = start + cells[..column].iter().map(|c| c.len() + 1).sum::<usize>();
        let cell = cell_start..cell_start + cells[column].len();
        let widths = cells.iter().map(|c| c.chars().count()).collect();
        Some(Row { start, end: end + 1, cell, widths, column })
    }

    /// The instruction that begins at a place is another one, or none.
    fn instead(&self, text: &str, start: usize, new: Option<String>) -> Edit {
        let old = text[start..self.cell.end].trim_end();
        let width = old.chars().count();
        Edit { start, end: start + old.len(), text: format!("{:<width$}", new.unwrap_or_default()) }
    }

    /// A new row with nothing but one instruction.
    fn line(&self, _: &str, instruction: &str) -> String {
        let cell = |(at, width): (usize, &usize)| {
            let text = if at == self.column { format!(" {instruction}") } else { String::new() };
            format!("{text:<width$}")
        };
        let cells: Vec<String> = self.widths.iter().enumerate().map(cell).collect();
        let last = cells.join("|");
        format!("{}{};\n", last, if last.ends_with(' ') { "" } else { " " })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::TextPlace;

    /// A text with one change at the first place where something is written.
    fn changed(
        text: &str,
        what: &str,
        access: Access,
        modes: (Mode, Option<Mode>),
        change: Change,
    ) -> Option<String> {
        let at = text.find(what).expect(what);
        let line = text[..at].matches('\n').count() as u32 + 1;
        let column = (at - text[..at].rfind('\n').map_or(0, |newline| newline + 1)) as u32 + 1;
        let site = Site {
            place: TextPlace { file: String::from("t.c"), line, column },
            function: String::from("f"),
            access,
            mode: modes.0,
            failure: modes.1,
            given: None,
            depth: 0,
            fences: (true, true),
            next: None,
            kept: false,
            by_hand: false,
        };
        let texts = BTreeMap::from([(String::from("t.c"), Calls::new(text.to_string()))]);
        let edits = c_edits(&[site], &[change], &texts, Dialect::C, true);
        edits.by_hand.is_empty().then(|| apply(text, &edits.by_file["t.c"]))
    }

    fn order(mode: Mode) -> Change {
        Change { order: Some(mode), ..Change::default() }
    }

    #[test]
    fn orderings_are_written_where_they_stand() {
        let text = "void f(void) { atomic_store_explicit(&x, g(1, 2), memory_order_relaxed); }";
        let new = changed(text, "atomic_store", Access::Store, (Mode::Rlx, None), order(Mode::Rel));
        assert_eq!(
            new.as_deref(),
            Some("void f(void) { atomic_store_explicit(&x, g(1, 2), memory_order_release); }")
        );
        let text = "void f(void) { __atomic_load_n(&x, __ATOMIC_RELAXED); }";
        let new = changed(text, "__atomic", Access::Load, (Mode::Rlx, None), order(Mode::Acq));
        assert_eq!(new.as_deref(), Some("void f(void) { __atomic_load_n(&x, __ATOMIC_ACQUIRE); }"));
        let text = "int f(void) { return atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_relaxed,\n  memory_order_relaxed); }";
        let both = Change { order: Some(Mode::AcqRel), failure: Some(Mode::Acq), ..Change::default() };
        let new = changed(text, "atomic", Access::CompareExchange, (Mode::Rlx, Some(Mode::Rlx)), both);
        assert!(new.is_some_and(|new| new.contains("1, memory_order_acq_rel,\n  memory_order_acquire)")));
        // The one operation in a macro's arguments; not if there are two, or the ordering is a name.
        let text = "void f(void) { assert(atomic_load_explicit(&x, memory_order_relaxed) == 1); }";
        let new = changed(text, "assert", Access::Load, (Mode::Rlx, None), order(Mode::Acq));
        assert!(new.is_some_and(|new| new.contains("(&x, memory_order_acquire) == 1")));
        for text in [
            "void f(void) { assert(atomic_load_explicit(&x, memory_order_relaxed) == atomic_load_explicit(&y, memory_order_relaxed)); }",
            "void f(void) { assert(atomic_load_explicit(&x, order) == 1); }",
            "void f(void) { assert(READ(x)); }",
        ] {
            assert_eq!(
                changed(text, "assert", Access::Load, (Mode::Rlx, None), order(Mode::Acq)),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn fences_are_statements_where_there_is_room_and_commas_elsewhere() {
        let fence = |before: bool| match before {
            true => Change { before: vec![Mode::Sc], ..Change::default() },
            false => Change { after: vec![Mode::Acq], ..Change::default() },
        };
        let load =
            |text: &str, before| changed(text, "atomic", Access::Load, (Mode::Rlx, None), fence(before));
        let text = "void f(void) {\n\tint r = atomic_load(&x);\n}\n";
        let before =
            "void f(void) {\n\tatomic_thread_fence(memory_order_seq_cst);\n\tint r = atomic_load(&x);\n}\n";
        assert_eq!(load(text, true).as_deref(), Some(before));
        let after =
            "void f(void) {\n\tint r = atomic_load(&x);\n\tatomic_thread_fence(memory_order_acquire);\n}\n";
        assert_eq!(load(text, false).as_deref(), Some(after));
        let text = "void f(void) { while (atomic_load(&x)) ; }";
        let comma = "void f(void) { while ((atomic_thread_fence(memory_order_seq_cst), atomic_load(&x))) ; }";
        assert_eq!(load(text, true).as_deref(), Some(comma));
        assert_eq!(load(text, false), None);
        // A body without braces stays one statement.
        let text = "void f(void) { if (c) atomic_load(&x); }";
        let comma = "void f(void) { if (c) (atomic_thread_fence(memory_order_seq_cst), atomic_load(&x)); }";
        assert_eq!(load(text, true).as_deref(), Some(comma));
    }
}
