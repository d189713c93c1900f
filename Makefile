# Everything runs in .venv, made on first use and renewed when a pinned version changes.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
PINS := pyproject.toml constraints.txt
# pip compiles what it copies, and an editable install copies nothing: without this, a machine that
# writes no bytecode of its own compiles a hundred of our modules at each start.
COMPILE := $(BIN)/python -m compileall -q engine schemas ingest dashboard data

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo install test quick soak mutants lint spelling format bench docs js screens release clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: .venv/run ## open the dashboard on a club's games (ARGS="--port 8600 --no-browser")
	$(BIN)/retourne demo $(ARGS)

install: .venv/dev ## make .venv with everything a developer needs

# A worker a core. What pytest makes of a test's asserts is kept even where nothing else compiled
# is: it would take each worker several seconds to make it anew.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist loadfile

test: .venv/dev ## run all tests (ARGS="-k name" for some)
	@.ci/ready.sh $(if $(ARGS),--some)
	$(PYTEST) $(ARGS)

quick: .venv/dev ## run most tests: no page of the dashboard, nothing slow
	@.ci/ready.sh --some
	$(PYTEST) -q -m "not browser and not page and not slow" $(ARGS)

soak: .venv/dev ## run the long proofs: every property with TIMES=20 its examples, and 50 kills a TIME
	@.ci/ready.sh
	$(PYTEST) --soak $(or $(TIMES),20) -m "soak or hypothesis" --timeout 0 $(ARGS)

mutants: .venv/dev ## try every mutant of the rules (ARGS="--game coinche")
	$(BIN)/python -m tests.rule_mutants $(ARGS)

lint: .venv/dev ## ruff, mypy, import-linter, size, names and words of the code, as CI runs them
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/size.py
	$(BIN)/python .ci/names.py
	$(BIN)/python .ci/plain_words.py
	$(BIN)/python .ci/spelling.py --if-installed
	git ls-files '*.py' '*.md' '*.toml' ':!tests' ':!.ci' ':!docs/regles.md' ':!docs/bienvenue.md' ':!docs/tutoriel.md' ':!docs/statistiques.md' \
	  ':!README.fr.md' | xargs $(BIN)/codespell
	$(BIN)/python .ci/third_party.py --check
	$(BIN)/python .ci/audit.py
	.ci/subjects.sh

spelling: .venv/dev ## spell texts and documents in both languages, with hunspell
	$(BIN)/python .ci/spelling.py

format: .venv/dev ## let ruff put the code in order
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/bench ## measure all of docs/benchmarks.md anew (ARGS="ingest pages": some of it)
	$(BIN)/python -m benchmarks $(ARGS)

docs: .venv/docs ## make site/, the documents with search; every link in it must hold
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean
	@echo 'Read it at http://localhost:8000: $(BIN)/python -m http.server --directory site' >&2

js: .venv/dev ## make js/dist, the package for JavaScript; `npm pack` in js/ packs it
	$(BIN)/python -m js

screens: .venv/dev ## take pictures of all pages, and those of the documents again
	@.ci/ready.sh
	$(BIN)/python docs/screenshots.py $(ARGS)

release: .venv/dev ## make dist/VERSION and its tag, after all that CI runs (VERSION=1.0.0)
	@[ -n "$(VERSION)" ] || { echo 'Name the version: make release VERSION=1.0.0' >&2; exit 1; }
	bash .ci/run
	@$(MAKE) --no-print-directory js
	$(BIN)/python .ci/release.py $(VERSION)

clean: ## remove .venv, caches and builds
	rm -rf .venv build dist site js/dist screenshots .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Retourne needs Python 3.11 or newer; name it with PYTHON=…' >&2; exit 1; }
	@echo 'Making .venv …' >&2
	@$(PYTHON) -m venv .venv

# Stamps: what is installed, and since when.
.venv/run: $(PINS) | $(BIN)/python
	@echo 'Installing Retourne and what it needs into .venv: some minutes, this once …' >&2
	$(PIP) -e .
	@$(COMPILE)
	@touch $@

.venv/dev: $(PINS) | $(BIN)/python
	@echo 'Installing Retourne and what it needs into .venv: some minutes, this once …' >&2
	$(PIP) -e '.[dev]'
	@$(COMPILE)
	@touch .venv/run $@

.venv/bench: $(PINS) | $(BIN)/python
	@echo 'Installing Retourne and what it needs into .venv: some minutes, this once …' >&2
	$(PIP) -e '.[bench]'
	@$(COMPILE)
	@touch .venv/run $@

.venv/docs: $(PINS) | $(BIN)/python
	@echo 'Installing what makes the site into .venv …' >&2
	$(PIP) -e '.[docs]'
	@touch $@
