//! Rust: running its compiler, and what stands for some functions of its standard library.
//!
//! A program is compiled as it is, with the whole standard library in one module. The library's code is run
//! like the program's. What has a meaning of its own here is start-up, the guards of stacks, what is
//! printed of a panic, and what a thread does where a lock is taken already, or where it has nothing to do:
//! there a thread would spin, sleep and be woken, in thousands of ways that come to the same. The library's
//! memory is as the library has it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selvedge_ir::{harness, library};

use crate::driver::Options;
use crate::error::CompileError;
use crate::names;

/// Names a compiler to run in place of `rustc`.
const CHOICE: &str = "SELVEDGE_RUSTC";

/// The release whose library the table below is about.
pub const KNOWN: &str = "1.95";

/// Functions of the standard library by their paths, and what is called instead: what a program cannot do
/// without here.
const START: [(&str, &str); 11] = [
    ("std::time::Instant::now", "__selvedge_rust_now"),
    ("std::rt::lang_start_internal", "__selvedge_rust_start"),
    ("std::sys::pal::unix::stack_overflow::imp::make_handler", "__selvedge_rust_no_handler"),
    ("std::sys::pal::unix::stack_overflow::imp::drop_handler", "__selvedge_rust_nothing"),
    ("std::alloc::rust_oom", "__selvedge_rust_oom"),
    ("std::sys::thread_local::guard::key::enable", "__selvedge_rust_guard"),
    ("std::thread::id::ThreadId::new", "__selvedge_rust_thread_id"),
    ("std::panicking::default_hook", "__selvedge_rust_hook"),
    ("std::sys::random::linux::hashmap_random_keys", "__selvedge_rust_keys"),
    // It would look for limits in files of the system.
    ("std::thread::functions::available_parallelism", "__selvedge_rust_processors"),
    ("test::test_main_static", harness::RUN),
];

/// What does the same as the library, in a way that analyses know.
const SAME: [(&str, &str); 1] = [("alloc::alloc::Global::alloc_impl_runtime", library::RUST_ALLOCATION)];

/// Where a thread has to wait (`Reduction::Library`).
const WAITING: [(&str, &str); 26] = [
    ("std::sys::sync::mutex::futex::Mutex::lock_contended", "__selvedge_rust_lock"),
    ("std::sys::sync::rwlock::futex::RwLock::read_contended", "__selvedge_rust_read"),
    ("std::sys::sync::rwlock::futex::RwLock::write_contended", "__selvedge_rust_write"),
    ("std::sys::sync::once::futex::Once::call", "__selvedge_rust_once"),
    ("std::sys::sync::once::futex::Once::wait", "__selvedge_rust_once_wait"),
    ("std::thread::functions::sleep", "__selvedge_rust_pause"),
    ("std::thread::functions::sleep_ms", "__selvedge_rust_pause_ms"),
    ("std::thread::functions::sleep_until", "__selvedge_rust_pause"),
    ("std::sys::sync::condvar::futex::Condvar::wait", "__selvedge_rust_wait"),
    ("std::sys::sync::condvar::futex::Condvar::wait_timeout", "__selvedge_rust_wait_timeout"),
    ("std::sys::sync::condvar::futex::Condvar::wait_optional_timeout", "__selvedge_rust_wait_timeout"),
    ("std::sync::poison::condvar::Condvar::notify_one", "__selvedge_rust_notify_one"),
    ("std::sync::poison::condvar::Condvar::notify_all", "__selvedge_rust_notify_all"),
    ("std::sync::nonpoison::condvar::Condvar::notify_one", "__selvedge_rust_notify_one"),
    ("std::sync::nonpoison::condvar::Condvar::notify_all", "__selvedge_rust_notify_all"),
    ("std::sys::sync::condvar::futex::Condvar::notify_one", "__selvedge_rust_notify_one"),
    ("std::sys::sync::condvar::futex::Condvar::notify_all", "__selvedge_rust_notify_all"),
    ("std::sync::barrier::Barrier::wait", "__selvedge_rust_barrier"),
    ("std::thread::thread::Thread::park", "__selvedge_rust_park_handle"),
    ("std::thread::thread::Thread::park_timeout", "__selvedge_rust_park_handle_timeout"),
    ("std::thread::thread::Thread::unpark", "__selvedge_rust_unpark"),
    ("std::thread::functions::park", "__selvedge_rust_park"),
    ("std::thread::functions::park_timeout", "__selvedge_rust_park_timeout"),
    ("std::thread::scoped::ScopeData::decrement_num_running_threads", "__selvedge_rust_scope_leave"),
    ("std::sync::mpmc::utils::Backoff::spin_light", "__selvedge_rust_backoff"),
    ("std::sync::mpmc::utils::Backoff::spin_heavy", "__selvedge_rust_backoff"),
];

