//! Sources are lowered in a child process, so that LLVM's memory is gone before the exploration starts, and
//! a crash of it is a message.

use crate::error::{InputError, InputKind};
use crate::limits::Limits;
use crate::observer::{Observer, Phase};
use crate::stopped::Stopped;
use selvedge_explore::{GaveUp, Watch};
use selvedge_ir::Module;
use selvedge_machine::Reductions;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The command that is installed beside this one.
const LOWER: &str = "selvedge-lower";

/// The exit code of the child for what is too large.
const TOO_LARGE: i32 = 3;

/// How the standard libraries, LLVM and clang say that they do not get memory.
const OUT_OF_MEMORY: [&str; 4] =
    ["out of memory", "bad_alloc", "memory allocation of", "Cannot allocate memory"];

/// How long a child may take to end that nobody needs any more.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is looked whether there is a reason to stop waiting.
const TICK: Duration = Duration::from_millis(20);

/// Ctrl-C and a friendly request to end, as the system numbers them.
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Files that make up a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// C, LLVM bitcode or LLVM assembly; linked together.
    pub files: Vec<PathBuf>,
    /// Flags for clang.
    pub clang: Vec<String>,
    /// Indices past the end of an array that is part of a larger object are errors.
    pub strict_bounds: bool,
    /// Volatile accesses are relaxed atomic ones.
    pub volatile_atomic: bool,
    /// Registers that hold variables have their names.
    pub names: bool,
    /// Where `selvedge-lower` is; beside the running program if it is not said.
    pub compiler: Option<PathBuf>,
}

impl Sources {
    /// One file, without flags.
    pub fn file(path: impl Into<PathBuf>) -> Sources {
        Sources { files: vec![path.into()], ..Sources::default() }
    }
}

/// Sources that are being lowered.
pub struct Lowering {
    /// Until it was waited for.
    child: Option<Child>,
    /// The child ends when this closes, so that it does not outlive this process, however that ends.
    leash: Option<ChildStdin>,
    limits: Limits,
    /// The most memory that a child had which ended before.
    before: u64,
}

fn bad(message: String, help: Option<&str>) -> Stopped {
    Stopped::Error(InputError::plain(InputKind::Compile, message, help))
}

