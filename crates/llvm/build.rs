//! Links LLVM and clang: their static libraries where they are installed and link. Otherwise LLVM is linked
//! as a shared library, and clang is run.
//!
//! What this saves is most of the time of a short run: a process that loads the shared libraries spends 12 ms
//! on relocating LLVM and 25 ms on both, whatever it needs of them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The major version of LLVM that `llvm-sys` declares.
const VERSION: &str = "22";
/// Where LLVM is installed, if not where `llvm-config` on the path says (the name is `llvm-sys`'s).
const PREFIX: &str = "LLVM_SYS_221_PREFIX";
/// `shared` links LLVM's shared library, and runs clang, also where the static ones are installed; `static`
/// links LLVM's static libraries and runs clang.
const KIND: &str = "SELVEDGE_LLVM";

/// What the crate calls of LLVM, as components of `llvm-config`.
const COMPONENTS: [&str; 6] = ["core", "analysis", "irreader", "linker", "passes", "target"];
/// A function of each; the linker has to find them, and all that they need.
const CALLS: [&str; 6] = [
    "LLVMContextCreate",
    "LLVMVerifyModule",
    "LLVMParseIRInContext2",
    "LLVMLinkModules2",
    "LLVMRunPasses",
    "LLVMABISizeOfType",
];

/// clang as a library, each before those that it uses.
const CLANG: [&str; 16] = [
    "clangFrontend",
    "clangDriver",
    "clangOptions",
    "clangSerialization",
    "clangCodeGen",
    "clangParse",
    "clangSema",
    "clangAPINotes",
    "clangAnalysisLifetimeSafety",
    "clangAnalysis",
    "clangEdit",
    "clangASTMatchers",
    "clangAST",
    "clangLex",
    "clangSupport",
    "clangBasic",
];
/// What it calls of LLVM.
const CLANG_COMPONENTS: [&str; 11] = [
    "bitwriter",
    "coverage",
    "frontenddriver",
    "frontendhlsl",
    "frontendoffloading",
    "frontendopenmp",
    "option",
    "profiledata",
    "support",
    "targetparser",
    "windowsdriver",
];
const SHIM: &str = "src/llvm/clang.cpp";
const SHIM_CALL: &str = "selvedge_clang";
/// What programs in C++ are linked with, compiled as they are: for headers of libstdc++, and for those of
/// libc++. Each with flags of its own and the module that is made of it.
const LIBRARIES: [(&str, &str, &str); 2] = [
    ("src/libstdcxx/library.cpp", "-D_GLIBCXX_TSAN=1", "libstdcxx.bc"),
    ("src/libcxx/library.cpp", "-stdlib=libc++", "libcxx.bc"),
];
const LIBRARY_PARTS: [&str; 3] = ["src/cxxabi", "src/libstdcxx", "src/libcxx"];
/// Where headers of libc++ are, if they are installed.
const HEADERS: &str = "include/c++/v1";

