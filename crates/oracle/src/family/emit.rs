//! A case as a litmus test of an architecture.

use super::shape::{Access, Case};
use std::fmt::Write as _;

/// What a test is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    X86,
    AArch64,
    Ppc,
    Riscv,
    /// C with the functions of the Linux kernel.
    Kernel,
}

/// The code of a thread: initial registers, instructions, and the registers of what is read.
#[derive(Default)]
struct Column {
    init: Vec<String>,
    code: Vec<String>,
    reads: Vec<(String, i64)>,
}

const NAMES: [&str; 4] = ["x", "y", "z", "a"];

impl Dialect {
    pub fn by_name(name: &str) -> Option<Dialect> {
        Some(match name {
            "X86" => Dialect::X86,
            "AArch64" => Dialect::AArch64,
            "PPC" => Dialect::Ppc,
            "RISCV" => Dialect::Riscv,
            "C" => Dialect::Kernel,
            _ => return None,
        })
    }

    fn arch(self) -> &'static str {
        match self {
            Dialect::X86 => "X86",
            Dialect::AArch64 => "AArch64",
            Dialect::Ppc => "PPC",
            Dialect::Riscv => "RISCV",
            Dialect::Kernel => "C",
        }
    }

    /// The text of a test, with a mechanism for each of the case's pairs; `None` if a mechanism makes no
    /// sense where it should stand.
    pub fn emit(self, name: &str, case: &Case, mechanisms: &[&str]) -> Option<String> {
        let mut mechanisms = mechanisms.iter();
        let mut columns = Vec::new();
        for accesses in &case.threads {
            let mechanism = if accesses.len() == 2 { *mechanisms.next()? } else { "po" };
            columns.push(match self {
                Dialect::X86 => x86(accesses, mechanism)?,
                Dialect::AArch64 => aarch64(accesses, mechanism)?,
                Dialect::Ppc => ppc(accesses, mechanism)?,
                Dialect::Riscv => riscv(accesses, mechanism)?,
                Dialect::Kernel => kernel(accesses, mechanism)?,
            });
        }
        let mut out = format!("{} {name}\n", self.arch());
        let init: Vec<String> = columns
            .iter()
            .enumerate()
            .flat_map(|(t, c)| c.init.iter().map(move |entry| format!("{t}:{entry};")))
            .collect();
        let locations = case.threads.iter().flatten().map(|a| a.loc + 1).max().unwrap_or(0);
        let zeros: Vec<String> = NAMES[..locations].iter().map(|n| format!("{n}=0;")).collect();
        writeln!(out, "{{ {} {} }}", zeros.join(" "), init.join(" ")).ok()?;
        if self == Dialect::Kernel {
            let parameters: Vec<String> = NAMES[..locations].iter().map(|n| format!("int* {n}")).collect();
            for (t, column) in columns.iter().enumerate() {
                let body: String = column.code.iter().map(|line| format!("  {line}\n")).collect();
                writeln!(out, "P{t} ({}) {{\n{body}}}", parameters.join(", ")).ok()?;
            }
        } else {
            let height = columns.iter().map(|c| c.code.len()).max().unwrap_or(0);
            let heads: Vec<String> = (0..columns.len()).map(|t| format!("P{t}")).collect();
            writeln!(out, " {} ;", heads.join(" | ")).ok()?;
            for row in 0..height {
                let cells = columns.iter().map(|c| c.code.get(row).map_or("", String::as_str));
                writeln!(out, " {} ;", cells.collect::<Vec<_>>().join(" | ")).ok()?;
            }
        }
        let reads = columns
            .iter()
            .enumerate()
            .flat_map(|(t, c)| c.reads.iter().map(move |(reg, value)| format!("{t}:{reg}={value}")));
        let finals = case.finals.iter().map(|(loc, value)| format!("{}={value}", NAMES[*loc]));
        let atoms: Vec<String> = reads.chain(finals).collect();
        writeln!(out, "exists ({})", atoms.join(" /\\ ")).ok()?;
        Some(out)
    }
}

fn kinds(accesses: &[Access]) -> (bool, bool) {
    (accesses[0].write, accesses.get(1).is_some_and(|a| a.write))
}

/// Whether a mechanism that every architecture has fits: dependencies are from a read, and data goes to a
/// write.
fn fits(accesses: &[Access], mechanism: &str) -> bool {
    let (first, second) = kinds(accesses);
    match mechanism {
        "data" => !first && second,
        "addr" | "ctrl" | "ctrlisb" | "ctrlisync" | "ctrlfencei" => !first,
        _ => true,
    }
}

