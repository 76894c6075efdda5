//! Small tests, one for each pair of accesses that a fence could keep in order.

/// What is asked about happens where the accesses of a thread are not kept in order.
pub const SHAPES: [&str; 4] = [
    "C SB\n{}\nP0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  int a = atomic_load_explicit(y, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n  int b = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (0:a=0 /\\ 1:b=0)\n",
    "C MP\n{}\nP0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  int a = atomic_load_explicit(y, memory_order_relaxed);\n  int b = atomic_load_explicit(x, memory_order_relaxed);\n}\nexists (1:a=1 /\\ 1:b=0)\n",
    "C LB\n{}\nP0(atomic_int *x, atomic_int *y) {\n  int a = atomic_load_explicit(x, memory_order_relaxed);\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  int b = atomic_load_explicit(y, memory_order_relaxed);\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n}\nexists (0:a=1 /\\ 1:b=1)\n",
    "C W+W\n{}\nP0(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(x, 1, memory_order_relaxed);\n  atomic_store_explicit(y, 2, memory_order_relaxed);\n}\nP1(atomic_int *x, atomic_int *y) {\n  atomic_store_explicit(y, 1, memory_order_relaxed);\n  atomic_store_explicit(x, 2, memory_order_relaxed);\n}\nexists (x=1 /\\ y=1)\n",
];
