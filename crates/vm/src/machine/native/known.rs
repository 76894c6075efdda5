//! The functions that the machine knows, by their names.

use crate::float;
use selvedge_graph::PersistOp;
use selvedge_ir::library::{self, Allocation};

#[derive(Clone, Copy, Debug)]
pub enum Native {
    /// A failed assertion; the argument with this number is what was asserted.
    AssertFail(usize),
    /// Reaching it is an error.
    ReachError,
    /// Its argument is a message.
    ErrorMessage,
    Assert,
    Abort,
    Assume,
    Choose,
    Nondet,
    /// Gives a value that may be anything (see `input.rs`).
    Input,
    Environment,
    ProcessId,
    /// Memory that may hold anything from now on.
    Undefine,
    /// The argument with this number is the size.
    Malloc(usize),
    Calloc,
    /// An object of a managed language, zeroed: its size, a number for its type, and for an array what its
    /// elements are ([`crate::tables::Managed`]).
    New,
    /// Another object of the same type and size.
    NewLike,
    /// The lengths of an array's dimensions but for the first.
    Dimensions,
    /// Strings of a managed language, made of others and of numbers.
    StringMade,
    Identity,
    /// The number of an object's type.
    TypeOf,
    /// How many elements an array has.
    Length,
    /// How large they are.
    Element,
    /// An exception that nobody catches, and what it says.
    Unhandled,
    Free,
    Size,
    Copy,
    /// Strings that must not overlap.
    Apart,
    /// The length of an array that is only known when its declaration is come to.
    VlaLength,
    /// An index of an array; the name says which one, and how far it goes.
    Index,
    Fill,
    /// Gives 0 and does nothing.
    Nothing,
    /// The process ends.
    ExitProcess,
    /// The thread leaves by `pthread_exit`.
    Unwind,
    /// The thread ends; what had to be done before is done.
    EndThread,
    SetJump,
    LongJump,
    /// An exception is thrown: `_Unwind_RaiseException`, `__cxa_throw`.
    Raise,
    Resume,
    /// What a landing pad is given.
    Exception,
    Selector,
    /// What was thrown, as the type that it is caught as.
    Adjusted,
    CaughtPointer,
    CaughtVirtually,
    Taken,
    PanicText,
    PanicExpected,
    RustParks,
    Panic,
    RustCurrent,
    LastRead,
    AtThreadExit,
    NextExit,
    ExitArgument,
    CleanupPush,
    CleanupPop,
    ThisThread,
    ThreadBit,
    NthBit,
    NewThread,
    Spawn,
    Join,
    Detach,
    ResultOf,
    Errno,
    NewKey,
    NextKey,
    Destructor,
    /// Where the threads are kept that wait for what is at an address.
    Futex,
    GetSpecific,
    SetSpecific,
    LockHeld,
    LockAgain,
    LockTaken,
    LockLeave,
    /// What to take in place of a lock.
    LockPart,
    /// What was taken.
    LockKept,
    /// The order of a lock's sections is about to show.
    LockWhole,
    /// The same, if this thread holds it.
    LockUnheld,
    Background,
    Misuse,
    BarrierNew,
    BarrierAt,
    BarrierLooks,
    BarrierNone,
    BarrierCheck,
    BarrierCount,
    BarrierUnordered,
    BarrierArrive,
    BarrierDepart,
    Wait,
    Spurious,
    FutexWakes,
    SpinBegin,
    SpinEnd,
    OptionalBegin,
    /// How many variables of the function live in memory now.
    StackSave,
    /// Those that came after so many die.
    StackRestore,
    FinalBegin,
    FinalEnd,
    Local,
    TextFormat,
    TextBytes,
    TextNext,
    TextWidth,
    TextGive,
    TextChar,
    TextLength,
    TextPrint,
    TextCopy,
    /// The number that a text begins with.
    TextNumber,
    /// How many of its characters belong to that number. The text is not needed any more.
    TextUsed,
    /// Memory outlives a crash from now on.
    Durable,
    /// The routine that runs after a crash.
    Recovery,
    /// A cache line is written back, by this instruction; of several lines, one after the other.
    Flush(PersistOp),
    /// A file is synchronised, all are, or all that came before has persisted when recovery runs.
    Sync(PersistOp),
    /// The number of a file's name.
    Path,
    /// Persistent memory that is mapped from a file.
    Map,
    /// How many bytes are surely in one cache line.
    Line,
    /// How files are kept, and what becomes of calls that fail: by number (`durable.rs`).
    Disk,
    /// A system call failed.
    CallFailed,
    Math(fn(f64, f64) -> f64),
    MathSingle(fn(f64, f64) -> f64),
}

