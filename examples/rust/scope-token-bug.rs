// The end of a scope parks, and so may use up a token that was meant for somebody else.
//
// expect: rc11 violated deadlock
use std::thread;

fn main() {
    thread::current().unpark();
    thread::scope(|scope| {
        scope.spawn(|| ());
    });
    thread::park();
}
