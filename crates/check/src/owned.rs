//! A file that one run owns: nobody else writes to it meanwhile, and nothing of others is lost in it.
//!
//! The run that owns a file has the system's lock on it, which ends with the process, however that ends. New
//! contents are written beside it, locked, and take its place in one step. What is replaced or removed is the
//! file that the lock is on: if something else has come to its place meanwhile, that is left alone.

pub use crate::files::open_regular;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Why a file cannot be owned.
#[derive(Debug)]
pub enum Refusal {
    /// Another run has it.
    Locked,
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Io(error)
    }
}

/// A file that this run has the lock of.
#[derive(Debug)]
pub struct Owned {
    path: PathBuf,
    /// What is at `path`, as long as nobody meddles.
    file: File,
}

/// Names to try for what is written beside.
const NAMES: u32 = 100;

fn same(a: &Metadata, b: &Metadata) -> bool {
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Where the file system has no locks there is nothing to ask.
fn lock(file: &File) -> Result<(), Refusal> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Refusal::Locked),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

impl Owned {
    /// Makes a new file with these contents, or takes hold of the one that is there. Says also whether it is
    /// new.
    pub fn take(path: &Path, contents: &[u8]) -> Result<(Owned, bool), Refusal> {
        loop {
            // A link's target is replaced, not the link.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    lock(&file)?;
                    let owned = Owned { path, file: file.try_clone()? };
                    if let Err(error) = file.write_all(contents).and_then(|()| file.sync_all()) {
                        owned.remove();
                        return Err(error.into());
                    }
                    return Ok((owned, true));
                }
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
                Err(_) => {}
            }
            let file = match open_regular(&path) {
                Ok(file) => file,
                // It went away meanwhile, or is a link to nowhere.
                Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => continue,
                Err(error) => return Err(error.into()),
            };
            lock(&file)?;
            let owned = Owned { path, file };
            // Whoever had the lock may have put another file here before it ended.
            if owned.is_in_place() {
                return Ok((owned, false));
            }
        }
    }

    /// The contents up to `most` bytes.
    pub fn read(&self, most: u64) -> io::Result<Vec<u8>> {
        let mut contents = Vec::new();
        open_regular(&self.path)?.take(most).read_to_end(&mut contents)?;
        Ok(contents)
    }

    fn is_in_place(&self) -> bool {
        let (Ok(there), Ok(mine)) = (fs::symlink_metadata(&self.path), self.file.metadata()) else {
            return false;
        };
        same(&there, &mine)
    }

    /// Replaces the contents in one step. If that fails, the old contents are there as before.
    pub fn replace(&mut self, contents: &[u8]) -> io::Result<()> {
        let (beside, mut file) = self.beside(contents)?;
        let replaced = self.replace_by(&beside, &mut file, contents);
        match replaced {
            Ok(()) => self.file = file,
            Err(_) => drop(fs::remove_file(&beside)),
        }
        replaced
    }

    fn replace_by(&self, beside: &Path, file: &mut File, contents: &[u8]) -> io::Result<()> {
        file.write_all(contents)?;
        // The new name must not be on disk before the contents are.
        file.sync_all()?;
        let _ = lock(file);
        if self.is_in_place() {
            return fs::rename(beside, &self.path);
        }
        // Somebody took the old file away, which is no reason to lose what there is: unlike renaming, this
        // replaces nothing.
        fs::hard_link(beside, &self.path)
            .map_err(|e| match e.kind() {
                ErrorKind::AlreadyExists => {
                    io::Error::new(e.kind(), "there is another file in its place by now")
                }
                _ => e,
            })
            .and_then(|()| fs::remove_file(beside))
    }

    /// A new file beside this one.
    fn beside(&self, contents: &[u8]) -> io::Result<(PathBuf, File)> {
        let header = contents.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let owner = header.rsplitn(2, |byte| *byte == b' ').last().unwrap_or_default();
        for number in 0..NAMES {
            let mut path = self.path.clone().into_os_string();
            path.push(if number == 0 { String::from(".new") } else { format!(".new{number}") });
            let path = PathBuf::from(path);
            let create = || OpenOptions::new().write(true).create_new(true).open(&path);
            match create() {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                // A run that was killed while it wrote has left it behind. It had this lock, so it is gone.
                Err(_) if !owner.is_empty() && begins_with(&path, owner) => {
                    fs::remove_file(&path)?;
                    return create().map(|file| (path, file));
                }
                Err(_) => {}
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "no name is free beside it"))
    }

    /// Removes the file.
    pub fn remove(self) {
        if self.is_in_place() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn begins_with(path: &Path, beginning: &[u8]) -> bool {
    let mut found = Vec::new();
    let is_link = path.is_symlink();
    let read = |file: File| file.take(beginning.len() as u64).read_to_end(&mut found);
    !is_link && open_regular(path).and_then(read).is_ok() && found == beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("selvedge-owned-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a directory");
        dir
    }

    fn taken(path: &Path) -> Owned {
        Owned::take(path, b"first").expect("it is free").0
    }

    #[test]
    fn a_file_has_one_owner_through_all_replacements() {
        let path = directory("one").join("file");
        let mut owned = taken(&path);
        for _ in 0..3 {
            assert!(matches!(Owned::take(&path, b"second"), Err(Refusal::Locked)));
            owned.replace(b"more").expect("replaced");
            assert_eq!(fs::read(&path).expect("a file"), b"more");
        }
        drop(owned);
        let (owned, new) = Owned::take(&path, b"second").expect("it is free");
        assert!(!new);
        owned.remove();
        assert!(!path.exists());
    }

    #[test]
    fn what_came_to_its_place_is_neither_replaced_nor_removed() {
        let path = directory("place").join("file");
        let mut owned = taken(&path);
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "precious").expect("written");
        assert!(owned.replace(b"more").is_err());
        owned.remove();
        assert_eq!(fs::read(&path).expect("a file"), b"precious");
    }

    #[test]
    fn what_was_taken_away_is_written_again() {
        let path = directory("again").join("file");
        let mut owned = taken(&path);
        fs::remove_file(&path).expect("removed");
        owned.replace(b"more").expect("replaced");
        assert_eq!(fs::read(&path).expect("a file"), b"more");
        assert!(matches!(Owned::take(&path, b"second"), Err(Refusal::Locked)));
    }

    #[test]
    fn files_beside_it_that_are_not_its_own_are_kept() {
        let dir = directory("beside");
        let mut owned = taken(&dir.join("file"));
        fs::write(dir.join("file.new"), "precious").expect("written");
        fs::write(dir.join("file.new1"), "magic 1 whose=me body=0\n{").expect("written");
        owned.replace(b"magic 1 whose=me body=7\n{}").expect("replaced");
        assert_eq!(fs::read(dir.join("file.new")).expect("a file"), b"precious");
        assert!(!dir.join("file.new1").exists());
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = directory("link");
        fs::write(dir.join("target"), "old").expect("written");
        std::os::unix::fs::symlink("target", dir.join("link")).expect("a link");
        let (mut owned, _) = Owned::take(&dir.join("link"), b"").expect("it is free");
        owned.replace(b"new").expect("replaced");
        assert!(dir.join("link").is_symlink());
        assert_eq!(fs::read(dir.join("target")).expect("a file"), b"new");
    }
}
