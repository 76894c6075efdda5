//! What is known of a pair of events that are next to each other on a walk.
//!
//! A relation of the algebra that is not composed is a conjunction of *facts*: `rfe` is `rf` between
//! different threads, `po-loc` is `po` within a location. A step of the left side of a question is
//! split into *alternatives*: all the complete sets of facts that such a pair can have in an
//! execution (thesis §3.4: domain and range, disjointness; §3.4.2: `rf` is internal, and then in
//! `po`, or external). A step of the right side can be taken where its facts are among those known.

use crate::class::{Classes, Mask};
use selvedge_kat::ast::Prim;
use std::fmt;

/// A set of facts about an ordered pair of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Facts(pub u64);

const INVERSE: u32 = 24;
const FIRST_DECLARED: u32 = 17;
/// The most relations that a model may declare.
pub const MAX_DECLARED: usize = (INVERSE - FIRST_DECLARED) as usize;

impl Facts {
    pub const NONE: Facts = Facts(0);
    pub const PO: Facts = Facts(1);
    pub const PO_IMM: Facts = Facts(1 << 1);
    pub const RF: Facts = Facts(1 << 2);
    pub const CO: Facts = Facts(1 << 3);
    pub const FR: Facts = Facts(1 << 4);
    pub const RMW: Facts = Facts(1 << 5);
    pub const ADDR: Facts = Facts(1 << 6);
    pub const DATA: Facts = Facts(1 << 7);
    pub const CTRL: Facts = Facts(1 << 8);
    pub const DETOUR: Facts = Facts(1 << 9);
    pub const TC: Facts = Facts(1 << 10);
    pub const TJ: Facts = Facts(1 << 11);
    pub const ALLOC: Facts = Facts(1 << 12);
    pub const FREE: Facts = Facts(1 << 13);
    pub const CASDEP: Facts = Facts(1 << 14);
    pub const ARM: Facts = Facts(1 << 15);
    pub const PUBLISHES: Facts = Facts(1 << 16);
    // The rest says the same in both directions.
    pub const LOC: Facts = Facts(1 << 48);
    pub const NOT_LOC: Facts = Facts(1 << 49);
    pub const INT: Facts = Facts(1 << 50);
    pub const EXT: Facts = Facts(1 << 51);
    /// Different events of programs that access the same location. Unlike `LOC` it does not compose.
    pub const OVERLAP: Facts = Facts(1 << 52);
    /// Not the two accesses of one read-modify-write. Known only where a question needs it.
    pub const NOT_RMW: Facts = Facts(1 << 53);

    const DIRECTED: u64 = (1 << INVERSE) - 1;

