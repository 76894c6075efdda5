//! Values that come from outside: they are carried as terms (`selvedge_symbolic`), and what is decided by
//! them is explored both ways.
//!
//! A thread that is told something takes a new unknown, and calculates with it like with any other number.
//! What it can do then may depend on what the unknown is: a branch, whether a sum overflows, an address. If
//! the *facts* that the thread has found out so far leave only one possibility, it goes on with that. If
//! not, it stops at a choice ([`Halt::Split`]), and each possibility becomes a fact in one of the
//! alternatives. The instruction is run again then, and finds it decided. So one execution stands for all
//! numbers of which its facts hold; the alternatives of a choice exclude each other and leave nothing out,
//! so each number is in exactly one of them.
//!
//! A thread knows its own facts and those of whoever created it. What others have found out about the same
//! unknown, it does not know: whether the facts of all threads go together is for the explorer to ask
//! ([`Machine::go_together`](selvedge_machine::Machine::go_together)), and executions in which they do not
//! are none.
//!
//! As undefined values do, a value has a mask of bits that come from elsewhere, and an origin that says
//! where from: the lowest bits of a term, in their places. In memory each byte has a term of its own.

mod arithmetic;

use super::state::{Val, VmState};
use super::{Halt, VmMachine, fail, is_private, private_slot};
use crate::private::Byte;
use crate::undefined::{Origin, Word};
use selvedge_ir::arith::mask;
use selvedge_ir::{Instr, Operand, pointer};
use selvedge_machine::ErrorKind;
use selvedge_symbolic::{Answer, Node, Term, Terms, Values};
use std::rc::Rc;

/// What a thread knows of unknowns.
pub type Facts = Rc<Vec<Term>>;

/// How many values something may have that has to be a definite one.
const FEW: usize = 100;

/// The same where a range is asked for.
const MANY: usize = 4096;

const HELP: &str = "`--nondet-range LOW..HIGH` tries the numbers of a range";

/// Why a condition cannot be decided.
const OPAQUE: &str = "a decision depends on an unknown input through what cannot be calculated with \
                      (a float, the length of a text)";

impl VmMachine {
    /// Does something with the terms that all machines have in common.
    pub(super) fn with_terms<T>(&self, make: impl FnOnce(&mut Terms) -> T) -> T {
        let mut common = self.common();
        let made = make(&mut common.terms);
        self.tables.borrow_mut().terms.follow(&common.terms);
        made
    }

    /// What the next unknown is called.
    fn next_unknown(&self, state: &mut VmState) -> (u32, u32) {
        while state.told.as_ref().is_some_and(|told| told.in_use.contains(&state.made.unknowns)) {
            state.made.unknowns += 1;
        }
        let number = state.made.unknowns;
        state.made.unknowns += 1;
        (state.thread.0 as u32, number)
    }

    /// A new unknown, of which nothing is known.
    pub(super) fn fresh(&self, state: &mut VmState, width: u8) -> Term {
        let (owner, number) = self.next_unknown(state);
        self.with_terms(|t| t.unknown(owner, number, width))
    }

    /// A value that nothing can be decided by.
    pub(super) fn opaque(&self, state: &mut VmState, width: u8) -> Word {
        let (owner, number) = self.next_unknown(state);
        let term = self.with_terms(|t| t.opaque(owner, number, width));
        self.of_term(term)
    }

    /// Takes in a fact. What it consists of are facts.
    pub(super) fn learn_fact(&self, facts: &mut Facts, fact: Term) {
        let node = self.tables.borrow().terms.node(fact).clone();
        match node {
            Node::And(a, b) => [a, b].into_iter().for_each(|part| self.learn_fact(facts, part)),
            Node::Const { .. } => {}
            _ if facts.contains(&fact) => {}
            _ => Rc::make_mut(facts).push(fact),
        }
    }

    // ---- values and terms ----

    /// What a term is as a value.
    pub(super) fn of_term(&self, term: Term) -> Word {
        let tables = self.tables.borrow();
        let mut term = term;
        // Zeros above it are known.
        if let Node::Concat(high, low) = *tables.terms.node(term)
            && tables.terms.as_const(high) == Some(0)
        {
            term = low;
        }
        match tables.terms.as_const(term) {
            Some(value) => Word::known(value),
            None => {
                let undef = mask(tables.terms.width(term));
                Word { bits: 0, undef, origin: Origin::of_term(term) }
            }
        }
    }

