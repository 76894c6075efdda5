//! Bitcode, checkpoints and command lines, for the `selvedge` command.

use crate::mutate::{Mutator, files};
use crate::{Outcome, Subject, root};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No run may take longer.
pub const LIMIT: [&str; 4] = ["--time-limit", "5", "--mem-limit", "1500"];
const HANGS: Duration = Duration::from_secs(30);

/// Runs and looks at how it ended.
pub fn outcome(command: &mut Command) -> Outcome {
    let failed = |why: String| Outcome::Failed(why);
    // Where JSON is asked for, it says what is wrong.
    let silent = command.get_args().any(|word| word == "json" || word == "--json");
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return failed(format!("it cannot be started: {error}")),
    };
    let mut messages = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = messages.as_mut().map(|messages| messages.take(1 << 20).read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    });
    let begin = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begin.elapsed() > HANGS => {
                let _ = child.kill();
                let _ = child.wait();
                return failed(String::from("it does not end"));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(error) => return failed(error.to_string()),
        }
    };
    let messages = reader.join().unwrap_or_default();
    match status.code() {
        _ if messages.contains("panicked at") || messages.contains("overflowed its stack") => {
            failed(messages)
        }
        _ if messages.contains('\x1b') => failed(format!("a message is not safe to show: {messages:?}")),
        Some(2) if messages.trim().is_empty() && !silent => failed(String::from("refused without a word")),
        Some(2) => Outcome::Refused,
        Some(0 | 1 | 3) => Outcome::Accepted,
        _ => failed(format!("it ends with {status}: {messages}")),
    }
}

/// A directory of its own.
pub fn directory(name: &str) -> Result<PathBuf, String> {
    let directory = std::env::temp_dir().join(format!("selvedge-hostile-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|e| e.to_string())?;
    Ok(directory)
}

pub struct Bitcode {
    selvedge: PathBuf,
    corpus: Vec<Vec<u8>>,
    directory: PathBuf,
}

impl Bitcode {
    pub fn new(selvedge: &Path) -> Result<Bitcode, String> {
        let directory = directory("bitcode")?;
        let clang = std::env::var("SELVEDGE_CLANG").unwrap_or_else(|_| String::from("clang-22"));
        let mut corpus = Vec::new();
        for file in files(&root().join("examples/c"), "c").iter().take(40) {
            // As bitcode and as text: damage goes deeper in the one, and further in the other.
            for how in [["-c", "-o"], ["-S", "-o"]] {
                let to = directory.join("seed");
                let mut command = Command::new(&clang);
                command.args(["-g", "-O0", "-Xclang", "-disable-O0-optnone", "-emit-llvm", "-I"]);
                command.arg(root().join("include")).args(how).arg(&to).arg(file);
                if command.status().is_ok_and(|status| status.success()) {
                    corpus.extend(std::fs::read(&to).ok());
                }
            }
        }
        if corpus.is_empty() {
            return Err(format!("{clang} does not compile the examples"));
        }
        Ok(Bitcode { selvedge: selvedge.to_path_buf(), corpus, directory })
    }
}

const IR_WORDS: &[&str] = &[
    "i128",
    "i1",
    "ptr null",
    "undef",
    "poison",
    "zeroinitializer",
    "[1000000 x i32]",
    "{i32, {i8, i64}}",
    "<4 x i32>",
    "half",
    "fp128",
    "atomic",
    "seq_cst",
    "volatile",
    "!0",
    "!5",
    "distinct ",
    "-1",
    "99999999999",
    "label %0",
    "@main",
    "call void",
    "switch i32 0, label %1 []",
    "alloca i32, i64 -1",
    "unreachable",
    "br label %1",
    "load i33, ptr null",
];

impl Subject for Bitcode {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        mutator.change(&self.corpus, IR_WORDS)
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let extension = if input.starts_with(b"BC") { "bc" } else { "ll" };
        let file = self.directory.join(format!("input.{extension}"));
        if let Err(error) = std::fs::write(&file, input) {
            return Outcome::Failed(error.to_string());
        }
        outcome(
            Command::new(&self.selvedge)
                .arg("check")
                .arg(&file)
                .args(LIMIT)
                .args(["-j", "1", "--unroll", "4"]),
        )
    }
}

pub struct Checkpoints {
    selvedge: PathBuf,
    /// First line without its checksum, and the rest.
    header: Vec<u8>,
    corpus: Vec<Vec<u8>>,
    directory: PathBuf,
    program: PathBuf,
}

const PROGRAM: &str = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
    void *work(void *arg) { for (int i = 0; i < 3; i++) x++; return arg; }\n\
    int main(void) { pthread_t t[5]; int i;\n\
    for (i = 0; i < 5; i++) pthread_create(&t[i], 0, work, &t[i]);\n\
    for (i = 0; i < 5; i++) pthread_join(t[i], 0); return 0; }\n";

impl Checkpoints {
    pub fn new(selvedge: &Path) -> Result<Checkpoints, String> {
        let directory = directory("checkpoints")?;
        let (program, file) = (directory.join("program.c"), directory.join("seed"));
        std::fs::write(&program, PROGRAM).map_err(|e| e.to_string())?;
        let mut corpus = Vec::new();
        let mut header = Vec::new();
        for seconds in ["1", "2"] {
            let _ = std::fs::remove_file(&file);
            let mut command = Command::new(selvedge);
            command.arg("check").arg(&program).args(["--time-limit", seconds, "--checkpoint"]).arg(&file);
            let _ = command
                .stdout(Stdio::null())
                .status()
                .map_err(|e| format!("cannot run {selvedge:?}: {e}"))?;
            let text = std::fs::read(&file).map_err(|e| format!("no checkpoint was written: {e}"))?;
            let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(0);
            let line = String::from_utf8_lossy(&text[..end]).into_owned();
            header = line.split(" body=").next().unwrap_or_default().as_bytes().to_vec();
            corpus.push(text[end + 1..].strip_suffix(b"\n").unwrap_or(&text[end + 1..]).to_vec());
        }
        Ok(Checkpoints { selvedge: selvedge.to_path_buf(), header, corpus, directory, program })
    }
}

const JSON_WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "4294967295",
    "18446744073709551615",
    "1e308",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\"0\"",
    ",",
    "[",
    "]",
    "255",
    "[0,0]",
    "true",
    "\"\\u001b\"",
];

