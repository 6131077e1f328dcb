# Plain `make` lists what can be asked for. Every task first installs what it needs (scripts/setup).
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
MODEL ?= gallery:chain-meets-beam

SECONDS ?= 60

.PHONY: help setup build run live test verify fuzz soak bits coverage bench format lint install clean
.DEFAULT_GOAL := help

help: ## list these targets
	@echo "zwang: mechanics with constraints by Gauss's principle"
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

setup: ## install every package that any target needs
	@scripts/setup verify

build: ## compile the command: build/release/bin/zwang
	@scripts/setup build
	@[ -f build/release/build.ninja ] || cmake --preset release -DZWANG_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) --target zwang_cli

run: build ## simulate a gallery model: its table of events, and an animated report below out (MODEL=gallery:NAME or a file)
	@build/release/bin/zwang run $(MODEL)
	@echo "The .html file is the animated report: open it in a browser, or say build/release/bin/zwang view $(MODEL)"

live: ## the engine as WebAssembly: a page that computes for itself (build/live/live.html) and a package for programs (build/live/package)
	@scripts/setup live
	@cmake --preset live
	@cmake --build --preset live -j $(JOBS)

test: ## all tests (C++, Python, browser): goal: 12 minutes from a bare clone on 2 processors
	@scripts/setup test
	@scripts/test_python --tools
	@JOBS=$(JOBS) scripts/test

verify: ## format, headers, lint, clang++, sanitizers (address, undefined, thread), two builds compared, damaged inputs (goal: 28 minutes)
	@scripts/setup verify
	@JOBS=$(JOBS) scripts/verify

fuzz: ## damaged and awkward inputs under the sanitizers, SECONDS of each target (default 60); inputs that end a program are kept
	@scripts/setup verify
	@JOBS=$(JOBS) scripts/fuzz $(SECONDS)

soak: ## the long runs: motions beside a slow integrator, 10^6 swings, 10^6 events in constant memory, 10^5 polynomials, 10^4 hidden integrals, 10^5 hard models, 10^7 nearest points proved in fractions, 200 kills, every call of the system that fails, every bit of a run file (long)
	@scripts/setup test
	@JOBS=$(JOBS) scripts/soak

bits: ## other builds (g++ -O1 and -O2, for wide vectors, clang++, another processor under emulation) come to the recorded final bits (long)
	@JOBS=$(JOBS) scripts/bits

coverage: ## the lines and branches of every room that the quick tests reach, as a table and below build/coverage (long)
	@scripts/setup test
	@JOBS=$(JOBS) scripts/coverage

bench: $(if $(BEFORE),build) ## measure, and print ratios to the floors measured in the same run (BEFORE=zwang: and what motions cost beside an older command)
	@scripts/setup bench
	@cmake --preset bench
	@cmake --build build/bench -j $(JOBS)
	@for program in build/bench/bin/bench_*; do echo "== $${program##*/bench_}"; $$program || exit 1; done
	@[ ! -f build/live/package/zwang.wasm ] || { echo "== live"; node live/benchmark.mjs; }
	@[ -z "$(BEFORE)" ] || { echo "== before and after"; benchmarks/before_after.py "$(BEFORE)" build/release/bin/zwang; }

format: ## rewrite every C++ file in the house's format
	@scripts/setup test
	@scripts/format

lint: ## clang-tidy over every source file, all checks (half an hour)
	@scripts/setup verify
	@JOBS=$(JOBS) scripts/lint

install: build ## install command, headers, library and CMake package below PREFIX (default /usr/local)
	@cmake --build --preset release -j $(JOBS)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove what was built
	rm -rf build out