    /// What a value is as a term of so many bits; `None` if some of it is undefined, or lost.
    pub(super) fn as_term(&self, word: Word, width: u8) -> Option<Term> {
        let word = word.narrowed(width);
        if word.is_defined() {
            return Some(self.with_terms(|t| t.constant(width, word.bits)));
        }
        let term = word.origin.term()?;
        Some(self.with_terms(|t| {
            let own = t.width(term).min(width);
            let mut whole = t.zext(term, width);
            if word.undef != mask(own) {
                let kept = t.constant(width, word.undef);
                whole = t.and(whole, kept);
            }
            if word.bits != 0 {
                let known = t.constant(width, word.bits);
                whole = t.or(whole, known);
            }
            whole
        }))
    }

    /// The same value in the form that all equal values have.
    pub(super) fn in_form(&self, word: Word, width: u8) -> Word {
        match self.as_term(word, width) {
            Some(term) if word.is_outside() => self.of_term(term),
            _ => word,
        }
    }

    /// Two registers as one number.
    pub(super) fn joined(&self, low: Val, high: Val) -> Word {
        let (of_low, of_high) = (Word::of(low, Val::known(0)), Word::of(high, Val::known(0)));
        match (self.as_term(of_low, 64), self.as_term(of_high, 64)) {
            (Some(low), Some(high)) => self.of_term(self.with_terms(|t| t.concat(high, low))),
            _ => Word::of(low, high),
        }
    }

    /// The upper register of a number.
    pub(super) fn upper(&self, word: Word) -> Val {
        match self.as_term(word, 128) {
            Some(term) => self.of_term(self.with_terms(|t| t.extract(term, 64, 64))).low(),
            None => word.high(),
        }
    }

    /// Bytes as a number, the lowest one first.
    pub(super) fn of_bytes(&self, bytes: &[Byte]) -> Word {
        let mut whole: Option<Term> = None;
        for byte in bytes {
            let word = Word { bits: byte.bits as u128, undef: byte.undef as u128, origin: byte.origin };
            let Some(term) = self.as_term(word, 8) else {
                let undef = |of: fn(&Byte) -> u8| bytes.iter().rev().fold(0, |n, b| n << 8 | of(b) as u128);
                let undefined = undef(|b| b.undef);
                return Word { bits: undef(|b| b.bits) & !undefined, undef: undefined, origin: Origin::LOST };
            };
            whole = Some(match whole {
                None => term,
                Some(low) => self.with_terms(|t| t.concat(term, low)),
            });
        }
        whole.map_or(Word::known(0), |term| self.of_term(term))
    }

    /// A byte of a number.
    pub(super) fn byte_of(&self, word: Word, at: usize) -> Byte {
        let part = |bits: u128| (bits >> (8 * at)) as u8;
        if part(word.undef) == 0 {
            return Byte::known(part(word.bits));
        }
        let origin = word.origin.lost();
        let plain = Byte { bits: part(word.bits), undef: part(word.undef), origin };
        let width = 8 * (at as u8 + 1);
        let Some(term) = word.origin.term().and_then(|_| self.as_term(word, width)) else { return plain };
        let byte = self.of_term(self.with_terms(|t| t.extract(term, width - 8, 8)));
        Byte { bits: byte.bits as u8, undef: byte.undef as u8, origin: byte.origin }
    }

    #[inline]
    pub(super) fn load_private(&self, state: &VmState, slot: usize, at: usize, bytes: usize) -> Val {
        let value = state.private[slot].load(at, bytes);
        if !value.is_outside() {
            return value;
        }
        let bytes: Vec<Byte> = (at..at + bytes).map(|at| state.private[slot].get(at)).collect();
        self.of_bytes(&bytes).low()
    }

