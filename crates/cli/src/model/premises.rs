//! What reductions may rely on under a model, and which of them are left out.

use selvedge_explore::premises::{LeftOut, ProgramFacts, Sound, properties_of, sound};
use selvedge_kat::Theory;
use selvedge_machine::Reductions;
use selvedge_model::{Compiled, Properties, Property, Standing};
use serde_json::{Value, json};
use std::fmt::Write;

/// The properties of a model that can be explored, and the reductions that programs without anything
/// particular have.
pub struct Premises {
    properties: Properties,
    sound: Sound,
}

impl Premises {
    /// `None` if the model drives no exploration.
    pub fn of(theory: &Theory) -> Option<Premises> {
        let compiled = Compiled::compile(theory).ok()?;
        let properties = properties_of(theory, &compiled);
        // What depends on what is asked of a program is not the model's to say.
        let facts = ProgramFacts { races_are_reported: false, ..ProgramFacts::unknown(true) };
        let sound = sound(Reductions::ALL, &properties, &facts);
        Some(Premises { properties, sound })
    }

    fn rows(&self) -> impl Iterator<Item = (Property, &'static str, &str)> {
        Property::ALL.into_iter().map(|property| match self.properties.standing(property) {
            Standing::Decided(why) => (property, "decided", *why),
            Standing::Declared(why) => (property, "declared", why.as_str()),
            Standing::Absent => (property, "absent", ""),
        })
    }

    /// Lines for a report.
    pub fn text(&self) -> String {
        let mut out = String::from("what reductions rely on:\n");
        for (property, standing, why) in self.rows() {
            let colon = if why.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "  {standing:8} {}{colon}{why}", property.name());
        }
        for left_out in &self.sound.left_out {
            let _ = writeln!(out, "  without  {}: {}", left_out.reduction.name(), left_out.missing);
        }
        out
    }

    /// The properties, as objects.
    pub fn json(&self) -> Value {
        let row = |(property, standing, why): (Property, &str, &str)| {
            let (name, definition) = (property.name(), property.definition());
            json!({ "property": name, "definition": definition, "standing": standing, "reason": why })
        };
        self.rows().map(row).collect()
    }

    /// The reductions that are left out, as objects.
    pub fn left_out(&self) -> Value {
        let row = |left_out: &LeftOut| {
            let (name, reason) = (left_out.reduction.name(), left_out.missing.to_string());
            json!({ "reduction": name, "reason": reason })
        };
        self.sound.left_out.iter().map(row).collect()
    }
}
