//! What can be wrong with a program, by name.

use std::fmt;
use std::str::FromStr;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Kinds of errors. Whoever matches on them lists them all, so that a new one is met by the compiler
        /// wherever kinds make a difference.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ErrorKind {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorKind {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant,)*];

            /// A stable name in kebab case; `docs/check.md` lists them.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ErrorKind::$variant => $name,)*
                }
            }
        }
    };
}

kinds! {
    /// `assert` failed, or a function was called that says so.
    Assertion = "assertion",
    /// `abort()`.
    Abort = "abort",
    /// A panic of Rust that nobody catches.
    Panic = "panic",
    /// Two accesses, one of them plain and one a write, that happens-before does not order.
    DataRace = "data-race",
    /// A value that was never set is used.
    UninitialisedRead = "uninitialised-read",
    /// A pointer past its object.
    OutOfBounds = "out-of-bounds",
    /// A pointer that points nowhere.
    NullDereference = "null-dereference",
    /// A pointer that is no address of anything.
    WildPointer = "wild-pointer",
    /// An access that is not ordered before the end of its object's life, on the heap.
    UseAfterFree = "use-after-free",
    /// The same for a local variable.
    DeadStack = "dead-stack",
    /// An access of an object whose allocation it does not see.
    UnpublishedObject = "unpublished-object",
    /// An object is freed twice.
    DoubleFree = "double-free",
    /// What is freed is no object of the heap.
    InvalidFree = "invalid-free",
    /// An exception that no handler catches.
    UnhandledException = "unhandled-exception",
    /// A division by zero.
    DivisionByZero = "division-by-zero",
    /// Signed arithmetic whose result does not fit.
    Overflow = "overflow",
    /// Other undefined behaviour of the language.
    UndefinedBehaviour = "undefined-behaviour",
    /// Wrong use of a lock, a condition variable or a semaphore.
    LockMisuse = "lock-misuse",
    /// A thread is joined or detached that nobody may join any more.
    InvalidJoin = "invalid-join",
    /// A store that was said to be the last one of its location is overwritten.
    NotFinal = "not-final",
    /// An object that was said to be used by one thread alone is not.
    NotLocal = "not-local",
    /// Wrong use of a barrier.
    BarrierMisuse = "barrier-misuse",
    /// No thread can go on.
    Deadlock = "deadlock",
    /// A loop waits for ever.
    NonTermination = "non-termination",
    /// An object of the heap is never freed.
    Leak = "leak",
    /// An error that has a name of the model's own.
    OfModel = "model-error",
    /// What recovery asserts does not hold after some crash.
    RecoveryAssertion = "recovery-assertion",
    /// Recovery writes to what is durable, where it may not.
    RecoveryWrite = "recovery-write",
    /// A system call that fails, where the program is not to see that.
    SystemCall = "system-call",
    /// The program does something that is not supported: no error of its own, but there is no verdict.
    Unsupported = "unsupported",
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no kind of error of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchKind;

impl FromStr for ErrorKind {
    type Err = NoSuchKind;

    fn from_str(name: &str) -> Result<ErrorKind, NoSuchKind> {
        ErrorKind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or(NoSuchKind)
    }
}

/// A set of kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorKinds(u32);

impl ErrorKinds {
    /// Every kind.
    pub const ALL: ErrorKinds = ErrorKinds(u32::MAX);

    /// Whether a kind is one of them. That something is not supported is no error of a program, and always
    /// is one: without it there is no verdict.
    pub const fn has(self, kind: ErrorKind) -> bool {
        self.0 & 1 << kind as u32 != 0 || matches!(kind, ErrorKind::Unsupported)
    }

    /// With another one.
    #[must_use]
    pub const fn with(self, kind: ErrorKind) -> ErrorKinds {
        ErrorKinds(self.0 | 1 << kind as u32)
    }

    /// Without one of them.
    #[must_use]
    pub const fn without(self, kind: ErrorKind) -> ErrorKinds {
        ErrorKinds(self.0 & !(1 << kind as u32))
    }

    /// `assertion,deadlock`: an error says what there is to choose from.
    pub fn named(list: &str) -> Result<ErrorKinds, String> {
        let kinds = || ErrorKind::ALL.iter().filter(|kind| **kind != ErrorKind::Unsupported);
        let one = |name: &str| match name.parse() {
            Ok(kind) if kind != ErrorKind::Unsupported => Ok(kind),
            _ => {
                let known: Vec<&str> = kinds().map(|kind| kind.name()).collect();
                Err(format!("`{name}` is no kind of error; there are {}", known.join(", ")))
            }
        };
        let names = list.split(',').map(str::trim);
        names.map(one).try_fold(ErrorKinds(0), |set, kind| Ok(set.with(kind?)))
    }
}

/// An error that a program made by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramError {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// What happened, in words.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_their_names() {
        for &kind in ErrorKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert_eq!("no-such-kind".parse::<ErrorKind>(), Err(NoSuchKind));
    }

    #[test]
    fn sets_are_named_by_lists_of_kinds() {
        let set = ErrorKinds::named("assertion, deadlock").expect("two kinds");
        let has: Vec<ErrorKind> = ErrorKind::ALL.iter().copied().filter(|kind| set.has(*kind)).collect();
        assert_eq!(has, [ErrorKind::Assertion, ErrorKind::Deadlock, ErrorKind::Unsupported]);
        for bad in ["", "assertion,", "unsupported", "Assertion"] {
            assert!(ErrorKinds::named(bad).is_err_and(|e| e.contains("use-after-free")), "{bad}");
        }
        assert!(ErrorKind::ALL.len() <= 32);
    }
}
