//! Collections, text, iterators, traits, closures: what threads share is not only numbers.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt::{self, Display, Write};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

// expect: rc11 verified executions=7
#[test]
fn words_counted() {
    let counts = Arc::new(Mutex::new(HashMap::<String, u32>::new()));
    let count = |text: &'static str, counts: &Arc<Mutex<HashMap<String, u32>>>| {
        let counts = counts.clone();
        thread::spawn(move || {
            for word in text.split_whitespace() {
                *counts.lock().unwrap().entry(word.to_lowercase()).or_insert(0) += 1;
            }
        })
    };
    let threads = [count("one Two", &counts), count("two", &counts)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let counts = counts.lock().unwrap();
    assert_eq!((counts["one"], counts["two"], counts.len()), (1, 2, 2));
}

// expect: rc11 verified executions=6
#[test]
fn ordered_map() {
    static MAP: RwLock<BTreeMap<u32, &str>> = RwLock::new(BTreeMap::new());
    let thread = thread::spawn(|| {
        let mut map = MAP.write().unwrap();
        for (n, text) in [(3, "c"), (1, "a"), (2, "b")] {
            map.insert(n, text);
        }
    });
    let seen = MAP.read().unwrap().len();
    assert!(seen == 0 || seen == 3);
    thread.join().unwrap();
    let map = MAP.read().unwrap();
    assert_eq!(map.values().copied().collect::<String>(), "abc");
    assert_eq!(map.range(2..).next(), Some((&2, &"b")));
}

// expect: rc11 violated panic
#[test]
fn wrong_map_looked_at_twice() {
    static MAP: Mutex<BTreeMap<u32, u32>> = Mutex::new(BTreeMap::new());
    let thread = thread::spawn(|| MAP.lock().unwrap().clear());
    MAP.lock().unwrap().insert(1, 2);
    if MAP.lock().unwrap().contains_key(&1) {
        assert_eq!(MAP.lock().unwrap()[&1], 2);
    }
    thread.join().unwrap();
}

// expect: rc11 verified executions=2
#[test]
fn queues() {
    static QUEUE: Mutex<VecDeque<u32>> = Mutex::new(VecDeque::new());
    let thread = thread::spawn(|| QUEUE.lock().unwrap().extend([1, 2]));
    QUEUE.lock().unwrap().push_front(0);
    thread.join().unwrap();
    let queue: Vec<u32> = QUEUE.lock().unwrap().drain(..).collect();
    assert!(queue.iter().sum::<u32>() == 3 && queue[0] == 0);
}

// expect: rc11 verified executions=1
#[test]
fn others() {
    let mut heap = BinaryHeap::from([2, 5, 3]);
    assert_eq!(heap.pop(), Some(5));
    let set: BTreeSet<char> = "hello".chars().collect();
    assert_eq!(set.len(), 4);
    let hashed: HashSet<u32> = (0..4).map(|n| n % 2).collect();
    assert!(hashed.contains(&1) && hashed.len() == 2);
    let mut list = LinkedList::new();
    list.push_back(1);
    list.push_front(0);
    assert_eq!(list.into_iter().collect::<Vec<_>>(), [0, 1]);
    let mut numbers = vec![3, 1, 2];
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    numbers.retain(|n| n % 2 == 1);
    assert_eq!(numbers, [3, 1]);
}

struct Point {
    x: i32,
    y: f64,
}

impl Display for Point {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "({}, {:.2})", self.x, self.y)
    }
}

// expect: rc11 verified executions=1
#[test]
fn text() {
    let point = Point { x: -4, y: 2.5 };
    assert_eq!(
        format!("{point} {:>4}|{:<3}|{:#x}|{:?}", 7, 'a', 255, Some("b")),
        "(-4, 2.50)    7|a  |0xff|Some(\"b\")"
    );
    let mut out = String::new();
    write!(out, "{:08.3}", 3.14159).unwrap();
    assert_eq!(out, "0003.142");
    assert_eq!("12".parse::<u32>().unwrap() + "x".parse::<u32>().unwrap_or(1), 13);
    assert_eq!("a,b,,c".split(',').filter(|s| !s.is_empty()).collect::<Vec<_>>().join("-"), "a-b-c");
    assert_eq!("grüße".to_uppercase(), "GRÜSSE");
}

trait Shape: Send + Sync {
    fn area(&self) -> u32;
    fn name(&self) -> String {
        String::from("shape")
    }
}

struct Square(u32);
struct Row<T>(Vec<T>);

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }

    fn name(&self) -> String {
        String::from("square")
    }
}

impl<T: Shape> Shape for Row<T> {
    fn area(&self) -> u32 {
        self.0.iter().map(Shape::area).sum()
    }
}

// expect: rc11 verified executions=1
#[test]
fn objects() {
    let shapes: Arc<Vec<Box<dyn Shape>>> =
        Arc::new(vec![Box::new(Square(2)), Box::new(Row(vec![Square(1), Square(3)]))]);
    let thread = thread::spawn({
        let shapes = shapes.clone();
        move || shapes.iter().map(|shape| shape.area()).sum::<u32>()
    });
    let names: Vec<String> = shapes.iter().map(|shape| shape.name()).collect();
    assert_eq!(names, ["square", "shape"]);
    assert_eq!(thread.join().unwrap(), 14);
}

// expect: rc11 verified executions=1
#[test]
fn closures() {
    let adders: Vec<Box<dyn Fn(u32) -> u32 + Send>> =
        (1u32..4).map(|n| Box::new(move |m| m + n) as _).collect();
    let thread = thread::spawn(move || adders.iter().fold(0, |sum, add| add(sum)));
    assert_eq!(thread.join().unwrap(), 6);
}

// expect: rc11 verified executions=36
#[test]
fn printed() {
    let thread = thread::spawn(|| println!("from the thread"));
    println!("from main");
    eprintln!("and its errors: {:?}", [1, 2]);
    thread.join().unwrap();
}
