//! Library functions that are written in bytecode, and how they get into a program.
//!
//! What a library function does step by step (taking a lock, waiting on a condition variable) is bytecode
//! like any other, so its state can be saved anywhere. It stands on a few functions with names in
//! `__selvedge_`, which the machine knows, as it knows `malloc` and other simple ones.

mod atomics;
mod ctype;
mod sections;
mod select;

pub use sections::{SECTION_LOCK, is_section_mark, wrap_sections};

use selvedge_ir::text;
use selvedge_ir::{FuncId, Function, GlobalId, Module, Operand};
use std::collections::HashMap;

const SOURCES: [&str; 16] = [
    include_str!("threads.ir"),
    include_str!("locks.ir"),
    include_str!("waiting.ir"),
    include_str!("memory.ir"),
    include_str!("printing.ir"),
    include_str!("system.ir"),
    include_str!("text.ir"),
    include_str!("kernel.ir"),
    include_str!("files.ir"),
    include_str!("pmem.ir"),
    include_str!("stdio.ir"),
    include_str!("words.ir"),
    include_str!("input.ir"),
    include_str!("exceptions.ir"),
    include_str!("rust.ir"),
    include_str!("dotnet.ir"),
];

/// What differs where pointers and `long` have 4 bytes.
const SHORT: &str = include_str!("short.ir");

/// The kind of a mutex is at this offset of it, as the files have it; and where pointers are short.
const KIND: (&str, &str) = ("offset r0, 16, 1", "offset r0, 12, 1");

/// Runs what is to be done when `main` returns.
const AT_EXIT: &str = "__selvedge_main_returned";

/// Functions that the machine itself calls, each after the one that makes it necessary.
const HOOKS: [(&str, &str); 12] = [
    ("pthread_setspecific", "__selvedge_leave"),
    ("tss_set", "__selvedge_leave"),
    ("atexit", AT_EXIT),
    ("fopen", AT_EXIT),
    ("fopen64", AT_EXIT),
    ("fdopen", AT_EXIT),
    ("__cxa_thread_atexit_impl", "__selvedge_thread_exits"),
    ("__cxa_thread_atexit_impl", "__selvedge_main_exits"),
    ("__cxa_thread_atexit", "__selvedge_thread_exits"),
    ("__cxa_thread_atexit", "__selvedge_main_exits"),
    ("__selvedge_rust_guard", "__selvedge_thread_exits"),
    ("__selvedge_rust_guard", "__selvedge_main_exits"),
];

/// Functions with which a program gets at files that it may then print to.
const OPENERS: [&str; 7] = ["fopen", "fopen64", "fdopen", "open", "open64", "openat", "creat"];

/// Functions that print in other programs. In those, they stand for what is in `stdio.c`.
const PRINTERS: [&str; 11] = [
    "fflush",
    "fwrite",
    "fputs",
    "fputc",
    "putc",
    "fprintf",
    "vfprintf",
    "__fprintf_chk",
    "dprintf",
    "setvbuf",
    "setbuf",
];

/// What a function is called in the library.
fn name_in_library(name: &str, opens: bool) -> String {
    match opens && PRINTERS.contains(&name) {
        true => format!("__selvedge_stdio_{name}"),
        false => name.to_string(),
    }
}

fn opens_files(of: &[Function]) -> bool {
    of.iter().any(|f| f.code.is_empty() && OPENERS.contains(&f.name.as_str()))
}

/// The bytecode of the library, as far as a program that has these functions can call it: reading all of it
/// takes longer than many programs do. The functions of `libatomic` are many, and seldom needed.
fn library(program: &Module) -> Module {
    let of = &program.functions;
    let with_atomics = of.iter().any(|f| f.name.starts_with("__atomic_"));
    let mut made = if with_atomics { atomics::text() } else { String::new() };
    if of.iter().any(|f| ctype::TABLES.contains(&f.name.as_str())) {
        made += &ctype::text();
    }
    let hooks =
        HOOKS.iter().filter(|(caller, _)| of.iter().any(|f| f.name == *caller)).map(|(_, hook)| *hook);
    let opens = opens_files(of);
    let wanted = of.iter().filter(|f| f.code.is_empty()).map(|f| name_in_library(&f.name, opens));
    let wanted: Vec<String> = wanted.chain(hooks.map(str::to_string)).collect();
    let wanted = wanted.iter().map(String::as_str);
    if program.short_pointers {
        let locks = SOURCES[1].replace(KIND.0, KIND.1);
        let mut sources = SOURCES.to_vec();
        sources[1] = &locks;
        // Of two functions of one name, the last one is taken.
        sources.push(SHORT);
        return read(&(select::needed(&sources, wanted) + &made));
    }
    read(&(select::needed(&SOURCES, wanted) + &made))
}

