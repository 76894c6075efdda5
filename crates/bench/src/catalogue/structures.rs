//! Lock-free structures and locks: thesis Tables 10.5, 10.6 and 10.8, Kokologiannakis24 Table 1,
//! and rows that no table has.

use super::*;

const STACK: &str = "crates/bench/programs/treiber-stack.c";
const QUEUE: &str = "crates/bench/programs/ms-queue.c";
const DEQUE: &str = "crates/bench/programs/chase-lev.c";
const RWLOCK: &str = "crates/bench/programs/linuxrwlock.c";
const MPMC: &str = "examples/c/mpmc.c";
const MCS: &str = "examples/c/mcs.c";
const TTAS: &str = "examples/c/ttas.c";
const LAMPORT: &str = "examples/c/lamport.c";
const SEQLOCK: &str = "crates/bench/programs/seqlock.c";
const ALL_PUSH: &str = "-DN={n} -DT1=100 -DT2=100 -DT3=100 -DT4=100";

pub const RMEM: Table = Table {
    key: "rmem",
    title: "Programs from Pulte et al. (thesis Table 10.5)",
    plot: None,
    series: &[
        series("DQ/211-2-1", DEQUE, (0, 408), &[size(0, &[0.12])])
            .defines("-DOWNER=211 -DTHIEVES=2 -DFIRST_STEALS=2"),
        series("DQ-opt/211-2-1", DEQUE, (0, 408), &[size(0, &[0.14])])
            .defines("-DOWNER=211 -DTHIEVES=2 -DFIRST_STEALS=2 -DOPT"),
        series("STC/210-011-000", STACK, (0, 13), &[size(0, &[0.14])]).defines("-DT1=210 -DT2=11 -DT3=0"),
        series("STC-opt/210-011-000", STACK, (0, 11), &[size(0, &[0.15])])
            .defines("-DT1=210 -DT2=11 -DT3=0 -DOPT"),
        series("QU/100-100-010", QUEUE, (0, 26), &[size(0, &[0.14])])
            .defines("-DT1=100 -DT2=100 -DT3=10")
            .options(WITHOUT_HELPING),
        series("QU-opt/100-100-010", QUEUE, (0, 26), &[size(0, &[0.14])])
            .defines("-DT1=100 -DT2=100 -DT3=10 -DOPT")
            .options(WITHOUT_HELPING),
    ],
};

pub const CDSCHECKER: Table = Table {
    key: "cdschecker",
    title: "Programs from Norris and Demsky (thesis Table 10.6)",
    plot: None,
    series: &[
        series("linuxrwlocks", RWLOCK, (2, 2), &[size(3, &[0.05])]),
        series("linuxrwlocks-bnd", RWLOCK, (2, 10), &[size(3, &[0.58])]).defines("-DN={n} -DBOUND=2"),
        series("mpmc-queue", MPMC, (2, 8), &[size(2, &[0.12])])
            .other("the text does not say which queue; here it is Vyukov's ring"),
        series("mpmc-queue-bnd", MPMC, (2, 54), &[size(2, &[2.39])])
            .options("--disable all --unroll 4")
            .other("the text does not say which queue; here it is Vyukov's ring"),
    ],
};

pub const WEAK: Table = Table {
    key: "weak",
    title: "Weak memory (thesis Table 10.8; GenMC: 84 or 85 MB in every row)",
    plot: Some(Axis::Seconds),
    series: &[
        series("lamport", LAMPORT, (2, 16), &[size(3, &[0.40]).executions(6690)])
            .other("with weaker accesses, which the text does not give; here they are sequentially consistent"),
        series("mcs_spinlock", MCS, (2, 6), &[
            size(4, &[0.27]).executions(15_264),
            size(5, &[5.52]).executions(964_320),
        ])
        .other("the published counts are of a client that the text does not describe; here it is that of mcslock"),
        series("ttaslock", TTAS, (2, 2), &[
            size(3, &[0.04]).executions(162),
            size(4, &[0.16]).executions(20_760),
            size(5, &[4.08]).executions(14_457_720),
        ])
        .other("the published counts are those without spin loops bounded; here they are N!"),
        series("mpmc_queue", MPMC, (2, 8), &[
            size(3, &[0.20]).executions(143),
            size(4, &[152.96]).executions(31_880),
            size(5, &[16_377.38]).executions(1_270_584),
        ])
        .other("the text does not say which queue; here it is Vyukov's ring, with two places"),
        series("seqlock-atomic", SEQLOCK, (2, 2), &[
            size(5, &[8.02]).executions(1500),
            size(6, &[140.25]).executions(16_200),
            size(7, &[2437.31]).executions(185_220),
        ])
        .other("the text does not describe the client; here one thread reads and N - 1 write"),
    ],
};

