# SPDX-License-Identifier: Apache-2.0
# Two commands for newcomers: `make demo` and `make test`. Everything else goes through the CMake presets.
.PHONY: build test clean
JOBS ?= $(shell nproc)

build:
	@scripts/setup build
	@cmake --preset release -DPLIANT_TESTS=OFF >/dev/null
	@cmake --build --preset release -j $(JOBS)

test:
	@scripts/setup build test
	@cmake --preset release -DPLIANT_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

clean:
	rm -rf build build-dev build-asan build-tsan out
