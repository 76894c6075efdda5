//! The text of inline assembly as LLVM has it, taken apart: statements with a name and arguments.
//!
//! `$0` is an operand, `${0:w}` one with a modifier, `$$` a dollar sign. Statements end with `;` or a line.

/// An argument of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// An operand of the `asm` statement, with its modifier.
    Op(usize, Option<char>),
    Number(i64),
    /// A register by its name, without `%`.
    Register(String),
    /// What is in memory at an address: a base and an offset.
    Memory(Box<Arg>, i64),
    /// `1b` and `2f`: a number, and whether the label comes later.
    Label(u32, bool),
    /// Anything else.
    Word(String),
}

/// An instruction, or a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Statement {
    Label(u32),
    /// Names of prefixes and of the instruction, in small letters.
    Instruction(Vec<String>, Vec<Arg>),
}

/// Takes a text apart. What cannot be taken apart is given back.
pub(super) fn statements(text: &str) -> Result<Vec<Statement>, String> {
    let mut found = Vec::new();
    let mut elsewhere = false;
    for line in without_comments(text).split(['\n', ';']) {
        let mut rest = line.trim();
        // Tables in other sections say where instructions are (the kernel's `LOCK_PREFIX`). Without a label
        // nothing comes there.
        if rest.starts_with(".pushsection") || rest.starts_with(".section") {
            elsewhere = true;
            continue;
        }
        if elsewhere {
            elsewhere = !matches!(rest, ".popsection" | ".previous");
            if label_of(rest).is_some() {
                return Err(line.trim().to_owned());
            }
            continue;
        }
        while let Some((label, after)) = label_of(rest) {
            found.push(Statement::Label(label));
            rest = after;
        }
        if !rest.is_empty() {
            found.push(instruction(rest)?);
        }
    }
    if elsewhere {
        return Err(text.to_owned());
    }
    // `lock; addl` is one instruction on two lines.
    let mut joined: Vec<Statement> = Vec::new();
    for statement in found {
        if let (Some(Statement::Instruction(prefix, none)), Statement::Instruction(names, args)) =
            (joined.last_mut(), &statement)
            && none.is_empty()
            && prefix.iter().all(|word| is_prefix(word))
        {
            prefix.extend(names.iter().cloned());
            none.extend(args.iter().cloned());
            continue;
        }
        joined.push(statement);
    }
    Ok(joined)
}

/// The same in AT&T's order, from Intel's: the destination comes last, what is in memory is in round brackets
/// and has its width in the name of the instruction, registers and numbers are marked. Rust's assembly is
/// written so unless it says otherwise.
pub(super) fn from_intel(text: &str) -> Result<String, String> {
    let lines = without_comments(text);
    let changed = lines.split(['\n', ';']).map(|line| {
        let mut rest = line.trim();
        let mut out = String::new();
        while let Some((label, after)) = label_of(rest) {
            out += &format!("{label}: ");
            rest = after;
        }
        let mut width = "";
        loop {
            let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            out += name;
            rest = after.trim_start();
            if rest.is_empty() || !is_prefix(&name.to_ascii_lowercase()) {
                break;
            }
            out.push(' ');
        }
        let mut args = Vec::new();
        for part in parts(rest).iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
            let (arg, of) = intel_arg(part).ok_or_else(|| line.trim().to_owned())?;
            width = if of.is_empty() { width } else { of };
            args.push(arg);
        }
        args.reverse();
        Ok(format!("{out}{width} {}", args.join(", ")))
    });
    Ok(changed.collect::<Result<Vec<_>, String>>()?.join("\n"))
}

