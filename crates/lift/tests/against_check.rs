//! Systems derived from generated programs against `check` of the same programs with two and three threads:
//! an assertion fails, or somebody waits for ever, in the one exactly if in the other.
//! `LIFT_PROGRAMS=2000` generates more, `LIFT_SEED` begins elsewhere.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use selvedge_check::{Check, Options, Verdict};
use selvedge_machine::ErrorKind;
use selvedge_prove::reach::{Bug, reach};
use selvedge_prove::structure::instances;

/// Numbers of threads for which a program is compiled, to derive a system from: not those that are checked,
/// but for three.
const SEEN: [u64; 6] = [3, 4, 5, 8, 9, 17];

struct Gen {
    rng: SmallRng,
    labels: u32,
    /// Accesses that are left: `check` looks at all interleavings of them.
    left: u32,
}

impl Gen {
    fn roll(&mut self, n: u32) -> u32 {
        self.rng.random_range(0..n)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u32) as usize]
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// The address of a variable; one of an array may need a computation first.
    fn variable(&mut self) -> (String, String) {
        match self.roll(6) {
            0 | 1 => (String::new(), "@x".into()),
            2 | 3 => (String::new(), "@y".into()),
            4 => ("r4 = cast.sext.32.64 r0\nr4 = offset.within @slot, r4, 4\n".into(), "r4".into()),
            _ => {
                let next = "r4 = add.32.nsw r0, 1\nr4 = srem.32 r4, {n}\nr4 = cast.sext.32.64 r4\n";
                (format!("{next}r4 = offset.within @slot, r4, 4\n"), "r4".into())
            }
        }
    }

    fn number(&mut self) -> String {
        match self.roll(6) {
            0 => "{n}".into(),
            1 => "r1".into(),
            2 => "r0".into(),
            _ => self.roll(3).to_string(),
        }
    }

    /// A comparison of what was seen last, in r3.
    fn test(&mut self) -> String {
        let op = self.pick(&["eq", "ne", "slt", "sle", "sgt", "sge"]);
        let with = if self.roll(3) == 0 { "{n}".into() } else { self.roll(3).to_string() };
        format!("r3 = cmp.{op}.32 r1, {with}\n")
    }

    fn statement(&mut self, depth: u32) -> String {
        let kind = if self.left == 0 { 5 } else { self.roll(12) };
        self.left = self.left.saturating_sub(1);
        let (before, at) = self.variable();
        match kind {
            0 | 1 => format!("{before}store.4.sc {at}, {}\n", self.number()),
            2 => format!("{before}r1 = load.4.sc {at}\n"),
            3 | 4 => {
                let op = self.pick(&["add", "add", "sub", "xchg"]);
                format!("{before}r1 = rmw.{op}.4.sc {at}, {}\n", 1 + self.roll(2))
            }
            5 => match self.roll(3) {
                0 => format!("r1 = add.32.nsw r1, {}\n", self.roll(3)),
                1 => format!("r1 = move {}\n", self.number()),
                _ => format!("{}r1 = select r3, {}, r1\n", self.test(), self.roll(3)),
            },
            6 => {
                let (from, to) = (self.roll(2), self.number());
                format!("{before}r5 = cmpxchg.4.sc.sc {at}, {from}, {to}\nr1 = move r5\n")
            }
            7 | 8 if depth > 0 => {
                let n = self.label();
                let (test, a, b) = (self.test(), self.statement(depth - 1), self.statement(depth - 1));
                format!("{test}branch r3, T{n}, F{n}\nT{n}:\n{a}jump E{n}\nF{n}:\n{b}jump E{n}\nE{n}:\n")
            }
            // Until something changes.
            9 => {
                let n = self.label();
                format!(
                    "jump W{n}\nW{n}:\n{before}r1 = load.4.sc {at}\n{}branch r3, X{n}, R{n}\nR{n}:\njump W{n}\nX{n}:\n",
                    self.test()
                )
            }
            // A few times, or until it is left.
            10 if depth > 0 => {
                let n = self.label();
                let (body, leaves) = (self.statement(0), self.roll(2) == 0);
                let leave = match leaves {
                    true => format!("{}branch r3, X{n}, N{n}\nN{n}:\n", self.test()),
                    false => String::new(),
                };
                format!(
                    "r2 = move 0\njump W{n}\nW{n}:\nr3 = cmp.slt.32 r2, 2\nbranch r3, B{n}, X{n}\nB{n}:\n{body}{leave}\
                     r2 = add.32.nsw r2, 1\njump W{n}\nX{n}:\n"
                )
            }
            _ => {
                let n = self.label();
                let test = self.test();
                format!(
                    "{test}branch r3, A{n}, V{n}\nV{n}:\ncall.0 &__assert_fail (0, 0, 0, 0)\nunreachable\nA{n}:\n"
                )
            }
        }
    }

    fn program(&mut self) -> String {
        self.left = 4;
        let count = 2 + self.roll(3);
        let body: String = (0..count).map(|_| self.statement(1)).collect();
        let slot = "type scalar \"int\" 4\ntype array 0 {n} 4\n";
        let first = if self.roll(2) == 0 { "x\"{bytes}\"" } else { "zero 4" };
        format!(
            "file \"a.c\"\n{slot}global @x size 4 align 4 type 0 !0:1:0 = {first}\n\
             global @y size 4 align 4 type 0 !0:2:0 = zero 4\n\
             global @slot size {{4n}} align 4 type 1 !0:3:0 = zero {{4n}}\n\
             global @t size 64 align 8 = zero 64\n\
             func &pthread_create(r0, r1, r2, r3) results 1 regs 4\nfunc &pthread_join(r0, r1) results 1 regs 2\n\
             func &__assert_fail(r0, r1, r2, r3) results 0 regs 4\n\
             func &worker(r0) results 1 regs 8 !0:4:0 {{\nr1 = move 0\n{body}return (0)\n}}\n"
        )
    }
}

