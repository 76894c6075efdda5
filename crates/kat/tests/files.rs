//! Models in files, with includes, and the built-in ones.

use crate::common;
use common::{placeless, round_trip};
use selvedge_kat::{
    Constraint, DefBody, DefId, Dialect, Rel, builtin, builtin_names, load, load_named, parse,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A directory that is removed at the end of a test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str, files: &[(&str, &str)]) -> Dir {
        let dir = Dir(std::env::temp_dir().join(format!("selvedge-kat-{}-{name}", std::process::id())));
        for (file, text) in files {
            let path = dir.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn error(&self, file: &str) -> String {
        let shown = load(&self.0.join(file)).unwrap_err().to_string();
        shown.replace(self.0.to_str().unwrap(), "DIR")
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn included_definitions_have_the_name_of_their_file() {
    let dir = Dir::new(
        "names",
        &[
            ("main.kat", "include \"sub/base.kat\"\nlet hb = base::hb | more::x\nexport acyclic hb"),
            (
                "sub/base.kat",
                "include \"more.kat\" include \"../sub/./more.kat\" relation r\n\
                 let hb = more::x ; r assume hb <= r assert hb = 0 export empty hb",
            ),
            ("sub/more.kat", "let x = po"),
        ],
    );
    let theory = load(&dir.0.join("main.kat")).unwrap();
    let names: Vec<&str> = theory.defs.iter().map(|def| def.name.as_str()).collect();
    assert_eq!(names, ["more::x", "base::hb", "hb"]);
    let seq = Rel::Seq(Box::new(Rel::Def(DefId(0))), Box::new(Rel::Declared("base::r".into())));
    assert_eq!(theory.defs[1].body, DefBody::Rel(seq));
    assert_eq!(theory.name, "main");
    assert!(theory.defs[0].span.file.ends_with("sub/more.kat"));
    // Assumptions come along; axioms and assertions do not.
    assert_eq!((theory.assumes.len(), theory.asserts.len(), theory.axioms.len()), (1, 0, 1));
    round_trip(theory);
}

#[test]
fn included_files_do_not_see_the_including_one() {
    let dir = Dir::new("scope", &[("main.kat", "let x = po include \"b.kat\""), ("b.kat", "let y = x")]);
    assert!(dir.error("main.kat").starts_with("error: unknown name `x`\n  --> DIR/b.kat:1:9"));
}

#[test]
fn a_file_cannot_include_itself() {
    let dir = Dir::new("loop", &[("a.kat", "include \"b.kat\""), ("b.kat", "\n include \"a.kat\"")]);
    assert_eq!(
        dir.error("a.kat"),
        "error: `a.kat` includes itself
  --> DIR/b.kat:2:10
   |
 2 |  include \"a.kat\"
   |          ^^^^^^^"
    );
}

#[test]
fn a_missing_include_is_shown_where_it_stands() {
    let dir = Dir::new("missing", &[("a.kat", "include \"b.kat\"")]);
    let error = dir.error("a.kat");
    assert!(error.starts_with("error: cannot include `b.kat`: No such file"), "{error}");
    assert!(error.contains("--> DIR/a.kat:1:9"), "{error}");
}

#[test]
fn two_included_files_cannot_share_a_name() {
    let files = [("a.kat", "include \"x/b.kat\" include \"y/b.kat\""), ("x/b.kat", ""), ("y/b.kat", "")];
    let dir = Dir::new("stems", &files);
    assert!(dir.error("a.kat").starts_with("error: two included files are called `b`"));
}

#[test]
fn cat_includes_text() {
    let dir = Dir::new(
        "cat",
        &[
            ("a.cat", "title\ninclude \"cos.cat\"\ninclude \"b.cat\"\nacyclic com as top"),
            ("b.cat", "other\nlet com = rf | co | fr\nempty rmw & ext as b"),
            ("c.cat", "include \"k.kat\""),
            ("d.kat", "include \"b.cat\" let x = b::com"),
        ],
    );
    let theory = load(&dir.0.join("a.cat")).unwrap();
    assert_eq!(theory.name, "title");
    assert_eq!(theory.defs[0].name, "com");
    assert_eq!(theory.axioms.len(), 2);
    assert_eq!(theory.axioms[1].constraint, Constraint::Acyclic(Rel::Def(DefId(0))));
    round_trip(theory);
    assert!(dir.error("c.cat").starts_with("error: `k.kat` is not a .cat file"));
    assert_eq!(load(&dir.0.join("d.kat")).unwrap().defs[0].name, "b::com");
}

#[test]
fn includes_are_not_endless() {
    let include = |file: &str| {
        let n: u32 = file.trim_end_matches(".kat").trim_start_matches('f').parse().unwrap();
        Ok(format!("include \"f{}.kat\"", n + 1))
    };
    let error = parse("m.kat", "include \"f0.kat\"", Dialect::Kat, &include).unwrap_err();
    assert!(error.message.contains("more than 32 files"), "{error}");
}

#[test]
fn unreadable_files() {
    let dir = Dir::new("unreadable", &[("a.txt", ""), ("dir.kat/x", "")]);
    assert_eq!(dir.error("a.txt"), "error: `DIR/a.txt` is not a model: its name must end in .kat or .cat");
    assert!(dir.error("none.kat").starts_with("error: cannot read `DIR/none.kat`: No such file"));
    assert!(dir.error("dir.kat").starts_with("error: cannot read `DIR/dir.kat`: "));

    fs::write(dir.0.join("bytes.kat"), b"let a = po\nlet \xc3\xa9 = \xff\xfe").unwrap();
    assert_eq!(
        dir.error("bytes.kat"),
        "error: byte 0xff is not UTF-8 text
  --> DIR/bytes.kat:2:9
   |
 2 | let é = \u{fffd}\u{fffd}
   |         ^
  help: is this the right file?"
    );

    fs::write(dir.0.join("large.kat"), " ".repeat((16 << 20) + 1)).unwrap();
    assert!(dir.error("large.kat").ends_with("a model may have 16 MiB"));
    let text = " ".repeat((16 << 20) + 1);
    assert!(parse("m", &text, Dialect::Kat, &common::no_files).unwrap_err().message.contains("too large"));
}

#[test]
fn built_in_models_read_and_print() {
    for known in ["sc", "rc11", "armv8", "lkmm", "sc.cat"] {
        assert!(builtin_names().contains(&known), "{known}");
    }
    for name in builtin_names() {
        let (text, dialect) = builtin(name).unwrap();
        let theory = load_named(name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!theory.axioms.is_empty(), "{name}");
        let again = parse(&theory.name, text, dialect, &common::no_files).unwrap();
        assert_eq!(placeless(again), placeless(theory.clone()));
        round_trip(theory);
    }
    assert_eq!(builtin("none"), None);
    assert_eq!(load_named("rc11").unwrap().name, "rc11");
    assert_eq!(load_named("sc.cat").unwrap().name, "Sequential consistency, in herd's dialect");
}

#[test]
fn every_model_in_the_repository_reads() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "kat" || extension == "cat") {
            let file = path.file_name().unwrap().to_str().unwrap();
            assert!(builtin(file.strip_suffix(".kat").unwrap_or(file)).is_some(), "{file} is not built in");
            round_trip(load(&path).unwrap_or_else(|error| panic!("{error}")));
        }
    }
}

#[test]
fn an_unknown_model_gets_suggestions() {
    let error = load_named("rc12").unwrap_err();
    assert_eq!(error.message, "there is no model or file `rc12`");
    let help = error.help.unwrap();
    assert!(
        help.starts_with("did you mean `rc11`? The built-in models are `armv8-2018`, `armv8`, `c11`,"),
        "{help}"
    );
    assert!(load_named("rc11.kat").unwrap_err().help.unwrap().contains("`rc11`?"));
    assert!(load_named("").is_err());
    assert!(load_named("some-other-thing").unwrap_err().help.unwrap().starts_with("the built-in models are"));
}

#[test]
fn a_file_is_found_by_its_path() {
    let dir = Dir::new("path", &[("mine.kat", "export acyclic po")]);
    let path = dir.0.join("mine.kat");
    assert_eq!(load_named(path.to_str().unwrap()).unwrap().axioms.len(), 1);
}
