//! Satisfiability of clauses: conflict-driven clause learning with two watched literals, activities, saved
//! phases and restarts, as in MiniSat [Een03]. Questions here are small, so no clause is ever forgotten.

/// A variable or its negation: twice the variable's number, and 1 if it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub u32);

impl Lit {
    pub fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }

    fn var(self) -> usize {
        (self.0 >> 1) as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Satisfiable,
    Unsatisfiable,
    /// It took more work than it may.
    GaveUp,
}

const UNSET: u8 = 2;
const NO_REASON: u32 = u32::MAX;

#[derive(Debug, Default)]
pub struct Sat {
    clauses: Vec<Vec<Lit>>,
    /// By literal, the clauses that watch it, to be looked at when it becomes false.
    watches: Vec<Vec<u32>>,
    /// By variable: 0 or 1, or `UNSET`.
    values: Vec<u8>,
    phases: Vec<bool>,
    levels: Vec<u32>,
    reasons: Vec<u32>,
    activity: Vec<f64>,
    trail: Vec<Lit>,
    /// Where in the trail each level begins.
    starts: Vec<usize>,
    next: usize,
    heap: Heap,
    bump: f64,
    broken: bool,
    /// How many clauses were looked at.
    pub work: u64,
}

impl Sat {
    pub fn new() -> Sat {
        Sat { bump: 1.0, ..Sat::default() }
    }

    pub fn variable(&mut self) -> Lit {
        let var = self.values.len() as u32;
        self.values.push(UNSET);
        self.phases.push(false);
        self.levels.push(0);
        self.reasons.push(NO_REASON);
        self.activity.push(0.0);
        self.watches.push(Vec::new());
        self.watches.push(Vec::new());
        self.heap.grow(var);
        self.heap.insert(var, &self.activity);
        Lit(2 * var)
    }

    fn value(&self, lit: Lit) -> u8 {
        match self.values[lit.var()] {
            UNSET => UNSET,
            value => value ^ (lit.0 & 1) as u8,
        }
    }

    pub fn is_true(&self, lit: Lit) -> bool {
        self.value(lit) == 1
    }

    /// Takes back what was found, to add clauses.
    pub fn reopen(&mut self) {
        self.back_to(0);
    }

    /// Adds a clause; what was solved must have been taken back.
    pub fn clause(&mut self, lits: &[Lit]) {
        let mut lits = lits.to_vec();
        lits.sort_unstable();
        lits.dedup();
        if lits.windows(2).any(|pair| pair[0].not() == pair[1]) || lits.iter().any(|l| self.value(*l) == 1) {
            return;
        }
        lits.retain(|l| self.value(*l) != 0);
        match lits[..] {
            [] => self.broken = true,
            [only] => {
                self.assign(only, NO_REASON);
                self.broken |= self.propagate().is_some();
            }
            _ => _ = self.watch(lits),
        }
    }

    fn watch(&mut self, lits: Vec<Lit>) -> u32 {
        let number = self.clauses.len() as u32;
        self.watches[lits[0].0 as usize].push(number);
        self.watches[lits[1].0 as usize].push(number);
        self.clauses.push(lits);
        number
    }

    fn assign(&mut self, lit: Lit, reason: u32) {
        let var = lit.var();
        self.values[var] = (lit.0 & 1 ^ 1) as u8;
        self.levels[var] = self.starts.len() as u32;
        self.reasons[var] = reason;
        self.trail.push(lit);
    }

