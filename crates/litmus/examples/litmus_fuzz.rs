//! Feeds the parser inputs as fast as it takes them: `litmus_fuzz [COUNT] [SEED]`.
//!
//! Inputs are valid tests with a few random edits, token soup, and random bytes. A panic ends the run
//! with the input that caused it; at the end the counts are printed.

use selvedge_litmus::{Options, parse, print_program};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

const SEEDS: [&str; 4] = [
    "C A { int a[2]={1,2}; [x]=0; 1:r3=0x10; } P0 (atomic_int* x,int* a) { for (int i=0;i<2;i++) a[i]=*x+1; }\n\
     P1 (int* x,int* y) { int r0=atomic_load_explicit(x,memory_order_acquire); if (r0==1&&*y) r0=2; else goto o;\n\
     while (atomic_compare_exchange_weak(x,&r0,3)) break; o: assert(r0>=0); }\n\
     locations [x;1:r0;a] filter (1:r3=16) ~exists (1:r0=1 /\\ ~(x=2 \\/ [y]!=-3) => *x=1)",
    "C K {} P0 (int* x) { WRITE_ONCE(*x,1); smp_mb(); int r=READ_ONCE(*x)?xchg(x,2):3; } exists (0:r=1)",
    "C S {} P0 (int* x) { spawn(P1); join(P1); do { *x+=1; } while (*x<3); } spawned P1 (int* x) { cut(); }",
    "C D {} P0 (int* x) { int r=1/(*x); r=-r<<2; r=atomic_fetch_or(x,r--); L: if (r) goto L; return; }",
];

#[path = "../tests/support/tokens.rs"]
mod tokens;
use tokens::TOKENS;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

fn input(rng: &mut Rng, text: &mut Vec<u8>) {
    text.clear();
    match rng.below(8) {
        0 => text.extend((0..rng.below(80)).map(|_| rng.next() as u8)),
        1 | 2 => {
            if rng.below(2) == 0 {
                text.extend(b"C t {} P0 (int* x) { int r0; ");
            }
            for _ in 0..rng.below(40) {
                text.extend(TOKENS[rng.below(TOKENS.len())].bytes());
                text.push(b' ');
            }
        }
        _ => {
            text.extend(SEEDS[rng.below(SEEDS.len())].bytes());
            for _ in 0..1 + rng.below(4) {
                edit(rng, text);
            }
        }
    }
}

fn edit(rng: &mut Rng, text: &mut Vec<u8>) {
    let at = rng.below(text.len() + 1);
    match rng.below(5) {
        0 if at < text.len() => {
            text.remove(at);
        }
        1 if at < text.len() => text[at] = rng.next() as u8,
        2 => {
            let to = (at + rng.below(12)).min(text.len());
            text.drain(at..to);
        }
        3 => {
            let from = rng.below(text.len() + 1);
            let piece = text[from..(from + rng.below(20)).min(text.len())].to_vec();
            text.splice(at..at, piece);
        }
        _ => {
            text.splice(at..at, TOKENS[rng.below(TOKENS.len())].bytes());
        }
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (count, seed) = match (args.next().unwrap_or(Ok(1_000_000)), args.next().unwrap_or(Ok(1))) {
        (Ok(count), Ok(seed)) => (count, seed),
        _ => {
            eprintln!("usage: litmus_fuzz [COUNT] [SEED]");
            return ExitCode::from(2);
        }
    };
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = Vec::new();
    let (mut accepted, mut bytes) = (0u64, 0u64);
    let start = Instant::now();
    for n in 0..count {
        input(&mut rng, &mut text);
        bytes += text.len() as u64;
        let source = String::from_utf8_lossy(&text);
        let result = catch_unwind(AssertUnwindSafe(|| match parse("fuzz", &source, &Options::default()) {
            Ok(test) => {
                let printed = print_program(&test.program, &test.condition_text);
                if let Err(d) = parse("printed", &printed, &Options::default())
                    && !d.message.contains("nested")
                    && !d.message.starts_with("thread ")
                    && !d.message.starts_with("no location")
                {
                    panic!("the printed test does not parse: {d}\n{printed}");
                }
                true
            }
            Err(d) => d.to_string().is_empty(),
        }));
        match result {
            Ok(ok) => accepted += ok as u64,
            Err(_) => {
                eprintln!("input {n} of seed {seed} panics:\n{source}");
                return ExitCode::FAILURE;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} inputs ({bytes} bytes) in {seconds:.1} s: {accepted} accepted, no panic");
    ExitCode::SUCCESS
}
