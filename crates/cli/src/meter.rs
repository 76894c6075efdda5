//! How far an exploration is: a line on the terminal that changes, or a line now and then.

use selvedge_explore::{Estimate, Progress};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

pub struct Meter {
    style: Style,
    begin: Instant,
    /// What was explored before, in another run.
    before: Progress,
    next: Instant,
    expected: Option<Estimate>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    None,
    Terminal,
    /// Every so often.
    Lines(Duration),
}

/// Runs that are over sooner need no meter.
const PATIENCE: Duration = Duration::from_millis(400);
const REFRESH: Duration = Duration::from_millis(200);

impl Meter {
    /// On standard error; lines come every `seconds` if it is not a terminal, and never if that is 0.
    pub fn new(seconds: f64) -> Meter {
        let every = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let (style, first) = match std::io::stderr().is_terminal() {
            true => (Style::Terminal, PATIENCE),
            false if every.is_zero() => (Style::None, PATIENCE),
            false => (Style::Lines(every), every),
        };
        let begin = Instant::now();
        let next = begin.checked_add(first).unwrap_or(begin + Duration::from_secs(1 << 30));
        Meter { style, begin, before: Progress::default(), next, expected: None }
    }

    pub fn is_on_terminal() -> bool {
        std::io::stderr().is_terminal()
    }

    pub fn expect(&mut self, estimate: Estimate) {
        self.expected = Some(estimate);
    }

    /// Another exploration begins, which has come this far already.
    pub fn restart(&mut self, before: Progress) {
        (self.begin, self.before) = (Instant::now(), before);
    }

    pub fn show(&mut self, progress: Progress) {
        let now = Instant::now();
        if self.style == Style::None || now < self.next {
            return;
        }
        let text = self.text(progress, (now - self.begin).as_secs_f64());
        let mut err = std::io::stderr().lock();
        let _ = match self.style {
            Style::None => Ok(()),
            Style::Terminal => {
                self.next = now + REFRESH;
                write!(err, "\r\x1b[K{text}").and_then(|()| err.flush())
            }
            Style::Lines(every) => {
                self.next = now + every;
                writeln!(err, "{text}")
            }
        };
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.style == Style::Terminal {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }

    fn text(&self, progress: Progress, seconds: f64) -> String {
        let done = progress.executions;
        let rate = (done - self.before.executions.min(done)) as f64 / seconds.max(0.001);
        let blocked = 100.0 * progress.blocked as f64 / done.max(1) as f64;
        let mut text = format!("{done}");
        if let Some(estimate) = self.expected {
            text += &format!(" of about {}", about(estimate.mean));
        }
        text += &format!(" executions, {} per second, {blocked:.0}% blocked", about(rate));
        match self.expected.map(|estimate| estimate.mean - done as f64) {
            Some(left) if left > 0.0 => text + &format!(", about {} left", duration(left / rate.max(1e-9))),
            Some(_) => text + ", more than estimated",
            None => text,
        }
    }
}

/// Two digits are all that can be said.
pub fn about(number: f64) -> String {
    if number >= 1e15 {
        return format!("{number:.1e}");
    }
    let digits = (number.max(1.0).log10().floor() as i32 - 1).max(0);
    let unit = 10f64.powi(digits);
    let text = format!("{:.0}", (number / unit).round() * unit);
    let mut out = String::new();
    for (at, digit) in text.chars().enumerate() {
        if at > 0 && (text.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `3 s`, `5 min`, `7 h`, `12 days`, `400 years`.
pub fn duration(seconds: f64) -> String {
    let units = [(60.0, "s"), (60.0, "min"), (24.0, "h"), (365.0, "days")];
    let mut left = seconds;
    for (most, unit) in units {
        if left < 2.0 * most {
            return if left < 1.0 { format!("{left:.1} {unit}") } else { format!("{left:.0} {unit}") };
        }
        left /= most;
    }
    format!("{} years", about(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_round() {
        let texts = [0.2, 7.0, 43.0, 999.0, 12_345.0, 2_363_803.0, 3e20].map(about);
        assert_eq!(texts, ["0", "7", "43", "1,000", "12,000", "2,400,000", "3.0e20"]);
    }

    #[test]
    fn durations_have_one_unit() {
        let texts = [0.25, 59.0, 119.0, 121.0, 7200.0, 1e6, 1e9, 1e30].map(duration);
        assert_eq!(texts[..6], ["0.2 s", "59 s", "119 s", "2 min", "2 h", "12 days"].map(String::from));
        assert_eq!(texts[6], "32 years");
    }
}