fn x86(accesses: &[Access], mechanism: &str) -> Option<Column> {
    let mut c = Column::default();
    for (i, a) in accesses.iter().enumerate() {
        let (name, reg) = (NAMES[a.loc], ["EAX", "EBX"][i]);
        match (a.write, mechanism) {
            // As the first or as the second of the two.
            (true, "xchg") => {
                c.code.push(format!("MOV ECX,${}", a.value));
                c.code.push(format!("XCHG [{name}],ECX"));
            }
            (true, _) => c.code.push(format!("MOV [{name}],${}", a.value)),
            (false, _) => {
                c.code.push(format!("MOV {reg},[{name}]"));
                c.reads.push((reg.to_string(), a.value));
            }
        }
        if i == 0 && accesses.len() == 2 {
            match mechanism {
                "po" => {}
                "xchg" if accesses.iter().any(|a| a.write) => {}
                "mfence" | "sfence" | "lfence" => c.code.push(mechanism.to_ascii_uppercase()),
                _ => return None,
            }
        }
    }
    Some(c)
}

fn aarch64(accesses: &[Access], mechanism: &str) -> Option<Column> {
    let mut c = Column::default();
    let (first, second) = kinds(accesses);
    if !fits(accesses, mechanism) {
        return None;
    }
    match mechanism {
        "A" | "Q" if first => return None,
        "L" if !second => return None,
        "AL" if first || !second => return None,
        "LA" | "LQ" if !first || second => return None,
        _ => {}
    }
    let a = accesses[0];
    c.init.push(format!("X1={}", NAMES[a.loc]));
    if a.write {
        let store = if matches!(mechanism, "LA" | "LQ") { "STLR" } else { "STR" };
        c.code.extend([format!("MOV W5,#{}", a.value), format!("{store} W5,[X1]")]);
    } else {
        let load = match mechanism {
            "A" | "AL" => "LDAR",
            "Q" => "LDAPR",
            _ => "LDR",
        };
        c.code.push(format!("{load} W0,[X1]"));
        c.reads.push((String::from("X0"), a.value));
    }
    let Some(b) = accesses.get(1) else { return Some(c) };
    c.init.push(format!("X3={}", NAMES[b.loc]));
    match mechanism {
        "po" | "A" | "Q" | "L" | "AL" | "LA" | "LQ" => {}
        "dmb.sy" => c.code.push(String::from("DMB SY")),
        "dmb.ld" => c.code.push(String::from("DMB LD")),
        "dmb.st" => c.code.push(String::from("DMB ST")),
        "isb" => c.code.push(String::from("ISB")),
        "addr" | "data" => c.code.push(String::from("EOR W4,W0,W0")),
        "ctrl" | "ctrlisb" => {
            c.code.extend(["CBNZ W0,LC", "LC:"].map(String::from));
            if mechanism == "ctrlisb" {
                c.code.push(String::from("ISB"));
            }
        }
        _ => return None,
    }
    let place = if mechanism == "addr" { "[X3,W4,SXTW]" } else { "[X3]" };
    if b.write {
        let store = if matches!(mechanism, "L" | "AL") { "STLR" } else { "STR" };
        if mechanism == "data" {
            c.code.extend([format!("ADD W4,W4,#{}", b.value), format!("STR W4,{place}")]);
        } else {
            c.code.extend([format!("MOV W6,#{}", b.value), format!("{store} W6,{place}")]);
        }
    } else {
        let load = match mechanism {
            "LA" => "LDAR",
            "LQ" => "LDAPR",
            _ => "LDR",
        };
        c.code.push(format!("{load} W2,{place}"));
        c.reads.push((String::from("X2"), b.value));
    }
    Some(c)
}

fn ppc(accesses: &[Access], mechanism: &str) -> Option<Column> {
    let mut c = Column::default();
    if !fits(accesses, mechanism) {
        return None;
    }
    let a = accesses[0];
    c.init.push(format!("r1={}", NAMES[a.loc]));
    if a.write {
        c.code.extend([format!("li r6,{}", a.value), String::from("stw r6,0(r1)")]);
    } else {
        c.code.push(String::from("lwz r4,0(r1)"));
        c.reads.push((String::from("r4"), a.value));
    }
    let Some(b) = accesses.get(1) else { return Some(c) };
    c.init.push(format!("r3={}", NAMES[b.loc]));
    match mechanism {
        "po" => {}
        "sync" | "lwsync" | "eieio" | "isync" => c.code.push(mechanism.to_string()),
        "addr" | "data" => c.code.push(String::from("xor r8,r4,r4")),
        "ctrl" | "ctrlisync" => {
            c.code.extend(["cmpw r4,r4", "beq LC", "LC:"].map(String::from));
            if mechanism == "ctrlisync" {
                c.code.push(String::from("isync"));
            }
        }
        _ => return None,
    }
    let indexed = mechanism == "addr";
    if b.write {
        match mechanism {
            "data" => c.code.extend([format!("addi r7,r8,{}", b.value), String::from("stw r7,0(r3)")]),
            _ => {
                c.code.push(format!("li r7,{}", b.value));
                c.code.push(String::from(if indexed { "stwx r7,r8,r3" } else { "stw r7,0(r3)" }));
            }
        }
    } else {
        c.code.push(String::from(if indexed { "lwzx r5,r8,r3" } else { "lwz r5,0(r3)" }));
        c.reads.push((String::from("r5"), b.value));
    }
    Some(c)
}

