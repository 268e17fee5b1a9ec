# What a developer runs; `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SCALE ?= 1

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(INSTALLED): pyproject.toml constraints.txt .ci/venv
	@.ci/venv $(VENV)
	@touch $@

.PHONY: setup
setup: $(INSTALLED) ## Create .venv with everything pinned, and get Java 17+ where there is none
	@.ci/java

.PHONY: demo
demo: setup ## A shop, from the first copy to a differential refresh that verifies
	@PYTHON="$(CURDIR)/$(BIN)/python" examples/demo.sh

.PHONY: test
test: setup ## The whole test suite, two files at a time
	$(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: test-fast
test-fast: $(INSTALLED) ## Tests that need neither a JVM nor a server
	$(BIN)/python -m pytest -m "not spark and not postgres"

.PHONY: lint
lint: $(INSTALLED) ## Formatting, lint, types, import layers, and docs that follow the code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/architecture

SECONDS ?= 600

.PHONY: soak
soak: setup ## Random queries for SECONDS (600), each failure with its seed and query
	$(BIN)/python -m tests.properties.soak --seconds $(SECONDS)

.PHONY: soak-schedules
soak-schedules: setup ## Random schedules for a long time (TRICKLE_SCHEDULES of them)
	TRICKLE_SCHEDULES=$${TRICKLE_SCHEDULES:-5000} $(BIN)/python -m pytest tests/end_to_end/test_random_schedules.py

.PHONY: mutants
mutants: $(INSTALLED) ## Break every delta rule on purpose: which test notices, and whether a mutant survives
	$(BIN)/python tests/mutation/mutate.py

.PHONY: bench
bench: setup ## FULL and DIFFERENTIAL side by side, what capture costs a writer, and TPC-H (SCALE=1)
	$(BIN)/python -m benchmarks.refresh
	$(BIN)/python -m benchmarks.tpch --scale $(SCALE)

.PHONY: clean
clean: ## Remove what the other targets made
	@if [ -d demo/shop ] && [ -x $(BIN)/python ]; then $(BIN)/python -m trickle --project-dir demo/shop db stop || true; fi
	rm -rf demo build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache spark-warehouse
	rm -rf *.egg-info
