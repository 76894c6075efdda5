//! Random programs with loops that may wait, retry, or do something now and then.

use rand::Rng;
use rand::rngs::SmallRng;
use std::fmt::Write;

/// Most accesses are to the same location, or little would happen.
const LOCATIONS: [&str; 6] = ["x", "x", "x", "x", "y", "z"];
const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];

fn one<'a>(rng: &mut SmallRng, of: &[&'a str]) -> &'a str {
    of[rng.random_range(0..of.len())]
}

/// A C program with threads that run loops and leave what they read in `out`.
pub fn program(rng: &mut SmallRng) -> String {
    let threads = if rng.random_ratio(1, 3) { 3 } else { 2 };
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
         struct node { int value; struct node *next; };\n\
         static _Atomic(struct node *) top;\nstatic atomic_int x, y, z;\nstatic int out[3];\n",
    );
    for t in 0..threads {
        let _ =
            writeln!(text, "static void *thread{t}(void *arg)\n{{\n    int a = 0, b = 0, n = 0; (void)n;");
        text.push_str(
            "    struct node *node = malloc(sizeof *node), *old; (void)old;\n    node->value = 1;\n",
        );
        let mut loops = 0;
        for _ in 0..rng.random_range(1..=3) {
            if loops == 0 && rng.random_ratio(3, 5) {
                loops += 1;
                retry(rng, &mut text);
            } else {
                let line = simple(rng);
                let _ = writeln!(text, "    {line}");
            }
        }
        let _ = writeln!(text, "    out[{t}] = a + 10 * b + 100 * n;\n    return NULL;\n}}");
    }
    let _ = writeln!(text, "int main(void)\n{{\n    pthread_t t[{threads}];");
    for t in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{t}], NULL, thread{t}, NULL);");
    }
    for t in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{t}], NULL);");
    }
    text.push_str("    return 0;\n}\n");
    text
}

fn simple(rng: &mut SmallRng) -> String {
    let at = one(rng, &LOCATIONS);
    let value = rng.random_range(0..3);
    match rng.random_range(0..8) {
        0..4 => format!("atomic_store_explicit(&{at}, {value}, memory_order_{});", one(rng, &STORES)),
        4 => format!("atomic_fetch_add_explicit(&{at}, 1, memory_order_{});", one(rng, &UPDATES)),
        5 => format!("atomic_thread_fence(memory_order_{});", one(rng, &FENCES)),
        _ => load(rng),
    }
}

fn load(rng: &mut SmallRng) -> String {
    let (to, at) = (one(rng, &["a", "a", "b"]), one(rng, &LOCATIONS));
    format!("{to} = atomic_load_explicit(&{at}, memory_order_{});", one(rng, &LOADS))
}

fn cas(rng: &mut SmallRng) -> String {
    let (reg, at, kind) = (one(rng, &["a", "b"]), one(rng, &LOCATIONS), one(rng, &["strong", "weak"]));
    let expected = match rng.random_range(0..5) {
        0..3 => String::from("a"),
        3 => String::from("b"),
        _ => rng.random_range(0..3).to_string(),
    };
    let (success, failure) = (one(rng, &UPDATES), one(rng, &LOADS));
    let desired = rng.random_range(0..3);
    let keep = if rng.random_ratio(1, 3) { format!(" {reg} = e;") } else { String::new() };
    let go = match rng.random_range(0..3) {
        0 => "",
        1 => " if (ok) break;",
        _ => " if (!ok) continue;",
    };
    format!(
        "{{ int e = {expected}; int ok = atomic_compare_exchange_{kind}_explicit(&{at}, &e, {desired}, \
         memory_order_{success}, memory_order_{failure});{keep}{go} }}"
    )
}

/// A loop that can be left.
fn retry(rng: &mut SmallRng, text: &mut String) {
    if rng.random_ratio(1, 6) {
        let _ = writeln!(
            text,
            "    do {{ old = atomic_load_explicit(&top, memory_order_{}); node->next = old; }}\n    \
             while (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_acq_rel, memory_order_relaxed));",
            one(rng, &LOADS)
        );
        return;
    }
    let at = one(rng, &LOCATIONS);
    if rng.random_ratio(1, 5) {
        // What was read before the loop is what it starts with.
        let (before, success, failure) = (one(rng, &LOADS), one(rng, &UPDATES), one(rng, &LOADS));
        let desired = one(rng, &["a + 1", "1 - a", "2"]);
        let stop = ["", "a != 2 && ", "a == 0 && "][rng.random_range(0..3)];
        let inside = if rng.random_ratio(1, 3) { load(rng).replace("a =", "b =") } else { String::new() };
        let _ = writeln!(
            text,
            "    a = atomic_load_explicit(&{at}, memory_order_{before});\n    \
             while ({stop}!atomic_compare_exchange_strong_explicit(&{at}, &a, {desired}, memory_order_{success}, \
             memory_order_{failure})) {{ {inside} }}"
        );
        return;
    }
    if rng.random_ratio(1, 8) {
        let (before, again, value) = (one(rng, &LOADS), one(rng, &LOADS), rng.random_range(0..3));
        let other = if rng.random_ratio(1, 3) { one(rng, &LOCATIONS) } else { at };
        let _ = writeln!(
            text,
            "    a = atomic_load_explicit(&{at}, memory_order_{before});\n    \
             while (a == {value}) a = atomic_load_explicit(&{other}, memory_order_{again});"
        );
        return;
    }
    text.push_str("    for (;;) {\n");
    let first = load(rng);
    let _ = writeln!(text, "        {first}");
    let leave = rng.random_range(0..3);
    let count = rng.random_range(1..=3);
    for number in 0..=count {
        let (reg, value) = (one(rng, &["a", "b"]), rng.random_range(0..3));
        let line = match rng.random_range(0..20) {
            _ if number == count.min(leave) => format!("if ({reg} == {value}) break;"),
            0..4 => load(rng),
            4..8 => cas(rng),
            8..11 => {
                let inner = simple(rng);
                format!("if ({reg} == {value}) {{ {inner} }}")
            }
            11 | 12 => format!(
                "while (atomic_load_explicit(&{}, memory_order_acquire) == {value}) ;",
                one(rng, &LOCATIONS)
            ),
            13 => format!("if ({reg} != {value}) continue;"),
            14 => String::from("a = b;"),
            15 => String::from("a ^= 1;"),
            16 => format!("n = {reg};"),
            17 => format!("atomic_fetch_add(&{}, 1);", one(rng, &LOCATIONS)),
            18 => format!("atomic_thread_fence(memory_order_{});", one(rng, &FENCES)),
            _ => {
                let at = one(rng, &LOCATIONS);
                format!("atomic_fetch_add(&{at}, 1); if (a == {value}) break; atomic_fetch_sub(&{at}, 1);")
            }
        };
        let _ = writeln!(text, "        {line}");
    }
    text.push_str("    }\n");
}
