# The two commands a newcomer needs are `make test` and `make check`; both create what they need.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test check clean

.venv/ready: pyproject.toml constraints.txt
	@echo "== creating .venv and installing optimand with its development tools"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[dev,embedded,postgres,frame]'
	@touch $@

demo: .venv/ready
	@echo "== fetching the embedded model (98 MB, once)"
	$(BIN)/optimand models pull
	@echo "== racing six ways to ask it 160 questions; Ctrl-C and run again to resume"
	$(BIN)/optimand demo

test: .venv/ready
	@echo "== fetching the embedded model (98 MB, once)"
	$(BIN)/optimand models pull
	@echo "== running the tests"
	$(BIN)/python -m pytest

check: .venv/ready
	@echo "== checking style, types and imports"
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache
