//! Accesses to memory come out as they are in the source: none lost, none merged, none added.

use crate::support;

use selvedge_graph::Mode;
use selvedge_ir::{Instr, Operand, RmwOp};
use selvedge_llvm::Options;
use support::{c, compile_files, count, function, listing, unsupported};

fn loads(module: &selvedge_ir::Module, name: &str, mode: Mode) -> usize {
    count(function(module, name), |i| matches!(i, Instr::Load { mode: m, .. } if *m == mode))
}

fn stores(module: &selvedge_ir::Module, name: &str, mode: Mode) -> usize {
    count(function(module, name), |i| matches!(i, Instr::Store { mode: m, .. } if *m == mode))
}

#[test]
fn equal_accesses_in_a_row_stay() {
    let module = c("#include <stdatomic.h>\n atomic_int x; int y;
        int two(void) { return atomic_load_explicit(&x, memory_order_relaxed) + atomic_load_explicit(&x, memory_order_relaxed); }
        int plain(void) { return y + y; }
        void unused(void) { y; (void) y; atomic_load_explicit(&x, memory_order_relaxed); }
        int zero(void) { return y * 0; }
        void write(void) { y = 1; y = 1; atomic_store_explicit(&x, 1, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_relaxed); }");
    assert_eq!(loads(&module, "two", Mode::Rlx), 2);
    assert_eq!(loads(&module, "plain", Mode::Na), 2);
    assert_eq!(loads(&module, "unused", Mode::Na), 2);
    assert_eq!(loads(&module, "unused", Mode::Rlx), 1);
    assert_eq!(loads(&module, "zero", Mode::Na), 1);
    assert_eq!(stores(&module, "write", Mode::Na), 2);
    assert_eq!(stores(&module, "write", Mode::Rlx), 2);
}

#[test]
fn accesses_stay_on_their_side_of_a_branch() {
    // A load of a global cannot fault, so LLVM would like to do it always and select.
    let module =
        c("int y; int f(int c) { return c ? y : 0; } int g(int c) { int *p = 0; if (c) p = &y; return *p; }");
    let f = function(&module, "f");
    let branch = f.code.iter().position(|i| matches!(i, Instr::Branch { .. })).expect("a branch");
    let load = f.code.iter().position(|i| matches!(i, Instr::Load { .. })).expect("a load");
    assert!(branch < load, "{}", listing(f));
    // The path that dereferences null is a bug to find, not an impossibility.
    let g = function(&module, "g");
    assert_eq!(count(g, |i| matches!(i, Instr::Move { src: Operand::Const(0), .. })), 1, "{}", listing(g));
}

#[test]
fn modes_of_atomic_operations() {
    let module = c("#include <stdatomic.h>\n atomic_long x; volatile int v;
        void f(void) {
          atomic_load(&x); atomic_load_explicit(&x, memory_order_acquire);
          atomic_store(&x, 1); atomic_store_explicit(&x, 1, memory_order_release);
          atomic_thread_fence(memory_order_acq_rel); atomic_thread_fence(memory_order_seq_cst);
          atomic_thread_fence(memory_order_acquire); atomic_thread_fence(memory_order_release);
          atomic_signal_fence(memory_order_seq_cst);
          v = v; }");
    let found: Vec<Mode> = function(&module, "f")
        .code
        .iter()
        .filter_map(|i| match i {
            Instr::Load { mode, .. } | Instr::Store { mode, .. } | Instr::Fence { mode } => Some(*mode),
            _ => None,
        })
        .collect();
    use Mode::*;
    assert_eq!(found, [Sc, Acq, Sc, Rel, AcqRel, Sc, Acq, Rel, Na, Na]);
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::Load { volatile: true, .. })), 1);
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::Store { volatile: true, .. })), 1);
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::Load { bytes: 8, .. })), 2);
}

