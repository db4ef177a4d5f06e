# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

# Two commands on a fresh Debian machine: `make demo` and `make test`. Each installs what is missing,
# builds, and does its job. The real build is CMake's; these are shortcuts to its presets.

# One target after the other, each on all cores: the output stays readable under make -j.
.NOTPARALLEL:

JOBS ?= $(shell nproc)
RUNS ?= 3
FUZZ_SECONDS ?= 60
SECONDS ?= 600
SEED ?= 1

.PHONY: wasm playground golden golden-accept help setup build debug demo python test test-all test-quick test-busy test-release test-sanitize coverage fuzz kills soak torture bench bench-quick gallery docs deb lint format clean

help:
	@echo "make demo      install what is missing, build, run the 8-Loop for 10 s"
	@echo "make test      install what is missing, build, run every test (release, lint, sanitisers)"
	@echo "make test-all  the same, with all tests under the sanitisers (tests/unsanitized.txt)"
	@echo "make test-busy  make test RUNS=3 times in clean clones while eight loops compute: nothing may depend on speed"
	@echo "make coverage  which lines of src the tests run; what none runs is listed in build-coverage/uncovered.txt"
	@echo "make test-quick  the tests that take no longer than seconds (90 s in all), in a release build"
	@echo "make build     the program at build/trammel, the library at build/libtrammel.{a,so}"
	@echo "make debug     the same without optimisation at build-debug/"
	@echo "make python    build, test and install the package for Python (import trammel)"
	@echo "make wasm      the library for browsers and Node: out/trammel-VERSION.tgz (docs/wasm.md)"
	@echo "make playground  a static site in which models are written and simulated in a tab: out/playground (docs/playground.md)"
	@echo "make fuzz      the readers under libFuzzer, FUZZ_SECONDS=60 each"
	@echo "make kills     500 runs, sweeps, pages and ranks ended at random moments: nothing is lost (20 min)"
	@echo "make soak      an hour's worth of messages to the live page's server: memory stays as it was"
	@echo "make torture   random machines against invariants, SECONDS=600 SEED=1; failures go to out/torture"
	@echo "make golden    the same bits from two compilers, all optimisations, with and without AVX2 (15 min)"
	@echo "make bench     install other engines, compare with them (40 min), write docs/*benchmarks.md"
	@echo "make bench-quick  our own speed and accuracy, instructions per step (2 min)"
	@echo "make gallery   run every example, make its report and its picture: out/gallery/index.html (5 min)"
	@echo "make docs      the pages as a site with search and a reference of the C interface: out/docs/index.html"
	@echo "make deb       Debian packages of library, headers, programs, Python and pages: out/deb (docs/packages.md)"
	@echo "make lint      clang-format, cppcheck and the words of our texts, changing nothing"
	@echo "make format    clang-format in place"
	@echo "make clean     remove the build folders"

setup:
	@cmake/install-packages.sh
	@[ -d viewer/node_modules/three ] && [ -d viewer/node_modules/@codemirror/view ] || (cd viewer && npm ci --silent --no-audit --no-fund)

build: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)

debug: setup
	@cmake --preset debug >/dev/null
	@cmake --build --preset debug -j $(JOBS)

demo: build
	@build/trammel check examples/eight-loop.json
	@echo
	@mkdir -p out
	@build/trammel run examples/eight-loop.json --order 8 --every 0.01 --out out/8-loop.csv --report out/8-loop.html
	@echo
	@echo "The run to look at is out/8-loop.html: open it in any browser (xdg-open out/8-loop.html); it needs no network."

# The package for JavaScript, as npm installs it.
wasm: setup
	@cmake/install-packages.sh wasm
	@wasm/build.sh $(JOBS)
	@mkdir -p out
	@cd build-wasm/package && npm pack --silent --pack-destination ../../out

# A static site, to be served by any web server.
playground: wasm
	@node viewer/playground/build.mjs out/playground

python: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target trammel_python
	@ctest --preset release -L python -j $(JOBS)
	@python/install.sh build/python

# All stages, also after one that failed; the last lines are a summary of all of them.
test: setup
	@cmake/install-packages.sh wasm
	@cmake/test.sh $(JOBS)

# The same, and under the sanitisers all tests: those of tests/unsanitized.txt, too.
test-all: setup
	@cmake/install-packages.sh wasm
	@cmake/test.sh $(JOBS) all

# For daily work: what takes long, needs a browser or several ranks is left out.
test-quick: build
	@ctest --preset release -L quick -j $(JOBS)

# `make test` three times in clean clones, while eight loops keep the machine busy.
test-busy:
	@tests/busy.sh $(RUNS) 8

