# `make` lists the targets. Everything runs in .venv, which is made from requirements.lock when it is missing or stale.
.DEFAULT_GOAL := help
.PHONY: help report verify test check check-all bench faults fuzz mutate data lab app lock audit clean venv
BIN := .venv/bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv:
	@PYTHON='$(PYTHON)' sh .ci/venv

report: venv ## regenerate every report whose inputs changed: reports/tables and reports/site
	@$(BIN)/dominoperf report
	@echo "Open reports/site/index.html in a browser."

verify: venv ## compare the committed tables, notebooks and data with reports/ledger.toml
	@$(BIN)/dominoperf verify

test: venv ## run all tests
	@$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -rs

check: venv ## style, types, architecture, descriptors up to date, notebooks stripped
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyrefly check --summary=none
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m dominoperf.tables.generating --check
	@$(BIN)/nbstripout --verify --keep-id notebooks/*.ipynb
	@$(BIN)/dominoperf check

bench: venv ## time fits against scipy and lmfit, and forecasts against Extra-P (some minutes)
	@$(BIN)/python tests/benchmarks

check-all: venv ## reports and tests in other folders, locales, versions, Pythons (an hour); ONLY="hashseed lowest"
	@$(BIN)/python tests/variations $(ONLY)

faults: venv ## kill, fill, forbid and exhaust reports and sweeps, and look at what is left (some minutes)
	@$(BIN)/python tests/faults

fuzz: venv ## fuzz every way in, three minutes each; TARGETS='request fit' SECONDS=60 for some, or otherwise long
	@sh .ci/venv-fuzz
	@$(BIN)/python tests/fuzz $(TARGETS) --seconds $(or $(SECONDS),180)

mutate: venv ## change the code of ROOM (laws, queueing, fitting, machines, planning, loadtests) a little and see whether tests notice (hours); ARGS='--sample 400'
	@sh .ci/venv-mutation
	@PYTHONPATH="$(CURDIR)" .venv-mutation/bin/python tests/mutation $(or $(ROOM),laws) $(ARGS)

data: venv ## generate data/*/datapackage.json from package.toml, columns.toml and the CSVs
	@$(BIN)/python -m dominoperf.tables.generating

lab: venv ## explore the notebooks in JupyterLab
	@$(BIN)/dominoperf lab

app: venv ## the interactive notebook as a page without code
	@$(BIN)/dominoperf app

lock: venv ## renew requirements.lock and those of the lowest versions, of Extra-P, Atheris, mutmut and uv (needs uv)
	@uv pip compile pyproject.toml --group dev --extra cluster --universal --generate-hashes --python-version 3.11 -q -o requirements.lock
	@uv pip compile tests/benchmarks/extrap.in --excludes tests/benchmarks/extrap.excludes --universal --generate-hashes --python-version 3.11 -q -o tests/benchmarks/extrap.lock
	@uv pip compile pyproject.toml --group dev --extra cluster --universal --generate-hashes --python-version 3.11 --resolution lowest-direct --upgrade -q -o tests/variations/lowest.lock
	@uv pip compile tests/fuzz/fuzz.in --universal --generate-hashes --python-version 3.11 -q -o tests/fuzz/fuzz.lock
	@uv pip compile tests/mutation/mutation.in -c requirements.lock --universal --generate-hashes --python-version 3.11 -q -o tests/mutation/mutation.lock
	@uv pip compile .ci/uv.in --universal --generate-hashes --python-version 3.11 -q -o .ci/uv.lock

audit: venv ## look for known vulnerabilities of the locked packages (needs a network), and renew the lists of licences, parts and newer versions
	@test -x .venv-audit/bin/pip-audit || { $(BIN)/python -m venv .venv-audit && .venv-audit/bin/pip install -q pip-audit; }
	@$(BIN)/python tests/licences.py
	@$(BIN)/python tests/bom.py
	@$(BIN)/python tests/behind.py
	@.venv-audit/bin/pip-audit -r requirements.lock --require-hashes --disable-pip --strict

clean: ## remove .venv, the site and everything else that can be made again
	@rm -rf .venv .venv-extrap .venv-audit .venv-fuzz .fuzz .venv-mutation .venv-uv reports/site reports/.engine runs build dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