fn riscv(accesses: &[Access], mechanism: &str) -> Option<Column> {
    let mut c = Column::default();
    let (first, second) = kinds(accesses);
    if !fits(accesses, mechanism) || (mechanism == "aq" && first) || (mechanism == "rl" && !second) {
        return None;
    }
    let a = accesses[0];
    c.init.push(format!("x5={}", NAMES[a.loc]));
    if a.write {
        c.code.extend([format!("li x9,{}", a.value), String::from("sw x9,0(x5)")]);
    } else {
        c.code.push(String::from(if mechanism == "aq" { "lr.w.aq x7,0(x5)" } else { "lw x7,0(x5)" }));
        c.reads.push((String::from("x7"), a.value));
    }
    let Some(b) = accesses.get(1) else { return Some(c) };
    c.init.push(format!("x6={}", NAMES[b.loc]));
    match mechanism {
        "po" | "aq" | "rl" => {}
        "fence.tso" | "fence.i" => c.code.push(mechanism.to_string()),
        "addr" => c.code.extend(["xor x11,x7,x7", "add x11,x11,x6"].map(String::from)),
        "data" => c.code.push(String::from("xor x11,x7,x7")),
        "ctrl" | "ctrlfencei" => {
            c.code.extend(["bne x7,x0,LC", "LC:"].map(String::from));
            if mechanism == "ctrlfencei" {
                c.code.push(String::from("fence.i"));
            }
        }
        fence => {
            let mut parts = fence.strip_prefix("fence.")?.split('.');
            c.code.push(format!("fence {},{}", parts.next()?, parts.next()?));
        }
    }
    let base = if mechanism == "addr" { "x11" } else { "x6" };
    if b.write {
        match mechanism {
            "data" => c.code.extend([format!("addi x10,x11,{}", b.value), String::from("sw x10,0(x6)")]),
            "rl" => {
                c.code.extend([format!("li x10,{}", b.value), String::from("amoswap.w.rl x0,x10,(x6)")]);
            }
            _ => c.code.extend([format!("li x10,{}", b.value), format!("sw x10,0({base})")]),
        }
    } else {
        c.code.push(format!("lw x8,0({base})"));
        c.reads.push((String::from("x8"), b.value));
    }
    Some(c)
}

fn kernel(accesses: &[Access], mechanism: &str) -> Option<Column> {
    let mut c = Column::default();
    let (first, second) = kinds(accesses);
    if !fits(accesses, mechanism) {
        return None;
    }
    match mechanism {
        "acq" if first => return None,
        "rel" if !second => return None,
        "acqrel" if first || !second => return None,
        _ => {}
    }
    let a = accesses[0];
    let name = NAMES[a.loc];
    if a.write {
        c.code.push(format!("WRITE_ONCE(*{name}, {});", a.value));
    } else {
        let load = match mechanism {
            "acq" | "acqrel" => format!("smp_load_acquire({name})"),
            _ => format!("READ_ONCE(*{name})"),
        };
        c.code.push(format!("int r0 = {load};"));
        c.reads.push((String::from("r0"), a.value));
    }
    let Some(b) = accesses.get(1) else { return Some(c) };
    match mechanism {
        "po" | "acq" | "rel" | "acqrel" | "addr" | "data" => {}
        "mb" | "rmb" | "wmb" => c.code.push(format!("smp_{mechanism}();")),
        "ctrl" => c.code.push(String::from("if (r0) {")),
        _ => return None,
    }
    let name = NAMES[b.loc];
    let place = if mechanism == "addr" { format!("{name}[r0 ^ r0]") } else { format!("*{name}") };
    if b.write {
        let store = match mechanism {
            "rel" | "acqrel" => format!("smp_store_release({name}, {});", b.value),
            "data" => format!("WRITE_ONCE({place}, (r0 ^ r0) + {});", b.value),
            _ => format!("WRITE_ONCE({place}, {});", b.value),
        };
        c.code.push(store);
    } else {
        if mechanism == "ctrl" {
            // The register must be there whatever the branch does.
            c.code.insert(0, String::from("int r1;"));
            c.code.push(format!("r1 = READ_ONCE({place});"));
        } else {
            c.code.push(format!("int r1 = READ_ONCE({place});"));
        }
        c.reads.push((String::from("r1"), b.value));
    }
    if mechanism == "ctrl" {
        c.code.push(String::from("}"));
    }
    Some(c)
}
