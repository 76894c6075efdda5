//! What is seen of a check while it runs.

use crate::guard;
use crate::meter::Meter;
use crate::output;
use selvedge_check::{Observer, Phase};
use selvedge_explore::{Estimate, Progress};

/// The meter, and the guard over the process.
pub struct Screen {
    meter: Meter,
}

impl Screen {
    /// Lines come every so many seconds where there is no terminal.
    pub fn new(progress_every: f64) -> Screen {
        Screen { meter: Meter::new(progress_every) }
    }

    /// Takes away what is not to stay.
    pub fn clear(&self) {
        self.meter.clear();
    }
}

impl Observer for Screen {
    fn phase(&mut self, phase: Phase) {
        guard::enter(match phase {
            Phase::Model => guard::Phase::Model,
            Phase::Compiling => guard::Phase::Compiling,
            Phase::Preparing => guard::Phase::Preparing,
            Phase::Estimating => guard::Phase::Estimating,
            Phase::Exploring => guard::Phase::Exploring,
        });
    }

    fn compiler(&mut self, process: Option<u32>) {
        guard::watch_child(process.unwrap_or(0));
    }

    fn wants_estimate(&self) -> bool {
        Meter::is_on_terminal()
    }

    fn estimate(&mut self, estimate: Estimate) {
        self.meter.expect(estimate);
    }

    fn begins(&mut self, before: Progress) {
        self.meter.restart(before);
    }

    fn progress(&mut self, progress: Progress) {
        self.meter.show(progress);
    }

    fn warning(&mut self, text: &str) {
        output::complain(&format!("warning: {text}"));
    }
}
