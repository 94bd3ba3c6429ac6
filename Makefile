# Two commands for a newcomer: `make demo` and `make test`. Everything else is for people who change the code.
UV_VERSION := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements-uv.txt)
PYTHON ?= python3
TOOLS := .tools/uv-$(UV_VERSION)
UV := $(TOOLS)/bin/uv
VENV := .venv/bin
WORKERS ?= 2
# These tests mostly wait for servers, leases and paces.
WAITERS ?= 4

.PHONY: setup setup-dev demo test check check-long gates clean
setup: .venv/.ready
setup-dev: .venv/.ready-dev

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11+ is needed: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { echo "pip is missing: apt-get install python3-pip"; exit 1; }
	@rm -rf $(TOOLS).part
	@PIP_USER=0 $(PYTHON) -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --target $(TOOLS).part -r requirements-uv.txt
	@rm -rf $(TOOLS) && mv $(TOOLS).part $(TOOLS)

.venv/.ready: pyproject.toml uv.lock | $(UV)
	@test -f .venv/.ready-dev || $(UV) sync --quiet --frozen --python $(PYTHON) --no-managed-python
	@test ! -f .venv/.ready-dev || $(UV) sync --quiet --frozen --all-groups --python $(PYTHON) --no-managed-python
	@touch $@

.venv/.ready-dev: pyproject.toml uv.lock | $(UV)
	@$(UV) sync --quiet --frozen --all-groups --python $(PYTHON) --no-managed-python
	@touch $@ .venv/.ready

demo: setup
	$(VENV)/afterdrop demo

test: setup-dev
	$(VENV)/python -m pytest -n $(WORKERS) -m "not long"

gates: setup-dev
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(VENV)/python tests/gates/sizes.py

check: gates
	$(VENV)/python -m pytest tests/unit -n $(WORKERS) -m "not long" -q --cov=afterdrop --cov-branch --cov-report=json:coverage.json
	$(VENV)/python tests/gates/pure.py coverage.json
	$(VENV)/python -m pytest --ignore=tests/unit -n $(WAITERS) -m "not long" --dist=worksteal

# The extra `topics` has an environment of its own: everything else is tested as most people run it, without.
check-long: setup-dev
	$(VENV)/python -m pytest -n $(WORKERS) -m "long and not topics"
	UV_PROJECT_ENVIRONMENT=.venv-topics $(UV) sync --quiet --frozen --all-groups --extra topics --python $(PYTHON) --no-managed-python
	.venv-topics/bin/python -m pytest -m topics

clean:
	rm -rf .venv .venv-topics .tools
