//! What each reduction needs of a model and of a program: the table, and nowhere else.
//!
//! The arguments are with the reductions; here is what they rely on. A reduction whose premises are not all
//! known to hold is off, and [`Sound`] says which one is missing. What a reduction needs beyond that (that
//! locks are chains, that nobody notices, that twins are not told apart) is watched while exploring.
//!
//! * *Loops that wait* (`spin-assume`, `pef`): iterations without effect are left out, which are reads and
//!   fences. What comes after is another iteration, which begins like the one that was left out.
//! * `rotation`, `bisimilarity` and `faint` find more such loops: they look at a program's text, or change
//!   it, but not its executions.
//! * `attempts`: all failures but one are left out. Those that are made up for it read what it read, which is
//!   `repeats-reads`; where that is not known, what is wrong is not trusted.
//! * `retry` also lets the last read of an iteration take the place of a load that is no stronger; values
//!   then go another way.
//! * `carry`: a thread reads back what it wrote to an object that nobody else knows, or has it in a register.
//! * `escape`: what was left out may have written to such an object; nobody gets to see that.
//! * `zne`: what is left out took something and put it back.
//! * `exchange`: what is left out stored what it had read. Of what does not acquire, the machine leaves out
//!   nothing unless the model forgets that as well (`forgets-rmws`).
//! * `confirmation` is `confirms-reads`, said of programs.
//! * `wake-ups`: what is left out has read the word, and reads it again with whatever the thread does next.
//! * `helping` is `delegates-rmws`, said of programs.
//! * `annotations`, `futile`, `outdated`, `overtaken`, `awaits`, `symmetry`: parts of the exploration in
//!   which what was added before causes what is added later.
//! * `assumptions`: a section that leads to nothing is left out, with what it read and took and gave back.
//! * `bam`: barriers count their arrivals by read-modify-writes.
//! * `lock-order`: locks are words that are taken and given back by read-modify-writes and releases; what is
//!   left out is some of them, and that nobody else looks at these words shows in races.
//! * `race-free` and `program-order` are about which explorations there are, not about one of them.
//! * `sections`: what races are is told by the lock of a section, which is not taken then.
//! * `simplification` makes smaller automata; models that are matrices have none.

use crate::reductions::orders_by_rmw;
use selvedge_machine::{Reduction, Reductions};
use selvedge_model::{Compiled, Model, Properties, Property, Theory};
use std::fmt;

/// What has to be known of a program and of how it is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramFacts {
    /// Data races are looked for, and end a check.
    pub races_are_errors: bool,
    /// They are reported: not where they are only looked for to find out that there are none.
    pub races_are_reported: bool,
    /// There are atomic sections, which are one step of an interleaving.
    pub atomic_sections: bool,
    /// Executions that differ in coherence alone are told apart.
    pub coherence_counts: bool,
}

impl ProgramFacts {
    /// What is assumed of a program as long as it is not known: that nothing stands in the way.
    pub fn unknown(races_are_errors: bool) -> ProgramFacts {
        ProgramFacts {
            races_are_errors,
            races_are_reported: races_are_errors,
            atomic_sections: false,
            coherence_counts: true,
        }
    }
}

/// Something that a reduction needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Premise {
    /// A property of the model.
    Model(Property),
    /// The first property, or the second one and that races are errors.
    ModelOrRaces(Property, Property),
    /// That the program has no atomic sections.
    NoSections,
    /// That races are errors.
    RacesAreErrors,
    /// That races are not reported, whether they are looked for or not.
    RacesNotReported,
    /// That executions which differ in coherence are told apart.
    Coherence,
}

impl Premise {
    fn holds(self, properties: &Properties, program: &ProgramFacts) -> bool {
        match self {
            Premise::Model(property) => properties.has(property),
            Premise::ModelOrRaces(one, other) => {
                properties.has(one) || properties.has(other) && program.races_are_errors
            }
            Premise::NoSections => !program.atomic_sections,
            Premise::RacesAreErrors => program.races_are_errors,
            Premise::RacesNotReported => !program.races_are_reported,
            Premise::Coherence => program.coherence_counts,
        }
    }
}

