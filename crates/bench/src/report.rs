//! All tables and plots, written to a directory: `benchmarks.md` and `plots/NAME.svg`; or some of the tables,
//! measured again and put into the page that is there. What is said about them comes from `text/`.

use crate::table::Outcome;
use crate::{
    accuracy, barrier_suite, dependencies, dotnet, engine, fix, languages, persistency, plot, scaling,
    summary, switches,
};
use selvedge_bench::catalogue::TABLES;
use selvedge_bench::page::Page;
use std::path::{Path, PathBuf};

const BEFORE: &str = include_str!("../text/before.md");
const AFTER: &str = include_str!("../text/after.md");

/// The tables that are not of the catalogue, in the order of the page.
const OTHERS: [&str; 9] = [
    "reductions",
    "estimates",
    "workers",
    "dependencies",
    "fix",
    "barrier-suite",
    "persistency",
    "dotnet",
    "rust",
];

/// The names of all tables that are measured here, in the order of the page.
fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.key).chain(OTHERS).chain(engine::names())
}

/// The names of all sections in the order of the page.
fn order() -> Vec<&'static str> {
    let tables = TABLES.iter().map(|table| table.key).chain(OTHERS);
    tables.chain(engine::names()).chain(["summary"]).collect()
}

/// Writes the whole page.
pub fn write(dir: &Path) -> Result<(), String> {
    let start_up = summary::start_up()?;
    let mut text = String::from(BEFORE);
    text += "\n";
    let mut all = Vec::new();
    for name in names() {
        let (section, outcomes) = section(name, Some(dir))?;
        text += &section;
        all.extend(outcomes);
    }
    text += &summary::markdown(&all, start_up);
    text += AFTER;
    save(&dir.join("benchmarks.md"), &Page::of(&text).text())
}

/// Measures these tables again. The rest of the page stays as it is, *all rows together* included.
pub fn refresh(dir: &Path, tables: &[&str]) -> Result<(), String> {
    let path = dir.join("benchmarks.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut page = Page::of(&text);
    for name in tables {
        page.put(name, &section(name, Some(dir))?.0, &order());
    }
    save(&path, &page.text())
}

/// One table with its heading, and what its rows came to if it is of the catalogue. The plot, if it has one,
/// is written where the page is.
pub fn section(name: &str, page: Option<&Path>) -> Result<(String, Vec<Outcome>), String> {
    if let Some(table) = TABLES.iter().find(|table| table.key == name) {
        let outcomes = crate::table::run(table)?;
        let mut text = crate::table::markdown(table, &outcomes)?;
        if let (Some(axis), Some(dir)) = (table.plot, page) {
            let picture = plot::svg(table.title, axis, &plot::panels(table, axis, &outcomes));
            let plots: PathBuf = dir.join("plots");
            std::fs::create_dir_all(&plots).map_err(|e| format!("{}: {e}", plots.display()))?;
            save(&plots.join(format!("{name}.svg")), &picture)?;
            text += &format!("![{}](plots/{name}.svg)\n\n", table.title);
        }
        return Ok((text, outcomes));
    }
    let text = match name {
        "reductions" => switches::markdown()?,
        "estimates" => accuracy::markdown()?,
        "workers" => scaling::markdown()?,
        "dependencies" => dependencies::markdown()?,
        "fix" => fix::markdown()?,
        "persistency" => persistency::markdown()?,
        "dotnet" => dotnet::markdown()?,
        "barrier-suite" => barrier_suite::markdown()?,
        "rust" => languages::markdown()?,
        _ => engine::markdown(name)?,
    };
    if text.is_empty() {
        return Err(format!("no table `{name}`; see `list`"));
    }
    Ok((text, Vec::new()))
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
