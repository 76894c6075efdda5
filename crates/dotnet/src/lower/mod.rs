//! The whole program: which methods and types there are, and what becomes of them.
//!
//! Methods are lowered as they are found, from the entry point on. A virtual call goes through a function
//! of its own that decides by the type of the object among the types that the program makes objects of
//! ([`Key::Dispatch`]); it is written when all of them are known.

mod arith;
mod body;
mod build;
mod calls;
mod clock;
mod dispatch;
mod exact;
mod fields;
mod handlers;
mod handles;
mod invariants;
mod kinds;
mod natives;
mod outside;
mod shapes;
mod stack;
mod statics;
mod texts;
mod threading;
mod waits;

use crate::layout::{HEADER, Layouts, TYPE};
use crate::types::{DefId, Kind, Ty};
use crate::world::{Called, Field, Method, World};
use crate::{CompileError, Options, refuse};
use build::Builder;
use selvedge_ir::{FuncId, Function, Global, GlobalId, Instr, Module, Operand, Place, Reg, TypeInfo};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// What a function is made for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    Method(Method),
    /// What a synchronized method does once it has the lock.
    Unlocked(Method),
    /// A virtual call of a method.
    Dispatch(Method),
    /// Whether an object is of a type.
    IsInst(Ty),
    /// What comes before the first use of a type: its static constructor.
    Ensure(Ty),
    /// A static method, called as delegates call: with an object before its arguments.
    Static(Method),
    /// A method of a value type, called with a boxed value.
    Unboxing(Method),
    /// Where threads begin.
    ThreadEntry,
    /// Where what `ThreadPool` runs begins: a delegate's thread, or a work item's.
    PoolEntry,
    /// Where the thread of a timer begins.
    TimerEntry,
    /// Whether a handle is there; whether it could be taken.
    Handle(bool),
    /// A method of a delegate that does nothing.
    Nothing,
    /// Where a string is in another one.
    IndexOf,
    /// What is answered by the type of an object, of all types that there are objects of.
    GetType,
    EnumBits,
    EnumText,
    ValueEquals,
    /// The function that a delegate of several methods has.
    Multicast,
}

pub struct Lower {
    options: Options,
    pub world: World,
    pub layouts: Layouts,
    pub module: Module,
    keys: HashMap<Key, FuncId>,
    queue: VecDeque<(FuncId, Key)>,
    /// The methods that functions are of.
    methods: HashMap<FuncId, Method>,
    /// Types that objects are made of, in the order in which they were found.
    live: Vec<Ty>,
    tags: HashMap<Ty, u32>,
    dispatches: Vec<(Method, FuncId)>,
    /// What was found out about types, and about virtual calls by type.
    related: HashMap<(Ty, Ty), dispatch::Is>,
    targets: HashMap<(Method, Ty), Option<Key>>,
    tests: Vec<(Ty, FuncId)>,
    late: Vec<(Key, FuncId)>,
    statics: HashMap<Field, GlobalId>,
    strings: HashMap<Vec<u16>, GlobalId>,
    typeofs: HashMap<Ty, GlobalId>,
    externs: HashMap<&'static str, FuncId>,
    files: HashMap<String, u32>,
    notes: HashMap<(u32, u64), u32>,
    texts: HashMap<String, GlobalId>,
    /// Types with a static constructor, with it and the function that stands for it.
    initialised: Vec<(Ty, FuncId, FuncId)>,
    type_locks: Option<(GlobalId, GlobalId)>,
    /// Threads may be background threads; whether one has ended is asked.
    asks_background: bool,
    asks_ended: bool,
}

/// The most functions that a program may have.
const MOST_FUNCTIONS: usize = 20_000;

/// Lowers a program.
pub fn program(path: &Path, references: &[PathBuf], options: &Options) -> Result<Module, CompileError> {
    Lower::new(World::new(path, references)?, options.clone()).run()
}