    pub const fn and(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    pub const fn has(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn meets(self, other: Facts) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn minus(self, other: Facts) -> Facts {
        Facts(self.0 & !other.0)
    }

    /// The facts about the pair the other way round.
    pub const fn inverse(self) -> Facts {
        let forward = self.0 & Facts::DIRECTED;
        let backward = self.0 >> INVERSE & Facts::DIRECTED;
        let both = self.0 & !(Facts::DIRECTED | Facts::DIRECTED << INVERSE);
        Facts(forward << INVERSE | backward | both)
    }

    pub const fn declared(at: usize) -> Facts {
        Facts(1 << (FIRST_DECLARED + at as u32))
    }

    /// Whether a relation that a model declares is among the facts.
    pub const fn is_declared(self) -> bool {
        let own = Facts::DIRECTED & !((1 << FIRST_DECLARED) - 1);
        self.0 & (own | own << INVERSE) != 0
    }

    /// Whether something is said of the pair from its second to its first event.
    pub const fn looks_back(self) -> bool {
        self.0 & Facts::DIRECTED << INVERSE != 0
    }

    /// A built-in relation as facts. The reflexive ones (`loc`, `same-thread`, `any`) are without their
    /// identity here.
    pub fn of(prim: Prim) -> Facts {
        use Facts as F;
        match prim {
            Prim::Po => F::PO,
            Prim::PoImm => F::PO_IMM.and(F::PO),
            Prim::PoLoc => F::PO.and(F::LOC),
            Prim::Rf => F::RF,
            Prim::Rfe => F::RF.and(F::EXT),
            Prim::Rfi => F::RF.and(F::INT),
            Prim::Co => F::CO,
            Prim::Coe => F::CO.and(F::EXT),
            Prim::Coi => F::CO.and(F::INT),
            Prim::Fr => F::FR,
            Prim::Fre => F::FR.and(F::EXT),
            Prim::Fri => F::FR.and(F::INT),
            Prim::Rmw => F::RMW,
            Prim::Addr => F::ADDR,
            Prim::Data => F::DATA,
            Prim::Ctrl => F::CTRL,
            Prim::CtrlArm => F::ARM.and(F::CTRL),
            Prim::CasDep => F::CASDEP,
            Prim::Publishes => F::PUBLISHES,
            Prim::Detour => F::DETOUR,
            Prim::Tc => F::TC,
            Prim::Tj => F::TJ,
            Prim::Loc => F::LOC,
            Prim::LocOverlap => F::OVERLAP,
            Prim::Int => F::INT,
            Prim::Ext => F::EXT,
            Prim::Alloc => F::ALLOC,
            Prim::Free => F::FREE,
            Prim::Any | Prim::SameInode | Prim::SameBlock | Prim::SameLine | Prim::Appends => F::NONE,
        }
    }

    /// A name for the facts, as a model would write it.
    pub fn named(self, declared: &[String]) -> String {
        const NAMES: [&str; 17] = [
            "po",
            "po-imm",
            "rf",
            "co",
            "fr",
            "rmw",
            "addr",
            "data",
            "ctrl",
            "detour",
            "tc",
            "tj",
            "alloc",
            "free",
            "casdep",
            "ctrl-arm",
            "publishes",
        ];
        let name = |bit: u32| -> String {
            NAMES.get(bit as usize).map(|n| n.to_string()).unwrap_or_else(|| {
                declared.get((bit - FIRST_DECLARED) as usize).cloned().unwrap_or_else(|| "?".into())
            })
        };
        let pair = |base: &str| -> String {
            match base {
                "rf" | "co" | "fr" if self.meets(Facts::EXT) => format!("{base}e"),
                "rf" | "co" | "fr" if self.meets(Facts::INT) => format!("{base}i"),
                "po" if self.meets(Facts::LOC) => "po-loc".into(),
                _ => base.into(),
            }
        };
        // The most telling fact: the others follow from it, or belong to it.
        let order = [5u32, 9, 6, 7, 15, 8, 14, 16, 2, 3, 4, 10, 11, 12, 13];
        let more = (FIRST_DECLARED..INVERSE).chain(order).chain([1, 0]);
        let all: Vec<u32> = more.collect();
        for bit in &all {
            if self.0 >> bit & 1 == 1 {
                return pair(&name(*bit));
            }
        }
        for bit in &all {
            if self.0 >> (bit + INVERSE) & 1 == 1 {
                return format!("{}^-1", pair(&name(*bit)));
            }
        }
        let rest = [
            (Facts::OVERLAP, "loc-overlap"),
            (Facts::LOC, "loc"),
            (Facts::INT, "same-thread"),
            (Facts::EXT, "ext"),
            (Facts::NOT_LOC, "other-loc"),
        ];
        rest.iter().find(|(f, _)| self.has(*f)).map_or("any", |(_, n)| n).to_string()
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(&[]))
    }
}

/// One complete set of facts that a step can have, with the classes of the events at its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    pub facts: Facts,
    pub dom: Mask,
    pub ran: Mask,
}

/// An assumption about single steps: pairs with the facts `of` have those of `also`, and their ends
/// are in `dom` and `ran`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    pub of: Facts,
    pub also: Facts,
    pub dom: Mask,
    pub ran: Mask,
}

