//! All tables and plots, written to a directory: `benchmarks.md` and `plots/NAME.svg`. What is said about
//! them comes from `text/`.

use crate::{accuracy, dependencies, engine, fix, plot, scaling, summary, switches, table};
use selvedge_bench::catalogue::TABLES;
use std::path::Path;

const BEFORE: &str = include_str!("../text/before.md");
const AFTER: &str = include_str!("../text/after.md");

pub fn write(dir: &Path) -> Result<(), String> {
    let plots = dir.join("plots");
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(&plots).map_err(|e| failed(&plots, e))?;

    let start_up = summary::start_up()?;
    let mut text = String::from(BEFORE);
    text += "\n";
    let mut all = Vec::new();
    for table in TABLES {
        let outcomes = table::run(table)?;
        text += &table::markdown(table, &outcomes)?;
        if let Some(axis) = table.plot {
            let name = format!("{}.svg", table.key);
            let picture = plot::svg(table.title, axis, &plot::panels(table, axis, &outcomes));
            let path = plots.join(&name);
            std::fs::write(&path, picture).map_err(|e| failed(&path, e))?;
            text += &format!("![{}](plots/{name})\n\n", table.title);
        }
        all.extend(outcomes);
    }
    text += &switches::markdown()?;
    text += &accuracy::markdown()?;
    text += &scaling::markdown()?;
    text += &dependencies::markdown()?;
    text += &fix::markdown()?;
    text += &engine::markdown("all")?;
    text += &summary::markdown(&all, start_up);
    text += AFTER;
    let path = dir.join("benchmarks.md");
    std::fs::write(&path, text).map_err(|e| failed(&path, e))
}
