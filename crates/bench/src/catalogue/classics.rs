//! Mutual exclusion and the like, with sequentially consistent accesses: thesis Tables 10.3 and 10.14 and
//! Kokologiannakis24 Table 2.

use super::*;

const SZYMANSKI: &str = "examples/c/szymanski-counted.c";
const PARKER: &str = "examples/c/parker.c";
const PARKER_OTHER: &str = "the text names the bug in the JDK that the program is made of, not how often who parks; this client parks less";
const LAMPORT: &str = "examples/c/lamport.c";
const DEKKER: &str = "examples/c/dekker.c";
const PETERSON: &str = "crates/bench/programs/peterson.c";
const FIB: &str = "crates/bench/programs/fib_bench.c";

pub const SVCOMP: Table = Table {
    key: "sv-comp",
    title: "Programs from SV-COMP (thesis Table 10.3)",
    plot: None,
    series: &[
        series("peterson", PETERSON, (5, 4), &[size(10, &[0.02]), size(20, &[0.02]), size(30, &[0.03])])
            .defines("-DN=1")
            .options("--unroll {n}"),
        series("parker", PARKER, (1, 11), &[size(3, &[0.17]), size(4, &[0.27]), size(5, &[0.55])])
            .other(PARKER_OTHER),
        series(
            "szymanski",
            SZYMANSKI,
            (1, 6),
            &[
                size(1, &[0.05]).executions(6),
                size(2, &[0.18]).executions(78),
                size(3, &[3.34]).executions(1068),
            ],
        ),
        series(
            "lamport",
            LAMPORT,
            (2, 16),
            &[size(2, &[0.02]).executions(16), size(3, &[2.76]).executions(9216)],
        ),
    ],
};

/// The times are those of Kokologiannakis24, column "New", and for the smallest sizes KATER's in thesis
/// Table 10.14.
pub const CONSISTENCY: Table = Table {
    key: "consistency",
    title: "Consistency checks ([Kokologiannakis24] Table 2, thesis Table 10.14)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "szymanski",
            SZYMANSKI,
            (1, 6),
            &[
                size(1, &[0.01, 0.01, 0.02]).executions(6),
                size(2, &[0.09, 0.11, 0.17]).executions(78),
                size(3, &[1.36, 1.89, 3.34]).executions(1068),
            ],
        )
        .models(THREE),
        series(
            "peterson",
            PETERSON,
            (1, 4),
            &[
                size(2, &[0.02, 0.02, 0.03]).executions(48),
                size(3, &[0.08, 0.10, 0.18]).executions(588),
                size(4, &[0.97, 1.40, 2.80]).executions(7360),
            ],
        )
        .models(THREE),
        series(
            "parker",
            PARKER,
            (1, 11),
            &[size(1, &[0.02, 0.02, 0.04]).executions(54), size(2, &[1.21, 1.41, 4.13]).executions(6701)],
        )
        .models(THREE)
        .other(PARKER_OTHER),
        series(
            "dekker_f",
            DEKKER,
            (1, 4),
            &[
                size(2, &[0.02, 0.03, 0.04]).executions(71),
                size(3, &[0.27, 0.39, 0.62]).executions(1344),
                size(4, &[6.78, 10.23, 16.74]).executions(26_797),
            ],
        )
        .models(THREE),
        series(
            "fib_bench",
            FIB,
            (2, 140),
            &[
                size(4, &[0.19, 0.24, 0.36]).executions(19_605),
                size(5, &[1.97, 2.45, 4.08]).executions(218_243),
                size(6, &[21.38, 26.59, 46.27]).executions(2_363_803),
            ],
        )
        .models(THREE),
        series(
            "lamport",
            LAMPORT,
            (2, 16),
            &[size(2, &[0.01, 0.02, 0.02]).executions(16), size(3, &[1.35, 1.74, 3.26]).executions(9216)],
        )
        .models(THREE),
    ],
};

/// GenMC's default checks leave the order of SC accesses unchecked until something breaks: what it explores
/// is what the program with acquire and release has.
pub const WEAKENED: Table = Table {
    key: "partial",
    title: "Without the order of SC accesses (thesis Table 10.14, Default/partial)",
    plot: None,
    series: &[
        series(
            "peterson",
            PETERSON,
            (1, 22),
            &[size(2, &[0.11]).executions(1848), size(3, &[13.20]).executions(222_956)],
        )
        .defines("-DN={n} -DWEAK"),
        series(
            "fib_bench",
            FIB,
            (2, 153),
            &[
                size(4, &[0.29]).executions(34_205),
                size(5, &[3.67]).executions(525_630),
                size(6, &[56.49]).executions(8_149_079),
            ],
        )
        .defines("-DN={n} -DWEAK"),
    ],
};
