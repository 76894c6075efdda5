//! Reading files that somebody names.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Of larger sources only the beginning is shown.
const LARGEST: u64 = 16 << 20;

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
    let mut lines = BufReader::new(open_regular(Path::new(file)).ok()?.take(LARGEST));
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
