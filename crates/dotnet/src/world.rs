//! The assemblies of a program, and what their tokens refer to.

mod members;

use crate::types::{Context, DefId, Kind, Ty, Types};
use crate::{CompileError, refuse};
use selvedge_cil::{Assembly, Lines, Scope, Table, Token, TypeSig};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A method of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    /// The type that has it, with its arguments.
    pub owner: Ty,
    pub def: DefId,
    /// Its own type arguments.
    pub args: Vec<Ty>,
}

/// What a method takes and gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sig {
    pub has_this: bool,
    pub generics: u32,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// What a token of a call refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Called {
    Method(Method),
    /// A method that arrays have, by name: `.ctor`, `Get`, `Set`, `Address`.
    OfArray(Ty, String, Sig),
}

/// A field of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub owner: Ty,
    pub def: DefId,
}

pub const SYNCHRONIZED: u16 = 0x20;
pub const STATIC: u16 = 0x10;
pub const VIRTUAL: u16 = 0x40;
pub const FINAL: u16 = 0x20;
pub const NEW_SLOT: u16 = 0x100;
pub const ABSTRACT: u16 = 0x400;
pub const INTERFACE: u32 = 0x20;
pub const SEALED: u32 = 0x100;
pub const EXPLICIT_LAYOUT: u32 = 0x10;
pub const BEFORE_FIELD_INIT: u32 = 0x10_0000;
/// Of fields: a constant, which is in no memory.
pub const LITERAL: u16 = 0x40;

pub struct World {
    pub assemblies: Vec<Assembly>,
    paths: Vec<PathBuf>,
    pub lines: Vec<Option<Lines>>,
    by_name: HashMap<String, u32>,
    references: Vec<PathBuf>,
    pub types: Types,
    /// The numbers of the class library's own types.
    corlib: u32,
    primitives: HashMap<DefId, Kind>,
    defs: HashMap<Kind, DefId>,
    sigs: HashMap<Method, Sig>,
    refs: HashMap<(u32, Token), DefId>,
    bases: HashMap<Ty, Option<Ty>>,
    interfaces: HashMap<Ty, Vec<Ty>>,
    open_sigs: HashMap<(Ty, DefId), Sig>,
    found: HashMap<(u32, Token, Context), Called>,
    /// How deep references to types are within each other.
    depth: u32,
    schedulers: Option<bool>,
}

/// No type of a person is nested, or derived, as deep as this.
const DEEPEST: u32 = 100;

const CORLIB: &str = "mscorlib";

const PRIMITIVES: [(&str, Kind); 17] = [
    ("System.Void", Kind::Void),
    ("System.Boolean", Kind::Bool),
    ("System.Char", Kind::Char),
    ("System.SByte", Kind::I1),
    ("System.Byte", Kind::U1),
    ("System.Int16", Kind::I2),
    ("System.UInt16", Kind::U2),
    ("System.Int32", Kind::I4),
    ("System.UInt32", Kind::U4),
    ("System.Int64", Kind::I8),
    ("System.UInt64", Kind::U8),
    ("System.Single", Kind::R4),
    ("System.Double", Kind::R8),
    ("System.IntPtr", Kind::I),
    ("System.UIntPtr", Kind::U),
    ("System.String", Kind::String),
    ("System.Object", Kind::Object),
];

/// Programs of other runtimes refer to parts of the class library by names of their own.
fn own_name(name: &str) -> &str {
    match name {
        "System.Runtime" | "System.Private.CoreLib" | "netstandard" => CORLIB,
        name => name,
    }
}

/// Whether an assembly that is not there is part of another runtime's class library, which has many: whatever
/// of them this one has, it has elsewhere ([`World::find`] looks).
fn is_part(name: &str) -> bool {
    let part = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty());
    ![CORLIB, "System.Core"].contains(&name) && (part("System.") || part("Microsoft.Win32."))
}

