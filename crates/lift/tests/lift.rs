//! Systems derived from bytecode, and what is refused.

/// A program for several numbers of threads, as text of the bytecode in which `{n}` is that number.
fn lift(text: &str) -> Result<String, selvedge_lift::Error> {
    let compiled = [3u64, 4, 5, 8, 9, 17].map(|n| {
        let rounds = n.next_power_of_two().trailing_zeros();
        // Little-endian bytes of an int.
        let bytes: String = (n as u32).to_le_bytes().iter().map(|b| format!("{b:02x}")).collect();
        let four = (4 * n).to_string();
        let text = text.replace("{n}", &n.to_string()).replace("{rounds}", &rounds.to_string());
        let text = text.replace("{bytes}", &bytes).replace("{4n}", &four);
        (n, selvedge_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}")))
    });
    selvedge_lift::lift(compiled.to_vec(), "worker")
}

const COUNT: &str =
    "file \"a.c\"\ntype scalar \"int\" 4\nglobal @count size 4 align 4 type 0 !0:1:0 = x\"{bytes}\"\n";

#[test]
fn a_loop_that_reads_is_an_await() {
    let text = format!(
        "{COUNT}func &worker(r0) results 0 regs 3 !0:2:0 {{
      r1 = rmw.sub.4.ar @count, 1 !0:3:1
      jump L2 !0:4:1
L2:   r1 = load.4.acq @count !0:4:1
      r2 = cmp.sgt.32 r1, 0 !0:4:1
      branch r2, L5, L6 !0:4:1
L5:   jump L2 !0:4:1
L6:   return () !0:5:1
}}
"
    );
    let system = lift(&text).expect("a system");
    assert!(system.contains("shared count: int = #Thread;"), "{system}");
    assert!(system.contains("step start { count := count - 1; goto L4; }"), "{system}");
    assert!(system.contains("step L4 { await count <= 0; goto done; }"), "{system}");
}

#[test]
fn registers_that_change_are_locals_and_indices_are_asserted() {
    let text = "file \"a.c\"\ntype scalar \"int\" 4\ntype array 0 {n} 4
global @slot size {4n} align 4 type 1 !0:1:0 = zero {4n}
func &worker(r0) results 0 regs 5 !0:2:0 {
    local r1 \"i\"
      r1 = move 0 !0:3:1
      jump L2 !0:3:1
L2:   r2 = cmp.slt.32 r1, {rounds} !0:3:2
      branch r2, L4, L11 !0:3:2
L4:   r3 = add.32.nsw r0, r1 !0:4:1
      r3 = srem.32 r3, {n} !0:4:1
      r3 = cast.sext.32.64 r3 !0:4:1
      r4 = offset.within @slot, r3, 4 !0:4:1
      store.4.rlx r4, r1 !0:4:1
      r1 = add.32.nsw r1, 1 !0:3:3
      jump L2 !0:3:3
L11:  return () !0:5:1
}
";
    let system = lift(text).expect("a system");
    assert!(system.contains("threads Thread = ring;"), "{system}");
    assert!(system.contains("local i: int = 0;"), "{system}");
    assert!(system.contains("#Thread <= pow2(L)"), "{system}");
    assert!(system.contains("slot[(self + i) % #Thread] := i;"), "{system}");
    // The left side of the remainder could be negative for all that is known here.
    assert!(system.contains("assert 0 <= self + i;"), "{system}");
}

#[test]
fn what_is_outside_is_refused_with_its_line() {
    let refused = |code: &str, line: u32, words: &str| {
        let text = format!(
            "{COUNT}func &worker(r0) results 0 regs 4 !0:2:0 {{\n{code}\n}}\nfunc &elsewhere() results 0 regs 0 !0:9:0\n"
        );
        let error = lift(&text).expect_err(words);
        assert_eq!((error.line, error.file.as_str()), (line, "a.c"), "{}", error.message);
        assert!(error.message.contains(words), "{}", error.message);
    };
    refused(
        "  r1 = load.4.rlx @count !0:3:1\n  r2 = sdiv.32 r1, 2 !0:4:1\n  return () !0:5:1",
        4,
        "arithmetic",
    );
    refused("  call.0 &elsewhere () !0:7:1\n  return () !0:8:1", 7, "`elsewhere` is called");
    refused("  r1 = load.2.rlx @count !0:3:1\n  return () !0:4:1", 3, "a part of a variable");
    refused("  r1 = alloca 8, 8 !0:6:1\n  return () !0:7:1", 6, "kept in memory");
    refused("  r1 = load.4.rlx 64 !0:3:1\n  return () !0:4:1", 3, "which variable");
    refused(
        "  r1 = load.4.rlx @count !0:3:1\n  r2 = mul.32 r1, r1 !0:4:1\n  return () !0:5:1",
        4,
        "arithmetic",
    );
}

#[test]
fn large_numbers_of_64_bits_are_not_negative() {
    let long = "file \"a.c\"\ntype scalar \"long\" 8\nglobal @x size 8 align 8 type 0 !0:1:0 = zero 8\n";
    let worker =
        |code: &str| lift(&format!("{long}func &worker(r0) results 0 regs 4 !0:2:0 {{\n{code}\n}}\n"));
    let stored = worker("  store.8.rlx @x, 4294967295 !0:3:1\n  return () !0:4:1").expect("a system");
    assert!(stored.contains("x := 4294967295;"), "{stored}");
    // Here it could be a negative number of 32 bits.
    let moved = "  r1 = move 4294967295 !0:3:1\n  store.8.rlx @x, r1 !0:4:1\n  return () !0:5:1";
    let error = worker(moved).expect_err("not known");
    assert!(error.line == 3 && error.message.contains("32 bits"), "{}", error.message);
    let cases = "  r1 = load.8.rlx @x !0:3:1\n  switch r1 (4294967296 L3) L2 !0:4:1\nL2:   return () !0:5:1\n\
                 L3:   store.8.rlx @x, 1 !0:6:1\n  return () !0:7:1";
    let system = worker(cases).expect("a system");
    assert!(system.contains("4294967296"), "{system}");
}

#[test]
fn what_cannot_be_reached_is_asserted() {
    let text = format!(
        "{COUNT}func &worker(r0) results 0 regs 3 !0:2:0 {{
      r1 = load.4.acq @count !0:3:1
      r2 = cmp.sgt.32 r1, 0 !0:3:1
      branch r2, L3, L4 !0:3:1
L3:   return () !0:4:1
L4:   unreachable !0:5:1
}}
"
    );
    let system = lift(&text).expect("a system");
    assert!(system.contains("assert false;"), "{system}");
}

#[test]
fn numbers_that_fit_nothing_are_refused() {
    // Twelve for some, something else for others.
    let compiled = [(3u64, 12), (4, 12), (5, 14), (9, 12)].map(|(n, m)| {
        let text = format!(
            "file \"a.c\"\ntype scalar \"int\" 4\nglobal @x size 4 align 4 type 0 !0:1:0 = zero 4
func &worker(r0) results 0 regs 1 !0:2:0 {{\n  store.4.rlx @x, {m} !0:3:1\n  return () !0:4:1\n}}\n"
        );
        (n, selvedge_ir::text::parse(&text).expect("bytecode"))
    });
    let error = selvedge_lift::lift(compiled.to_vec(), "worker").expect_err("no number");
    assert_eq!(error.line, 3);
    assert!(error.message.contains("12 for 3, 12 for 4, 14 for 5, 12 for 9"), "{}", error.message);
    let none = selvedge_lift::lift(Vec::new(), "worker").expect_err("no program");
    assert!(none.message.contains("no program"));
}
