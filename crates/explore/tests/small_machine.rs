//! The front end that the documentation of `selvedge-machine` shows is complete: it can be explored.

#[path = "../../machine/examples/small/machine.rs"]
mod machine;

use machine::Counting;
use selvedge_explore::{Config, explore};
use selvedge_graph::Loc;
use selvedge_model::Model;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

#[test]
fn two_increments_by_load_and_store_give_one_or_two() {
    let theory = selvedge_kat::load_named("sc").expect("a model that comes with Selvedge");
    let model = Model::compile(&theory).expect("a model that is admitted");
    let mut sums = BTreeMap::new();
    let stats = explore(&Counting, &model, &Config::default(), &mut |x| {
        let last = x.graph.co_last(Loc(0)).expect("somebody writes");
        *sums.entry(x.graph.value_of(last, Loc(0))).or_insert(0) += 1;
        ControlFlow::Continue(())
    })
    .expect("nothing is refused");
    // One thread may see the other's write, or neither does and their writes have an order.
    assert_eq!(sums, BTreeMap::from([(1, 2), (2, 2)]));
    assert_eq!(stats.complete, 4);
}