impl World {
    /// Reads a program and its class library.
    pub fn new(program: &Path, references: &[PathBuf]) -> Result<World, CompileError> {
        let mut world = World {
            assemblies: Vec::new(),
            paths: Vec::new(),
            lines: Vec::new(),
            by_name: HashMap::new(),
            references: references.to_vec(),
            types: Types::default(),
            corlib: 0,
            primitives: HashMap::new(),
            defs: HashMap::new(),
            sigs: HashMap::new(),
            refs: HashMap::new(),
            bases: HashMap::new(),
            interfaces: HashMap::new(),
            open_sigs: HashMap::new(),
            found: HashMap::new(),
            depth: 0,
            schedulers: None,
        };
        if let Some(beside) = program.parent() {
            world
                .references
                .insert(0, if beside.as_os_str().is_empty() { ".".into() } else { beside.into() });
        }
        world.load(program, true)?;
        if world.assemblies[0].rows(Table::Assembly) == 0 {
            return Err(CompileError {
                message: String::from("a module, which is a part of an assembly"),
                help: Some(String::from("give the assembly that it is a part of")),
            });
        }
        world.corlib = world.assembly(CORLIB, program)?;
        world.has_references(program)?;
        for (name, kind) in PRIMITIVES {
            let Some(row) = world.assemblies[world.corlib as usize].type_named(name) else {
                return refuse(format!("the class library has no type {name}"));
            };
            let def = DefId { assembly: world.corlib, row };
            world.primitives.insert(def, kind.clone());
            world.defs.insert(kind, def);
        }
        Ok(world)
    }

    fn load(&mut self, path: &Path, with_lines: bool) -> Result<u32, CompileError> {
        let of = |error: &dyn std::fmt::Display| CompileError::of_file(path, error);
        let bytes = read(path)?;
        let assembly = Assembly::read(bytes).map_err(|e| of(&e))?;
        let mut lines = None;
        if with_lines {
            let mut mdb = path.as_os_str().to_owned();
            mdb.push(".mdb");
            for symbols in [path.with_extension("pdb"), PathBuf::from(mdb)] {
                if symbols.is_file() {
                    let bytes = read(&symbols)?;
                    let read = Lines::read(&bytes, &assembly);
                    lines = Some(read.map_err(|e| CompileError::of_file(&symbols, &e))?);
                }
            }
        }
        let number = self.assemblies.len() as u32;
        self.by_name.insert(assembly.name().to_string(), number);
        self.assemblies.push(assembly);
        self.paths.push(path.to_path_buf());
        self.lines.push(lines);
        Ok(number)
    }

    /// That all assemblies are there which a program refers to. Compilers name only those that are used.
    fn has_references(&self, program: &Path) -> Result<(), CompileError> {
        let assembly = &self.assemblies[0];
        for row in 1..=assembly.rows(Table::AssemblyRef) {
            let name = own_name(assembly.assembly_ref(row)?);
            if !self.by_name.contains_key(name) && self.file_of(name).is_none() && !is_part(name) {
                return Err(self.is_missing(name, program));
            }
        }
        Ok(())
    }

    /// Whether a program may have schedulers of tasks of its own: it, or what lies beside it, speaks of such.
    pub fn has_schedulers(&mut self) -> bool {
        const NAMES: [&str; 2] = ["TaskScheduler", "ConcurrentExclusiveSchedulerPair"];
        if let Some(known) = self.schedulers {
            return known;
        }
        let speaks = |a: &Assembly| {
            let all = 1..=a.rows(Table::TypeRef);
            all.filter_map(|row| a.type_ref(row).ok()).any(|(_, _, name)| NAMES.contains(&name))
        };
        let own = &self.assemblies[0];
        let beside = |row: u32| own.assembly_ref(row).is_ok_and(|name| self.is_own(own_name(name)));
        let found = speaks(own) || (1..=own.rows(Table::AssemblyRef)).any(beside);
        self.schedulers = Some(found);
        found
    }

    /// Whether an assembly lies beside the program.
    fn is_own(&self, name: &str) -> bool {
        let beside = self.paths[0].parent();
        self.file_of(name).is_some_and(|file| file.parent() == beside)
    }

    /// The file of an assembly.
    fn file_of(&self, name: &str) -> Option<PathBuf> {
        let files = |directory: &PathBuf| ["dll", "exe"].map(|e| directory.join(format!("{name}.{e}")));
        self.references.iter().flat_map(files).find(|path| path.is_file())
    }

    /// The assembly of a name; it is read if that was not done yet.
    fn assembly(&mut self, name: &str, wanted_by: &Path) -> Result<u32, CompileError> {
        let name = own_name(name);
        if let Some(number) = self.by_name.get(name) {
            return Ok(*number);
        }
        let number = match self.file_of(name) {
            Some(path) => self.load(&path, false)?,
            None if is_part(name) => self.assembly(CORLIB, wanted_by)?,
            None => return Err(self.is_missing(name, wanted_by)),
        };
        self.by_name.insert(name.to_string(), number);
        Ok(number)
    }