    #[inline]
    pub(super) fn store_private(
        &self,
        state: &mut VmState,
        slot: usize,
        at: usize,
        bytes: usize,
        value: Val,
    ) {
        let outside = value.is_outside();
        let parts: Vec<Byte> = match outside {
            true => (0..bytes).map(|i| self.byte_of(Word::of(value, Val::known(0)), i)).collect(),
            false => Vec::new(),
        };
        let object = Rc::make_mut(&mut Rc::make_mut(&mut state.private)[slot]);
        match outside {
            true => parts.into_iter().enumerate().for_each(|(i, byte)| object.set(at + i, byte)),
            false => object.store(at, bytes, value),
        }
    }

    // ---- decisions ----

    /// Whether a condition holds; an alternative of each if both may be.
    pub(super) fn holds(&self, facts: &[Term], condition: Term) -> Result<bool, Halt> {
        let (value, opposite, opaque) = {
            let opposite = self.with_terms(|t| t.not(condition));
            let tables = self.tables.borrow();
            (tables.terms.as_const(condition), opposite, tables.terms.is_opaque(condition))
        };
        if let Some(value) = value {
            return Ok(value != 0);
        }
        if opaque {
            return fail(ErrorKind::Unsupported, OPAQUE);
        }
        if facts.contains(&condition) || facts.contains(&opposite) {
            return Ok(facts.contains(&condition));
        }
        {
            let tables = self.tables.borrow();
            if let Some(decided) = self.solver.borrow().decides(&tables.terms, facts, condition) {
                return Ok(decided);
            }
        }
        let ask = |fact: Term| {
            let tables = self.tables.borrow();
            self.solver.borrow_mut().may_hold(&tables.terms, facts, fact)
        };
        match (ask(condition), ask(opposite)) {
            (Answer::No, Answer::No) => self.contradiction(),
            (Answer::No, _) => Ok(false),
            (_, Answer::No) => Ok(true),
            (Answer::Yes(_), Answer::Yes(_)) => Err(Halt::Split(Rc::new(vec![condition, opposite]))),
            _ => self.too_hard(),
        }
    }

    /// Facts of one thread always go together: each was asked for before it became one.
    fn contradiction<T>(&self) -> Result<T, Halt> {
        fail(ErrorKind::Unsupported, "what is known of unknown inputs is contradictory")
    }

    fn too_hard<T>(&self) -> Result<T, Halt> {
        fail(
            ErrorKind::Unsupported,
            format!("a decision depends on unknown inputs in a way that takes too long to find out; {HELP}"),
        )
    }

    /// Whether facts can be added to what a thread knows.
    pub(super) fn can_hold(&self, facts: &[Term], condition: Term) -> Result<bool, Halt> {
        let tables = self.tables.borrow();
        if tables.terms.is_opaque(condition) {
            return fail(ErrorKind::Unsupported, OPAQUE);
        }
        match self.solver.borrow_mut().may_hold(&tables.terms, facts, condition) {
            Answer::Yes(_) => Ok(true),
            Answer::No => Ok(false),
            Answer::NobodyKnows => self.too_hard(),
        }
    }

    /// Whether a value is not 0.
    pub(super) fn is_nonzero(&self, value: Word, width: u8, what: &str) -> Result<Term, Halt> {
        let Some(term) = self.as_term(value, width) else { return self.not_set(what, value.origin) };
        Ok(self.with_terms(|t| {
            let zero = t.constant(width, 0);
            let is = t.eq(term, zero);
            t.not(is)
        }))
    }

    /// Goes on only if something holds; if it may not, that is an alternative, and an error.
    fn ensure(
        &self,
        facts: &[Term],
        condition: Term,
        error: impl FnOnce() -> (ErrorKind, String),
    ) -> Result<(), Halt> {
        if self.holds(facts, condition)? {
            return Ok(());
        }
        let (kind, message) = error();
        fail(kind, message)
    }

    /// What a value is that has to be a definite one: an alternative for each that it may be.
    #[cold]
    pub(super) fn definite(&self, facts: &[Term], value: Val, what: &str) -> Result<u64, Halt> {
        let Some(term) = self.as_term(Word::of(value, Val::known(0)), 64) else {
            return self.not_set(what, value.origin);
        };
        match self.values_of(facts, term)? {
            Values::All(values) => self.one_of(term, &values),
            _ => self.sample(facts, term, 0),
        }
    }

