//! Snapshots as they are written to files.
//!
//! What a visitor has found is the caller's, who also says whose exploration it is: of which program, model
//! and options. Here is the rest: the work that is left, what was counted, and what the reductions know of
//! the program. Paths mean something only to an explorer that takes the same decisions in the same order
//! ([`FORMAT`]).

use crate::path::{FORMAT, NoUnit, Path, Unit};
use crate::reductions::{SavedWatches, Watches};
use crate::report::{Config, Stats};
use crate::team::Snapshot;
use serde::{Deserialize, Serialize};

/// A snapshot without its visitor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Of the paths.
    format: u32,
    counts: Stats,
    units: Vec<Unit>,
    /// What was known of the program.
    watches: SavedWatches,
}

/// It was written by an explorer that takes other decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is of format {found}, and this is format {FORMAT}")]
pub struct OtherFormat {
    /// The format of what was read.
    pub found: u32,
}

impl Saved {
    /// Of a snapshot of an exploration with this configuration.
    pub fn new<V>(snapshot: &Snapshot<V>, config: &Config) -> Saved {
        Saved {
            format: FORMAT,
            counts: Stats { gave_up: None, ..snapshot.stats.clone() },
            units: snapshot.units.clone(),
            watches: config.watches.save(),
        }
    }

    /// The snapshot, with the visitor that went with it. `config` gets to know what was known of the program.
    pub fn restore<V>(self, visitor: V, config: &mut Config) -> Result<Snapshot<V>, OtherFormat> {
        if self.format != FORMAT {
            return Err(OtherFormat { found: self.format });
        }
        config.watches = Watches::restore(self.watches);
        Ok(Snapshot { units: self.units, stats: self.counts, visitor })
    }
}

impl From<Unit> for String {
    fn from(unit: Unit) -> String {
        unit.to_string()
    }
}

impl TryFrom<String> for Unit {
    type Error = NoUnit;

    fn try_from(text: String) -> Result<Unit, NoUnit> {
        text.parse()
    }
}

impl From<Path> for String {
    fn from(path: Path) -> String {
        path.to_string()
    }
}

impl TryFrom<String> for Path {
    type Error = NoUnit;

    fn try_from(text: String) -> Result<Path, NoUnit> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_graph::Loc;
    use std::sync::Arc;

    fn snapshot() -> Snapshot<&'static str> {
        let units = ["s3p2+r7+v1", "/"].map(|text| text.parse().expect("a unit"));
        let stats = Stats { complete: 7, torn: 2, held_up: 3, ..Stats::default() };
        Snapshot { units: units.into(), stats, visitor: "what it saw" }
    }

    fn watching(watches: Watches) -> Config {
        Config { watches, ..Config::default() }
    }

    #[test]
    fn a_snapshot_is_read_back_as_it_was_written() {
        let config = watching(Watches { twins: Some(Arc::default()), ..Watches::default() });
        let text = serde_json::to_string(&Saved::new(&snapshot(), &config)).expect("it is written");
        let saved: Saved = serde_json::from_str(&text).expect("it is read");
        let mut config = watching(Watches { chains: Some(Arc::default()), ..Watches::default() });
        let again = saved.restore("what it saw", &mut config).expect("of this format");
        assert_eq!((again.units, again.stats), (snapshot().units, snapshot().stats));
        // What was not watched any more is not watched again.
        assert!(config.watches.chains.is_none() && config.watches.twins.is_some());
    }

    #[test]
    fn what_was_known_of_locations_is_known_again() {
        let config = watching(Watches { chains: Some(Arc::default()), ..Watches::default() });
        // A lock was lost at location 1, and its writes form no chain.
        config.watches.chains.as_ref().expect("watched").restore(&[0, 3]);
        let saved = Saved::new(&snapshot(), &config);
        let mut config = Config::default();
        saved.restore((), &mut config).expect("of this format");
        assert_eq!(config.watches.chains.expect("watched").broken(), Some(Loc(1)));
    }

    #[test]
    fn paths_of_another_format_are_refused() {
        let saved = Saved { format: FORMAT + 1, ..Saved::new(&snapshot(), &Config::default()) };
        let refused = saved.restore((), &mut Config::default()).map(|_| ());
        assert_eq!(refused, Err(OtherFormat { found: FORMAT + 1 }));
    }

    #[test]
    fn a_text_that_is_no_unit_is_refused() {
        assert!(serde_json::from_str::<Unit>("\"s3 p2\"").is_err());
        assert!(serde_json::from_str::<Path>("\"s3+\"").is_err());
    }
}
