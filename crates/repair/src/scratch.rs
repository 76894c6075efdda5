//! Changed sources, in a directory that is gone afterwards.

use selvedge_check::Sources;
use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A directory of our own.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Result<Scratch> {
        for _ in 0..100 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("selvedge-fix-{}-{number}", std::process::id());
            let directory = std::env::temp_dir().join(name);
            match fs::create_dir(&directory) {
                Ok(()) => return Ok(Scratch(directory)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::other("no name is free"))
    }

    /// The sources with some of them changed. What they include is found where it was, or beside them if it
    /// is changed as well.
    pub fn with(&self, sources: &Sources, texts: &[(String, String, String)]) -> Result<Sources> {
        let changed = |file: &Path| texts.iter().find(|(name, _, _)| Path::new(name) == file);
        let name = |number: usize, file: &Path| {
            let own = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            self.0.join(format!("{number}")).join(own)
        };
        let headers = texts.iter().filter(|(name, _, _)| !sources.files.iter().any(|f| f == Path::new(name)));
        let headers: Vec<_> = headers.collect();
        let mut files = Vec::new();
        let mut includes: Vec<String> = Vec::new();
        for (number, file) in sources.files.iter().enumerate() {
            let copy = name(number, file);
            if changed(file).is_none() && headers.is_empty() {
                files.push(file.clone());
                continue;
            }
            if let Some(directory) = copy.parent() {
                fs::create_dir_all(directory)?;
                for (header, _, text) in &headers {
                    let own = Path::new(header).file_name().ok_or_else(|| Error::other("no name"))?;
                    fs::write(directory.join(own), text)?;
                }
            }
            match changed(file) {
                Some((_, _, text)) => fs::write(&copy, text)?,
                None => drop(fs::copy(file, &copy)?),
            }
            let home = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let include = format!("-I{}", fs::canonicalize(home)?.display());
            // Rust has no such flag, and a source of one file.
            let is_rust = file.extension().is_some_and(|extension| extension == "rs");
            if !is_rust && !includes.contains(&include) {
                includes.push(include);
            }
            files.push(copy);
        }
        let clang = sources.clang.iter().cloned().chain(includes).collect();
        Ok(Sources { files, clang, ..sources.clone() })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
