# `make demo` and `make test` need only Python >= 3.11 with pip and venv; everything else they install into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUTPUT ?= demo-output
# Which tests: `make test PYTEST_ARGS=` runs the slow ones, too.
PYTEST_ARGS ?= -m "not slow"

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests test-langchain test-llamaindex wheel accuracy bench clean
.PRECIOUS: .venv-with-%/.installed

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

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

demo: $(VENV)/.demo  ## ask LangChain and LlamaIndex 68 questions, evaluate the answers, leave a store and pages
	$(BIN)/rag-eval-hooks demo --output $(OUTPUT)

test: lint types tests wheel  ## everything that must hold: style, types, tests, what the wheel holds

lint: $(VENV)/.dev  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## types
	$(BIN)/mypy

tests: $(VENV)/.dev  ## tests and doctests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# A session tests an adapter with other versions of its framework than .venv has: those of .ci/<framework>-<session>.txt.
# The newest of all are in .venv; on another Python: make tests PYTHON=python3.13 VENV=.venv-3.13
LANGCHAIN := langchain-oldest langchain-0.3
LLAMAINDEX := llamaindex-oldest llamaindex-0.13 llamaindex-0.14.21

.venv-with-%/.installed: .ci/%.txt pyproject.toml
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet -e . -r $<
	@touch $@

test-with-%: .venv-with-%/.installed
	.venv-with-$*/bin/python -m pip list 2>/dev/null | grep -E "^(lang(chain|graph)|llama-index)"
	.venv-with-$*/bin/python -m pytest -rs $(PYTEST_ARGS) $(TESTS)

$(LANGCHAIN:%=test-with-%): TESTS := tests/langchain tests/capture
$(LLAMAINDEX:%=test-with-%): TESTS := tests/llamaindex

test-langchain: $(LANGCHAIN:%=test-with-%)  ## the adapter's tests with the oldest LangChain and with the newest 0.3

test-llamaindex: $(LLAMAINDEX:%=test-with-%)  ## the same with LlamaIndex 0.12.0, 0.13.6, and the last of the old order of streams

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
	rm -rf $(VENV) .venv-with-* $(OUTPUT) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
