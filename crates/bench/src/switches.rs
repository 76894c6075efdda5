//! Each reduction on and off, on programs where it matters. What `spin-assume` and `rotation` find in a
//! program's text, `pef` finds when it is run: it has to be off as well for a difference to show. Symmetry
//! changes what is counted, and is off but in rows of its own.

use crate::command::{Check, End, Report};
use crate::table::grouped;
use selvedge_machine::Reduction;
use std::fmt::Write;

pub struct Switch {
    pub off: &'static [Reduction],
    pub program: &'static str,
    pub file: &'static str,
    pub options: &'static str,
    pub defines: &'static str,
    pub model: &'static str,
}

impl Switch {
    const fn under(self, model: &'static str) -> Switch {
        Switch { model, ..self }
    }
}

const fn switch(
    off: &'static [Reduction],
    program: &'static str,
    file: &'static str,
    options: &'static str,
    defines: &'static str,
) -> Switch {
    Switch { off, program, file, options, defines, model: "rc11" }
}

pub const SWITCHES: &[Switch] = &[
    switch(&[Reduction::SpinAssume, Reduction::Pef], "mcslock(3)", "examples/c/mcs.c", "--unroll 4", "-DN=3"),
    switch(
        &[Reduction::SpinAssume, Reduction::Pef],
        "twa-lock(3)",
        "crates/bench/programs/twalock.c",
        "--unroll 4",
        "-DN=3",
    ),
    switch(
        &[Reduction::Rotation, Reduction::Pef],
        "ms-queue, 2 and 1",
        "examples/c/ms-queue.c",
        "--unroll 4",
        "",
    ),
    switch(
        &[Reduction::Bisimilarity],
        "ws+r-peeled(3)",
        "crates/bench/programs/peeled.c",
        "--unroll-loop reader=3",
        "-DN=3",
    ),
    switch(&[Reduction::Attempts], "attempts(3), 8 times", "examples/c/attempts.c", "", "-DN=3 -DLIMIT=8"),
    switch(&[Reduction::Helping], "ms-queue(4), enqueuers", "examples/c/ms-queue.c", "", "-DN=4 -DD=0"),
    switch(&[Reduction::Pef], "mutex(3)", "crates/bench/programs/mutex.c", "--unroll 4", "-DN=3"),
    switch(
        &[Reduction::Pef],
        "treiber-stack(4)",
        "crates/bench/programs/treiber-stack.c",
        "--unroll 5",
        "-DN=4 -DT1=110 -DT2=110 -DT3=10 -DT4=10",
    ),
    switch(&[Reduction::Zne], "linuxrwlock(3)", "crates/bench/programs/linuxrwlock.c", "--unroll 4", "-DN=3"),
    switch(&[Reduction::Zne], "sc-gather(2)", "crates/bench/programs/sc-gather.c", "--unroll 4", "-DN=2"),
    switch(&[Reduction::Exchange], "tas-lock(2)", "crates/bench/programs/tas-lock.c", "--unroll 4", "-DN=2"),
    switch(
        &[Reduction::Exchange],
        "ttas-xchg(3)",
        "crates/bench/programs/ttas-xchg.c",
        "--unroll 2",
        "-DN=3",
    ),
    switch(&[Reduction::Faint], "backoff(3)", "crates/bench/programs/backoff.c", "--unroll 2", "-DN=3"),
    switch(&[Reduction::Retry], "mpmc-queue(3)", "examples/c/mpmc.c", "--unroll 4", "-DN=3"),
    switch(
        &[Reduction::Escape],
        "treiber-stack(4), pushes",
        "crates/bench/programs/treiber-stack.c",
        "--unroll 5",
        "-DN=4 -DT1=100 -DT2=100 -DT3=100 -DT4=100",
    ),
    switch(
        &[Reduction::Carry],
        "push-carried(4)",
        "crates/bench/programs/push-carried.c",
        "--unroll 5",
        "-DN=4",
    ),
    switch(&[Reduction::Annotations], "IRIW-iter", "crates/bench/programs/iriw-iter.c", "--unroll 43", ""),
    switch(
        &[Reduction::Annotations],
        "assume-exp(2)",
        "crates/bench/programs/assume-exp.c",
        "--unroll 43",
        "-DN=2",
    ),
    switch(&[Reduction::Annotations], "szymanski(3)", "examples/c/szymanski-counted.c", "", "-DN=3"),
    switch(
        &[Reduction::Futile],
        "treiber-stack(4)",
        "crates/bench/programs/treiber-stack.c",
        "--unroll 5",
        "-DN=4 -DT1=110 -DT2=110 -DT3=10 -DT4=10",
    ),
    switch(&[Reduction::Outdated], "seqlock(6)", "crates/bench/programs/seqlock.c", "", "-DN=6"),
    switch(
        &[Reduction::Outdated],
        "seqlock(5), 2 readers",
        "crates/bench/programs/seqlock.c",
        "",
        "-DN=5 -DREADERS=2",
    ),
    switch(
        &[Reduction::Overtaken],
        "chase-lev(6)",
        "crates/bench/programs/chase-lev.c",
        "",
        "-DOWNER=120 -DTHIEVES=5",
    ),
    switch(&[Reduction::Overtaken], "mpmc-queue(4)", "examples/c/mpmc.c", "", "-DN=4"),
    switch(&[Reduction::Confirmation], "ttaslock(4)", "examples/c/ttas.c", "", "-DN=4"),
    switch(&[Reduction::WakeUps], "futex-lock(3)", "crates/bench/programs/futex-lock.c", "", "-DN=3"),
    switch(&[Reduction::Awaits], "ttaslock(6)", "examples/c/ttas.c", "", "-DN=6"),
    switch(&[Reduction::Awaits], "twa-lock(4)", "crates/bench/programs/twalock.c", "", "-DN=4"),
    switch(&[Reduction::Awaits], "barrier-lock(4)", "crates/bench/programs/barrier-lock.c", "", "-DN=4"),
    switch(
        &[Reduction::Simplification],
        "fib_bench(5), acquire/release",
        "crates/bench/programs/fib_bench.c",
        "",
        "-DN=5 -DWEAK",
    ),
    switch(&[Reduction::Bam], "barrier(6)", "crates/bench/programs/barrier.c", "", "-DN=6"),
    switch(
        &[Reduction::Assumptions],
        "assume-section(3)",
        "crates/bench/programs/assume-section.c",
        "",
        "-DN=3",
    ),
    switch(
        &[Reduction::LockOrder],
        "disjoint-sections(3, 4)",
        "crates/bench/programs/disjoint-sections.c",
        "",
        "-DN=3 -DK=4",
    ),
    switch(
        &[Reduction::LockOrder],
        "disjoint-sections(4, 2), 2 groups",
        "crates/bench/programs/disjoint-sections.c",
        "",
        "-DN=4 -DK=2 -DSHARED=2",
    ),
    switch(&[Reduction::Symmetry], "ainc(8)", "crates/bench/programs/incs.c", "", "-DN=8 -DCOUNTERS=1"),
    switch(&[Reduction::Symmetry], "binc(5)", "crates/bench/programs/incs.c", "", "-DN=5 -DCOUNTERS=2"),
    switch(&[Reduction::Symmetry], "ttaslock(7)", "examples/c/ttas.c", "", "-DN=7"),
    switch(&[Reduction::Symmetry], "mutex(3)", "crates/bench/programs/mutex.c", "", "-DN=3"),
    switch(&[Reduction::Symmetry], "twa-lock(4)", "crates/bench/programs/twalock.c", "", "-DN=4"),
    switch(
        &[Reduction::Symmetry],
        "treiber-stack(7), pushes",
        "crates/bench/programs/treiber-stack.c",
        "",
        "-DN=7 -DT1=100 -DSAME",
    ),
    switch(
        &[Reduction::Symmetry],
        "ms-queue(4), enqueuers",
        "crates/bench/programs/ms-queue.c",
        "",
        "-DN=4 -DT1=100 -DSAME",
    ),
    switch(
        &[Reduction::Symmetry],
        "barrier(6), without BAM",
        "crates/bench/programs/barrier.c",
        "--no-bam",
        "-DN=6",
    ),
    switch(&[Reduction::Arrivals], "central barrier(7), tso", "examples/barriers/central.c", "", "-DN=7")
        .under("tso"),
    switch(&[Reduction::Bam], "barrier-lock(3)", "crates/bench/programs/barrier-lock.c", "", "-DN=3"),
    switch(&[Reduction::Library], "park (Rust)", "examples/rust/park.rs", "", ""),
    switch(&[Reduction::Handles], "scope(2) (Rust)", "examples/rust/scope.rs", "", ""),
    // Races are not asked for, and atomic sections are for interleavings.
    switch(
        &[Reduction::RaceFree],
        "competition, sc",
        "examples/c/competition.c",
        "--errors assertion --max-executions 200000",
        "",
    )
    .under("sc"),
    switch(
        &[Reduction::Sections],
        "competition, sc",
        "examples/c/competition.c",
        "--errors assertion --max-executions 200000",
        "",
    )
    .under("sc"),
    switch(
        &[Reduction::ProgramOrder],
        "fib_bench(3), armv8",
        "crates/bench/programs/fib_bench.c",
        "",
        "-DN=3",
    )
    .under("armv8"),
];

