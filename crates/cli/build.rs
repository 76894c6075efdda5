//! `selvedge-lower` runs once per check, for a moment: at a fixed address it needs no relocations.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if linux {
        println!("cargo::rustc-link-arg-bin=selvedge-lower=-no-pie");
    }
}
