//! The words of the languages that programs are written in, for orderings and fences.

use selvedge_graph::Mode;
use std::path::Path;

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    #[default]
    C,
    Cpp,
    Rust,
    CSharp,
}

const RUST: [(&str, Mode); 5] = [
    ("Relaxed", Mode::Rlx),
    ("Acquire", Mode::Acq),
    ("Release", Mode::Rel),
    ("AcqRel", Mode::AcqRel),
    ("SeqCst", Mode::Sc),
];

impl Language {
    /// By the name of a file; `None` if it is no text that could be changed.
    pub fn of(file: &str) -> Option<Language> {
        Some(match Path::new(file).extension()?.to_str()? {
            "c" | "h" | "i" | "inc" => Language::C,
            "cpp" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "ipp" | "ii" => Language::Cpp,
            "rs" => Language::Rust,
            "cs" => Language::CSharp,
            _ => return None,
        })
    }

    /// An ordering in the words of the one that is there; `None` if that is not the name of one.
    pub fn order(self, old: &str, mode: Mode) -> Option<String> {
        let is_path = |path: &str| path.is_empty() || path.ends_with("::");
        let words = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match self {
            Language::CSharp => None,
            Language::Rust => {
                let path = RUST.iter().find_map(|(name, _)| old.strip_suffix(name).filter(|p| is_path(p)))?;
                Some(format!("{path}{}", rust_name(mode)?))
            }
            Language::C | Language::Cpp => {
                if old.starts_with("__ATOMIC_") {
                    return builtin_order(mode).map(String::from);
                }
                let at = old.rfind("memory_order")?;
                let (path, word) = old.split_at(at);
                let separator =
                    ["memory_order_", "memory_order::"].into_iter().find(|s| word.starts_with(s))?;
                let known = is_path(path) && words(&word[separator.len()..]);
                known.then(|| format!("{path}{separator}{}", mode.c_name()))
            }
        }
    }

    /// Whether a word is an ordering.
    pub fn is_order(self, word: &str) -> bool {
        self.order(word, Mode::Sc).is_some()
    }

    /// An ordering where none is written.
    pub fn new_order(self, mode: Mode) -> String {
        match self {
            Language::Cpp => format!("std::memory_order_{}", mode.c_name()),
            _ => format!("memory_order_{}", mode.c_name()),
        }
    }

    /// A fence, as an expression.
    pub fn fence(self, mode: Mode) -> String {
        match self {
            Language::C => format!("atomic_thread_fence(memory_order_{})", mode.c_name()),
            Language::Cpp => format!("std::atomic_thread_fence(std::memory_order_{})", mode.c_name()),
            Language::Rust => {
                let order = rust_name(mode).unwrap_or("SeqCst");
                format!("std::sync::atomic::fence(std::sync::atomic::Ordering::{order})")
            }
            Language::CSharp => String::from("System.Threading.Thread.MemoryBarrier()"),
        }
    }

    /// The names of atomic operations, and of fences.
    pub fn is_atomic(self, name: &str) -> bool {
        const METHODS: [&str; 12] = [
            "load",
            "store",
            "swap",
            "exchange",
            "compare_exchange",
            "compare_exchange_weak",
            "compare_exchange_strong",
            "compare_and_swap",
            "test_and_set",
            "clear",
            "test",
            "fence",
        ];
        let of_c = ["atomic_", "__atomic_", "__c11_atomic_"].iter().any(|prefix| name.starts_with(prefix))
            || matches!(name, "READ_ONCE" | "WRITE_ONCE" | "smp_load_acquire" | "smp_store_release")
            || matches!(name, "smp_mb" | "smp_rmb" | "smp_wmb");
        let method = METHODS.contains(&name) || name.starts_with("fetch_");
        match self {
            Language::C => of_c,
            Language::Cpp => of_c || method,
            Language::Rust => method,
            Language::CSharp => false,
        }
    }
}

fn rust_name(mode: Mode) -> Option<&'static str> {
    RUST.iter().find(|(_, of)| *of == mode).map(|(name, _)| *name)
}

pub fn builtin_order(mode: Mode) -> Option<&'static str> {
    Some(match mode {
        Mode::Rlx => "__ATOMIC_RELAXED",
        Mode::Acq => "__ATOMIC_ACQUIRE",
        Mode::Rel => "__ATOMIC_RELEASE",
        Mode::AcqRel => "__ATOMIC_ACQ_REL",
        Mode::Sc => "__ATOMIC_SEQ_CST",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_keep_the_words_that_are_there() {
        let cases = [
            (Language::C, "memory_order_relaxed", Some("memory_order_release")),
            (Language::C, "__ATOMIC_RELAXED", Some("__ATOMIC_RELEASE")),
            (Language::Cpp, "std::memory_order_relaxed", Some("std::memory_order_release")),
            (Language::Cpp, "std::memory_order::relaxed", Some("std::memory_order::release")),
            (Language::Rust, "Relaxed", Some("Release")),
            (Language::Rust, "atomic::Ordering::SeqCst", Some("atomic::Ordering::Release")),
            (Language::Rust, "NotRelaxed", None),
            (Language::Rust, "order", None),
            (Language::Cpp, "order", None),
            (Language::C, "my_memory_order_relaxed", None),
        ];
        for (language, old, new) in cases {
            assert_eq!(language.order(old, Mode::Rel).as_deref(), new, "{old}");
        }
    }
}