pub const CACHING: Table = Table {
    key: "caching",
    title: "Caching ([Kokologiannakis24] Table 1)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "treiber-stack",
            STACK,
            (2, 2),
            &[
                size(6, &[1.32]).executions(720),
                size(7, &[29.37]).executions(5040),
                size(8, &[581.20]).executions(40_320),
            ],
        )
        .defines(ALL_PUSH),
        series(
            "ms-queue",
            QUEUE,
            (2, 2),
            &[
                size(5, &[0.64]).executions(120),
                size(6, &[13.18]).executions(720),
                size(7, &[294.51]).executions(5040),
            ],
        )
        .defines("-DN={n} -DT1=100 -DT2=100 -DT3=100 -DT4=100 -DPLAIN_TAIL"),
        series(
            "buf-ring",
            "crates/bench/programs/buf-ring.c",
            (2, 10),
            &[
                size(2, &[0.03]).executions(20),
                size(3, &[0.48]).executions(1218),
                size(4, &[253.35]).executions(193_280),
            ],
        )
        .other("the text does not describe the client; here each thread enqueues and then dequeues"),
        series(
            "ttas-lock",
            TTAS,
            (2, 2),
            &[
                size(5, &[0.14]).executions(120),
                size(6, &[1.75]).executions(720),
                size(7, &[44.24]).executions(5040),
            ],
        ),
    ],
};

/// Times of GenMC 0.11 on its own versions of the programs.
pub const MORE: Table = Table {
    key: "more",
    title: "Other rows (times of GenMC 0.11, on another machine of this class)",
    plot: None,
    series: &[
        series("readers", "crates/bench/programs/readers.c", (3, 8), &[size(16, &[2.6]).executions(65_536)])
            .options("--unroll 20"),
        series("ainc", "crates/bench/programs/incs.c", (3, 6), &[size(8, &[1.4]).executions(40_320)]),
        series("casrot", "crates/bench/programs/casrot.c", (4, 14), &[size(10, &[0.35]).executions(38_486)]),
        series(
            "indexer",
            "crates/bench/programs/indexer.c",
            (12, 8),
            &[size(16, &[19.0]).executions(32_768)],
        )
        .options("--unroll 20"),
        series("treiber-stack", STACK, (2, 2), &[size(7, &[8.3]).counts(5040, 165_361)]).defines(ALL_PUSH),
        series("ms-queue", QUEUE, (2, 2), &[size(6, &[12.0]).counts(720, 196_828)])
            .defines("-DN={n} -DT1=100 -DT2=100 -DT3=100 -DT4=100 -DPLAIN_TAIL"),
        series("ttas-lock", TTAS, (2, 2), &[size(7, &[26.0]).counts(5040, 726_529)]),
        series("chase-lev, thieves", DEQUE, (0, 157), &[size(3, &[5.7])
            .executions(306_706)
            .with("-DOWNER=440 -DTHIEVES=3 -DONCE")])
        .defines("-DOWNER=210 -DTHIEVES=2 -DONCE")
        .other("its client is not described; here the owner pushes and takes four times, and each thief tries once"),
        series(
            "peterson, acquire and release",
            "crates/bench/programs/peterson.c",
            (1, 22),
            &[size(3, &[5.2]).counts(222_956, 90_426)],
        )
        .defines("-DN={n} -DWEAK"),
        series(
            "fib_bench, acquire and release",
            "crates/bench/programs/fib_bench.c",
            (2, 153),
            &[size(5, &[3.2]).executions(525_630)],
        )
        .defines("-DN={n} -DWEAK"),
    ],
};