/// An argument in AT&T's words, and the letter of its width if it says that.
fn intel_arg(text: &str) -> Option<(String, &'static str)> {
    const WIDTHS: [(&str, &str); 4] =
        [("byte ptr", "b"), ("word ptr", "w"), ("dword ptr", "l"), ("qword ptr", "q")];
    let small = text.to_ascii_lowercase();
    let sized = WIDTHS.iter().find(|(words, _)| small.starts_with(words));
    let (inner, width) = sized.map_or((text, ""), |(words, letter)| (text[words.len()..].trim(), *letter));
    let marked = |word: &str| match word.starts_with('$')
        || word.ends_with(['b', 'f']) && number(&word[..word.len() - 1]).is_some()
    {
        true => Some(word.to_owned()),
        false if number(word).is_some() => Some(format!("$${word}")),
        false => word.chars().all(|c| c.is_ascii_alphanumeric()).then(|| format!("%{word}")),
    };
    let Some(place) = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) else {
        return if width.is_empty() { Some((marked(inner)?, width)) } else { None };
    };
    let (base, offset) = match place.split_once(['+', '-']) {
        Some((base, by)) => {
            let sign = if place.contains('-') { "-" } else { "" };
            number(by.trim())?;
            (base.trim(), format!("{sign}{}", by.trim()))
        }
        None => (place.trim(), String::new()),
    };
    Some((format!("{offset}({})", marked(base)?), width))
}

fn is_prefix(word: &str) -> bool {
    matches!(word, "lock" | "rep" | "repz" | "repe" | "repne" | "repnz")
}

/// `//` to the end of the line, and what is between `/*` and `*/`.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        out.push(' ');
        rest = rest[at + 2..].find("*/").map_or("", |end| &rest[at + 2 + end + 2..]);
    }
    out.push_str(rest);
    let lines = out.split('\n').map(|line| line.find("//").map_or(line, |at| &line[..at]));
    lines.collect::<Vec<_>>().join("\n")
}

/// A label with a number at the beginning, and what follows it.
fn label_of(text: &str) -> Option<(u32, &str)> {
    let (label, rest) = text.split_once(':')?;
    // Not the modifier of an operand.
    Some((label.trim().parse().ok()?, rest.trim_start()))
}

fn instruction(text: &str) -> Result<Statement, String> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(text.to_owned());
        }
        names.push(name.to_ascii_lowercase());
        rest = after.trim_start();
        if !names.last().is_some_and(|name| is_prefix(name)) || rest.is_empty() {
            break;
        }
    }
    let args = match rest {
        "" => Vec::new(),
        rest => parts(rest).into_iter().map(|part| arg(&part)).collect::<Option<_>>().ok_or(text)?,
    };
    Ok(Statement::Instruction(names, args))
}

/// Divided by commas that are not in brackets.
fn parts(text: &str) -> Vec<String> {
    let (mut found, mut depth) = (vec![String::new()], 0i32);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth <= 0 {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push(c);
        }
    }
    found
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
        None => digits.parse::<u64>().ok()? as i64,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

fn arg(text: &str) -> Option<Arg> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        // ARM: `[x0]`, `[x0, #8]`.
        let (base, offset) = match inner.split_once(',') {
            Some((base, offset)) => (base, number(offset.trim().trim_start_matches('#'))?),
            None => (inner, 0),
        };
        return Some(Arg::Memory(Box::new(simple(base.trim())?), offset));
    }
    if let Some((offset, base)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        // x86, POWER and RISC-V: `8(x0)`.
        let offset = if offset.trim().is_empty() { 0 } else { number(offset.trim())? };
        return Some(Arg::Memory(Box::new(simple(base.trim())?), offset));
    }
    simple(text)
}

