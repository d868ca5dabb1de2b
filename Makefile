# The commands of daily work. Every one does the set-up that it needs (scripts/setup), and is quick the second time.

PYTHON_ENV := .venv/bin
CPP_FILES = $$(find include src python/bindings tests examples benchmarks -name '*.[ch]pp')
# mypy checks every folder of programs by itself: they are scripts, and some share a name.
CONFIGURE = cmake -S . -G Ninja -DSTAITHE_BUILD_TESTS=ON

# Strict where warnings are looked at, lenient on users' compilers.
ifdef CI
CONFIGURE += -DSTAITHE_WARNINGS_AS_ERRORS=ON
endif

.DEFAULT_GOAL := help

.PHONY: help
help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

.PHONY: demo
demo: ## melt a crystal with LAMMPS, draw its mean squared displacement while it runs
	@scripts/setup run
	@$(PYTHON_ENV)/staithe run examples/melt/melt.yaml

.PHONY: test
test: ## build and run all tests: C++, Python, whole programs
	@scripts/setup test
	@$(CONFIGURE) -B build/tests -DCMAKE_BUILD_TYPE=RelWithDebInfo >build/tests.log || { cat build/tests.log; exit 1; }
	@cmake --build build/tests
	@$(PYTHON_ENV)/python tools/run_tests.py

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
	@$(PYTHON_ENV)/mypy python/staithe tools examples

.PHONY: lint-tidy
lint-tidy: dev-tools
	@$(CONFIGURE) -B build/lint -DCMAKE_CXX_COMPILER=clang++-19 -DSTAITHE_BUILD_PYTHON=ON \
	    -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON_ENV)/python >build/lint.log || { cat build/lint.log; exit 1; }
	@$(PYTHON_ENV)/python tools/clang_tidy.py build/lint

.PHONY: format
format: dev-tools ## format C++ and Python
	@clang-format-19 -i $(CPP_FILES)
	@$(PYTHON_ENV)/ruff check --fix --select I --quiet
	@$(PYTHON_ENV)/ruff format

.PHONY: sanitize
sanitize: sanitize-address sanitize-thread ## run the C++ tests under AddressSanitizer, UBSan and ThreadSanitizer

.PHONY: sanitize-address sanitize-thread
sanitize-address sanitize-thread: sanitize-%: dev-tools
	@$(CONFIGURE) -B build/$* -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSTAITHE_SANITIZE=$* \
	    >build/$*.log || { cat build/$*.log; exit 1; }
	@cmake --build build/$*
	@$(PYTHON_ENV)/python tools/run_tests.py --build build/$* --cpp-only 'the $* sanitizer'

.PHONY: bench
bench: ## measure Staithe beside its peers, in an environment of its own
	@scripts/setup bench
	@.venv-bench/bin/python benchmarks/run.py

.PHONY: lock
lock: ## choose the newest versions for scripts/constraints.txt
	@scripts/lock

.PHONY: clean
clean: ## remove what was built; the environments stay
	rm -rf build dist

.PHONY: dev-tools
dev-tools:
	@scripts/setup dev
