//! The machine that runs bytecode.

mod access;
mod barrier;
mod call;
mod dependencies;
mod durable;
mod exception_types;
mod exceptions;
mod exchange;
mod external;
mod float_terms;
mod functions;
mod guess;
mod hooks;
mod input;
mod interface;
mod library_dependencies;
mod lock_order;
mod memory;
mod misuse;
mod names;
mod naming;
mod native;
mod options;
mod origin;
mod parts;
mod peek;
mod print;
mod purity;
mod relock;
mod run;
mod sample;
mod short;
mod state;
mod symbolic;
mod term_ops;
mod thread_local;
mod threads;
mod tracking;
mod twins;
mod unwind;
mod usage;
mod wake_ups;
mod wide;
mod zne;

pub use durable::{DiskOptions, is_bad_input};
pub use options::{LoopBound, NondetRange, Options};
pub use state::VmState;

use crate::lock_parts::LockParts;
use crate::private::PrivateObject;
use crate::runtime;
use crate::saved::{How, SavedTables};
use crate::tables::{Limit, Object, Tables};
use external::externals;
use functions::FunctionInfo;
use hooks::Hooks;
use lock_order::Footprints;
use selvedge_graph::Tid;
use selvedge_ir::analysis::stores::Stores;
use selvedge_ir::check::{self, Malformed};
use selvedge_ir::{FuncId, GlobalId, Instr, Module, Operand, Place, address, pointer};
use selvedge_machine::{Again, ErrorKind, Reduction, SourcePlace};
use selvedge_symbolic::{Solver, Term};
use smallvec::SmallVec;
use state::{Frame, Made, Rare, Stage};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard};
use twins::Anonymous;

/// Why barriers need an order of arrivals, where that is found by looking at an execution.
const CROWDED: &str = "more threads may be at a barrier than meet there";

/// The error of a thread that cannot go on before another start of the exploration.
const RESTART: u32 = u32::MAX;

/// Allocation numbers from here on are private slots of a thread: the thread in the upper bits, the slot in
/// the lower ones. So a thread that comes by an address of another one's does not take it for its own.
const PRIVATE: u32 = 1 << 31;
const SLOT_BITS: u32 = 20;

fn is_private(allocation: u32) -> bool {
    allocation >= PRIVATE
}

fn private_address(thread: Tid, slot: u32, by: i64) -> u64 {
    debug_assert!(slot >> SLOT_BITS == 0);
    pointer::make(PRIVATE | (thread.0 as u32) << SLOT_BITS | slot, by)
}

/// The thread and the slot of a private allocation.
#[inline]
fn private_slot(allocation: u32) -> (u32, usize) {
    ((allocation - PRIVATE) >> SLOT_BITS, (allocation & ((1 << SLOT_BITS) - 1)) as usize)
}

/// Why a module cannot be run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModuleError {
    #[error("there is no function `main`")]
    NoMain,
    /// It is not well-formed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error("with pointers of 4 bytes, an address in `{global}` is too far from any object")]
    FarAddress { global: String },
}

/// A program, ready to be explored.
///
/// Memory is divided into cells as it is used. When an access does not fit the cells that there are, the
/// thread does not go on, and the machine says so ([`Machine::again`](selvedge_machine::Machine::again));
/// the exploration is to be left then and, after [`VmMachine::give_in`], begun anew.
pub struct VmMachine {
    /// Of a program with the library of Rust, a copy would take as long as small explorations do.
    module: Arc<Module>,
    options: Options,
    functions: Arc<[FunctionInfo]>,
    main: FuncId,
    argv: GlobalId,
    outside: input::Outside,
    /// What was found out about facts.
    solver: RefCell<Solver>,
    hooks: Hooks,
    /// What outlives a crash.
    disk: durable::Disk,
    /// By global, the private slot of a thread-local variable that stays within its thread.
    slots: Vec<Option<u32>>,
    tables: RefCell<Tables>,
    anonymous: RefCell<Anonymous>,
    /// How locks are divided, and what critical sections access.
    parts: LockParts,
    footprints: RefCell<Footprints>,
    /// Compare-and-exchanges whose outcome is guessed before they read.
    guessing: Vec<(FuncId, u32)>,
    /// What may be written from where: whether anybody may ask, and what was found when somebody did.
    may_ask_for_stores: bool,
    stores: OnceCell<Box<Stores>>,
    /// Whether references are stored, and threads keep track of what that publishes.
    publishes: bool,
    /// Whether it makes a difference what objects are called.
    naming: naming::Naming,
    /// What all machines know that explore the same program side by side.
    common: Arc<Mutex<Tables>>,
}

