# `make demo` and `make test` set everything up by themselves: Linux, Python 3.11 and git are enough.
#
# Another interpreter: make test PYTHON=python3.13. Another place: make test VENV=/elsewhere/venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
# Newer than both files it depends on: the environment is up to date.
STAMP  := $(VENV)/.installed
DOCS   := $(VENV)/.docs_installed
PIP    := $(BIN)/python -m pip --disable-pip-version-check -qq

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types layers pytest fuzz kills versions format reference docs hooks clean

help: ## Show this list.
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 10

setup: $(STAMP) ## Create .venv with the pinned packages (once; the other targets do it for you).

$(STAMP): constraints.txt pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "Python 3.10 to 3.13 is needed; try: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@echo 'Setting up $(VENV) with the pinned packages (once, a few minutes) ...'
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo 'This Python cannot make virtual environments. On Debian and Ubuntu:' \
	    'apt-get install python3.11-venv'; exit 1; }
	@$(PIP) install --requirement constraints.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: $(STAMP) ## Fit a real table on the CPU, print rows and scores, write a CSV and a report.
	@$(BIN)/python examples/demo.py

test: lint types layers pytest ## Everything that .ci/run runs.

lint: $(STAMP) ## Style and likely bugs.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## Types of the whole package and the examples.
	$(BIN)/mypy

layers: $(STAMP) ## Which module may import which.
	$(BIN)/lint-imports

pytest: $(STAMP) ## Unit, integration and statistical tests, and the code of the documentation.
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n logical --maxprocesses 4 --dist loadfile

fuzz: $(STAMP) ## 2,000 tables and 2,000 pairs of condition and constraint (half an hour of a processor core).
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --tables 2000 --pairs 2000

kills: $(STAMP) ## Kill a training a hundred times and go on from its checkpoint (minutes).
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.kills --kills 100

versions: $(STAMP) ## Part of the tests with the lowest and with the newest allowed versions.
	OMP_NUM_THREADS=1 $(BIN)/python tools/versions.py

format: $(STAMP) ## Let ruff put the code in shape.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: $(STAMP) ## Write the reference of the hyperparameters anew from the code.
	$(BIN)/python docs/write_hyperparameters.py

docs: $(DOCS) ## The documentation as a site, its notebooks run: build/docs/index.html.
	PYTHONPATH=. $(BIN)/sphinx-build -q -W --keep-going -b html -d build/doctrees docs build/docs
	@echo 'See build/docs/index.html'

$(DOCS): docs/constraints.txt $(STAMP)
	@$(PIP) install --constraint constraints.txt --requirement docs/constraints.txt
	@touch $(DOCS)

hooks: $(STAMP) ## Run the checks at every commit from now on.
	$(BIN)/pre-commit install

clean: ## Remove the environment and everything the tools left behind.
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist demo_output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
