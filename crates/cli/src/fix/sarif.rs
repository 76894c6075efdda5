//! The result in the format of static analysis results (SARIF 2.1.0), with the changes as `fixes`.

use selvedge_repair::{Change, Edit, Item, Job, Start};
use serde_json::{Value, json};

pub fn text(job: &Job, start: Start) -> String {
    let results: Vec<Value> = match job.proposals.first() {
        None => Vec::new(),
        Some(proposal) => {
            let changed = proposal.items.iter().filter(|item| item.from != item.to);
            changed.map(|item| result(job, item, &proposal.changes, start)).collect()
        }
    };
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "selvedge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [
                    rule("fence", "A fence is missing, or one can be left out"),
                    rule("ordering", "A memory ordering is too weak, or stronger than it has to be"),
                ],
            } },
            "results": results,
        }],
    });
    crate::json::text(&log)
}

fn result(job: &Job, item: &Item, changes: &[Change], start: Start) -> Value {
    let what = match (item.is_fence, start) {
        (true, Start::Given) => format!("{} {} this access", item.to, item.from),
        _ => format!("{} -> {}", item.from, item.to),
    };
    let because = item.because.as_ref().map_or(String::new(), |why| format!("; without it: {why}"));
    let mut result = json!({
        "ruleId": if item.is_fence { "fence" } else { "ordering" },
        "level": if start == Start::Given { "error" } else { "note" },
        "message": { "text": format!("{what}{because}") },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": item.place.file },
            "region": { "startLine": item.place.line, "startColumn": item.place.column },
        } }],
    });
    let proposal = &job.proposals[0];
    if let Some((file, old, _)) = proposal.texts.iter().find(|(file, _, _)| *file == item.place.file)
        && !item.by_hand
    {
        // Of all edits, those of this site.
        let alone: Vec<Change> = changes
            .iter()
            .enumerate()
            .map(|(at, change)| if at == item.site { change.clone() } else { Change::default() })
            .collect();
        let edits = proposal.edits_of(job, old, &alone, item.site);
        let replacements: Vec<Value> = edits.iter().map(|edit| replacement(old, edit)).collect();
        result["fixes"] = json!([{
            "description": { "text": what },
            "artifactChanges": [{
                "artifactLocation": { "uri": file },
                "replacements": replacements,
            }],
        }]);
    }
    result
}

fn replacement(text: &str, edit: &Edit) -> Value {
    let place = |at: usize| {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        (line, column)
    };
    let ((line, column), (end_line, end_column)) = (place(edit.start), place(edit.end));
    json!({
        "deletedRegion": {
            "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
        },
        "insertedContent": { "text": edit.text },
    })
}
