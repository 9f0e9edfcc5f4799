# SPDX-License-Identifier: Apache-2.0
# Two commands for newcomers: `make demo` and `make test`. Everything else goes through the CMake presets.
.PHONY: demo build test python python-test python-wheel deb check-install portability sanitize soak mutate bench models figures wild papers fuzz docs shaken twist-mat view-flood view-bench view-armadillo format check clean
JOBS ?= $(shell nproc)
# ON: a warning in the library or the command ends the build. For CI; elsewhere a newer compiler may have new ones.
WERROR ?= OFF
DEMO = out/demo
BENCH = out/bench

demo: build
	@build/pliant run creature -o $(DEMO) --format obj,pc2,glb
	@build/pliant render $(DEMO) -o $(DEMO)/picture.png --time 0.6 --fit frame --size 1280x720
	@build/pliant render $(DEMO) -o $(DEMO)/video.mp4 --size 512x288 --quality draft --fps 20
	@echo
	@echo "A soft animal tumbles down a stair:"
	@echo "  picture   $(DEMO)/picture.png"
	@echo "  video     $(DEMO)/video.mp4"
	@echo "  metrics   $(DEMO)/metrics.csv, $(DEMO)/summary.json"
	@echo "  frames    $(DEMO)/frames/ (obj sequence, pc2 cache, glb animation)"
	@echo "Touch it:   build/pliant view creature"
	@echo "Try next:   build/pliant scenes"
	@echo "            build/pliant inspect YOUR_MESH.obj"
	@echo "            build/pliant run geometric/bar --set bodies.bar.geometric.stiffness=5e5"
	@echo "            make models && build/pliant run wild/bunny"

build:
	@scripts/setup build
	@cmake --preset release -DPLIANT_TESTS=OFF -DPLIANT_BENCH_PEERS=OFF -DPLIANT_WERROR=$(WERROR) >/dev/null
	@cmake --build --preset release -j $(JOBS)

test: models
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCH_PEERS=OFF -DPLIANT_WERROR=$(WERROR) >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)
	@echo "All tests passed. Try next: make demo, make bench"

# `import pliant`, in build/python.
python:
	@scripts/setup build python
	@cmake --preset release -DPLIANT_PYTHON=ON -DPLIANT_TESTS=OFF -DPLIANT_BENCH_PEERS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target pliant_cli pliant_python
	@PYTHONPATH=build/python /usr/bin/python3 -c "import pliant; print('pliant', pliant.__version__, 'is in build/python:')"
	@echo "  PYTHONPATH=build/python /usr/bin/python3 -c \"
	@echo "    'import pliant; world = pliant.load("geometric/bar"); world.step(60); print(world["bar"].surface)'"
	@echo "Try next: docs/python.md, make python-test"

# Tests, examples of the documentation and types of the module.
python-test: python
	@PYTHONPATH=build/python PLIANT_COMMAND=build/pliant PYTHONDONTWRITEBYTECODE=1 	  /usr/bin/python3 -m pytest -q -p no:cacheprovider python/tests

# A wheel of the module with the shipped scenes, without network, in build/packages.
python-wheel: python
	@/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --no-index -w build/packages ./python
	@ls build/packages/pliant-*.whl

# Debian packages of the library and the command (after `make python` of the module, too), in build/packages. `scripts/check-deb` tries them in a bare Debian.
deb: build
	@cd build && cpack -G DEB >/dev/null && ls packages/*.deb

# The library as its users build it: shared, by FetchContent, from packages in a bare Debian. Needs root. Half an hour.
check-install:
	@scripts/setup build test package
	@scripts/check-install

# Compilers, hardening, GPL parts, no AVX, arm64: the whole library and its unit tests for each. Hours.
portability:
	@scripts/setup build test portability
	@scripts/portability

# Tests under ASan and UBSan, then TSan, with the time of each. SUITES: which; the public functions first.
sanitize:
	@scripts/setup build test
	@scripts/sanitize $(or $(SUITES),public unit invariants)

# Random scenes, watched at every step: STEPS of bodies (default 1e6) or SECONDS, from SEED. docs/reliability.md has figures.
soak:
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCH_PEERS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target soak
	@build/tests/soak --seed $(or $(SEED),1) $(if $(SECONDS),--steps 1e18 --seconds $(SECONDS),--steps $(or $(STEPS),1e6))

# Does a test fail when the step, the contact or a solver is changed? COUNT changes, from SEED; hours.
mutate:
	@scripts/setup build test
	@scripts/mutate --count $(or $(COUNT),200) --seed $(or $(SEED),1)

bench:
	@scripts/setup build bench
	@cmake --preset release -DPLIANT_TESTS=OFF -DPLIANT_BENCH_PEERS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@build/pliant bench --json $(BENCH)/bench.json
	@echo "What the numbers mean: docs/performance.md. Try next: build/pliant bench --filter geometric --threads 0"

models:
	@scripts/models

# The pictures of docs/gallery.md that figures/*.json describe.
figures: build models
	scripts/figures

wild: build models
	@scripts/wild

# Every claim of the papers, measured: the tables of docs/papers.md. Less than 15 minutes.
papers: build models
	@scripts/papers

fuzz:
	@scripts/setup build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz

# The API reference of the public headers, in out/docs.
docs:
	@scripts/setup docs
	@scripts/docs

# A running `pliant view` under 200 000 malformed messages and requests (COUNT, SEED), and with pages that stop reading.
view-flood:
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCH_PEERS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target pliant_cli view_flood view_watchers
	@build/tests/view_flood build/pliant $(or $(COUNT),200000) $(or $(SEED),1)
	@build/tests/view_watchers build/pliant geometric/bar

# Every scene of scenes/together ten times (RUNS), shaken, with a search for crossings after each step. SCENES: parts of
# their names. An hour.
shaken:
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCH_PEERS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target shaken_scenes
	@build/tests/shaken_scenes $(or $(RUNS),10) $(SCENES)

# A mat of NODES x NODES (40) twisted for SECONDS (100). Hours.
twist-mat:
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCH_PEERS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS) --target twist_mat
	@build/tests/twist_mat $(or $(NODES),40) $(or $(SECONDS),100)

# How long a page takes to its first picture, and how often it draws (SCENE, LOADS).
view-bench: build
	@node web/tests/bench/first_frame.mjs $(or $(SCENE),creature) $(or $(LOADS),5)

# Martin et al. 2009, Fig. 6, by mouse and keys on the page: a picture for the gallery, a session to replay.
view-armadillo: build models
	@node web/tests/papers/armadillo.mjs -o docs/gallery/armadillo-page.png
	@scripts/small-png docs/gallery/armadillo-page.png

format:
	@scripts/setup check
	@scripts/format

check:
	@scripts/setup check
	@scripts/check-style

clean:
	rm -rf build build-* out