    fn is_missing(&self, name: &str, wanted_by: &Path) -> CompileError {
        let looked: Vec<String> = self.references.iter().map(|d| d.display().to_string()).collect();
        let help = match name {
            CORLIB => {
                "install the class library (Debian: libmono-corlib4.5-cil), or say where it is with --reference"
            }
            _ => "say where it is with --reference",
        };
        CompileError {
            message: format!(
                "{}: the assembly `{name}` is not in {}",
                wanted_by.display(),
                looked.join(", ")
            ),
            help: Some(help.to_string()),
        }
    }

    /// The definition of a type of the class library.
    pub fn corlib_type(&self, name: &str) -> Option<DefId> {
        let row = self.assemblies[self.corlib as usize].type_named(name)?;
        Some(DefId { assembly: self.corlib, row })
    }

    /// The instance of a definition.
    pub fn instance(&mut self, def: DefId, args: Vec<Ty>) -> Ty {
        let kind = match self.primitives.get(&def) {
            Some(kind) => kind.clone(),
            None => Kind::Def(def, args),
        };
        self.types.intern(kind)
    }

    /// The definition and arguments that a type has its members from.
    pub fn def_of(&self, ty: Ty) -> Option<(DefId, Vec<Ty>)> {
        match self.types.kind(ty) {
            Kind::Def(def, args) => Some((*def, args.clone())),
            Kind::SzArray(_) | Kind::Array(..) => Some((self.corlib_type("System.Array")?, Vec::new())),
            Kind::Ptr(_) | Kind::FnPtr => self.defs.get(&Kind::U).map(|def| (*def, Vec::new())),
            other => self.defs.get(other).map(|def| (*def, Vec::new())),
        }
    }

    pub fn flags(&self, def: DefId) -> Result<u32, CompileError> {
        Ok(self.assemblies[def.assembly as usize].type_def(def.row)?.flags)
    }

    pub fn method_flags(&self, def: DefId) -> Result<u16, CompileError> {
        Ok(self.assemblies[def.assembly as usize].method_def(def.row)?.flags)
    }

    /// Whether a method has the lock of its object, or of its type, while it runs (ECMA-335 II.23.1.11).
    pub fn is_synchronized(&self, def: DefId) -> Result<bool, CompileError> {
        let method = self.assemblies[def.assembly as usize].method_def(def.row)?;
        Ok(method.impl_flags & SYNCHRONIZED != 0 && method.rva != 0)
    }

    pub fn method_name(&self, def: DefId) -> Result<&str, CompileError> {
        Ok(self.assemblies[def.assembly as usize].method_def(def.row)?.name)
    }

    /// Namespace, enclosing types and name.
    pub fn def_name(&self, def: DefId) -> Result<String, CompileError> {
        let assembly = &self.assemblies[def.assembly as usize];
        let own = assembly.type_def(def.row)?;
        Ok(match assembly.enclosing(def.row) {
            Some(outer) if outer != def.row => {
                format!("{}/{}", self.def_name(DefId { row: outer, ..def })?, own.name)
            }
            _ if own.namespace.is_empty() => own.name.to_string(),
            _ => format!("{}.{}", own.namespace, own.name),
        })
    }

    /// As in messages.
    pub fn name(&self, ty: Ty) -> String {
        let list = |args: &[Ty]| args.iter().map(|a| self.name(*a)).collect::<Vec<_>>().join(",");
        match self.types.kind(ty) {
            Kind::Def(def, args) => {
                let name = self.def_name(*def).unwrap_or_default();
                match args.is_empty() {
                    true => name,
                    false => format!("{}<{}>", name.split('`').next().unwrap_or_default(), list(args)),
                }
            }
            Kind::SzArray(of) => format!("{}[]", self.name(*of)),
            Kind::Array(of, rank) => {
                format!("{}[{}]", self.name(*of), ",".repeat((*rank as usize).saturating_sub(1)))
            }
            Kind::Ptr(of) => format!("{}*", self.name(*of)),
            Kind::ByRef(of) => format!("{}&", self.name(*of)),
            Kind::FnPtr => String::from("method*"),
            Kind::MVar(n) => format!("!!{n}"),
            other => {
                let names = PRIMITIVES.iter().find(|(_, kind)| kind == other);
                names.map_or("?", |(name, _)| name).to_string()
            }
        }
    }

    /// `Namespace.Type.Method`.
    pub fn full_method_name(&self, method: &Method) -> String {
        format!("{}.{}", self.name(method.owner), self.method_name(method.def).unwrap_or("?"))
    }

    /// The name by which natives are known: without type arguments, with the number of parameters.
    pub fn native_name(&self, method: &Method) -> String {
        let owner = self.def_of(method.owner).and_then(|(def, _)| self.def_name(def).ok());
        format!("{}.{}", owner.unwrap_or_default(), self.method_name(method.def).unwrap_or("?"))
    }

