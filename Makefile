# The commands of daily work. Every one does the set-up that it needs (scripts/setup), and is quick the second time.

PYTHON_ENV := .venv/bin
CPP_FILES = $$(find include src plugins python/bindings tests examples benchmarks -name build -prune -o \
    \( -name '*.[ch]pp' -o -name '*.[ch]' \) -print)

# $(call configure,build folder,options): quiet, unless it fails. In CI no warning passes.
configure = mkdir -p build && { cmake -S . -B $(1) -G Ninja -DSTAITHE_BUILD_TESTS=ON \
    -DSTAITHE_WARNINGS_AS_ERRORS=$(if $(CI),ON,OFF) $(2) >$(1).log 2>&1 || { cat $(1).log; exit 1; }; }

.DEFAULT_GOAL := help

.PHONY: help
help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

.PHONY: demo
demo: ## melt a crystal with LAMMPS, draw its mean squared displacement while it runs
	@scripts/setup run
	@$(PYTHON_ENV)/staithe run examples/melt/melt.yaml

.PHONY: test
test: test-programs ## build and run the tests: C++, Python, whole programs; of what is slow, a sample
	@$(PYTHON_ENV)/python tools/run_tests.py

.PHONY: test-long
test-long: FUZZ_SECONDS = 120
test-long: test-programs fuzz-targets ## all tests, long fuzzing, a soak of ten minutes; says what it ran
	@STAITHE_TEST_LONG=1 $(PYTHON_ENV)/python tools/run_tests.py --fuzz build/asan --fuzz-seconds $(FUZZ_SECONDS)

.PHONY: test-programs
test-programs:
	@scripts/setup test
	@$(call configure,build/package)
	@cmake --build build/package --target tests/all

.PHONY: docs
docs: ## make the site of the documentation, with a reference of every language
	@scripts/setup docs
	@doxygen docs/Doxyfile
	@# Breathe takes the members of a group for global ones, unless their names say where they are.
	@sed -i -E '/<name>/{N;s!<name>[^<]*(</name>\s*)<qualifiedname>([^<]*)</qualifiedname>!<name>\2\1!}' \
	    build/doxygen/xml/group__*_hpp.xml
	@rm -rf build/docs
	@$(PYTHON_ENV)/sphinx-build -W --keep-going --quiet --fresh-env --doctree-dir build/doctrees -c docs . build/docs
	@$(PYTHON_ENV)/python tools/check_site.py build/docs
	@echo "the documentation: build/docs/index.html"

.PHONY: lint
lint: lint-layers lint-format lint-python lint-tidy ## check layers, formatting, types and likely bugs

.PHONY: lint-layers
lint-layers: dev-tools
	@$(PYTHON_ENV)/python tools/check_layers.py

.PHONY: lint-format
lint-format: dev-tools
	@clang-format-19 --dry-run -Werror $(CPP_FILES)
	@$(PYTHON_ENV)/ruff format --check

.PHONY: lint-python
lint-python: dev-tools
	@$(PYTHON_ENV)/ruff check
	@$(PYTHON_ENV)/mypy python/staithe tools examples benchmarks docs

.PHONY: lint-tidy
lint-tidy: dev-tools
	@$(call configure,build/lint,-DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_UNITY_BUILD=OFF \
	    -DSTAITHE_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON_ENV)/python)
	@$(PYTHON_ENV)/python tools/clang_tidy.py build/lint

.PHONY: format
format: dev-tools ## format C++ and Python
	@clang-format-19 -i $(CPP_FILES)
	@$(PYTHON_ENV)/ruff check --fix --select I --quiet
	@$(PYTHON_ENV)/ruff format

.PHONY: sanitize
sanitize: sanitize-address sanitize-thread ## run the C++ tests under AddressSanitizer, UBSan and ThreadSanitizer

.PHONY: sanitize-address
sanitize-address: dev-tools
	@$(call test_sanitized,build/asan,address)

.PHONY: sanitize-thread
sanitize-thread: dev-tools
	@$(call test_sanitized,build/tsan,thread)

# $(call sanitized,build folder,sanitizer)
sanitized = $(call configure,$(1),-DCMAKE_CXX_COMPILER=clang++-19 -DSTAITHE_SANITIZE=$(2))
test_sanitized = $(call sanitized,$(1),$(2)) && \
    cmake --build $(1) --target tests/all && \
    $(PYTHON_ENV)/python tools/run_tests.py --build $(1) --cpp-only 'the $(2) sanitizer'

# Seconds for each fuzz target; two run at a time.
FUZZ_SECONDS ?= 20

.PHONY: fuzz
fuzz: fuzz-targets ## feed made-up messages, records, contact files and workflows to what decodes them
	@$(PYTHON_ENV)/python tools/fuzz.py --build build/asan --seconds $(FUZZ_SECONDS)

.PHONY: fuzz-targets
fuzz-targets: dev-tools
	@scripts/setup test
	@$(call sanitized,build/asan,address)
	@cmake --build build/asan --target tests/fuzz/all

.PHONY: bench
bench: ## measure Staithe beside its peers, in an environment of its own
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py

.PHONY: bench-hosts
bench-hosts: ## the same between hosts, which are namespaces: as root
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py --hosts --json build/bench/hosts.json

.PHONY: bench-servers
bench-servers: ## spaces and servers beside Redis and Dragon
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py --servers --json build/bench/servers.json

.PHONY: bench-in-flight
bench-in-flight: ## what is encoded on its way between hosts, beside single codecs and the link: as root
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py --in-flight --json build/bench/in_flight.json --markdown build/bench/in_flight.md --figure build/bench/in_flight.svg
	@.venv-bench/bin/python benchmarks/choices.py build/bench/choices.svg

.PHONY: bench-files
bench-files: ## steps into files, beside h5py, zarr, TensorStore and ADIOS2, and the disk
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py --files --json build/bench/files.json

.PHONY: bench-transforms
bench-transforms: ## measure the codecs beside theirs, on fields that are fetched or made the first time
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/transforms.py

.PHONY: soak
soak: ## a day's worth of steps in ten minutes: does anything grow? (SOAK_SECONDS shortens it)
	@scripts/setup run
	@$(PYTHON_ENV)/python benchmarks/soak.py

.PHONY: wheel
wheel: ## make a wheel for other machines in dist/, and try it where there is nothing but Python
	@scripts/setup wheel
	@rm -f dist/staithe-*.whl
	@PATH="$(CURDIR)/$(PYTHON_ENV):$$PATH" auditwheel repair --exclude libfabric.so.1 --wheel-dir dist \
	    build/wheel/staithe-*.whl >build/auditwheel.log 2>&1 || { cat build/auditwheel.log; exit 1; }
	@$(PYTHON_ENV)/python tools/try_wheel.py dist/staithe-*.whl

.PHONY: lock
lock: ## choose the newest versions for scripts/constraints.txt
	@scripts/lock

.PHONY: clean
clean: ## remove what was built; the environments stay
	rm -rf build dist

.PHONY: dev-tools
dev-tools:
	@scripts/setup dev