    /// A clause that does not hold any more, if there is one.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(&lit) = self.trail.get(self.next) {
            self.next += 1;
            let falsified = lit.not();
            let mut watching = std::mem::take(&mut self.watches[falsified.0 as usize]);
            self.work += 1 + watching.len() as u64;
            let (mut kept, mut at) = (0, 0);
            let mut conflict = None;
            while at < watching.len() {
                let number = watching[at];
                at += 1;
                let clause = &mut self.clauses[number as usize];
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let (values, value_of) = (&self.values, |values: &[u8], l: Lit| match values[l.var()] {
                    UNSET => UNSET,
                    value => value ^ (l.0 & 1) as u8,
                });
                if value_of(values, first) == 1 {
                    watching[kept] = number;
                    kept += 1;
                    continue;
                }
                let other = (2..clause.len()).find(|&i| value_of(values, clause[i]) != 0);
                if let Some(i) = other {
                    clause.swap(1, i);
                    let now = clause[1];
                    self.watches[now.0 as usize].push(number);
                    continue;
                }
                watching[kept] = number;
                kept += 1;
                if value_of(values, first) == 0 {
                    conflict = Some(number);
                    break;
                }
                self.assign(first, number);
            }
            watching.copy_within(at.., kept);
            let left = watching.len() - at;
            watching.truncate(kept + left);
            self.watches[falsified.0 as usize] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn bump(&mut self, var: usize) {
        self.activity[var] += self.bump;
        if self.activity[var] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
        self.heap.up(var as u32, &self.activity);
    }

    /// The clause that a conflict teaches, what it implies first, and the level to go back to.
    fn analyse(&mut self, conflict: u32, seen: &mut [bool]) -> (Vec<Lit>, u32) {
        let level = self.starts.len() as u32;
        let mut learned = vec![Lit(0)];
        let (mut open, mut at) = (0, self.trail.len());
        let mut clause = conflict;
        let mut skip = None;
        let mut marked = Vec::new();
        loop {
            for i in 0..self.clauses[clause as usize].len() {
                let lit = self.clauses[clause as usize][i];
                let var = lit.var();
                if Some(lit) == skip || seen[var] || self.levels[var] == 0 {
                    continue;
                }
                seen[var] = true;
                marked.push(var);
                self.bump(var);
                if self.levels[var] == level {
                    open += 1;
                } else {
                    learned.push(lit);
                }
            }
            loop {
                at -= 1;
                if seen[self.trail[at].var()] {
                    break;
                }
            }
            let lit = self.trail[at];
            open -= 1;
            if open == 0 {
                learned[0] = lit.not();
                break;
            }
            clause = self.reasons[lit.var()];
            skip = Some(lit);
        }
        marked.into_iter().for_each(|var| seen[var] = false);
        let mut back = 0;
        for i in 1..learned.len() {
            if self.levels[learned[i].var()] > back {
                back = self.levels[learned[i].var()];
                learned.swap(1, i);
            }
        }
        (learned, back)
    }

    fn back_to(&mut self, level: u32) {
        let Some(&start) = self.starts.get(level as usize) else { return };
        for lit in self.trail.drain(start..) {
            let var = lit.var();
            self.phases[var] = self.values[var] == 1;
            self.values[var] = UNSET;
            self.heap.insert(var as u32, &self.activity);
        }
        self.starts.truncate(level as usize);
        self.next = start;
    }

    /// Whether all clauses can hold. If they can, [`is_true`](Sat::is_true) tells how.
    pub fn solve(&mut self, most_work: u64) -> Outcome {
        if self.broken || self.propagate().is_some() {
            return Outcome::Unsatisfiable;
        }
        let mut seen = vec![false; self.values.len()];
        let (mut until_restart, mut restarts) = (64, 0);
        loop {
            if let Some(conflict) = self.propagate() {
                if self.starts.is_empty() {
                    return Outcome::Unsatisfiable;
                }
                if self.work > most_work {
                    return Outcome::GaveUp;
                }
                let (learned, back) = self.analyse(conflict, &mut seen);
                self.back_to(back);
                let first = learned[0];
                let reason = if learned.len() > 1 { self.watch(learned) } else { NO_REASON };
                self.assign(first, reason);
                self.bump /= 0.95;
                until_restart -= 1;
                continue;
            }
            if until_restart <= 0 {
                restarts += 1;
                until_restart = 64 * luby(restarts);
                self.back_to(0);
            }
            let decision = loop {
                match self.heap.pop(&self.activity) {
                    None => return Outcome::Satisfiable,
                    Some(var) if self.values[var as usize] == UNSET => break var,
                    Some(_) => {}
                }
            };
            self.starts.push(self.trail.len());
            let negated = !self.phases[decision as usize];
            self.assign(Lit(2 * decision + negated as u32), NO_REASON);
        }
    }
}