/// Says whether somebody has waited for long enough.
pub(crate) const WHENEVER: &str = "__selvedge_rust_whenever";

/// What crates that wait by themselves do between two looks (`Reduction::Library`): nothing that anybody sees
/// depends on how long they pause. How long they have is what they ask for to go to sleep in the end, or to
/// give up: that may be whenever they ask. A mutex that is taken is waited for, as std's.
const PAUSES: [(&str, &str); 9] = [
    ("parking_lot::raw_mutex::RawMutex::lock_slow", "__selvedge_rust_lock_byte"),
    ("parking_lot::raw_rwlock::RawRwLock::lock_shared_slow", "__selvedge_rust_read_bits"),
    ("parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow", "__selvedge_rust_write_bits"),
    ("parking_lot::once::Once::call_once_slow", "__selvedge_rust_once_bits"),
    ("crossbeam_utils::backoff::Backoff::spin", "__selvedge_rust_backoff"),
    ("crossbeam_utils::backoff::Backoff::snooze", "__selvedge_rust_backoff"),
    ("crossbeam_utils::backoff::Backoff::is_completed", WHENEVER),
    ("parking_lot_core::spinwait::SpinWait::spin", WHENEVER),
    ("parking_lot_core::spinwait::SpinWait::spin_no_yield", "__selvedge_rust_backoff"),
];

/// Types whose counted pointers are not dropped (`Reduction::Handles`): nothing happens where the last one
/// is but that memory is freed, which nobody can see.
const HANDLES: [&str; 3] = [
    "std::thread::thread::Inner, std::alloc::System",
    "std::thread::scoped::ScopeData",
    "std::sync::mpmc::context::Inner",
];

/// A writer that waits keeps others from reading, which is seen by trying.
pub(crate) const TRIES: [&str; 2] =
    ["std::sync::poison::rwlock::RwLock::try_read", "std::sync::nonpoison::rwlock::RwLock::try_read"];

/// What writers do in programs that try to read.
pub(crate) fn is_told(symbol: &str) -> Option<String> {
    (symbol == "__selvedge_rust_write").then(|| String::from("__selvedge_rust_write_told"))
}

/// Where a receiver that found nothing goes to wait: what stands for it.
pub(crate) fn waits_at_a_channel(symbol: &str) -> Option<String> {
    harness::waits_at_a_channel(&names::rust(symbol)?).map(str::to_owned)
}

/// What is called in place of a function. `known`: of the release that the tables are about.
pub(crate) fn replaced(symbol: &str, known: bool, library: bool, handles: bool) -> Option<String> {
    // The rules of landing pads are those of the machine.
    if symbol == "rust_eh_personality" {
        return Some(String::from("__selvedge_rust_personality"));
    }
    let whole = names::rust(symbol)?;
    if handles
        && let Some(ty) = whole.strip_prefix("<alloc::sync::Arc<")
        && let Some(ty) = ty.strip_suffix("> as core::ops::drop::Drop>::drop")
        && HANDLES.contains(&ty)
    {
        return Some(String::from("__selvedge_rust_keep"));
    }
    let path = names::plain_path(&whole);
    let waiting: &[(&str, &str)] = if library { &WAITING } else { &[] };
    let pauses: &[(&str, &str)] = if library { &PAUSES } else { &[] };
    let same: &[(&str, &str)] = if known { &SAME } else { &[] };
    START
        .iter()
        .chain(same)
        .chain(waiting)
        .chain(pauses)
        .find(|(of, _)| *of == path)
        .map(|(_, by)| (*by).to_owned())
}