impl Lower {
    fn new(world: World, options: Options) -> Lower {
        Lower {
            options,
            world,
            layouts: Layouts::default(),
            module: Module::default(),
            keys: HashMap::new(),
            queue: VecDeque::new(),
            methods: HashMap::new(),
            live: Vec::new(),
            tags: HashMap::new(),
            dispatches: Vec::new(),
            related: HashMap::new(),
            targets: HashMap::new(),
            tests: Vec::new(),
            late: Vec::new(),
            statics: HashMap::new(),
            strings: HashMap::new(),
            typeofs: HashMap::new(),
            externs: HashMap::new(),
            files: HashMap::new(),
            notes: HashMap::new(),
            texts: HashMap::new(),
            initialised: Vec::new(),
            type_locks: None,
            asks_background: false,
            asks_ended: false,
        }
    }

    fn run(mut self) -> Result<Module, CompileError> {
        let Some(entry) = self.world.assemblies[0].entry() else {
            return Err(CompileError {
                message: String::from("the assembly has no entry point: it is a library"),
                help: Some(String::from(
                    "give the program that uses it, compiled from a class with a `Main`",
                )),
            });
        };
        let Called::Method(entry) = self.world.method_at(0, entry, &Default::default())? else {
            return refuse("the entry point is no method");
        };
        let sig = self.world.sig(&entry)?;
        let main = self.function(Key::Method(entry.clone()))?;
        let ensure = self.ensure_for_call(&entry)?;
        let string = self.world.types.intern(Kind::String);
        let args = self.world.types.intern(Kind::SzArray(string));
        if !sig.params.is_empty() {
            self.make_live(args)?;
        }
        let start = self.reserve(String::from("main"));
        while let Some((id, key)) = self.queue.pop_front() {
            // What cannot even be called is not: who would call it says what is wrong with it.
            let function = self.lowered(&key).unwrap_or_else(|error| Lower::nowhere(&error));
            self.module.functions[id.0 as usize] = function;
            if self.module.functions.len() > MOST_FUNCTIONS {
                return refuse("the program, with what it uses of the class library, has too many methods");
            }
        }
        self.write_late()?;
        self.write_dispatches()?;
        self.write_tests()?;
        let order = self.write_ensures()?;
        // What runs first: static constructors that may run early, then the program.
        let mut b = Builder::default();
        let exc = b.block(2);
        let failed = b.label();
        let early = b.label();
        for cctor in order {
            b.call(Some(exc), cctor, Vec::new(), 1);
            b.branch_if(Operand::Reg(exc), early);
        }
        if let Some(ensure) = ensure {
            b.call(Some(exc), ensure, Vec::new(), 1);
            b.branch_if(Operand::Reg(exc), failed);
        }
        let invariants = self.options.invariants.clone();
        for watcher in self.watchers(&invariants)? {
            let run = self.native("__dotnet_run", 2, 0);
            b.call(None, run, vec![Operand::Const(0), Operand::Func(watcher)], 0);
        }
        let mut given = Vec::new();
        if !sig.params.is_empty() {
            let array = b.reg();
            let tag = self.tag(args)?;
            let new = self.native("__selvedge_new_array", 3, 1);
            let told = [HEADER as u64, tag as u64, 8].map(Operand::Const);
            b.call(Some(array), new, told.to_vec(), 1);
            given.push(Operand::Reg(array));
        }
        let results = self.results(sig.result)?;
        b.call(Some(exc), main, given, results);
        b.branch_if(Operand::Reg(exc), failed);
        self.invariants_at_end(&mut b, &invariants)?;
        // The process goes on while threads do that are no background threads.
        let end = self.native("__selvedge_end", 1, 0);
        b.call(None, end, vec![Operand::Const(0)], 0);
        b.push(Instr::Unreachable);
        b.set(failed);
        self.unhandled(&mut b, exc)?;
        // Who would see it, and whether anybody does, is not known: it runs before it is needed.
        b.set(early);
        b.unsupported("an initial value of a static field throws an exception");
        self.module.functions[start.0 as usize] =
            b.finish(String::from("main"), Vec::new(), 1, Place::default());
        Ok(self.module)
    }

