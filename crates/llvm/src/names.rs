//! Names as people write them.
//!
//! `rustc-demangle` is the compiler's own, and `cpp_demangle` the one that Rust's debuggers use.

/// What a symbol of Rust or C++ is called in its language; other symbols as they are.
pub(crate) fn readable(symbol: &str) -> String {
    rust(symbol).or_else(|| cpp(symbol)).unwrap_or_else(|| symbol.to_owned())
}

/// Whether a symbol is one of Rust or C++.
pub(crate) fn is_mangled(symbol: &str) -> bool {
    symbol.starts_with("_R") || symbol.starts_with("_Z")
}

/// Whether a symbol is one of Rust.
pub(crate) fn is_of_rust(symbol: &str) -> bool {
    symbol.starts_with("_R")
}

/// The path of a function of Rust, without the numbers that tell crates and instances apart.
pub(crate) fn rust(symbol: &str) -> Option<String> {
    // Optimisers add what came of a function: `.llvm.123`, `.cold`.
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    Some(format!("{name:#}"))
}

pub(crate) fn cpp(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}

/// A path without the arguments of generic functions and types:
/// `<std::sync::Once>::call_once::<F>::{closure#0}` becomes `std::sync::Once::call_once::{closure#0}`.
pub(crate) fn plain_path(path: &str) -> String {
    let mut out = String::new();
    let mut depth = 0u32;
    // `<T>::f` and `<T as Trait>::f` begin with a type: it stays, without its own arguments.
    let mut rest = path;
    if let Some(inner) = path.strip_prefix('<')
        && let Some(end) = closing(inner)
    {
        let ty = &inner[..end];
        let ty = ty.split(" as ").next().unwrap_or(ty);
        out.push_str(&plain_path(ty));
        rest = &inner[end + 1..];
    }
    for c in rest.chars() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    while let Some(at) = out.find("::::") {
        out.replace_range(at..at + 2, "");
    }
    out.trim_end_matches("::").to_owned()
}

/// Where the bracket that is open ends.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1u32;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_read_as_their_languages_write_them() {
        assert_eq!(readable("_ZN4core9panicking5panic17h0123456789abcdefE"), "core::panicking::panic");
        assert_eq!(readable("_ZN5Queue4pushEi"), "Queue::push(int)");
        assert_eq!(readable("main"), "main");
        assert_eq!(readable("_Znwm"), "operator new(unsigned long)");
    }

    #[test]
    fn paths_lose_their_arguments_and_keep_their_types() {
        assert_eq!(
            plain_path("<std::sys::sync::once::futex::Once>::call"),
            "std::sys::sync::once::futex::Once::call"
        );
        assert_eq!(
            plain_path("std::thread::scoped::scope::<f::{closure#0}, ()>"),
            "std::thread::scoped::scope"
        );
        assert_eq!(
            plain_path("<std::sync::mpmc::list::Channel<i32>>::recv::{closure#1}"),
            "std::sync::mpmc::list::Channel::recv::{closure#1}"
        );
        assert_eq!(
            plain_path("<std::io::Stderr as std::io::Write>::write_all"),
            "std::io::Stderr::write_all"
        );
    }
}