    fn values_of(&self, facts: &[Term], term: Term) -> Result<Values, Halt> {
        if self.tables.borrow().terms.is_opaque(term) {
            return fail(ErrorKind::Unsupported, OPAQUE);
        }
        let few = self.options.nondet_range.map_or(FEW, |range| FEW.max(range.count().min(MANY)));
        let values = self.solver.borrow_mut().values(&self.tables.borrow().terms, facts, term, few);
        match values {
            Values::NobodyKnows => self.too_hard(),
            Values::All(values) if values.is_empty() => self.contradiction(),
            values => Ok(values),
        }
    }

    fn one_of(&self, term: Term, values: &[u128]) -> Result<u64, Halt> {
        if let [only] = values {
            return Ok(*only as u64);
        }
        let is = |t: &mut Terms, value: u128| {
            let value = t.constant(64, value);
            t.eq(term, value)
        };
        Err(Halt::Split(Rc::new(self.with_terms(|t| values.iter().map(|v| is(t, *v)).collect()))))
    }

    /// The address of an access of so many bytes. What is outside of an object is told apart first: it
    /// needs no definite address to be an error.
    #[cold]
    pub(super) fn definite_address(
        &self,
        state: &VmState,
        value: Val,
        bytes: u64,
        what: &str,
    ) -> Result<u64, Halt> {
        let facts = &state.facts;
        let Some(term) = self.as_term(Word::of(value, Val::known(0)), 64) else {
            return self.not_set(what, value.origin);
        };
        self.stays_inside(state, term, bytes)?;
        match self.values_of(facts, term)? {
            Values::All(values) => self.one_of(term, &values),
            _ => {
                let base = self.tables.borrow().terms.known_part(term);
                self.sample(facts, term, base)
            }
        }
    }

    /// Whether an access is within the object that its address was made from, by adding to it.
    fn stays_inside(&self, state: &VmState, address: Term, bytes: u64) -> Result<(), Halt> {
        let base = self.tables.borrow().terms.known_part(address) as u64;
        let Some((number, _)) = pointer::split(base) else { return Ok(()) };
        let (name, size) = if is_private(number) {
            let (thread, slot) = private_slot(number);
            let Some(own) = state.private.get(slot).filter(|_| thread == state.thread.0 as u32) else {
                return Ok(());
            };
            (String::from("a variable that only this thread uses"), own.size)
        } else {
            let object = self.tables.borrow().objects.get(number as usize).copied();
            let Some(object) = object else { return Ok(()) };
            (self.name_of_object(object), self.size_of(object))
        };
        let within = self.with_terms(|t| {
            let start = t.constant(64, pointer::make(number, 0) as u128);
            let offset = t.sub(address, start);
            let room = t.constant(64, (size + 1).saturating_sub(bytes) as u128);
            t.ult(offset, room)
        });
        self.ensure(&state.facts, within, || {
            let what = format!("{bytes} bytes at an offset of {name} that comes from an unknown input");
            (ErrorKind::OutOfBounds, format!("{what}, which has {size}"))
        })
    }

    /// One of two values by a condition that is not known.
    pub(super) fn select_outside(&self, facts: &[Term], cond: Val, a: Val, b: Val) -> Result<Val, Halt> {
        let of = |v: Val| self.as_term(Word::of(v, Val::known(0)), 64);
        let cond = self.is_nonzero(Word::of(cond, Val::known(0)), 64, "what a decision depends on")?;
        match (of(a), of(b)) {
            (Some(a), Some(b)) => Ok(self.of_term(self.with_terms(|t| t.ite(cond, a, b))).low()),
            _ => Ok(if self.holds(facts, cond)? { a } else { b }),
        }
    }