    /// Stands for a function that nobody can call.
    fn nowhere(error: &CompileError) -> Function {
        let mut b = Builder::default();
        b.unsupported(error.to_string());
        b.finish(String::from("nowhere"), Vec::new(), 0, Place::default())
    }

    /// A place for a function whose body comes later.
    fn reserve(&mut self, name: String) -> FuncId {
        let id = FuncId(self.module.functions.len() as u32);
        self.module.functions.push(Builder::default().finish(name, Vec::new(), 0, Place::default()));
        id
    }

    /// The function for something; it is lowered if that was not done yet.
    pub fn function(&mut self, key: Key) -> Result<FuncId, CompileError> {
        if let Some(id) = self.keys.get(&key) {
            return Ok(*id);
        }
        let id = self.reserve(String::new());
        self.keys.insert(key.clone(), id);
        if let Key::Method(method) | Key::Unlocked(method) = &key {
            self.methods.insert(id, method.clone());
        }
        match &key {
            Key::Dispatch(method) => {
                self.dispatches.push((method.clone(), id));
                for ty in self.live.clone() {
                    self.dispatch_to(method, ty)?;
                }
            }
            Key::IsInst(ty) => self.tests.push((*ty, id)),
            Key::Ensure(_) => {}
            Key::GetType
            | Key::EnumBits
            | Key::EnumText
            | Key::ValueEquals
            | Key::Multicast
            | Key::ThreadEntry => {
                self.late.push((key, id));
            }
            _ => self.queue.push_back((id, key)),
        }
        Ok(id)
    }

    pub fn method_function(&mut self, method: &Method) -> Result<FuncId, CompileError> {
        self.function(Key::Method(method.clone()))
    }

    fn lowered(&mut self, key: &Key) -> Result<Function, CompileError> {
        match key {
            Key::Method(method) if self.world.is_synchronized(method.def)? => self.synchronized(method),
            Key::Method(method) | Key::Unlocked(method) => self.lower_method(method),
            Key::Static(method) => self.static_thunk(method),
            Key::Unboxing(method) => self.unboxing_thunk(method),
            Key::PoolEntry => self.pool_entry(),
            Key::TimerEntry => self.timer_entry(),
            Key::Handle(take) => self.handle_function(*take),
            Key::IndexOf => Ok(self.index_of()),
            Key::Nothing => {
                let mut b = Builder::default();
                let object = b.reg();
                b.push(Instr::Return { values: vec![Operand::Const(0)] });
                Ok(b.finish(String::from("nothing"), vec![object], 1, Place::default()))
            }
            _ => refuse("these are written at the end"),
        }
    }

    /// A function of the machine, or of its library.
    pub fn native(&mut self, name: &'static str, params: u32, results: u32) -> FuncId {
        if let Some(id) = self.externs.get(name) {
            return *id;
        }
        let id = FuncId(self.module.functions.len() as u32);
        self.module.functions.push(Function {
            name: name.to_string(),
            params: (0..params).collect(),
            results,
            varargs: false,
            signature: None,
            regs: params,
            code: Vec::new(),
            places: Vec::new(),
            loops: Vec::new(),
            place: Place::default(),
            locals: Vec::new(),
        });
        self.externs.insert(name, id);
        id
    }

    /// How many registers a call gives: the exception, and the parts of the result.
    pub fn results(&mut self, ty: Ty) -> Result<u32, CompileError> {
        Ok(1 + self.layouts.leaves(&mut self.world, ty)?.len() as u32)
    }