/// Why a thread does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Halt {
    Error(ErrorKind, String),
    Restart,
    /// It depends on what nobody knows: one of these holds, and is a fact from then on.
    Split(Rc<Vec<Term>>),
    /// The same of so many possibilities that the last one, that it is none of the others, is not explored.
    Sample(Rc<Vec<Term>>),
}

fn fail<T>(kind: ErrorKind, message: impl Into<String>) -> Result<T, Halt> {
    Err(Halt::Error(kind, message.into()))
}

impl VmMachine {
    pub fn new(mut module: Module, options: Options) -> Result<VmMachine, ModuleError> {
        let (mut outside, argv) = input::Outside::add(&mut module, &options.args, &options.env);
        runtime::wrap_sections(&mut module);
        let runtime = runtime::link(&mut module);
        outside.look_at_library(&module);
        outside.narrow(&module, options.nondet_range);
        if options.unknown_functions {
            outside.admit(&module);
        }
        let hooks = Hooks::of(&module);
        let disk = durable::Disk::of(&mut module, options.disk);
        relocate(&mut module)?;
        let mut functions = Vec::new();
        for (function, runtime) in module.functions.iter().zip(runtime) {
            check::function(&module, function)?;
            functions.push(FunctionInfo::new(&module, function, runtime, &options));
        }
        let is_main = |f: &selvedge_ir::Function| f.name == "main" && !f.code.is_empty();
        let main = module.functions.iter().position(is_main).ok_or(ModuleError::NoMain)?;
        let mut tables = Tables::new(&module);
        disk.divide(&mut tables.layout);
        if options.refuses_mixed_sizes.is_some() {
            tables.layout.refuse_mixed();
        }
        let common = Arc::new(Mutex::new(tables.clone()));
        let slots = thread_local::slots(&module);
        let looks = functions.iter().any(|f| f.assumes || f.looks.contains(&true));
        let tries = functions.iter().any(|f| !f.runtime && !f.waiting_failures.is_empty());
        let wanted = |reduction: Reduction| options.reductions.has(reduction);
        let may_ask_for_stores = options.track_deps
            || looks && wanted(Reduction::Outdated)
            || tries && wanted(Reduction::Overtaken);
        let is_reference = |instr: &Instr| matches!(instr, Instr::Store { reference: true, .. });
        let publishes = options.track_deps && module.functions.iter().flat_map(|f| &f.code).any(is_reference);
        let main = FuncId(main as u32);
        let naming = naming::Naming::of(&module, options.watch_names);
        Ok(VmMachine {
            module: Arc::new(module),
            options,
            functions: functions.into(),
            main,
            argv,
            outside,
            solver: RefCell::default(),
            hooks,
            disk,
            slots,
            may_ask_for_stores,
            stores: OnceCell::new(),
            publishes,
            naming,
            tables: RefCell::new(tables),
            anonymous: RefCell::default(),
            parts: LockParts::default(),
            footprints: RefCell::default(),
            guessing: Vec::new(),
            common,
        })
    }

    /// What may be written from where, if that was to be known.
    fn stores(&self) -> Option<&Stores> {
        let of_library = |f: usize| self.functions[f].runtime;
        let find = || Box::new(Stores::of(&self.module, &externals(&self.module), &of_library));
        self.may_ask_for_stores.then(|| &**self.stores.get_or_init(find))
    }

