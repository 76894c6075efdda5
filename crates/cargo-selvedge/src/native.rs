//! Libraries in C and C++ that build scripts compile: the modules of LLVM in them.
//!
//! clang writes bitcode where it would write machine code (`-flto`), so that what is in a library is checked
//! along with the crate. What was compiled by something else stays out; whoever comes to it is told that it
//! is not known.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// The modules of the static libraries that a build script made, written beside them.
pub fn modules(script: &Value) -> Result<Vec<PathBuf>, String> {
    let words = |field: &str| -> Vec<String> {
        let all = script[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        // `static=name`, `static:+whole-archive=name`, `native=/path`.
        all.map(|word| word.rsplit_once('=').map_or(word, |(_, name)| name).to_string()).collect()
    };
    let directories = words("linked_paths");
    let mut found = Vec::new();
    for library in words("linked_libs") {
        let file = format!("lib{library}.a");
        let Some(path) = directories.iter().map(|dir| Path::new(dir).join(&file)).find(|path| path.is_file())
        else {
            continue;
        };
        let said = |error: std::io::Error| format!("{}: {error}", path.display());
        let contents = fs::read(&path).map_err(said)?;
        for (number, member) in members(&contents).into_iter().enumerate() {
            if BITCODE.iter().any(|begin| member.starts_with(begin)) {
                let to = path.with_file_name(format!("{library}-{number}.bc"));
                fs::write(&to, member).map_err(said)?;
                found.push(to);
            }
        }
    }
    Ok(found)
}

/// What is in an archive, as far as it is one.
fn members(archive: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let Some(mut rest) = archive.strip_prefix(MAGIC) else { return found };
    while let Some((header, after)) = rest.split_at_checked(HEADER) {
        let size =
            std::str::from_utf8(&header[48..58]).ok().and_then(|text| text.trim().parse::<usize>().ok());
        let Some((member, next)) = size.and_then(|size| after.split_at_checked(size)) else { break };
        found.push(member);
        // Members begin at even places.
        rest = next.get(member.len() % 2..).unwrap_or(&[]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_taken_apart() {
        let header = |size: usize| format!("{:48}{size:<10}`\n", "name/");
        let archive = format!("!<arch>\n{}abc\n{}de", header(3), header(2));
        assert_eq!(members(archive.as_bytes()), [b"abc".as_slice(), b"de"]);
        assert!(members(b"no archive").is_empty());
        assert!(members(format!("!<arch>\n{}abc", header(30)).as_bytes()).is_empty());
    }
}
