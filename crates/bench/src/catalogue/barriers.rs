//! Barriers: thesis Tables 10.9 and 10.10, and Kokologiannakis21 Tables 1 and 2, which are the same programs
//! on another machine with an earlier GenMC. Both with BAM and, as `--no-bam`, with arrivals that are
//! counted.

use super::*;

const BARRIER: &str = "crates/bench/programs/barrier.c";

const fn barrier(name: &'static str, rounds: u8, sizes: &'static [Size]) -> Series {
    let one = series(name, BARRIER, (3, 1), sizes);
    one.defines(match rounds {
        1 => "-DN={n}",
        2 => "-DN={n} -DROUNDS=2",
        _ => "-DN={n} -DROUNDS=3",
    })
}

const fn counted(name: &'static str, rounds: u8, sizes: &'static [Size]) -> Series {
    let small = [2, 4, 8][rounds as usize - 1];
    let one = barrier(name, rounds, sizes).options("--no-bam");
    Series { small: Small { n: 2, executions: small }, ..one }
}

pub const PLAIN: Table = Table {
    key: "barriers",
    title: "Nothing but barriers (thesis Table 10.9)",
    plot: Some(Axis::Executions),
    series: &[
        barrier(
            "barrier",
            1,
            &[size(4, &[0.04]).counts(1, 0), size(5, &[0.04]).counts(1, 0), size(6, &[0.05]).counts(1, 0)],
        ),
        barrier(
            "barrier2",
            2,
            &[size(4, &[0.04]).counts(1, 0), size(5, &[0.05]).counts(1, 0), size(6, &[0.06]).counts(1, 0)],
        ),
        barrier(
            "barrier3",
            3,
            &[size(4, &[0.04]).counts(1, 0), size(5, &[0.04]).counts(1, 0), size(6, &[0.04]).counts(1, 0)],
        ),
        counted(
            "barrier, no BAM",
            1,
            &[
                size(4, &[0.06]).counts(24, 552),
                size(5, &[0.29]).counts(120, 14_280),
                size(6, &[9.32]).counts(720, 517_680),
            ],
        ),
        counted(
            "barrier2, no BAM",
            2,
            &[size(4, &[0.65]).counts(576, 36_816), size(5, &[87.43]).counts(14_400, 5_156_880)],
        ),
        counted("barrier3, no BAM", 3, &[size(4, &[18.99]).counts(13_824, 907_152)]),
    ],
};

pub const PLAIN_2021: Table = Table {
    key: "bam",
    title: "Nothing but barriers ([Kokologiannakis21] Table 1)",
    plot: None,
    series: &[
        barrier(
            "barrier",
            1,
            &[
                size(4, &[0.01]).counts(1, 0),
                size(5, &[0.01]).counts(1, 0),
                size(6, &[0.01]).counts(1, 0),
                size(64, &[]),
            ],
        )
        .options("--threads-max 80 --unroll 70"),
        barrier(
            "barrier2",
            2,
            &[size(4, &[0.01]).counts(1, 0), size(5, &[0.01]).counts(1, 0), size(6, &[0.01]).counts(1, 0)],
        ),
        barrier(
            "barrier3",
            3,
            &[size(4, &[0.01]).counts(1, 0), size(5, &[0.01]).counts(1, 0), size(6, &[0.01]).counts(1, 0)],
        ),
        counted(
            "barrier, no BAM",
            1,
            &[
                size(4, &[0.02]).counts(24, 552),
                size(5, &[0.21]).counts(120, 14_280),
                size(6, &[7.03]).counts(720, 517_680),
            ],
        ),
        counted(
            "barrier2, no BAM",
            2,
            &[size(4, &[0.74]).counts(576, 36_816), size(5, &[114.63]).counts(14_400, 5_156_880)],
        ),
        counted("barrier3, no BAM", 3, &[size(4, &[26.07]).counts(13_824, 907_152)]),
    ],
};

const DET: &str = "crates/bench/programs/barrier-det.c";
const DET_OTHER: &str = "the text does not say how large the matrix is; here it is 7x7";
const TRANSC: &str = "crates/bench/programs/barrier-transc.c";
const LOCK: &str = "crates/bench/programs/barrier-lock.c";
const COUNT: &str = "crates/bench/programs/barrier-count.c";
const COUNT_OTHER: &str = "it has the published counts with BAM, but the published program waits more often, so there are more orders of arrivals";

