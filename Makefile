# Two commands for a newcomer: `make demo` and `make test`. Everything else is for people who change the code.
UV_VERSION := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements-uv.txt)
PORT ?= 8000
PYTHON ?= python3
TOOLS := .tools/uv-$(UV_VERSION)
UV := $(TOOLS)/bin/uv
VENV := .venv/bin
# These tests mostly wait for servers, leases and paces.
WAITERS ?= 4
DIST ?= dist
# Dear tests take turns: see tests/gates/turns.py. `tree`: the turn of this commit; `all`: everything.
TURN ?= tree
# What fails runs once more and is counted; many failures are no bad luck, and end the run.
TESTS = python -m pytest -q --turn=$(TURN) $(MEASURE) --reruns=1 --max-suite-reruns=5 --maxfail=25 --dist=worksteal
# A step of a check, with its name: how long each took is printed at the end.
STEP = $(VENV)/python -m tests.gates.times
export CHECK_TIMES := .check-times
# Tried with a fifth of their examples in `make test`.
PROPERTIES := tests/integration/catalogue/test_lists_property.py tests/integration/catalogue/test_criteria_property.py

# Tests are compiled with what their assertions say, once and not in each process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup setup-dev demo run test format lint types gates unit check check-long wheel hooks clean
setup: .venv/.ready
setup-dev: .venv/.ready-dev

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11+ is needed: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { echo "pip is missing: apt-get install python3-pip"; exit 1; }
	@rm -rf $(TOOLS).part
	@PIP_USER=0 $(PYTHON) -m pip install -q --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --target $(TOOLS).part -r requirements-uv.txt
	@rm -rf $(TOOLS) && mv $(TOOLS).part $(TOOLS)

.venv/.ready: pyproject.toml uv.lock | $(UV)
	@echo "Installing the locked packages into .venv (about 450 MB; a minute or two) ..."
	@test -f .venv/.ready-dev || $(UV) sync --quiet --frozen --compile-bytecode --python $(PYTHON) --no-managed-python
	@test ! -f .venv/.ready-dev || $(UV) sync --quiet --frozen --compile-bytecode --all-groups --python $(PYTHON) --no-managed-python
	@$(VENV)/python -m compileall -q src
	@touch $@

# Bytecode is made here, so that not even the first start compiles, nor any where PYTHONDONTWRITEBYTECODE is set.
.venv/.ready-dev: pyproject.toml uv.lock | $(UV)
	@echo "Installing the locked packages and the tools of developers into .venv (about 1.1 GB; some minutes) ..."
	@$(UV) sync --quiet --frozen --compile-bytecode --all-groups --python $(PYTHON) --no-managed-python
	@$(VENV)/python -m compileall -q src
	@touch $@ .venv/.ready

demo: setup
	$(VENV)/afterdrop demo --port $(PORT)

# The service over ./afterdrop-data, with the settings in the environment or the file AFTERDROP_SETTINGS names.
run: setup
	$(VENV)/afterdrop serve

test: setup-dev
	$(VENV)/python -m pytest -n $(WAITERS) -m "not long" --turn=$(TURN) --dist=worksteal

format: setup-dev
	$(VENV)/ruff check --fix-only --quiet .
	$(VENV)/ruff format .

lint: setup-dev
	$(STEP) format $(VENV)/ruff format --check .
	$(STEP) lint $(VENV)/ruff check .
	$(STEP) "import contracts" $(VENV)/lint-imports
	$(STEP) sizes $(VENV)/python tests/gates/sizes.py
	$(STEP) "pure modules" $(VENV)/python tests/gates/pure.py

types: setup-dev
	$(STEP) types $(VENV)/mypy

gates: lint types

unit: setup-dev
	$(STEP) "unit tests" $(VENV)/$(TESTS) tests/unit -n 0

# The gates have one core, the unit tests the other; two workers would collect twice and be no sooner done.
check: setup-dev
	@rm -f $(CHECK_TIMES)
	@$(STEP) "gates and unit tests" $(MAKE) -j2 --output-sync=line gates unit
	$(STEP) "other tests" $(VENV)/$(TESTS) --ignore=tests/unit -n $(WAITERS) -m "not long" --durations=5
	@$(STEP)

# Other people's tools that read the API's description, as they are locked.
.tools/clients/.ready: tests/clients/package.json tests/clients/package-lock.json
	@rm -rf .tools/clients && mkdir -p .tools/clients && cp $^ .tools/clients/
	@npm ci --prefix .tools/clients --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

# Long tests wait about half of their time.
check-long: setup-dev .tools/clients/.ready
	@rm -f $(CHECK_TIMES)
	$(STEP) "long tests" $(VENV)/$(TESTS) --ignore=tests/unit -n 3 -m long --durations=5
	HYPOTHESIS_PROFILE=thorough $(STEP) properties $(VENV)/$(TESTS) -n 2 $(PROPERTIES)
	@$(STEP)

# The branches of pure modules that no test takes. Only these modules are traced: to follow all others takes much longer.
.PHONY: coverage check-nightly
coverage: setup-dev
	@$(VENV)/python tests/gates/pure.py --config > .coverage-pure
	$(VENV)/$(TESTS) -n $(WAITERS) -m "not long" --cov --cov-config=.coverage-pure --cov-report=json:coverage.json
	$(VENV)/python tests/gates/pure.py coverage.json

# Every test, whatever its turn: before a release, and now and then.
check-nightly: TURN = all
check-nightly: gates coverage check-long

# The parts of the clients that are made from the API's description.
.PHONY: clients
clients: setup-dev .tools/clients/.ready
	$(VENV)/python -m tests.contract.generate_clients

# The demo's reviews, made ahead: see src/afterdrop/cli/demo_reviews.py.
.PHONY: demo-reviews
demo-reviews: setup
	$(VENV)/afterdrop demo --port 0 --reviews-out src/afterdrop/sandbox/data/reviews.json.xz

# The pictures of README.md and of the docs' first page: see tests/browser/pictures.py.
.PHONY: pictures
pictures: setup-dev
	$(VENV)/python -m tests.browser.pictures

# The wheel and the source archive, in $(DIST): see docs/internals/releasing.md.
wheel: | $(UV)
	$(UV) build --quiet --python $(PYTHON) --no-managed-python --out-dir $(DIST)

# Runs format, lint and types before each commit; pre-commit itself is fetched by uv.
hooks: setup-dev
	$(UV) tool run --python $(PYTHON) --no-managed-python pre-commit install

clean:
	rm -rf .venv .tools dist
