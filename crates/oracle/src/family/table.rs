//! Tables of verdicts.
//!
//! A table is about one model. Its lines:
//!
//! ```text
//!     dialect AArch64                      what the tests are written in
//!     model armv8
//!     keeps dmb.ld  RR RW                  a mechanism, and the pairs that it keeps in order
//!     cycles MP SB : po dmb.ld             every combination of these mechanisms in these shapes
//!     allow MP lwsync po|ctrl              one mechanism for each pair, alternatives after `|`
//!     forbid MP lwsync addr|sync
//!     coherence CoRR CoWW                  forbidden, with program order alone
//! ```
//!
//! A combination of `cycles` is forbidden exactly if each pair is kept in order: that is what
//! multi-copy atomicity means for such cycles. `#` starts a comment; sources are cited there.

use super::emit::Dialect;
use super::shape::Case;
use std::collections::{BTreeMap, BTreeSet};

/// One test with its verdict.
#[derive(Clone, Debug)]
pub struct TableEntry {
    pub name: String,
    pub model: String,
    /// The litmus test.
    pub text: String,
    pub forbidden: bool,
    /// The line of the table that it comes from.
    pub line: usize,
}

/// The tests of a table, each once, or what is wrong with it. A later line may repeat a test of an
/// earlier one, but not contradict it.
pub fn read(table: &str) -> Result<Vec<TableEntry>, String> {
    let mut reader = TableReader::default();
    for (line, number) in table.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            reader.line(line, number).map_err(|message| format!("line {number}: {message}"))?;
        }
    }
    Ok(reader.entries.into_values().collect())
}

#[derive(Default)]
struct TableReader {
    dialect: Option<Dialect>,
    model: String,
    keeps: BTreeMap<String, BTreeSet<String>>,
    /// By name.
    entries: BTreeMap<String, TableEntry>,
}

impl TableReader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match (word, words.as_slice()) {
            ("dialect", [name]) => {
                self.dialect = Some(Dialect::by_name(name).ok_or("no such dialect")?);
                Ok(())
            }
            ("model", [name]) => {
                self.model = name.to_string();
                Ok(())
            }
            ("keeps", [mechanism, pairs @ ..]) => {
                let known = ["RR", "RW", "WR", "WW"];
                if let Some(bad) = pairs.iter().find(|p| !known.contains(p)) {
                    return Err(format!("{bad} is no pair"));
                }
                self.keeps.insert(mechanism.to_string(), pairs.iter().map(|p| p.to_string()).collect());
                Ok(())
            }
            ("cycles", _) => self.cycles(rest, number),
            ("allow" | "forbid", [shape, mechanisms @ ..]) => {
                let case = Case::of_shape(shape).ok_or_else(|| format!("no shape {shape}"))?;
                if mechanisms.len() != case.pairs().len() {
                    return Err(format!("{shape} has {} pairs", case.pairs().len()));
                }
                let choices: Vec<Vec<&str>> = mechanisms.iter().map(|m| m.split('|').collect()).collect();
                for combination in product(&choices) {
                    if !self.add(shape, &case, &combination, word == "forbid", number)? {
                        return Err(format!("{shape} cannot have {combination:?}"));
                    }
                }
                Ok(())
            }
            ("coherence", names) => {
                for name in names {
                    let case = Case::of_coherence(name).ok_or_else(|| format!("no test {name}"))?;
                    let mechanisms = vec!["po"; case.pairs().len()];
                    self.add(name, &case, &mechanisms, true, number)?;
                }
                Ok(())
            }
            _ => Err(format!("`{line}` cannot be read")),
        }
    }

    fn cycles(&mut self, rest: &str, number: usize) -> Result<(), String> {
        let (shapes, mechanisms) = rest.split_once(':').ok_or("expected `shapes : mechanisms`")?;
        let mechanisms: Vec<&str> = mechanisms.split_whitespace().collect();
        for m in &mechanisms {
            if !self.keeps.contains_key(*m) {
                return Err(format!("nothing is known of {m}"));
            }
        }
        for shape in shapes.split_whitespace() {
            let case = Case::of_shape(shape).ok_or_else(|| format!("no shape {shape}"))?;
            let pairs = case.pairs();
            let choices = vec![mechanisms.clone(); pairs.len()];
            for combination in product(&choices) {
                let kept = |(m, pair): (&&str, &String)| self.keeps[*m].contains(pair);
                let forbidden = combination.iter().zip(&pairs).all(kept);
                // Not every mechanism makes sense everywhere.
                self.add(shape, &case, &combination, forbidden, number)?;
            }
        }
        Ok(())
    }

    /// False if a mechanism makes no sense where it should stand.
    fn add(
        &mut self,
        shape: &str,
        case: &Case,
        mechanisms: &[&str],
        forbidden: bool,
        line: usize,
    ) -> Result<bool, String> {
        let dialect = self.dialect.ok_or("the dialect is not known yet")?;
        let name = format!("{shape}+{}", mechanisms.join("+"));
        let Some(text) = dialect.emit(&name, case, mechanisms) else { return Ok(false) };
        if let Some(known) = self.entries.get(&name) {
            if known.forbidden != forbidden {
                return Err(format!("{name} contradicts line {}", known.line));
            }
            return Ok(true);
        }
        let model = self.model.clone();
        self.entries.insert(name.clone(), TableEntry { name, model, text, forbidden, line });
        Ok(true)
    }
}

fn product<'a>(choices: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
    choices.iter().fold(vec![Vec::new()], |all, list| {
        let with = |prefix: &Vec<&'a str>, last: &&'a str| {
            let mut longer = prefix.clone();
            longer.push(*last);
            longer
        };
        all.iter().flat_map(|prefix| list.iter().map(move |last| with(prefix, last))).collect()
    })
}