/// What is taken for granted about executions beyond their form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Known {
    pub rules: Vec<Rule>,
    /// `po ; (rf | co | fr)+` is irreflexive, so that within a thread and a location `co` and `fr`
    /// follow `po`, and a pair in `po` whose second event is a write is in `co` or `fr` (`co` is
    /// total): thesis §3.6.1.
    pub coherent: bool,
    /// Whether to tell steps of `po` that are in `rmw` from those that are not.
    pub rmw_apart: bool,
}

impl Known {
    /// The facts with those that the assumptions add.
    fn also(&self, mut f: Facts) -> Facts {
        loop {
            let before = f;
            for rule in &self.rules {
                if f.has(rule.of) {
                    f = f.and(rule.also);
                }
                if f.has(rule.of.inverse()) {
                    f = f.and(rule.also.inverse());
                }
            }
            if f == before {
                return f;
            }
        }
    }
}

/// The classes that the first and the second event of such a pair can be of.
fn ends(facts: Facts, c: &Classes) -> (Mask, Mask) {
    let (mut dom, mut ran) = (c.all, c.all);
    let mut need = |fact: Facts, from: Mask, to: Mask| {
        if facts.meets(fact) {
            dom &= from;
            ran &= to;
        }
        if facts.meets(fact.inverse()) && fact.inverse() != fact {
            ran &= from;
            dom &= to;
        }
    };
    let later = c.all & !c.init;
    need(Facts::RF, c.writes, c.reads);
    need(Facts::CO, c.writes, c.writes & later);
    need(Facts::FR, c.reads, c.writes & later);
    let half = |pred| c.of(pred);
    need(
        Facts::RMW,
        c.reads & half(selvedge_kat::ast::Pred::Ur),
        c.writes & half(selvedge_kat::ast::Pred::Uw),
    );
    // A store-conditional may be where a dependency begins, by its result.
    let sources = c.reads | (c.of(selvedge_kat::ast::Pred::Uw) & c.of(selvedge_kat::ast::Pred::Exclusive));
    need(Facts::ADDR, sources, c.accesses & later);
    need(Facts::DATA, sources, c.writes & later);
    need(Facts::CTRL, sources, later);
    need(Facts::ARM, sources, later);
    need(Facts::CASDEP, c.reads, c.reads);
    need(Facts::PUBLISHES, c.writes & later, c.writes & later);
    need(Facts::DETOUR, c.writes & later, c.reads);
    need(Facts::TC, c.of(selvedge_kat::ast::Pred::Tc), later);
    need(Facts::TJ, later, c.of(selvedge_kat::ast::Pred::Tj));
    need(Facts::PO, c.all, later);
    need(Facts::LOC, c.accesses, c.accesses);
    (dom, ran)
}

/// What follows for every pair, in both directions.
pub fn close(mut f: Facts) -> Facts {
    let rules: [(Facts, Facts); 11] = [
        (Facts::PO_IMM, Facts::PO),
        // The write of a read-modify-write comes directly after the source of its read.
        (Facts::RMW, Facts::PO.and(Facts::LOC).and(Facts::INT).and(Facts::PO_IMM).and(Facts::FR)),
        (Facts::ADDR, Facts::PO.and(Facts::INT)),
        (Facts::DATA, Facts::PO.and(Facts::INT)),
        (Facts::CTRL, Facts::PO.and(Facts::INT)),
        (Facts::CASDEP, Facts::PO.and(Facts::INT)),
        (Facts::PUBLISHES, Facts::PO.and(Facts::INT)),
        (Facts::ARM, Facts::CTRL.and(Facts::PO).and(Facts::INT)),
        (Facts::DETOUR, Facts::PO.and(Facts::INT).and(Facts::LOC)),
        (Facts::RF.and(Facts::INT), Facts::PO),
        (Facts::TC, Facts::EXT),
    ];
    loop {
        let before = f;
        for (from, to) in rules {
            if f.has(from) {
                f = f.and(to);
            }
            if f.has(from.inverse()) {
                f = f.and(to.inverse());
            }
        }
        for com in [Facts::RF, Facts::CO, Facts::FR] {
            if f.meets(com) || f.meets(com.inverse()) {
                f = f.and(Facts::LOC);
            }
        }
        if f.meets(Facts::OVERLAP) {
            f = f.and(Facts::LOC);
        }
        if f.meets(Facts::TJ) || f.meets(Facts::TJ.inverse()) {
            f = f.and(Facts::EXT);
        }
        if f == before {
            return f;
        }
    }
}

