//! LLVM's intermediate language to bytecode.
//!
//! [`Program`] holds what functions share: numbers of functions and globals, places, types. A function is
//! lowered by a [`body::Body`], block by block; a value of LLVM becomes a list of operands, one for each
//! register it takes, so that aggregates, constants and casts that change nothing cost no instructions.

mod arith;
mod asm;
mod body;
mod bounds;
mod call;
mod constant;
mod expression;
mod intrinsic;
mod memory;
mod notes;
mod paths;
mod places;
mod relative;
mod shape;
mod short;
mod signature;
mod size;
mod variadic;
mod vector;
mod vla;

use std::collections::{HashMap, HashSet};

use selvedge_ir::{self as ir, FuncId, GlobalId, Operand, library, passes};

use crate::driver::Options;
use crate::error::CompileError;
use crate::llvm::{File, Layout, Metadata, Module, Type, Unset, Value, ValueKind, keeps, unset};
use crate::names;

pub(crate) use paths::{Paths, is_of_library};
use shape::{Shape, shape};

/// What the functions of a program share while they are lowered.
struct Program<'m> {
    layout: Layout<'m>,
    out: ir::Module,
    functions: HashMap<Value<'m>, FuncId>,
    by_name: HashMap<String, FuncId>,
    globals: HashMap<Value<'m>, GlobalId>,
    files: HashMap<File, u32>,
    paths: Paths,
    types: HashMap<Metadata<'m>, u32>,
    /// Structures and unions, for [`notes`], and what is found by them.
    records: notes::Records<'m>,
    known_types: notes::KnownTypes<'m>,
    record_types: HashMap<Type<'m>, Option<u32>>,
    notes: HashMap<ir::Note, u32>,
    /// Tables of whole addresses, by those of relative ones (see [`relative`]).
    absolute: HashMap<GlobalId, GlobalId>,
    /// Variables that may be used before they have a value.
    unset: Vec<Unset>,
    /// How many types around the one that is looked at are being looked at.
    type_depth: u32,
    /// Whether `va_list` is as in the System V ABI for x86-64.
    has_sysv_lists: bool,
    /// Whether to check indices against the arrays that they are of (see [`bounds`]).
    strict_bounds: bool,
    /// Whether volatile accesses are atomic.
    volatile_atomic: bool,
    /// Registers of variables have their names.
    names: bool,
}

/// Whether a function is one of the program's, or the library's.
fn is_lowered(name: &str) -> bool {
    !name.starts_with("llvm.") && unset(name).is_none() && !keeps(name)
}

/// Lowers a whole program, and runs the passes on it.
pub(crate) fn lower(
    module: &Module<'_>,
    unset: Vec<Unset>,
    options: &Options,
    paths: Paths,
) -> Result<ir::Module, CompileError> {
    let layout = module.layout();
    // Of pointers of 4 bytes, only i386's conventions are known.
    let short = layout.pointer_size() == 4 && module.target().starts_with("i386");
    if !layout.is_little_endian() || !(layout.pointer_size() == 8 || short) {
        return Err(CompileError::Target);
    }
    let mut program = Program {
        layout,
        out: ir::Module { short_pointers: short, ..ir::Module::default() },
        functions: HashMap::new(),
        by_name: HashMap::new(),
        globals: HashMap::new(),
        files: HashMap::new(),
        paths,
        types: HashMap::new(),
        records: HashMap::new(),
        known_types: HashSet::new(),
        record_types: HashMap::new(),
        notes: HashMap::new(),
        absolute: HashMap::new(),
        unset,
        type_depth: 0,
        strict_bounds: options.strict_bounds,
        volatile_atomic: options.volatile_atomic,
        names: options.names,
        has_sysv_lists: module.target().starts_with("x86_64") && !module.target().contains("windows"),
    };
    size::check(module)?;
    // Numbers first: code and initial values may name anything.
    let functions: Vec<Value<'_>> =
        module.functions().into_iter().filter(|function| is_lowered(&function.name())).collect();
    for &function in &functions {
        program.declare(function);
    }
    let (special, globals): (Vec<Value<'_>>, Vec<Value<'_>>) =
        module.globals().into_iter().partition(|global| global.name().starts_with("llvm."));
    for (number, &global) in globals.iter().enumerate() {
        program.globals.insert(global, GlobalId(number as u32));
    }
    functions.iter().for_each(|function| program.learn_records(*function));
    globals.iter().for_each(|global| program.learn_records_of_global(*global));
    for &global in &globals {
        let lowered = program.global(global)?;
        program.out.globals.push(lowered);
    }
    if let Some(list) = special.iter().find(|global| global.name() == "llvm.global_ctors") {
        program.out.constructors = program.constructors(*list);
    }

    let destructors = special.iter().find(|global| global.name() == "llvm.global_dtors");
    let destructors = destructors.map_or(Vec::new(), |list| program.constructors(*list));
    for &function in &functions {
        body::lower(&mut program, function);
    }
    program.register_destructors(&destructors);
    let mut out = program.out;
    if !options.raw {
        passes::run(&mut out, options.reductions);
    }
    Ok(out)
}