impl Subject for Checkpoints {
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        let body = mutator.change(&self.corpus, JSON_WORDS);
        // As in `checkpoint`: damage that the checksum would find is not worth a try.
        let shown = String::from_utf8_lossy(&body);
        let shown = shown.strip_suffix('\n').unwrap_or(&shown);
        let sum = shown.bytes().fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut text = self.header.clone();
        text.extend(format!(" body={sum:016x}\n{shown}\n").bytes());
        text
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let file = self.directory.join("input");
        if let Err(error) = std::fs::write(&file, input) {
            return Outcome::Failed(error.to_string());
        }
        let mut command = Command::new(&self.selvedge);
        command.arg("check").arg(&self.program).args([
            "--time-limit",
            "3",
            "--mem-limit",
            "1500",
            "--resume",
        ]);
        outcome(command.arg(&file))
    }
}

pub struct Arguments {
    selvedge: PathBuf,
    words: Vec<String>,
}

impl Arguments {
    pub fn new(selvedge: &Path) -> Result<Arguments, String> {
        let directory = directory("arguments")?;
        let program = directory.join("program.c");
        std::fs::write(&program, "int main(void) { return 0; }\n").map_err(|e| e.to_string())?;
        let fifo = directory.join("pipe.c");
        let _ = Command::new("mkfifo").arg(&fifo).status();
        let mut words: Vec<String> = [
            "check",
            "litmus",
            "model",
            "models",
            "estimate",
            "show",
            "properties",
            "compare",
            "map",
            "reorder",
            "-m",
            "sc",
            "rc11",
            "armv8",
            "--unroll",
            "--unroll-loop",
            "main=3",
            "a:b=c",
            "=",
            "--threads-max",
            "0",
            "1",
            "-1",
            "18446744073709551616",
            "nan",
            "inf",
            "1e999",
            "--time-limit",
            "--mem-limit",
            "-j",
            "--deterministic",
            "--leaks",
            "--checkpoint",
            "--resume",
            "--checkpoint-every",
            "--seed",
            "--progress-every",
            "--disable",
            "all",
            "pef,,",
            "--no-bam",
            "--all-errors",
            "--format",
            "json",
            "text",
            "--dot",
            "--svg",
            "--json",
            "--equivalence",
            "rf",
            "--schedule",
            "--max-executions",
            "--expect",
            "--check",
            "--",
            "-DN=3",
            "--help",
            "--version",
            "\x1b[2J",
            "\u{202e}.c",
            "a\nb.c",
            "",
            "/dev/null",
            "/dev/zero",
            "/dev/full",
            "/",
            "--weak-cas",
            "--show-output",
            "--max-events",
            "--samples",
            "--seconds",
            "--certify",
            "--c-only",
            "--max-states",
            "--max-walks",
        ]
        .map(String::from)
        .to_vec();
        // A copy: some options write to the files that they name.
        let test = directory.join("MP+rlx.litmus");
        std::fs::copy(root().join("examples/litmus/MP+rlx.litmus"), &test).map_err(|e| e.to_string())?;
        words.extend([program, fifo, directory, test].map(|path| path.display().to_string()));
        Ok(Arguments { selvedge: selvedge.to_path_buf(), words })
    }
}

impl Subject for Arguments {
    /// Words with zeros between them.
    fn input(&mut self, mutator: &mut Mutator) -> Vec<u8> {
        let mut words: Vec<&str> = Vec::new();
        if mutator.below(4) > 0 {
            words.push(*mutator.pick(&["check", "litmus", "model", "estimate", "models"]));
        }
        for _ in 0..mutator.below(7) {
            words.push(mutator.pick(&self.words).as_str());
        }
        words.join("\0").into_bytes()
    }

    fn run(&mut self, input: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(input);
        let words = text.split('\0');
        // Files that drawings and checkpoints are written to are not to be found in this directory.
        let here = std::env::temp_dir().join(format!("selvedge-hostile-here-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&here);
        outcome(Command::new(&self.selvedge).args(words).current_dir(&here))
    }
}