/// 1 1 2 1 1 2 4 …
fn luby(mut at: i64) -> i64 {
    loop {
        let mut size = 1;
        while 2 * size < at + 1 {
            size *= 2;
        }
        if 2 * size == at + 1 {
            return size;
        }
        at -= size - 1;
    }
}

/// Variables, the most active one first.
#[derive(Debug, Default)]
struct Heap {
    order: Vec<u32>,
    /// By variable; `u32::MAX` if it is not there.
    places: Vec<u32>,
}

impl Heap {
    fn grow(&mut self, var: u32) {
        self.places.resize(var as usize + 1, u32::MAX);
    }

    fn insert(&mut self, var: u32, activity: &[f64]) {
        if self.places[var as usize] == u32::MAX {
            self.places[var as usize] = self.order.len() as u32;
            self.order.push(var);
            self.up(var, activity);
        }
    }

    fn up(&mut self, var: u32, activity: &[f64]) {
        let mut at = self.places[var as usize];
        if at == u32::MAX {
            return;
        }
        while at > 0 {
            let above = (at - 1) / 2;
            if activity[self.order[above as usize] as usize] >= activity[var as usize] {
                break;
            }
            self.swap(at, above);
            at = above;
        }
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.order.swap(a as usize, b as usize);
        self.places[self.order[a as usize] as usize] = a;
        self.places[self.order[b as usize] as usize] = b;
    }

    fn pop(&mut self, activity: &[f64]) -> Option<u32> {
        let top = *self.order.first()?;
        let last = self.order.len() as u32 - 1;
        self.swap(0, last);
        self.order.pop();
        self.places[top as usize] = u32::MAX;
        let mut at = 0;
        loop {
            let active = |i: u32| self.order.get(i as usize).map_or(-1.0, |v| activity[*v as usize]);
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let child = if active(right) > active(left) { right } else { left };
            if child >= last || active(child) <= active(at) {
                return Some(top);
            }
            self.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn clauses_are_satisfiable_just_if_some_assignment_satisfies_them() {
        let mut random = SmallRng::seed_from_u64(7);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..3000 {
            let vars = random.random_range(3..11);
            let count = (vars as f64 * random.random_range(1.0..6.0)) as usize;
            let mut sat = Sat::new();
            let lits: Vec<Lit> = (0..vars).map(|_| sat.variable()).collect();
            let clauses: Vec<Vec<Lit>> = (0..count)
                .map(|_| {
                    let len = random.random_range(2..=3.min(vars));
                    (0..len)
                        .map(|_| Lit(lits[random.random_range(0..vars)].0 ^ random.random_range(0..2)))
                        .collect()
                })
                .collect();
            clauses.iter().for_each(|c| sat.clause(c));
            let holds = |m: u32, l: &Lit| (m >> l.var() & 1) ^ (l.0 & 1) == 1;
            let expected = (0..1u32 << vars).any(|m| clauses.iter().all(|c| c.iter().any(|l| holds(m, l))));
            let found = sat.solve(u64::MAX);
            assert_eq!(found == Outcome::Satisfiable, expected, "{clauses:?}");
            if expected {
                yes += 1;
                assert!(clauses.iter().all(|c| c.iter().any(|l| sat.is_true(*l))));
            } else {
                no += 1;
            }
        }
        assert!(yes > 300 && no > 300, "{yes} {no}");
    }

    #[test]
    fn pigeons_do_not_fit_into_fewer_holes() {
        let mut sat = Sat::new();
        let at: Vec<Vec<Lit>> = (0..7).map(|_| (0..6).map(|_| sat.variable()).collect()).collect();
        at.iter().for_each(|pigeon| sat.clause(pigeon));
        for (a, pigeon) in at.iter().enumerate() {
            for other in &at[..a] {
                pigeon.iter().zip(other).for_each(|(x, y)| sat.clause(&[x.not(), y.not()]));
            }
        }
        assert_eq!(sat.solve(u64::MAX), Outcome::Unsatisfiable);
    }
}
