# Everything is built in .venv/ and build/; `make clean` removes both.
PYTHON ?= python3
JOBS ?= 2

# Located before .venv is prepended to PATH.
SYSTEM_PYTHON := $(shell command -v $(PYTHON))

VENV := .venv
BIN := $(VENV)/bin
# One build for all targets, in a persistent directory; WERROR=ON makes warnings errors.
BUILD := build/make
WERROR ?= OFF
export PATH := $(CURDIR)/$(BIN):$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# On sys.path, the source directory would shadow the installed package.
export PYTHONSAFEPATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# All sources of the installed package. The list itself is a file, so that adding or removing a
# source counts as a change, too.
SOURCES := $(sort $(shell find src templates cmake numpy_plugin -type f \
             -not -path '*/__pycache__/*' -not -name '_core.*')) CMakeLists.txt pyproject.toml setup.py
TEST_SOURCES := $(sort $(shell find tests/cpp -type f))
SOURCE_LIST := $(VENV)/.source_list

CPP_FILES := $(shell find src templates tests/cpp \( -name '*.cpp' -o -name '*.hpp' \) -not -path '*/golden/*')
SANITIZER_BUILD = build/$@

# Run side by side by `make lint`, all of them even if one fails.
LINTERS := lint-mypy lint-format lint-pyright lint-ruff lint-layout

.PHONY: demo test test-array-api test-library test-ecosystem test-grammar gpu-check test-driver test-pythons test-aarch64 test-slow wheel lint $(LINTERS) format docs docs-links bench accuracy asan ubsan tsan fuzz random clean extension help FORCE
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*  ## \(.*\)$$/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.demo  ## install the package into .venv and run the demonstration
	@$(BIN)/python -m numpy_plugin demo

test: $(VENV)/.test  ## build the tests, run the GoogleTest and pytest suites
	@status=0; \
	$(with_nvrtc) ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) || status=1; \
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder || status=1; \
	exit $$status

# The interpreter of a machine with a GPU, as a command.
GPU_PYTHON ?= $(SYSTEM_PYTHON)
gpu-check: $(VENV)/.test  ## make build/gpu_check for GPU_PYTHON=: `bash build/gpu_check/run.sh RESULTS` checks a GPU
	@$(BIN)/python tools/gpu_check prepare build/gpu_check --python $(GPU_PYTHON) --core $(BUILD)

device_tests := $(addprefix tests/python/,device device_methods arrays)
# Others, which have tests marked gpu.
marked_tests = $(filter-out $(addsuffix /%,$(device_tests)),$(shell grep -rl --include='test_*.py' 'mark\.gpu' tests/python))
with_driver = LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/driver COUNTING_DRIVER="capability=150 version=13090" \
  NUMPY_PLUGIN_CUBLAS=off

test-driver: $(VENV)/.test  ## run the tests on device arrays, and those marked gpu, on a stand-in for a GPU's driver
	@NUMPY_PLUGIN_TEST_DEVICE=gpu $(with_driver) \
	  $(BIN)/pytest -n $(JOBS) --dist loadfile -m "not slow" $(device_tests)
	@$(with_driver) $(BIN)/pytest -n $(JOBS) --dist loadfile -m gpu $(marked_tests)

# Commands, each with the newest NumPy that it can have, and the oldest versions for this Python. All
# use the build of `make test`. TESTS: pytest's arguments, such as directories.
PYTHONS ?= python3.12 python3.13
OLDEST := $(addprefix $(SYSTEM_PYTHON)==,2.2.0 2.4.*)
TESTS ?= -n $(JOBS) --dist loadfile --no-loadscope-reorder
test-pythons: $(VENV)/.test  ## run pytest with the interpreters PYTHONS= and with the oldest NumPy
	@$(BIN)/python tools/test_pythons.py $(BUILD) build/pythons $(OLDEST) $(PYTHONS) -- $(TESTS)

# Emulated programs take 10 to 50 times as long; what they compile is compiled by this machine.
AARCH64_TESTS ?= -n $(JOBS) --dist loadfile $(addprefix tests/python/,lanes language device)
test-aarch64: $(VENV)/.requirements  ## run GoogleTest and pytest on AARCH64_TESTS= in an emulated aarch64 (slow)
	@$(BIN)/python tools/test_aarch64.py build/aarch64 -- $(AARCH64_TESTS)

EXAMPLES ?= 50
test-array-api: $(VENV)/.test  ## run the array API standard's suite with EXAMPLES=50 of each test
	@ARRAY_API_TESTS_EXAMPLES=$(EXAMPLES) $(BIN)/pytest tests/python/arrays/test_array_api.py

test-library: $(VENV)/.test  ## build the example library as a wheel, test it where this package is missing
	@$(BIN)/pytest -m slow tests/python/aot

# Slow ones as well, and the documents with blocks that need these libraries.
test-ecosystem: $(VENV)/.test $(VENV)/.ecosystem  ## run the tests with other libraries, in their newest releases
	@$(BIN)/pytest -m "slow or not slow" tests/python/ecosystem tests/python/clients \
	  tests/python/repository/test_docs.py -k "not test_docs or ecosystem or scaling"

