//! Compiles small C programs and looks into the result.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

use selvedge_ir::text;
use selvedge_ir::{Function, Global, Instr, Module};
use selvedge_llvm::{CompileError, Options, compile};
use selvedge_machine::Reductions;

/// Compiles files that are given by name and contents.
pub fn compile_files(files: &[(&str, &str)], options: &Options) -> Result<Module, CompileError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, contents)| {
            let path = directory.path().join(name);
            fs::write(&path, contents).expect("a file in it");
            path
        })
        .collect();
    compile(&paths, options)
}

/// The bytecode of `f` in a C file, without places and types.
pub fn text_of(source: &str, reductions: Reductions) -> String {
    let options = Options { reductions, ..Options::default() };
    let mut module = compile_files(&[("test.c", source)], &options).expect("compiles");
    module.functions.retain(|f| f.name == "f");
    module.types.clear();
    for function in &mut module.functions {
        function.places.iter_mut().for_each(|p| *p = Default::default());
        function.loops.iter_mut().for_each(|l| l.place = Default::default());
        function.place = Default::default();
        function.signature = None;
        for instr in &mut function.code {
            if let Instr::Call { signature, .. } = instr {
                *signature = None;
            }
        }
    }
    let text = text::print(&module);
    text[text.find("func").unwrap_or(0)..].to_string()
}

pub fn c(source: &str) -> Module {
    match compile_files(&[("test.c", source)], &Options::default()) {
        Ok(module) => module,
        Err(error) => panic!("{error}"),
    }
}

pub fn function<'a>(module: &'a Module, name: &str) -> &'a Function {
    module.functions.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no function {name}"))
}

pub fn global<'a>(module: &'a Module, name: &str) -> &'a Global {
    module.globals.iter().find(|g| g.name == name).unwrap_or_else(|| panic!("no global {name}"))
}

/// How many instructions satisfy a condition.
pub fn count(function: &Function, condition: impl Fn(&Instr) -> bool) -> usize {
    function.code.iter().filter(|instr| condition(instr)).count()
}

/// What `Unsupported` instructions of a function name.
pub fn unsupported(function: &Function) -> Vec<&str> {
    function
        .code
        .iter()
        .filter_map(|instr| match instr {
            Instr::Unsupported { what } => Some(what.as_str()),
            _ => None,
        })
        .collect()
}

/// The bytecode as one line of text per instruction, for messages of failing tests.
pub fn listing(function: &Function) -> String {
    function.code.iter().enumerate().map(|(n, instr)| format!("{n:4}: {instr:?}\n")).collect()
}
