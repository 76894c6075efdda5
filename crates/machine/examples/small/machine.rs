use selvedge_machine::{
    Claims, Dependencies, Durability, ErrorKind, Foresight, Lifetimes, Loc, Machine, Mode, Names, Op,
    ProgramError, Rmw, Stateful, Tid, Value,
};

/// Two threads, each of which counts up a location by a load and a store. The sum need not be 2.
pub struct Counting;
impl Stateful for Counting {
    type State = (Tid, u32); // which thread, and how many operations it has come to
}
impl Machine for Counting {
    fn threads(&self) -> usize {
        2
    }
    fn runs_from_start(&self, _: Tid) -> bool {
        true
    }
    fn init_value(&self, _: Loc) -> Value {
        0
    }
    fn start(&self, thread: Tid) -> (Tid, u32) {
        (thread, 0)
    }
    fn step(&self, (_, done): &mut (Tid, u32), input: Value) -> Op {
        *done += 1;
        match *done {
            1 => Op::Load { loc: Loc(0), mode: Mode::Rlx, rmw: Rmw::No },
            2 => Op::Store { loc: Loc(0), value: input + 1, mode: Mode::Rlx, rmw: false },
            _ => Op::End,
        }
    }
    fn error(&self, _: u32) -> ProgramError {
        ProgramError { kind: ErrorKind::Assertion, message: String::from("it does not fail") }
    }
}
impl Names for Counting {}
impl Lifetimes for Counting {}
impl Claims for Counting {}
impl Durability for Counting {}
impl Foresight for Counting {}
impl Dependencies for Counting {}