fn main() {
    for variable in [PREFIX, KIND] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    for file in ["build.rs", SHIM].into_iter().chain(LIBRARY_PARTS) {
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rustc-check-cfg=cfg(clang_library)");
    let Some(llvm) = Llvm::find() else {
        println!(
            "cargo::error=LLVM {VERSION} was not found: install it with `sudo apt install llvm-{VERSION}-dev`, \
             or say where it is in the environment variable {PREFIX}"
        );
        return;
    };
    llvm.compile_libraries();
    println!("cargo::rustc-link-search=native={}", llvm.libraries.display());
    // Libraries may be installed later.
    println!("cargo::rerun-if-changed={}", llvm.libraries.display());
    let kind = env::var(KIND).unwrap_or_default();
    let clang = || llvm.with_clang().filter(|_| kind != "static");
    match Some(()).filter(|()| kind != "shared").and_then(|()| clang().or_else(|| llvm.alone())) {
        Some(libraries) => libraries.link(),
        None => match llvm.names("--link-shared", &COMPONENTS) {
            Some(names) => names.iter().for_each(|name| println!("cargo::rustc-link-lib=dylib={name}")),
            None => println!("cargo::error={} names no libraries", llvm.config.display()),
        },
    }
}

/// What a command prints, if it succeeds.
fn text(command: &mut Command) -> Option<String> {
    let Output { status, stdout, .. } = command.output().ok()?;
    status.success().then(|| String::from_utf8_lossy(&stdout).trim().to_owned())
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// An installation.
struct Llvm {
    config: PathBuf,
    libraries: PathBuf,
}

impl Llvm {
    fn find() -> Option<Llvm> {
        let candidates = match env::var_os(PREFIX) {
            Some(prefix) => vec![Path::new(&prefix).join("bin/llvm-config")],
            None => vec![PathBuf::from(format!("llvm-config-{VERSION}")), PathBuf::from("llvm-config")],
        };
        let config = candidates.into_iter().find(|config| {
            let version = text(Command::new(config).arg("--version"));
            version.is_some_and(|version| version.split('.').next() == Some(VERSION))
        })?;
        let libraries = text(Command::new(&config).arg("--libdir"))?.into();
        Some(Llvm { config, libraries })
    }

    /// Compiles the libraries for programs in C++. Without one, there is an empty file: programs with its
    /// headers are refused, or, where those of libstdc++ are missing, checked as far as headers go.
    fn compile_libraries(&self) {
        let compiler = self.directory("--bindir").map_or_else(|| "clang++".into(), |bin| bin.join("clang++"));
        let fixed = "-g -O0 -std=gnu++20 -fno-math-errno -w -emit-llvm -c";
        let passes = "-disable-O0-optnone -fsanitize-address-use-after-scope -disable-llvm-passes -O1";
        let running = LIBRARIES.map(|(source, flag, module)| {
            let mut command = Command::new(&compiler);
            command.args(fixed.split(' ')).args(passes.split(' ').flat_map(|word| ["-Xclang", word]));
            command.args([flag, source, "-o"]).arg(out_dir().join(module));
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            (command.spawn(), source, out_dir().join(module))
        });
        for (started, source, module) in running {
            let output = started.and_then(Child::wait_with_output);
            if output.as_ref().is_ok_and(|output| output.status.success()) {
                continue;
            }
            // Shown by `cargo build -vv`.
            output.iter().for_each(|output| eprintln!("{}", String::from_utf8_lossy(&output.stderr)));
            let has_headers = self.directory("--prefix").is_some_and(|prefix| prefix.join(HEADERS).is_dir());
            if source != LIBRARIES[1].0 || has_headers {
                println!(
                    "cargo::warning=programs in C++ are checked as far as headers go: {source} does not compile"
                );
            }
            fs::write(module, []).expect("OUT_DIR can be written");
        }
    }

    fn directory(&self, which: &str) -> Option<PathBuf> {
        text(Command::new(&self.config).arg(which)).map(PathBuf::from)
    }

    /// The libraries of components: `-lLLVMCore` is `LLVMCore`.
    fn names(&self, how: &str, components: &[&str]) -> Option<Vec<String>> {
        let words = text(Command::new(&self.config).args([how, "--libs"]).args(components))?;
        let name = |word: &str| word.strip_prefix("-l").map(str::to_owned);
        words.split_whitespace().map(name).collect::<Option<Vec<String>>>().filter(|names| !names.is_empty())
    }

    /// The libraries of the system that components use and that are installed: most are for parts of LLVM
    /// that are not used here.
    fn system(&self, components: &[&str]) -> Option<Vec<Library>> {
        let how = ["--link-static", "--system-libs"];
        let words = text(Command::new(&self.config).args(how).args(components))?;
        let mut found: Vec<Library> = words
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("-l"))
            .filter_map(installed)
            .collect();
        found.push(cpp_library());
        Some(found)
    }

    fn alone(&self) -> Option<Libraries> {
        let archives = self.names("--link-static", &COMPONENTS)?;
        let libraries = Libraries { archives, system: self.system(&COMPONENTS)?, clang: None };
        libraries.can_be_linked(&self.libraries).then_some(libraries)
    }

    fn with_clang(&self) -> Option<Libraries> {
        let (headers, programs) = (self.directory("--includedir")?, self.directory("--bindir")?);
        let is_installed = headers.join("clang/Frontend/CompilerInstance.h").is_file()
            && CLANG.iter().all(|name| self.libraries.join(format!("lib{name}.a")).is_file());
        if !is_installed {
            return None;
        }
        let mut build = cc::Build::new();
        let compiler = programs.join("clang++");
        if compiler.is_file() {
            build.compiler(compiler);
        }
        build
            .cpp(true)
            .opt_level(1)
            .debug(false)
            .file(SHIM)
            .include(headers)
            .std("c++17")
            .warnings(false)
            .cargo_metadata(false);
        build.flag("-fno-rtti").flag("-fno-exceptions").flag("-fvisibility-inlines-hidden");
        for define in ["_GNU_SOURCE", "__STDC_CONSTANT_MACROS", "__STDC_FORMAT_MACROS", "__STDC_LIMIT_MACROS"]
        {
            build.define(define, None);
        }
        if let Err(error) = build.try_compile(SHIM_CALL) {
            println!("cargo::warning=clang is run, and not linked: {error}");
            return None;
        }
        let components: Vec<&str> = COMPONENTS.into_iter().chain(CLANG_COMPONENTS).collect();
        let mut archives = vec![SHIM_CALL.to_owned()];
        archives.extend(CLANG.map(str::to_owned));
        archives.extend(self.names("--link-static", &components)?);
        let clang = Some(programs.join("clang"));
        let libraries = Libraries { archives, system: self.system(&components)?, clang };
        if libraries.can_be_linked(&self.libraries) {
            return Some(libraries);
        }
        println!("cargo::warning=clang is run, and not linked: its libraries do not link");
        None
    }
}

/// As the linker takes it: a name, or a file's name; or a static library in a directory.
enum Library {
    Named(String),
    File(String),
    Static(String, PathBuf),
}

impl Library {
    fn link(&self) {
        match self {
            Library::Named(name) => println!("cargo::rustc-link-lib=dylib={name}"),
            Library::File(name) => println!("cargo::rustc-link-lib=dylib:+verbatim={name}"),
            Library::Static(name, directory) => {
                println!("cargo::rustc-link-search=native={}", directory.display());
                println!("cargo::rustc-link-lib=static:-bundle={name}");
            }
        }
    }

    fn argument(&self) -> String {
        match self {
            Library::Named(name) => format!("-l{name}"),
            Library::File(name) => format!("-l:{name}"),
            Library::Static(name, directory) => directory.join(format!("lib{name}.a")).display().to_string(),
        }
    }
}

/// Where the linker finds a library's file.
fn path_of(file: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text(Command::new(linker()).arg(format!("-print-file-name={file}")))?);
    path.is_absolute().then_some(path)
}

