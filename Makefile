# make demo          installs into .venv and checks the example clients against every bundled cassette
# make test          lint and the tests, as CI runs them
# make lint          style, types and import contracts alone
# make docs          writes the tables of rules and faults in docs/ anew
# make site          the documentation as a web site, with the Python API, in reports/site
# make selftest      attacks the verifier with broken clients and prints how many it catches
# make bench         the speed goals, target and figure per line (ONLY=P3 takes one goal)
# make clients       public clients of the Codex app-server (400 MB), so that `make test` runs them too
# make differential  compares with the real Codex app-server, which npm puts into a cache folder (420 MB)
# make clean         takes .venv and everything else away that was made here
# Works with GNU make 3.81 and later, on Debian, Ubuntu and macOS. PYTHON=… chooses the interpreter.

VENV := .venv
BIN := $(VENV)/bin
CANDIDATES := $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11

.PHONY: help demo test lint selftest bench clients differential docs site clean
.DEFAULT_GOAL := help

help:
	@sed -n '/^# make /s/^# //p' Makefile

demo: $(VENV)/.installed
	PATH="$(CURDIR)/$(BIN):$$PATH" wiretape check --all -- python tests/examples/clients/flow_a_client.py
	PATH="$(CURDIR)/$(BIN):$$PATH" wiretape check --all --protocol codex -- python tests/examples/clients/codex_client.py

test: lint
	$(BIN)/pytest --cov --cov-report=term-missing:skip-covered $(PYTEST)

lint: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

selftest: $(VENV)/.test
	$(BIN)/python -m tests.selftest

bench: $(VENV)/.bench
	$(BIN)/python -m tests.benchmarks $(ONLY)

clients: $(VENV)/.clients

# Where Linux lets a user do so, nothing of it can reach a network.
ISOLATED = $(shell unshare -rn ip link set lo up 2>/dev/null && echo "unshare -rn sh -c 'ip link set lo up; exec \"\$$@\"' sh")

differential: $(VENV)/.test
	$(BIN)/python -m tests.differential.program
	$(ISOLATED) $(BIN)/pytest -rx tests/differential $(PYTEST)

docs: $(VENV)/.installed
	$(BIN)/python docs/rules_page.py
	$(BIN)/python docs/faults_page.py

site: $(VENV)/.test
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs reports/site
	@echo 'Open reports/site/index.html'

clean:
	rm -rf $(VENV) build dist reports htmlcov bench.json .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp says that its step was done for the pyproject.toml of that time: a second run installs nothing.

$(VENV)/.made:
	@for python in $(CANDIDATES); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	    python=; \
	done; \
	if [ -z "$$python" ]; then \
	    echo 'wiretape needs Python 3.11 or later, and no such python3 was found on PATH.' >&2; \
	    echo '  Debian, Ubuntu: sudo apt install python3 python3-venv     macOS: brew install python' >&2; \
	    echo '  elsewhere on this machine: make PYTHON=/path/to/python3' >&2; \
	    exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python cannot make virtual environments: its venv module is not installed." >&2; \
	    echo '  Debian, Ubuntu: sudo apt install python3-venv' >&2; \
	    exit 1; \
	fi; \
	echo "making $(VENV) with $$("$$python" -V), and installing pip into it …" >&2; \
	"$$python" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	@echo 'installing wiretape into $(VENV) …' >&2
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.installed
	@echo 'installing what the tests need into $(VENV) …' >&2
	@$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/.clients: $(VENV)/.test
	@echo 'installing public clients of the Codex app-server into $(VENV) …' >&2
	@$(BIN)/python -m pip install --quiet --group codex-clients
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	@echo 'installing what the measurements need into $(VENV) …' >&2
	@$(BIN)/python -m pip install --quiet --group bench
	@touch $@
