//! What MemorySanitizer and memcheck say of programs that were compiled without optimisations.
//!
//! All programs of a file run in one process, which goes on after each report; the first report about a
//! program counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The line of the first use in each program that has one, by the program's number.
pub type Verdicts = BTreeMap<u64, u32>;

const COMMON: [&str; 3] = ["-O0", "-w", "-std=c11"];

fn clang(file: &Path, out: &Path, args: &[&str]) -> Result<(), String> {
    let run = Command::new("clang-22").args(COMMON).args(args).arg("-o").arg(out).arg(file).output();
    let run = run.map_err(|e| format!("cannot run clang-22: {e}"))?;
    if run.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&run.stderr).into_owned()) }
}

/// The unoptimised IR, as text. Variables of blocks have lifetimes in it, as they have in C.
pub fn ir(file: &Path) -> Result<String, String> {
    let out = file.with_extension("ll");
    let lifetimes = ["-Xclang", "-fsanitize-address-use-after-scope", "-Xclang", "-disable-O0-optnone"];
    let args = ["-g", "-S", "-emit-llvm"].iter().chain(&lifetimes).copied().collect::<Vec<_>>();
    clang(file, &out, &args)?;
    std::fs::read_to_string(&out).map_err(|e| e.to_string())
}

pub fn msan(file: &Path) -> Result<Verdicts, String> {
    let out = file.with_extension("msan");
    let args = ["-g", "-fsanitize=memory", "-fno-sanitize-memory-param-retval", "-fsanitize-recover=memory"];
    clang(file, &out, &args)?;
    let mut command = Command::new(&out);
    command.env("MSAN_OPTIONS", "halt_on_error=0,print_stats=0,exit_code=0");
    let text = stderr_of(&mut command)?;
    Ok(first_lines(&text, file, "MemorySanitizer: use-of-uninitialized-value", "#0 "))
}

pub fn memcheck(file: &Path) -> Result<Verdicts, String> {
    let out = file.with_extension("plain");
    clang(file, &out, &["-gdwarf-4"])?;
    let mut command = Command::new("valgrind");
    command.args(["-q", "--expensive-definedness-checks=yes", "--error-limit=no", "--num-callers=20"]);
    command.arg("--undef-value-errors=yes").arg(&out);
    let text = stderr_of(&mut command)?;
    Ok(first_lines(&text, file, "uninitialised value", " at 0x"))
}

fn stderr_of(command: &mut Command) -> Result<String, String> {
    let run = command.output().map_err(|e| format!("cannot run {:?}: {e}", command.get_program()))?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    if run.status.success() { Ok(text) } else { Err(format!("{}\n{text}", run.status)) }
}

/// Reports begin with a line that contains `begin`; then there is a line for each frame, of which the
/// innermost in this file is the place, and the one of `pN_main` says which program it is.
fn first_lines(text: &str, file: &Path, begin: &str, innermost: &str) -> Verdicts {
    let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default() + ":";
    let mut verdicts = Verdicts::new();
    let (mut place, mut open) = (None, false);
    for line in text.lines() {
        if line.contains(begin) {
            (place, open) = (None, true);
        }
        if !open {
            continue;
        }
        if line.contains(innermost) {
            place = None;
        }
        if place.is_none()
            && let Some(at) = line.find(&name)
        {
            let digits = line[at + name.len()..].split(|c: char| !c.is_ascii_digit()).next();
            place = digits.and_then(|d| d.parse::<u32>().ok());
        }
        if let (Some(number), Some(place)) = (program_of(line), place) {
            verdicts.entry(number).or_insert(place);
            open = false;
        }
    }
    verdicts
}

/// `… p12_main …`
fn program_of(line: &str) -> Option<u64> {
    let before = &line[..line.find("_main ")?];
    before[before.rfind(|c: char| !c.is_ascii_digit())?..].strip_prefix('p')?.parse().ok()
}

/// Whether both can be run here.
pub fn is_there() -> bool {
    let runtime = "/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.msan-x86_64.a";
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    Path::new(runtime).exists() && found("valgrind")
}

/// A directory for files, which is gone afterwards.
pub struct Workplace(pub PathBuf);

impl Workplace {
    pub fn new(name: &str) -> Result<Workplace, String> {
        let dir = std::env::temp_dir().join(format!("selvedge-undef-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        Ok(Workplace(dir))
    }

    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
