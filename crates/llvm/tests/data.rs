//! Globals: initial values, addresses in them, thread-local ones; constructors.

use crate::support;

use selvedge_ir::{GlobalId, Operand};
use support::{c, function, global};

fn id(module: &selvedge_ir::Module, name: &str) -> GlobalId {
    GlobalId(module.globals.iter().position(|g| g.name == name).expect("a global") as u32)
}

#[test]
fn initial_values() {
    let module = c("int a = 5, zero; short s[3] = { 1, -2 }; double d = 1.5; float f = -0.0f; const char text[] = \"hi\";
        struct { char c; long l; struct { unsigned char x, y; } in[2]; } m = { 'c', -1, { { 1, 2 }, { 3, 4 } } };
        __int128 w = (__int128) 1 << 100; _Bool yes = 1; struct { int p : 3, q : 5; } bits = { 2, 7 };");
    assert_eq!(global(&module, "a").bytes, [5, 0, 0, 0]);
    assert_eq!(global(&module, "zero").bytes, [0; 4]);
    assert_eq!(global(&module, "s").bytes, [1, 0, 0xfe, 0xff, 0, 0]);
    assert_eq!(global(&module, "d").bytes, 1.5f64.to_le_bytes());
    assert_eq!(global(&module, "f").bytes, (-0.0f32).to_le_bytes());
    assert_eq!(global(&module, "text").bytes, *b"hi\0");
    assert!(global(&module, "text").constant && !global(&module, "a").constant);
    let mut m = vec![b'c', 0, 0, 0, 0, 0, 0, 0];
    m.extend([0xff; 8]);
    m.extend([1, 2, 3, 4, 0, 0, 0, 0]);
    assert_eq!(global(&module, "m").bytes, m);
    assert_eq!(global(&module, "m").align, 8);
    assert_eq!(global(&module, "w").bytes, (1u128 << 100).to_le_bytes());
    assert_eq!(global(&module, "yes").bytes, [1]);
    assert_eq!(global(&module, "bits").bytes[0], 2 | 7 << 3);
}

#[test]
fn addresses_in_initial_values() {
    let module = c("int x[4]; int f(void) { return 0; } struct { int n; int *p; int (*f)(void); void *null; } s = { 3, &x[2], f, 0 };
        char *words[2] = { \"one\", \"two\" }; long number = (long) &x[1]; extern int other __attribute__((alias(\"target\"))); int target = 9;
        int *through = &other;");
    let f = module.functions.iter().position(|f| f.name == "f").expect("a function") as u32;
    assert_eq!(
        global(&module, "s").addresses,
        [(8, Operand::Global(id(&module, "x"), 8)), (16, Operand::Func(selvedge_ir::FuncId(f)))]
    );
    assert_eq!(global(&module, "s").bytes[..4], [3, 0, 0, 0]);
    assert_eq!(global(&module, "words").addresses.len(), 2);
    assert_eq!(global(&module, "number").addresses, [(0, Operand::Global(id(&module, "x"), 4))]);
    assert_eq!(global(&module, "through").addresses, [(0, Operand::Global(id(&module, "target"), 0))]);
}

#[test]
fn thread_local_globals() {
    let module = c(
        "_Thread_local int mine = 4; static __thread int other; int shared; int f(void) { return mine + other + shared; }",
    );
    assert!(global(&module, "mine").thread_local);
    assert!(global(&module, "other").thread_local);
    assert!(!global(&module, "shared").thread_local);
    let addresses: Vec<Operand> = function(&module, "f")
        .code
        .iter()
        .filter_map(|i| match i {
            selvedge_ir::Instr::Load { addr, .. } => Some(*addr),
            _ => None,
        })
        .collect();
    assert_eq!(addresses, ["mine", "other", "shared"].map(|name| Operand::Global(id(&module, name), 0)));
}

#[test]
fn constructors_run_by_priority() {
    let module = c("int x; __attribute__((constructor)) void last(void) { x = 3; }
        __attribute__((constructor(201))) void second(void) { x = 2; } __attribute__((constructor(200))) void first(void) { x = 1; }");
    let names: Vec<&str> =
        module.constructors.iter().map(|f| module.functions[f.0 as usize].name.as_str()).collect();
    assert_eq!(names, ["first", "second", "last"]);
    assert!(module.globals.iter().all(|g| !g.name.starts_with("llvm.")));
}
