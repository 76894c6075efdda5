//! The tables of C programs: what is run, and what was published about it.
//!
//! A published count is compared only where the program is the published one as far as the text describes
//! it; where it is not, the series says why (`other`), and its figures give the order of magnitude.

mod barriers;
mod classics;
mod idioms;
mod spinloops;
mod structures;
mod synthetic;

pub struct Table {
    pub key: &'static str,
    pub title: &'static str,
    pub series: &'static [Series],
    /// What the rows are drawn by, if they are.
    pub plot: Option<Axis>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    Seconds,
    /// Blocked ones included.
    Executions,
}

/// A program in its sizes.
pub struct Series {
    pub name: &'static str,
    pub file: &'static str,
    pub models: &'static [&'static str],
    /// For `check`; in these and in the defines, `{n}` is the size and `{n+1}` one more.
    pub options: &'static str,
    pub defines: &'static str,
    pub sizes: &'static [Size],
    pub small: Small,
    /// Why the program cannot be expected to have the published counts.
    pub other: Option<&'static str>,
}

/// One size, with what was published for it.
pub struct Size {
    /// 0 where there is but one size, which then has no number.
    pub n: u32,
    /// Instead of the series' defines.
    pub defines: Option<&'static str>,
    pub executions: Option<u64>,
    pub blocked: Option<u64>,
    /// For each model; infinite where the published run did not end.
    pub seconds: &'static [f64],
}

/// The smallest size, whose count is tested.
pub struct Small {
    pub n: u32,
    pub executions: u64,
}

/// Never ended, or ran out of memory.
pub const NEVER: f64 = f64::INFINITY;

/// What was published was counted without these: they leave executions out that were counted.
const WITHOUT_HELPING: &str = "--disable helping";

const RC11: &[&str] = &["rc11"];
const SC: &[&str] = &["sc"];
const THREE: &[&str] = &["sc", "tso", "rc11"];

const fn series(name: &'static str, file: &'static str, small: (u32, u64), sizes: &'static [Size]) -> Series {
    Series {
        name,
        file,
        models: RC11,
        options: "",
        defines: "-DN={n}",
        sizes,
        small: Small { n: small.0, executions: small.1 },
        other: None,
    }
}

impl Series {
    const fn models(self, models: &'static [&'static str]) -> Series {
        Series { models, ..self }
    }

    const fn options(self, options: &'static str) -> Series {
        Series { options, ..self }
    }

    const fn defines(self, defines: &'static str) -> Series {
        Series { defines, ..self }
    }

    const fn other(self, why: &'static str) -> Series {
        Series { other: Some(why), ..self }
    }

    pub fn label(&self, n: u32) -> String {
        if n == 0 { self.name.to_string() } else { format!("{}({n})", self.name) }
    }

    pub fn options_at(&self, n: u32) -> Vec<String> {
        at(self.options, n)
    }

    pub fn defines_at(&self, n: u32) -> Vec<String> {
        let own = self.sizes.iter().find(|size| size.n == n).and_then(|size| size.defines);
        at(own.unwrap_or(self.defines), n)
    }
}

fn at(words: &str, n: u32) -> Vec<String> {
    let words = words.replace("{n}", &n.to_string()).replace("{n+1}", &(n + 1).to_string());
    words.split_whitespace().map(String::from).collect()
}

const fn size(n: u32, seconds: &'static [f64]) -> Size {
    Size { n, defines: None, executions: None, blocked: None, seconds }
}

impl Size {
    const fn counts(self, executions: u64, blocked: u64) -> Size {
        Size { executions: Some(executions), blocked: Some(blocked), ..self }
    }

    const fn executions(self, executions: u64) -> Size {
        Size { executions: Some(executions), ..self }
    }

    const fn with(self, defines: &'static str) -> Size {
        Size { defines: Some(defines), ..self }
    }
}

pub const TABLES: &[&Table] = &[
    &synthetic::LOADS,
    &classics::SVCOMP,
    &synthetic::RMW,
    &structures::RMEM,
    &structures::CDSCHECKER,
    &synthetic::MEMORY,
    &structures::WEAK,
    &barriers::PLAIN,
    &barriers::USES,
    &barriers::PLAIN_2021,
    &barriers::USES_2021,
    &spinloops::SPINLOOPS,
    &spinloops::BISIMILARITY,
    &spinloops::BLOCKING,
    &classics::CONSISTENCY,
    &classics::WEAKENED,
    &structures::CACHING,
    &structures::MORE,
    &idioms::IDIOMS,
];