fn for_threads(text: &str, n: u64) -> String {
    let bytes: String = (n as u32).to_le_bytes().iter().map(|b| format!("{b:02x}")).collect();
    text.replace("{n}", &n.to_string()).replace("{bytes}", &bytes).replace("{4n}", &(4 * n).to_string())
}

/// Whether an assertion fails, and whether somebody waits for ever, as `check` finds.
fn checked(text: &str, n: u64) -> Option<(bool, bool)> {
    let mut text = for_threads(text, n) + "func &main() results 1 regs 2 {\n";
    for t in 0..n {
        text += &format!("r0 = call.1 &pthread_create (@t+{}, 0, &worker, {t})\n", 8 * t);
    }
    for t in 0..n {
        text += &format!("r0 = load.8.na @t+{}\nr0 = call.1 &pthread_join (r0, 0)\n", 8 * t);
    }
    text += "return (0)\n}\n";
    let module = selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = Options { all_errors: true, ..Options::default() };
    let theory = selvedge_kat::load_named("sc").expect("a model");
    let check = Check { options, ..Check::new(module.clone(), theory) }.prepared(module);
    let outcome = check.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    if !matches!(outcome.verdict, Verdict::Violated | Verdict::Verified) {
        return None;
    }
    let has = |kind| outcome.violations.iter().any(|v| v.kind == kind);
    let other = |k: ErrorKind| !matches!(k, ErrorKind::Assertion | ErrorKind::NonTermination);
    assert!(!outcome.violations.iter().any(|v| other(v.kind)), "{:?}\n{text}", outcome.violations);
    Some((has(ErrorKind::Assertion), has(ErrorKind::NonTermination)))
}

#[test]
fn generated_programs_are_wrong_exactly_if_their_systems_are() {
    let setting = |name: &str, or: u64| std::env::var(name).map_or(or, |n| n.parse().expect("a number"));
    let (programs, first) = (setting("LIFT_PROGRAMS", 60), setting("LIFT_SEED", 0));
    let (mut refused, mut skipped, mut right, mut asserts, mut stuck) = (0u64, 0, 0, 0, 0);
    let mut why = std::collections::BTreeMap::<String, u64>::new();
    for seed in first..first + programs {
        let mut generator = Gen { rng: SmallRng::seed_from_u64(seed), labels: 0, left: 0 };
        let text = generator.program();
        let compiled = SEEN.map(|n| {
            let text = for_threads(&text, n);
            (n, selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")))
        });
        let derived = match selvedge_lift::lift(compiled.to_vec(), "worker") {
            Ok(derived) => derived,
            Err(error) => {
                refused += 1;
                *why.entry(error.message).or_default() += 1;
                continue;
            }
        };
        let system = selvedge_prove::parse_derived(&derived, "none", "")
            .unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{derived}"));
        for n in [2, 3] {
            let mut ours = (false, false);
            let mut complete = true;
            for instance in instances(&system, &[n as usize]) {
                // Everything, then everything but deadlocks: one may hide the other.
                let all = reach(&system, &instance, 30_000, true);
                let safe = reach(&system, &instance, 30_000, false);
                complete &= all.bug.is_some() || safe.bug.is_some() || all.complete;
                for found in [all, safe] {
                    match found.bug {
                        Some((Bug::Deadlock, ..)) => ours.1 = true,
                        Some(_) => ours.0 = true,
                        None => {}
                    }
                }
            }
            let Some(theirs) = checked(&text, n).filter(|_| complete) else {
                skipped += 1;
                continue;
            };
            let context = || format!("seed {seed}, {n} threads\n{text}\n{derived}");
            assert_eq!(
                ours.0,
                theirs.0,
                "an assertion fails: the system says so, check says so; {}",
                context()
            );
            if !ours.0 {
                assert_eq!(ours.1, theirs.1, "somebody is stuck; {}", context());
            }
            asserts += u64::from(ours.0);
            stuck += u64::from(!ours.0 && ours.1);
            right += u64::from(ours == (false, false));
        }
    }
    println!(
        "{programs} programs: {refused} refused, {skipped} undecided, {right} right, {asserts} fail, {stuck} stuck"
    );
    println!("{why:?}");
    assert!(asserts > programs / 20 && stuck > programs / 20 && right > programs / 20);
}
