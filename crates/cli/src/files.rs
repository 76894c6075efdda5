//! Finding and reading tests.

use crate::error::{InputError, InputKind};
use crate::escape::name;
use selvedge_check::open_regular;
use selvedge_diagnostic::Diagnostic;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Larger tests are refused: no test is this large, and a wrong file may well be.
const MOST_BYTES: u64 = 16 << 20;

/// The tests that were asked for: files as they are, directories searched for `*.litmus`, sorted.
pub struct Found {
    pub files: Vec<PathBuf>,
    pub errors: Vec<(PathBuf, InputError)>,
    /// One file was named, and no directory.
    pub single: bool,
}

pub fn find(paths: &[PathBuf]) -> Found {
    let mut found = Found { files: Vec::new(), errors: Vec::new(), single: false };
    for path in paths {
        if !path.is_dir() {
            found.files.push(path.clone());
            continue;
        }
        let before = (found.files.len(), found.errors.len());
        search(path, &mut found);
        if before == (found.files.len(), found.errors.len()) {
            let message = format!("no .litmus file under {}", name(path));
            found.errors.push((path.clone(), InputError::plain(InputKind::Io, message, None)));
        }
    }
    found.single = matches!(paths, [path] if !path.is_dir());
    found
}

fn search(dir: &Path, found: &mut Found) {
    // A stack of directories; links to directories are not followed, so that this ends.
    let mut open = vec![dir.to_path_buf()];
    let mut files = Vec::new();
    while let Some(dir) = open.pop() {
        let entries = match fs::read_dir(&dir).and_then(|all| all.collect::<Result<Vec<_>, _>>()) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("cannot read directory {}: {error}", name(&dir));
                found.errors.push((dir, InputError::plain(InputKind::Io, message, None)));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                _ if path.extension().is_some_and(|e| e == "litmus") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    found.files.extend(files);
}

pub fn read(path: &Path) -> Result<String, InputError> {
    let unreadable = |why: &dyn std::fmt::Display| {
        InputError::plain(InputKind::Io, format!("cannot read {}: {why}", name(path)), None)
    };
    let mut bytes = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(unreadable(&format!("it is too large: a test may have {} MiB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let (file, valid) = (path.display().to_string(), error.utf8_error().valid_up_to());
        let message = "the text is not UTF-8 from here on";
        InputError::new(InputKind::Litmus, Diagnostic::not_text(&file, error.as_bytes(), valid, message))
    })
}