    /// A machine for another worker of the same exploration: the two agree on the numbers of threads,
    /// objects and locations.
    pub fn colleague(&self) -> VmMachine {
        VmMachine {
            module: Arc::clone(&self.module),
            options: self.options.clone(),
            functions: Arc::clone(&self.functions),
            main: self.main,
            argv: self.argv,
            outside: self.outside.clone(),
            solver: RefCell::default(),
            hooks: self.hooks,
            disk: self.disk.clone(),
            slots: self.slots.clone(),
            may_ask_for_stores: self.may_ask_for_stores,
            stores: self.stores.clone(),
            publishes: self.publishes,
            naming: self.naming.clone(),
            tables: RefCell::new(self.common().clone()),
            anonymous: self.anonymous.clone(),
            parts: self.parts.clone(),
            footprints: RefCell::default(),
            guessing: self.guessing.clone(),
            common: Arc::clone(&self.common),
        }
    }

    /// A machine that learns for itself from here on.
    pub fn separate(&self) -> VmMachine {
        let mut other = self.colleague();
        other.common = Arc::new(Mutex::new(self.common().clone()));
        other
    }

    /// How much this machine and its colleagues have learned.
    pub fn knowledge(&self) -> usize {
        self.common().size()
    }

    /// What is needed to go on with an exploration later.
    pub fn save(&self) -> SavedTables {
        let common = self.common();
        let locks = self.parts.save(&common.sections);
        let how = How {
            unordered_barriers: self.options.unordered_barriers,
            leave_out_undone: self.options.leave_out_undone,
            leave_out_unpublished: self.options.leave_out_unpublished,
            make_up_reads: self.options.make_up_reads,
        };
        common.save(how, locks)
    }

    /// Takes up what another machine for the same program knew. Returns whether that was possible.
    pub fn restore(&mut self, saved: SavedTables) -> bool {
        let how = saved.how();
        let (parts, sections) = saved.locks();
        let Some(mut tables) = Tables::restore(&self.module, saved) else { return false };
        tables.sections = sections;
        self.parts = parts;
        self.footprints.take();
        self.guessing.clone_from(&tables.guessed);
        self.options.unordered_barriers = how.unordered_barriers;
        self.options.leave_out_undone = how.leave_out_undone;
        self.options.leave_out_unpublished = how.leave_out_unpublished;
        self.options.make_up_reads = how.make_up_reads;
        self.common = Arc::new(Mutex::new(tables.clone()));
        self.tables.replace(tables);
        // Terms have other numbers now.
        self.solver.replace(Solver::default());
        true
    }