#[test]
fn read_modify_writes() {
    let module = c("#include <stdatomic.h>\n atomic_uint x; _Atomic(char *) p;
        void f(void) { atomic_fetch_add(&x, 1); atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);
          atomic_exchange_explicit(&x, 2, memory_order_acquire); atomic_fetch_or(&x, 4); atomic_fetch_and(&x, 4);
          atomic_fetch_xor(&x, 4); __atomic_fetch_nand((unsigned *) &x, 4, __ATOMIC_RELEASE);
          __atomic_fetch_max((unsigned *) &x, 4, __ATOMIC_RELAXED); atomic_exchange(&p, (char *) 0); }
        int g(unsigned e) { return atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_acquire); }
        int h(unsigned e) { return atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_relaxed, memory_order_relaxed); }");
    let found: Vec<(RmwOp, Mode)> = function(&module, "f")
        .code
        .iter()
        .filter_map(|i| match i {
            Instr::Rmw { op, mode, .. } => Some((*op, *mode)),
            _ => None,
        })
        .collect();
    use RmwOp::*;
    assert_eq!(
        found,
        [
            (Add, Mode::Sc),
            (Sub, Mode::Rlx),
            (Xchg, Mode::Acq),
            (Or, Mode::Sc),
            (And, Mode::Sc),
            (Xor, Mode::Sc),
            (Nand, Mode::Rel),
            (UMax, Mode::Rlx),
            (Xchg, Mode::Sc)
        ]
    );
    assert_eq!(
        count(function(&module, "g"), |i| matches!(
            i,
            Instr::Cmpxchg { success: Mode::AcqRel, failure: Mode::Acq, weak: false, bytes: 4, .. }
        )),
        1
    );
    assert_eq!(
        count(function(&module, "h"), |i| matches!(
            i,
            Instr::Cmpxchg { success: Mode::Rlx, failure: Mode::Rlx, weak: true, .. }
        )),
        1
    );
}

