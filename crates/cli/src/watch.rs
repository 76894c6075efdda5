//! What watches over an exploration: limits, Ctrl-C, and the meter.

use crate::check::limits;
use crate::interrupt;
use crate::meter::Meter;
use selvedge_explore::{Director, Order, Progress};

pub struct Watch<'a> {
    pub meter: &'a mut Meter,
}

impl<V> Director<V> for Watch<'_> {
    fn order(&mut self, progress: Progress) -> Order {
        if let Some(why) = reason_to_stop() {
            return Order::Stop(why);
        }
        self.meter.show(progress);
        Order::GoOn
    }
}

/// Why no more is to be explored.
pub fn reason_to_stop() -> Option<String> {
    interrupt::reason().or_else(limits::reached)
}