    /// The definition that a token of a type that is no instance refers to.
    fn def_at(&mut self, assembly: u32, token: Token) -> Result<DefId, CompileError> {
        if token.is(Table::TypeDef) {
            return Ok(DefId { assembly, row: token.row() });
        }
        if !token.is(Table::TypeRef) {
            return refuse(format!("the token {:#x} is of no type", token.0));
        }
        if let Some(def) = self.refs.get(&(assembly, token)) {
            return Ok(*def);
        }
        let of = &self.assemblies[assembly as usize];
        let (scope, namespace, name) = of.type_ref(token.row())?;
        let (namespace, name) = (namespace.to_string(), name.to_string());
        let def = match scope {
            Scope::Here => {
                let full = full_name(&namespace, &name);
                of.type_named(&full).map(|row| DefId { assembly, row })
            }
            Scope::Type(outer) => {
                if outer.row() >= token.row() && self.depth > DEEPEST {
                    return refuse("a type refers to itself");
                }
                self.depth += 1;
                let outer = self.def_at(assembly, outer);
                self.depth -= 1;
                let outer = outer?;
                let nested = self.assemblies[outer.assembly as usize].nested_type(outer.row, &name);
                nested.map(|row| DefId { assembly: outer.assembly, row })
            }
            Scope::Assembly(other) => {
                let path = self.paths[assembly as usize].clone();
                self.find(&other, &full_name(&namespace, &name), &path)?
            }
        };
        let Some(def) = def else {
            let path = self.paths[assembly as usize].display();
            return refuse(format!("{path}: the type {} is nowhere", full_name(&namespace, &name)));
        };
        self.refs.insert((assembly, token), def);
        Ok(def)
    }

