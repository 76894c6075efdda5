//! Rows of our own: loops and locks as people write them. Nobody has published figures for these programs;
//! the counts are what they must be, by the argument in each program's first lines.

use super::*;

pub const IDIOMS: Table = Table {
    key: "idioms",
    title: "Loops and locks as people write them (own rows; *published* is the count that must come out)",
    plot: None,
    series: &[
        series(
            "tas-lock",
            "crates/bench/programs/tas-lock.c",
            (3, 6),
            &[size(4, &[]).counts(24, 0), size(6, &[]).counts(720, 0)],
        ),
        series(
            "ttas-xchg",
            "crates/bench/programs/ttas-xchg.c",
            (3, 6),
            &[size(4, &[]).counts(24, 0), size(6, &[]).counts(720, 0)],
        ),
        series(
            "backoff",
            "crates/bench/programs/backoff.c",
            (3, 6),
            &[size(4, &[]).counts(24, 0), size(6, &[]).counts(720, 0)],
        ),
        series(
            "treiber, atomic links",
            "crates/bench/programs/treiber-atomic-next.c",
            (3, 6),
            &[size(4, &[]).executions(24), size(6, &[]).executions(720)],
        ),
        series(
            "ms-queue, enqueuers",
            "examples/c/ms-queue.c",
            (3, 6),
            &[size(4, &[]).executions(24), size(6, &[]).executions(720)],
        )
        .defines("-DN={n} -DD=0"),
        series(
            "attempts",
            "examples/c/attempts.c",
            (3, 8),
            &[size(4, &[]).counts(16, 0), size(8, &[]).counts(256, 0)],
        ),
        series(
            "attempts, two looks",
            "crates/bench/programs/attempts-two.c",
            (3, 27),
            &[size(4, &[]).counts(81, 0), size(8, &[]).counts(6561, 0)],
        ),
        series(
            "linuxrwlock, rotated",
            "crates/bench/programs/linuxrwlock-rotated.c",
            (1, 2),
            &[size(2, &[]).executions(48)],
        )
        .defines("-DR={n} -DW={n}"),
        series(
            "disjoint-sections",
            "crates/bench/programs/disjoint-sections.c",
            (2, 1),
            &[size(3, &[]).counts(1, 0), size(8, &[]).counts(1, 0)],
        )
        .defines("-DN={n} -DK=4"),
        series(
            "assume-section",
            "crates/bench/programs/assume-section.c",
            (2, 6),
            &[size(3, &[]).counts(90, 0), size(4, &[]).counts(2520, 0)],
        ),
        series(
            "seqlock, readers",
            "crates/bench/programs/seqlock.c",
            (2, 2),
            &[size(5, &[]).counts(120, 0), size(6, &[]).counts(720, 0)],
        ),
        series(
            "nwrites-loc, by reads-from",
            "crates/bench/programs/nwrites.c",
            (3, 1),
            &[size(10, &[]).counts(1, 0), size(15, &[]).counts(1, 0)],
        )
        .options("--equivalence rf")
        .defines("-DN={n} -DSAME"),
        series(
            "retry, weaker failure",
            "crates/bench/programs/retry-weaker.c",
            (3, 6),
            &[size(4, &[]).executions(24), size(6, &[]).executions(720)],
        ),
        series(
            "cas-inc",
            "crates/bench/programs/cas-inc.c",
            (2, 6),
            &[size(3, &[]).counts(90, 0), size(4, &[]).counts(2520, 0)],
        ),
        series("counted", "crates/bench/programs/counted.c", (10, 1), &[size(1000, &[]).counts(1, 0)]),
        series(
            "relock",
            "crates/bench/programs/relock.c",
            (2, 10),
            &[size(3, &[]).executions(96), size(4, &[]).executions(1560)],
        ),
    ],
};