    /// A type that objects are made of from now on.
    pub fn make_live(&mut self, ty: Ty) -> Result<(), CompileError> {
        if self.live.contains(&ty) {
            return Ok(());
        }
        self.live.push(ty);
        for (method, _) in self.dispatches.clone() {
            self.dispatch_to(&method, ty)?;
        }
        Ok(())
    }

    /// The number of a type: 1 + that among the module's types, so that the machine knows its name.
    pub fn tag(&mut self, ty: Ty) -> Result<u32, CompileError> {
        self.make_live(ty)?;
        if let Some(tag) = self.tags.get(&ty) {
            return Ok(*tag);
        }
        let at = self.module.types.len() as u32;
        self.tags.insert(ty, at + 1);
        let name = self.world.name(ty);
        self.module.types.push(TypeInfo::Scalar { name: name.clone(), size: 0 });
        let boxed = self.layouts.is_value(&mut self.world, ty)?;
        let array = match self.world.types.kind(ty) {
            Kind::SzArray(of) | Kind::Array(of, _) => Some(*of),
            _ => None,
        };
        let fields = match (array, boxed) {
            (Some(of), _) => {
                let (size, _) = self.layouts.size(&mut self.world, of)?;
                let element = self.scalar(of, size as u64);
                let array = TypeInfo::Array { element, count: 1 << 20, element_size: size as u64 };
                self.module.types.push(array);
                vec![(String::from("items"), HEADER as u64, self.module.types.len() as u32 - 1)]
            }
            (None, true) => Vec::new(),
            (None, false) => {
                let names = self.layouts.of(&mut self.world, ty)?.names.clone();
                let mut fields = Vec::new();
                for (name, at, of) in names {
                    let (size, _) = self.layouts.size(&mut self.world, of)?;
                    let scalar = self.scalar(of, size as u64);
                    fields.push((name, at as u64, scalar));
                }
                fields
            }
        };
        let short = name.rsplit(['.', '/']).next().unwrap_or(&name).to_string();
        let short = if name.contains('<') { name } else { short };
        let size = match (array, boxed) {
            (None, false) => self.layouts.of(&mut self.world, ty)?.size as u64,
            _ => 0,
        };
        self.module.types[at as usize] = TypeInfo::Struct { name: short, size, fields };
        Ok(at + 1)
    }

    fn scalar(&mut self, of: Ty, size: u64) -> u32 {
        let name = self.world.name(of);
        let wanted = TypeInfo::Scalar { name, size };
        if let Some(at) = self.module.types.iter().position(|t| *t == wanted) {
            return at as u32;
        }
        self.module.types.push(wanted);
        self.module.types.len() as u32 - 1
    }

    /// What reports say of an access of a field.
    pub fn note(&mut self, ty: Ty, at: u32) -> Result<u32, CompileError> {
        if self.layouts.is_value(&mut self.world, ty)? {
            return Ok(0);
        }
        let of = self.type_number(ty)?;
        if let Some(note) = self.notes.get(&(of, at as u64)) {
            return Ok(*note);
        }
        self.module.notes.push(selvedge_ir::Note { of: Some((of, Some(at as u64))), ..Default::default() });
        let note = self.module.notes.len() as u32;
        self.notes.insert((of, at as u64), note);
        Ok(note)
    }

    /// The number of a type among the module's, without making objects of it.
    fn type_number(&mut self, ty: Ty) -> Result<u32, CompileError> {
        if let Some(tag) = self.tags.get(&ty) {
            return Ok(tag - 1);
        }
        let live = self.live.len();
        self.live.push(ty);
        let tag = self.tag(ty);
        self.live.remove(live);
        Ok(tag? - 1)
    }