/// The static library of C++, so that the types of LLVM's classes, which refer to it, need no relocation.
fn cpp_library() -> Library {
    let name = "stdc++".to_owned();
    match path_of(&format!("lib{name}.a")).and_then(|path| Some(path.parent()?.to_owned())) {
        Some(directory) => Library::Static(name, directory),
        None => Library::Named(name),
    }
}

/// The library, by the name that its development package gives it, or else by that of the version that LLVM's
/// own shared library uses.
fn installed(name: &str) -> Option<Library> {
    let is_there = |file: &str| path_of(file).is_some();
    if is_there(&format!("lib{name}.so")) || is_there(&format!("lib{name}.a")) {
        return Some(Library::Named(name.to_owned()));
    }
    let versioned = format!("lib{name}.so.1");
    is_there(&versioned).then_some(Library::File(versioned))
}

/// The command that links, as a rule the one that rustc uses.
fn linker() -> String {
    env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned())
}

/// Static libraries, and what they use.
struct Libraries {
    archives: Vec<String>,
    system: Vec<Library>,
    /// The command that clang's library stands for.
    clang: Option<PathBuf>,
}

impl Libraries {
    fn link(&self) {
        println!("cargo::rustc-link-search=native={}", out_dir().display());
        for archive in &self.archives {
            println!("cargo::rustc-link-lib=static:-bundle={archive}");
        }
        self.system.iter().for_each(Library::link);
        if let Some(clang) = &self.clang {
            println!("cargo::rustc-cfg=clang_library");
            println!("cargo::rustc-env=SELVEDGE_CLANG_PATH={}", clang.display());
        }
    }

    /// Whether a program that uses all of it can be linked.
    fn can_be_linked(&self, directory: &Path) -> bool {
        let mut calls = CALLS.to_vec();
        calls.extend(self.clang.is_some().then_some(SHIM_CALL));
        let program =
            format!("int {}();\nint main() {{ return {}(); }}\n", calls.join("(), "), calls.join("() + "));
        let (source, trial) = (out_dir().join("trial.c"), out_dir().join("trial"));
        if fs::write(&source, program).is_err() {
            return false;
        }
        let mut command = Command::new(linker());
        command.args(["-w", "-std=gnu89", "-o"]).arg(&trial).arg(&source).arg("-Wl,--gc-sections");
        command.arg("-L").arg(out_dir()).arg("-L").arg(directory);
        command.args(self.archives.iter().map(|name| format!("-l{name}"))).arg("-Wl,--as-needed");
        command.args(self.system.iter().map(Library::argument));
        let output = command.output();
        let _ = fs::remove_file(&trial);
        if let Ok(output) = &output {
            // Shown by `cargo build -vv`.
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        output.is_ok_and(|output| output.status.success())
    }
}