test-release: build
	@ctest --preset release -j $(JOBS)

test-sanitize: setup
	@cmake --preset sanitize >/dev/null
	@cmake --build --preset sanitize -j $(JOBS)
	@ctest --preset sanitize -j $(JOBS)

# Lines of src that the release tests run, by gcov; fails below 90 % of them.
coverage: setup
	@cmake/coverage.sh $(JOBS)

# 500 runs, sweeps, live pages and runs on ranks, ended at random moments; 20 min.
kills: build
	@tests/robustness/kills.sh 500 $(CURDIR)/build/trammel $(CURDIR)/examples $(CURDIR)/build/trammel-view mpiexec $(CURDIR)/build/trammel-mpi

# 216 000 messages, 60 for each second of an hour.
soak: build
	@cd viewer && FLOODS=108 TRAMMEL_VIEW=$(CURDIR)/build/trammel-view EXAMPLES=$(CURDIR)/examples node --test tests/noise.test.mjs

fuzz: setup
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS) --target fuzz_programs
	@tests/robustness/fuzz.sh build-fuzz $(FUZZ_SECONDS)

torture: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target torture
	@mkdir -p out
	@OMP_NUM_THREADS=1 build/tests/torture/torture --seconds $(SECONDS) --seed $(SEED) --out out/torture

# Whether every build gives the bits of tests/golden/hashes.txt; golden-accept writes them anew first (docs/determinism.md).
golden: setup
	@mkdir -p out/golden
	@tests/golden/builds.sh $(JOBS)

golden-accept: setup
	@mkdir -p out/golden
	@tests/golden/builds.sh --accept $(JOBS)

# With other engines, so in a folder of its own: the usual build needs none of them.
bench:
	@cmake/install-packages.sh bench
	@cmake --preset release -B build-bench -DTRAMMEL_BENCH=ON -DTRAMMEL_PEERS=ON -DTRAMMEL_TESTS=OFF >/dev/null
	@cmake --build build-bench -j $(JOBS)
	@OMP_NUM_THREADS=1 build-bench/bench/bench_machines
	@build-bench/bench/ode/bench_ode
	@OMP_NUM_THREADS=1 build-bench/bench/bench_io
	@OMP_NUM_THREADS=1 build-bench/bench/bench_automatic examples/*.json examples/problems/*.json
	@OMP_NUM_THREADS=1 build-bench/bench/trees/bench_trees
	@OMP_NUM_THREADS=1 build-bench/bench/trees/bench_trees --precision
	@OMP_NUM_THREADS=1 build-bench/bench/trees/bench_trees --loops examples/8-loop.json
	@build-bench/bench/smooth/bench_smooth --report docs bench/results
	@build-bench/bench/contact/bench_contact --report docs bench/results
	@bench/scaling/scaling.sh build-bench/bench/scaling
	@bench/sweep.sh build-bench
	@bench/methods.sh build-bench/trammel examples docs
	@bench/minimal-pictures.sh build-bench/trammel examples docs

bench-quick:
	@cmake/install-packages.sh bench-quick
	@cmake --preset release -DTRAMMEL_BENCH=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target bench_elementary bench_corrections bench_chain bench_cloth bench_machines bench_smooth bench_contact
	@build/bench/bench_elementary
	@build/bench/bench_corrections
	@OMP_NUM_THREADS=1 build/bench/bench_chain 100 1000 10000
	@OMP_NUM_THREADS=1 build/bench/bench_cloth --time 0.03 30 100
	@OMP_NUM_THREADS=1 build/bench/bench_machines
	@build/bench/smooth/bench_smooth --quick
	@build/bench/contact/bench_contact --quick
	@bench/smooth/instructions.sh build

gallery: build
	@node viewer/gallery.mjs

# The pages of docs/ and the public headers as a site; every link in it is checked.
docs:
	@cmake/install-packages.sh docs
	@mkdir -p out
	@python3 docs/site/build.py pages . out
	@mkdocs build -q --strict -f out/mkdocs.yml
	@python3 docs/site/build.py protect out/docs
	@python3 docs/site/build.py check out/docs
	@echo "The site is out/docs/index.html; its search needs a server: python3 -m http.server -d out/docs"

# Packages; sudo tests/packages.sh tries them in a bare Debian.
deb: setup
	@cmake/install-packages.sh deb
	@cmake/deb.sh $(JOBS)

lint: setup
	@cmake/lint.sh

format: setup
	@git ls-files --cached --others --exclude-standard '*.c' '*.h' | xargs -r clang-format -i

clean:
	@rm -rf out viewer/node_modules build build-bench build-debug build-coverage build-sanitize build-fuzz build-wasm