test-grammar: $(VENV)/.test  ## compare the simulator's table of instructions with ptxas
	@$(BIN)/pip install --quiet nvidia-cuda-nvcc
	@$(BIN)/pytest -m "slow or not slow" tests/python/simulator/test_ptx_grammar.py

test-slow: $(VENV)/.test $(VENV)/.docs  ## run the slow tests that `make test` skips
	@$(BIN)/pytest -m slow

# Interpreters whose wheels are built, as commands.
WHEEL_PYTHONS ?= $(SYSTEM_PYTHON)
wheel: $(VENV)/.test_requirements  ## build wheels of WHEEL_PYTHONS in build/wheels/repaired, and test them without a compiler
	@NUMPY_PLUGIN_TEST_PYTHONS="$(WHEEL_PYTHONS)" \
	  $(BIN)/pytest -m slow tests/python/repository/test_wheels.py

lint: $(VENV)/.test $(VENV)/.lint  ## check formatting, ruff, mypy --strict, pyright, source tree rules
	@$(MAKE) --no-print-directory --keep-going --jobs $(JOBS) --output-sync=target $(LINTERS)

lint-format:
	@$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)
lint-ruff:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
lint-mypy:
	@$(BIN)/mypy
lint-pyright:
	@$(BIN)/pyright
lint-layout:
	@$(BIN)/python tools/check_layout.py

format: $(VENV)/.lint  ## apply the formatting that `make lint` checks
	$(BIN)/clang-format -i $(CPP_FILES)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Warnings are errors: among them references to names that do not exist, which pages that did not
# change may have, too. GALLERY=0 does not execute the examples with pictures.
GALLERY ?= 1
SPHINX = $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --fresh-env --write-all --jobs $(JOBS) \
  --define sphinx_gallery_conf.plot_gallery=$(GALLERY) --doctree-dir build/docs/doctrees

docs: $(VENV)/.test $(VENV)/.docs  ## build the documentation site, build/docs/html; GALLERY=0: without pictures
	@$(SPHINX) --builder html docs build/docs/html
	@echo "build/docs/html/index.html"

docs-links: $(VENV)/.test $(VENV)/.docs  ## check the documentation's links to other sites (needs a network)
	@$(SPHINX) --builder linkcheck docs build/docs/links

accuracy: $(VENV)/.test  ## measure function accuracy, and write docs/reference/function_accuracy.md
	$(BIN)/python tools/measure_functions.py

bench: $(VENV)/.bench  ## run the benchmarks, write tables to docs/benchmarks and all numbers to build/benchmarks
	@PYTHONPATH=benchmarks $(BIN)/python -m end_to_end --write build/benchmarks --tables docs/benchmarks

asan: SANITIZER := address
ubsan: SANITIZER := undefined
tsan: SANITIZER := thread
asan: $(VENV)/.requirements  ## run the GoogleTest suite with AddressSanitizer
	@$(sanitize)
ubsan: $(VENV)/.requirements  ## likewise, with UndefinedBehaviorSanitizer
	@$(sanitize)
tsan: $(VENV)/.requirements  ## likewise, with ThreadSanitizer
	@$(sanitize)

# Sanitized code is slow to optimize: with -O2, it takes three times as long to compile.
define sanitize
cmake -S . -B $(SANITIZER_BUILD) -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" \
  -DNPP_BUILD_EXTENSION=OFF -DNPP_BUILD_TESTS=ON -DNPP_SANITIZE=$(SANITIZER) && \
cmake --build $(SANITIZER_BUILD) --parallel $(JOBS) && \
ctest --test-dir $(SANITIZER_BUILD) --output-on-failure -j $(JOBS)
endef

FUZZ_SECONDS ?= 60
FUZZ_BUILD := build/fuzz
fuzz: $(VENV)/.test  ## fuzz the PTX parser for FUZZ_SECONDS=60 (needs clang), the front end and pickles
	cmake -S . -B $(FUZZ_BUILD) -G Ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -DCMAKE_CXX_COMPILER=clang++ -DNPP_BUILD_EXTENSION=OFF -DNPP_BUILD_TESTS=ON \
	  -DNPP_BUILD_FUZZERS=ON
	cmake --build $(FUZZ_BUILD) --target parse_fuzzer --parallel $(JOBS)
	@mkdir -p $(FUZZ_BUILD)/corpus
	$(FUZZ_BUILD)/tests/cpp/parse_fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	  -timeout=10 -artifact_prefix=$(FUZZ_BUILD)/ -dict=tests/cpp/simulator/assembly/fuzz/ptx.dict \
	  $(FUZZ_BUILD)/corpus tests/cpp/simulator/assembly/corpus
	NUMPY_PLUGIN_TEST_SEED=$(RANDOM_SEED) $(BIN)/pytest -m slow tests/python/frontend/test_fuzz_front_end.py