/// An argument without brackets.
fn simple(text: &str) -> Option<Arg> {
    if let Some(literal) = text.strip_prefix("$$") {
        return number(literal).map(Arg::Number);
    }
    if let Some(operand) = text.strip_prefix('$') {
        return match operand.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) {
            Some(inner) => {
                let (digits, modifier) = inner.split_once(':')?;
                let mut letters = modifier.chars();
                let (modifier, None) = (letters.next(), letters.next()) else { return None };
                Some(Arg::Op(digits.parse().ok()?, modifier))
            }
            None => Some(Arg::Op(operand.parse().ok()?, None)),
        };
    }
    if let Some(register) = text.strip_prefix('%') {
        let plain = !register.is_empty() && register.chars().all(|c| c.is_ascii_alphanumeric());
        return plain.then(|| Arg::Register(register.to_ascii_lowercase()));
    }
    if let Some(value) = number(text.trim_start_matches('#')) {
        return Some(Arg::Number(value));
    }
    let direction = text.strip_suffix('b').map(|n| (n, false)).or(text.strip_suffix('f').map(|n| (n, true)));
    if let Some((digits, forward)) = direction
        && let Ok(label) = digits.parse()
    {
        return Some(Arg::Label(label, forward));
    }
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| Arg::Word(text.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> (Vec<String>, Vec<Arg>) {
        match statements(text).as_deref() {
            Ok([Statement::Instruction(names, args)]) => (names.clone(), args.clone()),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn instructions_are_taken_apart() {
        let (names, args) = one("lock; addl $$0,0(%rsp)");
        assert_eq!(names, ["lock", "addl"]);
        assert_eq!(args, [Arg::Number(0), Arg::Memory(Box::new(Arg::Register("rsp".into())), 0)]);
        let (names, args) = one("  LOCK cmpxchgq $3, $1 // comment");
        assert_eq!(names, ["lock", "cmpxchgq"]);
        assert_eq!(args, [Arg::Op(3, None), Arg::Op(1, None)]);
        let (_, args) = one("ldaxr ${0:w}, [$2, #8]");
        assert_eq!(args, [Arg::Op(0, Some('w')), Arg::Memory(Box::new(Arg::Op(2, None)), 8)]);
        assert_eq!(one("rep; nop").0, ["rep", "nop"]);
        assert_eq!(one("fence rw,w").1, [Arg::Word("rw".into()), Arg::Word("w".into())]);
    }

    #[test]
    fn intels_order_is_turned_round() {
        let turned = |text: &str| one(&from_intel(text).unwrap_or_else(|line| panic!("{line}")));
        assert_eq!(turned("lock not qword ptr [${0:q}]"), one("lock notq (${0:q})"));
        assert_eq!(turned("lock xadd dword ptr [rdi - 8], $1"), one("lock xaddl $1, -8(%rdi)"));
        assert_eq!(turned("xchg $0, 5"), one("xchg $$5, $0"));
        assert_eq!(turned("mfence"), one("mfence"));
        from_intel("mov $0, [rax + rbx * 8]").expect_err("an index");
    }

    #[test]
    fn labels_are_statements_of_their_own() {
        let found = statements("1: ldxr $0, [$1]\n cbnz $0, 1b\n2:").expect("all of it");
        assert_eq!(found.first(), Some(&Statement::Label(1)));
        assert_eq!(found.last(), Some(&Statement::Label(2)));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn tables_elsewhere_are_passed_over() {
        let table =
            ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; incl $0";
        let found = statements(table).expect("all of it");
        assert_eq!(found.len(), 2);
        assert_eq!(found.first(), Some(&Statement::Label(671)));
        statements(".section .text.lock,\"ax\"\n2: pause\n.previous").expect_err("code elsewhere");
        statements(".pushsection .text").expect_err("no end");
    }

    #[test]
    fn no_text_makes_it_panic() {
        const PIECES: [&str; 34] = [
            "lock",
            "addl",
            " ",
            ";",
            "\n",
            "$",
            "$$",
            "${",
            "}",
            ":",
            "0",
            "1b",
            "9999999999999999999999",
            "(",
            ")",
            "[",
            "]",
            ",",
            "%",
            "rsp",
            "#",
            "-",
            "0x",
            "/*",
            "*/",
            "//",
            "w",
            "é",
            "\u{0}",
            "cmpxchg",
            "1:",
            "2f",
            "{",
            "\t",
        ];
        let mut seed = 1u64;
        for _ in 0..200_000 {
            let mut text = String::new();
            for _ in 0..seed % 13 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(PIECES[(seed >> 33) as usize % PIECES.len()]);
            }
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let _ = statements(&text);
            let _ = from_intel(&text);
        }
    }
}
