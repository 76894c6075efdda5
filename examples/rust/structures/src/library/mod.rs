//! What programs do with the standard library, rightly and wrongly: those named `wrong` have a mistake.

mod atomics;
mod channels;
mod collections;
mod lent;
mod locks;
mod panics;
mod pointers;
mod threads;
