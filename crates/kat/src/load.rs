//! Models from files, from memory, and those that Selvedge comes with.

use crate::ast::Theory;
use crate::lexer::Dialect;
use crate::names::nearest;
use selvedge_diagnostic::Diagnostic;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Larger files are refused: no model is this large, and a wrong file may well be.
const MAX_BYTES: u64 = 16 << 20;

// `BUILTINS`: name, text and dialect of every model in `models/`, and `NAMES`; see `build.rs`.
include!(concat!(env!("OUT_DIR"), "/builtins.rs"));

/// The text of a model that Selvedge comes with.
pub fn builtin(name: &str) -> Option<(&'static str, Dialect)> {
    BUILTINS.iter().find(|(known, ..)| *known == name).map(|(_, text, dialect)| (*text, *dialect))
}

/// What C calls a data race, whatever the model.
pub fn races_of_c() -> Result<Theory, Diagnostic> {
    let text = include_str!("../../../models/parts/c11-races.kat");
    parse("c11-races.kat", text, Dialect::Kat, &|file| Err(format!("no file {file}")))
}

/// The names of the models that Selvedge comes with.
pub fn builtin_names() -> &'static [&'static str] {
    NAMES
}

/// Reads a model from text in memory. `name` is what messages call the text; `include` gives the text
/// of an included file, whose path is relative to where `name` is relative to.
///
/// ```
/// use selvedge_kat::{Dialect, parse};
///
/// let theory = parse("tiny.kat", "let hb = (po | rf)+  export acyclic hb", Dialect::Kat, &|file| {
///     Err(format!("no file {file}"))
/// });
/// assert_eq!(theory.unwrap().defs[0].name, "hb");
/// ```
pub fn parse(
    name: &str,
    text: &str,
    dialect: Dialect,
    include: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Theory, Diagnostic> {
    check_size(name, text)?;
    crate::resolve::theory(name, text, dialect, include)
}

/// Reads a model from a file; its extension, `.kat` or `.cat`, tells the dialect.
pub fn load(path: &Path) -> Result<Theory, Diagnostic> {
    let name = path.to_string_lossy();
    let Some(dialect) = dialect_of(&name) else {
        return Err(Diagnostic::plain(format!("`{name}` is not a model: its name must end in .kat or .cat")));
    };
    let text = read(path).map_err(|reason| match reason {
        Unreadable::Encoding(error) => error,
        Unreadable::Other(reason) => Diagnostic::plain(format!("cannot read `{name}`: {reason}")),
    })?;
    parse(&name, &text, dialect, &|file| {
        read(Path::new(file)).map_err(|reason| match reason {
            Unreadable::Encoding(error) => error.message,
            Unreadable::Other(reason) => reason,
        })
    })
}

/// Reads a model that Selvedge comes with, or a file. A file hides a built-in model of the same
/// name, unless the name has no extension.
pub fn load_named(name_or_path: &str) -> Result<Theory, Diagnostic> {
    let path = Path::new(name_or_path);
    if dialect_of(name_or_path).is_some() && path.exists() {
        return load(path);
    }
    if let Some((text, dialect)) = builtin(name_or_path) {
        let file = match dialect {
            Dialect::Kat => format!("{name_or_path}.kat"),
            Dialect::Cat => name_or_path.to_string(),
        };
        return parse(&file, text, dialect, &|included| {
            let name = included.strip_suffix(".kat").unwrap_or(included);
            builtin(name)
                .map(|(text, _)| text.to_string())
                .ok_or_else(|| "no such built-in model".to_string())
        });
    }
    if path.exists() {
        return load(path);
    }
    let error = Diagnostic::plain(format!("there is no model or file `{name_or_path}`"));
    let bare = path.file_name().unwrap_or_default().to_string_lossy();
    let bare = bare.strip_suffix(".kat").unwrap_or(&bare);
    let near = NAMES.iter().find(|known| **known == bare).copied();
    Err(match near.or_else(|| nearest(bare, NAMES.iter().copied())) {
        Some(near) => error.with_help(format!("did you mean `{near}`? The built-in models are {}", listed())),
        None => error.with_help(format!("the built-in models are {}", listed())),
    })
}

/// The persistency models that Selvedge comes with: names and texts.
pub fn persistency_models() -> &'static [(&'static str, &'static str)] {
    PERSISTENCY
}

/// Reads a persistency model that Selvedge comes with, or a file.
pub fn load_persistency(name_or_path: &str) -> Result<Theory, Diagnostic> {
    let path = Path::new(name_or_path);
    if dialect_of(name_or_path).is_some() && path.exists() {
        return load(path);
    }
    let known = |name: &str| PERSISTENCY.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    if let Some(text) = known(name_or_path) {
        return parse(&format!("{name_or_path}.kat"), text, Dialect::Kat, &|included| {
            let name = included.strip_suffix(".kat").unwrap_or(included);
            let text = known(name).or_else(|| builtin(name).map(|(text, _)| text));
            text.map(str::to_string).ok_or_else(|| String::from("no such built-in model"))
        });
    }
    if path.exists() {
        return load(path);
    }
    let names = || PERSISTENCY.iter().map(|(name, _)| *name);
    let listed = names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let error = Diagnostic::plain(format!("there is no persistency model or file `{name_or_path}`"));
    Err(match nearest(name_or_path, names()) {
        Some(near) => error.with_help(format!("did you mean `{near}`? There are {listed}")),
        None => error.with_help(format!("the built-in persistency models are {listed}")),
    })
}

/// The names of the built-in models, for a message.
fn listed() -> String {
    NAMES.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The dialect that a file's extension tells.
pub(crate) fn dialect_of(file: &str) -> Option<Dialect> {
    match Path::new(file).extension()?.to_str()? {
        "kat" => Some(Dialect::Kat),
        "cat" => Some(Dialect::Cat),
        _ => None,
    }
}

pub(crate) fn check_size(name: &str, text: &str) -> Result<(), Diagnostic> {
    if text.len() as u64 > MAX_BYTES {
        return Err(Diagnostic::plain(format!("`{name}` is too large: {}", too_large())));
    }
    Ok(())
}

fn too_large() -> String {
    format!("a model may have {} MiB", MAX_BYTES >> 20)
}

enum Unreadable {
    Encoding(Diagnostic),
    Other(String),
}

fn read(path: &Path) -> Result<String, Unreadable> {
    let io = |error: std::io::Error| Unreadable::Other(error.to_string());
    let mut bytes = Vec::new();
    // Pipes and devices may have no end, or never begin.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(Unreadable::Other(String::from("not a regular file")));
    }
    // Not by the size that the system tells: devices have none.
    File::open(path).map_err(io)?.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Unreadable::Other(too_large()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let message = format!("byte 0x{:02x} is not UTF-8 text", bytes[valid]);
        let diagnostic = Diagnostic::not_text(&path.to_string_lossy(), bytes, valid, message);
        Unreadable::Encoding(diagnostic.with_help("is this the right file?"))
    })
}