/// As reports say it.
impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Premise::Model(property) => write!(f, "`{}` is not known of the model", property.name()),
            Premise::ModelOrRaces(one, other) => write!(
                f,
                "`{}`, or `{}` where races are errors, is not known of the model",
                one.name(),
                other.name()
            ),
            Premise::NoSections => f.write_str("the program has atomic sections"),
            Premise::RacesAreErrors => f.write_str("races are no errors"),
            Premise::RacesNotReported => f.write_str("races are reported"),
            Premise::Coherence => f.write_str("executions that differ in coherence are not told apart"),
        }
    }
}

/// All that a reduction needs.
pub fn premises(reduction: Reduction) -> &'static [Premise] {
    use Premise::{Coherence, Model, ModelOrRaces, NoSections, RacesAreErrors, RacesNotReported};
    use Property::*;
    match reduction {
        Reduction::Rotation | Reduction::Bisimilarity | Reduction::Faint => &[],
        Reduction::RaceFree | Reduction::ProgramOrder | Reduction::Library | Reduction::Handles => &[],
        Reduction::Sections => &[RacesNotReported],
        Reduction::SpinAssume | Reduction::Pef => &[Model(ForgetsReads)],
        Reduction::Attempts => &[Model(ForgetsReads)],
        Reduction::Retry => &[Model(NoDependencies), Model(ForgetsReads), Model(MonotoneInOrderings)],
        Reduction::Carry => &[Model(NoDependencies), Model(ForgetsReads), Model(Coherent)],
        Reduction::Escape => &[
            Model(NoDependencies),
            Model(ForgetsReads),
            Model(ForgetsWrites),
            Model(Coherent),
            ModelOrRaces(PublishesInOrder, PublishesInOrderOrRaces),
        ],
        Reduction::Zne => {
            &[Model(PorfAcyclic), Model(ForgetsReads), Model(ForgetsRmws), NoSections, Coherence]
        }
        Reduction::Exchange => {
            &[Model(PorfAcyclic), Model(ForgetsReads), Model(ForgetsAcquiringRmws), NoSections, Coherence]
        }
        Reduction::Confirmation => &[Model(PorfAcyclic), Model(ConfirmsReads), NoSections, Coherence],
        Reduction::WakeUps => &[
            Model(NoDependencies),
            Model(ForgetsReads),
            Model(MonotoneInOrderings),
            Model(RepeatsReads),
            Model(ConfirmsReads),
            NoSections,
            Coherence,
        ],
        Reduction::Outdated => &[Model(PorfAcyclic), NoSections, Coherence],
        Reduction::Overtaken => &[Model(PorfAcyclic), Model(Coherent), NoSections, Coherence],
        Reduction::Annotations | Reduction::Futile | Reduction::Awaits | Reduction::Symmetry => {
            &[Model(PorfAcyclic), Coherence]
        }
        Reduction::Assumptions => &[
            Model(PorfAcyclic),
            Model(ForgetsReads),
            Model(ForgetsWrites),
            Model(ForgetsRmws),
            Model(Coherent),
            Coherence,
        ],
        Reduction::LockOrder => &[
            Model(PorfAcyclic),
            Model(Coherent),
            Model(MonotoneInOrderings),
            Model(ForgetsReads),
            Model(ForgetsWrites),
            Model(ForgetsRmws),
            Model(OrdersByRmw),
            RacesAreErrors,
            Coherence,
        ],
        Reduction::Helping => {
            &[Model(PorfAcyclic), Model(ForgetsReads), Model(DelegatesRmws), NoSections, Coherence]
        }
        Reduction::Bam => &[Model(PorfAcyclic), Model(OrdersByRmw)],
        Reduction::Arrivals => &[Model(PorfAcyclic), Model(OrdersByRmw), NoSections],
        Reduction::Simplification => &[Model(PorfAcyclic)],
    }
}

/// A reduction that was wanted and is not sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// What was wanted.
    pub reduction: Reduction,
    /// The first of its premises that is not known to hold.
    pub missing: Premise,
}

/// Which reductions are on, and why the others that were wanted are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sound {
    /// Those that are on.
    pub on: Reductions,
    /// Those that are not.
    pub left_out: Vec<LeftOut>,
}

