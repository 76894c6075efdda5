//! What this process and those that it runs may do.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Lets the process, and those that it starts, map at most so many bytes. Where that is not possible, nothing
/// happens.
pub fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: reads the structure, and nothing else.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}

/// What the command starts ends when the thread that starts it does, and so with the process, however that
/// ends.
pub fn end_together(command: &mut Command) {
    // SAFETY: between `fork` and `exec` a system call is made, which is allowed there, and nothing else.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}