    fn common(&self) -> MutexGuard<'_, Tables> {
        self.common.lock().unwrap_or_else(|broken| broken.into_inner())
    }

    /// Looks something up in the common tables that the machine does not know yet.
    #[cold]
    fn learn<T>(&self, ask: impl FnOnce(&mut Tables) -> T) -> T {
        let mut common = self.common();
        let answer = ask(&mut common);
        self.tables.borrow_mut().follow(&common);
        answer
    }

    fn intern(&self, object: Object) -> u32 {
        let known = self.tables.borrow().known_object(object);
        known.unwrap_or_else(|| self.learn(|common| common.intern(object)))
    }

    fn note(&self, limit: Limit) {
        if !self.tables.borrow().limits.contains(&limit) {
            self.learn(|common| common.note(limit));
        }
    }

    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Why the exploration has to be begun anew, as far as this machine and its colleagues know.
    pub fn again_for_all(&self) -> Option<Again> {
        self.reason_to_restart(&self.common())
    }

    fn reason_to_restart(&self, tables: &Tables) -> Option<Again> {
        let wanted = |option: bool, again| option.then_some(again);
        wanted(tables.layout.needs_restart(), Again::CellsRefined)
            .or(wanted(
                self.options.unordered_barriers && tables.order_barriers.is_some(),
                Again::BarriersOutOfForm,
            ))
            .or(wanted(self.options.leave_out_undone && tables.keep_undone, Again::NetEffectNoticed))
            .or(wanted(tables.sections.is_pending(), Again::LockOrder))
            .or(wanted(self.options.leave_out_unpublished && tables.keep_unpublished, Again::UnpublishedSeen))
            .or(wanted(self.options.make_up_reads && tables.keep_attempts, Again::MadeUp))
            .or(wanted(self.guessing.len() < tables.guessed.len(), Again::OutcomeUnknown))
    }

    /// Asks for arrivals at barriers to be counted one after the other, from the next start on.
    fn order_barriers(&self, why: &str) {
        self.learn(|common| _ = common.order_barriers.get_or_insert(why.to_string()));
    }

    /// Gives in to a reason to begin anew, and to all others that are known: divides memory anew, gives
    /// barriers an order, keeps iterations. Returns whether there was anything to change. To be called
    /// between two explorations: locations get other numbers.
    pub fn give_in(&mut self, again: Again) -> bool {
        match again {
            Again::BarriersOutOfForm => self.order_barriers(CROWDED),
            Again::NetEffectNoticed => self.learn(|common| common.keep_undone = true),
            // Where nothing says what to divide otherwise, nothing can be divided.
            Again::LockOrder if !self.common().sections.is_pending() => {
                self.learn(|common| common.sections.keep_all_whole());
            }
            Again::UnpublishedSeen => self.learn(|common| common.keep_unpublished = true),
            Again::MadeUp => self.learn(|common| common.keep_attempts = true),
            _ => {}
        }
        self.refine()
    }

    /// Whether memory is accessed atomically in different sizes, so that accesses may be of several
    /// locations.
    #[inline]
    pub fn has_mixed_sizes(&self) -> bool {
        self.tables.borrow().layout.is_mixed()
    }

    /// Leaves nothing out from now on that is not shown to keep accesses of several locations whole. To be
    /// called between two explorations.
    pub fn keep_accesses_whole(&mut self, without: &[Reduction]) {
        self.options.leave_out_undone = false;
        for reduction in without {
            self.options.reductions = self.options.reductions.without(*reduction);
        }
    }

    /// How many threads there is room for.
    pub fn room(&self) -> u32 {
        self.options.max_threads
    }

    /// Makes room for so many threads, and forgets what was learned of memory: threads, objects and
    /// locations get other numbers.
    pub fn make_room(&mut self, threads: u32) {
        self.options.max_threads = threads;
        self.parts = LockParts::new(self.parts.are_off());
        self.footprints.take();
        let mut tables = Tables::new(&self.module);
        self.disk.divide(&mut tables.layout);
        if self.options.refuses_mixed_sizes.is_some() {
            tables.layout.refuse_mixed();
        }
        tables.order_barriers.clone_from(&self.common().order_barriers);
        tables.guessed.clone_from(&self.common().guessed);
        self.common = Arc::new(Mutex::new(tables.clone()));
        self.tables.replace(tables);
        // Terms have other numbers now.
        self.solver.replace(Solver::default());
    }

    /// Whether some execution made a barrier, other than those that counters are taken for.
    pub fn uses_barriers(&self) -> bool {
        let common = self.common();
        let is_own = |home: u64| {
            let object = pointer::split(home).and_then(|(object, _)| common.objects.get(object as usize));
            !matches!(object, Some(Object::Global(g)) if self.is_gathering(*g))
        };
        common.objects.iter().any(|o| matches!(o, Object::Barrier { home, .. } if is_own(*home)))
    }

    /// Why arrivals at barriers are counted although that was not asked for.
    pub fn why_ordered_barriers(&self) -> Option<String> {
        self.common().order_barriers.clone()
    }

    fn refine(&mut self) -> bool {
        let mut common = self.common.lock().unwrap_or_else(|broken| broken.into_inner());
        let order = self.options.unordered_barriers && common.order_barriers.is_some();
        let keep = self.options.leave_out_undone && common.keep_undone;
        let show = self.options.leave_out_unpublished && common.keep_unpublished;
        let attempt = self.options.make_up_reads && common.keep_attempts;
        let divide = common.sections.is_pending();
        let guess = self.guessing.len() < common.guessed.len();
        let learned = order || keep || show || attempt || divide || guess;
        if !learned && !common.layout.needs_restart() {
            return false;
        }
        self.guessing.clone_from(&common.guessed);
        if divide {
            self.parts.give_in(&mut common.sections);
            // Executions that are none may have reached them.
            common.limits.clear();
        }
        self.footprints.take();
        common.layout.restart();
        self.options.leave_out_undone &= !keep;
        self.options.leave_out_unpublished &= !show;
        self.options.make_up_reads &= !attempt;
        self.options.unordered_barriers &= !order;
        self.tables.replace(common.clone());
        true
    }

    /// Forgets which bounds were reached.
    pub fn forget_limits(&mut self) {
        self.common().limits.clear();
        self.tables.borrow_mut().limits.clear();
    }

    /// The loops that ran into their bound, with it. Functions that called too deep and threads that ran
    /// too long in silence are among them, with the place of the function.
    pub fn cut_loops(&self) -> Vec<(SourcePlace, u32)> {
        let limits = self.common().limits.clone();
        let of = |limit| match limit {
            Limit::Loop(f, number) => {
                let place = self.function(f).loops[number as usize].place;
                Some((self.source_place(place), self.info(f).bounds[number as usize]))
            }
            Limit::Long(f, number) => {
                let place = self.function(f).loops[number as usize].place;
                Some((self.source_place(place), run::MOST_ROUNDS.max(self.info(f).bounds[number as usize])))
            }
            Limit::Depth(f) => Some((self.source_place(self.function(f).place), self.options.max_call_depth)),
            Limit::Silent(f) => Some((self.source_place(self.function(f).place), self.options.silent_steps)),
            Limit::Sample(..) => None,
        };
        limits.into_iter().filter_map(of).collect()
    }

    /// The places at which a number from outside may be too many, and some of them were tried.
    pub fn sampled_places(&self) -> Vec<SourcePlace> {
        let place = |limit: &Limit| match *limit {
            Limit::Sample(f, at) => self.function(f).places.get(at as usize).copied(),
            _ => None,
        };
        let mut places: Vec<Place> = self.common().limits.iter().filter_map(place).collect();
        places.dedup_by_key(|place| (place.file, place.line));
        places.into_iter().map(|place| self.source_place(place)).collect()
    }

    /// The error that a thread ended the process with, of a kind that is not looked for.
    pub fn passed_error(&self, state: &VmState) -> Option<ErrorKind> {
        state.rare.passed
    }

    /// Whether a thread ended, in whatever graph, by an error that is not looked for.
    pub fn let_errors_pass(&self) -> bool {
        self.common().let_pass
    }

    fn note_passed(&self) {
        if !self.tables.borrow().let_pass {
            self.learn(|common| common.let_pass = true);
        }
    }

    /// Whether assumptions are the program's own, and end the process: executions that come to one which does
    /// not hold are executions.
    pub fn ends_by_assuming(&self) -> bool {
        self.hooks.ends_by_assuming
    }

    /// Whether some execution wanted more threads than `Options::max_threads`.
    pub fn ran_out_of_threads(&self) -> bool {
        self.common().ran_out_of_threads
    }

    /// Whether an object lives on the stack, not on the heap.
    pub fn is_on_stack(&self, object: u32) -> bool {
        let tables = self.tables.borrow();
        matches!(tables.objects.get(object as usize), Some(Object::Made { heap: false, .. }))
    }

    fn function(&self, f: FuncId) -> &selvedge_ir::Function {
        &self.module.functions[f.0 as usize]
    }

    fn info(&self, f: FuncId) -> &FunctionInfo {
        &self.functions[f.0 as usize]
    }

    fn source_place(&self, place: Place) -> SourcePlace {
        let file = self.module.files.get(place.file as usize).cloned().unwrap_or_default();
        SourcePlace { file, line: place.line, column: place.col }
    }

    fn new_frame(&self, func: FuncId, private: u32) -> Frame {
        let function = self.function(func);
        Frame::new(func, function.regs, function.loops.len(), private)
    }

    fn new_state(&self, thread: Tid, entry: FuncId, args: &[state::Val]) -> VmState {
        let mut private = vec![Rc::new(PrivateObject::with_contents(&[0; 4]))]; // errno
        for (global, _) in self.module.globals.iter().zip(&self.slots).filter(|(_, slot)| slot.is_some()) {
            private.push(Rc::new(PrivateObject::with_contents(&global.bytes)));
        }
        let mut frame = self.new_frame(entry, private.len() as u32);
        for (reg, arg) in self.function(entry).params.iter().zip(args) {
            frame.set_val(*reg, *arg);
        }
        VmState {
            thread,
            entry,
            frame,
            callers: None,
            depth: 0,
            stage: Stage::Fetch,
            private: Rc::new(private),
            facts: Rc::default(),
            told: None,
            made: Made::default(),
            rare: Rc::new(Rare::default()),
            loads: 0,
            loads_at_header: 0,
            sure_loads: 0,
            effects: 0,
            choices: 0,
            last_read: None,
            round: None,
            repeats: None,
            made_up: false,
            left_swaps: SmallVec::new(),
            left_result: false,
            takes: SmallVec::new(),
            tracking: self.options.track_deps.then(Box::default),
        }
    }

    /// The innermost frame of the program itself, not of the library.
    fn program_frame<'a>(&self, state: &'a VmState) -> Option<&'a Frame> {
        let own = state.frames().find(|frame| !self.info(frame.func).is_folded());
        own.or_else(|| state.frames().find(|frame| !self.info(frame.func).runtime))
    }

    fn address_of_global(&self, g: GlobalId) -> u64 {
        pointer::make(g.0, 0)
    }
}

