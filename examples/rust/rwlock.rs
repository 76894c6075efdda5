// Two readers and a writer.
//
// expect: rc11 verified executions=14
use std::sync::RwLock;
use std::thread;

static PAIR: RwLock<(u32, u32)> = RwLock::new((0, 0));

fn main() {
    let readers = [(); 2].map(|()| {
        thread::spawn(|| {
            let seen = PAIR.read().unwrap();
            assert_eq!(seen.0, seen.1);
        })
    });
    *PAIR.write().unwrap() = (1, 1);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}
