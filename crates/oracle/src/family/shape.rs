//! Cycles of accesses.

/// One access: what it writes, or what it reads in the execution in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub write: bool,
    pub loc: usize,
    pub value: i64,
}

/// A test without its mechanisms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// One or two accesses each.
    pub threads: Vec<Vec<Access>>,
    /// Final values of locations that are part of the outcome.
    pub finals: Vec<(usize, i64)>,
}

/// The shapes by name: threads by the kinds of their accesses, and what leads from the last access of each
/// to the first access of the next (the last one, to the first thread). Names as in Sarkar11
/// and Maranget12.
pub const SHAPES: [(&str, &str); 26] = [
    ("MP", "WW rfe RR fre"),
    ("SB", "WR fre WR fre"),
    ("LB", "RW rfe RW rfe"),
    ("S", "WW rfe RW coe"),
    ("R", "WW coe WR fre"),
    ("2+2W", "WW coe WW coe"),
    ("WRC", "W rfe RW rfe RR fre"),
    ("WWC", "W rfe RW rfe RW coe"),
    ("RWC", "W rfe RR fre WR fre"),
    ("WRW+WR", "W rfe RW coe WR fre"),
    ("WRR+2W", "W rfe RR fre WW coe"),
    ("WRW+2W", "W rfe RW coe WW coe"),
    ("ISA2", "WW rfe RW rfe RR fre"),
    ("W+RWC", "WW rfe RR fre WR fre"),
    ("Z6.0", "WW rfe RW coe WR fre"),
    ("Z6.1", "WW coe WW rfe RW coe"),
    ("Z6.2", "WW rfe RW rfe RW coe"),
    ("Z6.3", "WW coe WW rfe RR fre"),
    ("Z6.4", "WW coe WR fre WR fre"),
    ("Z6.5", "WW coe WW coe WR fre"),
    ("3.SB", "WR fre WR fre WR fre"),
    ("3.LB", "RW rfe RW rfe RW rfe"),
    ("3.2W", "WW coe WW coe WW coe"),
    ("IRIW", "W rfe RR fre W rfe RR fre"),
    ("IRRWIW", "W rfe RR fre W rfe RW coe"),
    ("IRWIW", "W rfe RW coe W rfe RW coe"),
];

impl Case {
    /// The cycle of a shape.
    pub fn of_shape(name: &str) -> Option<Case> {
        let (_, text) = SHAPES.iter().find(|(known, _)| *known == name)?;
        let words: Vec<&str> = text.split(' ').collect();
        let count = words.len() / 2;
        let pairs = words.iter().step_by(2).filter(|kinds| kinds.len() == 2).count();
        let com = |thread: usize| words[2 * (thread % count) + 1];
        let (mut threads, mut at) = (Vec::new(), 0);
        for t in 0..count {
            let mut accesses = Vec::new();
            for (i, kind) in words[2 * t].chars().enumerate() {
                at = (at + i) % pairs;
                accesses.push(Access { write: kind == 'W', loc: at, value: 0 });
            }
            threads.push(accesses);
        }
        // Writes first: 2 if there is one before it in coherence, else 1.
        let mut finals = Vec::new();
        for (t, accesses) in threads.iter_mut().enumerate() {
            let before = com(t + count - 1);
            for (i, access) in accesses.iter_mut().enumerate().filter(|(_, a)| a.write) {
                let second = i == 0 && before == "coe";
                access.value = if second { 2 } else { 1 };
                if second {
                    finals.push((access.loc, 2));
                }
            }
        }
        for t in 0..count {
            if com(t + count - 1) == "rfe" {
                threads[t][0].value = threads[(t + count - 1) % count].last()?.value;
            }
        }
        finals.sort_unstable();
        finals.dedup();
        Some(Case { threads, finals })
    }

    /// The tests of coherence, which is about one location: their outcomes contradict it.
    pub fn of_coherence(name: &str) -> Option<Case> {
        let w = |value| Access { write: true, loc: 0, value };
        let r = |value| Access { write: false, loc: 0, value };
        let (threads, last) = match name {
            "CoRR" => (vec![vec![w(1)], vec![r(1), r(0)]], None),
            "CoWW" => (vec![vec![w(1), w(2)]], Some(1)),
            "CoRW1" => (vec![vec![r(1), w(1)]], None),
            "CoRW2" => (vec![vec![w(1)], vec![r(1), w(2)]], Some(1)),
            "CoWR0" => (vec![vec![w(1), r(0)]], None),
            "CoWR" => (vec![vec![w(1), r(2)], vec![w(2)]], Some(1)),
            "CoRR2" => (vec![vec![w(1)], vec![w(2)], vec![r(1), r(2)], vec![r(2), r(1)]], None),
            _ => return None,
        };
        Some(Case { threads, finals: last.map(|v| (0, v)).into_iter().collect() })
    }

    /// The kinds of the pairs of accesses that mechanisms stand between, such as `WR`.
    pub fn pairs(&self) -> Vec<String> {
        let kind = |a: &Access| if a.write { 'W' } else { 'R' };
        let pairs = self.threads.iter().filter(|accesses| accesses.len() == 2);
        pairs.map(|accesses| accesses.iter().map(kind).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_cycle_through_distinct_locations() {
        for (name, text) in SHAPES {
            let case = Case::of_shape(name).unwrap_or_else(|| panic!("{name}"));
            let words: Vec<&str> = text.split(' ').collect();
            for (t, accesses) in case.threads.iter().enumerate() {
                let next = &case.threads[(t + 1) % case.threads.len()];
                let (from, to) = (accesses[accesses.len() - 1], next[0]);
                assert_eq!(from.loc, to.loc, "{name}");
                let kinds = match words[2 * t + 1] {
                    "rfe" => (true, false),
                    "fre" => (false, true),
                    _ => (true, true),
                };
                assert_eq!((from.write, to.write), kinds, "{name}");
                if accesses.len() == 2 {
                    assert_ne!(accesses[0].loc, accesses[1].loc, "{name}");
                }
            }
        }
    }

    #[test]
    fn outcomes() {
        let mp = Case::of_shape("MP").map(|c| (c.threads[1].iter().map(|a| a.value).collect(), c.finals));
        assert_eq!(mp, Some((vec![1, 0], vec![])));
        let w22 = Case::of_shape("2+2W").map(|c| c.finals);
        assert_eq!(w22, Some(vec![(0, 2), (1, 2)]));
    }
}