impl Lowering {
    /// Starts the compiler. If it is to be raw, no pass looks at the loops of the program.
    pub fn start(
        sources: &Sources,
        reductions: Reductions,
        raw: bool,
        limits: Limits,
        observer: &mut dyn Observer,
    ) -> Result<Lowering, Stopped> {
        let beside = || {
            let me =
                std::env::current_exe().map_err(|e| bad(format!("cannot find this program: {e}"), None))?;
            Ok::<_, Stopped>(beside(&me))
        };
        let compiler = sources.compiler.clone().map_or_else(beside, Ok)?;
        let mut command = Command::new(&compiler);
        if let Some(most) = limits.most_bytes() {
            command.arg(format!("--most-bytes={most}"));
        }
        let before = children_bytes();
        let mut child = command
            .arg("--leash")
            .arg(format!("--expects={}", env!("CARGO_PKG_VERSION")))
            .arg(format!("--disable={reductions}"))
            .args(raw.then_some("--raw"))
            .args(sources.strict_bounds.then_some("--strict-bounds"))
            .args(sources.volatile_atomic.then_some("--volatile-atomic"))
            .args(sources.names.then_some("--names"))
            .args(&sources.files)
            .arg("--")
            .args(&sources.clang)
            // Ctrl-C is for this process, which says what to do.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| {
                let help = "it is installed with `selvedge`, in the same directory";
                bad(format!("cannot start {}: {e}", compiler.display()), Some(help))
            })?;
        observer.compiler(Some(child.id()));
        let leash = child.stdin.take();
        Ok(Lowering { child: Some(child), leash, limits, before })
    }

    /// Waits for the program.
    pub fn finish(mut self, watch: &Watch, observer: &mut dyn Observer) -> Result<Module, Stopped> {
        observer.phase(Phase::Compiling);
        let Some(child) = self.child.take() else { unreachable!("is waited for once") };
        let id = child.id();
        let stop = |why| Stopped::GaveUp(why, Phase::Compiling);
        let output = self.wait(child, watch).map_err(stop)?;
        observer.compiler(None);
        if output.as_ref().is_ok_and(|output| output.status.code().is_none()) {
            clean_up(id);
        }
        let output = output.map_err(|e| bad(format!("cannot read from {LOWER}: {e}"), None))?;
        // It may have been gone before anybody looked.
        let too_much = |most: u64| self.before <= most && children_bytes() > most;
        if self.limits.most_bytes().is_some_and(too_much) {
            return Err(stop(self.limits.out_of_memory()));
        }
        if output.status.success() {
            observer.phase(Phase::Preparing);
            let text = String::from_utf8_lossy(&output.stdout);
            return selvedge_ir::text::parse(&text)
                .map_err(|e| bad(format!("the lowered program cannot be read back: {e}"), None));
        }
        let text = String::from_utf8_lossy(&output.stderr).trim_end().to_string();
        // An end that this process was asked for, or that it asked for, is no crash.
        if let Some(why) = watch.reason() {
            return Err(stop(why));
        }
        let out_of_memory = OUT_OF_MEMORY.iter().any(|words| text.contains(words));
        if self.limits.most_bytes().is_some() && out_of_memory {
            return Err(stop(self.limits.out_of_memory()));
        }
        if output.status.code() == Some(TOO_LARGE) {
            return Err(stop(GaveUp::TooLarge(text)));
        }
        if matches!(output.status.signal(), Some(SIGINT | SIGTERM)) {
            return Err(stop(GaveUp::Interrupted));
        }
        Err(match output.status.code() {
            Some(_) if text.is_empty() => bad(format!("{LOWER} failed ({})", output.status), None),
            Some(_) => bad(text, None),
            None => bad(
                format!("LLVM crashed on this input ({}) {text}", output.status),
                Some("try another clang flag"),
            ),
        })
    }

    /// Waits until the child has ended, or there is a reason not to.
    fn wait(&mut self, child: Child, watch: &Watch) -> Result<std::io::Result<Output>, GaveUp> {
        let (done, ended) = channel();
        let waiter = std::thread::spawn(move || {
            let output = child.wait_with_output();
            // Nobody may want it any more.
            let _ = done.send(output);
        });
        loop {
            match ended.recv_timeout(TICK) {
                Ok(output) => {
                    let _ = waiter.join();
                    return Ok(output);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Err(std::io::Error::other("the thread that waits for it failed")));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = watch.reason() {
                        // The child ends when the pipe closes.
                        self.leash = None;
                        let _ = ended.recv_timeout(PATIENCE);
                        return Err(why);
                    }
                }
            }
        }
    }
}

/// The compiler of a program that is installed: beside it, or one directory up, where tests and examples are
/// built.
fn beside(program: &Path) -> PathBuf {
    let here = program.with_file_name(LOWER);
    let above = program.parent().and_then(Path::parent).map(|directory| directory.join(LOWER));
    match above {
        Some(above) if !here.exists() && above.exists() => above,
        _ => here,
    }
}

impl Drop for Lowering {
    /// Nobody wants the result. Where it can, the child leaves nothing behind.
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        drop((self.leash.take(), child.stdout.take(), child.stderr.take()));
        let begin = Instant::now();
        while let Ok(None) = child.try_wait() {
            if begin.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                return clean_up(child.id());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Removes the headers that a child leaves behind that crashed.
fn clean_up(child: u32) {
    let directory = std::env::temp_dir().join(format!("selvedge-headers-{child}"));
    for header in ["selvedge.h", "genmc.h", "lkmm.h", "gnu/stubs-32.h"] {
        let _ = std::fs::remove_file(directory.join(header));
    }
    let _ = std::fs::remove_dir(directory.join("gnu"));
    let _ = std::fs::remove_dir(directory);
}

/// The most memory that a child had which has ended, or a child of it.
fn children_bytes() -> u64 {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    usage.ok().and_then(|usage| u64::try_from(usage.max_rss()).ok()).unwrap_or(0) << 10
}
