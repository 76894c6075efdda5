//! Ctrl-C: the first one asks for what there is so far, the second one ends the process.

use selvedge_check::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// How a shell says that a process was interrupted.
const INTERRUPTED: i32 = 130;

/// Listens from now on. Returns what the first Ctrl-C sets.
pub fn listen() -> Cancel {
    let mut first = false;
    let asked = ASKED.get_or_init(|| {
        first = true;
        Arc::default()
    });
    let cancel = Cancel::from_flag(Arc::clone(asked));
    if !first {
        return cancel;
    }
    for signal in [SIGINT, SIGTERM] {
        // If this is not possible, the signal ends the process, as it does by default.
        let _ = flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(asked))
            .and_then(|_| flag::register(signal, Arc::clone(asked)));
    }
    cancel
}

/// Whether an end was asked for.
pub fn asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::Relaxed))
}
