//! What the machine says that operations depend on, by hand: `(addr, data, ctrl, cas)` as positions of loads.

use crate::common;

use selvedge_machine::{Block, Dependencies, Machine, Op, Tid};
use selvedge_vm::{Options, VmMachine, VmState};

const DECLARED: &str = "
    global @x size 8 align 8 = zero 8
    global @y size 8 align 8 = zero 8
    global @table size 16 align 8 constant = zero 16
    func &add(r0, r1) results 1 regs 3 {
        r2 = add.64 r0, r1
        return (r2)
    }
";

type Sets = [Vec<u32>; 4];

struct Run {
    machine: VmMachine,
    state: VmState,
}

impl Run {
    fn new(body: &str) -> Run {
        let text = format!("{DECLARED} func &main() results 1 regs 10 {{ {body} return (0) }}");
        let machine = common::machine(&text, Options { track_deps: true, ..Options::default() });
        let state = machine.start(Tid(0));
        Run { machine, state }
    }

    fn sets(&self) -> Sets {
        let deps = self.machine.deps(&self.state);
        [deps.addr, deps.data, deps.ctrl, deps.cas].map(|set| set.iter().collect())
    }

    fn known(&mut self, input: i64) -> (Op, Sets) {
        let op = self.machine.step(&mut self.state, input);
        (op, self.sets())
    }

    fn unknown(&mut self) -> (Op, Sets) {
        self.machine.does_not_know(&mut self.state);
        let op = self.machine.step(&mut self.state, 0);
        (op, self.sets())
    }
}

fn sets<const A: usize, const B: usize, const C: usize>(
    addr: [u32; A],
    data: [u32; B],
    ctrl: [u32; C],
) -> Sets {
    [addr.to_vec(), data.to_vec(), ctrl.to_vec(), Vec::new()]
}

#[test]
fn values_carry_what_they_were_computed_from() {
    let mut run = Run::new(
        "r0 = load.8.rlx @x
         r1 = load.8.rlx @y
         r2 = xor.64 r0, r0
         r3 = call.1 &add (r2, 5)
         store.8.rlx @x, r3
         r4 = select r0, r1, 7
         store.8.rlx @y, r4
         store.8.rlx @y, 1",
    );
    run.known(0);
    run.known(1);
    let (op, deps) = run.known(9);
    assert!(matches!(op, Op::Store { value: 5, .. }));
    assert_eq!(deps, sets([], [1], []), "through a call, and although the value is the same");
    assert_eq!(run.known(0).1, sets([], [1, 2], []), "the condition, and what it picks");
    assert_eq!(run.known(0).1, sets([], [], []));
}

#[test]
fn branches_count_for_all_that_follows() {
    let mut run = Run::new(
        "r0 = load.8.rlx @x
         branch r0, next, next
      next:
         store.8.rlx @y, 1
         store.8.rlx @x, 2",
    );
    run.known(0);
    assert_eq!(run.known(1).1, sets([], [], [1]));
    assert_eq!(run.known(0).1, sets([], [], [1]));
}

#[test]
fn own_memory_passes_dependencies_on() {
    let mut run = Run::new(
        "r0 = alloca.private 16, 8
         r1 = load.8.rlx @x
         store.8.na r0, r1
         r2 = load.4.na r0
         store.8.rlx @y, r2
         store.8.na r0, 3
         r2 = load.8.na r0
         store.8.rlx @y, r2
         r3 = and.64 r1, 1
         r4 = offset r0, r3, 8
         store.8.na r4, 4
         store.8.rlx @y, 5",
    );
    run.known(0);
    assert_eq!(run.known(1).1, sets([], [1], []));
    assert_eq!(run.known(0).1, sets([], [], []), "it was overwritten");
    assert_eq!(run.known(0).1, sets([], [], [1]), "an address of its own memory");
}

#[test]
fn addresses_and_read_modify_writes() {
    let mut run = Run::new(
        "r0 = load.8.rlx @x
         r1 = and.64 r0, 0
         r2 = offset @y, r1, 8
         r3 = rmw.add.8.rlx r2, r0
         r4 = cmpxchg.8.rlx.rlx @x, r0, r3
         store.8.rlx @y, r5",
    );
    run.known(0);
    assert_eq!(run.known(6).1, sets([1], [], []));
    let of_sum = [vec![1], vec![1], vec![], vec![2]];
    assert_eq!(run.known(2).1, of_sum, "the operand; and, by another relation, its own read");
    let (op, deps) = run.known(0);
    assert!(matches!(op, Op::Load { .. }));
    assert_eq!(deps, [vec![], vec![], vec![], vec![1]]);
    let (op, deps) = run.known(6);
    assert!(matches!(op, Op::Store { value: 2, rmw: true, .. }));
    assert_eq!(deps, sets([], [2], []));
    assert_eq!(run.known(0).1, sets([], [4], []), "whether it succeeded");
}

#[test]
fn a_thread_goes_on_until_it_needs_a_value() {
    let mut run = Run::new(
        "r0 = load.8.rlx @x
         r1 = sdiv.64 10, r0
         store.8.rlx @y, 1
         store.8.rlx @y, r1
         branch r1, next, next
      next:
         store.8.rlx @x, 2",
    );
    run.known(0);
    let (op, deps) = run.unknown();
    assert!(matches!(op, Op::Store { value: 1, .. }));
    assert_eq!(deps, sets([], [], []), "a division is no dependency");
    assert_eq!(run.machine.deps(&run.state).faults.iter().collect::<Vec<_>>(), [1]);
    assert_eq!(run.known(0).1, sets([], [1], []));
    assert_eq!(run.known(0), (Op::Block(Block::Other), sets([], [], [1])));
}

#[test]
fn it_waits_for_an_address() {
    let mut run = Run::new("r0 = load.8.rlx @x  r1 = load.8.rlx r0  store.8.rlx @y, 1");
    run.known(0);
    assert_eq!(run.unknown(), (Op::Block(Block::Other), sets([1], [], [])));
}
