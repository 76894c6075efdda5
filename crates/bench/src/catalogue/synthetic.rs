//! Thesis Tables 10.2, 10.4 and 10.7: small programs with many executions. The column of GenMC.

use super::*;

pub const LOADS: Table = Table {
    key: "loads",
    title: "Loads and stores (thesis Table 10.2)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "readers",
            "crates/bench/programs/readers.c",
            (3, 8),
            &[
                size(5, &[0.04]).executions(32),
                size(10, &[0.19]).executions(1024),
                size(15, &[2.61]).executions(32_768),
            ],
        ),
        series(
            "nwrites-loc",
            "crates/bench/programs/nwrites.c",
            (3, 6),
            &[size(5, &[0.04]).executions(120), size(10, &[33.26]).executions(3_628_800)],
        )
        .defines("-DN={n} -DSAME"),
        series(
            "nwrites",
            "crates/bench/programs/nwrites.c",
            (3, 1),
            &[
                size(5, &[0.04]).executions(1),
                size(10, &[0.04]).executions(1),
                size(15, &[0.04]).executions(1),
            ],
        ),
        series(
            "mp",
            "crates/bench/programs/mp-poll.c",
            (3, 4),
            &[size(10, &[0.04]), size(50, &[0.06]), size(100, &[0.23])],
        )
        .options("--unroll {n+1} --disable attempts"),
    ],
};

pub const RMW: Table = Table {
    key: "rmw",
    title: "Read-modify-writes (thesis Table 10.4)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "ainc",
            "crates/bench/programs/incs.c",
            (3, 6),
            &[
                size(3, &[0.05]).executions(6),
                size(4, &[0.05]).executions(24),
                size(5, &[0.05]).executions(120),
            ],
        ),
        series(
            "binc",
            "crates/bench/programs/incs.c",
            (2, 4),
            &[
                size(3, &[0.05]).executions(36),
                size(4, &[0.06]).executions(576),
                size(5, &[0.87]).executions(14_400),
            ],
        )
        .defines("-DN={n} -DCOUNTERS=2"),
        series(
            "indexer",
            "crates/bench/programs/indexer.c",
            (12, 8),
            &[
                size(12, &[0.05]).executions(8),
                size(13, &[0.11]).executions(64),
                size(14, &[0.56]).executions(512),
                size(15, &[4.40]).executions(4096),
            ],
        ),
    ],
};

pub const MEMORY: Table = Table {
    key: "memory",
    title: "Memory (thesis Table 10.7; GenMC takes 84 MB in every row)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "lastzero",
            "crates/bench/programs/lastzero.c",
            (5, 64),
            &[size(10, &[0.22]).executions(3328), size(15, &[8.62]).executions(147_456), size(20, &[398.28])],
        )
        .models(SC)
        .options("--unroll {n+1}"),
        series(
            "exp-mem",
            "crates/bench/programs/exp-mem.c",
            (4, 48),
            &[
                size(7, &[1.17]).executions(10_080),
                size(8, &[10.19]).executions(80_640),
                size(9, &[101.69]).executions(725_760),
            ],
        )
        .models(SC),
        series(
            "exp-mem2",
            "crates/bench/programs/exp-mem.c",
            (2, 64),
            &[
                size(4, &[1.55]).executions(20_736),
                size(5, &[59.88]).executions(705_600),
                size(6, &[3204.28]).executions(33_177_600),
            ],
        )
        .models(SC)
        .defines("-DN={n} -DPLAIN"),
    ],
};
