use selvedge_oracle::family::{observe, read};
use selvedge_oracle::{Judge, Limits};
fn main() {
    for name in ["armv8", "riscv", "power", "lkmm", "x86"] {
        let table = std::fs::read_to_string(format!("crates/oracle/tests/verdicts/{name}.txt")).unwrap();
        let entries = read(&table).unwrap();
        let tests: Vec<_> = entries
            .iter()
            .map(|e| (selvedge_litmus::parse(&e.name, &e.text, &Default::default()).unwrap(), e.forbidden))
            .collect();
        let allowed = entries.iter().filter(|e| !e.forbidden).count();
        println!("{name}: {} tests, {} allowed", entries.len(), allowed);
        let text = std::fs::read_to_string(format!("models/{name}.kat")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap();
            if code.trim().is_empty() {
                continue;
            }
            // cut alternatives
            let parts: Vec<&str> = code.split('|').collect();
            for k in 0..parts.len() {
                if parts.len() < 2 && !code.trim_start().starts_with("export") {
                    continue;
                }
                let mut p = parts.clone();
                let mutated = if parts.len() < 2 {
                    String::new()
                } else {
                    // replace alternative by 0 where it parses
                    let head = if k == 0 {
                        p[0].rfind('=').map(|at| p[0][..=at].to_string())
                    } else {
                        Some(String::new())
                    };
                    let Some(head) = head else { continue };
                    let s = format!("{head} 0 ");
                    p[k] = &s;
                    p.join("|")
                };
                let mut all: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
                all[i] = mutated.clone();
                let Ok(theory) =
                    selvedge_kat::parse("m.kat", &all.join("\n"), selvedge_kat::Dialect::Kat, &|_| {
                        Err(String::new())
                    })
                else {
                    continue;
                };
                let Ok(judge) = Judge::new(&theory) else { continue };
                let wrong = tests
                    .iter()
                    .filter(|(t, f)| {
                        observe(t, &judge, Limits::default())
                            .map(|x| (x.witnesses == 0) != *f)
                            .unwrap_or(false)
                    })
                    .count();
                println!(
                    "  {wrong:>5} wrong without `{}` of line {}",
                    if parts.len() < 2 { code.trim() } else { parts[k].trim() },
                    i + 1
                );
            }
        }
    }
}
