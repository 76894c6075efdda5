//! Names of source files, as the user gave them.
//!
//! Debug information has a directory and a name. The directory is the one that the compiler ran in, but not
//! always: clang moves what the two have in common to the directory, so that `/a/b/q.c`, compiled in `/a/c`,
//! becomes `b/q.c` in `/a`; and a `.bc` file may come from anywhere. The name that is shown is one that opens
//! the file from here, if there is one: reports quote the source.

use std::env;
use std::path::{Component, Path, PathBuf};

use crate::llvm::File;

/// What names are made with.
#[derive(Default)]
pub(crate) struct Paths {
    here: PathBuf,
    /// As given, and where they are.
    inputs: Vec<(PathBuf, PathBuf)>,
    /// Where headers of our own are: for as long as a program is compiled, and elsewhere the next time.
    headers: Vec<PathBuf>,
}

/// Without `.` and `..`, as far as that can be told from the path itself.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Files of a language's own library, wherever it was built or is installed: `<rust>/alloc/src/sync.rs`.
fn of_library(whole: &Path) -> Option<String> {
    let text = whole.to_str()?;
    let rust = text.strip_prefix("/rustc/").and_then(|rest| rest.split_once("/library/"));
    let rust = rust.or_else(|| text.split_once("/lib/rustlib/src/rust/library/"));
    if let Some((_, rest)) = rust {
        return Some(format!("<rust>/{rest}"));
    }
    if let Some(file) = crate::cpp::file_of_library(text) {
        return Some(format!("<c++>/{file}"));
    }
    // Some are in a directory of the machine's: `/usr/include/x86_64-linux-gnu/c++/12`.
    let of_system = |before: &str| before.starts_with("/usr/") && before.contains("/include");
    let headers = text.split_once("/c++/").filter(|(before, _)| of_system(before));
    headers.map(|(_, rest)| format!("<c++>/{}", rest.split_once('/').map_or(rest, |(_, rest)| rest)))
}

/// Whether a file is one of a language's own library.
pub(crate) fn is_of_library(file: &File) -> bool {
    of_library(&Path::new(&file.directory).join(&file.name)).is_some()
}

impl Paths {
    pub(crate) fn new(inputs: &[PathBuf], headers: &[PathBuf]) -> Paths {
        let here = env::current_dir().unwrap_or_default();
        let inputs = inputs.iter().map(|given| (given.clone(), plain(&here.join(given)))).collect();
        let headers = headers.iter().map(|directory| plain(&here.join(directory))).collect();
        Paths { here, inputs, headers }
    }

    /// What a file is called in messages.
    pub(super) fn shown(&self, file: &File) -> String {
        let name = Path::new(&file.name);
        let whole = plain(&Path::new(&file.directory).join(name));
        if let Some((given, _)) = self.inputs.iter().find(|(_, place)| *place == whole) {
            return given.to_string_lossy().into_owned();
        }
        if let Some(own) = self.headers.iter().find_map(|directory| whole.strip_prefix(directory).ok()) {
            return own.to_string_lossy().into_owned();
        }
        if let Some(library) = of_library(&whole) {
            return library;
        }
        // The compiler ran here, and was given this name.
        if name.is_relative() && self.is_here(&file.directory) {
            return file.name.strip_prefix("./").unwrap_or(&file.name).to_owned();
        }
        if whole.is_absolute() && whole.is_file() {
            let near = whole.strip_prefix(&self.here).unwrap_or(&whole);
            return near.to_string_lossy().into_owned();
        }
        // Somebody else compiled it, somewhere else. The sources may have come along with it.
        let beside = self.inputs.iter().filter_map(|(given, _)| Some(given.parent()?.join(name)));
        let found = beside.into_iter().find(|path| name.is_relative() && path.is_file());
        found.map_or_else(|| file.name.clone(), |path| path.to_string_lossy().into_owned())
    }

    fn is_here(&self, directory: &str) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        Path::new(directory) == self.here
            || real(Path::new(directory)).is_some_and(|there| Some(there) == real(&self.here))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(directory: &str, name: &str) -> File {
        File { directory: directory.into(), name: name.into() }
    }

    #[test]
    fn inputs_are_called_as_they_were_given() {
        let paths = Paths {
            here: PathBuf::from("/nowhere/here"),
            inputs: ["./q.c", "../other/r.c", "/nowhere/s.c"]
                .map(|given| (PathBuf::from(given), plain(&Path::new("/nowhere/here").join(given))))
                .to_vec(),
            headers: vec![PathBuf::from("/nowhere/headers-7")],
        };
        assert_eq!(paths.shown(&file("/nowhere/here", "/nowhere/headers-7/selvedge.h")), "selvedge.h");
        for (directory, name, shown) in [
            ("/nowhere/here", "q.c", "./q.c"),
            ("/nowhere/here", "./q.c", "./q.c"),
            ("/nowhere", "other/r.c", "../other/r.c"),
            ("/nowhere", "s.c", "/nowhere/s.c"),
            ("", "/nowhere/s.c", "/nowhere/s.c"),
            ("/nowhere/here", "sub/q.h", "sub/q.h"),
            ("/nowhere/here", "../other/q.h", "../other/q.h"),
            ("/else", "gone.c", "gone.c"),
        ] {
            assert_eq!(paths.shown(&file(directory, name)), shown, "{directory} {name}");
        }
    }
}
