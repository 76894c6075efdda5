//! Finding and reading tests.

use crate::error::{ErrorKind, InputError};
use crate::escape::name;
use selvedge_diagnostic::Diagnostic;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
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
            found.errors.push((path.clone(), InputError::plain(ErrorKind::Io, message, None)));
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
                found.errors.push((dir, InputError::plain(ErrorKind::Io, message, None)));
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

/// Opens a regular file for reading; devices, pipes and directories are refused before they are touched.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let irregular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    // It may be another one by now: a pipe without a writer must not block.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// A line of a file that a program names, if there is one: the name may be that of anything.
pub fn source_line(file: &str, number: u32) -> Option<String> {
    const LONGEST: u64 = 4096;
    let mut lines = BufReader::new(open_regular(Path::new(file)).ok()?.take(MOST_BYTES));
    for _ in 1..number {
        if lines.skip_until(b'\n').ok()? == 0 {
            return None;
        }
    }
    let mut line = Vec::new();
    lines.take(LONGEST).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    (number > 0 && !line.is_empty()).then(|| line.trim_end_matches(['\n', '\r']).to_string())
}

pub fn read(path: &Path) -> Result<String, InputError> {
    let unreadable = |why: &dyn std::fmt::Display| {
        InputError::plain(ErrorKind::Io, format!("cannot read {}: {why}", name(path)), None)
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
        InputError::new(ErrorKind::Litmus, Diagnostic::not_text(&file, error.as_bytes(), valid, message))
    })
}