impl<'m> Program<'m> {
    fn add_function(&mut self, name: String, params: u32, results: u32, varargs: bool) -> FuncId {
        let id = FuncId(self.out.functions.len() as u32);
        self.by_name.insert(name.clone(), id);
        self.out.functions.push(ir::Function {
            name,
            params: (0..params).collect(),
            results,
            varargs,
            signature: None,
            regs: params,
            code: Vec::new(),
            places: Vec::new(),
            loops: Vec::new(),
            place: ir::Place::default(),
            locals: Vec::new(),
        });
        id
    }

    fn declare(&mut self, function: Value<'m>) {
        let ty = function.contents();
        let params = function.parameters().iter().map(|p| shape(self.layout, p.ty()).registers()).sum();
        let results = shape(self.layout, ty.result()).registers();
        let name = function.name();
        // What the program defines has the name that it gives it.
        let is_outside = function.blocks().is_empty();
        let name = match is_outside {
            true => library::canonical(&name).to_owned(),
            false => self.unique(names::readable(&name)),
        };
        let id = self.add_function(name, params, results, ty.is_varargs());
        self.functions.insert(function, id);
        let signature = self.signature_of(function);
        self.out.functions[id.0 as usize].signature = Some(signature);
        if let Some((file, line)) = function.definition() {
            self.out.functions[id.0 as usize].place = self.place(&file, line, 0);
        }
    }

    /// A name that no other function has: instances of a generic function may be called the same.
    fn unique(&self, name: String) -> String {
        let mut unique = name.clone();
        for number in 2.. {
            if !self.by_name.contains_key(&unique) {
                break;
            }
            unique = format!("{name} #{number}");
        }
        unique
    }

    /// A function of the C library, declared if the program does not.
    fn library(&mut self, name: &str, params: u32, results: u32) -> FuncId {
        match self.by_name.get(name) {
            Some(id) => *id,
            None => self.add_function(name.to_owned(), params, results, false),
        }
    }

    fn global(&mut self, global: Value<'m>) -> Result<ir::Global, CompileError> {
        let ty = global.contents();
        let size = self.layout.size(ty);
        let align = match global.alignment() {
            0 => self.layout.align(ty),
            stated => stated,
        };
        let mut lowered = ir::Global {
            name: names::readable(&global.name()),
            size,
            align,
            bytes: vec![0; size as usize],
            addresses: Vec::new(),
            undefined: Vec::new(),
            thread_local: global.is_thread_local(),
            constant: global.is_constant_global(),
            ty: None,
            place: ir::Place::default(),
        };
        if let Some(initialiser) = global.initialiser().filter(|_| !relative::is_table(global)) {
            self.initialise(&mut lowered, initialiser, 0)
                .map_err(|what| CompileError::Initialiser { global: global.name(), what })?;
            // What C does not set (padding, mostly) is zero. In Rust it is not.
            if !names::is_of_rust(&global.name()) {
                lowered.undefined.clear();
            }
        }
        if let Some(variable) = global.global_variable() {
            if let Some(file) = &variable.file {
                lowered.place = self.place(file, variable.line, 0);
            }
            lowered.ty = variable.ty.map(|ty| self.type_info(ty));
        }
        Ok(lowered)
    }

