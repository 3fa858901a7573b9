# Each target first makes sure of the ones it needs; on a fresh Debian 12 `make run` is enough.
SHELL := /bin/bash -o pipefail
JOBS ?= $(shell nproc)
FUZZ ?= $(basename $(notdir $(wildcard tests/fuzz/*.cpp)))
FUZZ_SECONDS ?= 20
FUZZ_LIMIT ?= -max_total_time=$(FUZZ_SECONDS)
FUZZ_SEED ?= 0
# of data/, in the order in which mamba learns them: each from its own programs alone
TARGETS = x86-sse42 x86-avx x86-avx2 x86-avx512
sources = $$(git -c safe.directory='*' ls-files -co --exclude-standard --deduplicate '*.h' '*.cpp' \
	| while read -r file; do [ ! -e "$$file" ] || echo "$$file"; done)

.PHONY: build setup configure run test train check bench sanitize fuzz fuzz_build format tidy clean

build: configure
	@echo "build: compiling into build/"
	@cmake --build build -j$(JOBS) -- --quiet

setup:
	@tools/setup

configure: setup
	@echo "configure: preparing build/"
	@cmake --preset release >/dev/null

run: build
	@echo "run: tuning zoo:resnet50 for two minutes, records in build/run/store.db"
	@mkdir -p build/run
	@build/tessera tune zoo:resnet50 --budget 2min --db build/run/store.db -o build/run/resnet50.tessera
	@build/tessera report build/run/resnet50.run.json -o build/run/resnet50.html

test: build check
	@echo "test: running every test"
	@ctest --preset release -j$(JOBS)
	@grep '^conformance:' build/Testing/Temporary/LastTest.log
	@if command -v clang++-19 >/dev/null; then \
	  $(MAKE) --no-print-directory -j$(JOBS) fuzz FUZZ="onnx package_bytes" FUZZ_LIMIT=-runs=40000 FUZZ_SEED=1; \
	else echo "test: no fuzzing without clang-19"; fi

train: build
	@echo "train: teaching cost models from data/, which takes long; interrupted, it goes on"
	@mkdir -p weights build/train
	@last=; for target in $(TARGETS); do \
	  next=build/train/mamba-$$target.safetensors; \
	  [ -e $$next ] || build/tessera train $${last:+--from $$last} --target $$target -o $$next || exit 1; \
	  last=$$next; done; \
	cp $$last weights/mamba.safetensors && rm build/train/mamba-*.safetensors
	@for model in tlp tenset-mlp gbdt; do \
	  (cd weights && ../build/tessera train --model $$model --data ../data) || exit 1; done

check: setup
	@echo "check: format"
	@clang-format-19 --dry-run --Werror $(sources)
	@echo "check: layers"
	@tools/check_layers

bench: build
	@for program in $$(find build/bench -maxdepth 1 -type f -executable | sort); do \
	  echo "bench: $$program"; $$program || exit 1; done

sanitize: setup
	@echo "sanitize: compiling into build-asan/"
	@cmake --preset asan >/dev/null
	@cmake --build build-asan -j$(JOBS) -- --quiet
	@echo "sanitize: running every test"
	@ctest --preset asan -j$(JOBS)

fuzz: $(FUZZ:%=fuzz_%)

fuzz_build: setup
	@echo "fuzz: compiling into build-fuzz/"
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz -j$(JOBS) --target $(FUZZ:%=fuzz_%) -- --quiet

fuzz_%: fuzz_build
	@echo "fuzz: $* with $(FUZZ_LIMIT)"
	@mkdir -p build-fuzz/found/$*
	@build-fuzz/fuzz/$* -seed=$(FUZZ_SEED) $(FUZZ_LIMIT) -timeout=20 -rss_limit_mb=4096 \
	  -artifact_prefix=build-fuzz/found/$*- build-fuzz/found/$* $(wildcard tests/fuzz/corpus/$*) \
	  >build-fuzz/found/$*.log 2>&1 || { cat build-fuzz/found/$*.log; exit 1; }

format: setup
	@echo "format: rewriting sources in place"
	@clang-format-19 -i $(sources)

tidy: configure
	@echo "tidy: clang-tidy over src/"
	@run-clang-tidy-19 -quiet -p build -j$(JOBS) '/src/.*(?<!_test)\.cpp$$' 2>/dev/null

clean:
	@echo "clean: removing build folders"
	@rm -rf build build-asan build-fuzz
