//! The programs of the tables, each at its smallest size: they compile, run, and have the counts that the
//! tables expect. So no row can rot unnoticed between the runs of `make bench`.

use selvedge_bench::catalogue::{Series, TABLES};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Complete executions under the first of the series' models.
fn executions(series: &Series) -> Result<u64, String> {
    let n = series.small.n;
    let mut options = series.options_at(n);
    match options.iter().position(|option| option == "--disable") {
        Some(at) => options[at + 1] += ",symmetry",
        None => options.extend(["--disable", "symmetry"].map(String::from)),
    }
    let out = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .current_dir(root())
        .args(["check", series.file, "-m", series.models[0], "-j", "1", "--format", "json"])
        .args(options)
        .arg("--")
        .args(series.defines_at(n))
        .output()
        .map_err(|e| e.to_string())?;
    let report: serde_json::Value = serde_json::from_slice(&out.stdout)
        .map_err(|_| String::from_utf8_lossy(&out.stderr).trim().to_string())?;
    match report["verdict"].as_str() {
        Some("verified" | "bounded") => report["executions"].as_u64().ok_or_else(|| String::from("no count")),
        _ => Err(report.to_string()),
    }
}

#[test]
fn the_rows_run_at_their_smallest_size() {
    // Programs are in several tables; each is run once for each way to run it.
    let mut todo: Vec<(&Series, String)> = Vec::new();
    for series in TABLES.iter().flat_map(|table| table.series) {
        let n = series.small.n;
        let key = format!(
            "{} {} {:?} {:?}",
            series.file,
            series.models[0],
            series.options_at(n),
            series.defines_at(n)
        );
        if !todo.iter().any(|(_, known)| *known == key) {
            todo.push((series, key));
        }
    }
    assert!(todo.len() > 40, "{} ways to run a program", todo.len());
    let (todo, wrong) = (Mutex::new(todo), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((series, _)) = todo.lock().expect("no panic").pop() else { return };
                    let got = executions(series);
                    if got != Ok(series.small.executions) {
                        let text = format!(
                            "{}: {got:?} executions, expected {}",
                            series.label(series.small.n),
                            series.small.executions
                        );
                        wrong.lock().expect("no panic").push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_tables_make_sense() {
    for table in TABLES {
        for series in table.series {
            assert!(root().join(series.file).exists(), "{}", series.file);
            for size in series.sizes {
                assert!(size.seconds.len() <= series.models.len(), "{}", series.label(size.n));
            }
        }
        let twice = TABLES.iter().filter(|other| other.key == table.key).count();
        assert_eq!(twice, 1, "{}", table.key);
    }
}