pub const USES: Table = Table {
    key: "barrier-uses",
    title: "Uses of barriers (thesis Table 10.10)",
    plot: Some(Axis::Seconds),
    series: &[
        series(
            "barrier-det",
            DET,
            (2, 1),
            &[size(3, &[0.81]).counts(1, 0), size(4, &[0.81]).counts(1, 0), size(5, &[0.81]).counts(1, 0)],
        )
        .defines("-DN={n} -DSIZE=7")
        .other(DET_OTHER),
        series(
            "barrier-transc",
            TRANSC,
            (2, 1),
            &[size(3, &[0.13]).counts(1, 0), size(4, &[0.13]).counts(1, 0), size(5, &[0.13]).counts(1, 0)],
        ),
        series(
            "barrier-lock",
            LOCK,
            (2, 4),
            &[
                size(3, &[0.10]).counts(36, 54),
                size(4, &[3.00]).counts(576, 966),
                size(5, &[55.79]).counts(14_400, 29_342),
            ],
        ),
        series(
            "barrier-count",
            COUNT,
            (2, 4),
            &[
                size(3, &[0.08]).counts(64, 0),
                size(4, &[2.57]).counts(4992, 0),
                size(5, &[28.0 * 60.0]).counts(2_276_352, 0),
            ],
        ),
        series(
            "barrier-det, no BAM",
            DET,
            (2, 2),
            &[
                size(3, &[1.88]).counts(6, 30),
                size(4, &[8.46]).counts(24, 552),
                size(5, &[97.46]).counts(120, 14_280),
            ],
        )
        .options("--no-bam")
        .defines("-DN={n} -DSIZE=7")
        .other(DET_OTHER),
        series(
            "barrier-lock, no BAM",
            LOCK,
            (2, 16),
            &[size(3, &[0.94]).counts(1296, 4383), size(4, &[479.07]).counts(331_776, 2_165_299)],
        )
        .options("--no-bam"),
        series("barrier-count, no BAM", COUNT, (2, 8), &[size(3, &[100.08]).counts(55_296, 715_878)])
            .options("--no-bam")
            .other(COUNT_OTHER),
    ],
};

pub const USES_2021: Table = Table {
    key: "bam-uses",
    title: "Uses of barriers ([Kokologiannakis21] Table 2)",
    plot: None,
    series: &[
        series(
            "barrier-det",
            DET,
            (2, 1),
            &[size(3, &[17.87]).counts(1, 0), size(4, &[17.87]).counts(1, 0), size(5, &[17.89]).counts(1, 0)],
        )
        .defines("-DN={n} -DSIZE=7")
        .other(DET_OTHER),
        series(
            "barrier-transc",
            TRANSC,
            (2, 1),
            &[size(3, &[0.02]).counts(1, 0), size(4, &[0.02]).counts(1, 0), size(5, &[0.02]).counts(1, 0)],
        ),
        series(
            "barrier-lock",
            LOCK,
            (2, 4),
            &[
                size(3, &[0.03]).counts(36, 105),
                size(4, &[0.42]).counts(576, 3100),
                size(5, &[18.99]).counts(14_400, 143_385),
            ],
        ),
        series(
            "barrier-count",
            COUNT,
            (2, 4),
            &[
                size(3, &[0.04]).counts(64, 0),
                size(4, &[2.57]).counts(4992, 0),
                size(5, &[28.0 * 60.0]).counts(2_276_352, 0),
            ],
        ),
        series("barrier-transc, no BAM", TRANSC, (2, 64), &[size(3, &[18.0 * 60.0]).counts(46_656, 671_790)])
            .options("--no-bam")
            .defines("-DN={n} -DSIZE=4"),
        series(
            "barrier-lock, no BAM",
            LOCK,
            (2, 16),
            &[size(3, &[0.70]).counts(1296, 7140), size(4, &[417.58]).counts(331_776, 4_340_784)],
        )
        .options("--no-bam"),
        series("barrier-count, no BAM", COUNT, (2, 8), &[size(3, &[88.33]).counts(55_296, 715_878)])
            .options("--no-bam")
            .other(COUNT_OTHER),
    ],
};
