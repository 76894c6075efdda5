// Two readers and a writer.
//
// expect: rc11 verified
use std::sync::{Arc, RwLock};
use std::thread;

fn main() {
    let pair = Arc::new(RwLock::new((0, 0)));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let pair = Arc::clone(&pair);
            thread::spawn(move || {
                let seen = pair.read().unwrap();
                assert_eq!(seen.0, seen.1);
            })
        })
        .collect();
    *pair.write().unwrap() = (1, 1);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}
