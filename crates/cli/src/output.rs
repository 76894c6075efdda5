//! Standard output and standard error: nothing that a terminal obeys gets there, and what does not arrive is
//! noticed.

use crate::escape;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that was printed did not arrive.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether all that was printed has arrived.
pub fn arrived() -> bool {
    !LOST.load(Ordering::Relaxed)
}

/// Prints a text.
pub fn print(text: &str) {
    emit(&escape::shown(text));
}

/// Prints JSON.
pub fn print_json(text: &str) {
    emit(&escape::json(text));
}

/// Writes to standard output what is safe to be shown. A reader that went away (`| head`) needs no message.
pub fn emit(text: &str) {
    let mut out = std::io::stdout().lock();
    check(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Notices if something could not be written to standard output.
pub fn check(written: std::io::Result<()>) {
    if let Err(error) = written
        && !LOST.swap(true, Ordering::Relaxed)
        && error.kind() != ErrorKind::BrokenPipe
    {
        complain(&format!("error: cannot write to standard output: {error}"));
    }
}

pub fn complain(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = writeln!(err, "{}", escape::shown(text));
}
