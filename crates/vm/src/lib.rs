//! The register bytecode that C programs are lowered to, and the machine that runs it.

pub mod ir;
