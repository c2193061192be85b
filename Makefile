# `make demo` and `make test` need only Python >= 3.11 with pip and venv; everything else they install into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUTPUT ?= demo-output
# Which tests: `make test PYTEST_ARGS=` runs the slow ones, too.
PYTEST_ARGS ?= -m "not slow"

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests wheel accuracy bench clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "rag-eval-hooks needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
		"Run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e ".[demo]"
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo  ## ask 68 questions about the Python reference, evaluate them, leave a store and a page
	$(BIN)/rag-eval-hooks demo --output $(OUTPUT)

test: lint types tests wheel  ## everything that must hold: style, types, tests, what the wheel holds

lint: $(VENV)/.dev  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## types
	$(BIN)/mypy

tests: $(VENV)/.dev  ## tests and doctests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

wheel: $(VENV)/.dev  ## builds the wheel, checks what it holds, installs it alone and starts it
	$(BIN)/python .ci/check_wheel.py

$(VENV)/.fit: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet -e ".[fit]"
	@touch $@

accuracy: $(VENV)/.fit  ## how well attribution agrees with people's labels, and what it costs; needs the corpora (REH_SHARED)
	$(BIN)/python benchmarks/attribution/measure.py
	$(BIN)/python benchmarks/attribution_cost.py

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	@touch $@

bench: $(VENV)/.bench  ## benchmarks; figures are printed, nothing is asserted
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:  ## removes what the others made
	rm -rf $(VENV) $(OUTPUT) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
