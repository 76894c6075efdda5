//! Commands that run for a moment: at a fixed address they need no relocations.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if linux {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