/// The reductions that are sound, of those that are wanted.
pub fn sound(wanted: Reductions, properties: &Properties, program: &ProgramFacts) -> Sound {
    let mut sound = Sound { on: wanted, left_out: Vec::new() };
    for reduction in Reduction::ALL.into_iter().filter(|reduction| wanted.has(*reduction)) {
        let missing = premises(reduction).iter().find(|premise| !premise.holds(properties, program));
        if let Some(&missing) = missing {
            sound.on = sound.on.without(reduction);
            sound.left_out.push(LeftOut { reduction, missing });
        }
    }
    sound
}

/// The properties of a model: what can be told by looking at it, and by exploring.
pub fn properties_of(theory: &Theory, model: &Compiled) -> Properties {
    match model {
        Compiled::Clocks(model) => properties_by_clocks(theory, model),
        Compiled::Matrices(_) => Properties::of(theory, model),
    }
}

/// The same of a model that was compiled to clocks.
pub fn properties_by_clocks(theory: &Theory, model: &Model) -> Properties {
    let mut properties = Properties::by_clocks(theory, model);
    if orders_by_rmw(model) {
        properties.decide(Property::OrdersByRmw, "message passing by read-modify-writes was explored");
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Properties {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let model = Compiled::compile(&theory).expect("an admissible model");
        properties_of(&theory, &model)
    }

    /// As [`Reductions::all_but`] reads them.
    fn off(model: &str, program: ProgramFacts) -> String {
        sound(Reductions::ALL, &of(model), &program).on.to_string()
    }

    const USUAL: ProgramFacts = ProgramFacts {
        races_are_errors: true,
        races_are_reported: false,
        atomic_sections: false,
        coherence_counts: true,
    };

    #[test]
    fn reductions_under_the_shipped_models() {
        for (models, expected) in [
            (&["sc", "sc.cat", "tso", "ra", "rc11"][..], ""),
            (&["pso"], "escape,helping"),
            (&["x86"], "zne,exchange,confirmation,wake-ups,assumptions,helping,lock-order"),
            (&["tso.cat"], "zne,exchange,escape,confirmation,wake-ups,assumptions,helping,lock-order"),
            (
                &["rlx"],
                "zne,exchange,escape,confirmation,wake-ups,assumptions,bam,arrivals,helping,lock-order",
            ),
            (
                &["imm", "armv8", "power", "riscv", "lkmm"],
                "zne,exchange,retry,escape,carry,annotations,futile,outdated,overtaken,confirmation,\
                 wake-ups,awaits,assumptions,bam,arrivals,helping,simplification,symmetry,lock-order",
            ),
        ] {
            for model in models {
                assert_eq!(off(model, USUAL), expected, "{model}");
            }
        }
    }

    #[test]
    fn sections_of_one_access_stay_sections_where_races_are_reported() {
        assert_eq!(off("sc", ProgramFacts { races_are_reported: true, ..USUAL }), "sections");
    }

    #[test]
    fn without_races_a_write_may_overtake_the_one_that_publishes_it() {
        let facts = ProgramFacts { races_are_errors: false, ..USUAL };
        assert_eq!(off("rc11", facts), "escape,lock-order");
        assert_eq!(off("tso", facts), "lock-order");
    }

    #[test]
    fn atomic_sections_are_not_shown_to_stay_one_step() {
        let facts = ProgramFacts { atomic_sections: true, ..USUAL };
        assert_eq!(
            off("sc", facts),
            "zne,exchange,outdated,overtaken,confirmation,wake-ups,arrivals,helping"
        );
    }

    #[test]
    fn where_coherence_is_not_told_apart_nothing_relies_on_it() {
        let facts = ProgramFacts { coherence_counts: false, ..USUAL };
        let expected = "zne,exchange,annotations,futile,outdated,overtaken,confirmation,wake-ups,awaits,assumptions,\
            helping,symmetry,lock-order";
        assert_eq!(off("rc11", facts), expected);
    }

    #[test]
    fn what_is_left_out_has_a_reason() {
        let found = sound(Reductions::ALL, &of("pso"), &USUAL);
        let missing = Premise::ModelOrRaces(Property::PublishesInOrder, Property::PublishesInOrderOrRaces);
        assert_eq!(found.left_out.first(), Some(&LeftOut { reduction: Reduction::Escape, missing }));
        let unwanted = Reductions::ALL.without(Reduction::Escape).without(Reduction::Helping);
        assert_eq!(sound(unwanted, &of("pso"), &USUAL).left_out, []);
    }
}
