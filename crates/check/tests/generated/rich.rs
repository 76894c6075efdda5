//! Programs as people write them: with memory from the heap that threads pass on and free, condition
//! variables, semaphores, locks of readers and writers, locks that are only tried, and loops that wait.

use super::{DECLARED, Dice, main_of, thread};
use std::fmt::Write;

const LIBRARY: &str = "
    global @m size 40 align 8 = zero 40
    global @n size 40 align 8 = zero 40
    global @c size 48 align 8 = zero 48
    global @s size 32 align 8 = zero 32
    global @w size 56 align 8 = zero 56
    global @p size 8 align 8 = zero 8
    global @q size 8 align 8 = zero 8
    global @b size 4 align 4 = zero 4
    func &pthread_mutex_lock(r0) results 1 regs 1
    func &pthread_mutex_trylock(r0) results 1 regs 1
    func &pthread_mutex_unlock(r0) results 1 regs 1
    func &pthread_cond_wait(r0, r1) results 1 regs 2
    func &pthread_cond_signal(r0) results 1 regs 1
    func &pthread_cond_broadcast(r0) results 1 regs 1
    func &pthread_rwlock_rdlock(r0) results 1 regs 1
    func &pthread_rwlock_wrlock(r0) results 1 regs 1
    func &pthread_rwlock_unlock(r0) results 1 regs 1
    func &sem_wait(r0) results 1 regs 1
    func &sem_post(r0) results 1 regs 1
    func &malloc(r0) results 1 regs 1
    func &free(r0) results 0 regs 1
    func &sched_yield() results 1 regs 0
    func &selvedge_choose(r0) results 1 regs 1
";

/// Writes programs; each label has its number.
struct Writer<'d> {
    dice: &'d mut Dice,
    labels: u64,
}