# A new seed every day.
RANDOM_SEED ?= $(shell date +%Y%m%d)
RANDOM_KERNELS ?= 1000
RANDOM_PROGRAMS ?= 100000
RANDOM_CACHE := $(CURDIR)/build/random_cache
random: $(VENV)/.test  ## test random kernels, programs and operands: RANDOM_SEED=, RANDOM_KERNELS=, RANDOM_PROGRAMS=
	@mkdir -p -m 700 $(RANDOM_CACHE)
	@status=0; \
	NUMPY_PLUGIN_TEST_SEED=$(RANDOM_SEED) NUMPY_PLUGIN_TEST_KERNELS=$(RANDOM_KERNELS) \
	$(with_nvrtc) $(BUILD)/tests/cpp/emit_tests --gtest_filter='*Random*' || status=1; \
	NUMPY_PLUGIN_CACHE_DIR=$(RANDOM_CACHE) PYTHONPATH=tests/python/helpers $(BIN)/python -m random_programs \
	  --first $(RANDOM_SEED) --programs $(RANDOM_PROGRAMS) --most 2 --processes $(JOBS) || status=1; \
	NUMPY_PLUGIN_TEST_SEED=$(RANDOM_SEED) $(BIN)/pytest -n $(JOBS) -m slow \
	  tests/python/numerics/test_random_flags.py \
	  tests/python/language_arrays/test_array_functions_beside_numpy.py || status=1; \
	rm -rf $(RANDOM_CACHE); \
	exit $$status

clean:  ## remove everything that make has created
	rm -rf build $(VENV) *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf docs/gallery docs/reference/generated
	rm -f numpy_plugin/_core.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The path of the package's NVRTC, for tests that run without the package.
with_nvrtc = NUMPY_PLUGIN_TEST_NVRTC="$$($(BIN)/python -c \
  'from numpy_plugin import _core; print(_core.nvrtc_info()["path"])')"

# --- stamps: kept in the environment, and removed with it ---

$(VENV)/.made:
	$(SYSTEM_PYTHON) -m venv $(VENV)
	@touch $@

# Written by make itself: the names are too many for a command.
$(SOURCE_LIST): FORCE | $(VENV)/.made
	$(file >$@.now,$(SOURCES) $(TEST_SOURCES))
	@cmp -s $@.now $@ || cp $@.now $@

# pip shows nothing of a build, which takes minutes: `extension` has shown it before.
install := NUMPY_PLUGIN_BUILD_DIR=$(BUILD) $(BIN)/pip install --quiet --no-build-isolation

$(VENV)/.demo $(VENV)/.bench: $(VENV)/.%: $(SOURCES) $(SOURCE_LIST) $(VENV)/.requirements
	@$(MAKE) --no-print-directory extension
	@$(install) ".[$*]"
	@$(link_extension)
	@touch $@

$(VENV)/.requirements: pyproject.toml | $(VENV)/.made
	$(BIN)/python tools/requirements.py build > $(VENV)/requirements.txt
	$(BIN)/pip install --quiet -r $(VENV)/requirements.txt
	@touch $@

test_requirements := $(VENV)/.test_requirements

# The first build runs while pip fetches what the tests need.
$(VENV)/.test: $(SOURCES) $(TEST_SOURCES) $(SOURCE_LIST) $(VENV)/.requirements
	@$(MAKE) --no-print-directory --jobs 2 TESTS_BUILT=ON extension $(test_requirements)
	@$(install) ".[test]"
	@$(link_extension)
	@touch $@

# The tests stay built once they are: a later demonstration finds them up to date.
extension: $(VENV)/.requirements
	@rm -rf build/lib* build/bdist*
	@NUMPY_PLUGIN_BUILD_DIR=$(BUILD) \
	  CMAKE_ARGS="-DNPP_WERROR=$(WERROR) $(if $(TESTS_BUILT),-DNPP_BUILD_TESTS=ON)" \
	  $(BIN)/python setup.py --quiet build_ext

$(test_requirements): pyproject.toml | $(VENV)/.made
	$(BIN)/python tools/requirements.py test > $(VENV)/test.txt
	$(BIN)/pip install --quiet -r $(VENV)/test.txt
	@touch $@

$(VENV)/.ecosystem: pyproject.toml | $(VENV)/.made
	$(BIN)/python tools/requirements.py ecosystem > $(VENV)/ecosystem.txt
	$(BIN)/pip install --quiet --upgrade -r $(VENV)/ecosystem.txt
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.made
	$(BIN)/python tools/requirements.py lint > $(VENV)/lint.txt
	$(BIN)/pip install --quiet -r $(VENV)/lint.txt
	@touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.made
	$(BIN)/python tools/requirements.py docs > $(VENV)/docs.txt
	$(BIN)/pip install --quiet -r $(VENV)/docs.txt
	@touch $@

# Lets `python` started in this directory find the extension, and mypy its stub.
link_extension = ln -sf $(CURDIR)/$(VENV)/lib/python3*/site-packages/numpy_plugin/_core.* numpy_plugin/