    /// The functions in `llvm.global_ctors`, by priority and then by order.
    fn constructors(&self, list: Value<'m>) -> Vec<FuncId> {
        let mut found = Vec::new();
        let Some(entries) = list.initialiser() else { return found };
        let mut prioritised = Vec::new();
        for index in 0.. {
            let Some(entry) = entries.element(index) else { break };
            let priority = entry.element(0).and_then(Value::bits).unwrap_or(65535);
            if let Some(Operand::Func(function)) = entry.element(1).and_then(|f| self.fold(f)) {
                prioritised.push((priority, function));
            }
        }
        prioritised.sort_by_key(|(priority, _)| *priority);
        found.extend(prioritised.into_iter().map(|(_, function)| function));
        found
    }

    /// Adds a constructor that has destructors run at the end, after what the program itself says should: it
    /// gives them to `atexit` before all others.
    fn register_destructors(&mut self, destructors: &[FuncId]) {
        if destructors.is_empty() {
            return;
        }
        let callee = Operand::Func(self.library("atexit", 1, 1));
        let constructor = self.add_function(String::from("__selvedge_destructors"), 0, 0, false);
        let register = |f: &FuncId| ir::Instr::Call {
            dst: Some(0),
            callee,
            args: vec![Operand::Func(*f)],
            results: 1,
            signature: None,
            lands: None,
        };
        let added = &mut self.out.functions[constructor.0 as usize];
        added.regs = 1;
        added.code = destructors.iter().map(register).collect();
        added.code.push(ir::Instr::Return { values: Vec::new() });
        added.places = vec![ir::Place::default(); added.code.len()];
        self.out.constructors.insert(0, constructor);
    }

    /// Whether what is called is one of the library's functions.
    fn is_of_library(&self, callee: Value<'m>) -> bool {
        callee.kind() == ValueKind::LLVMFunctionValueKind && callee.blocks().is_empty()
    }

    /// Whether a function is one of the library's that is not there where pointers are short.
    fn is_out_of_reach(&self, callee: Value<'m>) -> bool {
        self.out.short_pointers
            && self.is_of_library(callee)
            && !short::is_there(library::canonical(&callee.name()))
    }

    /// Whether a function can only be called by its name. How it takes further arguments is for whoever calls
    /// it to know.
    fn has_no_address(&self, function: Value<'m>) -> bool {
        let any = self.out.short_pointers && function.contents().is_varargs() && self.is_of_library(function);
        any || self.is_out_of_reach(function)
    }

    fn shape(&self, value: Value<'m>) -> Shape {
        shape(self.layout, value.ty())
    }

    /// The address of a function or a global.
    fn address(&self, value: Value<'m>) -> Option<Operand> {
        match value.kind() {
            // What need not be there is there if the library has it.
            _ if value.is_extern_weak() && !library::is_there(&value.name()) => Some(Operand::Const(0)),
            ValueKind::LLVMFunctionValueKind if self.has_no_address(value) => None,
            ValueKind::LLVMFunctionValueKind => self.functions.get(&value).map(|id| Operand::Func(*id)),
            ValueKind::LLVMGlobalVariableValueKind => {
                self.globals.get(&value).map(|id| Operand::Global(*id, 0))
            }
            ValueKind::LLVMGlobalAliasValueKind => self.fold(value.aliasee()),
            _ => None,
        }
    }
}
