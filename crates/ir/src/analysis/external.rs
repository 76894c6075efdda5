//! What functions that a module only declares do, as far as analyses of whole programs have to know. Whoever
//! runs the module performs them, and tells.

/// What a function does with addresses: those that it is given, and those of what it makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Returns the address of a new object.
    Makes,
    /// Returns the address of something that each thread has of its own.
    OwnAddress,
    /// Takes addresses, or names of threads, and gives nothing of them away.
    TakesNames,
    /// Fills the memory that its first argument points to.
    Fills,
    /// Copies from what the second argument points to, to what the first one does; returns the first.
    Copies,
    /// Writes a text to where its first argument points to.
    WritesText,
    /// Makes a new object that keeps no address.
    KeepsNone,
    /// Starts a thread, with whatever it is given.
    Spawns,
    /// Ends the thread; handlers run. What it is given is left for others.
    Ends,
    /// Goes back to a call of a function further out.
    Jumps,
    /// It is not known, or nothing with addresses.
    Other,
}

impl Flow {
    /// How many of its arguments, from the first on, a function may keep or give back.
    pub fn keeps(self) -> usize {
        match self {
            Flow::KeepsNone => 0,
            Flow::Copies => 1,
            _ => usize::MAX,
        }
    }
}

/// What is known of a function that a module only declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct External {
    /// What it does with addresses.
    pub flow: Flow,
    /// It does the same whichever thread calls it, but for new addresses.
    pub anonymous: bool,
}