#[test]
fn structures_are_copied_by_memcpy() {
    let module = c("struct big { long a[5]; }; struct big x, y; void f(void) { x = y; }
        long by_value(struct big b) { b.a[0]++; return b.a[0]; } long g(void) { return by_value(x); }");
    let memcpy = module.functions.iter().position(|f| f.name == "memcpy").expect("declared") as u32;
    let copies = |name: &str| {
        count(function(&module, name), |i| {
            matches!(i, Instr::Call { callee: Operand::Func(f), args, .. }
                if f.0 == memcpy && args[2] == Operand::Const(40))
        })
    };
    assert_eq!(copies("f"), 1);
    // The parameter is a copy that the callee makes.
    assert_eq!(copies("by_value"), 1, "{}", listing(function(&module, "by_value")));
    assert!(module.functions[memcpy as usize].code.is_empty());
}

fn private(module: &selvedge_ir::Module, name: &str) -> Vec<bool> {
    let found = function(module, name).code.iter().filter_map(|i| match i {
        Instr::Alloca { private, .. } => Some(*private),
        _ => None,
    });
    found.collect()
}

#[test]
fn only_variables_whose_address_stays_here_are_private() {
    let module = c("#include <stdatomic.h>\n void take(int *); int *keep; struct s { int a, b[2]; };
        int array(void) { int a[2]; a[0] = 1; a[1] = 2; return a[0] + a[1]; }
        int field(void) { volatile struct s s; s.a = 1; s.b[1] = 2; return s.a + s.b[1]; }
        int indexed(int i) { int a[2]; a[i] = 1; return a[0]; }
        void passed(void) { int a; take(&a); }
        void stored(void) { int a; keep = &a; }
        int atomic(void) { atomic_int a; atomic_store(&a, 1); return atomic_load(&a); }
        int number(void) { int a; return (long) &a; }
        int promoted(int x) { int y = x; return y; }");
    assert_eq!(private(&module, "array"), [true]);
    assert_eq!(private(&module, "field"), [true]);
    assert_eq!(private(&module, "indexed"), [false]);
    assert_eq!(private(&module, "passed"), [false]);
    assert_eq!(private(&module, "stored"), [false]);
    assert_eq!(private(&module, "number"), [false]);
    assert_eq!(private(&module, "promoted"), [false; 0]);
    assert!(!private(&module, "atomic").contains(&true));
}

#[test]
fn ids_of_threads_are_private_where_nobody_else_gets_their_address() {
    let module = c("#include <pthread.h>\n void *f(void *); void take(pthread_t *); int index(void);
        void one(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r); f(r); }
        void many(int n) { pthread_t t[8]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, f, 0);
                           for (int i = 0; i < n; i++) pthread_join(t[i], 0); }
        void argument(int i) { pthread_t t[8]; pthread_create(&t[i], 0, f, &t[i]); }
        void whole(int i) { pthread_t t[8]; pthread_create(t, 0, f, t); }
        void passed(int i) { pthread_t t[8]; pthread_create(&t[i], 0, f, 0); take(t); }
        void large(int i) { pthread_t t[1000]; pthread_create(&t[i], 0, f, 0); pthread_join(t[i], 0); }");
    assert_eq!(private(&module, "one"), [true; 2]);
    assert_eq!(private(&module, "many"), [true]);
    for shared in ["argument", "whole", "passed", "large"] {
        assert_eq!(private(&module, shared), [false], "{shared}");
    }
    let own = c("typedef unsigned long pthread_t; pthread_t *last;
        int pthread_create(pthread_t *t, void *a, void *(*f)(void *), void *x) { last = t; return 0; }
        void kept(int i) { pthread_t t[8]; pthread_create(&t[i], 0, 0, 0); }");
    assert_eq!(private(&own, "kept"), [false]);
}

#[test]
fn variables_that_are_one_scalar_are_registers_whatever_their_type() {
    let module = c("#include <stdatomic.h>\n _Atomic(int *) p; int *f(void) { return atomic_load(&p); }
        float pun(unsigned x) { union { unsigned u; float f; } c; c.u = x; return c.f; }");
    assert_eq!(private(&module, "f"), [false; 0], "{}", listing(function(&module, "f")));
    assert_eq!(loads(&module, "f", Mode::Sc), 1);
    assert_eq!(private(&module, "pun"), [false; 0]);
}

#[test]
fn addresses_are_offsets() {
    let module = c("struct s { char c; struct { int x, y[4]; } in[3]; }; struct s g[2];
        int *constant(void) { return &g[1].in[2].y[3]; } int *variable(int i) { return &g[1].in[i].y[1]; }
        int *pointer(struct s *p) { return &p->in[1].x; }");
    // struct s: in at 4, 20 bytes each; 64 bytes.
    let constant = function(&module, "constant");
    assert!(matches!(&constant.code[..], [Instr::Return { values }]
        if matches!(values[..], [Operand::Global(_, offset)] if offset == 64 + 4 + 40 + 4 + 12)));
    let variable = function(&module, "variable");
    let scales: Vec<i64> = variable
        .code
        .iter()
        .filter_map(|i| match i {
            Instr::Offset { scale, .. } => Some(*scale),
            _ => None,
        })
        .collect();
    assert!(scales.contains(&20), "{}", listing(variable));
    assert!(function(&module, "pointer").code.iter().any(|i| matches!(
        i,
        Instr::Offset { index: Operand::Const(4), .. } | Instr::Offset { index: Operand::Const(24), .. }
    )));
}

#[test]
fn values_of_odd_widths_are_split() {
    let module = c("struct three { char c[3]; }; struct three make(void); void use(struct three);
        void f(void) { use(make()); } unsigned __int128 w; void g(void) { w = w + 1; } struct { int a : 5, b : 20; } bits;
        int h(void) { return bits.b; }");
    for name in ["f", "g", "h"] {
        assert_eq!(unsupported(function(&module, name)), [""; 0], "{}", listing(function(&module, name)));
    }
    assert_eq!(count(function(&module, "g"), |i| matches!(i, Instr::Load { bytes: 16, .. })), 1);
    assert_eq!(count(function(&module, "g"), |i| matches!(i, Instr::Store { bytes: 16, .. })), 1);
}

#[test]
fn variables_without_a_value_are_undefined() {
    let module = c("int f(void) { int x; return x; }");
    assert!(matches!(
        &function(&module, "f").code[..],
        [Instr::Cast { to: 32, dst, src: Operand::Undef, .. }, Instr::Return { values }] if values[..] == [Operand::Reg(*dst)]
    ));
}

#[test]
fn inline_assembly() {
    let module = c("void compiler_barrier(void) { __asm__ volatile(\"\" ::: \"memory\"); }
        void pause(void) { __asm__ volatile(\"pause\"); __asm__ volatile(\"rep; nop\" ::: \"memory\"); __builtin_ia32_pause(); }
        void fence(void) { __asm__ volatile(\"mfence\" ::: \"memory\"); }
        int hide(int x) { __asm__ volatile(\"\" : \"+r\"(x)); return x; }
        void other(void) { __asm__ volatile(\"wbinvd\" ::: \"memory\"); }");
    assert_eq!(function(&module, "compiler_barrier").code.len(), 1);
    assert_eq!(function(&module, "pause").code.len(), 1);
    assert!(matches!(function(&module, "fence").code[0], Instr::Fence { mode: Mode::Sc }));
    assert_eq!(function(&module, "hide").code, [Instr::Return { values: vec![Operand::Reg(0)] }]);
    let other = unsupported(function(&module, "other"));
    assert!(other.len() == 1 && other[0].starts_with("inline assembly \"wbinvd\""), "{other:?}");
}

#[test]
fn what_is_not_supported_is_named() {
    let module = c("long double f(long double x) { return __builtin_fmal(x, x, x); }
        int h(int i) { static void *to[] = { &&a, &&b }; goto *to[i]; a: return 1; b: return 2; }
        long double global = 1.5L;");
    for name in ["f", "h"] {
        assert!(!unsupported(function(&module, name)).is_empty(), "{}", listing(function(&module, name)));
    }
}

/// All arguments that are not named lie in memory: the `va_list` says that no register is left.
#[test]
fn lists_of_arguments() {
    let module = c("#include <stdarg.h>\n int take(va_list l);
        int own(int n, ...) { va_list l; va_start(l, n); int r = va_arg(l, int); va_end(l); return r; }
        int given(int n, ...) { va_list l; va_start(l, n); int r = take(l); va_end(l); return r; }
        struct big { long a[3]; } b; int own(int, ...);
        int call(void) { return own(1, 2, 3.5, b); }");
    let own = function(&module, "own");
    assert_eq!(unsupported(own), [""; 0], "{}", listing(own));
    assert!(own.varargs && own.params == [0]);
    assert_eq!(
        count(own, |i| matches!(i, Instr::Store { value: Operand::Const(48 | 176), bytes: 4, .. })),
        2
    );
    assert_eq!(count(own, |i| matches!(i, Instr::Alloca { private: false, .. })), 0, "{}", listing(own));
    // A list that another function sees is in memory that it can see, and so are the arguments.
    let given = function(&module, "given");
    assert_eq!(count(given, |i| matches!(i, Instr::Alloca { private: false, .. })), 2, "{}", listing(given));
    // The structure is passed word by word.
    let words = function(&module, "call").code.iter().find_map(|i| match i {
        Instr::Call { args, .. } => Some(args.len()),
        _ => None,
    });
    assert_eq!(words, Some(1 + 2 + 3));
}

#[test]
fn atomics_of_16_bytes() {
    let source = "#include <stdatomic.h>\n _Atomic unsigned __int128 x; void f(void) { x += 1; unsigned __int128 e = 1;
        atomic_compare_exchange_strong(&x, &e, 2); atomic_store(&x, 3); }";
    let options = Options { clang_args: vec![String::from("-mcx16")], ..Options::default() };
    let module = compile_files(&[("test.c", source)], &options).unwrap_or_else(|e| panic!("{e}"));
    let f = function(&module, "f");
    assert_eq!(unsupported(f), [""; 0]);
    assert_eq!(count(f, |i| matches!(i, Instr::Rmw { bytes: 16, .. })), 1);
    assert_eq!(count(f, |i| matches!(i, Instr::Cmpxchg { bytes: 16, .. })), 1);
    assert_eq!(count(f, |i| matches!(i, Instr::Store { bytes: 16, mode: Mode::Sc, .. })), 1);
}

#[test]
fn vectors_are_lowered_element_by_element() {
    let module = c("typedef int v4 __attribute__((vector_size(16)));
        typedef float f4 __attribute__((vector_size(16)));
        v4 sum(v4 a, v4 b) { return a + b; } v4 less(f4 a, f4 b) { return a < b; }
        int pick(v4 a, int i) { return a[i]; } v4 mix(v4 a, v4 b) { return __builtin_shufflevector(a, b, 0, 5, 2, 7); }
        f4 half(v4 a) { return __builtin_convertvector(a, f4) * 0.5f; }
        __int128 whole(v4 a) { return (__int128)a; }");
    for name in ["sum", "less", "pick", "mix", "half", "whole"] {
        assert_eq!(unsupported(function(&module, name)), [""; 0], "{}", listing(function(&module, name)));
    }
    assert_eq!(count(function(&module, "sum"), |i| matches!(i, Instr::Bin { bits: 32, .. })), 4);
    assert_eq!(count(function(&module, "less"), |i| matches!(i, Instr::FloatCmp { bits: 32, .. })), 4);
    assert_eq!(count(function(&module, "pick"), |i| matches!(i, Instr::Select { .. })), 4);
}