fn possible(f: Facts) -> bool {
    let both = |a: Facts, b: Facts| f.has(a) && f.has(b);
    !(both(Facts::LOC, Facts::NOT_LOC)
        || both(Facts::INT, Facts::EXT)
        || both(Facts::RMW, Facts::NOT_RMW)
        || both(Facts::RMW.inverse(), Facts::NOT_RMW)
        || [Facts::PO, Facts::CO, Facts::TC, Facts::TJ].iter().any(|a| both(*a, a.inverse())))
}

/// All the complete sets of facts of pairs that have at least `wanted`.
pub fn alternatives(wanted: Facts, known: &Known, c: &Classes) -> Vec<Alternative> {
    let wanted = known.also(wanted);
    let mut out = Vec::new();
    let directed = |f: Facts| f.meets(Facts::PO) || f.meets(Facts::PO.inverse());
    let com = [Facts::RF, Facts::CO, Facts::FR];
    let mut open = vec![close(wanted)];
    // Between events of programs.
    while let Some(f) = open.pop() {
        if !possible(f) {
            continue;
        }
        let accesses = com.iter().any(|x| f.meets(*x) || f.meets(x.inverse()));
        if directed(f) && !f.meets(Facts::INT.and(Facts::EXT)) {
            open.push(close(f.and(Facts::INT)));
            continue;
        }
        if directed(f) && f.meets(Facts::EXT) {
            continue;
        }
        if (directed(f) || accesses) && !f.meets(Facts::LOC.and(Facts::NOT_LOC)) {
            open.push(close(f.and(Facts::LOC)));
            open.push(close(f.and(Facts::NOT_LOC)));
            continue;
        }
        if accesses && !f.meets(Facts::INT.and(Facts::EXT)) {
            open.push(close(f.and(Facts::INT)));
            open.push(close(f.and(Facts::EXT)));
            continue;
        }
        let rmw = if f.meets(Facts::PO) { Facts::RMW } else { Facts::RMW.inverse() };
        if known.rmw_apart && directed(f) && !f.meets(rmw.and(Facts::NOT_RMW)) {
            open.push(close(f.and(rmw)));
            open.push(f.and(Facts::NOT_RMW));
            continue;
        }
        if accesses && f.meets(Facts::INT) && !directed(f) {
            let forward = f.meets(Facts::CO.and(Facts::FR));
            let backward = f.meets(Facts::CO.and(Facts::FR).inverse());
            if forward || !known.coherent {
                open.push(close(f.and(Facts::PO)));
            }
            if backward || !known.coherent {
                open.push(close(f.and(Facts::PO.inverse())));
            }
            continue;
        }
        let against = |x: Facts, y: Facts| f.meets(x) && f.meets(y.inverse());
        if known.coherent && f.meets(Facts::LOC) {
            let orders = Facts::CO.and(Facts::FR).and(Facts::RF);
            if against(Facts::PO, orders) || against(orders, Facts::PO) {
                continue;
            }
        }
        coherent_cases(f, known, c, &mut out);
    }
    from_init(wanted, c, &mut out);
    for a in &mut out {
        a.facts = known.also(a.facts);
        for rule in &known.rules {
            if a.facts.has(rule.of) {
                a.dom &= rule.dom;
                a.ran &= rule.ran;
            }
            if a.facts.has(rule.of.inverse()) {
                a.ran &= rule.dom;
                a.dom &= rule.ran;
            }
        }
    }
    let mut out: Vec<Alternative> = out.into_iter().flat_map(|a| halves(a, c)).collect();
    out.retain(|a| possible(a.facts));
    out.retain(|a| a.dom != 0 && a.ran != 0);
    // Walks with fewer facts are harder to cover, and make others superfluous: they come first.
    out.sort_by_key(|a| (a.facts.0.count_ones(), a.facts));
    out.dedup();
    out
}

