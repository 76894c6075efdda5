//! Selvedge, an evaluator of IR, MemorySanitizer and memcheck on generated programs with undefined values.

use clap::Parser;
use selvedge_undef::compare::{Counts, Judges, compare};
use selvedge_undef::generate::{self, Program};
use selvedge_undef::native::{Workplace, is_there};
use selvedge_undef::ours;
use selvedge_undef::shrink::shrink;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Compares judges on generated programs with undefined values")]
struct Args {
    /// Which programs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// Number of the first
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Programs that are compiled at once
    #[arg(long, default_value_t = 100)]
    batch: u64,
    /// Ask MemorySanitizer and memcheck, too
    #[arg(long)]
    sanitizers: bool,
    /// Do not ask Selvedge
    #[arg(long)]
    without_selvedge: bool,
    /// The command that lowers, if it is not beside this one
    #[arg(long, value_name = "FILE")]
    lower: Option<PathBuf>,
    /// Where programs are written to that there is no agreement on
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Stop after so many disagreements
    #[arg(long, default_value_t = 10)]
    most: usize,
    /// Print the program of this number and end
    #[arg(long)]
    print: Option<u64>,
}

fn main() -> ExitCode {
    match fuzz(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(why) => {
            eprintln!("selvedge-undef-fuzz: {why}");
            ExitCode::from(2)
        }
    }
}

fn fuzz(args: &Args) -> Result<usize, String> {
    if let Some(number) = args.print {
        print!("{}", generate::file(&[generate::program(args.seed, number)]));
        return Ok(0);
    }
    if args.sanitizers && !is_there() {
        return Err(
            "MemorySanitizer's runtime or valgrind is missing: install libclang-rt-22-dev and valgrind"
                .into(),
        );
    }
    let ours = (!args.without_selvedge).then(|| args.lower.clone().unwrap_or_else(ours::lower_command));
    let judges = Judges { ours, sanitizers: args.sanitizers };
    let model = ours::model()?;
    let at = Workplace::new("fuzz")?;
    let mut counts = Counts::default();
    let mut found = 0;
    let end = args.from + args.programs;
    let mut next = args.from;
    while next < end && found < args.most {
        let programs: Vec<Program> =
            (next..end.min(next + args.batch)).map(|n| generate::program(args.seed, n)).collect();
        next += programs.len() as u64;
        let (more, disagreements) = compare(&programs, &judges, &model, &at)
            .map_err(|why| format!("before program {next}: {why}"))?;
        counts.add(&more);
        for d in disagreements {
            found += 1;
            if found > args.most {
                break;
            }
            let Some(program) = programs.iter().find(|p| p.number == d.number) else { continue };
            let alone = Judges {
                ours: judges.ours.clone().filter(|_| d.who == "selvedge"),
                sanitizers: d.who != "selvedge",
            };
            let mut again = None;
            let small = shrink(program, 400, &mut |candidate| {
                let Ok((_, all)) = compare(std::slice::from_ref(candidate), &alone, &model, &at) else {
                    return false;
                };
                match all.into_iter().find(|a| a.who == d.who) {
                    Some(a) => {
                        again = Some(a);
                        true
                    }
                    None => false,
                }
            });
            let d = again.unwrap_or(d);
            let text = format!(
                "{}// Program {} of seed {}. Expected: {}; {}: {}.\n",
                generate::file(&[small]),
                d.number,
                args.seed,
                d.expected,
                d.who,
                d.found,
            );
            println!("{text}");
            if let Some(dir) = &args.keep {
                std::fs::create_dir_all(dir).map_err(|e| e.to_string())?;
                let path = dir.join(format!("{}-{}-{}.c", d.who, args.seed, d.number));
                std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            }
        }
        eprintln!("{} programs, {found} disagreements", counts.programs);
    }
    println!(
        "seed {}: {} programs, {} with undefined values, {} use one",
        args.seed, counts.programs, counts.undefined, counts.used
    );
    println!("compared: selvedge {}, msan {}, memcheck {}", counts.ours, counts.msan, counts.memcheck);
    for ((who, class), n) in &counts.left_out {
        println!("left out for {who}: {n} with {class}");
    }
    println!("{found} disagreements");
    Ok(found)
}