fn read(library: &str) -> Module {
    match text::parse(library) {
        Ok(module) => module,
        Err(error) => unreachable!("the library's own text: {error}"),
    }
}

/// Gives bodies to the functions of a program that are only declared, where the library has them. Returns
/// for each function whether it is the library's.
pub fn link(module: &mut Module) -> Vec<bool> {
    let library = library(module);
    link_with(module, &library)
}

fn link_with(module: &mut Module, library: &Module) -> Vec<bool> {
    let by_name = |functions: &[Function]| -> HashMap<String, FuncId> {
        functions.iter().enumerate().map(|(n, f)| (f.name.clone(), FuncId(n as u32))).collect()
    };
    let mut linker = Linker { numbers: by_name(&module.functions), globals: HashMap::new(), library, module };
    let theirs = by_name(&library.functions);
    let opens = opens_files(&linker.module.functions);
    let mut ours = vec![false; linker.module.functions.len()];
    for (caller, hook) in HOOKS {
        if linker.numbers.contains_key(caller)
            && let Some(hook) = theirs.get(hook)
        {
            linker.function(*hook);
        }
    }
    let mut at = 0;
    // Bodies may call further functions, which are added at the end.
    while at < linker.module.functions.len() {
        ours.resize(linker.module.functions.len(), true);
        let function = &linker.module.functions[at];
        // Without handlers, the machine knows what `exit` does.
        let handlers = || HOOKS.iter().any(|(f, hook)| *hook == AT_EXIT && linker.numbers.contains_key(*f));
        let simple = function.name == "exit" && !handlers();
        if function.code.is_empty()
            && !simple
            && let Some(FuncId(theirs)) = theirs.get(&name_in_library(&function.name, opens))
            && !library.functions[*theirs as usize].code.is_empty()
        {
            let name = function.name.clone();
            let body = linker.relocated(&library.functions[*theirs as usize]);
            linker.module.functions[at] = Function { name, ..body };
            ours[at] = true;
        }
        at += 1;
    }
    ours
}

struct Linker<'a> {
    module: &'a mut Module,
    library: &'a Module,
    numbers: HashMap<String, FuncId>,
    /// From the library's numbers to the program's.
    globals: HashMap<GlobalId, GlobalId>,
}

impl Linker<'_> {
    /// A function of the library, with the program's numbers for what it refers to.
    fn relocated(&mut self, function: &Function) -> Function {
        let mut function = function.clone();
        for instr in &mut function.code {
            instr.for_operands_mut(|operand, _| match operand {
                Operand::Func(f) => *f = self.function(*f),
                Operand::Global(g, _) => *g = self.global(*g),
                _ => {}
            });
        }
        function
    }

    fn function(&mut self, f: FuncId) -> FuncId {
        let wanted = &self.library.functions[f.0 as usize];
        if let Some(known) = self.numbers.get(&wanted.name) {
            return *known;
        }
        let number = FuncId(self.module.functions.len() as u32);
        self.numbers.insert(wanted.name.clone(), number);
        self.module.functions.push(Function { code: Vec::new(), places: Vec::new(), ..wanted.clone() });
        number
    }

    fn global(&mut self, g: GlobalId) -> GlobalId {
        if let Some(known) = self.globals.get(&g) {
            return *known;
        }
        let mut global = self.library.globals[g.0 as usize].clone();
        for (_, value) in &mut global.addresses {
            if let Operand::Global(g, _) = value {
                *g = self.global(*g);
            }
        }
        let number = GlobalId(self.module.globals.len() as u32);
        self.module.globals.push(global);
        self.globals.insert(g, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Module {
        read(&(SOURCES.concat() + &atomics::text() + &ctype::text()))
    }

    #[test]
    fn the_library_parses_and_prints() {
        let library = whole();
        assert_eq!(text::parse(&text::print(&library)), Ok(library));
    }

    #[test]
    fn what_is_needed_of_the_library_is_enough() {
        let library = whole();
        for function in &library.functions {
            let declared = Function { code: Vec::new(), places: Vec::new(), ..function.clone() };
            let program = Module { functions: vec![declared], ..Module::default() };
            let (mut one, mut other) = (program.clone(), program);
            assert_eq!(link(&mut one), link_with(&mut other, &library), "{}", function.name);
            assert_eq!(one, other, "{}", function.name);
        }
    }
}
