# `make` lists the targets. Everything runs in .venv, which is made from requirements.lock when it is missing or stale.
.DEFAULT_GOAL := help
.PHONY: help report verify test check bench mutate data lab app lock clean venv
BIN := .venv/bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv:
	@PYTHON='$(PYTHON)' sh .ci/venv

report: venv ## regenerate every report whose inputs changed: reports/tables and reports/site
	@$(BIN)/dominoperf report
	@echo "Open reports/site/index.html in a browser."

verify: venv ## compare the committed tables, notebooks and data with reports/ledger.toml
	@$(BIN)/dominoperf verify

test: venv ## run all tests
	@$(BIN)/pytest -n auto --dist loadfile -rs

check: venv ## style, architecture, descriptors up to date, notebooks stripped
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m dominoperf.checking --check
	@$(BIN)/nbstripout --verify --keep-id notebooks/*.ipynb
	@$(BIN)/dominoperf check

bench: venv ## time fits against scipy and lmfit, and forecasts against Extra-P (some minutes)
	@$(BIN)/python tests/benchmarks

mutate: venv ## change the code of ROOM (laws, queueing, fitting, planning) a little and see whether tests notice (hours)
	@sh .ci/venv-mutation
	@PYTHONPATH=. .venv-mutation/bin/python tests/mutation $(or $(ROOM),laws)

data: venv ## generate data/*/datapackage.json from package.toml, columns.toml and the CSVs
	@$(BIN)/python -m dominoperf.checking

lab: venv ## explore the notebooks in JupyterLab
	@$(BIN)/dominoperf lab

app: venv ## the interactive notebook as a page without code
	@$(BIN)/dominoperf app

lock: venv ## renew requirements.lock, and the locks of Extra-P and mutmut (needs uv)
	@uv pip compile pyproject.toml --group dev --extra cluster --universal --generate-hashes --python-version 3.11 -q -o requirements.lock
	@uv pip compile tests/benchmarks/extrap.in --excludes tests/benchmarks/extrap.excludes --universal --generate-hashes --python-version 3.11 -q -o tests/benchmarks/extrap.lock
	@uv pip compile tests/mutation/mutation.in -c requirements.lock --universal --generate-hashes --python-version 3.11 -q -o tests/mutation/mutation.lock

clean: ## remove .venv, the site and everything else that can be made again
	@rm -rf .venv .venv-extrap .venv-mutation .mutation reports/site reports/.engine runs build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
