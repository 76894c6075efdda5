//! The two interpreters agree on what threads do and on what depends on what.

use selvedge_graph::{DepSet, Kind, Tid};
use selvedge_machine::{Dependencies, Foresight, Machine, Op};
use selvedge_oracle::execution::ThreadEnd;
use selvedge_oracle::generate::{arch_program, rng_for};
use selvedge_oracle::generate_arch::Arch;
use selvedge_oracle::trace::all_traces;

fn bits(set: &DepSet) -> u32 {
    set.iter().fold(0, |all, idx| all | 1 << idx)
}

#[test]
fn the_machine_and_the_oracle_agree_on_dependencies() {
    let (mut compared, mut apart) = (0, 0);
    for arch in Arch::ALL {
        for number in 0..2_000 {
            let p = arch_program(&mut rng_for(11, number), arch);
            let Ok(all) = all_traces(&p, 1_000) else { continue };
            for (t, traces) in all.iter().enumerate() {
                for trace in traces {
                    let mut state = p.start(Tid(t as u16));
                    let mut input = 0;
                    for e in &trace.events {
                        let before = state.clone();
                        let op = p.step(&mut state, input);
                        let what = match op {
                            Op::Load { loc, rmw, mode } => {
                                let writes = match rmw {
                                    selvedge_machine::Rmw::No => false,
                                    selvedge_machine::Rmw::Always => true,
                                    selvedge_machine::Rmw::Cas { expected, .. } => expected == e.value,
                                    // What comes next does not tell; the other half does, below.
                                    selvedge_machine::Rmw::Linked if p.apart => e.rmw,
                                    selvedge_machine::Rmw::Linked
                                    | selvedge_machine::Rmw::Tentative { .. }
                                    | selvedge_machine::Rmw::Swap { .. } => p.writes_after(&state, e.value),
                                };
                                assert!(writes == e.rmw && (e.mode == mode || !writes), "{before:?} {e:?}");
                                (Kind::Read, Some(loc.0), e.value)
                            }
                            Op::Store { loc, value, mode, rmw } => {
                                assert_eq!((mode, rmw), (e.mode, e.rmw));
                                if e.other_half.is_some() {
                                    assert_eq!(p.other_half(&state), e.other_half);
                                    apart += 1;
                                }
                                (Kind::Write, Some(loc.0), value)
                            }
                            Op::Fence { mode } => {
                                assert_eq!(mode, e.mode);
                                (Kind::Fence, None, 0)
                            }
                            Op::Choose { .. } => (Kind::Choice, None, e.value),
                            Op::Decide { value } => (Kind::Choice, None, value),
                            Op::Spawn { .. } => (Kind::Spawn, None, 0),
                            Op::Join { .. } => (Kind::Join, None, 0),
                            other => panic!("{other:?} where the oracle has {e:?}"),
                        };
                        let known = (e.loc != u32::MAX).then_some(e.loc);
                        assert_eq!(what, (e.kind, known, e.value), "program {number} of {arch:?}");
                        let deps = p.deps(&state);
                        let own = [&deps.addr, &deps.data, &deps.ctrl, &deps.arm, &deps.cas].map(bits);
                        let oracle = [e.deps.addr, e.deps.data, e.deps.ctrl, e.deps.arm, e.deps.cas];
                        assert_eq!(own, oracle, "program {number} of {arch:?}: {e:?}");
                        compared += 1;
                        input = if matches!(e.kind, Kind::Read | Kind::Choice) { e.value } else { 0 };
                    }
                    let end = p.step(&mut state, input);
                    match trace.end {
                        ThreadEnd::Done => assert_eq!(end, Op::End),
                        ThreadEnd::Blocked => assert!(matches!(end, Op::Block(_))),
                        ThreadEnd::Cut => assert_eq!(end, Op::Cut),
                        ThreadEnd::Error => assert!(matches!(end, Op::Error(_))),
                        ThreadEnd::Waiting { .. } => assert!(matches!(end, Op::Join { .. })),
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
    assert!(compared > 100_000 && apart > 1_000, "{compared}, {apart}");
}
