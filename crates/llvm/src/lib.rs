//! From C through clang and LLVM to bytecode.