/// Splits the accesses of a read-modify-write by the orderings that they can have together.
fn halves(a: Alternative, c: &Classes) -> Vec<Alternative> {
    let back = a.facts.meets(Facts::RMW.inverse());
    if !a.facts.meets(Facts::RMW) && !back {
        return vec![a];
    }
    let one = |(read, write): &(Mask, Mask)| {
        let (from, to) = if back { (write, read) } else { (read, write) };
        Alternative { dom: a.dom & from, ran: a.ran & to, ..a }
    };
    c.rmw.iter().map(one).collect()
}

/// A pair between events of programs. Under coherence, `po-loc` to a write implies `co` or `fr`.
fn coherent_cases(f: Facts, known: &Known, c: &Classes, out: &mut Vec<Alternative>) {
    let (dom, ran) = ends(f, c);
    // The initialising event is in pairs of its own, where something is said that has a direction.
    let built_in = Facts((1 << FIRST_DECLARED) - 1);
    let directed = f.meets(built_in) || f.meets(built_in.inverse());
    let f = if directed && f.meets(Facts::LOC) { f.and(Facts::OVERLAP) } else { f };
    let no_init = directed || f.meets(Facts::INT.and(Facts::OVERLAP));
    let (dom, ran) = if no_init { (dom & !c.init, ran & !c.init) } else { (dom, ran) };
    let add = |facts: Facts, dom: Mask, ran: Mask, out: &mut Vec<Alternative>| {
        let (d, r) = ends(facts, c);
        out.push(Alternative { facts, dom: dom & d, ran: ran & r });
    };
    let (po, back) = (Facts::PO.and(Facts::LOC), Facts::PO.inverse().and(Facts::LOC));
    if known.coherent && f.has(po) {
        add(f.and(Facts::CO), dom & c.writes, ran & c.writes, out);
        add(f.and(Facts::FR), dom & c.reads, ran & c.writes, out);
        add(f, dom, ran & c.reads, out);
    } else if known.coherent && f.has(back) {
        add(f.and(Facts::CO.inverse()), dom & c.writes, ran & c.writes, out);
        add(f.and(Facts::FR.inverse()), dom & c.writes, ran & c.reads, out);
        add(f, dom & c.reads, ran, out);
    } else {
        add(f, dom, ran, out);
    }
}

/// Pairs with the initialising event: it is `po`-before every event and in no thread, and it writes
/// every location first.
fn from_init(wanted: Facts, c: &Classes, out: &mut Vec<Alternative>) {
    let allowed = Facts::PO
        .and(Facts::RF)
        .and(Facts::CO)
        .and(Facts::PO_IMM)
        .and(Facts::LOC)
        .and(Facts::NOT_LOC)
        .and(Facts::NOT_RMW)
        .and(Facts::EXT)
        .and(Facts(Facts::DIRECTED & !((1 << FIRST_DECLARED) - 1)));
    for (facts, flip) in [(wanted, false), (wanted.inverse(), true)] {
        let directed = Facts::PO.and(Facts::RF).and(Facts::CO).and(Facts::PO_IMM);
        if !allowed.has(facts) || !facts.meets(directed) {
            continue;
        }
        let from = facts.and(Facts::PO).and(Facts::EXT).and(Facts::NOT_RMW);
        for (loc, to) in [(Facts::LOC, c.accesses), (Facts::NOT_LOC, c.all & !c.accesses)] {
            let f = close(from.and(loc));
            if !possible(f) {
                continue;
            }
            let (dom, ran) = ends(f.minus(Facts::PO), c);
            let ran = ran & to & !c.init;
            let dom = dom & c.init;
            out.push(if flip {
                Alternative { facts: f.inverse(), dom: ran, ran: dom }
            } else {
                Alternative { facts: f, dom, ran }
            });
        }
    }
}
