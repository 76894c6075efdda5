//! SAVer and blocking prevention: thesis Tables 10.11, 10.12 and 10.13. The columns with everything on.

use super::*;

pub const SPINLOOPS: Table = Table {
    key: "spinloops",
    title: "Spin loops (thesis Table 10.11)",
    plot: Some(Axis::Seconds),
    series: &[
        series("mcslock", "examples/c/mcs.c", (2, 6), &[
            size(3, &[0.06]).counts(66, 124),
            size(4, &[0.32]).counts(1080, 2261),
        ]),
        series("qspinlock", "crates/bench/programs/qspinlock.c", (2, 6), &[
            size(2, &[0.04]).counts(6, 0),
            size(3, &[0.17]).counts(258, 427),
        ])
        .other("the kernel's code accesses bytes of the lock word where this one has whole words; the table has (3) twice"),
        series("seqlock", "crates/bench/programs/seqlock.c", (2, 2), &[
            size(3, &[0.06]).counts(9, 54),
            size(4, &[0.21]).counts(88, 1393),
        ])
        .other("the text does not describe the client; here one thread reads and N - 1 write"),
        series("mpmc-queue", "examples/c/mpmc.c", (2, 8), &[
            size(3, &[0.21]).counts(166, 679),
            size(4, &[104.78]).counts(39_706, 795_718),
        ])
        .other("the text does not say which queue; here it is Vyukov's ring, with two places"),
        series("linuxrwlock", "crates/bench/programs/linuxrwlock.c", (2, 2), &[
            size(3, &[0.06]).counts(24, 59),
            size(4, &[0.81]).counts(1060, 5518),
        ])
        .options("--unroll {n+1}")
        .other("the text does not say which threads read and which write; here it is every second one"),
        series("chase-lev", "crates/bench/programs/chase-lev.c", (0, 79), &[
            size(5, &[0.88]).counts(12_916, 10_264).with("-DOWNER=120 -DTHIEVES=4"),
            size(6, &[12.03]).counts(115_134, 219_640).with("-DOWNER=120 -DTHIEVES=5"),
        ])
        .defines("-DOWNER=120 -DTHIEVES=2")
        .other("the text does not describe the client; here the owner pushes once and takes twice, N - 1 steal once"),
        series("treiber-stack", "crates/bench/programs/treiber-stack.c", (3, 8), &[
            size(3, &[0.05]).counts(8, 8).with("-DT1=100 -DT2=100 -DT3=10"),
            size(4, &[0.26]).counts(236, 1463).with("-DN=4 -DT1=110 -DT2=110 -DT3=10 -DT4=10"),
        ]),
        series("mutex", "crates/bench/programs/mutex.c", (2, 12), &[
            size(2, &[0.04]).counts(12, 1),
            size(3, &[0.79]).counts(7086, 483),
        ])
        .other("the text does not say which mutex; here it is Drepper's with three states"),
        series("ttaslock", "examples/c/ttas.c", (2, 2), &[
            size(3, &[0.06]).counts(36, 58),
            size(4, &[0.16]).counts(576, 1590),
        ])
        .other("(N!)^2 without `confirmation`, as published; with it, a test that says the same as the compare-and-swap does not count"),
        series("twa-lock", "crates/bench/programs/twalock.c", (2, 4), &[
            size(3, &[0.34]).counts(96, 31),
            size(4, &[1.29]).counts(6144, 2877),
        ]),
        series("ms-queue", "crates/bench/programs/ms-queue.c", (3, 53), &[
            size(3, &[0.13]).counts(75, 274).with("-DT1=110 -DT2=100 -DT3=10"),
            size(4, &[36.73]).counts(10_662, 159_374).with("-DN=4 -DT1=110 -DT2=110 -DT3=100 -DT4=10"),
        ])
        .options(WITHOUT_HELPING)
        .other("the text does not describe the client; here threads enqueue, dequeue or do both"),
        series("sc-gather", "crates/bench/programs/sc-gather.c", (2, 6), &[
            size(3, &[0.08]).counts(90, 181),
            size(4, &[0.77]).counts(2520, 4845),
        ]),
    ],
};

pub const BISIMILARITY: Table = Table {
    key: "bisimilarity",
    title: "Bisimilarity (thesis Table 10.12)",
    plot: None,
    series: &[
        series(
            "ws+r-peeled",
            "crates/bench/programs/peeled.c",
            (2, 60),
            &[size(3, &[0.44]).counts(6720, 2345), size(4, &[133.85]).counts(1_848_000, 667_595)],
        ),
        series(
            "w+rs-peeled",
            "crates/bench/programs/peeled.c",
            (2, 1),
            &[size(3, &[0.06]).counts(1, 3), size(4, &[0.05]).counts(1, 7)],
        )
        .options("--unroll 43")
        .defines("-DN={n} -DREADERS"),
    ],
};

pub const BLOCKING: Table = Table {
    key: "blocking",
    title: "Blocking prevention (thesis Table 10.13)",
    plot: None,
    series: &[
        series("IRIW-iter", "crates/bench/programs/iriw-iter.c", (0, 1), &[size(0, &[0.04]).counts(1, 3)])
            .options("--unroll 43")
            .defines(""),
        series(
            "assume-exp",
            "crates/bench/programs/assume-exp.c",
            (1, 256),
            &[
                size(2, &[0.22]).counts(6561, 0),
                size(3, &[1.73]).counts(65_536, 0),
                size(4, &[10.11]).counts(390_625, 0),
            ],
        )
        .options("--unroll 43"),
        series(
            "lamport-sc",
            "examples/c/lamport.c",
            (2, 16),
            &[size(2, &[0.04]).counts(16, 7), size(3, &[1.70]).counts(9216, 4368)],
        ),
        series(
            "szymanski",
            "examples/c/szymanski-counted.c",
            (1, 6),
            &[size(2, &[0.25]).counts(78, 1205), size(3, &[4.51]).counts(1068, 16_935)],
        ),
    ],
};