impl Writer<'_> {
    fn label(&mut self) -> u64 {
        self.labels += 1;
        self.labels
    }

    /// Does something with a pointer unless it is null.
    fn unless_null(&mut self, load: &str, then: &str) -> String {
        let l = self.label();
        format!("r4 = {load}\nbranch r4, some{l}, none{l}\nsome{l}: {then}jump none{l}\nnone{l}: ")
    }

    fn access(&mut self) -> String {
        let variable = self.dice.pick(&["x", "y"]);
        let mode = self.dice.pick(&["na", "na", "rlx", "sc"]);
        match self.dice.roll(9) {
            0 => format!("store.4.{mode} @{variable}, {}\n", 1 + self.dice.roll(2)),
            1 => format!("r2 = load.4.{mode} @{variable}\nr1 = or.32 r1, r2\n"),
            2 => format!("r2 = rmw.add.4.sc @{variable}, 1\nr1 = add.32 r1, r2\n"),
            3 => format!("r2 = cmpxchg.4.sc.sc @{variable}, 0, 2\nr1 = or.32 r1, r2\n"),
            // An object is published, and what was there before is freed or looked at.
            4 | 5 => {
                let publish = format!(
                    "r4 = call.1 &malloc (8)\nstore.4.na r4, {}\nr5 = rmw.xchg.8.sc @p, r4\n",
                    1 + self.dice.roll(2)
                );
                let rest = match self.dice.roll(3) {
                    0 => "call.0 &free (r5)\n".to_string(),
                    1 => self.unless_null("move r5", "r2 = load.4.na r4\nr1 = or.32 r1, r2\n"),
                    _ => String::new(),
                };
                publish + &rest
            }
            6 | 7 => self.unless_null("load.8.sc @p", "r2 = load.4.na r4\nr1 = or.32 r1, r2\n"),
            _ => self.unless_null("load.8.sc @p", "store.4.na r4, 3\n"),
        }
    }

    fn accesses(&mut self, most: u64) -> String {
        (0..1 + self.dice.roll(most)).map(|_| self.access()).collect()
    }

    fn under(&mut self, lock: &str, unlock: &str) -> String {
        format!("r0 = call.1 &{lock}\n{}r0 = call.1 &{unlock}\n", self.accesses(2))
    }

    /// A loop that waits, and chooses how to pass its time, or whether to go on.
    fn choosing(&mut self, l: u64) -> String {
        let chosen = match self.dice.roll(5) {
            0 => format!("branch r5, go{l}, again{l}\n"),
            1 => format!("branch r5, act{l}, again{l}\nact{l}: store.4.rlx @x, 1\njump again{l}\n"),
            2 => format!(
                "branch r5, act{l}, again{l}\nact{l}: r2 = load.4.rlx @x\nbranch r2, go{l}, again{l}\n"
            ),
            _ => format!("branch r5, act{l}, again{l}\nact{l}: r0 = call.1 &sched_yield ()\njump again{l}\n"),
        };
        let kept = self.dice.pick(&["", "", "r1 = or.32 r1, r5\n"]);
        format!(
            "r5 = move 0\nagain{l}: r4 = load.4.rlx @y\nbranch r4, go{l}, idle{l}\n\
             idle{l}: r5 = call.1 &selvedge_choose (2)\n{chosen}go{l}: {kept}"
        )
    }

    fn piece(&mut self) -> String {
        let l = self.label();
        let (lock, unlock) =
            ("r0 = call.1 &pthread_mutex_lock (@m)\n", "r0 = call.1 &pthread_mutex_unlock (@m)\n");
        match self.dice.roll(15) {
            0 | 1 => self.access(),
            12 => {
                // A lock is given up and taken again while something is awaited.
                let wanted = self.dice.pick(&["@x", "@y"]);
                let pause = self.dice.pick(&["", "r0 = call.1 &sched_yield ()\n", "store.4.na @x, 1\n"]);
                let after = self.access();
                format!(
                    "{lock}look{l}: r4 = load.4.na {wanted}\nbranch r4, done{l}, idle{l}\n\
                     idle{l}: {unlock}{pause}{lock}jump look{l}\ndone{l}: {after}{unlock}"
                )
            }
            13 | 14 => self.choosing(l),
            2 => self.under("pthread_mutex_lock (@m)", "pthread_mutex_unlock (@m)"),
            3 => {
                let inner = self.under("pthread_mutex_lock (@n)", "pthread_mutex_unlock (@n)");
                format!("{lock}{inner}{unlock}")
            }
            4 => {
                let taken = self.accesses(2);
                format!(
                    "r0 = call.1 &pthread_mutex_trylock (@m)\nbranch r0, busy{l}, taken{l}\n\
                     taken{l}: {taken}{unlock}jump busy{l}\nbusy{l}: "
                )
            }
            5 => self.under("pthread_rwlock_rdlock (@w)", "pthread_rwlock_unlock (@w)"),
            6 => self.under("pthread_rwlock_wrlock (@w)", "pthread_rwlock_unlock (@w)"),
            7 => self.under("sem_wait (@s)", "sem_post (@s)"),
            8 => {
                let after = self.access();
                format!(
                    "{lock}look{l}: r4 = load.4.na @x\nbranch r4, done{l}, wait{l}\n\
                     wait{l}: r0 = call.1 &pthread_cond_wait (@c, @m)\njump look{l}\ndone{l}: {after}{unlock}"
                )
            }
            9 => {
                let wake = self.dice.pick(&["signal", "broadcast"]);
                format!("{lock}store.4.na @x, 1\nr0 = call.1 &pthread_cond_{wake} (@c)\n{unlock}")
            }
            10 if self.dice.roll(2) == 0 => {
                format!("again{l}: r4 = load.4.rlx @y\nbranch r4, go{l}, again{l}\ngo{l}: ")
            }
            10 => {
                let inside = self.access();
                format!(
                    "again{l}: r4 = rmw.xchg.4.sc @b, 1\nbranch r4, again{l}, go{l}\n\
                     go{l}: {inside}store.4.sc @b, 0\n"
                )
            }
            // Takes an object off a list of at most one, which a lock guards.
            _ => {
                let take = "store.8.na @q, 0\nr2 = load.4.na r4\nr1 = or.32 r1, r2\ncall.0 &free (r4)\n";
                let take = self.unless_null("load.8.na @q", take);
                format!("{lock}{take}{unlock}")
            }
        }
    }
}

/// A program.
pub fn program(dice: &mut Dice) -> String {
    let mut text = String::from(DECLARED) + LIBRARY;
    let threads = 2 + u64::from(dice.roll(4) == 0);
    let mut writer = Writer { dice, labels: 0 };
    for t in 0..threads {
        let pieces = 1 + writer.dice.roll(if threads == 2 { 3 } else { 2 });
        let body: String = (0..pieces).map(|_| writer.piece()).collect();
        text += &thread(t, &body, writer.dice.roll(4));
    }
    // What threads find.
    let mut begin = String::new();
    if writer.dice.roll(2) == 0 {
        begin += "r0 = call.1 &malloc (8)\nstore.4.na r0, 1\nstore.8.na @q, r0\n";
    }
    let _ = writeln!(begin, "store.4.na @s, {}", writer.dice.roll(3).min(1));
    let main = main_of(threads, "");
    let (head, rest) = main.split_once('\n').expect("a first line");
    text + head + "\n" + &begin + rest
}