impl Native {
    /// The function with this name, if the machine knows it.
    pub fn named(name: &str) -> Option<Native> {
        Some(match name {
            "__assert_fail" | "__assert" | "__assert_perror_fail" => Native::AssertFail(0),
            "__assert_rtn" => Native::AssertFail(3),
            "__VERIFIER_error" | "reach_error" => Native::ReachError,
            "selvedge_error" => Native::ErrorMessage,
            "__VERIFIER_assert" => Native::Assert,
            "abort" => Native::Abort,
            _ if library::assumes(name) => Native::Assume,
            "selvedge_choose" | "__selvedge_choose" => Native::Choose,
            _ if name.starts_with("__VERIFIER_nondet_") => Native::Nondet,
            "rand" | "random" | "rand_r" | "lrand48" | "mrand48" | "drand48" | "arc4random" | "clock"
            | "__selvedge_input" => Native::Input,
            "__selvedge_environment" => Native::Environment,
            "getpid" | "getppid" | "gettid" => Native::ProcessId,
            "__selvedge_undefine" => Native::Undefine,
            "free" | "cfree" => Native::Free,
            "__selvedge_new" | "__selvedge_new_array" => Native::New,
            "__selvedge_new_like" => Native::NewLike,
            "__selvedge_dimensions" => Native::Dimensions,
            "__selvedge_string_known"
            | "__selvedge_string_join"
            | "__selvedge_string_part"
            | "__selvedge_string_pad"
            | "__selvedge_string_built"
            | "__selvedge_string_number" => Native::StringMade,
            "__selvedge_type" => Native::TypeOf,
            "__selvedge_identity" => Native::Identity,
            "__selvedge_length" => Native::Length,
            "__selvedge_element" => Native::Element,
            "__selvedge_unhandled" => Native::Unhandled,
            "__selvedge_size" | "malloc_usable_size" => Native::Size,
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Native::Copy,
            "__selvedge_apart" => Native::Apart,
            _ if library::checks_index(name) => Native::Index,
            "__selvedge_vla_length" => Native::VlaLength,
            "memset" | "__memset_chk" => Native::Fill,
            "exit" | "_exit" | "_Exit" | "quick_exit" => Native::ExitProcess,
            "__selvedge_unwind" | "__pthread_unwind_next" => Native::Unwind,
            "__selvedge_end" => Native::EndThread,
            "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => Native::SetJump,
            "longjmp" | "_longjmp" | "siglongjmp" => Native::LongJump,
            "_Unwind_RaiseException" | "__selvedge_throw" => Native::Raise,
            "_Unwind_Resume" => Native::Resume,
            "__selvedge_exception" => Native::Exception,
            "__selvedge_selector" => Native::Selector,
            "__selvedge_adjusted" => Native::Adjusted,
            "__selvedge_caught_pointer" => Native::CaughtPointer,
            "__selvedge_caught_virtually" => Native::CaughtVirtually,
            "__selvedge_taken" => Native::Taken,
            "__selvedge_panic_text" => Native::PanicText,
            "__selvedge_panic" => Native::Panic,
            "__selvedge_panic_expected" => Native::PanicExpected,
            "__selvedge_rust_parks" => Native::RustParks,
            "__selvedge_rust_current" => Native::RustCurrent,
            "__selvedge_last_read" => Native::LastRead,
            "__selvedge_at_thread_exit" => Native::AtThreadExit,
            "__selvedge_next_exit" => Native::NextExit,
            "__selvedge_exit_argument" => Native::ExitArgument,
            "__pthread_register_cancel" => Native::CleanupPush,
            "__pthread_unregister_cancel" => Native::CleanupPop,
            "__selvedge_thread_bit" => Native::ThreadBit,
            "__selvedge_nth_bit" => Native::NthBit,
            "__selvedge_self" | "pthread_self" | "thrd_current" => Native::ThisThread,
            "__selvedge_new_thread" => Native::NewThread,
            "__selvedge_spawn" => Native::Spawn,
            "__selvedge_join" => Native::Join,
            "__selvedge_detach" => Native::Detach,
            "__selvedge_result" => Native::ResultOf,
            "__selvedge_errno" | "__errno_location" | "__error" => Native::Errno,
            "__selvedge_new_key" => Native::NewKey,
            "__selvedge_next_key" => Native::NextKey,
            "__selvedge_destructor" => Native::Destructor,
            "__selvedge_futex" => Native::Futex,
            "pthread_getspecific" | "tss_get" => Native::GetSpecific,
            "pthread_setspecific" | "tss_set" => Native::SetSpecific,
            "__selvedge_lock_held" => Native::LockHeld,
            "__selvedge_lock_again" => Native::LockAgain,
            "__selvedge_lock_taken" => Native::LockTaken,
            "__selvedge_lock_leave" => Native::LockLeave,
            "__selvedge_lock_part" => Native::LockPart,
            "__selvedge_lock_kept" => Native::LockKept,
            "__selvedge_lock_whole" => Native::LockWhole,
            "__selvedge_lock_unheld" => Native::LockUnheld,
            "__selvedge_background" => Native::Background,
            "__selvedge_misuse" => Native::Misuse,
            "__selvedge_barrier_looks" => Native::BarrierLooks,
            "__selvedge_barrier_none" => Native::BarrierNone,
            "__selvedge_barrier_new" => Native::BarrierNew,
            "__selvedge_barrier_at" => Native::BarrierAt,
            "__selvedge_barrier_check" => Native::BarrierCheck,
            "__selvedge_barrier_count" => Native::BarrierCount,
            "__selvedge_barrier_unordered" => Native::BarrierUnordered,
            "__selvedge_barrier_arrive" => Native::BarrierArrive,
            "__selvedge_barrier_depart" => Native::BarrierDepart,
            "__selvedge_block" => Native::Wait,
            "__selvedge_spurious" => Native::Spurious,
            "__selvedge_futex_wakes" => Native::FutexWakes,
            "selvedge_spin_begin" => Native::SpinBegin,
            "selvedge_spin_end" | SPIN_END_UNLESS => Native::SpinEnd,
            // Code that may be left out is not.
            "__VERIFIER_opt_begin" => Native::OptionalBegin,
            "__selvedge_stack_save" => Native::StackSave,
            "__selvedge_stack_restore" => Native::StackRestore,
            FINAL_BEGIN => Native::FinalBegin,
            "__selvedge_final_end" => Native::FinalEnd,
            LOCAL => Native::Local,
            "selvedge_durable" => Native::Durable,
            "selvedge_recovery" => Native::Recovery,
            "__VERIFIER_pbarrier" | "__selvedge_pbarrier" => Native::Sync(PersistOp::Barrier),
            "__selvedge_clflush" => Native::Flush(PersistOp::Clflush),
            "__selvedge_clflushopt" => Native::Flush(PersistOp::ClflushOpt),
            "__selvedge_clwb" => Native::Flush(PersistOp::Clwb),
            "__selvedge_sfence" => Native::Sync(PersistOp::StoreFence),
            "__selvedge_disk_fsync" => Native::Sync(PersistOp::Fsync),
            "__selvedge_disk_sync" => Native::Sync(PersistOp::SyncAll),
            "__selvedge_path" => Native::Path,
            "__selvedge_map" => Native::Map,
            "__selvedge_line" => Native::Line,
            "__selvedge_disk" => Native::Disk,
            "__selvedge_call_failed" => Native::CallFailed,
            "__selvedge_text_format" => Native::TextFormat,
            "__selvedge_text_bytes" => Native::TextBytes,
            "__selvedge_text_next" => Native::TextNext,
            "__selvedge_text_width" => Native::TextWidth,
            "__selvedge_text_give" => Native::TextGive,
            "__selvedge_text_char" => Native::TextChar,
            "__selvedge_text_length" => Native::TextLength,
            "__selvedge_text_print" => Native::TextPrint,
            "__selvedge_text_copy" => Native::TextCopy,
            "__selvedge_text_number" => Native::TextNumber,
            "__selvedge_text_used" => Native::TextUsed,
            _ if library::only_pauses(name) || library::only_annotates(name) || NOTHING.contains(&name) => {
                Native::Nothing
            }
            _ => {
                return match library::allocation(name) {
                    Some(Allocation::Size(argument)) => Some(Native::Malloc(argument)),
                    Some(Allocation::Product) => Some(Native::Calloc),
                    None => Native::math(name),
                };
            }
        })
    }