    /// A string of the program, as an object that is there from the start.
    pub fn string(&mut self, text: &[u16]) -> Result<GlobalId, CompileError> {
        if let Some(known) = self.strings.get(text) {
            return Ok(*known);
        }
        let string = self.world.types.intern(Kind::String);
        let tag = self.tag(string)?;
        let mut bytes = vec![0; HEADER as usize];
        bytes[TYPE..TYPE + 8].copy_from_slice(&(tag as u64).to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes.extend([0, 0]);
        let name = format!("{:?}", String::from_utf16_lossy(text));
        let id = self.global(name, bytes, true);
        self.strings.insert(text.to_vec(), id);
        Ok(id)
    }

    /// A text for the machine's messages.
    pub fn text(&mut self, text: &str) -> GlobalId {
        if let Some(known) = self.texts.get(text) {
            return *known;
        }
        let mut bytes = text.replace('\0', " ").into_bytes();
        bytes.push(0);
        let id = self.global(String::from("text"), bytes, true);
        self.texts.insert(text.to_string(), id);
        id
    }

    pub fn global(&mut self, name: String, bytes: Vec<u8>, constant: bool) -> GlobalId {
        let id = GlobalId(self.module.globals.len() as u32);
        self.module.globals.push(Global {
            name,
            size: bytes.len() as u64,
            align: 8,
            bytes,
            addresses: Vec::new(),
            undefined: Vec::new(),
            thread_local: false,
            constant,
            ty: None,
            place: Place::default(),
        });
        id
    }

    pub fn file(&mut self, name: &str) -> u32 {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        let number = self.module.files.len() as u32;
        self.module.files.push(name.to_string());
        self.files.insert(name.to_string(), number);
        number
    }

    /// The end of a thread by an exception that nobody catches.
    pub fn unhandled(&mut self, b: &mut Builder, exc: Reg) -> Result<(), CompileError> {
        let native = self.native("__selvedge_unhandled", 2, 0);
        // What it says: strings of the program are told; others are not looked at.
        let message = b.reg();
        b.set_to(message, Operand::Const(0));
        if let Some(class) = self.corlib_class("System.Exception")
            && let Some(field) = self.world.own_field(class, "_message")?
        {
            let (at, _) = self.layouts.field(&mut self.world, field)?;
            let plain = b.reg();
            b.bin(selvedge_ir::BinOp::And, 64, plain, Operand::Reg(exc), Operand::Const(!1));
            b.offset(message, Operand::Reg(plain), at as i64);
            b.load(message, Operand::Reg(message), 8, selvedge_graph::Mode::Na);
            b.call(None, native, vec![Operand::Reg(plain), Operand::Reg(message)], 0);
        }
        b.push(Instr::Unreachable);
        Ok(())
    }

    /// A class of the class library.
    pub fn corlib_class(&mut self, name: &str) -> Option<Ty> {
        let def = self.world.corlib_type(name)?;
        Some(self.world.instance(def, Vec::new()))
    }

    /// Where a field of a class of the library is.
    pub fn field_of(&mut self, class: &str, name: &str) -> Result<u32, CompileError> {
        let found = match self.corlib_class(class) {
            Some(ty) => self.world.own_field(ty, name)?,
            None => None,
        };
        match found {
            Some(field) => Ok(self.layouts.field(&mut self.world, field)?.0),
            None => refuse(format!("the class library has no {class}.{name}: it is of another kind")),
        }
    }

    /// What functions an instruction of a function may call.
    fn callees(function: &Function) -> HashSet<FuncId> {
        let mut found = HashSet::new();
        for instr in &function.code {
            instr.for_operands(|operand, _| {
                if let Operand::Func(f) = operand {
                    found.insert(*f);
                }
            });
        }
        found
    }

    /// By function, what it calls.
    fn call_graph(&self) -> BTreeMap<FuncId, HashSet<FuncId>> {
        let all = self.module.functions.iter().enumerate();
        all.map(|(n, f)| (FuncId(n as u32), Lower::callees(f))).collect()
    }

    /// A definition's own type, for static members.
    pub fn owner_def(&self, ty: Ty) -> Option<DefId> {
        self.world.def_of(ty).map(|(def, _)| def)
    }
}