/// Puts addresses into the initial contents of globals.
fn relocate(module: &mut Module) -> Result<(), ModuleError> {
    let globals = module.globals.len() as u32;
    let short = module.short_pointers;
    let large: Vec<bool> = (0..globals).map(|n| short::is_large(&module.globals, n)).collect();
    for global in &mut module.globals {
        // The C library's streams: nobody looks into them.
        let stream = ["stdin", "stdout", "stderr"].iter().position(|name| global.name == *name);
        global.constant |= stream.is_some();
        global.bytes.resize(global.size as usize, 0);
        if let (Some(number), Some(first)) = (stream, global.bytes.first_mut()) {
            *first = 1 + number as u8;
        }
        for (offset, value) in &global.addresses {
            let value = match *value {
                Operand::Global(g, by) => pointer::make(g.0, by),
                Operand::Func(f) => pointer::make(globals + f.0, 0),
                Operand::Const(c) => c,
                Operand::Reg(_) | Operand::Undef => continue,
            };
            let at = *offset as usize;
            let value = match short {
                true => match address::of(value, |n| large.get(n as usize) == Some(&true)) {
                    Some(address) => address.to_le_bytes().to_vec(),
                    None => return Err(ModuleError::FarAddress { global: global.name.clone() }),
                },
                false => value.to_le_bytes().to_vec(),
            };
            if let Some(bytes) = global.bytes.get_mut(at..at + value.len()) {
                bytes.copy_from_slice(&value);
            }
        }
    }
    Ok(())
}

/// A program counter whose successor is the first instruction.
const BEFORE_FIRST: u32 = u32::MAX;
