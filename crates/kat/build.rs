//! Every `.kat` and `.cat` file in `models/` is a model that Selvedge comes with: adding one is adding the
//! file.
//!
//! Writes a list of names, texts and dialects, the `.kat` files first, each by name. Directories in
//! `models/` are something else: parts of models, mappings, tables of questions.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let models = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo says where")).join("../../models");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", models.display());
    let mut files: Vec<String> = fs::read_dir(&models)
        .expect("the directory of models")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name in UTF-8"))
        .filter(|name| name.ends_with(".kat") || name.ends_with(".cat"))
        .collect();
    files.sort_by_key(|name| (name.ends_with(".cat"), name.clone()));
    let mut code = String::from("const BUILTINS: &[(&str, &str, Dialect)] = &[\n");
    for file in &files {
        let path = models.join(file);
        // `tso` is a model and `tso.cat` another.
        let (name, dialect) = match file.strip_suffix(".kat") {
            Some(name) => (name, "Kat"),
            None => (file.as_str(), "Cat"),
        };
        let _ = writeln!(code, "    ({name:?}, include_str!({path:?}), Dialect::{dialect}),");
    }
    code.push_str("];\n");
    let _ = writeln!(code, "const NAMES: &[&str] = &[");
    for file in &files {
        let _ = writeln!(code, "    {:?},", file.strip_suffix(".kat").unwrap_or(file));
    }
    code.push_str("];\n");
    // Persistency models are not memory models: they have names of their own.
    let persistency = models.join("persistency");
    println!("cargo::rerun-if-changed={}", persistency.display());
    let mut files: Vec<String> = fs::read_dir(&persistency)
        .expect("the directory of persistency models")
        .filter_map(|entry| {
            entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
                .strip_suffix(".kat")
                .map(String::from)
        })
        .collect();
    files.sort();
    let _ = writeln!(code, "const PERSISTENCY: &[(&str, &str)] = &[");
    for name in &files {
        let _ =
            writeln!(code, "    ({name:?}, include_str!({:?})),", persistency.join(format!("{name}.kat")));
    }
    code.push_str("];\n");
    let to = Path::new(&env::var("OUT_DIR").expect("cargo says where")).join("builtins.rs");
    fs::write(to, code).expect("the list is written");
}