impl Switch {
    fn names(&self) -> String {
        let names: Vec<&str> = self.off.iter().map(|reduction| reduction.name()).collect();
        names.join(",")
    }

    fn run(&self, on: bool) -> Result<Report, String> {
        let mut options: Vec<String> = self.options.split_whitespace().map(String::from).collect();
        if !on {
            options.extend([String::from("--disable"), self.names()]);
        }
        let defines: Vec<String> = self.defines.split_whitespace().map(String::from).collect();
        let symmetry = self.off.contains(&Reduction::Symmetry) && on;
        Check { file: self.file, model: self.model, options: &options, defines: &defines, jobs: 1, symmetry }
            .run()
    }
}

pub fn markdown() -> Result<String, String> {
    let mut text =
        String::from("## Each reduction on and off, under rc11 unless it says otherwise [reductions]\n\n");
    text += "| reduction | program | on: executions | blocked | s | off: executions | blocked | s |\n";
    text += "|---|---|--:|--:|--:|--:|--:|--:|\n";
    for s in SWITCHES {
        eprintln!("reductions: {} without {}", s.program, s.names());
        let (on, off) = (s.run(true)?, s.run(false)?);
        let cut = if off.end == End::Bounded { " (loops cut)" } else { "" };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {:.2} | {}{cut} | {} | {:.2} |",
            s.names(),
            s.program,
            grouped(on.executions),
            grouped(on.blocked),
            on.seconds,
            grouped(off.executions),
            grouped(off.blocked),
            off.seconds,
        );
    }
    text += "\n";
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reduction_has_a_row() {
        for reduction in Reduction::ALL {
            assert!(SWITCHES.iter().any(|s| s.off.contains(&reduction)), "{}", reduction.name());
        }
    }
}
