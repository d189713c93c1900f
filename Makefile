# Everything runs in .venv, made on first use and renewed when a pinned version changes.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PINS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo install test lint format bench screens clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/run ## simulate a club's games, load them and open the dashboard
	$(BIN)/retourne demo $(ARGS)

install: .venv/dev ## make .venv with everything a developer needs

test: .venv/dev ## run the tests (ARGS="-k name" for some)
	@.ci/chromium.sh
	$(BIN)/python -m pytest $(ARGS)

lint: .venv/dev ## ruff, mypy and import-linter, as CI runs them
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev ## let ruff put the code in order
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/bench ## measure against DuckDB, python-chess and pokerkit
	$(BIN)/python -m benchmarks $(ARGS)

screens: .venv/dev ## take the screenshots of the README again
	@.ci/chromium.sh
	$(BIN)/python docs/screens.py

clean: ## remove .venv, caches and builds
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Retourne needs Python 3.11 or newer; name it with PYTHON=…' >&2; exit 1; }
	$(PYTHON) -m venv .venv

# Stamps: what is installed, and since when.
.venv/run: $(PINS) | $(BIN)/python
	$(PIP) -e .
	@touch $@

.venv/dev: $(PINS) | $(BIN)/python
	$(PIP) -e '.[dev]'
	@touch .venv/run $@

.venv/bench: $(PINS) | $(BIN)/python
	$(PIP) -e '.[bench]'
	@touch .venv/run $@
