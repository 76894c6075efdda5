//! What is needed to tell whether events may be added in the order of their threads under a model that
//! follows dependencies: whether `po | rf` has no cycles in the executions of a program
//! (`explore/src/in_order.rs`).

use crate::compile::synchronised;
use crate::model::{CAUSAL, Model, Past};
use crate::relational::Local;
use selvedge_graph::{EventId, ExecutionGraph};
use std::sync::Arc;

/// The order that a model keeps within threads.
#[derive(Clone, Debug)]
pub struct Buffering {
    /// What it says of one thread by itself.
    pub local: Local,
    /// Dependencies survive forwarding (`Causality::forwards`).
    pub forwards: bool,
    /// What comes before a release that another thread acquires is coherent with what comes after it there
    /// (`Relational::synchronises`).
    pub synchronises: bool,
}

impl Model {
    /// The same model, for an explorer that watches whether it is right to keep to program order.
    pub fn watching_for(mut self, buffering: &Arc<Buffering>) -> Model {
        self.buffering = Some(buffering.clone());
        self.knowing_what_is_acquired()
    }

    /// The same, as another one does.
    pub fn watching_as(mut self, other: &Model) -> Model {
        self.buffering.clone_from(&other.buffering);
        self.knowing_what_is_acquired()
    }

    /// The same model, with a clock for what threads know of each other's accesses by releases and acquires.
    /// What is consistent stays as it is, but most of what is not shows without a search.
    fn knowing_what_is_acquired(self) -> Model {
        let mut model = match self.buffering.as_ref().is_some_and(|b| b.synchronises) && self.is_local() {
            true => synchronised(self),
            false => self,
        };
        model.note_idle_views();
        model
    }

    /// Of a model that follows dependencies, and was compiled for programs that need not.
    pub fn buffering(&self) -> Option<&Buffering> {
        self.buffering.as_deref()
    }

    /// The causal past of an event: what comes before it in `po | rf | tc | tj`.
    pub fn causes<'g>(&self, g: &'g ExecutionGraph, e: EventId) -> Past<'g> {
        Past::of(g, e, CAUSAL)
    }
}