    /// A type of another assembly, wherever it was moved to.
    fn find(&mut self, assembly: &str, full: &str, by: &Path) -> Result<Option<DefId>, CompileError> {
        let mut assembly = assembly.to_string();
        for _ in 0..8 {
            let number = self.assembly(&assembly, by)?;
            let of = &self.assemblies[number as usize];
            if let Some(row) = of.type_named(full) {
                return Ok(Some(DefId { assembly: number, row }));
            }
            match of.forwarded(full)? {
                Some(to) => assembly = to.to_string(),
                // A program of another runtime may have it elsewhere.
                None => {
                    for other in [CORLIB, "System", "System.Core"] {
                        if let Ok(number) = self.assembly(other, by)
                            && let Some(row) = self.assemblies[number as usize].type_named(full)
                        {
                            return Ok(Some(DefId { assembly: number, row }));
                        }
                    }
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// The type of a signature.
    pub fn resolve(&mut self, assembly: u32, sig: &TypeSig, context: &Context) -> Result<Ty, CompileError> {
        let kind = match sig {
            TypeSig::Void => Kind::Void,
            TypeSig::Bool => Kind::Bool,
            TypeSig::Char => Kind::Char,
            TypeSig::I1 => Kind::I1,
            TypeSig::U1 => Kind::U1,
            TypeSig::I2 => Kind::I2,
            TypeSig::U2 => Kind::U2,
            TypeSig::I4 => Kind::I4,
            TypeSig::U4 => Kind::U4,
            TypeSig::I8 => Kind::I8,
            TypeSig::U8 => Kind::U8,
            TypeSig::R4 => Kind::R4,
            TypeSig::R8 => Kind::R8,
            TypeSig::I => Kind::I,
            TypeSig::U => Kind::U,
            TypeSig::String => Kind::String,
            TypeSig::Object => Kind::Object,
            TypeSig::TypedRef => return refuse("typed references are not supported"),
            TypeSig::FnPtr(_) => Kind::FnPtr,
            TypeSig::Modified { of, .. } => return self.resolve(assembly, of, context),
            TypeSig::Var(n) => match context.class.get(*n as usize) {
                Some(ty) => return Ok(*ty),
                None => return refuse(format!("there is no type argument {n}")),
            },
            TypeSig::MVar(n) => match &context.method {
                None => Kind::MVar(*n),
                Some(args) => match args.get(*n as usize) {
                    Some(ty) => return Ok(*ty),
                    None => return refuse(format!("there is no type argument {n} of a method")),
                },
            },
            TypeSig::Ptr(of) => Kind::Ptr(self.resolve(assembly, of, context)?),
            TypeSig::ByRef(of) => Kind::ByRef(self.resolve(assembly, of, context)?),
            TypeSig::SzArray(of) => Kind::SzArray(self.resolve(assembly, of, context)?),
            TypeSig::Array(of, rank) => Kind::Array(self.resolve(assembly, of, context)?, *rank),
            TypeSig::Value(token) | TypeSig::Class(token) => return self.type_at(assembly, *token, context),
            TypeSig::Generic(of, args) => {
                let (TypeSig::Value(token) | TypeSig::Class(token)) = **of else {
                    return refuse("an instance of something that is no type");
                };
                let def = self.def_at(assembly, token)?;
                let mut types = Vec::new();
                for arg in args {
                    types.push(self.resolve(assembly, arg, context)?);
                }
                return Ok(self.instance(def, types));
            }
        };
        Ok(self.types.intern(kind))
    }

    /// The type that a token refers to.
    pub fn type_at(&mut self, assembly: u32, token: Token, context: &Context) -> Result<Ty, CompileError> {
        self.depth += 1;
        let ty = match self.depth > DEEPEST {
            true => refuse("a type refers to itself"),
            false => self.find_type(assembly, token, context),
        };
        self.depth -= 1;
        ty
    }

    fn find_type(&mut self, assembly: u32, token: Token, context: &Context) -> Result<Ty, CompileError> {
        if token.is(Table::TypeSpec) {
            let sig = self.assemblies[assembly as usize].type_spec(token.row())?;
            return self.resolve(assembly, &sig, context);
        }
        let def = self.def_at(assembly, token)?;
        Ok(self.instance(def, Vec::new()))
    }

    /// A definition with its own parameters for arguments.
    fn open(&mut self, def: DefId, context: &Context) -> Result<Ty, CompileError> {
        let of = &self.assemblies[def.assembly as usize];
        let count = of.generic_params(Token::new(Table::TypeDef, def.row))? as usize;
        let args = context.class.get(..count).map(<[Ty]>::to_vec).unwrap_or_default();
        Ok(self.instance(def, args))
    }

    /// What a type extends.
    pub fn base(&mut self, ty: Ty) -> Result<Option<Ty>, CompileError> {
        if let Some(known) = self.bases.get(&ty) {
            return Ok(*known);
        }
        let base = self.find_base(ty)?;
        let mut at = base;
        for steps in 0.. {
            let Some(class) = at else { break };
            if class == ty || steps > DEEPEST {
                return refuse(format!("the type {} extends itself", self.name(ty)));
            }
            at = match self.bases.get(&class) {
                Some(known) => *known,
                None => self.find_base(class)?,
            };
        }
        self.bases.insert(ty, base);
        Ok(base)
    }

    fn find_base(&mut self, ty: Ty) -> Result<Option<Ty>, CompileError> {
        if let Kind::SzArray(_) | Kind::Array(..) = self.types.kind(ty) {
            let array = self.def_of(ty).map(|(def, _)| def);
            return Ok(array.map(|def| self.instance(def, Vec::new())));
        }
        let Some((def, class)) = self.def_of(ty) else { return Ok(None) };
        let extends = self.assemblies[def.assembly as usize].type_def(def.row)?.extends;
        let context = Context { class, method: None };
        extends.map(|token| self.type_at(def.assembly, token, &context)).transpose()
    }

    /// What a type itself says that it implements.
    pub fn own_interfaces(&mut self, ty: Ty) -> Result<Vec<Ty>, CompileError> {
        if let Some(known) = self.interfaces.get(&ty) {
            return Ok(known.clone());
        }
        let Some((def, class)) = self.def_of(ty) else { return Ok(Vec::new()) };
        let context = Context { class, method: None };
        let tokens = self.assemblies[def.assembly as usize].interfaces(def.row).to_vec();
        let types: Result<Vec<Ty>, CompileError> =
            tokens.into_iter().map(|token| self.type_at(def.assembly, token, &context)).collect();
        let types = types?;
        self.interfaces.insert(ty, types.clone());
        Ok(types)
    }
}

fn full_name(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_string() } else { format!("{namespace}.{name}") }
}

/// Larger files are refused: no assembly is this large, and a wrong file may well be.
const LARGEST: u64 = 256 << 20;

fn read(path: &Path) -> Result<Vec<u8>, CompileError> {
    let of = |error: &dyn std::fmt::Display| CompileError::of_file(path, error);
    let about = std::fs::metadata(path).map_err(|e| of(&e))?;
    if !about.is_file() {
        return Err(of(&"not a regular file"));
    }
    if about.len() > LARGEST {
        return Err(of(&"the file is too large"));
    }
    std::fs::read(path).map_err(|e| of(&e))
}