    /// A pointer and something that is added to it.
    pub(super) fn offset_outside(
        &self,
        facts: &[Term],
        (base, index): (Val, Val),
        scale: i64,
        within: bool,
    ) -> Result<Val, Halt> {
        let of = |v: Val| self.as_term(Word::of(v, Val::known(0)), 64);
        let (Some(from), Some(by)) = (of(base), of(index)) else {
            return Ok(Word::undefined(64, Origin::LOST).low());
        };
        let result = self.with_terms(|t| {
            let scale = t.constant(64, scale as u64 as u128);
            let by = t.mul(by, scale);
            t.add(from, by)
        });
        let object = |(number, _): (u32, i64)| self.tables.borrow().objects.get(number as usize).copied();
        let into = pointer::split(base.bits).filter(|_| within && base.is_defined()).and_then(object);
        if let Some(object) = into {
            let stays = self.with_terms(|t| {
                let upper = t.extract(result, 32, 32);
                let (same, none) = (t.constant(32, (base.bits >> 32) as u128), t.constant(32, 0));
                let (same, none) = (t.eq(upper, same), t.eq(upper, none));
                t.or(same, none)
            });
            self.ensure(facts, stays, || {
                let name = self.name_of_object(object);
                let what = format!("an unknown input is added to a pointer into {name}");
                (ErrorKind::OutOfBounds, format!("{what}, which leads to another object"))
            })?;
        }
        Ok(self.of_term(result).low())
    }

    /// Which way a switch goes.
    pub(super) fn switch_outside(
        &self,
        facts: &[Term],
        value: Val,
        cases: &[(u64, u32)],
    ) -> Result<Option<u32>, Halt> {
        let what = "what a decision depends on";
        let Some(term) = self.as_term(Word::of(value, Val::known(0)), 64) else {
            return self.not_set(what, value.origin);
        };
        let is = |case: u64| {
            self.with_terms(|t| {
                let case = t.constant(64, case as u128);
                t.eq(term, case)
            })
        };
        let mut possible = Vec::new();
        let mut other = self.with_terms(|t| t.bool(true));
        for (case, to) in cases {
            let this = is(*case);
            if facts.contains(&this) {
                return Ok(Some(*to));
            }
            if self.can_hold(facts, this)? {
                possible.push((this, Some(*to)));
            }
            other = self.with_terms(|t| {
                let not = t.not(this);
                t.and(other, not)
            });
        }
        if self.can_hold(facts, other)? {
            possible.push((other, None));
        }
        match possible[..] {
            [] => self.contradiction(),
            [(_, to)] => Ok(to),
            _ => Err(Halt::Split(Rc::new(possible.into_iter().map(|(condition, _)| condition).collect()))),
        }
    }

    /// Whether a decision has to be made by something that comes from outside.
    #[inline]
    pub(super) fn decides_outside(&self, state: &VmState, instr: &Instr) -> bool {
        let (Instr::Branch { cond: Operand::Reg(on), .. }
        | Instr::Switch { value: Operand::Reg(on), .. }
        | Instr::Select { cond: Operand::Reg(on), .. }) = instr
        else {
            return false;
        };
        state.frame.get(*on).is_outside()
    }

    /// Whether an array has an element of an unknown number.
    pub(super) fn index_outside(
        &self,
        facts: &[Term],
        value: Val,
        largest: Option<i64>,
        what: &str,
    ) -> Result<(), Halt> {
        let (Some(largest), Some(term)) = (largest, self.as_term(Word::of(value, Val::known(0)), 64)) else {
            return Ok(());
        };
        let within = self.with_terms(|t| {
            let beyond = t.constant(64, largest as u128 + 1);
            t.ult(term, beyond)
        });
        self.ensure(facts, within, || {
            (ErrorKind::OutOfBounds, format!("an unknown input is an index of {what}"))
        })
    }

    /// Whether a compare and exchange finds what it expects.
    pub(super) fn found_outside(
        &self,
        facts: &[Term],
        old: Word,
        expected: Word,
        bytes: u8,
    ) -> Result<bool, Halt> {
        let Some((a, b)) = self.terms_of(old, expected, 8 * bytes) else {
            return self.not_set("what a compare and exchange finds", Origin::LOST);
        };
        let same = self.with_terms(|t| t.eq(a, b));
        self.holds(facts, same)
    }

    /// Whether numbers exist of which all these facts hold.
    pub(super) fn facts_go_together(&self, facts: &[Term]) -> Answer {
        let tables = self.tables.borrow();
        self.solver.borrow_mut().check(&tables.terms, facts)
    }
}