/// Functions of the standard library that what stands for others calls.
pub(crate) fn called(symbol: &str) -> Option<String> {
    let path = names::rust(symbol)?;
    CALLED.iter().find(|(of, _)| *of == path).map(|(_, name)| (*name).to_owned())
}

/// Functions of the standard library by their paths, and the names by which they are called.
pub(crate) const CALLED: [(&str, &str); 2] = [
    ("std::panicking::payload_as_str", "__selvedge_rust_payload_text"),
    ("std::sys::thread_local::guard::key::enable::run", "__selvedge_rust_thread_end"),
];

/// A scope waits for its threads by parking, and so does a thread at a channel: what they call instead.
pub(crate) const PARK: &str = "__selvedge_rust_park_handle";
pub(crate) const PARKING: [(&str, &str); 2] = [
    ("std::thread::scoped::scope", "__selvedge_rust_scope_wait"),
    ("std::sync::mpmc::context::Context::wait_until", harness::CHANNEL_WAIT),
];

/// Waits until a condition holds or a time is over, and what it asks about times: what it calls instead.
pub(crate) const TIMED: [&str; 2] = [
    "std::sync::poison::condvar::Condvar::wait_timeout_while",
    "std::sync::nonpoison::condvar::Condvar::wait_timeout_while",
];
pub(crate) const TIMES: [(&str, &str); 2] = [
    ("std::time::Instant::now", "__selvedge_rust_time_begins"),
    ("std::time::Instant::elapsed", "__selvedge_rust_time_passed"),
];

pub(crate) fn is_at(path: &str, symbol: &str) -> bool {
    names::rust(symbol).is_some_and(|name| names::plain_path(&name) == path)
}

/// Functions that only stand for an access, or for a look at what it gave. A program that is not optimised
/// calls them; a loop that waits is known as one where the access is in it.
const ACCESSES: [&str; 6] = [
    "core::sync::atomic::",
    "core::result::Result::is_",
    "core::option::Option::is_",
    "core::cell::UnsafeCell::",
    "core::hint::spin_loop",
    "std::thread::functions::yield_now",
];

pub(crate) fn is_access(symbol: &str) -> bool {
    let Some(path) = names::rust(symbol).map(|path| names::plain_path(&path)) else { return false };
    ACCESSES.iter().any(|begin| path.starts_with(begin))
}

/// The compiler to run.
pub fn compiler() -> OsString {
    env::var_os(CHOICE).filter(|name| !name.is_empty()).unwrap_or_else(|| "rustc".into())
}

/// What a compiler says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// `1.95.0`.
    pub release: String,
    /// The major version of its LLVM.
    pub llvm: u32,
}

impl Version {
    /// Whether it takes no features of the language that are not settled.
    fn is_stable(&self) -> bool {
        !self.release.contains('-') || self.release.contains("-beta")
    }

    /// Whether the library that comes with it is the one that is known.
    pub fn is_known(&self) -> bool {
        self.release.strip_prefix(KNOWN).is_some_and(|rest| rest.starts_with('.'))
    }
}

/// Whether a compiler that says this of itself is not rustc, or one whose library is known.
pub(crate) fn is_known(compiler: &str) -> bool {
    let Some(rest) = compiler.strip_prefix("rustc version ") else { return true };
    let release = rest.split(' ').next().unwrap_or(rest).to_owned();
    Version { release, llvm: 0 }.is_known()
}

/// Asks a compiler.
pub fn version_of(compiler: &OsStr) -> Result<Version, CompileError> {
    let missing = || CompileError::NoRustc { tried: compiler.to_string_lossy().into_owned() };
    let output = Command::new(compiler).args(["--version", "--verbose"]).stdin(Stdio::null()).output();
    let output = output.map_err(|_| missing())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let llvm = field("LLVM version:").and_then(|version| version.split('.').next()?.parse().ok());
    match (field("release:"), llvm) {
        (Some(release), Some(llvm)) => Ok(Version { release: release.to_owned(), llvm }),
        _ => Err(missing()),
    }
}