    fn math(name: &str) -> Option<Native> {
        let single = || name.strip_suffix('f').and_then(float::library).map(Native::MathSingle);
        float::library(name).map(Native::Math).or_else(single)
    }
}

/// The end of an iteration of a loop that waits, as another tool has it: it is told whether the loop is over.
pub const SPIN_END_UNLESS: &str = "__VERIFIER_spin_end";

/// What a program may tell: see `selvedge.h`.
pub const FINAL_BEGIN: &str = "__selvedge_final_begin";
pub const LOCAL: &str = "selvedge_local";

/// Functions that set what makes no difference here.
const NOTHING: [&str; 44] = [
    "fflush",
    "setbuf",
    "setvbuf",
    "srand",
    "srandom",
    "pthread_attr_destroy",
    "pthread_attr_setstacksize",
    "pthread_attr_setscope",
    "pthread_attr_setguardsize",
    "pthread_attr_setstack",
    "pthread_attr_setschedpolicy",
    "pthread_attr_setschedparam",
    "pthread_attr_setinheritsched",
    "pthread_attr_setaffinity_np",
    "pthread_setconcurrency",
    "pthread_setaffinity_np",
    "pthread_setschedparam",
    "pthread_setschedprio",
    "sched_setaffinity",
    "sched_setscheduler",
    "sched_setparam",
    "setpriority",
    "nice",
    "mlock",
    "munlock",
    "mlockall",
    "munlockall",
    "madvise",
    "posix_madvise",
    "srand48",
    "pthread_setname_np",
    "pthread_mutexattr_destroy",
    "pthread_mutexattr_setprotocol",
    "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setrobust",
    "pthread_condattr_init",
    "pthread_condattr_destroy",
    "pthread_condattr_setclock",
    "pthread_condattr_setpshared",
    "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy",
    "pthread_setcancelstate",
    "pthread_setcanceltype",
    "pthread_testcancel",
];
