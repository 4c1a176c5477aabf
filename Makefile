# Two commands for a newcomer, `make demo` and `make test`; both create what they need.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
# One thread per process: more would fight over the same cores, and results would depend on them.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
# Otherwise Material for MkDocs prints a notice that reads like an error.
export NO_MKDOCS_2_WARNING := 1

.PHONY: demo demo-improve test test-slow check docs bench-small bench bench-pick clean

.venv/demo-ready: pyproject.toml constraints.txt
	@echo "== creating .venv and installing optimand with its embedded model client"
	$(PYTHON) -m venv .venv
	$(PIP) -e '.[embedded]'
	@touch $@

.venv/ready: pyproject.toml constraints.txt
	@echo "== creating .venv and installing optimand with its development tools"
	$(PYTHON) -m venv .venv
	@# Read here because the pip of Python 3.11 knows no dependency groups.
	$(BIN)/python -c 'import tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"], sep="\n")' \
	> .venv/dev.txt
	$(PIP) -r .venv/dev.txt -e '.[embedded,postgres,frame,optuna,mcp,control]'
	@touch .venv/demo-ready $@

demo: .venv/demo-ready
	@echo "== fetching the embedded model (98 MB, once)"
	$(BIN)/optimand models pull
	@echo "== racing six ways to ask it 160 questions; Ctrl-C and run again to resume"
	$(BIN)/optimand demo

demo-improve: .venv/demo-ready
	@echo "== fetching the embedded model (98 MB, once)"
	$(BIN)/optimand models pull
	@echo "== searching for what to add to its prompt; Ctrl-C and run again to resume"
	$(BIN)/python examples/improve_prompt.py

test: .venv/ready
	@echo "== fetching the embedded model (98 MB, once)"
	$(BIN)/optimand models pull
	@echo "== running the tests"
	$(BIN)/python -m pytest

test-slow: .venv/ready
	@echo "== running the tests that take minutes"
	$(BIN)/python -m pytest -m slow -s

check: .venv/ready
	@echo "== checking style, types, imports and documentation"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/mkdocs build --strict --quiet

docs: .venv/ready
	@echo "== building the documentation into site/"
	$(BIN)/mkdocs build --strict

bench-small: .venv/ready
	@echo "== duels and races next to published methods, on a few pools (about two minutes)"
	$(BIN)/python -m benchmarks.pick small
	$(BIN)/python -m benchmarks.pick.races small

bench-pick: .venv/ready
	@echo "== duels and races next to published methods, on all pools (hours)"
	$(BIN)/python -m benchmarks.pick full
	$(BIN)/python -m benchmarks.pick.races full

bench: bench-pick
	@echo "== how much of a best score is luck, and what the engine costs (an hour)"
	$(BIN)/python -m benchmarks.luck full
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.improve
	$(BIN)/python -m benchmarks.improve.opticom

clean:
	rm -rf .venv site dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis \
	.import_linter_cache