/// A compiler whose modules can be read.
pub fn usable() -> Result<(OsString, Version), CompileError> {
    let compiler = compiler();
    let version = version_of(&compiler)?;
    match version.llvm {
        ..=22 => Ok((compiler, version)),
        llvm => Err(CompileError::NewerRustc { release: version.release, llvm }),
    }
}

/// The options that make one module of a program and its libraries, as it is written: an optimiser drops
/// accesses and chooses values for what is undefined. With `link` the standard library's modules come in;
/// nothing is linked, as what the program calls may be in a file of another language.
///
/// Where rustc does not optimise at all, it does not say where the lives of variables begin and end. So it is
/// told to, and to run no passes: neither those of LLVM nor, of its own, more than it runs otherwise
/// ([`BOOTSTRAP`] lets it take that option, and no feature is allowed by it that would not be without).
pub const FLAGS: [&str; 17] = [
    "-Copt-level=1",
    "-Cno-prepopulate-passes",
    "-Zmir-opt-level=1",
    "-Cdebug-assertions=on",
    "-Clto=fat",
    "-Cembed-bitcode=yes",
    "-Ccodegen-units=1",
    "-Cdebuginfo=2",
    "-Csymbol-mangling-version=v0",
    "-Crelocation-model=static",
    "-Coverflow-checks=on",
    "--cfg=selvedge",
    "--check-cfg=cfg(selvedge)",
    "--emit=llvm-bc,link",
    "-Clinker=true",
    "-Clinker-flavor=gcc",
    "-Awarnings",
];
const BOOTSTRAP: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");
const NO_FEATURES: &str = "-Zallow-features=";

/// Ends what makes machine code of the module, which nobody needs, before it begins: it would take longer
/// than all the rest. Of LLVM 22.
const NO_MACHINE_CODE: &str = "-Cllvm-args=-stop-before=pre-isel-intrinsic-lowering";

/// A directory that is removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Scratch> {
        let base = env::temp_dir();
        for number in 0.. {
            let path = base.join(format!("selvedge-rust-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Scratch(path)),
            }
        }
        Err(io::Error::other("no name is left for a directory"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it.
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Compiles a file to a module with all that it needs.
pub(crate) fn bitcode_of(file: &Path, options: &Options) -> Result<Vec<u8>, CompileError> {
    let (compiler, version) = usable()?;
    let scratch = Scratch::new().map_err(CompileError::Start)?;
    let mut command = Command::new(&compiler);
    command.args(FLAGS).arg("--crate-name=program");
    if version.is_stable() && env::var_os(BOOTSTRAP.0).is_none() {
        command.arg(NO_FEATURES);
    }
    command.env(BOOTSTRAP.0, BOOTSTRAP.1);
    if version.llvm == 22 {
        command.arg(NO_MACHINE_CODE);
    }
    if !options.clang_args.iter().any(|word| word.starts_with("--edition")) {
        command.arg("--edition=2024");
    }
    command.args(&options.clang_args).arg("-o").arg(scratch.0.join("program")).arg(file);
    command.stdin(Stdio::null());
    crate::llvm::process::end_together(&mut command);
    let result = command.output().map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory => CompileError::Start(source),
        _ => CompileError::NoRustc { tried: compiler.to_string_lossy().into_owned() },
    })?;
    if !result.status.success() {
        let stderr = String::from_utf8_lossy(&result.stderr).into_owned();
        return Err(CompileError::Clang { file: file.to_owned(), stderr });
    }
    let module = scratch.0.join("program.bc");
    fs::read(&module).map_err(|source| CompileError::Unreadable { file: module.clone(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_other_releases_are_told_apart() {
        assert!(is_known("rustc version 1.95.0 (59807616e 2026-04-14)"));
        assert!(!is_known("rustc version 1.96.0-nightly (0123 2026-05-01)"));
        assert!(is_known("clang version 22.1.0"));
    }

    #[test]
    fn the_installed_compiler_is_known() {
        let (_, version) = usable().expect("a compiler");
        assert!(version.is_known(), "rustc {} has another library than {KNOWN}", version.release);
    }
}
