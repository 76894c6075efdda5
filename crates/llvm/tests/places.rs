//! Places and types from debug information.

use crate::support;

use selvedge_ir::{Contents, Instr, Module, Note, TypeInfo};
use support::{c, function, global};

fn show(module: &Module, ty: Option<u32>) -> String {
    fn go(module: &Module, ty: u32, depth: u32) -> String {
        match &module.types[ty as usize] {
            TypeInfo::Scalar { name, size } => format!("{name}:{size}"),
            TypeInfo::Pointer { to: None } => "void*".to_owned(),
            TypeInfo::Pointer { to: Some(to) } if depth == 0 => {
                let _ = to;
                "...*".to_owned()
            }
            TypeInfo::Pointer { to: Some(to) } => format!("{}*", go(module, *to, depth - 1)),
            TypeInfo::Array { element, count, element_size } => {
                format!("{}[{count} x {element_size}]", go(module, *element, depth))
            }
            TypeInfo::Struct { name, size, fields } => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, at, ty)| format!("{name}@{at} {}", go(module, *ty, depth.saturating_sub(1))))
                    .collect();
                format!("{name}:{size}{{{}}}", fields.join(", "))
            }
        }
    }
    ty.map_or_else(|| "none".to_owned(), |ty| go(module, ty, 2))
}

#[test]
fn instructions_functions_and_globals_know_their_lines() {
    let module = c("int x;\n\nint f(int a)\n{\n  x = a;\n  if (a)\n    return x;\n  return 0;\n}\n");
    assert_eq!(module.files.len(), 1);
    assert!(module.files[0].ends_with("test.c"));
    assert_eq!(global(&module, "x").place.line, 1);
    let f = function(&module, "f");
    assert_eq!(f.place.line, 3);
    assert_eq!(f.code.len(), f.places.len());
    let line = |wanted: fn(&Instr) -> bool| {
        let at = f.code.iter().position(wanted).expect("an instruction");
        (f.places[at].line, f.places[at].col)
    };
    assert_eq!(line(|i| matches!(i, Instr::Store { .. })), (5, 5));
    assert_eq!(line(|i| matches!(i, Instr::Branch { .. })), (6, 7));
    assert_eq!(line(|i| matches!(i, Instr::Load { .. })), (7, 12));
}

#[test]
fn inlined_code_keeps_its_place() {
    let module = c(
        "int x;\nstatic inline __attribute__((always_inline)) void set(void) {\n  x = 1;\n}\nvoid f(void) {\n  set();\n}\n",
    );
    let f = function(&module, "f");
    let at = f.code.iter().position(|i| matches!(i, Instr::Store { .. })).expect("inlined");
    assert_eq!(f.places[at].line, 3);
    let note = &module.notes[f.places[at].note as usize - 1];
    let calls: Vec<(&str, u32)> =
        note.inlined.iter().map(|(name, call)| (name.as_str(), call.line)).collect();
    assert_eq!(calls, [("set", 6)]);
}

#[test]
fn accesses_say_what_they_are_of_a_part_of() {
    let module = c("typedef struct { int n; struct { int a; float b; } in[2]; void *p; } thing;\n\
         int read(thing *t, int i) { return t->in[1].a + t[i].n; }\n\
         void write(thing *t, int i) { t->in[i].b = 1; t->p = t; }\n\
         int *bare(int *p) { p[1] = 2; return p; }");
    type Noted = (Contents, Option<(String, Option<u64>)>);
    let notes = |name: &str| -> Vec<Noted> {
        let f = function(&module, name);
        let accesses = f.code.iter().zip(&f.places);
        let accesses =
            accesses.filter(|(instr, _)| matches!(instr, Instr::Load { .. } | Instr::Store { .. }));
        let note = accesses.map(|(_, place)| match place.note {
            0 => Note::default(),
            note => module.notes[note as usize - 1].clone(),
        });
        let name = |ty: u32| match &module.types[ty as usize] {
            TypeInfo::Struct { name, .. } => name.clone(),
            other => format!("{other:?}"),
        };
        note.map(|note| (note.kind, note.of.map(|(ty, offset)| (name(ty), offset)))).collect()
    };
    let thing = |offset: Option<u64>| Some((String::from("thing"), offset));
    assert_eq!(notes("read"), [(Contents::Number, thing(Some(12))), (Contents::Number, thing(Some(0)))]);
    assert_eq!(notes("write"), [(Contents::Float, thing(None)), (Contents::Pointer, thing(Some(24)))]);
    assert_eq!(notes("bare"), [(Contents::Number, None)]);
}

#[test]
fn types_of_globals() {
    let module = c("#include <stdatomic.h>\n typedef struct node { const int value; struct node *next; _Atomic(long) a[2]; } node;
        node n, *p; static volatile int grid[2][3]; union { char c; double d; } u; void *v; enum color { RED } e; int (*fun)(void);");
    assert_eq!(
        show(&module, global(&module, "n").ty),
        "node:32{value@0 int:4, next@8 node:32{value@0 int:4, next@8 ...*, a@16 long:8[2 x 8]}*, a@16 long:8[2 x 8]}"
    );
    assert_eq!(show(&module, global(&module, "u").ty), ":8{c@0 char:1, d@0 double:8}");
    assert_eq!(show(&module, global(&module, "v").ty), "void*");
    assert_eq!(show(&module, global(&module, "e").ty), "color:4");
    assert!(
        matches!(module.types[global(&module, "p").ty.expect("known") as usize], TypeInfo::Pointer { to } if to == global(&module, "n").ty)
    );
}

#[test]
fn arrays_of_arrays_and_local_variables() {
    let module = c(
        "int grid[2][3]; struct s { int x; };\nvoid take(void *);\nvoid f(void) {\n struct s local;\n int other[4]; take(&local); take(other); }",
    );
    assert_eq!(show(&module, global(&module, "grid").ty), "int:4[3 x 4][2 x 12]");
    let f = function(&module, "f");
    let locals: Vec<(&str, String)> =
        f.locals.iter().map(|(_, name, ty)| (name.as_str(), show(&module, *ty))).collect();
    assert_eq!(locals, [("local", "s:4{x@0 int:4}".to_owned()), ("other", "int:4[4 x 4]".to_owned())]);
    for (reg, _, _) in &f.locals {
        assert!(f.code.iter().any(|i| matches!(i, Instr::Alloca { dst, .. } if dst == reg)));
    }
    let lines: Vec<u32> = f
        .code
        .iter()
        .zip(&f.places)
        .filter(|(i, _)| matches!(i, Instr::Alloca { .. }))
        .map(|(_, p)| p.line)
        .collect();
    assert_eq!(lines, [4, 5]);
}
