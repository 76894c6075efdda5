# Two commands for newcomers: `make demo` and `make test`. Both install what is missing.

SELVEDGE := target/release/selvedge
DEMO     := target/demo

# What building and running takes, as COMMAND:PACKAGE; with clang's libraries, clang does not have to be run.
NEEDS    := cc:gcc clang-22:clang-22 llvm-config-22:llvm-22-dev \
            ?/usr/lib/llvm-22/lib/libclangFrontend.a:libclang-22-dev \
            ?/usr/lib/llvm-22/include/c++/v1/version:libc++-22-dev

# A compiler and a class library, for .NET programs.
DOTNET   := mcs:mono-mcs /usr/lib/mono/4.5/mscorlib.dll:libmono-corlib4.5-cil \
            /usr/lib/mono/4.5/System.Core.dll:libmono-system-core4.0-cil

# Solvers, for proofs.
SOLVERS  := z3:z3 cvc5:cvc5

.PHONY: demo test test-crates test-languages soak lint bench fuzz fuzz-models fuzz-proofs fuzz-inputs build clean

demo: build
	@scripts/setup.sh dot:graphviz
	@mkdir -p $(DEMO)
	@echo
	@echo "== A Treiber stack in C, under RC11"
	$(SELVEDGE) check examples/c/treiber.c
	@echo
	@echo "== The same with a relaxed publication"
	$(SELVEDGE) check examples/c/treiber-bug.c || true
	@echo
	@echo "== Rust: a message whose flag is relaxed"
	$(SELVEDGE) check examples/rust/message-passing-bug.rs || true
	@echo
	@echo "== C++: a condition variable, as it should be"
	$(SELVEDGE) check examples/cpp/condition.cpp
	@echo
	@echo "== Message passing with relaxed accesses, under RC11: may the flag be seen without the data?"
	$(SELVEDGE) litmus -m rc11 --dot $(DEMO) examples/litmus/MP+rlx.litmus
	@dot -Tpng -o $(DEMO)/MP+rlx.png $(DEMO)/MP+rlx.dot && echo "The witness, drawn: $(DEMO)/MP+rlx.png"
	@echo
	@echo "== The same with release and acquire: never."
	$(SELVEDGE) litmus -m rc11 examples/litmus/MP+ra.litmus
	@echo
	@echo "== All examples, checked against the verdicts that they state for RC11."
	$(SELVEDGE) litmus -m rc11 --check examples/litmus

build:
	@scripts/setup.sh $(NEEDS)
	cargo build --release -p selvedge-cli

test:
	@scripts/setup.sh $(NEEDS) $(SOLVERS) $(DOTNET)
	@scripts/test.sh

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

# The published tables: all of them, written to docs, or one, printed: make bench TABLE=barriers
bench:
	@scripts/setup.sh $(NEEDS) $(if $(filter proofs,$(TABLE)),$(SOLVERS)) $(if $(filter dotnet fix,$(TABLE)),$(DOTNET))
	cargo build --release -q -p selvedge-cli
ifeq ($(TABLE),proofs)
	@scripts/proofs.sh $(SELVEDGE)
else
	cargo run --release -q -p selvedge-bench -- $(if $(TABLE),table $(TABLE),report docs)
endif

# Explorer against oracle for as long as one likes: make fuzz MODEL=rc11 PROGRAMS=1000000. Against the search through
# states: make fuzz AGAINST=states MODEL=dotnet. Many small ones: make fuzz MODEL=armv8 CANDIDATES=300 PROGRAMS=1000000
MODEL      ?= all
PROGRAMS   ?= 100000
AGAINST    ?= oracle
CANDIDATES ?= 40000
SEED       ?= 1
fuzz:
	cargo run --release -q -p selvedge-compare --bin selvedge-fuzz -- --against $(AGAINST) --model $(MODEL) \
	    --programs $(PROGRAMS) --candidates $(CANDIDATES) --seed $(SEED) --jobs 2

# Thousands of generated claims about expressions and models, against all small executions: some minutes.
fuzz-models:
	cargo test --release -p selvedge-decide -- --ignored

# Clients of crates from the registry, which cargo fetches: all are verified but the one that is wrong.
test-crates: build
	cargo build --release -q -p cargo-selvedge
	PATH="$(CURDIR)/target/release:$$PATH" scripts/test-crates.sh

# All expectations of examples/rust and examples/cpp; `make test` has a part of them.
test-languages:
	SELVEDGE_LANGUAGES=all cargo test -q -p selvedge-cli --test suite languages:: -- --nocapture

# Generated systems and formulas, of five families: what a proof of them says against all small instances.
FORMULAS ?= 20000
fuzz-proofs:
	@scripts/setup.sh $(SOLVERS)
	SELVEDGE_FORMULAS=$(FORMULAS) cargo test -q -p selvedge-prove --test brute_force --test ranks -- --nocapture
	cargo test -q -p selvedge-prove --test mutants --test proofs -- --ignored
	LIFT_PROGRAMS=2000 cargo test -q -p selvedge-lift --test against_check -- --nocapture

# Generated programs with undefined values: Selvedge against a naive evaluator, and both against MemorySanitizer and
# memcheck. Tens of minutes; make soak PROGRAMS=1000000 SEED=7 for more, or others.
soak:
	@scripts/setup.sh $(NEEDS) valgrind:valgrind \
	    /usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.msan-x86_64.a:libclang-rt-22-dev
	cargo build --release -q -p selvedge-cli -p selvedge-undef
	target/release/selvedge-undef-fuzz --seed $(SEED) --programs $(PROGRAMS) --keep target/soak
	target/release/selvedge-undef-fuzz --seed $(SEED) --programs 4000 --sanitizers --keep target/soak

# Random and damaged inputs for everything that reads, one after the other: make fuzz-inputs SECONDS=600
SECONDS  ?= 60
INPUTS   ?= bitcode models litmus checkpoints formats arguments assemblies programs
fuzz-inputs:
	@scripts/setup.sh $(NEEDS) $(if $(filter assemblies,$(INPUTS)),$(DOTNET))
	cargo build --release -q -p selvedge-cli -p selvedge-hostile
	for target in $(INPUTS); do target/release/selvedge-hostile $$target --seconds $(SECONDS) || exit 1; done

clean:
	cargo clean
