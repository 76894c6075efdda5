//! No input makes the parser panic, and every error points into the text.

use proptest::prelude::*;
use selvedge_litmus::{Options, parse};

const VALID: [&str; 7] = [
    r#"C MP "doc"
{ int a[2] = {1, 2}; [x]=0; atomic_int y = -1; 1:r3 = 0x10; }
P0 (atomic_int* x, int* a) { int i; for (i = 0; i < 2; i++) { a[i] = *x + 1; } atomic_store(x, 1); }
P1 (atomic_int* x, int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire), r1 = 0;
  if (r0 == 1 && *y) { r1 = atomic_fetch_add(y, 2); } else goto out;
  while (atomic_compare_exchange_weak(x, &r1, 3)) { break; }
out: assert(r1 >= 0);
}
locations [x; 1:r0; a]
filter (1:r3=16)
~exists (1:r0=1 /\ ~(x=2 \/ [y]!=-3) => *x=1)"#,
    "C K {} P0 (int* x) { WRITE_ONCE(*x, 1); smp_mb(); int r = READ_ONCE(*x) ? xchg(x, 2) : 3; } exists (0:r=1)",
    "C S {} P0 (int* x) { spawn(P1); join(P1); do { *x += 1; } while (*x < 3); } spawned P1 (int* x) { cut(); }",
    "AArch64 A \"doc\"\n{ 0:X1=x; uint64_t 1:X3=y; [y]=1; }\n P0 | P1 ;\n LDAXR W0,[X1] | L: CMP X0,#1 ;\n STLXR W2,W0,[X1] | \
     B.NE L ;\n EOR W4,W0,W0 | LDR W5,[X3,W4,SXTW] ;\n DMB ISHLD | SWPAL W1,W2,[X3] ;\nexists (1:X5=1 /\\ x=0)",
    "PPC P\n{ 0:r1=x; }\n P0 ;\n L: lwarx r2,0,r1 ;\n stwcx. r3,r0,r1 ;\n bne L ;\n lwsync ;\n lwz r4,0(r1) ;\nforall (0:r4=0)",
    "RISCV R\n{ 0:x5=x; 0:a0=1; }\n P0 ;\n lr.w.aq x6,(x5) ;\n sc.w.rl x7,x6,0(x5) ;\n fence rw,w ;\n amoadd.w.aqrl x8,a0,(x5) ;\n \
     beqz x7,E ;\n E: sw x8,0(x5) ;\n~exists (0:x8=x)",
    "X86_64 X\n{ x=1; 0:rdi=x; }\n P0 | P1 ;\n movl $1,(x) | lock xaddl %eax,(x) ;\n mfence | cmpl $0,%eax ;\n movl (%rdi),%eax | jne E ;\n  | E: \
     lock cmpxchgl %ebx,(x) ;\nexists (0:rax=1)",
];

use crate::tokens;
use tokens::TOKENS;

fn cases() -> u32 {
    std::env::var("SELVEDGE_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000)
}

fn check(text: &str) {
    if let Err(d) = parse("fuzz.litmus", text, &Options::default()) {
        let lines = text.lines().count().max(1) as u32 + 1;
        let span = d.span.as_ref();
        assert!(span.is_some_and(|s| s.line >= 1 && s.line <= lines && s.col >= 1 && s.len >= 1), "{d}");
        let _ = d.to_string();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn text_after_a_header(text in "C t \\{\\} P0 \\(int\\* x\\) \\{\\PC{0,120}") {
        check(&text);
    }

    #[test]
    fn token_soup(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..80)) {
        check(&tokens.join(" "));
        check(&format!("C t {{}} P0 (int* x, int* y) {{ int r0, r1; {}", tokens.join(" ")));
    }

    #[test]
    fn mutations(
        which in 0..VALID.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, prop::sample::select(TOKENS)), 0..6),
    ) {
        let mut text: Vec<char> = VALID[which].chars().collect();
        for (at, kind, token) in edits {
            let at = at.index(text.len() + 1);
            match kind {
                0 if at < text.len() => { text.remove(at); }
                1 => text.truncate(at),
                2 if at < text.len() => {
                    let rest = text[at..].to_vec();
                    text.extend(rest);
                }
                _ => { text.splice(at..at, token.chars()); }
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn the_seeds_of_the_mutations_are_valid() {
    for text in VALID {
        if let Err(d) = parse("seed", text, &Options::default()) {
            panic!("{d}");
        }
    }
}
